"""Which tasks of a stage may start where it waits task by task: shares in order, counted down as tasks end.

Tasks are numbered through their stage in list order. No times here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Span = tuple[int, int]
"""Tasks from the first up to, not with, the last."""


class Streams:
    """The shares of one problem. A link to or from a stage without tasks is a whole one, and not kept here."""

    def __init__(self, streams: Sequence[tuple[int, int]], tasks_in: Sequence[int]) -> None:
        links = [
            (before, later)
            for before, later in dict.fromkeys(streams)
            if tasks_in[before] and tasks_in[later]
        ]
        self._tasks_in = tasks_in
        self._following: dict[int, list[int]] = {}
        self._links_into: dict[int, int] = {}
        for before, later in links:
            self._following.setdefault(before, []).append(later)
            self._links_into[later] = self._links_into.get(later, 0) + 1
        self._left_in_share: dict[tuple[int, int], list[int]] = {
            (before, later): [tasks_in[before] // tasks_in[later]] * tasks_in[later]
            for before, later in links
            if tasks_in[before] > tasks_in[later]
        }
        self._links_left: dict[int, list[int]] = {
            later: [count] * tasks_in[later] for later, count in self._links_into.items() if count > 1
        }

    def waits(self, stage: int) -> bool:
        """Whether the stage's tasks wait for single tasks."""
        return stage in self._links_into

    def numbered(self, stage: int) -> bool:
        """Whether it matters which of its equal tasks runs when."""
        return stage in self._links_into or stage in self._following

    def ended(self, stage: int, first: int, last: int) -> Iterator[tuple[int, Span]]:
        """Yield (stage, tasks) that may start now that tasks `first` up to `last` of a stage have ended."""
        for later in self._following.get(stage, ()):
            for span in self._complete(stage, later, first, last):
                yield from ((later, one) for one in self._all_links(later, span))

    def _complete(self, before: int, later: int, first: int, last: int) -> Iterator[Span]:
        left = self._left_in_share.get((before, later))
        if left is None:
            share = self._tasks_in[later] // self._tasks_in[before]
            yield first * share, last * share
            return
        share = self._tasks_in[before] // self._tasks_in[later]
        done: list[int] = []
        for number in range(first // share, (last - 1) // share + 1):
            left[number] -= min(last, (number + 1) * share) - max(first, number * share)
            if left[number] == 0:
                done.append(number)
        yield from _spans(done)

    def _all_links(self, later: int, span: Span) -> Iterator[Span]:
        left = self._links_left.get(later)
        if left is None:
            yield span
            return
        done: list[int] = []
        for number in range(*span):
            left[number] -= 1
            if left[number] == 0:
                done.append(number)
        yield from _spans(done)


def _spans(numbers: Sequence[int]) -> Iterator[Span]:
    """Yield rising numbers as spans."""
    first = 0
    for place, number in enumerate(numbers):
        if place + 1 == len(numbers) or numbers[place + 1] != number + 1:
            yield numbers[first], number + 1
            first = place + 1
