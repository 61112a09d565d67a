"""What hostile files may cost before they are refused: seconds and memory, whatever the parser would have kept."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook

from estimator.imports.tables import LARGEST_TEXT_BYTES, MOST_SHEET_ROWS, read_table

ROOT = Path(__file__).parents[2]
HEAD = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
PREFIXED = b'<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData>'


def book(part: str, content: bytes) -> bytes:
    """A workbook of one sheet, one of whose parts is replaced or added."""
    plain, stream = io.BytesIO(), io.BytesIO()
    made = Workbook()
    assert made.active is not None
    made.active.append(["Name", "Minutes"])
    made.save(plain)
    with (
        zipfile.ZipFile(plain) as source,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name in source.namelist():
            if name != part:
                archive.writestr(name, source.read(name))
        archive.writestr(part, content)
    return stream.getvalue()


def sheet(rows: bytes) -> bytes:
    return book("xl/worksheets/sheet1.xml", HEAD + rows + b"</sheetData></worksheet>")


def prefixed(rows: bytes) -> bytes:
    return book("xl/worksheets/sheet1.xml", PREFIXED + rows + b"</x:sheetData></x:worksheet>")


def strings(count: int) -> bytes:
    start = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    return book("xl/sharedStrings.xml", start + b"<si/>" * count + b"</sst>")


def hidden() -> bytes:
    """A sheet with an entity, under a name that no XML has."""
    stream = io.BytesIO()
    declared = b'<!DOCTYPE w [<!ENTITY a "aaaa">]>' + HEAD + b"</sheetData></worksheet>"
    with (
        zipfile.ZipFile(io.BytesIO(book("xl/worksheets/sheet1.bin", declared))) as source,
        zipfile.ZipFile(stream, "w") as archive,
    ):
        for name in source.namelist():
            if name != "xl/worksheets/sheet1.xml":
                archive.writestr(name, source.read(name).replace(b"sheet1.xml", b"sheet1.bin"))
    return stream.getvalue()


HOSTILE: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "empty rows": ("a.xlsx", lambda: sheet(b"<row/>" * 10_000_000), "too_many_rows"),
    "empty rows with a prefix": ("a.xlsx", lambda: prefixed(b"<x:row/>" * 7_000_000), "too_many_rows"),
    "as many empty rows as a sheet has": (
        "a.xlsx",
        lambda: sheet(b"<row/>" * MOST_SHEET_ROWS),
        "table_empty",
    ),
    "one row of millions of cells": (
        "a.xlsx",
        lambda: sheet(b"<row>" + b"<c><v>1</v></c>" * 1_900_000 + b"</row>"),
        "workbook_unpacks_too_large",
    ),
    "cells that hold nothing": (
        "a.xlsx",
        lambda: sheet((b"<row>" + b"<c/>" * 1_000 + b"</row>") * 20_000),
        "workbook_unpacks_too_large",
    ),
    "texts that no cell uses": ("a.xlsx", lambda: strings(10_000_000), "workbook_unpacks_too_large"),
    "an entity in a part of another name": ("a.xlsx", hidden, "workbook_has_entities"),
    "a line of separators": ("a.csv", lambda: b";" * 20_000_000, "too_many_columns"),
    "a record over many lines": ("a.csv", lambda: b'"\na";' * 5_000_000, "too_many_columns"),
    "one wide character after very many narrow ones": (
        "a.csv",
        lambda: b"\n" * (LARGEST_TEXT_BYTES - 4) + "\U0001f9ee".encode(),
        "table_empty",
    ),
    "more text than is read": (
        "a.csv",
        lambda: b"\n" * (LARGEST_TEXT_BYTES + 1),
        "file_too_large",
    ),
    "blank lines": ("a.csv", lambda: b"\n" * 10_000_000, "table_empty"),
    "attributes": (
        "a.xml",
        lambda: b"<Project " + b" ".join(b'a%d="1"' % number for number in range(1_000_000)) + b"/>",
        "project_too_deep",
    ),
}
READ = """
import re, sys, time
from pathlib import Path
from estimator.imports.projects import read_project
from estimator.imports.tables import read_table
from estimator.problems import FileRefused
path = Path(sys.argv[1])
# The peak of this program alone: what getrusage says begins with that of the process which started it.
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before, started, said = peak(), time.process_time(), ""
try:
    (read_project if path.suffix == ".xml" else read_table)(path)
except FileRefused as refused:
    said = refused.code
print(said, time.process_time() - started, (peak() - before) / 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read as Linux says it")
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_refused_within_five_seconds_and_200_mb(kind: str, tmp_path: Path) -> None:
    name, data, code = HOSTILE[kind]
    path = tmp_path / name
    path.write_bytes(data())
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)], cwd=ROOT, check=True, capture_output=True, timeout=120
    )
    said, seconds, mib = done.stdout.decode().split()
    assert said == code
    assert float(seconds) < 5
    assert 0 < float(mib) < 190  # 200 MB


def test_a_full_sheet_of_a_planner_is_read() -> None:
    cells = b"".join(
        b'<row><c t="inlineStr"><is><t>n%d</t></is></c><c><v>%d</v></c></row>' % (number, number)
        for number in range(20_000)
    )
    assert len(read_table(sheet(cells), "a.xlsx").rows) == 19_999
