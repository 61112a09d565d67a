"""Problems are values with a place: what a person can put right in a quote."""

from __future__ import annotations

import csv
import time
from decimal import Decimal
from pathlib import Path

import pytest

from estimator import edits
from estimator.checks import problems_of
from estimator.checks.quote_checks import cycle_of
from estimator.problems import Problem, Severity
from estimator.quote import Pricing, Quote, Stage, StageKind, Tasks, Workload
from estimator.storage import quote_from_text, quote_to_text
from tests.quotes import HIVENET, TODAY, compared, conversion, given, minutes, source_quote

DATA = Path(__file__).parents[1] / "data"


def codes(quote: Quote) -> dict[str, Problem]:
    return {problem.code: problem for problem in problems_of(quote, TODAY)}


def test_a_complete_quote_has_only_the_warning_about_the_undated_price() -> None:
    assert [problem.code for problem in problems_of(source_quote(), TODAY)] == ["price_undated"]


def test_an_empty_quote_says_what_is_missing() -> None:
    assert set(codes(Quote())) == {"no_work", "no_organisation", "no_offer"}


def test_a_missing_duration_and_memory_name_their_place() -> None:
    stage = conversion()
    blank = stage.replaced(
        tasks=stage.tasks.replaced(duration=(None,)), memory=stage.memory.replaced(phases=())
    )
    found = codes(source_quote(blank))
    assert found["missing_duration"].where == ("workload", "stages", "conversion", "duration")
    assert found["missing_memory"].where == ("workload", "stages", "conversion", "memory")
    assert found["missing_duration"].severity is Severity.MISSING


def test_errors_come_before_missing_data_and_warnings() -> None:
    stage = conversion((0,))
    quote = source_quote(stage, limit=minutes(-5), quota_cards=given(0))
    severities = [problem.severity for problem in problems_of(quote, TODAY)]
    order = list(Severity)
    assert severities == sorted(severities, key=order.index)
    assert {"duration_not_positive", "limit_not_positive", "quota_cards_not_positive"} <= set(codes(quote))


@pytest.mark.parametrize("length", [0, -5])
def test_a_limit_of_an_organisation_s_own_that_no_plan_can_meet_is_an_error(length: int) -> None:
    quote = source_quote()
    quote = edits.with_organisation(quote, "B", limit=minutes(length))
    assert codes(quote)["limit_not_positive"].where == ("organisations", "B")
    assert "limit_not_positive" not in codes(source_quote())
    plans = compared(quote, TODAY).plans
    assert plans
    assert not [plan for plan in plans if plan.organisation_id == "B" and plan.meets_limit]


def test_references_to_nothing_are_errors() -> None:
    quote = source_quote()
    stage = quote.workload.stages[0].replaced(after=("nowhere",))
    stages = (stage, *quote.workload.stages[1:])
    broken = quote.replaced(
        workload=quote.workload.replaced(stages=stages, resources=()),
        cards=(),
        organisations=(quote.organisations[0].replaced(offer_ids=("gone",)),),
    )
    assert {"stage_unknown", "resource_unknown", "card_unknown", "offer_unknown"} <= set(codes(broken))


def test_ids_that_stand_twice_are_errors() -> None:
    quote = source_quote()
    assert "id_twice" in codes(quote.replaced(offers=(HIVENET, HIVENET)))


def test_a_percentage_out_of_range_is_an_error() -> None:
    quote = source_quote().replaced(pricing=Pricing(tax_percent=given(121)))
    assert codes(quote)["percent_out_of_range"].where == ("pricing", "tax_percent")


def test_a_loop_in_a_task_file_loads_and_names_the_tasks_of_the_loop() -> None:
    # O-SCH-02: 2 -> 3 -> 4 -> 2; "download weights" and "report" can be scheduled
    started = time.monotonic()
    with (DATA / "cycle_named.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    stages = tuple(
        Stage(
            id=row["id"],
            name=row["name"],
            kind=StageKind.STATION,
            after=tuple(filter(None, row["predecessors"].split(","))),
            tasks=Tasks(duration=(Decimal(row["duration_h"]) * 60,)),
        )
        for row in rows
    )
    quote = Quote(workload=Workload(stages=stages))
    assert quote_from_text(quote_to_text(quote)) == quote
    assert cycle_of(stages) == ("tokenise", "train", "evaluate")
    assert dict(codes(quote)["cycle"].values)["stages"] == "tokenise, train, evaluate"
    assert time.monotonic() - started < 2


def test_a_stage_between_two_loops_is_the_only_one_named_besides_them() -> None:
    def stage(name: str, *after: str) -> Stage:
        return Stage(id=name, name=name, after=after)

    chain = (stage("a", "b"), stage("b", "a"), stage("c", "b"), stage("d"))
    assert cycle_of(chain) == ("a", "b")
