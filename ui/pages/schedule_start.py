"""The start of the work: date, time and time zone, three small fields that make one moment.

A start without a zone is a wall time; a zone without a start says nothing yet. The day lengths that follow from
them are the engines' business.
"""

from __future__ import annotations

import datetime as dt
import re
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QWidget

from estimator.plan.starting import rental_start
from estimator.quote import Quote
from estimator.wording import Wording
from ui.theme import Theme
from ui.widgets.combo import Combo
from ui.widgets.typed_line import DateField, Read, TypedLine

_TIME = re.compile(r"([0-9]{1,2})(?:[:.h]([0-9]{2}))?\Z")
_REGIONS = ("Africa/", "America/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/")


class TimeField(TypedLine):
    """A typed time of 24 h; the value is a time or None."""

    def set_value(self, moment: dt.time | None) -> None:
        """Show a time, or blank."""
        self.show_value(moment)

    def _text_of(self, value: object) -> str:
        return f"{value.hour:02d}:{value.minute:02d}" if isinstance(value, dt.time) else ""

    def _read(self, text: str, pasted: bool) -> Read:
        plain = text.strip()
        if not plain:
            return Read()
        found = _TIME.match(plain)
        if found and int(found[1]) < 24 and int(found[2] or 0) < 60:
            return Read(dt.time(int(found[1]), int(found[2] or 0)))
        return Read(refusal=self._words.t("This is not a time. Write it as 09:30."))


class StartRow(QWidget):
    """Shows the start of a quote. `committed` carries the start, a datetime or None, and the zone's name."""

    committed = Signal(object, str)

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.date = DateField(words)
        self.time = TimeField(words)
        self.zone = Combo()
        self.date.setAccessibleName(words.t("Start date"))
        self.time.setAccessibleName(words.t("Start time"))
        self.zone.setAccessibleName(words.t("Time zone"))
        self.date.setPlaceholderText(words.t("date"))
        self.time.setPlaceholderText(words.t("time"))
        self.date.setFixedWidth(110)
        self.time.setFixedWidth(72)
        self.zone.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.zone.setMinimumContentsLength(20)
        self.zone.addItem(words.t("No time zone"), "")
        for name in sorted(one for one in available_timezones() if one.startswith(_REGIONS) or one == "UTC"):
            self.zone.addItem(name, name)
        label = QLabel(words.t("Start"))
        label.setProperty("look", "muted")
        label.setBuddy(self.date)
        self._problem = QLabel()
        self._problem.setProperty("look", "warning")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (label, self.date, self.time, self.zone):
            row.addWidget(widget)
        row.addWidget(self._problem, 1)
        self.date.committed.connect(self._commit)
        self.time.committed.connect(self._commit)
        self.zone.activated.connect(self._commit)
        for line in (self.date, self.time):
            line.problem_changed.connect(self._say)

    def show_quote(self, quote: Quote) -> None:
        """Show the quote's start in its own zone."""
        start = start_of(quote)
        self.date.set_value(None if start is None else start.date())
        self.time.set_value(None if start is None else start.time().replace(second=0, microsecond=0))
        if self.zone.findData(quote.time_zone) < 0:
            self.zone.addItem(quote.time_zone, quote.time_zone)
        self.zone.setCurrentIndex(self.zone.findData(quote.time_zone))

    def _commit(self, _value: object) -> None:
        day, moment = self.date.value, self.time.value
        zone = str(self.zone.currentData() or "")
        start: dt.datetime | None = None
        if isinstance(day, dt.date):
            time = moment if isinstance(moment, dt.time) else dt.time()
            start = dt.datetime.combine(day, time, tzinfo=_zone(zone))
        self.committed.emit(start, zone)

    def _say(self, sentence: str, _severity: str) -> None:
        self._problem.setText(sentence)


def start_of(quote: Quote) -> dt.datetime | None:
    """Return the start in the quote's zone, as a wall time where the quote has none; None without a start."""
    return rental_start(quote) or quote.start


def _zone(name: str) -> ZoneInfo | None:
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return None
