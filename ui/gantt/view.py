"""Where a Gantt chart is looked at: zoom, scroll and row heights, and the way between pixels and bars.

Everything is in device-independent pixels and in milliseconds from the start; the functions are pure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ui.gantt.model import GanttModel, RowKind

LEAST_MS_PER_PIXEL = 50.0
LEAST_ROW_HEIGHT = 12.0
ROW_HEIGHT = 34.0
HEADING_SHARE = 24 / 34
LEAST_HEADING = 18.0
HIT_PIXELS = 3.0
SPARE_AT_THE_END = 1.05


@dataclass(frozen=True, slots=True)
class GanttView:
    """Zoom and scroll. `offset_ms` is the time at the chart's left edge, `top` the pixel row at its top.

    `selected` is a bar, `row` a folded group that has the focus instead of one.
    """

    ms_per_pixel: float
    offset_ms: float = 0.0
    top: float = 0.0
    row_height: float = ROW_HEIGHT
    selected: int | None = None
    row: int | None = None

    def x_of(self, time_ms: float) -> float:
        """Pixels from the chart's left edge."""
        return (time_ms - self.offset_ms) / self.ms_per_pixel

    def time_at(self, x: float) -> float:
        """Milliseconds at `x` pixels from the chart's left edge."""
        return self.offset_ms + x * self.ms_per_pixel


def shown_ms(model: GanttModel) -> float:
    """The time that a fitted chart covers: the horizon or a limit beyond it, and a little more."""
    last = max(model.horizon_ms, model.limit.at_ms if model.limit else 0)
    return max(60_000.0, last * SPARE_AT_THE_END)


def most_ms_per_pixel(model: GanttModel, width: float) -> float:
    """The zoom at which the whole chart fits a width."""
    return max(LEAST_MS_PER_PIXEL, shown_ms(model) / max(1.0, width))


def fit(model: GanttModel, width: float, view: GanttView | None = None) -> GanttView:
    """All of the time in `width` pixels; rows, scroll and selection stay."""
    scale = most_ms_per_pixel(model, width)
    return replace(view, ms_per_pixel=scale, offset_ms=0.0) if view else GanttView(scale)


def zoom_at(view: GanttView, x: float, factor: float, model: GanttModel, width: float) -> GanttView:
    """`factor` times closer (above 1) or farther, with the time under `x` staying where it is."""
    scale = view.ms_per_pixel / factor
    scale = min(max(scale, LEAST_MS_PER_PIXEL), most_ms_per_pixel(model, width))
    return clamp(replace(view, ms_per_pixel=scale, offset_ms=view.time_at(x) - x * scale), model, width, None)


def pan(view: GanttView, dx: float, dy: float, model: GanttModel, width: float, height: float) -> GanttView:
    """Moved by pixels: positive `dx` shows later times, positive `dy` lower rows; never past the ends."""
    moved = replace(view, offset_ms=view.offset_ms + dx * view.ms_per_pixel, top=view.top + dy)
    return clamp(moved, model, width, height)


def clamp(view: GanttView, model: GanttModel, width: float, height: float | None) -> GanttView:
    """The same view inside the chart; without a height the vertical scroll stays."""
    latest = max(0.0, shown_ms(model) - width * view.ms_per_pixel)
    offset = min(max(view.offset_ms, 0.0), latest)
    top = view.top
    if height is not None:
        top = min(max(top, 0.0), max(0.0, float(row_tops(model, view.row_height)[-1]) - height))
    return replace(view, offset_ms=offset, top=top)


def row_height_for(model: GanttModel, height: float, most: float = ROW_HEIGHT) -> float:
    """The row height at which all rows fit `height`, between the smallest readable one and `most`."""
    rows, headings, shut = _rows_above(model)[:, -1]
    if rows + headings + shut == 0:
        return most
    fitting = height / (rows + shut + headings * HEADING_SHARE)
    if fitting < LEAST_HEADING:  # headings and folded groups keep their height, the rest shares what is left
        fitting = (height - (headings + shut) * LEAST_HEADING) / rows if rows else LEAST_HEADING
    elif fitting * HEADING_SHARE < LEAST_HEADING:
        fitting = (height - headings * LEAST_HEADING) / (rows + shut) if rows + shut else most
    return float(min(most, max(LEAST_ROW_HEIGHT, fitting)))


def row_tops(model: GanttModel, row_height: float) -> NDArray[np.float64]:
    """Upper edge of each row from the top of the first, and the lower edge of the last (rows + 1 values).

    A heading is lower than a row, but neither it nor a folded group is too low for its text where rows can be
    read at all.
    """
    heading, shut_height = row_height * HEADING_SHARE, row_height
    if row_height >= LEAST_ROW_HEIGHT:
        heading, shut_height = max(heading, LEAST_HEADING), max(row_height, LEAST_HEADING)
    rows, headings, shut = _rows_above(model)
    tops: NDArray[np.float64] = rows * row_height + headings * heading + shut * shut_height
    return tops


def rows_in(tops: NDArray[np.float64], view: GanttView, height: float) -> tuple[int, int]:
    """First and past-the-last row that show in `height` pixels."""
    first = int(np.searchsorted(tops, view.top, side="right")) - 1
    last = int(np.searchsorted(tops, view.top + height, side="left"))
    return max(0, first), min(tops.size - 1, last)


def row_at(model: GanttModel, view: GanttView, y: float) -> int | None:
    """The row at `y` pixels below the axis."""
    tops = row_tops(model, view.row_height)
    row = int(np.searchsorted(tops, view.top + y, side="right")) - 1
    return row if 0 <= row < len(model.rows) else None


def bar_at(model: GanttModel, view: GanttView, x: float, y: float) -> int | None:
    """The bar at a point (right of the heads, below the axis), with 3 pixels of reach in time."""
    row = row_at(model, view, y)
    if row is None:
        return None
    return model.bars.at(row, view.time_at(x), HIT_PIXELS * view.ms_per_pixel)


def show_bar(model: GanttModel, view: GanttView, index: int, width: float, height: float) -> GanttView:
    """The least move that brings a bar into the chart."""
    start, end = float(model.bars.start_ms[index]), float(model.bars.end_ms[index])
    offset = view.offset_ms
    shown = width * view.ms_per_pixel
    if start < offset or end - start > shown:
        offset = start
    elif end > offset + shown:
        offset = end - shown
    moved = replace(view, offset_ms=offset)
    return show_row(model, moved, int(model.bars.row[index]), width, height)


def show_row(model: GanttModel, view: GanttView, row: int, width: float, height: float) -> GanttView:
    """The least move that brings a row into the chart."""
    tops = row_tops(model, view.row_height)
    top = min(view.top, float(tops[row]))
    top = max(top, float(tops[row + 1]) - height)
    return clamp(replace(view, top=top), model, width, height)


def _rows_above(model: GanttModel) -> NDArray[np.float64]:
    """How many rows, headings and folded groups stand above each row and all; kept, since frames ask often."""
    kept: NDArray[np.float64] | None = model.__dict__.get("_rows_above")
    if kept is None:
        kinds = [row.kind for row in model.rows]
        special = [RowKind.HEADING, RowKind.FOLDED]
        of_kind = np.array([[kind is one for kind in kinds] for one in special], dtype=np.float64)
        each = np.vstack((1.0 - of_kind.sum(axis=0), of_kind)).reshape(3, len(kinds))
        kept = np.concatenate((np.zeros((3, 1)), np.cumsum(each, axis=1)), axis=1)
        kept.setflags(write=False)
        model.__dict__["_rows_above"] = kept
    return kept
