"""Which lots and terms finish a number of equal units by a deadline at least cost, and the frontier of both.

Lots may be held for different terms and stop early: a lot does what fits its own holding. Not for plans
with several kinds of task or with shared resources; there the schedule decides (see `plan.py`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil, gcd, lcm
from typing import NamedTuple

from estimator.problems import Absent
from estimator.rental.capped import CappedClass, cheapest_capped_cover
from estimator.rental.covering import LARGEST_COST, MARGIN, Choices, Taken, cheapest_cover, lower_bound
from estimator.rental.hourly import billed_ms, hourly_cost
from estimator.rental.terms import Cover, TermPrice, cover_ladder, held_ms
from estimator.rental.work import DeadlinePlan, HeldLots, HourlySlots, WorkHourly, WorkLot
from estimator.units import MS_PER_DAY, MS_PER_HOUR, MS_PER_SECOND


def least_cost_for_deadline(
    units: int,
    deadline_ms: int,
    lots: tuple[WorkLot, ...],
    hourly: WorkHourly | None = None,
    start: datetime | None = None,
    cap: int | None = None,
) -> DeadlinePlan | Absent:
    """Return the cheapest plan that ends `units` units (at least 1) within `deadline_ms` from time zero.

    `cap`: what the lots and hourly slots may count in all.

    What follows the last unit off the cards (assembly) is taken off the deadline by the caller.
    Absent codes: deadline_not_met, amount_too_large.
    """
    return _Work(units, deadline_ms, lots, hourly, start, cap).cheapest(deadline_ms)


def cost_floor(
    units: int,
    deadline_ms: int,
    lots: tuple[WorkLot, ...],
    hourly: WorkHourly | None = None,
    start: datetime | None = None,
) -> Decimal | Absent:
    """Return an amount that no plan for the deadline costs less than: in a moment, where a plan takes longer."""
    return _Work(units, deadline_ms, lots, hourly, start).floor(deadline_ms)


def cost_time_frontier(
    units: int,
    deadline_ms: int,
    lots: tuple[WorkLot, ...],
    hourly: WorkHourly | None = None,
    start: datetime | None = None,
    cap: int | None = None,
    most: int | None = None,
) -> tuple[DeadlinePlan, ...] | Absent:
    """Return the plans that no other beats in cost or finish without losing in the other; cheapest first.

    `most`: where the walk takes more plans, on the frontier or equal to one in cost, it is `frontier_by_terms`: from
    the cheapest to the fastest, and not so many steps next to the cheapest.
    """
    work = _Work(units, deadline_ms, lots, hourly, start, cap)
    plan = work.cheapest(deadline_ms, widest=True)
    if isinstance(plan, Absent):
        return plan
    frontier: list[DeadlinePlan] = []
    solved = 1
    while True:
        # A plan is on the frontier if ending a millisecond earlier costs more, or cannot be.
        faster = work.cheapest(plan.finish_ms - 1, widest=True)
        if isinstance(faster, Absent) or faster.cost > plan.cost:
            frontier.append(plan)
        if isinstance(faster, Absent):
            return tuple(frontier)
        if solved == most:
            return work.by_terms(deadline_ms)
        plan = faster
        solved += 1


def frontier_by_terms(
    units: int,
    deadline_ms: int,
    lots: tuple[WorkLot, ...],
    hourly: WorkHourly | None = None,
    start: datetime | None = None,
    cap: int | None = None,
) -> tuple[DeadlinePlan, ...] | Absent:
    """Return the cheapest plan for each length that a holding can have, and for the deadline; cheapest first.

    Each is the cheapest for its deadline. Between two of them `cost_time_frontier` may know more: hundreds of
    plans where there are tens of lots, each some minutes faster and some coins dearer.
    """
    return _Work(units, deadline_ms, lots, hourly, start, cap).by_terms(deadline_ms)


def least_time_for_budget(
    units: int,
    deadline_ms: int,
    budget: Decimal,
    lots: tuple[WorkLot, ...],
    hourly: WorkHourly | None = None,
    start: datetime | None = None,
    cap: int | None = None,
) -> DeadlinePlan | Absent:
    """Return the plan that ends first with a cost within `budget`, at the least cost for that time.

    Absent codes: those of `least_cost_for_deadline`, budget_too_small (value: least cost).
    """
    work = _Work(units, deadline_ms, lots, hourly, start, cap)
    best = work.cheapest(deadline_ms)
    if isinstance(best, Absent):
        return best
    if best.cost > budget:
        return Absent("budget_too_small", values=(("least_cost", best.cost),))
    return work.earliest(best, budget)


class _Option(NamedTuple):
    """What one copy can do by a deadline: its cost in the question's whole units, units of work, and the holding
    behind them (hourly: None)."""

    cost: int
    units: int
    cover: Cover | None


class _Asked(NamedTuple):
    """A deadline's question in whole numbers: the classes, and the options behind each of them."""

    classes: tuple[Choices, ...]
    options: list[list[_Option]]


