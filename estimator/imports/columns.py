"""What a column's cells mean as numbers or dates, decided for the column as a whole.

A mark is read from every cell before any cell is read: "1.250" alone is open, beside "99,90" it is not. Text
that a person types into a field is read elsewhere; this is for files.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal

from estimator.imports.tables import Cell

_BLANKS = re.compile(r"[\s\u00a0\u202f\u2009'’]")
_UNITS = re.compile(r"^(?:eur|usd|gbp|mxn|us)?[€$£]?|(?:[€$£]|eur|euros|usd|gbp|mxn|gb|gib)?(?:/?h)?$")
_PLAIN = re.compile(r"[+-]?\d[\d.,]*")


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """How a column writes numbers. `mark`: its decimal mark, "" where no cell decides it."""

    mark: str = ""
    contradicts: bool = False
    is_open: bool = False

    def with_mark(self, mark: str) -> NumberColumn:
        """Return the column with that decimal mark."""
        return NumberColumn(mark)

    def number(self, cell: Cell) -> Decimal | None:
        """Return the cell's number, None where it is not one or the column contradicts itself."""
        if isinstance(cell, Decimal):
            return cell
        text = _bare(cell)
        if text is None or (self.contradicts and ("," in text or "." in text)):
            return None
        grouping = "." if self.mark == "," else ","
        whole, _, fraction = text.partition(self.mark) if self.mark else (text, "", "")
        if grouping in fraction or (self.mark and self.mark in fraction):
            return None
        if grouping in whole and not re.fullmatch(rf"[+-]?\d{{1,3}}(?:{re.escape(grouping)}\d{{3}})+", whole):
            return None
        return Decimal(
            f"{whole.replace(grouping, '')}.{fraction or '0'}" if fraction else whole.replace(grouping, "")
        )


def number_column(cells: tuple[Cell, ...]) -> NumberColumn:
    """Return how a column writes numbers, from all its cells."""
    votes: set[str] = set()
    is_open = False
    for cell in cells:
        text = _bare(cell) if isinstance(cell, str) else None
        if text is None or not ("," in text or "." in text):
            continue
        vote = _vote(text)
        is_open = is_open or not vote
        votes |= {vote} - {""}
    if len(votes) > 1:
        return NumberColumn(contradicts=True)
    return NumberColumn(mark=next(iter(votes), ""), is_open=is_open and not votes)


def _bare(cell: Cell) -> str | None:
    """Return a cell's digits and marks, without blanks, currency and unit; None where there is more."""
    if not isinstance(cell, str):
        return None
    text = _BLANKS.sub("", cell).replace("−", "-").casefold()
    text = _UNITS.sub("", text)
    return text if _PLAIN.fullmatch(text) else None


def _vote(text: str) -> str:
    """Return the decimal mark that one number shows, "" where it can be read both ways."""
    comma, point = text.rfind(","), text.rfind(".")
    if comma >= 0 and point >= 0:
        return "," if comma > point else "."
    mark, other = (",", ".") if comma >= 0 else (".", ",")
    if text.count(mark) > 1:
        return other  # a mark written twice groups
    whole, _, fraction = text.lstrip("+-").partition(mark)
    grouped = len(fraction) == 3 and 1 <= len(whole) <= 3 and not whole.startswith("0")
    return "" if grouped else mark


@dataclass(frozen=True, slots=True)
class DateColumn:
    """How a column writes dates; ISO dates and a workbook's own are read in any column."""

    day_first: bool
    contradicts: bool = False
    is_assumed: bool = False

    def date(self, cell: Cell) -> dt.date | None:
        """Return the cell's day, None where it is not a date or the column contradicts itself."""
        if isinstance(cell, dt.datetime):
            return cell.date()
        if isinstance(cell, dt.date):
            return cell
        try:
            if isinstance(cell, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}(?:[ T].*)?", cell):
                return dt.date.fromisoformat(cell[:10])
            parts = _parts(cell)
            if parts is None or self.contradicts:
                return None
            first, second, year = parts
            day, month = (first, second) if self.day_first else (second, first)
            return dt.date(year, month, day)
        except ValueError:
            return None


def date_column(cells: tuple[Cell, ...], number_format: str) -> DateColumn:
    """Return how a column writes dates; where no cell decides it, as is usual for the number format."""
    parts = [each for each in map(_parts, cells) if each is not None]
    day_first = any(first > 12 for first, _, _ in parts)
    month_first = any(second > 12 for _, second, _ in parts)
    if day_first and month_first:
        return DateColumn(True, contradicts=True)
    if day_first or month_first:
        return DateColumn(day_first)
    open_cells = any(first != second for first, second, _ in parts)
    return DateColumn(number_format != "en_US", is_assumed=open_cells)


def _parts(cell: Cell) -> tuple[int, int, int] | None:
    match = re.fullmatch(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})", cell) if isinstance(cell, str) else None
    return None if match is None else (int(match[1]), int(match[2]), int(match[3]))


def plain_text(text: str) -> str:
    """Return text in lower case without accents, for comparing words."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))
