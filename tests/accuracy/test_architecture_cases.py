"""Known answers for architectures: published counts of the catalogue's models, configs with a trap each, caches.

The files of tests/data/model_configs are public shapes; model_counts.json holds their published counts.
"""

from __future__ import annotations

import json
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from estimator.architecture import (
    Architecture,
    Attention,
    Dense,
    Layer,
    LinearAttention,
    Role,
    Stack,
    adapter_parameters,
    cache_bytes,
    fp8_blocks,
    from_catalogue,
    grouped,
    kv_elements_per_token,
    layer_parameters,
    layer_weights,
    most_tokens,
    mxfp4,
    next_token_parameters,
    packed_parameters,
    parameters,
    read_config,
    read_config_text,
    read_metadata,
    stored_scheme,
    uniform,
    weight_bytes,
)
from estimator.architecture.catalogued import config_of
from estimator.architecture.precision import WeightScheme, scale_count
from estimator.architecture.weights import next_token_weights
from estimator.catalogue.embedded import embedded_catalogue
from estimator.problems import Absent, Severity
from estimator.units import GIB, MIB

DATA = Path(__file__).parents[1] / "data"
CONFIGS = DATA / "model_configs"
COUNTS: dict[str, dict[str, dict[str, Any]]] = json.loads(
    (DATA / "model_counts.json").read_text(encoding="utf-8")
)
RECORDS = {record.id: record for record in embedded_catalogue().models if record.kind != "image pipeline"}
WITH_TOWER = ("llama4-scout", "llama4-maverick", "gemma3-4b", "gemma3-12b", "gemma3-27b")

# What the published files of these models hold beside the text: Gemma 3's SigLIP, Llama 4's tower.
SIGLIP = {
    "hidden_size": 1152,
    "num_hidden_layers": 27,
    "num_attention_heads": 16,
    "intermediate_size": 4304,
    "image_size": 896,
    "patch_size": 14,
}
LLAMA4_TOWER = {
    "hidden_size": 1408,
    "num_hidden_layers": 34,
    "num_attention_heads": 16,
    "intermediate_size": 5632,
    "image_size": 336,
    "patch_size": 14,
    "projector_input_dim": 4096,
    "projector_output_dim": 4096,
    "vision_output_dim": 4096,
}


def architecture_of(file: str) -> Architecture:
    """Return the architecture of a file of tests/data/model_configs."""
    reading = read_config_text((CONFIGS / file).read_bytes(), file)
    assert reading.architecture is not None, reading.problems
    return reading.architecture


def catalogued(model_id: str) -> Architecture:
    """Return the architecture of a model of the embedded catalogue."""
    reading = from_catalogue(RECORDS[model_id])
    assert reading.architecture is not None, reading.problems
    return reading.architecture


def cached_shape(layers: int, kv_heads: int, head_dim: int, linear: int = 0) -> Architecture:
    """Return a model of which only the cache matters: attention layers, then linear ones of Qwen3.5-27B's shape."""
    attending = Layer(Attention(kv_heads, kv_heads, head_dim), Dense(1))
    remembering = Layer(LinearAttention(16, 128, 48, 128, 4), Dense(1))
    stack = Stack("language", 1, (attending,) * layers + (remembering,) * linear, ())
    return Architecture("shape", "llama", stack, 1, False, Absent("context_length_not_stated"))


def gib(count: int | Fraction, places: int) -> Decimal:
    """Return bytes in GiB, half up to so many places."""
    exact = Decimal(Fraction(count).numerator) / Decimal(Fraction(count).denominator) / GIB
    return exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


# --- the catalogue --------------------------------------------------------------------------------------------


def test_every_catalogued_model_has_known_counts() -> None:
    assert set(RECORDS) == set(COUNTS["catalogue"])
    assert len(RECORDS) == 68


