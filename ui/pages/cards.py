"""Page 4, cards and lots: which cards and lots admit the organisation shown, and at what price.

Ticking copies an offer and its card into the quote. The page lists what `cards_rows` says and asks for edits;
importing prices and refreshing copies are the window's, asked for by signal.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from estimator import edits
from estimator.catalogue import Card, HourlyOffer, Lot
from estimator.problems import Place
from estimator.quote import Quote
from estimator.results.estimate import Estimate
from estimator.units import GIB
from estimator.wording import Wording, read_date, read_number
from ui.pages import cards_edits
from ui.pages.cards_inspector import OfferInspector
from ui.pages.cards_rows import TERMS, Need, OfferRow, OfferRows, need_of, offer_rows
from ui.pages.cards_table import FIRST_TERM, PER_CARD, PRICE_DATE, OfferModel, column_widths
from ui.pages.marked_table import MarkedTable
from ui.pages.page import GAP, Context, Page
from ui.theme import TextRole
from ui.widgets.elided_combo import ElidedCombo
from ui.widgets.icons import icon

INSPECTOR_WIDTH = 276
TABLE_LEAST = 260
MEMORY_STEPS_GIB = (15, 22, 31, 44, 79, 130)
"""What cards of 16, 24, 32, 48, 80 and 141 GB offer at least, once their drivers have taken theirs."""


class CardsPage(Page):
    """`import_asked` and `refresh_asked` are for the window: a file is opened, copied prices are renewed."""

    import_asked = Signal()
    refresh_asked = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        words = context.words
        super().__init__(
            context,
            words.t("Cards and lots"),
            words.t("Which cards and lots admit this organisation?"),
            parent,
        )
        self._quote: Quote | None = None
        self._estimate: Estimate | None = None
        self._rows = OfferRows((), (), ())
        self._selected = ""
        self._showing = False
        self._stops: list[QWidget] = []
        self._add_header_button()
        self.add_steps(words.t("Memory"), words.t("Schedule"))
        self._build_filters()
        self._build_table()
        self._build_actions()
        self._build_inspector()
        self._lay_out()
        self._order_tabs()
        self.theme.changed.connect(self._dress)
        self._dress()

    def show_state(self, quote: Quote, estimate: Estimate | None, stale: bool) -> None:
        self._quote, self._estimate = quote, estimate
        self._rows = offer_rows(quote, estimate, self.context.catalogue(), self.context.session.today)
        self._need.setText(_need_text(self.words, need_of(estimate)))
        self._fill_models()
        self._show_rows()

    def go_to(self, place: Place) -> bool:
        if not place or place[0] not in ("offers", "cards"):
            return False
        if len(place) == 1:
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        row = self._row_of_place(place)
        if row is None:
            return False
        self._select(row.offer.id, whatever_filters=True)
        if place[0] == "cards" or len(place) == 2 or not self.inspector.focus_field(place[-1]):
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def focus_first(self) -> None:
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_search(self) -> None:
        """Give focus to the search, as Ctrl+F asks."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def selected_offer(self) -> str:
        """Return the id of the offer in the inspector, empty where there is none."""
        return self._selected

    def _add_header_button(self) -> None:
        self.import_button = QPushButton(self.words.t("Import prices…"))
        self.import_button.clicked.connect(self.import_asked)

    def _build_filters(self) -> None:
        words = self.words
        self._need = QLabel()
        self._need.setWordWrap(True)
        self._need.setMinimumWidth(160)
        self.models = ElidedCombo()
        self.models.setAccessibleName(words.t("Card model"))
        self.memory = ElidedCombo()
        self.memory.setAccessibleName(words.t("Usable memory of a card"))
        self.memory.addItem(words.t("Any memory"), 0)
        for gib in MEMORY_STEPS_GIB:
            self.memory.addItem(words.t("{memory} or more", memory=words.memory(gib * GIB, 0)), gib * GIB)
        for combo in (self.models, self.memory):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.activated.connect(self._show_rows)
        self.models.setMinimumContentsLength(12)
        self.memory.setMinimumContentsLength(9)
        self.search = QLineEdit()
        self.search.setAccessibleName(words.t("Search offers"))
        self.search.setPlaceholderText(words.t("Search (Ctrl+F)"))
        self.search.setClearButtonEnabled(True)
        self.search.setFixedWidth(124)
        self.search.textChanged.connect(self._show_rows)

    def _build_table(self) -> None:
        words = self.words
        self.model = OfferModel(words, self.theme)
        self.table = MarkedTable(self.model, words, self.theme, words.t("Offers"), sortable=True)
        self.model.setParent(self.table)
        self.table.setMinimumHeight(TABLE_LEAST)
        self.table.installEventFilter(self)
        self.table.marked.connect(self._toggle)
        self.table.edited.connect(self._cell_typed)
        self.table.refused.connect(self._cell_refused)
        self.table.cleared.connect(self._cells_cleared)
        self.table.opened.connect(lambda _row: self.inspector.focus_field("price"))
        self.table.selectionModel().currentChanged.connect(self._current_changed)
        self._refusal = QLabel()
        self._refusal.setProperty("look", "error")
        self._refusal.setWordWrap(True)
        self._refusal.hide()
        self._none = QLabel(words.t("No offers: import prices or add a lot."))
        self._none.setProperty("look", "muted")
        self._none.hide()

    def _build_actions(self) -> None:
        words = self.words
        self.lot_button = QPushButton(words.t("Add own lot"))
        self.hourly_button = QPushButton(words.t("Add hourly offer"))
        self.refresh_button = QPushButton(words.t("Refresh copied prices"))
        self.lot_button.clicked.connect(lambda: self._add_own(hourly=False))
        self.hourly_button.clicked.connect(lambda: self._add_own(hourly=True))
        self.refresh_button.clicked.connect(self.refresh_asked)
        self._footnote = QLabel(
            words.t(
                "By the hour, the amounts of 3, 7 and 30 days are what one card costs for 72, 168 and 720 h."
            )
        )
        self._footnote.setProperty("look", "muted")
        self._footnote.setWordWrap(True)

    def _build_inspector(self) -> None:
        self.inspector = OfferInspector(self.words, self.theme, self.edit)
        self.inspector.own_price_asked.connect(self._own_price)
        self._inspector_area = QScrollArea()
        self._inspector_area.setWidget(self.inspector)
        self._inspector_area.setWidgetResizable(True)
        self._inspector_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._inspector_area.setFrameShape(QFrame.Shape.NoFrame)
        self._inspector_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _lay_out(self) -> None:
        filters = QHBoxLayout()
        filters.setSpacing(8)
        filters.addWidget(self._need, 1)
        for widget in (self.models, self.memory, self.search):
            filters.addWidget(widget)
        actions = QHBoxLayout()
        actions.setSpacing(8)
        for button in (self.lot_button, self.hourly_button, self.refresh_button):
            actions.addWidget(button)
        actions.addStretch(1)
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addLayout(filters)
        left.addWidget(self.table, 1)
        for label in (self._none, self._refusal, self._footnote):
            left.addWidget(label)
        left.addLayout(actions)
        frame = QFrame()
        frame.setProperty("look", "box")
        frame.setFixedWidth(INSPECTOR_WIDTH)
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self._inspector_area)
        row = QHBoxLayout(self.body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addLayout(left, 1)
        row.addWidget(frame)
        self.header.insertWidget(self.header.count() - 2, self.import_button)

    def _order_tabs(self) -> None:
        chain: list[QWidget] = [
            self.models,
            self.memory,
            self.search,
            self.table,
            self.lot_button,
            self.hourly_button,
            self.refresh_button,
            *self.inspector.tab_stops(),
            self.import_button,
        ]
        chain += [button for button in (self.previous_button, self.next_button) if button is not None]
        for before, after in pairwise(chain):
            QWidget.setTabOrder(before, after)

    def _dress(self) -> None:
        tokens = self.theme.tokens
        self._need.setFont(self.theme.font(TextRole.SECONDARY))
        self._need.setStyleSheet(
            f"color: {tokens.accent}; background: {tokens.accent_soft}; border-radius: 4px; padding: 3px 6px"
        )
        for label in (self._footnote, self._none, self._refusal):
            label.setFont(self.theme.font(TextRole.SECONDARY))
        ink = self.theme.color("text")
        self.lot_button.setIcon(icon("plus", ink))
        self.hourly_button.setIcon(icon("plus", ink))
        self._fit_columns()
        self._inspector_area.viewport().setStyleSheet(f"background: {tokens.surface}")
        self.inspector.setStyleSheet(f"OfferInspector {{ background: {tokens.surface} }}")

    def _fit_columns(self) -> None:
        bar = self.table.verticalScrollBar().sizeHint().width()
        room = self.table.width() - bar - 2 * self.table.frameWidth()
        for place, width in enumerate(column_widths(self.words, self.theme, room)):
            self.table.setColumnWidth(place, width)

    # Rows

    def _fill_models(self) -> None:
        chosen = self.models.currentData()
        names = {row.card.id: row.card.name for row in self._rows.all if row.card is not None}
        items = [
            ("", self.words.t("All models")),
            *sorted(names.items(), key=lambda pair: pair[1].casefold()),
        ]
        now = [(self.models.itemData(at), self.models.itemText(at)) for at in range(self.models.count())]
        if now == items:
            return
        self.models.clear()
        for card_id, name in items:
            self.models.addItem(name, card_id)
        self.models.setCurrentIndex(max(0, self.models.findData(chosen)))

    def _show_rows(self) -> None:
        if self._quote is None:
            return
        self._showing = True
        shown = OfferRows(
            *(
                tuple(filter(self._passes, part))
                for part in (self._rows.hourly, self._rows.lots, self._rows.not_admitted)
            )
        )
        self.model.show_offers(shown)
        self._none.setVisible(not shown.all)
        self._showing = False
        first = next(iter(shown.all), None)
        if self.model.place_of(self._selected) is None:
            self._selected = "" if first is None else first.offer.id
        self._select(self._selected)

    def _passes(self, row: OfferRow) -> bool:
        model, least, typed = self.models.currentData(), self.memory.currentData(), self.search.text()
        if model and row.offer.card_id != model:
            return False
        if least and (row.card is None or row.card.usable_bytes < least):
            return False
        name = "" if row.card is None else row.card.name
        where = f"{row.offer.name} {row.offer.seller} {name}".casefold()
        return all(word in where for word in typed.casefold().split())

    def _select(self, offer_id: str, *, whatever_filters: bool = False) -> None:
        place = self.model.place_of(offer_id)
        if place is None and whatever_filters:
            self.models.setCurrentIndex(0)
            self.memory.setCurrentIndex(0)
            self._selected = offer_id
            if self.search.text():
                self.search.clear()
            else:
                self._show_rows()
            place = self.model.place_of(offer_id)
        if place is not None:
            index = self.model.index(self.model.shown_row(place), max(0, self.table.currentIndex().column()))
            if index != self.table.currentIndex():
                self.table.setCurrentIndex(index)
                self.table.scrollTo(index)
        self._selected = offer_id if place is not None else ""
        self._inspect()

    def _current_changed(self, current: QModelIndex, _former: QModelIndex) -> None:
        row = self.model.row_at(current) if current.isValid() else None
        if self._showing or row is None:
            return
        self._selected = row.offer.id
        self._say_refusal("")
        self._inspect()

    def _inspect(self) -> None:
        if self._quote is None:
            return
        row = self._row(self._selected)
        models: tuple[Card, ...] = ()
        if row is not None and row.used and row.offer.own and self._catalogued(row.offer.id) is None:
            known = {card.id: card for card in (*self.context.catalogue().cards, *self._quote.cards)}
            models = tuple(sorted(known.values(), key=lambda card: card.name.casefold()))
        source = "" if row is None else self._source_text(row.offer.source)
        self.inspector.show_row(row, self._quote, self._estimate, models, source)
        stops = self.inspector.tab_stops()
        if stops != self._stops:
            self._stops = stops
            self._order_tabs()

    def _source_text(self, source: str) -> str:
        """Return what a source's key in the catalogue stands for; a source in words is its own text."""
        notes = (note.text for note in self.context.catalogue().sources if note.key == source)
        return next(notes, source)

    def _catalogued(self, offer_id: str) -> Lot | HourlyOffer | None:
        return self.context.catalogue().offer(offer_id)

    def _row(self, offer_id: str) -> OfferRow | None:
        return next((row for row in self._rows.all if row.offer.id == offer_id), None)

    def _row_of_place(self, place: Place) -> OfferRow | None:
        if place[0] == "offers":
            return self._row(place[1])
        return next((row for row in self._rows.all if row.used and row.offer.card_id == place[1]), None)

    # Edits

    def _toggle(self, place: int) -> None:
        row = self.model.rows[place]
        if not isinstance(row, OfferRow):
            return
        offer, card, words = row.offer, row.card, self.words
        self._selected = offer.id
        if row.used:
            label = words.t("stop using {offer}", offer=offer.name)
            self.edit(label, lambda quote: edits.without_offer(quote, offer.id))
        else:
            label = words.t("use {offer}", offer=offer.name)
            self.edit(label, lambda quote: edits.with_offer(quote, offer, card))

    def _own_price(self, offer_id: str) -> None:
        row = self._row(offer_id)
        if row is None:
            return
        source = self.words.t("Own price")
        label = self.words.t("set an own price for {offer}", offer=row.offer.name)
        if self.edit(
            label,
            lambda quote: cards_edits.with_own_price(quote, offer_id, row.card, row.offer, source),
        ):
            self.inspector.focus_field("price")

    def _add_own(self, *, hourly: bool) -> None:
        quote, catalogue, words = self._quote, self.context.catalogue(), self.words
        card = self._card_for_own()
        if quote is None or card is None:
            return
        source = words.t("Own price")
        offer: Lot | HourlyOffer
        if hourly:
            name = words.t("{card}, own, by the hour", card=card.name)
            offer = cards_edits.own_hourly(quote, catalogue, card, name, source)
            label = words.t("add an own hourly offer")
        else:
            need = need_of(self._estimate)
            cards = 1 if need is None else max(1, need.cards)
            name = words.t("{card}, own", card=card.name)
            offer = cards_edits.own_lot(quote, catalogue, card, name, cards, source)
            label = words.t("add an own lot")
        if self.edit(label, lambda former: edits.with_offer(former, offer, card)):
            self._select(offer.id, whatever_filters=True)
            self.inspector.focus_field("price")

    def _card_for_own(self) -> Card | None:
        row = self._row(self._selected)
        if row is not None and row.card is not None:
            return row.card
        first = next((one.card for one in self._rows.all if one.card is not None), None)
        return first or next(iter(self.context.catalogue().cards), None)

    def _cell_typed(self, place: int, column: int, text: str) -> None:
        row = self.model.rows[place]
        if not isinstance(row, OfferRow):
            return
        self._say_refusal("")
        offer, words = row.offer, self.words
        source = words.t("Own price")
        if column == PRICE_DATE:
            day = read_date(text, words.number_format) if text.strip() else None
            self.edit(
                words.t("change the price date of {offer}", offer=offer.name),
                lambda quote: cards_edits.with_price_date(quote, offer.id, day),
            )
            return
        price = read_number(text, words.number_format, unit=offer.currency).value
        edit: Callable[[Quote], Quote]
        if column == PER_CARD:
            edit = lambda quote: cards_edits.with_hour_price(quote, offer.id, price, source)  # noqa: E731
        else:
            days = TERMS[column - FIRST_TERM]
            edit = lambda quote: cards_edits.with_term_price(quote, offer.id, days, price, source)  # noqa: E731
        self.edit(words.t("change the price of {offer}", offer=offer.name), edit)

    def _cell_refused(self, _place: int, _column: int, sentence: str) -> None:
        self._say_refusal(sentence)

    def _cells_cleared(self, _cells: object) -> None:
        # Whole rows are selected, but a person means the cell they stand on.
        current = self.table.currentIndex()
        if self.model.flags(current) & Qt.ItemFlag.ItemIsEditable:
            self._cell_typed(self.model.source_row(current.row()), current.column(), "")

    def _say_refusal(self, sentence: str) -> None:
        self._refusal.setText(sentence)
        self._refusal.setVisible(bool(sentence))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.table and event.type() == QEvent.Type.Resize:
            self._fit_columns()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Find):
            self.focus_search()
            event.accept()
            return
        super().keyPressEvent(event)


def _need_text(words: Wording, need: Need | None) -> str:
    """Return what the organisation needs, as a sentence; empty while there is no organisation."""
    if need is None:
        return ""
    tasks = words.n("{count} task at once", "{count} tasks at once", need.tasks_at_once)
    cards = words.n("{count} card", "{count} cards", need.cards_per_task)
    if need.slices_per_card > 1:
        cards = f"1/{words.number(need.slices_per_card)}"
    if need.peak_bytes is None:
        return words.t("Need: {tasks} × {cards}; the memory of a task is missing.", tasks=tasks, cards=cards)
    memory = words.memory(need.peak_bytes)
    return words.t("Need: {tasks} × {cards}, {memory} on each.", tasks=tasks, cards=cards, memory=memory)
