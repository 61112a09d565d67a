"""Rental lots, cards by the hour and own cards side by side; what owning costs; sellers that are not admitted.

A blank of owning is absent with its reason, never zero. Each change is one undo step, made by the page's `edit`.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from estimator import edits
from estimator.evidence import Stated
from estimator.problems import Absent, Place
from estimator.quote import Ownership, Quote
from estimator.results.estimate import Estimate
from estimator.results.rental import RentalWay
from estimator.wording import Wording
from estimator.wording.rent import owning_text, way_name
from estimator.wording.ways import WayRow, way_rows
from ui.models.table import Column
from ui.models.table_view import TableView
from ui.pages.changing_table import ChangingTableModel
from ui.pages.cost_views import currency_sign
from ui.session import Edit
from ui.theme import TextRole, Theme
from ui.widgets.combo import Combo
from ui.widgets.field import Field
from ui.widgets.number_field import NumberField
from ui.widgets.typed_line import TextField


def owning_lines(words: Wording, estimate: Estimate) -> tuple[str, ...]:
    """Return why a way has no figure, and from what use owning beats each offer where owning is stated."""
    study, quote = estimate.rental, estimate.quote
    if study is None:
        return ()
    lines = [
        f"{way_name(words, one.way)}: {words.absent(one.cost)}"
        for one in study.ways
        if isinstance(one.cost, Absent)
    ]
    if quote.pricing.ownership is not None:
        lines += [owning_text(words, quote, one) for one in study.owning]
    return tuple(dict.fromkeys(lines))


class WaysBox(QFrame):
    """The comparison with the form of owning at its right and the sellers that are not admitted below."""

    def __init__(
        self, edit: Callable[[str, Edit], object], words: Wording, theme: Theme, parent: QWidget | None = None
    ) -> None:
        """`edit` gets a label for the menu and the change."""
        super().__init__(parent)
        self._edit = edit
        self._words = words
        self._theme = theme
        self.setProperty("look", "box")
        self.model: ChangingTableModel[WayRow] = ChangingTableModel(_columns(words, "EUR"), words, theme)
        self.table = TableView(
            self.model, words, theme, words.t("Lots, by the hour, own cards"), whole_rows=True
        )
        self.said = QLabel()
        self.said.setWordWrap(True)
        self.said.setTextFormat(Qt.TextFormat.RichText)
        self.said.setProperty("look", "muted")
        self.fields = {
            "price_per_card": NumberField(words, minimum=Decimal(0)),
            "life_years": NumberField(words, minimum=Decimal("0.01")),
            "watts_per_card": NumberField(words, minimum=Decimal(0)),
            "pue": NumberField(words, minimum=Decimal(1)),
            "price_per_kwh": NumberField(words, minimum=Decimal(0)),
            "staff_per_year": NumberField(words, minimum=Decimal(0)),
            "cards": NumberField(words, minimum=Decimal(1), whole=True),
            "use_hours_per_year": NumberField(words, minimum=Decimal(0), maximum=Decimal(8760)),
        }
        for name, field in self.fields.items():
            field.committed.connect(lambda value, name=name: self._own(name, value))
        self.sellers = Combo()
        self.sellers.setAccessibleName(words.t("Seller that is not admitted"))
        self.reason = TextField(words)
        self.reason.setAccessibleName(words.t("Why the seller is not admitted"))
        self.reason.setPlaceholderText(words.t("Why: the customer's rule"))
        self.forbid = QPushButton(words.t("Leave out the seller"))
        self.forbid.clicked.connect(self._forbid)
        self._rules = QVBoxLayout()
        self._rules.setSpacing(4)
        self.admit_buttons: list[QPushButton] = []
        self._shown_rules: object = None
        self._lay_out()

    def show_quote(self, quote: Quote, estimate: Estimate | None) -> None:
        """Show the comparison of the estimate and the fields of the quote."""
        words, currency = self._words, quote.pricing.currency
        rows = () if estimate is None else way_rows(words, estimate)
        if rows or estimate is None:
            self.model.show_table(_columns(words, currency), rows)
            lines = () if estimate is None else owning_lines(words, estimate)
            self.said.setText("<br>".join(escape(line) for line in lines))
        self.table.setVisible(bool(self.model.rows))
        head = self.table.horizontalHeader()
        head.setStretchLastSection(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.fit_height(8)
        ownership = quote.pricing.ownership or Ownership()
        for name, field in self.fields.items():
            value = getattr(ownership, name).value
            if not (field.hasFocus() and field.isModified()) and (field.number != value or not field.problem):
                field.set_value(value)
        self._show_sellers(quote)

    def focus_place(self, place: Place) -> bool:
        """Give focus to the field of a place under "ownership"; False where none is here."""
        field = self.fields.get(str(place[0])) if place else self.fields["price_per_card"]
        if field is None:
            return False
        field.setFocus()
        field.selectAll()
        return True

    def stops(self) -> list[QWidget]:
        """Return what takes the focus, in reading order."""
        return [
            self.table,
            *self.fields.values(),
            *(self.sellers, self.reason, self.forbid),
            *self.admit_buttons,
        ]

    def _lay_out(self) -> None:
        words, theme = self._words, self._theme
        titles = (
            (words.t("Price of a card with its share of the server"), "price_per_card"),
            (words.t("Life, years"), "life_years"),
            (words.t("Power of a card, W"), "watts_per_card"),
            (words.t("PUE of the building"), "pue"),
            (words.t("Price of a kWh"), "price_per_kwh"),
            (words.t("Staff, a year"), "staff_per_year"),
            (words.t("Cards that the staff look after"), "cards"),
            (words.t("Hours of use a year"), "use_hours_per_year"),
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        for at, (title, name) in enumerate(titles):
            grid.addWidget(Field(theme, title, self.fields[name]), at // 2, at % 2)
            grid.setColumnStretch(at % 2, 1)
        left, right = QVBoxLayout(), QVBoxLayout()
        left.setSpacing(6)
        right.setSpacing(6)
        left.addWidget(_title(theme, words.t("Rental lots, cloud by the hour and own cards")))
        left.addWidget(self.table)
        left.addWidget(self.said)
        left.addStretch(1)
        right.addWidget(_title(theme, words.t("What owning would cost")))
        right.addLayout(grid)
        right.addStretch(1)
        halves = QHBoxLayout()
        halves.setSpacing(20)
        halves.addLayout(left, 6)
        halves.addLayout(right, 5)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.sellers, 1)
        row.addWidget(self.reason, 2)
        row.addWidget(self.forbid)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 12)
        column.setSpacing(8)
        column.addLayout(halves)
        column.addWidget(_title(theme, words.t("Sellers that the customer does not admit")))
        column.addLayout(row)
        column.addLayout(self._rules)

    def _show_sellers(self, quote: Quote) -> None:
        free = sorted(
            {one.seller for one in quote.offers if one.seller and quote.forbids(one.seller) is None}
        )
        if [self.sellers.itemText(at) for at in range(self.sellers.count())] != free:
            self.sellers.clear()
            self.sellers.addItems(free)
        entries: tuple[QWidget, ...] = (self.sellers, self.reason, self.forbid)
        for entry in entries:
            entry.setEnabled(bool(free))
        if self._shown_rules == quote.forbidden_sellers:
            return
        self._shown_rules = quote.forbidden_sellers
        while (item := self._rules.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self.admit_buttons = []
        for rule in quote.forbidden_sellers:
            line = QWidget()
            row = QHBoxLayout(line)
            row.setContentsMargins(0, 0, 0, 0)
            text = f"{rule.seller}: {rule.reason}" if rule.reason else rule.seller
            label = QLabel(text)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            button = QPushButton(self._words.t("Admit again"))
            button.setAccessibleName(self._words.t("Admit {seller} again", seller=rule.seller))
            button.clicked.connect(lambda _ticked, seller=rule.seller: self._admit(seller))
            row.addWidget(label, 1)
            row.addWidget(button)
            self._rules.addWidget(line)
            self.admit_buttons.append(button)

    def _forbid(self) -> None:
        seller = self.sellers.currentText()
        reason = self.reason.text().strip()
        if seller:
            label = self._words.t("leave out {seller}", seller=seller)
            self._edit(label, lambda quote: edits.with_forbidden_seller(quote, seller, reason))
            self.reason.set_value("")

    def _admit(self, seller: str) -> None:
        label = self._words.t("admit {seller} again", seller=seller)
        self._edit(label, lambda quote: edits.without_forbidden_seller(quote, seller))

    def _own(self, name: str, value: object) -> None:
        typed = value if isinstance(value, Decimal) else None

        def change(quote: Quote) -> Quote:
            known: Stated = getattr(quote.pricing.ownership or Ownership(), name)
            return edits.with_ownership(quote, **{name: known.replaced(value=typed)})

        self._edit(self._words.t("change what owning costs"), change)


def _columns(words: Wording, currency: str) -> tuple[Column[WayRow], ...]:
    def way(at: int, name: str) -> Column[WayRow]:
        return Column(
            name,
            lambda row: row.figures[at],
            right=True,
            tooltip=lambda row: row.reasons[at] or row.figures[at],
        )

    return (
        Column(
            words.t("Before fees and tax, {currency}", currency=currency_sign(currency)), lambda row: row.name
        ),
        *(way(at, way_name(words, each)) for at, each in enumerate(RentalWay)),
    )


def _title(theme: Theme, text: str) -> QLabel:
    label = QLabel(text)
    label.setFont(theme.font(TextRole.SECTION))
    return label
