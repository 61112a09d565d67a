"""One row of a plan held fixed: tasks of one group on the same cards, and what they wait for."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Row:
    """`count` tasks of one group one after another, or all at once where `together`; `number` is the first's.

    `slot`: place among the rows that share a stage's equal tasks evenly, so that their count follows the stage's;
    -1 where it does not. `cards`: the places it runs on, cards or their slices. `after`: rows whose end it waits
    for. `released`: (row, resource id) whose units it waits for.
    `planned_ms`: a moment that nothing here explains; None in all plans that the engine makes.
    `is_fixed`: it has working hours, which no formula of a cell follows; it keeps the plan's times.
    """

    stage: int
    group: int
    number: int
    count: int
    together: bool
    cards: tuple[int, ...]
    start_ms: int
    each_ms: int
    after: list[int] = field(default_factory=list)
    released: list[tuple[int, str]] = field(default_factory=list)
    planned_ms: int | None = None
    is_fixed: bool = False
    slot: int = -1

    @property
    def end_ms(self) -> int:
        """When the last of its tasks ends."""
        return self.start_ms + self.each_ms * (1 if self.together else self.count)
