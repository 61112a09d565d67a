"""A card cut into equal slices, a task on each: isolated by the hardware (MIG), or shared in time.

What a slice holds is decided here; how long a task takes on one is the planner's to state, since no share of a
card's computing says it. Nothing here knows of schedules or of rent: rent counts cards, never slices.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from pydantic import Field, model_validator

from estimator.catalogue.book import Catalogue
from estimator.catalogue.cards import Card, SliceProfile
from estimator.evidence import EvidenceKind, Stated
from estimator.frozen import Frozen


class CardSlicing(Frozen):
    """`per_card` tasks at once on each card, a slice of its memory for each.

    With a `profile` the slices are isolated, and of the one card model `card_id`, copied in as the catalogue had
    it. Without one the tasks share a card in time: `memory_percent` of it is each one's, None an equal part.
    `duration_factor` multiplies the stated durations; 1 given or measured says that they are those of a slice.
    """

    per_card: int = Field(ge=2, le=64)
    card_id: str = ""
    profile: SliceProfile | None = None
    memory_percent: Decimal | None = Field(default=None, gt=0, le=50)
    duration_factor: Stated = Stated(value=Decimal(1))

    @model_validator(mode="after")
    def _slices_fit_their_card(self) -> CardSlicing:
        if self.profile is not None:
            if not self.card_id:
                raise ValueError("slicing_without_card")
            if self.per_card > self.profile.per_card or self.memory_percent is not None:
                raise ValueError("more_slices_than_profile")
        elif self.per_card * (self.memory_percent or 0) > 100:
            raise ValueError("slices_beyond_card")
        return self

    @property
    def is_isolated(self) -> bool:
        """Whether the hardware keeps the slices apart; if not, nothing holds a task to its part."""
        return self.profile is not None

    @property
    def name(self) -> str:
        """Return the profile's name, or the part that each task has of a shared card, "1/4"."""
        return f"1/{self.per_card}" if self.profile is None else self.profile.name

    @property
    def factor_span(self) -> tuple[Decimal, Decimal] | None:
        """Return the range of the factor; where it is assumed with no range typed, from 1 to what the slice allows.

        A task that computes all the time takes as many times longer as the slice's part of the computing is
        smaller; that is said as a range and never applied.
        """
        value, evidence = self.duration_factor.value, self.duration_factor.evidence
        is_typed = evidence.low is not None or evidence.high is not None
        if value is None or is_typed or evidence.kind is not EvidenceKind.ASSUMED:
            return self.duration_factor.span
        part = Decimal(self.per_card)
        if self.profile is not None:
            part = Decimal(self.profile.compute_parts_of) / self.profile.compute_parts
        return Decimal(1), max(value, part)

    def of(self, card: Card) -> Card | None:
        """Return one slice of a card as a card of its own, under the card's id; None where it gives none."""
        if self.profile is None:
            usable = _part(card.usable_bytes, self.memory_percent, self.per_card)
            size, basis = usable, card.usable_basis
        elif card.id == self.card_id:
            whole = self.profile.reported_bytes or int(self.profile.marketed_gb * 10**9)
            # A card that was seen to hold less than its model has smaller slices.
            size = min(whole, card.usable_bytes // self.per_card)
            basis = "reported" if self.profile.reported_bytes else "marketed"
        else:
            return None
        return Card(
            id=card.id,
            name=f"{card.name} · {self.name}",
            vendor=card.vendor,
            marketed_gb=Decimal(size) / 10**9,
            reported_bytes=None if basis == "marketed" else size,
            sources=card.sources if self.profile is None else self.profile.sources,
        )


def slice_of(slicing: CardSlicing | None, card: Card) -> Card | None:
    """Return what one task has of a card: all of it without a slicing, else its slice; None where there is none."""
    return card if slicing is None else slicing.of(card)


def slicings_of(cards: Iterable[Card], catalogue: Catalogue) -> tuple[tuple[Card, CardSlicing], ...]:
    """Return every way to cut the cards into isolated slices, as a copied card or else the catalogue knows them."""
    found: list[tuple[Card, CardSlicing]] = []
    for card in cards:
        known = None if card.slices else catalogue.card(card.id)
        for profile in card.slices if known is None else known.slices:
            found.append((card, CardSlicing(per_card=profile.per_card, card_id=card.id, profile=profile)))
    return tuple(found)


def _part(usable_bytes: int, percent: Decimal | None, per_card: int) -> int:
    return usable_bytes // per_card if percent is None else int(usable_bytes * percent / 100)
