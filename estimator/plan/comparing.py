"""What stands beside a plan: the staircase of cards, the policies, what cancels the gain, the frontier.

Each is computed by solving the plan again with one thing changed, never by a slope.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from estimator.catalogue import HourlyOffer
from estimator.plan.fleet import Fleet
from estimator.plan.organising import nominal_fleet, shape_of
from estimator.plan.pricing import priced
from estimator.plan.rental_study import idle_in
from estimator.plan.renting import Shape, held_fleet, held_under, rented_by_the_hour, rented_in_lots
from estimator.plan.scheduling import Variant, missing_for_time, timing_of
from estimator.problems import Absent
from estimator.quote import AssignmentPolicy, Organisation, Quote, StageKind, StageLayout
from estimator.results.estimate import (
    BreakEven,
    FrontierPoint,
    OrganisationResult,
    Plan,
    PolicyResult,
    Step,
    Throughput,
    Timing,
)
from estimator.units import MS_PER_DAY, MS_PER_HOUR

Cancelled = Callable[[], bool]

FEWEST_STEPS = 9
MOST_STEPS = 32
# A step of a list this long takes half a second: fewer are shown, whatever the machine.
MANY_GROUPS = 20_000
MOST_STEPS_OF_MANY = 12
_MOST_SLOW_DOWN = 100
_STRAIGHT_TRIES = 6


def staircase(
    quote: Quote, organisation: Organisation, plan: Plan | None, cancelled: Cancelled
) -> tuple[Step, ...]:
    """Return time and net cost with 1, 2, … tasks at once; steps that deliver no earlier are useless.

    Where cards are sliced a step is a card more, all slices in use but on the plan's own number of cards.

    The delivery shown is the running minimum: more cards may be left unused, so they never make a plan later.
    Cost is that of the shown plan's offers at that many cards, None where not known.
    """
    if missing_for_time(quote, organisation) is not None:
        return ()
    free = _free(organisation)
    shape = shape_of(quote, organisation, plan)
    tasks = max(stage.tasks.total for stage in quote.workload.stages if stage.on_cards)
    groups = sum(len(stage.tasks.count) for stage in quote.workload.stages)
    most = MOST_STEPS if groups <= MANY_GROUPS else MOST_STEPS_OF_MANY
    slices = shape.slices_per_card
    filled = -(-shape.slots // slices)
    last = min(most, max(FEWEST_STEPS, 2 * filled + 1), -(-tasks // slices) + 1)
    steps: list[Step] = []
    best = -1
    for step in range(1, last + 1):
        if cancelled():
            return ()
        # On the plan's own cards as many tasks at once as in the plan, which may leave slices empty.
        at = replace(shape, slots=shape.slots if step == filled else step * slices)
        timing = timing_of(quote, free, nominal_fleet(quote, organisation, at, plan))
        if isinstance(timing, Absent):
            return ()
        useless = 0 <= best <= timing.delivery_ms
        best = timing.delivery_ms if best < 0 else min(best, timing.delivery_ms)
        steps.append(Step(at.cards, best, useless, _net_at(quote, free, plan, at)))
    return tuple(steps)


def _free(organisation: Organisation) -> Organisation:
    """Return the organisation with no cap on tasks at once: the number of cards alone decides."""
    layouts = tuple(StageLayout(**{**dict(layout), "tasks_at_once": None}) for layout in organisation.layouts)
    return organisation.replaced(layouts=layouts)


def _net_at(quote: Quote, organisation: Organisation, plan: Plan | None, shape: Shape) -> Decimal | None:
    if plan is None or not plan.holdings or plan.is_mix:
        return None  # of a mix it is not said which offer more or fewer cards would come from
    offer = quote.offer(plan.holdings[0].offer_id)
    if offer is None:
        return None
    if isinstance(offer, HourlyOffer):
        rented = rented_by_the_hour(quote, organisation, offer, shape)
    else:
        lots = [
            one
            for one in quote.offers
            if not isinstance(one, HourlyOffer)
            and (one.card_id, one.currency) == (offer.card_id, offer.currency)
            and organisation.may_use(one.id)
        ]
        rented = rented_in_lots(quote, organisation, lots, shape)
    if isinstance(rented, Absent):
        return None
    net = priced(quote, rented.holdings).net
    return None if isinstance(net, Absent) else net


def policies(
    quote: Quote, result: OrganisationResult, organisation: Organisation, plan: Plan | None
) -> tuple[PolicyResult, ...]:
    """Return the same tasks on the same cards under each assignment policy."""
    if isinstance(result.timing, Absent):
        return ()
    fleet = _own_fleet(quote, organisation, plan)
    found: list[PolicyResult] = []
    for policy in AssignmentPolicy:
        timing = timing_of(quote, organisation, fleet, Variant(policy=policy))
        if isinstance(timing, Absent):
            continue
        idle_ms, idle_cost, currency = _idle(quote, plan, timing)
        found.append(
            PolicyResult(
                policy=policy,
                delivery_ms=timing.delivery_ms,
                lower_bound_ms=timing.lower_bound_ms,
                idle_between_ms=timing.schedule.idle_between_ms,
                longest_tail_ms=timing.schedule.longest_tail_ms,
                needs_mechanism=policy is not AssignmentPolicy.BLOCKS,
                idle_card_ms=idle_ms,
                idle_cost=idle_cost,
                currency=currency,
            )
        )
    return tuple(found)


def _own_fleet(quote: Quote, organisation: Organisation, plan: Plan | None) -> Fleet:
    """Return the cards that the plan runs on, those of the organisation where there is no plan."""
    shape = shape_of(quote, organisation, plan)
    if plan is not None and plan.holdings:
        fleet = held_fleet(quote, plan.holdings, shape)
        if fleet.places == plan.timing.places:
            return fleet
    return nominal_fleet(quote, organisation, shape, plan)


def _idle(quote: Quote, plan: Plan | None, timing: Timing) -> tuple[int, Decimal | Absent, str]:
    """Return the card time of a schedule that does not compute, what it costs on the plan's offers, and in what."""
    busy = int(timing.schedule.card_busy_ms.sum()) // timing.slices_per_card
    until_delivery = timing.cards * timing.delivery_ms - busy
    if plan is None or set(timing.offer_ids) != {one.offer_id for one in plan.holdings}:
        return until_delivery, Absent("no_price"), quote.pricing.currency
    held = held_under(quote, plan.holdings, timing)
    if isinstance(held, Absent):
        return until_delivery, held, quote.pricing.currency
    idle = idle_in(timing, held)
    cost: Decimal | Absent = Decimal(0)
    for one in idle:
        cost = one.cost if isinstance(one.cost, Absent) or isinstance(cost, Absent) else cost + one.cost
    offers = [quote.offer(one.offer_id) for one in held]
    currency = next((one.currency for one in offers if one is not None), quote.pricing.currency)
    return sum(one.idle_card_ms for one in idle), cost, currency


