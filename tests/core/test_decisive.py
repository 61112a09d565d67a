"""Decisive numbers: found by deciding again, worth what keeping the plan would cost; and the conditions they make."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import pytest

from estimator import edits
from estimator.estimate import assessed, headline
from estimator.evidence import GIVEN, Distribution, Evidence, EvidenceKind, Stated
from estimator.problems import Absent
from estimator.quote import AssignmentPolicy, ConditionRecord, Partition, Quote, Tasks
from estimator.results.estimate import Estimate
from estimator.results.risk import Assumption, WhyDecisive
from estimator.risk.decisive import Number, Outcome, Weight, weighed
from estimator.risk.distributions import quantile_table
from estimator.units import MS_PER_HOUR, TimeUnit
from tests.quotes import (
    HIVENET,
    LOT_4090,
    MEASURED,
    TODAY,
    assumed,
    conversion,
    cooperative_quote,
    given,
    minutes,
    organisation,
    source_quote,
    whole_memory,
)


def uniform(low: object, high: object) -> Evidence:
    ends = {"low": Decimal(str(low)), "high": Decimal(str(high))}
    return Evidence(kind=EvidenceKind.ESTIMATED, distribution=Distribution.UNIFORM, **ends)


def lot_quote(value: object, evidence: Evidence, **workload: object) -> Quote:
    """One task of that many hours on one card, on lots of 27.36 / 60.48 / 230.40 for 3 / 7 / 30 days; 21 % tax."""
    tasks = Tasks(count=(1,), duration=(Decimal(str(value)),), unit=TimeUnit.HOUR, evidence=evidence)
    stage = conversion().replaced(tasks=tasks, memory=whole_memory(18, MEASURED).replaced(**FIRM_MEMORY))
    quote = source_quote(stage, organisations=(organisation("A", 1),), **{"limit": None, **workload})
    return edits.with_workload(quote, stages=(stage,), resources=()).replaced(offers=(LOT_4090,))


FIRM_MEMORY = {"context_gib": given("0.5"), "margin_percent": given(5)}


def found_in(quote: Quote) -> tuple[Estimate, dict[str, Assumption]]:
    result = assessed(headline(quote, TODAY))
    return result, {one.id: one for one in result.assumptions}


def test_a_range_that_crosses_a_term_is_decisive_and_the_crossing_is_found() -> None:
    # 3 days up to 72 h, 3 + 3 beyond. Uniform from 48 to 96 h: half of it lies beyond.
    result, found = found_in(lot_quote(60, uniform(48, 96)))
    one = found["duration:conversion"]
    assert (one.why, one.chance) == (WhyDecisive.END, pytest.approx(0.5, abs=0.001))
    (turn,) = one.turns
    assert turn.inside <= 72 < turn.outside
    assert turn.outside - turn.inside < Decimal("0.05")
    assert next(each.id for each in result.conditions if each.decisive) == "duration:conversion"
    # Holding on by 3 days more costs the same as 3 + 3 from the start: nothing is saved by knowing.
    assert one.worth == 0


def test_a_range_that_crosses_no_term_is_not_decisive() -> None:
    result, found = found_in(lot_quote(60, uniform(48, 70)))
    one = found["duration:conversion"]
    assert (one.why, one.chance, one.turns, one.worth) == (WhyDecisive.NOT_DECISIVE, 0, (), 0)
    assert not {each.id: each for each in result.conditions}["duration:conversion"].decisive


def test_verifying_is_worth_the_regret_of_keeping_the_plan() -> None:
    # Uniform from 48 to 168 h. Beyond 144 h (a fifth of it) 7 days from the start cost 60.48, gross 73.18; the plan
    # kept costs 3 days and then the cheapest 4: 27.36 + 54.72 = 82.08, gross 99.32. 26.14 × 0.2 = 5.23.
    one = found_in(lot_quote(60, uniform(48, 168)))[1]["duration:conversion"]
    assert isinstance(one.worth, Decimal)
    assert float(one.worth) == pytest.approx(5.23, abs=0.03)
    assert one.low is not None
    assert one.high is not None
    assert (one.low.delivery_ms, one.high.delivery_ms) == (48 * MS_PER_HOUR, 168 * MS_PER_HOUR)
    assert (one.low.gross, one.high.gross) == (Decimal("33.11"), Decimal("99.32"))
    assert (one.low.changes_decision, one.high.changes_decision) == (False, True)


def test_a_plan_that_misses_the_limit_is_paid_and_lost() -> None:
    # Limit 70 h, uniform from 60 to 80: in half of it the 33.11 are lost.
    one = found_in(lot_quote(65, uniform(60, 80), limit=minutes(70 * 60)))[1]["duration:conversion"]
    assert isinstance(one.worth, Decimal)
    assert float(one.worth) == pytest.approx(16.555, abs=0.05)
    turn, beyond_a_term = one.turns
    assert turn.inside <= 70 < turn.outside
    assert beyond_a_term.inside <= 72 < beyond_a_term.outside


def test_numbers_are_ranked_by_what_verifying_them_is_worth() -> None:
    fee = edits.new_quote(unit="u", count=1, stage_name="s").pricing.fees[0]
    price = Stated(value=Decimal(1), evidence=uniform(1, 2))
    quote = edits.with_pricing(lot_quote(60, uniform(48, 168)), fees=(fee.replaced(price=price),))
    result, found = found_in(quote)
    assert result.assumptions[0].id == "duration:conversion"
    assert found[f"fee:{fee.id}"].why is WhyDecisive.NOT_DECISIVE


def test_a_fee_that_can_exceed_the_budget_becomes_a_decisive_condition() -> None:
    # 33.11 for the lot, 12.10 for the fee; a budget of 50 is exceeded from a fee of 13.96 net.
    fee = edits.new_quote(unit="u", count=1, stage_name="s").pricing.fees[0]
    price = Stated(value=Decimal(10), evidence=uniform(10, 20))
    quote = edits.with_pricing(lot_quote(60, GIVEN, budget=given(50)), fees=(fee.replaced(price=price),))
    result, found = found_in(quote)
    (turn,) = found[f"fee:{fee.id}"].turns
    assert float(turn.outside) == pytest.approx(13.96, abs=0.02)
    condition = next(each for each in result.conditions if each.id == f"fee:{fee.id}")
    assert (condition.code, condition.decisive) == ("number", True)
    met = edits.with_condition(quote, ConditionRecord(id=condition.id, decisive=False))
    again = next(each for each in found_in(met)[0].conditions if each.id == condition.id)
    assert not again.decisive  # the planner unticked it


def test_a_verified_number_without_range_is_no_assumption() -> None:
    assert "duration:conversion" not in found_in(lot_quote(60, MEASURED))[1]


def test_a_number_assumed_to_be_nothing_is_decisive_until_it_has_a_range() -> None:
    fee = edits.new_quote(unit="u", count=1, stage_name="s").pricing.fees[0]
    quote = edits.with_pricing(lot_quote(60, GIVEN), fees=(fee.replaced(price=assumed(0)),))
    one = found_in(quote)[1][f"fee:{fee.id}"]
    assert (one.why, one.worth) == (WhyDecisive.NO_RANGE, None)
    none = Evidence(low=Decimal(0), high=Decimal(0))
    certain = edits.with_fee(quote, fee.id, price=Stated(value=Decimal(0), evidence=none))
    assert f"fee:{fee.id}" not in found_in(certain)[1]  # a range of no width was stated


def test_unknown_inputs_and_doubted_prices_are_always_decisive() -> None:
    quote = source_quote().replaced(offers=(HIVENET,))
    assert found_in(quote)[1]["price:hivenet"].why is WhyDecisive.PRICE
    unknown = edits.with_memory(quote, "conversion", phases=())
    found = found_in(unknown)[1]
    assert found["memory:conversion"].why is WhyDecisive.UNKNOWN


def test_memory_that_may_exceed_the_card_is_decisive() -> None:
    # 18 GiB assumed, up to 36: with margin and context beyond the 24 GiB of the card.
    quote = source_quote().replaced(offers=(HIVENET,))
    one = found_in(quote)[1]["memory:conversion"]
    assert one.why is WhyDecisive.END
    (turn,) = one.turns
    assert float(turn.inside) <= 25_757_220_864 / 2**30 < float(turn.outside)


def test_a_partition_whose_failure_takes_the_plan_away_is_decisive() -> None:
    found = found_in(cooperative_quote(Partition.PARTITIONED))[1]
    assert found["partition:training"].why is WhyDecisive.FAILURE


def test_handing_out_equal_tasks_may_as_well_fail() -> None:
    policy = AssignmentPolicy.AVAILABILITY
    quote = source_quote(organisations=(organisation("A", 1), organisation("B", 2, policy)))
    assert found_in(quote)[1]["assignment:B"].why is WhyDecisive.NOT_DECISIVE


def test_a_count_of_tasks_is_varied_in_whole_tasks() -> None:
    quote = source_quote().replaced(offers=(HIVENET,))
    counted = edits.with_tasks(quote, "conversion", count_evidence=uniform(8, "12.5"))
    one = found_in(counted)[1]["count:conversion"]
    assert (one.value, one.high and one.high.value) == (8, 12)
    assert all(turn.inside == int(turn.inside) for turn in one.turns)


# The search by itself, on decisions written here.


def number(id_: str, low: int, value: int, high: int) -> Number:
    ends = (Decimal(low), Decimal(value), Decimal(high))
    return Number(id_, *ends, quantile_table(Distribution.UNIFORM, low, value, high))


def outcome(decision: object, cost: int = 10) -> Outcome:
    return Outcome(decision, Decimal(cost), Decimal(cost), cost, works=True)


def test_a_decision_that_differs_only_inside_the_range_is_found() -> None:
    def evaluate(values: Mapping[str, Decimal]) -> Outcome:
        return outcome(25 < values.get("a", Decimal(10)) < 35)

    (weight,) = weighed([number("a", 0, 10, 60)], evaluate)
    assert weight.low.decision == weight.high.decision
    assert weight.changes
    assert [round(float(flip.inside)) for flip in weight.flips] == [25, 35]
    assert weight.chance == pytest.approx(10 / 60, abs=0.002)


def test_numbers_that_change_the_decision_only_together_are_decisive() -> None:
    def evaluate(values: Mapping[str, Decimal]) -> Outcome:
        total = sum((values.get(each, Decimal(5)) for each in ("a", "b")), Decimal(0))
        return outcome(total > 17, int(total) + int(values.get("c", Decimal(1))))

    weights = weighed([number("a", 4, 5, 10), number("b", 4, 5, 10), number("c", 0, 1, 2)], evaluate)
    assert [one.changes for one in weights] == [False, False, False]
    assert [one.changes_in_corner for one in weights] == [True, True, False]


def test_a_cost_that_is_not_known_leaves_the_worth_open() -> None:
    def evaluate(values: Mapping[str, Decimal]) -> Outcome:
        return Outcome("d", None, None, None, works=True)

    weight: Weight = weighed([number("a", 0, 1, 2)], evaluate)[0]
    assert weight.worth is None


def test_an_estimate_without_a_plan_is_assessed_and_says_nothing() -> None:
    result, found = found_in(source_quote().replaced(offers=()))
    assert result.is_assessed
    assert (found, result.risks) == ({}, ())


def test_the_ends_of_a_bar_say_why_they_are_not_known() -> None:
    undated = HIVENET.replaced(price_per_card_hour=None)
    result, found = found_in(source_quote().replaced(offers=(undated,)))
    assert result.shown_plan is None or isinstance(result.shown_plan.price.gross, Absent)
    assert all(isinstance(one.worth, Absent) for one in found.values() if one.low is not None)
