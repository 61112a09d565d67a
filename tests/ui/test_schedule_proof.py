"""Proving the plan from the window: by button, menu and keyboard, its progress, its ends, and what is kept."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from estimator import edits
from estimator.plan.proving import ProofTask, proved
from estimator.plan.scheduling import content_of
from estimator.quote import ProvenPlan, Quote
from estimator.results.estimate import Timing
from estimator.schedule import ProofRefused, SolveStopped, tasks_of
from estimator.schedule.prove import REQUIREMENT
from estimator.storage import read_quote, save_quote
from tests.quotes import MINUTE, hard_to_prove, source_quote
from tests.ui.windows import PATIENCE_MS, Seat, seat
from ui.pages.schedule import SchedulePage
from ui.proof import Prove

SCHEDULE = 4
HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
Heard = Callable[[int, int], object]


@pytest.fixture
def planner(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Seat]:
    with seat(qapp, qtbot, tmp_path / "data", "en_GB") as found:
        open_quote(found, tmp_path, hard_to_prove())
        yield found


def open_quote(planner: Seat, folder: Path, quote: Quote) -> None:
    path = folder / "work.cabida"
    save_quote(quote, path)
    assert planner.window.files.open(path)
    planner.wait_for_answer()
    planner.window.show_page(SCHEDULE)


def page_of(planner: Seat) -> SchedulePage:
    page = planner.window.pages[SCHEDULE]
    assert isinstance(page, SchedulePage)
    return page


def text_of(planner: Seat) -> str:
    return page_of(planner).proof.text.text().replace("\u00a0", " ")


def wait_for_text(planner: Seat, part: str) -> None:
    planner.qtbot.waitUntil(lambda: part in text_of(planner), timeout=PATIENCE_MS)


def proven_as(task: ProofTask, bound_ms: int) -> ProvenPlan:
    return ProvenPlan(
        content=content_of(task.problem),
        bound_ms=bound_ms,
        tasks=tasks_of(task.problem, task.start),
        effort=task.effort,
        by="a solver",
    )


def at_once(task: ProofTask, heard: Heard, cancelled: Callable[[], bool]) -> ProvenPlan:
    return proven_as(task, task.start.delivery_ms)


def ended_short(task: ProofTask, heard: Heard, cancelled: Callable[[], bool]) -> ProvenPlan:
    return proven_as(task, 63 * MINUTE)


def without_extra(task: ProofTask, heard: Heard, cancelled: Callable[[], bool]) -> ProvenPlan:
    raise ProofRefused("proof_not_installed")


class Waiting:
    """A proof that tells its bound and goes on until it is no longer wanted."""

    def __init__(self) -> None:
        self.ended = threading.Event()

    def __call__(self, task: ProofTask, heard: Heard, cancelled: Callable[[], bool]) -> ProvenPlan:
        heard(66 * MINUTE, 64 * MINUTE)
        while not cancelled():
            threading.Event().wait(0.01)
        self.ended.set()
        raise SolveStopped


def start(planner: Seat, prove: Prove) -> None:
    planner.window.session.proof.prove = prove
    planner.press(Qt.Key.Key_P, HELD)


def delivery_of(planner: Seat) -> tuple[int, int]:
    estimate = planner.window.session.estimate
    assert estimate is not None
    assert estimate.shown is not None
    timing = estimate.shown.timing
    assert isinstance(timing, Timing)
    return timing.delivery_ms // MINUTE, timing.lower_bound_ms // MINUTE


def test_a_plan_above_its_bound_says_so_and_can_be_proved(planner: Seat) -> None:
    assert text_of(planner) == "Not proven: a plan up to 4 min earlier may exist."
    assert page_of(planner).proof.button.isVisible()
    assert delivery_of(planner) == (66, 62)


def test_an_optimal_plan_needs_no_proof_and_says_so_when_asked(planner: Seat, tmp_path: Path) -> None:
    open_quote(planner, tmp_path, source_quote())
    assert not page_of(planner).proof.isVisible()
    start(planner, at_once)
    assert text_of(planner) == "The plan is optimal already: its delivery is the lower bound."
    assert not page_of(planner).proof.button.isVisible()


def test_the_keys_prove_from_any_page_and_the_proof_is_one_edit(planner: Seat) -> None:
    planner.window.show_page(0)
    start(planner, at_once)
    wait_for_text(planner, "Proven by a solver: no plan on these cards delivers before 66 min.")
    assert planner.window.current == SCHEDULE
    assert delivery_of(planner) == (66, 66)
    assert not page_of(planner).proof.button.isVisible()
    assert planner.window.session.undo_label == "keep the proven plan"
    planner.press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait_for_text(planner, "Not proven")
    assert delivery_of(planner) == (66, 62)


def test_the_button_proves_with_the_keyboard_alone(planner: Seat) -> None:
    planner.window.session.proof.prove = at_once
    button = page_of(planner).proof.button
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, Qt.Key.Key_Space)
    wait_for_text(planner, "Proven by a solver")


def test_what_was_proved_is_there_when_the_quote_is_opened_again(planner: Seat, tmp_path: Path) -> None:
    start(planner, at_once)
    wait_for_text(planner, "Proven by a solver")
    assert planner.window.files.save()
    assert planner.window.files.open(tmp_path / "work.cabida")
    planner.wait_for_answer()
    planner.window.show_page(SCHEDULE)
    assert delivery_of(planner) == (66, 66)
    assert "Saved with the quote." in text_of(planner)


def test_a_proof_at_its_budget_shows_what_is_left_and_can_go_on(planner: Seat) -> None:
    start(planner, ended_short)
    wait_for_text(planner, "no plan on these cards delivers before 63 min, 3 min before this one")
    assert page_of(planner).proof.button.isVisible()
    assert delivery_of(planner) == (66, 63)


def test_progress_is_shown_and_cancelling_changes_nothing(planner: Seat) -> None:
    waiting = Waiting()
    before = planner.quote
    page_of(planner).proof.button.setFocus()
    start(planner, waiting)
    wait_for_text(planner, "best plan so far 66 min, lower bound 64 min")
    cancel = page_of(planner).proof.cancel
    assert cancel.hasFocus()
    QTest.keyClick(cancel, Qt.Key.Key_Space)
    assert text_of(planner) == "The proof was cancelled. Nothing has changed."
    assert page_of(planner).proof.button.hasFocus()
    assert waiting.ended.wait(PATIENCE_MS / 1000)
    assert planner.quote is before


def test_the_status_bar_cancels_a_proof_and_nothing_else(planner: Seat) -> None:
    session = planner.window.session
    planner.qtbot.waitUntil(
        lambda: session.estimate is not None and session.estimate.is_assessed, timeout=20_000
    )
    start(planner, Waiting())
    wait_for_text(planner, "best plan so far")
    planner.window.do.cancel_work()
    assert text_of(planner) == "The proof was cancelled. Nothing has changed."
    assert not planner.window.session.is_cancelled


def test_an_edit_of_the_tasks_stops_the_proof_and_another_edit_does_not(planner: Seat) -> None:
    start(planner, Waiting())
    wait_for_text(planner, "best plan so far")
    planner.window.session.edit("name", lambda quote: quote.replaced(name="Other"))
    planner.wait_for_answer()
    assert planner.window.session.proof.state.is_running
    planner.window.session.edit(
        "tasks", lambda quote: edits.with_equal_tasks(quote, "conversion", count=7, duration=None)
    )
    planner.wait_for_answer()
    assert not planner.window.session.proof.state.is_running
    wait_for_text(planner, "the tasks or cards have changed")


def test_a_saved_proof_of_other_tasks_is_told_apart(planner: Seat) -> None:
    start(planner, at_once)
    wait_for_text(planner, "Proven by a solver")
    planner.window.session.edit(
        "tasks", lambda quote: edits.with_stage(quote, "assembly", tasks=quote.workload.stages[0].tasks)
    )
    wait_for_text(planner, "The saved proof is of other tasks or cards and is not used here.")


def test_another_language_loses_no_proof(planner: Seat) -> None:
    waiting = Waiting()
    start(planner, waiting)
    wait_for_text(planner, "best plan so far")
    planner.window._build()
    wait_for_text(planner, "best plan so far")
    page_of(planner).proof.cancel.click()
    assert waiting.ended.wait(PATIENCE_MS / 1000)


def test_without_the_extra_the_page_says_how_to_get_it(planner: Seat) -> None:
    before = planner.quote
    start(planner, without_extra)
    wait_for_text(planner, f'"{sys.executable}" -m pip install "{REQUIREMENT}"')
    assert planner.quote is before


def test_closing_the_quote_stops_its_proof(planner: Seat) -> None:
    waiting = Waiting()
    start(planner, waiting)
    wait_for_text(planner, "best plan so far")
    planner.window.session.close()
    assert waiting.ended.wait(PATIENCE_MS / 1000)
    assert not planner.window.session.proof.state.is_running


def test_the_real_solver_proves_the_plan_that_is_shown(planner: Seat, tmp_path: Path) -> None:
    start(planner, proved)
    wait_for_text(planner, "Proven by OR-Tools")
    assert delivery_of(planner) == (66, 66)
    assert planner.window.files.save()
    organisation = read_quote(tmp_path / "work.cabida").organisation("B")
    assert organisation is not None
    assert organisation.proven is not None


def test_the_buttons_have_names_for_readers(planner: Seat) -> None:
    line = page_of(planner).proof
    buttons = line.findChildren(QPushButton)
    assert [one.text() for one in buttons] == ["Prove", "Cancel"]
    assert "Ctrl+Shift+P" in line.button.toolTip()
