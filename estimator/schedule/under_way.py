"""What a stage still has to start while its plan is being made: queues of equal tasks, and where they may run."""

from __future__ import annotations

from dataclasses import dataclass, field

from estimator.schedule.fleet import Area, Part, Slot


@dataclass(slots=True)
class Queue:
    """Tasks still to start, in order: [group, tasks left]. For a block, `slot` is where all of them run."""

    part: Part
    rows: list[list[int]]
    slot: Slot | None = None
    at: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether all its tasks have started."""
        return self.at == len(self.rows)

    @property
    def group(self) -> int:
        """Group of the next task."""
        return self.rows[self.at][0]

    def take(self, count: int) -> None:
        """Let so many tasks of the next group be started."""
        self.rows[self.at][1] -= count
        if self.rows[self.at][1] == 0:
            self.at += 1

    def few_tasks(self, most: int) -> list[int]:
        """Return the group of each task from the next on, up to the next group of more than `most` tasks."""
        tasks: list[int] = []
        for group, count in self.rows[self.at :]:
            if count > most:
                break
            tasks += [group] * count
        return tasks


@dataclass(slots=True)
class StageUnderWay:
    """A stage under way."""

    index: int
    cap: int
    left: int
    queues: list[Queue]
    in_blocks: bool
    rank: dict[int, int]
    cards_only: bool
    part_count: int
    models: frozenset[int]
    areas: dict[frozenset[int], list[Area]] = field(default_factory=dict)
    running: int = 0
    end_ms: int = 0
