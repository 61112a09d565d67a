"""One document: its history, its file, its estimate, and what cancelling leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from estimator import edits
from estimator.problems import FileRefused
from estimator.quote import Quote
from estimator.storage import read_quote, save_quote
from tests.quotes import TODAY, source_quote
from ui.runner import Runner
from ui.session import Session


@pytest.fixture
def session(tmp_path: Path, qtbot: QtBot) -> Iterator[Session]:
    runner = Runner()
    yield Session(runner, lambda: TODAY, tmp_path / "recovery")
    assert runner.close()


def count_of(session: Session) -> int:
    assert session.quote is not None
    return session.quote.workload.stages[0].tasks.total


def with_count(count: int) -> Callable[[Quote], Quote]:
    def edit(quote: Quote) -> Quote:
        return edits.with_tasks(quote, "conversion", count=(count,))

    return edit


def wait(session: Session, qtbot: QtBot) -> None:
    qtbot.waitUntil(
        lambda: session.estimate is not None and not session.is_stale and session.estimate.is_complete
    )


def test_an_edit_is_one_step_with_its_label(session: Session, qtbot: QtBot) -> None:
    session.show(source_quote())
    assert session.undo_label is None  # opening is never undoable
    session.edit("change the count", with_count(12))
    session.edit("change it again", with_count(128))
    assert (count_of(session), session.undo_label, session.redo_label) == (128, "change it again", None)
    session.undo()
    assert (count_of(session), session.undo_label, session.redo_label) == (
        12,
        "change the count",
        "change it again",
    )
    session.undo()
    assert (count_of(session), session.undo_label) == (8, None)
    session.undo()
    assert count_of(session) == 8
    session.redo()
    session.redo()
    assert count_of(session) == 128
    wait(session, qtbot)


def test_an_edit_that_changes_nothing_is_no_step(session: Session, qtbot: QtBot) -> None:
    session.show(source_quote())
    session.edit("nothing", with_count(8))
    assert session.undo_label is None
    assert not session.is_modified
    wait(session, qtbot)


def test_an_edit_after_an_undo_forgets_what_was_undone(session: Session, qtbot: QtBot) -> None:
    session.show(source_quote())
    session.edit("one", with_count(9))
    session.undo()
    session.edit("two", with_count(10))
    assert session.redo_label is None
    wait(session, qtbot)


def test_undoing_to_what_was_saved_leaves_nothing_to_save(
    session: Session, qtbot: QtBot, tmp_path: Path
) -> None:
    session.show(source_quote(), tmp_path / "a.cabida")
    assert session.save()
    session.edit("one", with_count(9))
    assert session.is_modified
    session.undo()
    assert not session.is_modified
    wait(session, qtbot)


def test_the_estimate_is_stale_until_that_of_the_new_quote_arrives(session: Session, qtbot: QtBot) -> None:
    session.show(source_quote())
    assert session.is_stale
    wait(session, qtbot)
    former = session.estimate
    session.edit("one", with_count(9))
    assert session.is_stale
    assert session.estimate is former
    wait(session, qtbot)
    assert session.estimate is not former


def test_the_risk_is_sketched_with_the_comparisons_and_then_assessed(session: Session, qtbot: QtBot) -> None:
    session.show(source_quote())
    wait(session, qtbot)
    sketch = session.estimate
    assert sketch is not None
    assert [one.plan_id for one in sketch.risks] == [sketch.shown_plan_id]
    qtbot.waitUntil(lambda: session.estimate is not None and session.estimate.is_assessed)
    whole = session.estimate
    assert whole is not None
    assert {one.plan_id for one in whole.risks} == {plan.id for plan in whole.plans}
    assert whole.assumptions


def test_an_edit_stops_the_risk_of_the_former_quote(session: Session, qtbot: QtBot) -> None:
    session.show(source_quote())
    wait(session, qtbot)
    session.edit("one", with_count(9))
    assert session.is_stale
    wait(session, qtbot)
    qtbot.waitUntil(lambda: session.estimate is not None and session.estimate.is_assessed)
    assert session.estimate is not None
    assert session.estimate.quote is session.quote


def test_estimating_again_what_is_known_gives_the_whole_again(session: Session, qtbot: QtBot) -> None:
    session.show(source_quote())
    wait(session, qtbot)
    former = session.estimate
    session.estimate_again()
    qtbot.waitUntil(lambda: session.estimate is not former)
    wait(session, qtbot)


def test_cancelling_keeps_the_former_estimate_stale_until_something_changes(
    session: Session, qtbot: QtBot
) -> None:
    session.show(source_quote())
    wait(session, qtbot)
    former = session.estimate
    session.edit("one", with_count(9))
    session.cancel()
    assert session.is_cancelled
    qtbot.wait(50)
    assert session.is_stale
    assert session.estimate is former
    session.estimate_again()
    assert not session.is_cancelled
    wait(session, qtbot)


def test_a_file_that_is_refused_leaves_the_open_quote(session: Session, qtbot: QtBot, tmp_path: Path) -> None:
    quote = source_quote()
    session.show(quote)
    refused: list[FileRefused] = []
    session.refused.connect(refused.append)
    broken = tmp_path / "broken.cabida"
    broken.write_text("{", encoding="utf-8")
    assert not session.open_file(broken)
    assert session.quote is quote
    assert refused[0].code == "broken_json"
    wait(session, qtbot)


def test_a_recovery_copy_is_written_beside_nothing_of_the_planner_s(
    session: Session, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "mine.cabida"
    save_quote(source_quote(), path)
    assert session.open_file(path)
    session.write_recovery_copy()
    assert not session.recovery.file.exists()  # nothing that saving would keep
    session.edit("one", with_count(9))
    session.write_recovery_copy()
    assert read_quote(session.recovery.file).workload.stages[0].tasks.total == 9
    assert read_quote(path).workload.stages[0].tasks.total == 8
    session.close()
    assert not session.recovery.file.exists()
    assert session.quote is None
