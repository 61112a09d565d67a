"""What a Gantt chart shows, as frozen columns sorted by row and start.

Times are integer milliseconds from the start of the plan. Rows are lanes: bars of one row never overlap (a
card that several tasks share is split into lanes by whoever builds the model). The model knows no pixel, no
colour and no language; its texts arrive ready to read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntFlag, StrEnum
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)
MOST_PEAKS = 65_536


class RowKind(StrEnum):
    """What a row stands for; it decides the row's height and its icon. FOLDED: a heading with its rows away."""

    CARD = "card"
    STATION = "station"
    GATE = "gate"
    RESOURCE = "resource"
    HEADING = "heading"
    FOLDED = "folded"


class Tone(StrEnum):
    """How a text is meant; the look turns it into a colour."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"


class BarFlag(IntFlag):
    """Marks of a bar: something wrong with it, or on the critical path."""

    PROBLEM = 1
    CRITICAL = 2


@dataclass(frozen=True, slots=True)
class GanttRow:
    """One row. `use_text` stands at the right of the head ("89 %"), in a heading at the far right.

    `group` is the key of the rows that a heading opens and can fold away: those that follow at a greater
    `depth` than its own. `tip` is what the pointer reads on the head.
    """

    kind: RowKind
    name: str
    use_text: str = ""
    icon: str = ""
    tone: Tone = Tone.PLAIN
    group: str = ""
    depth: int = 0
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Milestone:
    """A moment in a row, drawn as a diamond with its text beside it."""

    row: int
    at_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """An arrow from one moment to another in a row, such as "48 min earlier"."""

    row: int
    from_ms: int
    to_ms: int
    text: str
    tone: Tone = Tone.GOOD


@dataclass(frozen=True, slots=True)
class Limit:
    """The customer's limit: a dashed line through all rows, with its text in the axis."""

    at_ms: int
    text: str
    late: bool = False


