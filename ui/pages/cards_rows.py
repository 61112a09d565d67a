"""What the page of cards and lots lists: every offer with the verdict of the shown organisation on it.

Plain data from a quote, its estimate and the catalogue; no widget and no text. An offer that the organisation
cannot take stays in the list with what is missing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from estimator.catalogue import Card, Catalogue, HourlyOffer, Lot
from estimator.plan.memory import verdicts_of
from estimator.plan.organising import no_such_slice
from estimator.problems import Absent
from estimator.quote import Organisation, Quote, Stage, StageLayout, slice_of
from estimator.rental.hourly import Billing, card_billed_ms, hourly_cost
from estimator.results.estimate import Estimate, OrganisationResult, Timing
from estimator.results.memory import CardVerdict, Fit, StageMemory
from estimator.units import MS_PER_DAY

TERMS = (3, 7, 30)
HOURS_A_DAY = 24
UNDATED = "undated"
OLD = "old"

AnyOffer = Lot | HourlyOffer
_FIT_ORDER = {Fit.YES: 0, Fit.IF: 1, Fit.UNKNOWN: 2, Fit.NO: 3}


@dataclass(frozen=True, slots=True)
class OfferRow:
    """One offer. `prices` are net, per term of days: the lot's own, or one hourly card's equivalent.

    `barred` is why the organisation cannot take it, memory aside. `spare_cards`: cards of one lot beyond those
    that work at once. `dated`: "" where the price has a date that still counts, else UNDATED or OLD.
    """

    offer: AnyOffer
    card: Card | None
    used: bool
    verdict: CardVerdict | None
    barred: Absent | None
    spare_cards: int
    prices: tuple[tuple[int, Decimal], ...]
    per_card_hour: Decimal | None
    dated: str

    @property
    def is_admitted(self) -> bool:
        """True where nothing known keeps the organisation from taking it."""
        return self.barred is None and self.fit is not Fit.NO

    @property
    def fit(self) -> Fit:
        """The memory verdict; unknown where there is none."""
        return Fit.UNKNOWN if self.verdict is None else self.verdict.fits

    @property
    def usable_bytes(self) -> int | None:
        """What one task may hold there: of the card, or of a slice of it; None of a card that is not known."""
        if self.verdict is not None:
            return self.verdict.usable_bytes
        return None if self.card is None else self.card.usable_bytes

    def price(self, days: int) -> Decimal | None:
        """Return the net price of a term, None where it has none."""
        return dict(self.prices).get(days)


@dataclass(frozen=True, slots=True)
class Need:
    """What the shown organisation asks of the cards. `peak_bytes` None: not known yet."""

    tasks_at_once: int
    cards_per_task: int
    peak_bytes: int | None
    slices_per_card: int = 1

    @property
    def cards(self) -> int:
        """Cards that work at once."""
        return -(-self.tasks_at_once * self.cards_per_task // self.slices_per_card)


@dataclass(frozen=True, slots=True)
class OfferRows:
    """The three groups, each with the quote's own copies first and then what fits most closely."""

    hourly: tuple[OfferRow, ...]
    lots: tuple[OfferRow, ...]
    not_admitted: tuple[OfferRow, ...]

    @property
    def all(self) -> tuple[OfferRow, ...]:
        """Every row in the order of the groups."""
        return (*self.hourly, *self.lots, *self.not_admitted)


