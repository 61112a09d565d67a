"""The shapes of a layer's weights: the one place from which counts, bytes, adapters and operations follow.

Shapes are (inputs, outputs), as the tensors are applied; a file may store them the other way round. Source of
every shape: the model classes of transformers 5.24 and the papers named beside them.
"""

from __future__ import annotations

from functools import lru_cache

from estimator.architecture.model import (
    Attention,
    Dense,
    Experts,
    LatentAttention,
    Layer,
    LinearAttention,
    Mixing,
    Norms,
    Role,
    Weight,
)


@lru_cache(maxsize=4096)
def layer_weights(layer: Layer, hidden: int) -> tuple[Weight, ...]:
    """Return every weight of a layer whose hidden width is `hidden`."""
    weights = mixing_weights(layer.mixing, hidden)
    if layer.cross is not None:
        weights += tuple(_renamed(weight, "cross_") for weight in attention_weights(layer.cross, hidden))
    return weights + mlp_weights(layer.mlp, hidden) + norm_weights("layer_norm", layer.norms, hidden)


def mixing_weights(mixing: Mixing, hidden: int) -> tuple[Weight, ...]:
    """Return the weights of what mixes tokens, whichever kind it is."""
    if isinstance(mixing, LatentAttention):
        return latent_attention_weights(mixing, hidden)
    if isinstance(mixing, LinearAttention):
        return linear_attention_weights(mixing, hidden)
    return attention_weights(mixing, hidden)


def mlp_weights(mlp: Dense | Experts, hidden: int) -> tuple[Weight, ...]:
    """Return the weights of an MLP, dense or a mixture of experts."""
    return expert_weights(mlp, hidden) if isinstance(mlp, Experts) else dense_weights(mlp, hidden)


def attention_weights(attention: Attention, hidden: int) -> tuple[Weight, ...]:
    """Return query, key, value and output matrices, their biases, head norms and sinks.

    Vaswani et al. 2017; grouped keys and values, Ainslie et al. 2023. A gated output doubles the queries.
    """
    queries = attention.query_width * (2 if attention.gated else 1)
    keys = attention.kv_width
    weights: list[Weight] = []
    if attention.fused:
        weights.append(_linear("qkv", hidden, queries + 2 * keys))
    else:
        weights += [_linear("q", hidden, queries), _linear("k", hidden, keys), _linear("v", hidden, keys)]
    weights.append(_linear("o", attention.query_width, hidden))
    if attention.query_value_bias:
        weights += [_bias("q_bias", queries), _bias("v_bias", keys)]
    if attention.key_bias:
        weights.append(_bias("k_bias", keys))
    if attention.output_bias:
        weights.append(_bias("o_bias", hidden))
    if attention.query_key_norm != "none":
        full = attention.query_key_norm == "full"
        norms = Norms(1, attention.query_key_norm_bias)
        weights += norm_weights("q_norm", norms, attention.query_width if full else attention.head_dim)
        weights += norm_weights("k_norm", norms, attention.kv_width if full else attention.head_dim)
    if attention.sinks:
        weights.append(Weight("sinks", (attention.heads,), Role.OTHER))
    return tuple(weights)


def latent_attention_weights(latent: LatentAttention, hidden: int) -> tuple[Weight, ...]:
    """Return the down and up projections of MLA and its two norms.

    DeepSeek-V2 (arXiv 2405.04434), section 2.1; without a query rank the queries come from one matrix.
    """
    queries = latent.heads * (latent.nope_dim + latent.rope_dim)
    weights: list[Weight] = []
    if latent.query_rank is None:
        weights.append(_linear("q", hidden, queries))
    else:
        weights += [_linear("q_a", hidden, latent.query_rank), _linear("q_b", latent.query_rank, queries)]
        weights.append(Weight("q_a_norm", (latent.query_rank,), Role.NORM))
    weights += [
        _linear("kv_a", hidden, latent.kv_rank + latent.rope_dim),
        Weight("kv_a_norm", (latent.kv_rank,), Role.NORM),
        _linear("kv_b", latent.kv_rank, latent.heads * (latent.nope_dim + latent.value_dim)),
        _linear("o", latent.heads * latent.value_dim, hidden),
    ]
    if latent.bias:
        if latent.query_rank is not None:
            weights.append(_bias("q_a_bias", latent.query_rank))
        weights += [_bias("kv_a_bias", latent.kv_rank + latent.rope_dim), _bias("o_bias", hidden)]
    return tuple(weights)


