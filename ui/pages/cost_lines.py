"""The price lines of the Cost page as rows, what one card of each offer costs a term, and the edits of both.

The amounts are the estimate's; the price of a term of hourly cards comes from the rental engine.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from estimator.catalogue import HourlyOffer, Lot
from estimator.edits import new_id, with_fee, with_pricing
from estimator.evidence import Evidence, EvidenceKind, Stated, weakest
from estimator.problems import Absent
from estimator.quote import ExchangeRate, Fee, FeeBasis, FeeKind, Pricing, Quote
from estimator.rental.hourly import Billing, card_billed_ms, hourly_cost
from estimator.results.estimate import Estimate, Plan
from estimator.results.price import PriceLine
from estimator.units import MS_PER_DAY
from estimator.wording import Wording, read_number
from estimator.wording.phrases import amount_text, line_name, line_quantity, sample_word
from ui.models.table import Column

TERM_DAYS = (3, 7, 30)
NAME, QUANTITY, PRICE, AMOUNT = range(4)


@dataclass(frozen=True, slots=True)
class LineRow:
    """One line as text. `fee` is the fee that can be edited in place; `total` marks net, tax and total."""

    id: str
    name: str
    quantity: str
    price: str
    amount: str
    kind: EvidenceKind | None = None
    sample: bool = False
    fee: Fee | None = None
    total: bool = False
    bold: bool = False
    muted: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class OfferRow:
    """What one card of an offer costs for each term, as text."""

    offer_id: str
    name: str
    sample: bool
    terms: tuple[str, ...]


def line_rows(words: Wording, quote: Quote, estimate: Estimate | None) -> tuple[LineRow, ...]:
    """Return what is rented, the fees as the quote has them, and the totals of the plan shown."""
    plan = None if estimate is None else estimate.shown_plan
    lines = () if plan is None else plan.price.lines
    priced = plan or next(iter(() if estimate is None else estimate.plans), None)
    reasons = () if priced is None else priced.price.lines
    by_id = {line.id: line for line in reasons}
    fee_ids = {f"fee:{fee.id}" for fee in quote.pricing.fees}
    rented = [line for line in lines if line.kind in ("lot", "hourly")]
    others = [
        line for line in lines if line not in rented and line.id not in fee_ids and line.kind not in _FEES
    ]
    rows = [_rented_row(words, quote, estimate, line) for line in rented]
    rows += [_fee_row(words, quote.pricing, fee, by_id.get(f"fee:{fee.id}")) for fee in quote.pricing.fees]
    rows += [_percent_row(words, quote, line) for line in others]
    return (*rows, *_total_rows(words, quote, plan, None if priced is None else priced.price.net))


def line_columns(words: Wording, currency: str) -> tuple[Column[LineRow], ...]:
    """Return the columns of the price lines; a fee's name, quantity and price are edited in place."""

    def is_fee(row: LineRow) -> bool:
        return row.fee is not None

    def muted(row: LineRow) -> str | None:
        return "muted" if row.muted else None

    def check_quantity(row: LineRow, text: str) -> str:
        return refusal(words, text, None)

    def check_price(row: LineRow, text: str) -> str:
        return refusal(words, text, currency if row.fee is None else row.fee.currency or currency)

    shown = "€" if currency == "EUR" else currency
    return (
        Column(
            words.t("Line"),
            lambda row: row.name,
            bold=lambda row: row.bold,
            sample=lambda row: row.sample,
            editable=is_fee,
            tooltip=lambda row: f"{row.name}\n{row.note}".strip(),
        ),
        Column(
            words.t("Quantity"),
            lambda row: row.quantity,
            right=True,
            color=muted,
            editable=is_fee,
            edit_text=lambda row: _typed(words, None if row.fee is None else row.fee.quantity.value),
            check=check_quantity,
        ),
        Column(
            words.t("Price"),
            lambda row: row.price,
            right=True,
            color=muted,
            editable=is_fee,
            edit_text=lambda row: _typed(words, None if row.fee is None else row.fee.price.value),
            check=check_price,
        ),
        Column(
            words.t("Amount, {currency}", currency=shown),
            lambda row: row.amount,
            right=True,
            bold=lambda row: row.bold,
            color=muted,
            tooltip=lambda row: row.note,
        ),
        Column(words.t("Evidence"), lambda row: "", evidence=lambda row: row.kind),
    )


