"""A problem seen as single tasks with options, for a solver that proves: who may run where, holding what.

An option is a pool of interchangeable cards with the task's length there. Times are in the largest unit that
divides them all: a best plan with such times exists whatever the unit. What cannot be seen so is refused with a
code. Nothing is solved here.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import reduce
from math import gcd

import numpy as np

from estimator.schedule.fleet import Fleet, held_ms, why_blocked
from estimator.schedule.network import topological_order
from estimator.schedule.placed import Placed
from estimator.schedule.problem import NOT_ELIGIBLE, UNLIMITED, Problem

MOST_TASKS = 600
"""Beyond, the solver takes gigabytes (2,000 tasks: 5 GiB) and finds little."""
MOST_OPTIONS = 40_000
OFF_CARDS = -1
EXPRESSED = frozenset(
    {
        *("count", "stage", "duration_ms", "cards", "capacity", "need", "hold_ms", "stage_count", "after"),
        *("release_ms", "policy", "tasks_at_once", "may_cross_nodes", "card_model", "card_lot", "card_node"),
        "card_ready_ms",
    }
)
"""What of a problem the view keeps (a policy is only a rule by which to look for plans)."""


class ProofRefused(Exception):
    """No proof can be had. `code`: `proof_too_large`, `proof_not_expressed`, `proof_nodes_mixed`,
    `proof_no_time`, `proof_no_plan`, `proof_not_installed`, `proof_crashed` or `proof_wrong`.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Option:
    """A task in a pool (OFF_CARDS: in none): its length and (resource, amount, time held)."""

    pool: int
    length: int
    needs: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Exact:
    """Tasks t by group, pools and stages; times in units of `unit_ms`."""

    unit_ms: int
    group: tuple[int, ...]
    """[t]"""
    stage: tuple[int, ...]
    """[t]"""
    cards: tuple[int, ...]
    """[t] cards wanted at once."""
    options: tuple[tuple[Option, ...], ...]
    """[t] one at least."""
    pools: tuple[tuple[tuple[int, int], ...], ...]
    """Each pool's (when it is ready, card), rising."""
    capacity: tuple[int, ...]
    """[r] -1 = unlimited."""
    caps: tuple[int, ...]
    """[s] -1 = none."""
    before: tuple[tuple[int, ...], ...]
    """[s] the stages with tasks that it waits for, seen through stages without any."""
    release: tuple[int, ...]
    """[s] its own release and those of the stages without tasks before it."""
    tasks_in: tuple[tuple[int, ...], ...]
    """[s]"""

    def cards_for(self, starts: Sequence[int], chosen: Sequence[int]) -> tuple[Placed, ...]:
        """Return the tasks in ms with cards, each the lowest that are free; `chosen[t]` is its option's number."""
        free: list[list[int]] = [[] for _ in self.pools]
        due = [list(pool) for pool in self.pools]
        found: list[Placed] = [()] * len(starts)
        for task in sorted(range(len(starts)), key=lambda one: (starts[one], one)):
            option = self.options[task][chosen[task]]
            taken: list[int] = []
            if option.pool != OFF_CARDS:
                waiting, ready = due[option.pool], free[option.pool]
                while waiting and waiting[0][0] <= starts[task]:
                    heapq.heappush(ready, heapq.heappop(waiting)[1])
                if len(ready) < self.cards[task]:
                    raise ProofRefused("proof_wrong")
                taken = [heapq.heappop(ready) for _ in range(self.cards[task])]
                for card in taken:
                    heapq.heappush(waiting, (starts[task] + option.length, card))
            found[task] = (starts[task] * self.unit_ms, *sorted(taken))
        return tuple(found)


