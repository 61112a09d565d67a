"""Quotes that tests build on: the source's example and its variations, in code."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from estimator.catalogue import Card, HourlyOffer, Lot, TermPrice
from estimator.estimate import completed, headline
from estimator.evidence import GIVEN, Evidence, EvidenceKind, Stated, StatedDuration
from estimator.quote import (
    AssignmentPolicy,
    CardFactor,
    MemoryNeed,
    MemoryPhase,
    Organisation,
    Partition,
    PartitionChoice,
    Pricing,
    Quote,
    ResourceKind,
    ResourceNeed,
    SharedResource,
    Stage,
    StageKind,
    StageLayout,
    StateClass,
    StateTerm,
    Tasks,
    Workload,
)
from estimator.results.estimate import Estimate
from estimator.units import TimeUnit

TODAY = dt.date(2026, 11, 30)
MINUTE = 60_000
MEASURED = Evidence(kind=EvidenceKind.MEASURED)

RTX_4090 = Card(id="rtx-4090", name="RTX 4090", marketed_gb=Decimal(24), reported_bytes=25_757_220_864)
B200 = Card(id="b200-sxm", name="B200", marketed_gb=Decimal(180), reported_bytes=192_265_846_784)
HIVENET = HourlyOffer(
    id="hivenet", name="RTX 4090", card_id="rtx-4090", seller="Hivenet", price_per_card_hour=Decimal("0.40")
)
LOT_4090 = Lot(
    id="lot-4090",
    name="Lot RTX 4090",
    card_id="rtx-4090",
    cards=1,
    sample=True,
    price_date=TODAY,
    terms=(
        TermPrice(days=3, price=Decimal("27.36")),
        TermPrice(days=7, price=Decimal("60.48")),
        TermPrice(days=30, price=Decimal("230.40")),
    ),
)
LOT_B200 = Lot(
    id="lot-b200",
    name="Lot B200",
    card_id="b200-sxm",
    cards=2,
    sample=True,
    price_date=TODAY,
    terms=(TermPrice(days=3, price=Decimal("781.20")), TermPrice(days=7, price=Decimal("1726.86"))),
)


def compared(quote: Quote, today: dt.date = TODAY) -> Estimate:
    """The estimate of a quote up to its comparisons: all but its risk, which takes much longer than the rest."""
    return completed(headline(quote, today))


def given(value: object) -> Stated:
    """A number that the customer stated."""
    return Stated(value=Decimal(str(value)), evidence=GIVEN)


def assumed(value: object) -> Stated:
    """A number taken for granted."""
    return Stated(value=Decimal(str(value)))


def minutes(value: object, evidence: Evidence = GIVEN) -> StatedDuration:
    """A stated duration in minutes."""
    return StatedDuration(value=Decimal(str(value)), unit=TimeUnit.MINUTE, evidence=evidence)


def whole_memory(gib: object, evidence: Evidence | None = None) -> MemoryNeed:
    """A task's memory as one number."""
    stated = Stated(value=Decimal(str(gib)), evidence=evidence or Evidence())
    term = StateTerm(state_class=StateClass.WHOLE, gib=stated)
    return MemoryNeed(phases=(MemoryPhase(name="run", terms=(term,)),))


def conversion(
    durations: tuple[int, ...] = (12,) * 8, needs: tuple[ResourceNeed, ...] = (), memory: object = 18
) -> Stage:
    """The source's conversions, one group a run of equal durations."""
    counts, lengths = [], []
    for one in durations:
        if lengths and lengths[-1] == one:
            counts[-1] += 1
        else:
            counts.append(1)
            lengths.append(one)
    return Stage(
        id="conversion",
        name="Conversion",
        tasks=Tasks(count=tuple(counts), duration=tuple(Decimal(one) for one in lengths)),
        memory=whole_memory(memory),
        needs=needs,
    )


def assembly(length: int = 10) -> Stage:
    """The source's assembly at a station of its own."""
    return Stage(
        id="assembly",
        name="Assembly",
        kind=StageKind.STATION,
        after=("conversion",),
        tasks=Tasks(count=(1,), duration=(Decimal(length),)),
        needs=(ResourceNeed(resource_id="station"),),
    )


GATE = Stage(id="acceptance", name="Acceptance", kind=StageKind.GATE, after=("assembly",))
STATION = SharedResource(id="station", name="Station", kind=ResourceKind.STATION, capacity=given(1))


def organisation(
    name: str, at_once: int | None, policy: AssignmentPolicy = AssignmentPolicy.BLOCKS, per_task: int = 1
) -> Organisation:
    """An organisation of the conversions."""
    layout = StageLayout(stage_id="conversion", tasks_at_once=at_once, policy=policy, cards_per_task=per_task)
    return Organisation(id=name, layouts=(layout,))


