"""Known answers for lots, terms and hourly cards against a deadline: cases solved by full enumeration."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from estimator.problems import Absent
from estimator.rental.cover import cost_time_frontier, least_cost_for_deadline, least_time_for_budget
from estimator.rental.hourly import Billing
from estimator.rental.terms import TermPrice
from estimator.rental.work import DeadlinePlan, WorkHourly, WorkLot
from estimator.units import MS_PER_SECOND

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "lot_cases.json").read_text(encoding="utf-8")
)["cases"]


def lots_of(case: dict[str, Any]) -> tuple[WorkLot, ...]:
    """Return the lots whose cards hold the work one by one and hold a task at all; amounts stay in cents."""
    work = case["workload"]
    return tuple(
        WorkLot(
            id=lot["id"],
            slots=lot["cards"] // work["cards"][lot["model"]],
            unit_ms=work["unit_s"][lot["model"]] * MS_PER_SECOND,
            terms=tuple(TermPrice(int(days), Decimal(price)) for days, price in lot["prices"].items()),
            stock=lot["stock"],
            setup_ms=work["setup_s"] * MS_PER_SECOND,
        )
        for lot in case["lots"]
        if lot["model"] in work["unit_s"]
        and lot["mem_gb"] >= work["mem_gb"]
        and lot["cards"] >= work["cards"][lot["model"]]
    )


def hourly_of(case: dict[str, Any]) -> WorkHourly | None:
    offer, work = case["hourly"], case["workload"]
    if offer is None or offer["model"] not in work["unit_s"] or offer["mem_gb"] < work["mem_gb"]:
        return None
    cards = work["cards"][offer["model"]]
    return WorkHourly(
        slots=offer["max_cards"] // cards,
        cards_per_slot=cards,
        unit_ms=work["unit_s"][offer["model"]] * MS_PER_SECOND,
        rate=Decimal(offer["cents_per_card_hour"]),
        billing=Billing(3600, 0),
        setup_ms=work["setup_s"] * MS_PER_SECOND,
    )


def assembly_ms(case: dict[str, Any]) -> int:
    return int(case["workload"]["assembly_s"]) * MS_PER_SECOND


def total_s(case: dict[str, Any], plan: DeadlinePlan) -> float:
    return (plan.finish_ms + assembly_ms(case)) / MS_PER_SECOND


def cases_of(*kinds: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] in kinds]


@pytest.mark.parametrize("case", cases_of("min_cost_deadline", "frontier"))
def test_the_least_cost_for_a_deadline_is_that_of_the_enumeration(case: dict[str, Any]) -> None:
    deadline = case["deadline_s"] * MS_PER_SECOND - assembly_ms(case)
    plan = least_cost_for_deadline(case["workload"]["n"], deadline, lots_of(case), hourly_of(case))
    if not case["answer"]["feasible"]:
        assert plan == Absent("deadline_not_met")
        return
    assert isinstance(plan, DeadlinePlan)
    assert plan.cost == case["answer"]["cost_cents"]
    assert plan.finish_ms <= deadline


@pytest.mark.parametrize("case", cases_of("frontier"))
def test_the_frontier_of_cost_and_time_is_that_of_the_enumeration(case: dict[str, Any]) -> None:
    deadline = case["deadline_s"] * MS_PER_SECOND - assembly_ms(case)
    plans = cost_time_frontier(case["workload"]["n"], deadline, lots_of(case))
    if not case["answer"]["feasible"]:
        assert plans == Absent("deadline_not_met")
        return
    assert not isinstance(plans, Absent)
    expected = [(point["cost_cents"], point["total_s"]) for point in case["answer"]["frontier"]]
    assert [(plan.cost, total_s(case, plan)) for plan in plans] == expected


@pytest.mark.parametrize("case", cases_of("min_time_budget"))
def test_the_least_time_for_a_budget_is_that_of_the_enumeration(case: dict[str, Any]) -> None:
    deadline = case["deadline_s"] * MS_PER_SECOND - assembly_ms(case)
    budget = Decimal(case["budget_cents"])
    plan = least_time_for_budget(case["workload"]["n"], deadline, budget, lots_of(case))
    if not case["answer"]["feasible"]:
        assert isinstance(plan, Absent)
        return
    assert isinstance(plan, DeadlinePlan)
    assert total_s(case, plan) == case["answer"]["total_s"]
    assert plan.cost == case["answer"]["cheapest_at_that_time_cents"]
