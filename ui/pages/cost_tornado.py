"""Which number is worth verifying first: each number's range, and what its ends do to cost or delivery.

Ranked by the money that verifying is worth; decisive ones have a diamond. The order and the ends are the estimate's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from estimator.problems import Absent
from estimator.results.estimate import Estimate
from estimator.results.risk import Assumption, RangeEnd
from estimator.units import MS_PER
from estimator.wording import Wording
from estimator.wording.certainty import assumption_name, holds_text, range_text, worth_text
from ui.models.table import Column
from ui.pages.changing_table import ChangingTableModel
from ui.pages.charts import axis_unit
from ui.pages.cost_views import BarsArea, CostView, currency_sign, total_axis
from ui.theme import Theme
from ui.widgets.bars import BarsLegend
from ui.widgets.combo import Combo
from ui.widgets.row_bars import AcrossLine, BarRow, Piece, RowBars, RowBarsContent, round_ticks

COST, DELIVERY = "cost", "delivery"
_SAME, _CHANGES = 1, 3
"""Chart classes of an end with the same plan (plain) and one with another plan (hatched)."""


@dataclass(frozen=True, slots=True)
class TornadoRow:
    """One number with its texts. `low` and `high` are the ends' values on the axis, None where there is none."""

    assumption: Assumption
    name: str
    span: str
    low: Decimal | None
    high: Decimal | None
    low_text: str
    high_text: str
    holds: str
    worth: str
    why: str
    instead: str


def tornado_rows(words: Wording, estimate: Estimate, measure: str) -> tuple[TornadoRow, ...]:
    """Return the numbers in the estimate's rank, with their ends as `measure`: COST with tax, or DELIVERY in ms."""
    return tuple(_row(words, estimate, one, measure) for one in estimate.assumptions)


class Tornado(CostView):
    """Bars from the low to the high end of each number; Enter goes to the number's field."""

    def __init__(self, words: Wording, theme: Theme) -> None:
        model: ChangingTableModel[TornadoRow] = ChangingTableModel(_columns(words, "", COST), words, theme)
        super().__init__(
            words,
            theme,
            words.t("Tornado"),
            model,
            table_name=words.t("Numbers by what verifying them is worth"),
        )
        self.rows: tuple[TornadoRow, ...] = ()
        self._estimate: Estimate | None = None
        self.bars = RowBars(
            theme, words.t("What each number's range does; Enter goes to the number"), can_open=True
        )
        self.measure = Combo()
        self.measure.setProperty("look", "low")
        self.measure.setAccessibleName(words.t("What the ends change"))
        self.measure.addItem(words.t("Cost with tax"), COST)
        self.measure.addItem(words.t("Delivery"), DELIVERY)
        self.measure.activated.connect(self._measure_chosen)
        self._is_chosen = False
        self.legend = BarsLegend(theme)
        self.legend.show_parts(((words.t("same plan"), _SAME), (words.t("another plan"), _CHANGES)))
        label = QLabel(words.t("Ends of"))
        label.setProperty("look", "muted")
        label.setBuddy(self.measure)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(label)
        line.addWidget(self.measure)
        line.addWidget(self.legend, 1)
        self.column.insertLayout(1, line)
        self.bars.opened.connect(self._opened)
        self.table.opened.connect(self._opened)
        self.set_picture(BarsArea(self.bars))

    def show_estimate(self, estimate: Estimate) -> None:
        self._estimate = estimate
        self._show()

    def stops(self) -> list[QWidget]:
        return [self.measure, self.bars, self.table]

    def _show(self) -> None:
        estimate, words = self._estimate, self.words
        if estimate is None:
            return
        if not estimate.is_assessed:
            self.note.setText("")
            self.set_empty(words.t("Being computed: every number is tried at both ends of its range."))
            return
        taxed = estimate.quote.pricing.tax_percent.value is not None
        name = words.t("Cost with tax") if taxed else words.t("Cost")
        self.measure.setItemText(self.measure.findData(COST), name)
        if not self._is_chosen:
            self.measure.setCurrentIndex(self.measure.findData(telling_measure(estimate)))
        measure = str(self.measure.currentData())
        self.rows = tornado_rows(words, estimate, measure)
        self.model.show_table(_columns(words, estimate.quote.pricing.currency, measure), self.rows)
        self.fit_table()
        self.bars.show_rows(_content(words, estimate, self.rows, measure))
        self.give_height(self.bars.sizeHint().height() + 2)
        count = sum(row.assumption.is_decisive for row in self.rows)
        decisive = words.t("{count} decisive, with a diamond", count=words.number(count))
        self.note.setText(
            words.t(
                "Worth verifying first: {decisive}. At the right: what verifying is worth.", decisive=decisive
            )
        )
        self.set_empty("" if self.rows else words.t("Every number is verified: nothing is left to weigh."))

    def _measure_chosen(self, _index: int) -> None:
        self._is_chosen = True
        self._show()

    def _opened(self, row: int) -> None:
        self.place_asked.emit(self.rows[row].assumption.where)


