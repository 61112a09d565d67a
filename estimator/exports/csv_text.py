"""Plain tables for other programs: tasks, stages, plans, price lines, memory, assumptions and conditions as CSV.

Numbers are bare, in stated units; text that a spreadsheet would take for a formula gets an apostrophe, which the
import takes off again. Which mark separates columns and decimals, and whether a byte-order mark leads, is a choice.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from estimator.estimate import EstimateCancelled
from estimator.exports.guard import guarded
from estimator.exports.workbook.record_sheets import assumptions_of, names_of
from estimator.plan.starting import rental_start
from estimator.problems import Absent
from estimator.quote import StageKind
from estimator.results.estimate import Estimate, Timing
from estimator.units import MS_PER_HOUR, MS_PER_MINUTE, bytes_to_gib
from estimator.wording import Wording
from estimator.wording.phrases import (
    condition_text,
    line_name,
    memory_line_name,
    moment_name,
    plan_name,
    total_head,
)
from estimator.wording.sources import source_text

Value = str | int | Decimal | None
Row = tuple[Value, ...]
ROWS_A_CHUNK = 2_000


class CsvTable(StrEnum):
    """Which table is written."""

    TASKS = "tasks"
    STAGES = "stages"
    PROJECTS = "projects"
    PLANS = "plans"
    COST = "cost"
    MEMORY = "memory"
    ASSUMPTIONS = "assumptions"
    CONDITIONS = "conditions"


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """How a file is written. `separator`: comma, semicolon or tab; `decimal_mark`: point or comma."""

    separator: str = ","
    decimal_mark: str = "."
    leading_mark: bool = True


def csv_bytes(
    estimate: Estimate,
    table: CsvTable,
    words: Wording,
    csv_format: CsvFormat,
    progress: Callable[[float], None] = lambda part: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> bytes:
    """Return a table as UTF-8 text, lines ended by CR LF as RFC 4180 says. Raises EstimateCancelled."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=csv_format.separator, lineterminator="\r\n")
    total = max(1, row_count(estimate, table))
    for number, row in enumerate(rows_of(estimate, table, words)):
        if number % ROWS_A_CHUNK == 0:
            if cancelled():
                raise EstimateCancelled
            progress(min(1.0, number / total))
        writer.writerow([_cell(value, csv_format.decimal_mark) for value in row])
    return stream.getvalue().encode("utf-8-sig" if csv_format.leading_mark else "utf-8")


def row_count(estimate: Estimate, table: CsvTable) -> int:
    """Return about how many rows a table has, for progress."""
    timing = None if estimate.shown is None else estimate.shown.timing
    if table is CsvTable.TASKS and isinstance(timing, Timing):
        return int(timing.schedule.run_count.sum())
    return 0


def rows_of(estimate: Estimate, table: CsvTable, words: Wording) -> Iterator[Row]:
    """Yield a table's heads, then its rows, in the words of the document."""
    makers: dict[CsvTable, Callable[[Estimate, Wording], Iterator[Row]]] = {
        CsvTable.TASKS: _tasks,
        CsvTable.STAGES: _stages,
        CsvTable.PROJECTS: _projects,
        CsvTable.PLANS: _plans,
        CsvTable.COST: _cost,
        CsvTable.MEMORY: _memory,
        CsvTable.ASSUMPTIONS: _assumptions,
        CsvTable.CONDITIONS: _conditions,
    }
    return makers[table](estimate, words)


