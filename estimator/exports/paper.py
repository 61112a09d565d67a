"""What the printed quote says, in order: its head, the answer, and sections of tables and sentences, all as text.

The PDF and the Markdown file are made of this, so that they agree to the letter with the screen. How it looks on a
page is not its business, and it makes no pictures: it says where the Gantt stands.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from estimator.evidence import span_of
from estimator.exports.workbook.cells import decimals_of
from estimator.exports.workbook.record_sheets import Assumption, assumptions_of, names_of
from estimator.problems import Absent
from estimator.quote import ConditionState, Quote
from estimator.results.estimate import Estimate, Plan, QuoteStatus, Timing
from estimator.results.price import PriceLine
from estimator.units import bytes_to_gib
from estimator.wording import Wording
from estimator.wording.answers import Answer, answer_titles, answers
from estimator.wording.phrases import (
    amount_text,
    condition_text,
    due_note,
    hours_text,
    line_name,
    line_quantity,
    memory_line_name,
    moment_name,
    organisation_name,
    plan_name,
    project_cells,
    project_heads,
    sample_word,
    usable_text,
)
from estimator.wording.reception import trial_organisations, trial_rows
from estimator.wording.sources import source_text
from estimator.wording.vocabulary import request_lines, vocabulary

MOST_PLANS = 12
MOST_ASSUMPTIONS = 40
MOST_CONDITIONS = 40
MOST_PHASES = 24
"""Rows of a section on paper; what is left out is counted, and stands in the workbook."""


ADDED_LINES = ("context", "workspace", "communication", "margin")


@dataclass(frozen=True, slots=True)
class Cells:
    """A table. `right`: columns of figures. `strong`: rows in bold. `shares`: widths of the columns, per cent."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    strong: frozenset[int] = frozenset()
    shares: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Gantt:
    """Where the Gantt of the shown organisation stands; `otherwise` is shown where there are no pictures."""

    otherwise: Cells


Block = str | Cells | Gantt


