"""A plan held fixed, as rows that can be re-timed: which rows each one follows.

Assignment, order, lots and terms stay the plan's; only durations move. Resources are chained: each row takes
its units from rows that gave them back before it started, so that no duration can break a capacity
(Policella et al., "Generating robust partial order schedules", 2004). Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from estimator.plan.fixed_row import Row
from estimator.plan.fleet import Fleet
from estimator.plan.many_rows import ManyRows, can_stand_in_columns, needs_bind
from estimator.plan.organising import nominal_fleet, shape_of
from estimator.plan.renting import held_fleet
from estimator.plan.when import release_ms
from estimator.quote import Organisation, Quote, Stage, StageKind
from estimator.results.estimate import Plan, Timing
from estimator.schedule import topological_order

Column = NDArray[np.int64]
MOST_TASK_ROWS = 5_000
_CHUNK = 65_536
_RESOURCE_SCALE = 1000


@dataclass(frozen=True, slots=True)
class Span:
    """One card in one stage: the rows that begin and end it, one each, or one of each slice of a sliced card."""

    card: int
    stage: int
    first_rows: tuple[int, ...]
    last_rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FixedPlan:
    """The rows of a plan by stage, card and start, and an order in which each comes after all it waits for.

    `quote`: as it was when the plan was made. `plan` is None where nothing is priced. `slots`: of each stage whose
    count of tasks the plan can follow (by its place), on how many rows they are shared. `stage_rows`: first and
    last row of each stage. `is_whole_runs`: a row is a run, not a task.
    """

    quote: Quote
    organisation: Organisation
    plan: Plan | None
    timing: Timing
    rows: Sequence[Row]
    order: Sequence[int] | NDArray[np.int32]
    fleet: Fleet
    slots: Mapping[int, int]
    stage_rows: tuple[tuple[int, int], ...]
    is_whole_runs: bool

    def of_stage(self, stage: int) -> tuple[int, int]:
        """Return the first and last row of a stage; every stage has one."""
        return self.stage_rows[stage]

    def planned_times(self) -> tuple[Column, Column]:
        """Return when each row starts and ends as planned, in ms."""
        rows = self.rows
        if isinstance(rows, ManyRows):
            return rows.starts, rows.ends
        starts = np.fromiter((row.start_ms for row in rows), np.int64, len(rows))
        return starts, np.fromiter((row.end_ms for row in rows), np.int64, len(rows))

    def longest(self, most: int) -> list[int]:
        """Return the rows that take longest as planned, at most so many, in order of start."""
        found: list[tuple[int, int]] = []
        for low in range(0, len(self.rows), _CHUNK):
            high = min(low + _CHUNK, len(self.rows))
            if isinstance(self.rows, ManyRows):
                lengths = self.rows.lengths(low, high)
            else:
                lengths = np.array([row.end_ms - row.start_ms for row in self.rows[low:high]], dtype=np.int64)
            here = np.argsort(-lengths, kind="stable")[:most]
            found += zip((-lengths[here]).tolist(), (here + low).tolist(), strict=True)
            found = sorted(found)[:most]
        return sorted([at for _, at in found], key=lambda at: (self.planned_at(at)[0], at))

    def planned_at(self, at: int) -> tuple[int, int]:
        """Return when one row starts and ends as planned, in ms."""
        if isinstance(self.rows, ManyRows):
            return self.rows.times_at(at)
        return self.rows[at].start_ms, self.rows[at].end_ms

    def spans(self) -> list[Span]:
        """Return what each card does in each stage, by card in time order."""
        if isinstance(self.rows, ManyRows):
            found = self.rows.spans()
        else:
            found = list(_spans_of(self.rows))
        by_card: dict[tuple[int, int], tuple[list[int], list[int]]] = {}
        for place, stage, first, last in found:
            firsts, lasts = by_card.setdefault((place // self.fleet.slices_per_card, stage), ([], []))
            firsts.append(first)
            lasts.append(last)
        spans = [
            Span(card, stage, tuple(firsts), tuple(lasts))
            for (card, stage), (firsts, lasts) in by_card.items()
        ]
        return sorted(
            spans,
            key=lambda one: (
                one.card,
                min(self.planned_at(at)[0] for at in one.first_rows),
                max(self.planned_at(at)[1] for at in one.last_rows),
                one.stage,
            ),
        )

    def owner_of(self, card: int) -> str:
        """Return the offer that a card is of, "" where cards are only nominal."""
        offers = self.fleet.offer_ids
        return offers[card * self.fleet.slices_per_card] if offers else ""

    def model_of(self, row: Row) -> str:
        """Return the card model that a row runs on, "" off the cards or where none is named."""
        return self.fleet.card_ids[row.cards[0]] if row.cards and self.fleet.card_ids else ""

    def used_copies(self, offer_id: str) -> int:
        """Return how many lots of an offer hold a card that the plan uses."""
        used = np.unique(self.timing.schedule.run_card)
        fleet = self.fleet
        return len({fleet.unit[card] for card in used if card >= 0 and fleet.offer_ids[card] == offer_id})


def fixed_plan(quote: Quote, organisation: Organisation, plan: Plan | None, timing: Timing) -> FixedPlan:
    """Return the plan's rows, each with what it waits for. Above 5,000 tasks a row is a run.

    Where a stage's equal tasks are shared evenly and without gaps among cards, each card's are one row.
    """
    fleet = _fleet(quote, organisation, plan)
    constrained = any(
        stage.needs or (stage.on_cards and organisation.layout(stage.id).tasks_at_once is not None)
        for stage in quote.workload.stages
    )
    total = sum(stage.tasks.total for stage in quote.workload.stages)
    # Units of a resource pass between single tasks; where none can bind a card's run is one block.
    whole_runs = total > MOST_TASK_ROWS and not needs_bind(quote, organisation, fleet.places)
    runs = int(timing.schedule.run_lead.sum())
    if whole_runs and runs > MOST_TASK_ROWS and can_stand_in_columns(quote, organisation, timing, fleet):
        many = ManyRows(quote, timing, fleet.ready_ms, _ranks(quote))
        bounds = [np.flatnonzero(many.stage == at)[[0, -1]] for at in range(len(quote.workload.stages))]
        limits = tuple((int(first), int(last)) for first, last in bounds)
        return FixedPlan(quote, organisation, plan, timing, many, many.order, fleet, {}, limits, True)
    found, slots = _shared_evenly(quote, list(_rows(quote, timing, whole_runs)), any(fleet.hours))
    rows = sorted(found, key=lambda row: (row.stage, row.cards[:1], row.start_ms, row.number))
    order = _in_time(quote, rows)
    _follow_on_cards(rows, order)
    _follow_shares(quote, rows)
    for row in rows:
        has_hours = any(fleet.hours[card] is not None for card in row.cards if card < len(fleet.hours))
        row.is_fixed = quote.workload.stages[row.stage].hours is not None or has_hours
    if constrained:
        _follow_units(quote, organisation, rows, order)
    _explain(quote, rows, order, fleet)
    stage_rows = _stage_rows(rows, len(quote.workload.stages))
    return FixedPlan(
        quote, organisation, plan, timing, tuple(rows), tuple(order), fleet, slots, stage_rows, whole_runs
    )


def _spans_of(rows: Sequence[Row]) -> Iterator[tuple[int, int, int, int]]:
    """Yield (place, stage, row that starts first, row that ends last)."""
    spans: dict[tuple[int, int], list[int]] = {}
    for at, row in enumerate(rows):
        for place in row.cards:
            span = spans.setdefault((place, row.stage), [at, at])
            if row.start_ms < rows[span[0]].start_ms:
                span[0] = at
            if row.end_ms >= rows[span[1]].end_ms:
                span[1] = at
    for (place, stage), (first, last) in spans.items():
        yield place, stage, first, last


def _stage_rows(rows: Sequence[Row], stages: int) -> tuple[tuple[int, int], ...]:
    first, last = [-1] * stages, [-1] * stages
    for at, row in enumerate(rows):
        first[row.stage] = at if first[row.stage] < 0 else first[row.stage]
        last[row.stage] = at
    return tuple(zip(first, last, strict=True))


def _shared_evenly(quote: Quote, rows: list[Row], has_hours: bool) -> tuple[list[Row], dict[int, int]]:
    """Join each card's tasks of a stage where they are an even share of equal tasks; return how many share."""
    by_stage: dict[int, list[Row]] = {}
    for row in rows:
        by_stage.setdefault(row.stage, []).append(row)
    slots: dict[int, int] = {}
    result: list[Row] = []
    streaming = {one.id for one in quote.workload.stages if any(map(one.streams, one.after))}
    streaming |= {before for one in quote.workload.stages for before in one.after if one.streams(before)}
    for at, stage in enumerate(quote.workload.stages):
        here = by_stage.get(at, [])
        may_follow = not has_hours and stage.id not in streaming and _may_follow(stage)
        joined = _joined(here) if may_follow else None
        if joined is None:
            result += here
        else:
            slots[at] = len(joined)
            result += joined
    return result, slots


