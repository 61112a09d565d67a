"""When the quote lets work run: releases, priorities, hours, shares of tasks and cards that leave, for the engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from estimator.evidence import EvidenceKind
from estimator.hours import WorkingHours
from estimator.plan.fleet import Fleet
from estimator.plan.starting import rental_start, windows_from
from estimator.problems import Absent
from estimator.quote import Quote, Stage
from estimator.schedule import ALWAYS, When, Windows


def missing_for_when(quote: Quote) -> Absent | None:
    """Return why it is not known when the work may run, or None."""
    workload = quote.workload
    for stage in workload.stages:
        where = ("workload", "stages", stage.id)
        if stage.release is not None and stage.release.ms is None:
            return Absent("missing_release", (*where, "release"), (("name", stage.name),))
        if stage.hours is not None and rental_start(quote) is None:
            return Absent("hours_without_start", ("start",), (("name", stage.name),))
        for before in uneven_shares(quote, stage):
            return Absent("no_whole_share", (*where, "after"), share_values(stage, before))
    for project in workload.projects:
        if project.release is not None and project.release.ms is None:
            where_project = ("workload", "projects", project.id, "release")
            return Absent("missing_release", where_project, (("name", project.name),))
    return None


def uneven_shares(quote: Quote, stage: Stage) -> Iterable[Stage]:
    """Yield the stages that feed this one task by task though neither number of tasks divides the other."""
    for before_id in stage.after:
        before = quote.workload.stage(before_id)
        if before is None or not stage.streams(before_id):
            continue
        fewer, more = sorted((before.task_count, stage.task_count))
        if more % fewer:
            yield before


def share_values(stage: Stage, before: Stage) -> tuple[tuple[str, object], ...]:
    """Return the gaps of a sentence on the shares of one stage in another."""
    return (
        ("stage", stage.name),
        ("count", stage.task_count),
        ("before", before.name),
        ("before_count", before.task_count),
    )


def whole_links(quote: Quote) -> tuple[tuple[int, int], ...]:
    """Return (before, after) by place of the stages that wait for the whole of another."""
    return _links(quote, streams=False)


def release_ms(quote: Quote, stage: Stage) -> int:
    """Return the moment before which no task of the stage starts: its own or its project's, the later."""
    project = quote.workload.project(stage.project_id)
    stated = [stage.release, None if project is None else project.release]
    return max(0 if one is None else max(0, one.ms or 0) for one in stated)


def when_of(quote: Quote, fleet: Fleet) -> When | Absent:
    """Return what else says when tasks run on this fleet; Absent where hours are stated and no start."""
    stages = quote.workload.stages
    start = rental_start(quote)
    stated = [*(stage.hours for stage in stages), *fleet.hours]
    number: dict[tuple[object, ...], int] = {}
    calendars: list[Windows] = []
    if any(stated) and start is None:
        return Absent("hours_without_start", ("start",), (("name", _whose(quote, fleet)),))

    def calendar(hours: WorkingHours | None) -> int:
        if hours is None or start is None:
            return ALWAYS
        if hours.windows not in number:
            number[hours.windows] = len(calendars)
            calendars.append(windows_from(hours, start))
        return number[hours.windows]

    priority = [_priority(quote, stage) for stage in stages]
    of_stage = [calendar(stage.hours) for stage in stages]
    of_card = [calendar(hours) for hours in fleet.hours]
    has_hours = bool(calendars)
    return When(
        streams=_links(quote, streams=True),
        priority=_column(priority if len(set(priority)) > 1 else ()),
        calendars=tuple(calendars),
        stage_calendar=_column(of_stage if has_hours else ()),
        may_pause=_column([int(stage.may_pause) for stage in stages] if has_hours else ()),
        card_calendar=_column(of_card if has_hours else ()),
        card_until_ms=_column(fleet.until_ms if any(until >= 0 for until in fleet.until_ms) else ()),
    )


def when_kinds(quote: Quote) -> list[EvidenceKind]:
    """Return the evidence of the stated releases and hours."""
    workload = quote.workload
    releases = [stage.release for stage in workload.stages] + [one.release for one in workload.projects]
    kinds = [release.kind for release in releases if release is not None]
    return kinds + [stage.hours.evidence.kind for stage in workload.stages if stage.hours is not None]


def _column(values: Sequence[int]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _links(quote: Quote, streams: bool) -> tuple[tuple[int, int], ...]:
    stages = quote.workload.stages
    place = {stage.id: index for index, stage in enumerate(stages)}
    return tuple(
        (place[before], place[stage.id])
        for stage in stages
        for before in stage.after
        if before in place and stage.streams(before) is streams
    )


def _priority(quote: Quote, stage: Stage) -> int:
    """Return the priority of a stage's project; what belongs to none may be needed by all, and goes first."""
    project = quote.workload.project(stage.project_id)
    return 0 if project is None and quote.workload.projects else 1 if project is None else project.priority


def _whose(quote: Quote, fleet: Fleet) -> str:
    for stage in quote.workload.stages:
        if stage.hours is not None:
            return stage.name
    for offer_id, hours in zip(fleet.offer_ids, fleet.hours, strict=True):
        offer = quote.offer(offer_id)
        if hours is not None and offer is not None:
            return offer.name
    return ""
