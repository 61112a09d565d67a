"""A score as JSON for programs and as a table for people."""

from __future__ import annotations

from estimator.score.columns import columns
from estimator.score.memory import MemoryScore, PointScore, Summary
from estimator.wording import Wording

ABSENT = {"absent": "no_points_scored"}
DIGITS = 6
"""Decimals of an error in JSON: a millionth of a per cent is below one byte of a GiB."""


def score_json(score: MemoryScore) -> dict[str, object]:
    """Return `points` and `summary`; an absent figure is an object that says so."""
    return {
        "points": [_point_json(point) for point in score.points],
        "summary": {one.kind: _summary_json(one) for one in score.summary},
    }


def score_text(words: Wording, score: MemoryScore) -> str:
    """Return one line a point, then one a kind, in columns."""
    header = (
        words.t("Point"),
        words.t("Kind"),
        words.t("Predicted"),
        words.t("Measured"),
        words.t("Error"),
    )
    rows = [header, *(_point_row(words, point) for point in score.points)]
    kinds = (
        words.t("Kind"),
        words.t("Points"),
        words.t("Skipped"),
        words.t("Mean"),
        words.t("Median"),
        words.t("95th percentile"),
        words.t("Worst"),
    )
    summary = [kinds, *(_summary_row(words, one) for one in score.summary)]
    return f"{columns(rows, 2)}\n\n{columns(summary, 1)}\n"


def _point_json(point: PointScore) -> dict[str, object]:
    told: dict[str, object] = {
        "id": point.id,
        "kind": point.kind,
        "measured_bytes": {"absent": point.skipped} if point.measured_bytes is None else point.measured_bytes,
    }
    error = point.error_percent
    if error is None:
        return told | {"skipped": point.skipped}
    return told | {"predicted_bytes": point.predicted_bytes, "error_percent": round(error, DIGITS)}


def _summary_json(one: Summary) -> dict[str, object]:
    figures = {"mean": one.mean, "median": one.median, "p95": one.p95, "worst": one.worst}
    told = {name: ABSENT if value is None else round(value, DIGITS) for name, value in figures.items()}
    return {"n": one.n, "skipped": one.skipped, **told}


def _point_row(words: Wording, point: PointScore) -> tuple[str, ...]:
    measured = words.unknown if point.measured_bytes is None else words.memory(point.measured_bytes, 3)
    if point.predicted_bytes is None:
        return point.id, point.kind, words.unknown, measured, words.sentence(point.skipped)
    return (
        point.id,
        point.kind,
        words.memory(point.predicted_bytes, 3),
        measured,
        _percent(words, point.error_percent),
    )


def _summary_row(words: Wording, one: Summary) -> tuple[str, ...]:
    figures = (one.mean, one.median, one.p95, one.worst)
    counts = (words.number(one.n), words.number(one.skipped))
    return (one.kind, *counts, *(_percent(words, value) for value in figures))


def _percent(words: Wording, value: float | None) -> str:
    return words.unknown if value is None else words.percent(value, 3)
