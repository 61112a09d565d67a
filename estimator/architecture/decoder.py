"""Reads the language model of a config.json: a stack of layers from the fields and the facts of its format.

Which format, nested parts and towers are `read`'s; encoders and speech are `encoder`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from estimator.architecture.families import SAME_AS, WRITTEN_AS_DIFFERENCE, Family, Switch
from estimator.architecture.fields import MAX_EXPERTS, MAX_LAYERS, Fields
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
    Stack,
    Weight,
)
from estimator.architecture.weights import norm_weights
from estimator.problems import Severity

_WINDOWED = frozenset({"sliding_attention", "chunked_attention"})
_KINDS = _WINDOWED | {"full_attention", "linear_attention"}


def read_decoder(
    fields: Fields, family: Family, *, nested: bool, tied: bool | None = None
) -> tuple[Stack, int, bool]:
    """Return the stack, the vocabulary and whether the head is the embedding; problems are noted in `fields`.

    `nested`: the fields are a text part; `tied`: what the file says of the head outside that part.
    """
    if nested:
        _complete(fields)
    hidden = fields.size("hidden_size")
    count = fields.size("num_hidden_layers", MAX_LAYERS)
    vocab = fields.size("vocab_size")
    heads = fields.size("num_attention_heads")
    stated_tied = fields.stated("tie_word_embeddings")
    if stated_tied or tied is None:
        tied = fields.flag("tie_word_embeddings", family.tied)
    mixing = _latent(fields, heads, family) if family.latent else _attention(fields, heads, hidden, family)
    norms = Norms(_norm_count(fields, family), family.norm_bias)
    mlp_of = _mlps(fields, hidden, count, family)
    layers = tuple(
        Layer(mixer, mlp_of(place), norms)
        for place, mixer in enumerate(_mixers(fields, mixing, count, family))
    )
    if not fields.is_sound:  # the sizes are placeholders
        return Stack("language", hidden, layers[:1], ()), vocab, tied
    return Stack("language", hidden, layers, _outer(fields, family, hidden, vocab, tied)), vocab, tied


def _complete(fields: Fields) -> None:
    model_type = fields.text("model_type")
    for name, size in WRITTEN_AS_DIFFERENCE.get(SAME_AS.get(model_type, model_type), {}).items():
        if not fields.listed(name):
            fields.fill(name, size, "written_as_difference")


def _switch(fields: Fields, switch: Switch) -> bool:
    return fields.flag(switch.field, switch.absent) if switch.field else switch.absent


def _attention(fields: Fields, heads: int, hidden: int, family: Family) -> Attention:
    kv_heads = _kv_heads(fields, heads, family)
    head_dim = _head_dim(fields, heads, hidden, family)
    bias = _switch(fields, family.query_key_value_bias)
    if heads % kv_heads:
        fields.contradict("kv_heads_do_not_divide", "num_key_value_heads", heads=heads, kv_heads=kv_heads)
    return Attention(
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        query_value_bias=bias,
        key_bias=bias,
        output_bias=_switch(fields, family.output_bias),
        query_key_norm=family.query_key_norm,
        sinks=family.sinks,
        gated=family.gated_queries,
        fused=family.fused,
    )


def _kv_heads(fields: Fields, heads: int, family: Family) -> int:
    """Return the KV heads: stated, or the meaning of their absence; null means as many as heads in all formats."""
    if family.kv_heads == "falcon":
        return _falcon_kv_heads(fields, heads)
    if fields.stated("num_key_value_heads"):
        return fields.size("num_key_value_heads")
    if family.kv_heads == "heads" or fields.listed("num_key_value_heads"):
        fields.derived("num_key_value_heads", heads, "kv_heads_are_heads")
        return heads
    return fields.size("num_key_value_heads")


def _falcon_kv_heads(fields: Fields, heads: int) -> int:
    if fields.flag("new_decoder_architecture", False):
        return fields.size_or("num_key_value_heads", heads, "kv_heads_are_heads")
    kv_heads = 1 if fields.flag("multi_query", True) else heads
    fields.derived("num_key_value_heads", kv_heads, "multi_query")
    return kv_heads


def _head_dim(fields: Fields, heads: int, hidden: int, family: Family) -> int:
    if fields.stated("head_dim") or family.head_dim == "ask":
        return fields.size("head_dim")
    if hidden % heads:
        fields.contradict(
            "heads_do_not_divide_hidden", "head_dim", Severity.MISSING, heads=heads, hidden=hidden
        )
        return 1
    fields.derived("head_dim", hidden // heads, "hidden_over_heads")
    return hidden // heads


def _latent(fields: Fields, heads: int, family: Family) -> LatentAttention:
    query_rank = fields.optional("q_lora_rank")
    if query_rank is None and not fields.listed("q_lora_rank"):
        fields.note("config_field_missing", "q_lora_rank", Severity.MISSING)
    return LatentAttention(
        heads=heads,
        kv_rank=fields.size("kv_lora_rank"),
        nope_dim=fields.size("qk_nope_head_dim"),
        rope_dim=fields.size("qk_rope_head_dim"),
        value_dim=fields.size("v_head_dim"),
        query_rank=query_rank,
        bias=_switch(fields, family.query_key_value_bias),
    )


def _norm_count(fields: Fields, family: Family) -> int:
    """Return the norms of a layer; Falcon's parallel blocks have one, or two in its newer architecture."""
    if family.kv_heads != "falcon":
        return family.norms
    newer, parallel = fields.flag("new_decoder_architecture", False), fields.flag("parallel_attn", True)
    if newer:
        return fields.size_or("num_ln_in_parallel_attn", 2, "format_default", 2)
    return 1 if parallel else 2


