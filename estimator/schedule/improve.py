"""The best plan found: the plans by rules, and a search where the stages that ask for it can be seen as counts.

Where the stages follow each other one by one, each is searched by itself: the sooner each ends the better.
Tasks that only share equal slots take the exact re-balancing; all else orders of tasks. The effort counts
steps: the same problem gives the same plan on any machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

import numpy as np

from estimator.results.schedule import Schedule, Status
from estimator.schedule.bounds import StageBounds
from estimator.schedule.by_policy import placed
from estimator.schedule.counted import Counted, counted, schedule_of
from estimator.schedule.flat import flat_best
from estimator.schedule.fleet import Fleet, Part, Slot, why_blocked
from estimator.schedule.independent import share_independent
from estimator.schedule.network import topological_order
from estimator.schedule.orders import best_starts
from estimator.schedule.problem import UNLIMITED, Cancelled, Policy, Problem, SolveStopped, never
from estimator.schedule.reorder import reordered
from estimator.schedule.schedule import Run, make_schedule, no_schedule
from estimator.schedule.started import add_use, started
from estimator.schedule.unlike import IMPOSSIBLE, share_unlike, weighted_bound

DEFAULT_EFFORT = 20
"""About the milliseconds that a search may take, whatever the number of tasks."""
MOST_PAIRS = 2_000_000
"""Tasks times slots of unlike cards: beyond, the rules must do."""


def improved(
    problem: Problem,
    effort: int = DEFAULT_EFFORT,
    start: Schedule | None = None,
    cancelled: Cancelled = never,
) -> Schedule:
    """Return the best plan found, its lower bound the best known too; never later than `start`.

    The stages of policy BEST are searched; where another stage has a choice to make and its own policy, the
    better of two rules is taken for them. `start` is a schedule that keeps this problem's rules, such as the
    plan of the same problem under tighter ones. Raises CycleFound and SolveStopped like `solve`.
    """
    if start is None:
        flat = flat_best(problem, effort, cancelled)
        if flat is not None:
            return flat
    order = topological_order(problem.stage_count, problem.links)
    fleet = Fleet(problem)
    blocked = why_blocked(fleet)
    if blocked:
        return no_schedule(problem, blocked)
    bounds = StageBounds(fleet, order)
    best = None if start is None or start.status is Status.INFEASIBLE else started(fleet, start)
    bound = bounds.lower_bound_ms
    failed: Schedule | None = None
    for plan in _by_rules(fleet, bounds, cancelled):
        if plan.status is Status.INFEASIBLE:
            failed = plan
        elif best is None or plan.delivery_ms < best.delivery_ms:
            best = plan
        if best is not None and best.delivery_ms <= bound:
            break
    if problem.is_timed or problem.is_ranked:
        best = reordered(fleet, bounds, best, effort, cancelled)
        if best is None:
            return no_schedule(problem, () if failed is None else failed.blocked)
        return replace(best, lower_bound_ms=bound)
    if best is None:
        raise ValueError("a problem without a plan is blocked")
    view = counted(fleet, order) if best.delivery_ms > bound and _is_free(fleet) else None
    if view is None and best.delivery_ms > bound and _is_free(fleet):
        other = _on_unlike_slots(fleet, bound, effort, cancelled)
        if other is not None:
            bound = max(bound, other.lower_bound_ms)
            best = other if other.delivery_ms < best.delivery_ms else best
    elif view is not None:
        search = _Sequence(view, bounds, effort, cancelled)
        starts = search.starts()
        bound = max(bound, search.bound * view.unit_ms)
        if view.delivery(starts) * view.unit_ms < best.delivery_ms:
            best = schedule_of(fleet, view, starts, bound)
    return replace(best, lower_bound_ms=bound)


def _by_rules(fleet: Fleet, bounds: StageBounds, cancelled: Cancelled) -> Iterator[Schedule]:
    """Yield the plans in which the stages to search go longest first, then in list order."""
    problem = fleet.problem
    rules = (Policy.LONGEST_FIRST, Policy.AVAILABILITY)
    for rule in rules if _order_matters(fleet) else rules[:1]:
        if cancelled():
            raise SolveStopped
        policies = tuple(rule if one is Policy.BEST else one for one in problem.policy)
        by_rule = replace(problem, policy=policies)
        yield placed(Fleet(by_rule), bounds, cancelled)


def _order_matters(fleet: Fleet) -> bool:
    """Whether a stage to search has its tasks in another order than the longest first."""
    for parts, policy in zip(fleet.parts, fleet.problem.policy, strict=True):
        if policy is Policy.BEST:
            groups = sorted(group for part in parts for group in part.groups)
            if any(fleet.shortest[one] < fleet.shortest[other] for one, other in pairwise(groups)):
                return True
    return False


def _is_free(fleet: Fleet) -> bool:
    """Whether each stage is to be searched, or has nothing to choose among."""
    for parts, policy in zip(fleet.parts, fleet.problem.policy, strict=True):
        groups = [group for part in parts for group in part.groups]
        alone = sum(fleet.count[group] for group in groups) <= 1
        alike = len(groups) == 1 and policy is not Policy.BLOCKS
        if policy is not Policy.BEST and not alone and not alike:
            return False
    return True


def _on_unlike_slots(fleet: Fleet, bound_ms: int, effort: int, cancelled: Cancelled) -> Schedule | None:
    """Return a plan of one stage's tasks on slots of several models; None where more than that is about."""
    problem = fleet.problem
    parts = [part for parts in fleet.parts for part in parts]
    groups = sorted(group for part in parts for group in part.groups)
    tasks = [group for group in groups for _ in range(fleet.count[group])]
    slots = _unlike_slots(fleet, parts)
    if len(slots) < 2 or len(tasks) * len(slots) > MOST_PAIRS:
        return None
    times = problem.duration_ms[tasks][:, [slot.model for slot in slots]]
    times = np.where(times < 0, IMPOSSIBLE, times)
    ready = [max(int(problem.release_ms[0]), slot.ready_ms) for slot in slots]
    bound_ms = weighted_bound(times, ready, bound_ms)
    shares, last = share_unlike(times, ready, bound_ms, effort, cancelled)
    runs: list[Run] = []
    used: list[list[tuple[int, int]]] = [[] for _ in problem.capacity]
    for slot, begin, share in zip(slots, ready, shares, strict=True):
        for group, several in groupby(sorted(tasks[task] for task in share)):
            count, length = len(list(several)), fleet.duration[group][slot.model]
            runs.append(Run(group, slot.cards, begin, length, count, length))
            add_use(fleet, runs[-1], used)
            begin += count * length
    return make_schedule(problem, runs, [min(run.start_ms for run in runs)], [last], used, bound_ms)


