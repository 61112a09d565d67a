"""How long a recipe's ledger, and its fits over the whole catalogue, take: median and worst, printed."""

from __future__ import annotations

import statistics
import time

from estimator.catalogue.embedded import embedded_catalogue
from estimator.plan.fitting import fits_table
from estimator.plan.memory import overheads_of
from estimator.plan.models import architecture_of, model_memory
from estimator.quote import (
    GenerationRecipe,
    MemoryNeed,
    ModelSource,
    ModelSplit,
    ModelUse,
    SplitDegrees,
    TrainingRecipe,
)

MODELS = ("llama3.1-8b", "llama3.1-405b", "deepseek-v3", "gpt-oss-20b", "qwen2.5-0.5b", "gemma3-27b")
DIVISIONS = (
    (ModelSplit.NONE, 1),
    (ModelSplit.FULL_SHARD, 8),
    (ModelSplit.TENSOR, 8),
    (ModelSplit.PIPELINE, 4),
    (SplitDegrees(tensor=8, sequence=True), 32),
    (SplitDegrees(tensor=4, pipeline=2, data_state="optimizer_shards"), 32),
)
RECIPES = (TrainingRecipe(), TrainingRecipe(adapter_rank=16), GenerationRecipe(new_tokens=512))


def bench_a_recipe_and_its_fits() -> None:
    """Each model is read before: a planner reads it once and changes its recipe many times."""
    catalogue, overheads = embedded_catalogue(), overheads_of(MemoryNeed())
    ledgers, tables = [], []
    for record in catalogue.models:
        if record.id not in MODELS:
            continue
        source = ModelSource(name=record.name, kind="catalogue", text=record.model_dump_json())
        architecture_of(source)
        for recipe in RECIPES:
            use = ModelUse(source=source, recipe=recipe)
            for split, cards in DIVISIONS:
                started = time.perf_counter()
                model_memory(use, split, cards)
                ledgers.append((time.perf_counter() - started) * 1000)
                started = time.perf_counter()
                fits_table(use, split, overheads, catalogue.cards, cards)
                tables.append((time.perf_counter() - started) * 1000)
    for name, spent in (("a recipe's ledger with its levers", ledgers), ("its fits over all cards", tables)):
        print(f"\n{name}: median {statistics.median(spent):.2f} ms, worst {max(spent):.2f} ms")
