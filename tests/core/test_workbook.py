"""The workbook as a whole: live formulas with stored values, only true inputs yellow, whole or not at all."""

from __future__ import annotations

import datetime as dt
import io
import struct
import zipfile
import zlib
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.workbook import Workbook

from estimator.catalogue import HourlyOffer
from estimator.estimate import EstimateCancelled
from estimator.exports.workbook import workbook_bytes, write_workbook
from estimator.problems import FileRefused
from estimator.quote import Quote
from estimator.results.estimate import Estimate
from estimator.storage import quote_from_text
from estimator.wording import Language, NumberFormat, Wording
from tests.quotes import compared

TODAY = dt.date(2026, 11, 30)
ENGLISH = Wording(Language.ENGLISH, NumberFormat.EN_GB)
SAMPLES = ("indice-de-las-obras", "fachada-norte", "dinamica-molecular", "afinado-cooperativo")


def sample(name: str = "indice-de-las-obras") -> Quote:
    return quote_from_text((Path(str(files("resources.samples"))) / f"{name}.cabida").read_text("utf-8"))


def made(quote: Quote, *, data_only: bool = False) -> tuple[Estimate, Workbook]:
    result = compared(quote, TODAY)
    data = workbook_bytes(result, ENGLISH, TODAY)
    return result, load_workbook(io.BytesIO(data), data_only=data_only)


def answers(book: Workbook) -> dict[str, object]:
    sheet = book["Quote"]
    return {sheet.cell(row, 2).value: sheet.cell(row, 3).value for row in range(5, 19)}


def texts(book: Workbook) -> list[str]:
    return [
        cell.value
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "s" and cell.value
    ]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_answers_are_those_of_the_estimate(name: str) -> None:
    result, book = made(sample(name), data_only=True)
    plan = result.shown_plan
    assert plan is not None
    found = answers(book)
    per_ms = 3_600_000 if plan.timing.delivery_ms >= 48 * 3_600_000 else 60_000
    assert found["Cards required"] == plan.timing.cards
    assert found["Delivery"] == pytest.approx(plan.timing.delivery_ms / per_ms)
    assert isinstance(plan.price.gross, Decimal)
    assert found["Total"] == float(plan.price.gross)
    assert isinstance(plan.price.net, Decimal)
    assert found["Net"] == float(plan.price.net)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_formula_has_a_stored_value(name: str) -> None:
    _, formulas = made(sample(name))
    _, stored = made(sample(name), data_only=True)
    cells = [
        (sheet.title, cell.coordinate)
        for sheet in formulas
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "f"
    ]
    assert len(cells) > 20
    assert [at for at in cells if stored[at[0]][at[1]].value is None] == []


def test_only_named_validated_cells_are_yellow_and_unlocked() -> None:
    _, book = made(sample())
    yellow = {
        (sheet.title, cell.coordinate)
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
        if cell.fill.fgColor.rgb == "FFFFF2C8"
    }
    unlocked = {
        (sheet.title, cell.coordinate)
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
        if not cell.protection.locked
    }
    named = set()
    for name in book.defined_names.values():
        for sheet, cell in name.destinations:
            named.add((sheet, cell.replace("$", "")))
    validated = {("Quote", str(rule.sqref)) for rule in book["Quote"].data_validations.dataValidation}
    blank = {at for at in unlocked if at[0] == "Reception"}
    assert yellow == unlocked - blank == named == validated
    assert {book[sheet][cell].value for sheet, cell in blank} == {None}
    assert {sheet.protection.sheet for sheet in book} == {True}
    assert set(book.defined_names) >= {"unit_time_conversion", "slow_down", "tax_percent"}


def test_cards_and_terms_are_no_inputs_because_they_would_change_the_plan() -> None:
    _, book = made(sample("dinamica-molecular"))
    moving = (
        "tasks_",
        "lots_",
        "unit_time_",
        "factor_",
        "hold_",
        "set_up_",
        "price_",
        "rate_",
        "fee_",
        "quantity_",
    )
    others = {"slow_down", "discount_percent", "contingency_percent", "tax_percent"}
    assert not [name for name in book.defined_names if not name.startswith(moving) and name not in others]


