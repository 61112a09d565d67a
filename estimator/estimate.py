"""The front door of the core: a quote in, an estimate out.

`headline` gives what the answer strip shows, within 100 ms of an edit; `sketched` adds how sure the shown plan is,
`completed` the comparisons, `assessed` the risk of every plan and the decisive assumptions; `estimate` is all of it.
All are pure: the same quote and the same day give the same estimate, whatever the machine's load.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import replace

from estimator.checks import problems_of
from estimator.conditions import conditions_of, status_of, weighed_conditions
from estimator.plan.choosing import recommended_of, shown_of, shown_plan_of
from estimator.plan.comparing import break_even, frontier, policies, staircase, throughput
from estimator.plan.counter_examples import counter_examples
from estimator.plan.deciding import assumptions_of
from estimator.plan.flips import flips
from estimator.plan.numbers import numbers_of
from estimator.plan.organising import nominal_fleet, order_of, organised, shape_of
from estimator.plan.projects import project_times, when_problems, with_alone
from estimator.plan.rental_study import rental_study
from estimator.plan.replications import FULL, QUICK, risk_of
from estimator.plan.scheduling import TIME_REASONS
from estimator.plan.stopping import stopped_when
from estimator.problems import Absent, Problem, Severity
from estimator.quote import Quote
from estimator.results.estimate import Estimate, OrganisationResult, Plan, QuoteStatus, Timing
from estimator.results.memory import MODEL_REASONS
from estimator.results.risk import PlanRisk
from estimator.schedule import SolveStopped

Progress = Callable[[float], None]
Cancelled = Callable[[], bool]


class EstimateCancelled(Exception):
    """The caller asked for the estimate to stop."""


def _no_progress(_: float) -> None:
    """Take progress and do nothing with it."""


def _never() -> bool:
    return False


def estimate(
    quote: Quote, today: dt.date, progress: Progress = _no_progress, cancelled: Cancelled = _never
) -> Estimate:
    """Return everything that the quote comes to on the day `today`.

    `progress` hears fractions from 0 to 1; `cancelled` is asked many times a second. Raises EstimateCancelled.
    """
    return assessed(headline(quote, today, progress, cancelled), progress, cancelled)


def headline(
    quote: Quote, today: dt.date, progress: Progress = _no_progress, cancelled: Cancelled = _never
) -> Estimate:
    """Return organisations, plans, conditions and status; the comparisons are left empty."""
    try:
        with stopped_when(cancelled):
            return _headline(quote, today, progress, cancelled)
    except SolveStopped:
        raise EstimateCancelled from None


def _headline(quote: Quote, today: dt.date, progress: Progress, cancelled: Cancelled) -> Estimate:
    results: list[OrganisationResult] = []
    for done, organisation in enumerate(quote.organisations):
        if cancelled():
            raise EstimateCancelled
        results.append(organised(quote, organisation))
        progress(0.5 * (done + 1) / len(quote.organisations))
    recommended = recommended_of(quote, results)
    shown = shown_of(quote, results, recommended)
    shown_plan = shown_plan_of(quote, shown, recommended)
    conditions = conditions_of(quote, shown, shown_plan, today)
    has_answer = shown is not None and isinstance(shown.timing, Timing) and shown_plan is not None
    if shown is not None and shown_plan is not None:
        at = results.index(shown)
        at_once = shown_plan.timing.places // shown.cards_per_task
        shown = replace(shown, timing=shown_plan.timing, tasks_at_once=at_once)
        results[at] = shown
    return Estimate(
        quote=quote,
        organisations=tuple(results),
        recommended_plan_id="" if recommended is None else recommended.id,
        shown_plan_id="" if shown_plan is None else shown_plan.id,
        shown_organisation_id="" if shown is None else shown.organisation_id,
        status=status_of(has_answer, conditions),
        conditions=conditions,
        problems=(
            *problems_of(quote, today),
            *_plan_problems(quote, results, shown_plan),
            *(() if shown is None else when_problems(quote, shown.timing)),
        ),
        projects=()
        if shown is None or isinstance(shown.timing, Absent)
        else project_times(quote, shown.timing),
    )


def completed(so_far: Estimate, progress: Progress = _no_progress, cancelled: Cancelled = _never) -> Estimate:
    """Return the estimate with its comparisons: staircase, policies, break-evens, counter-examples, frontier."""
    try:
        with stopped_when(cancelled):
            return _completed(so_far, progress, cancelled)
    except SolveStopped:
        raise EstimateCancelled from None


def sketched(so_far: Estimate, progress: Progress = _no_progress, cancelled: Cancelled = _never) -> Estimate:
    """Return the estimate with the shown plan's risk from few replications, within 50 ms as a rule."""
    try:
        with stopped_when(cancelled):
            return replace(so_far, risks=_risks(so_far, (so_far.shown_plan,), QUICK))
    except SolveStopped:
        raise EstimateCancelled from None


