"""Plans over several offers at once: lots of several card models and cards by the hour, for the limit or a budget.

The rental engine chooses as if all work were equal tasks that start at time zero; the schedule then times the
choice, and what it holds is paid for as long as its own cards work. Exact for one stage of equal tasks; for other
work the best choice found, with a bound that holds for it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache

from estimator.catalogue import HourlyOffer, Lot
from estimator.plan.fleet import fleet_of
from estimator.plan.layouts import Layouts
from estimator.plan.renting import (
    Rented,
    Shape,
    fleet_parts,
    held_in_lots,
    hourly_holding,
    setup_of,
)
from estimator.plan.scheduling import Variant, timing_of
from estimator.plan.starting import rental_start
from estimator.problems import Absent
from estimator.quote import Organisation, Quote, Stage
from estimator.rental.cover import cost_floor, least_cost_for_deadline
from estimator.rental.hourly import Billing
from estimator.rental.plan import slots_in
from estimator.rental.terms import TermPrice
from estimator.rental.work import DeadlinePlan, WorkHourly, WorkLot
from estimator.results.estimate import MIX, Timing
from estimator.units import MS_PER_DAY, MS_PER_SECOND

_TRIES = 4
_WORTH = Decimal("0.995")
"""A mix that saves less than half a per cent is not worth two sellers, images and set-ups."""
_GRAINS = 400
"""Parts into which work of unequal tasks is cut for a bound: 0.25 % of it each."""
MOST_HOLDINGS, MOST_UNITS = 64, 20_000
"""Shortest terms in the work, and its units, up to which the bound of what it costs to rent is the least cost."""


@dataclass(frozen=True, slots=True)
class Need:
    """Work as the rental engine takes it: `units` of `unit_ms` on a card of factor 1, between `before_ms` off the
    cards at the start and `after_ms` at the end. `exact`: units are the tasks themselves, not parts of all work."""

    units: int
    unit_ms: Decimal
    before_ms: int
    after_ms: int
    exact: bool


def need_of(quote: Quote, organisation: Organisation, timing: Timing) -> Need:
    """Return the work of an organisation. What runs off the cards is taken from one of its schedules."""
    stages = [stage for stage in quote.workload.stages if stage.on_cards]
    off_cards = [time for time in timing.stages if not _on_cards(quote, time.stage_id)]
    starts = [time.start_ms for time in timing.stages if _on_cards(quote, time.stage_id)]
    # Off the cards, only what ends before their first task or starts after their last one adds to the time.
    before = max((time.end_ms for time in off_cards if time.end_ms <= min(starts, default=0)), default=0)
    after = max(
        (time.end_ms - timing.busy_ms for time in off_cards if time.start_ms >= timing.busy_ms), default=0
    )
    if len(stages) == 1 and stages[0].tasks.are_equal:
        each = stages[0].tasks.duration_ms[0] or 0
        return Need(stages[0].tasks.total, Decimal(max(1, each)), before, after, exact=True)
    layouts = Layouts(organisation)
    widest = max(layouts[stage.id].cards_per_task for stage in stages)
    card_ms = sum(stage.tasks.total_ms * layouts[stage.id].cards_per_task for stage in stages)
    area = Decimal(card_ms) / widest
    return Need(_GRAINS, max(Decimal(1), area / _GRAINS), before, after, exact=False)


def mix_that_saves(
    quote: Quote,
    organisation: Organisation,
    shape: Shape,
    offers: Sequence[Lot | HourlyOffer],
    others: Sequence[Rented],
    at: Timing,
    *,
    bounded: bool = True,
) -> Rented | None:
    """Return the mix of several offers where it costs at least 0.5 % less to rent than the others within the limit.

    `at`: a schedule of the organisation on any cards. One with a limit of its own takes any choice that costs less,
    of one offer too. Where no other is within the limit, any mix that is saves.
    Offers whose price or set-up is not known, and those in a currency that is not the quote's, take no part.
    """
    if shape.slices_per_card > 1:
        return None  # the rental engine counts tasks on whole cards
    limit_ms = quote.limit_ms(organisation)
    can = [offer for offer in offers if takes_part(quote, offer)]
    least = 1 if organisation.limit is not None else 2
    if limit_ms is None or len(can) < least:
        return None
    rents = [
        rent for one in others if one.timing.delivery_ms <= limit_ms and (rent := _rent(one)) is not None
    ]
    worth = min(rents) * (_WORTH if least > 1 else 1) if rents else None
    need = need_of(quote, organisation, at)
    if worth is not None and not Question(quote, organisation, shape, need).may_cost(
        can, limit_ms - need.after_ms, worth
    ):
        return None
    found = mixed(quote, organisation, shape, can, at, limit_ms, bounded=bounded)
    if isinstance(found, Absent) or len(found.holdings) < least:
        return None
    cost = _rent(found)
    return found if cost is not None and (worth is None or cost < worth) else None


def takes_part(quote: Quote, offer: Lot | HourlyOffer) -> bool:
    """Whether an offer can be mixed with others: in the quote's currency, priced, set-up known, not interruptible."""
    if offer.currency != quote.pricing.currency or setup_of(offer) is None:
        return False
    if isinstance(offer, Lot):
        return bool(offer.terms)
    return offer.price_per_card_hour is not None and not offer.interruptible


