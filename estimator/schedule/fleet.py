"""Where tasks may run: pools of cards, the slots they make, and the parts of a stage.

A pool is the cards of one model in one node of one lot; a stage that may cross nodes sees all nodes of a lot
as one. A slot is the k cards of one pool that run one task after another. A part is the groups of a stage
that compete for the same things. No times are decided here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from estimator.schedule.problem import NOT_ELIGIBLE, UNLIMITED, WHOLE_TASK, Problem


@dataclass(frozen=True, slots=True)
class Area:
    """Cards of one model that one task may use together, in rising order, and their pools."""

    model: int
    pools: tuple[int, ...]
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """Cards that run one task at a time. No cards: a station off the cards."""

    model: int
    cards: tuple[int, ...]
    ready_ms: int


@dataclass(frozen=True, slots=True)
class Part:
    """The groups of a stage, in list order, that want as many cards of the same models and the same
    resources.
    """

    stage: int
    cards: int
    models: frozenset[int]
    resources: frozenset[int]
    groups: list[int] = field(default_factory=list)


class Fleet:
    """The cards of a problem cut into pools and each stage's groups sorted into parts, once a solve."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.ready: list[int] = problem.card_ready_ms.tolist()
        self.count: list[int] = problem.count.tolist()
        self.duration: list[list[int]] = problem.duration_ms.tolist()
        self.needs = _needs(problem)
        self.pool_of_card: list[int] = []
        self._areas = {crossing: self._cut_areas(crossing) for crossing in (False, True)}
        self._slots: dict[tuple[int, frozenset[int], bool], tuple[Slot, ...]] = {}
        models = sorted(set(problem.card_model.tolist()))
        allowed = problem.duration_ms[:, models] != NOT_ELIGIBLE
        shortest = np.where(allowed, problem.duration_ms[:, models], np.iinfo(np.int64).max)
        shortest = shortest.min(axis=1, initial=np.iinfo(np.int64).max)
        self.shortest: list[int] = np.where(problem.cards > 0, shortest, problem.duration_ms[:, 0]).tolist()
        self.parts = self._sort_parts(models, allowed)

    @property
    def pool_count(self) -> int:
        """Pools of cards of one model in one node of one lot."""
        return len(self._areas[False])

    def areas(self, stage: int, models: frozenset[int]) -> list[Area]:
        """Return the areas of the given models as the stage sees them."""
        return [
            area for area in self._areas[bool(self.problem.may_cross_nodes[stage])] if area.model in models
        ]

    def slots(self, part: Part) -> tuple[Slot, ...]:
        """Return the slots of a part that uses cards, lowest card first; cards ready first go together."""
        key = (part.cards, part.models, bool(self.problem.may_cross_nodes[part.stage]))
        if key not in self._slots:
            self._slots[key] = self.slots_when(part, self.ready)
        return self._slots[key]

    def slots_when(self, part: Part, free_at: list[int]) -> tuple[Slot, ...]:
        """Return the slots cut from the cards in the order in which they become free."""
        made: list[Slot] = []
        for area in self.areas(part.stage, part.models):
            cards = sorted(area.cards, key=lambda card: (free_at[card], card))
            for first in range(0, len(cards) - part.cards + 1, part.cards):
                chosen = tuple(sorted(cards[first : first + part.cards]))
                made.append(Slot(area.model, chosen, max(free_at[card] for card in chosen)))
        return tuple(sorted(made, key=lambda slot: slot.cards))

    def _cut_areas(self, crossing: bool) -> tuple[Area, ...]:
        problem = self.problem
        cards: dict[tuple[int, ...], list[int]] = {}
        for card in range(problem.card_count):
            key = (int(problem.card_lot[card]), int(problem.card_model[card]))
            cards.setdefault(key if crossing else (*key, int(problem.card_node[card])), []).append(card)
        if not crossing:
            pool = {card: number for number, chosen in enumerate(cards.values()) for card in chosen}
            self.pool_of_card = [pool[card] for card in range(problem.card_count)]
        return tuple(
            Area(key[1], tuple(sorted({self.pool_of_card[card] for card in chosen})), tuple(chosen))
            for key, chosen in cards.items()
        )

    def _sort_parts(self, models: list[int], allowed: np.ndarray) -> list[list[Part]]:
        problem = self.problem
        parts: list[dict[tuple[int, bytes, frozenset[int]], Part]] = [{} for _ in range(problem.stage_count)]
        stages, wanted = problem.stage.tolist(), problem.cards.tolist()
        known: dict[bytes, frozenset[int]] = {b"": frozenset()}
        width = len(models)
        patterns = np.ascontiguousarray(allowed, dtype=np.bool_).tobytes()
        nothing: frozenset[int] = frozenset()
        for group, count in enumerate(self.count):
            if count == 0:
                continue
            pattern = patterns[group * width : (group + 1) * width] if wanted[group] else b""
            needs = self.needs[group]
            resources = frozenset(resource for resource, _, _ in needs) if needs else nothing
            key = (wanted[group], pattern, resources)
            part = parts[stages[group]].get(key)
            if part is None:
                if pattern not in known:
                    known[pattern] = frozenset(
                        model for model, yes in zip(models, pattern, strict=True) if yes
                    )
                part = Part(stages[group], wanted[group], known[pattern], resources)
                parts[stages[group]][key] = part
            part.groups.append(group)
        return [list(kept.values()) for kept in parts]


def why_blocked(fleet: Fleet) -> tuple[tuple[int, str], ...]:
    """Return (group, reason code) of each group whose tasks could never start.

    Codes: `no_eligible_card`, `too_few_cards_together`, `need_over_capacity`, `no_tasks_at_once`.
    """
    problem = fleet.problem
    blocked: list[tuple[int, str]] = []
    for stage, parts in enumerate(fleet.parts):
        for part in parts:
            code = _part_blocked(fleet, part)
            if problem.tasks_at_once[stage] == 0:
                code = "no_tasks_at_once"
            if code:
                blocked += [(group, code) for group in part.groups]
                continue
            for group in part.groups if part.resources else ():
                if any(
                    problem.capacity[resource] != UNLIMITED and need > problem.capacity[resource]
                    for resource, need, _ in fleet.needs[group]
                ):
                    blocked.append((group, "need_over_capacity"))
    return tuple(sorted(blocked))


def _part_blocked(fleet: Fleet, part: Part) -> str:
    if part.cards == 0:
        return ""
    if not part.models:
        return "no_eligible_card"
    return "" if fleet.slots(part) else "too_few_cards_together"


def _needs(problem: Problem) -> list[tuple[tuple[int, int, int], ...]]:
    """Return for each group its (resource, need, hold_ms); what is not held for any time is left out."""
    needs: list[tuple[tuple[int, int, int], ...]] = [()] * problem.group_count
    groups, resources = np.nonzero((problem.need > 0) & (problem.hold_ms != 0))
    for group, resource in zip(groups.tolist(), resources.tolist(), strict=True):
        hold = int(problem.hold_ms[group, resource])
        needs[group] += ((resource, int(problem.need[group, resource]), hold),)
    return needs


def held_ms(hold_ms: int, duration_ms: int) -> int:
    """Return for how long a task of this duration holds a resource: never longer than it runs."""
    return duration_ms if hold_ms == WHOLE_TASK else min(hold_ms, duration_ms)
