"""How one line besides the cards is charged: its kind, what multiplies it, unit, currency, tax and price of more.

Asks for edits; the page makes them one undo step each. Name, quantity and price are edited in the table above it.
"""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from estimator.evidence import GIVEN, Stated
from estimator.quote import Fee, FeeBasis, FeeKind, PriceTier, Pricing
from estimator.wording import Wording
from ui.pages.cost_settings import CURRENCIES
from ui.theme import Theme
from ui.widgets.combo import Combo
from ui.widgets.field import Field
from ui.widgets.number_field import NumberField

MOST_TIERS_SHOWN = 3
_TIMED = (FeeBasis.RENTED_TIME, FeeBasis.KEPT_TIME)


class FeeForm(QFrame):
    """The fields of one fee. `changed` carries the fields of the fee to change, by name."""

    changed = Signal(dict)

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._fee: Fee | None = None
        self._own_tiers = True
        self.setProperty("look", "box")
        self.kind = _choices(words, FeeKind)
        self.basis = _choices(words, FeeBasis)
        self.unit = QLineEdit()
        self.unit.setMaxLength(40)
        self.currency = Combo()
        self.tax = NumberField(words, minimum=Decimal(0), maximum=Decimal(100), unit="%")
        self.period = NumberField(words, minimum=Decimal(1), maximum=Decimal(366), whole=True)
        self.kept = NumberField(words, minimum=Decimal(0))
        self.tiers = [
            (NumberField(words, minimum=Decimal(0)), NumberField(words, minimum=Decimal(0)))
            for _ in range(MOST_TIERS_SHOWN)
        ]
        self._lay_out(theme)
        self.kind.activated.connect(lambda at: self._choose(kind=self.kind.itemData(at)))
        self.basis.activated.connect(lambda at: self._choose(basis=self.basis.itemData(at)))
        self.currency.activated.connect(lambda at: self._choose(currency=self.currency.itemData(at)))
        self.unit.editingFinished.connect(lambda: self._choose(unit=self.unit.text().strip()))
        self.tax.committed.connect(lambda value: self._choose(tax_percent=value))
        self.period.committed.connect(self._period_committed)
        self.kept.committed.connect(self._kept_committed)
        for pair in self.tiers:
            for field in pair:
                field.committed.connect(lambda value: self._tiers_committed())

    def show_fee(self, fee: Fee | None, pricing: Pricing) -> None:
        """Show that fee; None hides the form. A field being edited keeps what is typed."""
        is_same = fee is not None and self._fee is not None and fee.id == self._fee.id
        self._fee = fee
        self.setVisible(fee is not None)
        if fee is None:
            return
        self.kind.setCurrentIndex(self.kind.findData(fee.kind))
        self.basis.setCurrentIndex(self.basis.findData(fee.basis))
        self._show_currencies(fee, pricing)
        if not (is_same and self.unit.hasFocus()):
            self.unit.setText(fee.unit)
        shown = {
            self.tax: fee.tax_percent,
            self.period: Decimal(fee.period_days),
            self.kept: None if fee.kept_days is None else fee.kept_days.value,
        }
        of_quote = pricing.tax_percent.value
        self.tax.setPlaceholderText("" if of_quote is None else self._words.number(of_quote))
        self._own_tiers = len(fee.tiers) <= MOST_TIERS_SHOWN
        for at, (above, price) in enumerate(self.tiers):
            tier = fee.tiers[at] if at < len(fee.tiers) else None
            shown[above] = None if tier is None else tier.above
            shown[price] = None if tier is None else tier.price
        pending = self._are_tiers_pending()
        for field, value in shown.items():
            is_tier = any(field in pair for pair in self.tiers)
            if not (is_same and ((field.hasFocus() and field.isModified()) or (is_tier and pending))):
                field.set_value(value)
        self._show_fields(fee)

    @property
    def refusal(self) -> str:
        """The sentence about prices of more that cannot be taken, or empty."""
        return "" if self._refusal.isHidden() else self._refusal.text()

    def stops(self) -> list[QWidget]:
        """Return the fields in reading order."""
        pairs = [field for pair in self.tiers for field in pair]
        return [self.kind, self.basis, self.kept, self.period, self.unit, self.currency, self.tax, *pairs]

    def _lay_out(self, theme: Theme) -> None:
        words = self._words
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        self._kept = Field(theme, words.t("Days kept"), self.kept)
        self._period = Field(theme, words.t("The price is for"), self.period, unit=words.t("days"))
        grid.addWidget(Field(theme, words.t("Kind of line"), self.kind), 0, 0)
        grid.addWidget(Field(theme, words.t("Charged"), self.basis), 0, 1)
        grid.addWidget(self._kept, 0, 2)
        grid.addWidget(self._period, 0, 3)
        grid.addWidget(Field(theme, words.t("Unit"), self.unit), 1, 0)
        grid.addWidget(Field(theme, words.t("Currency"), self.currency), 1, 1)
        self._tax = Field(theme, words.t("Tax of this line"), self.tax, unit="%")
        grid.addWidget(self._tax, 1, 2)
        for column in range(4):
            grid.setColumnStretch(column, 1)
        self._note = QLabel()
        self._note.setWordWrap(True)
        self._note.setProperty("look", "muted")
        column_layout = QVBoxLayout(self)
        column_layout.setContentsMargins(12, 10, 12, 10)
        column_layout.setSpacing(8)
        column_layout.addLayout(grid)
        column_layout.addWidget(self._note)
        self._refusal = QLabel()
        self._refusal.setWordWrap(True)
        self._refusal.setProperty("look", "error")
        self._refusal.hide()
        self._rows: list[QWidget] = []
        for at, (above, price) in enumerate(self.tiers):
            row_widget = QWidget()
            row = QHBoxLayout(row_widget)
            row.setContentsMargins(0, 0, 0, 0)
            number = words.number(at + 1)
            above.setAccessibleName(words.t("Price of more {number}: above this quantity", number=number))
            price.setAccessibleName(words.t("Price of more {number}: price", number=number))
            row.addWidget(QLabel(words.t("Above a quantity of")))
            row.addWidget(above, 1)
            row.addWidget(QLabel(words.t("each further one costs")))
            row.addWidget(price, 1)
            column_layout.addWidget(row_widget)
            self._rows.append(row_widget)
        column_layout.addWidget(self._refusal)

    def _show_fields(self, fee: Fee) -> None:
        words = self._words
        self._kept.setVisible(fee.basis is FeeBasis.KEPT_TIME)
        self._period.setVisible(fee.basis in _TIMED)
        for at, row in enumerate(self._rows):
            row.setVisible(self._own_tiers and at <= len(fee.tiers))
        notes = {
            FeeBasis.ONCE: "",
            FeeBasis.RENTED_TIME: words.t(
                "Price × quantity × days rented of the plan ÷ the days of the price."
            ),
            FeeBasis.KEPT_TIME: words.t("Price × quantity × days kept ÷ the days of the price."),
            FeeBasis.CARD_HOURS: words.t("Price × quantity × hours of all cards, as they are billed."),
            FeeBasis.ENERGY: words.t(
                "The price is of a kWh and the quantity is the site's PUE: rated power of the cards × hours billed."
            ),
        }
        text = notes[fee.basis]
        if not self._own_tiers:
            more = words.t(
                "This line has {count} prices of more, which is more than this form shows.",
                count=words.number(len(fee.tiers)),
            )
            text = f"{text} {more}".strip()
        self._note.setText(text)
        self._note.setVisible(bool(text))

    def _show_currencies(self, fee: Fee, pricing: Pricing) -> None:
        codes = list(dict.fromkeys([pricing.currency, *CURRENCIES]))
        if fee.currency is not None and fee.currency not in codes:
            codes.append(fee.currency)
        if [self.currency.itemData(at) for at in range(self.currency.count())] != [None, *codes[1:]]:
            self.currency.clear()
            self.currency.addItem(pricing.currency, None)
            for code in codes[1:]:
                self.currency.addItem(code, code)
        wanted = None if fee.currency == pricing.currency else fee.currency
        self.currency.setCurrentIndex(0 if wanted is None else self.currency.findData(wanted))

    def _choose(self, **changes: object) -> None:
        if self._fee is None or all(getattr(self._fee, name) == value for name, value in changes.items()):
            return
        self.changed.emit(changes)

    def _period_committed(self, value: object) -> None:
        if isinstance(value, Decimal):
            self._choose(period_days=int(value))

    def _kept_committed(self, value: object) -> None:
        if self._fee is None:
            return
        former = self._fee.kept_days or Stated(evidence=GIVEN)
        typed = value if isinstance(value, Decimal) else None
        self._choose(kept_days=None if typed is None else former.replaced(value=typed))

    def _are_tiers_pending(self) -> bool:
        """Whether a pair is half typed, or the quantities do not rise yet."""
        return self._typed_tiers() is None

    def _typed_tiers(self) -> tuple[PriceTier, ...] | None:
        pairs = [(above.number, price.number) for above, price in self.tiers]
        full = [(above, price) for above, price in pairs if above is not None and price is not None]
        if len(full) != sum(above is not None or price is not None for above, price in pairs):
            return None
        limits = [above for above, _ in full]
        if limits != sorted(set(limits)):
            return None
        return tuple(PriceTier(above=above, price=price) for above, price in full)

    def _tiers_committed(self) -> None:
        tiers = self._typed_tiers()
        limits = [above.number for above, _ in self.tiers if above.number is not None]
        falls = limits != sorted(set(limits))
        self._refusal.setText(self._words.t("Quantities must rise from line to line.") if falls else "")
        self._refusal.setVisible(falls)
        if tiers is not None:
            self._choose(tiers=tiers)


def _choices(words: Wording, kind: type[StrEnum]) -> QComboBox:
    box = Combo()
    for choice in kind:
        box.addItem(words.word(choice), choice)
    return box
