"""The time axis in elapsed time and in dates, whatever the machine's own zone."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from estimator.wording import Language, NumberFormat, Wording
from ui.gantt.axis import DAY, HOUR, MINUTE, STEPS_MS, date_ticks, elapsed_ticks, step_for
from ui.gantt.view import GanttView

ENGLISH = Wording(Language.ENGLISH, NumberFormat.EN_US)
MADRID = ZoneInfo("Europe/Madrid")


def _elapsed(total_ms: float, width: float = 1_000, offset_ms: float = 0.0) -> list[str]:
    view = GanttView(total_ms / width, offset_ms)
    return [tick.text for tick in elapsed_ticks(view, width, ENGLISH)]


def test_below_two_hours_the_axis_counts_minutes_and_names_the_unit_once() -> None:
    assert _elapsed(110 * MINUTE) == [
        "0 min",
        "10",
        "20",
        "30",
        "40",
        "50",
        "60",
        "70",
        "80",
        "90",
        "100",
        "110",
    ]


def test_below_three_days_the_axis_counts_hours() -> None:
    assert _elapsed(5 * HOUR, 700)[:4] == ["0 h", "0 h 30", "1 h", "1 h 30"]


def test_beyond_three_days_the_axis_counts_days_and_hours() -> None:
    assert _elapsed(1 * DAY, 400, 15 * DAY) == ["15 d", "15 d 06:00", "15 d 12:00", "15 d 18:00", "16 d"]


def test_a_year_counts_in_weeks() -> None:
    assert _elapsed(365 * DAY, 600)[:3] == ["0 d", "84 d", "168 d"]


def test_steps_never_stand_closer_than_asked() -> None:
    for exponent in range(12):
        scale = 10.0**exponent
        assert step_for(scale, 64) >= 64 * scale
    assert list(STEPS_MS) == sorted(STEPS_MS)


def test_dates_name_the_day_once_and_the_week_at_the_left() -> None:
    start = datetime(2026, 12, 1, 9, tzinfo=MADRID)
    ticks = date_ticks(GanttView(36 * HOUR / 940), 940, start, ENGLISH)
    assert [t.text for t in ticks[:6]] == ["09:00", "12:00", "15:00", "18:00", "21:00", "00:00"]
    assert [t.at_ms for t in ticks[:2]] == [0, 3 * HOUR]
    assert [t.above for t in ticks if t.above] == ["Tue 1 Dec 2026, week 49", "Wed 2 Dec 2026"]


def test_midnight_stays_midnight_over_a_clock_change() -> None:
    # Madrid, 25 Oct 2026: clocks go back at 03:00, the day has 25 hours.
    start = datetime(2026, 10, 24, 0, tzinfo=MADRID)
    ticks = date_ticks(GanttView(3 * DAY / 900), 900, start, ENGLISH)
    midnights = [t.at_ms for t in ticks if t.text == "00:00"]
    assert midnights == [0, 24 * HOUR, 49 * HOUR]


def test_steps_of_a_week_fall_on_mondays() -> None:
    start = datetime(2026, 12, 1, 9, tzinfo=MADRID)
    ticks = date_ticks(GanttView(60 * DAY / 900), 900, start, ENGLISH)
    assert ticks[0].text == "7 Dec 2026"
    assert ticks[0].above == "week 50"


def test_a_start_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        date_ticks(GanttView(1_000.0), 900, datetime(2026, 12, 1), ENGLISH)
