"""A plain frame with a section title, as pages and the start page are made of."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout


def box(title: str = "") -> tuple[QFrame, QVBoxLayout]:
    """Return a plain frame with an optional section title and the column to fill."""
    frame = QFrame()
    frame.setProperty("look", "box")
    column = QVBoxLayout(frame)
    column.setContentsMargins(12, 12, 12, 12)
    column.setSpacing(8)
    if title:
        label = QLabel(title)
        label.setProperty("look", "section")
        label.setWordWrap(True)
        column.addWidget(label)
    return frame, column
