"""The proof of a plan as the window sees it: one at a time, how far it is, and why there is none.

The work runs in a thread that waits for a process of its own; this object lives as long as the session, so that
turning pages or changing the language loses nothing. What was proved becomes an edit of the quote.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from estimator.plan.proving import ProofTask, proof_task, proved
from estimator.quote import Organisation, ProvenPlan
from estimator.results.estimate import Timing
from estimator.schedule import ProofRefused, SolveStopped
from ui.runner import Runner

PROOF = "proof"
Prove = Callable[[ProofTask, Callable[[int, int], object], Callable[[], bool]], ProvenPlan]


@dataclass(frozen=True, slots=True)
class ProofState:
    """`organisation_id` is of the last proof asked for. Figures in ms, -1 while not known.

    `code`: why there is none: a ProofRefused's, `proof_cancelled`, `proof_overtaken`, `proof_needless` or
    `proof_optimal`.
    """

    organisation_id: str = ""
    is_running: bool = False
    delivery_ms: int = -1
    bound_ms: int = -1
    code: str = ""


class Prover(QObject):
    """Runs proofs. `found` carries the organisation's id and the ProvenPlan to keep with it."""

    changed = Signal()
    found = Signal(str, object)
    _told = Signal(object, int, int)

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.prove: Prove = proved
        self.state = ProofState()
        self._runner = runner
        self._timing: Timing | None = None
        self._told.connect(self._hear)

    def start(self, organisation: Organisation, timing: Timing) -> None:
        """Prove the timing's plan, or find a better one; a proof that runs already goes on."""
        if self.state.is_running:
            return
        if timing.schedule.is_optimal:
            self._show(ProofState(organisation.id, code="proof_optimal"))
            return
        self._timing = timing
        self._show(ProofState(organisation.id, is_running=True))
        self._runner.run(
            PROOF,
            _proof_work,
            organisation,
            timing,
            self.prove,
            partial(self._told.emit, timing),
            on_done=self._done,
            on_failed=self._failed,
        )

    def cancel(self, code: str = "proof_cancelled") -> None:
        """Kill the proof that runs; the quote stays as it is."""
        if self.state.is_running:
            self._runner.cancel(PROOF)
            self._show(ProofState(self.state.organisation_id, code=code))

    def forget(self) -> None:
        """Stop, and say nothing of it: another document is shown."""
        self._runner.cancel(PROOF)
        self._show(ProofState())

    def forget_reason(self) -> None:
        """Say no more why the last proof ended: the quote has changed since."""
        if not self.state.is_running:
            self._show(ProofState())

    def follow(self, timing: object) -> None:
        """Stop where the organisation's schedule has become another one."""
        former = None if self._timing is None else self._timing.schedule
        if not isinstance(timing, Timing) or timing.schedule is not former:
            self.cancel("proof_overtaken")

    def _done(self, proven: ProvenPlan | None) -> None:
        organisation_id = self.state.organisation_id
        if proven is None:
            self._show(ProofState(organisation_id, code="proof_needless"))
            return
        self._show(ProofState(organisation_id))
        self.found.emit(organisation_id, proven)

    def _failed(self, error: Exception) -> None:
        if not isinstance(error, ProofRefused | OSError):
            raise error
        code = error.code if isinstance(error, ProofRefused) else "proof_crashed"
        self._show(ProofState(self.state.organisation_id, code=code))

    @Slot(object, int, int)
    def _hear(self, timing: Timing, delivery_ms: int, bound_ms: int) -> None:
        if self.state.is_running and timing is self._timing:
            self._show(replace(self.state, delivery_ms=delivery_ms, bound_ms=bound_ms))

    def _show(self, state: ProofState) -> None:
        if state != self.state:
            self.state = state
            self.changed.emit()


def _proof_work(
    organisation: Organisation,
    timing: Timing,
    prove: Prove,
    told: Callable[[int, int], object],
    *,
    progress: Callable[[float], None],
    cancelled: Callable[[], bool],
) -> ProvenPlan | None:
    """Return what was proved; None where the best plan is known to be the best already, or nobody waits."""
    task = proof_task(organisation, timing)
    if task is None:
        return None
    gap_ms = task.start.delivery_ms - task.start.lower_bound_ms

    def heard(delivery_ms: int, bound_ms: int) -> None:
        progress(1 - (delivery_ms - bound_ms) / gap_ms)
        told(delivery_ms, bound_ms)

    heard(task.start.delivery_ms, task.start.lower_bound_ms)
    try:
        return prove(task, heard, cancelled)
    except SolveStopped:
        return None
