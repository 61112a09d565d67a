"""Which offers an organisation may rent, and what a schedule on them costs: one plan an offer or kind of lot.

Whole lots are chosen by the rental engine; hourly cards are billed per card and start. An offer that cannot be
used is excluded with its reason, never left out in silence.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from estimator.catalogue import HourlyOffer, Lot
from estimator.plan.fleet import Fleet, FleetPart, fleet_of
from estimator.plan.scheduling import timing_of
from estimator.plan.starting import rental_start
from estimator.problems import Absent
from estimator.quote import Organisation, Quote
from estimator.rental.hourly import Billing, card_billed_ms, hourly_cost
from estimator.rental.plan import Holding as PlannedHolding
from estimator.rental.plan import LotNeed, LotOffer, plan_lots
from estimator.rental.terms import TermPrice, held_ms
from estimator.results.estimate import Holding, Timing


@dataclass(frozen=True, slots=True)
class Rented:
    """What is held, and when the tasks run on it. `key` tells it from the organisation's other plans."""

    key: str
    card_id: str
    holdings: tuple[Holding, ...]
    timing: Timing
    proven: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """What an organisation asks of its cards at once: `slots` tasks of `cards_per_task` cards, or of a slice."""

    slots: int
    cards_per_task: int
    may_cross_nodes: bool
    slices_per_card: int = 1

    @property
    def cards(self) -> int:
        """Cards that work at once; slices of the same card count once."""
        return -(-self.slots * self.cards_per_task // self.slices_per_card)

    def fleet(self, parts: Sequence[FleetPart]) -> Fleet:
        """Return the places of the tasks at once on those parts."""
        return fleet_of(parts, self.slots, self.cards_per_task, self.may_cross_nodes, self.slices_per_card)


def rented_by_the_hour(
    quote: Quote, organisation: Organisation, offer: HourlyOffer, shape: Shape
) -> Rented | Absent:
    """Return the organisation on cards of one hourly offer, each billed from its set-up to its last task."""
    if offer.max_cards is not None and shape.cards > offer.max_cards:
        return Absent(
            "offer_too_small", ("offers", offer.id), (("cards", shape.cards), ("available", offer.max_cards))
        )
    if shape.cards_per_task > offer.cards_per_node and not shape.may_cross_nodes:
        return Absent(
            "task_wider_than_lot", ("offers", offer.id), (("cards_per_task", shape.cards_per_task),)
        )
    if offer.interruptible and quote.workload.limit is not None:
        return Absent("interruptible_with_limit", ("offers", offer.id))
    setup_ms = setup_of(offer)
    if setup_ms is None:
        return Absent("missing_set_up", ("offers", offer.id, "setup"))
    per_node = offer.cards_per_node // shape.cards_per_task * shape.cards_per_task or shape.cards_per_task
    cards = max(per_node, -(-shape.cards // per_node) * per_node)
    part = FleetPart(offer.id, offer.card_id, 1, cards, per_node, setup_ms, until_of(offer), offer.hours)
    fleet = shape.fleet([part])
    timing = timing_of(quote, organisation, fleet)
    if isinstance(timing, Absent):
        return timing
    billing = Billing(offer.granularity_s, offer.minimum_s, offer.monthly_cap_hours)
    sessions = _sessions(timing, fleet, quote.pricing.hold_through_assembly)
    paid = sum(card_billed_ms(lengths, billing) for lengths in sessions)
    cost: Decimal | Absent
    if offer.price_per_card_hour is None:
        cost = Absent("missing_price", ("offers", offer.id, "price"), (("offer", offer.name),))
    else:
        cost = hourly_cost(offer.price_per_card_hour, paid)
    holding = Holding(
        offer_id=offer.id,
        count=fleet.cards,
        cards=fleet.cards,
        terms=(),
        held_ms=timing.busy_ms,
        paid_card_ms=paid,
        cost=cost,
        is_sample=offer.sample,
        price_kind=offer.price_evidence.kind,
    )
    return Rented(f"hourly:{offer.id}", offer.card_id, (holding,), timing, proven=True)


def rented_in_lots(
    quote: Quote, organisation: Organisation, lots: Sequence[Lot], shape: Shape
) -> Rented | Absent:
    """Return the organisation on the cheapest whole lots among `lots`, all of one card model and currency."""
    offers: list[LotOffer] = []
    for lot in lots:
        setup_ms = setup_of(lot)
        if setup_ms is None:
            return Absent("missing_set_up", ("offers", lot.id, "setup"))
        terms = tuple(TermPrice(term.days, term.price) for term in lot.terms)
        offers.append(LotOffer(lot.id, lot.cards, lot.cards_per_node, terms, lot.stock, setup_ms))
    by_id = {lot.id: lot for lot in lots}
    start = rental_start(quote)
    busy_ms = 0
    while True:
        # Lots are taken for cards: the tasks at once of one card cut into slices are one slot of one card.
        slots = shape.slots if shape.slices_per_card == 1 else shape.cards
        need = LotNeed(slots, shape.cards_per_task, shape.may_cross_nodes, busy_ms)
        plan = plan_lots(need, tuple(offers), start)
        if isinstance(plan, Absent):
            return Absent(plan.code, ("offers", lots[0].id), plan.values)
        parts = [
            FleetPart(
                lot.id,
                lot.card_id,
                held.count,
                lot.cards,
                lot.cards_per_node,
                setup_of(lot) or 0,
                until_of(lot),
                lot.hours,
            )
            for held in plan.holdings
            for lot in (by_id[held.offer_id],)
        ]
        fleet = shape.fleet(parts)
        timing = timing_of(quote, organisation, fleet)
        if isinstance(timing, Absent):
            return timing
        if timing.busy_ms <= busy_ms:
            break
        # The set-up of the chosen lots is part of the time they are needed for; it only ever grows.
        busy_ms = timing.busy_ms
    holdings = tuple(_held(planned, by_id, start) for planned in plan.holdings)
    first = lots[0]
    foreign = "" if first.currency == quote.pricing.currency else f":{first.currency}"
    return Rented(f"lots:{first.card_id}{foreign}", first.card_id, holdings, timing, plan.proven)


def _held(held: PlannedHolding, by_id: dict[str, Lot], start: dt.datetime | None) -> Holding:
    lot = by_id[held.offer_id]
    length_ms = held_ms(start, held.cover.held_days)
    return Holding(
        offer_id=lot.id,
        count=held.count,
        cards=held.count * lot.cards,
        terms=held.cover.terms,
        held_ms=length_ms,
        paid_card_ms=held.count * lot.cards * length_ms,
        cost=held.cost,
        is_sample=lot.sample,
        price_kind=lot.price_evidence.kind,
    )


def setup_of(offer: Lot | HourlyOffer) -> int | None:
    """Return the set-up of an offer in ms, 0 where it has none, None where it is not known."""
    return 0 if offer.setup is None else offer.setup.ms


def until_of(offer: Lot | HourlyOffer) -> int:
    """Return until when the offer's cards are there, in ms from the start; -1 as long as they are paid for."""
    ms = None if offer.available_for is None else offer.available_for.ms
    return -1 if ms is None else ms


def _sessions(timing: Timing, fleet: Fleet, hold: bool) -> list[list[int]]:
    """Return for each card the lengths of its paid sessions in ms, set-up inside each.

    A card is released after its last task of a stage; a gap before the next stage ends its session and the
    restart pays set-up again. With `hold` one session lasts from the first set-up to the delivery. A card in
    slices is paid from the first to the last task of any of them.
    """
    schedule = timing.schedule
    spans: list[dict[str, list[int]]] = [{} for _ in range(fleet.cards)]
    last = schedule.run_start_ms + (schedule.run_count - 1) * schedule.run_step_ms + schedule.run_duration_ms
    for place, group, start, end in zip(
        schedule.run_card.tolist(),
        schedule.run_group.tolist(),
        schedule.run_start_ms.tolist(),
        last.tolist(),
        strict=True,
    ):
        if place < 0:
            continue
        span = spans[place // fleet.slices_per_card].setdefault(timing.group_stage[group], [start, end])
        span[0], span[1] = min(span[0], start), max(span[1], end)
    result: list[list[int]] = []
    for card, stages in enumerate(spans):
        setup = fleet.ready_ms[card * fleet.slices_per_card]
        merged: list[list[int]] = []
        for start, end in sorted((span[0], span[1]) for span in stages.values()):
            if merged and (hold or start <= merged[-1][1]):
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        if hold and merged:
            merged[-1][1] = max(merged[-1][1], timing.delivery_ms)
        result.append([end - start + setup for start, end in merged])
    return result
