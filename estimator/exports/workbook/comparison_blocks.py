"""The block of the first sheet that compares the reference with the organisation shown, and lists the others.

It is what the program calculated, and does not follow the yellow cells: it says so.
"""

from __future__ import annotations

from decimal import Decimal

from estimator.exports.workbook.cells import WHOLE, Sheet, money_format
from estimator.exports.workbook.schedule_sheet import ScheduleCells
from estimator.price import currency_digits
from estimator.problems import Absent
from estimator.results.estimate import Estimate, OrganisationResult, Timing
from estimator.units import MS_PER_MINUTE
from estimator.wording import Wording
from estimator.wording.numbers import NO_BREAK_SPACE
from estimator.wording.phrases import key_text, organisation_name

LABEL, VALUE, UNIT, EVIDENCE, SOURCE = range(1, 6)


def time_format(ms: int, per_ms: int) -> str:
    """Return the format of one time that stays as calculated: a whole number without decimals, else with one."""
    return WHOLE if ms % per_ms == 0 else "#,##0.0"


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
    heads = (key_of(estimate, base, words), key_of(estimate, other, words), words.t("Difference"))
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
    sheet.text(row, SOURCE, against_limit(estimate, (base, other), words), "wrapped_muted")
    row += 1
    currency = estimate.quote.pricing.currency
    nets = [net_of(one) for one in (base, other)]
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
    sheet.text(row, SOURCE, sample_text((base, other), words), "wrapped_muted")
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
        sheet.text(row, LABEL, key_of(estimate, one, words), "wrapped")
        value = Decimal(one.timing.delivery_ms) / per_ms
        sheet.number(row, VALUE, value, time_format(one.timing.delivery_ms, per_ms))
        sheet.number(row, UNIT, one.timing.cards, WHOLE)
        net = net_of(one)
        if net is None:
            sheet.text(row, EVIDENCE, words.unknown, "value")
        else:
            sheet.number(row, EVIDENCE, net, money_format(currency_digits(currency)))
        sheet.text(row, SOURCE, sample_text((one,), words), "wrapped_muted")
    return row + 1


def _compared(sheet: Sheet, row: int, label: str, one_ms: int, two_ms: int, per_ms: int) -> None:
    sheet.text(row, LABEL, label, "wrapped")
    for place, ms in enumerate((one_ms, two_ms)):
        sheet.number(row, VALUE + place, Decimal(ms) / per_ms, time_format(ms, per_ms))
    formula = f"{sheet.here(row, UNIT)}-{sheet.here(row, VALUE)}"
    difference = two_ms - one_ms
    sheet.formula(row, EVIDENCE, formula, Decimal(difference) / per_ms, time_format(difference, per_ms))
    sheet.text(row, SOURCE, "", "wrapped_muted")


def key_of(estimate: Estimate, one: OrganisationResult, words: Wording) -> str:
    """Return an organisation by its name and its key, which no line end breaks: "B, 2 × 1"."""
    return f"{name_of(estimate, one)}, {key_text(words, one).replace(' ', NO_BREAK_SPACE)}"


def name_of(estimate: Estimate, one: OrganisationResult) -> str:
    """Return what an organisation is called."""
    organisation = estimate.quote.organisation(one.organisation_id)
    return one.organisation_id if organisation is None else organisation_name(organisation)


def net_of(one: OrganisationResult) -> Decimal | None:
    """Return the net of an organisation's best plan, or None."""
    plan = one.plan(one.best_plan_id)
    return None if plan is None or isinstance(plan.price.net, Absent) else plan.price.net


def sample_text(results: tuple[OrganisationResult, ...], words: Wording) -> str:
    """Return that prices are samples, where one of the best plans has such."""
    plans = [one.plan(one.best_plan_id) for one in results]
    return words.t("SAMPLE prices") if any(plan is not None and plan.is_sample for plan in plans) else ""


def against_limit(estimate: Estimate, results: tuple[OrganisationResult, ...], words: Wording) -> str:
    """Return by how much each is late or early; empty where there is no limit."""
    limit = estimate.quote.workload.limit
    if limit is None or limit.ms is None:
        return ""
    texts = []
    for one in results:
        if isinstance(one.timing, Absent):
            continue
        spare = limit.ms - one.timing.delivery_ms
        if spare < 0:
            late = words.t("{name} is {late} late", name=name_of(estimate, one), late=words.duration(-spare))
            texts.append(late)
        else:
            text = words.t(
                "{name} has {spare} to spare", name=name_of(estimate, one), spare=words.duration(spare)
            )
            texts.append(text)
    return "; ".join(texts)
