"""Typed and pasted text read as numbers, durations, counts and dates.

Comma and point are both the decimal mark: a planner in Mexico and one in Spain type what they are used to,
and grouping is never typed. Text that cannot be read is a code, never 0. Files do not come here.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from decimal import Decimal, localcontext

from estimator.units import MS_PER, TimeUnit
from estimator.wording.numbers import NumberFormat

_SPACES = re.compile(r"[\s\u00a0\u2007\u2009\u202f]+")
_NUMBER = re.compile(
    r"(?P<lead>[€$£¥])? ?(?P<sign>[+-]?) ?(?P<figure>[0-9.,]+(?: [0-9.,]+)*) ?"
    r"(?P<unit>[^\W\d_][^\d.,]*|[€$£¥%])?\Z"
)
_LONGEST = 30
_UNITS_OF_ONE_MEANING = frozenset({"€", "%", "gib"})
_SIGNS: dict[str, frozenset[str]] = {
    "EUR": frozenset({"€"}),
    "USD": frozenset({"$", "us$"}),
    "MXN": frozenset({"$", "mx$"}),
    "GBP": frozenset({"£"}),
    "JPY": frozenset({"¥"}),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says. Blank text: neither value nor code. `echo`: show how an ambiguous one was read."""

    value: Decimal | None = None
    code: str | None = None
    echo: bool = False


@dataclass(frozen=True, slots=True)
class DurationReading:
    """A duration as read, in `unit`. Blank text: neither value nor code."""

    value: Decimal | None = None
    unit: TimeUnit = TimeUnit.MINUTE
    code: str | None = None


def read_number(
    text: str, number_format: NumberFormat, *, pasted: bool = False, unit: str | None = None
) -> Reading:
    """Return the number in a text.

    With `unit` (a currency code, "%", "GiB") only that unit may stand beside the number; without it €, % and
    GiB may. Codes: unreadable_number, ambiguous_number (marks that do not match the regional format, or a
    space between digits), other_unit.
    """
    plain = _plain(text)
    if not plain:
        return Reading()
    found = _NUMBER.match(plain)
    if not found:
        return Reading(code="unreadable_number")
    if any(not _unit_agrees(beside, unit) for beside in (found["lead"], found["unit"]) if beside):
        return Reading(code="other_unit")
    reading = _read_figure(found["figure"], number_format, pasted)
    if reading.value is not None and found["sign"] == "-":
        return Reading(_negated(reading.value), None, reading.echo)
    return reading


def read_count(text: str, number_format: NumberFormat, *, pasted: bool = False) -> Reading:
    """Return a whole number that is not negative.

    A single mark before three digits is refused: "12.000" may be meant as twelve thousand.
    Codes: those of `read_number`, not_whole, negative.
    """
    reading = read_number(text, number_format, pasted=pasted)
    if reading.value is None:
        return reading
    figure = re.sub(r"[^0-9.,]", "", text)
    if _could_be_grouped(figure):
        return Reading(code="ambiguous_number")
    if reading.value != reading.value.to_integral_value():
        return Reading(code="not_whole")
    if reading.value < 0:
        return Reading(code="negative")
    return Reading(reading.value.to_integral_value())


def _negated(value: Decimal) -> Decimal:
    return value.copy_negate() if value else value  # unlike -value, exact; and there is no -0


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).strip().replace("\u2212", "-")


def _unit_agrees(beside: str, unit: str | None) -> bool:
    written = beside.strip().casefold()
    if unit is None:
        return written in _UNITS_OF_ONE_MEANING
    return written == unit.casefold() or written in _SIGNS.get(unit, frozenset())


def _could_be_grouped(figure: str) -> bool:
    return re.fullmatch(r"[1-9][0-9]{0,2}[.,][0-9]{3}", figure) is not None


