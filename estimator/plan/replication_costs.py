"""What each replication of a plan costs: an order in floating point, and the exact price of any of them.

Pricing thousands of replications in decimals would take seconds. So they are put in order of cost in floating point,
with the parts of a price joined as `price` joins them but for the rounding of its lines, and only the replications
that a percentile or a chance hangs on are priced, exactly as a plan is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from estimator.catalogue import HourlyOffer
from estimator.plan.drawing import Draws
from estimator.plan.held import held_until
from estimator.plan.pricing import priced
from estimator.plan.starting import rental_start
from estimator.problems import Absent
from estimator.quote import Fee, FeeBasis, Quote
from estimator.rental.hourly import hourly_cost
from estimator.rental.terms import days_needed, held_ms
from estimator.results.estimate import Holding, Plan
from estimator.results.price import Price
from estimator.risk.distributions import Values
from estimator.units import MS_PER_DAY, MS_PER_HOUR

Whole = NDArray[np.int64]
_WATTS_PER_KILOWATT = 1000


@dataclass(frozen=True, slots=True)
class ReplicationTimes:
    """[replications] in whole ms: delivery, last task on a card, and by hourly offer what its cards are billed for."""

    delivery_ms: Whole
    busy_ms: Whole
    billed_ms: Mapping[str, Whole]


class ReplicationCosts:
    """The costs of a plan's replications."""

    def __init__(self, quote: Quote, plan: Plan, draws: Draws, times: ReplicationTimes) -> None:
        self._quote = quote
        self._plan = plan
        self._draws = draws
        self._times = times
        self._size = len(times.busy_ms)
        self._priced = [one for one in draws.numbers if one.where[0] == "pricing"]
        self._lots: dict[tuple[int, int], Holding | Absent] = {}

    def price(self, replication: int) -> Price:
        """Return the exact price of one replication."""
        quote = self._quote
        for number in self._priced:
            value = Decimal(repr(round(float(self._draws.values[number.id][replication]), 9)))
            quote = number.put(quote, value)
        holdings = [self._holding(index, replication) for index in range(len(self._plan.holdings))]
        return priced(quote, [one for one in holdings if not isinstance(one, Absent)])

    def order(self) -> Whole | Absent:
        """Return the replications from the cheapest to the dearest, or why there is no price."""
        plan = self._plan
        if isinstance(plan.price.gross, Absent):
            return plan.price.gross
        held: list[_HeldFloats] = []
        for index, holding in enumerate(plan.holdings):
            offer = self._quote.offer(holding.offer_id)
            found = self._hourly(offer) if isinstance(offer, HourlyOffer) else self._in_lots(index)
            if isinstance(found, Absent):
                return found
            held.append(found)
        return np.argsort(self._gross(held), kind="stable")

    def _holding(self, index: int, replication: int) -> Holding | Absent:
        holding = self._plan.holdings[index]
        offer = self._quote.offer(holding.offer_id)
        if not isinstance(offer, HourlyOffer):
            return self._lots_held(index, int(self._days(index)[replication]))
        if offer.price_per_card_hour is None:
            return Absent("missing_price", ("offers", offer.id, "price"), (("offer", offer.name),))
        billed = int(self._times.billed_ms[offer.id][replication])
        return replace(
            holding,
            held_ms=int(self._times.busy_ms[replication]),
            paid_card_ms=billed,
            cost=hourly_cost(offer.price_per_card_hour, billed),
        )

    def _lots_held(self, index: int, days: int) -> Holding | Absent:
        key = (index, days)
        if key not in self._lots:
            busy_ms = held_ms(rental_start(self._quote), days)
            self._lots[key] = held_until(self._quote, self._plan.holdings[index], busy_ms)
        return self._lots[key]

    def _days(self, index: int) -> Whole:
        """Return for how many days the lots have to be held, at least the days of their terms."""
        start = rental_start(self._quote)
        held_days = sum(self._plan.holdings[index].terms)
        busy = self._times.busy_ms
        last = max(held_days, days_needed(int(busy.max(initial=0)), start))
        ends = np.array([held_ms(start, days) for days in range(held_days, last + 1)])
        return held_days + np.searchsorted(ends, busy, side="left")

    def _in_lots(self, index: int) -> _HeldFloats | Absent:
        steps, back = np.unique(self._days(index), return_inverse=True)
        rows: list[tuple[float, float, float]] = []
        for days in steps.tolist():
            found = self._lots_held(index, days)
            if isinstance(found, Absent):
                return found
            if isinstance(found.cost, Absent):
                return found.cost
            rows.append((float(found.cost), float(found.paid_card_ms), float(sum(found.terms))))
        cost, paid, held_days = np.array(rows).T
        rate, watts = self._rate_and_watts(index)
        return _HeldFloats(cost[back] * rate, paid[back], held_days[back], watts)

    def _hourly(self, offer: HourlyOffer) -> _HeldFloats | Absent:
        if offer.price_per_card_hour is None:
            return Absent("missing_price", ("offers", offer.id, "price"), (("offer", offer.name),))
        paid = self._times.billed_ms[offer.id].astype(np.float64)
        index = next(i for i, one in enumerate(self._plan.holdings) if one.offer_id == offer.id)
        rate, watts = self._rate_and_watts(index)
        cost = paid * (float(offer.price_per_card_hour) / MS_PER_HOUR * rate)
        return _HeldFloats(cost, paid, self._times.busy_ms / MS_PER_DAY, watts)

    def _rate_and_watts(self, index: int) -> tuple[float, float]:
        offer = self._quote.offer(self._plan.holdings[index].offer_id)
        card = None if offer is None else self._quote.card(offer.card_id)
        watts = 0.0 if card is None or card.power_watts is None else float(card.power_watts)
        return self._rate(None if offer is None else offer.currency), watts

    def _rate(self, currency: str | None) -> float:
        pricing = self._quote.pricing
        if currency is None or currency == pricing.currency:
            return 1.0
        return next((float(one.rate) for one in pricing.rates if one.currency == currency), 0.0)

    def _gross(self, held: list[_HeldFloats]) -> Values:
        pricing = self._quote.pricing
        tax = self._drawn("tax_percent", pricing.tax_percent.value)
        total = sum((one.cost for one in held), np.zeros(self._size)) * (1 + tax / 100)
        for fee in pricing.fees:
            if fee.price.value is not None and fee.quantity.value is not None:
                own = tax if fee.tax_percent is None else float(fee.tax_percent)
                total = total + self._fee(fee, held) * self._rate(fee.currency) * (1 + own / 100)
        for name, stated, sign in (
            ("discount_percent", pricing.discount_percent, -1),
            ("contingency_percent", pricing.contingency_percent, 1),
        ):
            if stated is not None and stated.value is not None:
                total = total * (1 + sign * self._drawn(name, stated.value) / 100)
        return total

    def _fee(self, fee: Fee, held: list[_HeldFloats]) -> Values:
        """Return `fees.charged` of every replication."""
        quantity = self._drawn(f"fee_quantity:{fee.id}", fee.quantity.value) * self._basis(fee, held)
        price = self._drawn(f"fee:{fee.id}", fee.price.value)
        limits = [float(tier.above) for tier in fee.tiers]
        edges = [0.0, *limits, np.inf]
        amount = np.zeros(self._size)
        for (low, high), each in zip(
            pairwise(edges), [price, *(float(tier.price) for tier in fee.tiers)], strict=True
        ):
            amount = amount + each * np.clip(quantity - low, 0, high - low)
        return amount

    def _basis(self, fee: Fee, held: list[_HeldFloats]) -> Values | float:
        if fee.basis is FeeBasis.RENTED_TIME:
            days: Values = np.maximum.reduce([one.days for one in held])
            return days / fee.period_days
        if fee.basis is FeeBasis.KEPT_TIME:
            stated = None if fee.kept_days is None else fee.kept_days.value
            return self._drawn(f"fee_days:{fee.id}", stated) / fee.period_days
        paid: list[Values] = []
        if fee.basis is FeeBasis.CARD_HOURS:
            paid = [one.paid_ms / MS_PER_HOUR for one in held]
        elif fee.basis is FeeBasis.ENERGY:
            paid = [one.paid_ms * (one.watts / MS_PER_HOUR / _WATTS_PER_KILOWATT) for one in held]
        return sum(paid, np.zeros(self._size)) if paid else 1.0

    def _drawn(self, id_: str, value: Decimal | None) -> Values | float:
        found = self._draws.values.get(id_)
        return float(value or 0) if found is None else found


@dataclass(frozen=True, slots=True)
class _HeldFloats:
    """One holding in every replication: cost in the quote's currency, paid card time, days held; watts of a card."""

    cost: Values
    paid_ms: Values
    days: Values
    watts: float
