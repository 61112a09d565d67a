"""The merged picture of many bars never hides work or trouble."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ui.gantt_examples import random_chart
from ui.gantt.model import BarFlag, GanttModel, GanttRow, RowKind, build_model
from ui.gantt.pyramid import FULL, PROBLEM_BIT, build_pyramid, critical_bins_of, pyramid_of

SHAPES = [(300, 3, 1, 900), (2_000, 40, 2, 20), (5_000, 70, 3, 60_000), (64, 64, 4, 5)]


def _chart(shape: tuple[int, int, int, int]) -> GanttModel:
    count, rows, seed, longest = shape
    return random_chart(count, rows, seed, longest_ms=longest, gap_ms=longest * 3)


@pytest.mark.parametrize("shape", SHAPES)
def test_no_level_shows_a_busy_bin_as_idle_nor_an_idle_one_as_busy(shape: tuple[int, int, int, int]) -> None:
    model = _chart(shape)
    pyramid = build_pyramid(model)
    bin_ms = pyramid.finest_bin_ms
    for bins in pyramid.levels:
        touched = np.zeros(bins.shape, dtype=bool)
        for row, start, end in zip(model.bars.row, model.bars.start_ms, model.bars.end_ms, strict=True):
            touched[row, start // bin_ms : (end - 1) // bin_ms + 1] = True
        assert np.array_equal((bins & FULL) > 0, touched)
        bin_ms *= 2


@pytest.mark.parametrize("shape", SHAPES)
def test_every_problem_is_there_at_every_level(shape: tuple[int, int, int, int]) -> None:
    model = _chart(shape)
    pyramid = build_pyramid(model)
    bin_ms = pyramid.finest_bin_ms
    for bins in pyramid.levels:
        for index in np.flatnonzero(model.flags & BarFlag.PROBLEM):
            row, start = model.bars.row[index], int(model.bars.start_ms[index])
            assert bins[row, start // bin_ms] & PROBLEM_BIT
        bin_ms *= 2


def test_the_share_of_a_bin_is_its_busy_time_rounded_up_to_fifteenths() -> None:
    # One row; 16,384 ms in bins of 4 ms. The bar fills 1 of 4 ms of the first bin: 15/4 -> 4 fifteenths.
    model = build_model(
        [GanttRow(RowKind.CARD, "Card")], row=[0, 0], start_ms=[0, 8], end_ms=[1, 16_383], colour_class=[2, 5]
    )
    pyramid = build_pyramid(model)
    assert pyramid.finest_bin_ms == 4
    finest = pyramid.levels[0][0]
    assert [int(b) for b in finest[:4]] == [(2 << 4) + 4, 0, (5 << 4) + 15, (5 << 4) + 15]
    # Halved: (4 + 0 + 1) // 2 = 2 fifteenths.
    assert int(pyramid.levels[1][0][0]) == (2 << 4) + 2


def test_a_task_without_length_still_shows() -> None:
    model = build_model([GanttRow(RowKind.CARD, "Card")], row=[0, 0], start_ms=[0, 90], end_ms=[50, 90])
    pyramid = build_pyramid(model)
    assert pyramid.levels[0][0, 90 // pyramid.finest_bin_ms] & FULL


def test_the_chosen_level_has_bins_of_at_least_a_pixel() -> None:
    pyramid = build_pyramid(random_chart(50_000, 4, 1))
    for scale in (pyramid.finest_bin_ms * f for f in (0.3, 1.0, 1.7, 5.0)):
        level, bin_ms = pyramid.level_for(scale)
        assert scale <= bin_ms < max(2 * scale, pyramid.finest_bin_ms + 1)
        assert pyramid.levels[level].shape[1] * bin_ms >= pyramid.levels[0].shape[1] * pyramid.finest_bin_ms


@pytest.mark.parametrize("rows", [512, 1_024])
def test_a_million_bars_are_merged_in_at_most_fifty_bytes_a_bar(rows: int) -> None:
    """Beyond the columns that the chart was made from: keys, merged picture and its critical bits."""
    model = random_chart(1_048_576, rows, 5)
    pyramid, critical = pyramid_of(model), critical_bins_of(model)
    size = (
        sum(level.nbytes for level in (*pyramid.levels, *critical.levels))
        + model.bars.start_key.nbytes
        + model.bars.end_key.nbytes
    )
    assert size <= 50 * model.bars.count
