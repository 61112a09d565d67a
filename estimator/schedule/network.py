"""The network of stages by itself: cycles, order, and the critical path. No cards and no resources here."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from estimator.schedule.problem import Column, CycleFound, read_only

Links = Iterable[tuple[int, int]]


def find_cycles(stage_count: int, after: Links) -> tuple[int, ...]:
    """Return the stages that lie on a cycle, in rising order; empty where there is none.

    Stages that merely wait for a cycle are not named. Tarjan's strongly connected components (1972), without
    recursion because chains may be thousands of stages long.
    """
    following = successors(stage_count, after)
    seen_at = [-1] * stage_count
    lowest = [0] * stage_count
    on_stack = [False] * stage_count
    stack: list[int] = []
    found: list[int] = []
    clock = 0
    for root in range(stage_count):
        if seen_at[root] >= 0:
            continue
        walk: list[tuple[int, int]] = [(root, 0)]
        while walk:
            node, branch = walk.pop()
            if branch == 0:
                seen_at[node] = lowest[node] = clock
                clock += 1
                stack.append(node)
                on_stack[node] = True
            else:
                lowest[node] = min(lowest[node], lowest[following[node][branch - 1]])
            while branch < len(following[node]):
                other = following[node][branch]
                branch += 1
                if seen_at[other] < 0:
                    walk += [(node, branch), (other, 0)]
                    break
                if on_stack[other]:
                    lowest[node] = min(lowest[node], seen_at[other])
            else:
                if lowest[node] == seen_at[node]:
                    found += _close_component(node, stack, on_stack, following[node])
    return tuple(sorted(found))


def schedulable_stages(stage_count: int, after: Links) -> tuple[int, ...]:
    """Return the stages that neither lie on a cycle nor wait for one, in rising order."""
    return tuple(sorted(_peel(stage_count, tuple(after))))


def topological_order(stage_count: int, after: Links) -> tuple[int, ...]:
    """Return the stages so that each comes after all it waits for, lowest index first. Raises CycleFound."""
    links = tuple(after)
    order = _peel(stage_count, links)
    if len(order) < stage_count:
        raise CycleFound(find_cycles(stage_count, links))
    return tuple(order)


def successors(stage_count: int, after: Links) -> list[list[int]]:
    """Return for each stage those that wait for it, each once, in rising order."""
    following: list[set[int]] = [set() for _ in range(stage_count)]
    for before, later in after:
        following[before].add(later)
    return [sorted(stages) for stages in following]


def critical_path(duration_ms: ArrayLike, after: Links) -> tuple[Column, Column, Column]:
    """Return (start, finish, slack) in ms of each task when only the links hold it back.

    Slack is how much later a task may start without delaying the end of all. Raises CycleFound.
    """
    duration = np.asarray(duration_ms, dtype=np.int64).tolist()
    links = tuple(after)
    order = topological_order(len(duration), links)
    following = successors(len(duration), links)
    start = [0] * len(duration)
    for task in order:
        for later in following[task]:
            start[later] = max(start[later], start[task] + duration[task])
    finish = [begin + length for begin, length in zip(start, duration, strict=True)]
    end = max(finish, default=0)
    latest_start = [0] * len(duration)
    for task in reversed(order):
        latest_end = min((latest_start[later] for later in following[task]), default=end)
        latest_start[task] = latest_end - duration[task]
    slack = [late - early for late, early in zip(latest_start, start, strict=True)]
    return read_only(start), read_only(finish), read_only(slack)


def _close_component(node: int, stack: list[int], on_stack: list[bool], following: list[int]) -> list[int]:
    component: list[int] = []
    while not component or component[-1] != node:
        component.append(stack.pop())
        on_stack[component[-1]] = False
    return component if len(component) > 1 or node in following else []


def _peel(stage_count: int, links: tuple[tuple[int, int], ...]) -> list[int]:
    """Return what can be ordered by taking away, again and again, a stage that waits for nothing."""
    following = successors(stage_count, links)
    waits_for = [0] * stage_count
    for stages in following:
        for later in stages:
            waits_for[later] += 1
    ready = [stage for stage in range(stage_count) if waits_for[stage] == 0]
    order: list[int] = []
    while ready:
        stage = heapq.heappop(ready)
        order.append(stage)
        for later in following[stage]:
            waits_for[later] -= 1
            if waits_for[later] == 0:
                heapq.heappush(ready, later)
    return order
