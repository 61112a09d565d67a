"""The look of the window: colour tokens, palette, fonts, one stylesheet and the chart classes.

`Theme` holds the scheme in force and says when it changed. Widgets receive it through their constructor
and ask it for colours and fonts; they never write a colour of their own. No sizes of pages here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files

from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QImage, QPainter, QPalette, QPen
from PySide6.QtWidgets import QApplication, QStyleFactory


class Scheme(StrEnum):
    """What the planner asked for; `SYSTEM` follows the desktop."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"
    HIGH_CONTRAST = "high-contrast"


class Density(StrEnum):
    """How much room rows and fields take."""

    COMFORTABLE = "comfortable"
    COMPACT = "compact"


class TextRole(StrEnum):
    """The sizes of text, relative to the system's interface font."""

    BODY = "body"
    SECONDARY = "secondary"
    CHIP = "chip"
    SECTION = "section"
    TITLE = "title"
    FIGURE = "figure"
    UNIT = "unit"


@dataclass(frozen=True, slots=True)
class Tokens:
    """Colours of one scheme as `#RRGGBB`; `charts` are the fills of classes 1 to 7."""

    name: str
    window: str
    surface: str
    raised: str
    header: str
    text: str
    muted: str
    line: str
    control: str
    accent: str
    accent_text: str
    accent_soft: str
    selection: str
    ok: str
    ok_soft: str
    warn: str
    warn_soft: str
    err: str
    err_soft: str
    charts: tuple[str, ...]


LIGHT = Tokens(
    "light", "#F2F4F6", "#FFFFFF", "#F8F9FA", "#E9EDF0", "#1A1F24", "#4E5965", "#D3D8DE", "#77828E",
    "#0B5A78", "#FFFFFF", "#DCEDF3", "#CFE5EE", "#17663A", "#E0F2E6", "#7F4A00", "#FFF1D6",
    "#A8201A", "#FCE6E4",
    ("#1F3A6E", "#3C8FE0", "#CF7A18", "#74200F", "#37766A", "#8440AE", "#A08C95"),
)  # fmt: skip
DARK = Tokens(
    "dark", "#1B1F24", "#22272D", "#282E35", "#2B3138", "#E6E9EC", "#AAB4BE", "#3B434C", "#7F8B97",
    "#6CC3DD", "#0C1D24", "#1E3A45", "#27495A", "#7FD3A0", "#1E3A2A", "#F2BC5E", "#40321A",
    "#FF9D94", "#472422",
    ("#5B7CE6", "#A3E4F7", "#F6D65B", "#DB5334", "#55C092", "#C79DF6", "#94808F"),
)  # fmt: skip
# Text and lines at full strength, no soft fills; the selection keeps a tint, since nothing else marks it.
HIGH_CONTRAST = Tokens(
    "high-contrast", "#FFFFFF", "#FFFFFF", "#FFFFFF", "#FFFFFF", "#000000", "#000000", "#000000", "#000000",
    "#003A57", "#FFFFFF", "#FFFFFF", "#CFE5EE", "#003D1B", "#FFFFFF", "#4D2C00", "#FFFFFF",
    "#7A0000", "#FFFFFF",
    LIGHT.charts,
)  # fmt: skip

CHART_CLASSES = range(1, 8)
_HATCH_CELL = 8
_RATIO = {  # at 96 dpi the body is 13 px: 12, 11.5, 13.5, 18, 23 and 14 px
    TextRole.BODY: 1.0,
    TextRole.SECONDARY: 12 / 13,
    TextRole.CHIP: 11.5 / 13,
    TextRole.SECTION: 13.5 / 13,
    TextRole.TITLE: 18 / 13,
    TextRole.FIGURE: 23 / 13,
    TextRole.UNIT: 14 / 13,
}
_SEMIBOLD = frozenset({TextRole.SECTION, TextRole.TITLE, TextRole.FIGURE})


