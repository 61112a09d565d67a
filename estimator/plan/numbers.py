"""Every number of a quote that may be another than it is: its place, its range, and the quote with it changed.

A number stands here where it is not verified or has a range. Its id is that of its condition. Prices of offers
are not here: they have no range and are always to be confirmed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from estimator import edits
from estimator.evidence import VERIFIED, Distribution, Evidence, EvidenceKind, Stated, StatedDuration, span_of
from estimator.plan.memory import memory_of_stage
from estimator.problems import Place
from estimator.quote import (
    CardFactor,
    CardSlicing,
    Fee,
    FeeBasis,
    MemoryNeed,
    Organisation,
    Quote,
    ResourceNeed,
    Stage,
    StageKind,
    StageLayout,
    Tasks,
)
from estimator.units import TimeUnit, bytes_to_gib

Put = Callable[[Quote, Decimal], Quote]

GIB_UNIT = "GiB"
PERCENT = "%"
_DIGITS = 9
_PEAK_FINE = Decimal("1e-6")
_MOST_MENDED = 8


@dataclass(frozen=True, slots=True)
class QuoteNumber:
    """A number with its range. `put` returns the quote with another value in its place."""

    id: str
    where: Place
    kind: EvidenceKind
    unit: str
    low: Decimal
    value: Decimal
    high: Decimal
    distribution: Distribution
    put: Put
    is_whole: bool = False
    is_typed: bool = False
    """Whether a person stated an end of the range."""

    @property
    def has_range(self) -> bool:
        """Whether it may be another than it is."""
        return self.low < self.high


def numbers_of(quote: Quote, organisation: Organisation | None) -> tuple[QuoteNumber, ...]:
    """Return the numbers, in the order of the quote. Memory is that of the `organisation`.

    One without a range is there only where nobody stated that it has none: a range of no width is a statement.
    """
    found = [
        *_work(quote),
        *_slices(quote),
        *_memory(quote, organisation),
        *_limits(quote),
        *_renting(quote),
        *_pricing(quote),
    ]
    return tuple(one for one in found if one.has_range or (one.kind not in VERIFIED and not one.is_typed))


def mean_duration(tasks: Tasks) -> Decimal | None:
    """Return the mean of the tasks' durations in their unit, None where one is not known."""
    total = Decimal(0)
    for count, duration in zip(tasks.count, tasks.duration, strict=True):
        if duration is None:
            return None
        total += count * duration
    return _short(total / tasks.total)


def _short(value: Decimal) -> Decimal:
    """Return the value with at most nine digits: a mean of thirds has no end."""
    return value if len(value.as_tuple().digits) <= _DIGITS else Decimal(f"{value:.{_DIGITS}g}")


def _number(
    id_: str, where: Place, unit: str, value: Decimal, evidence: Evidence, put: Put, is_whole: bool = False
) -> QuoteNumber:
    low, high = (_short(end) for end in span_of(value, evidence))
    if is_whole:
        # Whole values inside the range; the value itself always is one of them.
        low = min(value, low.to_integral_value(rounding="ROUND_CEILING"))
        high = max(value, high.to_integral_value(rounding="ROUND_FLOOR"))
    is_typed = evidence.low is not None or evidence.high is not None
    shape = evidence.distribution
    return QuoteNumber(id_, where, evidence.kind, unit, low, value, high, shape, put, is_whole, is_typed)


def _stated(
    id_: str, where: Place, unit: str, stated: Stated | None, put: Callable[[Quote, Stated], Quote]
) -> Iterator[QuoteNumber]:
    """Yield a stated number; nothing where it is blank or unknown."""
    if stated is None or stated.value is None or stated.kind is EvidenceKind.UNKNOWN:
        return
    shown_unit = stated.unit.value if isinstance(stated, StatedDuration) else unit
    yield _number(
        id_,
        where,
        shown_unit,
        stated.value,
        stated.evidence,
        lambda quote, value: put(quote, stated.replaced(value=value)),
    )


