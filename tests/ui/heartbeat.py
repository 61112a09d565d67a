"""How long the window leaves its events waiting: a timer that should beat every 10 ms, and the longest gap."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from estimator import edits
from estimator.quote import Quote
from tests.ui.windows import Seat

BEAT_MS = 10
SETTLE_MS = 150
PAGE_COUNT = 8


class Heartbeat:
    """Keeps the longest time between two beats since `start`."""

    def __init__(self) -> None:
        self._last = self._longest = 0.0
        self._timer = QTimer()
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Begin a new measurement."""
        self._last, self._longest = time.monotonic(), 0.0
        self._timer.start()

    def stop(self) -> int:
        """Return the longest gap in ms, the one up to now included."""
        self._beat()
        self._timer.stop()
        return round(self._longest * 1000)

    def _beat(self) -> None:
        now = time.monotonic()
        self._longest = max(self._longest, now - self._last)
        self._last = now


def stalls(planner: Seat, quote: Quote) -> dict[str, int]:
    """Open a quote, show each page, rename a stage on Work, undo; return the longest stall of each step in ms."""
    window, heartbeat = planner.window, Heartbeat()
    longest: dict[str, int] = {}

    def step(name: str, do: Callable[[], object]) -> None:
        heartbeat.start()
        do()
        planner.wait_for_answer()
        planner.qtbot.wait(SETTLE_MS)
        longest[name] = heartbeat.stop()

    def open_it() -> None:
        window.session.show(quote)
        window.files.opened.emit()

    def rename() -> None:
        window.session.edit("rename", lambda one: edits.with_stage(one, "stage-3", name="Another name"))

    planner.qtbot.wait(10 * SETTLE_MS)  # the start page, while the pages' libraries are imported
    step("opening", open_it)
    for number in range(PAGE_COUNT):
        step(f"page {number + 1}", partial(window.show_page, number))
    QApplication.processEvents()
    step("page 1 again", lambda: window.show_page(0))
    step("an edit", rename)
    step("undo", window.session.undo)
    return longest
