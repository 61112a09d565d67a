"""The Organisations page compares, edits one organisation at a time, and keeps a picture while it computes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from estimator.catalogue.embedded import embedded_catalogue
from estimator.edits import added_organisation, organisation_within, with_layout
from estimator.evidence import EvidenceKind
from estimator.problems import Place
from estimator.quote import AssignmentPolicy, Quote
from estimator.storage import read_quote
from estimator.wording import Language, NumberFormat, Wording
from ui.models.table import EVIDENCE_ROLE
from ui.pages.organisations import OrganisationsPage
from ui.pages.organisations_form import duplicated_organisation, next_organisation
from ui.pages.organisations_rows import Criterion
from ui.pages.page import Context
from ui.runner import Runner
from ui.session import Session
from ui.theme import Theme

WORDS = Wording(Language.ENGLISH, NumberFormat.EN_US)
SAMPLE = Path(str(files("resources").joinpath("samples", "indice-de-las-obras.cabida")))


@pytest.fixture
def session(qtbot: QtBot) -> Iterator[Session]:
    runner = Runner()
    yield Session(runner, lambda: dt.date(2026, 11, 30))
    runner.close()


@pytest.fixture
def page(qtbot: QtBot, session: Session) -> OrganisationsPage:
    page = OrganisationsPage(Context(session, WORDS, Theme(), embedded_catalogue))
    qtbot.addWidget(page)

    def show() -> None:
        if session.quote is not None:
            page.show_state(session.quote, session.estimate, session.is_stale)

    session.changed.connect(show)
    session.estimated.connect(show)
    page.resize(1166, 620)
    page.show()
    return page


def opened(qtbot: QtBot, session: Session, quote: Quote | None = None) -> None:
    session.show(read_quote(SAMPLE) if quote is None else quote)
    settled(qtbot, session)


def settled(qtbot: QtBot, session: Session) -> None:
    def complete() -> bool:
        return session.estimate is not None and session.estimate.is_complete and not session.is_stale

    qtbot.waitUntil(complete, timeout=10_000)


def texts(page: OrganisationsPage, criterion: str) -> list[str]:
    """Return the cells of a criterion as shown, in the order of the columns."""
    model = page.table.comparison
    for row in range(model.rowCount()):
        if str(model.index(row, 0).data()).startswith(criterion):
            return [str(model.index(row, column).data()) for column in range(1, model.columnCount())]
    raise AssertionError(criterion)


def typed(field: QWidget, text: str) -> None:
    field.setFocus()
    field.selectAll()  # type: ignore[attr-defined]  # every field here is a line
    if text:
        QTest.keyClicks(field, text)
    else:
        QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClick(field, Qt.Key.Key_Return)


def test_the_reference_comes_first_and_each_time_stands_with_its_difference(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    assert page.table.organisation_ids == ("A", "B")
    # 8 tasks of 12 min: 96 min one at a time, 48 min two at a time; then 10 min of assembly.
    assert texts(page, "Key") == ["1 × 1", "2 × 1"]
    assert texts(page, "Conversión") == ["96 min", "48 min −48 min"]
    assert texts(page, "Ensamblaje") == ["10 min", "10 min ±0"]
    assert texts(page, "Delivery") == ["106 min", "58 min −48 min"]
    assert texts(page, "Meets the limit of 90 min") == ["No, +16 min", "Yes, 32 min spare"]
    assert texts(page, "Peak of the worst card") == ["19.4 of 24.0 GiB", "19.4 of 24.0 GiB"]
    assert texts(page, "Net cost") == ["0.64\N{NO-BREAK SPACE}€"] * 2


def test_another_reference_is_compared_against(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    page.table.select("B")
    page.form.reference.click()
    settled(qtbot, session)
    assert page.table.organisation_ids == ("B", "A")
    assert texts(page, "Delivery") == ["58 min", "106 min +48 min"]


def test_the_comparison_keeps_what_a_table_model_promises(
    qtbot: QtBot, session: Session, page: OrganisationsPage, qtmodeltester: ModelTester
) -> None:
    opened(qtbot, session)
    qtmodeltester.check(page.table.comparison)


def test_evidence_stands_under_times_and_under_costs(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    model = page.table.comparison
    kinds = [
        row.cells[1].kind
        for row in model.rows
        if isinstance(row, Criterion) and row.name.startswith("Evidence")
    ]
    assert kinds == [EvidenceKind.ASSUMED, EvidenceKind.ASSUMED]
    row = next(
        at for at in range(model.rowCount()) if "Evidence of the time" in str(model.index(at, 0).data())
    )
    assert model.data(model.index(row, 2), EVIDENCE_ROLE) is EvidenceKind.ASSUMED


def test_a_typed_number_of_tasks_at_once_is_one_step(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    page.table.select("B")
    typed(page.form.at_once, "4")
    assert session.quote is not None
    assert session.quote.organisations[1].layout("conversion").tasks_at_once == 4
    assert session.undo_label == "change the tasks at once of B"
    settled(qtbot, session)
    # 8 tasks by 4 at a time: 2 rounds of 12 min, and 10 min of assembly.
    assert texts(page, "Delivery") == ["106 min", "34 min −72 min"]
    session.undo()
    assert page.form.at_once.text() == "2"


def test_the_assignment_and_the_name_are_edited_for_the_selected_column(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    page.table.select("A")
    assert page.form.organisation_id == "A"
    page.form.policy.setCurrentIndex(list(AssignmentPolicy).index(AssignmentPolicy.LONGEST_FIRST))
    page.form.policy.activated.emit(page.form.policy.currentIndex())
    typed(page.form.name, "One card")
    assert session.quote is not None
    assert session.quote.organisations[0].layout("conversion").policy is AssignmentPolicy.LONGEST_FIRST
    assert session.quote.organisations[0].name == "One card"


def test_a_cooperative_organisation_without_a_mechanism_has_no_figures_but_a_link(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session, added_organisation(read_quote(SAMPLE), 1, 2))
    assert texts(page, "Delivery")[2] == "—"
    assert texts(page, "Software path")[2] == "No mechanism"
    assert texts(page, "Net cost")[2] == "—"
    assert [link.text() for link in page.notes.links] == ["Name the mechanism"]
    page.notes.links[0].click()
    assert page.form.organisation_id == "C"
    assert page.form.mechanism.hasFocus()
    typed(page.form.mechanism, "DDP")
    settled(qtbot, session)
    assert texts(page, "Software path")[2] == "DDP"
    assert texts(page, "Delivery")[2] != "—"
    assert page.notes.isHidden()


def test_a_missing_datum_of_another_page_is_asked_for(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    asked: list[Place] = []
    page.asked.connect(asked.append)
    quote = read_quote(SAMPLE)
    stage = quote.workload.stages[0]
    unknown = stage.replaced(tasks=stage.tasks.replaced(duration=(None,)))
    workload = quote.workload.replaced(stages=(unknown, *quote.workload.stages[1:]))
    opened(qtbot, session, quote.replaced(workload=workload))
    assert [link.text() for link in page.notes.links] == ["Go to the field"]
    page.notes.links[0].click()
    assert asked == [("workload", "stages", "conversion", "duration")]
    assert page.staircase.steps == ()


def test_organisations_are_added_copied_and_removed(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    page.add_button.click()
    assert page.table.organisation_ids == ("A", "B", "C")
    assert page.form.organisation_id == "C"
    assert page.form.at_once.text() == "4"  # twice the most so far, 2
    page.form.duplicate.click()
    assert page.form.organisation_id == "D"
    page.form.remove.click()
    page.table.select("C")
    page.form.remove.click()
    assert page.table.organisation_ids == ("A", "B")


def test_the_organisation_of_the_answer_is_in_the_form_until_another_is_picked(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    assert page.form.organisation_id == "B"
    page.table.select("A")
    assert session.quote is not None
    page.show_state(session.quote, session.estimate, stale=False)
    assert page.form.organisation_id == "A"


def test_a_limit_of_its_own_is_shown_changed_and_given_back(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    assert not page.form.limit.isVisible()
    session.edit("within", lambda quote: organisation_within(quote, "A", 46 * 60_000, "within 46 min"))
    settled(qtbot, session)
    assert page.form.organisation_id == session.quote.organisations[-1].id  # type: ignore[union-attr]
    assert page.form.limit.isVisible()
    assert page.form.limit.line.text() == "46"
    typed(page.form.limit.line, "58")
    assert session.quote is not None
    limit = session.quote.organisations[-1].limit
    assert limit is not None
    assert limit.ms == 58 * 60_000
    typed(page.form.limit.line, "")
    assert session.quote.organisations[-1].limit is None
    assert not page.form.limit.isVisible()


def test_a_limit_of_its_own_has_a_row_with_how_tasks_are_assigned(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    form = page.form

    def rows() -> list[int]:
        QApplication.processEvents()
        inputs = (form.name, form.per_task, form.policy, form.mechanism, form.limit.line)
        return [one.mapTo(page, one.rect().center()).y() // 8 for one in inputs if one.isVisible()]

    assert len(set(rows())) == 1
    session.edit("within", lambda quote: organisation_within(quote, "A", 46 * 60_000, "Limit 46 min"))
    settled(qtbot, session)
    name, per_task, policy, mechanism, limit = rows()
    assert name == per_task < policy == mechanism == limit
    stops = [stop for stop in stops_of(page) if stop in form.inputs]
    places = [(round(_place(stop, page).y() / 24), _place(stop, page).x()) for stop in stops]
    assert places == sorted(places)
    typed(form.limit.line, "")
    assert len(set(rows())) == 1


def test_an_organisation_with_a_long_name_is_shown_whole_or_elided(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    page.resize(1150, 652)
    quote = read_quote(SAMPLE.with_name("consultation-notes.cabida"))
    opened(qtbot, session, quote)
    name = "Limit 29 h 08 min for the customer's first delivery"
    session.edit("within", lambda now: organisation_within(now, "cards-4", 1_748 * 60_000, name))
    settled(qtbot, session)
    page.show_state(session.quote, session.estimate, stale=False)  # type: ignore[arg-type]
    QApplication.processEvents()
    shown = page.table.visualRect(page.table.currentIndex())
    assert page.table.current_id == page.form.organisation_id
    assert page.table.frozen.width() <= shown.left() < shown.right() <= page.table.viewport().width()
    title = page.form._title
    assert title.shown.endswith("…")
    assert title.toolTip() == title.text() == f"Edit {name}"
    assert title.fontMetrics().horizontalAdvance(title.shown) <= title.width()


def test_the_last_organisation_cannot_be_removed(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    quote = read_quote(SAMPLE)
    opened(qtbot, session, quote.replaced(organisations=quote.organisations[:1]))
    assert not page.form.remove.isEnabled()


def test_a_copy_keeps_the_layout_under_another_letter() -> None:
    quote = duplicated_organisation(read_quote(SAMPLE), "B")
    assert [one.id for one in quote.organisations] == ["A", "B", "C"]
    assert quote.organisations[2].layouts == quote.organisations[1].layouts


def test_the_next_organisation_asks_for_no_more_tasks_at_once_than_there_are() -> None:
    quote = with_layout(read_quote(SAMPLE), "B", "conversion", tasks_at_once=7)
    assert next_organisation(quote).organisations[2].layout("conversion").tasks_at_once == 8


def test_many_organisations_scroll_beside_two_frozen_columns(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    assert page.table.frozen.isHidden()
    quote = read_quote(SAMPLE)
    for at_once in (3, 4, 5):
        quote = added_organisation(quote, at_once)
    opened(qtbot, session, quote)
    assert not page.table.frozen.isHidden()
    assert page.table.frozen.width() == page.table.columnWidth(0) + page.table.columnWidth(1)
    page.table.setCurrentIndex(page.table.comparison.index(1, 5))
    page.table.setCurrentIndex(page.table.comparison.index(1, 2))
    left = page.table.visualRect(page.table.currentIndex()).left()
    assert left >= page.table.frozen.width()
    page.table.setCurrentIndex(page.table.comparison.index(1, 5))
    page.resize(page.width() - 40, page.height() - 200)
    QApplication.processEvents()
    assert page.table.verticalScrollBar().isVisible()
    shown = page.table.visualRect(page.table.currentIndex())
    assert shown.right() <= page.table.viewport().width()


def test_the_staircase_has_a_table_of_the_same_numbers(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    delivery = [str(page.staircase.model.index(row, 1).data()) for row in range(9)]
    assert delivery == [f"{minutes} min" for minutes in (106, 58, 46, 34, 34, 34, 34, 22, 22)]
    remarks = [str(page.staircase.model.index(row, 3).data()) for row in range(9)]
    assert remarks == ["", "shown", "", "", "no sooner", "no sooner", "no sooner", "", "no sooner"]
    assert page.staircase.stack.currentWidget() is page.staircase.chart
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    assert page.staircase.stack.currentWidget() is page.staircase.table


def test_what_cancels_the_gain_is_said_with_cases(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    lines = {what: value for what, value, _ in page.gain.lines}
    assert lines["Mutual slow-down between the cards"] == "k = 2.00"
    assert lines["Assembly longer by"] == "+48 min"
    assert lines["4 tasks of 18 min and then 4 of 6 min, in fixed blocks"] == "82 min"
    # 744 in 30 days: 720 h hold 744 whole runs of 58 min (744 × 58 = 43,152 of 43,200 min).
    assert [label.text() for label in page.throughput.values] == ["1.03", "74", "173", "744"]


def test_the_former_picture_stays_while_the_next_is_computed(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    steps = page.staircase.steps
    assert session.quote is not None
    session.blockSignals(True)  # what is refined meanwhile would show itself as fresh
    page.show_state(session.quote, session.estimate, stale=True)
    assert page.staircase.steps is steps
    qtbot.waitUntil(page.staircase.tag.isVisible, timeout=2_000)
    page.show_state(session.quote, session.estimate, stale=False)
    assert page.staircase.tag.isHidden()


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (("organisations", "B", "mechanism"), "mechanism"),
        (("organisations", "B", "tasks_at_once"), "at_once"),
        (("organisations", "B", "layouts", "conversion", "cards_per_task"), "per_task"),
        (("organisations", "B", "layouts", "conversion", "policy"), "policy"),
    ],
)
def test_a_place_leads_to_its_field(
    qtbot: QtBot, session: Session, page: OrganisationsPage, place: Place, name: str
) -> None:
    quote = with_layout(read_quote(SAMPLE), "B", "conversion", cards_per_task=2)
    opened(qtbot, session, quote)
    assert page.go_to(place)
    assert getattr(page.form, name).hasFocus()


def test_a_place_of_another_page_is_not_ours(qtbot: QtBot, session: Session, page: OrganisationsPage) -> None:
    opened(qtbot, session)
    assert page.go_to(("organisations",))
    assert page.table.hasFocus()
    assert not page.go_to(("workload", "limit"))
    assert not page.go_to(("organisations", "Z"))


def test_every_stop_has_a_name_and_tab_follows_the_reading_order(
    qtbot: QtBot, session: Session, page: OrganisationsPage
) -> None:
    opened(qtbot, session)
    stops = stops_of(page)
    assert all(spoken(stop) for stop in stops), [stop for stop in stops if not spoken(stop)]
    form = [stop for stop in stops if stop in page.form.inputs]
    places = [(round(_place(stop, page).y() / 24), _place(stop, page).x()) for stop in form]
    assert places == sorted(places)
    assert stops.index(page.table) < stops.index(form[0])
    assert stops.index(form[-1]) < stops.index(page.staircase.toggle) < stops.index(page.previous_button)
    assert stops[-1] is page.next_button


def stops_of(page: QWidget) -> list[QWidget]:
    """Return what Tab reaches inside the page, from its first stop on."""
    chain: list[QWidget] = []
    stop = page.nextInFocusChain()
    while stop is not page:
        is_stop = bool(stop.focusPolicy() & Qt.FocusPolicy.TabFocus) and stop.focusProxy() is None
        if is_stop and stop.isVisibleTo(page) and stop.isEnabled() and page.isAncestorOf(stop):
            chain.append(stop)
        stop = stop.nextInFocusChain()
    first = chain.index(page.table) if isinstance(page, OrganisationsPage) else 0
    return chain[first:] + chain[:first]


def spoken(widget: QWidget) -> str:
    text = getattr(widget, "text", None)
    return widget.accessibleName() or (str(text()) if callable(text) else "")


def _place(widget: QWidget, page: QWidget) -> QPoint:
    return widget.mapTo(page, QPoint(0, 0))
