"""Background runs hand results to the window's thread, overtake, cancel, fail and close as promised."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from ui.errors import ErrorReport, ErrorReporter
from ui.runner import Runner

Progress = Callable[[float], None]
Cancelled = Callable[[], bool]


def double(value: int, *, progress: Progress, cancelled: Cancelled) -> int:
    progress(0.5)
    return value * 2


class Gate:
    """Work that waits until it is let go or cancelled, and tells that it began."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.let_go = threading.Event()
        self.saw_cancel = False

    def __call__(self, *, progress: Progress, cancelled: Cancelled) -> str:
        self.began.set()
        while not self.let_go.wait(0.001):
            if cancelled():
                self.saw_cancel = True
                return "cancelled"
        return "finished"


def test_a_result_arrives_in_the_thread_of_the_window(qtbot: QtBot) -> None:
    runner = Runner()
    got: list[tuple[int, bool]] = []
    runner.run(
        "a", double, 21, on_done=lambda value: got.append((value, threading.current_thread() is main_thread))
    )
    main_thread = threading.main_thread()
    qtbot.waitUntil(lambda: bool(got))
    assert got == [(42, True)]
    assert not runner.is_running()
    assert runner.close()


def test_no_cycles_are_collected_while_a_worker_works(qtbot: QtBot) -> None:
    runner = Runner()
    gate = Gate()
    got: list[object] = []
    runner.run("a", gate, on_done=got.append)
    runner.run("b", double, 1, on_done=got.append)
    qtbot.waitUntil(lambda: got == [2])
    assert not gc.isenabled()
    gate.let_go.set()
    qtbot.waitUntil(lambda: len(got) == 2)
    assert gc.isenabled()
    assert runner.close()


def test_a_newer_request_overtakes_and_only_the_newest_result_counts(qtbot: QtBot) -> None:
    runner = Runner()
    gate = Gate()
    got: list[object] = []
    runner.run("a", gate, on_done=got.append)
    assert gate.began.wait(5)
    for value in (1, 2, 3):
        runner.run("a", double, value, on_done=got.append)
    qtbot.waitUntil(lambda: bool(got))
    assert gate.saw_cancel
    assert got == [6]
    assert runner.close()


def test_other_keys_run_beside_each_other(qtbot: QtBot) -> None:
    runner = Runner()
    gate = Gate()
    got: list[object] = []
    runner.run("slow", gate, on_done=got.append)
    runner.run("fast", double, 4, on_done=got.append)
    qtbot.waitUntil(lambda: got == [8])
    gate.let_go.set()
    qtbot.waitUntil(lambda: got == [8, "finished"])
    assert runner.close()


def test_a_cancelled_run_calls_nobody_back(qtbot: QtBot) -> None:
    runner = Runner()
    gate = Gate()
    got: list[object] = []
    runner.run("a", gate, on_done=got.append, on_failed=got.append)
    assert gate.began.wait(5)
    with qtbot.waitSignal(runner.finished):
        runner.cancel("a")
        assert not runner.is_running("a")
    assert got == []
    assert runner.close()


def test_a_failure_is_handed_over_and_the_runner_goes_on(qtbot: QtBot) -> None:
    def fail(*, progress: Progress, cancelled: Cancelled) -> None:
        raise ValueError("broken")

    runner = Runner()
    failures: list[Exception] = []
    got: list[object] = []
    runner.run("a", fail, on_done=got.append, on_failed=failures.append)
    qtbot.waitUntil(lambda: bool(failures))
    assert str(failures[0]) == "broken"
    runner.run("a", double, 1, on_done=got.append)
    qtbot.waitUntil(lambda: got == [2])
    assert runner.close()


def test_progress_is_throttled(qtbot: QtBot) -> None:
    def talk(*, progress: Progress, cancelled: Cancelled) -> str:
        for step in range(20_000):
            progress(step / 20_000)
        return "done"

    runner = Runner()
    heard: list[float] = []
    got: list[object] = []
    runner.run("a", talk, on_done=got.append, on_progress=heard.append)
    qtbot.waitUntil(lambda: got == ["done"])
    # 20,000 calls take well under two seconds anywhere: at 30 a second at most 60 may come through.
    assert 1 <= len(heard) <= 60
    assert runner.close()


def test_closing_while_work_runs_leaves_no_thread_and_calls_nobody_back(qtbot: QtBot) -> None:
    runner = Runner()
    gate = Gate()
    got: list[object] = []
    runner.run("a", gate, on_done=got.append)
    assert gate.began.wait(5)
    assert runner.close()
    assert not [one for one in threading.enumerate() if one.name.startswith("cabida-")]
    assert runner.run("a", double, 1, on_done=got.append).cancelled
    assert got == []


def test_ten_rounds_of_start_and_cancel_leave_the_same_number_of_threads(qtbot: QtBot) -> None:
    runner = Runner()
    before = threading.active_count()
    for _ in range(10):
        gate = Gate()
        runner.run("a", gate, on_done=lambda value: None)
        assert gate.began.wait(5)
        with qtbot.waitSignal(runner.finished):
            runner.cancel("a")
    assert threading.active_count() == before
    assert runner.close()


@pytest.mark.expects_log
def test_an_unforeseen_error_is_told_once_in_the_thread_of_the_window(qtbot: QtBot) -> None:
    told: list[ErrorReport] = []
    reporter = ErrorReporter(told.append)

    def fail() -> None:
        raise KeyError("lost")

    former = sys.excepthook
    reporter.install()
    try:
        for _ in range(7):
            thread = threading.Thread(target=fail)
            thread.start()
            thread.join()
        qtbot.waitUntil(lambda: bool(told))
    finally:
        reporter.uninstall()
    assert sys.excepthook is former
    assert [one.summary for one in told] == ["KeyError: 'lost'"]
    assert "in fail" in told[0].details
