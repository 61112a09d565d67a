"""Memory bars: one bar a phase of one card, stacked by state class, against what the card can use.

A painted widget: it is handed text and bytes and computes only where they stand. Equal cards are one block with
their count in its title; no bar ever adds up the memory of several cards. A table beside holds the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from estimator.units import GIB
from estimator.wording import Wording
from ui.theme import TextRole, Theme, chart_brush, idle_brush

MARGIN_CLASS = 0
"""The class of a segment without a fill: thin diagonal lines, for margins."""
_PLAIN_UNDER = 6
_GAP = 8
_MOST_ROW = 52.0
_FEW_ROWS = 5
"""More rows than these stand closer."""
_STEPS = (1, 2, 4, 5, 8, 10, 16, 20, 25, 40, 50, 80, 100, 200, 400, 500, 1000)
_TICKS_AT_MOST = 10


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a bar. `chart_class`: 1 to 7, or MARGIN_CLASS. `tip` is what a pointer over it is told."""

    name: str
    size_bytes: int
    chart_class: int
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """One phase: name, parts, its peak in words. `former_bytes`: where the bar ended before the last edit."""

    name: str
    segments: tuple[Segment, ...]
    peak_text: str
    is_worst: bool = False
    former_bytes: int | None = None

    @property
    def size_bytes(self) -> int:
        """The peak of the phase."""
        return sum(segment.size_bytes for segment in self.segments)


@dataclass(frozen=True, slots=True)
class BarsContent:
    """What the chart shows. `title` and `subtitle` name the cards; `usable_bytes` None: no card is known."""

    title: str = ""
    subtitle: str = ""
    bars: tuple[Bar, ...] = ()
    usable_bytes: int | None = None
    usable_text: str = ""
    axis_text: str = ""
    legend: tuple[tuple[str, int], ...] = ()
    """(name, class) of every part, in the order in which they are stacked."""


