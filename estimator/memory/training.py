"""Peak of a training step on one card, and on a replica of several: every moment a named function.

Largest of eight moments, because gradients and activations are never all alive together. Source: closed forms
fitted to tensors followed in transformers 5.24 on torch 2.13 (two full steps, the second counted, gradients set
to None after a step). Divided parameters are in `sharded.py`, `tensor.py` and `pipeline.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from estimator.memory.ledger import Held, MemoryLedger, Moment, MomentKind, StateClass, moment
from estimator.memory.losses import head_gradient_temporaries, loss_backward_spike, loss_forward_spike
from estimator.memory.partition import Replicas
from estimator.memory.recipe import Average, LossKernel, MasterWeights, Optimizer, Training
from estimator.memory.saved import (
    Kernel,
    adapted_widths,
    adapter_parameters,
    final_norm_saved,
    kernel,
    layer_saved,
    layers_saved,
    mask_bytes,
    mlp_saved,
    once_saved,
    positions_bytes,
)
from estimator.memory.shape import (
    Family,
    ModelShape,
    Objective,
    is_dense_layer,
    largest_matrix,
    layer_parameters,
    layers_parameters,
    linear_weights,
    mlp_weights,
    output_weights,
)

WEIGHTS, GRADIENTS, ACTIVATIONS = StateClass.WEIGHTS, StateClass.GRADIENTS, StateClass.ACTIVATIONS
TEMPORARIES, EXCHANGE, OPTIMIZER = StateClass.TEMPORARIES, StateClass.EXCHANGE, StateClass.OPTIMIZER


def training_ledger(shape: ModelShape, recipe: Training, replicas: Replicas | None = None) -> MemoryLedger:
    """Return what one card holds at each moment of a step, in bytes, without context and fragmentation."""
    step = Step(shape, recipe, replicas)
    moments = [
        loss_forward(step),
        loss_backward(step),
        head_backward(step),
        norm_backward(step),
        top_layer(step),
        top_layer_attention(step),
        bottom_layer(step),
        bottom_layer_attention(step),
        embedding_backward(step),
        optimizer_step(step),
        average_update(step),
    ]
    return MemoryLedger(tuple(found for found in moments if found is not None))


@dataclass(frozen=True, slots=True)
class Step:
    """A model, a recipe and a partition, and the terms that several moments share."""

    shape: ModelShape
    recipe: Training
    replicas: Replicas | None

    @property
    def tokens(self) -> int:
        """Tokens of a micro-batch."""
        return self.recipe.tokens

    @property
    def trainable(self) -> int:
        """Elements that are trained: all, or those of the adapters."""
        adapter = self.recipe.adapter
        if adapter is None:
            return self.shape.parameters
        tables = (1 if self.shape.is_tied else 2) * self.shape.vocab * self.shape.hidden
        adapters = self.shape.layers * adapter_parameters(self.shape, adapter)
        return adapters + (tables if adapter.trains_tables else 0)

    @property
    def trains_head(self) -> bool:
        """Whether the head has a gradient: not where the base is frozen and adapters alone are trained."""
        return self.recipe.adapter is None or self.recipe.adapter.trains_tables

    @property
    def gradient_size(self) -> int:
        """Bytes of a gradient element: as its parameter."""
        adapter = self.recipe.adapter
        return self.recipe.element if adapter is None else adapter.precision.size

    @property
    def all_gradients(self) -> int:
        """Bytes of all gradients."""
        return self.gradient_size * self.trainable

    @property
    def keeps_main_gradients(self) -> bool:
        """Whether fp32 gradients are resident and 16-bit ones die at once."""
        return self.recipe.master is MasterWeights.MAIN_GRADIENTS

    @property
    def has_bucket_view(self) -> bool:
        """Whether gradients live in the exchange buckets."""
        held = self.replicas
        return held is not None and held.exchanges and held.gradients_in_buckets

    @property
    def gradients_are_elsewhere(self) -> bool:
        """Whether finished gradients are already counted among what is resident."""
        return self.has_bucket_view or self.keeps_main_gradients or self.recipe.steps_in_backward

    @property
    def is_accumulating(self) -> bool:
        """Whether gradients of an earlier micro-batch are alive beside what is computed."""
        return self.recipe.micro_batches > 1 and not self.gradients_are_elsewhere

    def resident(self) -> Held:
        """What is there all along: parameters, optimizer state, inputs, buckets, copies."""
        shape, recipe = self.shape, self.recipe
        base = recipe.frozen_weights_bytes
        weights = shape.parameters * recipe.element if base is None else base
        if recipe.adapter is not None:
            weights += self.all_gradients  # as many bytes as the adapters themselves
        held = {WEIGHTS: weights + _average_copy(self), StateClass.INPUTS: input_bytes(shape, recipe)}
        held[OPTIMIZER] = _optimizer_state(self)
        if self.keeps_main_gradients:
            held[GRADIENTS] = 4 * self.trainable
        if self.replicas is not None and self.replicas.exchanges:
            held[EXCHANGE] = self.all_gradients
        return held

    def accumulated(self) -> Held:
        """Gradients of earlier micro-batches while the loss, the head and the norm are computed."""
        return {GRADIENTS: self.all_gradients} if self.is_accumulating else {}

    def saved(self, without_layers: int = 0) -> int:
        """Bytes saved for the backward pass by the layers (all, or all but some) and beside them."""
        shape, recipe = self.shape, self.recipe
        layers = shape.layers - without_layers
        if recipe.checkpointing:
            per_token = recipe.stored_layers(layers) * recipe.residual * shape.hidden
        else:
            per_token = layers_saved(shape, recipe) - without_layers * layer_saved(shape, recipe)
        return (per_token + once_saved(shape, recipe)) * self.tokens

    def final_norm(self) -> int:
        """Bytes kept by the final norm and the head."""
        return final_norm_saved(self.shape, self.recipe) * self.tokens

    def head_gradient(self) -> int:
        """Bytes of the head's gradient while the layers are computed backward."""
        if not self.trains_head:
            return 0
        if self.gradients_are_elsewhere and not self.shape.is_tied:  # a tied one waits for the embedding's
            return 0
        return self.gradient_size * self.shape.head_weights

    def layer_gradients(self) -> int:
        """Bytes of the gradients of one layer (the top one)."""
        adapter = self.recipe.adapter
        if adapter is not None:
            return self.gradient_size * adapter_parameters(self.shape, adapter)
        return self.gradient_size * layer_parameters(self.shape)

    def finished(self, layers_done: int) -> int:
        """Gradients that exist once the head and the top `layers_done` layers are through."""
        if self.is_accumulating:
            return self.all_gradients
        if self.gradients_are_elsewhere:
            return self.head_gradient()
        if self.recipe.adapter is not None:
            return self.head_gradient() + layers_done * self.layer_gradients()
        shape = self.shape
        done = layers_parameters(shape, shape.layers - layers_done)
        return self.head_gradient() + self.gradient_size * done


