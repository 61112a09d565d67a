"""Filling rectangles with the pattern of a class: a tile on screens and in PNG, lines in SVG, PDF and on paper.

A tile costs one call however wide a bar is; lines stay sharp at any size of paper.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPaintEngine, QPainter, QPen, QTransform

from ui.gantt.look import Hatch
from ui.gantt.rectangles import (
    HATCH_FROM,
    HATCH_FROM_HEIGHT,
    HATCH_SPACING,
    Floats,
    draw_lines,
    draw_rectangles,
    hatch_lines,
)

HATCH_PEN = 1.6
SLANTED = frozenset({Hatch.RISING, Hatch.FALLING, Hatch.CROSSED})


def fill_hatched(
    painter: QPainter,
    boxes: Floats,
    hatch: Hatch,
    ink: QColor,
    background: QColor | None = None,
    *,
    origin_x: float = 0.0,
    spacing: float = HATCH_SPACING,
    pen_width: float = HATCH_PEN,
) -> None:
    """Fill rectangles with a background and, where they are 6 px wide and 4 px high, with a pattern over it.

    `origin_x` is where the pattern begins, so that it moves with the bars when the chart is panned.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    is_patterned = (boxes[:, 2] >= HATCH_FROM) & (boxes[:, 3] >= HATCH_FROM_HEIGHT)
    if hatch is Hatch.NONE:
        is_patterned[:] = False
    wide = boxes[is_patterned]
    on_tiles = painter.paintEngine().type() == QPaintEngine.Type.Raster
    if background is not None:
        painter.setBrush(background)
        # A tile brings its own background.
        draw_rectangles(painter, boxes[~is_patterned] if on_tiles else boxes)
    if not wide.shape[0]:
        return
    if on_tiles:
        ratio = float(painter.device().devicePixelRatio())
        tile = _tile(hatch, ink.rgba(), background.rgb() if background else None, spacing, pen_width, ratio)
        brush = QBrush(tile)
        brush.setTransform(QTransform.fromScale(1 / ratio, 1 / ratio))
        painter.setBrushOrigin(QPointF(round(origin_x * ratio) / ratio % (tile.width() / ratio), 0))
        painter.setBrush(brush)
        draw_rectangles(painter, wide)
        painter.setBrushOrigin(QPointF(0, 0))
        return
    painter.setPen(_pen(hatch, ink, spacing, pen_width))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, hatch in SLANTED)
    draw_lines(painter, hatch_lines(wide, hatch, spacing))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


@lru_cache(maxsize=128)
def _tile(
    hatch: Hatch, ink: int, background: int | None, spacing: float, pen_width: float, ratio: float
) -> QImage:
    """One period of a pattern in device pixels; the period is rounded to whole ones, so that it repeats."""
    size = max(2, round(spacing * ratio))
    opaque = QImage.Format.Format_RGB32
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied if background is None else opaque)
    image.fill(QColor(0, 0, 0, 0) if background is None else QColor.fromRgb(background))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(_pen(hatch, QColor.fromRgba(ink), size, pen_width * ratio))
    around = np.array([[-1.5 * size, -1.5 * size, 4.0 * size, 4.0 * size]])
    if hatch in SLANTED:
        around = np.array([[-1.0 * size, -1.0 * size, 3.0 * size, 3.0 * size]])
    lines = hatch_lines(around, hatch, float(size))
    if hatch not in SLANTED:
        lines = lines + size / 2  # in the middle of the tile, where a line is not cut in two
    draw_lines(painter, lines)
    painter.end()
    return image


def _pen(hatch: Hatch, ink: QColor, spacing: float, width: float) -> QPen:
    pen = QPen(ink, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if hatch is Hatch.DOTS:
        pen.setDashPattern([1.0, max(0.5, spacing / width - 1.0)])
    return pen
