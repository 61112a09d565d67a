"""Measures the window on two screens of different scale and prints JSON. A program of its own: Qt reads screens once.

QT_QPA_PLATFORM="offscreen:configfile=SCREENS.json" python tests/ui/two_screens.py
"""

from __future__ import annotations

import datetime as dt
import json
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from ui.app import build  # noqa: E402  (the path is set first)
from ui.gantt.widget import GanttWidget  # noqa: E402

SCHEDULE = 4


def main() -> int:
    """Print one record a screen: scale, how tall the window's text is against the system's, the chart's pixels."""
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    application = QApplication(sys.argv[:1])
    system = QFontMetricsF(application.font()).height()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        window, _theme, _ = build(application, Path(folder), "es_ES", dt.date(2026, 11, 30))
        window.show()
        window.files.open_sample("indice-de-las-obras")
        for screen in application.screens():
            window.windowHandle().setScreen(screen)
            window.windowHandle().setPosition(screen.geometry().topLeft() + QPoint(8, 8))
            window.show_page(SCHEDULE)
            until = time.monotonic() + 5
            while time.monotonic() < until and window.session.estimate is None:
                application.processEvents()
            for _ in range(5):
                application.processEvents()
            label = next(one for one in window.findChildren(QLabel) if one.isVisible() and one.text())
            chart = window.findChild(GanttWidget)
            picture = chart.grab().toImage()
            found.append(
                {
                    "scale": screen.devicePixelRatio(),
                    "text": QFontMetricsF(application.font()).height() / system,
                    "label": QFontMetricsF(label.font()).height() / system,
                    "pixels": picture.width() / chart.width(),
                    "fits": window.width() <= screen.availableGeometry().width(),
                }
            )
        window.parts.runner.close()
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
