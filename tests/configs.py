"""Small made-up configurations of every format, with the counts of their classes, for tests.

The counts were taken from the model classes of transformers 5.24 (shapes only, no weights); each exercises a trait
that no catalogued model has.
"""

from __future__ import annotations

from collections.abc import Mapping

from estimator.architecture import (
    Architecture,
    ConfigReading,
    read_config,
)

SIZES: dict[str, object] = {
    "hidden_size": 64,
    "num_hidden_layers": 6,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "intermediate_size": 160,
    "vocab_size": 1000,
}
WIDE: dict[str, object] = {**SIZES, "head_dim": 16}
SPARSE: dict[str, object] = {"num_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
LINEAR: dict[str, object] = {
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 12,
}
LATENT: dict[str, object] = {
    **SIZES,
    "num_hidden_layers": 5,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 12,
    "qk_rope_head_dim": 8,
    "v_head_dim": 10,
    "n_routed_experts": 6,
    "n_shared_experts": 2,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "first_k_dense_replace": 1,
}
CLASSIC: dict[str, object] = {
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 8,
    "vocab_size": 500,
}
OPT: dict[str, object] = {
    **CLASSIC,
    "num_attention_heads": 4,
    "ffn_dim": 200,
    "max_position_embeddings": 128,
    "word_embed_proj_dim": 32,
}
PLAIN: dict[str, object] = {**CLASSIC, "num_attention_heads": 4, "intermediate_size": 200}
IMAGES: dict[str, object] = {**PLAIN, "image_size": 64, "patch_size": 16}
SHARED: dict[str, object] = {**SPARSE, "shared_expert_intermediate_size": 48}

COUNTED: list[tuple[str, Mapping[str, object], int]] = [
    ("llama", {**SIZES, "attention_bias": True, "mlp_bias": True}, 390_336),
    ("llama", {**WIDE, "tie_word_embeddings": True}, 396_608),
    ("granite", SIZES, 386_880),
    ("smollm3", SIZES, 322_880),
    ("mistral", WIDE, 460_608),
    ("ministral", WIDE, 460_608),
    ("mixtral", {**SIZES, "num_local_experts": 4, "num_experts_per_tok": 2}, 941_376),
    ("qwen2", SIZES, 387_648),
    ("qwen2_moe", {**SIZES, **SHARED}, 482_496),
    ("qwen2_moe", {**SIZES, **SHARED, "decoder_sparse_step": 2, "mlp_only_layers": [3]}, 419_264),
    ("qwen3", WIDE, 460_800),
    ("qwen3_moe", {**WIDE, **SPARSE}, 499_968),
    ("qwen3_next", {**WIDE, **SHARED, **LINEAR}, 501_380),
    ("qwen3_5_text", {**WIDE, **LINEAR}, 406_532),
    ("qwen3_5_moe_text", {**WIDE, **SHARED, **LINEAR}, 501_380),
    ("gemma", WIDE, 396_608),
    ("gemma2", WIDE, 397_376),
    ("gemma3_text", WIDE, 397_568),
    ("phi3", SIZES, 386_880),
    ("phi", SIZES, 329_000),
    ("olmo2", SIZES, 387_456),
    ("starcoder2", SIZES, 264_768),
    ("deepseek_v2", {**LATENT, "q_lora_rank": 24}, 432_008),
    ("deepseek_v2", {**LATENT, "q_lora_rank": None, "attention_bias": True, "mlp_bias": True}, 457_800),
    # 432,568 in the class, whose router bias (4 layers * 6 experts) is a buffer; files hold and publishers count it
    ("deepseek_v3", {**LATENT, "q_lora_rank": 24, "attention_bias": True}, 432_568 + 24),
    ("gpt_oss", {**WIDE, "num_local_experts": 4, "num_experts_per_tok": 2}, 1_026_312),
    (
        "llama4_text",
        {
            **WIDE,
            "intermediate_size_mlp": 200,
            "num_local_experts": 4,
            "num_experts_per_tok": 1,
            "interleave_moe_layer_step": 2,
        },
        853_056,
    ),
    ("falcon", CLASSIC, 158_464),
    ("falcon", {**CLASSIC, "new_decoder_architecture": True, "num_kv_heads": 4, "bias": True}, 169_600),
    ("falcon", {**CLASSIC, "parallel_attn": False, "multi_query": False, "bias": True}, 182_080),
    ("gpt2", {"n_embd": 64, "n_layer": 3, "n_head": 4, "vocab_size": 500, "n_positions": 128}, 190_272),
    (
        "gpt2",
        {
            "n_embd": 64,
            "n_layer": 3,
            "n_head": 4,
            "vocab_size": 500,
            "n_positions": 128,
            "n_inner": 100,
            "tie_word_embeddings": False,
        },
        161_900,
    ),
    ("gptj", {"n_embd": 64, "n_layer": 3, "n_head": 4, "vocab_size": 500}, 213_428),
    ("gpt_neox", PLAIN, 192_408),
    ("opt", OPT, 156_824),
    ("opt", {**OPT, "word_embed_proj_dim": 64, "enable_bias": False}, 167_168),
    ("opt", {**OPT, "do_layer_norm_before": False}, 156_696),
    ("bloom", {"hidden_size": 64, "n_layer": 3, "n_head": 4, "vocab_size": 500}, 182_208),
    ("bert", {**PLAIN, "architectures": ["BertModel"]}, 197_464),
    ("bert", {**PLAIN, "architectures": ["BertForMaskedLM"]}, 198_092),
    ("bert", {**PLAIN, "architectures": ["BertForPreTraining"]}, 202_382),
    ("bert", {**PLAIN, "architectures": ["BertForSequenceClassification"]}, 197_594),
    ("bert", {**PLAIN, "architectures": ["BertForTokenClassification"]}, 193_434),
    ("bert", {**PLAIN, "architectures": ["BertForQuestionAnswering"]}, 193_434),
    ("vit", IMAGES, 182_936),
    ("vit", {**IMAGES, "architectures": ["ViTForImageClassification"]}, 178_906),
    (
        "vit",
        {**IMAGES, "architectures": ["ViTForImageClassification"], "qkv_bias": False, "num_labels": 7},
        178_655,
    ),
    (
        "whisper",
        {
            "d_model": 64,
            "encoder_layers": 2,
            "decoder_layers": 3,
            "encoder_attention_heads": 4,
            "decoder_attention_heads": 4,
            "encoder_ffn_dim": 128,
            "decoder_ffn_dim": 96,
            "vocab_size": 52_000,
            "num_mel_bins": 40,
        },
        3_677_792,
    ),
]


def llama(**changes: object) -> dict[str, object]:
    """Return a small Llama's config with changes; a change to `...` leaves the field out."""
    config = {"model_type": "llama", **SIZES, **changes}
    return {name: value for name, value in config.items() if value is not ...}


def read(config: Mapping[str, object]) -> Architecture:
    """Return the architecture of a config that must be readable."""
    reading = read_config(config)
    assert reading.architecture is not None, reading.problems
    return reading.architecture


def noted(reading: ConfigReading) -> set[tuple[str, str]]:
    """Return code and field of each problem."""
    return {(problem.code, problem.where[-1]) for problem in reading.problems}
