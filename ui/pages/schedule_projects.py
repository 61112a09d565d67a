"""What each project's delivery loses to the others on the same cards: a table under the policies.

It shows what the estimate holds; nothing is computed or edited here.
"""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from estimator.results.estimate import Estimate, ProjectTime
from estimator.wording import Wording
from estimator.wording.phrases import project_cells, project_heads
from ui.models.table import Column, TupleTableModel
from ui.models.table_view import TableView
from ui.theme import Theme

PROJECT, TOGETHER, ALONE, LOSES, DUE, LATE = range(6)
WIDTHS = (220, 120, 120, 150, 120)
"""In pixels, but for the last column, which takes the rest."""


class ProjectPanel(QWidget):
    """The projects with stages, as long as there are any."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model: TupleTableModel[ProjectTime] = TupleTableModel(project_columns(words), words, theme)
        self.table = TableView(self.model, words, theme, words.t("Projects"), whole_rows=True)
        self.model.setParent(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table)
        self.hide()
        theme.changed.connect(self._dress)
        self._dress()

    def show_estimate(self, estimate: Estimate) -> None:
        """Show the projects of a complete estimate."""
        current = self.table.currentIndex()
        self.model.show_rows(estimate.projects)
        self.setVisible(bool(estimate.projects))
        self.table.fit_height()
        if estimate.projects and not current.isValid():
            self.table.setCurrentIndex(self.model.index(0, PROJECT))

    def _dress(self) -> None:
        for place, width in enumerate(WIDTHS):
            self.table.setColumnWidth(place, width)
        self.table.fit_height()


def project_columns(words: Wording) -> tuple[Column[ProjectTime], ...]:
    """Return the columns of the projects."""
    names = project_heads(words)

    def cell(place: int) -> Column[ProjectTime]:
        return Column(
            names[place],
            lambda row: project_cells(words, row)[place],
            right=place != PROJECT,
            bold=lambda row: place == LATE and bool(row.late_ms),
        )

    return tuple(cell(place) for place in range(len(names)))