@dataclass(frozen=True, slots=True)
class Section:
    """A numbered part with its title."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Paper:
    """The printed quote. `facts`: label and text of customer, accepted result, limit. `standing` is the status in a
    few words; `watermark` is empty once the quote is firm. `signatures`: what stands under the lines to sign."""

    title: str
    subtitle: str
    meta: tuple[str, ...]
    standing: str
    facts: tuple[tuple[str, str], ...]
    answers: tuple[tuple[str, Answer], ...]
    sections: tuple[Section, ...]
    notes: str
    closing: str
    signatures: tuple[str, str]
    footer: str
    watermark: str


def paper_of(estimate: Estimate, words: Wording) -> Paper:
    """Return the printed quote of an estimate, in the language and number format of `words`."""
    quote = estimate.quote
    status = words.word(estimate.status).upper()
    waiting = len(estimate.open_conditions)
    standing = status
    if waiting and estimate.status is QuoteStatus.PROVISIONAL:
        standing = words.n(
            "{status}: {count} open condition", "{status}: {count} open conditions", waiting, status=status
        )
    number = _number(quote, words)
    if quote.date is None:
        validity = words.n("No date, valid {count} day", "No date, valid {count} days", quote.valid_days)
    else:
        until = quote.date + dt.timedelta(days=quote.valid_days)
        validity = words.t(
            "{date}, valid until {until}", date=words.date(quote.date), until=words.date(until)
        )
    made = _Sections(estimate, words)
    titles = [title for title, _ in answer_titles(words, estimate)]
    said = (_marked(one, words) for one in answers(words, estimate))
    cells = zip(titles, said, strict=True)
    plan = estimate.shown_plan
    footer = [number, standing]
    if any(one.is_sample for one in estimate.plans):
        footer.append(words.t("prices marked SAMPLE are no offers"))
    issuer = ", ".join(part for part in (quote.issuer.name, quote.issuer.contact) if part)
    return Paper(
        title=words.t("GPU capacity quote"),
        subtitle=quote.name,
        meta=tuple(part for part in (number, validity, issuer) if part),
        standing=standing,
        facts=tuple(_facts(estimate, words)),
        answers=tuple(list(cells)[:4]),
        sections=tuple(made.all(plan)),
        notes=quote.notes,
        closing=words.t(
            "This quote imposes no technology and promises no topology. Schedule, cost and decision are "
            "provisional while decisive conditions are open."
        )
        if estimate.status is not QuoteStatus.FIRM
        else words.t("This quote imposes no technology and promises no topology."),
        signatures=(
            words.t("For the customer, date and signature"),
            words.t("For the issuer, date and signature"),
        ),
        footer=" · ".join(footer),
        watermark="" if estimate.status is QuoteStatus.FIRM else status,
    )


def _marked(answer: Answer, words: Wording) -> Answer:
    """Return the answer with the tag of sample prices behind its figure, where it rests on such."""
    return replace(answer, unit=f"{answer.unit} {sample_word(words)}".strip()) if answer.is_sample else answer


def _number(quote: Quote, words: Wording) -> str:
    if not quote.number:
        return words.t("Quote without a number")
    number = quote.number if quote.revision == 0 else f"{quote.number}.{quote.revision}"
    return words.t("Quote {number}", number=number)


def _facts(estimate: Estimate, words: Wording) -> Iterator[tuple[str, str]]:
    quote = estimate.quote
    customer = ", ".join(part for part in (quote.customer.name, quote.customer.contact) if part)
    yield words.t("Customer"), customer or words.unknown
    yield words.t("Accepted result"), quote.workload.accepted_result or words.unknown
    limit = quote.workload.limit
    if limit is not None and limit.ms is not None:
        yield words.t("Time asked for"), words.t("{limit} from start", limit=words.duration(limit.ms))
    wait = quote.workload.queue_wait
    waiting = words.t("Not included") if wait is None or wait.ms is None else words.duration(wait.ms)
    yield words.t("Waiting before the start"), waiting


@dataclass(frozen=True, slots=True)
class _Sections:
    estimate: Estimate
    words: Wording

    def all(self, plan: Plan | None) -> Iterator[Section]:
        """Yield the sections that have something to say, numbered."""
        t = self.words.t
        parts = (
            (t("What is done and how it is organised"), self._organisation()),
            (t("Schedule"), self._schedule()),
            (t("Cost"), self._cost(plan)),
            (t("Alternatives compared"), self._plans()),
            (t("Memory of each card, GiB"), self._memory(plan)),
            (t("Where each number comes from"), self._assumptions()),
            (t("Conditions for it to be firm"), self._conditions()),
            (t("When splitting does not pay"), self._counter_examples()),
            (t("Reception: filled in when it is measured"), self._reception()),
        )
        number = 0
        for title, blocks in parts:
            filled = tuple(blocks)
            if filled:
                number += 1
                yield Section(f"{number}. {title}", filled)

    def _organisation(self) -> Iterator[Block]:
        words, quote = self.words, self.estimate.quote
        heads = (words.t("Purchasing says"), words.t("The application says"), words.t("In this quote"))
        rows = tuple(
            (row.purchasing, row.application, row.here) for row in vocabulary(words, quote, self.estimate)
        )
        if rows:
            yield Cells(heads, rows, shares=(28, 30, 42))
        if quote.workload.assembly_rule:
            yield words.t("Assembly rule: {rule}", rule=quote.workload.assembly_rule)
        lines = request_lines(words, quote, self.estimate)
        if lines:
            asked = "; ".join(f"{line.name.lower()}: {line.value}" for line in lines)
            yield words.t("Capacity to ask a seller for: {asked}.", asked=asked)

    def _schedule(self) -> Iterator[Block]:
        words, shown = self.words, self.estimate.shown
        if shown is None or isinstance(shown.timing, Absent):
            if shown is not None and isinstance(shown.timing, Absent):
                yield words.absent(shown.timing)
            return
        timing = shown.timing
        rows = []
        for one in timing.stages:
            stage = self.estimate.quote.workload.stage(one.stage_id)
            name = one.stage_id if stage is None else stage.name
            tasks = words.unknown if stage is None else words.number(stage.tasks.total)
            rows.append(
                (name, tasks, *(words.duration(ms) for ms in (one.start_ms, one.end_ms, one.elapsed_ms)))
            )
        heads = (words.t("Stage"), words.t("Tasks"), words.t("Start"), words.t("End"), words.t("Elapsed"))
        yield Gantt(Cells(heads, tuple(rows), right=frozenset({1, 2, 3, 4}), shares=(40, 15, 15, 15, 15)))
        yield self._bound(timing)
        projects = self.estimate.projects
        if projects:
            late = frozenset(place for place, one in enumerate(projects) if one.late_ms)
            cells = tuple(project_cells(words, one) for one in projects)
            yield Cells(project_heads(words), cells, frozenset(range(1, 6)), late, (30, 14, 14, 14, 14, 14))
        if note := due_note(words, self.estimate.quote):
            yield note

    def _bound(self, timing: Timing) -> str:
        words = self.words
        bound = words.duration(timing.lower_bound_ms)
        cards = words.n("{count} card", "{count} cards", timing.cards)
        if timing.schedule.is_optimal:
            return words.t(
                "Lower bound {bound}: no plan of these tasks on {cards} is shorter.", bound=bound, cards=cards
            )
        return words.t(
            "Lower bound {bound}: a plan of these tasks on {cards} may be shorter, down to it.",
            bound=bound,
            cards=cards,
        )

    def _cost(self, plan: Plan | None) -> Iterator[Block]:
        words = self.words
        if plan is None:
            shown = self.estimate.shown
            first = None if shown is None or not shown.plans else shown.plans[0].price.net
            yield words.absent(first) if isinstance(first, Absent) else words.sentence("no_price")
            return
        price = plan.price
        rows = [self._line(line, price.currency) for line in price.lines]
        strong = [len(rows)]
        rows.append((words.t("Net"), "", "", amount_text(words, price.net, price.currency)))
        if isinstance(price.tax, Absent):
            rows.append((words.t("Tax"), "", "", words.t("Not included")))
        else:
            for part in price.tax_by_rate:
                percent = words.t("not included") if part.percent is None else words.percent(part.percent)
                amount = (
                    words.t("Not included")
                    if part.tax is None
                    else amount_text(words, part.tax, price.currency)
                )
                rows.append((words.t("Tax {percent}, rounded per document", percent=percent), "", "", amount))
        strong.append(len(rows))
        rows.append((words.t("Total"), "", "", amount_text(words, price.gross, price.currency)))
        heads = (
            words.t("Line"),
            words.t("Quantity"),
            words.t("Price"),
            words.t("Amount, {currency}", currency=price.currency),
        )
        yield Cells(heads, tuple(rows), frozenset({1, 2, 3}), frozenset(strong), (46, 20, 16, 18))
        yield words.t("Rounded half up once at each line, then at each tax amount per rate and document.")

    def _line(self, line: PriceLine, currency: str) -> tuple[str, str, str, str]:
        words = self.words
        unit_price = dict(line.values).get("unit_price")
        percent = dict(line.values).get("percent")
        price = ""
        if isinstance(unit_price, Decimal):
            price = words.money(unit_price, line.original_currency or currency)
            price = words.t("{price}/h", price=price) if line.kind == "hourly" else price
        elif isinstance(percent, Decimal):
            price = words.percent(percent)
        quantity = line_quantity(words, line) if not isinstance(percent, Decimal) else ""
        return (line_name(words, line), quantity, price, amount_text(words, line.amount, currency))

    def _plans(self) -> Iterator[Block]:
        words, quote = self.words, self.estimate.quote
        others = [plan for plan in self.estimate.plans if plan.id != self.estimate.shown_plan_id]
        others.sort(key=lambda plan: (not plan.is_admitted, _net(plan) is None, _net(plan) or Decimal(0)))
        if not others:
            return
        currency = quote.pricing.currency
        rows = []
        for plan in others[:MOST_PLANS]:
            rows.append(
                (
                    plan_name(words, quote, plan),
                    words.duration(plan.timing.delivery_ms),
                    amount_text(words, plan.price.net, currency),
                    hours_text(words, plan.unused_card_ms),
                    self._reading(plan),
                )
            )
        heads = (
            words.t("Plan"),
            words.t("Delivery"),
            words.t("Net, {currency}", currency=currency),
            words.t("Unused, h"),
            words.t("Reading"),
        )
        yield Cells(heads, tuple(rows), frozenset({1, 2, 3}), shares=(34, 13, 13, 13, 27))
        yield from self._left_out(len(others) - MOST_PLANS)

    def _reading(self, plan: Plan) -> str:
        words, limit = self.words, self.estimate.quote.workload.limit
        if isinstance(plan.price.net, Absent):
            return words.absent(plan.price.net)
        if plan.verdict.fits == "no":
            return words.t("does not fit")
        if plan.meets_limit is False and limit is not None and limit.ms is not None:
            return words.t("{late} late", late=words.duration(plan.timing.delivery_ms - limit.ms))
        if plan.within_budget is False:
            return words.t("above the budget")
        if plan.within_quota is False:
            return words.t("above the card quota")
        return words.t("within the limits")

    def _memory(self, plan: Plan | None) -> Iterator[Block]:
        words, quote, shown = self.words, self.estimate.quote, self.estimate.shown
        if shown is None:
            return
        phases = [phase for stage in shown.memory for phase in stage.phases]
        if not phases or any(stage.missing for stage in shown.memory):
            yield words.t("The memory of a task is not stated yet.")
            return
        verdict = plan.verdict if plan is not None else next(iter(shown.verdicts), None)
        usable = None if verdict is None else verdict.usable_bytes
        fullest = sorted(phases, key=lambda phase: -len(phase.lines))
        found = dict.fromkeys(line.name for phase in fullest for line in phase.lines)
        names = sorted(found, key=lambda name: name in ADDED_LINES)
        worst = max(phases, key=lambda phase: phase.peak_bytes)
        rows: list[tuple[str, ...]] = []
        strong: list[int] = []
        for phase in sorted(phases, key=lambda one: -one.peak_bytes)[:MOST_PHASES]:
            if phase is worst:
                strong.append(len(rows))
            sizes: dict[str, int] = {}
            for line in phase.lines:
                sizes[line.name] = sizes.get(line.name, 0) + line.size_bytes
            stage = quote.workload.stage(phase.stage_id)
            name = moment_name(words, phase.phase)
            if len(shown.memory) > 1:
                name = f"{phase.stage_id if stage is None else stage.name}: {name}"
            parts = [_gib(words, sizes[one]) if one in sizes else words.unknown for one in names]
            ends = [_gib(words, phase.peak_bytes)]
            if usable is not None:
                ends += [_gib(words, usable), _gib(words, usable - phase.peak_bytes)]
            rows.append((name, *parts, *ends))
        heads = [words.t("Phase"), *(memory_line_name(words, one) for one in names), words.t("Peak")]
        if usable is not None:
            heads += [words.t("Usable"), words.t("Spare")]
        yield Cells(tuple(heads), tuple(rows), frozenset(range(1, len(heads))), frozenset(strong))
        yield from self._left_out(len(phases) - MOST_PHASES)
        text = words.t("A card's own memory decides, never a sum over cards.")
        card = None if verdict is None else quote.task_card(shown.organisation_id, verdict.card_id)
        if card is not None:
            text += " " + words.t(
                "Usable on each {card}: {usable}.", card=card.name, usable=usable_text(words, card)
            )
        yield text

    def _assumptions(self) -> Iterator[Block]:
        words, quote = self.words, self.estimate.quote
        plan = self.estimate.shown_plan
        held = None if plan is None else {one.offer_id for one in plan.holdings}
        models = None if plan is None else set(plan.decision.card_ids)
        shown = {self.estimate.shown_organisation_id}
        found = [
            one
            for one in assumptions_of(quote, words)
            if _enters(one, "offers", held)
            and _enters(one, "cards", models)
            and _enters(one, "organisations", shown)
        ]
        names = names_of(quote, words)
        sources: dict[str, int] = {}
        rows = tuple(self._assumption(one, names, sources) for one in found[:MOST_ASSUMPTIONS])
        heads = (
            words.t("Number"),
            words.t("Value"),
            words.t("Range"),
            words.t("Evidence"),
            words.t("Source"),
        )
        if rows:
            yield Cells(heads, rows, frozenset({1, 2}), shares=(46, 18, 16, 12, 8))
            yield from self._left_out(len(found) - MOST_ASSUMPTIONS)
        if sources:
            listed = (f"{words.number(number)}: {source}" for source, number in sources.items())
            yield words.t("Sources. {sources}.", sources="; ".join(listed))

    def _assumption(self, one: Assumption, names: dict[str, str], sources: dict[str, int]) -> tuple[str, ...]:
        """Return the row of a number; its source is numbered, since many share one."""
        words = self.words
        value, span = words.unknown, ""
        if one.value is not None:
            exact = round(one.value, 2 if one.unit == "GiB" else 6)
            value = f"{words.number(exact, decimals_of(exact, one.digits))} {one.unit}".strip()
            low, high = span_of(one.value, one.evidence)
            span = "" if low == high else words.span(round(low, 4), round(high, 4))
        parts = [one.mark, source_text(words, one.evidence.source)]
        parts.append("" if one.evidence.date is None else words.date(one.evidence.date))
        source = ", ".join(part for part in parts if part).rstrip(".")
        number = words.number(sources.setdefault(source, len(sources) + 1)) if source else ""
        where = one.where[1:] if one.where[0] == "workload" else one.where
        return (words.place(where, names), value, span, words.evidence(one.kind), number)

    def _conditions(self) -> Iterator[Block]:
        words = self.words
        found = sorted(
            self.estimate.conditions, key=lambda one: (one.state is not ConditionState.OPEN, not one.decisive)
        )
        marks = {ConditionState.OPEN: "☐", ConditionState.MET: "☑", ConditionState.FAILED: "☒"}
        rows: list[tuple[str, ...]] = []
        strong: list[int] = []
        for one in found[:MOST_CONDITIONS]:
            if one.decisive:
                strong.append(len(rows))
            claim = condition_text(words, one, self.estimate.quote)
            decisive = words.t("decisive") if one.decisive else ""
            rows.append((marks[one.state], claim, words.word(one.state), decisive))
        if not rows:
            yield words.t("Nothing is left to verify.")
            return
        heads = ("", words.t("What has to hold"), words.t("State"), words.t("Decisive"))
        yield Cells(heads, tuple(rows), strong=frozenset(strong), shares=(4, 70, 13, 13))
        yield from self._left_out(len(found) - MOST_CONDITIONS)

    def _counter_examples(self) -> Iterator[Block]:
        words = self.words
        for case in self.estimate.counter_examples:
            yield words.t(
                "{case} Delivery: {delivery}.",
                case=words.counter_example(case.code, dict(case.values)),
                delivery=words.duration(case.delivery_ms),
            )

    def _reception(self) -> Iterator[Block]:
        words, quote = self.words, self.estimate.quote
        ids = trial_organisations(quote, self.estimate)
        rows = trial_rows(words, quote, self.estimate)
        if not ids:
            return
        heads = [""]
        for organisation_id in ids:
            organisation = quote.organisation(organisation_id)
            name = organisation_id if organisation is None else organisation_name(organisation)
            heads += [
                words.t("{organisation}, estimated", organisation=name),
                words.t("{organisation}, observed", organisation=name),
            ]
        cells = tuple(
            (row.name, *(text for cell in row.cells for text in (cell.estimated, cell.observed)))
            for row in rows
        )
        yield Cells(tuple(heads), cells, frozenset(range(1, len(heads))))

    def _left_out(self, count: int) -> Iterator[Block]:
        if count > 0:
            words = self.words
            yield words.n(
                "{count} more stands in the workbook.", "{count} more stand in the workbook.", count
            )


def _enters(one: Assumption, kind: str, ids: set[str] | None) -> bool:
    """Whether a number of an offer or card enters the plan shown; every number does where none is shown."""
    return ids is None or one.where[0] != kind or one.where[1] in ids


def _net(plan: Plan) -> Decimal | None:
    return None if isinstance(plan.price.net, Absent) else plan.price.net


def _gib(words: Wording, count_bytes: int) -> str:
    return words.number(bytes_to_gib(count_bytes), 1)
