"""Page 7: conditions in two groups, the form of one beside them, and the trial."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from estimator.catalogue import Catalogue
from estimator.edits import new_quote, with_condition
from estimator.quote import ConditionRecord, ConditionState, Quote
from estimator.results.estimate import QuoteStatus
from estimator.storage import read_quote
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.reception import ACCEPTED_TIME, ALL_PEAKS, INPUTS, trial_rows
from estimator.wording.sentences import CONDITIONS
from tests.quotes import compared
from ui.models.table import Group
from ui.pages.conditions import ConditionsPage
from ui.pages.conditions_rows import (
    ADMIN_CONSOLE,
    ConditionRow,
    condition_rows,
    how_to_verify,
    with_own_condition,
    without_condition,
)
from ui.pages.conditions_trial import with_observation
from ui.pages.page import Context
from ui.runner import Runner
from ui.session import Session
from ui.theme import Theme

SAMPLES = Path(__file__).parents[2] / "resources" / "samples"
TODAY = date(2026, 11, 30)
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)


def sample(name: str = "indice-de-las-obras") -> Quote:
    return read_quote(SAMPLES / f"{name}.cabida")


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[ConditionsPage]:
    runner = Runner()
    session = Session(runner, lambda: TODAY)
    page = ConditionsPage(Context(session, WORDS, Theme(), Catalogue))
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


def quote_of(page: ConditionsPage) -> Quote:
    quote = page.context.session.quote
    assert quote is not None
    return quote


def row_of(page: ConditionsPage, condition_id: str) -> int:
    return next(
        at
        for at, row in enumerate(page.model.rows)
        if isinstance(row, ConditionRow) and row.id == condition_id
    )


def record(page: ConditionsPage, condition_id: str) -> ConditionRecord:
    return next(one for one in quote_of(page).conditions if one.id == condition_id)


def test_decisive_conditions_come_first_with_value_range_and_how_to_verify() -> None:
    rows = condition_rows(WORDS, compared(sample(), TODAY))
    assert isinstance(rows[0], Group)
    first, second, third = rows[1:4]
    assert isinstance(first, ConditionRow)
    assert isinstance(second, ConditionRow)
    assert isinstance(third, ConditionRow)
    assert (first.value, first.possible) == ("12 min", "9 to 18 min")
    # (9 + 4 + 5) × 1.05 + 0.5 = 19.4 GiB; at the upper ends (15 + 4 + 5) × 1.10 + 0.6 = 27.0 GiB.
    assert (second.value, second.possible) == ("19.4 GiB", "up to 27.0 GiB")
    assert (third.value, third.possible) == ("1", "1 to 2")
    assert first.verify == "Time four tasks"


def test_every_condition_the_core_derives_has_a_way_to_verify_it() -> None:
    assert [code for code in CONDITIONS if not how_to_verify(WORDS, code)] == []


def test_an_unknown_number_says_where_it_stands() -> None:
    quote = new_quote(unit="scan", count=8, stage_name="Scan", language="en")
    claims = [
        row.claim for row in condition_rows(WORDS, compared(quote, TODAY)) if isinstance(row, ConditionRow)
    ]
    assert claims[0] == "A number that the plan needs is known: Work › Scan › Duration"
    assert len(set(claims)) == len(claims)


def test_a_price_condition_shows_the_price_used() -> None:
    rows = condition_rows(WORDS, compared(sample(), TODAY))
    price = next(row for row in rows if isinstance(row, ConditionRow) and row.id.startswith("price:"))
    assert price.value == "0.40\u00a0€/h"
    assert price.forced


def test_own_conditions_come_and_go_without_touching_others() -> None:
    quote = with_own_condition(with_own_condition(Quote(), "Badge for the room"), "Power")
    assert [one.id for one in quote.conditions] == ["own-1", "own-2"]
    assert [one.text for one in without_condition(quote, "own-1").conditions] == ["Power"]
    assert with_own_condition(without_condition(quote, "own-1"), "Cooling").conditions[-1].id == "own-1"


def test_the_trial_compares_the_reference_with_the_organisation_shown_and_fills_no_cell() -> None:
    quote = sample()
    rows = {row.id: row for row in trial_rows(WORDS, quote, compared(quote, TODAY))}
    assert [cell.organisation_id for cell in rows[ACCEPTED_TIME].cells] == ["A", "B"]
    assert [cell.estimated for cell in rows[ACCEPTED_TIME].cells] == ["106 min", "58 min"]
    assert [cell.applies for cell in rows["peak:2"].cells] == [False, True]
    assert rows[INPUTS].cells[0].estimated == "8"
    assert {cell.observed for row in rows.values() for cell in row.cells} == {""}


def test_many_cards_have_one_row_for_their_highest_peak() -> None:
    quote = sample()
    many = quote.workload.replaced(
        stages=tuple(
            one.replaced(tasks=one.tasks.replaced(count=(12,))) if one.on_cards else one
            for one in quote.workload.stages
        ),
        quota_cards=None,
    )
    organisations = tuple(
        one.replaced(layouts=tuple(each.replaced(tasks_at_once=12) for each in one.layouts))
        for one in quote.organisations
    )
    quote = quote.replaced(workload=many, organisations=organisations)
    rows = {row.id for row in trial_rows(WORDS, quote, compared(quote, TODAY))}
    assert ALL_PEAKS in rows
    assert "peak:1" not in rows


def test_an_observation_is_kept_until_its_cell_is_emptied() -> None:
    quote = with_observation(sample(), "B", ACCEPTED_TIME, " 61 min ")
    assert [(one.id, one.organisation_id, one.value) for one in quote.trial.observations] == [
        (ACCEPTED_TIME, "B", "61 min")
    ]
    assert with_observation(quote, "B", ACCEPTED_TIME, " ").trial.observations == ()


def test_the_tables_keep_the_promises_of_models(page: ConditionsPage, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(page.model)
    qtmodeltester.check(page.trial_model)


def test_enter_on_a_row_opens_its_form_and_escape_goes_back(page: ConditionsPage, qtbot: QtBot) -> None:
    page.focus_first()
    assert page.focusWidget() is page.table
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert page.form.isVisible()
    assert page.focusWidget() is page.form.states[ConditionState.OPEN]
    qtbot.keyClick(page.form.states[ConditionState.OPEN], Qt.Key.Key_Escape)
    assert not page.form.isVisible()
    assert page.focusWidget() is page.table


def test_what_was_seen_is_recorded_step_by_step(page: ConditionsPage, qtbot: QtBot) -> None:
    session = page.context.session
    page.table.opened.emit(row_of(page, "duration:conversion"))
    form = page.form
    for line, text in ((form.observed, "11,8 min"), (form.who, "Ana"), (form.date, "2026-11-29")):
        line.setText(text)
        line.commit()
    form.seen.setCurrentIndex(1)
    form.seen.activated.emit(1)
    with qtbot.waitSignal(session.estimated):
        form.states[ConditionState.MET].click()
    kept = record(page, "duration:conversion")
    assert (kept.state, kept.observed, kept.who, kept.date, kept.where_seen) == (
        ConditionState.MET,
        "11,8 min",
        "Ana",
        date(2026, 11, 29),
        "container",
    )
    assert session.undo_label == "record a condition"
    row = page.model.rows[row_of(page, "duration:conversion")]
    assert isinstance(row, ConditionRow)
    assert row.state is ConditionState.MET


def test_an_administration_console_alone_does_not_verify(page: ConditionsPage) -> None:
    page.table.opened.emit(row_of(page, "slow_down"))
    form = page.form
    form.states[ConditionState.MET].click()
    assert record(page, "slow_down").state is ConditionState.MET
    at = form.seen.findData(ADMIN_CONSOLE)
    form.seen.activated.emit(at)
    assert record(page, "slow_down").state is ConditionState.OPEN
    form.states[ConditionState.MET].click()
    assert record(page, "slow_down").state is ConditionState.OPEN
    assert form.states[ConditionState.OPEN].isChecked()


def test_a_price_without_a_date_stays_decisive(page: ConditionsPage, qtbot: QtBot) -> None:
    page.table.opened.emit(row_of(page, "price:hivenet-rtx-4090"))
    assert not page.form.decisive.isEnabled()
    page.table.opened.emit(row_of(page, "duration:conversion"))
    assert page.form.decisive.isEnabled()
    with qtbot.waitSignal(page.context.session.estimated):
        page.form.decisive.click()
    assert record(page, "duration:conversion").decisive is False


def test_a_condition_of_ones_own_is_added_renamed_and_removed(page: ConditionsPage, qtbot: QtBot) -> None:
    session = page.context.session
    page.own_text.setText("Power for two cards")
    with qtbot.waitSignal(session.estimated):
        page.add_button.click()
    assert page.own_text.text() == ""
    page.table.opened.emit(row_of(page, "own-1"))
    assert page.form.text.isVisible()
    page.form.text.setText("Power and cooling")
    with qtbot.waitSignal(session.estimated):
        page.form.text.commit()
    assert record(page, "own-1").text == "Power and cooling"
    with qtbot.waitSignal(session.estimated):
        page.form.remove_button.click()
    assert quote_of(page).conditions == ()
    assert not page.form.isVisible()


def test_the_form_leads_to_the_number_behind_a_condition(page: ConditionsPage, qtbot: QtBot) -> None:
    page.table.opened.emit(row_of(page, "duration:conversion"))
    with qtbot.waitSignal(page.asked) as asked:
        page.form.place_button.click()
    assert asked.args == [("workload", "stages", "conversion", "duration")]


def test_observations_topology_and_place_are_typed_into_the_trial(page: ConditionsPage) -> None:
    page.trial_model.setData(page.trial_model.index(0, 4), "61 min", Qt.ItemDataRole.EditRole)
    assert quote_of(page).trial.observations[0].organisation_id == "B"
    page.trial.setCurrentIndex(page.trial_model.index(0, 4))
    page.trial.clear_selected()
    assert quote_of(page).trial.observations == ()
    page.topology.setFocus()
    page.topology.setPlainText("GPU0 GPU1\n X   NV12")
    page.own_text.setFocus()
    assert quote_of(page).trial.topology == "GPU0 GPU1\n X   NV12"
    page.seen.activated.emit(page.seen.findData("vm"))
    assert quote_of(page).trial.where_seen == "vm"


def test_a_quote_with_everything_met_says_that_it_is_firm(page: ConditionsPage, qtbot: QtBot) -> None:
    session = page.context.session
    found = compared(sample(), TODAY).conditions

    def all_met(quote: Quote) -> Quote:
        for one in found:
            quote = with_condition(quote, ConditionRecord(id=one.id, state=ConditionState.MET))
        return quote

    with qtbot.waitSignal(session.estimated):
        session.edit("meet all", all_met)
    assert session.estimate is not None
    assert session.estimate.status is QuoteStatus.FIRM
    assert page.said == "Nothing open: the quote is firm."


def test_places_of_conditions_and_trial_lead_to_their_rows(page: ConditionsPage) -> None:
    assert page.go_to(("conditions", "slow_down"))
    assert page.focusWidget() is page.table
    row = page.model.row_at(page.table.currentIndex())
    assert row is not None
    assert row.id == "slow_down"
    assert page.go_to(("trial", "topology"))
    assert page.focusWidget() is page.topology
    assert page.go_to(("conditions",))
    assert not page.go_to(("conditions", "nothing"))
    assert not page.go_to(("customer",))


def test_everything_that_takes_the_focus_has_a_name_and_follows_the_reading_order(
    page: ConditionsPage,
) -> None:
    page.table.opened.emit(row_of(page, "duration:conversion"))
    chain = focus_chain(page)
    assert [widget for widget in chain if not spoken(widget)] == []
    inside = [page.form.isAncestorOf(widget) for widget in chain]
    steps = [page.previous_button, page.next_button]
    # content, then the form at the right, then previous and next
    assert inside == [*sorted(inside[:-2]), False, False]
    assert chain[-2:] == steps
    for part in (False, True):
        widgets = [one for one, is_in in zip(chain[:-2], inside[:-2], strict=True) if is_in is part]
        assert_reading_order(page, widgets)


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


def assert_reading_order(page: QWidget, content: list[QWidget]) -> None:
    for before, after in pairwise(content):
        first, second = (one.mapTo(page, one.rect().topLeft()) for one in (before, after))
        below = second.y() >= first.y() + before.height() - 8
        right = second.x() >= first.x() + before.width() - 2
        assert below or right, (spoken(before), spoken(after))
