"""Plain tables as CSV: bare numbers, guarded text that comes back as it was, marks as asked for."""

from __future__ import annotations

import csv
import datetime as dt
import io
from decimal import Decimal
from pathlib import Path

import pytest

from estimator.estimate import EstimateCancelled
from estimator.exports.csv_text import CsvFormat, CsvTable, csv_bytes
from estimator.exports.guard import guarded, unguarded
from estimator.imports.tables import read_table
from estimator.imports.work import read_work
from estimator.quote import Quote
from estimator.storage import read_quote
from estimator.wording import Language, NumberFormat, Wording
from tests.quotes import compared

SAMPLES = sorted((Path(__file__).parents[2] / "resources" / "samples").glob("*.cabida"))
TODAY = dt.date(2026, 11, 30)
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)
PLAIN = CsvFormat()


def sample(name: str = "indice-de-las-obras") -> Quote:
    return read_quote(next(file for file in SAMPLES if file.stem == name))


def rows(quote: Quote, table: CsvTable, csv_format: CsvFormat = PLAIN) -> list[list[str]]:
    text = csv_bytes(compared(quote, TODAY), table, WORDS, csv_format).decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=csv_format.separator))


def test_every_task_has_its_cards_and_times() -> None:
    found = rows(sample(), CsvTable.TASKS)
    assert found[0][:6] == ["Stage", "Task", "Name", "Cards", "Start, min", "End, min"]
    # two cards, 12 min a task: the fourth round ends at 48, then ten minutes of assembly
    assert sorted(row[1:6] for row in found[1:9])[0] == ["1", "", "1", "0", "12"]
    assert max(Decimal(row[5]) for row in found[1:9]) == 48
    assert found[9][:6] == ["Ensamblaje", "1", "", "", "48", "58"]
    assert len(found) == 10  # eight conversions, the assembly and the heads; a gate is no task


def test_totals_are_the_amounts_of_the_price() -> None:
    found = {row[0]: row for row in rows(sample(), CsvTable.COST)}
    assert found["Cards by the hour, RTX 4090 · Hivenet"][4] == "0.64"
    assert found["Almacenamiento"][4:] == ["", "21", "Not included"]


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
@pytest.mark.parametrize("table", list(CsvTable))
def test_every_table_is_rectangular_in_any_format(file: Path, table: CsvTable) -> None:
    quote = read_quote(file)
    for csv_format in (PLAIN, CsvFormat(";", ",", leading_mark=False), CsvFormat("\t", ".")):
        found = rows(quote, table, csv_format)
        assert len({len(row) for row in found}) == 1
        assert len(found) > (table is not CsvTable.PROJECTS or bool(quote.workload.projects))


def test_marks_are_as_asked_for() -> None:
    data = csv_bytes(compared(sample(), TODAY), CsvTable.COST, WORDS, CsvFormat(";", ",", leading_mark=False))
    assert not data.startswith(b"\xef\xbb\xbf")
    assert b";0,64;" in data
    assert csv_bytes(compared(sample(), TODAY), CsvTable.COST, WORDS, PLAIN).startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize("text", ["=SUM(A1:A9)", "+34 600", "-12.5", "@home", "plain", "'quoted", "", "a=b"])
def test_text_like_a_formula_is_guarded_and_comes_back_as_it_was(text: str) -> None:
    # O-XLS-01
    assert unguarded(guarded(text)) == text
    assert not guarded(text).startswith(("=", "+", "-", "@"))


def test_guarded_names_are_freed_when_they_are_imported_again() -> None:
    text = "task;min\r\n" + "\r\n".join(f"{guarded(name)};1" for name in ("=1+1", "@home", "plain"))
    work = read_work(read_table(text.encode(), "a.csv"))
    assert [row.name for row in work.rows] == ["=1+1", "@home", "plain"]


def test_a_negative_number_stays_a_number() -> None:
    quote = sample()
    discount = quote.pricing.tax_percent.replaced(value=Decimal(50))
    found = rows(quote.replaced(pricing=quote.pricing.replaced(discount_percent=discount)), CsvTable.COST)
    assert next(row for row in found if row[0] == "Discount")[4] == "-0.32"


def test_the_totals_of_plans_are_with_tax_only_where_a_rate_is_stated() -> None:
    quote = sample()
    without = quote.pricing.tax_percent.replaced(value=None)
    untaxed = quote.replaced(pricing=quote.pricing.replaced(tax_percent=without))
    assert rows(quote, CsvTable.PLANS)[0][4] == "With tax, EUR"
    assert rows(untaxed, CsvTable.PLANS)[0][4] == "Total, EUR"


def test_dates_follow_the_start_and_its_zone() -> None:
    quote = sample().replaced(start=dt.datetime(2026, 3, 29, 1, 50), time_zone="Europe/Madrid")
    found = rows(quote, CsvTable.TASKS)
    # at 2:00 the clocks go to 3:00: twelve minutes after 1:50 it is 3:02
    first = sorted(row[6:8] for row in found[1:9])[0]
    assert first == ["2026-03-29T01:50:00+01:00", "2026-03-29T03:02:00+02:00"]


def test_it_can_be_cancelled() -> None:
    with pytest.raises(EstimateCancelled):
        csv_bytes(compared(sample(), TODAY), CsvTable.TASKS, WORDS, PLAIN, cancelled=lambda: True)
