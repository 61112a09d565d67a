"""The help says the keys and how right the memory has been, with figures that a run of the score gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from estimator.score import memory_score
from estimator.wording import Language, NumberFormat, Wording
from ui.help import ACCURACY, HelpWindow
from ui.theme import Theme

POINTS = Path(__file__).parents[1] / "data" / "memory_points.json"


def test_the_shipped_accuracy_is_what_the_score_gives() -> None:
    found = {one.kind: one for one in memory_score(POINTS).summary}
    for shipped in ACCURACY:
        scored = found[shipped.kind]
        assert scored.n == shipped.points
        assert float(shipped.median) == pytest.approx(scored.median, abs=0.0006)
        assert float(shipped.worst) == pytest.approx(scored.worst, abs=0.006)


def test_the_help_speaks_both_languages(qtbot: QtBot) -> None:
    for language, numbers, word in (
        (Language.SPANISH, NumberFormat.ES_ES, "Mediana"),
        (Language.ENGLISH, NumberFormat.EN_US, "Median"),
    ):
        window = HelpWindow(Wording(language, numbers), Theme())
        qtbot.addWidget(window)
        assert word in window.browser.toPlainText()
