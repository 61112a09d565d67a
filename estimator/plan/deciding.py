"""Which of a quote's numbers could change what it decides: asked of the quote itself with each of them changed.

The decision is that of the shown plan: organisation, cards, lots and terms, and whether it keeps limit, budget,
quota and memory. The present decision is kept as `held` keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from estimator import edits
from estimator.plan.choosing import recommended_of, shown_of, shown_plan_of
from estimator.plan.drawing import table_of
from estimator.plan.held import held
from estimator.plan.numbers import QuoteNumber
from estimator.plan.organising import organised
from estimator.plan.scheduling import own_memory
from estimator.plan.stopping import go_on
from estimator.price import rounded
from estimator.problems import Absent
from estimator.quote import AssignmentPolicy, Partition, PartitionChoice, Quote
from estimator.results.estimate import Condition, Plan
from estimator.results.memory import Fit
from estimator.results.risk import Assumption, RangeEnd, Turn, WhyDecisive
from estimator.risk.decisive import Number, Outcome, Weight, weighed

_A_STAGE = 30
_TASKS_A_GROUP = 50
_MOST_GROUPS = 5_000
_MOST_WORK = 250_000
"""Numbers times the work of deciding once: some ten seconds. A count, so that no clock decides what is weighed."""


def assumptions_of(
    quote: Quote, plan: Plan, numbers: Sequence[QuoteNumber], conditions: Sequence[Condition]
) -> tuple[Assumption, ...]:
    """Return the numbers with what their ranges do, decisive ones first, those first that are worth most to verify.

    Numbers without a range come as decisive until one is stated; unknown inputs and prices that a condition doubts
    always are.
    """
    by_id = {one.id: one for one in numbers}
    ranged = [one for one in numbers if one.has_range]
    weighable = _weighable(quote)
    found = [_in_range(one, WhyDecisive.NOT_WEIGHED) for one in ranged[weighable:]]
    ranged = ranged[:weighable]
    claims = [one for one in conditions if one.code in ("assignment_mechanism", "partition")]
    with own_memory():
        if weighable:
            deciding = _Deciding(quote, plan, by_id)
            weights = weighed([_as_number(one) for one in ranged], deciding.outcome)
            found += [deciding.assumption(*each) for each in zip(ranged, weights, strict=True)]
            found += [deciding.claimed(one) for one in claims[:weighable]]
    found += [_in_range(one, WhyDecisive.NO_RANGE) for one in numbers if not one.has_range]
    for condition in conditions:
        if condition.code == "input_unknown":
            found.append(_claim(condition, WhyDecisive.UNKNOWN))
        elif condition.code.startswith("price_"):
            found.append(_claim(condition, WhyDecisive.PRICE))
    return tuple(sorted(found, key=_rank))


def _weighable(quote: Quote) -> int:
    """Return how many numbers are weighed; deciding once takes longer with groups of tasks, stages, ways to rent."""
    groups = sum(len(stage.tasks.count) for stage in quote.workload.stages)
    # Tasks that share something are placed one by one, however equal they are.
    groups += sum(stage.tasks.total // _TASKS_A_GROUP for stage in quote.workload.stages if stage.needs)
    if groups > _MOST_GROUPS:
        return 0
    ways = len(quote.organisations) * (1 + len({offer.card_id for offer in quote.offers}))
    return _MOST_WORK // max(1, ways * (groups + _A_STAGE * len(quote.workload.stages)))


def _in_range(one: QuoteNumber, why: WhyDecisive) -> Assumption:
    return Assumption(one.id, one.where, one.kind, why, one.unit, one.value)


def _rank(one: Assumption) -> tuple[bool, Decimal, float]:
    worth = one.worth if isinstance(one.worth, Decimal) else Decimal(0)
    return (not one.is_decisive, -worth, -(one.chance or 0.0))


def _claim(condition: Condition, why: WhyDecisive) -> Assumption:
    return Assumption(condition.id, condition.where, condition.kind, why)


def _as_number(one: QuoteNumber) -> Number:
    return Number(one.id, one.low, one.value, one.high, table_of(one), one.is_whole)


def _failed(quote: Quote, plan: Plan, condition: Condition) -> Quote | None:
    """Return the quote as it would be if a yes-or-no condition failed; None where there is no such quote.

    Without the mechanism that hands out tasks they stay in fixed blocks; a state that is not partitioned stands
    whole on every card.
    """
    organisation = quote.organisation(plan.organisation_id)
    if organisation is None:
        return None
    if condition.code == "assignment_mechanism":
        layouts = tuple(one.replaced(policy=AssignmentPolicy.BLOCKS) for one in organisation.layouts)
        return edits.with_organisation(quote, organisation.id, layouts=layouts)
    if condition.code == "partition":
        stage_id = condition.where[2]
        choices = tuple(
            PartitionChoice(state_class=one.state_class, partition=Partition.REPLICATED)
            for one in organisation.layout(stage_id).partitions
        )
        return edits.with_layout(quote, organisation.id, stage_id, partitions=choices)
    return None


class _Deciding:
    """Decides the quote again with other values, and keeps the present plan with them."""

    def __init__(self, quote: Quote, plan: Plan, numbers: Mapping[str, QuoteNumber]) -> None:
        self._quote = quote
        self._plan = plan
        self._numbers = numbers
        self.present = self.decided(quote)

    def outcome(self, values: Mapping[str, Decimal]) -> Outcome:
        """Return what these values decide, and what the present plan comes to with them."""
        if not values:
            return self.present
        quote = self._quote
        for id_, value in values.items():
            quote = self._numbers[id_].put(quote, value)
        return self.decided(quote)

    def decided(self, quote: Quote) -> Outcome:
        """Return the outcome of a quote."""
        go_on()
        results = [organised(quote, one, bounded=False) for one in quote.organisations]
        recommended = recommended_of(quote, results)
        shown = shown_of(quote, results, recommended)
        plan = shown_plan_of(quote, shown, recommended)
        kept = held(quote, self._plan)
        best = plan if plan is not None and plan.is_admitted else None
        gross = None if best is None or isinstance(best.price.gross, Absent) else best.price.gross
        if isinstance(kept, Absent):
            return Outcome(_key(plan), gross, None, None, works=False)
        kept_gross = None if isinstance(kept.price.gross, Absent) else kept.price.gross
        return Outcome(_key(plan), gross, kept_gross, kept.timing.delivery_ms, kept.works)

    def assumption(self, number: QuoteNumber, weight: Weight) -> Assumption:
        """Return a number with its weight, as a result."""
        present = self.present.decision
        why = WhyDecisive.NOT_DECISIVE
        if present in (weight.low.decision, weight.high.decision):
            if weight.low.decision != weight.high.decision:
                why = WhyDecisive.END
            elif weight.changes:
                why = WhyDecisive.INSIDE
            elif weight.changes_in_corner:
                why = WhyDecisive.CORNER
        else:
            why = WhyDecisive.END
        currency = self._quote.pricing.currency
        worth: Decimal | Absent = Absent("no_price")
        if weight.worth is not None:
            worth = rounded(weight.worth, currency)
        return Assumption(
            id=number.id,
            where=number.where,
            kind=number.kind,
            why=why,
            unit=number.unit,
            value=number.value,
            low=self._end(number.low, weight.low),
            high=self._end(number.high, weight.high),
            turns=tuple(Turn(flip.inside, flip.outside) for flip in weight.flips),
            chance=round(weight.chance, 6),
            worth=worth,
        )

    def claimed(self, condition: Condition) -> Assumption:
        """Return what the failure of a yes-or-no condition does."""
        failed = _failed(self._quote, self._plan, condition)
        changes = failed is None or self.decided(failed).decision != self.present.decision
        return _claim(condition, WhyDecisive.FAILURE if changes else WhyDecisive.NOT_DECISIVE)

    def _end(self, value: Decimal, outcome: Outcome) -> RangeEnd:
        return RangeEnd(
            value,
            Absent("plan_not_kept") if outcome.delivery_ms is None else outcome.delivery_ms,
            Absent("no_price") if outcome.gross is None else outcome.gross,
            outcome.decision != self.present.decision,
        )


def _key(plan: Plan | None) -> object:
    """Return what is compared: the decision, and whether limit, budget, quota and memory hold."""
    if plan is None:
        return None
    flags = (plan.meets_limit, plan.within_budget, plan.within_quota, plan.verdict.fits is Fit.NO)
    return (plan.decision, flags)
