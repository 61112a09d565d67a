"""The first two questions of the Work page: what is delivered, and can each unit be computed alone?

The boxes show a quote and ask for edits of it; they keep nothing.
"""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtWidgets import QButtonGroup, QLabel, QRadioButton, QWidget

from estimator import edits
from estimator.evidence import GIVEN, Stated
from estimator.problems import Place
from estimator.quote import DeliveredAs, Independence, Quote
from estimator.wording import Wording
from ui.pages.work_edits import with_independence
from ui.pages.work_fields import Ask, in_a_row, show_money, show_number, show_text, titled_box
from ui.theme import TextRole, Theme
from ui.widgets.elided_combo import ElidedCombo
from ui.widgets.field import Field
from ui.widgets.number_field import MoneyField, NumberField
from ui.widgets.typed_line import TextField

_SMALL = 60


class DeliveredBox:
    """Accepted result, unit of computation and how many, unit of delivery; the customer's quota and budget."""

    def __init__(self, words: Wording, theme: Theme, ask: Ask) -> None:
        self._words = words
        self._theme = theme
        self._ask = ask
        self.frame, self._column = titled_box(theme, words.t("1. What is delivered?"))
        self.result = TextField(words)
        self.result.setPlaceholderText(words.t("such as a validated index"))
        self.unit = TextField(words)
        self.count = NumberField(words, minimum=Decimal(1), whole=True)
        self.delivery = TextField(words)
        self.each = NumberField(words, minimum=Decimal(1), whole=True)
        self.quota = NumberField(words, minimum=Decimal(1), whole=True)
        self.budget: MoneyField | None = None
        self._currency = ""
        self.fields: dict[Place, Field] = {}
        self._lay_out()
        self._connect()

    def show_quote(self, quote: Quote) -> None:
        """Show what the quote says."""
        work, main = quote.workload, quote.workload.main_stage
        show_text(self.result, work.accepted_result)
        show_text(self.unit, work.computation_unit)
        show_number(self.count, None if main is None else main.tasks.total)
        self.count.setEnabled(main is not None and len(main.tasks.count) == 1)
        show_text(self.delivery, work.delivery_unit)
        show_number(self.each, work.units_per_delivery)
        show_number(self.quota, None if work.quota_cards is None else work.quota_cards.value)
        if self.budget is None or quote.pricing.currency != self._currency:
            self._make_budget(quote.pricing.currency)
        if self.budget is not None:
            show_money(self.budget, work.budget)

    def _lay_out(self) -> None:
        words = self._words
        result = self._field(("workload", "accepted_result"), words.t("Accepted result"), self.result)
        unit = self._field(("workload", "computation_unit"), words.t("Unit of computation"), self.unit)
        count = self._field(("workload", "count"), words.t("How many"), self.count)
        delivery = self._field(("workload", "delivery_unit"), words.t("Unit of delivery"), self.delivery)
        each = self._field(("workload", "units_per_delivery"), words.t("Units each"), self.each)
        quota = self._field(("workload", "quota_cards"), words.t("Card quota"), self.quota)
        for line in (self.quota, self.each, self.count):
            line.setMinimumWidth(_SMALL)
        for line in (self.count, self.each):
            line.setMaximumWidth(_SMALL)
        self.quota.setPlaceholderText(words.t("optional"))
        self._column.addWidget(result)
        self._column.addLayout(in_a_row(unit, count, stretches=(1, 0)))
        self._column.addLayout(in_a_row(delivery, each, stretches=(1, 0)))
        self._last = in_a_row(quota, stretches=(2,))
        self._column.addLayout(self._last)
        self._column.addStretch(1)

    def _make_budget(self, currency: str) -> None:
        """The currency of a money field is fixed when it is made."""
        place: Place = ("workload", "budget")
        former = self.fields.pop(place, None)
        if former is not None:
            self._last.removeWidget(former)
            former.deleteLater()
        self._currency = currency
        self.budget = MoneyField(self._words, currency)
        self.budget.line.setPlaceholderText(self._words.t("optional"))
        self.budget.committed.connect(self._budget_typed)
        self._last.addWidget(self._field(place, self._words.t("Budget"), self.budget), 3)

    def _field(self, place: Place, label: str, widget: QWidget) -> Field:
        self.fields[place] = Field(self._theme, label, widget)
        return self.fields[place]

    def _connect(self) -> None:
        words = self._words
        for line, name, label in (
            (self.result, "accepted_result", words.t("change the accepted result")),
            (self.unit, "computation_unit", words.t("change the unit of computation")),
            (self.delivery, "delivery_unit", words.t("change the unit of delivery")),
        ):
            line.committed.connect(
                lambda value, name=name, label=label: self._ask(
                    label, lambda quote: edits.with_workload(quote, **{name: value})
                )
            )
        self.count.committed.connect(self._count_typed)
        self.each.committed.connect(
            lambda value: self._ask(
                words.t("change the units of a delivery"),
                lambda quote: edits.with_workload(quote, units_per_delivery=_whole(value)),
            )
        )
        self.quota.committed.connect(
            lambda value: self._ask(
                words.t("change the card quota"),
                lambda quote: edits.with_workload(
                    quote, quota_cards=_given(quote.workload.quota_cards, value)
                ),
            )
        )

    def _count_typed(self, value: object) -> None:
        count = _whole(value)

        def edit(quote: Quote) -> Quote:
            main = quote.workload.main_stage
            if main is None or count is None:
                return quote
            return edits.with_equal_tasks(quote, main.id, count=count)

        self._ask(self._words.t("change how many units there are"), edit)

    def _budget_typed(self, value: object) -> None:
        self._ask(
            self._words.t("change the budget"),
            lambda quote: edits.with_workload(quote, budget=_given(quote.workload.budget, value)),
        )


