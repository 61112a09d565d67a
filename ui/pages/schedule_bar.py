"""The toolbar of the schedule: times, colours, comparison, what is marked, folding, fit, chart or table, picture.

It tells what was chosen and draws nothing itself.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QWidget,
)

from estimator.wording import Wording
from ui.pages.schedule_gantt import ColourBy
from ui.theme import Theme
from ui.widgets.combo import Combo
from ui.widgets.icons import icon

PICTURES = ("png", "svg", "pdf")
CHART, TABLE = 0, 1
_NAME_LENGTH = 24
_COMPARE_LENGTH = 19
_LEFT = 4
"""So many of the stops stand at the left; the rest at the right."""


class ScheduleBar(QWidget):
    """`page_chosen` carries CHART or TABLE, `picture_asked` one of PICTURES."""

    times_chosen = Signal()
    colour_chosen = Signal()
    compare_chosen = Signal()
    unused_chosen = Signal()
    critical_chosen = Signal()
    fold_asked = Signal()
    fit_asked = Signal()
    page_chosen = Signal(int)
    picture_asked = Signal(str)

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self.times = Combo()
        self.times.setAccessibleName(words.t("Times shown"))
        self.times.addItems([words.t("Elapsed time"), words.t("Date and time")])
        self.times.activated.connect(lambda _index: self.times_chosen.emit())
        self.colours = Combo()
        self.colours.setAccessibleName(words.t("Colour of the bars"))
        self.colours.addItem(words.t("Colour: stage"), ColourBy.STAGE)
        self.colours.addItem(words.t("Colour: lot"), ColourBy.LOT)
        self.colours.activated.connect(lambda _index: self.colour_chosen.emit())
        self.compare = Combo()
        self.compare.setAccessibleName(words.t("Compared on the same axis"))
        self.compare.addItem(words.t("Compare: nothing"), "")
        self.compare.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.compare.setMinimumContentsLength(_COMPARE_LENGTH)
        self.compare.activated.connect(lambda _index: self.compare_chosen.emit())
        self._offered: tuple[tuple[str, str], ...] = ()
        self._build_marks()
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

    @property
    def compared(self) -> str:
        """What the chart is compared with: the value of `offer_compared`, "" for nothing."""
        return str(self.compare.currentData())

    def offer_compared(self, offered: tuple[tuple[str, str], ...]) -> None:
        """Offer what the chart can be compared with, as (value, name); a choice that is still there stays."""
        if offered == self._offered:
            return
        self._offered = offered
        chosen = self.compared
        while self.compare.count() > 1:
            self.compare.removeItem(1)
        for value, name in offered:
            shown = name if len(name) <= _NAME_LENGTH else f"{name[: _NAME_LENGTH - 1].rstrip(' ,')}…"
            self.compare.addItem(self._words.t("Compare: {name}", name=shown), value)
            self.compare.setItemData(self.compare.count() - 1, name, Qt.ItemDataRole.ToolTipRole)
        self.compare.setCurrentIndex(max(0, self.compare.findData(chosen)))

    def toggle_critical(self) -> None:
        """Mark the critical path, or no longer, as its box would."""
        self.critical.trigger()

    def show_groups(self, has_groups: bool, all_closed: bool) -> None:
        """Offer to fold or unfold the rows where there are groups of them."""
        words = self._words
        self.fold.setEnabled(has_groups)
        self.fold.setText(
            words.t("Unfold all rows (Shift+F)") if all_closed else words.t("Fold all rows (Shift+F)")
        )

    def stops(self) -> list[QWidget]:
        """Return what takes the focus, in reading order."""
        return [
            self.times,
            self.colours,
            self.compare,
            self.show_button,
            self.fit_button,
            self.gantt_button,
            self.table_button,
            self.picture_button,
        ]

    def _build_marks(self) -> None:
        """What the chart shows beside its bars: one button with a menu, since their names are long."""
        words = self._words
        self.show_button = QPushButton(words.t("Show"))
        menu = QMenu(self.show_button)
        self.unused = menu.addAction(words.t("Unused time"))
        self.critical = menu.addAction(words.t("Critical path (C)"))
        for action, chosen in ((self.unused, self.unused_chosen), (self.critical, self.critical_chosen)):
            action.setCheckable(True)
            action.triggered.connect(lambda _checked, chosen=chosen: chosen.emit())
        self.unused.setChecked(True)
        menu.addSeparator()
        self.fold = menu.addAction("")
        self.fold.triggered.connect(lambda _checked: self.fold_asked.emit())
        self.show_groups(has_groups=False, all_closed=False)
        self.show_button.setMenu(menu)

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
        for widget in stops[:_LEFT]:
            row.addWidget(widget)
        row.addStretch(1)
        for widget in stops[_LEFT:]:
            row.addWidget(widget)

    def _dress(self) -> None:
        ink = self._theme.color("text")
        self.gantt_button.setIcon(icon("schedule", ink))
        self.table_button.setIcon(icon("grid", ink))
