"""How a known model is split over the cards of a task, and which numbers of cards are legal."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QLabel, QVBoxLayout, QWidget

from estimator.plan.models import known_shape, legal_degrees
from estimator.quote import GenerationRecipe, ModelSplit, ModelUse, Organisation, Quote
from estimator.wording import Wording
from estimator.wording.phrases import organisation_name
from ui.pages.memory_degrees import DegreesForm
from ui.pages.memory_model_edits import use_of, with_degrees, with_split
from ui.pages.memory_words import combined_text, degrees_text, split_choices
from ui.session import Edit
from ui.theme import TextRole, Theme
from ui.widgets.elided_combo import ElidedCombo
from ui.widgets.field import Field

MOST_CARDS = 64
"""Cards of a task up to which legal numbers are listed."""


class SplitRow(QWidget):
    """How the model is split over the cards of a task; which numbers of cards are legal is said under it."""

    def __init__(
        self, words: Wording, theme: Theme, edit: Callable[[str, Edit], bool], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._edit = edit
        self._organisation_id = ""
        self._stage_id = ""
        self.split = ElidedCombo()
        self.split.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for split, text in split_choices(words):
            self.split.addItem(text, split)
        self.degrees = DegreesForm(words, theme, self._change_degrees)
        self.degrees.hide()
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setProperty("look", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(Field(theme, words.t("Split over the cards of a task"), self.split))
        column.addWidget(self.degrees)
        column.addWidget(self.sentence)
        self.split.activated.connect(self._choose)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def inputs(self) -> tuple[QWidget, ...]:
        """Everything that takes the focus, in reading order."""
        return (self.split, *self.degrees.inputs)

    def show_split(self, quote: Quote, stage_id: str, organisation: Organisation | None) -> None:
        """Show how that organisation splits the model of a stage."""
        use = use_of(quote, stage_id)
        self.setVisible(use is not None and organisation is not None)
        if use is None or organisation is None:
            return
        self._organisation_id, self._stage_id = organisation.id, stage_id
        layout = organisation.layout(stage_id)
        cards = layout.cards_per_task
        self.split.setEnabled(cards > 1)
        self.split.setCurrentIndex(list(ModelSplit).index(layout.model_split))
        is_combined = layout.model_split is ModelSplit.COMBINED and cards > 1
        self.degrees.setVisible(is_combined)
        if cards == 1:
            self.sentence.setText(
                self._words.t(
                    "{organisation} gives each task one card. Organisations says how many.",
                    organisation=organisation_name(organisation),
                )
            )
            return
        self._offer_legal(use, cards)
        if is_combined:
            shape = known_shape(use.source)
            self.degrees.show_degrees(
                layout.degrees,
                has_experts=shape is not None and shape.experts is not None,
                is_training=not isinstance(use.recipe, GenerationRecipe),
            )
            self.sentence.setText(combined_text(self._words, use, layout.degrees, cards))
            return
        legal = legal_degrees(use, layout.model_split, MOST_CARDS)
        says = self._words.n("{count} card a task.", "{count} cards a task.", cards)
        self.sentence.setText(f"{says} {degrees_text(self._words, layout.model_split, legal, MOST_CARDS)}")

    def _offer_legal(self, use: ModelUse, cards: int) -> None:
        """Turn off the splits that are not legal for so many cards."""
        items = self.split.model()
        for at, split in enumerate(ModelSplit):
            is_free = split in (ModelSplit.NONE, ModelSplit.COMBINED)
            legal = is_free or cards in legal_degrees(use, split, max(cards, MOST_CARDS))
            item = items.item(at) if isinstance(items, QStandardItemModel) else None
            if item is not None:
                item.setEnabled(legal)

    def _choose(self, at: int) -> None:
        organisation_id, stage_id = self._organisation_id, self._stage_id
        split = ModelSplit(self.split.itemData(at))
        self._edit(
            self._words.t("change how the model is split"),
            lambda quote: with_split(quote, organisation_id, stage_id, split),
        )

    def _change_degrees(self, label: str, changes: dict[str, object]) -> None:
        organisation_id, stage_id = self._organisation_id, self._stage_id
        self._edit(
            self._words.t("change “{field}” of the split", field=label),
            lambda quote: with_degrees(quote, organisation_id, stage_id, changes),
        )

    def _dress(self) -> None:
        self.sentence.setFont(self._theme.font(TextRole.SECONDARY))
