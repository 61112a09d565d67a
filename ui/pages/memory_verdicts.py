"""The cards of the quote in a box, each with what memory says of it, and the way to all card models."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from estimator.wording import Wording
from estimator.wording.phrases import fit_text
from ui.pages.memory_rows import FIT_ICONS, FIT_ROLES, Verdict, capital
from ui.theme import TextRole, Theme
from ui.widgets.icons import pixmap


class VerdictBox(QFrame):
    """One line a card: name, icon and words. `link` leads to every card model."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._shown: tuple[Verdict, ...] = ()
        self._labels: list[QLabel] = []
        self.setProperty("look", "box")
        self._title = QLabel(words.t("Which cards admit it"))
        self.link = QPushButton(words.t("See the cards"))
        self.link.setProperty("look", "link")
        head = QHBoxLayout()
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(self.link)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(2, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(6)
        column.addLayout(head)
        column.addLayout(self._grid)
        theme.changed.connect(self._refill)
        self._refill()

    @property
    def lines(self) -> tuple[str, ...]:
        """The texts shown: cards and their verdicts in turn."""
        return tuple(label.text() for label in self._labels if label.text())

    def show_verdicts(self, verdicts: tuple[Verdict, ...], known_cards: int) -> None:
        """Show other verdicts; `known_cards` is how many card models the link leads to."""
        self.link.setText(self._words.n("See the {count} card", "See the {count} cards", known_cards))
        if verdicts != self._shown:
            self._shown = verdicts
            self._refill()

    def _refill(self) -> None:
        self._title.setFont(self._theme.font(TextRole.SECTION))
        for label in self._labels:
            self._grid.removeWidget(label)
            label.hide()
            label.deleteLater()
        self._labels = []
        for row, one in enumerate(self._shown):
            self._add(row, one)
        if not self._shown:
            none = QLabel(self._words.t("The quote has no cards yet."))
            none.setProperty("look", "muted")
            self._grid.addWidget(none, 0, 0)
            self._labels.append(none)

    def _add(self, row: int, one: Verdict) -> None:
        color = self._theme.color(FIT_ROLES[one.verdict.fits])
        name = QLabel(one.card.name)
        mark = QLabel()
        mark.setPixmap(pixmap(FIT_ICONS[one.verdict.fits], color))
        said = QLabel(capital(fit_text(self._words, one.verdict)))
        said.setWordWrap(True)
        said.setStyleSheet(f"color: {color.name()}")
        for column, label in enumerate((name, mark, said)):
            self._grid.addWidget(label, row, column, Qt.AlignmentFlag.AlignVCenter)
            self._labels.append(label)