def linear_attention_weights(linear: LinearAttention, hidden: int) -> tuple[Weight, ...]:
    """Return the weights of a gated delta rule layer.

    Gated DeltaNet (arXiv 2412.06464) as in Qwen3-Next: queries, keys, values and gate; write strength and decay
    per value head; a depthwise convolution without bias; a norm over one value head.
    """
    values = linear.value_heads * linear.value_dim
    return (
        _linear("in_qkv", hidden, linear.convolved),
        _linear("in_z", hidden, values),
        _linear("in_b", hidden, linear.value_heads),
        _linear("in_a", hidden, linear.value_heads),
        Weight("convolution", (linear.convolved, linear.kernel), Role.CONVOLUTION),
        Weight("dt_bias", (linear.value_heads,), Role.OTHER),
        Weight("decay", (linear.value_heads,), Role.OTHER),
        Weight("value_norm", (linear.value_dim,), Role.NORM),
        _linear("o", values, hidden),
    )


def dense_weights(dense: Dense, hidden: int) -> tuple[Weight, ...]:
    """Return two matrices, or three where the MLP is gated (Shazeer 2020, arXiv 2002.05202), and biases."""
    weights: list[Weight] = []
    if dense.gated and dense.fused:
        weights.append(_linear("gate_up", hidden, 2 * dense.width))
    elif dense.gated:
        weights += [_linear("gate", hidden, dense.width), _linear("up", hidden, dense.width)]
    else:
        weights.append(_linear("up", hidden, dense.width))
    weights.append(_linear("down", dense.width, hidden))
    if dense.bias:
        weights += [_bias("up_bias", dense.width * (2 if dense.gated else 1)), _bias("down_bias", hidden)]
    return tuple(weights)


def expert_weights(experts: Experts, hidden: int) -> tuple[Weight, ...]:
    """Return the experts' three matrices each, the router, and the shared expert with its gate.

    Mixtral (arXiv 2401.04088), DeepSeekMoE (arXiv 2401.06066); biases of experts and router as in gpt-oss.
    DeepSeek-V3's router bias is a buffer to some libraries; its files hold it and its publisher counts it.
    """
    count, active, width = experts.count, experts.per_token, experts.width
    weights = [
        Weight("router", (hidden, count), Role.ROUTER),
        Weight("expert_gate", (hidden, width), Role.EXPERT, count, active),
        Weight("expert_up", (hidden, width), Role.EXPERT, count, active),
        Weight("expert_down", (width, hidden), Role.EXPERT, count, active),
    ]
    if experts.bias:
        weights.append(Weight("expert_up_bias", (2 * width,), Role.BIAS, count, active))
        weights.append(Weight("expert_down_bias", (hidden,), Role.BIAS, count, active))
    if experts.router_bias:
        weights.append(Weight("router_bias", (count,), Role.ROUTER_BIAS))
    if experts.shared_width:
        shared = dense_weights(Dense(experts.shared_width, bias=experts.shared_bias), hidden)
        weights += [_renamed(weight, "shared_") for weight in shared]
    if experts.shared_gate:
        weights.append(Weight("shared_expert_gate", (hidden, 1), Role.ROUTER))
    return tuple(weights)


def norm_weights(name: str, norms: Norms, width: int) -> tuple[Weight, ...]:
    """Return the scales of `norms` over `width`, and their biases where they have them."""
    weights = (Weight(name, (norms.count, width), Role.NORM),)
    return (*weights, Weight(f"{name}_bias", (norms.count, width), Role.NORM)) if norms.bias else weights


def next_token_weights(layer: Layer, hidden: int, vocab: int) -> tuple[Weight, ...]:
    """Return what one next-token layer adds to a published file, its copies of embedding and head included.

    DeepSeek-V3 (arXiv 2412.19437), section 2.2: a layer like the last, a projection of two hidden states to
    one that stays in 16 bits, three norms.
    """
    return (
        *layer_weights(layer, hidden),
        Weight("next_token_projection", (2 * hidden, hidden), Role.OTHER),
        Weight("next_token_norms", (3, hidden), Role.NORM),
        Weight("next_token_embedding", (vocab, hidden), Role.EMBEDDING),
        Weight("next_token_head", (hidden, vocab), Role.HEAD),
    )


def _linear(name: str, inputs: int, outputs: int) -> Weight:
    return Weight(name, (inputs, outputs), Role.LINEAR)


def _bias(name: str, width: int) -> Weight:
    return Weight(name, (width,), Role.BIAS)


def _renamed(weight: Weight, prefix: str) -> Weight:
    return Weight(prefix + weight.name, weight.shape, weight.role, weight.copies, weight.active)
