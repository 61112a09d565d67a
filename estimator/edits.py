"""Edits: plain functions from a quote to another. The window keeps before and after; that is all undo needs.

Each rebuilds the rows it changes through validation, so that an impossible value raises pydantic's
ValidationError instead of entering the quote. An unknown id raises KeyError: that is a programming error.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from typing import TypeVar

from estimator.catalogue import Card, HourlyOffer, Lot
from estimator.evidence import GIVEN, Evidence, Stated, StatedDuration
from estimator.quote import (
    ConditionRecord,
    DeliveredAs,
    Fee,
    FeeKind,
    ForbiddenSeller,
    Independence,
    MemoryPhase,
    Organisation,
    Ownership,
    Pricing,
    Project,
    Quote,
    ResourceKind,
    ResourceNeed,
    SharedResource,
    Stage,
    StageKind,
    StageLayout,
    StateClass,
    StateTerm,
    Tasks,
    Workload,
)
from estimator.units import MS_PER, TimeUnit

STATION_ID = "assembly-station"

Row = TypeVar("Row", Stage, Organisation, Card, Fee, Lot | HourlyOffer)


def with_workload(quote: Quote, **changes: object) -> Quote:
    """Return the quote with fields of its workload changed."""
    return quote.replaced(workload=quote.workload.replaced(**changes))


def with_stage(quote: Quote, stage_id: str, **changes: object) -> Quote:
    """Return the quote with fields of one stage changed."""
    stages = _changed(quote.workload.stages, stage_id, changes)
    return with_workload(quote, stages=stages)


def with_tasks(quote: Quote, stage_id: str, **changes: object) -> Quote:
    """Return the quote with columns of one stage's tasks changed."""
    stage = _found(quote.workload.stages, stage_id)
    return with_stage(quote, stage_id, tasks=stage.tasks.replaced(**changes))


def with_equal_tasks(
    quote: Quote, stage_id: str, count: int | None = None, duration: Decimal | None = None
) -> Quote:
    """Return the quote with all tasks of a stage equal; a None keeps the present count or first duration."""
    tasks = _found(quote.workload.stages, stage_id).tasks
    new_count = tasks.total if count is None else count
    new_duration = tasks.duration[0] if duration is None else duration
    return with_tasks(quote, stage_id, count=(new_count,), duration=(new_duration,), names=())


def with_whole_memory(quote: Quote, stage_id: str, gib: Decimal | None, evidence: Evidence) -> Quote:
    """Return the quote with one number for a task's memory: a single phase of a single class."""
    stage = _found(quote.workload.stages, stage_id)
    term = StateTerm(state_class=StateClass.WHOLE, gib=Stated(value=gib, evidence=evidence))
    phases = () if gib is None else (MemoryPhase(name=stage.name, terms=(term,)),)
    return with_stage(quote, stage_id, memory=stage.memory.replaced(phases=phases))


def with_memory(quote: Quote, stage_id: str, **changes: object) -> Quote:
    """Return the quote with fields of one stage's memory need changed."""
    stage = _found(quote.workload.stages, stage_id)
    return with_stage(quote, stage_id, memory=stage.memory.replaced(**changes))


def added_stage(quote: Quote, kind: StageKind, name: str) -> Quote:
    """Return the quote with a stage more, after the last one."""
    stages = quote.workload.stages
    after = (stages[-1].id,) if stages else ()
    stage = Stage(id=new_id(name, [one.id for one in stages]), name=name, kind=kind, after=after)
    return with_workload(quote, stages=(*stages, stage))


def without_stage(quote: Quote, stage_id: str) -> Quote:
    """Return the quote without that stage; stages that waited for it wait for what it waited for."""
    gone = _found(quote.workload.stages, stage_id)
    stages = []
    for stage in quote.workload.stages:
        if stage.id == stage_id:
            continue
        after: list[str] = []
        for before in stage.after:
            after += gone.after if before == stage_id else (before,)
        singly = tuple(one for one in stage.streams_from if one != stage_id)
        stages.append(stage.replaced(after=tuple(dict.fromkeys(after)), streams_from=singly))
    organisations = tuple(
        one.replaced(layouts=tuple(each for each in one.layouts if each.stage_id != stage_id))
        for one in quote.organisations
    )
    return with_workload(quote, stages=tuple(stages)).replaced(organisations=organisations)


