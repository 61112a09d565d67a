"""The covering knapsack and the plans for a deadline: exact against enumeration, and what always holds."""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations_with_replacement, pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.problems import Absent
from estimator.rental.cover import (
    cost_time_frontier,
    frontier_by_terms,
    least_cost_for_deadline,
    least_time_for_budget,
)
from estimator.rental.covering import Choices, cheapest_cover
from estimator.rental.hourly import Billing
from estimator.rental.terms import TermPrice
from estimator.rental.work import DeadlinePlan, WorkHourly, WorkLot
from estimator.units import MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE

DAY = (TermPrice(1, Decimal(100)),)
options = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), max_size=3).map(tuple)
classes = st.lists(st.builds(Choices, options=options, copies=st.integers(0, 3)), min_size=1, max_size=4).map(
    tuple
)
work_lots = st.lists(
    st.builds(
        WorkLot,
        id=st.sampled_from("abc"),
        slots=st.integers(1, 4),
        unit_ms=st.integers(1, 30).map(lambda hours: hours * MS_PER_HOUR),
        terms=st.sampled_from(
            [
                (TermPrice(3, Decimal("9.5")), TermPrice(7, Decimal(18))),
                (TermPrice(3, Decimal(7)),),
                (TermPrice(1, Decimal(5)), TermPrice(3, Decimal(4))),
            ]
        ),
        stock=st.sampled_from([None, 1, 2]),
        setup_ms=st.sampled_from([0, MS_PER_HOUR]),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda lot: lot.id,
).map(tuple)


@given(classes, st.integers(1, 60))
@settings(max_examples=400, deadline=None)
def test_a_cover_with_choices_is_the_cheapest_of_all(rows: tuple[Choices, ...], units: int) -> None:
    per_class = [list(combinations_with_replacement(((0, 0), *row.options), row.copies)) for row in rows]
    costs = [
        sum(cost for chosen in picks for cost, _ in chosen)
        for picks in product(*per_class)
        if sum(size for chosen in picks for _, size in chosen) >= units
    ]
    taken = cheapest_cover(rows, units)
    if taken is None:
        assert not costs
        return
    assert sum(item.copies * item.option[0] for item in taken) == min(costs)
    assert sum(item.copies * item.option[1] for item in taken) >= units
    for index, row in enumerate(rows):
        assert sum(item.copies for item in taken if item.index == index) <= row.copies


@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(1, 12)), min_size=1, max_size=3).map(tuple),
    st.lists(st.tuples(st.integers(1, 60), st.integers(1, 12)), max_size=3).map(tuple),
    st.sampled_from([17, 40, 300]),
    st.integers(1, 300),
)
@settings(max_examples=150, deadline=None)
def test_many_equal_copies_are_decided_in_bundles_and_still_the_cheapest(
    first: tuple[tuple[int, int], ...], second: tuple[tuple[int, int], ...], copies: int, units: int
) -> None:
    """Against the plain recurrence: the least cost of (copies left, units left), class by class."""
    rows = (Choices(first, copies), Choices(second, 5))
    never = 10**9
    least = [
        [0] + [never] * units
    ]  # after 0, 1, ... copies of a class: cost to have reached at least u units
    for row in rows:
        for _ in range(row.copies):
            before = least[-1]
            now = list(before)
            for cost, size in row.options:
                for reached in range(units + 1):
                    now[reached] = min(now[reached], before[max(0, reached - size)] + cost)
            if now == before:
                break
            least.append(now)
        least = [least[-1]]
    taken = cheapest_cover(rows, units)
    if taken is None:
        assert least[0][units] >= never
        return
    assert sum(item.copies * item.option[0] for item in taken) == least[0][units]
    assert sum(item.copies * item.option[1] for item in taken) >= units
    for index, row in enumerate(rows):
        assert sum(item.copies for item in taken if item.index == index) <= row.copies


@given(work_lots, st.integers(1, 30))
@settings(max_examples=30, deadline=None)
def test_along_a_frontier_time_falls_as_cost_rises_and_each_plan_is_found_again(
    lots: tuple[WorkLot, ...], units: int
) -> None:
    frontier = cost_time_frontier(units, 10 * MS_PER_DAY, lots)
    if isinstance(frontier, Absent):
        return
    for cheaper, faster in pairwise(frontier):
        assert cheaper.cost < faster.cost
        assert cheaper.finish_ms > faster.finish_ms
    for plan in frontier:
        again = least_time_for_budget(units, 10 * MS_PER_DAY, plan.cost, lots)
        assert isinstance(again, DeadlinePlan)
        assert (again.cost, again.finish_ms) == (plan.cost, plan.finish_ms)


