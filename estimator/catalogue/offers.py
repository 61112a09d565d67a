"""Offers: whole lots with a price per term, and cards by the hour. Each price has a date and a source.

Sample offers carry `sample=True` and say SAMPLE wherever they appear.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from estimator.evidence import Evidence, EvidenceKind, StatedDuration
from estimator.frozen import Frozen
from estimator.hours import WorkingHours


class TermPrice(Frozen):
    """The net price of one whole lot for one term."""

    days: PositiveInt
    price: Decimal = Field(ge=0)


class Offer(Frozen):
    """What lots and hourly cards have in common: a card model, a seller, a dated price with its source.

    `available_for`: the cards are there no longer than that from the start. `hours`: when they may compute.
    """

    id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    card_id: str = Field(min_length=1)
    seller: str = ""
    currency: str = Field(default="EUR", pattern=r"^[A-Z]{3}$")
    price_date: dt.date | None = None
    source: str = ""
    sample: bool = False
    own: bool = False
    note: str = ""
    available_for: StatedDuration | None = None
    hours: WorkingHours | None = None

    @model_validator(mode="after")
    def _is_available(self) -> Offer:
        if self.available_for is not None and (self.available_for.ms or 0) <= 0:
            raise ValueError("available_for_not_positive")
        return self

    @property
    def price_evidence(self) -> Evidence:
        """A dated published or typed price is given; a sample or an undated one is assumed."""
        dated = self.price_date is not None and not self.sample
        kind = EvidenceKind.GIVEN if dated else EvidenceKind.ASSUMED
        return Evidence(kind=kind, source=self.source, date=self.price_date)


class Lot(Offer):
    """A whole lot: `cards` cards in `nodes` equal nodes, rented for terms that may follow each other."""

    kind: Literal["lot"] = "lot"
    cards: PositiveInt
    nodes: PositiveInt = 1
    terms: tuple[TermPrice, ...] = ()
    stock: PositiveInt | None = None
    setup: StatedDuration | None = None

    @model_validator(mode="after")
    def _nodes_are_equal(self) -> Lot:
        if self.cards % self.nodes:
            raise ValueError("nodes_unequal")
        if len({term.days for term in self.terms}) != len(self.terms):
            raise ValueError("term_twice")
        return self

    @property
    def cards_per_node(self) -> int:
        """Cards in each node."""
        return self.cards // self.nodes


class HourlyOffer(Offer):
    """Cards by the hour: billed per card and start, rounded up to the unit, with a minimum.

    `interruptions_per_hour`: how often a card that is held is taken away, on average; None: not known.
    """

    kind: Literal["hourly"] = "hourly"
    price_per_card_hour: Decimal | None = Field(default=None, ge=0)
    granularity_s: PositiveInt = 1
    minimum_s: NonNegativeInt = 0
    monthly_cap_hours: Decimal | None = Field(default=None, gt=0)
    max_cards: PositiveInt | None = None
    cards_per_node: PositiveInt = 8
    interruptible: bool = False
    interruptions_per_hour: Decimal | None = Field(default=None, ge=0)
    setup: StatedDuration | None = None


AnyOffer = Lot | HourlyOffer
