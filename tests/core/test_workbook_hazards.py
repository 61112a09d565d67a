"""Each known hazard of the format on a whole exported workbook; those of a single cell stand in test_workbook_cells.

What went wrong in other programs: text that became a formula, totals stored as 0, hours that began again at 24.
"""

from __future__ import annotations

import datetime as dt
import io
import re
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.workbook import Workbook

from estimator.catalogue import Card, HourlyOffer
from estimator.evidence import GIVEN, Stated
from estimator.exports.workbook import workbook_bytes, write_workbook
from estimator.exports.workbook.cells import Book, sheet_name
from estimator.imports.tables import read_table
from estimator.problems import FileRefused
from estimator.quote import Fee, FeeKind, Organisation, Pricing, Quote, Stage, StageLayout, Tasks, Workload
from estimator.storage import quote_from_text, quote_to_text
from estimator.units import TimeUnit
from estimator.wording import Language, NumberFormat, Wording
from tests.quotes import compared

D = Decimal
TODAY = dt.date(2026, 11, 30)
ENGLISH = Wording(Language.ENGLISH, NumberFormat.EN_GB)
SPANISH = Wording(Language.SPANISH, NumberFormat.ES_ES)
KNOWN_FUNCTIONS = {"SUM", "MAX", "MIN", "ROUND", "ROUNDUP", "IF", "OR", "INT", "MOD", "SUMPRODUCT", "SUMIF"}


def given(value: str) -> Stated:
    return Stated(value=D(value), evidence=GIVEN)


def small(**changes: object) -> Quote:
    """Return one task of an hour on one free card, so that only what a test adds costs anything."""
    stage = Stage(id="s", name="Solve", tasks=Tasks(count=(1,), duration=(D(60),)))
    offer = HourlyOffer(id="h", name="Own", card_id="c", price_per_card_hour=D(0), price_date=TODAY)
    quote = Quote(
        workload=Workload(stages=(stage,)),
        organisations=(Organisation(id="A", layouts=(StageLayout(stage_id="s", tasks_at_once=1),)),),
        cards=(Card(id="c", name="Card", marketed_gb=D(24)),),
        offers=(offer,),
        date=TODAY,
    )
    return quote.replaced(**changes)


def with_fees(*prices: str) -> Quote:
    fees = tuple(Fee(id=f"f{n}", kind=FeeKind.OTHER, price=given(one)) for n, one in enumerate(prices))
    return small(pricing=Pricing(tax_percent=given("0"), fees=fees))


def book_of(quote: Quote, words: Wording = ENGLISH, *, data_only: bool = False) -> Workbook:
    return load_workbook(io.BytesIO(data_of(quote, words)), data_only=data_only)


def data_of(quote: Quote, words: Wording = ENGLISH) -> bytes:
    return workbook_bytes(compared(quote, TODAY), words, TODAY)


def answers(book: Workbook) -> dict[object, object]:
    sheet = book.worksheets[0]
    return {sheet.cell(row, 2).value: sheet.cell(row, 3).value for row in range(5, 18)}


def test_names_that_look_like_formulas_come_back_unchanged_and_a_negative_number_stays_a_number() -> None:
    names = ("=SUM(A1:A9)", "+34 600", "-12", "@home", "\tTab")
    stages = tuple(
        Stage(id=f"s{n}", name=name, tasks=Tasks(count=(1,), duration=(D(1),)))
        for n, name in enumerate(names)
    )
    layouts = tuple(StageLayout(stage_id=stage.id, tasks_at_once=1) for stage in stages)
    quote = small(
        workload=Workload(stages=stages),
        organisations=(Organisation(id="A", layouts=layouts),),
        pricing=Pricing(
            tax_percent=given("0"),
            discount_percent=given("12.5"),
            fees=(Fee(id="f", kind=FeeKind.OTHER, name="=1+1", price=given("100")),),
        ),
    )
    data = data_of(quote)
    sheet = load_workbook(io.BytesIO(data))["Schedule"]
    assert [(sheet.cell(5 + n, 2).value, sheet.cell(5 + n, 2).data_type) for n in range(5)] == [
        (name, "s") for name in names
    ]
    cost = load_workbook(io.BytesIO(data), data_only=True)["Cost"]
    discount = next(row for row in cost.iter_rows(values_only=True) if row[1] == "Discount")
    assert discount[6] == -12.5  # 12.5 % of 100.00


def test_a_table_of_such_names_is_read_again_as_it_was_written() -> None:
    names = ("=SUM(A1:A9)", "+34 600", "-12", "@home")
    stream = io.BytesIO()
    book = Book(stream, TODAY, "t")
    sheet = book.sheet("S", "")
    for row, text in enumerate(("Name", *names)):
        sheet.text(row, 0, text)
        sheet.number(row, 1, D("-12.5"))
    book.close()
    table = read_table(stream.getvalue(), "a.xlsx")
    assert table.rows == tuple((name, D("-12.5")) for name in names)


def test_numbers_are_stored_without_a_language() -> None:
    book = book_of(with_fees("0.26", "1234.5", "4.00"), SPANISH, data_only=True)
    prices = [book.worksheets[2].cell(row, 4).value for row in range(5, 8)]
    assert prices == [0.26, 1234.5, 4]
    assert not [one for one in prices if isinstance(one, str)]
    assert answers(book)["Neto"] == 1238.76


def test_a_total_is_stored_beside_its_formula() -> None:
    quote = with_fees("99.99", "13.33", "14.00")
    assert answers(book_of(quote, data_only=True))["Total"] == 127.32
    assert str(answers(book_of(quote))["Total"]).startswith("=")


