"""What interruptions add to a task: work lost since its last checkpoint, and restarts, in each replication.

Interruptions come at a constant rate while the cards are held (a Poisson process), whatever happened before. A
piece of work between two checkpoints is repeated until it gets through; a restart itself is not interrupted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from estimator.risk.distributions import Values
from estimator.risk.sampling import seed_of

_SINGLY = 32
"""Losses of a task in a replication that are drawn one by one; more are drawn as one normal sum."""


@dataclass(frozen=True, slots=True)
class Interruptions:
    """`per_ms`: on one card. `checkpoint_ms` None: a task begins again from its start."""

    per_ms: float
    checkpoint_ms: float | None
    restart_ms: float

    def mean_added_ms(self, work_ms: float, cards: int) -> float:
        """Return the expected time added to a task of `work_ms` over `cards` cards.

        A piece w at rate r is passed in (exp(r w) - 1) / r on average (renewal), restarts apart.
        """
        rate = self.per_ms * cards
        if rate == 0:
            return 0.0
        whole, rest = self.pieces(np.array([work_ms]))
        piece = work_ms if self.checkpoint_ms is None else self.checkpoint_ms
        failures = whole[0] * np.expm1(rate * piece) + np.expm1(rate * rest[0])
        return float(failures * (1 / rate + self.restart_ms) - work_ms)

    def pieces(self, work_ms: Values) -> tuple[Values, Values]:
        """Return how many pieces of a whole checkpoint the work has, and the rest."""
        if self.checkpoint_ms is None or self.checkpoint_ms <= 0:
            return np.zeros_like(work_ms), work_ms
        whole = np.floor(work_ms / self.checkpoint_ms)
        return whole, work_ms - whole * self.checkpoint_ms


class Losses:
    """A stream of the time that interruptions add, seeded by name."""

    def __init__(self, name: str, interruptions: Interruptions) -> None:
        self._random = np.random.Generator(np.random.PCG64(seed_of(f"{name}/interruptions")))
        self._of = interruptions

    def added_ms(self, work_ms: Values, cards: int, tasks: int = 1) -> Values:
        """Return the time added to `tasks` tasks of [replications] `work_ms` each over `cards` cards."""
        rate = self._of.per_ms * cards
        if rate == 0:
            return np.zeros_like(work_ms)
        whole, rest = self._of.pieces(work_ms)
        added = self._repeated(rest, np.full_like(rest, tasks), rate)
        if whole.any():
            piece = np.full_like(work_ms, self._of.checkpoint_ms or 0.0)
            added += self._repeated(piece, whole * tasks, rate)
        return added

    def _repeated(self, piece_ms: Values, pieces: Values, rate: float) -> Values:
        """Return the time lost before `pieces` pieces got through, and in the restarts."""
        through = np.exp(-rate * piece_ms)
        failures = np.zeros_like(piece_ms)
        open_ = (pieces > 0) & (through < 1)
        failures[open_] = self._random.negative_binomial(pieces[open_], through[open_])
        lost = failures * self._of.restart_ms
        singly = np.minimum(failures, _SINGLY)
        for number in range(int(singly.max(initial=0))):
            at = singly > number
            lost[at] += -np.log1p(-self._random.random(int(at.sum())) * (1 - through[at])) / rate
        many = failures > _SINGLY
        if many.any():
            more, passed = failures[many] - _SINGLY, through[many]
            mean = 1 / rate - piece_ms[many] * passed / (1 - passed)
            variance = 1 / rate**2 - passed * (piece_ms[many] / (1 - passed)) ** 2
            noise = self._random.standard_normal(len(more))
            lost[many] += more * mean + np.sqrt(more * np.maximum(variance, 0)) * noise
        return lost
