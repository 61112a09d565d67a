"""Which closed form divides a model over the cards of a task, for training and for generation.

One card is never compared with a sum over cards: every form gives the bytes of one card, the worst where they
differ. A split that no engine has a form for, or that a recipe's choice does not go with, is absent with its
reason; nothing is left out silently to make a form apply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from estimator import memory as mem
from estimator.memory.shape import layers_parameters
from estimator.problems import Absent
from estimator.quote import ModelSplit

LedgerOf = Callable[[mem.Training], mem.MemoryLedger]
WHOLE = (ModelSplit.NONE, ModelSplit.REPLICAS)
TENSORS = (ModelSplit.TENSOR, ModelSplit.TENSOR_SEQUENCE)
GENERATION = (*WHOLE, ModelSplit.TENSOR, ModelSplit.PIPELINE)


def training(
    shape: mem.ModelShape,
    recipe: mem.Training,
    split: ModelSplit,
    cards: int,
    loss_parallel: bool,
    optimizer_shard: int | None,
) -> tuple[LedgerOf, mem.Basis] | Absent:
    """Return the form of a training step on one of `cards` cards, and what it rests on.

    `optimizer_shard`: trained elements whose state the fullest card keeps, needed where the optimizer is divided.
    """
    if cards == 1 or split is ModelSplit.NONE:
        return (lambda one: mem.training_ledger(shape, one)), mem.training_basis(shape, recipe)
    if split is ModelSplit.REPLICAS:
        copies = mem.Replicas(cards)
        return (lambda one: mem.training_ledger(shape, one, copies)), mem.training_basis(shape, recipe)
    if split is ModelSplit.OPTIMIZER_SHARDS:
        share = -(-shape.parameters // cards) if optimizer_shard is None else optimizer_shard
        sharded = mem.Replicas(cards, optimizer_shard=share)
        return (lambda one: mem.training_ledger(shape, one, sharded)), mem.sharded_basis(shape, recipe)
    without_form = Absent("split_without_form", (), (("cards", cards),))
    has_copies = recipe.master is not mem.MasterWeights.NONE or recipe.average is not mem.Average.NONE
    if shape.objective is not mem.Objective.CAUSAL or has_copies or recipe.frozen_weights_bytes is not None:
        return without_form  # no divided form holds fp32 copies, averages or a packed base
    if split is ModelSplit.FULL_SHARD:
        if not _has_even_layers(shape):
            return without_form
        return (lambda one: _full_shard(shape, one, cards)), _full_shard_basis(shape, recipe)
    if not _divides(shape, recipe):
        return without_form
    if split in TENSORS:
        if cards not in mem.legal_tensor_degrees(shape.heads, shape.kv_heads):
            return Absent("split_not_legal", (), (("cards", cards),))
        if not _is_fused(shape, recipe):
            return without_form
        tensor = mem.Tensor(cards, sequence=split is ModelSplit.TENSOR_SEQUENCE, loss=loss_parallel)
        basis = _divided_basis(shape, recipe) if recipe.micro_batches == 1 else mem.Basis.FORMULA
        return (lambda one: mem.tensor_ledger(shape, one, tensor)), basis
    if cards > shape.layers:
        return Absent("split_not_legal", (), (("cards", cards),))
    return (lambda one: _pipeline(shape, one, cards)), _divided_basis(shape, recipe)


def generation(
    shape: mem.ModelShape, recipe: mem.Generation, split: ModelSplit, cards: int
) -> tuple[Callable[[], mem.MemoryLedger], mem.Basis] | Absent:
    """Return the form of a generation on one of `cards` cards, and what it rests on. Divided: a formula alone."""
    if cards == 1 or split in WHOLE:
        return (lambda: mem.generation_ledger(shape, recipe)), mem.generation_basis(shape, recipe)
    if split not in GENERATION:
        return Absent("split_without_form", (), (("cards", cards),))
    if split is ModelSplit.TENSOR:
        if cards not in mem.legal_tensor_degrees(shape.heads, shape.kv_heads):
            return Absent("split_not_legal", (), (("cards", cards),))
        return (lambda: _tensor_generation(shape, recipe, cards)), mem.Basis.FORMULA
    if cards > shape.layers:
        return Absent("split_not_legal", (), (("cards", cards),))
    return (lambda: _pipeline_generation(shape, recipe, cards)), mem.Basis.FORMULA


def degrees(shape: mem.ModelShape, split: ModelSplit, most: int) -> tuple[int, ...]:
    """Return the numbers of cards, up to `most`, that heads and layers allow, whatever the recipe."""
    if split in TENSORS:
        return tuple(one for one in mem.legal_tensor_degrees(shape.heads, shape.kv_heads) if one <= most)
    if split is ModelSplit.PIPELINE:
        return tuple(range(1, min(most, shape.layers) + 1))
    return tuple(range(1, most + 1))


def _full_shard(shape: mem.ModelShape, recipe: mem.Training, cards: int) -> mem.MemoryLedger:
    """FSDP2. Autocast is its mixed precision: fp32 shards, 16-bit computation, fp32 reduction."""
    master = recipe.element
    if recipe.autocast:
        recipe = replace(recipe, parameters=mem.Precision.BF16, autocast=False)
    shard = mem.FullShard(
        cards, master_size=master, compute_size=recipe.compute, reduce_size=max(master, recipe.compute)
    )
    return mem.sharded_ledger(shape, recipe, shard)


def _full_shard_basis(shape: mem.ModelShape, recipe: mem.Training) -> mem.Basis:
    mixed = replace(recipe, parameters=mem.Precision.BF16, autocast=False) if recipe.autocast else recipe
    return _held(shape, mixed, mem.sharded_basis(shape, mixed))


def _divided_basis(shape: mem.ModelShape, recipe: mem.Training) -> mem.Basis:
    """Tensor and pipeline points are of untied Llama models."""
    if shape.family is not mem.Family.LLAMA or shape.is_tied:
        return mem.Basis.FORMULA
    return _held(shape, recipe, mem.sharded_basis(shape, recipe))


def _held(shape: mem.ModelShape, recipe: mem.Training, basis: mem.Basis) -> mem.Basis:
    """No divided point has another loss than the library's, nor an attention that keeps its scores."""
    is_plain = recipe.loss is mem.LossKernel.UPCAST and _is_fused(shape, recipe)
    return basis if is_plain else mem.Basis.FORMULA