def _read_figure(figure: str, number_format: NumberFormat, pasted: bool) -> Reading:
    """Return the reading of digits and marks alone."""
    if len(figure) > _LONGEST or not re.search(r"[0-9]", figure):
        return Reading(code="unreadable_number")
    if " " in figure:
        return Reading(code="ambiguous_number")
    marks = re.findall(r"[.,]", figure)
    if len(marks) <= 1:
        # Typed, only the region's own mark between thousands is in doubt: 1,234 in the United States.
        echo = _could_be_grouped(figure) and (pasted or number_format.group_mark in marks)
        return Reading(Decimal(figure.replace(",", ".")), echo=echo)
    group, mark = re.escape(number_format.group_mark), re.escape(number_format.decimal_mark)
    is_regional = re.fullmatch(rf"[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+(?:{mark}[0-9]*)?", figure)
    if not is_regional or not (pasted or len(set(marks)) == 2):
        return Reading(code="ambiguous_number")
    ungrouped = figure.replace(number_format.group_mark, "")
    return Reading(Decimal(ungrouped.replace(",", ".")))


_TIME_WORDS: dict[TimeUnit, frozenset[str]] = {
    TimeUnit.SECOND: frozenset(
        {"s", "sec", "secs", "seg", "segs", "segundo", "segundos", "second", "seconds"}
    ),
    TimeUnit.MINUTE: frozenset({"m", "min", "mins", "minuto", "minutos", "minute", "minutes"}),
    TimeUnit.HOUR: frozenset({"h", "hr", "hrs", "hora", "horas", "hour", "hours"}),
    TimeUnit.DAY: frozenset({"d", "día", "días", "dia", "dias", "day", "days"}),
}
_UNIT_OF = {word: unit for unit, words in _TIME_WORDS.items() for word in words}
_FINER = {TimeUnit.DAY: TimeUnit.HOUR, TimeUnit.HOUR: TimeUnit.MINUTE, TimeUnit.MINUTE: TimeUnit.SECOND}
_CLOCK = re.compile(r"([0-9]{1,6}):([0-5][0-9])(?::([0-5][0-9]))?\Z")
_PIECE = re.compile(r" ?(?:(?:y|and) )?([0-9.,]+) ?([^\W\d_]+\.?)?")


def read_duration(
    text: str, default_unit: TimeUnit, number_format: NumberFormat, *, pasted: bool = False
) -> DurationReading:
    """Return the duration in a text: 90, 1:30 (hours and minutes), 1h30, 1 h 30 min, 45 s, 2 d.

    A number alone is in `default_unit`. The reading comes in `default_unit` where three decimals say it
    exactly, else in the finest unit written. Codes: unreadable_duration, ambiguous_duration (1:30 in a field
    of seconds or days), negative, ambiguous_number.
    """
    plain = _plain(text).casefold()
    if not plain:
        return DurationReading(unit=default_unit)
    if plain.startswith("-"):
        return DurationReading(unit=default_unit, code="negative")
    clock = _CLOCK.match(plain)
    if clock:
        hours, minutes, seconds = clock.groups()
        if seconds is None and default_unit not in (TimeUnit.MINUTE, TimeUnit.HOUR):
            return DurationReading(unit=default_unit, code="ambiguous_duration")
        parts = [(Decimal(hours), TimeUnit.HOUR), (Decimal(minutes), TimeUnit.MINUTE)]
        if seconds is not None:
            parts.append((Decimal(seconds), TimeUnit.SECOND))
        return _in_unit(parts, default_unit)
    return _read_pieces(plain, default_unit, number_format, pasted)


def _read_pieces(
    plain: str, default_unit: TimeUnit, number_format: NumberFormat, pasted: bool
) -> DurationReading:
    """Return the duration of numbers with units, each unit finer than the one before."""
    parts: list[tuple[Decimal, TimeUnit]] = []
    at = 0
    while at < len(plain):
        piece = _PIECE.match(plain, at)
        if not piece:
            return DurationReading(unit=default_unit, code="unreadable_duration")
        reading = read_number(piece[1], number_format, pasted=pasted)
        if reading.value is None:
            return DurationReading(unit=default_unit, code=reading.code)
        unit = _unit_after(piece[2], parts, default_unit)
        is_finer = not parts or (unit is not None and MS_PER[unit] < MS_PER[parts[-1][1]])
        if unit is None or not is_finer:
            return DurationReading(unit=default_unit, code="unreadable_duration")
        parts.append((reading.value, unit))
        at = piece.end()
    return _in_unit(parts, default_unit)


