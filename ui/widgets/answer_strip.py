"""The answer strip: the quote and the organisation shown, then five cells, on every page in every state.

The fifth cell, the status, is a button like the others and leads to what stays open. No cell ever shows a sum
of memory; the strip shows what it is given.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from estimator.wording import Wording
from ui.theme import TextRole, Theme
from ui.widgets.elided_combo import ElidedCombo
from ui.widgets.figure import FigureButton, HeadlineCell

SHORT_BELOW = 1280
LEFT = 248
LEFT_SHORT = 200
LEFT_LEAST = 150
TWO_LINES_BELOW = 1100
"""Narrower than the smallest window: scaling has left less, and the third line goes."""
CELLS = 5


class AnswerStrip(QWidget):
    """Shows the headline. `explain` carries the number of a cell (0 to 4) and its button, as an anchor."""

    organisation_chosen = Signal(str)
    explain = Signal(int, object)
    jump = Signal(object)

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._full_name = ""
        self._three_lines = True
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(words.t("Answer"))
        self._name = QLabel()
        self._name.setTextFormat(Qt.TextFormat.PlainText)
        self.organisations = ElidedCombo(Qt.TextElideMode.ElideMiddle)
        self.organisations.setProperty("look", "low")
        self.organisations.setAccessibleName(words.t("Organisation shown"))
        self.organisations.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.organisations.activated.connect(self._organisation_activated)
        self.organisations.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._against_full = ""
        self._against = QLabel()
        self._against.setTextFormat(Qt.TextFormat.PlainText)
        self._against.setProperty("look", "muted")
        self.cells = tuple(FigureButton(words, theme) for _ in range(CELLS))
        self._lay_out()
        for number, cell in enumerate(self.cells):
            cell.explain.connect(lambda number=number: self.explain.emit(number, self.cells[number]))
            cell.jump.connect(self.jump)
            cell.leave.connect(lambda step, number=number: self._focus_cell(number + step))
        theme.changed.connect(self._dress)
        self._dress()

    def show_headline(self, cells: tuple[HeadlineCell, ...]) -> None:
        """Show the five cells, in their order: cards, worst peak, delivery, cost, status."""
        for button, cell in zip(self.cells, cells, strict=True):
            button.show_cell(cell)

    def show_quote(
        self, name: str, organisations: tuple[tuple[str, str], ...], shown: str | None, against: str = ""
    ) -> None:
        """Show the quote's name, the organisations (id, words), the one shown, and the one compared with."""
        self._full_name = name
        self.organisations.clear()
        for key, words in organisations:
            self.organisations.addItem(words, key)
        self.organisations.setEnabled(bool(organisations))
        if not organisations:
            self.organisations.addItem(self._words.t("No organisation"), "")
        keys = [key for key, _ in organisations]
        self.organisations.setCurrentIndex(keys.index(shown) if shown in keys else 0)
        self._against_full = self._words.t("against {name}", name=against) if against else ""
        self._place_labels()

    def announce(self, cell: int) -> None:
        """Have a screen reader say a cell; the caller sees to it that it is one a second at most."""
        QAccessible.updateAccessibility(QAccessibleEvent(self.cells[cell], QAccessible.Event.Alert))

    def set_three_lines(self, three_lines: bool) -> None:
        """Drop or show the third line, where scaling leaves less than the smallest window."""
        self._three_lines = three_lines
        self._dress()

    def focus_first(self) -> None:
        """Take the focus, as F6 asks; the arrows walk from here."""
        self.cells[0].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _focus_cell(self, number: int) -> None:
        if number < 0:
            self.organisations.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self.cells[min(number, CELLS - 1)].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _lay_out(self) -> None:
        self._left = QWidget()
        column = QVBoxLayout(self._left)
        column.setContentsMargins(16, 5, 8, 5)
        column.setSpacing(2)
        column.addStretch(1)
        column.addWidget(self._name)
        column.addWidget(self.organisations)
        column.addWidget(self._against)
        column.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 1)
        row.setSpacing(1)  # the gaps are the lines between the cells
        row.addWidget(self._left)
        for cell in self.cells:
            row.addWidget(cell, 1)

    def _dress(self) -> None:
        self._name.setFont(self._theme.font(TextRole.SECTION))
        self._against.setFont(self._theme.font(TextRole.SECONDARY))
        self.organisations.setFont(self._theme.font(TextRole.SECONDARY))
        self._place_labels()

    def _place_labels(self) -> None:
        short = self.width() < SHORT_BELOW
        three_lines = self._three_lines and self.width() >= TWO_LINES_BELOW
        self._left.setFixedWidth(LEFT if not short else LEFT_SHORT if three_lines else LEFT_LEAST)
        room = self._left.width() - 24
        for label, text in ((self._name, self._full_name), (self._against, self._against_full)):
            shown = label.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
            label.setText(shown)
            label.setToolTip(text if shown != text else "")
        self._against.setVisible(three_lines and bool(self._against_full))
        for cell in self.cells:
            cell.set_short(short, three_lines)
        self.setFixedHeight(self.cells[0].sizeHint().height())
        self.update()

    def _organisation_activated(self, index: int) -> None:
        key = self.organisations.itemData(index)
        if isinstance(key, str) and key:
            self.organisation_chosen.emit(key)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_labels()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("line"))
        painter.fillRect(self._left.geometry(), self._theme.color("surface"))
        painter.end()
