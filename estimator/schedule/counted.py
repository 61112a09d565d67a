"""A problem seen as single tasks on counted capacities, where nobody asks which card: what a search works on.

Possible where all cards in play are alike and a task over several cards may take any of them. Kinds are tasks
of one stage with equal needs. A found list of starts becomes a schedule with cards here; nothing is searched.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from estimator.results.schedule import Schedule
from estimator.schedule.fleet import Fleet, held_ms
from estimator.schedule.network import successors
from estimator.schedule.problem import UNLIMITED
from estimator.schedule.schedule import Run, make_schedule

MOST_TASKS = 3_000
"""Beyond, a search has no time to look at enough plans: rules are as good."""

Need = tuple[int, int, int]
"""(capacity's number, amount, time held)."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Tasks t, kinds k, stages s and capacities r. Times are in units of `unit_ms`."""

    unit_ms: int
    duration: tuple[int, ...]
    """[t]"""
    kind: tuple[int, ...]
    """[t]"""
    group: tuple[int, ...]
    """[t]"""
    needs: tuple[tuple[Need, ...], ...]
    """[t]"""
    stage_of_kind: tuple[int, ...]
    cards_of_kind: tuple[int, ...]
    capacity: tuple[int, ...]
    """[r] the cards are number 0."""
    cards_ready: tuple[int, ...]
    """When each card may be used first, rising."""
    order: tuple[int, ...]
    """The stages, each after those that it waits for."""
    before: tuple[tuple[int, ...], ...]
    """[s] the stages that it waits for."""
    after: tuple[tuple[int, ...], ...]
    release: tuple[int, ...]
    tasks_in: tuple[int, ...]
    """[s]"""

    @property
    def task_count(self) -> int:
        """Single tasks."""
        return len(self.duration)

    def only(self, stage: int, tasks: Sequence[int], start: int) -> Counted:
        """Return one stage's tasks by themselves, none before `start`."""
        kinds = sorted({self.kind[task] for task in tasks})
        number = {kind: place for place, kind in enumerate(kinds)}
        return Counted(
            unit_ms=self.unit_ms,
            duration=tuple(self.duration[task] for task in tasks),
            kind=tuple(number[self.kind[task]] for task in tasks),
            group=tuple(self.group[task] for task in tasks),
            needs=tuple(self.needs[task] for task in tasks),
            stage_of_kind=(0,) * len(kinds),
            cards_of_kind=tuple(self.cards_of_kind[kind] for kind in kinds),
            capacity=self.capacity,
            cards_ready=self.cards_ready,
            order=(0,),
            before=((),),
            after=((),),
            release=(start,),
            tasks_in=(len(tasks),),
        )

    def ends(self, starts: Sequence[int]) -> list[int]:
        """Return when each stage ends, one without tasks when it is reached."""
        ends = list(self.release)
        last = [-1] * len(ends)
        for task, start in enumerate(starts):
            stage = self.stage_of_kind[self.kind[task]]
            last[stage] = max(last[stage], start + self.duration[task])
        for stage in self.order:
            reached = max(self.release[stage], max((ends[one] for one in self.before[stage]), default=0))
            ends[stage] = last[stage] if last[stage] >= 0 else reached
        return ends

    def delivery(self, starts: Sequence[int]) -> int:
        """Return the end of all stages."""
        return max(self.ends(starts), default=0)


def counted(fleet: Fleet, order: Sequence[int]) -> Counted | None:
    """Return the feasible problem as counted capacities; None where it cannot be seen so or is too large."""
    problem = fleet.problem
    if not 0 < sum(fleet.count) <= MOST_TASKS or not _is_one_pool(fleet):
        return None
    cards = _cards(fleet)
    groups = [group for parts in fleet.parts for part in parts for group in part.groups]
    groups.sort(key=lambda group: (int(problem.stage[group]), group))
    model = int(problem.card_model[cards[0]]) if cards else 0
    duration = {group: fleet.duration[group][model if problem.cards[group] else 0] for group in groups}
    if any(duration[group] == 0 and problem.cards[group] for group in groups):
        return None  # a task of no length needs a card at a moment, which counting does not see
    needs, capacity = _needs_and_capacity(fleet, groups, duration, len(cards))
    times = [*duration.values(), *problem.release_ms.tolist(), *(fleet.ready[card] for card in cards)]
    unit = gcd(*times, *(held for row in needs.values() for _, _, held in row)) or 1
    scaled = {
        group: tuple((number, amount, held // unit) for number, amount, held in needs[group])
        for group in groups
    }
    return _assemble(fleet, order, groups, unit, duration, scaled, capacity, cards)


def _assemble(
    fleet: Fleet,
    order: Sequence[int],
    groups: Sequence[int],
    unit: int,
    duration: dict[int, int],
    needs: dict[int, tuple[Need, ...]],
    capacity: Sequence[int],
    cards: Sequence[int],
) -> Counted:
    problem = fleet.problem
    kinds: dict[tuple[int, int, object], int] = {}
    kind_of: dict[int, int] = {}
    for group in groups:
        shape = tuple(
            (number, amount, -1 if held * unit == duration[group] else held)
            for number, amount, held in needs[group]
        )
        key = (int(problem.stage[group]), int(problem.cards[group]), shape)
        kind_of[group] = kinds.setdefault(key, len(kinds))
    tasks = [group for group in groups for _ in range(fleet.count[group])]
    after = successors(problem.stage_count, problem.after)
    before: list[list[int]] = [[] for _ in after]
    for stage, later in enumerate(after):
        for one in later:
            before[one].append(stage)
    tasks_in = [0] * problem.stage_count
    for group in tasks:
        tasks_in[int(problem.stage[group])] += 1
    return Counted(
        unit_ms=unit,
        duration=tuple(duration[group] // unit for group in tasks),
        kind=tuple(kind_of[group] for group in tasks),
        group=tuple(tasks),
        needs=tuple(needs[group] for group in tasks),
        stage_of_kind=tuple(stage for stage, _, _ in kinds),
        cards_of_kind=tuple(wanted for _, wanted, _ in kinds),
        capacity=tuple(capacity),
        cards_ready=tuple(sorted(fleet.ready[card] // unit for card in cards)),
        order=tuple(order),
        before=tuple(tuple(one) for one in before),
        after=tuple(tuple(one) for one in after),
        release=tuple(ms // unit for ms in problem.release_ms.tolist()),
        tasks_in=tuple(tasks_in),
    )


def schedule_of(fleet: Fleet, view: Counted, starts: Sequence[int], lower_bound_ms: int) -> Schedule:
    """Return the schedule of the tasks' starts, each on the lowest cards that are free."""
    problem, unit = fleet.problem, view.unit_ms
    used: list[list[tuple[int, int]]] = [[] for _ in problem.capacity]
    runs: list[Run] = []
    last_run: dict[tuple[int, tuple[int, ...], int], int] = {}
    cards = _Cards([(fleet.ready[card] // unit, card) for card in _cards(fleet)])
    stage_start = [-1] * problem.stage_count
    for task in sorted(range(view.task_count), key=lambda one: (starts[one], view.group[one], one)):
        group, length, start = view.group[task], view.duration[task] * unit, starts[task] * unit
        chosen = cards.take(int(problem.cards[group]), starts[task], view.duration[task])
        stage = int(problem.stage[group])
        stage_start[stage] = start if stage_start[stage] < 0 else min(stage_start[stage], start)
        key = (group, chosen, start)
        place = last_run.pop(key, -1)
        step = length if chosen else 0
        if place >= 0:
            runs[place] = runs[place]._replace(tasks=runs[place].tasks + 1)
        else:
            place = len(runs)
            runs.append(Run(group, chosen, start, length, 1, step))
        last_run[(group, chosen, start + step)] = place
        for resource, need, hold in fleet.needs[group]:
            held = held_ms(hold, length)
            if held:
                used[resource] += [(start, need), (start + held, -need)]
    ends = [end * unit for end in view.ends(starts)]
    stage_start = [end if start < 0 else start for start, end in zip(stage_start, ends, strict=True)]
    return make_schedule(problem, runs, stage_start, ends, used, lower_bound_ms)


class _Cards:
    """Cards handed out by number, the lowest free ones first."""

    def __init__(self, ready: list[tuple[int, int]]) -> None:
        self._due = ready
        self._free: list[int] = []
        heapq.heapify(self._due)

    def take(self, count: int, start: int, duration: int) -> tuple[int, ...]:
        """Return `count` cards that are free at `start`, taken for `duration`. Starts never fall."""
        while self._due and self._due[0][0] <= start:
            heapq.heappush(self._free, heapq.heappop(self._due)[1])
        chosen = tuple(sorted(heapq.heappop(self._free) for _ in range(count)))
        for card in chosen:
            heapq.heappush(self._due, (start + duration, card))
        return chosen


def _is_one_pool(fleet: Fleet) -> bool:
    """Whether the tasks on cards all use cards of one model, and those over several cards any of them."""
    parts = [part for parts in fleet.parts for part in parts if part.cards]
    models = {part.models for part in parts}
    if len(models) > 1 or any(len(one) > 1 for one in models):
        return False
    return all(part.cards == 1 or len(fleet.areas(part.stage, part.models)) == 1 for part in parts)


def _cards(fleet: Fleet) -> list[int]:
    models = {model for parts in fleet.parts for part in parts if part.cards for model in part.models}
    return [card for card, model in enumerate(fleet.problem.card_model.tolist()) if model in models]


def _needs_and_capacity(
    fleet: Fleet, groups: Sequence[int], duration: dict[int, int], cards: int
) -> tuple[dict[int, list[Need]], list[int]]:
    """Return each group's needs in ms and the capacities: the cards, what is limited, the stages' caps."""
    problem = fleet.problem
    capacity = [cards]
    number_of: dict[int, int] = {}
    for resource, units in enumerate(problem.capacity.tolist()):
        if units != UNLIMITED:
            number_of[resource] = len(capacity)
            capacity.append(units)
    cap_of: dict[int, int] = {}
    for stage, cap in enumerate(problem.tasks_at_once.tolist()):
        if cap != UNLIMITED:
            cap_of[stage] = len(capacity)
            capacity.append(cap)
    needs: dict[int, list[Need]] = {}
    for group in groups:
        row, length, stage = [], duration[group], int(problem.stage[group])
        if problem.cards[group]:
            row.append((0, int(problem.cards[group]), length))
        for resource, need, hold in fleet.needs[group]:
            if resource in number_of:
                row.append((number_of[resource], need, held_ms(hold, length)))
        if stage in cap_of:
            row.append((cap_of[stage], 1, length))
        needs[group] = [one for one in row if one[2] > 0]
    return needs, capacity
