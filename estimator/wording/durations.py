"""Durations and dates as text for people. Milliseconds come in; nothing is computed with the result.

Minutes under 120 min, hours and minutes under 72 h, then days and hours: one decision for every face.
"""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_HALF_UP, Decimal

from estimator.units import (
    MS_PER_DAY,
    MS_PER_HOUR,
    MS_PER_MINUTE,
    MS_PER_SECOND,
    TimeUnit,
    from_ms,
)
from estimator.wording.numbers import MINUS, NumberFormat, number_text

_MINUTES_UNTIL = 120
_HOURS_UNTIL = 72
# CLDR, English, abbreviated; Spanish dates are all figures.
_ENGLISH_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def duration_parts(ms: int, number_format: NumberFormat) -> tuple[str, str]:
    """Return (figure, unit) for a large figure: ("58", "min"), ("33 h 58", "min"), ("5 d 07", "h").

    What is shown decides the step: 119.96 min would be shown as 120 min, and is "2 h 00 min".
    """
    sign, ms = (MINUS, -ms) if ms < 0 else ("", ms)
    seconds = _tenths(ms, TimeUnit.SECOND)
    if ms > 0 and seconds < 60:
        return sign + number_text(seconds, number_format), "s"
    minutes = _tenths(ms, TimeUnit.MINUTE)
    if minutes < _MINUTES_UNTIL:
        return sign + number_text(minutes, number_format), "min"
    hours, minute = divmod(_whole(ms, MS_PER_MINUTE), 60)
    if hours < _HOURS_UNTIL:
        return f"{sign}{hours} h {minute:02d}", "min"
    days, hour = divmod(_whole(ms, MS_PER_HOUR), 24)
    return f"{sign}{number_text(days, number_format)} d {hour:02d}", "h"


def duration_text(ms: int, number_format: NumberFormat) -> str:
    """Return "58 min", "33 h 58 min" or "5 d 07 h"; under a minute "45 s"."""
    figure, unit = duration_parts(ms, number_format)
    return f"{figure} {unit}"


def duration_in_text(ms: int, unit: TimeUnit, number_format: NumberFormat, digits: int | None = None) -> str:
    """Return the duration in one unit: such as "1.8 h"; without `digits`, at most two decimals."""
    value = from_ms(ms, unit)
    if digits is None:
        value = value.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
    return f"{number_text(value, number_format, digits)} {unit.value}"


def exact_duration_text(ms: int, number_format: NumberFormat) -> str:
    """Return every part down to the millisecond: "1 d 9 h 58 min 12.5 s"; zero parts are left out."""
    if ms == 0:
        return "0 min"
    sign, ms = (MINUS, -ms) if ms < 0 else ("", ms)
    days, ms = divmod(ms, MS_PER_DAY)
    hours, ms = divmod(ms, MS_PER_HOUR)
    minutes, ms = divmod(ms, MS_PER_MINUTE)
    parts = (
        (Decimal(days), "d"),
        (Decimal(hours), "h"),
        (Decimal(minutes), "min"),
        (Decimal(ms) / MS_PER_SECOND, "s"),
    )
    return sign + " ".join(f"{number_text(value, number_format)} {unit}" for value, unit in parts if value)


def spanish_date(day: dt.date) -> str:
    """Return 30/11/2026."""
    return f"{day.day:02d}/{day.month:02d}/{day.year:04d}"


def english_date(day: dt.date) -> str:
    """Return 30 Nov 2026."""
    return f"{day.day} {_ENGLISH_MONTHS[day.month - 1]} {day.year:04d}"


def _tenths(ms: int, unit: TimeUnit) -> Decimal:
    return from_ms(ms, unit).quantize(Decimal("0.1"), rounding=ROUND_HALF_UP)


def _whole(ms: int, ms_per_unit: int) -> int:
    return (2 * ms + ms_per_unit) // (2 * ms_per_unit)
