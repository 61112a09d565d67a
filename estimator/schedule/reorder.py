"""The best plan found where hours, rentals, priorities or single tasks that wait leave no counts to search on.

The order of the list in each stage to search, and of stages of one priority, is changed step by step and the
whole plan placed anew: every plan keeps every rule. A fixed seed and a count of tasks placed, never a clock.
"""

from __future__ import annotations

import random

from estimator.results.schedule import Schedule, Status
from estimator.schedule.bounds import StageBounds
from estimator.schedule.by_policy import Key, serving_keys, timed_plan
from estimator.schedule.fleet import Fleet
from estimator.schedule.problem import Cancelled, Policy, SolveStopped

TASKS_A_UNIT = 60
"""Tasks placed in about a millisecond."""
MOST_TRIES = 400


def reordered(
    fleet: Fleet, bounds: StageBounds, best: Schedule | None, effort: int, cancelled: Cancelled
) -> Schedule | None:
    """Return the best plan found, never later than `best`; None where none was found at all."""
    problem = fleet.problem
    keys = serving_keys(fleet, bounds)
    rank = _longest_first(fleet)
    groups = _groups_to_search(fleet)
    tries = min(MOST_TRIES, effort * TASKS_A_UNIT // max(1, sum(problem.tasks_in())))
    chance = random.Random(1)
    worth = None if best is None else _worth(fleet, best)
    for turn in range(tries):
        if cancelled():
            raise SolveStopped
        if best is not None and best.delivery_ms <= bounds.lower_bound_ms and not problem.is_ranked:
            break
        new_keys, new_rank = keys, rank
        if turn and groups and (chance.random() < 0.6 or problem.stage_count == 1):
            new_rank = _exchanged(rank, chance.choice(groups), chance)
        elif turn:
            new_keys = _served_otherwise(keys, chance)
        plan = timed_plan(fleet, new_keys, bounds.lower_bound_ms, cancelled, new_rank)
        if plan.status is Status.INFEASIBLE:
            continue
        found = _worth(fleet, plan)
        if worth is None or found <= worth:
            best, worth, keys, rank = plan, found, new_keys, new_rank
    return best


def _worth(fleet: Fleet, plan: Schedule) -> tuple[int, ...]:
    """Return what is to be small: the delivery, then the last end of each priority."""
    priority = fleet.problem.when.filled("priority", fleet.problem.stage_count)
    last: dict[int, int] = {}
    for number, end in zip(priority, plan.stage_end_ms.tolist(), strict=True):
        last[number] = max(last.get(number, 0), end)
    return (plan.delivery_ms, *(last[number] for number in sorted(last)))


def _groups_to_search(fleet: Fleet) -> list[list[int]]:
    """Return the groups of each stage to search that has several."""
    stages = []
    for parts, policy in zip(fleet.parts, fleet.problem.policy, strict=True):
        groups = sorted(group for part in parts for group in part.groups)
        if policy is Policy.BEST and len(groups) > 1:
            stages.append(groups)
    return stages


def _longest_first(fleet: Fleet) -> list[int]:
    order = sorted(range(fleet.problem.group_count), key=lambda group: (-fleet.shortest[group], group))
    rank = [0] * len(order)
    for place, group in enumerate(order):
        rank[group] = place
    return rank


def _exchanged(rank: list[int], groups: list[int], chance: random.Random) -> list[int]:
    """Return the ranks with one group moved to the place of another of its stage."""
    order = sorted(groups, key=rank.__getitem__)
    places = [rank[group] for group in order]
    moved = order.pop(chance.randrange(len(order)))
    order.insert(chance.randrange(len(order) + 1), moved)
    changed = list(rank)
    for place, group in zip(places, order, strict=True):
        changed[group] = place
    return changed


def _served_otherwise(keys: list[Key], chance: random.Random) -> list[Key]:
    """Return the keys with two stages of one priority exchanged."""
    one = chance.randrange(len(keys))
    alike = [stage for stage, key in enumerate(keys) if key[0] == keys[one][0] and stage != one]
    if not alike:
        return keys
    other = chance.choice(alike)
    changed = list(keys)
    changed[one], changed[other] = keys[other], keys[one]
    return changed
