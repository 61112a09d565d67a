"""An independent check of a schedule: every rule of its problem, task by task, without the engine's own parts.

`check_every_schedule` puts it behind the engine's doors, so that no test sees a schedule that was not checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from itertools import pairwise
from typing import Any

import numpy as np

import estimator.schedule
from estimator.schedule import Problem, Schedule, Status

Column = np.ndarray

DOORS = ("solve", "improved", "schedule_of_tasks")


def check_every_schedule() -> None:
    """From now on whatever schedule is imported from the engine's doors is checked before its caller has it."""
    for name in DOORS:
        setattr(estimator.schedule, name, _checked(getattr(estimator.schedule, name)))


def _checked(door: Callable[..., Schedule]) -> Callable[..., Schedule]:
    @wraps(door)
    def checked(problem: Problem, *args: Any, **named: Any) -> Schedule:
        schedule = door(problem, *args, **named)
        if schedule.status is Status.FEASIBLE:
            assert_keeps_every_rule(schedule, problem)
        else:
            assert schedule.blocked
        return schedule

    return checked


def assert_keeps_every_rule(schedule: Schedule, problem: Problem) -> None:
    """Fail on the first rule of the problem that the schedule breaks."""
    assert schedule.status is Status.FEASIBLE
    rows = _rows(schedule, problem)
    tasks = _Tasks(rows, rows.lead)
    assert_each_task_once(schedule, problem)
    _assert_tasks_stay_together(schedule, problem)
    _assert_no_card_is_booked_twice(problem, rows)
    _assert_cards_are_there(problem, rows)
    _assert_stages_wait(schedule, problem, tasks)
    _assert_hours_hold(problem, rows, tasks)
    _assert_capacities_hold(schedule, problem, rows, tasks)
    _assert_caps_hold(problem, tasks)
    _assert_shares_have_ended(schedule, problem, tasks)
    assert schedule.lower_bound_ms <= schedule.delivery_ms
    assert schedule.gap >= 0
    assert schedule.idle_between_ms >= 0


@dataclass(frozen=True)
class _Rows:
    """Every task once a card (once off the cards, card -1). `task`: the same number on all cards of a task."""

    task: Column
    lead: Column
    group: Column
    index: Column
    card: Column
    start: Column
    end: Column


class _Tasks:
    """Every task once, by the order of its rows."""

    def __init__(self, rows: _Rows, lead: Column) -> None:
        self.number, self.group, self.index = rows.task[lead], rows.group[lead], rows.index[lead]
        self.start, self.end = rows.start[lead], rows.end[lead]


def _rows(schedule: Schedule, problem: Problem) -> _Rows:
    count = schedule.run_count
    row = np.repeat(np.arange(len(count)), count)
    within = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    start = schedule.run_start_ms[row] + within * schedule.run_step_ms[row]
    group, index = schedule.run_group[row], schedule.run_first[row] + within
    return _Rows(
        task=np.concatenate(([0], np.cumsum(problem.count)))[group] + index,
        lead=schedule.run_lead[row],
        group=group,
        index=index,
        card=schedule.run_card[row],
        start=start,
        end=start + schedule.run_duration_ms[row],
    )


def assert_each_task_once(schedule: Schedule, problem: Problem) -> None:
    rows = _rows(schedule, problem)
    tasks = _Tasks(rows, rows.lead)
    assert np.array_equal(np.sort(tasks.number), np.arange(int(problem.count.sum())))
    assert (tasks.index >= 0).all()
    assert (tasks.index < problem.count[tasks.group]).all()


def _assert_tasks_stay_together(schedule: Schedule, problem: Problem) -> None:
    """On as many cards as it needs, each another, of one lot, in one node where it may not cross; as long as it is."""
    runs, of_run = np.unique(schedule.run_task, return_inverse=True)
    first = np.zeros(len(runs), dtype=np.int64)
    first[of_run[::-1]] = np.arange(len(of_run))[::-1]
    for name in ("group", "first", "count", "start_ms", "duration_ms", "step_ms", "task_cards"):
        column = getattr(schedule, f"run_{name}")
        assert (column == column[first][of_run]).all()
    assert (np.bincount(of_run, weights=schedule.run_lead, minlength=len(runs)) == 1).all()
    group, card = schedule.run_group, schedule.run_card
    wanted = problem.cards[group]
    assert (schedule.run_task_cards == wanted).all()
    assert (np.bincount(of_run, minlength=len(runs)) == np.maximum(wanted[first], 1)).all()
    assert ((card >= 0) == (wanted > 0)).all()
    assert (card < problem.card_count).all()
    assert len(np.unique(np.stack((of_run, card)), axis=1).T) == len(card)
    on = card >= 0
    lot, node = np.full(len(card), -1), np.full(len(card), -1)
    lot[on], node[on] = problem.card_lot[card[on]], problem.card_node[card[on]]
    assert (lot == lot[first][of_run]).all()
    stays = ~problem.may_cross_nodes[problem.stage[group]]
    assert (node == node[first][of_run])[stays].all()
    model = np.zeros(len(card), dtype=np.int64)
    model[on] = problem.card_model[card[on]]
    least = problem.duration_ms[group, model]
    assert (least >= 0).all()
    assert (least <= schedule.run_duration_ms).all()
    assert problem.is_timed or (least == schedule.run_duration_ms).all()


