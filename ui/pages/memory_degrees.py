"""The degrees of a combined split: tensor, pipeline, context and experts; what the data ranks hold; the rest."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise

from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from estimator.quote import SplitDegrees
from estimator.wording import Wording
from ui.pages.memory_words import Choice, context_choices, expert_choices, state_choices
from ui.theme import Theme
from ui.widgets.elided_combo import ElidedCombo
from ui.widgets.field import Field
from ui.widgets.number_field import NumberField

Change = Callable[[str, dict[str, object]], None]
_MOST = Decimal(4096)


class DegreesForm(QWidget):
    """Edits `SplitDegrees`: each committed field is one change, `change(field's label, changed fields)`."""

    def __init__(self, words: Wording, theme: Theme, change: Change, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._change = change
        self._degrees = SplitDegrees()
        self.fields: dict[str, QWidget] = {}
        """The inputs by the name of the field that they edit."""
        t = words.t
        self.more = QPushButton(t("More degrees"))
        self.more.setCheckable(True)
        self.rest = QWidget()
        self.rest.hide()
        self.more.toggled.connect(self.rest.setVisible)
        column = _column(self)
        self._row(column, self._count("tensor", t("Tensor")), self._count("pipeline", t("Pipeline")))
        self._row(column, self._count("context", t("Context")), self._count("expert", t("Experts")))
        self._row(column, self._choice("data_state", t("Data ranks hold"), state_choices(words)))
        column.addWidget(self.more)
        column.addWidget(self.rest)
        rest = _column(self.rest)
        self.sequence = QCheckBox(t("Norms divided too (SP)"))
        self.sequence.setAccessibleName(self.sequence.text())
        self.sequence.clicked.connect(lambda on: change(self.sequence.text(), {"sequence": on}))
        self.fields["sequence"] = self.sequence
        rest.addWidget(self.sequence)
        self._row(rest, self._choice("context_method", t("Context by"), context_choices(words)))
        self._row(rest, self._choice("experts_over", t("Experts over"), expert_choices(words)))
        self._row(
            rest,
            self._count("virtual_stages", t("Virtual stages")),
            self._number("expert_capacity", t("Expert capacity")),
        )
        for before, after in pairwise(self.inputs):
            QWidget.setTabOrder(before, after)

    @property
    def inputs(self) -> tuple[QWidget, ...]:
        """Everything that takes the focus, in reading order."""
        names = ("tensor", "pipeline", "context", "expert", "data_state")
        rest = ("sequence", "context_method", "experts_over", "virtual_stages", "expert_capacity")
        return (*(self.fields[name] for name in names), self.more, *(self.fields[name] for name in rest))

    def show_degrees(self, degrees: SplitDegrees, *, has_experts: bool, is_training: bool) -> None:
        """Show degrees; a field that holds its value already keeps what is being typed in it."""
        self._degrees = degrees
        for name, widget in self.fields.items():
            value = getattr(degrees, name)
            if isinstance(widget, NumberField):
                if widget.value != Decimal(value):
                    widget.set_value(Decimal(value))
            elif isinstance(widget, QComboBox):
                widget.setCurrentIndex(widget.findData(value))
        self.sequence.setChecked(degrees.sequence)
        enabled = {
            "context": is_training,
            "data_state": is_training,
            "expert": is_training and has_experts and degrees.experts_over == "data",
            "sequence": is_training and degrees.tensor > 1,
            "context_method": is_training and degrees.context > 1,
            "experts_over": has_experts and degrees.tensor > 1,
            "virtual_stages": is_training and degrees.pipeline > 1,
            "expert_capacity": has_experts and (degrees.expert > 1 or degrees.experts_over == "tensor"),
        }
        for name, on in enabled.items():
            # What is stated stays reachable, so that it can be taken back.
            is_plain = getattr(degrees, name) == SplitDegrees.model_fields[name].default
            self.fields[name].setEnabled(on or not is_plain)

    def _row(self, column: QVBoxLayout, *parts: QWidget) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        for part in parts:
            row.addWidget(part, 1)
        column.addLayout(row)

    def _count(self, name: str, label: str) -> Field:
        line = NumberField(self._words, minimum=Decimal(1), maximum=_MOST, whole=True)
        return self._typed(name, label, line, lambda value: int(value))

    def _number(self, name: str, label: str) -> Field:
        line = NumberField(self._words, minimum=Decimal(1), maximum=Decimal(64))
        return self._typed(name, label, line, lambda value: value)

    def _typed(
        self, name: str, label: str, line: NumberField, value_of: Callable[[Decimal], object]
    ) -> Field:
        def commit(value: object) -> None:
            if isinstance(value, Decimal):
                self._change(label, {name: value_of(value)})
            else:
                line.set_value(Decimal(getattr(self._degrees, name)))  # blank has no meaning here

        line.committed.connect(commit)
        self.fields[name] = line
        return Field(self._theme, label, line)

    def _choice(self, name: str, label: str, choices: tuple[Choice, ...]) -> Field:
        combo = ElidedCombo()
        combo.setMinimumContentsLength(6)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for value, text in choices:
            combo.addItem(text, value)
        combo.activated.connect(lambda at: self._change(label, {name: combo.itemData(at)}))
        self.fields[name] = combo
        return Field(self._theme, label, combo)


def _column(widget: QWidget) -> QVBoxLayout:
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(8)
    return column
