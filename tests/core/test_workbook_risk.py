"""The sheet of risk: the core's percentiles and the numbers ranked by worth, in both languages."""

from __future__ import annotations

import datetime as dt
import io
from pathlib import Path

import pytest
from openpyxl import load_workbook

from estimator.estimate import estimate
from estimator.exports.workbook import workbook_bytes
from estimator.results.estimate import Estimate
from estimator.results.risk import Spread
from estimator.storage import read_quote
from estimator.wording import Language, NumberFormat, Wording
from tests.quotes import compared

TODAY = dt.date(2026, 11, 30)
SAMPLE = Path(__file__).parents[2] / "resources" / "samples" / "indice-de-las-obras.cabida"


@pytest.fixture(scope="module")
def assessed() -> Estimate:
    return estimate(read_quote(SAMPLE), TODAY)


@pytest.mark.parametrize("language", list(Language))
def test_percentiles_chances_and_worth_are_the_core_s(assessed: Estimate, language: Language) -> None:
    words = Wording(language, NumberFormat.ES_ES)
    book = load_workbook(io.BytesIO(workbook_bytes(assessed, words, TODAY)), data_only=True)
    sheet = book[words.t("Risk")]
    cells = {
        str(row[1].value): [cell.value for cell in row[2:7]]
        for row in sheet.iter_rows(min_row=1, max_row=40)
        if row[1].value is not None
    }
    risk = assessed.risk(assessed.shown_plan_id)
    assert risk is not None
    spread = risk.spread
    assert isinstance(spread, Spread)
    delivery = cells[words.t("Delivery, {unit}", unit="min")]
    expected = [ms / 60_000 for ms in (spread.delivery.p10, spread.delivery.p50, spread.delivery.p90)]
    assert delivery[:3] == pytest.approx(expected, rel=1e-9)
    decisive = [one for one in assessed.assumptions if one.is_decisive]
    marked = [name for name in cells if name.endswith(words.t("{name}: decisive", name=""))]
    assert len(marked) == len(decisive) > 0


def test_without_replications_the_sheet_says_so() -> None:
    words = Wording(Language.ENGLISH, NumberFormat.EN_GB)
    book = load_workbook(io.BytesIO(workbook_bytes(compared(read_quote(SAMPLE)), words, TODAY)))
    assert book["Risk"]["B4"].value == "It is not computed yet."


def test_every_number_has_a_range_or_a_reason() -> None:
    words = Wording(Language.ENGLISH, NumberFormat.EN_GB)
    assessed = estimate(read_quote(SAMPLE.with_name("consultation-notes.cabida")), TODAY)
    sheet = load_workbook(io.BytesIO(workbook_bytes(assessed, words, TODAY)), data_only=True)["Risk"]
    (head,) = [row[1].row for row in sheet.iter_rows() if row[1].value == "Number"]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=head + 1)]
    assert len(rows) == len(assessed.assumptions) - 1  # whether tasks can be assigned is a condition alone
    assert all(row[2] or row[7] for row in rows)
    reasons = {row[1]: row[7] for row in rows}
    assert reasons["1 × H100 SXM, 80 GB › Price: decisive"] == "A price is confirmed before the quote is firm"
