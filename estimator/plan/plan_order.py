"""From a plan's schedule to the order that its replications keep: steps, cards, and what they hold.

Where the tasks of a stage differ by chance and are handed out as cards become free, alone on its cards, the stage
is listed anew; every other stage keeps the cards that the schedule gave it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import gcd

import numpy as np

from estimator.catalogue import HourlyOffer
from estimator.plan.drawing import Draws
from estimator.plan.fleet import Fleet
from estimator.plan.held import fleet_held, shape_held
from estimator.plan.layouts import Layouts
from estimator.plan.renting import setup_of
from estimator.problems import Absent
from estimator.quote import AssignmentPolicy, Organisation, Quote, Stage
from estimator.results.estimate import Plan
from estimator.risk.distributions import Values
from estimator.risk.replay import Hold, Listed, Order, StageRisk, Step
from estimator.schedule import topological_order

_SCALE = 1000
"""Capacities and needs count in thousandths, as the schedule counts them."""


@dataclass(frozen=True, slots=True)
class PlanOrder:
    """The order, the offer of each of its cards, and whether a stage of it is listed anew."""

    order: Order
    offer_ids: tuple[str, ...]
    is_listed: bool


def plan_order(
    quote: Quote,
    organisation: Organisation,
    plan: Plan,
    draws: Draws,
    risks: tuple[StageRisk, ...],
    most_steps: int,
) -> PlanOrder | Absent:
    """Return the order of a plan. Absent codes: too_many_tasks (over `most_steps` steps), missing_set_up."""
    if int(plan.timing.schedule.run_lead.sum()) > most_steps:
        return Absent("too_many_tasks")
    cards = _cards(quote, organisation, plan, draws)
    if isinstance(cards, Absent):
        return cards
    offer_ids, ready = cards
    resources = _Resources(quote, organisation, plan)
    listed = _listed_stages(quote, organisation, plan, risks, resources)
    timed: list[tuple[int, int, Step | Listed]] = []
    starts = {stage.stage_id: stage.start_ms for stage in plan.timing.stages}
    for index, stage in enumerate(quote.workload.stages):
        if stage.id in listed:
            timed.append((starts[stage.id], index, _listed(organisation, plan, index, stage)))
    depth = _depth(_after(quote))
    for start, step in _steps(quote, plan, resources, listed):
        if len(timed) > most_steps:
            return Absent("too_many_tasks")
        timed.append((start, step.stage, step))
    timed.sort(key=lambda one: (one[0], depth[one[1]]))
    order = Order(
        steps=tuple(step for _, _, step in timed),
        after=_after(quote),
        ready_ms=ready,
        channels=resources.channels,
        risks=risks,
    )
    return PlanOrder(order, offer_ids, bool(listed))


def _after(quote: Quote) -> tuple[tuple[int, ...], ...]:
    place = {stage.id: index for index, stage in enumerate(quote.workload.stages)}
    return tuple(
        tuple(place[before] for before in stage.after if before in place) for stage in quote.workload.stages
    )


def _depth(after: tuple[tuple[int, ...], ...]) -> list[int]:
    """Return how many stages lie before each on its longest chain: of equal starts, what comes before first."""
    depth = [0] * len(after)
    links = ((one, stage) for stage, before in enumerate(after) for one in before)
    for stage in topological_order(len(after), links):
        depth[stage] = max((depth[one] + 1 for one in after[stage]), default=0)
    return depth


def _cards(
    quote: Quote, organisation: Organisation, plan: Plan, draws: Draws
) -> tuple[tuple[str, ...], tuple[float | Values, ...]] | Absent:
    """Return each card's offer, and when its set-up is done, drawn where it varies."""
    first = quote.offer(plan.holdings[0].offer_id)
    fleet: Fleet | Absent
    if isinstance(first, HourlyOffer) and len(plan.holdings) == 1:
        setup_ms = setup_of(first)
        if setup_ms is None:
            return Absent("missing_set_up", ("offers", first.id, "setup"))
        offers: tuple[str, ...] = (first.id,) * plan.timing.places
        fixed: tuple[int, ...] = (setup_ms,) * plan.timing.places
    else:
        fleet = fleet_held(quote, plan, shape_held(quote, organisation, plan))
        if isinstance(fleet, Absent):
            return fleet
        offers, fixed = fleet.offer_ids, fleet.ready_ms
    found: list[float | Values] = []
    for offer_id, setup in zip(offers, fixed, strict=True):
        drawn = draws.setup_ms(offer_id)
        found.append(float(setup) if drawn is None else drawn)
    return offers, tuple(found)


