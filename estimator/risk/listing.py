"""List scheduling of all replications at once: each task takes the cards that are free first, in list order.

The loads of the cards are kept sorted, so that a task is two numpy calls over every replication. Exact for tasks
that need several cards at once, all of one node. No stages and no shared resources (see `replay.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from estimator.risk.sampling import Floats


def fifo_loads(tasks: Iterable[tuple[int, Floats]], ready: ArrayLike, replications: int) -> Floats:
    """Return the [cards, replications] moments at which the cards become free, rising over the cards.

    `tasks`: cards at once and [replications] durations, in list order. `ready`: [cards] or [cards, replications]
    moments from which a card can be used. Raises ValueError where a task needs more cards than there are.

    A task on k cards starts when k are free, L[k-1], and ends at x. Putting k copies of x into the rest of the
    sorted loads S = L[k:] gives max(S[j-k], min(x, S[j])) at place j.
    """
    start = np.asarray(ready, dtype=np.float32)
    cards = len(start)
    shape = (cards, replications)
    loads = np.ascontiguousarray(np.broadcast_to(start if start.ndim == 2 else start[:, None], shape))
    loads = np.sort(loads, axis=0)
    spare = np.empty_like(loads)
    end = np.empty(replications, dtype=np.float32)
    for width, duration in tasks:
        if not 1 <= width <= cards:
            raise ValueError("a task needs at least one card and at most all")
        np.add(loads[width - 1], duration, out=end)
        rest = cards - width
        np.minimum(loads[width:], end, out=spare[:rest])
        spare[rest:] = end
        np.maximum(spare[width:], loads[width:], out=spare[width:])
        loads, spare = spare, loads
    return loads
