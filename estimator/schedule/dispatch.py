"""Serving waiting tasks by rank whenever something ends: one plan for one order of all tasks, nothing decided.

What is free of every capacity is one integer with a guard bit above each field, so that whether a task fits is
one subtraction. A task of high rank that does not fit lets others pass.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from estimator.schedule.counted import Counted

_CARDS = -1
"""In place of a kind: something is set up or let go before its task's end."""
STEPS_A_TASK = 3


@dataclass(slots=True)
class _Pass:
    """One pass under way."""

    queues: list[list[int]]
    """[k] tasks still to start, the most urgent last."""
    rank: list[int]
    free: int
    left: list[int]
    """[s] tasks that have not ended."""
    waits_for: list[int]
    due: list[tuple[int, int, int]]
    opening: list[tuple[int, int]]
    waiting: list[int]
    """Kinds with tasks that may start."""
    starts: list[int]
    end: int = 0


class Dispatch:
    """One counted problem made ready for many passes; `steps` is what they cost, of about a microsecond."""

    def __init__(self, view: Counted) -> None:
        self.view = view
        self.steps = 0
        self._lay_out_fields()
        first = [view.kind.index(kind) for kind in range(len(view.stage_of_kind))]
        self._needs = [
            sum(amount << self._shift[number] for number, amount, _ in view.needs[task]) for task in first
        ]
        parts = [self._hold_parts(task) for task in first]
        self._whole = [whole for whole, _ in parts]
        self._before_end = [before for _, before in parts]
        self._kinds_of: list[list[int]] = [[] for _ in view.release]
        for kind, stage in enumerate(view.stage_of_kind):
            self._kinds_of[stage].append(kind)

    def run(self, order: Sequence[int]) -> tuple[int, list[int]]:
        """Return the delivery and the start of each task. `order` lists all tasks, the most urgent first."""
        self.steps += len(order) * STEPS_A_TASK
        state = self._begin(order)
        due, opening = state.due, state.opening
        while due or opening:
            if not opening or (due and due[0][0] < opening[0][0]):
                now = due[0][0]
            else:
                now = opening[0][0]
            ended = self._release(state, now)
            if ended or opening:
                self._open(state, now, ended)
            if state.waiting:
                self._serve(state, now)
        return state.end, state.starts

    def _begin(self, order: Sequence[int]) -> _Pass:
        view = self.view
        queues: list[list[int]] = [[] for _ in self._needs]
        rank = [0] * len(order)
        for place in range(len(order) - 1, -1, -1):
            task = order[place]
            rank[task] = place
            queues[view.kind[task]].append(task)
        waits_for = [len(one) for one in view.before]
        opening = [(view.release[stage], stage) for stage, count in enumerate(waits_for) if count == 0]
        heapq.heapify(opening)
        return _Pass(
            queues=queues,
            rank=rank,
            free=self._full,
            left=list(view.tasks_in),
            waits_for=waits_for,
            due=[(ready, _CARDS, 1) for ready in view.cards_ready],  # rising, so a heap; cards are field 0
            opening=opening,
            waiting=[],
            starts=[0] * len(order),
        )

    def _release(self, state: _Pass, now: int) -> list[int]:
        """Free what is due and return the stages whose last task has ended."""
        due, left, ended, free = state.due, state.left, [], state.free
        while due and due[0][0] == now:
            _, kind, amount = heapq.heappop(due)
            if kind == _CARDS:
                free += amount
                continue
            free += self._whole[kind]
            stage = self.view.stage_of_kind[kind]
            left[stage] -= 1
            if left[stage] == 0:
                ended.append(stage)
        state.free = free
        return ended

    def _open(self, state: _Pass, now: int, ended: list[int]) -> None:
        """Let the stages begin that nothing holds back any more; one without tasks ends at once."""
        view, opening = self.view, state.opening
        while True:
            while opening and opening[0][0] <= now:
                stage = heapq.heappop(opening)[1]
                state.waiting += self._kinds_of[stage]
                if view.tasks_in[stage] == 0:
                    ended.append(stage)
            if not ended:
                return
            state.end = max(state.end, now)
            for later in view.after[ended.pop()]:
                state.waits_for[later] -= 1
                if state.waits_for[later] == 0:
                    heapq.heappush(opening, (max(now, view.release[later]), later))

    def _serve(self, state: _Pass, now: int) -> None:
        """Start whatever fits, by rank."""
        needs, guard, queues, rank = self._needs, self._guard, state.queues, state.rank
        due, duration, free = state.due, self.view.duration, state.free
        heads = [
            (rank[queues[kind][-1]], kind) for kind in state.waiting if (free - needs[kind]) & guard == guard
        ]
        heapq.heapify(heads)
        while heads:
            kind = heads[0][1]
            if (free - needs[kind]) & guard != guard:
                heapq.heappop(heads)
                continue
            queue = queues[kind]
            task = queue.pop()
            state.starts[task] = now
            free -= needs[kind]
            heapq.heappush(due, (now + duration[task], kind, 0))
            for held, amount in self._before_end[kind]:
                heapq.heappush(due, (now + held, _CARDS, amount))
            if queue:
                heapq.heapreplace(heads, (rank[queue[-1]], kind))
            else:
                heapq.heappop(heads)
                state.waiting.remove(kind)
        state.free = free

    def _lay_out_fields(self) -> None:
        """Give each capacity its field: as many bits as it needs and a guard above. No card is set up yet."""
        self._shift: list[int] = []
        self._guard = self._full = 0
        at = 0
        for number, capacity in enumerate(self.view.capacity):
            self._shift.append(at)
            self._full += capacity << at if number else 0
            at += capacity.bit_length()
            self._guard |= 1 << at
            at += 1
        self._full |= self._guard

    def _hold_parts(self, task: int) -> tuple[int, list[tuple[int, int]]]:
        """Return what a task of the kind frees at its end, and (time held, what) of what it frees before."""
        whole, before = 0, []
        for number, amount, held in self.view.needs[task]:
            if held == self.view.duration[task]:
                whole += amount << self._shift[number]
            else:
                before.append((held, amount << self._shift[number]))
        return whole, before
