"""A plan re-timed by what each row follows gives the plan's own times."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.catalogue import Card, HourlyOffer, Lot, TermPrice
from estimator.evidence import GIVEN, Stated, StatedDuration
from estimator.plan import fixed as fixed_module
from estimator.plan.fixed import FixedPlan, fixed_plan
from estimator.plan.replay import Replayed, as_planned, replay
from estimator.plan.stated_values import with_value
from estimator.quote import (
    AssignmentPolicy,
    Organisation,
    Quote,
    ResourceNeed,
    SharedResource,
    Stage,
    StageKind,
    StageLayout,
    Tasks,
    Workload,
)
from estimator.quote.document import Fee, FeeBasis, FeeKind
from estimator.quote.work import ResourceKind
from estimator.results.estimate import Timing
from tests.quotes import compared

D = Decimal
TODAY = dt.date(2026, 11, 30)


def known(value: int | str) -> Stated:
    return Stated(value=D(value), evidence=GIVEN)


@st.composite
def quotes(draw: st.DrawFn) -> Quote:
    """Draw two to four stages in any order of waiting, with shared units, caps and several cards a task."""
    durations = st.integers(min_value=0, max_value=9).map(D)
    stages: list[Stage] = []
    layouts = []
    for index in range(draw(st.integers(2, 4))):
        groups = draw(st.integers(1, 3))
        kind = (
            draw(st.sampled_from([StageKind.INDEPENDENT, StageKind.STATION]))
            if index
            else StageKind.INDEPENDENT
        )
        after = tuple(f"s{before}" for before in range(index) if draw(st.booleans()))
        needs = []
        for resource in ("r", "q"):
            if draw(st.booleans()):
                hold = draw(st.one_of(st.none(), durations.map(lambda one: StatedDuration(value=one))))
                amount = known(draw(st.integers(1, 2)))
                needs.append(ResourceNeed(resource_id=resource, amount=amount, hold=hold))
        tasks = Tasks(
            count=tuple(draw(st.integers(1, 4)) for _ in range(groups)),
            duration=tuple(draw(durations) for _ in range(groups)),
        )
        shared = {
            one.id
            for one in stages
            if max(one.tasks.total, tasks.total) % min(one.tasks.total, tasks.total) == 0
        }
        release = draw(st.one_of(st.none(), durations.map(lambda one: StatedDuration(value=one))))
        stages.append(
            Stage(
                id=f"s{index}",
                name=f"S{index}",
                kind=kind,
                after=after,
                streams_from=tuple(one for one in after if one in shared and draw(st.booleans())),
                release=release,
                tasks=tasks,
                needs=tuple(needs),
            )
        )
        layouts.append(
            StageLayout(
                stage_id=f"s{index}",
                tasks_at_once=draw(st.sampled_from([1, 2, 3])),
                cards_per_task=draw(st.sampled_from([1, 1, 2])),
                policy=draw(st.sampled_from(list(AssignmentPolicy))),
                may_cross_nodes=True,
            )
        )
    resources = tuple(
        SharedResource(id=one, name=one, kind=ResourceKind.LICENCE, capacity=known(draw(st.integers(2, 4))))
        for one in ("r", "q")
    )
    setup = StatedDuration(value=draw(durations), evidence=GIVEN)
    offer = HourlyOffer(id="h", name="H", card_id="c", price_per_card_hour=D(1), setup=setup)
    return Quote(
        workload=Workload(stages=tuple(stages), resources=resources, mutual_slow_down=known("1.25")),
        organisations=(Organisation(id="A", layouts=tuple(layouts), mechanism="any"),),
        cards=(Card(id="c", name="C", marketed_gb=D(24)),),
        offers=(offer,),
    )


def held(quote: Quote) -> FixedPlan:
    """Return the plan shown of a quote, held fixed."""
    found = compared(quote, TODAY)
    shown = found.shown
    assert shown is not None
    assert isinstance(shown.timing, Timing), shown.timing
    return fixed_plan(quote, quote.organisations[0], found.shown_plan, shown.timing)


def same(one: Replayed, two: Replayed) -> bool:
    return (
        one.starts.tolist() == two.starts.tolist()
        and one.ends.tolist() == two.ends.tolist()
        and (one.stages, one.delivery_ms, one.busy_ms) == (two.stages, two.delivery_ms, two.busy_ms)
        and (one.holdings, one.price, one.outrun) == (two.holdings, two.price, two.outrun)
    )


@settings(max_examples=80, deadline=None)
@given(quotes(), st.booleans())
def test_without_an_edit_the_plan_has_its_own_times_sessions_and_price(quote: Quote, hold: bool) -> None:
    quote = quote.replaced(pricing=quote.pricing.replaced(hold_through_assembly=hold))
    fixed = held(quote)
    assert [row.planned_ms for row in fixed.rows] == [None] * len(fixed.rows)
    again = replay(quote, fixed)
    assert same(again, as_planned(fixed))
    assert again.starts.tolist() == [row.start_ms for row in fixed.rows]
    assert not again.changes_decision
    assert sum(row.count for row in fixed.rows) == sum(stage.tasks.total for stage in quote.workload.stages)


@settings(max_examples=60, deadline=None)
@given(quotes(), st.integers(0, 3), st.integers(0, 20))
def test_no_edit_of_a_time_breaks_an_order_a_card_or_a_capacity(
    quote: Quote, stage: int, minutes: int
) -> None:
    fixed = held(quote)
    stage %= len(quote.workload.stages)
    place = ("workload", "stages", quote.workload.stages[stage].id, "duration", "0")
    edited = replay(with_value(quote, place, D(minutes)), fixed)
    starts, ends = edited.starts.tolist(), edited.ends.tolist()
    by_card: dict[int, list[tuple[int, int]]] = {}
    for at, row in enumerate(fixed.rows):
        for card in row.cards:
            by_card.setdefault(card, []).append((starts[at], ends[at]))
        for before in quote.workload.stages[row.stage].after:
            index = next(n for n, one in enumerate(quote.workload.stages) if one.id == before)
            if not quote.workload.stages[row.stage].streams(before):
                assert edited.stages[index].end_ms <= starts[at]
    for spans in by_card.values():
        busy = sorted(span for span in spans if span[0] < span[1])
        assert all(one[1] <= two[0] for one, two in pairwise(busy))
    for resource in quote.workload.resources:
        changes: list[tuple[int, int]] = []
        for at, row in enumerate(fixed.rows):
            for need in edited.quote.workload.stages[row.stage].needs:
                if need.resource_id != resource.id:
                    continue
                each = (ends[at] - starts[at]) // (1 if row.together else row.count)
                hold = need.hold.ms if need.hold is not None else None
                taken = each if hold is None else min(hold, each)
                amount = int(need.amount.value or 0) * (row.count if row.together else 1)
                changes += [(starts[at], amount), (starts[at] + taken, -amount)] if taken else []
        used = 0
        for _, change in sorted(changes):
            used += change
            assert used <= (resource.capacity.value or 0)


def equal_quote(tasks: int = 8, at_once: int = 3) -> Quote:
    """Return equal tasks of 12 min on hourly cards at 0.40 an hour, then one assembly of 10 min."""
    stage = Stage(id="s", name="S", tasks=Tasks(count=(tasks,), duration=(D(12),)))
    pack = Stage(
        id="p", name="P", kind=StageKind.STATION, after=("s",), tasks=Tasks(count=(1,), duration=(D(10),))
    )
    layout = StageLayout(stage_id="s", tasks_at_once=at_once)
    return Quote(
        workload=Workload(stages=(stage, pack), mutual_slow_down=known(1)),
        organisations=(Organisation(id="A", layouts=(layout,)),),
        cards=(Card(id="c", name="C", marketed_gb=D(24)),),
        offers=(HourlyOffer(id="h", name="H", card_id="c", price_per_card_hour=D("0.40")),),
    )


@pytest.mark.parametrize(
    ("tasks", "minutes"), [(8, 36 + 10), (9, 36 + 10), (10, 48 + 10), (3, 12 + 10), (1000, 334 * 12 + 10)]
)
def test_the_count_of_evenly_shared_equal_tasks_can_be_followed(tasks: int, minutes: int) -> None:
    # Three cards: the fullest has ceil(tasks / 3) of 12 min, then 10 min off the cards.
    quote = equal_quote()
    fixed = held(quote)
    edited = with_value(quote, ("workload", "stages", "s", "count"), D(tasks))
    found = replay(edited, fixed)
    assert found.delivery_ms == minutes * 60_000
    # Equal tasks on equal cards: the fixed plan is what the engine would make of the edited quote.
    assert found.price == held(edited).plan.price  # type: ignore[union-attr]
    assert found.changes_decision == (tasks != 8)


def test_a_count_that_leaves_a_card_without_work_or_that_is_not_shared_evenly_is_refused() -> None:
    quote = equal_quote()
    fixed = held(quote)
    with pytest.raises(ValueError, match="cannot follow"):
        replay(with_value(quote, ("workload", "stages", "s", "count"), D(2)), fixed)
    with pytest.raises(ValueError, match="cannot follow"):
        replay(with_value(quote, ("workload", "stages", "p", "count"), D(2)), fixed)


def test_more_lots_cost_more_and_fewer_than_the_plan_uses_are_refused() -> None:
    lot = Lot(id="l", name="L", card_id="c", cards=2, terms=(TermPrice(days=3, price=D(10)),))
    quote = equal_quote().replaced(offers=(lot,))
    fixed = held(quote)
    assert fixed.used_copies("l") == 2  # three cards in lots of two
    more = replay(quote, fixed, {"l": 3})
    assert more.holdings[0].cost == 30
    assert more.holdings[0].paid_card_ms == 3 * 2 * 72 * 3_600_000
    assert more.delivery_ms == fixed.timing.delivery_ms
    assert (more.changes_decision, more.is_shown_optimal) == (True, False)
    with pytest.raises(ValueError, match="uses more lots"):
        replay(quote, fixed, {"l": 1})


def test_work_that_outruns_a_term_says_so() -> None:
    lot = Lot(id="l", name="L", card_id="c", cards=3, terms=(TermPrice(days=1, price=D(10)),))
    quote = equal_quote().replaced(offers=(lot,))
    fixed = held(quote)
    # Three tasks on the fullest card: 480 min each is 24 h, the term; a minute more outruns it.
    for minutes, outrun in ((480, ()), (481, ("l",))):
        edited = with_value(quote, ("workload", "stages", "s", "duration", "0"), D(minutes))
        assert replay(edited, fixed).outrun == outrun


def test_the_tax_changes_no_decision_but_beside_a_fee_by_plan_with_a_rate_of_its_own() -> None:
    tax = ("pricing", "tax_percent")
    plain = equal_quote()
    plain = plain.replaced(pricing=plain.pricing.replaced(tax_percent=known(21)))
    assert (
        replay(plain, held(plain)).is_shown_optimal
        == replay(with_value(plain, tax, D(4)), held(plain)).is_shown_optimal
    )
    fee = Fee(id="f", kind=FeeKind.OTHER, price=known(1), basis=FeeBasis.CARD_HOURS, tax_percent=D(10))
    mixed = plain.replaced(pricing=plain.pricing.replaced(fees=(fee,)))
    assert replay(with_value(mixed, tax, D(4)), held(mixed)).changes_decision


def test_cards_do_not_wait_for_each_other_where_a_cap_is_no_constraint() -> None:
    stage = Stage(id="s", name="S", tasks=Tasks(count=(8,), duration=(D(12),)))
    layout = StageLayout(stage_id="s", tasks_at_once=2, policy=AssignmentPolicy.AVAILABILITY)
    quote = Quote(
        workload=Workload(stages=(stage,)),
        organisations=(Organisation(id="A", layouts=(layout,)),),
    )
    fixed = held(quote)
    for row in fixed.rows:
        assert all(fixed.rows[one].cards == row.cards for one in row.after)


def test_above_the_limit_a_row_is_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_module, "MOST_TASK_ROWS", 5)
    stage = Stage(id="s", name="S", tasks=Tasks(count=(8,), duration=(D(12),)))
    pack = Stage(
        id="p", name="P", kind=StageKind.STATION, after=("s",), tasks=Tasks(count=(3,), duration=(D(2),))
    )
    organisation = Organisation(id="A", layouts=(StageLayout(stage_id="s", tasks_at_once=2),))
    quote = Quote(workload=Workload(stages=(stage, pack)), organisations=(organisation,))
    fixed = held(quote)
    assert fixed.is_whole_runs
    # Two cards with four tasks each, then three packings that start together: 4 × 12 + 2 = 50 min.
    assert [(row.count, row.together) for row in fixed.rows] == [(4, False), (4, False), (3, True)]
    assert replay(quote, fixed).starts.tolist() == [0, 0, 48 * 60_000]
    assert fixed.timing.delivery_ms == 50 * 60_000
