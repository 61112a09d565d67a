"""The notes under the comparison: why an organisation has no figures, and the link that puts it right."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from estimator.problems import Absent
from ui.pages.page import Context
from ui.widgets.icons import pixmap


class ReasonNotes(QFrame):
    """One line a reason: those it stops, the sentence, the link. `followed(place)`: the link was used."""

    followed = Signal(object)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._shown: tuple[tuple[str, Absent], ...] = ()
        self.links: list[QPushButton] = []
        self._parts: list[QWidget] = []
        self._marks: list[QLabel] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 4, 12, 4)
        self._column.setSpacing(4)
        self.setObjectName("reasons")
        context.theme.changed.connect(self._dress)
        self.hide()

    def show_reasons(self, reasons: tuple[tuple[str, Absent], ...]) -> None:
        """Show the reasons, or hide where there is none."""
        if reasons == self._shown:
            return
        self._shown = reasons
        for part in self._parts:
            self._column.removeWidget(part)
            part.hide()
            part.deleteLater()
        self._parts, self.links, self._marks = [], [], []
        for names, reason in reasons:
            self._add(names, reason)
        self.setVisible(bool(reasons))
        self._dress()

    def _add(self, names: str, reason: Absent) -> None:
        words = self._context.words
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        mark = QLabel()
        sentence = QLabel(
            words.t("{organisations}: {reason}", organisations=names, reason=words.absent(reason))
        )
        sentence.setWordWrap(True)
        sentence.setTextFormat(Qt.TextFormat.PlainText)
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(sentence, 1)
        if reason.where:
            text = (
                words.t("Name the mechanism") if reason.code == "no_mechanism" else words.t("Go to the field")
            )
            link = QPushButton(text)
            link.setProperty("look", "link")
            link.clicked.connect(lambda _=False, place=reason.where: self.followed.emit(place))
            row.addWidget(link)
            self.links.append(link)
        self._marks.append(mark)
        self._parts.append(line)
        self._column.addWidget(line)

    def _dress(self) -> None:
        theme = self._context.theme
        self.setStyleSheet(
            f"QFrame#reasons {{ background: {theme.color('warn_soft').name()}; border-radius: 4px; }}"
        )
        for mark in self._marks:
            mark.setPixmap(pixmap("triangle", theme.color("warn")))
