"""Fields commit once, read comma and point, keep what they cannot read, and say why."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from estimator.evidence import Distribution, Evidence, EvidenceKind
from estimator.problems import Severity
from estimator.units import TimeUnit
from estimator.wording import Language, NumberFormat, Wording
from ui.theme import Theme
from ui.widgets.evidence_editor import EvidenceEditor
from ui.widgets.field import Field
from ui.widgets.number_field import Duration, DurationField, MoneyField, NumberField
from ui.widgets.typed_line import DateField, TextField

SPAIN = Wording(Language.SPANISH, NumberFormat.ES_ES)
MEXICO = Wording(Language.SPANISH, NumberFormat.ES_MX)
STATES = Wording(Language.ENGLISH, NumberFormat.EN_US)
REGIONS = pytest.mark.parametrize("words", [SPAIN, MEXICO, STATES], ids=["es_ES", "es_MX", "en_US"])


def typed(line: QLineEdit, text: str, key: Qt.Key = Qt.Key.Key_Return) -> None:
    line.selectAll()
    line.insert(text)  # QTest's keys know Latin-1 alone, and € is outside
    QTest.keyClick(line, key)


def pasted(line: QLineEdit, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(line, Qt.Key.Key_Return)


def heard(widget: Any) -> list[Any]:
    values: list[Any] = []
    widget.committed.connect(values.append)
    return values


@REGIONS
@pytest.mark.parametrize(
    ("text", "value"),
    [("0,75", "0.75"), ("0.75", "0.75"), ("18,5", "18.5"), ("1.5", "1.5"), ("1234", "1234")],
)
def test_comma_and_point_are_the_decimal_mark_in_every_region(
    qtbot: QtBot, words: Wording, text: str, value: str
) -> None:
    field = NumberField(words)
    qtbot.addWidget(field)
    values = heard(field)
    typed(field, text)
    assert values == [Decimal(value)]
    assert field.text() == words.number(Decimal(value), grouping=False)


def test_one_change_is_one_commit_and_no_change_is_none(qtbot: QtBot) -> None:
    field = NumberField(SPAIN)
    qtbot.addWidget(field)
    values = heard(field)
    field.set_value(Decimal("12"))
    typed(field, "12")
    typed(field, "12,0")
    assert values == []
    assert field.text() == "12"
    typed(field, "13")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert values == [Decimal(13)]


def test_a_blank_field_commits_none_and_never_zero(qtbot: QtBot) -> None:
    field = NumberField(SPAIN)
    qtbot.addWidget(field)
    values = heard(field)
    field.set_value(Decimal(3))
    typed(field, " ")
    assert values == [None]
    assert field.number is None
    assert field.text() == ""


def test_leaving_the_field_commits(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    field, other = NumberField(SPAIN, parent=window), QLineEdit(window)
    values = heard(field)
    window.show()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    typed(field, "7", Qt.Key.Key_Tab)
    qtbot.waitUntil(other.hasFocus)
    assert values == [Decimal(7)]


def test_a_line_that_enter_leaves_keeps_no_selection(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    field, other = NumberField(SPAIN, parent=window), QLineEdit(window)
    window.show()
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    typed(field, "7")
    assert field.selectedText() == "7"
    field.returnPressed.connect(other.setFocus)
    typed(field, "8")
    qtbot.waitUntil(other.hasFocus)
    assert field.selectedText() == ""


def test_escape_restores_and_then_belongs_to_whoever_is_outside(qtbot: QtBot) -> None:
    field = NumberField(SPAIN)
    qtbot.addWidget(field)
    values = heard(field)
    field.set_value(Decimal(5))
    typed(field, "99", Qt.Key.Key_Escape)
    assert field.text() == "5"
    typed(field, "x")
    assert field.problem
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "5"
    assert field.problem == ""
    assert values == []


@pytest.mark.parametrize("text", ["abc", "1,2,3", "1 234", "--2"])
def test_what_cannot_be_read_stays_and_is_explained(qtbot: QtBot, text: str) -> None:
    field = NumberField(STATES)
    qtbot.addWidget(field)
    values = heard(field)
    typed(field, text)
    assert values == []
    assert field.text() == text
    assert field.problem
    assert field.property("problem") == "error"
    assert field.accessibleDescription() == field.problem


def test_limits_of_a_field_are_inclusive_and_say_themselves(qtbot: QtBot) -> None:
    field = NumberField(STATES, minimum=Decimal(1), maximum=Decimal(100))
    qtbot.addWidget(field)
    values = heard(field)
    typed(field, "1")
    typed(field, "0")
    assert "1" in field.problem
    typed(field, "100,5")
    assert "100" in field.problem
    typed(field, "100")
    assert field.problem == ""
    assert values == [Decimal(1), Decimal(100)]


def test_a_count_takes_no_decimals(qtbot: QtBot) -> None:
    field = NumberField(STATES, whole=True)
    qtbot.addWidget(field)
    values = heard(field)
    typed(field, "2.5")
    assert values == []
    assert field.problem == STATES.sentence("not_whole")


def test_an_ambiguous_paste_says_how_it_was_read(qtbot: QtBot) -> None:
    field = NumberField(SPAIN)
    qtbot.addWidget(field)
    echoes: list[str] = []
    field.echo_changed.connect(echoes.append)
    pasted(field, "1.234")
    assert field.number == Decimal("1.234")
    assert "1,234" in echoes[-1]
    typed(field, "5")
    assert echoes[-1] == ""


def test_a_grouped_paste_follows_the_region(qtbot: QtBot) -> None:
    for words, text in ((SPAIN, "1.234,50"), (MEXICO, "1,234.50"), (STATES, "1,234.50")):
        field = NumberField(words)
        qtbot.addWidget(field)
        pasted(field, text)
        assert field.number == Decimal("1234.5")
    field = NumberField(SPAIN)
    qtbot.addWidget(field)
    pasted(field, "1,234.50")
    assert field.number is None
    assert field.problem


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("90", "90", TimeUnit.MINUTE),
        ("1:30", "90", TimeUnit.MINUTE),
        ("1h30", "90", TimeUnit.MINUTE),
        ("45 s", "0.75", TimeUnit.MINUTE),  # 45 / 60 = 0.75, exact
        ("50 s", "50", TimeUnit.SECOND),  # 50 / 60 = 0.8333…: not exact, so the unit follows
        ("2 d", "2880", TimeUnit.MINUTE),  # 2 × 24 × 60
    ],
)
def test_durations_are_shown_back_in_the_unit_chosen_where_it_is_exact(
    qtbot: QtBot, text: str, value: str, unit: TimeUnit
) -> None:
    field = DurationField(STATES, TimeUnit.MINUTE)
    qtbot.addWidget(field)
    values = heard(field)
    typed(field.line, text)
    assert values == [Duration(Decimal(value), unit)]
    assert field.units.currentData() == unit


def test_another_unit_keeps_the_number_and_is_one_commit(qtbot: QtBot) -> None:
    field = DurationField(STATES)
    qtbot.addWidget(field)
    field.set_value(Decimal(12), TimeUnit.MINUTE)
    values = heard(field)
    field.units.setCurrentIndex(2)
    field.units.activated.emit(2)
    assert values == [Duration(Decimal(12), TimeUnit.HOUR)]
    assert field.line.text() == "12"


def test_a_negative_duration_is_refused(qtbot: QtBot) -> None:
    field = DurationField(SPAIN)
    qtbot.addWidget(field)
    values = heard(field)
    typed(field.line, "-12")
    assert values == []
    assert field.line.problem


def test_money_takes_its_own_currency_and_no_other(qtbot: QtBot) -> None:
    field = MoneyField(SPAIN, "EUR")
    qtbot.addWidget(field)
    values = heard(field)
    typed(field.line, "12,50 €")
    typed(field.line, "12,50 $")
    assert values == [Decimal("12.50")]
    assert field.line.problem == SPAIN.sentence("other_unit")


def test_dates_are_typed_in_the_order_of_the_region(qtbot: QtBot) -> None:
    field = DateField(SPAIN)
    qtbot.addWidget(field)
    values = heard(field)
    typed(field, "1/12/2026")
    typed(field, "2026-12-03")
    typed(field, "31/02/2026")
    assert values == [dt.date(2026, 12, 1), dt.date(2026, 12, 3)]
    assert field.problem == SPAIN.sentence("unreadable_date")


def test_another_region_rewrites_the_value(qtbot: QtBot) -> None:
    field = NumberField(SPAIN)
    qtbot.addWidget(field)
    field.set_value(Decimal("1.5"))
    assert field.text() == "1,5"
    field.set_words(STATES)
    assert field.text() == "1.5"


def test_a_field_names_its_input_and_shows_its_sentence_only_while_needed(qtbot: QtBot) -> None:
    line = NumberField(STATES)
    field = Field(Theme(), "Memory of a task", line, unit="GiB")
    qtbot.addWidget(field)
    assert line.accessibleName() == "Memory of a task, GiB"
    assert field.label.buddy() is line
    assert field.sentence == ""
    typed(line, "x")
    assert field.sentence == STATES.sentence("unreadable_number")
    field.set_problem("The price has no date.", Severity.WARNING)
    assert field.sentence == "The price has no date."
    assert line.property("problem") == "warning"
    typed(line, "3")
    assert field.sentence == ""


def test_text_is_trimmed_and_committed_once(qtbot: QtBot) -> None:
    line = TextField(STATES)
    qtbot.addWidget(line)
    values = heard(line)
    typed(line, " an index ")
    typed(line, "an index")
    assert values == ["an index"]


def test_each_part_of_an_evidence_is_one_commit_and_a_reversed_range_is_none(qtbot: QtBot) -> None:
    editor = EvidenceEditor(STATES, Theme(), unit="min")
    qtbot.addWidget(editor)
    values = heard(editor)
    editor.set_evidence(Evidence(low=Decimal(9)))
    typed(editor.high, "18")
    typed(editor.high, "3")
    typed(editor.source, "the team")
    place = [editor.kinds.itemData(at) for at in range(editor.kinds.count())].index(EvidenceKind.MEASURED)
    editor.kinds.activated.emit(place)
    assert values == [
        Evidence(low=Decimal(9), high=Decimal(18)),
        Evidence(low=Decimal(9), high=Decimal(18), source="the team"),
        Evidence(kind=EvidenceKind.MEASURED, low=Decimal(9), high=Decimal(18), source="the team"),
    ]


def test_how_likely_the_values_are_is_chosen_where_there_is_a_range(qtbot: QtBot) -> None:
    editor = EvidenceEditor(STATES, Theme())
    qtbot.addWidget(editor)
    values = heard(editor)
    editor.set_evidence(Evidence(kind=EvidenceKind.MEASURED))
    assert not editor.shape.isVisibleTo(editor)
    editor.set_evidence(Evidence(kind=EvidenceKind.ESTIMATED))  # ± 25 %
    assert editor.shape.isVisibleTo(editor)
    editor.shape.activated.emit(editor.shape.findData(Distribution.LOGNORMAL))
    assert values == [Evidence(kind=EvidenceKind.ESTIMATED, distribution=Distribution.LOGNORMAL)]
    assert {editor.shape.itemData(at) for at in range(editor.shape.count())} == set(Distribution)


def test_derived_is_offered_only_where_it_stands(qtbot: QtBot) -> None:
    editor = EvidenceEditor(STATES, Theme())
    qtbot.addWidget(editor)
    kinds = {editor.kinds.itemData(at) for at in range(editor.kinds.count())}
    assert EvidenceKind.DERIVED not in kinds
    editor.set_evidence(Evidence(kind=EvidenceKind.DERIVED))
    assert editor.kinds.currentData() == EvidenceKind.DERIVED


def test_every_part_of_the_editors_has_a_name(qtbot: QtBot) -> None:
    for widget in (EvidenceEditor(SPAIN, Theme()), DurationField(SPAIN), MoneyField(SPAIN, "EUR")):
        qtbot.addWidget(widget)
        widget.setAccessibleName("Precio")
        for part in widget.findChildren(QWidget):
            if part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.isVisibleTo(widget):
                assert part.accessibleName(), type(part)
