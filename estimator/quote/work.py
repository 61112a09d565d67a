"""What is to be done: stages, their tasks, what is shared, and the customer's limits. No card count here."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Annotated

from pydantic import Field, PositiveInt, model_validator

from estimator.evidence import ASSUMED, GIVEN, Evidence, EvidenceKind, Stated, StatedDuration
from estimator.frozen import Frozen
from estimator.hours import WorkingHours
from estimator.quote.model_use import ModelUse
from estimator.units import TimeUnit, to_ms


class StageKind(StrEnum):
    """Independent tasks, one cooperative job over several cards, work off the cards, or a milestone."""

    INDEPENDENT = "independent"
    COOPERATIVE = "cooperative"
    STATION = "station"
    GATE = "gate"


class Independence(StrEnum):
    """Can a unit be computed alone?"""

    INDEPENDENT = "independent"
    COOPERATIVE = "cooperative"
    BY_STAGE = "by_stage"


class DeliveredAs(StrEnum):
    """Is a unit useful when it is computed, or only once the whole batch is accepted?"""

    UNIT = "unit"
    BATCH = "batch"


class StateClass(StrEnum):
    """What a card's memory holds. `WHOLE` is a task's total where its parts are not told apart."""

    WHOLE = "whole"
    MODEL = "model"
    DATA = "data"
    STATE = "state"
    TEMPORARIES = "temporaries"
    EXCHANGE = "exchange"


class ResourceKind(StrEnum):
    """What stages may share besides cards."""

    LICENCE = "licence"
    STORAGE = "storage"
    LINK = "link"
    STATION = "station"


class PathKind(StrEnum):
    """Through what the data of a stage arrive."""

    HOST_MEMORY = "host_memory"
    CARD_LINK = "card_link"
    NETWORK = "network"


class Tasks(Frozen):
    """The tasks of a stage in columns: `count[i]` equal tasks of `duration[i]` each, in `unit`.

    A duration of None is not known yet. Evidence is stated once per column; a typed range of its durations is that
    of their mean. `spread_percent`: how far a single task lies from its stated time, each by its own chance.
    `observed`: single tasks that were timed, in `unit`; how they lie about their mean takes the spread's place.
    """

    count: tuple[PositiveInt, ...] = (1,)
    duration: tuple[Decimal | None, ...] = (None,)
    unit: TimeUnit = TimeUnit.MINUTE
    names: tuple[str, ...] = ()
    count_evidence: Evidence = GIVEN
    evidence: Evidence = ASSUMED
    spread_percent: Decimal | None = Field(default=None, ge=0, lt=100)
    observed: tuple[Annotated[Decimal, Field(ge=0)], ...] = ()

    @model_validator(mode="after")
    def _columns_match(self) -> Tasks:
        if len(self.count) != len(self.duration) or (self.names and len(self.names) != len(self.count)):
            raise ValueError("columns_differ")
        if any(duration is not None and duration < 0 for duration in self.duration):
            raise ValueError("duration_negative")
        return self

    # Worked out once a record, since an estimate asks for them dozens of times and there may be many tasks.

    @cached_property
    def total(self) -> int:
        """How many tasks there are."""
        return sum(self.count)

    @cached_property
    def are_equal(self) -> bool:
        """True where all tasks share one stated duration."""
        return len(set(self.duration)) == 1

    @cached_property
    def has_unknown(self) -> bool:
        """True where a duration is not known yet."""
        return any(duration is None for duration in self.duration)

    @cached_property
    def duration_ms(self) -> tuple[int | None, ...]:
        """Each group's duration in whole milliseconds; None where not known."""
        known = {value: None if value is None else to_ms(value, self.unit) for value in set(self.duration)}
        return tuple(known[value] for value in self.duration)

    @cached_property
    def total_ms(self) -> int:
        """All durations added up, in milliseconds; what is not known counts as none."""
        return sum(count * (each or 0) for count, each in zip(self.count, self.duration_ms, strict=True))

    @property
    def kind(self) -> EvidenceKind:
        """Evidence of the durations: unknown where one is missing."""
        return EvidenceKind.UNKNOWN if self.has_unknown else self.evidence.kind


class CardFactor(Frozen):
    """How much longer (above 1) or shorter a task takes on this card model than stated."""

    card_id: str
    factor: Stated


class StateTerm(Frozen):
    """Memory of one state class of one task in one phase, before any partition."""

    state_class: StateClass
    gib: Stated


class MemoryPhase(Frozen):
    """One phase of a task (load, compute, output…) and what it holds."""

    name: str
    terms: tuple[StateTerm, ...] = ()


