"""Which offers an organisation may rent, and what a schedule on them costs: one plan an offer or kind of lot.

Whole lots are chosen by the rental engine; hourly cards are billed per card and start. An offer that cannot be
used is excluded with its reason, never left out in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from estimator.catalogue import HourlyOffer, Lot
from estimator.plan.fleet import Fleet, FleetPart, fleet_of
from estimator.plan.scheduling import timing_of
from estimator.plan.starting import rental_start
from estimator.problems import Absent
from estimator.quote import Organisation, Quote
from estimator.rental.hourly import Billing, card_billed_ms, hourly_cost
from estimator.rental.plan import LotNeed, LotOffer, plan_lots
from estimator.rental.terms import TermPrice, cover_days, days_needed, held_ms
from estimator.results.estimate import Holding, Timing


@dataclass(frozen=True, slots=True)
class Rented:
    """What is held, and when the tasks run on it. `key` tells it from the organisation's other plans.

    `bound`: the least that renting for it can cost, None where a price is missing.
    """

    key: str
    holdings: tuple[Holding, ...]
    timing: Timing
    proven: bool
    bound: Decimal | None


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
    if offer.interruptible and quote.limit_ms(organisation) is not None:
        return Absent("interruptible_with_limit", ("offers", offer.id))
    setup_ms = setup_of(offer)
    if setup_ms is None:
        return Absent("missing_set_up", ("offers", offer.id, "setup"))
    part = _hourly_part(offer, shape.cards, shape)
    fleet = shape.fleet([part])
    timing = timing_of(quote, organisation, fleet)
    if isinstance(timing, Absent):
        return timing
    holding = hourly_holding(quote, offer, timing)
    bound = None if isinstance(holding.cost, Absent) else holding.cost
    return Rented(f"hourly:{offer.id}", (holding,), timing, proven=True, bound=bound)


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
        parts = [_lot_part(by_id[held.offer_id], held.count) for held in plan.holdings]
        fleet = shape.fleet(parts)
        timing = timing_of(quote, organisation, fleet)
        if isinstance(timing, Absent):
            return timing
        if timing.busy_ms <= busy_ms:
            break
        # The set-up of the chosen lots is part of the time they are needed for; it only ever grows.
        busy_ms = timing.busy_ms
    holdings = []
    for planned in plan.holdings:
        holding = held_in_lots(quote, by_id[planned.offer_id], planned.count, timing)
        if isinstance(holding, Absent):
            return holding
        holdings.append(holding)
    # As many tasks at once for the shortest term: no lots for this organisation cost less.
    least = plan_lots(replace(need, busy_ms=0), tuple(offers), start)
    bound = None if isinstance(least, Absent) else least.cost
    cost = sum((one.cost for one in holdings if not isinstance(one.cost, Absent)), Decimal(0))
    first = lots[0]
    foreign = "" if first.currency == quote.pricing.currency else f":{first.currency}"
    key = f"lots:{first.card_id}{foreign}"
    return Rented(key, tuple(holdings), timing, proven=cost == bound, bound=bound)


def held_in_lots(quote: Quote, lot: Lot, copies: int, timing: Timing) -> Holding | Absent:
    """Return copies of a lot held for the cheapest terms until the last task on their own cards ends."""
    start = rental_start(quote)
    terms = tuple(TermPrice(term.days, term.price) for term in lot.terms)
    cover = cover_days(
        terms, max(1, days_needed(_until(timing, lot.id), start))
    )  # held for a term even if nothing runs
    if cover is None:
        return Absent("no_term_price", ("offers", lot.id))
    length_ms = held_ms(start, cover.held_days)
    return Holding(
        offer_id=lot.id,
        count=copies,
        cards=copies * lot.cards,
        terms=cover.terms,
        held_ms=length_ms,
        paid_card_ms=copies * lot.cards * length_ms,
        cost=cover.cost * copies,
        is_sample=lot.sample,
        price_kind=lot.price_evidence.kind,
    )


def held_under(quote: Quote, holdings: Sequence[Holding], timing: Timing) -> tuple[Holding, ...] | Absent:
    """Return the same lots and hourly cards held for another schedule on them: its own terms and hours."""
    found: list[Holding] = []
    for one in holdings:
        offer = quote.offer(one.offer_id)
        if offer is None:
            return Absent("no_offer", ("offers", one.offer_id))
        held = (
            held_in_lots(quote, offer, one.count, timing)
            if isinstance(offer, Lot)
            else hourly_holding(quote, offer, timing)
        )
        if isinstance(held, Absent):
            return held
        found.append(held)
    return tuple(found)


def hourly_holding(quote: Quote, offer: HourlyOffer, timing: Timing) -> Holding:
    """Return the cards that a schedule uses of an hourly offer, each billed for its own sessions."""
    billing = Billing(offer.granularity_s, offer.minimum_s, offer.monthly_cap_hours)
    sessions = _sessions(timing, offer, quote.pricing.hold_through_assembly)
    paid = sum(card_billed_ms(lengths, billing) for lengths in sessions)
    cost: Decimal | Absent
    if offer.price_per_card_hour is None:
        cost = Absent("missing_price", ("offers", offer.id, "price"), (("offer", offer.name),))
    else:
        cost = hourly_cost(offer.price_per_card_hour, paid)
    return Holding(
        offer_id=offer.id,
        count=len(sessions),
        cards=len(sessions),
        terms=(),
        held_ms=_until(timing, offer.id),
        paid_card_ms=paid,
        cost=cost,
        is_sample=offer.sample,
        price_kind=offer.price_evidence.kind,
    )


def _until(timing: Timing, offer_id: str) -> int:
    """Return when the last task on the cards of an offer ends."""
    ends = timing.schedule.card_last_ms.tolist()
    return max(
        (end for end, owner in zip(ends, timing.offer_ids, strict=True) if owner == offer_id), default=0
    )


def fleet_parts(quote: Quote, held: Iterable[tuple[str, int, int]], shape: Shape) -> list[FleetPart]:
    """Return the parts of a fleet from (offer id, copies of a lot, cards) of each holding, in their order."""
    parts = []
    for offer_id, copies, cards in held:
        offer = quote.offer(offer_id)
        if isinstance(offer, Lot):
            parts.append(_lot_part(offer, copies))
        elif offer is not None:
            parts.append(_hourly_part(offer, cards, shape))
    return parts


def held_fleet(quote: Quote, holdings: Sequence[Holding], shape: Shape) -> Fleet:
    """Return the cards that a plan's schedule runs on, from what it holds."""
    parts = fleet_parts(quote, ((one.offer_id, one.count, one.cards) for one in holdings), shape)
    return shape.fleet(parts)