@pytest.mark.parametrize("model_id", sorted(COUNTS["catalogue"]))
def test_a_catalogued_model_has_its_exact_counts(model_id: str) -> None:
    known, count = COUNTS["catalogue"][model_id], parameters(catalogued(model_id))
    assert count.total == count.language_model == known["total"]
    if known["active"] is not None:
        assert count.active == known["active"]
    if known["embedding"] is not None:
        assert (count.embedding, count.head) == (known["embedding"], known["head"])
    if known["cache_elements_per_token"] is not None:
        assert kv_elements_per_token(catalogued(model_id)) == known["cache_elements_per_token"]


def test_sixty_three_published_totals_are_reproduced() -> None:
    exact = [model_id for model_id, known in COUNTS["catalogue"].items() if known["exact"]]
    assert len(exact) == 63
    assert set(COUNTS["catalogue"]) - set(exact) == set(WITH_TOWER)
    for model_id in exact:
        published, count = COUNTS["catalogue"][model_id]["published"], parameters(catalogued(model_id))
        # Two published files also store a copy of the tied head: qwen3-0.6b 596,049,920 + 151936*1024, qwen3-1.7b.
        stored_copy = count.embedding if model_id in ("qwen3-0.6b", "qwen3-1.7b") else 0
        assert count.total == published - stored_copy


@pytest.mark.parametrize("model_id", WITH_TOWER)
def test_the_gap_of_the_other_five_is_exactly_their_image_tower(model_id: str) -> None:
    text = catalogued(model_id)
    kind = "llama4" if model_id.startswith("llama4") else "gemma3"
    config = {
        "model_type": kind,
        "text_config": config_of(RECORDS[model_id]),
        "vision_config": LLAMA4_TOWER if kind == "llama4" else SIGLIP,
    }
    whole = read_config(config).architecture
    assert whole is not None
    assert parameters(whole).language_model == parameters(text).total
    assert parameters(whole).total == COUNTS["catalogue"][model_id]["published"]


# --- configs: O-CFG-01 to 23 ----------------------------------------------------------------------------------


@pytest.mark.parametrize("file", sorted(COUNTS["configs"]))
def test_a_config_has_its_exact_counts(file: str) -> None:
    known, architecture = COUNTS["configs"][file], architecture_of(file)
    count = parameters(architecture)
    assert count.language_model == known["language_model_parameters"]
    assert 2 * kv_elements_per_token(architecture) == known["kv_bytes_per_token_16bit_all_layers_full"]
    assert gib(2 * count.language_model, 4) == Decimal(str(known["weights_16bit_GiB"]))
    if "active_parameters_per_token" in known:
        assert count.active == known["active_parameters_per_token"]


def test_a_scaled_context_is_not_scaled_again() -> None:
    assert architecture_of("llama-3.1-8b.json").context_length == 131_072  # O-CFG-02
    assert architecture_of("rope_already_applied.json").context_length == 32_768  # O-IMP-05: not 131,072


def test_a_nested_text_part_is_counted_apart_from_its_image_tower() -> None:
    architecture = architecture_of("gemma-3-27b-nested.json")
    count = parameters(architecture)
    assert count.total == 27_432_406_640  # O-CFG-10
    # SigLIP 416,866,032 + projector 1152*5376 + its norm 1152 = 6,194,304
    assert [tower for _, tower in count.towers] == [416_866_032 + 6_194_304]
    windows = [layer.mixing.window for layer in architecture.layers if isinstance(layer.mixing, Attention)]
    assert (windows.count(1024), windows.count(None)) == (52, 10)


