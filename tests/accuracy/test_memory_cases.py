"""Known answers of what a card holds, shows and admits: sizes of cards, overheads, states, divisions, and fits.

The cases of caches, counts and stored weights are in test_architecture_cases, those of pools and tensor degrees in
tests/core/test_memory_recipes.
"""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from estimator import memory as mem
from estimator.catalogue import Card, ModelRecord
from estimator.catalogue.embedded import embedded_catalogue
from estimator.evidence import EvidenceKind
from estimator.memory.megatron import zero_states
from estimator.memory.shape import decoder_parameters, layer_parameters, root_parameters
from estimator.plan.fitting import fits_table
from estimator.plan.memory import overheads_of
from estimator.plan.models import architecture_of, model_ledger, model_memory, shape_of, weight_storage
from estimator.price import LineInput, PriceRules, price
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
from estimator.rental.terms import TermPrice, cover_days, days_needed
from estimator.results.memory import Fit
from estimator.units import GB, GIB, MIB, MS_PER_HOUR, bytes_to_gib

DATA = Path(__file__).parents[1] / "data"
CATALOGUE = embedded_catalogue()
RECORDS = {record.id: record for record in CATALOGUE.models}
CARDS = {card.id: card for card in CATALOGUE.cards}
NOTHING = mem.Overheads(
    mem.Size(0, 0, EvidenceKind.GIVEN), None, None, Decimal(0), Decimal(0), EvidenceKind.GIVEN
)
WEIGHTS, KV = mem.StateClass.WEIGHTS, mem.StateClass.KV_CACHE


def source(record: ModelRecord) -> ModelSource:
    return ModelSource(name=record.name, kind="catalogue", text=record.model_dump_json())


def config(name: str) -> ModelSource:
    return ModelSource(name=name, text=(DATA / "model_configs" / f"{name}.json").read_text(encoding="utf-8"))


def gib(count: int | Fraction, places: int = 3) -> float:
    return round(float(Fraction(count) / GIB), places)


def size(text: str) -> mem.Size:
    count = int(Decimal(text) * GIB)
    return mem.Size(count, count, EvidenceKind.GIVEN)


def verdict(usable: int, need: str, overheads: mem.Overheads = NOTHING) -> Fit:
    phase = mem.Phase("run", (mem.Term("model", size(need), False),))
    return mem.verdict_on("card", usable, overheads, (mem.stage_memory("", [phase], overheads, 1),)).fits


def shape(model_id: str) -> mem.ModelShape:
    architecture = architecture_of(source(RECORDS[model_id])).architecture
    assert architecture is not None
    found = shape_of(architecture)
    assert not isinstance(found, Absent)
    return found[0]


# Sizes of cards: O-MEM-10 to 13


@pytest.mark.parametrize(
    ("card_id", "mib", "in_gib", "in_gb"),
    [
        ("a100-sxm-80", 81_920, 80.0, 85.9),
        ("a100-sxm-40", 40_960, 40.0, 42.95),
        ("h100-sxm", 81_559, 79.65, 85.52),
        ("a10", 23_028, 22.49, 24.15),
        ("l40s", 46_068, 44.99, 48.31),
        ("t4", 15_360, 15.0, 16.11),
        ("b200-sxm", 183_359, 179.06, 192.27),
    ],
)
def test_a_driver_s_total_is_the_same_bytes_in_either_unit(
    card_id: str, mib: int, in_gib: float, in_gb: float
) -> None:
    usable = CARDS[card_id].usable_bytes
    assert usable == mib * MIB
    # GiB = MiB / 1024, GB = MiB x 1,048,576 / 10^9
    assert round(float(bytes_to_gib(usable)), 2) == in_gib
    assert round(usable / GB, 2) == in_gb


def test_a_label_alone_is_read_as_decimal_and_two_cards_are_two_memories() -> None:
    card = Card(id="unlisted", name="Unlisted", marketed_gb=Decimal(180))
    assert gib(card.usable_bytes, 2) == 167.64  # 180e9 / 2^30
    assert [verdict(card.usable_bytes, need) for need in ("160", "170", "300")] == [Fit.YES, Fit.NO, Fit.NO]
    # a B200 reports 183,359 MiB = 179.06 GiB
    known = CARDS["b200-sxm"].usable_bytes
    assert [verdict(known, need) for need in ("160", "170", "300")] == [Fit.YES, Fit.YES, Fit.NO]