class _Resources:
    """Shared resources and caps on tasks at once as channels, where they may bind."""

    def __init__(self, quote: Quote, organisation: Organisation, plan: Plan) -> None:
        channels: list[int] = []
        self.holds: dict[str, tuple[Hold, ...]] = {}
        layouts = Layouts(organisation)
        slots = {
            stage.id: plan.timing.places // layouts[stage.id].cards_per_task
            for stage in quote.workload.stages
            if stage.on_cards
        }
        for resource in quote.workload.resources:
            needs = [
                (stage, _scaled(need.amount.value, ROUND_CEILING), need.hold)
                for stage in quote.workload.stages
                for need in stage.needs
                if need.resource_id == resource.id and need.amount.value
            ]
            capacity = _scaled(resource.capacity.value, ROUND_FLOOR)
            if not needs or self._never_binds(needs, slots, capacity):
                continue
            unit = gcd(*(amount for _, amount, _ in needs))
            for stage, amount, hold in needs:
                hold_ms = -1 if hold is None or hold.ms is None else hold.ms
                held = Hold(len(channels), amount // unit, hold_ms)
                self.holds[stage.id] = (*self.holds.get(stage.id, ()), held)
            channels.append(max(1, capacity // unit))
        for stage in quote.workload.stages:
            cap = layouts[stage.id].tasks_at_once if stage.on_cards else None
            if cap is not None and cap < slots[stage.id]:
                self.holds[stage.id] = (*self.holds.get(stage.id, ()), Hold(len(channels), 1))
                channels.append(cap)
        self.channels = tuple(channels)

    @staticmethod
    def _never_binds(
        needs: Sequence[tuple[Stage, int, object]], slots: dict[str, int], capacity: int
    ) -> bool:
        """Whether all that could run at once fits anyway."""
        most = 0
        for stage, amount, _ in needs:
            most += amount * min(stage.tasks.total, slots.get(stage.id, stage.tasks.total))
        return most <= capacity


def _scaled(value: Decimal | None, rounding: str) -> int:
    return int(((value or Decimal(0)) * _SCALE).to_integral_value(rounding=rounding))


def _listed_stages(
    quote: Quote,
    organisation: Organisation,
    plan: Plan,
    risks: tuple[StageRisk, ...],
    resources: _Resources,
) -> frozenset[str]:
    """Return the stages that are listed anew; see the module."""
    layouts = Layouts(organisation)
    stages = quote.workload.stages
    candidates = [
        index
        for index, stage in enumerate(stages)
        if stage.on_cards
        and layouts[stage.id].policy in (AssignmentPolicy.AVAILABILITY, AssignmentPolicy.LONGEST_FIRST)
        and (risks[index].noise is not None or risks[index].interruptions is not None)
        and stage.id not in resources.holds
    ]
    if not candidates:
        return frozenset()
    after = _after(quote)
    linked = {index: _linked(index, after) for index in candidates}
    found = {
        stages[index].id
        for index in candidates
        if all(other in linked[index] for other, stage in enumerate(stages) if stage.on_cards)
    }
    widths = {layouts[stage_id].cards_per_task for stage_id in found}
    # Slots are cut from the fleet by its widest task; a narrower stage beside it keeps its cards.
    return (
        frozenset(found) if widths == {shape_held(quote, organisation, plan).cards_per_task} else frozenset()
    )


def _linked(index: int, after: tuple[tuple[int, ...], ...]) -> frozenset[int]:
    """Return a stage with all that come before and after it: what never runs beside it."""
    following: list[list[int]] = [[] for _ in after]
    for stage, before in enumerate(after):
        for one in before:
            following[one].append(stage)
    found = {index}
    for links in (after, following):
        waiting = [index]
        while waiting:
            for one in links[waiting.pop()]:
                if one not in found:
                    found.add(one)
                    waiting.append(one)
    return frozenset(found)


def _listed(organisation: Organisation, plan: Plan, index: int, stage: Stage) -> Listed:
    layout = organisation.layout(stage.id)
    width = layout.cards_per_task
    slots = tuple(
        tuple(range(first, first + width)) for first in range(0, plan.timing.places - width + 1, width)
    )
    schedule = plan.timing.schedule
    planned = dict(zip(schedule.run_group.tolist(), schedule.run_duration_ms.tolist(), strict=True))
    groups = [number for number, name in enumerate(plan.timing.group_stage) if name == stage.id]
    durations = [
        planned[group] for group, count in zip(groups, stage.tasks.count, strict=True) for _ in range(count)
    ]
    if layout.policy is AssignmentPolicy.LONGEST_FIRST:
        durations.sort(reverse=True)
    return Listed(index, slots, tuple(durations))


def _steps(
    quote: Quote, plan: Plan, resources: _Resources, listed: frozenset[str]
) -> Iterator[tuple[int, Step]]:
    """Yield each run of the schedule, or each task where it holds something, with its planned start."""
    schedule = plan.timing.schedule
    place = {stage.id: index for index, stage in enumerate(quote.workload.stages)}
    columns = (
        schedule.run_task,
        schedule.run_group,
        schedule.run_card,
        schedule.run_start_ms,
        schedule.run_duration_ms,
        schedule.run_count,
        schedule.run_step_ms,
    )
    rows = np.column_stack(columns)[np.argsort(schedule.run_task, kind="stable")].tolist()
    at = 0
    while at < len(rows):
        task, group, _, start, duration, count, step_ms = rows[at]
        cards = []
        while at < len(rows) and rows[at][0] == task:
            if rows[at][2] >= 0:
                cards.append(rows[at][2])
            at += 1
        stage_id = plan.timing.group_stage[group]
        if stage_id in listed:
            continue
        holds = resources.holds.get(stage_id, ())
        index = place[stage_id]
        if count > 1 and not holds and step_ms in (0, duration):
            together = step_ms == 0 and duration > 0
            yield start, Step(index, tuple(cards), duration, count, (), together)
        else:
            for number in range(count):
                yield start + number * step_ms, Step(index, tuple(cards), duration, 1, holds)
