"""List scheduling with hours, cards that leave and tasks that wait one by one: equal tasks start in batches.

At each moment something ends or opens, the waiting stages take what is free: by priority, then by longest tail.
Within a stage its policy decides; a task that lacks cards or units keeps those behind it that want the same,
one that no longer fits into the hours or the rental lets them pass. Deterministic. No bounds here.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

from estimator.schedule.bursts import Burst, Bursts
from estimator.schedule.calendars import Calendar, Calendars
from estimator.schedule.fleet import Fleet, Slot
from estimator.schedule.network import successors
from estimator.schedule.problem import (
    FOREVER,
    UNLIMITED,
    WHOLE_TASK,
    Cancelled,
    SolveStopped,
    never,
)
from estimator.schedule.schedule import Run
from estimator.schedule.streams import Span, Streams
from estimator.schedule.waiting import Line, Lines, Row, Waiting

_ASK_EVERY = 512

_Key = tuple[int, int, int, int]


@dataclass(slots=True)
class _Pool:
    """Free cards, rising, that are alike in model, place, hours and rental."""

    model: int
    calendar: int
    until: int
    free: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Batch:
    """Equal tasks that start and end together."""

    stage: Waiting
    first: int
    count: int
    cards: list[int]
    units: tuple[tuple[int, int], ...]
    pool: int
    """Where all the cards belong; -1: they belong to several."""


class Timed:
    """One pass over a problem; `run()` fills `runs`, `stage_start_ms`, `stage_end_ms`, `used` and `blocked`.

    `rank` puts the groups of the stages to search in another order; `first` puts stages of one priority in one.
    """

    def __init__(
        self,
        fleet: Fleet,
        keys: Sequence[_Key],
        cancelled: Cancelled = never,
        rank: Sequence[int] | None = None,
    ) -> None:
        problem = fleet.problem
        self.fleet = fleet
        self.runs: list[Run] = []
        self.used: list[list[tuple[int, int]]] = [[] for _ in problem.capacity]
        self.stage_start_ms = [-1] * problem.stage_count
        self.stage_end_ms = [0] * problem.stage_count
        self.blocked: tuple[tuple[int, str], ...] = ()
        self._cancelled = cancelled
        self._keys = keys
        self._done = 0
        self._started = 0
        self._calendars = Calendars(problem.when)
        self._tasks_in = problem.tasks_in()
        self._streams = Streams(problem.when.streams, self._tasks_in)
        self._wait_for_stages()
        self._make_pools()
        self._lines = Lines(fleet, self._pool_of_card, rank)
        self._free_units = [FOREVER if one == UNLIMITED else one for one in problem.capacity.tolist()]
        self._seq = count()
        self._due: list[tuple[int, int, str, object]] = []
        self._waiting: list[Waiting] = []
        self._ready_early: dict[int, list[Span]] = {}
        self._begun: dict[int, Waiting] = {}
        self._bursts = Bursts()
        self._opens = self._openings()
        self._tick_due = False

    def _wait_for_stages(self) -> None:
        """Count for each stage those it waits for as a whole; tasks that wait one by one are not held back."""
        problem = self.fleet.problem
        whole = problem.after + tuple(
            link for link in problem.when.streams if not all(self._tasks_in[end] for end in link)
        )
        self._following = successors(problem.stage_count, whole)
        self._open_before = [0] * problem.stage_count
        for stages in self._following:
            for later in stages:
                self._open_before[later] += 1

    def _make_pools(self) -> None:
        fleet, problem = self.fleet, self.fleet.problem
        calendars = problem.when.filled("card_calendar", problem.card_count)
        until = problem.when.filled("card_until_ms", problem.card_count)
        number: dict[tuple[int, int, int], int] = {}
        self._pools: list[_Pool] = []
        self._pool_of_card: list[int] = []
        for card, place in enumerate(fleet.pool_of_card):
            key = (place, calendars[card], until[card])
            if key not in number:
                number[key] = len(self._pools)
                leaves = FOREVER if until[card] < 0 else until[card]
                self._pools.append(_Pool(int(problem.card_model[card]), calendars[card], leaves))
            self._pool_of_card.append(number[key])

    def _openings(self) -> list[int]:
        when = self.fleet.problem.when
        used = {int(one) for column in (when.stage_calendar, when.card_calendar) for one in column}
        return sorted({begin for one in used if one >= 0 for begin, _ in when.calendars[one]})

    def _next_opening(self, now: int) -> int:
        period = self.fleet.problem.when.period_ms
        turn, within = divmod(now, period)
        place = bisect_right(self._opens, within)
        return turn * period + (self._opens[place] if place < len(self._opens) else period + self._opens[0])

    # What ends and what opens.

    def run(self) -> None:
        """Place every task, or name in `blocked` the groups that never find a place."""
        for stage, open_before in enumerate(self._open_before):
            if open_before == 0:
                self._push(int(self.fleet.problem.release_ms[stage]), "stage", stage)
        for card, ready in enumerate(self.fleet.ready):
            self._push(ready, "cards", [card])
        idle = 0
        while self._due:
            now = self._due[0][0]
            started = self._started
            only_ticks = True
            while self._due and self._due[0][0] <= now:
                _, _, kind, payload = heapq.heappop(self._due)
                only_ticks = only_ticks and kind == "tick"
                self._take_place(kind, payload, now)
            self._serve(now)
            if not self._waiting:
                continue
            idle = idle + 1 if only_ticks and self._started == started and not self._due else 0
            if self._opens and not self._tick_due and idle <= 2 * len(self._opens):
                self._tick_due = True
                self._push(self._next_opening(now), "tick", None)
        if self._waiting:
            self._name_blocked()
        self.runs = self._bursts.runs()

    def _push(self, moment: int, kind: str, payload: object) -> None:
        heapq.heappush(self._due, (moment, next(self._seq), kind, payload))

    def _take_place(self, kind: str, payload: object, now: int) -> None:
        self._done += 1
        if self._done % _ASK_EVERY == 0 and self._cancelled():
            raise SolveStopped
        if isinstance(payload, _Batch):
            self._end(payload, now)
        elif isinstance(payload, list):
            self._free_cards(payload)
        elif isinstance(payload, tuple):
            resource, units = payload
            self._free_units[resource] += units
        elif kind == "tick":
            self._tick_due = False
        elif isinstance(payload, int):
            self._begin(payload, now)

    def _free_cards(self, cards: list[int]) -> None:
        touched = set()
        for card in cards:
            number = self._pool_of_card[card]
            self._pools[number].free.append(card)
            touched.add(number)
        for number in touched:
            self._pools[number].free.sort()

    def _end(self, batch: _Batch, now: int) -> None:
        stage = batch.stage
        if batch.pool >= 0:
            free = self._pools[batch.pool].free
            free += batch.cards
            free.sort()
        elif batch.cards:
            self._free_cards(batch.cards)
        for resource, units in batch.units:
            self._free_units[resource] += units
        stage.running -= batch.count
        stage.not_ended -= batch.count
        for later, span in self._streams.ended(stage.index, batch.first, batch.first + batch.count):
            if later in self._begun:
                self._begun[later].add_ready(span)
            else:
                self._ready_early.setdefault(later, []).append(span)
        if stage.not_ended == 0:
            self._end_stage(stage.index, now)

    def _end_stage(self, stage: int, now: int) -> None:
        self.stage_end_ms[stage] = now
        for later in self._following[stage]:
            self._open_before[later] -= 1
            if self._open_before[later] == 0:
                self._push(max(now, int(self.fleet.problem.release_ms[later])), "stage", later)

    def _begin(self, index: int, now: int) -> None:
        problem = self.fleet.problem
        total = self._tasks_in[index]
        if total == 0:
            self.stage_start_ms[index] = now
            self._end_stage(index, now)
            return
        when = problem.when
        stage = Waiting(
            index=index,
            cap=int(problem.tasks_at_once[index]),
            left=total,
            not_ended=total,
            lines=self._lines.lines(index),
            calendar=when.filled("stage_calendar", problem.stage_count)[index],
            pauses=bool(when.filled("may_pause", problem.stage_count)[index]),
            numbered=self._streams.numbered(index),
        )
        stage.row_starts = sorted(
            (row.first, at, place)
            for at, line in enumerate(stage.lines)
            for place, row in enumerate(line.rows)
        )
        self._begun[index] = stage
        self._waiting.append(stage)
        self._waiting.sort(key=lambda one: self._keys[one.index])
        spans = self._ready_early.pop(index, []) if self._streams.waits(index) else [(0, total)]
        for span in spans:
            stage.add_ready(span)

    # Who takes what is free.

    def _serve(self, now: int) -> None:
        for stage in self._waiting:
            self._serve_stage(stage, now)
        if any(stage.left == 0 for stage in self._waiting):
            self._waiting = [stage for stage in self._waiting if stage.left]

    def _serve_stage(self, stage: Waiting, now: int) -> None:
        no_units: set[int] = set()
        no_cards: set[int] = set()
        shut: set[int] = set()
        aside: list[tuple[Line, tuple[int, int]]] = []
        while stage.left and (stage.cap == UNLIMITED or stage.running < stage.cap):
            at = self._next_line(stage, no_units, no_cards, shut)
            if at < 0:
                break
            line = stage.lines[at]
            row = line.rows[line.heads[0][1]]
            lacking = [one for one, need, _ in self.fleet.needs[row.group] if need > self._free_units[one]]
            if lacking:
                no_units.update(lacking)
                continue
            chosen = self._choose(stage, line, row, now)
            if chosen is not None:
                self._start(stage, line, row, now, *chosen)
            elif line.slot is not None:
                shut.add(at)
            elif line.part.cards and not self._enough_free(line):
                no_cards.update(line.part.models)
            else:  # hours or a rental are in the way: others may pass
                aside.append((line, heapq.heappop(line.heads)))
        for line, head in aside:
            heapq.heappush(line.heads, head)

    def _next_line(self, stage: Waiting, no_units: set[int], no_cards: set[int], shut: set[int]) -> int:
        best, chosen = -1, -1
        for at, line in enumerate(stage.lines):
            if not line.heads or at in shut:
                continue
            part = line.part
            if (no_units and part.resources & no_units) or (
                no_cards and part.models & no_cards and line.slot is None
            ):
                continue
            if chosen < 0 or line.heads[0][0] < best:
                best, chosen = line.heads[0][0], at
        return chosen

    def _enough_free(self, line: Line) -> bool:
        wanted = line.part.cards
        return any(sum(len(self._pools[pool].free) for pool in area) >= wanted for area in line.areas)

    def _choose(
        self, stage: Waiting, line: Line, row: Row, now: int
    ) -> tuple[int, int, list[int], Calendar | None] | None:
        """Return (end, tasks, cards, hours) of what starts now from the row's first ready span."""
        part = line.part
        most = min(row.ready[0][1] - row.ready[0][0], self._most(stage, row.group))
        durations = self.fleet.duration[row.group]
        if part.cards == 0:
            hours = self._calendars.common((stage.calendar,))
            end = _end(hours, now, durations[0], stage.pauses)
            return None if end < 0 else (end, most, [], hours)
        if line.slot is not None:
            return self._on_slot(stage, line.slot, durations, now)
        best: tuple[int, int] | None = None
        found: tuple[int, int, list[int], Calendar | None] | None = None
        for area in line.areas:
            if part.cards == 1:
                for number in area:
                    pool = self._pools[number]
                    if not pool.free or (best is not None and now + durations[pool.model] > best[0]):
                        continue
                    hours = self._calendars.common((stage.calendar, pool.calendar))
                    end = _end(hours, now, durations[pool.model], stage.pauses)
                    if 0 <= end <= pool.until and (best is None or (end, pool.free[0]) < best):
                        best, found = (end, pool.free[0]), (end, most, pool.free[:most], hours)
                continue
            wide = self._on_area(stage, part.cards, area, durations, now)
            if wide is not None and (best is None or (wide[0], wide[2][0]) < best):
                best, found = (wide[0], wide[2][0]), wide
        if found is None:
            return None
        end, _, cards, hours = found
        return end, len(cards) if part.cards == 1 else 1, cards, hours

    def _on_area(
        self, stage: Waiting, wanted: int, area: Sequence[int], durations: Sequence[int], now: int
    ) -> tuple[int, int, list[int], Calendar | None] | None:
        """Return the lowest free cards of an area on which one task fits by itself and together."""
        free: list[int] = []
        for number in area:
            pool = self._pools[number]
            hours = self._calendars.common((stage.calendar, pool.calendar))
            if 0 <= _end(hours, now, durations[pool.model], stage.pauses) <= pool.until:
                free += pool.free
        if len(free) < wanted:
            return None
        cards = sorted(free)[:wanted]
        return self._together(stage, cards, durations, now)

    def _on_slot(
        self, stage: Waiting, slot: Slot, durations: Sequence[int], now: int
    ) -> tuple[int, int, list[int], Calendar | None] | None:
        for card in slot.cards:
            free = self._pools[self._pool_of_card[card]].free
            place = bisect_left(free, card)
            if place == len(free) or free[place] != card:
                return None
        return self._together(stage, list(slot.cards), durations, now)

    def _together(
        self, stage: Waiting, cards: list[int], durations: Sequence[int], now: int
    ) -> tuple[int, int, list[int], Calendar | None] | None:
        pools = [self._pools[self._pool_of_card[card]] for card in cards]
        hours = self._calendars.common((stage.calendar, *(pool.calendar for pool in pools)))
        end = _end(hours, now, durations[pools[0].model], stage.pauses)
        if end < 0 or end > min(pool.until for pool in pools):
            return None
        return end, 1, cards, hours

    def _most(self, stage: Waiting, group: int) -> int:
        most = FOREVER if stage.cap == UNLIMITED else stage.cap - stage.running
        for resource, need, _ in self.fleet.needs[group]:
            most = min(most, self._free_units[resource] // need)
        return most

    def _start(
        self,
        stage: Waiting,
        line: Line,
        row: Row,
        now: int,
        end: int,
        number: int,
        cards: list[int],
        hours: Calendar | None,
    ) -> None:
        first, last = row.ready[0]
        if first + number == last:
            row.ready.pop(0)
            if not row.ready:
                heapq.heappop(line.heads)
        else:
            row.ready[0] = (first + number, last)
        pool = -1
        if cards and line.part.cards == 1 and line.slot is None:  # the lowest of one pool
            pool = self._pool_of_card[cards[0]]
            del self._pools[pool].free[:number]
        else:
            for card in cards:
                free = self._pools[self._pool_of_card[card]].free
                del free[bisect_left(free, card)]
        self._started += 1
        stage.left -= number
        stage.running += number
        if self.stage_start_ms[stage.index] < 0:
            self.stage_start_ms[stage.index] = now
        units = self._hold(row.group, now, end, number, hours)
        self._push(end, "end", _Batch(stage, first, number, cards, units, pool))
        within = first - self._lines.first_of_group[row.group] if stage.numbered else -1
        self._bursts.add(Burst(row.group, line.part.cards, now, end - now, number, cards, within))

    def _hold(
        self, group: int, now: int, end: int, number: int, hours: Calendar | None
    ) -> tuple[tuple[int, int], ...]:
        """Take the units and return those that are let go at the end."""
        whole = []
        for resource, need, hold in self.fleet.needs[group]:
            until = end
            if hold != WHOLE_TASK:
                until = now + hold if hours is None else hours.paused_end(now, hold)
                until = min(end, until)
            if until <= now:
                continue
            units = need * number
            self._free_units[resource] -= units
            self.used[resource] += [(now, units), (until, -units)]
            if until == end:
                whole.append((resource, units))
            else:
                self._push(until, "units", (resource, units))
        return tuple(whole)

    def _name_blocked(self) -> None:
        """Name the groups that wait in vain: for hours that never come or cards that have left."""
        problem = self.fleet.problem
        leaves = problem.when.filled("card_until_ms", problem.card_count)
        model = problem.card_model.tolist()
        found = []
        for stage in self._waiting:
            for line in stage.lines:
                left = any(
                    until >= 0 and model[card] in line.part.models for card, until in enumerate(leaves)
                )
                code = "outruns_rental" if line.part.cards and left else "no_hours_long_enough"
                found += [(row.group, code) for row in line.rows if row.ready]
        self.blocked = tuple(sorted(set(found)))


def _end(hours: Calendar | None, now: int, length: int, pauses: bool) -> int:
    """Return when a task that starts now ends, -1 where it cannot start now."""
    return now + length if hours is None else hours.end(now, length, pauses)
