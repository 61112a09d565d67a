"""Under the chart: the assignment policies on the same tasks side by side, and a line that says what binds."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from estimator.quote import Quote
from estimator.results.estimate import Estimate
from estimator.wording import Wording
from ui.models.table import TupleTableModel
from ui.pages.marked_table import MARK_WIDTH, MarkedTable
from ui.pages.page import GAP
from ui.pages.schedule_notes import Notes, notes_of
from ui.pages.schedule_tables import PolicyRow, policy_columns, policy_rows
from ui.theme import Theme
from ui.widgets.icons import pixmap

POLICY_WIDTHS = (MARK_WIDTH, 176, 92, 104, 96, 168, 104)
"""In pixels, but for the last column, which takes the rest."""


class PolicyPanel(QWidget):
    """`chosen` carries the policy that somebody wants; `explain` asks for the delivery of the one in use."""

    chosen = Signal(object)
    explain = Signal()

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._notes_bind = False
        self.model: TupleTableModel[PolicyRow] = TupleTableModel(policy_columns(words), words, theme)
        self.table = MarkedTable(self.model, words, theme, words.t("Assignment policies"), radio=True)
        self.model.setParent(self.table)
        self.table.marked.connect(self._choose)
        self.table.opened.connect(self._choose)
        self.table.explain.connect(self._explain)
        self._note = QFrame()
        self._note.setProperty("look", "raised")
        self._note_icon = QLabel()
        self._note_text = QLabel()
        self._note_text.setWordWrap(True)
        row = QHBoxLayout(self._note)
        row.setContentsMargins(12, 8, 12, 8)
        row.setSpacing(8)
        row.addWidget(self._note_icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._note_text, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP - 4)
        column.addWidget(self.table)
        column.addWidget(self._note)
        self.table.hide()
        self._note.hide()
        theme.changed.connect(self._dress)
        self._dress()

    def show_state(self, quote: Quote, estimate: Estimate) -> None:
        """Show the policies of the organisation shown, and what binds."""
        rows = policy_rows(quote, estimate)
        current = self.table.currentIndex()
        self.model.show_rows(rows)
        self.table.setVisible(bool(rows))
        self.table.fit_height()
        if rows and not current.isValid():
            place = next((at for at, row in enumerate(rows) if row.chosen), 0)
            self.table.setCurrentIndex(self.model.index(place, 1))
        self._show_notes(notes_of(self._words, estimate))

    def _show_notes(self, notes: Notes) -> None:
        self._notes_bind = notes.binds
        self._note.setVisible(bool(notes.sentences))
        self._note_text.setText(" ".join(notes.sentences))
        self._dress_note()

    def _choose(self, place: int) -> None:
        row = self.model.rows[place]
        if isinstance(row, PolicyRow) and not row.chosen:
            self.chosen.emit(row.result.policy)

    def _explain(self, place: int, _column: int) -> None:
        row = self.model.rows[place]
        if isinstance(row, PolicyRow) and row.chosen:
            self.explain.emit()

    def _dress(self) -> None:
        for place, width in enumerate(POLICY_WIDTHS):
            self.table.setColumnWidth(place, width)
        self.table.fit_height()
        self._dress_note()

    def _dress_note(self) -> None:
        name, color = ("triangle", "warn") if self._notes_bind else ("info", "accent")
        self._note_icon.setPixmap(pixmap(name, self._theme.color(color)))
