"""From holdings and fees to price lines: one line a holding, one a fee, blank fees as "not included"."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from estimator.catalogue import Lot
from estimator.evidence import EvidenceKind, weakest
from estimator.plan.fees import charged
from estimator.price import LineInput, PriceRules, price
from estimator.quote import Fee, FeeBasis, Pricing, Quote
from estimator.results.estimate import Holding
from estimator.results.price import Price
from estimator.units import MS_PER_HOUR


def priced(quote: Quote, holdings: Sequence[Holding]) -> Price:
    """Return the price of what is held and of the fees, in the quote's currency."""
    pricing = quote.pricing
    lines = [_holding_line(quote, holding) for holding in holdings]
    lines += [_fee_line(quote, fee, holdings) for fee in pricing.fees]
    rules = PriceRules(
        currency=pricing.currency,
        tax_percent=pricing.tax_percent.value,
        discount_percent=None if pricing.discount_percent is None else pricing.discount_percent.value,
        contingency_percent=None
        if pricing.contingency_percent is None
        else pricing.contingency_percent.value,
        rates={rate.currency: rate.rate for rate in pricing.rates},
    )
    return price(tuple(lines), rules)


def price_kind(pricing: Pricing, holdings: Sequence[Holding], time_kind: EvidenceKind) -> EvidenceKind:
    """Return the evidence of a total: the weakest of the prices, the fees, the tax rate and the time billed."""
    kinds = [time_kind, *(holding.price_kind for holding in holdings)]
    if pricing.tax_percent.value is not None:
        kinds.append(pricing.tax_percent.kind)
    for fee in pricing.fees:
        if fee.price.value is not None:
            kinds += [fee.price.kind, fee.quantity.kind]
            if fee.basis is FeeBasis.KEPT_TIME and fee.kept_days is not None:
                kinds.append(fee.kept_days.kind)
    for extra in (pricing.discount_percent, pricing.contingency_percent):
        if extra is not None and extra.value is not None:
            kinds.append(extra.kind)
    return weakest(kinds)


def _holding_line(quote: Quote, holding: Holding) -> LineInput:
    offer = quote.offer(holding.offer_id)
    name = offer.name if offer is not None else holding.offer_id
    currency = offer.currency if offer is not None else quote.pricing.currency
    values: list[tuple[str, object]] = [("offer", name), ("sample", holding.is_sample)]
    if isinstance(offer, Lot):
        prices = {term.days: term.price for term in offer.terms}
        unit_price = sum((prices[days] for days in holding.terms), Decimal(0))
        values += [("quantity", Decimal(holding.count)), ("unit_price", unit_price), ("terms", holding.terms)]
        return LineInput(f"lot:{holding.offer_id}", "lot", holding.cost, currency, None, tuple(values))
    hours = Decimal(holding.paid_card_ms) / MS_PER_HOUR
    values += [
        ("quantity", hours),
        ("unit_price", None if offer is None else offer.price_per_card_hour),
        ("cards", holding.cards),
    ]
    return LineInput(f"hourly:{holding.offer_id}", "hourly", holding.cost, currency, None, tuple(values))


def _fee_line(quote: Quote, fee: Fee, holdings: Sequence[Holding]) -> LineInput:
    found = charged(quote, fee, holdings)
    values = (
        ("name", fee.name),
        ("quantity", found.quantity),
        ("unit_price", fee.price.value),
        ("unit", fee.unit),
        ("basis", fee.basis.value),
    )
    currency = fee.currency or quote.pricing.currency
    return LineInput(f"fee:{fee.id}", fee.kind.value, found.amount, currency, fee.tax_percent, values)
