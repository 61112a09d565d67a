"""A pasted rectangle read as the tasks of a stage: counts and durations, or names and durations.

Columns are told by what all their cells are, not by their headings; a first line that is no data is a heading,
and may name the unit. What cannot be read changes nothing: the caller gets the sentence's code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from estimator.quote import Tasks
from estimator.units import MS_PER, TimeUnit
from estimator.wording import NumberFormat, read_count, read_duration
from ui.clipboard import Cells

_UNIT_WORD = re.compile(r"(?<![^\W_])(s|min|h|d)(?![^\W_])")


@dataclass(frozen=True, slots=True)
class Pasted:
    """The tasks read, or the code of the sentence that says why not and the line it concerns, from 1."""

    tasks: Tasks | None = None
    code: str = ""
    line: int = 0


def read_tasks(cells: Cells, former: Tasks, number_format: NumberFormat) -> Pasted:
    """Return `former` with the pasted columns in place of its own.

    One column: durations. Two: count and duration where the first holds whole numbers only, else name and
    duration. Three: name, count, duration. Evidence stays. Codes: paste_empty, paste_columns, and those of
    reading a duration or a count.
    """
    rows = [row for row in cells if any(cell.strip() for cell in row)]
    if not rows:
        return Pasted(code="paste_empty")
    width = len(rows[0])
    if width > 3:
        return Pasted(code="paste_columns")
    unit = former.unit
    first = 1
    if not _is_data(rows[0], unit, number_format):
        named = _UNIT_WORD.search(rows[0][-1].casefold())
        unit = TimeUnit(named[1]) if named else unit
        rows, first = rows[1:], 2
        if not rows:
            return Pasted(code="paste_empty")
    durations: list[Decimal] = []
    for line, row in enumerate(rows, start=first):
        reading = read_duration(row[-1], unit, number_format, pasted=True)
        if reading.value is None:
            return Pasted(code=reading.code or "unreadable_duration", line=line)
        durations.append(_in_unit(reading.value, reading.unit, unit))
    return _with_columns(rows, durations, unit, former, number_format, first)


def _with_columns(
    rows: list[tuple[str, ...]],
    durations: list[Decimal],
    unit: TimeUnit,
    former: Tasks,
    number_format: NumberFormat,
    first: int,
) -> Pasted:
    counts = [1] * len(rows)
    names: tuple[str, ...] = ()
    width = len(rows[0])
    if width == 3 or (width == 2 and not _counts(rows, 0, number_format)):
        names = tuple(row[0].strip() for row in rows)
    if width == 3 or (width == 2 and not names):
        for line, row in enumerate(rows, start=first):
            reading = read_count(row[-2], number_format, pasted=True)
            if reading.value is None or reading.value < 1:
                return Pasted(code=reading.code or "not_whole", line=line)
            counts[line - first] = int(reading.value)
    tasks = former.replaced(count=tuple(counts), duration=tuple(durations), unit=unit, names=names)
    return Pasted(tasks)


def _is_data(row: tuple[str, ...], unit: TimeUnit, number_format: NumberFormat) -> bool:
    return read_duration(row[-1], unit, number_format, pasted=True).code is None and bool(row[-1].strip())


def _counts(rows: list[tuple[str, ...]], column: int, number_format: NumberFormat) -> bool:
    return all(read_count(row[column], number_format, pasted=True).value is not None for row in rows)


def _in_unit(value: Decimal, written: TimeUnit, unit: TimeUnit) -> Decimal:
    if written is unit:
        return value
    return (value * MS_PER[written] / MS_PER[unit]).normalize()
