"""The forms of a recipe: training and generation, the fields used most first, the rest behind "More choices".

What every form is made of is here too; those of sound and images are in `memory_recipe_media`. Each committed field
is one change, `change(field's label, changed fields)`; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from estimator.quote import Recipe, TrainingRecipe
from estimator.wording import Wording
from ui.pages import memory_words as said
from ui.pages.memory_words import Choice
from ui.theme import Theme
from ui.widgets.elided_combo import ElidedCombo
from ui.widgets.field import Field
from ui.widgets.number_field import NumberField

Change = Callable[[str, Mapping[str, object]], None]

_MOST = Decimal(100_000_000)


class RecipeForm(QWidget):
    """What all forms are made of: counts, choices and claims, each bound to a field of the recipe."""

    def __init__(self, words: Wording, theme: Theme, change: Change, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._change = change
        self._recipe: Recipe | None = None
        self._binds: list[Callable[[Any], None]] = []
        self._main: list[QWidget] = []
        self._rest: list[QWidget] = []
        self._into = self._main
        self.fields: dict[str, QWidget] = {}
        """The inputs by the name of the recipe's field."""
        self.more = QPushButton(words.t("More choices"))
        self.more.setCheckable(True)
        self.rest = QWidget()
        self.rest.hide()
        self.more.toggled.connect(self.rest.setVisible)
        self._first = _column(self)
        self._second = _column(self.rest)
        self._layout = self._first

    @property
    def inputs(self) -> tuple[QWidget, ...]:
        """Everything that takes the focus, in reading order."""
        return (*self._main, self.more, *self._rest) if self._rest else tuple(self._main)

    def show_recipe(self, recipe: Recipe) -> None:
        """Show a recipe; a field that holds its value already keeps what is being typed in it."""
        self._recipe = recipe
        for bind in self._binds:
            bind(recipe)
        self._enable(recipe)

    def focus(self, name: str) -> bool:
        """Give focus to the input of a field; False where this form has none."""
        found = self.fields.get(name)
        if found is None:
            return False
        if found in self._rest:
            self.more.setChecked(True)
        found.setFocus()
        return True

    def _enable(self, recipe: Recipe) -> None:
        """Turn off the inputs that the recipe does not use."""
        if isinstance(recipe, TrainingRecipe):
            self.fields["foreach"].setEnabled(recipe.optimizer != "adamw_8bit")

    def _add_training(self) -> None:
        """Add precision, optimizer and checkpointing: what every model has that is trained."""
        t, words = self._words.t, self._words
        self._row(
            self._chosen(
                "parameters",
                t("Precision"),
                said.precision_choices(words),
                lambda value: {"parameters": value[0], "autocast": value[1]},
                lambda recipe: (recipe.parameters, recipe.autocast),
            )
        )
        self._row(
            self._chosen("optimizer", t("Optimiser"), said.optimizer_choices(words), optimizer_changes),
            self._choice("foreach", t("Implementation"), said.implementation_choices()),
        )
        self._row(self._claim("checkpointing", t("Recompute activations")))

    def _close_main(self) -> None:
        self._first.addWidget(self.more)
        self._first.addWidget(self.rest)
        self._layout, self._into = self._second, self._rest

    def _row(self, *parts: QWidget) -> None:
        """Add inputs side by side."""
        row = QHBoxLayout()
        row.setSpacing(8)
        for part in parts:
            row.addWidget(part, 1)
        self._layout.addLayout(row)

    def _count(
        self, name: str, label: str, *, least: int = 1, optional: bool = False, note: str = ""
    ) -> Field:
        line = NumberField(self._words, minimum=Decimal(least), maximum=_MOST, whole=True)

        def show(recipe: Recipe) -> None:
            value = getattr(recipe, name)
            wanted = None if value is None else Decimal(value)
            if line.value != wanted:
                line.set_value(wanted)

        def commit(value: object) -> None:
            if isinstance(value, Decimal):
                self._change(label, {name: int(value)})
            elif optional:
                self._change(label, {name: None})
            elif self._recipe is not None:
                show(self._recipe)  # blank has no meaning here

        line.committed.connect(commit)
        line.setPlaceholderText(note)
        return self._bound(name, label, line, show)

    def _choice(self, name: str, label: str, choices: tuple[Choice, ...]) -> Field:
        return self._chosen(name, label, choices, lambda value: {name: value})

    def _chosen(
        self,
        name: str,
        label: str,
        choices: tuple[Choice, ...],
        changes: Callable[[Any], Mapping[str, object]],
        read: Callable[[Any], object] | None = None,
    ) -> Field:
        """Add a choice whose value is read from the recipe by `read` and written by `changes`."""
        combo = ElidedCombo()
        combo.setMinimumContentsLength(6)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        offered = [value for value, _ in choices]
        for _, text in choices:
            combo.addItem(text)

        def now(recipe: Recipe) -> object:
            return getattr(recipe, name) if read is None else read(recipe)

        def show(recipe: Recipe) -> None:
            value = now(recipe)
            if value not in offered:  # from a file: shown as it is, not lost
                offered.append(value)
                combo.addItem(_plain(value))
            combo.setCurrentIndex(offered.index(value))

        def commit(at: int) -> None:
            if self._recipe is not None and offered[at] != now(self._recipe):
                self._change(label, changes(offered[at]))

        combo.activated.connect(commit)
        return self._bound(name, label, combo, show)

    def _claim(self, name: str, label: str) -> QCheckBox:
        tick = QCheckBox(label)
        tick.setAccessibleName(label)
        tick.clicked.connect(lambda ticked: self._change(label, {name: ticked}))
        self._binds.append(lambda recipe: tick.setChecked(getattr(recipe, name)))
        self._into.append(tick)
        self.fields[name] = tick
        return tick

    def _bound(self, name: str, label: str, widget: QWidget, show: Callable[[Any], None]) -> Field:
        self._binds.append(show)
        self._into.append(widget)
        self.fields[name] = widget
        return Field(self._theme, label, widget)


