"""The sheets of record: every input number with its evidence, and every condition with its state.

They list; nothing here is computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from estimator.catalogue import Card, HourlyOffer
from estimator.evidence import Evidence, EvidenceKind, Stated, StatedDuration, span_of
from estimator.exports.workbook.cells import Sheet, decimals_of, money_format
from estimator.exports.workbook.inputs import fee_name
from estimator.plan.starting import rental_start
from estimator.price import currency_digits
from estimator.problems import Place
from estimator.quote import FeeBasis, Organisation, Quote, Stage, StageKind, StateClass
from estimator.results.estimate import Estimate
from estimator.units import bytes_to_gib
from estimator.wording import Wording
from estimator.wording.phrases import condition_text
from estimator.wording.sources import source_text

_GIB = "GiB"


@dataclass(frozen=True, slots=True)
class Assumption:
    """One input number: where it stands, its value (None: not known), unit and evidence."""

    where: Place
    value: Decimal | None
    unit: str
    evidence: Evidence
    mark: str = ""
    digits: int = 0
    """Decimals shown at least: those of its currency, of a price."""

    @property
    def kind(self) -> EvidenceKind:
        """Unknown where there is no value."""
        return EvidenceKind.UNKNOWN if self.value is None else self.evidence.kind


def assumptions_of(quote: Quote, words: Wording) -> Iterator[Assumption]:
    """Yield every number of the quote that a person stated, in the order of the pages."""
    workload = quote.workload
    for stage in workload.stages:
        yield from _of_stage(stage)
    for resource in workload.resources:
        where = ("workload", "resources", resource.id, "capacity")
        yield _stated(where, resource.capacity, resource.unit)
    if workload.limit is not None:
        yield _stated(("workload", "limit"), workload.limit)
    if workload.quota_cards is not None:
        yield _stated(("workload", "quota_cards"), workload.quota_cards)
    if workload.budget is not None:
        yield _stated(("workload", "budget"), workload.budget, quote.pricing.currency)
    if workload.queue_wait is not None:
        yield _stated(("workload", "queue_wait"), workload.queue_wait)
    yield _stated(("workload", "mutual_slow_down"), workload.mutual_slow_down, "×")
    for card in quote.cards:
        kind, source = usable_basis(card, words)
        evidence = Evidence(kind=kind, source=source)
        yield Assumption(("cards", card.id, "usable_bytes"), bytes_to_gib(card.usable_bytes), _GIB, evidence)
    for organisation in quote.organisations:
        yield from _of_slicing(quote, organisation, words)
    yield from _of_offers(quote, words)
    yield from _of_pricing(quote, words)


def _of_slicing(quote: Quote, organisation: Organisation, words: Wording) -> Iterator[Assumption]:
    slicing = organisation.slicing
    if slicing is None:
        return
    where = ("organisations", organisation.id, "slicing")
    factor, span = slicing.duration_factor, slicing.factor_span
    if span is not None:
        factor = factor.replaced(evidence=factor.evidence.replaced(low=span[0], high=span[1]))
    yield _stated((*where, "duration_factor"), factor, "×")
    for card in quote.cards:
        part = slicing.of(card)
        if part is not None:
            kind, source = usable_basis(part, words)
            evidence = Evidence(kind=kind, source=source)
            usable = bytes_to_gib(part.usable_bytes)
            yield Assumption((*where, card.id, "usable_bytes"), usable, _GIB, evidence)


def usable_basis(card: Card, words: Wording) -> tuple[EvidenceKind, str]:
    """Return how the usable memory of a card is known, and in words from whom."""
    match card.usable_basis:
        case "observed":
            return EvidenceKind.MEASURED, words.t("As a framework saw it")
        case "reported":
            return EvidenceKind.MEASURED, words.t("As the driver reports it")
    return EvidenceKind.ASSUMED, words.t("The label, read as 10⁹ bytes")


def _of_stage(stage: Stage) -> Iterator[Assumption]:
    where = ("workload", "stages", stage.id)
    if stage.kind is StageKind.GATE:
        return
    tasks = stage.tasks
    yield Assumption((*where, "count"), Decimal(tasks.total), "", tasks.count_evidence)
    # A stage of many unequal tasks is one row here, its longest; each stands in the schedule.
    longest = max((value for value in tasks.duration if value is not None), default=None)
    if tasks.has_unknown:
        longest = None
    yield Assumption((*where, "duration"), longest, tasks.unit.value, tasks.evidence)
    for factor in stage.card_factors:
        yield _stated((*where, "card_factors", factor.card_id), factor.factor, "×")
    for need in stage.needs:
        at = (*where, "needs", need.resource_id)
        yield _stated((*at, "amount"), need.amount)
        if need.hold is not None:
            yield _stated((*at, "hold"), need.hold)
    if not stage.on_cards:
        return
    for phase in stage.memory.phases:
        for term in phase.terms:
            place = (*where, "memory", phase.name, term.state_class.value)
            yield _stated(place, term.gib, _GIB)
    yield _stated((*where, "memory", "context_gib"), stage.memory.context_gib, _GIB)
    yield _stated((*where, "memory", "margin_percent"), stage.memory.margin_percent, "%")
    for name, line in (
        ("workspace_gib", stage.memory.workspace_gib),
        ("communication_gib", stage.memory.communication_gib),
    ):
        if line is not None:
            yield _stated((*where, "memory", name), line, _GIB)


def _of_offers(quote: Quote, words: Wording) -> Iterator[Assumption]:
    for offer in quote.offers:
        mark = words.t("SAMPLE") if offer.sample else ""
        if isinstance(offer, HourlyOffer):
            yield Assumption(
                ("offers", offer.id, "price"),
                offer.price_per_card_hour,
                f"{offer.currency}/h",
                offer.price_evidence,
                mark,
                currency_digits(offer.currency),
            )
        else:
            for term in offer.terms:
                unit = words.t(
                    "{currency} for {days} days", currency=offer.currency, days=words.number(term.days)
                )
                digits = currency_digits(offer.currency)
                where = ("offers", offer.id, "price")
                yield Assumption(where, term.price, unit, offer.price_evidence, mark, digits)
        if offer.setup is not None:
            yield _stated(("offers", offer.id, "setup"), offer.setup)


def _of_pricing(quote: Quote, words: Wording) -> Iterator[Assumption]:
    pricing = quote.pricing
    yield _stated(("pricing", "tax_percent"), pricing.tax_percent, "%")
    if pricing.discount_percent is not None:
        yield _stated(("pricing", "discount_percent"), pricing.discount_percent, "%")
    if pricing.contingency_percent is not None:
        yield _stated(("pricing", "contingency_percent"), pricing.contingency_percent, "%")
    for fee in pricing.fees:
        if fee.price.value is None:
            continue
        currency = fee.currency or pricing.currency
        digits, evidence = currency_digits(currency), fee.price.evidence
        yield Assumption(
            ("pricing", "fees", fee.id, "price"), fee.price.value, currency, evidence, digits=digits
        )
        yield _stated(("pricing", "fees", fee.id, "quantity"), fee.quantity, fee.unit)
        if fee.kept_days is not None and fee.basis is FeeBasis.KEPT_TIME:
            yield _stated(("pricing", "fees", fee.id, "kept_days"), fee.kept_days)
        for tier in fee.tiers:
            where = ("pricing", "fees", fee.id, "tiers")
            unit = words.t(
                "{currency} above {quantity}", currency=currency, quantity=words.number(tier.above)
            )
            yield Assumption(where, tier.price, unit, evidence, digits=digits)
    for rate in pricing.rates:
        kind = EvidenceKind.ASSUMED if rate.date is None else EvidenceKind.GIVEN
        evidence = Evidence(kind=kind, source=rate.source, date=rate.date)
        unit = f"{pricing.currency}/{rate.currency}"
        yield Assumption(("pricing", "rates", rate.currency, "rate"), rate.rate, unit, evidence)


def _stated(where: Place, stated: Stated, unit: str = "") -> Assumption:
    if isinstance(stated, StatedDuration):
        unit = stated.unit.value
    return Assumption(where, stated.value, unit, stated.evidence)


def _without_precondition(where: Place) -> Place:
    """Return the place of the stage: a precondition has no name of its own, the claim beside it says it."""
    return where[: where.index("preconditions")] if "preconditions" in where else where


def names_of(quote: Quote, words: Wording) -> dict[str, str]:
    """Return what people call the rows whose ids stand in places."""
    names = {choice.value: words.word(choice) for choice in StateClass}
    rows = [
        *quote.workload.stages,
        *quote.workload.resources,
        *quote.organisations,
        *quote.cards,
        *quote.offers,
    ]
    names |= {row.id: row.name or row.id for row in rows}
    return names | {fee.id: fee_name(fee, words) for fee in quote.pricing.fees}


def write_assumptions(sheet: Sheet, quote: Quote, words: Wording) -> None:
    """Write one row an input number."""
    sheet.widths(2, 52, 14, 18, 12, 22, 12, 34, 14)
    sheet.text(0, 1, words.t("Assumptions"), "title")
    sheet.text(
        1,
        1,
        words.t("Every number that the quote rests on. Change them in Cabida, or the yellow ones here."),
        "note",
    )
    sheet.text(3, 1, words.t("Number"), "head")
    sheet.text(3, 2, words.t("Value"), "head_right")
    heads = (words.t("Unit"), words.t("Evidence"), words.t("Range"), words.t("Mark"))
    sheet.texts(3, 3, (*heads, words.t("Source"), words.t("Date")), "head")
    sheet.headed(3)
    names = names_of(quote, words)
    for place, one in enumerate(assumptions_of(quote, words)):
        row = 4 + place
        sheet.text(row, 1, words.place(one.where, names), "wrapped")
        if one.value is None:
            sheet.text(row, 2, words.unknown, "value")
        else:
            value = round(one.value, 6)
            sheet.number(row, 2, value, money_format(decimals_of(value, one.digits)))
        sheet.texts(row, 3, (one.unit, words.evidence(one.kind), _range(one, words), one.mark))
        sheet.text(row, 7, source_text(words, one.evidence.source), "wrapped")
        sheet.text(row, 8, "" if one.evidence.date is None else words.date(one.evidence.date))
    if quote.start is not None:
        row = sheet.raw.dim_rowmax + 2
        zone = quote.time_zone or words.t("no zone stated")
        sheet.text(row, 1, words.t("Start"))
        sheet.moment(row, 2, rental_start(quote) or quote.start)
        sheet.text(row, 3, zone)


def _range(one: Assumption, words: Wording) -> str:
    if one.value is None:
        return ""
    low, high = span_of(one.value, one.evidence)
    return "" if low == high else words.span(round(low, 4), round(high, 4))


def write_conditions(sheet: Sheet, estimate: Estimate, words: Wording) -> None:
    """Write one row a condition, decisive ones first, and the problems that the quote still has."""
    quote = estimate.quote
    sheet.widths(2, 12, 12, 70, 52, 12)
    sheet.text(0, 1, words.t("Conditions"), "title")
    sheet.text(1, 1, words.t("Until the decisive ones are met, the quote is provisional."), "note")
    heads = (
        words.t("State"),
        words.t("Decisive"),
        words.t("What has to hold"),
        words.t("Where it comes from"),
    )
    sheet.texts(3, 1, (*heads, words.t("Evidence")), "head")
    sheet.headed(3)
    names = names_of(quote, words)
    row = 4
    for condition in estimate.conditions:
        claim = condition_text(words, condition, quote if condition.code == "number" else None)
        decisive = words.t("decisive") if condition.decisive else ""
        sheet.texts(row, 1, (words.word(condition.state), decisive))
        sheet.text(row, 3, claim, "wrapped")
        sheet.text(row, 4, words.place(_without_precondition(condition.where), names), "wrapped")
        sheet.text(row, 5, words.evidence(condition.kind))
        row += 1
    if not estimate.conditions:
        sheet.text(row, 3, words.t("Nothing is left to verify."))
        row += 1
    if estimate.problems:
        sheet.text(row + 1, 1, words.t("Problems"), "title")
        for place, problem in enumerate(estimate.problems):
            sheet.text(row + 2 + place, 1, words.word(problem.severity))
            sheet.text(row + 2 + place, 2, "")
            sheet.text(row + 2 + place, 3, words.problem(problem), "wrapped")
            sheet.text(row + 2 + place, 4, words.place(problem.where, names), "wrapped")
