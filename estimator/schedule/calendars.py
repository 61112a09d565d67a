"""Weekly hours: when work may run, and when work that pauses or does not pause outside them ends.

Windows repeat every seven days of 24 hours from the start of the work. Each question is a search in prefix sums,
whatever the length of the work. Nothing here knows of tasks, cards or clocks that change.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from estimator.schedule.problem import FOREVER, When, Windows


class Calendar:
    """Windows [open, close) of a week, in ms from the start of the work; those that touch become one."""

    def __init__(self, windows: Iterable[tuple[int, int]], period_ms: int) -> None:
        self._period = period_ms
        self._opens: list[int] = []
        self._closes: list[int] = []
        for begin, end in sorted(windows):
            if self._closes and begin <= self._closes[-1]:
                self._closes[-1] = max(self._closes[-1], end)
            elif begin < end:
                self._opens.append(begin)
                self._closes.append(end)
        self._before = [0]
        for begin, end in zip(self._opens, self._closes, strict=True):
            self._before.append(self._before[-1] + end - begin)
        self.open_ms = self._before[-1]
        """Open time a week."""

    @property
    def windows(self) -> Windows:
        """The windows, rising and apart."""
        return tuple(zip(self._opens, self._closes, strict=True))

    @property
    def is_always(self) -> bool:
        """Whether there is no closed moment."""
        return self.open_ms == self._period

    def is_open(self, moment: int) -> bool:
        """Whether work may run just after this moment."""
        within = moment % self._period
        place = bisect_right(self._opens, within) - 1
        return place >= 0 and within < self._closes[place]

    def open_from(self, moment: int) -> int:
        """Return the first open moment at or after this one; FOREVER where there is none."""
        if self.open_ms == 0 or moment >= FOREVER:
            return FOREVER
        if self.is_open(moment):
            return moment
        week, within = divmod(moment, self._period)
        place = bisect_right(self._opens, within)
        if place == len(self._opens):
            return (week + 1) * self._period + self._opens[0]
        return week * self._period + self._opens[place]

    def open_until(self, moment: int) -> int:
        """Return when the stretch closes that is open at this moment; FOREVER where it never does."""
        if self.is_always:
            return FOREVER
        week, within = divmod(moment, self._period)
        close = self._closes[bisect_right(self._opens, within) - 1]
        if close == self._period and self._opens[0] == 0:  # goes on into the next week
            return (week + 1) * self._period + self._closes[0]
        return week * self._period + close

    def end(self, start: int, work_ms: int, pauses: bool) -> int:
        """Return when work that begins at `start` ends; -1 where it cannot begin then."""
        if not self.is_open(start):
            return -1
        if pauses:
            return self.paused_end(start, work_ms)
        return start + work_ms if start + work_ms <= self.open_until(start) else -1

    def paused_end(self, moment: int, work_ms: int) -> int:
        """Return when so much open time has passed after this moment; FOREVER where it never has."""
        if work_ms == 0 or self.open_ms == 0 or moment >= FOREVER:
            return self.open_from(moment)
        wanted = self._opened(moment) + work_ms
        week, rest = divmod(wanted - 1, self.open_ms)
        place = bisect_left(self._before, rest + 1) - 1
        return week * self._period + self._opens[place] + rest + 1 - self._before[place]

    def fitting_start(self, moment: int, work_ms: int) -> int:
        """Return the first start from which the work fits into one open stretch; FOREVER where it never does."""
        start = self.open_from(moment)
        for _ in range(len(self._opens) + 2):
            if start == FOREVER or start + work_ms <= self.open_until(start):
                return start
            start = self.open_from(self.open_until(start))
        return FOREVER

    def row_end(self, moment: int, work_ms: int, times: int) -> int:
        """Return the least end of so many equal works one after another, none of which pauses."""
        if times <= 0:
            return moment
        first = self.fitting_start(moment, work_ms)
        if first == FOREVER or self.is_always or work_ms == 0:
            return first + work_ms * times if first != FOREVER else FOREVER
        left, at = times, moment
        # A whole week from an opening holds always as many: full weeks are counted, the rest is walked.
        left, at = self._walk(at, work_ms, left, at + self._period)
        if left == 0:
            return at
        at = self.open_from(at)
        a_week = left - self._walk(at, work_ms, left, at + self._period)[0]
        weeks = max(0, (left - 1) // a_week) if a_week else 0
        left, at = self._walk(at + weeks * self._period, work_ms, left - weeks * a_week, FOREVER)
        return at

    def _walk(self, at: int, work_ms: int, times: int, until: int) -> tuple[int, int]:
        """Place works from stretch to stretch that begin before `until`: (how many are left, the moment reached)."""
        while times and at < until:
            begin = self.open_from(at)
            if begin >= until:
                return times, begin
            close = self.open_until(begin)
            done = min(times, (close - begin) // work_ms)
            times -= done
            at = begin + done * work_ms if times == 0 else close
        return times, at

    def _opened(self, moment: int) -> int:
        week, within = divmod(moment, self._period)
        place = bisect_right(self._opens, within) - 1
        inside = 0
        if place >= 0:
            inside = self._before[place] + min(within, self._closes[place]) - self._opens[place]
        return week * self.open_ms + inside

    def both(self, other: Calendar) -> Calendar:
        """Return when both are open."""
        found = [
            (max(begin, first), min(end, last))
            for begin, end in self.windows
            for first, last in other.windows
            if max(begin, first) < min(end, last)
        ]
        return Calendar(found, self._period)


class Calendars:
    """The calendars of a problem and what any of them have in common, each worked out once."""

    def __init__(self, when: When) -> None:
        self._all = [Calendar(one, when.period_ms) for one in when.calendars]
        self._common: dict[frozenset[int], Calendar | None] = {}

    def common(self, numbers: Iterable[int]) -> Calendar | None:
        """Return when all of these calendars are open; None where nothing is ever closed (-1: always open)."""
        chosen = frozenset(number for number in numbers if number >= 0)
        if chosen not in self._common:
            found: Calendar | None = None
            for number in sorted(chosen):
                found = self._all[number] if found is None else found.both(self._all[number])
            self._common[chosen] = None if found is None or found.is_always else found
        return self._common[chosen]
