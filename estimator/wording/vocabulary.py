"""What the quote says, as rows of text: the shared vocabulary, the capacity request, and what stays open.

The texts are in the language of the document, which may differ from the window's.
"""

from __future__ import annotations

from dataclasses import dataclass

from estimator.quote import Quote, StageKind
from estimator.results.estimate import Estimate, OrganisationResult, QuoteStatus, Timing
from estimator.wording.numbers import NumberFormat
from estimator.wording.phrases import (
    condition_text,
    counted_conditions,
    holding_text,
    organisation_name,
    paid_text,
)
from estimator.wording.slicing import per_task_text, slicing_text
from estimator.wording.wording import Language, Wording

MOST_CLAIMS = 60
"""Conditions that the page lists; it counts those after them, which the page of conditions and the files list."""


@dataclass(frozen=True, slots=True)
class VocabularyRow:
    """One thing as purchasing says it, as the application says it, and as this quote says it."""

    purchasing: str
    application: str
    here: str


@dataclass(frozen=True, slots=True)
class RequestLine:
    """One line of the capacity request."""

    name: str
    value: str


def document_words(quote: Quote, fallback: Wording) -> Wording:
    """Return the words of the document; the number format is the window's where the quote's is not known."""
    known = quote.number_format in {one.value for one in NumberFormat}
    number_format = NumberFormat(quote.number_format) if known else fallback.number_format
    return Wording(Language(quote.language), number_format)


def vocabulary(words: Wording, quote: Quote, estimate: Estimate | None) -> tuple[VocabularyRow, ...]:
    """Return what each side calls the same things."""
    work = quote.workload
    rows: list[VocabularyRow] = []
    shown = None if estimate is None else estimate.shown
    if estimate is not None and shown is not None:
        rows += _card_rows(words, quote, estimate, shown)
    main = work.main_stage
    unit = work.computation_unit
    if main is not None and unit:
        rows.append(
            VocabularyRow(
                words.t("1 order"),
                words.t("{count} × {unit}", count=words.number(main.tasks.total), unit=unit),
                words.t("Unit of computation: {unit}", unit=unit),
            )
        )
    if work.delivery_unit:
        each = work.units_per_delivery
        here = words.t("Unit of delivery: {unit}", unit=work.delivery_unit)
        if each is not None:
            here = words.t(
                "Unit of delivery: {unit}, {count} in each",
                unit=work.delivery_unit,
                count=words.number(each),
            )
        rows.append(VocabularyRow(words.t("1 delivery"), work.delivery_unit, here))
    for stage in work.stages:
        if stage.kind is StageKind.STATION:
            durations = [ms for ms in stage.tasks.duration_ms if ms is not None]
            what = stage.name
            if durations:
                what = words.t(
                    "{stage}, {duration}", stage=stage.name, duration=words.duration(max(durations))
                )
            rows.append(VocabularyRow(words.unknown, what, words.t("At a station, without a card")))
    if work.accepted_result:
        here = words.t("Accepted result: delivery counts up to it")
        rows.append(VocabularyRow(words.t("Reception"), work.accepted_result, here))
    return tuple(rows)


def request_lines(words: Wording, quote: Quote, estimate: Estimate | None) -> tuple[RequestLine, ...]:
    """Return what a seller must offer: tasks at once, cards per task, memory of each card, limit."""
    shown = None if estimate is None else estimate.shown
    if estimate is None or shown is None:
        return ()
    unknown = words.unknown
    at_once = unknown if shown.tasks_at_once is None else words.number(shown.tasks_at_once)
    lines = [
        RequestLine(words.t("Tasks at once"), at_once),
        RequestLine(words.t("Cards per task"), per_task_text(words, shown)),
    ]
    peaks = [stage.worst.peak_bytes for stage in shown.memory if stage.worst is not None]
    complete = bool(peaks) and not any(stage.missing for stage in shown.memory)
    peak = words.memory(max(peaks)) if complete else unknown
    of_each = words.t("Usable memory of each card, at least")
    if shown.slices_per_card > 1:
        of_each = words.t("Usable memory of each slice, at least")
    lines.append(RequestLine(of_each, peak))
    organisation = quote.organisation(shown.organisation_id)
    if organisation is not None and organisation.slicing is not None:
        text = slicing_text(words, organisation.slicing, quote.cards)
        lines.append(RequestLine(words.t("Cards in slices"), text))
    if shown.cards_per_task > 1 and organisation is not None:
        crosses = all(one.may_cross_nodes for one in organisation.layouts)
        together = words.t("may lie in several nodes") if crosses else words.t("inside one node")
        lines.append(RequestLine(words.t("Cards of one task"), together))
    limit = quote.workload.limit
    if limit is not None and limit.ms is not None:
        lines.append(RequestLine(words.t("Delivery, at most"), words.duration(limit.ms)))
    return tuple(lines)


