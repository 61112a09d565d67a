"""Page 8: the data of the document, what it says in its own language, and what the window is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from estimator.catalogue import Catalogue
from estimator.edits import new_quote, with_condition
from estimator.quote import ConditionRecord, ConditionState, Quote
from estimator.storage import read_quote
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.vocabulary import (
    document_words,
    indispensable,
    request_lines,
    standing_text,
    vocabulary,
)
from tests.quotes import compared
from ui.pages.cost_lines import with_percent
from ui.pages.page import Context
from ui.pages.quote_page import QuotePage
from ui.runner import Runner
from ui.session import Session
from ui.theme import Theme

SAMPLES = Path(__file__).parents[2] / "resources" / "samples"
TODAY = date(2026, 11, 30)
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)


def sample(name: str = "indice-de-las-obras") -> Quote:
    return read_quote(SAMPLES / f"{name}.cabida")


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[QuotePage]:
    runner = Runner()
    session = Session(runner, lambda: TODAY)
    page = QuotePage(Context(session, WORDS, Theme(), Catalogue))
    qtbot.addWidget(page)
    page.resize(1166, 900)

    def show() -> None:
        if session.quote is not None:
            page.show_state(session.quote, session.estimate, session.is_stale)

    session.changed.connect(show)
    session.estimated.connect(show)
    with qtbot.waitSignal(session.estimated):
        session.show(sample())
    with qtbot.waitExposed(page):
        page.show()
    page.activateWindow()
    yield page
    runner.close()


def quote_of(page: QuotePage) -> Quote:
    quote = page.context.session.quote
    assert quote is not None
    return quote


def test_the_vocabulary_says_one_thing_in_three_ways() -> None:
    quote = sample()
    rows = vocabulary(WORDS, quote, compared(quote, TODAY))
    assert (rows[0].purchasing, rows[0].application) == ("2 cards", "2 processes, one a card")
    assert rows[0].here == "Organisation B: 2 tasks at once × 1 card per task"
    assert rows[1].purchasing == "RTX 4090 · Hivenet by the hour"
    assert rows[2].application == "8 × conversión de documento"
    assert "Ensamblaje, 10 min" in {row.application for row in rows}


def test_without_an_answer_the_vocabulary_keeps_what_the_planner_wrote() -> None:
    quote = new_quote(unit="scan", count=8, stage_name="Scan", language="en")
    assert [row.application for row in vocabulary(WORDS, quote, None)] == ["8 × scan"]
    assert request_lines(WORDS, quote, None) == ()


def test_the_request_asks_for_memory_of_each_card_and_never_for_a_sum() -> None:
    quote = sample()
    lines = {line.name: line.value for line in request_lines(WORDS, quote, compared(quote, TODAY))}
    assert lines == {
        "Tasks at once": "2",
        "Cards per task": "1",
        "Usable memory of each card, at least": "19.4 GiB",
        "Delivery, at most": "90 min",
    }


def test_a_cooperative_request_says_whether_its_cards_share_a_node() -> None:
    quote = sample("afinado-cooperativo")
    lines = {line.name: line.value for line in request_lines(WORDS, quote, compared(quote, TODAY))}
    if int(lines["Cards per task"]) > 1:
        assert lines["Cards of one task"] in ("inside one node", "may lie in several nodes")


def test_the_standing_is_said_in_words_until_the_quote_is_firm() -> None:
    quote = sample()
    result = compared(quote, TODAY)
    assert standing_text(WORDS, result).startswith("PROVISIONAL: 9 open, 5 decisive.")
    assert len(indispensable(WORDS, result)) == 5
    failed = with_condition(quote, ConditionRecord(id="slow_down", state=ConditionState.FAILED))
    assert standing_text(WORDS, compared(failed, TODAY)).startswith("FAILED")
    for one in result.conditions:
        quote = with_condition(quote, ConditionRecord(id=one.id, state=ConditionState.MET))
    assert standing_text(WORDS, compared(quote, TODAY)) == ""
    assert standing_text(WORDS, compared(new_quote(unit="", count=1, stage_name="x"), TODAY)).startswith(
        "DRAFT"
    )


def test_the_document_speaks_its_own_language_and_numbers() -> None:
    words = document_words(Quote(language="es", number_format="es_MX"), WORDS)
    assert (words.language, words.number_format) == (Language.SPANISH, NumberFormat.ES_MX)
    assert document_words(Quote(number_format="fr_FR"), WORDS).number_format is NumberFormat.EN_GB


def test_the_table_keeps_the_promises_of_a_model(page: QuotePage, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(page.model)


def test_what_is_typed_reaches_the_quote_one_step_each(page: QuotePage) -> None:
    details = page.details
    for line, text in (
        (details.customer, "Archivo General"),
        (details.customer_contact, "compras@example.org"),
        (details.issuer, "Cómputo"),
        (details.issuer_contact, "Ana"),
        (details.name, "Obras"),
        (details.number, "2026-0200"),
        (details.date, "2026-12-01"),
        (details.valid_days, "15"),
    ):
        line.setText(text)
        line.commit()
    details.language.activated.emit(details.language.findData("en"))
    details.number_format.activated.emit(details.number_format.findData("en_GB"))
    details.notes.setFocus()
    details.notes.setPlainText("Two visits")
    details.customer.setFocus()
    quote = quote_of(page)
    assert (quote.customer.name, quote.customer.contact) == ("Archivo General", "compras@example.org")
    assert (quote.issuer.name, quote.issuer.contact) == ("Cómputo", "Ana")
    assert (quote.name, quote.number, quote.date) == ("Obras", "2026-0200", date(2026, 12, 1))
    assert (quote.valid_days, quote.language, quote.number_format) == (15, "en", "en_GB")
    assert quote.notes == "Two visits"
    assert page.context.session.undo_label == "change the notes"


def test_a_blank_validity_goes_back_to_thirty_days(page: QuotePage) -> None:
    page.details.valid_days.setText("")
    page.details.valid_days.commit()
    assert quote_of(page).valid_days == 30
    assert page.details.valid_days.text() == "30"


def test_a_change_elsewhere_does_not_overwrite_the_field_being_edited(page: QuotePage, qtbot: QtBot) -> None:
    page.focus_first()
    customer = page.details.customer
    assert page.focusWidget() is customer
    qtbot.keyClicks(customer, "Museo")
    page.context.session.edit("elsewhere", lambda quote: quote.replaced(number="7"))
    assert customer.text() == "Museo"
    assert page.details.number.text() == "7"


def test_files_are_asked_for_and_never_opened_here(page: QuotePage, qtbot: QtBot) -> None:
    for button, signal in ((page.excel_button, page.excel_asked), (page.save_button, page.save_asked)):
        with qtbot.waitSignal(signal):
            button.click()
    with qtbot.waitSignal(page.json_asked):
        page.json_action.trigger()
    with qtbot.waitSignal(page.asked) as asked:
        page.conditions_button.click()
    assert asked.args == [("conditions",)]


def test_one_button_is_filled(page: QuotePage) -> None:
    filled = [one for one in page.findChildren(QPushButton) if one.property("look") == "primary"]
    assert filled == [page.excel_button]


def test_places_of_the_document_lead_to_their_fields(page: QuotePage) -> None:
    for place, field in (
        (("customer", "name"), page.details.customer),
        (("issuer", "contact"), page.details.issuer_contact),
        (("valid_days",), page.details.valid_days),
        (("notes",), page.details.notes),
    ):
        assert page.go_to(place)
        assert page.focusWidget() is field
    assert not page.go_to(("pricing", "tax_percent"))


def test_everything_that_takes_the_focus_has_a_name_and_follows_the_reading_order(page: QuotePage) -> None:
    chain = focus_chain(page)
    assert [widget for widget in chain if not spoken(widget)] == []
    buttons = [page.previous_button, page.preview_button, page.more_button, page.save_button]
    buttons += [page.pdf_button, page.excel_button]
    assert chain[-6:] == buttons
    for before, after in pairwise(chain[:-6]):
        first, second = (one.mapTo(page, one.rect().topLeft()) for one in (before, after))
        below = second.y() >= first.y() + before.height() - 2
        right = second.x() >= first.x() + before.width() - 2
        assert below or right, (spoken(before), spoken(after))


def focus_chain(page: QWidget) -> list[QWidget]:
    """Return the visible tab stops of the page in their order, from its first."""
    found: list[QWidget] = []
    widget = page.nextInFocusChain()
    while widget is not page:
        stops = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None
        if stops and widget.isVisible() and widget.isEnabled() and page.isAncestorOf(widget):
            found.append(widget)
        widget = widget.nextInFocusChain()
    return found


def spoken(widget: QWidget) -> str:
    text = widget.property("text")
    return widget.accessibleName() or (text if isinstance(text, str) else "")


def test_the_pages_are_seen_in_place_of_what_they_say_and_follow_the_quote(
    page: QuotePage, qtbot: QtBot
) -> None:
    assert not page.preview.isVisible()
    page.preview_button.click()
    assert page.preview.isVisible()
    assert not page.table.isVisible()
    assert page.preview.page_count > 1
    before = page.preview.viewport().grab().toImage()
    with qtbot.waitSignal(page.context.session.estimated):
        page.details.number.setText("2026-9")
        page.details.number.commit()
    assert page.preview.viewport().grab().toImage() != before
    bar = page.preview.verticalScrollBar()
    qtbot.keyClick(page.preview, Qt.Key.Key_End)
    assert bar.value() == bar.maximum() > 0
    qtbot.keyClick(page.preview, Qt.Key.Key_Home)
    assert bar.value() == 0


def test_issuing_freezes_the_answer_and_later_says_what_changed(page: QuotePage, qtbot: QtBot) -> None:
    session = page.context.session
    assert page.issues.said == "Not issued yet."
    assert page.issues.issue_button.isEnabled()
    with qtbot.waitSignal(session.estimated):
        page.issues.issue_button.click()
    qtbot.waitUntil(lambda: "still what was issued" in page.issues.said)
    assert page.issues.said.startswith("Issued as 2026-0117, revision 0 on 30 Nov 2026")
    with qtbot.waitSignal(session.estimated):
        session.edit("tax", lambda quote: with_percent(quote, "tax_percent", Decimal(10)))
    said = page.issues.said.replace("\xa0", " ")
    assert "Tax: 0.13 € → 0.06 €" in said
    assert "Total: 0.77 € → 0.70 €" in said
    page.issues.compare_button.click()
    assert page.issues.table.isVisible()
    model = page.issues.model
    heads = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount())]
    assert heads == ["", "Revision 0", "Now"]
    session.undo()
    session.undo()
    quote = session.quote
    assert quote is not None
    assert quote.issues == ()


def test_without_a_number_the_page_says_what_issuing_needs(page: QuotePage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.context.session.estimated):
        page.context.session.edit("number", lambda quote: quote.replaced(number=""))
    assert not page.issues.issue_button.isEnabled()
    assert "under a number" in page.issues.said
