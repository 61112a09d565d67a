"""Cases near the plan in which splitting does not pay as promised, found by solving each again.

The source asks for one such case beside each choice: it explains the choice better than a ranking of cards.
"""

from __future__ import annotations

from decimal import Decimal

from estimator.evidence import GIVEN, Stated, StatedDuration
from estimator.plan.organising import nominal_fleet, shape_of
from estimator.plan.scheduling import Variant, timing_of
from estimator.problems import Absent
from estimator.quote import (
    AssignmentPolicy,
    Organisation,
    Quote,
    ResourceKind,
    ResourceNeed,
    SharedResource,
    Stage,
    Tasks,
)
from estimator.results.estimate import CounterExample, Plan
from estimator.units import TimeUnit

CHANNEL = "counter-example-channel"
_LONG, _SHORT = Decimal("1.5"), Decimal("0.5")


def counter_examples(
    quote: Quote, organisation: Organisation, shown: Plan | None
) -> tuple[CounterExample, ...]:
    """Return the cases with their deliveries, the one in which the split pays least first.

    Cases: unequal tasks in fixed blocks and by availability (first half half as long again, the rest half as
    long); two thirds of each task on one shared storage channel; the whole task on it.
    """
    main = quote.workload.main_stage
    shape = shape_of(quote, organisation, shown)
    fleet = nominal_fleet(quote, organisation, shape, shown)
    plan = timing_of(quote, organisation, fleet)
    if main is None or isinstance(plan, Absent) or shape.slots < 2 or main.tasks.total < 2:
        return ()
    if not main.tasks.are_equal or main.tasks.duration[0] is None:
        return ()
    found: list[CounterExample] = []
    unequal = _with_stage(quote, main, main.replaced(tasks=_unequal(main.tasks)))
    long_each, short_each = main.tasks.duration[0] * _LONG, main.tasks.duration[0] * _SHORT
    half = main.tasks.total // 2
    gaps = (
        ("long_count", half),
        ("long_ms", StatedDuration(value=long_each, unit=main.tasks.unit).ms),
        ("short_count", main.tasks.total - half),
        ("short_ms", StatedDuration(value=short_each, unit=main.tasks.unit).ms),
    )
    for policy in (AssignmentPolicy.BLOCKS, AssignmentPolicy.AVAILABILITY):
        timing = timing_of(unequal, organisation, fleet, Variant(policy=policy))
        if not isinstance(timing, Absent):
            code = f"unequal_{policy.value}"
            found.append(CounterExample(code, organisation.id, timing.delivery_ms, plan.delivery_ms, gaps))
    each_ms = main.tasks.duration_ms[0] or 0
    for code, hold_ms in (("shared_channel", each_ms * 2 // 3), ("all_on_channel", each_ms)):
        channelled = _with_channel(quote, main, hold_ms)
        timing = timing_of(channelled, organisation, fleet, Variant(policy=AssignmentPolicy.AVAILABILITY))
        if not isinstance(timing, Absent):
            values = (("hold_ms", hold_ms), ("compute_ms", each_ms - hold_ms))
            found.append(CounterExample(code, organisation.id, timing.delivery_ms, plan.delivery_ms, values))
    return tuple(sorted(found, key=lambda case: -case.delivery_ms))


def _unequal(tasks: Tasks) -> Tasks:
    half = tasks.total // 2
    each = tasks.duration[0] or Decimal(0)
    return Tasks(
        count=(half, tasks.total - half),
        duration=(each * _LONG, each * _SHORT),
        unit=tasks.unit,
        count_evidence=tasks.count_evidence,
        evidence=tasks.evidence,
    )


def _with_stage(quote: Quote, before: Stage, after: Stage) -> Quote:
    stages = tuple(after if stage.id == before.id else stage for stage in quote.workload.stages)
    return quote.replaced(workload=quote.workload.replaced(stages=stages))


def _with_channel(quote: Quote, main: Stage, hold_ms: int) -> Quote:
    one = Stated(value=Decimal(1), evidence=GIVEN)
    channel = SharedResource(id=CHANNEL, name="", kind=ResourceKind.STORAGE, capacity=one)
    hold = StatedDuration(value=Decimal(hold_ms) / 1000, unit=TimeUnit.SECOND)
    need = ResourceNeed(resource_id=CHANNEL, amount=one, hold=hold)
    channelled = _with_stage(quote, main, main.replaced(needs=(*main.needs, need)))
    resources = (*channelled.workload.resources, channel)
    return channelled.replaced(workload=channelled.workload.replaced(resources=resources))
