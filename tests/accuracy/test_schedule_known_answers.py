"""Schedules whose answer is known by hand or from a published network. Minutes unless a test says hours."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from estimator.hours import Window, WorkingHours
from estimator.schedule import (
    CycleFound,
    Policy,
    Problem,
    Status,
    bars,
    critical_path,
    find_cycles,
    schedulable_stages,
    solve,
)
from estimator.schedule.calendars import Calendar
from estimator.schedule.problem import FOREVER

WEEK_MS = 7 * 24 * 3_600_000

Links = tuple[tuple[int, int], ...]

DATA = Path(__file__).parent.parent / "data"


def conversion(
    durations: list[tuple[int, int]],
    card_count: int,
    policy: Policy = Policy.AVAILABILITY,
    station: int = 10,
    licences: int = -1,
    hold: int = -1,
    **changes: object,
) -> Problem:
    """One stage of (count, duration) groups, a card and a licence a task; then one task off the cards."""
    groups = len(durations)
    columns: dict[str, object] = {
        "count": [count for count, _ in durations] + [1],
        "stage": [0] * groups + [1],
        "duration_ms": [[duration] for _, duration in durations] + [[station]],
        "cards": [1] * groups + [0],
        "capacity": [licences],
        "need": [[1]] * groups + [[0]],
        "hold_ms": [[hold]] * (groups + 1),
        "stage_count": 2,
        "after": ((0, 1),),
        "release_ms": [0, 0],
        "policy": (policy, Policy.AVAILABILITY),
        "tasks_at_once": [-1, -1],
        "may_cross_nodes": [False, False],
        "card_model": [0] * card_count,
        "card_lot": [0] * card_count,
        "card_node": [0] * card_count,
        "card_ready_ms": [0] * card_count,
    }
    if licences < 0:  # without a licence to wait for the tasks need none
        columns["need"] = [[0]] * (groups + 1)
    return Problem(**{**columns, **changes})  # type: ignore[arg-type]  # columns by name


@pytest.mark.parametrize("policy", list(Policy))
def test_eight_tasks_of_twelve_and_a_station_give_the_known_staircase(policy: Policy) -> None:
    # ceil(8 / n) x 12 + 10
    found = [solve(conversion([(8, 12)], cards, policy)) for cards in range(1, 10)]
    assert [one.delivery_ms for one in found] == [106, 58, 46, 34, 34, 34, 34, 22, 22]
    assert all(one.is_optimal and one.gap == 0 for one in found)


def test_blocks_keep_the_order_and_availability_does_not_wait() -> None:
    tasks = [(4, 18), (4, 6)]
    # blocks: one card has the four long ones, 72 + 10; by turns 18 18 6 6 on each, 48 + 10; 96 + 10 alone
    assert solve(conversion(tasks, 2, Policy.BLOCKS)).delivery_ms == 82
    assert solve(conversion(tasks, 2, Policy.AVAILABILITY)).delivery_ms == 58
    assert solve(conversion(tasks, 1, Policy.BLOCKS)).delivery_ms == 106
    assert solve(conversion(tasks, 2, Policy.BLOCKS)).longest_tail_ms == 48


def test_blocks_are_as_equal_in_number_as_can_be_with_the_larger_first() -> None:
    schedule = solve(conversion([(8, 12)], 3, Policy.BLOCKS))
    on_cards = schedule.run_card >= 0
    assert schedule.run_count[on_cards].tolist() == [3, 3, 2]
    assert schedule.card_busy_ms.tolist() == [36, 36, 24]
    assert schedule.longest_tail_ms == 12


def test_longest_first_can_miss_the_bound_and_says_by_how_much() -> None:
    # 3 2 2 on one card and 3 2 on the other; the bound is 12 / 2
    schedule = solve(conversion([(2, 3), (3, 2)], 2, Policy.LONGEST_FIRST, station=0))
    assert (schedule.delivery_ms, schedule.lower_bound_ms) == (7, 6)
    assert schedule.gap == Fraction(1, 6)
    assert not schedule.is_optimal


@pytest.mark.parametrize("policy", list(Policy))
@pytest.mark.parametrize(("licences", "delivery"), [(2, 58), (3, 46)])
def test_four_cards_wait_for_their_licences(policy: Policy, licences: int, delivery: int) -> None:
    # ceil(8 / licences) x 12 + 10
    schedule = solve(conversion([(8, 12)], 4, policy, licences=licences))
    assert schedule.lower_bound_ms == delivery
    if policy is not Policy.BLOCKS:  # blocks of two a card cannot share three licences evenly
        assert schedule.delivery_ms == delivery
    assert schedule.resource_steps[0][1].max() == licences


def test_one_storage_channel_sets_the_pace() -> None:
    # eight reads of 8 one after another, the last task's other 4, then 10
    schedule = solve(conversion([(8, 12)], 2, licences=1, hold=8))
    assert schedule.lower_bound_ms == 78 == schedule.delivery_ms


def test_a_two_card_task_leaves_no_room_beside_it() -> None:
    # half hours: 10 on both cards, then 6 and 8 side by side; the cards' time is (20 + 6 + 8) / 2 = 17
    schedule = solve(
        conversion([(1, 10), (1, 6), (1, 8)], 2, Policy.LONGEST_FIRST, station=0, cards=[2, 1, 1, 0])
    )
    assert schedule.delivery_ms == 18
    assert 17 <= schedule.lower_bound_ms <= 18
    assert schedule.run_lead.sum() == 4
    assert len(schedule.run_lead) == 5


def test_a_milestone_takes_no_time_and_holds_back_what_follows() -> None:
    # hours 6, 0, 10
    schedule = solve(chain([[6], [0], [10]], cards=1))
    assert schedule.stage_start_ms.tolist() == [0, 6, 6]
    assert schedule.delivery_ms == 16
    assert schedule.is_optimal


def test_a_stage_without_tasks_is_a_milestone() -> None:
    problem = chain([[6], [10]], cards=1)
    empty = Problem(**{**vars(problem), "count": [1, 0]})
    schedule = solve(empty)
    assert schedule.stage_start_ms.tolist() == [0, 6]
    assert schedule.stage_end_ms.tolist() == [6, 6]


def test_a_stage_waits_for_its_release() -> None:
    schedule = solve(conversion([(2, 12)], 2, release_ms=[5, 40]))
    assert schedule.stage_start_ms.tolist() == [5, 40]
    assert schedule.delivery_ms == 50 == schedule.lower_bound_ms


def test_the_cards_wait_for_their_set_up() -> None:
    # cards ready at 0 and 20: 12 24 36 and 32 44; the fifth task of five ends at 44 (10 more at the station)
    schedule = solve(conversion([(5, 12)], 2, card_ready_ms=[0, 20]))
    assert schedule.delivery_ms == 54 == schedule.lower_bound_ms


def test_a_cap_on_tasks_at_once_holds_on_idle_cards() -> None:
    # 2 at once on 8 cards: 4 x 12 + 10
    schedule = solve(conversion([(8, 12)], 8, tasks_at_once=[2, -1]))
    assert schedule.delivery_ms == 58 == schedule.lower_bound_ms


def test_stations_are_a_cap_off_the_cards() -> None:
    # 7 tasks of 10 at 3 stations: 3 turns
    problem = conversion([(1, 12)], 1, count=[1, 7], tasks_at_once=[-1, 3])
    schedule = solve(problem)
    assert schedule.delivery_ms == 12 + 30 == schedule.lower_bound_ms
    assert len(bars(schedule, problem).group) == 8


def test_a_faster_card_takes_more_tasks() -> None:
    # models of 10 and 20: by 40 four and two are done
    problem = conversion(
        [(6, 10)], 2, station=0, duration_ms=[[10, 20], [0, 0]], card_model=[0, 1]
    )  # fmt: skip
    schedule = solve(problem)
    assert schedule.delivery_ms == 40 == schedule.lower_bound_ms
    assert schedule.card_busy_ms.tolist() == [40, 40]


def test_a_lot_is_never_crossed() -> None:
    # two lots of 3 cards hold one two-card task each, not three together: 4 tasks in 2 turns
    problem = conversion([(4, 5)], 6, station=0, cards=[2, 0], card_lot=[0, 0, 0, 1, 1, 1])
    assert solve(problem).delivery_ms == 10


def test_nodes_are_crossed_only_where_allowed() -> None:
    nodes = {"cards": [2, 0], "card_node": [0, 1]}
    refused = solve(conversion([(1, 5)], 2, station=0, **nodes))
    assert refused.status is Status.INFEASIBLE
    assert refused.blocked == ((0, "too_few_cards_together"),)
    assert solve(conversion([(1, 5)], 2, station=0, may_cross_nodes=[True, False], **nodes)).delivery_ms == 5


def test_a_task_that_can_never_start_makes_the_schedule_infeasible_and_is_named() -> None:
    assert solve(conversion([(1, 5)], 1, duration_ms=[[-1], [10]])).blocked == ((0, "no_eligible_card"),)
    assert solve(conversion([(1, 5)], 1, licences=0)).blocked == ((0, "need_over_capacity"),)
    assert solve(conversion([(1, 5)], 1, tasks_at_once=[0, 1])).blocked == ((0, "no_tasks_at_once"),)
    with pytest.raises(ValueError, match="no delivery"):
        _ = solve(conversion([(1, 5)], 0)).delivery_ms


def test_columns_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="release_ms"):
        conversion([(1, 5)], 1, release_ms=[0])
    with pytest.raises(ValueError, match="stage must lie"):
        conversion([(1, 5)], 1, stage=[0, 2])


def test_the_published_network_has_its_critical_path() -> None:
    names, hours, after = read_network(DATA / "network_13.csv")
    start, finish, slack = critical_path(hours, after)
    assert finish.max() == 40
    assert dict(zip(names, slack.tolist(), strict=True)) == {
        "start": 0, "t01": 0, "t02": 0, "t03": 7, "t04": 9, "t05": 0, "t06": 0,
        "t07": 7, "t08": 0, "t09": 0, "t10": 0, "t11": 3, "finish": 0,
    }  # fmt: skip
    assert (finish - start).tolist() == hours


def test_only_the_stages_of_a_cycle_are_named() -> None:
    names, hours, after = read_network(DATA / "cycle_named.csv")
    assert [names[stage] for stage in find_cycles(len(names), after)] == ["2", "3", "4"]
    assert [names[stage] for stage in schedulable_stages(len(names), after)] == ["1", "5"]
    with pytest.raises(CycleFound) as found:
        solve(chain([[hour] for hour in hours], cards=1, after=after))
    assert found.value.stages == (1, 2, 3)


def test_a_stage_between_two_cycles_is_on_neither() -> None:
    assert find_cycles(5, [(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 3)]) == (0, 1, 3, 4)
    assert find_cycles(2, [(1, 1)]) == (1,)


def test_a_hundred_chains_on_a_hundred_cards_have_no_slack() -> None:
    after = tuple((stage, stage + 100) for stage in range(4_900))
    schedule = solve(chain([[1]] * 5_000, cards=100, after=after))
    assert schedule.delivery_ms == 50 == schedule.lower_bound_ms
    assert not critical_path([1] * 5_000, after)[2].any()


def test_twelve_thousand_tasks_of_seven_minutes_take_87_and_a_half_hours() -> None:
    # 12,000 x 7 / 16 = 5,250 minutes
    schedule = solve(conversion([(12_000, 7)], 16, station=0))
    assert schedule.delivery_ms == 5_250 == schedule.lower_bound_ms
    assert len(schedule.run_group) == 17


def test_a_million_equal_tasks_are_a_few_rows() -> None:
    # upload off the cards, two groups at once on 64 cards, assembly: 3 + (3,500,000 + 3,600,000) / 64 + 5
    single = chain([[3], [7], [9], [5]], 64, ((0, 1), (0, 2), (1, 3), (2, 3)))
    columns = {"count": [100_000, 500_000, 400_000, 1], "cards": [0, 1, 1, 0]}
    problem = Problem(**{**vars(single), **columns})
    schedule = solve(problem)
    assert len(schedule.run_group) < 300
    assert schedule.run_count[schedule.run_lead].sum() == 1_000_001
    assert schedule.lower_bound_ms == 3 + -(-(500_000 * 7 + 400_000 * 9) // 64) + 5
    assert schedule.gap < Fraction(1, 10_000)


def test_the_closed_form_hands_out_as_the_loop_does() -> None:
    # the same tasks as one group (arithmetic) and as single groups (one by one)
    for cards, ready in ((3, [0, 4, 9]), (4, [2, 2, 0, 30])):
        together = solve(conversion([(50, 7)], cards, card_ready_ms=ready))
        singly = solve(conversion([(1, 7)] * 50, cards, card_ready_ms=ready))
        assert together.card_busy_ms.tolist() == singly.card_busy_ms.tolist()
        assert together.card_last_ms.tolist() == singly.card_last_ms.tolist()


def chain(durations: list[list[int]], cards: int, after: Links | None = None) -> Problem:
    """One task on one card a stage, by default each stage after the one before."""
    stages = len(durations)
    links = tuple((stage, stage + 1) for stage in range(stages - 1)) if after is None else after
    return Problem(
        count=np.ones(stages), stage=np.arange(stages), duration_ms=np.array(durations),
        cards=np.ones(stages), capacity=np.zeros(0), need=np.zeros((stages, 0)),
        hold_ms=np.zeros((stages, 0)), stage_count=stages,
        after=links, release_ms=np.zeros(stages), policy=(Policy.AVAILABILITY,) * stages,
        tasks_at_once=np.full(stages, -1), may_cross_nodes=np.zeros(stages), card_model=np.zeros(cards),
        card_lot=np.zeros(cards), card_node=np.zeros(cards), card_ready_ms=np.zeros(cards),
    )  # fmt: skip


def read_network(path: Path) -> tuple[list[str], list[int], tuple[tuple[int, int], ...]]:
    """Return names, whole hours and (before, after) places of a network file, separated by ; and ,."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    names = [row["id"] for row in rows]
    place = {name: number for number, name in enumerate(names)}
    after = tuple(
        (place[before], place[row["id"]])
        for row in rows
        for before in row["predecessors"].split(",")
        if before
    )
    return names, [int(row["duration_h"]) for row in rows], after


