"""An exported workbook that somebody changed: its input cells taken back into the quote it was exported from.

Only numbers in yellow cells come back. Every result in the file is held against what the core makes of the same
numbers on the same plan; one that differs refuses the whole file, by its cell.
"""

from __future__ import annotations

import datetime as dt
import io
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.workbook import Workbook

from estimator.estimate import EstimateCancelled
from estimator.exports.workbook import plan_held, workbook_made
from estimator.exports.workbook.cells import FINGERPRINT, fingerprint
from estimator.exports.workbook.inputs import YellowCell
from estimator.imports.tables import UNREADABLE, workbook_data
from estimator.plan.fixed import MOST_TASK_ROWS
from estimator.plan.replay import replay
from estimator.plan.stated_values import with_value
from estimator.problems import FileRefused, Place
from estimator.quote import Quote
from estimator.results.estimate import Estimate
from estimator.wording import Wording

Cancelled = Callable[[], bool]
_EQUAL = Decimal("1e-14")
"""Relative: a workbook keeps 15 digits of a number."""
_SAME = 1e-9
"""How near a result has to be, relative, or absolute below 1."""


@dataclass(frozen=True, slots=True)
class CellChange:
    """One input cell that is not as exported. `is_taken`: the quote has such a number; lots are the plan's."""

    where: Place
    label: str
    unit: str
    before: Decimal
    after: Decimal
    is_taken: bool


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What came back: the changed cells, and the quote with those that it takes."""

    name: str
    changes: tuple[CellChange, ...]
    quote: Quote


def _never() -> bool:
    return False


def take_back(
    source: Path | bytes,
    estimate: Estimate,
    words: Wording,
    today: dt.date,
    name: str = "",
    cancelled: Cancelled = _never,
) -> TakenBack:
    """Return the changed inputs of a workbook that was exported from `estimate`, complete, in these `words`.

    Changed numbers become assumed, with the file as their source. Raises FileRefused: the file cannot be read, is
    of another quote or state of it, a cell holds no allowed number, a result is missing or differs from the core's.
    """
    name = name or (source.name if isinstance(source, Path) else "")
    book = _opened(workbook_data(source, name), name)
    fixed = plan_held(estimate)
    if fixed is None:
        raise FileRefused("workbook_not_exported", name=name)
    if len(fixed.rows) > MOST_TASK_ROWS:
        raise FileRefused("workbook_too_many_tasks", name=name, most=MOST_TASK_ROWS)
    _check_fingerprint(book, estimate, name)
    made = workbook_made(estimate, words, today, fixed)
    _stop_if(cancelled)
    changes = _changes(book, made.yellow, name)
    counts = {cell.where[1]: int(change.after) for cell, change in changes if not change.is_taken}
    edited = estimate.quote
    for cell, change in changes:
        if change.is_taken:
            edited = with_value(edited, cell.where, change.after)
    again = replay(edited, fixed, counts)
    expected = workbook_made(estimate, words, today, fixed, again).data
    _stop_if(cancelled)
    _compare(book, made.data, expected, name)
    taken = estimate.quote
    for cell, change in changes:
        if change.is_taken:
            taken = with_value(taken, cell.where, change.after, source=name)
    return TakenBack(name, tuple(change for _, change in changes), taken)


def _stop_if(cancelled: Cancelled) -> None:
    if cancelled():
        raise EstimateCancelled


def _opened(data: bytes, name: str) -> Workbook:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # styles and extensions that are not read
            return openpyxl.load_workbook(io.BytesIO(data), data_only=True, keep_links=False)
    except UNREADABLE as error:
        raise FileRefused("workbook_broken", name=name) from error


def _check_fingerprint(book: Workbook, estimate: Estimate, name: str) -> None:
    properties: Any = book  # the stubs of openpyxl do not have them
    found = {one.name: one.value for one in properties.custom_doc_props.props}
    if FINGERPRINT not in found:
        raise FileRefused("workbook_not_exported", name=name)
    if found[FINGERPRINT] != fingerprint(estimate):
        raise FileRefused("workbook_of_other_state", name=name)


def _changes(
    book: Workbook, yellow: tuple[YellowCell, ...], name: str
) -> list[tuple[YellowCell, CellChange]]:
    found = []
    for cell in yellow:
        value = _number(_value(book, cell.sheet, cell.cell, name), cell, name) * cell.scale
        before = cell.value
        if abs(value - before) <= _EQUAL * max(abs(before), abs(value)):
            continue
        if value < cell.least or (cell.most is not None and value > cell.most):
            raise FileRefused("workbook_cell_outside", name=name, sheet=cell.sheet, cell=cell.cell)
        if cell.is_whole and value != int(value):
            raise FileRefused("workbook_cell_not_whole", name=name, sheet=cell.sheet, cell=cell.cell)
        is_taken = not (cell.where[0] == "offers" and cell.where[-1] == "count")
        found.append((cell, CellChange(cell.where, cell.label, cell.unit, before, value, is_taken)))
    return found


def _value(book: Workbook, sheet: str, cell: str, name: str) -> object:
    if sheet not in book.sheetnames:
        raise FileRefused("sheet_missing", name=name, sheet=sheet)
    return book[sheet][cell].value


def _number(value: object, cell: YellowCell, name: str) -> Decimal:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    found = Decimal(f"{value:.15g}") if is_number else Decimal("NaN")
    if not found.is_finite():
        raise FileRefused("workbook_cell_no_number", name=name, sheet=cell.sheet, cell=cell.cell)
    return found


def _compare(book: Workbook, formulas: bytes, expected: bytes, name: str) -> None:
    """Hold the stored result of every formula of the export against the core's."""
    written = openpyxl.load_workbook(io.BytesIO(formulas))
    stored = openpyxl.load_workbook(io.BytesIO(expected), data_only=True)
    for sheet in written.worksheets:
        if sheet.title not in book.sheetnames:
            raise FileRefused("sheet_missing", name=name, sheet=sheet.title)
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type != "f":
                    continue
                at = cell.coordinate
                found, wanted = _plain(book[sheet.title][at].value), _plain(stored[sheet.title][at].value)
                where: Mapping[str, str] = {"name": name, "sheet": sheet.title, "cell": at}
                if found is None:
                    raise FileRefused("workbook_not_calculated", **where)
                if not _is_same(found, wanted):
                    raise FileRefused(
                        "workbook_result_differs", **where, found=_shown(found), expected=_shown(wanted)
                    )


def _plain(value: object) -> object:
    """Return days for a length of time or a time of day, as which hours and minutes are read."""
    if isinstance(value, dt.time):
        value = dt.datetime.combine(dt.date.min, value) - dt.datetime.min
    return value / dt.timedelta(days=1) if isinstance(value, dt.timedelta) else value


def _is_same(found: object, wanted: object) -> bool:
    if isinstance(found, int | float) and isinstance(wanted, int | float):
        return abs(found - wanted) <= _SAME * max(1.0, abs(wanted))
    return found == wanted


def _shown(value: object) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)