def input_bytes(shape: ModelShape, recipe: Training) -> int:
    """Token ids and masks of 8 bytes each; for images the pixels."""
    if shape.family is Family.VIT:
        return recipe.batch * (3 * shape.image_size**2 * recipe.element + 8)
    size = 16 * recipe.tokens + positions_bytes(shape, recipe.length, recipe.residual)
    chosen = kernel(recipe.attention, recipe.compute, shape)
    if recipe.checkpointing and chosen is Kernel.EAGER:  # a checkpointed layer keeps its arguments
        size += mask_bytes(shape, chosen, recipe.batch, recipe.length, recipe.residual)
    return size


def optimizer_bytes(optimizer: Optimizer, parameters: int, element: int) -> int:
    """State of the optimizer: two moments, one, none; in 8 bits with an fp32 scale per 256 elements."""
    if optimizer is Optimizer.ADAMW:
        return 2 * element * parameters
    if optimizer is Optimizer.MOMENTUM:
        return element * parameters
    if optimizer is Optimizer.ADAMW_8BIT:
        return 2 * parameters + parameters // 32
    return 0


def _optimizer_state(step: Step) -> int:
    replicas = step.replicas
    parameters = step.trainable
    if replicas is not None and replicas.optimizer_shard is not None:
        parameters = replicas.optimizer_shard
    if step.recipe.master is MasterWeights.NONE:
        return optimizer_bytes(step.recipe.optimizer, parameters, step.gradient_size)
    return 4 * parameters + optimizer_bytes(step.recipe.optimizer, parameters, 4)


