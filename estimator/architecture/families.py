"""What each model format means: its norms, biases, gates and heads, and what the absence of a field says there.

Facts only, from the configuration and model classes of transformers 5.24. A default of a class that is the size
of one model (hidden width, layers, KV heads, …) is not a meaning and stands nowhere here: such a field is asked
for. Reading a config with these facts is in `decoder`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

KvRule = Literal["ask", "heads", "falcon"]
HeadRule = Literal["ask", "divide"]
WindowRule = Literal["none", "all", "alternate", "pattern", "qwen", "chunked", "linear"]
MixtureRule = Literal["none", "all", "qwen", "deepseek", "llama4"]


@dataclass(frozen=True, slots=True)
class Switch:
    """A property that a format fixes (`field` empty), or that a field of it sets, with what its absence means."""

    absent: bool
    field: str = ""


NO = Switch(False)
YES = Switch(True)


@dataclass(frozen=True, slots=True)
class Family:
    """The facts of a decoder's format.

    `kv_heads`: what an absent number of KV heads means. `head_dim`: what an absent head width means.
    `mlp_factor`: the MLP's width is this many hidden widths where the file gives none; 0: it is asked for.
    `windows`: which layers look back on a window only. `mixture`: which layers hold experts.
    """

    norms: int = 2
    norm_bias: bool = False
    gated: bool = True
    query_key_value_bias: Switch = NO
    output_bias: Switch = NO
    mlp_bias: Switch = NO
    query_key_norm: Literal["none", "head", "full"] = "none"
    gated_queries: bool = False
    sinks: bool = False
    fused: bool = False
    latent: bool = False
    tied: bool = False
    kv_heads: KvRule = "ask"
    head_dim: HeadRule = "divide"
    mlp_factor: int = 0
    windows: WindowRule = "none"
    window_field: str = "sliding_window"
    pattern: int = 0
    mixture: MixtureRule = "none"
    shared_expert: bool = False
    expert_bias: bool = False
    router_bias: bool = False
    positions: int | None = None  # rows added to the length of a learned position table; None: there is none
    embedding_norm: bool = False
    head_bias: bool = False


_LLAMA = Family(
    query_key_value_bias=Switch(False, "attention_bias"),
    output_bias=Switch(False, "attention_bias"),
    mlp_bias=Switch(False, "mlp_bias"),
    kv_heads="heads",
)
_MISTRAL = Family(windows="all")
_QWEN2 = Family(query_key_value_bias=YES, windows="qwen")
_QWEN3 = Family(
    query_key_value_bias=Switch(False, "attention_bias"),
    output_bias=Switch(False, "attention_bias"),
    query_key_norm="head",
    head_dim="ask",
    windows="qwen",
)
_GEMMA = Family(
    query_key_value_bias=Switch(False, "attention_bias"),
    output_bias=Switch(False, "attention_bias"),
    tied=True,
    head_dim="ask",
)
_GEMMA2 = replace(_GEMMA, norms=4, windows="alternate")
_QWEN3_NEXT = replace(_QWEN3, windows="linear", pattern=4, gated_queries=True)
_DEEPSEEK = Family(
    query_key_value_bias=Switch(False, "attention_bias"),
    mlp_bias=Switch(False, "mlp_bias"),
    latent=True,
    mixture="deepseek",
)
_DEEPSEEK_V3 = replace(_DEEPSEEK, mlp_bias=NO, router_bias=True)
_CLASSIC = Family(norm_bias=True, gated=False, kv_heads="heads", mlp_factor=4)
_ALL_BIASED = replace(_CLASSIC, query_key_value_bias=YES, output_bias=YES, mlp_bias=YES)

FAMILIES: dict[str, Family] = {
    "llama": _LLAMA,
    "granite": _LLAMA,
    "smollm3": replace(_LLAMA, kv_heads="ask", tied=True),
    "mistral": _MISTRAL,
    "mixtral": replace(_MISTRAL, mixture="all"),
    "ministral": _MISTRAL,
    "qwen2": _QWEN2,
    "qwen2_moe": replace(
        _QWEN2, query_key_value_bias=Switch(True, "qkv_bias"), mixture="qwen", shared_expert=True
    ),
    "qwen3": _QWEN3,
    "qwen3_moe": replace(_QWEN3, mixture="qwen"),
    "qwen3_next": replace(_QWEN3_NEXT, mixture="qwen", shared_expert=True),
    "qwen3_5_text": _QWEN3_NEXT,
    "qwen3_5_moe_text": replace(_QWEN3_NEXT, mixture="qwen", shared_expert=True),
    "gemma": _GEMMA,
    "gemma2": _GEMMA2,
    "gemma3_text": replace(_GEMMA2, query_key_norm="head", windows="pattern", pattern=6),
    "phi3": Family(kv_heads="heads", fused=True, windows="all"),
    "phi": replace(_ALL_BIASED, norms=1, mlp_factor=0, head_bias=True),
    "olmo2": replace(_LLAMA, query_key_norm="full", mlp_bias=NO),
    "deepseek_v2": _DEEPSEEK,
    "deepseek_v3": _DEEPSEEK_V3,
    "kimi_k2": _DEEPSEEK_V3,
    "gpt_oss": Family(
        query_key_value_bias=Switch(True, "attention_bias"),
        output_bias=Switch(True, "attention_bias"),
        sinks=True,
        head_dim="ask",
        windows="alternate",
        mixture="all",
        expert_bias=True,
        router_bias=True,
    ),
    "llama4_text": Family(
        query_key_value_bias=Switch(False, "attention_bias"),
        output_bias=Switch(False, "attention_bias"),
        head_dim="ask",
        windows="chunked",
        window_field="attention_chunk_size",
        pattern=4,
        mixture="llama4",
    ),
    "falcon": replace(
        _CLASSIC,
        kv_heads="falcon",
        query_key_value_bias=Switch(False, "bias"),
        output_bias=Switch(False, "bias"),
        mlp_bias=Switch(False, "bias"),
        fused=True,
        tied=True,
    ),
    "gpt2": replace(_ALL_BIASED, fused=True, tied=True, positions=0),
    "gptj": replace(_CLASSIC, norms=1, mlp_bias=YES, head_bias=True),
    "gpt_neox": replace(
        _CLASSIC,
        query_key_value_bias=Switch(True, "attention_bias"),
        output_bias=Switch(True, "attention_bias"),
        mlp_bias=YES,
        fused=True,
        mlp_factor=0,
    ),
    "opt": replace(
        _CLASSIC,
        query_key_value_bias=Switch(True, "enable_bias"),
        output_bias=Switch(True, "enable_bias"),
        mlp_bias=Switch(True, "enable_bias"),
        tied=True,
        mlp_factor=0,
        positions=2,
    ),
    "bloom": replace(_ALL_BIASED, fused=True, tied=True, embedding_norm=True),
    "starcoder2": replace(
        _CLASSIC,
        query_key_value_bias=Switch(True, "use_bias"),
        output_bias=Switch(True, "use_bias"),
        mlp_bias=Switch(True, "use_bias"),
        kv_heads="ask",
        tied=True,
        mlp_factor=0,
        windows="all",
    ),
}

# Other names of the same format: a text part on its own, the older names of a checkpoint.
SAME_AS = {
    "gemma3": "gemma3_text",
    "llama4": "llama4_text",
    "qwen3_5": "qwen3_5_text",
    "qwen3_5_moe": "qwen3_5_moe_text",
    "qwen2_vl": "qwen2",
    "qwen2_5_vl": "qwen2",
    "qwen2_vl_text": "qwen2",
    "qwen2_5_vl_text": "qwen2",
    "qwen3_vl_text": "qwen3",
    "qwen3_vl_moe_text": "qwen3_moe",
    "mistral3": "mistral",
    "RefinedWeb": "falcon",
    "RefinedWebModel": "falcon",
}

# Published files of these formats write a text part as its difference from the class, sizes included
# (google/gemma-3-4b-it leaves these four out): there, and only there, the class's size is what the file says.
WRITTEN_AS_DIFFERENCE: dict[str, dict[str, int]] = {
    "gemma3_text": {
        "vocab_size": 262_208,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
    },
}


def family_of(model_type: str) -> Family | None:
    """Return the facts of a format by its `model_type`, or None where it is not known."""
    return FAMILIES.get(SAME_AS.get(model_type, model_type))
