"""Many replications of one plan: percentiles of its delivery and cost, and the chances to outrun what it keeps.

Each replication is priced through the steps of terms and started hours, as a plan is; no mean is ever priced. The
decision is held: lots that are needed longer are held on by the cheapest terms, none is given back early.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from estimator.catalogue import HourlyOffer
from estimator.plan.drawing import Draws, drawn, stage_risks, varying
from estimator.plan.numbers import QuoteNumber
from estimator.plan.plan_order import PlanOrder, plan_order
from estimator.plan.renting import setup_of
from estimator.plan.replication_costs import ReplicationCosts, ReplicationTimes, Whole
from estimator.plan.starting import rental_start
from estimator.plan.stopping import go_on
from estimator.problems import Absent
from estimator.quote import Organisation, Quote
from estimator.rental.hourly import Billing, card_billed_ms
from estimator.rental.terms import held_ms
from estimator.results.estimate import Plan
from estimator.results.risk import Amounts, PlanRisk, ReplicationForm, Spread, Times
from estimator.risk.distributions import Values
from estimator.risk.replay import Replay, replayed, replayed_size
from estimator.units import MS_PER_SECOND

QUICK, FULL = 1_000, 10_000
_MOST_WORK = {QUICK: 2_000_000, FULL: 20_000_000}
"""Rows of numpy work times replications: tens of milliseconds, and about a second."""
_MOST_DRAWS = 500_000
"""Values that the numbers draw in all: 4 MB of them."""
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
    drawn_numbers = len(varying(quote, organisation, plan, numbers))
    replications = min(most, _MOST_DRAWS // max(1, drawn_numbers))
    if replications < _FEWEST:
        return Absent("too_many_tasks")
    draws = drawn(quote, organisation, plan, numbers, replications)
    risks = stage_risks(quote, organisation, plan, draws)
    if isinstance(risks, Absent):
        return risks
    found = plan_order(quote, organisation, plan, draws, risks, _MOST_WORK[most] // _FEWEST)
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
        found = plan_order(quote, organisation, plan, draws, risks, _MOST_WORK[most] // _FEWEST)
        if isinstance(found, Absent):
            return found
    times = _times(quote, plan, draws, found, replications)
    return _summed_up(quote, plan, draws, times, numbers, found.is_listed)


def _times(quote: Quote, plan: Plan, draws: Draws, found: PlanOrder, replications: int) -> ReplicationTimes:
    offers = [quote.offer(holding.offer_id) for holding in plan.holdings]
    hourly = [offer for offer in offers if isinstance(offer, HourlyOffer)]
    delivery, busy = [], []
    billed: dict[str, list[Whole]] = {offer.id: [] for offer in hourly}
    for block in replayed(found.order, replications, plan.organisation_id):
        go_on()
        delivery.append(_whole(block.delivery_ms))
        busy.append(_whole(block.busy_ms))
        for offer in hourly:
            places = [number for number, id_ in enumerate(found.offer_ids) if id_ == offer.id]
            cards = _cards(block, places, plan.timing.slices_per_card)
            billed[offer.id].append(_billed(quote, offer, draws, block, cards))
    return ReplicationTimes(
        np.concatenate(delivery),
        np.concatenate(busy),
        {offer_id: np.concatenate(blocks) for offer_id, blocks in billed.items()},
    )


_Spans = dict[int, tuple[Values, Values]]
"""By stage, the first start and the last end on a card."""


def _cards(block: Replay, places: Sequence[int], slices_per_card: int) -> list[_Spans]:
    """Return the spans of whole cards: a card in slices is paid from the first to the last task of any of them."""
    cards: dict[int, _Spans] = {}
    for place in places:
        card = cards.setdefault(place // slices_per_card, {})
        for stage, start, end in block.spans[place]:
            known = card.get(stage)
            card[stage] = (
                (start, end) if known is None else (np.minimum(known[0], start), np.maximum(known[1], end))
            )
    return list(cards.values())


def _whole(times: Values) -> Whole:
    return np.rint(times).astype(np.int64)


def _billed(quote: Quote, offer: HourlyOffer, draws: Draws, block: Replay, cards: Sequence[_Spans]) -> Whole:
    """Return what the cards are billed for: each card's sessions as `renting` cuts them, set-up inside each."""
    size = len(block.delivery_ms)
    hold = quote.pricing.hold_through_assembly
    drawn_ms = draws.setup_ms(offer.id)
    setup: float | Values = float(setup_of(offer) or 0)
    if drawn_ms is not None:
        setup = drawn_ms[block.first : block.first + size]
    total = np.zeros(size, dtype=np.int64)
    for card in cards:
        sessions: list[Whole] = []
        opened = closed = None
        for start, end in card.values():
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
    quote: Quote,
    plan: Plan,
    draws: Draws,
    times: ReplicationTimes,
    numbers: Sequence[QuoteNumber],
    is_listed: bool,
) -> Spread:
    limit = None if quote.workload.limit is None else quote.workload.limit.ms
    budget = None if quote.workload.budget is None else quote.workload.budget.value
    costs = ReplicationCosts(quote, plan, draws, times)
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


def _beyond_terms(quote: Quote, plan: Plan, times: ReplicationTimes) -> float | None:
    start = rental_start(quote)
    held = [held_ms(start, sum(holding.terms)) for holding in plan.holdings if holding.terms]
    return float((times.busy_ms > min(held)).mean()) if held else None


def _share_above(costs: ReplicationCosts, order: Whole, budget: Decimal) -> float:
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
