"""The icons, drawn by us on a 16 px grid and tinted with the colour of the text beside them.

An icon never stands alone: a word, a tooltip or an accessible name says the same.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from estimator.evidence import EvidenceKind
from estimator.problems import Severity

STEP_ICONS = ("work", "organisations", "memory", "cards", "schedule", "cost", "conditions", "quote")
EVIDENCE_ICONS = {
    EvidenceKind.MEASURED: "gauge",
    EvidenceKind.GIVEN: "person",
    EvidenceKind.DERIVED: "fx",
    EvidenceKind.ESTIMATED: "waves",
    EvidenceKind.ASSUMED: "pencil",
    EvidenceKind.UNKNOWN: "unknown",
}
SEVERITY_ICONS = {Severity.ERROR: "crossed-circle", Severity.MISSING: "unknown", Severity.WARNING: "triangle"}
SEVERITY_COLORS = {Severity.ERROR: "err", Severity.MISSING: "muted", Severity.WARNING: "warn"}
_SIZES = (16, 24, 32)


def icon(name: str, color: QColor) -> QIcon:
    """Return the icon `name` in `color`, sharp from 100 to 200 %. Raises FileNotFoundError."""
    return _icon(name, color.name(), _ratio())


@lru_cache(maxsize=256)
def _icon(name: str, color: str, _sharpness: float) -> QIcon:
    # A table asks for the same few icons thousands of times.
    made = QIcon()
    for size in _SIZES:
        made.addPixmap(pixmap(name, QColor(color), size))
    return made


def pixmap(name: str, color: QColor, size: int = 16) -> QPixmap:
    """Return the drawing `name` in `color`, `size` pixels square, as sharp as the best screen."""
    ratio = _ratio()
    canvas = QPixmap(QSize(size, size) * ratio)
    canvas.setDevicePixelRatio(ratio)
    canvas.fill(Qt.GlobalColor.transparent)
    painter = QPainter(canvas)
    paint_icon(painter, QRectF(0, 0, size, size), name, color)
    painter.end()
    return canvas


def _ratio() -> float:
    application = QGuiApplication.instance()
    return application.devicePixelRatio() if isinstance(application, QGuiApplication) else 1.0


def paint_icon(painter: QPainter, box: QRectF, name: str, color: QColor) -> None:
    """Draw the icon `name` in `color` into the square `box`."""
    _renderer(name, color.name()).render(painter, box)


@lru_cache(maxsize=256)
def _renderer(name: str, color: str) -> QSvgRenderer:
    drawing = files("resources").joinpath("icons", f"{name}.svg").read_text(encoding="utf-8")
    return QSvgRenderer(QByteArray(drawing.replace("currentColor", color).encode()))
