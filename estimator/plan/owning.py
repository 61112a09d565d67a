"""Renting by lots, renting by the hour and owning side by side, and from what use each is the cheaper.

Owning: the card's price over its life and its share of staff pass with time; energy, with the building's overhead,
while it computes. Blank inputs leave the figure absent. No interest, no residual value, no idle power.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from estimator.catalogue import HourlyOffer, Lot
from estimator.price import rounded
from estimator.problems import Absent
from estimator.quote import Ownership, Quote
from estimator.rental.hourly import Billing, card_billed_ms, hourly_cost
from estimator.results.estimate import Plan
from estimator.results.rental import (
    HOURS_A_YEAR,
    HourlyEquivalent,
    OwningBreakEven,
    RentalWay,
    TermBreakEven,
    WayColumn,
)
from estimator.units import MS_PER_DAY, MS_PER_HOUR, MS_PER_SECOND

USUAL_TERMS = (3, 7, 30)
_FIXED = ("price_per_card", "life_years", "staff_per_year", "cards")
_ENERGY = ("watts_per_card", "pue", "price_per_kwh")


@dataclass(frozen=True, slots=True)
class OwnedCard:
    """What an owned card costs: `fixed_a_year` whatever it does, `energy_an_hour` of computing."""

    fixed_a_year: Decimal | Absent
    energy_an_hour: Decimal | Absent


def owned_card(ownership: Ownership | None) -> OwnedCard:
    """Return the costs of one owned card. Absent code missing_ownership (value: field)."""
    fixed = _missing(ownership, _FIXED)
    energy = _missing(ownership, _ENERGY)
    with localcontext(prec=28):
        if fixed is None and ownership is not None:
            life, cards = _value(ownership, "life_years"), _value(ownership, "cards")
            fixed_cost: Decimal | Absent = (
                _value(ownership, "price_per_card") / life + _value(ownership, "staff_per_year") / cards
            )
        else:
            fixed_cost = fixed or _absent("price_per_card")
        if energy is None and ownership is not None:
            kilowatts = _value(ownership, "watts_per_card") / 1000 * _value(ownership, "pue")
            energy_cost: Decimal | Absent = kilowatts * _value(ownership, "price_per_kwh")
        else:
            energy_cost = energy or _absent("watts_per_card")
    return OwnedCard(fixed_cost, energy_cost)


def terms_of(quote: Quote) -> tuple[int, ...]:
    """Return the lengths of terms in days that the quote's lots offer, or the usual ones."""
    found = {term.days for offer in quote.offers if isinstance(offer, Lot) for term in offer.terms}
    return tuple(sorted(found)) or USUAL_TERMS


def hourly_equivalents(quote: Quote) -> tuple[HourlyEquivalent, ...]:
    """Return what one card of each priced hourly offer costs over each term, in days of 24 hours, rounded."""
    found = []
    for offer in quote.offers:
        if isinstance(offer, HourlyOffer) and offer.price_per_card_hour is not None:
            terms = tuple(
                (days, rounded(_hourly_over(offer, days * MS_PER_DAY), offer.currency))
                for days in terms_of(quote)
            )
            found.append(HourlyEquivalent(offer.id, offer.currency, terms))
    return tuple(found)


def term_break_evens(quote: Quote) -> tuple[TermBreakEven, ...]:
    """Return, for each term of each lot, the use from which it beats as many cards of the same model by the hour."""
    found = []
    for lot in quote.offers:
        if not isinstance(lot, Lot):
            continue
        for offer in quote.offers:
            same = (offer.card_id, offer.currency) == (lot.card_id, lot.currency)
            if same and isinstance(offer, HourlyOffer) and offer.price_per_card_hour is not None:
                found += [
                    TermBreakEven(
                        lot.id, term.days, offer.id, _use_from(offer, term.price / lot.cards, term.days)
                    )
                    for term in lot.terms
                ]
    return tuple(found)


def ways(quote: Quote, plans: Sequence[Plan]) -> tuple[WayColumn, ...]:
    """Return one column each for lots, hourly cards and owned cards; of the first two the cheapest admitted plan."""
    owned = owned_card(quote.pricing.ownership)
    columns = []
    for way in (RentalWay.LOTS, RentalWay.HOURLY):
        plan = _cheapest(quote, [plan for plan in plans if _way_of(plan) is way])
        if plan is None:
            columns.append(
                WayColumn(way, "", Absent("no_plan_of_this_way"), Absent("no_plan_of_this_way"), ())
            )
            continue
        terms = tuple((days, _one_card(quote, plan, days)) for days in terms_of(quote))
        cost = _converted(quote, plan.holdings[0].offer_id, plan.rent)
        columns.append(WayColumn(way, plan.id, cost, _per_hour(cost, plan), terms))
    columns.append(_owned(quote, owned, _cheapest(quote, plans)))
    return tuple(columns)


def owning_break_evens(quote: Quote) -> tuple[OwningBreakEven, ...]:
    """Return the hours a year from which owning a card beats renting one: for lots, held at their cheapest day."""
    owned = owned_card(quote.pricing.ownership)
    found = []
    for offer in quote.offers:
        if offer.currency != quote.pricing.currency:
            continue
        rate = _rate(offer)
        if rate is not None:
            found.append(OwningBreakEven(offer.id, _hours_from(owned, rate)))
    return tuple(found)


def _hours_from(owned: OwnedCard, rate: Decimal) -> Decimal | Absent:
    if isinstance(owned.fixed_a_year, Absent):
        return owned.fixed_a_year
    if isinstance(owned.energy_an_hour, Absent):
        return owned.energy_an_hour
    if rate <= owned.energy_an_hour:
        return Absent("owning_never_cheaper")
    with localcontext(prec=28):
        return owned.fixed_a_year / (rate - owned.energy_an_hour)