class MemoryBars(QWidget):
    """Paints a `BarsContent`. Its height follows the number of bars; it is no focus stop."""

    def __init__(self, words: Wording, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the chart."""
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._content = BarsContent()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        theme.changed.connect(self._dress)

    @property
    def content(self) -> BarsContent:
        """What is shown."""
        return self._content

    def show_bars(self, content: BarsContent) -> None:
        """Show other bars."""
        self._content = content
        said = [f"{bar.name} {bar.peak_text}" for bar in content.bars]
        self.setAccessibleDescription(", ".join((content.title, *said, content.usable_text)))
        self._dress()

    def bar_box(self, index: int) -> QRectF:
        """Return the rectangle of a bar, from zero to its peak."""
        row = self._row_box(index)
        height = min(24.0, row.height() - (6 if len(self._content.bars) <= _FEW_ROWS else 4))
        top = row.y() + (row.height() - height) / 2
        return QRectF(self._x(0), top, self._x(self._content.bars[index].size_bytes) - self._x(0), height)

    def segment_boxes(self, index: int) -> tuple[QRectF, ...]:
        """Return the rectangles of a bar's parts, in order."""
        whole = self.bar_box(index)
        boxes, start = [], 0
        for segment in self._content.bars[index].segments:
            left, right = self._x(start), self._x(start + segment.size_bytes)
            boxes.append(QRectF(left, whole.y(), right - left, whole.height()))
            start += segment.size_bytes
        return tuple(boxes)

    def usable_x(self) -> float | None:
        """Return where the line of usable memory stands, None where no card is known."""
        usable = self._content.usable_bytes
        return None if usable is None else self._x(usable)

    def _dress(self) -> None:
        self.updateGeometry()
        self.update()

    # Where things stand

    def _line(self) -> int:
        return QFontMetrics(self._theme.font(TextRole.SECONDARY)).height()

    def _row_height(self) -> int:
        return max(26, self._line() + 12) if len(self._content.bars) <= _FEW_ROWS else self._line() + 4

    def _head_width(self) -> int:
        """Pixels of the cards' title, at the left of the phases; none where there is no title."""
        if not self._content.title:
            return 0
        title = QFontMetrics(self._bold()).horizontalAdvance(self._content.title)
        subtitle = QFontMetrics(self._theme.font(TextRole.SECONDARY)).horizontalAdvance(
            self._content.subtitle
        )
        return min(max(title, subtitle), max(90, self.width() // 4)) + 2 * _GAP

    def _names_right(self) -> int:
        metrics = QFontMetrics(self._bold())
        widest = max((metrics.horizontalAdvance(bar.name) for bar in self._content.bars), default=0)
        share = 4 if self._content.title else 3
        return self._head_width() + min(widest + 4, max(60, self.width() // share))

    def _top(self) -> int:
        return self._line() + 6

    def _bottom(self) -> int:
        return 2 * self._line() + 8

    def _row_box(self, index: int) -> QRectF:
        rows = len(self._content.bars)
        room = max(0, self.height() - self._top() - self._bottom())
        height = min(room / max(1, rows), _MOST_ROW)
        return QRectF(0, self._top() + index * height, self.width(), height)

    def _axis_right(self) -> float:
        widest = max(
            (QFontMetrics(self._bold()).horizontalAdvance(bar.peak_text) for bar in self._content.bars),
            default=0,
        )
        return float(self.width() - widest - 2 * _GAP)

    def _most(self) -> int:
        sizes = [bar.size_bytes for bar in self._content.bars]
        sizes += [bar.former_bytes or 0 for bar in self._content.bars]
        return max(*sizes, self._content.usable_bytes or 0, 1) if sizes else 1

    def _x(self, size_bytes: int) -> float:
        left = self._names_right() + _GAP
        return left + (self._axis_right() - left) * size_bytes / self._most()

    def _bold(self) -> QFont:
        font = self._theme.font(TextRole.BODY)
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def sizeHint(self) -> QSize:
        rows = max(1, len(self._content.bars))
        return QSize(480, self._top() + rows * (self._row_height() + 6) + self._bottom())

    def minimumSizeHint(self) -> QSize:
        rows = max(1, len(self._content.bars))
        return QSize(360, self._top() + rows * self._row_height() + self._bottom())

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._content.bars:
            return
        painter = QPainter(self)
        self._paint_worst(painter)
        self._paint_axis(painter)
        self._paint_title(painter)
        for index, bar in enumerate(self._content.bars):
            self._paint_bar(painter, index, bar)
        self._paint_usable(painter)
        painter.end()

    def _paint_worst(self, painter: QPainter) -> None:
        for index, bar in enumerate(self._content.bars):
            if bar.is_worst:
                box = self._row_box(index).adjusted(max(0, self._head_width() - _GAP), 1, 0, -1)
                painter.fillRect(box, self._theme.color("selection"))

    def _paint_axis(self, painter: QPainter) -> None:
        last = self._row_box(len(self._content.bars) - 1).bottom()
        painter.setFont(self._theme.font(TextRole.SECONDARY))
        metrics = QFontMetricsF(painter.font())
        most_gib = self._most() / GIB
        step = next((one for one in _STEPS if most_gib / one <= _TICKS_AT_MOST), _STEPS[-1])
        value = 0
        while value <= most_gib:
            x = round(self._x(value * GIB)) + 0.5
            painter.setPen(self._theme.color("line"))
            painter.drawLine(QPointF(x, self._top()), QPointF(x, last + 2))
            text = self._words.number(value)
            painter.setPen(self._theme.color("muted"))
            painter.drawText(
                QPointF(x - metrics.horizontalAdvance(text) / 2, last + 4 + metrics.ascent()), text
            )
            value += step
        width = metrics.horizontalAdvance(self._content.axis_text)
        left = (self._x(0) + self._axis_right() - width) / 2
        painter.drawText(
            QPointF(left, last + 4 + metrics.height() + metrics.ascent()), self._content.axis_text
        )

    def _paint_title(self, painter: QPainter) -> None:
        first = self._row_box(0)
        width = self._head_width() - 2 * _GAP
        painter.setFont(self._bold())
        painter.setPen(self._theme.color("text"))
        height = painter.fontMetrics().height()
        box = QRect(0, round(first.y()) + 4, width, height)
        _draw_elided(painter, box, self._content.title)
        painter.setFont(self._theme.font(TextRole.SECONDARY))
        painter.setPen(self._theme.color("muted"))
        _draw_elided(painter, box.translated(0, height + 1), self._content.subtitle)

    def _paint_bar(self, painter: QPainter, index: int, bar: Bar) -> None:
        row = self._row_box(index)
        painter.setFont(self._bold() if bar.is_worst else self._theme.font(TextRole.BODY))
        painter.setPen(self._theme.color("text"))
        left = self._head_width()
        name = QRect(left, round(row.y()), self._names_right() - left, round(row.height()))
        _draw_elided(painter, name, bar.name, Qt.AlignmentFlag.AlignRight)
        whole = self.bar_box(index)
        for segment, box in zip(bar.segments, self.segment_boxes(index), strict=True):
            seam = box.adjusted(0, 0, -1 if box.width() > 2 else 0, 0)  # neighbours keep a seam
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrushOrigin(seam.topLeft())
            painter.fillRect(seam, self._brush(segment.chart_class, seam))
            if segment.chart_class == MARGIN_CLASS:
                painter.setPen(QPen(self._theme.color("control"), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(seam.adjusted(0.5, 0.5, -0.5, -0.5))
        if bar.former_bytes is not None and bar.former_bytes != bar.size_bytes:
            painter.setPen(QPen(self._theme.color("text"), 1, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            right = self._x(bar.former_bytes)
            painter.drawRect(QRectF(whole.x(), whole.y() - 2, right - whole.x(), whole.height() + 4))
        painter.setPen(self._theme.color("text" if bar.is_worst else "muted"))
        end = max(whole.right(), self._x(bar.former_bytes or 0))
        usable, width = self.usable_x(), painter.fontMetrics().horizontalAdvance(bar.peak_text)
        if usable is not None and end < usable + 4 < end + 2 * _GAP + width:
            end = usable  # beside the line, not across it
        text = QRect(
            round(end) + _GAP, round(row.y()), max(0, self.width() - round(end) - _GAP), round(row.height())
        )
        painter.drawText(text, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, bar.peak_text)

    def _paint_usable(self, painter: QPainter) -> None:
        x = self.usable_x()
        if x is None:
            return
        color: QColor = self._theme.color("err")
        last = self._row_box(len(self._content.bars) - 1).bottom()
        painter.setPen(QPen(color, 2))
        painter.drawLine(QPointF(x, self._top() - 2), QPointF(x, last + 2))
        painter.setFont(self._theme.font(TextRole.SECONDARY))
        width = QFontMetricsF(painter.font()).horizontalAdvance(self._content.usable_text)
        left = min(max(0.0, x - width / 2), self.width() - width)
        painter.drawText(QPointF(left, self._top() - 6), self._content.usable_text)

    def _brush(self, chart_class: int, box: QRectF) -> QBrush:
        tokens = self._theme.tokens
        if chart_class == MARGIN_CLASS:
            return idle_brush(tokens)
        return chart_brush(chart_class, tokens, hatched=box.width() >= _PLAIN_UNDER)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._tip_at(event.pos().toPointF()), self)
            return True
        return super().event(event)

    def _tip_at(self, point: QPointF) -> str:
        for index, bar in enumerate(self._content.bars):
            for segment, box in zip(bar.segments, self.segment_boxes(index), strict=True):
                if box.contains(point):
                    return segment.tip
        return ""


class BarsLegend(QWidget):
    """The legend of the bars: a swatch and a word for each part, wrapped over as many lines as it takes."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: tuple[tuple[str, int], ...] = ()
        theme.changed.connect(self.update)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_parts(self, parts: tuple[tuple[str, int], ...]) -> None:
        """Show (name, class) pairs."""
        self._parts = parts
        self.setAccessibleName(", ".join(name for name, _ in parts))
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return (places[-1].bottom() + 1) if places else 0

    def sizeHint(self) -> QSize:
        return QSize(320, self.heightForWidth(max(self.width(), 320)))

    def _places(self, width: int) -> list[QRect]:
        metrics = QFontMetrics(self._theme.font(TextRole.SECONDARY))
        height = max(18, metrics.height() + 2)
        places: list[QRect] = []
        x = y = 0
        for name, _ in self._parts:
            need = 16 + 6 + metrics.horizontalAdvance(name) + 2
            if x and x + need > width:
                x, y = 0, y + height
            places.append(QRect(x, y, need, height))
            x += need + 16
        return places

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._theme.font(TextRole.SECONDARY))
        for (name, chart_class), place in zip(self._parts, self._places(self.width()), strict=True):
            swatch = QRectF(place.x(), place.y() + (place.height() - 12) / 2, 16, 12)
            if chart_class == MARGIN_CLASS:
                painter.fillRect(swatch, idle_brush(self._theme.tokens))
                painter.setPen(QPen(self._theme.color("control"), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(swatch.adjusted(0.5, 0.5, -0.5, -0.5))
            else:
                painter.fillRect(swatch, chart_brush(chart_class, self._theme.tokens))
            painter.setPen(self._theme.color("muted"))
            painter.drawText(place.adjusted(22, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, name)
        painter.end()


def _draw_elided(
    painter: QPainter, box: QRect, text: str, side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft
) -> None:
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, shown)