@pytest.mark.parametrize("stages", [1, 3])
def test_a_task_on_both_cards_and_two_beside_each_other_take_9_hours(stages: int) -> None:
    # O-SCH-08: both cards 5 h, then 3 h beside 4 h. The cards' time alone is (2 × 5 + 3 + 4) / 2 = 8.5 h; the bound
    # knows that nothing runs beside the task on both cards: 5 + 4 = 9 h, which proves it.
    hour = 3_600_000
    plan = solve(
        Problem(
            count=np.ones(3), stage=np.arange(3) % stages, duration_ms=np.array([[5], [3], [4]]) * hour,
            cards=np.array([2, 1, 1]), capacity=np.zeros(0), need=np.zeros((3, 0)), hold_ms=np.zeros((3, 0)),
            stage_count=stages, after=(), release_ms=np.zeros(stages), policy=(Policy.AVAILABILITY,) * stages,
            tasks_at_once=np.full(stages, -1), may_cross_nodes=np.zeros(stages), card_model=np.zeros(2),
            card_lot=np.zeros(2), card_node=np.zeros(2), card_ready_ms=np.zeros(2),
        )
    )  # fmt: skip
    assert (plan.delivery_ms, plan.lower_bound_ms) == (9 * hour, 9 * hour)
    assert plan.is_optimal


def test_hours_without_a_day_are_refused_before_anything_is_scheduled() -> None:
    # O-SCH-06: a calendar with no working time is no calendar, and nothing searches for its next open moment.
    with pytest.raises(ValidationError):
        WorkingHours(windows=())
    with pytest.raises(ValidationError):
        Window(days=(), opens=0, closes=60)
    assert Calendar((), WEEK_MS).open_from(0) == FOREVER
