"""Blocks of the first sheet that compare: organisations side by side, and time by number of cards.

They are what the program calculated for other plans, and do not follow the yellow cells: they say so.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from estimator.exports.workbook.cells import FONT, PLAIN, WHOLE, Sheet, money_format
from estimator.exports.workbook.schedule_sheet import ScheduleCells
from estimator.price import currency_digits
from estimator.problems import Absent
from estimator.results.estimate import Estimate, OrganisationResult, Timing
from estimator.units import MS_PER_MINUTE
from estimator.wording import Wording
from estimator.wording.phrases import key_text

LABEL, VALUE, UNIT, EVIDENCE, SOURCE = range(1, 6)
SIDE = 7
_LEGEND_ROW = 16
_STEPS_ROW = 22


def time_format(ms: int, per_ms: int) -> str:
    """Return the format of one time: a whole number as it is, else one decimal."""
    return PLAIN if ms % per_ms == 0 else "#,##0.0"


def write_organisations(
    sheet: Sheet, row: int, estimate: Estimate, times: ScheduleCells | None, words: Wording
) -> int:
    """Write the reference beside the shown organisation, a difference a phase; then the others; return the end."""
    reference = estimate.quote.reference
    base = None if reference is None else estimate.organisation(reference.id)
    shown = estimate.shown
    if base is None or shown is None or not isinstance(base.timing, Timing):
        return row
    others = [one for one in estimate.organisations if isinstance(one.timing, Timing)]
    other = shown if shown is not base else next((one for one in others if one is not base), None)
    if other is None or not isinstance(other.timing, Timing):
        return row
    per_ms, unit = (MS_PER_MINUTE, "min") if times is None else (times.per_ms, times.unit)
    sheet.tall(row)
    sheet.text(row, LABEL, words.t("Organisations, as calculated"), "head")
    heads = (_key(estimate, base, words), _key(estimate, other, words), words.t("Difference"))
    sheet.texts(row, VALUE, heads, "head_right")
    sheet.text(row, SOURCE, words.t("Reading"), "head")
    row += 1
    for one, two in zip(base.timing.stages, other.timing.stages, strict=True):
        stage = estimate.quote.workload.stage(one.stage_id)
        label = words.t("{stage}, {unit}", stage=one.stage_id if stage is None else stage.name, unit=unit)
        _compared(sheet, row, label, one.elapsed_ms, two.elapsed_ms, per_ms)
        row += 1
    label = words.t("Delivery, {unit}", unit=unit)
    _compared(sheet, row, label, base.timing.delivery_ms, other.timing.delivery_ms, per_ms)
    sheet.text(row, SOURCE, _against_limit(estimate, base, other, words), "wrapped_muted")
    row += 1
    currency = estimate.quote.pricing.currency
    nets = [_net(one) for one in (base, other)]
    sheet.text(row, LABEL, words.t("Net, {currency}", currency=currency))
    money = money_format(currency_digits(currency))
    for place, net in enumerate(nets):
        if net is None:
            sheet.text(row, VALUE + place, words.unknown, "value")
        else:
            sheet.number(row, VALUE + place, net, money)
    if nets[0] is not None and nets[1] is not None:
        formula = f"{sheet.here(row, UNIT)}-{sheet.here(row, VALUE)}"
        sheet.formula(row, EVIDENCE, formula, nets[1] - nets[0], money)
    else:
        sheet.text(row, EVIDENCE, "")
    sheet.text(row, SOURCE, _sample_text((base, other), words), "wrapped_muted")
    rest = [one for one in others if one is not base and one is not other]
    return _write_rest(sheet, row + 1, estimate, rest, per_ms, unit, words)


def _write_rest(
    sheet: Sheet,
    row: int,
    estimate: Estimate,
    rest: list[OrganisationResult],
    per_ms: int,
    unit: str,
    words: Wording,
) -> int:
    if not rest:
        return row
    row += 1
    sheet.text(row, LABEL, words.t("Other organisations"), "head")
    currency = estimate.quote.pricing.currency
    heads = (
        words.t("Delivery, {unit}", unit=unit),
        words.t("Cards"),
        words.t("Net, {currency}", currency=currency),
    )
    sheet.texts(row, VALUE, heads, "head_right")
    sheet.text(row, SOURCE, words.t("Reading"), "head")
    for one in rest:
        row += 1
        if not isinstance(one.timing, Timing):
            continue
        sheet.text(row, LABEL, _key(estimate, one, words))
        value = Decimal(one.timing.delivery_ms) / per_ms
        sheet.number(row, VALUE, value, time_format(one.timing.delivery_ms, per_ms))
        sheet.number(row, UNIT, one.timing.cards, WHOLE)
        net = _net(one)
        if net is None:
            sheet.text(row, EVIDENCE, words.unknown, "value")
        else:
            sheet.number(row, EVIDENCE, net, money_format(currency_digits(currency)))
        sheet.text(row, SOURCE, _sample_text((one,), words), "wrapped_muted")
    return row + 1


def _compared(sheet: Sheet, row: int, label: str, one_ms: int, two_ms: int, per_ms: int) -> None:
    sheet.text(row, LABEL, label)
    for place, ms in enumerate((one_ms, two_ms)):
        sheet.number(row, VALUE + place, Decimal(ms) / per_ms, time_format(ms, per_ms))
    formula = f"{sheet.here(row, UNIT)}-{sheet.here(row, VALUE)}"
    difference = two_ms - one_ms
    sheet.formula(row, EVIDENCE, formula, Decimal(difference) / per_ms, time_format(difference, per_ms))
    sheet.text(row, SOURCE, "", "wrapped_muted")


def _key(estimate: Estimate, one: OrganisationResult, words: Wording) -> str:
    return f"{one.organisation_id}, {key_text(words, one)}"


def _net(one: OrganisationResult) -> Decimal | None:
    plan = one.plan(one.best_plan_id)
    return None if plan is None or isinstance(plan.price.net, Absent) else plan.price.net


def _sample_text(results: tuple[OrganisationResult, ...], words: Wording) -> str:
    plans = [one.plan(one.best_plan_id) for one in results]
    return words.t("SAMPLE prices") if any(plan is not None and plan.is_sample for plan in plans) else ""


def _against_limit(
    estimate: Estimate, base: OrganisationResult, other: OrganisationResult, words: Wording
) -> str:
    limit = estimate.quote.workload.limit
    if limit is None or limit.ms is None:
        return ""
    texts = []
    for one in (base, other):
        if isinstance(one.timing, Absent):
            continue
        spare = limit.ms - one.timing.delivery_ms
        if spare < 0:
            late = words.t("{name} is {late} late", name=one.organisation_id, late=words.duration(-spare))
            texts.append(late)
        else:
            text = words.t(
                "{name} has {spare} to spare", name=one.organisation_id, spare=words.duration(spare)
            )
            texts.append(text)
    return "; ".join(texts)


def write_staircase(sheet: Sheet, estimate: Estimate, times: ScheduleCells | None, words: Wording) -> None:
    """Write time and cost by number of cards under its chart, and the two lines of the legend."""
    legend = words.t("Yellow cells can be changed; answers recalculate. No macros, no links to other files.")
    sample = words.t("Prices marked SAMPLE are no seller's offers. The chart is as calculated by Cabida.")
    for place, text in enumerate((legend, sample)):
        row = _LEGEND_ROW + 2 * place
        sheet.raw.merge_range(row, SIDE, row + 1, SIDE + 2, "", sheet.book.style("wrapped_note"))
        sheet.text(row, SIDE, text, "wrapped_note")
    if not estimate.staircase:
        return
    steps = estimate.staircase
    per_ms, unit = (MS_PER_MINUTE, "min") if times is None else (times.per_ms, times.unit)
    head = _STEPS_ROW - 1
    currency = estimate.quote.pricing.currency
    plan = estimate.shown_plan
    is_sample = plan is not None and plan.is_sample
    net = words.t("Net, {currency}", currency=currency)
    heads = (
        words.t("Cards"),
        words.t("Delivery, {unit}", unit=unit),
        words.t("Net, {currency} (SAMPLE)", currency=currency) if is_sample else net,
    )
    sheet.tall(head)
    sheet.texts(head, SIDE, heads, "head_right")
    money = money_format(currency_digits(currency))
    whole = all(step.delivery_ms % per_ms == 0 for step in steps)
    for place, step in enumerate(steps):
        row = _STEPS_ROW + place
        sheet.number(row, SIDE, step.cards, WHOLE)
        sheet.number(row, SIDE + 1, Decimal(step.delivery_ms) / per_ms, WHOLE if whole else "#,##0.0")
        if step.net is None:
            sheet.text(row, SIDE + 2, words.unknown, "value")
        else:
            sheet.number(row, SIDE + 2, step.net, money)
    useless = [words.number(step.cards) for step in steps if step.useless]
    if useless:
        text = words.t("It gets no shorter with: {cards}.", cards=", ".join(useless))
        row = _STEPS_ROW + len(steps)
        sheet.raw.merge_range(row, SIDE, row, SIDE + 2, "", sheet.book.style("wrapped_note"))
        sheet.text(row, SIDE, text, "wrapped_note")
    _chart(sheet, estimate, len(steps), words.t("Delivery by number of cards, {unit}", unit=unit))


def _chart(sheet: Sheet, estimate: Estimate, count: int, title: str) -> None:
    shown = estimate.shown
    cards = None if shown is None else shown.cards_required
    last = _STEPS_ROW + count - 1
    points = [
        {"fill": {"color": "#0B5D7A" if step.cards == cards else "#A9B4BD"}} for step in estimate.staircase
    ]
    font = {"name": FONT, "size": 9}
    chart: Any = sheet.book.chart({"type": "column"})
    chart.add_series(
        {
            "categories": [sheet.name, _STEPS_ROW, SIDE, last, SIDE],
            "values": [sheet.name, _STEPS_ROW, SIDE + 1, last, SIDE + 1],
            "points": points,
            "gap": 40,
            "data_labels": {"value": True, "font": font} if count <= 12 else {},
        }
    )
    chart.set_title({"name": title, "name_font": {"name": FONT, "size": 11}})
    chart.set_legend({"none": True})
    chart.set_x_axis({"num_font": font})
    chart.set_y_axis(
        {"num_font": font, "min": 0, "major_gridlines": {"visible": True, "line": {"color": "#D5D9DD"}}}
    )
    chart.set_size({"width": 358, "height": 275})
    sheet.raw.insert_chart(2, SIDE, chart, {"description": title})
