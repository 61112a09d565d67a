"""Issuing: figures frozen into the document, revisions counted by number, and what differs afterwards."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

from estimator.issuing import Difference, differences, figures_of, issued, next_revision, why_not
from estimator.quote import Party, Quote
from estimator.quote.issue import IssuedFigures
from estimator.results.estimate import Estimate
from estimator.storage import quote_from_text, quote_to_text, read_quote
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.issued import COMPARED, difference_text, figure_name, figure_text, issue_text
from tests.quotes import compared

SAMPLE = Path(__file__).parents[2] / "resources" / "samples" / "indice-de-las-obras.cabida"
TODAY = dt.date(2026, 11, 30)
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)
D = Decimal


def made(quote: Quote) -> Estimate:
    return compared(quote, TODAY)


def issued_sample() -> Quote:
    quote = read_quote(SAMPLE)
    return issued(quote, figures_of(made(quote)), TODAY)


def slower(quote: Quote, minutes: int) -> Quote:
    stages = tuple(
        stage.replaced(tasks=stage.tasks.replaced(duration=(D(minutes),))) if stage.on_cards else stage
        for stage in quote.workload.stages
    )
    return quote.replaced(workload=quote.workload.replaced(stages=stages))


def test_what_was_issued_is_the_answer_of_that_day() -> None:
    quote = issued_sample()
    (issue,) = quote.issues
    assert (issue.number, issue.revision, issue.issued) == ("2026-0117", 0, TODAY)
    assert issue.expires == TODAY + dt.timedelta(days=30)
    figures = issue.figures
    # the example's own figures: 58 min, 0.64 net, 0.13 tax, 0.77 in all, two cards
    assert (figures.cards, figures.delivery_ms) == (2, 58 * 60_000)
    assert (figures.net, figures.tax, figures.gross) == (D("0.64"), D("0.13"), D("0.77"))
    assert figures.status == "provisional"


def test_an_issued_quote_reopens_with_what_was_issued() -> None:
    quote = issued_sample()
    assert quote_from_text(quote_to_text(quote)) == quote


def test_an_edit_changes_the_answer_and_never_what_was_issued() -> None:
    quote = issued_sample()
    before = quote.issues[0].figures
    now = figures_of(made(slower(quote, 15)))
    found = {one.name: (one.before, one.after) for one in differences(before, now)}
    # four rounds of 15 min and 10 min of assembly: 70 min; 2 cards x 1 h x 0.40 = 0.80
    assert found["delivery_ms"] == (58 * 60_000, 70 * 60_000)
    assert found["net"] == (D("0.64"), D("0.80"))
    assert slower(quote, 15).issues[0].figures == before
    assert differences(before, figures_of(made(quote))) == ()


def test_revisions_count_by_number_and_a_new_number_starts_anew() -> None:
    quote = issued_sample()
    assert next_revision(quote) == 1
    again = issued(slower(quote, 15), figures_of(made(slower(quote, 15))), TODAY)
    assert [one.revision for one in again.issues] == [0, 1]
    assert again.revision == 1
    assert next_revision(again.replaced(number="2026-0118")) == 0


def test_a_quote_is_issued_with_a_number_a_customer_and_a_total() -> None:
    quote = read_quote(SAMPLE)
    assert why_not(quote, made(quote)) is None
    cases = {
        "issue_without_number": quote.replaced(number=" "),
        "issue_without_customer": quote.replaced(customer=Party()),
        "issue_without_answer": quote.replaced(offers=()),
    }
    for code, one in cases.items():
        reason = why_not(one, made(one))
        assert reason is not None
        assert reason.code == code
        assert WORDS.absent(reason)


def test_differences_are_said_with_both_values() -> None:
    before = IssuedFigures(status="provisional", delivery_ms=58 * 60_000, currency="EUR", net=D("0.64"))
    after = IssuedFigures(status="firm", delivery_ms=64 * 60_000, currency="EUR")
    said = [difference_text(WORDS, one, before, after) for one in differences(before, after)]
    said = [one.replace("\xa0", " ") for one in said]
    assert said == ["Status: Provisional → Firm", "Delivery: 58 min → 64 min", "Net: 0.64 € → —"]
    line = Difference("line", D("13.33"), None, "Storage")
    text = difference_text(WORDS, line, before, after).replace("\xa0", " ")
    assert text == "Storage: 13.33 € → Not included"


def test_every_figure_has_a_name_and_a_text() -> None:
    quote = issued_sample()
    names = {figure_name(WORDS, name) for name in COMPARED}
    assert len(names) == len(COMPARED)
    assert all(figure_text(WORDS, quote.issues[0].figures, name) for name in COMPARED)
    assert issue_text(WORDS, quote.issues[0]) == (
        "Issued as 2026-0117, revision 0 on 30 Nov 2026, valid until 30 Dec 2026."
    )
