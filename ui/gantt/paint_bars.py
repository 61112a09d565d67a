"""Painting the bars: one by one while they are few, from the pyramid when they are many; their labels.

Everything is painted in device-independent pixels counted from the chart's left upper corner, so that no
coordinate is ever a large number of milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPaintEngine, QPainter, QPen

from ui.gantt.hatching import fill_hatched
from ui.gantt.look import HATCHES, GanttLook, Hatch, ink_on
from ui.gantt.model import BarFlag, GanttModel
from ui.gantt.paint_critical import DENSE_ROW, feet, paint_critical, set_off
from ui.gantt.pyramid import FULL, PROBLEM_BIT, Bins, Pyramid, critical_bins_of
from ui.gantt.rectangles import Floats, bar_rectangles, draw_rectangles
from ui.gantt.view import GanttView

EXACT_BARS = 15_000
MOST_LABELS = 150
MOST_MARKED = 5_000
LABEL_FROM_WIDTH = 14.0
LABEL_FROM_ROW = 11.0
IDLE_FROM_WIDTH = 6.0
CLOSED_FROM_WIDTH = 2.0
LABEL_GAP = 7.0
PALE = 0.35
APART_FROM = 4.0
FEW_ROWS = 24
LEAST_ELIDED = 3.0
"""A name cut to less than this many characters says nothing."""


@dataclass(frozen=True, eq=False)
class Canvas:
    """What every part of the painter needs: where rows stand, how large the chart is, how fine the device."""

    model: GanttModel
    view: GanttView
    look: GanttLook
    tops: NDArray[np.float64]
    first_row: int
    last_row: int
    width: float
    height: float
    ratio: float

    @property
    def from_ms(self) -> float:
        return self.view.offset_ms

    @property
    def to_ms(self) -> float:
        return self.view.time_at(self.width)

    def row_top(self, row: int) -> float:
        """Upper edge of a row in the chart."""
        return float(self.tops[row]) - self.view.top

    def row_height(self, row: int) -> float:
        return float(self.tops[row + 1] - self.tops[row])

    def bar_edges(self, rows: NDArray[np.int32]) -> tuple[Floats, Floats]:
        """Upper edge and height of the bars in rows: a third of a tall row is air, a low row has a seam."""
        tops = self.tops[rows] - self.view.top
        heights = self.tops[rows + 1] - self.tops[rows]
        air = np.where(heights >= 18, np.round(heights * 0.17), np.where(heights >= 4, 0.5, 0.0))
        upper = np.floor((tops + air) * self.ratio + 0.5) / self.ratio
        lower = np.floor((tops + heights - air) * self.ratio + 0.5) / self.ratio
        return upper, np.maximum(lower - upper, 1 / self.ratio)

    def rectangles(
        self, rows: NDArray[np.int32], start_ms: NDArray[np.int64], end_ms: NDArray[np.int64]
    ) -> Floats:
        """Rectangles of spans in the chart; see `bar_rectangles`."""
        upper, heights = self.bar_edges(rows)
        left: Floats = (start_ms - self.view.offset_ms) / np.float64(self.view.ms_per_pixel)
        right: Floats = (end_ms - self.view.offset_ms) / np.float64(self.view.ms_per_pixel)
        return bar_rectangles(left, right, upper, heights, (0.0, self.width), self.ratio)


def visible_bars(canvas: Canvas) -> tuple[int, NDArray[np.int64] | None]:
    """How many bars show, and their indexes unless they are too many to draw one by one."""
    bars = canvas.model.bars
    first, last = bars.ranges(canvas.first_row, canvas.last_row, canvas.from_ms, canvas.to_ms)
    count = int((last - first).sum())
    if count > EXACT_BARS:
        return count, None
    return count, bars.window(canvas.first_row, canvas.last_row, canvas.from_ms, canvas.to_ms)


def paint_idle(painter: QPainter, canvas: Canvas, least_width: float = IDLE_FROM_WIDTH) -> None:
    """Unused time of cards as thin diagonal lines without a fill, set-up as dots, with its length or reason."""
    idle = canvas.model.idle
    if not idle.count:
        return
    indexes = idle.window(canvas.first_row, canvas.last_row, canvas.from_ms, canvas.to_ms)
    if not canvas.look.show_idle:  # a set-up is no waste: it shows all the same
        indexes = indexes[canvas.model.is_setup[indexes]]
    if not indexes.size:
        return
    boxes = canvas.rectangles(idle.row[indexes], idle.start_ms[indexes], idle.end_ms[indexes])
    wide = np.flatnonzero(boxes[:, 2] >= least_width)[:MOST_MARKED]
    indexes, boxes = indexes[wide], boxes[wide]
    fill_idle(painter, boxes[~canvas.model.is_setup[indexes]], canvas.look, canvas.view.x_of(0))
    fill_setup(painter, boxes[canvas.model.is_setup[indexes]], canvas.look, canvas.view.x_of(0))
    painter.setFont(canvas.look.secondary_font())
    metrics = QFontMetricsF(canvas.look.secondary_font())
    plate, ink = QColor(canvas.look.colours.surface), QColor(canvas.look.colours.text)
    roomy = np.flatnonzero((boxes[:, 2] > 60) & (boxes[:, 3] >= LABEL_FROM_ROW))[:MOST_LABELS]
    for index, box in zip(indexes[roomy], boxes[roomy], strict=True):
        text = canvas.model.idle_text(int(index))
        if text:
            shown = _visible(box, canvas.width).adjusted(6, 0, -6, 0)
            draw_on_plate(painter, shown, text, plate, ink, Qt.AlignmentFlag.AlignRight, metrics)


def paint_closed(painter: QPainter, canvas: Canvas) -> None:
    """Time in which nothing may run under everything else."""
    closed = canvas.model.closed
    if not closed.count:
        return
    indexes = closed.window(canvas.first_row, canvas.last_row, canvas.from_ms, canvas.to_ms)
    boxes = canvas.rectangles(closed.row[indexes], closed.start_ms[indexes], closed.end_ms[indexes])
    fill_closed(
        painter, boxes[boxes[:, 2] >= CLOSED_FROM_WIDTH][:MOST_MARKED], canvas.look, canvas.view.x_of(0)
    )


def fill_closed(painter: QPainter, boxes: Floats, look: GanttLook, origin_x: float = 0.0) -> None:
    """Rectangles as closed time: thin upright lines on no fill, which no bar and no unused time has."""
    ink = QColor(look.colours.control)
    fill_hatched(painter, boxes, Hatch.VERTICAL, ink, origin_x=origin_x, spacing=4.0, pen_width=0.8)


def fill_idle(painter: QPainter, boxes: Floats, look: GanttLook, origin_x: float = 0.0) -> None:
    """Rectangles as unused time."""
    ink = QColor(look.colours.control)
    fill_hatched(painter, boxes, Hatch.RISING, ink, origin_x=origin_x, spacing=5.0, pen_width=0.8)


def fill_setup(painter: QPainter, boxes: Floats, look: GanttLook, origin_x: float = 0.0) -> None:
    """Rectangles as time in which a card is set up."""
    ink = QColor(look.colours.muted)
    fill_hatched(painter, boxes, Hatch.CROSSED, ink, origin_x=origin_x, spacing=5.0, pen_width=1.0)


def paint_exact(painter: QPainter, canvas: Canvas, indexes: NDArray[np.int64]) -> Floats:
    """Every visible bar as its own rectangle, one call a colour class; returns the rectangles."""
    model, look = canvas.model, canvas.look
    boxes = canvas.rectangles(
        model.bars.row[indexes], model.bars.start_ms[indexes], model.bars.end_ms[indexes]
    )
    classes = model.colour_class[indexes]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for class_no in np.flatnonzero(np.bincount(classes)):
        chosen = boxes[classes == class_no]
        fill_class(painter, chosen, int(class_no), look, canvas.view.x_of(0))
    _paint_marks(painter, canvas, boxes, model.flags[indexes])
    return boxes


def fill_class(
    painter: QPainter, boxes: Floats, class_no: int, look: GanttLook, origin_x: float = 0.0
) -> None:
    """Rectangles in the fill and the pattern of a colour class."""
    fill = QColor(look.fill(class_no))
    fill_hatched(painter, boxes, HATCHES[class_no], look.hatch_colour(), fill, origin_x=origin_x)


def paint_overview(painter: QPainter, canvas: Canvas, pyramid: Pyramid) -> None:
    """Bars thinner than a pixel as one picture from the pyramid, every problem at least three pixels wide."""
    level, bin_ms = pyramid.level_for(canvas.view.ms_per_pixel)
    bins = pyramid.levels[level]
    first_bin = max(0, int(canvas.from_ms // bin_ms))
    last_bin = min(bins.shape[1], int(canvas.to_ms // bin_ms) + 1)
    if first_bin >= last_bin:
        return
    left = canvas.view.x_of(first_bin * bin_ms)
    width = (last_bin - first_bin) * bin_ms / canvas.view.ms_per_pixel
    look = canvas.look
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    marks = critical_bins_of(canvas.model) if look.show_critical and canvas.model.has_critical else None
    for first, last in _even_rows(canvas):
        part = np.ascontiguousarray(bins[first:last, first_bin:last_bin])
        if canvas.model.has_problems:
            part = _with_wide_problems(part)
        upper, heights = canvas.bar_edges(np.arange(first, last, dtype=np.int32))
        place = _Place(left, width, upper, heights, canvas.row_height(first) >= APART_FROM)
        is_dense = canvas.row_height(first) < DENSE_ROW
        share = PALE if marks is not None and is_dense else 1.0
        colours = _overview_colours(look.colours.charts, look.colours.err, share)
        _draw_bins(painter, part, colours, place)
        if marks is None:
            continue
        bits = marks.cut(level, slice(first, last), first_bin, last_bin)
        if is_dense:
            full = _overview_colours(look.colours.charts, look.colours.err, 1.0)
            _draw_bins(painter, part * bits, full, place)
        else:
            lines = feet(np.column_stack((upper, upper, heights, heights)))
            for colour, drawn in ((look.colours.surface, set_off(lines)), (look.colours.text, lines)):
                where = replace(place, upper=drawn[:, 1], heights=drawn[:, 3])
                _draw_bins(painter, bits, (0, QColor(colour).rgba()), where)


@dataclass(frozen=True, eq=False)
class _Place:
    """Where rows of bins go: between two times, each row at its edges, or all in one where rows are low."""

    left: float
    width: float
    upper: Floats
    heights: Floats
    is_apart: bool


def _draw_bins(painter: QPainter, bins: Bins, colours: Sequence[int], place: _Place) -> None:
    upper, heights = place.upper, place.heights
    target = QRectF(place.left, upper[0], place.width, upper[-1] + heights[-1] - upper[0])
    if not place.is_apart:
        painter.drawImage(target, _picture(bins, colours))
    elif bins.shape[0] > FEW_ROWS and painter.paintEngine().type() == QPaintEngine.Type.Raster:
        _draw_at_once(painter, bins, colours, place)
    else:
        for line in range(bins.shape[0]):
            # A picture a row: the SVG engine ignores the source rectangle.
            own = QRectF(place.left, upper[line], place.width, heights[line])
            painter.drawImage(own, _picture(bins[line : line + 1], colours))


def _draw_at_once(painter: QPainter, bins: Bins, colours: Sequence[int], place: _Place) -> None:
    """Draw rows with the air between them as one picture in device pixels.

    A call a row, or a picture that Qt has to stretch, takes twice as long as bringing it to its size here.
    """
    ratio, upper, heights = float(painter.device().devicePixelRatio()), place.upper, place.heights
    bottom = float(upper[-1] + heights[-1])
    middles = upper[0] + (np.arange(round((bottom - upper[0]) * ratio)) + 0.5) / ratio
    line = np.searchsorted(upper, middles, side="right") - 1
    line[middles >= upper[line] + heights[line]] = bins.shape[0]
    # The bins reach a little beyond the chart on both sides.
    clip = painter.clipBoundingRect()
    left = np.floor(max(place.left, clip.left()) * ratio) / ratio
    right = min(place.left + place.width, clip.right())
    across = left + (np.arange(max(1, int(np.ceil((right - left) * ratio)))) + 0.5) / ratio
    column = ((across - place.left) * (bins.shape[1] / place.width)).astype(np.int64)
    nothing = np.zeros((1, column.size), dtype=np.uint8)
    small = _picture(np.concatenate((bins[:, np.clip(column, 0, bins.shape[1] - 1)], nothing)), colours)
    pixels = np.frombuffer(small.constBits(), dtype=np.uint32).reshape(bins.shape[0] + 1, column.size)
    tall = pixels[line]
    # It only borrows the memory of `tall`, which lives until it is drawn.
    picture = QImage(
        tall.data, column.size, line.size, 4 * column.size, QImage.Format.Format_ARGB32_Premultiplied
    )
    picture.setDevicePixelRatio(ratio)
    painter.drawImage(QPointF(left, upper[0]), picture)


def _picture(bins: Bins, colours: Sequence[int]) -> QImage:
    """The bins in their colours, in a format that is drawn at once."""
    block = np.ascontiguousarray(bins)
    # This picture only borrows the memory of `block`; the one returned has its own.
    size = (block.shape[1], block.shape[0], block.strides[0])
    coded = QImage(block.data, *size, QImage.Format.Format_Indexed8)
    coded.setColorTable(colours)
    return coded.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)


def paint_labels(painter: QPainter, canvas: Canvas, indexes: NDArray[np.int64], boxes: Floats) -> None:
    """Names of the widest bars, inside plain fills and beside hatched ones, at the part that shows."""
    if canvas.view.row_height < LABEL_FROM_ROW or not indexes.size:
        return
    model, look = canvas.model, canvas.look
    hatched = np.array([HATCHES[c] is not Hatch.NONE for c in range(1, 8)])
    beside = hatched[model.colour_class[indexes] - 1]
    has_room = (boxes[:, 2] >= 34.0) | (_gaps_after(canvas, indexes) >= 24.0)
    wanted = np.where(beside, (boxes[:, 2] >= 4.0) & has_room, boxes[:, 2] >= LABEL_FROM_WIDTH)
    wanted = np.flatnonzero(wanted)
    wanted = wanted[np.argsort(-boxes[wanted, 2], kind="stable")][:MOST_LABELS]
    font = look.secondary_font()
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    for position in wanted:
        index = int(indexes[position])
        text = model.label(index)
        if not text:
            continue
        box = _visible(boxes[position], canvas.width)
        if beside[position]:
            _label_hatched(painter, canvas, index, box, text, metrics)
        else:
            fill = QColor(look.fill(int(model.colour_class[index])))
            _label_inside(painter, box, text, metrics, ink_on(fill))


def _gaps_after(canvas: Canvas, indexes: NDArray[np.int64]) -> Floats:
    """Pixels between each bar and the next of its row; as good as endless after the last one."""
    bars = canvas.model.bars
    following = np.minimum(indexes + 1, bars.count - 1)
    gaps: Floats = (bars.start_ms[following] - bars.end_ms[indexes]) / np.float64(canvas.view.ms_per_pixel)
    is_last = (following == indexes) | (bars.row[following] != bars.row[indexes])
    return np.where(is_last, np.inf, gaps)


def draw_on_plate(
    painter: QPainter,
    box: QRectF,
    text: str,
    plate: QColor,
    ink: QColor,
    align: Qt.AlignmentFlag,
    metrics: QFontMetricsF | None = None,
) -> None:
    """Text over a pattern, cut to the box, on a plate of one colour that keeps it readable.

    `metrics` are those of the painter's font, for whoever has them already.
    """
    metrics = metrics or QFontMetricsF(painter.font())
    width = metrics.horizontalAdvance(text)
    if width > box.width():
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        width = metrics.horizontalAdvance(text)
    share = {Qt.AlignmentFlag.AlignRight: 1.0, Qt.AlignmentFlag.AlignHCenter: 0.5}.get(align, 0.0)
    left = box.left() + (box.width() - width) * share
    height = min(box.height(), metrics.height())
    area = QRectF(left, box.center().y() - height / 2, width, height)
    painter.fillRect(area.adjusted(-3, 0, 3, 0), plate)
    painter.setPen(ink)
    painter.drawText(area.adjusted(0, 0, 2, 0), Qt.AlignmentFlag.AlignVCenter, text)


def _label_inside(painter: QPainter, box: QRectF, text: str, metrics: QFontMetricsF, ink: QColor) -> None:
    room = box.width() - 6
    if metrics.horizontalAdvance(text) > room:
        number = text.rpartition(" ")[2]
        if number[:1].isdigit() and metrics.horizontalAdvance(number) <= room:
            text = number  # tasks of a stage differ by their numbers, which an elided name would lose
        elif room < LEAST_ELIDED * metrics.averageCharWidth():
            return
        else:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
            if len(text) < 4:
                return
    painter.setPen(ink)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _label_hatched(
    painter: QPainter, canvas: Canvas, index: int, box: QRectF, text: str, metrics: QFontMetricsF
) -> None:
    """Beside the bar where that is clear, else on it, else beside it on a plate; nowhere without room."""
    need = metrics.horizontalAdvance(text) + 2 * LABEL_GAP
    row, colours = int(canvas.model.bars.row[index]), canvas.look.colours
    places = _places_beside(canvas, index, box, need)
    for area, side in places:
        if not _is_crossed(canvas, row, area):
            painter.setPen(QColor(colours.text))
            painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter, text)
            return
    if need <= box.width():
        fill = QColor(canvas.look.fill(int(canvas.model.colour_class[index])))
        draw_on_plate(painter, box, text, fill, ink_on(fill), Qt.AlignmentFlag.AlignHCenter, metrics)
    elif places:
        area, side = places[0]
        draw_on_plate(painter, area, text, QColor(colours.surface), QColor(colours.text), side, metrics)


def _places_beside(
    canvas: Canvas, index: int, box: QRectF, need: float
) -> list[tuple[QRectF, Qt.AlignmentFlag]]:
    """Right of a bar, or left of the last one of a row, if the neighbours leave the room."""
    bars, view = canvas.model.bars, canvas.view
    row, left_end = bars.row[index], 0.0
    if index > 0 and bars.row[index - 1] == row:
        left_end = max(left_end, view.x_of(float(bars.end_ms[index - 1])))
    is_last = index + 1 == bars.count or bars.row[index + 1] != row
    right_end = canvas.width if is_last else min(canvas.width, view.x_of(float(bars.start_ms[index + 1])))
    places = []
    if right_end - box.right() >= need:
        area = QRectF(box.right() + LABEL_GAP, box.top(), need - LABEL_GAP, box.height())
        places.append((area, Qt.AlignmentFlag.AlignLeft))
    if is_last and box.left() - left_end >= need:
        area = QRectF(box.left() - need, box.top(), need - LABEL_GAP, box.height())
        places.append((area, Qt.AlignmentFlag.AlignRight))
    return places


def _is_crossed(canvas: Canvas, row: int, area: QRectF) -> bool:
    """Whether the limit's line or the lines of unused time run through an area."""
    limit, view = canvas.model.limit, canvas.view
    if limit is not None and area.left() <= view.x_of(limit.at_ms) <= area.right():
        return True
    reach = area.width() / 2 * view.ms_per_pixel
    if not canvas.look.show_idle:
        return False
    return canvas.model.idle.at(row, view.time_at(area.center().x()), reach) is not None