def offer_rows(words: Wording, quote: Quote) -> tuple[OfferRow, ...]:
    """Return each offer of the quote with the price of one card for 3, 7 and 30 days."""
    rows = []
    for offer in quote.offers:
        name = offer.name
        if isinstance(offer, HourlyOffer) and offer.price_per_card_hour is not None:
            name = words.t(
                "{offer}, {price}/h",
                offer=offer.name,
                price=words.money(offer.price_per_card_hour, offer.currency),
            )
        symbol = offer.currency != quote.pricing.currency
        prices = tuple(_card_price(offer, days) for days in TERM_DAYS)
        texts = tuple(
            words.unknown if one is None else words.money(one, offer.currency, symbol=symbol)
            for one in prices
        )
        rows.append(OfferRow(offer.id, name, offer.sample, texts))
    return tuple(rows)


def offer_columns(words: Wording, currency: str) -> tuple[Column[OfferRow], ...]:
    """Return the columns of the table of one card's price a term."""
    shown = "€" if currency == "EUR" else currency
    name: Column[OfferRow] = Column(
        words.t("One card, {currency}", currency=shown),
        lambda row: row.name,
        sample=lambda row: row.sample,
        tooltip=lambda row: row.name,
    )
    terms = tuple(_term_column(words, at) for at in range(len(TERM_DAYS)))
    return (name, *terms)


def refusal(words: Wording, text: str, unit: str | None) -> str:
    """Return the sentence that says why a typed amount is refused, or an empty text."""
    reading = read_number(text, words.number_format, unit=unit)
    if reading.code is not None:
        return words.sentence(reading.code)
    if reading.value is not None and reading.value < 0:
        return words.sentence("negative")
    return ""


def foreign_currencies(quote: Quote) -> tuple[str, ...]:
    """Return the currencies of offers and fees that are not the quote's, in their order."""
    named = [offer.currency for offer in quote.offers]
    named += [fee.currency for fee in quote.pricing.fees if fee.currency is not None]
    return tuple(dict.fromkeys(code for code in named if code != quote.pricing.currency))


def with_fee_column(quote: Quote, fee_id: str, column: int, text: str, words: Wording) -> Quote:
    """Return the quote with the name, quantity or price of a fee as typed; blank is not known."""
    fee = next(one for one in quote.pricing.fees if one.id == fee_id)
    if column == NAME:
        return with_fee(quote, fee_id, name=text.strip())
    value = read_number(text, words.number_format).value
    if column == QUANTITY:
        return with_fee(quote, fee_id, quantity=fee.quantity.replaced(value=value))
    unit = fee.currency or quote.pricing.currency
    value = read_number(text, words.number_format, unit=unit).value
    return with_fee(quote, fee_id, price=fee.price.replaced(value=value))


def with_fee_evidence(quote: Quote, fee_id: str, evidence: Evidence) -> Quote:
    """Return the quote with the evidence of a fee's price changed."""
    fee = next(one for one in quote.pricing.fees if one.id == fee_id)
    return with_fee(quote, fee_id, price=fee.price.replaced(evidence=evidence))


def with_added_fee(quote: Quote, name: str) -> Quote:
    """Return the quote with a fee more, its price blank: not included until it has one."""
    fees = quote.pricing.fees
    fee = Fee(id=new_id(name, [one.id for one in fees]), kind=FeeKind.OTHER, name=name)
    return with_pricing(quote, fees=(*fees, fee))


def with_duplicated_fee(quote: Quote, fee_id: str, name: str) -> Quote:
    """Return the quote with a copy of that fee after it, under another name."""
    fees = quote.pricing.fees
    new = new_id(name, [one.id for one in fees])
    copied = ((one, one.replaced(id=new, name=name)) if one.id == fee_id else (one,) for one in fees)
    return with_pricing(quote, fees=tuple(fee for pair in copied for fee in pair))


def without_fee(quote: Quote, fee_id: str) -> Quote:
    """Return the quote without that fee."""
    return with_pricing(quote, fees=tuple(one for one in quote.pricing.fees if one.id != fee_id))


