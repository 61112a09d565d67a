"""Proofs by OR-Tools: plans that keep every rule, optima by brute force, the same answer twice, and refusals."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from estimator.schedule import (
    Policy,
    Problem,
    ProofRefused,
    Schedule,
    Status,
    broken_rule,
    schedule_of_tasks,
    solve,
    tasks_of,
)
from estimator.schedule.exact import MOST_TASKS
from estimator.schedule.prove import Found, prove
from tests.core import test_schedule_invariants as rules
from tests.schedule_rules import assert_keeps_every_rule

EFFORT = 1
SINGLES = [30, 27, 25, 22, 20, 19, 17, 15]


def proof_of(problem: Problem, effort: int = EFFORT) -> tuple[Schedule, Found]:
    """Return the start and what was found, checked by the tests' own rules, which share nothing with it."""
    start = solve(problem)
    found = prove(problem, start, effort)
    plan = schedule_of_tasks(problem, found.tasks, found.bound_ms)
    assert plan.delivery_ms == found.delivery_ms <= start.delivery_ms
    assert start.lower_bound_ms <= found.bound_ms <= found.delivery_ms
    assert_keeps_every_rule(plan, problem)
    return start, found


@settings(max_examples=40, deadline=None)
@given(rules.tiny_problems())
def test_a_proof_ends_at_the_optimum_by_brute_force(problem: Problem) -> None:
    assume(solve(problem).status is Status.FEASIBLE)
    _, found = proof_of(problem)
    assert found.delivery_ms == found.bound_ms == rules.brute_force(problem)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=6),
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=2, max_size=3),
)
def test_tasks_on_cards_of_two_models_reach_the_best_of_all_sharings(
    lengths: list[tuple[int, int]], cards: list[tuple[int, int]]
) -> None:
    problem = replace(
        rules.plain([1] * len(lengths), len(cards), Policy.AVAILABILITY),
        duration_ms=np.array(lengths),
        card_model=np.array([model for model, _ in cards]),
        card_ready_ms=np.array([ready for _, ready in cards]),
    )
    best = min(
        max(
            ready + sum(row[model] for row, on in zip(lengths, choice, strict=True) if on == card)
            for card, (model, ready) in enumerate(cards)
            if card in choice
        )
        for choice in product(range(len(cards)), repeat=len(lengths))
    )
    _, found = proof_of(problem)
    assert found.delivery_ms == found.bound_ms == best


@settings(max_examples=40, deadline=None)
@given(rules.problems())
def test_whatever_is_found_keeps_every_rule(problem: Problem) -> None:
    zero = ((problem.duration_ms == 0).any(axis=1) & (problem.cards > 0) & (problem.count > 0)).any()
    wide = problem.stage[(problem.cards > 1) & (problem.count > 0)]
    assume(solve(problem).status is Status.FEASIBLE and problem.count.any() and not zero)
    assume(len(set(problem.may_cross_nodes[wide].tolist())) < 2)
    proof_of(problem)


def test_the_same_problem_gives_the_same_plan_and_bound() -> None:
    problem = replace(
        rules.plain(SINGLES, 3, Policy.BEST),
        capacity=np.array([1]), need=np.ones((len(SINGLES), 1)), hold_ms=np.full((len(SINGLES), 1), 5),
    )  # fmt: skip
    _, first = proof_of(problem)
    _, second = proof_of(problem)
    assert first == second


def test_equal_tasks_are_counted_and_not_told_apart() -> None:
    # 60 tasks of 7 and 40 of 5 on 9 cards: 620 / 9 = 68.9, and 69 = 7 * 7 + 4 * 5 = 2 * 7 + 11 * 5 exists.
    problem = replace(
        rules.plain([7, 5], 9, Policy.AVAILABILITY), count=np.array([60, 40])
    )  # fmt: skip
    _, found = proof_of(problem)
    assert found.delivery_ms == found.bound_ms == 69


def test_a_better_plan_is_told_as_it_is_found() -> None:
    heard: list[tuple[int, int]] = []
    problem = rules.plain([3, 3, 2, 2, 2], 2, Policy.LONGEST_FIRST)
    start = solve(problem)
    assert (start.delivery_ms, start.lower_bound_ms) == (7, 6)
    found = prove(problem, start, EFFORT, lambda delivery, bound: heard.append((delivery, bound)))
    assert (found.delivery_ms, found.bound_ms) == (6, 6)
    assert heard[-1] == (6, 6)
    assert heard == sorted(heard, reverse=True)


