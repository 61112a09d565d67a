"""What always holds of an architecture: parts add up, more never needs less, operations follow the weights."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.architecture import (
    Architecture,
    Attention,
    LatentAttention,
    LinearAttention,
    Role,
    attended_pairs,
    cache_bytes,
    forward_flops,
    from_catalogue,
    gguf,
    grouped,
    kv_elements_per_token,
    largest_matrix,
    layer_parameters,
    layer_weights,
    most_tokens,
    multiplied_parameters,
    parameters,
    read_config,
    stack_parameters,
    training_flops,
    uniform,
    weight_bytes,
)
from estimator.architecture.image_pipeline import is_image_pipeline
from estimator.architecture.precision import WeightScheme, mxfp4, normal_float4
from estimator.catalogue.embedded import embedded_catalogue
from estimator.problems import Absent

HYBRID = {
    "model_type": "qwen3_next",
    "hidden_size": 64,
    "num_hidden_layers": 8,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "vocab_size": 1000,
    "num_experts": 6,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "shared_expert_intermediate_size": 48,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 12,
}


def built(config: dict[str, object] | None = None, model_id: str = "") -> Architecture:
    """Return a model of the catalogue, or of a config."""
    if config is not None:
        architecture = read_config(config).architecture
    else:
        record = next(record for record in embedded_catalogue().models if record.id == model_id)
        architecture = from_catalogue(record).architecture
    assert architecture is not None
    return architecture


MODELS = {
    record.id: built(model_id=record.id)
    for record in embedded_catalogue().models
    if not is_image_pipeline(record.config)  # pipelines have a reader of their own
}
MODELS["hybrid"] = built(dict(HYBRID))
ANY_MODEL = st.sampled_from(sorted(MODELS)).map(MODELS.__getitem__)
TOKENS = st.integers(0, 300_000)


@given(ANY_MODEL)
def test_layers_and_the_rest_add_up_to_the_whole(model: Architecture) -> None:
    count = parameters(model)
    inside = sum(number * each for _, number, each in count.layers)
    beside = sum(stack_parameters(stack) for stack in model.beside)
    assert count.total == inside + count.outside + beside
    assert sum(number for _, number, _ in count.layers) == len(model.layers)
    assert count.embedding + count.head <= count.outside


@given(ANY_MODEL)
def test_a_token_never_uses_more_than_there_is(model: Architecture) -> None:
    count = parameters(model)
    assert 0 < count.active <= count.language_model
    sparse = any(
        weight.active < weight.copies
        for layer, _ in model.kinds
        for weight in layer_weights(layer, model.hidden)
    )
    assert (count.active < count.language_model) == sparse


@given(ANY_MODEL)
def test_no_tensor_is_larger_than_its_layer(model: Architecture) -> None:
    for layer, _ in model.kinds:
        assert 0 < largest_matrix(layer, model.hidden) < layer_parameters(layer, model.hidden)


@given(ANY_MODEL, TOKENS, TOKENS, st.integers(1, 8), st.booleans())
def test_a_longer_context_never_keeps_less(
    model: Architecture, tokens: int, more: int, requests: int, trim: bool
) -> None:
    before = cache_bytes(model, tokens, requests, trim_windows=trim)
    after = cache_bytes(model, tokens + more, requests, trim_windows=trim)
    assert after.total >= before.total
    assert after.state == before.state
    assert cache_bytes(model, tokens, requests + 1, trim_windows=trim).total >= before.total
    assert before.total == before.growing + before.windowed + before.state + before.cross


@given(ANY_MODEL, TOKENS)
def test_trimming_windows_never_keeps_more(model: Architecture, tokens: int) -> None:
    assert cache_bytes(model, tokens, trim_windows=True).total <= cache_bytes(model, tokens).total


@given(ANY_MODEL, TOKENS)
def test_the_untrimmed_cache_is_tokens_times_elements(model: Architecture, tokens: int) -> None:
    kept = cache_bytes(model, tokens)
    assert kept.total - kept.state == 2 * tokens * kv_elements_per_token(model)


@given(ANY_MODEL, st.integers(0, 2**40), st.integers(1, 16))
def test_the_most_tokens_fit_and_one_more_does_not(model: Architecture, free: int, requests: int) -> None:
    most = most_tokens(model, free, requests=requests)
    assert most is not None
    if most:
        assert cache_bytes(model, most, requests).total <= free
    assert cache_bytes(model, most + 1, requests).total > free


def test_an_eight_bit_block_format_of_the_cache_is_rounded_up_once() -> None:
    llama = MODELS["llama3.1-8b"]
    # q8_0: 34 bytes for 32 values. 65,536 values a token * 34/32 = 69,632 bytes
    assert cache_bytes(llama, 1, bytes_per_element=Fraction(34, 32)).total == 69_632


def test_a_speech_decoder_keeps_the_encoder_s_keys_and_values() -> None:
    whisper = MODELS["whisper-large-v3"]
    # 2 * 32 layers * 1280 * 1500 frames * 2 B
    assert cache_bytes(whisper, 0, encoder_tokens=1500).cross == 2 * 32 * 1280 * 1500 * 2


# --- operations -----------------------------------------------------------------------------------------------


def test_a_pass_of_a_dense_model_is_worked_by_hand() -> None:
    llama = MODELS["llama3.1-8b"]
    # Multiplied: all but the embedding (525,336,576) and the norms (65 * 4096): 7,504,658,432 weights.
    assert multiplied_parameters(llama) == 8_030_261_248 - 525_336_576 - 65 * 4096
    # 100 tokens see 100*101/2 = 5050 pairs; 4 * 4096 operations a pair and layer.
    assert forward_flops(llama, 100) == 2 * 7_504_658_432 * 100 + 32 * 4 * 4096 * 5050
    # The next token sees 101.
    assert forward_flops(llama, 1, 100) == 2 * 7_504_658_432 + 32 * 4 * 4096 * 101
    assert training_flops(llama, 100, 2) == 6 * forward_flops(llama, 100)
    assert training_flops(llama, 100, recompute=True) == 4 * forward_flops(llama, 100)


def test_a_tied_head_is_multiplied_and_an_embedding_is_not() -> None:
    llama = MODELS["llama3.2-1b"]
    assert multiplied_parameters(llama) == 1_235_814_400 - 33 * 2048
    assert multiplied_parameters(MODELS["bert-base"]) < parameters(MODELS["bert-base"]).language_model


@given(st.integers(0, 60), st.integers(0, 60), st.none() | st.integers(1, 40))
def test_pairs_are_counted_as_one_by_one(tokens: int, context: int, window: int | None) -> None:
    seen = [context + place for place in range(1, tokens + 1)]
    expected = sum(count if window is None else min(count, window) for count in seen)
    assert attended_pairs(tokens, context, window) == expected


@given(ANY_MODEL, st.integers(0, 4000), st.integers(0, 4000), st.integers(0, 4000))
def test_a_pass_in_two_parts_costs_what_it_costs_in_one(
    model: Architecture, first: int, second: int, context: int
) -> None:
    parts = forward_flops(model, first, context) + forward_flops(model, second, context + first)
    assert parts == forward_flops(model, first + second, context)


# --- storage --------------------------------------------------------------------------------------------------


@given(ANY_MODEL)
def test_a_uniform_type_stores_its_bits_for_every_parameter(model: Architecture) -> None:
    total = parameters(model).total
    assert isinstance(total, int)
    assert weight_bytes(model, uniform(16)) == 2 * total
    assert weight_bytes(model, uniform(32)) == 4 * total


@given(ANY_MODEL, st.sampled_from([grouped(4, 128), grouped(8, 128), mxfp4(), normal_float4(double=True)]))
def test_packing_lies_between_its_bits_and_sixteen(model: Architecture, scheme: WeightScheme) -> None:
    total = parameters(model).total
    assert isinstance(total, int)
    assert total * scheme.packed_bits / 8 <= weight_bytes(model, scheme) <= 2 * total


@pytest.mark.parametrize(("kind", "bits"), [("q8_0", 8.5), ("Q4_K", 4.5), ("Q6_K", 6.5625), ("F16", 16)])
def test_a_gguf_block_format_has_the_bits_of_its_blocks(kind: str, bits: float) -> None:
    scheme = gguf(kind)
    assert isinstance(scheme, WeightScheme)
    assert float(scheme.packed_bits) == bits


def test_a_gguf_mixture_has_no_closed_form() -> None:
    assert isinstance(gguf("Q4_K_M"), Absent)


def test_the_kinds_of_mixing_are_told_apart() -> None:
    assert isinstance(MODELS["deepseek-v3"].layers[0].mixing, LatentAttention)
    assert isinstance(MODELS["hybrid"].layers[0].mixing, LinearAttention)
    assert isinstance(MODELS["hybrid"].layers[3].mixing, Attention)
    roles = {weight.role for weight in layer_weights(MODELS["hybrid"].layers[0], 64)}
    assert Role.EXPERT in roles
