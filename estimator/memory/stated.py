"""Peak memory of one card for a program whose needs are stated by phase and state class.

Peak of a phase = terms on this card × (1 + margin) + context + workspace + communication buffers. A replicated
state class stands whole on each card of a task; a partitioned one is divided by the cards of the task, rounded
up to the byte, and so is the margin. Nothing here ever adds up the memory of several cards.
Source: the seed's rule that each card's memory must cover what the software places on it, by phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from estimator.evidence import EvidenceKind, weakest
from estimator.results.memory import CardVerdict, Fit, MemoryLine, PhaseMemory, StageMemory


@dataclass(frozen=True, slots=True)
class Size:
    """A size in bytes as used and at the upper end of its range."""

    value_bytes: int
    high_bytes: int
    kind: EvidenceKind


@dataclass(frozen=True, slots=True)
class Term:
    """One state class of one task; None where not known. `is_partitioned`: divided over the task's cards."""

    name: str
    size: Size | None
    is_partitioned: bool


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase of a task and what it holds."""

    name: str
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Overheads:
    """The visible lines added to the terms. `margin` is in per cent: as used and at its upper end."""

    context: Size | None
    workspace: Size | None
    communication: Size | None
    margin_percent: Decimal | None
    margin_high_percent: Decimal | None
    margin_kind: EvidenceKind


def stage_memory(
    stage_id: str, phases: Sequence[Phase], overheads: Overheads, cards_per_task: int
) -> StageMemory:
    """Return what one card of a task holds in each phase; `missing` names the terms that are not known."""
    missing = [term.name for phase in phases for term in phase.terms if term.size is None]
    if overheads.context is None:
        missing.append("context")
    if overheads.margin_percent is None:
        missing.append("margin")
    if not any(phase.terms for phase in phases):
        missing.append("phases")
    if missing:
        return StageMemory(stage_id, cards_per_task, (), tuple(dict.fromkeys(missing)))
    ledgers = tuple(_ledger(stage_id, phase, overheads, cards_per_task) for phase in phases)
    return StageMemory(stage_id, cards_per_task, ledgers)


def verdict_on(
    card_id: str, usable_bytes: int, overheads: Overheads, stages: Sequence[StageMemory]
) -> CardVerdict:
    """Return whether a card with `usable_bytes` admits the worst phase of the stages that run on it."""
    if not stages or any(stage.missing for stage in stages):
        return CardVerdict(card_id, usable_bytes, Fit.UNKNOWN)
    worst = max((phase for stage in stages for phase in stage.phases), key=lambda phase: phase.peak_bytes)
    high = max(phase.high_bytes for stage in stages for phase in stage.phases)
    if worst.peak_bytes > usable_bytes:
        fits = Fit.NO
    else:
        fits = Fit.YES if high <= usable_bytes else Fit.IF
    return CardVerdict(
        card_id,
        usable_bytes,
        fits,
        peak_bytes=worst.peak_bytes,
        spare_bytes=usable_bytes - worst.peak_bytes,
        holds_to_bytes=largest_need(usable_bytes, overheads),
        stage_id=worst.stage_id,
        phase=worst.phase,
    )


def largest_need(usable_bytes: int, overheads: Overheads) -> int:
    """Return the largest stated need, before margin and the other lines, that `usable_bytes` still admits."""
    fixed = sum(size.value_bytes for size in _fixed(overheads).values())
    room = Decimal(max(usable_bytes - fixed, 0))
    return int(room / (1 + (overheads.margin_percent or Decimal(0)) / 100))


def _fixed(overheads: Overheads) -> dict[str, Size]:
    named = {
        "context": overheads.context,
        "workspace": overheads.workspace,
        "communication": overheads.communication,
    }
    return {name: size for name, size in named.items() if size is not None}


def _ledger(stage_id: str, phase: Phase, overheads: Overheads, cards: int) -> PhaseMemory:
    lines: list[MemoryLine] = []
    stated = stated_high = 0
    for term in phase.terms:
        if term.size is None:
            continue
        share = cards if term.is_partitioned else 1
        size = -(-term.size.value_bytes // share)
        stated += size
        stated_high += -(-term.size.high_bytes // share)
        lines.append(MemoryLine(term.name, size, term.size.kind))
    peak, high = stated, stated_high
    for name, fixed in _fixed(overheads).items():
        peak += fixed.value_bytes
        high += fixed.high_bytes
        lines.append(MemoryLine(name, fixed.value_bytes, fixed.kind))
    margin = _percent(stated, overheads.margin_percent)
    lines.append(MemoryLine("margin", margin, overheads.margin_kind))
    return PhaseMemory(
        stage_id=stage_id,
        phase=phase.name,
        lines=tuple(lines),
        peak_bytes=peak + margin,
        high_bytes=high + _percent(stated_high, overheads.margin_high_percent),
        kind=weakest(line.kind for line in lines),
    )


def _percent(size: int, percent: Decimal | None) -> int:
    part = Decimal(size) * (percent or Decimal(0)) / 100
    return int(part.to_integral_value(rounding=ROUND_CEILING))
