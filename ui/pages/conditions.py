"""Page 7, Conditions: what is left to verify, and what could change the decision; the trial below.

Shows what the core derives and records what was seen; it decides no state.
"""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from estimator import edits
from estimator.problems import Place, Severity
from estimator.quote import ConditionRecord, Quote
from estimator.results.estimate import Estimate, QuoteStatus
from estimator.wording.phrases import counted_conditions
from estimator.wording.reception import TrialRow, trial_organisations, trial_rows
from ui.models.table import TupleTableModel
from ui.models.table_view import TableView
from ui.pages.changing_table import ChangingTableModel
from ui.pages.conditions_form import ConditionForm
from ui.pages.conditions_rows import (
    ADMIN_CONSOLE,
    HOLDS,
    VERIFY,
    WORTH,
    ConditionRow,
    condition_columns,
    condition_rows,
    places_seen,
    record_of,
    with_own_condition,
    without_condition,
)
from ui.pages.conditions_trial import (
    PastedText,
    TrialDelegate,
    trial_columns,
    with_observation,
)
from ui.pages.page import GAP, Context, Page, box
from ui.widgets.combo import Combo
from ui.widgets.field import Field

_INSPECTOR = 280
_MOST_ROWS = 11
_VERIFY_SHARE = 0.2
_NAME_SHARE = 0.34
_LEAST_COLUMN = 92


