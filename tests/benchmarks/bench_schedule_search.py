"""Times and values of the search at the sizes that it must carry. Not part of the ordinary run."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from estimator.schedule import Policy, Problem, improved, solve
from estimator.score.schedule import score_schedule
from tests.benchmarks.bench_schedule import independent, stages

DATA = Path(__file__).parents[1] / "data"
EFFORT = 50
RANDOM = np.random.default_rng(11)


def licensed_stages() -> Problem:
    """1,000 tasks: 200 off the cards, 500 and 290 on them, with licences, and an end of 10."""
    count = [200, 500, 290, 10]
    groups = sum(count)
    stage = np.repeat(np.arange(4), count)
    need = np.zeros((groups, 2), dtype=np.int64)
    need[stage == 0, 0] = 1
    need[stage == 2, 1] = 1
    return Problem(
        count=np.ones(groups), stage=stage, duration_ms=RANDOM.integers(60, 900, (groups, 1)) * 1_000,
        cards=np.array([0, 1, 2, 0])[stage], capacity=np.array([4, 6]), need=need,
        hold_ms=np.full((groups, 2), -1), stage_count=4, after=((0, 1), (1, 3), (2, 3)),
        release_ms=np.zeros(4), policy=(Policy.BEST,) * 4, tasks_at_once=np.full(4, -1),
        may_cross_nodes=np.ones(4), card_model=np.zeros(32), card_lot=np.zeros(32), card_node=np.zeros(32),
        card_ready_ms=np.zeros(32),
    )  # fmt: skip


def four_groups() -> Problem:
    problem = stages(
        [100_000, 500_000, 400_000, 1], [0, 1, 1, 0], [3_000, 7_001, 9_003, 5_000], 64,
        ((0, 1), (0, 2), (1, 3), (2, 3)),
    )  # fmt: skip
    return replace(problem, policy=(Policy.BEST,) * 4)


CASES: dict[str, Callable[[], Problem]] = {
    "1,000 distinct tasks, 16 cards": lambda: independent(
        np.ones(1_000), RANDOM.integers(1, 10**6, 1_000), 16, Policy.BEST
    ),
    "1,000 tasks in stages with licences": licensed_stages,
    "100,000 distinct tasks, 64 cards": lambda: independent(
        np.ones(100_000), RANDOM.integers(1, 10**6, 100_000), 64, Policy.BEST
    ),
    "1,000,000 equal tasks in four groups": four_groups,
}


@pytest.mark.parametrize("name", list(CASES))
def bench_best_plan(name: str) -> None:
    problem = CASES[name]()
    taken = []
    for _ in range(3):
        begun = time.perf_counter()
        plan = solve(problem)
        taken.append(time.perf_counter() - begun)
    print(f"{name}: {min(taken) * 1000:.1f} ms, gap {float(plan.gap):.3%}")


def bench_memory_of_a_schedule() -> None:
    problem = independent(np.ones(100_000), RANDOM.integers(1, 10**6, 100_000), 64, Policy.BEST)
    tracemalloc.start()
    plan = improved(problem)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"{kept / len(plan.run_group):.0f} bytes a task")


@pytest.mark.parametrize("name", ["bench_pcmax.json", "bench_rcpsp.json"])
def bench_instances(name: str) -> None:
    for one in score_schedule(DATA / name, EFFORT).summary:
        print(
            f"{EFFORT} {one.family}: n {one.n}, mean {one.mean:.4f} %, worst {one.worst:.4f} %, "
            f"proven {one.proven}, {one.seconds:.2f} s"
        )
