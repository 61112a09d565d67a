"""What the replications of a plan draw: each number from its range, and what is uncertain about each stage.

Durations, counts, factors of a card, slow-down, set-ups, fees and percentages vary. Capacities, what tasks need of
them, memory and the customer's limits stay at their values. A count moves its tasks' work in proportion. Numbers
that all tasks of a stage share are drawn once a replication; the spread from task to task comes on top.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from estimator.catalogue import HourlyOffer
from estimator.evidence import Distribution
from estimator.plan.held import card_models
from estimator.plan.layouts import Layouts
from estimator.plan.numbers import QuoteNumber
from estimator.plan.renting import setup_of
from estimator.problems import Absent
from estimator.quote import Organisation, Quote, Stage, Tasks
from estimator.results.estimate import Plan
from estimator.risk.distributions import Values, empirical_table, quantile_table
from estimator.risk.interruptions import Interruptions
from estimator.risk.replay import StageRisk
from estimator.risk.sampling import stratified
from estimator.units import MS_PER, MS_PER_HOUR, TimeUnit


@dataclass(frozen=True, slots=True)
class Draws:
    """The numbers that vary, and by id each of them and its [replications] values in its own unit."""

    numbers: tuple[QuoteNumber, ...]
    by_id: Mapping[str, QuoteNumber]
    values: Mapping[str, Values]

    def setup_ms(self, offer_id: str) -> Values | None:
        """Return the draws of an offer's set-up in ms; None where it does not vary."""
        number = self.by_id.get(f"setup:{offer_id}")
        return None if number is None else self.values[number.id] * MS_PER[TimeUnit(number.unit)]

    def factor(self, *ids: str) -> Values | None:
        """Return the product of the numbers' draws over their values; None where none of them varies.

        A number whose value is 0 has no such factor and stays as it is.
        """
        found: Values | None = None
        for id_ in ids:
            number = self.by_id.get(id_)
            if number is not None and number.value:
                ratio = self.values[id_] / float(number.value)
                found = ratio if found is None else found * ratio
        return found


def drawn(
    quote: Quote, organisation: Organisation, plan: Plan, numbers: Sequence[QuoteNumber], replications: int
) -> Draws:
    """Return what a plan's replications draw. The draws of a number do not depend on what else is drawn."""
    chosen = varying(quote, organisation, plan, numbers)
    values = {one.id: stratified(one.id, table_of(one), replications) for one in chosen}
    return Draws(chosen, {one.id: one for one in chosen}, values)


def varying(
    quote: Quote, organisation: Organisation, plan: Plan, numbers: Sequence[QuoteNumber]
) -> tuple[QuoteNumber, ...]:
    """Return the numbers with a range that this plan's replications draw."""
    ids = _varying(quote, organisation, plan)
    return tuple(one for one in numbers if one.has_range and one.id in ids)


def table_of(number: QuoteNumber) -> Values:
    """Return a number's distribution as the risk engine reads it."""
    return quantile_table(number.distribution, float(number.low), float(number.value), float(number.high))


def stage_risks(
    quote: Quote, organisation: Organisation, plan: Plan, draws: Draws
) -> tuple[StageRisk, ...] | Absent:
    """Return what is uncertain about each stage.

    Absent missing_interruptions: the plan's cards may be taken away, and how often is not known.
    """
    rate = _interruption_rate(quote, plan)
    if isinstance(rate, Absent):
        return rate
    layouts = Layouts(organisation)
    cards = card_models(quote, plan.holdings)
    found: list[StageRisk] = []
    for stage in quote.workload.stages:
        ids = [f"duration:{stage.id}", f"count:{stage.id}"]
        interruptions = None
        if stage.on_cards:
            ids += [f"factor:{stage.id}:{card}" for card in cards]
            ids.append(f"slice_duration:{organisation.id}")
            if plan.timing.places // layouts[stage.id].cards_per_task > 1:
                ids.append("slow_down")
            if rate is not None:
                interruptions = _interruptions(stage, rate, quote, plan)
        found.append(StageRisk(draws.factor(*ids), noise_of(stage.tasks), interruptions))
    return tuple(found)


def noise_of(tasks: Tasks) -> Values | None:
    """Return the table of a single task's own factor about 1, None where tasks do not differ by chance."""
    mean = sum(tasks.observed, Decimal(0)) / max(1, len(tasks.observed))
    if len(tasks.observed) > 1 and mean > 0:
        return empirical_table([float(one / mean) for one in tasks.observed])
    if tasks.spread_percent:
        spread = float(tasks.spread_percent) / 100
        return quantile_table(Distribution.TRIANGULAR, 1 - spread, 1, 1 + spread)
    return None


def _varying(quote: Quote, organisation: Organisation, plan: Plan) -> frozenset[str]:
    """Return the ids of the numbers that this plan's replications draw."""
    cards = card_models(quote, plan.holdings)
    layouts = Layouts(organisation)
    found = {f"slice_duration:{organisation.id}"}
    for stage in quote.workload.stages:
        found |= {f"duration:{stage.id}", f"count:{stage.id}"}
        if stage.on_cards:
            # Over several card models a stage has no one factor: it stays at its values.
            found |= {f"factor:{stage.id}:{card}" for card in cards if len(cards) == 1}
            if plan.timing.places // layouts[stage.id].cards_per_task > 1:
                found.add("slow_down")
    found |= {f"setup:{holding.offer_id}" for holding in plan.holdings}
    found |= {f"fee:{fee.id}" for fee in quote.pricing.fees}
    found |= {f"fee_quantity:{fee.id}" for fee in quote.pricing.fees}
    found |= {f"fee_days:{fee.id}" for fee in quote.pricing.fees}
    return frozenset(found | {"tax_percent", "discount_percent", "contingency_percent"})


def _interruption_rate(quote: Quote, plan: Plan) -> float | Absent | None:
    """Return interruptions per card and ms; None where nothing interrupts."""
    for holding in plan.holdings:
        offer = quote.offer(holding.offer_id)
        if isinstance(offer, HourlyOffer) and offer.interruptible:
            if offer.interruptions_per_hour is None:
                return Absent("missing_interruptions", ("offers", offer.id), (("offer", offer.name),))
            return float(offer.interruptions_per_hour) / MS_PER_HOUR
    return None


def _interruptions(stage: Stage, per_ms: float, quote: Quote, plan: Plan) -> Interruptions:
    checkpoint = None if stage.checkpoint is None else stage.checkpoint.ms
    offers = (quote.offer(holding.offer_id) for holding in plan.holdings)
    restart = max((setup_of(offer) or 0 for offer in offers if offer is not None), default=0)
    return Interruptions(per_ms, None if checkpoint is None else float(checkpoint), float(restart))
