"""Working hours as a tick, the days of the week and two times of day; whoever owns them is asked for each change.

It shows hours and says what a person wants instead; it edits no quote.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from estimator.hours import WorkingHours, as_shift, shift
from estimator.wording import Wording
from ui.pages.work_fields import in_a_row
from ui.pages.work_ticks import Tick
from ui.theme import Theme
from ui.widgets.field import Field
from ui.widgets.typed_line import TimeOfDayField

_OFFICE = shift((0, 1, 2, 3, 4), 8 * 60, 18 * 60)


class HoursEditor(QWidget):
    """`changed` carries the hours that a person states, None where work may run at any time."""

    changed = Signal(object)

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hours: WorkingHours | None = None
        self.tick = Tick(words.t("Only in working hours"))
        self.days: list[QCheckBox] = []
        self.opens = TimeOfDayField(words)
        self.closes = TimeOfDayField(words)
        self._several = _note(words.t("Several shifts are stated; a change here replaces them by one."))
        self._needs_start = _note(words.t("They need the start of the work: state it in Schedule."))
        self._body = QWidget()
        inside = QVBoxLayout(self._body)
        inside.setContentsMargins(22, 0, 0, 0)
        inside.setSpacing(6)
        inside.addWidget(self._several)
        inside.addLayout(self._days_row(words))
        opens = Field(theme, words.t("Opens"), self.opens)
        closes = Field(theme, words.t("Closes"), self.closes)
        inside.addLayout(in_a_row(opens, closes, stretches=(1, 1)))
        inside.addWidget(self._needs_start)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.tick)
        column.addWidget(self._body)
        self.tick.ticked.connect(lambda ticked: self.changed.emit(_OFFICE if ticked else None))
        for day in self.days:
            day.clicked.connect(self._typed)
        self.opens.committed.connect(self._typed)
        self.closes.committed.connect(self._typed)

    @property
    def stops(self) -> list[QWidget]:
        """What takes the focus, in reading order."""
        return [self.tick.mark, *self.days, self.opens, self.closes]

    def show_hours(self, hours: WorkingHours | None, has_start: bool) -> None:
        """Show hours; without a start of the work it says that they need one."""
        self._hours = hours
        self.tick.set_ticked(hours is not None)
        self._body.setVisible(hours is not None)
        self._needs_start.setVisible(not has_start)
        if hours is None:
            return
        one = as_shift(hours)
        days, opens, closes = one or (hours.windows[0].days, hours.windows[0].opens, hours.windows[0].closes)
        self._several.setVisible(one is None)
        for number, day in enumerate(self.days):
            day.setChecked(number in days)
        for field, minutes in ((self.opens, opens), (self.closes, closes)):
            if field.value != minutes:
                field.set_value(minutes)

    def _days_row(self, words: Wording) -> QHBoxLayout:
        days = QHBoxLayout()
        days.setSpacing(2)
        for short, name in (
            (words.t("Mo"), words.t("Monday")),
            (words.t("Tu"), words.t("Tuesday")),
            (words.t("We"), words.t("Wednesday")),
            (words.t("Th"), words.t("Thursday")),
            (words.t("Fr"), words.t("Friday")),
            (words.t("Sa"), words.t("Saturday")),
            (words.t("Su"), words.t("Sunday")),
        ):
            day = QCheckBox()
            day.setAccessibleName(name)
            day.setToolTip(name)
            cell = QVBoxLayout()
            cell.setSpacing(1)
            label = QLabel(short)
            label.setBuddy(day)
            cell.addWidget(label)
            cell.addWidget(day)
            days.addLayout(cell)
            self.days.append(day)
        days.addStretch(1)
        return days

    def _typed(self, *_: object) -> None:
        hours = self._hours
        if hours is None:
            return
        days = tuple(number for number, day in enumerate(self.days) if day.isChecked())
        opens, closes = self.opens.value, self.closes.value
        if not days or not isinstance(opens, int) or not isinstance(closes, int):
            self.show_hours(hours, self._needs_start.isHidden())  # hours without a day or a time say nothing
            return
        stated: WorkingHours = shift(days, opens, closes).replaced(evidence=hours.evidence)
        if stated != hours:
            self.changed.emit(stated)


def _note(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setProperty("look", "muted")
    return label
