"""The one painter of the Gantt chart: the window, PNG, SVG, PDF and paper all show what it draws.

It paints only what a view shows. Rows and bars come from the model, the rest from the look; it decides
nothing about the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ui.gantt.axis import Tick, date_ticks, elapsed_ticks
from ui.gantt.look import HATCHES, HEAD_WIDTH, HEAD_WIDTH_MOST, GanttLook, Hatch, draw_icon
from ui.gantt.model import GanttModel, GanttRow, LegendEntry, RowKind, Tone
from ui.gantt.paint_bars import (
    LABEL_FROM_ROW,
    Canvas,
    paint_exact,
    paint_hatch,
    paint_idle,
    paint_labels,
    paint_overview,
    visible_bars,
)
from ui.gantt.paint_marks import (
    paint_differences,
    paint_limit,
    paint_milestones,
    paint_selection,
    paint_step_texts,
    paint_steps,
)
from ui.gantt.pyramid import Pyramid, build_pyramid
from ui.gantt.rectangles import draw_lines, hatch_lines
from ui.gantt.view import GanttView, row_tops, rows_in

ICON = 16.0
EDGE = 10.0


@dataclass(frozen=True, slots=True)
class Painted:
    """What a picture shows: how many bars, and whether they were merged for lack of pixels."""

    bar_count: int
    is_merged: bool


def pyramid_of(model: GanttModel) -> Pyramid:
    """The model's pyramid, built once and kept with the model."""
    kept: Pyramid | None = model.__dict__.get("_pyramid")
    if kept is None:
        kept = build_pyramid(model)
        model.__dict__["_pyramid"] = kept
    return kept


def head_width(model: GanttModel, look: GanttLook) -> float:
    """Width of the row heads: what the names need, between 150 and 176 pixels at the usual font size."""
    names, uses = QFontMetricsF(look.font), QFontMetricsF(look.secondary_font())
    # Ten digits take 74 px in the font that the widths were drawn for.
    scale = max(1.0, names.horizontalAdvance("0" * 10) / 74)
    rows = [row for row in model.rows if row.kind is not RowKind.HEADING][:512]
    left = EDGE if look.for_print else 2.5 * EDGE + ICON
    need = [
        left
        + names.horizontalAdvance(row.name)
        + EDGE
        + (uses.horizontalAdvance(row.use_text) + EDGE if row.use_text else 0)
        for row in rows
    ]
    least = 100.0 if look.for_print else HEAD_WIDTH
    return round(min(HEAD_WIDTH_MOST * scale, max(least * scale, max(need, default=0))))


def chart_area(rect: QRectF, model: GanttModel, look: GanttLook) -> QRectF:
    """The part of a picture in which bars stand: below the axis, right of the heads."""
    return rect.adjusted(head_width(model, look), look.header_height(), 0, 0)


def paint_gantt(
    painter: QPainter, rect: QRectF, model: GanttModel, view: GanttView, look: GanttLook
) -> Painted:
    """Paint a view of the chart into `rect`, in device-independent pixels, and return what it shows."""
    area = chart_area(rect, model, look)
    tops = row_tops(model, view.row_height)
    first, last = rows_in(tops, view, area.height())
    ratio = float(painter.device().devicePixelRatio())
    canvas = Canvas(model, view, look, tops, first, last, area.width(), area.height(), ratio)
    ticks = _ticks(canvas)
    painter.save()
    painter.setClipRect(rect)
    painter.fillRect(rect, QColor(look.colours.surface))
    painter.translate(area.topLeft())
    painter.save()
    painter.setClipRect(QRectF(0, 0, area.width(), area.height()), Qt.ClipOperation.IntersectClip)
    painted = _paint_chart(painter, canvas, ticks)
    painter.restore()
    painter.save()
    heads = QRectF(rect.left() - area.left(), 0, rect.width(), area.height())
    painter.setClipRect(heads, Qt.ClipOperation.IntersectClip)
    _paint_heads(painter, canvas, area.left() - rect.left())
    painter.restore()
    _paint_axis(painter, canvas, ticks, area.left() - rect.left())
    painter.restore()
    return painted


def paint_legend(painter: QPainter, rect: QRectF, entries: Sequence[LegendEntry], look: GanttLook) -> float:
    """Paint a legend from the left of `rect`, as many entries as fit; return the width it took."""
    metrics = QFontMetricsF(look.secondary_font())
    painter.save()
    x, y = rect.left(), rect.center().y()
    for entry in entries:
        width = metrics.horizontalAdvance(entry.text) + 2
        if x + 23 + width > rect.right():
            break
        box = np.array([[x, y - 6.0, 16.0, 12.0]])
        if entry.colour_class == 0:
            painter.setPen(QPen(QColor(look.colours.control), 0.8))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            draw_lines(painter, hatch_lines(box, Hatch.RISING, 5.0))
        else:
            painter.fillRect(QRectF(*box[0]), QColor(look.fill(entry.colour_class)))
            paint_hatch(painter, box, HATCHES[entry.colour_class], look)
        painter.setPen(QColor(look.colours.muted))
        painter.setFont(look.secondary_font())
        area = QRectF(x + 23, rect.top(), width, rect.height())
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, entry.text)
        x += 23 + width + 16
    painter.restore()
    return x - rect.left()


