"""The fields of an offer that the quote uses: own prices, their date and source, how it is billed, stock.

Built for one kind of offer and one currency; the inspector makes another where those change. Each committed
field is one edit, handed to whoever keeps the quote.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal

from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from estimator import edits
from estimator.catalogue import Card, HourlyOffer, Lot
from estimator.evidence import StatedDuration
from estimator.quote import Quote
from estimator.units import TimeUnit
from estimator.wording import Wording
from ui.pages import cards_edits
from ui.pages.cards_rows import TERMS
from ui.theme import Theme
from ui.widgets.combo import Combo
from ui.widgets.field import Field
from ui.widgets.number_field import Duration, DurationField, MoneyField, NumberField
from ui.widgets.typed_line import DateField, TextField

AnyOffer = Lot | HourlyOffer
AskEdit = Callable[[str, Callable[[Quote], Quote]], bool]
"""(label of the undo step, edit) -> whether the quote took it."""

GRANULARITIES = (1, 60, 3600)


class OwnPrice(QWidget):
    """`cards`: the models to choose from where the whole offer is the planner's own; else it is empty."""

    def __init__(
        self,
        words: Wording,
        theme: Theme,
        edit: AskEdit,
        offer: AnyOffer,
        cards: Sequence[Card] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._edit = edit
        self._offer = offer
        self._cards = {card.id: card for card in cards}
        self.stops: list[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self.name: TextField | None = None
        self.models: QComboBox | None = None
        self.terms: dict[int, MoneyField] = {}
        self.per_hour: MoneyField | None = None
        self.granularity: QComboBox | None = None
        self.minimum: DurationField | None = None
        self.interruptions: NumberField | None = None
        self.card_count: NumberField | None = None
        self.stock: NumberField | None = None
        if self._cards:
            self._build_record()
        if isinstance(offer, Lot):
            self._build_lot(offer)
        else:
            self._build_hourly(offer)
        self.date = DateField(words)
        self.seller = TextField(words)
        self.source = TextField(words)
        self.setup = DurationField(words)
        self.date.committed.connect(self._date_typed)
        self.seller.committed.connect(lambda value: self._change(words.t("Seller"), seller=value))
        self.source.committed.connect(lambda value: self._change(words.t("Source"), source=value))
        self.setup.committed.connect(self._setup_typed)
        self._add(words.t("Price date"), self.date)
        self._add(words.t("Seller"), self.seller)
        self._add(words.t("Source"), self.source)
        self._add(words.t("Set-up, paid"), self.setup)
        self.show_offer(offer)

    def show_offer(self, offer: AnyOffer) -> None:
        """Show an offer of the same kind and currency."""
        self._offer = offer
        if self.name is not None:
            self.name.set_value(offer.name)
        if self.models is not None:
            self.models.setCurrentIndex(self.models.findData(offer.card_id))
        if isinstance(offer, Lot):
            self._show_lot(offer)
        else:
            self._show_hourly(offer)
        self.date.set_value(offer.price_date)
        self.seller.set_value(offer.seller)
        self.source.set_value(offer.source)
        setup = offer.setup
        self.setup.set_value(None if setup is None else setup.value, setup.unit if setup else TimeUnit.MINUTE)

    def field(self, name: str) -> QWidget:
        """Return the field of a part of a place: "price", "date", "setup", "stock"; the price where unknown."""
        price = self.per_hour or next(iter(self.terms.values()), None)
        fields: dict[str, QWidget | None] = {
            "date": self.date,
            "price_date": self.date,
            "setup": self.setup,
            "stock": self.stock,
            "interruptions_per_hour": self.interruptions,
            "source": self.source,
        }
        return fields.get(name) or price or self.date

    def _build_record(self) -> None:
        words = self._words
        self.name = TextField(words)
        self.name.committed.connect(self._name_typed)
        self._add(words.t("Name of the offer"), self.name)
        self.models = Combo()
        self.models.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.models.setMinimumContentsLength(12)
        for card in self._cards.values():
            self.models.addItem(card.name, card.id)
        self.models.activated.connect(self._model_chosen)
        self._add(words.t("Card model"), self.models)

    def _build_lot(self, offer: Lot) -> None:
        words = self._words
        if self._cards:
            self.card_count = NumberField(words, minimum=Decimal(1), whole=True)
            self.card_count.committed.connect(self._card_count_typed)
            self._add(words.t("Cards in the lot"), self.card_count)
        for days in TERMS:
            field = MoneyField(words, offer.currency)
            field.committed.connect(lambda value, days=days: self._term_typed(days, value))
            self.terms[days] = field
            self._add(words.t("Price of {days} days, whole lot, net", days=words.number(days)), field)
        self.stock = NumberField(words, minimum=Decimal(1), whole=True)
        self.stock.committed.connect(self._stock_typed)
        self._add(words.t("Lots in stock"), self.stock, note=words.t("blank: no limit"))

    def _build_hourly(self, offer: HourlyOffer) -> None:
        words = self._words
        self.per_hour = MoneyField(words, offer.currency)
        self.per_hour.committed.connect(self._hour_typed)
        self._add(words.t("Price per card and hour, net"), self.per_hour)
        self.granularity = Combo()
        names = (words.t("each second"), words.t("each minute"), words.t("each hour"))
        for seconds, name in zip(GRANULARITIES, names, strict=True):
            self.granularity.addItem(name, seconds)
        self.granularity.activated.connect(self._granularity_chosen)
        self._add(words.t("Billed by"), self.granularity)
        self.minimum = DurationField(words)
        self.minimum.committed.connect(self._minimum_typed)
        self._add(words.t("Minimum billed per start"), self.minimum)
        if offer.interruptible:
            self.interruptions = NumberField(words, minimum=Decimal(0))
            self.interruptions.setPlaceholderText(words.t("not known"))
            self.interruptions.committed.connect(self._interruptions_typed)
            self._add(words.t("Interruptions per card and hour"), self.interruptions)

    def _show_lot(self, offer: Lot) -> None:
        prices = {term.days: term.price for term in offer.terms}
        for days, field in self.terms.items():
            field.set_value(prices.get(days))
        if self.card_count is not None:
            self.card_count.set_value(Decimal(offer.cards))
        if self.stock is not None:
            self.stock.set_value(None if offer.stock is None else Decimal(offer.stock))

    def _show_hourly(self, offer: HourlyOffer) -> None:
        if self.per_hour is not None:
            self.per_hour.set_value(offer.price_per_card_hour)
        if self.granularity is not None:
            if self.granularity.findData(offer.granularity_s) < 0:
                text = self._words.exact_duration(offer.granularity_s * 1000)
                self.granularity.addItem(text, offer.granularity_s)
            self.granularity.setCurrentIndex(self.granularity.findData(offer.granularity_s))
        if self.interruptions is not None:
            self.interruptions.set_value(offer.interruptions_per_hour)
        if self.minimum is not None:
            minutes, rest = divmod(offer.minimum_s, 60)
            unit = TimeUnit.SECOND if rest else TimeUnit.MINUTE
            self.minimum.set_value(Decimal(offer.minimum_s if rest else minutes), unit)

    def _add(self, label: str, widget: QWidget, note: str = "") -> None:
        self._column.addWidget(Field(self._theme, label, widget, note=note))
        if isinstance(widget, DurationField):
            self.stops += [widget.line, widget.units]
        else:
            self.stops.append(widget.line if isinstance(widget, MoneyField) else widget)

    def _label(self) -> str:
        return self._words.t("change the price of {offer}", offer=self._offer.name)

    def _source(self) -> str:
        return self._words.t("Own price")

    def _term_typed(self, days: int, value: object) -> None:
        price = value if isinstance(value, Decimal) else None
        offer_id, source = self._offer.id, self._source()
        self._edit(
            self._label(),
            lambda quote: cards_edits.with_term_price(quote, offer_id, days, price, source),
        )

    def _hour_typed(self, value: object) -> None:
        price = value if isinstance(value, Decimal) else None
        offer_id, source = self._offer.id, self._source()
        self._edit(self._label(), lambda quote: cards_edits.with_hour_price(quote, offer_id, price, source))

    def _date_typed(self, value: object) -> None:
        day = value if isinstance(value, dt.date) else None
        offer_id = self._offer.id
        label = self._words.t("change the price date of {offer}", offer=self._offer.name)
        self._edit(label, lambda quote: cards_edits.with_price_date(quote, offer_id, day))

    def _setup_typed(self, value: object) -> None:
        if isinstance(value, Duration):
            stated = None if value.value is None else StatedDuration(value=value.value, unit=value.unit)
            self._change(self._words.t("Set-up, paid"), setup=stated)

    def _name_typed(self, value: object) -> None:
        if not value and self.name is not None:
            self.name.set_value(self._offer.name)
            return
        self._change(self._words.t("Name of the offer"), name=value)

    def _model_chosen(self, index: int) -> None:
        card = None if self.models is None else self._cards.get(str(self.models.itemData(index)))
        if card is None or card.id == self._offer.card_id:
            return
        offer_id, chosen = self._offer.id, card
        label = self._words.t("change the card model of {offer}", offer=self._offer.name)
        self._edit(label, lambda quote: cards_edits.with_offer_card(quote, offer_id, chosen))

    def _card_count_typed(self, value: object) -> None:
        if isinstance(value, Decimal):
            self._change(self._words.t("Cards in the lot"), cards=int(value), nodes=1)
        elif self.card_count is not None and isinstance(self._offer, Lot):
            self.card_count.set_value(Decimal(self._offer.cards))

    def _stock_typed(self, value: object) -> None:
        stock = int(value) if isinstance(value, Decimal) else None
        self._change(self._words.t("Lots in stock"), stock=stock)

    def _granularity_chosen(self, index: int) -> None:
        if self.granularity is not None:
            seconds = self.granularity.itemData(index)
            self._change(self._words.t("Billed by"), granularity_s=seconds)

    def _interruptions_typed(self, value: object) -> None:
        rate = value if isinstance(value, Decimal) else None
        self._change(self._words.t("Interruptions per card and hour"), interruptions_per_hour=rate)

    def _minimum_typed(self, value: object) -> None:
        if isinstance(value, Duration):
            ms = StatedDuration(value=value.value, unit=value.unit).ms or 0
            self._change(self._words.t("Minimum billed per start"), minimum_s=-(-ms // 1000))

    def _change(self, what: str, **changes: object) -> None:
        offer_id = self._offer.id
        label = self._words.t("change {what} of {offer}", what=what, offer=self._offer.name)
        self._edit(label, lambda quote: edits.with_offer_fields(quote, offer_id, **changes))
