"""Painting what stands beside the bars: milestones, differences, resources, the limit, the selection."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from ui.gantt.look import ink_on
from ui.gantt.model import Int64, ResourceSteps
from ui.gantt.paint_bars import LABEL_FROM_ROW, LABEL_GAP, Canvas, draw_on_plate, fill_class
from ui.gantt.paint_critical import paint_feet
from ui.gantt.rectangles import Floats, bar_rectangles

DIAMOND = 8.0
SELECTION_WIDTH = 2.0
STEPS_A_PIXEL = 16


def paint_milestones(painter: QPainter, canvas: Canvas) -> None:
    """A diamond at each milestone, its text to the right, or to the left where the right has no room."""
    colour = QColor(canvas.look.colours.text)
    metrics = QFontMetricsF(canvas.look.secondary_font())
    painter.setFont(canvas.look.secondary_font())
    for milestone in canvas.model.milestones:
        x = canvas.view.x_of(milestone.at_ms)
        if (
            not canvas.first_row <= milestone.row < canvas.last_row
            or not -DIAMOND <= x <= canvas.width + DIAMOND
        ):
            continue
        top, height = canvas.row_top(milestone.row), canvas.row_height(milestone.row)
        y, size = top + height / 2, min(DIAMOND, height / 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        corners = [QPointF(x, y - size), QPointF(x + size, y), QPointF(x, y + size), QPointF(x - size, y)]
        painter.drawPolygon(QPolygonF(corners))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if height < LABEL_FROM_ROW:
            continue
        need = metrics.horizontalAdvance(milestone.text) + 2
        away = size + LABEL_GAP - 2
        if x + away + need <= canvas.width:
            box, side = QRectF(x + away, top, need, height), Qt.AlignmentFlag.AlignLeft
        else:
            box, side = QRectF(x - away - need, top, need, height), Qt.AlignmentFlag.AlignRight
        plate = QColor(canvas.look.colours.surface)  # so that no line of time runs through the text
        draw_on_plate(painter, box, milestone.text, plate, colour, side, metrics)


def paint_differences(painter: QPainter, canvas: Canvas) -> None:
    """Arrows between two moments with their text in the middle, where it fits between the ends."""
    metrics = QFontMetricsF(canvas.look.strong_font())
    for difference in canvas.model.differences:
        if not canvas.first_row <= difference.row < canvas.last_row:
            continue
        x0, x1 = canvas.view.x_of(difference.from_ms), canvas.view.x_of(difference.to_ms)
        y = canvas.row_top(difference.row) + canvas.row_height(difference.row) / 2
        # The text of a milestone at the arrow's head keeps its place.
        for milestone in canvas.model.milestones:
            if milestone.row == difference.row and milestone.at_ms == difference.to_ms:
                plain = QFontMetricsF(canvas.look.secondary_font())
                x1 += DIAMOND + 2 * LABEL_GAP + plain.horizontalAdvance(milestone.text)
        width = metrics.horizontalAdvance(difference.text) + 12
        if abs(x0 - x1) < width + 24 or (x1 > x0) != (difference.to_ms > difference.from_ms):
            continue
        colour = canvas.look.tone_colour(difference.tone)
        painter.setPen(QPen(colour, 1.4))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        middle = (x0 + x1) / 2
        inward = 1.0 if x0 > x1 else -1.0
        painter.drawLine(QPointF(x0, y), QPointF(middle + inward * width / 2, y))
        painter.drawLine(QPointF(middle - inward * width / 2, y), QPointF(x1, y))
        painter.drawLine(QPointF(x0, y - 5), QPointF(x0, y + 5))
        painter.drawLine(QPointF(x1 + inward * 6, y - 4), QPointF(x1, y))
        painter.drawLine(QPointF(x1 + inward * 6, y + 4), QPointF(x1, y))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setFont(canvas.look.strong_font())
        box = QRectF(middle - width / 2, y - 12, width, 24)
        # The limit may run through it.
        painter.fillRect(box.adjusted(2, 3, -2, -3), QColor(canvas.look.colours.surface))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, difference.text)


def paint_steps(painter: QPainter, canvas: Canvas) -> None:
    """Use of shared resources as steps against a line at their capacity."""
    for steps in canvas.model.steps:
        if canvas.first_row <= steps.row < canvas.last_row:
            _paint_resource(painter, canvas, steps)


def paint_step_texts(painter: QPainter, canvas: Canvas) -> None:
    """What the steps say: over the use, and at the right under the line of the capacity."""
    for steps in canvas.model.steps:
        tall_enough = canvas.view.row_height >= LABEL_FROM_ROW * (2 if steps.is_limit else 1)
        if tall_enough and canvas.first_row <= steps.row < canvas.last_row:
            _paint_resource_texts(painter, canvas, steps)


def step_boxes(canvas: Canvas, steps: ResourceSteps, upper: float, lower: float) -> Floats:
    """Rectangles of the steps that show. Steps thinner than a pixel keep their highest: no peak is lost."""
    times, used = steps.times_ms, steps.used
    first = max(0, int(np.searchsorted(times, canvas.from_ms, side="right")) - 1)
    last = min(used.size, int(np.searchsorted(times, canvas.to_ms, side="left")))
    if first >= last:
        return np.zeros((0, 4))
    values, moments = used[first:last], times[first : last + 1].astype(np.float64)
    if values.size > STEPS_A_PIXEL * canvas.width:
        values, moments = _peaks_in(canvas, steps)
    edges = np.clip((moments - canvas.view.offset_ms) / canvas.view.ms_per_pixel, -2, canvas.width + 2)
    left, end = edges[:-1], float(edges[-1])
    if values.size > canvas.width:
        pixel = np.floor(left)
        starts = np.flatnonzero(np.concatenate(([True], pixel[1:] != pixel[:-1])))
        values, left = np.maximum.reduceat(values, starts), pixel[starts]
    right = np.append(left[1:], end)
    heights = values / max(steps.capacity, steps.highest, 1e-12) * (lower - upper)
    boxes = np.column_stack((left, lower - heights, np.maximum(right - left, 1.0), heights))
    return boxes[values > 0]


def _peaks_in(canvas: Canvas, steps: ResourceSteps) -> tuple[Floats, Floats]:
    """The peaks of the bins that show, and their edges in ms: of bins of a pixel and more, or the finest."""
    levels, bin_ms = steps.peaks
    level = 0
    while level + 1 < len(levels) and bin_ms < canvas.view.ms_per_pixel:
        level, bin_ms = level + 1, bin_ms * 2
    start = int(steps.times_ms[0])
    first = max(0, int((canvas.from_ms - start) // bin_ms))
    last = min(levels[level].size, int((canvas.to_ms - start) // bin_ms) + 1)
    return levels[level][first:last], start + np.arange(first, last + 1) * np.float64(bin_ms)


def _paint_resource(painter: QPainter, canvas: Canvas, steps: ResourceSteps) -> None:
    look = canvas.look
    top, height = canvas.row_top(steps.row), canvas.row_height(steps.row)
    upper, lower = top + min(6.0, height * 0.2), top + height - 2
    boxes = step_boxes(canvas, steps, upper, lower)
    fill_class(painter, boxes, steps.colour_class, look, canvas.view.x_of(0))
    line = lower - steps.capacity / max(steps.capacity, steps.highest, 1e-12) * (lower - upper)
    limit = QPen(QColor(look.colours.err), 1.6)
    painter.setPen(limit if steps.is_limit else QPen(QColor(look.colours.control), 1.0))
    left, right = 0.0, canvas.width
    if not steps.is_limit:
        left = min(max(left, canvas.view.x_of(0)), right)
        right = max(left, min(right, canvas.view.x_of(float(steps.times_ms[-1]))))
    painter.drawLine(QPointF(left, line), QPointF(right, line))
    if steps.critical is not None and look.show_critical:
        _paint_critical_stretches(painter, canvas, steps.critical, upper, lower)


def _paint_critical_stretches(
    painter: QPainter, canvas: Canvas, stretches: tuple[Int64, Int64], upper: float, lower: float
) -> None:
    """A foot under the use of a folded group while something critical runs in it."""
    start, end = stretches
    first = int(np.searchsorted(end, canvas.from_ms, side="right"))
    last = int(np.searchsorted(start, canvas.to_ms, side="left"))
    left = (start[first:last] - canvas.view.offset_ms) / np.float64(canvas.view.ms_per_pixel)
    right = (end[first:last] - canvas.view.offset_ms) / np.float64(canvas.view.ms_per_pixel)
    low = np.full(left.size, upper)
    boxes = bar_rectangles(left, right, low, lower - upper, (0.0, canvas.width), canvas.ratio)
    paint_feet(painter, boxes, QColor(canvas.look.colours.text), QColor(canvas.look.colours.surface))


def _paint_resource_texts(painter: QPainter, canvas: Canvas, steps: ResourceSteps) -> None:
    look = canvas.look
    top, height = canvas.row_top(steps.row), canvas.row_height(steps.row)
    upper, lower = top + 6, top + height - 2
    boxes = step_boxes(canvas, steps, upper, lower)
    painter.setFont(look.secondary_font())
    if steps.text and boxes.shape[0]:
        left = max(0.0, float(boxes[0, 0]))
        right = min(canvas.width, float(boxes[-1, 0] + boxes[-1, 2]))
        box = QRectF(left + 8, upper, max(0.0, right - left - 16), lower - upper)
        fill = QColor(look.fill(steps.colour_class))
        draw_on_plate(painter, box, steps.text, fill, ink_on(fill), Qt.AlignmentFlag.AlignHCenter)
    if steps.capacity_text:
        box = QRectF(8, top, canvas.width - 16, height)
        if steps.is_limit:
            box = QRectF(8, upper, canvas.width - 16, lower - upper)
        plate, ink = QColor(look.colours.surface), QColor(look.colours.text)
        draw_on_plate(painter, box, steps.capacity_text, plate, ink, Qt.AlignmentFlag.AlignRight)


def paint_limit(painter: QPainter, canvas: Canvas) -> None:
    """The customer's limit as a dashed line down the chart."""
    limit = canvas.model.limit
    if limit is None:
        return
    x = canvas.view.x_of(limit.at_ms)
    if 0 <= x <= canvas.width:
        colour = canvas.look.colours.text if canvas.look.for_print else canvas.look.colours.err
        pen = QPen(QColor(colour), 2.4 if limit.late else 1.8)
        pen.setDashPattern([3.0, 2.0])
        painter.setPen(pen)
        bottom = min(canvas.height, float(canvas.tops[-1]) - canvas.view.top)
        painter.drawLine(QPointF(x, 0), QPointF(x, bottom))


