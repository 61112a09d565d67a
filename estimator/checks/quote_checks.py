"""Every check of a quote, in the order of the method's pages: work, organisations, cards, cost.

A check looks at the document only. What needs a schedule or a plan (a limit that nothing meets, a term that ends
before the plan) is found where that is computed.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator

from estimator.catalogue import HourlyOffer, Lot
from estimator.evidence import StatedDuration
from estimator.problems import Place, Problem, Severity
from estimator.quote import CardSlicing, Organisation, Quote, Stage, StageKind


def problems_of(quote: Quote, today: dt.date) -> tuple[Problem, ...]:
    """Return what a person can put right: errors, then missing data, then warnings. `today` ages prices."""
    found = [
        *_ids(quote),
        *_work(quote),
        *_shared(quote),
        *_organisations(quote),
        *_offers(quote, today),
        *_pricing(quote),
    ]
    order = list(Severity)
    return tuple(sorted(found, key=lambda problem: order.index(problem.severity)))


def cycle_of(stages: tuple[Stage, ...]) -> tuple[str, ...]:
    """Return the names of stages that wait for each other in a circle; those merely behind one are not named."""
    waits = {stage.id: set(stage.after) for stage in stages}
    leads: dict[str, set[str]] = {stage.id: set() for stage in stages}
    for stage in stages:
        for before in stage.after:
            if before in leads:
                leads[before].add(stage.id)
    remaining = set(waits)
    while True:
        free = {one for one in remaining if not (waits[one] & remaining) or not (leads[one] & remaining)}
        if not free:
            break
        remaining -= free
    # Peeled from both ends; what is left lies on a cycle or between two of them.
    return tuple(stage.name for stage in stages if stage.id in remaining)


def _problem(code: str, where: Place, severity: Severity, **values: object) -> Problem:
    return Problem(code, where, severity, tuple(values.items()))


def _ids(quote: Quote) -> Iterator[Problem]:
    for kind, ids in (
        ("stages", [stage.id for stage in quote.workload.stages]),
        ("resources", [resource.id for resource in quote.workload.resources]),
        ("organisations", [organisation.id for organisation in quote.organisations]),
        ("projects", [project.id for project in quote.workload.projects]),
        ("offers", [offer.id for offer in quote.offers]),
        ("cards", [card.id for card in quote.cards]),
    ):
        for id_, times in Counter(ids).items():
            if times > 1:
                yield _problem("id_twice", (kind, id_), Severity.ERROR, id=id_)


def _work(quote: Quote) -> Iterator[Problem]:
    stages = quote.workload.stages
    if not any(stage.on_cards for stage in stages):
        yield _problem("no_work", ("workload", "stages"), Severity.MISSING)
    known = {stage.id for stage in stages}
    resources = {resource.id for resource in quote.workload.resources}
    projects = {project.id for project in quote.workload.projects}
    for project in quote.workload.projects:
        yield from _moments(project.name, ("workload", "projects", project.id), project.release, project.due)
    names = cycle_of(stages)
    if names:
        yield _problem("cycle", ("workload", "stages"), Severity.ERROR, stages=", ".join(names))
    for stage in stages:
        where = ("workload", "stages", stage.id)
        for before in stage.after:
            if before not in known:
                yield _problem(
                    "stage_unknown", (*where, "after"), Severity.ERROR, stage=stage.name, id=before
                )
        if stage.project_id and stage.project_id not in projects:
            place = (*where, "project")
            yield _problem("project_unknown", place, Severity.ERROR, stage=stage.name, id=stage.project_id)
        yield from _shares(quote, stage)
        yield from _moments(stage.name, where, stage.release, stage.due)
        if stage.hours is not None and quote.start is None:
            yield _problem("hours_without_start", ("start",), Severity.MISSING, name=stage.name)
        for need in stage.needs:
            if need.resource_id not in resources:
                code = "resource_unknown"
                yield _problem(code, (*where, "needs"), Severity.ERROR, stage=stage.name, id=need.resource_id)
        if any(need.amount.value is None for need in stage.needs):
            yield _problem("missing_need", (*where, "needs"), Severity.MISSING, stage=stage.name)
        if stage.kind is StageKind.GATE:
            continue
        if stage.tasks.has_unknown:
            yield _problem("missing_duration", (*where, "duration"), Severity.MISSING, stage=stage.name)
        elif 0 in stage.tasks.duration and stage.on_cards:
            yield _problem("duration_not_positive", (*where, "duration"), Severity.ERROR, stage=stage.name)
        if stage.on_cards:
            yield from _memory(stage)


def _shares(quote: Quote, stage: Stage) -> Iterator[Problem]:
    """Say where tasks handed over one by one have no whole share, or another than a delivery takes."""
    where = ("workload", "stages", stage.id, "after")
    per_delivery = quote.workload.units_per_delivery
    for before_id in stage.after:
        before = quote.workload.stage(before_id)
        if before is None or not stage.streams(before_id):
            continue
        values = {
            "stage": stage.name,
            "count": stage.task_count,
            "before": before.name,
            "before_count": before.task_count,
        }
        fewer, more = sorted((before.task_count, stage.task_count))
        if more % fewer:
            yield _problem("no_whole_share", where, Severity.ERROR, **values)
        elif (
            per_delivery is not None
            and before is quote.workload.main_stage
            and stage.kind is StageKind.STATION
            and before.task_count != stage.task_count * per_delivery
        ):
            values |= {"share": more // fewer, "per_delivery": per_delivery}
            yield _problem("share_differs", where, Severity.WARNING, **values)


def _moments(
    name: str, where: Place, release: StatedDuration | None, due: StatedDuration | None
) -> Iterator[Problem]:
    for field, stated in (("release", release), ("due", due)):
        if stated is not None and stated.value is None:
            yield _problem(f"missing_{field}", (*where, field), Severity.MISSING, name=name)
        elif stated is not None and stated.value is not None and stated.value < 0:
            yield _problem("moment_negative", (*where, field), Severity.ERROR, name=name)
    begin, end = (None if one is None else one.ms for one in (release, due))
    if begin and end is not None and end <= begin:
        yield _problem("due_before_release", (*where, "due"), Severity.ERROR, name=name)


def _memory(stage: Stage) -> Iterator[Problem]:
    where = ("workload", "stages", stage.id, "memory")
    terms = [term for phase in stage.memory.phases for term in phase.terms]
    is_stated = stage.memory.model is None
    if is_stated and (not terms or any(term.gib.value is None for term in terms)):
        yield _problem("missing_memory", where, Severity.MISSING, stage=stage.name)
    for term in terms:
        if term.gib.value is not None and term.gib.value < 0:
            yield _problem("memory_negative", where, Severity.ERROR, stage=stage.name)
    for name, stated in (("context", stage.memory.context_gib), ("margin", stage.memory.margin_percent)):
        if stated.value is None:
            yield _problem(f"missing_{name}", (*where, name), Severity.MISSING, stage=stage.name)


def _shared(quote: Quote) -> Iterator[Problem]:
    workload = quote.workload
    for resource in workload.resources:
        where = ("workload", "resources", resource.id)
        if resource.capacity.value is None:
            yield _problem("missing_capacity", where, Severity.MISSING, resource=resource.name)
        elif resource.capacity.value <= 0:
            yield _problem("capacity_not_positive", where, Severity.ERROR, resource=resource.name)
    for name, stated in (
        ("limit", workload.limit),
        ("quota_cards", workload.quota_cards),
        ("budget", workload.budget),
    ):
        if stated is not None and stated.value is not None and stated.value <= 0:
            yield _problem(f"{name}_not_positive", ("workload", name), Severity.ERROR)
    slow_down = workload.mutual_slow_down
    if slow_down.value is not None and slow_down.value < 1:
        yield _problem("slow_down_below_one", ("workload", "mutual_slow_down"), Severity.ERROR)


def _organisations(quote: Quote) -> Iterator[Problem]:
    if not quote.organisations:
        yield _problem("no_organisation", ("organisations",), Severity.MISSING)
    for organisation in quote.organisations:
        yield from _organisation(quote, organisation)


def _organisation(quote: Quote, organisation: Organisation) -> Iterator[Problem]:
    where = ("organisations", organisation.id)
    name = organisation.name or organisation.id
    needs = [
        stage
        for stage in quote.workload.stages
        if stage.on_cards
        and (stage.kind is StageKind.COOPERATIVE or organisation.layout(stage.id).cards_per_task > 1)
    ]
    if needs and not organisation.mechanism.strip():
        yield _problem("no_mechanism", (*where, "mechanism"), Severity.MISSING, organisation=name)
    if organisation.slicing is not None:
        yield from _slicing(quote, organisation, organisation.slicing, needs)
    limit = organisation.limit
    if limit is not None and limit.value is not None and limit.value <= 0:
        yield _problem("limit_not_positive", where, Severity.ERROR)
    for offer_id in organisation.offer_ids or ():
        if quote.offer(offer_id) is None:
            yield _problem("offer_unknown", (*where, "offers"), Severity.ERROR, id=offer_id)


def _slicing(
    quote: Quote, organisation: Organisation, slicing: CardSlicing, wide: list[Stage]
) -> Iterator[Problem]:
    """Yield what bars the slices: a stage that needs several cards, no such card, a factor missing or below 1."""
    where = ("organisations", organisation.id, "slicing")
    for stage in wide[:1]:
        yield _problem("slice_too_narrow", where, Severity.ERROR, stage=stage.name)
    factor = slicing.duration_factor.value
    if factor is None:
        yield _problem("missing_slice_factor", (*where, "duration_factor"), Severity.MISSING)
    elif factor < 1:
        yield _problem("slice_factor_below_one", (*where, "duration_factor"), Severity.ERROR)
    if quote.cards and all(slicing.of(card) is None for card in quote.cards):
        yield _problem("slice_without_card", where, Severity.WARNING, slice=slicing.name)


def _offers(quote: Quote, today: dt.date) -> Iterator[Problem]:
    if not quote.offers:
        yield _problem("no_offer", ("offers",), Severity.MISSING)
    for offer in quote.offers:
        where = ("offers", offer.id)
        if quote.card(offer.card_id) is None:
            yield _problem("card_unknown", where, Severity.ERROR, card=offer.card_id, offer=offer.name)
        yield from _price(quote, offer, today)
        foreign = offer.currency != quote.pricing.currency
        if foreign and all(rate.currency != offer.currency for rate in quote.pricing.rates):
            place = ("pricing", "rates", offer.currency)
            yield _problem("missing_rate", place, Severity.MISSING, currency=offer.currency)


def _price(quote: Quote, offer: Lot | HourlyOffer, today: dt.date) -> Iterator[Problem]:
    where = ("offers", offer.id, "price")
    if isinstance(offer, HourlyOffer) and offer.price_per_card_hour is None:
        yield _problem("missing_price", where, Severity.MISSING, offer=offer.name)
        return
    if isinstance(offer, Lot) and not offer.terms:
        yield _problem("missing_price", where, Severity.MISSING, offer=offer.name)
        return
    if offer.price_date is None:
        yield _problem("price_undated", (*where, "date"), Severity.WARNING, offer=offer.name)
    elif (age := (today - offer.price_date).days) > quote.pricing.price_age_limit_days:
        yield _problem("price_old", (*where, "date"), Severity.WARNING, offer=offer.name, days=age)


def _pricing(quote: Quote) -> Iterator[Problem]:
    for name, stated in (
        ("tax_percent", quote.pricing.tax_percent),
        ("discount_percent", quote.pricing.discount_percent),
        ("contingency_percent", quote.pricing.contingency_percent),
    ):
        if stated is not None and stated.value is not None and not 0 <= stated.value <= 100:
            yield _problem("percent_out_of_range", ("pricing", name), Severity.ERROR)