def indispensable(words: Wording, estimate: Estimate | None) -> tuple[str, ...]:
    """Return the open conditions without which the quote is not firm, as `MOST_CLAIMS` says."""
    return _open_claims(words, estimate, decisive=True)


def other_conditions(words: Wording, estimate: Estimate | None) -> tuple[str, ...]:
    """Return the open conditions that do not change the decision, as `MOST_CLAIMS` says."""
    return _open_claims(words, estimate, decisive=False)


def standing_text(words: Wording, estimate: Estimate | None) -> str:
    """Return what the state of the quote means to whoever receives it; empty where it is firm."""
    if estimate is None or estimate.status is QuoteStatus.FIRM:
        return ""
    if estimate.status is QuoteStatus.DRAFT:
        return words.t("DRAFT: there is no answer yet.")
    if estimate.status is QuoteStatus.FAILED:
        return words.t("FAILED: a condition did not hold. This quote cannot be kept.")
    counted = counted_conditions(words, estimate)
    return words.t(
        "PROVISIONAL: {counted}. The document says so while a decisive condition is open.", counted=counted
    )


def _open_claims(words: Wording, estimate: Estimate | None, *, decisive: bool) -> tuple[str, ...]:
    if estimate is None:
        return ()
    found = [one for one in estimate.open_conditions if one.decisive is decisive]
    claims = [condition_text(words, one, estimate.quote) for one in found[:MOST_CLAIMS]]
    if len(found) > MOST_CLAIMS:
        claims.append(words.t("and {count} more", count=words.number(len(found) - MOST_CLAIMS)))
    return tuple(claims)


def _card_rows(
    words: Wording, quote: Quote, estimate: Estimate, shown: OrganisationResult
) -> list[VocabularyRow]:
    if not isinstance(shown.timing, Timing):
        return []
    at_once, per_task = shown.tasks_at_once or 1, shown.cards_per_task
    if shown.slices_per_card > 1:
        application = words.n(
            "{count} process, on a slice of a card", "{count} processes, one a slice of a card", at_once
        )
    elif per_task == 1:
        application = words.n("{count} process, on one card", "{count} processes, one a card", at_once)
    else:
        application = words.n(
            "{count} task over {cards} cards",
            "{count} tasks at once, each over {cards} cards",
            at_once,
            cards=words.number(per_task),
        )
    organisation = quote.organisation(shown.organisation_id)
    here = words.t(
        "Organisation {organisation}: {tasks} × {cards}",
        organisation=shown.organisation_id if organisation is None else organisation_name(organisation),
        tasks=words.n("{count} task at once", "{count} tasks at once", at_once),
        cards=words.n("{count} card per task", "{count} cards per task", per_task)
        if shown.slices_per_card == 1
        else per_task_text(words, shown),
    )
    cards = words.n("{count} card", "{count} cards", shown.timing.cards)
    rows = [VocabularyRow(cards, application, here)]
    plan = estimate.shown_plan
    if plan is not None:
        held = " + ".join(holding_text(words, quote, one) for one in plan.holdings)
        where = words.t("Where the processes run")
        rows.append(VocabularyRow(held, where, words.t("Paid: {paid}", paid=paid_text(words, plan))))
    return rows
