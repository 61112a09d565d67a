"""Nouns of the catalogue: cards, links, models, lots and hourly offers, each with its sources."""

from estimator.catalogue.book import Catalogue, merged
from estimator.catalogue.cards import (
    Card,
    Conflict,
    ConflictOption,
    Link,
    ModelRecord,
    SliceProfile,
    SourceNote,
)
from estimator.catalogue.offers import AnyOffer, HourlyOffer, Lot, Offer, TermPrice

__all__ = [
    "AnyOffer",
    "Card",
    "Catalogue",
    "Conflict",
    "ConflictOption",
    "HourlyOffer",
    "Link",
    "Lot",
    "ModelRecord",
    "Offer",
    "SliceProfile",
    "SourceNote",
    "TermPrice",
    "merged",
]
