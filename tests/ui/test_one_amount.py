"""The total and the delivery are one number wherever they are read: page, workbook, paper and plain data."""

from __future__ import annotations

import datetime as dt
import io
import json
import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from openpyxl import load_workbook
from PySide6.QtWidgets import QApplication

from estimator.exports.json_text import json_text
from estimator.exports.workbook import workbook_bytes
from estimator.problems import Absent
from estimator.quote import Quote
from estimator.quote.document import ExchangeRate
from estimator.results.estimate import Estimate
from estimator.storage import read_quote
from estimator.wording import Language, NumberFormat, Wording
from tests.quotes import compared, mixed_quote
from tests.ui.test_printing import said
from ui.pages.cost_lines import line_rows
from ui.printing import quote_pdf

SAMPLES = sorted((Path(__file__).parents[2] / "resources" / "samples").glob("*.cabida"))
TODAY = dt.date(2026, 11, 30)
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)
MILLISECONDS = {"min": 60_000, "h": 3_600_000}


def in_currency(code: str, rate: str) -> Quote:
    """A sample priced in euros, quoted in another currency."""
    quote = read_quote(next(file for file in SAMPLES if file.stem == "credit-risk"))
    euros = ExchangeRate(currency=quote.pricing.currency, rate=Decimal(rate), date=TODAY, source="Bank")
    return quote.replaced(pricing=quote.pricing.replaced(currency=code, rates=(euros,)))


QUOTES = [pytest.param(read_quote(file), id=file.stem) for file in SAMPLES]
QUOTES += [
    pytest.param(mixed_quote(), id="mixed"),
    pytest.param(in_currency("USD", "1.0873"), id="USD"),
    pytest.param(in_currency("JPY", "161.37"), id="JPY, no minor unit"),
    pytest.param(in_currency("KWD", "0.33417"), id="KWD, three decimals"),
]


def figure(text: str) -> Decimal:
    """The number in a text written the British way."""
    found = re.search(r"-?[\d,]*\d(\.\d+)?", text)
    assert found is not None, text
    return Decimal(found.group().replace(",", ""))


def on_the_page(result: Estimate) -> dict[str, Decimal]:
    rows = {row.id: row.amount for row in line_rows(WORDS, result.quote, result)}
    return {"net": figure(rows["net"]), "gross": figure(rows["total"])}


def in_the_workbook(result: Estimate) -> tuple[Decimal, Decimal]:
    """The total, and the delivery in milliseconds, of the first sheet."""
    book = load_workbook(io.BytesIO(workbook_bytes(result, WORDS, TODAY)), data_only=True)
    rows: dict[object, Sequence[object]] = {}
    for cells in book.worksheets[0].iter_rows(values_only=True):
        told = [cell for cell in cells if cell is not None]
        if len(told) > 1:
            rows.setdefault(told[0], told)
    length, unit = rows["Delivery"][1:3]
    return Decimal(str(rows["Total"][1])), Decimal(str(length)) * MILLISECONDS[str(unit)]


@pytest.mark.parametrize("quote", QUOTES)
def test_page_workbook_paper_and_json_say_one_total(quote: Quote, qapp: QApplication, tmp_path: Path) -> None:
    result = compared(quote, TODAY)
    plan = result.shown_plan
    assert plan is not None
    assert not isinstance(plan.price.gross, Absent)
    of = next(one for one in json.loads(json_text(result))["organisations"] if one["plan"] == plan.id)
    gross, net = Decimal(of["cost"]["gross"]), Decimal(of["cost"]["net"])
    assert (gross, net) == (plan.price.gross, plan.price.net)
    assert on_the_page(result) == {"net": net, "gross": gross}
    book_gross, book_delivery = in_the_workbook(result)
    assert book_gross == gross
    assert round(book_delivery) == of["duration_ms"]
    text = said(quote_pdf(result, WORDS, qapp.font()), tmp_path, "-layout")
    assert f"{gross:,}" in text, gross
