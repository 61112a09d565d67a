"""Known answers for what is charged besides cards: storage by time, transfer by tiers, card hours, energy."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from estimator.catalogue import Card, HourlyOffer, Lot, TermPrice
from estimator.evidence import GIVEN, Stated
from estimator.plan.fees import charged, tiered
from estimator.problems import Absent
from estimator.quote import (
    Fee,
    FeeBasis,
    FeeKind,
    Organisation,
    PriceTier,
    Pricing,
    Quote,
    Stage,
    StageLayout,
    Tasks,
    Workload,
)
from estimator.results.estimate import Plan
from estimator.units import TimeUnit
from tests.quotes import compared

D = Decimal
TODAY = dt.date(2026, 6, 1)


def given(value: str) -> Stated:
    return Stated(value=D(value), evidence=GIVEN)


def quote_with(*fees: Fee, hourly: bool = False, currency: str = "EUR", watts: str | None = "450") -> Quote:
    """Eight cards of one lot for three days, or by the second at 1.00 an hour: eight tasks of six hours."""
    stage = Stage(id="s", name="Solve", tasks=Tasks(count=(8,), duration=(D(6),), unit=TimeUnit.HOUR))
    layout = StageLayout(stage_id="s", tasks_at_once=8)
    card = Card(id="c", name="Card", marketed_gb=D(24), power_watts=None if watts is None else D(watts))
    lot = Lot(id="lot", name="Lot", card_id="c", cards=8, terms=(TermPrice(days=3, price=D("90.00")),))
    offer = HourlyOffer(
        id="h", name="Hourly", card_id="c", price_per_card_hour=D(1), cards_per_node=8, granularity_s=1
    )
    return Quote(
        workload=Workload(stages=(stage,), mutual_slow_down=given("1")),
        organisations=(Organisation(id="A", layouts=(layout,)),),
        cards=(card,),
        offers=(offer,) if hourly else (lot,),
        pricing=Pricing(currency=currency, fees=fees),
    )


def plan_of(quote: Quote) -> Plan:
    plan = compared(quote, TODAY).shown_plan
    assert plan is not None
    return plan


def net_of(quote: Quote) -> object:
    """The net of the only plan, also where it is not known."""
    (plan,) = compared(quote, TODAY).plans
    return plan.price.net


def amounts(plan: Plan) -> dict[str, object]:
    return {line.id.removeprefix("fee:"): line.amount for line in plan.price.lines}


def test_storage_is_paid_for_as_long_as_it_is_kept_and_transfer_by_amount() -> None:
    # O-COST-08: 500 GB x 0.08 a GB and month x 10 days of 30 = 13.33; 2 TB x 7.00 = 14.00; with the lot 117.33
    storage = Fee(
        id="disk",
        kind=FeeKind.STORAGE,
        price=given("0.08"),
        quantity=given("500"),
        unit="GB",
        basis=FeeBasis.KEPT_TIME,
        kept_days=given("10"),
    )
    egress = Fee(id="out", kind=FeeKind.TRANSFER_OUT, price=given("7.00"), quantity=given("2"), unit="TB")
    plan = plan_of(quote_with(storage, egress))
    assert amounts(plan) == {"lot:lot": D("90.00"), "disk": D("13.33"), "out": D("14.00")}
    assert plan.price.net == D("117.33")


def test_storage_while_rented_follows_the_terms() -> None:
    # 500 x 0.08 x 3 days of the term / 30 = 4.00, though the work takes six hours; by the hour 6 h: 0.33
    disk = Fee(
        id="disk",
        kind=FeeKind.STORAGE,
        price=given("0.08"),
        quantity=given("500"),
        basis=FeeBasis.RENTED_TIME,
    )
    assert amounts(plan_of(quote_with(disk)))["disk"] == D("4.00")
    assert amounts(plan_of(quote_with(disk, hourly=True)))["disk"] == D("0.33")


def test_a_managed_service_by_card_hour_counts_what_is_billed() -> None:
    # a lot: 8 cards x 72 h x 0.05 = 28.80; by the hour: 8 x 6 h x 0.05 = 2.40
    managed = Fee(id="m", kind=FeeKind.MANAGED, price=given("0.05"), basis=FeeBasis.CARD_HOURS)
    assert amounts(plan_of(quote_with(managed)))["m"] == D("28.80")
    assert amounts(plan_of(quote_with(managed, hourly=True)))["m"] == D("2.40")


def test_energy_is_rated_power_times_paid_hours_times_pue() -> None:
    # by the hour: 8 cards x 450 W x 6 h = 21.6 kWh x 1.5 = 32.4 kWh at 0.20 = 6.48
    energy = Fee(
        id="e",
        kind=FeeKind.ENERGY,
        price=given("0.20"),
        quantity=given("1.5"),
        unit="kWh",
        basis=FeeBasis.ENERGY,
    )
    plan = plan_of(quote_with(energy, hourly=True))
    assert amounts(plan)["e"] == D("6.48")
    line = next(line for line in plan.price.lines if line.id == "fee:e")
    assert dict(line.values)["quantity"] == D("32.4")


def test_energy_of_a_card_without_a_rated_power_leaves_no_total() -> None:
    energy = Fee(id="e", kind=FeeKind.ENERGY, price=given("0.20"), basis=FeeBasis.ENERGY)
    net = net_of(quote_with(energy, hourly=True, watts=None))
    assert isinstance(net, Absent)
    assert net.code == "missing_power"


def test_days_kept_that_are_not_known_leave_no_total() -> None:
    disk = Fee(id="disk", kind=FeeKind.STORAGE, price=given("0.08"), basis=FeeBasis.KEPT_TIME)
    net = net_of(quote_with(disk))
    assert isinstance(net, Absent)
    assert net.code == "missing_kept_days"


def test_a_blank_price_is_not_included_whatever_its_basis() -> None:
    fees = tuple(
        Fee(id=basis.value, kind=FeeKind.OTHER, basis=basis, kept_days=given("3")) for basis in FeeBasis
    )
    plan = plan_of(quote_with(*fees))
    assert [line.amount for line in plan.price.lines if line.kind == "other"] == [None] * len(FeeBasis)
    assert plan.price.net == D("90.00")


@pytest.mark.parametrize(
    ("quantity", "amount"),
    # 0.09 a GB to 10,240, 0.085 to 51,200, 0.07 above: a ladder as large clouds publish it
    [("0", "0"), ("100", "9"), ("10240", "921.6"), ("12240", "1091.6"), ("61200", "5103.2")],
)
def test_transfer_out_is_priced_by_tiers(quantity: str, amount: str) -> None:
    tiers = (PriceTier(above=D(10240), price=D("0.085")), PriceTier(above=D(51200), price=D("0.07")))
    fee = Fee(id="out", kind=FeeKind.TRANSFER_OUT, price=given("0.09"), tiers=tiers)
    assert tiered(fee, D(quantity)) == D(amount)


def test_a_free_allowance_is_a_first_price_of_zero() -> None:
    fee = Fee(
        id="out",
        kind=FeeKind.TRANSFER_OUT,
        price=given("0"),
        quantity=given("150"),
        tiers=(PriceTier(above=D(100), price=D("0.12")),),
    )
    assert charged(quote_with(), fee, ()).amount == D("6.00")


def test_tiers_that_do_not_rise_are_refused() -> None:
    tiers = (PriceTier(above=D(100), price=D(1)), PriceTier(above=D(100), price=D(2)))
    with pytest.raises(ValueError, match="tiers_do_not_rise"):
        Fee(id="x", kind=FeeKind.OTHER, tiers=tiers)


def test_each_card_is_billed_for_its_own_time_not_for_the_last_state_of_an_hour() -> None:
    # O-COST-14: 30 min on 4 cards then 20 min on 1 = 2.3333 card hours; 30 min on 1 then 20 min on 4 = 1.8333
    found = []
    for wide_first in (True, False):
        wide = Tasks(count=(4,), duration=(D(30 if wide_first else 20),))
        narrow = Tasks(count=(1,), duration=(D(20 if wide_first else 30),))
        first, then = (wide, narrow) if wide_first else (narrow, wide)
        stages = (
            Stage(id="a", name="First", tasks=first),
            Stage(id="b", name="Then", tasks=then, after=("a",)),
        )
        quote = quote_with(hourly=True)
        quote = quote.replaced(
            workload=replace_stages(quote, stages),
            organisations=(
                Organisation(
                    id="A",
                    layouts=tuple(StageLayout(stage_id=one.id, tasks_at_once=4) for one in stages),
                ),
            ),
        )
        plan = plan_of(quote)
        found.append(sum(one.paid_card_ms for one in plan.holdings) / 3_600_000)
    assert found == [pytest.approx(140 / 60), pytest.approx(110 / 60)]


def replace_stages(quote: Quote, stages: tuple[Stage, ...]) -> Workload:
    return quote.workload.replaced(stages=stages)


@pytest.mark.parametrize(("currency", "net"), [("JPY", "103"), ("KWD", "103.333"), ("EUR", "103.33")])
def test_a_fee_follows_the_decimals_of_its_currency(currency: str, net: str) -> None:
    # 500 x 0.08 x 10 / 30 = 13.333…; the lot 90
    disk = Fee(
        id="disk",
        kind=FeeKind.STORAGE,
        price=given("0.08"),
        quantity=given("500"),
        basis=FeeBasis.KEPT_TIME,
        kept_days=given("10"),
    )
    quote = quote_with(disk, currency=currency)
    lot = quote.offers[0].replaced(currency=currency)
    assert plan_of(quote.replaced(offers=(lot,))).price.net == D(net)


def test_a_fee_on_an_exact_half_cent_goes_up() -> None:
    # 57.35 x 3 x 3 days / 30 = 17.205 exactly: dividing first leaves 17.20499…
    disk = Fee(
        id="disk",
        kind=FeeKind.STORAGE,
        price=given("57.35"),
        quantity=given("3"),
        basis=FeeBasis.RENTED_TIME,
    )
    assert amounts(plan_of(quote_with(disk)))["disk"] == D("17.21")
