"""The legend under the chart, painted as the chart paints; a screen reader hears its texts."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from estimator.wording import Wording
from ui.gantt.look import GanttLook
from ui.gantt.model import LegendEntry
from ui.gantt.paint import paint_legend

LINE = 20
_ROOM = 23 + 2 + 16
"""What an entry takes beside its text: box, gap, and distance to the next."""


class ChartLegend(QWidget):
    """Shows entries in as many lines as they need."""

    def __init__(self, words: Wording, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._entries: tuple[LegendEntry, ...] = ()
        self._look: GanttLook | None = None
        self._lines: tuple[tuple[LegendEntry, ...], ...] = ()
        self._lines_width = -1

    def show_entries(self, entries: tuple[LegendEntry, ...], look: GanttLook) -> None:
        """Show other entries."""
        self._entries, self._look = entries, look
        self._lines_width = -1
        texts = "; ".join(entry.text for entry in entries)
        self.setAccessibleName(self._words.t("Legend: {entries}", entries=texts))
        self.setToolTip(texts)
        self._fit()
        self.update()

    def lines(self) -> tuple[tuple[LegendEntry, ...], ...]:
        """Return the entries of each line at the present width."""
        if self._look is None:
            return ()
        if self._lines_width != self.width():
            self._lines_width = self.width()
            self._lines = self._broken(self._look)
        return self._lines

    def _broken(self, look: GanttLook) -> tuple[tuple[LegendEntry, ...], ...]:
        metrics = QFontMetricsF(look.secondary_font())
        lines: list[list[LegendEntry]] = [[]]
        left = float(self.width())
        for entry in self._entries:
            width = metrics.horizontalAdvance(entry.text) + _ROOM
            if width > left and lines[-1]:
                lines.append([])
                left = float(self.width())
            lines[-1].append(entry)
            left -= width
        return tuple(tuple(line) for line in lines)

    def _fit(self) -> None:
        height = LINE * max(1, len(self.lines()))
        if height != self.minimumHeight():
            self.setMinimumHeight(height)
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(200, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._look is None:
            return
        painter = QPainter(self)
        for at, line in enumerate(self.lines()):
            if (at + 1) * LINE < event.rect().top() or at * LINE > event.rect().bottom():
                continue  # thousands of stages have a legend of thousands of entries
            # One pixel of grace: the painter leaves out what does not fit to the last one.
            paint_legend(painter, QRectF(0, at * LINE, self.width() + 1, LINE), line, self._look)
        painter.end()
