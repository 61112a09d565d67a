"""The first sheet: answer, the yellow cells, organisations side by side, and time by number of cards.

Answers are formulas over the other sheets. The comparisons are what the program calculated: they say so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from estimator.evidence import EvidenceKind
from estimator.exports.workbook.cells import WHOLE, Sheet, money_format
from estimator.exports.workbook.comparison_blocks import (
    LABEL,
    SOURCE,
    UNIT,
    VALUE,
    time_format,
    write_organisations,
    write_staircase,
)
from estimator.exports.workbook.cost_sheet import CostCells
from estimator.exports.workbook.inputs import Input
from estimator.exports.workbook.memory_sheet import MemoryCells
from estimator.exports.workbook.record_sheets import usable_basis
from estimator.exports.workbook.schedule_sheet import ScheduleCells
from estimator.price import currency_digits
from estimator.problems import Absent
from estimator.quote import Quote
from estimator.results.estimate import Estimate, OrganisationResult, Plan, QuoteStatus
from estimator.units import bytes_to_gib
from estimator.wording import Wording
from estimator.wording.phrases import key_text


@dataclass(frozen=True, slots=True)
class Cells:
    """Where the other sheets have the answer."""

    times: ScheduleCells | None
    memory: MemoryCells
    cost: CostCells | None


def write_quote(
    sheet: Sheet, estimate: Estimate, cells: Cells, inputs: dict[str, Input], words: Wording, status: str
) -> None:
    """Write the first sheet."""
    sheet.widths(2, 38, 13, 12, 12, 40, 2, 15, 17, 17)
    quote = estimate.quote
    sheet.text(0, LABEL, quote.name or words.t("Quote"), "title")
    style = "strong" if estimate.status is QuoteStatus.FIRM else "status"
    sheet.text(0, SOURCE, status, style)
    sheet.raw.set_row(0, 24)
    sheet.text(1, LABEL, _subtitle(quote, words), "note")
    answer = _Answer(sheet, estimate, cells, words)
    answer.write()
    row = _write_inputs(sheet, answer.row + 1, inputs, words)
    row = write_organisations(sheet, row + 1, estimate, cells.times, words)
    write_staircase(sheet, estimate, cells.times, words)
    sheet.raw.freeze_panes(2, 0)
    sheet.raw.repeat_rows(0, 1)
    sheet.raw.fit_to_pages(1, 1 if row < 60 else 0)


def status_text(estimate: Estimate, words: Wording) -> str:
    """Return the status in capitals with the open conditions."""
    waiting = estimate.open_conditions
    word = words.word(estimate.status).upper()
    if not waiting:
        return word
    return words.t(
        "{status}: {open} open, {decisive} decisive",
        status=word,
        open=words.number(len(waiting)),
        decisive=words.number(sum(one.decisive for one in waiting)),
    )


def _subtitle(quote: Quote, words: Wording) -> str:
    day = words.t("no date") if quote.date is None else words.date(quote.date)
    days = words.number(quote.valid_days)
    if not quote.number:
        return words.t("Quote without a number, {date}, valid {days} days", date=day, days=days)
    number = quote.number if quote.revision == 0 else f"{quote.number}.{quote.revision}"
    return words.t("Quote {number}, {date}, valid {days} days", number=number, date=day, days=days)


@dataclass(slots=True)
class _Answer:
    sheet: Sheet
    estimate: Estimate
    cells: Cells
    words: Wording
    row: int = 4

    def write(self) -> None:
        words, shown = self.words, self.estimate.shown
        heads = (words.t("Answer"), words.t("Value"), words.t("Unit"), words.t("Evidence"))
        _heads(self.sheet, 3, (*heads, words.t("Where it comes from")))
        if shown is None:
            self.sheet.text(4, LABEL, words.t("There is nothing to answer yet."))
            return
        self._cards(shown)
        self._memory(shown)
        self._time(shown)
        plan = self.estimate.shown_plan
        if plan is None or self.cells.cost is None:
            reason = self._no_price(shown, plan)
            self._line(
                words.t("Total"), lambda row: self._unknown(row), "", EvidenceKind.UNKNOWN, reason, True
            )
            return
        self._money(plan, self.cells.cost)

    def _no_price(self, shown: OrganisationResult, plan: Plan | None) -> str:
        if plan is not None and isinstance(plan.price.net, Absent):
            return self.words.absent(plan.price.net)
        if isinstance(shown.timing, Absent):
            return self.words.absent(shown.timing)
        if shown.excluded:
            return self.words.absent(shown.excluded[0][1])
        return self.words.t("No offer has a price.")

    def _unknown(self, row: int) -> None:
        self.sheet.text(row, VALUE, self.words.unknown, "value")

    def _line(
        self,
        label: str,
        write_value: Callable[[int], None],
        unit: str,
        kind: EvidenceKind | None,
        source: str,
        strong: bool = False,
    ) -> None:
        sheet, row = self.sheet, self.row
        sheet.text(row, LABEL, label, "strong" if strong else "label")
        write_value(row)
        evidence = self.words.t("Chosen") if kind is None else self.words.evidence(kind)
        sheet.texts(row, UNIT, (unit, evidence))
        sheet.text(row, SOURCE, source, "wrapped_muted")
        self.row += 1

    def _formula(
        self, formula: str, value: Decimal | int, number_format: str, strong: bool = False
    ) -> Callable[[int], None]:
        style = "strong_value" if strong else "value"
        return lambda row: self.sheet.formula(row, VALUE, formula, value, number_format, style)

    def _number(self, value: Decimal | int, number_format: str) -> Callable[[int], None]:
        return lambda row: self.sheet.number(row, VALUE, value, number_format)

    def _cards(self, shown: OrganisationResult) -> None:
        words, limit = self.words, self.estimate.quote.workload.limit
        cards = shown.cards_required
        source = words.t("Cards that work at once")
        if limit is not None and limit.ms is not None:
            source = words.t("The limit is {limit}", limit=words.duration(limit.ms))
        if isinstance(cards, Absent):
            self._line(
                words.t("Cards required"), self._unknown, "", EvidenceKind.UNKNOWN, words.absent(cards), True
            )
            return
        unit = words.t("cards")
        write = self._number(cards, WHOLE)
        self._line(words.t("Cards required"), write, unit, shown.time_kind, source, True)
        key = key_text(words, shown)
        self._line(
            words.t("Tasks at once × cards per task"),
            lambda row: self.sheet.text(row, VALUE, key, "value"),
            "",
            None,
            words.t("Organisation {name}", name=_name(self.estimate, shown.organisation_id)),
        )

    def _memory(self, shown: OrganisationResult) -> None:
        words, memory = self.words, self.cells.memory
        phases = [phase for stage in shown.memory for phase in stage.phases]
        plan = self.estimate.shown_plan
        verdict = plan.verdict if plan is not None else next(iter(shown.verdicts), None)
        peak = max((phase.peak_bytes for phase in phases), default=0)
        near = verdict is not None and bytes_to_gib(abs(verdict.usable_bytes - peak)) < 1
        digits = "0.00" if near else "0.0"
        if memory.peak is None:
            source = words.t("The memory of a task is not stated yet.")
            self._line(words.t("Peak of the worst card"), self._unknown, "GiB", EvidenceKind.UNKNOWN, source)
            return
        self._line(
            words.t("Peak of the worst card"),
            self._formula(memory.peak, bytes_to_gib(peak), digits),
            "GiB",
            shown.memory_kind,
            words.t("Sheet of memory"),
        )
        card = (
            None if verdict is None else self.estimate.quote.task_card(shown.organisation_id, verdict.card_id)
        )
        if memory.usable is not None and card is not None and verdict is not None:
            kind, source = usable_basis(card, words)
            self._line(
                words.t("Usable on each {card}", card=card.name),
                self._formula(memory.usable, bytes_to_gib(verdict.usable_bytes), digits),
                "GiB",
                kind,
                source,
            )

    def _time(self, shown: OrganisationResult) -> None:
        words, times = self.words, self.cells.times
        if times is None or isinstance(shown.timing, Absent):
            reason = words.absent(shown.timing) if isinstance(shown.timing, Absent) else ""
            self._line(words.t("Delivery"), self._unknown, "", EvidenceKind.UNKNOWN, reason, True)
            return
        delivery_ms = shown.timing.delivery_ms
        bound = words.t(
            "Lower bound on these cards: {bound}", bound=words.duration(shown.timing.lower_bound_ms)
        )
        value = Decimal(delivery_ms) / times.per_ms
        write = self._formula(times.delivery, value, time_format(delivery_ms, times.per_ms), True)
        self._line(words.t("Delivery"), write, times.unit, shown.time_kind, bound, True)
        limit = self.estimate.quote.workload.limit
        if limit is not None and limit.ms is not None:
            spare = Decimal(limit.ms - delivery_ms) / times.per_ms
            formula = f"{Decimal(limit.ms) / times.per_ms}-{times.delivery}"
            source = words.t("The limit less the delivery; below 0 it is late")
            write = self._formula(formula, spare, time_format(limit.ms - delivery_ms, times.per_ms))
            self._line(words.t("Spare to the limit"), write, times.unit, shown.time_kind, source)

    def _money(self, plan: Plan, cost: CostCells) -> None:
        words, price = self.words, plan.price
        currency = price.currency
        money = money_format(currency_digits(currency))
        sample = words.t("SAMPLE prices")
        names = [_offer_name(self.estimate.quote, holding.offer_id) for holding in plan.holdings]
        source = ", ".join(names)
        if plan.is_sample:
            source = words.t("{offers} (SAMPLE)", offers=source)
        if cost.net is None or isinstance(price.net, Absent) or isinstance(price.gross, Absent):
            return
        self._line(words.t("Net"), self._formula(cost.net, price.net, money), currency, plan.kind, source)
        if cost.tax is None or isinstance(price.tax, Absent):
            text = words.t("not included")
            write: Callable[[int], None] = lambda row: self.sheet.text(row, VALUE, text, "value")  # noqa: E731
            self._line(words.t("Tax"), write, "", EvidenceKind.UNKNOWN, words.t("No tax rate is stated."))
        else:
            rates = [part.percent for part in price.tax_by_rate if part.percent is not None]
            source = ", ".join(words.percent(rate) for rate in rates)
            self._line(words.t("Tax"), self._formula(cost.tax, price.tax, money), currency, plan.kind, source)
        if cost.gross is not None:
            write = self._formula(cost.gross, price.gross, money, True)
            source = sample if plan.is_sample else words.t("Net and tax")
            self._line(words.t("Total"), write, currency, plan.kind, source, True)


def _heads(sheet: Sheet, row: int, heads: tuple[str, ...]) -> None:
    for place, head in enumerate(heads):
        sheet.text(row, LABEL + place, head, "head_right" if place == 1 else "head")


def _write_inputs(sheet: Sheet, head: int, inputs: dict[str, Input], words: Wording) -> int:
    """Write the yellow cells under their head; return the row after the last."""
    heads = (words.t("Numbers you can change"), words.t("Value"), words.t("Unit"), words.t("Evidence"))
    _heads(sheet, head, (*heads, words.t("Source")))
    for place, one in enumerate(inputs.values()):
        row = head + 1 + place
        sheet.text(row, LABEL, one.label, "wrapped")
        sheet.number(row, VALUE, one.value, one.number_format, "input")
        sheet.texts(row, UNIT, (one.unit, words.evidence(one.kind)))
        sheet.text(row, SOURCE, one.source, "wrapped_muted")
        sheet.book.define(one.name, sheet.ref(row, VALUE))
        _validate(sheet, row, one, words)
    if not inputs:
        sheet.text(head + 1, LABEL, words.t("Nothing can be changed here yet."))
    return head + 1 + max(1, len(inputs))


def _validate(sheet: Sheet, row: int, one: Input, words: Wording) -> None:
    least = words.number(one.least)
    message = words.t("Write a number of at least {least}.", least=least)
    rule: dict[str, object] = {"validate": "decimal", "criteria": ">=", "value": float(one.least)}
    if one.most is not None:
        message = words.t("Write a number from {least} to {most}.", least=least, most=words.number(one.most))
        rule = {
            "validate": "decimal",
            "criteria": "between",
            "minimum": float(one.least),
            "maximum": float(one.most),
        }
    rule |= {
        "ignore_blank": False,
        "error_title": words.t("Not a value for this cell"),
        "error_message": message,
    }
    sheet.raw.data_validation(row, VALUE, row, VALUE, rule)


def _name(estimate: Estimate, organisation_id: str) -> str:
    organisation = estimate.quote.organisation(organisation_id)
    return organisation_id if organisation is None else organisation.name or organisation.id


def _offer_name(quote: Quote, offer_id: str) -> str:
    offer = quote.offer(offer_id)
    return offer_id if offer is None else offer.name
