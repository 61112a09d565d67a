"""Arithmetic in place of loops: equal tasks, or a plain list of tasks, on slots with nothing else in the way.

A slot is whatever runs one task at a time: a card, several cards of one lot, a station. No stages, resources
or events here. Everything is exact in whole milliseconds.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from estimator.schedule.problem import FOREVER, Column


def least_time_for_work(ready_ms: Sequence[int], work_ms: int) -> int:
    """Return the least T at which slots ready at `ready_ms` (rising) can have run divisible work.

    The first i slots alone would need (work + their ready times) / i; the least of these over i is the
    answer.
    """
    if work_ms <= 0:
        return 0
    best, total = FOREVER, work_ms
    for used, ready in enumerate(ready_ms, start=1):
        total += ready
        best = min(best, -(-total // used))
    return best


def least_time_on_leaving(ready_ms: Sequence[int], until_ms: Sequence[int], work_ms: int) -> int:
    """Return the least T at which slots that leave at `until_ms` can have run divisible work; 0 if never."""
    ready = [min(begin, last) for begin, last in zip(ready_ms, until_ms, strict=True)]
    high = max(ready, default=0) + work_ms
    low = 0

    def done(moment: int) -> int:
        return sum(max(0, min(moment, last) - begin) for begin, last in zip(ready, until_ms, strict=True))

    if work_ms <= 0 or done(high) < work_ms:
        return 0
    while low < high:
        middle = (low + high) // 2
        if done(middle) >= work_ms:
            high = middle
        else:
            low = middle + 1
    return low


def least_time_for_equal(ready_ms: Sequence[int], duration_ms: Sequence[int], count: int) -> int:
    """Return the least T by which the slots can have finished the tasks, each slot at its own pace."""
    if count <= 0:
        return 0
    if len(set(duration_ms)) == 1 and len(set(ready_ms)) == 1:
        return ready_ms[0] + -(-count // len(ready_ms)) * duration_ms[0]
    low, high = 0, min(ready + count * each for ready, each in zip(ready_ms, duration_ms, strict=True))
    ready, each = np.array(ready_ms, dtype=np.int64), np.array(duration_ms, dtype=np.int64)
    while low < high:
        middle = (low + high) // 2
        if _finished_by(middle, ready, each, count) >= count:
            high = middle
        else:
            low = middle + 1
    return low


def share_equal(
    ready_ms: Sequence[int], duration_ms: Sequence[int], count: int, before_ms: int = FOREVER
) -> list[int]:
    """Return how many of the equal tasks each slot starts before `before_ms` when a free slot takes the next.

    Same result as handing out the tasks one by one: the last ones, which start together, go to the slots that
    finish soonest, then to the lowest.
    """
    ready, each = np.array(ready_ms, dtype=np.int64), np.array(duration_ms, dtype=np.int64)
    if _started_before(before_ms, ready, each, count).sum() <= count:
        return [int(value) for value in _started_before(before_ms, ready, each, count)]
    low, high = int(ready.min()), int(min(before_ms, int((ready + count * each).min())))
    while low < high:  # the least T so that `count` tasks or more have started at or before T
        middle = (low + high) // 2
        if _started_before(middle + 1, ready, each, count).sum() >= count:
            high = middle
        else:
            low = middle + 1
    shares = _started_before(low, ready, each, count)
    left = count - int(shares.sum())
    at_last = _started_before(low + 1, ready, each, count) - shares
    for slot in np.lexsort((np.arange(len(each)), each)):
        if left == 0:
            break
        taken = min(left, int(at_last[slot]))
        shares[slot] += taken
        left -= taken
    return [int(value) for value in shares]


def hand_out(
    ready_ms: list[int], model: Sequence[int], durations: Iterable[Sequence[int]], before_ms: int = FOREVER
) -> Iterator[tuple[int, int]]:
    """Yield (slot, start) for tasks in list order, each to the first free slot, until one would start too
    late.

    `durations` has a row for each task, its time on each model; `model[slot]` picks from it. `ready_ms` is
    brought up to date as the tasks are handed out. Of slots free at the same moment the one that ends the
    task soonest takes it, then the lowest.
    """
    queue = [(ready, slot) for slot, ready in enumerate(ready_ms)]
    heapq.heapify(queue)
    alike = len(set(model)) == 1
    for row in durations:
        start, slot = queue[0]
        if start >= before_ms:
            return
        if not alike:
            slot = _soonest_end(queue, model, row)
        end = start + row[model[slot]]
        heapq.heapreplace(queue, (end, slot))
        ready_ms[slot] = end
        yield slot, start


def blocks(counts: Sequence[int], slot_count: int) -> list[list[tuple[int, int]]]:
    """Return for each slot its contiguous block of the task list as (row of `counts`, tasks).

    The blocks are as equal in number as can be, the larger ones first: 8 tasks on 3 slots are 3, 3 and 2.
    """
    total = sum(counts)
    result: list[list[tuple[int, int]]] = []
    row, used = 0, 0
    for slot in range(slot_count):
        room = total // slot_count + (1 if slot < total % slot_count else 0)
        block: list[tuple[int, int]] = []
        while room:
            taken = min(room, counts[row] - used)
            if taken:
                block.append((row, taken))
            room, used = room - taken, used + taken
            if used == counts[row]:
                row, used = row + 1, 0
        result.append(block)
    return result


def _soonest_end(queue: list[tuple[int, int]], model: Sequence[int], row: Sequence[int]) -> int:
    """Bring the slot that is free first and ends the task soonest to the top of the heap and return it."""
    start = queue[0][0]
    free: list[tuple[int, int]] = []
    while queue and queue[0][0] == start:
        free.append(heapq.heappop(queue))
    best = min((row[model[slot]], slot) for _, slot in free)[1]
    for entry in free:
        if entry[1] != best:
            heapq.heappush(queue, entry)
    heapq.heappush(queue, (-1, best))
    return best


def _finished_by(moment: int, ready: Column, each: Column, count: int) -> int:
    open_ms = moment - ready
    done = np.where(each > 0, open_ms // np.maximum(each, 1), count)
    return int(np.where(open_ms >= 0, np.minimum(done, count), 0).sum())


def _started_before(moment: int, ready: Column, each: Column, count: int) -> Column:
    open_ms = moment - ready
    started = np.where(each > 0, -(-open_ms // np.maximum(each, 1)), count)
    return np.where(open_ms > 0, np.minimum(started, count), 0).astype(np.int64)
