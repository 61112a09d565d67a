"""Cost against delivery of every priced plan: a picture, and the same points as a table (Ctrl+T).

Points are the estimate's; the picture only places them. Costs far apart stand on a logarithmic scale.
"""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from estimator.quote import Pricing
from estimator.results.estimate import Estimate
from estimator.units import MS_PER, TimeUnit
from estimator.wording import Wording
from estimator.wording.phrases import total_head
from ui.models.table import Column
from ui.pages.changing_table import ChangingTableModel
from ui.pages.charts import Chart, axis_unit, plotting
from ui.pages.cost_frontier_rows import PointRow, budget_of, choice_rows, point_rows
from ui.pages.cost_views import CostView, currency_sign, muted_label, total_axis
from ui.theme import TextRole, Theme

_WIDE = 20
"""Costs whose ratio is above this are drawn on a logarithmic scale."""
_AXIS_PX = 48
"""About what an axis and its texts take of the picture."""
_PADDING = 0.03
"""Margin of the delivery axis at both ends, as a share of its length."""
_MARGIN = 0.08
"""Margin of the cost axis at both ends, as a share of its length."""
_REACH = 14.0
"""How near to a point a click has to be, in pixels."""
_BESIDE = 8
"""Pixels between what a choice holds and its button."""
_STEPS = (1, 2, 5, 10, 15, 20, 30, 50, 60)


