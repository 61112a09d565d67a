"""What each project is delivered when, together with the others and alone on the same cards; who is late."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from estimator.plan.fleet import Fleet
from estimator.plan.scheduling import Variant, problem_of, solved
from estimator.plan.starting import clocks_change, rental_start
from estimator.problems import Absent, Problem, Severity
from estimator.quote import Organisation, Quote
from estimator.results.estimate import ProjectTime, Timing
from estimator.schedule import CycleFound, Status


def project_times(quote: Quote, timing: Timing) -> tuple[ProjectTime, ...]:
    """Return each project with stages: when it is delivered beside the others; alone is not worked out yet."""
    ends = {one.stage_id: one.end_ms for one in timing.stages}
    found = []
    for project in quote.workload.projects:
        stages = quote.workload.stages_of(project.id)
        if stages:
            due = None if project.due is None else project.due.ms
            end = max(ends[stage.id] for stage in stages)
            found.append(ProjectTime(project.id, project.name, project.priority, end, due))
    return tuple(found)


def with_alone(
    quote: Quote, organisation: Organisation, fleet: Fleet, times: tuple[ProjectTime, ...]
) -> tuple[ProjectTime, ...]:
    """Return the projects with what each would take alone on these cards: the others' stages have no tasks.

    Stages of no project stay: every project may wait for them.
    """
    if len(times) < 2:
        return tuple(replace(one, alone_ms=one.delivery_ms) for one in times)
    problem, _ = problem_of(quote, organisation, fleet, Variant())
    found = []
    for one in times:
        mine = np.array([stage.project_id in ("", one.project_id) for stage in quote.workload.stages])
        alone = replace(
            problem,
            count=np.where(mine[problem.stage], problem.count, 0),
            release_ms=np.where(mine, problem.release_ms, 0),
        )
        try:
            schedule = solved(alone)
        except CycleFound:
            found.append(one)
            continue
        if schedule.status is Status.INFEASIBLE:
            found.append(one)
            continue
        own = [stage.project_id == one.project_id for stage in quote.workload.stages]
        found.append(replace(one, alone_ms=int(schedule.stage_end_ms[own].max())))
    return tuple(found)


def when_problems(quote: Quote, timing: Timing | Absent) -> tuple[Problem, ...]:
    """Return what ends after its due date, with by how much, and whether clocks change under weekly hours."""
    if isinstance(timing, Absent):
        return ()
    found = []
    start = rental_start(quote)
    has_hours = any(stage.hours is not None for stage in quote.workload.stages)
    if start is not None and has_hours and clocks_change(start, timing.delivery_ms):
        found.append(Problem("clock_changes", ("start",), Severity.WARNING))
    for one in project_times(quote, timing):
        if one.late_ms:
            where = ("workload", "projects", one.project_id, "due")
            found.append(_late("project_late", where, one.name, one.late_ms, one.due_ms))
    for stage, time in zip(quote.workload.stages, timing.stages, strict=True):
        due_ms = None if stage.due is None else stage.due.ms
        if due_ms is not None and time.end_ms > due_ms:
            where = ("workload", "stages", stage.id, "due")
            found.append(_late("stage_late", where, stage.name, time.end_ms - due_ms, due_ms))
    return tuple(found)


def _late(code: str, where: tuple[str, ...], name: str, late_ms: int | None, due_ms: int | None) -> Problem:
    values = (("name", name), ("late_ms", late_ms), ("due_ms", due_ms))
    return Problem(code, where, Severity.WARNING, values)
