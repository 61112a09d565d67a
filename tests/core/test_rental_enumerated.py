"""Plans for a deadline against every raw sequence of terms of every copy, on random small catalogues."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations_with_replacement, product

from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.problems import Absent
from estimator.rental.cover import cost_time_frontier, least_cost_for_deadline, least_time_for_budget
from estimator.rental.hourly import Billing
from estimator.rental.terms import TermPrice
from estimator.rental.work import DeadlinePlan, WorkHourly, WorkLot
from estimator.units import MS_PER_HOUR

HOUR, DAY = 1, 24  # the enumeration counts in hours


@dataclass(frozen=True)
class Case:
    """A workload of `units`, by `deadline` hours; an hourly offer of one card a slot or none."""

    lots: tuple[WorkLot, ...]
    hourly: WorkHourly | None
    units: int
    deadline: int


def sequences(lot: WorkLot, longest: int) -> list[tuple[int, int]]:
    """Every sequence of terms as (hours held, cost), up to the first that holds for `longest` hours; and none."""
    found, open_ = {(0, 0)}, {(0, 0)}
    while open_:
        longer = {
            (held + term.days * DAY, cost + int(term.price))
            for held, cost in open_
            if held < longest
            for term in lot.terms
        }
        open_ = longer - found
        found |= longer
    return sorted(found)


def work_by(moment: int, held: int, lot: WorkLot) -> int:
    usable = min(moment, held) - lot.setup_ms // MS_PER_HOUR
    return lot.slots * max(0, usable // (lot.unit_ms // MS_PER_HOUR))


def enumerated(case: Case) -> list[tuple[int, int]]:
    """Every (cost, hours to the last unit) of every choice that meets the deadline."""
    per_lot = []
    for lot in case.lots:
        copies = combinations_with_replacement(sequences(lot, case.deadline), lot.stock or 0)
        per_lot.append([[(held, cost, lot) for held, cost in picks if held] for picks in copies])
    hourly, shares = case.hourly, [()]
    if hourly is not None:
        shares = list(combinations_with_replacement(range(case.units + 1), hourly.slots))
    found = set()
    for picks in product(*per_lot):
        held = [one for row in picks for one in row]
        spent = sum(cost for _, cost, _ in held)
        for share in shares:
            cost = spent
            if hourly is not None:
                length = hourly.unit_ms // MS_PER_HOUR
                setup = hourly.setup_ms // MS_PER_HOUR
                cost += sum(int(hourly.rate) * (setup + n * length) for n in share if n)
            for moment in range(1, case.deadline + 1):
                done = sum(work_by(moment, hours, lot) for hours, _, lot in held)
                if hourly is not None:
                    done += sum(min(n, max(0, (moment - setup) // length)) for n in share)
                if done >= case.units:
                    found.add((cost, moment))
                    break
    return sorted(found)


@st.composite
def cases(draw: st.DrawFn, with_hourly: bool) -> Case:
    lots = []
    for name in "ab"[: draw(st.integers(0 if with_hourly else 1, 2))]:
        days = draw(st.sampled_from([(3,), (3, 7), (7,), (3, 7, 30)]))
        prices = tuple(TermPrice(each, Decimal(draw(st.integers(5, 40)))) for each in days)
        setup = draw(st.integers(0, 3)) * MS_PER_HOUR
        unit = draw(st.integers(5, 60)) * MS_PER_HOUR
        lots.append(WorkLot(name, draw(st.integers(1, 3)), unit, prices, draw(st.integers(1, 2)), setup))
    hourly = None
    if with_hourly:
        unit = draw(st.integers(5, 60)) * MS_PER_HOUR
        setup = draw(st.integers(0, 2)) * MS_PER_HOUR
        slots, rate = draw(st.integers(1, 2)), Decimal(draw(st.integers(1, 3)))
        hourly = WorkHourly(slots, 1, unit, rate, Billing(3600, 0), setup)
    most = 5 if with_hourly else 12
    return Case(tuple(lots), hourly, draw(st.integers(1, most)), draw(st.integers(1, 8 * DAY)))


@given(cases(with_hourly=False))
@settings(max_examples=60, deadline=None)
def test_least_cost_frontier_and_least_time_are_those_of_all_sequences(case: Case) -> None:
    asked = (case.units, case.deadline * MS_PER_HOUR)
    choices = enumerated(case)
    plans = cost_time_frontier(*asked, case.lots)
    if not choices:
        assert plans == Absent("deadline_not_met")
        return
    assert not isinstance(plans, Absent)
    best = [
        one for one in choices if not any(o != one and o[0] <= one[0] and o[1] <= one[1] for o in choices)
    ]
    assert [(plan.cost, plan.finish_ms // MS_PER_HOUR) for plan in plans] == best
    budget = (best[0][0] + best[-1][0]) // 2
    in_budget = min((time, cost) for cost, time in choices if cost <= budget)
    fastest = least_time_for_budget(*asked, Decimal(budget), case.lots)
    assert isinstance(fastest, DeadlinePlan)
    assert (fastest.finish_ms // MS_PER_HOUR, fastest.cost) == in_budget


@given(cases(with_hourly=True))
@settings(max_examples=60, deadline=None)
def test_lots_and_hourly_cards_mixed_are_the_cheapest_of_all_shares(case: Case) -> None:
    plan = least_cost_for_deadline(case.units, case.deadline * MS_PER_HOUR, case.lots, case.hourly)
    choices = enumerated(case)
    if not choices:
        assert plan == Absent("deadline_not_met")
        return
    assert isinstance(plan, DeadlinePlan)
    assert plan.cost == min(choices)[0]
    assert plan.finish_ms <= case.deadline * MS_PER_HOUR