def _lot_part(lot: Lot, copies: int) -> FleetPart:
    setup_ms = setup_of(lot) or 0
    return FleetPart(
        lot.id, lot.card_id, copies, lot.cards, lot.cards_per_node, setup_ms, until_of(lot), lot.hours
    )


def _hourly_part(offer: HourlyOffer, cards: int, shape: Shape) -> FleetPart:
    """Return at least so many cards by the hour, in whole nodes."""
    per_node = offer.cards_per_node // shape.cards_per_task * shape.cards_per_task or shape.cards_per_task
    in_nodes = max(per_node, -(-cards // per_node) * per_node)
    return FleetPart(
        offer.id, offer.card_id, 1, in_nodes, per_node, setup_of(offer) or 0, until_of(offer), offer.hours
    )


def setup_of(offer: Lot | HourlyOffer) -> int | None:
    """Return the set-up of an offer in ms, 0 where it has none, None where it is not known."""
    return 0 if offer.setup is None else offer.setup.ms


def until_of(offer: Lot | HourlyOffer) -> int:
    """Return until when the offer's cards are there, in ms from the start; -1 as long as they are paid for."""
    ms = None if offer.available_for is None else offer.available_for.ms
    return -1 if ms is None else ms


def _sessions(timing: Timing, offer: HourlyOffer, hold: bool) -> list[list[int]]:
    """Return for each card of an offer the lengths of its paid sessions in ms, set-up inside each.

    A card is released after its last task of a stage; a gap before the next stage ends its session and the
    restart pays set-up again. With `hold` one session lasts from the first set-up to the delivery. A card in
    slices is paid from the first to the last task of any of them.
    """
    slices = timing.slices_per_card
    setup = setup_of(offer) or 0
    spans: dict[int, list[tuple[int, int]]] = {
        place // slices: [] for place, owner in enumerate(timing.offer_ids) if owner == offer.id
    }
    for card, start, end in _stays(timing):
        if card in spans:
            spans[card].append((start, end))
    result: list[list[int]] = []
    for stays in spans.values():
        merged: list[list[int]] = []
        for start, end in sorted(stays):
            if merged and (hold or start <= merged[-1][1]):
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        if hold and merged:
            merged[-1][1] = max(merged[-1][1], timing.delivery_ms)
        result.append([end - start + setup for start, end in merged])
    return result


def _stays(timing: Timing) -> Iterator[tuple[int, int, int]]:
    """Yield (card, first start, last end) of each stage on each card, in ms."""
    schedule = timing.schedule
    if not len(schedule.run_card):
        return
    number = {stage_id: place for place, stage_id in enumerate(dict.fromkeys(timing.group_stage))}
    stage = np.array([number[stage_id] for stage_id in timing.group_stage], dtype=np.int64)
    card = schedule.run_card // timing.slices_per_card
    end = schedule.run_start_ms + (schedule.run_count - 1) * schedule.run_step_ms + schedule.run_duration_ms
    key = card * len(number) + stage[schedule.run_group]
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.append(True, np.diff(key[order])))
    cards = card[order][first]
    starts = np.minimum.reduceat(schedule.run_start_ms[order], first)
    ends = np.maximum.reduceat(end[order], first)
    yield from zip(cards.tolist(), starts.tolist(), ends.tolist(), strict=True)
