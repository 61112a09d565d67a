"""A plan held fixed, as rows that can be re-timed: which rows each one follows.

Assignment, order, lots and terms stay the plan's; only durations move. Resources are chained: each row takes
its units from rows that gave them back before it started, so that no duration can break a capacity
(Policella et al., "Generating robust partial order schedules", 2004). Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import accumulate

from estimator.plan.fleet import Fleet
from estimator.plan.organising import nominal_fleet, shape_of
from estimator.plan.renting import held_fleet
from estimator.plan.when import release_ms
from estimator.quote import Organisation, Quote, Stage, StageKind
from estimator.results.estimate import Plan, Timing
from estimator.schedule import topological_order

MOST_TASK_ROWS = 5_000
_RESOURCE_SCALE = 1000


@dataclass(slots=True)
class Row:
    """`count` tasks of one group one after another, or all at once where `together`; `number` is the first's.

    `after`: rows whose end it waits for. `released`: (row, resource id) whose units it waits for.
    `cards`: the places it runs on, cards or their slices.
    `planned_ms`: a moment that nothing here explains; None in all plans that the engine makes.
    `is_fixed`: it has working hours, which no formula of a cell follows; it keeps the plan's times.
    """

    stage: int
    group: int
    number: int
    count: int
    together: bool
    cards: tuple[int, ...]
    start_ms: int
    each_ms: int
    after: list[int] = field(default_factory=list)
    released: list[tuple[int, str]] = field(default_factory=list)
    planned_ms: int | None = None
    is_fixed: bool = False

    @property
    def end_ms(self) -> int:
        """When the last of its tasks ends."""
        return self.start_ms + self.each_ms * (1 if self.together else self.count)


@dataclass(frozen=True, slots=True)
class Replay:
    """The rows of a plan by stage, card and start. `is_whole_runs`: a row is a run, not a task."""

    rows: tuple[Row, ...]
    fleet: Fleet
    is_whole_runs: bool

    def of_stage(self, stage: int) -> tuple[int, int]:
        """Return the first and last row of a stage; every stage has one."""
        places = [place for place, row in enumerate(self.rows) if row.stage == stage]
        return places[0], places[-1]


def replay_of(quote: Quote, organisation: Organisation, plan: Plan | None, timing: Timing) -> Replay:
    """Return the plan's rows, each with what it waits for. Above 5,000 tasks a row is a run."""
    fleet = _fleet(quote, organisation, plan)
    constrained = any(
        stage.needs or (stage.on_cards and organisation.layout(stage.id).tasks_at_once is not None)
        for stage in quote.workload.stages
    )
    total = sum(stage.tasks.total for stage in quote.workload.stages)
    # Units of a resource pass between single tasks; without resources a card's run is one block.
    has_needs = any(stage.needs for stage in quote.workload.stages)
    whole_runs = total > MOST_TASK_ROWS and not has_needs
    rows = sorted(
        _rows(quote, timing, whole_runs), key=lambda row: (row.stage, row.cards[:1], row.start_ms, row.number)
    )
    order = _in_time(quote, rows)
    _follow_on_cards(rows, order)
    _follow_shares(quote, rows)
    for row in rows:
        has_hours = any(fleet.hours[card] is not None for card in row.cards if card < len(fleet.hours))
        row.is_fixed = quote.workload.stages[row.stage].hours is not None or has_hours
    if constrained:
        _follow_units(quote, organisation, rows, order)
    _explain(quote, rows, order, fleet)
    return Replay(tuple(rows), fleet, whole_runs)


def held_ms(quote: Quote, row: Row, resource_id: str) -> int:
    """Return for how long the first task of a row holds a resource."""
    need = next(one for one in quote.workload.stages[row.stage].needs if one.resource_id == resource_id)
    hold = None if need.hold is None else need.hold.ms
    return row.each_ms if hold is None else min(hold, row.each_ms)


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
    stages = quote.workload.stages
    place = {stage.id: index for index, stage in enumerate(stages)}
    after = tuple(
        (place[before], place[stage.id]) for stage in stages for before in stage.after if before in place
    )
    rank = {stage: at for at, stage in enumerate(topological_order(len(stages), after))}
    return sorted(
        range(len(rows)),
        key=lambda at: (rows[at].start_ms, rows[at].end_ms, rank[rows[at].stage], at),
    )


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
            if key not in free or held == 0:
                continue
            for giver in _taken(free[key], amount, row):
                if giver < 0:
                    continue
                if resource_id and held_ms(quote, rows[giver], resource_id) < rows[giver].each_ms:
                    row.released.append((giver, resource_id))
                elif giver not in row.after:
                    row.after.append(giver)
            free[key].append(_Units(row.start_ms + held, at, amount))
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


def _taken(free: list[_Units], amount: int, row: Row) -> list[int]:
    """Take units that are free in time, and return the rows that gave them back.

    First those of rows that this one follows anyway, so that cards do not wait for each other without need;
    then those of the longest standing.
    """
    givers: list[int] = []
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
    return list(dict.fromkeys(givers))


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
