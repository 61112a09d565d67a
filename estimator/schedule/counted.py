"""A problem seen as single tasks on counted capacities, where nobody asks which card: what a search works on.

Possible where all cards in play are alike and a task over several cards may take any of them, or all tasks
want as many cards, so that slots are counted in place of cards. Kinds are tasks of one stage with equal needs.
A found list of starts becomes a schedule with cards here; nothing is searched.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
_Place = tuple[int, tuple[int, ...]]
"""(when it is ready, its cards)."""


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
    """[k] cards, or slots, that a task needs."""
    capacity: tuple[int, ...]
    """[r] the cards, or the slots of several cards, are number 0."""
    cards_ready: tuple[int, ...]
    """When each of them may be used first, rising."""
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

    def mirrored(self) -> Counted:
        """Return the problem seen from the end: who waits for whom is turned round, nothing is released late."""
        nothing = (0,) * len(self.release)
        ready = (0,) * len(self.cards_ready)
        return replace(
            self,
            cards_ready=ready,
            order=self.order[::-1],
            before=self.after,
            after=self.before,
            release=nothing,
        )

    @property
    def holds_whole(self) -> bool:
        """Whether each task holds all that it needs from its start to its end."""
        return all(
            held == length
            for row, length in zip(self.needs, self.duration, strict=True)
            for _, _, held in row
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
    places = _places(fleet) if 0 < sum(fleet.count) <= MOST_TASKS else None
    if places is None:
        return None
    groups = [group for parts in fleet.parts for part in parts for group in part.groups]
    groups.sort(key=lambda group: (int(problem.stage[group]), group))
    model = int(problem.card_model[places[0][1][0]]) if places else 0
    width = len(places[0][1]) if places else 1
    duration = {group: fleet.duration[group][model if problem.cards[group] else 0] for group in groups}
    needs, capacity = _needs_and_capacity(fleet, groups, duration, len(places), width)
    times = [*duration.values(), *problem.release_ms.tolist(), *(ready for ready, _ in places)]
    unit = gcd(*times, *(held for row in needs.values() for _, _, held in row)) or 1
    scaled = {
        group: tuple((number, amount, held // unit) for number, amount, held in needs[group])
        for group in groups
    }
    return _assemble(fleet, order, groups, unit, duration, scaled, capacity, places)


def _assemble(
    fleet: Fleet,
    order: Sequence[int],
    groups: Sequence[int],
    unit: int,
    duration: dict[int, int],
    needs: dict[int, tuple[Need, ...]],
    capacity: Sequence[int],
    places: Sequence[_Place],
) -> Counted:
    problem = fleet.problem
    width = len(places[0][1]) if places else 1
    kinds, kind_of = _sort_kinds(
        fleet, groups, needs, {group: each // unit for group, each in duration.items()}, width
    )
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
        cards_ready=tuple(sorted(ready // unit for ready, _ in places)),
        order=tuple(order),
        before=tuple(tuple(one) for one in before),
        after=tuple(tuple(one) for one in after),
        release=tuple(ms // unit for ms in problem.release_ms.tolist()),
        tasks_in=tuple(tasks_in),
    )


def _sort_kinds(
    fleet: Fleet,
    groups: Sequence[int],
    needs: dict[int, tuple[Need, ...]],
    duration: dict[int, int],
    width: int,
) -> tuple[list[tuple[int, int, object]], dict[int, int]]:
    """Return the kinds as (stage, places a task needs, needs) and each group's kind."""
    problem = fleet.problem
    kinds: dict[tuple[int, int, object], int] = {}
    kind_of: dict[int, int] = {}
    for group in groups:
        shape = tuple(
            (number, amount, -1 if held == duration[group] else held) for number, amount, held in needs[group]
        )
        key = (int(problem.stage[group]), int(problem.cards[group]) // width, shape)
        kind_of[group] = kinds.setdefault(key, len(kinds))
    return list(kinds), kind_of


def schedule_of(fleet: Fleet, view: Counted, starts: Sequence[int], lower_bound_ms: int) -> Schedule:
    """Return the schedule of the tasks' starts, each on the lowest cards that are free."""
    problem, unit = fleet.problem, view.unit_ms
    used: list[list[tuple[int, int]]] = [[] for _ in problem.capacity]
    runs: list[Run] = []
    last_run: dict[tuple[int, tuple[int, ...], int], int] = {}
    places = _places(fleet) or []
    cards = _Cards([(ready // unit, number) for number, (ready, _) in enumerate(places)])
    stage_start = [-1] * problem.stage_count
    # What takes no time goes first: it needs its cards at a moment at which others may take the last ones.
    by_start = sorted(
        range(view.task_count), key=lambda one: (starts[one], view.duration[one] > 0, view.group[one], one)
    )
    for task in by_start:
        group, length, start = view.group[task], view.duration[task] * unit, starts[task] * unit
        numbers = cards.take(view.cards_of_kind[view.kind[task]], starts[task], view.duration[task])
        chosen = tuple(sorted(card for number in numbers for card in places[number][1]))
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
    """Cards, or slots, handed out by number, the lowest free ones first."""

    def __init__(self, ready: list[tuple[int, int]]) -> None:
        self._due = ready
        self._free: list[int] = []
        heapq.heapify(self._due)

    def take(self, count: int, start: int, duration: int) -> tuple[int, ...]:
        """Return `count` cards that are free at `start`, taken for `duration`. Starts never fall."""
        while self._due and self._due[0][0] <= start:
            heapq.heappush(self._free, heapq.heappop(self._due)[1])
        chosen = tuple(heapq.heappop(self._free) for _ in range(count))
        for card in chosen:
            heapq.heappush(self._due, (start + duration, card))
        return chosen


def _places(fleet: Fleet) -> list[_Place] | None:
    """Return what is counted as cards: single cards, or slots where all tasks want as many; None for neither."""
    problem = fleet.problem
    parts = [part for parts in fleet.parts for part in parts if part.cards]
    models = {part.models for part in parts}
    if len(models) > 1 or any(len(one) > 1 for one in models):
        return None
    if all(part.cards == 1 or len(fleet.areas(part.stage, part.models)) == 1 for part in parts):
        used = {model for one in models for model in one}
        cards = (card for card, model in enumerate(problem.card_model.tolist()) if model in used)
        return [(fleet.ready[card], (card,)) for card in cards]
    if len({(part.cards, bool(problem.may_cross_nodes[part.stage])) for part in parts}) > 1:
        return None
    return [(slot.ready_ms, slot.cards) for slot in fleet.slots(parts[0])]


def _needs_and_capacity(
    fleet: Fleet, groups: Sequence[int], duration: dict[int, int], places: int, width: int
) -> tuple[dict[int, list[Need]], list[int]]:
    """Return each group's needs in ms and the capacities: the cards, what is limited, the stages' caps."""
    problem = fleet.problem
    capacity = [places]
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
            row.append((0, int(problem.cards[group]) // width, length))
        for resource, need, hold in fleet.needs[group]:
            if resource in number_of:
                row.append((number_of[resource], need, held_ms(hold, length)))
        if stage in cap_of:
            row.append((cap_of[stage], 1, length))
        needs[group] = row
    return needs, capacity
