"""How an organisation uses each card: whole, cut into isolated slices, or shared by tasks; and the time on a slice.

Only ways of the quote's own cards are offered. What a slice holds and what follows from it is computed elsewhere.
"""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QWidget

from estimator.catalogue import Catalogue
from estimator.evidence import Evidence
from estimator.quote import CardSlicing, Organisation, Quote, slicings_of
from estimator.wording import Wording
from ui.theme import Theme
from ui.widgets.compound import Compound
from ui.widgets.elided_combo import ElidedCombo
from ui.widgets.evidence_button import EvidenceButton
from ui.widgets.field import Field
from ui.widgets.number_field import NumberField

SHARED = CardSlicing(per_card=2)
"""What choosing to share cards begins with: two tasks on each, in equal parts."""
MOST_SHARING = Decimal(64)


class SlicingRow(QWidget):
    """What belongs to slices, hidden on whole cards; `use`, the choice itself, stands where the form puts it.

    `changed(label, slicing)`: another use of each card, None for whole cards; the label is for undo.
    """

    changed = Signal(str, object)

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._slicing: CardSlicing | None = None
        self._choices: list[CardSlicing | None] = [None]
        self.use = ElidedCombo()
        self.use.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.use.setMinimumContentsLength(12)
        self.use.setAccessibleName(words.t("Use of each card"))
        self.per_card = NumberField(words, minimum=Decimal(2), maximum=MOST_SHARING, whole=True)
        self.percent = NumberField(words, minimum=Decimal("0.1"), unit="%")
        self.percent.setPlaceholderText(words.t("equal parts"))
        self.factor = NumberField(words, minimum=Decimal(1))
        self.chip = EvidenceButton(words, theme, "×")
        timed = Compound()
        timed.first = self.factor
        beside = QHBoxLayout(timed)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(6)
        beside.addWidget(self.factor, 1)
        beside.addWidget(self.chip)
        self._per_card_field = Field(theme, words.t("Tasks on each card"), self.per_card)
        self._percent_field = Field(theme, words.t("Memory of each, %"), self.percent)
        self._factor_field = Field(theme, words.t("Time on a slice, ×"), timed)
        self._note = QLabel(words.t("1: the stated times are those of a slice."))
        self._note.setProperty("look", "muted")
        self._note.setWordWrap(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for field, share in (
            (self._per_card_field, 3),
            (self._percent_field, 3),
            (self._factor_field, 4),
        ):
            field.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            row.addWidget(field, share)
        row.addWidget(self._note, 6)
        self.factor.setAccessibleName(words.t("Time on a slice, times that stated"))
        self.use.activated.connect(self._chosen)
        self.per_card.committed.connect(self._per_card_typed)
        self.percent.committed.connect(self._percent_typed)
        self.factor.committed.connect(self._factor_typed)
        self.chip.committed.connect(self._evidence_changed)

    @property
    def inputs(self) -> tuple[QWidget, ...]:
        """What takes the focus beside the choice, in reading order."""
        return (self.per_card, self.percent, self.factor, self.chip)

    def show_use(self, quote: Quote, organisation: Organisation, catalogue: Catalogue) -> None:
        """Show how the organisation uses each card, and what else the quote's cards allow."""
        self._slicing = organisation.slicing
        self._show_choices(quote, catalogue)
        slicing = self._slicing
        shared = slicing is not None and not slicing.is_isolated
        self._per_card_field.setVisible(shared)
        self._percent_field.setVisible(shared)
        self.setVisible(slicing is not None)
        if slicing is None:
            return
        self.percent.set_limits(Decimal("0.1"), Decimal(100) / slicing.per_card)
        for field, value in (
            (self.per_card, Decimal(slicing.per_card)),
            (self.percent, slicing.memory_percent),
            (self.factor, slicing.duration_factor.value),
        ):
            if field.number != value:
                field.set_value(value)
        self.chip.set_evidence(self._words.t("Time on a slice"), slicing.duration_factor.evidence)

    def _show_choices(self, quote: Quote, catalogue: Catalogue) -> None:
        slicing = self._slicing
        ways = slicings_of(quote.cards, catalogue)
        names = {card.id: card.name for card in (*catalogue.cards, *quote.cards)}
        choices: list[CardSlicing | None] = [None, *(way for _, way in ways), SHARED]
        if _way(slicing) not in map(_way, choices):  # its card has left the quote
            choices.insert(1, slicing)
        place = [_way(one) for one in choices].index(_way(slicing))
        texts = [self._text(one, names) for one in choices]
        if texts != [self.use.itemText(at) for at in range(self.use.count())]:
            self.use.clear()
            self.use.addItems(texts)
            view = self.use.view()  # as wide as what it offers: the field is narrower
            view.setMinimumWidth(view.sizeHintForColumn(0) + 2 * view.frameWidth() + 24)
        self._choices = choices
        self.use.setCurrentIndex(place)
        self.use.setToolTip(texts[place])

    def _text(self, slicing: CardSlicing | None, names: dict[str, str]) -> str:
        words = self._words
        if slicing is None:
            return words.t("Whole cards")
        if slicing.profile is None:
            return words.t("Shared by several tasks")
        profile = slicing.profile
        size = profile.reported_bytes or int(profile.marketed_gb * 10**9)
        return words.t(
            "{count} × {profile} of {memory} · {card}",
            card=names.get(slicing.card_id, slicing.card_id),
            count=words.number(slicing.per_card),
            profile=profile.name,
            memory=words.memory(size, 2),
        )

    def _chosen(self, index: int) -> None:
        chosen = self._choices[index]
        if _way(chosen) != _way(self._slicing):
            self._ask(chosen)

    def _per_card_typed(self, value: object) -> None:
        if self._slicing is None or not isinstance(value, Decimal):
            return
        # What a task takes and holds was said of another number of tasks on a card.
        self._ask(CardSlicing(per_card=int(value)))

    def _percent_typed(self, value: object) -> None:
        if self._slicing is not None:
            self._ask(self._slicing.replaced(memory_percent=value if isinstance(value, Decimal) else None))

    def _factor_typed(self, value: object) -> None:
        if self._slicing is not None:
            number = value if isinstance(value, Decimal) else None
            stated = self._slicing.duration_factor.replaced(value=number)
            self._ask(self._slicing.replaced(duration_factor=stated))

    def _evidence_changed(self, evidence: object) -> None:
        if self._slicing is not None and isinstance(evidence, Evidence):
            stated = self._slicing.duration_factor.replaced(evidence=evidence)
            self._ask(self._slicing.replaced(duration_factor=stated))

    def _ask(self, slicing: CardSlicing | None) -> None:
        self.changed.emit(self._words.t("change the use of each card"), slicing)


def _way(slicing: CardSlicing | None) -> tuple[str, str] | None:
    """Return what tells one choice from another: card and profile; neither where cards are shared."""
    if slicing is None:
        return None
    return (slicing.card_id, "" if slicing.profile is None else slicing.profile.name)
