"""Terms of whole days: how long a term lasts, the days a plan needs, the cheapest terms for them.

Not a place for lots or cards (see `plan.py`) and not for hourly cards (see `hourly.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from estimator.units import MS_PER_DAY

# The widest change that a zone has made at once is one whole date (Samoa, 30 December 2011).
_WIDEST_ZONE_CHANGE_DAYS = 1


@dataclass(frozen=True, slots=True)
class TermPrice:
    """The price of holding one lot for `days` days (at least 1), paid whole. Raises ValueError if not so."""

    days: int
    price: Decimal

    def __post_init__(self) -> None:
        if self.days < 1:
            raise ValueError("a term has at least one day")
        if not self.price.is_finite() or self.price < 0:
            raise ValueError("the price of a term is a finite amount, not below zero")


@dataclass(frozen=True, slots=True)
class Cover:
    """Terms taken back to back: their days (longest first), the days held in all, and what they cost."""

    terms: tuple[int, ...]
    held_days: int
    cost: Decimal


@lru_cache(maxsize=8192)
def cover_days(prices: tuple[TermPrice, ...], days_needed: int) -> Cover | None:
    """Return the terms that hold a lot for at least `days_needed` days at least cost; None without prices.

    Exact: every sequence of terms is considered. A longer holding may be cheaper (30 days below 7 + 3).
    At equal cost the fewest days held, then the fewest terms.
    """
    if not prices:
        return None
    if days_needed <= 0:
        return Cover((), 0, Decimal(0))
    offered = _cheapest_per_length(prices)
    best = min(offered, key=lambda term: (term.price / term.days, -term.days))
    # Among `best.days` other terms some have a total that is a multiple of best.days (pigeon-hole on the
    # sums); best terms in their place cost no more. So fewer than best.days others are ever needed, and
    # what they cannot reach is held by best terms. This keeps the table small for a plan of many years.
    reach = (best.days - 1) * max(term.days for term in offered)
    sure = max(0, -(-(days_needed - reach) // best.days))
    rest = _cover_rest(offered, days_needed - sure * best.days)
    terms = tuple(sorted((best.days,) * sure + rest, reverse=True))
    price_of = {term.days: term.price for term in offered}
    return Cover(terms, sum(terms), sum((price_of[days] for days in terms), Decimal(0)))


def cover_ladder(prices: tuple[TermPrice, ...], longest_days: int) -> tuple[Cover, ...]:
    """Return every cover worth its cost for holdings up to `longest_days` days, shortest first.

    Each is `cover_days` of one day more than the one before it holds; all come from one table.
    """
    if not prices or longest_days < 1:
        return ()
    offered = _cheapest_per_length(prices)
    places = max(0, *(-int(term.price.normalize().as_tuple().exponent) for term in offered))
    cents = [(term.days, int(term.price.scaleb(places))) for term in offered]
    top = longest_days + offered[0].days
    unreached = 1 + sum(cost for _, cost in cents) * (top + 1)
    cost, terms, last = [0] + [unreached] * top, [0] * (top + 1), [0] * (top + 1)
    for held in range(1, top + 1):
        for days, price in cents:
            before = held - days
            if before < 0 or cost[before] >= unreached:
                continue
            found = (cost[before] + price, terms[before] + 1)
            if found < (cost[held], terms[held]) or cost[held] >= unreached:
                cost[held], terms[held] = found
                last[held] = days
    # The best of all holdings that are at least so long: cost, then days held.
    best = [top] * (top + 1)
    for held in range(top - 1, 0, -1):
        best[held] = held if cost[held] <= cost[best[held + 1]] and cost[held] < unreached else best[held + 1]
    ladder: list[Cover] = []
    held_days = 0
    while held_days < longest_days:
        held_days = best[held_days + 1]
        taken: list[int] = []
        left = held_days
        while left > 0:
            taken.append(last[left])
            left -= last[left]
        amount = Decimal(cost[held_days]).scaleb(-places)
        ladder.append(Cover(tuple(sorted(taken, reverse=True)), held_days, amount))
    return tuple(ladder)


def term_end(start: datetime, zone: tzinfo, days: int) -> datetime:
    """Return when `days` days from `start` are over: the same local time in `zone`, that many dates later.

    `start` carries a zone. A local time that a clock change skips becomes the instant just as far after
    it; of one that occurs twice, the first is meant. Raises ValueError for a start without a zone,
    OverflowError past the year 9999.
    """
    if start.tzinfo is None:
        raise ValueError("a start needs a time zone")
    local = start.astimezone(zone)
    # Adding to a local time moves the date and keeps the clock; the way through UTC mends a skipped time.
    end = (local + timedelta(days=days)).replace(fold=0) if days else local
    return end.astimezone(UTC).astimezone(zone)


def held_ms(start: datetime | None, days: int) -> int:
    """Return how long a term of `days` days lasts, in elapsed milliseconds.

    Without a start a day has 24 hours. With a start, whose own zone is the lot's, a clock change makes
    it longer or shorter: three dates can be 71 or 73 hours. Past the year 9999 days have 24 hours again.
    """
    if start is None:
        return days * MS_PER_DAY
    if start.tzinfo is None:
        raise ValueError("a start needs a time zone")
    try:
        # Two times of one zone are subtracted by their clocks; elapsed time needs them in UTC.
        end = term_end(start, start.tzinfo, days).astimezone(UTC)
    except OverflowError:
        return days * MS_PER_DAY
    return (end - start.astimezone(UTC)) // timedelta(milliseconds=1)


def days_needed(duration_ms: int, start: datetime | None = None) -> int:
    """Return the fewest whole days whose elapsed time is at least `duration_ms`; 0 for no duration."""
    if duration_ms <= 0:
        return 0
    days = -(-duration_ms // MS_PER_DAY)
    if start is None:
        return days
    days = max(1, days - _WIDEST_ZONE_CHANGE_DAYS)
    while held_ms(start, days) < duration_ms:
        days += 1
    return days


def short_by_ms(term_days: int, duration_ms: int, start: datetime | None = None) -> int:
    """Return by how many milliseconds a term of `term_days` ends before the plan; 0 if it does not."""
    return max(0, duration_ms - held_ms(start, term_days))


class _Held(NamedTuple):
    """The cheapest way to hold exactly some days; compared by cost, then by number of terms."""

    cost: Decimal
    terms: int
    last_days: int


def _cheapest_per_length(prices: tuple[TermPrice, ...]) -> tuple[TermPrice, ...]:
    """Return one price per length, the lowest, longest first."""
    lowest: dict[int, TermPrice] = {}
    for term in prices:
        known = lowest.get(term.days)
        if known is None or term.price < known.price:
            lowest[term.days] = term
    return tuple(sorted(lowest.values(), key=lambda term: -term.days))


def _cover_rest(offered: tuple[TermPrice, ...], days: int) -> tuple[int, ...]:
    """Return the days of the terms that hold at least `days` days at least cost; a table over days held."""
    if days <= 0:
        return ()
    table: list[_Held | None] = [_Held(Decimal(0), 0, 0)]
    # A cover that holds a longest term more than is needed can drop one, so the table ends there.
    for held in range(1, days + offered[0].days):
        best: _Held | None = None
        for term in offered:
            before = table[held - term.days] if held >= term.days else None
            if before is None:
                continue
            found = _Held(before.cost + term.price, before.terms + 1, term.days)
            if best is None or (found.cost, found.terms) < (best.cost, best.terms):
                best = found
        table.append(best)
    ends = [
        (entry.cost, held, entry.terms)
        for held, entry in enumerate(table)
        if entry is not None and held >= days
    ]
    held = min(ends)[1]
    terms: list[int] = []
    while held > 0:
        entry = table[held]
        if entry is None:  # pragma: no cover - the table is built from its own entries
            raise LookupError(held)
        terms.append(entry.last_days)
        held -= entry.last_days
    return tuple(terms)
