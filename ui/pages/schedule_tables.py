"""The tables of the schedule: the assignment policies side by side, and the tasks one by one.

The tasks are the same as the bars of the chart, named only for the rows that are shown.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from estimator.quote import AssignmentPolicy, Quote
from estimator.results.estimate import Estimate, PolicyResult
from estimator.wording import Wording
from estimator.wording.phrases import idle_card_text, policy_needs
from ui.gantt.axis import moment_text
from ui.models.table import Column
from ui.pages.schedule_gantt import Chart

MOST_TASK_ROWS = 5_000
LEAST_GAP = 0.01
MARK, ASSIGNMENT, DELIVERY = range(3)


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One policy with what it comes to; `chosen` where the organisation uses it."""

    result: PolicyResult
    chosen: bool

    @property
    def gap(self) -> Fraction:
        """The delivery over its lower bound, as a fraction of the bound; 0 when proven best."""
        late = self.result.delivery_ms - self.result.lower_bound_ms
        return (
            Fraction(late, self.result.lower_bound_ms) if self.result.lower_bound_ms else Fraction(late > 0)
        )


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task on one row of the chart: its place in the chart's columns, and what the table says of it."""

    name: str
    stage: str
    row: str
    start_ms: int
    end_ms: int
    critical: bool = False


def chosen_policy(quote: Quote, organisation_id: str) -> AssignmentPolicy | None:
    """Return the policy of all stages on cards; None where they differ or there are none."""
    organisation = quote.organisation(organisation_id)
    if organisation is None:
        return None
    policies = {organisation.layout(stage.id).policy for stage in quote.workload.stages if stage.on_cards}
    return policies.pop() if len(policies) == 1 else None


def policy_rows(quote: Quote, estimate: Estimate) -> tuple[PolicyRow, ...]:
    """Return the policies of the organisation shown; empty while they are not computed."""
    shown = estimate.shown
    if shown is None:
        return ()
    chosen = chosen_policy(quote, shown.organisation_id)
    return tuple(PolicyRow(result, result.policy is chosen) for result in shown.policies)


def policy_columns(words: Wording) -> tuple[Column[PolicyRow], ...]:
    """Return the columns of the policies."""
    return (
        Column("", lambda row: words.t("Chosen") if row.chosen else ""),
        Column(
            words.t("Assignment, same tasks"),
            lambda row: words.word(row.result.policy),
            bold=lambda row: row.chosen,
        ),
        Column(words.t("Delivery"), lambda row: words.duration(row.result.delivery_ms), right=True),
        Column(words.t("Lower bound"), lambda row: words.duration(row.result.lower_bound_ms), right=True),
        Column(words.t("Gap"), lambda row: _gap_text(words, row), right=True),
        Column(words.t("Idle card time"), lambda row: idle_card_text(words, row.result), right=True),
        Column(words.t("Longest tail"), lambda row: words.duration(row.result.longest_tail_ms), right=True),
        Column(words.t("Needs"), lambda row: policy_needs(words, row.result.policy)),
    )


def task_columns(
    words: Wording, start: dt.datetime | None, with_critical: bool = False
) -> tuple[Column[TaskRow], ...]:
    """Return the columns of the tasks; `start` (with a zone) turns times into dates."""
    critical: Column[TaskRow] = Column(
        words.t("Critical path"),
        lambda row: words.t("makes the delivery") if row.critical else "",
        sort_key=lambda row: not row.critical,
    )
    columns: tuple[Column[TaskRow], ...] = (
        Column(words.t("Task"), lambda row: row.name),
        Column(words.t("Stage"), lambda row: row.stage),
        Column(words.t("Runs on"), lambda row: row.row),
        Column(
            words.t("From"),
            lambda row: moment_text(row.start_ms, start, words),
            right=True,
            sort_key=lambda row: row.start_ms,
        ),
        Column(
            words.t("Until"),
            lambda row: moment_text(row.end_ms, start, words),
            right=True,
            sort_key=lambda row: row.end_ms,
        ),
        Column(
            words.t("Duration"),
            lambda row: words.exact_duration(row.end_ms - row.start_ms),
            right=True,
            sort_key=lambda row: row.end_ms - row.start_ms,
        ),
    )
    return (*columns, critical) if with_critical else columns


def task_rows(chart: Chart) -> tuple[TaskRow, ...]:
    """Return the first tasks by their start, at most MOST_TASK_ROWS."""
    tasks, model = chart.tasks, chart.model
    order = np.lexsort((tasks.row, tasks.start_ms))[:MOST_TASK_ROWS]
    return tuple(
        TaskRow(
            name=model.label(at),
            stage=chart.stages[int(tasks.stage[at])].name,
            row=model.rows[int(tasks.row[at])].name,
            start_ms=int(tasks.start_ms[at]),
            end_ms=int(tasks.end_ms[at]),
            critical=bool(tasks.critical[at]),
        )
        for at in order.tolist()
    )


def _gap_text(words: Wording, row: PolicyRow) -> str:
    if row.result.delivery_ms == row.result.lower_bound_ms:
        return words.t("0 · optimal")
    percent = float(row.gap) * 100
    # A gap that is there must not be shown as none.
    return words.percent(percent, 2) if percent >= LEAST_GAP else f"< {words.percent(LEAST_GAP, 2)}"