def test_the_published_file_of_deepseek_v3_is_reproduced_to_the_byte() -> None:
    architecture = architecture_of("deepseek-v3.json")
    scheme = stored_scheme(architecture)
    assert scheme == fp8_blocks((128, 128))
    assert isinstance(scheme, WeightScheme)
    # O-CFG-16: 61 layers and one next-token layer with its copies of embedding and head.
    assert weight_bytes(architecture, scheme, with_next_token=True) == 688_574_839_360
    main = parameters(architecture).total
    assert isinstance(main, int)
    assert main + next_token_parameters(architecture) == 684_489_845_504
    extra = next_token_weights(architecture.layers[-1], architecture.hidden, architecture.vocab)
    blocks = sum(
        count * scale_count(weight, scheme)
        for layer, count in architecture.kinds
        for weight in layer_weights(layer, architecture.hidden)
    ) + sum(scale_count(weight, scheme) for weight in extra)
    assert blocks == 41_540_496
    # The hub's 684,531,386,000 elements count the scales as well.
    assert main + next_token_parameters(architecture) + blocks == 684_531_386_000


# --- imports: O-IMP-05 to 07 ----------------------------------------------------------------------------------


def test_a_file_without_a_language_shape_is_refused_by_the_names_of_what_it_lacks() -> None:
    reading = read_config_text((CONFIGS / "no_language_shape.json").read_bytes())
    assert reading.architecture is None  # O-IMP-06: nothing from defaults, nothing from vision_config
    missing = {problem.where[-1] for problem in reading.problems if problem.severity is Severity.MISSING}
    assert missing >= {"hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"}


def test_older_field_names_are_read() -> None:
    architecture = architecture_of("old_names_gptj.json")  # O-IMP-07
    assert parameters(architecture).total == 6_050_882_784
    assert cache_bytes(architecture, 2048).total == Decimal("0.875") * GIB
    mlp = architecture.layers[0].mlp
    assert isinstance(mlp, Dense)
    assert mlp.width == 16_384  # n_inner null: 4 * n_embd


# --- caches: O-MEM-01 to 09, 15, 33, 34 -----------------------------------------------------------------------


def test_a_cache_pool_of_blocks_holds_its_tokens() -> None:
    shape = cached_shape(32, 32, 128)
    assert cache_bytes(shape, 4096).total == 2 * GIB  # O-MEM-01
    assert most_tokens(shape, 229 * 16 * 524_288) == 3664
    larger = cached_shape(80, 8, 128)  # O-MEM-33: 327,680 B a token
    assert gib(cache_bytes(larger, 8192).total, 3) == Decimal("2.500")
    assert gib(cache_bytes(larger, 378 * 16).total, 3) == Decimal("1.846")


def test_a_full_context_asks_for_its_whole_cache() -> None:
    llama = architecture_of("llama-3.1-8b.json")
    assert cache_bytes(llama, 131_072).total == 16 * GIB  # O-MEM-02
    assert most_tokens(llama, int(Decimal("0.71") * GIB)) == 5816
    assert (
        cache_bytes(llama, 8192, requests=8).total == 8 * GIB
    )  # O-MEM-04: not 32, as query heads would give
    # O-MEM-03: 23.58 * 0.9 - 17.98 - 0.35 = 2.892 GiB, about 1478 blocks of 16 tokens
    tokens = most_tokens(llama, int(Decimal("2.892") * GIB))
    assert tokens is not None
    assert abs(tokens - 23_648) <= 64


def test_a_stated_head_width_is_believed() -> None:
    mistral = architecture_of("mistral-small-24b.json")
    assert cache_bytes(mistral, 32_768).total == 5 * GIB  # O-MEM-05: 5120/32 = 160 would give 6.25 GiB


def test_a_latent_cache_keeps_one_latent_for_all_heads() -> None:
    deepseek = architecture_of("deepseek-v3.json")
    assert 2 * kv_elements_per_token(deepseek) == 70_272  # O-MEM-06: (512+64)*61*2
    assert gib(cache_bytes(deepseek, 65_536).total, 3) == Decimal("4.289")
    # Expanded: 128 * (128+64+128) values a layer and token
    assert gib(cache_bytes(deepseek, 65_536, latent_form="expanded").total, 0) == 305


