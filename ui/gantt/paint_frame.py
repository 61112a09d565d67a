"""Painting the frame of the chart: the grid, the axis with the limit's text, the row heads and headings."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPaintEngine, QPainter, QPen, QPolygonF

from ui.gantt.axis import Tick, date_ticks, elapsed_ticks
from ui.gantt.look import GanttLook, draw_icon
from ui.gantt.model import GanttRow, RowKind, Tone
from ui.gantt.paint_bars import LABEL_FROM_ROW, Canvas
from ui.gantt.rectangles import Floats, draw_rectangles

ICON = 16.0
EDGE = 10.0
INDENT = 12.0


def ticks_of(canvas: Canvas) -> tuple[Tick, ...]:
    """The ticks of the axis, as far apart as their texts need."""
    look = canvas.look
    metrics = QFontMetricsF(look.secondary_font())
    if look.start is None:
        return elapsed_ticks(canvas.view, canvas.width, look.words, metrics.horizontalAdvance("0") * 9)
    hours = metrics.horizontalAdvance("00:00") * 1.9
    days = metrics.horizontalAdvance("00 Mmm 0000") + 16
    return date_ticks(canvas.view, canvas.width, look.start, look.words, (hours, days))


def paint_grid(painter: QPainter, canvas: Canvas, ticks: tuple[Tick, ...]) -> None:
    """Lines down at each tick, stronger at a new day, and across between rows."""
    bottom = min(canvas.height, float(canvas.tops[-1]) - canvas.view.top)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(canvas.look.colours.line))
    # As thin rectangles: the software engine strokes a line ten times slower than it fills one.
    draw_rectangles(painter, _upright([canvas.view.x_of(tick.at_ms) for tick in ticks], bottom))
    if canvas.view.row_height >= 6 and not canvas.look.for_print:
        edges = canvas.tops[canvas.first_row + 1 : canvas.last_row + 1] - canvas.view.top
        across = np.zeros((edges.size, 4))
        across[:, 1], across[:, 2], across[:, 3] = np.floor(edges) - 1.0, canvas.width, 1.0
        draw_rectangles(painter, across)
    painter.setBrush(QColor(canvas.look.colours.control))
    strong = [canvas.view.x_of(tick.at_ms) for tick in ticks if tick.above]
    draw_rectangles(painter, _upright(strong[1:], bottom))


def _upright(places: list[float], bottom: float) -> Floats:
    """Lines of one pixel down the chart, as rectangles."""
    lines = np.zeros((len(places), 4))
    lines[:, 0], lines[:, 2], lines[:, 3] = np.floor(places), 1.0, bottom
    return lines


def paint_heads(painter: QPainter, canvas: Canvas, width: float) -> None:
    """Icon, name and use of each row, and the headings over the whole width."""
    rows = canvas.model.rows
    if canvas.view.row_height >= LABEL_FROM_ROW:  # in lower rows nothing can be read but that it is a heading
        if painter.paintEngine().type() == QPaintEngine.Type.Raster:
            painter.drawImage(QPointF(-width, 0), _picture_of_heads(canvas, width))
        else:
            _paint_all_heads(painter, canvas, width)
    elif not canvas.look.for_print:
        _paint_edge(painter, canvas)
    for index in canvas.model.headings.tolist():
        if canvas.first_row <= index < canvas.last_row:
            top, height = canvas.row_top(index), canvas.row_height(index)
            _paint_heading(painter, canvas, rows[index], QRectF(-width, top, width + canvas.width, height))


def _picture_of_heads(canvas: Canvas, width: float) -> QImage:
    """The heads as a picture, kept with the model: they stay while time is panned and zoomed."""
    look, ratio, view = canvas.look, canvas.ratio, canvas.view
    key = (view.top, view.row_height, canvas.height, width, ratio)
    kept: tuple[GanttLook, tuple[float, ...], QImage] | None = canvas.model.__dict__.get("_heads")
    if kept is not None and kept[0] is look and kept[1] == key:
        return kept[2]
    size = QSize(math.ceil(width * ratio), math.ceil(canvas.height * ratio))
    picture = QImage(size, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(ratio)
    picture.fill(QColor(look.colours.surface))
    painter = QPainter(picture)
    painter.translate(width, 0)
    _paint_all_heads(painter, canvas, width)
    painter.end()
    canvas.model.__dict__["_heads"] = (look, key, picture)
    return picture


def _paint_all_heads(painter: QPainter, canvas: Canvas, width: float) -> None:
    look = canvas.look
    if not look.for_print:
        _paint_edge(painter, canvas)
    fonts = _head_fonts(look, canvas.view.row_height < 18)
    for index in range(canvas.first_row, canvas.last_row):
        row, top, height = canvas.model.rows[index], canvas.row_top(index), canvas.row_height(index)
        if row.kind is RowKind.HEADING:
            continue
        if not look.for_print:
            painter.setPen(QPen(QColor(look.colours.line), 1.0))
            y = np.floor(top + height) - 0.5
            painter.drawLine(QPointF(-width, y), QPointF(0, y))
        _paint_head(painter, look, row, QRectF(-width, top, width, height), fonts)


def _paint_edge(painter: QPainter, canvas: Canvas) -> None:
    """The line between heads and chart."""
    bottom = min(canvas.height, float(canvas.tops[-1]) - canvas.view.top)
    painter.setPen(QPen(QColor(canvas.look.colours.line), 1.0))
    painter.drawLine(QPointF(-0.5, 0), QPointF(-0.5, bottom))


@dataclass(frozen=True)
class _HeadFonts:
    """The fonts of row heads and their measures, made once a frame."""

    name: QFont
    use: QFont
    name_metrics: QFontMetricsF
    use_metrics: QFontMetricsF


def _head_fonts(look: GanttLook, is_low: bool) -> _HeadFonts:
    use = look.secondary_font()
    name = use if is_low else look.font
    return _HeadFonts(name, use, QFontMetricsF(name), QFontMetricsF(use))


def _paint_head(painter: QPainter, look: GanttLook, row: GanttRow, box: QRectF, fonts: _HeadFonts) -> None:
    left = box.left() + (0 if look.for_print else EDGE) + max(0, row.depth) * INDENT
    if not look.for_print:
        if row.kind is RowKind.FOLDED:
            _paint_fold(painter, look, left, box.center().y(), is_closed=True)
        elif box.height() >= ICON:
            icon = row.icon or row.kind.value
            draw_icon(painter, icon, left, box.center().y() - ICON / 2, QColor(look.colours.muted))
        left += ICON + 8
    right = box.right() - 8
    middle = Qt.AlignmentFlag.AlignVCenter
    if row.use_text:
        painter.setFont(fonts.use)
        painter.setPen(QColor(look.colours.muted))
        area = QRectF(left, box.top(), right - left, box.height())
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | middle, row.use_text)
        right -= fonts.use_metrics.horizontalAdvance(row.use_text) + 6
    painter.setFont(fonts.name)
    painter.setPen(QColor(look.colours.text))
    name = fonts.name_metrics.elidedText(row.name, Qt.TextElideMode.ElideMiddle, right - left)
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
    inner = box.adjusted((0 if look.for_print else EDGE) + max(0, row.depth) * INDENT, 0, -EDGE, 0)
    if row.group and not look.for_print:
        _paint_fold(painter, look, inner.left(), box.center().y(), is_closed=False)
        inner.setLeft(inner.left() + ICON + 8)
        painter.setPen(QColor(look.colours.text))
    middle = Qt.AlignmentFlag.AlignVCenter
    painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | middle, row.name)
    painter.setPen(look.tone_colour(Tone.PLAIN if look.for_print else row.tone))
    painter.drawText(inner, Qt.AlignmentFlag.AlignRight | middle, row.use_text)


def _paint_fold(painter: QPainter, look: GanttLook, left: float, middle: float, *, is_closed: bool) -> None:
    """A triangle in the place of an icon: to the right where the rows are folded away, else down."""
    x, y, size = left + ICON / 2, middle, 4.5
    corners = [QPointF(x - size, y - size / 2), QPointF(x + size, y - size / 2), QPointF(x, y + size / 2)]
    if is_closed:
        corners = [QPointF(x - size / 2, y - size), QPointF(x - size / 2, y + size), QPointF(x + size / 2, y)]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(look.colours.text))
    painter.drawPolygon(QPolygonF(corners))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def paint_axis(painter: QPainter, canvas: Canvas, ticks: tuple[Tick, ...], width: float) -> None:
    """The axis over heads and chart: one line for elapsed time, two for dates."""
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
