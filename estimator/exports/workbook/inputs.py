"""The cells that a reader may change: which there are for a plan, under which names, and where they stand.

Only numbers that move totals while the plan is held fixed, as `plan.replay` says. What would change the plan
itself (cards, terms, counts that it cannot follow) is no input here: it is shown as a value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from estimator.catalogue import HourlyOffer, Lot
from estimator.evidence import Evidence, EvidenceKind, Stated, StatedDuration
from estimator.exports.workbook.cells import PLAIN, RATE, money_format
from estimator.plan.fixed import FixedPlan
from estimator.plan.replay import Replayed, fee_decides, slow_down_counts, tax_decides
from estimator.price import currency_digits
from estimator.problems import Place
from estimator.quote import Fee, FeeBasis, Quote, StageKind
from estimator.results.estimate import Plan
from estimator.units import MS_PER
from estimator.wording import Wording
from estimator.wording.sources import source_text

_LEAST_RATE = Decimal("0.000001")
_LEAST_FACTOR = Decimal("0.001")
MOST_UNIT_TIMES = 8
"""Groups of a stage whose unit times stand in the block; with more they stand beside their tasks."""


@dataclass(frozen=True, slots=True)
class Input:
    """One yellow cell. `key` finds it, `name` is its defined name; `ms_per` is that of a duration's unit.

    `where`: the number's place in the quote. `decides`: the choice of the plan rests on it. `is_whole`: a count.
    """

    key: str
    where: Place
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
    decides: bool = True
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class YellowCell:
    """Where an input stands. The quote's number is the cell's × `scale`; `value` is what the workbook was made with."""

    sheet: str
    cell: str
    where: Place
    label: str
    unit: str
    value: Decimal
    least: Decimal = Decimal(0)
    most: Decimal | None = None
    is_whole: bool = False
    scale: Decimal = Decimal(1)


def inputs_of(fixed: FixedPlan, replayed: Replayed, words: Wording) -> dict[str, Input]:
    """Return the inputs by key, in the order of the sheet: counts and times, prices, percentages, fees.

    Which there are is the fixed plan's to say; their values are those of what was replayed.
    """
    found: dict[str, Input] = {}
    names: set[str] = set()
    quote, plan = replayed.quote, fixed.plan
    sources = [_times(quote, fixed, words), _lot_counts(quote, fixed, replayed, words)]
    if plan is not None:
        sources += [_prices(quote, plan, words), _percentages(quote, plan, words)]
        sources += [_fees(quote, plan, words)]
    for source in sources:
        for one in source:
            name = _unique(one.name, names)
            names.add(name)
            found[one.key] = replace(one, name=name)
    return found


def counts_held(quote: Quote, fixed: FixedPlan) -> tuple[str, ...]:
    """Return the names of the stages whose count of tasks the plan cannot follow: it is shown as a value."""
    return tuple(
        stage.name
        for at, stage in enumerate(quote.workload.stages)
        if stage.kind is not StageKind.GATE and stage.tasks.total > 1 and at not in fixed.slots
    )


def _lot_counts(quote: Quote, fixed: FixedPlan, replayed: Replayed, words: Wording) -> Iterator[Input]:
    for holding in replayed.holdings:
        offer = quote.offer(holding.offer_id)
        if not isinstance(offer, Lot):
            continue
        yield Input(
            f"lots:{offer.id}",
            ("offers", offer.id, "count"),
            f"lots_{offer.id}",
            words.t("{offer}, lots", offer=offer.name),
            Decimal(holding.count),
            words.t("lots"),
            EvidenceKind.DERIVED,
            words.t("The plan; it uses at least {count}", count=words.number(fixed.used_copies(offer.id))),
            least=Decimal(fixed.used_copies(offer.id)),
            most=None if offer.stock is None else Decimal(offer.stock),
            is_whole=True,
        )


def _times(quote: Quote, fixed: FixedPlan, words: Wording) -> Iterator[Input]:
    models = tuple(dict.fromkeys(fixed.fleet.card_ids))
    for place, stage in enumerate(quote.workload.stages):
        if stage.kind is StageKind.GATE:
            continue
        evidence = stage.tasks.evidence
        unit = stage.tasks.unit
        where = ("workload", "stages", stage.id)
        if place in fixed.slots:
            counted = stage.tasks.count_evidence
            yield Input(
                f"count:{stage.id}",
                (*where, "count"),
                f"tasks_{stage.id}",
                words.t("{stage}, tasks", stage=stage.name),
                Decimal(stage.tasks.total),
                words.t("tasks"),
                counted.kind,
                _source(counted, words),
                least=Decimal(fixed.slots[place]),
                is_whole=True,
            )
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
                    (*where, "duration", str(group)),
                    f"unit_time_{stage.id}" + (f"_{group + 1}" if many else ""),
                    label,
                    value,
                    unit.value,
                    evidence.kind,
                    _source(evidence, words),
                    ms_per=MS_PER[unit],
                )
        for factor in stage.card_factors:
            if stage.on_cards and factor.card_id in models and factor.factor.value:
                label = words.t("{stage}, factor of the card", stage=stage.name)
                name = f"factor_{stage.id}"
                if len(models) > 1:
                    card = quote.card(factor.card_id)
                    card_name = factor.card_id if card is None else card.name
                    label = words.t("{stage}, factor of {card}", stage=stage.name, card=card_name)
                    name += f"_{factor.card_id}"
                key, factor_at = (
                    f"factor:{stage.id}:{factor.card_id}",
                    (*where, "card_factors", factor.card_id),
                )
                yield _stated(key, factor_at, name, label, "×", factor.factor, words, least=_LEAST_FACTOR)
        for need in stage.needs:
            resource = next((one for one in quote.workload.resources if one.id == need.resource_id), None)
            if need.hold is not None and resource is not None and need.hold.value is not None:
                label = words.t("{stage} holds {resource} for", stage=stage.name, resource=resource.name)
                name = f"hold_{stage.id}_{resource.id}"
                hold_at = (*where, "needs", resource.id, "hold")
                yield _duration(f"hold:{stage.id}:{resource.id}", hold_at, name, label, need.hold, words)
    organisation = quote.organisation(fixed.organisation.id) or fixed.organisation
    if organisation.slicing is not None:
        label = words.t("Time on a slice, times that stated")
        slice_at = ("organisations", organisation.id, "slicing", "duration_factor")
        on_slice = organisation.slicing.duration_factor
        yield _stated("slice_factor", slice_at, "slice_factor", label, "×", on_slice, words, least=Decimal(1))
    if slow_down_counts(quote, fixed.organisation, fixed.fleet.places):
        label = words.t("Mutual slow-down")
        stated = quote.workload.mutual_slow_down
        slow_at = ("workload", "mutual_slow_down")
        yield _stated("slow_down", slow_at, "slow_down", label, "×", stated, words, least=Decimal(1))
    for offer_id in dict.fromkeys(fixed.fleet.offer_ids):
        offer = quote.offer(offer_id)
        if offer is not None and offer.setup is not None and offer.setup.value is not None:
            label = words.t("Set-up of {offer}", offer=offer.name)
            setup_at = ("offers", offer.id, "setup")
            yield _duration(f"setup:{offer.id}", setup_at, f"set_up_{offer.id}", label, offer.setup, words)


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
                ("offers", offer.id, "price"),
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
                    ("offers", offer.id, "terms", str(term.days)),
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
                ("pricing", "rates", rate.currency),
                f"rate_{rate.currency}",
                words.t("Exchange rate of {currency}", currency=rate.currency),
                rate.rate,
                f"{quote.pricing.currency}/{rate.currency}",
                dated.kind,
                _source(dated, words),
                least=_LEAST_RATE,
            )


def _percentages(quote: Quote, plan: Plan, words: Wording) -> Iterator[Input]:
    lines = {line.kind for line in plan.price.lines}
    pricing = quote.pricing
    hundred = Decimal(100)
    # Shares of the whole document: every plan alike.
    for kind, label, stated, most in (
        ("discount", words.t("Discount"), pricing.discount_percent, hundred),
        ("contingency", words.t("Contingency"), pricing.contingency_percent, None),
    ):
        if stated is not None and kind in lines:
            field = f"{kind}_percent"
            at = ("pricing", field)
            yield _stated(kind, at, field, label, "%", stated, words, most=most, decides=False)
    if pricing.tax_percent.value is not None:
        at, decides = ("pricing", "tax_percent"), tax_decides(pricing)
        label, stated = words.t("Tax"), pricing.tax_percent
        yield _stated("tax", at, "tax_percent", label, "%", stated, words, most=hundred, decides=decides)


def _fees(quote: Quote, plan: Plan, words: Wording) -> Iterator[Input]:
    for fee in quote.pricing.fees:
        if fee.price.value is None or fee.quantity.value is None:
            continue
        where, decides = ("pricing", "fees", fee.id), fee_decides(fee.basis)
        name = fee_name(fee, words)
        currency = fee.currency or quote.pricing.currency
        unit = f"{currency}/{fee.unit}" if fee.unit else currency
        label = words.t("{fee}, price", fee=name)
        key, cell = f"fee:{fee.id}", f"fee_{fee.id}"
        yield _stated(key, (*where, "price"), cell, label, unit, fee.price, words, decides=decides)
        label = words.t("{fee}, quantity", fee=name)
        unit = words.t("PUE") if fee.basis is FeeBasis.ENERGY else fee.unit
        key, cell = f"quantity:{fee.id}", f"quantity_{fee.id}"
        yield _stated(key, (*where, "quantity"), cell, label, unit, fee.quantity, words, decides=decides)
        if fee.basis is FeeBasis.KEPT_TIME and fee.kept_days is not None and fee.kept_days.value is not None:
            label = words.t("{fee}, days kept", fee=name)
            key, cell = f"kept:{fee.id}", f"days_kept_{fee.id}"
            at = (*where, "kept_days")
            days = words.t("days")
            yield _stated(key, at, cell, label, days, fee.kept_days, words, decides=decides)


def fee_name(fee: Fee, words: Wording) -> str:
    """Return what a fee is called."""
    return fee.name or words.word(fee.kind)


def _stated(
    key: str,
    where: Place,
    name: str,
    label: str,
    unit: str,
    stated: Stated,
    words: Wording,
    least: Decimal = Decimal(0),
    most: Decimal | None = None,
    decides: bool = True,
) -> Input:
    value = stated.value or Decimal(0)
    source = _source(stated.evidence, words)
    return Input(key, where, name, label, value, unit, stated.kind, source, least, most, decides=decides)


def _duration(key: str, where: Place, name: str, label: str, stated: StatedDuration, words: Wording) -> Input:
    value = stated.value or Decimal(0)
    source = _source(stated.evidence, words)
    unit = stated.unit
    return Input(key, where, name, label, value, unit.value, stated.kind, source, ms_per=MS_PER[unit])


def _source(evidence: Evidence, words: Wording) -> str:
    source = source_text(words, evidence.source)
    if evidence.date is None:
        return source
    if not source:
        return words.date(evidence.date)
    return f"{source}, {words.date(evidence.date)}"


def _unique(wanted: str, taken: set[str]) -> str:
    plain = unicodedata.normalize("NFKD", wanted).encode("ascii", "ignore").decode("ascii")
    base = re.sub(r"[^A-Za-z0-9_]", "_", plain)[:60]
    name, number = base, 2
    while name.casefold() in {one.casefold() for one in taken}:
        name, number = f"{base}_{number}", number + 1
    return name
