"""Edits of a stage's model: which one, how it is run, how it is split over the cards of a task, a lever pulled.

Plain functions from a quote to another. A configuration is read here, bounded and checked, before it may enter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from estimator import edits
from estimator.architecture import ConfigReading, read_config_text
from estimator.catalogue import ModelRecord
from estimator.evidence import GIVEN, Evidence, EvidenceKind
from estimator.memory import Lever
from estimator.problems import FileRefused
from estimator.quote import (
    GenerationRecipe,
    ModelSource,
    ModelSplit,
    ModelUse,
    Quote,
    TrainingRecipe,
)
from estimator.quote.model_use import LONGEST_CONFIG

Recipe = TrainingRecipe | GenerationRecipe


def use_of(quote: Quote, stage_id: str) -> ModelUse | None:
    """Return the model of a stage and its recipe; None where its phases are stated."""
    stage = quote.workload.stage(stage_id)
    return None if stage is None else stage.memory.model


def catalogue_source(record: ModelRecord) -> ModelSource:
    """Return a record of the catalogue as a quote keeps it."""
    named = Evidence(kind=EvidenceKind.GIVEN, source=", ".join(record.sources))
    return ModelSource(name=record.name, kind="catalogue", text=record.model_dump_json(), evidence=named)


def read_source(path: Path) -> ModelSource:
    """Return the configuration in a file as a quote keeps it. Raises FileRefused: unreadable, too large, no config.

    What it lacks is no refusal: the reading of the source names it.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST_CONFIG + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FileRefused("cannot_access", name=str(path), reason=reason) from error
    if len(content) > LONGEST_CONFIG:
        raise FileRefused("config_too_large", limit=LONGEST_CONFIG)
    reading = read_config_text(content, path.name)
    text = content.decode("utf-8-sig")
    return ModelSource(name=_name_in(text, path), text=text, evidence=_evidence(path, reading))


def with_source(quote: Quote, stage_id: str, source: ModelSource) -> Quote:
    """Return the quote with that model in a stage; a recipe that is there stays."""
    former = use_of(quote, stage_id)
    recipe = TrainingRecipe() if former is None else former.recipe
    return edits.with_memory(quote, stage_id, model=ModelUse(source=source, recipe=recipe))


def without_model(quote: Quote, stage_id: str) -> Quote:
    """Return the quote with the stage's phases stated again in place of a model."""
    return edits.with_memory(quote, stage_id, model=None)


def with_config_field(quote: Quote, stage_id: str, where: tuple[str, ...], value: int | str) -> Quote:
    """Return the quote with a field more in its model's configuration; `where`: the path of names inside it."""
    use = use_of(quote, stage_id)
    if use is None or use.source.kind != "config" or not where:
        return quote
    config = json.loads(use.source.text)
    inner = config
    for name in where[:-1]:
        inner = inner.setdefault(name, {})
    inner[where[-1]] = value
    return with_source(quote, stage_id, use.source.replaced(text=json.dumps(config, indent=2)))


def with_recipe(quote: Quote, stage_id: str, changes: Mapping[str, object]) -> Quote:
    """Return the quote with fields of a stage's recipe changed."""
    use = use_of(quote, stage_id)
    if use is None:
        return quote
    changed = use.replaced(recipe=use.recipe.replaced(**changes))
    return edits.with_memory(quote, stage_id, model=changed)


def with_recipe_kind(quote: Quote, stage_id: str, kind: str) -> Quote:
    """Return the quote with the model trained or generating; what both recipes state is kept."""
    use = use_of(quote, stage_id)
    if use is None or use.recipe.kind == kind:
        return quote
    former = use.recipe
    kept = {"batch": former.batch, "parameters": former.parameters, "attention": former.attention}
    recipe: Recipe
    if isinstance(former, TrainingRecipe):
        recipe = GenerationRecipe(prompt=former.length).replaced(**kept)
    else:
        recipe = TrainingRecipe(length=former.prompt).replaced(**kept)
    return edits.with_memory(quote, stage_id, model=use.replaced(recipe=recipe))


def with_split(quote: Quote, organisation_id: str, stage_id: str, split: ModelSplit) -> Quote:
    """Return the quote with the model split that way over the cards of a task of one organisation."""
    if quote.organisation(organisation_id) is None:
        return quote
    return edits.with_layout(quote, organisation_id, stage_id, model_split=split)


def with_lever(quote: Quote, stage_id: str, lever: Lever) -> Quote:
    """Return the quote with that lever pulled."""
    use = use_of(quote, stage_id)
    if use is None or not isinstance(use.recipe, TrainingRecipe):
        return quote
    return with_recipe(quote, stage_id, lever_changes(use.recipe, lever))


def lever_changes(recipe: TrainingRecipe, lever: Lever) -> dict[str, object]:
    """Return the fields of a recipe that a lever changes; the same as the engine tries (`memory.levers`)."""
    match lever:
        case Lever.CHECKPOINTING:
            return {"checkpointing": True}
        case Lever.FUSED_LOSS:
            return {"loss": "fused"}
        case Lever.FUSED_OPTIMIZER:
            return {"foreach": False}
        case Lever.EIGHT_BIT_OPTIMIZER:
            return {"optimizer": "adamw_8bit", "foreach": False}
        case Lever.FUSED_ATTENTION:
            return {"attention": "sdpa"}
        case Lever.HALF_PRECISION:
            return {"parameters": "bf16", "autocast": False}
        case Lever.SMALLER_MICRO_BATCH:
            return {"batch": recipe.batch // 2, "micro_batches": recipe.micro_batches * 2}


def _name_in(text: str, path: Path) -> str:
    """Return what the configuration calls its model, else the folder that `config.json` lies in, else the file."""
    named = json.loads(text).get("_name_or_path")
    if isinstance(named, str) and named.strip():
        return named.strip()[:200]
    return (path.parent.name if path.name == "config.json" else path.stem) or path.name


def _evidence(path: Path, reading: ConfigReading) -> Evidence:
    return (
        GIVEN.replaced(source=path.name) if reading.architecture is not None else Evidence(source=path.name)
    )