def _paint_chart(painter: QPainter, canvas: Canvas, ticks: tuple[Tick, ...]) -> Painted:
    _paint_grid(painter, canvas, ticks)
    count, indexes = visible_bars(canvas)
    boxes = np.zeros((0, 4))
    if indexes is None:
        pyramid = pyramid_of(canvas.model)
        paint_overview(painter, canvas, pyramid)
        if canvas.look.show_idle:
            paint_idle(painter, canvas)
        paint_steps(painter, canvas)
    else:
        if canvas.look.show_idle:
            paint_idle(painter, canvas)
        paint_steps(painter, canvas)
        boxes = paint_exact(painter, canvas, indexes)
    paint_limit(painter, canvas)
    if indexes is not None:
        paint_labels(painter, canvas, indexes, boxes)
    paint_step_texts(painter, canvas)
    paint_milestones(painter, canvas)
    paint_differences(painter, canvas)
    paint_selection(painter, canvas)
    return Painted(count, indexes is None)


def _ticks(canvas: Canvas) -> tuple[Tick, ...]:
    look = canvas.look
    metrics = QFontMetricsF(look.secondary_font())
    if look.start is None:
        return elapsed_ticks(canvas.view, canvas.width, look.words, metrics.horizontalAdvance("0") * 9)
    hours = metrics.horizontalAdvance("00:00") * 1.9
    days = metrics.horizontalAdvance("00 Mmm 0000") + 16
    return date_ticks(canvas.view, canvas.width, look.start, look.words, (hours, days))


def _paint_grid(painter: QPainter, canvas: Canvas, ticks: tuple[Tick, ...]) -> None:
    bottom = min(canvas.height, float(canvas.tops[-1]) - canvas.view.top)
    pen = QPen(QColor(canvas.look.colours.line), 1.0)
    painter.setPen(pen)
    lines = np.array([[canvas.view.x_of(t.at_ms), 0, canvas.view.x_of(t.at_ms), bottom] for t in ticks])
    draw_lines(painter, np.floor(lines.reshape(-1, 4)) + 0.5)
    if canvas.view.row_height >= 6 and not canvas.look.for_print:
        edges = canvas.tops[canvas.first_row + 1 : canvas.last_row + 1] - canvas.view.top
        across = np.zeros((edges.size, 4))
        across[:, 1] = across[:, 3] = np.floor(edges) - 0.5
        across[:, 2] = canvas.width
        draw_lines(painter, across)
    strong = [t for t in ticks if t.above]
    painter.setPen(QPen(QColor(canvas.look.colours.control), 1.0))
    for tick in strong[1:]:
        x = np.floor(canvas.view.x_of(tick.at_ms)) + 0.5
        painter.drawLine(QPointF(x, 0), QPointF(x, bottom))


def _paint_heads(painter: QPainter, canvas: Canvas, width: float) -> None:
    look = canvas.look
    bottom = min(canvas.height, float(canvas.tops[-1]) - canvas.view.top)
    if not look.for_print:
        painter.setPen(QPen(QColor(look.colours.line), 1.0))
        painter.drawLine(QPointF(-0.5, 0), QPointF(-0.5, bottom))
    for index in range(canvas.first_row, canvas.last_row):
        row, top, height = canvas.model.rows[index], canvas.row_top(index), canvas.row_height(index)
        if row.kind is RowKind.HEADING:
            _paint_heading(painter, canvas, row, QRectF(-width, top, width + canvas.width, height))
            continue
        if height < LABEL_FROM_ROW:
            continue
        if height >= 6 and not look.for_print:
            painter.setPen(QPen(QColor(look.colours.line), 1.0))
            y = np.floor(top + height) - 0.5
            painter.drawLine(QPointF(-width, y), QPointF(0, y))
        _paint_head(painter, look, row, QRectF(-width, top, width, height))


