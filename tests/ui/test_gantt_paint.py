"""What the painter draws: rectangles on device pixels, colours where a known bar stands, hatches inside bars."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from pytestqt.qtbot import QtBot

from estimator.wording import Language, NumberFormat, Wording
from tests.ui.gantt_examples import MINUTE, random_chart, source_example
from ui.gantt.look import GanttLook, Hatch, ink_on, luminance
from ui.gantt.model import BarFlag, GanttModel, GanttRow, ResourceSteps, RowKind, build_model
from ui.gantt.paint import Painted, chart_area, paint_gantt
from ui.gantt.paint_bars import Canvas
from ui.gantt.paint_marks import step_boxes
from ui.gantt.rectangles import bar_rectangles, hatch_lines
from ui.gantt.view import GanttView, fit, row_tops
from ui.theme import DARK, LIGHT, Tokens

RATIOS = (1.0, 1.25, 1.5, 2.0)
SPANISH = Wording(Language.SPANISH, NumberFormat.ES_ES)


def _look(tokens: Tokens = LIGHT) -> GanttLook:
    font = QFont("DejaVu Sans")
    font.setPixelSize(13)
    return GanttLook(tokens, SPANISH, font)


def _picture(
    model: GanttModel, look: GanttLook, ratio: float = 1.0, view: GanttView | None = None, height: int = 300
) -> tuple[QImage, GanttView, QRectF, Painted]:
    rect = QRectF(0, 0, 1_000, height)
    image = QImage(QSize(round(1_000 * ratio), round(height * ratio)), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    area = chart_area(rect, model, look)
    view = view or fit(model, area.width())
    painter = QPainter(image)
    painted = paint_gantt(painter, rect, model, view, look)
    painter.end()
    return image, view, area, painted


def _colour(image: QImage, x: float, y: float) -> str:
    ratio = image.devicePixelRatio()
    return image.pixelColor(int(x * ratio), int(y * ratio)).name().upper()


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_a_known_bar_has_its_colour_and_its_edges_at_every_pixel_ratio(
    qtbot: QtBot, ratio: float, tokens: Tokens
) -> None:
    model = source_example()
    image, view, area, painted = _picture(model, _look(tokens), ratio)
    assert painted == Painted(18, False)
    top = area.top() + float(row_tops(model, 34)[6])  # the card of A: eight bars from 0 to 96 min
    left, right = area.left() + view.x_of(12 * MINUTE), area.left() + view.x_of(24 * MINUTE)
    middle = top + 9  # above the label
    assert _colour(image, (left + right) / 2, middle) == tokens.charts[0]
    assert _colour(image, left + 2, middle) == tokens.charts[0]
    assert _colour(image, right - 3, middle) == tokens.charts[0]
    assert _colour(image, area.left() + view.x_of(96 * MINUTE) + 3, middle) == tokens.surface
    assert _colour(image, (left + right) / 2, top + 2) == tokens.surface  # air above the bar


@pytest.mark.parametrize("ratio", RATIOS)
def test_rectangles_stand_on_whole_device_pixels_with_a_seam(ratio: float) -> None:
    left = np.array([0.0, 10.3, 40.7, 99.2, 200.0])
    right = np.array([10.3, 40.7, 41.0, 180.9, 5e9])
    boxes = bar_rectangles(left, right, np.zeros(5), 22.0, (0.0, 150.0), ratio)
    assert boxes[:, 0] * ratio == pytest.approx(np.round(boxes[:, 0] * ratio))
    assert boxes[0, 0] + boxes[0, 2] + 1 == pytest.approx(boxes[1, 0])  # one pixel to the next
    assert boxes[2, 2] == 1.0  # 0.3 px wide, shown as one
    assert boxes[:, 0].max() <= 153
    assert (boxes[:, 0] + boxes[:, 2]).max() <= 154


@given(
    st.sampled_from(list(Hatch)),
    st.floats(-5, 500),
    st.floats(-5, 300),
    st.floats(6, 300),
    st.floats(4, 40),
)
def test_hatch_lines_stay_inside_their_rectangle(
    hatch: Hatch, x: float, y: float, w: float, h: float
) -> None:
    lines = hatch_lines(np.array([[x, y, w, h]]), hatch)
    assert np.all(lines[:, (0, 2)] >= x - 1e-6)
    assert np.all(lines[:, (0, 2)] <= x + w + 1e-6)
    assert np.all(lines[:, (1, 3)] >= y - 1e-6)
    assert np.all(lines[:, (1, 3)] <= y + h + 1e-6)
    if hatch not in (Hatch.NONE, Hatch.HORIZONTAL) and w > 12:
        assert lines.shape[0] > 0


def test_bars_under_six_pixels_have_no_hatch() -> None:
    assert hatch_lines(np.array([[0.0, 0.0, 5.9, 20.0]]), Hatch.RISING).shape[0] == 0


def test_many_bars_are_merged_and_nothing_busy_looks_idle(qtbot: QtBot) -> None:
    model = random_chart(40_000, 16, 7, longest_ms=60_000, gap_ms=1)
    image, view, area, painted = _picture(model, _look(), height=600)
    assert painted == Painted(40_000, True)
    tops = row_tops(model, view.row_height)
    for row in range(16):
        y = area.top() + (float(tops[row]) + float(tops[row + 1])) / 2
        ends = model.bars.end_ms[model.bars.row == row]
        for share in np.linspace(0.001, 0.995, 200):
            x = area.left() + view.x_of(float(ends[-1]) * share)
            assert _colour(image, x, y) not in (LIGHT.surface, LIGHT.line)


def test_a_problem_shows_among_many_merged_bars(qtbot: QtBot) -> None:
    count = 20_000
    flags = np.zeros(count, dtype=np.uint8)
    flags[count // 2] = BarFlag.PROBLEM
    edges = np.arange(count + 1) * 1_000
    model = build_model(
        [GanttRow(RowKind.CARD, "Card")],
        row=np.zeros(count, dtype=int),
        start_ms=edges[:-1],
        end_ms=edges[1:],
        flags=flags,
    )
    image, view, area, painted = _picture(model, _look())
    assert painted.is_merged
    x = area.left() + view.x_of(count / 2 * 1_000)
    colours = {_colour(image, x + dx, area.top() + 17) for dx in (-1, 0, 1, 2)}
    assert LIGHT.err in colours


def test_a_peak_of_a_resource_thinner_than_a_pixel_is_kept(qtbot: QtBot) -> None:
    used = np.ones(50_000)
    used[30_001] = 9.0
    times = np.arange(50_001, dtype=np.int64) * 100
    steps = ResourceSteps(0, times, used, capacity=10.0)
    model = build_model([GanttRow(RowKind.RESOURCE, "Link")], steps=(steps,))
    view = fit(model, 800)
    canvas = Canvas(model, view, _look(), row_tops(model, 34), 0, 1, 800, 34, 1.0)
    boxes = step_boxes(canvas, steps, 0.0, 30.0)
    assert boxes.shape[0] <= 801
    assert boxes[:, 3].max() == pytest.approx(27.0)  # 9 of 10 of 30 px


def test_a_selected_bar_has_an_outline(qtbot: QtBot) -> None:
    model = source_example()
    look = _look()
    plain, view, area, _ = _picture(model, look)
    marked, _, _, _ = _picture(model, look, view=replace(view, selected=0))
    x, y = area.left() + view.x_of(6 * MINUTE), area.top() + 24 + 5
    assert plain.pixelColor(int(x), int(y)) != marked.pixelColor(int(x), int(y))


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_ink_on_every_fill_has_a_contrast_of_at_least_four_and_a_half(tokens: Tokens) -> None:
    for fill in map(QColor, tokens.charts):
        light, dark = sorted((luminance(fill), luminance(ink_on(fill))), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5
