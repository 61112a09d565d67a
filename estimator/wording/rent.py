"""What is said about a plan's rent: its proof, idle time, flips, equivalents by the hour, owning.

The terminal, the window and the workbook use these sentences, so that they agree to the letter.
"""

from __future__ import annotations

from decimal import Decimal

from estimator.problems import Absent
from estimator.quote import Quote
from estimator.results.estimate import Plan
from estimator.results.rental import (
    HOURS_A_YEAR,
    Flip,
    HourlyEquivalent,
    IdleRent,
    OwningBreakEven,
    Quantity,
    RentalPoint,
    RentalWay,
    SameRent,
    TermBreakEven,
)
from estimator.units import MS_PER_HOUR
from estimator.wording.phrases import offer_name, sample_word, terms_text
from estimator.wording.wording import Wording

PRICE_DIGITS = 4
"""An hourly price may be finer than its currency."""


def rent_proof(words: Wording, quote: Quote, plan: Plan) -> str:
    """Return whether the rent is proven least, else how far from its bound it is; "" where it is not known."""
    currency = _offer(words, quote, plan.holdings[0].offer_id)[1]  # the offers of one plan share theirs
    if isinstance(plan.rent, Absent):
        return ""
    if plan.proven:
        return words.t("No choice of these offers that ends as early costs less: proven.")
    if plan.rent_bound is None or plan.rent_gap is None:
        return words.t("Not proven cheapest.")
    return words.t(
        "Not proven cheapest: no choice costs less than {bound}, {gap} below.",
        bound=words.money(plan.rent_bound, currency),
        gap=words.percent(100 * (1 - plan.rent_bound / plan.rent) if plan.rent else Decimal(0), 1),
    )


def idle_text(words: Wording, quote: Quote, idle: IdleRent) -> str:
    """Return the paid time that does not compute: "Lot B200: 140.4 of 144 card·h idle, 761.67 €"."""
    hours = words.number(Decimal(idle.idle_card_ms) / MS_PER_HOUR, 1)
    paid = words.number(Decimal(idle.paid_card_ms) / MS_PER_HOUR, 1)
    name, currency = _offer(words, quote, idle.offer_id)
    if isinstance(idle.cost, Absent):
        return words.t("{offer}: {idle} of {paid} card·h idle", offer=name, idle=hours, paid=paid)
    money = words.money(idle.cost, currency)
    return words.t(
        "{offer}: {idle} of {paid} card·h idle, {money}", offer=name, idle=hours, paid=paid, money=money
    )


def same_rent_sentence(words: Wording, found: SameRent) -> str:
    """Return why the faster of two plans saves no rent, with both shares of the time held."""
    return words.t(
        "A faster plan saves no rent here: of {hours} h held, {fast} are {fast_share} and {slow} are {slow_share}.",
        hours=words.number(Decimal(found.held_ms) / MS_PER_HOUR, None),
        fast=words.duration(found.fast_ms),
        fast_share=words.percent(Decimal(100 * found.fast_ms) / found.held_ms, 1),
        slow=words.duration(found.slow_ms),
        slow_share=words.percent(Decimal(100 * found.slow_ms) / found.held_ms, 1),
    )


def flip_text(words: Wording, quote: Quote, flip: Flip) -> str:
    """Return one line: what is changed, from which value to which, and what is then the cheapest."""
    what = flip_subject(words, quote, flip)
    now = flip_value(words, quote, flip, flip.now)
    if flip.at is None:
        tried = flip_value(words, quote, flip, flip.tried)
        return words.t(
            "{what}, now {now}: nothing changes as far as {tried}.", what=what, now=now, tried=tried
        )
    at = flip_value(words, quote, flip, flip.at)
    if not flip.plan_id:
        return words.t("{what}, now {now}: at {at} no plan is within the limits.", what=what, now=now, at=at)
    plan = held_text(words, quote, flip.holdings)
    return words.t("{what}, now {now}: at {at} the plan is {plan}.", what=what, now=now, at=at, plan=plan)


def flip_subject(words: Wording, quote: Quote, flip: Flip) -> str:
    """Return what a flip changes: "Lot B200, 3 days", "Conversion, time of each task"."""
    name = str(flip.where[1])
    if flip.quantity is Quantity.LOT_PRICE:
        terms = terms_text(words, (flip.term_days,))
        return words.t("Price of {offer}, {terms}", offer=_offer(words, quote, name)[0], terms=terms)
    if flip.quantity is Quantity.HOURLY_PRICE:
        return words.t("{offer}, price per card and hour", offer=_offer(words, quote, name)[0])
    stage = quote.workload.stage(str(flip.where[2]))
    stage_name = str(flip.where[2]) if stage is None else stage.name
    if flip.quantity is Quantity.UNITS:
        return words.t("{stage}, number of tasks", stage=stage_name)
    if flip.quantity is Quantity.DURATION:
        return words.t("{stage}, time of each task", stage=stage_name)
    return words.t("{stage}, times of all tasks multiplied", stage=stage_name)