def _average_copy(step: Step) -> int:
    average = step.recipe.average
    if average is Average.NONE:
        return 0
    return step.trainable * (4 if average is Average.FP32 else step.gradient_size)


def cast_weights(step: Step, layers: int, has_head: bool) -> int:
    """Autocast's cached 16-bit copies of the matrices of the bottom `layers` layers and of the head."""
    if not step.recipe.autocast:
        return 0
    elements = sum(linear_weights(step.shape, layer) for layer in range(layers))
    return 2 * (elements + (step.shape.head_weights if has_head else 0))


def loss_forward(step: Step) -> Moment | None:
    """Scores, their fp32 copy and the log-softmax, on top of everything saved. Causal models only."""
    if step.shape.objective is not Objective.CAUSAL:
        return None
    return _at_loss(MomentKind.LOSS_FORWARD, step, loss_forward_spike(step.shape, step.recipe))


def loss_backward(step: Step) -> Moment:
    """fp32 log-softmax and two fp32 gradients of the scores, on top of everything saved."""
    return _at_loss(MomentKind.LOSS_BACKWARD, step, loss_backward_spike(step.shape, step.recipe))


def _at_loss(kind: MomentKind, step: Step, spike: int) -> Moment:
    # The copies live until the forward ends; recomputed layers make their own again.
    has_all = kind is MomentKind.LOSS_FORWARD or not step.recipe.checkpointing
    cached = cast_weights(step, step.shape.layers if has_all else 0, has_head=True)
    kept = {ACTIVATIONS: step.saved() + step.final_norm(), TEMPORARIES: spike + cached}
    return moment(kind, step.resident(), step.accumulated(), kept)


def head_backward(step: Step) -> Moment | None:
    """Gradient of the scores, the head's gradient, and the gradient of the head's input."""
    shape, recipe = step.shape, step.recipe
    if shape.objective is Objective.CLASSES:
        return None
    temporaries = head_gradient_temporaries(shape, recipe)
    temporaries += recipe.compute * shape.hidden * step.tokens
    gradient = 0
    if step.trains_head:
        gradient = (recipe.compute + (4 if recipe.autocast else 0)) * shape.head_weights
    kept = {ACTIVATIONS: step.saved() + step.final_norm(), TEMPORARIES: temporaries, GRADIENTS: gradient}
    return moment(MomentKind.HEAD_BACKWARD, step.resident(), step.accumulated(), kept)


def norm_backward(step: Step) -> Moment:
    """The final norm computed backward in fp32, with the head's gradient already there."""
    shape, recipe = step.shape, step.recipe
    per_hidden = recipe.residual
    if shape.has_rms_norm:
        per_hidden += 14 if recipe.autocast else (16 if recipe.element == 2 else 12)
    saved = step.saved() + step.final_norm()
    if recipe.loss is LossKernel.FUSED:  # it has replaced the head's input by its gradient
        saved -= recipe.compute * shape.hidden * step.tokens
    kept = {
        ACTIVATIONS: saved,
        TEMPORARIES: per_hidden * shape.hidden * step.tokens,
        GRADIENTS: step.head_gradient(),
    }
    return moment(MomentKind.NORM_BACKWARD, step.resident(), step.accumulated(), kept)


def recomputed_layer(step: Step, layer: int = -1) -> int:
    """Bytes that recomputing one checkpointed layer brings back; 0 without checkpointing."""
    shape, recipe = step.shape, step.recipe
    if not recipe.checkpointing:
        return 0
    per_token = layer_saved(shape, recipe, layer) + _window_mask(step)
    if not shape.has_rms_norm:  # such a layer keeps its own input, which is stored already
        per_token -= recipe.residual * shape.hidden
    return per_token * step.tokens


