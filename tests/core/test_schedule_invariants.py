"""Properties of every schedule, on random problems under all policies; and the bound against brute force."""

from __future__ import annotations

from itertools import pairwise, permutations, product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.schedule import Policy, Problem, Status, bars, solve
from tests.schedule_rules import assert_keeps_every_rule


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Small problems with all there is: models, lots, nodes, resources, caps, releases, set-up, stages."""
    stages = draw(st.integers(1, 4))
    groups = draw(st.integers(1, 6))
    models = draw(st.integers(1, 2))
    cards = draw(st.integers(1, 6))
    resources = draw(st.integers(0, 2))

    def column(low: int, high: int, *shape: int) -> np.ndarray:
        size = int(np.prod(shape))
        values = draw(st.lists(st.integers(low, high), min_size=size, max_size=size))
        return np.array(values, dtype=np.int64).reshape(shape)

    wanted = column(0, 3, groups)
    duration = column(-1, 9, groups, models)
    duration[wanted == 0, 0] = np.abs(duration[wanted == 0, 0])
    pairs = [(a, b) for a in range(stages) for b in range(a + 1, stages)]
    return Problem(
        count=column(0, 9, groups),
        stage=column(0, stages - 1, groups),
        duration_ms=duration,
        cards=wanted,
        capacity=column(-1, 4, resources),
        need=column(0, 2, groups, resources),
        hold_ms=column(-1, 6, groups, resources),
        stage_count=stages,
        after=tuple(draw(st.lists(st.sampled_from(pairs), max_size=4))) if pairs else (),
        release_ms=column(0, 12, stages),
        policy=tuple(draw(st.sampled_from(Policy)) for _ in range(stages)),
        tasks_at_once=np.where((cap := column(1, 6, stages)) > 4, -1, cap),
        may_cross_nodes=column(0, 1, stages).astype(bool),
        card_model=column(0, models - 1, cards),
        card_lot=column(0, 1, cards),
        card_node=column(0, 1, cards),
        card_ready_ms=column(0, 5, cards),
    )


@settings(max_examples=200, deadline=None)
@given(problems())
def test_every_schedule_keeps_every_rule(problem: Problem) -> None:
    schedule = solve(problem)
    if schedule.status is Status.INFEASIBLE:
        assert schedule.blocked
        return
    assert_keeps_every_rule(schedule, problem)


@settings(max_examples=60, deadline=None)
@given(problems(), st.integers(0, 40), st.integers(1, 30))
def test_a_viewport_shows_what_touches_it_and_nothing_else(problem: Problem, start: int, width: int) -> None:
    schedule = solve(problem)
    every = bars(schedule, problem)
    seen = bars(schedule, problem, start, start + width)
    touches = (every.start_ms < start + width) & (
        (every.end_ms > start) | ((every.start_ms == every.end_ms) & (every.start_ms >= start))
    )
    rows = ("card", "start_ms", "group", "index", "stage", "end_ms")
    wanted = sorted(zip(*(getattr(every, name)[touches].tolist() for name in rows), strict=True))
    assert sorted(zip(*(getattr(seen, name).tolist() for name in rows), strict=True)) == wanted


@settings(max_examples=50, deadline=None)
@given(problems())
def test_the_same_problem_gives_the_same_schedule(problem: Problem) -> None:
    first, second = solve(problem), solve(problem)
    for name in ("run_group", "run_first", "run_count", "run_start_ms", "run_card", "stage_end_ms"):
        assert getattr(first, name).tolist() == getattr(second, name).tolist()


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=7), st.integers(1, 3))
def test_longest_first_stays_within_its_guarantee_of_the_optimum(durations: list[int], cards: int) -> None:
    # Graham 1969: longest first <= (4/3 - 1/(3 m)) x optimum.
    schedule = solve(plain(durations, cards, Policy.LONGEST_FIRST))
    optimum = min(
        max(sum(d for d, on in zip(durations, choice, strict=True) if on == card) for card in range(cards))
        for choice in product(range(cards), repeat=len(durations))
    )
    assert 3 * cards * schedule.delivery_ms <= (4 * cards - 1) * optimum
    assert schedule.lower_bound_ms <= optimum <= schedule.delivery_ms


@st.composite
def tiny_problems(draw: st.DrawFn) -> Problem:
    """Up to five single tasks over one or two stages, one resource, at most two cards wide."""
    tasks = draw(st.integers(1, 5))
    stages = draw(st.integers(1, 2))
    cards = draw(st.integers(2, 3))
    wanted = draw(st.lists(st.integers(0, 2), min_size=tasks, max_size=tasks))
    length = draw(st.lists(st.integers(1, 6), min_size=tasks, max_size=tasks))
    need = draw(st.lists(st.integers(0, 2), min_size=tasks, max_size=tasks))
    hold = draw(st.lists(st.integers(-1, 4), min_size=tasks, max_size=tasks))
    stage = draw(st.lists(st.integers(0, stages - 1), min_size=tasks, max_size=tasks))
    cap = draw(st.sampled_from([-1, 1, 2]))
    return Problem(
        count=np.ones(tasks), stage=np.array(stage), duration_ms=np.array(length).reshape(-1, 1),
        cards=np.array(wanted), capacity=np.array([2]), need=np.array(need).reshape(-1, 1),
        hold_ms=np.array(hold).reshape(-1, 1), stage_count=stages, after=((0, 1),) if stages == 2 else (),
        release_ms=np.zeros(stages), policy=(Policy.AVAILABILITY,) * stages,
        tasks_at_once=np.full(stages, cap),
        may_cross_nodes=np.zeros(stages), card_model=np.zeros(cards), card_lot=np.zeros(cards),
        card_node=np.zeros(cards), card_ready_ms=np.array([0, *[draw(st.integers(0, 3))] * (cards - 1)]),
    )  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(tiny_problems())
def test_the_lower_bound_never_exceeds_the_optimum_by_brute_force(problem: Problem) -> None:
    schedule = solve(problem)
    if schedule.status is Status.INFEASIBLE:
        return
    best = brute_force(problem)
    assert schedule.lower_bound_ms <= best <= schedule.delivery_ms


def plain(durations: list[int], cards: int, policy: Policy) -> Problem:
    """One stage of single tasks on equal cards and nothing else."""
    tasks = len(durations)
    return Problem(
        count=np.ones(tasks), stage=np.zeros(tasks), duration_ms=np.array(durations).reshape(-1, 1),
        cards=np.ones(tasks), capacity=np.zeros(0), need=np.zeros((tasks, 0)), hold_ms=np.zeros((tasks, 0)),
        stage_count=1, after=(), release_ms=np.zeros(1), policy=(policy,), tasks_at_once=np.array([-1]),
        may_cross_nodes=np.zeros(1), card_model=np.zeros(cards), card_lot=np.zeros(cards),
        card_node=np.zeros(cards), card_ready_ms=np.zeros(cards),
    )  # fmt: skip


def brute_force(problem: Problem) -> int:
    """The best delivery over all orders, each task as early as possible on a grid of 1 ms.

    The order of an optimal plan's starts gives the optimum: tasks only move earlier.
    """
    tasks = problem.group_count
    horizon = int(problem.duration_ms.sum()) + int(problem.card_ready_ms.max()) + 1
    best = horizon
    for order in permutations(range(tasks)):
        if any(problem.stage[a] > problem.stage[b] for a, b in pairwise(order)):
            continue
        cards = np.array([[ready <= t for t in range(horizon)] for ready in problem.card_ready_ms]).sum(
            axis=0
        )
        units = np.full(horizon, int(problem.capacity[0]))
        running = np.zeros((problem.stage_count, horizon), dtype=int)
        ends = [0] * problem.stage_count
        for task in order:
            stage, length = int(problem.stage[task]), int(problem.duration_ms[task, 0])
            hold = int(problem.hold_ms[task, 0])
            held = length if hold < 0 else min(hold, length)
            cap = int(problem.tasks_at_once[stage])
            start = max(ends[:stage], default=0)
            while not (
                (cards[start : start + length] >= problem.cards[task]).all()
                and (units[start : start + held] >= problem.need[task, 0]).all()
                and (cap < 0 or (running[stage, start : start + length] < cap).all())
            ):
                start += 1
            cards[start : start + length] -= problem.cards[task]
            units[start : start + held] -= problem.need[task, 0]
            running[stage, start : start + length] += 1
            ends[stage] = max(ends[stage], start + length)
        best = min(best, max(ends))
    return best