def _has_even_layers(shape: mem.ModelShape) -> bool:
    """Whether all layers are as large as the top one, but for a few dense ones below layers of experts."""
    return shape.experts is None or 10 * shape.experts.dense_layers <= shape.layers


def _divides(shape: mem.ModelShape, recipe: mem.Training) -> bool:
    """Whether tensor and pipeline forms hold the model: dense, gated, ordinary attention, all of it trained."""
    return shape.has_rms_norm and shape.experts is None and shape.latent is None and recipe.adapter is None


def _is_fused(shape: mem.ModelShape, recipe: mem.Training) -> bool:
    has_groups = shape.kv_heads < shape.heads
    return recipe.attention is mem.Attention.SDPA and (recipe.compute == 2 or not has_groups)


def _pipeline(shape: mem.ModelShape, recipe: mem.Training, cards: int) -> mem.MemoryLedger:
    """The worst stage of 1F1B with the outputs kept, as torch's schedules do unless told otherwise.

    A later middle stage has at most as many layers and micro-batches in flight as the second: it is never worst.
    """
    schedule = mem.PipelineSchedule.ONE_FORWARD_ONE_BACKWARD
    stages = sorted({0, 1, cards - 1})
    ledgers = [
        mem.pipeline_ledger(
            shape, recipe, mem.Pipeline(cards, stage, recipe.micro_batches, schedule, keeps_outputs=True)
        )
        for stage in stages
    ]
    return max(ledgers, key=lambda ledger: ledger.peak_bytes)


def _tensor_generation(shape: mem.ModelShape, recipe: mem.Generation, cards: int) -> mem.MemoryLedger:
    """Matrices and tables divided by the cards, the cache by at most the KV heads, a latent not at all.

    Temporaries stay whole: hidden states are, and what of an MLP is divided depends on the engine.
    """
    ledger = mem.generation_ledger(shape, recipe)
    cache = 1 if shape.latent is not None else mem.kv_share(cards, shape.kv_heads)
    return _shared(ledger, Fraction(1, cards), Fraction(1, cache))


def _pipeline_generation(shape: mem.ModelShape, recipe: mem.Generation, cards: int) -> mem.MemoryLedger:
    """The largest stage: its layers' weights and cache, and the tables whole as if both stood on it."""
    ledger = mem.generation_ledger(shape, recipe)
    layers = Fraction(-(-shape.layers // cards), shape.layers)
    whole = ledger.moments[0].of(mem.StateClass.WEIGHTS)
    # Packed weights leave the tables in 16 bits, so they weigh more among the rest than their count says.
    outside = (shape.parameters - layers_parameters(shape)) * recipe.element
    rest = min(max(Fraction(outside, max(whole, 1)), Fraction(0)), Fraction(1))
    return _shared(ledger, rest + (1 - rest) * layers, layers)


def _shared(ledger: mem.MemoryLedger, weights: Fraction, cache: Fraction) -> mem.MemoryLedger:
    """Return the ledger with these shares of the weights and of the cache on one card, rounded up."""
    shares = {mem.StateClass.WEIGHTS: weights, mem.StateClass.KV_CACHE: cache}
    moments = tuple(
        mem.Moment(
            one.kind,
            tuple(
                (state, -(-size * share.numerator // share.denominator))
                for state, size in one.lines
                for share in (shares.get(state, Fraction(1)),)
            ),
        )
        for one in ledger.moments
    )
    return mem.MemoryLedger(moments)
