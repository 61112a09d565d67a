"""The lever with the largest effect, and the button that pulls it in one step."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from estimator.wording import Wording
from ui.theme import Theme
from ui.widgets.icons import pixmap


class LeverBox(QFrame):
    """One sentence about a lever and "Try it" (`button`); hidden while there is none."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("lever")
        self._mark = QLabel()
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.RichText)
        self.button = QPushButton(words.t("Try it"))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(10)
        row.addWidget(self._mark)
        row.addWidget(self._text, 1)
        row.addWidget(self.button)
        self.hide()
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def text(self) -> str:
        """What is said, without its layout."""
        return self.accessibleDescription()

    def show_lever(self, head: str, rest: str) -> None:
        """Say what a lever saves and where the peak goes; empty texts hide the box."""
        self.setVisible(bool(head))
        self._text.setText(f"<b>{_escaped(head)}</b> {_escaped(rest)}")
        self.setAccessibleDescription(f"{head} {rest}".strip())
        self.button.setAccessibleDescription(head)

    def _dress(self) -> None:
        self._mark.setPixmap(pixmap("star", self._theme.color("accent")))
        ground = self._theme.color("accent_soft").name()
        self.setStyleSheet(f"QFrame#lever {{ background: {ground}; border-radius: 4px; }}")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
