"""Working hours: the days of the week and the times of day at which work runs, in the quote's own zone."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from estimator.evidence import GIVEN, Evidence
from estimator.frozen import Frozen

MINUTES_A_DAY = 24 * 60


class Window(Frozen):
    """The same time of day on some days, Monday 0 to Sunday 6; minutes from midnight, up to the next midnight."""

    days: tuple[Annotated[int, Field(ge=0, le=6)], ...] = Field(min_length=1)
    opens: int = Field(ge=0, lt=MINUTES_A_DAY)
    closes: int = Field(gt=0, le=MINUTES_A_DAY)

    @model_validator(mode="after")
    def _closes_later(self) -> Window:
        if self.closes <= self.opens:
            raise ValueError("window_reversed")
        return self


class WorkingHours(Frozen):
    """Windows that repeat every week. A night is two windows: up to midnight, and from it on the next day."""

    windows: tuple[Window, ...] = Field(min_length=1)
    evidence: Evidence = GIVEN


def shift(days: tuple[int, ...], opens: int, closes: int) -> WorkingHours:
    """Return one shift on these days; one that closes no later than it opens goes on past midnight."""
    if closes > opens:
        return WorkingHours(windows=(Window(days=days, opens=opens, closes=closes),))
    first = Window(days=days, opens=opens, closes=MINUTES_A_DAY)
    if closes == 0:
        return WorkingHours(windows=(first,))
    after = tuple(sorted((day + 1) % 7 for day in days))
    return WorkingHours(windows=(first, Window(days=after, opens=0, closes=closes)))


def as_shift(hours: WorkingHours) -> tuple[tuple[int, ...], int, int] | None:
    """Return (days, opens, closes) of hours that are one shift, None where they are more than that."""
    first = hours.windows[0]
    for closes in (first.closes % MINUTES_A_DAY, hours.windows[-1].closes):
        if shift(first.days, first.opens, closes).windows == hours.windows:
            return first.days, first.opens, closes
    return None
