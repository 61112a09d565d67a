"""The explanation of a figure: a popup under it with formula, inputs, evidence, links. Never by hover.

All of its text is made by others. Ctrl+C copies the whole as text, Tab walks the links, Esc gives the focus
back.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QGuiApplication, QHideEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from estimator.evidence import EvidenceKind
from estimator.problems import Place
from estimator.wording import Wording
from ui.theme import TextRole, Theme
from ui.widgets.evidence_chip import EvidenceChip
from ui.widgets.icons import icon

LEAST_WIDTH = 360
MOST_WIDTH = 480
_LONG_NAME = 26


@dataclass(frozen=True, slots=True)
class ExplanationRow:
    """One input of a figure; without a kind, `remark` stands instead of the chip ("outside the figure")."""

    name: str
    value: str
    kind: EvidenceKind | None = None
    place: Place | None = None
    place_text: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class ExplanationContent:
    """What the popup shows, in words already."""

    title: str
    value: str
    kind: EvidenceKind | None = None
    formula_words: str = ""
    formula_numbers: str = ""
    rows: tuple[ExplanationRow, ...] = ()
    notes: tuple[str, ...] = ()


class Explanation(QFrame):
    """One popup, used for every figure. `jump(Place)` follows a link."""

    jump = Signal(object)

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._words = words
        self._theme = theme
        self._content = ExplanationContent("", "")
        self._anchor: QWidget | None = None
        self._body: QWidget | None = None
        self._links: list[QPushButton] = []
        self.setProperty("look", "popup")
        self.setMinimumWidth(LEAST_WIDTH)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    def show_explanation(self, anchor: QWidget, content: ExplanationContent) -> None:
        """Open under `anchor`, kept inside the screen; the focus comes back to `anchor` afterwards."""
        self._anchor = anchor
        self._content = content
        self._build(content)
        self.setAccessibleName(f"{content.title}: {content.value}")
        self._take_size()
        below = anchor.mapToGlobal(QPoint(-4, anchor.height() + 4))
        screen = anchor.screen().availableGeometry()
        left = max(screen.left(), min(below.x(), screen.right() - self.width()))
        top = below.y()
        if top + self.height() > screen.bottom():
            above = anchor.mapToGlobal(QPoint(0, -4)).y() - self.height()
            top = above if above >= screen.top() else max(screen.top(), screen.bottom() - self.height())
        self.move(left, top)
        (self._links[0] if self._links else self._close).setFocus(Qt.FocusReason.PopupFocusReason)
        self.show()

    def _take_size(self) -> None:
        # Not adjustSize: it stops at two thirds of the screen, and cuts words on a small or scaled one.
        for part in (self, *self.findChildren(QWidget)):
            part.ensurePolished()
        self._column.activate()
        width = min(max(self.sizeHint().width(), LEAST_WIDTH), MOST_WIDTH)
        width = max(width, self.minimumSizeHint().width())  # large text may need more
        self.resize(width, max(self._column.totalHeightForWidth(width), self.minimumSizeHint().height()))

    def as_text(self) -> str:
        """Return the whole explanation as text: inputs one a line, their columns separated by tabs."""
        content = self._content
        kind = "" if content.kind is None else f" ({self._words.evidence(content.kind)})"
        lines = [f"{content.title}: {content.value}{kind}"]
        lines += [line for line in (content.formula_words, content.formula_numbers) if line]
        for row in content.rows:
            evidence = row.remark if row.kind is None else self._words.evidence(row.kind)
            lines.append("\t".join((row.name, row.value, evidence, row.place_text)).rstrip())
        return "\n".join((*lines, *content.notes))

    def _build(self, content: ExplanationContent) -> None:
        if self._body is not None:
            self._column.removeWidget(self._body)
            self._body.deleteLater()
        self._body = QWidget()
        self._links.clear()
        column = QVBoxLayout(self._body)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(8)
        column.addLayout(self._head(content))
        if content.formula_words or content.formula_numbers:
            column.addWidget(self._formula(content))
        if content.rows:
            column.addLayout(self._table(content.rows))
        for note in content.notes:
            line = _selectable(note, self._theme.font(TextRole.SECONDARY))
            line.setProperty("look", "muted")
            column.addWidget(line)
        self._column.addWidget(self._body)

    def _head(self, content: ExplanationContent) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(
            _selectable(f"{content.title}: {content.value}", self._theme.font(TextRole.SECTION)), 1
        )
        if content.kind is not None:
            head.addWidget(EvidenceChip(self._words, self._theme, content.kind))
        self._close = QPushButton()
        self._close.setProperty("look", "quiet")
        self._close.setIcon(icon("cross", self._theme.color("text")))
        self._close.setAccessibleName(self._words.t("Close the explanation"))
        self._close.clicked.connect(self.close)
        head.addWidget(self._close)
        return head

    def _formula(self, content: ExplanationContent) -> QFrame:
        box = QFrame()
        box.setProperty("look", "raised")
        column = QVBoxLayout(box)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(2)
        for line in (content.formula_words, content.formula_numbers):
            if line:
                column.addWidget(_selectable(line, self._theme.font(TextRole.BODY)))
        return box

    def _table(self, rows: tuple[ExplanationRow, ...]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(0, 1)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        heads = (self._words.t("Datum"), self._words.t("Value"), self._words.t("Evidence"))
        for at, head in enumerate(heads):
            label = QLabel(head)
            label.setProperty("look", "muted")
            label.setFont(self._theme.font(TextRole.SECONDARY))
            grid.addWidget(label, 0, at, right if at == 1 else Qt.AlignmentFlag.AlignLeft)
        for at, row in enumerate(rows, start=1):
            name = _selectable(row.name, self._theme.font(TextRole.BODY))
            name.setWordWrap(len(row.name) > _LONG_NAME)
            grid.addWidget(name, at, 0)
            value = _selectable(row.value, self._theme.font(TextRole.BODY))
            value.setWordWrap(False)
            grid.addWidget(value, at, 1, right)
            if row.kind is not None:
                grid.addWidget(EvidenceChip(self._words, self._theme, row.kind), at, 2)
            else:
                grid.addWidget(_selectable(row.remark, self._theme.font(TextRole.SECONDARY)), at, 2)
            if row.place is not None:
                grid.addWidget(self._link(row, row.place), at, 3)
        return grid

    def _link(self, row: ExplanationRow, place: Place) -> QPushButton:
        link = QPushButton(row.place_text)
        link.setProperty("look", "link")
        link.setAccessibleName(self._words.t("{name}, go to {place}", name=row.name, place=row.place_text))
        self._links.append(link)
        link.clicked.connect(lambda: self._follow(place))
        return link

    def _follow(self, place: Place) -> None:
        self._anchor = None  # the focus goes to the place, not back
        self.close()
        self.jump.emit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.as_text())
        elif event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._anchor is not None:
            # Afterwards: a popup that closes gives the focus to whatever it finds.
            QTimer.singleShot(0, self._anchor, self._anchor.setFocus)
            self._anchor = None


def _selectable(text: str, font: QFont) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setFont(font)
    label.setWordWrap(True)
    # By mouse alone: with the keyboard each label would be a focus stop, and Ctrl+C takes the whole anyhow.
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return label
