"""Cards and lots: what is listed and why, what ticking and typing do to the quote, and how the page is walked."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from estimator import edits
from estimator.catalogue import HourlyOffer, Lot
from estimator.catalogue.embedded import embedded_catalogue
from estimator.estimate import headline
from estimator.hours import as_shift
from estimator.quote import Quote
from estimator.results.memory import Fit
from estimator.storage import read_quote
from estimator.wording import Language, NumberFormat, Wording
from ui.pages import cards_edits
from ui.pages.cards import CardsPage
from ui.pages.cards_rows import OLD, UNDATED, OfferRow, OfferRows, offer_rows
from ui.pages.cards_table import CURRENCY, FIRST_TERM, FITS, PER_CARD, PRICE_DATE, USE
from ui.pages.page import Context
from ui.runner import Runner
from ui.session import Session
from ui.theme import Theme

TODAY = dt.date(2026, 11, 30)
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)
HOURLY = "hivenet-rtx-4090"
SAMPLE_LOT = "sample-b200-sxm-2"
WAIT_MS = 20_000


def sample() -> Quote:
    return read_quote(Path(str(files("resources.samples").joinpath("indice-de-las-obras.cabida"))))


def rows_of(quote: Quote) -> OfferRows:
    return offer_rows(quote, headline(quote, TODAY), embedded_catalogue(), TODAY)


def row_of(rows: OfferRows, offer_id: str) -> OfferRow:
    return next(row for row in rows.all if row.offer.id == offer_id)


@pytest.fixture
def session() -> Iterator[Session]:
    runner = Runner()
    yield Session(runner, lambda: TODAY)
    runner.close()


@pytest.fixture
def page(qtbot: QtBot, session: Session) -> CardsPage:
    page = CardsPage(Context(session, WORDS, Theme(), embedded_catalogue))
    qtbot.addWidget(page)

    def show() -> None:
        if session.quote is not None:
            page.show_state(session.quote, session.estimate, session.is_stale)

    session.changed.connect(show)
    session.estimated.connect(show)
    page.resize(1166, 620)
    page.show()
    open_quote(qtbot, session, sample())
    return page


def open_quote(qtbot: QtBot, session: Session, quote: Quote) -> None:
    with qtbot.waitSignal(session.estimated, timeout=WAIT_MS):
        session.show(quote)


def quote_of(page: CardsPage) -> Quote:
    quote = page.context.session.quote
    assert quote is not None
    return quote


def shown_at(page: CardsPage, offer_id: str) -> int:
    place = page.model.place_of(offer_id)
    assert place is not None
    return page.model.shown_row(place)


def type_into_cell(page: CardsPage, offer_id: str, column: int, text: str) -> bool:
    index = page.model.index(shown_at(page, offer_id), column)
    return page.model.setData(index, text)


def type_into(line: QLineEdit, text: str) -> None:
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, text)
    QTest.keyClick(line, Qt.Key.Key_Return)


# Rows


def test_an_hourly_offer_shows_what_one_card_costs_for_3_7_and_30_days() -> None:
    row = row_of(rows_of(sample()), HOURLY)
    # 0.40 € × 72, 168 and 720 h
    assert row.prices == ((3, Decimal("28.80")), (7, Decimal("67.20")), (30, Decimal("288.00")))
    assert row.per_card_hour == Decimal("0.4")


def test_a_monthly_cap_ends_the_rise_of_an_hourly_offer() -> None:
    quote = edits.with_offer_fields(sample(), HOURLY, monthly_cap_hours=Decimal(100))
    # 72 h, then 100 h at most: 0.40 × 72 = 28.80 and 0.40 × 100 = 40.00
    assert [price for _, price in row_of(rows_of(quote), HOURLY).prices] == [
        Decimal("28.80"),
        Decimal(40),
        Decimal(40),
    ]


def test_a_lot_shows_its_shortest_term_by_card_and_hour() -> None:
    # 781.20 / (2 cards × 72 h) = 5.425
    assert row_of(rows_of(sample()), SAMPLE_LOT).per_card_hour == Decimal("5.425")


def test_a_card_that_does_not_fit_stays_in_the_list_with_what_is_missing() -> None:
    rows = rows_of(sample())
    t4 = next(row for row in rows.not_admitted if row.offer.card_id == "t4")
    assert t4.fit is Fit.NO
    assert t4.verdict is not None
    assert t4.verdict.spare_bytes is not None
    assert t4.verdict.spare_bytes < 0


def test_a_lot_of_four_says_that_two_cards_are_spare_where_two_work_at_once() -> None:
    assert row_of(rows_of(sample()), "sample-rtx-4090-4").spare_cards == 2
    assert row_of(rows_of(sample()), "sample-b200-sxm-2").spare_cards == 0


def test_a_lot_that_is_narrower_than_a_task_is_not_admitted() -> None:
    quote = edits.with_layout(sample(), "B", "conversion", cards_per_task=2, tasks_at_once=1)
    quote = edits.with_organisation(quote, "B", mechanism="DDP")
    quote = quote.replaced(reference_id="B", chosen_plan="B/")
    row = row_of(rows_of(quote), "sample-l40s-1")
    assert row.barred is not None
    assert row.barred.code == "task_wider_than_lot"
    assert not row.is_admitted


def test_the_quotes_own_copies_come_first_in_each_group() -> None:
    rows = rows_of(sample())
    for part in (rows.hourly, rows.lots, rows.not_admitted):
        used = [row.used for row in part]
        assert used == sorted(used, reverse=True)
    assert {row.offer.id for row in rows.all if row.used} == {offer.id for offer in sample().offers}


def test_a_price_without_a_date_and_an_old_one_are_told_apart() -> None:
    rows = rows_of(sample())
    assert row_of(rows, HOURLY).dated == UNDATED
    assert row_of(rows, SAMPLE_LOT).dated == ""
    # 2025-12-01 is 364 days before the quote's date; 30 are allowed
    assert row_of(rows, "crusoe-a40").dated == OLD


def test_a_quote_with_no_estimate_lists_offers_with_no_verdict() -> None:
    rows = offer_rows(sample(), None, embedded_catalogue(), TODAY)
    assert rows.not_admitted == ()
    assert all(row.verdict is None for row in rows.all)


# Edits


def test_ticking_copies_the_offer_and_its_card_in_one_step(page: CardsPage, session: Session) -> None:
    place = page.model.place_of("sample-l40s-1")
    assert place is not None
    page.table.marked.emit(place)
    assert quote_of(page).offer("sample-l40s-1") is not None
    assert quote_of(page).card("l40s") is not None
    assert session.undo_label == "use 1 × L40S"
    session.undo()
    assert quote_of(page) == sample()


def test_space_on_a_used_row_takes_the_offer_away(page: CardsPage) -> None:
    page.table.setFocus()
    page.table.setCurrentIndex(page.model.index(shown_at(page, SAMPLE_LOT), USE))
    QTest.keyClick(page.table, Qt.Key.Key_Space)
    assert quote_of(page).offer(SAMPLE_LOT) is None
    assert quote_of(page).card("b200-sxm") is None


def test_a_click_on_the_mark_ticks_and_a_click_elsewhere_does_not(page: CardsPage) -> None:
    page.search.setText("L40S crusoe")
    at = shown_at(page, "crusoe-l40s")
    port = page.table.viewport()
    name = page.table.visualRect(page.model.index(at, USE + 1)).center()
    QTest.mouseClick(port, Qt.MouseButton.LeftButton, pos=name)
    assert quote_of(page).offer("crusoe-l40s") is None
    mark = page.table.visualRect(page.model.index(at, USE)).center()
    QTest.mouseClick(port, Qt.MouseButton.LeftButton, pos=mark)
    assert quote_of(page).offer("crusoe-l40s") is not None


def test_a_typed_price_is_own_and_no_sample_and_has_no_date_until_one_is_typed(page: CardsPage) -> None:
    assert type_into_cell(page, SAMPLE_LOT, FIRST_TERM, "700,50")
    lot = quote_of(page).offer(SAMPLE_LOT)
    assert isinstance(lot, Lot)
    assert {term.days: term.price for term in lot.terms}[3] == Decimal("700.50")
    assert (lot.own, lot.sample, lot.price_date) == (True, False, None)
    assert lot.source == "Own price"
    assert type_into_cell(page, SAMPLE_LOT, PRICE_DATE, "29/11/2026")
    assert type_into_cell(page, SAMPLE_LOT, FIRST_TERM, "690")
    lot = quote_of(page).offer(SAMPLE_LOT)
    assert lot is not None
    assert lot.price_date == dt.date(2026, 11, 29)


def test_a_price_per_hour_is_typed_in_its_own_column(page: CardsPage) -> None:
    assert type_into_cell(page, HOURLY, PER_CARD, "0.35")
    offer = quote_of(page).offer(HOURLY)
    assert isinstance(offer, HourlyOffer)
    assert offer.price_per_card_hour == Decimal("0.35")


def test_an_emptied_price_takes_the_term_away(page: CardsPage) -> None:
    assert type_into_cell(page, SAMPLE_LOT, FIRST_TERM + 1, "")
    lot = quote_of(page).offer(SAMPLE_LOT)
    assert isinstance(lot, Lot)
    assert [term.days for term in lot.terms] == [3, 30]


def test_a_text_that_is_no_price_changes_nothing_and_says_why(page: CardsPage) -> None:
    assert not type_into_cell(page, SAMPLE_LOT, FIRST_TERM, "dear")
    assert quote_of(page) == sample()
    assert "not a number" in page._refusal.text()


def test_only_rows_that_the_quote_uses_can_be_typed_into(page: CardsPage) -> None:
    index = page.model.index(shown_at(page, "sample-l40s-1"), FIRST_TERM)
    assert not page.model.flags(index) & Qt.ItemFlag.ItemIsEditable


def test_an_own_lot_is_added_with_the_need_of_the_organisation_and_no_price(page: CardsPage) -> None:
    assert page.go_to(("offers", SAMPLE_LOT))
    page.lot_button.click()
    own = quote_of(page).offers[-1]
    assert isinstance(own, Lot)
    assert (own.card_id, own.cards, own.own, own.terms) == ("b200-sxm", 2, True, ())
    assert page.selected_offer() == own.id


def test_two_own_offers_never_share_an_id(page: CardsPage) -> None:
    page.hourly_button.click()
    page.hourly_button.click()
    ids = [offer.id for offer in quote_of(page).offers]
    assert len(set(ids)) == len(ids) == len(sample().offers) + 2


def test_setting_an_own_price_copies_the_offer_without_its_sample_tag(page: CardsPage) -> None:
    assert page.go_to(("offers", "sample-l40s-1"))
    page.inspector._set_own.click()
    lot = quote_of(page).offer("sample-l40s-1")
    assert lot is not None
    assert lot.own
    assert not lot.sample


def test_the_fields_of_the_inspector_change_the_quote(page: CardsPage) -> None:
    assert page.go_to(("offers", HOURLY, "price"))
    fields = page.inspector.fields
    assert fields is not None
    assert fields.per_hour is not None
    type_into(fields.per_hour.line, "0,38")
    type_into(fields.date, "28/11/2026")
    type_into(fields.seller, "Hivenet SAS")
    offer = quote_of(page).offer(HOURLY)
    assert isinstance(offer, HourlyOffer)
    assert (offer.price_per_card_hour, offer.price_date, offer.seller) == (
        Decimal("0.38"),
        dt.date(2026, 11, 28),
        "Hivenet SAS",
    )


def test_a_chosen_source_sets_the_fact_of_the_copied_card(page: CardsPage) -> None:
    assert page.go_to(("offers", SAMPLE_LOT))
    watts = next(one for one in page.inspector.choices if one.text() == "700 W")
    watts.click()
    card = quote_of(page).card("b200-sxm")
    assert card is not None
    assert card.power_watts == Decimal(700)
    assert card.conflicts[0].chosen == 0


def test_the_model_of_an_own_offer_changes_and_no_card_is_left_behind() -> None:
    quote, catalogue = sample(), embedded_catalogue()
    l4, h100 = catalogue.card("l4"), catalogue.card("h100-sxm")
    assert l4 is not None
    assert h100 is not None
    own = cards_edits.own_lot(quote, catalogue, l4, "Own lot", 2, "own")
    quote = cards_edits.with_offer_card(edits.with_offer(quote, own, l4), own.id, h100)
    assert quote.card("h100-sxm") is not None
    assert quote.card("l4") is None
    assert [offer.card_id for offer in quote.offers if offer.id == own.id] == ["h100-sxm"]


# The page


def test_a_column_names_the_currency_of_each_offer(page: CardsPage) -> None:
    page.search.setText("akash b200")
    at = shown_at(page, "akash-b200-sxm")
    # 5 USD × 72 h
    assert page.model.index(at, FIRST_TERM).data() == "360.00"
    assert page.model.index(at, CURRENCY).data() == "USD"


def test_a_price_of_the_catalogue_is_old_by_the_day_of_looking_and_not_by_the_date_of_the_quote() -> None:
    quote = sample()
    later = TODAY + dt.timedelta(days=quote.pricing.price_age_limit_days + 400)
    rows = offer_rows(quote, None, embedded_catalogue(), later)
    dated = [row for row in rows.all if not row.used and row.offer.price_date is not None]
    assert {row.dated for row in dated} == {OLD}


def test_the_verdict_is_said_in_words_beside_its_icon(page: CardsPage) -> None:
    at = shown_at(page, "sample-rtx-5090-4")
    assert page.model.index(at, FITS).data() == "2 cards spare"
    assert str(page.model.index(shown_at(page, HOURLY), FITS).data()).startswith("fits if ≤ ")


def test_the_need_is_said_as_a_sentence(page: CardsPage) -> None:
    # 18.0 GiB × 1.05 + 0.5 = 19.4
    assert page._need.text() == "Need: 2 tasks at once × 1 card, 19.4 GiB on each."


def test_filters_and_search_narrow_the_list_and_going_to_an_offer_widens_it(page: CardsPage) -> None:
    everything = page.model.rowCount()
    page.models.setCurrentIndex(page.models.findData("l40s"))
    page.models.activated.emit(page.models.currentIndex())
    page.search.setText("crusoe")
    names = [row.offer.id for row in page.model.rows if isinstance(row, OfferRow)]
    assert names == ["crusoe-l40s", "crusoe-l40s-spot"]
    assert page.go_to(("offers", HOURLY, "price", "date"))
    assert page.model.rowCount() == everything
    assert page.selected_offer() == HOURLY


def test_going_to_a_price_puts_the_caret_into_its_field(page: CardsPage, qtbot: QtBot) -> None:
    page.activateWindow()
    assert page.go_to(("offers", SAMPLE_LOT, "price"))
    fields = page.inspector.fields
    assert fields is not None
    assert fields.terms[3].line.hasFocus()
    assert page.go_to(("offers",))
    assert page.table.hasFocus()
    assert not page.go_to(("workload", "limit"))
    assert not page.go_to(("offers", "nowhere"))


def test_the_window_is_asked_for_what_touches_files(page: CardsPage, qtbot: QtBot) -> None:
    with qtbot.waitSignals([page.import_asked, page.refresh_asked], timeout=WAIT_MS):
        page.import_button.click()
        page.refresh_button.click()


def test_the_selection_follows_an_offer_that_moves(page: CardsPage) -> None:
    assert page.go_to(("offers", "sample-l40s-1"))
    place = page.model.place_of("sample-l40s-1")
    assert place is not None
    page.table.marked.emit(place)
    current = page.model.row_at(page.table.currentIndex())
    assert current is not None
    assert current.offer.id == "sample-l40s-1"
    assert page.inspector.fields is not None


def test_the_model_behaves_as_a_table_model(page: CardsPage, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(page.model)


def focusable(page: QWidget) -> list[QWidget]:
    """Return what Tab stops at, in its order, from the first combo box on."""
    found: list[QWidget] = []
    start = widget = page.nextInFocusChain()
    while True:
        tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if page.isAncestorOf(widget) and tab and widget.isVisibleTo(page) and widget.focusProxy() is None:
            found.append(widget)
        widget = widget.nextInFocusChain()
        if widget is start:
            return found


def test_tab_walks_the_page_in_reading_order(page: CardsPage) -> None:
    assert page.go_to(("offers", SAMPLE_LOT))
    stops = [one for one in focusable(page) if one.isEnabled()]
    first = stops.index(page.models)
    stops = stops[first:] + stops[:first]

    def key(widget: QWidget) -> tuple[int, int, int]:
        at = widget.mapTo(page, QPoint(0, 0))
        in_header = widget in (page.import_button, page.previous_button, page.next_button)
        part = 2 if in_header else int(page.inspector.isAncestorOf(widget))
        return part, at.y() // 12, at.x()

    assert stops == sorted(stops, key=key)


def test_whatever_takes_the_focus_has_a_name(page: CardsPage) -> None:
    assert page.go_to(("offers", SAMPLE_LOT))
    for widget in focusable(page):
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        assert widget.accessibleName() or text, widget
    assert any(isinstance(widget, QComboBox) for widget in focusable(page))


def test_interruptions_are_asked_only_of_an_offer_that_may_be_interrupted(
    page: CardsPage, session: Session
) -> None:
    assert page.go_to(("offers", HOURLY, "price"))
    assert page.inspector.fields is not None
    assert page.inspector.fields.interruptions is None
    offer = HourlyOffer(id="spot", card_id="rtx-4090", name="Spot", interruptible=True)
    session.edit("spot", lambda quote: quote.replaced(offers=(*quote.offers, offer)))
    assert page.go_to(("offers", "spot", "price"))
    field = page.inspector.fields.interruptions
    assert field is not None
    type_into(field, "0,05")
    changed = quote_of(page).offer("spot")
    assert isinstance(changed, HourlyOffer)
    assert changed.interruptions_per_hour == Decimal("0.05")


def test_how_long_the_cards_are_there_and_their_working_hours_are_stated_and_undone(
    page: CardsPage, session: Session
) -> None:
    assert session.quote is not None
    used = session.quote.offers[0]
    assert page.go_to(("offers", used.id, "available_for"))
    when = page.inspector.when
    assert when.available.isVisibleTo(page)
    when.available.line.setText("30 h")
    QTest.keyClick(when.available.line, Qt.Key.Key_Return)
    offer = session.quote.offer(used.id)
    assert offer is not None
    assert offer.available_for is not None
    assert offer.available_for.ms == 30 * 3_600_000
    when.available.line.setText("0 h")
    QTest.keyClick(when.available.line, Qt.Key.Key_Return)
    assert session.quote.offer(used.id) == offer  # cards that are never there are no offer
    when.hours.tick.mark.click()
    offer = session.quote.offer(used.id)
    assert offer is not None
    assert offer.hours is not None
    assert as_shift(offer.hours) == ((0, 1, 2, 3, 4), 480, 1080)
    when.fold.setChecked(False)
    assert when.summary.text() == "Taken away after 30 h 00 min · working hours"
    session.undo()
    session.undo()
    assert session.quote.offer(used.id) == used
    assert when.summary.text() == "At any time"
