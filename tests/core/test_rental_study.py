"""Flips, idle rent, equivalents by the hour, owning and the frontier: each from the source's example or by hand."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from estimator import edits
from estimator.__main__ import main
from estimator.catalogue import HourlyOffer
from estimator.estimate import EstimateCancelled, decided, with_flips
from estimator.exports.json_text import as_json
from estimator.problems import Absent
from estimator.quote import ExchangeRate, Ownership, Quote
from estimator.results.rental import Flip, Quantity, RentalStudy, RentalWay
from estimator.units import MS_PER_DAY, TimeUnit
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.rent import break_even_text, flip_text, owning_text, same_rent_sentence
from tests.large_quotes import many_equal_tasks
from tests.quotes import HIVENET, LOT_4090, MINUTE, TODAY, compared, conversion, given, minutes, source_quote

WORDS = Wording(Language.ENGLISH, NumberFormat.EN_US)
RTX_5090_HOURLY = HourlyOffer(
    id="hivenet-5090", name="RTX 5090", card_id="rtx-4090", price_per_card_hour=Decimal("0.75")
)
# 3,200 over 4 years and 8,760 / 40 of staff a year: 800 + 219 = 1,019; 0.45 kW x 1.4 x 0.20 = 0.126 an hour.
OWNED = Ownership(
    price_per_card=given(3200),
    life_years=given(4),
    watts_per_card=given(450),
    pue=given("1.4"),
    price_per_kwh=given("0.20"),
    staff_per_year=given(8760),
    cards=given(40),
    use_hours_per_year=given(5095),
)


def study_of(quote: Quote) -> RentalStudy:
    found = compared(quote, TODAY).rental
    assert found is not None
    return found


def flips_of(quote: Quote) -> tuple[Flip, ...]:
    found = with_flips(compared(quote, TODAY)).rental
    assert found is not None
    return found.flips


def owning(**changes: object) -> Quote:
    quote = source_quote()
    return quote.replaced(pricing=quote.pricing.replaced(ownership=OWNED.replaced(**changes)))


def test_one_card_by_the_hour_costs_over_3_7_and_30_days_what_the_source_says() -> None:
    # 0.40 and 0.75 an hour over 72, 168 and 720 hours
    quote = source_quote().replaced(offers=(HIVENET, RTX_5090_HOURLY))
    told = {one.offer_id: [str(cost) for _, cost in one.terms] for one in study_of(quote).equivalents}
    assert told == {
        "hivenet": ["28.80", "67.20", "288.00"],
        "hivenet-5090": ["54.00", "126.00", "540.00"],
    }


def test_58_minutes_against_106_save_no_rent_on_a_lot_and_it_says_why() -> None:
    (found,) = study_of(source_quote()).same_rent
    assert (found.fast_plan_id, found.slow_plan_id) == ("B/lots:b200-sxm", "A/lots:b200-sxm")
    assert (found.fast_ms, found.slow_ms, found.rent) == (58 * MINUTE, 106 * MINUTE, Decimal("781.20"))
    # 58 / 4,320 and 106 / 4,320 minutes
    text = same_rent_sentence(WORDS, found)
    assert "of 72 h held, 58 min are 1.3\u00a0% and 106 min are 2.5\u00a0%" in text


def test_idle_rent_is_what_the_lots_hold_beyond_the_work() -> None:
    quote = source_quote().replaced(chosen_plan="B/lots:rtx-4090")
    (idle,) = study_of(quote).idle
    # 2 cards x 72 h less 8 x 12 min = 144 - 1.6 = 142.4 h; 54.72 x 142.4 / 144 = 54.112
    assert idle.idle_card_ms == (144 * 60 - 96) * MINUTE
    assert idle.cost == Decimal("54.112")


def test_a_lot_beats_its_card_by_the_hour_from_68_hours_and_24_minutes() -> None:
    # 27.36 / 0.40 = 68.4 h
    found = study_of(source_quote()).term_break_evens[0]
    assert (found.lot_id, found.days, found.use_ms) == ("lot-4090", 3, 68 * 60 * MINUTE + 24 * MINUTE)
    assert "from 68.4 h of use" in break_even_text(WORDS, source_quote(), found)


def test_a_lot_dearer_than_its_whole_term_by_the_hour_is_never_cheaper() -> None:
    cheap = HIVENET.replaced(price_per_card_hour=Decimal("0.10"))  # 7.20 for 72 h against 27.36
    found = study_of(source_quote().replaced(offers=(cheap, LOT_4090))).term_break_evens[0]
    assert found.use_ms is None


def test_the_price_of_a_lot_flips_at_the_cent() -> None:
    # Lots alone: B holds two lots of one card for 54.72. The dearer B200 lot of two cards takes over at 54.71 + tax;
    # at 54.72 both cost the same and the id decides.
    quote = source_quote().replaced(offers=source_quote().offers[1:])
    found = [one for one in flips_of(quote) if one.quantity is Quantity.LOT_PRICE]
    b200 = next(one for one in found if one.where[1] == "lot-b200")
    assert b200.at is not None
    below, above = b200.at, b200.at + b200.step

    def chosen(price: Decimal) -> str:
        lot = quote.offers[1]
        assert lot.kind == "lot"
        terms = tuple(one.replaced(price=price) if one.days == 3 else one for one in lot.terms)
        plan = decided(quote.replaced(offers=(quote.offers[0], lot.replaced(terms=terms))))
        assert plan is not None
        return plan.id

    assert chosen(below) == b200.plan_id == "B/lots:b200-sxm"
    assert chosen(above) == "B/lots:rtx-4090"
    assert above in (Decimal("54.72"), Decimal("54.73"))


def test_the_duration_flips_at_20_minutes_and_at_10() -> None:
    # 4 d + 10 > 90 from 20 min and a second; 8 d + 10 <= 90 to 10 min, where one card is enough.
    longer, shorter = (one for one in flips_of(source_quote()) if one.quantity is Quantity.DURATION)
    assert (longer.at, longer.plan_id) == (Decimal(20 * MINUTE + 1000), "")
    assert (shorter.at, shorter.plan_id) == (Decimal(10 * MINUTE), "A/hourly:hivenet")


def test_the_number_of_units_flips_at_13_and_at_6() -> None:
    # ceil(13 / 2) x 12 + 10 = 94 > 90; 6 x 12 + 10 = 82 on one card
    more, fewer = (one for one in flips_of(source_quote()) if one.quantity is Quantity.UNITS)
    assert (more.at, more.plan_id) == (Decimal(13), "")
    assert (fewer.at, fewer.plan_id) == (Decimal(6), "A/hourly:hivenet")
    text = flip_text(WORDS, source_quote(), fewer)
    assert text.startswith(
        "Conversion, number of tasks, now 8: at 6 the plan is 1 card of RTX 4090 by the hour"
    )


def test_unequal_tasks_flip_by_a_factor_and_not_by_their_number() -> None:
    quote = source_quote(conversion((18, 18, 18, 18, 6, 6, 6, 6)))
    kinds = {one.quantity for one in flips_of(quote)}
    assert Quantity.DURATION_FACTOR in kinds
    assert Quantity.UNITS not in kinds


def test_flips_stop_when_nobody_wants_them() -> None:
    result = compared(source_quote(), TODAY)
    with pytest.raises(EstimateCancelled):
        with_flips(result, lambda: True)


def test_three_columns_say_what_lots_hourly_cards_and_own_cards_cost() -> None:
    lots, hourly, owned = study_of(owning()).ways
    assert [one.way for one in (lots, hourly, owned)] == list(RentalWay)
    assert (lots.plan_id, lots.cost) == ("B/lots:rtx-4090", Decimal("54.72"))
    assert (hourly.cost, hourly.per_card_hour) == (Decimal("0.64"), Decimal("0.40"))
    # 1,019 / 5,095 + 0.126 = 0.326 an hour in use; x 1.6 h = 0.5216
    assert owned.per_card_hour == Decimal("0.326")
    assert owned.cost == Decimal("0.5216")
    # A term of 72 h passes whole: (1,019 / 8,760 + 0.126) x 72 = 17.4473
    days, cost = owned.terms[0]
    assert days == 3
    assert isinstance(cost, Decimal)
    assert round(cost, 4) == Decimal("17.4473")


def test_a_column_in_another_currency_is_converted_and_absent_without_a_rate() -> None:
    dollars = HIVENET.replaced(currency="USD")
    quote = source_quote().replaced(offers=(dollars, LOT_4090))
    assert study_of(quote).ways[1].cost == Absent("no_plan_of_this_way")
    rate = ExchangeRate(currency="USD", rate=Decimal("0.5"))
    quote = quote.replaced(pricing=quote.pricing.replaced(rates=(rate,)))
    assert study_of(quote).ways[1].cost == Decimal("0.32")  # 0.64 USD at 0.5


def test_owning_breaks_even_at_3719_hours_a_year_against_040_an_hour() -> None:
    # 1,019 / (0.40 - 0.126) = 3,718.98
    hourly = study_of(owning()).owning[0]
    assert isinstance(hourly.hours_a_year, Decimal)
    assert round(hourly.hours_a_year, 2) == Decimal("3718.98")
    assert "from 3,719 h of use a year" in owning_text(WORDS, source_quote(), hourly)


@pytest.mark.parametrize("name", ["price_per_card", "pue", "cards", "life_years"])
def test_a_blank_of_owning_leaves_its_figures_absent_and_says_which(name: str) -> None:
    study = study_of(owning(**{name: given(0) if name == "life_years" else Ownership().pue}))
    reason = study.ways[2].cost
    assert isinstance(reason, Absent)
    assert dict(reason.values) == {"field": name}
    assert study.owning[0].hours_a_year == reason


def test_energy_dearer_than_the_rent_never_breaks_even() -> None:
    assert study_of(owning(price_per_kwh=given(1))).owning[0].hours_a_year == Absent("owning_never_cheaper")


def test_the_frontier_within_the_limit_is_proven_and_starts_with_the_cheapest() -> None:
    quote = source_quote().replaced(offers=source_quote().offers[1:])
    frontier = study_of(quote).frontier
    assert isinstance(frontier, tuple)
    # Two lots of one card: 27.36 each; one of them alone would take 106 minutes.
    assert frontier[0].rent == Decimal("54.72")
    assert frontier[0].lots == (("lot-4090", 2, (3,)),)
    assert frontier[0].delivery_ms == 58 * MINUTE
    assert all(point.proven for point in frontier)


def test_the_frontier_of_long_work_goes_from_the_cheapest_to_the_shortest_term() -> None:
    # 10,000 times 12 minutes on up to 64 cards: a walk of forty plans would end within an hour of thirty days.
    frontier = study_of(many_equal_tasks(10_000, 64)).frontier
    assert isinstance(frontier, tuple)
    days = [point.delivery_ms / MS_PER_DAY for point in frontier]
    assert days[0] > 29
    assert days[-1] < 4
    assert all(point.proven for point in frontier)


def test_each_choice_of_the_frontier_opens_as_an_organisation_that_costs_and_delivers_the_same() -> None:
    quote = many_equal_tasks(1_000, 64)
    estimate = compared(quote, TODAY)
    frontier = study_of(quote).frontier
    assert isinstance(frontier, tuple)
    # A lot for 7 days or two for 3, and the rest by the hour: no plan of the two organisations holds that.
    assert [point.lots for point in frontier] == [(("lot-4090", 1, (7,)),), (("lot-4090", 2, (3,)),)]
    for point in frontier:
        opened = edits.organisation_within(quote, estimate.shown_organisation_id, point.delivery_ms, "within")
        plan = compared(opened, TODAY).shown_plan
        assert plan is not None
        assert plan.organisation_id == "C"
        assert (plan.rent, plan.timing.delivery_ms) == (point.rent, point.delivery_ms)
        assert plan.proven
        told = as_json(compared(opened, TODAY))["organisations"][-1]
        assert told["own_limit_ms"] == point.delivery_ms


def test_an_organisation_with_its_own_limit_never_outruns_it_nor_the_customers() -> None:
    quote = source_quote(limit=None, quota_cards=None)
    for length in (22, 30, 46):
        opened = edits.organisation_within(quote, "A", length * MINUTE, "within")
        plan = compared(opened, TODAY).shown_plan
        assert plan is not None
        assert plan.timing.delivery_ms <= length * MINUTE
        # The least tasks at once that do: 12 length a round after 10 of assembly.
        assert plan.timing.delivery_ms == max(22, length - (length - 22) % 12) * MINUTE
    stricter = source_quote(limit=minutes(30), quota_cards=None)
    opened = edits.organisation_within(stricter, "A", 46 * MINUTE, "within")
    plan = compared(opened, TODAY).shown_plan
    assert plan is not None
    assert plan.timing.delivery_ms <= 30 * MINUTE


@pytest.mark.parametrize(
    ("ms", "stated"),
    [
        (7 * MS_PER_DAY, ("7", TimeUnit.DAY)),
        (36_000, ("0.6", TimeUnit.MINUTE)),
        (104_886_000, ("29.135", TimeUnit.HOUR)),
        (605_400_000, ("10090", TimeUnit.MINUTE)),
        (1, ("0.01", TimeUnit.MINUTE)),
    ],
)
def test_an_own_limit_is_stated_in_the_largest_unit_that_few_decimals_say(
    ms: int, stated: tuple[str, TimeUnit]
) -> None:
    found = edits.organisation_within(source_quote(), "A", ms, "within").organisations[-1].limit
    assert found is not None
    assert (found.value, found.unit) == (Decimal(stated[0]), stated[1])


def test_the_fastest_within_a_budget_leaves_room_for_tax() -> None:
    quote = source_quote(quota_cards=None, budget=given("100"), limit=None)
    quote = quote.replaced(offers=(LOT_4090,))
    fastest = study_of(quote).fastest
    assert fastest is not None
    assert not isinstance(fastest, Absent)
    # 100 / 1.21 = 82.6 holds three lots of 27.36: ceil(8 / 3) x 12 + 10 = 46
    assert (fastest.rent, fastest.delivery_ms) == (Decimal("82.08"), 46 * MINUTE)


def test_the_terminal_prints_the_flips_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    sample = ["estimate", "--sample", "indice-de-las-obras", "--today", "2026-11-30"]
    main([*sample, "--json", "--flips"])
    told = json.loads(capsys.readouterr().out)["rental"]
    assert told["hourly_equivalents"][0]["terms"] == {"3": "28.80", "7": "67.20", "30": "288.00"}
    assert {one["quantity"] for one in told["flips"]} >= {"duration", "units", "lot_price"}
    main([*sample, "--language", "en"])
    text = capsys.readouterr().out
    assert "A faster plan saves no rent here" in text
    assert "When another plan is the cheapest" not in text


@pytest.mark.parametrize(("name", "is_said"), [("consultation-notes", True), ("indice-de-las-obras", False)])
def test_the_terminal_says_where_choices_are_timed_from_the_works_total(
    name: str, is_said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["estimate", "--sample", name, "--today", "2026-11-30", "--language", "en"])
    text = capsys.readouterr().out
    assert "Cheapest by delivery" in text
    assert ("Times are from the work's total" in text) is is_said
