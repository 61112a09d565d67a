"""The best starts found for a counted problem: rules, plans turned round, small changes of order, breeding.

Which of them run is decided by the problem's shape, how long by an effort counted in steps, never by a clock.
Nothing here knows of cards by number or of schedules.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from estimator.schedule.breeding import Breeding, sampled_orders
from estimator.schedule.counted import Counted
from estimator.schedule.dispatch import STEPS_A_TASK, Dispatch
from estimator.schedule.placing import Placing
from estimator.schedule.problem import Cancelled, SolveStopped

STEPS_A_UNIT = 1_000
"""Steps of one unit of effort: about a millisecond, a step being about a microsecond."""
TURNS = 3
"""How often a plan is planned anew from its end and again from its start."""
MOST_BRED = 250
"""Beyond so many tasks, changes of order find more in the same time than breeding."""
FOUNDERS = 30


def best_starts(
    view: Counted, tail: Sequence[int], bound: int, effort: int, cancelled: Cancelled
) -> list[int]:
    """Return the start of each task in the best plan found. `tail[s]`: least time after stage s, in units.

    Ends at once where a plan meets `bound`. Raises SolveStopped soon after `cancelled` answers yes.
    """
    search = _Search(view, tail, bound, effort * STEPS_A_UNIT, cancelled)
    search.by_rules()
    one_stage = sum(count > 0 for count in view.tasks_in) == 1
    search.by_turning()
    breeds = view.task_count <= MOST_BRED and Placing.is_possible(view, 2 * search.length)
    if one_stage or not breeds:
        search.by_changes(0.4 if breeds else 1.0)
    if breeds:
        search.by_breeding()
    return search.starts


class _Search:
    """The best plan so far and what has been spent on it."""

    def __init__(
        self, view: Counted, tail: Sequence[int], bound: int, budget: int, cancelled: Cancelled
    ) -> None:
        self._view = view
        self._bound = bound
        self._budget = budget
        self._cancelled = cancelled
        self._dispatch = Dispatch(view)
        self._urgency = [
            tail[view.stage_of_kind[kind]] + length
            for kind, length in zip(view.kind, view.duration, strict=True)
        ]
        self._plans: list[tuple[int, list[int], list[int]]] = []  # (length, starts, order)
        self.length = 2**62
        self.starts: list[int] = []
        self._order: list[int] = []

    @property
    def _is_done(self) -> bool:
        return self.length <= self._bound

    def by_rules(self) -> None:
        """Try the urgent first, the long, the wide, the large, and what presses on the scarcest capacity."""
        view = self._view
        tasks = range(view.task_count)
        length = view.duration
        width = [view.cards_of_kind[kind] for kind in view.kind]
        press = _pressure(view)
        for key in (
            [(-self._urgency[task], -press[task]) for task in tasks],
            [(-length[task], -width[task]) for task in tasks],
            [(-width[task], -length[task]) for task in tasks],
            [(-width[task] * length[task], 0) for task in tasks],
            [(-press[task] * length[task], 0) for task in tasks],
            [(-press[task], -length[task]) for task in tasks],
            [(0, 0) for _ in tasks],
        ):
            if self._is_done:
                return
            order = sorted(tasks, key=key.__getitem__)
            self._plans.append((*self._try(order), order))
        self._plans.sort(key=lambda plan: plan[0])

    def by_turning(self) -> None:
        """Plan from the end what ended last first, then from the start again, from each of the best plans."""
        if not self._view.holds_whole:
            return
        back = Dispatch(self._view.mirrored())
        for _, starts, _ in self._plans[:3]:
            for _ in range(TURNS):
                if self._is_done or self._spent > self._budget // 2:
                    return
                _, mirrored = back.run(self._latest_first(starts))
                self._dispatch.steps += len(starts) * STEPS_A_TASK
                _, starts = self._try(self._latest_first(mirrored))

    def _latest_first(self, starts: Sequence[int]) -> list[int]:
        ends = [start + each for start, each in zip(starts, self._view.duration, strict=True)]
        return sorted(range(len(ends)), key=ends.__getitem__, reverse=True)

    def by_changes(self, share: float) -> None:
        """Move or exchange single tasks of the best order; what is no longer is kept."""
        chance = random.Random(1)
        length, starts, order = self.length, self.starts, self._order
        tasks = len(order)
        most = share * self._budget
        while not self._is_done and self._spent < most and tasks > 1:
            changed = list(order)
            choice = chance.random()
            if choice < 0.7:
                task = chance.randrange(tasks)
                if choice < 0.4:  # one that ends the plan
                    durations = self._view.duration
                    last = [one for one in range(tasks) if starts[one] + durations[one] == length]
                    task = chance.choice(last or [task])
                changed.remove(task)
                changed.insert(chance.randrange(tasks), task)
            else:
                one, other = chance.sample(range(tasks), 2)
                changed[one], changed[other] = changed[other], changed[one]
            found, new_starts = self._try(changed)
            if found <= length:
                length, starts, order = found, new_starts, changed

    def by_breeding(self) -> None:
        """Breed from the plans so far and from shaken orders until the budget is spent."""
        if self._is_done:
            return
        view = self._view
        placing = Placing(view, 2 * self.length)
        breeding = Breeding(placing, self._dispatch, self._bound, self._cancelled)
        breeding.add(self.starts)
        for plan in self._plans[1:]:
            breeding.add(plan[1])
        half = (self._spent + self._budget) / 2
        for order in sampled_orders(view, self._urgency, FOUNDERS):
            if breeding.length <= self._bound or breeding.steps > half:
                break
            breeding.add(self._try(order)[1])
            breeding.add(placing.early(placing.in_order(order)))
        breeding.breed(self._budget)
        if breeding.length < self.length:
            self.length, self.starts = breeding.length, breeding.best

    @property
    def _spent(self) -> int:
        return self._dispatch.steps

    def _try(self, order: list[int]) -> tuple[int, list[int]]:
        if self._cancelled():
            raise SolveStopped
        length, starts = self._dispatch.run(order)
        if length < self.length:
            self.length, self.starts, self._order = length, starts, order
        return length, starts


def _pressure(view: Counted) -> list[float]:
    """Return how much of the capacities each task takes, each capacity weighed by how busy it is in all."""
    work = [0] * len(view.capacity)
    for row in view.needs:
        for number, amount, held in row:
            work[number] += amount * held
    busy = [
        total / capacity**2 if capacity else 0.0 for total, capacity in zip(work, view.capacity, strict=True)
    ]
    return [sum(amount * busy[number] for number, amount, _ in row) for row in view.needs]