class Theme(QObject):
    """The scheme and density in force, with `changed` after either moved."""

    changed = Signal()

    def __init__(
        self,
        scheme: Scheme = Scheme.LIGHT,
        density: Density = Density.COMFORTABLE,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._scheme = scheme
        self._density = density
        self._application: QApplication | None = None
        self._base_font: QFont | None = None
        self.tokens = tokens_of(scheme)

    @property
    def scheme(self) -> Scheme:
        """The scheme asked for, which may be `SYSTEM`."""
        return self._scheme

    @property
    def density(self) -> Density:
        """The density in force."""
        return self._density

    def apply(self, application: QApplication) -> None:
        """Dress the application: Fusion, palette, font, stylesheet, no effects; then follow the desktop."""
        if self._application is None:
            for effect in _EFFECTS:
                application.setEffectEnabled(effect, False)
            application.setStyle(QStyleFactory.create("Fusion"))
            application.styleHints().colorSchemeChanged.connect(self._desktop_changed)
            self._base_font = QFont(application.font())
            application.setFont(self.font(TextRole.BODY))
        self._application = application
        self._refresh()

    def set_scheme(self, scheme: Scheme) -> None:
        """Change the scheme; `changed` follows where it is another one."""
        if scheme is not self._scheme:
            self._scheme = scheme
            self._refresh()

    def set_density(self, density: Density) -> None:
        """Change the density; `changed` follows where it is another one."""
        if density is not self._density:
            self._density = density
            self._refresh()

    def color(self, role: str) -> QColor:
        """Return the colour of a token by its name, such as `"muted"`."""
        return QColor(getattr(self.tokens, role))

    def font(self, role: TextRole) -> QFont:
        """Return the font of a text role: the system's font scaled in points, tabular digits."""
        font = QFont(self._base_font) if self._base_font is not None else QFont(QApplication.font())
        size = font.pointSizeF() if font.pointSizeF() > 0 else font.pixelSize() * 0.75
        font.setPointSizeF(size * _RATIO[role])
        if role in _SEMIBOLD:
            font.setWeight(QFont.Weight.DemiBold)
        font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def row_height(self) -> int:
        """Pixels of a table row: 28 at 96 dpi, 24 when compact, more where the font needs it."""
        least = 24 if self._density is Density.COMPACT else 28
        line = QFontMetrics(self.font(TextRole.BODY)).height()
        return max(least, line + (4 if self._density is Density.COMPACT else 8))

    def _desktop_changed(self) -> None:
        if self._scheme is Scheme.SYSTEM:
            self._refresh()

    def _refresh(self) -> None:
        dark = False
        if self._application is not None:
            dark = self._application.styleHints().colorScheme() is Qt.ColorScheme.Dark
        self.tokens = tokens_of(self._scheme, desktop_is_dark=dark)
        if self._application is not None:
            self._application.setPalette(palette(self.tokens))
            self._application.setStyleSheet(stylesheet(self.tokens, self._density))
        self.changed.emit()


def tokens_of(scheme: Scheme, *, desktop_is_dark: bool = False) -> Tokens:
    """Return the tokens of a scheme; `SYSTEM` asks whether the desktop is dark."""
    if scheme is Scheme.HIGH_CONTRAST:
        return HIGH_CONTRAST
    if scheme is Scheme.DARK or (scheme is Scheme.SYSTEM and desktop_is_dark):
        return DARK
    return LIGHT


def palette(tokens: Tokens) -> QPalette:
    """Return the palette of the whole application, disabled roles included."""
    made = QPalette()
    role = QPalette.ColorRole
    for which, color in (
        (role.Window, tokens.window),
        (role.WindowText, tokens.text),
        (role.Base, tokens.surface),
        (role.AlternateBase, tokens.raised),
        (role.Text, tokens.text),
        (role.PlaceholderText, tokens.muted),
        (role.Button, tokens.surface),
        (role.ButtonText, tokens.text),
        (role.BrightText, tokens.err),
        (role.Highlight, tokens.selection),
        (role.HighlightedText, tokens.text),
        (role.Link, tokens.accent),
        (role.LinkVisited, tokens.accent),
        (role.ToolTipBase, tokens.raised),
        (role.ToolTipText, tokens.text),
        (role.Accent, tokens.accent),
        (role.Light, tokens.surface),
        (role.Midlight, tokens.header),
        (role.Mid, tokens.line),
        (role.Dark, tokens.control),
        (role.Shadow, tokens.control),
    ):
        made.setColor(which, QColor(color))
    for which in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        made.setColor(QPalette.ColorGroup.Disabled, which, QColor(tokens.muted))
    return made


def luminance(color: str) -> float:
    """Return the relative luminance (0 to 1) of `#RRGGBB`, as WCAG 2.2 defines it."""
    channels = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the WCAG contrast (1 to 21) of two colours `#RRGGBB`."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def chart_ink(class_no: int, tokens: Tokens) -> str:
    """Return the colour of text over a chart class: black or white, whichever reads better."""
    fill = tokens.charts[class_no - 1]
    return max(("#000000", "#FFFFFF"), key=lambda ink: contrast(ink, fill))


def chart_hatch(class_no: int, tokens: Tokens) -> str:
    """Return the colour of a hatch: the fill moved away from the ink, or towards it where unseen."""
    fill, ink = tokens.charts[class_no - 1], chart_ink(class_no, tokens)
    other = "#FFFFFF" if ink == "#000000" else "#000000"
    away, toward = _mixed(fill, other, 0.4), _mixed(fill, ink, 0.35)
    return away if contrast(away, fill) >= 1.35 else toward


@lru_cache(maxsize=64)
def chart_brush(class_no: int, tokens: Tokens, *, hatched: bool = True) -> QBrush:
    """Return the brush of chart class 1 to 7; `hatched=False` is for bars under 6 px."""
    fill = QColor(tokens.charts[class_no - 1])
    if class_no == 1 or not hatched:
        return QBrush(fill)
    cell = QImage(
        _HATCH_CELL, _HATCH_CELL, QImage.Format.Format_RGB32
    )  # kept past the application, unlike a pixmap
    cell.fill(fill)
    painter = QPainter(cell)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, class_no in (2, 5, 6))
    painter.setPen(QPen(QColor(chart_hatch(class_no, tokens)), 1.4))
    _draw_hatch(painter, class_no)
    painter.end()
    return QBrush(cell)


