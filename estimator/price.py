"""From lines of money to a price: conversion, rounding, discount, contingency, net and tax per rate, gross.

The policy: half up (away from zero), once, at each line after conversion, then at each tax amount per rate
and document, to the currency's own decimals. Not the cost of renting (see `rental/`) and no text for people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal, localcontext

from estimator.problems import Absent
from estimator.results.price import Price, PriceLine, TaxAmount

# ISO 4217, list one, column "minor unit" where it is not 2 (amendment 176, 2023). Statistics such as
# Unicode's CLDR print some others without decimals (IQD, for one); an invoice follows ISO.
_WITHOUT_DECIMALS = (
    *("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG"),
    *("RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"),
)
_MINOR_DIGITS: dict[str, int] = {
    **dict.fromkeys(_WITHOUT_DECIMALS, 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
    **dict.fromkeys(("CLF", "UYW"), 4),
}
DIGITS = 60  # of the arithmetic before rounding; decimal's ordinary 28 could round a long product early
_NOISE_PLACES = 30

DISCOUNT = "discount"
CONTINGENCY = "contingency"


def currency_digits(code: str) -> int:
    """Return the decimals of a currency (ISO 4217 code): 0 for JPY, 3 for KWD, 2 unless listed."""
    return _MINOR_DIGITS.get(code, 2)


def rounded(amount: Decimal, currency: str) -> Decimal:
    """Return `amount` half up (away from zero) to the currency's decimals, with all of them written."""
    with localcontext(prec=DIGITS):
        if amount.adjusted() < DIGITS - _NOISE_PLACES:
            # A third of an hour times three is not quite an hour: without its last places a tie is a tie again.
            amount = amount.quantize(Decimal(1).scaleb(-_NOISE_PLACES), rounding=ROUND_HALF_UP)
        # Adding zero turns a rounded -0.00 into 0.00.
        return amount.quantize(minor_unit(currency), rounding=ROUND_HALF_UP) + 0


def minor_unit(currency: str) -> Decimal:
    """Return the currency's smallest amount: 0.01 for EUR, 1 for JPY."""
    return Decimal(1).scaleb(-currency_digits(currency))


@dataclass(frozen=True, slots=True)
class LineInput:
    """An amount to price, before rounding, in `currency` (ISO 4217 code), before tax.

    `amount`: None is "not included": the line stays and adds nothing. Absent: it is due but not known.
    `tax_percent`: None takes that of the rules. `values` pass through for the line's sentence.
    """

    id: str
    kind: str
    amount: Decimal | Absent | None
    currency: str
    tax_percent: Decimal | None = None
    values: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class PriceRules:
    """The document's currency, percentages (21 is 21 %) and `rates`: its currency for one unit of another.

    A percentage of None is not included, as a blank fee is.
    """

    currency: str
    tax_percent: Decimal | None = None
    discount_percent: Decimal | None = None
    contingency_percent: Decimal | None = None
    rates: Mapping[str, Decimal] = field(default_factory=dict, hash=False)


def price(lines: tuple[LineInput, ...], rules: PriceRules) -> Price:
    """Return the lines priced in order: lines, discount, contingency, net per tax rate, tax per rate, gross.

    Discount is a share of the included lines; contingency a share of what the discount leaves. Each is
    a line of its own, rounded once, and shared among the tax rates so that the parts add up to it.
    Absent codes of a total: missing_rate (value: currency), nothing_priced, or the reason of the line.
    """
    priced = tuple(_priced(line, rules) for line in lines)
    reason = next((line.amount for line in priced if isinstance(line.amount, Absent)), None)
    by_rate = _net_by_rate(priced)
    if reason is None and not by_rate:
        reason = Absent("nothing_priced")
    if reason is not None:
        return Price(rules.currency, priced, reason, (), reason, reason)
    extras = []
    for kind, percent, sign in (
        (DISCOUNT, rules.discount_percent, -1),
        (CONTINGENCY, rules.contingency_percent, 1),
    ):
        if percent:
            amount = rounded(sign * _share(sum(by_rate.values(), Decimal(0)), percent), rules.currency)
            extras.append(PriceLine(kind, kind, amount, values=(("percent", percent),)))
            by_rate = _shared_out(amount, by_rate, rules.currency)
    return _totalled(priced + tuple(extras), by_rate, rules.currency)


def _priced(line: LineInput, rules: PriceRules) -> PriceLine:
    tax_percent = rules.tax_percent if line.tax_percent is None else line.tax_percent
    if line.amount is None or isinstance(line.amount, Absent):
        return PriceLine(line.id, line.kind, line.amount, tax_percent, values=line.values)
    if line.currency == rules.currency:
        return PriceLine(
            line.id, line.kind, rounded(line.amount, rules.currency), tax_percent, values=line.values
        )
    rate = rules.rates.get(line.currency)
    amount: Decimal | Absent
    if rate is None:
        amount = Absent("missing_rate", ("pricing", "rates", line.currency), (("currency", line.currency),))
    else:
        with localcontext(prec=DIGITS):
            amount = rounded(line.amount * rate, rules.currency)
    return PriceLine(line.id, line.kind, amount, tax_percent, line.amount, line.currency, rate, line.values)


def _net_by_rate(lines: tuple[PriceLine, ...]) -> dict[Decimal | None, Decimal]:
    """Return the included lines' sums per tax rate, untaxed first, then rising rates."""
    sums: dict[Decimal | None, Decimal] = {}
    for line in lines:
        if isinstance(line.amount, Decimal):
            sums[line.tax_percent] = sums.get(line.tax_percent, Decimal(0)) + line.amount
    return dict(sorted(sums.items(), key=lambda item: (item[0] is not None, item[0] or Decimal(0))))


def _share(amount: Decimal, percent: Decimal) -> Decimal:
    """Return `percent` per cent of `amount`, with full decimals."""
    with localcontext(prec=DIGITS):
        return amount * percent / 100


def _shared_out(
    amount: Decimal, by_rate: dict[Decimal | None, Decimal], currency: str
) -> dict[Decimal | None, Decimal]:
    """Return the parts with `amount` added in proportion, in whole minor units that add up to it exactly.

    Largest remainder: each part gets its share rounded down, then the units left over go to the parts
    that lost most by it (the first such at equal loss).
    """
    total = sum(by_rate.values(), Decimal(0))
    if total == 0 or amount == 0:
        return by_rate
    unit = minor_unit(currency)
    with localcontext(prec=DIGITS):
        exact = {percent: amount * net / total / unit for percent, net in by_rate.items()}
        units = {percent: value.to_integral_value(rounding=ROUND_FLOOR) for percent, value in exact.items()}
        left = int(amount / unit - sum(units.values(), Decimal(0)))
        by_loss = sorted(exact, key=lambda percent: units[percent] - exact[percent])
        for percent in by_loss[:left]:
            units[percent] += 1
        return {percent: net + units[percent] * unit for percent, net in by_rate.items()}


def _totalled(lines: tuple[PriceLine, ...], by_rate: dict[Decimal | None, Decimal], currency: str) -> Price:
    taxes = tuple(
        TaxAmount(percent, net, None if percent is None else rounded(_share(net, percent), currency))
        for percent, net in by_rate.items()
    )
    net = sum((part.net for part in taxes), Decimal(0))
    known = tuple(part.tax for part in taxes if part.tax is not None)
    tax: Decimal | Absent = sum(known, Decimal(0)) if known else Absent("tax_not_included")
    return Price(currency, lines, net, taxes, tax, net if isinstance(tax, Absent) else net + tax)
