"""The staircase of cards: delivery with 1, 2, … cards as bars or as a table. It shows what was computed."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Any

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from estimator.problems import Absent
from estimator.results.estimate import Estimate, OrganisationResult, Step, Timing
from estimator.units import from_ms
from estimator.wording import Wording
from estimator.wording.phrases import missing_text
from ui.models.table import Column, TupleTableModel
from ui.models.table_view import TableView
from ui.pages.charts import Chart, RecalculatingTag, axis_unit
from ui.theme import TextRole, Theme

_LABELLED_BARS = 12


class StaircaseBox(QFrame):
    """Delivery with 1, 2, … cards as bars, or as a table; useless steps are hatched."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._steps: tuple[Step, ...] = ()
        self._chosen = 0
        self._limit_ms: int | None = None
        self._quota: int | None = None
        self.setProperty("look", "box")
        self._title = QLabel(words.t("Staircase of cards"))
        self._legend = QLabel(words.t("hatched: no sooner"))
        self._legend.setProperty("look", "muted")
        self.tag = RecalculatingTag(words, theme)
        self.toggle = QPushButton(words.t("Table"))
        self.toggle.setProperty("look", "link")
        self.toggle.clicked.connect(self.toggle_table)
        self.chart = Chart(words, theme, words.t("Staircase of cards, as bars"), self._draw)
        self.model: TupleTableModel[Step] = TupleTableModel(self._columns(), words, theme)
        self.table = TableView(self.model, words, theme, words.t("Staircase of cards, as a table"))
        self.model.setParent(self.table)
        self._reason = QLabel()
        self._reason.setWordWrap(True)
        self._reason.setProperty("look", "muted")
        self.stack = QStackedWidget()
        for page in (self.chart, self.table, self._reason):
            self.stack.addWidget(page)
        self.stack.setMinimumHeight(150)
        self._is_table = False
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._title)
        head.addStretch(1)
        for part in (self.tag, self._legend, self.toggle):
            head.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.stack, 1)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps shown."""
        return self._steps

    def show_staircase(self, estimate: Estimate | None, stale: bool) -> None:
        """Show the staircase of the estimate; while it is not computed yet, the former one with a tag."""
        waiting = estimate is None or stale or not estimate.is_complete
        self.tag.set_waiting(waiting and bool(self._steps))
        if estimate is None or waiting:
            return
        shown, workload = estimate.shown, estimate.quote.workload
        self._steps = estimate.staircase
        self._chosen = shown.timing.cards if shown is not None and isinstance(shown.timing, Timing) else 0
        self._limit_ms = None if workload.limit is None else workload.limit.ms
        quota = None if workload.quota_cards is None else workload.quota_cards.value
        self._quota = None if quota is None else int(quota)
        self._reason.setText(_why_none(self._words, shown))
        self.model.show_rows(self._steps)
        self.table.fit_columns()
        self.chart.label("bottom", self._axis_text(shown))
        self.chart.draw()
        self._show_page()

    def toggle_table(self) -> None:
        """Show the table in place of the bars, or the bars again."""
        self._is_table = not self._is_table
        self.toggle.setText(self._words.t("Chart") if self._is_table else self._words.t("Table"))
        self._show_page()

    def _show_page(self) -> None:
        page: QWidget = self.table if self._is_table else self.chart
        self.stack.setCurrentWidget(page if self._steps else self._reason)
        self.toggle.setVisible(bool(self._steps))
        self._legend.setVisible(any(step.useless for step in self._steps) and not self._is_table)

    def _axis_text(self, shown: OrganisationResult | None) -> str:
        per_task = 1 if shown is None else shown.cards_per_task
        if shown is not None and shown.slices_per_card > 1:
            return self._words.t(
                "cards, {count} tasks on each", count=self._words.number(shown.slices_per_card)
            )
        if per_task == 1:
            return self._words.t("cards, one task a card")
        return self._words.t("cards, {count} for each task", count=self._words.number(per_task))

    def _columns(self) -> list[Column[Step]]:
        words = self._words
        return [
            Column(words.t("Cards"), lambda step: words.number(step.cards), right=True),
            Column(words.t("Delivery"), lambda step: words.duration(step.delivery_ms), right=True),
            Column(
                words.t("Net cost"),
                lambda step: words.unknown if step.net is None else words.number(step.net, 2),
                right=True,
            ),
            Column(words.t("Remark"), self._remark, color=lambda step: "muted"),
        ]

    def _remark(self, step: Step) -> str:
        if step.cards == self._chosen:
            return self._words.t("shown")
        return self._words.t("no sooner") if step.useless else ""

    def _draw(self, plot: Any) -> None:
        steps = self._steps
        if not steps:
            return
        unit = axis_unit(max(step.delivery_ms for step in steps))
        heights = [float(from_ms(step.delivery_ms, unit)) for step in steps]
        roles = [
            "accent" if step.cards == self._chosen else "idle" if step.useless else "control"
            for step in steps
        ]
        apart = min((after.cards - step.cards for step, after in pairwise(steps)), default=1)
        self.chart.add_bars([step.cards for step in steps], heights, roles, width=0.6 * apart)
        limit = None if self._limit_ms is None else float(from_ms(self._limit_ms, unit))
        top = max(*heights, limit or 0.0) * 1.18 or 1.0
        right = steps[-1].cards + 0.6 * apart
        left = steps[0].cards - 0.6 * apart
        if limit is not None and self._limit_ms is not None:
            self.chart.add_line(limit, upright=False)
            text = self._words.t("limit {limit}", limit=self._words.duration(self._limit_ms))
            self.chart.add_text(text, right, limit, role="err", anchor=(1.0, 1.0))
        if len(steps) <= _LABELLED_BARS:
            for step, height in zip(steps, heights, strict=True):
                near = limit is not None and 0 <= limit - height < 0.12 * top
                value = self._words.number(round(Decimal(height), 1))
                self.chart.add_text(value, step.cards, height, filled=near)
        if self._quota is not None and self._quota < steps[-1].cards:
            at = self._quota + 0.5 * apart
            self.chart.add_line(at, upright=True, role="muted")
            text = self._words.t("quota: {cards}", cards=self._words.number(self._quota))
            self.chart.add_text(text, at, top, role="muted", anchor=(0.0, 0.0))
        plot.setXRange(left, right, padding=0)
        plot.setYRange(0, top, padding=0)
        ticks = [(float(step.cards), self._words.number(step.cards)) for step in steps]
        every = 1 + len(ticks) // (_LABELLED_BARS + 4)
        plot.getAxis("bottom").setTicks([ticks[::every]])
        self.chart.label("left", unit.value)

    def _dress(self) -> None:
        self._title.setFont(self._theme.font(TextRole.SECTION))
        self._legend.setFont(self._theme.font(TextRole.SECONDARY))


def _why_none(words: Wording, shown: OrganisationResult | None) -> str:
    if shown is None:
        return words.absent(Absent("no_organisation", ("organisations",)))
    return missing_text(words, shown)