def with_percent(quote: Quote, name: str, value: Decimal | None) -> Quote:
    """Return the quote with `tax_percent`, `discount_percent` or `contingency_percent`; a first value is given."""
    former: Stated | None = getattr(quote.pricing, name)
    if former is None or former.value is None:
        stated: Stated | None = Stated(value=value, evidence=Evidence(kind=EvidenceKind.GIVEN))
    else:
        stated = former.replaced(value=value)
    if value is None:
        stated = Stated() if name == "tax_percent" else None
    return with_pricing(quote, **{name: stated})


def with_rate(quote: Quote, currency: str, rate: Decimal | None) -> Quote:
    """Return the quote with the rate of a currency; None takes it away."""
    former = next((one for one in quote.pricing.rates if one.currency == currency), None)
    kept = tuple(one for one in quote.pricing.rates if one.currency != currency)
    if rate is None:
        return with_pricing(quote, rates=kept)
    made = ExchangeRate(currency=currency, rate=rate) if former is None else former.replaced(rate=rate)
    return with_pricing(quote, rates=(*kept, made))


def with_rate_date(quote: Quote, currency: str, day: dt.date | None) -> Quote:
    """Return the quote with the date of a rate it has."""
    rates = tuple(one.replaced(date=day) if one.currency == currency else one for one in quote.pricing.rates)
    return with_pricing(quote, rates=rates)


_FEES = frozenset(kind.value for kind in FeeKind)


def _term_column(words: Wording, at: int) -> Column[OfferRow]:
    return Column(
        words.n("{count} day", "{count} days", TERM_DAYS[at]), lambda row: row.terms[at], right=True
    )


def _typed(words: Wording, value: Decimal | None) -> str:
    return "" if value is None else words.number(value, grouping=False)


def _rented_row(words: Wording, quote: Quote, estimate: Estimate | None, line: PriceLine) -> LineRow:
    values = dict(line.values)
    offer_id = line.id.partition(":")[2]
    currency = line.original_currency or quote.pricing.currency
    unit_price = values.get("unit_price")
    price = words.unknown
    if isinstance(unit_price, Decimal):
        price = words.money(unit_price, currency)
        price = words.t("{price}/h", price=price) if line.kind == "hourly" else price
    plan = None if estimate is None else estimate.shown_plan
    kind = None
    if plan is not None and estimate is not None:
        result = estimate.organisation(plan.organisation_id)
        kinds = [one.price_kind for one in plan.holdings if one.offer_id == offer_id]
        if line.kind == "hourly" and result is not None:
            kinds.append(result.time_kind)  # cards by the hour cost as long as the work takes
        kind = weakest(kinds)
    tag = f" {sample_word(words)}"
    name = line_name(words, line)
    return LineRow(
        line.id,
        name.removesuffix(tag),
        line_quantity(words, line),
        price,
        amount_text(words, line.amount, quote.pricing.currency),
        kind,
        sample=bool(values.get("sample")),
        note=_note(words, quote, line),
    )


def _fee_row(words: Wording, pricing: Pricing, fee: Fee, line: PriceLine | None) -> LineRow:
    blank = fee.price.value is None
    currency = fee.currency or pricing.currency
    quantity = words.unknown
    if fee.quantity.value is not None:
        quantity = f"{words.number(fee.quantity.value)} {fee.unit}".strip()
    if line is not None and fee.basis is not FeeBasis.ONCE and not blank:
        quantity = _charged_text(words, fee, line) or quantity
    amount = words.t("Not included") if blank else words.unknown
    if line is not None and not blank:
        amount = amount_text(words, line.amount, pricing.currency)
    return LineRow(
        f"fee:{fee.id}",
        fee.name or words.word(fee.kind),
        quantity,
        words.unknown if fee.price.value is None else words.money(fee.price.value, currency),
        amount,
        None if blank else fee.price.kind,
        fee=fee,
        muted=blank,
        note=words.absent(line.amount) if line is not None and isinstance(line.amount, Absent) else "",
    )


