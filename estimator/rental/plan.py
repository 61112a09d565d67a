"""Which lots, how many of each and for which terms: the least cost for a number of tasks at once.

A lot is whole and a task stays inside one lot, so tasks are counted lot by lot and a total over cards
admits nothing. Not the schedule: how long the cards are needed is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from estimator.problems import Absent
from estimator.rental.terms import Cover, TermPrice, cover_days, days_needed, held_ms


@dataclass(frozen=True, slots=True)
class LotOffer:
    """A lot as it is offered: `cards` cards in nodes of `cards_per_node`, a price a term, copies in stock.

    `stock` None: as many as are asked for. `setup_ms` is spent once a lot, inside its term:
    it is for the schedule, whose busy time includes it.
    Raises ValueError for a lot or node without cards, or a negative stock or set-up.
    """

    id: str
    cards: int
    cards_per_node: int
    terms: tuple[TermPrice, ...]
    stock: int | None = None
    setup_ms: int = 0

    def __post_init__(self) -> None:
        if self.cards < 1 or self.cards_per_node < 1:
            raise ValueError("a lot and its nodes have at least one card")
        if (self.stock is not None and self.stock < 0) or self.setup_ms < 0:
            raise ValueError("stock and set-up are not negative")


@dataclass(frozen=True, slots=True)
class LotNeed:
    """What the schedule asks for: `slots` tasks at once of `cards_per_task` cards each.

    `busy_ms`: from time zero to the end of the last task on a card, set-up included.
    Raises ValueError for no slots, no cards a task or a negative time.
    """

    slots: int
    cards_per_task: int = 1
    may_cross_nodes: bool = False
    busy_ms: int = 0

    def __post_init__(self) -> None:
        if self.slots < 1 or self.cards_per_task < 1 or self.busy_ms < 0:
            raise ValueError("a need has a slot, a card a task and a time that is not negative")


@dataclass(frozen=True, slots=True)
class Holding:
    """`count` copies of one offer, each held for the terms of `cover`; `cost` is that of all the copies."""

    offer_id: str
    count: int
    cover: Cover
    cost: Decimal


@dataclass(frozen=True, slots=True)
class LotPlan:
    """The lots to take. `slots`: tasks at once that they hold, at least those needed.

    `spare_cards`: cards beyond slots needed x cards per task. `paid_card_ms`: card time paid for.
    `proven`: no other choice of lots and terms costs less.
    """

    holdings: tuple[Holding, ...]
    cost: Decimal
    cards: int
    spare_cards: int
    slots: int
    paid_card_ms: int
    proven: bool = True


def slots_in(cards: int, cards_per_node: int, cards_per_task: int, may_cross_nodes: bool) -> int:
    """Return how many tasks of `cards_per_task` cards one lot holds at once; left-over cards stay idle."""
    if may_cross_nodes:
        return cards // cards_per_task
    nodes, rest = divmod(cards, cards_per_node)
    return nodes * (cards_per_node // cards_per_task) + rest // cards_per_task


def plan_lots(need: LotNeed, offers: tuple[LotOffer, ...], start: datetime | None = None) -> LotPlan | Absent:
    """Return the cheapest whole lots that hold `need.slots` tasks at once until the last one ends.

    Exact. At equal cost: fewer cards, then fewer days held (added over lots), then the first ids in
    order. `start` (with the lot's time zone) makes days follow the calendar; see `terms.held_ms`.
    Absent codes: no_lots, task_wider_than_lot, no_term_price, stock_too_small.
    """
    if not offers:
        return Absent("no_lots")
    wide = tuple((offer, _slots_of(offer, need)) for offer in offers)
    wide = tuple((offer, slots) for offer, slots in wide if slots > 0)
    if not wide:
        return Absent("task_wider_than_lot", values=(("cards_per_task", need.cards_per_task),))
    days = max(1, days_needed(need.busy_ms, start))  # a lot is held for a term even if nothing runs
    candidates = []
    for offer, slots in sorted(wide, key=lambda pair: pair[0].id):
        cover = cover_days(offer.terms, days)
        if cover is not None:
            candidates.append(_Candidate(offer, slots, cover, _most_copies(offer, slots, need)))
    if not candidates:
        return Absent("no_term_price")
    available = sum(candidate.slots * candidate.most for candidate in candidates)
    if available < need.slots:
        return Absent("stock_too_small", values=(("needed", need.slots), ("available", available)))
    return _as_plan(_cheapest_counts(candidates, need.slots), need, start)


class _Candidate(NamedTuple):
    """An offer that can hold a task: tasks at once, its cheapest cover, the most copies worth taking."""

    offer: LotOffer
    slots: int
    cover: Cover
    most: int


class _Bundle(NamedTuple):
    """Some copies of one candidate, taken together or not at all."""

    candidate: int
    copies: int


def _slots_of(offer: LotOffer, need: LotNeed) -> int:
    return slots_in(offer.cards, offer.cards_per_node, need.cards_per_task, need.may_cross_nodes)


def _most_copies(offer: LotOffer, slots: int, need: LotNeed) -> int:
    enough = -(-need.slots // slots)
    return enough if offer.stock is None else min(enough, offer.stock)


def _cheapest_counts(candidates: list[_Candidate], slots: int) -> list[tuple[_Candidate, int]]:
    """Return (candidate, copies) of the cheapest choice of at least `slots` slots: a covering knapsack."""
    weights = _weights(candidates)
    sure = _sure_copies(candidates, weights, slots)
    left = slots - sum(count * candidate.slots for count, candidate in zip(sure, candidates, strict=True))
    rest = _fewest_weight(candidates, weights, left)
    counts = [certain + more for certain, more in zip(sure, rest, strict=True)]
    return [(candidate, count) for candidate, count in zip(candidates, counts, strict=True) if count]


def _sure_copies(candidates: list[_Candidate], weights: list[int], slots: int) -> list[int]:
    """Return copies that some cheapest choice holds anyway, so that thousands of slots need no long table.

    Among as many other copies as the best lot has slots, some have together a multiple of its slots
    (pigeon-hole on the sums), and best lots in their place weigh no more. So fewer others are needed.
    """
    sure = [0] * len(candidates)
    best = min(range(len(candidates)), key=lambda i: Fraction(weights[i], candidates[i].slots))
    size = candidates[best].slots
    if candidates[best].most * size >= slots:  # the stock of the best lot is no limit
        reach = (size - 1) * max(candidate.slots for candidate in candidates)
        sure[best] = max(0, -(-(slots - reach) // size))
    return sure


def _fewest_weight(candidates: list[_Candidate], weights: list[int], slots: int) -> list[int]:
    """Return the copies of each candidate that hold at least `slots` at least weight: a table over slots."""
    copies = [0] * len(candidates)
    if slots <= 0:
        return copies
    bundles = _bundles(candidates)
    unreachable = 1 + sum(w * candidate.most for w, candidate in zip(weights, candidates, strict=True))
    least = [0] + [unreachable] * slots  # least[s]: the least weight that holds at least s slots
    taken: list[bytearray] = []
    for bundle in bundles:
        width = min(slots + 1, bundle.copies * candidates[bundle.candidate].slots)
        weight = bundle.copies * weights[bundle.candidate]
        shifted = [0] * width + least[: slots + 1 - width]
        # Only a strictly better bundle is taken, so that of equal choices the first ids stay.
        taken.append(bytearray(b + weight < a for a, b in zip(least, shifted, strict=True)))
        least = [min(a, b + weight) for a, b in zip(least, shifted, strict=True)]
    left = slots
    for bundle, choice in zip(reversed(bundles), reversed(taken), strict=True):
        if choice[left]:
            copies[bundle.candidate] += bundle.copies
            left = max(0, left - bundle.copies * candidates[bundle.candidate].slots)
    return copies


def _weights(candidates: list[_Candidate]) -> list[int]:
    """Return one integer a copy that orders choices exactly by cost, then cards, then days held."""
    digits = max(_decimals(candidate.cover.cost) for candidate in candidates)
    most_cards = 1 + sum(candidate.offer.cards * candidate.most for candidate in candidates)
    most_days = 1 + sum(candidate.cover.held_days * candidate.most for candidate in candidates)
    return [
        (int(candidate.cover.cost.scaleb(digits)) * most_cards + candidate.offer.cards) * most_days
        + candidate.cover.held_days
        for candidate in candidates
    ]


def _decimals(amount: Decimal) -> int:
    exponent = amount.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _bundles(candidates: list[_Candidate]) -> list[_Bundle]:
    """Return bundles of 1, 2, 4, ... copies and a rest, from which every count up to the most is a sum."""
    bundles = []
    for index, candidate in enumerate(candidates):
        left, size = candidate.most, 1
        while left > 0:
            bundles.append(_Bundle(index, min(size, left)))
            left -= min(size, left)
            size *= 2
    return bundles


def _as_plan(chosen: list[tuple[_Candidate, int]], need: LotNeed, start: datetime | None) -> LotPlan:
    holdings = tuple(
        Holding(candidate.offer.id, count, candidate.cover, candidate.cover.cost * count)
        for candidate, count in chosen
    )
    cards = sum(candidate.offer.cards * count for candidate, count in chosen)
    return LotPlan(
        holdings=holdings,
        cost=sum((holding.cost for holding in holdings), Decimal(0)),
        cards=cards,
        spare_cards=cards - need.slots * need.cards_per_task,
        slots=sum(candidate.slots * count for candidate, count in chosen),
        paid_card_ms=sum(
            candidate.offer.cards * count * held_ms(start, candidate.cover.held_days)
            for candidate, count in chosen
        ),
    )
