"""Which divisions a search for the least number of cards tries, and which degree it lets grow."""

from __future__ import annotations

from estimator.plan import splits
from estimator.plan.models import known_shape, legal_degrees
from estimator.plan.splits import Division
from estimator.quote import GenerationRecipe, ModelSplit, ModelUse, SplitDegrees


def growth(use: ModelUse, split: Division, most: int) -> tuple[tuple[int, Division], ...]:
    """Return the divisions that a search for the least cards tries: numbers of cards, rising, and how each divides.

    Of combined degrees the data degree grows where data ranks share state, else the tensor degree from the one
    stated on, with one rank of data: copies lower nothing.
    """
    if not isinstance(split, SplitDegrees):
        return tuple((cards, split) for cards in legal_degrees(use, split, most))
    if grows_by_data(use, split):
        return tuple((cards, split) for cards in legal_degrees(use, split, most))
    shape = known_shape(use.source)
    if shape is None:
        return ()
    found: list[tuple[int, Division]] = []
    for tensor in splits.legal_cards(shape, ModelSplit.TENSOR, most):
        wider = split.replaced(tensor=tensor)
        legal = splits.legal_cards(shape, wider, most) if tensor >= split.tensor else ()
        found += [(legal[0], wider)] if legal else []
    return tuple(found)


def grows_by_data(use: ModelUse, split: SplitDegrees) -> bool:
    """Whether a search for the least cards adds ranks of data; it adds tensor ranks where they hold copies."""
    return split.data_state != "replicas" and not isinstance(use.recipe, GenerationRecipe)