def _charged_text(words: Wording, fee: Fee, line: PriceLine) -> str:
    """Return what the basis makes of the quantity: "500 GB × 0.10"; "" where it is not known."""
    charged, stated = dict(line.values).get("quantity"), fee.quantity.value
    if not isinstance(charged, Decimal) or isinstance(line.amount, Absent) or not stated:
        return ""
    factor = words.number(charged / stated, 2)
    if fee.basis is FeeBasis.ENERGY:
        return words.t("{energy} kWh", energy=words.number(charged, 2))
    if fee.basis is FeeBasis.CARD_HOURS:
        return words.t("{quantity} × {hours} card·h", quantity=words.number(stated), hours=factor)
    unit = f"{words.number(stated)} {fee.unit}".strip()
    days = words.number(round(charged / stated * fee.period_days, 2).normalize())
    return words.t(
        "{quantity} × {days} of {period} days", quantity=unit, days=days, period=words.number(fee.period_days)
    )


def _percent_row(words: Wording, quote: Quote, line: PriceLine) -> LineRow:
    percent = dict(line.values).get("percent")
    price = words.percent(percent) if isinstance(percent, Decimal) else ""
    amount = amount_text(words, line.amount, quote.pricing.currency)
    return LineRow(line.id, line_name(words, line), "", price, amount)


def _total_rows(
    words: Wording, quote: Quote, plan: Plan | None, net_of_any: Decimal | Absent | None
) -> Iterator[LineRow]:
    currency = quote.pricing.currency
    tax = quote.pricing.tax_percent
    if plan is None:
        reason = words.sentence("no_price")
        if isinstance(net_of_any, Absent):
            reason = words.absent(net_of_any)
        yield LineRow("net", words.t("Net"), "", "", words.unknown, total=True, bold=True, note=reason)
        percent = "" if tax.value is None else words.percent(tax.value)
        kind = None if tax.value is None else tax.kind
        yield LineRow("tax", words.t("Tax"), "", percent, words.unknown, kind, total=True)
        yield LineRow("total", words.t("Total"), "", "", words.unknown, total=True, bold=True, note=reason)
        return
    price = plan.price
    note = words.absent(price.net) if isinstance(price.net, Absent) else ""
    net = amount_text(words, price.net, currency)
    yield LineRow("net", words.t("Net"), "", "", net, total=True, bold=True, note=note)
    taxed = [part for part in price.tax_by_rate if part.tax is not None]
    for part in taxed:
        percent = "" if part.percent is None else words.percent(part.percent)
        kind = tax.kind if part.percent == tax.value else None
        amount = amount_text(words, part.tax, currency)
        yield LineRow(f"tax:{part.percent}", words.t("Tax"), "", percent, amount, kind, total=True)
    if not taxed:
        unknown = isinstance(price.net, Absent) and tax.value is not None
        amount = words.unknown if unknown else words.t("Not included")
        percent = words.percent(tax.value) if tax.value is not None else ""
        yield LineRow("tax", words.t("Tax"), "", percent, amount, total=True, muted=not unknown)
    gross = amount_text(words, price.gross, currency)
    kind = None if isinstance(price.gross, Absent) else plan.kind
    yield LineRow("total", words.t("Total"), "", "", gross, kind, total=True, bold=True, note=note)


def _note(words: Wording, quote: Quote, line: PriceLine) -> str:
    if isinstance(line.amount, Absent):
        return words.absent(line.amount)
    if line.original_amount is None or line.original_currency is None or line.rate is None:
        return ""
    return words.t(
        "{original} at {rate} {currency}",
        original=words.money(line.original_amount, line.original_currency),
        rate=words.number(line.rate),
        currency=quote.pricing.currency,
    )


def _card_price(offer: Lot | HourlyOffer, days: int) -> Decimal | None:
    """Return the price of one card for that many days: as billed by the hour, or its share of a lot."""
    if isinstance(offer, Lot):
        prices = {term.days: term.price for term in offer.terms}
        return prices[days] / offer.cards if days in prices else None
    if offer.price_per_card_hour is None:
        return None
    billing = Billing(offer.granularity_s, offer.minimum_s, offer.monthly_cap_hours)
    return hourly_cost(offer.price_per_card_hour, card_billed_ms([days * MS_PER_DAY], billing))
