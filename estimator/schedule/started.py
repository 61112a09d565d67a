"""A schedule of one problem as a schedule of another with the same work on at least the same cards."""

from __future__ import annotations

import numpy as np

from estimator.results.schedule import Schedule
from estimator.schedule.fleet import Fleet, held_ms
from estimator.schedule.schedule import Run, make_schedule


def started(fleet: Fleet, plan: Schedule) -> Schedule:
    """Return the plan's runs as a schedule of the fleet's problem, with no bound (0).

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
    for task, row in rows.items():
        run = Run(
            int(plan.run_group[row]),
            tuple(sorted(cards[task])),
            int(plan.run_start_ms[row]),
            int(plan.run_duration_ms[row]),
            int(plan.run_count[row]),
            int(plan.run_step_ms[row]),
        )
        runs.append(run)
        add_use(fleet, run, used)
    return make_schedule(problem, runs, plan.stage_start_ms.tolist(), plan.stage_end_ms.tolist(), used, 0)


def add_use(fleet: Fleet, run: Run, used: list[list[tuple[int, int]]]) -> None:
    """Add to `used` what a run's tasks take of each resource and let go."""
    for resource, need, hold in fleet.needs[run.group]:
        held = held_ms(hold, run.duration_ms)
        for index in range(run.tasks if held else 0):
            start = run.start_ms + index * run.step_ms
            used[resource] += [(start, need), (start + held, -need)]


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
