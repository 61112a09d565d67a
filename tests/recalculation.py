"""LibreOffice made to recalculate every formula of a workbook, so that a stored result cannot hide a wrong formula."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

ALWAYS_RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse">
<value>0</value></prop></item>
</oor:items>
"""
SECONDS = 180


def recalculated(workbook: Path, folder: Path) -> Path:
    """Return the workbook as LibreOffice recalculates it; skips where LibreOffice is not installed."""
    return all_recalculated([workbook], folder)[0]


def all_recalculated(workbooks: Sequence[Path], folder: Path) -> list[Path]:
    """Return the workbooks as LibreOffice recalculates them, in one run of it, which takes most of the time."""
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice is not installed")
    profile = folder / "profile"
    settings = profile / "user" / "registrymodifications.xcu"
    if not settings.exists():
        settings.parent.mkdir(parents=True)
        settings.write_text(ALWAYS_RECALCULATE, encoding="utf-8")
    out = folder / "recalculated"
    command = [office, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", "xlsx"]
    names = [str(workbook) for workbook in workbooks]
    subprocess.run([*command, "--outdir", str(out), *names], check=True, capture_output=True, timeout=SECONDS)
    return [out / workbook.name for workbook in workbooks]