def _rate(offer: Lot | HourlyOffer) -> Decimal | None:
    """Return the price of one card and hour, of a lot in use all day at its cheapest term."""
    if isinstance(offer, HourlyOffer):
        return offer.price_per_card_hour
    with localcontext(prec=28):
        return min((term.price / term.days for term in offer.terms), default=None) and min(
            term.price / (term.days * 24 * offer.cards) for term in offer.terms
        )


def _hourly_over(offer: HourlyOffer, length_ms: int) -> Decimal:
    billing = Billing(offer.granularity_s, offer.minimum_s, offer.monthly_cap_hours)
    return hourly_cost(offer.price_per_card_hour or Decimal(0), card_billed_ms([length_ms], billing))


def _use_from(offer: HourlyOffer, price: Decimal, days: int) -> int | None:
    """Return the least use in whole seconds for which one card by the hour costs at least `price`; None beyond."""
    low, high = 0, days * MS_PER_DAY // MS_PER_SECOND
    if _hourly_over(offer, high * MS_PER_SECOND) < price:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if _hourly_over(offer, middle * MS_PER_SECOND) >= price:
            high = middle
        else:
            low = middle
    return high * MS_PER_SECOND


def _way_of(plan: Plan) -> RentalWay | None:
    in_lots = sum(bool(holding.terms) for holding in plan.holdings)
    if 0 < in_lots < len(plan.holdings):
        return None  # a mix of both
    return RentalWay.LOTS if in_lots else RentalWay.HOURLY


def _per_hour(cost: Decimal | Absent, plan: Plan) -> Decimal | Absent:
    busy = int(plan.timing.schedule.card_busy_ms.sum()) // plan.timing.slices_per_card
    if isinstance(cost, Absent) or not busy:
        return cost if isinstance(cost, Absent) else Absent("no_work", ("workload",))
    with localcontext(prec=28):
        return cost * MS_PER_HOUR / busy


def _one_card(quote: Quote, plan: Plan, days: int) -> Decimal | Absent:
    """Return what one card of the plan's first offer costs over a term."""
    offer = quote.offer(plan.holdings[0].offer_id)
    if isinstance(offer, HourlyOffer):
        return _converted(quote, offer.id, _hourly_over(offer, days * MS_PER_DAY))
    price = None if offer is None else next((term.price for term in offer.terms if term.days == days), None)
    if offer is None or price is None:
        return Absent("no_term_price")
    with localcontext(prec=28):
        return _converted(quote, offer.id, price / offer.cards)


def _cheapest(quote: Quote, plans: Sequence[Plan]) -> Plan | None:
    """Return the cheapest plan, an admitted one first; None where none has a rent in the quote's currency."""
    priced = [
        (not plan.is_admitted, rent, plan.id, plan)
        for plan in plans
        if isinstance(rent := _converted(quote, plan.holdings[0].offer_id, plan.rent), Decimal)
    ]
    return min(priced, key=lambda one: one[:3])[3] if priced else None


def _converted(quote: Quote, offer_id: str, amount: Decimal | Absent) -> Decimal | Absent:
    """Return an amount of an offer in the quote's currency. Absent code: missing_rate."""
    offer = quote.offer(offer_id)
    currency = quote.pricing.currency if offer is None else offer.currency
    if isinstance(amount, Absent) or currency == quote.pricing.currency:
        return amount
    rate = next((one.rate for one in quote.pricing.rates if one.currency == currency), None)
    if rate is None:
        return Absent("missing_rate", ("pricing", "rates"), (("currency", currency),))
    with localcontext(prec=28):
        return amount * rate


def _owned(quote: Quote, owned: OwnedCard, plan: Plan | None) -> WayColumn:
    if isinstance(owned.fixed_a_year, Absent) or isinstance(owned.energy_an_hour, Absent):
        reason = owned.fixed_a_year if isinstance(owned.fixed_a_year, Absent) else owned.energy_an_hour
        absent = reason if isinstance(reason, Absent) else _absent("price_per_card")
        return WayColumn(RentalWay.OWNED, "", absent, absent, ())
    with localcontext(prec=28):
        an_hour = owned.fixed_a_year / HOURS_A_YEAR + owned.energy_an_hour
        terms = tuple((days, an_hour * days * 24) for days in terms_of(quote))
        ownership = quote.pricing.ownership
        hours = None if ownership is None else ownership.use_hours_per_year.value
        if hours is None or hours <= 0:
            absent = _absent("use_hours_per_year")
            return WayColumn(RentalWay.OWNED, "", absent, absent, terms)
        per_hour = owned.fixed_a_year / hours + owned.energy_an_hour
        if plan is None:
            return WayColumn(RentalWay.OWNED, "", Absent("no_price"), per_hour, terms)
        busy = int(plan.timing.schedule.card_busy_ms.sum()) // plan.timing.slices_per_card
        return WayColumn(RentalWay.OWNED, "", per_hour * busy / MS_PER_HOUR, per_hour, terms)


def _missing(ownership: Ownership | None, fields: Sequence[str]) -> Absent | None:
    for name in fields:
        value = None if ownership is None else getattr(ownership, name).value
        if value is None or (name in ("life_years", "cards") and value <= 0):
            return _absent(name)
    return None


def _absent(name: str) -> Absent:
    return Absent("missing_ownership", ("pricing", "ownership", name), (("field", name),))


def _value(ownership: Ownership, name: str) -> Decimal:
    value: Decimal | None = getattr(ownership, name).value
    if value is None:
        raise LookupError(name)
    return value
