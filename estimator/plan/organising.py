"""One organisation worked out: memory, time, and every way of renting it that the quote's offers allow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from estimator.catalogue import Card, HourlyOffer, Lot
from estimator.evidence import EvidenceKind, weakest
from estimator.hours import WorkingHours
from estimator.plan.fleet import Fleet, FleetPart
from estimator.plan.layouts import Layouts
from estimator.plan.memory import memory_kind, memory_of, verdicts_of
from estimator.plan.mixing import mix_that_saves, with_bound
from estimator.plan.pricing import price_kind, priced
from estimator.plan.renting import (
    Rented,
    Shape,
    held_fleet,
    rented_by_the_hour,
    rented_in_lots,
    setup_of,
    until_of,
)
from estimator.plan.scheduling import missing_for_time, time_kind, timing_of
from estimator.problems import Absent
from estimator.quote import Organisation, Quote, Stage, slice_of
from estimator.results.estimate import Decision, OrganisationResult, Plan, Timing
from estimator.results.memory import CardVerdict, Fit

MOST_CARDS_TRIED = 256


def organised(quote: Quote, organisation: Organisation, *, bounded: bool = True) -> OrganisationResult:
    """Return the organisation's memory, timing and plans. Nothing raises: what is missing is said.

    `bounded` False leaves out the closer bounds of rents, for whoever decides many times and shows none of them.
    """
    memory = memory_of(quote, organisation)
    verdicts = verdicts_of(quote, organisation, memory, quote.cards)
    missing = missing_for_time(quote, organisation)
    per_task = widest_task(quote, organisation)
    if missing is not None:
        return OrganisationResult(
            organisation_id=organisation.id,
            tasks_at_once=stated_slots(quote, organisation),
            cards_per_task=per_task,
            memory=memory,
            verdicts=verdicts,
            timing=missing,
            time_kind=EvidenceKind.UNKNOWN,
            memory_kind=memory_kind(memory),
            plans=(),
            excluded=(),
            best_plan_id="",
            slices_per_card=organisation.slices_per_card,
        )
    shape = shape_of(quote, organisation)
    plans: list[Plan] = []
    excluded: list[tuple[str, Absent]] = []
    by_card = {one.card_id: one for one in verdicts}
    for key, outcome in _rented(quote, organisation, shape, by_card, bounded):
        if isinstance(outcome, Absent):
            excluded.append((key, outcome))
        else:
            plans.append(_plan(quote, organisation, outcome, verdicts))
    timing = timing_of(quote, organisation, nominal_fleet(quote, organisation, shape))
    best = best_of(plans)
    if best is not None:
        timing = best.timing
    kind = EvidenceKind.UNKNOWN
    if isinstance(timing, Timing):
        kind = time_kind(quote, organisation, timing.places, timing.models)
    return OrganisationResult(
        organisation_id=organisation.id,
        tasks_at_once=shape_of(quote, organisation, best).slots,
        cards_per_task=shape.cards_per_task,
        memory=memory,
        verdicts=verdicts,
        timing=timing,
        time_kind=kind,
        memory_kind=memory_kind(memory),
        plans=tuple(plans),
        excluded=tuple(excluded),
        best_plan_id="" if best is None else best.id,
        slices_per_card=organisation.slices_per_card,
    )


def best_of(plans: Iterable[Plan]) -> Plan | None:
    """Return the cheapest admitted plan, then fewest cards, then earliest; else the cheapest of all priced."""
    priced_plans = [plan for plan in plans if not isinstance(plan.price.gross, Absent)]
    return min(priced_plans, key=lambda plan: (not plan.is_admitted, *order_of(plan)), default=None)


def order_of(plan: Plan) -> tuple[object, int, int, str]:
    """Return the order of recommendation: least gross cost, fewest cards, earliest delivery, then the id."""
    return (plan.price.gross, plan.decision.cards, plan.timing.delivery_ms, plan.id)


def widest_task(quote: Quote, organisation: Organisation) -> int:
    """Return the most cards that one task of the organisation needs at once."""
    layouts = Layouts(organisation)
    stages = [stage for stage in quote.workload.stages if stage.on_cards]
    return max((layouts[stage.id].cards_per_task for stage in stages), default=1)


def stated_slots(quote: Quote, organisation: Organisation) -> int | None:
    """Return the tasks at once that the organisation states, in slots of its widest task; None where blank."""
    per_task = widest_task(quote, organisation)
    layouts = Layouts(organisation)
    slots = 0
    for stage in quote.workload.stages:
        if not stage.on_cards:
            continue
        layout = layouts[stage.id]
        if layout.tasks_at_once is None:
            return None
        slots = max(slots, -(-layout.tasks_at_once * layout.cards_per_task // per_task))
    return slots or None


def shape_of(quote: Quote, organisation: Organisation, plan: Plan | None = None) -> Shape:
    """Return the tasks at once and the cards of each; those of `plan` where it mixes offers.

    Where tasks at once are blank: the fewest that meet the limit within the quota; where none does, the fewest
    that deliver earliest; without a limit, one. Cards in slices are filled: the fewest cards, not the fewest tasks.
    """
    slices = organisation.slices_per_card
    per_task = widest_task(quote, organisation)
    layouts = Layouts(organisation)
    crosses = all(layouts[stage.id].may_cross_nodes for stage in quote.workload.stages if stage.on_cards)
    if plan is not None and plan.is_mix:
        return Shape(plan.timing.cards // per_task, per_task, crosses)
    stated = stated_slots(quote, organisation)
    if stated is not None:
        return Shape(stated, per_task, crosses, slices)
    limit = quote.limit_ms(organisation)
    most = most_slots(quote, organisation)
    if limit is None:
        return Shape(min(slices, most), per_task, crosses, slices)
    best_slots, best_ms = min(slices, most), -1
    for full in range(slices, most + slices, slices):
        slots = min(full, most)
        shape = Shape(slots, per_task, crosses, slices)
        timing = timing_of(quote, organisation, nominal_fleet(quote, organisation, shape))
        if isinstance(timing, Absent):
            break
        if best_ms < 0 or timing.delivery_ms < best_ms:
            best_slots, best_ms = slots, timing.delivery_ms
        if best_ms <= limit:
            break
    return Shape(best_slots, per_task, crosses, slices)


def most_slots(quote: Quote, organisation: Organisation) -> int:
    """Return the most tasks at once worth trying: every task, the quota, or MOST_CARDS_TRIED cards."""
    per_task = widest_task(quote, organisation)
    tasks = max((stage.tasks.total for stage in quote.workload.stages if stage.on_cards), default=1)
    slices = organisation.slices_per_card
    most = min(tasks, MOST_CARDS_TRIED * slices // per_task)
    quota = quote.workload.quota_cards
    if quota is not None and quota.value is not None:
        most = min(most, int(quota.value) * slices // per_task)
    return max(1, most)


def nominal_fleet(quote: Quote, organisation: Organisation, shape: Shape, plan: Plan | None = None) -> Fleet:
    """Return cards for comparing: of the plan's model and set-up where there is a plan, else as stated."""
    card_id, setup_ms, until_ms = "", 0, -1
    hours: WorkingHours | None = None
    if plan is not None:
        if plan.is_mix and shape.cards <= plan.timing.cards:
            return held_fleet(quote, plan.holdings, shape)
        card_id = plan.decision.card_ids[0]
        found = (quote.offer(holding.offer_id) for holding in plan.holdings)
        offers = [offer for offer in found if offer is not None]
        setup_ms = max((setup_of(offer) or 0 for offer in offers), default=0)
        until_ms = min((one for offer in offers if (one := until_of(offer)) >= 0), default=-1)
        hours = next((offer.hours for offer in offers if offer.hours is not None), None)
    else:
        layouts = Layouts(organisation)
        eligible = [
            card_id
            for stage in quote.workload.stages
            if stage.on_cards
            for card_id in layouts[stage.id].card_ids
        ]
        card_id = eligible[0] if eligible else ""
    part = FleetPart("", card_id, 1, shape.cards, shape.cards, setup_ms, until_ms, hours)
    return replace(shape, may_cross_nodes=True).fleet([part])


