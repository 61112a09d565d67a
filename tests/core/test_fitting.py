"""Which cards a recipe fits on: verdicts, the least legal number of cards, the largest batch and context."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator import memory as mem
from estimator.catalogue import Card
from estimator.catalogue.embedded import embedded_catalogue
from estimator.plan.fitting import ModelFit, allowed_bytes, fits_table, phases_of
from estimator.plan.forms import RANGES
from estimator.plan.memory import overheads_of
from estimator.plan.models import model_ledger
from estimator.problems import Absent
from estimator.quote import GenerationRecipe, MemoryNeed, ModelSource, ModelSplit, ModelUse, TrainingRecipe
from estimator.results.memory import Fit
from estimator.units import GIB

CATALOGUE = embedded_catalogue()
CARDS = {card.id: card for card in CATALOGUE.cards}
DEFAULTS = overheads_of(MemoryNeed())
RECORDS = {record.id: record for record in CATALOGUE.models}
Recipe = TrainingRecipe | GenerationRecipe


def use_of(model_id: str, recipe: Recipe) -> ModelUse:
    record = RECORDS[model_id]
    source = ModelSource(name=record.name, kind="catalogue", text=record.model_dump_json())
    return ModelUse(source=source, recipe=recipe)


def on(card_id: str, use: ModelUse, split: ModelSplit = ModelSplit.NONE, cards: int = 1) -> ModelFit:
    (fit,) = fits_table(use, split, DEFAULTS, (CARDS[card_id],), cards)
    return fit


def verdict(use: ModelUse, card: Card, split: ModelSplit, cards: int) -> Fit:
    found = model_ledger(use, split, cards)
    if isinstance(found, Absent):
        return Fit.UNKNOWN
    stage = mem.stage_memory("", phases_of(*found), DEFAULTS, cards)
    return mem.verdict_on(card.id, card.usable_bytes, DEFAULTS, (stage,)).fits


def test_a_training_that_needs_all_of_a_card_fits_if_and_a_smaller_card_says_why_not() -> None:
    use = use_of("llama3.1-8b", TrainingRecipe(batch=2, length=2048))
    # 74.79 GiB x 1.05 + 0.5 = 79.03 GiB of an H100's 79.65; with the ranges 74.79 x 1.03 x 1.1 + 1 = 85.7
    h100 = on("h100-sxm", use)
    assert (h100.verdict.fits, h100.reason) == (Fit.IF, None)
    assert h100.verdict.spare_bytes is not None
    assert round(h100.verdict.spare_bytes / GIB, 1) == 0.6
    assert (h100.least_cards.used, h100.least_cards.sure) == (1, None)
    small = on("rtx-4090", use)
    assert small.verdict.fits is Fit.NO
    assert small.reason is not None
    assert small.reason.code == "does_not_fit"
    assert small.largest_batch.used is None


def test_memory_that_asks_for_three_cards_gives_the_four_that_heads_allow() -> None:
    use = use_of("llama3.1-70b", GenerationRecipe(batch=8, prompt=8192, prefill_chunk=2048))
    # 131.4 GiB of weights over 2 are 65.7 and over 4 are 32.9 GiB, with 10 and 5 of cache
    fit = on("h100-sxm", use, ModelSplit.TENSOR, 4)
    assert fit.least_cards.used == 4
    assert on("h100-sxm", use, ModelSplit.TENSOR, 2).verdict.fits is Fit.NO


def test_a_context_reaches_at_most_what_the_model_was_made_for() -> None:
    use = use_of("llama3.1-8b", GenerationRecipe(new_tokens=100))
    assert on("h200-sxm", use).largest_context.sure == 131_072
    assert on("h200-sxm", use_of("vit-b/16", TrainingRecipe())).largest_context.used is None


def test_what_is_not_known_is_unknown_on_every_card_with_its_reason() -> None:
    use = use_of("llama3.1-8b", GenerationRecipe())
    for split, code in (
        (ModelSplit.FULL_SHARD, "split_without_form"),
        (ModelSplit.TENSOR, "split_not_legal"),
    ):
        table = fits_table(use, split, DEFAULTS, CATALOGUE.cards, 3)
        assert len(table) == len(CATALOGUE.cards)
        for fit in table:
            assert fit.verdict.fits is Fit.UNKNOWN
            assert fit.reason is not None
            assert fit.reason.code == code
    unread = ModelUse(source=ModelSource(name="m", text="{}"), recipe=TrainingRecipe())
    assert all(
        fit.reason is not None and fit.reason.code == "model_not_read"
        for fit in fits_table(unread, ModelSplit.NONE, DEFAULTS, CATALOGUE.cards)
    )


def test_without_a_margin_nothing_is_said_to_fit() -> None:
    blank = overheads_of(MemoryNeed().replaced(margin_percent={"value": None}))
    (fit,) = fits_table(use_of("gpt2", TrainingRecipe()), ModelSplit.NONE, blank, (CARDS["h100-sxm"],))
    assert fit.verdict.fits is Fit.UNKNOWN
    assert fit.reason is not None


def test_the_table_is_in_the_order_of_the_cards() -> None:
    table = fits_table(use_of("gpt2", TrainingRecipe()), ModelSplit.NONE, DEFAULTS, CATALOGUE.cards)
    assert [fit.card_id for fit in table] == [card.id for card in CATALOGUE.cards]


@pytest.mark.parametrize("basis", list(mem.Basis))
def test_what_a_card_admits_is_what_the_verdict_admits(basis: mem.Basis) -> None:
    usable = 80 * GIB
    for sure, expected in ((False, {Fit.YES, Fit.IF}), (True, {Fit.YES})):
        size = allowed_bytes(usable, DEFAULTS, sure=sure)
        if sure:  # the upper end of the line is what is admitted
            size = int(size / RANGES[basis][1]) - 8
        for more, fits in ((0, True), (64, False)):
            moment = mem.Moment(mem.MomentKind.DECODE, ((mem.StateClass.WEIGHTS, size + more),))
            stage = mem.stage_memory("", phases_of(mem.MemoryLedger((moment,)), basis), DEFAULTS, 1)
            found = mem.verdict_on("c", usable, DEFAULTS, (stage,)).fits
            assert (found in expected) is fits


sizes = st.integers(2, 200).map(lambda gigabytes: Card(id="c", name="C", marketed_gb=Decimal(gigabytes)))
uses: st.SearchStrategy[ModelUse] = st.builds(
    use_of,
    st.sampled_from(["qwen2.5-0.5b", "llama3.2-3b", "llama3.1-8b", "gpt2-xl", "gemma3-4b"]),
    st.sampled_from(
        [
            TrainingRecipe(batch=1, length=1024),
            TrainingRecipe(batch=4, length=512, checkpointing=False),
            TrainingRecipe(adapter_rank=16, loss="chunked", loss_chunks=8),
            TrainingRecipe(parameters="fp32", attention="eager", length=256),
            GenerationRecipe(batch=2, new_tokens=64),
            GenerationRecipe(attention="eager", prompt=512),
        ]
    ),
)
divisions = st.sampled_from([(ModelSplit.NONE, 1), (ModelSplit.FULL_SHARD, 4), (ModelSplit.PIPELINE, 3)])


@given(uses, sizes, divisions)
@settings(max_examples=60, deadline=None)
def test_a_limit_fits_and_one_more_does_not(use: ModelUse, card: Card, division: tuple[Any, int]) -> None:
    split, cards = division
    (fit,) = fits_table(use, split, DEFAULTS, (card,), cards)
    if fit.verdict.fits is Fit.UNKNOWN:
        return
    for end, admitted in (("used", {Fit.YES, Fit.IF}), ("sure", {Fit.YES})):
        batch = getattr(fit.largest_batch, end) or 0
        at = lambda count: use.replaced(recipe=use.recipe.replaced(batch=count))  # noqa: E731  # read once below
        assert batch == 0 or verdict(at(batch), card, split, cards) in admitted
        assert verdict(at(batch + 1), card, split, cards) not in admitted
        least = getattr(fit.least_cards, end)
        assert least is None or verdict(use, card, split, least) in admitted
    now = fit.verdict.fits
    assert (now in (Fit.YES, Fit.IF)) == ((fit.largest_batch.used or 0) >= use.recipe.batch)
    assert (now is Fit.YES) == ((fit.largest_batch.sure or 0) >= use.recipe.batch)
    assert (fit.reason is not None) == (now is Fit.NO)
