"""Edits of a stage's memory: phases, their terms, the lines added to each, and what is partitioned."""

from __future__ import annotations

from estimator import edits
from estimator.evidence import Stated
from estimator.quote import (
    MemoryPhase,
    Partition,
    PartitionChoice,
    Quote,
    StateClass,
    StateTerm,
)

OVERHEADS = ("context_gib", "margin_percent", "workspace_gib", "communication_gib")
"""Fields of a memory need that are added to every phase, in the order shown."""
OPTIONAL = frozenset({"workspace_gib", "communication_gib"})
"""Those that many programs do not have: blank is none."""


def phases_of(quote: Quote, stage_id: str) -> tuple[MemoryPhase, ...]:
    """Return the phases of a stage; none where there is no such stage."""
    stage = quote.workload.stage(stage_id)
    return () if stage is None else stage.memory.phases


def added_phase(quote: Quote, stage_id: str, name: str) -> Quote:
    """Return the quote with a phase more, with one term that is not known yet.

    The first phase asks for the whole task; a later one for what the last phase holds first.
    """
    phases = phases_of(quote, stage_id)
    first = phases[-1].terms[0].state_class if phases and phases[-1].terms else StateClass.WHOLE
    phase = MemoryPhase(name=name, terms=(StateTerm(state_class=first, gib=Stated()),))
    return edits.with_memory(quote, stage_id, phases=(*phases, phase))


def added_term(quote: Quote, stage_id: str, phase: int) -> Quote:
    """Return the quote with a term more in a phase: the first state class that it does not hold."""
    phases = phases_of(quote, stage_id)
    used = {term.state_class for term in phases[phase].terms}
    free = [one for one in StateClass if one not in used and one is not StateClass.WHOLE]
    term = StateTerm(state_class=free[0] if free else StateClass.DATA, gib=Stated())
    return _with_terms(quote, stage_id, phase, (*phases[phase].terms, term))


def without_term(quote: Quote, stage_id: str, phase: int, term: int) -> Quote:
    """Return the quote without that term; a phase without terms goes too."""
    phases = phases_of(quote, stage_id)
    terms = tuple(one for at, one in enumerate(phases[phase].terms) if at != term)
    if terms:
        return _with_terms(quote, stage_id, phase, terms)
    kept = tuple(one for at, one in enumerate(phases) if at != phase)
    return edits.with_memory(quote, stage_id, phases=kept)


def with_term(quote: Quote, stage_id: str, phase: int, term: int, **changes: object) -> Quote:
    """Return the quote with fields of one term changed."""
    terms = phases_of(quote, stage_id)[phase].terms
    changed = tuple(one.replaced(**changes) if at == term else one for at, one in enumerate(terms))
    return _with_terms(quote, stage_id, phase, changed)


def renamed_phase(quote: Quote, stage_id: str, phase: int, name: str) -> Quote:
    """Return the quote with another name for a phase."""
    phases = phases_of(quote, stage_id)
    changed = tuple(one.replaced(name=name) if at == phase else one for at, one in enumerate(phases))
    return edits.with_memory(quote, stage_id, phases=changed)


def with_partition(
    quote: Quote, organisation_id: str, stage_id: str, state_class: StateClass, partition: Partition
) -> Quote:
    """Return the quote with one state class replicated or partitioned in one organisation."""
    organisation = quote.organisation(organisation_id)
    if organisation is None:
        return quote
    layout = organisation.layout(stage_id)
    kept = tuple(one for one in layout.partitions if one.state_class is not state_class)
    choice = PartitionChoice(state_class=state_class, partition=partition)
    return edits.with_layout(quote, organisation_id, stage_id, partitions=(*kept, choice))


def _with_terms(quote: Quote, stage_id: str, phase: int, terms: tuple[StateTerm, ...]) -> Quote:
    phases = phases_of(quote, stage_id)
    changed = tuple(one.replaced(terms=terms) if at == phase else one for at, one in enumerate(phases))
    return edits.with_memory(quote, stage_id, phases=changed)