def _window_mask(step: Step) -> int:
    return 2 * step.recipe.length if step.shape.sliding is not None else 0


def mlp_temporaries(shape: ModelShape, recipe: Training, layer: int = -1) -> int:
    """Bytes per token of gradients inside the MLP while it is computed backward."""
    hidden, mlp, compute = shape.hidden, shape.mlp, recipe.compute
    if shape.has_rms_norm:
        experts = shape.experts
        if experts is None or is_dense_layer(shape, layer % shape.layers):
            return 2 * compute * mlp
        return 2 * compute * experts.per_token * experts.width
    if shape.family is Family.GPT2:
        if recipe.autocast:
            return (10 if recipe.checkpointing else 12) * mlp
        return 2 * recipe.element * mlp - hidden
    if shape.family in (Family.BERT, Family.VIT):
        return compute * mlp + (recipe.residual * hidden if recipe.autocast else 0)
    return max(2 * recipe.residual * hidden, compute * mlp - 2 * recipe.residual * hidden)


def newest_gradient(step: Step, layer: int = -1) -> int:
    """Bytes of the largest gradient made at once in a layer."""
    adapter = step.recipe.adapter
    if adapter is None:
        return step.gradient_size * largest_matrix(step.shape, layer)
    widest = max(max(adapted_widths(step.shape, target)) for target in adapter.targets)
    return step.gradient_size * adapter.rank * widest


def attention_side_gradients(step: Step, layer: int) -> int:
    """Gradients of the MLP and of the attention's output, all there when the attention is computed backward."""
    if step.recipe.adapter is not None:
        return step.layer_gradients()
    return step.gradient_size * (
        mlp_weights(step.shape, layer % step.shape.layers) + output_weights(step.shape)
    )


def top_layer(step: Step) -> Moment:
    """MLP of the top layer: everything below is still saved, the head's gradient is there."""
    shape, recipe = step.shape, step.recipe
    working = recipe.residual * shape.hidden + mlp_temporaries(shape, recipe)
    cached = cast_weights(step, 1 if recipe.checkpointing else shape.layers, has_head=False)
    kept = {
        ACTIVATIONS: step.saved() + recomputed_layer(step),
        TEMPORARIES: working * step.tokens + cached,
        GRADIENTS: step.finished(0) + newest_gradient(step),
    }
    return moment(MomentKind.TOP_LAYER, step.resident(), kept)


def bottom_layer(step: Step) -> Moment:
    """MLP of the bottom layer: its activations alone are left, all gradients above it are there."""
    shape, recipe = step.shape, step.recipe
    working = recipe.residual * shape.hidden + mlp_temporaries(shape, recipe, 0)
    kept = {
        ACTIVATIONS: layer_alive(step, 0),
        TEMPORARIES: working * step.tokens + cast_weights(step, 1, has_head=False),
        GRADIENTS: step.finished(shape.layers - 1) + newest_gradient(step, 0),
    }
    return moment(MomentKind.BOTTOM_LAYER, step.resident(), kept)


def layer_alive(step: Step, layer: int) -> int:
    """Saved bytes of one layer during its backward: its own, or recomputed beside its stored input."""
    if step.recipe.checkpointing:
        return recomputed_layer(step, layer) + step.recipe.residual * step.shape.hidden * step.tokens
    return (layer_saved(step.shape, step.recipe, layer) + _window_mask(step)) * step.tokens


def attention_alive(step: Step, layer: int) -> tuple[int, int] | None:
    """Saved bytes and working bytes of a layer while its attention is computed backward; None: never the larger."""
    shape, recipe = step.shape, step.recipe
    hidden, compute, tokens = shape.hidden, recipe.compute, step.tokens
    chosen = kernel(recipe.attention, compute, shape)
    if not chosen.is_fused:  # softmax backward over whole rows of scores
        kept = (8 * hidden + 4 * compute * shape.query_width) * tokens
        stored = recipe.residual * hidden * tokens if recipe.checkpointing else 0
        return kept + stored, 12 * shape.heads * recipe.length * tokens
    if chosen is not Kernel.FLASH:
        return None
    kept = layer_alive(step, layer) - mlp_saved(shape, recipe, layer % shape.layers) * tokens
    scratch = 4 * shape.query_width + 4 * shape.heads  # FlashAttention-2: fp32 query gradient and row sums
    if shape.kv_heads < shape.heads:
        scratch += 2 * compute * shape.query_width  # key and value gradients for every query head
    return kept, (recipe.residual * hidden + scratch) * tokens


