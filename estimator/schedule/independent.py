"""Independent tasks on equal slots, near the optimum: lifted bound, longest first, exact re-balancing of two slots.

The tasks of the longest slot and another are pooled and split anew as evenly as their durations allow, by a
subset sum over the bits of one integer. Where no slot can help the longest one, other pairs are split at random
(a fixed seed, never beyond the longest) and it is tried again, as often as the effort allows. No cards, stages
or resources here.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from estimator.schedule.packing import packed
from estimator.schedule.problem import Cancelled, Column, SolveStopped, never

MOST_CELLS = 500_000
"""How many (tasks, slots) pairs the lifted bound looks at: some 10 ms."""
MOST_WORK = 2**24
"""Bits times tasks of one split: beyond, only a few of the two slots' tasks change places."""
FEW = 24
COST_OF_HALVES = 60_000
"""Cost of a split of a few tasks by halves, whatever their durations."""
PLENTY_A_SLOT = 400
"""From how many tasks a slot on longest first is within a hundredth of a per cent: nothing is worth doing."""
UNIT_OF_EFFORT = 150_000
"""Cost counted for one unit of effort, in 64-bit steps and the like: about a millisecond."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """Which slot runs each task, the time of the longest slot, and a moment before which no sharing ends."""

    slot_of: tuple[int, ...]
    longest: int
    bound: int


def share_independent(
    durations: Sequence[int], slots: int, effort: int, cancelled: Cancelled = never
) -> Sharing:
    """Return a sharing of the tasks among equal slots that are all free at 0, never worse than longest first.

    The same for the same input and effort; `effort` is about the milliseconds that it may take. Raises
    SolveStopped soon after `cancelled` answers yes.
    """
    unit = gcd(*durations) or 1
    scaled = [each // unit for each in durations]
    bound = lifted_bound(scaled, slots)
    slot_of, loads = longest_first(scaled, slots)
    if max(loads) > bound and len(scaled) <= PLENTY_A_SLOT * slots:
        balance = _Balance(scaled, slot_of, slots, cancelled)
        balance.improve(bound, effort * UNIT_OF_EFFORT)
        slot_of, loads = balance.slot_of(), balance.loads
        longest = max(loads)
        if longest > bound:
            bound, better = _prove(scaled, slots, bound, longest, effort)
            slot_of = better or slot_of
            longest = _longest(scaled, slot_of, slots)
        return Sharing(tuple(slot_of), longest * unit, bound * unit)
    return Sharing(tuple(slot_of), max(loads) * unit, bound * unit)


def lifted_bound(durations: Sequence[int] | Column, slots: int) -> int:
    """Return a moment before which no sharing ends, from the l longest tasks and some k slots, for all l and k.

    Some k slots run at least k * floor(l / m) + min(k, l mod m) of the l longest, hence at least the shortest
    such many of them. k = m is the slots' time, k = 1 the pigeon-hole.
    """
    longest = np.sort(np.array(durations, dtype=np.int64))[::-1]
    total = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(longest)))
    best = max(int(longest[0]), -(-int(total[-1]) // slots))
    last = min(len(longest), slots + MOST_CELLS // slots)
    if len(longest) > PLENTY_A_SLOT * slots:
        last = min(last, 8 * slots)  # with so many the slots' time is as good
    # k slots run no more than ceil(l / m) of the longest each: where those are short, nothing is to be gained.
    if last <= slots or -(-last // slots) * int(longest[0]) <= best:
        return best
    taken = np.arange(slots + 1, last + 1)[:, None]
    some = np.arange(1, slots + 1)
    least = some * (taken // slots) + np.minimum(some, taken % slots)
    work = total[taken] - total[taken - least]
    return max(best, int((-(-work // some)).max()))


def longest_first(durations: Sequence[int], slots: int) -> tuple[list[int], list[int]]:
    """Return the slot of each task and each slot's time when the longest task left goes to the freest slot."""
    order = np.argsort(-np.array(durations, dtype=np.int64), kind="stable").tolist()
    slot_of = [0] * len(durations)
    queue = [(0, slot) for slot in range(slots)]
    for task in order:
        load, slot = queue[0]
        heapq.heapreplace(queue, (load + durations[task], slot))
        slot_of[task] = slot
    loads = [0] * slots
    for load, slot in queue:
        loads[slot] = load
    return slot_of, loads


def _longest(durations: Sequence[int], slot_of: Sequence[int], slots: int) -> int:
    loads = [0] * slots
    for each, slot in zip(durations, slot_of, strict=True):
        loads[slot] += each
    return max(loads)


def _prove(
    durations: Sequence[int], slots: int, bound: int, longest: int, effort: int
) -> tuple[int, list[int] | None]:
    """Return a better bound and a better sharing, as far as a small search by packing can tell."""
    found: list[int] | None = None
    if len(durations) > 3 * slots and len(durations) > 30:
        return bound, None
    while longest > bound:
        ended, slot_of = packed(durations, slots, longest - 1, 400 * effort)
        if not ended:
            break
        if slot_of is None:
            return longest, found
        found = slot_of
        longest = _longest(durations, slot_of, slots)
    return bound, found


