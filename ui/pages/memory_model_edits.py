"""Edits of a stage's model: which one, how it is run, how it is split over the cards of a task, a lever pulled.

Plain functions from a quote to another. A configuration is read here, bounded and checked, before it may enter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from estimator import edits
from estimator.architecture.fields import config_object
from estimator.architecture.image_pipeline import (
    DENOISER_PARTS,
    IMAGE_PART,
    TEXT_PARTS,
    is_image_pipeline,
    with_part,
)
from estimator.catalogue import ModelRecord
from estimator.evidence import GIVEN, Evidence, EvidenceKind
from estimator.memory import Lever
from estimator.plan.image_models import lever_changes as image_lever_changes
from estimator.plan.levers import generation_changes
from estimator.plan.model_kinds import goes_with, is_read, is_training, recipe_for
from estimator.plan.models import next_degree
from estimator.problems import FileRefused
from estimator.quote import GenerationRecipe, ModelSource, ModelSplit, ModelUse, Quote, Recipe, TrainingRecipe
from estimator.quote.model_use import LONGEST_CONFIG


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
    config_object(content)
    text = content.decode("utf-8-sig")
    source = ModelSource(name=_name_in(text, path), text=text, evidence=Evidence(source=path.name))
    return source.replaced(evidence=GIVEN.replaced(source=path.name)) if is_read(source) else source


def with_source(quote: Quote, stage_id: str, source: ModelSource) -> Quote:
    """Return the quote with that model in a stage; a recipe that goes with it stays, else what both state."""
    former = use_of(quote, stage_id)
    kept = None if former is None else former.recipe
    recipe = kept
    if kept is None or not goes_with(source, kept):
        recipe = recipe_for(source, kept, trains=kept is None or is_training(kept))
    return edits.with_memory(quote, stage_id, model=ModelUse(source=source, recipe=recipe))


def with_read_source(quote: Quote, stage_id: str, source: ModelSource) -> Quote:
    """Return the quote with the model of a file in a stage; a part of the pipeline that is there joins it."""
    former = use_of(quote, stage_id)
    whole = None if former is None else _joined(former.source, source)
    return with_source(quote, stage_id, whole or source)


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


def _joined(pipeline: ModelSource, part: ModelSource) -> ModelSource | None:
    """Return a pipeline of images with the part that another file describes; None where they do not go together."""
    if pipeline.kind != "config":
        return None
    config = config_object(pipeline.text)
    whole = with_part(config, config_object(part.text)) if is_image_pipeline(config) else None
    if whole is None:
        return None
    text = json.dumps(whole, indent=2)
    return None if len(text) > LONGEST_CONFIG else pipeline.replaced(text=text)


def with_recipe(quote: Quote, stage_id: str, changes: Mapping[str, object]) -> Quote:
    """Return the quote with fields of a stage's recipe changed."""
    use = use_of(quote, stage_id)
    if use is None:
        return quote
    changed = use.replaced(recipe=use.recipe.replaced(**changes))
    return edits.with_memory(quote, stage_id, model=changed)


def with_recipe_kind(quote: Quote, stage_id: str, *, trains: bool) -> Quote:
    """Return the quote with the model trained or run; what both recipes state is kept."""
    use = use_of(quote, stage_id)
    if use is None or (is_training(use.recipe) is trains and goes_with(use.source, use.recipe)):
        return quote
    recipe = recipe_for(use.source, use.recipe, trains)
    return edits.with_memory(quote, stage_id, model=use.replaced(recipe=recipe))


def with_split(quote: Quote, organisation_id: str, stage_id: str, split: ModelSplit) -> Quote:
    """Return the quote with the model split that way over the cards of a task of one organisation."""
    if quote.organisation(organisation_id) is None:
        return quote
    return edits.with_layout(quote, organisation_id, stage_id, model_split=split)


def with_degrees(quote: Quote, organisation_id: str, stage_id: str, changes: Mapping[str, object]) -> Quote:
    """Return the quote with some degrees of a combined split changed, in one organisation."""
    organisation = quote.organisation(organisation_id)
    if organisation is None:
        return quote
    degrees = organisation.layout(stage_id).degrees.replaced(**changes)
    return edits.with_layout(quote, organisation_id, stage_id, degrees=degrees)


def with_lever(quote: Quote, stage_id: str, lever: Lever, organisation_id: str) -> Quote:
    """Return the quote with that lever pulled; more cards are given to the tasks of one organisation."""
    use, organisation = use_of(quote, stage_id), quote.organisation(organisation_id)
    if use is None:
        return quote
    if lever is not Lever.MORE_CARDS:
        return with_recipe(quote, stage_id, lever_changes(use.recipe, lever))
    if organisation is None:
        return quote
    layout = organisation.layout(stage_id)
    more = next_degree(use, layout.division, layout.cards_per_task)
    if more is None:
        return quote
    return edits.with_layout(quote, organisation_id, stage_id, cards_per_task=more)


def lever_changes(recipe: Recipe, lever: Lever) -> Mapping[str, object]:
    """Return the fields of a recipe that a lever changes; the same as is tried where its effect is found."""
    if isinstance(recipe, GenerationRecipe):
        return dict(generation_changes(recipe)).get(lever, {})
    if not isinstance(recipe, TrainingRecipe):
        return image_lever_changes(recipe).get(lever, {})
    match lever:
        case Lever.CHECKPOINTING:
            return {"checkpointing": True, "keep_products": False}
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
        case _:  # of other recipes
            return {}


def _name_in(text: str, path: Path) -> str:
    """Return what the configuration calls its model, else the folder of the model or pipeline, else the file."""
    named = json.loads(text).get("_name_or_path")
    if isinstance(named, str) and named.strip():
        return named.strip()[:200]
    folder = path.parent
    if folder.name in (*DENOISER_PARTS, *TEXT_PARTS, IMAGE_PART):
        folder = folder.parent  # a pipeline keeps each part in a folder of its name
    return (folder.name if path.name == "config.json" else path.stem) or path.name
