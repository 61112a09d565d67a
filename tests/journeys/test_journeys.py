"""Runs the journeys: the program used by keyboard in a real window on a virtual display, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SECONDS = 420


def test_the_journeys_in_a_real_window(virtual_display: str) -> None:
    environment = os.environ | {"QT_QPA_PLATFORM": "xcb", "DISPLAY": virtual_display}
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "tests/journeys/in_window"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    sys.stdout.write(finished.stdout)
    assert finished.returncode == 0, finished.stdout[-6000:] + finished.stderr[-2000:]