def flip_value(words: Wording, quote: Quote, flip: Flip, value: Decimal) -> str:
    """Return a value of a flip in its unit."""
    match flip.quantity:
        case Quantity.LOT_PRICE:
            return words.money(value, _offer(words, quote, str(flip.where[1]))[1])
        case Quantity.HOURLY_PRICE:
            return words.money(value, _offer(words, quote, str(flip.where[1]))[1], digits=PRICE_DIGITS)
        case Quantity.DURATION:
            return words.exact_duration(int(value))
        case Quantity.DURATION_FACTOR:
            return f"× {words.number(value, 3)}"
    return words.number(value)


def held_text(words: Wording, quote: Quote, holdings: tuple[tuple[str, int, tuple[int, ...]], ...]) -> str:
    """Return what a decision holds: "2 lots of 1 × RTX 4090, 3 days + 1 card of RTX 4090 by the hour"."""
    parts = []
    for offer_id, count, terms in holdings:
        offer = quote.offer(offer_id)
        name = offer_id if offer is None else offer.name
        if terms:
            held = words.n(
                "{count} lot of {offer}, {terms}",
                "{count} lots of {offer}, {terms}",
                count,
                offer=name,
                terms=terms_text(words, terms),
            )
        else:
            held = words.n(
                "{count} card of {offer} by the hour",
                "{count} cards of {offer} by the hour",
                count,
                offer=name,
            )
        parts.append(held if offer is None or not offer.sample else f"{held} {sample_word(words)}")
    return " + ".join(parts)


def equivalent_text(words: Wording, quote: Quote, found: HourlyEquivalent) -> str:
    """Return what one card by the hour costs over each term."""
    return words.t(
        "One card of {offer} over {terms} days: {costs}",
        offer=_offer(words, quote, found.offer_id)[0],
        terms=" / ".join(words.number(days) for days, _ in found.terms),
        costs=" / ".join(words.money(cost, found.currency) for _, cost in found.terms),
    )


def break_even_text(words: Wording, quote: Quote, found: TermBreakEven) -> str:
    """Return from how many hours of use in its term a lot beats its cards by the hour."""
    gaps = {
        "lot": _offer(words, quote, found.lot_id)[0],
        "terms": terms_text(words, (found.days,)),
        "offer": _offer(words, quote, found.hourly_id)[0],
    }
    if found.use_ms is None:
        return words.t("{lot}, {terms}: never cheaper than {offer} by the hour.", **gaps)
    hours = words.number(Decimal(found.use_ms) / MS_PER_HOUR, 1)
    return words.t(
        "{lot}, {terms}: cheaper than {offer} by the hour from {hours} h of use.", hours=hours, **gaps
    )


def owning_text(words: Wording, quote: Quote, found: OwningBreakEven) -> str:
    """Return from how many hours a year an own card beats an offer, or why that is not known."""
    offer = _offer(words, quote, found.offer_id)[0]
    if isinstance(found.hours_a_year, Absent):
        return words.t(
            "Own cards against {offer}: {reason}", offer=offer, reason=words.absent(found.hours_a_year)
        )
    hours = words.number(found.hours_a_year, 0)
    if found.hours_a_year > HOURS_A_YEAR:
        return words.t(
            "Own cards against {offer}: never, it would take {hours} h a year.", offer=offer, hours=hours
        )
    return words.t(
        "Own cards against {offer}: cheaper from {hours} h of use a year.", offer=offer, hours=hours
    )


def point_text(words: Wording, quote: Quote, point: RentalPoint) -> str:
    """Return what a point of the frontier holds."""
    hourly = tuple((offer_id, cards, ()) for offer_id, cards in point.hourly)
    return held_text(words, quote, (*point.lots, *hourly))


def way_name(words: Wording, way: RentalWay) -> str:
    """Return the head of one of the three columns."""
    names = {
        RentalWay.LOTS: words.t("Rental lots"),
        RentalWay.HOURLY: words.t("Cloud by the hour"),
        RentalWay.OWNED: words.t("Own cards"),
    }
    return names[way]


def _offer(words: Wording, quote: Quote, offer_id: str) -> tuple[str, str]:
    """Return the offer's name, a sample one with its tag, and its currency."""
    offer = quote.offer(offer_id)
    if offer is None:
        return offer_id, quote.pricing.currency
    return offer_name(words, offer), offer.currency
