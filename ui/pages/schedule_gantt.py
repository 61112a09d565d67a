"""From an estimate to the Gantt chart: rows, bars, milestones, shared resources, the limit and a comparison.

Bars come from the schedule's run-length columns by numpy, so that 100,000 tasks are built at once and named one
by one only when asked. Nothing is scheduled here, and no pixel or colour is known.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from estimator.plan.fleet import FleetPart, fleet_of
from estimator.problems import Absent
from estimator.quote import Quote, ResourceKind, Stage, StageKind
from estimator.results.estimate import Estimate, OrganisationResult, Plan, Timing
from estimator.wording import Wording
from estimator.wording.phrases import organisation_label
from ui.gantt.model import (
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

CARD_CLASSES = (1, 2, 5, 6)
OFF_CARDS_CLASS = 3
RESOURCE_CLASSES = {ResourceKind.LICENCE: 4, ResourceKind.STORAGE: 5, ResourceKind.LINK: 5}
RESOURCE_ICONS = {ResourceKind.LICENCE: "key", ResourceKind.STORAGE: "cylinder", ResourceKind.LINK: "link"}
MOST_LANES = 16
"""Where more tasks than this run at once off the cards, one row shows their whole span."""
IDLE_TEXT_SHARE = 0.08
RESOURCE_SCALE = 1000
"""The schedule counts shared capacities in thousandths."""
EMPTY_HORIZON_MS = 3_600_000

Int64 = NDArray[np.int64]


class ColourBy(StrEnum):
    """What the colour of a bar stands for."""

    STAGE = "stage"
    LOT = "lot"


@dataclass(frozen=True, eq=False)
class TaskColumns:
    """Single tasks in columns, a row for each task and card: what a bar or a line of the table stands for.

    `number` counts within the stage from 1. `row` is that of the chart. `folded`: how many tasks a bar of a
    stage with very many at once stands for, else 1.
    """

    stage: Int64
    group: Int64
    number: Int64
    card: Int64
    start_ms: Int64
    end_ms: Int64
    row: Int64
    folded: Int64

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.start_ms.size)


@dataclass(frozen=True, eq=False)
class Chart:
    """The model of the chart, and the tasks behind its bars in the model's order."""

    model: GanttModel
    tasks: TaskColumns
    stages: tuple[Stage, ...]
    names: TaskNames


@dataclass(frozen=True, eq=False)
class TaskNames:
    """The names of tasks, made only when asked: the planner's own, or the stage's with a number."""

    words: Wording
    stages: tuple[Stage, ...]
    first_group: tuple[int, ...]
    """Of each stage, its first group in the schedule."""

    def name(self, stage: int, group: int, number: int) -> str:
        """Return the name of one task."""
        one = self.stages[stage]
        place = group - self.first_group[stage]
        own = one.tasks.names[place] if place < len(one.tasks.names) else ""
        if own and one.tasks.count[place] == 1:
            return own
        if one.tasks.total == 1:
            return own or one.name
        return f"{own or one.name} {self.words.number(number)}"


@dataclass
class _Parts:
    """What a chart is put together from, while it is."""

    rows: list[GanttRow] = field(default_factory=list)
    tasks: list[TaskColumns] = field(default_factory=list)
    unit: list[Int64] = field(default_factory=list)
    milestones: list[Milestone] = field(default_factory=list)
    steps: list[ResourceSteps] = field(default_factory=list)
    idle: list[tuple[int, int, int, str]] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)


def chart_of(
    words: Wording,
    estimate: Estimate,
    *,
    colour_by: ColourBy = ColourBy.STAGE,
    compared: bool = False,
) -> Chart | None:
    """Return the chart of the organisation shown, with the reference under it where `compared`.

    None where the organisation has no timing: `empty_chart` then shows its axis and rows.
    """
    shown = estimate.shown
    if shown is None or not isinstance(shown.timing, Timing):
        return None
    quote, stages = estimate.quote, estimate.quote.workload.stages
    other = comparable(estimate) if compared else None
    parts = _Parts()
    horizon = shown.timing.delivery_ms
    if other is not None and isinstance(other.timing, Timing):
        horizon = max(horizon, other.timing.delivery_ms)
        parts.rows.append(_heading(words, estimate, shown, shown.timing))
    _add_plan(words, quote, parts, shown.timing, _units(quote, estimate.shown_plan, shown))
    if other is not None and isinstance(other.timing, Timing):
        _add_difference(words, parts, shown.timing, other.timing)
        parts.rows.append(_heading(words, estimate, other, other.timing))
        plan = other.plan(other.best_plan_id)
        _add_plan(words, quote, parts, other.timing, _units(quote, plan, other))
    _add_resources(words, quote, parts, shown.timing)
    names = TaskNames(words, stages, _first_groups(stages, shown.timing))
    return _assembled(words, quote, parts, names, colour_by, horizon)


