"""Page 2, Organisations: what advances together, and how many cards each task asks for.

The comparison with its form on the left, the staircase and what cancels the gain on the right. It shows the
estimate and edits the quote; it computes nothing.
"""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from estimator import edits
from estimator.problems import Place
from estimator.quote import Quote
from estimator.results.estimate import Estimate
from estimator.wording.phrases import organisation_name
from ui.pages.figure_keys import explain_figure
from ui.pages.organisations_form import OrganisationForm, duplicated_organisation, next_organisation
from ui.pages.organisations_notes import ReasonNotes
from ui.pages.organisations_rows import Criterion, reasons
from ui.pages.organisations_side import GainBox, ThroughputBox
from ui.pages.organisations_staircase import StaircaseBox
from ui.pages.organisations_table import ComparisonTable
from ui.pages.page import GAP, Context, Page
from ui.session import Edit
from ui.widgets.icons import icon

SIDE_WIDTH = 392


class OrganisationsPage(Page):
    """Compares organisations; the one of the current cell is in the form."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        words = context.words
        super().__init__(
            context,
            words.t("Organisations"),
            words.t("What advances together, and how many cards does each task ask for?"),
            parent,
        )
        self._quote: Quote | None = None
        self._estimate: Estimate | None = None
        self._selected = ""
        self._is_picked = False
        self.add_button = QPushButton(words.t("Add organisation"))
        self.add_button.clicked.connect(self._add)
        self.header.addWidget(self.add_button)
        self.add_steps(words.t("Work"), words.t("Memory"))
        self.table = ComparisonTable(words, self.theme)
        self.notes = ReasonNotes(context)
        self.form = OrganisationForm(words, self.theme, self._edit_picked, context.catalogue)
        self.staircase = StaircaseBox(words, self.theme)
        self.gain = GainBox(words, self.theme)
        self.throughput = ThroughputBox(words, self.theme)
        self._lay_out()
        self.table.chosen.connect(self._pick)
        self.table.explain.connect(self._explain)
        self.notes.followed.connect(self._follow)
        self.form.duplicated.connect(self._duplicate)
        self.form.removed.connect(self._remove)
        self.theme.changed.connect(self._dress)
        self._dress()

    def show_state(self, quote: Quote, estimate: Estimate | None, stale: bool) -> None:
        """Show the organisations at once, and their figures as far as the estimate has them."""
        self._quote, self._estimate = quote, estimate
        self._select_one(quote, estimate)
        self.table.show_comparison(quote, estimate)
        self.table.setMaximumHeight(self.table.natural_height())
        with QSignalBlocker(self.table):  # shown, not picked
            self.table.select(self._selected)
        self.form.show_organisation(quote, self._selected)
        self.notes.show_reasons(reasons(self.words, estimate))
        self.staircase.show_staircase(estimate, stale)
        self.gain.show_gain(estimate, stale)
        self.throughput.show_throughput(estimate, stale)
        self._order_tabs()

    def go_to(self, place: Place) -> bool:
        """Focus the field of an organisation's place, or the table for all of them."""
        if not place or place[0] not in ("organisations", "reference_id"):
            return False
        if len(place) == 1:
            (self.table if self.table.organisation_ids else self.add_button).setFocus()
            return True
        if self._quote is None or self._quote.organisation(place[1]) is None:
            return False
        self._pick(place[1])
        self.table.select(place[1])
        fields = {
            "name": self.form.name,
            "mechanism": self.form.mechanism,
            "tasks_at_once": self.form.at_once,
            "cards_per_task": self.form.per_task,
            "layouts": self.form.at_once,
            "limit": self.form.limit.line,
            "duration_factor": self.form.slicing.factor,
        }
        combo = {"policy": self.form.policy, "slicing": self.form.slicing.use}.get(place[-1])
        if combo is not None:
            combo.setFocus()
            return True
        field = next((fields[part] for part in reversed(place) if part in fields), None)
        if field is None:
            self.table.setFocus()
            return True
        field.setFocus()
        field.selectAll()
        return True

    def focus_first(self) -> None:
        """Give focus to the comparison, or to the button that adds the first organisation."""
        (self.table if self.table.organisation_ids else self.add_button).setFocus()

    def toggle_table(self) -> None:
        """Show the staircase as a table, or as bars again."""
        self.staircase.toggle_table()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier and event.key() == Qt.Key.Key_T:
            self.toggle_table()
            event.accept()
            return
        super().keyPressEvent(event)

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.setSpacing(GAP)
        self.table.setMinimumHeight(200)
        left.addWidget(self.table, 1)
        left.addWidget(self.notes)
        left.addWidget(self.form)
        left.addStretch(0)
        side = QWidget()
        side.setFixedWidth(SIDE_WIDTH)
        right = QVBoxLayout(side)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(GAP)
        right.addWidget(self.staircase, 1)
        right.addWidget(self.gain)
        right.addWidget(self.throughput)
        row = QHBoxLayout(self.body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addLayout(left, 1)
        row.addWidget(side)

    def _order_tabs(self) -> None:
        stops = [
            self.table,
            *self.notes.links,
            *self.form.inputs,
            self.staircase.toggle,
            self.staircase.table,
            self.add_button,
            self.previous_button,
            self.next_button,
        ]
        present = [stop for stop in stops if stop is not None]
        for before, after in pairwise(present):
            QWidget.setTabOrder(before, after)

    def _select_one(self, quote: Quote, estimate: Estimate | None) -> None:
        """Keep the organisation that a person picked; until then it is the one on the answer strip."""
        known = [one.id for one in quote.organisations]
        self._is_picked = self._is_picked and self._selected in known
        if not self._is_picked:
            shown = "" if estimate is None else estimate.shown_organisation_id
            reference = "" if quote.reference is None else quote.reference.id
            self._selected = shown if shown in known else reference

    def _pick(self, organisation_id: str) -> None:
        self._is_picked = True
        self._choose(organisation_id)

    def _choose(self, organisation_id: str) -> None:
        self._selected = organisation_id
        if self._quote is not None and self.form.organisation_id != organisation_id:
            self.form.show_organisation(self._quote, organisation_id)

    def _explain(self, source: int, _column: int) -> None:
        """Explain a figure of the organisation on the answer strip: of another there is no account."""
        row = self.table.comparison.rows[source]
        is_shown = (
            self._estimate is not None and self.table.current_id == self._estimate.shown_organisation_id
        )
        if isinstance(row, Criterion) and row.figure and is_shown:
            explain_figure(self, self.table, row.figure)

    def _follow(self, place: Place) -> None:
        if not self.go_to(place):
            self.asked.emit(place)

    def _add(self) -> None:
        self._edit_adding(self.words.t("add an organisation"), next_organisation)
        self.form.at_once.setFocus()
        self.form.at_once.selectAll()

    def _duplicate(self, organisation_id: str) -> None:
        label = self.words.t("duplicate {organisation}", organisation=self._name(organisation_id))
        self._edit_adding(label, lambda quote: duplicated_organisation(quote, organisation_id))

    def _edit_picked(self, label: str, edit: Edit) -> bool:
        """Edit from the form: the organisation in it stays there, whichever the answer is about."""
        self._is_picked = True
        return self.edit(label, edit)

    def _edit_adding(self, label: str, edit: Edit) -> None:
        if self._quote is not None:
            self._selected = edits.next_letter([one.id for one in self._quote.organisations])
            self._is_picked = True
        self.edit(label, edit)

    def _remove(self, organisation_id: str) -> None:
        label = self.words.t("remove {organisation}", organisation=self._name(organisation_id))
        self.edit(label, lambda quote: edits.without_organisation(quote, organisation_id))

    def _name(self, organisation_id: str) -> str:
        organisation = None if self._quote is None else self._quote.organisation(organisation_id)
        return organisation_id if organisation is None else organisation_name(organisation)

    def _dress(self) -> None:
        self.add_button.setIcon(icon("plus", self.theme.color("text")))