def _rented(
    quote: Quote,
    organisation: Organisation,
    shape: Shape,
    verdicts: dict[str, CardVerdict],
    bounded: bool,
) -> list[tuple[str, Rented | Absent]]:
    """Return every way of renting: each hourly offer, each card model's lots together, and a mix that saves."""
    result: list[tuple[str, Rented | Absent]] = []
    lots: dict[tuple[str, str], list[Lot]] = {}
    admitted: list[Lot | HourlyOffer] = []
    layouts = Layouts(organisation)
    restricted = [
        (stage, allowed)
        for stage in quote.workload.stages
        if stage.on_cards and (allowed := layouts[stage.id].card_ids)
    ]
    for offer in quote.offers:
        if not organisation.may_use(offer.id):
            continue
        reason = _not_admitted(quote, organisation, restricted, offer, verdicts)
        if reason is not None:
            result.append((offer.id, reason))
            continue
        admitted.append(offer)
        if isinstance(offer, HourlyOffer):
            result.append((offer.id, rented_by_the_hour(quote, organisation, offer, shape)))
        else:
            # Prices of two currencies cannot be compared lot by lot.
            lots.setdefault((offer.card_id, offer.currency), []).append(offer)
    for group in lots.values():
        rented = rented_in_lots(quote, organisation, group, shape)
        if bounded and not isinstance(rented, Absent):
            rented = with_bound(quote, organisation, shape, group, rented)
        result.append((group[0].id, rented))
    alone = [outcome for _, outcome in result if not isinstance(outcome, Absent)]
    at = (
        alone[0].timing
        if alone
        else timing_of(quote, organisation, nominal_fleet(quote, organisation, shape))
    )
    if isinstance(at, Absent):
        return result
    mix = mix_that_saves(quote, organisation, shape, admitted, alone, at, bounded=bounded)
    return result if mix is None else [*result, (mix.key, mix)]