def test_long_sheet_names_that_share_their_beginning_stay_apart() -> None:
    wanted = (
        "Entrenamiento modelo grande fase 1",
        "Entrenamiento modelo grande fase 2",
        "A/B: test [v2]?",
        "lote*1",
    )
    found: list[str] = []
    for name in wanted:
        found.append(sheet_name(name, found))
    assert len({name.casefold() for name in found}) == 4
    assert max(map(len, found)) <= 31
    assert not set("".join(found)) & set(":\\/?*[]")


def test_a_control_character_is_replaced_with_a_notice_and_the_quote_keeps_it() -> None:
    quote = small(name="line one\x0bline two")
    book = book_of(quote)
    assert book["Quote"]["B1"].value == "line one\ufffdline two"
    assert str(book["Quote"]["B3"].value).startswith("1 text is not whole here")
    assert quote_from_text(quote_to_text(quote)).name == "line one\x0bline two"


def test_a_text_too_long_for_a_cell_is_cut_with_a_notice() -> None:
    stage = Stage(id="s", name="n" * 40_000, tasks=Tasks(count=(1,), duration=(D(60),)))
    book = book_of(small(workload=Workload(stages=(stage,))))
    longest = max(
        len(cell.value)
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
        if isinstance(cell.value, str)
    )
    assert longest == 32_767
    assert "not whole here" in str(book["Quote"]["B3"].value)


def test_a_text_without_such_trouble_gives_no_notice() -> None:
    assert book_of(small(name="Straße “é” 日本"))["Quote"]["B3"].value is None


def test_a_start_is_a_date_of_the_quotes_zone_and_the_zone_is_named() -> None:
    # 01:30 UTC on the day the clocks go forward in Madrid is 03:30 there: day 46110 and 3.5/24.
    start = dt.datetime(2026, 3, 29, 1, 30, tzinfo=dt.UTC)
    book = book_of(small(start=start, time_zone="Europe/Madrid"))
    row = next(row for row in book["Assumptions"].iter_rows() if row[1].value == "Start")
    assert row[2].value == dt.datetime(2026, 3, 29, 3, 30)
    assert row[2].number_format == "yyyy\\-mm\\-dd\\ hh:mm"
    assert row[3].value == "Europe/Madrid"


def test_a_day_before_march_1900_is_text_because_the_format_counts_one_that_never_was() -> None:
    stream = io.BytesIO()
    book = Book(stream, TODAY, "t")
    sheet = book.sheet("S", "")
    sheet.moment(0, 0, dt.datetime(1900, 2, 28))
    sheet.moment(1, 0, dt.datetime(1900, 3, 1))
    sheet.moment(2, 0, dt.datetime(2026, 1, 1))
    book.close()
    found = load_workbook(io.BytesIO(stream.getvalue()))["S"]
    assert [found.cell(row, 1).value for row in (1, 2, 3)] == [
        "1900-02-28 00:00",
        dt.datetime(1900, 3, 1),  # serial 61
        dt.datetime(2026, 1, 1),  # serial 46023
    ]


def test_hours_do_not_begin_again_after_a_day() -> None:
    # 1 day 02:03:04 = 93,784 s = 1.085462963 days, shown as 26:03:04.
    stage = Stage(id="s", name="Solve", tasks=Tasks(count=(1,), duration=(D(93_784),), unit=TimeUnit.SECOND))
    quote = small(workload=Workload(stages=(stage,)))
    sheet = book_of(quote)["Quote"]
    row = next(row for row in range(5, 18) if sheet.cell(row, 2).value == "Delivery, h:mm:ss")
    assert sheet.cell(row, 3).number_format == "[h]:mm:ss"
    found = answers(book_of(quote, data_only=True))
    assert found["Delivery, h:mm:ss"] == dt.timedelta(days=1, hours=2, minutes=3, seconds=4)
    assert found["Delivery"] == pytest.approx(93_784 / 60)


@pytest.mark.parametrize("words", [ENGLISH, SPANISH], ids=["en", "es"])
def test_formulas_are_in_the_files_own_form_and_use_only_functions_that_every_program_has(
    words: Wording,
) -> None:
    text = (Path(str(files("resources.samples"))) / "dinamica-molecular.cabida").read_text("utf-8")
    book = book_of(quote_from_text(text), words)
    formulas = [
        cell.value for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "f"
    ]
    outside_quotes = [re.sub(r"\"[^\"]*\"|'[^']*'", "", str(formula)) for formula in formulas]
    assert {type(formula) for formula in formulas} == {str}  # an array formula is an object of its own
    assert not [one for one in outside_quotes if ";" in one or "{" in one or "_xlfn" in one]
    used = {name for one in outside_quotes for name in re.findall(r"([A-Z]+)\(", one)}
    assert {"SUM", "MAX", "ROUND"} <= used <= KNOWN_FUNCTIONS


def test_no_merged_cell_lies_in_a_filter_and_merged_cells_do_not_overlap() -> None:
    text = (Path(str(files("resources.samples"))) / "dinamica-molecular.cabida").read_text("utf-8")
    for sheet in book_of(quote_from_text(text)):
        assert sheet.auto_filter.ref is None
        cells = [cell for merged in sheet.merged_cells.ranges for cell in merged.cells]
        assert len(cells) == len(set(cells))


def test_a_file_that_may_not_be_replaced_is_named_and_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"old")

    def denied(*_: object) -> None:
        raise PermissionError(13, "open in another program", str(path))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.replace", denied)
        with pytest.raises(FileRefused) as refused:
            write_workbook(compared(small(), TODAY), path, ENGLISH, TODAY)
    assert (refused.value.code, refused.value.values["name"]) == ("no_permission", "a.xlsx")
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["a.xlsx"]