def _rent(rented: Rented) -> Decimal | None:
    total = Decimal(0)
    for holding in rented.holdings:
        if isinstance(holding.cost, Absent):
            return None
        total += holding.cost
    return total


def mixed(
    quote: Quote,
    organisation: Organisation,
    shape: Shape,
    offers: Sequence[Lot | HourlyOffer],
    at: Timing,
    limit_ms: int,
    *,
    bounded: bool = True,
) -> Rented | Absent:
    """Return the cheapest mix found that delivers within `limit_ms`; `at`: a schedule on any of the offers.

    `bounded` False: its bound, which takes as long, is left out.

    At most the tasks at once that the organisation states, else at most the quota's cards.
    Absent codes: deadline_not_met, missing_set_up, those of `timing_of`.
    """
    need = need_of(quote, organisation, at)
    deadline = limit_ms - need.after_ms
    bound: Decimal | None = None
    for _ in range(_TRIES):
        question = Question(quote, organisation, shape, need)
        found = question.cheapest(offers, deadline)
        if isinstance(found, Absent):
            return found
        if bound is None and bounded:
            # One card alone is not slowed down by others, and is a choice too.
            is_bound = need.exact and quote.workload.mutual_slow_down.value == 1
            bound = found.bound if is_bound else question.bound(offers, limit_ms - need.after_ms)
        rented = _rented(quote, organisation, shape, offers, found, need)
        if isinstance(rented, Absent) or rented.timing.delivery_ms <= limit_ms:
            return rented if isinstance(rented, Absent) else _bounded(rented, bound)
        deadline -= rented.timing.delivery_ms - limit_ms
    return Absent("deadline_not_met")


def with_bound(
    quote: Quote, organisation: Organisation, shape: Shape, lots: Sequence[Lot], rented: Rented
) -> Rented:
    """Return lots held for several terms with a closer bound: the least for this work, ended as early."""
    if rented.proven or rented.bound is None or shape.slices_per_card > 1:
        return rented
    need = need_of(quote, organisation, rented.timing)
    asked = Question(quote, organisation, shape, need, cap_slots=True)
    found = asked.bound(lots, rented.timing.busy_ms)
    return rented if found is None else _bounded(rented, max(found, rented.bound))


