"""The data of the document: customer, number, date, validity, issuer, its language and number format, notes."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from estimator.problems import Place
from estimator.quote import Quote
from estimator.wording import Language, NumberFormat, Wording
from ui.pages.conditions_trial import PastedText
from ui.theme import TextRole, Theme
from ui.widgets.combo import Combo
from ui.widgets.field import Field
from ui.widgets.number_field import NumberField
from ui.widgets.typed_line import DateField, TextField

_SAMPLE = Decimal("1234.50")


class QuoteDetails(QFrame):
    """The form at the left. `committed` carries the name of a part and its new value."""

    committed = Signal(str, object)
    logo_asked = Signal()
    """Choose a logo, or take the present one away."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self.setProperty("look", "box")
        self.customer, self.customer_contact = TextField(words), TextField(words)
        self.issuer, self.issuer_contact = TextField(words), TextField(words)
        self.name, self.number = TextField(words), TextField(words)
        self.date = DateField(words)
        self.valid_days = NumberField(words, minimum=Decimal(1), whole=True)
        self.language, self.number_format = Combo(), Combo()
        self.language.addItem("Español", Language.SPANISH.value)
        self.language.addItem("English", Language.ENGLISH.value)
        for one in NumberFormat:
            sample = Wording(Language.ENGLISH, one).number(_SAMPLE, 2)
            self.number_format.addItem(f"{sample} {one.value[-2:]}", one.value)  # the country
        self.paper = Combo()
        for paper in ("A4", "Letter"):
            self.paper.addItem(words.t("Letter (8.5 × 11 in)") if paper == "Letter" else paper, paper)
        self.logo_button = QPushButton()
        self.logo_button.clicked.connect(lambda: self.logo_asked.emit())
        self.notes = PastedText()
        self.notes.setLineWrapMode(PastedText.LineWrapMode.WidgetWidth)
        self.notes.setFixedHeight(72)
        self._lay_out()
        self._connect()

    def show_quote(self, quote: Quote) -> None:
        """Show the quote's data; a field being edited keeps what is typed."""
        for line, text in (
            (self.customer, quote.customer.name),
            (self.customer_contact, quote.customer.contact),
            (self.issuer, quote.issuer.name),
            (self.issuer_contact, quote.issuer.contact),
            (self.name, quote.name),
            (self.number, quote.number),
        ):
            if not (line.hasFocus() and line.isModified()):
                line.set_value(text)
        if not (self.date.hasFocus() and self.date.isModified()) and not self.date.problem:
            self.date.set_value(quote.date)
        if not (self.valid_days.hasFocus() and self.valid_days.isModified()) and not self.valid_days.problem:
            self.valid_days.set_value(Decimal(quote.valid_days))
        self.language.setCurrentIndex(self.language.findData(quote.language))
        self.number_format.setCurrentIndex(self.number_format.findData(quote.number_format))
        self.paper.setCurrentIndex(self.paper.findData(quote.paper))
        has_logo = bool(quote.issuer.logo)
        words = self._words
        self.logo_button.setText(words.t("Take the logo away") if has_logo else words.t("Add a logo…"))
        self.notes.set_value(quote.notes)

    def focus_place(self, place: Place) -> bool:
        """Give focus to the field of a place; False where none is here."""
        field = self._places.get(place) or self._places.get(place[:1])
        if field is None:
            return False
        field.setFocus()
        if isinstance(field, TextField | DateField | NumberField):
            field.selectAll()
        return True

    def stops(self) -> list[QWidget]:
        """Return the fields in reading order."""
        return [
            *(self.customer, self.customer_contact, self.number, self.date, self.valid_days, self.language),
            *(self.name, self.issuer, self.issuer_contact, self.logo_button, self.number_format),
            *(self.paper, self.notes),
        ]

    def _connect(self) -> None:
        for name, line in (
            ("customer.name", self.customer),
            ("customer.contact", self.customer_contact),
            ("issuer.name", self.issuer),
            ("issuer.contact", self.issuer_contact),
            ("name", self.name),
            ("number", self.number),
        ):
            line.committed.connect(lambda value, name=name: self.committed.emit(name, str(value)))
        self.date.committed.connect(
            lambda value: self.committed.emit("date", value if isinstance(value, dt.date) else None)
        )
        self.valid_days.committed.connect(self._days_committed)
        self.language.activated.connect(
            lambda at: self.committed.emit("language", str(self.language.itemData(at)))
        )
        self.number_format.activated.connect(
            lambda at: self.committed.emit("number_format", str(self.number_format.itemData(at)))
        )
        self.paper.activated.connect(lambda at: self.committed.emit("paper", str(self.paper.itemData(at))))
        self.notes.committed.connect(lambda text: self.committed.emit("notes", text))

    def _lay_out(self) -> None:
        words = self._words
        title = QLabel(words.t("Data of the quote"))
        title.setFont(self._theme.font(TextRole.SECTION))
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        valid = Field(self._theme, words.t("Valid for"), self.valid_days, unit=words.t("days"))
        for row, column, span, field in (
            (0, 0, 2, self._field(words.t("Customer"), self.customer)),
            (1, 0, 2, self._field(words.t("Contact of the customer"), self.customer_contact)),
            (2, 0, 1, self._field(words.t("Number"), self.number)),
            (2, 1, 1, self._field(words.t("Date"), self.date)),
            (3, 0, 1, valid),
            (3, 1, 1, self._field(words.t("Language"), self.language)),
            (4, 0, 2, self._field(words.t("Name of the quote"), self.name)),
            (5, 0, 1, self._field(words.t("Issuer"), self.issuer)),
            (5, 1, 1, self._field(words.t("Contact of the issuer"), self.issuer_contact)),
            (6, 0, 2, self.logo_button),
            (7, 0, 1, self._field(words.t("Numbers written as"), self.number_format)),
            (7, 1, 1, self._field(words.t("Paper"), self.paper)),
            (8, 0, 2, self._field(words.t("Notes"), self.notes)),
        ):
            grid.addWidget(field, row, column, 1, span)
        self.language.setAccessibleName(words.t("Language of the document"))
        column_ = QVBoxLayout(self)
        column_.setContentsMargins(12, 10, 12, 12)
        column_.setSpacing(8)
        column_.addWidget(title)
        column_.addLayout(grid)
        column_.addStretch(1)
        self._places: dict[Place, QWidget] = {
            ("customer",): self.customer,
            ("customer", "contact"): self.customer_contact,
            ("issuer",): self.issuer,
            ("issuer", "contact"): self.issuer_contact,
            ("name",): self.name,
            ("number",): self.number,
            ("date",): self.date,
            ("valid_days",): self.valid_days,
            ("language",): self.language,
            ("number_format",): self.number_format,
            ("paper",): self.paper,
            ("notes",): self.notes,
        }

    def _field(self, label: str, widget: QWidget) -> Field:
        return Field(self._theme, label, widget)

    def _days_committed(self, value: object) -> None:
        if isinstance(value, Decimal):
            self.committed.emit("valid_days", int(value))
        else:  # a quote always says how long it is valid
            self.committed.emit("valid_days", 30)
            self.valid_days.set_value(Decimal(30))
