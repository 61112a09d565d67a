"""Peak of a training step with fully sharded parameters (FSDP2, ZeRO-3), alone or over tensor-parallel ranks.

Between steps a card keeps its share of parameters and optimizer; while a layer is computed its whole unit is
gathered, and the root (embeddings, head, last norm) stays gathered through the backward. Source: fitted to FSDP2
of torch 2.13 on fake devices. Not counted: overlap of streams on a real card, which can hold one more layer.
"""

from __future__ import annotations

from dataclasses import dataclass

from estimator.memory.ledger import Held, MemoryLedger, Moment, MomentKind, StateClass, moment
from estimator.memory.losses import loss_backward_spike, loss_forward_spike
from estimator.memory.partition import FullShard
from estimator.memory.recipe import Optimizer, Training
from estimator.memory.saved import (
    adapter_parameters,
    final_norm_saved,
    layer_saved,
    layers_saved,
    once_saved,
    products_kept,
)
from estimator.memory.shape import ModelShape, largest_matrix, layer_parameters, root_parameters
from estimator.memory.training import input_bytes, mlp_temporaries, optimizer_bytes

WEIGHTS, GRADIENTS, ACTIVATIONS = StateClass.WEIGHTS, StateClass.GRADIENTS, StateClass.ACTIVATIONS
TEMPORARIES, EXCHANGE, OPTIMIZER = StateClass.TEMPORARIES, StateClass.EXCHANGE, StateClass.OPTIMIZER


@dataclass(frozen=True, slots=True)
class Unit:
    """What a step holds on one card apart from the sharded state: elements of the units, bytes of the rest.

    `layer`: elements of a layer as gathered on this card; `apart`: further elements of it, the experts that other
    cards gather, which are sharded over the same ranks all the same. `trained_layer`, `trained_root`: elements of a
    unit that have gradients; adapters' alone where the base is frozen. `table`: elements of the whole embedding
    matrix, whose gradient tensor parallelism does not divide until it is reduced; `table_shards`: by how much it
    then is. `stored`: what a checkpointed layer keeps; `taken_up`: of it, what recomputing takes as its own.
    """

    layers: int
    layer: int
    root: int
    trained_layer: int
    trained_root: int
    table: int
    table_shards: int
    is_tied: bool
    checkpointing: bool
    inputs: int
    saved: int
    final_norm: int
    layer_saved: int
    stored: int
    stream: int
    mlp: int
    head_gradient: int
    newest_gradient: int
    loss_forward: int
    loss_backward: int
    apart: int = 0
    taken_up: int = 0

    @property
    def elements(self) -> int:
        """Elements of all units."""
        return self.layers * (self.layer + self.apart) + self.root

    @property
    def trained(self) -> int:
        """Elements that have gradients and optimizer state."""
        return self.layers * self.trained_whole_layer + self.trained_root

    @property
    def trained_whole_layer(self) -> int:
        """Elements with gradients of a layer, over all cards that share its experts."""
        return self.trained_layer + (self.apart if self.trained_root else 0)


def sharded_ledger(shape: ModelShape, recipe: Training, shard: FullShard) -> MemoryLedger:
    """Return what one card holds at each moment. `recipe.parameters` is the type of computation."""
    return unit_ledger(sharded_unit(shape, recipe), recipe, shard)


def sharded_unit(shape: ModelShape, recipe: Training) -> Unit:
    """Return the terms of a model that tensor parallelism does not divide."""
    tokens, compute = recipe.tokens, recipe.compute
    stored = recipe.residual * shape.hidden * tokens
    kept = products_kept(shape, recipe) if recipe.checkpointing and recipe.keeps_products else 0
    per_token = recipe.stored_layers(shape.layers) * (recipe.residual * shape.hidden + kept)
    if not recipe.checkpointing:
        per_token = layers_saved(shape, recipe)
    adapter = recipe.adapter
    added = 0 if adapter is None else adapter_parameters(shape, adapter)
    newest = largest_matrix(shape) if adapter is None else added // len(set(adapter.targets))
    return Unit(
        layers=shape.layers,
        layer=layer_parameters(shape) + added,
        root=root_parameters(shape),
        trained_layer=layer_parameters(shape) if adapter is None else added,
        trained_root=root_parameters(shape) if adapter is None else 0,
        table=shape.vocab * shape.hidden,
        table_shards=1,
        is_tied=shape.is_tied,
        checkpointing=recipe.checkpointing,
        inputs=input_bytes(shape, recipe),
        saved=(per_token + once_saved(shape, recipe)) * tokens,
        final_norm=final_norm_saved(shape, recipe) * tokens,
        layer_saved=layer_saved(shape, recipe) * tokens,
        stored=stored + kept * tokens if recipe.checkpointing else layer_saved(shape, recipe) * tokens,
        taken_up=(kept - compute * shape.hidden) * tokens if kept else 0,  # nothing reads the last product
        stream=stored,
        mlp=mlp_temporaries(shape, recipe) * tokens,
        head_gradient=compute * shape.head_weights if adapter is None else 0,
        newest_gradient=compute * newest,
        loss_forward=loss_forward_spike(shape, recipe),
        loss_backward=loss_backward_spike(shape, recipe),
    )


def unit_ledger(unit: Unit, recipe: Training, shard: FullShard) -> MemoryLedger:
    """Return the moments of a step over the terms of `unit`."""
    held = resident(unit, recipe, shard)
    moments = [
        at_loss(MomentKind.LOSS_FORWARD, unit, shard, held, unit.loss_forward),
        at_loss(MomentKind.LOSS_BACKWARD, unit, shard, held, unit.loss_backward),
        second_layer_from_top(unit, shard, held),
        second_layer_from_bottom(unit, shard, held),
        optimizer_step(unit, recipe, shard, held),
    ]
    if unit.trained_root:  # a frozen root has no gradients
        moments[-1:-1] = [embedding_backward(unit, shard, held), root_reduction(unit, shard, held)]
    return MemoryLedger(tuple(moments))