def _unlike_slots(fleet: Fleet, parts: Sequence[Part]) -> list[Slot]:
    """Return the slots that the tasks of the only stage share; empty where they share anything else."""
    problem = fleet.problem
    if problem.stage_count > 1 or problem.tasks_at_once[0] != UNLIMITED:
        return []
    if any(problem.capacity[number] != UNLIMITED for part in parts for number in part.resources):
        return []
    if len({part.cards for part in parts}) != 1 or parts[0].cards == 0:
        return []
    by_cards = {slot.cards: slot for part in parts for slot in fleet.slots(part)}
    return [by_cards[cards] for cards in sorted(by_cards)]


class _Sequence:
    """A counted problem searched, stage by stage where its stages follow each other."""

    def __init__(self, view: Counted, bounds: StageBounds, effort: int, cancelled: Cancelled) -> None:
        self._view = view
        self._effort = effort
        self._cancelled = cancelled
        self._tail = [-(-tail // view.unit_ms) for tail in bounds.tail_ms]
        self._length = [-(-length // view.unit_ms) for length in bounds.length_ms]
        self.bound = -(-bounds.lower_bound_ms // view.unit_ms)

    def starts(self) -> list[int]:
        """Return the best starts found; `bound` may have risen."""
        view = self._view
        if not _follow_each_other(view):
            return best_starts(view, self._tail, self.bound, self._effort, self._cancelled)
        effort = -(-self._effort // max(1, sum(count > 1 for count in view.tasks_in)))
        tasks_of: list[list[int]] = [[] for _ in view.release]
        for task, kind in enumerate(view.kind):
            tasks_of[view.stage_of_kind[kind]].append(task)
        starts = [0] * view.task_count
        ends, least = list(view.release), list(view.release)
        for stage in view.order:
            ends[stage] = max([ends[stage], *(ends[one] for one in view.before[stage])])
            least[stage] = max([least[stage], *(least[one] for one in view.before[stage])])
            if not tasks_of[stage]:
                continue
            part = view.only(stage, tasks_of[stage], ends[stage])
            found, begin, length = self._stage_starts(stage, part, effort)
            least[stage] = max(least[stage], begin) + length
            for task, start in zip(tasks_of[stage], found, strict=True):
                starts[task] = start
                ends[stage] = max(ends[stage], start + view.duration[task])
        self.bound = max(self.bound, *least)
        return starts

    def _stage_starts(self, stage: int, part: Counted, effort: int) -> tuple[Sequence[int], int, int]:
        """Return the starts, a moment before which no task of the stage starts and its least length."""
        start, length = part.release[0], self._length[stage]
        slots = _equal_slots(part)
        if slots == 0:
            return best_starts(part, [0], start + length, effort, self._cancelled), 0, length
        ready = part.cards_ready[0] if part.cards_of_kind[0] else 0
        sharing = share_independent(part.duration, slots, effort, self._cancelled)
        free_at = [max(start, ready)] * slots
        starts = []
        for slot, each in zip(sharing.slot_of, part.duration, strict=True):
            starts.append(free_at[slot])
            free_at[slot] += each
        return starts, ready, max(length, sharing.bound)


def _follow_each_other(view: Counted) -> bool:
    """Whether of any two stages with tasks one waits for the other."""
    reached = [0] * len(view.release)
    for stage in view.order:
        before = max((reached[one] for one in view.before[stage]), default=0)
        reached[stage] = before + (view.tasks_in[stage] > 0)
    return max(reached) == sum(count > 0 for count in view.tasks_in)


def _equal_slots(view: Counted) -> int:
    """Return how many tasks can run at once where that is all they share; 0 where there is more to it."""
    if len(view.stage_of_kind) != 1 or len(set(view.cards_ready)) > 1:
        return 0
    if any(held != view.duration[0] for _, _, held in view.needs[0]) or not view.needs[0]:
        return 0
    return min(view.capacity[number] // amount for number, amount, _ in view.needs[0])
