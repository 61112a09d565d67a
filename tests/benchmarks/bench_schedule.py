"""Times of the schedule engine at the sizes that it must carry. It prints and never fails."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from estimator.schedule import Policy, Problem, When, solve


def independent(
    count: np.ndarray, duration: np.ndarray, cards: int, policy: Policy, licences: int = -1
) -> Problem:
    """One stage of groups on equal cards, each task with a licence where there are licences."""
    groups = len(count)
    return Problem(
        count=count, stage=np.zeros(groups), duration_ms=duration.reshape(-1, 1), cards=np.ones(groups),
        capacity=np.array([licences]), need=np.full((groups, 1), int(licences >= 0)),
        hold_ms=np.full((groups, 1), -1), stage_count=1, after=(), release_ms=np.zeros(1), policy=(policy,),
        tasks_at_once=np.array([-1]), may_cross_nodes=np.zeros(1), card_model=np.zeros(cards),
        card_lot=np.zeros(cards), card_node=np.zeros(cards), card_ready_ms=np.zeros(cards),
    )  # fmt: skip


def stages(
    count: list[int],
    cards_each: list[int],
    duration: list[int],
    cards: int,
    after: tuple[tuple[int, int], ...],
) -> Problem:
    """One group a stage on equal cards."""
    size = len(count)
    return Problem(
        count=np.array(count), stage=np.arange(size), duration_ms=np.array(duration).reshape(-1, 1),
        cards=np.array(cards_each), capacity=np.zeros(0), need=np.zeros((size, 0)),
        hold_ms=np.zeros((size, 0)), stage_count=size, after=after, release_ms=np.zeros(size),
        policy=(Policy.AVAILABILITY,) * size,
        tasks_at_once=np.full(size, -1), may_cross_nodes=np.zeros(size), card_model=np.zeros(cards),
        card_lot=np.zeros(cards), card_node=np.zeros(cards), card_ready_ms=np.zeros(cards),
    )  # fmt: skip


NOTHING = When()


def four_groups(licences: tuple[int, int], when: When = NOTHING) -> Problem:
    """A million equal tasks: an upload, two stages on 64 cards, an assembly; the first and third with licences."""
    problem = stages(
        [100_000, 500_000, 400_000, 1], [0, 1, 1, 0], [3_000, 7_001, 9_003, 5_000], 64,
        ((0, 1), (0, 2), (1, 3), (2, 3)),
    )  # fmt: skip
    return replace(
        problem,
        capacity=np.array(licences),
        need=np.array([[1, 0], [0, 0], [0, 1], [0, 0]]),
        hold_ms=np.full((4, 2), -1),
        when=when,
    )


def fed_singly(tasks: int) -> Problem:
    """Tasks on 64 cards, each twelve of them to one of ten stations as soon as they are there."""
    problem = stages([tasks, tasks // 12], [1, 0], [7_001, 9_003], 64, ())
    return replace(problem, tasks_at_once=np.array([-1, 10]), when=When(streams=((0, 1),)))


HOUR = 3_600_000
OFFICE = tuple((day * 24 * HOUR + 8 * HOUR, day * 24 * HOUR + 18 * HOUR) for day in range(5))
RANDOM = np.random.default_rng(7)
CASES: dict[str, Callable[[], Problem]] = {
    "12,000 equal tasks, 16 cards": lambda: independent(
        np.array([12_000]), np.array([7]), 16, Policy.AVAILABILITY
    ),
    "1,000 distinct tasks, 16 cards": lambda: independent(
        np.ones(1_000), RANDOM.integers(1, 10**6, 1_000), 16, Policy.LONGEST_FIRST
    ),
    "12,000 tasks, 16 cards, 5 licences": lambda: independent(
        np.array([12_000]), np.array([7]), 16, Policy.AVAILABILITY, 5
    ),
    "1,000,000 equal tasks in four groups": lambda: stages(
        [100_000, 500_000, 400_000, 1],
        [0, 1, 1, 0],
        [3_000, 7_001, 9_003, 5_000],
        64,
        ((0, 1), (0, 2), (1, 3), (2, 3)),
    ),
    "1,000,000 equal tasks in four groups with licences": lambda: four_groups((2, 20)),
    "1,000,000 equal tasks in four groups in office hours": lambda: four_groups(
        (200, 20), When(calendars=(OFFICE,), card_calendar=np.zeros(64))
    ),
    "1,000,000 equal tasks in four groups, half the cards leave": lambda: four_groups(
        (200, 20), When(card_until_ms=np.array([10**8] * 32 + [-1] * 32))
    ),
    "120,000 tasks that feed stations one by one": lambda: fed_singly(120_000),
    "5,000 stages in 100 chains, 100 cards": lambda: stages(
        [1] * 5_000, [1] * 5_000, [1] * 5_000, 100, tuple((s, s + 100) for s in range(4_900))
    ),
    "2,000 stages at once, 7 cards": lambda: stages(
        [1] * 2_000, [1] * 2_000, RANDOM.integers(1, 10**6, 2_000).tolist(), 7, ()
    ),
    "100,000 distinct tasks, 256 cards": lambda: independent(
        np.ones(100_000), RANDOM.integers(1, 10**6, 100_000), 256, Policy.LONGEST_FIRST
    ),
}


@pytest.mark.parametrize("name", list(CASES))
def bench_solve(name: str) -> None:
    problem = CASES[name]()
    taken = []
    for _ in range(3):
        begun = time.perf_counter()
        solve(problem)
        taken.append(time.perf_counter() - begun)
    print(f"{name}: {min(taken) * 1000:.1f} ms")
