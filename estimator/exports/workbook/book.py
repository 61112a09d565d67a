"""The front door: an estimate in, a workbook on disk. Only the order of sheets and of steps is here."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Callable
from pathlib import Path

from estimator.estimate import EstimateCancelled
from estimator.exports.workbook.cells import MOST_ROWS, Book, in_footer
from estimator.exports.workbook.cost_sheet import write_cost
from estimator.exports.workbook.inputs import inputs_of
from estimator.exports.workbook.lots_sheet import write_lots
from estimator.exports.workbook.memory_sheet import MemoryCells, write_memory
from estimator.exports.workbook.quote_sheet import Cells, status_text, write_quote
from estimator.exports.workbook.record_sheets import write_assumptions, write_conditions
from estimator.exports.workbook.replay import replay_of
from estimator.exports.workbook.schedule_sheet import write_schedule
from estimator.problems import Absent, FileRefused
from estimator.results.estimate import Estimate, Timing
from estimator.storage import write_atomically
from estimator.wording import Wording

Progress = Callable[[float], None]
Cancelled = Callable[[], bool]


def _no_progress(_: float) -> None:
    """Take progress and do nothing with it."""


def _never() -> bool:
    return False


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
    data = workbook_bytes(estimate, words, today, gantt_png, progress, cancelled)
    write_atomically(path, data)
    progress(1.0)


def workbook_bytes(
    estimate: Estimate,
    words: Wording,
    today: dt.date,
    gantt_png: bytes | None = None,
    progress: Progress = _no_progress,
    cancelled: Cancelled = _never,
) -> bytes:
    """Return the workbook as it would stand on disk. Raises EstimateCancelled, FileRefused for too many rows."""
    quote = estimate.quote
    stream = io.BytesIO()
    status = status_text(estimate, words)
    book = Book(stream, quote.date or today, quote.name or words.t("Quote"))
    page = words.t("page {page} of {pages}", page="&P", pages="&N")
    footer = f"&L{in_footer(quote.number or quote.name)}&C{in_footer(status)}&R{page}"
    titles = (words.t("Quote"), words.t("Cost"), words.t("Lots"), words.t("Schedule"), words.t("Memory"))
    first, cost_sheet, lots_sheet, schedule_sheet, memory_sheet = (book.sheet(one, footer) for one in titles)
    record = book.sheet(words.t("Assumptions"), footer)
    conditions = book.sheet(words.t("Conditions"), footer)

    shown, plan = estimate.shown, estimate.shown_plan
    organisation = None if shown is None else quote.organisation(shown.organisation_id)
    timing = None if shown is None else shown.timing

    def heard(fraction: float) -> None:
        if cancelled():
            raise EstimateCancelled
        progress(0.9 * fraction)

    heard(0.0)
    replay = None
    if organisation is not None and isinstance(timing, Timing):
        replay = replay_of(quote, organisation, plan, timing)
        if len(replay.rows) > MOST_ROWS - 200:
            raise FileRefused("workbook_too_long", rows=len(replay.rows))
    inputs = {} if organisation is None else inputs_of(quote, organisation, plan, replay, words)
    times = lots = cost = None
    if replay is not None and organisation is not None and isinstance(timing, Timing):
        times = write_schedule(
            schedule_sheet, quote, organisation, timing, replay, inputs, words, gantt_png, heard
        )
    else:
        reason = words.absent(timing) if isinstance(timing, Absent) else words.t("There is no schedule yet.")
        schedule_sheet.text(0, 1, reason, "title")
    if plan is not None and replay is not None and times is not None:
        lots = write_lots(lots_sheet, quote, plan, replay, times, inputs, words)
        cost = write_cost(cost_sheet, quote, plan, lots, inputs, words)
    else:
        for sheet in (lots_sheet, cost_sheet):
            sheet.text(0, 1, words.t("No plan has a price yet."), "title")
    heard(1.0)
    memory = MemoryCells(None, None)
    if shown is not None:
        memory = write_memory(memory_sheet, quote, shown, plan, words)
    write_assumptions(record, quote, words)
    write_conditions(conditions, estimate, words)
    write_quote(first, estimate, Cells(times, memory, cost), inputs, words, status)
    book.close()
    return stream.getvalue()
