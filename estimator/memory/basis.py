"""What a closed form rests on: reference points, published readings of real cards, or a formula alone.

`plan/` turns a basis into the kind of evidence that a figure shows, and so into its range.
"""

from __future__ import annotations

from enum import StrEnum

from estimator.memory.recipe import Attention, Average, Generation, LossKernel, Training
from estimator.memory.saved import WIDEST_FLASH_HEAD
from estimator.memory.shape import Family, ModelShape


class Basis(StrEnum):
    """The best thing that a form was held against.

    Points without readings: no card was ever read for the form. Points without workspace: cards were, and lie far
    above, because the points do not contain what convolutions take to compute in (cuDNN). Part uncounted: a tower
    of the model is on the card too, and its size is not known.
    """

    REFERENCE_POINTS = "reference_points"
    POINTS_WITHOUT_READINGS = "points_without_readings"
    POINTS_WITHOUT_WORKSPACE = "points_without_workspace"
    PUBLISHED_READINGS = "published_readings"
    FORMULA = "formula"
    PART_UNCOUNTED = "part_uncounted"


AUTOCAST_FAMILIES = frozenset(
    {Family.LLAMA, Family.GPT2, Family.GPT_NEOX, Family.OPT, Family.BERT, Family.VIT}
)
EXPERT_FAMILIES = frozenset({Family.MIXTRAL, Family.QWEN3_MOE, Family.DEEPSEEK, Family.GPT_OSS})
LLAMA_LIKE = frozenset({Family.LLAMA, Family.QWEN3, Family.GEMMA})
FUSED_ALONE = EXPERT_FAMILIES | {Family.GEMMA, Family.GEMMA3}
"""Families whose points all have fused attention, but for generation with gpt-oss: its sinks run eager alone."""


def training_basis(shape: ModelShape, recipe: Training) -> Basis:
    """Return what the form of this training step was held against.

    No reference point has a quantised base, adapters on another than a Llama-like model, experts or windows in
    another precision than bf16 or with eager attention, another loss than the library's or a running average but in
    bf16, or heads wider than FlashAttention takes.
    """
    if shape.key_width > WIDEST_FLASH_HEAD:
        return Basis.FORMULA
    is_half = recipe.element == 2 and not recipe.autocast
    if shape.family is Family.GPT_OSS or recipe.frozen_weights_bytes is not None:
        return Basis.FORMULA
    if recipe.steps_in_backward or (recipe.adapter is not None and recipe.adapter.trains_tables):
        return Basis.FORMULA
    if recipe.adapter is not None and (shape.family not in LLAMA_LIKE or recipe.autocast):
        return Basis.FORMULA
    if (shape.family in EXPERT_FAMILIES or shape.family in (Family.GEMMA, Family.GEMMA3)) and not is_half:
        return Basis.FORMULA
    if recipe.autocast and shape.family not in AUTOCAST_FAMILIES:
        return Basis.FORMULA
    if recipe.attention is Attention.EAGER and shape.family in FUSED_ALONE:
        return Basis.FORMULA
    if recipe.loss is not LossKernel.UPCAST and not (is_half and shape.family in LLAMA_LIKE):
        return Basis.FORMULA
    if recipe.average is not Average.NONE and not is_half:
        return Basis.FORMULA
    return Basis.REFERENCE_POINTS


def sharded_basis(shape: ModelShape, recipe: Training) -> Basis:
    """As `training_basis`, for sharded, tensor or pipeline parallel steps: Llama-like and GPT-2, no autocast."""
    if recipe.adapter is not None or recipe.autocast or shape.family not in (Family.LLAMA, Family.GPT2):
        return Basis.FORMULA
    return training_basis(shape, recipe)


def generation_basis(shape: ModelShape, recipe: Generation) -> Basis:
    """Return what the form of this generation was held against."""
    if shape.key_width > WIDEST_FLASH_HEAD:
        return Basis.FORMULA
    if recipe.latent_cache_expanded or recipe.kv_bits not in (16, 32) or recipe.cache_block is not None:
        return Basis.FORMULA
    if shape.family in (Family.BERT, Family.VIT, Family.OPT, Family.GPT_NEOX):
        return Basis.FORMULA
    if shape.family in FUSED_ALONE:
        runs = Attention.EAGER if shape.family is Family.GPT_OSS else Attention.SDPA
        if recipe.element != 2 or recipe.attention is not runs:
            return Basis.FORMULA
    if recipe.prefill_chunk is not None and not _holds_chunks(shape, recipe):
        return Basis.FORMULA
    if recipe.keeps_only_window and shape.sliding is not None:
        return Basis.FORMULA
    if recipe.weights_bytes is not None or recipe.new_tokens:
        return Basis.PUBLISHED_READINGS
    return Basis.REFERENCE_POINTS


def _holds_chunks(shape: ModelShape, recipe: Generation) -> bool:
    """Chunked prompts have points in bf16, with fused attention, of Llama-like models and of latent attention."""
    is_held = shape.family in LLAMA_LIKE or shape.family is Family.DEEPSEEK
    return is_held and recipe.element == 2 and recipe.attention is Attention.SDPA