def assessed(so_far: Estimate, progress: Progress = _no_progress, cancelled: Cancelled = _never) -> Estimate:
    """Return the whole estimate: comparisons, the risk of every plan, and what could change the decision.

    Decisive conditions, and with them the status, are computed from here on.
    """
    if not so_far.is_complete:
        so_far = completed(so_far, progress, cancelled)
    try:
        with stopped_when(cancelled):
            return _assessed(so_far)
    except SolveStopped:
        raise EstimateCancelled from None


def _assessed(so_far: Estimate) -> Estimate:
    quote, plan = so_far.quote, so_far.shown_plan
    if plan is None:
        return replace(so_far, is_assessed=True)
    numbers = numbers_of(quote, quote.organisation(plan.organisation_id))
    assumptions = assumptions_of(quote, plan, numbers, so_far.conditions)
    conditions = weighed_conditions(quote, so_far.conditions, assumptions)
    return replace(
        so_far,
        risks=_risks(so_far, so_far.plans, FULL),
        assumptions=assumptions,
        conditions=conditions,
        status=status_of(so_far.status is not QuoteStatus.DRAFT, conditions),
        is_assessed=True,
    )


def _risks(so_far: Estimate, plans: Iterable[Plan | None], replications: int) -> tuple[PlanRisk, ...]:
    quote = so_far.quote
    found: list[PlanRisk] = []
    numbers = {one.id: numbers_of(quote, one) for one in quote.organisations}
    for plan in plans:
        organisation = None if plan is None else quote.organisation(plan.organisation_id)
        if plan is not None and organisation is not None:
            found.append(risk_of(quote, organisation, plan, numbers[organisation.id], replications))
    return tuple(found)


def _completed(so_far: Estimate, progress: Progress, cancelled: Cancelled) -> Estimate:
    quote = so_far.quote
    shown = so_far.shown
    organisation = None if shown is None else quote.organisation(shown.organisation_id)
    done = replace(so_far, frontier=frontier(so_far.plans), is_complete=True)
    if shown is None or organisation is None or isinstance(shown.timing, Absent):
        return done
    progress(0.55)
    _stop_if(cancelled)
    results = tuple(
        replace(one, policies=policies(quote, one, organisation, so_far.shown_plan)) if one is shown else one
        for one in so_far.organisations
    )
    progress(0.7)
    _stop_if(cancelled)
    steps = staircase(quote, organisation, so_far.shown_plan, cancelled)
    progress(0.85)
    _stop_if(cancelled)
    reference = quote.reference
    break_evens = []
    if reference is not None:
        base = so_far.organisation(reference.id)
        if base is not None and isinstance(base.timing, Timing):
            for other in quote.organisations:
                if other.id == reference.id or isinstance(_timing(so_far, other.id), Absent):
                    continue
                found = break_even(
                    quote, other, _plan_of(so_far, other.id), reference, base.timing.delivery_ms
                )
                if found is not None:
                    break_evens.append(found)
                _stop_if(cancelled)
    fleet = nominal_fleet(quote, organisation, shape_of(quote, organisation), so_far.shown_plan)
    cases = counter_examples(quote, organisation, so_far.shown_plan)
    _stop_if(cancelled)
    study = rental_study(quote, organisation, shown, so_far.plans, so_far.shown_plan)
    progress(1.0)
    return replace(
        done,
        organisations=results,
        staircase=steps,
        break_evens=tuple(break_evens),
        counter_examples=cases,
        throughput=throughput(quote, shown.timing),
        rental=study,
        projects=with_alone(quote, organisation, fleet, so_far.projects),
    )


