"""The cells that a reader may change: which there are for a plan, under which names, and where they stand.

Only numbers that move totals while the plan is held fixed. What would change the plan itself (counts, cards,
lots, terms) is no input here: it is shown as a value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from estimator.catalogue import HourlyOffer, Lot
from estimator.evidence import Evidence, EvidenceKind, Stated, StatedDuration
from estimator.exports.workbook.cells import PLAIN, RATE, money_format
from estimator.exports.workbook.replay import Replay
from estimator.price import currency_digits
from estimator.quote import Fee, FeeBasis, Organisation, Quote, StageKind
from estimator.results.estimate import Plan
from estimator.units import MS_PER
from estimator.wording import Wording

MOST_UNIT_TIMES = 8
"""Groups of a stage whose unit times stand in the block; with more they stand beside their tasks."""


@dataclass(frozen=True, slots=True)
class Input:
    """One yellow cell. `key` finds it, `name` is its defined name; `ms_per` is that of a duration's unit."""

    key: str
    name: str
    label: str
    value: Decimal
    unit: str
    kind: EvidenceKind
    source: str
    least: Decimal = Decimal(0)
    most: Decimal | None = None
    ms_per: int = 0
    number_format: str = PLAIN


def inputs_of(
    quote: Quote, organisation: Organisation, plan: Plan | None, replay: Replay | None, words: Wording
) -> dict[str, Input]:
    """Return the inputs by key, in the order of the sheet: times, prices, percentages, fees."""
    found: dict[str, Input] = {}
    names: set[str] = set()
    sources = [] if replay is None else [_times(quote, organisation, replay, words)]
    if plan is not None:
        sources += [_prices(quote, plan, words), _percentages(quote, plan, words)]
        sources += [_fees(quote, plan, words)]
    for source in sources:
        for one in source:
            name = _unique(one.name, names)
            names.add(name)
            found[one.key] = Input(
                **{field: getattr(one, field) for field in Input.__slots__ if field != "name"}, name=name
            )
    return found


def slow_down_counts(quote: Quote, organisation: Organisation, places: int) -> frozenset[str]:
    """Return the stages in which several tasks run at once, on cards or slices, which slow each other down."""
    return frozenset(
        stage.id
        for stage in quote.workload.stages
        if stage.on_cards and places // organisation.layout(stage.id).cards_per_task > 1
    )


def _times(quote: Quote, organisation: Organisation, replay: Replay, words: Wording) -> Iterator[Input]:
    models = set(replay.fleet.card_ids)
    for stage in quote.workload.stages:
        if stage.kind is StageKind.GATE:
            continue
        evidence = stage.tasks.evidence
        unit = stage.tasks.unit
        many = len(stage.tasks.duration) > 1
        if len(stage.tasks.duration) <= MOST_UNIT_TIMES:
            for group, value in enumerate(stage.tasks.duration):
                if value is None:
                    continue
                if not many:
                    label = words.t("{stage}, time of each task", stage=stage.name)
                else:
                    name = stage.tasks.names[group] if stage.tasks.names else words.number(group + 1)
                    label = words.t("{stage}, time of {task}", stage=stage.name, task=name)
                yield Input(
                    f"unit:{stage.id}:{group}",
                    f"unit_time_{stage.id}" + (f"_{group + 1}" if many else ""),
                    label,
                    value,
                    unit.value,
                    evidence.kind,
                    _source(evidence, words),
                    ms_per=MS_PER[unit],
                )
        for factor in stage.card_factors:
            if factor.card_id not in models or factor.factor.value is None:
                continue
            label, name = words.t("{stage}, factor of the card", stage=stage.name), f"factor_{stage.id}"
            if len(models) > 1:
                card = quote.card(factor.card_id)
                card_name = factor.card_id if card is None else card.name
                label = words.t("{stage}, factor of {card}", stage=stage.name, card=card_name)
                name = f"{name}_{factor.card_id}"
            yield _stated(f"factor:{stage.id}:{factor.card_id}", name, label, "×", factor.factor, words)
        for need in stage.needs:
            resource = next((one for one in quote.workload.resources if one.id == need.resource_id), None)
            if need.hold is not None and resource is not None and need.hold.value is not None:
                label = words.t("{stage} holds {resource} for", stage=stage.name, resource=resource.name)
                name = f"hold_{stage.id}_{resource.id}"
                yield _duration(f"hold:{stage.id}:{resource.id}", name, label, need.hold, words)
    if organisation.slicing is not None:
        label = words.t("Time on a slice, times that stated")
        on_slice = organisation.slicing.duration_factor
        yield _stated("slice_factor", "slice_factor", label, "×", on_slice, words, least=Decimal(1))
    if slow_down_counts(quote, organisation, replay.fleet.places):
        label = words.t("Mutual slow-down")
        stated = quote.workload.mutual_slow_down
        yield _stated("slow_down", "slow_down", label, "×", stated, words, least=Decimal(1))
    for offer_id in dict.fromkeys(replay.fleet.offer_ids):
        offer = quote.offer(offer_id)
        if offer is not None and offer.setup is not None and offer.setup.value is not None:
            label = words.t("Set-up of {offer}", offer=offer.name)
            yield _duration(f"setup:{offer.id}", f"set_up_{offer.id}", label, offer.setup, words)


