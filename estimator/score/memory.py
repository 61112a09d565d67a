"""The memory engine against a file of measured points: each point's peak, and the errors by kind.

The file may be anybody's: it is read within bounds, a point that cannot be read is skipped with its reason, and
sizes that would keep the machine busy are not believed. Nothing here changes a form to suit a point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from estimator import memory as mem
from estimator.problems import FileRefused
from estimator.quote import MemoryNeed
from estimator.storage import json_object, read_text
from estimator.units import GIB

MOST_POINTS = 100_000
LARGEST_NUMBER = 2**48
MOST_REPEATS = 10_000
DEEPEST = 20
REPEATED = frozenset({"pp", "dp", "tp", "ranks", "microbatches", "chunks", "stages"})
"""Fields, beside all with "layer" in their name, whose number is a count that forms may walk through one by one."""

UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError)
"""What reading a point of another shape may raise: a field that is missing, of another kind or 0."""


@dataclass(frozen=True, slots=True)
class PointScore:
    """One point in bytes. `skipped`: the reason's code where there is no prediction, "" where there is."""

    id: str
    kind: str
    measured_bytes: int | None
    predicted_bytes: int | None = None
    skipped: str = ""

    @property
    def error_percent(self) -> float | None:
        """By how much the prediction is above (or, negative, below) what was measured."""
        if self.predicted_bytes is None or not self.measured_bytes:
            return None
        return 100 * (self.predicted_bytes / self.measured_bytes - 1)


@dataclass(frozen=True, slots=True)
class Summary:
    """The size of the errors of a kind in per cent, their sign left out; None where no point was predicted."""

    kind: str
    n: int
    skipped: int
    mean: float | None = None
    median: float | None = None
    p95: float | None = None
    worst: float | None = None


@dataclass(frozen=True, slots=True)
class MemoryScore:
    """Every point in the file's order, and the summaries of the kinds by first appearance."""

    points: tuple[PointScore, ...]
    summary: tuple[Summary, ...]


def memory_score(path: Path) -> MemoryScore:
    """Return the score of a file of points. Raises FileRefused."""
    points = tuple(_point(point, index) for index, point in enumerate(read_points(path), 1))
    kinds = dict.fromkeys(point.kind for point in points)
    return MemoryScore(
        points, tuple(_summary(kind, [one for one in points if one.kind == kind]) for kind in kinds)
    )


def read_points(path: Path) -> Sequence[object]:
    """Return the points of a file, unread. Raises FileRefused: no file, too large, not JSON, no points."""
    text = read_text(path)
    try:
        points = json_object(text).get("points")
    except FileRefused as refusal:
        if refusal.code != "not_a_quote":
            raise
        points = None  # JSON, but no object
    if not isinstance(points, list) or len(points) > MOST_POINTS:
        raise FileRefused("no_points", name=path.name)
    return points


def _point(point: object, index: int) -> PointScore:
    if not isinstance(point, Mapping):
        return PointScore(f"#{index}", "", None, skipped="point_not_read")
    name, kind = str(point.get("id", f"#{index}"))[:200], str(point.get("kind", ""))[:100]
    measured = _measured(point.get("measured_bytes"))
    if measured is None:
        return PointScore(name, kind, None, skipped="point_not_measured")
    if not is_bounded(point):
        return PointScore(name, kind, measured, skipped="point_out_of_bounds")
    try:
        predicted = _predicted(point)
    except UNREADABLE:
        return PointScore(name, kind, measured, skipped="point_not_read")
    if predicted is None:
        return PointScore(name, kind, measured, skipped=mem.reading_gap(point) or "no_form_for_point")
    if predicted <= 0:
        return PointScore(name, kind, measured, skipped="point_not_read")
    return PointScore(name, kind, measured, predicted)


def _predicted(point: Mapping[str, Any]) -> int | None:
    """Return the peak that the forms give; of what lies outside a model's tensors, the context line's default."""
    work = point.get("workload")
    if point.get("kind") == "published" and isinstance(work, Mapping) and work.get("kind") == "overhead":
        return int((MemoryNeed().context_gib.value or 0) * GIB)
    ledger = mem.point_ledger(point)
    return None if ledger is None else round(ledger.peak_bytes)


def _measured(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value < 2**63:
        return None
    return round(value)


def is_bounded(value: Any, name: str = "", depth: int = 0) -> bool:
    """Whether a point is shallow and all its numbers are small enough to compute with in a moment."""
    if depth > DEEPEST:
        return False
    if isinstance(value, Mapping):
        return all(is_bounded(part, str(key), depth + 1) for key, part in value.items())
    if isinstance(value, list):
        return len(value) <= MOST_REPEATS and all(is_bounded(part, name, depth + 1) for part in value)
    if isinstance(value, int | float):
        most = MOST_REPEATS if name in REPEATED or "layer" in name else LARGEST_NUMBER
        return -most <= value <= most
    return True


def _summary(kind: str, points: Sequence[PointScore]) -> Summary:
    errors = sorted(abs(point.error_percent) for point in points if point.error_percent is not None)
    skipped = len(points) - len(errors)
    if not errors:
        return Summary(kind, 0, skipped)
    # The 95th percentile is the smallest error that at least 95 % of the points do not exceed.
    p95 = errors[math.ceil(0.95 * len(errors)) - 1]
    return Summary(kind, len(errors), skipped, fmean(errors), median(errors), p95, errors[-1])
