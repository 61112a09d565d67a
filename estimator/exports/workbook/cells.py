"""Cells of a workbook: text, numbers and formulas written safely, and the few styles they have.

Every hazard of the format is dealt with here, so that no sheet can forget one. What stands in which cell is
the business of the sheets.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, BinaryIO

from xlsxwriter import Workbook
from xlsxwriter.utility import xl_col_to_name

from estimator.results.estimate import Estimate
from estimator.storage import quote_to_text
from estimator.units import MS_PER_DAY

FINGERPRINT = "Cabida quote"
"""The property of a workbook that says of which quote it is."""
MOST_UNITS = 32_767
"""UTF-16 units that a cell holds; Excel counts these, not characters."""
MOST_ROWS = 1_048_576
FONT = "Arial"
"""Liberation Sans has its widths, so that cells are as wide in LibreOffice as in Excel."""
_LARGEST_EXACT = 2**53
_REPLACEMENT = "\ufffd"
# Characters that XML 1.0 does not have, lone surrogates among them.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NOT_IN_SHEET_NAME = re.compile(r"[\[\]:*?/\\]")
_MOST_ARGUMENTS = 200

PLAIN = "General"
WHOLE = "#,##0"
HUNDREDTHS = "#,##0.00"
RATE = "#,##0.00##"
"""Of a price per hour, which may be finer than the currency."""

HOURS = "[h]:mm:ss"
"""Of a time in days; without the brackets hours would start again at 24."""
MOMENT = "yyyy\\-mm\\-dd\\ hh:mm"
_DAY_ZERO = dt.datetime(1899, 12, 30)
_FIRST_TRUE_DAY = dt.datetime(1900, 3, 1)

_INK, _MUTED, _RULE = "#1B1B1B", "#4A525A", "#C9CED3"
_HEAD, _PAPER = "#23394A", "#FFFFFF"
_INPUT, _INPUT_RULE = "#FFF2C8", "#8A6D1F"
_WRAPPING = frozenset({"wrapped", "wrapped_muted"})
_HEADS = frozenset({"head", "head_right"})
_CHARACTERS_PER_WIDTH = 1.15
_MOST_WIDTH = 60.0
_STYLES: dict[str, dict[str, object]] = {
    "title": {"bold": True, "font_size": 14},
    "status": {"bold": True, "font_color": "#7A4A00", "bg_color": "#FFEFD2"},
    "note": {"font_color": _MUTED},
    "wrapped_note": {"font_color": _MUTED, "text_wrap": True, "valign": "top"},
    "head": {"indent": 1, "bold": True, "font_color": _PAPER, "bg_color": _HEAD, "text_wrap": True},
    "head_right": {
        "bold": True,
        "font_color": _PAPER,
        "bg_color": _HEAD,
        "align": "right",
        "text_wrap": True,
    },
    "label": {"indent": 1, "border": 1, "border_color": _RULE},
    "wrapped": {"indent": 1, "border": 1, "border_color": _RULE, "text_wrap": True},
    "strong": {"indent": 1, "border": 1, "border_color": _RULE, "bold": True},
    "wrapped_muted": {
        "indent": 1,
        "border": 1,
        "border_color": _RULE,
        "font_color": _MUTED,
        "text_wrap": True,
    },
    "muted": {"indent": 1, "border": 1, "border_color": _RULE, "font_color": _MUTED},
    "value": {"border": 1, "border_color": _RULE, "align": "right"},
    "count": {"indent": 1, "border": 1, "border_color": _RULE, "align": "left"},
    "blank": {"border": 4, "border_color": _INPUT_RULE, "align": "right", "locked": False},
    "muted_value": {"border": 1, "border_color": _RULE, "font_color": _MUTED, "align": "right"},
    "strong_value": {"border": 1, "border_color": _RULE, "align": "right", "bold": True},
    "input": {
        "border": 1,
        "border_color": _INPUT_RULE,
        "bg_color": _INPUT,
        "align": "right",
        "locked": False,
    },
}


def fingerprint(estimate: Estimate) -> str:
    """Return what tells the quote and the shown plan of a workbook from any other."""
    text = quote_to_text(estimate.quote) + estimate.shown_plan_id
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def clean_text(text: str) -> str:
    """Return text that a cell can hold: no characters outside XML, at most 32,767 UTF-16 units."""
    text = _NOT_IN_XML.sub(_REPLACEMENT, text)
    if len(text) <= MOST_UNITS // 2 or _units(text) <= MOST_UNITS:
        return text
    kept = text.encode("utf-16-le")[: 2 * (MOST_UNITS - 1)].decode("utf-16-le", errors="ignore")
    return kept + "…"


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def sheet_name(wanted: str, taken: Iterable[str] = ()) -> str:
    """Return a name that Excel takes for a sheet, different from those taken whatever their case."""
    used = {name.casefold() for name in taken} | {"history"}
    base = _NOT_IN_SHEET_NAME.sub(" ", clean_text(wanted)).strip(" '")[:31].strip(" '") or "_"
    name, number = base, 2
    while name.casefold() in used:
        suffix = f" {number}"
        name = base[: 31 - len(suffix)] + suffix
        number += 1
    return name


def width_for(texts: Iterable[str], least: float) -> float:
    """Return the width of a column in which the texts stand whole, from `least` to 60 characters."""
    longest = max((len(text) for text in texts), default=0)
    return min(_MOST_WIDTH, max(least, math.ceil(longest / _CHARACTERS_PER_WIDTH) + 3))


@lru_cache(maxsize=256)
def column_name(column: int) -> str:
    """Return the letters of a column, counted from 0."""
    return str(xl_col_to_name(column))


def money_format(digits: int) -> str:
    """Return the format of an amount with the currency's decimals; the head of the column names the currency."""
    return "#,##0" + ("." + "0" * digits if digits else "")


