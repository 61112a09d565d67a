"""Edits of the Work page that concern several rows at once: plain functions from a quote to another."""

from __future__ import annotations

from decimal import Decimal

from estimator import edits
from estimator.evidence import ASSUMED, GIVEN, Evidence, Stated
from estimator.quote import (
    Independence,
    Precondition,
    Project,
    Quote,
    ResourceKind,
    ResourceNeed,
    SharedResource,
    Stage,
    StageKind,
    StateClass,
    Tasks,
)

PRECONDITIONS = ("task_fits_one_card", "no_exchange_before_assembly", "load_and_output_included")


def with_shared(quote: Quote, kind: ResourceKind, name: str, unit: str) -> Quote:
    """Return the quote with a shared resource that every stage on cards needs, its capacity unknown.

    What a task takes of bandwidth is not known either: it starts as 1, assumed.
    """
    before = {resource.id for resource in quote.workload.resources}
    quote = edits.shared_by_all(quote, kind, name, unit)
    if kind in (ResourceKind.STORAGE, ResourceKind.LINK):
        new = next(one.id for one in quote.workload.resources if one.id not in before)
        quote = with_amount(quote, new, Stated(value=Decimal(1), evidence=ASSUMED))
    return quote


def with_capacity(quote: Quote, resource_id: str, value: Decimal | None) -> Quote:
    """Return the quote with another capacity of a shared resource; its evidence stays."""
    found = next(one for one in quote.workload.resources if one.id == resource_id)
    capacity = found.capacity.replaced(value=value)
    resources = tuple(
        one.replaced(capacity=capacity) if one.id == resource_id else one for one in quote.workload.resources
    )
    return edits.with_workload(quote, resources=resources)


def with_capacity_evidence(quote: Quote, resource_id: str, evidence: Evidence) -> Quote:
    """Return the quote with another evidence of a shared resource's capacity; its value stays."""
    resources = tuple(
        one.replaced(capacity=one.capacity.replaced(evidence=evidence)) if one.id == resource_id else one
        for one in quote.workload.resources
    )
    return edits.with_workload(quote, resources=resources)


def with_amount(quote: Quote, resource_id: str, amount: Stated) -> Quote:
    """Return the quote in which every stage that needs the resource takes that amount a task."""
    stages = tuple(
        stage.replaced(
            needs=tuple(
                need.replaced(amount=amount) if need.resource_id == resource_id else need
                for need in stage.needs
            )
        )
        for stage in quote.workload.stages
    )
    return edits.with_workload(quote, stages=stages)


def with_need(quote: Quote, stage_id: str, resource_id: str, needed: bool) -> Quote:
    """Return the quote in which a stage needs a resource, as much a task as other stages do, or not."""
    stage = stage_of(quote, stage_id)
    needs = tuple(need for need in stage.needs if need.resource_id != resource_id)
    if needed:
        like = next(iter(needs_of(quote, resource_id)), ResourceNeed(resource_id=resource_id))
        needs = (*needs, like.replaced(hold=None))
    return edits.with_stage(quote, stage_id, needs=needs)


def needs_of(quote: Quote, resource_id: str) -> tuple[ResourceNeed, ...]:
    """Return the needs of a resource, in the order of the stages."""
    return tuple(
        need for stage in quote.workload.stages for need in stage.needs if need.resource_id == resource_id
    )


def station_stage(quote: Quote, resource_id: str) -> Stage | None:
    """Return the first stage off the cards that works at that station."""
    for stage in quote.workload.stages:
        if stage.kind is StageKind.STATION and any(one.resource_id == resource_id for one in stage.needs):
            return stage
    return None


def with_assembly(quote: Quote, stage_name: str, station_name: str) -> Quote:
    """Return the quote with one assembly station, and a stage at it before the gates where none is."""
    capacity = Stated(value=Decimal(1), evidence=GIVEN)
    resources = quote.workload.resources
    id_ = edits.new_id(edits.STATION_ID, [one.id for one in resources])
    station = SharedResource(id=id_, name=station_name, kind=ResourceKind.STATION, capacity=capacity)
    quote = edits.with_resource(quote, station)
    need = ResourceNeed(resource_id=id_)
    stages = quote.workload.stages
    waiting = [stage for stage in stages if stage.kind is StageKind.STATION]
    if waiting:
        return edits.with_stage(quote, waiting[-1].id, needs=(*waiting[-1].needs, need))
    gates = {stage.id for stage in stages if stage.kind is StageKind.GATE}
    working = tuple(stage for stage in stages if stage.id not in gates)
    followed = {before for stage in working for before in stage.after}
    ends = tuple(stage.id for stage in working if stage.id not in followed)
    new = edits.new_id("assembly", [stage.id for stage in stages])
    stage = Stage(id=new, name=stage_name, kind=StageKind.STATION, after=ends, needs=(need,))
    moved = tuple(
        gate.replaced(after=tuple(dict.fromkeys(new if one in ends else one for one in gate.after)) or (new,))
        for gate in stages
        if gate.id in gates
    )
    return edits.with_workload(quote, stages=(*working, stage, *moved))


def without_kind(quote: Quote, kind: ResourceKind) -> Quote:
    """Return the quote without the resources of a kind; without stations go the stages that work at them."""
    for resource in quote.workload.resources:
        if resource.kind is not kind:
            continue
        while kind is ResourceKind.STATION and (stage := station_stage(quote, resource.id)) is not None:
            quote = edits.without_stage(quote, stage.id)
        quote = edits.without_resource(quote, resource.id)
    return quote


