"""When the work starts in the quote's own zone, and what its weekly hours are from there on."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from estimator.hours import MINUTES_A_DAY, WorkingHours
from estimator.quote import Quote
from estimator.units import MS_PER_DAY, MS_PER_MINUTE

_WEEK_MS = 7 * MS_PER_DAY
_MOST_DAYS = 3_660


def rental_start(quote: Quote) -> dt.datetime | None:
    """Return the start in the quote's zone, or None where there is no start (a day is then 24 h)."""
    if quote.start is None:
        return None
    if not quote.time_zone:
        return quote.start if quote.start.tzinfo is not None else None
    try:
        zone = ZoneInfo(quote.time_zone)
    except (ZoneInfoNotFoundError, ValueError):
        return None
    if quote.start.tzinfo is None:
        return quote.start.replace(tzinfo=zone)
    return quote.start.astimezone(zone)


def windows_from(hours: WorkingHours, start: dt.datetime) -> tuple[tuple[int, int], ...]:
    """Return the open windows of a week that begins at `start`, in ms, rising and apart."""
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
    since = start.replace(tzinfo=None) - midnight.replace(tzinfo=None)
    reached = start.weekday() * MS_PER_DAY + since // dt.timedelta(milliseconds=1)
    found: list[list[int]] = []
    for window in hours.windows:
        for day in set(window.days):
            opens = day * MINUTES_A_DAY * MS_PER_MINUTE + window.opens * MS_PER_MINUTE
            begin = (opens - reached) % _WEEK_MS
            end = begin + (window.closes - window.opens) * MS_PER_MINUTE
            found.append([begin, min(end, _WEEK_MS)])
            if end > _WEEK_MS:
                found.append([0, end - _WEEK_MS])
    joined: list[list[int]] = []
    for begin, end in sorted(found):
        if joined and begin <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([begin, end])
    return tuple((begin, end) for begin, end in joined)


def clocks_change(start: dt.datetime, length_ms: int) -> bool:
    """Whether the zone's clocks change in the time from `start`: weekly hours are then an hour off."""
    offset = start.utcoffset()
    days = min(_MOST_DAYS, -(-length_ms // MS_PER_DAY))
    return any((start + dt.timedelta(days=day)).utcoffset() != offset for day in range(1, days + 1))
