"""Bars in rows over one axis: a name, pieces from value to value, marks and lines across, a figure at the end.

A painted widget: it is handed texts and values and computes only where they stand. A table beside holds the numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ui.theme import TextRole, Theme, chart_brush, idle_brush
from ui.widgets.bars import MARGIN_CLASS

_GAP = 8
_BAR = 16
_PLAIN_UNDER = 6
_NAME_SHARE = 0.42
_LEAST_BAR_ROOM = 90


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a bar from one value to another. `look`: chart class 1 to 7, or MARGIN_CLASS."""

    start: float
    end: float
    look: int
    tip: str = ""


@dataclass(frozen=True, slots=True)
class BarRow:
    """One bar. `note` stands under the name, `figure` at the end of the row, `instead` where there is no bar.

    `marks` are upright ticks through the bar; `is_marked` sets a diamond before the name; `spoken` is what a screen
    reader says of the row.
    """

    name: str
    note: str = ""
    figure: str = ""
    pieces: tuple[Piece, ...] = ()
    marks: tuple[float, ...] = ()
    instead: str = ""
    is_strong: bool = False
    is_marked: bool = False
    spoken: str = ""


@dataclass(frozen=True, slots=True)
class AcrossLine:
    """An upright line through all rows with its text above: a limit dashed, a value solid."""

    at: float
    text: str
    role: str = "err"
    dashed: bool = True


@dataclass(frozen=True, slots=True)
class RowBarsContent:
    """What is shown. `ticks`: values of the axis with their texts, of which the first and last are its ends."""

    rows: tuple[BarRow, ...] = ()
    ticks: tuple[tuple[float, str], ...] = ()
    axis_text: str = ""
    lines: tuple[AcrossLine, ...] = ()


