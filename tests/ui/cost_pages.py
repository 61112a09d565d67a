"""A Cost page with a session of its own, as its tests open it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

from pytestqt.qtbot import QtBot

from estimator.catalogue import Catalogue
from estimator.quote import Quote
from estimator.storage import read_quote
from estimator.wording import Language, NumberFormat, Wording
from ui.pages.cost import CostPage
from ui.pages.page import Context
from ui.runner import Runner
from ui.session import Session
from ui.theme import Theme

SAMPLES = Path(__file__).parents[2] / "resources" / "samples"
TODAY = date(2026, 11, 30)
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)


def sample(name: str = "indice-de-las-obras") -> Quote:
    return read_quote(SAMPLES / f"{name}.cabida")


def shown_page(qtbot: QtBot, quote: Quote) -> Iterator[CostPage]:
    runner = Runner()
    session = Session(runner, lambda: TODAY)
    page = CostPage(Context(session, WORDS, Theme(), Catalogue))
    qtbot.addWidget(page)
    page.resize(1166, 900)

    def show() -> None:
        if session.quote is not None:
            page.show_state(session.quote, session.estimate, session.is_stale)

    session.changed.connect(show)
    session.estimated.connect(show)
    with qtbot.waitSignal(session.estimated):
        session.show(quote)
    qtbot.waitUntil(lambda: session.estimate is not None and session.estimate.is_complete)
    with qtbot.waitExposed(page):
        page.show()
    yield page
    runner.close()
