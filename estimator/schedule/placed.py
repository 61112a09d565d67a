"""Single tasks with their starts and cards: from a schedule, to a schedule, and whether they keep every rule.

The rules are checked here from the problem alone, by other means than those that place tasks, so that a plan which
comes from elsewhere (another program, a file) is believed only once it is found sound. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from estimator.results.schedule import Schedule
from estimator.schedule.network import topological_order
from estimator.schedule.problem import NOT_ELIGIBLE, UNLIMITED, WHOLE_TASK, Problem
from estimator.schedule.schedule import Run, bars, make_schedule

Placed = tuple[int, ...]
"""One task: its start in ms, then its cards in rising order."""


@dataclass(frozen=True, slots=True)
class _Task:
    group: int
    stage: int
    start: int
    length: int
    cards: tuple[int, ...]

    @property
    def end(self) -> int:
        return self.start + self.length


def tasks_of(problem: Problem, plan: Schedule) -> tuple[Placed, ...]:
    """Return the plan's tasks by group and by index within it."""
    every = bars(plan, problem)
    cards: dict[tuple[int, int], list[int]] = {}
    starts: dict[tuple[int, int], int] = {}
    rows = (every.group.tolist(), every.index.tolist(), every.start_ms.tolist(), every.card.tolist())
    for group, index, start, card in zip(*rows, strict=True):
        starts[group, index] = start
        cards.setdefault((group, index), []).extend([card] if card >= 0 else [])
    return tuple((starts[key], *sorted(cards[key])) for key in sorted(starts))


def broken_rule(problem: Problem, tasks: Sequence[Placed]) -> str:
    """Return the code of a rule that the tasks, by group, break; "" where they keep them all.

    Codes: `task_count`, `task_cards`, `task_together`, `card_twice`, `card_not_ready`, `released_later`,
    `stage_order`, `over_capacity`, `over_cap`. Hours, cards that leave and shares are not checked here: a problem
    with any of them gives `not_expressed`.
    """
    if problem.is_timed:
        return "not_expressed"
    if len(tasks) != int(problem.count.sum()) or any(not one or one[0] < 0 for one in tasks):
        return "task_count"
    read = _read(problem, tasks)
    if read is None:
        return "task_cards"
    if any(not _is_together(problem, one) for one in read):
        return "task_together"
    starts, ends = _stage_times(problem, read)
    if any(one.start < problem.release_ms[one.stage] for one in read):
        return "released_later"
    if any(starts[later] < ends[before] for before, later in problem.after):
        return "stage_order"
    return _card_rule(problem, read) or _sharing_rule(problem, read)


def schedule_of_tasks(problem: Problem, tasks: Sequence[Placed], lower_bound_ms: int) -> Schedule:
    """Return the schedule of tasks that keep every rule. Raises ValueError where they break one, or end before
    the bound: it is then none."""
    rule = broken_rule(problem, tasks)
    read = _read(problem, tasks)
    if rule or read is None:
        raise ValueError(rule)
    starts, ends = _stage_times(problem, read)
    if max(ends, default=0) < lower_bound_ms:
        raise ValueError("bound")
    runs: list[Run] = []
    used: list[list[tuple[int, int]]] = [[] for _ in problem.capacity]
    for one in read:
        runs.append(Run(one.group, one.cards, one.start, one.length, 1, one.length if one.cards else 0))
        for resource, need, held in _needs(problem, one):
            used[resource] += [(one.start, need), (one.start + held, -need)]
    return make_schedule(problem, runs, starts, ends, used, lower_bound_ms)


def _read(problem: Problem, tasks: Sequence[Placed]) -> list[_Task] | None:
    """Return the tasks with their lengths; None where one has not the cards that it asks for."""
    counts, stages, wanted = problem.count.tolist(), problem.stage.tolist(), problem.cards.tolist()
    lengths, models = problem.duration_ms.tolist(), problem.card_model.tolist()
    groups = [group for group, count in enumerate(counts) for _ in range(count)]
    read: list[_Task] = []
    for group, (start, *cards) in zip(groups, tasks, strict=True):
        if len(set(cards)) != wanted[group] or len(cards) != wanted[group]:
            return None
        if any(not 0 <= card < len(models) for card in cards):
            return None
        on = {models[card] for card in cards} or {0}
        length = lengths[group][min(on)]
        if len(on) > 1 or length == NOT_ELIGIBLE:
            return None
        read.append(_Task(group, stages[group], start, length, tuple(sorted(cards))))
    return read


def _is_together(problem: Problem, task: _Task) -> bool:
    lots = {int(problem.card_lot[card]) for card in task.cards}
    nodes = {int(problem.card_node[card]) for card in task.cards}
    return len(lots) <= 1 and (len(nodes) <= 1 or bool(problem.may_cross_nodes[task.stage]))


def _stage_times(problem: Problem, tasks: Iterable[_Task]) -> tuple[list[int], list[int]]:
    """Return each stage's first start and last end; one without tasks takes no time once it is reached."""
    before: list[list[int]] = [[] for _ in range(problem.stage_count)]
    for one, later in problem.after:
        before[later].append(one)
    spans: dict[int, tuple[int, int]] = {}
    for task in tasks:
        start, end = spans.get(task.stage, (task.start, task.end))
        spans[task.stage] = (min(start, task.start), max(end, task.end))
    starts, ends = [0] * problem.stage_count, [0] * problem.stage_count
    for stage in topological_order(problem.stage_count, problem.after):
        reached = max([int(problem.release_ms[stage]), *(ends[one] for one in before[stage])])
        starts[stage], ends[stage] = spans.get(stage, (reached, reached))
    return starts, ends


def _card_rule(problem: Problem, tasks: Iterable[_Task]) -> str:
    spans: dict[int, list[tuple[int, int]]] = {}
    for task in tasks:
        for card in task.cards:
            spans.setdefault(card, []).append((task.start, task.end))
    for card, taken in spans.items():
        taken.sort()
        if taken[0][0] < problem.card_ready_ms[card]:
            return "card_not_ready"
        if any(end > start for (_, end), (start, _) in pairwise(taken)):
            return "card_twice"
    return ""


def _sharing_rule(problem: Problem, tasks: Sequence[_Task]) -> str:
    for resource, capacity in enumerate(problem.capacity.tolist()):
        changes = [
            change
            for task in tasks
            for number, need, held in _needs(problem, task)
            if number == resource
            for change in ((task.start, need), (task.start + held, -need))
        ]
        if capacity != UNLIMITED and _most(changes) > capacity:
            return "over_capacity"
    for stage, cap in enumerate(problem.tasks_at_once.tolist()):
        lengths = [task for task in tasks if task.stage == stage and task.length]
        changes = [change for task in lengths for change in ((task.start, 1), (task.end, -1))]
        if cap != UNLIMITED and _most(changes) > cap:
            return "over_cap"
    return ""


def _needs(problem: Problem, task: _Task) -> list[tuple[int, int, int]]:
    found = []
    for resource, need in enumerate(problem.need[task.group].tolist()):
        hold = int(problem.hold_ms[task.group, resource])
        held = task.length if hold == WHOLE_TASK else min(hold, task.length)
        if need and held:
            found.append((resource, need, held))
    return found


def _most(changes: list[tuple[int, int]]) -> int:
    """Return the highest level; what ends at a moment lets go before what starts takes."""
    level = most = 0
    for _, change in sorted(changes):
        level += change
        most = max(most, level)
    return most
