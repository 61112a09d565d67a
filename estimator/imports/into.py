"""An imported task list put into a quote: as the tasks of one stage, or each row as a stage with its links.

The preview shows what was read; this is what happens when it is applied, in one step that undo takes back.
"""

from __future__ import annotations

from decimal import Decimal

from estimator.edits import new_id, with_stage, with_workload
from estimator.evidence import Evidence, EvidenceKind, StatedDuration
from estimator.imports.work import WorkList, WorkRow, links_of, stated_memory
from estimator.problems import Problem
from estimator.quote import (
    MemoryNeed,
    MemoryPhase,
    Quote,
    Stage,
    StageKind,
    StageLayout,
    StateClass,
    StateTerm,
    Tasks,
)
from estimator.units import MS_PER, TimeUnit, from_ms


def as_tasks(work: WorkList, former: Tasks) -> Tasks:
    """Return `former` with the rows as its groups of tasks; durations are assumed, from the file."""
    unit = work.unit
    return former.replaced(
        count=tuple(row.count for row in work.rows),
        duration=tuple(_in(row, unit) for row in work.rows),
        names=tuple(row.name for row in work.rows),
        unit=unit,
        evidence=Evidence(kind=EvidenceKind.ASSUMED, source=work.source),
    )


def with_tasks_of(quote: Quote, stage_id: str, work: WorkList) -> Quote:
    """Return the quote with the rows as the tasks of a stage, in place of those it had.

    Where every row states the same memory, it is the stage's; the largest of several is what a card must hold.
    """
    stage = quote.workload.stage(stage_id)
    if stage is None:
        raise KeyError(stage_id)
    changes: dict[str, object] = {"tasks": as_tasks(work, stage.tasks)}
    stated = [row for row in work.rows if row.memory_gib is not None]
    if stated:
        largest = max(stated, key=lambda row: row.memory_gib or Decimal(0))
        changes["memory"] = _memory(stage.memory, largest, work.source)
    quote = with_stage(quote, stage_id, **changes)
    cards = {row.cards for row in work.rows if row.cards}
    return _with_cards(quote, {stage_id: max(cards)}) if cards else quote


def as_stages(work: WorkList, taken: tuple[str, ...] = ()) -> tuple[tuple[Stage, ...], tuple[Problem, ...]]:
    """Return one stage a row, with its links, and what was wrong with them. Rows of no duration are gates."""
    waits, problems = links_of(work.rows)
    ids: list[str] = list(taken)
    for row in work.rows:
        ids.append(new_id(row.name, ids))
    ids = ids[len(taken) :]
    unit = work.unit
    stages = tuple(
        Stage(
            id=ids[place],
            name=row.name,
            kind=_kind(row),
            after=tuple(ids[other] for other in waits[place]),
            tasks=Tasks(
                count=(row.count,),
                duration=(_in(row, unit),),
                unit=unit,
                evidence=Evidence(kind=EvidenceKind.ASSUMED, source=work.source),
            ),
            memory=_memory(MemoryNeed(), row, work.source),
            release=_moment(row.release_ms, work.source),
            due=_moment(row.due_ms, work.source),
        )
        for place, row in enumerate(work.rows)
    )
    return stages, problems


def with_stages_of(quote: Quote, work: WorkList) -> Quote:
    """Return the quote with a stage a row, after the stages it has. Cards a task go into every organisation."""
    stages, _ = as_stages(work, tuple(stage.id for stage in quote.workload.stages))
    quote = with_workload(quote, stages=(*quote.workload.stages, *stages))
    cards = {
        stage.id: row.cards
        for stage, row in zip(stages, work.rows, strict=True)
        if row.cards and row.cards > 1
    }
    return _with_cards(quote, cards)


def _moment(ms: int | None, source: str) -> StatedDuration | None:
    """Return a moment from the start as the file states it, in hours."""
    if ms is None:
        return None
    evidence = Evidence(kind=EvidenceKind.GIVEN, source=source)
    return StatedDuration(value=from_ms(ms, TimeUnit.HOUR), unit=TimeUnit.HOUR, evidence=evidence)


def _kind(row: WorkRow) -> StageKind:
    if row.duration_ms == 0:
        return StageKind.GATE
    if row.cards == 0:
        return StageKind.STATION
    return StageKind.COOPERATIVE if (row.cards or 1) > 1 else StageKind.INDEPENDENT


def _memory(former: MemoryNeed, row: WorkRow, source: str) -> MemoryNeed:
    stated = stated_memory(row, source)
    if stated is None:
        return former
    term = StateTerm(state_class=StateClass.WHOLE, gib=stated)
    return former.replaced(phases=(MemoryPhase(name="", terms=(term,)),), model=None)


def _with_cards(quote: Quote, cards: dict[str, int]) -> Quote:
    """Return the quote with that many cards a task in each organisation's layout of those stages."""
    if not cards:
        return quote
    organisations = []
    for organisation in quote.organisations:
        kept = [one for one in organisation.layouts if one.stage_id not in cards]
        made = [
            organisation.layout(stage_id).replaced(cards_per_task=count)
            if any(one.stage_id == stage_id for one in organisation.layouts)
            else StageLayout(stage_id=stage_id, cards_per_task=count)
            for stage_id, count in cards.items()
        ]
        organisations.append(organisation.replaced(layouts=(*kept, *made)))
    return quote.replaced(organisations=tuple(organisations))


def _in(row: WorkRow, unit: TimeUnit) -> Decimal | None:
    return None if row.duration_ms is None else (Decimal(row.duration_ms) / MS_PER[unit]).normalize()
