"""What a fee comes to on a plan: price × quantity × its basis, by tiers where it has them.

Only the amount before rounding; currency, discount, contingency and tax are `price`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from estimator.price import DIGITS
from estimator.problems import Absent
from estimator.quote import Fee, FeeBasis, Quote
from estimator.results.estimate import Holding
from estimator.units import MS_PER_DAY, MS_PER_HOUR

WATTS_PER_KILOWATT = 1000


@dataclass(frozen=True, slots=True)
class Charged:
    """A fee on a plan. `quantity`: what is charged for, `factor`: what the stated quantity was multiplied by.

    `amount`: None is not included (no price); Absent: due, and not known.
    """

    amount: Decimal | Absent | None
    quantity: Decimal | None
    factor: Decimal | None


def charged(quote: Quote, fee: Fee, holdings: Sequence[Holding]) -> Charged:
    """Return what a fee comes to where `holdings` are rented.

    Absent codes: missing_quantity, missing_kept_days, missing_power (values: fee, card).
    """
    if fee.price.value is None:
        return Charged(None, fee.quantity.value, None)
    named = (("fee", fee.name or fee.kind.value),)
    if fee.quantity.value is None:
        return Charged(Absent("missing_quantity", ("pricing", "fees", fee.id), named), None, None)
    with localcontext(prec=DIGITS):
        factor = _factor(quote, fee, holdings)
        if isinstance(factor, Absent):
            return Charged(factor, fee.quantity.value, None)
        quantity = fee.quantity.value * factor
        return Charged(tiered(fee, quantity), quantity, factor)


def tiered(fee: Fee, quantity: Decimal) -> Decimal:
    """Return the price of `quantity`: each tier's price for what lies within it, the fee's own below the first.

    Hand case: 0.09 to 10,000 GB and 0.085 above: 12,000 GB cost 900 + 170 = 1,070.
    """
    limits = [tier.above for tier in fee.tiers]
    prices = [fee.price.value or Decimal(0), *(tier.price for tier in fee.tiers)]
    amount, since = Decimal(0), Decimal(0)
    for until, price in zip([*limits, max([quantity, *limits])], prices, strict=True):
        amount += price * max(Decimal(0), min(quantity, until) - since)
        since = until
    return amount


def days_rented(holdings: Sequence[Holding]) -> Decimal:
    """Return the days from time zero to the end of the longest rental: whole terms, or hours of hourly cards."""
    lengths = [
        Decimal(sum(one.terms)) if one.terms else Decimal(one.held_ms) / MS_PER_DAY for one in holdings
    ]
    return max(lengths, default=Decimal(0))


def _factor(quote: Quote, fee: Fee, holdings: Sequence[Holding]) -> Decimal | Absent:
    if fee.basis is FeeBasis.ONCE:
        return Decimal(1)
    if fee.basis is FeeBasis.RENTED_TIME:
        return days_rented(holdings) / fee.period_days
    if fee.basis is FeeBasis.KEPT_TIME:
        if fee.kept_days is None or fee.kept_days.value is None:
            where = ("pricing", "fees", fee.id, "kept_days")
            return Absent("missing_kept_days", where, (("fee", fee.name or fee.kind.value),))
        return fee.kept_days.value / fee.period_days
    if fee.basis is FeeBasis.CARD_HOURS:
        return Decimal(sum(one.paid_card_ms for one in holdings)) / MS_PER_HOUR
    return _kilowatt_hours(quote, fee, holdings)


def _kilowatt_hours(quote: Quote, fee: Fee, holdings: Sequence[Holding]) -> Decimal | Absent:
    """Rated power for every hour paid: what the cards can draw at most, not what a meter would read."""
    total = Decimal(0)
    for one in holdings:
        offer = quote.offer(one.offer_id)
        card = None if offer is None else quote.card(offer.card_id)
        if card is None or card.power_watts is None:
            named = "" if card is None else card.name
            where = ("pricing", "fees", fee.id)
            return Absent("missing_power", where, (("fee", fee.name or fee.kind.value), ("card", named)))
        total += card.power_watts * one.paid_card_ms
    return total / MS_PER_HOUR / WATTS_PER_KILOWATT