def with_project(quote: Quote, project: Project) -> Quote:
    """Return the quote with that project, in place of one with the same id."""
    projects = quote.workload.projects
    if any(one.id == project.id for one in projects):
        kept = tuple(project if one.id == project.id else one for one in projects)
    else:
        kept = (*projects, project)
    return with_workload(quote, projects=kept)


def without_project(quote: Quote, project_id: str) -> Quote:
    """Return the quote without that project; its stages belong to none."""
    stages = tuple(
        stage.replaced(project_id="") if stage.project_id == project_id else stage
        for stage in quote.workload.stages
    )
    kept = tuple(one for one in quote.workload.projects if one.id != project_id)
    return with_workload(quote, stages=stages, projects=kept)


def with_resource(quote: Quote, resource: SharedResource) -> Quote:
    """Return the quote with that shared resource, in place of one with the same id."""
    kept = tuple(one for one in quote.workload.resources if one.id != resource.id)
    return with_workload(quote, resources=(*kept, resource))


def without_resource(quote: Quote, resource_id: str) -> Quote:
    """Return the quote without that shared resource and without any stage's need of it."""
    stages = tuple(
        stage.replaced(needs=tuple(need for need in stage.needs if need.resource_id != resource_id))
        for stage in quote.workload.stages
    )
    kept = tuple(one for one in quote.workload.resources if one.id != resource_id)
    return with_workload(quote, stages=stages, resources=kept)


def shared_by_all(quote: Quote, kind: ResourceKind, name: str, unit: str) -> Quote:
    """Return the quote with a resource of that kind, its capacity unknown, needed by every stage on cards."""
    id_ = new_id(kind.value, [one.id for one in quote.workload.resources])
    quote = with_resource(quote, SharedResource(id=id_, name=name, kind=kind, unit=unit))
    stages = tuple(
        stage.replaced(needs=(*stage.needs, ResourceNeed(resource_id=id_))) if stage.on_cards else stage
        for stage in quote.workload.stages
    )
    return with_workload(quote, stages=stages)


def with_organisation(quote: Quote, organisation_id: str, **changes: object) -> Quote:
    """Return the quote with fields of one organisation changed."""
    return quote.replaced(organisations=_changed(quote.organisations, organisation_id, changes))


def with_layout(quote: Quote, organisation_id: str, stage_id: str, **changes: object) -> Quote:
    """Return the quote with one organisation's layout of one stage changed."""
    organisation = _found(quote.organisations, organisation_id)
    layout = organisation.layout(stage_id).replaced(**changes)
    kept = tuple(one for one in organisation.layouts if one.stage_id != stage_id)
    return with_organisation(quote, organisation_id, layouts=(*kept, layout))


def added_organisation(quote: Quote, tasks_at_once: int | None, cards_per_task: int = 1) -> Quote:
    """Return the quote with an organisation more, laid out like the reference but for its key."""
    letter = next_letter([one.id for one in quote.organisations])
    layouts = tuple(
        StageLayout(stage_id=stage.id, tasks_at_once=tasks_at_once, cards_per_task=cards_per_task)
        for stage in quote.workload.stages
        if stage.on_cards
    )
    organisation = Organisation(id=letter, name=letter, layouts=layouts)
    reference = quote.reference_id or letter
    return quote.replaced(organisations=(*quote.organisations, organisation), reference_id=reference)


def organisation_within(quote: Quote, organisation_id: str, limit_ms: int, name: str) -> Quote:
    """Return the quote with an organisation more, chosen: that one with as many tasks at once as `limit_ms` asks for.

    The limit is stated in days or hours where few decimals say it exactly, else in minutes, rounded up.
    """
    letter = next_letter([one.id for one in quote.organisations])
    former = _found(quote.organisations, organisation_id)
    layouts = tuple(layout.replaced(tasks_at_once=None) for layout in former.layouts)
    value, unit = _in_few_decimals(limit_ms)
    limit = StatedDuration(value=value, unit=unit, evidence=GIVEN)
    opened = former.replaced(id=letter, name=name, layouts=layouts, limit=limit, proven=None)
    return quote.replaced(organisations=(*quote.organisations, opened), chosen_plan=letter)


