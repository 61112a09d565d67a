"""Which closed form divides a model over the cards of a task, for training and for generation.

One card is never compared with a sum over cards: every form gives the bytes of one card, the worst where they
differ. A split that no engine has a form for, or that a recipe's choice does not go with, is absent with its
reason; nothing is left out silently to make a form apply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import gcd

from estimator import memory as mem
from estimator.problems import Absent
from estimator.quote import ModelSplit, SplitDegrees

LedgerOf = Callable[[mem.Training], mem.MemoryLedger]
Division = ModelSplit | SplitDegrees
"""How a model is divided over the cards of a task: one of the plain ways, or several degrees at once."""

WHOLE = (ModelSplit.NONE, ModelSplit.REPLICAS)
TENSORS = (ModelSplit.TENSOR, ModelSplit.TENSOR_SEQUENCE)
GENERATION = (
    *WHOLE,
    ModelSplit.TENSOR,
    ModelSplit.PIPELINE,
    ModelSplit.COMBINED,
)
_STATES = {
    ModelSplit.OPTIMIZER_SHARDS: mem.DataState.OPTIMIZER_SHARDS,
    ModelSplit.FULL_SHARD: mem.DataState.FULL_SHARD,
}


def training(
    shape: mem.ModelShape,
    recipe: mem.Training,
    division: Division,
    cards: int,
    loss_parallel: bool,
    optimizer_shard: int | None,
) -> tuple[LedgerOf, mem.Basis] | Absent:
    """Return the form of a training step on one of `cards` cards, and what it rests on.

    `optimizer_shard`: trained elements whose state the fullest card keeps, None: an even share.
    """
    degrees = degrees_of(division, cards)
    if degrees is None:
        return _absent("degrees_do_not_divide", cards)
    reason = _why_not(shape, recipe, degrees, isinstance(division, SplitDegrees))
    if reason:
        return _absent(reason, cards)

    def ledger(one: mem.Training) -> mem.MemoryLedger:
        made = lambda kept: mem.combined_ledger(shape, kept, degrees, loss_parallel, optimizer_shard)  # noqa: E731
        return mem.offloaded_ledger(one, made)

    return ledger, _basis(shape, recipe, degrees)


def generation(
    shape: mem.ModelShape, recipe: mem.Generation, division: Division, cards: int
) -> tuple[Callable[[], mem.MemoryLedger], mem.Basis] | Absent:
    """Return the form of a generation on one of `cards` cards, and what it rests on. Divided: a formula alone."""
    degrees = degrees_of(division, cards)
    if degrees is None:
        return _absent("degrees_do_not_divide", cards)
    is_plain = isinstance(division, ModelSplit)
    is_of_training = degrees.context > 1 or degrees.virtual > 1 or degrees.expert > 1
    if is_of_training or (is_plain and division not in GENERATION and cards > 1):
        return _absent("split_without_form", cards)
    illegal = mem.illegal_degree(shape, degrees)
    if illegal:
        return _absent("split_not_legal" if is_plain else illegal, cards)
    is_whole = degrees.tensor == degrees.pipeline == 1
    if recipe.streams_weights and not is_whole:
        return _absent("offload_without_form", cards)
    is_held = is_whole and not recipe.streams_weights
    basis = mem.generation_basis(shape, recipe) if is_held else mem.Basis.FORMULA

    def ledger() -> mem.MemoryLedger:
        found = mem.divided_generation_ledger(shape, recipe, degrees)
        return mem.streamed_ledger(shape, recipe, found)

    return ledger, basis


def degrees_of(division: Division, cards: int) -> mem.Degrees | None:
    """Return the degrees of a division over so many cards; None where they do not divide them."""
    if isinstance(division, SplitDegrees):
        data = division.data(cards)
        if data is None:
            return None
        state = mem.DataState(division.data_state)
        if data * division.context == 1:  # one rank has nobody to share its state with
            state = mem.DataState.REPLICAS
        return mem.Degrees(
            tensor=division.tensor,
            sequence=division.sequence,
            pipeline=division.pipeline,
            virtual=division.virtual_stages,
            context=division.context,
            context_method=mem.ContextMethod(division.context_method),
            expert=division.expert,
            experts_over=mem.ExpertsOver(division.experts_over),
            capacity=Fraction(division.expert_capacity),
            data=data,
            state=state,
        )
    if division is ModelSplit.COMBINED:
        return degrees_of(SplitDegrees(), cards)
    if cards == 1 or division is ModelSplit.NONE:
        return mem.Degrees()
    if division in TENSORS:
        return mem.Degrees(tensor=cards, sequence=division is ModelSplit.TENSOR_SEQUENCE)
    if division is ModelSplit.PIPELINE:
        return mem.Degrees(pipeline=cards)
    return mem.Degrees(data=cards, state=_STATES.get(division, mem.DataState.REPLICAS))


def legal_cards(shape: mem.ModelShape, division: Division, most: int) -> tuple[int, ...]:
    """Return the numbers of cards, up to `most`, that heads, layers and experts allow, whatever the recipe."""
    if division in TENSORS:
        return tuple(one for one in mem.legal_tensor_degrees(shape.heads, shape.kv_heads) if one <= most)
    if division is ModelSplit.PIPELINE:
        return tuple(range(1, min(most, shape.layers) + 1))
    if isinstance(division, SplitDegrees):
        # The data degree alone is free: with experts, that of data and context must be a multiple of theirs.
        step = division.without_data * (division.expert // gcd(division.expert, division.context))
        first = degrees_of(division, step)
        is_legal = first is not None and not mem.illegal_degree(shape, first)
        return tuple(range(step, most + 1, step)) if is_legal else ()
    return tuple(range(1, most + 1))


def _absent(code: str, cards: int) -> Absent:
    return Absent(code, (), (("cards", cards),))


def _why_not(shape: mem.ModelShape, recipe: mem.Training, degrees: mem.Degrees, is_combined: bool) -> str:
    """Return the code of what stands against a form; empty where there is one."""
    is_cut = degrees.tensor > 1 or degrees.pipeline > 1 or degrees.context > 1 or degrees.expert > 1
    unheld = _offload_without_form(recipe, degrees) or _backward_step_without_form(recipe, degrees)
    unheld = unheld or _products_without_form(shape, recipe, degrees, is_cut)
    if unheld:
        return unheld
    is_whole_state = not degrees.state.is_full
    if not is_cut and is_whole_state and degrees.state is not mem.DataState.GRADIENT_SHARDS:
        return ""
    if shape.objective is not mem.Objective.CAUSAL or recipe.frozen_weights_bytes is not None:
        return "split_without_form"  # no divided form holds a packed base, nor another objective
    trains_tables = recipe.adapter is not None and recipe.adapter.trains_tables
    if recipe.average is not mem.Average.NONE or trains_tables:
        return "split_without_form"
    if not is_whole_state and recipe.master is not mem.MasterWeights.NONE:
        return "split_without_form"  # the shards are the fp32 copies: autocast says so
    if not _has_even_layers(shape):
        return "split_without_form"
    illegal = mem.illegal_degree(shape, degrees)
    if illegal:
        return illegal if is_combined else "split_not_legal"
    if is_cut and not _divides(shape, recipe, degrees):
        return "split_without_form"
    return ""


def _offload_without_form(recipe: mem.Training, degrees: mem.Degrees) -> str:
    """Parameters leave the card as shards alone; activations only where layers store their inputs."""
    if recipe.offloads_parameters and not degrees.state.is_full:
        return "offload_without_form"
    if recipe.offloads_activations and (not recipe.checkpointing or degrees.pipeline > 1):
        return "offload_without_form"
    return ""


def _backward_step_without_form(recipe: mem.Training, degrees: mem.Degrees) -> str:
    """A gradient that is used as it is made cannot be accumulated, exchanged or copied first."""
    is_alone = degrees.cards == 1 and recipe.micro_batches == 1 and recipe.master is mem.MasterWeights.NONE
    return "" if is_alone or not recipe.steps_in_backward else "backward_step_without_form"


def _products_without_form(
    shape: mem.ModelShape, recipe: mem.Training, degrees: mem.Degrees, is_cut: bool
) -> str:
    """Products are kept of recomputed layers that full shards alone divide; none leaves for the node's memory."""
    is_divided = degrees.state.is_full and not is_cut
    is_recomputed = recipe.checkpointing and not recipe.offloads_activations
    is_held = is_divided and is_recomputed and mem.has_products(shape, recipe)
    return "" if is_held or not recipe.keeps_products else "products_without_form"


