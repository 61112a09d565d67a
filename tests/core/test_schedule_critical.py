"""Which tasks make the delivery: cases made by hand, and every plan against replaying it task by task."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

from estimator.schedule import Policy, Problem, Schedule, SolveStopped, Status, solve
from estimator.schedule.critical import critical_rows
from tests.core.test_schedule_invariants import plain, problems

Row = tuple[int, int, int, int]
"""Task, group, start and card of a single row."""


def rows_of(schedule: Schedule) -> list[Row]:
    """Every single row, run after run, with equal tasks of one run_task numbered alike."""
    rows = []
    numbers: dict[tuple[int, int], int] = {}
    for run in range(len(schedule.run_group)):
        for step in range(int(schedule.run_count[run])):
            key = (int(schedule.run_task[run]), step)
            task = numbers.setdefault(key, len(numbers))
            start = int(schedule.run_start_ms[run]) + step * int(schedule.run_step_ms[run])
            rows.append((task, int(schedule.run_group[run]), start, int(schedule.run_card[run])))
    return rows


class Replay:
    """A plan as tasks that each wait for others: on cards, between stages, for units handed on.

    Units go to whoever takes the place on the card, else first to first.
    """

    def __init__(self, schedule: Schedule, problem: Problem) -> None:
        rows = rows_of(schedule)
        count = 1 + max((row[0] for row in rows), default=-1)
        self.start = [0] * count
        self.length = [0] * count
        self.group = [0] * count
        for row, length in zip(rows, np.repeat(schedule.run_duration_ms, schedule.run_count), strict=True):
            self.group[row[0]], self.start[row[0]], self.length[row[0]] = row[1], row[2], int(length)
        self.after_end: set[tuple[int, int]] = set()
        self.after_hold: set[tuple[int, int, int]] = set()
        self.relieves: dict[int, int] = {}
        """Of a task the one whose place it takes, on the first card where it does."""
        self._wait_on_cards(rows)
        self._wait_for_stages(problem)
        for resource, capacity in enumerate(problem.capacity.tolist()):
            if capacity >= 0:
                need = problem.need[:, resource].tolist()
                hold = problem.hold_ms[:, resource].tolist()
                users = [t for t in range(count) if need[self.group[t]]]
                self._hand_on(users, need, hold, capacity)
        for stage, cap in enumerate(problem.tasks_at_once.tolist()):
            if cap >= 0:
                users = [t for t in range(count) if problem.stage[self.group[t]] == stage]
                self._hand_on(users, [1] * problem.group_count, [-1] * problem.group_count, cap)

    def _wait_on_cards(self, rows: list[Row]) -> None:
        for card in sorted({row[3] for row in rows} - {-1}):
            own = [row[0] for row in rows if row[3] == card]
            own.sort(key=lambda task: (self.start[task], self.start[task] + self.length[task]))
            self.after_end |= set(pairwise(own))
            for early, late in pairwise(own):
                if self.start[early] + self.length[early] == self.start[late]:
                    self.relieves.setdefault(late, early)

    def _wait_for_stages(self, problem: Problem) -> None:
        links = set(problem.after)
        for _ in range(problem.stage_count):  # through stages without tasks as well
            links |= {(a, d) for a, b in links for c, d in links if b == c}
        stage = [int(problem.stage[group]) for group in self.group]
        self.after_end |= {
            (a, b)
            for a in range(len(stage))
            for b in range(len(stage))
            if a != b and (stage[a], stage[b]) in links
        }

    def _hand_on(self, users: list[int], need: list[int], hold: list[int], capacity: int) -> None:
        held = {}
        for task in users:
            wanted, length = hold[self.group[task]], self.length[task]
            held[task] = length if wanted < 0 else min(wanted, length)
        users = sorted((t for t in users if held[t]), key=lambda t: (self.start[t], t))
        passed: dict[int, int] = {}
        for late, early in sorted(self.relieves.items()):
            if early not in passed:
                passed[early] = late
        passed = {
            early: late
            for early, late in passed.items()
            if early in users
            and late in users
            and need[self.group[early]] == need[self.group[late]]
            and self.start[early] + held[early] == self.start[late]
        }
        free: deque[int | None] = deque([None] * capacity)
        busy: list[tuple[int, int]] = []
        for task in users:
            for until, giver in sorted(busy):
                if until <= self.start[task]:
                    free.extend([giver] * need[self.group[giver]])
                    busy.remove((until, giver))
            for _ in range(0 if task in passed.values() else need[self.group[task]]):
                giver = free.popleft()
                if giver is not None:
                    self.after_hold.add((giver, task, hold[self.group[giver]]))
            if task not in passed:
                busy.append((self.start[task] + held[task], task))

    def delivery(self, late: int = -1, longer: int = -1) -> int:
        """The end of all when one task starts a millisecond later, or takes one longer."""
        start, length = list(self.start), list(self.length)
        if late >= 0:
            start[late] += 1
        if longer >= 0:
            length[longer] += 1
        moved = True
        while moved:
            moved = False
            waits = [(start[a] + length[a], b) for a, b in self.after_end]
            waits += [
                (start[a] + (length[a] if hold < 0 else min(hold, length[a])), b)
                for a, b, hold in self.after_hold
            ]
            for at, task in waits:
                if start[task] < at:
                    start[task], moved = at, True
        return max((begin + one for begin, one in zip(start, length, strict=True)), default=0)


@settings(max_examples=80, deadline=None)
@given(problems())
def test_a_task_is_critical_where_starting_it_a_millisecond_later_delays_the_delivery(
    problem: Problem,
) -> None:
    schedule = solve(problem)
    if schedule.status is Status.INFEASIBLE or not schedule.run_count.sum():
        return
    replay = Replay(schedule, problem)
    assert replay.delivery() <= schedule.delivery_ms  # the order is one that the plan keeps
    found = critical_rows(schedule, problem)
    for (task, *_), is_critical in zip(rows_of(schedule), found.tolist(), strict=True):
        assert is_critical == (replay.delivery(late=task) > schedule.delivery_ms)


@settings(max_examples=40, deadline=None)
@given(problems())
def test_a_critical_task_that_takes_a_millisecond_longer_delays_the_delivery_by_one(problem: Problem) -> None:
    # Units held for the first part of a task only would not be held longer.
    problem = replace(problem, hold_ms=np.full_like(problem.hold_ms, -1))
    schedule = solve(problem)
    if schedule.status is Status.INFEASIBLE:
        return
    replay = Replay(schedule, problem)
    for (task, *_), is_critical in zip(
        rows_of(schedule), critical_rows(schedule, problem).tolist(), strict=True
    ):
        late = replay.delivery(longer=task) - schedule.delivery_ms
        assert max(late, 0) == int(is_critical)


def test_on_two_cards_only_the_longer_chain_makes_the_delivery() -> None:
    # Blocks of 2: card 1 runs 5 + 4 = 9, card 2 runs 3 + 2 = 5. Delivery 9.
    problem = plain([5, 4, 3, 2], 2, Policy.BLOCKS)
    schedule = solve(problem)
    assert schedule.delivery_ms == 9
    critical = critical_rows(schedule, problem)
    assert dict(zip(schedule.run_group.tolist(), critical.tolist(), strict=True)) == {
        0: True,
        1: True,
        2: False,
        3: False,
    }


def _staged(hold_ms: int) -> Problem:
    """Two tasks of 4 on two cards that load for `hold_ms` over a link for one, then a station of 10."""
    return Problem(
        count=np.array([2, 1]),
        stage=np.array([0, 1]),
        duration_ms=np.array([[4], [10]]),
        cards=np.array([1, 0]),
        capacity=np.array([1]),
        need=np.array([[1], [0]]),
        hold_ms=np.array([[hold_ms], [-1]]),
        stage_count=2,
        after=((0, 1),),
        release_ms=np.zeros(2),
        policy=(Policy.AVAILABILITY,) * 2,
        tasks_at_once=np.array([-1, -1]),
        may_cross_nodes=np.array([False, False]),
        card_model=np.zeros(2),
        card_lot=np.zeros(2),
        card_node=np.zeros(2),
        card_ready_ms=np.zeros(2),
    )


def test_who_is_waited_for_on_a_link_is_critical_though_its_card_is_not() -> None:
    # Task 1 loads 0-1 and runs 0-4 on card 1; task 2 loads 1-2 and runs 1-5 on card 2; the station runs 5-15.
    # Task 1 ends a millisecond before the station starts, and yet task 2 waits for its load.
    problem = _staged(1)
    schedule = solve(problem)
    assert schedule.delivery_ms == 15
    assert critical_rows(schedule, problem).tolist() == [True, True, True]


def test_without_the_shared_link_both_end_together_and_both_are_critical() -> None:
    problem = _staged(0)
    schedule = solve(problem)
    assert schedule.delivery_ms == 14
    assert critical_rows(schedule, problem).all()


def test_a_million_equal_tasks_are_walked_chain_by_chain() -> None:
    problem = replace(plain([7], 3, Policy.AVAILABILITY), count=np.array([1_000_000]))
    schedule = solve(problem)
    # 1,000,000 = 3 x 333,333 + 1: the card with one more makes the delivery, the others end 7 earlier.
    critical = critical_rows(schedule, problem)
    assert int(critical.sum()) == 333_334


def test_the_walk_stops_when_nobody_wants_it() -> None:
    problem = plain([5, 4], 1, Policy.BLOCKS)
    with pytest.raises(SolveStopped):
        critical_rows(solve(problem), problem, cancelled=lambda: True)
