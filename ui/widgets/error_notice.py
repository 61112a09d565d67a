"""The notice of an unforeseen error: one sentence, details to copy, never modal."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from estimator.wording import Wording
from ui.errors import ErrorReport
from ui.theme import Theme
from ui.widgets.icons import pixmap


class ErrorNotice(QFrame):
    """Shows the last report given to `show_report` until it is closed."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._details = ""
        self.setProperty("look", "notice")
        mark = QLabel()
        mark.setPixmap(pixmap("crossed-circle", theme.color("err")))
        self._sentence = QLabel()
        self._sentence.setWordWrap(True)
        self._copy = QPushButton(words.t("Copy details"))
        self._copy.clicked.connect(self._copy_details)
        close = QPushButton(words.t("Close"))
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.addWidget(mark)
        row.addWidget(self._sentence, 1)
        row.addWidget(self._copy)
        row.addWidget(close)
        self.hide()

    def show_report(self, report: ErrorReport) -> None:
        """Show the sentence and keep the details for copying."""
        self._details = report.details
        self._sentence.setText(
            self._words.t(
                "Something failed inside the program. Your quote is still open; save it. ({summary})",
                summary=report.summary,
            )
        )
        self.show()

    def _copy_details(self) -> None:
        QGuiApplication.clipboard().setText(self._details)