class TrainingForm(RecipeForm):
    """The fields of a `TrainingRecipe`."""

    def __init__(self, words: Wording, theme: Theme, change: Change, parent: QWidget | None = None) -> None:
        super().__init__(words, theme, change, parent)
        t = words.t
        self._row(self._count("batch", t("Batch a card")), self._count("length", t("Length, tokens")))
        self._add_training()
        self._row(
            self._count(
                "adapter_rank", t("LoRA rank"), optional=True, note=t("blank: every parameter learns")
            )
        )
        self._close_main()
        self._add_rest()

    def _add_rest(self) -> None:
        words = self._words
        t = words.t
        self._row(self._choice("attention", t("Attention"), said.attention_choices(words)))
        self._row(self._choice("loss", t("Loss"), said.loss_choices(words)))
        self._row(
            self._count("loss_chunks", t("Loss chunks")), self._count("micro_batches", t("Micro-batches"))
        )
        self._row(self._claim("loss_parallel", t("Loss divided with the tensors")))
        self._row(self._choice("master", t("fp32 master weights"), said.master_choices(words)))
        self._row(self._choice("average", t("Average of the weights"), said.average_choices(words)))
        self._row(self._choice("adapter_targets", t("LoRA stands on"), said.target_choices(words)))
        self._row(self._choice("adapter_precision", t("LoRA precision"), TYPES))
        self._row(self._claim("adapter_dropout", t("LoRA with dropout")))
        self._row(self._claim("adapter_tables", t("Embedding and head trained too")))
        self._row(self._choice("base", t("Frozen weights"), said.storage_choices(words)))
        self._row(self._claim("step_in_backward", t("Step fused in the backward")))
        products = self._claim("keep_products", t("Every second product kept (FSDP)"))
        products.setToolTip(
            t(
                "Of each recomputed layer, every second matrix product and the attention's output stay: "
                "torchtitan's selective option “op”. In full shards alone."
            )
        )
        self._row(products)
        self._row(self._claim("keep_outputs", t("Scores kept by the last stage (PP)")))
        self._row(self._claim("offload_optimizer", t("Optimiser in the node's memory")))
        self._row(self._claim("offload_parameters", t("Shards in the node's memory (FSDP)")))
        self._row(self._claim("offload_activations", t("Activations in the node's memory")))

    def _enable(self, recipe: Recipe) -> None:
        super()._enable(recipe)
        if not isinstance(recipe, TrainingRecipe):
            return
        self.fields["loss_chunks"].setEnabled(recipe.loss in ("chunked", "recomputed"))
        self.fields["offload_activations"].setEnabled(recipe.checkpointing or recipe.offload_activations)
        self.fields["keep_products"].setEnabled(recipe.checkpointing or recipe.keep_products)
        for name in _OF_ADAPTERS:
            self.fields[name].setEnabled(recipe.adapter_rank is not None)


class GenerationForm(RecipeForm):
    """The fields of a `GenerationRecipe`."""

    def __init__(self, words: Wording, theme: Theme, change: Change, parent: QWidget | None = None) -> None:
        super().__init__(words, theme, change, parent)
        t = words.t
        self._row(self._count("batch", t("Requests at once")), self._count("prompt", t("Prompt, tokens")))
        self._row(
            self._count("new_tokens", t("New tokens"), least=0),
            self._choice("kv_bits", t("KV cache, bits"), _KV_BITS),
        )
        self._row(self._choice("weights", t("Stored weights"), said.storage_choices(words)))
        self._row(self._choice("parameters", t("Precision"), TYPES))
        self._close_main()
        self._row(self._choice("attention", t("Attention"), said.attention_choices(words)))
        self._row(
            self._count(
                "prefill_chunk", t("Prompt read in chunks of"), optional=True, note=t("blank: all at once")
            )
        )
        self._row(self._claim("all_scores", t("Scores of every prompt token")))
        self._row(self._claim("latent_cache_expanded", t("Latent cache kept expanded")))
        self._row(self._claim("keeps_only_window", t("Windowed layers keep their window")))
        self._row(self._claim("stream_weights", t("Layers from the node's memory")))


_OF_ADAPTERS = ("adapter_targets", "adapter_precision", "adapter_dropout", "adapter_tables", "base")
TYPES: tuple[Choice, ...] = (("bf16", "bf16"), ("fp32", "fp32"))
_KV_BITS: tuple[Choice, ...] = ((16, "16"), (8, "8"), (4, "4"), (32, "32"))


def optimizer_changes(value: object) -> Mapping[str, object]:
    """Return the fields that the choice of an optimizer changes."""
    # 8-bit optimisers have no foreach step (bitsandbytes updates tensor by tensor).
    return {"optimizer": value, "foreach": False} if value == "adamw_8bit" else {"optimizer": value}


def _plain(value: object) -> str:
    return ", ".join(str(part) for part in value) if isinstance(value, tuple) else str(value)


def _column(widget: QWidget) -> QVBoxLayout:
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(8)
    return column
