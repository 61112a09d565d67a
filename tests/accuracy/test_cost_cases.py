"""Known answers for costs: billing, terms, whole lots, tax, rounding, and the two-card example."""

from __future__ import annotations

from datetime import datetime
from decimal import ROUND_UP, Decimal
from zoneinfo import ZoneInfo

import pytest

from estimator.price import LineInput, Price, PriceRules, price, rounded
from estimator.rental.hourly import Billing, billed_ms, card_billed_ms, hourly_cost
from estimator.rental.plan import LotNeed, LotOffer, LotPlan, plan_lots
from estimator.rental.terms import TermPrice, cover_days, days_needed, held_ms, short_by_ms, term_end
from estimator.units import MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND

D = Decimal
TERMS = (TermPrice(3, D("90.00")), TermPrice(7, D("180.00")), TermPrice(30, D("600.00")))
MADRID = ZoneInfo("Europe/Madrid")


def priced(amounts: list[str], tax: str | None, currency: str = "EUR") -> Price:
    lines = tuple(LineInput(str(i), "rental", D(amount), currency) for i, amount in enumerate(amounts))
    return price(lines, PriceRules(currency, None if tax is None else D(tax)))


def test_tax_is_rounded_per_rate_and_document_not_per_line() -> None:
    # O-COST-01: 299.97 x 25 % = 74.9925; per line it would be 3 x 25.00.
    result = priced(["99.99"] * 3, "25")
    assert (result.net, result.tax, result.gross) == (D("299.97"), D("74.99"), D("374.96"))


def test_an_exact_half_cent_of_tax_goes_up() -> None:
    assert priced(["62.50"], "21").tax == D("13.13")  # O-COST-02: 13.1250


@pytest.mark.parametrize("amount", ["19.99", "8.29", "4.56", "1.15"])
def test_a_hundred_times_a_price_is_exact_to_the_cent(amount: str) -> None:
    # O-COST-03: 19.99 x 100 = 1999.00, through 100 hours at that rate and through 100 equal lines
    assert rounded(hourly_cost(D(amount), 100 * MS_PER_HOUR), "EUR") == D(amount).scaleb(2)
    assert priced([amount] * 100, None).net == D(amount).scaleb(2)


@pytest.mark.parametrize(
    ("billing", "costs"),
    [
        (Billing(1, 60), ["0.03", "0.60", "5.55"]),
        (Billing(60, 60), ["0.03", "0.60", "5.58"]),
        (Billing(3600, 0), ["1.80", "1.80", "7.20"]),
    ],
)
def test_short_uses_are_billed_by_unit_and_minimum(billing: Billing, costs: list[str]) -> None:
    # O-COST-04: at 1.80 an hour, 45 s, 20 min and 3:05:06
    found = [
        rounded(hourly_cost(D("1.80"), billed_ms(seconds * MS_PER_SECOND, billing)), "EUR")
        for seconds in (45, 1200, 11106)
    ]
    assert found == [D(cost) for cost in costs]


@pytest.mark.parametrize(
    ("cards", "lots", "cost", "spare"),
    [(1, 1, "540.00", 1), (2, 1, "540.00", 0), (3, 2, "1080.00", 1), (5, 3, "1620.00", 1)],
)
def test_cards_sold_in_lots_are_paid_for_in_whole_lots(cards: int, lots: int, cost: str, spare: int) -> None:
    # O-COST-05: a lot of 2 cards at 540.00 for 7 days
    plan = plan_lots(LotNeed(cards), (LotOffer("pair", 2, 2, (TermPrice(7, D("540.00")),)),))
    assert isinstance(plan, LotPlan)
    assert (plan.holdings[0].count, plan.cost, plan.spare_cards) == (lots, D(cost), spare)


def test_terms_follow_each_other_at_least_cost() -> None:
    # O-COST-06; at equal cost the shortest holding
    days = [1, 3, 4, 8, 10, 13, 17, 22, 24, 30, 31, 37]
    covers = [cover for cover in (cover_days(TERMS, needed) for needed in days) if cover is not None]
    assert [cover.cost for cover in covers] == [90, 90, 180, 270, 270, 360, 450, 600, 600, 600, 690, 780]
    assert [cover.held_days for cover in covers] == [3, 3, 6, 9, 10, 13, 17, 30, 30, 30, 33, 37]
    assert covers[-1].terms == (30, 7)


