"""The chart's model and view: windows, hits and zoom against the plain way of doing the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ui.gantt_examples import MINUTE, random_chart, source_example
from ui.gantt.folding import rows_of
from ui.gantt.model import GanttModel, GanttRow, LegendEntry, RowKind, build_model, legend
from ui.gantt.view import (
    GanttView,
    bar_at,
    fit,
    pan,
    row_height_for,
    row_tops,
    rows_in,
    shown_ms,
    zoom_at,
)

CHART = random_chart(400, 8, seed=3, longest_ms=500, gap_ms=300)
LAST = CHART.horizon_ms


@given(
    st.integers(0, 8),
    st.integers(0, 8),
    st.floats(-2_000, LAST + 2_000, allow_nan=False),
    st.floats(0, LAST, allow_nan=False),
)
def test_a_window_holds_the_bars_that_a_search_through_all_finds(
    first: int, count: int, from_ms: float, length: float
) -> None:
    to_ms = from_ms + length
    bars, last = CHART.bars, min(8, first + count)
    expected = [
        i
        for i in range(bars.count)
        if first <= bars.row[i] < last and bars.start_ms[i] < to_ms and bars.end_ms[i] > from_ms
    ]
    assert bars.window(first, last, from_ms, to_ms).tolist() == expected


def _nearest(model: GanttModel, row: int, time_ms: float, reach: float) -> int | None:
    bars = model.bars
    best, best_distance = None, reach
    for i in np.flatnonzero(bars.row == row):
        start, end = int(bars.start_ms[i]), int(bars.end_ms[i])
        if start <= time_ms < end:
            return int(i)
        distance = start - time_ms if time_ms < start else time_ms - end
        if distance <= best_distance:
            best, best_distance = int(i), distance
    return best


@given(
    st.floats(0, 1_000, exclude_max=True),
    st.floats(0, 8 * 34 - 0.5),
    st.floats(50, 80),
    st.floats(0, LAST, allow_nan=False),
)
@settings(max_examples=300)
def test_a_hit_is_the_bar_that_a_search_through_all_finds(
    x: float, y: float, scale: float, offset: float
) -> None:
    view = GanttView(scale, offset)
    assert bar_at(CHART, view, x, y) == _nearest(CHART, int(y // 34), view.time_at(x), 3 * scale)


def test_a_hit_between_bars_reaches_three_pixels_and_no_further() -> None:
    model = build_model([GanttRow(RowKind.CARD, "Card")], row=[0], start_ms=[100_000], end_ms=[200_000])
    view = GanttView(1_000.0)  # the bar stands from pixel 100 to 200
    assert [bar_at(model, view, x, 5) for x in (96.5, 97.0, 150.0, 203.0, 203.5)] == [None, 0, 0, 0, None]
    assert bar_at(model, view, 150, 40) is None


def test_bars_that_overlap_in_a_row_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        build_model([GanttRow(RowKind.CARD, "Card")], row=[0, 0], start_ms=[0, 5], end_ms=[6, 9])


def test_a_bar_that_ends_before_its_start_is_refused() -> None:
    with pytest.raises(ValueError, match="ends before"):
        build_model([GanttRow(RowKind.CARD, "Card")], row=[0], start_ms=[9], end_ms=[5])


def test_labels_are_asked_with_the_positions_of_who_gave_the_bars() -> None:
    texts = ["late", "early"]
    model = build_model(
        [GanttRow(RowKind.CARD, "Card")],
        row=[0, 0],
        start_ms=[10, 0],
        end_ms=[20, 10],
        label=texts.__getitem__,
    )
    assert [model.label(0), model.label(1)] == ["early", "late"]


def test_times_of_ten_thousand_million_milliseconds_stay_exact() -> None:
    long = 10_000_000_000
    model = build_model(
        [GanttRow(RowKind.CARD, f"Card {n}") for n in range(512)],
        row=[511, 511],
        start_ms=[0, long],
        end_ms=[long, long + 1],
    )
    assert model.bars.at(511, long - 0.5) == 0
    assert model.bars.at(511, long) == 1


def test_the_chosen_rows_keep_their_bars_labels_and_marks() -> None:
    part = rows_of(source_example(), [5, 6, 7])
    assert [row.name for row in part.rows] == ["A · 1 × 1, referencia", "Tarjeta 1", "Puesto 1"]
    assert part.bars.count == 9
    assert part.label(8) == "Ensamblaje"
    assert int(part.bars.start_ms[8]) == 96 * MINUTE
    assert part.milestones == ()
    assert part.limit is not None


def test_the_legend_names_each_group_once_with_its_class() -> None:
    assert legend(source_example()) == (LegendEntry(1, "Conversión"), LegendEntry(3, "Ensamblaje"))


@given(st.floats(0, 1_000), st.floats(0.2, 8.0), st.floats(0.0, 0.5))
def test_zooming_keeps_the_time_under_the_pointer(x: float, factor: float, share: float) -> None:
    model = source_example()
    whole = fit(model, 1_000)
    view = zoom_at(
        pan(zoom_at(whole, 0, 8, model, 1_000), share * 4_000, 0, model, 1_000, 300), 0, 1, model, 1_000
    )
    zoomed = zoom_at(view, x, factor, model, 1_000)
    latest = shown_ms(model) - 1_000 * zoomed.ms_per_pixel
    if 0.001 < zoomed.offset_ms < latest - 0.001:  # not held back by an end of the chart
        assert zoomed.time_at(x) == pytest.approx(view.time_at(x))


def test_a_fitted_chart_shows_the_horizon_and_the_limit() -> None:
    view = fit(source_example(), 1_000)
    assert 900 < view.x_of(106 * MINUTE) < 1_000
    assert 0 < view.x_of(90 * MINUTE) < 1_000


def test_a_chart_pans_no_further_than_its_ends() -> None:
    model = source_example()
    view = zoom_at(fit(model, 1_000), 500, 4, model, 1_000)
    assert pan(view, -1e9, -1e9, model, 1_000, 100).offset_ms == 0
    end = pan(view, 1e9, 1e9, model, 1_000, 100)
    assert end.time_at(1_000) == pytest.approx(shown_ms(model))
    assert end.top == pytest.approx(float(row_tops(model, 34)[-1]) - 100)


def test_rows_shrink_to_twelve_pixels_and_then_scroll() -> None:
    model = random_chart(10, 100, seed=1)
    assert row_height_for(model, 2_000) == 20
    assert row_height_for(model, 100) == 12
    assert row_height_for(model, 10_000) == 34


def test_rows_in_view_are_those_that_touch_it() -> None:
    tops = row_tops(random_chart(10, 10, seed=1), 34)
    assert rows_in(tops, GanttView(1.0, top=34.0), 68) == (1, 3)
    assert rows_in(tops, GanttView(1.0, top=33.0), 68) == (0, 3)
