"""Replications of plans: nothing uncertain gives the plan itself; chances, percentiles and steps of the price."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from importlib.resources import files

import pytest

from estimator import edits
from estimator.estimate import headline
from estimator.evidence import GIVEN, Distribution, Evidence, EvidenceKind, Stated
from estimator.plan.held import Held, held
from estimator.plan.numbers import numbers_of
from estimator.plan.replications import QUICK, risk_of
from estimator.problems import Absent
from estimator.quote import AssignmentPolicy, CardSlicing, Fee, FeeBasis, FeeKind, PriceTier, Quote, Tasks
from estimator.results.estimate import Estimate
from estimator.results.risk import ReplicationForm, Spread
from estimator.storage import quote_from_text
from estimator.units import MS_PER_HOUR, TimeUnit
from tests.quotes import (
    HIVENET,
    LOT_4090,
    TODAY,
    assumed,
    conversion,
    given,
    minutes,
    organisation,
    source_quote,
)

SAMPLES = (
    "afinado-cooperativo",
    "consultation-notes",
    "credit-risk",
    "dinamica-molecular",
    "fachada-norte",
    "indice-de-las-obras",
)


@cache
def sample(name: str) -> Estimate:
    text = files("resources.samples").joinpath(f"{name}.cabida").read_text(encoding="utf-8")
    return headline(quote_from_text(text), TODAY)


def spread(quote: Quote, plan_id: str, most: int = QUICK) -> Spread:
    found = headline(quote, TODAY)
    plan = found.plan(plan_id)
    assert plan is not None
    laid_out = quote.organisation(plan.organisation_id)
    assert laid_out is not None
    risk = risk_of(quote, laid_out, plan, numbers_of(quote, laid_out), most).spread
    assert isinstance(risk, Spread), risk
    return risk


def hours_quote(tasks: Tasks, **workload: object) -> Quote:
    """One card, one stage of that many hours, on the lot of 27.36 / 60.48 / 230.40 for 3 / 7 / 30 days."""
    stage = conversion().replaced(tasks=tasks)
    quote = source_quote(stage, organisations=(organisation("A", 1),), **{"limit": None, **workload})
    quote = edits.with_workload(quote, stages=(stage,), resources=())
    return quote.replaced(offers=(LOT_4090, HIVENET))


def hours(value: object, **fields: object) -> Tasks:
    fields = {"evidence": GIVEN, **fields}
    return Tasks(count=(1,), duration=(Decimal(str(value)),), unit=TimeUnit.HOUR, **fields)


def between(low: object, high: object, kind: Distribution = Distribution.UNIFORM) -> Evidence:
    ends = {"low": Decimal(str(low)), "high": Decimal(str(high))}
    return Evidence(kind=EvidenceKind.ESTIMATED, distribution=kind, **ends)


@pytest.mark.parametrize("name", SAMPLES)
def test_replications_of_numbers_without_range_are_the_plan_itself(name: str) -> None:
    found = sample(name)
    for plan in found.plans:
        laid_out = found.quote.organisation(plan.organisation_id)
        assert laid_out is not None
        risk = risk_of(found.quote, laid_out, plan, (), QUICK).spread
        assert isinstance(risk, Spread), (plan.id, risk)
        times, gross = risk.delivery, risk.gross
        assert times.p10 == times.p50 == times.p90 == plan.timing.delivery_ms, plan.id
        if isinstance(plan.price.gross, Absent):
            assert isinstance(gross, Absent)
        else:
            assert not isinstance(gross, Absent)
            assert gross.p10 == gross.p50 == gross.p90 == plan.price.gross, plan.id


@pytest.mark.parametrize("name", SAMPLES)
def test_a_plan_held_under_its_own_quote_is_that_plan(name: str) -> None:
    found = sample(name)
    for plan in found.plans:
        kept = held(found.quote, plan)
        assert isinstance(kept, Held), (plan.id, kept)
        assert kept.timing.delivery_ms == plan.timing.delivery_ms
        assert kept.price.gross == plan.price.gross


def test_a_duration_drawn_from_two_values_is_priced_through_the_terms() -> None:
    # Two tasks on one card, each 24 or 48 h (36 h stated, 24 and 48 observed): 48, 72, 72 or 96 h, a quarter each.
    # 72 h are just the 3 days of the lot: 27.36 net, 33.11 gross. 96 h need a day more, and the cheapest term for it
    # is 3 days again: 54.72 net, 66.21 gross.
    tasks = hours(36).replaced(count=(2,), observed=(Decimal(24), Decimal(48)))
    found = spread(hours_quote(tasks), "A/lots:rtx-4090")
    assert found.beyond_terms == pytest.approx(0.25, abs=0.03)
    assert not isinstance(found.gross, Absent)
    assert (found.gross.p10, found.gross.p50) == (Decimal("33.11"), Decimal("33.11"))
    assert found.gross.p90 == Decimal("66.21")
    times = found.delivery
    assert (times.p10, times.p50, times.p90) == tuple(each * MS_PER_HOUR for each in (48, 72, 96))


def test_a_shared_factor_is_drawn_evenly_over_its_range() -> None:
    # Uniform from 48 to 96 h: P10 52.8, P50 72, P90 91.2; half of it lies beyond the 72 h of the term.
    found = spread(hours_quote(hours(60, evidence=between(48, 96))), "A/lots:rtx-4090", QUICK)
    for percentile, expected in zip(
        (found.delivery.p10, found.delivery.p50, found.delivery.p90), (52.8, 72, 91.2), strict=True
    ):
        assert percentile / MS_PER_HOUR == pytest.approx(expected, abs=0.1)
    assert found.beyond_terms == pytest.approx(0.5, abs=0.002)
    assert found.varied == ("duration:conversion",)


def test_started_hours_are_billed_whole_in_every_replication() -> None:
    # 0.5 to 2.5 h, uniform: up to 1 h in a quarter, up to 2 h in the next half, 3 h in the rest, at 0.40 an hour.
    quote = hours_quote(hours(1, evidence=between("0.5", "2.5")))
    quote = edits.with_offer_fields(quote, "hivenet", granularity_s=3600)
    found = spread(quote, "A/hourly:hivenet")
    assert not isinstance(found.net, Absent)
    assert (found.net.p10, found.net.p50, found.net.p90) == (
        Decimal("0.40"),
        Decimal("0.80"),
        Decimal("1.20"),
    )


def test_chances_to_miss_limit_and_budget_are_those_of_the_range() -> None:
    # Uniform from 48 to 96 h. Beyond 84 h: a quarter. The gross is 33.11 up to 72 h and 66.21 beyond: half.
    quote = hours_quote(hours(60, evidence=between(48, 96)), limit=minutes(84 * 60), budget=given(40))
    found = spread(quote, "A/lots:rtx-4090")
    assert found.beyond_limit == pytest.approx(0.25, abs=0.002)
    assert found.beyond_budget == pytest.approx(0.5, abs=0.002)


def test_a_fee_with_a_range_moves_the_cost_and_not_the_delivery() -> None:
    # 27.36 for the lot and 10 to 30, uniform, for a fee; 21 % tax on both: P50 (27.36 + 20) × 1.21 = 57.31.
    quote = edits.new_quote(unit="u", count=1, stage_name="s")
    fee = quote.pricing.fees[0]
    price = Stated(value=Decimal(20), evidence=between(10, 30))
    base = hours_quote(hours(60))
    fees = (fee.replaced(price=price),)
    found = spread(edits.with_pricing(base, fees=fees), "A/lots:rtx-4090")
    assert not isinstance(found.gross, Absent)
    assert found.delivery.p10 == found.delivery.p90 == 60 * MS_PER_HOUR
    assert float(found.gross.p50) == pytest.approx(57.31, abs=0.05)
    assert float(found.gross.p10) == pytest.approx((27.36 + 12) * 1.21, abs=0.05)
    assert float(found.gross.p90) == pytest.approx((27.36 + 28) * 1.21, abs=0.05)


def test_the_same_quote_gives_the_same_spread() -> None:
    quote = hours_quote(hours(60).replaced(spread_percent=Decimal(20)))
    assert spread(quote, "A/lots:rtx-4090") == spread(quote, "A/lots:rtx-4090")


def test_a_wider_range_never_gives_narrower_percentiles() -> None:
    widths = []
    for reach in (0, 5, 10, 20, 40):
        evidence = between(60 - reach, 60 + reach, Distribution.TRIANGULAR)
        found = spread(hours_quote(hours(60, evidence=evidence)), "A/lots:rtx-4090").delivery
        assert found.p10 <= found.p50 <= found.p90
        widths.append((found.p10, -found.p90))
    assert widths == sorted(widths, reverse=True)


def test_tasks_handed_out_by_availability_are_listed_anew() -> None:
    stage = conversion((12,) * 64)
    stage = stage.replaced(tasks=stage.tasks.replaced(spread_percent=Decimal(30), evidence=GIVEN))
    found = {}
    for policy in (AssignmentPolicy.BLOCKS, AssignmentPolicy.AVAILABILITY):
        quote = source_quote(
            stage, organisations=(organisation("A", 4, policy),), quota_cards=None, limit=None
        )
        found[policy] = spread(quote, "A/hourly:hivenet")
    blocks, listed = found[AssignmentPolicy.BLOCKS], found[AssignmentPolicy.AVAILABILITY]
    assert (blocks.form, listed.form) == (ReplicationForm.REPLAYED, ReplicationForm.LISTED)
    # Handing out as cards become free evens out what fixed blocks cannot.
    assert listed.delivery.p90 < blocks.delivery.p90


def test_an_interruptible_offer_has_no_spread_until_its_rate_is_known() -> None:
    quote = edits.with_offer_fields(hours_quote(hours(10)), "hivenet", interruptible=True)
    plan = headline(quote, TODAY).plan("A/hourly:hivenet")
    assert plan is not None
    assert not isinstance(risk_of(quote, quote.organisations[0], plan, (), QUICK).spread, Spread)
    known = edits.with_offer_fields(quote, "hivenet", interruptions_per_hour=Decimal("0.1"))
    # 10 h at one interruption in 10 h without checkpoints: e⁻¹ get through at once; the mean is 10 (e - 1) = 17.2 h.
    found = spread(known, "A/hourly:hivenet", QUICK)
    assert found.delivery.p10 == 10 * MS_PER_HOUR
    assert found.delivery.p50 > 11 * MS_PER_HOUR
    saved = edits.with_stage(known, "conversion", checkpoint=minutes(30))
    assert spread(saved, "A/hourly:hivenet").delivery.p90 < found.delivery.p50


def test_an_interruptible_offer_is_no_plan_where_there_is_a_limit() -> None:
    quote = edits.with_offer_fields(
        hours_quote(hours(10), limit=minutes(6000)), "hivenet", interruptible=True
    )
    assert headline(quote, TODAY).plan("A/hourly:hivenet") is None


def test_what_is_not_drawn_is_named() -> None:
    stage = conversion(memory=18)
    quote = source_quote(stage, mutual_slow_down=assumed(1))
    found = spread(quote, "B/hourly:hivenet")
    assert set(found.varied) == {"duration:conversion", "duration:assembly", "slow_down"}
    assert found.kept == ("memory:conversion",)


def test_so_many_single_tasks_that_they_cannot_be_drawn_have_no_spread() -> None:
    stage = conversion().replaced(
        tasks=Tasks(count=(300_000,), duration=(Decimal(1),), spread_percent=Decimal(10), evidence=GIVEN)
    )
    laid_out = organisation("A", 1, AssignmentPolicy.AVAILABILITY)
    quote = source_quote(stage, organisations=(laid_out,), limit=None)
    plan = headline(quote, TODAY).plan("A/hourly:hivenet")
    assert plan is not None
    assert risk_of(quote, laid_out, plan, (), QUICK).spread == Absent("too_many_tasks")


def test_cards_in_slices_are_replayed_and_billed_whole() -> None:
    # Four tasks of 12 min at once on one card shared by four, 1.4 times as long each: 16.8 min, then 10 of assembly.
    shared = CardSlicing(per_card=4, duration_factor=given("1.4"))
    laid_out = organisation("A", 4).replaced(slicing=shared)
    quote = source_quote(conversion((12,) * 4, memory=3), organisations=(laid_out,), limit=None).replaced(
        offers=(HIVENET,)
    )
    plan = headline(quote, TODAY).plan("A/hourly:hivenet")
    assert plan is not None
    assert plan.timing.slices_per_card == 4
    risk = risk_of(quote, laid_out, plan, (), QUICK).spread
    assert isinstance(risk, Spread)
    assert not isinstance(risk.gross, Absent)
    assert (risk.delivery.p90, risk.gross.p90) == (plan.timing.delivery_ms, plan.price.gross)
    ranged = shared.replaced(duration_factor=assumed("1.4"))
    varied = edits.with_organisation(quote, "A", slicing=ranged)
    assert "slice_duration:A" in spread(varied, "A/hourly:hivenet").varied


def test_fees_by_time_and_tiers_are_put_in_order_of_cost_as_they_are_priced() -> None:
    # Uniform from 0.5 to 2.5 h on one card at 0.40, by the second, and 0.10 a card-hour for the first 2 h, then 0.02:
    # at the P90 of 2.3 h 0.92 + 0.20 + 0.006 = 1.126, so 0.92 + 0.21.
    fee = Fee(
        id="managed",
        kind=FeeKind.MANAGED,
        price=given("0.10"),
        basis=FeeBasis.CARD_HOURS,
        tiers=(PriceTier(above=Decimal(2), price=Decimal("0.02")),),
    )
    quote = hours_quote(hours(1, evidence=between("0.5", "2.5")))
    found = spread(edits.with_pricing(quote, fees=(fee,)), "A/hourly:hivenet")
    assert not isinstance(found.net, Absent)
    assert float(found.net.p90) == pytest.approx(1.13, abs=0.011)
    assert float(found.net.p10) == pytest.approx(0.7 * 0.5, abs=0.011)
