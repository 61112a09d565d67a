"""The short way for very many single tasks on equal cards with nothing else about: arrays, a heap and no more.

The plan by a rule is the one that the events give, to the card. It is for size alone: anything else the problem
has, and the long way is taken.
"""

from __future__ import annotations

import heapq
from dataclasses import replace

import numpy as np

from estimator.results.schedule import Schedule, Status
from estimator.schedule.independent import PLENTY_A_SLOT, lifted_bound, share_independent
from estimator.schedule.problem import UNLIMITED, Cancelled, Column, Policy, Problem, read_only
from estimator.schedule.schedule import card_columns

LEAST_TASKS = 2_000
"""Below, the long way is quick enough."""


def flat_plan(problem: Problem) -> Schedule | None:
    """Return the plan by availability or longest first (BEST begins with it); None where it is not so simple."""
    if not _is_flat(problem):
        return None
    length, begin = _length_and_begin(problem)
    if problem.policy[0] is Policy.AVAILABILITY:
        order = np.arange(len(length))
    else:
        order = np.argsort(-length, kind="stable")
    start, card = _handed_out(length, order, begin, problem.card_count)
    return _schedule(problem, start, card, begin + lifted_bound(length, problem.card_count))


def flat_best(problem: Problem, effort: int, cancelled: Cancelled) -> Schedule | None:
    """Return the best plan found; None where the problem is not so simple."""
    plan = flat_plan(problem)
    if plan is None or plan.is_optimal or problem.group_count > PLENTY_A_SLOT * problem.card_count:
        return plan
    length, begin = _length_and_begin(problem)
    sharing = share_independent(length.tolist(), problem.card_count, effort, cancelled)
    if begin + sharing.longest >= plan.delivery_ms:
        return replace(plan, lower_bound_ms=begin + sharing.bound)
    card = np.array(sharing.slot_of, dtype=np.int64)
    order = np.argsort(card, kind="stable")
    before = np.cumsum(length[order]) - length[order]
    opens = np.searchsorted(card[order], card[order], side="left")
    start = np.empty_like(length)
    start[order] = begin + before - before[opens]
    return _schedule(problem, start, card, begin + sharing.bound)


def _length_and_begin(problem: Problem) -> tuple[Column, int]:
    length = problem.duration_ms[:, problem.card_model[0]]
    return length, max(int(problem.release_ms[0]), int(problem.card_ready_ms[0]))


def _schedule(problem: Problem, start: Column, card: Column, lower_bound_ms: int) -> Schedule:
    length, _ = _length_and_begin(problem)
    end = start + length
    busy, first, last = card_columns(problem.card_count, card, start, end)
    used = last[last >= 0]
    ones, rows = read_only(np.ones_like(length)), read_only(np.arange(len(length)))
    lead = np.ones(len(length), dtype=np.bool_)
    lead.flags.writeable = False
    return Schedule(
        status=Status.FEASIBLE,
        blocked=(),
        lower_bound_ms=lower_bound_ms,
        run_group=rows,
        run_first=read_only(np.zeros_like(length)),
        run_count=ones,
        run_start_ms=read_only(start),
        run_duration_ms=read_only(length),
        run_step_ms=read_only(length),
        run_card=read_only(card),
        run_task_cards=ones,
        run_task=rows,
        run_lead=lead,
        stage_start_ms=read_only([start.min()]),
        stage_end_ms=read_only([end.max()]),
        card_busy_ms=busy,
        card_first_ms=first,
        card_last_ms=last,
        longest_tail_ms=int(used.max() - used.min()),
        resource_steps=tuple((read_only([]), read_only([])) for _ in problem.capacity),
    )


def _is_flat(problem: Problem) -> bool:
    """Whether there is one stage of single tasks, one kind of card, and nothing shared but the cards."""
    if problem.stage_count != 1 or problem.group_count < LEAST_TASKS or problem.card_count == 0:
        return False
    if problem.is_timed:
        return False
    if problem.policy[0] is Policy.BLOCKS or problem.tasks_at_once[0] != UNLIMITED or problem.after:
        return False
    if problem.card_model.min() != problem.card_model.max() or np.ptp(problem.card_ready_ms):
        return False
    if not (problem.count == 1).all() or not (problem.cards == 1).all() or problem.need.any():
        return False
    return bool((problem.duration_ms[:, problem.card_model[0]] >= 0).all())


def _handed_out(length: Column, order: Column, begin: int, cards: int) -> tuple[Column, Column]:
    """Return each task's start and card when the next task goes to the card that is free first, the lowest.

    A card's moment and number are one integer, so that the heap compares nothing else.
    """
    queue = [begin * cards + card for card in range(cards)]
    taken = []
    replace = heapq.heapreplace
    for each in (length[order] * cards).tolist():
        key = queue[0]
        replace(queue, key + each)
        taken.append(key)
    start, card = np.empty_like(length), np.empty_like(length)
    start[order], card[order] = np.divmod(np.array(taken, dtype=np.int64), cards)
    return start, card
