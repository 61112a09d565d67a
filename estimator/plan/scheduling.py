"""From a quote, an organisation and a fleet to the schedule engine's problem, and back to a timing.

Solved problems are remembered by their own content, so that an edit recomputes only what it touches.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np

from estimator.duration import unit_duration_ms
from estimator.evidence import EvidenceKind, weakest
from estimator.plan.fleet import Fleet
from estimator.problems import Absent
from estimator.quote import AssignmentPolicy, Organisation, Quote, Stage, StageKind
from estimator.results.estimate import StageTime, Timing
from estimator.schedule import CycleFound, Policy, Problem, Schedule, Status, solve

REMEMBERED = 256
_RESOURCE_SCALE = 1000
"""Capacities and needs are kept in thousandths, so that 0.5 of a stream is exact."""


def missing_for_time(quote: Quote, organisation: Organisation) -> Absent | None:
    """Return why no schedule can be made of this organisation, or None."""
    workload = quote.workload
    if not any(stage.on_cards for stage in workload.stages):
        return Absent("no_work", ("workload",))
    for stage in workload.stages:
        where = ("workload", "stages", stage.id)
        if stage.on_cards and _needs_mechanism(stage, organisation) and not organisation.mechanism.strip():
            return Absent("no_mechanism", ("organisations", organisation.id, "mechanism"))
        if stage.kind is not StageKind.GATE and None in stage.tasks.duration:
            return Absent("missing_duration", (*where, "duration"), (("stage", stage.name),))
        for factor in stage.card_factors:
            if factor.factor.value is None:
                return Absent("missing_factor", (*where, "card_factors"), (("stage", stage.name),))
    for resource in workload.resources:
        if resource.capacity.value is None:
            where = ("workload", "resources", resource.id)
            return Absent("missing_capacity", where, (("resource", resource.name),))
    if workload.mutual_slow_down.value is None:
        return Absent("missing_slow_down", ("workload", "mutual_slow_down"))
    return None


def _needs_mechanism(stage: Stage, organisation: Organisation) -> bool:
    return stage.kind is StageKind.COOPERATIVE or organisation.layout(stage.id).cards_per_task > 1


@dataclass(frozen=True, slots=True)
class Variant:
    """What a comparison changes of the plan: another policy for all stages, or the stated slow-down's value."""

    policy: AssignmentPolicy | None = None
    slow_down: Decimal | None = None
    tasks_at_once: int | None = None


def timing_of(
    quote: Quote, organisation: Organisation, fleet: Fleet, variant: Variant = Variant()
) -> Timing | Absent:
    """Return when every task of the organisation runs on that fleet, or why it cannot.

    Absent codes: those of `missing_for_time`, `cycle` and `cannot_run` (a task too wide for every lot, or a
    need above its resource's capacity).
    """
    missing = missing_for_time(quote, organisation)
    if missing is not None:
        return missing
    problem, group_stage = problem_of(quote, organisation, fleet, variant)
    try:
        schedule = _solved(problem)
    except CycleFound as cycle:
        names = ", ".join(quote.workload.stages[index].name for index in cycle.stages)
        return Absent("cycle", ("workload", "stages"), (("stages", names),))
    if schedule.status is Status.INFEASIBLE:
        blocked = quote.workload.stages[int(problem.stage[schedule.blocked[0][0]])]
        return Absent(
            "cannot_run",
            ("workload", "stages", blocked.id),
            (("stage", blocked.name), ("reason", schedule.blocked[0][1])),
        )
    stages = tuple(
        StageTime(stage.id, int(start), int(end))
        for stage, start, end in zip(
            quote.workload.stages, schedule.stage_start_ms, schedule.stage_end_ms, strict=True
        )
    )
    busy = int(schedule.card_last_ms.max(initial=0))
    model = fleet.card_ids[0] if fleet.card_ids else ""
    return Timing(schedule, stages, group_stage, fleet.cards, model, busy)


