"""How the price is made: tax, discount, contingency, currency, exchange rates, hold, and how old a price may be.

Asks for edits; the page makes them one undo step each.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from estimator.problems import Place
from estimator.quote import Quote
from estimator.wording import Wording
from ui.pages.cost_lines import foreign_currencies
from ui.theme import Theme
from ui.widgets.combo import Combo
from ui.widgets.field import Field
from ui.widgets.number_field import NumberField
from ui.widgets.typed_line import DateField

CURRENCIES = ("EUR", "USD", "MXN", "ARS", "BRL", "CHF", "CLP", "COP", "GBP", "JPY", "PEN", "UYU")
PERCENTS = ("tax_percent", "discount_percent", "contingency_percent")


class PriceSettings(QFrame):
    """The fields of the pricing. Signals carry what was typed; `focus_place` leads to a field."""

    percent_typed = Signal(str, object)
    """Name of the field, and a Decimal or None."""
    currency_chosen = Signal(str)
    age_typed = Signal(int)
    hold_ticked = Signal(bool)
    rate_typed = Signal(str, object)
    rate_dated = Signal(str, object)

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self.setProperty("look", "box")
        self.percents = {
            name: NumberField(words, minimum=Decimal(0), maximum=Decimal(100), unit="%") for name in PERCENTS
        }
        self.currency = Combo()
        self.age = NumberField(words, minimum=Decimal(1), whole=True)
        self.hold = QCheckBox(words.t("Hold hourly cards through assembly"))
        self.rates: dict[str, tuple[NumberField, DateField]] = {}
        self._rates_in = ""
        self._rates = QVBoxLayout()
        self._rates.setSpacing(8)
        self._lay_out()
        for name, field in self.percents.items():
            field.committed.connect(lambda value, name=name: self.percent_typed.emit(name, value))
        self.currency.activated.connect(
            lambda index: self.currency_chosen.emit(str(self.currency.itemData(index)))
        )
        self.age.committed.connect(self._age_committed)
        self.hold.clicked.connect(self.hold_ticked)

    def show_quote(self, quote: Quote) -> None:
        """Show the pricing of the quote; a field being edited keeps what is typed."""
        pricing = quote.pricing
        for name, field in self.percents.items():
            stated = getattr(pricing, name)
            _set_unless_edited(field, None if stated is None else stated.value)
        codes = list(CURRENCIES) if pricing.currency in CURRENCIES else [pricing.currency, *CURRENCIES]
        if [self.currency.itemData(at) for at in range(self.currency.count())] != codes:
            self.currency.clear()
            for code in codes:
                self.currency.addItem(code, code)
        self.currency.setCurrentIndex(codes.index(pricing.currency))
        _set_unless_edited(self.age, Decimal(pricing.price_age_limit_days))
        self.hold.setChecked(pricing.hold_through_assembly)
        self._show_rates(quote)

    def focus_place(self, place: Place) -> bool:
        """Give focus to the field of a place under "pricing"; False where none is here."""
        field: QWidget | None = None
        if place[:1] in self._simple:
            field = self._simple[place[:1]]
        elif place[:1] == ("rates",) and len(place) > 1 and place[1] in self.rates:
            rate, date = self.rates[place[1]]
            field = date if place[-1] == "date" and date.isEnabled() else rate
        if field is None:
            return False
        field.setFocus()
        if isinstance(field, NumberField):
            field.selectAll()
        return True

    def stops(self) -> list[QWidget]:
        """Return the fields in reading order."""
        made: list[QWidget] = [*self.percents.values(), self.currency, self.hold, self.age]
        for rate, date in self.rates.values():
            made += [rate, date]
        return made

    def _lay_out(self) -> None:
        words, theme = self._words, self._theme
        titles = (words.t("Tax"), words.t("Discount"), words.t("Contingency"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        for at, (title, name) in enumerate(zip(titles, PERCENTS, strict=True)):
            grid.addWidget(Field(theme, title, self.percents[name], unit="%"), 0, at)
            grid.setColumnStretch(at, 1)
        grid.addWidget(Field(theme, words.t("Currency"), self.currency), 0, 3)
        grid.setColumnStretch(3, 1)
        below = QHBoxLayout()
        below.addWidget(self.hold)
        below.addStretch(1)
        label = QLabel(words.t("A price holds for"))
        label.setProperty("look", "muted")
        label.setBuddy(self.age)
        days = QLabel(words.t("days"))
        self.age.setAccessibleName(words.t("A price holds for, days"))
        self.age.setFixedWidth(64)
        for widget in (label, self.age, days):
            below.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(8)
        column.addLayout(grid)
        column.addLayout(below)
        column.addLayout(self._rates)
        self._simple: dict[Place, QWidget] = {(name,): self.percents[name] for name in PERCENTS}
        self._simple[("currency",)] = self.currency
        self._simple[("price_age_limit_days",)] = self.age
        self._simple[("hold_through_assembly",)] = self.hold

    def _show_rates(self, quote: Quote) -> None:
        wanted = foreign_currencies(quote)
        if tuple(self.rates) != wanted or self._rates_in != quote.pricing.currency:
            self._build_rates(wanted, quote.pricing.currency)
        known = {rate.currency: rate for rate in quote.pricing.rates}
        for code, (rate, date) in self.rates.items():
            stated = known.get(code)
            _set_unless_edited(rate, None if stated is None else stated.rate)
            date.setEnabled(stated is not None)
            if not _is_edited(date):
                date.set_value(None if stated is None else stated.date)

    def _build_rates(self, wanted: tuple[str, ...], currency: str) -> None:
        while (item := self._rates.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self.rates = {}
        self._rates_in = currency
        for code in wanted:
            row_widget = QWidget()
            row = QHBoxLayout(row_widget)
            row.setContentsMargins(0, 0, 0, 0)
            rate = NumberField(self._words)
            date = DateField(self._words)
            rate.setAccessibleName(
                self._words.t("One {foreign} in {currency}", foreign=code, currency=currency)
            )
            date.setAccessibleName(self._words.t("Date of the rate of {foreign}", foreign=code))
            date.setPlaceholderText(self._words.t("Date of the rate"))
            row.addWidget(QLabel(self._words.t("1 {foreign} =", foreign=code)))
            row.addWidget(rate, 1)
            row.addWidget(QLabel(currency))
            row.addWidget(date, 1)
            self._rates.addWidget(row_widget)
            self.rates[code] = (rate, date)
            rate.committed.connect(lambda value, code=code: self._rate_committed(code, value))
            date.committed.connect(lambda value, code=code: self.rate_dated.emit(code, value))

    def _rate_committed(self, code: str, value: object) -> None:
        positive = value if isinstance(value, Decimal) and value > 0 else None
        self.rate_typed.emit(code, positive)

    def _age_committed(self, value: object) -> None:
        if isinstance(value, Decimal):
            self.age_typed.emit(int(value))


def dated(value: object) -> dt.date | None:
    """Return the date that a field committed, or None."""
    return value if isinstance(value, dt.date) else None


def _is_edited(field: NumberField | DateField) -> bool:
    return field.hasFocus() and field.isModified()


def _set_unless_edited(field: NumberField, value: Decimal | None) -> None:
    if not _is_edited(field) and (field.number != value or not field.problem):
        field.set_value(value)
