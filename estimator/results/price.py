"""Price lines and totals of a plan: decimals of the currency, or absent with a reason."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from estimator.problems import Absent


@dataclass(frozen=True, slots=True)
class PriceLine:
    """A line of the document, rounded in its currency. A foreign line keeps its original and the `rate`.

    `amount`: None is "not included". A discount is negative. `tax_percent`: None where tax is not included,
    and on the discount and contingency lines, which are shared among the tax rates.
    """

    id: str
    kind: str
    amount: Decimal | Absent | None
    tax_percent: Decimal | None = None
    original_amount: Decimal | None = None
    original_currency: str | None = None
    rate: Decimal | None = None
    values: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class TaxAmount:
    """The net of all that has one tax rate, and its tax; `percent` and `tax` None: tax not included."""

    percent: Decimal | None
    net: Decimal
    tax: Decimal | None


@dataclass(frozen=True, slots=True)
class Price:
    """A priced document: its lines, and totals that are their sums to the minor unit.

    `net` = included lines; `gross` = `net` + `tax`. `tax_by_rate`, rising rates, untaxed first, has the net
    as parts. `tax` is Absent("tax_not_included") when no part is taxed; gross is then the net. `net` and
    `gross` are Absent with the first line's reason when any due line is not known; so is `tax`.
    """

    currency: str
    lines: tuple[PriceLine, ...]
    net: Decimal | Absent
    tax_by_rate: tuple[TaxAmount, ...]
    tax: Decimal | Absent
    gross: Decimal | Absent
