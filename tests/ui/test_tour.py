"""The tour explains five parts of the window, waits for a quote, and leaves when it is told to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QApplication, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from estimator.wording import Language, NumberFormat, Wording
from tests.ui.windows import Seat, seat
from ui.tour import Side, Tour, balloons, place_balloon

SAMPLE = "indice-de-las-obras"
ROOM = QRect(0, 0, 1000, 600)
SIZE = QSize(300, 150)


@pytest.fixture
def newcomer(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Seat]:
    with seat(qapp, qtbot, tmp_path / "data") as found:
        yield found


def link(newcomer: Seat) -> QPushButton | None:
    return newcomer.window.start.findChild(QPushButton, "tour")


def tours(newcomer: Seat) -> list[Tour]:
    """Return the tours in sight."""
    return [one for one in newcomer.window.findChildren(Tour) if one.isVisible()]


def tour_with_a_quote(newcomer: Seat) -> Tour:
    newcomer.window.files.open_sample(SAMPLE)
    newcomer.window.do.start_tour()
    return tours(newcomer)[0]


def test_no_tour_starts_by_itself(newcomer: Seat) -> None:
    assert tours(newcomer) == []
    newcomer.window.files.open_sample(SAMPLE)
    assert tours(newcomer) == []
    assert not newcomer.window.parts.settings.tour_seen


def test_without_a_quote_the_tour_waits_at_the_questions_and_opens_nothing(newcomer: Seat) -> None:
    asked = link(newcomer)
    assert asked is not None
    asked.click()
    (tour,) = tours(newcomer)
    assert tour.anchor is not None
    assert tour.anchor.objectName() == "questions"
    tour.turn(1)
    assert tour.at == 0
    assert tour.next_button.isHidden()
    assert not newcomer.window.has_quote


def test_the_tour_goes_on_once_a_quote_is_shown(newcomer: Seat) -> None:
    newcomer.window.do.start_tour()
    newcomer.window.start.unit.setText("documento")
    newcomer.window.start.finish()
    (tour,) = tours(newcomer)
    assert tour.at == 1
    assert tour.anchor is newcomer.window.strip
    assert QApplication.focusWidget() is tour.next_button


def test_the_five_balloons_show_their_pages_forwards_and_back(newcomer: Seat) -> None:
    tour = tour_with_a_quote(newcomer)
    seen = []
    for _ in range(4):
        seen.append((tour.at, newcomer.window.current))
        tour.next_button.click()
    seen.append((tour.at, newcomer.window.current))
    # Strip and steps leave the page as it is: 0 is Work, 1 Organisations, 7 the quote.
    assert seen == [(0, 0), (1, 0), (2, 0), (3, 1), (4, 7)]
    tour.back_button.click()
    assert (tour.at, newcomer.window.current) == (3, 1)


def test_the_last_balloon_ends_the_tour_and_the_settings_remember_it(newcomer: Seat, qtbot: QtBot) -> None:
    tour = tour_with_a_quote(newcomer)
    for _ in range(4):
        newcomer.press(Qt.Key.Key_Return)
    assert tour.at == 4
    with qtbot.waitSignal(tour.ended):
        newcomer.press(Qt.Key.Key_Return)
    assert tours(newcomer) == []
    assert newcomer.window.parts.settings.tour_seen
    page = newcomer.window.document.page(7)
    focus = QApplication.focusWidget()
    assert focus is not None
    assert page.isAncestorOf(focus)


def test_escape_skips_the_tour_and_gives_the_focus_back(newcomer: Seat) -> None:
    newcomer.window.do.start_tour()
    newcomer.press(Qt.Key.Key_Escape)
    assert tours(newcomer) == []
    assert newcomer.window.parts.settings.tour_seen
    assert QApplication.focusWidget() is newcomer.window.start.unit
    # Skipped: the quote that is opened afterwards stays undisturbed.
    newcomer.window.files.open_sample(SAMPLE)
    assert tours(newcomer) == []


def test_once_seen_the_tour_is_offered_in_the_help_menu_alone(newcomer: Seat) -> None:
    tour_with_a_quote(newcomer).skip()
    newcomer.window.session.close()
    assert link(newcomer) is None
    helps = newcomer.window.menuBar().actions()[-1].menu()
    assert isinstance(helps, QMenu)
    entries = {one.text(): one for one in helps.actions()}
    entries[newcomer.window.words.t("Two-minute tour")].trigger()
    QApplication.processEvents()  # the start page that was just built comes into sight
    assert len(tours(newcomer)) == 1


def test_a_balloon_goes_out_of_sight_with_its_part_and_comes_back_with_it(newcomer: Seat) -> None:
    tour = tour_with_a_quote(newcomer)
    newcomer.window.show_page(5)
    assert not tour.isVisible()
    newcomer.window.show_page(0)
    assert tour.isVisible()


def test_a_balloon_stays_beside_its_part_when_the_window_changes_size(newcomer: Seat) -> None:
    tour = tour_with_a_quote(newcomer)
    tour.turn(1)
    newcomer.window.resize(1180, 680)
    QApplication.processEvents()
    strip = newcomer.window.strip
    below = strip.mapTo(newcomer.window, QPoint(0, strip.height())).y()
    assert abs(tour.geometry().top() - below) <= 1
    assert newcomer.window.rect().contains(tour.geometry())


def test_closing_the_quote_or_changing_the_language_takes_the_tour_away(newcomer: Seat) -> None:
    tour_with_a_quote(newcomer)
    newcomer.window.session.close()
    assert tours(newcomer) == []
    QApplication.processEvents()  # the start page that was just built comes into sight
    tour_with_a_quote(newcomer)
    newcomer.window.set_words(Wording(Language.ENGLISH, NumberFormat.EN_US))
    assert tours(newcomer) == []
    assert not newcomer.window.parts.settings.tour_seen


@pytest.mark.parametrize("has_quote", [False, True])
def test_f6_comes_to_the_balloon_after_the_page_and_back(newcomer: Seat, has_quote: bool) -> None:
    if has_quote:
        newcomer.window.files.open_sample(SAMPLE)
    newcomer.window.do.start_tour()
    (tour,) = tours(newcomer)
    (newcomer.window.document.page(0) if has_quote else newcomer.window.start).focus_first()
    first = QApplication.focusWidget()
    newcomer.action("F6").trigger()
    focus = QApplication.focusWidget()
    assert focus is not None
    assert tour.isAncestorOf(focus)
    newcomer.action("Shift+F6").trigger()
    assert QApplication.focusWidget() is first


def test_there_are_five_balloons() -> None:
    texts = balloons(Wording(Language.ENGLISH, NumberFormat.EN_US))
    assert [one.page for one in texts] == [0, None, None, 1, 7]
    assert len({one.title for one in texts}) == 5


@pytest.mark.parametrize(
    ("anchor", "spot", "side"),
    [
        # centred under it: 500 - 150 = 350 across
        (QRect(400, 0, 200, 50), QPoint(350, 50), Side.BELOW),
        # a column down to the bottom: beside it, 300 - 75 = 225 down
        (QRect(0, 0, 100, 600), QPoint(100, 225), Side.RIGHT),
        # the same at the right edge: 900 - 300 = 600 across
        (QRect(900, 0, 100, 600), QPoint(600, 225), Side.LEFT),
        # a row along the bottom: over it, 550 - 150 = 400 down
        (QRect(0, 550, 1000, 50), QPoint(350, 400), Side.ABOVE),
        # as large as the room: its corner, 1000 - 300 and 600 - 150
        (QRect(0, 0, 1000, 600), QPoint(700, 450), None),
    ],
)
def test_a_balloon_stands_on_the_first_side_with_space(
    anchor: QRect, spot: QPoint, side: Side | None
) -> None:
    # QRect.center() of an even length is the pixel before the middle, hence one of tolerance
    found, on = place_balloon(anchor, SIZE, ROOM)
    assert on is side
    assert (found - spot).manhattanLength() <= 2


@given(st.integers(0, 990), st.integers(0, 590), st.integers(1, 1000), st.integers(1, 600))
def test_a_balloon_never_leaves_the_room_nor_covers_its_part_on_a_side(
    left: int, top: int, width: int, height: int
) -> None:
    anchor = QRect(left, top, width, height).intersected(ROOM)
    spot, side = place_balloon(anchor, SIZE, ROOM)
    assert ROOM.contains(QRect(spot, SIZE))
    assert side is None or not QRect(spot, SIZE).intersects(anchor)
