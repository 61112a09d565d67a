"""CPU time of a frame of the Gantt chart while panning and zooming at 1600 × 900. It prints and never fails.

At 100,000 bars matplotlib draws the same bars in the same run: its Agg canvas redrawn after each pan.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median

import numpy as np
import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFont, QImage, QPainter
from pytestqt.qtbot import QtBot

from estimator.wording import Language, NumberFormat, Wording
from tests.ui.gantt_examples import random_chart
from ui.gantt.look import GanttLook
from ui.gantt.model import GanttModel
from ui.gantt.paint import chart_area, paint_gantt
from ui.gantt.pyramid import pyramid_of
from ui.gantt.view import GanttView, fit, most_ms_per_pixel, pan, row_tops, zoom_at
from ui.theme import LIGHT

SIZES = ((10_000, 64), (100_000, 128), (1_000_000, 512))
FRAMES = 20
MATPLOTLIB_BARS = 100_000
MATPLOTLIB_FRAMES = 5


def _look() -> GanttLook:
    font = QFont("DejaVu Sans")
    font.setPixelSize(13)
    return GanttLook(LIGHT, Wording(Language.ENGLISH, NumberFormat.EN_US), font)


@pytest.mark.parametrize(("count", "rows"), SIZES)
def bench_frames(qtbot: QtBot, count: int, rows: int) -> None:
    model, look, rect = random_chart(count, rows, 1), _look(), QRectF(0, 0, 1600, 900)
    image = QImage(QSize(1600, 900), QImage.Format.Format_RGB32)
    began = time.process_time()
    assert model.bars.start_key.size == model.bars.end_key.size
    pyramid_of(model)
    built = time.process_time() - began
    area = chart_area(rect, model, look)
    whole = fit(
        model, area.width(), GanttView(1.0, row_height=area.height() / float(row_tops(model, 1.0)[-1]))
    )

    def frame(view: GanttView) -> float:
        painter = QPainter(image)
        start = time.process_time()
        paint_gantt(painter, rect, model, view, look)
        painter.end()
        return (time.process_time() - start) * 1000

    def panned(zoom: float) -> Callable[[], Iterator[GanttView]]:
        def views() -> Iterator[GanttView]:
            view = zoom_at(whole, 300, zoom, model, area.width())
            for _ in range(FRAMES):
                view = pan(view, 17, 0, model, area.width(), area.height())
                yield view

        return views

    def zoomed() -> Iterator[GanttView]:
        for number in range(FRAMES):
            yield zoom_at(whole, 700, 400 ** (number / (FRAMES - 1)), model, area.width())

    frame(whole)
    every: list[float] = []
    parts = [f"{count:>9,} bars x {rows:>3} rows: build {built * 1000:.0f} ms"]
    for name, views in (("pan", panned(1.25)), ("zoom", zoomed), ("near", panned(50))):
        times = [frame(view) for view in views()]
        every += times
        parts.append(f"{name} {median(times):.1f} ms (worst {max(times):.1f})")
    assert most_ms_per_pixel(model, area.width()) > 0
    parts.append(f"all {median(every):.1f} ms (worst {max(every):.1f})")
    print("\n" + "; ".join(parts))
    if count == MATPLOTLIB_BARS:
        _print_matplotlib(model, median([frame(view) for view in panned(1.25)()]))


def _print_matplotlib(model: GanttModel, own_ms: float) -> None:
    figures = pytest.importorskip("matplotlib.figure")
    canvases = pytest.importorskip("matplotlib.backends.backend_agg")
    figure = figures.Figure(figsize=(16, 9), dpi=100)
    canvas = canvases.FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    bars = model.bars
    colours = np.array(LIGHT.charts)[model.colour_class - 1]
    for row in range(len(model.rows)):
        own = bars.row == row
        spans = np.column_stack((bars.start_ms[own], bars.end_ms[own] - bars.start_ms[own]))
        axes.broken_barh(spans, (row, 0.8), facecolors=colours[own])
        wrong = own & (model.flags > 0)
        spans = np.column_stack((bars.start_ms[wrong], bars.end_ms[wrong] - bars.start_ms[wrong]))
        axes.broken_barh(spans, (row, 0.8), facecolors="none", edgecolors=LIGHT.err, linewidth=2.5)
    axes.set_ylim(len(model.rows), 0)
    axes.set_yticks(np.arange(len(model.rows)), labels=[row.name for row in model.rows], fontsize=4)
    axes.grid(visible=True)
    width = model.horizon_ms / 1.25
    axes.set_xlim(0, width)
    canvas.draw()
    # What ours shows is there: every bar in its colour, what is wrong outlined, grid, axis and names of rows.
    times = []
    for number in range(1, MATPLOTLIB_FRAMES + 1):
        left = number * 17 * width / 1600
        start = time.process_time()
        axes.set_xlim(left, left + width)
        canvas.draw()
        times.append((time.process_time() - start) * 1000)
    theirs = median(times)
    print(
        f"{bars.count:>9,} bars: matplotlib {theirs:.0f} ms a frame after a pan, {theirs / own_ms:.0f} times ours"
    )