def idle_brush(tokens: Tokens) -> QBrush:
    """Return the brush of unused time and of margins: no fill, thin diagonal lines."""
    return QBrush(QColor(tokens.control), Qt.BrushStyle.BDiagPattern)


def stylesheet(tokens: Tokens, density: Density) -> str:
    """Return the one stylesheet of the application; colours only from the tokens."""
    field, room = ("22px", "2px") if density is Density.COMPACT else ("24px", "4px")
    folder = str(files("resources").joinpath("icons")).replace("\\", "/")
    # Fusion draws the borders of fields from the window colour, below a contrast of 3; hence these rules.
    return f"""
QLineEdit, QComboBox, QPlainTextEdit {{ background: {tokens.surface}; color: {tokens.text};
  border: 1px solid {tokens.control}; border-radius: 4px; padding: 1px 7px; min-height: {field};
  selection-background-color: {tokens.selection}; selection-color: {tokens.text}; }}
QComboBox {{ padding-right: 24px; }}
QComboBox[look="low"] {{ min-height: 20px; padding-top: 0; padding-bottom: 0; }}
QLineEdit:focus, QComboBox:focus, QPlainTextEdit:focus {{
  border: 2px solid {tokens.accent}; padding: 0 6px; }}
QComboBox:focus {{ padding-right: 23px; }}
QLineEdit[problem="error"], QComboBox[problem="error"] {{ border: 2px solid {tokens.err}; padding: 0 6px; }}
QLineEdit:disabled, QComboBox:disabled {{ background: {tokens.header}; color: {tokens.muted}; }}
QTableView QLineEdit {{ border: 2px solid {tokens.accent}; border-radius: 0; padding: 0 4px; min-height: 0; }}
QComboBox::drop-down {{ border: none; width: 22px; }}
QComboBox::down-arrow {{ image: url("{folder}/style-chevron-{tokens.name}.svg"); width: 12px; height: 12px; }}
QComboBox QAbstractItemView {{ background: {tokens.surface}; border: 1px solid {tokens.control};
  selection-background-color: {tokens.selection}; selection-color: {tokens.text}; outline: none; }}
QPushButton {{ background: {tokens.surface}; color: {tokens.text}; border: 1px solid {tokens.control};
  border-radius: 4px; padding: {room} 12px; min-height: 18px; }}
QPushButton:hover {{ background: {tokens.raised}; }}
QPushButton:pressed, QPushButton:checked {{ background: {tokens.selection}; }}
QPushButton:focus {{ border: 2px solid {tokens.accent}; }}
QPushButton:disabled {{ color: {tokens.muted}; background: {tokens.header}; }}
QPushButton[look="primary"] {{ background: {tokens.accent}; color: {tokens.accent_text};
  border-color: {tokens.accent}; }}
QPushButton[look="primary"]:disabled {{ background: {tokens.header}; color: {tokens.muted};
  border-color: {tokens.control}; }}
QPushButton[look="primary"]:focus {{ border: 2px solid {tokens.text}; }}
QPushButton[look="link"] {{ background: transparent; border: 2px solid transparent; padding: 0 2px;
  color: {tokens.accent}; text-decoration: underline; text-align: left; min-height: 0; }}
QPushButton[look="link"]:focus {{ border-color: {tokens.accent}; }}
QPushButton[look="quiet"] {{
  background: transparent; border: 2px solid transparent; padding: 2px; min-height: 0; }}
QPushButton[look="quiet"]:focus {{ border-color: {tokens.accent}; }}
QCheckBox, QRadioButton {{ spacing: 6px; border: 2px solid transparent; }}
QCheckBox::indicator, QRadioButton::indicator {{ width: 14px; height: 14px; background: {tokens.surface};
  border: 1px solid {tokens.control}; }}
QCheckBox::indicator {{ border-radius: 3px; }}
QRadioButton::indicator {{ border-radius: 8px; }}
QCheckBox::indicator:checked {{ background: {tokens.accent}; border-color: {tokens.accent};
  image: url("{folder}/style-tick-{tokens.name}.svg"); }}
QRadioButton::indicator:checked {{ border-color: {tokens.accent}; background: qradialgradient(cx:0.5, cy:0.5,
  radius:0.5, fx:0.5, fy:0.5, stop:0 {tokens.surface}, stop:0.4 {tokens.surface}, stop:0.5 {tokens.accent},
  stop:1 {tokens.accent}); }}
QCheckBox:focus, QRadioButton:focus {{ border-color: {tokens.accent}; border-radius: 4px; }}
QFrame[look="box"] {{ background: {tokens.surface}; border: 1px solid {tokens.line}; border-radius: 4px; }}
QFrame[look="popup"] {{
  background: {tokens.surface}; border: 1px solid {tokens.control}; border-radius: 4px; }}
QFrame[look="raised"] {{ background: {tokens.raised}; border: none; border-radius: 4px; }}
QFrame[look="header"] {{ background: {tokens.header}; border: none; border-bottom: 1px solid {tokens.line}; }}
QFrame[look="notice"] {{ background: {tokens.err_soft}; border: 1px solid {tokens.err}; border-radius: 4px; }}
QLabel[look="muted"] {{ color: {tokens.muted}; }}
QLabel[look="section"] {{ font-weight: 600; }}
QLabel[look="error"] {{ color: {tokens.err}; }}
QLabel[look="warning"] {{ color: {tokens.warn}; }}
QTableView, QListView {{ background: {tokens.surface}; border: 1px solid {tokens.line}; border-radius: 4px;
  gridline-color: {tokens.line}; outline: none; }}
QTableView[look="frozen"] {{ border-width: 0 1px 0 0; border-radius: 0; }}
QTableView:focus, QListView:focus {{ border: 2px solid {tokens.accent}; }}
QHeaderView, QHeaderView::section {{ background: {tokens.header}; color: {tokens.muted}; border: none; }}
QHeaderView::section {{ border-bottom: 1px solid {tokens.line}; padding: 4px 8px; }}
QTableCornerButton::section {{ background: {tokens.header}; border: none; }}
QToolTip {{
  background: {tokens.raised}; color: {tokens.text}; border: 1px solid {tokens.control}; padding: 4px; }}
QTabBar::tab {{ background: transparent; color: {tokens.muted}; border: 2px solid transparent;
  border-bottom: 2px solid {tokens.line}; padding: 3px 7px; }}
QTabBar::tab:hover {{ color: {tokens.text}; }}
QTabBar::tab:selected {{ color: {tokens.text}; border-bottom: 2px solid {tokens.accent}; font-weight: 600; }}
QTabBar::tab:selected:focus {{ border: 2px solid {tokens.accent}; border-radius: 4px; }}
QSplitter::handle {{ background: {tokens.line}; }}
"""


