"""A plan held fixed and re-timed in many replications: the longest path of the plan's own order.

Every task stays on the cards the plan gave it, in the plan's order on each card; a stage starts once the whole of
those before it has ended; a shared resource is handed on in the order in which the plan's tasks start. Nothing is
re-planned in a replication, but for a listed stage (`Listed`), whose tasks take the cards that are free first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from estimator.risk.distributions import Values, normal_table
from estimator.risk.interruptions import Interruptions, Losses
from estimator.risk.listing import fifo_loads
from estimator.risk.sampling import Floats, Noise

_Span = tuple[Values, Values]
"""First start and last end."""
_BLOCK_BYTES = 6 * 2**20
_SUMMED_SINGLY = 32
"""Draws of equal tasks in a row that are added one by one; of more the sum is drawn, normal by then."""


@dataclass(frozen=True, slots=True)
class Hold:
    """`channels` of a shared resource, held for `hold_ms` of the planned time from the start; -1: to the end."""

    resource: int
    channels: int
    hold_ms: int = -1


@dataclass(frozen=True, slots=True)
class Step:
    """`count` equal tasks one after the other on the same cards; `together`: all at once, off the cards.

    `duration_ms` is the planned time of one. A step that holds something has one task.
    """

    stage: int
    cards: tuple[int, ...]
    duration_ms: int
    count: int = 1
    holds: tuple[Hold, ...] = ()
    together: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A stage whose tasks, of `duration_ms` each in list order, take whichever slot of cards is free first.

    No other stage uses its cards meanwhile, so which slot gets which load does not matter.
    """

    stage: int
    slots: tuple[tuple[int, ...], ...]
    duration_ms: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StageRisk:
    """What is uncertain about a stage's tasks.

    `factor`: [replications], one for all its tasks. `noise`: table of each task's own factor.
    """

    factor: Values | None = None
    noise: Values | None = None
    interruptions: Interruptions | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """A plan's steps in the order in which they start. `after[s]`: stages that end before stage s starts.

    `ready_ms`: for each card one moment or [replications] of them. `channels`: of each shared resource.
    """

    steps: tuple[Step | Listed, ...]
    after: tuple[tuple[int, ...], ...]
    ready_ms: tuple[float | Values, ...]
    channels: tuple[int, ...] = ()
    risks: tuple[StageRisk, ...] = ()


@dataclass(frozen=True, slots=True)
class Replay:
    """Some replications. `spans`: for each card, stage and (first start, last end) on it, all [replications]."""

    first: int
    delivery_ms: Values
    busy_ms: Values
    spans: tuple[tuple[tuple[int, Values, Values], ...], ...]


