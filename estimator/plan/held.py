"""A plan held fixed: its organisation, cards and lots kept, timed and priced again with other numbers.

Lots that are needed beyond their terms are held on, by the cheapest terms for the days more; what was paid for is
never given back. Hourly cards are billed for what they run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from estimator.catalogue import HourlyOffer, Lot
from estimator.plan.fleet import Fleet, FleetPart
from estimator.plan.layouts import Layouts
from estimator.plan.memory import memory_of, verdicts_of
from estimator.plan.organising import widest_task
from estimator.plan.pricing import priced
from estimator.plan.renting import Shape, rented_by_the_hour, setup_of
from estimator.plan.scheduling import timing_of
from estimator.plan.starting import rental_start
from estimator.problems import Absent
from estimator.quote import Organisation, Quote
from estimator.rental.terms import TermPrice, cover_days, days_needed, held_ms
from estimator.results.estimate import Holding, Plan, Timing
from estimator.results.memory import Fit
from estimator.results.price import Price


@dataclass(frozen=True, slots=True)
class Held:
    """A plan kept. `works`: it keeps the limit, the budget and the quota, and memory does not say no."""

    timing: Timing
    holdings: tuple[Holding, ...]
    price: Price
    works: bool


def held(quote: Quote, plan: Plan) -> Held | Absent:
    """Return the plan of another state of its quote, kept as it is under this quote's numbers."""
    organisation = quote.organisation(plan.organisation_id)
    if organisation is None:
        return Absent("no_organisation")
    shape = shape_held(quote, organisation, plan)
    first = quote.offer(plan.holdings[0].offer_id)
    holdings: tuple[Holding, ...]
    if isinstance(first, HourlyOffer) and len(plan.holdings) == 1:
        rented = rented_by_the_hour(quote, organisation, first, shape)
        if isinstance(rented, Absent):
            return rented
        timing, holdings = rented.timing, rented.holdings
    else:
        fleet = fleet_held(quote, plan, shape)
        if isinstance(fleet, Absent):
            return fleet
        found = timing_of(quote, organisation, fleet)
        if isinstance(found, Absent):
            return found
        timing = found
        held_on = [held_until(quote, holding, timing.busy_ms) for holding in plan.holdings]
        missing = next((one for one in held_on if isinstance(one, Absent)), None)
        if missing is not None:
            return missing
        holdings = tuple(one for one in held_on if not isinstance(one, Absent))
    price = priced(quote, holdings)
    return Held(timing, holdings, price, _works(quote, organisation, plan, timing, price))


def shape_held(quote: Quote, organisation: Organisation, plan: Plan) -> Shape:
    """Return the tasks at once that the plan's cards take, whatever the organisation leaves blank."""
    layouts = Layouts(organisation)
    per_task = widest_task(quote, organisation)
    crosses = all(layouts[stage.id].may_cross_nodes for stage in quote.workload.stages if stage.on_cards)
    slots = max(1, plan.timing.places // per_task)
    return Shape(slots, per_task, crosses, organisation.slices_per_card)


def fleet_held(quote: Quote, plan: Plan, shape: Shape) -> Fleet | Absent:
    """Return the cards of a plan's lots, with the set-up that the quote states for each."""
    parts: list[FleetPart] = []
    for holding in plan.holdings:
        offer = quote.offer(holding.offer_id)
        setup_ms = None if offer is None else setup_of(offer)
        if offer is None or setup_ms is None:
            return Absent("missing_set_up", ("offers", holding.offer_id, "setup"))
        if isinstance(offer, Lot):
            parts.append(
                FleetPart(
                    *(offer.id, offer.card_id, holding.count, offer.cards, offer.cards_per_node, setup_ms)
                )
            )
        else:
            cards = holding.count
            parts.append(FleetPart(offer.id, offer.card_id, 1, cards, offer.cards_per_node, setup_ms))
    return shape.fleet(parts)


def held_until(quote: Quote, holding: Holding, busy_ms: int) -> Holding | Absent:
    """Return lots held for their terms and, where the work lasts longer, for the cheapest terms after them."""
    offer = quote.offer(holding.offer_id)
    if not isinstance(offer, Lot):
        return Absent("no_term_price", ("offers", holding.offer_id))
    start = rental_start(quote)
    prices = {term.days: term.price for term in offer.terms}
    held_days = sum(holding.terms)
    terms = holding.terms
    if busy_ms > held_ms(start, held_days):
        more = cover_days(
            tuple(TermPrice(days, price) for days, price in prices.items()),
            days_needed(busy_ms, start) - held_days,
        )
        if more is None:
            return Absent("no_term_price", ("offers", offer.id))
        terms = (*terms, *more.terms)
    if not set(terms) <= set(prices):
        return Absent("no_term_price", ("offers", offer.id))
    length_ms = held_ms(start, sum(terms))
    return replace(
        holding,
        terms=terms,
        held_ms=length_ms,
        paid_card_ms=holding.cards * length_ms,
        cost=holding.count * sum((prices[days] for days in terms), Decimal(0)),
    )


def card_models(quote: Quote, holdings: Sequence[Holding]) -> tuple[str, ...]:
    """Return the card models that are held, each once."""
    offers = (quote.offer(holding.offer_id) for holding in holdings)
    return tuple(dict.fromkeys(offer.card_id for offer in offers if offer is not None))


def _works(quote: Quote, organisation: Organisation, plan: Plan, timing: Timing, price: Price) -> bool:
    """Whether the plan breaks nothing that it kept when it was made."""
    workload = quote.workload
    limit = quote.limit_ms(organisation)
    budget = None if workload.budget is None else workload.budget.value
    quota = None if workload.quota_cards is None else workload.quota_cards.value
    if plan.meets_limit and limit is not None and timing.delivery_ms > limit:
        return False
    if (
        plan.within_budget
        and budget is not None
        and isinstance(price.gross, Decimal)
        and price.gross > budget
    ):
        return False
    if plan.within_quota and quota is not None and plan.decision.cards > quota:
        return False
    if plan.verdict.fits is Fit.NO:
        return True
    models = set(card_models(quote, plan.holdings))
    cards = [card for card in quote.cards if card.id in models]
    verdicts = verdicts_of(quote, organisation, memory_of(quote, organisation), cards)
    return all(verdict.fits is not Fit.NO for verdict in verdicts)
