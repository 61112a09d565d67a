"""How the work is laid out: organisations, each a choice per stage of cards, policy and partition."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property

from pydantic import Field, PositiveInt

from estimator.evidence import Evidence, StatedDuration
from estimator.frozen import Frozen
from estimator.quote.degrees import SplitDegrees
from estimator.quote.model_use import ModelSplit
from estimator.quote.slicing import CardSlicing
from estimator.quote.work import StateClass


class AssignmentPolicy(StrEnum):
    """Who gets the next task: fixed blocks, the first free in arrival order, longest first, or the best found."""

    BLOCKS = "blocks"
    AVAILABILITY = "availability"
    LONGEST_FIRST = "longest_first"
    BEST = "best"


class Partition(StrEnum):
    """Does each card of a task hold the whole of a state class, or its share?"""

    REPLICATED = "replicated"
    PARTITIONED = "partitioned"


class PartitionChoice(Frozen):
    """How one state class is spread over the cards of a task."""

    state_class: StateClass
    partition: Partition


class StageLayout(Frozen):
    """How one stage runs. `tasks_at_once` None: as the limit and the lots allow. `card_ids` empty: any."""

    stage_id: str
    cards_per_task: PositiveInt = 1
    tasks_at_once: PositiveInt | None = None
    policy: AssignmentPolicy = AssignmentPolicy.BLOCKS
    partitions: tuple[PartitionChoice, ...] = ()
    card_ids: tuple[str, ...] = ()
    may_cross_nodes: bool = False
    model_split: ModelSplit = ModelSplit.NONE
    degrees: SplitDegrees = SplitDegrees()

    @property
    def division(self) -> ModelSplit | SplitDegrees:
        """How a known model is divided: a plain split, or the degrees of a combined one."""
        return self.degrees if self.model_split is ModelSplit.COMBINED else self.model_split

    def partition_of(self, state_class: StateClass) -> Partition:
        """Return how that state class is held; replicated unless stated."""
        for choice in self.partitions:
            if choice.state_class is state_class:
                return choice.partition
        return Partition.REPLICATED


class ProvenPlan(Frozen):
    """The best plan that a proof found for one schedule, kept so that the quote reopens with it anywhere.

    It holds for the tasks and cards of that `content` only. `tasks`: each task's start in ms, then its cards.
    `effort`: the solver's steps that were spent. `by`: the solver and its version.
    """

    content: str = Field(pattern=r"^[0-9a-f]{64}$")
    bound_ms: int = Field(ge=0)
    tasks: tuple[tuple[int, ...], ...]
    effort: PositiveInt
    by: str = ""


class Organisation(Frozen):
    """One way to lay out the work: (tasks at once × cards per task), and the offers it may use.

    `mechanism` names what splits a cooperative task (DDP, FSDP, TP…); without it there are no figures.
    `offer_ids` None: every offer of the quote. `slicing` None: a task has its cards whole. `limit`: it is laid out
    to deliver within it, where that is less than the customer's. `proven`: what was proved of its schedule.
    """

    id: str = Field(min_length=1)
    name: str = ""
    layouts: tuple[StageLayout, ...] = ()
    mechanism: str = ""
    mechanism_evidence: Evidence = Evidence()
    offer_ids: tuple[str, ...] | None = None
    slicing: CardSlicing | None = None
    limit: StatedDuration | None = None
    proven: ProvenPlan | None = None

    @property
    def slices_per_card(self) -> int:
        """Tasks that run at once on one card: 1 where cards are not sliced."""
        return 1 if self.slicing is None else self.slicing.per_card

    def may_use(self, offer_id: str) -> bool:
        """Whether the organisation may rent that offer of the quote."""
        return self.offer_ids is None or offer_id in self.offer_ids

    def layout(self, stage_id: str) -> StageLayout:
        """Return the layout of that stage; the plainest one where none is stated."""
        found = self._by_stage.get(stage_id)
        return StageLayout(stage_id=stage_id) if found is None else found

    @cached_property
    def _by_stage(self) -> dict[str, StageLayout]:
        return {layout.stage_id: layout for layout in reversed(self.layouts)}
