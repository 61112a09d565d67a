"""Text for people, for every face: sentences, numbers, money, dates; and typed text read back.

The window, the workbook, the PDF and the terminal are handed one `Wording` and agree to the letter. Engines
never come here: they return codes. Files never come here either: they have a point and ISO dates.
"""

from __future__ import annotations

from estimator.wording.numbers import UNKNOWN_TEXT, NumberFormat
from estimator.wording.reading import (
    DurationReading,
    Reading,
    read_count,
    read_date,
    read_duration,
    read_number,
    read_time_of_day,
)
from estimator.wording.wording import Language, Wording

__all__ = [
    "UNKNOWN_TEXT",
    "DurationReading",
    "Language",
    "NumberFormat",
    "Reading",
    "Wording",
    "read_count",
    "read_date",
    "read_duration",
    "read_number",
    "read_time_of_day",
]
