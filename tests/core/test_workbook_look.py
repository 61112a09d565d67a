"""How a workbook looks: every text whole in its cell, organisations by name, prices and times in one format."""

from __future__ import annotations

import datetime as dt
import io
import itertools
import math
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.cell import Cell
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from estimator.exports.workbook import workbook_bytes
from estimator.quote import Quote
from estimator.storage import read_quote
from estimator.wording import Language, NumberFormat, Wording
from tests.quotes import compared

SAMPLES = sorted((Path(__file__).parents[2] / "resources" / "samples").glob("*.cabida"))
TODAY = dt.date(2026, 11, 30)
SPANISH = Wording(Language.SPANISH, NumberFormat.ES_ES)
ENGLISH = Wording(Language.ENGLISH, NumberFormat.EN_GB)
CHARACTERS = 1.3
"""Of Arial 10 in a width of one, at most, in running text."""
LINE, DEFAULT_HEIGHT, DEFAULT_WIDTH = 12.5, 15.0, 8.43


def sample(name: str) -> Quote:
    return read_quote(next(file for file in SAMPLES if file.stem == name))


def data_of(quote: Quote, words: Wording = ENGLISH) -> bytes:
    return workbook_bytes(compared(quote, TODAY), words, TODAY)


def book_of(quote: Quote, words: Wording = ENGLISH) -> Workbook:
    return load_workbook(io.BytesIO(data_of(quote, words)), data_only=True)


def cut_texts(sheet: Worksheet) -> Iterator[tuple[str, str, str]]:
    """Yield the texts that their cells, or the lines that their rows have room for, do not show whole."""
    merged = {(area.min_row, area.min_col): area for area in sheet.merged_cells.ranges}
    for row in sheet.iter_rows():
        for cell in row:
            if not isinstance(cell, Cell) or not isinstance(cell.value, str):
                continue
            area = merged.get((cell.row, cell.column))
            last_row, last = (cell.row, cell.column) if area is None else (area.max_row, area.max_col)
            width = sum(width_of(sheet, at) for at in range(cell.column, last + 1))
            lines = math.ceil(len(cell.value) / (width * CHARACTERS))
            if cell.alignment.wrap_text:
                room = sum(height_of(sheet, at) for at in range(cell.row, last_row + 1)) / LINE
                is_cut = lines > 1 and lines > room
            else:
                # Without a border it may reach over the empty cells beside it.
                is_cut = lines > 1 and cell.border.left.style is not None
            if is_cut:
                yield sheet.title, cell.coordinate, cell.value


def height_of(sheet: Worksheet, row: int) -> float:
    return float(sheet.row_dimensions[row].height or DEFAULT_HEIGHT)


def width_of(sheet: Worksheet, column: int) -> float:
    """The width of a column; neighbours of one width share their entry."""
    found = (one.width for one in sheet.column_dimensions.values() if one.min <= column <= one.max)
    return float(next(found, DEFAULT_WIDTH))


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
def test_every_text_stands_whole_in_its_cell(file: Path) -> None:
    for words in (SPANISH, ENGLISH):
        book = book_of(read_quote(file), words)
        assert [found for sheet in book for found in cut_texts(sheet)] == []


def test_a_long_stage_is_whole_where_its_name_stands_beside_figures() -> None:
    quote = sample("fachada-norte")
    first, *others = quote.workload.stages
    name = "Cálculo de los fotogramas de la fachada norte con luz de tarde"
    workload = quote.workload.replaced(stages=(first.replaced(name=name), *others))
    book = book_of(quote.replaced(workload=workload))
    assert [found for sheet in book for found in cut_texts(sheet)] == []
    assert {"Memory", "Lots", "Schedule"} <= {
        sheet.title for sheet in book for row in sheet.iter_rows() for cell in row if cell.value == name
    }


def test_organisations_go_by_their_names() -> None:
    quote = sample("consultation-notes")
    book = book_of(quote)
    said = {
        sheet.title: " ".join(str(cell.value) for row in sheet.iter_rows() for cell in row if cell.value)
        for sheet in book
    }
    for title in ("Quote", "Organisations", "Reception"):
        assert "4 at once" in said[title]
        assert not any(one.id in said[title] for one in quote.organisations)
    assert "4 at once, 4\u00a0×\u00a01" in said["Organisations"]


def test_times_as_calculated_have_their_thousands_and_prices_their_decimals() -> None:
    book = book_of(sample("consultation-notes"))
    rows = {row[1].value: row for row in book["Quote"].iter_rows() if len(row) > 4}
    compared_cells = rows["Transcription, min"][2:5]
    assert [(cell.value, cell.number_format) for cell in compared_cells] == [
        (2080, "#,##0"),
        (695.5, "#,##0.0"),
        (-1384.5, "#,##0.0"),
    ]
    # What follows a yellow cell may not stay whole.
    assert rows["Delivery"][2].number_format == "#,##0.0"
    assert book_of(sample("indice-de-las-obras"))["Quote"]["C9"].number_format == "General"
    formats = {row[1].value: row[2].number_format for row in book["Assumptions"].iter_rows() if len(row) > 2}
    assert formats["1 × H100 SXM, 80 GB › Price"] == "#,##0.00"
    assert formats["8 × H100 SXM, 80 GB › Price"] == "#,##0.00"
    assert formats["Work › Transcription › Duration"] == "#,##0.0"


def test_a_bar_that_repeats_the_time_before_it_has_no_label() -> None:
    result = compared(sample("consultation-notes"), TODAY)
    useless = sum(step.useless for step in result.staircase)
    with zipfile.ZipFile(io.BytesIO(workbook_bytes(result, ENGLISH, TODAY))) as package:
        charts = [package.read(one).decode() for one in package.namelist() if "/charts/chart" in one]
    (times,) = [one for one in charts if "Delivery by number of cards" in one]
    (nets,) = [one for one in charts if "Net by number of cards" in one]
    assert useless > 0
    assert times.count('<c:delete val="1"/></c:dLbl>') == useless
    assert '<c:delete val="1"/></c:dLbl>' not in nets


def test_a_source_is_no_key_of_the_catalogue() -> None:
    book = book_of(sample("indice-de-las-obras"), SPANISH)
    said = {row[7].value for row in book["Supuestos"].iter_rows() if len(row) > 7}
    assert "Hivenet, article on GPU clusters (Spanish edition), undated" in said
    assert "Ficticio, por fórmula; no es oferta de ningún proveedor" in said
    assert "HIVEART" not in said


def test_neighbours_of_the_memory_chart_stay_apart_without_colour() -> None:
    with zipfile.ZipFile(io.BytesIO(data_of(sample("consultation-notes")))) as package:
        charts = [package.read(one).decode() for one in package.namelist() if "/charts/chart" in one]
    (memory,) = [one for one in charts if "Memory of one card, GiB" in one]
    fills = [
        re.search(r'pattFill prst="(\w+)"', part)
        for part in memory.split("<c:lineChart>")[0].split("<c:ser>")[1:]
    ]
    found = [None if one is None else one.group(1) for one in fills]
    assert len(found) == 6
    assert all(one != other for one, other in itertools.pairwise(found))
