"""The rows of a plan of very many tasks, read from the schedule's own columns where each is asked for.

For plans in which nothing but cards and stages binds: no shared resource, no cap below the cards in use. A million
rows take a few bytes each, where objects would take hundreds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

from estimator.plan.fixed_row import Row
from estimator.plan.fleet import Fleet
from estimator.plan.scheduling import counts_of
from estimator.plan.when import release_ms
from estimator.quote import Organisation, Quote
from estimator.results.estimate import Timing

_BLOCK = 1_000
_CHUNK = 65_536
Column = NDArray[np.int64]
Places = NDArray[np.int32]


def needs_bind(quote: Quote, organisation: Organisation, places: int) -> bool:
    """Return whether tasks may ever wait for a shared resource: all that can run at once need more than there is."""
    wanted: dict[str, Decimal] = {}
    for stage in quote.workload.stages:
        if not stage.needs:
            continue
        at_once = stage.tasks.total
        if stage.on_cards:
            at_once = min(at_once, places // organisation.layout(stage.id).cards_per_task)
        for need in stage.needs:
            before = wanted.get(need.resource_id, Decimal(0))
            wanted[need.resource_id] = before + at_once * (need.amount.value or Decimal(0))
    return any(
        wanted.get(resource.id, Decimal(0)) > (resource.capacity.value or Decimal(0))
        for resource in quote.workload.resources
    )


def can_stand_in_columns(quote: Quote, organisation: Organisation, timing: Timing, fleet: Fleet) -> bool:
    """Return whether cards and stages alone decide when each task of the plan starts."""
    stages = quote.workload.stages
    if any(fleet.hours) or any(stage.hours or any(map(stage.streams, stage.after)) for stage in stages):
        return False
    if needs_bind(quote, organisation, fleet.places):
        return False
    schedule = timing.schedule
    place_of = {stage.id: at for at, stage in enumerate(quote.workload.stages)}
    stage_of_run = np.array([place_of[one] for one in timing.group_stage], dtype=np.int64)[schedule.run_group]
    for at, stage in enumerate(quote.workload.stages):
        layout = organisation.layout(stage.id)
        cap = layout.tasks_at_once
        if not stage.on_cards or cap is None:
            continue
        cards = np.unique(schedule.run_card[(stage_of_run == at) & (schedule.run_card >= 0)]).size
        if cards > cap * layout.cards_per_task:
            return False
    return True


class ManyRows(Sequence[Row]):
    """Rows by stage, card and start. `order`: one in which each comes after all it waits for."""

    def __init__(self, quote: Quote, timing: Timing, ready_ms: Sequence[int], rank: Sequence[int]) -> None:
        """`ready_ms`: when each card's set-up is done; `rank`: each stage's place in an order of their waiting."""
        schedule = timing.schedule
        self._schedule = schedule
        stages = quote.workload.stages
        place_of = {stage.id: at for at, stage in enumerate(stages)}
        self._stage_of_group = np.array([place_of[one] for one in timing.group_stage], dtype=np.int32)
        firsts = np.searchsorted(self._stage_of_group, np.arange(len(stages)))
        self._first_group = firsts.astype(np.int64)
        self._before = tuple(
            (np.cumsum(counts_of(stage.tasks)) - counts_of(stage.tasks)).astype(np.int32) for stage in stages
        )
        self._run, self.stage = self._in_rows()
        self.order = self._in_time(rank)
        self._link(len(self._run))
        self._planned = self._unexplained(quote, timing, ready_ms)
        self._block, self._read = -1, list[Row]()

    @property
    def starts(self) -> Column:
        """When each row starts, in ms; read from the schedule each time, to keep no copy."""
        return self._schedule.run_start_ms[self._run]

    @property
    def ends(self) -> Column:
        """When each row ends, in ms."""
        found = self.lengths()
        found += self.starts
        return found

    def lengths(self, low: int = 0, high: int | None = None) -> Column:
        """Return how long rows take, in ms: those from `low` up to `high`, or all."""
        schedule, runs = self._schedule, self._run[low:high]
        found = np.empty(runs.size, dtype=np.int64)
        for since in range(0, runs.size, _CHUNK):
            run = runs[since : since + _CHUNK]
            counts = np.where(schedule.run_step_ms[run] == 0, 1, schedule.run_count[run])
            np.multiply(schedule.run_duration_ms[run], counts, out=found[since : since + _CHUNK])
        return found

    def times_at(self, at: int) -> tuple[int, int]:
        """Return when one row starts and ends, in ms."""
        schedule, run = self._schedule, self._run[at]
        count = 1 if schedule.run_step_ms[run] == 0 else int(schedule.run_count[run])
        start = int(schedule.run_start_ms[run])
        return start, start + count * int(schedule.run_duration_ms[run])

    def _in_rows(self) -> tuple[Places, Places]:
        """Return the runs by stage, card and start, each task once, and their stages."""
        schedule = self._schedule
        lead = np.flatnonzero(schedule.run_lead).astype(np.int32)
        stage = self._stage_of_group[schedule.run_group[lead]]
        small = (schedule.run_first, schedule.run_group)
        keys: list[NDArray[np.int64] | Places] = [column[lead].astype(np.int32) for column in small]
        keys += [schedule.run_start_ms[lead], schedule.run_card[lead].astype(np.int32), stage]
        by_place = np.lexsort(keys)
        return lead[by_place], stage[by_place]

    def _in_time(self, rank: Sequence[int]) -> Places:
        ranks = np.array(rank, dtype=np.int32)[self.stage]
        return np.lexsort((ranks, self.ends, self.starts)).astype(np.int32)

    def _link(self, count: int) -> None:
        """Find each row's cards, and the row before it on each of them."""
        schedule = self._schedule
        on_card = np.flatnonzero(schedule.run_card >= 0).astype(np.int32)
        row_of_task = np.full(int(schedule.run_task.max(initial=0)) + 1, -1, dtype=np.int32)
        row_of_task[schedule.run_task[self._run]] = np.arange(count, dtype=np.int32)
        row = row_of_task[schedule.run_task[on_card]]
        card = schedule.run_card[on_card].astype(np.int32)
        del row_of_task, on_card
        turn = np.empty(count, dtype=np.int32)
        turn[self.order] = np.arange(count, dtype=np.int32)
        by_turn = np.lexsort((turn[row], card))
        row, card = row[by_turn], card[by_turn]
        del turn, by_turn
        self._spans = list(self._spans_in_turn(row, card))
        before = np.full(row.size, -1, dtype=np.int32)
        follows = card[1:] == card[:-1]
        before[1:][follows] = row[:-1][follows]
        by_row = np.lexsort((card, row))
        self._pair_card, self._pair_before = card[by_row], before[by_row]
        del by_row, before, card, follows
        self._pair_first = np.zeros(count + 1, dtype=np.int32)
        np.cumsum(np.bincount(row, minlength=count), out=self._pair_first[1:])

    def _unexplained(self, quote: Quote, timing: Timing, ready_ms: Sequence[int]) -> dict[int, int]:
        """Return when rows start that start later than all they follow."""
        end_of = {one.stage_id: one.end_ms for one in timing.stages}
        stages = quote.workload.stages
        since = [
            max([release_ms(quote, stage), *(end_of.get(one, 0) for one in stage.after)]) for stage in stages
        ]
        known_of = np.array(since, dtype=np.int64)
        ready = np.array(ready_ms, dtype=np.int64)
        found: dict[int, int] = {}
        for low in range(0, len(self), _CHUNK):
            high = min(low + _CHUNK, len(self))
            known = known_of[self.stage[low:high]]
            pairs = slice(int(self._pair_first[low]), int(self._pair_first[high]))
            before = self._pair_before[pairs]
            rows = np.repeat(np.arange(high - low), np.diff(self._pair_first[low : high + 1]))
            follows = before >= 0
            np.maximum.at(known, rows[follows], self._ends_of(self._run[before[follows]]))
            if ready.any():
                np.maximum.at(known, rows, ready[self._pair_card[pairs]])
            starts = self._schedule.run_start_ms[self._run[low:high]]
            late = np.flatnonzero(known < starts)
            found.update(zip((late + low).tolist(), starts[late].tolist(), strict=True))
        return found

    def _ends_of(self, run: Places) -> Column:
        schedule = self._schedule
        counts = np.where(schedule.run_step_ms[run] == 0, 1, schedule.run_count[run])
        return schedule.run_start_ms[run] + schedule.run_duration_ms[run] * counts

    def __len__(self) -> int:
        return int(self._run.size)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return self._row(int(at) % len(self))

    def __iter__(self) -> Iterator[Row]:
        return (self._row(at) for at in range(len(self)))

    def _row(self, at: int) -> Row:
        block = at // _BLOCK
        if block != self._block:
            self._block, self._read = block, self._read_block(block)
        return self._read[at % _BLOCK]

    def _read_block(self, block: int) -> list[Row]:
        """Return the rows of a block: columns are read at once, which is several times faster than one by one."""
        schedule = self._schedule
        low, high = block * _BLOCK, min((block + 1) * _BLOCK, len(self))
        run = self._run[low:high]
        stages = self.stage[low:high]
        groups = schedule.run_group[run] - self._first_group[stages]
        counts = schedule.run_count[run]
        columns = (
            range(low, high),
            stages.tolist(),
            groups.tolist(),
            schedule.run_first[run].tolist(),
            counts.tolist(),
            ((counts > 1) & (schedule.run_step_ms[run] == 0)).tolist(),
            schedule.run_start_ms[run].tolist(),
            schedule.run_duration_ms[run].tolist(),
            self._pair_first[low:high].tolist(),
            self._pair_first[low + 1 : high + 1].tolist(),
        )
        found = []
        for at, stage, group, first, count, together, start, each, since, until in zip(*columns, strict=True):
            before = {int(one) for one in self._pair_before[since:until] if one >= 0}
            found.append(
                Row(
                    stage=stage,
                    group=group,
                    number=int(self._before[stage][group]) + first + 1,
                    count=count,
                    together=together,
                    cards=tuple(self._pair_card[since:until].tolist()),
                    start_ms=start,
                    each_ms=each,
                    after=sorted(before),
                    planned_ms=self._planned.get(at),
                )
            )
        return found

    def spans(self) -> list[tuple[int, int, int, int]]:
        """Return (place, stage, row that starts first, row that ends last) of every place, stage by stage."""
        return self._spans

    def _spans_in_turn(self, row: Places, card: Places) -> Iterator[tuple[int, int, int, int]]:
        """Yield the spans from each place's rows in turn: of a stage, its first starts first and its last ends last."""
        limits = np.flatnonzero(np.diff(card, prepend=-1, append=-1)).tolist()
        for low, high in pairwise(limits):
            here = row[low:high]
            stages = self.stage[here]
            found, first = np.unique(stages, return_index=True)
            _, last = np.unique(stages[::-1], return_index=True)
            for stage, begin, end in zip(found.tolist(), first.tolist(), last.tolist(), strict=True):
                yield int(card[low]), stage, int(here[begin]), int(here[here.size - 1 - end])