def decimals_of(value: Decimal, least: int = 0) -> int:
    """Return the decimals that show a value exactly, `least` at least."""
    exponent = value.normalize().as_tuple().exponent
    return max(least, -exponent if isinstance(exponent, int) else 0)


def in_footer(text: str) -> str:
    """Return text for a footer, where an ampersand starts a command and 255 characters are the most."""
    return clean_text(text)[:60].replace("&", "&&")


def text_in_formula(text: str) -> str:
    """Return a text as a formula writes it, quotes doubled."""
    return '"' + clean_text(text)[:250].replace('"', '""') + '"'


def called(function: str, terms: Sequence[str]) -> str:
    """Return the call of MAX, MIN or SUM over the terms, nested where a function takes no more arguments."""
    while len(terms) > _MOST_ARGUMENTS:
        terms = [
            called(function, terms[first : first + _MOST_ARGUMENTS])
            for first in range(0, len(terms), _MOST_ARGUMENTS)
        ]
    return f"{function}({','.join(terms)})"


def rounded_call(expression: str, digits: int) -> str:
    """Return a formula that rounds half away from zero as the core does.

    The inner rounding takes away the noise of binary fractions, which could hide a tie: 0.645 is 0.6449999….
    """
    return f"ROUND(ROUND({expression},{digits + 8}),{digits})"


