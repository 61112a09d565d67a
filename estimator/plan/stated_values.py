"""One stated number of a quote, found by its place: read, and put in with another value.

The numbers that an edit of a fixed plan can move. Evidence stays as it is unless a source of the new value is named:
nobody has verified it then, so it is assumed.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TypeVar

from estimator import edits
from estimator.catalogue import HourlyOffer, Lot
from estimator.evidence import Evidence, Stated
from estimator.problems import Place
from estimator.quote import Quote

StatedNumber = TypeVar("StatedNumber", bound=Stated)


def with_value(quote: Quote, where: Place, value: Decimal, source: str = "") -> Quote:
    """Return the quote with that number at a place. Raises LookupError where the quote has no such number."""
    match where:
        case ("workload", "mutual_slow_down"):
            stated = quote.workload.mutual_slow_down
            return edits.with_workload(quote, mutual_slow_down=_stated(stated, value, source))
        case ("workload", "stages", stage_id, *rest):
            return _with_stage_value(quote, stage_id, tuple(rest), value, source)
        case ("offers", offer_id, *rest):
            return _with_offer_value(quote, offer_id, tuple(rest), value, source)
        case ("organisations", organisation_id, "slicing", "duration_factor"):
            organisation = quote.organisation(organisation_id)
            if organisation is None or organisation.slicing is None:
                raise LookupError(where)
            factor = _stated(organisation.slicing.duration_factor, value, source)
            slicing = organisation.slicing.replaced(duration_factor=factor)
            return edits.with_organisation(quote, organisation_id, slicing=slicing)
        case ("pricing", "rates", currency):
            whence: dict[str, object] = {"source": source, "date": None} if source else {}
            rates = tuple(
                one.replaced(rate=value, **whence) if one.currency == currency else one
                for one in quote.pricing.rates
            )
            return edits.with_pricing(quote, rates=rates)
        case ("pricing", "fees", fee_id, field):
            fee = next(one for one in quote.pricing.fees if one.id == fee_id)
            return edits.with_fee(quote, fee_id, **{field: _stated(getattr(fee, field), value, source)})
        case ("pricing", field):
            stated = getattr(quote.pricing, field)
            return edits.with_pricing(quote, **{field: _stated(stated, value, source)})
    raise LookupError(where)


def _stated(stated: StatedNumber, value: Decimal, source: str) -> StatedNumber:
    if not source:
        return stated.replaced(value=value)
    return stated.replaced(value=value, evidence=Evidence(source=source))


def _with_stage_value(quote: Quote, stage_id: str, rest: Place, value: Decimal, source: str) -> Quote:
    stage = quote.workload.stage(stage_id)
    if stage is None:
        raise LookupError(stage_id)
    match rest:
        case ("count",):
            counted = {"count_evidence": Evidence(source=source)} if source else {}
            return edits.with_tasks(quote, stage_id, count=(int(value),), **counted)
        case ("duration", group):
            at = int(group)
            duration = (*stage.tasks.duration[:at], value, *stage.tasks.duration[at + 1 :])
            timed = {"evidence": Evidence(source=source)} if source else {}
            return edits.with_tasks(quote, stage_id, duration=duration, **timed)
        case ("card_factors", card_id):
            factors = tuple(
                one.replaced(factor=_stated(one.factor, value, source)) if one.card_id == card_id else one
                for one in stage.card_factors
            )
            return edits.with_stage(quote, stage_id, card_factors=factors)
        case ("needs", resource_id, "hold"):
            needs = tuple(
                one.replaced(hold=_stated(one.hold, value, source))
                if one.resource_id == resource_id and one.hold is not None
                else one
                for one in stage.needs
            )
            return edits.with_stage(quote, stage_id, needs=needs)
    raise LookupError(rest)


def _with_offer_value(quote: Quote, offer_id: str, rest: Place, value: Decimal, source: str) -> Quote:
    offer = quote.offer(offer_id)
    whence: dict[str, object] = {"source": source, "price_date": None} if source else {}
    match rest:
        case ("setup",) if offer is not None and offer.setup is not None:
            return edits.with_offer_fields(quote, offer_id, setup=_stated(offer.setup, value, source))
        case ("price",) if isinstance(offer, HourlyOffer):
            return edits.with_offer_fields(quote, offer_id, price_per_card_hour=value, **whence)
        case ("terms", days) if isinstance(offer, Lot):
            terms = tuple(one.replaced(price=value) if one.days == int(days) else one for one in offer.terms)
            return edits.with_offer_fields(quote, offer_id, terms=terms, **whence)
    raise LookupError(rest)
