"""What the schedule page asks a chart for, and making it: at once where it is small, else in the background.

Other assignments are scheduled again and the critical path is walked only where somebody asked to see them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass

from estimator.plan.comparing import timing_under
from estimator.plan.critical import critical_tasks
from estimator.quote import AssignmentPolicy
from estimator.results.estimate import Estimate, Timing
from estimator.wording import Wording
from ui.gantt.pyramid import critical_bins_of, pyramid_of
from ui.pages.schedule_gantt import Chart, ColourBy, Compared, Mask, chart_of, reference_of

AT_ONCE = 50_000
"""Up to so many tasks a chart is made within a keystroke."""
AT_ONCE_CRITICAL = 10_000
MERGED_FROM = 200_000
"""From so many bars on their merged picture is made beforehand, not when it is first painted."""
REFERENCE = "reference"


@dataclass(frozen=True, eq=False)
class ChartRequest:
    """One chart: `compared` is "", REFERENCE or the value of an AssignmentPolicy."""

    words: Wording
    estimate: Estimate
    colour_by: ColourBy
    compared: str
    critical: bool
    start: dt.datetime | None

    @property
    def is_quick(self) -> bool:
        """Whether making it takes no longer than a person notices."""
        if self.compared not in ("", REFERENCE):
            return False
        tasks = sum(stage.tasks.total for stage in self.estimate.quote.workload.stages)
        return tasks <= (AT_ONCE_CRITICAL if self.critical else AT_ONCE)

    def same_as(self, other: ChartRequest | None) -> bool:
        """Whether the other request asks for the very same chart."""
        if other is None:
            return False
        mine, theirs = self.estimate.shown, other.estimate.shown
        if mine is None or theirs is None:
            return mine is theirs and self.estimate.quote is other.estimate.quote
        one, two = comparable_timing(self.estimate), comparable_timing(other.estimate)
        return (
            mine.timing is theirs.timing
            and self.estimate.quote is other.estimate.quote
            and self.colour_by is other.colour_by
            and (self.compared, self.critical, self.start) == (other.compared, other.critical, other.start)
            and (self.compared != REFERENCE or one is two)
        )


def comparable_timing(estimate: Estimate) -> Timing | None:
    """Return the timing of the reference organisation where there is one to compare with."""
    reference = estimate.quote.reference
    result = None if reference is None else estimate.organisation(reference.id)
    return result.timing if result is not None and isinstance(result.timing, Timing) else None


def chart_for(
    request: ChartRequest, progress: Callable[[float], None], cancelled: Callable[[], bool]
) -> Chart | None:
    """Return the chart that was asked for; None where the shown organisation has no timing.

    Raises SolveStopped soon after `cancelled` answers yes.
    """
    estimate = request.estimate
    shown = estimate.shown
    if shown is None or not isinstance(shown.timing, Timing):
        return None
    other = _compared(request)
    progress(0.3)
    masks: list[Mask] = []
    if request.critical:
        compared = () if other is None else ((other.result.organisation_id, other.timing),)
        for organisation_id, timing in ((shown.organisation_id, shown.timing), *compared):
            organisation = estimate.quote.organisation(organisation_id)
            if organisation is not None:
                masks.append(critical_tasks(estimate.quote, organisation, timing, cancelled))
    progress(0.6)
    chart = chart_of(
        request.words,
        estimate,
        colour_by=request.colour_by,
        other=other,
        critical=masks,
        start=request.start,
    )
    if chart is not None and chart.model.bars.count >= MERGED_FROM and not cancelled():
        pyramid_of(chart.model)
        if request.critical:
            critical_bins_of(chart.model)
    progress(1.0)
    return chart


def chart_work(
    request: ChartRequest, *, progress: Callable[[float], None], cancelled: Callable[[], bool]
) -> Chart | None:
    """`chart_for` as work for the background."""
    return chart_for(request, progress, cancelled)


def _compared(request: ChartRequest) -> Compared | None:
    estimate, words = request.estimate, request.words
    shown = estimate.shown
    if not request.compared or shown is None:
        return None
    if request.compared == REFERENCE:
        return reference_of(words, estimate)
    organisation = estimate.quote.organisation(shown.organisation_id)
    if organisation is None:
        return None
    policy = AssignmentPolicy(request.compared)
    timing = timing_under(estimate.quote, organisation, estimate.shown_plan, policy)
    if not isinstance(timing, Timing):
        return None
    return Compared(timing, words.word(policy), shown, is_same_plan=True)
