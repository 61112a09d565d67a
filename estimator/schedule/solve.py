"""The front door: from a problem to a schedule with its lower bound. Only the order of steps is here."""

from __future__ import annotations

from estimator.results.schedule import Schedule
from estimator.schedule.bounds import StageBounds
from estimator.schedule.by_policy import placed
from estimator.schedule.flat import flat_plan
from estimator.schedule.fleet import Fleet, why_blocked
from estimator.schedule.improve import improved
from estimator.schedule.network import topological_order
from estimator.schedule.problem import Cancelled, Policy, Problem, SolveStopped, never
from estimator.schedule.schedule import no_schedule


def solve(problem: Problem, cancelled: Cancelled = never, start: Schedule | None = None) -> Schedule:
    """Return who runs what when, always the same for the same problem, with a lower bound on the delivery.

    Tasks that can never start make the schedule infeasible and are named in `blocked`. Raises CycleFound when
    stages wait for each other in a circle, and SolveStopped soon after `cancelled` answers yes.
    With `start`, a schedule that keeps this problem's rules too, the answer is never later than it.
    """
    if start is not None or Policy.BEST in problem.policy:
        return improved(problem, start=start, cancelled=cancelled)
    flat = flat_plan(problem)
    if flat is not None:
        return flat
    order = topological_order(problem.stage_count, problem.links)
    fleet = Fleet(problem)
    blocked = why_blocked(fleet)
    if blocked:
        return no_schedule(problem, blocked)
    _stop_if(cancelled)
    bounds = StageBounds(fleet, order)
    _stop_if(cancelled)
    plan = placed(fleet, bounds, cancelled)
    _stop_if(cancelled)
    return plan


def _stop_if(cancelled: Cancelled) -> None:
    if cancelled():
        raise SolveStopped
