"""How long proving the cheapest lots takes for 10, 100 and 1,000 lots, and a frontier to 10 days; CPU time, printed."""

from __future__ import annotations

import random
import statistics
import time
from decimal import Decimal

from estimator.problems import Absent
from estimator.rental.cover import frontier_by_terms, least_cost_for_deadline
from estimator.rental.terms import TermPrice
from estimator.rental.work import WorkLot
from estimator.units import MS_PER_DAY, MS_PER_MINUTE, MS_PER_SECOND

UNIT_S = (7200, 4966, 6545, 5760, 2769, 2483, 1309)
SEEDS = 9


def catalogue(lots: int, seed: int) -> tuple[WorkLot, ...]:
    """Lots of 1 to 8 cards of seven models, each with its own prices for 3, 7 and 30 days; one copy of each."""
    draw = random.Random(seed)
    found = []
    for number in range(lots):
        cards = draw.choice([1, 2, 4, 8])
        day = draw.uniform(30, 250) * 24 * cards
        factors = (
            (3, draw.uniform(0.95, 1.05)),
            (7, draw.uniform(0.85, 0.98)),
            (30, draw.uniform(0.6, 0.85)),
        )
        terms = tuple(TermPrice(days, Decimal(round(day * days * factor))) for days, factor in factors)
        slots = cards // draw.choice([1, 1, 2]) or 1
        unit_ms = draw.choice(UNIT_S) * MS_PER_SECOND
        found.append(WorkLot(f"lot-{number}", slots, unit_ms, terms, 1, 15 * MS_PER_MINUTE))
    return tuple(found)


def units_for(lots: tuple[WorkLot, ...], deadline_ms: int, share: float) -> int:
    """Return that share of what all the lots can do by the deadline."""
    able = sum(lot.slots * ((deadline_ms - lot.setup_ms) // lot.unit_ms) for lot in lots)
    return max(1, int(share * able))


def bench_the_cheapest_lots() -> None:
    """A fifth to four fifths of all that the catalogue can do, by 3, 5, 7 or 10 days."""
    for size in (10, 100, 1000):
        spent = []
        for seed in range(SEEDS):
            draw = random.Random(1000 + seed)
            lots, deadline = catalogue(size, seed), draw.choice([3, 5, 7, 10]) * MS_PER_DAY
            units = units_for(lots, deadline, draw.uniform(0.2, 0.8))
            began = time.process_time()
            plan = least_cost_for_deadline(units, deadline, lots)
            spent.append((time.process_time() - began) * 1000)
            if isinstance(plan, Absent) or not plan.proven:
                raise RuntimeError("each of these has a proven plan")
        print(
            f"\n{size} lots, cheapest for a deadline, proven: median {statistics.median(spent):.0f} ms, "
            f"worst {max(spent):.0f} ms"
        )


def bench_the_frontier_to_ten_days() -> None:
    """One plan for each length that a holding can have."""
    for size in (10, 50, 100):
        spent, points = [], []
        for seed in range(SEEDS):
            lots, deadline = catalogue(size, seed), 10 * MS_PER_DAY
            units = units_for(lots, deadline, 0.3)
            began = time.process_time()
            plans = frontier_by_terms(units, deadline, lots)
            spent.append((time.process_time() - began) * 1000)
            points.append(0 if isinstance(plans, Absent) else len(plans))
        print(
            f"\n{size} lots, frontier to 10 days: median {statistics.median(spent):.0f} ms, "
            f"worst {max(spent):.0f} ms, {min(points)} to {max(points)} plans"
        )
