"""How fast many replications of a plan are, what memory they take, and how near P95 is to a larger run.

Then the phases of an estimate that risk adds, on a sample with a thousand tasks of their own length.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from importlib.resources import files

import numpy as np

from estimator.estimate import assessed, completed, headline, sketched
from estimator.evidence import Distribution
from estimator.risk.distributions import quantile_table
from estimator.risk.listing import fifo_loads
from estimator.risk.sampling import Floats, Noise, stratified
from estimator.storage import quote_from_text
from tests.quotes import TODAY

TASKS, CARDS = 1000, 16


def ends(replications: int, name: str = "bench") -> Floats:
    """1,000 tasks of 60 ± 20 % on 16 cards, each with noise of its own and one factor for all."""
    table = quantile_table(Distribution.LOGNORMAL, 48, 60, 75).astype(np.float32)
    shared = quantile_table(Distribution.TRIANGULAR, 0.75, 1, 1.25)
    factor = stratified(f"{name}/shared", shared, replications).astype(np.float32)
    noise = Noise(name, replications)

    def tasks() -> Iterator[tuple[int, Floats]]:
        for _ in range(TASKS):
            yield 1, noise.row(table) * factor

    found: Floats = fifo_loads(tasks(), np.zeros(CARDS), replications)[-1]
    return found


def bench_replications_of_1000_tasks_on_16_cards() -> None:
    """Sampling included. Processor time, since other work may run beside it."""
    for replications in (500, 1_000, 10_000):
        spent = []
        for _ in range(3):
            started = time.process_time()
            ends(replications)
            spent.append(time.process_time() - started)
        tracemalloc.start()
        ends(replications)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(
            f"\n{replications:,} replications: {min(spent) * 1000:.0f} ms, {peak / 2**20:.1f} MiB",
            end="",
        )
    reference = np.quantile(ends(100_000, "reference"), 0.95)
    for replications in (1_000, 10_000):
        off = np.quantile(ends(replications), 0.95) / reference - 1
        print(f"\nP95 of {replications:,} replications: {off:+.3%} off 100,000 others", end="")
    print()


def bench_the_phases_that_risk_adds() -> None:
    for name in ("credit-risk", "fachada-norte"):
        text = files("resources.samples").joinpath(f"{name}.cabida").read_text(encoding="utf-8")
        found = headline(quote_from_text(text), TODAY)
        spent = []
        for phase in (sketched, completed, assessed):
            started = time.process_time()
            found = phase(found)
            spent.append(time.process_time() - started)
        sketch, rest, whole = (each * 1000 for each in spent)
        print(f"\n{name}: sketch {sketch:.0f} ms, comparisons {rest:.0f} ms, all risk {whole:.0f} ms", end="")
    print()
