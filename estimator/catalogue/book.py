"""The catalogue as one value: embedded or a planner's own, and how the two are laid over each other."""

from __future__ import annotations

from typing import TypeVar

from estimator.catalogue.cards import Card, Link, ModelRecord, SourceNote
from estimator.catalogue.offers import HourlyOffer, Lot
from estimator.frozen import Frozen

FORMAT = 1

Record = TypeVar("Record", Card, Link, ModelRecord, Lot, HourlyOffer)


class Catalogue(Frozen):
    """Cards, links, models and offers. `version` is the date of the embedded data."""

    format: int = FORMAT
    version: str = ""
    cards: tuple[Card, ...] = ()
    links: tuple[Link, ...] = ()
    models: tuple[ModelRecord, ...] = ()
    lots: tuple[Lot, ...] = ()
    hourly: tuple[HourlyOffer, ...] = ()
    sources: tuple[SourceNote, ...] = ()
    conflicts: tuple[str, ...] = ()

    def card(self, card_id: str) -> Card | None:
        """Return the card of that id, or None."""
        return next((card for card in self.cards if card.id == card_id), None)

    def offer(self, offer_id: str) -> Lot | HourlyOffer | None:
        """Return the lot or hourly offer of that id, or None."""
        offers: tuple[Lot | HourlyOffer, ...] = (*self.hourly, *self.lots)
        return next((offer for offer in offers if offer.id == offer_id), None)


def merged(embedded: Catalogue, own: Catalogue) -> Catalogue:
    """Return the embedded catalogue with the planner's own records laid over it, by id."""
    return embedded.replaced(
        cards=_laid_over(embedded.cards, own.cards),
        links=_laid_over(embedded.links, own.links),
        models=_laid_over(embedded.models, own.models),
        lots=_laid_over(embedded.lots, own.lots),
        hourly=_laid_over(embedded.hourly, own.hourly),
        sources=embedded.sources + tuple(note for note in own.sources if note not in embedded.sources),
    )


def _laid_over(below: tuple[Record, ...], above: tuple[Record, ...]) -> tuple[Record, ...]:
    replaced = {record.id: record for record in above}
    kept = tuple(replaced.pop(record.id, record) for record in below)
    return kept + tuple(replaced.values())