class _Work:
    """One question: the covers of every lot, made once for all the deadlines that it asks about."""

    def __init__(
        self,
        units: int,
        longest_ms: int,
        lots: tuple[WorkLot, ...],
        hourly: WorkHourly | None,
        start: datetime | None,
        cap: int | None = None,
    ) -> None:
        if units < 1 or any(lot.slots < 1 or lot.unit_ms < 1 for lot in lots):
            raise ValueError("there is a unit to do, and a lot does at least one at once, in a time above 0")
        self._units = units
        self._lots = lots
        self._hourly = hourly
        self._cap = cap
        self._ladders = tuple(
            _ladder(lot.terms, min(longest_ms, _alone_ms(lot, units)), start) for lot in lots
        )
        self._held = {cover.held_days: held for ladder in self._ladders for held, cover in ladder}
        hours = [] if hourly is None else _hourly_ladder(hourly, units, longest_ms)
        # Whole costs are this many times the exact ones.
        self._scale = _scale(
            [
                *(Fraction(cover.cost) for ladder in self._ladders for _, cover in ladder),
                *(c for c, _ in hours),
            ]
        )
        self._hourly_ladder = [_Option(self._whole(cost), done, None) for cost, done in hours]

    @property
    def held_lengths(self) -> tuple[int, ...]:
        """How long a lot can be held, in milliseconds, longest first."""
        return tuple(sorted(set(self._held.values()), reverse=True))

    def floor(self, deadline_ms: int) -> Decimal | Absent:
        """Return what no plan within `deadline_ms` costs less than."""
        asked = self._asked(deadline_ms)
        if isinstance(asked, Absent):
            return asked
        _, bound = lower_bound(asked.classes, self._units)
        whole = max(0, ceil(bound - MARGIN * (1.0 + abs(bound))))  # every cost is a whole one
        return _amount(Fraction(whole) / self._scale)

    def cheapest(self, deadline_ms: int, *, widest: bool = False) -> DeadlinePlan | Absent:
        """Return the cheapest plan that ends within `deadline_ms`, not above the longest of the question.

        `widest`: with as many hourly slots as cost nothing more; else with those that the deadline needs.
        """
        asked = self._asked(deadline_ms)
        if isinstance(asked, Absent):
            return asked
        classes, _ = asked
        if self._cap is None:
            taken = cheapest_cover(classes, self._units)
            if taken is None:
                return Absent("deadline_not_met")
            return self._plan(taken, asked, deadline_ms, widest=widest)
        counted = [lot.counted for lot in self._lots]
        counted += [] if self._hourly is None else [self._hourly.counted] * (len(classes) - len(counted))
        capped = tuple(
            CappedClass(row.options, row.copies, count) for row, count in zip(classes, counted, strict=True)
        )
        found = cheapest_capped_cover(capped, self._units, self._cap)
        if found is None:
            return Absent("deadline_not_met")
        plan = self._plan(found.taken, asked, deadline_ms, widest=widest)
        return plan if found.bound == found.cost else replace(plan, bound=_amount(found.bound / self._scale))

    def by_terms(self, deadline_ms: int) -> tuple[DeadlinePlan, ...] | Absent:
        """Return the cheapest plan for each length that a holding can have, and for the deadline; cheapest first."""
        found: list[DeadlinePlan] = []
        for moment in (deadline_ms, *(held for held in self.held_lengths if held < deadline_ms)):
            if found and found[-1].finish_ms <= moment:
                continue  # the plan for a longer deadline meets this one too
            plan = self.cheapest(moment, widest=True)
            if isinstance(plan, Absent):
                return tuple(found) or plan
            if found and plan.cost == found[-1].cost:
                found.pop()
            found.append(plan)
        return tuple(found)

    def earliest(self, plan: DeadlinePlan, budget: Decimal) -> DeadlinePlan:
        """Return the plan that ends first within the budget; `plan` is one."""
        too_early = 0
        while plan.finish_ms - too_early > 1:
            middle = (too_early + plan.finish_ms) // 2
            faster = self.cheapest(middle)
            if isinstance(faster, Absent) or faster.cost > budget:
                too_early = middle
            else:
                plan = faster
        return plan

    def _asked(self, deadline_ms: int) -> _Asked | Absent:
        options = [
            self._lot_options(lot, ladder, deadline_ms)
            for lot, ladder in zip(self._lots, self._ladders, strict=True)
        ]
        copies = [self._units if lot.stock is None else lot.stock for lot in self._lots]
        if self._hourly is not None:
            every = self._hourly_options(self._hourly, deadline_ms)
            if every and _is_fine(self._hourly):
                # Units moved from slot to slot cost the same: all slots but one are full or not used at all.
                options.append(every[-1:])
                copies.append(self._hourly.slots - 1)
                copies.append(1)
            else:
                copies.append(self._hourly.slots)
            options.append(every)
        classes = tuple(
            Choices(tuple((option.cost, option.units) for option in row), min(count, self._units))
            for row, count in zip(options, copies, strict=True)
        )
        if (
            sum(row.copies * max((cost for cost, _ in row.options), default=0) for row in classes)
            >= LARGEST_COST
        ):
            return Absent("amount_too_large")
        return _Asked(classes, options)

    def _whole(self, cost: Fraction) -> int:
        return int(cost * self._scale)

    def _lot_options(
        self, lot: WorkLot, ladder: tuple[tuple[int, Cover], ...], deadline_ms: int
    ) -> list[_Option]:
        options = []
        for held, cover in ladder:
            units = _units_by(min(held, deadline_ms), lot.slots, lot.setup_ms, lot.unit_ms)
            if units > 0:
                options.append(_Option(self._whole(Fraction(cover.cost)), min(units, self._units), cover))
            if held >= deadline_ms:
                break
        return options

    def _hourly_options(self, hourly: WorkHourly, deadline_ms: int) -> list[_Option]:
        """Return, for each time that a slot can be billed for by the deadline, the most units that it buys."""
        most = min(self._units, _units_by(deadline_ms, 1, hourly.setup_ms, hourly.unit_ms))
        options = []
        for option in self._hourly_ladder:
            options.append(option if option.units <= most else option._replace(units=most))
            if option.units >= most:
                break
        return options if most else []

    def _plan(
        self, taken: tuple[Taken, ...], asked: _Asked, deadline_ms: int, *, widest: bool
    ) -> DeadlinePlan:
        _, options = asked
        lots: list[tuple[WorkLot, HeldLots]] = []
        slots: list[HourlySlots] = []
        for item in taken:
            cost, units = item.option
            cover = next(o.cover for o in options[item.index] if o.units >= units and o.cost == cost)
            if cover is None:
                slots.append(HourlySlots(item.copies, units))
            else:
                lot = self._lots[item.index]
                lots.append((lot, HeldLots(lot.id, item.copies, cover)))
        slots = self._spread(lots, slots, deadline_ms, widest=widest)
        finish_ms = self._finish(lots, slots, deadline_ms)
        lots_cost = sum((held.cover.cost * held.count for _, held in lots), Decimal(0))
        hourly_cost_ = self._hourly_cost(slots)
        return DeadlinePlan(
            lots=self._worked(lots, slots, finish_ms),
            hourly=tuple(slots),
            lots_cost=lots_cost,
            hourly_cost=hourly_cost_,
            bound=lots_cost + hourly_cost_,
            finish_ms=finish_ms,
        )

    def _spread(
        self,
        lots: list[tuple[WorkLot, HeldLots]],
        slots: list[HourlySlots],
        deadline_ms: int,
        *,
        widest: bool,
    ) -> list[HourlySlots]:
        """Return the hourly slots with their units spread so as to end first, where that costs nothing."""
        hourly = self._hourly
        if hourly is None or not slots or not _is_fine(hourly):
            return slots
        units, count = sum(row.count * row.units for row in slots), sum(row.count for row in slots)
        if widest and hourly.setup_ms == 0:
            count = min(units, hourly.slots)
            if self._cap is not None:
                taken = sum(lot.counted * held.count for lot, held in lots)
                count = min(count, (self._cap - taken) // max(1, hourly.counted))
        finish_ms = self._finish(lots, [HourlySlots(count, units)], deadline_ms)
        by_then = _units_by(finish_ms, 1, hourly.setup_ms, hourly.unit_ms)
        most = min(by_then, -(-units // count))
        full, rest = divmod(units, most)
        rows = [HourlySlots(full, most), HourlySlots(1, rest)]
        return [row for row in rows if row.count and row.units]

    def _worked(
        self, lots: list[tuple[WorkLot, HeldLots]], slots: list[HourlySlots], finish_ms: int
    ) -> tuple[HeldLots, ...]:
        """Return the lots with the units that each row of them finishes: all that the hourly slots do not."""
        left = max(0, self._units - sum(row.count * row.units for row in slots))
        done = []
        for lot, held in lots:
            usable = min(self._held[held.cover.held_days], finish_ms)
            each = held.count * _units_by(usable, lot.slots, lot.setup_ms, lot.unit_ms)
            done.append(replace(held, units=min(each, left)))
            left -= min(each, left)
        return tuple(done)

    def _hourly_cost(self, slots: list[HourlySlots]) -> Decimal:
        if self._hourly is None:
            return Decimal(0)
        setup_ms, unit_ms, billing = self._hourly.setup_ms, self._hourly.unit_ms, self._hourly.billing
        billed = sum(row.count * billed_ms(setup_ms + row.units * unit_ms, billing) for row in slots)
        return hourly_cost(self._hourly.rate, billed * self._hourly.cards_per_slot)

    def _finish(
        self, lots: list[tuple[WorkLot, HeldLots]], slots: list[HourlySlots], deadline_ms: int
    ) -> int:
        """Return the first millisecond by which the plan has done all units; at most the deadline."""

        def done_by(moment_ms: int) -> int:
            done = 0
            for lot, held in lots:
                usable = min(self._held[held.cover.held_days], moment_ms)
                done += held.count * _units_by(usable, lot.slots, lot.setup_ms, lot.unit_ms)
            if self._hourly is not None:
                each = _units_by(moment_ms, 1, self._hourly.setup_ms, self._hourly.unit_ms)
                done += sum(row.count * min(row.units, each) for row in slots)
            return done

        too_early, enough = 0, deadline_ms
        while enough - too_early > 1:
            middle = (too_early + enough) // 2
            if done_by(middle) >= self._units:
                enough = middle
            else:
                too_early = middle
        return enough


def _units_by(moment_ms: int, slots: int, setup_ms: int, unit_ms: int) -> int:
    return slots * max(0, (moment_ms - setup_ms) // unit_ms)


def _is_fine(hourly: WorkHourly) -> bool:
    """Whether a slot is billed for just its set-up and its units, without rounding up or a minimum that counts."""
    granularity_ms = hourly.billing.granularity_s * MS_PER_SECOND
    minimum_ms = hourly.billing.minimum_s * MS_PER_SECOND
    whole = hourly.setup_ms % granularity_ms == 0 and hourly.unit_ms % granularity_ms == 0
    return whole and minimum_ms <= hourly.setup_ms + hourly.unit_ms


def _alone_ms(lot: WorkLot, units: int) -> int:
    """Return how long one copy would need for all units: holding it for longer buys nothing."""
    return lot.setup_ms + -(-units // lot.slots) * lot.unit_ms


def _ladder(
    terms: tuple[TermPrice, ...], longest_ms: int, start: datetime | None
) -> tuple[tuple[int, Cover], ...]:
    """Return (elapsed milliseconds held, cover) of every holding worth its cost, shortest first."""
    ladder: list[tuple[int, Cover]] = []
    # Two days more: a day over a change of clocks may be shorter.
    for cover in cover_ladder(terms, -(-longest_ms // MS_PER_DAY) + 2):
        held = held_ms(start, cover.held_days)
        ladder.append((held, cover))
        if held >= longest_ms:
            break
    return tuple(ladder)


def _hourly_ladder(hourly: WorkHourly, units: int, longest_ms: int) -> list[tuple[Fraction, int]]:
    """Return, for each time that a slot can be billed for, its cost and the most units that it buys."""
    most = min(units, _units_by(longest_ms, 1, hourly.setup_ms, hourly.unit_ms))
    granularity_ms = hourly.billing.granularity_s * MS_PER_SECOND
    cost_per_ms = Fraction(hourly.rate) * hourly.cards_per_slot / MS_PER_HOUR
    options = []
    done = 0
    while done < most:
        billed = billed_ms(hourly.setup_ms + (done + 1) * hourly.unit_ms, hourly.billing)
        # A minimum that is no whole number of units buys only the units below it.
        done = min(most, (billed // granularity_ms * granularity_ms - hourly.setup_ms) // hourly.unit_ms)
        options.append((cost_per_ms * billed, done))
    return options


def _amount(cost: Fraction) -> Decimal:
    """Return an exact cost as money, cut after many more decimals than a price has."""
    with localcontext(prec=60):
        return Decimal(cost.numerator) / cost.denominator


def _scale(costs: list[Fraction]) -> Fraction:
    """Return the factor that turns all costs into the smallest whole numbers."""
    denominator = lcm(*(cost.denominator for cost in costs))
    divisor = gcd(*(int(cost * denominator) for cost in costs))
    return Fraction(denominator, divisor or 1)