class Question:
    """What the rental engine is asked for an organisation's work, whatever the deadline."""

    def __init__(
        self,
        quote: Quote,
        organisation: Organisation,
        shape: Shape,
        need: Need,
        *,
        cap_slots: bool | None = None,
    ) -> None:
        self._unit_ms: dict[tuple[str, bool], int | None] = {}
        self._quote = quote
        self._organisation = organisation
        self._shape = shape
        self._need = need
        self._layouts = Layouts(organisation)
        quota = quote.workload.quota_cards
        self._counts_slots = organisation_caps_slots(quote, organisation) if cap_slots is None else cap_slots
        self._cap: int | None = shape.slots if self._counts_slots else None
        if self._cap is None and quota is not None and quota.value is not None:
            self._cap = int(quota.value)

    @property
    def cards_per_task(self) -> int:
        """Cards of each task."""
        return self._shape.cards_per_task

    @property
    def cap(self) -> int | None:
        """What lots and hourly slots may count in all: tasks at once where stated, else cards of a quota."""
        return self._cap

    def cheapest(self, offers: Sequence[Lot | HourlyOffer], deadline_ms: int) -> ChosenMix | Absent:
        """Return the cheapest choice that ends on the cards by `deadline_ms`: lots, with one hourly offer or none."""
        return self._asked(offers, deadline_ms, self._need.units, optimistic=False)

    def may_cost(self, offers: Sequence[Lot | HourlyOffer], deadline_ms: int, amount: Decimal) -> bool:
        """Whether some choice might cost less than `amount`: quickly told, and no promise that one does."""
        for lots, _, hourly in self.fillers(offers, optimistic=False):
            floor = _floor(self._need.units, deadline_ms, lots, hourly, rental_start(self._quote))
            if not isinstance(floor, Absent) and floor < amount:
                return True
        return False

    def bound(self, offers: Sequence[Lot | HourlyOffer], deadline_ms: int) -> Decimal | None:
        """Return what no choice for this work costs less than; None where it cannot be said.

        The least cost itself, but for work with too many units or ways to hold each lot: then a floor.
        """
        units = self._sure_units()
        if units is None:
            return None
        shortest = min((term.days for one in offers if isinstance(one, Lot) for term in one.terms), default=1)
        if units > MOST_UNITS or deadline_ms > MOST_HOLDINGS * shortest * MS_PER_DAY:
            return self._least_floor(offers, deadline_ms, units)
        found = self._asked(offers, deadline_ms, units, optimistic=True)
        return None if isinstance(found, Absent) else found.bound

    def _sure_units(self) -> int | None:
        """Return the units that any choice must count: of work cut into parts, each slot may do one uncounted.

        None where nothing says how many slots there may be.
        """
        if self._need.exact:
            return self._need.units
        return None if self._cap is None else max(1, self._need.units - self._cap)

    def _least_floor(
        self, offers: Sequence[Lot | HourlyOffer], deadline_ms: int, units: int
    ) -> Decimal | None:
        start = rental_start(self._quote)
        floors = [
            _floor(units, deadline_ms, lots, hourly, start)
            for lots, _, hourly in self.fillers(offers, optimistic=True)
        ]
        return min((one for one in floors if not isinstance(one, Absent)), default=None)

    def lots(self, offers: Sequence[Lot | HourlyOffer], *, optimistic: bool) -> tuple[WorkLot, ...]:
        """Return the lots that hold a task, as the engine takes them. Set-up must be known."""
        found = []
        for lot in offers:
            if isinstance(lot, HourlyOffer):
                continue
            slots = _slots(lot, self._shape)
            if self._counts_slots:
                slots = min(slots, self._shape.slots)  # the rest of a wide lot stays spare
            unit_ms = self.unit_ms(lot.card_id, optimistic=optimistic)
            if slots < 1 or unit_ms is None:
                continue
            terms = tuple(TermPrice(term.days, term.price) for term in lot.terms)
            setup = max(self._need.before_ms, setup_of(lot) or 0)
            counted = slots if self._counts_slots else lot.cards
            found.append(WorkLot(lot.id, slots, unit_ms, terms, lot.stock, setup, counted))
        return tuple(found)

    def hourly(self, offer: HourlyOffer, *, optimistic: bool) -> WorkHourly | None:
        """Return an hourly offer as the engine takes it, None where it holds no task or has no price."""
        per_task = self._shape.cards_per_task
        wide = per_task > offer.cards_per_node and not self._shape.may_cross_nodes
        unit_ms = self.unit_ms(offer.card_id, optimistic=optimistic)
        if wide or unit_ms is None or offer.price_per_card_hour is None:
            return None
        most = self._need.units if offer.max_cards is None else offer.max_cards // per_task
        slots = min(most, self._need.units if self._cap is None else self._cap)
        if slots < 1:
            return None
        billing = Billing(offer.granularity_s, offer.minimum_s)
        counted = 1 if self._counts_slots else per_task
        rate = offer.price_per_card_hour
        return WorkHourly(slots, per_task, unit_ms, rate, billing, setup_of(offer) or 0, counted)

    def unit_ms(self, card_id: str, *, optimistic: bool) -> int | None:
        """Return a unit's time on a card model, rounded up, or down for a bound; None where it may not run there.

        With several stages the slowest factor counts, for a bound the fastest.
        """
        key = (card_id, optimistic)
        if key not in self._unit_ms:
            self._unit_ms[key] = self._unit_ms_on(card_id, optimistic=optimistic)
        return self._unit_ms[key]

    def _unit_ms_on(self, card_id: str, *, optimistic: bool) -> int | None:
        factors = []
        for stage in self._quote.workload.stages:
            if not stage.on_cards:
                continue
            eligible = self._layouts[stage.id].card_ids
            if eligible and card_id not in eligible:
                return None
            factors.append(_factor(stage, card_id))
        slow_down = self._quote.workload.mutual_slow_down.value or Decimal(1)
        each = self._need.unit_ms * (
            min(factors) if optimistic else max(factors) * max(Decimal(1), slow_down)
        )
        rounding = ROUND_FLOOR if optimistic and not self._need.exact else ROUND_CEILING
        # Parts of the work may be whole seconds, as most billing is: the choice is then found much faster.
        step = 1 if self._need.exact or each < MS_PER_SECOND else MS_PER_SECOND
        return max(1, int((each / step).to_integral_value(rounding)) * step)

    def _asked(
        self, offers: Sequence[Lot | HourlyOffer], deadline_ms: int, units: int, *, optimistic: bool
    ) -> ChosenMix | Absent:
        start = rental_start(self._quote)
        best: ChosenMix | Absent = Absent("deadline_not_met")
        bound: Decimal | None = None
        for lots, offer_id, hourly in self.fillers(offers, optimistic=optimistic):
            plan = _chosen(units, deadline_ms, lots, hourly, start, self._cap)
            if isinstance(plan, Absent):
                continue
            bound = plan.bound if bound is None else min(bound, plan.bound)
            if isinstance(best, Absent) or plan.cost < best.plan.cost:
                best = ChosenMix(plan, offer_id if plan.hourly else "", plan.bound)
        if isinstance(best, Absent) or bound is None:
            return best
        return replace(best, bound=bound)

    def fillers(
        self, offers: Sequence[Lot | HourlyOffer], *, optimistic: bool
    ) -> list[tuple[tuple[WorkLot, ...], str, WorkHourly | None]]:
        """Return all lots with each hourly offer; all lots alone only where there is none, being part of each."""
        lots = self.lots(offers, optimistic=optimistic)
        found: list[tuple[tuple[WorkLot, ...], str, WorkHourly | None]] = []
        for offer in offers:
            if isinstance(offer, HourlyOffer):
                hourly = self.hourly(offer, optimistic=optimistic)
                found += [] if hourly is None else [(lots, offer.id, hourly)]
        return found or [(lots, "", None)]


