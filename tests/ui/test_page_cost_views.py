"""The Cost page's views, its box on the rent, and the three ways compared: their numbers, keys and edits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import partial

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from estimator.estimate import assessed, with_flips
from estimator.evidence import Stated
from estimator.price import DISCOUNT
from estimator.problems import Absent
from estimator.quote import Quote
from estimator.results.estimate import Estimate
from estimator.wording.ways import way_rows
from tests.large_quotes import many_equal_tasks
from tests.quotes import MINUTE, compared
from tests.ui.cost_pages import TODAY, WORDS, sample, shown_page
from ui.pages.cost import CostPage
from ui.pages.cost_by_plan import CostByPlan, cost_parts, cost_rows
from ui.pages.cost_frontier import FrontierView
from ui.pages.cost_frontier_rows import choice_rows
from ui.pages.cost_lines import with_percent
from ui.pages.cost_rent import RentBox, flip_lines, rent_lines
from ui.pages.cost_sureness import Sureness, spread_rows
from ui.pages.cost_tornado import COST, DELIVERY, Tornado, telling_measure, tornado_rows
from ui.theme import Theme
from ui.widgets.bars import MARGIN_CLASS
from ui.widgets.row_bars import BarRow, Piece, RowBars, RowBarsContent, round_ticks

BY_PLAN, FRONTIER, SURE, TORNADO = range(4)
PATIENCE_MS = 60_000


@pytest.fixture(scope="module")
def whole() -> Estimate:
    """The first sample with its risk and decisive numbers."""
    return assessed(compared(sample(), TODAY))


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[CostPage]:
    for shown in shown_page(qtbot, sample()):
        qtbot.waitUntil(partial(_is_assessed, shown), timeout=PATIENCE_MS)
        yield shown


def _is_assessed(page: CostPage) -> bool:
    estimate = page.context.session.estimate
    return estimate is not None and estimate.is_assessed


def _is_complete(page: CostPage) -> bool:
    session = page.context.session
    return session.estimate is not None and session.estimate.is_complete and not session.is_stale


def _is_in_sight(page: CostPage, part: QWidget) -> bool:
    area = page.scroll_area.viewport()
    place = part.mapTo(area, QPoint())
    return place.y() >= 0 and place.y() + part.height() <= area.height()


def quote_of(page: CostPage) -> Quote:
    quote = page.context.session.quote
    assert quote is not None
    return quote


# Numbers


def test_the_parts_of_each_plan_add_up_to_its_total(whole: Estimate) -> None:
    rows = cost_rows(WORDS, whole)
    assert [row.total for row in rows] == [
        Decimal(text) for text in ("0.77", "66.21", "945.25", "0.77", "33.11", "945.25")
    ]
    for row in rows:
        assert sum(amount for _, amount in row.parts) == row.total
    # Two lots of 27.36 € and 21 % of 54.72 € = 11.4912 €.
    assert rows[1].parts == (("lot", Decimal("54.72")), ("tax", Decimal("11.49")))
    assert [row.standing for row in rows] == ["", "", "", "late", "late", "late"]


def test_a_discount_is_a_part_below_zero_and_the_sum_is_still_the_total() -> None:
    quote = sample()
    pricing = quote.pricing.replaced(discount_percent=Stated(value=Decimal(10)))
    result = compared(quote.replaced(pricing=pricing), TODAY)
    plan = next(one for one in result.plans if one.id == "B/lots:rtx-4090")
    parts = dict(cost_parts(plan.price))
    assert parts[DISCOUNT] == Decimal("-5.47")  # 10 % of 54.72 €
    assert sum(parts.values()) == plan.price.gross


def test_a_plan_without_a_total_says_why_in_place_of_its_bar() -> None:
    rows = cost_rows(WORDS, compared(sample("consultation-notes"), TODAY))
    blank = [row for row in rows if row.total is None]
    assert blank
    assert all(row.reason and not row.parts for row in blank)


def test_the_table_of_how_sure_has_the_percentiles_of_the_shown_plan(whole: Estimate) -> None:
    risk = whole.risk(whole.shown_plan_id)
    assert risk is not None
    assert not isinstance(risk.spread, Absent)
    rows = spread_rows(WORDS, whole)
    assert rows[0].quoted == "58 min"
    assert rows[0].p90 == WORDS.duration(risk.spread.delivery.p90)
    assert rows[-1].name == "Chance to miss the limit"
    assert rows[-1].chance.endswith("%")


def test_a_quote_without_a_plan_has_no_percentiles() -> None:
    assert spread_rows(WORDS, assessed(compared(sample().replaced(offers=()), TODAY))) == ()


def test_the_tornado_keeps_the_order_of_worth_and_the_ends_of_the_estimate(whole: Estimate) -> None:
    rows = tornado_rows(WORDS, whole, COST)
    assert [row.assumption.id for row in rows] == [one.id for one in whole.assumptions]
    duration = next(row for row in rows if row.name == "Conversión › Duration")
    # At 9 min four rounds of two cards: 8 × 9 = 72 card minutes; at 18 min 144; 0.40 € an hour, 21 % of tax.
    assert (duration.low, duration.high) == (Decimal("0.58"), Decimal("1.16"))
    assert duration.low_text.endswith("another plan")
    # One card meets the limit of 90 min from 8 × 10 + 10 min down; halving stops a little above 10 min.
    assert re.fullmatch(r"≥ 10\.0\d min", duration.holds)
    later = next(row for row in tornado_rows(WORDS, whole, DELIVERY) if row.name == "Conversión › Duration")
    assert later.high == 82 * 60_000  # 4 × 18 min and 10 min of assembly


def test_a_number_without_a_range_says_so_in_place_of_a_bar(whole: Estimate) -> None:
    price = next(row for row in tornado_rows(WORDS, whole, COST) if row.name.endswith("Price"))
    assert (price.instead, price.low, price.worth) == ("no range", None, "")


def test_a_choice_of_lots_that_is_no_plan_is_a_point_that_says_what_it_holds() -> None:
    rows = choice_rows(WORDS, compared(sample("consultation-notes"), TODAY))
    assert [row.name for row in rows] == ["3 lots of 1 × H100 SXM, 80 GB, 3 days SAMPLE"]
    assert rows[0].label == "choice of lots SAMPLE"
    # The shown plan holds 4 lots of 225.93 €, with 5 % of contingency: 3 × 225.93 × 1.05 = 711.68 €.
    assert round(rows[0].cost, 2) == Decimal("711.68")
    assert rows[0].plan_id == ""
    assert "No organisation here rents it." in rows[0].holds


def test_what_is_said_of_the_rent_has_both_shares_and_the_equivalents(whole: Estimate) -> None:
    lines = rent_lines(WORDS, whole)
    # 58 min of 72 h = 58 / 4320 = 1.34 %; 106 / 4320 = 2.45 %.
    assert lines[0] == (
        "A faster plan saves no rent here: of 72 h held, 58 min are 1.3\u00a0% and 106 min are 2.5\u00a0%."
    )
    assert any("28.80 € / 67.20 € / 288.00 €" in line.replace("\u00a0", " ") for line in lines)


def test_flips_that_change_the_plan_come_before_those_that_change_nothing(whole: Estimate) -> None:
    lines = flip_lines(WORDS, with_flips(whole))
    changes = ["nothing changes" not in line for line in lines]
    assert changes == sorted(changes, reverse=True)
    assert any(changes)


def test_ways_that_are_not_stated_are_absent_and_never_zero(whole: Estimate) -> None:
    rows = way_rows(WORDS, whole)
    assert rows[0].figures == ("54.72", "0.64", "—")
    assert rows[0].reasons[2]
    assert rows[2].figures[:2] == ("27.36", "28.80")


# The window


def test_one_view_is_seen_at_a_time_and_the_arrows_change_it(page: CostPage, qtbot: QtBot) -> None:
    views = page.views
    assert [view.title for view in views.views] == ["Cost by plan", "Frontier", "How sure", "Tornado"]
    views.tabs.setFocus()
    for expected in (FRONTIER, SURE, TORNADO):
        qtbot.keyClick(views.tabs, Qt.Key.Key_Right)
        assert [view.isVisible() for view in views.views].index(True) == expected
        assert sum(view.isVisible() for view in views.views) == 1
        assert views.current.shows_picture


def test_the_table_of_every_view_stands_in_place_of_its_picture(page: CostPage) -> None:
    page.views.toggle()
    for index in range(4):
        page.views.show_view(index)
        assert page.views.current.table.isVisible()
        assert page.views.current.model.rowCount() > 0
        assert not page.views.current.shows_picture


def test_enter_on_a_bar_chooses_its_plan(page: CostPage, qtbot: QtBot) -> None:
    view = page.views.current
    assert isinstance(view, CostByPlan)
    view.bars.setFocus()
    qtbot.keyClick(view.bars, Qt.Key.Key_Down)
    qtbot.keyClick(view.bars, Qt.Key.Key_Return)
    assert quote_of(page).chosen_plan == view.rows[1].plan_id != ""
    assert view.bars.accessibleDescription().startswith("B · 2 lots of 1 × RTX 4090")


def test_enter_on_a_number_of_the_tornado_asks_for_its_field(page: CostPage, qtbot: QtBot) -> None:
    page.views.show_view(TORNADO)
    view = page.views.current
    assert isinstance(view, Tornado)
    with qtbot.waitSignal(page.asked) as asked:
        qtbot.keyClick(view.bars, Qt.Key.Key_Return)
    assert asked.args == [view.rows[0].assumption.where]
    marked = [row.is_marked for row in view.bars.content.rows]
    assert marked == [row.assumption.is_decisive for row in view.rows]
    assert 0 < sum(marked) < len(marked)


def test_the_tornado_shows_delivery_where_that_is_asked(page: CostPage) -> None:
    page.views.show_view(TORNADO)
    view = page.views.current
    assert isinstance(view, Tornado)
    view.measure.setCurrentIndex(1)
    view.measure.activated.emit(1)
    assert view.bars.content.axis_text == "delivery, min"
    assert view.bars.content.lines[0].text == "quoted 58 min"


def test_where_no_range_changes_the_cost_the_tornado_begins_with_delivery(whole: Estimate) -> None:
    assert telling_measure(whole) == COST
    plan = whole.shown_plan
    assert plan is not None
    kept = tuple(
        replace(one, low=one.low and replace(one.low, gross=plan.price.gross), high=None)
        for one in whole.assumptions
    )
    assert telling_measure(replace(whole, assumptions=kept)) == DELIVERY


def test_a_click_on_a_point_of_the_frontier_chooses_its_plan(page: CostPage) -> None:
    page.views.show_view(FRONTIER)
    view = page.views.current
    assert isinstance(view, FrontierView)
    chart = view.picture
    assert chart is not None
    QApplication.processEvents()  # the plot takes its size
    names = [view.model.index(row, 0).data() for row in range(view.model.rowCount())]
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=view.point_at(1).toPoint())
    shown = page.context.session.quote
    assert shown is not None
    assert "2 lots of 1 × RTX 4090" in names[1]
    assert shown.chosen_plan == "B/lots:rtx-4090"


def test_a_choice_of_lots_opens_as_an_organisation_from_the_keyboard(page: CostPage, qtbot: QtBot) -> None:
    session = page.context.session
    session.edit("more", lambda quote: many_equal_tasks(1_000, 64))
    qtbot.waitUntil(partial(_is_complete, page), timeout=PATIENCE_MS)
    page.views.show_view(FRONTIER)
    page.views.toggle()
    view = page.views.current
    assert isinstance(view, FrontierView)
    names = [view.model.index(row, 0).data() for row in range(view.model.rowCount())]
    row = next(at for at, name in enumerate(names) if "+ 54 cards" in name)
    assert view.open_choice.isHidden()
    view.table.setFocus()
    view.table.setCurrentIndex(view.model.index(row, 0))
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert view.open_choice.hasFocus()
    qtbot.waitUntil(partial(_is_in_sight, page, view.said), timeout=PATIENCE_MS)
    assert "No organisation here rents it." in view.said.text()
    with qtbot.waitSignal(page.asked) as heard:
        qtbot.keyClick(view.open_choice, Qt.Key.Key_Space)
    assert heard.args == [("organisations", "C")]
    opened = quote_of(page).organisations[-1]
    assert (opened.id, opened.name) == ("C", "Limit 7 d 00 h")
    assert opened.limit is not None
    assert opened.limit.ms == 10_090 * MINUTE
    qtbot.waitUntil(partial(_is_complete, page), timeout=PATIENCE_MS)
    assert session.estimate is not None
    plan = session.estimate.shown_plan
    assert plan is not None
    assert plan.organisation_id == "C"
    assert (plan.rent, plan.timing.delivery_ms) == (Decimal("73.28"), 10_090 * MINUTE)
    assert not [one for one in session.estimate.problems if one.code == "chosen_plan_gone"]
    assert view.open_choice.isHidden()


def test_a_click_on_a_choice_of_lots_brings_what_it_holds_into_sight(
    page: CostPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.resize(1150, 620)
    page.context.session.edit("more", lambda quote: many_equal_tasks(1_000, 64))
    qtbot.waitUntil(partial(_is_complete, page), timeout=PATIENCE_MS)
    page.views.show_view(FRONTIER)
    page.views.toggle()
    view = page.views.current
    assert isinstance(view, FrontierView)
    last = view.model.columnCount() - 2  # the cost; where there is no room one scrolls to the standing
    table = view.table
    assert table.columnViewportPosition(last) + table.columnWidth(last) <= table.viewport().width()
    page.views.toggle()
    assert view._chart is not None
    drawn: list[object] = []
    monkeypatch.setattr(view._chart, "_redraw", drawn.append)
    row = next(at for at in range(view.model.rowCount()) if "+ 54" in str(view.model.index(at, 0).data()))
    view._clicked(view.point_at(row))
    qtbot.waitUntil(partial(_is_in_sight, page, view.said), timeout=PATIENCE_MS)
    assert view.said.height() >= view.said.heightForWidth(view.said.width())
    assert drawn, "the sentence took room from the picture, whose names are placed by pixels"


def test_without_a_tax_rate_no_amount_is_said_to_be_with_tax(page: CostPage, qtbot: QtBot) -> None:
    def said() -> list[str]:
        model = page.plan_model
        heads = [
            str(model.headerData(at, Qt.Orientation.Horizontal) or "") for at in range(model.columnCount())
        ]
        tornado, sure = page.views.views[TORNADO], page.views.views[SURE]
        assert isinstance(tornado, Tornado)
        page.views.show_view(SURE)
        page.views.show_view(TORNADO)
        heads += [tornado.measure.itemText(at) for at in range(tornado.measure.count())]
        return heads + [str(sure.model.index(at, 0).data()) for at in range(sure.model.rowCount())]

    assert {"With tax, €", "Cost with tax", "With tax"} <= set(said())
    page.context.session.edit("no tax", lambda quote: with_percent(quote, "tax_percent", None))
    qtbot.waitUntil(lambda: _is_complete(page) and _is_assessed(page), timeout=PATIENCE_MS)
    heads = said()
    assert {"Total, €", "Cost", "Total"} <= set(heads)
    assert not [head for head in heads if "with tax" in head.lower()]


def test_a_click_far_from_every_point_chooses_nothing(page: CostPage) -> None:
    page.views.show_view(FRONTIER)
    chart = page.views.current.picture
    assert chart is not None
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert quote_of(page).chosen_plan == ""


def test_how_sure_draws_limit_and_quoted_value_and_says_the_chance(page: CostPage) -> None:
    page.views.show_view(SURE)
    view = page.views.current
    assert isinstance(view, Sureness)
    assert [line.text for line in view.delivery.content.lines] == ["quoted", "limit 90 min"]
    assert "Chance to miss the limit" in view.said.text()
    assert "Delivery: P10 " in view.delivery.accessibleDescription()


def test_what_is_not_weighed_yet_says_that_it_is_being_computed(page: CostPage) -> None:
    estimate = page.context.session.estimate
    assert estimate is not None
    fresh = compared(quote_of(page), TODAY)
    page.views.show_view(TORNADO)
    page.views.show_estimate(fresh, False)
    assert page.views.current.empty.isVisible()
    assert page.views.current.empty.text().startswith("Being computed")


def test_what_flips_the_plan_is_looked_for_on_request_and_forgotten_with_an_edit(
    page: CostPage, qtbot: QtBot
) -> None:
    box = page.rent
    assert not box.found.isVisible()
    box.search.click()
    assert box.cancel.isVisible()
    assert box.progress.isVisible()
    qtbot.waitUntil(box.found.isVisible, timeout=PATIENCE_MS)
    assert "now" in box.found.text()
    assert box.search.isVisible()
    page.context.session.edit("tax", lambda quote: quote.replaced(notes="another"))
    assert not box.found.isVisible()


def test_the_search_can_be_cancelled_by_its_button_and_with_all_other_work(page: CostPage) -> None:
    box = page.rent
    for cancel in (box.cancel.click, page.context.session.cancel):
        box.look()
        assert box.cancel.isVisible()
        cancel()
        assert not box.cancel.isVisible()
        assert box.search.isVisible()
        assert not box.found.isVisible()


def test_a_page_that_is_taken_down_takes_its_search_with_it(page: CostPage) -> None:
    session = page.context.session
    box = RentBox(session, WORDS, Theme())
    box.show_estimate(session.estimate)
    box.look()
    assert session.is_working("flips")
    box.deleteLater()
    del box
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not session.is_working("flips")
    assert not page.rent.cancel.isVisible()


def test_what_owning_costs_is_typed_and_its_column_filled(page: CostPage, qtbot: QtBot) -> None:
    typed = {
        "price_per_card": "2000",
        "life_years": "4",
        "watts_per_card": "450",
        "pue": "1.4",
        "price_per_kwh": "0.20",
        "staff_per_year": "3000",
        "cards": "10",
        "use_hours_per_year": "4000",
    }
    for name, text in typed.items():
        field = page.ways.fields[name]
        field.setFocus()
        field.selectAll()
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
    ownership = quote_of(page).pricing.ownership
    assert ownership is not None
    assert ownership.pue.value == Decimal("1.4")

    def owned() -> str:
        row = page.ways.model.rows[0]
        return getattr(row, "figures", ("", "", "—"))[2]

    qtbot.waitUntil(lambda: owned() != "—", timeout=PATIENCE_MS)
    assert "Own cards against" in page.ways.said.text()
    page.ways.fields["pue"].selectAll()
    qtbot.keyClick(page.ways.fields["pue"], Qt.Key.Key_Delete)
    page.ways.fields["pue"].setFocus()
    qtbot.keyClick(page.ways.fields["pue"], Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: owned() == "—", timeout=PATIENCE_MS)


def test_a_seller_is_left_out_with_its_reason_and_admitted_again(page: CostPage) -> None:
    ways = page.ways
    assert ways.sellers.currentText() == "Hivenet"
    ways.reason.setText("Data stay in the house")
    ways.forbid.click()
    rules = quote_of(page).forbidden_sellers
    assert [(one.seller, one.reason) for one in rules] == [("Hivenet", "Data stay in the house")]
    assert ways.sellers.findText("Hivenet") < 0
    ways.admit_buttons[0].click()
    assert quote_of(page).forbidden_sellers == ()


def test_a_place_of_owning_leads_to_its_field(page: CostPage) -> None:
    page.activateWindow()
    assert page.go_to(("pricing", "ownership", "pue"))
    assert page.focusWidget() is page.ways.fields["pue"]


# Bars in rows


def test_round_ticks_hold_both_ends() -> None:
    assert round_ticks(0, 0.77) == (0, 0.2, 0.4, 0.6, 0.8)
    assert round_ticks(-5, 95) == (-25, 0, 25, 50, 75, 100)
    for low, high in ((0, 0), (3, 3), (0.58, 1.55), (1790, 2685)):
        ticks = round_ticks(low, high)
        assert ticks[0] <= low
        assert ticks[-1] >= high
        assert len(ticks) >= 2


def test_pieces_stand_where_their_values_are(qtbot: QtBot) -> None:
    bars = RowBars(Theme(), "bars")
    qtbot.addWidget(bars)
    bars.resize(400, 120)
    pieces = (Piece(0, 50, 1), Piece(50, 100, 2), Piece(0, -25, MARGIN_CLASS))
    ticks = tuple((float(at), str(at)) for at in (-25, 0, 25, 50, 75, 100))
    bars.show_rows(RowBarsContent((BarRow("one", figure="100", pieces=pieces),), ticks))
    boxes = [bars.piece_box(0, at) for at in range(3)]
    assert boxes[0].right() == pytest.approx(boxes[1].left())
    assert boxes[0].width() == pytest.approx(boxes[1].width())
    assert boxes[2].right() == pytest.approx(boxes[0].left())
    assert boxes[2].width() == pytest.approx(boxes[0].width() / 2)
    assert boxes[1].right() < bars.width()
