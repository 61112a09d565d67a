"""Issuing on the Quote page: what was issued last, what differs from it now, and revisions side by side.

Asks for the edit; the page makes it one undo step.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QHeaderView, QLabel, QPushButton, QVBoxLayout, QWidget

from estimator.issuing import differences, figures_of, why_not
from estimator.quote import Quote
from estimator.quote.issue import IssuedFigures
from estimator.results.estimate import Estimate
from estimator.wording import Wording
from estimator.wording.issued import COMPARED, difference_text, figure_name, figure_text, issue_text
from ui.models.table import Column
from ui.models.table_view import TableView
from ui.pages.changing_table import ChangingTableModel
from ui.theme import TextRole, Theme

MOST_DIFFERENCES = 8
MOST_REVISIONS = 4
"""Revisions side by side: the newest ones, and the answer as it is now."""


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """One figure in every revision shown, oldest first, and now. `differs`: not the same in all of them."""

    name: str
    texts: tuple[str, ...]
    differs: bool


class IssuesBox(QFrame):
    """Says what was issued. `issue_asked`: freeze the answer as the next revision."""

    issue_asked = Signal()

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self.setProperty("look", "box")
        self._text = _wrapped()
        self._text.setFont(theme.font(TextRole.BODY))
        self._differences = _wrapped()
        self._reason = _wrapped("muted")
        self.issue_button = QPushButton()
        self.issue_button.clicked.connect(lambda: self.issue_asked.emit())
        self.compare_button = QPushButton(words.t("Compare revisions"))
        self.compare_button.setCheckable(True)
        self.compare_button.toggled.connect(self._compare_toggled)
        self.model: ChangingTableModel[RevisionRow] = ChangingTableModel((), words, theme)
        self.table = TableView(self.model, words, theme, words.t("Revisions side by side"), whole_rows=True)
        self.table.hide()
        head = QHBoxLayout()
        head.addWidget(self._text, 1)
        head.addWidget(self.compare_button)
        head.addWidget(self.issue_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(6)
        column.addLayout(head)
        for widget in (self._reason, self._differences, self.table):
            column.addWidget(widget)

    @property
    def said(self) -> str:
        """What stands in the box, line by line."""
        return "\n".join(
            label.text()
            for label in (self._text, self._reason, self._differences)
            if not label.isHidden() and label.text()
        )

    def show_state(self, quote: Quote, estimate: Estimate | None, stale: bool) -> None:
        """Show what was issued and what differs from it; while an answer is computed, what was shown stays."""
        words = self._words
        last = quote.issues[-1] if quote.issues else None
        self._text.setText(words.t("Not issued yet.") if last is None else issue_text(words, last))
        self.issue_button.setText(words.t("Issue") if last is None else words.t("Issue a revision"))
        self.compare_button.setVisible(last is not None)
        if last is None:
            self.compare_button.setChecked(False)
        self.table.setVisible(self.compare_button.isChecked())
        if estimate is None or stale:
            self.issue_button.setEnabled(False)
            return
        reason = why_not(quote, estimate)
        self.issue_button.setEnabled(reason is None)
        self._reason.setText("" if reason is None else words.absent(reason))
        self._reason.setVisible(reason is not None)
        now = figures_of(estimate)
        self._show_differences(None if last is None else last.figures, now)
        self._show_revisions(quote, now)

    def stops(self) -> list[QWidget]:
        """Return what takes the focus, in reading order."""
        return [self.compare_button, self.issue_button, self.table]

    def _compare_toggled(self, shown: bool) -> None:
        self.table.setVisible(shown)

    def _show_differences(self, before: IssuedFigures | None, now: IssuedFigures) -> None:
        words = self._words
        found = () if before is None else differences(before, now)
        lines = [difference_text(words, one, before or now, now) for one in found[:MOST_DIFFERENCES]]
        if len(found) > MOST_DIFFERENCES:
            lines.append(words.t("and {count} more", count=words.number(len(found) - MOST_DIFFERENCES)))
        if lines:
            lines.insert(0, words.t("Since then it has changed; what was issued stays as it was:"))
        elif before is not None:
            lines = [words.t("The answer is still what was issued.")]
        self._differences.setText("\n".join(lines))
        self._differences.setVisible(bool(lines))

    def _show_revisions(self, quote: Quote, now: IssuedFigures) -> None:
        words = self._words
        issues = quote.issues[-MOST_REVISIONS:]
        columns = [*(one.figures for one in issues), now]
        names = [words.t("Revision {number}", number=words.number(one.revision)) for one in issues]
        rows = []
        for name in COMPARED:
            texts = tuple(figure_text(words, one, name) for one in columns)
            rows.append(RevisionRow(figure_name(words, name), texts, len(set(texts)) > 1))
        first: Column[RevisionRow] = Column("", lambda row: row.name, bold=lambda row: row.differs)
        shown = (first, *(_revision_column(name, at) for at, name in enumerate([*names, words.t("Now")])))
        self.model.show_table(shown, tuple(rows))
        head = self.table.horizontalHeader()
        head.setStretchLastSection(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.fit_height(len(rows))


def _revision_column(name: str, at: int) -> Column[RevisionRow]:
    return Column(name, lambda row: row.texts[at], right=True, bold=lambda row: row.differs)


def _wrapped(look: str = "") -> QLabel:
    label = QLabel()
    label.setWordWrap(True)
    if look:
        label.setProperty("look", look)
    return label
