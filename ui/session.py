"""The open document: the quote, its undo history, its file and its estimate. Knows no page and no widget.

An edit is a function from a quote to another; the session keeps before and after with a label, which is all that
undo needs. Each change is estimated in the background: the headline first, then the comparisons with a first
sketch of the risk, then what takes seconds: the risk of every plan and which numbers could change the decision.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from estimator import edits
from estimator.estimate import Cancelled, Progress, assessed, completed, headline, sketched
from estimator.problems import FileRefused
from estimator.quote import ProvenPlan, Quote
from estimator.results.estimate import Estimate, Timing
from estimator.storage import quote_to_text, read_quote, save_quote, write_atomically
from ui.proof import Prover
from ui.recovery import RecoveryCopies
from ui.runner import Runner

Edit = Callable[[Quote], Quote]

RECOVERY_SECONDS = 20
_HEADLINE = "headline"
_COMPARISONS = "comparisons"
_RISK = "risk"
WORK_KEYS = (_HEADLINE, _COMPARISONS, _RISK)


@dataclass(frozen=True, slots=True)
class Change:
    """One step of the history. The label is for the menu, already in the window's language."""

    before: Quote
    after: Quote
    label: str


class Session(QObject):
    """One document at a time. `changed`: the quote is another; `estimated`: its estimate arrived."""

    changed = Signal()
    estimated = Signal()
    saved = Signal()
    refused = Signal(object)
    """A FileRefused: the face says it."""
    dropped = Signal(str)
    """What a page asked for under that key will not come."""

    def __init__(
        self,
        runner: Runner,
        today: Callable[[], dt.date],
        recovery_folder: Path | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._runner = runner
        self._today = today
        self.recovery = None if recovery_folder is None else RecoveryCopies(recovery_folder)
        self._recovery_folder = recovery_folder
        self._quote: Quote | None = None
        self._saved: Quote | None = None
        self._path: Path | None = None
        self._untitled = 1
        self._done: list[Change] = []
        self._undone: list[Change] = []
        self._estimate: Estimate | None = None
        self._is_cancelled = False
        self._has_copy = False
        self.proof = Prover(runner, self)
        self.proof.found.connect(self._keep_proof)
        self._proof_label = ""
        self._asked: set[str] = set()
        self._start_timer = QTimer(self)
        self._start_timer.setSingleShot(True)
        self._start_timer.timeout.connect(self.estimate_again)
        self._recovery_timer = QTimer(self)
        self._recovery_timer.setSingleShot(True)
        self._recovery_timer.setInterval(RECOVERY_SECONDS * 1000)
        self._recovery_timer.timeout.connect(self.write_recovery_copy)

    @property
    def today(self) -> dt.date:
        """The day on which prices are judged."""
        return self._today()

    @property
    def quote(self) -> Quote | None:
        """The quote as it stands; None while the start page is shown."""
        return self._quote

    @property
    def estimate(self) -> Estimate | None:
        """The last estimate that arrived; stale where its quote is not `quote`."""
        return self._estimate

    @property
    def is_stale(self) -> bool:
        """Whether the estimate belongs to a former quote."""
        return self._quote is not None and (self._estimate is None or self._estimate.quote is not self._quote)

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody stopped the estimate of the quote as it stands."""
        return self._is_cancelled

    @property
    def path(self) -> Path | None:
        """The file of the quote; None while untitled."""
        return self._path

    @property
    def is_modified(self) -> bool:
        """Whether there is anything that saving would keep."""
        return self._quote is not None and self._quote != self._saved

    @property
    def undo_label(self) -> str | None:
        """What undo would take back; None where there is nothing."""
        return self._done[-1].label if self._done else None

    @property
    def redo_label(self) -> str | None:
        """What redo would do again; None where there is nothing."""
        return self._undone[-1].label if self._undone else None

    def show(self, quote: Quote, path: Path | None = None, *, modified: bool = False) -> None:
        """Open a quote. Opening is never undoable; `modified` marks one that was never saved."""
        self.proof.forget()
        self._quote = quote
        self._saved = None if modified else quote
        self._path = path
        self._done.clear()
        self._undone.clear()
        self._estimate = None
        self._is_cancelled = False
        self._changed()
        # The first look at a large quote comes before the work on it: beside that all would take twice as long.
        self._start_timer.start()

    def close(self) -> None:
        """Show no quote."""
        self.cancel()
        self.proof.forget()
        self.drop_recovery_copy()
        self._is_cancelled = False
        self._quote = self._saved = self._estimate = None
        self._path = None
        self._done.clear()
        self._undone.clear()
        self.changed.emit()

    def open_file(self, path: Path) -> bool:
        """Open a file; where it is refused say so and leave the open quote as it was."""
        try:
            quote = read_quote(path)
        except FileRefused as refusal:
            self.refused.emit(refusal)
            return False
        self.show(quote, path)
        return True

    def save(self, path: Path | None = None) -> bool:
        """Save to `path` or the quote's own file. A refusal costs nothing but its message."""
        target = path or self._path
        if target is None or self._quote is None:
            return False
        try:
            save_quote(self._quote, target)
        except FileRefused as refusal:
            self.refused.emit(refusal)
            return False
        self._path, self._saved = target, self._quote
        self.drop_recovery_copy()
        self.saved.emit()
        return True

    def edit(self, label: str, edit: Edit) -> None:
        """Change the quote by `edit`; one edit is one step. An edit that changes nothing is no step."""
        if self._quote is None:
            return
        after = edit(self._quote)
        if after == self._quote:
            return
        self._done.append(Change(self._quote, after, label))
        self._undone.clear()
        self._quote = after
        self._after_change()

    def undo(self) -> None:
        """Take back the last edit."""
        if self._done:
            change = self._done.pop()
            self._undone.append(change)
            self._quote = change.before
            self._after_change()

    def redo(self) -> None:
        """Do again what was taken back last."""
        if self._undone:
            change = self._undone.pop()
            self._done.append(change)
            self._quote = change.after
            self._after_change()

    def prove(self, label: str) -> None:
        """Prove the plan shown, or find a better one, in a process of its own; what is found is one edit."""
        estimate = self._estimate
        shown = None if estimate is None or self.is_stale else estimate.shown
        if self._quote is None or shown is None or not isinstance(shown.timing, Timing):
            return
        organisation = self._quote.organisation(shown.organisation_id)
        if organisation is not None:
            self._proof_label = label
            self.proof.start(organisation, shown.timing)

    def _keep_proof(self, organisation_id: str, proven: ProvenPlan) -> None:
        if self._quote is not None and self._quote.organisation(organisation_id) is not None:
            self.edit(
                self._proof_label,
                lambda quote: edits.with_organisation(quote, organisation_id, proven=proven),
            )

    def write_recovery_copy(self) -> None:
        """Keep the unsaved quote in the application's own folder, never over the user's file."""
        if self.recovery is None or self._quote is None or not self.is_modified:
            return
        try:
            write_atomically(self.recovery.file, quote_to_text(self._quote).encode("utf-8"))
            self._has_copy = True
        except OSError as error:
            self._refuse_recovery(error)
        except FileRefused as refusal:
            self.refused.emit(refusal)

    def drop_recovery_copy(self) -> None:
        """Forget the recovery copy: the quote is saved, or the planner said so.

        A copy of an earlier session, which the planner has not decided on, stays to be offered again.
        """
        self._recovery_timer.stop()
        if self.recovery is not None and self._has_copy:
            self._has_copy = False
            try:
                self.recovery.file.unlink(missing_ok=True)
            except OSError as error:
                self._refuse_recovery(error)

    def recover(self, quote: Quote) -> None:
        """Open the quote of the recovery copy as untitled; the copy is this session's from now on."""
        self._has_copy = True
        self.show(quote, modified=True)

    def _refuse_recovery(self, error: OSError) -> None:
        self.refused.emit(FileRefused("cannot_access", name=str(self._recovery_folder), reason=str(error)))

    def estimate_again(self) -> None:
        """Estimate the quote as it stands in the background, the headline first."""
        self._start_timer.stop()
        if self._quote is None:
            return
        self._is_cancelled = False
        self._runner.cancel(_COMPARISONS)
        self._runner.cancel(_RISK)
        self._runner.run(
            _HEADLINE, _headline_work, self._quote, self._today(), on_done=self._headline_arrived
        )

    def cancel(self) -> None:
        """Stop estimating. The former estimate stays, stale; any change, or `estimate_again`, starts anew."""
        self._is_cancelled = self._quote is not None
        self._start_timer.stop()
        for key in WORK_KEYS:
            self._runner.cancel(key)
        for key in tuple(self._asked):
            self.stop_work(key)

    def work(
        self,
        key: str,
        function: Callable[..., object],
        *args: object,
        on_done: Callable[[Any], None],
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        """Run what a page needs beside the estimate; what ran under `key` is overtaken.

        It is cancelled with the estimate. `on_done` and `on_progress` are called in the window's thread.
        """
        self._asked.add(key)
        self._runner.run(key, function, *args, on_done=on_done, on_progress=on_progress)

    def is_working(self, key: str) -> bool:
        """Whether a result under `key` is on its way."""
        return self._runner.is_running(key)

    def stop_work(self, key: str) -> None:
        """Drop what runs under `key`: nobody wants it any more."""
        was_wanted = self._runner.is_running(key)
        self._runner.cancel(key)
        if was_wanted:
            self.dropped.emit(key)

    def _after_change(self) -> None:
        self.proof.forget_reason()
        self._changed()
        self.estimate_again()

    def _changed(self) -> None:
        if self.recovery is not None and self.is_modified and not self._recovery_timer.isActive():
            self._recovery_timer.start()
        self.changed.emit()

    def _headline_arrived(self, estimate: Estimate) -> None:
        if estimate.quote is not self._quote:
            return
        self._estimate = estimate
        if self.proof.state.is_running:
            proving = estimate.organisation(self.proof.state.organisation_id)
            self.proof.follow(None if proving is None else proving.timing)
        self.estimated.emit()
        self._runner.run(_COMPARISONS, _comparison_work, estimate, on_done=self._comparisons_arrived)

    def _comparisons_arrived(self, estimate: Estimate) -> None:
        if estimate.quote is self._quote:
            self._estimate = estimate
            self.estimated.emit()
            self._runner.run(_RISK, _risk_work, estimate, on_done=self._risk_arrived)

    def _risk_arrived(self, estimate: Estimate) -> None:
        if estimate.quote is self._quote:
            self._estimate = estimate
            self.estimated.emit()


def _headline_work(quote: Quote, today: dt.date, *, progress: Progress, cancelled: Cancelled) -> Estimate:
    return headline(quote, today, progress, cancelled)


def _comparison_work(estimate: Estimate, *, progress: Progress, cancelled: Cancelled) -> Estimate:
    return completed(sketched(estimate, cancelled=cancelled), progress, cancelled)


def _risk_work(estimate: Estimate, *, progress: Progress, cancelled: Cancelled) -> Estimate:
    return assessed(estimate, progress, cancelled)
