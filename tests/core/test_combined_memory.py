"""Combined degrees: what is legal, what equals the plain forms, what never needs more; in a quote and its limits."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from estimator import edits
from estimator import memory as mem
from estimator.catalogue import Card
from estimator.catalogue.embedded import embedded_catalogue
from estimator.memory.degrees import illegal_degree
from estimator.memory.shape import decoder_parameters
from estimator.plan.fitting import fits_table
from estimator.plan.levers import generation_changes
from estimator.plan.memory import overheads_of
from estimator.plan.models import legal_degrees, model_ledger, model_memory
from estimator.problems import Absent
from estimator.quote import (
    GenerationRecipe,
    MemoryNeed,
    ModelSource,
    ModelSplit,
    ModelUse,
    SplitDegrees,
    StageLayout,
    TrainingRecipe,
)
from estimator.results.memory import Fit
from estimator.units import GIB
from tests.quotes import compared, source_quote

DAY = dt.date(2026, 11, 30)

RECORDS = {record.id: record for record in embedded_catalogue().models}
DEFAULTS = overheads_of(MemoryNeed())
Recipe = TrainingRecipe | GenerationRecipe


def use_of(model_id: str, recipe: Recipe) -> ModelUse:
    record = RECORDS[model_id]
    source = ModelSource(name=record.name, kind="catalogue", text=record.model_dump_json())
    return ModelUse(source=source, recipe=recipe)


def code(use: ModelUse, division: ModelSplit | SplitDegrees, cards: int) -> str:
    found = model_ledger(use, division, cards)
    return found.code if isinstance(found, Absent) else ""


def ledger_of(use: ModelUse, division: ModelSplit | SplitDegrees, cards: int) -> mem.MemoryLedger:
    found = model_ledger(use, division, cards)
    assert not isinstance(found, Absent), found
    return found[0]


# Legal degrees


@pytest.mark.parametrize(
    ("model", "degrees", "reason"),
    [
        ("llama3.1-8b", {"tensor": 3}, "degrees_do_not_divide"),
        ("llama3.1-8b", {"tensor": 64}, "tensor_degree_not_legal"),  # 32 heads
        ("llama3.1-8b", {"pipeline": 64}, "pipeline_degree_not_legal"),  # 32 layers
        ("llama3.1-8b", {"pipeline": 16, "virtual_stages": 4}, "pipeline_degree_not_legal"),
        ("llama3.1-8b", {"virtual_stages": 2}, "pipeline_degree_not_legal"),
        ("llama3.1-8b", {"context": 64, "context_method": "all_to_all"}, "context_degree_not_legal"),
        ("llama3.1-8b", {"context": 64}, ""),
        ("llama3.1-8b", {"expert": 2}, "expert_degree_not_legal"),
        ("mixtral-8x7b", {"expert": 8}, ""),
        ("mixtral-8x7b", {"expert": 16}, "expert_degree_not_legal"),  # 8 experts
        ("mixtral-8x7b", {"expert": 8, "tensor": 16}, "expert_degree_not_legal"),  # over 4 ranks of data
        ("mixtral-8x7b", {"tensor": 16, "experts_over": "tensor"}, "expert_degree_not_legal"),
        ("mixtral-8x7b", {"tensor": 8, "experts_over": "tensor"}, ""),
        ("deepseek-v3", {"tensor": 8, "expert": 8}, ""),
        ("llama3.1-8b", {"pipeline": 4, "data_state": "gradient_shards"}, "split_without_form"),
        ("gpt2", {"tensor": 2}, "split_without_form"),
    ],
)
def test_a_degree_that_is_not_legal_says_which_one(model: str, degrees: dict[str, Any], reason: str) -> None:
    assert code(use_of(model, TrainingRecipe()), SplitDegrees(**degrees), 64) == reason


def test_the_data_degree_is_what_the_cards_leave() -> None:
    degrees = SplitDegrees(tensor=4, pipeline=2, context=2)
    assert [degrees.data(cards) for cards in (16, 32, 24, 8)] == [1, 2, None, None]
    use = use_of("llama3.1-8b", TrainingRecipe())
    assert legal_degrees(use, SplitDegrees(tensor=4, pipeline=2), 32) == (8, 16, 24, 32)
    mixture = use_of("mixtral-8x7b", TrainingRecipe())
    assert legal_degrees(mixture, SplitDegrees(expert=4, context=2), 20) == (4, 8, 12, 16, 20)


@pytest.mark.parametrize(
    "wrong", [{"tensor": 0}, {"expert_capacity": "0.5"}, {"data_state": "half"}, {"replicas": 2}]
)
def test_degrees_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SplitDegrees(**wrong)


def test_a_layout_of_an_old_file_keeps_its_plain_split() -> None:
    layout = StageLayout.model_validate({"stage_id": "a", "cards_per_task": 4, "model_split": "tensor"})
    assert layout.division is ModelSplit.TENSOR
    combined = layout.replaced(model_split=ModelSplit.COMBINED, degrees=SplitDegrees(tensor=2))
    assert combined.division == SplitDegrees(tensor=2)
    assert StageLayout.model_validate_json(combined.model_dump_json()) == combined


# What equals what


@st.composite
def shapes(draw: st.DrawFn, *, has_experts: bool | None = None) -> mem.ModelShape:
    heads, layers = draw(st.sampled_from([8, 16])), draw(st.integers(4, 8))
    with_experts = draw(st.booleans()) if has_experts is None else has_experts
    experts = mem.Experts(8, draw(st.integers(1, 4)), 64 * draw(st.integers(1, 6))) if with_experts else None
    shape = mem.ModelShape(
        family=mem.Family.QWEN3_MOE if with_experts else mem.Family.LLAMA,
        layers=layers,
        hidden=64 * heads,
        heads=heads,
        kv_heads=draw(st.sampled_from([4, 8])),
        head_dim=64,
        mlp=64 * draw(st.integers(4, 40)),
        vocab=draw(st.integers(1000, 100_000)),
        is_tied=draw(st.booleans()),
        parameters=0,
        experts=experts,
    )
    return replace(shape, parameters=decoder_parameters(shape))


@st.composite
def steps(draw: st.DrawFn) -> mem.Training:
    return mem.Training(
        batch=draw(st.integers(1, 4)),
        length=16 * draw(st.integers(1, 128)),
        parameters=mem.Precision.BF16,
        autocast=False,
        attention=mem.Attention.SDPA,
        optimizer=draw(st.sampled_from(mem.Optimizer)),
        is_foreach=draw(st.booleans()),
        checkpointing=draw(st.booleans()),
        micro_batches=draw(st.integers(1, 8)),
    )


@given(shapes(), steps())
@settings(max_examples=30, deadline=None)
def test_one_degree_alone_is_its_plain_form(shape: mem.ModelShape, recipe: mem.Training) -> None:
    single = replace(recipe, micro_batches=1)
    assert mem.combined_ledger(shape, recipe, mem.Degrees()) == mem.training_ledger(shape, recipe)
    copies = mem.training_ledger(shape, recipe, mem.Replicas(4))
    assert mem.combined_ledger(shape, recipe, mem.Degrees(data=4)) == copies
    for sequence in (False, True):
        tensor = mem.Tensor(4, sequence, loss=False)
        degrees = mem.Degrees(tensor=4, sequence=sequence)
        assert mem.combined_ledger(shape, single, degrees) == mem.tensor_ledger(shape, single, tensor)
        shard = mem.FullShard(2, master_size=2, compute_size=2, reduce_size=2)
        both = replace(degrees, data=2, state=mem.DataState.FULL_SHARD)
        expected = mem.tensor_sharded_ledger(shape, recipe, tensor, shard)
        assert mem.combined_ledger(shape, recipe, both) == expected
    shard = mem.FullShard(4, master_size=2, compute_size=2, reduce_size=2)
    full = mem.Degrees(data=4, state=mem.DataState.FULL_SHARD)
    assert mem.combined_ledger(shape, recipe, full) == mem.sharded_ledger(shape, recipe, shard)
    order = mem.PipelineSchedule.ONE_FORWARD_ONE_BACKWARD
    stages = [
        mem.pipeline_ledger(shape, recipe, mem.Pipeline(4, at, recipe.micro_batches, order, True))
        for at in range(4)
    ]
    found = mem.combined_ledger(shape, recipe, mem.Degrees(pipeline=4))
    assert found.peak_bytes == max(stage.peak_bytes for stage in stages)


@given(st.sampled_from(["llama3.1-8b", "mixtral-8x7b"]), st.booleans(), st.sampled_from([2, 4, 8]))
@settings(max_examples=12, deadline=None)
def test_a_combined_split_of_one_degree_is_the_plain_split_in_a_quote(
    model: str, checkpointing: bool, cards: int
) -> None:
    use = use_of(model, TrainingRecipe(checkpointing=checkpointing))
    for plain, degrees in (
        (ModelSplit.TENSOR, SplitDegrees(tensor=cards)),
        (ModelSplit.PIPELINE, SplitDegrees(pipeline=cards)),
        (ModelSplit.FULL_SHARD, SplitDegrees()),
        (ModelSplit.OPTIMIZER_SHARDS, SplitDegrees(data_state="optimizer_shards")),
        (ModelSplit.REPLICAS, SplitDegrees(data_state="replicas")),
    ):
        assert model_ledger(use, degrees, cards) == model_ledger(use, plain, cards)
    assert ledger_of(use, SplitDegrees(), 1) == ledger_of(use, ModelSplit.NONE, 1)
    read = use_of(model, GenerationRecipe(new_tokens=8))
    assert model_ledger(read, SplitDegrees(tensor=cards), cards) == model_ledger(
        read, ModelSplit.TENSOR, cards
    )


# What never needs more

divisions = st.builds(
    mem.Degrees,
    tensor=st.sampled_from([1, 2, 4]),
    sequence=st.booleans(),
    pipeline=st.sampled_from([1, 2, 4]),
    context=st.sampled_from([1, 2]),
    expert=st.sampled_from([1, 2]),
    data=st.sampled_from([2, 4]),
    state=st.sampled_from(mem.DataState),
)


@given(shapes(), steps(), divisions, st.sampled_from(mem.MasterWeights))
@settings(max_examples=80, deadline=None)
def test_more_ranks_of_data_never_need_more_and_bytes_add_up(
    shape: mem.ModelShape, recipe: mem.Training, degrees: mem.Degrees, master: mem.MasterWeights
) -> None:
    degrees = replace(degrees, expert=degrees.expert if shape.experts else 1)
    assert not illegal_degree(shape, degrees)
    if not degrees.state.is_full:
        recipe = replace(recipe, master=master)
    peaks = []
    for data in (degrees.data, 2 * degrees.data, 8 * degrees.data):
        ledger = mem.combined_ledger(shape, recipe, replace(degrees, data=data))
        for one in ledger.moments:
            assert one.total_bytes == sum(one.of(state) for state in mem.StateClass)
            assert all(size > 0 for _, size in one.lines)
        peaks.append(ledger.peak_bytes)
    assert peaks == sorted(peaks, reverse=True)


@given(shapes(), steps(), divisions, st.sampled_from(mem.ContextMethod))
@settings(max_examples=60, deadline=None)
def test_more_ranks_of_context_never_keep_more_activations(
    shape: mem.ModelShape, recipe: mem.Training, degrees: mem.Degrees, method: mem.ContextMethod
) -> None:
    degrees = replace(degrees, expert=1, context_method=method)
    held = []
    for context in (1, 2, 4):
        ledger = mem.combined_ledger(shape, recipe, replace(degrees, context=context))
        held.append(max(one.of(mem.StateClass.ACTIVATIONS) for one in ledger.moments))
    assert held == sorted(held, reverse=True)


@given(shapes(has_experts=True), steps(), st.sampled_from(mem.DataState))
@settings(max_examples=40, deadline=None)
def test_dealing_experts_out_never_keeps_more_weights(
    shape: mem.ModelShape, recipe: mem.Training, state: mem.DataState
) -> None:
    weights = [
        mem.combined_ledger(shape, recipe, mem.Degrees(data=8, expert=expert, state=state))
        .moments[0]
        .of(mem.StateClass.WEIGHTS)
        for expert in (1, 2, 4, 8)
    ]
    slack = 8 * shape.layers  # shares are rounded up layer by layer
    assert all(later <= former + slack for former, later in pairwise(weights))


@given(
    st.sampled_from(["llama3.1-8b", "mixtral-8x7b", "deepseek-v2-lite"]),
    st.sampled_from(["tensor", "pipeline"]),
    st.integers(1, 8192),
    st.sampled_from(["as_computed", "gptq_4", "gguf_q4"]),
)
@settings(max_examples=40, deadline=None)
def test_generation_over_more_cards_never_needs_more_on_each(
    model: str, degree: str, prompt: int, weights: str
) -> None:
    recipe = GenerationRecipe(batch=2, prompt=prompt, new_tokens=4).replaced(weights=weights)
    use = use_of(model, recipe)
    peaks = [ledger_of(use, SplitDegrees(**{degree: count}), count).peak_bytes for count in (1, 2, 4, 8)]
    assert peaks == sorted(peaks, reverse=True)


@given(shapes(), steps(), st.sampled_from(["optimizer", "activations"]))
@settings(max_examples=40, deadline=None)
def test_what_goes_to_the_node_leaves_the_card_and_is_listed(
    shape: mem.ModelShape, recipe: mem.Training, what: str
) -> None:
    recipe = replace(recipe, checkpointing=True, micro_batches=1)
    away = replace(recipe, **{f"offloads_{what}": True})
    here = mem.offloaded_ledger(recipe, lambda one: mem.training_ledger(shape, one))
    there = mem.offloaded_ledger(away, lambda one: mem.training_ledger(shape, one))
    assert here.host == ()
    assert there.peak_bytes <= here.peak_bytes
    assert there.host_bytes > 0


# In a quote


def test_the_least_cards_of_shards_grow_by_data_and_of_copies_by_tensors() -> None:
    card = Card(id="c", name="C", marketed_gb=Decimal(80), observed_bytes=80 * GIB)
    use = use_of(
        "llama3.1-70b" if "llama3.1-70b" in RECORDS else "llama3.3-70b", TrainingRecipe(foreach=False)
    )
    (shards,) = fits_table(use, SplitDegrees(tensor=4, sequence=True), DEFAULTS, (card,), 8)
    least = shards.least_cards.used
    assert least is not None
    assert least % 4 == 0
    for cards, fits in ((least, True), (least - 4, False)):
        (fit,) = fits_table(use, SplitDegrees(tensor=4, sequence=True), DEFAULTS, (card,), cards)
        assert (fit.verdict.fits is not Fit.NO) is fits
    copies = SplitDegrees(tensor=2, sequence=True, data_state="replicas")
    (fit,) = fits_table(use, copies, DEFAULTS, (card,), 8)
    # copies need 8 bytes a parameter on each card: 526 GiB over 8 tensor ranks are 66 and over 4 are 131
    assert fit.least_cards.used == 8
    read = use_of("llama3.3-70b", GenerationRecipe(prompt=512))
    (fit,) = fits_table(read, SplitDegrees(), DEFAULTS, (card,), 8)
    assert fit.least_cards.used == 2  # 131 GiB of weights


def test_a_choice_that_no_form_holds_is_said_and_not_left_out() -> None:
    recipe = TrainingRecipe(checkpointing=False, offload_activations=True)
    assert code(use_of("llama3.1-8b", recipe), ModelSplit.NONE, 1) == "offload_without_form"
    shards = TrainingRecipe(offload_parameters=True)
    assert code(use_of("llama3.1-8b", shards), ModelSplit.NONE, 1) == "offload_without_form"
    assert code(use_of("llama3.1-8b", shards), ModelSplit.FULL_SHARD, 4) == ""
    accumulated = TrainingRecipe(step_in_backward=True, micro_batches=2)
    assert code(use_of("llama3.1-8b", accumulated), ModelSplit.NONE, 1) == "backward_step_without_form"
    streamed = GenerationRecipe(stream_weights=True)
    assert code(use_of("llama3.1-8b", streamed), ModelSplit.NONE, 1) == ""
    assert code(use_of("llama3.1-8b", streamed), ModelSplit.TENSOR, 2) == "offload_without_form"
    assert code(use_of("llama3.1-8b", GenerationRecipe()), SplitDegrees(context=2), 2) == "split_without_form"


def test_kept_products_have_a_form_in_full_shards_of_recomputed_layers_and_nowhere_else() -> None:
    keeping = TrainingRecipe(keep_products=True)
    refused = "products_without_form"
    assert code(use_of("llama3.1-8b", keeping), ModelSplit.FULL_SHARD, 8) == ""
    assert code(use_of("llama3.1-8b", keeping), SplitDegrees(data_state="full_shard_kept"), 8) == ""
    for division, cards in (
        (ModelSplit.NONE, 1),
        (ModelSplit.REPLICAS, 8),
        (ModelSplit.OPTIMIZER_SHARDS, 8),
        (ModelSplit.TENSOR, 8),
        (ModelSplit.PIPELINE, 8),
        (SplitDegrees(tensor=2), 8),
        (SplitDegrees(context=2), 8),
    ):
        assert code(use_of("llama3.1-8b", keeping), division, cards) == refused
    for changed in ({"checkpointing": False}, {"offload_activations": True}, {"adapter_rank": 8}):
        recipe = keeping.replaced(**changed)
        assert code(use_of("llama3.1-8b", recipe), ModelSplit.FULL_SHARD, 8) == refused
    assert (
        code(use_of("qwen2.5-7b", keeping), ModelSplit.FULL_SHARD, 8) == refused
    )  # its products have biases


def test_kept_products_rest_on_readings_and_a_compiled_loss_on_its_formula() -> None:
    bases = []
    for loss in ("upcast", "compiled"):
        recipe = TrainingRecipe.model_validate({"keep_products": True, "loss": loss})
        found = model_ledger(use_of("llama3.1-8b", recipe), ModelSplit.FULL_SHARD, 8)
        assert not isinstance(found, Absent)
        bases.append(found[1])
    assert bases == [mem.Basis.PUBLISHED_READINGS, mem.Basis.FORMULA]


def test_a_form_of_several_degrees_is_a_formula_and_full_shards_rest_on_readings() -> None:
    bases = []
    for division, cards in (
        (SplitDegrees(), 8),
        (SplitDegrees(tensor=2), 8),
        (SplitDegrees(tensor=2, data_state="replicas"), 8),
        (SplitDegrees(context=2), 8),
        (SplitDegrees(data_state="gradient_shards"), 8),
        (SplitDegrees(tensor=2, pipeline=2), 8),
        (SplitDegrees(pipeline=8), 8),
    ):
        found = model_ledger(use_of("llama3.1-8b", TrainingRecipe()), division, cards)
        assert not isinstance(found, Absent)
        bases.append(found[1])
    points, readings = mem.Basis.REFERENCE_POINTS, mem.Basis.PUBLISHED_READINGS
    formula = mem.Basis.FORMULA
    assert bases == [readings, readings, formula, formula, formula, formula, points]


def test_levers_of_a_generation_lower_its_peak_as_they_promise() -> None:
    recipe = GenerationRecipe(batch=4, prompt=16_384, new_tokens=64, all_scores=True)
    use = use_of("llama3.1-8b", recipe)
    found = model_memory(use, ModelSplit.TENSOR, 2)
    assert not isinstance(found, Absent)
    assert {effect.lever for effect in found.levers} >= {mem.Lever.LAST_SCORES, mem.Lever.MORE_CARDS}
    changes = dict(generation_changes(recipe))
    for effect in found.levers:
        if effect.lever is mem.Lever.MORE_CARDS:
            after = ledger_of(use, ModelSplit.TENSOR, 4)
        else:
            pulled = use.replaced(recipe=recipe.replaced(**changes[effect.lever]))
            after = ledger_of(pulled, ModelSplit.TENSOR, 2)
        assert after.peak_bytes == effect.peak_bytes < found.ledger.peak_bytes
    peaks = [effect.peak_bytes for effect in found.levers]
    assert peaks == sorted(peaks)


def test_what_is_asked_of_the_node_is_a_decisive_condition_and_on_no_card() -> None:
    quote = source_quote()
    stage = quote.workload.main_stage
    assert stage is not None
    for offloads in (False, True):
        use = use_of("llama3.2-1b", TrainingRecipe(offload_optimizer=offloads))
        changed = edits.with_memory(quote, stage.id, model=use)
        found = compared(changed, DAY)
        asked = [one for one in found.conditions if one.code == "host_memory"]
        assert len(asked) == offloads
        memory = next(one for one in found.organisations[0].memory if one.stage_id == stage.id)
        assert memory.missing == ()
        if offloads:
            assert asked[0].decisive
            # AdamW keeps two moments in bf16, and reads a gradient of 2 bytes: 6 for each of 1,235,814,400
            assert memory.host_bytes == 6 * 1_235_814_400 * memory.cards_per_task
            assert dict(asked[0].values)["host_bytes"] == memory.host_bytes
            assert memory.worst is not None
            assert all(line.name != "optimizer" for line in memory.worst.lines)


def test_a_pipeline_of_uneven_stages_finds_its_least_cards_one_by_one() -> None:
    config = {
        "model_type": "llama",
        "num_hidden_layers": 4,
        "hidden_size": 1024,
        "num_attention_heads": 16,
        "num_key_value_heads": 16,
        "intermediate_size": 4096,
        "vocab_size": 1000,
        "tie_word_embeddings": False,
    }
    recipe = TrainingRecipe(
        micro_batches=8, length=8192, checkpointing=False, optimizer="sgd", keep_outputs=False
    )
    use = ModelUse(source=ModelSource(name="m", text=json.dumps(config)), recipe=recipe)
    peaks = {count: ledger_of(use, ModelSplit.PIPELINE, count).peak_bytes for count in (2, 3, 4)}
    # two layers stay on the first of three stages, with three micro-batches in flight in place of two
    assert peaks[3] > peaks[2]
    usable = int(peaks[2] * 1.06) + GIB
    card = Card(id="c", name="C", marketed_gb=Decimal(1), observed_bytes=usable)
    (fit,) = fits_table(use, ModelSplit.PIPELINE, DEFAULTS, (card,), 3)
    assert fit.verdict.fits is Fit.NO
    assert fit.least_cards.used is not None
    assert fit.least_cards.used < 3
