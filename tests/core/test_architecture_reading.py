"""Reading a config.json: what a format's silence means, what is asked for, and files that mean harm.

The counts of small made-up shapes were taken from the model classes of transformers 5.24 (shapes only, no
weights); each exercises a trait that no catalogued model has.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.architecture import (
    Architecture,
    Attention,
    ConfigReading,
    Experts,
    LinearAttention,
    Quantisation,
    WeightScheme,
    derived_fields,
    from_catalogue,
    parameters,
    read_config,
    read_config_text,
    read_metadata,
    stored_scheme,
)
from estimator.architecture.fields import MAX_BYTES
from estimator.catalogue import ModelRecord
from estimator.evidence import EvidenceKind
from estimator.problems import Absent, FileRefused, Severity

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


@pytest.mark.parametrize(("model_type", "shape", "count"), COUNTED)
def test_a_format_has_the_weights_of_its_class(
    model_type: str, shape: Mapping[str, object], count: int
) -> None:
    assert parameters(read({"model_type": model_type, **shape})).total == count


# --- absence --------------------------------------------------------------------------------------------------


def test_a_meaning_of_the_format_is_marked_derived() -> None:
    architecture = read(llama(num_key_value_heads=...))
    reading = architecture.reading("num_key_value_heads")
    assert reading is not None
    assert (reading.value, reading.kind, reading.rule) == (8, EvidenceKind.DERIVED, "kv_heads_are_heads")
    stated = read(llama()).reading("num_key_value_heads")
    assert stated is not None
    assert (stated.value, stated.kind) == (4, EvidenceKind.GIVEN)
    assert {entry.field for entry in derived_fields(architecture)} >= {"head_dim", "tie_word_embeddings"}


@pytest.mark.parametrize("field", [name for name in SIZES if name != "num_key_value_heads"])
def test_a_size_that_is_missing_is_asked_for_by_name(field: str) -> None:
    reading = read_config(llama(**{field: ...}))
    assert reading.architecture is None
    assert ("config_field_missing", field) in noted(reading)
    assert all(problem.severity is Severity.MISSING for problem in reading.problems)


def test_every_missing_size_is_named_at_once() -> None:
    reading = read_config({"model_type": "deepseek_v3"})
    names = {field for code, field in noted(reading) if code == "config_field_missing"}
    assert names >= {
        "hidden_size",
        "num_hidden_layers",
        "num_attention_heads",
        "vocab_size",
        "kv_lora_rank",
        "q_lora_rank",
        "num_experts",
        "moe_intermediate_size",
    }


def test_a_default_that_is_the_size_of_one_model_is_no_meaning() -> None:
    # The class of Mistral would fill in 8 KV heads, that of Qwen3 a head width of 128.
    mistral = read_config(llama(model_type="mistral", num_key_value_heads=...))
    assert noted(mistral) == {("config_field_missing", "num_key_value_heads")}
    assert noted(read_config(llama(model_type="qwen3"))) == {("config_field_missing", "head_dim")}


def test_null_kv_heads_mean_as_many_as_heads_in_every_format() -> None:
    layer = read(llama(model_type="mistral", num_key_value_heads=None)).layers[0]
    assert isinstance(layer.mixing, Attention)
    assert layer.mixing.kv_heads == 8


def test_a_head_width_that_does_not_divide_is_asked_for() -> None:
    reading = read_config(llama(hidden_size=100))
    assert noted(reading) == {("heads_do_not_divide_hidden", "head_dim")}
    assert read(llama(hidden_size=100, head_dim=16)).hidden == 100


def test_published_text_parts_that_leave_sizes_out_take_their_class() -> None:
    # google/gemma-3-4b-it states none of heads, KV heads, head width and vocabulary.
    part = {
        "model_type": "gemma3_text",
        "hidden_size": 2560,
        "num_hidden_layers": 34,
        "intermediate_size": 10_240,
        "sliding_window": 1024,
    }
    architecture = read({"model_type": "gemma3", "text_config": part})
    assert parameters(architecture).total == 3_880_263_168
    heads = architecture.reading("text_config.num_attention_heads")
    assert heads is not None
    assert (heads.value, heads.rule) == (8, "written_as_difference")
    assert read_config(part).architecture is None  # on its own, such a file is no such difference


def test_a_window_is_used_only_where_it_is_stated() -> None:
    def window(**changes: object) -> int | None:
        mixing = read(llama(model_type="mistral", **changes)).layers[0].mixing
        assert isinstance(mixing, Attention)
        return mixing.window

    assert window(sliding_window=256) == 256
    assert window(sliding_window=None) is None
    assert window() is None  # the class would take 4096, and the need would be too low where that is wrong


def test_layers_slide_where_the_format_places_them() -> None:
    def windows(config: Mapping[str, object]) -> list[int | None]:
        return [layer.mixing.window for layer in read(config).layers if isinstance(layer.mixing, Attention)]

    gemma2 = {"model_type": "gemma2", **WIDE, "sliding_window": 32}
    assert windows(gemma2) == [32, None, 32, None, 32, None]
    assert windows({**gemma2, "model_type": "gemma3_text", "sliding_window_pattern": 3}) == [32, 32, None] * 2
    qwen = {"model_type": "qwen2", **SIZES, "sliding_window": 32, "max_window_layers": 4}
    assert windows(qwen) == [None] * 6
    assert windows({**qwen, "use_sliding_window": True}) == [None] * 4 + [32] * 2
    listed = ["full_attention"] * 5 + ["sliding_attention"]
    assert windows({**gemma2, "layer_types": listed}) == [None] * 5 + [32]


def test_linear_layers_stand_between_those_with_attention() -> None:
    layers = read({"model_type": "qwen3_next", **WIDE, **SHARED, **LINEAR}).layers
    assert [isinstance(layer.mixing, LinearAttention) for layer in layers] == [
        True,
        True,
        True,
        False,
        True,
        True,
    ]
    assert all(isinstance(layer.mlp, Experts) for layer in layers)


def test_the_first_layers_of_a_mixture_may_be_dense() -> None:
    layers = read({"model_type": "deepseek_v2", **LATENT, "q_lora_rank": None}).layers
    assert [isinstance(layer.mlp, Experts) for layer in layers] == [False, True, True, True, True]


# --- other parts of a file ------------------------------------------------------------------------------------


def test_a_tower_of_unknown_shape_leaves_the_total_unknown_and_the_language_model_known() -> None:
    reading = read_config(llama(vision_config={"hidden_size": 32}))
    assert noted(reading) == {("tower_not_counted", "vision_config")}
    assert reading.architecture is not None
    count = parameters(reading.architecture)
    assert count.language_model == parameters(read(llama())).total
    assert isinstance(count.total, Absent)


def test_the_outer_tie_counts_for_a_text_part_that_is_silent() -> None:
    part = {"model_type": "llama", **SIZES}
    tied = read({"model_type": "llava", "text_config": part, "tie_word_embeddings": True})
    untied = read({"model_type": "llava", "text_config": part})
    assert (tied.tied, untied.tied) == (True, False)


@pytest.mark.parametrize(
    ("scaling", "length"),
    [
        (None, 4096),
        ({"type": "linear", "factor": 4.0}, 16_384),
        ({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}, 16_384),
        ({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024}, 4096),
        ({"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 4096}, 4096),
        ({"rope_type": "default", "rope_theta": 1e6}, 4096),
        ({"type": "linear", "factor": 1e300}, 4096),
        ({"type": "linear", "factor": "4"}, 4096),
    ],
)
def test_a_context_is_scaled_once_at_most(scaling: object, length: int) -> None:
    assert read(llama(max_position_embeddings=4096, rope_scaling=scaling)).context_length == length


def test_a_context_that_is_not_stated_is_absent() -> None:
    assert read(llama()).context_length == Absent(
        "context_length_not_stated", ("config", "max_position_embeddings")
    )


@pytest.mark.parametrize(
    ("stated", "bits"),
    [
        ({"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": True}, 4 + 20 / 128),
        ({"quant_method": "awq", "bits": 4, "group_size": 64}, 4 + 20 / 64),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, 4.5),
        ({"load_in_4bit": True, "bnb_4bit_use_double_quant": True}, 4 + 8 / 64 + 32 / (64 * 256)),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, 8),
        ({"quant_method": "fp8"}, 8),
    ],
)
def test_a_quantised_checkpoint_says_its_bits(stated: Mapping[str, object], bits: float) -> None:
    scheme = stored_scheme(read(llama(quantization_config=stated, torch_dtype="bfloat16")))
    assert isinstance(scheme, WeightScheme)
    assert float(scheme.packed_bits) == bits


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ({"quant_method": "gptq", "bits": 4, "group_size": -1}, "quantisation_size_missing"),
        ({"quant_method": "a_new_one", "bits": 3}, "quantisation_unknown"),
        ({}, "quantisation_unknown"),
    ],
)
def test_a_quantisation_that_is_not_known_leaves_the_size_absent(
    stated: Mapping[str, object], code: str
) -> None:
    architecture = read(llama(quantization_config=stated, torch_dtype="bfloat16"))
    assert isinstance(architecture.quantisation, Quantisation)
    scheme = stored_scheme(architecture)
    assert isinstance(scheme, Absent)
    assert scheme.code == code


def test_a_type_that_is_not_stated_leaves_the_size_absent() -> None:
    assert isinstance(stored_scheme(read(llama())), Absent)


def test_an_unknown_format_is_refused_and_may_be_read_as_a_known_one() -> None:
    reading = read_config(llama(model_type="a_new_one"))
    assert noted(reading) == {("model_type_unknown", "model_type")}
    known = read_config(llama(model_type="a_new_one"), read_as="llama").architecture
    assert known is not None
    assert parameters(known).total == parameters(read(llama())).total


def test_a_planner_s_own_record_may_hold_a_config() -> None:
    record = ModelRecord(id="own", name="Own", parameters=1, config=llama())
    reading = from_catalogue(record)
    assert reading.architecture is not None
    assert reading.architecture.name == "Own"
    stranger = from_catalogue(
        ModelRecord(id="own", name="Own", family="New", parameters=1, config={"hidden": 8})
    )
    assert stranger.architecture is None


# --- files that are wrong, or mean harm -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "config_not_json"),
        (b"\xff\xfe\x00", "config_not_json"),
        (b"[1, 2]", "config_not_an_object"),
        (b'{"hidden_size": NaN}', "config_not_json"),
        (b"[" * 100_000, "config_not_json"),
        (b'{"hidden_size": ' + b"9" * 5000 + b"}", "config_not_json"),
        (b" " * (MAX_BYTES + 1), "config_too_large"),
    ],
)
def test_a_broken_file_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(FileRefused) as refused:
        read_config_text(content)
    assert refused.value.code == code


def test_a_byte_order_mark_is_no_obstacle() -> None:
    content = b"\xef\xbb\xbf" + json.dumps(llama()).encode()
    assert read_config_text(content).architecture is not None


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (10**40, "config_field_out_of_range"),
        (-1, "config_field_out_of_range"),
        (0, "config_field_out_of_range"),
        (True, "config_field_not_a_number"),
        (64.0, "config_field_not_a_number"),
        ("64", "config_field_not_a_number"),
        ([64], "config_field_not_a_number"),
    ],
)
@pytest.mark.parametrize("field", list(SIZES))
def test_a_size_that_is_none_is_refused_with_its_place(field: str, value: object, code: str) -> None:
    reading = read_config(llama(**{field: value}))
    assert reading.architecture is None
    assert (code, field) in noted(reading)


def test_more_layers_than_any_model_has_are_refused() -> None:
    assert ("config_field_out_of_range", "num_hidden_layers") in noted(
        read_config(llama(num_hidden_layers=10**6))
    )


GEMMA: dict[str, object] = {"model_type": "gemma2", "head_dim": 8}


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"num_key_value_heads": 3}, "kv_heads_do_not_divide", "num_key_value_heads"),
        ({"tie_word_embeddings": "yes"}, "config_field_not_a_flag", "tie_word_embeddings"),
        ({"architectures": "BertModel", "model_type": "bert"}, "config_field_not_a_list", "architectures"),
        ({**GEMMA, "layer_types": ["full_attention"]}, "layer_types_length", "layer_types"),
        ({**GEMMA, "layer_types": ["odd"] * 6}, "layer_type_unknown", "layer_types"),
        ({**GEMMA, "layer_types": [{}] * 6}, "config_field_not_a_list", "layer_types"),
        (
            {"model_type": "mixtral", "num_local_experts": 2, "num_experts_per_tok": 3},
            "experts_per_token_above_experts",
            "num_experts_per_tok",
        ),
    ],
)
def test_fields_that_contradict_each_other_are_told(
    changes: dict[str, object], code: str, field: str
) -> None:
    reading = read_config(llama(**changes))
    assert reading.architecture is None
    assert noted(reading) == {(code, field)}


NAMES = st.sampled_from(
    [
        *(*SIZES, *LATENT, *LINEAR, *SHARED, "layer_types", "text_config", "vision_config", "rope_scaling"),
        *("quantization_config", "q_lora_rank", "head_dim", "sliding_window", "mlp_only_layers", "id2label"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**30) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)
FORMATS = st.sampled_from(sorted({model_type for model_type, _, _ in COUNTED} | {"gemma3", "llama4", "odd"}))


@given(FORMATS, st.dictionaries(NAMES, VALUES, max_size=10))
def test_no_config_makes_reading_fail(model_type: str, changes: dict[str, object]) -> None:
    reading = read_config({**LATENT, **LINEAR, **SHARED, "model_type": model_type, **changes})
    if reading.architecture is None:
        assert reading.problems
    else:
        assert parameters(reading.architecture).language_model > 0
        hash(reading.architecture)  # the engines memoise on it


@given(st.dictionaries(st.text(max_size=6), VALUES, max_size=4), VALUES)
def test_no_metadata_makes_reading_fail(counts: dict[str, object], total: object) -> None:
    found = read_metadata({"safetensors": {"parameters": counts, "total": total}})
    assert isinstance(found.parameters, int | Absent)
