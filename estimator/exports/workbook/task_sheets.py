"""Sheets for the tasks of a long schedule: as many as its rows need, with heads; their rows are streamed later."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.exports.workbook.cells import Book, Sheet
from estimator.exports.workbook.schedule_sheet import validate_stated, write_task_heads
from estimator.exports.workbook.streamed import StreamedSheet, write_samples
from estimator.exports.workbook.task_rows import WAS, TaskPlaces, TaskRows
from estimator.wording import Wording

ROWS_A_SHEET = 1_000_000
"""Below what a sheet holds, so that heads and totals have room."""
_HEAD = 3


@dataclass(frozen=True, slots=True)
class TaskSheets:
    """The sheets, in order, and where the rows stand on them."""

    sheets: tuple[Sheet, ...]
    places: TaskPlaces


def add_task_sheets(book: Book, rows: int, footer: str, words: Wording) -> TaskSheets:
    """Add as many sheets as that many rows need."""
    count = -(-rows // ROWS_A_SHEET)
    sheets = tuple(
        book.sheet(words.t("Tasks {number}", number=words.number(place + 1)), footer)
        for place in range(count)
    )
    return TaskSheets(sheets, TaskPlaces(sheets, _HEAD + 1, ROWS_A_SHEET))


def write_task_sheets(made: TaskSheets, rows: TaskRows, unit: str, words: Wording) -> list[StreamedSheet]:
    """Write titles, heads, widths and samples; return what is to be streamed."""
    styles = rows.styles
    total = len(rows.fixed.rows)
    streamed = []
    for place, sheet in enumerate(made.sheets):
        count = min(total - place * ROWS_A_SHEET, ROWS_A_SHEET)
        first = _HEAD + 1
        sheet.widths(2, rows.label_width, 13, 10, 13, 13, 12, 12, 24, 10)
        sheet.text(0, 1, sheet.name, "title")
        write_task_heads(sheet, _HEAD, rows.fixed.is_whole_runs, unit, words)
        sheet.raw.freeze_panes(first, 0)
        if rows.has_own_times:
            validate_stated(sheet, _HEAD, first, first + count - 1, words)
        write_samples(sheet, first, styles)
        number = sheet.book.sheets.index(sheet) + 1
        streamed.append(StreamedSheet(number, first, count, WAS, styles))
    return streamed