@dataclass(frozen=True, slots=True)
class ChosenMix:
    """The engine's choice, the hourly offer in it ("" without one), and the bound over all that were asked."""

    plan: DeadlinePlan
    hourly_id: str
    bound: Decimal


# Most edits leave the question alone: names, fees, other organisations.
_chosen = lru_cache(maxsize=128)(least_cost_for_deadline)
_floor = lru_cache(maxsize=128)(cost_floor)


def organisation_caps_slots(quote: Quote, organisation: Organisation) -> bool:
    """Whether the organisation states its tasks at once for every stage on cards."""
    layouts = Layouts(organisation)
    return all(
        layouts[stage.id].tasks_at_once is not None for stage in quote.workload.stages if stage.on_cards
    )


def _on_cards(quote: Quote, stage_id: str) -> bool:
    stage = quote.workload.stage(stage_id)
    return stage is not None and stage.on_cards


def _factor(stage: Stage, card_id: str) -> Decimal:
    stated = next((one.factor.value for one in stage.card_factors if one.card_id == card_id), None)
    return stated or Decimal(1)


def _bounded(rented: Rented, bound: Decimal | None) -> Rented:
    cost = _rent(rented)
    if bound is None or cost is None:
        return rented
    return replace(rented, bound=min(bound, cost), proven=cost <= bound)


