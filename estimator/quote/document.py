"""The document: one quote, as kept in a `.cabida` file."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import Annotated

from pydantic import Field, PositiveInt, model_validator

from estimator.catalogue.cards import Card
from estimator.catalogue.offers import AnyOffer, HourlyOffer, Lot
from estimator.evidence import GIVEN, Evidence, EvidenceKind, Stated
from estimator.frozen import Frozen
from estimator.quote.issue import Issue
from estimator.quote.layout import Organisation
from estimator.quote.slicing import slice_of
from estimator.quote.work import Workload


class FeeKind(StrEnum):
    """What else may be paid for besides cards."""

    STATION = "station"
    STORAGE = "storage"
    TRANSFER_OUT = "transfer_out"
    SET_UP = "set_up"
    MANAGED = "managed"
    ENERGY = "energy"
    OTHER = "other"


class FeeBasis(StrEnum):
    """What price × quantity is multiplied by.

    `RENTED_TIME` and `KEPT_TIME`: days rented, or `kept_days` stated, over `period_days` (a month of 30 days
    unless the seller says otherwise). `CARD_HOURS`: hours of all cards as billed. `ENERGY`: the kilowatt-hours
    that the cards draw at their rated power in those hours; the quantity is then the site's PUE.
    """

    ONCE = "once"
    RENTED_TIME = "rented_time"
    KEPT_TIME = "kept_time"
    CARD_HOURS = "card_hours"
    ENERGY = "energy"


class PriceTier(Frozen):
    """From this quantity on, each further unit costs `price`; below the first tier, the fee's own price."""

    above: Decimal = Field(ge=0)
    price: Decimal = Field(ge=0)


MOST_TIERS = 12


class Fee(Frozen):
    """A line besides the cards: `price` per `unit` × `quantity` × its basis. A blank price is "not included", never 0.

    `tiers`: further prices in rising order of quantity, as transfer out is sold.
    """

    id: str = Field(min_length=1)
    kind: FeeKind
    name: str = ""
    price: Stated = Stated()
    quantity: Stated = Stated(value=Decimal(1), evidence=GIVEN)
    unit: str = ""
    currency: str | None = Field(default=None, pattern=r"^[A-Z]{3}$")
    tax_percent: Decimal | None = Field(default=None, ge=0)
    basis: FeeBasis = FeeBasis.ONCE
    period_days: PositiveInt = 30
    kept_days: Stated | None = None
    tiers: tuple[PriceTier, ...] = Field(default=(), max_length=MOST_TIERS)

    @model_validator(mode="after")
    def _tiers_rise(self) -> Fee:
        limits = [tier.above for tier in self.tiers]
        if any(later <= before for before, later in pairwise(limits)):
            raise ValueError("tiers_do_not_rise")
        return self


class ExchangeRate(Frozen):
    """A typed rate: one unit of `currency` is `rate` units of the quote's currency, on that date."""

    currency: str = Field(pattern=r"^[A-Z]{3}$")
    rate: Decimal = Field(gt=0)
    date: dt.date | None = None
    source: str = ""


class Ownership(Frozen):
    """What owning the cards would cost, to compare with renting; in the quote's currency, before tax.

    Price and power are of one card with its share of the server; `pue` is the building's power over the cards';
    `staff_per_year` is for all `cards` of the installation. `use_hours_per_year`: hours that a card computes.
    """

    price_per_card: Stated = Stated()
    life_years: Stated = Stated()
    watts_per_card: Stated = Stated()
    pue: Stated = Stated()
    price_per_kwh: Stated = Stated()
    staff_per_year: Stated = Stated()
    cards: Stated = Stated()
    use_hours_per_year: Stated = Stated()


class Pricing(Frozen):
    """How the price is made. Order: lines, discount, contingency, net per rate, tax per rate, gross.

    `rounding` states the policy: half up, once, at each line, then each tax amount per rate and document.
    """

    currency: str = Field(default="EUR", pattern=r"^[A-Z]{3}$")
    tax_percent: Stated = Stated()
    discount_percent: Stated | None = None
    contingency_percent: Stated | None = None
    rates: tuple[ExchangeRate, ...] = ()
    rounding: str = Field(
        default="half_up_line_then_tax_per_rate", pattern="^half_up_line_then_tax_per_rate$"
    )
    hold_through_assembly: bool = False
    price_age_limit_days: PositiveInt = 30
    fees: tuple[Fee, ...] = ()
    ownership: Ownership | None = None


class ConditionState(StrEnum):
    """Where a condition stands."""

    OPEN = "open"
    MET = "met"
    FAILED = "failed"


