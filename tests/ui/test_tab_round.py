"""Tab and Shift+Tab go round every page of every sample: focus never sticks, and it is always seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.windows import Seat, seat

SAMPLES = sorted(path.stem for path in Path("resources/samples").glob("*.cabida"))
PAGES = 8
MOST_STOPS = 300
DIRECTIONS = (
    (Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier),
    (Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier),
)


def _round(seat_: Seat, key: Qt.Key, held: Qt.KeyboardModifier) -> list[str]:
    """Press until the first stop comes back; return what is wrong."""
    stops: list[QWidget] = []
    while len(stops) < MOST_STOPS:
        before = QApplication.focusWidget()
        seat_.press(key, held)
        stop = QApplication.focusWidget()
        name = f"{type(stop).__name__} {stop.accessibleName() if stop else ''}"
        if stop is None or stop is before:
            return [f"stuck at {name}"]
        if not stop.isVisible():
            return [f"not seen: {name}"]
        if stop in stops:
            return [] if stop is stops[0] else [f"a round that leaves out some stops: {name}"]
        stops.append(stop)
    return [f"no round within {MOST_STOPS} stops"]


@pytest.mark.parametrize("sample", SAMPLES)
def test_tab_goes_round_every_page(qapp: QApplication, qtbot: QtBot, tmp_path: Path, sample: str) -> None:
    faults = []
    with seat(qapp, qtbot, tmp_path) as here:
        here.window.files.open_sample(sample)
        here.wait_for_answer()
        # The button that cancels long work comes and goes: without that work the round stays as it is.
        here.window.session.cancel()
        for page in range(1, PAGES + 1):
            here.action(f"Ctrl+{page}").trigger()
            here.qtbot.wait(50)
            for key, held in DIRECTIONS:
                faults += [f"page {page}, {key.name}: {fault}" for fault in _round(here, key, held)]
    assert not faults, "\n".join(faults)


def test_the_start_page_goes_round(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    with seat(qapp, qtbot, tmp_path) as here:
        assert [fault for key, held in DIRECTIONS for fault in _round(here, key, held)] == []
