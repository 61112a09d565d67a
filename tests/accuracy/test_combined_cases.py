"""Combined degrees, offload and divided generation against worked examples: the arithmetic is in each comment."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from estimator.memory import (
    Adapter,
    Attention,
    ContextMethod,
    DataState,
    Degrees,
    Experts,
    ExpertsOver,
    Family,
    Generation,
    LatentAttention,
    MasterWeights,
    MemoryLedger,
    ModelShape,
    Moment,
    MomentKind,
    Optimizer,
    Pipeline,
    PipelineSchedule,
    Precision,
    Projection,
    StateClass,
    Training,
    combined_ledger,
    divided_generation_ledger,
    offloaded_ledger,
    streamed_ledger,
    training_ledger,
)
from estimator.memory.shape import decoder_parameters

# Layers: 2 x 256 x 256 + 2 x 256 x 128 + 3 x 256 x 512 = 589,824 elements in matrices and 512 in norms.
# Tables: 2 x 1000 x 256; last norm 256. All: 4 x 590,336 + 512,000 + 256 = 2,873,600.
SMALL = ModelShape(Family.LLAMA, 4, 256, 8, 4, 32, 512, 1000, False, 2_873_600)
STEP = Training(
    batch=1,
    length=64,
    parameters=Precision.BF16,
    autocast=False,
    attention=Attention.SDPA,
    optimizer=Optimizer.ADAMW,
    is_foreach=False,
    checkpointing=True,
)
STATE = (StateClass.WEIGHTS, StateClass.GRADIENTS, StateClass.OPTIMIZER)


def at(ledger: MemoryLedger, kind: MomentKind) -> Moment:
    return next(moment for moment in ledger.moments if moment.kind is kind)


def test_the_distributed_optimizer_takes_6_bytes_and_12_over_d_a_parameter() -> None:
    """Megatron-Core, "Distributed Optimizer": bf16 parameters, fp32 gradients: 18 bytes, or 6 + 12 / d."""
    recipe = replace(STEP, master=MasterWeights.MAIN_GRADIENTS)
    # over 2 tensor ranks 4 x (294,912 + 512) + 256,000 + 256 = 1,437,952 elements
    elements = 1_437_952
    for state, expected in (
        (DataState.REPLICAS, 18 * elements),
        (DataState.OPTIMIZER_SHARDS, 6 * elements + 12 * elements // 4),
    ):
        ledger = combined_ledger(SMALL, recipe, Degrees(tensor=2, data=4, state=state))
        step = at(ledger, MomentKind.OPTIMIZER_STEP)
        assert sum(step.of(one) for one in STATE) == expected
        assert step.of(StateClass.EXCHANGE) == 0  # the exchange is of the fp32 gradients themselves


def test_the_second_stage_keeps_16_6_gb_of_7_5_billion_parameters_over_64_cards() -> None:
    """Rajbhandari et al., "ZeRO", 2020, figure 1: 2 x 7.5 + (2 + 12) x 7.5 / 64 = 16.6 GB."""
    shape = ModelShape(Family.LLAMA, 32, 4096, 32, 32, 128, 16384, 50000, False, 0)
    shape = replace(shape, parameters=7_500_000_000)
    recipe = replace(STEP, master=MasterWeights.COPIED, micro_batches=2)
    ledger = combined_ledger(shape, recipe, Degrees(data=64, state=DataState.GRADIENT_SHARDS))
    loss = at(ledger, MomentKind.LOSS_BACKWARD)
    assert round(sum(loss.of(one) for one in STATE) / 1e9, 1) == 16.6
    assert loss.of(StateClass.EXCHANGE) == 2 * 500_000_000  # DeepSpeed's bucket of 5e8 elements


def test_with_its_optimizer_in_the_node_the_second_stage_leaves_the_weights_alone_on_the_card() -> None:
    """DeepSpeed, "Memory Requirements": ZeRO-2 with offload takes 2 bytes a parameter and 16 of the node's memory."""
    recipe = replace(STEP, master=MasterWeights.COPIED, offloads_optimizer=True)
    degrees = Degrees(data=4, state=DataState.GRADIENT_SHARDS)
    ledger = offloaded_ledger(recipe, lambda one: combined_ledger(SMALL, one, degrees))
    step = at(ledger, MomentKind.OPTIMIZER_STEP)
    assert step.of(StateClass.WEIGHTS) == 2 * 2_873_600
    assert step.of(StateClass.GRADIENTS) == step.of(StateClass.OPTIMIZER) == 0
    # a quarter of 4 (copy) + 8 (moments) + 4 (gradient) bytes each
    assert ledger.host == ((StateClass.GRADIENTS, 4 * 718_400), (StateClass.OPTIMIZER, 12 * 718_400))
    assert 4 * ledger.host_bytes == 16 * 2_873_600