def empty_chart(words: Wording, estimate: Estimate | None) -> GanttModel:
    """Return axis and rows of the cards that the organisation asks for, with no bar."""
    shown = None if estimate is None else estimate.shown
    cards = 1 if shown is None else (shown.tasks_at_once or 1) * shown.cards_per_task
    rows = [GanttRow(RowKind.CARD, _card_name(words, at), icon="card") for at in range(min(cards, 256))]
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


def _heading(words: Wording, estimate: Estimate, result: OrganisationResult, timing: Timing) -> GanttRow:
    limit = estimate.quote.workload.limit
    late = limit is not None and limit.ms is not None and timing.delivery_ms > limit.ms
    delivery = words.duration(timing.delivery_ms)
    text = (
        words.t("delivery {duration}, over the limit", duration=delivery)
        if late
        else words.t("delivery {duration}", duration=delivery)
    )
    label = organisation_label(words, estimate, result.organisation_id)
    return GanttRow(RowKind.HEADING, label, text, tone=Tone.BAD if late else Tone.GOOD)


def _add_plan(words: Wording, quote: Quote, parts: _Parts, timing: Timing, units: Sequence[int]) -> None:
    """Add the rows of one plan: its cards, what runs off them, its gates."""
    stages = quote.workload.stages
    tasks = _expanded(timing, stages)
    first = len(parts.rows)
    delivery = max(1, timing.delivery_ms)
    for card in range(timing.cards):
        share = words.percent(Decimal(int(timing.schedule.card_busy_ms[card])) * 100 / delivery, 0)
        parts.rows.append(GanttRow(RowKind.CARD, _card_name(words, card), share, "card"))
    on_cards = tasks.card >= 0
    kept = _taken(tasks, on_cards, tasks.card[on_cards] + first)
    parts.tasks.append(kept)
    unit_of = np.asarray(units, dtype=np.int64)
    parts.unit.append(unit_of[kept.card] if unit_of.size else np.zeros(kept.count, dtype=np.int64))
    _add_idle(words, parts, kept, first, timing)
    _add_stations(words, quote, parts, _taken(tasks, ~on_cards, tasks.card[~on_cards]))
    for place, stage in enumerate(stages):
        if stage.kind is StageKind.GATE:
            parts.rows.append(GanttRow(RowKind.GATE, stage.name, icon="gate"))
            at = int(timing.schedule.stage_end_ms[place])
            parts.milestones.append(Milestone(len(parts.rows) - 1, at, words.duration(at)))


def _expanded(timing: Timing, stages: Sequence[Stage]) -> TaskColumns:
    """Return every task of the schedule in columns."""
    schedule = timing.schedule
    count = schedule.run_count
    run = np.repeat(np.arange(count.size, dtype=np.int64), count)
    within = np.arange(run.size, dtype=np.int64) - np.repeat(np.cumsum(count) - count, count)
    group = schedule.run_group[run]
    start = schedule.run_start_ms[run] + within * schedule.run_step_ms[run]
    place = {stage.id: at for at, stage in enumerate(stages)}
    stage_of = np.array([place[stage_id] for stage_id in timing.group_stage], dtype=np.int64)
    before = np.zeros(len(timing.group_stage), dtype=np.int64)
    for group_no, first_group in enumerate(_group_starts(timing)):
        counts = stages[int(stage_of[group_no])].tasks.count
        before[group_no] = sum(counts[: group_no - first_group])
    stage = stage_of[group]
    is_task = np.array([one.kind is not StageKind.GATE for one in stages], dtype=np.bool_)[stage]
    number = before[group] + schedule.run_first[run] + within + 1
    columns = TaskColumns(
        stage=stage,
        group=group,
        number=number,
        card=schedule.run_card[run],
        start_ms=start,
        end_ms=start + schedule.run_duration_ms[run],
        row=np.zeros(run.size, dtype=np.int64),
        folded=np.ones(run.size, dtype=np.int64),
    )
    return _taken(columns, is_task, columns.row[is_task])


