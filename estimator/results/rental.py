"""What stands beside a plan's rent: idle time, flips, equivalents by the hour, owning, the frontier of choices."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from estimator.problems import Absent, Place

HOURS_A_YEAR = 8_760


@dataclass(frozen=True, slots=True)
class IdleRent:
    """Card time of one offer that is paid and does not compute, and its share of what the offer costs."""

    offer_id: str
    paid_card_ms: int
    idle_card_ms: int
    cost: Decimal | Absent


@dataclass(frozen=True, slots=True)
class SameRent:
    """Two plans that hold the same lots for the same terms: the faster one saves no rent.

    `held_ms`: the longest holding; delivery as a share of it says why.
    """

    fast_plan_id: str
    slow_plan_id: str
    fast_ms: int
    slow_ms: int
    held_ms: int
    rent: Decimal | Absent


class Quantity(StrEnum):
    """What is changed until another plan is the cheapest. A duration factor changes all tasks of a stage alike."""

    LOT_PRICE = "lot_price"
    HOURLY_PRICE = "hourly_price"
    DURATION = "duration"
    DURATION_FACTOR = "duration_factor"
    UNITS = "units"


@dataclass(frozen=True, slots=True)
class Flip:
    """The first value, from `now` towards `tried`, at which another plan is recommended; found by recomputing.

    `at` None: none as far as `tried`. `step`: the value just before still gives the present plan. Prices are in the
    offer's currency, durations in milliseconds. `plan_id` "": then no plan is within the limits. `term_days`: of
    which term the price is, 0 where it is none.
    """

    quantity: Quantity
    where: Place
    now: Decimal
    at: Decimal | None
    step: Decimal
    tried: Decimal
    plan_id: str
    holdings: tuple[tuple[str, int, tuple[int, ...]], ...]
    term_days: int = 0


@dataclass(frozen=True, slots=True)
class HourlyEquivalent:
    """What one card by the hour costs over the length of each term: (days, cost), before tax."""

    offer_id: str
    currency: str
    terms: tuple[tuple[int, Decimal], ...]


@dataclass(frozen=True, slots=True)
class TermBreakEven:
    """From how many hours of use in a term the whole lot costs no more than as many cards by the hour.

    `card_ms` None: not within the term.
    """

    lot_id: str
    days: int
    hourly_id: str
    use_ms: int | None


class RentalWay(StrEnum):
    """The three columns that a customer compares."""

    LOTS = "lots"
    HOURLY = "hourly"
    OWNED = "owned"


@dataclass(frozen=True, slots=True)
class WayColumn:
    """One way to have the cards. `cost`: for this work, before fees and tax; `per_card_hour`: of computing time.

    `plan_id` is the cheapest plan of that way, "" for owned cards; `terms`: one card over each term (days, cost).
    """

    way: RentalWay
    plan_id: str
    cost: Decimal | Absent
    per_card_hour: Decimal | Absent
    terms: tuple[tuple[int, Decimal | Absent], ...]


@dataclass(frozen=True, slots=True)
class OwningBreakEven:
    """From how many hours a year in use an owned card costs no more than one of that offer.

    Absent codes: owning_never_cheaper, or what is missing. Above 8,760 h it is never so.
    """

    offer_id: str
    hours_a_year: Decimal | Absent


@dataclass(frozen=True, slots=True)
class RentalPoint:
    """One choice of the frontier of rent against delivery. `lots`: (offer id, copies, terms); `hourly`: (offer id,
    cards). `proven`: no choice delivers as early for less; `timed`: the delivery is that of equal tasks on these
    cards, else an estimate from the work's total.
    """

    delivery_ms: int
    rent: Decimal
    bound: Decimal
    lots: tuple[tuple[str, int, tuple[int, ...]], ...]
    hourly: tuple[tuple[str, int], ...]
    timed: bool

    @property
    def proven(self) -> bool:
        """Whether no choice delivers as early for less; never of a delivery that is an estimate."""
        return self.timed and self.rent <= self.bound


@dataclass(frozen=True, slots=True)
class RentalStudy:
    """Everything about the shown plan's rent. `flips` are empty until they are asked for: they take seconds.

    `frontier`: cheapest first, of all offers that the shown organisation may rent, for its limit or 30 days;
    `fastest`: the first to deliver within the budget, None without a budget.
    """

    idle: tuple[IdleRent, ...]
    same_rent: tuple[SameRent, ...]
    equivalents: tuple[HourlyEquivalent, ...]
    term_break_evens: tuple[TermBreakEven, ...]
    ways: tuple[WayColumn, ...]
    owning: tuple[OwningBreakEven, ...]
    frontier: tuple[RentalPoint, ...] | Absent
    fastest: RentalPoint | Absent | None
    flips: tuple[Flip, ...] = ()