class _Balance:
    """Slots with their tasks, re-balanced in place; the longest slot never becomes longer."""

    def __init__(
        self, durations: Sequence[int], slot_of: Sequence[int], slots: int, cancelled: Cancelled
    ) -> None:
        self._durations = durations
        self._cancelled = cancelled
        self._chance = random.Random(1)
        self._cost = 0
        self.tasks: list[list[int]] = [[] for _ in range(slots)]
        self.loads = [0] * slots
        for task, slot in enumerate(slot_of):
            self.tasks[slot].append(task)
            self.loads[slot] += durations[task]

    def slot_of(self) -> list[int]:
        """Return the slot of each task."""
        found = [0] * len(self._durations)
        for slot, tasks in enumerate(self.tasks):
            for task in tasks:
                found[task] = slot
        return found

    def improve(self, bound: int, budget: int) -> None:
        """Re-balance until the longest slot is at the bound or the budget of steps is spent."""
        while self._cost < budget:
            longest = max(self.loads)
            if longest <= bound:
                return
            if self._cancelled():
                raise SolveStopped
            if not self._relieve(self.loads.index(longest), bound, budget):
                self._shake(longest)

    def _relieve(self, slot: int, bound: int, budget: int) -> bool:
        """Split the longest slot anew with the first other that can shorten it; False if none can."""
        load = self.loads[slot]
        for other in sorted(range(len(self.loads)), key=self.loads.__getitem__):
            both = load + self.loads[other]
            if self._cost >= budget or -(-both // 2) >= load:
                return False
            if self._split(slot, other, both // 2, load - 1, max(bound, -(-both // 2))):
                return True
        return False

    def _shake(self, longest: int) -> None:
        """Split a few other pairs at random, so that the longest slot meets other tasks."""
        chance = self._chance
        for _ in range(3):
            slot, other = chance.sample(range(len(self.loads)), 2)
            if self.loads[slot] == longest or self.loads[other] == longest:
                self._cost += 500
                continue
            both = self.loads[slot] + self.loads[other]
            least = max(0, both - longest + 1)
            self._split(slot, other, chance.randint(least, max(least, both // 2)), longest - 1, 0)

    def _split(self, slot: int, other: int, wanted: int, most: int, enough: int) -> bool:
        """Give `slot` a load just below `wanted` and `other` the rest, if both stay within `most`."""
        pool, fixed = self._pool(slot, other)
        both = self.loads[slot] + self.loads[other]
        target = wanted - fixed
        if target < 0:
            return False
        chosen = self._subset(pool, target)
        load = fixed + sum(self._durations[task] for task in chosen)
        if load > most or both - load > most:
            return False
        inside, pooled = set(chosen), set(pool)
        rest = [task for task in self.tasks[other] if task not in pooled]
        self.tasks[slot] = [task for task in self.tasks[slot] if task not in pooled] + chosen
        self.tasks[other] = rest + [task for task in pool if task not in inside]
        self.loads[slot], self.loads[other] = load, both - load
        return True

    def _pool(self, slot: int, other: int) -> tuple[list[int], int]:
        """Return tasks of both slots in random order and the load of the first one's tasks left out."""
        pool = self.tasks[slot] + self.tasks[other]
        self._chance.shuffle(pool)
        if len(pool) <= FEW or len(pool) * (self.loads[slot] + self.loads[other]) <= MOST_WORK:
            return pool, 0
        pool = pool[:FEW]
        pooled = set(pool)
        return pool, sum(self._durations[task] for task in self.tasks[slot] if task not in pooled)

    def _subset(self, pool: Sequence[int], target: int) -> list[int]:
        """Return tasks whose durations add up to the most that does not exceed `target`."""
        if len(pool) <= FEW and len(pool) * target > COST_OF_HALVES * 64:
            self._cost += COST_OF_HALVES
            return self._subset_by_halves(pool, target)
        sizes = [self._durations[task] for task in pool]
        mask = (1 << (target + 1)) - 1
        reached, sums = 1, [1]
        for size in sizes:
            reached |= (reached << size) & mask
            sums.append(reached)
            if reached >> target:
                break
        self._cost += (len(sums) * (target + 4000)) // 64
        left = reached.bit_length() - 1
        chosen: list[int] = []
        for place in range(len(sums) - 2, -1, -1):
            if not (sums[place] >> left) & 1:
                chosen.append(pool[place])
                left -= sizes[place]
        return chosen

    def _subset_by_halves(self, pool: Sequence[int], target: int) -> list[int]:
        """Do the same by all sums of one half of the pool and the best of the other half to each."""
        middle = len(pool) // 2
        first, second = (self._all_sums(half) for half in (pool[:middle], pool[middle:]))
        order = np.argsort(second, kind="stable")
        place = np.searchsorted(second, target - first, side="right", sorter=order) - 1
        total = np.where(place >= 0, first + second[order[np.maximum(place, 0)]], -1)
        best = int(np.argmax(total))
        signs = best | int(order[place[best]]) << middle
        return [task for number, task in enumerate(pool) if signs >> number & 1]

    def _all_sums(self, tasks: Sequence[int]) -> NDArray[np.int64]:
        """Return the sum of each subset; bit i of its place says whether task i is in."""
        sums = np.zeros(1, dtype=np.int64)
        for task in tasks:
            sums = np.concatenate((sums, sums + self._durations[task]))
        return sums