def test_the_same_estimate_gives_the_same_bytes_and_the_date_is_the_quotes() -> None:
    result = compared(sample().replaced(date=dt.date(2026, 5, 4)), TODAY)
    first = workbook_bytes(result, ENGLISH, TODAY)
    assert first == workbook_bytes(result, ENGLISH, dt.date(2030, 1, 1))
    assert load_workbook(io.BytesIO(first)).properties.created == dt.datetime(2026, 5, 4)


def test_sample_prices_say_sample_wherever_they_appear() -> None:
    result, book = made(sample("dinamica-molecular"))
    assert result.shown_plan is not None
    assert result.shown_plan.is_sample
    for title in ("Quote", "Cost", "Lots", "Assumptions"):
        found = [
            text for row in book[title].iter_rows(values_only=True) for text in row if isinstance(text, str)
        ]
        assert [text for text in found if "SAMPLE" in text], title


def test_a_quote_with_no_price_has_no_total() -> None:
    quote = sample()
    offers = tuple(
        offer.replaced(price_per_card_hour=None)
        if isinstance(offer, HourlyOffer)
        else offer.replaced(terms=())
        for offer in quote.offers
    )
    result, book = made(quote.replaced(offers=offers, chosen_plan=""))
    assert result.shown_plan is None
    assert answers(book)["Total"] == "—"
    assert "No plan has a price yet." in texts(book)


def test_an_empty_quote_still_makes_a_workbook() -> None:
    _, book = made(Quote())
    assert "There is nothing to answer yet." in texts(book)
    assert len(book.sheetnames) == 11


def test_names_that_look_like_formulas_stay_text_everywhere() -> None:
    quote = sample()
    stages = tuple(stage.replaced(name=f"={stage.name}") for stage in quote.workload.stages)
    offers = tuple(offer.replaced(name="=cmd|' /C calc'!A0", source="=1+1") for offer in quote.offers)
    quote = quote.replaced(
        name="=1+1", number="&P=2", workload=quote.workload.replaced(stages=stages), offers=offers
    )
    _, book = made(quote)
    assert book["Quote"]["B1"].data_type == "s"
    assert not [text for text in texts(book) if text.startswith("#")]
    formulas = [
        cell.value for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "f"
    ]
    assert not [formula for formula in formulas if "cmd|" in str(formula) or formula == "=1+1"]


def test_both_languages_have_their_own_sheets_and_footers() -> None:
    result = compared(sample(), TODAY)
    spanish = Wording(Language.SPANISH, NumberFormat.ES_ES)
    book = load_workbook(io.BytesIO(workbook_bytes(result, spanish, TODAY)))
    assert "Memoria" in book.sheetnames
    footer = book.worksheets[0].oddFooter
    assert "&P" in str(footer.right.text) or "Page" in str(footer.right.text)
    assert all(sheet.page_setup.orientation == "landscape" for sheet in book)
    assert all(sheet.page_setup.fitToWidth in (1, None) for sheet in book)


def test_the_full_picture_is_put_in_when_given_and_said_in_words_when_not() -> None:
    result = compared(sample(), TODAY)
    without = load_workbook(io.BytesIO(workbook_bytes(result, ENGLISH, TODAY)))
    assert [text for text in texts(without) if text.startswith("The full picture of the schedule is in")]
    data = workbook_bytes(result, ENGLISH, TODAY, gantt_png=_png(40, 20))
    assert [name for name in zipfile.ZipFile(io.BytesIO(data)).namelist() if name.endswith(".png")]


def _png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + b"\xff" * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def test_a_folder_that_is_not_there_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    result = compared(sample(), TODAY)
    with pytest.raises(FileRefused) as refused:
        write_workbook(result, tmp_path / "none" / "a.xlsx", ENGLISH, TODAY)
    assert (refused.value.code, refused.value.values["name"]) == ("not_found", "a.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_a_refused_or_cancelled_export_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    result = compared(sample(), TODAY)
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"old")
    with pytest.raises(EstimateCancelled):
        write_workbook(result, path, ENGLISH, TODAY, cancelled=lambda: True)
    assert path.read_bytes() == b"old"
    heard: list[float] = []
    write_workbook(result, path, ENGLISH, TODAY, progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == 1
    assert [one.name for one in tmp_path.iterdir()] == ["a.xlsx"]
    assert zipfile.is_zipfile(path)