def timing_under(
    quote: Quote, organisation: Organisation, plan: Plan | None, policy: AssignmentPolicy
) -> Timing | Absent:
    """Return when the tasks of the organisation run on the plan's cards under another policy."""
    fleet = _own_fleet(quote, organisation, plan)
    return timing_of(quote, organisation, fleet, Variant(policy=policy))


def break_even(
    quote: Quote, organisation: Organisation, plan: Plan | None, reference: Organisation, reference_ms: int
) -> BreakEven | None:
    """Return what cancels the gain over the reference: the slow-down and the longer assembly that do.

    The slow-down is searched in hundredths, so that the same quote always gives the same figure; None where
    none up to 100 cancels it, or where there is no gain.
    """
    fleet = nominal_fleet(quote, organisation, shape_of(quote, organisation, plan), plan)
    timing = timing_of(quote, organisation, fleet)
    if isinstance(timing, Absent) or timing.delivery_ms >= reference_ms:
        return None

    def delivery(hundredths: int) -> int:
        slowed = timing_of(quote, organisation, fleet, Variant(slow_down=Decimal(hundredths) / 100))
        return -1 if isinstance(slowed, Absent) else slowed.delivery_ms

    slow_down: Decimal | None = None
    if fleet.places > organisation.layout(_main(quote)).cards_per_task:
        hundredths = _least_that_reaches(delivery, reference_ms, 100, 100 * _MOST_SLOW_DOWN)
        slow_down = None if hundredths is None else Decimal(hundredths) / 100
    has_station = any(stage.kind is StageKind.STATION for stage in quote.workload.stages)
    serial = reference_ms - timing.delivery_ms if has_station else None
    return BreakEven(organisation.id, reference.id, slow_down, serial)


def _least_that_reaches(value: Callable[[int], int], wanted: int, least: int, most: int) -> int | None:
    """Return the least whole number from `least` to `most` at which a rising `value` reaches `wanted`.

    Each value costs a schedule, and a delivery is nearly a straight line of the slow-down: the straight line
    through the ends is tried first and halving afterwards, so that a handful of values do.
    """
    low, at_low = least, value(least)
    if at_low >= wanted:
        return least
    high, at_high = most, value(most)
    if at_high < wanted:
        return None
    tries = 0
    while high - low > 1:
        middle = (low + high) // 2
        if tries < _STRAIGHT_TRIES:
            # Just at the crossing of the line, then just below it.
            on_line = low - (-(wanted - at_low) * (high - low) // (at_high - at_low))
            middle = min(max(on_line - tries % 2, low + 1), high - 1)
        tries += 1
        at_middle = value(middle)
        if at_middle >= wanted:
            high, at_high = middle, at_middle
        else:
            low, at_low = middle, at_middle
    return high


def _main(quote: Quote) -> str:
    main = quote.workload.main_stage
    return "" if main is None else main.id


def frontier(plans: tuple[Plan, ...]) -> tuple[FrontierPoint, ...]:
    """Return every priced plan as a point of net cost against delivery, earliest first."""
    points: list[tuple[Plan, Decimal, int]] = []
    for plan in plans:
        if not isinstance(plan.price.net, Absent):
            points.append((plan, plan.price.net, plan.timing.delivery_ms))
    found: list[FrontierPoint] = []
    for plan, net, delivery in points:
        dominated = any(
            other_net <= net and other_delivery <= delivery and (other_net, other_delivery) != (net, delivery)
            for _, other_net, other_delivery in points
        )
        found.append(FrontierPoint(plan.id, plan.organisation_id, delivery, net, dominated))
    return tuple(sorted(found, key=lambda point: (point.delivery_ms, point.net, point.plan_id)))


def throughput(quote: Quote, timing: Timing) -> Throughput:
    """Return accepted results per hour of the plan, and how many whole deliveries each term holds.

    Whole runs only: what is not assembled and accepted by the end of the term is not delivered.
    """
    main = quote.workload.main_stage
    if main is None or timing.delivery_ms <= 0:
        return Throughput(Absent("no_work", ("workload",)))
    per_delivery = quote.workload.units_per_delivery or 1
    results = Decimal(main.tasks.total) / per_delivery
    per_hour = results * MS_PER_HOUR / timing.delivery_ms
    per_term = tuple((days, int(results * (days * MS_PER_DAY // timing.delivery_ms))) for days in (3, 7, 30))
    return Throughput(per_hour, per_term)
