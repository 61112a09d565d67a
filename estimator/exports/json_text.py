"""An estimate as JSON for programs: stable keys, money as strings, absent values with their reason's code.

Groups of equal tasks, not bars. `fits` is yes, no, if or unknown; `gap` is a fraction of the lower bound.
"""

from __future__ import annotations

import json
from typing import Any

from estimator.exports.plain import plain
from estimator.exports.rental_json import rental_json
from estimator.problems import Absent, Problem
from estimator.quote import Quote
from estimator.results.estimate import Condition, Estimate, OrganisationResult, Plan, Timing
from estimator.results.price import Price
from estimator.results.risk import Amounts, Assumption, PlanRisk, RangeEnd

FORMAT = 1


def json_text(estimate: Estimate) -> str:
    """Return the whole estimate as indented JSON with a trailing newline."""
    return json.dumps(as_json(estimate), ensure_ascii=False, indent=2) + "\n"


def as_json(estimate: Estimate) -> dict[str, Any]:
    """Return the estimate as plain JSON values."""
    quote = estimate.quote
    return {
        "format": FORMAT,
        "name": quote.name,
        "number": quote.number,
        "status": estimate.status.value,
        "recommended_plan": estimate.recommended_plan_id or None,
        "shown_plan": estimate.shown_plan_id or None,
        "shown_organisation": estimate.shown_organisation_id or None,
        "organisations": [_organisation(estimate, one) for one in estimate.organisations],
        "staircase": [
            {
                "cards": step.cards,
                "duration_ms": step.delivery_ms,
                "useless": step.useless,
                "net": None if step.net is None else str(step.net),
            }
            for step in estimate.staircase
        ],
        "break_even": [
            {
                "organisation": one.organisation_id,
                "reference": one.reference_id,
                "slow_down": None if one.slow_down is None else str(one.slow_down),
                "serial_ms": one.serial_ms,
            }
            for one in estimate.break_evens
        ],
        "counter_examples": [
            {
                "code": one.code,
                "duration_ms": one.delivery_ms,
                "ideal_ms": one.ideal_ms,
                "values": {name: plain(value) for name, value in one.values},
            }
            for one in estimate.counter_examples
        ],
        "throughput": _throughput(estimate),
        "rental": None if estimate.rental is None else rental_json(estimate.rental),
        "projects": [
            {
                "id": one.project_id,
                "name": one.name,
                "priority": one.priority,
                "duration_ms": one.delivery_ms,
                "alone_ms": one.alone_ms,
                "due_ms": one.due_ms,
                "late_ms": one.late_ms,
            }
            for one in estimate.projects
        ],
        "risk": [_risk(one) for one in estimate.risks],
        "assumptions": [_assumption(one) for one in estimate.assumptions],
        "open_conditions": [_condition(one) for one in estimate.open_conditions],
        "problems": [problem_json(one) for one in estimate.problems],
    }


def problem_json(problem: Problem) -> dict[str, Any]:
    """Return a problem: code, place, severity, values."""
    return {
        "code": problem.code,
        "where": list(problem.where),
        "severity": problem.severity.value,
        "values": {name: plain(value) for name, value in problem.values},
    }


def _organisation(estimate: Estimate, result: OrganisationResult) -> dict[str, Any]:
    plan = _plan_of(estimate, result)
    timing = result.timing if plan is None else plan.timing
    cards = result.cards_required
    conditions = estimate.open_conditions if result is estimate.shown else ()
    return {
        "id": result.organisation_id,
        "cards_required": plain(cards),
        "cards_per_task": result.cards_per_task,
        "tasks_at_once": result.tasks_at_once,
        "own_limit_ms": _own_limit(estimate.quote, result),
        "slicing": _slicing(estimate.quote, result),
        "plan": None if plan is None else plan.id,
        "lots": [] if plan is None else _lots(plan),
        "memory": _memory(result, plan),
        **_timing(timing),
        "cost": plain(Absent("no_price")) if plan is None else _cost(plan.price),
        "status": estimate.status.value if result is estimate.shown else None,
        "open_conditions": [one.id for one in conditions],
        "plans": [_plan(one) for one in result.plans],
        "excluded": [{"offer": offer, "reason": reason.code} for offer, reason in result.excluded],
        "policies": [
            {
                "policy": one.policy.value,
                "duration_ms": one.delivery_ms,
                "lower_bound_ms": one.lower_bound_ms,
                "idle_between_ms": one.idle_between_ms,
                "longest_tail_ms": one.longest_tail_ms,
                "idle_card_ms": one.idle_card_ms,
                "idle_cost": plain(one.idle_cost),
            }
            for one in result.policies
        ],
    }


def _own_limit(quote: Quote, result: OrganisationResult) -> int | None:
    organisation = quote.organisation(result.organisation_id)
    return None if organisation is None or organisation.limit is None else organisation.limit.ms


def _slicing(quote: Quote, result: OrganisationResult) -> dict[str, Any] | None:
    organisation = quote.organisation(result.organisation_id)
    slicing = None if organisation is None else organisation.slicing
    if slicing is None:
        return None
    slices = [(card.id, slicing.of(card)) for card in quote.cards]
    return {
        "per_card": slicing.per_card,
        "profile": None if slicing.profile is None else slicing.profile.name,
        "isolated": slicing.is_isolated,
        "duration_factor": plain(slicing.duration_factor.value),
        "duration_factor_evidence": slicing.duration_factor.kind.value,
        "usable_bytes": {id_: one.usable_bytes for id_, one in slices if one is not None},
    }


def _plan_of(estimate: Estimate, result: OrganisationResult) -> Plan | None:
    if result is estimate.shown and estimate.shown_plan is not None:
        return estimate.shown_plan
    return result.plan(result.best_plan_id)


