"""Terms of whole days: cheapest covers, calendar days and clock changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import combinations_with_replacement
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.rental.terms import (
    Cover,
    TermPrice,
    cover_days,
    cover_ladder,
    days_needed,
    held_ms,
    short_by_ms,
    term_end,
)
from estimator.units import MS_PER_DAY, MS_PER_HOUR

MADRID = ZoneInfo("Europe/Madrid")
SPRING = datetime(2026, 3, 28, 10, tzinfo=MADRID)
AUTUMN = datetime(2026, 10, 24, 10, tzinfo=MADRID)

term_prices = st.lists(
    st.builds(TermPrice, days=st.integers(1, 8), price=st.integers(0, 40).map(Decimal)),
    min_size=1,
    max_size=3,
).map(tuple)


def best_by_enumeration(prices: tuple[TermPrice, ...], days: int) -> tuple[Decimal, int, int]:
    """Return (cost, days held, terms) of the best multiset of at most `days` terms."""
    return min(
        (sum((term.price for term in chosen), Decimal(0)), sum(term.days for term in chosen), count)
        for count in range(1, days + 1)
        for chosen in combinations_with_replacement(prices, count)
        if sum(term.days for term in chosen) >= days
    )


@given(term_prices, st.integers(1, 9))
@settings(max_examples=150, deadline=None)
def test_a_cover_is_the_best_of_all_term_sequences(prices: tuple[TermPrice, ...], days: int) -> None:
    cover = cover_days(prices, days)
    assert cover is not None
    assert (cover.cost, cover.held_days, len(cover.terms)) == best_by_enumeration(prices, days)


@given(term_prices, st.integers(300, 600))
@settings(max_examples=80, deadline=None)
def test_a_cover_of_many_days_costs_what_a_plain_table_says(prices: tuple[TermPrice, ...], days: int) -> None:
    table = [Decimal(0)]
    for needed in range(1, days + 1):
        table.append(min(table[max(0, needed - term.days)] + term.price for term in prices))
    cover = cover_days(prices, days)
    assert cover is not None
    assert cover.cost == table[days]
    assert cover.held_days == sum(cover.terms) >= days


def test_a_need_of_a_million_days_is_answered_at_once() -> None:
    cover = cover_days((TermPrice(3, Decimal(90)), TermPrice(7, Decimal(180))), 1_000_000)
    assert cover is not None
    # 142,857 x 7 = 999,999 leaves 1 day, a 3-day term: 1,000,002 days. Two 7-day terms fewer and four
    # 3-day terms more cost the same (2 x 180 = 4 x 90) and hold 1,000,000: the shorter one is taken.
    assert cover.cost == 142_857 * 180 + 90
    assert cover.held_days == 1_000_000


def test_without_prices_there_is_no_cover() -> None:
    assert cover_days((), 3) is None


def test_no_days_need_no_term() -> None:
    assert cover_days((TermPrice(3, Decimal(90)),), 0) == Cover((), 0, Decimal(0))


def test_the_cheaper_of_two_prices_for_one_length_counts() -> None:
    cover = cover_days((TermPrice(3, Decimal(90)), TermPrice(3, Decimal(80))), 4)
    assert cover == Cover((3, 3), 6, Decimal(160))


def test_a_term_without_days_or_with_a_negative_price_is_refused() -> None:
    with pytest.raises(ValueError, match="day"):
        TermPrice(0, Decimal(1))
    with pytest.raises(ValueError, match="price"):
        TermPrice(3, Decimal(-1))
    with pytest.raises(ValueError, match="price"):
        TermPrice(3, Decimal("NaN"))


@pytest.mark.parametrize(("start", "hours"), [(None, 72), (SPRING, 71), (AUTUMN, 73)])
def test_three_days_follow_the_calendar_across_a_clock_change(start: datetime | None, hours: int) -> None:
    assert held_ms(start, 3) == hours * MS_PER_HOUR


def test_a_term_ends_at_the_same_local_time_even_when_the_start_is_written_in_utc() -> None:
    end = term_end(SPRING.astimezone(UTC), MADRID, 3)
    assert end == datetime(2026, 3, 31, 10, tzinfo=MADRID)
    assert end.hour == 10


def test_a_term_that_would_end_in_the_skipped_hour_ends_just_after_it() -> None:
    # 29 March 2026 has no 02:30 in Madrid; one date after 02:30 is 03:30, 24 h later.
    start = datetime(2026, 3, 28, 2, 30, tzinfo=MADRID)
    assert term_end(start, MADRID, 1).replace(tzinfo=None) == datetime(2026, 3, 29, 3, 30)
    assert held_ms(start, 1) == MS_PER_DAY


def test_a_zone_that_skips_a_whole_date_still_gets_enough_days() -> None:
    # Samoa had no 30 December 2011: one date more than hours / 24 says.
    start = datetime(2011, 12, 29, 9, tzinfo=ZoneInfo("Pacific/Apia"))
    assert days_needed(2 * MS_PER_DAY, start) == 3


def test_a_start_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        held_ms(datetime(2026, 6, 1, 9), 3)


def test_days_past_the_calendar_have_24_hours() -> None:
    start = datetime(9999, 12, 30, tzinfo=UTC)
    assert held_ms(start, 30) == 30 * MS_PER_DAY
    assert days_needed(10**18, None) == -(-(10**18) // MS_PER_DAY)


@pytest.mark.parametrize(
    ("duration_ms", "start", "days"),
    [
        (0, None, 0),
        (1, None, 1),
        (72 * MS_PER_HOUR, None, 3),
        (75 * MS_PER_HOUR, None, 4),
        (72 * MS_PER_HOUR, SPRING, 4),  # three dates hold 71 h
        (73 * MS_PER_HOUR, AUTUMN, 3),  # three dates hold 73 h
    ],
)
def test_days_needed_are_the_fewest_that_last_long_enough(
    duration_ms: int, start: datetime | None, days: int
) -> None:
    assert days_needed(duration_ms, start) == days


@given(
    st.integers(1, 40 * MS_PER_DAY),
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)),
)
@settings(max_examples=100, deadline=None)
def test_one_day_fewer_than_needed_is_too_short(duration_ms: int, naive: datetime) -> None:
    start = naive.replace(tzinfo=MADRID)
    days = days_needed(duration_ms, start)
    assert held_ms(start, days) >= duration_ms
    assert days == 1 or held_ms(start, days - 1) < duration_ms


def test_a_three_day_term_ends_three_hours_before_a_plan_of_75_hours() -> None:
    start = datetime(2026, 6, 1, 9, tzinfo=MADRID)
    assert short_by_ms(3, 75 * MS_PER_HOUR, start) == 3 * MS_PER_HOUR
    assert short_by_ms(7, 75 * MS_PER_HOUR, start) == 0
    assert term_end(start, MADRID, 3) == start + timedelta(days=3)


@given(
    st.lists(
        st.builds(TermPrice, st.integers(1, 12), st.decimals(0, 500, places=2, allow_nan=False)),
        min_size=1,
        max_size=4,
    ).map(tuple),
    st.integers(1, 60),
)
def test_the_ladder_is_the_cover_of_a_day_more_each_time(prices: tuple[TermPrice, ...], longest: int) -> None:
    expected, held = [], 0
    while held < longest:
        cover = cover_days(prices, held + 1)
        assert cover is not None
        expected.append(cover)
        held = cover.held_days
    found = cover_ladder(prices, longest)
    assert [(one.held_days, one.cost) for one in found] == [(one.held_days, one.cost) for one in expected]
    price_of = {
        days: min(one.price for one in prices if one.days == days) for days in {p.days for p in prices}
    }
    assert all(sum(price_of[day] for day in one.terms) == one.cost for one in found)
    assert all(sum(one.terms) == one.held_days for one in found)
