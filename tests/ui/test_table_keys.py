"""The keys of the tables: finding a row, adding and duplicating one, and explaining a figure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QScrollArea
from pytestqt.qtbot import QtBot

from estimator.catalogue.embedded import embedded_catalogue
from estimator.quote import Quote
from estimator.storage import read_quote, save_quote
from estimator.wording import Language, NumberFormat, Wording
from tests.quotes import source_quote
from tests.ui.windows import Seat, seat
from ui.models.table import Column, Group, TupleTableModel, plain_text
from ui.models.table_view import TableView
from ui.pages.conditions import ConditionsPage
from ui.pages.cost import CostPage
from ui.pages.cost_lines import LineRow
from ui.pages.cost_plans import PlanRow
from ui.pages.organisations import OrganisationsPage
from ui.pages.organisations_rows import Criterion
from ui.pages.page import Context, Page
from ui.pages.schedule import SchedulePage
from ui.pages.schedule_tables import PolicyRow
from ui.pages.work import WorkPage
from ui.pages.work_edits import with_duplicated_stage
from ui.runner import Runner
from ui.session import Session
from ui.theme import Theme

WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)
SAMPLE = Path(__file__).parents[2] / "resources" / "samples" / "indice-de-las-obras.cabida"
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ROWS = (Group("Página"), "Conversión", "Ensamblaje", Group("Two"), "Conversion again", "Gate")
WAIT_MS = 20_000
AnyPage = TypeVar("AnyPage", bound=Page)


def model_of(rows: tuple[str | Group, ...]) -> TupleTableModel[str]:
    columns: tuple[Column[str], ...] = (Column("Name", str), Column("Length", lambda row: str(len(row))))
    model: TupleTableModel[str] = TupleTableModel(columns, WORDS, Theme())
    model.show_rows(rows)
    return model


@pytest.fixture
def table(qtbot: QtBot) -> TableView:
    model = model_of(ROWS)
    view = TableView(model, WORDS, Theme(), "Stages")
    model.setParent(view)
    qtbot.addWidget(view)
    view.resize(500, 300)
    view.show()
    return view


@pytest.fixture
def session() -> Iterator[Session]:
    runner = Runner()
    yield Session(runner, lambda: dt.date(2026, 11, 30))
    runner.close()


def shown_page(kind: Callable[[Context], AnyPage], session: Session, qtbot: QtBot) -> AnyPage:
    """Return a page that shows the sample with its whole answer."""
    page = kind(Context(session, WORDS, Theme(), embedded_catalogue))
    qtbot.addWidget(page)
    page.resize(1166, 900)

    def show() -> None:
        if session.quote is not None:
            page.show_state(session.quote, session.estimate, session.is_stale)

    def is_there() -> bool:
        return session.estimate is not None and session.estimate.is_complete and not session.is_stale

    session.changed.connect(show)
    session.estimated.connect(show)
    page.show()
    session.show(read_quote(SAMPLE))
    qtbot.waitUntil(is_there, timeout=WAIT_MS)
    return page


def quote_of(session: Session) -> Quote:
    assert session.quote is not None
    return session.quote


def explained(page: Page) -> list[str]:
    titles: list[str] = []
    page.explained.connect(lambda _anchor, content: titles.append(content.title))
    return titles


def place_of(table: TableView, wanted: Callable[[Any], bool]) -> int:
    model = table._table
    return next(at for at in range(model.rowCount()) if wanted(model.row_at(model.index(at, 0))))


def press_in(table: TableView, row: int, column: int, key: Qt.Key, held: Qt.KeyboardModifier) -> None:
    table.setCurrentIndex(table.model().index(row, column))
    QTest.keyClick(table, key, held)


# Finding


def test_a_text_is_found_whatever_its_case_and_accents_and_groups_hold_nothing() -> None:
    model = model_of(ROWS)
    assert model.find("CONVERSION", 0, 1) == (1, 0)
    assert model.find("pagina", 0, 1) is None
    assert model.find("4", 0, 1) == (5, 1)  # "Gate" has 4 letters, in the second column


def test_finding_goes_round_in_both_directions() -> None:
    model = model_of(ROWS)
    assert model.find("conversion", 2, 1) == (4, 0)
    assert model.find("conversion", 5, 1) == (1, 0)
    assert model.find("conversion", 0, -1) == (4, 0)


def test_finding_sees_rows_that_came_later_and_their_order_as_shown() -> None:
    model = model_of(("b", "a"))
    assert model.find("c", 0, 1) is None
    model.show_rows(("c", "a"))
    assert model.find("c", 0, 1) == (0, 0)
    model.sort(0)
    assert model.find("c", 0, 1) == (1, 0)


@given(
    st.lists(st.text("aáB ", max_size=4), max_size=8),
    st.text("aáb", min_size=1, max_size=2),
    st.integers(0, 9),
)
def test_what_is_found_holds_the_text_and_nothing_is_passed_over(
    rows: list[str], text: str, start: int
) -> None:
    columns: tuple[Column[str], ...] = (Column("Name", str),)
    model: TupleTableModel[str] = TupleTableModel(columns, WORDS, Theme())
    model.show_rows(tuple(rows))
    holding = [at for at, row in enumerate(rows) if plain_text(text) in plain_text(row)]
    found = model.find(text, start, 1)
    begin = start % len(rows) if rows else 0
    expected = min(holding, key=lambda at: (at - begin) % len(rows), default=None)
    assert found == (None if expected is None else (expected, 0))


def test_typing_goes_to_the_row_and_enter_to_the_next_one(table: TableView) -> None:
    table.find_text()
    assert table.find_line is not None
    line = table.find_line.line
    QTest.keyClicks(line, "conv")
    assert table.currentIndex().row() == 1
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert table.currentIndex().row() == 4
    QTest.keyClick(line, Qt.Key.Key_Return, SHIFT)
    assert table.currentIndex().row() == 1
    QTest.keyClicks(line, "x")
    assert table.currentIndex().row() == 1
    assert table.find_line.said == "Not found"
    QTest.keyClick(line, Qt.Key.Key_Backspace)
    assert table.find_line.said == ""


def test_escape_closes_the_line_gives_the_focus_back_and_keeps_the_text(table: TableView) -> None:
    table.find_text()
    line = table.find_line
    assert line is not None
    QTest.keyClicks(line.line, "conv")
    QTest.keyClick(line.line, Qt.Key.Key_Escape)
    assert line.isHidden()
    assert table.focusWidget() is table
    table.find_text(1)
    assert line.isHidden()
    assert table.currentIndex().row() == 4
    table.model().show_rows(("other", "rows"))  # type: ignore[attr-defined]  # the model of the test
    table.find_text(1)
    assert not line.isHidden()
    assert line.said == "Not found"


def test_the_keys_of_the_line_do_nothing_to_the_table(table: TableView) -> None:
    heard: list[object] = []
    for signal in (table.explain, table.opened, table.cleared, table.row_asked):
        signal.connect(lambda *values: heard.append(values))
    table.find_text()
    assert table.find_line is not None
    line = table.find_line.line
    QTest.keyClicks(line, "gate")
    for key in (Qt.Key.Key_F4, Qt.Key.Key_Return, Qt.Key.Key_F2, Qt.Key.Key_Delete, Qt.Key.Key_Up):
        QTest.keyClick(line, key)
    assert heard == []
    assert table.currentIndex().row() == 5


@pytest.fixture
def planner(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Seat]:
    with seat(qapp, qtbot, tmp_path / "data") as found:
        path = tmp_path / "obra.cabida"
        save_quote(source_quote(), path)
        assert found.window.files.open(path)
        found.wait_for_answer()
        yield found


def test_in_the_window_the_keys_find_in_the_page_s_table_from_any_field(planner: Seat) -> None:
    planner.window.show_page(0)
    page = planner.window.pages[0]
    assert isinstance(page, WorkPage)
    stages = page.stages
    assert isinstance(QApplication.focusWidget(), QLineEdit)  # a field that would take Ctrl+F on some systems
    planner.press(Qt.Key.Key_F, CONTROL)
    assert stages.table.find_line is not None
    assert QApplication.focusWidget() is stages.table.find_line.line
    last = planner.quote.workload.stages[-1]
    planner.type(last.name)
    assert stages.table.currentIndex().row() == len(planner.quote.workload.stages) - 1
    assert QApplication.focusWidget() is stages.table.find_line.line
    planner.type("min")
    first = stages.table.currentIndex().row()
    planner.press(Qt.Key.Key_F3)
    second = stages.table.currentIndex().row()
    assert second != first
    planner.press(Qt.Key.Key_F3, SHIFT)
    assert stages.table.currentIndex().row() == first
    planner.press(Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is stages.table


def test_on_the_page_of_cards_the_key_leads_to_its_own_search(planner: Seat) -> None:
    planner.window.show_page(3)
    planner.press(Qt.Key.Key_F, CONTROL)
    page: Any = planner.window.pages[3]
    assert QApplication.focusWidget() is page.search


def test_a_page_without_a_table_says_so(planner: Seat) -> None:
    planner.window.show_page(1)
    page: Any = planner.window.pages[1]
    for one in page.findChildren(TableView):
        one.hide()
    planner.press(Qt.Key.Key_F, CONTROL)
    assert planner.window.status.message == planner.window.words.t("This page shows no table to look in.")


def test_the_line_stands_in_the_part_of_a_wide_table_that_is_seen(qtbot: QtBot) -> None:
    area = QScrollArea()
    qtbot.addWidget(area)
    model = model_of(ROWS)
    wide = TableView(model, WORDS, Theme(), "Stages")
    model.setParent(wide)
    wide.resize(2000, 1000)
    area.setWidget(wide)
    area.resize(500, 300)
    area.show()
    area.verticalScrollBar().setValue(200)
    wide.find_text()
    assert wide.find_line is not None
    corner = wide.find_line.mapTo(area.viewport(), wide.find_line.rect().bottomRight())
    assert area.viewport().rect().contains(corner)
    assert area.viewport().rect().contains(wide.find_line.mapTo(area.viewport(), QPoint()))


# Rows


def test_control_insert_copies_where_nothing_can_be_added(table: TableView) -> None:
    QGuiApplication.clipboard().setText("")
    press_in(table, 1, 0, Qt.Key.Key_Insert, CONTROL)
    assert QGuiApplication.clipboard().text() == "Conversión"


def test_control_insert_adds_a_stage_as_one_step(session: Session, qtbot: QtBot) -> None:
    page = shown_page(WorkPage, session, qtbot)
    before = quote_of(session)
    press_in(page.stages.table, 0, 1, Qt.Key.Key_Insert, CONTROL)
    assert len(quote_of(session).workload.stages) == len(before.workload.stages) + 1
    session.undo()
    assert quote_of(session) == before


def test_control_d_puts_a_copy_of_the_stage_after_it_as_one_step(session: Session, qtbot: QtBot) -> None:
    page = shown_page(WorkPage, session, qtbot)
    before = quote_of(session)
    source = before.workload.stages[0]
    press_in(page.stages.table, 0, 1, Qt.Key.Key_D, CONTROL)
    copy = quote_of(session).workload.stages[1]
    assert copy.name == f"{source.name}, copy"
    assert copy.replaced(id=source.id, name=source.name) == source
    assert page.stages.table.currentIndex().row() == 1
    assert session.undo_label == f"duplicate {source.name}"
    session.undo()
    assert quote_of(session) == before


def test_what_waits_for_a_stage_waits_for_its_copy_too_and_it_is_laid_out_alike() -> None:
    quote = read_quote(SAMPLE)
    source = quote.workload.stages[0]
    changed = with_duplicated_stage(quote, source.id, "Copy")
    copy = changed.workload.stages[1]
    assert copy.after == source.after
    for stage in changed.workload.stages:
        assert (source.id in stage.after) == (copy.id in stage.after)
    for organisation in changed.organisations:
        layout = organisation.layout(copy.id)
        assert layout.replaced(stage_id=source.id) == organisation.layout(source.id)


def test_the_keys_add_and_duplicate_a_price_line(session: Session, qtbot: QtBot) -> None:
    page = shown_page(CostPage, session, qtbot)
    before = quote_of(session).pricing.fees
    press_in(page.lines, 0, 0, Qt.Key.Key_Insert, CONTROL)
    assert len(quote_of(session).pricing.fees) == len(before) + 1
    source = quote_of(session).pricing.fees[-1]
    at = place_of(page.lines, lambda row: isinstance(row, LineRow) and row.fee == source)
    press_in(page.lines, at, 0, Qt.Key.Key_D, CONTROL)
    copy = quote_of(session).pricing.fees[-1]
    assert copy.name == f"{source.name}, copy"
    assert copy.replaced(id=source.id, name=source.name) == source
    assert session.undo_label == f"duplicate {source.name}"
    session.undo()
    assert quote_of(session).pricing.fees == (*before, source)


def test_what_is_rented_is_not_duplicated(session: Session, qtbot: QtBot) -> None:
    page = shown_page(CostPage, session, qtbot)
    before = quote_of(session)
    at = place_of(page.lines, lambda row: isinstance(row, LineRow) and row.fee is None)
    press_in(page.lines, at, 0, Qt.Key.Key_D, CONTROL)
    assert quote_of(session) == before


def test_control_insert_on_the_conditions_leads_to_the_line_for_another(
    session: Session, qtbot: QtBot
) -> None:
    page = shown_page(ConditionsPage, session, qtbot)
    press_in(page.table, 1, 0, Qt.Key.Key_Insert, CONTROL)
    assert page.focusWidget() is page.own_text


# Explanations


@pytest.mark.parametrize(
    ("figure", "title"),
    [
        ("cards", "Cards required"),
        ("peak", "Worst card, peak"),
        ("delivery", "Delivery"),
        ("cost", "Cost"),
    ],
)
def test_f4_explains_a_figure_of_the_organisation_shown_and_of_no_other(
    session: Session, qtbot: QtBot, figure: str, title: str
) -> None:
    page = shown_page(OrganisationsPage, session, qtbot)
    titles = explained(page)
    assert session.estimate is not None
    ids = page.table.organisation_ids
    shown = ids.index(session.estimate.shown_organisation_id)
    row = place_of(page.table, lambda one: isinstance(one, Criterion) and one.figure == figure)
    for column in range(len(ids) + 1):
        press_in(page.table, row, column, Qt.Key.Key_F4, Qt.KeyboardModifier.NoModifier)
        assert titles == ([title] if column > shown else [])


def test_f4_explains_the_cost_of_the_plan_shown_and_of_the_total(session: Session, qtbot: QtBot) -> None:
    page = shown_page(CostPage, session, qtbot)
    titles = explained(page)
    none = Qt.KeyboardModifier.NoModifier
    other = place_of(page.plans, lambda row: isinstance(row, PlanRow) and not row.shown)
    press_in(page.plans, other, 1, Qt.Key.Key_F4, none)
    assert titles == []
    shown = place_of(page.plans, lambda row: isinstance(row, PlanRow) and row.shown)
    press_in(page.plans, shown, 1, Qt.Key.Key_F4, none)
    total = place_of(page.lines, lambda row: isinstance(row, LineRow) and row.id == "total")
    press_in(page.lines, total, 3, Qt.Key.Key_F4, none)
    assert titles == ["Cost", "Cost"]


def test_f4_explains_the_delivery_of_the_policy_chosen(session: Session, qtbot: QtBot) -> None:
    page = shown_page(SchedulePage, session, qtbot)
    titles = explained(page)
    none = Qt.KeyboardModifier.NoModifier
    other = place_of(page.policies.table, lambda row: isinstance(row, PolicyRow) and not row.chosen)
    press_in(page.policies.table, other, 2, Qt.Key.Key_F4, none)
    assert titles == []
    chosen = place_of(page.policies.table, lambda row: isinstance(row, PolicyRow) and row.chosen)
    press_in(page.policies.table, chosen, 2, Qt.Key.Key_F4, none)
    assert titles == ["Delivery"]
