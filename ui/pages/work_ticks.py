"""Ticks whose text may take several lines, alone and as a list by id; a list of many is one scrolling view."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QListView, QVBoxLayout, QWidget

from ui.widgets.compound import Compound

MOST_TICKS = 24
"""Choices that get a widget each: Qt lays out and shows hundreds of widgets in seconds, thousands in a minute."""
_LIST_HEIGHT = 168
_Index = QModelIndex | QPersistentModelIndex


class Tick(Compound):
    """A box to tick with a text that wraps. `ticked(bool)` only where a person did it."""

    ticked = Signal(bool)

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mark = QCheckBox()
        self.mark.setAccessibleName(text)
        self.mark.clicked.connect(self.ticked)
        self._label = _ClickLabel(text)
        self._label.setWordWrap(True)
        self._label.clicked.connect(self.mark.click)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._label, 1)
        self.first = self.mark

    def set_ticked(self, ticked: bool) -> None:
        """Show whether it is ticked; nothing is emitted."""
        self.mark.setChecked(ticked)


class TickList(QWidget):
    """One tick for each (id, text). `changed(id, ticked)` only where a person did it.

    Up to `MOST_TICKS` choices are widgets, in `ticks`; more are the rows of `view`. `name` is what a screen
    reader calls that view.
    """

    changed = Signal(str, bool)
    rebuilt = Signal()

    def __init__(self, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ticks: dict[str, Tick] = {}
        self.view: QListView | None = None
        self._name = name
        self._shown: tuple[tuple[str, str], ...] = ()
        self._model = _TicksModel(self)
        self._model.changed.connect(self.changed)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)

    @property
    def first(self) -> QWidget | None:
        """What gets the focus; None where there is nothing to tick."""
        return self.view or next(iter(self.ticks.values()), None)

    def show_ticks(self, choices: tuple[tuple[str, str], ...], ticked: frozenset[str]) -> None:
        """Show these choices; the widgets stay where only the ticks differ."""
        anew = choices != self._shown
        if anew:
            self._shown = choices
            self._show_choices(choices if len(choices) <= MOST_TICKS else ())
            self._show_view(len(choices) > MOST_TICKS)
        for id_, tick in self.ticks.items():
            tick.set_ticked(id_ in ticked)
        if self.view is not None:
            self._model.show(choices, ticked)
            place = next((place for place, (id_, _) in enumerate(choices) if id_ in ticked), 0)
            if anew:
                self.view.setCurrentIndex(self._model.index(place))
                self.view.scrollTo(self._model.index(place), QListView.ScrollHint.PositionAtTop)

    def _show_choices(self, choices: tuple[tuple[str, str], ...]) -> None:
        if not choices and not self.ticks:
            return
        for tick in self.ticks.values():
            self._column.removeWidget(tick)
            tick.hide()
            tick.deleteLater()
        self.ticks = {}
        for id_, text in choices:
            tick = Tick(text)
            tick.ticked.connect(lambda on, id_=id_: self.changed.emit(id_, on))
            self._column.addWidget(tick)
            self.ticks[id_] = tick
        self.rebuilt.emit()

    def _show_view(self, wanted: bool) -> None:
        if wanted and self.view is None:
            self.view = QListView()
            self.view.setModel(self._model)
            self.view.setUniformItemSizes(True)
            self.view.setFixedHeight(_LIST_HEIGHT)
            self.view.setAccessibleName(self._name)
            self._column.addWidget(self.view)
            self.rebuilt.emit()
        elif not wanted and self.view is not None:
            self._column.removeWidget(self.view)
            self.view.hide()
            self.view.deleteLater()
            self.view = None
            self.rebuilt.emit()


class _TicksModel(QAbstractListModel):
    """The choices as rows; a tick asks, and the answer shows it."""

    changed = Signal(str, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._choices: tuple[tuple[str, str], ...] = ()
        self._ticked: frozenset[str] = frozenset()

    def show(self, choices: tuple[tuple[str, str], ...], ticked: frozenset[str]) -> None:
        if choices != self._choices:
            self.beginResetModel()
            self._choices, self._ticked = choices, ticked
            self.endResetModel()
        elif ticked != self._ticked:
            self._ticked = ticked
            self.dataChanged.emit(self.index(0), self.index(len(choices) - 1))

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._choices)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        id_, text = self._choices[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return text
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if id_ in self._ticked else Qt.CheckState.Unchecked
        return None

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if not index.isValid() or role != Qt.ItemDataRole.CheckStateRole:
            return False
        self.changed.emit(self._choices[index.row()][0], Qt.CheckState(value) is Qt.CheckState.Checked)
        return True


class _ClickLabel(QLabel):
    clicked = Signal()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()
