"""Sheets of very many rows, written row by row straight into the workbook's package, in constant memory.

The library writes the workbook with these sheets holding their heads and one row of samples; here that row gives way
to the true ones. Which cells a row has is `task_rows`' business.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import IO, BinaryIO
from xml.sax.saxutils import escape

from estimator.exports.workbook.cells import Sheet, clean_text, column_name

Style = tuple[str, str]
"""Name and number format."""

_PART_DATE = (1980, 1, 1, 0, 0, 0)
_COMPRESSION = 1
_ROWS_A_BLOCK = 500
_ESCAPE = re.compile(r"(_x[0-9a-fA-F]{4}_)")
_CELL = re.compile(r'<c r="[A-Z]+[0-9]+" s="([0-9]+)"')


@dataclass(frozen=True, slots=True)
class StreamedSheet:
    """A sheet to be filled: `number` among all sheets, from 1; its rows from line `first` on, `count` of them."""

    number: int
    first: int
    count: int
    last_column: int
    styles: tuple[Style, ...]


def write_samples(sheet: Sheet, line: int, styles: Sequence[Style]) -> None:
    """Write the row whose cells tell the numbers that the library gave the styles."""
    for column, (name, number_format) in enumerate(styles):
        sheet.raw.write_blank(line, column, None, sheet.book.style(name, number_format))


def inline(text: str) -> str:
    """Return a text as a sheet holds it in place: what looks like an escape or a formula stays text."""
    text = clean_text(text)
    if "_x" in text:
        text = _ESCAPE.sub(r"_x005F\1", text)
    space = ' xml:space="preserve"' if text != text.strip() else ""
    return f"<t{space}>{escape(text)}</t>"


def repacked(
    workbook: io.BytesIO,
    target: BinaryIO | IO[bytes],
    sheets: Sequence[StreamedSheet],
    row_xml: Callable[[int, Mapping[Style, str]], str],
    heard: Callable[[float], None],
) -> None:
    """Write the workbook to `target` with the rows of its streamed sheets: `row_xml` gives row n.

    `heard` is told how far it is, some times a second, and may raise to stop.
    """
    parts = {f"xl/worksheets/sheet{one.number}.xml": one for one in sheets}
    total = sum(one.count for one in sheets)
    since = 0
    with (
        zipfile.ZipFile(workbook) as source,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION) as package,
    ):
        for entry in source.infolist():
            info = zipfile.ZipInfo(entry.filename, _PART_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = entry.external_attr
            data = source.read(entry)
            sheet = parts.get(entry.filename)
            if sheet is None:
                package.writestr(info, data)
                continue
            with package.open(info, "w") as part, ThreadPoolExecutor(1) as packer:
                packed: Future[int] | None = None
                for block in _filled(data.decode("utf-8"), sheet, since, total, row_xml, heard):
                    if packed is not None:
                        packed.result()
                    # Compression leaves the interpreter free: the next rows are made meanwhile.
                    packed = packer.submit(part.write, block.encode("utf-8"))
                if packed is not None:
                    packed.result()
            since += sheet.count


def _filled(
    xml: str,
    sheet: StreamedSheet,
    since: int,
    total: int,
    row_xml: Callable[[int, Mapping[Style, str]], str],
    heard: Callable[[float], None],
) -> Iterator[str]:
    begin = xml.index(f'<row r="{sheet.first + 1}"')
    end = xml.index("</row>", begin) + len("</row>")
    found = _CELL.findall(xml[begin:end])
    numbers = dict(zip(sheet.styles, found, strict=True))
    last = f"{column_name(sheet.last_column)}{sheet.first + sheet.count}"
    yield re.sub(r'<dimension ref="[^"]*"/>', f'<dimension ref="A1:{last}"/>', xml[:begin])
    block: list[str] = []
    for row in range(since, since + sheet.count):
        block.append(row_xml(row, numbers))
        if len(block) == _ROWS_A_BLOCK:
            heard(row / total)
            yield "".join(block)
            block.clear()
    yield "".join(block)
    yield xml[end:]