class FrontierView(CostView):
    """The picture of the points or their table; a click on a point, or Enter on its row, chooses its plan.

    Of a choice that is no plan it is said what it holds, beside a button: `choice_asked(delivery in ms)`.
    `choice_said(label)`: it is said now, below the picture and perhaps out of sight.
    """

    choice_asked = Signal(object)
    choice_said = Signal(QWidget)

    def __init__(self, words: Wording, theme: Theme) -> None:
        model = ChangingTableModel(_columns(words, Pricing(), False), words, theme)
        name = words.t("Cost against delivery")
        super().__init__(words, theme, words.t("Frontier"), model, table_name=name)
        self._words = words
        self._theme = theme
        self._estimate: Estimate | None = None
        self._rows: tuple[PointRow, ...] = ()
        self._unit = TimeUnit.MINUTE
        self._logarithmic = False
        self.said = muted_label(theme)
        self._asked_ms = 0
        self.open_choice = QPushButton(words.t("Open as an organisation"))
        self.open_choice.clicked.connect(lambda: self.choice_asked.emit(self._asked_ms))
        below = QHBoxLayout()
        below.setSpacing(_BESIDE)
        below.addWidget(self.said, 1)
        below.addWidget(self.open_choice)
        self.column.addLayout(below)
        self._say(None)
        self.table.opened.connect(self._row_opened)
        self._chart: Chart | None = None

    def show_estimate(self, estimate: Estimate) -> None:
        self._estimate = estimate
        self._rows = (*point_rows(self._words, estimate), *choice_rows(self._words, estimate))
        pricing = estimate.quote.pricing
        self.model.show_table(_columns(self._words, pricing, budget_of(estimate) is not None), self._rows)
        self.fit_table()
        self._say(None)
        if self._rows:
            self._draw()
        self.set_empty("" if self._rows else self._words.t("No plan has a total yet."))

    def point_at(self, index: int) -> QPointF:
        """Return where a point stands in the picture, in its pixels."""
        row = self._rows[index]
        if self._chart is None:
            return QPointF()
        across = row.delivery_ms / MS_PER[self._unit]
        return self._chart.pixels(across, _height(row.cost, self._logarithmic))

    def _open(self, row: PointRow) -> None:
        """Choose the plan of a point; of a choice that is no plan say what it holds."""
        if row.plan_id:
            self.plan_asked.emit(row.plan_id)
        self._say(row)
        if row.holds:
            self.choice_said.emit(self.said)

    def _row_opened(self, index: int) -> None:
        self._open(self._rows[index])
        if not self.open_choice.isHidden():
            self.open_choice.setFocus(Qt.FocusReason.OtherFocusReason)

    def _say(self, row: PointRow | None) -> None:
        holds = "" if row is None else row.holds
        had_focus = self.open_choice.hasFocus()
        self._asked_ms = 0 if row is None else row.delivery_ms
        self.said.setText(holds)
        self.said.setVisible(bool(holds))
        self.open_choice.setVisible(bool(holds))
        self._give_room()
        if had_focus and not holds:
            (self.picture if self.shows_picture and self.picture else self.table).setFocus(
                Qt.FocusReason.OtherFocusReason
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._give_room()

    def _give_room(self) -> None:
        """Give what a choice holds the height of its lines: the frame asks no view for its height at a width."""
        width = self.width() - self.open_choice.sizeHint().width() - _BESIDE
        self.said.setMinimumHeight(self.said.heightForWidth(max(1, width)) if self.said.text() else 0)

    def stops(self) -> list[QWidget]:
        return [*super().stops(), self.open_choice]

    def _clicked(self, at: QPointF) -> None:
        near = [
            (math.hypot(point.x() - at.x(), point.y() - at.y()), index)
            for index, point in enumerate(self.point_at(each) for each in range(len(self._rows)))
        ]
        distance, index = min(near, default=(math.inf, 0))
        if distance <= _REACH:
            self._open(self._rows[index])

    def _draw(self) -> None:
        if self._chart is None:
            name = self._words.t("Picture of cost against delivery; the table holds the same points")
            self._chart = Chart(self._words, self._theme, name, self._paint)
            self._chart.clicked.connect(self._clicked)
            self._chart.resized.connect(self._chart.draw)
            self.set_picture(self._chart)
        self._chart.draw()

    def _paint(self, plot: Any) -> None:
        if self._estimate is None or self._chart is None or not self._rows:
            return
        costs = [row.cost for row in self._rows]
        logarithmic = self._logarithmic = min(costs) > 0 and max(costs) / min(costs) > _WIDE
        limit = self._estimate.quote.workload.limit
        limit_ms = None if limit is None else limit.ms
        longest = max([row.delivery_ms for row in self._rows] + ([limit_ms] if limit_ms else []))
        self._unit = axis_unit(longest)
        budget = budget_of(self._estimate)
        highest = max([*costs, *([budget] if budget is not None else [])])
        bottom, top, ticks = _scale(self._words, min(costs), highest, logarithmic)
        right, across = _time_axis(self._words, longest / MS_PER[self._unit])
        plot.getAxis("left").setTicks([ticks])
        plot.getAxis("bottom").setTicks([across])
        plot.showGrid(x=False, y=True, alpha=0.35)
        plot.setXRange(0, right, padding=_PADDING)
        plot.setYRange(bottom, top, padding=_MARGIN)
        self._chart.label("bottom", self._words.t("delivery, {unit}", unit=self._unit.value))
        self._say_axis(logarithmic)
        if limit_ms is not None:
            self._paint_limit(limit_ms / MS_PER[self._unit], right)
        if budget is not None:
            self._paintbudget_of(budget, logarithmic)
        self._paint_points(plot, logarithmic, right, bottom, top - bottom)

    def _say_axis(self, logarithmic: bool) -> None:
        estimate = self._estimate
        if estimate is None:
            return
        pricing = estimate.quote.pricing
        if budget_of(estimate) is not None:
            text = total_axis(self._words, pricing)
        else:
            text = self._words.t("{currency} net", currency=currency_sign(pricing.currency))
        if logarithmic:
            text = self._words.t("{axis}, logarithmic scale", axis=text)
        if any(row.dominated for row in self._rows):
            text = self._words.t("{axis}; a cross: another plan is no dearer and no later", axis=text)
        if any(row.holds for row in self._rows):
            text = self._words.t("{axis}; a diamond: a choice of lots that is no plan here", axis=text)
        plans = [estimate.plan(row.plan_id) for row in self._rows if row.plan_id]
        if all(plan is not None and plan.proven for plan in plans):
            text = self._words.t("{axis}. Proven cheapest.", axis=text)
        self.note.setText(text)

    def _paint_limit(self, at: float, right: float) -> None:
        if self._chart is None:
            return
        late = plotting().LinearRegionItem(
            (at, right * 2), movable=False, brush=self._theme.color("err_soft"), pen=QPen(Qt.PenStyle.NoPen)
        )
        late.setZValue(-20)
        self._chart.plot.addItem(late, ignoreBounds=True)
        self._chart.add_line(at, upright=True)

    def _paintbudget_of(self, budget: Decimal, logarithmic: bool) -> None:
        if self._chart is None or self._estimate is None:
            return
        at = _height(budget, logarithmic)
        self._chart.add_line(at, upright=False, role="warn")
        amount = self._words.money(budget, self._estimate.quote.pricing.currency)
        text = self._words.t("budget {amount}", amount=amount)
        self._chart.add_text(text, 0, at, role="warn", anchor=(0.0, 1.0))

    def _paint_points(self, plot: Any, logarithmic: bool, right: float, bottom: float, tall: float) -> None:
        library, unit = plotting(), MS_PER[self._unit]
        line = [
            (row.delivery_ms / unit, _height(row.cost, logarithmic))
            for row in self._rows
            if not row.dominated and row.plan_id
        ]
        xs, ys = _stairs(line)
        pen = QPen(self._theme.color("accent"), 1.4)
        pen.setCosmetic(True)
        plot.addItem(library.PlotDataItem(xs, ys, pen=pen))
        marks = [(row.delivery_ms / unit, _height(row.cost, logarithmic)) for row in self._rows]
        for row, (x, y) in zip(self._rows, marks, strict=True):
            crossed = row.dominated and not row.shown
            mark = QPen(self._theme.color("muted" if crossed else "accent"), 1.6)
            mark.setCosmetic(True)
            fill = self._theme.color("accent" if row.shown else "muted" if crossed else "surface")
            symbol = "d" if not row.plan_id else "x" if crossed else "o"
            plot.addItem(library.ScatterPlotItem([x], [y], symbol=symbol, size=11, pen=mark, brush=fill))
        self._label_points(marks, right, bottom, tall)

    def _label_points(
        self, marks: list[tuple[float, float]], right: float, bottom: float, tall: float
    ) -> None:
        """Name the points that have room for it, the shown one first; the table names them all.

        Names never stand on each other or on a point. That of the plan shown or of one on the frontier may
        stand on a line where there is no other room, and then covers it.
        """
        if self._chart is None:
            return
        metrics = QFontMetrics(self._theme.font(TextRole.SECONDARY))
        width, height = max(1, self.stack.width() - _AXIS_PX), max(1, self.stack.height() - _AXIS_PX)
        points = [QPointF(_across(x, right, width), _up((y - bottom) / tall, height)) for x, y in marks]
        taken = [QRectF(point.x() - 7, point.y() - 7, 14, 14) for point in points]
        lines = _stair_room(
            [at for at, row in zip(points, self._rows, strict=True) if not row.dominated and row.plan_id]
        )
        lines += self._label_limit(taken, right, QSizeF(width, height), bottom, tall)
        order = sorted(
            range(len(points)), key=lambda at: (not self._rows[at].shown, self._rows[at].dominated)
        )
        whole = QRectF(0, 0, width, height)
        for at in order:
            row, (x, y) = self._rows[at], marks[at]
            text = f"{row.label}, {row.cost_text}"
            size = QSizeF(metrics.horizontalAdvance(text) + 8, metrics.height() + 2)
            inside = [place for place in _places(points[at], size) if whole.contains(place[0])]
            free = [place for place in inside if not _hits(place[0], taken)]
            if row.shown:  # it is always named
                free = free or inside
            place = min(free, key=lambda one: _hits(one[0], lines), default=None)
            crosses = place is not None and _hits(place[0], lines) > 0
            if place is None or (crosses and row.dominated and not row.shown):
                continue
            box, anchor = place
            taken.append(box)
            role = "text" if row.shown or not row.dominated else "muted"
            shift = {1.0: -9.0, 0.0: 9.0}.get(anchor[0], 0.0) / width * right
            self._chart.add_text(text, x + shift, y, role=role, anchor=anchor, filled=crosses)

    def _label_limit(
        self, taken: list[QRectF], right: float, size: QSizeF, bottom: float, tall: float
    ) -> list[QRectF]:
        """Name the limit's line where no point stands, take that room, and return the line's own."""
        limit = None if self._estimate is None else self._estimate.quote.workload.limit
        if limit is None or limit.ms is None or self._chart is None:
            return []
        metrics = QFontMetrics(self._theme.font(TextRole.SECONDARY))
        text = self._words.t("limit {limit}", limit=self._words.duration(limit.ms))
        wide, high = metrics.horizontalAdvance(text) + 10, metrics.height() + 4
        at = limit.ms / MS_PER[self._unit]
        x = _across(at, right, round(size.width()))
        top = _up(1.0, round(size.height())) - high
        places = [
            (QRectF(x - (wide if left else 0), y, wide, high), (1.0 if left else 0.0, 0.5))
            for y in (top, 0.0, 0.75 * top, 0.5 * top, 0.25 * top)
            for left in (at > right / 2, at <= right / 2)
        ]
        inside = [one for one in places if one[0].left() >= 0 and one[0].right() <= size.width()]
        room, anchor = min(inside or places, key=lambda one: _hits(one[0], taken))
        taken.append(room)
        share = room.center().y() / size.height() * (1 + 2 * _MARGIN) - _MARGIN
        self._chart.add_text(text, at, bottom + share * tall, role="err", anchor=anchor)
        return [QRectF(x - 2, 0, 4, size.height())]


_Anchor = tuple[float, float]


def _across(at: float, right: float, width: int) -> float:
    """Return the pixels from the left of a value of the delivery axis, which has a margin at both ends."""
    return (at / right + _PADDING) / (1 + 2 * _PADDING) * width


def _up(share: float, height: int) -> float:
    """Return the pixels from below of a share of the cost axis, which has a margin at both ends."""
    return (share + _MARGIN) / (1 + 2 * _MARGIN) * height


def _places(point: QPointF, size: QSizeF) -> list[tuple[QRectF, _Anchor]]:
    """Return where the name of a point may stand, the best place first."""
    left, right = point.x() - 9 - size.width(), point.x() + 9
    middle, above, below = point.y() - size.height() / 2, point.y() + 2, point.y() - 2 - size.height()
    return [
        (QRectF(QPointF(left, middle), size), (1.0, 0.5)),
        (QRectF(QPointF(right, middle), size), (0.0, 0.5)),
        (QRectF(QPointF(right, above), size), (0.0, 1.0)),
        (QRectF(QPointF(right, below), size), (0.0, 0.0)),
        (QRectF(QPointF(left, above), size), (1.0, 1.0)),
        (QRectF(QPointF(left, below), size), (1.0, 0.0)),
        (QRectF(QPointF(point.x() - size.width() / 2, above + 6), size), (0.5, 1.3)),
    ]


def _stair_room(points: list[QPointF]) -> list[QRectF]:
    """Return the room of the steps between points of the frontier, two pixels to each side."""
    xs, ys = _stairs([(point.x(), point.y()) for point in points])
    corners = list(zip(xs, ys, strict=True))
    return [
        QRectF(QPointF(*before), QPointF(*after)).normalized().adjusted(-2, -2, 2, 2)
        for before, after in pairwise(corners)
    ]


def _hits(box: QRectF, taken: list[QRectF]) -> int:
    """Return how many of the rooms a box would stand on."""
    return sum(box.intersects(other) for other in taken)


def _columns(words: Wording, pricing: Pricing, gross: bool) -> tuple[Column[PointRow], ...]:
    shown = currency_sign(pricing.currency)
    head = total_head(words, pricing, shown) if gross else words.t("Net, {currency}", currency=shown)
    return (
        Column(
            words.t("Plan"),
            lambda row: row.name,
            bold=lambda row: row.shown,
            tooltip=lambda row: row.name,
            elide_middle=True,
        ),
        Column(
            words.t("Delivery"), lambda row: row.delivery, right=True, sort_key=lambda row: row.delivery_ms
        ),
        Column(head, lambda row: row.cost_text, right=True, sort_key=lambda row: row.cost),
        Column(words.t("Standing"), lambda row: row.standing),
    )


def _height(cost: Decimal, logarithmic: bool) -> float:
    return math.log10(cost) if logarithmic else float(cost)


def _scale(
    words: Wording, lowest: Decimal, highest: Decimal, logarithmic: bool
) -> tuple[float, float, list[tuple[float, str]]]:
    """Return bottom, top and ticks of the cost axis; a logarithmic one has whole powers of ten."""
    if logarithmic:
        first, last = math.floor(math.log10(lowest)), math.ceil(math.log10(highest))
        powers = range(first, last + 1)
        return first, last, [(float(power), words.number(Decimal(10) ** power)) for power in powers]
    step = _step(max(float(highest), 1.0), 4)
    count = max(1, math.ceil(float(highest) * 1.08 / step))
    return 0.0, count * step, [(at * step, words.number(round(at * step, 9))) for at in range(count + 1)]


def _time_axis(words: Wording, longest: float) -> tuple[float, list[tuple[float, str]]]:
    """Return the right end and the ticks of the delivery axis, in its unit."""
    step = _step(longest, 5)
    count = math.ceil(longest * 1.12 / step)
    return count * step, [(at * step, words.number(round(at * step, 9))) for at in range(count + 1)]


def _step(longest: float, parts: int) -> float:
    """Return a round step that divides `longest` in about `parts`."""
    scale = 10.0 ** math.floor(math.log10(longest / parts))
    if longest / parts >= 10:
        scale = 10.0 ** max(0, math.floor(math.log10(longest / parts)) - 1)
    return next(scale * step for step in (*_STEPS, 100) if scale * step >= longest / parts)


def _stairs(points: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Return the corners of the frontier: the cost holds until a later, cheaper plan."""
    xs: list[float] = []
    ys: list[float] = []
    for x, y in sorted(points):
        if xs:
            xs.append(x)
            ys.append(ys[-1])
        xs.append(x)
        ys.append(y)
    return xs, ys