def replayed(order: Order, replications: int, name: str = "") -> Iterator[Replay]:
    """Yield the replications in blocks of bounded memory, always the same for the same order and name."""
    stages = len({step.stage for step in order.steps if isinstance(step, Listed) or step.cards})
    columns = len(order.ready_ms) * (1 + 2 * stages) + 2 * sum(order.channels) + len(order.after) + 8
    block = max(1, min(replications, _BLOCK_BYTES // (8 * columns)))
    for first in range(0, replications, block):
        size = min(block, replications - first)
        yield _Block(order, first, size, f"{name}/{first}").run()


def replayed_size(order: Order) -> int:
    """Return about how many numpy rows a block takes: what decides its time."""
    size = 0
    for step in order.steps:
        if isinstance(step, Listed):
            size += len(step.duration_ms)
        else:
            wide = sum(order.channels[hold.resource] for hold in step.holds)
            size += 1 + (step.count if step.together else min(step.count, _SUMMED_SINGLY)) + wide // 8
    return size


@dataclass(frozen=True, slots=True)
class _Chance:
    """What a block draws for one stage."""

    risk: StageRisk
    factor: Values | None
    noise: Noise
    losses: Losses | None


@dataclass
class _Block:
    order: Order
    first: int
    size: int
    name: str
    _tables: dict[tuple[int, int], Values] = field(default_factory=dict)

    def run(self) -> Replay:
        order = self.order
        part = slice(self.first, self.first + self.size)
        free = [
            np.array(ready[part]) if isinstance(ready, np.ndarray) else np.full(self.size, float(ready))
            for ready in order.ready_ms
        ]
        channels = [np.zeros((count, self.size)) for count in order.channels]
        ends: list[Values | None] = [None] * len(order.after)
        risks = order.risks or (StageRisk(),) * len(order.after)
        noises = [Noise(f"{self.name}/{stage}", self.size) for stage in range(len(order.after))]
        losses = [
            None if risk.interruptions is None else Losses(f"{self.name}/{stage}", risk.interruptions)
            for stage, risk in enumerate(risks)
        ]
        factors = [None if risk.factor is None else risk.factor[part] for risk in risks]
        spans: list[dict[int, _Span]] = [{} for _ in free]
        for step in order.steps:
            stage = step.stage
            chance = _Chance(risks[stage], factors[stage], noises[stage], losses[stage])
            reached = self._reached(stage, ends)
            if isinstance(step, Listed):
                end = self._listed(step, chance, reached, free, spans)
            else:
                end = self._step(step, chance, reached, free, channels, spans)
            known = ends[stage]
            ends[stage] = end if known is None else np.maximum(known, end)
        last = [self._end(stage, ends) for stage in range(len(ends))]
        nothing = np.zeros(self.size)
        delivery = np.maximum.reduce(last) if last else nothing
        used = [span[1] for card in spans for span in card.values()]
        return Replay(
            first=self.first,
            delivery_ms=delivery,
            busy_ms=np.maximum.reduce(used) if used else nothing,
            spans=tuple(tuple((stage, start, end) for stage, (start, end) in card.items()) for card in spans),
        )

    def _step(
        self,
        step: Step,
        chance: _Chance,
        start: Values,
        free: list[Values],
        channels: list[Values],
        spans: list[dict[int, _Span]],
    ) -> Values:
        """Place a step after its stage's start, its cards and what it holds; return its end."""
        for card in step.cards:
            start = np.maximum(start, free[card])
        for hold in step.holds:
            start = np.maximum(start, channels[hold.resource][hold.channels - 1])
        length = self._length(step, chance)
        end = start + length
        for hold in step.holds:
            kept = length
            if hold.hold_ms >= 0:
                kept = np.minimum(
                    hold.hold_ms if chance.factor is None else hold.hold_ms * chance.factor, length
                )
            channels[hold.resource] = _handed_on(channels[hold.resource], hold.channels, start + kept)
        for card in step.cards:
            free[card] = end
            spans[card][step.stage] = (spans[card].get(step.stage, (start, end))[0], end)
        return end

    def _listed(
        self,
        step: Listed,
        chance: _Chance,
        reached: Values,
        free: list[Values],
        spans: list[dict[int, _Span]],
    ) -> Values:
        """Hand out a stage's tasks; return the end of the last one. Times are kept from the stage's start."""
        ready = np.stack(
            [np.maximum.reduce([reached, *(free[card] for card in slot)]) - reached for slot in step.slots]
        )
        ready.sort(axis=0)
        width = len(step.slots[0])

        def tasks() -> Iterator[tuple[int, Floats]]:
            for duration in step.duration_ms:
                one = Step(step.stage, (0,) * width, duration)
                yield 1, self._length(one, chance).astype(np.float32)

        loads = fifo_loads(tasks(), ready, self.size)
        idle = max(0, len(step.slots) - len(step.duration_ms))
        for number, slot in enumerate(step.slots):
            end = reached + loads[number]
            for card in slot:
                free[card] = end
                if number >= idle:
                    spans[card][step.stage] = (reached + ready[number], end)
        last: Values = reached + loads[-1]
        return last

    def _reached(self, stage: int, ends: list[Values | None]) -> Values:
        before = [self._end(one, ends) for one in self.order.after[stage]]
        return np.maximum.reduce(before) if before else np.zeros(self.size)

    def _end(self, stage: int, ends: list[Values | None]) -> Values:
        """Return a stage's end; one without tasks ends when it is reached."""
        found = ends[stage]
        if found is None:
            found = ends[stage] = self._reached(stage, ends)
        return found

    def _length(self, step: Step, chance: _Chance) -> Values:
        """Return the time from the step's start to its end in each replication."""
        one = np.full(self.size, float(step.duration_ms))
        if chance.factor is not None:
            one *= chance.factor
        if step.together:
            if chance.risk.noise is None and chance.losses is None:
                return one
            last: Values = np.maximum.reduce([self._run(step, 1, one, chance) for _ in range(step.count)])
            return last
        return self._run(step, step.count, one, chance)

    def _run(self, step: Step, count: int, one: Values, chance: _Chance) -> Values:
        """Return the time of `count` tasks in a row; what interrupts them acts on their mean task."""
        noise = chance.risk.noise
        if noise is None:
            total = one * count
        elif count <= _SUMMED_SINGLY:
            table = self._sum_table(step.stage, 1, noise)
            total = one * sum((chance.noise.row(table) for _ in range(count)), np.zeros(self.size))
        else:
            total = one * chance.noise.row(self._sum_table(step.stage, count, noise))
        if chance.losses is None:
            return total
        return total + chance.losses.added_ms(total / count, max(1, len(step.cards)), count)

    def _sum_table(self, stage: int, count: int, noise: Values) -> Values:
        """Return the table of the sum of `count` draws from a stage's noise."""
        key = (stage, count)
        if key not in self._tables:
            table = noise
            if count > 1:
                table = normal_table(count * float(noise.mean()), float(noise.std()) * count**0.5)
            self._tables[key] = table
        return self._tables[key]


def _handed_on(channels: Values, count: int, end: Values) -> Values:
    """Return the sorted channels once `count` of those free first are free again at `end`."""
    rest = channels[count:]
    found = np.concatenate([np.minimum(rest, end), np.broadcast_to(end, (count, len(end)))])
    np.maximum(found[count:], channels[count:], out=found[count:])
    return found