def test_windowed_layers_keep_their_window_only_where_the_engine_trims() -> None:
    gemma = architecture_of("gemma-2-9b.json")  # O-MEM-07: 21 layers * 4096 + 21 * 8192 tokens * 8192 B
    trimmed, whole = cache_bytes(gemma, 8192, trim_windows=True), cache_bytes(gemma, 8192)
    assert (trimmed.total, trimmed.windows_trimmed) == (2_113_929_216, True)  # 1.96875 GiB
    assert (whole.total, whole.windows_trimmed) == (2_818_572_288, False)  # 2.625 GiB


def test_only_attention_layers_of_a_hybrid_grow() -> None:
    hybrid = cached_shape(16, 4, 256, linear=48)  # O-MEM-08
    kept = cache_bytes(hybrid, 262_144)
    assert kept.growing == 16_384 * MIB  # 16*2*4*256*2 = 65,536 B a token
    # The report's 598.5 MiB is the state of 4 sequences in 32 bits:
    # 48 * (48*128*128 + (2*16*128 + 48*128) * 3) * 4 B = 149.625 MiB each.
    assert cache_bytes(hybrid, 0, requests=4).state == Decimal("598.5") * MIB


def test_the_cache_follows_its_own_precision() -> None:
    shape = cached_shape(48, 4, 128)
    assert cache_bytes(shape, 1, bytes_per_element=1).total == 49_152  # O-MEM-09
    assert gib(cache_bytes(shape, 221_000, bytes_per_element=1).total, 2) == Decimal("10.12")
    assert most_tokens(shape, int(Decimal("10.55") * GIB), 1) == pytest.approx(230_468, abs=150)
    assert most_tokens(shape, int(Decimal("5.59") * GIB), 1) == pytest.approx(122_115, abs=150)
    wide = cached_shape(60, 52, 128)  # O-MEM-34: a width of 6656
    assert cache_bytes(wide, 512, bytes_per_element=4).total == 1560 * MIB
    assert cache_bytes(wide, 512, bytes_per_element=2).total == 780 * MIB


def test_the_cache_of_a_grouped_model_before_it_is_divided() -> None:
    llama = catalogued("llama3.1-70b")
    assert gib(cache_bytes(llama, 100_000).total, 3) == Decimal("30.518")  # O-MEM-15
    assert cache_bytes(llama, 8192, requests=8).total == 20 * GIB  # O-E2E-01
    assert gib(weight_bytes(llama, uniform(16)), 2) == Decimal("131.42")


# --- weights and counts: O-MEM-20 to 29, 31, 32, 36 to 38 -----------------------------------------------------


def test_a_gated_mlp_has_three_matrices() -> None:
    qwen = architecture_of("qwen1.5-72b.json")
    assert parameters(qwen).total == 72_287_920_128  # O-MEM-20: 56.19e9 with two
    assert gib(weight_bytes(qwen, uniform(16)), 1) == Decimal("134.6")  # O-MEM-31
    assert gib(weight_bytes(qwen, uniform(32)), 1) == Decimal("269.3")


def test_all_experts_are_resident() -> None:
    count = parameters(architecture_of("qwen3-30b-a3b.json"))
    assert isinstance(count.total, int)
    assert gib(count.total * Fraction(58, 100), 2) == Decimal("16.49")  # O-MEM-21
    assert gib(count.active * Fraction(58, 100), 2) == Decimal("1.81")


def test_a_tied_embedding_is_counted_once() -> None:
    llama = architecture_of("llama-3.2-1b.json")
    count = parameters(llama)
    assert (count.total, count.head) == (1_235_814_400, 0)  # O-MEM-22
    assert count.language_model + count.embedding == 1_498_482_688  # the wrong answer: 128256*2048 twice
    assert gib(weight_bytes(llama, uniform(16)), 3) == Decimal("2.302")
    small = parameters(catalogued("qwen2.5-0.5b"))
    assert (small.total, small.embedding) == (494_032_768, 136_134_656)  # O-MEM-36