def _assert_no_card_is_booked_twice(problem: Problem, rows: _Rows) -> None:
    on = rows.card >= 0
    card, start, end = rows.card[on], rows.start[on], rows.end[on]
    order = np.lexsort((end, start, card))
    card, start, end = card[order], start[order], end[order]
    same = card[1:] == card[:-1]
    assert (end[:-1] <= start[1:])[same].all()


def _assert_cards_are_there(problem: Problem, rows: _Rows) -> None:
    on = rows.card >= 0
    card = rows.card[on]
    assert (rows.start[on] >= problem.card_ready_ms[card]).all()
    until = np.array(problem.when.filled("card_until_ms", problem.card_count), dtype=np.int64)
    assert ((until[card] < 0) | (rows.end[on] <= until[card])).all()


def _assert_stages_wait(schedule: Schedule, problem: Problem, tasks: _Tasks) -> None:
    for before, later in problem.after:
        assert schedule.stage_end_ms[before] <= schedule.stage_start_ms[later]
    assert (schedule.stage_start_ms >= problem.release_ms).all()
    stage = problem.stage[tasks.group]
    for number in np.unique(stage).tolist():
        of_stage = stage == number
        assert tasks.start[of_stage].min() == schedule.stage_start_ms[number]
        assert tasks.end[of_stage].max() == schedule.stage_end_ms[number]


def _assert_capacities_hold(schedule: Schedule, problem: Problem, rows: _Rows, tasks: _Tasks) -> None:
    """Never more in use than there is; and what is reported as used is what the tasks hold."""
    for resource, capacity in enumerate(problem.capacity.tolist()):
        need = problem.need[tasks.group, resource]
        held_ms = _held_for(problem, rows, tasks, problem.hold_ms[tasks.group, resource])
        moments, level = _levels(tasks.start, tasks.start + held_ms, need)
        assert capacity < 0 or (level <= capacity).all()
        times, used = schedule.resource_steps[resource]
        every = np.union1d(moments, times)
        assert (_at(every, moments, level) == _at(every, times, used)).all()


def _at(moments: Column, times: Column, level: Column) -> Column:
    """Return the level of a step function at each moment; 0 before its first time."""
    return np.concatenate(([0], level))[np.searchsorted(times, moments, side="right")]


def _assert_caps_hold(problem: Problem, tasks: _Tasks) -> None:
    stage = problem.stage[tasks.group]
    for number, cap in enumerate(problem.tasks_at_once.tolist()):
        if cap >= 0:
            of_stage = stage == number
            _, level = _levels(
                tasks.start[of_stage], tasks.end[of_stage], np.ones(int(of_stage.sum()), dtype=np.int64)
            )
            assert (level <= cap).all()


def _levels(start: Column, end: Column, amount: Column) -> tuple[Column, Column]:
    """Return every moment at which what is in use may change, and how much is in use from then on."""
    moments = np.unique(np.concatenate((start, end)))
    change = np.zeros(len(moments), dtype=np.int64)
    np.add.at(change, np.searchsorted(moments, start), amount)
    np.add.at(change, np.searchsorted(moments, end), -amount)
    return moments, np.cumsum(change)


class _Hours:
    """When all of several calendars are open, counted from the start of the work."""

    def __init__(self, problem: Problem, calendars: frozenset[int]) -> None:
        self._period = problem.when.period_ms
        windows = [problem.when.calendars[one] for one in calendars]
        edges = sorted({0, self._period, *(edge for each in windows for window in each for edge in window)})
        spans = [
            (begin, end)
            for begin, end in pairwise(edges)
            if all(any(a <= begin and end <= b for a, b in each) for each in windows)
        ]
        self._begin = np.array([begin for begin, _ in spans], dtype=np.int64)
        self._length = np.array([end - begin for begin, end in spans], dtype=np.int64)
        self._before = np.cumsum(self._length) - self._length

    def opened_by(self, moment: Column) -> Column:
        """Return for how long they were open before each moment."""
        whole, within = moment // self._period, moment % self._period
        total = whole * int(self._length.sum())
        if not len(self._begin):
            return total
        place = np.searchsorted(self._begin, within, side="right") - 1
        partial = self._before[place] + np.minimum(within - self._begin[place], self._length[place])
        return total + np.where(place >= 0, partial, 0)


