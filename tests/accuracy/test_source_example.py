"""The known answers that follow from the two sources, each with its arithmetic, through the whole core."""

from __future__ import annotations

from decimal import Decimal

import pytest

from estimator.evidence import GIVEN, StatedDuration
from estimator.quote import AssignmentPolicy, Partition, Quote, ResourceKind, ResourceNeed, SharedResource
from estimator.results.estimate import Estimate, OrganisationResult, QuoteStatus, Timing
from estimator.results.memory import Fit
from estimator.units import GB, GIB, TimeUnit
from tests.quotes import (
    MINUTE,
    TODAY,
    compared,
    conversion,
    cooperative_quote,
    given,
    organisation,
    source_quote,
)

AVAILABILITY = AssignmentPolicy.AVAILABILITY


def result_of(quote: Quote, name: str) -> OrganisationResult:
    found = compared(quote, TODAY).organisation(name)
    assert found is not None
    return found


def delivery(quote: Quote, name: str) -> int:
    timing = result_of(quote, name).timing
    assert isinstance(timing, Timing)
    return timing.delivery_ms // MINUTE


def with_cards(cards: int, **workload: object) -> Quote:
    return source_quote(organisations=(organisation("A", cards),), quota_cards=None, **workload)


@pytest.mark.parametrize(
    ("cards", "minutes_"),
    # ceil(8 / n) x 12 + 10
    [(1, 106), (2, 58), (3, 46), (4, 34), (5, 34), (6, 34), (7, 34), (8, 22), (9, 22)],
)
def test_eight_conversions_and_an_assembly_take_what_the_source_says(cards: int, minutes_: int) -> None:
    assert delivery(with_cards(cards), "A") == minutes_


