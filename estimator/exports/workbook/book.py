"""The front door: an estimate in, a workbook on disk. Only the order of sheets and of steps is here."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from estimator.estimate import EstimateCancelled
from estimator.exports.workbook.cells import Book, fingerprint, in_footer
from estimator.exports.workbook.cost_sheet import write_cost
from estimator.exports.workbook.frontier_sheet import write_frontier
from estimator.exports.workbook.inputs import Input, YellowCell, inputs_of
from estimator.exports.workbook.lots_sheet import write_lots
from estimator.exports.workbook.memory_sheet import MemoryCells, write_memory
from estimator.exports.workbook.organisations_sheet import write_organisations_sheet
from estimator.exports.workbook.quote_sheet import Cells, Held, status_text, write_quote
from estimator.exports.workbook.reception_sheet import write_reception
from estimator.exports.workbook.record_sheets import write_assumptions, write_conditions
from estimator.exports.workbook.risk_sheet import write_risk
from estimator.exports.workbook.schedule_sheet import write_schedule
from estimator.exports.workbook.streamed import StreamedSheet, repacked
from estimator.exports.workbook.task_rows import TaskRows
from estimator.exports.workbook.task_sheets import add_task_sheets, write_task_sheets
from estimator.plan.fixed import MOST_TASK_ROWS, FixedPlan, fixed_plan
from estimator.plan.replay import Replayed, as_planned
from estimator.problems import Absent
from estimator.results.estimate import Estimate
from estimator.storage import write_with
from estimator.wording import Wording

Progress = Callable[[float], None]
Cancelled = Callable[[], bool]


def _no_progress(_: float) -> None:
    """Take progress and do nothing with it."""


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Made:
    """A workbook as bytes, and its yellow cells."""

    data: bytes
    yellow: tuple[YellowCell, ...]


def plan_held(estimate: Estimate) -> FixedPlan | None:
    """Return the shown plan as the workbook holds it fixed, None where there is no schedule."""
    shown = estimate.shown
    organisation = None if shown is None else estimate.quote.organisation(shown.organisation_id)
    if shown is None or organisation is None or isinstance(shown.timing, Absent):
        return None
    return fixed_plan(estimate.quote, organisation, estimate.shown_plan, shown.timing)


def write_workbook(
    estimate: Estimate,
    path: Path,
    words: Wording,
    today: dt.date,
    gantt_png: bytes | None = None,
    progress: Progress = _no_progress,
    cancelled: Cancelled = _never,
) -> None:
    """Write the estimate's workbook to `path`, whole or not at all; the same estimate gives the same bytes.

    `today` dates a quote without a date. `gantt_png` is the full picture of the schedule. Raises FileRefused
    naming the cause, EstimateCancelled. Times in the sheets are minutes, or hours from 48 h on.
    """

    def fill(temporary: Path) -> None:
        with temporary.open("wb") as file:
            _Making(estimate, words, today, gantt_png, progress, cancelled).write(file)

    write_with(path, fill)
    progress(1.0)


def workbook_bytes(
    estimate: Estimate, words: Wording, today: dt.date, gantt_png: bytes | None = None
) -> bytes:
    """Return the workbook as it would stand on disk."""
    stream = io.BytesIO()
    _Making(estimate, words, today, gantt_png).write(stream)
    return stream.getvalue()


def workbook_made(
    estimate: Estimate,
    words: Wording,
    today: dt.date,
    fixed: FixedPlan | None = None,
    replayed: Replayed | None = None,
) -> Made:
    """Return the workbook and where its yellow cells stand.

    `replayed`: the plan (`fixed`) on an edited quote: the same cells and formulas with the results of that edit.
    """
    stream = io.BytesIO()
    making = _Making(estimate, words, today, fixed=fixed, replayed=replayed)
    yellow = making.write(stream)
    if making.rows is not None:
        yellow += making.rows.yellow_cells()
    return Made(stream.getvalue(), tuple(yellow))


@dataclass(slots=True)
class _Making:
    """One workbook under way."""

    estimate: Estimate
    words: Wording
    today: dt.date
    gantt_png: bytes | None = None
    progress: Progress = _no_progress
    cancelled: Cancelled = _never
    fixed: FixedPlan | None = None
    replayed: Replayed | None = None
    rows: TaskRows | None = None

    def heard(self, fraction: float) -> None:
        """Say how far it is; stop where that is asked for."""
        if self.cancelled():
            raise EstimateCancelled
        self.progress(0.95 * fraction)

    def write(self, target: BinaryIO) -> list[YellowCell]:
        """Write the workbook to `target`; return the yellow cells of its first sheet."""
        estimate, words, quote = self.estimate, self.words, self.estimate.quote
        self.heard(0.0)
        fixed = self.fixed or plan_held(estimate)
        self.heard(0.0)
        stream = io.BytesIO()
        status = status_text(estimate, words)
        is_long = fixed is not None and len(fixed.rows) > MOST_TASK_ROWS
        title = quote.name or words.t("Quote")
        # A workbook of very many tasks is not taken back, and the text of its quote would be as large as itself.
        mark = "" if is_long else fingerprint(estimate)
        book = Book(stream, quote.date or self.today, title, mark)
        page = words.t("page {page} of {pages}", page="&P", pages="&N")
        footer = f"&L{in_footer(quote.number or quote.name)}&C{in_footer(status)}&R{page}"
        first = book.sheet(words.t("Quote"), footer)
        organisations = book.sheet(words.t("Organisations"), footer)
        cost_sheet = book.sheet(words.t("Cost"), footer)
        lots_sheet = book.sheet(words.t("Lots"), footer)
        schedule_sheet = book.sheet(words.t("Schedule"), footer)
        tasks = None
        if fixed is not None and is_long:
            tasks = add_task_sheets(book, len(fixed.rows), footer, words)
        memory_sheet = book.sheet(words.t("Memory"), footer)
        frontier = book.sheet(words.t("Frontier"), footer)
        risk = book.sheet(words.t("Risk"), footer)
        record = book.sheet(words.t("Assumptions"), footer)
        conditions = book.sheet(words.t("Conditions"), footer)
        reception = book.sheet(words.t("Reception"), footer)

        shown, plan = estimate.shown, estimate.shown_plan
        inputs: dict[str, Input] = {}
        held = times = lots = cost = None
        streamed: list[StreamedSheet] = []
        if fixed is not None:
            made = as_planned(fixed)
            was = {key: one.value for key, one in inputs_of(fixed, made, words).items()}
            held = Held(fixed, self.replayed or made, was)
            inputs = inputs_of(fixed, held.replayed, words)
            places = None if tasks is None else tasks.places
            times = write_schedule(
                schedule_sheet, fixed, held.replayed, inputs, words, self.gantt_png, self.heard, places
            )
            self.rows = times.rows
            self.heard(0.0 if tasks is not None else 1.0)
            if tasks is not None:
                streamed = write_task_sheets(tasks, times.rows, times.unit, words)
        else:
            timing = None if shown is None else shown.timing
            reason = words.t("There is no schedule yet.")
            if isinstance(timing, Absent):
                reason = words.absent(timing)
            schedule_sheet.text(0, 1, reason, "title")
        if plan is not None and held is not None and times is not None:
            lots = write_lots(lots_sheet, plan, held.fixed, held.replayed, times, inputs, words)
            cost = write_cost(cost_sheet, plan, held.replayed, lots, inputs, words)
        else:
            for sheet in (lots_sheet, cost_sheet):
                sheet.text(0, 1, words.t("No plan has a price yet."), "title")
        memory = MemoryCells(None, None)
        if shown is not None:
            memory = write_memory(memory_sheet, quote, shown, plan, words)
        write_risk(risk, estimate, times, words)
        write_assumptions(record, quote, words)
        write_conditions(conditions, estimate, words)
        write_reception(reception, estimate, words)
        write_organisations_sheet(organisations, estimate, times, words)
        staircase = write_frontier(frontier, estimate, times, words)
        cells = Cells(times, memory, cost, staircase, lots)
        yellow = write_quote(first, estimate, held, cells, inputs, words, status)
        book.close()
        if times is None or not streamed:
            target.write(stream.getvalue())
        else:
            repacked(stream, target, streamed, times.rows.streamed, self.heard)
        return yellow