def exact_view(problem: Problem, most_tasks: int = MOST_TASKS) -> Exact:
    """Return the view. Raises ProofRefused, and CycleFound."""
    columns = [one.name for one in fields(problem) if one.name not in EXPRESSED | {"when"}]
    # A priority says who goes first, not what is possible: the bound and the plan hold without it.
    if problem.is_timed or any(np.size(getattr(problem, name)) for name in columns):
        raise ProofRefused("proof_not_expressed")
    topological_order(problem.stage_count, problem.after)
    if int(problem.count.sum()) > most_tasks:
        raise ProofRefused("proof_too_large")
    fleet = Fleet(problem)
    if why_blocked(fleet) or not problem.count.any():
        raise ProofRefused("proof_no_plan")
    pools = _pools(problem)
    options = {group: _options(fleet, pools, group) for group, count in enumerate(fleet.count) if count}
    groups = [group for group, count in enumerate(fleet.count) for _ in range(count)]
    if sum(len(options[group]) for group in groups) > MOST_OPTIONS:
        raise ProofRefused("proof_too_large")
    times = [*fleet.ready, *problem.release_ms.tolist()]
    for row in options.values():
        times += [time for one in row for time in (one.length, *(held for _, _, held in one.needs))]
    unit = reduce(gcd, times, 0) or 1
    scaled = {group: tuple(_scaled(one, unit) for one in row) for group, row in options.items()}
    stages = problem.stage.tolist()
    tasks_in: list[list[int]] = [[] for _ in range(problem.stage_count)]
    for task, group in enumerate(groups):
        tasks_in[stages[group]].append(task)
    before, release = _waits(problem, [bool(one) for one in tasks_in])
    return Exact(
        unit_ms=unit,
        group=tuple(groups),
        stage=tuple(stages[group] for group in groups),
        cards=tuple(int(problem.cards[group]) for group in groups),
        options=tuple(scaled[group] for group in groups),
        pools=tuple(tuple(sorted((fleet.ready[card] // unit, card) for card in pool)) for _, pool in pools),
        capacity=tuple(problem.capacity.tolist()),
        caps=tuple(problem.tasks_at_once.tolist()),
        before=before,
        release=tuple(moment // unit for moment in release),
        tasks_in=tuple(tuple(one) for one in tasks_in),
    )


def _pools(problem: Problem) -> list[tuple[int, tuple[int, ...]]]:
    """Return (model, cards) of the sets within which a task may take any cards.

    Single cards may be taken anywhere; tasks over several keep to a node or to a lot.
    """
    wide = {int(problem.stage[group]) for group in ((problem.cards > 1) & (problem.count > 0)).nonzero()[0]}
    crossing = {bool(problem.may_cross_nodes[stage]) for stage in wide}
    cards: dict[tuple[int, ...], list[int]] = {}
    for card in range(problem.card_count):
        model, lot, node = (
            int(column[card]) for column in (problem.card_model, problem.card_lot, problem.card_node)
        )
        if not wide:
            key: tuple[int, ...] = (model,)
        elif True in crossing:
            key = (model, lot)
        else:
            key = (model, lot, node)
        cards.setdefault(key, []).append(card)
    if len(crossing) == 2 and any(len(set(problem.card_node[pool].tolist())) > 1 for pool in cards.values()):
        raise ProofRefused("proof_nodes_mixed")
    return [(key[0], tuple(pool)) for key, pool in cards.items()]


def _options(fleet: Fleet, pools: Sequence[tuple[int, tuple[int, ...]]], group: int) -> list[Option]:
    wanted = int(fleet.problem.cards[group])
    if not wanted:
        length = fleet.duration[group][0]
        return [Option(OFF_CARDS, length, _needs(fleet, group, length))]
    found = []
    for number, (model, cards) in enumerate(pools):
        length = fleet.duration[group][model]
        if length == NOT_ELIGIBLE or len(cards) < wanted:
            continue
        if length == 0:
            # It needs its cards at a moment, which a count over time does not see.
            raise ProofRefused("proof_no_time")
        found.append(Option(number, length, _needs(fleet, group, length)))
    return found


def _needs(fleet: Fleet, group: int, length: int) -> tuple[tuple[int, int, int], ...]:
    found = []
    for resource, need, hold in fleet.needs[group]:
        held = held_ms(hold, length)
        if held and fleet.problem.capacity[resource] != UNLIMITED:
            found.append((resource, need, held))
    return tuple(found)


def _scaled(option: Option, unit: int) -> Option:
    needs = tuple((resource, need, held // unit) for resource, need, held in option.needs)
    return Option(option.pool, option.length // unit, needs)


def _waits(problem: Problem, has_tasks: Sequence[bool]) -> tuple[tuple[tuple[int, ...], ...], list[int]]:
    direct: list[list[int]] = [[] for _ in range(problem.stage_count)]
    for one, later in problem.after:
        direct[later].append(one)
    before: list[set[int]] = [set() for _ in direct]
    release: list[int] = problem.release_ms.tolist()
    for stage in topological_order(problem.stage_count, problem.after):
        for one in direct[stage]:
            if has_tasks[one]:
                before[stage].add(one)
            else:
                before[stage] |= before[one]
                release[stage] = max(release[stage], release[one])
    return tuple(tuple(sorted(one)) for one in before), release
