"""Short texts about cards cut into slices, the same on every face: the key, a slice's number, how cards are cut."""

from __future__ import annotations

from collections.abc import Iterable

from estimator.catalogue import Card
from estimator.quote import CardSlicing
from estimator.results.estimate import OrganisationResult
from estimator.wording.wording import Wording


def per_task_text(words: Wording, result: OrganisationResult) -> str:
    """Return what one task takes at once: cards, "2", or its part of one, "1/7"."""
    if result.slices_per_card > 1:
        return f"1/{words.number(result.slices_per_card)}"
    return words.number(result.cards_per_task)


def place_number(words: Wording, place: int, slices_per_card: int) -> str:
    """Return the number of a card, "2", or of a slice of one, "2 · 3", counted from one."""
    card, slice_ = divmod(place, slices_per_card)
    if slices_per_card == 1:
        return words.number(card + 1)
    return f"{words.number(card + 1)} · {words.number(slice_ + 1)}"


def slicing_text(words: Wording, slicing: CardSlicing, cards: Iterable[Card] = ()) -> str:
    """Return how cards are cut: "7 slices 1g.10gb of each H100 SXM", "4 tasks share each card"."""
    if slicing.profile is None:
        if slicing.memory_percent is None:
            return words.n("{count} task shares each card", "{count} tasks share each card", slicing.per_card)
        return words.t(
            "{count} tasks share each card, {percent} of its memory each",
            count=words.number(slicing.per_card),
            percent=words.percent(slicing.memory_percent),
        )
    name = next((card.name for card in cards if card.id == slicing.card_id), slicing.card_id)
    return words.t(
        "{count} slices {profile} of each {card}",
        count=words.number(slicing.per_card),
        profile=slicing.profile.name,
        card=name,
    )
