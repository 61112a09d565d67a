"""The best plan found: it keeps every rule, is never later than where it started, and never below its bound."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.schedule import Policy, Problem, SolveStopped, Status, flat, improved, solve
from estimator.schedule.independent import lifted_bound, longest_first, share_independent
from estimator.schedule.packing import packed
from tests.core.test_schedule_invariants import brute_force, plain, problems, tiny_problems
from tests.schedule_rules import assert_each_task_once, assert_keeps_every_rule


def searched(problem: Problem) -> Problem:
    """The same problem with every stage to be searched."""
    return replace(problem, policy=(Policy.BEST,) * problem.stage_count)


def alike(problem: Problem) -> Problem:
    """The same problem with all cards of one model in one node, so that the search can count them."""
    zeros = np.zeros(problem.card_count, dtype=np.int64)
    return searched(replace(problem, card_model=zeros, card_lot=zeros, card_node=zeros))


@settings(max_examples=150)
@given(problems())
def test_the_best_plan_keeps_every_rule_and_is_no_later_than_the_rules(problem: Problem) -> None:
    for same in (alike(problem), searched(problem)):
        best = improved(same, effort=2)
        if best.status is Status.INFEASIBLE:
            assert best.blocked
            continue
        assert_keeps_every_rule(best, same)
        for rule in (Policy.LONGEST_FIRST, Policy.AVAILABILITY):
            by_rule = solve(replace(same, policy=(rule,) * same.stage_count))
            assert best.delivery_ms <= by_rule.delivery_ms
            assert best.lower_bound_ms >= by_rule.lower_bound_ms


@settings(max_examples=60)
@given(tiny_problems())
def test_the_best_plan_is_the_optimum_of_tiny_problems(problem: Problem) -> None:
    best = improved(searched(problem), effort=20)
    if best.status is Status.INFEASIBLE:
        return
    optimum = brute_force(problem)
    assert best.lower_bound_ms <= optimum
    assert best.delivery_ms == optimum


@settings(max_examples=60)
@given(problems(), st.integers(0, 3))
def test_a_relaxed_problem_started_from_a_plan_is_never_later(problem: Problem, more: int) -> None:
    plan = solve(problem)
    if plan.status is Status.INFEASIBLE:
        return
    relaxed = replace(
        problem,
        capacity=np.where(problem.capacity < 0, -1, problem.capacity + more),
        tasks_at_once=np.where(problem.tasks_at_once < 0, -1, problem.tasks_at_once + more),
        after=problem.after[more:],
        card_model=np.append(problem.card_model, [0] * more),
        card_lot=np.append(problem.card_lot, [1] * more),
        card_node=np.append(problem.card_node, [1] * more),
        card_ready_ms=np.append(problem.card_ready_ms, [0] * more),
    )
    better = solve(relaxed, start=plan)
    assert better.delivery_ms <= plan.delivery_ms
    assert_keeps_every_rule(better, relaxed)


def test_a_plan_of_other_work_is_no_start() -> None:
    plan = solve(plain([3, 2], 2, Policy.AVAILABILITY))
    with pytest.raises(ValueError, match="other tasks"):
        solve(plain([3, 2, 1], 2, Policy.AVAILABILITY), start=plan)
    with pytest.raises(ValueError, match="cards"):
        solve(plain([3, 2], 1, Policy.AVAILABILITY), start=plan)


@settings(max_examples=80)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=7), st.integers(1, 4))
def test_sharing_reaches_the_optimum_of_small_lists_and_its_bound_never_exceeds_it(
    durations: list[int], slots: int
) -> None:
    optimum = min(
        max(sum(d for d, on in zip(durations, choice, strict=True) if on == slot) for slot in range(slots))
        for choice in product(range(slots), repeat=len(durations))
    )
    sharing = share_independent(durations, slots, effort=5)
    assert lifted_bound(durations, slots) <= optimum
    assert sharing.bound == sharing.longest == optimum


@settings(max_examples=60)
@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=40), st.integers(1, 6))
def test_sharing_is_never_longer_than_longest_first(durations: list[int], slots: int) -> None:
    sharing = share_independent(durations, slots, effort=3)
    loads = [0] * slots
    for each, slot in zip(durations, sharing.slot_of, strict=True):
        loads[slot] += each
    assert sharing.bound <= max(loads) == sharing.longest <= max(longest_first(durations, slots)[1])


@settings(max_examples=60)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=7), st.integers(1, 3), st.integers(1, 40))
def test_packing_decides_as_brute_force_does(durations: list[int], slots: int, most: int) -> None:
    fits = any(
        all(
            sum(d for d, on in zip(durations, choice, strict=True) if on == slot) <= most
            for slot in range(slots)
        )
        for choice in product(range(slots), repeat=len(durations))
    )
    decided, slot_of = packed(durations, slots, most, 100_000)
    assert decided
    assert (slot_of is not None) == fits
    if slot_of is not None:
        for slot in range(slots):
            assert sum(d for d, on in zip(durations, slot_of, strict=True) if on == slot) <= most


def test_an_undecided_packing_says_so() -> None:
    assert packed([5, 4, 3, 3, 3], 2, 9, 1) == (False, None)


def test_longest_first_loses_an_hour_that_the_best_plan_finds() -> None:
    # 3, 3, 2, 2, 2 on two cards: longest first 3+2+2 = 7; 3+3 against 2+2+2 is 6, and 12 / 2 = 6 proves it.
    best = solve(plain([3, 3, 2, 2, 2], 2, Policy.BEST))
    assert (best.delivery_ms, best.lower_bound_ms, best.is_optimal) == (6, 6, True)


def test_stages_in_a_row_are_each_as_short_as_can_be() -> None:
    # 3, 3, 2, 2, 2 on two cards end at 6 (see above), once more from there at 12, then a station of 10: 22.
    tasks = [3, 3, 2, 2, 2, 3, 3, 2, 2, 2, 10]
    one = plain(tasks, 2, Policy.BEST)
    problem = replace(
        one,
        stage=np.array([0] * 5 + [1] * 5 + [2]),
        cards=np.array([1] * 10 + [0]),
        stage_count=3,
        after=((0, 1), (1, 2)),
        release_ms=np.zeros(3),
        policy=(Policy.BEST, Policy.BEST, Policy.AVAILABILITY),
        tasks_at_once=np.full(3, -1),
        may_cross_nodes=np.zeros(3),
    )
    best = solve(problem)
    assert best.stage_end_ms.tolist() == [6, 12, 22]
    assert best.is_optimal


def test_the_best_plan_leaves_a_stage_with_a_policy_of_its_own_to_it() -> None:
    # Blocks of 3 and 2 tasks: 3+3+2 = 8 on the first card, however the other stage is searched.
    one = plain([3, 3, 2, 2, 2, 1], 2, Policy.BLOCKS)
    problem = replace(
        one,
        stage=np.array([0] * 5 + [1]),
        stage_count=2,
        after=((0, 1),),
        release_ms=np.zeros(2),
        policy=(Policy.BLOCKS, Policy.BEST),
        tasks_at_once=np.full(2, -1),
        may_cross_nodes=np.zeros(2),
    )
    assert solve(problem).stage_end_ms.tolist() == [8, 9]


def test_a_search_stops_when_nobody_wants_it() -> None:
    chance = np.random.default_rng(1)
    problem = plain(chance.integers(900, 1000, 60).tolist(), 7, Policy.BEST)
    asked = iter([False] * 3)
    with pytest.raises(SolveStopped):
        improved(problem, effort=10**9, cancelled=lambda: next(asked, True))


def test_the_same_problem_gives_the_same_best_plan() -> None:
    chance = np.random.default_rng(2)
    problem = plain(chance.integers(900, 1000, 60).tolist(), 7, Policy.BEST)
    first, second = improved(problem), improved(problem)
    assert first.run_card.tolist() == second.run_card.tolist()
    assert first.run_start_ms.tolist() == second.run_start_ms.tolist()


def test_tasks_over_two_cards_are_shared_among_slots_of_several_nodes() -> None:
    # Two nodes of three cards hold one pair each: 3, 3, 2, 2, 2 on two slots end at 6, and 12 / 2 proves it.
    problem = replace(
        plain([3, 3, 2, 2, 2], 6, Policy.BEST),
        cards=np.full(5, 2),
        card_node=np.array([0, 0, 0, 1, 1, 1]),
    )
    best = solve(problem)
    assert_keeps_every_rule(best, problem)
    assert (best.delivery_ms, best.lower_bound_ms) == (6, 6)


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 20), min_size=1, max_size=30),
    st.integers(1, 5),
    st.sampled_from([Policy.AVAILABILITY, Policy.LONGEST_FIRST]),
    st.integers(0, 5),
)
def test_the_short_way_gives_the_plan_of_the_long_one(
    durations: list[int], cards: int, policy: Policy, ready: int
) -> None:
    problem = replace(plain(durations, cards, policy), card_ready_ms=np.full(cards, ready))
    long = solve(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flat, "LEAST_TASKS", 1)
        short = solve(problem)
    for name in ("run_group", "run_start_ms", "run_card", "run_count", "card_busy_ms", "card_last_ms"):
        assert getattr(short, name).tolist() == getattr(long, name).tolist(), name
    assert (short.delivery_ms, short.longest_tail_ms) == (long.delivery_ms, long.longest_tail_ms)
    assert long.lower_bound_ms <= short.lower_bound_ms <= short.delivery_ms


@settings(max_examples=60)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=30), st.integers(1, 5), st.integers(0, 5))
def test_the_best_plan_by_the_short_way_keeps_every_rule(
    durations: list[int], cards: int, ready: int
) -> None:
    problem = replace(plain(durations, cards, Policy.BEST), card_ready_ms=np.full(cards, ready))
    long = solve(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flat, "LEAST_TASKS", 1)
        short = solve(problem)
    assert_keeps_every_rule(short, problem)
    assert short.delivery_ms == long.delivery_ms


def test_many_distinct_tasks_are_shared_to_the_bound() -> None:
    durations = np.random.default_rng(3).integers(9 * 10**5, 10**6, 3_000).tolist()
    problem = plain(durations, 70, Policy.BEST)
    best = solve(problem)
    assert_each_task_once(best, problem)
    assert best.lower_bound_ms <= best.delivery_ms
    assert best.delivery_ms < solve(plain(durations, 70, Policy.LONGEST_FIRST)).delivery_ms


@settings(max_examples=80)
@given(st.data(), st.integers(1, 7), st.integers(2, 3))
def test_the_plan_on_unlike_cards_keeps_every_rule_and_the_optimum_lies_between_bound_and_plan(
    data: st.DataObject, tasks: int, cards: int
) -> None:
    row = st.lists(st.integers(-1, 12), min_size=cards, max_size=cards).filter(lambda one: max(one) >= 0)
    durations = np.array(data.draw(st.lists(row, min_size=tasks, max_size=tasks)))
    ready = data.draw(st.lists(st.integers(0, 4), min_size=cards, max_size=cards))
    problem = replace(
        plain([0] * tasks, cards, Policy.BEST),
        duration_ms=durations,
        card_model=np.arange(cards),
        card_ready_ms=np.array(ready),
    )
    best = improved(problem, effort=20)
    assert_keeps_every_rule(best, problem)
    ends = []
    for choice in product(range(cards), repeat=tasks):
        loads = [0] * cards
        for task, card in enumerate(choice):
            loads[card] += int(durations[task, card]) if durations[task, card] >= 0 else 10**6
        ends.append(max(ready[card] + loads[card] for card in set(choice)))
    assert best.lower_bound_ms <= min(ends) <= best.delivery_ms


def test_slow_and_fast_cards_are_both_used_to_the_full() -> None:
    # Six tasks, 2 on the fast card and 4 on the slow one: four and two of them, both end at 8. With weights
    # 2 and 1 a task weighs 4 on either card: 6 * 4 / (2 + 1) = 8, the bound is met.
    problem = replace(
        plain([0] * 6, 2, Policy.BEST),
        duration_ms=np.array([[2, 4]] * 6),
        card_model=np.array([0, 1]),
    )
    best = solve(problem)
    assert (best.delivery_ms, best.lower_bound_ms) == (8, 8)


def test_a_mixed_fleet_gives_each_task_to_the_card_that_suits_it() -> None:
    # By arrival or longest first, 9 | 9 goes first to the first card; best is 3 + 3 + 3 against 9 at once: 9.
    problem = replace(
        plain([0] * 4, 2, Policy.BEST),
        duration_ms=np.array([[9, 9], [3, 9], [3, 9], [3, 9]]),
        card_model=np.array([0, 1]),
    )
    best = solve(problem)
    assert (best.delivery_ms, best.is_optimal) == (9, True)


def test_a_schedule_keeps_at_most_a_hundred_bytes_a_task() -> None:
    draw = np.random.default_rng(11)
    problem = searched(plain(draw.integers(1, 10**6, 20_000).tolist(), 64, Policy.BEST))
    solve(problem)  # what is made once is made
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    plan = solve(problem)
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(plan.run_group) == 20_000
    assert kept / 20_000 <= 100
