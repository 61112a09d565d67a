"""Whole lots for tasks at once: least cost, ties, nodes, stock and reasons."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.problems import Absent
from estimator.rental.plan import LotNeed, LotOffer, LotPlan, plan_lots, slots_in
from estimator.rental.terms import TermPrice, cover_days
from estimator.units import MS_PER_DAY, MS_PER_HOUR

WEEK = (TermPrice(7, Decimal(540)),)


def lot(name: str, cards: int, price: str, *, node: int | None = None, stock: int | None = None) -> LotOffer:
    return LotOffer(name, cards, node or cards, (TermPrice(7, Decimal(price)),), stock)


def planned(need: LotNeed, *offers: LotOffer) -> LotPlan:
    plan = plan_lots(need, offers)
    assert isinstance(plan, LotPlan)
    return plan


def counts(plan: LotPlan) -> dict[str, int]:
    return {holding.offer_id: holding.count for holding in plan.holdings}


offers_of_three = st.lists(
    st.tuples(
        st.integers(1, 8),
        st.sampled_from([1, 2, 4, 8]),
        st.integers(0, 50),
        st.sampled_from([None, 0, 1, 2, 3]),
    ),
    min_size=1,
    max_size=3,
).map(
    lambda rows: tuple(
        LotOffer(
            f"L{index}",
            cards,
            node,
            (TermPrice(3, Decimal(price)), TermPrice(7, Decimal(price * 2 + 1))),
            stock,
        )
        for index, (cards, node, price, stock) in enumerate(rows)
    )
)


@given(offers_of_three, st.integers(1, 7), st.integers(1, 3), st.booleans(), st.integers(0, 9 * MS_PER_DAY))
@settings(max_examples=200, deadline=None)
def test_a_plan_is_the_best_of_all_counts(
    offers: tuple[LotOffer, ...], slots: int, width: int, crosses: bool, busy_ms: int
) -> None:
    days = max(1, -(-busy_ms // MS_PER_DAY))
    best: tuple[Decimal, int, int] | None = None
    for copies in product(
        *(range(min(slots, slots if offer.stock is None else offer.stock) + 1) for offer in offers)
    ):
        held = [
            (offer, count, cover_days(offer.terms, days)) for offer, count in zip(offers, copies, strict=True)
        ]
        if sum(slots_in(o.cards, o.cards_per_node, width, crosses) * c for o, c, _ in held) >= slots:
            found = (
                sum((cover.cost * c for _, c, cover in held if cover), Decimal(0)),
                sum(o.cards * c for o, c, _ in held),
                sum(cover.held_days * c for _, c, cover in held if cover),
            )
            best = found if best is None else min(best, found)
    plan = plan_lots(LotNeed(slots, width, crosses, busy_ms), offers)
    if best is None:
        assert isinstance(plan, Absent)
        return
    assert isinstance(plan, LotPlan)
    assert (plan.cost, plan.cards, sum(h.count * h.cover.held_days for h in plan.holdings)) == best
    assert plan.slots >= slots
    assert plan.spare_cards == plan.cards - slots * width
    assert plan.cost == sum(holding.cost for holding in plan.holdings)


def test_a_task_stays_inside_a_lot_whatever_the_total_of_cards() -> None:
    plan = plan_lots(LotNeed(slots=1, cards_per_task=4), (lot("pair", 2, "100"),))
    assert plan == Absent("task_wider_than_lot", values=(("cards_per_task", 4),))


def test_a_task_stays_inside_a_node_unless_it_may_cross() -> None:
    # 8 cards in nodes of 4, tasks of 3: one a node, 2 in all, with 2 cards idle; crossing: 8 // 3 = 2.
    # 8 cards in nodes of 2, tasks of 3: none; crossing: 2.
    assert slots_in(8, 4, 3, may_cross_nodes=False) == 2
    assert slots_in(8, 2, 3, may_cross_nodes=False) == 0
    assert slots_in(8, 2, 3, may_cross_nodes=True) == 2


def test_a_lot_with_an_unfilled_last_node_counts_only_the_cards_it_has() -> None:
    # 6 cards in nodes of 4: one of 4 and one of 2; tasks of 2: 2 + 1.
    assert slots_in(6, 4, 2, may_cross_nodes=False) == 3


def test_two_small_lots_are_taken_when_a_large_one_costs_more() -> None:
    plan = planned(LotNeed(slots=4), lot("two", 2, "100"), lot("four", 4, "201"))
    assert counts(plan) == {"two": 2}
    assert plan.cost == 200


def test_at_equal_cost_the_fewer_cards_are_taken_then_the_first_id() -> None:
    assert counts(planned(LotNeed(slots=3), lot("a", 4, "100"), lot("b", 3, "100"))) == {"b": 1}
    assert counts(planned(LotNeed(slots=2), lot("b", 2, "100"), lot("a", 2, "100"))) == {"a": 1}


def test_a_limited_stock_is_topped_up_with_the_next_cheapest() -> None:
    plan = planned(LotNeed(slots=5), lot("cheap", 2, "100", stock=2), lot("dear", 1, "90"))
    assert counts(plan) == {"cheap": 2, "dear": 1}


def test_a_stock_too_small_says_how_many_tasks_it_holds() -> None:
    plan = plan_lots(LotNeed(slots=5), (lot("a", 2, "100", stock=2),))
    assert plan == Absent("stock_too_small", values=(("needed", 5), ("available", 4)))


def test_no_lots_and_no_prices_are_two_reasons() -> None:
    assert plan_lots(LotNeed(slots=1), ()) == Absent("no_lots")
    assert plan_lots(LotNeed(slots=1), (LotOffer("a", 2, 2, ()),)) == Absent("no_term_price")


def test_card_time_is_paid_for_whole_terms_of_all_cards() -> None:
    plan = planned(LotNeed(slots=3, busy_ms=MS_PER_HOUR), LotOffer("a", 2, 2, WEEK))
    assert plan.paid_card_ms == 4 * 7 * MS_PER_DAY
    assert plan.proven


def test_a_need_of_thousands_of_slots_is_exact() -> None:
    # 1,001 slots: 125 x 8 = 1,000 and one card more. 125 x 700 + 100 = 87,600; 126 x 700 = 88,200.
    plan = planned(LotNeed(slots=1001), lot("eight", 8, "700"), lot("one", 1, "100"))
    assert counts(plan) == {"eight": 125, "one": 1}
    assert plan.cost == 87_600


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 50)), min_size=1, max_size=4), st.integers(200, 400)
)
@settings(max_examples=60, deadline=None)
def test_a_need_of_hundreds_of_slots_costs_what_a_plain_table_says(
    rows: list[tuple[int, int]], slots: int
) -> None:
    table = [0]
    for needed in range(1, slots + 1):
        table.append(min(table[max(0, needed - cards)] + cost for cards, cost in rows))
    offers = tuple(lot(str(number), cards, str(cost)) for number, (cards, cost) in enumerate(rows))
    assert planned(LotNeed(slots), *offers).cost == table[slots]


def test_a_need_without_slots_and_a_lot_without_cards_are_refused() -> None:
    with pytest.raises(ValueError, match="slot"):
        LotNeed(slots=0)
    with pytest.raises(ValueError, match="card"):
        LotOffer("a", 0, 1, WEEK)
    with pytest.raises(ValueError, match="stock"):
        LotOffer("a", 1, 1, WEEK, stock=-1)
