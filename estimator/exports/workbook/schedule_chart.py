"""The native chart of the schedule, of at most 60 bars, and the full picture beside it where there is one."""

from __future__ import annotations

import io
from typing import Any

from estimator.exports.workbook.cells import FONT, Sheet
from estimator.exports.workbook.task_rows import LENGTH, START, TASK, TaskPlaces, TaskRows
from estimator.wording import Wording

MOST_BARS = 60
CHART_PIXELS = 560
SIDE = 11
_CHART_COLUMNS = 9
_LABEL, _BAR_START, _BAR_LENGTH = 26, 27, 28
"""Far right: what the chart shows where it does not show every row."""


def write_chart(sheet: Sheet, rows: TaskRows, unit: str, words: Wording, top: int, last_row: int) -> int:
    """Add the chart of all bars, or of the longest as its title says; return the row below it.

    `top`: the chart's first row, below those that are repeated on each printed page: they would show its slice.
    """
    total = len(rows.fixed.rows)
    places: TaskPlaces = rows.places
    if total <= MOST_BARS:
        first, last, columns = places.first_row, places.first_row + total - 1, (TASK, START, LENGTH)
        title = words.t("Schedule, {unit}", unit=unit)
    else:
        first, last, columns = _write_longest(sheet, rows, words)
        title = words.t(
            "The {shown} longest of {all} bars, {unit}",
            shown=words.number(MOST_BARS),
            all=words.number(total),
            unit=unit,
        )
    chart: Any = sheet.book.chart({"type": "bar", "subtype": "stacked"})
    categories = [sheet.name, first, columns[0], last, columns[0]]
    for number, (column, colour) in enumerate(((columns[1], None), (columns[2], "#0B5D7A"))):
        fill = {"none": True} if colour is None else {"color": colour}
        chart.add_series(
            {
                "name": words.t("Start") if number == 0 else words.t("Duration"),
                "categories": categories,
                "values": [sheet.name, first, column, last, column],
                "fill": fill,
                "border": {"none": True},
                "gap": 30,
            }
        )
    font = {"name": FONT, "size": 9}
    chart.set_title({"name": title, "name_font": {"name": FONT, "size": 11}, "overlay": False})
    chart.set_legend({"none": True})
    chart.set_y_axis({"reverse": True, "num_font": font, "major_gridlines": {"visible": False}})
    grid = {"visible": True, "line": {"color": "#D5D9DD"}}
    chart.set_x_axis({"num_font": font, "major_gridlines": grid, "min": 0, "label_position": "high"})
    height = max(220, 70 + 17 * (last - first + 1))
    chart.set_size({"width": CHART_PIXELS, "height": height})
    sheet.raw.insert_chart(top, SIDE, chart, {"description": title})
    below = top + 2 + height // 20
    # What lies further right feeds the chart and would only make the print smaller.
    sheet.raw.print_area(0, 0, max(below, last_row), SIDE + _CHART_COLUMNS)
    return below


def _write_longest(sheet: Sheet, rows: TaskRows, words: Wording) -> tuple[int, int, tuple[int, int, int]]:
    """Write the longest rows, in order of start, where the chart finds them side by side."""
    head = 3
    chosen = rows.fixed.longest(MOST_BARS)
    heads = (words.t("Bars of the chart"), words.t("Start"), words.t("Duration"))
    sheet.texts(head, _LABEL, heads, "head")
    sheet.raw.set_column(_LABEL, _LABEL, rows.label_width)
    sheet.raw.set_column(_BAR_START, _BAR_LENGTH, 12)
    for offset, at in enumerate(chosen):
        line = head + 1 + offset
        start, end = int(rows.replayed.starts[at]), int(rows.replayed.ends[at])
        sheet.text(line, _LABEL, rows.label(rows.fixed.rows[at]))
        for column, source, ms in ((_BAR_START, START, start), (_BAR_LENGTH, LENGTH, end - start)):
            sheet.formula(line, column, rows.places.ref(at, source), rows.value(ms), rows.number_format)
    return head + 1, head + len(chosen), (_LABEL, _BAR_START, _BAR_LENGTH)


def write_picture(sheet: Sheet, words: Wording, gantt_png: bytes | None, below: int) -> None:
    """Put the full picture under the chart; say where it is where there is none."""
    if gantt_png is None:
        sheet.text(2, 1, words.t("The full picture of the schedule is in the program."), "note")
        return
    sheet.text(
        2, 1, words.t("To the right: the chart, and below it the full picture of the schedule."), "note"
    )
    # A PNG starts with its signature and the header's length and name; then its width, four bytes.
    scale = CHART_PIXELS / max(1, int.from_bytes(gantt_png[16:20], "big"))
    options = {
        "image_data": io.BytesIO(gantt_png),
        "description": words.t("Schedule"),
        "x_scale": scale,
        "y_scale": scale,
    }
    sheet.raw.insert_image(below, SIDE, "schedule.png", options)
