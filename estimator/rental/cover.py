"""Which lots and terms finish a number of equal units by a deadline at least cost, and the frontier of both.

Lots may be held for different terms and stop early: a lot does what fits its own holding. Not for plans
with several kinds of task or with shared resources; there the schedule decides (see `plan.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from estimator.problems import Absent
from estimator.rental.covering import LARGEST_COST, Choices, Taken, cheapest_cover
from estimator.rental.hourly import Billing, billed_ms, hourly_cost
from estimator.rental.terms import Cover, TermPrice, cover_days, held_ms
from estimator.units import MS_PER_HOUR, MS_PER_SECOND


@dataclass(frozen=True, slots=True)
class WorkLot:
    """A lot that can do the work: `slots` units at once, `unit_ms` each (both above 0), after one set-up."""

    id: str
    slots: int
    unit_ms: int
    terms: tuple[TermPrice, ...]
    stock: int | None = None
    setup_ms: int = 0


@dataclass(frozen=True, slots=True)
class WorkHourly:
    """Cards billed by time: up to `slots` tasks of `cards_per_slot` cards, `rate` a card and hour.

    Each slot that is used starts once. A monthly cap of `billing` is not considered.
    """

    slots: int
    cards_per_slot: int
    unit_ms: int
    rate: Decimal
    billing: Billing
    setup_ms: int = 0


@dataclass(frozen=True, slots=True)
class HeldLots:
    """`count` copies of one lot held for the same terms."""

    lot_id: str
    count: int
    cover: Cover


@dataclass(frozen=True, slots=True)
class HourlySlots:
    """`count` hourly slots that each finish `units` units."""

    count: int
    units: int


@dataclass(frozen=True, slots=True)
class DeadlinePlan:
    """Lots and hourly slots; `finish_ms`: the end of the last unit if units go where they end first.

    `proven`: no other choice that meets the deadline costs less.
    """

    lots: tuple[HeldLots, ...]
    hourly: tuple[HourlySlots, ...]
    lots_cost: Decimal
    hourly_cost: Decimal
    finish_ms: int
    proven: bool = True

    @property
    def cost(self) -> Decimal:
        """Lots and hourly cards together, with full decimals."""
        return self.lots_cost + self.hourly_cost


def least_cost_for_deadline(
    units: int,
    deadline_ms: int,
    lots: tuple[WorkLot, ...],
    hourly: WorkHourly | None = None,
    start: datetime | None = None,
) -> DeadlinePlan | Absent:
    """Return the cheapest plan that ends `units` units (at least 1) within `deadline_ms` from time zero.

    What follows the last unit off the cards (assembly) is taken off the deadline by the caller.
    Absent codes: deadline_not_met, amount_too_large.
    """
    return _Work(units, deadline_ms, lots, hourly, start).cheapest(deadline_ms)


def cost_time_frontier(
    units: int,
    deadline_ms: int,
    lots: tuple[WorkLot, ...],
    hourly: WorkHourly | None = None,
    start: datetime | None = None,
) -> tuple[DeadlinePlan, ...] | Absent:
    """Return the plans that no other beats in cost or finish without losing in the other; cheapest first."""
    work = _Work(units, deadline_ms, lots, hourly, start)
    plan = work.cheapest(deadline_ms)
    if isinstance(plan, Absent):
        return plan
    frontier: list[DeadlinePlan] = []
    while True:
        # A plan is on the frontier if ending a millisecond earlier costs more, or cannot be.
        faster = work.cheapest(plan.finish_ms - 1)
        if isinstance(faster, Absent) or faster.cost > plan.cost:
            frontier.append(plan)
        if isinstance(faster, Absent):
            return tuple(frontier)
        plan = faster


def least_time_for_budget(
    units: int,
    deadline_ms: int,
    budget: Decimal,
    lots: tuple[WorkLot, ...],
    hourly: WorkHourly | None = None,
    start: datetime | None = None,
) -> DeadlinePlan | Absent:
    """Return the plan that ends first with a cost within `budget`, at the least cost for that time.

    Absent codes: those of `least_cost_for_deadline`, budget_too_small (value: least cost).
    """
    work = _Work(units, deadline_ms, lots, hourly, start)
    best = work.cheapest(deadline_ms)
    if isinstance(best, Absent):
        return best
    if best.cost > budget:
        return Absent("budget_too_small", values=(("least_cost", best.cost),))
    too_early = 0
    while best.finish_ms - too_early > 1:
        middle = (too_early + best.finish_ms) // 2
        plan = work.cheapest(middle)
        if isinstance(plan, Absent) or plan.cost > budget:
            too_early = middle
        else:
            best = plan
    return best


class _Option(NamedTuple):
    """What one copy can do by a deadline: exact cost, units, and the holding behind them (hourly: None)."""

    cost: Fraction
    units: int
    cover: Cover | None


class _Work:
    """One question: the covers of every lot, made once for all the deadlines that it asks about."""

    def __init__(
        self,
        units: int,
        longest_ms: int,
        lots: tuple[WorkLot, ...],
        hourly: WorkHourly | None,
        start: datetime | None,
    ) -> None:
        if units < 1 or any(lot.slots < 1 or lot.unit_ms < 1 for lot in lots):
            raise ValueError("there is a unit to do, and a lot does at least one at once, in a time above 0")
        self._units = units
        self._lots = lots
        self._hourly = hourly
        self._ladders = tuple(_ladder(lot.terms, longest_ms, start) for lot in lots)
        self._held = {cover.held_days: held for ladder in self._ladders for held, cover in ladder}

    def cheapest(self, deadline_ms: int) -> DeadlinePlan | Absent:
        """Return the cheapest plan that ends within `deadline_ms`, not above the longest of the question."""
        options = [
            self._lot_options(lot, ladder, deadline_ms)
            for lot, ladder in zip(self._lots, self._ladders, strict=True)
        ]
        copies = [self._units if lot.stock is None else lot.stock for lot in self._lots]
        if self._hourly is not None:
            options.append(self._hourly_options(self._hourly, deadline_ms))
            copies.append(self._hourly.slots)
        scale = _scale([option.cost for row in options for option in row])
        classes = tuple(
            Choices(
                tuple((int(option.cost * scale), option.units) for option in row), min(count, self._units)
            )
            for row, count in zip(options, copies, strict=True)
        )
        if (
            sum(row.copies * max((cost for cost, _ in row.options), default=0) for row in classes)
            >= LARGEST_COST
        ):
            return Absent("amount_too_large")
        taken = cheapest_cover(classes, self._units)
        if taken is None:
            return Absent("deadline_not_met")
        return self._plan(taken, options, scale, deadline_ms)

    def _lot_options(
        self, lot: WorkLot, ladder: tuple[tuple[int, Cover], ...], deadline_ms: int
    ) -> list[_Option]:
        options = []
        for held, cover in ladder:
            units = _units_by(min(held, deadline_ms), lot.slots, lot.setup_ms, lot.unit_ms)
            if units > 0:
                options.append(_Option(Fraction(cover.cost), min(units, self._units), cover))
            if held >= deadline_ms:
                break
        return options

    def _hourly_options(self, hourly: WorkHourly, deadline_ms: int) -> list[_Option]:
        """Return, for each time that a slot can be billed for, the most units that it buys."""
        most = min(self._units, _units_by(deadline_ms, 1, hourly.setup_ms, hourly.unit_ms))
        unit_ms = hourly.billing.granularity_s * MS_PER_SECOND
        options = []
        units = 0
        while units < most:
            billed = billed_ms(hourly.setup_ms + (units + 1) * hourly.unit_ms, hourly.billing)
            # A minimum that is no whole number of units buys only the units below it.
            units = min(most, (billed // unit_ms * unit_ms - hourly.setup_ms) // hourly.unit_ms)
            cost = Fraction(hourly.rate) * hourly.cards_per_slot * billed / MS_PER_HOUR
            options.append(_Option(cost, units, None))
        return options

    def _plan(
        self, taken: tuple[Taken, ...], options: list[list[_Option]], scale: Fraction, deadline_ms: int
    ) -> DeadlinePlan:
        lots: list[tuple[WorkLot, HeldLots]] = []
        slots: list[HourlySlots] = []
        for item in taken:
            cost, units = item.option
            cover = next(o.cover for o in options[item.index] if o.units >= units and o.cost * scale == cost)
            if cover is None:
                slots.append(HourlySlots(item.copies, units))
            else:
                lot = self._lots[item.index]
                lots.append((lot, HeldLots(lot.id, item.copies, cover)))
        return DeadlinePlan(
            lots=tuple(held for _, held in lots),
            hourly=tuple(slots),
            lots_cost=sum((held.cover.cost * held.count for _, held in lots), Decimal(0)),
            hourly_cost=self._hourly_cost(slots),
            finish_ms=self._finish(lots, slots, deadline_ms),
        )

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


def _ladder(
    terms: tuple[TermPrice, ...], longest_ms: int, start: datetime | None
) -> tuple[tuple[int, Cover], ...]:
    """Return (elapsed milliseconds held, cover) of every holding worth its cost, shortest first."""
    ladder: list[tuple[int, Cover]] = []
    held = 0
    days = 0
    while held < longest_ms:
        # The best cover of these days is the best for every number of days up to those that it holds.
        cover = cover_days(terms, days + 1)
        if cover is None:
            break
        days = cover.held_days
        held = held_ms(start, days)
        ladder.append((held, cover))
    return tuple(ladder)


def _scale(costs: list[Fraction]) -> Fraction:
    """Return the factor that turns all costs into the smallest whole numbers."""
    denominator = lcm(*(cost.denominator for cost in costs))
    divisor = gcd(*(int(cost * denominator) for cost in costs))
    return Fraction(denominator, divisor or 1)
