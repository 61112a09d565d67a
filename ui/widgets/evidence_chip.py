"""Evidence as a chip: icon, word and border style, three carriers beside colour.

`paint_chip` serves delegates and painted widgets. Chips are no focus stops: the figure or field speaks them.
"""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from estimator.evidence import EvidenceKind
from estimator.wording import Wording
from ui.theme import TextRole, Theme, Tokens
from ui.widgets.icons import EVIDENCE_ICONS, paint_icon

_ICON = 12
_PADDING = 6
_GAP = 4


def chip_size(kind: EvidenceKind, theme: Theme, words: Wording) -> QSize:
    """Return the pixels that the chip of `kind` takes."""
    metrics = QFontMetrics(theme.font(TextRole.CHIP))
    width = metrics.horizontalAdvance(words.evidence(kind)) + _ICON + _GAP + 2 * _PADDING
    return QSize(width, metrics.height() + 4)


def paint_chip(painter: QPainter, box: QRect, kind: EvidenceKind, theme: Theme, words: Wording) -> None:
    """Draw the chip of `kind` at the left of `box`, centred in its height, elided where it must be."""
    size = chip_size(kind, theme, words)
    height = min(size.height(), box.height())
    chip = QRectF(box.x(), box.y() + (box.height() - height) // 2, min(size.width(), box.width()), height)
    ink, fill, style = _look(kind, theme.tokens)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(ink, 1.0, style)
    if style is Qt.PenStyle.DashLine:
        pen.setDashPattern([3, 2])
    if style is Qt.PenStyle.DotLine:
        pen.setDashPattern([1, 1.5])
    painter.setPen(pen)
    painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(chip.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    drawing = QRectF(chip.x() + _PADDING, chip.y() + (height - _ICON) / 2, _ICON, _ICON)
    paint_icon(painter, drawing, EVIDENCE_ICONS[kind], ink)
    painter.setPen(ink)
    painter.setFont(theme.font(TextRole.CHIP))
    word = QRectF(
        drawing.right() + _GAP, chip.y(), chip.right() - _PADDING - drawing.right() - _GAP + 1, height
    )
    shown = painter.fontMetrics().elidedText(
        words.evidence(kind), Qt.TextElideMode.ElideRight, round(word.width() + 1)
    )
    painter.drawText(word, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
    painter.restore()


class EvidenceChip(QWidget):
    """A chip on its own; hidden while it has no kind."""

    def __init__(
        self, words: Wording, theme: Theme, kind: EvidenceKind | None = None, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._kind: EvidenceKind | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        self.set_kind(kind)

    def set_kind(self, kind: EvidenceKind | None, words: Wording | None = None) -> None:
        """Show another kind, or nothing; in other `words` where what stands around it is."""
        self._words = words or self._words
        self._kind = kind
        self.setVisible(kind is not None)
        self.setAccessibleName("" if kind is None else self._words.evidence(kind))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, 0) if self._kind is None else chip_size(self._kind, self._theme, self._words)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._kind is not None:
            painter = QPainter(self)
            paint_chip(painter, self.rect(), self._kind, self._theme, self._words)
            painter.end()


def _look(kind: EvidenceKind, tokens: Tokens) -> tuple[QColor, QColor | None, Qt.PenStyle]:
    solid = Qt.PenStyle.SolidLine
    looks: dict[EvidenceKind, tuple[str, str | None, Qt.PenStyle]] = {
        EvidenceKind.MEASURED: (tokens.ok, tokens.ok_soft, solid),
        EvidenceKind.GIVEN: (tokens.accent, tokens.accent_soft, solid),
        EvidenceKind.DERIVED: (tokens.muted, tokens.surface, solid),
        EvidenceKind.ESTIMATED: (tokens.accent, tokens.surface, solid),
        EvidenceKind.ASSUMED: (tokens.warn, tokens.warn_soft, Qt.PenStyle.DashLine),
        EvidenceKind.UNKNOWN: (tokens.err, tokens.surface, Qt.PenStyle.DotLine),
    }
    ink, fill, style = looks[kind]
    return QColor(ink), None if fill is None else QColor(fill), style