def test_offloaded_shards_leave_no_state_on_the_card_and_are_listed_in_the_node() -> None:
    degrees = Degrees(data=4, state=DataState.FULL_SHARD)
    recipe = replace(STEP, parameters=Precision.FP32, offloads_parameters=True)
    ledger = offloaded_ledger(recipe, lambda one: combined_ledger(SMALL, one, degrees))
    assert all(one.of(StateClass.WEIGHTS) == one.of(StateClass.OPTIMIZER) == 0 for one in ledger.moments)
    # 4 bytes of weights, 4 of gradients, 8 of moments for a quarter of the elements
    quarter = 2_873_600 // 4
    assert dict(ledger.host) == {
        StateClass.WEIGHTS: 4 * quarter,
        StateClass.GRADIENTS: 4 * quarter,
        StateClass.OPTIMIZER: 8 * quarter,
    }


def test_stored_inputs_in_the_node_leave_two_layers_of_them_on_the_card() -> None:
    recipe = replace(STEP, offloads_activations=True)
    ledger = offloaded_ledger(recipe, lambda one: training_ledger(SMALL, one))
    one_input = 2 * 256 * 64  # bf16 x hidden x tokens
    final_norm = (8 * 256 + 4) * 64
    assert at(ledger, MomentKind.LOSS_BACKWARD).of(StateClass.ACTIVATIONS) == 2 * one_input + final_norm
    assert ledger.host == ((StateClass.ACTIVATIONS, 2 * one_input),)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        # two buffers of keys, values and their gradients of this card's 16 tokens: 2 x 4 x 128 x 2 bytes x 16
        (ContextMethod.RING, 2 * 4 * 128 * 2 * 16),
        # keys, values and their gradients of all 64 tokens
        (ContextMethod.GATHERED, 4 * 128 * 2 * 64),
        # queries and outputs of 256, keys and values of 128, before and after
        (ContextMethod.ALL_TO_ALL, 2 * (2 * 256 + 2 * 128) * 2 * 16),
    ],
)
def test_context_ranks_divide_the_sequence_and_send_keys_and_values(
    method: ContextMethod, expected: int
) -> None:
    degrees = Degrees(context=4, context_method=method)
    ledger = combined_ledger(SMALL, STEP, degrees)
    alone = combined_ledger(SMALL, replace(STEP, length=16), Degrees(data=4))
    for one, quarter in zip(ledger.moments, alone.moments, strict=True):
        more = one.of(StateClass.EXCHANGE) - quarter.of(StateClass.EXCHANGE)
        is_layer = one.kind.value.startswith(("top_layer", "bottom_layer"))
        assert more == (expected if is_layer else 0)
        assert one.of(StateClass.ACTIVATIONS) == quarter.of(StateClass.ACTIVATIONS)


def test_a_vocabulary_is_padded_to_the_ranks_of_a_stage() -> None:
    shape = replace(SMALL, vocab=1001, parameters=2_873_600 + 512)
    ledger = divided_generation_ledger(shape, PROMPT, Degrees(tensor=4)).moments[0]
    # 251 rows of each table on each of four ranks; matrices 589,824 / 4 and norms 512 a layer, the last norm
    assert ledger.of(StateClass.WEIGHTS) == 2 * (4 * (147_456 + 512) + 2 * 251 * 256 + 256)


def test_an_interleaved_first_stage_holds_the_layers_that_korthikanti_gives() -> None:
    """ "Reducing Activation Recomputation", 4.2.3: L (1 + (p - 1) / (p m)) layers: 16 x (1 + 3 / 8) = 22."""
    order = PipelineSchedule.ONE_FORWARD_ONE_BACKWARD
    pieces = Pipeline(4, 0, 32, order, virtual=2).in_flight
    assert pieces * 16 // (4 * 2) == 22
    assert Pipeline(4, 0, 32, order).in_flight * 16 // 4 == 16