class Book:
    """A workbook under way. Text is never read as a formula, a link or a number."""

    def __init__(self, stream: BinaryIO, created: dt.date, title: str, mark: str = "") -> None:
        """`mark`: the fingerprint of what it is made of, kept among the file's properties."""
        options = {
            "in_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        }
        self._workbook: Any = Workbook(stream, options)
        # The same estimate gives the same bytes: the date is the quote's, never that of the export.
        moment = dt.datetime(created.year, created.month, created.day)
        self._workbook.set_properties({"title": clean_text(title)[:250], "created": moment})
        if mark:
            self._workbook.set_custom_property(FINGERPRINT, mark)
        self._workbook.set_calc_mode("auto")
        self._formats: dict[tuple[str, str], Any] = {}
        self.sheets: list[Sheet] = []
        self.changed_texts = 0
        """Texts of which a cell could not hold every character."""

    def sheet(self, title: str, footer: str) -> Sheet:
        """Return a new sheet with the print set-up that all have: landscape, one page wide, a footer."""
        name = sheet_name(title, [sheet.name for sheet in self.sheets])
        made = Sheet(self, self._workbook.add_worksheet(name), name, footer)
        self.sheets.append(made)
        return made

    def style(self, name: str, number_format: str = "") -> Any:
        """Return the style of that name with a number format (in en-US codes; Excel shows them as set there)."""
        key = (name, number_format)
        if key not in self._formats:
            settings = {"font_name": FONT, "font_size": 10, "font_color": _INK, "valign": "vcenter"}
            settings |= _STYLES[name]
            if number_format:
                settings["num_format"] = number_format
            self._formats[key] = self._workbook.add_format(settings)
        return self._formats[key]

    def held(self, text: str) -> str:
        """Return what a cell holds of a text, and count it where that is not all of it."""
        kept = clean_text(text)
        if kept != text:
            self.changed_texts += 1
        return kept

    def define(self, name: str, cell: str) -> None:
        """Name a cell for the whole workbook."""
        self._workbook.define_name(name, f"={cell}")

    def chart(self, options: dict[str, str]) -> Any:
        """Return a new native chart."""
        return self._workbook.add_chart(options)

    def close(self) -> None:
        """Write the workbook to its stream."""
        self._workbook.close()


class Sheet:
    """One sheet. Rows and columns count from 0. A cell that is not written would be a bug, and raises."""

    def __init__(self, book: Book, worksheet: Any, name: str, footer: str) -> None:
        self.book, self.name, self.raw = book, name, worksheet
        self._widths: tuple[float, ...] = ()
        self._lines: dict[int, int] = {}
        worksheet.set_landscape()
        worksheet.set_paper(9)  # A4
        worksheet.set_margins(left=0.5, right=0.5, top=0.5, bottom=0.7)
        worksheet.fit_to_pages(1, 0)
        worksheet.set_footer(footer)
        worksheet.hide_gridlines(2)
        worksheet.protect("", {"format_columns": True, "format_rows": True, "objects": False})

    def text(self, row: int, column: int, text: str, style: str = "label", width: float = 0) -> None:
        """Write text as text, whatever it looks like; where it wraps, make room for its lines.

        `width`: that of a merged cell, in characters.
        """
        if not width and column < len(self._widths):
            width = self._widths[column]
        if width and (style in _WRAPPING or style in _HEADS):
            # Heads are bold, and wider.
            lines = math.ceil(len(text) / (width * (1 if style in _HEADS else _CHARACTERS_PER_WIDTH)))
            if lines > 1:
                # LibreOffice does not fit rows to their text when it opens a workbook.
                self.tall(row, lines)
        if text:
            _written(self.raw.write_string(row, column, self.book.held(text), self.book.style(style)))
        else:
            _written(self.raw.write_blank(row, column, None, self.book.style(style)))

    def texts(self, row: int, column: int, texts: Iterable[str], style: str = "label") -> None:
        """Write texts side by side."""
        for offset, text in enumerate(texts):
            self.text(row, column + offset, text, style)

    def number(
        self, row: int, column: int, value: Decimal | int, number_format: str = PLAIN, style: str = "value"
    ) -> None:
        """Write a number; a whole number that a cell cannot hold exactly is written as text."""
        if isinstance(value, int) and abs(value) > _LARGEST_EXACT:
            self.text(row, column, str(value), style)
            return
        _written(self.raw.write_number(row, column, _finite(value), self.book.style(style, number_format)))

    def moment(self, row: int, column: int, moment: dt.datetime, style: str = "value") -> None:
        """Write a date with its time of day as the clocks of its zone show it.

        Before March 1900 it is text: the first days of the format's calendar are a day out, and one never was.
        """
        local = moment.replace(tzinfo=None)
        if local < _FIRST_TRUE_DAY:
            self.text(row, column, local.isoformat(" ", "minutes"), style)
            return
        days = Decimal((local - _DAY_ZERO) // dt.timedelta(milliseconds=1)) / MS_PER_DAY
        self.number(row, column, days, MOMENT, style)

    def formula(
        self,
        row: int,
        column: int,
        formula: str,
        value: Decimal | int | str,
        number_format: str = PLAIN,
        style: str = "value",
    ) -> None:
        """Write a formula with the result that the core computed; without one, readers would see 0."""
        stored = clean_text(value) if isinstance(value, str) else _finite(value)
        _written(
            self.raw.write_formula(
                row, column, f"={formula}", self.book.style(style, number_format), value=stored
            )
        )

    def widths(self, *widths: float) -> None:
        """Set the widths of the first columns, in characters."""
        self._widths = widths
        for column, width in enumerate(widths):
            self.raw.set_column(column, column, width)

    def ref(self, row: int, column: int) -> str:
        """Return the cell as any sheet can refer to it."""
        quoted = self.name.replace("'", "''")
        return f"'{quoted}'!${column_name(column)}${row + 1}"

    def range_ref(self, first_row: int, last_row: int, column: int) -> str:
        """Return part of a column as any sheet can refer to it."""
        name = column_name(column)
        quoted = self.name.replace("'", "''")
        return f"'{quoted}'!${name}${first_row + 1}:${name}${last_row + 1}"

    def here(self, row: int, column: int) -> str:
        """Return the cell as its own sheet refers to it."""
        return f"{column_name(column)}{row + 1}"

    def tall(self, row: int, lines: int = 2) -> None:
        """Make room for some lines, where there is less."""
        if lines > self._lines.get(row, 1):
            self._lines[row] = lines
            self.raw.set_row(row, 14 * lines)

    def headed(self, row: int, freeze: bool = True) -> None:
        """Repeat the rows down to `row` on each printed page, and keep them in sight."""
        self.tall(row)
        self.raw.repeat_rows(0, row)
        if freeze:
            self.raw.freeze_panes(row + 1, 0)


def _finite(value: Decimal | int) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("a figure that is not known is said in words, never written as a number")
    return number


def _written(code: int) -> None:
    if code:
        raise ValueError(f"the cell was not written: {code}")