def _mixers(fields: Fields, mixing: Mixing, count: int, family: Family) -> list[Mixing]:
    """Return what mixes tokens in each layer: with its window, or a linear layer, as the format places them."""
    if family.windows == "none" or isinstance(mixing, LatentAttention):
        return [mixing] * count
    kinds = _layer_kinds(fields, count, family)
    window = _window(fields, family) if any(kind in _WINDOWED for kind in kinds) else None
    linear = _linear(fields) if "linear_attention" in kinds else None
    mixers: list[Mixing] = []
    for kind in kinds:
        if kind == "linear_attention" and linear is not None:
            mixers.append(linear)
        elif kind in _WINDOWED and isinstance(mixing, Attention):
            mixers.append(replace(mixing, window=window))
        else:
            mixers.append(mixing)
    return mixers


def _window(fields: Fields, family: Family) -> int | None:
    """Return the stated window. One that is not stated only ever lowers the need, so none is taken for granted."""
    window = fields.optional(family.window_field)
    if window is None and not fields.listed(family.window_field):
        fields.derived(family.window_field, None, "window_not_stated")
    return window


def _layer_kinds(fields: Fields, count: int, family: Family) -> list[str]:
    stated = fields.items("layer_types", MAX_LAYERS)
    if stated is not None:
        if len(stated) != count:
            fields.contradict("layer_types_length", "layer_types", found=len(stated), layers=count)
        for kind in sorted({str(kind)[:60] for kind in stated if kind not in _KINDS}):
            fields.note("layer_type_unknown", "layer_types", kind=kind)
        return [str(kind) for kind in stated]
    kind_at = _placing(fields, count, family)
    return [kind_at(place) for place in range(count)]


def _placing(fields: Fields, count: int, family: Family) -> Callable[[int], str]:
    """Return the rule that gives a layer's kind by its place from 0, where the file lists no kinds."""
    if family.windows == "all":
        return lambda place: "sliding_attention"
    if family.windows == "alternate":
        return lambda place: "full_attention" if place % 2 else "sliding_attention"
    if family.windows == "qwen":
        if not fields.flag("use_sliding_window", False):
            return lambda place: "full_attention"
        first = fields.size_or("max_window_layers", count, "no_windows", MAX_LAYERS, least=0)
        return lambda place: "sliding_attention" if place >= first else "full_attention"
    if family.windows == "linear":
        every = fields.size_or("full_attention_interval", family.pattern, "format_default", MAX_LAYERS)
        return _every(every, "linear_attention")
    if family.windows == "pattern":
        every = fields.size_or("sliding_window_pattern", family.pattern, "format_default", MAX_LAYERS)
        return _every(every, "sliding_attention")
    every = fields.size_or("no_rope_layer_interval", family.pattern, "format_default", MAX_LAYERS)
    return _every(every, "chunked_attention")


def _every(interval: int, otherwise: str) -> Callable[[int], str]:
    return lambda place: otherwise if (place + 1) % interval else "full_attention"


def _linear(fields: Fields) -> LinearAttention:
    return LinearAttention(
        key_heads=fields.size("linear_num_key_heads"),
        key_dim=fields.size("linear_key_head_dim"),
        value_heads=fields.size("linear_num_value_heads"),
        value_dim=fields.size("linear_value_head_dim"),
        kernel=fields.size_or("linear_conv_kernel_dim", 4, "format_default", 1024),
    )