def test_the_staircase_marks_the_cards_that_change_nothing() -> None:
    steps = compared(source_quote(), TODAY).staircase
    assert [step.delivery_ms // MINUTE for step in steps] == [106, 58, 46, 34, 34, 34, 34, 22, 22]
    assert [step.cards for step in steps if step.useless] == [5, 6, 7, 9]


def test_the_ceiling_of_the_source_is_not_eight_times_faster() -> None:
    # 106 / 22 = 4.82
    assert round(delivery(with_cards(1), "A") / delivery(with_cards(8), "A"), 2) == 4.82


@pytest.mark.parametrize(
    ("policy", "cards", "minutes_"),
    # 4 x 18 + 10 on the card with the long ones; (4 x 18 + 4 x 6) / 2 + 10; the same on one card
    [(AssignmentPolicy.BLOCKS, 2, 82), (AVAILABILITY, 2, 58), (AssignmentPolicy.BLOCKS, 1, 106)],
)
def test_unequal_tasks_take_82_in_blocks_and_58_by_availability(
    policy: AssignmentPolicy, cards: int, minutes_: int
) -> None:
    quote = source_quote(
        conversion((18, 18, 18, 18, 6, 6, 6, 6)), organisations=(organisation("A", cards, policy),)
    )
    assert delivery(quote, "A") == minutes_


def test_longest_first_takes_7_where_6_is_the_optimum_and_states_the_gap() -> None:
    # 3, 2, 2 | 3, 2 = 7 | 5; the bound is (3 + 3 + 2 + 2 + 2) / 2 = 6
    stage = conversion((3, 3, 2, 2, 2))
    quote = source_quote(stage, organisations=(organisation("A", 2, AssignmentPolicy.LONGEST_FIRST),))
    quote = quote.replaced(workload=quote.workload.replaced(stages=(stage,)))
    timing = result_of(quote, "A").timing
    assert isinstance(timing, Timing)
    assert timing.delivery_ms == 7 * MINUTE
    assert timing.lower_bound_ms == 6 * MINUTE
    assert float(timing.schedule.gap) == pytest.approx(1 / 6)
    assert not timing.schedule.is_optimal


@pytest.mark.parametrize(("licences", "minutes_"), [(2, 58), (3, 46), (4, 34)])
def test_four_cards_with_fewer_licences_behave_as_that_many_cards(licences: int, minutes_: int) -> None:
    licence = SharedResource(
        id="licence", name="Licence", kind=ResourceKind.LICENCE, capacity=given(licences)
    )
    stage = conversion(needs=(ResourceNeed(resource_id="licence"),))
    quote = source_quote(
        stage, (licence,), organisations=(organisation("A", 4, AVAILABILITY),), quota_cards=None
    )
    assert delivery(quote, "A") == minutes_


def test_one_storage_channel_takes_at_least_78_on_two_cards() -> None:
    # 8 of the 12 minutes on one channel: 8 x 8 = 64, the last one computes 4 more, then 10 of assembly.
    channel = SharedResource(id="storage", name="Storage", kind=ResourceKind.STORAGE, capacity=given(1))
    hold = StatedDuration(value=Decimal(8), unit=TimeUnit.MINUTE, evidence=GIVEN)
    stage = conversion(needs=(ResourceNeed(resource_id="storage", hold=hold),))
    quote = source_quote(stage, (channel,), organisations=(organisation("A", 2, AVAILABILITY),))
    found = delivery(quote, "A")
    assert found >= 78
    timing = result_of(quote, "A").timing
    assert isinstance(timing, Timing)
    assert timing.lower_bound_ms <= timing.delivery_ms


def test_a_slow_down_of_2_or_48_minutes_more_assembly_cancel_the_gain() -> None:
    # 48 k + 10 = 106 where k = 2.0; 48 + 10 + 48 = 106
    (found,) = compared(source_quote(), TODAY).break_evens
    assert (found.organisation_id, found.reference_id) == ("B", "A")
    assert found.slow_down == Decimal(2)
    assert found.serial_ms == 48 * MINUTE
    assert delivery(source_quote(mutual_slow_down=given("2.0")), "B") == 106


def net_and_gross(estimate_: Estimate, plan_id: str) -> tuple[object, object]:
    plan = estimate_.plan(plan_id)
    assert plan is not None
    return plan.price.net, plan.price.gross


def test_both_organisations_cost_064_by_the_second_when_released_before_assembly() -> None:
    # 8 x 12 min = 1.6 card-hours x 0.40 EUR = 0.64; + 21 % = 0.7744
    result = compared(source_quote(), TODAY)
    assert net_and_gross(result, "A/hourly:hivenet") == (Decimal("0.64"), Decimal("0.77"))
    assert net_and_gross(result, "B/hourly:hivenet") == (Decimal("0.64"), Decimal("0.77"))


def test_holding_the_cards_through_assembly_costs_071_and_077() -> None:
    # 106 min x 0.40 / 60 = 0.7067; 2 x 58 min x 0.40 / 60 = 0.7733
    quote = source_quote()
    quote = quote.replaced(pricing=quote.pricing.replaced(hold_through_assembly=True))
    result = compared(quote, TODAY)
    assert net_and_gross(result, "A/hourly:hivenet")[0] == Decimal("0.71")
    assert net_and_gross(result, "B/hourly:hivenet")[0] == Decimal("0.77")


def test_a_faster_plan_saves_no_rent_on_a_lot() -> None:
    # one 72 h term either way; 58 min are 1.3 % and 106 min 2.5 % of it
    result = compared(source_quote(), TODAY)
    plans = [result.plan(name) for name in ("A/lots:b200-sxm", "B/lots:b200-sxm")]
    assert [plan and plan.price.net for plan in plans] == [Decimal("781.20"), Decimal("781.20")]
    shares = [round(100 * plan.timing.delivery_ms / plan.holdings[0].held_ms, 1) for plan in plans if plan]
    assert shares == [2.5, 1.3]


def test_the_lots_of_two_cards_cost_what_the_picture_shows() -> None:
    result = compared(source_quote(), TODAY)
    assert net_and_gross(result, "B/lots:rtx-4090")[0] == Decimal("54.72")


def test_the_recommended_plan_is_two_cards_by_the_hour_within_the_limit() -> None:
    result = compared(source_quote(), TODAY)
    assert result.recommended_plan_id == "B/hourly:hivenet"
    assert result.status is QuoteStatus.PROVISIONAL
    assert result.shown is not None
    assert result.shown.cards_required == 2


def test_a_state_of_200_gb_does_not_fit_replicated_whatever_the_sum_of_the_cards() -> None:
    # 200e9 B = 186.3 GiB against 179.06 GiB on each card; 2 x 180 GB is not 360 GB
    gib = Decimal(200 * GB) / GIB
    result = result_of(cooperative_quote(Partition.REPLICATED, gib), "A")
    (verdict,) = result.verdicts
    assert verdict.fits is Fit.NO
    assert result.plans == ()
    assert [reason.code for _, reason in result.excluded] == ["does_not_fit"]


def test_a_state_of_200_gb_fits_partitioned_over_two_cards() -> None:
    # 100e9 B + 5 % + 0.5 GiB = 98.3 GiB on each card
    gib = Decimal(200 * GB) / GIB
    result = result_of(cooperative_quote(Partition.PARTITIONED, gib), "A")
    (verdict,) = result.verdicts
    assert verdict.fits in (Fit.YES, Fit.IF)
    assert verdict.peak_bytes == pytest.approx(100 * GB * 1.05 + GIB / 2, abs=2)
    assert [plan.id for plan in result.plans] == ["A/lots:b200-sxm"]


def test_the_peak_of_18_gib_with_5_percent_and_context_is_194() -> None:
    # 18.0 x 1.05 + 0.5 = 19.4
    worst = result_of(source_quote(), "B").memory[0].worst
    assert worst is not None
    assert round(Decimal(worst.peak_bytes) / GIB, 1) == Decimal("19.4")
