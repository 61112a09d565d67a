"""Folded groups: what stays, what the one row shows, and that hits and keys still find the right bar."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFont
from pytestqt.qtbot import QtBot

from estimator.wording import Language, NumberFormat, Wording
from tests.ui.gantt_examples import grouped_chart, random_chart
from ui.gantt.folding import folded, groups_of, rows_of
from ui.gantt.look import GanttLook
from ui.gantt.model import BarFlag, GanttModel, GanttRow, RowKind, build_model
from ui.gantt.pyramid import build_pyramid, critical_bins_of, pyramid_of
from ui.gantt.tips import tip_lines
from ui.gantt.view import GanttView, bar_at, fit, row_height_for, row_tops
from ui.gantt.widget import FOLDED_FROM, GanttWidget
from ui.theme import LIGHT

CHART = grouped_chart()
KEYS = [group.key for group in groups_of(CHART)]
ENGLISH = Wording(Language.ENGLISH, NumberFormat.EN_US)
Key = Qt.Key
closings = st.sets(st.sampled_from(KEYS))


def _look() -> GanttLook:
    font = QFont("DejaVu Sans")
    font.setPixelSize(13)
    return GanttLook(LIGHT, ENGLISH, font, show_critical=True)


def _names(model: GanttModel) -> list[str]:
    return [row.name for row in model.rows]


def test_a_group_reaches_down_to_the_next_row_that_is_no_deeper() -> None:
    assert [(group.key, group.heading, group.past) for group in groups_of(CHART)] == [
        ("lot 1", 0, 7),
        ("node 1", 1, 4),
        ("node 2", 4, 7),
        ("lot 2", 7, 11),
    ]


def test_with_nothing_closed_it_is_the_very_chart() -> None:
    assert folded(CHART, frozenset({"gone"})).model is CHART


def test_a_folded_lot_takes_its_nodes_along_and_the_gate_keeps_its_milestone() -> None:
    shown = folded(CHART, frozenset({"lot 1", "node 2"})).model
    assert _names(shown) == ["Lot 1", "Lot 2", "Card 5", "Card 6", "Card 7", "Station", "Gate"]
    assert shown.rows[0].kind is RowKind.FOLDED
    assert [(one.row, one.text) for one in shown.milestones] == [(6, "done")]
    (use,) = shown.steps
    assert (use.row, use.capacity, use.capacity_text) == (0, 4.0, "4 cards")


@given(st.integers(0, 5), st.sampled_from(KEYS), st.integers(0, 6_000))
def test_a_folded_group_shows_how_many_of_its_rows_are_busy(seed: int, key: str, at_ms: int) -> None:
    whole = grouped_chart(seed)
    group = next(one for one in groups_of(whole) if one.key == key)
    (use,) = [one for one in folded(whole, {key}).model.steps if one.row == group.heading]
    inside = (whole.bars.row > group.heading) & (whole.bars.row < group.past)
    running = inside & (whole.bars.start_ms <= at_ms) & (whole.bars.end_ms > at_ms)
    at = int(np.searchsorted(use.times_ms, at_ms, side="right")) - 1
    assert use.used[min(at, use.used.size - 1)] == running.sum()
    critical = bool((running & ((whole.flags & BarFlag.CRITICAL) > 0)).any())
    assert use.critical is not None
    start, end = use.critical
    assert bool(((start <= at_ms) & (end > at_ms)).any()) == critical
    assert np.all(start[1:] > end[:-1])


def _nearest(model: GanttModel, rows: set[int], time_ms: float, reach: float) -> int | None:
    """The bar of some rows of the whole chart at a time, else the nearest within reach, by looking at all."""
    best, best_distance = None, reach
    for index in range(model.bars.count):
        if int(model.bars.row[index]) not in rows:
            continue
        start, end = int(model.bars.start_ms[index]), int(model.bars.end_ms[index])
        if start <= time_ms < end:
            return index
        distance = start - time_ms if time_ms < start else time_ms - end
        if distance <= best_distance:
            best, best_distance = index, distance
    return best


@settings(max_examples=200, deadline=None)
@given(closings, st.floats(0, 900, exclude_max=True), st.floats(0, 460), st.floats(2, 8))
def test_a_hit_on_a_folded_chart_is_the_bar_that_a_search_through_the_whole_finds(
    closed: set[str], x: float, y: float, scale: float
) -> None:
    chart = folded(CHART, closed)
    view = GanttView(scale)
    found = bar_at(chart.model, view, x, y)
    tops = row_tops(chart.model, view.row_height)
    row = next((at for at in range(tops.size - 1) if tops[at] <= y < tops[at + 1]), None)
    name = None if row is None else chart.model.rows[row].name
    rows = {at for at, one in enumerate(CHART.rows) if one.name == name and one.kind is not RowKind.HEADING}
    expected = _nearest(CHART, rows, view.time_at(x), 3 * scale)
    assert (None if found is None else int(chart.kept[found])) == expected
    assert chart.shown(expected) == found


@given(closings)
def test_bars_keep_labels_and_marks_whatever_is_folded(closed: set[str]) -> None:
    chart = folded(CHART, closed)
    for index in range(chart.model.bars.count):
        assert chart.model.label(index) == f"Task {chart.kept[index]}"
    assert np.array_equal(chart.model.flags, CHART.flags[chart.kept])
    assert np.array_equal(chart.model.bars.start_ms, CHART.bars.start_ms[chart.kept])


def test_the_merged_picture_of_a_folded_chart_is_that_of_its_rows() -> None:
    shown = folded(CHART, {"node 1", "lot 2"}).model
    whole, part = pyramid_of(CHART), pyramid_of(shown)
    assert part.finest_bin_ms == whole.finest_bin_ms
    kept = [0, 1, 4, 5, 6, 7, 11, 12]
    for level, own in zip(whole.levels, part.levels, strict=True):
        assert np.array_equal(level[kept], own)
    assert np.array_equal(critical_bins_of(shown).levels[0], critical_bins_of(CHART).levels[0][kept])


def test_every_critical_bar_is_there_at_every_level_and_nothing_else() -> None:
    model = grouped_chart(4, 200)
    bins, bin_ms = critical_bins_of(model), build_pyramid(model).finest_bin_ms
    for level, own in enumerate(build_pyramid(model).levels):
        touched = np.zeros(own.shape, dtype=np.uint8)
        for index in np.flatnonzero(model.flags & BarFlag.CRITICAL):
            start, end = int(model.bars.start_ms[index]), int(model.bars.end_ms[index])
            touched[model.bars.row[index], start // bin_ms : (end - 1) // bin_ms + 1] = 1
        count = own.shape[1]
        assert np.array_equal(bins.cut(level, slice(None), 0, count), touched)
        assert np.array_equal(bins.cut(level, slice(2, 9), 3, count - 2), touched[2:9, 3 : count - 2])
        bin_ms *= 2


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 799), st.integers(0, 3))
def test_where_bars_are_merged_the_tip_counts_what_a_search_through_all_counts(x: float, row: int) -> None:
    model = MERGED
    area = QRectF(100, 30, 800, 4 * 34)
    view = fit(model, area.width())
    lines = tip_lines(model, _look(), view, area, QPointF(100 + x, 30 + 34 * row + 17))
    bars, from_ms, to_ms = model.bars, view.time_at(x - 0.5), view.time_at(x + 0.5)
    inside = (bars.row == row) & (bars.start_ms < to_ms) & (bars.end_ms > from_ms)
    count = int(inside.sum())
    if count > 1 and lines is not None:
        assert lines[0] == f"{count} tasks"
        overlap = np.minimum(bars.end_ms, to_ms) - np.maximum(bars.start_ms, from_ms)
        share = float(overlap[inside].sum()) / (to_ms - from_ms)
        assert lines[2] == f"{ENGLISH.percent(100 * share, 0)} busy"
    elif count > 1:
        assert bar_at(model, view, x, 34 * row + 17) is None


MERGED = random_chart(60_000, 4, 2, longest_ms=100, gap_ms=1)


@given(closings, st.floats(50, 900))
def test_rows_fit_a_height_where_they_can_and_texts_keep_theirs(closed: set[str], height: float) -> None:
    shown = folded(CHART, closed).model
    row_height = row_height_for(shown, height)
    heights = np.diff(row_tops(shown, row_height))
    named = [at for at, row in enumerate(shown.rows) if row.kind in (RowKind.HEADING, RowKind.FOLDED)]
    assert heights.min() >= 12
    assert heights[named].min(initial=18) >= 18
    if 12 < row_height < 34:
        assert heights.sum() == pytest.approx(height)


def test_rows_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="rise"):
        rows_of(CHART, [3, 2])


# In the window


@pytest.fixture
def chart(qtbot: QtBot) -> GanttWidget:
    widget = GanttWidget(CHART, _look())
    qtbot.addWidget(widget)
    widget.resize(1_000, 500)
    widget.show()
    qtbot.waitExposed(widget)
    return widget


def _head(chart: GanttWidget, row: int) -> QPoint:
    tops = row_tops(chart.model(), chart.view().row_height)
    return QPoint(60, int(chart.chart_rect().top() + tops[row] - chart.view().top + 10))


def test_a_click_on_a_heading_folds_its_rows_and_another_opens_them(chart: GanttWidget, qtbot: QtBot) -> None:
    qtbot.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=_head(chart, 7))
    assert chart.folding() == {"lot 2"}
    assert _names(chart.model())[7:] == ["Lot 2", "Station", "Gate"]
    qtbot.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=_head(chart, 7))
    assert chart.folding() == frozenset()
    assert chart.model() is CHART


def test_f_folds_what_the_selected_bar_belongs_to_and_enter_opens_it(
    chart: GanttWidget, qtbot: QtBot
) -> None:
    chart.select(0)  # on card 1, in node 1 of lot 1
    qtbot.keyClick(chart, Key.Key_F)
    assert chart.folding() == {"node 1"}
    assert chart.selected() is None
    assert chart.accessibleDescription().startswith("Node 1, folded. 2 cards")
    qtbot.keyClick(chart, Key.Key_Return)
    assert chart.folding() == frozenset()
    assert chart.selected() is not None


def test_arrows_stop_at_a_folded_group(chart: GanttWidget, qtbot: QtBot) -> None:
    chart.setFolded({"node 1"})
    chart.select(0)  # the first bar that is shown: on card 3
    qtbot.keyClick(chart, Key.Key_Up)
    assert chart.selected() is None
    assert chart.view().row == 1
    qtbot.keyClick(chart, Key.Key_Down)
    index = chart.selected()
    assert index is not None
    assert chart.model().rows[int(chart.model().bars.row[index])].name == "Card 3"


def test_shift_and_f_fold_and_open_all(chart: GanttWidget, qtbot: QtBot) -> None:
    qtbot.keyClick(chart, Key.Key_F, Qt.KeyboardModifier.ShiftModifier)
    assert _names(chart.model()) == ["Lot 1", "Lot 2", "Station", "Gate"]
    qtbot.keyClick(chart, Key.Key_F, Qt.KeyboardModifier.ShiftModifier)
    assert chart.model() is CHART


def test_a_bar_is_named_to_others_by_its_place_in_the_whole_chart(chart: GanttWidget, qtbot: QtBot) -> None:
    chart.setFolded({"node 1"})
    with qtbot.waitSignal(chart.barSelected) as said:
        chart.select(0)
    assert said.args == [24]  # after twelve bars each of the two cards that are folded away
    with qtbot.waitSignal(chart.explainRequested) as asked:
        qtbot.keyClick(chart, Key.Key_Return)
    assert asked.args == [24]


def test_what_is_folded_stays_folded_in_the_next_chart_and_the_selection_where_it_is_seen(
    chart: GanttWidget,
) -> None:
    chart.select(30)
    chart.setFolded({"lot 2"})
    assert chart.selected() == 30
    chart.setModel(grouped_chart(9))
    assert chart.folding() == {"lot 2"}
    assert "Card 5" not in _names(chart.model())


def test_a_chart_with_more_rows_than_can_be_read_begins_folded(chart: GanttWidget) -> None:
    rows = [GanttRow(RowKind.HEADING, "Lot", group="many")]
    rows += [GanttRow(RowKind.CARD, f"Card {n}", depth=1) for n in range(FOLDED_FROM)]
    many = build_model(rows, row=[1], start_ms=[0], end_ms=[10])
    chart.setModel(many)
    assert _names(chart.model()) == ["Lot"]
    chart.toggle("many")
    chart.setModel(build_model(rows, row=[2], start_ms=[0], end_ms=[10]))
    assert len(chart.model().rows) == FOLDED_FROM + 1  # once opened it stays open


def test_the_tip_of_a_folded_group_says_how_many_are_busy(chart: GanttWidget) -> None:
    chart.setFolded({"lot 1"})
    area = chart.chart_rect()
    lines = tip_lines(chart.model(), _look(), chart.view(), area, QPointF(area.left() + 1, area.top() + 10))
    assert lines is not None
    assert lines[0] == "Lot 1"
    assert lines[1].endswith("of 4 busy")
