"""How long an edit of a large quote waits for its new headline: median and 95th percentile, printed."""

from __future__ import annotations

import random
import statistics
import time
from decimal import Decimal

from estimator.edits import with_tasks
from estimator.estimate import completed, headline
from estimator.quote import AssignmentPolicy, Quote
from tests.quotes import TODAY, conversion, given, organisation, source_quote

EDITS = 40


def large_quote(policy: AssignmentPolicy) -> Quote:
    """1,000 tasks of their own length on one and on 16 cards, three ways to rent."""
    draw = random.Random(1)
    stage = conversion(tuple(range(1, 1001)))
    durations = tuple(Decimal(draw.randint(60, 3000)) / 100 for _ in range(1000))
    stage = stage.replaced(tasks=stage.tasks.replaced(duration=durations))
    organisations = (organisation("A", 1, policy), organisation("B", 16, policy))
    return source_quote(stage, organisations=organisations, quota_cards=given(16), limit=None)


def bench_an_edit_of_1000_tasks_on_16_cards() -> None:
    """One duration is edited each time, so that no schedule can be reused."""
    for policy in AssignmentPolicy:
        quote = large_quote(policy)
        headline(quote, TODAY)
        spent = []
        for number in range(EDITS):
            durations = quote.workload.stages[0].tasks.duration
            changed = (Decimal(number + 1) / 7, *durations[1:])
            started = time.perf_counter()
            quote = with_tasks(quote, "conversion", duration=changed)
            result = headline(quote, TODAY)
            spent.append((time.perf_counter() - started) * 1000)
        spent.sort()
        started = time.perf_counter()
        completed(result)
        rest = (time.perf_counter() - started) * 1000
        median, high = statistics.median(spent), spent[int(0.95 * len(spent))]
        print(
            f"\nedit to headline, 1,000 tasks on 16 cards, {policy.value}: "
            f"median {median:.0f} ms, p95 {high:.0f} ms; the comparisons after it {rest:.0f} ms"
        )
