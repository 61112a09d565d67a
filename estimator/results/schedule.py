"""The answer: who runs what when, as read-only columns, with its lower bound. Nothing is decided here.

A run is tasks of one group on one card, the first at `run_start_ms`, each next one `run_step_ms` later: on a
card the step is the task's duration, so that they follow without a gap; off the cards it may be 0, for tasks
that all start together. A task over k cards is k runs that share `run_task`; `run_lead` is true on one of
them, so that counts add up.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.int64]


class Status(StrEnum):
    """Whether every task has its place."""

    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"


@dataclass(frozen=True, eq=False)
class Bars:
    """Single tasks in a viewport, a row for each task and card, by card and start. `card` is -1 off the
    cards.
    """

    group: Column
    stage: Column
    index: Column
    card: Column
    start_ms: Column
    end_ms: Column


@dataclass(frozen=True, eq=False)
class Schedule:
    """A plan in run-length columns, by group, start and card. Times in ms from the start of the work."""

    status: Status
    blocked: tuple[tuple[int, str], ...]
    """(group, reason code) of the groups that can never start; empty when feasible."""
    lower_bound_ms: int
    """No plan for the same problem ends earlier. Means nothing when infeasible."""
    run_group: Column
    run_first: Column
    """Index within its group of the run's first task."""
    run_count: Column
    run_start_ms: Column
    run_duration_ms: Column
    """Of one task."""
    run_step_ms: Column
    run_card: Column
    """-1 off the cards."""
    run_task_cards: Column
    """Cards that each task of the run uses at once."""
    run_task: Column
    """Shared by the rows of the same tasks on several cards."""
    run_lead: NDArray[np.bool_]
    stage_start_ms: Column
    """[s] its first task's start; of a stage without tasks the moment it is reached."""
    stage_end_ms: Column
    card_busy_ms: Column
    card_first_ms: Column
    """[c] -1 if the card is unused."""
    card_last_ms: Column
    longest_tail_ms: int
    """In the last stage on cards: from the first card to run out of work to the last one's end."""
    resource_steps: tuple[tuple[Column, Column], ...]
    """[r] (time_ms, units used from then on)."""

    @property
    def delivery_ms(self) -> int:
        """The end of the last stage. Raises ValueError when infeasible: there is no such moment."""
        if self.status is Status.INFEASIBLE:
            raise ValueError("an infeasible schedule has no delivery")
        return int(self.stage_end_ms.max(initial=0))

    @property
    def gap(self) -> Fraction:
        """(delivery - lower bound) / lower bound, exact; 0 when proven best, 1 for a missed bound of 0."""
        if self.delivery_ms == self.lower_bound_ms:
            return Fraction(0)
        if self.lower_bound_ms == 0:
            return Fraction(1)
        return Fraction(self.delivery_ms - self.lower_bound_ms, self.lower_bound_ms)

    @property
    def is_optimal(self) -> bool:
        """Whether the delivery is proven: equal to the lower bound."""
        return self.status is Status.FEASIBLE and self.delivery_ms == self.lower_bound_ms

    @property
    def idle_between_ms(self) -> int:
        """Waiting of used cards between their first and last task, added up over the cards."""
        used = self.card_first_ms >= 0
        return int((self.card_last_ms - self.card_first_ms - self.card_busy_ms)[used].sum())