def _unit_after(
    word: str | None, parts: list[tuple[Decimal, TimeUnit]], default_unit: TimeUnit
) -> TimeUnit | None:
    """Return the unit a word names; without a word the default, or the next finer one as in 1h30."""
    if word is not None:
        return _UNIT_OF.get(word.rstrip("."))
    return _FINER.get(parts[-1][1]) if parts else default_unit


def _in_unit(parts: list[tuple[Decimal, TimeUnit]], default_unit: TimeUnit) -> DurationReading:
    if len(parts) == 1 and parts[0][1] is default_unit:
        return DurationReading(parts[0][0], default_unit)
    with localcontext(prec=_LONGEST * 2):
        ms = sum((value * MS_PER[unit] for value, unit in parts), Decimal(0))
        value = ms / MS_PER[default_unit]
        unit = default_unit
        if value != round(value, 3):
            unit = parts[-1][1]
            value = ms / MS_PER[unit]
        return DurationReading(Decimal(f"{value.normalize():f}"), unit)


_MONTHS = {
    word: number
    for number, words in enumerate(
        (
            "jan ene january enero",
            "feb february febrero",
            "mar march marzo",
            "apr abr april abril",
            "may mayo",
            "jun june junio",
            "jul july julio",
            "aug ago august agosto",
            "sep sept set september septiembre setiembre",
            "oct october octubre",
            "nov november noviembre",
            "dec dic december diciembre",
        ),
        start=1,
    )
    for word in words.split()
}
_ISO_DATE = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})\Z")
_FIGURES_DATE = re.compile(r"([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4})\Z")
_DAY_FIRST_DATE = re.compile(r"([0-9]{1,2})(?: de)? ([a-z]+)\.?(?: de)?,? ([0-9]{4})\Z")
_MONTH_FIRST_DATE = re.compile(r"([a-z]+)\.? ([0-9]{1,2}),? ([0-9]{4})\Z")


def read_date(text: str, number_format: NumberFormat) -> dt.date | None:
    """Return the date in a text, or None: ISO, 30 Nov 2026, and figures as the region orders them.

    30/11/2026 in es_ES, es_MX and en_GB, 11/30/2026 in en_US; a date that is possible only in the other order
    is refused, not guessed. Years have four digits.
    """
    plain = _plain(text).casefold()
    if found := _ISO_DATE.match(plain):
        return _date(found[1], found[2], found[3])
    if found := _FIGURES_DATE.match(plain):
        day, month = (found[3], found[1]) if number_format is NumberFormat.EN_US else (found[1], found[3])
        return _date(found[4], month, day)
    if found := _DAY_FIRST_DATE.match(plain):
        return _date(found[3], _MONTHS.get(found[2]), found[1])
    if found := _MONTH_FIRST_DATE.match(plain):
        return _date(found[3], _MONTHS.get(found[1]), found[2])
    return None


def _date(year: str, month: str | int | None, day: str) -> dt.date | None:
    try:
        return None if month is None else dt.date(int(year), int(month), int(day))
    except ValueError:
        return None


def read_time_of_day(text: str) -> int | None:
    """Return the minutes from midnight of a time of day as 8, 8:30, 8.30 or 8h30; 24 and 0 are midnight."""
    found = re.fullmatch(r"\s*(\d{1,2})(?:\s*[:.h]\s*(\d{2})?)?\s*h?\s*", text, re.ASCII)
    if found is None:
        return None
    hour, minute = int(found[1]), int(found[2] or 0)
    if minute >= 60 or hour > 24 or (hour == 24 and minute):
        return None
    return (hour % 24) * 60 + minute
