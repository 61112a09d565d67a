"""Seeded draws: the same name gives the same draws on any machine, whatever else is drawn.

Numbers that every task shares are stratified: each share of probability is met once, so that few replications
already give steady percentiles. Noise of single tasks comes as a stream, a row at a time, never as a whole table.
"""

from __future__ import annotations

import hashlib
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from estimator.risk.distributions import ENTRIES, Values

Floats = NDArray[np.float32]
Float = TypeVar("Float", np.float32, np.float64)

_BITS_KEPT = 12


def seed_of(name: str) -> int:
    """Return the seed that belongs to a name: 64 bits of its digest."""
    return int.from_bytes(hashlib.sha256(name.encode("utf-8")).digest()[:8], "little")


def stratified(name: str, table: Values, replications: int) -> Values:
    """Return one draw a replication: the middles of equal shares of probability, in an order of the name's own.

    Only raw bits are drawn: their streams are fixed by numpy's policy (NEP 19), those of its distributions are not.
    """
    raw = np.random.PCG64(seed_of(name)).random_raw(replications)
    drawn: Values = np.empty(replications)
    shares = (np.arange(replications) + 0.5) / replications
    drawn[np.argsort(raw, kind="stable")] = table[(shares * ENTRIES).astype(np.int64)]
    return drawn


class Noise:
    """A stream of independent draws from a table, a row of replications at a time, as fine as the table is."""

    def __init__(self, name: str, replications: int) -> None:
        self._bits = np.random.PCG64(seed_of(name))
        self._replications = replications
        self._words = -(-replications // 4)

    def row(self, table: NDArray[Float]) -> NDArray[Float]:
        """Return the next [replications] draws from a table of 4,096 values."""
        index = self._bits.random_raw(self._words).view(np.uint16)[: self._replications]
        return table.take(index >> (16 - _BITS_KEPT))