def _group_starts(timing: Timing) -> list[int]:
    """Return for each group the first group of its stage."""
    first: dict[str, int] = {}
    return [first.setdefault(stage_id, group) for group, stage_id in enumerate(timing.group_stage)]


def _first_groups(stages: Sequence[Stage], timing: Timing) -> tuple[int, ...]:
    first: dict[str, int] = {}
    for group, stage_id in enumerate(timing.group_stage):
        first.setdefault(stage_id, group)
    return tuple(first.get(stage.id, 0) for stage in stages)


def _taken(tasks: TaskColumns, chosen: NDArray[np.bool_] | Int64, rows: Int64) -> TaskColumns:
    """Return the chosen tasks, placed in those rows."""
    return TaskColumns(
        tasks.stage[chosen],
        tasks.group[chosen],
        tasks.number[chosen],
        tasks.card[chosen],
        tasks.start_ms[chosen],
        tasks.end_ms[chosen],
        rows.astype(np.int64),
        tasks.folded[chosen],
    )


def _add_idle(words: Wording, parts: _Parts, tasks: TaskColumns, first: int, timing: Timing) -> None:
    """Add the time of each card that no task takes, from time zero to the delivery."""
    end = timing.delivery_ms
    order = np.lexsort((tasks.start_ms, tasks.row))
    rows = tasks.row[order]
    cards = np.arange(first, first + timing.cards, dtype=np.int64)
    # A mark of no length at time zero and one at the delivery make the outer gaps ordinary ones.
    row = np.concatenate((cards, rows, cards))
    begin = np.concatenate((np.zeros_like(cards), tasks.start_ms[order], np.full_like(cards, end)))
    finish = np.concatenate((np.zeros_like(cards), tasks.end_ms[order], np.full_like(cards, end)))
    order = np.lexsort((finish, begin, row))
    row, begin, finish = row[order], begin[order], finish[order]
    gap = np.flatnonzero((row[1:] == row[:-1]) & (begin[1:] > finish[:-1]))
    for at in gap.tolist():
        start, stop = int(finish[at]), int(begin[at + 1])
        text = words.duration(stop - start) if stop - start >= IDLE_TEXT_SHARE * end else ""
        parts.idle.append((int(row[at]), start, stop, text))


def _add_stations(words: Wording, quote: Quote, parts: _Parts, tasks: TaskColumns) -> None:
    """Add what runs off the cards: a row a station in use, or a row a stage where none is named."""
    stations = {one.id: one for one in quote.workload.resources if one.kind is ResourceKind.STATION}
    rows: dict[str, list[int]] = {}
    names: dict[str, str] = {}
    for place, stage in enumerate(quote.workload.stages):
        if stage.kind is not StageKind.STATION:
            continue
        station = next((need.resource_id for need in stage.needs if need.resource_id in stations), "")
        key = station or f"stage:{stage.id}"
        rows.setdefault(key, []).append(place)
        names[key] = stations[station].name if station else stage.name
    for key, places in rows.items():
        chosen = np.flatnonzero(np.isin(tasks.stage, places))
        if chosen.size == 0:
            continue
        lanes, count = _lanes(tasks.start_ms[chosen], tasks.end_ms[chosen])
        first = len(parts.rows)
        if count > MOST_LANES:
            part = _spans_of(tasks, chosen, first)
            count = 1
        else:
            part = _taken(tasks, chosen, lanes + first)
        for lane in range(count):
            name = names[key] if count == 1 else f"{names[key]} {words.number(lane + 1)}"
            parts.rows.append(GanttRow(RowKind.STATION, name, icon="station"))
        parts.tasks.append(part)
        parts.unit.append(np.full(part.count, -1, dtype=np.int64))


def _lanes(start_ms: Int64, end_ms: Int64) -> tuple[Int64, int]:
    """Return a lane for each task so that none overlap, and how many lanes there are."""
    lane = np.zeros(start_ms.size, dtype=np.int64)
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    used = 0
    for at in np.lexsort((end_ms, start_ms)).tolist():
        begin = int(start_ms[at])
        while busy and busy[0][0] <= begin:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            mine = heapq.heappop(free)
        else:
            mine, used = used, used + 1
        if used > MOST_LANES:
            return lane, used
        lane[at] = mine
        heapq.heappush(busy, (int(end_ms[at]), mine))
    return lane, used


