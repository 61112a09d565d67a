"""The time axis: which ticks a view shows and what they say, as elapsed time or as dates in a zone.

Ticks are milliseconds from the start, made here and not by a chart library, so that a quote shows the same
axis on every desk whatever the machine's own zone is.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from math import ceil, floor

from ui.gantt.look import Words
from ui.gantt.view import GanttView

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
MINUTE_STEPS = (1, 2, 5, 10, 15, 30)
HOUR_STEPS = (1, 2, 3, 6, 12)
DAY_STEPS = (1, 2, 7, 14, 28, 84)
STEPS_MS = (
    *(n * MINUTE for n in MINUTE_STEPS),
    *(n * HOUR for n in HOUR_STEPS),
    *(n * DAY for n in DAY_STEPS),
)
MINUTES_UNTIL = 120 * MINUTE
HOURS_UNTIL = 72 * HOUR


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of the grid: its text, and where a day or week begins the text above and from when it holds."""

    at_ms: int
    text: str
    above: str = ""
    above_ms: int = 0


def step_for(ms_per_pixel: float, least_pixels: float) -> int:
    """The shortest step in milliseconds whose ticks stand at least `least_pixels` apart."""
    for step in STEPS_MS:
        if step >= ms_per_pixel * least_pixels:
            return step
    step = STEPS_MS[-1]
    while step < ms_per_pixel * least_pixels:
        step *= 2
    return step


def elapsed_ticks(
    view: GanttView, width: float, words: Words, least_pixels: float = 64.0
) -> tuple[Tick, ...]:
    """Ticks as time from the start: minutes below two hours, then hours, then days and hours."""
    step = step_for(view.ms_per_pixel, least_pixels)
    end_ms = view.time_at(width)
    first, last = max(0, ceil(view.offset_ms / step)), floor(end_ms / step)
    numbers = range(first, last + 1)
    return tuple(Tick(n * step, elapsed_text(n * step, end_ms, words, n == first)) for n in numbers)


def elapsed_text(at_ms: int, end_ms: float, words: Words, is_first: bool) -> str:
    """The text of one tick; only the first of an axis in minutes names its unit."""
    minutes = at_ms // MINUTE
    if end_ms <= MINUTES_UNTIL:
        return words.t("{minutes} min", minutes=str(minutes)) if is_first else str(minutes)
    days, hours, minutes = at_ms // DAY, at_ms // HOUR, minutes % 60
    if end_ms <= HOURS_UNTIL:
        if minutes:
            return words.t("{hours} h {minutes}", hours=str(hours), minutes=f"{minutes:02d}")
        return words.t("{hours} h", hours=str(hours))
    if at_ms % DAY == 0:
        return words.t("{days} d", days=str(days))
    return words.t("{days} d {time}", days=str(days), time=f"{hours % 24:02d}:{minutes:02d}")


def date_ticks(
    view: GanttView,
    width: float,
    start: datetime,
    words: Words,
    least_pixels: tuple[float, float] = (68.0, 96.0),
) -> tuple[Tick, ...]:
    """Ticks at round local times of the zone of `start`, which must have one.

    `least_pixels` is the room of a time and that of a date. A day on which the clocks change keeps its
    midnights; its hours are counted from midnight in real time.
    """
    if start.tzinfo is None:
        raise ValueError("an axis of dates needs a start with a zone")
    step = step_for(view.ms_per_pixel, least_pixels[0])
    if step >= DAY:
        step = step_for(view.ms_per_pixel, least_pixels[1])
    days = max(1, step // DAY)
    ordinal = _moment(start, view.offset_ms).date().toordinal()
    last_ordinal = _moment(start, view.time_at(width)).date().toordinal()
    # Day 1 of the calendar was a Monday: multiples of seven days fall on Mondays.
    ordinal -= (ordinal - 1) % days
    ticks: list[Tick] = []
    while ordinal <= last_ordinal:
        day = date.fromordinal(ordinal)
        midnight, next_midnight = _offset_ms(start, day), _offset_ms(start, day + timedelta(days=1))
        for at_ms in range(midnight, next_midnight, step) if step < DAY else (midnight,):
            if max(0.0, view.offset_ms) <= at_ms <= view.time_at(width):
                ticks.append(_date_tick(at_ms, midnight, start, step, words, not ticks))
        ordinal += days
    return tuple(ticks)


def _date_tick(at_ms: int, midnight: int, start: datetime, step: int, words: Words, is_first: bool) -> Tick:
    moment = _moment(start, at_ms)
    day = moment.date()
    if step >= DAY:
        is_new_week = is_first or step >= 7 * DAY or day.weekday() == 0
        return Tick(at_ms, words.date(day), words.iso_week(day) if is_new_week else "", at_ms)
    text = f"{moment.hour:02d}:{moment.minute:02d}"
    if not is_first and at_ms != midnight:
        return Tick(at_ms, text)
    named = words.t("{weekday} {date}", weekday=weekday(day, words), date=words.date(day))
    if is_first:
        named = words.t("{date}, {week}", date=named, week=words.iso_week(day))
    return Tick(at_ms, text, named, midnight)


def weekday(day: date, words: Words) -> str:
    """The short name of the day of the week."""
    names = (
        words.t("Mon"),
        words.t("Tue"),
        words.t("Wed"),
        words.t("Thu"),
        words.t("Fri"),
        words.t("Sat"),
        words.t("Sun"),
    )
    return names[day.weekday()]


def moment_text(at_ms: int, start: datetime | None, words: Words) -> str:
    """A moment to the second for tips: time from the start, or local date and time."""
    if start is None:
        return words.exact_duration(at_ms)
    return words.date_time(_moment(start, at_ms))


def _moment(start: datetime, offset_ms: float) -> datetime:
    # Adding across a clock change is right only in UTC.
    return (start.astimezone(UTC) + timedelta(milliseconds=offset_ms)).astimezone(start.tzinfo)


def _offset_ms(start: datetime, day: date) -> int:
    midnight = datetime.combine(day, time(), tzinfo=start.tzinfo)
    return round((midnight.astimezone(UTC) - start.astimezone(UTC)) / timedelta(milliseconds=1))
