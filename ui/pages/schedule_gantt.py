"""From an estimate to the Gantt chart: rows, bars, milestones, shared resources, the limit and a comparison.

Bars come from the schedule's run-length columns by numpy, so that 100,000 tasks are built at once and named one
by one only when asked. Nothing is scheduled here, and no pixel or colour is known.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from estimator.quote import Quote, ResourceKind, Stage, StageKind
from estimator.results.estimate import Estimate, OrganisationResult, Timing
from estimator.wording import Wording
from estimator.wording.phrases import organisation_label
from estimator.wording.slicing import place_number
from ui.gantt.axis import moment_text
from ui.gantt.model import (
    BarFlag,
    Difference,
    GanttModel,
    GanttRow,
    Limit,
    Milestone,
    ResourceSteps,
    RowKind,
    Tone,
    build_model,
)
from ui.pages.schedule_closed import closed_off_cards, closed_on_cards
from ui.pages.schedule_groups import ORGANISATION_DEPTH, CardTimes, Units, card_rows, units_of
from ui.pages.schedule_tasks import (
    MOST_LANES,
    Int64,
    TaskColumns,
    TaskNames,
    expanded,
    first_groups,
    joined,
    lanes_of,
    spans_of,
    taken,
)

CARD_CLASSES = (1, 2, 5, 6)
OFF_CARDS_CLASS = 3
RESOURCE_CLASSES = {ResourceKind.LICENCE: 4, ResourceKind.STORAGE: 5, ResourceKind.LINK: 5}
RESOURCE_ICONS = {ResourceKind.LICENCE: "key", ResourceKind.STORAGE: "cylinder", ResourceKind.LINK: "link"}
IDLE_TEXT_SHARE = 0.08
RESOURCE_SCALE = 1000
"""The schedule counts shared capacities in thousandths."""
EMPTY_HORIZON_MS = 3_600_000
HEADED_LANES = 5
"""From so many at once on, what runs off the cards has a heading and can be folded."""

Mask = NDArray[np.bool_]


class ColourBy(StrEnum):
    """What the colour of a bar stands for."""

    STAGE = "stage"
    LOT = "lot"


@dataclass(frozen=True, eq=False)
class Chart:
    """The model of the chart, and the tasks behind its bars in the model's order."""

    model: GanttModel
    tasks: TaskColumns
    stages: tuple[Stage, ...]
    names: TaskNames


@dataclass
class _Parts:
    """What a chart is put together from, while it is."""

    start: dt.datetime | None
    rows: list[GanttRow] = field(default_factory=list)
    tasks: list[TaskColumns] = field(default_factory=list)
    unit: list[Int64] = field(default_factory=list)
    """Of each task which of `unit_names` it runs on, -1 off the cards."""
    unit_names: list[str] = field(default_factory=list)
    milestones: list[Milestone] = field(default_factory=list)
    steps: list[ResourceSteps] = field(default_factory=list)
    idle: list[tuple[Int64, Int64, Int64, NDArray[np.bool_]]] = field(default_factory=list)
    """Row, start and end of unused time, and whether it is set-up."""
    differences: list[Difference] = field(default_factory=list)
    closed: list[tuple[Int64, Int64, Int64]] = field(default_factory=list)
    horizon_ms: int = 0


@dataclass(frozen=True, eq=False)
class Compared:
    """What stands under the shown plan on the same axis: another organisation, or another assignment."""

    timing: Timing
    heading: str
    result: OrganisationResult
    """Of the organisation whose timing it is."""
    is_same_plan: bool = False
    """Whether its cards are those of the shown plan."""


