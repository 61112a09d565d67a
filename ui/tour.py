"""The optional tour: five balloons over the window, one at a time, each pointing at a part of it.

It starts only where somebody asks for it and blocks nothing: the window stays usable under it. Without a quote the
first balloon explains the questions of the start page and the tour goes on once a quote is shown; it opens none
itself. A balloon goes out of sight with the part that it points at, and comes back with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from estimator.wording import Wording
from ui.theme import TextRole

if TYPE_CHECKING:
    from ui.main_window import MainWindow
    from ui.pages.page import Page
    from ui.pages.start import StartPage

WIDTH = 340
POINTER = 9
_MARGIN = 4
_ROUND = 4.0
_WORK_PAGE, _ORGANISATIONS_PAGE, _QUOTE_PAGE = 0, 1, 7


class Side(Enum):
    """On which side of the part it points at a balloon stands."""

    BELOW = auto()
    RIGHT = auto()
    LEFT = auto()
    ABOVE = auto()


@dataclass(frozen=True, slots=True)
class Balloon:
    """What one balloon says, in words already; `page` is shown with it, None leaves the page as it is."""

    title: str
    text: str
    page: int | None = None


def balloons(words: Wording) -> tuple[Balloon, ...]:
    """Return the five balloons in their order."""
    return (
        Balloon(
            words.t("Three questions come first"),
            words.t(
                "What is delivered, whether each unit is computed alone, and what is shared. "
                "What you do not know stays blank, and the answer says so."
            ),
            _WORK_PAGE,
        ),
        Balloon(
            words.t("The answer stays on top"),
            words.t(
                "Cards, memory, delivery, cost and status follow every change. "
                "Press a figure to see where it comes from."
            ),
        ),
        Balloon(
            words.t("Eight steps, none of them locked"),
            words.t(
                "Each step shows its result and what it lacks. F8 goes to the next problem or missing datum."
            ),
        ),
        Balloon(
            words.t("The same work, organised in several ways"),
            words.t(
                "Each organisation is compared with the reference. "
                "The staircase shows from which card on one more no longer helps."
            ),
            _ORGANISATIONS_PAGE,
        ),
        Balloon(
            words.t("The quote leaves from here"),
            words.t(
                "Name the customer and export the workbook. The conditions still open are written in it."
            ),
            _QUOTE_PAGE,
        ),
    )


def place_balloon(anchor: QRect, size: QSize, room: QRect) -> tuple[QPoint, Side | None]:
    """Return the top left corner of a balloon beside `anchor`, inside `room`, and the side it stands on.

    The first of below, right, left and above that has space; where none has, the bottom right corner of the
    room, and no side. All in the pixels of one coordinate system.
    """
    width, height = size.width(), size.height()
    left = max(room.left(), min(anchor.center().x() - width // 2, room.right() + 1 - width))
    top = max(room.top(), min(anchor.center().y() - height // 2, room.bottom() + 1 - height))
    spots = {
        Side.BELOW: QPoint(left, anchor.bottom() + 1),
        Side.RIGHT: QPoint(anchor.right() + 1, top),
        Side.LEFT: QPoint(anchor.left() - width, top),
        Side.ABOVE: QPoint(left, anchor.top() - height),
    }
    for side, spot in spots.items():
        if room.contains(QRect(spot, size)):
            return spot, side
    return QPoint(room.right() + 1 - width, room.bottom() + 1 - height), None


class Tour(QFrame):
    """The tour of one window. `ended`: it was finished or skipped, and the settings remember it."""

    ended = Signal()

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._theme = window.parts.theme
        self._balloons = balloons(window.words)
        self._at = 0
        self._is_running = False
        self._side: Side | None = None
        self._tip = QPoint()
        self._anchor: QWidget | None = None
        self._watched: tuple[QWidget, ...] = ()
        self._build(window.words)
        self._theme.changed.connect(self._dress)
        self._dress()
        window.files.opened.connect(self._go_on)
        self.hide()

    @property
    def at(self) -> int:
        """The balloon shown, 0 to 4."""
        return self._at

    @property
    def anchor(self) -> QWidget | None:
        """The part of the window that the balloon points at; None where the tour does not run."""
        return self._anchor

    def start(self) -> None:
        """Show the first balloon."""
        self._is_running = True
        self._show_balloon(0)

    def turn(self, step: int) -> None:
        """Show the next balloon, or the one before with -1; after the last the tour is over."""
        following = self._at + step
        if following >= len(self._balloons):
            self.skip()
        elif following >= 0 and (following == 0 or self._window.has_quote):
            self._show_balloon(following)

    def skip(self) -> None:
        """End the tour, remember that it was seen and give the focus back to the page."""
        self._window.parts.settings.tour_seen = True
        self.leave()
        self._page().focus_first()
        self.ended.emit()

    def leave(self) -> None:
        """Stop without remembering anything: what the balloons point at is about to go."""
        self._is_running = False
        self._watch(None)
        self.hide()

    def take_part(self, step: int) -> bool:
        """Give the focus to the balloon where it comes after the page (F6), or back to the page before it.

        False where another part of the window comes next, or no balloon is in sight.
        """
        focus = QApplication.focusWidget()
        if focus is None or not self.isVisible():
            return False
        page = self._page()
        if self.isAncestorOf(focus):
            if step < 0 or not self._window.has_quote:
                page.focus_first()
                return True
        elif step > 0 and page.isAncestorOf(focus):
            self._focus()
            return True
        return False

    def _page(self) -> Page | StartPage:
        window = self._window
        return window.document.page(window.current) if window.has_quote else window.start

    def _focus(self) -> None:
        button = self.next_button if self._window.has_quote else self.skip_button
        button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _build(self, words: Wording) -> None:
        self._count, self._title, self._text, self._note = QLabel(), QLabel(), QLabel(), QLabel()
        self._note.setText(words.t("Answer them or open a sample: the tour goes on with your quote."))
        for label in (self._title, self._text, self._note):
            label.setWordWrap(True)
        for label in (self._count, self._note):
            label.setProperty("look", "muted")
        self.skip_button = QPushButton(words.t("Skip the tour"))
        self.skip_button.setProperty("look", "link")
        self.skip_button.clicked.connect(self.skip)
        self.back_button = QPushButton(words.t("Back"))
        self.back_button.clicked.connect(lambda: self.turn(-1))
        self.next_button = QPushButton(words.t("Next"))
        self.next_button.setProperty("look", "primary")
        self.next_button.clicked.connect(lambda: self.turn(1))
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.skip_button)
        foot.addStretch(1)
        foot.addWidget(self.back_button)
        foot.addWidget(self.next_button)
        self._column = QVBoxLayout(self)
        around = POINTER + 12
        self._column.setContentsMargins(around, around - 2, around, around - 2)
        self._column.setSpacing(6)
        for label in (self._count, self._title, self._text, self._note):
            self._column.addWidget(label)
        self._column.addSpacing(4)
        self._column.addLayout(foot)

    def _show_balloon(self, at: int) -> None:
        words, balloon = self._window.words, self._balloons[at]
        self._at = at
        if balloon.page is not None and self._window.has_quote:
            self._window.show_page(balloon.page, focus=False)
        total = len(self._balloons)
        self._count.setText(
            words.t("Tour, {number} of {total}", number=words.number(at + 1), total=words.number(total))
        )
        self._title.setText(balloon.title)
        self._text.setText(balloon.text)
        waits = not self._window.has_quote
        self._note.setVisible(waits)
        self.back_button.setVisible(at > 0)
        self.next_button.setVisible(not waits)
        self.next_button.setText(words.t("Next") if at + 1 < total else words.t("Finish"))
        self.setAccessibleName(f"{self._count.text()}: {balloon.title}")
        for button in (self.skip_button, self.next_button):
            button.setAccessibleDescription(f"{balloon.title}. {balloon.text}")
        self._watch(self._part(at))
        self._follow()
        self._focus()

    def _part(self, at: int) -> QWidget:
        """Return what a balloon points at. The pages are imported where a quote is open already."""
        window = self._window
        if not window.has_quote:
            return window.start.findChild(QFrame, "questions") or window.start
        if at == 1:
            return window.strip
        if at == 2:
            return window.steps
        from ui.pages.organisations import OrganisationsPage
        from ui.pages.quote_page import QuotePage
        from ui.pages.work import WorkPage

        page = window.document.page(window.current)
        if isinstance(page, WorkPage):
            return page.alone.frame
        if isinstance(page, OrganisationsPage):
            return page.staircase if page.staircase.isVisibleTo(page) else page.table
        return page.excel_button if isinstance(page, QuotePage) else page

    def _watch(self, anchor: QWidget | None) -> None:
        """Follow a part and all that holds it, since each of them may move, shrink or go out of sight."""
        for former in self._watched:
            former.removeEventFilter(self)
        self._anchor = anchor
        chain: list[QWidget] = []
        part = anchor
        while part is not None and part is not self._window:
            chain.append(part)
            part = part.parentWidget()
        for holder in chain:
            if anchor is not None and isinstance(holder, QScrollArea):
                holder.ensureWidgetVisible(anchor)
        self._watched = (*chain, self._window) if chain else ()
        for watched in self._watched:
            watched.installEventFilter(self)

    def _follow(self) -> None:
        anchor, central = self._anchor, self._window.centralWidget()
        if anchor is None or central is None:
            return
        if not anchor.isVisibleTo(self._window):
            self.hide()
            return
        for part in (self, *self.findChildren(QWidget)):
            part.ensurePolished()
        self._column.activate()
        width = max(WIDTH + 2 * POINTER, self.minimumSizeHint().width())
        size = QSize(width, self._column.totalHeightForWidth(width))
        room = central.geometry().adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        seen = QRect(anchor.mapTo(self._window, QPoint(0, 0)), anchor.size()).intersected(room)
        spot, self._side = place_balloon(seen, size, room)
        self.setGeometry(QRect(spot, size))
        self._tip = seen.center() - spot
        self.show()
        self.raise_()
        self.update()

    def _go_on(self) -> None:
        if self._is_running:
            self._show_balloon(max(1, self._at))

    def _dress(self) -> None:
        for label, role in (
            (self._count, TextRole.SECONDARY),
            (self._title, TextRole.SECTION),
            (self._text, TextRole.BODY),
            (self._note, TextRole.SECONDARY),
        ):
            label.setFont(self._theme.font(role))
        self._follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVES:
            self._follow()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        focused = self.focusWidget()
        if event.key() == Qt.Key.Key_Escape:
            self.skip()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(focused, QPushButton):
            focused.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        around = POINTER
        body = QRectF(self.rect()).adjusted(around, around, -around, -around)
        path = QPainterPath()
        path.addRoundedRect(body, _ROUND, _ROUND)
        if self._side is not None:
            pointer = QPainterPath()
            pointer.addPolygon(_pointer(self._side, self._tip, self.size()))
            pointer.closeSubpath()
            path = path.united(pointer)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color("accent"), 2))
        painter.setBrush(self._theme.color("surface"))
        painter.drawPath(path)
        painter.end()


_MOVES = frozenset({QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide})


def _pointer(side: Side, towards: QPoint, size: QSize) -> QPolygonF:
    """Return the triangle from the body of a balloon to its edge, as near to `towards` as the body allows."""
    reach, half = float(POINTER), float(POINTER)
    inset = 2 * POINTER + _ROUND
    along = max(inset, min(float(towards.x()), size.width() - inset))
    down = max(inset, min(float(towards.y()), size.height() - inset))
    if side in (Side.BELOW, Side.ABOVE):
        edge = 1.0 if side is Side.BELOW else size.height() - 1.0
        base = reach + 1 if side is Side.BELOW else size.height() - reach - 1
        return QPolygonF([QPointF(along, edge), QPointF(along - half, base), QPointF(along + half, base)])
    edge = 1.0 if side is Side.RIGHT else size.width() - 1.0
    base = reach + 1 if side is Side.RIGHT else size.width() - reach - 1
    return QPolygonF([QPointF(edge, down), QPointF(base, down - half), QPointF(base, down + half)])
