"""The toolbar of the schedule: times, colours, comparison, unused time, fit, chart or table, picture.

It tells what was chosen and draws nothing itself.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QWidget,
)

from estimator.wording import Wording
from ui.pages.schedule_gantt import ColourBy
from ui.theme import Theme
from ui.widgets.icons import icon

PICTURES = ("png", "svg", "pdf")
CHART, TABLE = 0, 1
_NAME_LENGTH = 14


class ScheduleBar(QWidget):
    """`page_chosen` carries CHART or TABLE, `picture_asked` one of PICTURES."""

    times_chosen = Signal()
    colour_chosen = Signal()
    compare_chosen = Signal()
    unused_chosen = Signal()
    fit_asked = Signal()
    page_chosen = Signal(int)
    picture_asked = Signal(str)

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self.times = QComboBox()
        self.times.setAccessibleName(words.t("Times shown"))
        self.times.addItems([words.t("Elapsed time"), words.t("Date and time")])
        self.times.activated.connect(lambda _index: self.times_chosen.emit())
        self.colours = QComboBox()
        self.colours.setAccessibleName(words.t("Colour of the bars"))
        self.colours.addItem(words.t("Colour: stage"), ColourBy.STAGE)
        self.colours.addItem(words.t("Colour: lot"), ColourBy.LOT)
        self.colours.activated.connect(lambda _index: self.colour_chosen.emit())
        self.compare = QCheckBox()
        self.compare.clicked.connect(lambda _checked: self.compare_chosen.emit())
        self.unused = QCheckBox(words.t("Unused time"))
        self.unused.setChecked(True)
        self.unused.clicked.connect(lambda _checked: self.unused_chosen.emit())
        self._build_buttons()
        self._lay_out()
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def colour_by(self) -> ColourBy:
        """What the colour of a bar stands for."""
        return ColourBy(self.colours.currentData())

    @property
    def shows_dates(self) -> bool:
        """Whether times are shown as dates."""
        return self.times.currentIndex() == 1

    def show_dates(self) -> None:
        """Choose dates, as the selector would."""
        self.times.setCurrentIndex(1)
        self.times_chosen.emit()

    def show_page(self, page: int) -> None:
        """Show which of chart and table is seen."""
        (self.table_button if page == TABLE else self.gantt_button).setChecked(True)
        self.fit_button.setEnabled(page == CHART)

    def name_reference(self, name: str) -> None:
        """Offer the comparison with an organisation; an empty name takes the offer away."""
        self.compare.setVisible(bool(name))
        shown = name if len(name) <= _NAME_LENGTH else f"{name[: _NAME_LENGTH - 1].rstrip(' ,')}…"
        self.compare.setText(self._words.t("Compare with {organisation}", organisation=shown))
        self.compare.setToolTip(name)

    def stops(self) -> list[QWidget]:
        """Return what takes the focus, in reading order."""
        return [
            self.times,
            self.colours,
            self.compare,
            self.unused,
            self.fit_button,
            self.gantt_button,
            self.table_button,
            self.picture_button,
        ]

    def _build_buttons(self) -> None:
        words = self._words
        self.fit_button = QPushButton(words.t("Fit"))
        self.fit_button.setToolTip(words.t("Show the whole time (0)"))
        self.fit_button.clicked.connect(self.fit_asked)
        self.gantt_button = QPushButton(words.t("Gantt"))
        self.table_button = QPushButton(words.t("Table"))
        self._views = QButtonGroup(self)
        for page, button in ((CHART, self.gantt_button), (TABLE, self.table_button)):
            button.setCheckable(True)
            button.setToolTip(words.t("Chart or table (Ctrl+T)"))
            self._views.addButton(button, page)
        self.gantt_button.setChecked(True)
        self._views.idClicked.connect(self.page_chosen)
        self.picture_button = QPushButton(words.t("Save picture"))
        menu = QMenu(self.picture_button)
        for kind in PICTURES:
            action = menu.addAction(kind.upper())
            action.triggered.connect(lambda _checked=False, kind=kind: self.picture_asked.emit(kind))
        self.picture_button.setMenu(menu)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        stops = self.stops()
        for widget in stops[:4]:
            row.addWidget(widget)
        row.addStretch(1)
        for widget in stops[4:]:
            row.addWidget(widget)

    def _dress(self) -> None:
        ink = self._theme.color("text")
        self.gantt_button.setIcon(icon("schedule", ink))
        self.table_button.setIcon(icon("grid", ink))