def chart_of(
    words: Wording,
    estimate: Estimate,
    *,
    colour_by: ColourBy = ColourBy.STAGE,
    other: Compared | None = None,
    critical: Sequence[Mask] = (),
    start: dt.datetime | None = None,
) -> Chart | None:
    """Return the chart of the organisation shown, with another plan under it.

    `critical` says of each row of the shown plan's runs, and of the other's, whether it makes the delivery.
    `start` (with a zone) turns the times of milestones into dates. None where the organisation has no timing:
    `empty_chart` then shows its axis and rows.
    """
    shown = estimate.shown
    if shown is None or not isinstance(shown.timing, Timing):
        return None
    quote, stages = estimate.quote, estimate.quote.workload.stages
    horizon = max(
        one.timing.delivery_ms for one in (shown, other) if one is not None and isinstance(one.timing, Timing)
    )
    parts = _Parts(start, horizon_ms=horizon)
    masks = [*critical, None, None]
    units = units_of(words, quote, estimate.shown_plan, shown)
    if other is not None:
        label = organisation_label(words, estimate, shown.organisation_id)
        parts.rows.append(_heading(words, estimate, label, "shown", shown.timing))
    _add_plan(words, quote, parts, shown.timing, units, "shown", masks[0])
    if other is not None:
        _add_difference(words, parts, shown.timing, other.timing)
        parts.rows.append(_heading(words, estimate, other.heading, "other", other.timing))
        if not other.is_same_plan:
            plan = other.result.plan(other.result.best_plan_id)
            units = units_of(words, quote, plan, other.result)
        elif len(units.of_card) != other.timing.places:
            units = Units((0,) * other.timing.places, [words.t("Cards with no offer yet")])
        _add_plan(words, quote, parts, other.timing, units, "other", masks[1])
    _add_resources(words, quote, parts, shown.timing)
    names = TaskNames(words, stages, first_groups(stages, shown.timing))
    return _assembled(words, quote, parts, names, colour_by, horizon)


def empty_chart(words: Wording, estimate: Estimate | None) -> GanttModel:
    """Return axis and rows of the cards that the organisation asks for, with no bar."""
    shown = None if estimate is None else estimate.shown
    places = 1 if shown is None else (shown.tasks_at_once or 1) * shown.cards_per_task
    slices = 1 if shown is None else shown.slices_per_card
    names = [_place_name(words, at, slices) for at in range(min(places, 256))]
    rows = [GanttRow(RowKind.CARD, name, icon="card") for name in names]
    limit = None if estimate is None else _limit(words, estimate.quote, 0)
    horizon = EMPTY_HORIZON_MS if limit is None else limit.at_ms
    return build_model(rows, limit=limit, horizon_ms=horizon)


def comparable(estimate: Estimate) -> OrganisationResult | None:
    """Return the reference organisation where it is another than the one shown and has a timing."""
    reference = estimate.quote.reference
    if reference is None or reference.id == estimate.shown_organisation_id:
        return None
    result = estimate.organisation(reference.id)
    return result if result is not None and isinstance(result.timing, Timing) else None


def reference_of(words: Wording, estimate: Estimate) -> Compared | None:
    """Return the reference organisation to compare with, where `comparable` finds one."""
    result = comparable(estimate)
    if result is None or not isinstance(result.timing, Timing):
        return None
    return Compared(result.timing, organisation_label(words, estimate, result.organisation_id), result)


def _heading(words: Wording, estimate: Estimate, label: str, key: str, timing: Timing) -> GanttRow:
    limit = estimate.quote.workload.limit
    late = limit is not None and limit.ms is not None and timing.delivery_ms > limit.ms
    delivery = words.duration(timing.delivery_ms)
    text = (
        words.t("delivery {duration}, over the limit", duration=delivery)
        if late
        else words.t("delivery {duration}", duration=delivery)
    )
    tone = Tone.BAD if late else Tone.GOOD
    return GanttRow(RowKind.HEADING, label, text, tone=tone, group=key, depth=ORGANISATION_DEPTH)


