"""Orders of tasks bred from good ones: a genetic search whose every plan is justified before it is judged.

For plans in which tasks wait for each other and share several things (the resource-constrained project problem).
Two-point crossover of lists (Hartmann 1998) with justification (Valls, Ballestín and Quintanilla 2005). The same
for the same input and budget: a fixed seed, a count of steps in place of a clock.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from estimator.schedule.placing import Placing
from estimator.schedule.problem import Cancelled, SolveStopped

POPULATION = 30
MUTATION = 0.03
"""Share of a child's tasks that change places with their neighbour."""


class Breeding:
    """A population of justified plans. `best` is the starts of the shortest one."""

    def __init__(self, placing: Placing, bound: int, cancelled: Cancelled) -> None:
        self._placing = placing
        self._bound = bound
        self._cancelled = cancelled
        self._chance = random.Random(1)
        self._people: list[tuple[int, int, tuple[int, ...]]] = []  # (length, age, tasks in order of start)
        self._known: set[tuple[int, ...]] = set()
        self._born = 0
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
            people.remove(worst)
            self._known.discard(worst[2])
        people.append((length, -self._born, order))
        self._known.add(order)

    def found(self, orders: Iterable[Sequence[int]]) -> None:
        """Begin with plans placed in the given orders, until the bound is met."""
        for order in orders:
            if self.length <= self._bound:
                return
            self.add(self._placing.early(self._placing.in_order(order)))

    def breed(self, most_tries: int) -> None:
        """Cross and mutate until the bound is met or so many placements were tried."""
        placing = self._placing
        while placing.tries < most_tries and self.length > self._bound and len(self._people) > 1:
            mother, father = self._pick(), self._pick()
            child = self._crossed(mother, father)
            self._mutate(child)
            self.add(placing.early(placing.in_order(child)))

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


def sampled_orders(urgency: Sequence[float], number: int, seed: int = 2) -> list[list[int]]:
    """Return orders by falling urgency: one as it is, the others with each urgency shaken a little more."""
    chance = random.Random(seed)
    spread = (max(urgency) - min(urgency)) or 1.0
    orders = []
    for turn in range(number):
        noise = 0.4 * spread * turn / number
        shaken = [one + chance.uniform(-noise, noise) for one in urgency]
        orders.append(sorted(range(len(urgency)), key=lambda task: (-shaken[task], task)))
    return orders
