"""The Gantt chart in a window: scroll, zoom, selection, tips and keyboard over the painter and the pure view.

It never computes a schedule and never opens an explanation itself; it says which bar was chosen.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QLabel, QVBoxLayout, QWidget

from ui.gantt.axis import moment_text
from ui.gantt.look import GanttLook
from ui.gantt.model import GanttModel
from ui.gantt.paint import chart_area, paint_gantt
from ui.gantt.paint_bars import EXACT_BARS
from ui.gantt.view import (
    ROW_HEIGHT,
    GanttView,
    bar_at,
    clamp,
    fit,
    most_ms_per_pixel,
    pan,
    row_at,
    row_height_for,
    row_tops,
    show_bar,
    zoom_at,
)

ZOOM_STEP = 1.25
WHEEL_NOTCH = 120
ROWS_A_NOTCH = 2
MOST_SCROLL = 1_000_000_000


class GanttWidget(QAbstractScrollArea):
    """A chart to look at and to walk through. `barSelected` and `explainRequested` carry a bar's index."""

    barSelected = Signal(int)
    explainRequested = Signal(int)

    def __init__(self, model: GanttModel, look: GanttLook, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._look = look
        self._view = GanttView(1.0)
        self._unit_ms = 1.0
        self._is_fitted = True
        self._pressed: QPointF | None = None
        self._pressed_view = self._view
        self._is_panning = False
        self._tip = _Tip(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.horizontalScrollBar().valueChanged.connect(self._scrolled)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.setMinimumHeight(120)
        self._describe()
        self._fit_rows()

    def setModel(self, model: GanttModel) -> None:
        """Show another chart; zoom and scroll stay as far as the new chart allows, the selection goes."""
        self._model = model
        self._view = replace(self._view, selected=None)
        self._tip.hide()
        self._fit_rows()
        self._describe()

    def setLook(self, look: GanttLook) -> None:
        """Show the chart in other colours, words or switches."""
        self._look = look
        self._tip.hide()
        self._fit_rows()
        self._describe()

    def model(self) -> GanttModel:
        """The chart shown."""
        return self._model

    def view(self) -> GanttView:
        """Zoom, scroll and selection."""
        return self._view

    def selected(self) -> int | None:
        """Index of the selected bar."""
        return self._view.selected

    def fit(self) -> None:
        """Show the whole time, now and after each change of size until the next zoom."""
        self._is_fitted = True
        self._fit_rows()

    def zoom(self, factor: float, x: float | None = None) -> None:
        """`factor` times closer around `x` pixels from the chart's left edge (its middle unless given)."""
        width = self.chart_rect().width()
        self._view = zoom_at(self._view, width / 2 if x is None else x, factor, self._model, width)
        self._is_fitted = self._view.ms_per_pixel >= most_ms_per_pixel(self._model, width)
        self._changed()

    def select(self, index: int | None) -> None:
        """Select a bar and bring it into view; None takes the selection away."""
        self._view = replace(self._view, selected=index)
        if index is not None:
            area = self.chart_rect()
            self._view = show_bar(self._model, self._view, index, area.width(), area.height())
        self._changed()
        self._describe()
        if index is not None:
            self.barSelected.emit(index)

    def hit(self, x: float, y: float) -> int | None:
        """The bar at a point of the viewport."""
        area = self.chart_rect()
        if not area.contains(QPointF(x, y)):
            return None
        return bar_at(self._model, self._view, x - area.left(), y - area.top())

    def sentence(self, index: int) -> str:
        """A bar in words: name, group, row, from when to when and how long."""
        name, place, times = self._facts(index)
        return self._look.words.t("{name}. {place}. {times}.", name=name, place=place, times=times)

    def _facts(self, index: int) -> tuple[str, str, str]:
        model, words = self._model, self._look.words
        start, end = int(model.bars.start_ms[index]), int(model.bars.end_ms[index])
        row = model.rows[int(model.bars.row[index])].name
        parts = (model.group_name(index), row, model.detail(index))
        times = words.t(
            "{start} to {end}, {duration}",
            start=moment_text(start, self._look.start, words),
            end=moment_text(end, self._look.start, words),
            duration=words.exact_duration(end - start),
        )
        return model.label(index) or parts[0], " · ".join(part for part in parts if part), times

    def _describe(self) -> None:
        words, index = self._look.words, self._view.selected
        self.setAccessibleName(words.t("Schedule as a Gantt chart"))
        text = self.sentence(index) if index is not None else words.t("No bar selected")
        if text != self.accessibleDescription():
            self.setAccessibleDescription(text)
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def chart_rect(self) -> QRectF:
        """Where bars stand in the viewport: below the axis, right of the heads."""
        return chart_area(QRectF(self.viewport().rect()), self._model, self._look)

    def _fit_rows(self) -> None:
        area = self.chart_rect()
        usual = max(ROW_HEIGHT, QFontMetricsF(self._look.font).height() * 2)
        rows = row_height_for(self._model, area.height(), usual)
        self._view = replace(self._view, row_height=rows)
        if self._is_fitted:
            self._view = fit(self._model, area.width(), self._view)
        scale = min(self._view.ms_per_pixel, most_ms_per_pixel(self._model, area.width()))
        self._view = clamp(replace(self._view, ms_per_pixel=scale), self._model, area.width(), area.height())
        self._changed()

    def _changed(self) -> None:
        area, view = self.chart_rect(), self._view
        longest = most_ms_per_pixel(self._model, area.width()) * area.width()
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        rows = float(row_tops(self._model, view.row_height)[-1])
        # Scroll bars count in int: very long charts scroll in steps of more than a pixel.
        unit = max(view.ms_per_pixel, longest / MOST_SCROLL)
        values = (
            (across, max(0.0, longest / unit - area.width()), area.width(), view.offset_ms / unit),
            (down, max(0.0, rows - area.height()), area.height(), view.top),
        )
        for bar, most, page, value in values:
            bar.blockSignals(True)
            bar.setRange(0, int(np.ceil(most - 0.01)))
            bar.setPageStep(max(1, int(page)))
            bar.setSingleStep(max(1, int(view.row_height)))
            bar.setValue(round(value))
            bar.blockSignals(False)
        self._unit_ms = unit
        self.viewport().update()

    def _scrolled(self) -> None:
        area = self.chart_rect()
        moved = replace(
            self._view,
            offset_ms=self.horizontalScrollBar().value() * self._unit_ms,
            top=float(self.verticalScrollBar().value()),
        )
        self._view = clamp(moved, self._model, area.width(), area.height())
        self._tip.hide()
        self.viewport().update()

    def _show_tip(self, point: QPointF) -> None:
        area = self.chart_rect()
        index = self.hit(point.x(), point.y())
        if index is None:
            self._tip.hide()
            return
        row = row_at(self._model, self._view, point.y() - area.top())
        merged = self._merged_tip(point.x() - area.left(), row) if row is not None else None
        lines = merged or self._facts(index)
        self._tip.show_lines(lines, self._look, self.viewport().mapToGlobal(point.toPoint()))

    def _merged_tip(self, x: float, row: int) -> tuple[str, str, str] | None:
        """What the pointer stands on where bars are merged: how many and how busy, not one of many."""
        bars, view, words = self._model.bars, self._view, self._look.words
        from_ms, to_ms = view.time_at(x - 0.5), view.time_at(x + 0.5)
        inside = bars.window(row, row + 1, from_ms, to_ms)
        if inside.size < 2 or self._visible_count() <= EXACT_BARS:
            return None
        busy = np.minimum(bars.end_ms[inside], to_ms) - np.maximum(bars.start_ms[inside], from_ms)
        share = words.percent(100 * float(busy.sum()) / (to_ms - from_ms), 0)
        count = int(inside.size)
        return (
            words.n("{count} task", "{count} tasks", count),
            self._model.rows[row].name,
            words.t("{share} busy", share=share),
        )

    def _visible_count(self) -> int:
        area = self.chart_rect()
        rows = len(self._model.rows)
        first, last = self._model.bars.ranges(0, rows, self._view.offset_ms, self._view.time_at(area.width()))
        return int((last - first).sum())

    def _neighbour(self, key: int) -> int | None:
        """The bar that a key leads to from the selected one."""
        bars, index = self._model.bars, self._view.selected
        if not bars.count:
            return None
        if key == Qt.Key.Key_Home or (index is None and key != Qt.Key.Key_End):
            return int(np.argmin(bars.start_ms))
        if key == Qt.Key.Key_End or index is None:
            return int(np.argmax(bars.end_ms))
        row = int(bars.row[index])
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            other = index + (1 if key == Qt.Key.Key_Right else -1)
            return other if 0 <= other < bars.count and bars.row[other] == row else index
        middle = (int(bars.start_ms[index]) + int(bars.end_ms[index])) / 2
        # The next row with bars lies just beyond the first or last bar of this one.
        is_down = key == Qt.Key.Key_Down
        edge = int(np.searchsorted(bars.row, row + 1 if is_down else row)) - (0 if is_down else 1)
        if not 0 <= edge < bars.count:
            return index
        return bars.at(int(bars.row[edge]), middle, float(bars.period_ms))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        moves = (
            Qt.Key.Key_Left,
            Qt.Key.Key_Right,
            Qt.Key.Key_Up,
            Qt.Key.Key_Down,
            Qt.Key.Key_Home,
            Qt.Key.Key_End,
        )
        if key in moves and event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        ):
            self.select(self._neighbour(key))
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(ZOOM_STEP, self._zoom_centre())
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / ZOOM_STEP, self._zoom_centre())
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._view.selected is not None:
            self.explainRequested.emit(self._view.selected)
        elif key == Qt.Key.Key_Escape and self._tip.isVisible():
            self._tip.hide()
        else:
            event.ignore()

    def _zoom_centre(self) -> float | None:
        """The keyboard zooms at the selected bar where it shows, else in the middle."""
        index = self._view.selected
        if index is None:
            return None
        bars = self._model.bars
        x = self._view.x_of((int(bars.start_ms[index]) + int(bars.end_ms[index])) / 2)
        return x if 0 <= x <= self.chart_rect().width() else None

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y() / WHEEL_NOTCH
        area = self.chart_rect()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(ZOOM_STEP**turned, max(0.0, event.position().x() - area.left()))
        else:
            sideways = event.angleDelta().x() / WHEEL_NOTCH
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                sideways, turned = sideways + turned, 0.0
            rows = -turned * ROWS_A_NOTCH * self._view.row_height
            before = self._view
            self._view = pan(
                self._view, -sideways * area.width() / 10, rows, self._model, area.width(), area.height()
            )
            if self._view == before:
                event.ignore()
                return
            self._changed()
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._pressed_view, self._is_panning = event.position(), self._view, False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self._show_tip(event.position())
            return
        moved = self._pressed - event.position()
        if not self._is_panning:
            distance = QGuiApplication.styleHints().startDragDistance()
            self._is_panning = moved.manhattanLength() >= distance
        if self._is_panning:
            area = self.chart_rect()
            self._tip.hide()
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self._view = pan(
                self._pressed_view, moved.x(), moved.y(), self._model, area.width(), area.height()
            )
            self._changed()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._pressed is None:
            return
        if self._is_panning:
            self.viewport().unsetCursor()
        else:
            self.select(self.hit(event.position().x(), event.position().y()))
        self._pressed, self._is_panning = None, False

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.hit(event.position().x(), event.position().y())
        if index is not None:
            self.explainRequested.emit(index)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Hide):
            self._tip.hide()
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_rows()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        rect = QRectF(self.viewport().rect())
        paint_gantt(painter, rect, self._model, self._view, self._look)
        if self.hasFocus():
            painter.setPen(QPen(self._look.focus_colour(), 2))
            painter.drawRect(rect.adjusted(1, 1, -1, -1))
        painter.end()


