"""The rows of cards in the chart, under headings of their lot and node that can be folded, and what each says.

Small plans have no headings: there a row a card is read at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

import numpy as np

from estimator.plan.organising import shape_of
from estimator.plan.renting import held_fleet, setup_of
from estimator.quote import Quote
from estimator.results.estimate import OrganisationResult, Plan, Timing
from estimator.wording import Wording
from ui.gantt.model import GanttRow, RowKind
from ui.pages.schedule_tasks import Int64

HEADED_FROM = 9
"""Fewer cards than this have no headings."""
ORGANISATION_DEPTH = -1
"""Headings of a whole plan stand over everything; rows of their own depth begin at 0."""


@dataclass(frozen=True, slots=True)
class Units:
    """The lots that a plan holds, and which lot, node and set-up each card has.

    `by_the_hour`: the cards are paid from their first task, not from time zero. `offer` is the place of each
    lot's offer in `offer_names`.
    """

    of_card: tuple[int, ...]
    names: list[str]
    by_the_hour: bool = False
    offer: tuple[int, ...] = (0,)
    offer_names: tuple[str, ...] = ()
    node: tuple[int, ...] = ()
    setup_ms: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class CardTimes:
    """What each card, or slice of one, does while it is there, in ms: [rows]."""

    busy_ms: Int64
    held_ms: Int64
    setup_ms: Int64
    slices_per_card: int = 1

    def share(self, cards: slice) -> Decimal:
        """The busy share of their time in per cent."""
        return Decimal(int(self.busy_ms[cards].sum())) * 100 / max(1, int(self.held_ms[cards].sum()))


def card_rows(
    words: Wording, owner: str, names: Sequence[str], units: Units, times: CardTimes, first: int
) -> tuple[list[GanttRow], Int64]:
    """Return the rows of a plan's cards, headings among them, and the row of each card, counted from `first`.

    `owner` keeps the groups of two plans apart.
    """
    count = len(names)
    lots, lot_names = _headed_lots(units) if count >= HEADED_FROM else ((), ())
    nodes = units.node if len(set(units.node)) > 1 and count >= HEADED_FROM else ()
    if nodes and count // len(set(nodes)) < 2:
        nodes = ()
    rows: list[GanttRow] = []
    row_of = np.zeros(count, dtype=np.int64)
    keys = [(lots[at] if lots else -1, nodes[at] if nodes else -1) for at in range(count)]
    for lot, of_lot in groupby(range(count), key=lambda at: keys[at][0]):
        own = list(of_lot)
        depth = 0
        if lot >= 0:
            rows.append(_heading(words, f"{owner}/lot {lot}", lot_names[lot], 0, times, own))
            depth = 1
        inside = [list(part) for _, part in groupby(own, key=lambda at: keys[at][1])]
        for number, part in enumerate(inside):
            below = depth
            if nodes and (len(inside) > 1 or not lots):
                name = words.t("Node {number}", number=words.number(number + 1))
                key = f"{owner}/lot {lot}/node {number}"
                rows.append(_heading(words, key, name, depth, times, part))
                below = depth + 1
            for card in part:
                row_of[card] = first + len(rows)
                share = words.percent(times.share(slice(card, card + 1)), 0)
                tip = times_text(words, times, slice(card, card + 1))
                rows.append(GanttRow(RowKind.CARD, names[card], share, "card", depth=below, tip=tip))
    return rows, row_of


def _headed_lots(units: Units) -> tuple[Sequence[int], Sequence[str]]:
    """Return the heading of each card and their names: its lot, or its offer where lots hold one card each."""
    if len(set(units.of_card)) > 1 and len(units.of_card) >= 2 * len(set(units.of_card)):
        return units.of_card, units.names
    names = units.offer_names or units.names
    return tuple(units.offer[lot] for lot in units.of_card), names


def _heading(
    words: Wording, key: str, name: str, depth: int, times: CardTimes, cards: Sequence[int]
) -> GanttRow:
    own = slice(cards[0], cards[-1] + 1)
    use = words.n(
        "{count} card, {share}",
        "{count} cards, {share}",
        -(-len(cards) // times.slices_per_card),
        share=words.percent(times.share(own), 0),
    )
    return GanttRow(RowKind.HEADING, name, use, group=key, depth=depth, tip=times_text(words, times, own))


def times_text(words: Wording, times: CardTimes, cards: slice) -> str:
    """Return how long cards are busy, unused and being set up, added up over them."""
    busy, setup = int(times.busy_ms[cards].sum()), int(times.setup_ms[cards].sum())
    unused = max(0, int(times.held_ms[cards].sum()) - busy - setup)
    if setup:
        return words.t(
            "busy {busy}, unused {unused}, set-up {setup}",
            busy=words.exact_duration(busy),
            unused=words.exact_duration(unused),
            setup=words.exact_duration(setup),
        )
    return words.t(
        "busy {busy}, unused {unused}", busy=words.exact_duration(busy), unused=words.exact_duration(unused)
    )


def units_of(words: Wording, quote: Quote, plan: Plan | None, result: OrganisationResult) -> Units:
    """Return which held lot, node and set-up each card of the schedule belongs to.

    The cards stand in the order of the holdings, node by node, as the plan took them.
    """
    places = result.timing.places if isinstance(result.timing, Timing) else 0
    organisation = quote.organisation(result.organisation_id)
    together = Units((0,) * places, [words.t("Cards with no offer yet")])
    if plan is None or organisation is None:
        return together
    if not any(held.terms for held in plan.holdings):
        held = plan.holdings[0]
        offer = quote.offer(held.offer_id)
        name = held.offer_id if offer is None else offer.name
        setup = 0 if offer is None else setup_of(offer) or 0
        nodes = () if offer is None else _nodes(places, result.slices_per_card, offer.cards_per_node)
        return Units((0,) * places, [name], True, node=nodes, setup_ms=(setup,) * places)
    names: list[str] = []
    offer_of: list[int] = []
    offer_names: list[str] = []
    for held in plan.holdings:
        offer = quote.offer(held.offer_id)
        if offer is None:
            return together
        # Beside lots, the cards by the hour of one offer are one unit.
        copies = held.count if held.terms else 1
        names += [
            offer.name if copies == 1 else f"{offer.name} · {words.number(copy + 1)}"
            for copy in range(copies)
        ]
        offer_of += [len(offer_names)] * copies
        offer_names.append(offer.name)
    fleet = held_fleet(quote, plan.holdings, shape_of(quote, organisation, plan))
    if fleet.places != places:
        return together
    return Units(
        fleet.unit,
        names,
        offer=tuple(offer_of),
        offer_names=tuple(offer_names),
        node=fleet.node,
        setup_ms=fleet.ready_ms,
    )


def _nodes(places: int, slices: int, cards_per_node: int) -> tuple[int, ...]:
    """Return the node of each card, or slice of one, where nodes are filled one after the other."""
    return tuple(place // slices // max(1, cards_per_node) for place in range(places))
