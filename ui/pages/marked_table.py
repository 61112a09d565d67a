"""A table whose first column is a mark, a tick box or a radio button, that Space or a click sets.

It asks and changes nothing, as every `TableView`. A row is marked where its first column has a text, which is
what a copy and a screen reader get instead of the drawing.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QWidget

from estimator.wording import Wording
from ui.models.table import GROUP_ROLE, TupleTableModel
from ui.models.table_view import CellDelegate, TableView
from ui.theme import Theme
from ui.widgets.icons import paint_icon

MARK_WIDTH = 34
_BOX = 16.0
_ROUNDING = 3.0

_Index = QModelIndex | QPersistentModelIndex


class MarkedTable(TableView):
    """`marked` carries the place of a row whose mark a person wants to change."""

    marked = Signal(int)

    def __init__(
        self,
        model: TupleTableModel[Any],
        words: Wording,
        theme: Theme,
        name: str,
        *,
        radio: bool = False,
        sortable: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """`radio`: one row at most is marked, and the mark is round."""
        super().__init__(model, words, theme, name, sortable=sortable, whole_rows=True, parent=parent)
        self._marks = model
        self.setItemDelegateForColumn(0, _MarkDelegate(words, theme, radio, self))
        self.clicked.connect(self._clicked)

    def _clicked(self, index: QModelIndex) -> None:
        if index.column() == 0:
            self._mark(index)

    def _mark(self, index: QModelIndex) -> None:
        if index.isValid() and not self._marks.is_group(index.row()):
            self.marked.emit(self._marks.source_row(index.row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._mark(self.currentIndex())
            event.accept()
            return
        super().keyPressEvent(event)


class _MarkDelegate(CellDelegate):
    def __init__(self, words: Wording, theme: Theme, radio: bool, parent: QWidget) -> None:
        super().__init__(words, theme, parent)
        self._radio = radio

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        if index.data(GROUP_ROLE):
            return super().sizeHint(option, index)
        return QSize(MARK_WIDTH, self._theme.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        if index.data(GROUP_ROLE):
            super().paint(painter, option, index)
            return
        painter.save()
        state: QStyle.StateFlag = option.state
        box = QRectF(option.rect)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, self._theme.color("selection"))
        painter.setPen(self._theme.color("line"))
        painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_mark(painter, box.center(), bool(index.data()))
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(self._theme.color("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(option.rect.adjusted(0, 0, -1, -1))
        painter.restore()

    def _paint_mark(self, painter: QPainter, centre: QPointF, marked: bool) -> None:
        accent, surface = self._theme.color("accent"), self._theme.color("surface")
        outline = accent if marked else self._theme.color("control")
        square = QRectF(0, 0, _BOX, _BOX)
        square.moveCenter(centre)
        painter.setPen(QPen(outline, 1.0))
        if self._radio:
            painter.setBrush(accent if marked else surface)
            painter.drawEllipse(square.adjusted(0.5, 0.5, -0.5, -0.5))
            if marked:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(surface)
                painter.drawEllipse(centre, 3.0, 3.0)
            return
        painter.setBrush(accent if marked else surface)
        painter.drawRoundedRect(square.adjusted(0.5, 0.5, -0.5, -0.5), _ROUNDING, _ROUNDING)
        if marked:
            paint_icon(painter, square.adjusted(2, 2, -2, -2), "tick", self._theme.color("accent_text"))
