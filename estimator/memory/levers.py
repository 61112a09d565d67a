"""Which single change of a recipe lowers the peak most: each lever is tried and the step computed again.

A lever is a code and a recipe; sentences are made in `wording/`. Those of a generation and of the cards of a task
are tried in `plan/levers.py`, which knows how weights are stored and which numbers of cards are legal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from estimator.memory.ledger import MemoryLedger
from estimator.memory.recipe import Attention, LossKernel, MasterWeights, Optimizer, Precision, Training


class Lever(StrEnum):
    """A change that keeps the work the same."""

    CHECKPOINTING = "checkpointing"
    FUSED_LOSS = "fused_loss"
    FUSED_OPTIMIZER = "fused_optimizer"
    EIGHT_BIT_OPTIMIZER = "eight_bit_optimizer"
    FUSED_ATTENTION = "fused_attention"
    HALF_PRECISION = "half_precision"
    SMALLER_MICRO_BATCH = "smaller_micro_batch"
    ONE_PART_AT_A_TIME = "one_part_at_a_time"
    SLICED_DECODING = "sliced_decoding"
    TILED_DECODING = "tiled_decoding"
    ENCODED_BEFORE = "encoded_before"
    EIGHT_BIT_CACHE = "eight_bit_cache"
    PROMPT_IN_CHUNKS = "prompt_in_chunks"
    FOUR_BIT_WEIGHTS = "four_bit_weights"
    LAST_SCORES = "last_scores"
    MORE_CARDS = "more_cards"


@dataclass(frozen=True, slots=True)
class LeverEffect:
    """A lever and the peak in bytes once it is pulled."""

    lever: Lever
    peak_bytes: int


def lever_effects(recipe: Training, ledger_of: Callable[[Training], MemoryLedger]) -> tuple[LeverEffect, ...]:
    """Return the levers that lower the peak, the strongest first. `ledger_of` computes a recipe's ledger."""
    now = ledger_of(recipe).peak_bytes
    effects = [LeverEffect(lever, ledger_of(changed).peak_bytes) for lever, changed in _changes(recipe)]
    return tuple(
        sorted(
            (effect for effect in effects if effect.peak_bytes < now), key=lambda effect: effect.peak_bytes
        )
    )


def _changes(recipe: Training) -> Iterator[tuple[Lever, Training]]:
    if not recipe.checkpointing or recipe.keeps_products:
        yield Lever.CHECKPOINTING, replace(recipe, checkpointing=True, keeps_products=False)
    if recipe.loss in (LossKernel.UPCAST, LossKernel.HALF, LossKernel.CHUNKED, LossKernel.COMPILED):
        yield Lever.FUSED_LOSS, replace(recipe, loss=LossKernel.FUSED)
    if recipe.is_foreach:
        yield Lever.FUSED_OPTIMIZER, replace(recipe, is_foreach=False)
    if recipe.optimizer is Optimizer.ADAMW:
        yield (
            Lever.EIGHT_BIT_OPTIMIZER,
            replace(recipe, optimizer=Optimizer.ADAMW_8BIT, is_foreach=False),
        )
    if recipe.attention is Attention.EAGER:
        yield Lever.FUSED_ATTENTION, replace(recipe, attention=Attention.SDPA)
    if recipe.parameters is Precision.FP32 and recipe.master is MasterWeights.NONE:
        yield Lever.HALF_PRECISION, replace(recipe, parameters=Precision.BF16, autocast=False)
    if recipe.batch > 1:
        halved, batches = recipe.batch // 2, recipe.micro_batches * 2
        yield Lever.SMALLER_MICRO_BATCH, replace(recipe, batch=halved, micro_batches=batches)