MIXTURE = replace(
    SMALL,
    family=Family.QWEN3_MOE,
    experts=Experts(count=8, per_token=2, width=128),
    parameters=0,
)
MIXTURE = replace(MIXTURE, parameters=decoder_parameters(MIXTURE))


def test_whole_experts_are_dealt_out_and_their_tokens_sent() -> None:
    shards = DataState.OPTIMIZER_SHARDS
    recipe = replace(STEP, is_foreach=True)
    spread = combined_ledger(MIXTURE, recipe, Degrees(data=4, expert=4, state=shards))
    whole = combined_ledger(MIXTURE, recipe, Degrees(data=4, state=shards))
    # six of the eight experts of each layer, of 3 x 256 x 128 elements, are on other cards
    gone = 4 * 6 * 3 * 256 * 128
    first, other = spread.moments[0], whole.moments[0]
    assert other.of(StateClass.WEIGHTS) - first.of(StateClass.WEIGHTS) == 2 * gone
    # every element's state is on one card of the four, whichever holds it: 2 moments of 2 bytes
    assert first.of(StateClass.OPTIMIZER) == other.of(StateClass.OPTIMIZER) == MIXTURE.parameters
    top, former = at(spread, MomentKind.TOP_LAYER), at(whole, MomentKind.TOP_LAYER)
    # two experts a token, 256 wide, to them and back, for 64 tokens in 16 bits; buckets fall with the gradients
    sent = top.of(StateClass.EXCHANGE) - (former.of(StateClass.EXCHANGE) - 2 * gone)
    assert sent == 2 * 2 * 2 * 256 * 64


def test_capacity_gives_experts_more_slots_than_an_even_share() -> None:
    degrees = Degrees(data=4, expert=4)
    even = at(combined_ledger(MIXTURE, STEP, degrees), MomentKind.TOP_LAYER)
    half_more = replace(degrees, capacity=Fraction(3, 2))
    more = at(combined_ledger(MIXTURE, STEP, half_more), MomentKind.TOP_LAYER)
    # three slots a token in place of two: 4 x 2 x 128 + 2 x 2 x 256 bytes each
    assert more.of(StateClass.ACTIVATIONS) - even.of(StateClass.ACTIVATIONS) == (1024 + 1024) * 64


def test_experts_in_shards_gather_only_those_of_their_card() -> None:
    shards = DataState.FULL_SHARD
    spread = combined_ledger(MIXTURE, STEP, Degrees(data=4, expert=4, state=shards))
    whole = combined_ledger(MIXTURE, STEP, Degrees(data=4, state=shards))
    loss, former = at(spread, MomentKind.LOSS_BACKWARD), at(whole, MomentKind.LOSS_BACKWARD)
    for one in (StateClass.WEIGHTS, StateClass.OPTIMIZER):
        assert loss.of(one) == former.of(one)
    # one layer is gathered: without six experts of 3 x 256 x 128 elements in 16 bits
    assert former.of(StateClass.EXCHANGE) - loss.of(StateClass.EXCHANGE) == 2 * 6 * 3 * 256 * 128


def test_tables_trained_beside_adapters_are_copies_with_their_own_state() -> None:
    adapter = Adapter(8, (Projection.QUERY,), Precision.BF16)
    alone = training_ledger(SMALL, replace(STEP, adapter=adapter))
    both = training_ledger(SMALL, replace(STEP, adapter=replace(adapter, trains_tables=True)))
    tables = 2 * 1000 * 256
    first, other = both.moments[0], alone.moments[0]
    assert first.of(StateClass.WEIGHTS) - other.of(StateClass.WEIGHTS) == 2 * tables
    assert first.of(StateClass.OPTIMIZER) - other.of(StateClass.OPTIMIZER) == 4 * tables
    assert at(both, MomentKind.OPTIMIZER_STEP).of(StateClass.GRADIENTS) == 2 * (tables + 4 * 8 * 512)


def test_a_step_in_the_backward_never_holds_all_gradients() -> None:
    ledger = training_ledger(SMALL, replace(STEP, steps_in_backward=True))
    assert at(ledger, MomentKind.OPTIMIZER_STEP).of(StateClass.GRADIENTS) == 0
    # MLP and output of the attention: (3 x 256 x 512 + 256 x 256) x 2 bytes
    largest = max(one.of(StateClass.GRADIENTS) for one in ledger.moments)
    assert largest == 2 * (393_216 + 65_536)