def _may_follow(stage: Stage) -> bool:
    tasks = stage.tasks
    return (
        stage.kind is StageKind.INDEPENDENT
        and len(tasks.count) == 1 < tasks.total
        and not stage.needs
        and stage.hours is None
    )


def _joined(rows: list[Row]) -> list[Row] | None:
    """Return one row a set of cards, largest share first; None where shares are uneven or have gaps."""
    by_cards: dict[tuple[int, ...], list[Row]] = {}
    for row in sorted(rows, key=lambda row: (row.start_ms, row.number)):
        if row.together or not row.cards:
            return None
        by_cards.setdefault(row.cards, []).append(row)
    cards = [card for one in by_cards for card in one]
    if len(cards) != len(set(cards)):
        return None
    joined: list[Row] = []
    for shared in by_cards.values():
        first = shared[0]
        if any(later.start_ms != before.end_ms for before, later in pairwise(shared)):
            return None
        if len({row.each_ms for row in shared}) > 1:
            return None
        count = sum(row.count for row in shared)
        joined.append(
            Row(first.stage, 0, first.number, count, False, first.cards, first.start_ms, first.each_ms)
        )
    joined.sort(key=lambda row: (-row.count, row.cards))
    if joined[0].count - joined[-1].count > 1:
        return None
    for place, row in enumerate(joined):
        row.slot = place
    return joined