def test_the_whole_root_and_layer_of_a_sharded_model() -> None:
    llama = parameters(architecture_of("llama-3.1-8b.json"))
    (layer, count, each), *others = llama.layers
    assert (count, each, others) == (32, 218_112_000, [])  # O-MEM-23
    assert layer_parameters(layer, 4096) == each
    assert gib(2 * each, 3) == Decimal("0.406")
    assert gib(2 * llama.outside, 3) == Decimal("1.957")
    assert parameters(catalogued("llama3.1-70b")).outside == 2_101_354_496  # O-MEM-32


def test_grouped_quantisation_counts_scales_and_what_stays_in_16_bits() -> None:
    llama = architecture_of("llama-2-7b-no-kv-field.json")
    awq = grouped(4, 128)
    assert awq.packed_bits == Fraction(415_625, 100_000)  # O-MEM-25: 4 + 16/128 + 4/128
    assert packed_parameters(llama, awq) == 6_476_005_376
    assert weight_bytes(llama, awq) == 3_889_307_648


def test_mxfp4_packs_the_experts_alone() -> None:
    gpt_oss = architecture_of("gpt-oss-20b.json")
    assert stored_scheme(gpt_oss) == mxfp4()
    assert packed_parameters(gpt_oss, mxfp4()) == 19_110_297_600  # O-MEM-26, O-CFG-17
    assert weight_bytes(gpt_oss, mxfp4()) == 13_761_264_768
    assert gib(weight_bytes(gpt_oss, uniform(16)), 3) == Decimal("38.957")


def test_a_quantised_checkpoint_is_believed_over_the_type_it_names() -> None:
    deepseek = architecture_of("deepseek-v3.json")
    assert deepseek.stored_type == "bfloat16"
    scheme = stored_scheme(deepseek)
    assert isinstance(scheme, WeightScheme)
    assert gib(weight_bytes(deepseek, scheme), 1) == Decimal(
        "626.9"
    )  # O-MEM-27: with scales and 16-bit parts
    assert gib(weight_bytes(deepseek, uniform(8)), 1) == Decimal("624.9")
    assert gib(weight_bytes(deepseek, uniform(16)), 1) == Decimal("1249.9")


def test_adapters_train_their_own_values_only() -> None:
    all_seven = frozenset({"q", "k", "v", "o", "gate", "up", "down"})
    assert adapter_parameters(architecture_of("llama-3.1-8b.json"), 16, all_seven) == 41_943_040  # O-MEM-28
    small = adapter_parameters(architecture_of("llama-2-7b-no-kv-field.json"), 8, frozenset({"q", "v"}))
    assert small == 4_194_304  # O-MEM-37: 32*2*8*8192
    assert 16 * small == 64 * MIB


@pytest.mark.parametrize(
    ("file", "count"),
    [("hub_meta_stale_total.json", 7_615_616_512), ("hub_meta_stale_total_2.json", 23_572_403_200)],
)
def test_a_stale_declared_total_is_told_and_not_believed(file: str, count: int) -> None:
    found = read_metadata(json.loads((CONFIGS / file).read_text(encoding="utf-8")))
    assert found.parameters == count  # O-MEM-29, O-MEM-38
    assert [problem.code for problem in found.problems] == ["metadata_total_disagrees"]


def test_packed_elements_are_not_parameters() -> None:
    # gpt-oss-20b's hub entry: 21,511,953,984 elements, most of them bytes that hold two weights.
    counts = {"BF16": 1_804_459_584, "U8": 19_707_494_400}
    found = read_metadata({"safetensors": {"parameters": counts, "total": 21_511_953_984}})
    assert isinstance(found.parameters, Absent)
    assert found.parameters.code == "metadata_packed_elements"


def test_experts_are_counted_by_their_role() -> None:
    gpt_oss = architecture_of("gpt-oss-20b.json")
    experts = sum(
        count * weight.parameters
        for layer, count in gpt_oss.kinds
        for weight in layer_weights(layer, gpt_oss.hidden)
        if weight.role is Role.EXPERT
    )
    assert experts == 24 * 32 * 3 * 2880 * 2880
