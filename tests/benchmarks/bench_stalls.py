"""How long the window stands still with 2,000 stages and 500 lots: the longest stall of each step, printed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.large_quotes import many_stages_and_lots
from tests.ui.heartbeat import stalls
from tests.ui.windows import seat

STAGES, LOTS = 2000, 500
LIMIT_MS = 300


def bench_stalls_of_the_window(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    """The window's limit is 300 ms."""
    with seat(qapp, qtbot, tmp_path / "data") as planner:
        found = stalls(planner, many_stages_and_lots(STAGES, LOTS))
    print(f"\nlongest stalls with {STAGES} stages and {LOTS} lots, at most {LIMIT_MS} ms wanted:")
    for name, milliseconds in found.items():
        print(f"  {name:14} {milliseconds:5} ms{'  over' if milliseconds > LIMIT_MS else ''}")
