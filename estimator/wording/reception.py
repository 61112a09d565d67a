"""The trial at reception as rows of text: what was estimated, and what a person observed, side by side.

For the reference and the organisation shown. Observed cells are never filled by the program.
"""

from __future__ import annotations

from dataclasses import dataclass

from estimator.quote import Quote
from estimator.results.estimate import Estimate, OrganisationResult, Timing
from estimator.wording.wording import Wording

MOST_PEAKS = 8
ACCEPTED_TIME, STORAGE_READ, ERRORS = "accepted_time", "storage_read", "errors"
INPUTS, EQUAL, ALL_PEAKS = "inputs", "equal", "peak:all"


@dataclass(frozen=True, slots=True)
class TrialCell:
    """What one organisation has in a row: the estimate as text, what was observed, whether it applies."""

    organisation_id: str
    estimated: str
    observed: str
    applies: bool = True


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One thing to observe."""

    id: str
    name: str
    cells: tuple[TrialCell, ...]


def trial_organisations(quote: Quote, estimate: Estimate | None) -> tuple[str, ...]:
    """Return the reference and the organisation shown, once where they are the same."""
    reference = quote.reference
    ids = [] if reference is None else [reference.id]
    if estimate is not None and quote.organisation(estimate.shown_organisation_id) is not None:
        ids.append(estimate.shown_organisation_id)
    return tuple(dict.fromkeys(ids))


def trial_rows(words: Wording, quote: Quote, estimate: Estimate | None) -> tuple[TrialRow, ...]:
    """Return what to observe, with estimates where there are some."""
    ids = trial_organisations(quote, estimate)
    results = [None if estimate is None else estimate.organisation(one) for one in ids]
    cards = max((_cards(result) for result in results), default=0)
    peaks = [(f"peak:{card}", card) for card in range(1, cards + 1)] if cards <= MOST_PEAKS else []
    made = [_row(words, quote, ids, results, ACCEPTED_TIME, words.t("Time to the accepted result"))]
    for key, card in peaks:
        name = words.t("Peak of card {card}", card=words.number(card))
        made.append(_row(words, quote, ids, results, key, name))
    if not peaks:
        made.append(_row(words, quote, ids, results, ALL_PEAKS, words.t("Highest peak of the cards")))
    for key, name in (
        (STORAGE_READ, words.t("Read from storage")),
        (ERRORS, words.t("Errors")),
        (INPUTS, words.t("Inputs = accepted + rejected + missing")),
        (EQUAL, words.t("Equal quality, versions and settings")),
    ):
        made.append(_row(words, quote, ids, results, key, name))
    return tuple(made)


def _cards(result: OrganisationResult | None) -> int:
    if result is None:
        return 1
    return result.timing.cards if isinstance(result.timing, Timing) else result.cards_per_task


def _row(
    words: Wording,
    quote: Quote,
    ids: tuple[str, ...],
    results: list[OrganisationResult | None],
    key: str,
    name: str,
) -> TrialRow:
    seen = {(one.id, one.organisation_id): one.value or "" for one in quote.trial.observations}
    cells = []
    for organisation_id, result in zip(ids, results, strict=True):
        applies = not (key.startswith("peak:") and key != ALL_PEAKS and int(key[5:]) > _cards(result))
        estimated = _estimate_of(words, quote, result, key) if applies else words.unknown
        cells.append(TrialCell(organisation_id, estimated, seen.get((key, organisation_id), ""), applies))
    return TrialRow(key, name, tuple(cells))


def _estimate_of(words: Wording, quote: Quote, result: OrganisationResult | None, key: str) -> str:
    if key == INPUTS:
        main = quote.workload.main_stage
        return words.unknown if main is None else words.number(main.tasks.total)
    if key == EQUAL:
        return words.t("required")
    if key in (STORAGE_READ, ERRORS):
        return words.t("not estimated")
    if result is None:
        return words.unknown
    if key == ACCEPTED_TIME:
        timing = result.timing
        return words.duration(timing.delivery_ms) if isinstance(timing, Timing) else words.unknown
    peaks = [stage.worst.peak_bytes for stage in result.memory if stage.worst is not None]
    return (
        words.memory(max(peaks)) if peaks and not any(one.missing for one in result.memory) else words.unknown
    )
