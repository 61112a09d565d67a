"""Tasks placed one by one in list order, each as early as what is placed leaves room; and the same from the end.

Use over time is one integer, a block of bits for each unit of time: whether a task fits at a moment is one
addition and one mask. Justification (Valls, Ballestín and Quintanilla 2005) places all tasks as late as they can
go, then as early again: it never lengthens a plan and often shortens it. Nothing is searched here.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from estimator.schedule.counted import Counted

MOST_PROFILE_BITS = 2**19
"""Units of time by bits a unit: beyond, a pass takes too long."""

_Part = tuple[int, int, int, int, int]


class Placing:
    """One counted problem made ready for many passes. `horizon`: a guess of how long plans are, in units."""

    def __init__(self, view: Counted, horizon: int) -> None:
        self.view = view
        self.tries = 0
        self._horizon = max(horizon, max(view.cards_ready, default=0), 1)
        self._lay_out_fields()
        self._stage = [view.stage_of_kind[kind] for kind in view.kind]
        self._forward: list[tuple[_Part, ...]] = []
        self._backward: list[tuple[_Part, ...]] = []
        known: dict[object, tuple[tuple[_Part, ...], tuple[_Part, ...]]] = {}
        for task in range(view.task_count):
            key = (view.duration[task], view.needs[task])
            if key not in known:
                known[key] = (self._parts(task, False), self._parts(task, True))
            self._forward.append(known[key][0])
            self._backward.append(known[key][1])
        self._none = [0] * len(view.release)

    @staticmethod
    def is_possible(view: Counted, horizon: int) -> bool:
        """Whether a pass over so many units of time is quick enough to be repeated, and sees all that matters.

        A task of no length needs its cards at a moment, which a count over time does not see.
        """
        for length, needs in zip(view.duration, view.needs, strict=True):
            if length == 0 and any(number == 0 for number, _, _ in needs):
                return False
        return horizon * sum(one.bit_length() + 1 for one in view.capacity) <= MOST_PROFILE_BITS

    @property
    def steps_a_try(self) -> float:
        """What one try to place a task costs, in steps of about a microsecond."""
        return 0.7 + self._horizon * self._bits / 40_000

    def early(self, order: Sequence[int]) -> list[int]:
        """Return the starts when each task goes where it fits first, in this order."""
        view = self.view
        return self._place(order, self._forward, view.before, view.release, self._profile(True))

    def justified(self, starts: Sequence[int]) -> list[int]:
        """Return the starts after all tasks were moved late and then early: never a later end."""
        view = self.view
        ends = [start + length for start, length in zip(starts, view.duration, strict=True)]
        order = sorted(range(len(ends)), key=ends.__getitem__, reverse=True)
        order = self._feasible(order, view.after, view.before)
        mirrored = self._place(order, self._backward, view.after, self._none, self._profile(False))
        ends = [start + length for start, length in zip(mirrored, view.duration, strict=True)]
        return self.early(self.in_order(sorted(range(len(ends)), key=ends.__getitem__, reverse=True)))

    def in_order(self, order: Sequence[int]) -> list[int]:
        """Return the tasks in this order, but none before those that it waits for."""
        return self._feasible(order, self.view.before, self.view.after)

    def _feasible(
        self, order: Sequence[int], before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]
    ) -> list[int]:
        left, waits = list(self.view.tasks_in), [len(one) for one in before]
        done: list[int] = []
        held: dict[int, list[int]] = {}
        stack = [stage for stage, count in enumerate(waits) if count == 0 and left[stage] == 0]
        stage_of = self._stage
        pending = list(reversed(order))
        while pending or stack:
            while stack:
                for later in after[stack.pop()]:
                    waits[later] -= 1
                    if waits[later] == 0:
                        pending += reversed(held.pop(later, []))
                        if left[later] == 0:
                            stack.append(later)
            if not pending:
                break
            task = pending.pop()
            stage = stage_of[task]
            if waits[stage]:
                held.setdefault(stage, []).append(task)
                continue
            done.append(task)
            left[stage] -= 1
            if left[stage] == 0:
                stack.append(stage)
        return done

    def _place(
        self,
        order: Sequence[int],
        parts: Sequence[tuple[_Part, ...]],
        before: Sequence[Sequence[int]],
        release: Sequence[int],
        profile: int,
    ) -> list[int]:
        """Place tasks in an order that keeps the stages' own. A part: (offset bits, add, mask, guard, held)."""
        tries = 0
        bits, stage_of, duration = self._bits, self._stage, self.view.duration
        ends = list(release)
        reached = [-1] * len(ends)
        starts = [0] * len(order)
        room = self._horizon
        for task in order:
            stage = stage_of[task]
            start = reached[stage]
            if start < 0:
                start = release[stage]
                for one in before[stage]:
                    if ends[one] > start:
                        start = ends[one]
                reached[stage] = start
            length = duration[task]
            fits = False
            while not fits:
                tries += 1
                while start + length > room:
                    profile |= self._empty(room) << (bits * room)
                    room *= 2
                fits = True
                for offset, add, mask, guard, _ in parts[task]:
                    clash = (((profile >> (bits * start + offset)) & mask) + add) & guard
                    if clash:
                        start += (clash.bit_length() - 1) // bits + 1
                        fits = False
                        break
            for offset, add, _, _, _ in parts[task]:
                profile += add << (bits * start + offset)
            starts[task] = start
            if start + length > ends[stage]:
                ends[stage] = start + length
        self.tries += tries
        return starts

    def _lay_out_fields(self) -> None:
        """Give each capacity its field in the block of a unit of time, a guard bit at the top.

        A field holds what is used plus what makes the capacity the last value before the guard.
        """
        self._shift: list[int] = []
        self._rest = 0
        self._guard = 0
        at = 0
        for capacity in self.view.capacity:
            width = capacity.bit_length() + 1
            self._shift.append(at)
            self._rest |= ((1 << (width - 1)) - 1 - capacity) << at
            self._guard |= 1 << (at + width - 1)
            at += width
        self._bits = at
        self._repeated: dict[int, int] = {}
        self._start_profile: dict[bool, int] = {}

    def _ones(self, units: int) -> int:
        """Return a 1 at the start of each of so many blocks."""
        if units not in self._repeated:
            self._repeated[units] = ((1 << (self._bits * units)) - 1) // ((1 << self._bits) - 1)
        return self._repeated[units]

    def _empty(self, units: int) -> int:
        return self._rest * self._ones(units)

    def _profile(self, forward: bool) -> int:
        """Return the use before anything is placed: cards that are not set up yet."""
        if forward not in self._start_profile:
            profile = self._empty(self._horizon)
            for ready in self.view.cards_ready if forward else ():
                profile += self._ones(ready) << self._shift[0]
            self._start_profile[forward] = profile
        return self._start_profile[forward]

    def _parts(self, task: int, mirrored: bool) -> tuple[_Part, ...]:
        """Return what a task adds to the use, by how long it holds it; seen from the end it holds it last."""
        view = self.view
        by_held: dict[int, int] = {}
        for number, amount, held in view.needs[task]:
            by_held[held] = by_held.get(held, 0) + (amount << self._shift[number])
        parts = []
        for held, amount in sorted(by_held.items(), key=itemgetter(0), reverse=True):
            ones = self._ones(held)
            offset = (view.duration[task] - held) * self._bits if mirrored else 0
            parts.append((offset, amount * ones, ((1 << self._bits) - 1) * ones, self._guard * ones, held))
        return tuple(parts)