@given(work_lots, st.integers(1, 30))
@settings(max_examples=30, deadline=None)
def test_the_frontier_by_terms_is_part_of_the_whole_and_begins_with_the_cheapest(
    lots: tuple[WorkLot, ...], units: int
) -> None:
    whole = cost_time_frontier(units, 10 * MS_PER_DAY, lots)
    by_terms = frontier_by_terms(units, 10 * MS_PER_DAY, lots)
    if isinstance(whole, Absent) or isinstance(by_terms, Absent):
        assert whole == by_terms
        return
    assert by_terms[0].cost == whole[0].cost
    for plan in by_terms:
        # Each costs what the whole frontier asks for its time.
        assert plan.cost == min(one.cost for one in whole if one.finish_ms <= plan.finish_ms)
    assert all(one.cost < two.cost and one.finish_ms > two.finish_ms for one, two in pairwise(by_terms))


@given(
    st.integers(1, 9), st.integers(1, 3), st.integers(1, 200), st.sampled_from([(1, 0), (60, 90), (3600, 60)])
)
@settings(max_examples=100, deadline=None)
def test_hourly_slots_share_units_at_least_cost(
    units: int, slots: int, minutes: int, unit_and_minimum: tuple[int, int]
) -> None:
    hourly = WorkHourly(slots, 2, minutes * MS_PER_MINUTE, Decimal("1.30"), Billing(*unit_and_minimum))
    deadline = 4 * minutes * MS_PER_MINUTE  # four units a slot at most
    plan = least_cost_for_deadline(units, deadline, (), hourly)
    granularity, minimum = unit_and_minimum
    billed = [0] + [max(minimum, -(-n * minutes * 60 // granularity) * granularity) for n in range(1, 5)]
    shares = [s for s in product(range(5), repeat=slots) if sum(s) == units]
    if not shares:
        assert plan == Absent("deadline_not_met")
        return
    assert isinstance(plan, DeadlinePlan)
    seconds = min(sum(billed[n] for n in share) for share in shares)
    assert plan.cost == Decimal("1.30") * 2 * seconds / 3600


def test_eight_conversions_on_two_cards_end_after_48_minutes() -> None:
    # 8 x 12 min over 2 slots; one lot of two cards for a day.
    lots = (WorkLot("pair", 2, 12 * MS_PER_MINUTE, DAY),)
    plan = least_cost_for_deadline(8, 80 * MS_PER_MINUTE, lots)
    assert isinstance(plan, DeadlinePlan)
    assert plan.finish_ms == 48 * MS_PER_MINUTE
    assert plan.cost == 100


def test_a_deadline_that_no_choice_meets_says_so() -> None:
    lots = (WorkLot("pair", 2, 12 * MS_PER_MINUTE, DAY, stock=1),)
    assert least_cost_for_deadline(8, 47 * MS_PER_MINUTE, lots) == Absent("deadline_not_met")
    assert least_cost_for_deadline(8, MS_PER_DAY, ()) == Absent("deadline_not_met")


def test_a_budget_below_the_least_cost_says_what_that_is() -> None:
    lots = (WorkLot("pair", 2, 12 * MS_PER_MINUTE, DAY),)
    found = least_time_for_budget(8, MS_PER_DAY, Decimal(99), lots)
    assert found == Absent("budget_too_small", values=(("least_cost", Decimal(100)),))


def test_amounts_beyond_exact_arithmetic_are_refused_not_rounded() -> None:
    dear = (
        WorkLot("a", 1, MS_PER_HOUR, (TermPrice(1, Decimal("1e18")),), stock=1),
        WorkLot("b", 1, MS_PER_HOUR, (TermPrice(1, Decimal("1.01")),), stock=1),
    )
    assert least_cost_for_deadline(3, MS_PER_DAY, dear) == Absent("amount_too_large")


def test_work_without_units_is_refused() -> None:
    with pytest.raises(ValueError, match="unit"):
        least_cost_for_deadline(0, MS_PER_DAY, ())
