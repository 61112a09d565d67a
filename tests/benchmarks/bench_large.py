"""How long large quotes take: the headline and the whole estimate. It prints and never fails."""

from __future__ import annotations

import time

import pytest

from estimator.estimate import completed, headline
from estimator.quote import AssignmentPolicy, Quote
from tests.large_quotes import many_equal_tasks, many_licensed_tasks, many_stages_and_lots, many_tasks
from tests.quotes import TODAY

SIZES = {
    "100,000 distinct tasks on 64 cards, availability": lambda: many_tasks(
        100_000, 64, AssignmentPolicy.AVAILABILITY
    ),
    "2,000 stages and 500 lots": lambda: many_stages_and_lots(2_000, 500),
    "1,000,000 equal tasks on 64 cards": lambda: many_equal_tasks(1_000_000, 64),
    "1,000,000 equal tasks with three licences on 64 cards": lambda: many_licensed_tasks(1_000_000, 64),
}


@pytest.mark.parametrize("name", SIZES)
def bench_large(name: str) -> None:
    """From nothing remembered to the answer strip, and to everything."""
    quote: Quote = SIZES[name]()
    started = time.perf_counter()
    found = headline(quote, TODAY)
    first = time.perf_counter() - started
    completed(found)
    print(f"\n{name}: headline {first:.2f} s, whole {time.perf_counter() - started:.2f} s")
