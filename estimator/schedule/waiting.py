"""The tasks of a stage that wait for their turn: rows of equal tasks in lines that compete for the same things."""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from estimator.schedule.equal import blocks
from estimator.schedule.fleet import Fleet, Part, Slot
from estimator.schedule.problem import UNLIMITED, Policy
from estimator.schedule.streams import Span


@dataclass(slots=True)
class Row:
    """Equal tasks of a stage, numbered through the stage; `ready` are the spans that may start, rising."""

    group: int
    first: int
    last: int
    rank: int
    ready: list[Span] = field(default_factory=list)


@dataclass(slots=True)
class Line:
    """Rows that compete for the same things; `heads` is a heap of (rank, row) of those with tasks that may start."""

    part: Part
    areas: list[list[int]]
    rows: list[Row]
    slot: Slot | None
    heads: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class Waiting:
    """A stage under way."""

    index: int
    cap: int
    left: int
    not_ended: int
    lines: list[Line]
    calendar: int
    pauses: bool
    numbered: bool
    row_starts: list[tuple[int, int, int]] = field(default_factory=list)  # (first task, line, row), rising
    running: int = 0

    def add_ready(self, span: Span) -> None:
        """Let tasks start: cut the span by rows."""
        first, last = span
        place = bisect_right(self.row_starts, (first, len(self.lines), 0)) - 1
        while first < last:
            _, at, number = self.row_starts[place]
            line = self.lines[at]
            row = line.rows[number]
            end = min(last, row.last)
            if not row.ready:
                heapq.heappush(line.heads, (row.rank, number))
            if row.ready and row.ready[-1][1] == first:
                row.ready[-1] = (row.ready[-1][0], end)
            else:
                row.ready.insert(bisect_left(row.ready, (first, end)), (first, end))
            first, place = end, place + 1


class Lines:
    """Makes the lines of stages: in the order of their policy, or of `rank` for those to search."""

    def __init__(
        self,
        fleet: Fleet,
        pool_of_card: Sequence[int],
        rank: Sequence[int] | None,
    ) -> None:
        self._fleet = fleet
        self._pool_of_card = pool_of_card
        self._rank = rank
        self.first_of_group = _first_tasks(fleet)
        """Each group's first task, numbered through its stage."""

    def lines(self, stage: int) -> list[Line]:
        fleet, policy = self._fleet, self._fleet.problem.policy[stage]
        order = sorted(group for part in fleet.parts[stage] for group in part.groups)
        if policy is Policy.LONGEST_FIRST:
            order.sort(key=lambda group: -fleet.shortest[group])
        elif policy is Policy.BEST and self._rank is not None:
            order.sort(key=self._rank.__getitem__)
        rank = {group: place for place, group in enumerate(order)}
        lines: list[Line] = []
        for part in fleet.parts[stage]:
            groups = sorted(part.groups, key=rank.__getitem__)
            rows = [
                Row(group, first, first + fleet.count[group], rank[group])
                for group in groups
                for first in (self.first_of_group[group],)
            ]
            areas = [
                sorted({self._pool_of_card[card] for card in area.cards})
                for area in (fleet.areas(stage, part.models) if part.cards else ())
            ]
            if policy is Policy.BLOCKS and part.cards:
                lines += self._block_lines(part, rows, areas)
            else:
                lines.append(Line(part, areas, rows, None))
        return lines

    def _block_lines(self, part: Part, rows: list[Row], areas: list[list[int]]) -> list[Line]:
        cap = int(self._fleet.problem.tasks_at_once[part.stage])
        slots = self._fleet.slots(part)[: None if cap == UNLIMITED else cap]
        lines = []
        at = [row.first for row in rows]
        for slot, share in zip(
            slots, blocks([row.last - row.first for row in rows], len(slots)), strict=True
        ):
            mine = []
            for place, number in share:
                mine.append(Row(rows[place].group, at[place], at[place] + number, rows[place].rank))
                at[place] += number
            if mine:
                lines.append(Line(part, areas, mine, slot))
        return lines


def _first_tasks(fleet: Fleet) -> list[int]:
    """Return each group's first task, numbered through its stage."""
    reached: dict[int, int] = {}
    first = []
    for stage, number in zip(fleet.problem.stage.tolist(), fleet.count, strict=True):
        first.append(reached.get(stage, 0))
        reached[stage] = first[-1] + number
    return first
