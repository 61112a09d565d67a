"""From the engine's runs to the answer's columns, and from runs to single bars. Nothing is decided here."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np

from estimator.results.schedule import Bars, Schedule, Status
from estimator.schedule.problem import Column, Problem, read_only


class Run(NamedTuple):
    """Equal tasks on one slot as the engine makes them: no cards means off the cards."""

    group: int
    cards: tuple[int, ...]
    start_ms: int
    duration_ms: int
    tasks: int
    step_ms: int
    first: int = -1
    """Index within its group of its first task; -1: the group's runs are numbered by their start."""


def bars(schedule: Schedule, problem: Problem, from_ms: int | None = None, to_ms: int | None = None) -> Bars:
    """Return the single tasks that touch the time from `from_ms` up to `to_ms`; without limits all."""
    start, step, length = schedule.run_start_ms, schedule.run_step_ms, schedule.run_duration_ms
    first, last = np.zeros_like(start), schedule.run_count.copy()
    safe_step = np.maximum(step, 1)
    if (
        from_ms is not None
    ):  # kept: start + i * step + length > from_ms, or a task of no length at or after it
        reach = from_ms - start - np.maximum(length, 1) + 1
        skipped = np.where(step > 0, -(-reach // safe_step), np.where(reach > 0, last, 0))
        first = np.clip(skipped, 0, last)
    if to_ms is not None:  # kept: start + i * step < to_ms
        reach = to_ms - start
        kept = np.where(step > 0, -(-reach // safe_step), np.where(reach > 0, last, 0))
        last = np.clip(kept, 0, last)
    number = np.maximum(last - first, 0)
    row = np.repeat(np.arange(len(start)), number)
    within = np.arange(len(row)) - np.repeat(np.cumsum(number) - number, number) + first[row]
    begin = start[row] + within * step[row]
    card, group = schedule.run_card[row], schedule.run_group[row]
    order = np.lexsort((begin, card))
    columns = (
        group,
        problem.stage[group],
        schedule.run_first[row] + within,
        card,
        begin,
        begin + length[row],
    )
    return Bars(*(read_only(column[order]) for column in columns))


def no_schedule(problem: Problem, blocked: tuple[tuple[int, str], ...]) -> Schedule:
    """Return the infeasible schedule: no runs, and the groups that stand in the way."""
    stages = [-1] * problem.stage_count
    return _assemble(problem, [], stages, stages, [[] for _ in problem.capacity], 0, blocked)


def make_schedule(
    problem: Problem,
    runs: list[Run],
    stage_start_ms: list[int],
    stage_end_ms: list[int],
    used: list[list[tuple[int, int]]],
    lower_bound_ms: int,
) -> Schedule:
    """Return the schedule of finished runs. `used[r]` lists (time, change in units) in any order."""
    return _assemble(problem, runs, stage_start_ms, stage_end_ms, used, lower_bound_ms, ())


def _assemble(
    problem: Problem,
    runs: list[Run],
    stage_start_ms: list[int],
    stage_end_ms: list[int],
    used: list[list[tuple[int, int]]],
    lower_bound_ms: int,
    blocked: tuple[tuple[int, str], ...],
) -> Schedule:
    groups, cards_of, starts, lengths, counts, steps, firsts = zip(*runs, strict=True) if runs else ((),) * 7
    group, start = np.array(groups, dtype=np.int64), np.array(starts, dtype=np.int64)
    lowest = np.array([cards[0] if cards else -1 for cards in cards_of], dtype=np.int64)
    order = np.lexsort((lowest, start, group))
    group, start = group[order], start[order]
    count = np.array(counts, dtype=np.int64)[order]
    chosen = [cards_of[place] for place in order.tolist()]
    before = np.cumsum(count) - count
    opens = np.searchsorted(group, group, side="left")
    number = np.array(firsts, dtype=np.int64)[order]
    number = np.where(number < 0, before - before[opens], number)
    width = np.array([len(cards) for cards in chosen], dtype=np.int64)
    row = np.repeat(np.arange(len(group)), np.maximum(width, 1))
    lead = np.ones(len(row), dtype=np.bool_)
    lead[1:] = row[1:] != row[:-1]
    lead.flags.writeable = False
    card = read_only(list(chain.from_iterable(cards or (-1,) for cards in chosen)))
    start = read_only(start[row])
    length = read_only(np.array(lengths, dtype=np.int64)[order][row])
    end = start + length * count[row]
    busy, first, last = card_columns(problem.card_count, card, start, end)
    return Schedule(
        status=Status.INFEASIBLE if blocked else Status.FEASIBLE,
        blocked=blocked,
        lower_bound_ms=lower_bound_ms,
        run_group=read_only(group[row]),
        run_first=read_only(number[row]),
        run_count=read_only(count[row]),
        run_start_ms=start,
        run_duration_ms=length,
        run_step_ms=read_only(np.array(steps, dtype=np.int64)[order][row]),
        run_card=card,
        run_task_cards=read_only(width[row]),
        run_task=read_only(row),
        run_lead=lead,
        stage_start_ms=read_only(stage_start_ms),
        stage_end_ms=read_only(stage_end_ms),
        card_busy_ms=busy,
        card_first_ms=first,
        card_last_ms=last,
        longest_tail_ms=_longest_tail(problem.stage[group[row]], stage_end_ms, card, end),
        resource_steps=tuple(_steps(changes) for changes in used),
    )


def card_columns(cards: int, card: Column, start: Column, end: Column) -> tuple[Column, Column, Column]:
    """Return each card's busy time and its first and last moment, -1 where it is unused."""
    on = card >= 0
    busy, last = np.zeros(cards, dtype=np.int64), np.full(cards, -1, dtype=np.int64)
    first = np.full(cards, np.iinfo(np.int64).max, dtype=np.int64)
    np.add.at(busy, card[on], (end - start)[on])
    np.minimum.at(first, card[on], start[on])
    np.maximum.at(last, card[on], end[on])
    return read_only(busy), read_only(np.where(last < 0, -1, first)), read_only(last)


def _longest_tail(stage: Column, stage_end_ms: list[int], card: Column, end: Column) -> int:
    on = card >= 0
    if not on.any():
        return 0
    last_stage = max(set(stage[on].tolist()), key=lambda number: (stage_end_ms[number], number))
    chosen = on & (stage == last_stage)
    last = np.full(int(card.max()) + 1, -1, dtype=np.int64)
    np.maximum.at(last, card[chosen], end[chosen])
    used = last[last >= 0]
    return int(used.max() - used.min())


def _steps(changes: list[tuple[int, int]]) -> tuple[Column, Column]:
    if not changes:
        return read_only([]), read_only([])
    table = np.array(changes, dtype=np.int64)
    times, place = np.unique(table[:, 0], return_inverse=True)
    total = np.zeros(len(times), dtype=np.int64)
    np.add.at(total, place, table[:, 1])
    return read_only(times), read_only(np.cumsum(total))
