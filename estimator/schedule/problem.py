"""What the schedule engine is asked: tasks, stages, shared resources and cards as plain columns.

It knows nothing of quotes, prices or memory, and has no words for people. Equal tasks are run-length: a
million of them are one row. All times are whole milliseconds from the start of the work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

Column = NDArray[np.int64]

UNLIMITED = -1
NOT_ELIGIBLE = -1
WHOLE_TASK = -1
ALWAYS = -1
FOREVER = 2**62
WEEK_MS = 7 * 24 * 60 * 60 * 1000

Windows = tuple[tuple[int, int], ...]
"""(open, close) in ms from the start of the week, which is the start of the work."""

Cancelled = Callable[[], bool]


class Policy(StrEnum):
    """How the tasks of one stage are shared among its cards.

    Off the cards every policy is AVAILABILITY (LONGEST_FIRST still sorts). BEST is the best plan found.
    """

    BLOCKS = "blocks"
    AVAILABILITY = "availability"
    LONGEST_FIRST = "longest_first"
    BEST = "best"


def read_only(values: ArrayLike) -> Column:
    """Return an int64 copy that cannot be written to."""
    column = np.array(values, dtype=np.int64)
    column.flags.writeable = False
    return column


def _nothing() -> Column:
    return read_only([])


@dataclass(frozen=True, eq=False)
class When:
    """What else says when tasks may run. An empty column says nothing: no priority, always open, stays."""

    streams: tuple[tuple[int, int], ...] = ()
    """(before, after): each task waits for its share of the other stage's tasks, in order, not for them all.

    One of the two numbers of tasks divides the other: 12 tasks before 4 are shares of 3, 4 before 12 feed 3 each.
    """
    priority: Column = field(default_factory=_nothing)
    """[s] whose stages take what is free first: the lowest number."""
    calendars: tuple[Windows, ...] = ()
    period_ms: int = WEEK_MS
    """After which the windows of all calendars come again."""
    stage_calendar: Column = field(default_factory=_nothing)
    """[s] number of the calendar in which its tasks run; -1 = always."""
    may_pause: Column = field(default_factory=_nothing)
    """[s] 1 = a task goes on after a closed time and keeps what it holds; 0 = it must fit in an open stretch."""
    card_calendar: Column = field(default_factory=_nothing)
    """[c] number of the calendar in which the card may compute; -1 = always."""
    card_until_ms: Column = field(default_factory=_nothing)
    """[c] no task runs on the card later; -1 = the card stays."""

    def __post_init__(self) -> None:
        for name in ("priority", "stage_calendar", "may_pause", "card_calendar", "card_until_ms"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def filled(self, name: str, size: int) -> list[int]:
        """Return a column of so many entries, what it means when empty written out."""
        column: Column = getattr(self, name)
        if len(column):
            return [int(one) for one in column]
        return [0 if name in ("priority", "may_pause") else ALWAYS] * size


@dataclass(frozen=True, eq=False)
class Problem:
    """One plan to schedule. Columns are copied, made int64 and read-only.

    Letters of the shapes: g groups of equal tasks, s stages, m card models, c cards, r shared resources.
    Raises ValueError where shapes, ranges or references do not fit; a cycle is found by `solve`.
    """

    count: Column
    """[g] equal tasks in the group."""
    stage: Column
    """[g] stage, 0..s-1; the groups of a stage are listed in task order."""
    duration_ms: Column
    """[g, m] time of one task on each card model; -1 = not on that model. Off the cards column 0 is used."""
    cards: Column
    """[g] cards that one task needs at once; 0 = off the cards."""
    capacity: Column
    """[r] units of the resource; -1 = unlimited."""
    need: Column
    """[g, r] units that one task holds."""
    hold_ms: Column
    """[g, r] the first part of the task during which it holds them; -1 = the whole task."""
    stage_count: int
    after: tuple[tuple[int, int], ...]
    """(before, after): the whole of one stage ends before the other starts."""
    release_ms: Column
    """[s] no task of the stage starts earlier."""
    policy: tuple[Policy, ...]
    tasks_at_once: Column
    """[s] cap on tasks running together in the stage; -1 = no cap."""
    may_cross_nodes: NDArray[np.bool_]
    """[s] a task may use cards of several nodes of one lot; a lot is never crossed."""
    card_model: Column
    """[c] 0..m-1."""
    card_lot: Column
    card_node: Column
    card_ready_ms: Column
    """[c] when the card's set-up is done."""
    when: When = When()

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            object.__setattr__(self, name, read_only(getattr(self, name)))
        crossing = np.array(self.may_cross_nodes, dtype=np.bool_)
        crossing.flags.writeable = False
        object.__setattr__(self, "may_cross_nodes", crossing)
        _check_shapes(self)
        _check_values(self)

    @property
    def group_count(self) -> int:
        """Rows of equal tasks."""
        return len(self.count)

    @property
    def card_count(self) -> int:
        """Cards in the plan."""
        return len(self.card_model)

    @property
    def links(self) -> tuple[tuple[int, int], ...]:
        """(before, after) of all that wait for each other, as a whole or task by task."""
        return self.after + self.when.streams

    @property
    def is_timed(self) -> bool:
        """Whether hours, cards that leave or tasks that wait one by one are about."""
        when = self.when
        return bool(
            when.streams
            or (when.stage_calendar >= 0).any()
            or (when.card_calendar >= 0).any()
            or (when.card_until_ms >= 0).any()
        )

    @property
    def is_ranked(self) -> bool:
        """Whether some stages are served before others for their priority."""
        priority = self.when.priority
        return len(priority) > 0 and bool((priority != priority[0]).any())

    def tasks_in(self) -> list[int]:
        """Return how many tasks each stage has."""
        counted = np.zeros(self.stage_count, dtype=np.int64)
        np.add.at(counted, self.stage, self.count)
        return [int(one) for one in counted]


