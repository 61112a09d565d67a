"""The arithmetic for equal tasks against handing them out one by one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.schedule.equal import (
    FOREVER,
    blocks,
    hand_out,
    least_time_for_equal,
    least_time_for_work,
    share_equal,
)

SLOTS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 7)), min_size=1, max_size=5)


@settings(max_examples=200, deadline=None)
@given(SLOTS, st.integers(1, 30), st.one_of(st.just(FOREVER), st.integers(1, 40)))
def test_sharing_by_arithmetic_gives_each_slot_what_the_loop_gives_it(
    slots: list[tuple[int, int]], count: int, before: int
) -> None:
    ready, duration = [slot[0] for slot in slots], [slot[1] for slot in slots]
    places = list(range(len(slots)))
    placed = [slot for slot, _ in hand_out(list(ready), places, [duration] * count, before)]
    assert share_equal(ready, duration, count, before) == [placed.count(slot) for slot in places]


@settings(max_examples=200, deadline=None)
@given(SLOTS, st.integers(1, 30))
def test_the_least_time_for_equal_tasks_is_the_first_moment_at_which_enough_are_done(
    slots: list[tuple[int, int]], count: int
) -> None:
    ready, duration = [slot[0] for slot in slots], [slot[1] for slot in slots]

    def done(moment: int) -> int:
        rows = [(moment - start, each) for start, each in slots if moment >= start]
        return sum(open_ms // each if each else count for open_ms, each in rows)

    least = least_time_for_equal(ready, duration, count)
    assert done(least) >= count
    assert least == 0 or done(least - 1) < count


def test_divisible_work_waits_for_the_slots_that_help() -> None:
    # ready at 0, 4 and 100: 10 of work are done at 7 (7 + 3), the third never helps
    assert least_time_for_work([0, 4, 100], 10) == 7
    assert least_time_for_work([0, 4], 0) == 0


def test_blocks_follow_the_list_across_its_rows() -> None:
    # 5 + 3 tasks on 3 slots: 3, 3 and 2
    assert blocks([5, 3], 3) == [[(0, 3)], [(0, 2), (1, 1)], [(1, 2)]]
    assert blocks([1], 3) == [[(0, 1)], [], []]