def with_flips(
    so_far: Estimate, cancelled: Cancelled = _never, progress: Progress = _no_progress
) -> Estimate:
    """Return a complete estimate with the flips of its recommended plan: some tens of decisions, each recomputed.

    The same estimate where nothing is recommended. Raises EstimateCancelled.
    """
    plan = so_far.plan(so_far.recommended_plan_id)
    if so_far.rental is None or plan is None:
        return so_far
    others = (one for one in so_far.plans if one.is_admitted and not isinstance(one.price.gross, Absent))
    rivals = tuple(sorted((one for one in others if one.id != plan.id), key=order_of))
    try:
        with stopped_when(cancelled):
            found = flips(so_far.quote, plan, rivals, decided, progress)
    except SolveStopped:
        raise EstimateCancelled from None
    return replace(so_far, rental=replace(so_far.rental, flips=found))


def decided(quote: Quote) -> Plan | None:
    """Return the plan that is recommended for a quote, None where there is none."""
    return recommended_of(quote, [organised(quote, one, bounded=False) for one in quote.organisations])


def _plan_of(so_far: Estimate, organisation_id: str) -> Plan | None:
    """Return the plan that times an organisation: the shown one, else its best."""
    found = so_far.organisation(organisation_id)
    if found is None:
        return None
    return so_far.shown_plan if found is so_far.shown else found.plan(found.best_plan_id)


def _timing(so_far: Estimate, organisation_id: str) -> Timing | Absent:
    found = so_far.organisation(organisation_id)
    return Absent("no_organisation") if found is None else found.timing


def _stop_if(cancelled: Cancelled) -> None:
    if cancelled():
        raise EstimateCancelled


def _plan_problems(
    quote: Quote, results: list[OrganisationResult], shown: Plan | None
) -> tuple[Problem, ...]:
    found: list[Problem] = []
    limit = quote.workload.limit
    timed = [one for one in results if isinstance(one.timing, Timing)]
    if limit is not None and limit.ms is not None and timed:
        earliest = min(one.timing.delivery_ms for one in timed if isinstance(one.timing, Timing))
        if earliest > limit.ms:
            values = (("limit_ms", limit.ms), ("earliest_ms", earliest))
            found.append(Problem("limit_not_met", ("workload", "limit"), Severity.WARNING, values))
    if quote.chosen_plan and shown is not None and quote.chosen_plan not in (shown.id, shown.organisation_id):
        found.append(Problem("chosen_plan_gone", ("chosen_plan",), Severity.WARNING))
    if shown is not None and shown.within_budget is False:
        found.append(Problem("over_budget", ("workload", "budget"), Severity.WARNING))
    if shown is not None and shown.within_quota is False:
        found.append(Problem("over_quota", ("workload", "quota_cards"), Severity.WARNING))
    for one in results:
        if isinstance(one.timing, Absent) and one.timing.code in ("cannot_run", *TIME_REASONS):
            found.append(Problem(one.timing.code, one.timing.where, Severity.ERROR, one.timing.values))
    for one in results:
        found += _model_problems(quote, one)
    return tuple(dict.fromkeys(found))


def _model_problems(quote: Quote, result: OrganisationResult) -> list[Problem]:
    """Return why a model's memory is not known; a number that is missing is the checks' to say."""
    found: list[Problem] = []
    for memory in result.memory:
        stage = quote.workload.stage(memory.stage_id)
        model = None if stage is None else stage.memory.model
        if model is None:
            continue
        where = ("workload", "stages", memory.stage_id, "memory")
        values = (("model", model.source.name), ("cards", memory.cards_per_task))
        found += [
            Problem(code, where, Severity.MISSING, values) for code in memory.missing if code in MODEL_REASONS
        ]
    return found
