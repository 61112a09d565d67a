"""What stands beside the shown plan's rent: whether a faster plan saves any, idle time, and what makes it flip.

Flips take seconds: they are looked for on request, in the background, and are forgotten with the next edit.
"""

from __future__ import annotations

from functools import partial
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from estimator.estimate import Cancelled, Progress, with_flips
from estimator.problems import Absent
from estimator.results.estimate import Estimate
from estimator.wording import Wording
from estimator.wording.rent import (
    break_even_text,
    equivalent_text,
    flip_text,
    idle_text,
    point_text,
    rent_proof,
    same_rent_sentence,
)
from ui.session import Session
from ui.theme import TextRole, Theme

_FLIPS = "flips"


class RentBox(QFrame):
    """The sentences about the rent of the plan shown, and the search for what makes another plan the cheapest."""

    def __init__(self, session: Session, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._words = words
        self._estimate: Estimate | None = None
        self.setProperty("look", "box")
        title = QLabel(words.t("What makes it flip"))
        title.setFont(theme.font(TextRole.SECTION))
        self.text = _sentences()
        self.found = _sentences()
        self.search = QPushButton(words.t("Look for what flips it"))
        self.search.setToolTip(
            words.t("Changes prices, times and number of tasks until another plan is the cheapest")
        )
        self.search.clicked.connect(self.look)
        self.cancel = QPushButton(words.t("Cancel"))
        self.cancel.setAccessibleName(words.t("Cancel the search for what flips it"))
        self.cancel.clicked.connect(lambda: session.stop_work(_FLIPS))
        self.progress = QProgressBar()
        self.progress.setRange(0, 100)
        self.progress.setTextVisible(False)
        self.progress.setMaximumHeight(12)
        self.progress.setAccessibleName(words.t("Progress"))
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.search)
        below.addWidget(self.progress, 1)
        below.addWidget(self.cancel)
        below.addStretch(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 10)
        column.setSpacing(6)
        column.addWidget(title)
        column.addWidget(self.text)
        column.addWidget(self.found)
        column.addLayout(below)
        session.changed.connect(self._forget)
        session.dropped.connect(self._dropped)
        self.destroyed.connect(partial(_stop, session))
        self._show_search(False)
        self.found.hide()

    def show_estimate(self, estimate: Estimate | None) -> None:
        """Show what is said of the rent; nothing before it is computed."""
        self._estimate = estimate
        lines = () if estimate is None else rent_lines(self._words, estimate)
        self.setVisible(estimate is not None and estimate.rental is not None)
        self.text.setText(_paragraphs(lines))
        self.text.setVisible(bool(lines))
        has_plan = estimate is not None and bool(estimate.recommended_plan_id)
        self.search.setEnabled(has_plan and not self._session.is_stale)

    def look(self) -> None:
        """Begin to look for what flips the recommended plan."""
        if self._estimate is None:
            return
        self._show_search(True)
        self._session.work(
            _FLIPS, _flip_work, self._estimate, on_done=self._arrived, on_progress=self._progressed
        )

    def stops(self) -> list[QWidget]:
        """Return what takes the focus, in reading order."""
        return [self.search, self.cancel]

    def _arrived(self, estimate: Estimate) -> None:
        self._show_search(False)
        if estimate.quote is not self._session.quote or estimate.rental is None:
            return
        self.found.setText(_paragraphs(flip_lines(self._words, estimate)))
        self.found.show()

    def _progressed(self, share: float) -> None:
        self.progress.setValue(round(100 * share))

    def _dropped(self, key: str) -> None:
        if key == _FLIPS:
            self._show_search(False)

    def _forget(self) -> None:
        self._session.stop_work(_FLIPS)
        self.found.hide()

    def _show_search(self, is_running: bool) -> None:
        had_focus = self.search.hasFocus() or self.cancel.hasFocus()
        self.progress.setValue(0)
        self.search.setVisible(not is_running)
        self.progress.setVisible(is_running)
        self.cancel.setVisible(is_running)
        if had_focus:
            (self.cancel if is_running else self.search).setFocus(Qt.FocusReason.OtherFocusReason)


def rent_lines(words: Wording, estimate: Estimate) -> tuple[str, ...]:
    """Return what is said of the shown plan's rent, one sentence a line."""
    study, quote, plan = estimate.rental, estimate.quote, estimate.shown_plan
    if study is None:
        return ()
    proof = "" if plan is None else rent_proof(words, quote, plan)
    return (
        *(same_rent_sentence(words, one) for one in study.same_rent[:1]),
        *((proof,) if proof else ()),
        *_within_budget(words, estimate),
        *(idle_text(words, quote, one) for one in study.idle),
        *(equivalent_text(words, quote, one) for one in study.equivalents),
        *(break_even_text(words, quote, one) for one in study.term_break_evens),
    )


def _within_budget(words: Wording, estimate: Estimate) -> tuple[str, ...]:
    """Return what delivers first within the budget, or why nothing does; nothing without a budget."""
    study = estimate.rental
    if study is None or study.fastest is None:
        return ()
    if isinstance(study.fastest, Absent):
        return (words.t("Within the budget: {reason}", reason=words.absent(study.fastest)),)
    return (
        words.t(
            "Within the budget, {holds} delivers first, in {delivery}.",
            holds=point_text(words, estimate.quote, study.fastest),
            delivery=words.duration(study.fastest.delivery_ms),
        ),
    )


def flip_lines(words: Wording, estimate: Estimate) -> tuple[str, ...]:
    """Return what makes another plan the cheapest, one line each; those that change nothing come last."""
    flips = () if estimate.rental is None else estimate.rental.flips
    if not flips:
        return (words.t("Nothing was found to change: no plan is recommended."),)
    return tuple(
        flip_text(words, estimate.quote, one) for one in sorted(flips, key=lambda one: one.at is None)
    )


def _stop(session: Session, *_: object) -> None:
    session.stop_work(_FLIPS)


def _flip_work(estimate: Estimate, *, progress: Progress, cancelled: Cancelled) -> Estimate:
    return with_flips(estimate, cancelled, progress)


def _sentences() -> QLabel:
    label = QLabel()
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _paragraphs(lines: tuple[str, ...]) -> str:
    return "".join(f'<p style="margin-top:0px; margin-bottom:4px">{escape(line)}</p>' for line in lines)
