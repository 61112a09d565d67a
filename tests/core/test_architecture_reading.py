"""Reading a config.json: what a format's silence means, what is asked for, and the parts of a file."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from estimator.architecture import (
    Attention,
    Experts,
    LinearAttention,
    Quantisation,
    WeightScheme,
    derived_fields,
    from_catalogue,
    parameters,
    read_config,
    stored_scheme,
)
from estimator.catalogue import ModelRecord
from estimator.evidence import EvidenceKind
from estimator.problems import Absent, Severity
from tests.configs import (
    COUNTED,
    LATENT,
    LINEAR,
    SHARED,
    SIZES,
    WIDE,
    llama,
    noted,
    read,
)


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
