"""Painting what makes the delivery: a heavy outline with a filled corner, which also a black and white print shows.

Bars thinner than the outline are a dark foot; merged bars have a foot of their own, or stay where others pale.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter

from ui.gantt.rectangles import Floats, draw_rectangles

OUTLINE = 2.0
OUTLINE_FROM_WIDTH = 12.0
OUTLINE_FROM_HEIGHT = 14.0
CORNER = 10.0
SET_OFF = 1.0
CORNER_FROM_WIDTH = 16.0
FOOT_SHARE = 0.3
DENSE_ROW = 8.0
"""Rows lower than this have no room for a foot: what is not critical is paler there."""


def paint_critical(painter: QPainter, boxes: Floats, ink: QColor, paper: QColor) -> None:
    """Mark bars, given as rectangles, as critical: in ink, set off from dark fills by a line of paper.

    Filled rectangles alone: strokes cost ten times as much.
    """
    if not boxes.shape[0]:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    roomy = (boxes[:, 2] >= OUTLINE_FROM_WIDTH) & (boxes[:, 3] >= OUTLINE_FROM_HEIGHT)
    paint_feet(painter, boxes[~roomy], ink, paper)
    wide = boxes[roomy]
    cornered = wide[wide[:, 2] >= CORNER_FROM_WIDTH]
    painter.setBrush(paper)
    draw_rectangles(painter, _frames(wide, OUTLINE + SET_OFF))
    draw_rectangles(painter, _corners(cornered, CORNER + 2 * SET_OFF))
    painter.setBrush(ink)
    draw_rectangles(painter, _frames(wide, OUTLINE))
    draw_rectangles(painter, _corners(cornered, CORNER))


def paint_feet(painter: QPainter, boxes: Floats, ink: QColor, paper: QColor) -> None:
    """The lower part of bars in ink."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(paper)
    draw_rectangles(painter, set_off(feet(boxes)))
    painter.setBrush(ink)
    draw_rectangles(painter, feet(boxes))


def _frames(boxes: Floats, width: float) -> Floats:
    x, y, across, down = boxes.T
    line = np.full_like(x, width)
    return np.concatenate(
        [
            np.column_stack((x, y, across, line)),
            np.column_stack((x, y + down - width, across, line)),
            np.column_stack((x, y, line, down)),
            np.column_stack((x + across - width, y, line, down)),
        ]
    )


def _corners(boxes: Floats, size: float) -> Floats:
    """A triangle in each left upper corner, line by line."""
    x, y = boxes[:, 0], boxes[:, 1]
    one = np.ones_like(x)
    lines = [np.column_stack((x, y + down, one * (size - down), one)) for down in range(int(size))]
    return np.concatenate(lines)


def set_off(boxes: Floats) -> Floats:
    """Feet with the line of paper above them."""
    result = boxes.copy()
    result[:, 1] -= SET_OFF
    result[:, 3] += SET_OFF
    return result


def feet(boxes: Floats) -> Floats:
    """The lower part of bars, at least two pixels of it."""
    result = boxes.copy()
    height = np.minimum(np.maximum(np.floor(boxes[:, 3] * FOOT_SHARE), 2.0), boxes[:, 3])
    result[:, 1] += boxes[:, 3] - height
    result[:, 3] = height
    return result
