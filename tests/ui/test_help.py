"""The help says the keys and how right the memory has been, with figures that a run of the score gives."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import median

import pytest
from pytestqt.qtbot import QtBot

from estimator.score import memory_score
from estimator.wording import Language, NumberFormat, Wording
from ui.help import ACCURACY, HelpWindow
from ui.theme import Theme

POINTS = Path(__file__).parents[1] / "data" / "memory_points.json"
FURTHER = POINTS.with_name("memory2_points.json")


def test_the_shipped_accuracy_is_what_the_score_gives() -> None:
    errors = scored()
    assert {one.kind for one in ACCURACY} == set(errors)
    for shipped in ACCURACY:
        found = errors[shipped.kind]
        assert len(found) == shipped.points
        assert float(shipped.median) == pytest.approx(median(found), abs=0.0006)
        assert float(shipped.worst) == pytest.approx(max(found), abs=0.006)


def scored() -> dict[str, list[float]]:
    """Return the sizes of the errors by the rows of the help."""
    work = {
        point["id"]: point["workload"]
        for point in json.loads(POINTS.read_text(encoding="utf-8"))["points"]
        if point["kind"] == "published"
    }
    errors = defaultdict(list)
    for point in memory_score(POINTS).points:
        kind = point.kind if point.id not in work else row_of(work[point.id])
        if point.error_percent is not None and kind:
            errors[kind].append(abs(point.error_percent))
    further = memory_score(FURTHER).points
    errors["other_points"] = [abs(one.error_percent) for one in further if one.error_percent is not None]
    return errors


def row_of(work: dict[str, str]) -> str:
    if work["kind"].startswith("train"):
        return "read_training"
    if work["kind"] != "infer_generate":
        return ""  # weights or a cache alone
    return "read_generation" if work["weights"] == "bf16" else "read_packed"


def test_the_help_speaks_both_languages(qtbot: QtBot) -> None:
    for language, numbers, word in (
        (Language.SPANISH, NumberFormat.ES_ES, "Mediana"),
        (Language.ENGLISH, NumberFormat.EN_US, "Median"),
    ):
        window = HelpWindow(Wording(language, numbers), Theme())
        qtbot.addWidget(window)
        assert word in window.browser.toPlainText()
