"""The trial at reception as a table: its columns, its cells, and what was observed as an edit.

Observed cells are what a person wrote; the program never fills them.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPen
from PySide6.QtWidgets import QPlainTextEdit, QStyleOptionViewItem, QWidget

from estimator.evidence import EvidenceKind
from estimator.quote import Observation, Quote
from estimator.wording import Wording
from estimator.wording.phrases import organisation_name
from estimator.wording.reception import TrialRow
from ui.models.table import Column
from ui.models.table_view import CellDelegate


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