def _cell(value: Value, mark: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return guarded(value)
    plain = f"{value:f}" if isinstance(value, Decimal) else str(value)
    return plain.replace(".", mark) if mark != "." else plain


def _minutes(ms: int) -> Decimal:
    return _short(Decimal(ms) / MS_PER_MINUTE)


def _short(value: Decimal) -> Decimal:
    short = round(value, 6).normalize()
    return short.quantize(Decimal(1)) if short == short.to_integral_value() else short


def _tasks(estimate: Estimate, words: Wording) -> Iterator[Row]:
    heads = (words.t("Stage"), words.t("Task"), words.t("Name"), words.t("Cards"))
    yield (*heads, words.t("Start, min"), words.t("End, min"), words.t("Start"), words.t("End"))
    shown = estimate.shown
    if shown is None or not isinstance(shown.timing, Timing):
        return
    timing, schedule = shown.timing, shown.timing.schedule
    begins = rental_start(estimate.quote)
    stages = {stage.id: stage for stage in estimate.quote.workload.stages}
    first_group: dict[str, int] = {}
    before: list[int] = []
    done: dict[str, int] = {}
    for group, stage_id in enumerate(timing.group_stage):
        first_group.setdefault(stage_id, group)
        before.append(done.get(stage_id, 0))
        counts = stages[stage_id].tasks.count
        done[stage_id] = before[-1] + counts[group - first_group[stage_id]]
    cards_of: dict[int, list[int]] = {}
    for task, card in zip(schedule.run_task.tolist(), schedule.run_card.tolist(), strict=True):
        if card >= 0:
            cards_of.setdefault(task, []).append(card + 1)
    for row in range(len(schedule.run_group)):
        if not schedule.run_lead[row]:
            continue
        group, task = int(schedule.run_group[row]), int(schedule.run_task[row])
        stage = stages[timing.group_stage[group]]
        if stage.kind is StageKind.GATE:
            continue
        place = group - first_group[stage.id]
        own = stage.tasks.names[place] if place < len(stage.tasks.names) else ""
        cards = " ".join(str(card) for card in sorted(cards_of.get(task, ())))
        first, start = int(schedule.run_first[row]), int(schedule.run_start_ms[row])
        step, length = int(schedule.run_step_ms[row]), int(schedule.run_duration_ms[row])
        for at in range(int(schedule.run_count[row])):
            since = start + at * step
            moments = ["" if begins is None else _moment(begins, ms) for ms in (since, since + length)]
            number = before[group] + first + at + 1
            yield (stage.name, number, own, cards, _minutes(since), _minutes(since + length), *moments)


def _moment(begins: dt.datetime, ms: int) -> str:
    """In the zone of the start; elapsed time is real time, also over a clock change."""
    return (begins.astimezone(dt.UTC) + dt.timedelta(milliseconds=ms)).astimezone(begins.tzinfo).isoformat()


def _stages(estimate: Estimate, words: Wording) -> Iterator[Row]:
    heads = (words.t("Stage"), words.t("Tasks"), words.t("Start, min"), words.t("End, min"))
    yield heads
    shown = estimate.shown
    if shown is None or not isinstance(shown.timing, Timing):
        return
    for one in shown.timing.stages:
        stage = estimate.quote.workload.stage(one.stage_id)
        name, total = (one.stage_id, None) if stage is None else (stage.name, stage.tasks.total)
        yield (name, total, _minutes(one.start_ms), _minutes(one.end_ms))


def _projects(estimate: Estimate, words: Wording) -> Iterator[Row]:
    yield (
        words.t("Project"),
        words.t("Priority"),
        words.t("Together, min"),
        words.t("Alone, min"),
        words.t("Loses, min"),
        words.t("Due, min"),
        words.t("Late, min"),
    )
    for one in estimate.projects:
        times = (one.delivery_ms, one.alone_ms, one.loses_ms, one.due_ms, one.late_ms)
        yield (one.name, one.priority, *(None if ms is None else _minutes(ms) for ms in times))


def _plans(estimate: Estimate, words: Wording) -> Iterator[Row]:
    currency = estimate.quote.pricing.currency
    yield (
        words.t("Plan"),
        words.t("Cards"),
        words.t("Delivery, min"),
        words.t("Net, {currency}", currency=currency),
        total_head(words, estimate.quote.pricing, currency),
        words.t("Unused, h"),
        words.t("SAMPLE"),
        words.t("Why not known"),
    )
    for plan in estimate.plans:
        price = plan.price
        why = words.absent(price.net) if isinstance(price.net, Absent) else ""
        yield (
            plan_name(words, estimate.quote, plan),
            plan.timing.cards,
            _minutes(plan.timing.delivery_ms),
            None if isinstance(price.net, Absent) else price.net,
            None if isinstance(price.gross, Absent) else price.gross,
            _short(Decimal(plan.unused_card_ms) / MS_PER_HOUR),
            words.t("SAMPLE") if plan.is_sample else "",
            why,
        )


def _cost(estimate: Estimate, words: Wording) -> Iterator[Row]:
    currency = estimate.quote.pricing.currency
    heads = (words.t("Line"), words.t("Quantity"), words.t("Unit price"), words.t("Currency"))
    yield (*heads, words.t("Amount, {currency}", currency=currency), words.t("Tax, %"), words.t("Reading"))
    plan = estimate.shown_plan
    if plan is None:
        return
    for line in plan.price.lines:
        values = dict(line.values)
        quantity, unit_price = values.get("quantity"), values.get("unit_price")
        reading = ""
        if line.amount is None:
            reading = words.t("Not included")
        elif isinstance(line.amount, Absent):
            reading = words.absent(line.amount)
        yield (
            line_name(words, line),
            _short(quantity) if isinstance(quantity, Decimal) else None,
            unit_price if isinstance(unit_price, Decimal) else None,
            line.original_currency or currency,
            line.amount if isinstance(line.amount, Decimal) else None,
            line.tax_percent,
            reading,
        )


def _memory(estimate: Estimate, words: Wording) -> Iterator[Row]:
    shown = estimate.shown
    phases = [] if shown is None else [phase for stage in shown.memory for phase in stage.phases]
    names = list(dict.fromkeys(line.name for phase in phases for line in phase.lines))
    labels = (words.t("{line}, GiB", line=memory_line_name(words, name)) for name in names)
    yield (words.t("Stage"), words.t("Phase"), *labels, words.t("Peak, GiB"))
    for phase in phases:
        stage = estimate.quote.workload.stage(phase.stage_id)
        sizes: dict[str, int] = {}
        for line in phase.lines:
            sizes[line.name] = sizes.get(line.name, 0) + line.size_bytes
        parts = (_short(bytes_to_gib(sizes[name])) if name in sizes else None for name in names)
        stage_name = phase.stage_id if stage is None else stage.name
        peak = _short(bytes_to_gib(phase.peak_bytes))
        yield (stage_name, moment_name(words, phase.phase), *parts, peak)


def _assumptions(estimate: Estimate, words: Wording) -> Iterator[Row]:
    quote = estimate.quote
    names = names_of(quote, words)
    heads = (words.t("Number"), words.t("Value"), words.t("Unit"), words.t("Evidence"))
    yield (*heads, words.t("Source"), words.t("Date"), words.t("Mark"))
    for one in assumptions_of(quote, words):
        day = "" if one.evidence.date is None else one.evidence.date.isoformat()
        value = None if one.value is None else _short(one.value)
        kind = words.evidence(one.kind)
        source = source_text(words, one.evidence.source)
        yield (words.place(one.where, names), value, one.unit, kind, source, day, one.mark)


def _conditions(estimate: Estimate, words: Wording) -> Iterator[Row]:
    yield (words.t("What has to hold"), words.t("State"), words.t("Decisive"), words.t("Evidence"))
    for one in estimate.conditions:
        decisive = words.t("decisive") if one.decisive else ""
        claim = condition_text(words, one, estimate.quote)
        yield (claim, words.word(one.state), decisive, words.evidence(one.kind))
