"""A covering knapsack with choices, solved exactly: reach a number of units at least cost.

Whole numbers in, whole numbers out; what the units and costs mean is the caller's affair (see `cover.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

# The largest total whose sums and comparisons stay exact in 64-bit integers with room to spare.
LARGEST_COST = 2**60
# Bounds are floats: a state is given up only if it is worse by more than their rounding can be.
MARGIN = 1e-9
_BISECTIONS = 90
# More open copies of one class are decided in bundles.
_FEW = 16


@dataclass(frozen=True, slots=True)
class Choices:
    """Something that exists `copies` times; each copy takes at most one of `options`: (cost, units)."""

    options: tuple[tuple[int, int], ...]
    copies: int


@dataclass(frozen=True, slots=True)
class Taken:
    """`copies` copies of class `index` take `option`, an (cost, units) of that class."""

    index: int
    option: tuple[int, int]
    copies: int


def cheapest_cover(classes: tuple[Choices, ...], units: int) -> tuple[Taken, ...] | None:
    """Return the choices that reach `units` (at least 1) at least total cost; None if all together do not.

    Exact: a Lagrangian bound fixes the copies whose other options cannot be part of a cheapest choice,
    a list of undominated (cost, units) pairs decides the rest. Costs are not negative and their total
    over all copies stays below LARGEST_COST.
    """
    rows = _rows(classes, units)
    if sum(row.copies * row.options[-1][1] for row in rows) < units:
        return None
    price, lower = _best_unit_price(rows, units)
    upper = _greedy_cost(rows, units, price)
    gap = (upper - lower) + MARGIN * (1.0 + upper)
    fixed: list[Taken] = []
    opened: list[_Open] = []
    for row in rows:
        open_ = _open_copies(row, price, gap)
        if row.copies > open_.copies and open_.base != _NOTHING:
            fixed.append(Taken(row.index, open_.base, row.copies - open_.copies))
        if open_.copies:
            opened.append(open_)
    reached = sum(item.copies * item.option[1] for item in fixed)
    spent = sum(item.copies * item.option[0] for item in fixed)
    asked = _Asked(max(0, units - reached), price, upper - spent + MARGIN * (1.0 + upper))
    decided = _decided(opened, asked, _FEW)
    if decided is None:
        decided = _decided(opened, asked, max(row.copies for row in rows))
    assert decided is not None  # copy by copy, none is taken twice
    return _merged(fixed + decided)


def lower_bound(classes: tuple[Choices, ...], units: int) -> tuple[float, float]:
    """Return a price of a unit and the bound that it gives: no choice that reaches `units` costs less."""
    return _best_unit_price(_rows(classes, units), units)


def _rows(classes: tuple[Choices, ...], units: int) -> list[_Row]:
    useful = [(index, _undominated(choices.options, units)) for index, choices in enumerate(classes)]
    rows = [
        _Row(index, options, _enough(classes[index].copies, options, units))
        for index, options in useful
        if options
    ]
    return [row for row in rows if row.copies > 0]


_NOTHING = (0, 0)


@dataclass(frozen=True, slots=True)
class _Row:
    """A class with its undominated options, cheapest and smallest first."""

    index: int
    options: tuple[tuple[int, int], ...]
    copies: int


@dataclass(frozen=True, slots=True)
class _Open:
    """Copies of a class that may leave the option that the bound prefers, and what each option left to them
    costs more than that one after the price of its units. Cheapest and smallest option first."""

    index: int
    options: tuple[tuple[int, int], ...]
    base: tuple[int, int]
    penalties: tuple[float, ...]
    copies: int


@dataclass(frozen=True, slots=True)
class _Step:
    """One decision: `copies` copies take one of `moves`, each (cost, units) of all of them together.

    `options`: what a copy takes with each move. `base`: the move with the least cost after the price of its units;
    `penalty`: what leaving it costs at least.
    """

    index: int
    copies: int
    options: tuple[tuple[int, int], ...]
    moves: tuple[tuple[int, int], ...]
    base: tuple[int, int]
    penalty: float


class _Asked(NamedTuple):
    """What the open copies must reach, the price of a unit in the bound, and the cost that they stay within."""

    units: int
    price: float
    limit: float


def _undominated(options: tuple[tuple[int, int], ...], units: int) -> tuple[tuple[int, int], ...]:
    kept: list[tuple[int, int]] = []
    for cost, size in sorted(
        ((cost, min(size, units)) for cost, size in options), key=lambda o: (o[0], -o[1])
    ):
        if size > (kept[-1][1] if kept else 0):
            kept.append((cost, size))
    return tuple(kept)


def _enough(copies: int, options: tuple[tuple[int, int], ...], units: int) -> int:
    return min(copies, -(-units // options[0][1])) if options else 0


def _preferred(row: _Row, price: float) -> tuple[tuple[int, int], float]:
    """Return the option with the least cost after `price` for each of its units, and that (at most 0)."""
    best, least = _NOTHING, 0.0
    for option in row.options:
        reduced = option[0] - price * option[1]
        if reduced < least:
            best, least = option, reduced
    return best, least


def _best_unit_price(rows: list[_Row], units: int) -> tuple[float, float]:
    """Return the price of a unit with the best Lagrangian bound, and that bound (bisection on the slope)."""
    costs = np.concatenate([[0.0, *(cost for cost, _ in row.options)] for row in rows])
    sizes = np.concatenate([[0.0, *(size for _, size in row.options)] for row in rows])
    starts = np.cumsum([0] + [1 + len(row.options) for row in rows[:-1]])
    owner = np.repeat(np.arange(len(rows)), np.diff(np.append(starts, len(costs))))
    copies = np.array([row.copies for row in rows], dtype=float)
    low, high = 0.0, float(costs.max()) + 1.0
    best_price, best_bound = 0.0, 0.0
    for _ in range(_BISECTIONS):
        price = (low + high) / 2
        reduced = costs - price * sizes
        least = np.minimum.reduceat(reduced, starts)
        bound = price * units + float(copies @ least)
        if bound > best_bound:
            best_price, best_bound = price, bound
        chosen = np.maximum.reduceat(np.where(reduced == least[owner], sizes, 0.0), starts)
        if float(copies @ chosen) >= units:
            high = price
        else:
            low = price
        if high - low <= 1e-15 * high:
            break
    return best_price, best_bound


def _greedy_cost(rows: list[_Row], units: int, price: float) -> int:
    """Return the cost of a good choice: what the bound prefers, filled up, then trimmed dearest first."""
    counts = [[0] * (1 + len(row.options)) for row in rows]
    reached = 0
    for row, count in zip(rows, counts, strict=True):
        option, _ = _preferred(row, price)
        position = 1 + row.options.index(option) if option in row.options else 0
        count[position] = row.copies
        reached += row.copies * option[1]
    order = sorted(range(len(rows)), key=lambda i: min(c / u for c, u in rows[i].options))
    for i in order:  # fill up: idle copies first, then larger options
        largest = len(rows[i].options)
        for position in range(largest):
            if reached >= units:
                break
            if not counts[i][position]:
                continue
            gain = rows[i].options[-1][1] - (rows[i].options[position - 1][1] if position else 0)
            moved = min(counts[i][position], max(0, -(-(units - reached) // gain)))
            counts[i][position] -= moved
            counts[i][largest] += moved
            reached += moved * gain
    for i in reversed(order):  # trim what is more than needed
        sizes = [0, *(size for _, size in rows[i].options)]
        for position in range(len(sizes) - 1, 0, -1):
            for smaller in range(position):
                if not counts[i][position] or reached <= units:
                    break
                saved = sizes[position] - sizes[smaller]
                moved = min(counts[i][position], max(0, reached - units) // saved)
                counts[i][position] -= moved
                counts[i][smaller] += moved
                reached -= moved * saved
    return sum(
        option[0] * amount
        for row, count in zip(rows, counts, strict=True)
        for option, amount in zip(row.options, count[1:], strict=True)
    )


def _open_copies(row: _Row, price: float, gap: float) -> _Open:
    """Return the copies that can leave the preferred option at all, without options too dear to be part of a
    cheapest choice."""
    base, least = _preferred(row, price)
    penalties = {option: option[0] - price * option[1] - least for option in (_NOTHING, *row.options)}
    left = tuple(option for option in penalties if option == base or penalties[option] <= gap)
    penalty = min((penalties[option] for option in left if option != base), default=float("inf"))
    if len(left) == 1:
        count = 0
    else:
        count = row.copies if penalty * row.copies <= gap else min(row.copies, int(gap / penalty))
    return _Open(row.index, left, base, tuple(penalties[option] for option in left), count)


def _decided(opened: list[_Open], asked: _Asked, few: int) -> list[Taken] | None:
    """Return the cheapest choice of the open copies; None if it takes more copies than there are.

    Up to `few` copies of a class are decided one by one. More begin at their smallest option, and bundles of 1,
    2, 4, ... copies move to each other option; only there can more move than there are.
    """
    steps: list[_Step] = []
    start: dict[int, tuple[int, tuple[int, int]]] = {}
    for open_ in opened:
        if open_.copies <= few:
            penalty = min(p for o, p in zip(open_.options, open_.penalties, strict=True) if o != open_.base)
            step = _Step(open_.index, 1, open_.options, open_.options, open_.base, penalty)
            steps += [step] * open_.copies
        else:
            start[open_.index] = open_.copies, open_.options[0]
            steps += _bundles(open_)
    # The least certain decisions come last: until then nearly every state falls to the bound. The one with
    # most options is the very last, where it is looked up and not multiplied out.
    steps.sort(key=lambda step: -step.penalty)
    if steps:
        longest = max(range(len(steps)), key=lambda place: len(steps[place].moves))
        steps.append(steps.pop(longest))
    units = asked.units - sum(count * option[1] for count, option in start.values())
    spent = sum(count * option[0] for count, option in start.values())
    taken = _decide(steps, _Asked(max(0, units), asked.price, asked.limit - spent))
    for index, (count, option) in start.items():
        staying = count - sum(item.copies for item in taken if item.index == index)
        if staying < 0:
            return None
        taken.append(Taken(index, option, staying))
    return [item for item in taken if item.copies and item.option != _NOTHING]


def _bundles(open_: _Open) -> list[_Step]:
    """Return decisions that move any number of the copies from their smallest option to each other one."""
    smallest = open_.options[0]
    steps = []
    for option, penalty in zip(open_.options[1:], open_.penalties[1:], strict=True):
        cost, units = option[0] - smallest[0], option[1] - smallest[1]
        left, size = open_.copies, 1
        while left:
            size = min(size, left)
            move = (size * cost, size * units)
            better = move if penalty < open_.penalties[0] else _NOTHING
            least = size * abs(penalty - open_.penalties[0])
            steps.append(_Step(open_.index, size, (smallest, option), (_NOTHING, move), better, least))
            left -= size
            size *= 2
    return steps


def _decide(steps: list[_Step], asked: _Asked) -> list[Taken]:
    """Return the cheapest decisions, one step at a time; copies that stay at the option of the first move
    of a bundle are left out.

    Kept are the undominated states (cost, units). A state is given up if its cost and the bound of what
    is left exceed the limit.
    """
    if not steps:
        return []
    units, price, limit = asked
    bound_after, size_after = _suffixes(steps, price)
    cost: Integers = np.zeros(1, dtype=np.int64)
    size: Integers = np.zeros(1, dtype=np.int64)
    history: list[tuple[Integers, Integers]] = []
    for number, step in enumerate(steps[:-1]):
        moves = np.array(step.moves, dtype=np.int64)
        all_costs = (moves[:, 0][:, None] + cost[None, :]).ravel()
        all_sizes = np.minimum(moves[:, 1][:, None] + size[None, :], units).ravel()
        bound = all_costs + price * (units - all_sizes) + bound_after[number + 1]
        kept = np.flatnonzero((bound <= limit) & (all_sizes + size_after[number + 1] >= units))
        kept = kept[np.lexsort((-all_sizes[kept], all_costs[kept]))]
        so_far = np.maximum.accumulate(all_sizes[kept])
        kept = kept[np.concatenate(([True], so_far[1:] > so_far[:-1]))]
        history.append((kept // len(cost), kept % len(cost)))
        cost, size = all_costs[kept], all_sizes[kept]
    # The last decision takes the smallest move that is enough: moves rise in cost and units alike.
    moves = np.array(steps[-1].moves, dtype=np.int64)
    enough = np.searchsorted(moves[:, 1], units - size)
    can = enough < len(moves)
    complete = np.where(can, cost + moves[np.minimum(enough, len(moves) - 1), 0], np.iinfo(np.int64).max)
    position = int(np.argmin(complete))
    chosen = int(enough[position])
    taken: list[Taken] = []
    for step, decisions in zip(reversed(steps), [None, *reversed(history)], strict=True):
        if decisions is not None:
            chosen, position = int(decisions[0][position]), int(decisions[1][position])
        if chosen or step.moves is step.options:
            taken.append(Taken(step.index, step.options[chosen], step.copies))
    return taken


def _suffixes(steps: list[_Step], price: float) -> tuple[list[float], list[int]]:
    """Return, for every number of steps done, the least reduced cost and the most units of those left."""
    bounds, sizes = [0.0], [0]
    for step in reversed(steps):
        bounds.append(bounds[-1] + min(0.0, step.base[0] - price * step.base[1]))
        sizes.append(sizes[-1] + step.moves[-1][1])
    return bounds[::-1], sizes[::-1]


def _merged(taken: list[Taken]) -> tuple[Taken, ...]:
    counts: dict[tuple[int, tuple[int, int]], int] = {}
    for item in taken:
        counts[item.index, item.option] = counts.get((item.index, item.option), 0) + item.copies
    return tuple(Taken(index, option, copies) for (index, option), copies in sorted(counts.items()))
