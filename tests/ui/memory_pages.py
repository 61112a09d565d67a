"""A Memory page with its session for tests: opened on a quote, waited for, typed into."""

from __future__ import annotations

import datetime as dt
from importlib.resources import files
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from estimator.catalogue import ModelRecord
from estimator.catalogue.embedded import embedded_catalogue
from estimator.quote import Quote
from estimator.wording import Language, NumberFormat, Wording
from ui.pages.memory import MemoryPage
from ui.pages.page import Context
from ui.runner import Runner
from ui.session import Session
from ui.theme import Theme

WORDS = Wording(Language.ENGLISH, NumberFormat.EN_US)
SAMPLE = Path(str(files("resources").joinpath("samples"))) / "indice-de-las-obras.cabida"
STAGE = "conversion"


def new_session(runner: Runner) -> Session:
    """Return a session of a fixed day."""
    return Session(runner, lambda: dt.date(2026, 11, 30))


def new_page(qtbot: QtBot, session: Session) -> MemoryPage:
    """Return a shown page that follows its session."""
    page = MemoryPage(Context(session, WORDS, Theme(), embedded_catalogue))
    qtbot.addWidget(page)

    def show() -> None:
        if session.quote is not None:
            page.show_state(session.quote, session.estimate, session.is_stale)

    session.changed.connect(show)
    session.estimated.connect(show)
    page.resize(1166, 620)
    page.show()
    return page


def opened(qtbot: QtBot, session: Session, quote: Quote) -> None:
    """Show a quote and wait for its figures."""
    session.show(quote)
    settled(qtbot, session)


def settled(qtbot: QtBot, session: Session) -> None:
    """Wait until the figures are those of the quote, and the fits are there."""

    def complete() -> bool:
        return session.estimate is not None and session.estimate.is_complete and not session.is_stale

    qtbot.waitUntil(complete, timeout=10_000)
    qtbot.wait(1)  # the fits come when the event loop comes round


def record(id_: str) -> ModelRecord:
    """Return a model of the catalogue."""
    return next(one for one in embedded_catalogue().models if one.id == id_)


def type_into(widget: QWidget, text: str) -> None:
    """Type in place of what a field holds, and Enter."""
    widget.setFocus()
    QTest.keyClick(widget, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(widget, Qt.Key.Key_Delete)
    QTest.keyClicks(widget, text)
    QTest.keyClick(widget, Qt.Key.Key_Return)
