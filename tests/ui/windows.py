"""A whole window for tests, built as the program builds it, with somebody who answers instead of dialogs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from estimator.quote import Quote
from estimator.wording import Wording
from tests.quotes import TODAY
from ui.app import build
from ui.dialogs import Choice, Dialogs
from ui.main_window import MainWindow
from ui.theme import Theme

PATIENCE_MS = 20_000


class Answers(Dialogs):
    """Answers what a test said beforehand and keeps what was asked; nothing opens."""

    def __init__(self, words: Wording, parent: QWidget, theme: Theme) -> None:
        super().__init__(words, parent, theme)
        self.choice = Choice.CANCEL
        self.path: Path | None = None
        self.asked: list[str] = []
        self.details: list[str] = []

    def _ask(self, text: str, details: str, buttons: tuple[tuple[str, Choice], ...]) -> Choice:
        self.asked.append(text)
        self.details.append(details)
        return self.choice

    def open_file(self, folder: str) -> Path | None:
        return self.path

    def open_table(self, folder: str) -> Path | None:
        return self.path

    def open_workbook(self, folder: str) -> Path | None:
        return self.path

    def save_file(self, suggested: str, kinds: str) -> Path | None:
        self.asked.append(suggested)
        return self.path


@dataclass
class Seat:
    """A window and somebody in front of it."""

    window: MainWindow
    answers: Answers
    qtbot: QtBot
    said: list[str] = field(default_factory=list)

    @property
    def quote(self) -> Quote:
        quote = self.window.session.quote
        assert quote is not None
        return quote

    def wait_for_answer(self) -> None:
        """Wait until the whole estimate belongs to the quote as it stands."""

        def is_there() -> bool:
            session = self.window.session
            estimate = session.estimate
            return estimate is not None and estimate.is_complete and not session.is_stale

        self.qtbot.waitUntil(is_there, timeout=PATIENCE_MS)

    def press(self, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a combination where the focus is."""
        focus = QApplication.focusWidget() or self.window
        QTest.keyClick(focus, key, held)
        QApplication.processEvents()

    def type(self, text: str) -> None:
        """Type over what the focused field holds, without committing it."""
        focus = QApplication.focusWidget()
        assert focus is not None
        QTest.keyClick(focus, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(focus, text)

    def action(self, keys: str) -> QAction:
        """Return the menu entry of a combination."""
        waiting = list(self.window.menuBar().actions())
        while waiting:
            entry = waiting.pop()
            if keys in [each.toString() for each in entry.shortcuts()]:
                return entry
            menu = entry.menu()
            if isinstance(menu, QMenu):
                waiting += menu.actions()
        raise LookupError(keys)


@contextmanager
def seat(qapp: QApplication, qtbot: QtBot, folder: Path, locale: str = "es_ES") -> Iterator[Seat]:
    """Open a window whose data lie in `folder`; afterwards the application looks as it did before."""
    font, palette, sheet = qapp.font(), qapp.palette(), qapp.styleSheet()
    window, _theme, translator = build(qapp, folder, locale, TODAY)
    answers = Answers(window.words, window, window.parts.theme)
    window.files.dialogs = answers
    found = Seat(window, answers, qtbot)
    for saying in (window.files.said, window.exports.said):
        saying.connect(found.said.append)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=PATIENCE_MS)
    yield found
    answers.choice = Choice.DISCARD
    window.close()
    window.deleteLater()
    QApplication.processEvents()
    qapp.removeTranslator(translator)
    qapp.setStyleSheet(sheet)
    qapp.setPalette(palette)
    qapp.setFont(font)
