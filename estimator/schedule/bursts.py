"""Equal tasks that start together on several cards, round after round, kept as one until the plan is made."""

from __future__ import annotations

from dataclasses import dataclass

from estimator.schedule.schedule import Run


@dataclass(slots=True)
class Burst:
    """Tasks of one group that start together on their cards, `rounds` times without a gap."""

    group: int
    wide: int
    start: int
    length: int
    count: int
    cards: list[int]
    first: int
    rounds: int = 1


class Bursts:
    """What has started so far."""

    def __init__(self) -> None:
        self._bursts: list[Burst] = []
        self._last: dict[tuple[int, int], Burst] = {}

    def add(self, burst: Burst) -> None:
        """Add what starts together, as another round of a burst on the same cards where one ends just now."""
        if burst.cards and burst.first < 0:
            key = (burst.group, burst.cards[0])
            last = self._last.get(key)
            if (
                last is not None
                and last.start + last.rounds * last.length == burst.start
                and last.length == burst.length
                and last.cards == burst.cards
            ):
                last.rounds += 1
                return
            self._last[key] = burst
        self._bursts.append(burst)

    def runs(self) -> list[Run]:
        """Return the runs of each card; where it does not matter which of the equal tasks they are, those of a
        card that follow each other are one.
        """
        runs: list[Run] = []
        open_runs: dict[tuple[int, tuple[int, ...]], tuple[int, int]] = {}
        for burst in self._bursts:
            group, start, length, first = burst.group, burst.start, burst.length, burst.first
            if not burst.cards:
                runs.append(Run(group, (), start, length, burst.count, 0, first))
                continue
            for place in range(0, len(burst.cards), burst.wide):
                chosen = tuple(burst.cards[place : place + burst.wide])
                if first >= 0:
                    runs.append(Run(group, chosen, start, length, 1, length, first + place // burst.wide))
                    continue
                at, until = open_runs.get((group, chosen), (-1, -1))
                if until == start and runs[at].duration_ms == length:
                    runs[at] = runs[at]._replace(tasks=runs[at].tasks + burst.rounds)
                else:
                    at = len(runs)
                    runs.append(Run(group, chosen, start, length, burst.rounds, length))
                open_runs[group, chosen] = (at, start + burst.rounds * length)
        return runs
