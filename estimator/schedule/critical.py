"""Which tasks make the delivery: those that cannot start later, in the order of the plan, without delaying it.

The order is kept as it stands: who follows whom on each card, which stage waits for which, and who hands the
units of a resource to whom. Units are handed on as flows (Artigues, Michelon and Reusser, European Journal of
Operational Research 149, 2003): from a task to the one that takes its place on the card, else those that are
free longest first, so that a task waits for another only where it must. It improves nothing and moves no task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from estimator.results.schedule import Schedule, Status
from estimator.schedule.problem import UNLIMITED, WHOLE_TASK, Cancelled, Column, Problem, SolveStopped, never

Mask = NDArray[np.bool_]
Before = Callable[[Column], Column]
"""From tasks to those that must not start or end later for them to start when they do; repeats do no harm."""


@dataclass(frozen=True, eq=False)
class _Tasks:
    """The single tasks of a plan, each once."""

    group: Column
    index: Column
    """Within its group."""
    start_ms: Column
    end_ms: Column
    of_row: Column
    """[rows] Of each single row of the plan, run after run, its task: a task over several cards has several."""
    row_card: Column
    """[rows] -1 off the cards."""


def critical_rows(schedule: Schedule, problem: Problem, cancelled: Cancelled = never) -> Mask:
    """Return of each single row of the plan whether its task may start no millisecond later.

    Rows are the tasks of each run, run after run: [sum of run_count]. All False where nothing ends at the
    delivery. Raises SolveStopped soon after `cancelled` answers yes.
    """
    if schedule.status is Status.INFEASIBLE:
        return np.zeros(int(schedule.run_count.sum()), dtype=np.bool_)
    tasks = _tasks_of(schedule)
    chains = _chains_of(tasks)
    waits = (
        _card_waits(tasks, chains),
        *_unit_waits(problem, tasks, chains),
        _stage_waits(problem, tasks),
        *_share_waits(problem, tasks),
    )
    critical = np.zeros(tasks.start_ms.size, dtype=np.bool_)
    found = np.flatnonzero(tasks.end_ms == schedule.delivery_ms)
    while found.size:
        if cancelled():
            raise SolveStopped
        critical[found] = True
        before = np.concatenate([wait(found) for wait in waits])
        found = _each_once(before[~critical[before]])
    return critical[tasks.of_row]


def _tasks_of(schedule: Schedule) -> _Tasks:
    count, lead = schedule.run_count, schedule.run_lead
    run = np.repeat(np.arange(count.size), count)
    within = np.arange(run.size) - np.repeat(np.cumsum(count) - count, count)
    # Runs of the same tasks on several cards share run_task: the first of them numbers the tasks.
    led = np.where(lead, count, 0)
    numbers = np.zeros(int(schedule.run_task.max(initial=-1)) + 1, dtype=np.int64)
    numbers[schedule.run_task[lead]] = (np.cumsum(led) - led)[lead]
    once = np.flatnonzero(lead[run])
    start = schedule.run_start_ms[run[once]] + within[once] * schedule.run_step_ms[run[once]]
    return _Tasks(
        group=schedule.run_group[run[once]],
        index=schedule.run_first[run[once]] + within[once],
        start_ms=start,
        end_ms=start + schedule.run_duration_ms[run[once]],
        of_row=numbers[schedule.run_task[run]] + within,
        row_card=schedule.run_card[run],
    )


@dataclass(frozen=True, eq=False)
class _Chains:
    """The rows on cards, by card and start; `follows`: the row starts at the very end of the one before it."""

    task: Column
    follows: Mask

    def relieved(self) -> tuple[Column, Column]:
        """Return pairs of tasks of which the second takes the first one's place, each task once on each side."""
        later = np.flatnonzero(self.follows)
        before, after = self.task[later - 1], self.task[later]
        kept = np.sort(np.unique(after, return_index=True)[1])
        before, after = before[kept], after[kept]
        order = np.lexsort((after, before))
        before, after = before[order], after[order]
        first = np.append(True, before[1:] != before[:-1]) if before.size else np.zeros(0, dtype=np.bool_)
        return before[first], after[first]


