"""The views of the Cost page, one shown at a time: by plan, frontier, how sure, tornado; each with its table (Ctrl+T).

A view is made when it is first looked at and drawn when it is seen: a quote that is being typed pays for one only.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from estimator.quote import Pricing, Quote
from estimator.results.estimate import Estimate, Plan
from estimator.wording import Wording
from estimator.wording.phrases import rented_models, sample_word
from ui.models.table_view import TableView
from ui.pages.changing_table import ChangingTableModel
from ui.pages.charts import RecalculatingTag
from ui.theme import TextRole, Theme
from ui.widgets.row_bars import RowBars

_LEAST_HEIGHT = 192
_LEAST_NAME = 240
_MOST_HEIGHT = 372
"""A picture that needs more scrolls."""


class CostView(QWidget):
    """A view: a note, its picture or its table, or the reason why there is neither.

    `plan_asked`: choose the plan of that id. `place_asked`: go to the field of that Place.
    """

    plan_asked = Signal(str)
    place_asked = Signal(object)

    def __init__(
        self, words: Wording, theme: Theme, title: str, model: ChangingTableModel[Any], *, table_name: str
    ) -> None:
        """`table_name` is what a screen reader calls the table of the numbers."""
        super().__init__()
        self.words = words
        self.theme = theme
        self.title = title
        self.model = model
        self.table = TableView(model, words, theme, table_name, sortable=True, whole_rows=True)
        self.note = muted_label(theme)
        self.empty = QLabel()
        self.empty.setProperty("look", "muted")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.picture: QWidget | None = None
        self._as_table = False
        self._is_empty = True
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.table)
        self.stack.setMinimumHeight(_LEAST_HEIGHT)
        self.stack.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(4)
        self.column.addWidget(self.note)
        self.column.addWidget(self.stack, 1)

    def show_estimate(self, estimate: Estimate) -> None:
        """Show what the estimate says; the caller shows no estimate twice."""
        raise NotImplementedError

    def show_as_table(self, as_table: bool) -> None:
        """Show the table in place of the picture, or the picture again."""
        self._as_table = as_table
        self.show_part()

    def set_empty(self, reason: str) -> None:
        """Say why there is nothing to see; "" where there is something."""
        self._is_empty = bool(reason)
        self.empty.setText(reason)
        self.show_part()

    def set_picture(self, picture: QWidget) -> None:
        """Put the picture in its place; it is made late, so that the start pays for no chart."""
        self.picture = picture
        self.stack.addWidget(picture)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_table()

    def fit_table(self) -> None:
        """Give each column its width, and the names no more than what the figures leave: a name can be elided."""
        self.table.resizeColumnsToContents()
        count = self.model.columnCount()
        others = sum(self.table.columnWidth(column) for column in range(1, count))
        room = self.table.viewport().width() - others
        self.table.setColumnWidth(0, min(self.table.columnWidth(0), max(_LEAST_NAME, room)))

    def give_height(self, wanted: int) -> None:
        """Give the picture the height that it asks for, within what a page of this size can spare."""
        self.stack.setMinimumHeight(min(max(_LEAST_HEIGHT, wanted), _MOST_HEIGHT))

    @property
    def shows_picture(self) -> bool:
        """Whether the picture is what is seen."""
        return self.picture is not None and self.stack.currentWidget() is self.picture

    def stops(self) -> list[QWidget]:
        """Return what takes the focus, in reading order."""
        return [self.table]

    def show_part(self) -> None:
        """Show the part that is asked for."""
        part: QWidget = self.empty
        if not self._is_empty:
            part = self.table if self._as_table or self.picture is None else self.picture
        self.stack.setCurrentWidget(part)
        if part is self.table:
            self.table.setGeometry(self.stack.contentsRect())  # now: its columns share the room out
            self.fit_table()


class CostViews(QFrame):
    """The frame with the switch, the view chosen and the button to its table."""

    plan_asked = Signal(str)
    place_asked = Signal(object)
    view_changed = Signal()

    def __init__(
        self, words: Wording, theme: Theme, views: tuple[CostView, ...], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._words = words
        self.views = views
        self._estimate: Estimate | None = None
        self._shown: dict[int, Estimate] = {}
        self._as_table = False
        self.setProperty("look", "box")
        self.tabs = QTabBar()
        self.tabs.setAccessibleName(words.t("What is drawn"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideNone)
        self.switch = QPushButton(words.t("As a table"))
        self.switch.setToolTip("Ctrl+T")
        self.switch.clicked.connect(self.toggle)
        self._tag = RecalculatingTag(words, theme)
        self._stack = QStackedWidget()
        for view in views:
            self.tabs.addTab(view.title)
            self._stack.addWidget(view)
            view.plan_asked.connect(self.plan_asked)
            view.place_asked.connect(self.place_asked)
        self.tabs.currentChanged.connect(self._tab_chosen)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.tabs)
        top.addStretch(1)
        top.addWidget(self.switch)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self._tag)
        column.addWidget(self._stack, 1)

    @property
    def shows_table(self) -> bool:
        """Whether tables stand in place of pictures."""
        return self._as_table

    @property
    def current(self) -> CostView:
        """The view that is seen."""
        return self.views[self.tabs.currentIndex()]

    def show_view(self, index: int) -> None:
        """Show a view, as its tab would."""
        self.tabs.setCurrentIndex(index)

    def toggle(self) -> None:
        """Exchange pictures and tables."""
        self._as_table = not self._as_table
        self.switch.setText(self._words.t("As a picture") if self._as_table else self._words.t("As a table"))
        for view in self.views:
            view.show_as_table(self._as_table)

    def show_estimate(self, estimate: Estimate | None, stale: bool) -> None:
        """Show a complete estimate; while another is computed the former stays, with a tag."""
        self._tag.set_waiting(stale or (estimate is not None and not estimate.is_complete))
        if estimate is not None and estimate.is_complete:
            self._estimate = estimate
            self._show_current()

    def stops(self) -> list[QWidget]:
        """Return what takes the focus, in reading order."""
        found: list[QWidget] = [self.tabs, self.switch]
        for view in self.views:
            found += view.stops()
        return found

    def _tab_chosen(self, index: int) -> None:
        self._stack.setCurrentIndex(index)
        self._show_current()
        self.view_changed.emit()

    def _show_current(self) -> None:
        index = self.tabs.currentIndex()
        if self._estimate is not None and self._shown.get(index) is not self._estimate:
            self._shown[index] = self._estimate
            self.views[index].show_estimate(self._estimate)


class BarsArea(QScrollArea):
    """Row bars that scroll where there are more rows than room; the current row stays in sight."""

    def __init__(self, bars: RowBars, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(bars)
        self.viewport().setAutoFillBackground(False)
        bars.setAutoFillBackground(False)
        bars.moved.connect(self._follow)

    def _follow(self, top: float, bottom: float) -> None:
        self.ensureVisible(0, round(top), 0, 0)
        self.ensureVisible(0, round(bottom), 0, 0)


def muted_label(theme: Theme) -> QLabel:
    """Return a wrapped label for what is said beside a picture."""
    label = QLabel()
    label.setWordWrap(True)
    label.setProperty("look", "muted")
    label.setFont(theme.font(TextRole.SECONDARY))
    return label


def currency_sign(currency: str) -> str:
    """Return how a currency is shown in a table's head."""
    return "€" if currency == "EUR" else currency


def total_axis(words: Wording, pricing: Pricing) -> str:
    """Return what an axis of totals says: they are with tax only where a rate is stated."""
    sign = currency_sign(pricing.currency)
    if pricing.tax_percent.value is None:
        return words.t("{currency} in all", currency=sign)
    return words.t("{currency} with tax", currency=sign)


def plan_label(words: Wording, quote: Quote, plan: Plan) -> str:
    """Return a short name for the picture: the cards, with the tag of a sample."""
    label = " + ".join(f"{words.number(cards)} × {name}" for cards, name in rented_models(quote, plan))
    return f"{label} {sample_word(words)}" if plan.is_sample else label
