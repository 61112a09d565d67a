"""Page 6: plans in groups, price lines edited in place, how the price is made, and the frontier."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QPushButton, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from estimator.evidence import EvidenceKind, Stated
from estimator.quote import FeeBasis, FeeKind, Quote
from tests.quotes import compared, mixed_quote
from tests.ui.cost_pages import TODAY, WORDS, sample, shown_page
from ui.models.table import Group
from ui.pages.cost import CostPage
from ui.pages.cost_frontier_rows import point_rows
from ui.pages.cost_lines import NAME, PRICE, QUANTITY, LineRow, line_rows, offer_rows, with_percent, with_rate
from ui.pages.cost_plans import PlanRow, plan_rows
from ui.pages.schedule_groups import units_of
from ui.widgets.number_field import NumberField


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[CostPage]:
    yield from shown_page(qtbot, sample())


def quote_of(page: CostPage) -> Quote:
    quote = page.context.session.quote
    assert quote is not None
    return quote


def line(page: CostPage, name: str) -> tuple[int, LineRow]:
    for at, row in enumerate(page.line_model.rows):
        if isinstance(row, LineRow) and row.name == name:
            return at, row
    raise AssertionError(name)


def test_plans_stand_in_groups_with_those_within_the_limits_first() -> None:
    rows = plan_rows(WORDS, compared(sample(), TODAY))
    assert [row.title for row in rows if isinstance(row, Group)] == [
        "Within 90 min, 2 cards",
        "Later than 90 min",
    ]
    first = rows[1]
    assert isinstance(first, PlanRow)
    # 8 tasks of 12 min on 2 cards by the second: 96 card minutes = 1.6 h × 0.40 € = 0.64 €.
    assert (first.name, first.paid, first.net) == (
        "B · RTX 4090 · Hivenet by the hour",
        "1.60 card·h",
        "0.64",
    )
    assert first.shown


def test_a_sample_plan_says_so_once_beside_its_name() -> None:
    rows = [row for row in plan_rows(WORDS, compared(sample(), TODAY)) if isinstance(row, PlanRow)]
    sampled = [row for row in rows if row.sample]
    assert len(sampled) == 4
    assert all("SAMPLE" not in row.name for row in sampled)


def test_a_plan_without_a_rate_has_no_total_and_says_why() -> None:
    rows = [
        row
        for row in plan_rows(WORDS, compared(sample("consultation-notes"), TODAY))
        if isinstance(row, PlanRow) and row.net == "—"
    ]
    assert rows
    assert all("exchange rate for USD" in row.note for row in rows)


def test_an_excluded_offer_stays_visible_with_its_reason() -> None:
    quote = sample()
    lot = next(one for one in quote.offers if one.id == "sample-rtx-4090-1")
    kept = tuple(one.replaced(stock=1) if one is lot else one for one in quote.offers)
    rows = plan_rows(WORDS, compared(quote.replaced(offers=kept), TODAY))
    excluded = [row for row in rows if isinstance(row, PlanRow) and not row.plan_id]
    assert [row.name for row in excluded] == ["B · 1 × RTX 4090"]
    assert "1 tasks at once and 2 are needed" in excluded[0].note


def test_a_blank_fee_is_said_in_words_and_a_quote_without_offers_has_no_total() -> None:
    rows = line_rows(WORDS, sample().replaced(offers=()), None)
    assert {row.amount for row in rows if row.fee is not None} == {"Not included"}
    total = rows[-1]
    assert (total.name, total.amount) == ("Total", "—")
    assert total.note


def test_one_card_of_each_offer_has_its_price_by_term() -> None:
    rows = offer_rows(WORDS, sample())
    # 0.40 € × 24 h × 3 = 28.80; the lot of two B200 shares its 781.20 € between its cards.
    assert rows[0].terms == ("28.80", "67.20", "288.00")
    assert rows[1].terms == ("27.36", "60.48", "230.40")
    assert rows[2].terms[0] == "390.60"
    assert rows[1].sample


def test_points_of_the_frontier_say_how_they_stand() -> None:
    points = point_rows(WORDS, compared(sample(), TODAY))
    assert [(row.cost, row.dominated, row.shown) for row in points[:2]] == [
        (Decimal("0.64"), False, True),
        (Decimal("54.72"), True, False),
    ]
    assert points[1].standing == "dominated"


def test_a_mixed_plan_is_named_by_its_offers_and_models() -> None:
    result = compared(mixed_quote(), TODAY)
    row = next(one for one in plan_rows(WORDS, result) if isinstance(one, PlanRow) and one.shown)
    assert row.name == "A · 1 lot of slow, 3 days + 1 lot of fast, 3 days + hour by the hour"
    point = next(one for one in point_rows(WORDS, result) if one.shown)
    assert point.label == "2 × RTX 4090 + 1 × B200"


def test_with_a_budget_the_frontier_is_drawn_with_tax() -> None:
    quote = sample()
    work = quote.workload.replaced(budget=Stated(value=Decimal(100)))
    points = point_rows(WORDS, compared(quote.replaced(workload=work), TODAY))
    assert points[0].cost == Decimal("0.77")  # 0.64 + 21 % = 0.7744


def test_a_first_tax_rate_is_given_and_a_blank_one_is_not_included() -> None:
    quote = with_percent(Quote(), "tax_percent", Decimal(16))
    assert quote.pricing.tax_percent.kind is EvidenceKind.GIVEN
    assert with_percent(quote, "tax_percent", None).pricing.tax_percent.value is None
    assert with_percent(quote, "discount_percent", None).pricing.discount_percent is None


def test_a_rate_typed_again_keeps_its_date() -> None:
    quote = with_rate(Quote(), "USD", Decimal("0.92"))
    dated = quote.pricing.rates[0].replaced(date=TODAY)
    quote = quote.replaced(pricing=quote.pricing.replaced(rates=(dated,)))
    again = with_rate(quote, "USD", Decimal("0.93"))
    assert [(one.rate, one.date) for one in again.pricing.rates] == [(Decimal("0.93"), TODAY)]
    assert with_rate(again, "USD", None).pricing.rates == ()


def test_the_tables_keep_the_promises_of_models(page: CostPage, qtmodeltester: ModelTester) -> None:
    for model in (page.plan_model, page.line_model, page.offer_model, page.views.current.model):
        qtmodeltester.check(model)


def test_choosing_a_plan_is_one_step_and_it_goes_back_to_the_recommended(
    page: CostPage, qtbot: QtBot
) -> None:
    at = next(at for at, row in enumerate(page.plan_model.rows) if isinstance(row, PlanRow) and not row.shown)
    row = page.plan_model.rows[at]
    assert isinstance(row, PlanRow)
    page.plans.setCurrentIndex(page.plan_model.index(at, 1))
    session = page.context.session
    with qtbot.waitSignal(session.estimated):
        qtbot.keyClick(page.plans, Qt.Key.Key_Space)
    assert quote_of(page).chosen_plan == row.plan_id
    assert session.undo_label == "choose a plan"
    assert page.recommended_button.isVisible()
    page.recommended_button.click()
    assert quote_of(page).chosen_plan == ""


def test_the_mark_of_the_plan_shown_is_spoken(page: CostPage) -> None:
    role = Qt.ItemDataRole.AccessibleTextRole
    assert page.plan_model.index(1, 0).data(role) == "Shown"
    assert page.plan_model.index(2, 0).data(role) == "Not shown"


def test_a_fee_is_priced_in_place_and_cleared_to_not_included(page: CostPage, qtbot: QtBot) -> None:
    session = page.context.session
    at, row = line(page, "Almacenamiento")
    assert row.fee is not None
    with qtbot.waitSignal(session.estimated):
        page.line_model.setData(page.line_model.index(at, PRICE), "2,50", Qt.ItemDataRole.EditRole)
    with qtbot.waitSignal(session.estimated):
        page.line_model.setData(page.line_model.index(at, QUANTITY), "3", Qt.ItemDataRole.EditRole)
    _, priced = line(page, "Almacenamiento")
    assert priced.amount == "7.50"
    assert line(page, "Net")[1].amount == "8.14"  # 0.64 + 7.50
    page.lines.setCurrentIndex(page.line_model.index(at, PRICE))
    page.lines.clear_selected()
    assert line(page, "Almacenamiento")[1].amount == "Not included"


def test_a_price_that_is_no_number_is_refused_with_its_sentence(page: CostPage) -> None:
    at, _ = line(page, "Almacenamiento")
    before = quote_of(page)
    page.line_model.setData(page.line_model.index(at, PRICE), "two", Qt.ItemDataRole.EditRole)
    assert quote_of(page) is before
    assert page.refusal_shown == "This is not a number. Write it as 1234.5 or 1234,5."


def test_a_line_is_added_named_and_removed(page: CostPage) -> None:
    page.add_fee_button.click()
    at, _ = line(page, "New line")
    page.line_model.setData(page.line_model.index(at, NAME), "Courier", Qt.ItemDataRole.EditRole)
    assert quote_of(page).pricing.fees[-1].name == "Courier"
    page.lines.setCurrentIndex(page.line_model.index(at, NAME))
    page.remove_fee_button.click()
    assert all(fee.name != "Courier" for fee in quote_of(page).pricing.fees)


def test_the_evidence_of_a_fee_and_of_the_tax_opens_in_place(page: CostPage) -> None:
    at, _ = line(page, "Almacenamiento")
    page.lines.opened.emit(at)
    assert page.evidence.isVisible()
    page.evidence.source.setText("Seller's mail")
    page.evidence.source.commit()
    fee = next(one for one in quote_of(page).pricing.fees if one.id == "storage")
    assert fee.price.evidence.source == "Seller's mail"
    at, _ = line(page, "Tax")
    page.lines.opened.emit(at)
    assert page.evidence.evidence.kind is EvidenceKind.GIVEN


def open_fee(page: CostPage, name: str) -> None:
    at, _ = line(page, name)
    page.lines.opened.emit(at)
    assert page.fee_form.isVisible()


def typed(field: NumberField, text: str) -> None:
    field.setText(text)
    field.commit()


def chosen(box: QComboBox, choice: str) -> None:
    at = box.findData(choice)
    box.setCurrentIndex(at)
    box.activated.emit(at)


def test_storage_is_charged_for_the_days_that_it_is_kept(page: CostPage, qtbot: QtBot) -> None:
    at, _ = line(page, "Almacenamiento")
    page.line_model.setData(page.line_model.index(at, PRICE), "0,08", Qt.ItemDataRole.EditRole)
    page.line_model.setData(page.line_model.index(at, QUANTITY), "500", Qt.ItemDataRole.EditRole)
    open_fee(page, "Almacenamiento")
    assert not page.fee_form.kept.isVisible()
    chosen(page.fee_form.basis, FeeBasis.KEPT_TIME)
    assert page.fee_form.kept.isVisible()
    qtbot.waitUntil(lambda: "days kept" in line(page, "Almacenamiento")[1].note)
    assert line(page, "Almacenamiento")[1].amount == "—"
    with qtbot.waitSignal(page.context.session.estimated):
        typed(page.fee_form.kept, "10")
    _, row = line(page, "Almacenamiento")
    assert row.amount == "13.33"  # 500 × 0.08 × 10 ÷ 30
    assert row.quantity == "500 × 10 of 30 days"


def test_prices_of_more_are_typed_in_rising_order(page: CostPage, qtbot: QtBot) -> None:
    at, _ = line(page, "Almacenamiento")
    page.line_model.setData(page.line_model.index(at, PRICE), "1", Qt.ItemDataRole.EditRole)
    page.line_model.setData(page.line_model.index(at, QUANTITY), "30", Qt.ItemDataRole.EditRole)
    open_fee(page, "Almacenamiento")
    first, second, third = page.fee_form.tiers
    assert first[0].isVisible()
    assert not second[0].isVisible()
    typed(first[0], "10")
    assert quote_of(page).pricing.fees[1].tiers == ()  # half a pair is no price yet
    typed(first[1], "0,5")
    typed(second[0], "5")
    typed(second[1], "0,25")
    fee = next(one for one in quote_of(page).pricing.fees if one.id == "storage")
    assert [(tier.above, tier.price) for tier in fee.tiers] == [(10, Decimal("0.5"))]
    assert page.fee_form.refusal == "Quantities must rise from line to line."
    with qtbot.waitSignal(page.context.session.estimated):
        typed(second[0], "20")
    assert page.fee_form.refusal == ""
    assert third[0].isVisible()
    assert line(page, "Almacenamiento")[1].amount == "17.50"  # 10 + 5 + 2.5


def test_the_kind_unit_currency_and_tax_of_a_line_reach_the_quote(page: CostPage) -> None:
    open_fee(page, "Almacenamiento")
    chosen(page.fee_form.kind, FeeKind.MANAGED)
    page.fee_form.unit.setText("GB")
    page.fee_form.unit.editingFinished.emit()
    chosen(page.fee_form.currency, "USD")
    typed(page.fee_form.tax, "10")
    fee = next(one for one in quote_of(page).pricing.fees if one.id == "storage")
    assert (fee.kind, fee.unit, fee.currency, fee.tax_percent) == (FeeKind.MANAGED, "GB", "USD", 10)
    assert "USD" in page.settings.rates
    page.lines.opened.emit(line(page, "Almacenamiento")[0])
    assert not page.fee_form.isVisible()


def test_typed_percentages_currency_and_hold_reach_the_quote(page: CostPage) -> None:
    for name, text in (("tax_percent", "10"), ("discount_percent", "5"), ("contingency_percent", "2,5")):
        page.settings.percents[name].setText(text)
        page.settings.percents[name].commit()
    page.settings.hold.click()
    page.settings.age.setText("60")
    page.settings.age.commit()
    pricing = quote_of(page).pricing
    assert pricing.tax_percent.value == 10
    assert pricing.discount_percent is not None
    assert pricing.discount_percent.value == 5
    assert pricing.contingency_percent is not None
    assert pricing.contingency_percent.value == Decimal("2.5")
    assert pricing.hold_through_assembly
    assert pricing.price_age_limit_days == 60
    page.settings.currency_chosen.emit("MXN")
    assert quote_of(page).pricing.currency == "MXN"
    assert "EUR" in page.settings.rates  # the offers are in euros: a rate is asked for


def test_a_foreign_offer_gets_its_total_with_a_typed_dated_rate(qtbot: QtBot) -> None:
    for page in shown_page(qtbot, sample("consultation-notes")):
        rate, day = page.settings.rates["USD"]
        assert not day.isEnabled()
        with qtbot.waitSignal(page.context.session.estimated):
            rate.setText("0,92")
            rate.commit()
        day.setText("2026-11-30")
        day.commit()
        assert [(one.currency, one.rate, one.date) for one in quote_of(page).pricing.rates] == [
            ("USD", Decimal("0.92"), TODAY)
        ]
        assert all(row.net != "—" for row in page.plan_model.rows if isinstance(row, PlanRow))


def test_ctrl_t_exchanges_the_picture_and_its_table(page: CostPage, qtbot: QtBot) -> None:
    assert not page.views.current.table.isVisible()
    page.plans.setFocus()
    qtbot.keyClick(page.plans, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    assert page.views.shows_table
    assert page.views.current.table.isVisible()
    assert page.views.current.model.rowCount() == 6


def test_places_of_the_pricing_lead_to_their_fields(page: CostPage) -> None:
    page.activateWindow()
    assert page.go_to(("pricing", "tax_percent"))
    assert page.focusWidget() is page.settings.percents["tax_percent"]
    assert page.go_to(("pricing", "fees", "storage", "quantity"))
    assert page.lines.currentIndex().column() == QUANTITY
    assert not page.go_to(("pricing", "fees", "nothing", "price"))
    assert not page.go_to(("workload", "limit"))


def test_everything_that_takes_the_focus_has_a_name_and_follows_the_reading_order(page: CostPage) -> None:
    chain = focus_chain(page)
    assert [widget for widget in chain if not spoken(widget)] == []
    assert_reading_order(page, chain)


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


def assert_reading_order(page: QWidget, chain: list[QWidget]) -> None:
    """Each stop is below the one before, or right of it in its row, or begins a column further right."""
    steps = [widget for widget in chain if isinstance(widget, QPushButton) and widget.parent() is page]
    content = [widget for widget in chain if widget not in steps]
    assert chain == [*content, *steps]
    for before, after in pairwise(content):
        first, second = (one.mapTo(page, one.rect().topLeft()) for one in (before, after))
        below = second.y() >= first.y() + before.height() - 2
        right = second.x() >= first.x() + before.width() - 2
        assert below or right, (before.accessibleName(), after.accessibleName())


def test_the_rows_of_a_mixed_plan_stand_under_their_offers() -> None:
    result = compared(mixed_quote(), TODAY)
    assert result.shown is not None
    units = units_of(WORDS, result.quote, result.shown_plan, result.shown)
    assert [units.names[unit] for unit in units.of_card] == ["slow", "fast", "hour"]
