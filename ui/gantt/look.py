"""How a Gantt chart looks: colours, words, fonts and what is switched on; and the hatch of each class.

The colours come from whoever owns the theme and the words from the catalogue of sentences; both arrive here.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from ui.gantt.model import Tone

SECONDARY = 12 / 13
HEAD_WIDTH = 150.0
HEAD_WIDTH_MOST = 176.0


class Colours(Protocol):
    """The colours that the chart needs, as "#RRGGBB"; the theme's tokens have them all."""

    @property
    def window(self) -> str: ...
    @property
    def surface(self) -> str: ...
    @property
    def raised(self) -> str: ...
    @property
    def header(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def muted(self) -> str: ...
    @property
    def line(self) -> str: ...
    @property
    def control(self) -> str: ...
    @property
    def accent(self) -> str: ...
    @property
    def accent_soft(self) -> str: ...
    @property
    def selection(self) -> str: ...
    @property
    def ok(self) -> str: ...
    @property
    def warn(self) -> str: ...
    @property
    def err(self) -> str: ...
    @property
    def charts(self) -> tuple[str, ...]: ...


class Words(Protocol):
    """The sentences, times and dates that the chart needs; the catalogue of sentences has them all."""

    def t(self, sentence: str, /, **gaps: str) -> str: ...
    def n(self, one: str, many: str, count: int, /, **gaps: str) -> str: ...
    def number(self, value: int, /) -> str: ...
    def percent(self, value: float, digits: int | None = None) -> str: ...
    def exact_duration(self, ms: int, /) -> str: ...
    def date(self, day: dt.date, /) -> str: ...
    def date_time(self, moment: dt.datetime, /) -> str: ...
    def iso_week(self, day: dt.date, /) -> str: ...


class Hatch(StrEnum):
    """The line pattern over a fill: colour alone never tells classes apart."""

    NONE = "none"
    RISING = "rising"
    FALLING = "falling"
    VERTICAL = "vertical"
    HORIZONTAL = "horizontal"
    CROSSED = "crossed"
    DOTS = "dots"


HATCHES = {
    1: Hatch.NONE,
    2: Hatch.RISING,
    3: Hatch.VERTICAL,
    4: Hatch.HORIZONTAL,
    5: Hatch.FALLING,
    6: Hatch.CROSSED,
    7: Hatch.DOTS,
}


@dataclass(frozen=True)
class GanttLook:
    """Colours, words, font and switches. `start` (with a zone) turns the axis from elapsed time to dates."""

    colours: Colours
    words: Words
    font: QFont
    start: dt.datetime | None = None
    show_idle: bool = True
    show_critical: bool = False
    for_print: bool = False

    def fill(self, class_no: int) -> str:
        """The fill of a colour class, 1 to 7."""
        return self.colours.charts[class_no - 1]

    def secondary_font(self) -> QFont:
        """The font of the axis and of labels beside the names."""
        return scaled(self.font, SECONDARY)

    def strong_font(self) -> QFont:
        """The font of headings."""
        strong = QFont(self.font)
        strong.setWeight(QFont.Weight.DemiBold)
        return strong

    def header_height(self) -> float:
        """Height of the axis: one line for elapsed time, two for dates."""
        line = QFontMetricsF(self.secondary_font()).height()
        return round(line * (2.7 if self.start else 1.7))

    def tone_colour(self, tone: Tone) -> QColor:
        """The colour of a text by what it means."""
        names = {Tone.PLAIN: self.colours.text, Tone.GOOD: self.colours.ok, Tone.BAD: self.colours.err}
        return QColor(names[tone])

    def focus_colour(self) -> QColor:
        """The colour of the ring around the chart that has the keyboard."""
        return QColor(self.colours.accent)

    def hatch_colour(self) -> QColor:
        """The colour of hatch lines: the background showing through the fill, stronger on paper."""
        colour = QColor(self.colours.surface)
        colour.setAlphaF(0.75 if self.for_print else 0.5)
        return colour


def scaled(font: QFont, ratio: float, weight: QFont.Weight | None = None) -> QFont:
    """The same font, larger or smaller, whether its size is in pixels or in points."""
    result = QFont(font)
    if font.pixelSize() > 0:
        result.setPixelSize(max(1, round(font.pixelSize() * ratio)))
    else:
        result.setPointSizeF(font.pointSizeF() * ratio)
    if weight is not None:
        result.setWeight(weight)
    return result


def luminance(colour: QColor) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.2)."""
    channels = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


def ink_on(fill: QColor) -> QColor:
    """Black or white, whichever stands out more from `fill`."""
    return QColor(_ink_on(fill.rgb()))


@lru_cache(maxsize=64)
def _ink_on(fill: int) -> str:
    # (L + 0.05) / 0.05 = 1.05 / (L + 0.05) at L = 0.179: above it black has the larger contrast.
    return "#101418" if luminance(QColor.fromRgb(fill)) > 0.179 else "#FFFFFF"


def draw_icon(painter: QPainter, name: str, x: float, y: float, colour: QColor) -> None:
    """One of the small pictures of row heads in a 16 px box, as lines, so that files keep it sharp."""
    painter.save()
    painter.translate(x, y)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    pen = painter.pen()
    pen.setColor(colour)
    pen.setWidthF(1.3)
    pen.setStyle(Qt.PenStyle.SolidLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if name == "card":
        painter.drawRoundedRect(1, 4, 14, 8, 1.5, 1.5)
        painter.drawEllipse(3, 6, 4, 4)
        painter.drawEllipse(9, 6, 4, 4)
    elif name == "station":
        painter.drawRoundedRect(1, 2, 14, 9, 1.0, 1.0)
        painter.drawLine(5, 14, 11, 14)
        painter.drawLine(8, 11, 8, 14)
    elif name in ("gate", "flag"):
        painter.drawLine(3, 2, 3, 14)
        painter.drawRect(3, 2, 10, 6)
    elif name in ("key", "licence"):
        painter.drawEllipse(1, 5, 6, 6)
        painter.drawLine(7, 8, 14, 8)
        painter.drawLine(12, 8, 12, 11)
    elif name in ("cylinder", "storage", "resource"):
        painter.drawEllipse(3, 1, 10, 4)
        painter.drawLine(3, 3, 3, 13)
        painter.drawLine(13, 3, 13, 13)
        painter.drawArc(3, 11, 10, 4, 180 * 16, 180 * 16)
        painter.drawArc(3, 6, 10, 4, 180 * 16, 180 * 16)
    painter.restore()
