"""What a model is for, by its source, and the recipes that go with it: text, speech, classes of images, images.

A recipe is not kept over from another kind of model: what both state is.
"""

from __future__ import annotations

from enum import StrEnum

from estimator import architecture as arch
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
    """Return whether a recipe is one of the kind of model that a source gives; of a model not read, any is."""
    kind = model_kind(source)
    return kind is None or recipe.kind in (TRAINING_KINDS[kind], RUNNING_KINDS[kind])


def recipe_for(source: ModelSource, former: Recipe | None, trains: bool) -> Recipe:
    """Return the recipe that trains or runs a source's model; what `former` states and both have is kept."""
    kind = model_kind(source) or ModelKind.LANGUAGE
    wanted = (TRAINING_KINDS if trains else RUNNING_KINDS)[kind]
    if former is not None and former.kind == wanted:
        return former
    recipe = _starting_recipe(source, kind, trains)
    if former is None:
        return recipe
    if kind is ModelKind.IMAGES and not isinstance(former, ImageRecipe | DenoiserTrainingRecipe):
        return recipe.replaced(batch=former.batch)
    kept: dict[str, object] = {"batch": former.batch}
    for name in ("parameters", "attention", "height", "width"):
        if hasattr(former, name) and name in type(recipe).model_fields:
            kept[name] = getattr(former, name)
    if kind is ModelKind.LANGUAGE:
        if isinstance(former, TrainingRecipe):
            kept["prompt"] = former.length
        elif isinstance(former, GenerationRecipe):
            kept["length"] = former.prompt
    return recipe.replaced(**kept)


def _starting_recipe(source: ModelSource, kind: ModelKind, trains: bool) -> Recipe:
    if kind is ModelKind.IMAGES:
        return _starting_images(source, trains)
    if kind is ModelKind.SPEECH:
        architecture = architecture_of(source).architecture
        tokens = _longest_text(architecture)
        return TrainingRecipe(length=tokens) if trains else TranscriptionRecipe(tokens=tokens)
    if kind is ModelKind.VISION:
        return TrainingRecipe() if trains else ClassificationRecipe()
    return TrainingRecipe() if trains else GenerationRecipe()


def _longest_text(architecture: arch.Architecture | None) -> int:
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
