"""The list of the eight steps: icon, number, name, a line of live result, state. A rail where narrow.

It says which step was chosen and decides nothing: no step blocks another.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from estimator.wording import Wording
from ui.theme import TextRole, Theme
from ui.widgets.icons import STEP_ICONS, paint_icon

WIDE = 200
RAIL = 72
_Index = QModelIndex | QPersistentModelIndex


class StepState(StrEnum):
    """How far a step is."""

    COMPLETE = "complete"
    OPEN = "open"
    ERROR = "error"
    NOT_COMPUTED = "not computed"


_MARKS = {
    StepState.COMPLETE: ("tick", "ok"),
    StepState.OPEN: ("triangle", "warn"),
    StepState.ERROR: ("crossed-circle", "err"),
    StepState.NOT_COMPUTED: ("circle", "muted"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its name, its line of live result, its state. Text for people already."""

    name: str
    line: str = ""
    state: StepState = StepState.NOT_COMPUTED


class StepsList(QListView):
    """Shows eight steps and emits `chosen(int)`, 0 to 7, when a person chooses one."""

    chosen = Signal(int)

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = _StepsModel(words)
        self._silent = False
        self.setModel(self._model)
        self.setItemDelegate(_StepDelegate(theme, self))
        self.setAccessibleName(words.t("Steps"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # reached by F6, so that typing never passes through
        self.setObjectName("steps")
        self.selectionModel().currentChanged.connect(self._current_changed)
        theme.changed.connect(self._dress)
        self.set_rail(False)
        self._dress()

    def show_steps(self, steps: tuple[Step, ...]) -> None:
        """Show the steps, in their order."""
        self._model.show(steps)

    def set_current(self, step: int) -> None:
        """Mark a step as the one shown; `chosen` is not emitted."""
        self._silent = True
        self.setCurrentIndex(self._model.index(step))
        self._silent = False

    def set_rail(self, rail: bool) -> None:
        """Show icon, number and state alone, as under 1280 px; the names move to the tooltips."""
        self.setFixedWidth(RAIL if rail else WIDE)
        self.scheduleDelayedItemsLayout()

    def _dress(self) -> None:
        window, accent = self._theme.color("window").name(), self._theme.color("accent").name()
        self.setStyleSheet(
            f"QListView#steps {{ background: {window}; border: 2px solid {window}; padding: 6px 4px; }}"
            f"QListView#steps:focus {{ border: 2px solid {accent}; }}"
        )
        self.scheduleDelayedItemsLayout()

    def _current_changed(self, current: QModelIndex) -> None:
        if current.isValid() and not self._silent:
            self.chosen.emit(current.row())


class _StepsModel(QAbstractListModel):
    def __init__(self, words: Wording) -> None:
        super().__init__()
        self._steps: tuple[Step, ...] = ()
        self._states = {
            StepState.COMPLETE: words.t("complete"),
            StepState.OPEN: words.t("something stays open"),
            StepState.ERROR: words.t("has an error"),
            StepState.NOT_COMPUTED: words.t("not computed"),
        }

    def show(self, steps: tuple[Step, ...]) -> None:
        if len(steps) == len(self._steps):
            self._steps = steps
            self.dataChanged.emit(self.index(0), self.index(len(steps) - 1))
        else:
            self.beginResetModel()
            self._steps = steps
            self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._steps)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        step = self._steps[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return step.name
        if role == Qt.ItemDataRole.UserRole:
            return step
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            parts = [f"{index.row() + 1} {step.name}", step.line, self._states[step.state]]
            return ", ".join(part for part in parts if part)
        return None


class _StepDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, view: QListView) -> None:
        super().__init__(view)
        self._theme = theme
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        name = QFontMetrics(self._theme.font(TextRole.BODY)).height()
        line = QFontMetrics(self._theme.font(TextRole.SECONDARY)).height()
        return QSize(40, max(46, name + line + 8))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        step = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(step, Step):
            return
        box: QRect = option.rect
        state: QStyle.StateFlag = option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setPen(QPen(self._theme.color("accent"), 1))
            painter.setBrush(self._theme.color("selection"))
            painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -1.5), 4, 4)
        if self._view.width() <= RAIL:
            self._paint_rail(painter, box, index.row(), step, chosen)
        else:
            self._paint_wide(painter, box, index.row(), step, chosen)
        painter.restore()

    def _paint_rail(self, painter: QPainter, box: QRect, row: int, step: Step, chosen: bool) -> None:
        middle = box.center().y()
        paint_icon(
            painter, QRectF(box.x() + 5, middle - 8, 16, 16), STEP_ICONS[row], self._theme.color("text")
        )
        painter.setFont(self._name_font(chosen))
        painter.setPen(self._theme.color("text"))
        painter.drawText(
            QRect(box.x() + 22, box.y(), 16, box.height()), Qt.AlignmentFlag.AlignCenter, str(row + 1)
        )
        self._paint_mark(painter, QRectF(box.right() - 17, middle - 7, 14, 14), step)

    def _paint_wide(self, painter: QPainter, box: QRect, row: int, step: Step, chosen: bool) -> None:
        font = self._name_font(chosen)
        name = QFontMetrics(font).height()
        line = QFontMetrics(self._theme.font(TextRole.SECONDARY)).height()
        top = box.y() + (box.height() - name - line) // 2
        icon = QRectF(box.x() + 9, top + (name - 16) / 2, 16, 16)
        paint_icon(painter, icon, STEP_ICONS[row], self._theme.color("accent" if chosen else "muted"))
        room = box.width() - 34 - 28
        painter.setPen(self._theme.color("text"))
        painter.setFont(font)
        self._draw(painter, QRect(box.x() + 34, top, room, name), f"{row + 1}  {step.name}")
        painter.setPen(self._theme.color("muted"))
        painter.setFont(self._theme.font(TextRole.SECONDARY))
        self._draw(painter, QRect(box.x() + 34, top + name, room + 22, line), step.line)
        self._paint_mark(painter, QRectF(box.right() - 23, top + (name - 14) / 2 + 1, 14, 14), step)

    def _paint_mark(self, painter: QPainter, box: QRectF, step: Step) -> None:
        mark, color = _MARKS[step.state]
        paint_icon(painter, box, mark, self._theme.color(color))

    def _name_font(self, chosen: bool) -> QFont:
        font = self._theme.font(TextRole.BODY)
        if chosen:
            font.setWeight(QFont.Weight.DemiBold)
        return font

    @staticmethod
    def _draw(painter: QPainter, box: QRect, text: str) -> None:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
