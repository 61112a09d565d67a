"""The checker behind every schedule of the tests finds each rule that is broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import estimator.schedule
from estimator.plan import scheduling
from estimator.schedule import Policy, Problem, Schedule, When, improved, schedule_of_tasks, solve
from tests.schedule_rules import DOORS, assert_keeps_every_rule

HOURS = (((0, 4), (6, 10)),)


def problem(**changes: Any) -> Problem:
    """Four tasks of 4 ms on two cards, then three of 2 ms over both cards of a node, then one off the cards."""
    columns: dict[str, Any] = {
        "count": [4, 3, 1],
        "stage": [0, 1, 2],
        "duration_ms": [[4], [2], [3]],
        "cards": [1, 2, 0],
        "capacity": [2],
        "need": [[1], [2], [0]],
        "hold_ms": [[3], [-1], [-1]],
        "stage_count": 3,
        "after": ((0, 1), (1, 2)),
        "release_ms": [1, 0, 0],
        "policy": (Policy.AVAILABILITY,) * 3,
        "tasks_at_once": [2, -1, -1],
        "may_cross_nodes": [False] * 3,
        "card_model": [0, 0, 0],
        "card_lot": [0, 0, 1],
        "card_node": [0, 0, 1],
        "card_ready_ms": [0, 0, 1000],
    }
    return Problem(**{**columns, **changes})


def column(name: str, row: int, value: int) -> Callable[[Schedule], Schedule]:
    """Return what writes a value into a column of a schedule."""

    def changed(schedule: Schedule) -> Schedule:
        values = getattr(schedule, name).copy()
        values[row] = value
        return replace(schedule, **{name: values})

    return changed


@pytest.mark.parametrize(
    "broken",
    [
        column("run_count", 0, 1),
        column("run_first", 0, 1),
        column("run_card", 0, 1),
        column("run_card", 0, 2),
        column("run_card", -1, 0),
        column("run_start_ms", 0, 0),
        column("run_start_ms", 1, 2),
        column("run_duration_ms", 0, 3),
        column("run_step_ms", 0, 3),
        column("run_task_cards", 0, 2),
        column("run_lead", 0, 0),
        column("run_task", 0, 1),
        column("stage_start_ms", 1, 8),
        column("stage_end_ms", 0, 8),
        lambda schedule: replace(schedule, lower_bound_ms=schedule.delivery_ms + 1),
        lambda schedule: replace(schedule, resource_steps=((np.array([0]), np.array([1])),)),
    ],
)
def test_a_schedule_with_one_wrong_entry_is_refused(broken: Callable[[Schedule], Schedule]) -> None:
    asked = problem()
    schedule = solve(asked)
    assert_keeps_every_rule(schedule, asked)
    with pytest.raises(AssertionError):
        assert_keeps_every_rule(broken(schedule), asked)


@pytest.mark.parametrize(
    "tighter",
    [
        {"capacity": [1]},
        {"need": [[2], [2], [0]]},
        {"hold_ms": [[4], [-1], [-1]]},
        {"tasks_at_once": [1, -1, -1]},
        {"release_ms": [2, 0, 0]},
        {"card_ready_ms": [2, 0, 1000]},
        {"card_lot": [0, 1, 1]},
        {"card_node": [0, 1, 1]},
        {"after": ((0, 1), (1, 2), (2, 0))},
        {"duration_ms": [[5], [2], [3]]},
        {"when": When(card_until_ms=[8, 8, -1])},
        {"when": When(calendars=HOURS, period_ms=10, stage_calendar=[0, -1, -1])},
        {"when": When(calendars=HOURS, period_ms=10, card_calendar=[0, -1, -1])},
        {"when": When(streams=((2, 0),))},
    ],
)
def test_a_schedule_of_looser_rules_is_refused(tighter: dict[str, Any]) -> None:
    schedule = solve(problem())
    with pytest.raises(AssertionError):
        assert_keeps_every_rule(schedule, problem(**tighter))


def test_hours_are_kept_with_and_without_a_pause() -> None:
    for pause in (0, 1):
        when = When(calendars=HOURS, period_ms=10, stage_calendar=[0, -1, -1], may_pause=[pause, 0, 0])
        asked = problem(when=when)
        schedule = solve(asked)
        assert_keeps_every_rule(schedule, asked)
        # Open from 1 to 4 and from 6 on: with a pause the first two end at 7, without one they start at 6.
        assert int(schedule.run_start_ms.min()) == (1 if pause else 6)
        other = replace(when, may_pause=[1 - pause, 0, 0])
        if pause:
            with pytest.raises(AssertionError):
                assert_keeps_every_rule(schedule, problem(when=other))


def test_every_door_of_the_engine_is_checked() -> None:
    assert {solve, improved, schedule_of_tasks} == {getattr(estimator.schedule, name) for name in DOORS}
    for door in (solve, improved, schedule_of_tasks, scheduling.solve, scheduling.schedule_of_tasks):
        assert hasattr(door, "__wrapped__")
