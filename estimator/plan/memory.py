"""From a quote's stated memory needs to the memory engine's inputs, and to verdicts on card models."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from estimator.catalogue import Card
from estimator.evidence import EvidenceKind, Stated, weakest
from estimator.memory import Overheads, Phase, Size, Term, stage_memory, verdict_on
from estimator.plan.fitting import phases_of
from estimator.plan.forms import RANGES
from estimator.plan.layouts import Layouts
from estimator.plan.models import model_ledger
from estimator.problems import Absent
from estimator.quote import MemoryNeed, Organisation, Partition, Quote, Stage, StageLayout, slice_of
from estimator.results.memory import CardVerdict, Fit, MemoryLine, StageMemory
from estimator.units import gib_to_bytes


def memory_of(quote: Quote, organisation: Organisation) -> tuple[StageMemory, ...]:
    """Return what one card holds in each stage that runs on cards."""
    layouts = Layouts(organisation)
    return tuple(
        memory_of_stage(stage, layouts[stage.id]) for stage in quote.workload.stages if stage.on_cards
    )


def verdicts_of(
    quote: Quote, organisation: Organisation, memory: tuple[StageMemory, ...], cards: Iterable[Card]
) -> tuple[CardVerdict, ...]:
    """Return the verdict on each card model: the worst over the stages, each with its own overheads.

    Where the organisation slices its cards, against the usable bytes of one slice; unknown of a card model that
    gives no such slice.
    """
    stages = {stage.id: stage for stage in quote.workload.stages}
    layouts = Layouts(organisation)
    result: list[CardVerdict] = []
    for card in cards:
        seen = slice_of(organisation.slicing, card)
        if seen is None:
            result.append(CardVerdict(card.id, card.usable_bytes, Fit.UNKNOWN))
            continue
        verdicts = [
            verdict_on(card.id, seen.usable_bytes, overheads_of(stages[one.stage_id].memory), (one,))
            for one in memory
            if _is_eligible(layouts[one.stage_id], card.id)
        ]
        result.append(_worst(seen, verdicts))
    return tuple(result)


def memory_kind(memory: tuple[StageMemory, ...]) -> EvidenceKind:
    """Return the evidence of the worst peak; unknown where something is missing."""
    if not memory or any(stage.missing for stage in memory):
        return EvidenceKind.UNKNOWN
    worst = max((phase for stage in memory for phase in stage.phases), key=lambda phase: phase.peak_bytes)
    return weakest([worst.kind])


def overheads_of(need: MemoryNeed) -> Overheads:
    """Return the visible lines that are added to the stated terms."""
    margin = need.margin_percent
    span = margin.span
    return Overheads(
        context=_size(need.context_gib),
        workspace=None if need.workspace_gib is None else _size(need.workspace_gib),
        communication=None if need.communication_gib is None else _size(need.communication_gib),
        margin_percent=margin.value,
        margin_high_percent=None if span is None else span[1],
        margin_kind=margin.kind,
    )


def memory_of_stage(stage: Stage, layout: StageLayout) -> StageMemory:
    """Return what one card holds in one stage."""
    overheads = overheads_of(stage.memory)
    if stage.memory.model is None:
        return stage_memory(stage.id, _phases(stage, layout), overheads, layout.cards_per_task)
    found = model_ledger(stage.memory.model, layout.division, layout.cards_per_task)
    if isinstance(found, Absent):
        return StageMemory(stage.id, layout.cards_per_task, (), (found.code,))
    ledger, basis, working = found
    kind = RANGES[basis][0]
    host = tuple(MemoryLine(state.value, size, kind) for state, size in ledger.host)
    phases = phases_of(ledger, basis, working)
    result = stage_memory(stage.id, phases, overheads, layout.cards_per_task)
    return replace(result, host_lines=host)


def _phases(stage: Stage, layout: StageLayout) -> list[Phase]:
    return [
        Phase(
            phase.name,
            tuple(
                Term(
                    term.state_class.value,
                    _size(term.gib),
                    layout.partition_of(term.state_class) is Partition.PARTITIONED,
                )
                for term in phase.terms
            ),
        )
        for phase in stage.memory.phases
    ]


def _size(stated: Stated) -> Size | None:
    span = stated.span
    if stated.value is None or span is None:
        return None
    return Size(gib_to_bytes(stated.value), gib_to_bytes(span[1]), stated.kind)


def _is_eligible(layout: StageLayout, card_id: str) -> bool:
    return not layout.card_ids or card_id in layout.card_ids


_SEVERITY = {Fit.YES: 0, Fit.IF: 1, Fit.UNKNOWN: 2, Fit.NO: 3}


def _worst(card: Card, verdicts: list[CardVerdict]) -> CardVerdict:
    if not verdicts:
        return CardVerdict(card.id, card.usable_bytes, Fit.UNKNOWN)
    return max(verdicts, key=lambda one: (_SEVERITY[one.fits], one.peak_bytes or Decimal(0)))
