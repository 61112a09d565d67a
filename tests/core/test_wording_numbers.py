"""Numbers, money, memory, durations and dates as text, in Spain, Mexico and the United States."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from babel.dates import format_date
from babel.numbers import format_decimal, get_decimal_symbol, get_group_symbol
from hypothesis import given
from hypothesis import strategies as st

from estimator.units import GIB, MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, TimeUnit
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.durations import english_date

SPAIN = Wording(Language.SPANISH, NumberFormat.ES_ES)
MEXICO = Wording(Language.SPANISH, NumberFormat.ES_MX)
STATES = Wording(Language.ENGLISH, NumberFormat.EN_US)


@pytest.mark.parametrize("number_format", NumberFormat)
def test_the_marks_are_those_that_babel_knows(number_format: NumberFormat) -> None:
    assert number_format.decimal_mark == get_decimal_symbol(number_format.value)
    assert number_format.group_mark == get_group_symbol(number_format.value)


@given(
    value=st.decimals(min_value=-(10**12), max_value=10**12, places=2),
    number_format=st.sampled_from(NumberFormat),
)
def test_a_number_reads_as_babel_writes_it_but_for_the_minus(
    value: Decimal, number_format: NumberFormat
) -> None:
    text = Wording(Language.ENGLISH, number_format).number(value, 2)
    expected = format_decimal(abs(value), format="#,##0.00", locale=number_format.value)
    assert text == (f"−{expected}" if value < 0 else expected)


def test_thousands_are_grouped_from_four_digits_in_every_format() -> None:
    assert SPAIN.number(Decimal("1234.5"), 2) == "1.234,50"
    assert MEXICO.number(Decimal("1234.5"), 2) == "1,234.50"
    assert STATES.number(Decimal("1234.5"), 2) == "1,234.50"
    assert SPAIN.number(1000) == "1.000"
    assert SPAIN.number(1_234_567, grouping=False) == "1234567"


def test_rounding_is_half_up_and_away_from_zero() -> None:
    assert STATES.number(Decimal("0.125"), 2) == "0.13"
    assert STATES.number(Decimal("-0.125"), 2) == "−0.13"
    assert STATES.number(Decimal("2.5"), 0) == "3"


def test_a_number_without_stated_digits_has_as_few_as_it_needs() -> None:
    assert STATES.number(Decimal("1.500")) == "1.5"
    assert STATES.number(Decimal("100")) == "100"
    assert STATES.number(Decimal("1E+3")) == "1,000"
    assert STATES.number(0.1 + 0.2) == "0.3"


def test_a_negative_number_that_rounds_to_zero_has_no_sign() -> None:
    assert STATES.number(Decimal("-0.001"), 2) == "0.00"
    assert STATES.number(Decimal("-0")) == "0"


def test_a_number_of_thirty_digits_keeps_them_all() -> None:
    # More than the 28 digits of decimal's ordinary context.
    assert STATES.number(-(10**30 + 1), grouping=False) == "−1000000000000000000000000000001"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), Decimal("-Infinity")])
def test_a_number_that_is_not_finite_is_refused(value: float | Decimal) -> None:
    with pytest.raises(ValueError, match="not finite"):
        STATES.number(value)


def test_a_percentage_has_a_space_that_does_not_break() -> None:
    assert SPAIN.percent(Decimal("12.5")) == "12,5\u00a0%"
    assert STATES.percent(21) == "21\u00a0%"


def test_money_has_the_decimals_of_its_currency_and_names_it() -> None:
    assert SPAIN.money(Decimal("0.774"), "EUR") == "0,77\u00a0€"
    assert MEXICO.money(Decimal("1093.5"), "EUR") == "1,093.50\u00a0€"
    assert STATES.money(Decimal("12.5"), "USD") == "12.50\u00a0USD"
    assert STATES.money(Decimal("1240"), "JPY") == "1,240\u00a0JPY"
    assert STATES.money(Decimal("1.5"), "KWD") == "1.500\u00a0KWD"
    assert STATES.money(Decimal("12.5"), "USD", symbol=False) == "12.50"
    assert STATES.money(Decimal("0.0125"), "USD", digits=4) == "0.0125\u00a0USD"


def test_memory_has_one_decimal() -> None:
    assert SPAIN.memory(int(Decimal("19.4") * GIB)) == "19,4 GiB"


def test_a_peak_and_a_usable_size_that_differ_never_look_equal() -> None:
    # 19.96 and 20.04 are both 20.0 with one decimal.
    peak, usable = int(Decimal("19.96") * GIB), int(Decimal("20.04") * GIB)
    assert STATES.memory_pair(peak, usable) == ("19.96 GiB", "20.04 GiB")
    assert STATES.memory_pair(18 * GIB, 24 * GIB) == ("18.0 GiB", "24.0 GiB")
    assert STATES.memory_pair(GIB, GIB) == ("1.0 GiB", "1.0 GiB")


@given(peak=st.integers(0, 2**45), difference=st.integers(1, 2**31))
def test_a_pair_is_told_apart_whatever_the_difference(peak: int, difference: int) -> None:
    first, second = STATES.memory_pair(peak, peak + difference)
    assert first != second


def test_a_span_is_said_in_words_and_a_span_of_one_number_is_that_number() -> None:
    assert SPAIN.span(9, 18) == "9 a 18"
    assert STATES.span(Decimal("9.5"), 18, 1) == "9.5 to 18.0"
    assert STATES.span(9, 9) == "9"


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0 min"),
        (45_000, "45 s"),
        (1_500, "1,5 s"),
        (59_950, "1 min"),  # shown with one decimal it would be 60 s
        (58 * MS_PER_MINUTE, "58 min"),
        (int(7.5 * MS_PER_MINUTE), "7,5 min"),
        (106 * MS_PER_MINUTE, "106 min"),
        (120 * MS_PER_MINUTE - 1_000, "2 h 00 min"),  # 119.98 min would be shown as 120
        (120 * MS_PER_MINUTE, "2 h 00 min"),
        (33 * MS_PER_HOUR + 58 * MS_PER_MINUTE, "33 h 58 min"),
        (72 * MS_PER_HOUR - 1, "3 d 00 h"),
        (5 * MS_PER_DAY + 7 * MS_PER_HOUR, "5 d 07 h"),
        (1_200 * MS_PER_DAY, "1.200 d 00 h"),
        (-12 * MS_PER_MINUTE, "−12 min"),
    ],
)
def test_a_duration_is_said_in_the_units_of_its_size(ms: int, text: str) -> None:
    assert SPAIN.duration(ms) == text


def test_a_large_figure_takes_a_duration_in_two_parts() -> None:
    assert SPAIN.duration_parts(58 * MS_PER_MINUTE) == ("58", "min")
    assert SPAIN.duration_parts(33 * MS_PER_HOUR + 58 * MS_PER_MINUTE) == ("33 h 58", "min")
    assert SPAIN.duration_parts(5 * MS_PER_DAY + 7 * MS_PER_HOUR) == ("5 d 07", "h")


def test_a_duration_in_one_unit_keeps_that_unit() -> None:
    # 108 min / 60 = 1.8 h; 100 min / 60 = 1.666… h
    assert SPAIN.duration_in(108 * MS_PER_MINUTE, TimeUnit.HOUR) == "1,8 h"
    assert STATES.duration_in(100 * MS_PER_MINUTE, TimeUnit.HOUR) == "1.67 h"
    assert STATES.duration_in(100 * MS_PER_MINUTE, TimeUnit.HOUR, 1) == "1.7 h"


def test_an_exact_duration_has_every_part_that_is_not_zero() -> None:
    ms = MS_PER_DAY + 9 * MS_PER_HOUR + 58 * MS_PER_MINUTE + 12_500
    assert SPAIN.exact_duration(ms) == "1 d 9 h 58 min 12,5 s"
    assert STATES.exact_duration(12 * MS_PER_MINUTE) == "12 min"
    assert STATES.exact_duration(-1) == "−0.001 s"
    assert STATES.exact_duration(0) == "0 min"


def test_dates_follow_the_language_and_times_have_24_hours() -> None:
    day = dt.date(2026, 11, 30)
    assert (SPAIN.date(day), STATES.date(day)) == ("30/11/2026", "30 Nov 2026")
    assert MEXICO.date(dt.date(2026, 1, 2)) == "02/01/2026"
    assert STATES.date_time(dt.datetime(2026, 11, 30, 16, 5)) == "30 Nov 2026 16:05"
    # 30 November 2026 is the Monday of ISO week 49.
    assert (SPAIN.iso_week(day), STATES.iso_week(day)) == ("semana 49", "week 49")


@pytest.mark.parametrize("month", range(1, 13))
def test_english_dates_read_as_babel_writes_them(month: int) -> None:
    day = dt.date(2026, month, 9)
    assert english_date(day) == format_date(day, "d MMM y", locale="en_US")


def test_what_is_not_known_is_a_dash() -> None:
    assert SPAIN.unknown == "—"
