"""Whether tasks fit on slots within a given time, decided by completing one slot after another.

Each slot takes the longest task left and a completion that is as full as can be; what all slots may waste
together is known, which keeps the completions few. Ends undecided where it would take too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import le

MOST_COMPARED = 40
"""How many of the fullest completions another is compared with."""


def packed(durations: Sequence[int], slots: int, most: int, steps: int) -> tuple[bool, list[int] | None]:
    """Return (decided, slot of each task or None where none fits) for slots of length `most`.

    Undecided after `steps` completions: (False, None).
    """
    order = sorted(range(len(durations)), key=lambda task: (-durations[task], task))
    search = _Completions([durations[task] for task in order], slots, most, steps)
    if durations and max(durations) > most:
        return True, None
    filled = search.run()
    if filled is None:
        return search.left > 0, None
    slot_of = [0] * len(durations)
    for slot, places in enumerate(filled):
        for place in places:
            slot_of[order[place]] = slot
    return True, slot_of


class _Completions:
    """Depth first over the slots. A state is the tasks left, as a tuple of places in falling duration."""

    def __init__(self, durations: Sequence[int], slots: int, most: int, steps: int) -> None:
        self._durations = durations
        self._slots = slots
        self._most = most
        self._failed: set[tuple[int, tuple[int, ...]]] = set()
        self.left = steps

    def run(self) -> list[tuple[int, ...]] | None:
        """Return the places on each slot, or None."""
        waste = self._slots * self._most - sum(self._durations)
        return self._fill(tuple(range(len(self._durations))), self._slots, waste) if waste >= 0 else None

    def _fill(self, tasks: tuple[int, ...], slots: int, waste: int) -> list[tuple[int, ...]] | None:
        if not tasks:
            return []
        if slots == 0 or waste < 0:
            return None
        key = (slots, tuple(self._durations[task] for task in tasks))
        if key in self._failed:
            return None
        seen: set[tuple[int, ...]] = set()
        room = self._most - self._durations[tasks[0]]
        for chosen, spare in self._completions(tasks[1:], room, waste):
            self.left -= 1
            if self.left <= 0:
                return None
            shape = tuple(self._durations[task] for task in chosen)
            if shape in seen:
                continue
            seen.add(shape)
            taken = {tasks[0], *chosen}
            rest = tuple(task for task in tasks if task not in taken)
            filled = self._fill(rest, slots - 1, waste - spare)
            if filled is not None:
                return [(tasks[0], *chosen), *filled]
            if self.left <= 0:
                return None
        self._failed.add(key)
        return None

    def _completions(
        self, tasks: tuple[int, ...], room: int, waste: int
    ) -> list[tuple[tuple[int, ...], int]]:
        """Return the sets that leave at most `waste` of the room, fullest first, none that another dominates.

        A set to which a task left out still fits is dominated: adding it can only help.
        """
        durations = self._durations
        found: list[tuple[tuple[int, ...], int]] = []
        rest = [0] * (len(tasks) + 1)
        for place in range(len(tasks) - 1, -1, -1):
            rest[place] = rest[place + 1] + durations[tasks[place]]
        stack: list[tuple[int, int, tuple[int, ...], int]] = [(0, room, (), 2**62)]
        while stack:
            self.left -= 1
            if self.left <= 0:
                return []
            place, free, chosen, shortest_out = stack.pop()
            while place < len(tasks) and durations[tasks[place]] > free:
                place += 1
            if free - rest[place] > waste:
                continue
            if place == len(tasks):
                if shortest_out > free and free <= waste:
                    found.append((chosen, free))
                continue
            each = durations[tasks[place]]
            after = place + 1
            while after < len(tasks) and durations[tasks[after]] == each:
                after += 1  # to leave one out is to leave out all of its length
            stack.append((after, free, chosen, min(shortest_out, each)))
            stack.append((place + 1, free - each, (*chosen, tasks[place]), shortest_out))
        found.sort(key=lambda one: (one[1], len(one[0])))
        return self._undominated(found)

    def _undominated(self, found: list[tuple[tuple[int, ...], int]]) -> list[tuple[tuple[int, ...], int]]:
        """Leave out the sets that could be exchanged for a fuller one without loss.

        Martello and Toth (1990): what fits where the other set's tasks stood, one by one or all in the place of
        its longest, may as well stand there.
        """
        kept: list[tuple[tuple[int, ...], int]] = []
        shapes: list[tuple[int, ...]] = []
        for chosen, free in found:
            shape = tuple(self._durations[task] for task in chosen)
            total = sum(shape)
            self.left -= 1
            if not any(
                (full and total <= full[0]) or (len(shape) <= len(full) and all(map(le, shape, full)))
                for full in shapes[:MOST_COMPARED]
            ):
                kept.append((chosen, free))
                shapes.append(shape)
        return kept
