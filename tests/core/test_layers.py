"""The gates of the ordinary test run: direction of imports, lint, layout, types."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

IMPORT_ALL = """
import importlib, pkgutil, sys
import estimator
names = [module.name for module in pkgutil.walk_packages(estimator.__path__, "estimator.")]
for name in names:
    importlib.import_module(name)
windows = {"PySide6", "shiboken6", "pyqtgraph", "ui"}
print(sorted(windows & {name.partition(".")[0] for name in sys.modules}))
"""

USE_ALL = """
import importlib, os, pkgutil, sys, tempfile
from pathlib import Path
os.environ["QT_QPA_PLATFORM"] = "offscreen"
import estimator, ui
for package in (estimator, ui):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
from PySide6.QtWidgets import QApplication
from tests.quotes import TODAY, hard_to_prove
from ui.app import build
application = QApplication([])
window = build(application, Path(tempfile.mkdtemp()), "en_GB", TODAY)[0]
window.files.new(hard_to_prove())
while window.session.estimate is None or not window.session.estimate.is_complete:
    application.processEvents()
for page in range(8):
    window.show_page(page)
assert not window.pages[4].proof.button.isHidden()
print(sorted({"ortools", "pandas", "matplotlib"} & {name.partition(".")[0] for name in sys.modules}))
sys.stdout.flush()
os._exit(0)
"""

CHECK_LAYERS = """
import sys
from importlinter.cli import lint_imports
sys.exit(lint_imports(no_cache=True, no_logo=True))
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Return what a fresh interpreter answers, run in the repository's root."""
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def require_success(*arguments: str) -> str:
    """Return what the command printed; fail with all that it said where it did not succeed."""
    answer = run(*arguments)
    if answer.returncode != 0:
        pytest.fail(f"{answer.stdout}\n{answer.stderr}", pytrace=False)
    return answer.stdout.strip()


def test_the_core_loads_no_window_library() -> None:
    assert require_success("-c", IMPORT_ALL) == "[]"


def test_nothing_but_a_proof_loads_the_solver() -> None:
    assert require_success("-c", USE_ALL) == "[]"


def test_imports_follow_the_layers() -> None:
    require_success("-c", CHECK_LAYERS)


def test_the_linter_has_no_complaint() -> None:
    require_success("-m", "ruff", "check", "--output-format", "concise", ".")


def test_the_layout_is_the_formatter_s() -> None:
    require_success("-m", "ruff", "format", "--check", "--output-format", "concise", ".")


def test_the_types_hold() -> None:
    require_success("-m", "mypy")