def _by_calendars(problem: Problem, rows: _Rows, tasks: _Tasks) -> dict[frozenset[int], Column]:
    """Return the places of the tasks for each set of calendars that holds for them."""
    of_stage = np.array(problem.when.filled("stage_calendar", problem.stage_count), dtype=np.int64)
    of_card = np.array([*problem.when.filled("card_calendar", problem.card_count), -1], dtype=np.int64)
    holding: dict[int, set[int]] = {}
    for task, calendar in zip(
        (*tasks.number.tolist(), *rows.task.tolist()),
        (*of_stage[problem.stage[tasks.group]].tolist(), *of_card[rows.card].tolist()),
        strict=True,
    ):
        holding.setdefault(task, set()).add(calendar)
    places: dict[frozenset[int], list[int]] = {}
    for place, task in enumerate(tasks.number.tolist()):
        places.setdefault(frozenset(holding[task] - {-1}), []).append(place)
    return {calendars: np.array(found) for calendars, found in places.items()}


def _assert_hours_hold(problem: Problem, rows: _Rows, tasks: _Tasks) -> None:
    """A task is open for as long as it is, from its first moment to its last; and all along where it cannot pause."""
    if not problem.when.calendars:
        return
    pauses = np.array(problem.when.filled("may_pause", problem.stage_count), dtype=bool)
    card = np.full(int(problem.count.sum()), 0)
    card[rows.task] = np.maximum(rows.card, 0)
    for calendars, places in _by_calendars(problem, rows, tasks).items():
        hours = _Hours(problem, calendars)
        group, start, end = tasks.group[places], tasks.start[places], tasks.end[places]
        on_cards = problem.cards[group] > 0
        model = np.where(
            on_cards, problem.card_model[card[tasks.number[places]]] if problem.card_count else 0, 0
        )
        length = problem.duration_ms[group, model]
        opened = hours.opened_by(end) - hours.opened_by(start)
        assert (opened == length).all()
        works = length > 0
        assert (start == end)[~works].all()
        assert (hours.opened_by(start + 1) > hours.opened_by(start))[works].all()
        assert (hours.opened_by(end) > hours.opened_by(end - 1))[works].all()
        assert (end - start == length)[~pauses[problem.stage[group]]].all()


def _held_for(problem: Problem, rows: _Rows, tasks: _Tasks, hold_ms: Column) -> Column:
    """For how long each task holds what it lets go after `hold_ms` of its own open time; below 0 to its end."""
    length = tasks.end - tasks.start
    if not problem.when.calendars or (hold_ms < 0).all():
        return np.where(hold_ms < 0, length, np.minimum(hold_ms, length))
    held = length.copy()
    for calendars, places in _by_calendars(problem, rows, tasks).items():
        hours = _Hours(problem, calendars)
        start, wanted = tasks.start[places], hold_ms[places]
        low, high = np.zeros(len(places), dtype=np.int64), length[places].copy()
        while (low < high).any():  # the first moment at which it has been open for that long
            middle = (low + high) // 2
            enough = hours.opened_by(start + middle) - hours.opened_by(start) >= wanted
            low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
            low = np.minimum(low, high)
        held[places] = np.where(wanted < 0, length[places], high)
    return held


def _assert_shares_have_ended(schedule: Schedule, problem: Problem, tasks: _Tasks) -> None:
    if not problem.when.streams:
        return
    tasks_in = problem.tasks_in()
    order = np.argsort(tasks.number)
    stage = problem.stage[tasks.group[order]]
    starts = {number: tasks.start[order][stage == number] for number in range(problem.stage_count)}
    ends = {number: tasks.end[order][stage == number] for number in range(problem.stage_count)}
    for before, later in problem.when.streams:
        first, then = tasks_in[before], tasks_in[later]
        if not first or not then:
            assert schedule.stage_end_ms[before] <= schedule.stage_start_ms[later]
            continue
        for task in range(then):
            share = slice(task * first // then, -(-(task + 1) * first // then))
            assert ends[before][share].max() <= starts[later][task]
