"""Which numbers could change the decision, and what verifying each is worth: by deciding again, never by a slope.

Each number is put at the ends of its range and at steps inside, the others as they are; where two neighbouring
steps decide differently, halving finds where. Then all numbers together at their worst ends. What a decision is,
and what keeping it costs, is asked of the caller.

Worth: the regret of keeping the present decision, averaged over the number's distribution. At a value at which
the present decision still works, its regret is what it costs then beyond the best decision for that value; where
it no longer works, what it was bought for is paid and lost.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal

from estimator.risk.distributions import Values, share_below

STEPS_A_SIDE = 3
_HALVINGS = 8
_MOST_TRIES = 80
_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its range and its distribution as a table. `is_whole`: only whole values make sense."""

    id: str
    low: Decimal
    value: Decimal
    high: Decimal
    table: Values
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is decided with some values, and what the present decision comes to with them.

    `decision`: compared as a whole. `best_gross`: cost of what is decided, None where nothing works. `gross` and
    `delivery_ms` of the present decision kept; None where not known. `works`: it still keeps what it kept.
    """

    decision: Hashable
    best_gross: Decimal | None
    gross: Decimal | None
    delivery_ms: int | None
    works: bool


@dataclass(frozen=True, slots=True)
class Flip:
    """Between `inside` and `outside` the decision becomes another; `inside` is nearer to the number's value."""

    inside: Decimal
    outside: Decimal


@dataclass(frozen=True, slots=True)
class Weight:
    """What a number's range does. `low` and `high`: the outcomes at its ends.

    `changes`: somewhere in its range, alone. `changes_in_corner`: in the joint worst corner the decision is
    another, and returning this number to its value changes it again. `chance`: of another decision.
    """

    id: str
    low: Outcome
    high: Outcome
    flips: tuple[Flip, ...]
    changes: bool
    changes_in_corner: bool
    chance: float
    worth: Decimal | None

    @property
    def is_decisive(self) -> bool:
        """Whether the number has to be verified before the decision is firm."""
        return self.changes or self.changes_in_corner


Evaluate = Callable[[Mapping[str, Decimal]], Outcome]


def weighed(numbers: Sequence[Number], evaluate: Evaluate) -> tuple[Weight, ...]:
    """Return each number's weight, in the order given. `evaluate` gets only the numbers that differ."""
    present = evaluate({})
    alone = [_alone(number, present, evaluate) for number in numbers]
    worst = {
        number.id: number.low if _badness(weight.low) > _badness(weight.high) else number.high
        for number, weight in zip(numbers, alone, strict=True)
    }
    in_corner = _in_corner(worst, present, alone, evaluate)
    return tuple(
        Weight(one.id, one.low, one.high, one.flips, one.changes, one.id in in_corner, one.chance, one.worth)
        for one in alone
    )


def _badness(outcome: Outcome) -> tuple[bool, bool, int, Decimal]:
    """Return an order of outcomes, worse ones greater: broken, unknown, later, dearer."""
    is_unknown = outcome.delivery_ms is None
    return (not outcome.works, is_unknown, outcome.delivery_ms or 0, outcome.gross or _ZERO)


def _in_corner(
    worst: dict[str, Decimal], present: Outcome, alone: Sequence[Weight], evaluate: Evaluate
) -> frozenset[str]:
    """Return the numbers that the joint worst corner's other decision hangs on.

    Where it hangs on none of them by itself and none changes the decision alone, on all that make it worse.
    """
    if len(worst) < 2:
        return frozenset()
    corner = evaluate(worst)
    if corner.decision == present.decision:
        return frozenset()
    found = set()
    for id_ in worst:
        others = {other: value for other, value in worst.items() if other != id_}
        if evaluate(others).decision != corner.decision:
            found.add(id_)
    if not found and not any(one.changes for one in alone):
        found = {one.id for one in alone if max(_badness(one.low), _badness(one.high)) > _badness(present)}
    return frozenset(found)


def _alone(number: Number, present: Outcome, evaluate: Evaluate) -> Weight:
    search = _Search(number, present, evaluate)
    points = _steps(number)
    for point in points:
        search.at(point)
    for left, right in itertools.pairwise(points):
        search.halve(left, right, _HALVINGS)
    known = sorted(search.outcomes.items())
    flips = tuple(
        Flip(*((left, right) if right > number.value else (right, left)))
        for (left, before), (right, after) in itertools.pairwise(known)
        if before.decision != after.decision
    )
    return Weight(
        id=number.id,
        low=search.at(number.low),
        high=search.at(number.high),
        flips=flips,
        changes=any(one.decision != present.decision for one in search.outcomes.values()),
        changes_in_corner=False,
        chance=_mean_over(number, [(v, float(one.decision != present.decision)) for v, one in known]),
        worth=_worth(number, present, known),
    )


def _regret(outcome: Outcome, present: Outcome) -> Decimal | None:
    """Return what keeping the present decision costs beyond the best; None where no cost is known."""
    if not outcome.works:
        return present.gross
    if outcome.gross is None:
        return None
    return _ZERO if outcome.best_gross is None else max(_ZERO, outcome.gross - outcome.best_gross)


def _worth(number: Number, present: Outcome, known: list[tuple[Decimal, Outcome]]) -> Decimal | None:
    regrets: list[tuple[Decimal, float]] = []
    for value, outcome in known:
        regret = _regret(outcome, present)
        if regret is None:
            return None
        regrets.append((value, float(regret)))
    return Decimal(repr(round(_mean_over(number, regrets), 6)))


def _mean_over(number: Number, known: list[tuple[Decimal, float]]) -> float:
    """Return the mean of a quantity known at rising values, straight in between, flat beyond the ends."""
    below = 0.0
    total = 0.0
    former = known[0][1]
    for value, quantity in known:
        share = share_below(number.table, float(value))
        total += (share - below) * (former + quantity) / 2
        below, former = share, quantity
    return total + (1 - below) * former


def _steps(number: Number) -> list[Decimal]:
    """Return the ends, the value and the steps between them, rising."""
    found = {number.low, number.value, number.high}
    for end in (number.low, number.high):
        for step in range(1, STEPS_A_SIDE):
            value = number.value + (end - number.value) * step / STEPS_A_SIDE
            found.add(value.to_integral_value() if number.is_whole else _short(value))
    return sorted(found)


def _short(value: Decimal) -> Decimal:
    """Return the value to nine digits: what people can read, and fine enough for a step."""
    return Decimal(f"{value:.9g}")


class _Search:
    """The outcomes of one number's values, each asked for once."""

    def __init__(self, number: Number, present: Outcome, evaluate: Evaluate) -> None:
        self.number = number
        self.outcomes: dict[Decimal, Outcome] = {number.value: present}
        self._evaluate = evaluate

    def at(self, value: Decimal) -> Outcome:
        found = self.outcomes.get(value)
        if found is None:
            found = self.outcomes[value] = self._evaluate({self.number.id: value})
        return found

    def halve(self, left: Decimal, right: Decimal, times: int) -> None:
        """Find where between two values the decision becomes another, every place that halving meets."""
        if self.at(left).decision == self.at(right).decision or not times:
            return
        middle = (left + right) / 2
        middle = middle.to_integral_value(ROUND_FLOOR) if self.number.is_whole else _short(middle)
        if middle in (left, right) or len(self.outcomes) > _MOST_TRIES:
            return
        self.halve(left, middle, times - 1)
        self.halve(middle, right, times - 1)
