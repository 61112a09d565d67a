"""What the painter draws: rectangles on device pixels, colours where a known bar stands, hatches inside bars."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from pytestqt.qtbot import QtBot

from estimator.wording import Language, NumberFormat, Wording
from tests.ui.gantt_examples import MINUTE, random_chart, source_example
from ui.gantt.look import GanttLook, Hatch, ink_on, luminance
from ui.gantt.model import (
    BarFlag,
    GanttModel,
    GanttRow,
    Limit,
    Milestone,
    ResourceSteps,
    RowKind,
    build_model,
)
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


def _one_of_two_critical() -> GanttModel:
    """One row: a critical bar and one that is not, both in the darkest fill."""
    return build_model(
        [GanttRow(RowKind.CARD, "Card")],
        row=[0, 0],
        start_ms=[0, 50_000],
        end_ms=[50_000, 100_000],
        flags=[BarFlag.CRITICAL, 0],
    )


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_a_critical_bar_has_an_outline_and_a_corner_in_ink_set_off_by_a_line_of_paper(
    qtbot: QtBot, tokens: Tokens
) -> None:
    model = _one_of_two_critical()
    look = replace(_look(tokens), show_critical=True)
    image, _, area, _ = _picture(model, look)
    left, top = area.left(), area.top() + 6  # air of 34 * 0.17 = 6 px above the bar
    assert _colour(image, left + 40, top + 1) == tokens.text
    assert _colour(image, left + 40, top + 2) == tokens.surface
    assert _colour(image, left + 40, top + 4) == tokens.charts[0]
    assert _colour(image, left + 4, top + 4) == tokens.text  # the corner
    beside = left + fit(model, area.width()).x_of(75_000)
    assert _colour(image, beside, top + 1) == tokens.charts[0]


def test_nothing_is_marked_critical_where_that_is_not_asked(qtbot: QtBot) -> None:
    model = _one_of_two_critical()
    plain, *_ = _picture(model, _look())
    unmarked, *_ = _picture(
        build_model(model.rows, row=[0, 0], start_ms=[0, 50_000], end_ms=[50_000, 100_000]), _look()
    )
    assert plain == unmarked


@pytest.mark.parametrize("row_height", [20.0, 5.0])
def test_merged_critical_bars_stand_out(qtbot: QtBot, row_height: float) -> None:
    count = 20_000
    edges = np.arange(count + 1) * 1_000
    flags = np.where(np.arange(count) < count // 2, int(BarFlag.CRITICAL), 0)
    model = build_model(
        [GanttRow(RowKind.CARD, "Card")],
        row=np.zeros(count, dtype=int),
        start_ms=edges[:-1],
        end_ms=edges[1:],
        flags=flags,
    )
    look = replace(_look(), show_critical=True)
    area = chart_area(QRectF(0, 0, 1_000, 300), model, look)
    view = replace(fit(model, area.width()), row_height=row_height)
    image, _, area, painted = _picture(model, look, view=view)
    assert painted.is_merged
    inside, outside = area.left() + view.x_of(5_000_000), area.left() + view.x_of(15_000_000)
    foot = area.top() + row_height - (5 if row_height > 8 else 2)
    if row_height > 8:  # a dark foot under those that are
        assert _colour(image, inside, foot) == LIGHT.text
        assert _colour(image, outside, foot) == LIGHT.charts[0]
    else:  # paler are those that are not
        assert _colour(image, inside, foot) == LIGHT.charts[0]
        assert luminance(QColor(_colour(image, outside, foot))) > luminance(QColor(LIGHT.charts[0])) + 0.2


def test_problems_among_merged_bars_show_in_every_row_however_many_they_are(qtbot: QtBot) -> None:
    model = random_chart(60_000, 20, 3, longest_ms=2_000, gap_ms=1)
    image, view, area, painted = _picture(model, _look(), height=800)
    assert painted.is_merged
    tops = row_tops(model, view.row_height)
    for row in range(20):
        wrong = np.flatnonzero((model.flags > 0) & (model.bars.row == row))[5]
        x = area.left() + view.x_of(float(model.bars.start_ms[wrong]))
        y = area.top() + float(tops[row]) + view.row_height / 2
        assert LIGHT.err in {_colour(image, x + dx, y) for dx in (-1, 0, 1, 2)}


def test_set_up_is_drawn_unlike_unused_time_and_stays_where_that_is_hidden(qtbot: QtBot) -> None:
    model = build_model(
        [GanttRow(RowKind.CARD, "Card")],
        row=[0],
        start_ms=[60_000],
        end_ms=[90_000],
        idle=(np.array([0, 0]), np.array([0, 90_000]), np.array([60_000, 120_000])),
        is_setup=np.array([True, False]),
        horizon_ms=120_000,
    )

    def ink(look: GanttLook, from_ms: int, to_ms: int) -> int:
        image, view, area, _ = _picture(model, look)
        xs = range(int(area.left() + view.x_of(from_ms)) + 2, int(area.left() + view.x_of(to_ms)) - 2)
        return sum(_colour(image, x, area.top() + 17) != LIGHT.surface for x in xs)

    hidden = replace(_look(), show_idle=False)
    assert ink(_look(), 0, 60_000) > 20
    assert ink(hidden, 0, 60_000) == ink(_look(), 0, 60_000)
    assert ink(hidden, 90_000, 120_000) < ink(_look(), 90_000, 120_000)


def test_closed_time_is_drawn_also_where_unused_time_is_hidden_and_unlike_it(qtbot: QtBot) -> None:
    model = build_model(
        [GanttRow(RowKind.CARD, "Card")],
        row=[0],
        start_ms=[60_000],
        end_ms=[90_000],
        idle=(np.array([0]), np.array([90_000]), np.array([120_000])),
        closed=(np.array([0]), np.array([0]), np.array([60_000])),
        horizon_ms=120_000,
    )

    def columns(y: int, look: GanttLook) -> list[bool]:
        image, view, area, _ = _picture(model, look)
        xs = range(int(area.left() + view.x_of(0)) + 2, int(area.left() + view.x_of(60_000)) - 2)
        return [_colour(image, x, area.top() + y) != LIGHT.surface for x in xs]

    shown = columns(14, _look())
    assert 0 < sum(shown) < len(shown)
    assert shown == columns(18, _look())  # upright lines: each height has them at the same places
    assert shown == columns(14, replace(_look(), show_idle=False))


@settings(max_examples=30)
@given(st.integers(1, 9_000), st.integers(0, 40))
def test_the_peaks_of_many_steps_are_those_that_a_search_through_all_finds(count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    times = np.concatenate(([0], np.cumsum(random.integers(0, 9, count)))).astype(np.int64)
    steps = ResourceSteps(0, times, random.integers(0, 50, count).astype(float), capacity=50.0)
    levels, bin_ms = steps.peaks
    for level in (0, len(levels) - 1):
        length = bin_ms << level
        for at in random.integers(0, levels[level].size, 8).tolist():
            touched = (times[:-1] < (at + 1) * length) & (times[1:] > at * length)
            # A step without length at a bin's edge may count in either.
            highest = float(steps.used[touched].max(initial=0.0))
            empty = (
                (times[:-1] == times[1:]) & (times[:-1] >= at * length) & (times[:-1] <= (at + 1) * length)
            )
            assert highest <= levels[level][at] <= max(highest, float(steps.used[empty].max(initial=0.0)))


@pytest.mark.parametrize("ratio", RATIOS)
def test_merged_rows_drawn_at_once_are_those_drawn_one_by_one(
    qtbot: QtBot, ratio: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, look = random_chart(30_000, 40, 3, longest_ms=2_000, gap_ms=4_000), _look()
    view = GanttView(4_900.0, offset_ms=37_000.0, top=8.0, row_height=14.0)
    at_once, _, _, painted = _picture(model, look, ratio, view, 500)
    monkeypatch.setattr("ui.gantt.paint_bars.FEW_ROWS", 1_000)
    one_by_one, *_ = _picture(model, look, ratio, view, 500)
    assert painted.is_merged

    def reds(image: QImage) -> np.ndarray:
        return (
            np.frombuffer(image.constBits(), dtype=np.uint8)
            .reshape(image.height(), -1, 4)[:, :, 2]
            .astype(int)
        )

    # Where a bin ends may differ by a pixel, and by nothing else: no row is taller, lower or elsewhere.
    one, other = reds(at_once), reds(one_by_one)
    assert np.array_equal(np.ptp(one, axis=1) == 0, np.ptp(other, axis=1) == 0)
    assert np.mean(one != other) < 0.03


def test_the_limit_does_not_run_through_the_text_of_a_milestone(qtbot: QtBot) -> None:
    rows = [GanttRow(RowKind.CARD, "Card"), GanttRow(RowKind.GATE, "Gate")]
    model = build_model(
        rows,
        row=[0],
        start_ms=[0],
        end_ms=[10 * MINUTE],
        milestones=[Milestone(1, 4 * MINUTE, "25 h 10 min")],
        horizon_ms=10 * MINUTE,
    )
    look = _look()
    plain, view, area, _ = _picture(model, look)
    at_ms = 4 * MINUTE + round(40 * view.ms_per_pixel)  # amid the text
    x = view.x_of(at_ms)
    limited = replace(model, limit=Limit(at_ms, "limit"))
    crossed, _, _, _ = _picture(limited, look)
    tops = row_tops(model, 34) + area.top()
    middle = float(tops[1] + tops[2]) / 2
    column = [(area.left() + x, middle + y) for y in range(-5, 6)]
    assert [_colour(crossed, *at) for at in column] == [_colour(plain, *at) for at in column]
    above = [(area.left() + x, float(tops[0]) + y) for y in range(1, 30)]
    assert [_colour(crossed, *at) for at in above] != [_colour(plain, *at) for at in above]
