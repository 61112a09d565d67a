"""What the pointer reads on the chart: one bar, many merged, unused time, a row, a folded group; and its box."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from ui.gantt.axis import moment_text
from ui.gantt.look import GanttLook
from ui.gantt.model import BarFlag, GanttModel, RowKind
from ui.gantt.paint_bars import EXACT_BARS
from ui.gantt.view import GanttView, bar_at, row_at, row_tops, rows_in

Lines = tuple[str, str, str]


def tip_lines(
    model: GanttModel, look: GanttLook, view: GanttView, area: QRectF, point: QPointF
) -> Lines | None:
    """Name, place and times of what lies at a point of the viewport; `area` is where bars stand in it."""
    x, y = point.x() - area.left(), point.y() - area.top()
    row = row_at(model, view, y) if 0 <= y < area.height() else None
    if row is None:
        return None
    head = model.rows[row]
    if x < 0:
        return (head.name, head.tip, "") if head.tip else None
    if head.kind is RowKind.FOLDED:
        return _use_lines(model, look, row, view.time_at(x))
    index = bar_at(model, view, x, y)
    if index is not None:
        return _merged_lines(model, look, view, area, x, row) or bar_lines(model, look, index)
    idle = model.idle.at(row, view.time_at(x))
    return None if idle is None else _idle_lines(model, look, idle)


def bar_lines(model: GanttModel, look: GanttLook, index: int) -> Lines:
    """One bar: its name; its group, row and marks; from when to when and how long."""
    start, end = int(model.bars.start_ms[index]), int(model.bars.end_ms[index])
    row = model.rows[int(model.bars.row[index])].name
    is_critical = look.show_critical and bool(model.flags[index] & BarFlag.CRITICAL)
    critical = look.words.t("critical path") if is_critical else ""
    parts = (model.group_name(index), row, model.detail(index), critical)
    place = " · ".join(part for part in parts if part)
    return model.label(index) or parts[0], place, _times(look, start, end)


def _times(look: GanttLook, start_ms: int, end_ms: int) -> str:
    words = look.words
    return words.t(
        "{start} to {end}, {duration}",
        start=moment_text(start_ms, look.start, words),
        end=moment_text(end_ms, look.start, words),
        duration=words.exact_duration(end_ms - start_ms),
    )


def _use_lines(model: GanttModel, look: GanttLook, row: int, at_ms: float) -> Lines | None:
    """How many of a folded group are busy at a moment."""
    words, head = look.words, model.rows[row]
    for steps in model.steps:
        if steps.row == row and 0 <= at_ms < steps.times_ms[-1]:
            at = int(np.searchsorted(steps.times_ms, at_ms, side="right")) - 1
            busy, count = int(steps.used[min(at, steps.used.size - 1)]), int(steps.capacity)
            said = words.t("{busy} of {count} busy", busy=words.number(busy), count=words.number(count))
            return head.name, said, moment_text(int(at_ms), look.start, words)
    return (head.name, head.tip, "") if head.tip else None


def _idle_lines(model: GanttModel, look: GanttLook, index: int) -> Lines | None:
    is_setup = bool(model.is_setup[index])
    if not is_setup and not look.show_idle:
        return None
    start, end = int(model.idle.start_ms[index]), int(model.idle.end_ms[index])
    what = look.words.t("Set-up") if is_setup else look.words.t("Unused card")
    return what, model.rows[int(model.idle.row[index])].name, _times(look, start, end)


def _merged_lines(
    model: GanttModel, look: GanttLook, view: GanttView, area: QRectF, x: float, row: int
) -> Lines | None:
    """What the pointer stands on where bars are merged: how many and how busy, not one of many."""
    bars, words = model.bars, look.words
    from_ms, to_ms = view.time_at(x - 0.5), view.time_at(x + 0.5)
    inside = bars.window(row, row + 1, from_ms, to_ms)
    if inside.size < 2 or _visible_count(model, view, area) <= EXACT_BARS:
        return None
    busy = np.minimum(bars.end_ms[inside], to_ms) - np.maximum(bars.start_ms[inside], from_ms)
    share = words.percent(100 * float(busy.sum()) / (to_ms - from_ms), 0)
    return (
        words.n("{count} task", "{count} tasks", int(inside.size)),
        model.rows[row].name,
        words.t("{share} busy", share=share),
    )


def _visible_count(model: GanttModel, view: GanttView, area: QRectF) -> int:
    shown = rows_in(row_tops(model, view.row_height), view, area.height())
    first, last = model.bars.ranges(*shown, view.offset_ms, view.time_at(area.width()))
    return int((last - first).sum())


class TipBox(QFrame):
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
        self.setStyleSheet(f"TipBox {{ background: {colours.raised}; border: 1px solid {colours.control}; }}")
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
