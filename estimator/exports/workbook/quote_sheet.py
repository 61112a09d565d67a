"""The first sheet: answer, the yellow cells, organisations side by side, and time by number of cards.

Answers are formulas over the other sheets. The comparisons are what the program calculated: they say so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from estimator.evidence import EvidenceKind
from estimator.exports.workbook.cells import HOURS, PLAIN, WHOLE, Sheet, money_format, text_in_formula
from estimator.exports.workbook.comparison_blocks import (
    LABEL,
    SOURCE,
    UNIT,
    VALUE,
    write_organisations,
)
from estimator.exports.workbook.cost_sheet import CostCells
from estimator.exports.workbook.customer_blocks import write_customer_words
from estimator.exports.workbook.frontier_sheet import StaircaseRange, write_staircase
from estimator.exports.workbook.inputs import Input, YellowCell, counts_held
from estimator.exports.workbook.lots_sheet import HeldCells
from estimator.exports.workbook.memory_sheet import MemoryCells
from estimator.exports.workbook.record_sheets import usable_basis
from estimator.exports.workbook.schedule_sheet import ScheduleCells
from estimator.plan.fixed import FixedPlan
from estimator.plan.replay import Replayed, was_shown_optimal
from estimator.price import currency_digits
from estimator.problems import Absent
from estimator.quote import Quote
from estimator.results.estimate import Estimate, OrganisationResult, Plan, QuoteStatus
from estimator.results.price import Price
from estimator.units import MS_PER_DAY, bytes_to_gib
from estimator.wording import Wording
from estimator.wording.phrases import key_text

_SIDE = 7
_LEGEND_ROW = 17
_WAS, _DECIDES = 11, 12
_MOST_NAMES = 6


@dataclass(frozen=True, slots=True)
class Cells:
    """Where the other sheets have the answer."""

    times: ScheduleCells | None
    memory: MemoryCells
    cost: CostCells | None
    staircase: StaircaseRange | None
    held: HeldCells | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """The plan that the workbook holds fixed, as replayed; `was`: what each input was when it was made."""

    fixed: FixedPlan
    replayed: Replayed
    was: dict[str, Decimal]


def write_quote(
    sheet: Sheet,
    estimate: Estimate,
    held: Held | None,
    cells: Cells,
    inputs: dict[str, Input],
    words: Wording,
    status: str,
) -> list[YellowCell]:
    """Write the first sheet; return its yellow cells. `held` is None where there is no schedule."""
    sheet.widths(2, 38, 13, 12, 12, 40, 2, 15, 17, 17)
    quote = estimate.quote
    sheet.text(0, LABEL, quote.name or words.t("Quote"), "title")
    style = "strong" if estimate.status is QuoteStatus.FIRM else "status"
    sheet.text(0, SOURCE, status, style)
    sheet.raw.set_row(0, 24)
    sheet.text(1, LABEL, _subtitle(quote, words), "note")
    answer = _Answer(sheet, estimate, held, cells, words)
    answer.write()
    standing = answer.row
    head = standing + (1 if held is None else 2)
    row = _write_inputs(sheet, head, inputs, words)
    if held is not None:
        _write_as_quoted(sheet, head, inputs, held, words)
        changed = _changed(sheet, head, inputs, cells.times)
        _write_standing(sheet, standing, held, cells.held, changed, words)
        row = _write_fixed_counts(sheet, row, held, words)
    row = write_organisations(sheet, row + 1, estimate, cells.times, words)
    row = write_customer_words(sheet, row + 1, estimate, words)
    _write_side(sheet, estimate, cells.staircase, words)
    not_whole = sheet.book.changed_texts
    if not_whole:
        text = words.n(
            "{count} text is not whole here: a cell holds 32,767 characters and no control characters.",
            "{count} texts are not whole here: a cell holds 32,767 characters and no control characters.",
            not_whole,
        )
        sheet.text(2, LABEL, text, "note")
    sheet.raw.freeze_panes(2, 0)
    sheet.raw.repeat_rows(0, 1)
    sheet.raw.fit_to_pages(1, 1 if row < 60 else 0)
    # What lies further right is what the inputs were: it would only make the print smaller.
    sheet.raw.print_area(0, 0, max(row, 2 * _LEGEND_ROW), _SIDE + 2)
    return [
        YellowCell(
            sheet=sheet.name,
            cell=sheet.here(head + 1 + place, VALUE),
            where=one.where,
            label=one.label,
            unit=one.unit,
            value=one.value,
            least=one.least,
            most=one.most,
            is_whole=one.is_whole,
        )
        for place, one in enumerate(inputs.values())
    ]


def _write_side(sheet: Sheet, estimate: Estimate, staircase: StaircaseRange | None, words: Wording) -> None:
    """Write the chart of time by number of cards, and what the colours and marks mean."""
    texts = []
    if staircase is not None:
        write_staircase(sheet, estimate, staircase, 2, _SIDE, words)
        if staircase.useless:
            cards = ", ".join(words.number(one) for one in staircase.useless)
            texts.append(words.t("It gets no shorter with: {cards}.", cards=cards))
    texts.append(
        words.t("Yellow cells can be changed; answers recalculate. No macros, no links to other files.")
    )
    texts.append(
        words.t("Prices marked SAMPLE are no seller's offers. The chart is as calculated by Cabida.")
    )
    for place, text in enumerate(texts):
        row = _LEGEND_ROW + 2 * place
        sheet.raw.merge_range(row, _SIDE, row + 1, _SIDE + 2, "", sheet.book.style("wrapped_note"))
        sheet.text(row, _SIDE, text, "wrapped_note")


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
    held: Held | None
    cells: Cells
    words: Wording
    row: int = 4

    @property
    def price(self) -> Price | None:
        """The price as replayed."""
        return None if self.held is None else self.held.replayed.price

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
        delivery_ms = shown.timing.delivery_ms if self.held is None else self.held.replayed.delivery_ms
        bound = words.t(
            "Lower bound on these cards: {bound}", bound=words.duration(shown.timing.lower_bound_ms)
        )
        value = Decimal(delivery_ms) / times.per_ms
        write = self._formula(times.delivery, value, _time_format(delivery_ms, times.per_ms), True)
        self._line(words.t("Delivery"), write, times.unit, shown.time_kind, bound, True)
        days = Decimal(delivery_ms) / MS_PER_DAY
        write = self._formula(f"{times.delivery}*{times.per_ms}/{MS_PER_DAY}", days, HOURS)
        source = words.t("The same in hours, minutes and seconds")
        self._line(words.t("Delivery, h:mm:ss"), write, "", shown.time_kind, source)
        limit = self.estimate.quote.workload.limit
        if limit is not None and limit.ms is not None:
            spare = Decimal(limit.ms - delivery_ms) / times.per_ms
            formula = f"{Decimal(limit.ms) / times.per_ms}-{times.delivery}"
            source = words.t("The limit less the delivery; below 0 it is late")
            write = self._formula(formula, spare, _time_format(limit.ms - delivery_ms, times.per_ms))
            self._line(words.t("Spare to the limit"), write, times.unit, shown.time_kind, source)

    def _money(self, plan: Plan, cost: CostCells) -> None:
        words, price = self.words, self.price or plan.price
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


def _time_format(ms: int, per_ms: int) -> str:
    """Return the format of a time that follows the yellow cells: whole now, it may not stay so."""
    return PLAIN if ms % per_ms == 0 else "#,##0.0"


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


def _write_as_quoted(sheet: Sheet, head: int, inputs: dict[str, Input], held: Held, words: Wording) -> None:
    """Write beside the print what each input was, and whether the choice of the plan rests on it."""
    sheet.texts(head, _WAS, (words.t("As quoted"), words.t("Decides the plan")), "head_right")
    sheet.raw.set_column(_WAS, _DECIDES, 14)
    for place, (key, one) in enumerate(inputs.items()):
        row = head + 1 + place
        sheet.number(row, _WAS, held.was[key], one.number_format, "muted_value")
        sheet.number(row, _DECIDES, 1 if one.decides else 0, WHOLE, "muted_value")


def _changed(sheet: Sheet, head: int, inputs: dict[str, Input], times: ScheduleCells | None) -> str:
    """Return the expression of how many inputs that decide the plan are not as quoted."""
    counts = []
    if inputs:
        first, last = head + 1, head + len(inputs)
        now, was, decides = (
            f"{sheet.here(first, column)}:{sheet.here(last, column)}" for column in (VALUE, _WAS, _DECIDES)
        )
        counts.append(f"SUMPRODUCT(({now}<>{was})*{decides})")
    if times is not None:
        counts += times.rows.changed()
    return "+".join(counts) or "0"


def _write_standing(
    sheet: Sheet, row: int, held: Held, lots: HeldCells | None, changed: str, words: Wording
) -> None:
    """Say whether the plan still stands: a term is outrun, it is no longer shown optimal, or as it was made."""
    outrun = words.t("The work outruns the term of a lot: it would cost more terms.")
    no_longer = words.t("No longer shown optimal: calculate again in Cabida.")
    made = words.t("Not shown optimal: a better one may exist.")
    if was_shown_optimal(held.fixed):
        made = words.t("Shown optimal on these cards.")
    replayed = held.replayed
    value = outrun if replayed.outrun else no_longer if replayed.changes_decision else made
    formula = f"IF({changed}>0,{text_in_formula(no_longer)},{text_in_formula(made)})"
    if lots is not None and lots.outrun:
        formula = f"IF({lots.outrun},{text_in_formula(outrun)},{formula})"
    sheet.text(row, LABEL, words.t("Plan"))
    sheet.texts(row, VALUE, ("", "", ""))
    sheet.formula(row, SOURCE, formula, value, PLAIN, "wrapped")


def _write_fixed_counts(sheet: Sheet, row: int, held: Held, words: Wording) -> int:
    """Say which counts of tasks cannot be changed here; return the row after it."""
    names = counts_held(held.fixed.quote, held.fixed)
    if not names:
        return row
    shown = ", ".join(names[:_MOST_NAMES]) + (" …" if len(names) > _MOST_NAMES else "")
    text = words.t("The number of tasks is the plan's and cannot be changed here: {stages}.", stages=shown)
    sheet.text(row, LABEL, text, "note")
    return row + 1


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
    if one.is_whole:
        rule["validate"] = "integer"
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
