"""The window as a planner meets it: fields, undo, keys, languages, files dropped on it, names for readers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QObject, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QFont, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QStyle,
    QStyleOptionButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from estimator.storage import read_quote, save_quote
from estimator.wording import Language
from estimator.wording.answers import cost_answer
from tests.quotes import source_quote
from tests.ui.windows import PATIENCE_MS, Seat, seat
from ui.errors import ErrorReport
from ui.pages.cost_plans import choice_text
from ui.presenting import steps
from ui.settings_dialog import SettingsDialog
from ui.theme import Density
from ui.widgets.number_field import NumberField

CONTROL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
DURATION = ("workload", "stages", "conversion", "duration")
COUNT = ("workload", "stages", "conversion", "count")


@pytest.fixture
def planner(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Seat]:
    with seat(qapp, qtbot, tmp_path / "data") as found:
        path = tmp_path / "obra.cabida"
        save_quote(source_quote(), path)
        assert found.window.files.open(path)
        found.wait_for_answer()
        yield found


def duration_of(planner: Seat) -> object:
    return planner.quote.workload.stages[0].tasks.duration[0]


def focus_on_duration(planner: Seat) -> QWidget:
    planner.window.go_to(DURATION)
    focus = QApplication.focusWidget()
    assert focus is not None
    return focus


def test_saving_takes_over_the_field_that_is_still_being_typed(planner: Seat, tmp_path: Path) -> None:
    # The field holds 12 min; 8 is typed and kept in focus, as in the reported case with 8 and 12.
    focus_on_duration(planner)
    planner.type("8")
    planner.press(Qt.Key.Key_S, CONTROL)
    assert read_quote(tmp_path / "obra.cabida").workload.stages[0].tasks.duration == (8,)
    assert planner.window.close()
    assert planner.answers.asked == []


def test_opening_another_file_takes_over_the_field_that_is_still_being_typed(planner: Seat) -> None:
    focus_on_duration(planner)
    planner.type("8")
    planner.action("Ctrl+O").trigger()
    assert duration_of(planner) == 8


def test_one_typed_number_is_one_step_and_undo_works_while_its_field_has_the_focus(planner: Seat) -> None:
    focus_on_duration(planner)
    planner.type("128")
    planner.press(Qt.Key.Key_Return)
    assert duration_of(planner) == 128
    planner.press(Qt.Key.Key_Z, CONTROL)
    assert duration_of(planner) == 12
    assert planner.window.session.undo_label is None
    planner.press(Qt.Key.Key_Y, CONTROL)
    assert duration_of(planner) == 128


def test_a_typed_count_is_one_step(planner: Seat) -> None:
    planner.window.go_to(COUNT)
    planner.type("128")
    planner.press(Qt.Key.Key_Return)
    assert planner.quote.workload.stages[0].tasks.total == 128
    planner.action("Ctrl+Z").trigger()
    assert planner.quote.workload.stages[0].tasks.total == 8
    planner.action("Ctrl+Y").trigger()
    assert planner.quote.workload.stages[0].tasks.total == 128


def test_the_menu_says_what_undo_takes_back_and_opening_cannot_be_taken_back(planner: Seat) -> None:
    assert not planner.window.actions_.undo.isEnabled()
    planner.window.session.edit("cambiar el nombre", lambda quote: quote.replaced(name="Otro"))
    assert "cambiar el nombre" in planner.window.actions_.undo.text()
    planner.window.actions_.undo.trigger()
    assert not planner.window.actions_.undo.isEnabled()
    assert "cambiar el nombre" in planner.window.actions_.redo.text()


def test_control_and_a_digit_show_each_page_and_page_keys_walk(planner: Seat) -> None:
    for number in range(8):
        planner.press(Qt.Key(Qt.Key.Key_1 + number), CONTROL)
        assert planner.window.current == number
    planner.press(Qt.Key.Key_PageDown, CONTROL)
    assert planner.window.current == 7
    planner.press(Qt.Key.Key_PageUp, CONTROL)
    assert planner.window.current == 6
    planner.press(Qt.Key.Key_PageDown, CONTROL)
    assert planner.window.current == 7


def test_f6_walks_strip_steps_page_and_problems(planner: Seat) -> None:
    window = planner.window
    window.problems.show()
    window.show_page(0)

    def part() -> str:
        focus = QApplication.focusWidget()
        names = {"strip": window.strip, "steps": window.steps, "page": window.pages[0]}
        names["problems"] = window.problems
        return next((name for name, one in names.items() if focus is one or one.isAncestorOf(focus)), "")

    seen = [part()]
    for _ in range(4):
        planner.press(Qt.Key.Key_F6)
        seen.append(part())
    assert seen == ["page", "problems", "strip", "steps", "page"]


def test_alt_and_a_digit_open_an_explanation_and_escape_gives_the_focus_back(planner: Seat) -> None:
    window = planner.window
    for number in range(5):
        window.strip.cells[number].setFocus()
        # No events between: the offscreen platform closes a popup when it hands the activation on.
        QTest.keyClick(window.strip.cells[number], Qt.Key(Qt.Key.Key_1 + number), ALT)
        assert window.explanation.isVisible()
        QTest.keyClick(window.explanation, Qt.Key.Key_Escape)
        planner.qtbot.waitUntil(lambda: not window.explanation.isVisible(), timeout=PATIENCE_MS)
        planner.qtbot.waitUntil(
            lambda number=number: QApplication.focusWidget() is window.strip.cells[number],  # type: ignore[misc]
            timeout=PATIENCE_MS,
        )


def test_f8_jumps_to_the_field_of_the_missing_datum(planner: Seat) -> None:
    focus_on_duration(planner)
    planner.type(" ")
    planner.press(Qt.Key.Key_Return)
    planner.wait_for_answer()
    planner.window.show_page(5)
    places = [one.where for one in planner.window.session.estimate.problems]  # type: ignore[union-attr]
    planner.window.document.problems._list.setCurrentIndex(  # before the missing duration
        planner.window.document.problems._model.index(places.index(DURATION) - 1)
    )
    planner.press(Qt.Key.Key_F8)
    assert planner.window.current == 0
    focus = QApplication.focusWidget()
    assert focus is not None
    assert getattr(focus, "value", "not a field") is None


def test_a_change_of_language_keeps_document_history_and_page(planner: Seat) -> None:
    window = planner.window
    planner.window.session.edit("x", lambda quote: quote.replaced(name="Otro"))
    window.show_page(4)
    quote = planner.quote
    assert window.actions_.undo.text().startswith("Deshacer")
    window.parts.settings.language = Language.ENGLISH
    window.apply_settings()
    QApplication.processEvents()
    assert planner.quote is quote
    assert window.session.undo_label == "x"
    assert window.current == 4
    assert window.pages[4].isVisible()
    assert window.actions_.undo.text() == "Undo: x"
    assert planner.action("Ctrl+S").text() == "Save"
    planner.press(Qt.Key.Key_1, CONTROL)  # no key of the former menus is left to be ambiguous
    assert window.current == 0


def test_qt_s_own_texts_follow_the_language(planner: Seat) -> None:
    def said() -> str:
        return QCoreApplication.translate("QFileDialog", "Look in:")

    settings = planner.window.parts.settings
    assert said() == "Ver en:"
    for language, text in ((Language.ENGLISH, "Look in:"), (Language.SPANISH, "Ver en:")):
        settings.language = language
        planner.window.apply_settings()
        assert said() == text


def test_settings_hold_at_once(planner: Seat) -> None:
    dialog = SettingsDialog(planner.window.parts.settings, planner.window.words, planner.window)
    dialog.changed.connect(planner.window.apply_settings)
    dialog.language.setCurrentIndex(1)
    dialog.density.setCurrentIndex(1)
    dialog.density.activated.emit(1)
    assert planner.window.words.language is Language.ENGLISH
    assert planner.window.parts.theme.row_height() == 24
    assert planner.window.parts.settings.density is Density.COMPACT


def dropped(planner: Seat, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(10, 10),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    planner.window.dropEvent(event)


def test_a_file_dropped_on_the_window_is_opened(planner: Seat, tmp_path: Path) -> None:
    path = tmp_path / "otra ñ 東京.cabida"
    save_quote(source_quote().replaced(name="Dropped"), path)
    dropped(planner, path)
    assert planner.quote.name == "Dropped"
    assert planner.window.parts.settings.recent_files[0] == path


def test_closing_the_document_shows_the_start_page_with_the_recent_file(planner: Seat) -> None:
    planner.action("Ctrl+W").trigger()
    QApplication.processEvents()
    assert planner.window.session.quote is None
    assert planner.window.start.isVisible()
    assert planner.window.start.recent_model.rowCount() == 1
    assert not planner.action("Ctrl+S").isEnabled()


def test_a_tick_or_radio_with_the_focus_has_room_for_its_text(planner: Seat) -> None:
    planner.window.session.close()
    QApplication.processEvents()
    start = planner.window.start
    for tick, part in (
        (start.assembly, QStyle.SubElement.SE_CheckBoxContents),
        (start.radios["independent"], QStyle.SubElement.SE_RadioButtonContents),
    ):
        sizes = []
        for has_focus in (False, True):
            (tick if has_focus else start.unit).setFocus()
            QApplication.processEvents()
            option = QStyleOptionButton()
            tick.initStyleOption(option)
            assert bool(option.state & QStyle.StateFlag.State_HasFocus) == has_focus
            sizes.append(tick.style().subElementRect(part, option, tick).size())
        assert sizes[0] == sizes[1]
        assert sizes[1].height() >= tick.fontMetrics().height()


def test_the_wheel_scrolls_past_a_selector_and_changes_nothing(planner: Seat) -> None:
    window, before = planner.window, planner.quote
    met = 0
    for number in range(8):
        window.show_page(number)
        QApplication.processEvents()
        for selector in window.findChildren(QComboBox):
            if not selector.isVisible() or selector.count() < 2:
                continue
            met += 1
            chosen, middle = selector.currentIndex(), selector.rect().center()
            for turn in (120, -120):
                event = QWheelEvent(
                    QPointF(middle),
                    QPointF(selector.mapToGlobal(middle)),
                    QPoint(),
                    QPoint(0, turn),
                    Qt.MouseButton.NoButton,
                    Qt.KeyboardModifier.NoModifier,
                    Qt.ScrollPhase.NoScrollPhase,
                    False,
                )
                QApplication.sendEvent(selector, event)
                assert selector.currentIndex() == chosen, selector.accessibleName()
            assert not selector.focusPolicy() & Qt.FocusPolicy.WheelFocus & ~Qt.FocusPolicy.StrongFocus
    assert met > 20
    assert planner.quote == before


def test_an_offer_in_a_currency_without_a_rate_says_so_and_leads_to_the_rate(planner: Seat) -> None:
    offers = tuple(one.replaced(currency="USD") for one in planner.quote.offers)
    planner.window.session.edit("dollars", lambda quote: quote.replaced(offers=offers))
    planner.wait_for_answer()
    window, estimate = planner.window, planner.window.session.estimate
    lines = [step.line for step in steps(window.words, planner.quote, estimate)]
    # Memory is known by the card that is ticked, whatever it costs.
    assert lines[2].startswith("cabe")
    assert lines[5] == "sin tipo de cambio"
    assert estimate is not None
    assert choice_text(window.words, estimate).startswith("No hay tipo de cambio para USD.")
    window.go_to(("pricing", "rates", "USD"))
    assert cost_answer(window.words, estimate).place == ("pricing", "rates", "USD")
    assert isinstance(QApplication.focusWidget(), NumberField)


@pytest.mark.parametrize("number", [1, 2, 4, 5])
def test_ctrl_t_exchanges_chart_and_table_inside_the_window(planner: Seat, number: int) -> None:
    # The menu has the key as well: two that hear it would leave it unheard.
    window = planner.window
    window.show_page(number)
    QApplication.processEvents()
    page = window.pages[number]
    former = {one for one in page.findChildren(QWidget) if one.isVisible()}
    for _ in range(2):
        planner.press(Qt.Key.Key_T, CONTROL)
        now = {one for one in page.findChildren(QWidget) if one.isVisible()}
        assert now != former
        former = now


def test_every_text_shown_has_the_font_that_it_was_given(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A widget that is given a parent under a style sheet forgets its font.
    given: dict[QWidget, QFont] = {}
    set_font = QWidget.setFont

    def noted(widget: QWidget, font: QFont) -> None:
        given[widget] = font
        set_font(widget, font)

    def forgetful() -> list[str]:
        QApplication.processEvents()
        return [
            f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}"
            for widget, font in given.items()
            if isValid(widget) and widget.isVisible()
            if (widget.font().weight(), widget.font().pointSizeF()) != (font.weight(), font.pointSizeF())
        ]

    monkeypatch.setattr(QWidget, "setFont", noted)
    with seat(qapp, qtbot, tmp_path / "data") as found:
        assert forgetful() == []
        found.window.files.open_sample("consultation-notes")
        found.wait_for_answer()
        for number in range(8):
            found.window.show_page(number)
            assert forgetful() == [], f"page {number + 1}"
        found.window.session.close()
        assert forgetful() == []


def test_an_unforeseen_error_is_told_in_the_notice_with_or_without_a_document(planner: Seat) -> None:
    window = planner.window
    window.notice.show_report(ErrorReport("ValueError: x", "details"))
    assert window.notice.isVisible()
    assert any("ValueError: x" in one.text() for one in window.notice.findChildren(QLabel))
    window.session.close()
    QApplication.processEvents()
    window.notice.show_report(ErrorReport("KeyError: y", "details"))
    assert window.notice.isVisible()


def name_of(widget: QWidget) -> str:
    """Return what a screen reader would say: a name, the text of a button, the label whose buddy it is."""
    text = widget.accessibleName()
    if not text and isinstance(widget, QAbstractButton):
        text = widget.text()
    if not text:
        labels = widget.window().findChildren(QLabel)
        text = next((label.text() for label in labels if label.buddy() is widget), "")
    return text


def nameless(root: QWidget) -> list[str]:
    """Return the focusable widgets below `root` that have no name."""
    found = []
    for widget in root.findChildren(QWidget):
        is_reached = widget.isVisible() and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        is_reached = is_reached and not widget.objectName().startswith("qt_")
        proxied = any(one.focusProxy() is widget for one in root.findChildren(QWidget))
        if is_reached and widget.focusProxy() is None and not proxied and not name_of(widget):
            found.append(f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}")
    return found


def test_everything_that_takes_the_focus_has_a_name(planner: Seat) -> None:
    window = planner.window
    for number in range(8):
        window.show_page(number)
        assert nameless(window.pages[number]) == [], f"page {number + 1}"
    assert nameless(window) == []


def test_cancelling_says_so_and_leaves_the_former_figures_marked(planner: Seat) -> None:
    window = planner.window
    figure = window.strip.cells[2].cell.figure
    window.session.edit("x", lambda quote: quote.replaced(workload=quote.workload.replaced(limit=None)))
    window.do.cancel_work()
    assert window.session.is_stale
    assert window.strip.cells[2].cell.figure == figure
    assert window.strip.cells[2].cell.state.name == "STALE"
    assert window.status.message
    assert "recalculando" not in window.status._computing.text()
    window.session.estimate_again()
    planner.wait_for_answer()


class Windows(QObject):
    """Keeps every window that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(type(watched).__name__)
        return False


def test_no_other_window_is_ever_shown_by_itself(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    windows = Windows()
    qapp.installEventFilter(windows)
    with seat(qapp, qtbot, tmp_path) as found:
        assert found.window.files.open_sample("indice-de-las-obras")
        for number in range(8):
            found.window.show_page(number)
        found.wait_for_answer()
        found.window.parts.settings.language = Language.ENGLISH
        found.window.apply_settings()
        QApplication.processEvents()
        assert found.window.isActiveWindow()
        found.window.session.close()
        QApplication.processEvents()
    qapp.removeEventFilter(windows)
    assert set(windows.shown) == {"MainWindow"}
