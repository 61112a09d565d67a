"""Peak of a training step under tensor parallelism, alone or under fully sharded data parallelism (2-D).

For gated decoders with a fused attention kernel (held against points for Llama with untied embeddings), as DTensor's
`parallelize_module` runs them in torch 2.13: the inputs of the column-wise matrices are gathered and saved whole.
Megatron gathers them again in the backward and divides them: not this form. What is divided: `divided`.
"""

from __future__ import annotations

from estimator.memory import divided
from estimator.memory.ledger import Held, MemoryLedger, Moment, MomentKind, StateClass, moment
from estimator.memory.partition import FullShard, Tensor
from estimator.memory.recipe import Optimizer, Training
from estimator.memory.saved import mlp_saved
from estimator.memory.shape import ModelShape
from estimator.memory.sharded import Unit, unit_ledger
from estimator.memory.training import input_bytes, optimizer_bytes

WEIGHTS, GRADIENTS, ACTIVATIONS = StateClass.WEIGHTS, StateClass.GRADIENTS, StateClass.ACTIVATIONS
TEMPORARIES, OPTIMIZER = StateClass.TEMPORARIES, StateClass.OPTIMIZER


def tensor_ledger(shape: ModelShape, recipe: Training, tensor: Tensor) -> MemoryLedger:
    """Return what one card of a tensor-parallel group holds at each moment."""
    unit = tensor_unit(shape, recipe, tensor)
    held = _resident(unit, recipe)
    return MemoryLedger(
        (
            _at_loss(MomentKind.LOSS_FORWARD, unit, held, unit.loss_forward),
            _at_loss(MomentKind.LOSS_BACKWARD, unit, held, unit.loss_backward),
            _head_backward(shape, recipe, tensor, unit, held),
            _top_layer(unit, held),
            _bottom_layer(shape, recipe, tensor, unit, held),
            _embedding_backward(recipe, unit, held),
            _optimizer_step(recipe, unit, held),
        )
    )


def tensor_sharded_ledger(
    shape: ModelShape, recipe: Training, tensor: Tensor, shard: FullShard
) -> MemoryLedger:
    """Return what one card holds where fully sharded replicas stand over tensor-parallel groups (2-D)."""
    return unit_ledger(tensor_unit(shape, recipe, tensor), recipe, shard)


def tensor_unit(shape: ModelShape, recipe: Training, tensor: Tensor) -> Unit:
    """Return one card's terms: matrices divided, norms whole."""
    ranks, tokens, compute, hidden = tensor.ranks, recipe.tokens, recipe.compute, shape.hidden
    norm_ranks = ranks if tensor.sequence else 1
    saved = divided.layer_saved(shape, recipe, tensor) * tokens
    stored = compute * hidden * tokens // norm_ranks if recipe.checkpointing else saved
    tables = (1 if shape.is_tied else 2) * divided.table_elements(shape, tensor)
    layer, root = divided.layer_elements(shape, tensor), tables + hidden
    masks = 0
    if shape.sliding is not None and not recipe.checkpointing:  # as in one piece: each keeps its own mask
        masks = shape.sliding.count * 2 * recipe.length * tokens
    return Unit(
        layers=shape.layers,
        layer=layer,
        root=root,
        trained_layer=layer,
        trained_root=root,
        table=shape.vocab * hidden,
        table_shards=ranks,
        is_tied=shape.is_tied,
        checkpointing=recipe.checkpointing,
        inputs=input_bytes(shape, recipe),
        saved=recipe.stored_layers(shape.layers) * stored + masks,
        final_norm=divided.final_norm_saved(shape, recipe, tensor) * tokens,
        layer_saved=saved,
        stored=stored,
        # In sequence parallel the gathered gradient stands beside the sum of the ranks' parts.
        stream=(2 if tensor.sequence else 1) * compute * hidden * tokens,
        mlp=divided.working(shape, recipe, tensor),
        head_gradient=compute * shape.vocab * hidden // ranks,
        newest_gradient=compute * divided.newest_elements(shape, tensor),
        loss_forward=divided.loss_forward(shape, recipe, tensor),
        loss_backward=divided.loss_backward(shape, recipe, tensor),
    )


def _resident(unit: Unit, recipe: Training) -> Held:
    return {
        WEIGHTS: recipe.element * unit.elements,
        OPTIMIZER: optimizer_bytes(recipe.optimizer, unit.elements, recipe.element),
        StateClass.INPUTS: unit.inputs,
    }


def _at_loss(kind: MomentKind, unit: Unit, held: Held, spike: int) -> Moment:
    return moment(kind, held, {ACTIVATIONS: unit.saved + unit.final_norm, TEMPORARIES: spike})


def _head_backward(shape: ModelShape, recipe: Training, tensor: Tensor, unit: Unit, held: Held) -> Moment:
    temporaries = divided.scores_gradient(shape, recipe, tensor)
    temporaries += recipe.compute * shape.hidden * recipe.tokens
    kept = {
        ACTIVATIONS: unit.saved + unit.final_norm,
        TEMPORARIES: temporaries,
        GRADIENTS: unit.head_gradient,
    }
    return moment(MomentKind.HEAD_BACKWARD, held, kept)


def _top_layer(unit: Unit, held: Held) -> Moment:
    recomputed = unit.layer_saved if unit.checkpointing else 0
    kept = {
        ACTIVATIONS: unit.saved + recomputed,
        TEMPORARIES: unit.stream + unit.mlp,
        GRADIENTS: unit.head_gradient + unit.newest_gradient,
    }
    return moment(MomentKind.TOP_LAYER, held, kept)


def _bottom_layer(shape: ModelShape, recipe: Training, tensor: Tensor, unit: Unit, held: Held) -> Moment:
    """At many ranks without sequence parallelism the norms' backward is the larger part."""
    tokens, compute, hidden = recipe.tokens, recipe.compute, shape.hidden
    norm_ranks = tensor.ranks if tensor.sequence else 1
    norms = (16 * hidden // norm_ranks + compute * hidden) * tokens
    norms -= mlp_saved(shape, recipe, 0) * tokens // tensor.ranks
    through_mlp = unit.stream + unit.mlp + unit.newest_gradient
    gradients = unit.head_gradient + recipe.element * unit.layer * (unit.layers - 1)
    newest = unit.newest_gradient if through_mlp >= norms else 0
    stored = unit.stored if unit.checkpointing else 0
    kept = {
        ACTIVATIONS: unit.layer_saved + stored,
        TEMPORARIES: max(through_mlp, norms) - newest,
        GRADIENTS: gradients + newest,
    }
    return moment(MomentKind.BOTTOM_LAYER, held, kept)


def _embedding_backward(recipe: Training, unit: Unit, held: Held) -> Moment:
    """The embedding's gradient is whole on every rank until the optimizer divides it."""
    size = recipe.element
    others = size * (unit.elements - unit.table // unit.table_shards)
    summed = 2 * size * (unit.table // unit.table_shards) if unit.is_tied else 0  # the head's, and their sum
    kept = {GRADIENTS: others + recipe.compute * unit.table + summed, TEMPORARIES: unit.stream}
    return moment(MomentKind.EMBEDDING_BACKWARD, held, kept)


def _optimizer_step(recipe: Training, unit: Unit, held: Held) -> Moment:
    gradients = recipe.element * unit.elements
    buffers = recipe.compute * unit.table
    if recipe.is_foreach and recipe.optimizer is Optimizer.ADAMW:
        buffers += gradients - recipe.compute * unit.table // unit.table_shards
    return moment(MomentKind.OPTIMIZER_STEP, held, {GRADIENTS: gradients, TEMPORARIES: buffers})
