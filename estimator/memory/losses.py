"""What scores and cross-entropy add while the loss is computed, forward and backward, by kernel.

Source: each kernel run with the same tensors in torch 2.13; the fused one has the layout of Liger's. The compiled one
was not run: what it makes is as its authors state it (Dao-AILab/quack issue 48: nothing in the forward, the scores'
gradient in the backward). For causal models unless said; V scores per token.
"""

from __future__ import annotations

from estimator.memory.recipe import LossKernel, Precision, Training
from estimator.memory.shape import ModelShape, Objective


def loss_forward_spike(shape: ModelShape, recipe: Training) -> int:
    """Bytes alive above the saved activations at the worst of the loss's forward."""
    scores, compute, chunks = shape.vocab * recipe.tokens, recipe.compute, recipe.loss_chunks
    if recipe.loss is LossKernel.HALF:
        return 2 * compute * scores
    if recipe.loss is LossKernel.COMPILED:
        return compute * scores
    if recipe.loss is LossKernel.CHUNKED:
        inputs = compute * shape.hidden * recipe.tokens
        return (4 + compute) * scores + 4 * scores // chunks + inputs
    if recipe.loss is LossKernel.RECOMPUTED:
        return (8 + compute) * scores // chunks
    if recipe.loss is LossKernel.FUSED:
        inputs = compute * shape.hidden * recipe.tokens
        return inputs + 2 * compute * shape.head_weights + compute * shape.vocab * fused_chunk(shape, recipe)
    return (8 + compute) * scores


def loss_backward_spike(shape: ModelShape, recipe: Training) -> int:
    """Bytes alive above the saved activations at the worst of the loss's backward."""
    scores, compute, chunks = shape.vocab * recipe.tokens, recipe.compute, recipe.loss_chunks
    if shape.objective is Objective.CLASSES:
        return 0
    if shape.objective is Objective.MASKED:
        if recipe.autocast:
            return 10 * scores
        return (6 if recipe.parameters is Precision.BF16 else 12) * scores
    if recipe.loss is LossKernel.HALF:
        return 3 * compute * scores
    if recipe.loss is LossKernel.CHUNKED:
        return 4 * scores + 8 * scores // chunks
    head, inputs = compute * shape.head_weights, compute * shape.hidden * recipe.tokens
    if recipe.loss is LossKernel.COMPILED:  # the gradient beside the scores, then beside the head's
        return compute * scores + max(compute * scores, head + inputs)
    if recipe.loss is LossKernel.RECOMPUTED:
        return max(inputs + head + 12 * scores // chunks, 2 * head + compute * scores // chunks)
    if recipe.loss is LossKernel.FUSED:
        return inputs + head
    return 12 * scores


def head_gradient_temporaries(shape: ModelShape, recipe: Training) -> int:
    """Bytes of the gradient of the scores when the head is computed backward; none where it is done by chunk."""
    if recipe.loss in (LossKernel.RECOMPUTED, LossKernel.FUSED):
        return 0
    return recipe.compute * shape.vocab * recipe.tokens


def fused_chunk(shape: ModelShape, recipe: Training) -> int:
    """Rows that the fused kernel handles at once: tokens / ceil(V / h), up to the next power of two."""
    pieces = -(-shape.vocab // shape.hidden)
    rows = -(-recipe.tokens // pieces)
    return 1 << (rows - 1).bit_length()