def _mlps(fields: Fields, hidden: int, count: int, family: Family) -> Callable[[int], Dense | Experts]:
    """Return the MLP of a layer by its place from 0."""
    if family.mixture == "none":
        dense = _dense(fields, hidden, family)
        return lambda place: dense
    sparse, is_sparse = _experts(fields, family), _sparse_places(fields, count, family)
    if all(is_sparse(place) for place in range(count)):
        return lambda place: sparse
    width = "intermediate_size_mlp" if family.mixture == "llama4" else "intermediate_size"
    plain = Dense(fields.size(width), family.gated, _switch(fields, family.mlp_bias))
    return lambda place: sparse if is_sparse(place) else plain


def _dense(fields: Fields, hidden: int, family: Family) -> Dense:
    if family.mlp_factor:
        width = fields.size_or("intermediate_size", family.mlp_factor * hidden, "four_times_hidden")
    else:
        width = fields.size("intermediate_size")
    return Dense(width, family.gated, _switch(fields, family.mlp_bias), family.fused and family.gated)


def _experts(fields: Fields, family: Family) -> Experts:
    count = fields.size("num_experts", MAX_EXPERTS)
    per_token = fields.size("num_experts_per_tok", MAX_EXPERTS)
    if per_token > count:
        fields.contradict(
            "experts_per_token_above_experts", "num_experts_per_tok", per_token=per_token, experts=count
        )
    own_width = family.mixture in ("qwen", "deepseek")
    width = fields.size("moe_intermediate_size" if own_width else "intermediate_size")
    shared, gate = 0, False
    if family.mixture == "deepseek":
        shared = width * fields.size_or("n_shared_experts", 0, "no_shared_experts", MAX_EXPERTS, least=0)
    elif family.mixture == "llama4":
        shared = width
    elif family.shared_expert:
        shared, gate = fields.size("shared_expert_intermediate_size"), True
    return Experts(
        count=count,
        per_token=per_token,
        width=width,
        shared_width=shared,
        shared_bias=family.mixture == "deepseek" and _switch(fields, family.mlp_bias),
        shared_gate=gate,
        bias=family.expert_bias,
        router_bias=family.router_bias,
    )


def _sparse_places(fields: Fields, count: int, family: Family) -> Callable[[int], bool]:
    """Return which layers hold experts, by place from 0."""
    if family.mixture == "deepseek":
        first = fields.size_or("first_k_dense_replace", 0, "no_dense_layers", MAX_LAYERS, least=0)
        every = fields.size_or("moe_layer_freq", 1, "format_default", MAX_LAYERS)
        return lambda place: place >= first and place % every == 0
    if family.mixture == "qwen":
        dense = frozenset(fields.items("mlp_only_layers", MAX_LAYERS) or ())
        step = fields.size_or("decoder_sparse_step", 1, "format_default", MAX_LAYERS)
        return lambda place: place not in dense and (place + 1) % step == 0
    if family.mixture == "llama4":
        stated = fields.items("moe_layers", MAX_LAYERS)
        if stated is not None:
            return lambda place: place in stated
        interval = fields.size_or("interleave_moe_layer_step", 1, "format_default", MAX_LAYERS)
        return lambda place: (place + 1) % interval == 0
    return lambda place: True


def _outer(fields: Fields, family: Family, hidden: int, vocab: int, tied: bool) -> tuple[Weight, ...]:
    """Return embedding, positions, final norm and head, with OPT's projections to a narrower embedding."""
    narrow = fields.optional("word_embed_proj_dim") or hidden
    weights = [Weight("embedding", (vocab, narrow), Role.EMBEDDING)]
    if narrow != hidden:
        weights.append(Weight("project_in", (narrow, hidden), Role.LINEAR))
        weights.append(Weight("project_out", (hidden, narrow), Role.LINEAR))
    if family.positions is not None:
        rows = fields.size("max_position_embeddings") + family.positions
        weights.append(Weight("positions", (rows, hidden), Role.TABLE))
    if family.embedding_norm:
        weights += norm_weights("embedding_norm", Norms(1, family.norm_bias), hidden)
    if (
        fields.raw("do_layer_norm_before") is not False
    ):  # OPT-350m norms after each part, and has none at the end
        weights += norm_weights("final_norm", Norms(1, family.norm_bias), hidden)
    if not tied:
        weights.append(Weight("head", (narrow, vocab), Role.HEAD))
    if family.head_bias:
        weights.append(Weight("head_bias", (vocab,), Role.BIAS))
    return tuple(weights)
