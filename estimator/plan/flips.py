"""At which price, duration or number of units another plan is recommended: found by recomputing the decision.

Never by a slope: whole lots, terms and started hours change in steps. Prices are searched by halving, which is
exact because each plan's cost is a straight line of one price; durations and units first at growing distances, so
that a change that is undone within a distance may be passed over, then by halving.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import partial

from estimator.catalogue import HourlyOffer, Lot, TermPrice
from estimator.evidence import GIVEN
from estimator.price import minor_unit
from estimator.problems import Place
from estimator.quote import Quote, Stage, Tasks
from estimator.results.estimate import Decision, Plan
from estimator.results.rental import Flip, Quantity
from estimator.units import MS_PER_SECOND, TimeUnit

Decide = Callable[[Quote], Plan | None]

_UP = tuple(Decimal(one) for one in ("1.01", "1.02", "1.05", "1.1", "1.2", "1.35", "1.5", "2", "3", "4"))
_DOWN = tuple(Decimal(one) for one in ("0.99", "0.98", "0.95", "0.9", "0.8", "0.65", "0.5", "0.25"))
_MOST_PRICE = 10
_RIVALS = 3
_PERMILLE = 1000


@dataclass(frozen=True, slots=True)
class _Axis:
    """One number that is changed: whole steps from `now`; `quote_at` gives the quote at so many steps."""

    quantity: Quantity
    where: Place
    now: int
    step: Decimal
    quote_at: Callable[[int], Quote]
    term_days: int = 0


def flips(
    quote: Quote,
    plan: Plan,
    rivals: tuple[Plan, ...],
    decide: Decide,
    progress: Callable[[float], None] = lambda done: None,
) -> tuple[Flip, ...]:
    """Return the flips of the recommended `plan`: its own prices up, its cheapest rivals' down, durations, units.

    `decide` gives the recommended plan of a quote; `progress` hears from 0 to 1 how many numbers were tried.
    SolveStopped passes through where the caller has enough.
    """
    searches = tuple(_searches(quote, plan, rivals, decide))
    found = []
    for at, search in enumerate(searches):
        progress(at / len(searches))
        flip = search()
        found += [] if flip is None else [flip]
    progress(1.0)
    return tuple(found)


def _searches(
    quote: Quote, plan: Plan, rivals: tuple[Plan, ...], decide: Decide
) -> Iterator[Callable[[], Flip | None]]:
    decision = plan.decision
    for axis in _prices(quote, plan):
        yield partial(_halved, axis, decision, decide, axis.now * _MOST_PRICE)
    seen = {holding.offer_id for holding in plan.holdings}
    for rival in rivals[:_RIVALS]:
        for axis in _prices(quote, rival):
            if axis.where[1] not in seen:
                seen.add(axis.where[1])
                yield partial(_halved, axis, decision, decide, 0)
    main = quote.workload.main_stage
    if main is not None and None not in main.tasks.duration:
        for axis in (_duration(quote, main), *_units(quote, main)):
            for factors in (_UP, _DOWN):
                yield partial(_stepped, axis, decision, decide, factors)


def _differs(axis: _Axis, at: int, decision: Decision, decide: Decide) -> bool:
    found = decide(axis.quote_at(at))
    return found is None or found.decision != decision


def _halved(axis: _Axis, decision: Decision, decide: Decide, end: int) -> Flip:
    """Return the first step towards `end` at which the decision is another, the last but one being the same."""
    if end == axis.now or not _differs(axis, end, decision, decide):
        return _flip(axis, None, end, decide)
    return _between(axis, axis.now, end, decision, decide, end)


def _between(axis: _Axis, same: int, other: int, decision: Decision, decide: Decide, end: int) -> Flip:
    while abs(other - same) > 1:
        middle = (same + other) // 2
        if _differs(axis, middle, decision, decide):
            other = middle
        else:
            same = middle
    return _flip(axis, other, end, decide)


def _stepped(axis: _Axis, decision: Decision, decide: Decide, factors: tuple[Decimal, ...]) -> Flip | None:
    same, end = axis.now, _scaled(axis.now, factors[-1])
    if end == axis.now:
        return None  # a single unit, a moment: nothing below it
    for factor in factors:
        at = _scaled(axis.now, factor)
        if at == same:
            continue
        if _differs(axis, at, decision, decide):
            return _between(axis, same, at, decision, decide, end)
        same = at
    return _flip(axis, None, end, decide)


def _scaled(value: int, factor: Decimal) -> int:
    return max(1, int((value * factor).to_integral_value(ROUND_HALF_UP)))


def _flip(axis: _Axis, at: int | None, end: int, decide: Decide) -> Flip:
    plan = None if at is None else decide(axis.quote_at(at))
    return Flip(
        quantity=axis.quantity,
        where=axis.where,
        now=axis.now * axis.step,
        at=None if at is None else at * axis.step,
        step=axis.step,
        tried=end * axis.step,
        plan_id="" if plan is None else plan.id,
        holdings=() if plan is None else plan.decision.holdings,
        term_days=axis.term_days,
    )


def _prices(quote: Quote, plan: Plan) -> Iterator[_Axis]:
    """Yield the price of each offer of a plan: of a lot that of its longest term held, by the hour a card's."""
    for holding in plan.holdings:
        offer = quote.offer(holding.offer_id)
        if isinstance(offer, HourlyOffer) and offer.price_per_card_hour is not None:
            step = minor_unit(offer.currency) / 100
            where = ("offers", offer.id, "price")
            now = int(offer.price_per_card_hour / step)
            yield _Axis(Quantity.HOURLY_PRICE, where, now, step, _hourly_at(quote, offer, step))
        elif isinstance(offer, Lot) and holding.terms:
            days = max(holding.terms)
            price = next(term.price for term in offer.terms if term.days == days)
            step = minor_unit(offer.currency)
            at: Place = ("offers", offer.id, "terms", str(days))
            now = int(price / step)
            yield _Axis(Quantity.LOT_PRICE, at, now, step, _term_at(quote, offer, days, step), days)