def _add_plan(
    words: Wording,
    quote: Quote,
    parts: _Parts,
    timing: Timing,
    units: Units,
    owner: str,
    critical: Mask | None,
) -> None:
    """Add the rows of one plan: its cards, what runs off them, its gates."""
    stages = quote.workload.stages
    tasks = expanded(timing, stages, critical)
    first = len(parts.rows)
    on_cards = tasks.card >= 0
    kept = taken(tasks, on_cards, tasks.card[on_cards])
    begins, ends, setup = _paid_spans(kept, timing, units, quote.pricing.hold_through_assembly)
    busy = np.asarray(timing.schedule.card_busy_ms)
    times = CardTimes(busy, np.maximum(ends - begins, busy), setup, timing.slices_per_card)
    names = [_place_name(words, place, timing.slices_per_card) for place in range(timing.places)]
    rows, row_of = card_rows(words, owner, names, units, times, first)
    parts.rows += rows
    kept = replace(kept, row=row_of[kept.card])
    parts.tasks.append(kept)
    parts.unit.append(np.array(units.of_card, dtype=np.int64)[kept.card] + len(parts.unit_names))
    parts.unit_names += units.names
    parts.closed.append(closed_on_cards(quote, timing, row_of, parts.horizon_ms))
    _add_idle(parts, kept, row_of, begins, ends, setup)
    _add_stations(words, quote, parts, taken(tasks, ~on_cards, tasks.card[~on_cards]), owner)
    for place, stage in enumerate(stages):
        if stage.kind is StageKind.GATE:
            parts.rows.append(GanttRow(RowKind.GATE, stage.name, icon="gate"))
            at = int(timing.schedule.stage_end_ms[place])
            text = words.duration(at) if parts.start is None else moment_text(at, parts.start, words)
            parts.milestones.append(Milestone(len(parts.rows) - 1, at, text))


def _paid_spans(tasks: TaskColumns, timing: Timing, units: Units, hold: bool) -> tuple[Int64, Int64, Int64]:
    """Return from when to when each card, or slice of one, is there to be used, and its set-up in that, in ms.

    A card of a lot is there from time zero to the delivery. One by the hour comes for its set-up before its
    first task and goes with its last one, or with the delivery where the quote holds it until then. Slices
    come and go with their card.
    """
    card = np.arange(timing.places) // timing.slices_per_card
    begins = np.zeros(timing.places, dtype=np.int64)
    ends = np.full(timing.places, timing.delivery_ms, dtype=np.int64)
    first = ends.copy()
    np.minimum.at(first, card[tasks.card], tasks.start_ms)
    last = np.zeros_like(ends)
    np.maximum.at(last, card[tasks.card], tasks.end_ms)
    first, last = first[card], last[card]
    setup = np.array(units.setup_ms or (0,) * timing.places, dtype=np.int64)
    # A timing that knows of no set-up starts its tasks earlier than one could end.
    setup = np.where((last > 0) & (first >= setup), setup, 0)
    if units.by_the_hour:
        begins = first - setup
        ends = np.where(hold & (last > 0), ends, np.maximum(last, begins))
    return begins, ends, setup


def _add_idle(
    parts: _Parts, tasks: TaskColumns, row_of: Int64, begins: Int64, ends: Int64, setup: Int64
) -> None:
    """Add the time of each card that no task takes while the card is there and open, and its set-up."""
    ready = begins + setup
    closed, closes, opens = parts.closed[-1]
    # A mark of no length at either end of a card's time makes the outer gaps ordinary ones.
    row = np.concatenate((row_of, tasks.row, row_of, closed))
    begin = np.concatenate((ready, tasks.start_ms, ends, closes))
    finish = np.concatenate((ready, tasks.end_ms, ends, opens))
    order = np.lexsort((finish, begin, row))
    row, begin, finish = row[order], begin[order], finish[order]
    # A task may go on after a closed time, so what ended last is not always what began last.
    far = row * (int(finish.max(initial=0)) + 1)
    finish = np.maximum.accumulate(finish + far) - far
    gap = np.flatnonzero((row[1:] == row[:-1]) & (begin[1:] > finish[:-1]))
    parts.idle.append((row[gap], finish[gap], begin[gap + 1], np.zeros(gap.size, dtype=np.bool_)))
    new = np.flatnonzero(setup)
    parts.idle.append((row_of[new], begins[new], ready[new], np.ones(new.size, dtype=np.bool_)))


