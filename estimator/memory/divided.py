"""What tensor parallelism divides of a gated decoder and what it leaves whole, element by element.

Matrices by columns and rows, heads and tables are divided; norms, biases, routers and the compressing matrices of
latent attention are on every rank. Experts are cut in slices, or dealt out whole where asked (`whole_experts`).
Source: torch 2.13's `parallelize_module` for dense Llama models (held against points); Megatron-Core and vLLM for
the rest (`ReplicatedLinear` routers and latent projections, experts by slices or by `enable_expert_parallel`), which
is a formula alone. A rank never holds less than one KV head.
"""

from __future__ import annotations

from estimator.memory.losses import loss_backward_spike, loss_forward_spike
from estimator.memory.partition import Tensor, kv_share, padded_vocabulary
from estimator.memory.recipe import LossKernel, Training
from estimator.memory.saved import attention_saved, gated_mlp_saved, norms_saved
from estimator.memory.shape import (
    ModelShape,
    is_dense_layer,
    largest_matrix,
    layer_parameters,
    linear_weights,
)
from estimator.memory.training import mlp_temporaries


def replicated_weights(shape: ModelShape, layer: int = -1) -> int:
    """Elements of a layer's matrices that every rank holds: the router, and what compresses queries and the latent."""
    whole = 0
    if shape.experts is not None and not is_dense_layer(shape, layer % shape.layers):
        whole += shape.hidden * shape.experts.count
    if shape.latent is not None:
        whole += shape.hidden * (shape.latent.query_rank + shape.latent.kv_rank + shape.latent.rope)
    return whole


def dealt_experts(shape: ModelShape, tensor: Tensor, layer: int = -1) -> int:
    """Elements of the experts of a layer that are whole on this rank; 0 where they are cut in slices."""
    experts = shape.experts
    if experts is None or not tensor.whole_experts or is_dense_layer(shape, layer % shape.layers):
        return 0
    return 3 * experts.on_card * experts.width * shape.hidden


def layer_elements(shape: ModelShape, tensor: Tensor, layer: int = -1) -> int:
    """Elements of one layer on one rank."""
    linear = linear_weights(shape, layer)
    kept = replicated_weights(shape, layer) + dealt_experts(shape, tensor, layer)
    kv = 0
    if shape.latent is None:  # beyond the KV heads their matrices are repeated
        widths = 2 * shape.hidden * shape.kv_width
        kv = widths // kv_share(tensor.ranks, shape.kv_heads) - widths // tensor.ranks
    return layer_parameters(shape, layer) - linear + kept + (linear - kept) // tensor.ranks + kv


def table_elements(shape: ModelShape, tensor: Tensor) -> int:
    """Elements of the embedding, or of the head, on one rank: the vocabulary is padded so that ranks have as many."""
    return padded_vocabulary(shape.vocab, tensor.ranks) // tensor.ranks * shape.hidden


def layer_saved(shape: ModelShape, recipe: Training, tensor: Tensor) -> int:
    """Bytes per token of a layer: norms whole (or divided by sequence, with two gathered inputs), the rest divided."""
    ranks, gathered = tensor.ranks, 2 * recipe.compute * shape.hidden
    whole = norms_saved(shape, recipe)
    if tensor.sequence:
        whole = (whole - gathered) // ranks + gathered
    latent, experts = shape.latent, shape.experts
    attention = attention_saved(shape, recipe)
    if latent is not None:
        kept = 8 * (latent.query_rank + latent.kv_rank)
        attention -= kept
        whole += kept
    elif ranks > shape.kv_heads:
        keys = 2 * recipe.compute * shape.kv_width
        whole += keys // shape.kv_heads - keys // ranks
    mlp = gated_mlp_saved(shape, recipe, shape.layers - 1)
    if experts is not None and not is_dense_layer(shape, shape.layers - 1):
        divided = 4 * recipe.compute * (experts.per_token * experts.width + experts.shared_width)
        tokens_of_experts = 2 * recipe.compute * experts.per_token * shape.hidden
        if tensor.whole_experts:  # a token's experts lie on several ranks: an even share of them is here
            divided += tokens_of_experts
        whole += mlp - divided
        mlp = divided
    return whole + (attention + mlp) // ranks


def final_norm_saved(shape: ModelShape, recipe: Training, tensor: Tensor) -> int:
    """Bytes per token of the last norm and the head's input."""
    if tensor.sequence:
        kept = 6 if recipe.compute == 2 else 8
        return kept * shape.hidden // tensor.ranks + recipe.compute * shape.hidden
    return (8 if recipe.compute == 2 else 12) * shape.hidden


def working(shape: ModelShape, recipe: Training, tensor: Tensor) -> int:
    """Bytes of one micro-batch of gradients inside the MLP while it is computed backward."""
    return mlp_temporaries(shape, recipe) * recipe.tokens // tensor.ranks


def newest_elements(shape: ModelShape, tensor: Tensor) -> int:
    """Elements of the largest matrix of a layer on one rank."""
    experts = shape.experts
    if experts is None or is_dense_layer(shape, shape.layers - 1):
        return shape.hidden * shape.mlp // tensor.ranks
    return largest_matrix(shape) // (1 if tensor.whole_experts else tensor.ranks)


def loss_forward(shape: ModelShape, recipe: Training, tensor: Tensor) -> int:
    """Scores gathered whole, unless the loss works on divided ones. Other kernels work on gathered ones."""
    scores = shape.vocab * recipe.tokens
    if tensor.loss:
        return 12 * scores // tensor.ranks
    if recipe.loss is not LossKernel.UPCAST:
        return loss_forward_spike(shape, recipe)
    return 8 * scores + recipe.compute * scores // tensor.ranks


def loss_backward(shape: ModelShape, recipe: Training, tensor: Tensor) -> int:
    """Three whole fp32 tensors of scores, or four divided ones."""
    if tensor.loss:
        return 16 * shape.vocab * recipe.tokens // tensor.ranks
    return loss_backward_spike(shape, recipe)


def scores_gradient(shape: ModelShape, recipe: Training, tensor: Tensor) -> int:
    """Bytes of the gradient of the scores when the head is computed backward; none where it is done by chunk."""
    if not tensor.loss and recipe.loss in (LossKernel.RECOMPUTED, LossKernel.FUSED):
        return 0
    scores = recipe.compute * shape.vocab * recipe.tokens
    return scores // tensor.ranks + (0 if tensor.loss else scores)
