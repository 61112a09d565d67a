"""The schedule search against OR-Tools CP-SAT: same instances, same seconds, one core each.

The ordinary run takes a few instances a family. All of them, with the seconds you like:
`python -m tests.benchmarks.bench_against_cp_sat SECONDS [FAMILY...]`. CP-SAT gets the model of the program's own
proof, one worker, the longest-first plan's delivery as its horizon and no plan to begin with; the search gets as
many steps as take about those seconds, and stops where its bound proves the plan. Gaps are to the best value known.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import fmean

import pytest
from ortools.sat.python import cp_model

from estimator.schedule import Policy, Problem, improved, solve
from estimator.schedule.exact import exact_view
from estimator.schedule.prove import SEED, modelled
from estimator.score.instances import Instance, read_instances

DATA = Path(__file__).parents[1] / "data"
FILES = {
    "independent": "bench_pcmax.json",
    "rigid": "bench_rcpsp.json",
    "groups": "bench_rcpsp.json",
    "rcpsp J30": "bench_rcpsp.json",
    "rcpsp J60": "bench_rcpsp.json",
    "rcpsp J120": "bench_rcpsp.json",
}
SAMPLE = 3
SAMPLE_SECONDS = 0.5
MOST_TASKS = 5_000
NO_PLAN = float("inf")


@dataclass(frozen=True)
class Race:
    """One instance: both values (NO_PLAN: none in that time), who proved its own, CPU seconds of each."""

    best: int
    own: float
    other: float
    own_proven: bool
    other_proven: bool
    own_seconds: float
    other_seconds: float


def races(family: str, seconds: float, most: int | None = None) -> Iterator[Race]:
    instances = (one for one in read_instances(DATA / FILES[family]) if family in one.families)
    return (raced(one, seconds) for one in islice(instances, most))


def raced(instance: Instance, seconds: float) -> Race:
    problem, best = instance.problem, instance.best_known
    assert problem is not None
    assert best is not None
    begun = time.process_time()
    plan = improved(problem, round(1000 * seconds))
    own_seconds = time.process_time() - begun
    begun = time.process_time()
    value, proven = by_cp_sat(problem, seconds)
    return Race(
        best, plan.delivery_ms, value, plan.is_optimal, proven, own_seconds, time.process_time() - begun
    )


def by_cp_sat(problem: Problem, seconds: float) -> tuple[float, bool]:
    view = exact_view(problem, MOST_TASKS)
    rule = solve(replace(problem, policy=(Policy.LONGEST_FIRST,) * problem.stage_count))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.interleave_search = True
    solver.parameters.random_seed = SEED
    program = modelled(view, (0, rule.delivery_ms // view.unit_ms)).program
    with stopped_after(solver, seconds):
        status = solver.solve(program)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return NO_PLAN, False
    return solver.objective_value * view.unit_ms, status == cp_model.OPTIMAL


@contextmanager
def stopped_after(solver: cp_model.CpSolver, seconds: float) -> Iterator[None]:
    """Stop the solver once the process has used so much of a processor; its own limit would be the clock's."""
    last, over = time.process_time() + seconds, threading.Event()

    def watch() -> None:
        while not over.wait(0.01):
            if time.process_time() > last:
                solver.stop_search()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def told(family: str, seconds: float, run: Sequence[Race]) -> str:
    own = [100 * (one.own / one.best - 1) for one in run]
    other = [100 * (one.other / one.best - 1) for one in run if one.other < NO_PLAN]
    return (
        f"{family}, {seconds} s, n {len(run)}: own better {sum(one.own < one.other for one in run)}, equal "
        f"{sum(one.own == one.other for one in run)}, CP-SAT better {sum(one.own > one.other for one in run)} "
        f"(no plan {len(run) - len(other)}); gap own {fmean(own):.3f} / {max(own):.2f} %, CP-SAT "
        + (f"{fmean(other):.3f} / {max(other):.2f} %" if other else "none")
        + f"; proven {sum(one.own_proven for one in run)} : {sum(one.other_proven for one in run)}; CPU "
        f"{sum(one.own_seconds for one in run):.0f} : {sum(one.other_seconds for one in run):.0f} s"
    )


@pytest.mark.parametrize("family", list(FILES))
def bench_sample_against_cp_sat(family: str) -> None:
    run = list(races(family, SAMPLE_SECONDS, SAMPLE))
    print(told(family, SAMPLE_SECONDS, run))
    assert len(run) == SAMPLE


if __name__ == "__main__":
    allowed = float(sys.argv[1])
    for name in sys.argv[2:] or FILES:
        print(told(name, allowed, list(races(name, allowed))), flush=True)
