"""The forms of recipes of sound and images: each in the words of its model, and no field that it does not use.

What they are made of is in `memory_recipe`; nothing is computed here.
"""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from estimator.quote import DenoiserTrainingRecipe, Recipe
from estimator.wording import Wording
from ui.pages import memory_words as said
from ui.pages.memory_recipe import TYPES, Change, RecipeForm, optimizer_changes
from ui.theme import Theme


class SpeechTrainingForm(RecipeForm):
    """The fields of a `TrainingRecipe` that a speech model uses: windows of sound and the text of each."""

    def __init__(self, words: Wording, theme: Theme, change: Change, parent: QWidget | None = None) -> None:
        super().__init__(words, theme, change, parent)
        t = words.t
        self._row(
            self._count("batch", t("Windows a card, 30 s")), self._count("length", t("Text of each, tokens"))
        )
        self._add_training()


class VisionTrainingForm(RecipeForm):
    """The fields of a `TrainingRecipe` that a classifier of images uses: its images have their own size."""

    def __init__(self, words: Wording, theme: Theme, change: Change, parent: QWidget | None = None) -> None:
        super().__init__(words, theme, change, parent)
        t = words.t
        self._row(self._count("batch", t("Images a card")), self._count("micro_batches", t("Micro-batches")))
        self._add_training()
        self._close_main()
        self._row(self._choice("attention", t("Attention"), said.attention_choices(words)))


class TranscriptionForm(RecipeForm):
    """The fields of a `TranscriptionRecipe`."""

    def __init__(self, words: Wording, theme: Theme, change: Change, parent: QWidget | None = None) -> None:
        super().__init__(words, theme, change, parent)
        t = words.t
        self._row(
            self._count("batch", t("Windows at once, 30 s")), self._count("tokens", t("Text of each, tokens"))
        )
        self._row(self._choice("parameters", t("Precision"), TYPES))


class ClassificationForm(RecipeForm):
    """The fields of a `ClassificationRecipe`."""

    def __init__(self, words: Wording, theme: Theme, change: Change, parent: QWidget | None = None) -> None:
        super().__init__(words, theme, change, parent)
        t = words.t
        self._row(
            self._count("batch", t("Images at once")), self._choice("parameters", t("Precision"), TYPES)
        )
        self._row(self._choice("attention", t("Attention"), said.attention_choices(words)))


class ImageForm(RecipeForm):
    """The fields of an `ImageRecipe`."""

    def __init__(self, words: Wording, theme: Theme, change: Change, parent: QWidget | None = None) -> None:
        super().__init__(words, theme, change, parent)
        t = words.t
        self._guides = True
        self._row(self._count("batch", t("Images at once")))
        self._row(self._count("height", t("Height, px")), self._count("width", t("Width, px")))
        self._row(self._claim("guidance", t("Guidance doubles the batch")))
        self._row(self._choice("placement", t("Parts on the card"), said.placement_choices(words)))
        self._row(self._choice("decoding", t("Decoding of the image"), said.decoding_choices(words)))
        self._row(
            self._choice("parameters", t("Precision"), TYPES),
            self._choice("decoder_parameters", t("Precision to decode"), TYPES),
        )

    def offer_guidance(self, doubles: bool) -> None:
        """Say whether guidance doubles the batch of the shown denoiser at all; before its recipe is shown."""
        self._guides = doubles

    def _enable(self, recipe: Recipe) -> None:
        self.fields["guidance"].setEnabled(self._guides)


class DenoiserTrainingForm(RecipeForm):
    """The fields of a `DenoiserTrainingRecipe`."""

    def __init__(self, words: Wording, theme: Theme, change: Change, parent: QWidget | None = None) -> None:
        super().__init__(words, theme, change, parent)
        t = words.t
        self._row(self._count("batch", t("Images a card")))
        self._row(self._count("height", t("Height, px")), self._count("width", t("Width, px")))
        self._row(self._choice("precision", t("Precision"), said.denoiser_precision_choices(words)))
        self._row(
            self._chosen("optimizer", t("Optimiser"), said.optimizer_choices(words), optimizer_changes),
            self._choice("foreach", t("Implementation"), said.implementation_choices()),
        )
        self._row(self._claim("checkpointing", t("Recompute activations")))
        self._row(
            self._count(
                "adapter_rank", t("LoRA rank"), optional=True, note=t("blank: every parameter learns")
            )
        )
        self._row(self._choice("others", t("Texts and images"), said.others_choices(words)))

    def _enable(self, recipe: Recipe) -> None:
        if isinstance(recipe, DenoiserTrainingRecipe):
            self.fields["foreach"].setEnabled(recipe.optimizer != "adamw_8bit")


FORMS: dict[str, type[RecipeForm]] = {
    "speech_training": SpeechTrainingForm,
    "vision_training": VisionTrainingForm,
    "transcription": TranscriptionForm,
    "classification": ClassificationForm,
    "image": ImageForm,
    "denoiser_training": DenoiserTrainingForm,
}
"""The form of each recipe, by its kind; a training also by the kind of its model."""
