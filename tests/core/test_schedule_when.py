"""Hours, cards that leave, tasks that wait one by one, priorities: every rule kept, the bound against brute force."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.schedule import CycleFound, Policy, Problem, Schedule, Status, When, solve
from estimator.schedule.calendars import Calendar
from estimator.schedule.critical import critical_rows
from tests.core.test_schedule_invariants import plain, problems
from tests.schedule_rules import assert_keeps_every_rule

PERIOD = 12


def is_open(problem: Problem, calendar: int, moment: int) -> bool:
    """Whether a calendar is open just after a moment."""
    if calendar < 0:
        return True
    within = moment % problem.when.period_ms
    return any(begin <= within < end for begin, end in problem.when.calendars[calendar])


def windows(draw: st.DrawFn) -> tuple[tuple[int, int], ...]:
    """One to three windows of a short week."""
    marks = draw(st.lists(st.integers(0, PERIOD), min_size=2, max_size=6, unique=True).map(sorted))
    return tuple(zip(marks[::2], marks[1::2], strict=False))


@st.composite
def timed_problems(draw: st.DrawFn) -> Problem:
    """The small problems of the invariants with all that says when."""
    problem = draw(problems())
    stages, cards = problem.stage_count, problem.card_count
    calendars = tuple(windows(draw) for _ in range(draw(st.integers(0, 2))))
    number = st.integers(-1, len(calendars) - 1)

    def column(values: st.SearchStrategy[int], size: int) -> np.ndarray:
        return np.array(draw(st.lists(values, min_size=size, max_size=size)), dtype=np.int64)

    pairs = [(a, b) for a in range(stages) for b in range(a + 1, stages)]
    links = draw(st.lists(st.sampled_from(pairs), max_size=3)) if pairs else []
    tasks_in = problem.tasks_in()
    streams = tuple(
        (a, b)
        for a, b in links
        if not min(tasks_in[a], tasks_in[b])
        or max(tasks_in[a], tasks_in[b]) % min(tasks_in[a], tasks_in[b]) == 0
    )
    return replace(
        problem,
        when=When(
            streams=streams,
            priority=column(st.integers(0, 2), stages),
            calendars=calendars,
            period_ms=PERIOD,
            stage_calendar=column(number, stages),
            may_pause=column(st.integers(0, 1), stages),
            card_calendar=column(number, cards),
            card_until_ms=column(st.sampled_from([-1, -1, 20, 60]), cards),
        ),
    )


@settings(max_examples=120)
@given(timed_problems())
def test_every_schedule_keeps_every_rule_of_when(problem: Problem) -> None:
    schedule = solve(problem)
    if schedule.status is Status.INFEASIBLE:
        assert schedule.blocked
        return
    assert_keeps_every_rule(schedule, problem)


@settings(max_examples=40)
@given(timed_problems())
def test_the_best_plan_keeps_them_too_and_is_no_later_than_the_rules(problem: Problem) -> None:
    searched = replace(problem, policy=(Policy.BEST,) * problem.stage_count)
    best = solve(searched)
    by_rule = solve(replace(problem, policy=(Policy.LONGEST_FIRST,) * problem.stage_count))
    if best.status is Status.INFEASIBLE:
        assert by_rule.status is Status.INFEASIBLE
        return
    assert_keeps_every_rule(best, searched)
    assert by_rule.status is Status.INFEASIBLE or best.delivery_ms <= by_rule.delivery_ms


@settings(max_examples=40)
@given(timed_problems(), st.integers(0, 3), st.booleans())
def test_a_plan_started_from_one_under_tighter_rules_is_never_later(
    problem: Problem, more: int, always: bool
) -> None:
    plan = solve(problem)
    if plan.status is Status.INFEASIBLE:
        return
    when = problem.when
    until = np.array(when.filled("card_until_ms", problem.card_count))
    looser = replace(
        when,
        streams=when.streams[more:],
        stage_calendar=[] if always else when.stage_calendar,
        card_calendar=[] if always else np.append(when.card_calendar, [-1] * more),
        card_until_ms=np.append(np.where(until < 0, -1, until + more), [-1] * more),
    )
    relaxed = replace(
        problem,
        when=looser,
        after=problem.after[more:],
        card_model=np.append(problem.card_model, [0] * more),
        card_lot=np.append(problem.card_lot, [1] * more),
        card_node=np.append(problem.card_node, [1] * more),
        card_ready_ms=np.append(problem.card_ready_ms, [0] * more),
    )
    better = solve(relaxed, start=plan)
    assert better.delivery_ms <= plan.delivery_ms
    assert_keeps_every_rule(better, relaxed)


@settings(max_examples=25)
@given(timed_problems())
def test_the_best_over_up_to_so_many_cards_never_grows_with_the_cards(problem: Problem) -> None:
    known: Schedule | None = None
    for cards in range(1, problem.card_count + 1):
        columns = ("card_model", "card_lot", "card_node", "card_ready_ms")
        first = {name: getattr(problem, name)[:cards] for name in columns}
        when = {name: getattr(problem.when, name)[:cards] for name in ("card_calendar", "card_until_ms")}
        some = replace(problem, **first, when=replace(problem.when, **when))
        best = solve(some) if known is None else solve(some, start=known)
        if best.status is Status.INFEASIBLE:
            continue
        assert_keeps_every_rule(best, some)
        assert known is None or best.delivery_ms <= known.delivery_ms
        known = best


@st.composite
def tiny_timed_problems(draw: st.DrawFn) -> Problem:
    """Up to four single tasks over two stages on one or two equal cards, with hours, an end of rental, a stream."""
    tasks = draw(st.integers(1, 4))
    cards = draw(st.integers(1, 2))
    calendars = (windows(draw), windows(draw))
    stage = np.array(draw(st.lists(st.integers(0, 1), min_size=tasks, max_size=tasks)))
    numbers = [int((stage == one).sum()) for one in (0, 1)]
    shares = min(numbers) == 0 or max(numbers) % min(numbers) == 0
    is_stream = shares and draw(st.booleans())
    base = plain(draw(st.lists(st.integers(1, 5), min_size=tasks, max_size=tasks)), cards, Policy.BEST)
    return replace(
        base,
        stage=stage,
        cards=np.array(draw(st.lists(st.integers(0, cards), min_size=tasks, max_size=tasks))),
        stage_count=2,
        after=() if is_stream else ((0, 1),),
        release_ms=np.array([draw(st.integers(0, 3)), draw(st.integers(0, 9))]),
        policy=(Policy.BEST,) * 2,
        tasks_at_once=np.array([draw(st.sampled_from([-1, 1])), -1]),
        may_cross_nodes=np.zeros(2),
        when=When(
            streams=((0, 1),) if is_stream else (),
            calendars=calendars,
            period_ms=PERIOD,
            stage_calendar=[draw(st.integers(-1, 0)), draw(st.integers(-1, 0))],
            may_pause=[draw(st.integers(0, 1)), draw(st.integers(0, 1))],
            card_calendar=[draw(st.sampled_from([-1, 1]))] * cards,
            card_until_ms=[draw(st.sampled_from([-1, 30])), -1][:cards],
        ),
    )


def brute_force(problem: Problem) -> int | None:
    """The least delivery over all orders and choices of cards, each task as early as it goes; None if none."""
    tasks = problem.group_count
    until = problem.when.filled("card_until_ms", problem.card_count)
    of_stage = problem.when.filled("stage_calendar", 2)
    of_card = problem.when.filled("card_calendar", problem.card_count)
    pauses = problem.when.filled("may_pause", 2)
    horizon = 16 * PERIOD
    choices = [
        [
            c
            for c in product(range(problem.card_count), repeat=int(n))
            if len(set(c)) == n and list(c) == sorted(c)
        ]
        for n in problem.cards
    ]
    place = [int((problem.stage[:task] == problem.stage[task]).sum()) for task in range(tasks)]
    numbers = problem.tasks_in()
    best: int | None = None
    for order in permutations(range(tasks)):
        if any(problem.stage[a] > problem.stage[b] for a, b in pairwise(order)):
            continue
        for chosen in product(*choices):
            busy = np.zeros((problem.card_count, horizon), dtype=bool)
            running = np.zeros((2, horizon), dtype=int)
            ends: dict[int, int] = {}
            possible = True
            for task in order:
                stage, length = int(problem.stage[task]), int(problem.duration_ms[task, 0])
                start = int(problem.release_ms[stage])
                if stage == 1:
                    needed = [one for one in ends if problem.stage[one] == 0]
                    if problem.when.streams and min(numbers):
                        share = range(
                            place[task] * numbers[0] // numbers[1],
                            -(-(place[task] + 1) * numbers[0] // numbers[1]),
                        )
                        needed = [one for one in needed if place[one] in share]
                    start = max([start, *(ends[one] for one in needed)])
                    if not numbers[0]:
                        start = max(start, int(problem.release_ms[0]))
                hours = [of_stage[stage], *(of_card[card] for card in chosen[task])]
                cap = int(problem.tasks_at_once[stage])
                while start < horizon:
                    end, left = start, length
                    while left and end < horizon:
                        is_on = all(is_open(problem, one, end) for one in hours)
                        if not is_on and (end == start or not pauses[stage]):
                            break
                        left -= is_on
                        end += 1
                    fits = left == 0 and not any(busy[card, start:end].any() for card in chosen[task])
                    fits = fits and (cap < 0 or bool((running[stage, start:end] < cap).all()))
                    if fits and all(until[card] < 0 or end <= until[card] for card in chosen[task]):
                        break
                    start += 1
                if start >= horizon:
                    possible = False
                    break
                for card in chosen[task]:
                    busy[card, start:end] = True
                running[stage, start:end] += 1
                ends[task] = end
            if possible:
                reached = [0, *problem.release_ms.tolist()] if 0 in numbers else [0]
                found = max([*ends.values(), *reached])
                best = found if best is None else min(best, found)
    return best


@settings(max_examples=30)
@given(tiny_timed_problems())
def test_bound_and_plan_enclose_the_optimum_of_tiny_problems(problem: Problem) -> None:
    schedule = solve(problem)
    optimum = brute_force(problem)
    if schedule.status is Status.INFEASIBLE:
        return
    assert_keeps_every_rule(schedule, problem)
    assert optimum is not None
    assert schedule.lower_bound_ms <= optimum <= schedule.delivery_ms


@settings(max_examples=200)
@given(st.data(), st.integers(0, 40), st.integers(0, 30), st.integers(1, 9))
def test_hours_answer_as_looking_at_every_moment_does(
    data: st.DataObject, at: int, work: int, times: int
) -> None:
    chosen = data.draw(st.composite(windows)())
    calendar = Calendar(chosen, PERIOD)
    looked_up = [any(a <= moment % PERIOD < b for a, b in chosen) for moment in range(2000)]
    assert [calendar.is_open(moment) for moment in range(60)] == looked_up[:60]
    first = next(moment for moment in range(at, 2000) if looked_up[moment])
    assert calendar.open_from(at) == first
    end, left = first, work
    while left:
        left -= looked_up[end]
        end += 1
    assert calendar.paused_end(at, work) == end
    start = next(
        (s for s in range(at, at + 3 * PERIOD) if looked_up[s] and all(looked_up[s : s + work])), None
    )
    assert calendar.fitting_start(at, work) == (2**62 if start is None else start)
    if start is not None and work:
        moment, left = at, times
        while left:
            if looked_up[moment] and all(looked_up[moment : moment + work]):
                moment, left = moment + work, left - 1
            else:
                moment += 1
        assert calendar.row_end(at, work, times) == moment


def stages(durations: list[int], counts: list[int], on_cards: int, when: When, **changes: object) -> Problem:
    """One group a stage on equal cards, arrival order."""
    size = len(counts)
    base = plain(durations, on_cards, Policy.AVAILABILITY)
    columns: dict[str, object] = {
        "count": np.array(counts), "stage": np.arange(size), "stage_count": size, "release_ms": np.zeros(size),
        "policy": (Policy.AVAILABILITY,) * size, "tasks_at_once": np.full(size, -1),
        "may_cross_nodes": np.zeros(size), "when": when,
    }  # fmt: skip
    return replace(base, **{**columns, **changes})


def test_three_tasks_of_one_stage_feed_each_task_of_the_next() -> None:
    # 12 crops of 10 on 3 cards end at 10, 20, 30, 40, three at a time; each row of three is assembled for 10 by
    # one station as soon as it is there: 20, 30, 40, 50. As a whole it would be 40 + 4 * 10 = 80.
    when = When(streams=((0, 1),))
    problem = stages([10, 10], [12, 4], 3, when, cards=np.array([1, 0]), tasks_at_once=np.array([-1, 1]))
    schedule = solve(problem)
    assert (schedule.delivery_ms, schedule.lower_bound_ms) == (50, 50)
    assert schedule.stage_start_ms.tolist() == [0, 10]
    whole = replace(problem, when=When(), after=((0, 1),))
    assert solve(whole).delivery_ms == 80


def test_one_task_feeds_several_of_the_next_stage() -> None:
    # Two uploads of 5 one after another, each for three tasks of 4 on three cards: 5 + 4 = 9 and 10 + 4 = 14.
    when = When(streams=((0, 1),))
    problem = stages([5, 4], [2, 6], 3, when, cards=np.array([0, 1]), tasks_at_once=np.array([1, -1]))
    schedule = solve(problem)
    assert schedule.delivery_ms == 14


def test_tasks_without_a_whole_share_are_refused() -> None:
    with pytest.raises(ValueError, match="12 tasks have no whole share in 5"):
        stages([1, 1], [12, 5], 1, When(streams=((0, 1),)))


def test_stages_that_feed_each_other_in_a_circle_are_named() -> None:
    with pytest.raises(CycleFound) as found:
        solve(stages([1, 1], [2, 2], 1, When(streams=((0, 1),)), after=((1, 0),)))
    assert found.value.stages == (0, 1)


def test_work_that_pauses_goes_on_after_the_closed_time_and_other_work_waits() -> None:
    # Open 0..8 of every 12. Two tasks of 5 on a card: paused 0..5 and 5..8, 12..14; whole 0..5 and 12..17.
    when = When(calendars=(((0, 8),),), period_ms=12, stage_calendar=[0], may_pause=[1])
    problem = stages([5], [2], 1, when)
    paused = solve(problem)
    assert_keeps_every_rule(paused, problem)
    assert (paused.delivery_ms, paused.lower_bound_ms) == (14, 14)
    problem = replace(problem, when=replace(when, may_pause=[0]))
    whole = solve(problem)
    assert_keeps_every_rule(whole, problem)
    assert (whole.delivery_ms, whole.lower_bound_ms) == (17, 17)


def test_a_task_longer_than_any_open_stretch_is_named() -> None:
    when = When(calendars=(((0, 4),),), period_ms=12, stage_calendar=[0])
    assert solve(stages([5], [1], 1, when)).blocked == ((0, "no_hours_long_enough"),)


def test_hours_that_never_meet_block_a_stage_and_those_behind_it() -> None:
    # The card computes 0..4 and the stage works 4..8 of every 12; the next stage, open 0..1, waits for it.
    when = When(
        calendars=(((0, 4),), ((4, 8),), ((0, 1),)),
        period_ms=12,
        stage_calendar=[1, 2],
        card_calendar=[0],
    )
    problem = stages([2, 1], [1, 1], 1, when, after=((0, 1),))
    assert solve(problem).blocked == ((0, "no_hours_long_enough"),)


def test_a_task_that_would_outrun_a_rental_goes_to_the_card_that_stays() -> None:
    # The first card leaves at 7: one task of 5 fits, the next would end at 10. The second takes the other two.
    problem = stages([5], [3], 2, When(card_until_ms=[7, -1]))
    schedule = solve(problem)
    assert schedule.delivery_ms == 10
    assert schedule.card_busy_ms.tolist() == [5, 10]
    assert solve(stages([5], [3], 2, When(card_until_ms=[7, 7]))).blocked == ((0, "outruns_rental"),)


def test_the_first_priority_takes_the_cards_first() -> None:
    # Both stages have 4 tasks of 10 for two cards: 20 for the first served, 40 for the other.
    for priority, ends in (([0, 1], [20, 40]), ([1, 0], [40, 20])):
        problem = stages([10, 10], [4, 4], 2, When(priority=priority))
        assert solve(problem).stage_end_ms.tolist() == ends


def test_a_share_that_a_task_waited_for_is_critical_with_it() -> None:
    # Two tasks of 10 on a card feed two of 10 off the cards: 0-10, 10-20 and 10-20, 20-30. The first of the
    # latter could start at 20 as well: it alone is not critical.
    problem = stages([10, 10], [2, 2], 1, When(streams=((0, 1),)), cards=np.array([1, 0]))
    schedule = solve(problem)
    assert schedule.delivery_ms == 30
    rows = zip(schedule.run_group.tolist(), schedule.run_start_ms.tolist(), strict=True)
    found = dict(zip(rows, critical_rows(schedule, problem).tolist(), strict=True))
    assert found == {(0, 0): True, (0, 10): True, (1, 10): False, (1, 20): True}