def _add_stations(words: Wording, quote: Quote, parts: _Parts, tasks: TaskColumns, owner: str) -> None:
    """Add what runs off the cards: a row a station in use, or a row a stage where none is named."""
    stations = {one.id: one for one in quote.workload.resources if one.kind is ResourceKind.STATION}
    rows: dict[str, list[int]] = {}
    names: dict[str, str] = {}
    stages = quote.workload.stages
    for place, stage in enumerate(stages):
        if stage.kind is not StageKind.STATION:
            continue
        station = next((need.resource_id for need in stage.needs if need.resource_id in stations), "")
        key = station or f"stage:{stage.id}"
        rows.setdefault(key, []).append(place)
        names[key] = stations[station].name if station else stage.name
    key_of = np.full(len(stages), -1, dtype=np.int64)
    for at, places in enumerate(rows.values()):
        key_of[places] = at
    keys = key_of[tasks.stage]
    order = np.argsort(keys, kind="stable")
    ends = np.searchsorted(keys[order], np.arange(len(rows) + 1))
    for place, key in enumerate(rows):
        chosen = order[ends[place] : ends[place + 1]]
        if chosen.size == 0:
            continue
        lane, count = lanes_of(tasks.start_ms[chosen], tasks.end_ms[chosen])
        is_headed = HEADED_LANES <= count <= MOST_LANES
        if is_headed:
            at_once = words.t("{count} at once", count=words.number(count))
            parts.rows.append(GanttRow(RowKind.HEADING, names[key], at_once, group=f"{owner}/{key}"))
        first = len(parts.rows)
        if count > MOST_LANES:
            part = spans_of(tasks, chosen, first)
            count = 1
        else:
            part = taken(tasks, chosen, lane + first)
        for at in range(count):
            name = names[key] if count == 1 else f"{names[key]} {words.number(at + 1)}"
            parts.rows.append(GanttRow(RowKind.STATION, name, icon="station", depth=int(is_headed)))
        own = [stages[stage] for stage in rows[key]]
        parts.closed.append(closed_off_cards(quote, own, range(first, first + count), parts.horizon_ms))
        parts.tasks.append(part)
        parts.unit.append(np.full(part.count, -1, dtype=np.int64))


def _add_difference(words: Wording, parts: _Parts, shown: Timing, reference: Timing) -> None:
    """Say in the row of the shown plan's last gate how much earlier or later it delivers."""
    gain = reference.delivery_ms - shown.delivery_ms
    if not parts.milestones or gain == 0:
        return
    duration = words.duration(abs(gain))
    text = (
        words.t("{duration} earlier", duration=duration)
        if gain > 0
        else words.t("{duration} later", duration=duration)
    )
    tone = Tone.GOOD if gain > 0 else Tone.BAD
    row = parts.milestones[-1].row
    parts.differences.append(Difference(row, reference.delivery_ms, shown.delivery_ms, text, tone))


def _add_resources(words: Wording, quote: Quote, parts: _Parts, timing: Timing) -> None:
    """Add licences, storage and links as steps against their capacity, under a heading."""
    found = [
        (place, resource)
        for place, resource in enumerate(quote.workload.resources)
        if resource.kind is not ResourceKind.STATION and resource.capacity.value is not None
    ]
    if not found:
        return
    parts.rows.append(
        GanttRow(RowKind.HEADING, words.t("Shared resources"), group="resources", depth=ORGANISATION_DEPTH)
    )
    for place, resource in found:
        capacity = resource.capacity.value or Decimal(0)
        times, used = timing.schedule.resource_steps[place]
        if times.size == 0:
            times, used = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        peak = Decimal(int(used.max())) / RESOURCE_SCALE
        of = resource.unit if resource.unit else words.t("of {capacity}", capacity=words.number(capacity))
        icon = RESOURCE_ICONS[resource.kind]
        parts.rows.append(GanttRow(RowKind.RESOURCE, resource.name, of, icon))
        end = max(timing.delivery_ms, int(times[-1]))
        parts.steps.append(
            ResourceSteps(
                row=len(parts.rows) - 1,
                times_ms=np.append(times, end),
                used=used / RESOURCE_SCALE,
                capacity=float(capacity),
                text=words.t(
                    "{used} of {capacity} in use", used=words.number(peak), capacity=words.number(capacity)
                ),
                capacity_text=words.t("{capacity} available", capacity=words.number(capacity)),
                colour_class=RESOURCE_CLASSES[resource.kind],
            )
        )