def _prices(quote: Quote, plan: Plan, words: Wording) -> Iterator[Input]:
    for holding in plan.holdings:
        offer = quote.offer(holding.offer_id)
        if offer is None:
            continue
        evidence = offer.price_evidence
        source = _source(evidence, words)
        if offer.sample:
            source = words.t("SAMPLE") if not source else words.t("SAMPLE: {source}", source=source)
        if isinstance(offer, HourlyOffer):
            if offer.price_per_card_hour is None:
                continue
            yield Input(
                f"price:{offer.id}",
                f"price_{offer.id}",
                words.t("{offer}, price per card and hour", offer=offer.name),
                offer.price_per_card_hour,
                f"{offer.currency}/h",
                evidence.kind,
                source,
                number_format=RATE,
            )
        elif isinstance(offer, Lot):
            for term in offer.terms:
                if term.days not in holding.terms:
                    continue
                yield Input(
                    f"price:{offer.id}:{term.days}",
                    f"price_{offer.id}_{term.days}_d",
                    words.t("{offer}, {days} days", offer=offer.name, days=words.number(term.days)),
                    term.price,
                    offer.currency,
                    evidence.kind,
                    source,
                    number_format=money_format(currency_digits(offer.currency)),
                )
    currencies = {line.original_currency for line in plan.price.lines}
    for rate in quote.pricing.rates:
        if rate.currency in currencies:
            dated = Evidence(
                kind=EvidenceKind.ASSUMED if rate.date is None else EvidenceKind.GIVEN,
                source=rate.source,
                date=rate.date,
            )
            yield Input(
                f"rate:{rate.currency}",
                f"rate_{rate.currency}",
                words.t("Exchange rate of {currency}", currency=rate.currency),
                rate.rate,
                f"{quote.pricing.currency}/{rate.currency}",
                dated.kind,
                _source(dated, words),
            )


def _percentages(quote: Quote, plan: Plan, words: Wording) -> Iterator[Input]:
    lines = {line.kind for line in plan.price.lines}
    pricing = quote.pricing
    hundred = Decimal(100)
    if pricing.discount_percent is not None and "discount" in lines:
        label = words.t("Discount")
        yield _stated(
            "discount", "discount_percent", label, "%", pricing.discount_percent, words, most=hundred
        )
    if pricing.contingency_percent is not None and "contingency" in lines:
        label = words.t("Contingency")
        yield _stated("contingency", "contingency_percent", label, "%", pricing.contingency_percent, words)
    if pricing.tax_percent.value is not None:
        label = words.t("Tax")
        yield _stated("tax", "tax_percent", label, "%", pricing.tax_percent, words, most=hundred)


def _fees(quote: Quote, plan: Plan, words: Wording) -> Iterator[Input]:
    for fee in quote.pricing.fees:
        if fee.price.value is None or fee.quantity.value is None:
            continue
        name = fee_name(fee, words)
        currency = fee.currency or quote.pricing.currency
        unit = f"{currency}/{fee.unit}" if fee.unit else currency
        label = words.t("{fee}, price", fee=name)
        yield _stated(f"fee:{fee.id}", f"fee_{fee.id}", label, unit, fee.price, words)
        label = words.t("{fee}, quantity", fee=name)
        unit = words.t("PUE") if fee.basis is FeeBasis.ENERGY else fee.unit
        yield _stated(f"quantity:{fee.id}", f"quantity_{fee.id}", label, unit, fee.quantity, words)
        if fee.basis is FeeBasis.KEPT_TIME and fee.kept_days is not None and fee.kept_days.value is not None:
            label = words.t("{fee}, days kept", fee=name)
            key, cell = f"kept:{fee.id}", f"days_kept_{fee.id}"
            yield _stated(key, cell, label, words.t("days"), fee.kept_days, words)


def fee_name(fee: Fee, words: Wording) -> str:
    """Return what a fee is called."""
    return fee.name or words.word(fee.kind)


def _stated(
    key: str,
    name: str,
    label: str,
    unit: str,
    stated: Stated,
    words: Wording,
    least: Decimal = Decimal(0),
    most: Decimal | None = None,
) -> Input:
    value = stated.value or Decimal(0)
    source = _source(stated.evidence, words)
    return Input(key, name, label, value, unit, stated.kind, source, least, most)


def _duration(key: str, name: str, label: str, stated: StatedDuration, words: Wording) -> Input:
    value = stated.value or Decimal(0)
    source = _source(stated.evidence, words)
    return Input(key, name, label, value, stated.unit.value, stated.kind, source, ms_per=MS_PER[stated.unit])


def _source(evidence: Evidence, words: Wording) -> str:
    if evidence.date is None:
        return evidence.source
    if not evidence.source:
        return words.date(evidence.date)
    return f"{evidence.source}, {words.date(evidence.date)}"


def _unique(wanted: str, taken: set[str]) -> str:
    plain = unicodedata.normalize("NFKD", wanted).encode("ascii", "ignore").decode("ascii")
    base = re.sub(r"[^A-Za-z0-9_]", "_", plain)[:60]
    name, number = base, 2
    while name.casefold() in {one.casefold() for one in taken}:
        name, number = f"{base}_{number}", number + 1
    return name
