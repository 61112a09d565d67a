"""What a cell can hold: every hazard of the format in one place."""

from __future__ import annotations

import datetime as dt
import io
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from estimator.exports.workbook.cells import (
    MOST_UNITS,
    Book,
    called,
    clean_text,
    in_footer,
    money_format,
    rounded_call,
    sheet_name,
    text_in_formula,
)

DAY = dt.date(2026, 11, 30)
any_text = st.text(st.characters(exclude_categories=()), max_size=40)


def written(*texts: str) -> Worksheet:
    """Return a sheet, read back, with each text in a row of its own."""
    stream = io.BytesIO()
    book = Book(stream, DAY, "t")
    sheet = book.sheet("S", "")
    for row, text in enumerate(texts):
        sheet.text(row, 0, text)
    book.close()
    return load_workbook(io.BytesIO(stream.getvalue()))["S"]


@pytest.mark.parametrize(
    "text", ["=1+1", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "{=A1}", "http://a.example", "1234", "1e5"]
)
def test_outside_text_stays_text(text: str) -> None:
    cell = written(text)["A1"]
    assert (cell.data_type, cell.value, cell.hyperlink) == ("s", text, None)


def test_characters_outside_xml_become_the_replacement_character() -> None:
    assert clean_text("a\x07b\ud800c\ufffe\uffffd\te\n") == "a\ufffdb\ufffdc\ufffd\ufffdd\te\n"


def test_text_that_looks_like_an_escape_is_read_back_as_written() -> None:
    # In the format _x0041_ stands for A unless its first mark is escaped as _x005F_.
    raw = io.BytesIO()
    book = Book(raw, DAY, "t")
    book.sheet("S", "").text(0, 0, "_x0041_")
    book.close()
    from zipfile import ZipFile

    shared = ZipFile(io.BytesIO(raw.getvalue())).read("xl/sharedStrings.xml").decode()
    assert "_x005F_x0041_" in shared


def test_text_too_long_for_a_cell_is_cut_with_an_ellipsis() -> None:
    assert clean_text("a" * MOST_UNITS) == "a" * MOST_UNITS
    assert clean_text("a" * (MOST_UNITS + 1)) == "a" * (MOST_UNITS - 1) + "…"
    cut = clean_text("😀" * MOST_UNITS)  # two UTF-16 units each
    assert len(cut.encode("utf-16-le")) // 2 <= MOST_UNITS
    assert cut.endswith("😀…")


@given(any_text)
def test_any_text_can_be_written(text: str) -> None:
    assert written(text)["A1"].data_type in ("s", "n")


@given(any_text, any_text)
def test_any_two_names_become_two_sheets_that_excel_takes(one: str, two: str) -> None:
    first = sheet_name(one)
    second = sheet_name(two, [first])
    for name in (first, second):
        assert 1 <= len(name) <= 31
        assert not set(name) & set("[]:*?/\\")
        assert name[0] != "'" != name[-1]
        assert name.casefold() != "history"
    assert first.casefold() != second.casefold()


def test_sheet_names_meet_the_known_traps() -> None:
    assert sheet_name("History") == "History 2"
    assert sheet_name("costo", ["Costo"]) == "costo 2"
    assert sheet_name("'a/b'") == "a b"
    assert sheet_name("x" * 40) == "x" * 31
    assert sheet_name("") == "_"


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), Decimal("-Infinity")])
def test_a_figure_that_is_not_known_is_never_a_number(value: Decimal) -> None:
    book = Book(io.BytesIO(), DAY, "t")
    sheet = book.sheet("S", "")
    with pytest.raises(ValueError, match="not known"):
        sheet.number(0, 0, value)
    with pytest.raises(ValueError, match="not known"):
        sheet.formula(0, 0, "1", value)
    book.close()


def test_a_whole_number_beyond_a_cell_is_text() -> None:
    stream = io.BytesIO()
    book = Book(stream, DAY, "t")
    sheet = book.sheet("S", "")
    sheet.number(0, 0, 2**60)
    sheet.number(1, 0, 2**53)
    book.close()
    found = load_workbook(io.BytesIO(stream.getvalue()))["S"]
    assert (found["A1"].data_type, found["A1"].value) == ("s", "1152921504606846976")
    assert found["A2"].value == 2**53


def test_a_cell_that_cannot_be_written_raises() -> None:
    book = Book(io.BytesIO(), DAY, "t")
    sheet = book.sheet("S", "")
    with pytest.raises(ValueError, match="not written"):
        sheet.number(1_048_576, 0, 1)
    book.close()


def test_formats_and_formulas_are_written_in_their_fixed_form() -> None:
    assert [money_format(digits) for digits in (0, 2, 3)] == ["#,##0", "#,##0.00", "#,##0.000"]
    assert rounded_call("A1*B1", 2) == "ROUND(ROUND(A1*B1,10),2)"
    assert text_in_formula('say "yes"') == '"say ""yes"""'
    assert in_footer("A & B") == "A && B"


def test_a_call_of_many_terms_is_nested() -> None:
    nested = called("MAX", [str(number) for number in range(450)])
    assert nested.startswith("MAX(MAX(0,1,")
    assert nested.count("MAX(") == 4  # 200 + 200 + 50, and one around
