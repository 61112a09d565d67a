"""Plans over several offers: lots of several models, hourly filler, a quota, forbidden sellers, bounds."""

from __future__ import annotations

from decimal import Decimal

import pytest

from estimator.catalogue import Card, HourlyOffer, Lot, TermPrice
from estimator.estimate import headline
from estimator.evidence import GIVEN, Stated, StatedDuration
from estimator.exports.json_text import as_json
from estimator.plan.mixing import Question, need_of
from estimator.plan.organising import shape_of
from estimator.quote import ForbiddenSeller, Organisation, Quote, Stage, StageLayout, Tasks, Workload
from estimator.results.estimate import OrganisationResult, Plan
from estimator.units import TimeUnit
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.answers import cards_answer
from tests.quotes import TODAY, compared, mixed_quote
from tests.quotes import mixing_quote as quote_with
from tests.quotes import term_lot as lot

HOUR = 3_600_000
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_US)


def result_of(quote: Quote) -> OrganisationResult:
    (result,) = headline(quote, TODAY).organisations
    return result


def mix_of(quote: Quote) -> Plan | None:
    return result_of(quote).plan("A/mix")


def held(plan: Plan) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {one.offer_id: (one.count, one.terms) for one in plan.holdings}


def test_one_fast_card_and_one_slow_card_together_are_the_cheapest() -> None:
    # 18 tasks of 12 h within 72 h: a 4090 does 6, a B200 12. One of each: 18 for 27 + 50 = 77.
    # Three 4090: only two in stock. Two B200: 100.
    quote = quote_with(
        lot("slow", "rtx-4090", "27", stock=2), lot("fast", "b200-sxm", "50"), tasks=18, hours=12, limit=72
    )
    plan = mix_of(quote)
    assert plan is not None
    assert held(plan) == {"slow": (1, (3,)), "fast": (1, (3,))}
    assert (plan.rent, plan.rent_bound, plan.proven) == (Decimal(77), Decimal(77), True)
    assert plan.timing.delivery_ms == 72 * HOUR
    assert sorted(plan.decision.card_ids) == ["b200-sxm", "rtx-4090"]
    assert {one.card_id for one in plan.verdicts} == set(plan.decision.card_ids)
    assert compared(quote, TODAY).recommended_plan_id == "A/mix"


def test_each_model_takes_its_own_time_in_the_schedule_of_a_mix() -> None:
    quote = quote_with(
        lot("slow", "rtx-4090", "27", stock=2), lot("fast", "b200-sxm", "50"), tasks=18, hours=12, limit=72
    )
    plan = mix_of(quote)
    assert plan is not None
    schedule = plan.timing.schedule
    lengths = {
        plan.timing.card_ids[card]: each
        for card, each in zip(schedule.run_card.tolist(), schedule.run_duration_ms.tolist(), strict=True)
    }
    assert lengths == {"rtx-4090": 12 * HOUR, "b200-sxm": 6 * HOUR}


def test_lots_of_two_models_and_a_card_by_the_hour_share_the_work() -> None:
    # 6 tasks on the 4090, 12 on the B200, the last by the hour: 20 + 50 + 12 x 0.40
    plan = mix_of(mixed_quote())
    assert plan is not None
    assert (plan.rent, plan.proven) == (Decimal("74.80"), True)
    assert [(one.offer_id, one.cards) for one in plan.holdings] == [("slow", 1), ("fast", 1), ("hour", 1)]


def test_hourly_cards_fill_what_a_lot_leaves() -> None:
    # 7 tasks of 12 h within 72 h: one lot does 6 for 27, one more task by the hour costs 12 x 0.40 = 4.80.
    hourly = HourlyOffer(id="hour", name="hour", card_id="rtx-4090", price_per_card_hour=Decimal("0.40"))
    quote = quote_with(lot("slow", "rtx-4090", "20"), hourly, tasks=7, hours=12, limit=72)
    plan = mix_of(quote)
    assert plan is not None
    assert held(plan)["slow"] == (1, (3,))
    assert plan.rent == Decimal("24.80")
    assert plan.proven


def test_a_mix_that_saves_nothing_is_not_offered() -> None:
    quote = quote_with(
        lot("slow", "rtx-4090", "27"), lot("fast", "b200-sxm", "60"), tasks=6, hours=12, limit=72
    )
    assert mix_of(quote) is None


def test_a_quota_of_two_cards_binds_the_mix() -> None:
    # 18 tasks need 3 x 4090 (60) or 1 + 1 (20 + 50): with a quota of two cards only the dearer one is left.
    offers = (lot("slow", "rtx-4090", "20"), lot("fast", "b200-sxm", "50"))
    free = result_of(quote_with(*offers, tasks=18, hours=12, limit=72))
    assert free.plan("A/mix") is None
    assert free.best_plan_id == "A/lots:rtx-4090"
    capped = mix_of(quote_with(*offers, tasks=18, hours=12, limit=72, quota=2))
    assert capped is not None
    assert (capped.decision.cards, capped.rent, capped.proven) == (2, Decimal(70), True)


def test_stated_tasks_at_once_bind_the_mix() -> None:
    offers = (lot("slow", "rtx-4090", "27", stock=2), lot("fast", "b200-sxm", "50", stock=1))
    plan = mix_of(quote_with(*offers, tasks=18, hours=12, limit=72, at_once=2))
    assert plan is not None
    assert plan.timing.cards == 2


