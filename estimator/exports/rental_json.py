"""The study of a plan's rent as JSON values: money as strings, absent values with their reason's code."""

from __future__ import annotations

from typing import Any

from estimator.exports.plain import plain
from estimator.results.rental import RentalPoint, RentalStudy


def rental_json(study: RentalStudy) -> dict[str, Any]:
    """Return the study under stable keys."""
    return {
        "idle": [
            {
                "offer": one.offer_id,
                "paid_card_ms": one.paid_card_ms,
                "idle_card_ms": one.idle_card_ms,
                "cost": plain(one.cost),
            }
            for one in study.idle
        ],
        "same_rent": [
            {
                "fast_plan": one.fast_plan_id,
                "slow_plan": one.slow_plan_id,
                "fast_ms": one.fast_ms,
                "slow_ms": one.slow_ms,
                "held_ms": one.held_ms,
                "rent": plain(one.rent),
            }
            for one in study.same_rent
        ],
        "flips": [
            {
                "quantity": one.quantity.value,
                "where": list(one.where),
                "term_days": one.term_days or None,
                "now": plain(one.now),
                "at": plain(one.at),
                "step": plain(one.step),
                "tried": plain(one.tried),
                "plan": one.plan_id or None,
                "holdings": _holdings(one.holdings),
            }
            for one in study.flips
        ],
        "hourly_equivalents": [
            {"offer": one.offer_id, "currency": one.currency, "terms": _terms(one.terms)}
            for one in study.equivalents
        ],
        "term_break_evens": [
            {"lot": one.lot_id, "days": one.days, "hourly": one.hourly_id, "use_ms": one.use_ms}
            for one in study.term_break_evens
        ],
        "ways": [
            {
                "way": one.way.value,
                "plan": one.plan_id or None,
                "cost": plain(one.cost),
                "per_card_hour": plain(one.per_card_hour),
                "terms": _terms(one.terms),
            }
            for one in study.ways
        ],
        "owning": [{"offer": one.offer_id, "hours_a_year": plain(one.hours_a_year)} for one in study.owning],
        "frontier": plain(study.frontier)
        if not isinstance(study.frontier, tuple)
        else [_point(point) for point in study.frontier],
        "fastest_within_budget": _point(study.fastest)
        if isinstance(study.fastest, RentalPoint)
        else plain(study.fastest),
    }


def _terms(terms: tuple[tuple[int, object], ...]) -> dict[str, Any]:
    return {str(days): plain(cost) for days, cost in terms}


def _holdings(holdings: tuple[tuple[str, int, tuple[int, ...]], ...]) -> list[dict[str, Any]]:
    return [{"id": offer, "count": count, "terms": list(terms)} for offer, count, terms in holdings]


def _point(point: RentalPoint) -> dict[str, Any]:
    return {
        "duration_ms": point.delivery_ms,
        "rent": plain(point.rent),
        "rent_bound": plain(point.bound),
        "proven": point.proven,
        "timed": point.timed,
        "lots": _holdings(point.lots),
        "hourly": [{"id": offer, "cards": cards} for offer, cards in point.hourly],
    }