class MemoryNeed(Frozen):
    """What a task's cards must hold by phase, and the visible lines added to it.

    Peak of a phase = terms × (1 + margin) + context + workspace + communication buffers. A blank line is 0
    only for workspace and communication, which many programs do not have. With a `model`, the closed forms
    give the moments in place of stated phases.
    """

    phases: tuple[MemoryPhase, ...] = ()
    model: ModelUse | None = None
    context_gib: Stated = Stated(value=Decimal("0.5"))
    margin_percent: Stated = Stated(value=Decimal(5))
    workspace_gib: Stated | None = None
    communication_gib: Stated | None = None


class ResourceNeed(Frozen):
    """What one task of a stage takes of a shared resource, and for how long from its start.

    `hold` None: the whole task.
    """

    resource_id: str
    amount: Stated = Stated(value=Decimal(1), evidence=GIVEN)
    hold: StatedDuration | None = None


class Precondition(Frozen):
    """Something taken for granted until it is checked; becomes a condition. `code` names a known sentence."""

    id: str
    code: str = ""
    text: str = ""
    holds: bool = True


class Project(Frozen):
    """Stages that are delivered together. The lowest `priority` is served first; times are from the start."""

    id: str = Field(min_length=1)
    name: str
    priority: PositiveInt = 1
    release: StatedDuration | None = None
    due: StatedDuration | None = None


class Stage(Frozen):
    """One step of the work. A gate has no tasks of its own; a station holds no card.

    `streams_from`: of the stages in `after`, those whose tasks it takes unit by unit, each its share in order.
    `release`, `due`: earliest start and date due, from the start. `may_pause`: tasks go on after a closed time.
    `checkpoint`: how often a task saves its state, for cards that may be taken away; None: it begins again.
    """

    id: str = Field(min_length=1)
    name: str
    kind: StageKind = StageKind.INDEPENDENT
    after: tuple[str, ...] = ()
    tasks: Tasks = Tasks()
    card_factors: tuple[CardFactor, ...] = ()
    memory: MemoryNeed = MemoryNeed()
    needs: tuple[ResourceNeed, ...] = ()
    path: PathKind = PathKind.NETWORK
    preconditions: tuple[Precondition, ...] = ()
    streams_from: tuple[str, ...] = ()
    release: StatedDuration | None = None
    due: StatedDuration | None = None
    project_id: str = ""
    hours: WorkingHours | None = None
    may_pause: bool = False
    checkpoint: StatedDuration | None = None

    @property
    def task_count(self) -> int:
        """Tasks to run; a gate is passed once."""
        return 1 if self.kind is StageKind.GATE else self.tasks.total

    def streams(self, before: str) -> bool:
        """Whether its tasks start when their shares of that stage have ended, not when all of it has."""
        return before in self.streams_from and before in self.after

    @property
    def on_cards(self) -> bool:
        """True where the stage computes on cards."""
        return self.kind in (StageKind.INDEPENDENT, StageKind.COOPERATIVE)


class SharedResource(Frozen):
    """A capacity that the schedule respects: licences, MB/s of storage or link, stations."""

    id: str = Field(min_length=1)
    name: str
    kind: ResourceKind
    capacity: Stated = Stated()
    unit: str = ""


class Workload(Frozen):
    """What an accepted result is, the stages that produce it, what they share, and the customer's limits."""

    accepted_result: str = ""
    computation_unit: str = ""
    delivery_unit: str = ""
    units_per_delivery: PositiveInt | None = None
    assembly_rule: str = ""
    independence: Independence = Independence.INDEPENDENT
    delivered_as: DeliveredAs = DeliveredAs.BATCH
    stages: tuple[Stage, ...] = ()
    resources: tuple[SharedResource, ...] = ()
    projects: tuple[Project, ...] = ()
    limit: StatedDuration | None = None
    quota_cards: Stated | None = None
    budget: Stated | None = None
    queue_wait: StatedDuration | None = None
    mutual_slow_down: Stated = Stated(value=Decimal(1))

    def stage(self, stage_id: str) -> Stage | None:
        """Return the stage of that id, or None."""
        return self._stages_by_id.get(stage_id)

    @cached_property
    def _stages_by_id(self) -> dict[str, Stage]:
        return {stage.id: stage for stage in reversed(self.stages)}

    def project(self, project_id: str) -> Project | None:
        """Return the project of that id, or None."""
        return next((one for one in self.projects if one.id == project_id), None)

    def stages_of(self, project_id: str) -> tuple[Stage, ...]:
        """Return the stages of a project, in order."""
        return tuple(stage for stage in self.stages if stage.project_id == project_id)

    @property
    def main_stage(self) -> Stage | None:
        """The stage that computes the units: the one on cards with most tasks, the first of equals."""
        computing = [stage for stage in self.stages if stage.on_cards]
        return max(computing, key=lambda stage: stage.tasks.total, default=None)
