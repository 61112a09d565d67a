"""The answer in five cells, as text: cards required, worst peak, delivery, cost, status.

The strip, the terminal, the workbook and the PDF show these, so that they agree to the letter.
"""

from __future__ import annotations

from dataclasses import dataclass

from estimator.evidence import EvidenceKind
from estimator.problems import Absent, Place
from estimator.quote import ConditionState
from estimator.results.estimate import Estimate, OrganisationResult, QuoteStatus
from estimator.results.memory import CardVerdict, Fit
from estimator.wording.phrases import (
    counted_conditions,
    fit_short,
    fit_text,
    gap_text,
    memory_absent,
    working_models,
)
from estimator.wording.wording import Wording


@dataclass(frozen=True, slots=True)
class Answer:
    """One cell: `figure` with its `unit`, one line under it. `tone`: plain, ok, warn or err.

    `short_unit` and `short_line` are for where unit and line have no room; None: there is no shorter one.
    `is_known` is False where the figure is "—"; `place` then leads to what is missing.
    """

    figure: str
    unit: str = ""
    line: str = ""
    kind: EvidenceKind | None = None
    is_known: bool = True
    place: Place | None = None
    tone: str = "plain"
    is_sample: bool = False
    short_unit: str | None = None
    short_line: str | None = None


def cards_answer(words: Wording, estimate: Estimate) -> Answer:
    """Return the cards that work at once, of which model, and the key under them."""
    shown, plan = estimate.shown, estimate.shown_plan
    if shown is None:
        return _missing(words, Absent("no_organisation", ("organisations",)))
    if isinstance(shown.timing, Absent):
        return _missing(words, shown.timing)
    cards = shown.timing.cards
    model = mixed = ""
    if plan is not None:
        models = working_models(estimate.quote, plan.timing)
        if len(models) == 1:
            model = f"× {models[0][1]}" if models[0][1] else ""
        else:
            mixed = " + ".join(f"{words.number(count)} × {name}" for count, name in models)
    at_once, per_task = shown.tasks_at_once or 1, shown.cards_per_task
    tasks = words.n("{count} task at once", "{count} tasks at once", at_once)
    organisation = estimate.quote.organisation(shown.organisation_id)
    if organisation is not None and organisation.slicing is not None:
        line = words.t(
            "{tasks}, up to {slices} on each card",
            tasks=tasks,
            slices=words.number(organisation.slices_per_card),
        )
    else:
        line = words.t(
            "{tasks} × {cards}",
            tasks=tasks,
            cards=words.n("{count} card", "{count} cards", per_task),
        )
    spare = 0 if plan is None else plan.decision.cards - cards
    if mixed:
        line = words.t("{key}; {models}", key=line, models=mixed)
    if spare > 0:
        line = words.t("{key}; {spare} spare", key=line, spare=words.number(spare))
    if not model:
        model = words.n("card", "cards", cards)
    kind = shown.time_kind if estimate.quote.workload.limit is not None else None
    return Answer(words.number(cards), model, line, kind)


def peak_answer(words: Wording, estimate: Estimate) -> Answer:
    """Return the worst card's peak against its own usable bytes; never a sum."""
    shown = estimate.shown
    if shown is None:
        return _missing(words, Absent("no_organisation", ("organisations",)))
    incomplete = next((stage for stage in shown.memory if stage.missing), None)
    worst = [stage.worst for stage in shown.memory if stage.worst is not None]
    if incomplete is not None:
        return _missing(words, memory_absent(estimate.quote, incomplete))
    if not worst:
        place = ("workload", "stages", "", "memory")
        return _missing(words, Absent("missing_memory", place, (("stage", ""),)))
    peak = max(one.peak_bytes for one in worst)
    verdict = memory_verdict(estimate, shown)
    if verdict is None:
        line = words.t("no card chosen yet")
        figure, unit = _split(words.memory(peak))
        return Answer(figure, unit, line, shown.memory_kind)
    peak_text, usable_text = words.memory_pair(peak, verdict.usable_bytes)
    figure, _ = _split(peak_text)
    tone = {Fit.YES: "ok", Fit.IF: "warn", Fit.NO: "err", Fit.UNKNOWN: "plain"}[verdict.fits]
    return Answer(
        figure,
        words.t("of {usable}", usable=usable_text),
        fit_text(words, verdict),
        shown.memory_kind,
        tone=tone,
        short_line=fit_short(words, verdict),
    )


def delivery_answer(words: Wording, estimate: Estimate) -> Answer:
    """Return time zero to the last accepted result, its gap, and the customer's limit."""
    shown = estimate.shown
    if shown is None:
        return _missing(words, Absent("no_organisation", ("organisations",)))
    if isinstance(shown.timing, Absent):
        return _missing(words, shown.timing)
    figure, unit = words.duration_parts(shown.timing.delivery_ms)
    limit = estimate.quote.workload.limit
    limit_ms = None if limit is None else limit.ms
    line = gap_text(words, shown.timing)
    line = line[:1].upper() + line[1:]
    tone = "plain"
    short_line = None
    if limit_ms is not None:
        late = shown.timing.delivery_ms > limit_ms
        tone = "err" if late else "plain"
        limit_text = words.duration(limit_ms)
        if late:
            over = words.duration(shown.timing.delivery_ms - limit_ms)
            line = words.t("{over} over the limit of {limit}", over=over, limit=limit_text)
            short_line = words.t("{over} over the limit", over=over)
        else:
            line = words.t("{gap} · limit {limit}", gap=line, limit=limit_text)
            short_line = words.t("limit {limit}", limit=limit_text)
    from_start = words.t("{unit} from start", unit=unit)
    return Answer(
        figure, from_start, line, shown.time_kind, tone=tone, short_unit=unit, short_line=short_line
    )