def with_independence(quote: Quote, independence: Independence) -> Quote:
    """Return the quote with that answer; the stage that computes the units follows a plain one."""
    quote = edits.with_workload(quote, independence=independence)
    main = quote.workload.main_stage
    if main is None or independence is Independence.BY_STAGE:
        return quote
    return edits.with_stage(quote, main.id, kind=StageKind(independence.value))


def with_cards_per_task(quote: Quote, stage_id: str, cards: int) -> Quote:
    """Return the quote in which every organisation runs a task of that stage on as many cards."""
    for organisation in quote.organisations:
        quote = edits.with_layout(quote, organisation.id, stage_id, cards_per_task=cards)
    return quote


def with_precondition(quote: Quote, stage_id: str, precondition_id: str, holds: bool) -> Quote:
    """Return the quote in which a precondition of the stage is taken for granted, or not."""
    stage = stage_of(quote, stage_id)
    known = {one.id for one in stage.preconditions}
    preconditions = tuple(
        one.replaced(holds=holds) if one.id == precondition_id else one for one in stage.preconditions
    )
    if precondition_id not in known:
        new = Precondition(id=precondition_id, code=precondition_id, holds=holds)
        preconditions = (*preconditions, new)
    return edits.with_stage(quote, stage_id, preconditions=preconditions)


def with_after(quote: Quote, stage_id: str, before_id: str, waits: bool) -> Quote:
    """Return the quote in which a stage waits for another, or not; kept in the order of the stages."""
    after = set(stage_of(quote, stage_id).after) - {before_id}
    if waits:
        after.add(before_id)
    order = tuple(stage.id for stage in quote.workload.stages if stage.id in after)
    singly = tuple(one for one in stage_of(quote, stage_id).streams_from if one in after)
    return edits.with_stage(quote, stage_id, after=order, streams_from=singly)


def with_stream(quote: Quote, stage_id: str, before_id: str, singly: bool) -> Quote:
    """Return the quote in which a stage takes another unit by unit, or waits for all of it."""
    stage = stage_of(quote, stage_id)
    kept = set(stage.streams_from) - {before_id} | ({before_id} if singly else set())
    return edits.with_stage(quote, stage_id, streams_from=tuple(one for one in stage.after if one in kept))


def with_new_project(quote: Quote, stage_id: str, name: str) -> Quote:
    """Return the quote with a project more, served after those that are there, and the stage in it."""
    projects = quote.workload.projects
    id_ = edits.new_id(name, [one.id for one in projects])
    last = max((one.priority for one in projects), default=0)
    quote = edits.with_project(quote, Project(id=id_, name=name, priority=last + 1))
    return edits.with_stage(quote, stage_id, project_id=id_)


def with_project_of(quote: Quote, stage_id: str, project_id: str) -> Quote:
    """Return the quote with a stage in another project, or in none; a project without stages goes."""
    former = stage_of(quote, stage_id).project_id
    quote = edits.with_stage(quote, stage_id, project_id=project_id)
    if former and quote.workload.project(former) and not quote.workload.stages_of(former):
        quote = edits.without_project(quote, former)
    return quote


def with_task_evidence(quote: Quote, stage_id: str, evidence: Evidence) -> Quote:
    """Return the quote with another evidence of a stage's durations."""
    return edits.with_tasks(quote, stage_id, evidence=evidence)


def with_tasks_of(quote: Quote, stage_id: str, tasks: Tasks) -> Quote:
    """Return the quote with other tasks of a stage."""
    return edits.with_stage(quote, stage_id, tasks=tasks)


def with_duplicated_stage(quote: Quote, stage_id: str, name: str) -> Quote:
    """Return the quote with a copy of a stage after it, laid out alike; what waits for one waits for both."""
    source = stage_of(quote, stage_id)
    new = edits.new_id(name, [one.id for one in quote.workload.stages])
    stages: list[Stage] = []
    for stage in quote.workload.stages:
        after = [each for one in stage.after for each in ((one, new) if one == stage_id else (one,))]
        singly = [e for one in stage.streams_from for e in ((one, new) if one == stage_id else (one,))]
        stages.append(stage.replaced(after=tuple(after), streams_from=tuple(singly)))
        if stage.id == stage_id:
            stages.append(source.replaced(id=new, name=name))
    organisations = tuple(
        one.replaced(
            layouts=(
                *one.layouts,
                *(each.replaced(stage_id=new) for each in one.layouts if each.stage_id == stage_id),
            )
        )
        for one in quote.organisations
    )
    return edits.with_workload(quote, stages=tuple(stages)).replaced(organisations=organisations)


def whole_memory(stage: Stage) -> Stated | None:
    """Return a task's memory where it is one number or not stated yet; None where it is told by phases."""
    phases = stage.memory.phases
    if not phases:
        return Stated()
    if len(phases) == 1 and len(phases[0].terms) == 1 and phases[0].terms[0].state_class is StateClass.WHOLE:
        return phases[0].terms[0].gib
    return None


def stage_of(quote: Quote, stage_id: str) -> Stage:
    """Return the stage of that id. Raises KeyError: a page asks only for stages that it shows."""
    stage = quote.workload.stage(stage_id)
    if stage is None:
        raise KeyError(stage_id)
    return stage
