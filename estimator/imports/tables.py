"""Tables from CSV files and workbooks, read within bounds: cells as they stand, nothing guessed in silence.

What the cells mean is for the module that asked. Formulas are not computed: a workbook's stored values count.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
import warnings
import xml.etree.ElementTree as ElementTree
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import chain, islice
from pathlib import Path

import openpyxl

from estimator.exports.guard import unguarded
from estimator.problems import FileRefused, Problem, Severity

LARGEST_BYTES = 32 * 2**20
LARGEST_TEXT_BYTES = 24 * 2**20  # four bytes a character once read, where one of them needs it
LARGEST_UNPACKED_BYTES = 256 * 2**20
MOST_ENTRIES = 4_000
MOST_ROWS = 100_000
MOST_COLUMNS = 200
MOST_RECORD_MARKS = 100_000  # separators of one record, those inside quotes too
MOST_SHEET_ROWS = 1_048_576  # the format's own limit; empty ones count, for the parser keeps each
MOST_ROW_MARKUP = 131_072  # tags between two rows: the format's 16,384 columns with 8 tags a cell
MOST_SHEET_MARKUP = 8_000_000  # tags of a sheet: two million cells
MOST_PART_MARKUP = 2_000_000  # tags of any other part
HEAD_LINES = 4  # looked at together to tell titles and headings of two lines
MOST_CELL_CHARACTERS = 32_767  # a workbook's own limit

Cell = str | Decimal | dt.date | dt.time | dt.timedelta | bool | None
"""Text as written (outer blanks off), or a workbook's typed value; None: empty. A date may have a time."""


@dataclass(frozen=True, slots=True)
class Table:
    """A header and its rows, all as wide as the header; `lines[i]` is where row i starts in the file, from 1.

    `notes` are warnings about how the file was read: an assumed encoding, sheets left out.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    lines: tuple[int, ...]
    name: str = ""
    sheet: str = ""
    notes: tuple[Problem, ...] = ()


def read_table(source: Path | bytes, name: str = "", sheet: str = "") -> Table:
    """Return the table in a CSV file or in a workbook's sheet (its first with content unless named).

    `name` is what the file is called in messages. Blank lines are skipped; the first other is the header.
    Raises FileRefused with the cause: too large, too many rows or columns, not text, broken, macros.
    """
    name = name or (source.name if isinstance(source, Path) else "")
    data = source if isinstance(source, bytes) else read_bytes(source, name)
    if len(data) > LARGEST_BYTES:
        raise FileRefused("file_too_large", name=name, largest_mib=LARGEST_BYTES // 2**20)
    if data.startswith(b"\xd0\xcf\x11\xe0"):  # the container of old workbooks and of encrypted ones
        raise FileRefused("workbook_old_or_encrypted", name=name)
    if data.startswith(b"PK\x03\x04"):
        return _from_workbook(data, name, sheet)
    return _from_text(data, name)


def read_bytes(path: Path, name: str) -> bytes:
    """Return a file's bytes, one more than the largest taken where it is larger. Raises FileRefused."""
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_BYTES + 1)
    except FileNotFoundError as error:
        raise FileRefused("not_found", name=name) from error
    except IsADirectoryError as error:
        raise FileRefused("is_a_folder", name=name) from error
    except PermissionError as error:
        raise FileRefused("no_permission", name=name) from error
    except OSError as error:
        raise FileRefused("cannot_access", name=name) from error


# CSV