def test_what_a_framework_sees_decides_and_never_the_label() -> None:
    for label, seen, need in (("80", "79.19", "79.5"), ("24", "23.68", "23.8"), ("24", "21.99", "22.2")):
        card = Card(id="c", name="C", marketed_gb=Decimal(label), observed_bytes=int(Decimal(seen) * GIB))
        assert verdict(card.usable_bytes, need) is Fit.NO


def test_each_process_on_a_card_pays_its_context() -> None:
    def processes(count: int) -> tuple[int, Fit]:
        context = mem.Size(count * 400 * MIB, count * 400 * MIB, EvidenceKind.MEASURED)
        overheads = replace(NOTHING, context=context)
        phase = mem.Phase("run", (mem.Term("model", size(str(Decimal("1.5") * count)), False),))
        stage = mem.stage_memory("", [phase], overheads, 1)
        fits = mem.verdict_on("c", int(Decimal("15.77") * GIB), overheads, (stage,)).fits
        return stage.phases[0].peak_bytes, fits

    # 8 x (1.5 + 0.390625) = 15.125; nine would need 17.02
    assert processes(8) == (int(15.125 * GIB), Fit.YES)
    assert processes(9)[1] is Fit.NO


# Divisions: O-MEM-14 to 18, 23, 32, 35