def _chains_of(tasks: _Tasks) -> _Chains:
    rows = np.flatnonzero(tasks.row_card >= 0)
    task = tasks.of_row[rows]
    order = np.lexsort((tasks.end_ms[task], tasks.start_ms[task], tasks.row_card[rows]))
    task, card = task[order], tasks.row_card[rows[order]]
    follows = np.zeros(task.size, dtype=np.bool_)
    follows[1:] = (card[1:] == card[:-1]) & (tasks.start_ms[task[1:]] == tasks.end_ms[task[:-1]])
    return _Chains(task, follows)


def _card_waits(tasks: _Tasks, chains: _Chains) -> Before:
    """Return the tasks that run on the same cards without a gap up to the start of each.

    Whole chains at once, and each part of a chain once: a card with a million tasks is one step.
    """
    task = chains.task
    chain = np.maximum.accumulate(np.where(chains.follows, 0, np.arange(task.size)))
    done = chain.copy()
    places = np.argsort(task, kind="stable")
    first = np.searchsorted(task[places], np.arange(tasks.start_ms.size + 1))

    def before(chosen: Column) -> Column:
        at = np.sort(places[_ranges(first[chosen], first[chosen + 1])])
        at = at[np.append(chain[at[1:]] != chain[at[:-1]], True)] if at.size else at
        at = at[done[chain[at]] < at]
        found = task[_ranges(done[chain[at]], at)]
        done[chain[at]] = at
        return found

    return before


def _unit_waits(problem: Problem, tasks: _Tasks, chains: _Chains) -> Iterator[Before]:
    """Yield for each resource, and each stage that caps its tasks at once, who waits for whose units."""
    stage = problem.stage[tasks.group]
    length = tasks.end_ms - tasks.start_ms
    pairs = chains.relieved()
    for resource in np.flatnonzero(problem.capacity != UNLIMITED).tolist():
        need, hold = problem.need[tasks.group, resource], problem.hold_ms[tasks.group, resource]
        held = np.where(hold == WHOLE_TASK, length, np.minimum(hold, length))
        need = np.where(held > 0, need, 0)
        yield _handed_on(tasks, need, tasks.start_ms + held, int(problem.capacity[resource]), pairs)
    for number in np.flatnonzero(problem.tasks_at_once != UNLIMITED).tolist():
        one = ((stage == number) & (length > 0)).astype(np.int64)
        yield _handed_on(tasks, one, tasks.end_ms, int(problem.tasks_at_once[number]), pairs)


def _handed_on(
    tasks: _Tasks, need: Column, until_ms: Column, capacity: int, pairs: tuple[Column, Column]
) -> Before:
    """Return who gives back, at the very moment a task starts, units that this task takes.

    A task that takes another's place on its card takes over its units where it needs as many. The rest are
    taken in the order of starts and in the order in which they were given back, so that the unit number n
    taken is the unit number n - capacity given back.
    """
    before, after = pairs
    passed = (need[before] > 0) & (need[before] == need[after]) & (until_ms[before] == tasks.start_ms[after])
    is_given = need > 0
    is_taken = is_given.copy()
    is_given[before[passed]] = False
    is_taken[after[passed]] = False
    takers, givers = np.flatnonzero(is_taken), np.flatnonzero(is_given)
    takers = takers[np.lexsort((takers, tasks.start_ms[takers]))]
    givers = givers[np.lexsort((givers, until_ms[givers]))]
    given, taken = np.cumsum(need[givers]), np.cumsum(need[takers])
    start, given_at = tasks.start_ms[takers], until_ms[givers]
    past = np.searchsorted(given, taken - capacity - 1, side="right") + 1
    past = np.minimum(past, np.searchsorted(given_at, start, side="right"))
    first = np.searchsorted(given, taken - need[takers] - capacity, side="right")
    first = np.maximum(first, np.searchsorted(given_at, start, side="left"))
    begins = np.zeros(need.size, dtype=np.int64)
    ends = np.zeros(need.size, dtype=np.int64)
    begins[takers], ends[takers] = first, np.where(taken > capacity, past, 0)
    # Who is relieved on the card is waited for there already.
    return lambda chosen: givers[_ranges(begins[chosen], ends[chosen])]


