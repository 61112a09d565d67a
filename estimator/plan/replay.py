"""What an edit does to a plan that is held fixed: the same tasks on the same cards in the same order, re-timed
and re-priced.

This is the definition that a workbook's formulas must equal. It looks for no better plan: it says where a lot's
term is outrun, and where the plan is no longer shown to be optimal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from estimator.catalogue import HourlyOffer, Lot
from estimator.duration import unit_duration_ms
from estimator.plan.fixed import FixedPlan, held_ms
from estimator.plan.fixed_row import Row
from estimator.plan.pricing import priced
from estimator.plan.renting import setup_of
from estimator.plan.scheduling import slice_factor, stated_ms
from estimator.plan.when import release_ms
from estimator.problems import Absent
from estimator.quote import FeeBasis, Organisation, Pricing, Quote, StageKind
from estimator.rental.hourly import Billing, card_billed_ms, hourly_cost
from estimator.results.estimate import Holding, StageTime
from estimator.results.price import Price

Column = NDArray[np.int64]
_BY_PLAN = frozenset({FeeBasis.RENTED_TIME, FeeBasis.CARD_HOURS, FeeBasis.ENERGY})
"""Fees that cost more on one plan than on another."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A fixed plan on an edited quote. `starts`, `ends`: of each row, in ms. `price` is None without a plan.

    `until_ms`: when the last task on the cards of each offer ends. `outrun`: the lots whose term ends before that.
    `changes_decision`: a number on which the choice of the plan rests is another one, so that what was shown of it
    before no longer is. `is_shown_optimal`: the delivery meets its lower bound and no lots cost less, and nothing
    has changed that.
    """

    quote: Quote
    starts: Column
    ends: Column
    stages: tuple[StageTime, ...]
    delivery_ms: int
    busy_ms: int
    until_ms: Mapping[str, int]
    holdings: tuple[Holding, ...]
    price: Price | None
    outrun: tuple[str, ...]
    changes_decision: bool
    is_shown_optimal: bool


def replay(quote: Quote, fixed: FixedPlan, lot_counts: Mapping[str, int] | None = None) -> Replayed:
    """Return the fixed plan with the numbers of `quote`, and with other counts of lots where they are given.

    `quote` has the stages, offers and fees of the fixed plan's own. The count of a stage's tasks may differ where
    the plan shares them evenly (`fixed.slots`), a count of lots where it is at least what the plan uses.
    Raises ValueError for another count, LookupError where something of the plan is not in the quote.
    """
    counts = dict(lot_counts or {})
    _check_counts(quote, fixed, counts)
    starts, ends = _times(quote, fixed)
    stages = []
    for at, stage in enumerate(quote.workload.stages):
        first, last = fixed.of_stage(at)
        start, end = int(starts[first : last + 1].min()), int(ends[first : last + 1].max())
        stages.append(StageTime(stage.id, start, end))
    delivery_ms = max(one.end_ms for one in stages)
    on_cards = [at for at, stage in enumerate(quote.workload.stages) if stage.on_cards]
    busy_ms = max((stages[at].end_ms for at in on_cards), default=0)
    until = _until(fixed, lambda at: int(ends[at]))
    holdings: tuple[Holding, ...] = ()
    if fixed.plan is not None:
        paid = _paid_ms(quote, fixed, starts, ends, delivery_ms)
        holdings = tuple(
            _held(
                quote,
                one,
                until.get(one.offer_id, 0),
                paid.get(one.offer_id, 0),
                counts.get(one.offer_id, one.count),
            )
            for one in fixed.plan.holdings
        )
    changed = _changes_decision(fixed.quote, quote) or any(
        counts.get(one.offer_id, one.count) != one.count
        for one in (fixed.plan.holdings if fixed.plan is not None else ())
    )
    return Replayed(
        quote=quote,
        starts=starts,
        ends=ends,
        stages=tuple(stages),
        delivery_ms=delivery_ms,
        busy_ms=busy_ms,
        holdings=holdings,
        price=None if fixed.plan is None else priced(quote, holdings),
        until_ms=until,
        outrun=_outrun(holdings, until),
        changes_decision=changed,
        is_shown_optimal=not changed and was_shown_optimal(fixed),
    )


def as_planned(fixed: FixedPlan) -> Replayed:
    """Return the plan as it was made: what `replay` gives on the quote that it was made of, without working it out."""
    plan, timing = fixed.plan, fixed.timing
    until = _until(fixed, lambda at: fixed.planned_at(at)[1])
    starts, ends = fixed.planned_times()
    holdings = () if plan is None else plan.holdings
    return Replayed(
        quote=fixed.quote,
        starts=starts,
        ends=ends,
        stages=timing.stages,
        delivery_ms=timing.delivery_ms,
        busy_ms=timing.busy_ms,
        holdings=holdings,
        price=None if plan is None else plan.price,
        until_ms=until,
        outrun=_outrun(holdings, until),
        changes_decision=False,
        is_shown_optimal=was_shown_optimal(fixed),
    )


def _until(fixed: FixedPlan, end_of: Callable[[int], int]) -> dict[str, int]:
    """Return when the last task on the cards of each offer ends."""
    found: dict[str, int] = {}
    for span in fixed.spans():
        owner = fixed.owner_of(span.card)
        found[owner] = max(found.get(owner, 0), *(end_of(at) for at in span.last_rows))
    return found


def _outrun(holdings: tuple[Holding, ...], until: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(one.offer_id for one in holdings if one.terms and until.get(one.offer_id, 0) > one.held_ms)


def was_shown_optimal(fixed: FixedPlan) -> bool:
    """Return whether the plan, as it was made, delivers at its lower bound and no choice of lots costs less."""
    proven = fixed.plan is None or fixed.plan.proven
    return fixed.timing.schedule.is_optimal and proven


def tax_decides(pricing: Pricing) -> bool:
    """Return whether the tax rate bears on which plan costs least: only beside fees by plan with another rate."""
    return any(fee.tax_percent is not None and fee.basis in _BY_PLAN for fee in pricing.fees)


def fee_decides(basis: FeeBasis) -> bool:
    """Return whether a fee of that basis costs more on one plan than on another."""
    return basis in _BY_PLAN


def slow_down_counts(quote: Quote, organisation: Organisation, places: int) -> frozenset[str]:
    """Return the stages in which several tasks run at once, on cards or slices, which slow each other down."""
    return frozenset(
        stage.id
        for stage in quote.workload.stages
        if stage.on_cards and places // organisation.layout(stage.id).cards_per_task > 1
    )


def share_of(total: int, slots: int, slot: int) -> int:
    """Return how many of `total` equal tasks a slot gets: an even share, the first slots one more."""
    return total // slots + (1 if slot < total % slots else 0)


def count_of(quote: Quote, fixed: FixedPlan, row: Row) -> int:
    """Return how many tasks a row has on an edited quote."""
    if row.slot < 0:
        return row.count
    return share_of(quote.workload.stages[row.stage].tasks.total, fixed.slots[row.stage], row.slot)


def _check_counts(quote: Quote, fixed: FixedPlan, lot_counts: Mapping[str, int]) -> None:
    for at, (stage, before) in enumerate(
        zip(quote.workload.stages, fixed.quote.workload.stages, strict=True)
    ):
        slots = fixed.slots.get(at)
        if stage.tasks.count != before.tasks.count and (slots is None or stage.tasks.total < slots):
            raise ValueError(f"the fixed plan cannot follow the count of {stage.id}")
    for offer_id, count in lot_counts.items():
        if count < fixed.used_copies(offer_id):
            raise ValueError(f"the fixed plan uses more lots of {offer_id}")


def _times(quote: Quote, fixed: FixedPlan) -> tuple[Column, Column]:
    stages = quote.workload.stages
    place = {stage.id: at for at, stage in enumerate(stages)}
    waits = [
        [place[one] for one in stage.after if one in place and not stage.streams(one)] for stage in stages
    ]
    released = [release_ms(quote, stage) for stage in stages]
    durations = _Durations(quote, fixed)
    ready = [_setup_ms(quote, offer_id) for offer_id in fixed.fleet.offer_ids]
    starts = np.zeros(len(fixed.rows), dtype=np.int64)
    ends = np.zeros(len(fixed.rows), dtype=np.int64)
    stage_end = [0] * len(stages)
    for turn in fixed.order:
        at = int(turn)
        row = fixed.rows[at]
        start = max([released[row.stage], *(stage_end[one] for one in waits[row.stage])])
        for one in row.after:
            start = max(start, int(ends[one]))
        for one, resource_id in row.released:
            giver = fixed.rows[one]
            held = held_ms(quote, giver, resource_id, durations.each(giver))
            start = max(start, int(starts[one]) + held)
        for card in row.cards:
            start = max(start, ready[card] if ready else 0)
        start = max(start, row.planned_ms or 0)
        end = start + durations.each(row) * (1 if row.together else count_of(quote, fixed, row))
        if row.is_fixed:
            start, end = row.start_ms, row.end_ms
        starts[at], ends[at] = start, end
        stage_end[row.stage] = max(stage_end[row.stage], end)
    return starts, ends


class _Durations:
    """The time of one task of a row, worked out once for each group and card model."""

    def __init__(self, quote: Quote, fixed: FixedPlan) -> None:
        self._fixed = fixed
        self._stages = quote.workload.stages
        self._stated = [stated_ms(stage.tasks) for stage in self._stages]
        self._slowed = slow_down_counts(quote, fixed.organisation, fixed.fleet.places)
        self._slow_down = quote.workload.mutual_slow_down.value or Decimal(1)
        organisation = quote.organisation(fixed.organisation.id) or fixed.organisation
        self._of_slice = slice_factor(organisation)
        self._found: dict[tuple[int, int, str], int] = {}

    def each(self, row: Row) -> int:
        """Return the milliseconds of one task."""
        key = (row.stage, row.group, self._fixed.model_of(row))
        if key not in self._found:
            self._found[key] = self._worked_out(*key)
        return self._found[key]

    def _worked_out(self, place: int, group: int, model: str) -> int:
        stage = self._stages[place]
        if stage.kind is StageKind.GATE:
            return 0
        stated = int(self._stated[place][group])
        if not stage.on_cards:
            return stated
        factors = {one.card_id: one.factor.value for one in stage.card_factors}
        slow_down = self._slow_down if stage.id in self._slowed else Decimal(1)
        factor = (factors.get(model) or Decimal(1)) * self._of_slice
        return unit_duration_ms(stated, factor, slow_down)


def _setup_ms(quote: Quote, offer_id: str) -> int:
    offer = quote.offer(offer_id)
    return 0 if offer is None else setup_of(offer) or 0


@dataclass(frozen=True, slots=True)
class Session:
    """One card in one stage, in time order by card. `joins`: the card was not released before it.

    `first_rows` and `last_rows`: of each slice where cards are sliced, else one row each.
    """

    card: int
    stage: int
    first_rows: tuple[int, ...]
    last_rows: tuple[int, ...]
    start_ms: int
    end_ms: int
    joins: bool


def sessions_of(fixed: FixedPlan, starts: Column, ends: Column, hold: bool) -> list[Session]:
    """Return the spans of each card by stage at those times; `hold` joins all of a card's.

    Which rows begin and end a span, and the order of spans, are the plan's own.
    """
    found: list[Session] = []
    until = 0
    for span in fixed.spans():
        card = span.card
        start = min(int(starts[at]) for at in span.first_rows)
        end = max(int(ends[at]) for at in span.last_rows)
        same = bool(found) and found[-1].card == card
        joins = same and (hold or start <= until)
        until = max(until, end) if joins else end
        found.append(Session(card, span.stage, span.first_rows, span.last_rows, start, end, joins))
    return found


def _paid_ms(
    quote: Quote, fixed: FixedPlan, starts: Column, ends: Column, delivery_ms: int
) -> dict[str, int]:
    """Return the card time billed of each hourly offer."""
    hold = quote.pricing.hold_through_assembly
    lengths: dict[int, list[int]] = {}
    since: dict[int, int] = {}
    until: dict[int, int] = {}
    for one in sessions_of(fixed, starts, ends, hold):
        if not one.joins:
            if one.card in since:
                lengths.setdefault(one.card, []).append(until[one.card] - since[one.card])
            since[one.card], until[one.card] = one.start_ms, one.end_ms
        until[one.card] = max(until[one.card], one.end_ms)
    paid: dict[str, int] = {}
    for card, start in since.items():
        end = max(until[card], delivery_ms) if hold else until[card]
        lengths.setdefault(card, []).append(end - start)
        offer = quote.offer(fixed.owner_of(card))
        if isinstance(offer, HourlyOffer):
            setup_ms = setup_of(offer) or 0
            billing = Billing(offer.granularity_s, offer.minimum_s, offer.monthly_cap_hours)
            billed = card_billed_ms([length + setup_ms for length in lengths[card]], billing)
            paid[offer.id] = paid.get(offer.id, 0) + billed
    return paid


def _held(quote: Quote, holding: Holding, until_ms: int, paid_ms: int, count: int) -> Holding:
    offer = quote.offer(holding.offer_id)
    if offer is None:
        raise LookupError(holding.offer_id)
    if isinstance(offer, Lot):
        prices = {term.days: term.price for term in offer.terms}
        cost = count * sum((prices[days] for days in holding.terms), Decimal(0))
        cards = count * offer.cards
        return replace(holding, count=count, cards=cards, paid_card_ms=cards * holding.held_ms, cost=cost)
    if isinstance(holding.cost, Absent) or offer.price_per_card_hour is None:
        return replace(holding, held_ms=until_ms, paid_card_ms=paid_ms)
    cost = hourly_cost(offer.price_per_card_hour, paid_ms)
    return replace(holding, held_ms=until_ms, paid_card_ms=paid_ms, cost=cost)


def _changes_decision(before: Quote, after: Quote) -> bool:
    """Return whether a number differs on which the choice of the plan rests.

    Discount and contingency are shares of every plan alike; so is tax, but for fees by plan at rates of their own.
    """
    if (before.workload, before.offers) != (after.workload, after.offers):
        return True
    if before.organisations != after.organisations:
        return True
    one, two = before.pricing, after.pricing
    if one.rates != two.rates or (tax_decides(one) and one.tax_percent != two.tax_percent):
        return True
    return any(
        left != right for left, right in zip(one.fees, two.fees, strict=True) if fee_decides(left.basis)
    )
