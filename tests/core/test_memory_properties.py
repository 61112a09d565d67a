"""Properties of the closed forms of memory that hold for any model, recipe and division."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.memory import (
    Attention,
    Family,
    FullShard,
    Generation,
    MemoryLedger,
    ModelShape,
    Optimizer,
    Pipeline,
    PipelineSchedule,
    Precision,
    StateClass,
    Tensor,
    Training,
    generation_ledger,
    greedy_shards,
    legal_tensor_degrees,
    pipeline_ledger,
    sharded_ledger,
    tensor_ledger,
    training_ledger,
)
from estimator.memory.shape import decoder_parameters

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


@given(st.integers(1, 300), st.integers(1, 300))
def test_legal_degrees_are_those_that_leave_heads_and_kv_heads_whole(heads: int, kv_heads: int) -> None:
    legal = legal_tensor_degrees(heads, kv_heads)
    assert legal == tuple(
        degree
        for degree in range(1, heads + 1)
        if heads % degree == 0 and (kv_heads % degree == 0 or degree % kv_heads == 0)
    )


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=40), st.integers(1, 16))
def test_dealt_tensors_are_all_there_and_no_rank_is_above_the_mean_by_more_than_the_largest(
    tensors: list[int], ranks: int
) -> None:
    shards = greedy_shards(tuple(tensors), ranks)
    assert sum(shards) == sum(tensors)
    assert max(shards) <= sum(tensors) / ranks + max(tensors)
