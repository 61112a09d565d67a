"""The line of the schedule that says how far from proven the plan is, and proves it.

Above the bound: the gap and a button. While it is proved: the best plan and bound so far, and a way to stop. After
it: what was proved, by what, or why it was not. It runs nothing itself.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from estimator.plan.proving import has_other_proof
from estimator.quote import Quote
from estimator.results.estimate import Estimate, Timing
from estimator.schedule.prove import REQUIREMENT
from estimator.wording import Wording
from ui.proof import ProofState
from ui.theme import TextRole, Theme
from ui.widgets.icons import pixmap


@dataclass(frozen=True, slots=True)
class ProofLook:
    """What the line shows. `mark` is the icon's name and colour; nothing is shown without a sentence."""

    sentence: str = ""
    mark: tuple[str, str] = ("info", "accent")
    can_prove: bool = False
    is_running: bool = False


class ProofLine(QWidget):
    """`asked`: prove. `cancelled`: stop."""

    asked = Signal()
    cancelled = Signal()

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._look = ProofLook()
        self._icon = QLabel()
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.button = QPushButton(words.t("Prove"))
        self.button.setToolTip(words.t("Prove that no plan is earlier, or find one (Ctrl+Shift+P)"))
        self.button.clicked.connect(self.asked)
        self.cancel = QPushButton(words.t("Cancel"))
        self.cancel.clicked.connect(self.cancelled)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self.text, 1)
        row.addWidget(self.button)
        row.addWidget(self.cancel)
        self.show_look(self._look)
        theme.changed.connect(self._dress)

    def show_look(self, look: ProofLook) -> None:
        """Show it; the focus goes from one button to the other where they are exchanged."""
        had_focus = self.button.hasFocus() or self.cancel.hasFocus()
        self._look = look
        self.setVisible(bool(look.sentence))
        self.text.setText(look.sentence)
        self.cancel.setVisible(look.is_running)
        self.button.setVisible(look.can_prove)
        if had_focus and (look.is_running or look.can_prove):
            (self.cancel if look.is_running else self.button).setFocus(Qt.FocusReason.OtherFocusReason)
        self._dress()

    def _dress(self) -> None:
        name, color = self._look.mark
        self._icon.setPixmap(pixmap(name, self._theme.color(color)))
        self.text.setFont(self._theme.font(TextRole.BODY))


def proof_look(words: Wording, quote: Quote, estimate: Estimate | None, state: ProofState) -> ProofLook:
    """Return what is to be said of the shown plan's proof."""
    shown = None if estimate is None else estimate.shown
    if shown is None or not isinstance(shown.timing, Timing):
        return ProofLook()
    organisation, timing = quote.organisation(shown.organisation_id), shown.timing
    if organisation is None:
        return ProofLook()
    of_this = state.organisation_id == shown.organisation_id
    can_prove = not timing.schedule.is_optimal
    if of_this and state.is_running:
        return ProofLook(_running(words, state), is_running=True)
    if of_this and state.code:
        # Only the sentence on the missing extra has a gap; this very Python is the one to install it in.
        values = {"command": f'"{sys.executable}" -m pip install "{REQUIREMENT}"'}
        return ProofLook(words.sentence(state.code, values), ("triangle", "warn"), can_prove)
    if organisation.proven is None:
        return ProofLook(_open_gap(words, timing), can_prove=True) if can_prove else ProofLook()
    if has_other_proof(organisation, timing):
        sentence = words.t("The saved proof is of other tasks or cards and is not used here.")
        return ProofLook(sentence, ("triangle", "warn"), can_prove)
    return _kept(words, timing, organisation.proven.by, can_prove)


def _open_gap(words: Wording, timing: Timing) -> str:
    gap_ms = timing.delivery_ms - timing.lower_bound_ms
    return words.t("Not proven: a plan up to {gap} earlier may exist.", gap=words.duration(gap_ms))


def _running(words: Wording, state: ProofState) -> str:
    if state.delivery_ms < 0:
        return words.t("Proving…")
    return words.t(
        "Proving: best plan so far {delivery}, lower bound {bound}.",
        delivery=words.duration(state.delivery_ms),
        bound=words.duration(state.bound_ms),
    )


def _kept(words: Wording, timing: Timing, solver: str, can_prove: bool) -> ProofLook:
    if not can_prove:
        sentence = words.t(
            "Proven by {solver}: no plan on these cards delivers before {bound}. Saved with the quote.",
            solver=solver,
            bound=words.duration(timing.lower_bound_ms),
        )
        return ProofLook(sentence, ("tick", "accent"))
    sentence = words.t(
        "Proven by {solver}: no plan on these cards delivers before {bound}, {gap} before this one. Saved with "
        "the quote.",
        solver=solver,
        bound=words.duration(timing.lower_bound_ms),
        gap=words.duration(timing.delivery_ms - timing.lower_bound_ms),
    )
    return ProofLook(sentence, can_prove=True)