def need_of(estimate: Estimate | None) -> Need | None:
    """Return the need of the shown organisation, None while there is none."""
    shown = None if estimate is None else estimate.shown
    if shown is None:
        return None
    per_task = shown.cards_per_task
    at_once = shown.tasks_at_once or 1
    if isinstance(shown.timing, Timing):
        at_once = max(1, shown.timing.places // per_task)
    missing = any(stage.missing for stage in shown.memory)
    peaks = [stage.worst.peak_bytes for stage in shown.memory if stage.worst is not None]
    return Need(at_once, per_task, max(peaks) if peaks and not missing else None, shown.slices_per_card)


def offer_rows(quote: Quote, estimate: Estimate | None, catalogue: Catalogue, today: dt.date) -> OfferRows:
    """Return the rows of the page: the quote's copies, then the catalogue's offers that it has not copied.

    `today` decides which prices of offers not copied are old.
    """
    copied = {offer.id for offer in quote.offers}
    catalogued: tuple[AnyOffer, ...] = (*catalogue.hourly, *catalogue.lots)
    offers = (*quote.offers, *(offer for offer in catalogued if offer.id not in copied))
    known = {card.id: card for card in (*catalogue.cards, *quote.cards)}
    verdicts = _verdicts(estimate, known.values())
    barring = _Barring(quote, estimate)
    need = need_of(estimate)
    old = _old(estimate)
    rows = [
        OfferRow(
            offer=offer,
            card=known.get(offer.card_id),
            used=offer.id in copied,
            verdict=verdicts.get(offer.card_id),
            barred=barring.reason(offer, offer.id in copied, known.get(offer.card_id)),
            spare_cards=_spare(offer, need),
            prices=_prices(offer),
            per_card_hour=_per_card_hour(offer),
            dated=_dated(quote, old, offer, offer.id in copied, today),
        )
        for offer in offers
    ]
    rows.sort(key=lambda row: _order(row, quote.pricing.currency))
    return OfferRows(
        tuple(row for row in rows if row.is_admitted and isinstance(row.offer, HourlyOffer)),
        tuple(row for row in rows if row.is_admitted and isinstance(row.offer, Lot)),
        tuple(row for row in rows if not row.is_admitted),
    )


def _order(row: OfferRow, currency: str) -> tuple[bool, bool, int, int, int, str]:
    """Return the order in a group: copies, prices that need no exchange rate, what fits, the closest fit.

    A foreign price has no total until a rate is typed, so it never comes before one that has.
    """
    usable = 0 if row.card is None else row.card.usable_bytes
    cards = row.offer.cards if isinstance(row.offer, Lot) else 1
    foreign = row.offer.currency != currency
    return (not row.used, foreign, _FIT_ORDER[row.fit], usable, cards, row.offer.name)


def _verdicts(estimate: Estimate | None, cards: Iterable[Card]) -> dict[str, CardVerdict]:
    shown = None if estimate is None else estimate.shown
    if estimate is None or shown is None or any(stage.missing for stage in shown.memory):
        return {}
    organisation = estimate.quote.organisation(shown.organisation_id)
    if organisation is None or not shown.memory:
        return {}
    memory = _decisive(organisation, shown.memory)
    return {one.card_id: one for one in verdicts_of(estimate.quote, organisation, memory, cards)}


def _decisive(organisation: Organisation, memory: tuple[StageMemory, ...]) -> tuple[StageMemory, ...]:
    """Return the stages that can be the worst on some card: thousands of stages need not be judged on each.

    Among stages that run on the same cards, one cannot be the worst where another, earlier if their peaks are
    equal, has no less peak and no less upper end.
    """
    kept: list[int] = []
    upper_end: dict[tuple[str, ...], int] = {}
    peaks = [max(phase.peak_bytes for phase in stage.phases) for stage in memory]
    for place in sorted(range(len(memory)), key=lambda place: (-peaks[place], place)):
        cards = organisation.layout(memory[place].stage_id).card_ids
        high = max(phase.high_bytes for phase in memory[place].phases)
        if high > upper_end.get(cards, -1):
            upper_end[cards] = high
            kept.append(place)
    return tuple(memory[place] for place in sorted(kept))


class _Barring:
    """Why the shown organisation cannot take an offer; what the estimate says of a copied one comes first."""

    def __init__(self, quote: Quote, estimate: Estimate | None) -> None:
        shown = None if estimate is None else estimate.shown
        self._quote = quote
        self._shown = shown
        self._organisation: Organisation | None = (
            None if shown is None else quote.organisation(shown.organisation_id)
        )
        self._said = {} if shown is None else _said(quote, shown)
        self._crosses = True
        self._choosy: list[tuple[Stage, StageLayout]] = []
        if self._organisation is not None:
            self._look_through(self._organisation)

    def _look_through(self, organisation: Organisation) -> None:
        """Keep what the layouts say, once: there may be thousands of stages and hundreds of offers."""
        for stage in self._quote.workload.stages:
            if stage.on_cards:
                layout = organisation.layout(stage.id)
                self._crosses = self._crosses and layout.may_cross_nodes
                if layout.card_ids:
                    self._choosy.append((stage, layout))

    def reason(self, offer: AnyOffer, copied: bool, card: Card | None) -> Absent | None:
        if self._shown is None or self._organisation is None:
            return None
        if copied and offer.id in self._said:
            return self._said[offer.id]
        if card is not None and slice_of(self._organisation.slicing, card) is None:
            return no_such_slice(self._organisation, card, offer.id)
        return self._unsuitable(offer, self._shown)

    def _unsuitable(self, offer: AnyOffer, shown: OrganisationResult) -> Absent | None:
        for stage, layout in self._choosy:
            if offer.card_id not in layout.card_ids:
                values = (("card", offer.name), ("stage", stage.name))
                return Absent("card_not_eligible", ("offers", offer.id), values)
        crosses = self._crosses
        widest = shown.cards_per_task
        room = offer.cards if isinstance(offer, Lot) and crosses else offer.cards_per_node
        if widest > room and (isinstance(offer, Lot) or not crosses):
            return Absent("task_wider_than_lot", ("offers", offer.id), (("cards_per_task", widest),))
        if isinstance(offer, HourlyOffer) and offer.interruptible and self._quote.workload.limit is not None:
            return Absent("interruptible_with_limit", ("offers", offer.id))
        return None


def _said(quote: Quote, shown: OrganisationResult) -> dict[str, Absent]:
    """Return what excludes each copied offer. Lots of one card model are planned together and share it."""
    offers = {offer.id: offer for offer in quote.offers}
    by_offer: dict[str, Absent] = {}
    by_card: dict[str, Absent] = {}
    for offer_id, absent in shown.excluded:
        offer = offers.get(offer_id)
        if offer is None or absent.code == "does_not_fit":
            continue
        if isinstance(offer, Lot):
            by_card[offer.card_id] = absent
        else:
            by_offer[offer_id] = absent
    shared = {
        offer.id: by_card[offer.card_id]
        for offer in quote.offers
        if isinstance(offer, Lot) and offer.card_id in by_card
    }
    return by_offer | shared


def _spare(offer: AnyOffer, need: Need | None) -> int:
    if need is None or not isinstance(offer, Lot):
        return 0
    return max(0, offer.cards - need.cards)


def _prices(offer: AnyOffer) -> tuple[tuple[int, Decimal], ...]:
    if isinstance(offer, Lot):
        return tuple((term.days, term.price) for term in offer.terms)
    if offer.price_per_card_hour is None:
        return ()
    billing = Billing(offer.granularity_s, offer.minimum_s, offer.monthly_cap_hours)
    return tuple(
        (days, hourly_cost(offer.price_per_card_hour, card_billed_ms([days * MS_PER_DAY], billing)))
        for days in TERMS
    )


def _per_card_hour(offer: AnyOffer) -> Decimal | None:
    """Return the price of a card and hour: as stated, or that of the lot's shortest term."""
    if isinstance(offer, HourlyOffer):
        return offer.price_per_card_hour
    shortest = min(offer.terms, key=lambda term: term.days, default=None)
    return None if shortest is None else shortest.price / (offer.cards * shortest.days * HOURS_A_DAY)


def _old(estimate: Estimate | None) -> frozenset[str]:
    """Return the offers whose prices the checks call old."""
    problems = () if estimate is None else estimate.problems
    return frozenset(
        str(one.where[1])
        for one in problems
        if one.code == "price_old" and len(one.where) > 1 and one.where[0] == "offers"
    )


def _dated(quote: Quote, old: frozenset[str], offer: AnyOffer, copied: bool, today: dt.date) -> str:
    """Return whether the date is missing or old: as the checks say of a copy, by `today` of the others."""
    if offer.price_date is None:
        return UNDATED
    if copied:
        return OLD if offer.id in old else ""
    most = dt.timedelta(days=quote.pricing.price_age_limit_days)
    return OLD if today - offer.price_date > most else ""