def _work(quote: Quote) -> Iterator[QuoteNumber]:
    at_once = any(
        (organisation.layout(stage.id).tasks_at_once or 2) > 1
        for organisation in quote.organisations
        for stage in quote.workload.stages
        if stage.on_cards
    )
    for stage in quote.workload.stages:
        if stage.kind is not StageKind.GATE:
            yield from _tasks(stage)
        where: Place = ("workload", "stages", stage.id)
        for factor in stage.card_factors:
            yield from _stated(
                f"factor:{stage.id}:{factor.card_id}",
                (*where, "card_factors", factor.card_id),
                "",
                factor.factor,
                _factor_put(stage.id, factor),
            )
        for need in stage.needs:
            yield from _needs(stage, need)
    if at_once:
        yield from _stated(
            "slow_down",
            ("workload", "mutual_slow_down"),
            "",
            quote.workload.mutual_slow_down,
            lambda changed, stated: edits.with_workload(changed, mutual_slow_down=stated),
        )
    for resource in quote.workload.resources:
        place = ("workload", "resources", resource.id)
        yield from _stated(
            f"capacity:{resource.id}",
            place,
            resource.unit,
            resource.capacity,
            _capacity_put(resource.id),
        )


def _tasks(stage: Stage) -> Iterator[QuoteNumber]:
    where: Place = ("workload", "stages", stage.id)
    mean = mean_duration(stage.tasks)
    if mean is not None and stage.tasks.kind is not EvidenceKind.UNKNOWN:
        yield _number(
            f"duration:{stage.id}",
            (*where, "duration"),
            stage.tasks.unit.value,
            mean,
            stage.tasks.evidence,
            _duration_put(stage.id, mean),
        )
    counted = stage.tasks.count_evidence
    if counted.kind is not EvidenceKind.UNKNOWN:
        total = Decimal(stage.tasks.total)
        yield _number(f"count:{stage.id}", (*where, "count"), "", total, counted, _count_put(stage.id), True)


def _duration_put(stage_id: str, mean: Decimal) -> Put:
    """Return the edit that makes the mean duration another, every task in proportion."""

    def put(quote: Quote, value: Decimal) -> Quote:
        stated = _tasks_of(quote, stage_id).duration
        if mean == 0:
            duration: tuple[Decimal | None, ...] = tuple(value for _ in stated)
        else:
            duration = tuple(None if one is None else _short(one * value / mean) for one in stated)
        return edits.with_tasks(quote, stage_id, duration=duration)

    return put


