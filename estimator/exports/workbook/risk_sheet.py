"""The sheet of risk: percentiles of delivery and cost, chances, and the numbers ranked by what verifying them is worth.

All of it is what the program computed by replications and by deciding again: values, which follow no yellow cell.
"""

from __future__ import annotations

from decimal import Decimal

from estimator.exports.workbook.cells import Sheet, money_format
from estimator.exports.workbook.comparison_blocks import time_format
from estimator.exports.workbook.schedule_sheet import ScheduleCells
from estimator.price import currency_digits
from estimator.problems import Absent
from estimator.results.estimate import Estimate
from estimator.results.risk import Amounts, Spread
from estimator.units import MS_PER_MINUTE
from estimator.wording import Wording
from estimator.wording.certainty import assumption_name, chances, holds_text, range_text

MOST_NUMBERS = 200


def write_risk(sheet: Sheet, estimate: Estimate, times: ScheduleCells | None, words: Wording) -> None:
    """Write the risk of the shown plan, or the reason why there is none."""
    sheet.widths(2, 50, 16, 16, 16, 18, 30, 46)
    sheet.text(0, 1, words.t("How sure the plan is"), "title")
    note = words.t("As computed by Cabida: these values do not follow the yellow cells.")
    sheet.text(1, 1, note, "note")
    risk = estimate.risk(estimate.shown_plan_id)
    row = 3
    if risk is None:
        sheet.text(row, 1, words.t("It is not computed yet."), "strong")
    elif isinstance(risk.spread, Absent):
        sheet.text(row, 1, words.absent(risk.spread), "strong")
    else:
        row = _write_spread(sheet, row, estimate, risk.spread, times, words)
    _write_numbers(sheet, row + 2, estimate, words)


def _write_spread(
    sheet: Sheet, row: int, estimate: Estimate, spread: Spread, times: ScheduleCells | None, words: Wording
) -> int:
    per_ms, unit = (MS_PER_MINUTE, "min") if times is None else (times.per_ms, times.unit)
    sheet.text(row, 1, words.t("Shown plan"), "head")
    sheet.texts(row, 2, ("P10", "P50", "P90"), "head_right")
    row += 1
    sheet.text(row, 1, words.t("Delivery, {unit}", unit=unit))
    for place, ms in enumerate((spread.delivery.p10, spread.delivery.p50, spread.delivery.p90)):
        sheet.number(row, 2 + place, Decimal(ms) / per_ms, time_format(ms, per_ms))
    currency = estimate.quote.pricing.currency
    for label, amounts in (
        (words.t("Net, {currency}", currency=currency), spread.net),
        (words.t("Total, {currency}", currency=currency), spread.gross),
    ):
        row += 1
        sheet.text(row, 1, label)
        if isinstance(amounts, Amounts):
            for place, amount in enumerate((amounts.p10, amounts.p50, amounts.p90)):
                sheet.number(row, 2 + place, amount, money_format(currency_digits(currency)))
        else:
            sheet.texts(row, 2, (words.unknown,) * 3, "value")
    for name, chance in chances(words, spread):
        row += 1
        sheet.text(row, 1, name)
        sheet.text(row, 2, chance, "value")
    count = words.number(spread.replications)
    row += 1
    sheet.text(
        row, 1, words.t("{count} replications. {form}.", count=count, form=words.word(spread.form)), "note"
    )
    return row


def _write_numbers(sheet: Sheet, head: int, estimate: Estimate, words: Wording) -> None:
    """Write the numbers with a range or an open question, those worth most first."""
    quote, currency = estimate.quote, estimate.quote.pricing.currency
    sheet.text(head, 1, words.t("Number"), "head")
    heads = (
        words.t("Range"),
        words.t("Total at the low end, {currency}", currency=currency),
        words.t("Total at the high end, {currency}", currency=currency),
        words.t("Worth verifying, {currency}", currency=currency),
    )
    sheet.texts(head, 2, heads, "head_right")
    sheet.texts(head, 6, (words.t("The decision holds to"), words.t("Why")), "head")
    sheet.tall(head)
    money = money_format(currency_digits(currency))
    # What neither decides nor has a range stands among the conditions; here its row would be empty.
    told = [one for one in estimate.assumptions if one.is_decisive or isinstance(one.worth, Decimal)]
    ranked = sorted(
        told,
        key=lambda one: (not one.is_decisive, -(one.worth if isinstance(one.worth, Decimal) else Decimal(0))),
    )
    for place, one in enumerate(ranked[:MOST_NUMBERS], start=1):
        row = head + place
        name = assumption_name(words, quote, one)
        sheet.text(row, 1, words.t("{name}: decisive", name=name) if one.is_decisive else name, "wrapped")
        sheet.text(row, 2, range_text(words, one), "value")
        ends = [None if end is None else end.gross for end in (one.low, one.high)]
        for column, amount in ((3, ends[0]), (4, ends[1]), (5, one.worth)):
            if isinstance(amount, Decimal):
                sheet.number(row, column, amount, money)
            else:
                sheet.text(row, column, "" if amount is None else words.unknown, "value")
        sheet.text(row, 6, holds_text(words, one))
        sheet.text(row, 7, words.word(one.why) if one.is_decisive else "", "wrapped_muted")
    if not ranked:
        sheet.text(head + 1, 1, words.t("Nothing is left to verify."))
