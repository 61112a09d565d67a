"""Which plan a quote recommends and which one is shown, among those of its organisations."""

from __future__ import annotations

from collections.abc import Sequence

from estimator.plan.organising import best_of, order_of
from estimator.problems import Absent
from estimator.quote import Quote
from estimator.results.estimate import OrganisationResult, Plan, Timing


def recommended_of(quote: Quote, results: Sequence[OrganisationResult]) -> Plan | None:
    """Return the cheapest admitted plan, then fewest cards, then earliest; without a limit, the reference's."""
    considered = results
    if quote.workload.limit is None and quote.reference is not None:
        considered = [one for one in results if one.organisation_id == quote.reference.id]
    plans = [
        plan
        for one in considered
        for plan in one.plans
        if plan.is_admitted and not isinstance(plan.price.gross, Absent)
    ]
    return min(plans, key=order_of, default=None)


def shown_of(
    quote: Quote, results: Sequence[OrganisationResult], recommended: Plan | None
) -> OrganisationResult | None:
    """Return the organisation to show: of the chosen plan, else of the recommended, else the fewest cards in time."""
    by_id = {one.organisation_id: one for one in results}
    chosen_id = quote.chosen_plan.split("/", 1)[0]
    if chosen_id in by_id:
        return by_id[chosen_id]
    if recommended is not None:
        return by_id[recommended.organisation_id]
    limit = None if quote.workload.limit is None else quote.workload.limit.ms
    quota = None if quote.workload.quota_cards is None else quote.workload.quota_cards.value
    if limit is not None:
        in_time = [
            (one.timing.cards, one.timing.delivery_ms, one.organisation_id)
            for one in results
            if isinstance(one.timing, Timing)
            and one.timing.delivery_ms <= limit
            and (quota is None or one.timing.cards <= quota)
        ]
        if in_time:
            return by_id[min(in_time)[2]]
    reference = quote.reference
    return None if reference is None else by_id[reference.id]


def shown_plan_of(quote: Quote, shown: OrganisationResult | None, recommended: Plan | None) -> Plan | None:
    """Return the plan to show of that organisation: the chosen one, else the recommended, else its best."""
    if shown is None:
        return None
    chosen = shown.plan(quote.chosen_plan)
    if chosen is not None:
        return chosen
    if recommended is not None and recommended.organisation_id == shown.organisation_id:
        return recommended
    return best_of(shown.plans)
