"""Unforeseen errors: caught on any thread, told once in the window, written to the log.

A person's mistakes do not come here: they are `Problem` values. Nothing here stops the program or opens a
dialog.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, Slot, qInstallMessageHandler

_log = logging.getLogger(__name__)
_qt_log = logging.getLogger("qt")
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """One unforeseen error: a line for the notice, and the details a person can copy."""

    summary: str
    details: str


class ErrorReporter(QObject):
    """Receives what nobody handled and calls `show` in the window's thread, once for each kind of error.

    A model's failing `data()` fires many times for one cell; the same error at the same line is told once
    until `forget` is called.
    """

    _caught = Signal(object, str)

    def __init__(self, show: Callable[[ErrorReport], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._show = show
        self._told: set[str] = set()
        self._former: tuple[Callable[..., object], Callable[..., object]] | None = None
        self._caught.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Take over the hooks of the interpreter for the main thread and for the others."""
        if self._former is None:
            self._former = (sys.excepthook, threading.excepthook)
            sys.excepthook = self._main_hook
            threading.excepthook = self._thread_hook

    def uninstall(self) -> None:
        """Give the hooks back."""
        if self._former is not None:
            sys.excepthook, threading.excepthook = self._former
            self._former = None

    def forget(self) -> None:
        """Tell errors again that were told before, as after the notice was closed."""
        self._told.clear()

    def report(self, error: BaseException) -> None:
        """Tell an error that somebody caught; callable from any thread."""
        details = "".join(traceback.format_exception(error))
        _log.error("unforeseen error\n%s", details)
        frames = traceback.extract_tb(error.__traceback__)
        where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
        summary = f"{type(error).__name__}: {error}".strip().rstrip(":")
        self._caught.emit(ErrorReport(summary, details), f"{type(error).__name__} {where}")

    def _main_hook(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
        else:
            self.report(error.with_traceback(trace))

    def _thread_hook(self, caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None:
            self.report(caught.exc_value)

    @Slot(object, str)
    def _tell(self, report: ErrorReport, kind: str) -> None:
        if kind not in self._told:
            self._told.add(kind)
            self._show(report)


def log_qt_messages() -> None:
    """Send Qt's own messages to the log under the name `qt`."""
    qInstallMessageHandler(_log_message)


def _log_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    _qt_log.log(_LEVELS.get(kind, logging.WARNING), "%s", message)
