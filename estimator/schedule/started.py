"""A schedule of one problem as a schedule of another with the same work on at least the same cards."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from estimator.results.schedule import Schedule
from estimator.schedule.calendars import Calendar, Calendars
from estimator.schedule.fleet import Fleet, held_ms
from estimator.schedule.problem import WHOLE_TASK
from estimator.schedule.schedule import Run, make_schedule


def started(fleet: Fleet, plan: Schedule) -> Schedule:
    """Return the plan's runs as a schedule of the fleet's problem, with no bound (0).

    Tasks keep their starts; where hours are longer now, or gone, one that paused ends sooner.
    Raises ValueError where the problem has other groups or fewer cards or stages.
    """
    problem = fleet.problem
    _check_same_work(fleet, plan)
    runs: list[Run] = []
    cards: dict[int, list[int]] = {}
    rows: dict[int, int] = {}
    for row, (task, card) in enumerate(zip(plan.run_task.tolist(), plan.run_card.tolist(), strict=True)):
        rows.setdefault(task, row)
        if card >= 0:
            cards.setdefault(task, []).append(card)
        else:
            cards.setdefault(task, [])
    used: list[list[tuple[int, int]]] = [[] for _ in problem.capacity]
    numbered = {end for link in problem.when.streams for end in link}
    hours = _Hours(fleet)
    for task, row in rows.items():
        group = int(plan.run_group[row])
        run = Run(
            group,
            tuple(sorted(cards[task])),
            int(plan.run_start_ms[row]),
            int(plan.run_duration_ms[row]),
            int(plan.run_count[row]),
            int(plan.run_step_ms[row]),
            int(plan.run_first[row]) if int(problem.stage[group]) in numbered else -1,
        )
        for one in hours.timed_again(run):
            runs.append(one)
            add_use(fleet, one, used, hours.of(one))
    ends = plan.stage_end_ms.tolist()
    last: dict[int, int] = {}
    for run in runs:
        stage = int(problem.stage[run.group])
        end = run.start_ms + (run.tasks - 1) * run.step_ms + run.duration_ms
        last[stage] = max(last.get(stage, 0), end)
    ends = [last.get(stage, end) for stage, end in enumerate(ends)]
    return make_schedule(problem, runs, plan.stage_start_ms.tolist(), ends, used, 0)


def add_use(fleet: Fleet, run: Run, used: list[list[tuple[int, int]]], hours: Calendar | None = None) -> None:
    """Add to `used` what a run's tasks take of each resource and let go."""
    for resource, need, hold in fleet.needs[run.group]:
        held = held_ms(hold, run.duration_ms)
        for index in range(run.tasks if held else 0):
            start = run.start_ms + index * run.step_ms
            end = start + held
            if hours is not None and hold != WHOLE_TASK:
                end = min(start + run.duration_ms, hours.paused_end(start, hold))
            used[resource] += [(start, need), (end, -need)]


class _Hours:
    """When the tasks of a run may run, and when they end."""

    def __init__(self, fleet: Fleet) -> None:
        problem = fleet.problem
        self._fleet = fleet
        self._calendars = Calendars(problem.when)
        self._of_stage = problem.when.filled("stage_calendar", problem.stage_count)
        self._of_card = problem.when.filled("card_calendar", problem.card_count)
        self._pauses = problem.when.filled("may_pause", problem.stage_count)

    def of(self, run: Run) -> Calendar | None:
        """Return the hours of a run's stage and cards together, None where they are never closed."""
        stage = int(self._fleet.problem.stage[run.group])
        return self._calendars.common((self._of_stage[stage], *(self._of_card[card] for card in run.cards)))

    def timed_again(self, run: Run) -> Iterator[Run]:
        """Yield the run with the time its tasks take now, task by task where that differs."""
        problem, hours = self._fleet.problem, self.of(run)
        stage = int(problem.stage[run.group])
        model = int(problem.card_model[run.cards[0]]) if run.cards else 0
        length = self._fleet.duration[run.group][model]
        if hours is None and length == run.duration_ms:
            yield run
            return
        for index in range(run.tasks):
            start = run.start_ms + index * run.step_ms
            end = start + length if hours is None else hours.end(start, length, bool(self._pauses[stage]))
            if not start <= end <= start + run.duration_ms:
                raise ValueError("the plan to start from does not keep the hours")
            first = -1 if run.first < 0 else run.first + index
            yield Run(run.group, run.cards, start, end - start, 1, end - start if run.cards else 0, first)


def _check_same_work(fleet: Fleet, plan: Schedule) -> None:
    problem = fleet.problem
    lead = plan.run_lead
    placed = np.bincount(
        plan.run_group[lead], weights=plan.run_count[lead], minlength=problem.group_count
    ).astype(np.int64)
    if placed.tolist() != problem.count.tolist():
        raise ValueError("the plan to start from runs other tasks")
    if plan.run_card.max(initial=-1) >= problem.card_count:
        raise ValueError("the plan to start from uses cards that are not there")
    if len(plan.stage_end_ms) != problem.stage_count:
        raise ValueError("the plan to start from has other stages")