def _mixed(color: str, other: str, share: float) -> str:
    pairs = ((int(color[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(one * (1 - share) + two * share):02X}" for one, two in pairs)


def _draw_hatch(painter: QPainter, class_no: int) -> None:
    size = float(_HATCH_CELL)
    if class_no in (2, 6):  # rising diagonals, continued over the corners so that cells join
        for start in (-size, 0.0, size):
            painter.drawLine(QPointF(start, size), QPointF(start + size, 0))
    if class_no in (5, 6):
        for start in (-size, 0.0, size):
            painter.drawLine(QPointF(start, 0), QPointF(start + size, size))
    if class_no == 3:
        painter.drawLine(QPointF(2, 0), QPointF(2, size))
        painter.drawLine(QPointF(6, 0), QPointF(6, size))
    if class_no == 4:
        painter.drawLine(QPointF(0, 2), QPointF(size, 2))
        painter.drawLine(QPointF(0, 6), QPointF(size, 6))
    if class_no == 7:
        painter.drawPoint(QPointF(2, 2))
        painter.drawPoint(QPointF(6, 6))


_EFFECTS = (
    Qt.UIEffect.UI_AnimateMenu,
    Qt.UIEffect.UI_FadeMenu,
    Qt.UIEffect.UI_AnimateCombo,
    Qt.UIEffect.UI_AnimateTooltip,
    Qt.UIEffect.UI_FadeTooltip,
    Qt.UIEffect.UI_AnimateToolBox,
)
