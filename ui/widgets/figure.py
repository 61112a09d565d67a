"""A figure of the answer: caption, large number, unit, evidence chip and third line, on a flat button.

Four states: known, unknown ("—" and what is missing), stale (muted, with a clock), error ("—" and the
reason). A click asks for the explanation, or for the place of what is missing. It shows text that others made
and formats nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from estimator.evidence import EvidenceKind
from estimator.problems import Place
from estimator.wording import Wording
from ui.theme import TextRole, Theme
from ui.widgets.evidence_chip import chip_size, paint_chip
from ui.widgets.icons import paint_icon

_MARGIN = 12
_TOP = 7
_BOTTOM = 5
_ICON = 16
_LEAST_CHIP = 24
_SCALES = (1.0, 0.9, 0.8, 0.7, 0.6)


class FigureState(StrEnum):
    """How far the figure can be trusted at this moment."""

    KNOWN = "known"
    UNKNOWN = "unknown"
    STALE = "stale"
    ERROR = "error"


class Tone(StrEnum):
    """What the figure or its third line says besides its number; a word always says it too."""

    PLAIN = "text"
    OK = "ok"
    WARNING = "warn"
    ERROR = "err"


@dataclass(frozen=True, slots=True)
class HeadlineCell:
    """What one cell shows, all of it text for people already."""

    title: str
    short_title: str
    figure: str
    unit: str = ""
    third_line: str = ""
    chip: EvidenceKind | None = None
    state: FigureState = FigureState.KNOWN
    link_place: Place | None = None
    tone: Tone = Tone.PLAIN
    sample: bool = False
    short_unit: str | None = None
    short_line: str | None = None


class FigureButton(QAbstractButton):
    """A figure to click: `explain` where there is one, `jump(Place)` where it is missing."""

    explain = Signal()
    jump = Signal(object)
    leave = Signal(int)
    """-1 or 1: an arrow key asks for the neighbour."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._cell = HeadlineCell("", "", "")
        self._short = False
        self._three_lines = True
        self._changed = False
        self._sample_below = False  # where the tag has no room beside the figure
        self._settled = ""
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # reached by F6, so that typing never passes through
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self._ask)
        theme.changed.connect(self._resized)

    @property
    def cell(self) -> HeadlineCell:
        """What is shown."""
        return self._cell

    def show_cell(self, cell: HeadlineCell) -> None:
        """Show a cell; a changed figure has a soft background until the next known one."""
        if cell.state is FigureState.KNOWN:
            self._changed = bool(self._settled) and cell.figure != self._settled
            self._settled = cell.figure
        elif cell.state is not FigureState.STALE:
            self._changed = False
        self._cell = cell
        self.setAccessibleName(self.sentence())
        self.setToolTip(cell.third_line)
        self._resized()

    def set_short(self, short: bool, three_lines: bool = True) -> None:
        """Use the short labels, as under 1280 px; without its third line the cell is lower."""
        self._short = short
        self._three_lines = three_lines
        self._resized()

    def sentence(self) -> str:
        """Return what a screen reader says: title, figure, evidence, third line."""
        cell = self._cell
        figure = f"{cell.figure} {cell.unit}".strip()
        if cell.state in (FigureState.UNKNOWN, FigureState.ERROR):
            figure = self._words.t("not known")
        if cell.state is FigureState.STALE:
            figure = self._words.t("{figure}, recalculating", figure=figure)
        parts = [f"{cell.title} {figure}"]
        if cell.sample:
            parts.append(self._words.t("SAMPLE"))
        if cell.chip is not None:
            parts.append(self._words.evidence(cell.chip).lower())
        return ", ".join(parts) + (f". {cell.third_line}" if cell.third_line else "")

    def _ask(self) -> None:
        if self._cell.link_place is not None:
            self.jump.emit(self._cell.link_place)
        else:
            self.explain.emit()

    def _resized(self) -> None:
        self.updateGeometry()
        self.update()

    def _line_heights(self) -> tuple[int, int, int]:
        chip = QFontMetrics(self._theme.font(TextRole.CHIP)).height() + 4
        first = max(QFontMetrics(self._theme.font(TextRole.SECONDARY)).height(), chip)
        figure = round(QFontMetrics(self._theme.font(TextRole.FIGURE)).height() * 0.95)
        third = QFontMetrics(self._theme.font(TextRole.SECONDARY)).height() if self._three_lines else 0
        return first, figure, third

    def sizeHint(self) -> QSize:
        return QSize(200, max(80 if self._three_lines else 60, sum(self._line_heights()) + _TOP + _BOTTOM))

    def minimumSizeHint(self) -> QSize:
        return QSize(150, self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.leave.emit(1 if event.key() == Qt.Key.Key_Right else -1)
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        first, figure, third = self._line_heights()
        width = self.width() - 2 * _MARGIN
        self._paint_title(painter, QRect(_MARGIN, _TOP, width, first))
        bottom = self.height() - _BOTTOM - third
        top = _TOP + first + max(0, bottom - _TOP - first - figure) // 2
        self._paint_figure(painter, QRect(_MARGIN, top, width, figure))
        if third:
            self._paint_third_line(painter, QRect(_MARGIN, bottom, width, third))
        if self.hasFocus():
            painter.setPen(QPen(self._theme.color("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        painter.end()

    def _paint_ground(self, painter: QPainter) -> None:
        role = "surface"
        if self._changed:
            role = "accent_soft"
        elif self.isDown() or self.underMouse():
            role = "raised"
        painter.fillRect(self.rect(), self._theme.color(role))

    def _paint_title(self, painter: QPainter, box: QRect) -> None:
        cell = self._cell
        if cell.chip is not None:
            size = chip_size(cell.chip, self._theme, self._words)
            # Where scaling leaves no room for both, the chip keeps its icon and border and the title its words.
            least = QFontMetrics(self._theme.font(TextRole.SECONDARY)).horizontalAdvance(cell.short_title)
            width = max(_LEAST_CHIP, min(size.width(), box.width() - least - 8))
            chip = QRect(box.right() + 1 - width, box.y(), width, box.height())
            paint_chip(painter, chip, cell.chip, self._theme, self._words)
            box = box.adjusted(0, 0, -width - 6, 0)
        if cell.sample and not self._three_lines:
            self._paint_sample(painter, box)
            box = box.adjusted(self._sample_width() + 6, 0, 0, 0)
        painter.setFont(self._theme.font(TextRole.SECONDARY))
        title = cell.title
        if self._short or painter.fontMetrics().horizontalAdvance(title) > box.width():
            title = cell.short_title or title
        _draw_elided(painter, box, title, self._theme.color("muted"))

    def _paint_figure(self, painter: QPainter, box: QRect) -> None:
        cell = self._cell
        gone = cell.state in (FigureState.UNKNOWN, FigureState.ERROR)
        color = self._theme.color("muted" if cell.state is not FigureState.KNOWN else cell.tone.value)
        mark = {Tone.WARNING: "triangle", Tone.ERROR: "crossed-circle"}.get(cell.tone)
        if cell.state is FigureState.STALE:
            mark = "clock"
        if mark is not None and not gone:
            drawing = QRectF(box.x(), box.y() + (box.height() - _ICON) / 2 + 1, _ICON, _ICON)
            paint_icon(painter, drawing, mark, color)
            box = box.adjusted(_ICON + 6, 0, 0, 0)
        self._sample_below = False
        figure = self._words.unknown if gone and not cell.figure else cell.figure
        painter.setFont(_fitting(self._theme.font(TextRole.FIGURE), figure, box.width()))
        used = min(painter.fontMetrics().horizontalAdvance(figure), box.width())
        baseline = (
            box.y() + (box.height() + painter.fontMetrics().ascent() - painter.fontMetrics().descent()) // 2
        )
        _draw_on(painter, box.x(), baseline, box.width(), figure, color)
        if gone:
            return
        left = box.x() + used + 7
        painter.setFont(self._theme.font(TextRole.UNIT))
        unit = cell.short_unit if self._short and cell.short_unit is not None else cell.unit
        if painter.fontMetrics().horizontalAdvance(unit) > box.right() - left and cell.short_unit is not None:
            unit = cell.short_unit
        _draw_on(painter, left, baseline, box.right() - left, unit, self._theme.color("muted"))
        if cell.sample and self._three_lines:
            left += painter.fontMetrics().horizontalAdvance(unit) + (8 if unit else 0)
            if left + self._sample_width() <= box.right() + 1:
                self._paint_sample(painter, QRect(left, box.y(), box.right() - left, box.height()))
            else:
                self._sample_below = True

    def _sample_width(self) -> int:
        metrics = QFontMetrics(self._theme.font(TextRole.CHIP))
        return metrics.horizontalAdvance(self._words.t("SAMPLE")) + 10

    def _paint_sample(self, painter: QPainter, box: QRect) -> None:
        painter.setFont(self._theme.font(TextRole.CHIP))
        word = self._words.t("SAMPLE")
        metrics = painter.fontMetrics()
        tag = QRect(box.x(), box.y(), self._sample_width(), metrics.height() + 2)
        tag.moveTop(box.y() + (box.height() - tag.height()) // 2)
        painter.setPen(self._theme.color("warn"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(tag).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, word)

    def _paint_third_line(self, painter: QPainter, box: QRect) -> None:
        cell = self._cell
        if self._sample_below:
            self._paint_sample(painter, box)
            box = box.adjusted(self._sample_width() + 6, 0, 0, 0)
        font = self._theme.font(TextRole.SECONDARY)
        font.setUnderline(cell.link_place is not None)
        painter.setFont(font)
        text = cell.third_line
        if cell.short_line is not None and painter.fontMetrics().horizontalAdvance(text) > box.width():
            text = cell.short_line
        if cell.state is FigureState.STALE:
            text = self._words.t("recalculating")
        role = "accent" if cell.link_place is not None else "muted"
        if cell.state is FigureState.ERROR:
            role = "err"
        _draw_elided(painter, box, text, self._theme.color(role))


def _fitting(font: QFont, text: str, width: int) -> QFont:
    """Return the font, smaller where the text would not fit: a figure is never cut."""
    fitting = QFont(font)
    for scale in _SCALES:  # hinting makes widths follow the size in steps: measured, not computed
        fitting.setPointSizeF(font.pointSizeF() * scale)
        if QFontMetrics(fitting).horizontalAdvance(text) <= width:
            break
    return fitting


def _draw_elided(painter: QPainter, box: QRect, text: str, color: QColor) -> None:
    painter.setPen(color)
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


def _draw_on(painter: QPainter, left: int, baseline: int, width: int, text: str, color: QColor) -> None:
    """Draw on a common baseline: a box would centre figure and unit apart."""
    painter.setPen(color)
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0, width))
    painter.drawText(left, baseline, shown)
