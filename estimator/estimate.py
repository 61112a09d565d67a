"""The front door of the core: a quote in, an estimate out.

`headline` gives what the answer strip shows, within 100 ms of an edit; `estimate` gives everything. Both are pure:
the same quote and the same day give the same estimate, whatever the machine's load.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace

from estimator.checks import problems_of
from estimator.conditions import conditions_of, status_of
from estimator.plan.comparing import break_even, frontier, policies, staircase, throughput
from estimator.plan.counter_examples import counter_examples
from estimator.plan.flips import flips
from estimator.plan.organising import best_of, nominal_fleet, order_of, organised, shape_of
from estimator.plan.projects import project_times, when_problems, with_alone
from estimator.plan.rental_study import rental_study
from estimator.plan.scheduling import TIME_REASONS
from estimator.plan.stopping import stopped_when
from estimator.problems import Absent, Problem, Severity
from estimator.quote import Quote
from estimator.results.estimate import Estimate, OrganisationResult, Plan, Timing
from estimator.results.memory import MODEL_REASONS
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
    return completed(headline(quote, today, progress, cancelled), progress, cancelled)


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
    recommended = _recommended(quote, results)
    shown = _shown(quote, results, recommended)
    shown_plan = _shown_plan(quote, shown, recommended)
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


def with_flips(so_far: Estimate, cancelled: Cancelled = _never) -> Estimate:
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
            found = flips(so_far.quote, plan, rivals, decided)
    except SolveStopped:
        raise EstimateCancelled from None
    return replace(so_far, rental=replace(so_far.rental, flips=found))


def decided(quote: Quote) -> Plan | None:
    """Return the plan that is recommended for a quote, None where there is none."""
    return _recommended(quote, [organised(quote, organisation) for organisation in quote.organisations])


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


def _recommended(quote: Quote, results: list[OrganisationResult]) -> Plan | None:
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


def _shown(
    quote: Quote, results: list[OrganisationResult], recommended: Plan | None
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


def _shown_plan(quote: Quote, shown: OrganisationResult | None, recommended: Plan | None) -> Plan | None:
    if shown is None:
        return None
    chosen = shown.plan(quote.chosen_plan)
    if chosen is not None:
        return chosen
    if recommended is not None and recommended.organisation_id == shown.organisation_id:
        return recommended
    return best_of(shown.plans)


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
    if quote.chosen_plan and shown is not None and shown.id != quote.chosen_plan:
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
