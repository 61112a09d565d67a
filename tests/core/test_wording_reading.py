"""Typed and pasted text read as numbers, durations, counts and dates, in several countries."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.units import TimeUnit
from estimator.wording import (
    Language,
    NumberFormat,
    Reading,
    Wording,
    read_count,
    read_date,
    read_duration,
    read_number,
)

FORMATS = list(NumberFormat)
ES_ES, ES_MX, EN_US, EN_GB = FORMATS


@pytest.mark.parametrize("pasted", [False, True])
@pytest.mark.parametrize("number_format", FORMATS)
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0,75", "0.75"),
        ("0.75", "0.75"),
        ("18,5", "18.5"),
        ("1.5", "1.5"),
        ("1,5", "1.5"),
        ("1.234", "1.234"),
        ("1234.56", "1234.56"),
        ("12,50", "12.50"),
        ("-3", "-3"),
        ("−3", "-3"),
        ("+3", "3"),
        (",5", "0.5"),
        ("12,", "12"),
        ("  7\u00a0", "7"),
        ("12,5 €", "12.5"),
        ("21\u00a0%", "21"),
        ("€ 12.5", "12.5"),
        ("18 GiB", "18"),
        ("-0", "0"),
    ],
)
def test_either_mark_is_the_decimal_mark_in_every_format(
    text: str, value: str, number_format: NumberFormat, pasted: bool
) -> None:
    assert read_number(text, number_format, pasted=pasted).value == Decimal(value)


def test_a_number_of_thirty_digits_is_read_exactly() -> None:
    assert read_number("-123456789012345678901234567890", ES_ES).value == Decimal(
        "-123456789012345678901234567890"
    )


@pytest.mark.parametrize("text", ["", "   ", "\u00a0"])
def test_a_blank_is_neither_a_number_nor_a_mistake(text: str) -> None:
    assert read_number(text, ES_ES) == Reading()


@pytest.mark.parametrize(
    "text", ["abc", ",", ".", "--3", "1e6", "NaN", "inf", "3-4", "€", "١٢", "1" * 31, "0x10"]
)
def test_text_that_is_not_a_number_is_a_mistake_and_never_zero(text: str) -> None:
    reading = read_number(text, ES_ES, pasted=True)
    assert reading.value is None
    assert reading.code in ("unreadable_number", "other_unit")


def test_two_marks_are_read_only_as_the_region_writes_them() -> None:
    assert read_number("1.234,50", ES_ES, pasted=True).value == Decimal("1234.50")
    assert read_number("1,234.50", EN_US, pasted=True).value == Decimal("1234.50")
    assert read_number("1,234.50", ES_MX, pasted=True).value == Decimal("1234.50")
    assert read_number("1.234.567", ES_ES, pasted=True).value == Decimal(1234567)
    assert read_number("1.234,50", ES_ES).value == Decimal("1234.50")  # typed with two marks, as if pasted
    for text, number_format in (("1.234,50", EN_US), ("1.234,50", ES_MX), ("1,234.50", ES_ES)):
        assert read_number(text, number_format, pasted=True).code == "ambiguous_number"


@pytest.mark.parametrize(
    "text", ["1.234.567", "1 234", "1\u00a0234", "1.2.3", "12.34,5", "1,2,3.4", "1234.567,8"]
)
def test_grouping_is_never_typed(text: str) -> None:
    assert read_number(text, ES_ES).code == "ambiguous_number"


def test_a_pasted_number_that_might_be_grouped_is_shown_back() -> None:
    assert read_number("1.234", ES_ES, pasted=True) == Reading(Decimal("1.234"), None, True)
    assert not read_number("0.125", ES_ES, pasted=True).echo
    assert not read_number("1234.567", ES_ES, pasted=True).echo


def test_a_typed_number_is_shown_back_only_where_its_mark_is_the_regions_mark_of_thousands() -> None:
    assert read_number("1,234", EN_US) == Reading(Decimal("1.234"), None, True)
    assert read_number("1.234", ES_ES) == Reading(Decimal("1.234"), None, True)
    assert read_number("1,234", ES_ES) == Reading(Decimal("1.234"))
    assert read_number("1.234", EN_US) == Reading(Decimal("1.234"))


def test_a_field_with_a_unit_takes_no_other() -> None:
    assert read_number("12 USD", EN_US, unit="USD").value == Decimal(12)
    assert read_number("$12", EN_US, unit="USD").value == Decimal(12)
    assert read_number("12 €", EN_US, unit="USD").code == "other_unit"
    assert read_number("12 USD", EN_US, unit="EUR").code == "other_unit"
    assert read_number("18 GB", EN_US, unit="GiB").code == "other_unit"
    assert read_number("12 USD", EN_US).code == "other_unit"


@given(
    value=st.decimals(min_value=-(10**9), max_value=10**9, places=2),
    number_format=st.sampled_from(FORMATS),
    grouping=st.booleans(),
)
def test_what_is_shown_with_decimals_reads_back_as_the_same_number(
    value: Decimal, number_format: NumberFormat, grouping: bool
) -> None:
    text = Wording(Language.SPANISH, number_format).number(value, 2, grouping=grouping)
    assert read_number(text, number_format, pasted=True).value == value


@given(
    text=st.text(alphabet="0123456789.,-+ €%aeE\u2212\u00a0", max_size=12),
    number_format=st.sampled_from(FORMATS),
)
def test_any_text_has_a_value_or_a_code_or_is_blank(text: str, number_format: NumberFormat) -> None:
    for reading in (read_number(text, number_format), read_count(text, number_format, pasted=True)):
        assert reading.value is None or reading.code is None
        assert reading.value is not None or reading.code is not None or not text.strip()


@pytest.mark.parametrize("number_format", FORMATS)
def test_a_count_is_whole_and_not_negative(number_format: NumberFormat) -> None:
    assert read_count("12", number_format).value == Decimal(12)
    assert read_count("8,0", number_format).value == Decimal(8)
    assert read_count("", number_format) == Reading()
    assert read_count("1,5", number_format).code == "not_whole"
    assert read_count("-2", number_format).code == "negative"
    assert read_count("12.000", number_format).code == "ambiguous_number"
    assert read_count("doce", number_format).code == "unreadable_number"


def test_a_pasted_count_may_be_grouped_as_the_region_does() -> None:
    assert read_count("1.234.567", ES_ES, pasted=True).value == Decimal(1234567)


@pytest.mark.parametrize("number_format", FORMATS)
@pytest.mark.parametrize(
    ("text", "default", "value", "unit"),
    [
        ("90", "min", "90", "min"),
        ("12,5", "min", "12.5", "min"),
        ("1:30", "min", "90", "min"),
        ("1:30", "h", "1.5", "h"),
        ("1:30:30", "s", "5430", "s"),
        ("1h30", "min", "90", "min"),
        ("1 h 30 min", "min", "90", "min"),
        ("1 hora y 30 minutos", "min", "90", "min"),
        ("1 hour and 30 minutes", "h", "1.5", "h"),
        ("1.5 h", "min", "90", "min"),
        ("1,5 h", "min", "90", "min"),
        ("45 s", "min", "0.75", "min"),
        ("10 s", "h", "10", "s"),  # 0.002777… h has no exact decimals
        ("2 d", "h", "48", "h"),
        ("2 días", "d", "2", "d"),
        ("1 day", "min", "1440", "min"),
        ("1d12", "h", "36", "h"),
        ("0", "min", "0", "min"),
    ],
)
def test_a_duration_is_read_in_the_unit_of_its_field(
    text: str, default: str, value: str, unit: str, number_format: NumberFormat
) -> None:
    reading = read_duration(text, TimeUnit(default), number_format)
    assert (reading.value, reading.unit, reading.code) == (Decimal(value), TimeUnit(unit), None)


@pytest.mark.parametrize(
    ("text", "default", "code"),
    [
        ("1:30", "s", "ambiguous_duration"),
        ("1:30", "d", "ambiguous_duration"),
        ("1:75", "min", "unreadable_duration"),
        ("30 min 1 h", "min", "unreadable_duration"),
        ("1 h 2 h", "min", "unreadable_duration"),
        ("5 semanas", "min", "unreadable_duration"),
        ("pronto", "min", "unreadable_duration"),
        ("1 s 5", "min", "unreadable_duration"),
        ("-5", "min", "negative"),
        ("1.2.3", "min", "ambiguous_number"),
    ],
)
def test_a_duration_that_cannot_be_read_has_a_code_and_no_value(text: str, default: str, code: str) -> None:
    reading = read_duration(text, TimeUnit(default), ES_ES)
    assert (reading.value, reading.code) == (None, code)


def test_a_blank_duration_is_neither_a_value_nor_a_mistake() -> None:
    reading = read_duration(" ", TimeUnit.HOUR, ES_ES)
    assert (reading.value, reading.unit, reading.code) == (None, TimeUnit.HOUR, None)


@given(text=st.text(alphabet="0123456789.,: hmindsay-", max_size=14), unit=st.sampled_from(TimeUnit))
def test_any_duration_text_has_a_value_or_a_code_or_is_blank(text: str, unit: TimeUnit) -> None:
    reading = read_duration(text, unit, EN_US)
    assert (reading.value is None) == (reading.code is not None or not text.strip())


@pytest.mark.parametrize("number_format", FORMATS)
@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30",
        "30 Nov 2026",
        "30 nov. 2026",
        "30 de noviembre de 2026",
        "Nov 30, 2026",
        "30 November 2026",
    ],
)
def test_iso_dates_and_named_months_are_read_in_every_format(text: str, number_format: NumberFormat) -> None:
    assert read_date(text, number_format) == dt.date(2026, 11, 30)


def test_figures_are_read_in_the_order_of_the_region() -> None:
    assert [read_date("02/03/2026", each) for each in (ES_ES, ES_MX, EN_GB)] == [dt.date(2026, 3, 2)] * 3
    assert read_date("02/03/2026", EN_US) == dt.date(2026, 2, 3)
    assert read_date("11/30/2026", EN_US) == dt.date(2026, 11, 30)


@pytest.mark.parametrize(
    "text", ["", "31/02/2026", "11/30/2026", "30/11/26", "30 foo 2026", "2026-13-01", "mañana"]
)
def test_a_date_that_is_not_one_in_the_region_is_refused(text: str) -> None:
    assert read_date(text, ES_ES) is None