def _hourly_at(quote: Quote, offer: HourlyOffer, step: Decimal) -> Callable[[int], Quote]:
    return lambda at: _with_offer(quote, offer.replaced(price_per_card_hour=at * step))


def _term_at(quote: Quote, lot: Lot, days: int, step: Decimal) -> Callable[[int], Quote]:
    def changed(at: int) -> Quote:
        terms = tuple(TermPrice(days=days, price=at * step) if one.days == days else one for one in lot.terms)
        return _with_offer(quote, lot.replaced(terms=terms))

    return changed


def _with_offer(quote: Quote, offer: Lot | HourlyOffer) -> Quote:
    return quote.replaced(offers=tuple(offer if one.id == offer.id else one for one in quote.offers))


def _duration(quote: Quote, stage: Stage) -> _Axis:
    """Return the duration of equal tasks, in seconds or milliseconds; of others a factor in thousandths."""
    where: Place = ("workload", "stages", stage.id, "duration")
    lengths = [each or 0 for each in stage.tasks.duration_ms]
    if not stage.tasks.are_equal:
        return _Axis(
            Quantity.DURATION_FACTOR,
            where,
            _PERMILLE,
            Decimal(1) / _PERMILLE,
            lambda at: _with_lengths(quote, stage, [each * at // _PERMILLE for each in lengths]),
        )
    # Steps of a second where that is fine enough and loses nothing of the stated time.
    unit = MS_PER_SECOND if lengths[0] >= 100 * MS_PER_SECOND and lengths[0] % MS_PER_SECOND == 0 else 1
    return _Axis(
        Quantity.DURATION,
        where,
        lengths[0] // unit,
        Decimal(unit),
        lambda at: _with_lengths(quote, stage, [at * unit] * len(lengths)),
    )


def _with_lengths(quote: Quote, stage: Stage, lengths_ms: list[int]) -> Quote:
    durations = tuple(Decimal(each) / MS_PER_SECOND for each in lengths_ms)
    return _with_tasks(quote, stage, stage.tasks.replaced(duration=durations, unit=TimeUnit.SECOND))


def _units(quote: Quote, stage: Stage) -> Iterator[_Axis]:
    """Yield the number of tasks where they are equal: of unequal ones it is not said which would be added."""
    if not stage.tasks.are_equal:
        return
    where: Place = ("workload", "stages", stage.id, "count")
    tasks = stage.tasks

    def changed(at: int) -> Quote:
        fewer = Tasks(count=(at,), duration=(tasks.duration[0],), unit=tasks.unit, evidence=tasks.evidence)
        return _with_tasks(quote, stage, fewer.replaced(count_evidence=GIVEN))

    yield _Axis(Quantity.UNITS, where, tasks.total, Decimal(1), changed)


def _with_tasks(quote: Quote, stage: Stage, tasks: Tasks) -> Quote:
    stages = tuple(one.replaced(tasks=tasks) if one.id == stage.id else one for one in quote.workload.stages)
    return quote.replaced(workload=quote.workload.replaced(stages=stages))