def _divides(shape: mem.ModelShape, recipe: mem.Training, degrees: mem.Degrees) -> bool:
    """Whether tensor, pipeline, context and expert forms hold the model.

    Tensor ranks and stages: gated, all of it trained, no autocast but FSDP's. Divided heads and sequences: fused.

    ZeRO-2 does not go with a pipeline (DeepSpeed refuses it): gradients would be reduced for each micro-batch.
    """
    if degrees.pipeline > 1 and degrees.state is mem.DataState.GRADIENT_SHARDS and degrees.state_ranks > 1:
        return False
    needs_fused = degrees.tensor > 1 or degrees.context > 1
    if needs_fused and not mem.is_fused(shape, recipe):
        return False
    if degrees.tensor == degrees.pipeline == 1:
        return True
    is_cast = recipe.autocast and not degrees.state.is_full
    return shape.has_rms_norm and recipe.adapter is None and not is_cast


def _has_even_layers(shape: mem.ModelShape) -> bool:
    """Whether all layers are as large as the top one, but for a few dense ones below layers of experts."""
    return shape.experts is None or 10 * shape.experts.dense_layers <= shape.layers


def _basis(shape: mem.ModelShape, recipe: mem.Training, degrees: mem.Degrees) -> mem.Basis:
    """Points were made of one degree at a time, of tensor x full shard, and of FSDP's own offload of parameters."""
    if recipe.offloads_optimizer or recipe.offloads_activations:
        return mem.Basis.FORMULA
    if degrees.context > 1 or degrees.expert > 1 or degrees.virtual > 1:
        return mem.Basis.FORMULA
    ranks, state = degrees.data, degrees.state
    if degrees.tensor == degrees.pipeline == 1:
        if ranks == 1 or state is mem.DataState.REPLICAS:
            return mem.training_basis(shape, recipe)
        if state is mem.DataState.OPTIMIZER_SHARDS:
            return mem.sharded_basis(shape, recipe)
        return _on_cards(_full_shard_basis(shape, recipe)) if state.is_full else mem.Basis.FORMULA
    if recipe.master is not mem.MasterWeights.NONE:
        return mem.Basis.FORMULA
    is_flat = degrees.tensor > 1 and degrees.pipeline == 1
    if is_flat and (recipe.micro_batches > 1 or (ranks > 1 and state is not mem.DataState.FULL_SHARD)):
        return mem.Basis.FORMULA
    if degrees.pipeline > 1 and degrees.cards > degrees.pipeline:
        return mem.Basis.FORMULA
    mixed = replace(recipe, parameters=mem.Precision.BF16, autocast=False) if recipe.autocast else recipe
    basis = _divided_basis(shape, mixed)
    return _on_cards(basis) if ranks > 1 else basis


def _on_cards(basis: mem.Basis) -> mem.Basis:
    """Full shards are exact on the points, but what real cards reserved lies up to 1.24 times above (torchtitan).

    Streams that overlap hold a layer more than fake devices show, and shards of changing sizes leave gaps.
    """
    return mem.Basis.PUBLISHED_READINGS if basis is mem.Basis.REFERENCE_POINTS else basis


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
    is_plain = recipe.loss is mem.LossKernel.UPCAST and mem.is_fused(shape, recipe)
    return basis if is_plain else mem.Basis.FORMULA