def _in_few_decimals(ms: int) -> tuple[Decimal, TimeUnit]:
    for unit, parts in ((TimeUnit.DAY, 100), (TimeUnit.HOUR, 1_000)):
        if ms >= MS_PER[unit] and ms * parts % MS_PER[unit] == 0:
            return Decimal(ms * parts // MS_PER[unit]) / parts, unit
    return Decimal(-(-ms * 100 // MS_PER[TimeUnit.MINUTE])) / 100, TimeUnit.MINUTE


def without_organisation(quote: Quote, organisation_id: str) -> Quote:
    """Return the quote without that organisation; another becomes the reference where it was."""
    kept = tuple(one for one in quote.organisations if one.id != organisation_id)
    reference = quote.reference_id
    if reference == organisation_id:
        reference = kept[0].id if kept else ""
    chosen = "" if quote.chosen_plan.split("/", 1)[0] == organisation_id else quote.chosen_plan
    return quote.replaced(organisations=kept, reference_id=reference, chosen_plan=chosen)


def with_offer(quote: Quote, offer: Lot | HourlyOffer, card: Card | None) -> Quote:
    """Return the quote with that offer and its card copied in, in place of those with the same ids."""
    offers = (*(one for one in quote.offers if one.id != offer.id), offer)
    cards = quote.cards
    if card is not None and quote.card(card.id) is None:
        cards = (*cards, card)
    return quote.replaced(offers=offers, cards=cards)


def without_offer(quote: Quote, offer_id: str) -> Quote:
    """Return the quote without that offer; its card goes too where nothing else names it."""
    offers = tuple(one for one in quote.offers if one.id != offer_id)
    named = {one.card_id for one in offers}
    for organisation in quote.organisations:
        named.update(card_id for layout in organisation.layouts for card_id in layout.card_ids)
    for stage in quote.workload.stages:
        named.update(factor.card_id for factor in stage.card_factors)
    organisations = tuple(
        one
        if one.offer_ids is None
        else one.replaced(offer_ids=tuple(id_ for id_ in one.offer_ids if id_ != offer_id))
        for one in quote.organisations
    )
    cards = tuple(card for card in quote.cards if card.id in named)
    return quote.replaced(offers=offers, cards=cards, organisations=organisations)


def with_card(quote: Quote, card_id: str, **changes: object) -> Quote:
    """Return the quote with fields of one copied card changed."""
    return quote.replaced(cards=_changed(quote.cards, card_id, changes))


def with_offer_fields(quote: Quote, offer_id: str, **changes: object) -> Quote:
    """Return the quote with fields of one copied offer changed."""
    return quote.replaced(offers=_changed(quote.offers, offer_id, changes))


def with_pricing(quote: Quote, **changes: object) -> Quote:
    """Return the quote with fields of its pricing changed."""
    return quote.replaced(pricing=quote.pricing.replaced(**changes))


def with_ownership(quote: Quote, **changes: object) -> Quote:
    """Return the quote with fields of what owning costs changed; the first makes it part of the quote."""
    ownership = quote.pricing.ownership or Ownership()
    return with_pricing(quote, ownership=ownership.replaced(**changes))


def with_forbidden_seller(quote: Quote, seller: str, reason: str = "") -> Quote:
    """Return the quote with a seller that the customer does not admit, once, with the latest reason."""
    others = without_forbidden_seller(quote, seller).forbidden_sellers
    return quote.replaced(forbidden_sellers=(*others, ForbiddenSeller(seller=seller.strip(), reason=reason)))


def without_forbidden_seller(quote: Quote, seller: str) -> Quote:
    """Return the quote with that seller admitted again."""
    rule = quote.forbids(seller)
    return quote.replaced(forbidden_sellers=tuple(one for one in quote.forbidden_sellers if one is not rule))


def with_fee(quote: Quote, fee_id: str, **changes: object) -> Quote:
    """Return the quote with fields of one fee changed."""
    return with_pricing(quote, fees=_changed(quote.pricing.fees, fee_id, changes))


def with_condition(quote: Quote, record: ConditionRecord) -> Quote:
    """Return the quote with what was recorded about a condition."""
    kept = tuple(one for one in quote.conditions if one.id != record.id)
    return quote.replaced(conditions=(*kept, record))


def new_quote(
    *,
    unit: str,
    count: int | None,
    stage_name: str,
    independence: Independence = Independence.INDEPENDENT,
    assembly_name: str = "",
    gate_name: str = "",
    station_name: str = "",
    shared: Iterable[tuple[ResourceKind, str, str]] = (),
    language: str = "es",
    number_format: str = "es_ES",
    currency: str = "EUR",
) -> Quote:
    """Return a first quote from the three answers: what is computed, whether alone, what is shared.

    Stages: computation, assembly where `assembly_name` is given, gate where `gate_name` is. Two organisations:
    A one task at a time, B two. Names come translated from the face.
    """
    kind = StageKind.COOPERATIVE if independence is Independence.COOPERATIVE else StageKind.INDEPENDENT
    compute = Stage(id="compute", name=stage_name or unit, kind=kind, tasks=Tasks(count=(count or 1,)))
    stages = [compute]
    resources: list[SharedResource] = []
    if assembly_name:
        one = Stated(value=Decimal(1), evidence=GIVEN)
        station = SharedResource(id=STATION_ID, name=station_name, kind=ResourceKind.STATION, capacity=one)
        resources.append(station)
        need = ResourceNeed(resource_id=STATION_ID)
        stages.append(
            Stage(
                id="assembly", name=assembly_name, kind=StageKind.STATION, after=("compute",), needs=(need,)
            )
        )
    if gate_name:
        stages.append(Stage(id="gate", name=gate_name, kind=StageKind.GATE, after=(stages[-1].id,)))
    workload = Workload(
        computation_unit=unit,
        units_per_delivery=count,
        independence=independence,
        delivered_as=DeliveredAs.BATCH,
        stages=tuple(stages),
        resources=tuple(resources),
    )
    fees = tuple(
        Fee(id=fee.value, kind=fee)
        for fee in (FeeKind.STATION, FeeKind.STORAGE, FeeKind.TRANSFER_OUT, FeeKind.SET_UP)
    )
    quote = Quote(
        language=language,
        number_format=number_format,
        workload=workload,
        pricing=Pricing(currency=currency, fees=fees),
    )
    for resource_kind, name, resource_unit in shared:
        quote = shared_by_all(quote, resource_kind, name, resource_unit)
    per_task = 2 if kind is StageKind.COOPERATIVE else 1
    return added_organisation(added_organisation(quote, 1, per_task), 2, per_task)


def new_id(name: str, taken: Iterable[str]) -> str:
    """Return a readable id made from `name`, different from those taken."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    base = re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "item"
    used = set(taken)
    if base not in used:
        return base
    number = 2
    while f"{base}-{number}" in used:
        number += 1
    return f"{base}-{number}"


def next_letter(taken: Iterable[str]) -> str:
    """Return the first of A, B, … Z, A2, B2 … that is not taken."""
    used = set(taken)
    round_ = 1
    while True:
        for code in range(ord("A"), ord("Z") + 1):
            letter = chr(code) if round_ == 1 else f"{chr(code)}{round_}"
            if letter not in used:
                return letter
        round_ += 1


def _found(rows: tuple[Row, ...], id_: str) -> Row:
    for row in rows:
        if row.id == id_:
            return row
    raise KeyError(id_)


def _changed(rows: tuple[Row, ...], id_: str, changes: dict[str, object]) -> tuple[Row, ...]:
    row = _found(rows, id_)
    return tuple(row.replaced(**changes) if one is row else one for one in rows)
