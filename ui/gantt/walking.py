"""Where the arrow keys lead: from bar to bar in time and rows, and onto groups that are folded. Pure."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from ui.gantt.model import GanttModel, RowKind
from ui.gantt.view import GanttView


class Way(StrEnum):
    """A direction: in time, through the rows, or to either end of all."""

    EARLIER = "earlier"
    LATER = "later"
    UP = "up"
    DOWN = "down"
    FIRST = "first"
    LAST = "last"


Place = tuple[int | None, int | None]
"""A bar, or else the row of a folded group."""


def walked(model: GanttModel, view: GanttView, way: Way, at_ms: float) -> Place:
    """The bar or the folded group that a direction leads to; `at_ms` is the time kept while none is selected."""
    bars, index, row = model.bars, view.selected, view.row
    folded = [at for at, one in enumerate(model.rows) if one.kind is RowKind.FOLDED]
    if index is None and row is None:
        if not bars.count:
            return None, (folded[-1 if way is Way.LAST else 0] if folded else None)
        return (int(np.argmax(bars.end_ms)) if way is Way.LAST else int(np.argmin(bars.start_ms))), None
    if way in (Way.FIRST, Way.LAST):
        if not bars.count:
            return None, row
        return (int(np.argmax(bars.end_ms)) if way is Way.LAST else int(np.argmin(bars.start_ms))), None
    if index is None:
        return _in_rows(model, row or 0, way, at_ms, (None, row), folded)
    own = int(bars.row[index])
    if way in (Way.EARLIER, Way.LATER):
        other = index + (1 if way is Way.LATER else -1)
        return (other if 0 <= other < bars.count and bars.row[other] == own else index), None
    middle = (int(bars.start_ms[index]) + int(bars.end_ms[index])) / 2
    return _in_rows(model, own, way, middle, (index, None), folded)


def _in_rows(model: GanttModel, row: int, way: Way, at_ms: float, here: Place, folded: list[int]) -> Place:
    """The nearest row with bars or folded group above or below a row; `here` where there is none."""
    if way not in (Way.UP, Way.DOWN):
        return here
    bars, is_down = model.bars, way is Way.DOWN
    # The next row with bars lies just beyond the first or last bar of this one.
    edge = int(np.searchsorted(bars.row, row + 1 if is_down else row)) - (0 if is_down else 1)
    rows = [at for at in folded if (at > row if is_down else at < row)]
    nearest = (min if is_down else max)(rows, default=None)
    other = int(bars.row[edge]) if 0 <= edge < bars.count else None
    if nearest is not None and (other is None or (nearest < other if is_down else nearest > other)):
        return None, nearest
    if other is None:
        return here
    return _nearest(model, other, at_ms), None


def first_inside(model: GanttModel, heading: int, at_ms: float) -> int | None:
    """The bar at or nearest to a moment in the first row with bars under a heading; None without bars."""
    bars = model.bars
    edge = int(np.searchsorted(bars.row, heading + 1))
    return _nearest(model, int(bars.row[edge]), at_ms) if edge < bars.count else None


def _nearest(model: GanttModel, row: int, at_ms: float) -> int | None:
    """The bar of a row at a moment, or the one nearest to it however far."""
    period = float(model.bars.period_ms)
    return model.bars.at(row, min(at_ms, period - 1), period)
