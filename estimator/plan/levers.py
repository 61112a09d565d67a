"""Levers that are not the training engine's own: what a generation can change, and more cards for a divided model.

Each is tried on the quote's recipe and the ledger made again. Pulling one is an edit of the window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from estimator import memory as mem
from estimator.quote import GenerationRecipe, ModelUse, WeightStorage

Peaks = Callable[[ModelUse, int], int | None]
"""The peak of a use over so many cards; None where there is no form."""

CHUNK = 2048
"""Tokens of a chunk that a lever proposes, where the prompt is longer than one."""


def generation_changes(recipe: GenerationRecipe) -> Iterator[tuple[mem.Lever, dict[str, object]]]:
    """Yield each lever of a generation with the fields that it changes."""
    if recipe.kv_bits > 8:
        yield mem.Lever.EIGHT_BIT_CACHE, {"kv_bits": 8}
    if recipe.prompt > CHUNK and (recipe.prefill_chunk is None or recipe.prefill_chunk > CHUNK):
        yield mem.Lever.PROMPT_IN_CHUNKS, {"prefill_chunk": CHUNK}
    if recipe.weights is WeightStorage.AS_COMPUTED:
        yield mem.Lever.FOUR_BIT_WEIGHTS, {"weights": WeightStorage.AWQ_4}
    if recipe.all_scores:
        yield mem.Lever.LAST_SCORES, {"all_scores": False}
    if recipe.attention == "eager":
        yield mem.Lever.FUSED_ATTENTION, {"attention": "sdpa"}
    if recipe.parameters == "fp32":
        yield mem.Lever.HALF_PRECISION, {"parameters": "bf16"}


def division_effects(
    use: ModelUse, cards: int, more_cards: int | None, now: int, peak_of: Peaks
) -> Iterator[mem.LeverEffect]:
    """Yield the levers of a generation, and the next legal number of cards, as far as they lower the peak `now`."""
    recipe = use.recipe
    tried: list[tuple[mem.Lever, int | None]] = []
    if isinstance(recipe, GenerationRecipe):
        for lever, changes in generation_changes(recipe):
            changed = ModelUse.model_construct(source=use.source, recipe=recipe.model_copy(update=changes))
            tried.append((lever, peak_of(changed, cards)))
    if more_cards is not None:
        tried.append((mem.Lever.MORE_CARDS, peak_of(use, more_cards)))
    for lever, peak in tried:
        if peak is not None and peak < now:
            yield mem.LeverEffect(lever, peak)