class RowBars(QWidget):
    """Paints a `RowBarsContent`. `opened(row)`: Enter or a click on a row, where rows can be opened."""

    opened = Signal(int)
    moved = Signal(float, float)
    """Top and bottom of the row that is now current."""

    def __init__(
        self, theme: Theme, name: str, *, can_open: bool = False, parent: QWidget | None = None
    ) -> None:
        """`name` is what a screen reader calls the chart; with `can_open` it is a focus stop, else none."""
        super().__init__(parent)
        self._theme = theme
        self._content = RowBarsContent()
        self._current = 0
        self._can_open = can_open
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if can_open else Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        theme.changed.connect(self._dress)

    @property
    def content(self) -> RowBarsContent:
        """What is shown."""
        return self._content

    @property
    def current(self) -> int:
        """The row that Enter opens."""
        return self._current

    def show_rows(self, content: RowBarsContent) -> None:
        """Show other rows."""
        self._content = content
        self._current = min(self._current, max(0, len(content.rows) - 1))
        self._speak()
        self._dress()

    def piece_box(self, row: int, piece: int) -> QRectF:
        """Return the rectangle of a piece; one of no length is a pixel wide."""
        shown = self._content.rows[row].pieces[piece]
        first, last = sorted((self._x(shown.start), self._x(shown.end)))
        return QRectF(first, self._bar_top(row), max(1.0, last - first), _BAR)

    def sizeHint(self) -> QSize:
        return QSize(420, self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(280, self._height())

    # Where things stand

    def _metrics(self, *, small: bool = False) -> QFontMetrics:
        return QFontMetrics(self._theme.font(TextRole.SECONDARY) if small else self._strong_font())

    def _top(self) -> int:
        return self._line_rows() * self._metrics(small=True).height() + (4 if self._content.lines else 2)

    def _line_rows(self) -> int:
        """How many rows of texts the lines may take, whatever the width: two that would touch stand apart."""
        return len(self._content.lines)

    def _row_height(self) -> int:
        noted = any(row.note for row in self._content.rows)
        text = self._metrics().height() + (self._metrics(small=True).height() if noted else 0)
        return max(_BAR, text) + 8

    def _height(self) -> int:
        axis = (2 if self._content.axis_text else 1) * self._metrics(small=True).height() + 6
        return self._top() + len(self._content.rows) * self._row_height() + axis

    def _names_width(self) -> int:
        small, strong, rows = self._metrics(small=True), self._metrics(), self._content.rows
        widest = max((self._indent(row) + strong.horizontalAdvance(row.name) for row in rows), default=0)
        notes = max((self._indent(row) + small.horizontalAdvance(row.note) for row in rows), default=0)
        most = max(60, int(self.width() * _NAME_SHARE))
        return min(max(widest, notes) + 2, most, max(60, self.width() - self._figures() - _LEAST_BAR_ROOM))

    def _indent(self, row: BarRow) -> int:
        return 14 if any(one.is_marked for one in self._content.rows) else 0

    def _figures(self) -> int:
        metrics = self._metrics()
        return max((metrics.horizontalAdvance(row.figure) for row in self._content.rows), default=0) + _GAP

    def _x(self, value: float) -> float:
        ticks = self._content.ticks
        if len(ticks) < 2:
            return float(self._names_width() + _GAP)
        low, high = ticks[0][0], ticks[-1][0]
        left, right = self._names_width() + 2 * _GAP, self.width() - self._figures() - _GAP
        return left + (right - left) * (min(max(value, low), high) - low) / (high - low)

    def _row_top(self, row: int) -> float:
        return float(self._top() + row * self._row_height())

    def _bar_top(self, row: int) -> float:
        return self._row_top(row) + (self._row_height() - _BAR) / 2

    def _row_at(self, y: float) -> int | None:
        row = math.floor((y - self._top()) / self._row_height())
        return row if 0 <= row < len(self._content.rows) else None

    def _line_places(self) -> list[tuple[AcrossLine, float, float, int]]:
        """Return each line with its x, the left of its text and how many rows above the bars that stands."""
        metrics = self._metrics(small=True)
        placed: list[tuple[AcrossLine, float, float, int]] = []
        ends: list[float] = []
        for line in sorted(self._content.lines, key=lambda one: one.at):
            x, width = self._x(line.at), metrics.horizontalAdvance(line.text)
            left = min(max(0.0, x - width / 2), max(0.0, self.width() - width - 2.0))
            level = next((at for at, end in enumerate(ends) if left > end + _GAP), len(ends))
            ends[level : level + 1] = [left + width]
            placed.append((line, x, left, level))
        return placed

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._content.rows:
            return
        painter = QPainter(self)
        self._paint_current(painter)
        self._paint_axis(painter)
        for index, row in enumerate(self._content.rows):
            self._paint_row(painter, index, row)
        self._paint_lines(painter)
        for index, row in enumerate(self._content.rows):
            if row.instead:
                self._paint_instead(painter, index, row)
        painter.end()

    def _paint_current(self, painter: QPainter) -> None:
        if self._can_open and self.hasFocus():
            box = QRectF(0, self._row_top(self._current), self.width(), self._row_height())
            painter.fillRect(box, self._theme.color("selection"))
            painter.setPen(QPen(self._theme.color("accent"), 2))
            painter.drawRect(box.adjusted(1, 1, -1, -1))

    def _paint_axis(self, painter: QPainter) -> None:
        bottom = self._row_top(len(self._content.rows)) + 2
        painter.setFont(self._theme.font(TextRole.SECONDARY))
        metrics = painter.fontMetrics()
        free_from = -math.inf
        for value, text in self._content.ticks:
            x = round(self._x(value)) + 0.5
            painter.setPen(self._theme.color("line"))
            painter.drawLine(QPointF(x, self._top()), QPointF(x, bottom))
            width = metrics.horizontalAdvance(text)
            if x - width / 2 < free_from:
                continue  # there is no room for every tick's text
            painter.setPen(self._theme.color("muted"))
            painter.drawText(
                QPointF(min(x - width / 2, self.width() - width), bottom + metrics.ascent()), text
            )
            free_from = x + width / 2 + _GAP
        width = metrics.horizontalAdvance(self._content.axis_text)
        right = self.width() - self._figures() - _GAP
        painter.setPen(self._theme.color("muted"))
        painter.drawText(
            QPointF(right - width, bottom + metrics.height() + metrics.ascent()), self._content.axis_text
        )

    def _paint_row(self, painter: QPainter, index: int, row: BarRow) -> None:
        self._paint_names(painter, index, row)
        for at, piece in enumerate(row.pieces):
            box = self.piece_box(index, at)
            seam = box.adjusted(0, 0, -1 if box.width() > 2 else 0, 0)  # neighbours keep a seam
            painter.setBrushOrigin(seam.topLeft())
            tokens = self._theme.tokens
            if piece.look == MARGIN_CLASS:
                painter.fillRect(seam, idle_brush(tokens))
                painter.setPen(QPen(self._theme.color("control"), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(seam.adjusted(0.5, 0.5, -0.5, -0.5))
            else:
                hatched = box.width() >= _PLAIN_UNDER
                painter.fillRect(seam, chart_brush(piece.look, tokens, hatched=hatched))
        middle = self._row_top(index) + self._row_height() / 2
        painter.setPen(QPen(self._theme.color("text"), 2))
        for value in row.marks:
            x = self._x(value)
            painter.drawLine(QPointF(x, middle - _BAR / 2 - 3), QPointF(x, middle + _BAR / 2 + 3))

    def _paint_instead(self, painter: QPainter, index: int, row: BarRow) -> None:
        left = self._names_width() + 2 * _GAP
        right = self.width() - self._figures() - _GAP
        box = QRectF(left, self._bar_top(index) - 2, right - left, _BAR + 4)
        painter.fillRect(box, self._theme.color("surface"))
        painter.setPen(QPen(self._theme.color("control"), 1, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box)
        painter.setFont(self._theme.font(TextRole.SECONDARY))
        painter.setPen(self._theme.color("muted"))
        text = painter.fontMetrics().elidedText(
            row.instead, Qt.TextElideMode.ElideRight, int(box.width()) - 8
        )
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_names(self, painter: QPainter, index: int, row: BarRow) -> None:
        top, height, indent = self._row_top(index), self._row_height(), self._indent(row)
        width = self._names_width() - indent
        if row.is_marked:
            self._paint_diamond(painter, top + height / 2)
        painter.setFont(self._strong_font() if row.is_strong else self._theme.font(TextRole.BODY))
        painter.setPen(self._theme.color("text"))
        metrics = painter.fontMetrics()
        small = self._metrics(small=True)
        tall = metrics.height() + (small.height() if row.note else 0)
        first = QRectF(indent, top + (height - tall) / 2, width, metrics.height())
        name = metrics.elidedText(row.name, Qt.TextElideMode.ElideMiddle, width)
        painter.drawText(first, Qt.AlignmentFlag.AlignVCenter, name)
        right = QRectF(self.width() - self._figures(), top, self._figures() - 1, height)
        painter.drawText(right, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, row.figure)
        if row.note:
            painter.setFont(self._theme.font(TextRole.SECONDARY))
            painter.setPen(self._theme.color("muted"))
            note = small.elidedText(row.note, Qt.TextElideMode.ElideRight, width)
            painter.drawText(
                QRectF(indent, first.bottom(), width, small.height()), Qt.AlignmentFlag.AlignVCenter, note
            )

    def _paint_diamond(self, painter: QPainter, middle: float) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("warn"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPolygon(
            QPolygonF(
                [QPointF(5, middle - 5), QPointF(10, middle), QPointF(5, middle + 5), QPointF(0, middle)]
            )
        )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_lines(self, painter: QPainter) -> None:
        bottom = self._row_top(len(self._content.rows)) + 2
        painter.setFont(self._theme.font(TextRole.SECONDARY))
        metrics = painter.fontMetrics()
        places = self._line_places()
        rows = self._line_rows()
        for line, x, _left, level in places:
            style = Qt.PenStyle.DashLine if line.dashed else Qt.PenStyle.SolidLine
            top = (rows - level) * metrics.height() + 1
            painter.setPen(QPen(self._theme.color(line.role), 1.6, style))
            painter.drawLine(QPointF(x, top), QPointF(x, bottom))
        for line, _x, left, level in places:  # a text may stand on the line of another
            top = (rows - 1 - level) * metrics.height()
            box = QRectF(left - 2, top, metrics.horizontalAdvance(line.text) + 4, metrics.height())
            painter.fillRect(box, self._theme.color("surface"))
            painter.setPen(self._theme.color(line.role))
            painter.drawText(QPointF(left, top + metrics.ascent()), line.text)

    def _strong_font(self) -> QFont:
        font = self._theme.font(TextRole.BODY)
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def _dress(self) -> None:
        self.updateGeometry()
        self.update()

    # Keys and pointer

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Up: self._current - 1,
            Qt.Key.Key_Down: self._current + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(self._content.rows) - 1,
        }
        key = Qt.Key(event.key())
        if self._can_open and self._content.rows and key in moves:
            self._move(moves[key])
        elif self._can_open and self._content.rows and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(self._current)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self._row_at(event.position().y())
        if self._can_open and row is not None:
            self._move(row)
            return
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row = self._row_at(event.position().y())
        if self._can_open and row is not None:
            self.opened.emit(row)
            return
        super().mouseDoubleClickEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._tip_at(event.pos().toPointF()), self)
            return True
        return super().event(event)

    def _move(self, row: int) -> None:
        self._current = min(max(0, row), len(self._content.rows) - 1)
        self._speak()
        self.update()
        top = self._row_top(self._current)
        self.moved.emit(top, top + self._row_height())

    def _speak(self) -> None:
        rows = self._content.rows
        if self._can_open:
            self.setAccessibleDescription(rows[self._current].spoken if rows else "")
        else:
            self.setAccessibleDescription(". ".join(row.spoken for row in rows if row.spoken))

    def _tip_at(self, point: QPointF) -> str:
        index = self._row_at(point.y())
        if index is None:
            return ""
        row = self._content.rows[index]
        for at, piece in enumerate(row.pieces):
            if self.piece_box(index, at).contains(point) and piece.tip:
                return piece.tip
        return f"{row.name}\n{row.note}".strip()


def round_ticks(lowest: float, highest: float, parts: int = 4) -> tuple[float, ...]:
    """Return rising round values of which the first is at most `lowest` and the last at least `highest`."""
    length = highest - lowest
    if length <= 0:
        length = abs(highest) or 1.0
    rough = length / parts
    scale = 10.0 ** math.floor(math.log10(rough))
    step = next(scale * one for one in (1, 2, 2.5, 5, 10) if scale * one >= rough * 0.999)
    first, last = math.floor(lowest / step + 1e-9), math.ceil(highest / step - 1e-9)
    if first == last:
        last += 1
    return tuple(round(at * step, 9) for at in range(first, last + 1))