def test_without_the_extra_the_proof_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    problem = rules.plain([3, 3, 2, 2, 2], 2, Policy.LONGEST_FIRST)
    with pytest.raises(ProofRefused, match="proof_not_installed"):
        prove(problem, solve(problem))


def nodes_mixed() -> Problem:
    """Two tasks over two cards each, one of which keeps to its node, on one lot of two nodes."""
    return replace(
        rules.plain([3, 4], 4, Policy.BEST),
        stage=np.array([0, 1]), cards=np.array([2, 2]), stage_count=2, release_ms=np.zeros(2),
        policy=(Policy.BEST,) * 2, tasks_at_once=np.full(2, -1), may_cross_nodes=np.array([True, False]),
        card_node=np.array([0, 0, 1, 1]),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (rules.plain([1] * (MOST_TASKS + 1), 2, Policy.AVAILABILITY), "proof_too_large"),
        (rules.plain([0, 4], 2, Policy.AVAILABILITY), "proof_no_time"),
        (replace(rules.plain([3, 4], 1, Policy.BEST), cards=np.array([1, 2])), "proof_no_plan"),
        (nodes_mixed(), "proof_nodes_mixed"),
    ],
)
def test_what_cannot_be_proved_is_refused_with_its_reason(problem: Problem, code: str) -> None:
    with pytest.raises(ProofRefused, match=code):
        prove(problem, solve(problem))


@settings(max_examples=60, deadline=None)
@given(rules.problems())
def test_a_plan_goes_to_single_tasks_and_back(problem: Problem) -> None:
    plan = solve(problem)
    assume(plan.status is Status.FEASIBLE)
    assume(not ((problem.duration_ms == 0).any(axis=1) & (problem.cards > 0)).any())
    again = schedule_of_tasks(problem, tasks_of(problem, plan), plan.lower_bound_ms)
    assert again.stage_start_ms.tolist() == plan.stage_start_ms.tolist()
    assert again.stage_end_ms.tolist() == plan.stage_end_ms.tolist()
    assert again.card_busy_ms.tolist() == plan.card_busy_ms.tolist()
    assert_keeps_every_rule(again, problem)


def two_stages() -> Problem:
    """Two tasks of 4 and 6 on two cards of one node each, then one of 5 over both of a lot; a licence for one."""
    return Problem(
        count=np.ones(3), stage=np.array([0, 0, 1]), duration_ms=np.array([[4], [6], [5]]),
        cards=np.array([1, 1, 2]), capacity=np.array([1]), need=np.array([[1], [1], [0]]),
        hold_ms=np.array([[2], [2], [-1]]), stage_count=2, after=((0, 1),), release_ms=np.array([1, 0]),
        policy=(Policy.BEST,) * 2, tasks_at_once=np.array([2, -1]), may_cross_nodes=np.array([True, False]),
        card_model=np.zeros(4), card_lot=np.array([0, 0, 0, 1]), card_node=np.array([0, 0, 1, 2]),
        card_ready_ms=np.array([0, 1, 0, 0]),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("tasks", "code"),
    [
        (((1, 0), (3, 1), (9, 0, 1)), ""),
        (((1, 0), (3, 1)), "task_count"),
        (((-1, 0), (3, 1), (9, 0, 1)), "task_count"),
        (((1, 0), (3, 1), (9, 0)), "task_cards"),
        (((1, 0), (3, 1), (9, 0, 0)), "task_cards"),
        (((1, 0), (3, 7), (9, 0, 1)), "task_cards"),
        (((1, 0), (3, 1), (9, 0, 3)), "task_together"),
        (((1, 0), (3, 1), (9, 0, 2)), "task_together"),
        (((0, 0), (3, 1), (9, 0, 1)), "released_later"),
        (((1, 0), (3, 1), (8, 0, 1)), "stage_order"),
        (((1, 0), (3, 0), (9, 0, 1)), "card_twice"),
        (((1, 0), (2, 1), (9, 0, 1)), "over_capacity"),
    ],
)
def test_each_broken_rule_is_named(tasks: tuple[tuple[int, ...], ...], code: str) -> None:
    assert broken_rule(two_stages(), tasks) == code


def test_a_cap_and_a_card_that_is_not_ready_are_seen() -> None:
    sound = ((1, 0), (3, 1), (9, 0, 1))
    assert broken_rule(replace(two_stages(), tasks_at_once=np.array([1, -1])), sound) == "over_cap"
    late = replace(two_stages(), card_ready_ms=np.array([2, 1, 0, 0]))
    assert broken_rule(late, sound) == "card_not_ready"
    with pytest.raises(ValueError, match="card_not_ready"):
        schedule_of_tasks(late, sound, 0)