def held_ms(quote: Quote, row: Row, resource_id: str, each_ms: int | None = None) -> int:
    """Return for how long the first task of a row holds a resource; `each_ms` where tasks take another time."""
    need = next(one for one in quote.workload.stages[row.stage].needs if one.resource_id == resource_id)
    hold = None if need.hold is None else need.hold.ms
    each_ms = row.each_ms if each_ms is None else each_ms
    return each_ms if hold is None else min(hold, each_ms)


def _fleet(quote: Quote, organisation: Organisation, plan: Plan | None) -> Fleet:
    shape = shape_of(quote, organisation, plan)
    if plan is None or not plan.holdings:
        return nominal_fleet(quote, organisation, shape)
    return held_fleet(quote, plan.holdings, shape)


def _rows(quote: Quote, timing: Timing, whole_runs: bool) -> Iterator[Row]:
    schedule = timing.schedule
    place = {stage.id: index for index, stage in enumerate(quote.workload.stages)}
    first_group: dict[str, int] = {}
    for index, stage_id in enumerate(timing.group_stage):
        first_group.setdefault(stage_id, index)
    tasks_before = {stage.id: [0, *accumulate(stage.tasks.count)] for stage in quote.workload.stages}
    cards: dict[int, list[int]] = {}
    for task, card in zip(schedule.run_task.tolist(), schedule.run_card.tolist(), strict=True):
        if card >= 0:
            cards.setdefault(task, []).append(card)
    columns = (
        schedule.run_lead,
        schedule.run_task,
        schedule.run_group,
        schedule.run_first,
        schedule.run_count,
        schedule.run_start_ms,
        schedule.run_step_ms,
        schedule.run_duration_ms,
    )
    for lead, task, group, first, count, start, step, each in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        if not lead:
            continue
        stage_id = timing.group_stage[group]
        in_stage = group - first_group[stage_id]
        before = tasks_before[stage_id][in_stage]
        on = tuple(sorted(cards.get(task, ())))
        number = before + first + 1
        if whole_runs:
            yield Row(place[stage_id], in_stage, number, count, step == 0 and count > 1, on, start, each)
            continue
        for index in range(count):
            yield Row(place[stage_id], in_stage, number + index, 1, False, on, start + index * step, each)


