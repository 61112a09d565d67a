"""When nothing may run in a row of the chart: outside working hours, and once a card is taken away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from estimator.hours import WorkingHours
from estimator.plan.renting import until_of
from estimator.plan.starting import rental_start, windows_from
from estimator.quote import Quote, Stage
from estimator.results.estimate import Timing
from estimator.units import MS_PER_DAY
from ui.pages.schedule_tasks import Int64

WEEK_MS = 7 * MS_PER_DAY
MOST_SPANS = 500_000
"""Of a longer chart the first weeks: later ones are narrower than a pixel until somebody zooms in."""

Gaps = tuple[tuple[int, int], ...]
Columns = tuple[Int64, Int64, Int64]


def closed_on_cards(quote: Quote, timing: Timing, rows: Int64, horizon_ms: int) -> Columns:
    """Return row, start and end of the closed times of each card in `rows`: the offer's and what all stages share."""
    stages = [stage for stage in quote.workload.stages if stage.on_cards]
    shared = _gaps_of_all(quote, stages)
    kinds: dict[str, tuple[Gaps, int]] = {}
    for offer_id in dict.fromkeys(timing.offer_ids):
        offer = quote.offer(offer_id)
        own = () if offer is None else _gaps(quote, offer.hours)
        kinds[offer_id] = (_joined((*shared, *own)), -1 if offer is None else until_of(offer))
    at = np.array(timing.offer_ids)
    found = [
        _repeated(rows[at == offer_id], gaps, until, horizon_ms) for offer_id, (gaps, until) in kinds.items()
    ]
    return _columns(found)


def closed_off_cards(quote: Quote, stages: Sequence[Stage], rows: Iterable[int], horizon_ms: int) -> Columns:
    """Return row, start and end of the closed times that all of these stages share."""
    gaps = _gaps_of_all(quote, stages)
    return _columns([_repeated(np.array(list(rows), dtype=np.int64), gaps, -1, horizon_ms)])


def _gaps_of_all(quote: Quote, stages: Sequence[Stage]) -> Gaps:
    """Return the closed times of a week in which none of the stages may run."""
    if not stages or any(stage.hours is None for stage in stages):
        return ()
    start = rental_start(quote)
    if start is None:
        return ()
    opened = [
        window for stage in stages if stage.hours is not None for window in windows_from(stage.hours, start)
    ]
    return _between(_joined(opened))


def _gaps(quote: Quote, hours: WorkingHours | None) -> Gaps:
    start = rental_start(quote)
    return () if hours is None or start is None else _between(windows_from(hours, start))


def _between(windows: Gaps) -> Gaps:
    """Return what a week has besides these windows, which rise and lie apart."""
    edges = [0, *(moment for window in windows for moment in window), WEEK_MS]
    return tuple((begin, end) for begin, end in zip(edges[::2], edges[1::2], strict=True) if begin < end)


def _joined(spans: Iterable[tuple[int, int]]) -> Gaps:
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((begin, end))
    return tuple(joined)


def _repeated(rows: Int64, gaps: Gaps, until_ms: int, horizon_ms: int) -> Columns:
    """Return weekly gaps up to the horizon in each row; from `until_ms` on, unless it is -1, all is closed."""
    last = horizon_ms if until_ms < 0 else min(until_ms, horizon_ms)
    weeks = min(-(-last // WEEK_MS), MOST_SPANS // max(1, len(gaps) * rows.size)) if gaps else 0
    table = np.array(gaps, dtype=np.int64).reshape(-1, 2)
    every = (np.arange(weeks, dtype=np.int64)[:, None, None] * WEEK_MS + table[None]).reshape(-1, 2)
    every = np.minimum(every, last)
    every = every[every[:, 0] < every[:, 1]]
    if last < horizon_ms:
        every = np.concatenate((every, [[last, horizon_ms]]))
    count = every.shape[0]
    return np.repeat(rows, count), np.tile(every[:, 0], rows.size), np.tile(every[:, 1], rows.size)


def _columns(parts: Sequence[Columns]) -> Columns:
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing
    row, start, end = (np.concatenate(column) for column in zip(*parts, strict=True))
    return row, start, end
