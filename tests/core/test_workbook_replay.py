"""A plan re-timed by what each row follows gives the plan's own times."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.catalogue import Card, HourlyOffer
from estimator.evidence import GIVEN, Stated, StatedDuration
from estimator.exports.workbook import replay as replay_module
from estimator.exports.workbook.lots_sheet import sessions_of
from estimator.exports.workbook.replay import Replay, held_ms, replay_of
from estimator.plan.when import release_ms
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
from estimator.quote.work import ResourceKind
from estimator.results.estimate import Timing
from tests.quotes import compared

D = Decimal


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


def replayed(quote: Quote) -> tuple[Replay, Timing]:
    found = compared(quote)
    shown = found.shown
    assert shown is not None
    assert isinstance(shown.timing, Timing), shown.timing
    return replay_of(quote, quote.organisations[0], found.shown_plan, shown.timing), shown.timing


def times_by_following(quote: Quote, replay: Replay) -> list[int]:
    """Return each row's start by its own rule, as the sheet's formulas do."""
    place = {stage.id: index for index, stage in enumerate(quote.workload.stages)}
    rows = replay.rows
    starts: dict[int, int] = {}

    def end_of(at: int) -> int:
        row = rows[at]
        return start_of(at) + row.each_ms * (1 if row.together else row.count)

    def start_of(at: int) -> int:
        if at not in starts:
            row = rows[at]
            stage = quote.workload.stages[row.stage]
            terms = [release_ms(quote, stage), *(replay.fleet.ready_ms[card] for card in row.cards)]
            for before in stage.after:
                if stage.streams(before):
                    continue
                low, high = replay.of_stage(place[before])
                terms += [end_of(one) for one in range(low, high + 1)]
            terms += [end_of(one) for one in row.after]
            terms += [start_of(one) + held_ms(quote, rows[one], key) for one, key in row.released]
            starts[at] = max(terms)
        return starts[at]

    return [start_of(at) for at in range(len(rows))]


@settings(max_examples=80, deadline=None)
@given(quotes())
def test_following_gives_the_times_of_the_plan(quote: Quote) -> None:
    replay, timing = replayed(quote)
    assert [row.planned_ms for row in replay.rows] == [None] * len(replay.rows)
    assert times_by_following(quote, replay) == [row.start_ms for row in replay.rows]
    assert max(row.end_ms for row in replay.rows) == timing.delivery_ms
    assert sum(row.count for row in replay.rows) == sum(stage.tasks.total for stage in quote.workload.stages)


@settings(max_examples=40, deadline=None)
@given(quotes(), st.booleans())
def test_the_sessions_of_cards_are_those_that_are_paid(quote: Quote, hold: bool) -> None:
    quote = quote.replaced(pricing=quote.pricing.replaced(hold_through_assembly=hold))
    found = compared(quote)
    plan = found.shown_plan
    assert plan is not None
    replay = replay_of(quote, quote.organisations[0], plan, plan.timing)
    offer = quote.offers[0]
    setup_ms = offer.setup.ms if offer.setup is not None else 0
    paid = 0
    sessions = sessions_of(replay, hold)
    at = 0
    while at < len(sessions):
        last = at
        while last + 1 < len(sessions) and sessions[last + 1].joins:
            last += 1
        end = max(one.end_ms for one in sessions[at : last + 1])
        end = max(end, plan.timing.delivery_ms) if hold else end
        length = end - sessions[at].start_ms + (setup_ms or 0)
        paid += -(-length // 1000) * 1000
        at = last + 1
    assert paid == plan.holdings[0].paid_card_ms


def test_cards_do_not_wait_for_each_other_where_a_cap_is_no_constraint() -> None:
    stage = Stage(id="s", name="S", tasks=Tasks(count=(8,), duration=(D(12),)))
    layout = StageLayout(stage_id="s", tasks_at_once=2, policy=AssignmentPolicy.AVAILABILITY)
    quote = Quote(
        workload=Workload(stages=(stage,)),
        organisations=(Organisation(id="A", layouts=(layout,)),),
    )
    replay, _ = replayed(quote)
    for row in replay.rows:
        assert all(replay.rows[one].cards == row.cards for one in row.after)


def test_above_the_limit_a_row_is_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_module, "MOST_TASK_ROWS", 5)
    stage = Stage(id="s", name="S", tasks=Tasks(count=(8,), duration=(D(12),)))
    pack = Stage(
        id="p", name="P", kind=StageKind.STATION, after=("s",), tasks=Tasks(count=(3,), duration=(D(2),))
    )
    organisation = Organisation(id="A", layouts=(StageLayout(stage_id="s", tasks_at_once=2),))
    quote = Quote(workload=Workload(stages=(stage, pack)), organisations=(organisation,))
    replay, timing = replayed(quote)
    assert replay.is_whole_runs
    # Two cards with four tasks each, then three packings that start together: 4 × 12 + 2 = 50 min.
    assert [(row.count, row.together) for row in replay.rows] == [(4, False), (4, False), (3, True)]
    assert times_by_following(quote, replay) == [0, 0, 48 * 60_000]
    assert timing.delivery_ms == 50 * 60_000
