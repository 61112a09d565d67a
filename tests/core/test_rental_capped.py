"""A cover within a cap is the cheapest of all choices within it."""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations_with_replacement, product

from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.rental.capped import CappedClass, cheapest_capped_cover
from estimator.rental.cover import least_cost_for_deadline
from estimator.rental.terms import TermPrice
from estimator.rental.work import DeadlinePlan, WorkLot
from estimator.units import MS_PER_DAY, MS_PER_HOUR

options = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 12)), max_size=3).map(tuple)
classes = st.lists(
    st.builds(CappedClass, options=options, copies=st.integers(0, 3), counted=st.integers(1, 4)),
    min_size=1,
    max_size=4,
).map(tuple)


@given(classes, st.integers(1, 40), st.integers(1, 12))
@settings(max_examples=400, deadline=None)
def test_a_capped_cover_is_the_cheapest_of_all_within_the_cap(
    rows: tuple[CappedClass, ...], units: int, cap: int
) -> None:
    per_class = [
        list(
            combinations_with_replacement(
                ((0, 0, 0), *((*option, row.counted) for option in row.options)), row.copies
            )
        )
        for row in rows
    ]
    costs = [
        sum(one[0] for chosen in picks for one in chosen)
        for picks in product(*per_class)
        if sum(one[1] for chosen in picks for one in chosen) >= units
        and sum(one[2] for chosen in picks for one in chosen) <= cap
    ]
    found = cheapest_capped_cover(rows, units, cap)
    if found is None:
        assert not costs
        return
    assert found.cost == found.bound == min(costs)
    assert sum(item.copies * item.option[0] for item in found.taken) == found.cost
    assert sum(item.copies * item.option[1] for item in found.taken) >= units
    assert sum(item.copies * rows[item.index].counted for item in found.taken) <= cap


def test_a_quota_of_cards_takes_the_faster_dearer_lot() -> None:
    # 24 h each: 6 units in 3 days on two slow lots of 1 card (2 x 3), or on one fast lot of 1 card (12 h: 6).
    lots = (
        WorkLot("slow", 1, 24 * MS_PER_HOUR, (TermPrice(3, Decimal(10)),), 2, counted=1),
        WorkLot("fast", 1, 12 * MS_PER_HOUR, (TermPrice(3, Decimal(30)),), 1, counted=1),
    )
    free = least_cost_for_deadline(6, 3 * MS_PER_DAY, lots, cap=2)
    one_card = least_cost_for_deadline(6, 3 * MS_PER_DAY, lots, cap=1)
    assert isinstance(free, DeadlinePlan)
    assert isinstance(one_card, DeadlinePlan)
    assert (free.cost, one_card.cost) == (20, 30)
    assert one_card.proven
