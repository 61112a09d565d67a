"""The pages of the printed quote on the screen, one under the other, painted as the printer paints them.

They are set when they are first seen and again after each change while they are seen; nothing here decides.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from estimator.results.estimate import Estimate
from estimator.wording import Wording
from ui.printing import DPI, MARGIN_MM, PrintedQuote
from ui.theme import Theme

GAP = 16
_MARGIN = MARGIN_MM / 25.4 * DPI


class PagePreview(QAbstractScrollArea):
    """Shows pages as wide as the room allows; arrows, PgUp, PgDown, Home and End move through them."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._estimate: Estimate | None = None
        self._printed: PrintedQuote | None = None
        self.setAccessibleName(words.t("Pages of the quote"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(520)
        self.verticalScrollBar().setSingleStep(40)

    @property
    def page_count(self) -> int:
        """Pages that are set; 0 while there is no answer."""
        return 0 if self._printed is None else self._printed.page_count

    def show_quote(self, estimate: Estimate | None, words: Wording) -> None:
        """Show the pages of an estimate in the words of its document; None keeps what is shown until there is one."""
        if estimate is None or (estimate is self._estimate and words == self._words):
            return
        self._estimate, self._words = estimate, words
        self._printed = None
        if self.isVisible():
            self._set()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._printed is None:
            self._set()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), self._theme.color("window"))
        if self._printed is None:
            painter.setPen(self._theme.color("muted"))
            text = self._words.t("The pages come with the answer.")
            painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, text)
            return
        scale, height = self._scale(), self._page_height()
        offset = self.verticalScrollBar().value()
        for page in range(self._printed.page_count):
            top = GAP + page * (height + GAP) - offset
            if top > self.viewport().height() or top + height < 0:
                continue
            painter.save()
            sheet = QRectF(GAP, top, self._full_width() * scale, height)
            painter.fillRect(sheet, QColor("white"))
            painter.setPen(self._theme.color("line"))
            painter.drawRect(sheet)
            painter.translate(GAP + _MARGIN * scale, top + _MARGIN * scale)
            painter.scale(scale, scale)
            self._printed.paint(painter, page)
            painter.restore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar, step = self.verticalScrollBar(), int(self._page_height() + GAP)
        moves = {
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: bar.maximum(),
            Qt.Key.Key_PageDown: bar.value() + step,
            Qt.Key.Key_PageUp: bar.value() - step,
            Qt.Key.Key_Down: bar.value() + bar.singleStep(),
            Qt.Key.Key_Up: bar.value() - bar.singleStep(),
        }
        wanted = moves.get(Qt.Key(event.key()))
        if wanted is None or event.modifiers():
            super().keyPressEvent(event)
            return
        bar.setValue(wanted)

    def _set(self) -> None:
        self._printed = (
            None if self._estimate is None else PrintedQuote(self._estimate, self._words, self.font())
        )
        self._measure()
        self.viewport().update()

    def _full_width(self) -> float:
        return (0.0 if self._printed is None else self._printed.width) + 2 * _MARGIN

    def _scale(self) -> float:
        return max(0.3, (self.viewport().width() - 2 * GAP) / self._full_width())

    def _page_height(self) -> float:
        return 0.0 if self._printed is None else (self._printed.height + 2 * _MARGIN) * self._scale()

    def _measure(self) -> None:
        if self._printed is None:
            return
        total = self._printed.page_count * (self._page_height() + GAP) + GAP
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, int(total - self.viewport().height())))
        bar.setPageStep(self.viewport().height())
