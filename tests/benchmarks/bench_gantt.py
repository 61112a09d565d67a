"""CPU time of a frame of the Gantt chart while panning and zooming at 1600 × 900. It prints and never fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median

import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFont, QImage, QPainter
from pytestqt.qtbot import QtBot

from estimator.wording import Language, NumberFormat, Wording
from tests.ui.gantt_examples import random_chart
from ui.gantt.look import GanttLook
from ui.gantt.paint import chart_area, paint_gantt
from ui.gantt.pyramid import pyramid_of
from ui.gantt.view import GanttView, fit, most_ms_per_pixel, pan, row_tops, zoom_at
from ui.theme import LIGHT

SIZES = ((10_000, 64), (100_000, 128), (1_000_000, 512))
FRAMES = 20


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
    parts = [f"{count:>9,} bars x {rows:>3} rows: build {built * 1000:.0f} ms"]
    for name, views in (("pan", panned(1.25)), ("zoom", zoomed), ("near", panned(50))):
        times = [frame(view) for view in views()]
        parts.append(f"{name} {median(times):.1f} ms (worst {max(times):.1f})")
    assert most_ms_per_pixel(model, area.width()) > 0
    print("\n" + "; ".join(parts))