def test_offers_of_a_forbidden_seller_are_left_out_with_the_reason() -> None:
    quote = quote_with(
        lot("slow", "rtx-4090", "27"),
        tasks=6,
        hours=12,
        limit=72,
        forbidden_sellers=(ForbiddenSeller(seller=" s ", reason="data must stay in the EU"),),
    )
    result = result_of(quote)
    assert result.plans == ()
    ((offer, reason),) = result.excluded
    assert (offer, reason.code) == ("slow", "seller_forbidden")
    assert "data must stay in the EU" in WORDS.absent(reason)


def test_lots_of_one_offer_with_a_month_cheaper_than_7_and_3_days_hold_the_month() -> None:
    terms = tuple(TermPrice(days=days, price=Decimal(price)) for days, price in ((3, 50), (7, 90), (30, 120)))
    long = lot("slow", "rtx-4090", "50").replaced(terms=terms)
    quote = quote_with(long, tasks=20, hours=12, limit=240)  # 10 days
    plan = result_of(quote).plan("A/lots:rtx-4090")
    assert plan is not None
    assert held(plan) == {"slow": (1, (30,))}


def test_lots_held_for_several_terms_state_how_far_from_proven_they_are() -> None:
    # 7 tasks of 12 h on two cards: 4 and 3 tasks, one card for 48 h; both lots end within a term of 1 day x 2.
    quote = quote_with(lot("slow", "rtx-4090", "10", days=1), tasks=7, hours=12, limit=48, at_once=2)
    plan = result_of(quote).plan("A/lots:rtx-4090")
    assert plan is not None
    assert plan.rent_bound is not None
    assert plan.rent_gap is not None
    assert plan.rent_bound <= Decimal(40)
    assert plan.proven == (plan.rent == plan.rent_bound)


def test_a_mix_is_told_by_model_in_the_answer_and_in_json() -> None:
    quote = quote_with(
        lot("slow", "rtx-4090", "27", stock=2), lot("fast", "b200-sxm", "50"), tasks=18, hours=12, limit=72
    )
    result = compared(quote, TODAY)
    assert "1 × RTX 4090 + 1 × B200" in cards_answer(WORDS, result).line
    (plan,) = [one for one in as_json(result)["organisations"][0]["plans"] if one["id"] == "A/mix"]
    assert sorted(plan["models"]) == ["b200-sxm", "rtx-4090"]
    assert (plan["rent"], plan["rent_bound"], plan["rent_gap"]) == ("77", "77", 0.0)


@pytest.mark.parametrize("price", ["1", "30", "500"])
def test_the_bound_is_never_above_the_rent(price: str) -> None:
    quote = quote_with(
        lot("slow", "rtx-4090", price, stock=2, cards=2),
        lot("fast", "b200-sxm", "50"),
        tasks=31,
        hours=9,
        limit=100,
    )
    for plan in result_of(quote).plans:
        assert plan.rent_bound is not None
        assert not isinstance(plan.rent, Decimal) or plan.rent_bound <= plan.rent


def test_the_set_up_of_one_lot_is_no_burden_of_another() -> None:
    # The fast lot needs 6 h of set-up: 11 tasks of 6 h in the 66 h left. The slow one has none: 6 of 12 h in 72 h.
    # The stock of either is too small for the three cards that the limit asks for alone.
    slow = lot("slow", "rtx-4090", "27", stock=1)
    fast = lot("fast", "b200-sxm", "50", stock=2).replaced(
        setup=StatedDuration(value=Decimal(6), unit=TimeUnit.HOUR)
    )
    plan = mix_of(quote_with(fast, slow, tasks=17, hours=12, limit=72))
    assert plan is not None
    assert held(plan) == {"fast": (1, (3,)), "slow": (1, (3,))}
    assert plan.timing.delivery_ms == 72 * HOUR


def test_work_in_parts_is_bounded_without_the_parts_that_no_slot_counts() -> None:
    # Three tasks of 71.9, 71.9 and 71.89 h run on the three cards of one lot in its term of 72 h, for 90. Cut into
    # 400 parts of 0.539 h a card counts 133 whole ones, 399 in all: a bound on 400 would ask for a second lot.
    tasks = Tasks(count=(2, 1), duration=(Decimal("71.9"), Decimal("71.89")), unit=TimeUnit.HOUR)
    three = Lot(id="three", name="Lot", card_id="c", cards=3, terms=(TermPrice(days=3, price=Decimal(90)),))
    organisation = Organisation(id="A", layouts=(StageLayout(stage_id="s", tasks_at_once=3),))
    quote = Quote(
        workload=Workload(
            stages=(Stage(id="s", name="Solve", tasks=tasks),),
            mutual_slow_down=Stated(value=Decimal(1), evidence=GIVEN),
        ),
        organisations=(organisation,),
        cards=(Card(id="c", name="Card", marketed_gb=Decimal(24)),),
        offers=(three,),
    )
    (plan,) = compared(quote).plans
    assert plan.rent == 90
    need = need_of(quote, organisation, plan.timing)
    asked = Question(quote, organisation, shape_of(quote, organisation), need, cap_slots=True)
    bound = asked.bound((three,), 72 * 3_600_000)
    assert bound is not None
    assert bound <= 90
