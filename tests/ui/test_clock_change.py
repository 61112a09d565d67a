"""Bars across a clock change keep their real length; dates count days of the calendar (O-SCH-05)."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

from estimator.rental.terms import days_needed, held_ms, term_end
from estimator.units import MS_PER_HOUR
from estimator.wording import Language, NumberFormat, Wording
from tests.quotes import TODAY, compared, conversion, organisation, source_quote
from ui.gantt.axis import moment_text
from ui.pages.schedule_gantt import chart_of

MADRID = ZoneInfo("Europe/Madrid")
WORDS = Wording(Language.SPANISH, NumberFormat.ES_ES)


def test_36_hours_from_the_evening_before_the_missing_hour_end_at_nine() -> None:
    start = dt.datetime(2026, 3, 28, 20, tzinfo=MADRID)
    assert moment_text(36 * MS_PER_HOUR, start, WORDS) == "30/03/2026 09:00"


def test_the_bar_of_36_hours_is_36_real_hours_long() -> None:
    stage = conversion((36 * 60,))
    quote = source_quote(stage, organisations=(organisation("A", 1),), limit=None).replaced(
        start=dt.datetime(2026, 3, 28, 20), time_zone="Europe/Madrid"
    )
    chart = chart_of(WORDS, compared(quote, TODAY), start=dt.datetime(2026, 3, 28, 20, tzinfo=MADRID))
    assert chart is not None
    lengths = chart.model.bars.end_ms - chart.model.bars.start_ms
    assert lengths.max() == 36 * MS_PER_HOUR


def test_from_25_october_2020_to_new_year_are_68_days_whatever_the_clock_does() -> None:
    start = dt.datetime(2020, 10, 25, tzinfo=MADRID)
    end = dt.datetime(2021, 1, 1, tzinfo=MADRID)
    assert term_end(start, MADRID, 68) == end
    # one hour more than 68 x 24: the clock goes back on the first day
    elapsed_ms = 68 * 24 * MS_PER_HOUR + MS_PER_HOUR
    assert held_ms(start, 68) == elapsed_ms
    assert days_needed(elapsed_ms, start) == 68