class ConditionsPage(Page):
    """The table of conditions, the form of one beside it, and the trial."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        words = context.words
        super().__init__(
            context,
            words.t("Conditions"),
            words.t("What is left to verify, and what could change the decision?"),
            parent,
        )
        self._quote: Quote | None = None
        self._build_conditions()
        self._build_trial()
        self._lay_out()
        for table in (self.table, self.trial):
            table.viewport().installEventFilter(self)
        self.add_steps(words.t("Cost"), words.t("Quote"))
        self._order_stops()

    def show_state(self, quote: Quote, estimate: Estimate | None, stale: bool) -> None:
        self._quote = quote
        rows = () if estimate is None else condition_rows(self.words, estimate)
        self.model.show_rows(rows)
        self._summary.setText("" if estimate is None else self._said(estimate))
        self.table.setVisible(bool(rows))
        self.table.fit_height(_MOST_ROWS)
        if self.form.condition_id and not self._show_in_form(self.form.condition_id):
            self._close_form()
        ids = trial_organisations(quote, estimate)
        self.trial_model.show_table(
            trial_columns(self.words, quote, ids), trial_rows(self.words, quote, estimate)
        )
        self.trial.fit_height(14)
        self._fit_columns()
        codes = list(places_seen(self.words))
        seen = quote.trial.where_seen
        self.seen.setCurrentIndex(codes.index(seen) if seen in codes else 0)
        console = self.words.t(
            "An administration console does not see what the process sees: alone it does not verify."
        )
        self._seen.set_problem(console if seen == ADMIN_CONSOLE else "", Severity.WARNING)
        self.topology.set_value(quote.trial.topology)

    def go_to(self, place: Place) -> bool:
        if place[:1] == ("trial",):
            self._open_form(False)
            target: QWidget = self.trial
            if place[1:2] == ("where_seen",):
                target = self.seen
            elif place[1:2] == ("topology",):
                target = self.topology
            target.setFocus()
            return True
        if place[:1] != ("conditions",):
            return False
        if len(place) > 1:
            return self._go_to_condition(place[1])
        self.focus_first()
        return True

    def focus_first(self) -> None:
        if self.table.isHidden():
            self.own_text.setFocus()
            return
        current = self.table.currentIndex()
        if not current.isValid() or self.model.is_group(current.row()):
            self.table.setCurrentIndex(self.model.index(1, 0))
        self.table.setFocus()

    @property
    def said(self) -> str:
        """What the conditions come to, as shown."""
        return self._summary.text()

    def _fit_columns(self) -> None:
        """Give long names no more room than there is: a name with an ellipsis beats a hidden column."""
        self.table.resizeColumnToContents(VERIFY)
        most = max(_LEAST_COLUMN, int(self.table.viewport().width() * _VERIFY_SHARE))
        self.table.setColumnWidth(VERIFY, min(most, self.table.columnWidth(VERIFY)))
        self.trial.resizeColumnsToContents()
        count = self.trial_model.columnCount()
        if count < 2:
            return
        room = self.trial.viewport().width()
        first = min(self.trial.columnWidth(0), int(room * _NAME_SHARE))
        each = max(_LEAST_COLUMN, (room - first) // (count - 1))
        for column in range(1, count):
            self.trial.setColumnWidth(column, min(each, self.trial.columnWidth(column)))
        taken = sum(self.trial.columnWidth(column) for column in range(1, count))
        self.trial.setColumnWidth(0, max(first, room - taken))

    # Building

    def _build_conditions(self) -> None:
        words, theme = self.words, self.theme
        self.model: TupleTableModel[ConditionRow] = TupleTableModel(condition_columns(words), words, theme)
        self.table = TableView(self.model, words, theme, words.t("Conditions"), whole_rows=True)
        self.table.setSelectionMode(TableView.SelectionMode.SingleSelection)
        self.table.opened.connect(self._row_opened)
        head = self.table.horizontalHeader()
        head.setStretchLastSection(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(VERIFY, QHeaderView.ResizeMode.Interactive)
        head.setMinimumSectionSize(60)
        self._summary = QLabel()
        self._summary.setWordWrap(True)
        self._summary.setProperty("look", "muted")
        self.own_text = QLineEdit()
        self.own_text.setAccessibleName(words.t("Another condition to verify"))
        self.own_text.setPlaceholderText(words.t("Another condition to verify"))
        self.own_text.setMinimumWidth(260)
        self.own_text.returnPressed.connect(self._add_own)
        self.table.row_asked.connect(self.own_text.setFocus)
        self.add_button = QPushButton(words.t("Add"))
        self.add_button.setAccessibleName(words.t("Add the condition"))
        self.add_button.clicked.connect(self._add_own)
        self.form = ConditionForm(words, theme)
        self.form.setFixedWidth(_INSPECTOR)
        self.form.changed.connect(self._record_changed)
        self.form.closed.connect(self._close_form)
        self.form.asked.connect(self.asked)
        self.form.removed.connect(self._remove_own)
        self.form.hide()

    def _build_trial(self) -> None:
        words, theme = self.words, self.theme
        self.trial_model: ChangingTableModel[TrialRow] = ChangingTableModel((), words, theme)
        self.trial = TableView(self.trial_model, words, theme, words.t("Reception trial"))
        self.trial.setItemDelegate(TrialDelegate(words, theme, self.trial))
        head = self.trial.horizontalHeader()
        head.setStretchLastSection(False)
        head.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.trial.edited.connect(self._observed)
        self.trial.cleared.connect(self._observations_cleared)
        self.seen = Combo()
        for code, text in places_seen(words).items():
            self.seen.addItem(text, code)
        self.seen.activated.connect(self._seen_chosen)
        self.topology = PastedText()
        self.topology.setPlaceholderText(words.t("Paste here"))
        self.topology.setFixedHeight(84)
        self.topology.committed.connect(self._topology_pasted)

    def _lay_out(self) -> None:
        words, theme = self.words, self.theme
        add = QHBoxLayout()
        add.addWidget(self._summary, 1)
        add.addWidget(self.own_text)
        add.addWidget(self.add_button)
        note = QLabel(words.t("Observed cells stay empty until measured. Estimates never fill them."))
        note.setWordWrap(True)
        note.setProperty("look", "muted")
        where, inside = box(words.t("How it is observed"))
        where.setFixedWidth(_INSPECTOR)
        self._seen = Field(theme, words.t("Where the processes run"), self.seen)
        inside.addWidget(self._seen)
        inside.addWidget(Field(theme, words.t("Output of nvidia-smi topo -m"), self.topology))
        inside.addStretch(1)
        trial = QVBoxLayout()
        trial.setSpacing(6)
        trial.addWidget(self.trial)
        trial.addWidget(note)
        trial.addStretch(1)
        below = QHBoxLayout()
        below.setSpacing(16)
        below.addLayout(trial, 1)
        below.addWidget(where, 0, Qt.AlignmentFlag.AlignTop)
        self._where: QFrame = where
        left = QVBoxLayout()
        left.setSpacing(GAP)
        left.addWidget(self.table)
        left.addLayout(add)
        left.addLayout(below)
        left.addStretch(1)
        row = QHBoxLayout(self.body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addLayout(left, 1)
        row.addWidget(self.form)

    def _order_stops(self) -> None:
        stops: list[QWidget] = [
            self.table,
            self.own_text,
            self.add_button,
            self.trial,
            self.seen,
            self.topology,
        ]
        stops += self.form.stops()
        stops += [button for button in (self.previous_button, self.next_button) if button is not None]
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)

    # Showing

    def _said(self, estimate: Estimate) -> str:
        """Return what the conditions come to, in one line."""
        if estimate.status is QuoteStatus.DRAFT and not estimate.conditions:
            return self.words.t("Conditions appear with the first answer.")
        if estimate.open_conditions:
            counted = counted_conditions(self.words, estimate)
            if estimate.is_assessed:
                return counted
            return self.words.t("{conditions}; which are decisive is being computed", conditions=counted)
        if estimate.status is QuoteStatus.FIRM:
            return self.words.t("Nothing open: the quote is firm.")
        return self.words.t("Nothing open.")

    def _row_opened(self, source: int) -> None:
        row = self.model.rows[source]
        if isinstance(row, ConditionRow) and self._show_in_form(row.id):
            self._open_form(True)
            self.form.states[row.state].setFocus()

    def _show_in_form(self, condition_id: str) -> bool:
        row = next(
            (one for one in self.model.rows if isinstance(one, ConditionRow) and one.id == condition_id), None
        )
        if row is None or self._quote is None:
            return False
        self.form.show_condition(row, record_of(self._quote, condition_id))
        return True

    def _open_form(self, is_open: bool) -> None:
        """Show or hide the form; it takes the room of what it repeats, and of where the trial was seen."""
        self.form.setVisible(is_open)
        for column in (HOLDS, WORTH, VERIFY):
            self.table.setColumnHidden(column, is_open)
        self._where.setVisible(not is_open)

    def _close_form(self) -> None:
        had_focus = self.form.isAncestorOf(self.focusWidget()) if self.focusWidget() is not None else False
        self._open_form(False)
        if had_focus:
            self.focus_first()

    def _go_to_condition(self, condition_id: str) -> bool:
        for source, row in enumerate(self.model.rows):
            if isinstance(row, ConditionRow) and row.id == condition_id:
                self.table.setCurrentIndex(self.model.index(self.model.shown_row(source), 0))
                self.table.setFocus()
                return True
        return False

    # Edits

    def _record_changed(self, record: ConditionRecord) -> None:
        self.edit(self.words.t("record a condition"), lambda quote: edits.with_condition(quote, record))

    def _add_own(self) -> None:
        text = self.own_text.text().strip()
        if text and self.edit(self.words.t("add a condition"), lambda quote: with_own_condition(quote, text)):
            self.own_text.clear()

    def _remove_own(self, condition_id: str) -> None:
        self.edit(self.words.t("remove a condition"), lambda quote: without_condition(quote, condition_id))

    def _observed(self, source: int, column: int, text: str) -> None:
        row = self.trial_model.rows[source]
        if isinstance(row, TrialRow) and column > 0:
            organisation_id = row.cells[(column - 1) // 2].organisation_id
            label = self.words.t("record an observation")
            self.edit(label, lambda quote: with_observation(quote, organisation_id, row.id, text))

    def _observations_cleared(self, cells: tuple[tuple[int, int], ...]) -> None:
        def clear(quote: Quote) -> Quote:
            for source, column in cells:
                row = self.trial_model.rows[source]
                if isinstance(row, TrialRow) and column > 0:
                    organisation_id = row.cells[(column - 1) // 2].organisation_id
                    quote = with_observation(quote, organisation_id, row.id, "")
            return quote

        self.edit(self.words.t("clear observations"), clear)

    def _seen_chosen(self, index: int) -> None:
        code = str(self.seen.itemData(index))
        label = self.words.t("change where the processes run")
        self.edit(label, lambda quote: quote.replaced(trial=quote.trial.replaced(where_seen=code)))

    def _topology_pasted(self, text: str) -> None:
        label = self.words.t("paste the topology")
        self.edit(label, lambda quote: quote.replaced(trial=quote.trial.replaced(topology=text)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched in (self.table.viewport(), self.trial.viewport()):
            self._fit_columns()
        return super().eventFilter(watched, event)
