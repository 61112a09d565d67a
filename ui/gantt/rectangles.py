"""Numbers from numpy into QPainter without a Python object a rectangle, and the geometry of bars and hatches.

Ten thousand rectangles take about 1 ms this way; as QRectF objects they take ten times that.
"""

from __future__ import annotations

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QPainter

from ui.gantt.look import Hatch

Floats = NDArray[np.float64]
SEAM = 1.0
SEAM_FROM = 3.0
LEAST_WIDTH = 1.0
HATCH_SPACING = 6.0
HATCH_FROM = 6.0
HATCH_FROM_HEIGHT = 4.0


def draw_rectangles(painter: QPainter, rectangles: Floats) -> None:
    """Draw rows of (x, y, width, height) with the painter's pen and brush, in one call."""
    block = np.ascontiguousarray(rectangles, dtype=np.float64)
    if block.shape[0]:
        # WORKAROUND: PySide 6.4.3 and later read `count` rectangles from where the first lies; the address
        # of our own block (kept alive by `block` until the call returns) saves making the objects.
        first = shiboken6.wrapInstance(block.ctypes.data, QRectF)
        painter.drawRects(first, block.shape[0])  # type: ignore[call-overload]  # see the workaround


def draw_lines(painter: QPainter, lines: Floats) -> None:
    """Draw rows of (x1, y1, x2, y2) with the painter's pen, in one call."""
    block = np.ascontiguousarray(lines, dtype=np.float64)
    if block.shape[0]:
        first = shiboken6.wrapInstance(block.ctypes.data, QLineF)
        painter.drawLines(first, block.shape[0])  # type: ignore[call-overload]  # as above


def bar_rectangles(
    left: Floats, right: Floats, top: Floats, height: Floats | float, clip: tuple[float, float], ratio: float
) -> Floats:
    """Rectangles of bars from their edges in device-independent pixels, as (x, y, width, height).

    Edges are clipped to the view and 2 px beyond, so that no coordinate is huge; edges fall on whole device
    pixels (`ratio` of them a pixel), so that equal bars look equal; no bar is thinner than a pixel; bars
    wider than 3 px leave a seam of one pixel to the next.
    """
    low, high = clip
    x0 = np.clip(left, low - 2.0, high + 2.0)
    x1 = np.clip(right, low - 2.0, high + 2.0)
    x0 = np.floor(x0 * ratio + 0.5) / ratio
    x1 = np.floor(x1 * ratio + 0.5) / ratio
    width = x1 - x0
    width = np.where(width > SEAM_FROM, width - SEAM, np.maximum(width, LEAST_WIDTH))
    result = np.empty((x0.size, 4))
    result[:, 0], result[:, 1], result[:, 2], result[:, 3] = x0, top, width, height
    return result


def hatch_lines(rectangles: Floats, hatch: Hatch, spacing: float = HATCH_SPACING) -> Floats:
    """Lines of a pattern inside rectangles, clipped to them; the pattern runs on from one to the next."""
    wide = rectangles[(rectangles[:, 2] >= HATCH_FROM) & (rectangles[:, 3] >= HATCH_FROM_HEIGHT)]
    if hatch is Hatch.NONE or not wide.shape[0]:
        return np.zeros((0, 4))
    if hatch is Hatch.CROSSED:
        pair = hatch_lines(wide, Hatch.RISING, spacing), hatch_lines(wide, Hatch.FALLING, spacing)
        return np.concatenate(pair)
    x0, y0 = wide[:, 0], wide[:, 1]
    x1, y1 = x0 + wide[:, 2], y0 + wide[:, 3]
    if hatch is Hatch.HORIZONTAL:
        which, level = _levels(y0 + 1.0, y1 - 1.0, spacing)
        return np.column_stack((x0[which], level, x1[which], level))
    if hatch in (Hatch.VERTICAL, Hatch.DOTS):
        which, level = _levels(x0 + 1.0, x1 - 1.0, spacing)
        return np.column_stack((level, y0[which], level, y1[which]))
    if hatch is Hatch.RISING:  # x + y = level
        which, level = _levels(x0 + y0, x1 + y1, spacing)
        upper = np.maximum(y0[which], level - x1[which])
        lower = np.minimum(y1[which], level - x0[which])
        return np.column_stack((level - lower, lower, level - upper, upper))
    which, level = _levels(x0 - y1, x1 - y0, spacing)  # x - y = level
    upper = np.maximum(y0[which], x0[which] - level)
    lower = np.minimum(y1[which], x1[which] - level)
    return np.column_stack((level + upper, upper, level + lower, lower))


def _levels(low: Floats, high: Floats, spacing: float) -> tuple[NDArray[np.int64], Floats]:
    """For each range the multiples of `spacing` inside it: (which range, level)."""
    first = np.ceil(low / spacing).astype(np.int64)
    counts = np.maximum(np.floor(high / spacing).astype(np.int64) - first + 1, 0)
    which = np.repeat(np.arange(low.size), counts)
    before = np.cumsum(counts) - counts
    numbers = np.arange(int(counts.sum())) - np.repeat(before, counts) + first[which]
    return which, numbers * spacing
