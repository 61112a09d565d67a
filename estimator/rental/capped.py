"""The covering knapsack with a cap on what is taken in all: cards of a quota, or tasks at once.

Whole numbers in, whole numbers out. Where the cap is no hindrance, `covering.cheapest_cover` alone answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from estimator.rental.covering import (
    MARGIN,
    Choices,
    Integers,
    Taken,
    cheapest_cover,
    lower_bound,
)

_PRICES_TRIED = 12
# Beyond this many undominated states the best choice found is kept, with its bound.
MOST_STATES = 200_000
# The same beyond this many states looked at in all.
MOST_LOOKED_AT = 10_000_000


class Option(NamedTuple):
    """What one copy can take: its cost, its units, and what it counts towards the cap."""

    cost: int
    units: int
    counted: int


_NOTHING = Option(0, 0, 0)


@dataclass(frozen=True, slots=True)
class CappedClass:
    """Something that exists `copies` times; each copy takes at most one of `options` and counts as `counted`."""

    options: tuple[tuple[int, int], ...]
    copies: int
    counted: int


@dataclass(frozen=True, slots=True)
class CappedCover:
    """The choice found and what none costs less than; proven where both are equal."""

    taken: tuple[Taken, ...]
    cost: int
    bound: int


def cheapest_capped_cover(classes: tuple[CappedClass, ...], units: int, cap: int) -> CappedCover | None:
    """Return the choices that reach `units` at least cost while they count at most `cap`; None if none do.

    Exact unless more than MOST_STATES states stay undominated, or MOST_LOOKED_AT are made on the way; then the
    best found and its bound.
    """
    classes = tuple(
        replace(one, copies=min(one.copies, cap // one.counted)) if one.counted else one for one in classes
    )
    free = cheapest_cover(tuple(Choices(one.options, one.copies) for one in classes), units)
    if free is None:
        return None
    if _counted(classes, free) <= cap:
        return CappedCover(free, _cost(free), _cost(free))
    found, surcharge = _by_surcharge(classes, units, cap)
    price, bound = _bound(classes, units, cap, surcharge)
    limit = float("inf") if found is None else float(_cost(found))
    best = _listed(classes, units, cap, (price, surcharge), limit)
    if best is None:  # too many states
        return None if found is None else CappedCover(found, _cost(found), min(bound, _cost(found)))
    if not best:
        return None if found is None else CappedCover(found, _cost(found), _cost(found))
    return CappedCover(best, _cost(best), _cost(best))


def _cost(taken: tuple[Taken, ...]) -> int:
    return sum(item.copies * item.option[0] for item in taken)


def _counted(classes: tuple[CappedClass, ...], taken: tuple[Taken, ...]) -> int:
    return sum(item.copies * classes[item.index].counted for item in taken)


def _by_surcharge(
    classes: tuple[CappedClass, ...], units: int, cap: int
) -> tuple[tuple[Taken, ...] | None, int]:
    """Return the cheapest choice seen within the cap, and the least surcharge on what counts that gave one."""
    dearest = max((cost for one in classes for cost, _ in one.options), default=0)
    low, high = 0, 2 * dearest + 1
    best: tuple[Taken, ...] | None = None
    for _ in range(_PRICES_TRIED):
        if high - low <= max(1, dearest // 10_000):
            break
        middle = (low + high) // 2
        taken = cheapest_cover(_surcharged(classes, middle), units)
        if taken is None:
            break
        plain = tuple(
            Taken(
                item.index,
                (item.option[0] - middle * classes[item.index].counted, item.option[1]),
                item.copies,
            )
            for item in taken
        )
        if _counted(classes, plain) <= cap:
            high = middle
            if best is None or _cost(plain) < _cost(best):
                best = plain
        else:
            low = middle
    return best, high


def _surcharged(classes: tuple[CappedClass, ...], surcharge: int) -> tuple[Choices, ...]:
    return tuple(
        Choices(tuple((cost + surcharge * one.counted, units) for cost, units in one.options), one.copies)
        for one in classes
    )


def _bound(classes: tuple[CappedClass, ...], units: int, cap: int, surcharge: int) -> tuple[float, int]:
    """Return the price of a unit at that surcharge, and a whole cost below which no choice within the cap lies."""
    price, bound = lower_bound(_surcharged(classes, surcharge), units)
    bound -= surcharge * cap
    return price, max(0, int(np.ceil(bound - MARGIN * (1.0 + abs(bound)))))


def _listed(
    classes: tuple[CappedClass, ...], units: int, cap: int, prices: tuple[float, int], limit: float
) -> tuple[Taken, ...] | None:
    """Return the cheapest choice within the cap that costs at most `limit`, () without one, None if too many.

    A list over (cost, units, counted), one copy at a time; `prices` of a unit and of what counts bound the rest.
    """
    price, surcharge = prices
    steps = [
        (
            index,
            np.array([_NOTHING, *(Option(*option, one.counted) for option in one.options)], dtype=np.int64),
        )
        for index, one in enumerate(classes)
        for _ in range(one.copies)
    ]
    rest_bound, rest_units = _rests(steps, price, surcharge)
    state = np.zeros((1, 3), dtype=np.int64)
    limit += MARGIN * (1.0 + abs(limit)) if limit < float("inf") else 0.0
    history: list[tuple[Integers, int]] = []
    looked_at = 0
    for number, (_, options) in enumerate(steps):
        looked_at += len(options) * len(state)
        if looked_at > MOST_LOOKED_AT:
            return None
        grown = (options[:, None, :] + state[None, :, :]).reshape(-1, 3)
        grown[:, 1] = np.minimum(grown[:, 1], units)
        least = grown[:, 0] + price * (units - grown[:, 1]) - surcharge * (cap - grown[:, 2])
        can = (grown[:, 2] <= cap) & (grown[:, 1] + rest_units[number + 1] >= units)
        kept = np.flatnonzero(can & (least + rest_bound[number + 1] <= limit))
        kept = kept[_undominated(grown[kept])]
        if len(kept) > MOST_STATES:
            return None
        if not len(kept):
            return ()
        history.append((kept, len(state)))
        state = grown[kept]
    complete = np.flatnonzero(state[:, 1] >= units)
    if not len(complete):
        return ()
    place = int(complete[np.argmin(state[complete, 0])])
    counts: dict[tuple[int, tuple[int, int]], int] = {}
    for (index, options), (kept, width) in zip(reversed(steps), reversed(history), strict=True):
        option, place = divmod(int(kept[place]), width)
        if option:
            key = index, (int(options[option, 0]), int(options[option, 1]))
            counts[key] = counts.get(key, 0) + 1
    return tuple(Taken(index, option, copies) for (index, option), copies in sorted(counts.items()))


def _rests(steps: list[tuple[int, Integers]], price: float, surcharge: int) -> tuple[list[float], list[int]]:
    """Return, for every number of steps done, the least reduced cost and the most units of those left."""
    bounds, sizes = [0.0], [0]
    for _, options in reversed(steps):
        reduced = options[:, 0] - price * options[:, 1] + float(surcharge) * options[:, 2]
        bounds.append(bounds[-1] + min(0.0, float(reduced.min())))
        sizes.append(sizes[-1] + int(options[:, 1].max()))
    return bounds[::-1], sizes[::-1]


def _undominated(states: Integers) -> Integers:
    """Return the places of states that no other of the same count beats: cheaper and at least as many units."""
    order = np.lexsort((-states[:, 1], states[:, 0], states[:, 2]))
    # Units rise within a count; an offset a count keeps one running maximum over all of them.
    offset = states[order, 2] * (int(states[:, 1].max(initial=0)) + 1)
    reached = np.maximum.accumulate(offset + states[order, 1])
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = reached[1:] > np.maximum(reached[:-1], offset[1:] - 1)
    return order[first]
