"""Small parts that the sample quotes are put together from; see `build_samples.py`."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from estimator.catalogue import AnyOffer, Card  # noqa: E402  (the root must be on the path first)
from estimator.catalogue.embedded import embedded_catalogue  # noqa: E402
from estimator.evidence import Evidence, EvidenceKind, Stated, StatedDuration  # noqa: E402
from estimator.quote import (  # noqa: E402
    AssignmentPolicy,
    Fee,
    FeeKind,
    MemoryNeed,
    MemoryPhase,
    Precondition,
    ResourceKind,
    ResourceNeed,
    SharedResource,
    Stage,
    StageKind,
    StageLayout,
    StateClass,
    StateTerm,
    Tasks,
)
from estimator.units import TimeUnit  # noqa: E402

DAY = dt.date(2026, 11, 30)
TEAM = "Hipótesis del equipo"
FICTION = "Ilustrativo, no medido"
FICTION_EN = "Illustrative, not measured"
ASSUMED, GIVEN, ESTIMATED = EvidenceKind.ASSUMED, EvidenceKind.GIVEN, EvidenceKind.ESTIMATED


def evidence(kind: EvidenceKind, source: str, low: str | None = None, high: str | None = None) -> Evidence:
    """Return evidence dated with the samples' day, its range in the number's own unit."""
    bounds = (None if each is None else Decimal(each) for each in (low, high))
    return Evidence(kind=kind, source=source, date=DAY, low=next(bounds), high=next(bounds))


def stated(
    value: str, kind: EvidenceKind, source: str = "", low: str | None = None, high: str | None = None
) -> Stated:
    """Return a number with its evidence."""
    return Stated(value=Decimal(value), evidence=evidence(kind, source, low, high))


def given_limit(value: str, unit: TimeUnit, source: str) -> StatedDuration:
    """Return a limit that the customer gave."""
    return StatedDuration(value=Decimal(value), unit=unit, evidence=evidence(GIVEN, source))


def equal_tasks(count: int, minutes: str, kind: Evidence, unit: TimeUnit = TimeUnit.MINUTE) -> Tasks:
    """Return `count` tasks of the same duration."""
    return Tasks(count=(count,), duration=(Decimal(minutes),), unit=unit, evidence=kind)


def memory(
    source: str,
    phases: Iterable[tuple[str, dict[StateClass, str | tuple[str, str, str]]]],
    context: str = "0.5",
) -> MemoryNeed:
    """Return a memory need in GiB by phase; a term is its value, or (value, low, high). All assumed."""

    def term(amount: str | tuple[str, str, str]) -> Stated:
        value, low, high = (amount, None, None) if isinstance(amount, str) else amount
        return stated(value, ASSUMED, source, low, high)

    context_range = (str(Decimal(context) * 4 / 5), str(Decimal(context) * 6 / 5))
    return MemoryNeed(
        phases=tuple(
            MemoryPhase(
                name=name,
                terms=tuple(StateTerm(state_class=each, gib=term(amount)) for each, amount in terms.items()),
            )
            for name, terms in phases
        ),
        context_gib=stated(context, ESTIMATED, source, *context_range),
        margin_percent=stated("5", ASSUMED, source, "0", "10"),
    )


def offers(*ids: str) -> tuple[tuple[Card, ...], tuple[AnyOffer, ...]]:
    """Return copies of the named offers of the embedded catalogue, and of their cards."""
    catalogue = embedded_catalogue()
    found = [offer for each in ids if (offer := catalogue.offer(each)) is not None]
    card_ids = dict.fromkeys(offer.card_id for offer in found)
    return tuple(card for card in catalogue.cards if card.id in card_ids), tuple(found)


def blocks(stage_id: str, at_once: int, cards: int = 1) -> StageLayout:
    """Return a stage laid out in fixed blocks."""
    return StageLayout(stage_id=stage_id, cards_per_task=cards, tasks_at_once=at_once)


def open_fees(names: tuple[str, str, str, str]) -> tuple[Fee, ...]:
    """Return the four usual fees without a price: "not included", in words, until somebody types one."""
    kinds = (FeeKind.STATION, FeeKind.STORAGE, FeeKind.TRANSFER_OUT, FeeKind.SET_UP)
    return tuple(Fee(id=kind.value, kind=kind, name=name) for kind, name in zip(kinds, names, strict=True))


FEES_ES = ("Puesto de ensamblaje", "Almacenamiento", "Salida de datos", "Puesta en marcha")
FEES_EN = ("Station", "Storage", "Transfer out", "Set-up")


def preconditions(*codes: str) -> tuple[Precondition, ...]:
    """Return known preconditions, taken for granted until checked."""
    return tuple(Precondition(id=code, code=code) for code in codes)


def station(
    stage_id: str, name: str, after: tuple[str, ...], count: int, minutes: str, where: str, source: str
) -> Stage:
    """Return work off the cards at a station."""
    return Stage(
        id=stage_id,
        name=name,
        kind=StageKind.STATION,
        after=after,
        tasks=equal_tasks(count, minutes, evidence(ASSUMED, source)),
        needs=(ResourceNeed(resource_id=where),),
    )


def resource(
    resource_id: str, name: str, kind: ResourceKind, capacity: str, unit: str, source: str
) -> SharedResource:
    """Return something shared, with a capacity that the customer gave."""
    amount = stated(capacity, GIVEN, source)
    return SharedResource(id=resource_id, name=name, kind=kind, capacity=amount, unit=unit)


def layout(stage_id: str, at_once: int) -> StageLayout:
    """Return a stage whose tasks go to the first free card."""
    return StageLayout(stage_id=stage_id, tasks_at_once=at_once, policy=AssignmentPolicy.AVAILABILITY)