def _paint_head(painter: QPainter, look: GanttLook, row: GanttRow, box: QRectF) -> None:
    small = box.height() < 18
    name_font = look.secondary_font() if small else look.font
    left = box.left() + (0 if look.for_print else EDGE)
    if not look.for_print:
        if box.height() >= ICON:
            icon = row.icon or row.kind.value
            draw_icon(painter, icon, left, box.center().y() - ICON / 2, QColor(look.colours.muted))
        left += ICON + 8
    right = box.right() - 8
    middle = Qt.AlignmentFlag.AlignVCenter
    if row.use_text:
        painter.setFont(look.secondary_font())
        painter.setPen(QColor(look.colours.muted))
        area = QRectF(left, box.top(), right - left, box.height())
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | middle, row.use_text)
        right -= QFontMetricsF(look.secondary_font()).horizontalAdvance(row.use_text) + 6
    painter.setFont(name_font)
    painter.setPen(QColor(look.colours.text))
    name = QFontMetricsF(name_font).elidedText(row.name, Qt.TextElideMode.ElideMiddle, right - left)
    area = QRectF(left, box.top(), right - left, box.height())
    painter.drawText(area, Qt.AlignmentFlag.AlignLeft | middle, name)


def _paint_heading(painter: QPainter, canvas: Canvas, row: GanttRow, box: QRectF) -> None:
    look = canvas.look
    painter.fillRect(box, QColor(look.colours.surface if look.for_print else look.colours.raised))
    if not look.for_print:
        painter.setPen(QPen(QColor(look.colours.line), 1.0))
        for y in (np.floor(box.top()) - 0.5, np.floor(box.bottom()) - 0.5):
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
    if box.height() < LABEL_FROM_ROW:
        return
    painter.setFont(look.strong_font())
    painter.setPen(QColor(look.colours.text))
    inner = box.adjusted(0 if look.for_print else EDGE, 0, -EDGE, 0)
    middle = Qt.AlignmentFlag.AlignVCenter
    painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | middle, row.name)
    painter.setPen(look.tone_colour(Tone.PLAIN if look.for_print else row.tone))
    painter.drawText(inner, Qt.AlignmentFlag.AlignRight | middle, row.use_text)


def _paint_axis(painter: QPainter, canvas: Canvas, ticks: tuple[Tick, ...], width: float) -> None:
    look, height = canvas.look, canvas.look.header_height()
    bar = QRectF(-width, -height, width + canvas.width, height)
    if not look.for_print:
        painter.fillRect(bar, QColor(look.colours.header))
    painter.setClipRect(bar, Qt.ClipOperation.IntersectClip)
    font = look.secondary_font()
    metrics = QFontMetricsF(font)
    two_lines = look.start is not None
    lower = QRectF(0, -height / 2, 0, height / 2) if two_lines else QRectF(0, -height, 0, height)
    taken = _paint_limit_text(painter, canvas, height)
    painter.setFont(font)
    painter.setPen(QColor(look.colours.muted))
    for tick in ticks:
        half = metrics.horizontalAdvance(tick.text) / 2 + 1
        x = min(max(canvas.view.x_of(tick.at_ms), half - width), canvas.width - half - 2)
        if two_lines or x + half + 4 < taken[0] or x - half - 4 > taken[1]:
            area = QRectF(x - half, lower.top(), 2 * half, lower.height())
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, tick.text)
    if two_lines:
        _paint_days(painter, canvas, ticks, height, taken)


def _paint_days(
    painter: QPainter, canvas: Canvas, ticks: tuple[Tick, ...], height: float, taken: tuple[float, float]
) -> None:
    """The upper line of a two-line axis; a day's text that would run into the next one is left out."""
    font = canvas.look.strong_font()
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    painter.setPen(QColor(canvas.look.colours.text))
    free = -canvas.width
    for tick in ticks:
        if not tick.above:
            continue
        need = metrics.horizontalAdvance(tick.above) + 2
        x = max(0.0, canvas.view.x_of(tick.above_ms)) + 6
        if x < free or x + need > canvas.width or (x < taken[1] + 6 and x + need > taken[0] - 6):
            continue
        area = QRectF(x, -height, need, height / 2)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, tick.above)
        free = x + need + 12


def _paint_limit_text(painter: QPainter, canvas: Canvas, height: float) -> tuple[float, float]:
    """The limit's text over its line; the pixels it takes from other texts of the axis."""
    look, limit = canvas.look, canvas.model.limit
    nowhere = (canvas.width * 2, canvas.width * 2)
    if limit is None or not 0 <= canvas.view.x_of(limit.at_ms) <= canvas.width:
        return nowhere
    font = look.secondary_font()
    font.setWeight(look.strong_font().weight())
    half = QFontMetricsF(font).horizontalAdvance(limit.text) / 2 + 1
    x = min(canvas.view.x_of(limit.at_ms), canvas.width - half - 4)
    painter.setFont(font)
    painter.setPen(QColor(look.colours.text if look.for_print else look.colours.err))
    lines = 2 if look.start else 1
    area = QRectF(x - half, -height, 2 * half, height / lines)
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, limit.text)
    return x - half, x + half
