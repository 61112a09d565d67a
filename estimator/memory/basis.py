"""What a closed form rests on: reference points, published readings of real cards, or a formula alone.

`plan/` turns a basis into the kind of evidence that a figure shows, and so into its range.
"""

from __future__ import annotations

from enum import StrEnum

from estimator.memory.recipe import Generation, LossKernel, Training
from estimator.memory.shape import Family, ModelShape, Objective


class Basis(StrEnum):
    """The best thing that a form was held against.

    Points without readings: no card was ever read for the form. Points without workspace: cards were, and lie far
    above, because the points do not contain what convolutions take to compute in (cuDNN).
    """

    REFERENCE_POINTS = "reference_points"
    POINTS_WITHOUT_READINGS = "points_without_readings"
    POINTS_WITHOUT_WORKSPACE = "points_without_workspace"
    PUBLISHED_READINGS = "published_readings"
    FORMULA = "formula"


AUTOCAST_FAMILIES = frozenset(
    {Family.LLAMA, Family.GPT2, Family.GPT_NEOX, Family.OPT, Family.BERT, Family.VIT}
)
EXPERT_FAMILIES = frozenset({Family.MIXTRAL, Family.QWEN3_MOE, Family.DEEPSEEK, Family.GPT_OSS})
LLAMA_LIKE = frozenset({Family.LLAMA, Family.QWEN3, Family.GEMMA})


def training_basis(shape: ModelShape, recipe: Training) -> Basis:
    """Return what the form of this training step was held against.

    No reference point has a quantised base, adapters on another than a Llama-like model, experts or windows in
    another precision than bf16, a chunked or fused loss on an encoder, or a compiled one.
    """
    is_half = recipe.element == 2 and not recipe.autocast
    if shape.family is Family.GPT_OSS or recipe.frozen_weights_bytes is not None:
        return Basis.FORMULA
    if recipe.loss is LossKernel.COMPILED:
        return Basis.FORMULA
    if recipe.steps_in_backward or (recipe.adapter is not None and recipe.adapter.trains_tables):
        return Basis.FORMULA
    if recipe.adapter is not None and (shape.family not in LLAMA_LIKE or recipe.autocast):
        return Basis.FORMULA
    if (shape.family in EXPERT_FAMILIES or shape.family in (Family.GEMMA, Family.GEMMA3)) and not is_half:
        return Basis.FORMULA
    if recipe.autocast and shape.family not in AUTOCAST_FAMILIES:
        return Basis.FORMULA
    if recipe.loss is not LossKernel.UPCAST and shape.objective is not Objective.CAUSAL:
        return Basis.FORMULA
    return Basis.REFERENCE_POINTS


def sharded_basis(shape: ModelShape, recipe: Training) -> Basis:
    """As `training_basis`, for sharded, tensor or pipeline parallel steps: Llama-like and GPT-2, no autocast."""
    if recipe.adapter is not None or recipe.autocast or shape.family not in (Family.LLAMA, Family.GPT2):
        return Basis.FORMULA
    return training_basis(shape, recipe)


def generation_basis(shape: ModelShape, recipe: Generation) -> Basis:
    """Return what the form of this generation was held against."""
    if recipe.latent_cache_expanded or recipe.kv_bits not in (16, 32):
        return Basis.FORMULA
    if shape.family in (Family.BERT, Family.VIT, Family.OPT, Family.GPT_NEOX):
        return Basis.FORMULA
    if recipe.weights_bytes is not None or recipe.keeps_only_window or recipe.new_tokens:
        return Basis.PUBLISHED_READINGS
    return Basis.REFERENCE_POINTS