class AloneBox:
    """Can a unit be computed alone, what does a card receive, and is a unit useful before the whole batch?"""

    def __init__(self, words: Wording, theme: Theme, ask: Ask) -> None:
        self._words = words
        self._ask = ask
        self.frame, column = titled_box(theme, words.t("2. Is each unit computed alone?"))
        self.radios = {
            Independence.INDEPENDENT: QRadioButton(words.t("Yes: independent tasks")),
            Independence.COOPERATIVE: QRadioButton(words.t("No: a cooperative job")),
            Independence.BY_STAGE: QRadioButton(words.t("Depends on the stage")),
        }
        self._group = QButtonGroup(self.frame)
        for choice, radio in self.radios.items():
            self._group.addButton(radio)
            radio.clicked.connect(lambda _on, choice=choice: self._chosen(choice))
            column.addWidget(radio)
        self._sentence = QLabel()
        self._sentence.setWordWrap(True)
        self._sentence.setProperty("look", "muted")
        self._sentence.setFont(theme.font(TextRole.SECONDARY))
        theme.changed.connect(lambda: self._sentence.setFont(theme.font(TextRole.SECONDARY)))
        column.addWidget(self._sentence)
        column.addStretch(1)
        self.delivered_as = ElidedCombo()
        for one in (DeliveredAs.BATCH, DeliveredAs.UNIT):
            self.delivered_as.addItem(words.word(one), one)
        self.delivered_as.activated.connect(self._delivered_chosen)
        field = Field(theme, words.t("Delivered by unit or by batch?"), self.delivered_as)
        field.label.setWordWrap(True)
        self.fields: dict[Place, Field] = {("workload", "delivered_as"): field}
        column.addWidget(field)

    @property
    def sentence(self) -> str:
        """What a card receives, as shown."""
        return self._sentence.text()

    def show_quote(self, quote: Quote) -> None:
        """Show what the quote says."""
        work = quote.workload
        self.radios[work.independence].setChecked(True)
        self._sentence.setText(self._received(work.independence))
        self.delivered_as.setCurrentIndex(self.delivered_as.findData(work.delivered_as))

    def _received(self, independence: Independence) -> str:
        if independence is Independence.INDEPENDENT:
            return self._words.t(
                "A card receives one whole task. What counts is how many accepted results come out in a term."
            )
        if independence is Independence.COOPERATIVE:
            return self._words.t(
                "Several cards receive one task between them: each holds its part, and they exchange data."
            )
        return self._words.t("Each stage says it: choose its kind beside the table.")

    def _chosen(self, choice: Independence) -> None:
        self._ask(
            self._words.t("change what is computed alone"), lambda quote: with_independence(quote, choice)
        )

    def _delivered_chosen(self, index: int) -> None:
        choice = DeliveredAs(self.delivered_as.itemData(index))
        self._ask(
            self._words.t("change how it is delivered"),
            lambda quote: edits.with_workload(quote, delivered_as=choice),
        )


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, Decimal) else None


def _given(former: Stated | None, value: object) -> Stated | None:
    """Return a number that the customer stated, None where it is taken away; its evidence stays."""
    if not isinstance(value, Decimal):
        return None
    return Stated(value=value, evidence=GIVEN) if former is None else former.replaced(value=value)
