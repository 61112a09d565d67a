"""Keeps the menus' keys out of text fields that would take them for moving the cursor.

On X11 and macOS Qt's line edits claim Ctrl+E (end of line), Ctrl+D and others before any menu hears them. The keys
of editing text itself (copy, paste, select all) stay the field's; undo and redo only while it has something of its
own to undo, so that after Enter they take back the last edit of the quote.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QPlainTextEdit, QTextEdit, QWidget

_OF_THE_FIELD = tuple(QKeySequence(keys) for keys in ("Ctrl+X", "Ctrl+C", "Ctrl+V", "Ctrl+A"))
_UNDO, _REDO = QKeySequence("Ctrl+Z"), (QKeySequence("Ctrl+Y"), QKeySequence("Ctrl+Shift+Z"))


class ShortcutKeeper(QObject):
    """Gives a window's menu keys to the menus, whatever has the focus."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        application = QApplication.instance()
        if isinstance(application, QApplication):
            # Only the widget with the focus is watched: a filter on the application would hear every event.
            application.focusChanged.connect(self._follow)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            pressed = QKeySequence(event.keyCombination())
            if not _is_of_the_field(watched, pressed) and self._is_ours(pressed):
                event.ignore()
                return True
        return super().eventFilter(watched, event)

    def _follow(self, former: QWidget | None, current: QWidget | None) -> None:
        if former is not None:
            former.removeEventFilter(self)
        if current is not None and current.window() is self._window:
            current.installEventFilter(self)

    def _is_ours(self, pressed: QKeySequence) -> bool:
        actions = self._window.findChildren(QAction)
        return any(pressed in action.shortcuts() for action in actions if action.isEnabled())


def _is_of_the_field(field: QObject, pressed: QKeySequence) -> bool:
    if pressed != _UNDO and pressed not in _REDO:
        return pressed in _OF_THE_FIELD
    if isinstance(field, QLineEdit):
        return field.isUndoAvailable() if pressed == _UNDO else field.isRedoAvailable()
    if isinstance(field, QTextEdit | QPlainTextEdit):
        document = field.document()
        return document.isUndoAvailable() if pressed == _UNDO else document.isRedoAvailable()
    return False
