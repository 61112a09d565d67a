"""An independent check of a schedule: every rule of its problem, task by task, without the engine's own parts.

Hours are looked up moment by moment, so that nothing of the engine's arithmetic is believed.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from estimator.schedule import Problem, Schedule, Status, bars, solve


def solved(problem: Problem) -> Schedule:
    """The schedule of a problem, every rule checked where it has one."""
    schedule = solve(problem)
    if schedule.status is Status.FEASIBLE:
        assert_keeps_every_rule(schedule, problem)
    return schedule


def assert_keeps_every_rule(schedule: Schedule, problem: Problem) -> None:
    """Fail on the first rule of the problem that the schedule breaks."""
    assert schedule.status is Status.FEASIBLE
    every = bars(schedule, problem)
    assert_each_task_once(schedule, problem)
    assert_no_card_is_booked_twice(problem, every.card, every.start_ms, every.end_ms)
    assert_tasks_stay_together(schedule, problem)
    assert_stages_wait(schedule, problem, every.stage, every.start_ms, every.end_ms)
    assert_capacities_hold(schedule, problem)
    assert_caps_hold(schedule, problem)
    assert_hours_hold(schedule, problem)
    assert_cards_are_there(schedule, problem)
    assert_shares_have_ended(schedule, problem)
    assert schedule.lower_bound_ms <= schedule.delivery_ms
    assert schedule.gap >= 0
    assert schedule.idle_between_ms >= 0


def assert_each_task_once(schedule: Schedule, problem: Problem) -> None:
    for group in range(problem.group_count):
        of_group = schedule.run_lead & (schedule.run_group == group)
        first, count = schedule.run_first[of_group], schedule.run_count[of_group]
        covered = [index for a, n in zip(first, count, strict=True) for index in range(a, a + n)]
        assert sorted(covered) == list(range(problem.count[group]))


def assert_no_card_is_booked_twice(
    problem: Problem, card: np.ndarray, start: np.ndarray, end: np.ndarray
) -> None:
    for number in range(problem.card_count):
        on = card == number
        spans = sorted(zip(start[on].tolist(), end[on].tolist(), strict=True))
        assert all(a_end <= b_start for (_, a_end), (b_start, _) in pairwise(spans))
        assert all(begin >= problem.card_ready_ms[number] for begin, _ in spans)


def assert_tasks_stay_together(schedule: Schedule, problem: Problem) -> None:
    for run in set(schedule.run_task.tolist()):
        rows = np.flatnonzero(schedule.run_task == run)
        group = schedule.run_group[rows[0]]
        cards = schedule.run_card[rows]
        assert schedule.run_lead[rows].sum() == 1
        if problem.cards[group] == 0:
            assert cards.tolist() == [-1]
            continue
        assert len(set(cards.tolist())) == problem.cards[group] == schedule.run_task_cards[rows[0]]
        assert len(set(problem.card_lot[cards].tolist())) == 1
        if not problem.may_cross_nodes[problem.stage[group]]:
            assert len(set(problem.card_node[cards].tolist())) == 1
        for card in cards:
            least = problem.duration_ms[group, problem.card_model[card]]
            assert 0 <= least <= schedule.run_duration_ms[rows[0]]
            assert problem.is_timed or least == schedule.run_duration_ms[rows[0]]


def assert_stages_wait(
    schedule: Schedule, problem: Problem, stage: np.ndarray, start: np.ndarray, end: np.ndarray
) -> None:
    for before, later in problem.after:
        assert schedule.stage_end_ms[before] <= schedule.stage_start_ms[later]
    for number in range(problem.stage_count):
        assert schedule.stage_start_ms[number] >= problem.release_ms[number]
        if (stage == number).any():
            assert start[stage == number].min() == schedule.stage_start_ms[number]
            assert end[stage == number].max() == schedule.stage_end_ms[number]


def single_tasks(schedule: Schedule) -> list[tuple[int, int, int]]:
    """Every task once as (group, start, duration)."""
    columns = ("run_group", "run_start_ms", "run_step_ms", "run_duration_ms", "run_count")
    rows = zip(*(getattr(schedule, name)[schedule.run_lead].tolist() for name in columns), strict=True)
    return [(g, start + i * step, length) for g, start, step, length, n in rows for i in range(n)]


def assert_capacities_hold(schedule: Schedule, problem: Problem) -> None:
    for resource, capacity in enumerate(problem.capacity.tolist()):
        changes: dict[int, int] = {}
        for group, start, length in single_tasks(schedule):
            hold = int(problem.hold_ms[group, resource])
            held = length if hold < 0 else held_for(problem, schedule, group, start, hold, length)
            need = int(problem.need[group, resource])
            changes[start] = changes.get(start, 0) + need
            changes[start + held] = changes.get(start + held, 0) - need
        times, used = schedule.resource_steps[resource]
        at = dict(zip(times.tolist(), used.tolist(), strict=True))
        level = reported = 0
        for time in sorted(changes):
            level += changes[time]
            reported = at.get(time, reported)
            assert level == reported
            assert capacity < 0 or level <= capacity


def assert_caps_hold(schedule: Schedule, problem: Problem) -> None:
    for stage, cap in enumerate(problem.tasks_at_once.tolist()):
        changes: list[tuple[int, int]] = []
        for group, start, length in single_tasks(schedule):
            if problem.stage[group] == stage and length > 0:
                changes += [(start, 1), (start + length, -1)]
        running = 0
        for _, change in sorted(changes):
            running += change
            assert cap < 0 or running <= cap


def cards_of_tasks(schedule: Schedule) -> list[tuple[int, int, int, int, tuple[int, ...]]]:
    """Every task once as (group, index within it, start, end, cards)."""
    cards: dict[int, list[int]] = {}
    for run, card in zip(schedule.run_task.tolist(), schedule.run_card.tolist(), strict=True):
        cards.setdefault(run, []).append(card)
    columns = (
        "run_task",
        "run_group",
        "run_first",
        "run_start_ms",
        "run_step_ms",
        "run_duration_ms",
        "run_count",
    )
    rows = zip(*(getattr(schedule, name)[schedule.run_lead].tolist() for name in columns), strict=True)
    return [
        (
            group,
            first + i,
            start + i * step,
            start + i * step + length,
            tuple(c for c in cards[run] if c >= 0),
        )
        for run, group, first, start, step, length, n in rows
        for i in range(n)
    ]


def is_open(problem: Problem, calendar: int, moment: int) -> bool:
    """Whether a calendar is open just after a moment."""
    if calendar < 0:
        return True
    within = moment % problem.when.period_ms
    return any(begin <= within < end for begin, end in problem.when.calendars[calendar])


def calendars_of(problem: Problem, group: int, cards: tuple[int, ...]) -> list[int]:
    """The calendars that hold for a task of the group on these cards."""
    of_stage = problem.when.filled("stage_calendar", problem.stage_count)
    of_card = problem.when.filled("card_calendar", problem.card_count)
    return [of_stage[int(problem.stage[group])], *(of_card[card] for card in cards)]


def assert_hours_hold(schedule: Schedule, problem: Problem) -> None:
    if not problem.when.calendars:
        return
    pauses = problem.when.filled("may_pause", problem.stage_count)
    for group, _, start, end, cards in cards_of_tasks(schedule):
        calendars = calendars_of(problem, group, cards)
        opened = [all(is_open(problem, one, moment) for one in calendars) for moment in range(start, end)]
        length = int(problem.duration_ms[group, problem.card_model[cards[0]] if cards else 0])
        assert sum(opened) == length
        if length:
            assert opened[0]
            assert opened[-1]
        else:
            assert start == end
        assert pauses[int(problem.stage[group])] or all(opened)


def held_for(problem: Problem, schedule: Schedule, group: int, start: int, hold: int, length: int) -> int:
    """For how long a task that starts then holds what it lets go after `hold` of its own time."""
    if not problem.when.calendars:
        return min(hold, length)
    tasks = [one for one in cards_of_tasks(schedule) if one[0] == group and one[2] == start]
    calendars = calendars_of(problem, group, tasks[0][4])
    moment, left = start, hold
    while left and moment < start + length:
        left -= all(is_open(problem, one, moment) for one in calendars)
        moment += 1
    return moment - start


def assert_cards_are_there(schedule: Schedule, problem: Problem) -> None:
    until = problem.when.filled("card_until_ms", problem.card_count)
    for _, _, start, end, cards in cards_of_tasks(schedule):
        for card in cards:
            assert start >= problem.card_ready_ms[card]
            assert until[card] < 0 or end <= until[card]


def assert_shares_have_ended(schedule: Schedule, problem: Problem) -> None:
    tasks_in = problem.tasks_in()
    before_group = [
        int(problem.count[(problem.stage == problem.stage[group])][: _place(problem, group)].sum())
        for group in range(problem.group_count)
    ]
    start: dict[tuple[int, int], int] = {}
    end: dict[tuple[int, int], int] = {}
    for group, index, begin, last, _ in cards_of_tasks(schedule):
        number = before_group[group] + index
        start[int(problem.stage[group]), number] = begin
        end[int(problem.stage[group]), number] = last
    for before, later in problem.when.streams:
        first, then = tasks_in[before], tasks_in[later]
        if not first or not then:
            assert schedule.stage_end_ms[before] <= schedule.stage_start_ms[later]
            continue
        for task in range(then):
            share = range(task * first // then, -(-(task + 1) * first // then))
            assert all(end[before, one] <= start[later, task] for one in share)


def _place(problem: Problem, group: int) -> int:
    """Which of its stage's groups it is."""
    return int((problem.stage[:group] == problem.stage[group]).sum())
