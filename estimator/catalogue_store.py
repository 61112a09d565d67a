"""A planner's own catalogue on disk, carried to a colleague, and a quote's copies refreshed from a catalogue.

Laying an own catalogue over the embedded one is `catalogue.merged`; reading price lists is `imports/`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from estimator.catalogue import Card, Catalogue, Conflict, HourlyOffer, Link, Lot, ModelRecord
from estimator.catalogue.book import FORMAT, merged
from estimator.problems import FileRefused
from estimator.quote import Quote
from estimator.storage import json_object, read_text, write_atomically

KIND = "cabida-catalogue"
SUFFIX = ".cabida-catalogue"

Section = Literal["cards", "links", "models", "lots", "hourly"]
SECTIONS: tuple[Section, ...] = ("cards", "links", "models", "lots", "hourly")

AnyRecord = Card | Link | ModelRecord | Lot | HourlyOffer


@dataclass(frozen=True, slots=True)
class CatalogueChange:
    """One record that another catalogue brings: new, or in place of one of the same id."""

    section: Section
    id: str
    name: str
    change: Literal["added", "replaced"]


@dataclass(frozen=True, slots=True)
class PriceChange:
    """One field of a copied offer or card that differs from the catalogue.

    `field` is the record's field; the price of a term is `terms.DAYS`. None: absent on that side.
    """

    record: Literal["offer", "card"]
    id: str
    name: str
    field: str
    before: object
    after: object


def read_own(path: Path) -> Catalogue:
    """Return the catalogue in a file. Raises FileRefused: a newer format, or the place of what is wrong."""
    document = json_object(read_text(path))
    if document.get("kind") != KIND:
        raise FileRefused("not_a_catalogue", name=path.name)
    number = document.get("format")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise FileRefused("format_missing")
    if number > FORMAT:
        raise FileRefused("format_newer", found=number, known=FORMAT)
    content = document.get("catalogue")
    if not isinstance(content, dict):
        raise FileRefused("catalogue_missing", name=path.name)
    try:
        catalogue = Catalogue.model_validate_json(json.dumps(content))
    except ValidationError as error:
        first = error.errors()[0]
        place = " › ".join(str(part) for part in first["loc"])
        raise FileRefused("broken_at", place=place or "catalogue", reason=first["type"]) from error
    _refuse_repeated_ids(catalogue)
    return catalogue


def _refuse_repeated_ids(catalogue: Catalogue) -> None:
    for section in SECTIONS:
        seen: set[str] = set()
        for record in _records(catalogue, section):
            if record.id in seen:
                raise FileRefused("broken_at", place=f"{section} › {record.id}", reason="id_twice")
            seen.add(record.id)


def save_own(catalogue: Catalogue, path: Path) -> None:
    """Write a catalogue to `path`, whole or not at all. Raises FileRefused naming the cause."""
    document = {"format": FORMAT, "kind": KIND, "catalogue": catalogue.model_dump(mode="json")}
    write_atomically(path, (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8"))


def added(own: Catalogue, other: Catalogue) -> tuple[Catalogue, tuple[CatalogueChange, ...]]:
    """Return the own catalogue with a colleague's laid over it, and what that adds or replaces.

    Every record that comes in is the planner's own from then on; equal records are no change.
    """
    incoming = other.replaced(
        cards=tuple(card.replaced(own=True) for card in other.cards),
        lots=tuple(lot.replaced(own=True) for lot in other.lots),
        hourly=tuple(offer.replaced(own=True) for offer in other.hourly),
    )
    changes: list[CatalogueChange] = []
    for section in SECTIONS:
        mine = {record.id: record for record in _records(own, section)}
        for record in _records(incoming, section):
            old = mine.get(record.id)
            if old != record:
                change: Literal["added", "replaced"] = "added" if old is None else "replaced"
                changes.append(CatalogueChange(section, record.id, record.name, change))
    return merged(own, incoming), tuple(changes)


def _records(catalogue: Catalogue, section: Section) -> tuple[AnyRecord, ...]:
    records: dict[Section, tuple[AnyRecord, ...]] = {
        "cards": catalogue.cards,
        "links": catalogue.links,
        "models": catalogue.models,
        "lots": catalogue.lots,
        "hourly": catalogue.hourly,
    }
    return records[section]


def refreshed(quote: Quote, catalogue: Catalogue) -> tuple[Quote, tuple[PriceChange, ...]]:
    """Return the quote with its copied offers and cards as the catalogue has them now, and what differs.

    Records that the catalogue does not know stay as they are; so do the options that the planner chose in a
    conflict, with the values that follow from them, and the memory that a framework was seen to use.
    The given quote is not touched: a planner who says no keeps it.
    """
    changes: list[PriceChange] = []
    offers: list[Lot | HourlyOffer] = []
    for offer in quote.offers:
        now = catalogue.offer(offer.id)
        if now is not None and offer.own and not now.own:
            now = None  # a price typed in this quote is the planner's, whatever the embedded catalogue says
        changes += [] if now is None else _offer_changes(offer, now)
        offers.append(offer if now is None else now)
    cards: list[Card] = []
    for card in quote.cards:
        known = catalogue.card(card.id)
        fresh = card if known is None else _with_choices(card, known)
        # Ways to cut a card change no figure until one is chosen, and that one is copied on its own.
        changes += _field_changes(
            "card", card, fresh, (name for name in Card.model_fields if name != "slices")
        )
        cards.append(fresh)
    if not changes:
        return quote, ()
    version = catalogue.version or quote.catalogue_version
    fresh_quote = quote.replaced(offers=tuple(offers), cards=tuple(cards), catalogue_version=version)
    return fresh_quote, tuple(changes)


def _offer_changes(before: Lot | HourlyOffer, after: Lot | HourlyOffer) -> list[PriceChange]:
    names = dict.fromkeys((*type(before).model_fields, *type(after).model_fields))
    changes = _field_changes("offer", before, after, (name for name in names if name != "terms"))
    old = {term.days: term.price for term in before.terms} if isinstance(before, Lot) else {}
    new = {term.days: term.price for term in after.terms} if isinstance(after, Lot) else {}
    changes += [
        PriceChange("offer", before.id, before.name, f"terms.{days}", old.get(days), new.get(days))
        for days in sorted({*old, *new})
        if old.get(days) != new.get(days)
    ]
    return changes


def _field_changes(
    record: Literal["offer", "card"],
    before: Card | Lot | HourlyOffer,
    after: Card | Lot | HourlyOffer,
    names: Iterable[str],
) -> list[PriceChange]:
    pairs = ((name, getattr(before, name, None), getattr(after, name, None)) for name in names)
    return [
        PriceChange(record, before.id, before.name, name, old, new) for name, old, new in pairs if old != new
    ]


def _with_choices(card: Card, known: Card) -> Card:
    """Return the catalogue's card with the planner's choices; an option that is gone is no longer chosen."""
    conflicts = tuple(_chosen_as(conflict, card.conflicts) for conflict in known.conflicts)
    kept: dict[str, object] = {
        conflict.fact: getattr(card, conflict.fact)
        for conflict in conflicts
        if conflict.chosen is not None and conflict.fact in Card.model_fields
    }
    observed = card.observed_bytes or known.observed_bytes
    return known.replaced(**kept, conflicts=conflicts, observed_bytes=observed)


def _chosen_as(conflict: Conflict, earlier: tuple[Conflict, ...]) -> Conflict:
    for old in earlier:
        if old.fact == conflict.fact and old.chosen is not None and old.chosen < len(old.options):
            wanted = old.options[old.chosen].value
            places = (place for place, option in enumerate(conflict.options) if option.value == wanted)
            return conflict.replaced(chosen=next(places, None))
    return conflict