# Generation

PROMPT = Generation(2, 1024, 16, Precision.BF16, Attention.SDPA)


def test_a_rank_keeps_one_kv_head_at_least_and_hidden_states_whole() -> None:
    for ranks, heads in ((2, 2), (4, 1), (8, 1)):
        ledger = divided_generation_ledger(SMALL, PROMPT, Degrees(tensor=ranks))
        prompt, new = ledger.moments
        # keys and values, 4 layers, 2 requests, 16 bits
        assert prompt.of(StateClass.KV_CACHE) == 2 * 4 * heads * 32 * 2 * 1024 * 2
        assert new.of(StateClass.KV_CACHE) == 2 * 4 * heads * 32 * 2 * 1040 * 2
        # 4 x 256 and three slices of 512 / ranks, for 2048 tokens
        assert prompt.of(StateClass.TEMPORARIES) == (4 * 256 + 3 * 512 // ranks) * 2 * 2048


def test_a_latent_is_on_every_rank_and_an_expanded_one_divided_by_heads() -> None:
    latent = LatentAttention(query_rank=64, kv_rank=32, nope=32, rope=16, value=32)
    shape = replace(SMALL, kv_heads=8, latent=latent)
    shape = replace(shape, parameters=decoder_parameters(shape))
    kept = divided_generation_ledger(shape, PROMPT, Degrees(tensor=4)).moments[0]
    assert kept.of(StateClass.KV_CACHE) == 4 * (32 + 16) * 2 * 1024 * 2
    expanded = replace(PROMPT, latent_cache_expanded=True)
    divided = divided_generation_ledger(shape, expanded, Degrees(tensor=4)).moments[0]
    assert divided.of(StateClass.KV_CACHE) == 4 * (8 // 4) * (32 + 16 + 32) * 2 * 1024 * 2
    # what compresses queries and the latent is whole: 256 x (64 + 32 + 16); so are the norms
    linear = decoder_parameters(shape) - 2 * 1000 * 256 - 256 - 4 * (512 + 64 + 32)
    whole = 4 * 256 * (64 + 32 + 16)
    rest = whole + 4 * (512 + 64 + 32) + 256
    assert kept.of(StateClass.WEIGHTS) == 2 * ((linear - whole) // 4 + 2 * 1000 * 256 // 4 + rest)


def test_experts_are_cut_in_slices_or_dealt_out_whole_with_the_same_weights() -> None:
    cut = divided_generation_ledger(MIXTURE, PROMPT, Degrees(tensor=2)).moments[0]
    over = Degrees(tensor=2, experts_over=ExpertsOver.TENSOR)
    dealt = divided_generation_ledger(MIXTURE, PROMPT, over).moments[0]
    assert cut.of(StateClass.WEIGHTS) == dealt.of(StateClass.WEIGHTS)
    # slices: both experts of a token, their outputs in fp32, 8 x 2 x 256 + 8 x 256; whole: one of the two
    assert cut.of(StateClass.TEMPORARIES) == (8 * 2 * 256 + 8 * 256) * 2048
    assert dealt.of(StateClass.TEMPORARIES) == (8 * 256 + 8 * 256) * 2048


def test_a_stage_of_generation_has_its_layers_and_one_table() -> None:
    ledger = divided_generation_ledger(SMALL, PROMPT, Degrees(pipeline=3)).moments[0]
    # two of four layers (the largest stage), one table of 256,000 and the last norm
    assert ledger.of(StateClass.WEIGHTS) == 2 * (2 * 590_336 + 256_000 + 256)
    assert ledger.of(StateClass.KV_CACHE) == 2 * 2 * 128 * 2 * 1024 * 2


def test_streamed_layers_leave_two_and_the_tables_on_the_card() -> None:
    recipe = replace(PROMPT, streams_weights=True)
    whole = divided_generation_ledger(SMALL, recipe, Degrees())
    ledger = streamed_ledger(SMALL, recipe, whole)
    assert ledger.moments[0].of(StateClass.WEIGHTS) == 2 * (2 * 590_336 + 512_256)
    assert ledger.host == ((StateClass.WEIGHTS, 2 * 2_873_600),)
