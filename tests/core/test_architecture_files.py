"""Files of a model that are broken or mean harm: each refused with its place, none makes reading fail."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.architecture import (
    parameters,
    read_config,
    read_config_text,
    read_metadata,
)
from estimator.architecture.fields import MAX_BYTES
from estimator.problems import Absent, FileRefused
from tests.configs import (
    COUNTED,
    LATENT,
    LINEAR,
    SHARED,
    SIZES,
    llama,
    noted,
)


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


def test_more_heads_than_any_model_has_are_refused() -> None:
    """Heads of some formats are counted one by one: 2^27 of them would fill the memory of this computer."""
    assert ("config_field_out_of_range", "num_attention_heads") in noted(
        read_config(llama(num_attention_heads=2**27))
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
