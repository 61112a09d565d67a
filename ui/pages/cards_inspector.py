"""The inspector of an offer: its cards one by one, link and topology, sources that disagree, own price.

It shows the row that it is given; edits are asked of the page. Memory is said card by card and never added up.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from estimator.catalogue import Card, Conflict, Lot
from estimator.evidence import EvidenceKind
from estimator.quote import ConditionState, Quote
from estimator.results.estimate import Estimate
from estimator.units import MIB
from estimator.wording import Wording
from estimator.wording.phrases import fit_text, sample_word
from ui.pages import cards_edits
from ui.pages.cards_own_price import AskEdit, OwnPrice
from ui.pages.cards_rows import OLD, UNDATED, OfferRow
from ui.pages.cards_when import OfferWhen
from ui.theme import TextRole, Theme
from ui.widgets.compound import end_of
from ui.widgets.evidence_chip import EvidenceChip
from ui.widgets.icons import pixmap

CARDS_DRAWN = 8
_UNITS = {
    "power_watts": "W",
    "bandwidth_gb_s": "GB/s",
    "link_gb_s": "GB/s",
    "marketed_gb": "GB",
    "bf16_tflops": "TFLOPS",
    "fp64_tflops": "TFLOPS",
}


class OfferInspector(QWidget):
    """Shows one row. `own_price_asked`: the planner wants a price of their own for an offer not copied yet."""

    own_price_asked = Signal(str)

    def __init__(self, words: Wording, theme: Theme, edit: AskEdit, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._edit = edit
        self._row: OfferRow | None = None
        self._drawn: object = None
        self._fields_key: object = None
        self.fields: OwnPrice | None = None
        self.when = OfferWhen(words, theme, edit)
        self.choices: list[QRadioButton] = []
        self._groups: list[QButtonGroup] = []
        self._empty = self._label("muted")
        self._empty.setText(words.t("Choose a row to see its cards and its price."))
        self._content = QWidget()
        self._build(self._content)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.addWidget(self._empty)
        column.addWidget(self._content)
        column.addStretch(1)
        theme.changed.connect(self._dress)
        self._dress()
        self._content.hide()

    def show_row(
        self,
        row: OfferRow | None,
        quote: Quote,
        estimate: Estimate | None,
        models: tuple[Card, ...],
        source: str = "",
    ) -> None:
        """Show a row; `models` are the card models that an own offer may name, `source` who states its price."""
        self._row = row
        self._empty.setVisible(row is None)
        self._content.setVisible(row is not None)
        if row is None:
            return
        offer, words = row.offer, self._words
        self._name.setText(offer.name)
        self._sample.setVisible(offer.sample)
        self._verdict.setText(self._verdict_text(row))
        self._composition.setText(self._composition_text(row))
        self._draw_cards(row)
        self._show_joined(row, quote, estimate)
        self._show_conflicts(row, quote)
        self._price_chip.set_kind(offer.price_evidence.kind)
        undated = words.sentence("price_undated", {"offer": offer.name}) if row.dated == UNDATED else ""
        old = words.t("The price is older than the quote allows. Renew it.") if row.dated == OLD else ""
        self._dated.setText(undated or old)
        self._dated.setVisible(bool(row.dated))
        notes = (
            words.t("SAMPLE price by formula. It is no seller's offer.") if offer.sample else "",
            source and words.t("Source: {source}", source=source),
            "" if offer.sample else offer.note,
        )
        self._notes.setText("\n".join(note for note in notes if note))
        self._notes.setVisible(bool(self._notes.text()))
        self._set_own.setVisible(not row.used)
        self._show_fields(row, models)
        self.when.setVisible(row.used)
        self.when.show_offer(quote, offer)

    def focus_field(self, name: str) -> bool:
        """Focus the field of a part of a place; False where the offer is not in the quote."""
        if self.fields is None:
            return False
        is_when = name in ("hours", "available_for")
        field = self.when.open_at(name) if is_when else self.fields.field(name)
        field.setFocus(Qt.FocusReason.OtherFocusReason)
        line = end_of(field)
        select = getattr(line, "selectAll", None)
        if select is not None:
            select()
        return True

    def tab_stops(self) -> list[QWidget]:
        """Return what takes the focus, in reading order."""
        fields = [] if self.fields is None else self.fields.stops
        return [*self.choices, self._set_own, *fields, *self.when.stops]

    def _build(self, content: QWidget) -> None:
        words = self._words
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self._name = self._label("section")
        self._sample = QLabel(sample_word(words))
        self._sample.setProperty("look", "warning")
        self._verdict = self._label("muted")
        self._composition = self._label("")
        self._cards = QWidget()
        self._separate = self._label("muted")
        self._link, self._link_chip = self._label(""), EvidenceChip(words, self._theme)
        self._topology, self._topology_state = self._label(""), QLabel()
        self._conflicts = QWidget()
        self._price_title = QLabel(words.t("Price"))
        self._price_chip = EvidenceChip(words, self._theme)
        self._dated = self._label("warning")
        self._notes = self._label("muted")
        self._set_own = QPushButton(words.t("Set own price"))
        self._set_own.clicked.connect(self._own_asked)
        self._fields_place = QVBoxLayout()
        column.addLayout(_in_a_row(self._name, self._sample))
        column.addWidget(self._verdict)
        column.addWidget(self._composition)
        column.addWidget(self._cards)
        column.addWidget(self._separate)
        self._joined = QWidget()
        joined = QVBoxLayout(self._joined)
        joined.setContentsMargins(0, 0, 0, 0)
        joined.setSpacing(8)
        joined.addWidget(_line())
        joined.addLayout(_in_a_row(self._link, self._link_chip))
        joined.addLayout(_in_a_row(self._topology, self._topology_state))
        column.addWidget(self._joined)
        column.addWidget(self._conflicts)
        column.addWidget(_line())
        column.addLayout(_in_a_row(self._price_title, self._price_chip))
        column.addWidget(self._dated)
        column.addWidget(self._notes)
        column.addWidget(self._set_own, 0, Qt.AlignmentFlag.AlignLeft)
        column.addLayout(self._fields_place)
        column.addWidget(self.when)

    def _verdict_text(self, row: OfferRow) -> str:
        words = self._words
        text = fit_text(words, row.verdict)
        parts = [text[:1].upper() + text[1:] + "."]
        if row.barred is not None:
            parts.insert(0, words.absent(row.barred))
        if row.spare_cards:
            spare = words.n(
                "{count} card of the lot is spare and is paid all the same.",
                "{count} cards of the lot are spare and are paid all the same.",
                row.spare_cards,
            )
            parts.append(spare)
        return " ".join(parts)

    def _composition_text(self, row: OfferRow) -> str:
        words, offer = self._words, row.offer
        if isinstance(offer, Lot):
            return words.t(
                "{cards}, {nodes}",
                cards=words.n("{count} card", "{count} cards", offer.cards),
                nodes=words.n("{count} node", "{count} nodes", offer.nodes),
            )
        return words.n(
            "By the hour, {count} card to a node",
            "By the hour, up to {count} cards to a node",
            offer.cards_per_node,
        )

    def _draw_cards(self, row: OfferRow) -> None:
        card = row.card
        count = row.offer.cards if isinstance(row.offer, Lot) else 1
        key = (card, count, self._theme.tokens.name)
        if key == self._drawn:
            return
        self._drawn = key
        fresh = QWidget()
        grid = QGridLayout(fresh)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(2, 1)
        head = self._label("muted")
        head.setText(
            self._words.t("The catalogue does not know this card.") if card is None else self._basis(card)
        )
        head.setFont(self._theme.font(TextRole.SECONDARY))
        grid.addWidget(head, 0, 0, 1, 3)
        if card is not None:
            self._draw_each(grid, card, count)
        layout = self._content.layout()
        if layout is not None:
            layout.replaceWidget(self._cards, fresh)
        self._cards.hide()
        self._cards.deleteLater()
        self._cards = fresh
        self._separate.setVisible(count > 1)
        self._separate.setText(
            self._words.n(
                "{count} separate memory.", "{count} separate memories. Their sum admits nothing.", count
            )
        )

    def _draw_each(self, grid: QGridLayout, card: Card, count: int) -> None:
        words = self._words
        drawn = count if count <= CARDS_DRAWN else CARDS_DRAWN - 1
        for place in range(1, drawn + 1):
            picture = QLabel()
            picture.setPixmap(pixmap("cards", self._theme.color("text")))
            memory = QLabel(words.memory(card.usable_bytes, 2))
            memory.setFont(self._theme.font(TextRole.SECTION))
            exact = QLabel(f"{words.number(card.usable_bytes // MIB)} MiB")
            exact.setProperty("look", "muted")
            exact.setFont(self._theme.font(TextRole.SECONDARY))
            for at, widget in enumerate((picture, memory, exact)):
                grid.addWidget(widget, place, at)
        if drawn < count:
            rest = self._label("muted")
            rest.setText(words.n("and {count} equal card", "and {count} equal cards", count - drawn))
            grid.addWidget(rest, drawn + 1, 0, 1, 3)

    def _basis(self, card: Card) -> str:
        words = self._words
        if card.usable_basis == "observed":
            return words.t("{card}: each card, as a framework saw it", card=card.name)
        if card.usable_basis == "reported":
            return words.t("{card}: each card, as the driver reports", card=card.name)
        return words.t("{card}: each card, from the label", card=card.name)

    def _show_joined(self, row: OfferRow, quote: Quote, estimate: Estimate | None) -> None:
        words = self._words
        link = "" if row.card is None else row.card.link
        self._link.setText(words.t("Link {link}", link=link) if link else words.t("No link between cards"))
        self._link_chip.set_kind(EvidenceKind.ASSUMED if link else None)
        shown = None if estimate is None else estimate.shown
        joined = shown is not None and shown.cards_per_task > 1
        self._joined.setVisible(joined or (isinstance(row.offer, Lot) and row.offer.cards > 1))
        self._topology.setText(words.t("Topology"))
        states = [
            one.state for one in (() if estimate is None else estimate.conditions) if one.code == "topology"
        ]
        if ConditionState.FAILED in states:
            state, look = words.t("not as assumed"), "warning"
        elif states and all(one is ConditionState.MET for one in states):
            state, look = words.t("verified"), ""
        elif quote.trial.topology.strip():
            state, look = words.t("pasted, to verify"), "warning"
        else:
            state, look = words.t("not verified"), "warning"
        self._topology_state.setText(state)
        self._topology_state.setProperty("look", look)
        self._topology_state.style().unpolish(self._topology_state)
        self._topology_state.style().polish(self._topology_state)

    def _show_conflicts(self, row: OfferRow, quote: Quote) -> None:
        card = None if row.card is None else quote.card(row.card.id)
        conflicts = () if row.card is None else (card or row.card).conflicts
        key = (row.offer.card_id, conflicts, card is None)
        if key == self._conflicts.property("key"):
            return
        focused = next((at for at, one in enumerate(self.choices) if one.hasFocus()), None)
        fresh = QWidget()
        fresh.setProperty("key", key)
        column = QVBoxLayout(fresh)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        self.choices, self._groups = [], []
        for conflict in conflicts:
            self._add_conflict(column, row.offer.card_id, conflict, card is not None)
        if conflicts and card is None:
            note = self._label("muted")
            note.setText(self._words.t("Tick the offer to choose the source that the quote uses."))
            column.addWidget(note)
        layout = self._content.layout()
        if layout is not None:
            layout.replaceWidget(self._conflicts, fresh)
        self._conflicts.hide()
        self._conflicts.deleteLater()
        self._conflicts = fresh
        fresh.setVisible(bool(conflicts))
        if focused is not None and focused < len(self.choices):
            self.choices[focused].setFocus()

    def _add_conflict(self, column: QVBoxLayout, card_id: str, conflict: Conflict, copied: bool) -> None:
        words = self._words
        fact = fact_name(words, conflict.fact)
        column.addWidget(_line())
        title = self._label("section")
        title.setFont(self._theme.font(TextRole.SECTION))
        title.setText(words.t("The sources do not agree"))
        about = self._label("muted")
        about.setText(words.t("{fact}. Choose the one that the quote uses:", fact=fact))
        column.addWidget(title)
        column.addWidget(about)
        group = QButtonGroup(self)
        self._groups.append(group)
        for place, option in enumerate(conflict.options):
            number = cards_edits.option_number(option)
            value = option.value if number is None else words.number(number)
            unit = _UNITS.get(conflict.fact, "")
            radio = QRadioButton(f"{value} {unit}".rstrip())
            radio.setAccessibleName(f"{fact}: {value} {unit}, {option.source}")
            radio.setToolTip(option.source)
            radio.setEnabled(copied)
            radio.setChecked(conflict.chosen == place)
            radio.clicked.connect(
                lambda _checked, place=place, fact=conflict.fact: self._choose(card_id, fact, place)
            )
            source = self._label("muted")
            source.setText(option.source)
            source.setFont(self._theme.font(TextRole.SECONDARY))
            source.setContentsMargins(24, 0, 0, 0)
            group.addButton(radio)
            self.choices.append(radio)
            column.addWidget(radio)
            column.addWidget(source)

    def _choose(self, card_id: str, fact: str, place: int) -> None:
        label = self._words.t("choose a source on {fact}", fact=fact_name(self._words, fact))
        self._edit(label, lambda quote: cards_edits.with_choice(quote, card_id, fact, place))

    def _show_fields(self, row: OfferRow, models: tuple[Card, ...]) -> None:
        offer = row.offer
        key = (
            (offer.id, offer.kind, offer.currency, bool(models), self._theme.tokens.name)
            if row.used
            else None
        )
        if key == self._fields_key and self.fields is not None:
            self.fields.show_offer(offer)
            return
        self._fields_key = key
        if self.fields is not None:
            self._fields_place.removeWidget(self.fields)
            self.fields.hide()
            self.fields.deleteLater()
            self.fields = None
        if row.used:
            self.fields = OwnPrice(self._words, self._theme, self._edit, offer, models)
            self._fields_place.addWidget(self.fields)

    def _own_asked(self) -> None:
        if self._row is not None:
            self.own_price_asked.emit(self._row.offer.id)

    def _label(self, look: str) -> QLabel:
        label = QLabel()
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        if look:
            label.setProperty("look", look)
        return label

    def _dress(self) -> None:
        self._name.setFont(self._theme.font(TextRole.SECTION))
        self._price_title.setFont(self._theme.font(TextRole.SECTION))
        for one in (self._sample, self._topology_state):
            one.setFont(self._theme.font(TextRole.CHIP))
        for one in (self._verdict, self._separate, self._dated, self._notes):
            one.setFont(self._theme.font(TextRole.SECONDARY))


def fact_name(words: Wording, fact: str) -> str:
    """Return the name of a fact on which sources may disagree."""
    names = {
        "power_watts": words.t("Power of a card"),
        "bandwidth_gb_s": words.t("Memory bandwidth of a card"),
        "link_gb_s": words.t("Bandwidth of the link"),
        "marketed_gb": words.t("Marketed memory"),
        "bf16_tflops": words.t("Throughput in bf16"),
        "fp64_tflops": words.t("Throughput in FP64"),
    }
    return names.get(fact, fact)


def _in_a_row(label: QWidget, right: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addWidget(label, 1)
    row.addWidget(right, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
    return row


def _line() -> QFrame:
    line = QFrame()
    line.setProperty("look", "header")
    line.setFixedHeight(1)
    return line