def telling_measure(estimate: Estimate) -> str:
    """Return COST, or DELIVERY where no range changes the cost: whole terms often keep it."""
    plan = estimate.shown_plan
    gross = None if plan is None else plan.price.gross
    ends = [end for one in estimate.assumptions for end in (one.low, one.high) if end is not None]
    return COST if any(end.gross != gross for end in ends) or not ends else DELIVERY


def _row(words: Wording, estimate: Estimate, one: Assumption, measure: str) -> TornadoRow:
    worth = worth_text(words, estimate.quote, one)
    low, high = _value(one.low, measure), _value(one.high, measure)
    instead = "" if one.low is not None or one.high is not None else words.t("no range")
    if not instead and low is None and high is None:
        instead = words.t("no plan at either end")
    return TornadoRow(
        one,
        assumption_name(words, estimate.quote, one),
        range_text(words, one),
        low,
        high,
        _end_text(words, estimate, one.low, measure),
        _end_text(words, estimate, one.high, measure),
        holds_text(words, one),
        worth,
        words.word(one.why),
        instead,
    )


def _value(end: RangeEnd | None, measure: str) -> Decimal | None:
    if end is None:
        return None
    found = end.gross if measure == COST else end.delivery_ms
    return None if isinstance(found, Absent) else Decimal(found)


def _end_text(words: Wording, estimate: Estimate, end: RangeEnd | None, measure: str) -> str:
    if end is None:
        return ""
    found = end.gross if measure == COST else end.delivery_ms
    if isinstance(found, Absent):
        return words.unknown
    if isinstance(found, Decimal):
        text = words.money(found, estimate.quote.pricing.currency, symbol=False)
    else:
        text = words.duration(found)
    return words.t("{value}, another plan", value=text) if end.changes_decision else text


def _content(
    words: Wording, estimate: Estimate, rows: tuple[TornadoRow, ...], measure: str
) -> RowBarsContent:
    plan = estimate.shown_plan
    base: Decimal | None = None
    if plan is not None:
        found = plan.price.gross if measure == COST else plan.timing.delivery_ms
        base = None if isinstance(found, Absent) else Decimal(found)
    values = [end for row in rows for end in (row.low, row.high) if end is not None]
    if base is None or not rows:
        made = tuple(_bar(words, row, None, lambda value: float(value)) for row in rows)
        return RowBarsContent(made)
    unit = axis_unit(int(max(base, *values))) if measure == DELIVERY else None

    def scaled(value: Decimal) -> float:
        return float(value) if unit is None else float(value) / MS_PER[unit]

    ticks = round_ticks(scaled(min([base, *values])), scaled(max([base, *values])))
    currency = estimate.quote.pricing.currency
    if unit is None:
        axis, shown = (
            total_axis(words, estimate.quote.pricing),
            words.money(base, currency),
        )
    else:
        axis, shown = words.t("delivery, {unit}", unit=unit.value), words.duration(int(base))
    line = AcrossLine(scaled(base), words.t("quoted {value}", value=shown), role="text", dashed=False)
    bars = tuple(_bar(words, row, base, scaled) for row in rows)
    return RowBarsContent(bars, tuple((tick, words.number(tick)) for tick in ticks), axis, (line,))


def _bar(words: Wording, row: TornadoRow, base: Decimal | None, scaled: Callable[[Decimal], float]) -> BarRow:
    pieces = []
    if base is not None:
        for end, value, text in (
            (row.assumption.low, row.low, row.low_text),
            (row.assumption.high, row.high, row.high_text),
        ):
            if end is not None and value is not None:
                look = _CHANGES if end.changes_decision else _SAME
                pieces.append(Piece(scaled(base), scaled(value), look, text))
    decisive = row.assumption.is_decisive
    holds = words.t("holds {range}", range=row.holds) if row.holds else ""
    note = " · ".join(part for part in (row.span, holds) if part)
    said = (row.name, note, row.low_text, row.high_text, row.worth, row.why)
    return BarRow(
        row.name,
        note or row.why,
        row.worth,
        tuple(pieces),
        instead=row.instead,
        is_strong=decisive,
        is_marked=decisive,
        spoken=", ".join(part for part in said if part),
    )


def _columns(words: Wording, currency: str, measure: str) -> tuple[Column[TornadoRow], ...]:
    shown = currency_sign(currency)
    if measure == COST:
        heads = (
            words.t("Cost at low end, {currency}", currency=shown),
            words.t("Cost at high end, {currency}", currency=shown),
        )
    else:
        heads = (words.t("Delivery at low end"), words.t("Delivery at high end"))
    return (
        Column(
            words.t("Number"),
            lambda row: row.name,
            bold=lambda row: row.assumption.is_decisive,
            tooltip=lambda row: row.name,
            elide_middle=True,
        ),
        Column(words.t("Worth verifying"), lambda row: row.worth, right=True, sort_key=_worth),
        Column(words.t("Range"), lambda row: row.span),
        Column(words.t("Holds to"), lambda row: row.holds),
        Column(heads[0], lambda row: row.low_text, right=True, sort_key=lambda row: row.low),
        Column(heads[1], lambda row: row.high_text, right=True, sort_key=lambda row: row.high),
        Column(words.t("Why"), lambda row: row.why),
    )


def _worth(row: TornadoRow) -> Decimal | None:
    worth = row.assumption.worth
    return worth if isinstance(worth, Decimal) else None