def source_quote(
    stage: Stage | None = None,
    resources: tuple[SharedResource, ...] = (),
    organisations: tuple[Organisation, ...] | None = None,
    **workload: object,
) -> Quote:
    """The source's example: 8 × 12 min and 10 min of assembly, A with one card and B with two."""
    work = {
        "computation_unit": "conversion",
        "units_per_delivery": 8,
        "stages": (stage or conversion(), assembly(), GATE),
        "resources": (STATION, *resources),
        "limit": minutes(90),
        "quota_cards": given(2),
        **workload,
    }
    return Quote(
        name="Source example",
        workload=Workload(**work),
        organisations=organisations or (organisation("A", 1), organisation("B", 2)),
        reference_id="A",
        cards=(RTX_4090, B200),
        offers=(HIVENET, LOT_4090, LOT_B200),
        pricing=Pricing(tax_percent=given(21)),
    )


def cooperative_quote(partition: Partition, gib: object = 200) -> Quote:
    """One job of `gib` GB-like GiB over the two cards of a B200 lot, replicated or partitioned."""
    stage = Stage(
        id="training",
        name="Training",
        kind=StageKind.COOPERATIVE,
        tasks=Tasks(count=(1,), duration=(Decimal(600),)),
        memory=whole_memory(gib, GIVEN),
    )
    choice = PartitionChoice(state_class=StateClass.WHOLE, partition=partition)
    layout = StageLayout(stage_id="training", cards_per_task=2, tasks_at_once=1, partitions=(choice,))
    organisation_ = Organisation(id="A", layouts=(layout,), mechanism="FSDP")
    return Quote(
        workload=Workload(stages=(stage,)),
        organisations=(organisation_,),
        cards=(B200,),
        offers=(LOT_B200,),
        pricing=Pricing(tax_percent=given(21)),
    )


def hard_to_prove(policy: AssignmentPolicy = AssignmentPolicy.BEST) -> Quote:
    """Nine conversions on three cards that load one after another for 4 min: the search's 56 + 10 min are the
    best, but its own bound is 52 + 10.
    """
    return loading_in_turn((4, 11, 19, 18, 15, 28, 29, 12, 18), 3, 4, policy)


def hard_to_find() -> Quote:
    """Ten conversions on four cards that load one after another for 5 min: 63 + 10 min, where the search's 64
    + 10 are later.
    """
    return loading_in_turn((26, 14, 28, 25, 29, 26, 23, 19, 3, 29), 4, 5, AssignmentPolicy.BEST)


def loading_in_turn(durations: tuple[int, ...], cards: int, load: int, policy: AssignmentPolicy) -> Quote:
    """Conversions that share a store for the first part of each; organisation B, by the hour, is shown."""
    need = ResourceNeed(resource_id="store", amount=given(1), hold=minutes(load))
    store = SharedResource(id="store", name="Store", kind=ResourceKind.STORAGE, capacity=given(1))
    quote = source_quote(
        conversion(durations, needs=(need,)),
        (store,),
        (organisation("A", 1), organisation("B", cards, policy)),
        quota_cards=given(cards),
    )
    return quote.replaced(reference_id="B", chosen_plan="B/hourly:hivenet")


def term_lot(
    name: str, card: str, price: str, stock: int | None = None, days: int = 3, cards: int = 1
) -> Lot:
    terms = (TermPrice(days=days, price=Decimal(price)),)
    return Lot(id=name, name=name, card_id=card, seller="S", cards=cards, terms=terms, stock=stock)


def mixing_quote(
    *offers: Lot | HourlyOffer,
    tasks: int,
    hours: int,
    limit: int,
    at_once: int | None = None,
    **quote: object,
) -> Quote:
    """`tasks` tasks of `hours` hours on a card of RTX 4090, half of that on a B200; a limit in hours."""
    stage = conversion((12,) * tasks)
    stage = stage.replaced(
        tasks=stage.tasks.replaced(duration=(Decimal(hours),), unit=TimeUnit.HOUR),
        card_factors=(CardFactor(card_id="b200-sxm", factor=given("0.5")),),
    )
    layout = StageLayout(stage_id="conversion", policy=AssignmentPolicy.AVAILABILITY, tasks_at_once=at_once)
    limit_ = StatedDuration(value=Decimal(limit), unit=TimeUnit.HOUR)
    quota = quote.pop("quota", None)
    made = source_quote(stage, organisations=(Organisation(id="A", layouts=(layout,)),), limit=limit_)
    work = made.workload.replaced(stages=(stage,), quota_cards=None if quota is None else given(quota))
    return made.replaced(offers=offers, cards=(RTX_4090, B200), workload=work, **quote)


def mixed_quote() -> Quote:
    """19 tasks in 72 h: one lot of each model, and one task more by the hour."""
    hourly = HourlyOffer(id="hour", name="hour", card_id="rtx-4090", price_per_card_hour=Decimal("0.40"))
    lots = (term_lot("slow", "rtx-4090", "20", stock=1), term_lot("fast", "b200-sxm", "50", stock=1))
    return mixing_quote(*lots, hourly, tasks=19, hours=12, limit=72)