def problem_of(
    quote: Quote, organisation: Organisation, fleet: Fleet, variant: Variant = Variant()
) -> tuple[Problem, tuple[str, ...]]:
    """Return the engine's problem and the stage id of each of its groups. Nothing in it is missing."""
    workload = quote.workload
    stages = workload.stages
    place = {stage.id: index for index, stage in enumerate(stages)}
    models = tuple(dict.fromkeys(fleet.card_ids)) or ("",)
    groups = _Groups(len(workload.resources))
    resource_place = {resource.id: index for index, resource in enumerate(workload.resources)}
    for index, stage in enumerate(stages):
        layout = organisation.layout(stage.id)
        cards = layout.cards_per_task if stage.on_cards else 0
        at_once = fleet.cards // cards if cards else 0
        slow_down = Decimal(1)
        if at_once > 1:
            slow_down = variant.slow_down or workload.mutual_slow_down.value or Decimal(1)
        factors = _factors(stage, models, layout.card_ids)
        needs = {
            resource_place[need.resource_id]: need
            for need in stage.needs
            if need.resource_id in resource_place
        }
        need_row = [0] * len(workload.resources)
        hold_row = [-1] * len(workload.resources)
        for at, need in needs.items():
            need_row[at] = _scaled(need.amount.value or Decimal(0), ROUND_CEILING)
            hold_ms = need.hold.ms if need.hold is not None else None
            hold_row[at] = -1 if hold_ms is None else hold_ms
        if stage.kind is StageKind.GATE:
            groups.add(index, 1, [0] * len(models), 0, [0] * len(need_row), hold_row)
            continue
        for count, stated in zip(stage.tasks.count, stage.tasks.duration_ms, strict=True):
            durations = [
                -1 if factor is None else unit_duration_ms(stated or 0, factor, slow_down)
                for factor in factors
            ]
            groups.add(index, count, durations, cards, need_row, hold_row)
    policies = [variant.policy or organisation.layout(stage.id).policy for stage in stages]
    problem = Problem(
        count=np.array(groups.count, dtype=np.int64),
        stage=np.array(groups.stage, dtype=np.int64),
        duration_ms=np.array(groups.duration, dtype=np.int64).reshape(len(groups.count), len(models)),
        cards=np.array(groups.cards, dtype=np.int64),
        capacity=np.array(
            [_scaled(resource.capacity.value or Decimal(0), ROUND_FLOOR) for resource in workload.resources],
            dtype=np.int64,
        ),
        need=np.array(groups.need, dtype=np.int64).reshape(len(groups.count), len(workload.resources)),
        hold_ms=np.array(groups.hold, dtype=np.int64).reshape(len(groups.count), len(workload.resources)),
        stage_count=len(stages),
        after=tuple(
            (place[before], place[stage.id]) for stage in stages for before in stage.after if before in place
        ),
        release_ms=np.zeros(len(stages), dtype=np.int64),
        policy=tuple(Policy(policy.value) for policy in policies),
        tasks_at_once=np.array([_cap(organisation, stage, variant) for stage in stages], dtype=np.int64),
        may_cross_nodes=np.array([organisation.layout(stage.id).may_cross_nodes for stage in stages]),
        card_model=np.array([models.index(card_id) for card_id in fleet.card_ids], dtype=np.int64),
        card_lot=np.array(fleet.unit, dtype=np.int64),
        card_node=np.array(fleet.node, dtype=np.int64),
        card_ready_ms=np.array(fleet.ready_ms, dtype=np.int64),
    )
    return problem, tuple(stages[index].id for index in groups.stage)


def time_kind(quote: Quote, organisation: Organisation, cards: int, card_id: str) -> EvidenceKind:
    """Return the evidence of the delivery: the weakest of the durations, counts, capacities and slow-down."""
    kinds: list[EvidenceKind] = []
    for stage in quote.workload.stages:
        if stage.kind is StageKind.GATE:
            continue
        kinds += [stage.tasks.kind, stage.tasks.count_evidence.kind]
        kinds += [factor.factor.kind for factor in stage.card_factors if factor.card_id == card_id]
        kinds += [need.amount.kind for need in stage.needs]
    if cards > max(
        (organisation.layout(stage.id).cards_per_task for stage in quote.workload.stages), default=1
    ):
        kinds.append(quote.workload.mutual_slow_down.kind)
    kinds += [resource.capacity.kind for resource in quote.workload.resources]
    return weakest(kinds)


class _Groups:
    """Columns of groups while a problem is put together."""

    def __init__(self, resources: int) -> None:
        self.resources = resources
        self.stage: list[int] = []
        self.count: list[int] = []
        self.duration: list[list[int]] = []
        self.cards: list[int] = []
        self.need: list[list[int]] = []
        self.hold: list[list[int]] = []

    def add(
        self, stage: int, count: int, duration: list[int], cards: int, need: list[int], hold: list[int]
    ) -> None:
        self.stage.append(stage)
        self.count.append(count)
        self.duration.append(duration)
        self.cards.append(cards)
        self.need.append(need)
        self.hold.append(hold)


def _factors(stage: Stage, models: Sequence[str], eligible: Sequence[str]) -> list[Decimal | None]:
    """Return each model's factor: as stated, 1 where none is, None where the layout does not allow the model."""
    stated = {factor.card_id: factor.factor.value for factor in stage.card_factors}
    if not stage.on_cards:
        return [Decimal(1)] * len(models)
    return [
        None if eligible and model and model not in eligible else stated.get(model) or Decimal(1)
        for model in models
    ]


def _cap(organisation: Organisation, stage: Stage, variant: Variant) -> int:
    if not stage.on_cards:
        return -1
    cap = organisation.layout(stage.id).tasks_at_once
    if variant.tasks_at_once is not None:
        cap = variant.tasks_at_once
    return -1 if cap is None else cap


def _scaled(value: Decimal, rounding: str) -> int:
    return int((value * _RESOURCE_SCALE).to_integral_value(rounding=rounding))


_remembered: OrderedDict[bytes, Schedule] = OrderedDict()


def _solved(problem: Problem, solver: Callable[[Problem], Schedule] = solve) -> Schedule:
    key = _content(problem)
    found = _remembered.get(key)
    if found is None:
        found = solver(problem)
        _remembered[key] = found
        while len(_remembered) > REMEMBERED:
            _remembered.popitem(last=False)
    else:
        _remembered.move_to_end(key)
    return found


def _content(problem: Problem) -> bytes:
    columns = (
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
    for column in columns:
        parts += [repr(column.shape).encode(), column.tobytes()]
    return b"|".join(parts)
