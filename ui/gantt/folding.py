"""Charts with rows left out: a printed page, and groups of rows folded into one that shows their use.

A folded group keeps its heading's place. What is folded is said by keys of groups, which outlive the chart.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from ui.gantt.model import (
    BarFlag,
    Difference,
    GanttModel,
    GanttRow,
    Int64,
    Milestone,
    ResourceSteps,
    RowKind,
    Spans,
)

WORKING = frozenset({RowKind.CARD, RowKind.STATION})
FOLDED_CLASS = 1
OUTERMOST = -1_000


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A heading that can be folded, and the rows under it up to `past`."""

    key: str
    heading: int
    past: int


@dataclass(frozen=True, eq=False)
class FoldedChart:
    """What is shown of a chart, and of each bar shown its index in the whole one."""

    model: GanttModel
    kept: Int64

    def shown(self, index: int | None) -> int | None:
        """The index here of a bar of the whole chart; None where it is folded away."""
        if index is None:
            return None
        at = int(np.searchsorted(self.kept, index))
        return at if at < self.kept.size and self.kept[at] == index else None


def groups_of(model: GanttModel) -> tuple[RowGroup, ...]:
    """The groups that can be folded, in the order of their headings."""
    kept: tuple[RowGroup, ...] | None = model.__dict__.get("_groups")
    if kept is None:
        found: list[RowGroup] = []
        opened: list[int] = []
        for at, depth in enumerate([*(row.depth for row in model.rows), OUTERMOST]):
            while opened and model.rows[opened[-1]].depth >= depth:
                heading = opened.pop()
                if at > heading + 1:
                    found.append(RowGroup(model.rows[heading].group, heading, at))
            if at < len(model.rows) and model.rows[at].group:
                opened.append(at)
        kept = tuple(sorted(found, key=lambda group: group.heading))
        model.__dict__["_groups"] = kept
    return kept


def folded(model: GanttModel, closed: Set[str]) -> FoldedChart:
    """The chart with the rows of the closed groups away; the very chart where none is closed."""
    shut: list[RowGroup] = []
    for group in groups_of(model):
        if group.key in closed and not (shut and group.heading < shut[-1].past):
            shut.append(group)
    if not shut:
        return FoldedChart(model, np.arange(model.bars.count, dtype=np.int64))
    hidden = np.zeros(len(model.rows), dtype=np.bool_)
    for group in shut:
        hidden[group.heading + 1 : group.past] = True
    rows = np.flatnonzero(~hidden)
    at = {int(row): place for place, row in enumerate(rows.tolist())}
    part = _chosen(model, rows)
    heads = list(part.model.rows)
    milestones, differences = list(part.model.milestones), list(part.model.differences)
    steps = list(part.model.steps)
    for group in shut:
        place, inside = at[group.heading], range(group.heading + 1, group.past)
        milestones += [replace(one, row=place) for one in model.milestones if one.row in inside]
        differences += [replace(one, row=place) for one in model.differences if one.row in inside]
        use = _use_of(model, group)
        heads[place] = replace(heads[place], kind=RowKind.FOLDED)
        if use is not None:  # the text moves into the chart: a head has no room for both
            steps.append(replace(use, row=place, capacity_text=heads[place].use_text))
            heads[place] = replace(heads[place], use_text="", tip=heads[place].tip or heads[place].use_text)
    shown = replace(
        part.model,
        rows=tuple(heads),
        milestones=tuple(milestones),
        differences=tuple(differences),
        steps=tuple(steps),
    )
    return FoldedChart(shown, part.kept)


def rows_of(model: GanttModel, chosen: Sequence[int]) -> GanttModel:
    """The same chart with only the chosen rows, which must rise: a printed page.

    Bars keep their labels, not their indexes. Raises ValueError for rows out of order.
    """
    return _chosen(model, np.asarray(chosen, dtype=np.int64)).model


