"""Models in a quote: how they are read, which form divides them, what it rests on, and properties of any recipe."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator import memory as mem
from estimator.catalogue.embedded import embedded_catalogue
from estimator.plan.forms import RANGES, ModelMemory, WorkingBasis, upper_bytes
from estimator.plan.models import (
    architecture_of,
    legal_degrees,
    model_ledger,
    model_memory,
    shape_of,
    weight_storage,
)
from estimator.problems import Absent
from estimator.quote import (
    GenerationRecipe,
    MemoryNeed,
    ModelSource,
    ModelSplit,
    ModelUse,
    TrainingRecipe,
    WeightStorage,
)
from estimator.results.memory import StageMemory
from estimator.units import GIB
from estimator.wording import Language, NumberFormat, Wording, phrases
from tests.quotes import TODAY, compared, conversion, source_quote

RECORDS = {record.id: record for record in embedded_catalogue().models if record.kind != "image pipeline"}
LLAMA = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": False,
}
Recipe = TrainingRecipe | GenerationRecipe
SPLITS = tuple(ModelSplit)


def catalogued(model_id: str, recipe: Recipe) -> ModelUse:
    record = RECORDS[model_id]
    source = ModelSource(name=record.name, kind="catalogue", text=record.model_dump_json())
    return ModelUse(source=source, recipe=recipe)


def stated(recipe: Recipe, **fields: object) -> ModelUse:
    return ModelUse(source=ModelSource(name="m", text=json.dumps(LLAMA | fields)), recipe=recipe)


def memory(use: ModelUse, split: ModelSplit = ModelSplit.NONE, cards: int = 1) -> ModelMemory:
    found = model_memory(use, split, cards)
    assert not isinstance(found, Absent), found
    return found


def code(use: ModelUse, split: ModelSplit = ModelSplit.NONE, cards: int = 1) -> str:
    found = model_memory(use, split, cards)
    return found.code if isinstance(found, Absent) else ""


def family(use: ModelUse) -> tuple[mem.Family, bool]:
    architecture = architecture_of(use.source).architecture
    assert architecture is not None
    found = shape_of(architecture)
    assert not isinstance(found, Absent)
    return found[0].family, found[1]


# Reading


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"model_type": "llama"}', '{"hidden_size": 1e999}'])
@pytest.mark.parametrize("kind", ["config", "catalogue"])
def test_a_text_that_is_no_model_has_problems_and_never_raises(text: str, kind: str) -> None:
    source = ModelSource.model_validate({"name": "m", "kind": kind, "text": text})
    reading = architecture_of(source)
    assert reading.architecture is None
    assert reading.problems
    use = ModelUse(source=source, recipe=TrainingRecipe())
    assert code(use) == "model_not_read"
    assert legal_degrees(use, ModelSplit.TENSOR, 8) == ()
    assert weight_storage(source) is None


def test_a_model_of_eight_billion_parameters_trains_in_the_bytes_of_its_reference() -> None:
    # 2 weights + 2 gradients + 4 moments + 2 of foreach's buffer: 10 x 8,030,261,248 bytes, and its input ids
    found = memory(catalogued("llama3.1-8b", TrainingRecipe(batch=2, length=2048)))
    assert round(found.ledger.peak_bytes / GIB, 2) == 74.79
    assert found.ledger.worst.kind is mem.MomentKind.OPTIMIZER_STEP
    assert found.basis is mem.Basis.REFERENCE_POINTS
    assert found.levers[0].peak_bytes < found.ledger.peak_bytes


def test_a_dropped_config_and_the_catalogue_give_the_same_ledger() -> None:
    assert (
        memory(stated(TrainingRecipe())).ledger == memory(catalogued("llama3.1-8b", TrainingRecipe())).ledger
    )


@pytest.mark.parametrize(
    ("model_id", "expected", "is_known"),
    [
        ("gemma2-9b", mem.Family.GEMMA3, False),
        ("phi3-mini", mem.Family.LLAMA, False),
        ("falcon-7b", mem.Family.GPT_NEOX, False),
        ("llama4-scout", mem.Family.QWEN3_MOE, False),
        ("mistral-7b-v0.1", mem.Family.LLAMA, False),  # its layers slide: no point is of that
        ("mistral-7b-v0.3", mem.Family.LLAMA, True),
        ("gemma3-4b", mem.Family.GEMMA3, True),
        ("deepseek-v3", mem.Family.DEEPSEEK, True),
    ],
)
def test_a_format_without_points_takes_the_nearest_family_on_a_formula_alone(
    model_id: str, expected: mem.Family, is_known: bool
) -> None:
    use = catalogued(model_id, TrainingRecipe())
    assert family(use) == (expected, is_known)
    assert is_known or memory(use).basis is mem.Basis.FORMULA


def test_the_side_of_an_image_is_read() -> None:
    architecture = architecture_of(catalogued("vit-b/16", TrainingRecipe()).source).architecture
    assert architecture is not None
    found = shape_of(architecture)
    assert not isinstance(found, Absent)
    assert found[0].image_size == 224


def test_an_image_tower_that_a_record_does_not_describe_is_loaded_too() -> None:
    found = memory(catalogued("gemma3-4b", GenerationRecipe()))
    assert found.ledger.moments[0].of(mem.StateClass.WEIGHTS) == 2 * RECORDS["gemma3-4b"].parameters


def test_speech_has_its_own_form_and_linear_attention_none() -> None:
    whisper = catalogued("whisper-large-v3", GenerationRecipe(prompt=4, new_tokens=200))
    assert {one.kind for one in memory(whisper).ledger.moments} == {
        mem.MomentKind.ENCODER,
        mem.MomentKind.DECODE,
    }
    assert memory(catalogued("whisper-large-v3", TrainingRecipe())).basis is mem.Basis.REFERENCE_POINTS
    assert code(whisper, ModelSplit.TENSOR, 2) == "split_without_form"
    linear = {
        "model_type": "qwen3_5_text",
        "head_dim": 128,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 12,
    }
    assert code(stated(TrainingRecipe(), **linear)) == "no_closed_form"


def test_a_checkpoint_says_how_it_is_stored() -> None:
    for method, storage in (
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, WeightStorage.GPTQ_4),
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, WeightStorage.AWQ_4),
        ({"quant_method": "mxfp4"}, WeightStorage.MXFP4),
        ({"quant_method": "somebody's"}, None),
    ):
        assert weight_storage(stated(GenerationRecipe(), quantization_config=method).source) is storage
    assert weight_storage(stated(GenerationRecipe()).source) is None


def test_every_catalogued_model_has_bytes_in_every_split_or_a_reason() -> None:
    reasons = set()
    for model_id in RECORDS:
        for recipe in (TrainingRecipe(), TrainingRecipe(adapter_rank=8), GenerationRecipe(new_tokens=8)):
            use = catalogued(model_id, recipe)
            assert not isinstance(model_ledger(use, ModelSplit.NONE, 1), Absent) or "whisper" in model_id
            for split in SPLITS:
                found = model_ledger(use, split, 4)
                if isinstance(found, Absent):
                    reasons.add(found.code)
                    continue
                for moment in found[0].moments:
                    assert moment.total_bytes == sum(size for _, size in moment.lines)
                    assert all(size > 0 for _, size in moment.lines), (model_id, split, moment.kind)
    assert reasons <= {"no_closed_form", "split_not_legal", "split_without_form"}


# Splits


def test_what_a_form_does_not_hold_is_absent_and_not_left_out() -> None:
    assert code(stated(TrainingRecipe(master="copied")), ModelSplit.FULL_SHARD, 4) == "split_without_form"
    assert code(stated(TrainingRecipe(average="fp32")), ModelSplit.TENSOR, 4) == "split_without_form"
    packed = TrainingRecipe(adapter_rank=8, base=WeightStorage.NF4)
    assert code(stated(packed), ModelSplit.FULL_SHARD, 4) == "split_without_form"
    assert code(stated(TrainingRecipe(adapter_rank=8)), ModelSplit.PIPELINE, 4) == "split_without_form"
    assert code(stated(TrainingRecipe(attention="eager")), ModelSplit.TENSOR, 4) == "split_without_form"
    assert code(stated(GenerationRecipe()), ModelSplit.FULL_SHARD, 4) == "split_without_form"
    assert code(stated(TrainingRecipe(adapter_rank=8)), ModelSplit.TENSOR, 4) == "split_without_form"


def test_heads_and_layers_stay_whole() -> None:
    assert code(stated(TrainingRecipe()), ModelSplit.TENSOR, 3) == "split_not_legal"
    assert code(stated(GenerationRecipe()), ModelSplit.TENSOR, 3) == "split_not_legal"
    assert code(stated(TrainingRecipe()), ModelSplit.PIPELINE, 33) == "split_not_legal"
    assert legal_degrees(stated(TrainingRecipe()), ModelSplit.TENSOR, 64) == (1, 2, 4, 8, 16, 32)
    assert legal_degrees(stated(TrainingRecipe()), ModelSplit.PIPELINE, 64) == tuple(range(1, 33))
    assert legal_degrees(stated(TrainingRecipe()), ModelSplit.FULL_SHARD, 3) == (1, 2, 3)
    assert legal_degrees(stated(TrainingRecipe()), ModelSplit.NONE, 8) == (1,)
    assert legal_degrees(stated(GenerationRecipe()), ModelSplit.FULL_SHARD, 8) == ()
    assert legal_degrees(catalogued("bert-large", TrainingRecipe()), ModelSplit.PIPELINE, 8) == ()


def test_optimizer_state_is_dealt_out_in_whole_tensors() -> None:
    small = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 4}
    use = stated(TrainingRecipe(foreach=False), **small, intermediate_size=128, vocab_size=1000)
    found = memory(use, ModelSplit.OPTIMIZER_SHARDS, 4)
    # embedding and head of 64,000 each alone on a card; 2 x (4 x 4096 + 3 x 8192 + 128) + 64 on the other two:
    # no card keeps more than one table. Two moments of 2 bytes.
    assert found.ledger.worst.of(mem.StateClass.OPTIMIZER) == 4 * 64_000
    assert found.basis is mem.Basis.REFERENCE_POINTS


def test_the_worst_stage_of_a_pipeline_is_found() -> None:
    use = stated(TrainingRecipe(micro_batches=8))
    shape = shape_of(architecture_of(use.source).architecture)  # type: ignore[arg-type]  # it is read
    assert not isinstance(shape, Absent)
    recipe = mem.Training(
        1,
        2048,
        mem.Precision.BF16,
        False,
        mem.Attention.SDPA,
        mem.Optimizer.ADAMW,
        True,
        True,
        micro_batches=8,
    )
    for stages in (2, 3, 7, 32):
        order = mem.PipelineSchedule.ONE_FORWARD_ONE_BACKWARD
        peaks = [
            mem.pipeline_ledger(shape[0], recipe, mem.Pipeline(stages, stage, 8, order, True)).peak_bytes
            for stage in range(stages)
        ]
        assert memory(use, ModelSplit.PIPELINE, stages).ledger.peak_bytes == max(peaks)


def test_generation_over_tensors_divides_weights_by_cards_and_the_cache_by_kv_heads() -> None:
    whole = memory(stated(GenerationRecipe(prompt=4096))).ledger.moments[0]
    # 65 norms of 4096 stay whole, of 8,030,261,248 parameters; beyond the 8 KV heads their 2 x 4096 x 1024 x 32
    # elements are divided by 8 alone
    norms, keys = 65 * 4096, 2 * 4096 * 1024 * 32
    for cards, cache in ((2, 2), (8, 8), (16, 8)):
        part = memory(stated(GenerationRecipe(prompt=4096)), ModelSplit.TENSOR, cards)
        held = part.ledger.moments[0]
        divided = (8_030_261_248 - norms - keys) // cards + keys // cache
        assert held.of(mem.StateClass.WEIGHTS) == 2 * (norms + divided)
        assert held.of(mem.StateClass.KV_CACHE) == whole.of(mem.StateClass.KV_CACHE) // cache
        assert part.basis is mem.Basis.FORMULA
    latent = memory(catalogued("deepseek-v3", GenerationRecipe()), ModelSplit.TENSOR, 8).ledger.moments[0]
    alone = memory(catalogued("deepseek-v3", GenerationRecipe())).ledger.moments[0]
    assert latent.of(mem.StateClass.KV_CACHE) == alone.of(mem.StateClass.KV_CACHE)


def test_the_range_follows_what_a_form_rests_on() -> None:
    bases = [
        memory(stated(TrainingRecipe())).basis,
        memory(stated(GenerationRecipe(new_tokens=5))).basis,
        memory(stated(TrainingRecipe(adapter_rank=8))).basis,
        memory(stated(TrainingRecipe(master="copied"))).basis,
        memory(stated(GenerationRecipe(weights=WeightStorage.GPTQ_4))).basis,
        memory(stated(TrainingRecipe(adapter_rank=8, base=WeightStorage.NF4))).basis,
        memory(stated(GenerationRecipe(kv_bits=8))).basis,
    ]
    points, readings, formula = (
        mem.Basis.REFERENCE_POINTS,
        mem.Basis.PUBLISHED_READINGS,
        mem.Basis.FORMULA,
    )
    assert bases == [points, points, readings, readings, readings, formula, formula]
    assert [upper_bytes(100, WorkingBasis(basis)) for basis in (points, readings, formula)] == [104, 126, 201]
    assert all(factor > 1 for _, factor in RANGES.values())
    assert RANGES[mem.Basis.FORMULA][1] == Decimal(2)


# Properties


@st.composite
def shapes(draw: st.DrawFn) -> dict[str, Any]:
    heads = draw(st.sampled_from([4, 8, 12, 16]))
    kv_heads = draw(st.sampled_from([one for one in (1, 2, 4, 8, 16) if heads % one == 0]))
    return {
        "model_type": draw(st.sampled_from(["llama", "qwen2", "qwen3", "mistral", "phi3"])),
        "num_hidden_layers": draw(st.integers(2, 12)),
        "hidden_size": heads * 64,
        "head_dim": 64,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "intermediate_size": 64 * draw(st.integers(4, 64)),
        "vocab_size": draw(st.integers(1000, 200_000)),
        "tie_word_embeddings": draw(st.booleans()),
    }


@st.composite
def trainings(draw: st.DrawFn) -> TrainingRecipe:
    parameters, autocast = draw(st.sampled_from([("bf16", False), ("fp32", False), ("fp32", True)]))
    return TrainingRecipe.model_validate(
        {
            "batch": draw(st.integers(1, 8)),
            "length": draw(st.integers(16, 4096)),
            "micro_batches": draw(st.integers(1, 4)),
            "parameters": parameters,
            "autocast": autocast,
            "optimizer": draw(st.sampled_from(["adamw", "adamw_8bit", "momentum", "sgd"])),
            "foreach": draw(st.booleans()),
            "checkpointing": draw(st.booleans()),
            "loss": draw(st.sampled_from(["upcast", "half", "chunked", "recomputed", "compiled"])),
            "loss_chunks": draw(st.integers(1, 8)),
        }
    )


@st.composite
def generations(draw: st.DrawFn) -> GenerationRecipe:
    return GenerationRecipe(
        batch=draw(st.integers(1, 8)),
        prompt=draw(st.integers(1, 4096)),
        new_tokens=draw(st.integers(0, 512)),
        weights=draw(st.sampled_from(WeightStorage)),
        kv_bits=draw(st.sampled_from([4, 8, 16, 32])),
    )


def peak(use: ModelUse, split: ModelSplit, cards: int) -> int | None:
    found = model_ledger(use, split, cards)
    return None if isinstance(found, Absent) else found[0].peak_bytes


# A pipeline of more stages keeps more micro-batches in flight: 4 layers over 3 stages leave 2 on the first, with
# 3 in flight in place of 2. It divides layers and shards nothing.
SHARDING = tuple(split for split in ModelSplit if split is not ModelSplit.PIPELINE)


@given(shapes(), trainings() | generations(), st.sampled_from(SHARDING))
@settings(max_examples=60, deadline=None)
def test_sharding_over_more_cards_never_needs_more_on_each(
    shape: dict[str, Any], recipe: Recipe, split: ModelSplit
) -> None:
    use = ModelUse(source=ModelSource(name="m", text=json.dumps(shape)), recipe=recipe)
    # One card has no exchange buffers: degrees are compared from two on.
    degrees = [degree for degree in legal_degrees(use, split, 12) if degree > 1]
    peaks = [found for found in (peak(use, split, degree) for degree in degrees) if found is not None]
    assert peaks == sorted(peaks, reverse=True)


@given(shapes(), trainings() | generations(), st.sampled_from(SPLITS), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_a_larger_batch_context_or_vocabulary_never_needs_less(
    shape: dict[str, Any], recipe: Recipe, split: ModelSplit, more: int
) -> None:
    source = ModelSource(name="m", text=json.dumps(shape))
    now = peak(ModelUse(source=source, recipe=recipe), split, 2)
    if now is None:
        return
    length = "length" if isinstance(recipe, TrainingRecipe) else "prompt"
    for field in ("batch", length):
        longer = recipe.replaced(**{field: getattr(recipe, field) + more})
        larger = peak(ModelUse(source=source, recipe=longer), split, 2)
        assert larger is not None
        assert larger >= now
    wider = ModelSource(name="m", text=json.dumps(shape | {"vocab_size": shape["vocab_size"] + more}))
    larger = peak(ModelUse(source=wider, recipe=recipe), split, 2)
    assert larger is not None
    assert larger >= now


@given(shapes(), trainings(), st.sampled_from(SPLITS))
@settings(max_examples=60, deadline=None)
def test_recomputing_never_keeps_more_activations_and_bytes_add_up(
    shape: dict[str, Any], recipe: TrainingRecipe, split: ModelSplit
) -> None:
    source = ModelSource(name="m", text=json.dumps(shape))
    held = []
    for checkpointing in (False, True):
        use = ModelUse(source=source, recipe=recipe.replaced(checkpointing=checkpointing))
        found = model_ledger(use, split, 2)
        if isinstance(found, Absent):
            return
        ledger = found[0]
        for moment in ledger.moments:
            assert moment.total_bytes == sum(moment.of(state) for state in mem.StateClass)
            assert all(size > 0 for _, size in moment.lines)
        assert ledger.peak_bytes == max(moment.total_bytes for moment in ledger.moments)
        held.append(max(moment.of(mem.StateClass.ACTIVATIONS) for moment in ledger.moments))
    assert held[1] <= held[0]


# Words


@pytest.mark.parametrize("language", list(Language))
def test_everything_that_a_ledger_shows_has_a_word(language: Language) -> None:
    words = Wording(language, NumberFormat.ES_ES)
    said = [phrases.moment_name(words, kind.value) for kind in mem.MomentKind]
    said += [phrases.memory_line_name(words, state.value) for state in mem.StateClass]
    said += [phrases.lever_name(words, lever) for lever in mem.Lever]
    said += [phrases.basis_text(words, basis) for basis in mem.Basis]
    assert all(said)
    assert len(set(said)) == len(said)
    assert phrases.moment_name(words, "Carga") == "Carga"  # a planner's own phase


def test_the_reason_of_a_model_is_said_in_place_of_a_missing_number() -> None:
    words = Wording(Language.ENGLISH, NumberFormat.EN_US)
    quote = source_quote()
    stage = quote.workload.stages[0]
    use = ModelUse(source=ModelSource(name="Mine", text="{}"), recipe=TrainingRecipe())
    with_model = stage.replaced(memory=stage.memory.replaced(model=use))
    quote = quote.replaced(workload=quote.workload.replaced(stages=(with_model, *quote.workload.stages[1:])))
    for reason in sorted(phrases.MODEL_REASONS):
        absent = phrases.memory_absent(quote, StageMemory(stage.id, 3, (), (reason,)))
        assert absent.code == reason
        assert words.absent(absent).endswith(".")
    blank = phrases.memory_absent(quote, StageMemory(stage.id, 3, (), ("context",)))
    assert blank.code == "missing_memory"


def test_a_model_that_cannot_be_read_is_a_problem_with_its_place() -> None:
    source = ModelSource(name="broken", text="{}")
    need = MemoryNeed(model=ModelUse(source=source, recipe=TrainingRecipe()))
    quote = source_quote(conversion().replaced(memory=need))
    result = compared(quote, TODAY)
    problem = next(one for one in result.problems if one.code == "model_not_read")
    assert problem.where == ("workload", "stages", "conversion", "memory")
    assert "missing_memory" not in {one.code for one in result.problems}
