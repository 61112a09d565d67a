"""Peak of a training step divided by several degrees at once: tensor x pipeline x context x data, experts among them.

The forms of one degree are kept: context shortens the recipe's sequence, experts leave the shape, tensor ranks
divide the terms of a layer, and the data ranks' way of holding state is laid over the moments. With all other
degrees 1 the form of the one that is left is returned unchanged. Formulas alone, except tensor x full shard.
Sources: Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters", 2021 (3-D); Korthikanti
et al., 2022; Megatron-Core's documentation of its distributed optimizer and parallel states; DeepSpeed's ZeRO-2
(buckets of 5e8 elements; not with a pipeline); Liu et al., "Ring Attention", 2023; Jacobs et al., "DeepSpeed
Ulysses", 2023; torch.distributed.pipelining, which keeps FSDP's layers gathered and reduces once a step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from estimator.memory import divided
from estimator.memory.degrees import ContextMethod, DataState, Degrees, local_recipe, on_card
from estimator.memory.ledger import Held, MemoryLedger, Moment, MomentKind, StateClass, moment
from estimator.memory.partition import FullShard, Pipeline, PipelineSchedule, Replicas, Tensor
from estimator.memory.pipeline import Stage, stage_ledger
from estimator.memory.recipe import MasterWeights, Optimizer, Precision, Training
from estimator.memory.saved import adapter_parameters
from estimator.memory.shape import ModelShape, largest_matrix, layers_parameters
from estimator.memory.sharded import Unit, sharded_unit, unit_ledger
from estimator.memory.tensor import tensor_ledger, tensor_unit
from estimator.memory.training import optimizer_bytes, training_ledger

GRADIENTS, OPTIMIZER = StateClass.GRADIENTS, StateClass.OPTIMIZER
WEIGHTS, EXCHANGE, TEMPORARIES = StateClass.WEIGHTS, StateClass.EXCHANGE, StateClass.TEMPORARIES

BUCKET_ELEMENTS = 500_000_000
"""Elements that DeepSpeed reduces, and gathers, at once (`reduce_bucket_size`, `allgather_bucket_size`)."""

LAYER_MOMENTS = frozenset(
    {
        MomentKind.TOP_LAYER,
        MomentKind.TOP_LAYER_ATTENTION,
        MomentKind.SECOND_LAYER_FROM_TOP,
        MomentKind.SECOND_LAYER_FROM_BOTTOM,
        MomentKind.BOTTOM_LAYER,
        MomentKind.BOTTOM_LAYER_ATTENTION,
        MomentKind.PIPELINE_STEADY,
        MomentKind.PIPELINE_FIRST_BACKWARD,
    }
)
"""Moments at which a layer is computed, so that its messages to other cards are there."""


@dataclass(frozen=True, slots=True)
class Trained:
    """What one card trains: elements, those of its share of shards, bytes of a gradient, and the largest one's."""

    elements: int
    share: int
    size: int
    newest: int


def combined_ledger(
    shape: ModelShape,
    recipe: Training,
    degrees: Degrees,
    loss_parallel: bool = False,
    optimizer_shard: int | None = None,
) -> MemoryLedger:
    """Return what one card holds at each moment; in a pipeline, a card of the stage that needs most.

    `optimizer_shard`: trained elements whose state the fullest card keeps, None: an even share. The degrees must be
    legal (`illegal_degree`).
    """
    part, local = on_card(shape, degrees), local_recipe(recipe, degrees)
    tensor = degrees.tensor_of(loss_parallel)
    if degrees.pipeline > 1:
        found = _pipeline(shape, part, local, degrees, tensor)
    elif degrees.state.is_full:
        found = _full_shard(shape, part, local, degrees, tensor)
    elif tensor is not None:
        found = _tensor(shape, part, local, degrees, tensor)
    else:
        found = _whole(shape, part, local, degrees, optimizer_shard)
    messages = layer_messages(part, local, degrees)
    if not messages:
        return found
    return MemoryLedger(
        tuple(
            _changed(one, {EXCHANGE: one.of(EXCHANGE) + messages}) if one.kind in LAYER_MOMENTS else one
            for one in found.moments
        )
    )