def _rented(
    quote: Quote,
    organisation: Organisation,
    shape: Shape,
    offers: Sequence[Lot | HourlyOffer],
    chosen: ChosenMix,
    need: Need,
) -> Rented | Absent:
    """Time the choice, then hold each lot for its own cards' work and bill each hourly card for its own."""
    copies: dict[str, int] = {}
    for held in chosen.plan.lots:
        copies[held.lot_id] = copies.get(held.lot_id, 0) + held.count
    taken: list[tuple[Lot | HourlyOffer, int, int]] = [
        (offer, copies[offer.id], copies[offer.id] * offer.cards)
        for offer in offers
        if isinstance(offer, Lot) and offer.id in copies
    ]
    hourly_cards = sum(row.count for row in chosen.plan.hourly) * shape.cards_per_task
    taken += [(offer, 1, hourly_cards) for offer in offers if offer.id == chosen.hourly_id]
    slots = hourly_cards // shape.cards_per_task
    slots += sum(
        count * _used_slots(quote, organisation, offer, shape)
        for offer, count, _ in taken
        if isinstance(offer, Lot)
    )
    parts = fleet_parts(quote, ((offer.id, count, cards) for offer, count, cards in taken), shape)
    fleet = fleet_of(parts, slots, shape.cards_per_task, shape.may_cross_nodes)
    shares: dict[str, int] = {}
    if need.exact:
        for held in chosen.plan.lots:
            shares[held.lot_id] = shares.get(held.lot_id, 0) + held.units
        by_the_hour = need.units - sum(shares.values())
        shares |= {chosen.hourly_id: by_the_hour} if by_the_hour else {}
    timing = timing_of(quote, organisation, fleet, Variant(shares=tuple(shares.items())))
    if isinstance(timing, Absent):
        return timing
    holdings = []
    for offer, count, _ in taken:
        if isinstance(offer, Lot):
            holding = held_in_lots(quote, offer, count, timing)
            if isinstance(holding, Absent):
                return holding
            holdings.append(holding)
        else:
            holdings.append(hourly_holding(quote, offer, timing))
    return Rented(MIX, tuple(holdings), timing, proven=False, bound=None)


def _used_slots(quote: Quote, organisation: Organisation, lot: Lot, shape: Shape) -> int:
    slots = _slots(lot, shape)
    return min(slots, shape.slots) if organisation_caps_slots(quote, organisation) else slots


def _slots(lot: Lot, shape: Shape) -> int:
    return slots_in(lot.cards, lot.cards_per_node, shape.cards_per_task, shape.may_cross_nodes)
