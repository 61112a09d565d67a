"""Floating-point operations of a forward pass: two for each multiplied weight, and the attention itself.

Counts, not times: how fast a card does them is `duration`'s. Norms, activations and softmax are left out.
"""

from __future__ import annotations

from estimator.architecture.model import (
    Architecture,
    Attention,
    LatentAttention,
    Layer,
    LinearAttention,
    Role,
)
from estimator.architecture.weights import layer_weights

_MULTIPLIED = frozenset({Role.LINEAR, Role.EXPERT, Role.ROUTER, Role.HEAD, Role.CONVOLUTION})


def multiplied_parameters(architecture: Architecture) -> int:
    """Return the weights of the main stack that one token is multiplied by: no look-ups; a tied head counts."""
    stack = architecture.main
    inside = sum(
        count * sum(w.active_parameters for w in layer_weights(layer, stack.hidden) if w.role in _MULTIPLIED)
        for layer, count in stack.kinds
    )
    outside = sum(weight.parameters for weight in stack.outer if weight.role in _MULTIPLIED)
    tied_head = sum(weight.parameters for weight in stack.outer if weight.role is Role.EMBEDDING)
    return inside + outside + (tied_head if architecture.tied else 0)


def forward_flops(
    architecture: Architecture, tokens: int, context: int = 0, requests: int = 1, *, causal: bool = True
) -> int:
    """Return the operations of the main stack for `tokens` new tokens after `context` cached ones, per request.

    2 × multiplied weights × tokens, plus 2 × (query and value width) per pair of tokens that attend, in each
    layer (arXiv 2001.08361, section 2.1; 4 × width × context per token without the causal half). A causal pass
    counts the pairs that are seen, a window fewer; a linear layer has a fixed cost per token.
    """
    dense = 2 * multiplied_parameters(architecture) * tokens
    mixing = sum(count * _mixing_flops(layer, tokens, context, causal) for layer, count in architecture.kinds)
    return requests * (dense + mixing)


def training_flops(
    architecture: Architecture, tokens: int, requests: int = 1, *, recompute: bool = False
) -> int:
    """Return the operations of forward and backward over sequences of `tokens`: 3 × forward, 4 × recomputed."""
    return (4 if recompute else 3) * forward_flops(architecture, tokens, 0, requests)


def attended_pairs(tokens: int, context: int, window: int | None, *, causal: bool = True) -> int:
    """Return how many (new token, seen token) pairs there are; a token sees itself."""
    if not causal:
        return tokens * (context + tokens)
    if window is None:
        return tokens * context + tokens * (tokens + 1) // 2
    # New token i (from 1) sees min(context + i, window) tokens.
    rising = min(max(window - context, 0), tokens)
    return rising * context + rising * (rising + 1) // 2 + (tokens - rising) * window


def _mixing_flops(layer: Layer, tokens: int, context: int, causal: bool) -> int:
    mixing = layer.mixing
    if isinstance(mixing, LinearAttention):
        # Decay, read, write and query of one key × value matrix per value head: 1 + 2 + 2 + 2 per element.
        return 7 * mixing.value_heads * mixing.key_dim * mixing.value_dim * tokens
    if isinstance(mixing, LatentAttention):
        width = mixing.heads * (mixing.nope_dim + mixing.rope_dim + mixing.value_dim)
        return 2 * width * attended_pairs(tokens, context, None, causal=causal)
    return _attention_flops(mixing, tokens, context, causal)


def _attention_flops(attention: Attention, tokens: int, context: int, causal: bool) -> int:
    return 4 * attention.query_width * attended_pairs(tokens, context, attention.window, causal=causal)
