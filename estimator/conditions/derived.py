"""Conditions that follow from a plan, laid together with what the planner recorded about each.

A condition is proposed for every number that enters the plan unverified, for every mechanism the plan relies on,
and for every precondition that was ticked. Decisive here is what usually is, until `weighed` knows; the planner may
tick or untick. An unknown input, and a price without a date or past the quote's limit, always are.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from estimator.catalogue import HourlyOffer, Lot
from estimator.evidence import VERIFIED, EvidenceKind, Stated
from estimator.problems import Absent, Place
from estimator.quote import (
    AssignmentPolicy,
    CardSlicing,
    ConditionState,
    Organisation,
    Quote,
    Stage,
    StageKind,
)
from estimator.results.estimate import Condition, OrganisationResult, Plan, QuoteStatus
from estimator.results.memory import Fit

Gaps = tuple[tuple[str, object], ...]

ALWAYS_DECISIVE = frozenset({"price_undated", "price_old", "price_sample", "input_unknown"})
PROPOSED_DECISIVE = frozenset(
    {
        "duration",
        "memory_peak",
        "slow_down",
        "cooperative_mechanism",
        "partition",
        "topology",
        "fits_if",
        "slice_duration",
        "slice_permitted",
        "slice_size",
        "shared_duration",
        "shared_memory",
        "shared_permitted",
        "host_memory",
    }
)


def conditions_of(
    quote: Quote, result: OrganisationResult | None, plan: Plan | None, today: dt.date
) -> tuple[Condition, ...]:
    """Return the conditions of the shown plan, decisive ones first, with their recorded states.

    `today` decides how old a price is; nothing here reads a clock.
    """
    recorded = {record.id: record for record in quote.conditions}
    found: list[Condition] = []
    seen: set[str] = set()
    for condition in _derived(quote, result, plan, today):
        if condition.id in seen:
            continue
        seen.add(condition.id)
        record = recorded.get(condition.id)
        if record is not None:
            decisive = condition.decisive if record.decisive is None else record.decisive
            if condition.code in ALWAYS_DECISIVE:
                decisive = True
            condition = _with(condition, record.state, decisive)
        found.append(condition)
    for record in quote.conditions:
        if record.text and record.id not in seen:
            decisive = bool(record.decisive)
            where: Place = ("conditions", record.id)
            found.append(
                Condition(
                    record.id, "own", where, record.state, decisive, EvidenceKind.ASSUMED, (), record.text
                )
            )
    return tuple(sorted(found, key=lambda one: not one.decisive))


def status_of(has_answer: bool, conditions: tuple[Condition, ...]) -> QuoteStatus:
    """Return draft without an answer, failed where one condition failed, provisional while a decisive one is open."""
    if not has_answer:
        return QuoteStatus.DRAFT
    if any(one.state is ConditionState.FAILED for one in conditions):
        return QuoteStatus.FAILED
    if any(one.decisive and one.state is not ConditionState.MET for one in conditions):
        return QuoteStatus.PROVISIONAL
    return QuoteStatus.FIRM


def _with(condition: Condition, state: ConditionState, decisive: bool) -> Condition:
    return Condition(
        condition.id,
        condition.code,
        condition.where,
        state,
        decisive,
        condition.kind,
        condition.values,
        condition.text,
    )


def _open(id_: str, code: str, where: Place, kind: EvidenceKind, values: Gaps = ()) -> Condition:
    decisive = code in ALWAYS_DECISIVE or code in PROPOSED_DECISIVE
    return Condition(id_, code, where, ConditionState.OPEN, decisive, kind, values)


def _derived(
    quote: Quote, result: OrganisationResult | None, plan: Plan | None, today: dt.date
) -> Iterator[Condition]:
    organisation = None if result is None else quote.organisation(result.organisation_id)
    for stage in quote.workload.stages:
        if stage.kind is not StageKind.GATE:
            yield from _stage_conditions(stage, organisation, result)
    for project in quote.workload.projects:
        if project.release is not None:
            where: Place = ("workload", "projects", project.id, "release")
            gaps: Gaps = (("stage", project.name),)
            yield from _unverified(f"release:project:{project.id}", where, project.release, "release", gaps)
    if result is not None and (result.tasks_at_once or 0) > 1:
        yield from _unverified(
            "slow_down", ("workload", "mutual_slow_down"), quote.workload.mutual_slow_down, "slow_down"
        )
    for resource in quote.workload.resources:
        values = (("resource", resource.name),)
        place = ("workload", "resources", resource.id)
        yield from _unverified(f"capacity:{resource.id}", place, resource.capacity, "capacity", values)
    if organisation is not None:
        yield from _organisation_conditions(organisation, quote, plan)
    if plan is not None:
        yield from _plan_conditions(quote, plan, today)


def _unverified(id_: str, where: Place, stated: Stated, code: str, values: Gaps = ()) -> Iterator[Condition]:
    if stated.value is None:
        yield _open(
            f"unknown:{id_}", "input_unknown", where, EvidenceKind.UNKNOWN, (*values, ("input", code))
        )
    elif stated.kind not in VERIFIED:
        yield _open(id_, code, where, stated.kind, (*values, ("value", stated.value), ("span", stated.span)))


def _stage_conditions(
    stage: Stage, organisation: Organisation | None, result: OrganisationResult | None
) -> Iterator[Condition]:
    where: Place = ("workload", "stages", stage.id)
    name = ("stage", stage.name)
    values: Gaps
    if stage.tasks.kind not in VERIFIED:
        code = "duration" if stage.on_cards else "station_duration"
        if stage.tasks.kind is EvidenceKind.UNKNOWN:
            code = "input_unknown"
        values = (name, ("input", "duration"), ("durations_ms", stage.tasks.duration_ms))
        yield _open(f"duration:{stage.id}", code, (*where, "duration"), stage.tasks.kind, values)
    yield from _when_conditions(stage)
    if not stage.on_cards:
        return
    memory = None
    if result is not None:
        memory = next((one for one in result.memory if one.stage_id == stage.id), None)
    worst = None if memory is None else memory.worst
    if memory is not None and memory.missing:
        values = (name, ("input", "memory"))
        yield _open(f"memory:{stage.id}", "input_unknown", (*where, "memory"), EvidenceKind.UNKNOWN, values)
    elif worst is not None and worst.kind not in VERIFIED:
        values = (name, ("peak_bytes", worst.peak_bytes), ("phase", worst.phase))
        yield _open(f"memory:{stage.id}", "memory_peak", (*where, "memory"), worst.kind, values)
    if memory is not None and memory.host_lines:
        values = (name, ("host_bytes", memory.host_bytes))
        kind = memory.host_lines[0].kind
        yield _open(f"host_memory:{stage.id}", "host_memory", (*where, "memory"), kind, values)
    for precondition in stage.preconditions:
        if precondition.holds:
            yield Condition(
                f"precondition:{stage.id}:{precondition.id}",
                precondition.code or "own",
                (*where, "preconditions", precondition.id),
                ConditionState.OPEN,
                False,
                EvidenceKind.ASSUMED,
                (name,),
                precondition.text,
            )
    layout = None if organisation is None else organisation.layout(stage.id)
    if layout is not None and layout.partitions and layout.cards_per_task > 1:
        yield _open(f"partition:{stage.id}", "partition", (*where, "memory"), EvidenceKind.ASSUMED, (name,))


def _when_conditions(stage: Stage) -> Iterator[Condition]:
    """Yield what has to hold for the stage to run when the plan says."""
    where: Place = ("workload", "stages", stage.id)
    name = ("stage", stage.name)
    if stage.release is not None:
        yield from _unverified(f"release:{stage.id}", (*where, "release"), stage.release, "release", (name,))
    if stage.hours is not None and stage.hours.evidence.kind not in VERIFIED:
        yield _open(f"hours:{stage.id}", "hours", (*where, "hours"), stage.hours.evidence.kind, (name,))
    if stage.hours is not None and stage.may_pause:
        yield _open(f"pauses:{stage.id}", "pauses", (*where, "hours"), EvidenceKind.ASSUMED, (name,))
    if any(stage.streams(before) for before in stage.after):
        code = "handed_over_singly"
        yield _open(f"streams:{stage.id}", code, (*where, "after"), EvidenceKind.ASSUMED, (name,))


def _organisation_conditions(
    organisation: Organisation, quote: Quote, plan: Plan | None
) -> Iterator[Condition]:
    where: Place = ("organisations", organisation.id)
    if organisation.slicing is not None:
        yield from _slicing_conditions(organisation.id, organisation.slicing, quote, plan)
    for stage in quote.workload.stages:
        if not stage.on_cards:
            continue
        layout = organisation.layout(stage.id)
        if layout.policy is not AssignmentPolicy.BLOCKS and (layout.tasks_at_once or 2) > 1:
            yield _open(f"assignment:{organisation.id}", "assignment_mechanism", where, EvidenceKind.ASSUMED)
        if stage.kind is StageKind.COOPERATIVE or layout.cards_per_task > 1:
            kind = organisation.mechanism_evidence.kind
            values = (("mechanism", organisation.mechanism),)
            if organisation.mechanism and kind not in VERIFIED:
                yield _open(f"mechanism:{organisation.id}", "cooperative_mechanism", where, kind, values)
            if plan is not None:
                yield _open(f"topology:{organisation.id}", "topology", where, EvidenceKind.ASSUMED)


def _slicing_conditions(
    organisation_id: str, slicing: CardSlicing, quote: Quote, plan: Plan | None
) -> Iterator[Condition]:
    """Yield what slices rest on: how long a task takes on one, its size, that they are permitted and kept to."""
    where: Place = ("organisations", organisation_id, "slicing")
    timed: Place = (*where, "duration_factor")
    kind = "slice" if slicing.is_isolated else "shared"
    card = None if plan is None else quote.card(plan.verdict.card_id)
    name = slicing.card_id if card is None else card.name
    values: Gaps = (("slice", slicing.name), ("card", name), ("per_card", slicing.per_card))
    factor = slicing.duration_factor
    if factor.value is not None and factor.kind not in VERIFIED:
        factor_values: Gaps = (*values, ("value", factor.value), ("span", slicing.factor_span))
        yield _open(
            f"slice_duration:{organisation_id}", f"{kind}_duration", timed, factor.kind, factor_values
        )
    permitted = f"slice_permitted:{organisation_id}"
    yield _open(permitted, f"{kind}_permitted", where, EvidenceKind.ASSUMED, values)
    part = None if card is None else slicing.of(card)
    if not slicing.is_isolated:
        yield _open(f"slice_memory:{organisation_id}", "shared_memory", where, EvidenceKind.ASSUMED, values)
    elif part is not None and part.usable_basis == "marketed":
        size: Gaps = (*values, ("usable_bytes", part.usable_bytes))
        yield _open(f"slice_size:{organisation_id}", "slice_size", where, EvidenceKind.ASSUMED, size)


def _plan_conditions(quote: Quote, plan: Plan, today: dt.date) -> Iterator[Condition]:
    verdict = plan.verdict
    card = quote.task_card(plan.organisation_id, verdict.card_id) or quote.card(verdict.card_id)
    card_name = ("card", verdict.card_id if card is None else card.name)
    if verdict.fits is Fit.IF:
        values = (card_name, ("holds_to_bytes", verdict.holds_to_bytes))
        yield _open("fits_if", "fits_if", ("offers", plan.holdings[0].offer_id), EvidenceKind.ASSUMED, values)
    for holding in plan.holdings:
        offer = quote.offer(holding.offer_id)
        if offer is not None and not isinstance(holding.cost, Absent):
            yield from _price_conditions(quote, offer, today)


def _price_conditions(quote: Quote, offer: Lot | HourlyOffer, today: dt.date) -> Iterator[Condition]:
    where: Place = ("offers", offer.id, "price")
    name = ("offer", offer.name)
    if offer.sample:
        yield _open(f"price:{offer.id}", "price_sample", where, EvidenceKind.ASSUMED, (name,))
    elif offer.price_date is None:
        yield _open(f"price:{offer.id}", "price_undated", where, EvidenceKind.ASSUMED, (name,))
    elif (today - offer.price_date).days > quote.pricing.price_age_limit_days:
        values = (name, ("date", offer.price_date), ("days", (today - offer.price_date).days))
        yield _open(f"price:{offer.id}", "price_old", where, EvidenceKind.ASSUMED, values)
