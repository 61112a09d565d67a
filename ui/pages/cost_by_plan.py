"""What each plan costs, stacked by what it is paid for: rent of lots, cards by the hour, fees, tax.

The amounts are the lines of each plan's price; they add up to its total to the minor unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from PySide6.QtWidgets import QWidget

from estimator.price import CONTINGENCY, DISCOUNT
from estimator.problems import Absent
from estimator.results.estimate import Estimate, Plan
from estimator.results.price import Price
from estimator.wording import Wording
from estimator.wording.phrases import organisation_name, paid_text, plan_name
from ui.models.table import Column
from ui.pages.changing_table import ChangingTableModel
from ui.pages.cost_plans import LATE, OVER_BUDGET, OVER_QUOTA, SHORT, grouped_plans
from ui.pages.cost_views import BarsArea, CostView, currency_sign, plan_label
from ui.theme import Theme
from ui.widgets.bars import MARGIN_CLASS, BarsLegend
from ui.widgets.row_bars import BarRow, Piece, RowBars, RowBarsContent, round_ticks

LOTS, HOURLY, FEES, TAX = "lot", "hourly", "fees", "tax"
_LOOKS = {LOTS: 1, HOURLY: 2, FEES: 3, CONTINGENCY: 4, TAX: 5, DISCOUNT: MARGIN_CLASS}
"""The parts in the order in which they are stacked, with their chart class."""


@dataclass(frozen=True, slots=True)
class CostRow:
    """One plan and its parts in order, without those that it has not.

    `label` names it beside its bar and `held` stands under that; `reason`: why there is no total, else "".
    """

    plan_id: str
    name: str
    label: str
    held: str
    standing: str
    parts: tuple[tuple[str, Decimal], ...]
    total: Decimal | None
    total_text: str
    reason: str
    shown: bool

    def part(self, key: str) -> Decimal | None:
        """Return one part, None where the plan has none."""
        return dict(self.parts).get(key)


def cost_rows(words: Wording, estimate: Estimate) -> tuple[CostRow, ...]:
    """Return the plans with their costs, those within every limit first."""
    standings = {
        LATE: words.t("late"),
        OVER_BUDGET: words.t("over the budget"),
        OVER_QUOTA: words.t("over the quota"),
        SHORT: words.t("does not fit"),
    }
    return tuple(
        _row(words, estimate, plan, standings.get(key, ""))
        for key, _title, plans in grouped_plans(words, estimate)
        for plan in plans
    )


def cost_parts(price: Price) -> tuple[tuple[str, Decimal], ...]:
    """Return what a price is made of; the parts add up to its total, a discount being negative."""
    sums: dict[str, Decimal] = {}
    for line in price.lines:
        if isinstance(line.amount, Decimal):
            key = line.kind if line.kind in _LOOKS else FEES
            sums[key] = sums.get(key, Decimal(0)) + line.amount
    if isinstance(price.tax, Decimal):
        sums[TAX] = price.tax
    return tuple((key, sums[key]) for key in _LOOKS if key in sums)


class CostByPlan(CostView):
    """One stacked bar a plan; Enter on it chooses the plan."""

    def __init__(self, words: Wording, theme: Theme) -> None:
        model: ChangingTableModel[CostRow] = ChangingTableModel(_columns(words, "EUR", ()), words, theme)
        super().__init__(
            words,
            theme,
            words.t("Cost by plan"),
            model,
            table_name=words.t("Cost of each plan by what is paid"),
        )
        self.rows: tuple[CostRow, ...] = ()
        name = words.t("Cost of each plan, stacked; Enter chooses a plan")
        self.bars = RowBars(theme, name, can_open=True)
        self.bars.opened.connect(self._opened)
        self.table.opened.connect(self._opened)
        self.legend = BarsLegend(theme)
        self.column.insertWidget(1, self.legend)
        self.set_picture(BarsArea(self.bars))

    def show_estimate(self, estimate: Estimate) -> None:
        words = self.words
        self.rows = cost_rows(words, estimate)
        currency = estimate.quote.pricing.currency
        used = tuple(key for key in _LOOKS if any(row.part(key) is not None for row in self.rows))
        self.model.show_table(_columns(words, currency, used), self.rows)
        self.fit_table()
        self.legend.show_parts(tuple((_part_name(words, key), _LOOKS[key]) for key in used))
        self.bars.show_rows(_content(words, currency, self.rows))
        self.give_height(self.bars.sizeHint().height() + 2)
        self.note.setText(self._note(estimate, used))
        self.set_empty("" if self.rows else words.t("No plan has a total yet."))

    def stops(self) -> list[QWidget]:
        return [self.bars, self.table]

    def _note(self, estimate: Estimate, used: tuple[str, ...]) -> str:
        said = [self.words.t("What is not included is in no bar.")]
        if estimate.quote.pricing.tax_percent.value is None:
            said.append(self.words.t("The tax is not included."))
        if DISCOUNT in used:
            said.append(self.words.t("The discount stands left of zero and is taken off."))
        return " ".join(said)

    def _opened(self, row: int) -> None:
        self.plan_asked.emit(self.rows[row].plan_id)


def _row(words: Wording, estimate: Estimate, plan: Plan, standing: str) -> CostRow:
    gross = plan.price.gross
    known = not isinstance(gross, Absent)
    organisation = estimate.quote.organisation(plan.organisation_id)
    own = "" if organisation is None else organisation_name(organisation)
    return CostRow(
        plan.id,
        plan_name(words, estimate.quote, plan),
        plan_label(words, estimate.quote, plan),
        " · ".join(part for part in (own, paid_text(words, plan)) if part),
        standing,
        cost_parts(plan.price) if known else (),
        None if isinstance(gross, Absent) else gross,
        words.unknown if isinstance(gross, Absent) else words.money(gross, plan.price.currency, symbol=False),
        words.absent(gross) if isinstance(gross, Absent) else "",
        plan.id == estimate.shown_plan_id,
    )


def _content(words: Wording, currency: str, rows: tuple[CostRow, ...]) -> RowBarsContent:
    made = tuple(_bar(words, currency, row) for row in rows)
    ends = [end for bar in made for piece in bar.pieces for end in (piece.start, piece.end)]
    ticks = round_ticks(min([0.0, *ends]), max([0.0, *ends]))
    return RowBarsContent(
        made,
        tuple((tick, words.number(tick)) for tick in ticks),
        words.t("{currency} in all", currency=currency_sign(currency)),
    )


def _bar(words: Wording, currency: str, row: CostRow) -> BarRow:
    pieces, at, below, said = [], 0.0, 0.0, []
    for key, amount in row.parts:
        text = f"{_part_name(words, key)} {words.money(amount, currency)}"
        said.append(text)
        if amount < 0:
            pieces.append(Piece(below, below + float(amount), _LOOKS[key], text))
            below += float(amount)
        else:
            pieces.append(Piece(at, at + float(amount), _LOOKS[key], text))
            at += float(amount)
    spoken = ", ".join(part for part in (row.name, row.standing, row.total_text, *said, row.reason) if part)
    return BarRow(
        row.label,
        " · ".join(part for part in (row.held, row.standing) if part),
        row.total_text,
        tuple(pieces),
        instead=row.reason,
        is_strong=row.shown,
        spoken=spoken,
    )


def _part_name(words: Wording, key: str) -> str:
    names = {
        LOTS: words.t("Rent of lots"),
        HOURLY: words.t("Cards by the hour"),
        FEES: words.t("Fees"),
        CONTINGENCY: words.t("Contingency"),
        TAX: words.t("Tax"),
        DISCOUNT: words.t("Discount"),
    }
    return names[key]


def _columns(words: Wording, currency: str, used: tuple[str, ...]) -> tuple[Column[CostRow], ...]:
    def part(key: str) -> Column[CostRow]:
        def text(row: CostRow) -> str:
            amount = row.part(key)
            return "" if amount is None else words.money(amount, currency, symbol=False)

        return Column(_part_name(words, key), text, right=True, sort_key=lambda row: row.part(key))

    total = words.t("In all, {currency}", currency=currency_sign(currency))
    return (
        Column(
            words.t("Plan"),
            lambda row: row.name,
            bold=lambda row: row.shown,
            tooltip=lambda row: row.name,
            elide_middle=True,
        ),
        Column(total, lambda row: row.total_text, right=True, sort_key=lambda row: row.total),
        *(part(key) for key in used),
        Column(words.t("Standing"), lambda row: row.reason or row.standing),
    )
