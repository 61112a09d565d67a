"""Orders of tasks bred from good ones: a genetic search whose every plan is justified before it is judged.

For plans in which tasks wait for each other and share several things (the resource-constrained project problem).
Two-point crossover of lists (Hartmann 1998) with justification (Valls, Ballestín and Quintanilla 2005). The same
for the same input and budget: a fixed seed, a count of steps in place of a clock.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from estimator.schedule.counted import Counted
from estimator.schedule.dispatch import Dispatch
from estimator.schedule.placing import Placing
from estimator.schedule.problem import Cancelled, SolveStopped

POPULATION = 40
MUTATION = 0.1
"""Share of a child's tasks that change places with their neighbour."""

BARREN = 120
"""After so many children in a row of which none was shorter than the longest of all, the population begins anew."""
SERVED = 0.5
"""Share of children that are served by rank, not placed in order."""
STRANGERS = 0.15
"""Share of newcomers without parents where most tasks have many equals: whole kinds in a new order."""


class Breeding:
    """A population of justified plans. `best` is the starts of the shortest one."""

    def __init__(self, placing: Placing, dispatch: Dispatch, bound: int, cancelled: Cancelled) -> None:
        self._placing = placing
        self._dispatch = dispatch
        self._bound = bound
        self._cancelled = cancelled
        self._chance = random.Random(1)
        self._people: list[tuple[int, int, tuple[int, ...]]] = []  # (length, age, tasks in order of start)
        self._known: set[tuple[int, ...]] = set()
        self._born = 0
        self._last_new = 0
        self.best: list[int] = []
        self.length = 2**62

    def add(self, starts: Sequence[int]) -> None:
        """Justify a plan and take it in if it is new and good enough."""
        if self._cancelled():
            raise SolveStopped
        placing = self._placing
        better = placing.justified(starts)
        length = placing.view.delivery(better)
        if length < self.length:
            self.length, self.best = length, better
        order = tuple(sorted(range(len(better)), key=better.__getitem__))
        self._born += 1
        if order in self._known:
            return
        people = self._people
        if len(people) >= POPULATION:
            worst = max(people)
            if length > worst[0]:
                return
            if length < worst[0]:
                self._last_new = self._born
            people.remove(worst)
            self._known.discard(worst[2])
        people.append((length, -self._born, order))
        self._known.add(order)

    @property
    def steps(self) -> float:
        """What placing and dispatching have cost so far, in steps of about a microsecond."""
        return self._placing.tries * self._placing.steps_a_try + self._dispatch.steps

    def breed(self, most_steps: float) -> None:
        """Cross and mutate until the bound is met or so many steps are spent."""
        placing = self._placing
        few_kinds = 2 * len(placing.view.stage_of_kind) <= placing.view.task_count
        while self.steps < most_steps and self.length > self._bound and len(self._people) > 1:
            if few_kinds and self._chance.random() < STRANGERS:
                child = _drawn(placing.view, self._chance)
            else:
                child = self._crossed(self._pick(), self._pick())
                self._mutate(child)
            if self._born - self._last_new > BARREN:
                self._begin_anew()
            if self._chance.random() < SERVED:
                self.add(self._dispatch.run(child)[1])
            else:
                self.add(placing.early(placing.in_order(child)))

    def _begin_anew(self) -> None:
        """Keep the two best and let strangers in: the others have become too alike to find anything new."""
        people, chance = self._people, self._chance
        self._people = sorted(people)[:2]
        self._known = {order for _, _, order in self._people}
        for _, _, order in sorted(people)[2:]:
            stranger = list(order)
            for _ in range(len(stranger)):
                task = stranger.pop(chance.randrange(len(stranger)))
                stranger.insert(chance.randrange(len(stranger) + 1), task)
            self.add(self._placing.early(self._placing.in_order(stranger)))
        self._last_new = self._born

    def _pick(self) -> tuple[int, ...]:
        return min(self._chance.sample(self._people, 2))[2]

    def _crossed(self, mother: Sequence[int], father: Sequence[int]) -> list[int]:
        """Return the mother's order with its middle part ordered as the father has it."""
        size = len(mother)
        first, last = sorted(self._chance.sample(range(size + 1), 2))
        child = list(mother[:first])
        inside = set(child)
        for task in father:
            if len(child) == last:
                break
            if task not in inside:
                child.append(task)
                inside.add(task)
        return child + [task for task in mother if task not in inside]

    def _mutate(self, child: list[int]) -> None:
        chance = self._chance
        for _ in range(max(1, round(MUTATION * len(child)))):
            if chance.random() < 0.5 and len(child) > 1:
                place = chance.randrange(len(child) - 1)
                child[place], child[place + 1] = child[place + 1], child[place]


def sampled_orders(view: Counted, urgency: Sequence[int], number: int, seed: int = 2) -> list[list[int]]:
    """Return orders by falling urgency, shaken more and more; between them orders of kinds drawn at random."""
    chance = random.Random(seed)
    spread = (max(urgency) - min(urgency)) or 1
    kinds = len(view.stage_of_kind)
    orders = []
    for turn in range(number):
        if turn % 2 and 2 * kinds <= len(urgency):
            orders.append(_drawn(view, chance))
            continue
        noise = 0.4 * spread * turn / number
        shaken = [chance.uniform(-noise, noise) - one for one in urgency]
        orders.append(sorted(range(len(urgency)), key=shaken.__getitem__))
    return orders


def _drawn(view: Counted, chance: random.Random) -> list[int]:
    """Return the tasks kind by kind, the kinds in random order and somewhat mixed, the long ones first."""
    place = [chance.random() for _ in view.stage_of_kind]
    mixing = 0.5 * chance.random()
    longest = max(view.duration) or 1
    key = [
        place[kind] + mixing * (chance.random() - length / longest)
        for kind, length in zip(view.kind, view.duration, strict=True)
    ]
    return sorted(range(len(key)), key=key.__getitem__)
