"""Painting what makes the delivery: a heavy outline with a filled corner, which also a black and white print shows.

Bars thinner than the outline are a dark foot; merged bars have a foot of their own, or stay where others pale.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter

from ui.gantt.rectangles import Floats, draw_rectangles

OUTLINE = 2.0
OUTLINE_FROM_WIDTH = 10.0
OUTLINE_FROM_HEIGHT = 10.0
CORNER = 8
CORNER_FROM_WIDTH = 16.0
FOOT_SHARE = 0.3
DENSE_ROW = 8.0
"""Rows lower than this have no room for a foot: what is not critical is paler there."""


def paint_critical(painter: QPainter, boxes: Floats, ink: QColor) -> None:
    """Mark bars, given as rectangles, as critical. Filled rectangles alone: strokes cost ten times as much."""
    if not boxes.shape[0]:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    roomy = (boxes[:, 2] >= OUTLINE_FROM_WIDTH) & (boxes[:, 3] >= OUTLINE_FROM_HEIGHT)
    draw_rectangles(painter, feet(boxes[~roomy]))
    wide = boxes[roomy]
    x, y, width, height = wide.T
    sides = [
        np.column_stack((x, y, width, np.full_like(x, OUTLINE))),
        np.column_stack((x, y + height - OUTLINE, width, np.full_like(x, OUTLINE))),
        np.column_stack((x, y, np.full_like(x, OUTLINE), height)),
        np.column_stack((x + width - OUTLINE, y, np.full_like(x, OUTLINE), height)),
    ]
    draw_rectangles(painter, np.concatenate(sides))
    cornered = wide[wide[:, 2] >= CORNER_FROM_WIDTH]
    x, y = cornered[:, 0], cornered[:, 1]
    steps = [
        np.column_stack((x, y + down, np.full_like(x, OUTLINE + CORNER - down), np.ones_like(x)))
        for down in range(CORNER)
    ]
    draw_rectangles(painter, np.concatenate(steps))


def feet(boxes: Floats) -> Floats:
    """The lower part of bars, at least two pixels of it."""
    result = boxes.copy()
    height = np.minimum(np.maximum(np.floor(boxes[:, 3] * FOOT_SHARE), 2.0), boxes[:, 3])
    result[:, 1] += boxes[:, 3] - height
    result[:, 3] = height
    return result
