"""Independent tasks on unlike slots: other models, other set-up times. Moves and exchanges with the last slot.

A task of the slot that ends last goes to another slot, or changes places with one of its tasks, where that makes
the two end sooner. Where nothing does, tasks change places at random (a fixed seed) and it is tried again. Equal
slots have the exact re-balancing instead.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from estimator.schedule.problem import Cancelled, Column, SolveStopped

IMPOSSIBLE = 2**50
"""In place of the time of a task on a slot that it cannot use."""
BARREN = 30
"""After so many looks in vain some tasks may move so that the last slot ends later."""
WEIGHT_TURNS = 60
HEAVIEST = 1_000
STEPS_A_UNIT = 1_000
STEPS_A_LOOK = 25
"""Cost of looking at one other slot, beside a step for each 100 pairs of tasks: about microseconds."""


def share_unlike(
    times: NDArray[np.int64], ready: Sequence[int], bound: int, effort: int, cancelled: Cancelled
) -> tuple[list[list[int]], int]:
    """Return each slot's tasks and when the last slot ends. `times` is [tasks, slots], IMPOSSIBLE where not.

    Each task must be possible on some slot. Ends at once where the bound is met. Raises SolveStopped soon after
    `cancelled` answers yes.
    """
    search = _Exchange(times, ready)
    best, tasks, barren = search.last, [list(one) for one in search.tasks], 0
    while best > bound and len(ready) > 1 and search.steps < effort * STEPS_A_UNIT:
        if cancelled():
            raise SolveStopped
        if not search.relieve():
            barren += 1
            search.shake(search.last)
            if barren % BARREN == 0:
                search.shake(2 * search.last)  # a worse plan to start from again
        if search.last < best:
            best, tasks, barren = search.last, [list(one) for one in search.tasks], 0
    return tasks, best


def weighted_bound(times: NDArray[np.int64], ready: Sequence[int], bound: int) -> int:
    """Return a moment before which no sharing ends, at least `bound`, itself such a moment.

    Where slots weigh w(s), the end T obeys T * sum w(s) >= sum w(s) * min(ready(s), bound) + the sum over the tasks
    of the least w(s) * time: the dual of the linear relaxation. Slots whose columns are equal weigh the same; a kind
    of slot that would be too busy gains weight. Any whole weights give a true bound, so rounding costs no truth.
    """
    columns, kind = np.unique(times, axis=1, return_inverse=True)
    kind = kind.reshape(-1)
    number = np.bincount(kind)
    settled = np.minimum(np.array(ready, dtype=np.int64), bound)
    begin = np.bincount(kind, weights=settled).astype(np.int64)
    weight = np.ones(len(number))
    for turn in range(WEIGHT_TURNS if len(number) > 1 else 0):
        whole = np.maximum(1, np.rint(weight / weight.max() * HEAVIEST)).astype(np.int64)
        weighed = columns * whole
        chosen = np.argmin(weighed, axis=1)
        rows = np.arange(len(columns))
        total = int(weighed[rows, chosen].sum()) + int((begin * whole).sum())
        bound = max(bound, -(-total // int((number * whole).sum())))
        load = (np.bincount(chosen, weights=columns[rows, chosen], minlength=len(number)) + begin) / number
        mean = load.mean() or 1.0
        step = 0.5 / (1 + turn / 4)
        weight = whole * np.clip(1 + step * (load / mean - 1), 0.5, 2.0)
    return bound


class _Exchange:
    """Slots with their tasks, changed in place."""

    def __init__(self, times: NDArray[np.int64], ready: Sequence[int]) -> None:
        self._times = times
        self._chance = random.Random(1)
        self.ends = list(ready)
        self.tasks: list[list[int]] = [[] for _ in ready]
        self.steps = 0.0
        for task in np.argsort(-times.min(axis=1), kind="stable").tolist():
            row = times[task].tolist()
            slot = min(range(len(row)), key=lambda one: (self.ends[one] + row[one], one))
            self.tasks[slot].append(task)
            self.ends[slot] += row[slot]

    @property
    def last(self) -> int:
        """When the last slot with tasks ends; a slot that is set up late and unused does not count."""
        return max((end for end, tasks in zip(self.ends, self.tasks, strict=True) if tasks), default=0)

    def relieve(self) -> bool:
        """Make the slot that ends last end sooner by the best exchange with the first other that helps."""
        last = self.last
        slot = next(one for one, end in enumerate(self.ends) if end == last and self.tasks[one])
        for other in sorted(range(len(self.ends)), key=self.ends.__getitem__):
            if other != slot and self._exchange(slot, other, last - 1):
                return True
        return False

    def shake(self, most: int) -> None:
        """Exchange or move a few tasks at random, none beyond `most`, so that the last slot meets others."""
        chance = self._chance
        for _ in range(4):
            self.steps += STEPS_A_LOOK
            slot, other = chance.sample(range(len(self.ends)), 2)
            if not self.tasks[slot]:
                continue
            place = chance.randrange(len(self.tasks[slot]))
            if not self.tasks[other] or chance.random() < 0.5:
                if self.ends[other] + int(self._times[self.tasks[slot][place], other]) <= most:
                    self._move(slot, other, place)
            else:
                self._swap(slot, other, place, chance.randrange(len(self.tasks[other])), most)

    def _exchange(self, slot: int, other: int, most: int) -> bool:
        """Do the exchange after which the later of the two ends soonest, if that is within `most`."""
        mine = np.array(self.tasks[slot], dtype=np.int64)
        theirs = np.array([*self.tasks[other], -1], dtype=np.int64)  # -1: nothing comes back
        self.steps += STEPS_A_LOOK + len(mine) * len(theirs) / 100
        here, there = self._on(mine, slot), self._on(mine, other)
        back, gone = self._on(theirs, slot), self._on(theirs, other)
        ends = np.maximum(
            self.ends[slot] - here[:, None] + back[None, :], self.ends[other] + there[:, None] - gone[None, :]
        )
        best = int(np.argmin(ends))
        if ends.flat[best] > most:
            return False
        place, their_place = divmod(best, len(theirs))
        if their_place < len(self.tasks[other]):
            return self._swap(slot, other, place, their_place, most)
        self._move(slot, other, place)
        return True

    def _move(self, slot: int, other: int, place: int) -> None:
        task = self.tasks[slot].pop(place)
        self.tasks[other].append(task)
        self.ends[slot] -= int(self._times[task, slot])
        self.ends[other] += int(self._times[task, other])

    def _on(self, tasks: Column, slot: int) -> Column:
        return np.where(tasks < 0, 0, self._times[tasks, slot])

    def _swap(self, slot: int, other: int, place: int, their_place: int, most: int) -> bool:
        task, back = self.tasks[slot][place], self.tasks[other][their_place]
        times = self._times
        end = self.ends[slot] + int(times[back, slot] - times[task, slot])
        other_end = self.ends[other] + int(times[task, other] - times[back, other])
        if end > most or other_end > most:
            return False
        self.tasks[slot][place], self.tasks[other][their_place] = back, task
        self.ends[slot], self.ends[other] = end, other_end
        return True