@dataclass(frozen=True, eq=False)
class ResourceSteps:
    """Use of a shared resource: `used[i]` holds from `times_ms[i]` to `times_ms[i + 1]`.

    `is_limit`: the capacity is one that binds, and not just all there is. `critical`: starts and ends of the
    stretches in which something runs that makes the delivery, none touching the next.
    """

    row: int
    times_ms: Int64
    used: NDArray[np.float64]
    capacity: float
    text: str = ""
    capacity_text: str = ""
    colour_class: int = 5
    is_limit: bool = True
    critical: tuple[Int64, Int64] | None = None

    def __post_init__(self) -> None:
        if self.times_ms.size != self.used.size + 1:
            raise ValueError("steps need one time more than values")
        if np.any(np.diff(self.times_ms) < 0):
            raise ValueError("times of steps must not go back")

    @cached_property
    def highest(self) -> float:
        """The highest use; 0 where there is none."""
        return float(self.used.max(initial=0.0))

    @cached_property
    def peaks(self) -> tuple[tuple[NDArray[np.float64], ...], int]:
        """The highest use inside equal bins of time, each level's twice as long as the former's, and the first
        bin's length in ms: for pictures with more steps than pixels.
        """
        count = 1 << max(0, (min(MOST_PEAKS, self.used.size) - 1).bit_length())
        start, end = int(self.times_ms[0]), int(self.times_ms[-1])
        bin_ms = max(1, -(-(end - start) // count))
        edges = start + np.arange(count, dtype=np.int64) * bin_ms
        begins = self.times_ms[:-1]
        # The step in force at the edge, and those without length that stand on it.
        first = np.searchsorted(begins, edges, side="left")
        first = np.maximum(np.minimum(first, np.searchsorted(begins, edges, side="right") - 1), 0)
        past = np.maximum(np.searchsorted(begins, edges + bin_ms, side="left"), first + 1)
        pairs = np.column_stack((first, past)).ravel()
        levels = [np.maximum.reduceat(np.append(self.used, 0.0), pairs)[::2]]
        levels[0][edges >= end] = 0.0
        while levels[-1].size > 256:
            levels.append(np.maximum(levels[-1][0::2], levels[-1][1::2]))
        return tuple(levels), bin_ms


@dataclass(frozen=True, eq=False)
class Spans:
    """Columns (row, start, end) sorted by row and start, without overlap inside a row."""

    row: NDArray[np.int32]
    start_ms: Int64
    end_ms: Int64

    def __post_init__(self) -> None:
        if not self.row.size == self.start_ms.size == self.end_ms.size:
            raise ValueError("columns of spans differ in length")
        if self.row.size == 0:
            return
        if self.row.min() < 0 or self.start_ms.min() < 0 or np.any(self.end_ms < self.start_ms):
            raise ValueError("a span has a negative row, starts before zero or ends before its start")
        same_row = self.row[1:] == self.row[:-1]
        if np.any(self.row[1:] < self.row[:-1]) or np.any(same_row & (self.start_ms[1:] < self.end_ms[:-1])):
            raise ValueError("spans must be sorted by row and start and must not overlap inside a row")

    @property
    def count(self) -> int:
        """How many spans there are."""
        return int(self.row.size)

    @cached_property
    def period_ms(self) -> int:
        """One more than the last end: keys of different rows can never meet."""
        return int(self.end_ms.max()) + 1 if self.count else 1

    @cached_property
    def start_key(self) -> Int64:
        """`row * period + start`, ascending over all rows: one binary search serves every row."""
        return self.row.astype(np.int64) * self.period_ms + self.start_ms

    @cached_property
    def end_key(self) -> Int64:
        """`row * period + end`, ascending as well, because spans of a row do not overlap."""
        return self.row.astype(np.int64) * self.period_ms + self.end_ms

    def ranges(self, first_row: int, last_row: int, from_ms: float, to_ms: float) -> tuple[Int64, Int64]:
        """First and past-the-last index, a pair a row, of spans with start < `to_ms` and end > `from_ms`."""
        rows = np.arange(first_row, last_row, dtype=np.int64) * self.period_ms
        low = int(np.clip(np.floor(from_ms), -1, self.period_ms - 1))
        high = int(np.clip(np.ceil(to_ms), 0, self.period_ms))
        first = np.searchsorted(self.end_key, rows + low, side="right")
        last = np.searchsorted(self.start_key, rows + high, side="left")
        return first.astype(np.int64), np.maximum(first, last).astype(np.int64)

    def window(self, first_row: int, last_row: int, from_ms: float, to_ms: float) -> Int64:
        """Indexes of the spans of rows `first_row` to `last_row - 1` that show between two times."""
        first, last = self.ranges(first_row, last_row, from_ms, to_ms)
        counts = last - first
        before = np.cumsum(counts) - counts
        return np.repeat(first - before, counts) + np.arange(int(counts.sum()), dtype=np.int64)

    def at(self, row: int, time_ms: float, tolerance_ms: float = 0.0) -> int | None:
        """Index of the span of `row` with start ≤ `time_ms` < end, else of the nearest one within reach."""
        key = row * self.period_ms + int(np.clip(np.floor(time_ms), -1, self.period_ms - 1))
        after = int(np.searchsorted(self.start_key, key, side="right"))
        best, best_distance = None, tolerance_ms
        for index in (after - 1, after):
            if not 0 <= index < self.count or self.row[index] != row:
                continue
            start, end = int(self.start_ms[index]), int(self.end_ms[index])
            if start <= time_ms < end:
                return index
            distance = start - time_ms if time_ms < start else time_ms - end
            if distance <= best_distance and tolerance_ms > 0:
                best, best_distance = index, distance
        return best


def _no_text(_index: int) -> str:
    return ""


def _no_spans() -> Spans:
    empty = np.zeros(0, dtype=np.int64)
    return Spans(empty.astype(np.int32), empty, empty)


@dataclass(frozen=True, eq=False)
class GanttModel:
    """A chart: rows, bars as columns, and what is drawn over and under them."""

    rows: tuple[GanttRow, ...]
    bars: Spans
    colour_class: NDArray[np.uint8]
    flags: NDArray[np.uint8]
    group: NDArray[np.int32]
    group_names: tuple[str, ...]
    horizon_ms: int
    label: Callable[[int], str] = _no_text
    detail: Callable[[int], str] = _no_text
    idle: Spans = field(default_factory=_no_spans)
    is_setup: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """Of each span of unused time whether the card is being set up in it."""
    idle_text: Callable[[int], str] = _no_text
    closed: Spans = field(default_factory=_no_spans)
    """When nothing may run in a row: outside working hours, or once its card is taken away."""
    milestones: tuple[Milestone, ...] = ()
    steps: tuple[ResourceSteps, ...] = ()
    differences: tuple[Difference, ...] = ()
    limit: Limit | None = None
    part_of: tuple[GanttModel, Int64] | None = None
    """The chart that this one is a part of, and the row there of each row here, -1 for none."""

    def __post_init__(self) -> None:
        count = self.bars.count
        if self.is_setup.size != self.idle.count:
            raise ValueError("columns of unused time differ in length")
        if not count == self.colour_class.size == self.flags.size == self.group.size:
            raise ValueError("columns of bars differ in length")
        if count and int(self.bars.row[-1]) >= len(self.rows):
            raise ValueError("a bar stands in a row that is not there")
        if count and (self.colour_class.min() < 1 or self.colour_class.max() > 7):
            raise ValueError("colour classes go from 1 to 7")
        if self.horizon_ms < 0:
            raise ValueError("the horizon lies before the start")

    @cached_property
    def headings(self) -> Int64:
        """Rows that are headings."""
        found = [at for at, row in enumerate(self.rows) if row.kind is RowKind.HEADING]
        return np.array(found, dtype=np.int64)

    @cached_property
    def has_problems(self) -> bool:
        """Whether something is wrong with any bar."""
        return bool((self.flags & BarFlag.PROBLEM).any())

    @cached_property
    def has_critical(self) -> bool:
        """Whether any bar is on the critical path."""
        return bool((self.flags & BarFlag.CRITICAL).any())

    def group_name(self, index: int) -> str:
        """Name of the bar's group (its stage or its lot)."""
        return self.group_names[int(self.group[index])] if self.group_names else ""


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One line of a legend: class 0 stands for unused time, the named ones below for theirs."""

    colour_class: int
    text: str


SETUP_CLASS = -1
CRITICAL_CLASS = -2
CLOSED_CLASS = -3


def legend(
    model: GanttModel, unused: str = "", setup: str = "", critical: str = "", closed: str = ""
) -> tuple[LegendEntry, ...]:
    """Groups with their colour class, in order of their number; then what of the rest is there and named."""
    entries = []
    if model.group_names and model.bars.count:
        numbers, first = np.unique(model.group, return_index=True)
        entries = [
            LegendEntry(int(model.colour_class[where]), model.group_names[int(number)])
            for number, where in zip(numbers, first, strict=True)
        ]
    if unused and model.idle.count > int(model.is_setup.sum()):
        entries.append(LegendEntry(0, unused))
    if setup and model.is_setup.any():
        entries.append(LegendEntry(SETUP_CLASS, setup))
    if closed and model.closed.count:
        entries.append(LegendEntry(CLOSED_CLASS, closed))
    if critical and model.has_critical:
        entries.append(LegendEntry(CRITICAL_CLASS, critical))
    return tuple(entries)


def sorted_spans(
    row: Sequence[int] | NDArray[np.integer],
    start_ms: Sequence[int] | NDArray[np.integer],
    end_ms: Sequence[int] | NDArray[np.integer],
) -> tuple[Spans, Int64]:
    """Spans from columns in any order, and the order that sorted them (new position -> old position)."""
    rows = np.asarray(row, dtype=np.int32)
    starts, ends = np.asarray(start_ms, dtype=np.int64), np.asarray(end_ms, dtype=np.int64)
    order = np.lexsort((ends, starts, rows)).astype(np.int64)
    return Spans(_locked(rows[order]), _locked(starts[order]), _locked(ends[order])), order


def build_model(
    rows: Sequence[GanttRow],
    *,
    row: Sequence[int] | NDArray[np.integer] = (),
    start_ms: Sequence[int] | NDArray[np.integer] = (),
    end_ms: Sequence[int] | NDArray[np.integer] = (),
    colour_class: Sequence[int] | NDArray[np.integer] | None = None,
    group: Sequence[int] | NDArray[np.integer] | None = None,
    group_names: Sequence[str] = (),
    flags: Sequence[int] | NDArray[np.integer] | None = None,
    label: Callable[[int], str] = _no_text,
    detail: Callable[[int], str] = _no_text,
    idle: tuple[Int64, Int64, Int64] | None = None,
    is_setup: NDArray[np.bool_] | None = None,
    idle_text: Callable[[int], str] = _no_text,
    closed: tuple[Int64, Int64, Int64] | None = None,
    milestones: Sequence[Milestone] = (),
    steps: Sequence[ResourceSteps] = (),
    differences: Sequence[Difference] = (),
    limit: Limit | None = None,
    horizon_ms: int | None = None,
) -> GanttModel:
    """A model from columns in any order; the texts are asked with the caller's own positions.

    `idle` and `closed` hold the columns row, start and end of unused and of closed time. The horizon, if not given,
    is the last moment of anything shown.
    Raises ValueError for columns that do not fit together or for bars that overlap inside a row.
    """
    bars, order = sorted_spans(row, start_ms, end_ms)
    idle_spans, idle_order = sorted_spans(*(idle or ((), (), ())))
    setting_up = np.zeros(idle_spans.count, dtype=np.bool_) if is_setup is None else is_setup[idle_order]
    classes = np.ones(bars.count) if colour_class is None else np.asarray(colour_class)
    groups = np.zeros(bars.count) if group is None else np.asarray(group)
    marks = np.zeros(bars.count) if flags is None else np.asarray(flags)
    if horizon_ms is None:
        moments = [0, *(m.at_ms for m in milestones), *(int(s.times_ms[-1]) for s in steps)]
        moments += [spans.period_ms - 1 for spans in (bars, idle_spans)]
        horizon_ms = max(moments)
    return GanttModel(
        rows=tuple(rows),
        bars=bars,
        colour_class=_locked(classes.astype(np.uint8)[order]),
        flags=_locked(marks.astype(np.uint8)[order]),
        group=_locked(groups.astype(np.int32)[order]),
        group_names=tuple(group_names),
        horizon_ms=horizon_ms,
        label=lambda index: label(int(order[index])),
        detail=lambda index: detail(int(order[index])),
        idle=idle_spans,
        is_setup=_locked(setting_up),
        idle_text=lambda index: idle_text(int(idle_order[index])),
        closed=sorted_spans(*(closed or ((), (), ())))[0],
        milestones=tuple(milestones),
        steps=tuple(steps),
        differences=tuple(differences),
        limit=limit,
    )


def _locked(column: NDArray[Number]) -> NDArray[Number]:
    column.setflags(write=False)
    return column