@pytest.mark.parametrize(
    ("start", "end", "hours"),
    [("2026-03-28T10:00", "2026-03-31T10:00", 71), ("2026-10-24T10:00", "2026-10-27T10:00", 73)],
)
def test_three_days_over_a_clock_change_end_at_the_same_local_time(start: str, end: str, hours: int) -> None:
    begin = datetime.fromisoformat(start).replace(tzinfo=MADRID)  # O-COST-07
    assert term_end(begin, MADRID, 3).replace(tzinfo=None) == datetime.fromisoformat(end)
    assert held_ms(begin, 3) == hours * MS_PER_HOUR
    assert days_needed(hours * MS_PER_HOUR, begin) == 3


@pytest.mark.parametrize(("hours", "cost"), [(720, "612.00"), (730, "620.50"), (744, "632.40")])
def test_months_of_different_length_cost_their_own_hours(hours: int, cost: str) -> None:
    assert rounded(hourly_cost(D("0.85"), hours * MS_PER_HOUR), "EUR") == D(cost)  # O-COST-09


def test_amounts_follow_the_decimals_of_their_currency() -> None:
    # O-COST-10: 1127 x 1.1 = 1239.7 -> 1240
    assert str(rounded(D("1234.99"), "JPY")) == "1235"
    assert str(priced(["1127"], "10", "JPY").gross) == "1240"
    assert str(rounded(D("10.005"), "EUR")) == "10.01"


def test_a_plan_of_75_hours_needs_more_than_a_three_day_term() -> None:
    # O-COST-12: 4 days; 3 + 3 and 7 both cost 180.00; the 3-day term ends 3 h early
    start = datetime(2026, 6, 1, 9, tzinfo=MADRID)
    needed = days_needed(75 * MS_PER_HOUR, start)
    cover = cover_days(TERMS, needed)
    assert needed == 4
    assert cover is not None
    assert (cover.cost, cover.terms) == (D("180.00"), (3, 3))
    assert short_by_ms(3, 75 * MS_PER_HOUR, start) == 3 * MS_PER_HOUR


@pytest.mark.parametrize(("rate", "minutes", "cost"), [("302.00", 12, "60.40"), ("9.05", 180, "27.15")])
def test_an_exact_product_has_nothing_above_the_cent_to_round_up(rate: str, minutes: int, cost: str) -> None:
    # O-COST-13: 302.00 x 0.2 h and 9.05 x 3 h
    exact = hourly_cost(D(rate), minutes * MS_PER_MINUTE)
    assert exact.quantize(D("0.01"), rounding=ROUND_UP) == D(cost)


@pytest.mark.parametrize(("hours", "cost"), [(500, "550.00"), (672, "739.20"), (744, "739.20")])
def test_hours_beyond_the_monthly_cap_are_free(hours: int, cost: str) -> None:
    # O-COST-15: min(h, 672) x 1.10
    billed = card_billed_ms((hours * MS_PER_HOUR,), Billing(3600, 0, D(672)))
    assert rounded(hourly_cost(D("1.10"), billed), "EUR") == D(cost)


@pytest.mark.parametrize(
    ("cards", "minutes", "net"),
    [
        (2, 48, "0.64"),  # released after the last task: 96 card minutes = 1.6 h
        (1, 106, "0.71"),  # held through the 10 minutes of assembly: 0.7067
        (2, 58, "0.77"),  # 116 card minutes: 0.7733
    ],
)
def test_the_two_card_example_costs_cents(cards: int, minutes: int, net: str) -> None:
    billed = sum(billed_ms(minutes * MS_PER_MINUTE, Billing(1, 0)) for _ in range(cards))
    result = price(
        (LineInput("cards", "hourly", hourly_cost(D("0.40"), billed), "EUR"),), PriceRules("EUR", D(21))
    )
    assert result.net == D(net)
    if net == "0.64":
        assert result.gross == D("0.77")  # 0.64 x 21 % = 0.1344 -> 0.13