class _Tip(QFrame):
    """The floating box of exact times; it takes no focus and no clicks."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.lines = (QLabel(self), QLabel(self), QLabel(self))
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(3)
        for line in self.lines:
            line.setTextFormat(Qt.TextFormat.PlainText)
            column.addWidget(line)

    def show_lines(self, lines: tuple[str, str, str], look: GanttLook, at: QPoint) -> None:
        """Show three lines beside a point of the screen, inside the screen."""
        colours = look.colours
        fonts = (look.strong_font(), look.secondary_font(), look.font)
        inks = (colours.text, colours.muted, colours.text)
        for label, text, font, ink in zip(self.lines, lines, fonts, inks, strict=True):
            label.setText(text)
            label.setFont(font)
            label.setStyleSheet(f"color: {ink}; background: transparent; border: none")
            label.setVisible(bool(text))
        self.setStyleSheet(f"_Tip {{ background: {colours.raised}; border: 1px solid {colours.control}; }}")
        self.adjustSize()
        place = at + QPoint(14, 18)
        screen = QGuiApplication.screenAt(at) or QGuiApplication.primaryScreen()
        free = screen.availableGeometry()
        if place.x() + self.width() > free.right():
            place.setX(max(free.left(), at.x() - 14 - self.width()))
        if place.y() + self.height() > free.bottom():
            place.setY(max(free.top(), at.y() - 18 - self.height()))
        self.move(place)
        self.show()
