"""The closed forms of memory: known answers with their arithmetic, and properties that hold for any recipe."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.memory import (
    Adapter,
    Attention,
    Average,
    Basis,
    Experts,
    Family,
    FullShard,
    Generation,
    LatentAttention,
    Lever,
    LossKernel,
    MasterWeights,
    MemoryLedger,
    ModelShape,
    MomentKind,
    Optimizer,
    Pipeline,
    PipelineSchedule,
    Precision,
    Projection,
    Replicas,
    SlidingLayers,
    StateClass,
    Tensor,
    Training,
    block_pool,
    generation_basis,
    generation_ledger,
    greedy_shards,
    grouped_format,
    kv_bytes_per_token,
    kv_cache_bytes,
    least_legal_degree,
    legal_tensor_degrees,
    lever_effects,
    padded_vocabulary,
    pipeline_ledger,
    pool_bytes,
    sharded_basis,
    sharded_ledger,
    stored_weight_bytes,
    tensor_ledger,
    training_basis,
    training_ledger,
    worst_stage,
)
from estimator.memory.losses import loss_backward_spike, loss_forward_spike
from estimator.memory.megatron import (
    context_tokens,
    expert_share,
    legal_expert_degrees,
    megatron_layer_saved,
    zero_states,
)
from estimator.memory.saved import adapter_parameters, has_products, products_kept
from estimator.memory.serving import BlockPool
from estimator.memory.shape import decoder_parameters, layer_parameters, root_parameters
from estimator.memory.weights import GGUF_Q8_0_KV_BITS, MXFP4_EXPERTS
from estimator.units import GIB


def llama(
    layers: int, hidden: int, heads: int, kv_heads: int, mlp: int, vocab: int, head_dim: int = 128
) -> ModelShape:
    shape = ModelShape(Family.LLAMA, layers, hidden, heads, kv_heads, head_dim, mlp, vocab, False, 0)
    return replace(shape, parameters=decoder_parameters(shape))


LLAMA_8B = llama(32, 4096, 32, 8, 14336, 128256)
LLAMA_70B = llama(80, 8192, 64, 8, 28672, 128256)
LLAMA_2_7B = llama(32, 4096, 32, 32, 11008, 32000)
DEEPSEEK_V3 = ModelShape(
    Family.DEEPSEEK, 61, 7168, 128, 128, 56, 18432, 129280, False, 671_026_419_200,
    experts=Experts(256, 8, 2048, 2048, 3), latent=LatentAttention(1536, 512, 128, 64, 128),
)  # fmt: skip
PLAIN = Training(
    batch=1,
    length=1024,
    parameters=Precision.BF16,
    autocast=False,
    attention=Attention.SDPA,
    optimizer=Optimizer.ADAMW,
    is_foreach=False,
    checkpointing=False,
)
READING = Generation(1, 1024, 1, Precision.BF16, Attention.SDPA)
SEVEN = tuple(Projection)


def gib(count: Fraction | int) -> float:
    return round(float(count) / GIB, 3)


# Parameters


def test_a_decoder_counts_its_layers_its_tables_and_its_last_norm() -> None:
    # attention 2 x 4096^2 + 2 x 4096 x 1024, MLP 3 x 4096 x 14336, two norms of 4096
    assert layer_parameters(LLAMA_8B) == 218_112_000
    assert LLAMA_8B.parameters == 8_030_261_248
    assert LLAMA_70B.parameters == 70_553_706_496
    # 2 x 128256 x 4096 + 4096
    assert root_parameters(LLAMA_8B) == 1_050_677_248


def test_adapters_count_rank_times_input_and_output_of_each_projection() -> None:
    # 16 x (8192 + 5120 + 5120 + 8192 + 3 x 18432) x 32 layers
    every = Adapter(16, SEVEN, Precision.FP32)
    assert 32 * adapter_parameters(LLAMA_8B, every) == 41_943_040
    # 32 layers x 2 projections x 8 x 8192
    few = Adapter(8, (Projection.QUERY, Projection.VALUE), Precision.FP32)
    assert 32 * adapter_parameters(LLAMA_2_7B, few) == 4_194_304


# Training


def test_the_loss_backward_of_a_small_model_is_the_sum_of_its_terms() -> None:
    shape = llama(2, 64, 4, 2, 128, 1000, head_dim=16)
    step = training_ledger(shape, replace(PLAIN, length=32, optimizer=Optimizer.SGD))
    loss = next(found for found in step.moments if found.kind is MomentKind.LOSS_BACKWARD)
    # a layer: 2 x 64 x 64 + 2 x 64 x 32 + 3 x 64 x 128 + 128 = 36,992; 2 layers + 2 x 64,000 + 64 = 202,048
    assert loss.of(StateClass.WEIGHTS) == 2 * 202_048
    # per token and layer: norms 16 x 64 + 2 x 4; attention 2 x (2 x 64 + 2 x 32) + 4 x 4; MLP 4 x 2 x 128
    # = 1,032 + 400 + 1,024 = 2,456; two layers and 8 x 64 + 4 of the last norm = 5,428; x 32 tokens
    assert loss.of(StateClass.ACTIVATIONS) == 32 * 5_428
    assert loss.of(StateClass.TEMPORARIES) == 12 * 1000 * 32
    # 16 bytes of ids and masks, 8 of positions, 2 x 16 x 2 of the rotary table, per token
    assert loss.of(StateClass.INPUTS) == 32 * 88
    assert loss.of(StateClass.OPTIMIZER) == loss.of(StateClass.GRADIENTS) == 0


def test_weights_gradients_optimizer_and_activations_are_not_all_alive_together() -> None:
    ledger = training_ledger(LLAMA_8B, replace(PLAIN, length=8192))
    assert ledger.worst.kind is MomentKind.LOSS_BACKWARD
    assert ledger.worst.of(StateClass.GRADIENTS) == 0


def test_foreach_adamw_adds_a_buffer_of_all_gradients_at_the_step() -> None:
    fused, foreach = (training_ledger(LLAMA_8B, replace(PLAIN, is_foreach=each)) for each in (False, True))
    ends = [ledger.moments[-1].total_bytes for ledger in (fused, foreach)]
    assert ends[1] - ends[0] == 2 * LLAMA_8B.parameters


def test_eight_bit_adamw_keeps_two_bytes_and_a_scale_per_256_elements() -> None:
    ledger = training_ledger(LLAMA_8B, replace(PLAIN, optimizer=Optimizer.ADAMW_8BIT))
    # 2 + 2 x 4 / 256 bytes
    assert ledger.worst.of(StateClass.OPTIMIZER) == LLAMA_8B.parameters * 65 // 32


def test_adapters_are_not_charged_an_optimizer_for_the_frozen_base() -> None:
    adapter = Adapter(16, SEVEN, Precision.FP32)
    ledger = training_ledger(LLAMA_8B, replace(PLAIN, adapter=adapter))
    assert ledger.worst.of(StateClass.OPTIMIZER) == 8 * 41_943_040
    assert ledger.worst.of(StateClass.WEIGHTS) == 2 * LLAMA_8B.parameters + 4 * 41_943_040


def test_a_quantised_base_takes_its_stored_bytes() -> None:
    adapter = Adapter(16, SEVEN, Precision.BF16)
    ledger = training_ledger(LLAMA_8B, replace(PLAIN, adapter=adapter, frozen_weights_bytes=5_000_000_000))
    assert ledger.worst.of(StateClass.WEIGHTS) == 5_000_000_000 + 2 * 41_943_040


def test_main_gradients_make_eighteen_bytes_a_parameter_at_the_step() -> None:
    recipe = replace(PLAIN, length=64, master=MasterWeights.MAIN_GRADIENTS)
    step = training_ledger(LLAMA_8B, recipe).moments[-1]
    # 2 weights + 4 master + 8 optimizer + 4 gradients
    held = step.total_bytes - step.of(StateClass.INPUTS)
    assert held == 18 * LLAMA_8B.parameters


def test_an_average_that_subtracts_holds_one_more_copy_at_its_update() -> None:
    moments = training_ledger(LLAMA_8B, replace(PLAIN, average=Average.SUBTRACTING)).moments
    assert moments[-1].kind is MomentKind.AVERAGE_UPDATE
    assert moments[-1].of(StateClass.TEMPORARIES) == 2 * LLAMA_8B.parameters


def test_fusing_the_loss_takes_the_spike_of_the_scores_away() -> None:
    recipe = replace(PLAIN, length=32768, checkpointing=True, optimizer=Optimizer.ADAMW_8BIT)
    plain = training_ledger(LLAMA_8B, recipe).peak_bytes
    fused = training_ledger(LLAMA_8B, replace(recipe, loss=LossKernel.FUSED)).peak_bytes
    assert fused < plain


def test_a_compiled_loss_makes_the_gradient_of_the_scores_alone() -> None:
    recipe = replace(PLAIN, batch=2, length=8192, loss=LossKernel.COMPILED)
    scores = 2 * 128_256 * 16_384
    assert loss_forward_spike(LLAMA_8B, recipe) == scores
    assert loss_backward_spike(LLAMA_8B, recipe) == 2 * scores
    # 1,024 tokens: the head's gradient (2 x 128,256 x 4,096) and its input's are larger than that of the scores
    few = 2 * 128_256 * 1024 + 2 * 128_256 * 4096 + 2 * 4096 * 1024
    assert loss_backward_spike(LLAMA_8B, replace(recipe, batch=1, length=1024)) == few
    assert training_basis(LLAMA_8B, recipe) is Basis.FORMULA


# Every second product kept


def test_a_layer_that_keeps_every_second_product_keeps_four_of_seven_and_its_attention() -> None:
    # bf16: query 4096, value 1024, gate 14336, down 4096; attention's output 4096; 32 heads x 4 bytes
    kept = 2 * (4096 + 1024 + 14_336 + 4096) + 2 * 4096 + 32 * 4
    assert products_kept(LLAMA_8B, PLAIN) == kept == 55_424
    tokens, shard = 16_384, FullShard(8, master_size=4, compute_size=2, reduce_size=4)
    recipe = replace(PLAIN, batch=2, length=8192, checkpointing=True)
    plain = sharded_ledger(LLAMA_8B, recipe, shard)
    keeping = sharded_ledger(LLAMA_8B, replace(recipe, keeps_products=True), shard)
    more = {
        one.kind: two.total_bytes - one.total_bytes
        for one, two in zip(plain.moments, keeping.moments, strict=True)
    }
    assert more[MomentKind.LOSS_BACKWARD] == 32 * kept * tokens
    # the top layer's are gone; the next one takes its own up again, but for the last product (4096), read by nothing
    assert more[MomentKind.SECOND_LAYER_FROM_TOP] == (30 * kept + 2 * 4096) * tokens
    assert more[MomentKind.OPTIMIZER_STEP] == 0
    whole = sharded_ledger(LLAMA_8B, replace(recipe, checkpointing=False), shard)
    assert plain.peak_bytes < keeping.peak_bytes < whole.peak_bytes


def test_products_are_kept_of_plain_layers_with_a_fused_attention_alone() -> None:
    assert has_products(LLAMA_8B, PLAIN)
    biased = replace(LLAMA_8B, attention_bias=True)  # a product with a bias is another operation
    assert not has_products(biased, PLAIN)
    assert not has_products(LLAMA_8B, replace(PLAIN, attention=Attention.EAGER))
    assert not has_products(LLAMA_8B, replace(PLAIN, adapter=Adapter(8, SEVEN, Precision.BF16)))
    assert not has_products(DEEPSEEK_V3, PLAIN)


def test_recomputing_all_is_a_lever_where_products_are_kept() -> None:
    shard = FullShard(8, master_size=4, compute_size=2, reduce_size=4)
    recipe = replace(PLAIN, batch=2, length=8192, checkpointing=True, keeps_products=True)
    found = lever_effects(recipe, lambda changed: sharded_ledger(LLAMA_8B, changed, shard))
    peaks = {effect.lever: effect.peak_bytes for effect in found}
    plain = sharded_ledger(LLAMA_8B, replace(recipe, keeps_products=False), shard)
    assert peaks[Lever.CHECKPOINTING] == plain.peak_bytes


def test_the_strongest_lever_of_a_long_step_with_a_large_vocabulary_comes_first() -> None:
    recipe = replace(PLAIN, length=32768, checkpointing=True)
    effects = lever_effects(recipe, lambda changed: training_ledger(LLAMA_8B, changed))
    assert effects[0].lever is Lever.FUSED_LOSS
    peaks = [effect.peak_bytes for effect in effects]
    assert peaks == sorted(peaks)
    assert Lever.CHECKPOINTING not in {effect.lever for effect in effects}


# Data parallelism


def test_replicas_repeat_every_state_on_every_card_and_full_shards_divide_them() -> None:
    # 1,543,714,304 parameters x (2 weights + 2 gradients + 12 master and optimizer)
    states = (2, 2, 12)
    replicated = [gib(zero_states(1_543_714_304, 0, ranks, states)) for ranks in (1, 2, 8)]
    sharded = [gib(zero_states(1_543_714_304, 3, ranks, states)) for ranks in (1, 2, 8)]
    assert replicated == [23.003, 23.003, 23.003]
    assert sharded == [23.003, 11.502, 2.875]


def test_the_second_stage_divides_gradients_too() -> None:
    # 2P + 18P / 8 with P = 7e9: 29.75 GB, not 4P + 16P / 8 = 42 GB (deepspeedai/DeepSpeed#5099)
    assert zero_states(7_000_000_000, 2, 8, (2, 2, 16)) == 29_750_000_000


def test_data_parallel_buckets_stay_between_steps() -> None:
    alone = training_ledger(LLAMA_8B, PLAIN)
    replica = training_ledger(LLAMA_8B, PLAIN, Replicas(8))
    loss = [found.moments[1].total_bytes for found in (alone, replica)]
    assert loss[1] - loss[0] == 2 * LLAMA_8B.parameters


def test_whole_tensors_are_dealt_to_the_least_loaded_rank() -> None:
    # 7 -> a, 5 -> b, 4 -> b, 3 -> a, 1 -> b
    assert greedy_shards((5, 7, 3, 4, 1), 2) == (10, 10)
    # one large tensor is never divided
    assert max(greedy_shards((100, 10, 10), 8)) == 100


def test_a_full_shard_keeps_its_root_gathered() -> None:
    # 16 bytes a parameter over 8 cards would be 14.958 GiB; 2 x 1,050,677,248 bytes of root come on top
    shard = FullShard(8, 4, 2, 4)
    ledger = sharded_ledger(LLAMA_8B, replace(PLAIN, length=64, checkpointing=True), shard)
    share = 12 * LLAMA_8B.parameters // 8
    assert gib(2 * root_parameters(LLAMA_8B)) == 1.957
    assert ledger.peak_bytes > share + 2 * root_parameters(LLAMA_8B)


def test_a_frozen_base_is_sharded_and_its_root_still_gathered() -> None:
    # meta-pytorch/torchtune#2071: 70,553,706,496 x 2 / 8 bytes of base, 2,101,354,496 x 2 of root; the
    # 24 GB cards that see 23.65 GiB ran out with adapters
    assert gib(2 * Fraction(LLAMA_70B.parameters, 8)) == 16.427
    assert gib(2 * root_parameters(LLAMA_70B)) == 3.914
    recipe = replace(PLAIN, length=2048, checkpointing=True, adapter=Adapter(16, SEVEN, Precision.BF16))
    ledger = sharded_ledger(LLAMA_70B, recipe, FullShard(8, 2, 2, 2))
    assert ledger.peak_bytes > 20.341 * GIB
    # 2 x 2 bytes of optimizer on the adapters' 207,093,760 elements over 8 cards
    assert ledger.worst.of(StateClass.OPTIMIZER) == 4 * 207_093_760 // 8


def test_offload_leaves_no_state_on_the_card() -> None:
    ledger = sharded_ledger(LLAMA_8B, PLAIN, FullShard(8, 4, 2, 4, offloads=True))
    assert ledger.worst.of(StateClass.OPTIMIZER) == ledger.worst.of(StateClass.WEIGHTS) == 0


# Tensor, pipeline, expert and context parallelism


def test_memory_that_asks_for_three_cards_and_heads_that_allow_four_give_four() -> None:
    # vllm-project/vllm#414: 52 heads
    assert legal_tensor_degrees(52, 52) == (1, 2, 4, 13, 26, 52)
    assert legal_tensor_degrees(28, 28) == (1, 2, 4, 7, 14, 28)
    # (60.59 + 6) / 28.575 = 2.33 -> 3
    assert least_legal_degree(3, legal_tensor_degrees(52, 52)) == 4
    assert least_legal_degree(3, legal_tensor_degrees(64, 8)) == 4
    assert least_legal_degree(53, legal_tensor_degrees(52, 52)) is None


def test_the_vocabulary_is_padded_to_the_ranks() -> None:
    # ceil(49954 / 16) x 16; ceil(50257 / 1024) x 1024
    assert padded_vocabulary(49954, 16) == 49968
    assert padded_vocabulary(50257, 8, 128) == 51200


def test_the_cache_is_not_divided_beyond_the_kv_heads() -> None:
    # 2 x 80 x 8 x 128 x 2 = 327,680 bytes a token, 100,000 tokens
    found = [gib(kv_bytes_per_token(LLAMA_70B, 16, ranks) * 100_000) for ranks in (1, 4, 8, 16)]
    assert found == [30.518, 7.629, 3.815, 3.815]


def test_the_first_stage_of_a_pipeline_keeps_a_micro_batch_per_stage() -> None:
    def in_flight(stage: int) -> int:
        return Pipeline(4, stage, 8, PipelineSchedule.ONE_FORWARD_ONE_BACKWARD).in_flight

    assert [in_flight(stage) for stage in range(4)] == [4, 3, 2, 1]
    assert Pipeline(4, 2, 8, PipelineSchedule.ALL_FORWARD).in_flight == 8


def test_the_last_stage_is_the_worst_where_it_holds_the_scores_of_all_micro_batches() -> None:
    recipe = replace(PLAIN, length=2048, checkpointing=True)
    assert worst_stage(LLAMA_8B, recipe, Pipeline(4, 0, 8, PipelineSchedule.ALL_FORWARD)) == 3


def test_megatron_divides_all_activations_in_sequence_parallel_alone() -> None:
    shape = llama(1, 1024, 16, 16, 4096, 1000, head_dim=64)
    # sbh = 2048 x 1 x 1024; 5as/h = 5 x 16 x 2048 / 1024 = 160
    one = 2048 * 1024
    assert megatron_layer_saved(shape, 2048, 1, 1, False, False) == one * (34 + 160)
    assert megatron_layer_saved(shape, 2048, 1, 8, False, False) == one * (10 + 3 + 20)
    assert megatron_layer_saved(shape, 2048, 1, 8, True, True) == one * 34 // 8


def test_experts_are_dealt_out_whole() -> None:
    experts = Experts(8, 2, 10)
    shape = ModelShape(Family.MIXTRAL, 2, 4, 1, 1, 4, 10, 100, False, 5_000, experts=experts)
    # a layer's expert: 3 x 4 x 10 = 120; 4 ranks keep 2 of 8: 5,000 - 2 x 6 x 120
    assert expert_share(shape, 4) == 3_560
    assert expert_share(shape, 3) == 5_000 - 2 * 5 * 120
    assert legal_expert_degrees(experts) == (1, 2, 4, 8)
    assert context_tokens(8193, 2) == 4097


# Weights as stored


def test_four_bits_are_more_than_half_a_byte() -> None:
    # 6,476,005,376 x (4 + 20 / 128) / 8 + 262,410,240 x 2 (casper-hansen/AutoAWQ#566)
    assert stored_weight_bytes(LLAMA_2_7B, grouped_format(4)) == 3_889_307_648


def test_only_the_experts_of_gpt_oss_are_packed() -> None:
    shape = ModelShape(
        Family.GPT_OSS, 24, 2880, 64, 8, 64, 2880, 201088, False, 20_914_757_184,
        experts=Experts(32, 4, 2880),
    )  # fmt: skip
    # 19,110,297,600 x 4.25 / 8 + 1,804,459,584 x 2: the published index states the same total
    assert stored_weight_bytes(shape, MXFP4_EXPERTS) == 13_761_264_768


# Generation and serving


def test_the_cache_counts_kv_heads_and_not_query_heads() -> None:
    # 8 x 8192 tokens x 131,072 bytes
    assert kv_cache_bytes(LLAMA_8B, replace(READING, batch=8), 8192, trims=True) == 8 * GIB


def test_a_latent_cache_is_kept_once_and_not_divided() -> None:
    # (512 + 64) x 61 x 2 = 70,272 bytes a token; expanded 61 x 128 x 320 x 2 = 4,997,120
    assert kv_bytes_per_token(DEEPSEEK_V3, 16) == kv_bytes_per_token(DEEPSEEK_V3, 16, 8) == 70_272
    expanded = replace(READING, latent_cache_expanded=True)
    assert kv_cache_bytes(DEEPSEEK_V3, expanded, 1, trims=True) == 4_997_120


def test_sliding_layers_keep_a_window_only_where_the_engine_trims() -> None:
    shape = replace(llama(42, 3584, 16, 8, 14336, 256000, 256), sliding=SlidingLayers(21, 4096))
    # 21 x 4096 + 21 x 8192 tokens x 8,192 bytes
    assert gib(kv_cache_bytes(shape, READING, 8192, trims=True)) == 1.969
    assert gib(kv_cache_bytes(shape, READING, 8192, trims=False)) == 2.625


def test_a_cache_of_eight_bits_takes_half() -> None:
    shape = llama(48, 2048, 32, 4, 6144, 1000)
    # 2 x 48 x 4 x 128 bytes
    assert kv_bytes_per_token(shape, 8) == 49_152
    # 34 bytes per 32 values; 64 layers of 1024: 2 x 64 x 1024 x 32768 x 34 / 32, as a log of llama.cpp states
    shape = llama(64, 5120, 40, 8, 1000, 1000)
    assert kv_bytes_per_token(shape, GGUF_Q8_0_KV_BITS) * 32768 == 4_563_402_752


def test_a_pool_holds_whole_blocks_and_a_longer_request_does_not_fit() -> None:
    # 229 x 16 tokens (vllm-project/vllm#2418)
    pool = BlockPool(229, 16)
    assert pool.tokens == 3664
    assert not pool.admits(1, 4096)
    # 114 blocks each, then 115
    assert pool.admits(2, 1824)
    assert not pool.admits(2, 1825)


def test_the_pool_is_what_weights_activations_and_the_rest_leave_of_the_share() -> None:
    # 23.58 x 0.9 - 17.98 - 0.35 = 2.892 GiB; 2 MiB a block (vllm-project/vllm#10517)
    card, used, outside = (int(Fraction(text) * GIB) for text in ("23.58", "17.98", "0.35"))
    pool = pool_bytes(card, Fraction(9, 10), used, 0, outside)
    assert gib(pool) == 2.892
    blocks = block_pool(pool, kv_bytes_per_token(LLAMA_8B, 16), 16)
    assert blocks.tokens == pytest.approx(23_648, abs=64)
    assert not blocks.admits(1, 29_000)
    assert pool_bytes(10, Fraction(1), 20, 0, 0) == 0


def test_reading_a_long_prompt_needs_the_mlp_beside_the_cache() -> None:
    ledger = generation_ledger(LLAMA_8B, replace(READING, prompt=131072))
    prefill = ledger.moments[0]
    assert prefill.of(StateClass.KV_CACHE) == 16 * GIB
    # (4 x 4096 + 3 x 14336) x 2 bytes a token
    assert prefill.of(StateClass.TEMPORARIES) == 131072 * 118_784


# What a form rests on


def test_a_form_says_whether_it_was_held_against_anything() -> None:
    adapter = Adapter(16, SEVEN, Precision.BF16)
    assert training_basis(LLAMA_8B, PLAIN) is Basis.REFERENCE_POINTS
    assert training_basis(LLAMA_8B, replace(PLAIN, adapter=adapter)) is Basis.REFERENCE_POINTS
    quantised = replace(PLAIN, adapter=adapter, frozen_weights_bytes=1)
    assert training_basis(LLAMA_8B, quantised) is Basis.FORMULA
    assert sharded_basis(LLAMA_8B, replace(PLAIN, adapter=adapter)) is Basis.FORMULA
    assert training_basis(DEEPSEEK_V3, replace(PLAIN, parameters=Precision.FP32)) is Basis.FORMULA
    assert generation_basis(LLAMA_8B, replace(READING, new_tokens=0)) is Basis.REFERENCE_POINTS
    assert generation_basis(LLAMA_8B, replace(READING, weights_bytes=1)) is Basis.PUBLISHED_READINGS
    assert generation_basis(LLAMA_8B, replace(READING, kv_bits=8)) is Basis.FORMULA


# Properties


sizes = st.sampled_from([64, 128, 512, 1024])
families = st.sampled_from(
    [Family.LLAMA, Family.QWEN3, Family.GEMMA, Family.GPT2, Family.GPT_NEOX, Family.OPT]
)


@st.composite
def shapes(draw: st.DrawFn, family: Family | None = None) -> ModelShape:
    heads = draw(st.sampled_from([8, 16]))
    chosen = family or draw(families)
    has_groups = chosen in (Family.LLAMA, Family.QWEN3, Family.GEMMA)
    shape = ModelShape(
        family=chosen,
        layers=draw(st.integers(2, 12)),
        hidden=heads * 64,
        heads=heads,
        kv_heads=draw(st.sampled_from([1, 2, 8])) if has_groups else heads,
        head_dim=64,
        mlp=64 * draw(st.integers(4, 64)),
        vocab=draw(st.integers(100, 200_000)),
        is_tied=family is None and draw(st.booleans()),
        parameters=0,
    )
    return replace(shape, parameters=decoder_parameters(shape))


@st.composite
def recipes(draw: st.DrawFn, attention: Attention | None = None) -> Training:
    return Training(
        batch=draw(st.integers(1, 8)),
        length=draw(st.integers(16, 4096)),
        parameters=draw(st.sampled_from(Precision)),
        autocast=False,
        attention=attention or draw(st.sampled_from(Attention)),
        optimizer=draw(st.sampled_from(Optimizer)),
        is_foreach=draw(st.booleans()),
        checkpointing=draw(st.booleans()),
        micro_batches=draw(st.integers(1, 3)),
    )


def activations(ledger: MemoryLedger) -> int:
    return max(found.of(StateClass.ACTIVATIONS) for found in ledger.moments)


@given(shapes(), recipes(), st.booleans())
@settings(max_examples=60)
def test_bytes_add_up_and_none_is_negative(shape: ModelShape, recipe: Training, autocast: bool) -> None:
    if autocast:
        recipe = replace(recipe, parameters=Precision.FP32, autocast=True)
    ledger = training_ledger(shape, recipe)
    for found in ledger.moments:
        assert found.total_bytes == sum(found.of(state) for state in StateClass)
        assert all(size > 0 for _, size in found.lines)
    assert ledger.peak_bytes == max(found.total_bytes for found in ledger.moments)


@given(shapes(), recipes(), st.integers(1, 8), st.integers(1, 4096))
@settings(max_examples=60)
def test_a_larger_batch_or_a_longer_sequence_never_needs_less(
    shape: ModelShape, recipe: Training, more: int, longer: int
) -> None:
    peak = training_ledger(shape, recipe).peak_bytes
    assert training_ledger(shape, replace(recipe, batch=recipe.batch + more)).peak_bytes >= peak
    assert training_ledger(shape, replace(recipe, length=recipe.length + longer)).peak_bytes >= peak


@given(shapes(), recipes(), st.integers(1, 100_000))
@settings(max_examples=60)
def test_a_larger_vocabulary_never_needs_less(shape: ModelShape, recipe: Training, more: int) -> None:
    larger = replace(shape, vocab=shape.vocab + more)
    larger = replace(larger, parameters=decoder_parameters(larger))
    assert training_ledger(larger, recipe).peak_bytes >= training_ledger(shape, recipe).peak_bytes


@given(shapes(), recipes())
@settings(max_examples=60)
def test_checkpointing_never_saves_more_activations(shape: ModelShape, recipe: Training) -> None:
    kept, recomputed = (training_ledger(shape, replace(recipe, checkpointing=each)) for each in (False, True))
    assert activations(recomputed) <= activations(kept)


@given(shapes(), recipes(), st.integers(1, 64), st.integers(1, 64), st.booleans(), st.booleans())
@settings(max_examples=60)
def test_sharding_over_more_cards_never_needs_more_on_each(
    shape: ModelShape, recipe: Training, ranks: int, more: int, reshards: bool, synchronises: bool
) -> None:
    shard = FullShard(ranks, 4, recipe.element, 4, reshards=reshards, synchronises=synchronises)
    fewer = sharded_ledger(shape, recipe, shard).peak_bytes
    assert sharded_ledger(shape, recipe, replace(shard, ranks=ranks + more)).peak_bytes <= fewer


@given(shapes(Family.LLAMA), recipes(Attention.SDPA), st.booleans(), st.booleans())
@settings(max_examples=60)
def test_more_tensor_ranks_never_need_more_on_each(
    shape: ModelShape, recipe: Training, sequence: bool, loss: bool
) -> None:
    peaks = [tensor_ledger(shape, recipe, Tensor(ranks, sequence, loss)).peak_bytes for ranks in (2, 4, 8)]
    assert peaks == sorted(peaks, reverse=True)


@given(shapes(Family.LLAMA), recipes(Attention.SDPA), st.integers(2, 4), st.integers(1, 6))
@settings(max_examples=60)
def test_more_micro_batches_in_a_pipeline_never_need_less(
    shape: ModelShape, recipe: Training, stages: int, micro_batches: int
) -> None:
    for schedule in PipelineSchedule:
        for stage in range(min(stages, shape.layers)):
            peaks = [
                pipeline_ledger(shape, recipe, Pipeline(stages, stage, count, schedule)).peak_bytes
                for count in (micro_batches, micro_batches + 1)
            ]
            assert peaks[0] <= peaks[1]


@given(shapes(), st.integers(1, 8), st.integers(1, 8192), st.integers(0, 2048), st.sampled_from(Attention))
@settings(max_examples=60)
def test_a_longer_prompt_or_more_requests_never_need_less(
    shape: ModelShape, batch: int, prompt: int, new: int, attention: Attention
) -> None:
    recipe = Generation(batch, prompt, new, Precision.BF16, attention)
    peak = generation_ledger(shape, recipe).peak_bytes
    assert generation_ledger(shape, replace(recipe, batch=batch + 1)).peak_bytes >= peak
    assert generation_ledger(shape, replace(recipe, prompt=prompt + 1)).peak_bytes >= peak
    assert generation_ledger(shape, replace(recipe, new_tokens=new + 1)).peak_bytes >= peak


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=40), st.integers(1, 16))
def test_dealt_tensors_are_all_there_and_no_rank_is_above_the_mean_by_more_than_the_largest(
    tensors: list[int], ranks: int
) -> None:
    shards = greedy_shards(tuple(tensors), ranks)
    assert sum(shards) == sum(tensors)
    assert max(shards) <= sum(tensors) / ranks + max(tensors)
