"""How sure the shown plan is: P10, P50, P90 of delivery and cost against limit, terms and budget, and the chances.

The percentiles are the estimate's; what has no range keeps its value in every replication, and is named as kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from estimator.problems import Absent
from estimator.quote import Quote
from estimator.results.estimate import Estimate, Plan
from estimator.results.risk import Amounts, Spread
from estimator.units import MS_PER
from estimator.wording import Wording
from estimator.wording.certainty import chances
from estimator.wording.phrases import plan_name
from ui.models.table import Column
from ui.pages.changing_table import ChangingTableModel
from ui.pages.charts import axis_unit
from ui.pages.cost_views import CostView, currency_sign
from ui.theme import Theme
from ui.widgets.row_bars import AcrossLine, BarRow, Piece, RowBars, RowBarsContent, round_ticks

_RANGE = 2
"""Chart class of a range."""
_FAR = 3
"""What lies this many times beyond quoted value and P90 is said in words, not drawn."""


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """A line of the table: percentiles and the value quoted, or the chance of an event, as texts."""

    name: str
    p10: str = ""
    p50: str = ""
    p90: str = ""
    quoted: str = ""
    chance: str = ""


def spread_rows(words: Wording, estimate: Estimate) -> tuple[SpreadRow, ...]:
    """Return the percentiles and chances of the plan shown; none where it has no spread."""
    plan, spread = estimate.shown_plan, spread_of(estimate)
    if plan is None or not isinstance(spread, Spread):
        return ()
    times = (spread.delivery.p10, spread.delivery.p50, spread.delivery.p90, plan.timing.delivery_ms)
    rows = [SpreadRow(words.t("Delivery"), *(words.duration(one) for one in times))]
    for name, amounts, quoted in (
        (words.t("Net"), spread.net, plan.price.net),
        (_total_name(words, estimate.quote), spread.gross, plan.price.gross),
    ):
        if isinstance(amounts, Amounts) and isinstance(quoted, Decimal):
            known = (amounts.p10, amounts.p50, amounts.p90, quoted)
            rows.append(SpreadRow(name, *(words.money(one, plan.price.currency) for one in known)))
    rows += [SpreadRow(name, chance=chance) for name, chance in chances(words, spread)]
    return tuple(rows)


def _total_name(words: Wording, quote: Quote) -> str:
    return words.t("Total") if quote.pricing.tax_percent.value is None else words.t("With tax")


def spread_of(estimate: Estimate) -> Spread | Absent | None:
    """Return the spread of the plan shown, None where it is not computed."""
    risk = estimate.risk(estimate.shown_plan_id)
    return None if risk is None else risk.spread


class Sureness(CostView):
    """Range bars of delivery and cost, each on its own axis, and what may be outrun in words."""

    def __init__(self, words: Wording, theme: Theme) -> None:
        model: ChangingTableModel[SpreadRow] = ChangingTableModel(_columns(words), words, theme)
        super().__init__(
            words, theme, words.t("How sure"), model, table_name=words.t("How sure delivery and cost are")
        )
        self.delivery = RowBars(theme, words.t("Delivery: from P10 to P90, with P50"))
        self.cost = RowBars(theme, words.t("Cost: from P10 to P90, with P50"))
        self.said = QLabel()
        self.said.setWordWrap(True)
        picture = QWidget()
        column = QVBoxLayout(picture)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(10)
        column.addWidget(self.delivery)
        column.addWidget(self.cost)
        column.addStretch(1)
        self.set_picture(picture)
        self.column.insertWidget(1, self.said)

    def show_estimate(self, estimate: Estimate) -> None:
        words, plan, spread = self.words, estimate.shown_plan, spread_of(estimate)
        self.model.show_table(_columns(words), spread_rows(words, estimate))
        self.fit_table()
        self.said.setText("")
        self.note.setText("")
        if plan is None or spread is None:
            waiting = plan is not None and not estimate.is_assessed
            self.set_empty(
                words.t("Being computed.")
                if waiting
                else words.t("No plan yet: an offer with a price is missing.")
            )
            return
        if isinstance(spread, Absent):
            self.set_empty(words.absent(spread))
            return
        self.delivery.show_rows(_delivery(words, estimate, plan, spread))
        cost = _cost(words, estimate, plan, spread)
        self.cost.show_rows(cost)
        self.cost.setVisible(bool(cost.rows))
        self.give_height(
            self.delivery.sizeHint().height() + (self.cost.sizeHint().height() + 10 if cost.rows else 0) + 8
        )
        self.note.setText(_note(words, estimate, plan, spread))
        self.said.setText(_said(words, estimate, plan, spread))
        self.said.setVisible(bool(self.said.text()))
        self.set_empty("")


def _note(words: Wording, estimate: Estimate, plan: Plan, spread: Spread) -> str:
    count = words.number(spread.replications)
    name = plan_name(words, estimate.quote, plan)
    if not estimate.is_assessed:
        return words.t(
            "{plan}: a first sketch of {count} replications; more are being computed.", plan=name, count=count
        )
    drawn = words.t("{count} replications. {form}.", count=count, form=words.word(spread.form))
    return f"{name}: {drawn}"


def _said(words: Wording, estimate: Estimate, plan: Plan, spread: Spread) -> str:
    """Return the chances, what is too far to be drawn, and how many numbers varied and were kept."""
    said = [f"{name}: {chance}." for name, chance in chances(words, spread)]
    ends = _term_ends(plan)
    work, currency = estimate.quote.workload, plan.price.currency
    limit_ms = None if work.limit is None else work.limit.ms
    if limit_ms is not None and limit_ms > _drawn_until(plan, spread):
        said.append(words.t("The limit of {limit} is beyond the picture.", limit=words.duration(limit_ms)))
    budget = None if work.budget is None else work.budget.value
    if budget is not None and budget > _paid_until(plan, spread):
        amount = words.money(budget, currency)
        said.append(words.t("The budget of {budget} is beyond the picture.", budget=amount))
    if ends and min(ends) > _drawn_until(plan, spread):
        said.append(words.t("The terms end at {end}, beyond the picture.", end=words.duration(min(ends))))
    if not spread.varied:
        said.append(words.t("No number has a range: every replication is the same."))
    else:
        said.append(words.n("{count} number varied.", "{count} numbers varied.", len(spread.varied)))
    if spread.kept:
        said.append(
            words.n(
                "{count} with a range was kept at its value.",
                "{count} with a range were kept at their values.",
                len(spread.kept),
            )
        )
    return " ".join(said)


def _term_ends(plan: Plan) -> list[int]:
    return [holding.held_ms for holding in plan.holdings if holding.terms]


def _drawn_until(plan: Plan, spread: Spread) -> int:
    return _FAR * max(spread.delivery.p90, plan.timing.delivery_ms)


def _paid_until(plan: Plan, spread: Spread) -> Decimal:
    amounts, quoted = spread.gross, plan.price.gross
    if not isinstance(amounts, Amounts) or isinstance(quoted, Absent):
        return Decimal(0)
    return _FAR * max(amounts.p90, quoted)


def _delivery(words: Wording, estimate: Estimate, plan: Plan, spread: Spread) -> RowBarsContent:
    limit = estimate.quote.workload.limit
    limit_ms = None if limit is None else limit.ms
    far = _drawn_until(plan, spread)
    ends = [end for end in sorted(set(_term_ends(plan)))[:1] if end <= far]
    if limit_ms is not None and limit_ms > far:
        limit_ms = None
    times = spread.delivery
    longest = max(times.p90, plan.timing.delivery_ms, limit_ms or 0, *ends)
    unit = axis_unit(longest)
    ticks = round_ticks(0, longest / MS_PER[unit])
    lines = [_quoted(words, plan.timing.delivery_ms / MS_PER[unit])]
    if limit_ms is not None:
        text = words.t("limit {limit}", limit=words.duration(limit_ms))
        lines.append(AcrossLine(limit_ms / MS_PER[unit], text))
    lines += [
        AcrossLine(end / MS_PER[unit], words.t("terms end {end}", end=words.duration(end)), role="warn")
        for end in ends
    ]
    said = _percentiles(tuple(words.duration(one) for one in (times.p10, times.p50, times.p90)))
    values = (times.p10 / MS_PER[unit], times.p50 / MS_PER[unit], times.p90 / MS_PER[unit])
    row = _range(words.t("Delivery"), unit.value, values, said)
    texts = tuple((tick, words.number(tick)) for tick in ticks)
    return RowBarsContent((row,), texts, said, tuple(lines))


def _cost(words: Wording, estimate: Estimate, plan: Plan, spread: Spread) -> RowBarsContent:
    currency = plan.price.currency
    amounts, quoted = spread.gross, plan.price.gross
    if not isinstance(amounts, Amounts) or isinstance(quoted, Absent):
        return RowBarsContent()
    stated = estimate.quote.workload.budget
    budget = None if stated is None else stated.value
    if budget is not None and budget > _paid_until(plan, spread):
        budget = None
    highest = max(amounts.p90, quoted, budget or Decimal(0))
    lines = [_quoted(words, float(quoted))]
    if budget is not None:
        text = words.t("budget {amount}", amount=words.money(budget, currency))
        lines.append(AcrossLine(float(budget), text))
    said = _percentiles(tuple(words.money(one, currency) for one in (amounts.p10, amounts.p50, amounts.p90)))
    values = (float(amounts.p10), float(amounts.p50), float(amounts.p90))
    row = _range(_total_name(words, estimate.quote), currency_sign(currency), values, said)
    texts = tuple((tick, words.number(tick)) for tick in round_ticks(0, float(highest)))
    return RowBarsContent((row,), texts, said, tuple(lines))


def _quoted(words: Wording, at: float) -> AcrossLine:
    return AcrossLine(at, words.t("quoted"), role="text", dashed=False)


def _range(name: str, unit: str, values: tuple[float, float, float], said: str) -> BarRow:
    piece = Piece(values[0], values[2], _RANGE, said)
    return BarRow(name, unit, "", (piece,), (values[1],), is_strong=True, spoken=f"{name}: {said}")


def _percentiles(texts: tuple[str, ...]) -> str:
    """Return the texts of P10, P50 and P90 in one line; the names of percentiles are alike in every language."""
    return " · ".join(f"{name} {text}" for name, text in zip(("P10", "P50", "P90"), texts, strict=True))


def _columns(words: Wording) -> tuple[Column[SpreadRow], ...]:
    return (
        Column(words.t("Number"), lambda row: row.name),
        Column("P10", lambda row: row.p10, right=True),
        Column("P50", lambda row: row.p50, right=True),
        Column("P90", lambda row: row.p90, right=True),
        Column(words.t("Quoted"), lambda row: row.quoted, right=True),
        Column(words.t("Chance"), lambda row: row.chance, right=True),
    )
