"""From a quote, an organisation and a fleet to the schedule engine's problem, and back to a timing.

Solved problems are remembered by their own content, so that an edit recomputes only what it touches.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache
from hashlib import sha256
from itertools import chain, repeat
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from estimator.duration import unit_duration_ms
from estimator.evidence import EvidenceKind, Stated, weakest
from estimator.plan.fleet import Fleet
from estimator.plan.layouts import Layouts
from estimator.plan.sharing import joined, shared_out
from estimator.plan.stopping import go_on, is_unwanted
from estimator.plan.when import missing_for_when, release_ms, when_kinds, when_of, whole_links
from estimator.problems import Absent
from estimator.quote import (
    AssignmentPolicy,
    Organisation,
    ProvenPlan,
    Quote,
    Stage,
    StageKind,
    StageLayout,
    Tasks,
)
from estimator.results.estimate import StageTime, Timing
from estimator.schedule import (
    UNLIMITED,
    CycleFound,
    Policy,
    Problem,
    Schedule,
    Status,
    When,
    schedule_of_tasks,
    solve,
)

Column = NDArray[np.int64]

REMEMBERED = 256
TIME_REASONS = frozenset({"no_hours_long_enough", "outruns_rental"})
"""Why a stage finds no place though its tasks would fit: reasons with a sentence of their own."""
_RESOURCE_SCALE = 1000
"""Capacities and needs are kept in thousandths, so that 0.5 of a stream is exact."""


def missing_for_time(quote: Quote, organisation: Organisation) -> Absent | None:
    """Return why no schedule can be made of this organisation, or None."""
    workload = quote.workload
    if not any(stage.on_cards for stage in workload.stages):
        return Absent("no_work", ("workload",))
    layouts = Layouts(organisation)
    has_mechanism = bool(organisation.mechanism.strip())
    for stage in workload.stages:
        where = ("workload", "stages", stage.id)
        if stage.on_cards and not has_mechanism and _needs_mechanism(stage, layouts):
            return Absent("no_mechanism", ("organisations", organisation.id, "mechanism"))
        if stage.kind is not StageKind.GATE and stage.tasks.has_unknown:
            return Absent("missing_duration", (*where, "duration"), (("stage", stage.name),))
        for need in stage.needs:
            if need.amount.value is None:
                return Absent("missing_need", (*where, "needs"), (("stage", stage.name),))
        for factor in stage.card_factors:
            if factor.factor.value is None:
                return Absent("missing_factor", (*where, "card_factors"), (("stage", stage.name),))
    for resource in workload.resources:
        if resource.capacity.value is None:
            where = ("workload", "resources", resource.id)
            return Absent("missing_capacity", where, (("resource", resource.name),))
    if workload.mutual_slow_down.value is None:
        return Absent("missing_slow_down", ("workload", "mutual_slow_down"))
    if organisation.slicing is not None and organisation.slicing.duration_factor.value is None:
        return Absent(
            "missing_slice_factor", ("organisations", organisation.id, "slicing", "duration_factor")
        )
    return sliced_too_wide(quote, organisation) or missing_for_when(quote)


def sliced_too_wide(quote: Quote, organisation: Organisation) -> Absent | None:
    """Return that a stage needs several cards at once while cards are sliced, or None: slices do not talk."""
    if organisation.slicing is None:
        return None
    layouts = Layouts(organisation)
    for stage in quote.workload.stages:
        if stage.on_cards and _needs_mechanism(stage, layouts):
            where = ("organisations", organisation.id, "slicing")
            return Absent("slice_too_narrow", where, (("stage", stage.name),))
    return None


def _needs_mechanism(stage: Stage, layouts: Layouts) -> bool:
    return stage.kind is StageKind.COOPERATIVE or layouts[stage.id].cards_per_task > 1


@dataclass(frozen=True, slots=True)
class Variant:
    """What a comparison changes of the plan: another policy for all stages, or the stated slow-down's value.

    `shares`: how many tasks of the only stage on cards, all equal, each offer's cards take; () as they come.
    """

    policy: AssignmentPolicy | None = None
    slow_down: Decimal | None = None
    tasks_at_once: int | None = None
    shares: tuple[tuple[str, int], ...] = ()


def timing_of(
    quote: Quote, organisation: Organisation, fleet: Fleet, variant: Variant = Variant()
) -> Timing | Absent:
    """Return when every task of the organisation runs on that fleet, or why it cannot.

    Absent codes: those of `missing_for_time`, `cycle`, `cannot_run` (a task too wide for every lot, or a need
    above its resource's capacity), `no_hours_long_enough` and `outruns_rental`.
    """
    missing = missing_for_time(quote, organisation)
    if missing is not None:
        return missing
    when = when_of(quote, fleet)
    if isinstance(when, Absent):
        return when
    problem, group_stage = problem_of(quote, organisation, fleet, variant)
    shared, group = problem, 0
    if variant.shares:
        group = next(row for row, stage_id in enumerate(group_stage) if _on_cards(quote, stage_id))
        shared = shared_out(problem, group, fleet, dict(variant.shares))
    try:
        schedule = (
            with_proof(problem, solved(problem), organisation.proven) if shared is problem else solved(shared)
        )
    except CycleFound as cycle:
        names = ", ".join(quote.workload.stages[index].name for index in cycle.stages)
        return Absent("cycle", ("workload", "stages"), (("stages", names),))
    if schedule.status is Status.INFEASIBLE:
        row, reason = schedule.blocked[0]
        blocked = quote.workload.stages[int(shared.stage[row])]
        code = reason if reason in TIME_REASONS else "cannot_run"
        values = (("stage", blocked.name), ("reason", reason))
        return Absent(code, ("workload", "stages", blocked.id), values)
    if variant.shares:
        schedule = joined(schedule, group, tuple(count for _, count in variant.shares if count > 0))
    stages = tuple(
        StageTime(stage.id, int(start), int(end))
        for stage, start, end in zip(
            quote.workload.stages, schedule.stage_start_ms, schedule.stage_end_ms, strict=True
        )
    )
    busy = int(schedule.card_last_ms.max(initial=0))
    slices = fleet.slices_per_card
    return Timing(schedule, stages, group_stage, fleet.card_ids, fleet.offer_ids, fleet.unit, busy, slices)


def _on_cards(quote: Quote, stage_id: str) -> bool:
    stage = quote.workload.stage(stage_id)
    return stage is not None and stage.on_cards


def problem_of(
    quote: Quote, organisation: Organisation, fleet: Fleet, variant: Variant = Variant()
) -> tuple[Problem, tuple[str, ...]]:
    """Return the engine's problem and the stage id of each of its groups. Nothing in it is missing."""
    workload = quote.workload
    stages = workload.stages
    when = when_of(quote, fleet)
    models = tuple(dict.fromkeys(fleet.card_ids)) or ("",)
    layouts = Layouts(organisation)
    columns = [
        _stage_columns(quote, organisation, layouts[stage.id], stage, models, fleet.places, variant)
        for stage in stages
    ]
    sizes = [len(column.count) for column in columns]
    policies = [variant.policy or layouts[stage.id].policy for stage in stages]
    # Where no task needs several cards, lots and nodes change nothing; equal problems are then solved once.
    is_narrow = all(column.cards <= 1 for column in columns)
    zeros = np.zeros(fleet.places, dtype=np.int64)
    problem = Problem(
        count=np.concatenate([column.count for column in columns]),
        stage=np.repeat(np.arange(len(stages), dtype=np.int64), sizes),
        duration_ms=np.concatenate([column.duration_ms for column in columns]),
        cards=np.repeat(np.array([column.cards for column in columns], dtype=np.int64), sizes),
        capacity=np.array(
            [_scaled(_known(resource.capacity), ROUND_FLOOR) for resource in workload.resources],
            dtype=np.int64,
        ),
        need=np.repeat(_rows([column.need for column in columns], len(workload.resources)), sizes, axis=0),
        hold_ms=np.repeat(
            _rows([column.hold_ms for column in columns], len(workload.resources)), sizes, axis=0
        ),
        stage_count=len(stages),
        after=whole_links(quote),
        release_ms=np.array([release_ms(quote, stage) for stage in stages], dtype=np.int64),
        policy=tuple(Policy(policy.value) for policy in policies),
        tasks_at_once=np.array([_cap(layouts[stage.id], stage, variant) for stage in stages], dtype=np.int64),
        may_cross_nodes=np.array([layouts[stage.id].may_cross_nodes for stage in stages]),
        card_model=np.array([models.index(card_id) for card_id in fleet.card_ids], dtype=np.int64),
        card_lot=zeros if is_narrow else np.array(fleet.unit, dtype=np.int64),
        card_node=zeros if is_narrow else np.array(fleet.node, dtype=np.int64),
        card_ready_ms=np.array(fleet.ready_ms, dtype=np.int64),
        when=When() if isinstance(when, Absent) else when,
    )
    group_stage = tuple(chain.from_iterable(map(repeat, (stage.id for stage in stages), sizes)))
    return problem, group_stage


def time_kind(quote: Quote, organisation: Organisation, places: int, models: Sequence[str]) -> EvidenceKind:
    """Return the evidence of the delivery: the weakest of the durations, counts, capacities and slow-down.

    `places`: cards or slices that work at once.
    """
    kinds: list[EvidenceKind] = []
    layouts = Layouts(organisation)
    for stage in quote.workload.stages:
        if stage.kind is StageKind.GATE:
            continue
        kinds += [stage.tasks.kind, stage.tasks.count_evidence.kind]
        kinds += [factor.factor.kind for factor in stage.card_factors if factor.card_id in models]
        kinds += [need.amount.kind for need in stage.needs]
    if organisation.slicing is not None:
        kinds.append(organisation.slicing.duration_factor.kind)
    if places > max((layouts[stage.id].cards_per_task for stage in quote.workload.stages), default=1):
        kinds.append(quote.workload.mutual_slow_down.kind)
    kinds += when_kinds(quote)
    kinds += [resource.capacity.kind for resource in quote.workload.resources]
    return weakest(kinds)


@dataclass(frozen=True, slots=True)
class _StageColumns:
    """One stage as the engine's columns: its groups, and what each of their tasks takes."""

    count: Column
    duration_ms: Column
    cards: int
    need: list[int]
    hold_ms: list[int]


def _stage_columns(
    quote: Quote,
    organisation: Organisation,
    layout: StageLayout,
    stage: Stage,
    models: Sequence[str],
    places: int,
    variant: Variant,
) -> _StageColumns:
    per_task = layout.cards_per_task if stage.on_cards else 0
    needs = {need.resource_id: need for need in stage.needs}
    need_row, hold_row = [], []
    for resource in quote.workload.resources:
        need = needs.get(resource.id)
        need_row.append(0 if need is None else _scaled(_known(need.amount), ROUND_CEILING))
        hold_ms = None if need is None or need.hold is None else need.hold.ms
        hold_row.append(-1 if hold_ms is None else hold_ms)
    if stage.kind is StageKind.GATE:
        one, nothing = np.ones(1, dtype=np.int64), np.zeros((1, len(models)), dtype=np.int64)
        return _StageColumns(one, nothing, 0, [0] * len(need_row), hold_row)
    slow_down = Decimal(1)
    if per_task and places // per_task > 1:
        slow_down = variant.slow_down or quote.workload.mutual_slow_down.value or Decimal(1)
    durations = [
        np.full(len(stage.tasks.count), -1, dtype=np.int64)
        if factor is None
        else _durations(stage.tasks, factor, slow_down)
        for factor in _factors(stage, models, layout.card_ids, slice_factor(organisation))
    ]
    count = counts_of(stage.tasks)
    return _StageColumns(count, np.stack(durations, axis=1), per_task, need_row, hold_row)


@lru_cache(maxsize=64)
def _durations(tasks: Tasks, factor: Decimal, slow_down: Decimal) -> Column:
    """Return the tasks' durations in ms on a card with that factor; kept, since edits leave most tasks alone."""
    stated_column = stated_ms(tasks)
    if factor == 1 and slow_down == 1:
        return stated_column
    found = [unit_duration_ms(stated, factor, slow_down) for stated in stated_column.tolist()]
    return _kept(np.array(found, dtype=np.int64))


@lru_cache(maxsize=64)
def stated_ms(tasks: Tasks) -> Column:
    return _kept(np.array([stated or 0 for stated in tasks.duration_ms], dtype=np.int64))


@lru_cache(maxsize=64)
def counts_of(tasks: Tasks) -> Column:
    """Return how many tasks each group has; the column is read-only."""
    return _kept(np.array(tasks.count, dtype=np.int64))


def _kept(column: Column) -> Column:
    """Return the column made read-only, since several problems share it."""
    column.flags.writeable = False
    return column


def _rows(rows: list[list[int]], width: int) -> Column:
    return np.array(rows, dtype=np.int64).reshape(len(rows), width)


def slice_factor(organisation: Organisation) -> Decimal:
    """Return what the planner says of a task on a slice: how many times its stated duration; 1 on whole cards."""
    slicing = organisation.slicing
    return Decimal(1) if slicing is None else slicing.duration_factor.value or Decimal(1)


def _factors(
    stage: Stage, models: Sequence[str], eligible: Sequence[str], of_slice: Decimal
) -> list[Decimal | None]:
    """Return each model's factor: as stated, 1 where none is, times that of a slice of it.

    None where the layout does not allow the model.
    """
    stated = {factor.card_id: factor.factor.value for factor in stage.card_factors}
    if not stage.on_cards:
        return [Decimal(1)] * len(models)
    return [
        None if eligible and model and model not in eligible else (stated.get(model) or Decimal(1)) * of_slice
        for model in models
    ]


def _cap(layout: StageLayout, stage: Stage, variant: Variant) -> int:
    if not stage.on_cards:
        return -1
    cap = layout.tasks_at_once
    if variant.tasks_at_once is not None:
        cap = variant.tasks_at_once
    return -1 if cap is None else cap


def _known(stated: Stated) -> Decimal:
    """Return a value that `missing_for_time` has found to be there."""
    if stated.value is None:
        raise LookupError("a missing number reached the schedule")
    return stated.value


def _scaled(value: Decimal, rounding: str) -> int:
    return int((value * _RESOURCE_SCALE).to_integral_value(rounding=rounding))


_remembered: OrderedDict[bytes, Schedule] = OrderedDict()
_memory: ContextVar[OrderedDict[bytes, Schedule]] = ContextVar("schedules", default=_remembered)
_problems: WeakKeyDictionary[Schedule, Problem] = WeakKeyDictionary()
"""The problem that each schedule still in use answers."""


@contextmanager
def own_memory() -> Iterator[None]:
    """Let schedules that are solved inside be remembered apart, so that many variants drive no plan out."""
    token = _memory.set(OrderedDict())
    try:
        yield
    finally:
        _memory.reset(token)


def problem_behind(schedule: Schedule) -> Problem:
    """Return the problem that a timing's schedule answers. Raises KeyError for a schedule of another origin."""
    return _problems[schedule]


def best_plan_of(problem: Problem, proven: ProvenPlan | None = None) -> Schedule:
    """Return the best plan found for the problem's tasks and cards, whatever rule it asks for."""
    free = replace(problem, policy=(Policy.BEST,) * problem.stage_count)
    return with_proof(free, solved(free), proven)


def solved(problem: Problem) -> Schedule:
    """Return the schedule of a problem, remembered by its content. Raises CycleFound and SolveStopped."""
    go_on()
    key = _content(problem)
    return _kept_by(
        key,
        problem,
        lambda: _best_found(problem) if Policy.BEST in problem.policy else solve(problem, is_unwanted),
    )


def with_proof(problem: Problem, found: Schedule, proven: ProvenPlan | None) -> Schedule:
    """Return what is kept of a proof of this very problem: its bound, and its plan where the best is asked for.

    A proof of other tasks or cards, or one that a checked plan contradicts, changes nothing.
    """
    if proven is None or found.status is Status.INFEASIBLE or not is_proof_of(proven, problem):
        return found
    key = b"|".join((_content(problem), str(proven.bound_ms).encode(), repr(proven.tasks).encode()))
    return _kept_by(key, problem, lambda: _proven(problem, found, proven))


def is_proof_of(proven: ProvenPlan, problem: Problem) -> bool:
    """Whether the proof is of the same tasks on the same cards."""
    return len(proven.tasks) == int(problem.count.sum()) and proven.content == content_of(problem)


def content_of(problem: Problem) -> str:
    """Return what tells one set of tasks and cards from another, policies and caps that never bind left out."""
    caps = problem.tasks_at_once.copy()
    for stage in range(problem.stage_count):
        groups = (problem.stage == stage) & (problem.count > 0)
        at_once = int(problem.count[groups].sum())
        if groups.any() and int(problem.cards[groups].min()) > 0:
            at_once = min(at_once, problem.card_count // int(problem.cards[groups].min()))
        if caps[stage] >= at_once:
            caps[stage] = UNLIMITED
    plain = replace(problem, policy=(Policy.BEST,) * problem.stage_count, tasks_at_once=caps)
    return sha256(_content(plain)).hexdigest()


def _proven(problem: Problem, found: Schedule, proven: ProvenPlan) -> Schedule:
    try:
        plan = schedule_of_tasks(problem, proven.tasks, proven.bound_ms)
    except ValueError:
        return found
    if found.delivery_ms < proven.bound_ms:
        return found
    bound_ms = max(found.lower_bound_ms, proven.bound_ms)
    on_cards = set(problem.stage[(problem.cards > 0) & (problem.count > 0)].tolist())
    is_free = all(problem.policy[stage] is Policy.BEST for stage in on_cards)
    best = plan if is_free and plan.delivery_ms <= found.delivery_ms else found
    return replace(best, lower_bound_ms=bound_ms)


def _kept_by(key: bytes, problem: Problem, made: Callable[[], Schedule]) -> Schedule:
    # Taken out and put back at the end, the newest: another thread may ask for the same meanwhile.
    memory = _memory.get()
    found = memory.pop(key, None) or _remembered.get(key)
    if found is None:
        found = made()
        _problems[found] = problem
    memory[key] = found
    while len(memory) > REMEMBERED:
        memory.popitem(last=False)
    return found


def _best_found(problem: Problem) -> Schedule:
    """Return the best plan found, never later than what any single rule gives the same tasks."""
    found = solve(problem, is_unwanted)
    for rule in (Policy.BLOCKS, Policy.AVAILABILITY, Policy.LONGEST_FIRST):
        if found.is_optimal:
            break
        policies = tuple(rule if one is Policy.BEST else one for one in problem.policy)
        by_rule = solved(replace(problem, policy=policies))
        if by_rule.status is Status.INFEASIBLE:
            continue
        if found.status is Status.INFEASIBLE or by_rule.delivery_ms < found.delivery_ms:
            found = solve(problem, is_unwanted, by_rule)
    return found


def _content(problem: Problem) -> bytes:
    columns: tuple[NDArray[Any], ...] = (
        problem.count,
        problem.stage,
        problem.duration_ms,
        problem.cards,
        problem.capacity,
        problem.need,
        problem.hold_ms,
        problem.release_ms,
        problem.tasks_at_once,
        problem.may_cross_nodes,
        problem.card_model,
        problem.card_lot,
        problem.card_node,
        problem.card_ready_ms,
    )
    parts = [repr((problem.stage_count, problem.after, problem.policy)).encode()]
    when = problem.when
    if problem.is_timed or problem.is_ranked:  # else as before there were hours: kept proofs stay good
        columns += (
            when.priority,
            when.stage_calendar,
            when.may_pause,
            when.card_calendar,
            when.card_until_ms,
        )
        parts.append(repr((when.streams, when.calendars)).encode())
    for column in columns:
        parts += [repr(column.shape).encode(), column.tobytes()]
    return b"|".join(parts)