def _chosen(model: GanttModel, rows: Int64) -> FoldedChart:
    if np.any(np.diff(rows) <= 0):
        raise ValueError("rows must rise")
    new_row = np.full(len(model.rows), -1, dtype=np.int32)
    new_row[rows] = np.arange(rows.size, dtype=np.int32)
    place = new_row.tolist()
    bars, kept = _spans_in(model.bars, new_row)
    idle, kept_idle = _spans_in(model.idle, new_row)
    closed, _ = _spans_in(model.closed, new_row)

    def moved_steps(one: ResourceSteps) -> ResourceSteps:
        return replace(one, row=place[one.row])

    part = GanttModel(
        rows=tuple(model.rows[row] for row in rows.tolist()),
        bars=bars,
        colour_class=model.colour_class[kept],
        flags=model.flags[kept],
        group=model.group[kept],
        group_names=model.group_names,
        horizon_ms=model.horizon_ms,
        label=lambda index: model.label(int(kept[index])),
        detail=lambda index: model.detail(int(kept[index])),
        idle=idle,
        is_setup=model.is_setup[kept_idle],
        idle_text=lambda index: model.idle_text(int(kept_idle[index])),
        closed=closed,
        milestones=tuple(
            Milestone(place[one.row], one.at_ms, one.text) for one in model.milestones if place[one.row] >= 0
        ),
        steps=tuple(moved_steps(one) for one in model.steps if place[one.row] >= 0),
        differences=tuple(
            Difference(place[one.row], one.from_ms, one.to_ms, one.text, one.tone)
            for one in model.differences
            if place[one.row] >= 0
        ),
        limit=model.limit,
        part_of=(model, rows),
    )
    return FoldedChart(part, kept)


def _spans_in(spans: Spans, new_row: np.ndarray) -> tuple[Spans, Int64]:
    """The spans of rows that stay, still sorted because rows keep their order, and their former indexes."""
    kept = np.flatnonzero(new_row[spans.row] >= 0).astype(np.int64)
    return Spans(new_row[spans.row[kept]], spans.start_ms[kept], spans.end_ms[kept]), kept


def _use_of(model: GanttModel, group: RowGroup) -> ResourceSteps | None:
    """How many rows of a group are busy at each moment, of all that work; kept with the model."""
    cache: dict[str, ResourceSteps | None] = model.__dict__.setdefault("_uses", {})
    if group.key not in cache:
        cache[group.key] = _counted_use(model, group)
    return cache[group.key]


def _counted_use(model: GanttModel, group: RowGroup) -> ResourceSteps | None:
    inside: list[GanttRow] = list(model.rows[group.heading + 1 : group.past])
    working = sum(row.kind in WORKING for row in inside)
    first, past = np.searchsorted(model.bars.row, (group.heading + 1, group.past))
    if not working or first == past:
        return None
    start = np.sort(model.bars.start_ms[first:past])
    end = np.sort(model.bars.end_ms[first:past])
    both = np.sort(np.concatenate((start, end, [0])))
    times = both[np.append(True, both[1:] != both[:-1])]
    busy = np.searchsorted(start, times, side="right") - np.searchsorted(end, times, side="right")
    return ResourceSteps(
        row=group.heading,
        times_ms=np.append(times, times[-1]),
        used=busy.astype(np.float64),
        capacity=float(working),
        colour_class=FOLDED_CLASS,
        is_limit=False,
        critical=_critical_stretches(model, int(first), int(past)),
    )


def _critical_stretches(model: GanttModel, first: int, past: int) -> tuple[Int64, Int64] | None:
    """When any critical bar of [first, past) runs, as the fewest stretches."""
    chosen = first + np.flatnonzero(model.flags[first:past] & BarFlag.CRITICAL)
    if not chosen.size:
        return None
    chosen = chosen[np.argsort(model.bars.start_ms[chosen], kind="stable")]
    start = model.bars.start_ms[chosen]
    reach = np.maximum.accumulate(model.bars.end_ms[chosen])
    opens = np.flatnonzero(np.append(True, start[1:] > reach[:-1]))
    return start[opens], reach[np.append(opens[1:], start.size) - 1]