def _assembled(
    words: Wording, quote: Quote, parts: _Parts, names: TaskNames, colour_by: ColourBy, horizon: int
) -> Chart:
    tasks = joined(parts.tasks)
    unit = np.concatenate(parts.unit) if parts.unit else np.zeros(0, dtype=np.int64)
    # In the model's own order, so that a bar's index is a task's place.
    order = np.lexsort((tasks.end_ms, tasks.start_ms, tasks.row))
    tasks, unit = taken(tasks, order, tasks.row[order]), unit[order]
    stages = quote.workload.stages
    if colour_by is ColourBy.LOT:
        classes, group, group_names = _lot_colours(words, unit, parts.unit_names)
    else:
        classes, group, group_names = _stage_colours(words, stages, tasks)

    def label(index: int) -> str:
        stage = int(tasks.stage[index])
        if tasks.folded[index] > 1:
            return words.n("{count} task", "{count} tasks", int(tasks.folded[index]))
        return names.name(stage, int(tasks.group[index]), int(tasks.number[index]))

    idle = [np.concatenate(column) for column in zip(*parts.idle, strict=True)]
    length = idle[2] - idle[1]
    least = IDLE_TEXT_SHARE * horizon

    def idle_text(index: int) -> str:
        return words.duration(int(length[index])) if length[index] >= least else ""

    limit = _limit(words, quote, horizon)
    model = build_model(
        parts.rows,
        row=tasks.row,
        start_ms=tasks.start_ms,
        end_ms=tasks.end_ms,
        colour_class=classes,
        group=group,
        group_names=group_names,
        flags=tasks.critical * int(BarFlag.CRITICAL),
        label=label,
        idle=(idle[0], idle[1], idle[2]),
        is_setup=idle[3].astype(np.bool_),
        idle_text=idle_text,
        closed=tuple(np.concatenate(column) for column in zip(*parts.closed, strict=True)),  # type: ignore[arg-type]  # three columns
        milestones=parts.milestones,
        steps=parts.steps,
        differences=parts.differences,
        limit=limit,
        horizon_ms=horizon if limit is None else max(horizon, limit.at_ms),
    )
    return Chart(model, tasks, stages, names)


def _stage_colours(
    words: Wording, stages: Sequence[Stage], tasks: TaskColumns
) -> tuple[Int64, Int64, tuple[str, ...]]:
    classes: list[int] = []
    names: list[str] = []
    on_cards = 0
    for stage in stages:
        if stage.on_cards:
            classes.append(CARD_CLASSES[on_cards % len(CARD_CLASSES)])
            on_cards += 1
        else:
            classes.append(OFF_CARDS_CLASS)
        names.append(_stage_legend(words, stage))
    return np.array(classes, dtype=np.int64)[tasks.stage], tasks.stage, tuple(names)


def _stage_legend(words: Wording, stage: Stage) -> str:
    total, each = stage.tasks.total, stage.tasks.duration_ms[0]
    if stage.tasks.are_equal and each is not None:
        duration = words.duration(each)
        if total == 1:
            return words.t("{stage}, {duration}", stage=stage.name, duration=duration)
        return words.n(
            "{stage}, {count} task of {duration}",
            "{stage}, {count} tasks of {duration}",
            total,
            stage=stage.name,
            duration=duration,
        )
    return words.n("{stage}, {count} task", "{stage}, {count} tasks", total, stage=stage.name)


def _lot_colours(words: Wording, unit: Int64, names: Sequence[str]) -> tuple[Int64, Int64, tuple[str, ...]]:
    """Return classes by lot: lots take turns, what is off the cards keeps its own."""
    turns = np.array(CARD_CLASSES, dtype=np.int64)
    classes = np.where(unit < 0, OFF_CARDS_CLASS, turns[np.maximum(unit, 0) % turns.size])
    return classes, np.where(unit < 0, len(names), unit), (*names, words.t("Off the cards"))


def _limit(words: Wording, quote: Quote, horizon_ms: int) -> Limit | None:
    limit = quote.workload.limit
    if limit is None or limit.ms is None:
        return None
    text = words.t("limit {limit}", limit=words.duration(limit.ms))
    return Limit(limit.ms, text, late=horizon_ms > limit.ms)


def _place_name(words: Wording, place: int, slices_per_card: int) -> str:
    """Return "Card 2", or for a slice of it "Card 2 · 3"."""
    return words.t("Card {number}", number=place_number(words, place, slices_per_card))