def _from_text(data: bytes, name: str) -> Table:
    if len(data) > LARGEST_TEXT_BYTES:
        raise FileRefused("file_too_large", name=name, largest_mib=LARGEST_TEXT_BYTES // 2**20)
    text, notes = _decoded(data, name)
    end = text.find("\n")
    first = text if end < 0 else text[:end]
    line_before = 0
    delimiter = ""
    if first[:4].casefold() == "sep=" and len(first.strip()) == 5:  # spreadsheets write this line
        delimiter, text, line_before = first.strip()[4], text[len(first) + 1 :], 1
    delimiter = delimiter or _delimiter(text)
    return _table(_records(text, delimiter, name, line_before), name, "", notes)


def _decoded(data: bytes, name: str) -> tuple[str, tuple[Problem, ...]]:
    encoding = "utf-8-sig"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif b"\0" in data[:2000]:  # UTF-16 without its mark: every second byte of plain text is 0
        encoding = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
    assumed = encoding in ("utf-16-le", "utf-16-be")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8-sig":
            raise FileRefused("not_text", name=name, at=error.start) from error
        try:
            text, encoding, assumed = data.decode("cp1252"), "cp1252", True
        except UnicodeDecodeError as second:
            raise FileRefused("not_text", name=name, at=second.start) from second
    if "\0" in text:
        raise FileRefused("not_text", name=name, at=text.index("\0"))
    note = Problem("encoding_assumed", (name,), Severity.WARNING, (("encoding", encoding),))
    return text, (note,) if assumed else ()


def _delimiter(text: str) -> str:
    """Return the mark that splits the first lines most evenly; of equals, the one that gives more columns."""
    sample = text[:65_536]
    if len(text) > len(sample):
        sample = sample[: sample.rfind("\n") + 1] or sample

    def score(mark: str) -> tuple[float, int]:
        rows = [row for row in csv.reader(io.StringIO(sample, newline=""), delimiter=mark) if any(row)][:50]
        width = len(rows[0]) if rows else 0
        if width < 2:
            return 0.0, 0
        return sum(len(row) == width for row in rows) / len(rows), width

    try:
        return max(";\t,|", key=score)
    except csv.Error:
        return ","


_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")


def _records(text: str, delimiter: str, name: str, line_before: int) -> Iterator[tuple[int, list[Cell]]]:
    marks = 0
    line = line_before + 1

    def lines() -> Iterator[str]:
        nonlocal marks
        for found in _LINE.finditer(text):  # a StringIO would be a second copy of it all
            one = found.group()
            marks += one.count(delimiter)
            if marks > MOST_RECORD_MARKS:
                raise FileRefused("too_many_columns", name=name, line=line, most=MOST_COLUMNS)
            yield one

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            marks = 0
            yield line, [unguarded(cell.strip()) or None for cell in row]
            line = line_before + reader.line_num + 1
    except csv.Error as error:
        raise FileRefused("table_broken", name=name, line=line) from error


# Workbooks


UNREADABLE = (
    ElementTree.ParseError,
    zipfile.BadZipFile,
    zlib.error,
    InvalidOperation,
    AttributeError,
    EOFError,
    IndexError,
    KeyError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What openpyxl and zipfile raise on broken or foreign files; they have no exception of their own."""


def workbook_data(source: Path | bytes, name: str) -> bytes:
    """Return the bytes of a workbook that is safe to parse: within bounds, without macros or entities.

    Raises FileRefused with the cause.
    """
    data = source if isinstance(source, bytes) else read_bytes(source, name)
    if len(data) > LARGEST_BYTES:
        raise FileRefused("file_too_large", name=name, largest_mib=LARGEST_BYTES // 2**20)
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise FileRefused("workbook_old_or_encrypted", name=name)
    try:
        _refuse_dangerous(data, name)
    except UNREADABLE as error:
        raise FileRefused("workbook_broken", name=name) from error
    return data


def _from_workbook(data: bytes, name: str, sheet: str) -> Table:
    try:
        _refuse_dangerous(data, name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # styles and extensions that are not read
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
            try:
                sheets = {each.title: each for each in book.worksheets}
                if sheet and sheet not in sheets:
                    raise FileRefused("sheet_missing", name=name, sheet=sheet)
                for title in [sheet] if sheet else sheets:
                    sheets[title].reset_dimensions()  # a stated size may be wrong, or huge
                    rows = enumerate(sheets[title].iter_rows(values_only=True), start=1)
                    table = _maybe_table(
                        ((line, [_typed(value) for value in row]) for line, row in rows), name, title
                    )
                    if table is not None:
                        return _with_sheet_note(table, tuple(sheets))
            finally:
                book.close()
    except UNREADABLE as error:
        raise FileRefused("workbook_broken", name=name) from error
    raise FileRefused("table_empty", name=name)


def _with_sheet_note(table: Table, titles: tuple[str, ...]) -> Table:
    others = tuple(title for title in titles if title != table.sheet)
    if not others:
        return table
    values = (("sheet", table.sheet), ("others", others))
    note = Problem("sheets_left_out", (table.name,), Severity.WARNING, values)
    return Table(table.header, table.rows, table.lines, table.name, table.sheet, (*table.notes, note))


def _refuse_dangerous(data: bytes, name: str) -> None:
    """Refuse macros, archives that unpack to too much, and entities, before any of it is parsed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len(entries) > MOST_ENTRIES or sum(entry.file_size for entry in entries) > LARGEST_UNPACKED_BYTES:
            raise FileRefused("workbook_unpacks_too_large", name=name)
        if len({entry.filename for entry in entries}) != len(entries):
            raise FileRefused("workbook_broken", name=name)
        for entry in entries:
            low = entry.filename.casefold()
            if low.endswith("vbaproject.bin") or "/macrosheets/" in low:
                raise FileRefused("workbook_has_macros", name=name)
            if low.endswith((".xml", ".rels")) or _may_be_markup(archive, entry):
                _refuse_markup(archive, entry, name)


def _may_be_markup(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bool:
    """Whether a part of another name could be parsed as XML: a relationship may lead to any name."""
    with archive.open(entry) as part:
        start = part.read(1 << 20).lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0")
    return not start or start.startswith(b"<")


_FORBIDDEN = tuple(
    word.encode(encoding)
    for word in ("<!DOCTYPE", "<!ENTITY")
    for encoding in ("utf-8", "utf-16-le", "utf-16-be")
)
_MACRO_CONTENT = b"macroEnabled"
_OVERLAP = 32


_ROW = re.compile(rb"[<:]row(?=[\s/>])")


class _Markup:
    """Counts what a parser would have to hold of one part, from its bytes and before any of it is parsed."""

    def __init__(self, name: str, is_sheet: bool) -> None:
        self._name = name
        self._most = MOST_SHEET_MARKUP if is_sheet else MOST_PART_MARKUP
        self._is_sheet = is_sheet
        self._tags = self._rows = self._in_row = 0

    def add(self, block: bytes) -> None:
        """Count a block. Raises FileRefused past the bounds."""
        self._tags += block.count(b"<")
        if self._tags > self._most:
            raise FileRefused("workbook_unpacks_too_large", name=self._name)
        if not self._is_sheet:
            return
        first, *rows = _ROW.split(block)
        self._in_row += first.count(b"<")
        self._refuse_wide()
        for row in rows:
            self._rows += 1
            self._in_row = row.count(b"<")
            self._refuse_wide()
        if self._rows > MOST_SHEET_ROWS:
            raise FileRefused("too_many_rows", name=self._name, most=MOST_SHEET_ROWS)

    def _refuse_wide(self) -> None:
        if self._in_row > MOST_ROW_MARKUP:
            raise FileRefused("workbook_unpacks_too_large", name=self._name)


def _refuse_markup(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> None:
    kinds = entry.filename == "[Content_Types].xml"
    markup = _Markup(name, "sheets/" in entry.filename.casefold())
    with archive.open(entry) as part:
        tail = b""
        while block := part.read(1 << 20):
            window = tail + block
            if not tail and not window.lstrip().startswith((b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
                raise FileRefused("workbook_broken", name=name)  # another encoding could hide what follows
            if any(word in window for word in _FORBIDDEN):
                raise FileRefused("workbook_has_entities", name=name)
            if kinds and _MACRO_CONTENT in window:
                raise FileRefused("workbook_has_macros", name=name)
            markup.add(block)
            tail = window[-_OVERLAP:]


def has_entities(data: bytes) -> bool:
    """Whether XML declares a document type or entities, in any encoding that could hide them."""
    head = data[:4]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in head:
        plain = data.decode("utf-16", errors="ignore").encode("utf-8", errors="ignore")
    else:
        plain = data
    upper = plain.upper()
    return any(word in upper for word in (b"<!DOCTYPE", b"<!ENTITY"))


_FIRST_REAL_DAY = dt.datetime(1900, 3, 1)
_DAY_ZERO = dt.datetime(1899, 12, 31)


def _typed(value: object) -> Cell:
    """Return a workbook's value as a cell: a binary fraction becomes the decimal that it is shown as."""
    if isinstance(value, dt.datetime) and value < _FIRST_REAL_DAY:
        # The 1900 system counts a 29 February that never was; below it a cell is a length of time, not a day.
        return value - _DAY_ZERO
    if value is None or isinstance(value, bool | dt.date | dt.time | dt.timedelta):
        return value
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        shown = Decimal(f"{value:.15g}")  # a workbook keeps 15 digits
        return shown if shown.is_finite() else None
    return str(value).strip() or None


# Both


def _table(
    records: Iterable[tuple[int, list[Cell]]], name: str, sheet: str, notes: tuple[Problem, ...]
) -> Table:
    table = _maybe_table(records, name, sheet, notes)
    if table is None:
        raise FileRefused("table_empty", name=name)
    return table


def _maybe_table(
    records: Iterable[tuple[int, list[Cell]]], name: str, sheet: str, notes: tuple[Problem, ...] = ()
) -> Table | None:
    """Return the table, or None where every line is blank. Raises FileRefused past the bounds."""
    lines_of = _bounded(records, name)
    head = list(islice(lines_of, HEAD_LINES))
    if not head:
        return None
    header, used = _header(head)
    if used > 1:
        skipped = Problem("lines_above_header", (name,), Severity.WARNING, (("line", head[used - 1][0]),))
        notes = (*notes, skipped)
    rows: list[tuple[Cell, ...]] = []
    lines: list[int] = []
    for line, cells in chain(head[used:], lines_of):
        if len(cells) > len(header):
            raise FileRefused(
                "row_wider_than_header", name=name, line=line, header=len(header), row=len(cells)
            )
        if len(rows) >= MOST_ROWS:
            raise FileRefused("too_many_rows", name=name, most=MOST_ROWS)
        rows.append((*cells, *(None for _ in range(len(header) - len(cells)))))
        lines.append(line)
    return Table(header, tuple(rows), tuple(lines), name, sheet, notes)


def _bounded(records: Iterable[tuple[int, list[Cell]]], name: str) -> Iterator[tuple[int, list[Cell]]]:
    """Yield the lines that are not blank, without empty cells at their end. Raises FileRefused past the bounds."""
    blank = 0
    for line, cells in records:
        while cells and cells[-1] is None:
            cells.pop()
        if not cells:
            blank += 1
            if blank > MOST_ROWS:
                return  # a mark far below the data, or nothing but formats: not worth a million lines
            continue
        blank = 0
        if len(cells) > MOST_COLUMNS:
            raise FileRefused("too_many_columns", name=name, line=line, most=MOST_COLUMNS)
        if any(isinstance(cell, str) and len(cell) > MOST_CELL_CHARACTERS for cell in cells):
            raise FileRefused("cell_too_long", name=name, line=line, most=MOST_CELL_CHARACTERS)
        yield line, cells


def _header(head: list[tuple[int, list[Cell]]]) -> tuple[tuple[str, ...], int]:
    """Return the header and how many lines it takes, titles above it included.

    A lone cell above wider lines is a title. A line with gaps above a line of words alone is a heading merged over
    several columns: each column is called by both.
    """
    used = 0
    while used + 1 < len(head) and _filled(head[used][1]) == 1 < _filled(head[used + 1][1]):
        used += 1
    first = head[used][1]
    under = head[used + 1][1] if used + 1 < len(head) else []
    used += 1
    if _is_second_heading(first, under):
        width = max(len(first), len(under))
        above: str = ""
        names = []
        for place in range(width):
            upper = _text(first[place]) if place < len(first) else ""
            lower = _text(under[place]) if place < len(under) else ""
            above = upper or above
            names.append(f"{above} {lower}".strip() if lower else upper)
        return tuple(names), used + 1
    return tuple(_text(cell) for cell in first), used


def _is_second_heading(first: list[Cell], under: list[Cell]) -> bool:
    """Whether `under` continues a heading with gaps: words without figures, at least one under a gap."""
    gaps = [
        at for at, cell in enumerate(under) if cell is not None and (at >= len(first) or first[at] is None)
    ]
    are_words = all(
        cell is None or (isinstance(cell, str) and not any(one.isdigit() for one in cell)) for cell in under
    )
    return bool(gaps) and are_words and _filled(first) > 1


def _filled(cells: list[Cell]) -> int:
    return sum(cell is not None for cell in cells)


def _text(cell: Cell) -> str:
    return "" if cell is None else str(cell)
