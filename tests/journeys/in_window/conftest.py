"""The program as a person meets it: one window on a virtual display, a folder of its own, dialogs answered by name."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from ui.app import build
from ui.dialogs import Choice, Dialogs
from ui.main_window import MainWindow

DAY = dt.date(2026, 11, 30)
PATIENCE_MS = 15_000


class Answers(Dialogs):
    """Answers in the planner's place; nothing opens."""

    def __init__(self, window: MainWindow, folder: Path) -> None:
        super().__init__(window.words, window, window.parts.theme)
        self.folder = folder
        self.name = "quote"
        self.asked: list[str] = []

    def save_changes(self, name: str) -> Choice:
        self.asked.append(name)
        return Choice.DISCARD

    def save_file(self, suggested: str, kinds: str) -> Path | None:
        return self.folder / f"{self.name}{Path(suggested).suffix}"

    def open_file(self, folder: str) -> Path | None:
        return self.folder / f"{self.name}.cabida"


@dataclass
class Person:
    """What somebody at the keyboard does, and what is seen then. `entries` counts committed fields and choices."""

    window: MainWindow
    qtbot: QtBot
    entries: list[str] = field(default_factory=list)

    def press(self, keys: str) -> None:
        """Press one combination, such as "Ctrl+E" or "Return", wherever the focus is."""
        *modifiers, key = keys.split("+")
        held = Qt.KeyboardModifier.NoModifier
        for name in modifiers:
            held |= {"Ctrl": Qt.KeyboardModifier.ControlModifier, "Alt": Qt.KeyboardModifier.AltModifier}[
                name
            ]
        code = getattr(Qt.Key, f"Key_{key}")
        QTest.keyClick(self.focus(), code, held)
        QApplication.processEvents()

    def enter(self, what: str, text: str, end: str = "Return") -> None:
        """Type over what the focused field holds and commit it."""
        self.press("Ctrl+A")
        for letter in text:  # QTest.keyClicks knows ASCII alone
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                event = QKeyEvent(kind, 0, Qt.KeyboardModifier.NoModifier, letter)
                QApplication.sendEvent(self.focus(), event)
        self.press(end)
        self.entries.append(what)

    def focus(self) -> QWidget:
        """The widget that hears the keyboard."""
        self.qtbot.waitUntil(lambda: QApplication.focusWidget() is not None, timeout=PATIENCE_MS)
        found = QApplication.focusWidget()
        assert found is not None
        return found

    def wait_for_answer(self) -> None:
        """Wait until the whole estimate belongs to the quote as it stands."""

        def is_there() -> bool:
            session = self.window.session
            estimate = session.estimate
            return estimate is not None and estimate.is_complete and not session.is_stale

        self.qtbot.waitUntil(is_there, timeout=PATIENCE_MS)
        QApplication.processEvents()

    def figures(self) -> list[str]:
        """The five figures of the strip with their units."""
        return [f"{cell.cell.figure} {cell.cell.unit}".strip() for cell in self.window.strip.cells]


@pytest.fixture
def person(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Person]:
    """Somebody in front of a window in Spanish that has just opened."""
    window, _theme, _translator = build(qapp, tmp_path / "data", "es_ES", DAY)
    (tmp_path / "files").mkdir()
    answers = Answers(window, tmp_path / "files")
    window.files.dialogs = answers
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    window.raise_()
    qtbot.waitUntil(window.isActiveWindow, timeout=PATIENCE_MS)
    yield Person(window, qtbot)
    window.parts.runner.close()


@pytest.fixture
def files(person: Person) -> Callable[[str], Path]:
    """Return the path of a file in the person's folder."""
    dialogs = person.window.files.dialogs
    assert isinstance(dialogs, Answers)
    return lambda name: dialogs.folder / name
