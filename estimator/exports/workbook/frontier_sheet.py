"""The sheet of the frontier and the staircase: time and cost by number of cards, and of every plan, with charts.

What the program calculated; it does not follow the yellow cells, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from estimator.exports.workbook.cells import FONT, WHOLE, Sheet, money_format
from estimator.exports.workbook.schedule_sheet import ScheduleCells
from estimator.price import currency_digits
from estimator.results.estimate import Estimate, FrontierPoint, Step
from estimator.units import MS_PER_MINUTE
from estimator.wording import Wording
from estimator.wording.phrases import plan_name

MOST_POINTS = 500
_LABEL, _FIRST = 1, 4
_SIDE = 6
_CHART_ROWS = 17
"""Rows of the sheet that a chart covers."""
_SHOWN, _OTHER = "#0B5D7A", "#A9B4BD"
_GRID = {"visible": True, "line": {"color": "#D5D9DD"}}


@dataclass(frozen=True, slots=True)
class StaircaseRange:
    """Where the staircase stands, for charts on other sheets: rows from `first` to `last`; and what it says."""

    sheet: str
    first: int
    last: int
    unit: str
    useless: tuple[int, ...]


def write_frontier(
    sheet: Sheet, estimate: Estimate, times: ScheduleCells | None, words: Wording
) -> StaircaseRange | None:
    """Write both tables and their charts; return where the staircase stands, None where there is none."""
    sheet.widths(2, 48, 16, 16, 30, 2)
    sheet.text(0, _LABEL, words.t("Frontier and staircase"), "title")
    note = words.t("As calculated by Cabida; these figures do not follow the yellow cells.")
    sheet.text(1, _LABEL, note, "note")
    per_ms, unit = (MS_PER_MINUTE, "min") if times is None else (times.per_ms, times.unit)
    writer = _Frontier(sheet, estimate, per_ms, unit, words)
    if not estimate.staircase and not estimate.frontier:
        sheet.text(3, _LABEL, words.t("There is nothing to compare yet."))
        return None
    found = writer.staircase() if estimate.staircase else None
    writer.frontier(_FIRST if found is None else max(found.last + 4, _FIRST + _CHART_ROWS))
    sheet.raw.freeze_panes(2, 0)
    sheet.raw.repeat_rows(0, 1)
    return found


@dataclass(frozen=True, slots=True)
class _Frontier:
    sheet: Sheet
    estimate: Estimate
    per_ms: int
    unit: str
    words: Wording

    @property
    def currency(self) -> str:
        return self.estimate.quote.pricing.currency

    @property
    def money(self) -> str:
        return money_format(currency_digits(self.currency))

    def _time_format(self, found: tuple[Step, ...] | list[FrontierPoint]) -> str:
        return WHOLE if all(one.delivery_ms % self.per_ms == 0 for one in found) else "#,##0.0"

    def _heads(self, row: int, first: str) -> None:
        words, sheet = self.words, self.sheet
        plan = self.estimate.shown_plan
        net = words.t("Net, {currency}", currency=self.currency)
        if plan is not None and plan.is_sample:
            net = words.t("Net, {currency} (SAMPLE)", currency=self.currency)
        sheet.text(row, _LABEL, first, "head")
        sheet.texts(row, _LABEL + 1, (words.t("Delivery, {unit}", unit=self.unit), net), "head_right")
        sheet.text(row, _LABEL + 3, words.t("Reading"), "head")
        sheet.tall(row)

    def _row(self, row: int, delivery_ms: int, net: Decimal | None, number_format: str, said: str) -> None:
        sheet = self.sheet
        sheet.number(row, _LABEL + 1, Decimal(delivery_ms) / self.per_ms, number_format)
        if net is None:
            sheet.text(row, _LABEL + 2, self.words.unknown, "value")
        else:
            sheet.number(row, _LABEL + 2, net, self.money)
        sheet.text(row, _LABEL + 3, said, "wrapped_muted")

    def staircase(self) -> StaircaseRange:
        words, sheet, steps = self.words, self.sheet, self.estimate.staircase
        shown = self.estimate.shown
        cards = None if shown is None else shown.cards_required
        self._heads(_FIRST - 1, words.t("Cards"))
        number_format = self._time_format(steps)
        for place, step in enumerate(steps):
            row = _FIRST + place
            sheet.number(row, _LABEL, step.cards, WHOLE, "count")
            said = words.t("shown in this quote") if step.cards == cards else ""
            said = words.t("changes nothing") if step.useless else said
            self._row(row, step.delivery_ms, step.net, number_format, said)
        last = _FIRST + len(steps) - 1
        useless = tuple(step.cards for step in steps if step.useless)
        found = StaircaseRange(sheet.name, _FIRST, last, self.unit, useless)
        title = words.t("Net by number of cards, {currency}", currency=self.currency)
        if any(step.net is not None for step in steps):
            chart = staircase_chart(sheet, self.estimate, found, _LABEL + 2, title)
            chart.set_size({"width": 460, "height": 20 * _CHART_ROWS - 30})
            sheet.raw.insert_chart(_FIRST - 1, _SIDE, chart, {"description": title})
        return found

    def frontier(self, head: int) -> None:
        """Write the plans, those of the frontier first, each group in order of delivery."""
        words, sheet = self.words, self.sheet
        points = sorted(self.estimate.frontier, key=lambda one: one.dominated)[:MOST_POINTS]
        if not points:
            return
        self._heads(head, words.t("Plan"))
        number_format = self._time_format(points)
        on_it = sum(not point.dominated for point in points)
        for place, point in enumerate(points):
            row = head + 1 + place
            plan = self.estimate.plan(point.plan_id)
            name = point.plan_id if plan is None else plan_name(words, self.estimate.quote, plan)
            said = words.t("dominated") if point.dominated else words.t("on the frontier")
            if point.plan_id == self.estimate.shown_plan_id:
                said = words.t("{standing}, shown in this quote", standing=said)
            sheet.text(row, _LABEL, name, "wrapped")
            self._row(row, point.delivery_ms, point.net, number_format, said)
        left = len(self.estimate.frontier) - len(points)
        if left:
            text = words.t("and {count} more", count=words.number(left))
            sheet.text(head + 1 + len(points), _LABEL, text, "note")
        self._scatter(head, on_it, len(points))

    def _scatter(self, head: int, on_it: int, count: int) -> None:
        words, sheet = self.words, self.sheet
        chart: Any = sheet.book.chart({"type": "scatter"})
        font = {"name": FONT, "size": 9}
        for name, first, last, colour in (
            (words.t("On the frontier"), head + 1, head + on_it, _SHOWN),
            (words.t("Dominated"), head + 1 + on_it, head + count, _OTHER),
        ):
            if first > last:
                continue
            chart.add_series(
                {
                    "name": name,
                    "categories": [sheet.name, first, _LABEL + 1, last, _LABEL + 1],
                    "values": [sheet.name, first, _LABEL + 2, last, _LABEL + 2],
                    "marker": {
                        "type": "circle",
                        "size": 8,
                        "fill": {"color": colour},
                        "border": {"color": colour},
                    },
                }
            )
        title = words.t("Cost against delivery of every plan")
        chart.set_title({"name": title, "name_font": {"name": FONT, "size": 11}})
        chart.set_legend({"position": "bottom", "font": font})
        times = words.t("Delivery, {unit}", unit=self.unit)
        net = words.t("Net, {currency}", currency=self.currency)
        axis = {"num_font": font, "min": 0, "major_gridlines": _GRID}
        chart.set_x_axis({**axis, "name": times, "name_font": font})
        chart.set_y_axis({**axis, "name": net, "name_font": font})
        chart.set_size({"width": 460, "height": 20 * _CHART_ROWS - 30})
        sheet.raw.insert_chart(head, _SIDE, chart, {"description": title})


def staircase_chart(sheet: Sheet, estimate: Estimate, found: StaircaseRange, column: int, title: str) -> Any:
    """Return the chart of a column of the staircase, the shown number of cards in another colour."""
    shown = estimate.shown
    cards = None if shown is None else shown.cards_required
    # A label over each bar would cover its neighbour's: of equal times the first says it.
    is_time = column == _LABEL + 1
    custom = [{"delete": True} if is_time and step.useless else {} for step in estimate.staircase]
    points = [{"fill": {"color": _SHOWN if step.cards == cards else _OTHER}} for step in estimate.staircase]
    font = {"name": FONT, "size": 9}
    chart: Any = sheet.book.chart({"type": "column"})
    chart.add_series(
        {
            "categories": [found.sheet, found.first, _LABEL, found.last, _LABEL],
            "values": [found.sheet, found.first, column, found.last, column],
            "points": points,
            "gap": 40,
            "data_labels": {"value": True, "font": font, "custom": custom} if len(points) <= 12 else {},
        }
    )
    chart.set_title({"name": title, "name_font": {"name": FONT, "size": 11}})
    chart.set_legend({"none": True})
    chart.set_x_axis({"num_font": font})
    chart.set_y_axis({"num_font": font, "min": 0, "major_gridlines": _GRID})
    return chart


def write_staircase(
    sheet: Sheet, estimate: Estimate, found: StaircaseRange, row: int, side: int, words: Wording
) -> None:
    """Put the chart of time by number of cards on another sheet."""
    title = words.t("Delivery by number of cards, {unit}", unit=found.unit)
    chart = staircase_chart(sheet, estimate, found, _LABEL + 1, title)
    chart.set_size({"width": 350, "height": 275})
    sheet.raw.insert_chart(row, side, chart, {"description": title})
