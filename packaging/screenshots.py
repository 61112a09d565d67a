"""Pictures of every page in both languages, light and dark, for people to look at before a release.

    .venv/bin/python packaging/screenshots.py FOLDER [--sample NAME] [--size 1366x768]

Nothing is compared: fonts differ between machines. The start page comes with them. No display is needed.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
if not os.environ.get("DISPLAY"):
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ.setdefault("QT_SCALE_FACTOR", "1")

from PySide6.QtWidgets import QApplication  # noqa: E402  (the platform is chosen first)

from estimator.wording import Language, NumberFormat  # noqa: E402
from ui.app import build  # noqa: E402
from ui.main_window import PAGES, MainWindow  # noqa: E402
from ui.theme import Scheme  # noqa: E402

DAY = dt.date(2026, 11, 30)
PATIENCE_SECONDS = 30
NAMES = ("work", "organisations", "memory", "cards", "schedule", "cost", "conditions", "quote")


def main() -> int:
    """Write the pictures and return the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", default="indice-de-las-obras")
    parser.add_argument("--size", default="1366x768")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    width, height = (int(part) for part in options.size.split("x"))
    application = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as folder:
        window, theme, _ = build(application, Path(folder), "es_ES", DAY)
        window.resize(width, height)
        window.show()
        for language, numbers in (
            (Language.SPANISH, NumberFormat.ES_ES),
            (Language.ENGLISH, NumberFormat.EN_US),
        ):
            for scheme in (Scheme.LIGHT, Scheme.DARK):
                settings = window.parts.settings
                settings.language, settings.number_format, settings.scheme = language, numbers, scheme
                if window.session.quote is not None:
                    window.session.close()
                window.apply_settings()
                name = f"{language.value}-{scheme.value}"
                _shoot(application, window, options.folder / f"{name}-0-start.png")
                window.files.open_sample(options.sample)
                _wait(application, window)
                for number in range(len(PAGES)):
                    window.show_page(number)
                    _shoot(application, window, options.folder / f"{name}-{number + 1}-{NAMES[number]}.png")
        window.parts.runner.close()
        theme.changed.disconnect()
    print(f"{len(list(options.folder.glob('*.png')))} pictures in {options.folder}")
    return 0


def _wait(application: QApplication, window: MainWindow) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        application.processEvents()
        estimate = window.session.estimate
        if estimate is not None and estimate.is_complete and not window.session.is_stale:
            return
        time.sleep(0.01)
    raise TimeoutError("the estimate did not arrive")


def _shoot(application: QApplication, window: MainWindow, path: Path) -> None:
    for _ in range(5):
        application.processEvents()
        time.sleep(0.02)
    window.grab().save(str(path))


if __name__ == "__main__":
    sys.exit(main())