def cost_answer(words: Wording, estimate: Estimate) -> Answer:
    """Return the gross cost with net and tax under it; no price, no total."""
    plan = estimate.shown_plan
    if plan is None:
        return _missing(words, no_plan_reason(estimate))
    price = plan.price
    if isinstance(price.gross, Absent) or isinstance(price.net, Absent):
        reason = price.gross if isinstance(price.gross, Absent) else Absent("no_price", ("offers",))
        return _missing(words, reason)
    figure, unit = _split(words.money(price.gross, price.currency))
    if isinstance(price.tax, Absent):
        line = words.t("tax not included")
    else:
        line = words.t(
            "{net} net + {tax} tax{rate}",
            net=words.money(price.net, price.currency, symbol=False),
            tax=words.money(price.tax, price.currency, symbol=False),
            rate=_rate(words, estimate),
        )
    short_line = words.t("{net} net", net=words.money(price.net, price.currency, symbol=False))
    tone = "err" if plan.within_budget is False else "plain"
    return Answer(figure, unit, line, plan.kind, tone=tone, is_sample=plan.is_sample, short_line=short_line)


def no_plan_reason(estimate: Estimate) -> Absent:
    """Return why no plan is shown: a plan without a total, an offer that is not usable, or no price."""
    shown, absent = estimate.shown, Absent("no_price", ("offers",))
    if shown is None:
        return absent
    if shown.plans:
        first = shown.plans[0].price.gross
        return first if isinstance(first, Absent) else absent
    if shown.excluded:
        return shown.excluded[0][1]
    return shown.timing if isinstance(shown.timing, Absent) else absent


def status_answer(words: Wording, estimate: Estimate) -> Answer:
    """Return the state of the quote and how many conditions are open."""
    status = estimate.status
    if status is QuoteStatus.DRAFT:
        missing = sum(1 for one in estimate.problems if one.severity != "warning")
        line = words.n("{count} datum missing", "{count} data missing", missing) if missing else ""
        place = next((one.where for one in estimate.problems if one.severity != "warning"), None)
        return Answer(words.word(status), line=line, place=place)
    tone = {QuoteStatus.PROVISIONAL: "warn", QuoteStatus.FIRM: "ok", QuoteStatus.FAILED: "err"}[status]
    if status is QuoteStatus.FAILED:
        failed = sum(1 for one in estimate.conditions if one.state is ConditionState.FAILED)
        line = words.n("{count} condition failed", "{count} conditions failed", failed)
    elif estimate.open_conditions:
        line = counted_conditions(words, estimate)
    else:
        line = words.t("nothing open")
    return Answer(words.word(status), line=line, tone=tone)


def answers(words: Wording, estimate: Estimate) -> tuple[Answer, Answer, Answer, Answer, Answer]:
    """Return the five cells in their order."""
    return (
        cards_answer(words, estimate),
        peak_answer(words, estimate),
        delivery_answer(words, estimate),
        cost_answer(words, estimate),
        status_answer(words, estimate),
    )


def answer_titles(words: Wording, estimate: Estimate | None) -> tuple[tuple[str, str], ...]:
    """Return each cell's title and its short form."""
    tax = None if estimate is None else estimate.quote.pricing.tax_percent.value
    cost = words.t("Cost") if tax is None else words.t("Cost with tax")
    return (
        (words.t("Cards required"), words.t("Cards")),
        (words.t("Worst card, peak"), words.t("Worst peak")),
        (words.t("Delivery"), words.t("Delivery")),
        (cost, cost),
        (words.t("Status"), words.t("Status")),
    )


def memory_verdict(estimate: Estimate, shown: OrganisationResult) -> CardVerdict | None:
    """Return the verdict on the card of the plan shown, or of the ticked card with least to spare."""
    plan = estimate.shown_plan
    if plan is not None:
        return plan.verdict
    return min(shown.verdicts, key=lambda one: one.spare_bytes or 0, default=None) if shown.verdicts else None


def _rate(words: Wording, estimate: Estimate) -> str:
    percent = estimate.quote.pricing.tax_percent.value
    return "" if percent is None else f" {words.percent(percent)}"


def _split(text: str) -> tuple[str, str]:
    """Return figure and unit of a text such as "0,77 €" or "19,4 GiB"."""
    for index in range(len(text) - 1, -1, -1):
        if text[index] in " \u00a0\u202f":
            return text[:index], text[index + 1 :]
    return text, ""


def _missing(words: Wording, absent: Absent) -> Answer:
    return Answer(words.unknown, line=words.absent(absent), is_known=False, place=absent.where or None)
