"""Equal tasks handed out by offer: so many to the cards of each, as a rental plan counts on.

A schedule alone would keep every card busy to the end, also those that are paid by the hour.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from estimator.plan.fleet import Fleet
from estimator.schedule import NOT_ELIGIBLE, Policy, Problem, Schedule


def shared_out(problem: Problem, group: int, fleet: Fleet, shares: Mapping[str, int]) -> Problem:
    """Return the problem with the tasks of one group, alone in its stage, shared out by offer id.

    The shares add up to the group's tasks; each offer in them has cards in the fleet. Fixed blocks become the first
    free card within an offer: the shares are the blocks.
    """
    owners = tuple(dict.fromkeys(fleet.offer_ids))
    owner_of_card = np.array([owners.index(offer_id) for offer_id in fleet.offer_ids], dtype=np.int64)
    # A model of the new problem is a model of the old one at one owner.
    pairs = sorted(set(zip(problem.card_model.tolist(), owner_of_card.tolist(), strict=True)))
    place = {pair: index for index, pair in enumerate(pairs)}
    card_model = [
        place[pair] for pair in zip(problem.card_model.tolist(), owner_of_card.tolist(), strict=True)
    ]
    durations = problem.duration_ms[:, [model for model, _ in pairs]]
    taken = [(owners.index(offer_id), count) for offer_id, count in shares.items() if count > 0]
    repeats = np.ones(problem.group_count, dtype=np.int64)
    repeats[group] = len(taken)
    rows = np.repeat(np.arange(problem.group_count), repeats)
    count, duration = problem.count[rows], durations[rows]
    for at, (owner, tasks) in enumerate(taken):
        count[group + at] = tasks
        others = [index for index, (_, other) in enumerate(pairs) if other != owner]
        duration[group + at, others] = NOT_ELIGIBLE
    stage = int(problem.stage[group])
    policies = list(problem.policy)
    if policies[stage] is Policy.BLOCKS:
        policies[stage] = Policy.AVAILABILITY
    return replace(
        problem,
        count=count,
        stage=problem.stage[rows],
        duration_ms=duration,
        cards=problem.cards[rows],
        need=problem.need[rows],
        hold_ms=problem.hold_ms[rows],
        policy=tuple(policies),
        card_model=np.array(card_model, dtype=np.int64),
    )


def joined(schedule: Schedule, group: int, counts: tuple[int, ...]) -> Schedule:
    """Return the schedule of a shared-out problem with the shares, `counts` tasks each, as one group again."""
    before = np.concatenate([[0], np.cumsum(counts)])
    extra = len(counts) - 1
    groups = schedule.run_group
    in_share = (groups >= group) & (groups <= group + extra)
    share = np.where(in_share, groups - group, 0)
    return replace(
        schedule,
        run_group=np.where(groups > group + extra, groups - extra, np.where(in_share, group, groups)),
        run_first=schedule.run_first + np.where(in_share, before[share], 0),
    )
