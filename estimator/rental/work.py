"""What the rental engine is asked about and what it answers: equal units on lots and hourly slots. Records only."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from estimator.rental.hourly import Billing
from estimator.rental.terms import Cover, TermPrice


@dataclass(frozen=True, slots=True)
class WorkLot:
    """A lot that can do the work: `slots` units at once, `unit_ms` each (both above 0), after one set-up.

    `counted`: what a copy counts towards a cap, such as its cards towards a quota.
    """

    id: str
    slots: int
    unit_ms: int
    terms: tuple[TermPrice, ...]
    stock: int | None = None
    setup_ms: int = 0
    counted: int = 0


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
    counted: int = 0


@dataclass(frozen=True, slots=True)
class HeldLots:
    """`count` copies of one lot held for the same terms, and the units that they finish together."""

    lot_id: str
    count: int
    cover: Cover
    units: int = 0


@dataclass(frozen=True, slots=True)
class HourlySlots:
    """`count` hourly slots that each finish `units` units."""

    count: int
    units: int


@dataclass(frozen=True, slots=True)
class DeadlinePlan:
    """Lots and hourly slots; `finish_ms`: the end of the last unit if units go where they end first.

    `bound`: no other choice that meets the deadline costs less; `proven` where it is the cost itself.
    """

    lots: tuple[HeldLots, ...]
    hourly: tuple[HourlySlots, ...]
    lots_cost: Decimal
    hourly_cost: Decimal
    finish_ms: int
    bound: Decimal

    @property
    def proven(self) -> bool:
        """Whether no other choice that meets the deadline costs less."""
        return self.cost <= self.bound

    @property
    def cost(self) -> Decimal:
        """Lots and hourly cards together, with full decimals."""
        return self.lots_cost + self.hourly_cost
