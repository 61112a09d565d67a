"""Large quotes in the window: closing while it computes, cancelling, no flood of progress, the right answer."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from estimator.estimate import EstimateCancelled, estimate
from estimator.quote import AssignmentPolicy
from tests.large_quotes import many_stages_and_lots, many_tasks
from tests.quotes import TODAY, compared
from tests.ui.windows import PATIENCE_MS, Seat, seat

ROOT = Path(__file__).resolve().parents[2]
TIMES = 10

CLOSE_WHILE_COMPUTING = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QApplication
from tests.large_quotes import many_licensed_tasks
from tests.quotes import TODAY
from ui.app import build
application = QApplication([])
quote = many_licensed_tasks(1_000_000, 64)
for number in range(20):
    window, _, _ = build(application, Path(sys.argv[1]), "es_ES", TODAY)
    window.show()
    window.session.show(quote)
    QTimer.singleShot(200, window.close)
    began = time.monotonic()
    application.exec()
    assert window.session.is_stale or not window.session.estimate.is_complete, "it was over before"
    assert not window.isVisible()
    assert time.monotonic() - began < 5, "too long to close"
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
"""


@pytest.fixture
def planner(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Seat]:
    with seat(qapp, qtbot, tmp_path / "data") as found:
        yield found


def test_closing_while_a_large_estimate_runs_ends_the_program_in_silence(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", CLOSE_WHILE_COMPUTING, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    said = [line for line in ended.stderr.splitlines() if not line.startswith("This plugin does not support")]
    assert said == []
    assert ended.returncode == 0


def test_cancel_stops_the_work_and_the_last_run_gives_the_right_answer(planner: Seat) -> None:
    session, runner = planner.window.session, planner.window.parts.runner
    quote = many_tasks(20_000, 64, AssignmentPolicy.AVAILABILITY)
    before = threading.active_count()
    for number in range(TIMES):
        session.show(quote.replaced(name=f"run {number}"))
        planner.qtbot.wait(100)
        planner.window.do.cancel_work()
        planner.qtbot.waitUntil(lambda: threading.active_count() == before, timeout=1000)
        assert not runner.is_running()
        assert session.is_cancelled
    spent = time.process_time()
    planner.qtbot.wait(200)
    assert time.process_time() - spent < 0.1
    session.estimate_again()
    planner.wait_for_answer()
    assert session.estimate is not None
    expected = compared(planner.quote, TODAY)
    assert session.estimate.shown_plan_id == expected.shown_plan_id
    assert [one.delivery_ms for one in session.estimate.staircase] == [
        one.delivery_ms for one in expected.staircase
    ]
    planner.qtbot.waitUntil(lambda: threading.active_count() == before, timeout=PATIENCE_MS)


def test_the_core_stops_soon_after_it_is_asked_to() -> None:
    quote = many_tasks(30_000, 64, AssignmentPolicy.LONGEST_FIRST)
    began = time.monotonic()
    with pytest.raises(EstimateCancelled):
        estimate(quote, TODAY, cancelled=lambda: time.monotonic() - began > 0.2)
    assert time.monotonic() - began < 1.2


def test_progress_is_told_at_most_thirty_times_a_second(planner: Seat) -> None:
    told: list[float] = []
    planner.window.parts.runner.progressed.connect(lambda key, share: told.append(time.monotonic()))
    planner.window.session.show(many_stages_and_lots(60, 20))
    planner.wait_for_answer()
    for moment in told:
        assert sum(moment <= other < moment + 1 for other in told) <= 60  # two keys, 30 each
