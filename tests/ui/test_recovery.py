"""Copies of unsaved quotes: each program its own, and what a dead one left is offered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from estimator.storage import quote_to_text, read_quote
from tests.quotes import source_quote
from tests.ui.windows import seat
from ui.dialogs import Choice
from ui.recovery import MOST_COPIES, RecoveryCopies

DIES = """
import os, sys
from PySide6.QtCore import QCoreApplication
from pathlib import Path
from ui.recovery import RecoveryCopies
copies = RecoveryCopies(Path(sys.argv[1]))
copies.file.write_text(sys.argv[2], encoding="utf-8")
os._exit(9)
"""


def left_by_the_dead(folder: Path, name: str) -> None:
    text = quote_to_text(source_quote().replaced(name=name))
    done = subprocess.run([sys.executable, "-c", DIES, str(folder), text], check=False, cwd=Path.cwd())
    assert done.returncode == 9


def test_two_programs_keep_a_copy_each_and_neither_takes_the_other_s(tmp_path: Path) -> None:
    one, two = RecoveryCopies(tmp_path), RecoveryCopies(tmp_path)
    one.file.write_text("one", encoding="utf-8")
    assert two.file != one.file
    assert two.left_behind() == ()
    assert not two.take_over(one.file)
    one.release()
    assert two.left_behind() == (tmp_path / "recovery.cabida",)
    assert two.take_over(tmp_path / "recovery.cabida")
    assert one.file != two.file


def test_what_a_dead_program_left_is_offered_and_never_written_over(tmp_path: Path) -> None:
    left_by_the_dead(tmp_path, "Lost")
    assert (tmp_path / "recovery.lock").exists()
    copies = RecoveryCopies(tmp_path)
    assert copies.file == tmp_path / "recovery-2.cabida"
    assert copies.left_behind() == (tmp_path / "recovery.cabida",)


def test_with_every_place_taken_the_last_is_shared(tmp_path: Path) -> None:
    for number in range(MOST_COPIES):
        name = "recovery.cabida" if number == 0 else f"recovery-{number + 1}.cabida"
        (tmp_path / name).write_text("", encoding="utf-8")
    assert RecoveryCopies(tmp_path).file.name == f"recovery-{MOST_COPIES}.cabida"


def test_several_copies_are_offered_the_newest_first(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = tmp_path / "recovery"
    folder.mkdir()
    for age, name in ((20, "Older"), (10, "Newer")):
        left_by_the_dead(folder, name)
        file = folder / ("recovery.cabida" if name == "Older" else "recovery-2.cabida")
        seen = file.stat().st_mtime - age
        os.utime(file, (seen, seen))
    with seat(qapp, qtbot, tmp_path) as found:
        found.answers.choice = Choice.RECOVER
        assert found.window.files.offer_recovery()
        assert found.quote.name == "Newer"
        copies = found.window.session.recovery
        assert copies is not None
        assert copies.left_behind() == (folder / "recovery.cabida",)
    assert read_quote(folder / "recovery.cabida").name == "Older"
    assert not (folder / "recovery-2.cabida").exists()  # given up on closing
