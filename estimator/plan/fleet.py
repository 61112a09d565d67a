"""The places where tasks run, one by one, with the lot, node and set-up of each.

A place is a card, or one slice of a card where cards are sliced. A fleet holds just the places that the tasks at
once can take: what a lot has beyond them is spare and is said elsewhere. Cards are taken node by node, so that no
task straddles a node or a lot, and filled with their slices one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from estimator.hours import WorkingHours


@dataclass(frozen=True, slots=True)
class Fleet:
    """Places in columns, one entry a place: model, unit (lot copy), node, when its set-up is done (ms).

    Place p is on card p // `slices_per_card`. `until_ms`: when it leaves, -1 if it stays. `hours`: when it may
    compute, None for always. Either may be empty.
    """

    card_ids: tuple[str, ...]
    unit: tuple[int, ...]
    node: tuple[int, ...]
    ready_ms: tuple[int, ...]
    offer_ids: tuple[str, ...]
    slices_per_card: int = 1
    until_ms: tuple[int, ...] = ()
    hours: tuple[WorkingHours | None, ...] = ()

    @property
    def places(self) -> int:
        """How many places for a task's card or slice there are: the rows of the schedule."""
        return len(self.card_ids)

    @property
    def cards(self) -> int:
        """How many cards there are."""
        return -(-self.places // self.slices_per_card)


@dataclass(frozen=True, slots=True)
class FleetPart:
    """Copies of one offer: `cards` in nodes of `cards_per_node`, all of one model."""

    offer_id: str
    card_id: str
    copies: int
    cards: int
    cards_per_node: int
    setup_ms: int
    until_ms: int = -1
    hours: WorkingHours | None = None


def fleet_of(
    parts: Sequence[FleetPart],
    slots: int,
    cards_per_task: int,
    may_cross_nodes: bool,
    slices_per_card: int = 1,
) -> Fleet:
    """Return the places of `slots` tasks of `cards_per_task` cards or slices, taken in order from the parts.

    Fewer places come back where the parts do not hold that many slots; the caller asked for enough.
    """
    columns: list[tuple[str, int, int, int, str, int, WorkingHours | None]] = []
    unit = node = 0
    left = slots
    for part in parts:
        for _ in range(part.copies):
            for size in _nodes(part, may_cross_nodes):
                here = min(size * slices_per_card // cards_per_task, left)
                left -= here
                row = (part.card_id, unit, node, part.setup_ms, part.offer_id, part.until_ms, part.hours)
                columns += [row] * (here * cards_per_task)
                node += 1
            unit += 1
    if not columns:
        return Fleet((), (), (), (), ())
    card_ids, units, nodes, ready, offers, until, hours = zip(*columns, strict=True)
    return Fleet(card_ids, units, nodes, ready, offers, slices_per_card, until, hours)


def _nodes(part: FleetPart, may_cross_nodes: bool) -> list[int]:
    if may_cross_nodes:
        return [part.cards]
    whole, rest = divmod(part.cards, part.cards_per_node)
    return [part.cards_per_node] * whole + ([rest] if rest else [])
