"""Page 3, Memory: what each card must hold at its worst moment, by phase and state class.

Bars and numbers on the left, what is typed on the right. A bar is one card: nothing here adds cards up.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from estimator.memory import MomentKind
from estimator.plan.forms import ModelMemory
from estimator.problems import Absent, FileRefused, Place
from estimator.quote import Organisation, Quote
from estimator.results.estimate import Estimate
from estimator.results.memory import PhaseMemory, StageMemory
from estimator.wording.phrases import lever_name
from ui.models.table_view import TableView
from ui.pages.changing_table import ChangingTableModel
from ui.pages.memory_chart import MemoryChart
from ui.pages.memory_edits import OVERHEADS
from ui.pages.memory_fits import fit_columns, fit_rows
from ui.pages.memory_inspector import MemoryInspector
from ui.pages.memory_lever import LeverBox
from ui.pages.memory_model_edits import read_source, use_of, with_lever
from ui.pages.memory_moments import (
    LeverOffer,
    basis_kind,
    foot_text,
    lever_sentences,
    model_of,
    moment_explanation,
    strongest_lever,
)
from ui.pages.memory_rows import (
    MOST_MOMENTS,
    Peaks,
    Verdict,
    bars_content,
    bars_note,
    cards_title,
    ledger_columns,
    quote_verdicts,
    shown_card,
    stage_memory,
    verdict_columns,
    verdict_rows,
    why_no_bars,
)
from ui.pages.memory_verdicts import VerdictBox
from ui.pages.page import GAP, Context, Page
from ui.theme import TextRole

_MOST_LEDGER_ROWS = 8
_CARDS_HEIGHT = 240
_LEAST_HEIGHT = 118


class MemoryPage(Page):
    """Shows the memory of one stage in the shown organisation.

    `config_asked`: a person wants to read a config.json; the window answers with `read_config(path)`.
    """

    config_asked = Signal()

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
        self._is_model = False
        self._model: ModelMemory | Absent | None = None
        self._offer: LeverOffer | None = None
        self._fits_timer = QTimer(self)  # the bars are painted before the fits are searched for
        self._fits_timer.setSingleShot(True)
        self._fits_timer.setInterval(0)
        self.setAcceptDrops(True)
        self.chart = MemoryChart(words, self.theme)
        self.tag, self.bars, self.legend = self.chart.tag, self.chart.bars, self.chart.legend
        self.reason, self.first_phase = self.chart.reason, self.chart.first_phase
        self.lever = LeverBox(words, self.theme)
        self.ledger: ChangingTableModel[PhaseMemory] = ChangingTableModel((), words, self.theme)
        self.ledger_table = TableView(
            self.ledger, words, self.theme, words.t("Memory by phase, in GiB on each card"), whole_rows=True
        )
        self.ledger.setParent(self.ledger_table)
        self.verdicts: ChangingTableModel[Verdict] = ChangingTableModel(
            verdict_columns(words), words, self.theme
        )
        self.verdict_table = TableView(
            self.verdicts,
            words,
            self.theme,
            words.t("Which cards admit it"),
            sortable=True,
            whole_rows=True,
        )
        self.verdict_table.horizontalHeader().setStretchLastSection(False)
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
        organisation = self._organisation()
        self.inspector.show_quote(quote, self._stage_id, organisation, self.context.catalogue())
        if (use_of(quote, self._stage_id) is not None) is not self._is_model:
            self._is_model = not self._is_model
            self._show_tables(cards=self._is_model)
        self.tag.set_waiting(stale and bool(self.bars.content.bars))
        if not stale:
            self._remember_peaks()
            self.verdict_box.show_verdicts(quote_verdicts(estimate), known)
            self._show_bars()
            if self._shows_cards and self._is_model:
                self._fits_timer.start()
            elif self._shows_cards:
                self._show_verdicts()

    def read_config(self, path: Path) -> bool:
        """Put the model of a config.json into the stage; a refusal is said in place and changes nothing."""
        if not self._stage_id:
            return False
        try:
            source = read_source(path)
        except FileRefused as refusal:
            self.inspector.model.show_refusal(refusal)
            self._choose_stage(self._stage_id)
            return False
        self.inspector.model.take(source)
        return True

    def go_to(self, place: Place) -> bool:
        """Focus the value of a stage's memory, or the partition of an organisation's stage."""
        if self._quote is None or len(place) < 4 or place[:2] != ("workload", "stages"):
            return False
        stage = self._quote.workload.stage(place[2])
        if stage is None or not stage.on_cards or place[3] != "memory":
            return False
        self._choose_stage(stage.id)
        field = place[4] if len(place) > 4 else ""
        if self._is_model and not any(name.startswith(field) for name in OVERHEADS if field):
            self.inspector.model.go_to(place[-1] if len(place) > 4 else "")
        else:
            self.inspector.terms.go_to(field)
        return True

    def focus_first(self) -> None:
        """Give focus to the numbers, or to the first phase where there is none."""
        if self.first_phase.isVisible():
            self.chart.choose_model.setFocus()
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._shows_cards:
            self._fit_verdicts()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self._stage_id and _dropped_config(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = _dropped_config(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self.read_config(path)

    @property
    def _shows_cards(self) -> bool:
        return self.tables.currentWidget() is self.verdict_table

    def _lay_out(self) -> None:
        self.tables = QStackedWidget()
        # What a table would like to be high must not make the page scroll: it scrolls itself.
        self.tables.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.tables.addWidget(self.ledger_table)
        self.tables.addWidget(self.verdict_table)
        self._table_title = QLabel()
        below = QHBoxLayout()
        below.addWidget(self._table_title)
        below.addStretch(1)
        below.addWidget(self.toggle)
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self.chart, 2)
        left.addWidget(self.lever)
        left.addLayout(below)
        left.addWidget(self.tables, 1)
        left.addWidget(self.verdict_box)
        row = QHBoxLayout(self.body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addLayout(left, 1)
        row.addWidget(self.inspector)

    def _connect(self) -> None:
        self.toggle.clicked.connect(self.toggle_table)
        self.ledger_table.horizontalScrollBar().rangeChanged.connect(self._fit_tables)
        model = self.inspector.model
        self.first_phase.clicked.connect(self.inspector.terms.add_first_phase)
        self.chart.choose_model.clicked.connect(model.ask_for_model)
        self.chart.read_config.clicked.connect(self.config_asked)
        self.chart.all_moments.toggled.connect(self._show_bars)
        self.chart.explain.clicked.connect(lambda: self._explain_moment(None, self.chart.explain))
        self.ledger_table.explain.connect(self._explain_row)
        self.lever.button.clicked.connect(self._pull_lever)
        model.config_asked.connect(self.config_asked)
        model.kind_changed.connect(lambda: self._choose_stage(self._stage_id))
        self.inspector.stage_chosen.connect(self._choose_stage)
        self.verdict_box.link.clicked.connect(lambda: self._show_tables(cards=True))
        self._fits_timer.timeout.connect(self._show_verdicts)
        self.theme.changed.connect(self._dress)
        stops = [
            self.chart.all_moments,
            *self.chart.ways_in,
            self.chart.explain,
            self.lever.button,
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
        if memory is None or estimate is None or not memory.phases:
            self._show_reason(memory)
            return
        words, card = self.words, shown_card(estimate)
        use = use_of(estimate.quote, self._stage_id)
        whole = use is None or self.chart.all_moments.isChecked()
        content = bars_content(
            words, estimate, memory, card, self._former, is_model=use is not None, all_of_them=whole
        )
        if use is None:
            title, note = words.t("Peak by card and phase"), bars_note(words, estimate)
        else:
            title, note = words.t("One card, moment by moment"), cards_title(words, estimate)
            note = note if card is None else f"{note} · {card.name}"
        self.chart.show_bars(content, title, note)
        self.chart.show_hidden_moments(0 if use is None else max(0, len(memory.phases) - MOST_MOMENTS))
        self._show_model(estimate, memory, None if card is None else card.usable_bytes)
        columns = ledger_columns(words, memory, card, is_model=use is not None)
        self.ledger.show_table(columns, memory.phases)
        self.ledger_table.fit_columns()
        rows = min(len(memory.phases), _MOST_LEDGER_ROWS)
        head = self.ledger_table.horizontalHeader().sizeHint().height()
        height = 0 if self._is_model else head + rows * self.theme.row_height() + 4
        self.ledger_table.setMinimumHeight(height)
        self._fit_tables()
        worst = next((at for at, one in enumerate(memory.phases) if one is memory.worst), 0)
        if not self.ledger_table.currentIndex().isValid():
            self.ledger_table.selectRow(worst)

    def _show_model(self, estimate: Estimate, memory: StageMemory, usable_bytes: int | None) -> None:
        """Show what a known model's bars rest on, and the lever that lowers them most."""
        organisation = self._organisation()
        model = model_of(estimate.quote, self._stage_id, organisation)
        self._model, self._offer = model, None
        if isinstance(model, ModelMemory) and organisation is not None:
            basis = model.basis_at(model.ledger.worst.kind)
            self.chart.show_basis(basis_kind(basis), foot_text(self.words, basis, memory))
            self._offer = strongest_lever(estimate.quote, self._stage_id, organisation, model, memory)
        else:
            self.chart.show_basis(None, "")
        said = ("", "") if self._offer is None else lever_sentences(self.words, self._offer, usable_bytes)
        self.lever.show_lever(*said)

    def _show_reason(self, memory: StageMemory | None) -> None:
        self._model = self._offer = None
        self.lever.show_lever("", "")
        if self._quote is None or self._estimate is None:
            self.chart.show_reason("", ways_in=False)
            return
        self.ledger.show_table((), ())
        self._fit_tables()
        stage = self._quote.workload.stage(self._stage_id)
        model = model_of(self._quote, self._stage_id, self._organisation())
        if isinstance(model, Absent):
            self.chart.show_reason(self.words.absent(model), ways_in=False)
            return
        text = self.words.absent(why_no_bars(self.words, self._quote, self._stage_id, memory))
        empty = stage is not None and not stage.memory.phases and stage.memory.model is None
        if empty:
            hint = self.words.t(
                "Choose a model, read its config.json, or write what a task holds: by phases, or one number."
            )
            text = f"{text} {hint}"
        self.chart.show_reason(text, ways_in=empty)

    def _pull_lever(self) -> None:
        offer, id_, organisation = self._offer, self._stage_id, self._organisation()
        if offer is not None and organisation is not None:
            shown = organisation.id
            label = self.words.t("try {lever}", lever=lever_name(self.words, offer.lever))
            self.edit(label, lambda quote: with_lever(quote, id_, offer.lever, shown))

    def _explain_moment(self, phase: PhaseMemory | None, anchor: QWidget) -> None:
        """Explain one moment of a known model; without one, the worst."""
        memory = self._memory()
        use = None if self._estimate is None else use_of(self._estimate.quote, self._stage_id)
        shown = phase or (None if memory is None else memory.worst)
        if use is not None and shown is not None and isinstance(self._model, ModelMemory):
            basis = self._model.basis_at(MomentKind(shown.phase))
            self.explain(anchor, moment_explanation(self.words, use, shown, basis))

    def _explain_row(self, row: int, _: int) -> None:
        found = self.ledger.rows[row]
        if isinstance(found, PhaseMemory):
            self._explain_moment(found, self.ledger_table)

    def _show_tables(self, cards: bool) -> None:
        words = self.words
        self.tables.setCurrentWidget(self.verdict_table if cards else self.ledger_table)
        self._table_title.setText(
            words.t("Which cards admit it") if cards else words.t("The same numbers, GiB on each card")
        )
        self.toggle.setVisible(cards or self._is_model)
        self.toggle.setText(words.t("Numbers by phase"))
        if self._is_model:
            self.toggle.setText(words.t("Numbers by moment") if cards else words.t("Which cards admit it"))
        if cards:
            self._show_verdicts()
        self.verdict_box.setVisible(not cards and not self._is_model)
        self._fit_tables()

    def _show_verdicts(self) -> None:
        words, estimate, organisation = self.words, self._estimate, self._organisation()
        catalogue = self.context.catalogue()
        if (
            estimate is not None
            and organisation is not None
            and use_of(estimate.quote, self._stage_id) is not None
        ):
            columns = fit_columns(words, estimate.quote, self._stage_id)
            rows = fit_rows(words, estimate.quote, self._stage_id, organisation, catalogue)
        else:
            columns, rows = verdict_columns(words), verdict_rows(words, estimate, catalogue)
        self.verdicts.show_table(columns, rows)
        self._fit_verdicts()

    def _fit_verdicts(self) -> None:
        """Give each column the room of its texts, the answer what is left.

        Not `resizeColumnsToContents`: it keeps room for a sort arrow in every column, which six do not have.
        """
        head = self.verdict_table.horizontalHeader()
        metrics = QFontMetrics(self.theme.font(TextRole.SECONDARY))
        columns = self.verdicts.columns
        widths = [
            max(self.verdict_table.sizeHintForColumn(at), metrics.horizontalAdvance(column.header) + 24)
            for at, column in enumerate(columns)
        ]
        spare = max(0, self.verdict_table.viewport().width() - sum(widths))
        for at, width in enumerate(widths):
            head.resizeSection(at, width + (spare if columns[at].icon is not None else 0))

    def _fit_tables(self) -> None:
        """Give the ledger its own height, the many cards what a window has for them."""
        if self._shows_cards or self._is_model:
            self.tables.setMinimumHeight(_LEAST_HEIGHT if self._is_model else _CARDS_HEIGHT)
            self.tables.setMaximumHeight(_CARDS_HEIGHT)
        else:
            bar = self.ledger_table.horizontalScrollBar()
            room = bar.sizeHint().height() if bar.maximum() > 0 else 0
            self.tables.setFixedHeight(self.ledger_table.minimumHeight() + room)
        for part in (self.tables, self._table_title):
            part.setVisible(self._shows_cards or self.ledger.rowCount() > 0)

    def _dress(self) -> None:
        self._table_title.setFont(self.theme.font(TextRole.SECTION))


def _dropped_config(data: QMimeData) -> Path | None:
    """Return the one JSON file that is dropped, None for anything else: the window opens other files."""
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return paths[0] if len(paths) == 1 and paths[0].suffix.lower() == ".json" else None
