"""Conditions once it is known which numbers could change the decision: exactly these become decisive.

What the planner ticked or unticked stays, and so does what is always decisive. A number that turns out decisive
and has no condition yet gets one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from estimator.conditions.derived import ALWAYS_DECISIVE
from estimator.evidence import VERIFIED
from estimator.quote import ConditionRecord, ConditionState, Quote
from estimator.results.estimate import Condition
from estimator.results.risk import Assumption


def weighed_conditions(
    quote: Quote, conditions: Sequence[Condition], assumptions: Sequence[Assumption]
) -> tuple[Condition, ...]:
    """Return the conditions with what is computed of them, decisive ones first.

    A condition that no assumption speaks of (a mechanism, a topology) stays as it was proposed.
    """
    recorded = {record.id: record for record in quote.conditions}
    weighed = {one.id: one for one in assumptions}
    found: list[Condition] = []
    for condition in conditions:
        assumption = weighed.pop(condition.id, None)
        if assumption is not None and condition.code not in ALWAYS_DECISIVE:
            condition = replace(condition, decisive=_is_decisive(assumption, recorded.get(condition.id)))
        found.append(condition)
    for assumption in weighed.values():
        if assumption.is_decisive and assumption.kind not in VERIFIED and assumption.value is not None:
            found.append(_condition(assumption, recorded.get(assumption.id)))
    return tuple(sorted(found, key=lambda one: not one.decisive))


def _is_decisive(assumption: Assumption, record: ConditionRecord | None) -> bool:
    if record is None or record.decisive is None:
        return assumption.is_decisive
    return record.decisive


def _condition(assumption: Assumption, record: ConditionRecord | None) -> Condition:
    value = assumption.value
    low = value if assumption.low is None else assumption.low.value
    high = value if assumption.high is None else assumption.high.value
    return Condition(
        id=assumption.id,
        code="number",
        where=assumption.where,
        state=ConditionState.OPEN if record is None else record.state,
        decisive=_is_decisive(assumption, record),
        kind=assumption.kind,
        values=(("value", value), ("span", (low, high)), ("unit", assumption.unit)),
    )