def _count_put(stage_id: str) -> Put:
    """Return the edit that makes the number of tasks another: groups in proportion, rounded along the list."""

    def put(quote: Quote, value: Decimal) -> Quote:
        tasks = _tasks_of(quote, stage_id)
        wanted, total = max(1, int(value)), tasks.total
        edges, before = [0], 0
        for count in tasks.count:
            before += count
            edges.append(before * wanted // total)
        counts = [high - low for low, high in itertools.pairwise(edges)]
        kept = [index for index, count in enumerate(counts) if count > 0]
        return edits.with_tasks(
            quote,
            stage_id,
            count=tuple(counts[index] for index in kept),
            duration=tuple(tasks.duration[index] for index in kept),
            names=tuple(tasks.names[index] for index in kept) if tasks.names else (),
        )

    return put


def _tasks_of(quote: Quote, stage_id: str) -> Tasks:
    stage = quote.workload.stage(stage_id)
    return Tasks() if stage is None else stage.tasks


def _factor_put(stage_id: str, factor: CardFactor) -> Callable[[Quote, Stated], Quote]:
    def put(quote: Quote, stated: Stated) -> Quote:
        stage = quote.workload.stage(stage_id)
        factors = () if stage is None else stage.card_factors
        changed = tuple(
            one.replaced(factor=stated) if one.card_id == factor.card_id else one for one in factors
        )
        return edits.with_stage(quote, stage_id, card_factors=changed)

    return put


def _capacity_put(resource_id: str) -> Callable[[Quote, Stated], Quote]:
    def put(quote: Quote, stated: Stated) -> Quote:
        resource = next(one for one in quote.workload.resources if one.id == resource_id)
        return edits.with_resource(quote, resource.replaced(capacity=stated))

    return put


def _needs(stage: Stage, need: ResourceNeed) -> Iterator[QuoteNumber]:
    where: Place = ("workload", "stages", stage.id, "needs", need.resource_id)

    def putting(field: str) -> Callable[[Quote, Stated], Quote]:
        def put(quote: Quote, stated: Stated) -> Quote:
            found = quote.workload.stage(stage.id)
            needs = () if found is None else found.needs
            changed = tuple(
                one.replaced(**{field: stated}) if one.resource_id == need.resource_id else one
                for one in needs
            )
            return edits.with_stage(quote, stage.id, needs=changed)

        return put

    id_ = f"{stage.id}:{need.resource_id}"
    yield from _stated(f"need:{id_}", (*where, "amount"), "", need.amount, putting("amount"))
    yield from _stated(f"hold:{id_}", (*where, "hold"), "", need.hold, putting("hold"))


def _memory(quote: Quote, organisation: Organisation | None) -> Iterator[QuoteNumber]:
    """Yield the peak of each stage: all that it is made of at its lower or at its upper end together."""
    if organisation is None:
        return
    for stage in quote.workload.stages:
        if not stage.on_cards:
            continue
        layout = organisation.layout(stage.id)
        memory = memory_of_stage(stage, layout)
        worst = memory.worst
        if worst is None:
            continue
        highest = max(phase.high_bytes for phase in memory.phases)
        moved = _MovedMemory(stage, layout, Decimal(highest) / max(1, worst.peak_bytes))
        ends = [moved.peak_gib(Decimal(share)) for share in (-1, 0)]
        low, value, high = (_short(end) for end in sorted([*ends, bytes_to_gib(highest)]))
        yield QuoteNumber(
            f"memory:{stage.id}",
            ("workload", "stages", stage.id, "memory"),
            worst.kind,
            GIB_UNIT,
            low,
            value,
            high,
            Distribution.TRIANGULAR,
            _peak_put(moved, low, value, high),
        )


def _peak_put(moved: _MovedMemory, low: Decimal, value: Decimal, high: Decimal) -> Put:
    """Return the edit by peak in GiB: the parts lie in proportion between their values and their ends.

    Margin times terms makes the peak a little more than straight in that proportion, so it is mended until it fits.
    """

    def at_peak(quote: Quote, peak: Decimal) -> Quote:
        if peak == value:
            return quote
        reach = high - value if peak > value else value - low
        share = (peak - value) / reach
        for _ in range(_MOST_MENDED):
            short_by = peak - moved.peak_gib(share)
            if abs(short_by) < _PEAK_FINE:
                break
            share += short_by / reach
        return edits.with_stage(quote, moved.stage.id, memory=moved.need(share))

    return at_peak


class _MovedMemory:
    """A stage's memory moved by a share from -1 (all lower ends) over 0 (the values) to 1 (all upper ends)."""

    def __init__(self, stage: Stage, layout: StageLayout, highest: Decimal) -> None:
        """`highest`: the peak at the upper ends over the peak at the values."""
        self.stage = stage
        self._layout = layout
        # A model's memory has no number to move: its range is laid on the margin, which has the same effect.
        self._upper = Decimal(1) if stage.memory.model is None else highest

    def peak_gib(self, share: Decimal) -> Decimal:
        """Return the worst peak of a stage whose peak is known."""
        worst = memory_of_stage(self.stage.replaced(memory=self.need(share)), self._layout).worst
        return Decimal(0) if worst is None else bytes_to_gib(worst.peak_bytes)

    def need(self, share: Decimal) -> MemoryNeed:
        """Return the memory need with every number of it moved."""
        need = self.stage.memory
        margin = _moved(need.margin_percent, share)
        if share > 0 and margin.value is not None:
            more = 1 + share * (self._upper - 1)
            margin = margin.replaced(value=(100 + margin.value) * more - 100)
        phases = tuple(
            phase.replaced(terms=tuple(term.replaced(gib=_moved(term.gib, share)) for term in phase.terms))
            for phase in need.phases
        )
        extras = {
            name: None if stated is None else _moved(stated, share)
            for name, stated in (
                ("context_gib", need.context_gib),
                ("workspace_gib", need.workspace_gib),
                ("communication_gib", need.communication_gib),
            )
        }
        return need.replaced(phases=phases, margin_percent=margin, **extras)


def _moved(stated: Stated, share: Decimal) -> Stated:
    span = stated.span
    if stated.value is None or span is None or span[0] == span[1]:
        return stated
    reach = span[1] - stated.value if share > 0 else stated.value - span[0]
    return stated.replaced(value=stated.value + share * reach)


def _slices(quote: Quote) -> Iterator[QuoteNumber]:
    """Yield how many times longer a task takes on a slice of a card, of each organisation that slices its cards."""
    for organisation in quote.organisations:
        slicing = organisation.slicing
        if slicing is None:
            continue
        factor, span = slicing.duration_factor, slicing.factor_span
        if factor.value is None or span is None or factor.kind is EvidenceKind.UNKNOWN:
            continue
        evidence = factor.evidence.replaced(low=span[0], high=span[1])
        put = _slice_put(organisation.id, slicing)
        where: Place = ("organisations", organisation.id, "slicing", "duration_factor")
        yield _number(f"slice_duration:{organisation.id}", where, "", factor.value, evidence, put)


def _slice_put(organisation_id: str, slicing: CardSlicing) -> Put:
    def put(quote: Quote, value: Decimal) -> Quote:
        changed = slicing.replaced(duration_factor=slicing.duration_factor.replaced(value=value))
        return edits.with_organisation(quote, organisation_id, slicing=changed)

    return put


def _limits(quote: Quote) -> Iterator[QuoteNumber]:
    workload = quote.workload
    for name, stated in (("limit", workload.limit), ("quota_cards", workload.quota_cards)):
        yield from _stated(name, ("workload", name), "", stated, _workload_put(name))
    currency = quote.pricing.currency
    yield from _stated("budget", ("workload", "budget"), currency, workload.budget, _workload_put("budget"))


def _workload_put(name: str) -> Callable[[Quote, Stated], Quote]:
    return lambda quote, stated: edits.with_workload(quote, **{name: stated})


def _renting(quote: Quote) -> Iterator[QuoteNumber]:
    for offer in quote.offers:
        yield from _stated(
            f"setup:{offer.id}", ("offers", offer.id, "setup"), "", offer.setup, _setup_put(offer.id)
        )


def _setup_put(offer_id: str) -> Callable[[Quote, Stated], Quote]:
    return lambda quote, stated: edits.with_offer_fields(quote, offer_id, setup=stated)


def _pricing(quote: Quote) -> Iterator[QuoteNumber]:
    pricing = quote.pricing
    for fee in pricing.fees:
        if fee.price.value is not None:
            where: Place = ("pricing", "fees", fee.id)
            currency = fee.currency or pricing.currency
            yield from _stated(
                f"fee:{fee.id}", (*where, "price"), currency, fee.price, _fee_put(fee, "price")
            )
            quantity = _fee_put(fee, "quantity")
            yield from _stated(
                f"fee_quantity:{fee.id}", (*where, "quantity"), fee.unit, fee.quantity, quantity
            )
            if fee.basis is FeeBasis.KEPT_TIME:
                days = _fee_put(fee, "kept_days")
                yield from _stated(
                    f"fee_days:{fee.id}", (*where, "kept_days"), TimeUnit.DAY.value, fee.kept_days, days
                )
    for name, stated in (
        ("tax_percent", pricing.tax_percent),
        ("discount_percent", pricing.discount_percent),
        ("contingency_percent", pricing.contingency_percent),
    ):
        yield from _stated(name, ("pricing", name), PERCENT, stated, _pricing_put(name))


def _fee_put(fee: Fee, name: str) -> Callable[[Quote, Stated], Quote]:
    return lambda quote, stated: edits.with_fee(quote, fee.id, **{name: stated})


def _pricing_put(name: str) -> Callable[[Quote, Stated], Quote]:
    return lambda quote, stated: edits.with_pricing(quote, **{name: stated})
