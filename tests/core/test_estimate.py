"""Organisations, plans and recommendation: what the front door of the core promises."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from importlib.resources import files

import pytest
from hypothesis import given as having
from hypothesis import strategies as st

from estimator.catalogue import TermPrice
from estimator.estimate import EstimateCancelled, estimate, headline
from estimator.evidence import GIVEN, EvidenceKind, StatedDuration
from estimator.problems import Absent, Severity
from estimator.quote import (
    AssignmentPolicy,
    CardFactor,
    Organisation,
    Stage,
    StageKind,
    StageLayout,
    Tasks,
    Workload,
)
from estimator.results.estimate import QuoteStatus, Timing
from estimator.storage import quote_from_text
from estimator.units import MS_PER_DAY, MS_PER_HOUR, TimeUnit
from tests.quotes import (
    HIVENET,
    LOT_4090,
    LOT_B200,
    MINUTE,
    TODAY,
    compared,
    conversion,
    cooperative_quote,
    given,
    minutes,
    organisation,
    source_quote,
    whole_memory,
)

SAMPLES = (
    "afinado-cooperativo",
    "consultation-notes",
    "credit-risk",
    "dinamica-molecular",
    "fachada-norte",
    "indice-de-las-obras",
)


def test_the_same_quote_gives_the_same_estimate() -> None:
    first, second = compared(source_quote()), compared(source_quote())
    assert first.recommended_plan_id == second.recommended_plan_id
    assert [plan.price for plan in first.plans] == [plan.price for plan in second.plans]
    assert first.conditions == second.conditions


def test_without_a_limit_the_reference_stays_until_the_planner_chooses() -> None:
    quote = source_quote(limit=None)
    assert compared(quote).shown_organisation_id == "A"
    chosen = quote.replaced(chosen_plan="B/lots:b200-sxm")
    result = compared(chosen)
    assert result.shown_plan_id == "B/lots:b200-sxm"


def test_before_any_price_the_fewest_cards_that_meet_the_limit_are_shown() -> None:
    quote = source_quote(organisations=(organisation("A", 1), organisation("C", 4), organisation("B", 2)))
    quote = quote.replaced(offers=(), workload=quote.workload.replaced(quota_cards=None), reference_id="A")
    result = compared(quote)
    assert result.shown_organisation_id == "B"
    assert result.shown is not None
    assert result.shown.cards_required == 2
    assert result.status is QuoteStatus.DRAFT


def test_a_quote_with_no_price_has_no_total() -> None:
    quote = source_quote()
    quote = quote.replaced(offers=(HIVENET.replaced(price_per_card_hour=None),))
    plan = compared(quote).plan("B/hourly:hivenet")
    assert plan is not None
    assert plan.price.gross == Absent(
        "missing_price", ("offers", "hivenet", "price"), (("offer", "RTX 4090"),)
    )


def test_blank_tasks_at_once_are_the_fewest_that_meet_the_limit() -> None:
    # ceil(8 / n) x 12 + 10 <= 50 first at n = 3: 46
    quote = source_quote(organisations=(organisation("A", None),), limit=minutes(50), quota_cards=given(8))
    result = compared(quote).organisation("A")
    assert result is not None
    assert result.tasks_at_once == 3


def test_blank_tasks_at_once_never_pass_the_quota() -> None:
    quote = source_quote(organisations=(organisation("A", None),), limit=minutes(50), quota_cards=given(2))
    result = compared(quote)
    found = result.organisation("A")
    assert found is not None
    assert found.tasks_at_once == 2
    assert "limit_not_met" in {problem.code for problem in result.problems}


def test_a_cooperative_task_without_a_mechanism_has_no_figures_only_its_reason() -> None:
    from estimator.quote import Partition

    quote = cooperative_quote(Partition.PARTITIONED)
    silent = quote.replaced(organisations=(quote.organisations[0].replaced(mechanism=""),))
    result = compared(silent).organisation("A")
    assert result is not None
    assert isinstance(result.timing, Absent)
    assert result.timing.code == "no_mechanism"
    assert result.plans == ()


def test_a_missing_duration_makes_delivery_absent_with_its_place() -> None:
    stage = conversion()
    blank = stage.replaced(tasks=stage.tasks.replaced(duration=(None,)))
    result = compared(source_quote(blank))
    assert result.status is QuoteStatus.DRAFT
    assert result.shown is not None
    assert isinstance(result.shown.timing, Absent)
    assert result.shown.timing.where == ("workload", "stages", "conversion", "duration")


def test_a_missing_capacity_makes_delivery_absent() -> None:
    from estimator.quote import ResourceKind, SharedResource

    storage = SharedResource(id="storage", name="Storage", kind=ResourceKind.STORAGE)
    result = compared(source_quote(resources=(storage,)))
    assert result.shown is not None
    assert isinstance(result.shown.timing, Absent)
    assert result.shown.timing.code == "missing_capacity"


def test_an_interruptible_offer_is_off_where_a_limit_stands() -> None:
    spot = HIVENET.replaced(id="spot", interruptible=True)
    quote = source_quote().replaced(offers=(spot,))
    result = compared(quote).organisation("B")
    assert result is not None
    assert [reason.code for _, reason in result.excluded] == ["interruptible_with_limit"]
    free = quote.replaced(workload=quote.workload.replaced(limit=None))
    assert len(compared(free).plans) == 2


def test_hourly_cards_are_released_between_stages_and_a_restart_pays_the_minimum_again() -> None:
    # 2 cards x 30 min, then a station for 60 min, then 2 cards x 30 min; minimum 1 h a start:
    # 4 starts x 1 h x 0.40 = 1.60
    first = Stage(id="a", name="a", tasks=Tasks(count=(2,), duration=(Decimal(30),)), memory=whole_memory(1))
    middle = Stage(
        id="b", name="b", kind=StageKind.STATION, after=("a",), tasks=Tasks(duration=(Decimal(60),))
    )
    last = Stage(
        id="c",
        name="c",
        after=("b",),
        tasks=Tasks(count=(2,), duration=(Decimal(30),)),
        memory=whole_memory(1),
    )
    layouts = tuple(StageLayout(stage_id=name, tasks_at_once=2) for name in ("a", "c"))
    quote = source_quote().replaced(
        workload=Workload(stages=(first, middle, last)),
        organisations=(Organisation(id="A", layouts=layouts),),
        offers=(HIVENET.replaced(minimum_s=3600),),
    )
    plan = compared(quote).plan("A/hourly:hivenet")
    assert plan is not None
    assert plan.timing.delivery_ms == 120 * MINUTE
    assert plan.price.net == Decimal("1.60")


def test_setup_is_inside_the_term_and_delays_the_work() -> None:
    # 71 h of work fit a 3-day term; with 2 h of set-up they end at 73 h and the lot is held for 7 days
    setup = StatedDuration(value=Decimal(2), unit=TimeUnit.HOUR, evidence=GIVEN)
    stage = conversion((71 * 60,))
    lots = source_quote(stage, organisations=(organisation("A", 1),), limit=None).replaced(offers=(LOT_4090,))
    plan = compared(lots).plan("A/lots:rtx-4090")
    assert plan is not None
    assert plan.holdings[0].terms == (3,)
    late = lots.replaced(offers=(LOT_4090.replaced(setup=setup),))
    plan = compared(late).plan("A/lots:rtx-4090")
    assert plan is not None
    # two terms of 3 days (54.72) cost less than one of 7 (60.48)
    assert plan.holdings[0].terms == (3, 3)
    assert plan.timing.delivery_ms == 73 * MS_PER_HOUR + 10 * MINUTE


def test_a_term_that_crosses_the_clock_change_is_an_hour_shorter() -> None:
    # From 28 March 2026, 10:00 in Madrid three days are 71 h: 71.5 h of work need more than one 3-day term.
    stage = conversion((4290,))
    quote = source_quote(stage, organisations=(organisation("A", 1),), limit=None).replaced(
        offers=(LOT_4090,)
    )
    dated = quote.replaced(start=dt.datetime(2026, 3, 28, 10), time_zone="Europe/Madrid")
    without, with_start = compared(quote), compared(dated)
    assert [plan.holdings[0].terms for plan in without.plans] == [(3,)]
    assert [plan.holdings[0].terms for plan in with_start.plans] == [(3, 3)]


def test_75_hours_on_three_day_terms_take_four_days_at_180() -> None:
    # O-COST-12: a 3-day term ends 3 h before the plan; 3 + 3 days at 180.00 or 7 days at 180.00
    lot = LOT_4090.replaced(
        terms=tuple(
            TermPrice(days=days, price=Decimal(price)) for days, price in ((3, 90), (7, 180), (30, 600))
        )
    )
    quote = source_quote(conversion((75 * 60,)), organisations=(organisation("A", 1),), limit=None)
    quote = quote.replaced(offers=(lot,), start=dt.datetime(2026, 6, 1, 9), time_zone="Europe/Madrid")
    plan = compared(quote).plan("A/lots:rtx-4090")
    assert plan is not None
    assert plan.price.net == Decimal("180.00")
    assert plan.holdings[0].held_ms >= 4 * MS_PER_DAY


def test_a_lot_with_more_cards_than_needed_is_whole_and_its_spare_card_is_paid() -> None:
    quote = source_quote(organisations=(organisation("A", 3),), quota_cards=None).replaced(offers=(LOT_B200,))
    plan = compared(quote).plan("A/lots:b200-sxm")
    assert plan is not None
    assert (plan.decision.cards, plan.timing.cards) == (4, 3)
    assert plan.price.net == Decimal("1562.40")
    # 4 cards x 72 h less 1.6 h of work
    assert plan.unused_card_ms == 4 * 72 * MS_PER_HOUR - 96 * MINUTE


def test_a_dearer_currency_without_a_rate_has_no_total() -> None:
    quote = source_quote().replaced(offers=(HIVENET.replaced(currency="USD"),))
    plan = compared(quote).plan("B/hourly:hivenet")
    assert plan is not None
    assert isinstance(plan.price.gross, Absent)
    assert plan.price.gross.code == "missing_rate"


def test_a_cycle_of_stages_is_named_and_gives_no_delivery() -> None:
    quote = source_quote()
    stages = tuple(
        stage.replaced(after=("assembly",)) if stage.id == "conversion" else stage
        for stage in quote.workload.stages
    )
    result = compared(quote.replaced(workload=quote.workload.replaced(stages=stages)))
    cycle = next(problem for problem in result.problems if problem.code == "cycle")
    assert dict(cycle.values)["stages"] == "Conversion, Assembly"
    assert cycle.severity is Severity.ERROR
    assert result.shown is not None
    assert isinstance(result.shown.timing, Absent)


def test_cancelling_stops_the_estimate() -> None:
    with pytest.raises(EstimateCancelled):
        estimate(source_quote(), TODAY, cancelled=lambda: True)


def test_the_headline_has_the_answer_and_leaves_the_comparisons_for_later() -> None:
    result = headline(source_quote(), TODAY)
    assert result.shown_plan_id == "B/hourly:hivenet"
    assert not result.is_complete
    assert result.staircase == ()


def test_one_isolated_task_gains_nothing_from_more_cards() -> None:
    result = compared(source_quote(conversion((12,)), quota_cards=None))
    assert {step.delivery_ms for step in result.staircase} == {22 * MINUTE}


def test_accepted_results_count_whole_deliveries_in_a_term() -> None:
    # one index in 58 min: 60 / 58 an hour; 72 h hold 74 whole runs of 58 min
    found = compared(source_quote()).throughput
    assert found is not None
    assert isinstance(found.per_hour, Decimal)
    assert round(found.per_hour, 3) == Decimal("1.034")
    assert dict(found.per_term)[3] == 72 * 60 // 58


def test_two_tasks_of_one_card_and_one_task_of_two_cards_are_different_organisations() -> None:
    split = organisation("B", 1, per_task=2).replaced(mechanism="tiles")
    result = compared(source_quote(organisations=(organisation("A", 2), split)))
    keys = [(one.tasks_at_once, one.cards_per_task) for one in result.organisations]
    assert keys == [(2, 1), (1, 2)]
    assert [one.cards_required for one in result.organisations] == [2, 2]


def test_evidence_of_a_result_is_the_worst_of_its_inputs_and_never_better_than_derived() -> None:
    result = compared(source_quote()).organisation("B")
    assert result is not None
    assert result.time_kind is EvidenceKind.ASSUMED
    stage = conversion()
    sure = stage.replaced(tasks=stage.tasks.replaced(evidence=GIVEN))
    quote = source_quote(sure, mutual_slow_down=given(1))
    assembly = quote.workload.stages[1]
    stages = (
        sure,
        assembly.replaced(tasks=assembly.tasks.replaced(evidence=GIVEN)),
        quote.workload.stages[2],
    )
    result = compared(quote.replaced(workload=quote.workload.replaced(stages=stages))).organisation("B")
    assert result is not None
    assert result.time_kind is EvidenceKind.DERIVED


@having(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.integers(1, 6))
def test_a_card_more_never_makes_the_staircase_longer(durations: list[int], cards: int) -> None:
    quote = source_quote(
        conversion(tuple(durations)), organisations=(organisation("A", cards),), quota_cards=None
    )
    steps = compared(quote).staircase
    times = [step.delivery_ms for step in steps]
    assert times == sorted(times, reverse=True)


@having(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.integers(1, 6))
def test_no_delivery_is_earlier_than_its_bound(durations: list[int], cards: int) -> None:
    quote = source_quote(conversion(tuple(durations)), organisations=(organisation("A", cards),))
    for one in compared(quote).organisations:
        assert isinstance(one.timing, Timing)
        assert one.timing.delivery_ms >= one.timing.lower_bound_ms


def test_the_staircase_and_the_policies_agree_with_the_plan_shown() -> None:
    # a card that takes half as long again, with 5 min of set-up: 5 + 4 x 18 + 10 = 87
    setup = StatedDuration(value=Decimal(5), evidence=GIVEN)
    stage = conversion()
    stage = stage.replaced(card_factors=(CardFactor(card_id="rtx-4090", factor=given("1.5")),))
    quote = source_quote(stage).replaced(offers=(HIVENET.replaced(setup=setup),))
    result = compared(quote)
    assert result.shown is not None
    assert isinstance(result.shown.timing, Timing)
    assert result.shown.timing.delivery_ms == 87 * MINUTE
    assert result.staircase[1].delivery_ms == 87 * MINUTE
    assert {one.delivery_ms for one in result.shown.policies} == {87 * MINUTE}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_staircase_of_every_sample_shows_the_delivery_of_its_plan(name: str) -> None:
    text = files("resources.samples").joinpath(f"{name}.cabida").read_text(encoding="utf-8")
    result = compared(quote_from_text(text))
    assert result.shown is not None
    timing = result.shown.timing
    assert isinstance(timing, Timing)
    step = next(one for one in result.staircase if one.cards == timing.cards)
    assert step.delivery_ms <= timing.delivery_ms


def test_lots_of_two_currencies_are_never_added_up() -> None:
    dollars = LOT_4090.replaced(id="lot-usd", currency="USD", terms=(TermPrice(days=3, price=Decimal(1)),))
    quote = source_quote().replaced(offers=(LOT_4090, dollars))
    result = compared(quote).organisation("B")
    assert result is not None
    nets = {plan.id: plan.price.net for plan in result.plans}
    assert nets["B/lots:rtx-4090"] == Decimal("54.72")
    assert isinstance(nets["B/lots:rtx-4090:USD"], Absent)


def test_a_whole_lot_with_more_cards_than_the_quota_is_over_it() -> None:
    quote = source_quote(quota_cards=given(1)).replaced(offers=(LOT_B200,))
    plan = compared(quote).plan("A/lots:b200-sxm")
    assert plan is not None
    assert plan.within_quota is False


@having(st.lists(st.integers(1, 40), min_size=1, max_size=14), st.integers(2, 5))
def test_the_best_plan_found_is_never_later_than_a_rule_and_never_below_its_bound(
    durations: list[int], cards: int
) -> None:
    quote = source_quote(
        conversion(tuple(durations)), organisations=(organisation("A", cards),), quota_cards=None
    )
    result = compared(quote).organisation("A")
    assert result is not None
    found = {one.policy: one for one in result.policies}
    best = found[AssignmentPolicy.BEST]
    assert best.delivery_ms == min(one.delivery_ms for one in found.values())
    assert best.delivery_ms >= best.lower_bound_ms


def test_the_best_plan_of_3_3_2_2_2_on_two_cards_is_the_optimum_6_and_says_so() -> None:
    stage = conversion((3, 3, 2, 2, 2))
    quote = source_quote(stage, organisations=(organisation("A", 2, AssignmentPolicy.BEST),))
    quote = quote.replaced(workload=quote.workload.replaced(stages=(stage,)))
    result = compared(quote).organisation("A")
    assert result is not None
    assert isinstance(result.timing, Timing)
    assert result.timing.delivery_ms == 6 * MINUTE
    assert result.timing.schedule.is_optimal
