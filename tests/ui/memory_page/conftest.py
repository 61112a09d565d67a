"""A session of a fixed day and a shown Memory page that follows it, for every test of the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from tests.ui.memory_pages import new_page, new_session
from ui.pages.memory import MemoryPage
from ui.runner import Runner
from ui.session import Session


@pytest.fixture
def session(qtbot: QtBot) -> Iterator[Session]:
    runner = Runner()
    yield new_session(runner)
    runner.close()


@pytest.fixture
def page(qtbot: QtBot, session: Session) -> MemoryPage:
    return new_page(qtbot, session)
