"""The critical tasks of a timing, asked for the plan that somebody looks at and never computed before."""

from __future__ import annotations

from estimator.plan.fleet import Fleet
from estimator.plan.scheduling import problem_of
from estimator.quote import Organisation, Quote
from estimator.results.estimate import Timing
from estimator.schedule import Cancelled
from estimator.schedule.critical import Mask, critical_rows
from estimator.schedule.problem import never


def critical_tasks(
    quote: Quote, organisation: Organisation, timing: Timing, cancelled: Cancelled = never
) -> Mask:
    """Return of each single row of the timing's schedule, run after run, whether it makes the delivery.

    `timing` is one of that organisation in that quote. Raises SolveStopped where `cancelled` answers yes.
    """
    # What a task waits for hangs on stages, needs and caps; which cards there are changes none of them.
    nothing = (0,) * timing.places
    offers = ("",) * timing.places
    fleet = Fleet(timing.card_ids, nothing, nothing, nothing, offers, timing.slices_per_card)
    problem, _ = problem_of(quote, organisation, fleet)
    return critical_rows(timing.schedule, problem, cancelled)
