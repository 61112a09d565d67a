"""The start page asks three questions, and a first quote says what they said and nothing more."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from estimator.evidence import EvidenceKind
from estimator.quote import Independence, ResourceKind, StageKind
from estimator.wording import Language, NumberFormat, Wording
from ui.pages.new_quote import FirstAnswers, quote_from
from ui.pages.start import RecentFile, SampleCard, StartPage
from ui.theme import Theme

WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)
SAMPLES = tuple(SampleCard(one, one.upper(), "Trade", "One sentence.", 3) for one in ("a", "b", "c", "d"))
THERE = RecentFile(Path("/quotes/there.cabida"), "there.cabida", "/quotes", "30 Nov 2026 10:42")
GONE = RecentFile(Path("/stick/gone.cabida"), "gone.cabida", "/stick", reason="not found")


@pytest.fixture
def page(qtbot: QtBot) -> StartPage:
    page = StartPage(WORDS, Theme(), SAMPLES, (THERE, GONE))
    qtbot.addWidget(page)
    page.resize(1180, 700)
    page.show()
    page.focus_first()
    return page


def test_typing_the_first_answers_and_enter_creates_a_quote(page: StartPage, qtbot: QtBot) -> None:
    QTest.keyClicks(page.unit, "document conversion")
    page.count.setFocus()
    QTest.keyClicks(page.count, "8")
    page.licences.click()
    with qtbot.waitSignal(page.created) as heard:
        QTest.keyClick(page.count, Qt.Key.Key_Return)
    assert heard.args == [
        FirstAnswers("document conversion", 8, Independence.INDEPENDENT, True, True, False, False)
    ]


def test_enter_in_a_line_creates_once(page: StartPage) -> None:
    # Twice would replace the new quote with itself, and ask whether to save it.
    heard: list[object] = []
    page.created.connect(heard.append)
    for line in (page.unit, page.count):
        heard.clear()
        line.setFocus()
        QTest.keyClick(line, Qt.Key.Key_Return)
        assert len(heard) == 1


def test_enter_on_a_radio_creates_and_on_a_button_presses_it(page: StartPage, qtbot: QtBot) -> None:
    cooperative = page.radios[Independence.COOPERATIVE]
    cooperative.click()
    cooperative.setFocus()
    with qtbot.waitSignal(page.created) as heard:
        QTest.keyClick(cooperative, Qt.Key.Key_Return)
    assert heard.args[0].independence is Independence.COOPERATIVE
    page.blank_button.setFocus()
    with qtbot.waitSignal(page.started_blank), qtbot.assertNotEmitted(page.created):
        QTest.keyClick(page.blank_button, Qt.Key.Key_Return)


def test_a_count_that_cannot_be_read_creates_nothing(page: StartPage, qtbot: QtBot) -> None:
    page.count.setFocus()
    QTest.keyClicks(page.count, "many")
    with qtbot.assertNotEmitted(page.created):
        page.create_button.click()
    assert page.count.problem
    assert page.focusWidget() is page.count


def test_samples_open_from_their_cards_and_the_others_from_more(page: StartPage, qtbot: QtBot) -> None:
    assert set(page.sample_buttons) == {"a", "b", "c"}
    with qtbot.waitSignal(page.sample_opened) as heard:
        page.sample_buttons["b"].click()
    assert heard.args == ["b"]
    (other,) = page.more_button.menu().actions()
    with qtbot.waitSignal(page.sample_opened) as heard:
        other.trigger()
    assert heard.args == ["d"]


def test_a_missing_recent_file_says_why_and_does_not_open(page: StartPage, qtbot: QtBot) -> None:
    page.recent_table.setCurrentIndex(page.recent_model.index(0, 0))
    with qtbot.waitSignal(page.file_opened) as heard:
        QTest.keyClick(page.recent_table, Qt.Key.Key_Return)
    assert heard.args == [THERE.path]
    page.recent_table.setCurrentIndex(page.recent_model.index(1, 0))
    with qtbot.assertNotEmitted(page.file_opened):
        QTest.keyClick(page.recent_table, Qt.Key.Key_Return)
    assert page.recent_model.index(1, 3).data() == "not found"
    with qtbot.waitSignal(page.recent_forgotten) as heard:
        page.forget_button.click()
    assert heard.args == [GONE.path]


def test_no_recent_files_show_no_table(page: StartPage) -> None:
    page.show_recent(())
    assert not page.recent_table.isVisible()


def test_every_stop_has_a_name_and_one_button_is_filled(page: StartPage) -> None:
    stops = [
        one
        for one in page.findChildren(QWidget)
        if one.focusPolicy() & Qt.FocusPolicy.TabFocus and one.isVisible()
    ]
    assert len(stops) > 10
    for stop in stops:
        assert stop.accessibleName() or stop.property("text"), stop
    filled = [one for one in page.findChildren(QPushButton) if one.property("look") == "primary"]
    assert filled == [page.create_button]


def test_tab_walks_the_questions_as_they_are_read(page: StartPage) -> None:
    places = []
    for _ in range(8):
        focused = page.focusWidget()
        assert focused is not None
        places.append(focused)
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    assert places == [
        page.unit,
        page.count,
        page.radios[Independence.INDEPENDENT],
        page.assembly,
        page.licences,
        page.storage,
        page.link,
        page.blank_button,
    ]


def test_a_first_quote_has_the_stages_and_organisations_of_the_answers() -> None:
    quote = quote_from(FirstAnswers("document conversion", 8), WORDS)
    names = [(stage.name, stage.kind, stage.tasks.total) for stage in quote.workload.stages]
    assert names == [
        ("Document conversion", StageKind.INDEPENDENT, 8),
        ("Assembly", StageKind.STATION, 1),
        ("Batch accepted", StageKind.GATE, 1),
    ]
    assert quote.workload.computation_unit == "document conversion"
    keys = [(one.id, one.layout("compute").tasks_at_once) for one in quote.organisations]
    assert keys == [("A", 1), ("B", 2)]
    assert (quote.language, quote.number_format) == ("en", "en_GB")


def test_what_is_shared_in_a_first_quote_has_no_capacity_yet() -> None:
    quote = quote_from(FirstAnswers("x", 8, storage=True, licences=True, link=True, assembly=False), WORDS)
    assert [(one.kind, one.capacity.value, one.unit) for one in quote.workload.resources] == [
        (ResourceKind.STORAGE, None, "MB/s"),
        (ResourceKind.LICENCE, None, ""),
        (ResourceKind.LINK, None, "GB/s"),
    ]
    # A licence a task is a count that is given; a bandwidth nobody stated is only assumed.
    amounts = [need.amount for need in quote.workload.stages[0].needs]
    assert [one.value for one in amounts] == [Decimal(1)] * 3
    assert [one.evidence.kind for one in amounts] == [
        EvidenceKind.ASSUMED,
        EvidenceKind.GIVEN,
        EvidenceKind.ASSUMED,
    ]


def test_blank_answers_still_make_a_quote() -> None:
    quote = quote_from(FirstAnswers(), WORDS)
    assert quote.workload.stages[0].name == "Computation"
    assert quote.workload.units_per_delivery is None
