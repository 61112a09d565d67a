"""The inspector of the memory page: stage, model or phases, how it is split over the cards of a task."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from estimator.catalogue import Catalogue
from estimator.quote import Organisation, Partition, Quote, StateClass
from estimator.units import gib_to_bytes
from estimator.wording import Wording
from estimator.wording.phrases import organisation_name
from ui.pages.memory_edits import phases_of, with_partition
from ui.pages.memory_model import ModelPanel
from ui.pages.memory_model_edits import use_of
from ui.pages.memory_split import SplitRow
from ui.pages.memory_terms import TermsEditor
from ui.session import Edit
from ui.theme import TextRole, Theme
from ui.widgets.combo import Combo
from ui.widgets.field import Field

WIDTH = 304


class MemoryInspector(QFrame):
    """Everything that is typed on the memory page. `stage_chosen(id)`: another stage is to be shown."""

    stage_chosen = Signal(str)

    def __init__(
        self,
        words: Wording,
        theme: Theme,
        edit: Callable[[str, Edit], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self.setProperty("look", "box")
        self.setFixedWidth(WIDTH)
        self._title = QLabel(words.t("What each card holds"))
        self.stage = Combo()
        self.stage.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.stage.activated.connect(lambda at: self.stage_chosen.emit(self.stage.itemData(at)))
        self._stage_field = Field(theme, words.t("Stage"), self.stage)
        self.model = ModelPanel(words, theme, edit)
        self.split = SplitRow(words, theme, edit)
        self.terms = TermsEditor(words, theme, edit)
        self.partitions = PartitionRows(words, theme, edit)
        self.scroll_area = QScrollArea()
        self._lay_out()
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def inputs(self) -> tuple[QWidget, ...]:
        """Everything that takes the focus, in reading order."""
        return (
            self.stage,
            *self.model.inputs,
            *self.split.inputs,
            *self.terms.inputs,
            *self.partitions.choices,
        )

    def show_quote(
        self, quote: Quote, stage_id: str, organisation: Organisation | None, catalogue: Catalogue
    ) -> None:
        """Show what the quote says of a stage, and how that organisation holds it."""
        stages = [stage for stage in quote.workload.stages if stage.on_cards]
        shown = [(self.stage.itemText(at), self.stage.itemData(at)) for at in range(self.stage.count())]
        if shown != [(stage.name, stage.id) for stage in stages]:
            self.stage.clear()
            for stage in stages:
                self.stage.addItem(stage.name, stage.id)
        ids = [stage.id for stage in stages]
        self.stage.setCurrentIndex(ids.index(stage_id) if stage_id in ids else -1)
        self._stage_field.setVisible(len(stages) > 1)
        self.model.show_stage(quote, stage_id, catalogue)
        self.split.show_split(quote, stage_id, organisation)
        self.terms.show_stage(quote, stage_id, by_phases=not self.model.has_model)
        self.partitions.show_partitions(quote, stage_id, organisation)

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(10)
        for part in (
            self._title,
            self._stage_field,
            self.model,
            self.split,
            self.terms,
            self.partitions,
        ):
            column.addWidget(part)
        column.addStretch(1)
        self.scroll_area.setWidgetResizable(True)
        self.scroll_area.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.scroll_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scroll_area.setWidget(inside)
        inside.setAutoFillBackground(False)
        self.scroll_area.viewport().setAutoFillBackground(False)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(1, 1, 1, 1)
        outer.addWidget(self.scroll_area)

    def _dress(self) -> None:
        self._title.setFont(self._theme.font(TextRole.SECTION))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._dress()  # WORKAROUND: Qt 6.11 drops the font when a style sheet first reaches the scrolled widget


class PartitionRows(QWidget):
    """A state class a row, replicated or partitioned over the cards of a task, and what copies mean."""

    def __init__(
        self,
        words: Wording,
        theme: Theme,
        edit: Callable[[str, Edit], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._edit = edit
        self._organisation_id = ""
        self._stage_id = ""
        self._head = QLabel()
        self._head.setWordWrap(True)
        self._labels = {one: QLabel(words.word(one)) for one in StateClass}
        self._combos = {one: self._combo(one) for one in StateClass}
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setProperty("look", "muted")
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        for row, one in enumerate(StateClass):
            grid.addWidget(self._labels[one], row, 0)
            grid.addWidget(self._combos[one], row, 1)
            self._labels[one].setBuddy(self._combos[one])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._head)
        column.addLayout(grid)
        column.addWidget(self.sentence)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def choices(self) -> tuple[QComboBox, ...]:
        """The selectors, in the order shown."""
        return tuple(self._combos.values())

    def choice(self, state_class: StateClass) -> QComboBox:
        """Return the selector of a state class."""
        return self._combos[state_class]

    def show_partitions(self, quote: Quote, stage_id: str, organisation: Organisation | None) -> None:
        """Show the state classes of a stage as that organisation holds them."""
        self._stage_id = stage_id
        self._organisation_id = "" if organisation is None else organisation.id
        stated = () if use_of(quote, stage_id) is not None else phases_of(quote, stage_id)
        used = {term.state_class for phase in stated for term in phase.terms}
        layout = None if organisation is None else organisation.layout(stage_id)
        cards = 1 if layout is None else layout.cards_per_task
        self.setVisible(bool(used) and organisation is not None)
        if organisation is not None:
            self._head.setText(
                self._words.t(
                    "State class on each card of {organisation}", organisation=organisation_name(organisation)
                )
            )
        for one, combo in self._combos.items():
            self._labels[one].setVisible(one in used)
            combo.setVisible(one in used)
            combo.setEnabled(cards > 1)
            held = Partition.REPLICATED if layout is None else layout.partition_of(one)
            combo.setCurrentIndex(list(Partition).index(held))
        divided = (
            cards > 1
            and layout is not None
            and any(layout.partition_of(one) is Partition.PARTITIONED for one in used)
        )
        self.sentence.setText("" if divided else self._copies_sentence(quote, stage_id))
        self.sentence.setVisible(bool(self.sentence.text()))

    def _copies_sentence(self, quote: Quote, stage_id: str) -> str:
        """Return that copies do not divide the model, or the whole task where its parts are not told apart."""
        for wanted in (StateClass.MODEL, StateClass.WHOLE):
            sizes = [
                term.gib.value
                for phase in phases_of(quote, stage_id)
                for term in phase.terms
                if term.state_class is wanted and term.gib.value is not None
            ]
            if sizes:
                memory = self._words.memory(gib_to_bytes(max(sizes)))
                if wanted is StateClass.MODEL:
                    return self._words.t(
                        "Two copies do not divide the model: each card holds its {memory}.", memory=memory
                    )
                return self._words.t(
                    "Two tasks at once do not divide it: each card holds its {memory}.", memory=memory
                )
        return ""

    def _combo(self, state_class: StateClass) -> QComboBox:
        combo = Combo()
        for partition in Partition:
            combo.addItem(self._words.word(partition), partition)
        combo.setAccessibleName(self._words.t("{state} on each card", state=self._words.word(state_class)))
        combo.activated.connect(lambda at: self._chosen(state_class, Partition(combo.itemData(at))))
        return combo

    def _chosen(self, state_class: StateClass, partition: Partition) -> None:
        organisation_id, stage_id = self._organisation_id, self._stage_id
        self._edit(
            self._words.t("change how {state} is held", state=self._words.word(state_class)),
            lambda quote: with_partition(quote, organisation_id, stage_id, state_class, partition),
        )

    def _dress(self) -> None:
        self._head.setFont(self._theme.font(TextRole.SECTION))
        self.sentence.setFont(self._theme.font(TextRole.SECONDARY))
