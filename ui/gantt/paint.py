"""The one painter of the Gantt chart: the window, PNG, SVG, PDF and paper all show what it draws.

It paints only what a view shows. Rows and bars come from the model, the rest from the look; it decides
nothing about the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from ui.gantt.axis import Tick
from ui.gantt.look import HEAD_WIDTH, HEAD_WIDTH_MOST, GanttLook
from ui.gantt.model import CLOSED_CLASS, CRITICAL_CLASS, SETUP_CLASS, GanttModel, LegendEntry, RowKind
from ui.gantt.paint_bars import (
    Canvas,
    fill_class,
    fill_closed,
    fill_idle,
    fill_setup,
    paint_closed,
    paint_exact,
    paint_idle,
    paint_labels,
    paint_overview,
    visible_bars,
)
from ui.gantt.paint_critical import paint_critical
from ui.gantt.paint_frame import EDGE, ICON, INDENT, paint_axis, paint_grid, paint_heads, ticks_of
from ui.gantt.paint_marks import (
    paint_differences,
    paint_limit,
    paint_milestones,
    paint_selection,
    paint_step_texts,
    paint_steps,
)
from ui.gantt.pyramid import pyramid_of
from ui.gantt.view import GanttView, row_tops, rows_in

LEGEND_TALLER = np.array([0.0, -1.0, 0.0, 2.0])
"""What a box of the legend lacks to have the outline that bars have."""
LEGEND_LINE = 20.0
LEGEND_TEXT = 23.0
"""From the box of an entry to its text; `LEGEND_GAP` from the text to the next box."""
LEGEND_GAP = 16.0
MOST_LEGEND_LINES = 5


@dataclass(frozen=True, slots=True)
class Painted:
    """What a picture shows: how many bars, and whether they were merged for lack of pixels."""

    bar_count: int
    is_merged: bool


@dataclass(frozen=True, slots=True)
class LegendPlace:
    """Where in its line an entry of a legend stands, and its text; without an entry it is a text alone."""

    x: float
    text: str
    entry: LegendEntry | None


def head_width(model: GanttModel, look: GanttLook) -> float:
    """Width of the row heads: what the names need, between 150 and 176 pixels at the usual font size.

    A part has that of its whole: pages of one chart, and a chart that is folded, keep their axis.
    """
    if model.part_of is not None:
        return head_width(model.part_of[0], look)
    key = (look.font.key(), look.for_print)
    kept: dict[tuple[str, bool], float] = model.__dict__.setdefault("_head_widths", {})
    if key not in kept:
        kept[key] = _needed_head_width(model, look)
    return kept[key]


def _needed_head_width(model: GanttModel, look: GanttLook) -> float:
    names, uses = QFontMetricsF(look.font), QFontMetricsF(look.secondary_font())
    # Ten digits take 74 px in the font that the widths were drawn for.
    scale = max(1.0, names.horizontalAdvance("0" * 10) / 74)
    rows = [row for row in model.rows if row.kind is not RowKind.HEADING][:512]
    left = EDGE if look.for_print else 2.5 * EDGE + ICON
    need = [
        left
        + max(0, row.depth) * INDENT
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
    ticks = ticks_of(canvas)
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
    paint_heads(painter, canvas, area.left() - rect.left())
    painter.restore()
    paint_axis(painter, canvas, ticks, area.left() - rect.left())
    painter.restore()
    return painted


def legend_lines(
    entries: Sequence[LegendEntry], look: GanttLook, width: float, kept: float = 0.0
) -> tuple[tuple[LegendPlace, ...], ...]:
    """Return the lines of a legend in a width; `kept` is the room left at the end of the first.

    A text wider than a line is cut with an ellipsis; entries beyond the last line are counted.
    """
    metrics = QFontMetricsF(look.secondary_font())
    lines: list[list[LegendPlace]] = [[]]
    x, room = 0.0, width - kept
    for entry in entries:
        text = metrics.elidedText(entry.text, Qt.TextElideMode.ElideRight, width - kept - LEGEND_TEXT - 2)
        taken = LEGEND_TEXT + metrics.horizontalAdvance(text) + 2
        if lines[-1] and x + taken > room:
            lines.append([])
            x, room = 0.0, width
        lines[-1].append(LegendPlace(x, text, entry))
        x += taken + LEGEND_GAP
    if len(lines) > MOST_LEGEND_LINES:
        del lines[MOST_LEGEND_LINES:]
        last = lines[-1].pop()
        left = len(entries) - sum(len(line) for line in lines)
        text = look.words.t("and {count} more", count=look.words.number(left))
        lines[-1].append(LegendPlace(last.x, text, None))
    return tuple(tuple(line) for line in lines)


def paint_legend(
    painter: QPainter, rect: QRectF, entries: Sequence[LegendEntry], look: GanttLook, kept: float = 0.0
) -> None:
    """Paint a legend from the top of `rect`, in as many lines as it takes."""
    for number, line in enumerate(legend_lines(entries, look, rect.width(), kept)):
        top = rect.top() + number * LEGEND_LINE
        for place in line:
            area = QRectF(rect.left() + place.x, top, rect.width() - place.x, LEGEND_LINE)
            if place.entry is not None:
                _paint_box(painter, area, place.entry, look)
                area.setLeft(area.left() + LEGEND_TEXT)
            painter.setPen(QColor(look.colours.muted))
            painter.setFont(look.secondary_font())
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, place.text)


def _paint_box(painter: QPainter, rect: QRectF, entry: LegendEntry, look: GanttLook) -> None:
    painter.save()
    box = np.array([[rect.left(), rect.center().y() - 6.0, 16.0, 12.0]])
    if entry.colour_class == 0:
        fill_idle(painter, box, look)
    elif entry.colour_class == SETUP_CLASS:
        fill_setup(painter, box, look)
    elif entry.colour_class == CLOSED_CLASS:
        fill_closed(painter, box, look)
    elif entry.colour_class == CRITICAL_CLASS:
        paint_critical(painter, box + LEGEND_TALLER, QColor(look.colours.text), QColor(look.colours.surface))
    else:
        fill_class(painter, box, entry.colour_class, look)
    painter.restore()


def _paint_chart(painter: QPainter, canvas: Canvas, ticks: tuple[Tick, ...]) -> Painted:
    paint_grid(painter, canvas, ticks)
    paint_closed(painter, canvas)
    count, indexes = visible_bars(canvas)
    boxes = np.zeros((0, 4))
    if indexes is None:
        pyramid = pyramid_of(canvas.model)
        paint_overview(painter, canvas, pyramid)
        paint_idle(painter, canvas)
        paint_steps(painter, canvas)
    else:
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
