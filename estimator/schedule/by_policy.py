"""One plan of a feasible problem by its policies: which engine places it, and in which order stages are served."""

from __future__ import annotations

from collections.abc import Sequence

from estimator.results.schedule import Schedule
from estimator.schedule.bounds import StageBounds
from estimator.schedule.events import Events
from estimator.schedule.fleet import Fleet
from estimator.schedule.problem import Cancelled
from estimator.schedule.schedule import make_schedule, no_schedule
from estimator.schedule.timed import Timed

Key = tuple[int, int, int, int]


def serving_keys(fleet: Fleet, bounds: StageBounds) -> list[Key]:
    """Return each stage's place in the queue: its priority, then what follows it, then what it takes itself."""
    problem = fleet.problem
    priority = problem.when.filled("priority", problem.stage_count)
    return [
        (priority[stage], -bounds.tail_ms[stage], -bounds.length_ms[stage], stage)
        for stage in range(problem.stage_count)
    ]


def placed(fleet: Fleet, bounds: StageBounds, cancelled: Cancelled) -> Schedule:
    """Return the plan that the stages' policies give, with the bound; infeasible where hours or rentals say so."""
    problem, keys = fleet.problem, serving_keys(fleet, bounds)
    if problem.is_timed:
        return timed_plan(fleet, keys, bounds.lower_bound_ms, cancelled)
    events = Events(fleet, keys, cancelled)
    events.run()
    return make_schedule(
        problem, events.runs, events.stage_start_ms, events.stage_end_ms, events.used, bounds.lower_bound_ms
    )


def timed_plan(
    fleet: Fleet,
    keys: Sequence[Key],
    lower_bound_ms: int,
    cancelled: Cancelled,
    rank: Sequence[int] | None = None,
) -> Schedule:
    """Return the plan for these keys, and for the stages to search this rank of their groups."""
    timed = Timed(fleet, keys, cancelled, rank)
    timed.run()
    if timed.blocked:
        return no_schedule(fleet.problem, timed.blocked)
    return make_schedule(
        fleet.problem, timed.runs, timed.stage_start_ms, timed.stage_end_ms, timed.used, lower_bound_ms
    )
