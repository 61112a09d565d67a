"""Ticks whose text may take several lines, alone and as a list by id."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget


class Tick(QWidget):
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
        self.setFocusProxy(self.mark)

    def set_ticked(self, ticked: bool) -> None:
        """Show whether it is ticked; nothing is emitted."""
        self.mark.setChecked(ticked)


class TickList(QWidget):
    """One tick for each (id, text). `changed(id, ticked)` only where a person did it."""

    changed = Signal(str, bool)
    rebuilt = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ticks: dict[str, Tick] = {}
        self._shown: tuple[tuple[str, str], ...] = ()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)

    def show_ticks(self, choices: tuple[tuple[str, str], ...], ticked: frozenset[str]) -> None:
        """Show these choices; the widgets stay where only the ticks differ."""
        if choices != self._shown:
            self._shown = choices
            for tick in self.ticks.values():
                self._column.removeWidget(tick)
                tick.deleteLater()
            self.ticks = {}
            for id_, text in choices:
                tick = Tick(text)
                tick.ticked.connect(lambda on, id_=id_: self.changed.emit(id_, on))
                self._column.addWidget(tick)
                self.ticks[id_] = tick
            self.rebuilt.emit()
        for id_, tick in self.ticks.items():
            tick.set_ticked(id_ in ticked)


class _ClickLabel(QLabel):
    clicked = Signal()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()
