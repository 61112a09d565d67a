"""Edits of the page of cards and lots: own prices, own offers and chosen facts, as functions of a quote.

A price that a planner types is own from then on: it is no sample, its source is the planner's and it has no
date until one is typed.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal, InvalidOperation

from estimator import edits
from estimator.catalogue import Card, Catalogue, ConflictOption, HourlyOffer, Lot, TermPrice
from estimator.quote import Quote

AnyOffer = Lot | HourlyOffer


def with_own_price(quote: Quote, offer_id: str, card: Card | None, offer: AnyOffer, source: str) -> Quote:
    """Return the quote with that offer copied in, ready for a price of the planner's own."""
    if quote.offer(offer_id) is not None:
        return edits.with_offer_fields(quote, offer_id, **_own(offer, source))
    return edits.with_offer(quote, offer.replaced(**_own(offer, source)), card)


def with_term_price(quote: Quote, offer_id: str, days: int, price: Decimal | None, source: str) -> Quote:
    """Return the quote with the price of one term of a copied lot changed; None takes the term away."""
    offer = _copied(quote, offer_id)
    if not isinstance(offer, Lot):
        raise TypeError(f"{offer_id} is not a lot")
    kept = {term.days: term.price for term in offer.terms if term.days != days}
    if price is not None:
        kept[days] = price
    terms = tuple(TermPrice(days=length, price=kept[length]) for length in sorted(kept))
    return edits.with_offer_fields(quote, offer_id, terms=terms, **_own(offer, source))


def with_hour_price(quote: Quote, offer_id: str, price: Decimal | None, source: str) -> Quote:
    """Return the quote with the price per card and hour of a copied offer changed."""
    offer = _copied(quote, offer_id)
    return edits.with_offer_fields(quote, offer_id, price_per_card_hour=price, **_own(offer, source))


def with_price_date(quote: Quote, offer_id: str, day: dt.date | None) -> Quote:
    """Return the quote with the date of a copied price changed."""
    return edits.with_offer_fields(quote, offer_id, price_date=day)


def with_offer_card(quote: Quote, offer_id: str, card: Card) -> Quote:
    """Return the quote with an own offer's card model changed; a card that nothing names any more goes."""
    former = _copied(quote, offer_id)
    changed = edits.with_offer(quote, former.replaced(card_id=card.id), card)
    named = {offer.card_id for offer in changed.offers}
    for organisation in changed.organisations:
        named.update(one for layout in organisation.layouts for one in layout.card_ids)
    for stage in changed.workload.stages:
        named.update(factor.card_id for factor in stage.card_factors)
    kept = tuple(one for one in changed.cards if one.id in named or one.id != former.card_id)
    return changed.replaced(cards=kept)


def with_choice(quote: Quote, card_id: str, fact: str, option: int) -> Quote:
    """Return the quote with one source believed on a fact of a copied card, and the fact as that one says."""
    card = quote.card(card_id)
    if card is None:
        raise KeyError(card_id)
    changes: dict[str, object] = {}
    conflicts = []
    for conflict in card.conflicts:
        if conflict.fact == fact:
            conflict = conflict.replaced(chosen=option)
            number = option_number(conflict.options[option])
            if fact in Card.model_fields and number is not None:
                changes[fact] = number
        conflicts.append(conflict)
    return edits.with_card(quote, card_id, conflicts=tuple(conflicts), **changes)


def option_number(option: ConflictOption) -> Decimal | None:
    """Return the value of one source as a number, as a catalogue's file writes it; None for a text."""
    try:
        number = Decimal(option.value)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def own_lot(quote: Quote, catalogue: Catalogue, card: Card, name: str, cards: int, source: str) -> Lot:
    """Return a whole lot of the planner's own with no price yet; its id is new in quote and catalogue."""
    return Lot(
        id=_fresh_id(quote, catalogue, name),
        name=name,
        card_id=card.id,
        cards=cards,
        currency=quote.pricing.currency,
        source=source,
        own=True,
    )


def own_hourly(quote: Quote, catalogue: Catalogue, card: Card, name: str, source: str) -> HourlyOffer:
    """Return an hourly offer of the planner's own with no price yet; its id is new in quote and catalogue."""
    return HourlyOffer(
        id=_fresh_id(quote, catalogue, name),
        name=name,
        card_id=card.id,
        currency=quote.pricing.currency,
        source=source,
        own=True,
    )


def _own(offer: AnyOffer, source: str) -> dict[str, object]:
    """Return what changes when a price becomes the planner's own; nothing where it is already."""
    if offer.own and not offer.sample:
        return {}
    return {"own": True, "sample": False, "price_date": None, "source": source, "note": ""}


def _fresh_id(quote: Quote, catalogue: Catalogue, name: str) -> str:
    taken = [offer.id for offer in (*quote.offers, *catalogue.hourly, *catalogue.lots)]
    return edits.new_id(f"own {name}", taken)


def _copied(quote: Quote, offer_id: str) -> AnyOffer:
    offer = quote.offer(offer_id)
    if offer is None:
        raise KeyError(offer_id)
    return offer