def _in_time(quote: Quote, rows: list[Row]) -> list[int]:
    """Return the rows in an order in which each comes after what it may wait for."""
    rank = _ranks(quote)
    return sorted(
        range(len(rows)),
        key=lambda at: (rows[at].start_ms, rows[at].end_ms, rank[rows[at].stage], at),
    )


def _ranks(quote: Quote) -> list[int]:
    """Return each stage's place in an order in which it comes after those it waits for."""
    stages = quote.workload.stages
    place = {stage.id: index for index, stage in enumerate(stages)}
    after = tuple(
        (place[before], place[stage.id]) for stage in stages for before in stage.after if before in place
    )
    ranks = [0] * len(stages)
    for at, stage in enumerate(topological_order(len(stages), after)):
        ranks[stage] = at
    return ranks


def _follow_on_cards(rows: list[Row], order: list[int]) -> None:
    last: dict[int, int] = {}
    for at in order:
        row = rows[at]
        row.after = sorted({last[card] for card in row.cards if card in last})
        last.update(dict.fromkeys(row.cards, at))


def _follow_shares(quote: Quote, rows: list[Row]) -> None:
    """Let each row of a stage that takes another unit by unit wait for the rows that hold its share."""
    stages = quote.workload.stages
    place = {stage.id: index for index, stage in enumerate(stages)}
    of_stage: dict[int, list[int]] = {}
    for at, row in enumerate(rows):
        of_stage.setdefault(row.stage, []).append(at)
    for later, stage in enumerate(stages):
        for before_id in stage.after:
            if before_id not in place or not stage.streams(before_id):
                continue
            before = place[before_id]
            row_of: dict[int, int] = {}
            for at in of_stage.get(before, ()):
                row_of |= dict.fromkeys(range(rows[at].number, rows[at].number + rows[at].count), at)
            given, taken = stages[before].task_count, stage.task_count
            for at in of_stage.get(later, ()):
                row = rows[at]
                first = (row.number - 1) * given // taken
                last = -(-(row.number - 1 + row.count) * given // taken)
                share = {row_of[number] for number in range(first + 1, last + 1)}
                row.after = sorted({*row.after, *share})


@dataclass(slots=True)
class _Units:
    """Units given back at `at_ms` by a row; by none (-1) at the beginning."""

    at_ms: int
    row: int
    amount: int


def _follow_units(quote: Quote, organisation: Organisation, rows: list[Row], order: list[int]) -> None:
    """Let each row take units of its resources, and of its stage's cap, from the rows that gave them back."""
    free: dict[str, list[_Units]] = {}
    for resource in quote.workload.resources:
        free[f"resource:{resource.id}"] = [_Units(0, -1, _scaled(resource.capacity.value, ROUND_FLOOR))]
    for stage in quote.workload.stages:
        cap = organisation.layout(stage.id).tasks_at_once
        if stage.on_cards and cap is not None:
            free[f"cap:{stage.id}"] = [_Units(0, -1, cap)]
    for at in order:
        row = rows[at]
        stage = quote.workload.stages[row.stage]
        for key, resource_id, amount, held in _wanted(quote, stage, row):
            if key not in free:
                continue
            # A task of no time takes units too: it may be given a time. It may find them all in use; others never do.
            givers, taken = _taken(free[key], amount, row)
            for giver in givers:
                if giver < 0:
                    continue
                if resource_id and held_ms(quote, rows[giver], resource_id) < rows[giver].each_ms:
                    row.released.append((giver, resource_id))
                elif giver not in row.after:
                    row.after.append(giver)
            if taken:
                free[key].append(_Units(row.start_ms + held, at, taken))
            free[key].sort(key=lambda units: (units.at_ms, units.row))


def _wanted(quote: Quote, stage: Stage, row: Row) -> Iterator[tuple[str, str, int, int]]:
    """Yield (key, resource id or "", units, how long) of what one row takes."""
    if stage.kind is StageKind.GATE:
        return
    for need in stage.needs:
        amount = _scaled(need.amount.value, ROUND_CEILING) * (row.count if row.together else 1)
        yield (
            f"resource:{need.resource_id}",
            need.resource_id,
            amount,
            held_ms(quote, row, need.resource_id),
        )
    yield f"cap:{stage.id}", "", 1, row.end_ms - row.start_ms


def _taken(free: list[_Units], amount: int, row: Row) -> tuple[list[int], int]:
    """Take units that are free in time; return the rows that gave them back, and how many units.

    First those of rows that this one follows anyway, so that cards do not wait for each other without need;
    then those of the longest standing.
    """
    givers: list[int] = []
    wanted = amount
    followed = set(row.after)
    for units in sorted(free, key=lambda one: one.row not in followed):
        if amount == 0:
            break
        if units.at_ms > row.start_ms:
            continue
        taken = min(amount, units.amount)
        if taken:
            givers.append(units.row)
        units.amount -= taken
        amount -= taken
    free[:] = [units for units in free if units.amount]
    return list(dict.fromkeys(givers)), wanted - amount


def _explain(quote: Quote, rows: list[Row], order: list[int], fleet: Fleet) -> None:
    """Let a row that starts later than all it follows wait for a row that ends just then: it stood behind it."""
    ends: dict[int, int] = {}
    releases: dict[int, tuple[int, str]] = {}
    stage_ends: dict[int, int] = {}
    for row in rows:
        stage_ends[row.stage] = max(stage_ends.get(row.stage, 0), row.end_ms)
    place = {stage.id: index for index, stage in enumerate(quote.workload.stages)}
    for at in order:
        row = rows[at]
        stage = quote.workload.stages[row.stage]
        whole = (one for one in stage.after if one in place and not stage.streams(one))
        known = [release_ms(quote, stage), *(stage_ends[place[one]] for one in whole)]
        known += [rows[one].end_ms for one in row.after]
        known += [rows[one].start_ms + held_ms(quote, rows[one], key) for one, key in row.released]
        known += [fleet.ready_ms[card] for card in row.cards]
        if max(known) < row.start_ms and not row.is_fixed:
            if row.start_ms in ends:
                row.after.append(ends[row.start_ms])
            elif row.start_ms in releases:
                row.released.append(releases[row.start_ms])
            else:
                row.planned_ms = row.start_ms
        ends.setdefault(row.end_ms, at)
        if stage.kind is not StageKind.GATE:
            for need in stage.needs:
                moment = row.start_ms + held_ms(quote, row, need.resource_id)
                releases.setdefault(moment, (at, need.resource_id))


def _scaled(value: Decimal | None, rounding: str) -> int:
    return int(((value or Decimal(0)) * _RESOURCE_SCALE).to_integral_value(rounding=rounding))
