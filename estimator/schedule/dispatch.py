"""Serving waiting tasks by rank whenever something ends: one plan for a rank of all tasks, and nothing decided.

What is free of every capacity is one integer with a guard bit above each field, so that whether a task fits is
one subtraction. A kind may be capped, and may be strict: while its next task lacks something, tasks of lower
rank that want the same wait too.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from estimator.schedule.counted import Counted


class Dispatch:
    """One counted problem made ready for many passes."""

    def __init__(self, view: Counted) -> None:
        self.view = view
        self.passes = 0
        self._kind = view.kind
        self._first = [view.kind.index(kind) for kind in range(len(view.stage_of_kind))]
        self._lay_out_fields()
        self._needs = [self._packed([(n, a) for n, a, _ in view.needs[task]]) for task in self._first]
        self._parts = [self._hold_parts(task) for task in self._first]
        self._mask = [sum(1 << number for number, _, _ in view.needs[task]) for task in self._first]
        self._kinds_of: list[list[int]] = [[] for _ in view.release]
        for kind, stage in enumerate(view.stage_of_kind):
            self._kinds_of[stage].append(kind)

    def run(
        self,
        order: Sequence[int],
        caps: Sequence[int] | None = None,
        strict: Sequence[bool] | None = None,
    ) -> tuple[int, list[int]]:
        """Return the delivery and the start of each task. `order` lists all tasks, the most urgent first."""
        self.passes += 1
        view, needs, parts, guard, kind_of = self.view, self._needs, self._parts, self._guard, self._kind
        duration, masks = view.duration, self._mask
        queues: list[list[int]] = [[] for _ in needs]
        rank = [0] * len(order)
        for place in range(len(order) - 1, -1, -1):
            task = order[place]
            rank[task] = place
            queues[kind_of[task]].append(task)
        running = [0] * len(needs)
        starts = [0] * len(order)
        free = self._full
        left = list(view.tasks_in)
        waits_for = [len(one) for one in view.before]
        due: list[tuple[int, int, int]] = [(ready, -1, self._one_card) for ready in view.cards_ready]
        opening = [(view.release[stage], stage) for stage, count in enumerate(waits_for) if count == 0]
        heapq.heapify(opening)
        waiting: list[int] = []
        end = 0
        while due or opening:
            now = min(due[0][0] if due else opening[0][0], opening[0][0] if opening else due[0][0])
            ended: list[int] = []
            while due and due[0][0] == now:
                _, kind, amount = heapq.heappop(due)
                if kind >= 0:
                    running[kind] -= 1
                    stage = view.stage_of_kind[kind]
                    left[stage] -= 1
                    free += parts[kind][0]
                    if left[stage] == 0:
                        ended.append(stage)
                else:
                    free += amount
            while True:
                while opening and opening[0][0] <= now:
                    stage = heapq.heappop(opening)[1]
                    waiting += self._kinds_of[stage]
                    if left[stage] == 0:
                        ended.append(stage)
                if not ended:
                    break
                stage = ended.pop()
                end = max(end, now)
                for later in view.after[stage]:
                    waits_for[later] -= 1
                    if waits_for[later] == 0:
                        heapq.heappush(opening, (max(now, view.release[later]), later))
            heads = [
                (rank[queues[kind][-1]], kind)
                for kind in waiting
                if (free - needs[kind]) & guard == guard or (strict is not None and strict[kind])
            ]
            if not heads:
                continue
            heapq.heapify(heads)
            barred = 0
            while heads:
                kind = heads[0][1]
                need, queue = needs[kind], queues[kind]
                if (
                    (free - need) & guard != guard
                    or masks[kind] & barred
                    or (caps is not None and running[kind] >= caps[kind])
                ):
                    if strict is not None and strict[kind] and (free - need) & guard != guard:
                        barred |= masks[kind]
                    heapq.heappop(heads)
                    continue
                task = queue.pop()
                starts[task] = now
                running[kind] += 1
                free -= need
                heapq.heappush(due, (now + duration[task], kind, 0))
                for held, amount in parts[kind][1]:
                    heapq.heappush(due, (now + held, -1, amount))
                if queue:
                    heapq.heapreplace(heads, (rank[queue[-1]], kind))
                else:
                    heapq.heappop(heads)
                    waiting.remove(kind)
        return end, starts

    def _lay_out_fields(self) -> None:
        """Give each capacity its field: as many bits as it needs and a guard above."""
        view = self.view
        self._shift: list[int] = []
        self._guard = 0
        self._full = 0
        at = 0
        for number, capacity in enumerate(view.capacity):
            self._shift.append(at)
            if number:
                self._full += capacity << at
            at += capacity.bit_length()
            self._guard |= 1 << at
            at += 1
        self._full |= self._guard
        self._one_card = 1

    def _packed(self, needs: Sequence[tuple[int, int]]) -> int:
        return sum(amount << self._shift[number] for number, amount in needs)

    def _hold_parts(self, task: int) -> tuple[int, list[tuple[int, int]]]:
        """Return what a task of the kind frees at its end, and (time, what) of what it frees before."""
        view = self.view
        whole, before = [], []
        for number, amount, held in view.needs[task]:
            if held == view.duration[task]:
                whole.append((number, amount))
            else:
                before.append((held, self._packed([(number, amount)])))
        return self._packed(whole), before
