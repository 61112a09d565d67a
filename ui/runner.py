"""Background work: a pure function and frozen input in, a frozen result out, in the window's thread.

One run per key at a time: a newer request cancels the one that runs, waits for it to leave, and replaces one
that waits. Results that were overtaken or cancelled are dropped. Workers touch no widget and no session. While
one works Python collects no cycles: a worker would end the window's dead objects away from their own thread.
"""

from __future__ import annotations

import gc
import logging
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from PySide6.QtCore import QObject, Qt, Signal, Slot

PROGRESS_PER_SECOND = 30
CLOSE_SECONDS = 5.0
_log = logging.getLogger(__name__)


class Work(Protocol):
    """What may run: it gets its input, says how far it is (0 to 1) and asks now and then whether to stop.

    Once `cancelled()` is true it may return anything or raise anything: nobody looks.
    """

    def __call__(
        self, *args: Any, progress: Callable[[float], None], cancelled: Callable[[], bool]
    ) -> object: ...


class CancelToken:
    """Tells one run that its result is no longer wanted; readable from any thread."""

    def __init__(self) -> None:
        self._event = threading.Event()

    @property
    def cancelled(self) -> bool:
        """Whether the run should stop."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Ask the run to stop; there is no way back."""
        self._event.set()


@dataclass(eq=False)
class _Run:
    key: str
    function: Callable[..., object]
    args: tuple[object, ...]
    on_done: Callable[[Any], None]
    on_failed: Callable[[Exception], None] | None
    on_progress: Callable[[float], None] | None
    token: CancelToken = field(default_factory=CancelToken)
    thread: threading.Thread | None = None


class Runner(QObject):
    """Runs work away from the window's thread and hands results back in it."""

    started = Signal(str)
    progressed = Signal(str, float)
    finished = Signal(str)
    _reported = Signal(object, str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running: dict[str, _Run] = {}
        self._waiting: dict[str, _Run] = {}
        self._closed = False
        self._reported.connect(self._receive, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        key: str,
        function: Callable[..., object],
        *args: object,
        on_done: Callable[[Any], None],
        on_failed: Callable[[Exception], None] | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> CancelToken:
        """Start `function(*args, progress=…, cancelled=…)`, overtaking what runs under `key`.

        The callbacks are called in the window's thread. Without `on_failed` an exception goes to
        `sys.excepthook`. After `close` nothing starts.
        """
        run = _Run(key, function, args, on_done, on_failed, on_progress)
        if self._closed:
            run.token.cancel()
        elif (current := self._running.get(key)) is not None:
            current.token.cancel()
            self._waiting[key] = run
        else:
            self._start(run)
        return run.token

    def is_running(self, key: str | None = None) -> bool:
        """Whether a wanted result is on its way, under `key` or under any."""
        wanted = [
            one for one in (*self._running.values(), *self._waiting.values()) if not one.token.cancelled
        ]
        return any(key is None or one.key == key for one in wanted)

    def cancel(self, key: str) -> None:
        """Drop what runs and what waits under `key`; neither callback will be called."""
        self._waiting.pop(key, None)
        if (current := self._running.get(key)) is not None:
            current.token.cancel()

    def close(self, seconds: float = CLOSE_SECONDS) -> bool:
        """Cancel everything and wait at most `seconds`; return whether every worker left.

        A worker that does not leave is a daemon thread: it ends with the process and calls nobody back.
        """
        self._closed = True
        self._waiting.clear()
        limit = time.monotonic() + seconds
        threads = [run.thread for run in self._running.values() if run.thread is not None]
        for run in self._running.values():
            run.token.cancel()
        for thread in threads:
            thread.join(max(0.0, limit - time.monotonic()))
        left = not any(thread.is_alive() for thread in threads)
        if left:
            gc.enable()
        return left

    def _start(self, run: _Run) -> None:
        gc.disable()
        self._running[run.key] = run
        run.thread = threading.Thread(target=self._work, args=(run,), name=f"cabida-{run.key}", daemon=True)
        run.thread.start()
        self.started.emit(run.key)

    def _work(self, run: _Run) -> None:
        last = 0.0

        def progress(share: float) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= 1 / PROGRESS_PER_SECOND and not run.token.cancelled:
                last = now
                self._report(run, "progress", share)

        try:
            result = run.function(*run.args, progress=progress, cancelled=lambda: run.token.cancelled)
        except Exception as error:  # noqa: BLE001  # one of the two places that report to the person
            self._report(run, "failed", error)
        else:
            self._report(run, "done", result)

    def _report(self, run: _Run, what: str, value: object) -> None:
        # Only close() can leave a worker behind; the window may be gone by the time it ends.
        if not self._closed:
            self._reported.emit(run, what, value)

    @Slot(object, str, object)
    def _receive(self, run: _Run, what: str, value: object) -> None:
        if self._closed:
            return
        wanted = not run.token.cancelled
        if what == "progress":
            if wanted and isinstance(value, float | int):
                self.progressed.emit(run.key, float(value))
                if run.on_progress is not None:
                    run.on_progress(float(value))
            return
        self._leave(run)
        if what == "failed" and isinstance(value, Exception):
            self._failed(run, value, wanted)
        elif wanted:
            run.on_done(value)

    def _leave(self, run: _Run) -> None:
        if run.thread is not None:
            run.thread.join()  # it has nothing left to do; so that no more than one thread a key ever lives
        del self._running[run.key]
        following = self._waiting.pop(run.key, None)
        if following is not None:
            self._start(following)
        else:
            if not self._running:
                gc.enable()
            self.finished.emit(run.key)

    def _failed(self, run: _Run, error: Exception, wanted: bool) -> None:
        if not wanted:
            _log.debug("a cancelled run of %s ended with %r", run.key, error)
        elif run.on_failed is not None:
            run.on_failed(error)
        else:
            sys.excepthook(type(error), error, error.__traceback__)