def _stage_waits(problem: Problem, tasks: _Tasks) -> Before:
    """Return the last tasks of the stages at whose end a task of another stage starts."""
    stage = problem.stage[tasks.group]
    order = np.lexsort((tasks.end_ms, stage))
    edges = np.searchsorted(stage[order], np.arange(problem.stage_count + 1))
    has_tasks = np.diff(edges) > 0
    last_ms = np.full(problem.stage_count, -1, dtype=np.int64)
    last_ms[has_tasks] = tasks.end_ms[order[edges[1:][has_tasks] - 1]]
    waits_for = _waits_for(problem, has_tasks)
    ended: set[int] = set()

    def before(chosen: Column) -> Column:
        found: list[Column] = []
        for number in _each_once(stage[chosen]).tolist():
            starts: set[int] = set()
            open_stages = waits_for[number] - ended
            if open_stages:
                starts.update(tasks.start_ms[chosen[stage[chosen] == number]].tolist())
            for former in open_stages:
                if int(last_ms[former]) in starts:
                    ended.add(former)
                    own = order[edges[former] : edges[former + 1]]
                    found.append(own[np.searchsorted(tasks.end_ms[own], last_ms[former]) :])
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    return before


def _share_waits(problem: Problem, tasks: _Tasks) -> Iterator[Before]:
    """Yield for each stage that takes another task by task the tasks of a share at whose end its task starts."""
    tasks_in = problem.tasks_in()
    first = np.zeros(problem.group_count, dtype=np.int64)
    for stage in range(problem.stage_count):
        own = problem.stage == stage
        first[own] = np.cumsum(problem.count[own]) - problem.count[own]
    stages, number = problem.stage[tasks.group], first[tasks.group] + tasks.index
    for former, later in problem.when.streams:
        given, taken = tasks_in[former], tasks_in[later]
        if not given or not taken:
            continue
        by_number = np.full(given, -1, dtype=np.int64)
        own_tasks = np.flatnonzero(stages == former)
        by_number[number[own_tasks]] = own_tasks

        def before(
            chosen: Column,
            by_number: Column = by_number,
            later: int = later,
            ends: tuple[int, int] = (given, taken),
        ) -> Column:
            mine = chosen[stages[chosen] == later]
            begin = number[mine] * ends[0] // ends[1]
            share = -(-(number[mine] + 1) * ends[0] // ends[1]) - begin
            givers = by_number[_ranges(begin, begin + share)]
            takers = np.repeat(mine, share)
            found: Column = givers[tasks.end_ms[givers] == tasks.start_ms[takers]]
            return found

        yield before


def _waits_for(problem: Problem, has_tasks: Mask) -> list[set[int]]:
    """Return for each stage the stages with tasks that end before it; one without tasks hands its own on."""
    direct: list[list[int]] = [[] for _ in range(problem.stage_count)]
    for former, later in problem.after:
        direct[later].append(former)
    found: list[set[int]] = [set() for _ in range(problem.stage_count)]
    for stage in range(problem.stage_count):
        seen: set[int] = set()
        todo = list(direct[stage]) if has_tasks[stage] else []
        while todo:
            former = todo.pop()
            if former in seen:
                continue
            seen.add(former)
            if has_tasks[former]:
                found[stage].add(former)
            else:
                todo += direct[former]
    return found


def _ranges(first: Column, past: Column) -> Column:
    """Return the numbers of all ranges [first, past), one after the other; empty where past is not beyond."""
    counts = np.maximum(past - first, 0)
    before = np.cumsum(counts) - counts
    return np.repeat(first - before, counts) + np.arange(int(counts.sum()), dtype=np.int64)


def _each_once(numbers: Column) -> Column:
    ordered = np.sort(numbers)
    return ordered[np.append(ordered[1:] != ordered[:-1], True)] if ordered.size else ordered
