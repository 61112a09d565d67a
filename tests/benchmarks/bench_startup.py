"""From the start of the process to the first picture of the window, offscreen: median of five, printed.

`eager` imports everything that a document, a chart, an import or an export needs before the window is made; `lazy`
is what the program does.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNS = 5

EAGER = """
import importlib, pkgutil
import estimator, ui, numpy, pyqtgraph, openpyxl, xlsxwriter
for package in (estimator, ui):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
"""

START = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
import ui.app
application = QApplication([])
window, _, _ = ui.app.first_screen(application, Path(sys.argv[1]), "es_ES")
def painted():
    print("painted", flush=True)
    window.load()
    print("loaded", flush=True)
    application.quit()
window.painted.connect(painted)
window.show()
application.exec()
"""


def seconds(program: str, folder: Path) -> tuple[float, float]:
    """Return the seconds from the start of a fresh process to the first picture, and until files can be opened."""
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", program, str(folder)],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        found = []
        for line in process.stdout or ():
            if line.strip() in ("painted", "loaded"):
                found.append(time.perf_counter() - started)
    return found[0], found[1]


def bench_first_picture(tmp_path: Path) -> None:
    """Eager against lazy, one after the other so that the machine's load is shared."""
    eager, lazy, ready = [], [], []
    for _ in range(RUNS):
        eager.append(seconds(EAGER + START, tmp_path)[0])
        first, loaded = seconds(START, tmp_path)
        lazy.append(first)
        ready.append(loaded)
    before, after = statistics.median(eager), statistics.median(lazy)
    print(
        f"\nfirst picture: eager {before:.2f} s, lazy {after:.2f} s, ratio {after / before:.2f}; "
        f"files can be opened after {statistics.median(ready):.2f} s"
    )