class CycleFound(Exception):
    """Stages wait for each other in a circle. `stages` names those on a cycle, rising, and no others."""

    def __init__(self, stages: tuple[int, ...]) -> None:
        super().__init__("cycle")
        self.stages = stages


class SolveStopped(Exception):
    """The caller no longer wants the schedule."""


def never() -> bool:
    """Return that nobody asked to stop."""
    return False


_COLUMNS = (
    *("count", "stage", "duration_ms", "cards", "capacity", "need", "hold_ms", "release_ms"),
    *("tasks_at_once", "card_model", "card_lot", "card_node", "card_ready_ms"),
)


def _check_shapes(problem: Problem) -> None:
    groups, resources = problem.count.shape, problem.capacity.shape
    cards, stages = problem.card_model.shape, (problem.stage_count,)
    if len(groups) != 1 or len(resources) != 1 or len(cards) != 1:
        raise ValueError("count, capacity and card_model must be one-dimensional")
    models = problem.duration_ms.shape[1] if problem.duration_ms.ndim == 2 else 0
    if models < 1:
        raise ValueError("duration_ms must have shape [groups, models] with at least one model")
    expected = {
        "stage": groups,
        "duration_ms": (*groups, models),
        "cards": groups,
        "need": groups + resources,
        "hold_ms": groups + resources,
        "release_ms": stages,
        "tasks_at_once": stages,
        "may_cross_nodes": stages,
        "card_lot": cards,
        "card_node": cards,
        "card_ready_ms": cards,
    }
    for name, shape in expected.items():
        found = getattr(problem, name).shape
        if found != shape:
            raise ValueError(f"{name} has shape {found}, not {shape}")
    if len(problem.policy) != problem.stage_count:
        raise ValueError("policy needs one entry a stage")
    for name, size in (
        *dict.fromkeys(("priority", "stage_calendar", "may_pause"), problem.stage_count).items(),
        *dict.fromkeys(("card_calendar", "card_until_ms"), problem.card_count).items(),
    ):
        if getattr(problem.when, name).shape not in ((0,), (size,)):
            raise ValueError(f"{name} needs {size} entries, or none")


def _check_values(problem: Problem) -> None:
    least = {
        **dict.fromkeys(("count", "cards", "need", "release_ms", "card_ready_ms"), 0),
        **dict.fromkeys(("duration_ms", "capacity", "hold_ms", "tasks_at_once"), -1),
    }
    for name, lowest in least.items():
        if (getattr(problem, name) < lowest).any():
            raise ValueError(f"{name} holds a value below {lowest}")
    models = problem.duration_ms.shape[1]
    for name, column, size in (
        ("stage", problem.stage, problem.stage_count),
        ("card_model", problem.card_model, models),
    ):
        if ((column < 0) | (column >= size)).any():
            raise ValueError(f"{name} must lie in 0..{size - 1}")
    if any(not 0 <= end < problem.stage_count for pair in problem.links for end in pair):
        raise ValueError("after or streams names a stage that does not exist")
    if (problem.duration_ms[problem.cards == 0, 0] < 0).any():
        raise ValueError("a task off the cards needs its duration in column 0")
    _check_when(problem)


def _check_when(problem: Problem) -> None:
    when = problem.when
    for name in ("stage_calendar", "card_calendar"):
        if (getattr(when, name) >= len(when.calendars)).any():
            raise ValueError(f"{name} names a calendar that does not exist")
    for windows in when.calendars:
        if any(not 0 <= begin < end <= when.period_ms for begin, end in windows):
            raise ValueError("a window must lie within the week")
    tasks = problem.tasks_in() if when.streams else []
    for before, later in when.streams:
        fewer, more = sorted((tasks[before], tasks[later]))
        if fewer and more % fewer:
            raise ValueError(f"{tasks[before]} tasks have no whole share in {tasks[later]}")
