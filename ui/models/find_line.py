"""The small line over a table in which a text is typed to find the rows that hold it.

It moves the table's current cell and nothing else: no row is hidden, no data changes.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QTableView

from estimator.wording import Wording
from ui.models.table import TupleTableModel
from ui.theme import Theme
from ui.widgets.icons import icon

_WIDTH = 300


class FindLine(QFrame):
    """Lies over the head of `table`, where it hides no row, or over the top of what a scrolled page shows of it.

    Esc closes it and gives the focus back.
    """

    def __init__(self, table: QTableView, model: TupleTableModel[Any], words: Wording, theme: Theme) -> None:
        super().__init__(table)
        self._table = table
        self._model = model
        self._words = words
        self._theme = theme
        self.setProperty("look", "raised")
        self.setAutoFillBackground(True)
        self.line = QLineEdit()
        self.line.setAccessibleName(words.t("Find in the table"))
        self.line.setPlaceholderText(words.t("Find (F3: next)"))
        self.line.textEdited.connect(self._typed)
        self._label = QLabel()
        self._label.setProperty("look", "error")
        self._label.hide()
        self.close_button = QPushButton()
        self.close_button.setProperty("look", "quiet")
        self.close_button.setAccessibleName(words.t("Close"))
        self.close_button.setToolTip(words.t("Close"))
        self.close_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # for the mouse; keys have Esc
        self.close_button.clicked.connect(self._leave)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.line, 1)
        row.addWidget(self._label)
        row.addWidget(self.close_button)
        self.hide()
        theme.changed.connect(self._dress)
        self._dress()
        table.installEventFilter(self)

    @property
    def said(self) -> str:
        """What it says where no row holds the text, else empty."""
        return "" if self._label.isHidden() else self._label.text()

    def open(self) -> None:
        """Show the line with its former text selected, ready to be typed over."""
        self.show()
        self._place()
        self.raise_()
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()

    def step(self, rows: int) -> None:
        """Go to the next row that holds the text, or with -1 to the one before; past the end it starts over."""
        self._go(self._table.currentIndex().row() + rows, rows)
        if self.said and not self.isVisible():
            self.open()  # it says so where it stands

    def _typed(self) -> None:
        """Stay in the current row while it still holds what is typed."""
        self._go(max(0, self._table.currentIndex().row()), 1)

    def _go(self, start: int, step: int) -> None:
        text = self.line.text()
        found = self._model.find(text, start, step) if text else None
        self._label.setText(self._words.t("Not found"))
        self._label.setVisible(bool(text) and found is None)
        if found is not None:
            row, column = found
            if self._table.isColumnHidden(column):
                column = max(0, self._table.currentIndex().column())
            self._table.setCurrentIndex(self._model.index(row, column))

    def _leave(self) -> None:
        self.hide()
        self._table.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _dress(self) -> None:
        self.close_button.setIcon(icon("cross", self._theme.color("text")))

    def _place(self) -> None:
        head = self._table.horizontalHeader()
        edge = self._table.frameWidth()
        room = self._seen().adjusted(edge, edge, -edge, -edge)
        width = min(_WIDTH, room.width())
        height = max(head.height(), self.line.minimumSizeHint().height())
        self.setGeometry(room.right() + 1 - width, room.top(), width, height)

    def _seen(self) -> QRect:
        """Return the part of the table that no scrolled page cuts off, in the table's own pixels."""
        seen = self._table.rect()
        outer = self._table.parentWidget()
        while outer is not None:
            seen &= outer.rect().translated(-self._table.mapTo(outer, QPoint()))
            outer = None if outer.isWindow() else outer.parentWidget()
        return seen

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._table and event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3):
            self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        # Whatever the line left unused ends here: the table below would edit, open or clear the cell found.
        event.accept()