def paint_selection(painter: QPainter, canvas: Canvas) -> None:
    """An outline around the selected bar, with an edge in the background's colour: it shows on any fill.

    A folded group that has the focus has one around its row.
    """
    if canvas.view.row is not None and canvas.first_row <= canvas.view.row < canvas.last_row:
        row = canvas.view.row
        top, height = canvas.row_top(row), canvas.row_height(row)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(canvas.look.colours.accent), SELECTION_WIDTH))
        painter.drawRect(QRectF(1, top + 1, canvas.width - 2, height - 3))
    index = canvas.view.selected
    bars = canvas.model.bars
    if index is None or not 0 <= index < bars.count:
        return
    if not canvas.first_row <= bars.row[index] < canvas.last_row:
        return
    one = slice(index, index + 1)
    box = canvas.rectangles(bars.row[one], bars.start_ms[one], bars.end_ms[one])[0]
    outline = QRectF(box[0] - 0.5, box[1] - 0.5, box[2] + 1, box[3] + 1)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(canvas.look.colours.surface), SELECTION_WIDTH + 2))
    painter.drawRect(outline)
    painter.setPen(QPen(QColor(canvas.look.colours.accent), SELECTION_WIDTH))
    painter.drawRect(outline.adjusted(-1, -1, 1, 1))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
