"""Guards the choice of PySide6: 6.12.0 gave back one None too many at each call that returns nothing."""

from __future__ import annotations

import sys

# From Python 3.12 on None is immortal: there is nothing to count, so there is no test.
if sys.version_info < (3, 12):
    from collections.abc import Callable

    from PySide6.QtGui import QBrush, QPainter, QPixmap
    from PySide6.QtWidgets import QLabel
    from pytestqt.qtbot import QtBot

    def references_gained(call: Callable[[], None]) -> int:
        """Return how many references to None 200 calls leave behind (-200 with the fault)."""
        for _ in range(20):
            call()  # the first call fills PySide6's own tables, once
        before = sys.getrefcount(None)
        for _ in range(200):
            call()
        return sys.getrefcount(None) - before

    def test_setting_a_text_leaves_the_references_to_none_alone(qtbot: QtBot) -> None:
        label = QLabel()
        qtbot.addWidget(label)
        assert abs(references_gained(lambda: label.setText("1"))) <= 20

    def test_painting_leaves_the_references_to_none_alone(qtbot: QtBot) -> None:
        picture = QPixmap(8, 8)
        brush = QBrush()
        painter = QPainter(picture)
        gained = references_gained(lambda: painter.setBrush(brush))
        painter.end()
        assert abs(gained) <= 20
