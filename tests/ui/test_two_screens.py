"""A window that moves between screens of different scale is scaled once, and its charts stay sharp (O-DSK-12)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MEASURE = Path(__file__).parent / "two_screens.py"


@pytest.mark.parametrize("scales", [(1.5, 1.0), (1.75, 1.5), (1.0, 1.75)])
def test_text_and_charts_are_scaled_once_on_each_screen(scales: tuple[float, float], tmp_path: Path) -> None:
    screens = [
        {
            "name": f"screen{at}",
            "x": 4000 * at,
            "y": 0,
            "width": 3840,
            "height": 2160,
            "logicalDpi": round(96 * scale),
            "logicalBaseDpi": 96,
        }
        for at, scale in enumerate(scales)
    ]
    config = tmp_path / "screens.json"
    config.write_text(json.dumps({"screens": screens}), encoding="utf-8")
    environment = {**os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={config}"}
    environment.pop("QT_SCALE_FACTOR", None)
    done = subprocess.run(
        [sys.executable, str(MEASURE)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert [one["scale"] for one in found] == list(scales)
    for one in found:
        assert 0.9 <= one["text"] <= 1.1
        assert (
            0.8 <= one["label"] <= 1.8
        )  # a figure of the strip is larger than body text, never scaled twice
        assert one["pixels"] == pytest.approx(one["scale"], abs=0.01)
        assert one["fits"]
