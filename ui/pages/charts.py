"""The set-up that the plots of the pages share: colours from tokens, ticks in the planner's number format.

The plotting library is imported when the first plot is made: it costs half a second that no start should pay.
Nothing here knows what is plotted; each page draws its own items on `Chart.plot`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from PySide6.QtCore import QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QBrush, QColor, QMouseEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from estimator.units import MS_PER, MS_PER_DAY, MS_PER_HOUR, TimeUnit
from estimator.wording import Wording
from ui.theme import TextRole, Theme, idle_brush

QUIET_MS = 150
"""Computing that takes no longer than this shows nothing."""
_MINUTES_UNTIL_MS = 2 * MS_PER_HOUR
_HOURS_UNTIL_MS = 10 * MS_PER_DAY


@cache
def plotting() -> Any:
    """Return the plotting library, imported at the first call and set up once."""
    import pyqtgraph

    pyqtgraph.setConfigOptions(antialias=True)
    return pyqtgraph


def axis_unit(longest_ms: int) -> TimeUnit:
    """Return the unit of a time axis that reaches `longest_ms`: one unit for all of it."""
    if longest_ms < MS_PER[TimeUnit.MINUTE]:
        return TimeUnit.SECOND
    if longest_ms <= _MINUTES_UNTIL_MS:
        return TimeUnit.MINUTE
    return TimeUnit.HOUR if longest_ms <= _HOURS_UNTIL_MS else TimeUnit.DAY


class Chart(QWidget):
    """A plot that shows: no menu, no dragging, localised ticks; `plot` is the library's own PlotItem.

    `clicked` says where, in pixels; `pixels` says where a value stands; `resized`: it stands elsewhere now.
    `redraw` is called after each change of theme, and by `draw`; it gets an empty plot in the colours in force.
    It is no focus stop: a table beside it holds the same numbers.
    """

    clicked = Signal(QPointF)
    resized = Signal()

    def __init__(
        self,
        words: Wording,
        theme: Theme,
        name: str,
        redraw: Callable[[Any], None],
        parent: QWidget | None = None,
    ) -> None:
        """`name` is what a screen reader calls the chart."""
        super().__init__(parent)
        self._theme = theme
        self._redraw = redraw
        library = plotting()
        axes = {side: _axis(side, words) for side in ("left", "bottom")}
        self.view = library.PlotWidget(axisItems=axes)
        self.view.setFrameShape(self.view.Shape.NoFrame)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.viewport().setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.plot = self.view.getPlotItem()
        self.plot.setMenuEnabled(False)
        self.plot.setMouseEnabled(False, False)
        self.plot.hideButtons()
        self.plot.getViewBox().setDefaultPadding(0)
        self.setAccessibleName(name)
        self.view.setAccessibleName(name)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)
        # The library asks for 640 by 480; a chart takes the room that its page has.
        self.view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setMinimumSize(160, 120)
        theme.changed.connect(self.draw)

    def draw(self) -> None:
        """Draw all of it again."""
        self.plot.clear()
        self._dress()
        self._redraw(self.plot)

    def label(self, side: str, text: str) -> None:
        """Title the axis `side` ("left" or "bottom")."""
        self.plot.setLabel(side, text, color=self._theme.tokens.muted)

    def add_text(
        self,
        text: str,
        x: float,
        y: float,
        *,
        role: str = "text",
        anchor: tuple[float, float] = (0.5, 1.0),
        filled: bool = False,
    ) -> None:
        """Write `text` at a point of the plot; `anchor` is which point of the text stands there.

        `filled` puts the surface behind it, where it has to stand on a line.
        """
        ground = QBrush(self._theme.color("surface")) if filled else None
        item = plotting().TextItem(text, color=self._theme.color(role), anchor=anchor, fill=ground)
        item.setFont(self._theme.font(TextRole.SECONDARY))
        item.setPos(x, y)
        self.plot.addItem(item, ignoreBounds=True)

    def add_line(self, at: float, *, upright: bool, role: str = "err", dashed: bool = True) -> None:
        """Draw a line across the plot at a value; a limit is dashed, a capacity solid."""
        style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        pen = QPen(self._theme.color(role), 1.6, style)
        pen.setCosmetic(True)
        self.plot.addItem(plotting().InfiniteLine(at, angle=90 if upright else 0, pen=pen), ignoreBounds=True)

    def add_bars(
        self,
        places: Sequence[float],
        heights: Sequence[float],
        roles: Sequence[str],
        *,
        width: float = 0.6,
    ) -> None:
        """Draw upright bars, each in the colour of a token; the role "idle" is hatched, without fill."""
        brushes = [_brush(self._theme, role) for role in roles]
        pens = [_outline(self._theme, role) for role in roles]
        self.plot.addItem(
            plotting().BarGraphItem(
                x=list(places), height=list(heights), width=width, brushes=brushes, pens=pens
            )
        )

    def pixels(self, x: float, y: float) -> QPointF:
        """Return where a point of the plot stands, in pixels of this widget."""
        scene = self.plot.getViewBox().mapViewToScene(QPointF(x, y))
        return QPointF(self.view.mapTo(self, self.view.mapFromScene(scene)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit(event.position())

    def sizeHint(self) -> QSize:
        return QSize(320, 170)

    def _dress(self) -> None:
        tokens = self._theme.tokens
        self.view.setBackground(QColor(tokens.surface))
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(QPen(QColor(tokens.line)))
            axis.setTextPen(QPen(QColor(tokens.muted)))
            axis.setStyle(tickFont=self._theme.font(TextRole.SECONDARY), tickLength=0)
            axis.label.setFont(self._theme.font(TextRole.SECONDARY))


class RecalculatingTag(QLabel):
    """The tag on a chart that keeps its former picture; it appears only where computing takes a while."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(words.t("recalculating"), parent)
        self._theme = theme
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(QUIET_MS)
        self._timer.timeout.connect(self.show)
        self.setProperty("look", "muted")
        theme.changed.connect(self._dress)
        self._dress()
        self.hide()

    def set_waiting(self, waiting: bool) -> None:
        """Say whether what stands beside is being computed again."""
        if not waiting:
            self._timer.stop()
            self.hide()
        elif self.isHidden() and not self._timer.isActive():
            self._timer.start()

    def _dress(self) -> None:
        self.setFont(self._theme.font(TextRole.SECONDARY))


def _brush(theme: Theme, role: str) -> QBrush:
    return idle_brush(theme.tokens) if role == "idle" else QBrush(theme.color(role))


def _outline(theme: Theme, role: str) -> QPen:
    pen = QPen(theme.color("control" if role == "idle" else role), 1)
    pen.setCosmetic(True)
    return pen


def _axis(side: str, words: Wording) -> Any:
    """Return an axis whose ticks are written in the planner's number format."""

    def texts(values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [words.number(round(value * scale, 9)) for value in values]

    axis = plotting().AxisItem(side)
    # The library asks the axis for its texts through this method; a subclass cannot be written before the
    # library is imported.
    axis.tickStrings = texts
    axis.enableAutoSIPrefix(False)
    return axis