def _not_admitted(
    quote: Quote,
    organisation: Organisation,
    restricted: Sequence[tuple[Stage, tuple[str, ...]]],
    offer: Lot | HourlyOffer,
    verdicts: dict[str, CardVerdict],
) -> Absent | None:
    forbidden = quote.forbids(offer.seller)
    if forbidden is not None:
        values = (("seller", offer.seller), ("reason", forbidden.reason.strip().rstrip(".")))
        code = "seller_forbidden" if forbidden.reason.strip() else "seller_forbidden_unexplained"
        return Absent(code, ("offers", offer.id), values)
    card = quote.card(offer.card_id)
    if card is None:
        return Absent("card_unknown", ("offers", offer.id), (("card", offer.card_id),))
    for stage, allowed in restricted:
        if offer.card_id not in allowed:
            return Absent(
                "card_not_eligible", ("offers", offer.id), (("card", card.name), ("stage", stage.name))
            )
    seen = slice_of(organisation.slicing, card)
    if seen is None:
        return no_such_slice(organisation, card, offer.id)
    verdict = verdicts.get(offer.card_id)
    if verdict is not None and verdict.fits is Fit.NO:
        short = -(verdict.spare_bytes or 0)
        return Absent("does_not_fit", ("offers", offer.id), (("card", seen.name), ("short_bytes", short)))
    return None


def no_such_slice(organisation: Organisation, card: Card, offer_id: str) -> Absent:
    """Return that a card model does not give the slices of the organisation, as the reason to leave its offer out."""
    name = "" if organisation.slicing is None else organisation.slicing.name
    return Absent("no_such_slice", ("offers", offer_id), (("card", card.name), ("slice", name)))


def _plan(quote: Quote, organisation: Organisation, rented: Rented, verdicts: Sequence[CardVerdict]) -> Plan:
    workload = quote.workload
    price = priced(quote, rented.holdings)
    limit = quote.limit_ms(organisation)
    budget = None if workload.budget is None else workload.budget.value
    quota = None if workload.quota_cards is None else workload.quota_cards.value
    cards = sum(holding.cards for holding in rented.holdings)
    paid = sum(holding.paid_card_ms for holding in rented.holdings)
    kind = time_kind(quote, organisation, rented.timing.places, rented.timing.models)
    models = rented.timing.models
    return Plan(
        id=f"{organisation.id}/{rented.key}",
        organisation_id=organisation.id,
        decision=Decision(
            organisation.id,
            models,
            cards,
            tuple((held.offer_id, held.count, held.terms) for held in rented.holdings),
        ),
        timing=rented.timing,
        holdings=rented.holdings,
        price=price,
        verdicts=tuple(_verdict(quote, card_id, verdicts) for card_id in models),
        meets_limit=None if limit is None else rented.timing.delivery_ms <= limit,
        within_budget=None if budget is None or isinstance(price.gross, Absent) else price.gross <= budget,
        within_quota=None if quota is None else cards <= quota,
        unused_card_ms=paid - int(rented.timing.schedule.card_busy_ms.sum()) // organisation.slices_per_card,
        proven=rented.proven,
        rent_bound=rented.bound,
        kind=weakest([price_kind(quote.pricing, rented.holdings, kind)]),
    )


def _verdict(quote: Quote, card_id: str, verdicts: Sequence[CardVerdict]) -> CardVerdict:
    card = quote.card(card_id)
    unknown = CardVerdict(card_id, card.usable_bytes if card else 0, Fit.UNKNOWN)
    return next((one for one in verdicts if one.card_id == card_id), unknown)
