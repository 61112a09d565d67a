"""The Gantt chart in a window: scroll, zoom, selection, tips and keyboard over the painter and the pure view.

It never computes a schedule and never opens an explanation itself; it says which bar was chosen.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
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
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from ui.gantt.folding import RowGroup, folded, groups_of
from ui.gantt.look import GanttLook
from ui.gantt.model import GanttModel, RowKind
from ui.gantt.paint import chart_area, paint_gantt
from ui.gantt.tips import TipBox, bar_lines, tip_lines
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
    show_row,
    zoom_at,
)
from ui.gantt.walking import Way, first_inside, walked

ZOOM_STEP = 1.25
WHEEL_NOTCH = 120
ROWS_A_NOTCH = 2
MOST_SCROLL = 1_000_000_000
FOLDED_FROM = 256


WAYS: dict[int, Way] = {
    Qt.Key.Key_Left: Way.EARLIER,
    Qt.Key.Key_Right: Way.LATER,
    Qt.Key.Key_Up: Way.UP,
    Qt.Key.Key_Down: Way.DOWN,
    Qt.Key.Key_Home: Way.FIRST,
    Qt.Key.Key_End: Way.LAST,
}


class GanttWidget(QAbstractScrollArea):
    """A chart to look at, to walk through and to fold.

    `barSelected` and `explainRequested` carry a bar's index in the chart as it was set, whatever is folded;
    `folded` carries the keys of the groups that are closed now.
    """

    barSelected = Signal(int)
    explainRequested = Signal(int)
    foldingChanged = Signal(object)

    def __init__(self, model: GanttModel, look: GanttLook, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = model
        self._closed: frozenset[str] = frozenset()
        self._known: set[str] = set()
        self._chart = folded(model, self._closed)
        self._look = look
        self._view = GanttView(1.0)
        self._unit_ms = 1.0
        self._is_fitted = True
        self._pressed: QPointF | None = None
        self._pressed_view = self._view
        self._is_panning = False
        self._tip = TipBox(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.horizontalScrollBar().valueChanged.connect(self._scrolled)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.setMinimumHeight(120)
        self._describe()
        self._fit_rows()

    @property
    def _model(self) -> GanttModel:
        return self._chart.model

    def setModel(self, model: GanttModel) -> None:
        """Show another chart; zoom, scroll and folding stay as far as the new one allows, the selection goes."""
        self._view = replace(self._view, selected=None, row=None)
        self._whole = model
        keys = {group.key for group in self.groups()}
        if len(model.rows) > FOLDED_FROM:  # more rows than can be read: groups never seen begin folded
            self._closed |= keys - self._known
        self._known |= keys
        self._show_folded()

    def setFolded(self, closed: Set[str]) -> None:
        """Close these groups and no others; a selected bar stays selected where it is still seen."""
        if closed == self._closed:
            return
        index = None if self._view.selected is None else int(self._chart.kept[self._view.selected])
        self._closed = frozenset(closed)
        self._show_folded()
        self._view = replace(self._view, selected=self._chart.shown(index), row=None)
        self._changed()
        self._describe()
        self.foldingChanged.emit(self._closed)

    def folding(self) -> frozenset[str]:
        """The keys of the closed groups, those of former charts among them."""
        return self._closed

    def groups(self) -> tuple[RowGroup, ...]:
        """The groups of the whole chart that can be folded."""
        return groups_of(self._whole)

    def toggle(self, key: str) -> None:
        """Close an open group or open a closed one; a closed one then has the focus."""
        is_open = key not in self._closed
        self.setFolded(self._closed | {key} if is_open else self._closed - {key})
        if is_open:
            rows = self._model.rows
            self._focus_row(next((at for at, row in enumerate(rows) if row.group == key), None))

    def toggle_all(self) -> None:
        """Close every group, or open every one where none is open."""
        keys = frozenset(group.key for group in self.groups())
        self.setFolded(self._closed - keys if keys <= self._closed else self._closed | keys)

    def _show_folded(self) -> None:
        self._chart = folded(self._whole, self._closed)
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
        """The chart as it is shown: without what is folded away."""
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
        self._view = replace(self._view, selected=index, row=None)
        if index is not None:
            area = self.chart_rect()
            self._view = show_bar(self._model, self._view, index, area.width(), area.height())
        self._changed()
        self._describe()
        if index is not None:
            self.barSelected.emit(int(self._chart.kept[index]))

    def _focus_row(self, row: int | None) -> None:
        """Give a folded group the place that a selected bar has."""
        self._view = replace(self._view, selected=None, row=row)
        if row is not None:
            area = self.chart_rect()
            self._view = show_row(self._model, self._view, row, area.width(), area.height())
        self._changed()
        self._describe()

    def hit(self, x: float, y: float) -> int | None:
        """The bar at a point of the viewport."""
        area = self.chart_rect()
        if not area.contains(QPointF(x, y)):
            return None
        return bar_at(self._model, self._view, x - area.left(), y - area.top())

    def sentence(self, index: int) -> str:
        """A bar in words: name, group, row, from when to when and how long."""
        name, place, times = bar_lines(self._model, self._look, index)
        return self._look.words.t("{name}. {place}. {times}.", name=name, place=place, times=times)

    def _describe(self) -> None:
        words, index = self._look.words, self._view.selected
        self.setAccessibleName(words.t("Schedule as a Gantt chart"))
        text = self.sentence(index) if index is not None else words.t("No bar selected")
        if self._view.row is not None:
            row = self._model.rows[self._view.row]
            text = words.t("{group}, folded. {use}", group=row.name, use=row.tip or row.use_text)
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
        lines = tip_lines(self._model, self._look, self._view, self.chart_rect(), point)
        if lines is None:
            self._tip.hide()
        else:
            self._tip.show_lines(lines, self._look, self.viewport().mapToGlobal(point.toPoint()))

    def _walk(self, way: Way) -> None:
        area = self.chart_rect()
        bar, row = walked(self._model, self._view, way, self._view.time_at(area.width() / 2))
        if bar is None and row is not None:
            self._focus_row(row)
        else:
            self.select(bar)

    def _fold_here(self) -> None:
        """Fold away what the selected bar belongs to, or open the group that has the focus."""
        row = self._view.row
        if row is not None:
            at_ms = self._view.time_at(self.chart_rect().width() / 2)
            self.toggle(self._model.rows[row].group)
            self.select(first_inside(self._model, row, at_ms))
            return
        index = self._view.selected
        if index is None:
            return
        place = int(self._model.bars.row[index])
        inside = [group for group in groups_of(self._model) if group.heading < place < group.past]
        if inside:
            self.toggle(inside[-1].key)

    def _group_at(self, point: QPointF) -> str:
        """The key of the group whose heading lies at a point of the viewport; "" for none."""
        area = self.chart_rect()
        row = row_at(self._model, self._view, point.y() - area.top()) if point.y() >= area.top() else None
        if row is None:
            return ""
        head = self._model.rows[row]
        return head.group if head.kind is RowKind.HEADING or point.x() < area.left() else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if key in WAYS and plain:
            self._walk(WAYS[key])
        elif key == Qt.Key.Key_F and plain:
            self._fold_here()
        elif key == Qt.Key.Key_F and event.modifiers() == Qt.KeyboardModifier.ShiftModifier:
            self.toggle_all()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(ZOOM_STEP, self._zoom_centre())
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / ZOOM_STEP, self._zoom_centre())
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._view.selected is not None:
            self.explainRequested.emit(int(self._chart.kept[self._view.selected]))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._view.row is not None:
            self._fold_here()
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
            if self._group_at(event.position()):
                self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
            else:
                self.viewport().unsetCursor()
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
        elif group := self._group_at(event.position()):
            self.toggle(group)
        else:
            self.select(self.hit(event.position().x(), event.position().y()))
        self._pressed, self._is_panning = None, False

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.hit(event.position().x(), event.position().y())
        if index is not None:
            self.explainRequested.emit(int(self._chart.kept[index]))

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
