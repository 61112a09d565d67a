"""A group of widgets that stands for its first one: focusing the group focuses that one.

Qt's focus proxy would do it, but Tab meets the group as well as its proxy: where the group comes later in the tab
order it sends the focus back, and where the proxy is hidden Tab stays where it is for ever.
"""

from __future__ import annotations

from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QWidget


class Compound(QWidget):
    """A group that gives its focus to `first`. Tab never stops at the group itself."""

    first: QWidget | None = None

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.first is not None:
            self.first.setFocus(event.reason())


def end_of(widget: QWidget) -> QWidget:
    """Return the widget that gets the focus when `widget` is asked to take it."""
    return end_of(widget.first) if isinstance(widget, Compound) and widget.first is not None else widget
