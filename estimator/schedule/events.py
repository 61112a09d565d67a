"""List scheduling by events: at each moment something ends, the waiting stages take what has become free.

Stages are served in the order of their keys; within a stage its policy decides. The head
of a stage's list waits for what it lacks, and later tasks of the stage that need the same thing wait behind
it. Where a stage cannot be disturbed before a known moment, its tasks are placed by arithmetic up to that
moment instead of one by one. Deterministic: no clock, no chance. No bounds here and no result columns.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections.abc import Sequence

from estimator.schedule.equal import blocks, hand_out, share_equal
from estimator.schedule.fleet import Area, Fleet, Part, Slot, held_ms
from estimator.schedule.network import successors
from estimator.schedule.problem import FOREVER, UNLIMITED, WHOLE_TASK, Cancelled, Policy, SolveStopped, never
from estimator.schedule.schedule import Run
from estimator.schedule.under_way import Queue, StageUnderWay

# From how many equal tasks a slot on arithmetic is faster than handing them out.
_FEW_TASKS = 4
# How many moments, or tasks handed out, between two questions whether to go on: some milliseconds.
_ASK_EVERY = 1024


class Events:
    """One pass over a feasible problem; `run()` fills `runs`, `stage_start_ms`, `stage_end_ms` and `used`."""

    def __init__(self, fleet: Fleet, keys: Sequence[tuple[int, ...]], cancelled: Cancelled = never) -> None:
        problem = fleet.problem
        self.fleet = fleet
        self._cancelled = cancelled
        self._done = 0
        self.runs: list[Run] = []
        self.stage_start_ms = [-1] * problem.stage_count
        self.stage_end_ms = [0] * problem.stage_count
        self.used: list[list[tuple[int, int]]] = [[] for _ in problem.capacity]
        self._key = keys
        self._following = successors(problem.stage_count, problem.after)
        self._open_before = [0] * problem.stage_count
        for stages in self._following:
            for later in stages:
                self._open_before[later] += 1
        self._capacity: list[int] = [
            FOREVER if one == UNLIMITED else one for one in problem.capacity.tolist()
        ]
        self._free_units = list(self._capacity)
        self._free_at = list(fleet.ready)
        self._is_free = [False] * problem.card_count
        self._free: list[list[int]] = [[] for _ in range(fleet.pool_count)]
        self._free_count = 0
        self._last_run: dict[int, int] = {}
        self._waiting: list[StageUnderWay] = []
        self._cards_due = [(ready, card) for card, ready in enumerate(fleet.ready)]
        self._units_due: list[tuple[int, int, int]] = []
        self._tasks_due: list[tuple[int, int, int]] = []
        self._stages_due: list[tuple[int, int]] = []  # a stage's start when it has not begun, else its end
        self._begun: dict[int, StageUnderWay] = {}
        heapq.heapify(self._cards_due)

    def run(self) -> None:
        """Place every task."""
        for stage, open_before in enumerate(self._open_before):
            if open_before == 0:
                self._stages_due.append((int(self.fleet.problem.release_ms[stage]), stage))
        heapq.heapify(self._stages_due)
        heaps = (self._stages_due, self._cards_due, self._units_due, self._tasks_due)
        while self._waiting or self._stages_due:
            self._go_on()
            now = min(heap[0][0] for heap in heaps if heap)
            self._release(now)
            while self._stages_due and self._stages_due[0][0] <= now:
                self._turn(heapq.heappop(self._stages_due)[1], now)
            self._serve(now)

    def _go_on(self) -> None:
        """Raise SolveStopped where nobody wants the result any more; asked once in a while."""
        self._done += 1
        if self._done % _ASK_EVERY == 0 and self._cancelled():
            raise SolveStopped

    # What becomes free.

    def _release(self, now: int) -> None:
        while self._cards_due and self._cards_due[0][0] <= now:
            due, card = heapq.heappop(self._cards_due)
            if due == self._free_at[card] and not self._is_free[card]:  # else it was given away meanwhile
                self._is_free[card] = True
                self._free_count += 1
                insort(self._free[self.fleet.pool_of_card[card]], card)
        while self._units_due and self._units_due[0][0] <= now:
            _, resource, units = heapq.heappop(self._units_due)
            self._free_units[resource] += units
        while self._tasks_due and self._tasks_due[0][0] <= now:
            _, stage, count = heapq.heappop(self._tasks_due)
            self._begun[stage].running -= count

    def _turn(self, stage: int, now: int) -> None:
        """Begin a stage that is due, or end it and let those wait no longer that waited for it."""
        if stage not in self._begun:
            state = self._begin(stage, now)
            self._begun[stage] = state
            if state.left:
                insort(self._waiting, state, key=lambda one: self._key[one.index])
            else:
                self.stage_start_ms[stage] = now
                heapq.heappush(self._stages_due, (now, stage))
            return
        self.stage_end_ms[stage] = now
        for later in self._following[stage]:
            self._open_before[later] -= 1
            if self._open_before[later] == 0:
                start = max(now, int(self.fleet.problem.release_ms[later]))
                heapq.heappush(self._stages_due, (start, later))

    def _begin(self, stage: int, now: int) -> StageUnderWay:
        problem, fleet, parts = self.fleet.problem, self.fleet, self.fleet.parts[stage]
        policy, cap = problem.policy[stage], int(problem.tasks_at_once[stage])
        order = [group for part in parts for group in part.groups]
        order.sort()
        if policy is Policy.LONGEST_FIRST:
            order.sort(key=lambda group: -fleet.shortest[group])
        rank = {group: place for place, group in enumerate(order)}
        queues: list[Queue] = []
        for part in parts:
            rows = [[group, fleet.count[group]] for group in sorted(part.groups, key=rank.__getitem__)]
            queues += self._block_queues(part, rows, cap) if policy is Policy.BLOCKS else [Queue(part, rows)]
        return StageUnderWay(
            index=stage,
            cap=cap,
            left=sum(fleet.count[group] for group in order),
            queues=queues,
            in_blocks=policy is Policy.BLOCKS,
            rank=rank,
            cards_only=all(part.cards for part in parts),
            part_count=len(parts),
            models=frozenset(model for part in parts for model in part.models),
            areas={part.models: fleet.areas(stage, part.models) for part in parts if part.cards},
            end_ms=now,
        )

    def _block_queues(self, part: Part, rows: list[list[int]], cap: int) -> list[Queue]:
        if part.cards == 0:
            return [Queue(part, rows)]
        slots = self.fleet.slots(part)[: None if cap == UNLIMITED else cap]
        shares = blocks([count for _, count in rows], len(slots))
        return [
            Queue(part, [[rows[row][0], count] for row, count in share], slot)
            for slot, share in zip(slots, shares, strict=True)
            if share
        ]

    # Who takes it.

    def _serve(self, now: int) -> None:
        others = sum(not state.cards_only for state in self._waiting)
        exhausted = False
        is_first = True
        for state in self._waiting:
            if self._free_count == 0 and state.cards_only:
                if others == 0:
                    break
                is_first = False
                continue
            if not ((is_first or not state.models) and self._place_ahead(state, now)):
                self._place_each(state, now)
            if state.left == 0:
                exhausted = True
                heapq.heappush(self._stages_due, (state.end_ms, state.index))
            else:
                is_first = False
        if exhausted:
            self._waiting = [state for state in self._waiting if state.left]

    def _place_each(self, state: StageUnderWay, now: int) -> None:
        """Start now whatever can start now, in list order."""
        no_cards: set[int] = set()
        no_units: set[int] = set()
        full: set[int] = set()  # queues of blocks whose own cards are taken
        while state.left and (state.cap == UNLIMITED or state.running < state.cap):
            number = self._next_queue(state, no_cards, no_units, full)
            if number < 0:
                return
            queue = state.queues[number]
            group, part = queue.group, queue.part
            lacking = [one for one, need, _ in self.fleet.needs[group] if need > self._free_units[one]]
            if lacking:
                no_units.update(lacking)
            elif part.cards == 0:
                self._start(state, queue, Slot(0, (), now), now, self._how_many(state, queue))
            elif queue.slot is not None:
                if not all(self._is_free[card] for card in queue.slot.cards):
                    full.add(number)
                elif part.resources or (state.cap != UNLIMITED and state.part_count > 1):
                    self._start(state, queue, queue.slot, now, 1)
                else:
                    self._place_block(state, queue, queue.slot, now)
            else:
                slot = self._free_slot(state, part, group, now)
                if slot is None:
                    no_cards.update(part.models)
                else:
                    self._start(state, queue, slot, now, 1)

    def _next_queue(
        self, state: StageUnderWay, no_cards: set[int], no_units: set[int], full: set[int]
    ) -> int:
        """Return the queue whose head comes first in the list and waits behind no other; -1 if none."""
        best, chosen = -1, -1
        for number, queue in enumerate(state.queues):
            if queue.is_empty or number in full:
                continue
            part = queue.part
            if (no_units and part.resources & no_units) or (no_cards and part.models & no_cards):
                continue
            place = state.rank[queue.group]
            if chosen < 0 or place < best:
                best, chosen = place, number
        return chosen

    def _how_many(self, state: StageUnderWay, queue: Queue) -> int:
        """Return how many equal tasks off the cards can start together now."""
        count = queue.rows[queue.at][1]
        if state.cap != UNLIMITED:
            count = min(count, state.cap - state.running)
        for resource, need, _ in self.fleet.needs[queue.group]:
            count = min(count, self._free_units[resource] // need)
        return count

    def _free_slot(self, state: StageUnderWay, part: Part, group: int, now: int) -> Slot | None:
        """Return the free cards that end the task soonest, then the lowest; None if too few are free."""
        row = self.fleet.duration[group]
        best: tuple[int, int] | None = None
        chosen: Area | None = None
        for area in state.areas[part.models]:
            free = [self._free[pool] for pool in area.pools if self._free[pool]]
            if sum(map(len, free)) < part.cards:
                continue
            key = (row[area.model], min(cards[0] for cards in free))
            if best is None or key < best:
                best, chosen = key, area
        if chosen is None:
            return None
        if len(chosen.pools) == 1:
            cards = self._free[chosen.pools[0]][: part.cards]
        else:
            cards = sorted(card for pool in chosen.pools for card in self._free[pool])[: part.cards]
        return Slot(chosen.model, tuple(cards), now)

    # Placing one by one.

    def _start(self, state: StageUnderWay, queue: Queue, slot: Slot, now: int, count: int) -> None:
        """Start `count` tasks of the queue's head at once: more than one only off the cards."""
        group = queue.group
        duration = self.fleet.duration[group][slot.model]
        self._add_run(state, group, slot, now, duration, count, together=not slot.cards)
        queue.take(count)
        self._occupy(slot.cards, now + duration)
        for resource, need, hold in self.fleet.needs[group]:
            held = held_ms(hold, duration)
            if held:
                self._free_units[resource] -= need * count
                heapq.heappush(self._units_due, (now + held, resource, need * count))
                self.used[resource] += [(now, need * count), (now + held, -need * count)]
        if state.cap != UNLIMITED:
            state.running += count
            heapq.heappush(self._tasks_due, (now + duration, state.index, count))

    def _place_block(self, state: StageUnderWay, queue: Queue, slot: Slot, now: int) -> None:
        """Place the whole block: it was given to this slot beforehand, whatever the others do."""
        cards, model, durations, runs = slot.cards, slot.model, self.fleet.duration, self.runs
        group, count = queue.rows[queue.at]
        self._add_run(state, group, slot, now, durations[group][model], count)
        end = now + durations[group][model] * count
        left = state.left
        for group, count in queue.rows[queue.at + 1 :]:  # other groups: none joins the run before it
            duration = durations[group][model]
            runs.append(Run(group, cards, end, duration, count, duration))
            left -= count
            end += duration * count
        state.left = left
        state.end_ms = max(state.end_ms, end)
        self._last_run[cards[0]] = len(runs) - 1
        queue.at = len(queue.rows)
        self._occupy(cards, end)

    def _occupy(self, cards: Sequence[int], until: int) -> None:
        for card in cards:
            if self._is_free[card]:
                pool = self._free[self.fleet.pool_of_card[card]]
                del pool[bisect_left(pool, card)]
                self._is_free[card] = False
                self._free_count -= 1
            self._free_at[card] = until
            heapq.heappush(self._cards_due, (until, card))

    def _add_run(
        self,
        state: StageUnderWay,
        group: int,
        slot: Slot,
        start: int,
        duration: int,
        count: int,
        together: bool = False,
    ) -> None:
        cards = slot.cards
        state.left -= count
        state.end_ms = max(state.end_ms, start + duration * (1 if together else count))
        if self.stage_start_ms[state.index] < 0 or start < self.stage_start_ms[state.index]:
            self.stage_start_ms[state.index] = start
        if cards:
            last = self._last_run.get(cards[0], -1)
            if last >= 0:
                run = self.runs[last]
                follows = run.start_ms + run.tasks * run.duration_ms == start
                if follows and run.group == group and run.cards == cards and run.duration_ms == duration:
                    self.runs[last] = Run(group, cards, run.start_ms, duration, run.tasks + count, duration)
                    return
            self._last_run[cards[0]] = len(self.runs)
        self.runs.append(Run(group, cards, start, duration, count, 0 if together else duration))

    # Placing ahead.

    def _place_ahead(self, state: StageUnderWay, now: int) -> bool:
        """Place by arithmetic what starts before anything can interfere; False if that is not possible."""
        queue = state.queues[0]
        part = queue.part
        if state.in_blocks or len(state.queues) > 1 or state.left == 1:
            return False
        if part.resources or (part.cards > 1 and not self._is_undisturbed(state)):
            return self._place_counted(state, queue, now)
        if part.cards == 0:
            if state.cap == UNLIMITED or state.cap >= state.left or state.running:
                return False
            stations = [Slot(0, (), now)] * state.cap
            self._place_list(state, queue, stations, FOREVER)
            return True
        until = self._stages_due[0][0] if self._stages_due else FOREVER
        if until <= now + self.fleet.shortest[queue.group] or not self._is_undisturbed(state):
            return False
        slots = list(self.fleet.slots_when(part, [max(now, free) for free in self._free_at]))
        if 0 <= state.cap < len(slots):
            if until < FOREVER or state.running:
                return False
            slots = sorted(slots, key=lambda slot: (self._speed_key(part, slot), slot.ready_ms))[: state.cap]
        self._place_list(state, queue, slots, until)
        return True

    def _place_counted(self, state: StageUnderWay, queue: Queue, now: int) -> bool:
        """Place all tasks of a stage whose resources nobody else will want before it ends; False if not sure.

        A resource is so many turns, each free at a known moment: the task that starts as the i-th takes the
        i-th slot and the i-th turn of each resource, and the next task on the slot follows with both.
        """
        turns = None if self._is_overtaken(state) else self._turns(state, queue, now)
        if turns is None:
            return False
        at_once = min((len(column) for column in turns.values()), default=state.left)
        wide = queue.part.cards
        reach = min(at_once, self.fleet.problem.card_count // wide) if wide else at_once
        # A cap above what resources and cards let run together holds nothing back.
        if 0 <= state.cap < reach and (state.running or wide):
            return False
        if queue.part.cards == 0:
            if state.cap != UNLIMITED:
                at_once = min(at_once, state.cap)
            if at_once >= state.left:
                return False
            slots = [Slot(0, (), now)] * at_once
        else:
            slots = self._slots_in_turn(state, queue, now, at_once)
        columns = zip(*(column[: len(slots)] for column in turns.values()), strict=True)
        waits = [max(one) for one in columns] if turns else [now] * len(slots)
        if not slots or not (
            queue.part.cards == 0
            or self._is_undisturbed(state)
            or all(wait <= slot.ready_ms for wait, slot in zip(waits, slots, strict=True))
        ):
            return False
        slots = [
            Slot(slot.model, slot.cards, max(wait, slot.ready_ms))
            for slot, wait in zip(slots, waits, strict=True)
        ]
        needs = self.fleet.needs[queue.group]
        ends = self._place_list(state, queue, slots, FOREVER)
        for resource, need, _ in needs:
            for slot, end in zip(slots, ends, strict=True):
                if end > slot.ready_ms:
                    self.used[resource] += [(slot.ready_ms, need), (end, -need)]
            if resource in turns:
                self._give_back(resource, need, now, [*ends, *turns[resource][len(ends) :]])
        return True

    def _is_overtaken(self, state: StageUnderWay) -> bool:
        """Whether a stage that is served before this one may want its cards, or its resources, before it ends."""
        mine = state.queues[0].part
        limited = {one for one in mine.resources if self._capacity[one] < FOREVER}
        for stage, parts in enumerate(self.fleet.parts):
            other = self._begun.get(stage)
            if self._key[stage] >= self._key[state.index] or (other is not None and other.left == 0):
                continue
            for part in parts:
                if part.resources & limited or (other is None and part.cards and mine.cards):
                    return True
        return False

    def _turns(self, state: StageUnderWay, queue: Queue, now: int) -> dict[int, list[int]] | None:
        """Return when each turn of each limited resource is free, rising; None where tasks differ in what they hold."""
        fleet = self.fleet
        shape = [(one, need) for one, need, _ in fleet.needs[queue.group]]
        for group, _ in queue.rows[queue.at :]:
            needs = fleet.needs[group]
            longest = max(fleet.duration[group][model] for model in queue.part.models or (0,))
            if [(one, need) for one, need, _ in needs] != shape or not all(
                hold == WHOLE_TASK or hold >= longest for _, _, hold in needs
            ):
                return None
        turns: dict[int, list[int]] = {}
        for resource, need in shape:
            if self._capacity[resource] == FOREVER:
                continue
            free = [now] * (self._free_units[resource] // need)
            for due, one, units in self._units_due:
                if one == resource:
                    if units % need:
                        return None
                    free += [due] * (units // need)
            turns[resource] = sorted(free)
        return turns

    def _slots_in_turn(self, state: StageUnderWay, queue: Queue, now: int, at_once: int) -> list[Slot]:
        """Return the slots that are free first, as many as can be used at once; none where it matters which."""
        part = queue.part
        slots = self.fleet.slots_when(part, [max(now, free) for free in self._free_at])
        others = any(other is not state and other.left for other in self._waiting)
        if len({self._speed_key(part, slot) for slot in slots}) > 1:
            return []
        chosen = sorted(slots, key=lambda slot: (slot.ready_ms, slot.cards))[:at_once]
        if part.cards > 1 and others and any(slot.ready_ms > now for slot in chosen):
            return []
        return chosen

    def _give_back(self, resource: int, need: int, now: int, free_at: Sequence[int]) -> None:
        """Set when each turn of a resource is free."""
        self._units_due[:] = [one for one in self._units_due if one[1] != resource]
        later = [moment for moment in free_at if moment > now]
        self._units_due += [(moment, resource, need) for moment in later]
        heapq.heapify(self._units_due)
        self._free_units[resource] = self._capacity[resource] - need * len(later)

    def _is_undisturbed(self, state: StageUnderWay) -> bool:
        """Whether no other waiting stage can start anything before this one has started its last task."""
        others = (other for other in self._waiting if other is not state and other.left)
        if state.queues[0].part.cards > 1:
            return next(others, None) is None
        # A cap that all cards together cannot reach holds nothing back.
        is_free = state.cap == UNLIMITED or state.cap >= self.fleet.problem.card_count
        return is_free and all(other.cards_only and other.models <= state.models for other in others)

    def _speed_key(self, part: Part, slot: Slot) -> int:
        return sum(self.fleet.count[group] * self.fleet.duration[group][slot.model] for group in part.groups)

    def _place_list(self, state: StageUnderWay, queue: Queue, slots: Sequence[Slot], until: int) -> list[int]:
        """Place the queue's tasks that start before `until`; return when each slot is free."""
        fleet = self.fleet
        ready = [slot.ready_ms for slot in slots]
        model = [slot.model for slot in slots]
        before = list(ready)
        while not queue.is_empty:
            group, count = queue.rows[queue.at]
            if count > _FEW_TASKS * len(slots):
                durations = [fleet.duration[group][number] for number in model]
                shares = share_equal(ready, durations, count, until)
                for number, share in enumerate(shares):
                    if share:
                        self._add_run(state, group, slots[number], ready[number], durations[number], share)
                        ready[number] += share * durations[number]
                queue.take(sum(shares))
                if sum(shares) < count:
                    break
                continue
            few = queue.few_tasks(_FEW_TASKS * len(slots))
            rows = (fleet.duration[group] for group in few)
            placed = 0
            for number, start in hand_out(ready, model, rows, until):
                group = few[placed]
                self._add_run(state, group, slots[number], start, fleet.duration[group][model[number]], 1)
                queue.take(1)
                placed += 1
                self._go_on()
            if placed < len(few):
                break
        for slot, was, free in zip(slots, before, ready, strict=True):
            if free > was:
                self._occupy(slot.cards, free)
        return ready
