"""What the eight pages have in common: the header with the page's question, previous and next, and a body.

A page shows and asks; it computes nothing and opens no file. It gets its collaborators through its constructor:
the session for edits, words for text, the theme for colours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import ValidationError
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from estimator.catalogue import Catalogue
from estimator.problems import Place
from estimator.quote import Quote
from estimator.results.estimate import Estimate
from estimator.wording import Wording
from ui.session import Edit, Session
from ui.theme import TextRole, Theme
from ui.widgets.box import box as box  # pages build themselves of these
from ui.widgets.explanation import ExplanationContent
from ui.widgets.icons import icon

HEADER_HEIGHT = 52
MARGIN = 16
GAP = 12


@dataclass(frozen=True, slots=True)
class Context:
    """The collaborators of a page."""

    session: Session
    words: Wording
    theme: Theme
    catalogue: Callable[[], Catalogue]


class Page(QWidget):
    """One page. Subclasses build their body in `build` and show state in `show_state`.

    `asked`: go to a place of the quote (another page may own it). `step`: -1 previous, +1 next.
    """

    asked = Signal(object)
    step = Signal(int)
    explained = Signal(QWidget, object)

    def __init__(self, context: Context, title: str, question: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.words = context.words
        self.theme = context.theme
        self.title = title
        self.setAccessibleName(title)
        self.header = QHBoxLayout()
        self.header.setSpacing(8)
        names = QVBoxLayout()
        names.setSpacing(2)
        self._title = QLabel(title)
        self._question = QLabel(question)
        self._question.setProperty("look", "muted")
        names.addWidget(self._title)
        names.addWidget(self._question)
        self.header.addLayout(names)
        self.header.addStretch(1)
        self.previous_button: QPushButton | None = None
        self.next_button: QPushButton | None = None
        self.body = QWidget()
        self.scroll_area = QScrollArea()
        self.scroll_area.setWidgetResizable(True)
        self.scroll_area.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.scroll_area.setWidget(self.body)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, 8, MARGIN, MARGIN)
        column.setSpacing(GAP)
        column.addLayout(self.header)
        column.addWidget(self.scroll_area, 1)
        self.theme.changed.connect(self._dress_header)
        self._dress_header()

    def add_steps(self, previous: str, following: str) -> None:
        """Put previous and next at the right of the header; next is the one filled button of a page."""
        if previous:
            self.previous_button = QPushButton(previous)
            self.previous_button.clicked.connect(lambda: self.step.emit(-1))
            self.header.addWidget(self.previous_button)
        if following:
            self.next_button = QPushButton(following)
            self.next_button.setProperty("look", "primary")
            self.next_button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
            self.next_button.clicked.connect(lambda: self.step.emit(1))
            self.header.addWidget(self.next_button)
        self._dress_header()

    def show_state(self, quote: Quote, estimate: Estimate | None, stale: bool) -> None:
        """Show the quote at once and what the estimate says; `stale`: it belongs to a former quote."""
        raise NotImplementedError

    def go_to(self, place: Place) -> bool:
        """Give focus to the field of a place; False where this page has no field for it."""
        return False

    def focus_first(self) -> None:
        """Give focus to the page's first field."""
        self.body.setFocus()

    def set_words(self, words: Wording) -> None:
        """A page is rebuilt in another language by the window; nothing to do here."""
        self.words = words

    def edit(self, label: str, edit: Edit) -> bool:
        """Change the quote by one undo step; an impossible value changes nothing and returns False."""
        try:
            self.context.session.edit(label, edit)
        except ValidationError:
            return False
        return True

    def explain(self, anchor: QWidget, content: ExplanationContent) -> None:
        """Ask the window to open an explanation under `anchor`."""
        self.explained.emit(anchor, content)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier and event.key() in (
            Qt.Key.Key_PageUp,
            Qt.Key.Key_PageDown,
        ):
            self.step.emit(1 if event.key() == Qt.Key.Key_PageDown else -1)
            event.accept()
            return
        super().keyPressEvent(event)

    def _dress_header(self) -> None:
        self._title.setFont(self.theme.font(TextRole.TITLE))
        self._question.setFont(self.theme.font(TextRole.BODY))
        if self.previous_button is not None:
            self.previous_button.setIcon(icon("chevron-left", self.theme.color("text")))
        if self.next_button is not None:
            self.next_button.setIcon(icon("chevron-right", self.theme.color("accent_text")))