def _timing(timing: Timing | Absent) -> dict[str, Any]:
    if isinstance(timing, Absent):
        absent = plain(timing)
        return {"duration_ms": absent, "lower_bound_ms": absent, "gap": absent, "stages": []}
    return {
        "duration_ms": timing.delivery_ms,
        "lower_bound_ms": timing.lower_bound_ms,
        "gap": float(timing.schedule.gap),
        "stages": [
            {"id": one.stage_id, "start_ms": one.start_ms, "end_ms": one.end_ms} for one in timing.stages
        ],
    }


def _lots(plan: Plan) -> list[dict[str, Any]]:
    return [
        {
            "id": one.offer_id,
            "count": one.count,
            "cards": one.cards,
            "terms": list(one.terms),
            "paid_card_ms": one.paid_card_ms,
            "sample": one.is_sample,
        }
        for one in plan.holdings
    ]


def _memory(result: OrganisationResult, plan: Plan | None) -> list[dict[str, Any]]:
    verdict = None if plan is None else plan.verdict
    rows: list[dict[str, Any]] = []
    for stage in result.memory:
        if stage.missing:
            rows.append({"stage": stage.stage_id, "missing": list(stage.missing), "fits": "unknown"})
        if stage.host_lines:
            lines = {line.name: line.size_bytes for line in stage.host_lines}
            rows.append({"stage": stage.stage_id, "node_bytes": stage.host_bytes, "node_lines": lines})
        for phase in stage.phases:
            usable = None if verdict is None else verdict.usable_bytes
            fits = "unknown"
            if usable is not None:
                fits = "yes" if phase.high_bytes <= usable else "if" if phase.peak_bytes <= usable else "no"
            rows.append(
                {
                    "stage": phase.stage_id,
                    "phase": phase.phase,
                    "card": None if verdict is None else verdict.card_id,
                    "peak_bytes": phase.peak_bytes,
                    "usable_bytes": usable,
                    "fits": fits,
                    "lines": {line.name: line.size_bytes for line in phase.lines},
                }
            )
    return rows


def _cost(price: Price) -> dict[str, Any]:
    return {
        "currency": price.currency,
        "net": plain(price.net),
        "tax": plain(price.tax),
        "gross": plain(price.gross),
        "lines": [
            {
                "id": line.id,
                "kind": line.kind,
                "amount": plain(line.amount),
                "included": line.amount is not None,
                "tax_percent": plain(line.tax_percent),
            }
            for line in price.lines
        ],
    }


def _plan(plan: Plan) -> dict[str, Any]:
    return {
        "id": plan.id,
        "cards": plan.decision.cards,
        "card": plan.decision.card_ids[0],
        "models": list(plan.decision.card_ids),
        "lots": _lots(plan),
        "duration_ms": plan.timing.delivery_ms,
        "net": plain(plan.price.net),
        "gross": plain(plan.price.gross),
        "fits": plan.verdict.fits.value,
        "meets_limit": plan.meets_limit,
        "within_budget": plan.within_budget,
        "within_quota": plan.within_quota,
        "unused_card_ms": plan.unused_card_ms,
        "proven": plan.proven,
        "rent": plain(plan.rent),
        "rent_bound": plain(plan.rent_bound),
        "rent_gap": None if plan.rent_gap is None else float(plan.rent_gap),
        "sample": plan.is_sample,
    }


def _risk(risk: PlanRisk) -> dict[str, Any]:
    spread = risk.spread
    if isinstance(spread, Absent):
        return {"plan": risk.plan_id, "spread": plain(spread)}
    return {
        "plan": risk.plan_id,
        "form": spread.form.value,
        "replications": spread.replications,
        "duration_ms": {"p10": spread.delivery.p10, "p50": spread.delivery.p50, "p90": spread.delivery.p90},
        "net": _amounts(spread.net),
        "gross": _amounts(spread.gross),
        "beyond_terms": spread.beyond_terms,
        "beyond_limit": spread.beyond_limit,
        "beyond_budget": spread.beyond_budget,
        "varied": list(spread.varied),
        "kept": list(spread.kept),
    }


def _amounts(amounts: Amounts | Absent) -> dict[str, Any]:
    if isinstance(amounts, Absent):
        return {"absent": amounts.code}
    return {"p10": str(amounts.p10), "p50": str(amounts.p50), "p90": str(amounts.p90)}


def _assumption(one: Assumption) -> dict[str, Any]:
    return {
        "id": one.id,
        "where": list(one.where),
        "evidence": one.kind.value,
        "decisive": one.is_decisive,
        "why": one.why.value,
        "unit": one.unit,
        "value": plain(one.value),
        "low": None if one.low is None else _range_end(one.low),
        "high": None if one.high is None else _range_end(one.high),
        "turns": [{"inside": str(turn.inside), "outside": str(turn.outside)} for turn in one.turns],
        "chance": one.chance,
        "worth": plain(one.worth),
    }


def _range_end(end: RangeEnd) -> dict[str, Any]:
    return {
        "value": str(end.value),
        "duration_ms": plain(end.delivery_ms),
        "gross": plain(end.gross),
        "changes_decision": end.changes_decision,
    }


def _throughput(estimate: Estimate) -> dict[str, Any] | None:
    found = estimate.throughput
    if found is None:
        return None
    return {
        "per_hour": plain(found.per_hour),
        "per_term": {str(days): count for days, count in found.per_term},
    }


def _condition(one: Condition) -> dict[str, Any]:
    return {
        "id": one.id,
        "code": one.code,
        "decisive": one.decisive,
        "where": list(one.where),
        "evidence": one.kind.value,
    }