def _spans_of(tasks: TaskColumns, chosen: Int64, row: int) -> TaskColumns:
    """Return the stretches in which any of the tasks runs, as one bar each in one row."""
    order = chosen[np.argsort(tasks.start_ms[chosen], kind="stable")]
    start, end = tasks.start_ms[order], tasks.end_ms[order]
    reach = np.maximum.accumulate(end)
    first = np.flatnonzero(np.concatenate(([True], start[1:] > reach[:-1])))
    past = np.append(first[1:], order.size)
    part = _taken(tasks, order[first], np.full(first.size, row, dtype=np.int64))
    return TaskColumns(
        part.stage, part.group, part.number, part.card, part.start_ms, reach[past - 1], part.row, past - first
    )


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
    parts.rows.append(GanttRow(RowKind.HEADING, words.t("Shared resources")))
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
    tasks = _joined(parts.tasks)
    unit = np.concatenate(parts.unit) if parts.unit else np.zeros(0, dtype=np.int64)
    # In the model's own order, so that a bar's index is a task's place.
    order = np.lexsort((tasks.end_ms, tasks.start_ms, tasks.row))
    tasks, unit = _taken(tasks, order, tasks.row[order]), unit[order]
    stages = quote.workload.stages
    if colour_by is ColourBy.LOT:
        classes, group, group_names = _lot_colours(words, unit)
    else:
        classes, group, group_names = _stage_colours(words, stages, tasks)

    def label(index: int) -> str:
        stage = int(tasks.stage[index])
        if tasks.folded[index] > 1:
            return words.n("{count} task", "{count} tasks", int(tasks.folded[index]))
        return names.name(stage, int(tasks.group[index]), int(tasks.number[index]))

    limit = _limit(words, quote, horizon)
    model = build_model(
        parts.rows,
        row=tasks.row,
        start_ms=tasks.start_ms,
        end_ms=tasks.end_ms,
        colour_class=classes,
        group=group,
        group_names=group_names,
        label=label,
        idle=parts.idle,
        milestones=parts.milestones,
        steps=parts.steps,
        differences=parts.differences,
        limit=limit,
        horizon_ms=horizon if limit is None else max(horizon, limit.at_ms),
    )
    return Chart(model, tasks, stages, names)


def _joined(parts: Sequence[TaskColumns]) -> TaskColumns:
    def column(name: str) -> Int64:
        arrays: list[Int64] = [getattr(part, name) for part in parts]
        return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64)

    names = ("stage", "group", "number", "card", "start_ms", "end_ms", "row", "folded")
    return TaskColumns(*(column(name) for name in names))


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


def _lot_colours(words: Wording, unit: Int64) -> tuple[Int64, Int64, tuple[str, ...]]:
    """Return classes by lot: lots take turns, what is off the cards keeps its own."""
    last = int(unit.max(initial=-1))
    off = last + 1
    group = np.where(unit < 0, off, unit)
    turns = np.array(CARD_CLASSES, dtype=np.int64)
    classes = np.where(unit < 0, OFF_CARDS_CLASS, turns[np.maximum(unit, 0) % turns.size])
    names = (
        *(words.t("Lot {number}", number=words.number(at + 1)) for at in range(off)),
        words.t("Off the cards"),
    )
    return classes, group, names


def _units(quote: Quote, plan: Plan | None, result: OrganisationResult) -> tuple[int, ...]:
    """Return which held lot each card of the schedule belongs to; empty where nothing is held.

    The cards stand in the order of the holdings, node by node, as the plan took them.
    """
    organisation = quote.organisation(result.organisation_id)
    if plan is None or organisation is None or isinstance(result.timing, Absent):
        return ()
    crosses = all(
        organisation.layout(stage.id).may_cross_nodes for stage in quote.workload.stages if stage.on_cards
    )
    parts = []
    for held in plan.holdings:
        offer = quote.offer(held.offer_id)
        if offer is None or not held.terms:
            return (0,) * result.timing.cards
        cards = held.cards // max(1, held.count)
        parts.append(FleetPart(held.offer_id, offer.card_id, held.count, cards, offer.cards_per_node, 0))
    fleet = fleet_of(parts, result.tasks_at_once or 1, result.cards_per_task, crosses)
    return fleet.unit if fleet.cards == result.timing.cards else ()


def _limit(words: Wording, quote: Quote, horizon_ms: int) -> Limit | None:
    limit = quote.workload.limit
    if limit is None or limit.ms is None:
        return None
    text = words.t("limit {limit}", limit=words.duration(limit.ms))
    return Limit(limit.ms, text, late=horizon_ms > limit.ms)


def _card_name(words: Wording, card: int) -> str:
    return words.t("Card {number}", number=words.number(card + 1))