class ConditionRecord(Frozen):
    """What a planner recorded about a condition: its state, whether it is decisive, and what was seen.

    `id` is that of a derived condition, or of one written by hand (then `text` says it).
    `decisive` None: as the program proposes.
    """

    id: str = Field(min_length=1)
    text: str = ""
    state: ConditionState = ConditionState.OPEN
    decisive: bool | None = None
    observed: str = ""
    where_seen: str = ""
    who: str = ""
    date: dt.date | None = None


class Observation(Frozen):
    """One thing that was observed at reception; `value` None is an empty cell, never filled by the program."""

    id: str
    organisation_id: str
    value: str | None = None
    evidence: Evidence = Evidence(kind=EvidenceKind.MEASURED)


class Trial(Frozen):
    """What was observed at reception, and where it was seen from."""

    where_seen: str = ""
    topology: str = ""
    observations: tuple[Observation, ...] = ()


LONGEST_LOGO = 400_000


class Party(Frozen):
    """Issuer or customer. `logo`: a PNG picture in base 64, printed at the head; "" where there is none."""

    name: str = ""
    contact: str = ""
    logo: str = Field(default="", max_length=LONGEST_LOGO, pattern=r"^[A-Za-z0-9+/=]*$")


MOST_ISSUES = 200


class ForbiddenSeller(Frozen):
    """A seller that the customer's rules do not admit, and why; its offers are left out of every plan."""

    seller: str = Field(min_length=1)
    reason: str = ""


class Quote(Frozen):
    """The document. Offers and cards are copied in, so that it reopens identically on another laptop.

    `chosen_plan`: the plan that is shown, or the organisation whose best is; empty: the recommended one.
    """

    name: str = ""
    number: str = ""
    revision: int = Field(default=0, ge=0)
    issuer: Party = Party()
    customer: Party = Party()
    date: dt.date | None = None
    valid_days: PositiveInt = 30
    language: str = Field(default="es", pattern="^(es|en)$")
    number_format: str = Field(default="es_ES", pattern="^[a-z]{2}_[A-Z]{2}$")
    paper: str = Field(default="A4", pattern="^(A4|Letter)$")
    start: dt.datetime | None = None
    time_zone: str = ""
    workload: Workload = Workload()
    organisations: tuple[Organisation, ...] = ()
    reference_id: str = ""
    chosen_plan: str = ""
    cards: tuple[Card, ...] = ()
    offers: tuple[Annotated[AnyOffer, Field(discriminator="kind")], ...] = ()
    forbidden_sellers: tuple[ForbiddenSeller, ...] = ()
    pricing: Pricing = Pricing()
    conditions: tuple[ConditionRecord, ...] = ()
    trial: Trial = Trial()
    catalogue_version: str = ""
    notes: str = ""
    issues: tuple[Issue, ...] = Field(default=(), max_length=MOST_ISSUES)

    def organisation(self, organisation_id: str) -> Organisation | None:
        """Return the organisation of that id, or None."""
        return next((each for each in self.organisations if each.id == organisation_id), None)

    def limit_ms(self, organisation: Organisation) -> int | None:
        """Return within how many ms an organisation is to deliver: the less of its own limit and the customer's."""
        stated = (self.workload.limit, organisation.limit)
        return min((one.ms for one in stated if one is not None and one.ms is not None), default=None)

    @property
    def reference(self) -> Organisation | None:
        """The organisation that others are compared with: the stated one, else the first."""
        return self.organisation(self.reference_id) or next(iter(self.organisations), None)

    def card(self, card_id: str) -> Card | None:
        """Return the copied card of that id, or None."""
        return next((card for card in self.cards if card.id == card_id), None)

    def task_card(self, organisation_id: str, card_id: str) -> Card | None:
        """Return what a task of an organisation has of a copied card: all of it, or its slice; None if neither."""
        card, organisation = self.card(card_id), self.organisation(organisation_id)
        if card is None or organisation is None:
            return card
        return slice_of(organisation.slicing, card)

    def offer(self, offer_id: str) -> Lot | HourlyOffer | None:
        """Return the copied offer of that id, or None."""
        return self._offers_by_id.get(offer_id)

    def forbids(self, seller: str) -> ForbiddenSeller | None:
        """Return the rule that leaves a seller out, whatever its capitals, or None."""
        name = seller.strip().casefold()
        return next((one for one in self.forbidden_sellers if one.seller.strip().casefold() == name), None)

    @cached_property
    def _offers_by_id(self) -> dict[str, Lot | HourlyOffer]:
        return {offer.id: offer for offer in reversed(self.offers)}
