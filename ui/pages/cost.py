"""Page 6, Cost: what is paid, for which term, and what would change it.

Puts the parts together and turns what is typed into edits; rows, picture and pricing fields are in `cost_*.py`.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from estimator import edits
from estimator.evidence import Evidence
from estimator.problems import Place
from estimator.quote import Fee, Pricing, Quote
from estimator.results.estimate import Estimate
from ui.models.table_view import TableView
from ui.pages.changing_table import ChangingTableModel
from ui.pages.cost_by_plan import CostByPlan
from ui.pages.cost_fee import FeeForm
from ui.pages.cost_frontier import FrontierView
from ui.pages.cost_lines import (
    NAME,
    PRICE,
    QUANTITY,
    LineRow,
    OfferRow,
    line_columns,
    line_rows,
    offer_columns,
    offer_rows,
    with_added_fee,
    with_duplicated_fee,
    with_fee_column,
    with_fee_evidence,
    with_percent,
    with_rate,
    with_rate_date,
    without_fee,
)
from ui.pages.cost_plans import (
    PlanRow,
    PlanTable,
    choice_text,
    plan_columns,
    plan_model,
    plan_rows,
    reasons_text,
)
from ui.pages.cost_rent import RentBox
from ui.pages.cost_settings import PERCENTS, PriceSettings, dated
from ui.pages.cost_sureness import Sureness
from ui.pages.cost_tornado import Tornado
from ui.pages.cost_views import CostViews
from ui.pages.cost_ways import WaysBox
from ui.pages.figure_keys import explain_figure
from ui.pages.page import GAP, Context, Page
from ui.widgets.evidence_editor import EvidenceEditor

_MOST_PLANS = 8
_MOST_OFFERS = 6
_BELOW = 16  # pixels left under what is scrolled to


class CostPage(Page):
    """Plans on top; price lines and how the price is made at the left, pictures and the rent at the right."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        words = context.words
        super().__init__(
            context,
            words.t("Cost"),
            words.t("What is paid, for which term, and what would change it?"),
            parent,
        )
        self._quote: Quote | None = None
        self._evidence_of = ""
        self._build_plans()
        self._build_lines()
        self._build_pricing()
        self._lay_out()
        self.add_steps(words.t("Schedule"), words.t("Conditions"))
        self._order_stops()

    def toggle_table(self) -> None:
        """Exchange pictures and tables."""
        self.views.toggle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier and event.key() == Qt.Key.Key_T:
            self.toggle_table()
            event.accept()
            return
        super().keyPressEvent(event)

    def show_state(self, quote: Quote, estimate: Estimate | None, stale: bool) -> None:
        self._quote = quote
        currency = quote.pricing.currency
        self._show_plans(estimate, quote.pricing)
        self.line_model.show_table(line_columns(self.words, currency), line_rows(self.words, quote, estimate))
        _fit(self.lines, NAME, 20)
        self.offer_model.show_table(offer_columns(self.words, currency), offer_rows(self.words, quote))
        _fit(self.offers, 0, _MOST_OFFERS)
        self.offers.setVisible(bool(quote.offers))
        self.settings.show_quote(quote)
        self.views.show_estimate(estimate, stale)
        self.ways.show_quote(quote, estimate)
        self._show_evidence()
        self._say_reason(estimate)
        self._order_stops()  # a foreign currency brings fields of its own

    def go_to(self, place: Place) -> bool:
        if place[:1] == ("chosen_plan",):
            self.focus_first()
            return True
        if place[:1] != ("pricing",):
            return False
        if place[1:2] == ("fees",) and len(place) > 2:
            return self._go_to_fee(place[2], QUANTITY if place[-1] == "quantity" else PRICE)
        if len(place) == 1:
            self.focus_first()
            return True
        if place[1] == "ownership":
            return self.ways.focus_place(place[2:])
        return self.settings.focus_place(place[1:])

    def focus_first(self) -> None:
        if self.plans.isHidden():
            self.lines.setFocus()
            return
        current = self.plans.currentIndex()
        if not current.isValid() or self.plan_model.is_group(current.row()):
            self.plans.setCurrentIndex(self.plan_model.index(1, 1))
        self.plans.setFocus()

    @property
    def refusal_shown(self) -> str:
        """The sentence about a text that a price line refused, or empty."""
        return "" if self._sentence.isHidden() else self._sentence.text()

    # Building

    def _build_plans(self) -> None:
        words, theme = self.words, self.theme
        self.plan_model = plan_model(words, theme)
        self.plans = PlanTable(self.plan_model, words, theme, words.t("Plans"), whole_rows=True)
        self.plans.setSelectionMode(PlanTable.SelectionMode.SingleSelection)
        self.plans.opened.connect(self._plan_opened)
        self.plans.clicked.connect(self._plan_clicked)
        self.plans.explain.connect(self._explain_plan)
        self._choice = _wrapped("muted")
        self.recommended_button = QPushButton(words.t("Back to the recommended"))
        self.recommended_button.setProperty("look", "link")
        self.recommended_button.clicked.connect(lambda: self._choose(""))
        self._reasons = _wrapped("muted")
        frontier = FrontierView(words, theme)
        frontier.choice_asked.connect(self._open_choice)
        frontier.choice_said.connect(self._bring_into_sight)
        views = (CostByPlan(words, theme), frontier, Sureness(words, theme), Tornado(words, theme))
        self.views = CostViews(words, theme, views)
        self.views.plan_asked.connect(self._choose)
        self.views.place_asked.connect(self.asked)
        self.rent = RentBox(self.context.session, words, theme)

    def _build_lines(self) -> None:
        words, theme = self.words, self.theme
        self.line_model: ChangingTableModel[LineRow] = ChangingTableModel(
            line_columns(words, "EUR"), words, theme
        )
        self.lines = TableView(self.line_model, words, theme, words.t("Price lines"))
        self.lines.edited.connect(self._line_edited)
        self.lines.refused.connect(lambda row, column, sentence: self._say(sentence))
        self.lines.cleared.connect(self._lines_cleared)
        self.lines.opened.connect(self._line_opened)
        self.lines.row_asked.connect(self._add_fee)
        self.lines.duplicate_asked.connect(self._duplicate_fee)
        self.lines.explain.connect(self._explain_line)
        self.lines.selectionModel().currentChanged.connect(lambda now, former: self._current_line_changed())
        self._sentence = _wrapped("error")
        self._reason = _wrapped("muted")
        self.add_fee_button = QPushButton(words.t("Add a line"))
        self.add_fee_button.clicked.connect(self._add_fee)
        self.remove_fee_button = QPushButton(words.t("Remove the line"))
        self.remove_fee_button.clicked.connect(self._remove_fee)
        self.remove_fee_button.setEnabled(False)
        self._evidence_title = _wrapped("muted")
        self.evidence = EvidenceEditor(words, theme)
        self.evidence.committed.connect(self._evidence_committed)
        self.fee_form = FeeForm(words, theme)
        self.fee_form.changed.connect(self._fee_changed)

    def _build_pricing(self) -> None:
        words, theme = self.words, self.theme
        self.settings = PriceSettings(words, theme)
        self.settings.percent_typed.connect(self._percent_typed)
        self.settings.currency_chosen.connect(self._currency_chosen)
        self.settings.age_typed.connect(self._age_typed)
        self.settings.hold_ticked.connect(self._hold_ticked)
        self.settings.rate_typed.connect(self._rate_typed)
        self.settings.rate_dated.connect(self._rate_dated)
        self.offer_model: ChangingTableModel[OfferRow] = ChangingTableModel(
            offer_columns(words, "EUR"), words, theme
        )
        self.offers = TableView(
            self.offer_model, words, theme, words.t("One card of each offer, by term"), whole_rows=True
        )

        self.ways = WaysBox(self.edit, words, theme)

    def _lay_out(self) -> None:
        choice = QHBoxLayout()
        choice.addWidget(self._choice, 1)
        choice.addWidget(self.recommended_button)
        buttons = QHBoxLayout()
        buttons.addWidget(self._reason, 1)
        buttons.addWidget(self.add_fee_button)
        buttons.addWidget(self.remove_fee_button)
        left, right = QVBoxLayout(), QVBoxLayout()
        left.setSpacing(GAP)
        right.setSpacing(GAP)
        left.addWidget(self.lines)
        left.addWidget(self._sentence)
        left.addLayout(buttons)
        left.addWidget(self.fee_form)
        left.addWidget(self._evidence_title)
        left.addWidget(self.evidence)
        left.addWidget(self.settings)
        left.addWidget(self.offers)
        left.addStretch(1)
        for widget in (self.views, self.rent):
            right.addWidget(widget)
        right.addStretch(1)
        for hidden in (self._sentence, self.fee_form, self._evidence_title, self.evidence):
            hidden.hide()
        halves = QHBoxLayout()
        halves.setSpacing(16)
        halves.addLayout(left, 11)
        halves.addLayout(right, 9)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.plans)
        column.addLayout(choice)
        column.addWidget(self._reasons)
        column.addLayout(halves)
        column.addWidget(self.ways)
        column.addStretch(1)

    def _order_stops(self) -> None:
        evidence = self.evidence
        stops: list[QWidget] = [
            *(self.plans, self.recommended_button),
            *(self.lines, self.add_fee_button, self.remove_fee_button),
            *self.fee_form.stops(),
            *evidence.stops(),
            *self.settings.stops(),
            self.offers,
            *self.views.stops(),
            *self.rent.stops(),
            *self.ways.stops(),
        ]
        stops += [button for button in (self.previous_button, self.next_button) if button is not None]
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)

    # Showing

    def _show_plans(self, estimate: Estimate | None, pricing: Pricing) -> None:
        rows = () if estimate is None else plan_rows(self.words, estimate)
        self.plan_model.show_table(plan_columns(self.words, pricing), rows)
        self.plans.setVisible(bool(rows))
        _fit(self.plans, 1, _MOST_PLANS)
        self.plans.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        self.plans.setColumnWidth(0, 34)
        self._choice.setText("" if estimate is None else choice_text(self.words, estimate))
        chosen = estimate is not None and bool(estimate.quote.chosen_plan)
        self.recommended_button.setVisible(chosen)
        reasons = reasons_text(rows)
        self._reasons.setText(reasons)
        self._reasons.setVisible(bool(reasons))
        self.rent.show_estimate(estimate)

    def _say_reason(self, estimate: Estimate | None) -> None:
        """Say why there is no total, where there is none."""
        notes = [row.note for row in self.line_model.rows if isinstance(row, LineRow) and row.total]
        self._reason.setText(notes[-1] if notes and estimate is not None else "")

    def _show_evidence(self) -> None:
        stated = self._stated()
        if self._quote is not None:
            self.fee_form.show_fee(self._open_fee(), self._quote.pricing)
        for widget in (self._evidence_title, self.evidence):
            widget.setVisible(stated is not None)
        if stated is not None:
            title, evidence = stated
            self._evidence_title.setText(title)
            if self.evidence.evidence != evidence:
                self.evidence.set_evidence(evidence)

    def _stated(self) -> tuple[str, Evidence] | None:
        """Return title and evidence of the number whose evidence is open, or None."""
        if self._quote is None or not self._evidence_of:
            return None
        if self._evidence_of == "tax":
            return self.words.t("Evidence of the tax"), self._quote.pricing.tax_percent.evidence
        fee = self._open_fee()
        if fee is None:
            return None
        name = fee.name or self.words.word(fee.kind)
        return self.words.t("Evidence of the price of {fee}", fee=name), fee.price.evidence

    def _open_fee(self) -> Fee | None:
        fees = () if self._quote is None else self._quote.pricing.fees
        return next((one for one in fees if one.id == self._evidence_of), None)

    def _say(self, sentence: str) -> None:
        self._sentence.setText(sentence)
        self._sentence.setVisible(bool(sentence))

    def _explain_plan(self, source: int, _column: int) -> None:
        """Explain the cost of the plan on the answer strip: of another there is no account."""
        row = self.plan_model.rows[source]
        if isinstance(row, PlanRow) and row.shown:
            explain_figure(self, self.plans, "cost")

    def _explain_line(self, source: int, _column: int) -> None:
        row = self.line_model.rows[source]
        if isinstance(row, LineRow) and row.total:
            explain_figure(self, self.lines, "cost")

    # Edits

    def _plan_clicked(self) -> None:
        if self.plans.currentIndex().column() == 0 and not self.plan_model.is_group(
            self.plans.currentIndex().row()
        ):
            self._plan_opened(self.plan_model.source_row(self.plans.currentIndex().row()))

    def _plan_opened(self, source: int) -> None:
        row = self.plan_model.rows[source]
        if isinstance(row, PlanRow) and row.plan_id:
            self._choose(row.plan_id)

    def _choose(self, plan_id: str) -> None:
        label = self.words.t("choose a plan") if plan_id else self.words.t("go back to the recommended plan")
        self.edit(label, lambda quote: quote.replaced(chosen_plan=plan_id))

    def _open_choice(self, delivery_ms: int) -> None:
        """Add the shown organisation again, to deliver within the time of a choice of lots, and choose it."""
        estimate = self.context.session.estimate
        shown = "" if estimate is None else estimate.shown_organisation_id
        if not shown:
            return
        name = self.words.t("Limit {time}", time=self.words.duration(delivery_ms))
        done = self.edit(
            self.words.t("open a choice of lots as an organisation"),
            lambda quote: edits.organisation_within(quote, shown, delivery_ms, name),
        )
        quote = self.context.session.quote
        if done and quote is not None:
            self.asked.emit(("organisations", quote.organisations[-1].id))

    def _bring_into_sight(self, part: QWidget) -> None:
        """Scroll to a part of the page that has just been shown, once it has its place."""
        QTimer.singleShot(0, part, lambda: self.scroll_area.ensureWidgetVisible(part, 0, _BELOW))

    def _line_edited(self, source: int, column: int, text: str) -> None:
        row = self.line_model.rows[source]
        if not isinstance(row, LineRow) or row.fee is None:
            return
        self._say("")
        fee_id, words = row.fee.id, self.words
        label = {
            NAME: words.t("rename {line}", line=row.name),
            QUANTITY: words.t("change the quantity of {line}", line=row.name),
            PRICE: words.t("change the price of {line}", line=row.name),
        }[column]
        self.edit(label, lambda quote: with_fee_column(quote, fee_id, column, text, words))

    def _lines_cleared(self, cells: tuple[tuple[int, int], ...]) -> None:
        wanted = []
        for source, column in cells:
            row = self.line_model.rows[source]
            if isinstance(row, LineRow) and row.fee is not None and column != NAME:
                wanted.append((row.fee.id, column))

        def clear(quote: Quote) -> Quote:
            for fee_id, column in wanted:
                quote = with_fee_column(quote, fee_id, column, "", self.words)
            return quote

        if wanted:
            self.edit(self.words.t("clear price lines"), clear)

    def _line_opened(self, source: int) -> None:
        row = self.line_model.rows[source]
        if not isinstance(row, LineRow):
            return
        wanted = row.fee.id if row.fee is not None else "tax" if row.id.startswith("tax") else ""
        self._evidence_of = "" if wanted == self._evidence_of else wanted
        self._show_evidence()
        if self._evidence_of:
            (self.evidence.kinds if self.fee_form.isHidden() else self.fee_form.kind).setFocus()

    def _evidence_committed(self, evidence: Evidence) -> None:
        of = self._evidence_of

        def change(quote: Quote) -> Quote:
            if of == "tax":
                tax = quote.pricing.tax_percent.replaced(evidence=evidence)
                return edits.with_pricing(quote, tax_percent=tax)
            return with_fee_evidence(quote, of, evidence)

        self.edit(self.words.t("change the evidence of a price line"), change)

    def _fee_changed(self, changes: dict[str, object]) -> None:
        fee = self._open_fee()
        if fee is not None:
            label = self.words.t("change how {line} is charged", line=fee.name or self.words.word(fee.kind))
            self.edit(label, lambda quote: edits.with_fee(quote, fee.id, **changes))

    def _current_line_changed(self) -> None:
        self.remove_fee_button.setEnabled(self._current_fee() is not None)

    def _current_fee(self) -> LineRow | None:
        index = self.lines.currentIndex()
        row = self.line_model.row_at(index) if index.isValid() else None
        return row if row is not None and row.fee is not None else None

    def _add_fee(self) -> None:
        name = self.words.t("New line")
        self.edit(self.words.t("add a line"), lambda quote: with_added_fee(quote, name))
        if self._quote is not None and self._quote.pricing.fees:
            self._go_to_fee(self._quote.pricing.fees[-1].id, NAME)

    def _duplicate_fee(self, source: int) -> None:
        row = self.line_model.rows[source]
        if not isinstance(row, LineRow) or row.fee is None:
            return
        fee_id, name = row.fee.id, self.words.t("{name}, copy", name=row.name)
        label = self.words.t("duplicate {line}", line=row.name)
        if (
            self.edit(label, lambda quote: with_duplicated_fee(quote, fee_id, name))
            and self._quote is not None
        ):
            ids = [one.id for one in self._quote.pricing.fees]
            self._go_to_fee(ids[ids.index(fee_id) + 1], NAME)

    def _remove_fee(self) -> None:
        row = self._current_fee()
        if row is not None and row.fee is not None:
            fee_id = row.fee.id
            label = self.words.t("remove {line}", line=row.name)
            self.edit(label, lambda quote: without_fee(quote, fee_id))
            self._current_line_changed()

    def _go_to_fee(self, fee_id: str, column: int) -> bool:
        for source, row in enumerate(self.line_model.rows):
            if isinstance(row, LineRow) and row.fee is not None and row.fee.id == fee_id:
                self.lines.setCurrentIndex(self.line_model.index(self.line_model.shown_row(source), column))
                self.lines.setFocus()
                return True
        return False

    def _percent_typed(self, name: str, value: object) -> None:
        labels = (
            self.words.t("change the tax"),
            self.words.t("change the discount"),
            self.words.t("change the contingency"),
        )
        typed = value if isinstance(value, Decimal) else None
        self.edit(labels[PERCENTS.index(name)], lambda quote: with_percent(quote, name, typed))

    def _currency_chosen(self, code: str) -> None:
        self.edit(self.words.t("change the currency"), lambda quote: edits.with_pricing(quote, currency=code))

    def _age_typed(self, days: int) -> None:
        label = self.words.t("change how long a price holds")
        self.edit(label, lambda quote: edits.with_pricing(quote, price_age_limit_days=days))

    def _hold_ticked(self, hold: bool) -> None:
        label = self.words.t("change whether cards are held through assembly")
        self.edit(label, lambda quote: edits.with_pricing(quote, hold_through_assembly=hold))

    def _rate_typed(self, code: str, value: object) -> None:
        label = self.words.t("change the rate of {foreign}", foreign=code)
        rate = value if isinstance(value, Decimal) else None
        self.edit(label, lambda quote: with_rate(quote, code, rate))

    def _rate_dated(self, code: str, value: object) -> None:
        label = self.words.t("change the date of the rate of {foreign}", foreign=code)
        self.edit(label, lambda quote: with_rate_date(quote, code, dated(value)))


def _wrapped(look: str) -> QLabel:
    label = QLabel()
    label.setWordWrap(True)
    if look:
        label.setProperty("look", look)
    return label


def _fit(table: TableView, wide: int, most_rows: int) -> None:
    """Give every column its width and the rest to the column `wide`; make the table as high as its rows."""
    head = table.horizontalHeader()
    head.setStretchLastSection(False)
    head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    head.setSectionResizeMode(wide, QHeaderView.ResizeMode.Stretch)
    table.fit_height(most_rows)