def top_layer_attention(step: Step) -> Moment | None:
    """Attention of the top layer, after its MLP."""
    alive = attention_alive(step, -1)
    if alive is None:
        return None
    recipe = step.recipe
    cached = cast_weights(step, 1 if recipe.checkpointing else step.shape.layers, has_head=False)
    kept = {
        ACTIVATIONS: step.saved(without_layers=1) + alive[0],
        TEMPORARIES: alive[1] + cached,
        GRADIENTS: step.finished(0) + attention_side_gradients(step, -1),
    }
    return moment(MomentKind.TOP_LAYER_ATTENTION, step.resident(), kept)


def bottom_layer_attention(step: Step) -> Moment | None:
    """Attention of the bottom layer, after its MLP."""
    alive = attention_alive(step, 0)
    if alive is None:
        return None
    kept = {
        ACTIVATIONS: alive[0],
        TEMPORARIES: alive[1] + cast_weights(step, 1, has_head=False),
        GRADIENTS: step.finished(step.shape.layers - 1) + attention_side_gradients(step, 0),
    }
    return moment(MomentKind.BOTTOM_LAYER_ATTENTION, step.resident(), kept)


def embedding_backward(step: Step) -> Moment | None:
    """All gradients, the residual stream's, and the embedding's; a tied one stands beside the head's and their sum."""
    shape, recipe = step.shape, step.recipe
    if not step.trains_head:
        return None
    table = step.gradient_size * shape.vocab * shape.hidden
    is_tied = shape.is_tied and shape.head_weights > 0
    if step.gradients_are_elsewhere:
        gradients = (3 if is_tied else 1) * table
    else:
        gradients = step.all_gradients
        if is_tied:
            gradients += (3 if step.is_accumulating else 2) * table
    residual = recipe.residual * shape.hidden * step.tokens
    return moment(
        MomentKind.EMBEDDING_BACKWARD, step.resident(), {GRADIENTS: gradients, TEMPORARIES: residual}
    )


def optimizer_step(step: Step) -> Moment:
    """All gradients, and for the foreach AdamW a buffer of their size; fp32 copies where there are masters."""
    recipe, replicas = step.recipe, step.replicas
    parameters = step.trainable
    if replicas is not None and replicas.optimizer_shard is not None:
        parameters = replicas.optimizer_shard
    gradients = 0 if step.gradients_are_elsewhere else step.all_gradients
    size = step.gradient_size
    if recipe.master is MasterWeights.COPIED:
        gradients += 4 * parameters
    elif recipe.master is MasterWeights.COPIED_FREEING:
        largest = max(step.gradient_size * step.shape.vocab * step.shape.hidden, newest_gradient(step))
        gradients = 4 * parameters + largest
    if recipe.master is not MasterWeights.NONE:
        size = 4
    is_at_once = recipe.is_foreach and recipe.optimizer is Optimizer.ADAMW and not recipe.steps_in_backward
    buffers = size * parameters if is_at_once else 0
    return moment(MomentKind.OPTIMIZER_STEP, step.resident(), {GRADIENTS: gradients, TEMPORARIES: buffers})


def average_update(step: Step) -> Moment | None:
    """A running average that subtracts, then adds: one copy of the parameters more, beside the gradients."""
    if step.recipe.average is not Average.SUBTRACTING:
        return None
    gradients = 0 if step.gradients_are_elsewhere else step.all_gradients
    copy = step.gradient_size * step.trainable
    return moment(MomentKind.AVERAGE_UPDATE, step.resident(), {GRADIENTS: gradients, TEMPORARIES: copy})
