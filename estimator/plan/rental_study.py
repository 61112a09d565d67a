"""What stands beside the shown plan's rent: idle time, plans that rent the same, the frontier of all choices."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext

from estimator.catalogue import HourlyOffer, Lot
from estimator.plan.mixing import Need, Question, need_of, takes_part
from estimator.plan.organising import shape_of
from estimator.plan.owning import hourly_equivalents, owning_break_evens, term_break_evens, ways
from estimator.plan.starting import rental_start
from estimator.problems import Absent
from estimator.quote import Organisation, Quote
from estimator.rental.cover import cost_time_frontier, frontier_by_terms, least_time_for_budget
from estimator.rental.work import DeadlinePlan
from estimator.results.estimate import Holding, OrganisationResult, Plan, Timing
from estimator.results.rental import IdleRent, RentalPoint, RentalStudy, SameRent
from estimator.units import MS_PER_DAY

_LONGEST_DAYS = 30
_MOST_POINTS = 40
_TOO_FEW = ("stock_too_small", "offer_too_small")
"""Why an offer cannot hold an organisation alone; with others it can."""


def rental_study(
    quote: Quote,
    organisation: Organisation,
    result: OrganisationResult,
    plans: Sequence[Plan],
    shown: Plan | None,
) -> RentalStudy:
    """Return everything about the rent of the organisation shown, without flips."""
    frontier, fastest = _choices(quote, organisation, result, shown)
    return RentalStudy(
        idle=() if shown is None else idle_rent(shown),
        same_rent=same_rent(plans, shown),
        equivalents=hourly_equivalents(quote),
        term_break_evens=term_break_evens(quote),
        ways=ways(quote, plans),
        owning=owning_break_evens(quote),
        frontier=frontier,
        fastest=fastest,
    )


def idle_rent(plan: Plan) -> tuple[IdleRent, ...]:
    """Return, for each holding of a plan, the card time that is paid and does not compute, in time and money."""
    return idle_in(plan.timing, plan.holdings)


def idle_in(timing: Timing, holdings: Sequence[Holding]) -> tuple[IdleRent, ...]:
    """Return the same of the holdings that a schedule runs on."""
    busy: dict[str, int] = {}  # of slices as their part of a card
    for offer_id, each in zip(timing.offer_ids, timing.schedule.card_busy_ms.tolist(), strict=True):
        busy[offer_id] = busy.get(offer_id, 0) + each
    found = []
    for holding in holdings:
        paid = holding.paid_card_ms
        idle = max(0, paid - busy.get(holding.offer_id, 0) // timing.slices_per_card)
        cost = holding.cost
        if not isinstance(cost, Absent):
            with localcontext(prec=28):
                cost = cost * idle / paid if paid else Decimal(0)
        found.append(IdleRent(holding.offer_id, paid, idle, cost))
    return tuple(found)


def same_rent(plans: Sequence[Plan], shown: Plan | None) -> tuple[SameRent, ...]:
    """Return pairs of the fastest and slowest plans that hold the same lots for the same terms, the shown first."""
    held: dict[tuple[tuple[str, int, tuple[int, ...]], ...], list[Plan]] = {}
    for plan in plans:
        if plan.holdings and all(holding.terms for holding in plan.holdings):
            held.setdefault(plan.decision.holdings, []).append(plan)
    first = None if shown is None else shown.decision.holdings
    found = []
    for holdings in sorted(held, key=lambda one: one != first):
        alike = sorted(held[holdings], key=lambda plan: plan.timing.delivery_ms)
        fast, slow = alike[0], alike[-1]
        if fast.timing.delivery_ms < slow.timing.delivery_ms:
            length = max(holding.held_ms for holding in fast.holdings)
            times = (fast.timing.delivery_ms, slow.timing.delivery_ms)
            found.append(SameRent(fast.id, slow.id, *times, length, fast.rent))
    return tuple(found)


def _choices(
    quote: Quote, organisation: Organisation, result: OrganisationResult, shown: Plan | None
) -> tuple[tuple[RentalPoint, ...] | Absent, RentalPoint | Absent | None]:
    """Return the frontier and the fastest choice within the budget, over the offers that the memory admits."""
    timing = result.timing
    if not isinstance(timing, Timing):
        return timing, None
    if organisation.slices_per_card > 1:
        return Absent("slices_not_mixed", ("organisations", organisation.id, "slicing")), None
    excluded = {offer_id for offer_id, reason in result.excluded if reason.code not in _TOO_FEW}
    offers = [
        offer
        for offer in quote.offers
        if organisation.may_use(offer.id) and offer.id not in excluded and takes_part(quote, offer)
    ]
    if not offers:
        return Absent("no_offer", ("offers",)), None
    need = need_of(quote, organisation, timing)
    question = Question(quote, organisation, shape_of(quote, organisation), need, cap_slots=False)
    limit = quote.workload.limit
    longest = _LONGEST_DAYS * MS_PER_DAY if limit is None or limit.ms is None else limit.ms
    deadline = longest - need.after_ms
    points: list[RentalPoint] = []
    fastest: RentalPoint | Absent | None = None
    budget = _rent_within(quote, shown)
    start = rental_start(quote)
    for lots, hourly_id, hourly in question.fillers(offers, optimistic=False):
        asked = (lots, hourly, start, question.cap)
        if need.exact:
            plans = cost_time_frontier(need.units, deadline, *asked, most=_MOST_POINTS)
        else:
            plans = frontier_by_terms(need.units, deadline, *asked)
        if not isinstance(plans, Absent):
            points += [_point(plan, hourly_id, need, offers, question) for plan in plans]
        if budget is None:
            continue
        plan = least_time_for_budget(need.units, deadline, budget, *asked)
        if isinstance(plan, Absent):
            fastest = plan if fastest is None else fastest
            continue
        found = _point(plan, hourly_id, need, offers, question)
        if not isinstance(fastest, RentalPoint) or _rank(found) < _rank(fastest):
            fastest = found
    if not points:
        return Absent("deadline_not_met", ("workload", "limit")), fastest
    return _undominated(points), fastest


def _rank(point: RentalPoint) -> tuple[int, Decimal]:
    return point.delivery_ms, point.rent


def _undominated(points: Sequence[RentalPoint]) -> tuple[RentalPoint, ...]:
    kept: list[RentalPoint] = []
    for point in sorted(points, key=lambda one: (one.rent, one.delivery_ms)):
        if not kept or point.delivery_ms < kept[-1].delivery_ms:
            kept.append(point)
    return tuple(kept)


def _point(
    plan: DeadlinePlan, hourly_id: str, need: Need, offers: Sequence[Lot | HourlyOffer], question: Question
) -> RentalPoint:
    cards = sum(row.count for row in plan.hourly) * question.cards_per_task
    return RentalPoint(
        delivery_ms=plan.finish_ms + need.after_ms,
        rent=plan.cost,
        bound=plan.bound,
        lots=tuple((held.lot_id, held.count, held.cover.terms) for held in plan.lots),
        hourly=((hourly_id, cards),) if cards else (),
        timed=need.exact,
    )


def _rent_within(quote: Quote, shown: Plan | None) -> Decimal | None:
    """Return the rent that the budget leaves after fees and tax, by the shown plan's price; None without a budget.

    Fees stay; discount, contingency and tax go with the rent.
    """
    budget = None if quote.workload.budget is None else quote.workload.budget.value
    if budget is None or shown is None or isinstance(shown.price.gross, Absent):
        return None
    share, rent = _share_of_rent(quote, shown, gross=True), shown.rent
    if share is None or isinstance(rent, Absent) or share <= 0:
        return None
    with localcontext(prec=28):
        return max(Decimal(0), rent + (budget - shown.price.gross) / share)


def price_with_rent(quote: Quote, shown: Plan, rent: Decimal, *, gross: bool) -> Decimal | None:
    """Return the shown plan's net or gross with another rent in place of its own; None where a part is not known.

    Its fees stay; discount, contingency and tax go with the rent. To place a choice beside plans, not to invoice.
    """
    total, own = shown.price.gross if gross else shown.price.net, shown.rent
    share = _share_of_rent(quote, shown, gross=gross)
    if share is None or isinstance(total, Absent) or isinstance(own, Absent):
        return None
    return total + (rent - own) * share


def _share_of_rent(quote: Quote, shown: Plan, *, gross: bool) -> Decimal | None:
    """Return what an amount more of rent adds to the price; None where rent and price differ in currency."""
    pricing = quote.pricing
    offers = (quote.offer(holding.offer_id) for holding in shown.holdings)
    if any(offer is None or offer.currency != pricing.currency for offer in offers):
        return None
    share = Decimal(1)
    for stated, sign in (
        (pricing.discount_percent, -1),
        (pricing.contingency_percent, 1),
        (pricing.tax_percent if gross else None, 1),
    ):
        if stated is not None and stated.value is not None:
            share *= 1 + sign * stated.value / 100
    return share
