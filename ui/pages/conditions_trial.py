"""The trial at reception: estimated and observed side by side, for the reference and the organisation shown.

Observed cells are what a person wrote; the program never fills them.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPen
from PySide6.QtWidgets import QPlainTextEdit, QStyleOptionViewItem, QWidget

from estimator.evidence import EvidenceKind
from estimator.quote import Observation, Quote
from estimator.results.estimate import Estimate, OrganisationResult, Timing
from estimator.wording import Wording
from estimator.wording.phrases import organisation_name
from ui.models.table import Column
from ui.models.table_view import CellDelegate

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


def trial_columns(words: Wording, quote: Quote, ids: tuple[str, ...]) -> tuple[Column[TrialRow], ...]:
    """Return the columns: what, then estimated and observed of each organisation."""
    columns: list[Column[TrialRow]] = [Column(words.t("Reception trial"), lambda row: row.name)]
    for at, organisation_id in enumerate(ids):
        organisation = quote.organisation(organisation_id)
        name = organisation_id if organisation is None else organisation_name(organisation)
        columns += [
            _estimated(words.t("{organisation}, estimated", organisation=name), at),
            _observed(words.t("{organisation}, observed", organisation=name), at),
        ]
    return tuple(columns)


def with_observation(quote: Quote, organisation_id: str, observation_id: str, text: str) -> Quote:
    """Return the quote with what was observed; blank text leaves the cell empty again."""
    trial = quote.trial
    kept = tuple(
        one
        for one in trial.observations
        if (one.id, one.organisation_id) != (observation_id, organisation_id)
    )
    if text.strip():
        made = Observation(id=observation_id, organisation_id=organisation_id, value=text.strip())
        kept = (*kept, made)
    return quote.replaced(trial=trial.replaced(observations=kept))


class TrialDelegate(CellDelegate):
    """Draws a dashed frame into an empty cell that waits for an observation."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        if index.flags() & Qt.ItemFlag.ItemIsEditable and not index.data():
            pen = QPen(self._theme.color("control"), 1)
            pen.setDashPattern([3, 2])
            painter.save()
            painter.setPen(pen)
            painter.drawRoundedRect(QRectF(option.rect).adjusted(8.5, 3.5, -8.5, -4.5), 3, 3)
            painter.restore()


class PastedText(QPlainTextEdit):
    """A box for pasted text: commits when the focus leaves it; Tab leaves it too."""

    committed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)

    def set_value(self, text: str) -> None:
        """Show a text, unless another is being edited."""
        if not (self.hasFocus() and self.toPlainText() != self._shown):
            self._shown = text
            if text != self.toPlainText():
                self.setPlainText(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        text = self.toPlainText()
        if text != self._shown:
            self._shown = text
            self.committed.emit(text)


def _estimated(header: str, at: int) -> Column[TrialRow]:
    return Column(header, lambda row: row.cells[at].estimated, right=True, color=lambda row: "muted")


def _observed(header: str, at: int) -> Column[TrialRow]:
    def kind(row: TrialRow) -> EvidenceKind | None:
        return EvidenceKind.MEASURED if row.cells[at].observed else None

    return Column(
        header,
        lambda row: row.cells[at].observed if row.cells[at].applies else "—",
        right=True,
        editable=lambda row: row.cells[at].applies,
        edit_text=lambda row: row.cells[at].observed,
        evidence=kind,
    )


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
