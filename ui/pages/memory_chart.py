"""The chart of the memory page: bars with their legend and what they rest on, or the three ways in."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from estimator.evidence import EvidenceKind
from estimator.wording import Wording
from ui.pages.charts import RecalculatingTag
from ui.theme import TextRole, Theme
from ui.widgets.bars import BarsContent, BarsLegend, MemoryBars
from ui.widgets.evidence_chip import EvidenceChip


class MemoryChart(QFrame):
    """Shows bars, or says why there are none and how to begin."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self.setProperty("look", "box")
        self._title = QLabel()
        self._note = _muted()
        self.tag = RecalculatingTag(words, theme)
        self.bars = MemoryBars(words, theme, words.t("Peak of a card, phase by phase"))
        self.legend = BarsLegend(theme)
        self.reason = _muted()
        self.reason.setWordWrap(True)
        self.choose_model = QPushButton(words.t("Choose a model"))
        self.read_config = QPushButton(words.t("Read a config.json…"))
        self.first_phase = QPushButton(words.t("Add phase"))
        self._drop = _muted()
        self._drop.setText(words.t("A config.json can also be dropped on this page."))
        self._chip = EvidenceChip(words, theme)
        self._basis = _muted()
        self._basis.setWordWrap(True)
        self.explain = QPushButton(words.t("How it is computed"))
        self.explain.setProperty("look", "link")
        self.all_moments = QPushButton()
        self.all_moments.setProperty("look", "link")
        self.all_moments.setCheckable(True)
        self._lay_out()
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def ways_in(self) -> tuple[QPushButton, ...]:
        """The buttons of an empty page."""
        return (self.choose_model, self.read_config, self.first_phase)

    @property
    def basis(self) -> str:
        """What the bars of a known model rest on, or empty."""
        return "" if self._foot.isHidden() else self._basis.text()

    def show_bars(self, content: BarsContent, title: str, note: str) -> None:
        """Show bars under a title."""
        self._set_empty(False)
        self._title.setText(title)
        self._note.setText(note)
        self.bars.show_bars(content)
        self.legend.show_parts(content.legend)

    def show_basis(self, kind: EvidenceKind | None, text: str) -> None:
        """Say what the bars of a known model rest on; None for a program's."""
        self._foot.setVisible(kind is not None)
        self._chip.set_kind(kind)
        self._basis.setText(text)

    def show_hidden_moments(self, count: int) -> None:
        """Offer `count` moments that are far below the worst; 0 takes the offer away."""
        self.all_moments.setVisible(count > 0)
        self.all_moments.setText(
            self._words.t("Only the largest")
            if self.all_moments.isChecked()
            else self._words.n("All moments: {count} more", "All moments: {count} more", count)
        )

    def show_reason(self, text: str, *, ways_in: bool) -> None:
        """Say why there are no bars; `ways_in`: nothing is stated yet."""
        self._set_empty(True)
        self._title.setText(self._words.t("Peak by card and phase"))
        self.reason.setText(text)
        for part in (*self.ways_in, self._drop):
            part.setVisible(ways_in)

    def _set_empty(self, empty: bool) -> None:
        full: tuple[QWidget, ...] = (self.bars, self.legend, self._note)
        for part in full:
            part.setVisible(not empty)
        self.reason.setVisible(empty)
        self._filler.setVisible(empty)
        if empty:
            self._foot.hide()
            self.all_moments.hide()
            return
        for one in (*self.ways_in, self._drop):
            one.hide()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(self.tag)
        head.addWidget(self._note)
        head.addWidget(self.all_moments)
        ways = QHBoxLayout()
        ways.setSpacing(8)
        for button in self.ways_in:
            ways.addWidget(button)
        ways.addStretch(1)
        self._foot = QWidget()
        foot = QHBoxLayout(self._foot)
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(8)
        foot.addWidget(self._chip, 0, Qt.AlignmentFlag.AlignTop)
        foot.addWidget(self._basis, 1)
        foot.addWidget(self.explain, 0, Qt.AlignmentFlag.AlignTop)
        self._filler = QWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.reason)
        column.addLayout(ways)
        column.addWidget(self._drop)
        column.addWidget(self.bars, 1)
        column.addWidget(self.legend)
        column.addWidget(self._foot)
        column.addWidget(self._filler, 1)
        for part in (*self.ways_in, self._drop, self._foot, self.all_moments):
            part.hide()

    def _dress(self) -> None:
        self._title.setFont(self._theme.font(TextRole.SECTION))
        for part in (self._note, self._basis, self._drop):
            part.setFont(self._theme.font(TextRole.SECONDARY))


def _muted() -> QLabel:
    label = QLabel()
    label.setProperty("look", "muted")
    return label