def layer_messages(shape: ModelShape, recipe: Training, degrees: Degrees) -> int:
    """Bytes of what a layer sends and receives while it is computed backward: keys and values, tokens of experts."""
    size = 0
    if degrees.context > 1:
        size += context_messages(shape, recipe, degrees)
    if degrees.expert > 1 and shape.experts is not None:  # to the experts, and what they give back
        size += 2 * recipe.compute * shape.experts.per_token * shape.hidden * recipe.tokens
    return size


def context_messages(shape: ModelShape, recipe: Training, degrees: Degrees) -> int:
    """Bytes of context parallelism's messages in the backward of a layer; `recipe` has this card's part of a sequence.

    Ring: two buffers of keys, values and their gradients, one in use and one arriving. Gathered: keys, values and
    their gradients of the whole sequence. All to all: queries, keys, values and outputs before and after.
    """
    latent, tensor = shape.latent, degrees.tensor
    if latent is None:
        queries, keys = shape.query_width // tensor, shape.kv_width // min(tensor, shape.kv_heads)
        pair = 2 * keys
    else:
        queries = shape.heads * (latent.nope + latent.rope) // tensor
        pair = shape.heads * (latent.nope + latent.rope + latent.value) // tensor
    one = recipe.compute * recipe.tokens
    if degrees.context_method is ContextMethod.RING:
        return 2 * 2 * pair * one
    if degrees.context_method is ContextMethod.GATHERED:
        return 2 * pair * one * degrees.context
    if latent is None:  # keys and values are repeated so that each rank has a head
        pair = max(pair, 2 * degrees.context * shape.head_dim)
    return 2 * (2 * queries + pair) * one


def _whole(
    shape: ModelShape, part: ModelShape, recipe: Training, degrees: Degrees, optimizer_shard: int | None
) -> MemoryLedger:
    """Neither tensors nor layers are divided: the form of one card, with copies or shards of state."""
    ranks, state = degrees.state_ranks, degrees.state
    if ranks == 1:
        return training_ledger(part, recipe)
    trained = _trained_whole(shape, part, recipe, ranks)
    if optimizer_shard is not None:
        trained = replace(trained, share=optimizer_shard)
    if state is DataState.REPLICAS:
        return training_ledger(part, recipe, Replicas(ranks))
    if state is DataState.OPTIMIZER_SHARDS:
        return training_ledger(part, recipe, Replicas(ranks, optimizer_shard=trained.share))
    whole = training_ledger(
        part, replace(_plain(recipe), micro_batches=1)
    )  # `laid_over` keeps earlier shards
    return laid_over(whole, trained, recipe, degrees)


