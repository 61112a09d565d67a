"""The chart in a window: keyboard, pointer, scroll and what a screen reader hears."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFont, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from estimator.wording import Language, NumberFormat, Wording
from tests.ui.gantt_examples import MINUTE, random_chart, source_example
from ui.gantt.look import GanttLook
from ui.gantt.model import build_model
from ui.gantt.widget import GanttWidget
from ui.theme import DARK, LIGHT

ENGLISH = Wording(Language.ENGLISH, NumberFormat.EN_US)
Key = Qt.Key


def _look() -> GanttLook:
    font = QFont("DejaVu Sans")
    font.setPixelSize(13)
    return GanttLook(LIGHT, ENGLISH, font)


@pytest.fixture
def chart(qtbot: QtBot) -> GanttWidget:
    widget = GanttWidget(source_example(), _look())
    qtbot.addWidget(widget)
    widget.resize(1_000, 300)
    widget.show()
    qtbot.waitExposed(widget)
    return widget


def _place(chart: GanttWidget, index: int) -> QPoint:
    bars, view, area = chart.model().bars, chart.view(), chart.chart_rect()
    middle = (int(bars.start_ms[index]) + int(bars.end_ms[index])) / 2
    row_top = {1: 24, 2: 58, 3: 92, 6: 184, 7: 218}[int(bars.row[index])]
    return QPoint(int(area.left() + view.x_of(middle)), int(area.top()) + row_top + 17)


def test_arrows_walk_through_bars_in_time_and_rows(chart: GanttWidget, qtbot: QtBot) -> None:
    names = []
    chart.barSelected.connect(lambda index: names.append((chart.model().label(index), index)))
    for key in (Key.Key_Right, Key.Key_Right, Key.Key_Down, Key.Key_Left, Key.Key_Up, Key.Key_Up):
        qtbot.keyClick(chart, key)
    # First bar, next in time, the row below at the same time, one back, the row above; above it is nothing.
    assert [name for name, _ in names] == ["Doc. 1", "Doc. 2", "Doc. 6", "Doc. 5", "Doc. 1", "Doc. 1"]


def test_down_passes_over_rows_without_bars(chart: GanttWidget, qtbot: QtBot) -> None:
    chart.select(8)  # the assembly of B; below it stand a gate and a heading
    qtbot.keyClick(chart, Key.Key_Down)
    assert chart.selected() == 13  # at 53 min A runs its fifth conversion, 48 to 60 min
    assert chart.model().label(13) == "Doc. 5"


def test_home_and_end_go_to_the_first_and_last_bar(chart: GanttWidget, qtbot: QtBot) -> None:
    qtbot.keyClick(chart, Key.Key_End)
    assert chart.selected() == 17  # the assembly of A ends last, at 106 min
    qtbot.keyClick(chart, Key.Key_Home)
    assert chart.selected() == 0


def test_enter_asks_to_explain_the_selected_bar(chart: GanttWidget, qtbot: QtBot) -> None:
    chart.select(3)
    with qtbot.waitSignal(chart.explainRequested) as asked:
        qtbot.keyClick(chart, Key.Key_Return)
    assert asked.args == [3]


def test_plus_minus_and_zero_zoom_and_fit(chart: GanttWidget, qtbot: QtBot) -> None:
    whole = chart.view().ms_per_pixel
    qtbot.keyClick(chart, Key.Key_Plus)
    assert chart.view().ms_per_pixel == pytest.approx(whole / 1.25)
    qtbot.keyClick(chart, Key.Key_Plus)
    qtbot.keyClick(chart, Key.Key_Minus)
    assert chart.view().ms_per_pixel == pytest.approx(whole / 1.25)
    qtbot.keyClick(chart, Key.Key_0)
    assert chart.view().ms_per_pixel == pytest.approx(whole)


def test_a_click_selects_the_bar_under_it(chart: GanttWidget, qtbot: QtBot) -> None:
    for index in (0, 6, 8, 12):
        qtbot.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=_place(chart, index))
        assert chart.selected() == index


def test_control_and_wheel_zoom_at_the_pointer(chart: GanttWidget) -> None:
    area = chart.chart_rect()
    before = chart.view().time_at(400)
    at = QPointF(area.left() + 400, area.top() + 50)
    event = QWheelEvent(
        at,
        chart.viewport().mapToGlobal(at),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(chart.viewport(), event)
    assert chart.view().time_at(400) == pytest.approx(before)
    assert chart.horizontalScrollBar().maximum() > 0


def test_a_drag_pans_and_selects_nothing(chart: GanttWidget, qtbot: QtBot) -> None:
    chart.zoom(4, 0)
    start = QPoint(700, 60)
    qtbot.mousePress(chart.viewport(), Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(chart.viewport(), QPoint(600, 60))
    qtbot.mouseRelease(chart.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(600, 60))
    assert chart.view().offset_ms == pytest.approx(100 * chart.view().ms_per_pixel)
    assert chart.selected() is None


def test_the_selected_bar_is_brought_into_view(chart: GanttWidget) -> None:
    chart.zoom(6, 0)
    chart.select(17)
    view, width = chart.view(), chart.chart_rect().width()
    assert view.x_of(96 * MINUTE) >= -0.01
    assert view.x_of(106 * MINUTE) <= width + 0.01


def test_the_selected_bar_is_described_in_a_sentence(chart: GanttWidget) -> None:
    assert chart.accessibleName() == "Schedule as a Gantt chart"
    assert chart.accessibleDescription() == "No bar selected"
    chart.select(4)
    sentence = chart.accessibleDescription()
    assert sentence.startswith("Doc. 5. Conversión · Tarjeta 2. ")
    assert ENGLISH.exact_duration(12 * MINUTE) in sentence


def test_the_tip_names_one_bar_when_few_and_counts_them_when_merged(chart: GanttWidget) -> None:
    point = QPointF(_place(chart, 0))
    chart._show_tip(point)
    assert [line.text() for line in chart._tip.lines[:2]] == ["Doc. 1", "Conversión · Tarjeta 1"]
    chart.setModel(random_chart(60_000, 4, 2, longest_ms=100, gap_ms=1))
    chart.fit()
    chart._show_tip(QPointF(500, 60))
    assert "tasks" in chart._tip.lines[0].text()
    assert "busy" in chart._tip.lines[2].text()


def test_an_empty_chart_takes_every_key(chart: GanttWidget, qtbot: QtBot) -> None:
    chart.setModel(build_model(source_example().rows))
    for key in (Key.Key_Right, Key.Key_Down, Key.Key_End, Key.Key_Return, Key.Key_Plus, Key.Key_0):
        qtbot.keyClick(chart, key)
    assert chart.selected() is None


def test_another_look_keeps_zoom_and_selection(chart: GanttWidget) -> None:
    chart.zoom(3, 100)
    chart.select(2)
    before = chart.view()
    chart.setLook(GanttLook(DARK, ENGLISH, _look().font))
    assert chart.view() == before


def test_a_chart_of_a_year_scrolls_to_its_end_at_the_closest_zoom(chart: GanttWidget) -> None:
    year = build_model(source_example().rows, row=[1], start_ms=[0], end_ms=[365 * 86_400_000])
    chart.setModel(year)
    chart.zoom(1e9, 0)
    chart.horizontalScrollBar().setValue(chart.horizontalScrollBar().maximum())
    assert chart.view().time_at(chart.chart_rect().width()) >= year.horizon_ms
