"""What a model is for, by its source, and the recipes that go with it: text, speech, classes of images, images.

A recipe is not kept over from another kind of model: what both state is.
"""

from __future__ import annotations

from enum import StrEnum

from estimator.plan.image_models import doubles_for_guidance, pipeline_of
from estimator.plan.models import architecture_of
from estimator.problems import Absent
from estimator.quote import (
    ClassificationRecipe,
    DenoiserTrainingRecipe,
    GenerationRecipe,
    ImageRecipe,
    ModelSource,
    Recipe,
    TrainingRecipe,
    TranscriptionRecipe,
)

_LATENT_SIDE = 8
_SPEECH_TOKENS = 448
_KEPT = {"batch", "parameters", "autocast", "attention", "optimizer", "foreach", "checkpointing"}
_KEPT |= {"adapter_rank", "height", "width"}


class ModelKind(StrEnum):
    """What goes into a model and comes out of it."""

    LANGUAGE = "language"
    SPEECH = "speech"
    VISION = "vision"
    IMAGES = "images"


TRAINING_KINDS = {
    ModelKind.LANGUAGE: "training",
    ModelKind.SPEECH: "training",
    ModelKind.VISION: "training",
    ModelKind.IMAGES: "denoiser_training",
}
_WHOLE_TRAINING = frozenset(
    {"kind", "batch", "parameters", "autocast", "optimizer", "foreach", "checkpointing"}
)
_TRAINING_FIELDS = {
    ModelKind.SPEECH: _WHOLE_TRAINING | {"length"},
    ModelKind.VISION: _WHOLE_TRAINING | {"length", "attention", "micro_batches"},
}
"""What a training of sound or images may state; the length of an image is its own, whatever is stated."""
RUNNING_KINDS = {
    ModelKind.LANGUAGE: "generation",
    ModelKind.SPEECH: "transcription",
    ModelKind.VISION: "classification",
    ModelKind.IMAGES: "image",
}


def is_read(source: ModelSource) -> bool:
    """Return whether a source gives a model: its format is known and nothing that it needs is missing."""
    return model_kind(source) is not None


def model_kind(source: ModelSource) -> ModelKind | None:
    """Return what a source's model is for; None where it cannot be read."""
    pipeline = pipeline_of(source)
    if pipeline is not None:
        return None if pipeline.pipeline is None else ModelKind.IMAGES
    architecture = architecture_of(source).architecture
    if architecture is None:
        return None
    return {"whisper": ModelKind.SPEECH, "vit": ModelKind.VISION}.get(
        architecture.model_type, ModelKind.LANGUAGE
    )


def is_training(recipe: Recipe) -> bool:
    """Return whether a recipe trains."""
    return isinstance(recipe, TrainingRecipe | DenoiserTrainingRecipe)


def goes_with(source: ModelSource, recipe: Recipe) -> bool:
    """Return whether a recipe is one of the kind of model that a source gives; of a model not read, any is.

    A training goes with sound or images only where it states nothing that their forms do not hold.
    """
    kind = model_kind(source)
    if kind is None:
        return True
    if recipe.kind not in (TRAINING_KINDS[kind], RUNNING_KINDS[kind]):
        return False
    used = _TRAINING_FIELDS.get(kind)
    if used is None or not isinstance(recipe, TrainingRecipe):
        return True
    if kind is ModelKind.SPEECH and recipe.length > _longest_text(source):
        return False
    plain = TrainingRecipe()
    return all(
        getattr(recipe, name) == getattr(plain, name)
        for name in TrainingRecipe.model_fields
        if name not in used
    )


def recipe_for(source: ModelSource, former: Recipe | None, trains: bool) -> Recipe:
    """Return the recipe that trains or runs a source's model; what `former` states and both have is kept."""
    kind = model_kind(source) or ModelKind.LANGUAGE
    if former is not None and is_training(former) is trains and goes_with(source, former):
        return former
    recipe = _starting_recipe(source, kind, trains)
    if former is None:
        return recipe
    named = _KEPT & type(former).model_fields.keys() & type(recipe).model_fields.keys()
    if trains:
        named &= _TRAINING_FIELDS.get(kind, named)
    kept = {name: getattr(former, name) for name in named}
    if isinstance(recipe, GenerationRecipe) and isinstance(former, TrainingRecipe):
        kept["prompt"] = former.length
    elif kind is ModelKind.LANGUAGE and isinstance(former, GenerationRecipe):
        kept["length"] = former.prompt
    return recipe.replaced(**kept)


def _starting_recipe(source: ModelSource, kind: ModelKind, trains: bool) -> Recipe:
    if kind is ModelKind.IMAGES:
        return _starting_images(source, trains)
    if kind is ModelKind.SPEECH:
        tokens = _longest_text(source)
        return TrainingRecipe(length=tokens) if trains else TranscriptionRecipe(tokens=tokens)
    if kind is ModelKind.VISION:
        return TrainingRecipe() if trains else ClassificationRecipe()
    return TrainingRecipe() if trains else GenerationRecipe()


def _longest_text(source: ModelSource) -> int:
    architecture = architecture_of(source).architecture
    length = None if architecture is None else architecture.context_length
    return _SPEECH_TOKENS if length is None or isinstance(length, Absent) else length


def _starting_images(source: ModelSource, trains: bool) -> Recipe:
    """The side that the denoiser was made for where its file says so, and guidance where it takes a batch more."""
    reading = pipeline_of(source)
    denoiser = None if reading is None or reading.pipeline is None else reading.pipeline.denoiser
    sides: dict[str, int] = {}
    if denoiser is not None and denoiser.sample_size is not None:
        side = _LATENT_SIDE * denoiser.sample_size
        sides = {"height": side, "width": side}
    if trains:
        return DenoiserTrainingRecipe(**sides)
    return ImageRecipe(**sides, guidance=denoiser is None or doubles_for_guidance(denoiser))
