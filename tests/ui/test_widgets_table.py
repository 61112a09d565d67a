"""The table shows tuples, sorts numbers as numbers, and edits, copies and pastes as a spreadsheet does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QStyleOptionViewItem, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from estimator.evidence import EvidenceKind
from estimator.wording import Language, NumberFormat, Wording
from ui.clipboard import from_tsv, to_tsv
from ui.models.table import Column, Group, TupleTableModel
from ui.models.table_view import TableView
from ui.theme import Theme

WORDS = Wording(Language.SPANISH, NumberFormat.ES_ES)


@dataclass(frozen=True)
class Line:
    name: str
    count: int | None
    kind: EvidenceKind = EvidenceKind.ASSUMED


COLUMNS: tuple[Column[Line], ...] = (
    Column("Etapa", lambda row: row.name, editable=True),
    Column(
        "Unidades",
        lambda row: WORDS.unknown if row.count is None else WORDS.number(row.count),
        right=True,
        sort_key=lambda row: row.count,
        editable=lambda row: row.name != "fija",
        edit_text=lambda row: "" if row.count is None else str(row.count),
        check=lambda row, text: "" if text.isdigit() else "no es un número",
    ),
    Column("Evidencia", lambda row: "", evidence=lambda row: row.kind),
)
ROWS = (Line("d", 16992), Line("a", 355), Line("c", 4536), Line("x", None), Line("b", 178))


@pytest.fixture
def table(qtbot: QtBot) -> TableView:
    model: TupleTableModel[Line] = TupleTableModel(COLUMNS, WORDS, Theme())
    model.show_rows(ROWS)
    view = TableView(model, WORDS, Theme(), "Etapas", sortable=True)
    model.setParent(view)
    qtbot.addWidget(view)
    view.resize(500, 300)
    view.show()
    return view


def shown(view: TableView, column: int) -> list[str]:
    model = view.model()
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def current(view: TableView) -> tuple[int, int]:
    return view.currentIndex().row(), view.currentIndex().column()


def heard(signal: Any) -> list[tuple[Any, ...]]:
    calls: list[tuple[Any, ...]] = []
    signal.connect(lambda *values: calls.append(values))
    return calls


def test_the_model_keeps_the_promises_of_a_model(qtmodeltester: ModelTester, qtbot: QtBot) -> None:
    model: TupleTableModel[Line] = TupleTableModel(COLUMNS, WORDS, Theme())
    model.show_rows((Group("uno"), *ROWS, Group("dos"), Line("e", 3)))
    qtmodeltester.check(model)
    model.sort(1, Qt.SortOrder.DescendingOrder)
    model.show_rows(ROWS)
    qtmodeltester.check(model)


def test_numbers_sort_as_numbers_and_unknown_ones_come_last_both_ways(table: TableView) -> None:
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert shown(table, 1) == ["178", "355", "4.536", "16.992", "—"]
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert shown(table, 1) == ["16.992", "4.536", "355", "178", "—"]
    table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert shown(table, 0) == ["d", "a", "c", "x", "b"]


def test_rows_sort_inside_their_group_which_spans_the_table(qtbot: QtBot) -> None:
    model: TupleTableModel[Line] = TupleTableModel(COLUMNS, WORDS, Theme())
    view = TableView(model, WORDS, Theme(), "Etapas", sortable=True)
    qtbot.addWidget(view)
    model.show_rows((Group("uno"), Line("a", 9), Line("b", 1), Group("dos"), Line("c", 8), Line("d", 2)))
    view.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert shown(view, 0) == ["uno", "b", "a", "dos", "d", "c"]
    assert view.columnSpan(0, 0) == 3
    assert view.columnSpan(3, 0) == 3
    assert not model.flags(model.index(0, 0)) & Qt.ItemFlag.ItemIsSelectable


@given(st.lists(st.one_of(st.none(), st.integers(-(10**12), 10**12)), max_size=30))
def test_sorting_keeps_every_row(counts: list[int | None]) -> None:
    model: TupleTableModel[Line] = TupleTableModel(COLUMNS, WORDS, Theme())
    model.show_rows(tuple(Line(str(at), count) for at, count in enumerate(counts)))
    model.sort(1)
    order = [model.source_row(row) for row in range(len(counts))]
    assert sorted(order) == list(range(len(counts)))
    known = [counts[source] for source in order if counts[source] is not None]
    assert known == sorted(known, key=lambda count: count or 0)


def test_the_selected_row_stays_selected_when_the_order_changes(table: TableView) -> None:
    table.setCurrentIndex(table.model().index(0, 0))
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert table.currentIndex().data() == "d"


def test_the_last_column_takes_the_rest_at_once(table: TableView) -> None:
    table.resize(900, 200)
    table.show()
    last = table.model().columnCount() - 1
    for _ in range(2):
        table.fit_columns()
        end = table.columnViewportPosition(last) + table.columnWidth(last)
        assert end == table.viewport().width()


def test_typing_replaces_the_cell_and_enter_goes_down(table: TableView, qtbot: QtBot) -> None:
    edits = heard(table.edited)
    table.setCurrentIndex(table.model().index(1, 1))
    QTest.keyClick(table, Qt.Key.Key_7)
    editor = table.findChild(QLineEdit)
    assert editor is not None
    assert editor.accessibleName() == "Unidades"
    QTest.keyClicks(editor, "5")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(edits) and current(table) != (1, 1))
    assert edits == [(1, 1, "75")]
    assert current(table) == (2, 1)


def test_f2_edits_what_is_there_and_tab_goes_right_while_editing(table: TableView, qtbot: QtBot) -> None:
    edits = heard(table.edited)
    table.setCurrentIndex(table.model().index(0, 0))
    QTest.keyClick(table, Qt.Key.Key_F2)
    editor = table.findChild(QLineEdit)
    assert editor is not None
    assert editor.text() == "d"
    editor.setText("nueva")
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: bool(edits) and current(table) != (0, 0))
    assert edits == [(0, 0, "nueva")]
    assert current(table) == (0, 1)


def test_edits_name_the_row_as_given_whatever_the_order(table: TableView) -> None:
    edits = heard(table.edited)
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    model = table.model()
    assert model.setData(model.index(0, 1), "200")
    assert edits == [(4, 1, "200")]


def test_an_unchanged_or_refused_text_is_no_edit(table: TableView) -> None:
    edits, refusals = heard(table.edited), heard(table.refused)
    model = table.model()
    assert not model.setData(model.index(1, 1), "355")
    assert not model.setData(model.index(1, 1), "muchas")
    assert not model.setData(model.index(1, 2), "medido")
    assert edits == []
    assert refusals == [(1, 1, "no es un número")]


def test_the_table_is_one_tab_stop(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    model: TupleTableModel[Line] = TupleTableModel(COLUMNS, WORDS, Theme())
    model.show_rows(ROWS)
    view = TableView(model, WORDS, Theme(), "Etapas", parent=window)
    other = QLineEdit(window)
    window.show()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    QTest.keyClick(view, Qt.Key.Key_Tab)
    assert other.hasFocus()


def test_enter_opens_a_row_that_cannot_be_edited_and_f4_asks_for_an_explanation(table: TableView) -> None:
    opened, explained = heard(table.opened), heard(table.explain)
    table.setCurrentIndex(table.model().index(2, 2))
    QTest.keyClick(table, Qt.Key.Key_Return)
    QTest.keyClick(table, Qt.Key.Key_F4)
    assert opened == [(2,)]
    assert explained == [(2, 2)]


def test_delete_empties_the_selected_cells_that_can_be_edited(table: TableView) -> None:
    cleared = heard(table.cleared)
    table.selectRow(1)
    QTest.keyClick(table, Qt.Key.Key_Delete)
    assert cleared == [(((1, 0), (1, 1)),)]


def test_a_rectangle_is_copied_as_shown_and_pasted_as_asked(table: TableView) -> None:
    pasted = heard(table.pasted)
    table.selectRow(1)
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(table, Qt.Key.Key_C, control)
    assert QGuiApplication.clipboard().text() == "a\t355\tsupuesto"
    QGuiApplication.clipboard().setText("uno\t1\r\ndos\t2\r\n")
    table.clearSelection()
    table.setCurrentIndex(table.model().index(2, 0))
    QTest.keyClick(table, Qt.Key.Key_V, control)
    assert pasted == [((("uno", "1"), ("dos", "2")), 2, 0)]


def test_every_cell_says_its_column_value_and_evidence(table: TableView) -> None:
    spoken: Callable[[int, int], Any] = lambda row, column: (  # noqa: E731
        table.model().index(row, column).data(Qt.ItemDataRole.AccessibleTextRole)
    )
    assert spoken(1, 1) == "Unidades 355"
    assert spoken(1, 2) == "Evidencia, supuesto"
    assert table.accessibleName() == "Etapas"


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.tuples(
                *[st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]))] * width
            ),
            min_size=1,
            max_size=5,
        )
    )
)
def test_cells_survive_the_clipboard(rows: list[tuple[str, ...]]) -> None:
    cells = tuple(rows)
    if cells != (("",),):
        assert from_tsv(to_tsv(cells)) == cells


def test_ragged_lines_are_filled_and_nothing_is_no_row() -> None:
    assert from_tsv("a\tb\nc\n") == (("a", "b"), ("c", ""))
    assert from_tsv("") == ()
    assert from_tsv('"two\nlines"\tx') == (("two\nlines", "x"),)


def test_a_table_paints_the_chip_of_a_rows_evidence(qtbot: QtBot) -> None:
    column: Column[str] = Column("Evidence", lambda _: "", evidence=lambda _: EvidenceKind.ASSUMED)
    theme = Theme()
    model = TupleTableModel([column], WORDS, theme)
    model.show_rows(("one",))
    view = TableView(model, WORDS, theme, "table")
    qtbot.addWidget(view)
    index = view.model().index(0, 0)
    # The chip has a word and an icon, so an empty text with a chip is wider than the padding alone.
    assert view.itemDelegate().sizeHint(QStyleOptionViewItem(), index).width() > 60
