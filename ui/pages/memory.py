"""Page 3, Memory: what each card must hold at its worst moment, by phase and state class.

Bars and numbers on the left, what is typed on the right. A bar is one card: nothing here adds cards up.
"""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from estimator.problems import Place
from estimator.quote import Organisation, Quote
from estimator.results.estimate import Estimate
from estimator.results.memory import PhaseMemory, StageMemory
from ui.models.table import TupleTableModel
from ui.models.table_view import TableView
from ui.pages.changing_table import ChangingTableModel
from ui.pages.charts import RecalculatingTag
from ui.pages.memory_inspector import MemoryInspector
from ui.pages.memory_rows import (
    Peaks,
    Verdict,
    bars_content,
    ledger_columns,
    quote_verdicts,
    shown_card,
    stage_memory,
    verdict_columns,
    verdict_rows,
    why_no_bars,
)
from ui.pages.memory_verdicts import VerdictBox
from ui.pages.page import GAP, Context, Page, box
from ui.theme import TextRole
from ui.widgets.bars import BarsLegend, MemoryBars

_MOST_LEDGER_ROWS = 8
_CARDS_HEIGHT = 240


class MemoryPage(Page):
    """Shows the memory of one stage in the shown organisation."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        words = context.words
        super().__init__(
            context, words.t("Memory"), words.t("What must each card hold at its worst moment?"), parent
        )
        self._quote: Quote | None = None
        self._estimate: Estimate | None = None
        self._stage_id = ""
        self._former: Peaks = {}
        self._peaks: Peaks = {}
        self._peaks_of: tuple[Quote, str, str] | None = None
        self.add_steps(words.t("Organisations"), words.t("Cards and lots"))
        self.tag = RecalculatingTag(words, self.theme)
        self.bars = MemoryBars(words, self.theme, words.t("Peak of a card, phase by phase"))
        self.legend = BarsLegend(self.theme)
        self.reason = QLabel()
        self.reason.setWordWrap(True)
        self.reason.setProperty("look", "muted")
        self.first_phase = QPushButton(words.t("Add phase"))
        self.ledger: ChangingTableModel[PhaseMemory] = ChangingTableModel((), words, self.theme)
        self.ledger_table = TableView(
            self.ledger, words, self.theme, words.t("Memory by phase, in GiB on each card"), whole_rows=True
        )
        self.ledger.setParent(self.ledger_table)
        self.verdicts: TupleTableModel[Verdict] = TupleTableModel(verdict_columns(words), words, self.theme)
        self.verdict_table = TableView(
            self.verdicts,
            words,
            self.theme,
            words.t("Which cards admit it"),
            sortable=True,
            whole_rows=True,
        )
        self.verdicts.setParent(self.verdict_table)
        self.toggle = QPushButton(words.t("Numbers by phase"))
        self.toggle.setProperty("look", "link")
        self.verdict_box = VerdictBox(words, self.theme)
        self.inspector = MemoryInspector(words, self.theme, self.edit)
        self._lay_out()
        self._connect()
        self._show_tables(cards=False)
        self._dress()

    @property
    def stage_id(self) -> str:
        """The stage that is shown, or empty."""
        return self._stage_id

    def show_state(self, quote: Quote, estimate: Estimate | None, stale: bool) -> None:
        """Show what is typed at once, and bars and verdicts as far as the estimate has them."""
        self._quote, self._estimate = quote, estimate
        stages = [stage for stage in quote.workload.stages if stage.on_cards]
        if self._stage_id not in {stage.id for stage in stages}:
            main = quote.workload.main_stage
            self._stage_id = "" if main is None else main.id
        known = len({card.id for card in (*quote.cards, *self.context.catalogue().cards)})
        self.inspector.show_quote(quote, self._stage_id, self._organisation())
        self.tag.set_waiting(stale and bool(self.bars.content.bars))
        if not stale:
            self._remember_peaks()
            self.verdict_box.show_verdicts(quote_verdicts(estimate), known)
            self._show_bars()
            if self._shows_cards:
                self.verdicts.show_rows(verdict_rows(self.words, estimate, self.context.catalogue()))

    def go_to(self, place: Place) -> bool:
        """Focus the value of a stage's memory, or the partition of an organisation's stage."""
        if self._quote is None or len(place) < 4 or place[:2] != ("workload", "stages"):
            return False
        stage = self._quote.workload.stage(place[2])
        if stage is None or not stage.on_cards or place[3] != "memory":
            return False
        self._choose_stage(stage.id)
        self.inspector.terms.go_to(place[4] if len(place) > 4 else "")
        return True

    def focus_first(self) -> None:
        """Give focus to the numbers, or to the first phase where there is none."""
        if self.first_phase.isVisible():
            self.first_phase.setFocus()
        elif self._shows_cards:
            self.verdict_table.setFocus()
        else:
            self.ledger_table.setFocus()

    def toggle_table(self) -> None:
        """Show the cards in place of the numbers, or the numbers again."""
        self._show_tables(cards=not self._shows_cards)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier and event.key() == Qt.Key.Key_T:
            self.toggle_table()
            event.accept()
            return
        super().keyPressEvent(event)

    @property
    def _shows_cards(self) -> bool:
        return self.tables.currentWidget() is self.verdict_table

    def _lay_out(self) -> None:
        words = self.words
        chart, column = box()
        self._chart_title = QLabel(words.t("Peak by card and phase"))
        self._note = QLabel(words.t("Each bar is one card; there is no common bar"))
        self._note.setProperty("look", "muted")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._chart_title)
        head.addStretch(1)
        head.addWidget(self.tag)
        head.addWidget(self._note)
        column.addLayout(head)
        column.addWidget(self.reason)
        column.addWidget(self.first_phase, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.bars, 1)
        column.addWidget(self.legend)
        self._filler = QWidget()
        column.addWidget(self._filler, 1)
        self.tables = QStackedWidget()
        self.tables.addWidget(self.ledger_table)
        self.tables.addWidget(self.verdict_table)
        self._table_title = QLabel()
        below = QHBoxLayout()
        below.addWidget(self._table_title)
        below.addStretch(1)
        below.addWidget(self.toggle)
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(chart, 1)
        left.addLayout(below)
        left.addWidget(self.tables)
        left.addWidget(self.verdict_box)
        row = QHBoxLayout(self.body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addLayout(left, 1)
        row.addWidget(self.inspector)

    def _connect(self) -> None:
        self.toggle.clicked.connect(self.toggle_table)
        self.ledger_table.horizontalScrollBar().rangeChanged.connect(self._fit_tables)
        self.first_phase.clicked.connect(self.inspector.terms.add_first_phase)
        self.inspector.stage_chosen.connect(self._choose_stage)
        self.verdict_box.link.clicked.connect(lambda: self._show_tables(cards=True))
        self.theme.changed.connect(self._dress)
        stops = [
            self.first_phase,
            self.toggle,
            self.ledger_table,
            self.verdict_table,
            self.verdict_box.link,
            *self.inspector.inputs,
            self.previous_button,
            self.next_button,
        ]
        present = [stop for stop in stops if stop is not None]
        for before, after in pairwise(present):
            QWidget.setTabOrder(before, after)

    def _organisation(self) -> Organisation | None:
        if self._quote is None:
            return None
        shown = "" if self._estimate is None else self._estimate.shown_organisation_id
        return self._quote.organisation(shown) or self._quote.reference

    def _choose_stage(self, stage_id: str) -> None:
        self._stage_id = stage_id
        if self._quote is not None:
            self.show_state(self._quote, self._estimate, self.context.session.is_stale)

    def _memory(self) -> StageMemory | None:
        shown = None if self._estimate is None else self._estimate.shown
        return stage_memory(shown, self._stage_id)

    def _remember_peaks(self) -> None:
        """Keep the peaks before the last edit, so that they are drawn as outlines until the next one."""
        memory = self._memory()
        if self._estimate is None or memory is None:
            self._former, self._peaks, self._peaks_of = {}, {}, None
            return
        now = (self._estimate.quote, self._estimate.shown_organisation_id, self._stage_id)
        if self._peaks_of is not None and self._peaks_of[0] is now[0] and self._peaks_of[1:] == now[1:]:
            return
        same = self._peaks_of is not None and self._peaks_of[2] == now[2]
        self._former = self._peaks if same else {}
        self._peaks = {phase.phase: phase.peak_bytes for phase in memory.phases}
        self._peaks_of = now

    def _show_bars(self) -> None:
        memory, estimate = self._memory(), self._estimate
        known = memory is not None and bool(memory.phases) and estimate is not None
        for part in (self.bars, self.legend, self._note):
            part.setVisible(known)
        self.reason.setVisible(not known)
        self._filler.setVisible(not known)
        self.first_phase.setVisible(False)
        if memory is None or estimate is None or not memory.phases:
            self._show_reason(memory)
            return
        card = shown_card(estimate)
        self.bars.show_bars(bars_content(self.words, estimate, memory, card, self._former))
        self.legend.show_parts(self.bars.content.legend)
        columns = ledger_columns(self.words, memory, card)
        self.ledger.show_table(columns, memory.phases)
        self.ledger_table.fit_columns()
        rows = min(len(memory.phases), _MOST_LEDGER_ROWS)
        head = self.ledger_table.horizontalHeader().sizeHint().height()
        self.ledger_table.setMinimumHeight(head + rows * self.theme.row_height() + 4)
        self._fit_tables()
        worst = next((at for at, one in enumerate(memory.phases) if one is memory.worst), 0)
        if not self.ledger_table.currentIndex().isValid():
            self.ledger_table.selectRow(worst)

    def _show_reason(self, memory: StageMemory | None) -> None:
        if self._quote is None or self._estimate is None:
            self.reason.setText("")
            return
        self.ledger.show_table((), ())
        self._fit_tables()
        absent = why_no_bars(self.words, self._quote, self._stage_id, memory)
        stage = self._quote.workload.stage(self._stage_id)
        text = self.words.absent(absent)
        if stage is not None and not stage.memory.phases:
            hint = self.words.t(
                "Write what a task holds, phase by phase, or as one number: the most it holds at any moment."
            )
            text = f"{text} {hint}"
            self.first_phase.setVisible(True)
        self.reason.setText(text)

    def _show_tables(self, cards: bool) -> None:
        words = self.words
        self.tables.setCurrentWidget(self.verdict_table if cards else self.ledger_table)
        self._table_title.setText(
            words.t("Which cards admit it") if cards else words.t("The same numbers, GiB on each card")
        )
        self.toggle.setVisible(cards)
        if cards:
            self.verdicts.show_rows(verdict_rows(words, self._estimate, self.context.catalogue()))
            self.verdict_table.fit_columns()
        self.verdict_box.setVisible(not cards)
        self._fit_tables()

    def _fit_tables(self) -> None:
        """Give the ledger its own height, the many cards what a window has for them."""
        if self._shows_cards:
            self.tables.setFixedHeight(_CARDS_HEIGHT)
        else:
            bar = self.ledger_table.horizontalScrollBar()
            room = bar.sizeHint().height() if bar.maximum() > 0 else 0
            self.tables.setFixedHeight(self.ledger_table.minimumHeight() + room)
        for part in (self.tables, self._table_title):
            part.setVisible(self._shows_cards or self.ledger.rowCount() > 0)

    def _dress(self) -> None:
        for label in (self._chart_title, self._table_title):
            label.setFont(self.theme.font(TextRole.SECTION))
        self._note.setFont(self.theme.font(TextRole.SECONDARY))