def resident(unit: Unit, recipe: Training, shard: FullShard) -> Held:
    """This card's share of parameters and optimizer, nothing where they are offloaded; earlier gradients."""
    held: Held = {StateClass.INPUTS: unit.inputs}
    trained = -(-unit.trained // shard.ranks)
    if not shard.offloads:
        held[WEIGHTS] = shard.master_size * -(-unit.elements // shard.ranks)
        held[OPTIMIZER] = optimizer_bytes(recipe.optimizer, trained, shard.master_size)
    if recipe.micro_batches > 1:
        if not shard.synchronises:
            held[GRADIENTS] = shard.reduce_size * unit.trained
        elif not shard.offloads:
            held[GRADIENTS] = shard.master_size * trained
    return held


def _gathered(unit: Unit, shard: FullShard, layers: int) -> int:
    """Bytes of the gathered root and `layers` gathered layers."""
    return shard.compute_size * (unit.root + layers * unit.layer)


def _reduced(unit: Unit, shard: FullShard, held: Held, layers: int) -> int:
    """Bytes of this card's share of the reduced gradients of `layers` layers; none beside accumulated ones."""
    if shard.offloads or held.get(GRADIENTS):
        return 0
    return shard.master_size * layers * unit.trained_whole_layer // shard.ranks


def _reducing(unit: Unit, shard: FullShard) -> int:
    """Bytes of one layer's gradients going into a reduce-scatter, and of the share that comes out."""
    return shard.reduce_size * (unit.trained_layer + unit.trained_whole_layer // shard.ranks)


def at_loss(kind: MomentKind, unit: Unit, shard: FullShard, held: Held, spike: int) -> Moment:
    """Everything saved, the root and one layer gathered (all layers where they are not resharded)."""
    layers = 1 if shard.reshards else unit.layers
    gathered = _gathered(unit, shard, layers)
    if shard.loss_outside and shard.reshards:
        gathered = 0
    return moment(
        kind, held, {EXCHANGE: gathered, ACTIVATIONS: unit.saved + unit.final_norm, TEMPORARIES: spike}
    )


def second_layer_from_top(unit: Unit, shard: FullShard, held: Held) -> Moment:
    """The top layer's gradients are reduced while the next is computed."""
    layers = 2 if shard.reshards else unit.layers - 1
    recomputed = unit.layer_saved if unit.checkpointing else 0
    kept = {
        EXCHANGE: _gathered(unit, shard, layers) + _reducing(unit, shard),
        GRADIENTS: unit.head_gradient + unit.newest_gradient,
        ACTIVATIONS: unit.saved - unit.stored - unit.taken_up + recomputed,
        TEMPORARIES: unit.stream + unit.mlp,
    }
    return moment(MomentKind.SECOND_LAYER_FROM_TOP, held, kept)


def second_layer_from_bottom(unit: Unit, shard: FullShard, held: Held) -> Moment:
    """Reduced gradients of all layers above, two layers gathered, one being reduced."""
    kept = {
        EXCHANGE: _gathered(unit, shard, 2) + _reducing(unit, shard),
        GRADIENTS: unit.head_gradient + _reduced(unit, shard, held, unit.layers - 2),
        ACTIVATIONS: unit.layer_saved,
        TEMPORARIES: unit.stream + unit.mlp,
    }
    return moment(MomentKind.SECOND_LAYER_FROM_BOTTOM, held, kept)


def embedding_backward(unit: Unit, shard: FullShard, held: Held) -> Moment:
    """The embedding's gradient beside the head's; tied, both and their sum are there."""
    table = shard.compute_size * unit.table
    if unit.is_tied:
        gradients = 3 * table + _reduced(unit, shard, held, unit.layers - 1)
        exchange = _gathered(unit, shard, 0) + _reducing(unit, shard)
    else:
        gradients = unit.head_gradient + table + _reduced(unit, shard, held, unit.layers)
        gradients += table // unit.table_shards if unit.table_shards > 1 else 0
        exchange = _gathered(unit, shard, 0) + shard.reduce_size * unit.trained_layer
    kept = {EXCHANGE: exchange, GRADIENTS: gradients, TEMPORARIES: unit.stream}
    if not unit.is_tied and unit.table_shards > 1:  # the stream's gradient is gone when the table is divided
        kept[TEMPORARIES] = 0
    return moment(MomentKind.EMBEDDING_BACKWARD, held, kept)


def root_reduction(unit: Unit, shard: FullShard, held: Held) -> Moment:
    """The gathered root and its whole gradients in the type of reduction."""
    exchange = shard.compute_size * unit.root + shard.reduce_size * unit.trained_root
    reduced = _reduced(unit, shard, held, unit.layers)
    return moment(MomentKind.ROOT_REDUCTION, held, {EXCHANGE: exchange, GRADIENTS: reduced})


def optimizer_step(unit: Unit, recipe: Training, shard: FullShard, held: Held) -> Moment:
    """This card's share of all gradients, and foreach AdamW's buffer of that size."""
    if shard.offloads:
        return moment(MomentKind.OPTIMIZER_STEP, held)
    share = shard.master_size * -(-unit.trained // shard.ranks)
    is_new = recipe.micro_batches == 1 or not shard.synchronises
    buffers = share if recipe.is_foreach and recipe.optimizer is Optimizer.ADAMW else 0
    kept = {GRADIENTS: share if is_new else 0, TEMPORARIES: buffers}
    return moment(MomentKind.OPTIMIZER_STEP, held, kept)