def test_memory_asks_for_three_cards_and_heads_allow_four() -> None:
    weights = 2 * 32_528_943_616
    assert gib(weights, 2) == 60.59
    by_memory = -(-(weights + 6 * GIB) // int(Decimal("31.75") * GIB * 9 / 10))
    legal = mem.legal_tensor_degrees(52, 52)
    assert (by_memory, legal) == (3, (1, 2, 4, 13, 26, 52))
    assert mem.least_legal_degree(by_memory, legal) == 4
    assert mem.legal_tensor_degrees(28, 28) == (1, 2, 4, 7, 14, 28)


def test_a_divided_cache_stops_at_the_kv_heads() -> None:
    recipe = GenerationRecipe(prompt=100_000)
    use = ModelUse(source=source(RECORDS["llama3.1-70b"]), recipe=recipe)
    held = []
    for degree in (1, 4, 8, 16):
        found = model_ledger(use, ModelSplit.TENSOR, degree)
        assert not isinstance(found, Absent)
        held.append(gib(found[0].moments[0].of(KV)))
    assert held == [30.518, 7.629, 3.815, 3.815]


def test_a_vocabulary_is_padded_before_it_is_divided() -> None:
    assert mem.padded_vocabulary(49_954, 16) - 49_954 == 14
    assert mem.padded_vocabulary(50_257, 8, 128) == 51_200


def test_replicas_do_not_lower_what_a_card_holds() -> None:
    use = ModelUse(source=source(RECORDS["qwen2.5-1.5b"]), recipe=TrainingRecipe(master="copied_freeing"))
    # 16 bytes x 1,543,714,304: 23.003 GiB on each of 1, 2 or 8; divided 11.502 and 2.875
    peaks = [model_memory(use, ModelSplit.REPLICAS, cards) for cards in (1, 2, 8)]
    for found in peaks:
        assert not isinstance(found, Absent)
        assert found.ledger.peak_bytes > 23.003 * GIB
    assert shape("qwen2.5-1.5b").parameters == 1_543_714_304
    states = [gib(zero_states(1_543_714_304, 3, cards, (2, 2, 12))) for cards in (1, 2, 8)]
    assert states == [23.003, 11.502, 2.875]


def test_the_states_of_a_stage_three_estimate_are_in_gib() -> None:
    parameters, largest, cards = 6_805_000_000, 131_000_000, 4
    # 4 x 131e6; + 2 x 6805e6 / 4; + 18 x 6805e6 / 4
    whole_layer = 4 * largest
    assert gib(whole_layer, 2) == 0.49
    assert gib(whole_layer + zero_states(parameters, 3, cards, (2, 0, 0)), 2) == 3.66
    assert gib(whole_layer + zero_states(parameters, 3, cards, (2, 4, 12)), 2) == 29.01


@pytest.mark.parametrize(
    ("master", "moment", "total"),
    [
        # 2 weights + 2 gradients + 4 masters + 8 moments
        ("copied", mem.MomentKind.EMBEDDING_BACKWARD, 119.66),
        # gradients in fp32 all along: 2 + 4 + 4 + 8
        ("main_gradients", mem.MomentKind.OPTIMIZER_STEP, 134.62),
        # 16-bit gradients and their fp32 copies at the step: 2 + 2 + 4 + 4 + 8
        ("copied", mem.MomentKind.OPTIMIZER_STEP, 149.58),
    ],
)
def test_which_bytes_a_parameter_has_is_shown_term_by_term(
    master: str, moment: mem.MomentKind, total: float
) -> None:
    recipe = TrainingRecipe.model_validate({"master": master, "foreach": False, "length": 16})
    found = model_memory(ModelUse(source=source(RECORDS["llama3.1-8b"]), recipe=recipe), ModelSplit.NONE, 1)
    assert not isinstance(found, Absent)
    held = next(one for one in found.ledger.moments if one.kind is moment)
    states = (WEIGHTS, mem.StateClass.GRADIENTS, mem.StateClass.OPTIMIZER)
    assert gib(sum(held.of(state) for state in states), 2) == total


def test_a_full_shard_holds_its_share_and_the_whole_root() -> None:
    llama = shape("llama3.1-8b")
    assert layer_parameters(llama) == 218_112_000
    assert gib(2 * layer_parameters(llama)) == 0.406
    assert gib(2 * root_parameters(llama)) == 1.957
    # 16 x 8,030,261,248 / 8 = 14.958 GiB, 16.915 with the gathered root
    states = zero_states(llama.parameters, 3, 8, (2, 2, 12))
    assert gib(states) == 14.958
    assert gib(states + 2 * root_parameters(llama)) == 16.915
    # With shards in fp32 (4 weights, 4 gradients, 8 moments) and 16-bit computation a step holds at least that.
    recipe = TrainingRecipe(parameters="fp32", autocast=True, foreach=False)
    found = model_memory(
        ModelUse(source=source(RECORDS["llama3.1-8b"]), recipe=recipe), ModelSplit.FULL_SHARD, 8
    )
    assert not isinstance(found, Absent)
    assert found.ledger.peak_bytes >= 16.915 * GIB


def test_adapters_of_a_sharded_70b_are_tight_on_cards_of_24() -> None:
    llama = shape("llama3.1-70b")
    base, root = 2 * Fraction(llama.parameters, 8), 2 * root_parameters(llama)
    assert (gib(base), gib(root), gib(base + root)) == (16.427, 3.914, 20.341)
    assert round(23.65 - 20.341, 2) == 3.31
    use = ModelUse(source=source(RECORDS["llama3.1-70b"]), recipe=TrainingRecipe(adapter_rank=16))
    found = model_memory(use, ModelSplit.FULL_SHARD, 8)
    assert not isinstance(found, Absent)
    assert found.ledger.peak_bytes > 20.341 * GIB
    card = Card(id="c", name="C", marketed_gb=Decimal(24), observed_bytes=int(Decimal("23.65") * GIB))
    (fit,) = fits_table(use, ModelSplit.FULL_SHARD, NOTHING, (card,), 8)
    assert fit.verdict.fits is not Fit.YES


def test_the_second_stage_divides_gradients() -> None:
    # 2P + 18P / 8 with P = 7e9, not 4P + 16P / 8
    new = zero_states(7_000_000_000, 2, 8, (2, 2, 16))
    assert (new / GB, gib(new, 2)) == (29.75, 27.71)
    assert zero_states(7_000_000_000, 1, 8, (4, 0, 16)) / GB == 42.0


# Scores and stored weights: O-MEM-24, 25, 27


def test_scores_of_a_large_vocabulary_are_counted() -> None:
    def scores(batch: int, element: str) -> int:
        recipe = GenerationRecipe.model_validate(
            {"batch": batch, "prompt": 4096, "parameters": element, "all_scores": True}
        )
        found = model_ledger(
            ModelUse(source=source(RECORDS["llama3.1-8b"]), recipe=recipe), ModelSplit.NONE, 1
        )
        assert not isinstance(found, Absent)
        moment = next(one for one in found[0].moments if one.kind is mem.MomentKind.PROMPT_SCORES)
        hidden = 4096 * batch * 4096 * (2 if element == "bf16" else 4)
        return moment.of(mem.StateClass.TEMPORARIES) - hidden

    # batch x 4096 x 128,256 x bytes
    assert [gib(scores(1, "bf16")), gib(scores(1, "fp32")), gib(scores(8, "fp32"))] == [0.979, 1.957, 15.656]


def test_four_bits_are_more_than_half_a_byte() -> None:
    use = ModelUse(
        source=config("llama-2-7b-no-kv-field"), recipe=GenerationRecipe(weights=WeightStorage.AWQ_4)
    )
    found = model_ledger(use, ModelSplit.NONE, 1)
    assert not isinstance(found, Absent)
    # 6,476,005,376 x 4.15625 / 8 + 262,410,240 x 2
    assert found[0].moments[0].of(WEIGHTS) == 3_889_307_648


def test_a_checkpoint_in_eight_bits_fits_a_node_that_its_sixteen_bits_do_not() -> None:
    deepseek = config("deepseek-v3")
    assert weight_storage(deepseek) is WeightStorage.FP8

    def fits(weights: WeightStorage, seen: str) -> Fit:
        card = Card(id="c", name="C", marketed_gb=Decimal(80), observed_bytes=int(Decimal(seen) * GIB))
        use = ModelUse(source=deepseek, recipe=GenerationRecipe(weights=weights, prompt=1024))
        table = fits_table(use, ModelSplit.TENSOR, overheads_of(MemoryNeed()), (card,), 8)
        return table[0].verdict.fits

    # 626.9 GiB / 8 = 78.4 GiB a card; 1249.9 / 8 = 156.2
    assert fits(WeightStorage.FP8, "139.72") is not Fit.NO
    assert fits(WeightStorage.AS_COMPUTED, "139.72") is Fit.NO
    assert fits(WeightStorage.FP8, "79.19") is Fit.NO


def test_experts_that_a_token_does_not_use_are_resident_too() -> None:
    use = ModelUse(
        source=source(RECORDS["qwen3-30b-a3b"]), recipe=GenerationRecipe(weights=WeightStorage.NF4)
    )
    card = Card(id="c", name="C", marketed_gb=Decimal(12), observed_bytes=int(Decimal("11.6") * GIB))
    (fit,) = fits_table(use, ModelSplit.NONE, NOTHING, (card,), 1)
    # 30,532,122,624 x 0.58 = 16.49 GiB; active parameters alone would be 1.81
    assert gib(Fraction(30_532_122_624 * 58, 100), 2) == 16.49
    assert fit.verdict.fits is Fit.NO


# Everything at once: O-E2E-01


def test_memory_heads_lots_terms_and_tax_give_one_price() -> None:
    recipe = GenerationRecipe(batch=8, prompt=8192, prefill_chunk=2048)
    use = ModelUse(source=source(RECORDS["llama3.1-70b"]), recipe=recipe)
    found = model_ledger(use, ModelSplit.NONE, 1)
    assert not isinstance(found, Absent)
    weights, cache = (found[0].moments[0].of(state) for state in (WEIGHTS, KV))
    assert (gib(weights, 2), gib(cache, 1)) == (131.42, 20.0)
    room = int(Decimal("79.19") * GIB * 9 / 10)
    # (131.42 + 20) / (0.9 x 79.19 - 3 = 68.271) = 2.22
    assert -(-(weights + cache) // (room - 3 * GIB)) == 3
    card = Card(id="c", name="C", marketed_gb=Decimal(80), observed_bytes=room)
    overheads = replace(NOTHING, context=size("3"))
    (fit,) = fits_table(use, ModelSplit.TENSOR, overheads, (card,), 4)
    assert fit.least_cards.used == 4
    lots = -(-fit.least_cards.used // 2)
    terms = tuple(TermPrice(days, Decimal(cost)) for days, cost in ((3, "240"), (7, "480"), (30, "1500")))
    days = days_needed(96 * MS_PER_HOUR)
    cover = cover_days(terms, days)
    assert cover is not None
    assert (lots, days, cover.cost) == (2, 4, Decimal(480))
    line = LineInput("lots", "lot", lots * cover.cost, "EUR")
    total = price((line,), PriceRules("EUR", tax_percent=Decimal(21)))
    assert (total.net, total.tax, total.gross) == (Decimal("960.00"), Decimal("201.60"), Decimal("1161.60"))


def test_the_shape_of_a_catalogued_decoder_counts_its_parameters() -> None:
    for model_id in ("llama3.1-8b", "llama3.1-70b", "qwen2.5-7b", "qwen3-8b", "mixtral-8x7b"):
        assert decoder_parameters(shape(model_id)) == RECORDS[model_id].parameters


def test_every_config_of_the_cases_has_a_form_or_a_reason() -> None:
    for file in sorted((DATA / "model_configs").glob("*.json")):
        text = file.read_text(encoding="utf-8")
        json.loads(text)
        use = ModelUse(source=ModelSource(name=file.stem, text=text), recipe=GenerationRecipe())
        found = model_memory(use, ModelSplit.NONE, 1)
        assert isinstance(found, Absent) or found.ledger.peak_bytes > 0
        if isinstance(found, Absent):
            assert found.code in ("model_not_read", "no_closed_form")