def _visible(box: Floats, width: float) -> QRectF:
    left, right = max(0.0, float(box[0])), min(width, float(box[0] + box[2]))
    return QRectF(left, float(box[1]), max(0.0, right - left), float(box[3]))


def _with_wide_problems(bins: Bins) -> Bins:
    """The bins with each problem one bin wider on both sides: at least three pixels, however many there are."""
    wrong = bins & np.uint8(PROBLEM_BIT)
    wide = bins.copy()
    wide[:, 1:] |= wrong[:, :-1]
    wide[:, :-1] |= wrong[:, 1:]
    return wide


def _paint_marks(painter: QPainter, canvas: Canvas, boxes: Floats, flags: NDArray[np.uint8]) -> None:
    look = canvas.look
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if look.show_critical:
        critical = boxes[(flags & BarFlag.CRITICAL) > 0]
        paint_critical(painter, critical, QColor(look.colours.text), QColor(look.colours.surface))
    wrong = boxes[(flags & BarFlag.PROBLEM) > 0].copy()
    if not wrong.shape[0]:
        return
    thin = wrong[:, 2] < 8
    narrow = wrong[thin]
    narrow[:, 2] = np.maximum(narrow[:, 2], 3.0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(look.colours.err))
    draw_rectangles(painter, narrow)
    pen = QPen(QColor(look.colours.err), 2.5)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    draw_rectangles(painter, wrong[~thin] + np.array([1.0, 1.0, -2.0, -2.0]))


@lru_cache(maxsize=8)
def _overview_colours(fills: tuple[str, ...], error: str, strength: float) -> tuple[int, ...]:
    table = []
    for code in range(256):
        share, class_no = code & FULL, (code >> 4) & 7
        if code & PROBLEM_BIT:
            table.append(QColor(error).rgba())
            continue
        if share == 0 or class_no == 0:
            table.append(0)
            continue
        colour = QColor(fills[class_no - 1])
        # The least share still shows: a quarter of the colour.
        colour.setAlphaF(strength * (0.25 + 0.75 * share / FULL))
        table.append(colour.rgba())
    return tuple(table)


def _even_rows(canvas: Canvas) -> list[tuple[int, int]]:
    """Runs of neighbouring rows without a heading between them."""
    headings = canvas.model.headings
    inside = headings[(headings >= canvas.first_row) & (headings < canvas.last_row)].tolist()
    firsts = [canvas.first_row, *(row + 1 for row in inside)]
    lasts = [*inside, canvas.last_row]
    return [(first, last) for first, last in zip(firsts, lasts, strict=True) if first < last]
