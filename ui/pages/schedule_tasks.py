"""The tasks of a schedule one by one, as columns: what a bar of the chart or a line of the table stands for.

Expanded by numpy from the schedule's run-length columns; names are made only when asked. No row of a chart is
decided here but the lanes of what runs off the cards.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from estimator.quote import Stage, StageKind
from estimator.results.estimate import Timing
from estimator.wording import Wording

MOST_LANES = 16
"""Where more tasks than this run at once off the cards, one row shows their whole span."""

Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TaskColumns:
    """Single tasks in columns, a row for each task and card: what a bar or a line of the table stands for.

    `number` counts within the stage from 1. `row` is that of the chart. `folded`: how many tasks a bar of a
    stage with very many at once stands for, else 1. `critical`: 1 where it makes the delivery, as far as asked.
    """

    stage: Int64
    group: Int64
    number: Int64
    card: Int64
    start_ms: Int64
    end_ms: Int64
    row: Int64
    folded: Int64
    critical: Int64

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.start_ms.size)


@dataclass(frozen=True, eq=False)
class TaskNames:
    """The names of tasks, made only when asked: the planner's own, or the stage's with a number."""

    words: Wording
    stages: tuple[Stage, ...]
    first_group: tuple[int, ...]
    """Of each stage, its first group in the schedule."""

    def name(self, stage: int, group: int, number: int) -> str:
        """Return the name of one task."""
        one = self.stages[stage]
        place = group - self.first_group[stage]
        own = one.tasks.names[place] if place < len(one.tasks.names) else ""
        if own and one.tasks.count[place] == 1:
            return own
        if one.tasks.total == 1:
            return own or one.name
        return f"{own or one.name} {self.words.number(number)}"


def expanded(
    timing: Timing, stages: Sequence[Stage], critical: NDArray[np.bool_] | None = None
) -> TaskColumns:
    """Return every task of the schedule in columns; `critical` says it of each row of the schedule's runs."""
    schedule = timing.schedule
    count = schedule.run_count
    run = np.repeat(np.arange(count.size, dtype=np.int64), count)
    within = np.arange(run.size, dtype=np.int64) - np.repeat(np.cumsum(count) - count, count)
    group = schedule.run_group[run]
    start = schedule.run_start_ms[run] + within * schedule.run_step_ms[run]
    place = {stage.id: at for at, stage in enumerate(stages)}
    stage_of = np.array([place[stage_id] for stage_id in timing.group_stage], dtype=np.int64)
    before = _tasks_before(timing, stages)
    stage = stage_of[group]
    is_task = np.array([one.kind is not StageKind.GATE for one in stages], dtype=np.bool_)[stage]
    number = before[group] + schedule.run_first[run] + within + 1
    columns = TaskColumns(
        stage=stage,
        group=group,
        number=number,
        card=schedule.run_card[run],
        start_ms=start,
        end_ms=start + schedule.run_duration_ms[run],
        row=np.zeros(run.size, dtype=np.int64),
        folded=np.ones(run.size, dtype=np.int64),
        critical=np.zeros(run.size, dtype=np.int64) if critical is None else critical.astype(np.int64),
    )
    return taken(columns, is_task, columns.row[is_task])


def _tasks_before(timing: Timing, stages: Sequence[Stage]) -> Int64:
    """Return for each group how many tasks of its stage stand in the groups before it."""
    before = np.zeros(len(timing.group_stage), dtype=np.int64)
    for stage, first in zip(stages, first_groups(stages, timing), strict=True):
        counts = np.array(stage.tasks.count, dtype=np.int64)
        here = before[first : first + counts.size]
        if stage.kind is not StageKind.GATE and here.size == counts.size:
            here[:] = np.cumsum(counts) - counts
    return before


def first_groups(stages: Sequence[Stage], timing: Timing) -> tuple[int, ...]:
    """Return for each stage its first group in the schedule; 0 where it has none."""
    first: dict[str, int] = {}
    for group, stage_id in enumerate(timing.group_stage):
        first.setdefault(stage_id, group)
    return tuple(first.get(stage.id, 0) for stage in stages)


def taken(tasks: TaskColumns, chosen: NDArray[np.bool_] | Int64, rows: Int64) -> TaskColumns:
    """Return the chosen tasks, placed in those rows."""
    return TaskColumns(
        tasks.stage[chosen],
        tasks.group[chosen],
        tasks.number[chosen],
        tasks.card[chosen],
        tasks.start_ms[chosen],
        tasks.end_ms[chosen],
        rows.astype(np.int64),
        tasks.folded[chosen],
        tasks.critical[chosen],
    )


def lanes_of(start_ms: Int64, end_ms: Int64) -> tuple[Int64, int]:
    """Return a lane for each task so that none overlap, and how many lanes there are."""
    lane = np.zeros(start_ms.size, dtype=np.int64)
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    used = 0
    for at in np.lexsort((end_ms, start_ms)).tolist():
        begin = int(start_ms[at])
        while busy and busy[0][0] <= begin:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            mine = heapq.heappop(free)
        else:
            mine, used = used, used + 1
        if used > MOST_LANES:
            return lane, used
        lane[at] = mine
        heapq.heappush(busy, (int(end_ms[at]), mine))
    return lane, used


def spans_of(tasks: TaskColumns, chosen: Int64, row: int) -> TaskColumns:
    """Return the stretches in which any of the tasks runs, as one bar each in one row."""
    order = chosen[np.argsort(tasks.start_ms[chosen], kind="stable")]
    start, end = tasks.start_ms[order], tasks.end_ms[order]
    reach = np.maximum.accumulate(end)
    first = np.flatnonzero(np.concatenate(([True], start[1:] > reach[:-1])))
    past = np.append(first[1:], order.size)
    part = taken(tasks, order[first], np.full(first.size, row, dtype=np.int64))
    critical = np.maximum.reduceat(tasks.critical[order], first)
    return replace(part, end_ms=reach[past - 1], folded=past - first, critical=critical)


def joined(parts: Sequence[TaskColumns]) -> TaskColumns:
    """Return the tasks of several parts, one after the other."""

    def column(name: str) -> Int64:
        arrays: list[Int64] = [getattr(part, name) for part in parts]
        return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64)

    names = ("stage", "group", "number", "card", "start_ms", "end_ms", "row", "folded", "critical")
    return TaskColumns(*(column(name) for name in names))