def _trained_whole(shape: ModelShape, part: ModelShape, recipe: Training, ranks: int) -> Trained:
    adapter = recipe.adapter
    if adapter is not None:
        added = shape.layers * adapter_parameters(shape, adapter)
        size = adapter.precision.size
        return Trained(added, -(-added // ranks), size, size * adapter_parameters(shape, adapter))
    newest = max(part.vocab * part.hidden, largest_matrix(part))
    return Trained(part.parameters, -(-shape.parameters // ranks), recipe.element, recipe.element * newest)


def _tensor(
    shape: ModelShape, part: ModelShape, recipe: Training, degrees: Degrees, tensor: Tensor
) -> MemoryLedger:
    """Tensor ranks under copies or shards of state."""
    if degrees.state_ranks == 1 and recipe.master is MasterWeights.NONE and recipe.micro_batches == 1:
        return tensor_ledger(part, recipe, tensor)
    unit = tensor_unit(part, recipe, tensor)
    apart = unit.layers * _apart(shape, part, tensor, degrees)
    trained = Trained(
        unit.elements,
        -(-(unit.elements + apart) // degrees.state_ranks),
        recipe.element,
        max(recipe.compute * unit.table, unit.newest_gradient),
    )
    return laid_over(tensor_ledger(part, _plain(recipe), tensor), trained, recipe, degrees)


def _apart(shape: ModelShape, part: ModelShape, tensor: Tensor | None, degrees: Degrees) -> int:
    """Elements of a layer whose experts are on the other cards that see the same parameters' shards."""
    if degrees.expert == 1:
        return 0
    if tensor is None:
        layers = shape.layers
        return -(-(layers_parameters(shape) - layers_parameters(part)) // layers)
    return divided.layer_elements(shape, tensor) - divided.layer_elements(part, tensor)


def _full_shard(
    shape: ModelShape, part: ModelShape, recipe: Training, degrees: Degrees, tensor: Tensor | None
) -> MemoryLedger:
    mixed, shard = full_shard(recipe, degrees.state_ranks, degrees.state is DataState.FULL_SHARD)
    unit: Unit = sharded_unit(part, mixed) if tensor is None else tensor_unit(part, mixed, tensor)
    apart = _apart(shape, part, tensor, degrees)
    return unit_ledger(replace(unit, apart=apart) if apart else unit, mixed, shard)


def full_shard(recipe: Training, ranks: int, reshards: bool) -> tuple[Training, FullShard]:
    """FSDP2. Autocast is its mixed precision: fp32 shards, 16-bit computation, fp32 reduction."""
    master = recipe.element
    if recipe.autocast:
        recipe = replace(recipe, parameters=Precision.BF16, autocast=False)
    shard = FullShard(
        ranks,
        master_size=master,
        compute_size=recipe.compute,
        reduce_size=max(master, recipe.compute),
        reshards=reshards,
        offloads=recipe.offloads_parameters,
    )
    return recipe, shard


def _pipeline(
    shape: ModelShape, part: ModelShape, recipe: Training, degrees: Degrees, tensor: Tensor | None
) -> MemoryLedger:
    """The worst stage of 1F1B.

    A later middle stage has at most as many layers and micro-batches in flight as the second: it is never worst.
    """
    mixed, shard = full_shard(recipe, degrees.state_ranks, reshards=False)
    ledgers = []
    for at in sorted({0, 1, degrees.pipeline - 1}):
        place = Pipeline(
            degrees.pipeline,
            at,
            recipe.micro_batches,
            PipelineSchedule.ONE_FORWARD_ONE_BACKWARD,
            keeps_outputs=recipe.keeps_outputs,
            virtual=degrees.virtual,
        )
        stage = Stage(part, mixed if degrees.state.is_full else recipe, place, tensor)
        apart = stage.layers * _apart(shape, part, tensor, degrees)
        trained = Trained(
            stage.elements,
            -(-(stage.elements + apart) // degrees.state_ranks),
            stage.recipe.element,
            max(stage.recipe.element * stage.table, stage.newest_gradient),
        )
        if degrees.state.is_full:
            ledger = _gathered_stage(stage, trained, shard)
        elif degrees.state_ranks == 1 and recipe.master is MasterWeights.NONE:
            ledger = stage_ledger(stage)
        else:
            plain = replace(stage, recipe=_plain(recipe))
            ledger = laid_over(stage_ledger(plain), trained, recipe, degrees)
        ledgers.append(ledger)
    return max(ledgers, key=lambda ledger: ledger.peak_bytes)


def _gathered_stage(stage: Stage, trained: Trained, shard: FullShard) -> MemoryLedger:
    """A stage of sharded parameters: all of it gathered for the step, its gradients whole until the last backward."""
    recipe = stage.recipe
    state = {
        WEIGHTS: 0 if shard.offloads else shard.master_size * trained.share,
        OPTIMIZER: 0
        if shard.offloads
        else optimizer_bytes(recipe.optimizer, trained.share, shard.master_size),
    }
    share = 0 if shard.offloads else shard.master_size * trained.share

    def sharded(one: Moment) -> Moment:
        if one.kind is MomentKind.OPTIMIZER_STEP:
            buffers = share if recipe.is_foreach and recipe.optimizer is Optimizer.ADAMW else 0
            return _changed(one, {**state, GRADIENTS: share, TEMPORARIES: buffers})
        gradients = one.of(GRADIENTS) * shard.reduce_size // trained.size + share
        gathered = one.of(EXCHANGE) + shard.compute_size * trained.elements
        return _changed(one, {**state, GRADIENTS: gradients, EXCHANGE: gathered})

    return MemoryLedger(tuple(sharded(one) for one in stage_ledger(stage).moments))


def _plain(recipe: Training) -> Training:
    """The recipe without what `laid_over` adds."""
    return replace(recipe, master=MasterWeights.NONE, is_foreach=False)


def laid_over(ledger: MemoryLedger, trained: Trained, recipe: Training, degrees: Degrees) -> MemoryLedger:
    """Return a ledger of whole 16-bit or fp32 state with fp32 copies, buckets and shards as the recipe has them."""
    change: Callable[[Moment], Held] = (
        _sharded_gradients(trained, recipe, degrees)
        if degrees.state is DataState.GRADIENT_SHARDS
        else _whole_gradients(trained, recipe, degrees)
    )
    count = trained.elements if degrees.state is DataState.REPLICAS else trained.share
    has_master = recipe.master is not MasterWeights.NONE
    state = optimizer_bytes(recipe.optimizer, count, 4 if has_master else trained.size)
    state += 4 * count if has_master else 0

    def held(one: Moment) -> Moment:
        lines = {OPTIMIZER: state, **change(one)}
        if one.kind is MomentKind.OPTIMIZER_STEP:
            _at_step(lines, one, count, trained, recipe)
        return _changed(one, lines)

    return MemoryLedger(tuple(held(one) for one in ledger.moments))


def _at_step(lines: Held, one: Moment, count: int, trained: Trained, recipe: Training) -> None:
    """Gradients copied to fp32, and the buffer of a foreach AdamW."""
    size = trained.size
    if recipe.master is MasterWeights.COPIED:
        lines[GRADIENTS] += 4 * count
    elif recipe.master is MasterWeights.COPIED_FREEING:
        lines[GRADIENTS] = 4 * count + trained.newest
    if recipe.master is not MasterWeights.NONE:
        size = 4
    if recipe.is_foreach and recipe.optimizer is Optimizer.ADAMW:
        lines[TEMPORARIES] = one.of(TEMPORARIES) + size * count


def _whole_gradients(trained: Trained, recipe: Training, degrees: Degrees) -> Callable[[Moment], Held]:
    """Every gradient is on the card: by itself, in the buckets of an exchange, or accumulated in fp32."""
    whole = trained.size * trained.elements

    def change(one: Moment) -> Held:
        gradients, is_step = one.of(GRADIENTS), one.kind is MomentKind.OPTIMIZER_STEP
        newest = 0 if is_step else min(gradients, trained.newest)
        if recipe.master is MasterWeights.MAIN_GRADIENTS:  # the exchange is of these very gradients
            return {GRADIENTS: 4 * trained.elements + newest}
        if degrees.state_ranks > 1:
            return {GRADIENTS: newest, EXCHANGE: one.of(EXCHANGE) + whole}
        if recipe.micro_batches > 1 and degrees.pipeline == 1:
            return {GRADIENTS: whole + newest}
        return {GRADIENTS: gradients}

    return change


def _sharded_gradients(trained: Trained, recipe: Training, degrees: Degrees) -> Callable[[Moment], Held]:
    """Each gradient is reduced by the bucket and kept as a share: a bucket, the newest gradient, and the shares."""
    ranks = degrees.state_ranks
    bucket = trained.size * min(BUCKET_ELEMENTS, trained.elements)
    kept_size = 4 if recipe.master is MasterWeights.MAIN_GRADIENTS else trained.size
    keeps_all = recipe.micro_batches > 1 or recipe.master is MasterWeights.MAIN_GRADIENTS

    def change(one: Moment) -> Held:
        gradients, is_step = one.of(GRADIENTS), one.kind is MomentKind.OPTIMIZER_STEP
        share = kept_size * trained.share
        if not keeps_all and not is_step:
            share = -(-gradients // ranks)
        if recipe.offloads_optimizer:  # reduced shares go to the node's memory at once
            share = 0
        newest = 0 if is_step else min(gradients, trained.newest)
        return {GRADIENTS: share + newest, EXCHANGE: one.of(EXCHANGE) + bucket}

    return change


def _changed(one: Moment, lines: Held) -> Moment:
    return moment(one.kind, {**dict(one.lines), **lines})
