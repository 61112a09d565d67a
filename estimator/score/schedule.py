"""The schedule engine against a file of instances: value, bound and best known of each, gaps by family.

The values are the same on any machine: the effort counts steps. The seconds are told beside them and decide
nothing. The gap is to the best value known, so it is negative where the engine finds a better plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from time import perf_counter

from estimator.schedule import CycleFound, Status, improved
from estimator.score.columns import columns
from estimator.score.instances import Instance, read_instances
from estimator.wording import Wording

DEFAULT_EFFORT = 500
"""About half a second an instance where the optimum is not proven before."""
DIGITS = 6


@dataclass(frozen=True, slots=True)
class InstanceScore:
    """One instance. `skipped`: the reason's code where there is no value, "" where there is."""

    id: str
    families: tuple[str, ...]
    best_known: int | None
    value: int | None = None
    bound: int | None = None
    seconds: float = 0.0
    skipped: str = ""

    @property
    def gap_percent(self) -> float | None:
        """By how much the plan is longer (negative: shorter) than the best one known."""
        if self.value is None or self.best_known is None:
            return None
        return 100 * (self.value / self.best_known - 1)

    @property
    def is_proven(self) -> bool:
        """Whether the value is the engine's own bound."""
        return self.value is not None and self.value == self.bound


@dataclass(frozen=True, slots=True)
class FamilySummary:
    """The gaps of a family in per cent, None where none is known; its proven instances and its seconds."""

    family: str
    n: int
    skipped: int
    proven: int
    seconds: float
    mean: float | None
    worst: float | None


@dataclass(frozen=True, slots=True)
class ScheduleScore:
    """Every instance in the file's order, and the families by first appearance."""

    points: tuple[InstanceScore, ...]
    summary: tuple[FamilySummary, ...]


def score_schedule(path: Path, effort: int = DEFAULT_EFFORT) -> ScheduleScore:
    """Return the score of a file of instances. Raises FileRefused."""
    points = tuple(_score(instance, effort) for instance in read_instances(path))
    families = dict.fromkeys(family for point in points for family in point.families)
    return ScheduleScore(
        points,
        tuple(_summary(family, [one for one in points if family in one.families]) for family in families),
    )


def schedule_json(score: ScheduleScore) -> dict[str, object]:
    """Return `points` and `summary`; an absent figure is an object that says so."""
    return {
        "points": [_point_json(point) for point in score.points],
        "summary": {
            one.family: {
                "n": one.n,
                "skipped": one.skipped,
                "mean_gap_percent": _figure(one.mean),
                "worst_gap_percent": _figure(one.worst),
                "proven": one.proven,
                "seconds": round(one.seconds, DIGITS),
            }
            for one in score.summary
        },
    }


def report_text(words: Wording, score: ScheduleScore) -> str:
    """Return one line an instance, then one a family, in columns."""
    header = (
        words.t("Point"),
        words.t("Kind"),
        words.t("Delivery"),
        words.t("Lower bound"),
        words.t("Reference"),
        words.t("Gap"),
        words.t("Elapsed time"),
    )
    rows = [header, *(_point_row(words, point) for point in score.points)]
    families = (
        words.t("Kind"),
        words.t("Points"),
        words.t("Skipped"),
        words.t("Mean"),
        words.t("Worst"),
        words.t("optimal"),
        words.t("Elapsed time"),
    )
    summary = [families, *(_summary_row(words, one) for one in score.summary)]
    return f"{columns(rows, 2)}\n\n{columns(summary, 1)}\n"


def _score(instance: Instance, effort: int) -> InstanceScore:
    told = (instance.id, instance.families, instance.best_known)
    if instance.problem is None:
        return InstanceScore(*told, skipped=instance.skipped)
    began = perf_counter()
    try:
        plan = improved(instance.problem, effort)
    except CycleFound:
        return InstanceScore(*told, skipped="point_not_read")
    seconds = perf_counter() - began
    if plan.status is Status.INFEASIBLE:
        return InstanceScore(*told, skipped="point_not_read")
    return InstanceScore(*told, plan.delivery_ms, plan.lower_bound_ms, seconds)


def _summary(family: str, points: Sequence[InstanceScore]) -> FamilySummary:
    solved = [point for point in points if point.value is not None]
    gaps = [gap for point in solved if (gap := point.gap_percent) is not None]
    return FamilySummary(
        family,
        n=len(solved),
        skipped=len(points) - len(solved),
        proven=sum(point.is_proven for point in solved),
        seconds=sum(point.seconds for point in solved),
        mean=fmean(gaps) if gaps else None,
        worst=max(gaps, default=None),
    )


def _point_json(point: InstanceScore) -> dict[str, object]:
    told: dict[str, object] = {
        "id": point.id,
        "family": point.families[-1],
        "best_known": {"absent": "not_stated"} if point.best_known is None else point.best_known,
    }
    if point.value is None:
        return told | {"skipped": point.skipped}
    return told | {
        "value": point.value,
        "bound": point.bound,
        "gap_percent": _figure(point.gap_percent),
        "proven": point.is_proven,
        "seconds": round(point.seconds, DIGITS),
    }


def _figure(value: float | None) -> object:
    return {"absent": "no_points_scored"} if value is None else round(value, DIGITS)


def _point_row(words: Wording, point: InstanceScore) -> tuple[str, ...]:
    best = words.unknown if point.best_known is None else words.number(point.best_known)
    if point.value is None or point.bound is None:
        unknown = words.unknown
        return point.id, point.families[-1], unknown, unknown, best, unknown, words.sentence(point.skipped)
    figures = (words.number(point.value), words.number(point.bound), best)
    return (
        point.id,
        point.families[-1],
        *figures,
        _percent(words, point.gap_percent),
        _seconds(words, point.seconds),
    )


def _summary_row(words: Wording, one: FamilySummary) -> tuple[str, ...]:
    counts = (words.number(one.n), words.number(one.skipped))
    gaps = (_percent(words, one.mean), _percent(words, one.worst))
    return (one.family, *counts, *gaps, words.number(one.proven), _seconds(words, one.seconds))


def _percent(words: Wording, value: float | None) -> str:
    return words.unknown if value is None else words.percent(value, 4)


def _seconds(words: Wording, value: float) -> str:
    return f"{words.number(value, 3)} s"
