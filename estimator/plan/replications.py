"""Many replications of one plan: percentiles of its delivery and cost, and the chances to outrun what it keeps.

Each replication is priced through the steps of terms and started hours, as a plan is; no mean is ever priced. The
decision is held: lots that are needed longer are held on by the cheapest terms, none is given back early.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from estimator.catalogue import HourlyOffer
from estimator.plan.drawing import Draws, drawn, stage_risks
from estimator.plan.held import held_until
from estimator.plan.numbers import QuoteNumber
from estimator.plan.plan_order import PlanOrder, plan_order
from estimator.plan.pricing import priced
from estimator.plan.renting import rental_start, setup_of
from estimator.plan.stopping import go_on
from estimator.problems import Absent
from estimator.quote import Organisation, Quote
from estimator.rental.hourly import Billing, card_billed_ms, hourly_cost
from estimator.rental.terms import days_needed, held_ms
from estimator.results.estimate import Holding, Plan
from estimator.results.price import Price
from estimator.results.risk import Amounts, PlanRisk, ReplicationForm, Spread, Times
from estimator.risk.distributions import Values
from estimator.risk.replay import Replay, replayed, replayed_size
from estimator.units import MS_PER_SECOND

Whole = NDArray[np.int64]

QUICK, FULL = 1_000, 10_000
_MOST_WORK = {QUICK: 2_000_000, FULL: 20_000_000}
"""Rows of numpy work times replications: tens of milliseconds, and about a second."""
_FEWEST = 200


def risk_of(
    quote: Quote, organisation: Organisation, plan: Plan, numbers: Sequence[QuoteNumber], most: int = FULL
) -> PlanRisk:
    """Return the spread of a plan from `most` replications (QUICK or FULL), fewer where its tasks are very many.

    Absent codes: too_many_tasks, missing_interruptions, missing_set_up.
    """
    return PlanRisk(plan.id, _spread(quote, organisation, plan, numbers, most))


def _spread(
    quote: Quote, organisation: Organisation, plan: Plan, numbers: Sequence[QuoteNumber], most: int
) -> Spread | Absent:
    replications = most
    draws = drawn(quote, organisation, plan, numbers, replications)
    risks = stage_risks(quote, organisation, plan, draws)
    if isinstance(risks, Absent):
        return risks
    found = plan_order(quote, organisation, plan, draws, risks)
    if isinstance(found, Absent):
        return found
    affordable = _MOST_WORK[most] // max(1, replayed_size(found.order))
    if affordable < _FEWEST:
        return Absent("too_many_tasks")
    if affordable < replications:
        replications = affordable
        draws = drawn(quote, organisation, plan, numbers, replications)
        risks = stage_risks(quote, organisation, plan, draws)
        if isinstance(risks, Absent):
            return risks
        found = plan_order(quote, organisation, plan, draws, risks)
        if isinstance(found, Absent):
            return found
    times = _times(quote, plan, draws, found, replications)
    return _summed_up(quote, plan, draws, times, numbers, found.is_listed)


@dataclass(frozen=True, slots=True)
class _Times:
    """[replications] in whole ms: delivery, last task on a card, and by hourly offer what its cards are billed for."""

    delivery_ms: Whole
    busy_ms: Whole
    billed_ms: Mapping[str, Whole]


def _times(quote: Quote, plan: Plan, draws: Draws, found: PlanOrder, replications: int) -> _Times:
    offers = [quote.offer(holding.offer_id) for holding in plan.holdings]
    hourly = [offer for offer in offers if isinstance(offer, HourlyOffer)]
    delivery, busy = [], []
    billed: dict[str, list[Whole]] = {offer.id: [] for offer in hourly}
    for block in replayed(found.order, replications, plan.organisation_id):
        go_on()
        delivery.append(_whole(block.delivery_ms))
        busy.append(_whole(block.busy_ms))
        for offer in hourly:
            cards = [number for number, id_ in enumerate(found.offer_ids) if id_ == offer.id]
            billed[offer.id].append(_billed(quote, offer, draws, block, cards))
    return _Times(
        np.concatenate(delivery),
        np.concatenate(busy),
        {offer_id: np.concatenate(blocks) for offer_id, blocks in billed.items()},
    )


def _whole(times: Values) -> Whole:
    return np.rint(times).astype(np.int64)


def _billed(quote: Quote, offer: HourlyOffer, draws: Draws, block: Replay, cards: Sequence[int]) -> Whole:
    """Return what the cards are billed for: each card's sessions as `renting` cuts them, set-up inside each."""
    size = len(block.delivery_ms)
    hold = quote.pricing.hold_through_assembly
    drawn_ms = draws.setup_ms(offer.id)
    setup: float | Values = float(setup_of(offer) or 0)
    if drawn_ms is not None:
        setup = drawn_ms[block.first : block.first + size]
    total = np.zeros(size, dtype=np.int64)
    for number in cards:
        sessions: list[Whole] = []
        opened = closed = None
        for _, start, end in block.spans[number]:
            if opened is None or closed is None:
                opened, closed = start, end
                continue
            apart = np.zeros(size, dtype=np.bool_) if hold else start > closed
            sessions.append(np.where(apart, _whole(closed - opened + setup), 0))
            opened = np.where(apart, start, opened)
            closed = np.maximum(closed, end)
        if opened is not None and closed is not None:
            if hold:
                closed = np.maximum(closed, block.delivery_ms)
            sessions.append(_whole(closed - opened + setup))
        total += _card_billed(sessions, offer, size)
    return total


