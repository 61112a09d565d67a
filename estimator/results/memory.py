"""What each card must hold: lines of bytes per phase, the verdict on a card model. Never a sum over cards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from estimator.evidence import EvidenceKind

MODEL_REASONS = frozenset(
    {
        "model_not_read",
        "no_closed_form",
        "split_not_legal",
        "split_without_form",
        "degrees_do_not_divide",
        "tensor_degree_not_legal",
        "pipeline_degree_not_legal",
        "context_degree_not_legal",
        "expert_degree_not_legal",
        "offload_without_form",
        "backward_step_without_form",
        "products_without_form",
    }
)
"""Codes in `StageMemory.missing` that say why a model's memory is not known."""


class Fit(StrEnum):
    """`yes` at the upper end of every unverified range; `if` only at the values used; `no`; `unknown`."""

    YES = "yes"
    IF = "if"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class MemoryLine:
    """Bytes of one state class, or of context, workspace, communication or margin, on one card."""

    name: str
    size_bytes: int
    kind: EvidenceKind


@dataclass(frozen=True, slots=True)
class PhaseMemory:
    """What one card holds in one phase. `high_bytes`: the peak at the upper end of every unverified range."""

    stage_id: str
    phase: str
    lines: tuple[MemoryLine, ...]
    peak_bytes: int
    high_bytes: int
    kind: EvidenceKind


@dataclass(frozen=True, slots=True)
class StageMemory:
    """The phases of a stage on one card of a task; `missing` is the reason where the peak is not known.

    `host_lines`: what one card asks for in the node's memory; on no card and in no peak.
    """

    stage_id: str
    cards_per_task: int
    phases: tuple[PhaseMemory, ...]
    missing: tuple[str, ...] = ()
    host_lines: tuple[MemoryLine, ...] = ()

    @property
    def host_bytes(self) -> int:
        """Bytes of the node's memory that the cards of one task ask for together, where they share a node."""
        return self.cards_per_task * sum(line.size_bytes for line in self.host_lines)

    @property
    def worst(self) -> PhaseMemory | None:
        """The phase with the largest peak; None where nothing is known."""
        return max(self.phases, key=lambda phase: phase.peak_bytes, default=None)


@dataclass(frozen=True, slots=True)
class CardVerdict:
    """Does a card model admit the worst phase of an organisation?

    `spare_bytes` is usable less peak (negative: short). `holds_to_bytes`: the largest stated need, before
    margin and context, that still fits; what "fits if" must be true of.
    """

    card_id: str
    usable_bytes: int
    fits: Fit
    peak_bytes: int | None = None
    spare_bytes: int | None = None
    holds_to_bytes: int | None = None
    stage_id: str = ""
    phase: str = ""