def _card_billed(sessions: list[Whole], offer: HourlyOffer, size: int) -> Whole:
    """Return `card_billed_ms` of every replication."""
    if offer.monthly_cap_hours is not None:
        billing = Billing(offer.granularity_s, offer.minimum_s, offer.monthly_cap_hours)
        columns = zip(*(lengths.tolist() for lengths in sessions), strict=True)
        return np.array([card_billed_ms(lengths, billing) for lengths in columns], dtype=np.int64)
    unit = offer.granularity_s * MS_PER_SECOND
    total = np.zeros(size, dtype=np.int64)
    for lengths in sessions:
        rounded_up = np.maximum(-(-lengths // unit) * unit, offer.minimum_s * MS_PER_SECOND)
        total += np.where(lengths > 0, rounded_up, 0)
    return total


def _summed_up(
    quote: Quote, plan: Plan, draws: Draws, times: _Times, numbers: Sequence[QuoteNumber], is_listed: bool
) -> Spread:
    limit = None if quote.workload.limit is None else quote.workload.limit.ms
    budget = None if quote.workload.budget is None else quote.workload.budget.value
    costs = _Costs(quote, plan, draws, times)
    order = costs.order()
    net: Amounts | Absent
    gross: Amounts | Absent
    net = gross = Absent("no_price")
    beyond_budget = None
    if isinstance(order, Absent):
        net = gross = order
    else:
        at = [order[_rank(share, len(order))] for share in (0.1, 0.5, 0.9)]
        prices = [costs.price(int(one)) for one in at]
        net = _amounts([price.net for price in prices])
        gross = _amounts([price.gross for price in prices])
        if budget is not None and not isinstance(gross, Absent):
            beyond_budget = _share_above(costs, order, budget)
    ordered = np.sort(times.delivery_ms)
    ranks = (int(ordered[_rank(share, len(ordered))]) for share in (0.1, 0.5, 0.9))
    varied = {one.id for one in draws.numbers}
    return Spread(
        form=ReplicationForm.LISTED if is_listed else ReplicationForm.REPLAYED,
        replications=len(times.delivery_ms),
        delivery=Times(*ranks),
        net=net,
        gross=gross,
        beyond_terms=_beyond_terms(quote, plan, times),
        beyond_limit=None if limit is None else float((times.delivery_ms > limit).mean()),
        beyond_budget=beyond_budget,
        varied=tuple(one.id for one in draws.numbers),
        kept=tuple(one.id for one in numbers if one.has_range and one.id not in varied),
    )


def _rank(share: float, replications: int) -> int:
    """Return the place, in rising order, of the least value that at least that share does not exceed."""
    return max(0, int(np.ceil(share * replications - 1e-9)) - 1)


def _amounts(amounts: list[Decimal | Absent]) -> Amounts | Absent:
    known = [one for one in amounts if isinstance(one, Decimal)]
    if len(known) < len(amounts):
        return next(one for one in amounts if isinstance(one, Absent))
    return Amounts(*sorted(known))


def _beyond_terms(quote: Quote, plan: Plan, times: _Times) -> float | None:
    start = rental_start(quote)
    held = [held_ms(start, sum(holding.terms)) for holding in plan.holdings if holding.terms]
    return float((times.busy_ms > min(held)).mean()) if held else None


def _share_above(costs: _Costs, order: Whole, budget: Decimal) -> float:
    """Return the share of replications dearer than the budget, by halving over them in order of cost."""
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) // 2
        gross = costs.price(int(order[middle])).gross
        if isinstance(gross, Decimal) and gross > budget:
            high = middle
        else:
            low = middle + 1
    return 1 - low / len(order)


class _Costs:
    """What each replication costs: an order in floating point, and the exact price of any of them."""

    def __init__(self, quote: Quote, plan: Plan, draws: Draws, times: _Times) -> None:
        self._quote = quote
        self._plan = plan
        self._draws = draws
        self._times = times
        self._priced = [one for one in draws.numbers if one.where[0] == "pricing"]
        self._held: dict[tuple[int, int], Holding | Absent] = {}

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
        amounts = np.zeros(len(self._times.busy_ms))
        for index in range(len(plan.holdings)):
            found = self._amounts(index)
            if isinstance(found, Absent):
                return found
            amounts += found
        if not self._priced:
            return np.argsort(amounts, kind="stable")
        # Fees and percentages are drawn too: one price a replication would take long, so the parts of the
        # price are put together as `price` does, but for the rounding of its lines.
        return np.argsort(self._with_fees(amounts), kind="stable")

    def _amounts(self, index: int) -> Values | Absent:
        """Return what one holding costs in each replication, in the quote's currency."""
        holding = self._plan.holdings[index]
        steps, back = np.unique(self._step(index), return_inverse=True)
        rate = self._rate(holding)
        costs = []
        for step in steps.tolist():
            found = self._holding_at(index, step)
            if isinstance(found, Absent):
                return found
            if isinstance(found.cost, Absent):
                return found.cost
            costs.append(float(found.cost * rate))
        return np.array(costs)[back]

    def _step(self, index: int) -> Whole:
        """Return what decides a holding's cost: the days needed of lots, the billed time of hourly cards."""
        billed = self._times.billed_ms.get(self._plan.holdings[index].offer_id)
        if billed is not None:
            return billed
        start = rental_start(self._quote)
        held_days = sum(self._plan.holdings[index].terms)
        busy = self._times.busy_ms
        last = max(held_days, days_needed(int(busy.max(initial=0)), start))
        ends = np.array([held_ms(start, days) for days in range(held_days, last + 1)])
        return held_days + np.searchsorted(ends, busy, side="left")

    def _holding(self, index: int, replication: int) -> Holding | Absent:
        return self._holding_at(index, int(self._step(index)[replication]))

    def _holding_at(self, index: int, step: int) -> Holding | Absent:
        key = (index, step)
        if key not in self._held:
            self._held[key] = self._made(self._plan.holdings[index], step)
        return self._held[key]

    def _made(self, holding: Holding, step: int) -> Holding | Absent:
        offer = self._quote.offer(holding.offer_id)
        if isinstance(offer, HourlyOffer):
            if offer.price_per_card_hour is None:
                return Absent("missing_price", ("offers", offer.id, "price"), (("offer", offer.name),))
            return replace(holding, paid_card_ms=step, cost=hourly_cost(offer.price_per_card_hour, step))
        return held_until(self._quote, holding, held_ms(rental_start(self._quote), step))

    def _rate(self, holding: Holding) -> Decimal:
        offer = self._quote.offer(holding.offer_id)
        currency = self._quote.pricing.currency if offer is None else offer.currency
        return _rate_of(self._quote, currency)

    def _with_fees(self, amounts: Values) -> Values:
        pricing = self._quote.pricing
        tax = self._drawn("tax_percent", pricing.tax_percent.value)
        total = amounts * (1 + tax / 100)
        for fee in pricing.fees:
            if fee.price.value is None or fee.quantity.value is None:
                continue
            price = self._drawn(f"fee:{fee.id}", fee.price.value)
            quantity = self._drawn(f"fee_quantity:{fee.id}", fee.quantity.value)
            rate = float(_rate_of(self._quote, fee.currency or pricing.currency))
            own = tax if fee.tax_percent is None else float(fee.tax_percent)
            total = total + price * quantity * rate * (1 + own / 100)
        for name, stated, sign in (
            ("discount_percent", pricing.discount_percent, -1),
            ("contingency_percent", pricing.contingency_percent, 1),
        ):
            if stated is not None and stated.value is not None:
                total = total * (1 + sign * self._drawn(name, stated.value) / 100)
        return total

    def _drawn(self, id_: str, value: Decimal | None) -> Values | float:
        found = self._draws.values.get(id_)
        return float(value or 0) if found is None else found


def _rate_of(quote: Quote, currency: str) -> Decimal:
    if currency == quote.pricing.currency:
        return Decimal(1)
    return next((one.rate for one in quote.pricing.rates if one.currency == currency), Decimal(0))
