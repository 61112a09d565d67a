"""The foldable section of an offer that the quote uses: how long its cards are there and when they may compute.

Folded it says in one line what is stated. It shows an offer and asks for edits.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from estimator import edits
from estimator.catalogue import HourlyOffer, Lot
from estimator.evidence import GIVEN, StatedDuration
from estimator.plan.starting import rental_start
from estimator.quote import Quote
from estimator.wording import Wording
from ui.pages.hours_editor import HoursEditor
from ui.pages.work_fields import show_stated_duration
from ui.theme import TextRole, Theme
from ui.widgets.field import Field
from ui.widgets.icons import icon
from ui.widgets.number_field import Duration, DurationField

Ask = Callable[[str, Callable[[Quote], Quote]], bool]


class OfferWhen(QWidget):
    """When the cards of one offer are there."""

    def __init__(self, words: Wording, theme: Theme, edit: Ask) -> None:
        super().__init__()
        self._words = words
        self._theme = theme
        self._edit = edit
        self._offer: Lot | HourlyOffer | None = None
        self.fold = QPushButton(words.t("When its cards are there"))
        self.fold.setProperty("look", "link")
        self.fold.setCheckable(True)
        self.summary = QLabel()
        self.summary.setProperty("look", "muted")
        self.summary.setWordWrap(True)
        self.available = DurationField(words)
        self.available.line.setPlaceholderText(words.t("as long as they are paid for"))
        self.hours = HoursEditor(words, theme)
        self._body = QWidget()
        inside = QVBoxLayout(self._body)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(8)
        inside.addWidget(Field(theme, words.t("Taken away after, from the start"), self.available))
        inside.addWidget(self.hours)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.fold)
        column.addWidget(self.summary)
        column.addWidget(self._body)
        self.fold.toggled.connect(self._open)
        self.available.committed.connect(self._available_typed)
        self.hours.changed.connect(lambda hours: self._change(hours=hours))
        theme.changed.connect(self._dress)
        self._open(False)

    @property
    def stops(self) -> list[QWidget]:
        """What takes the focus, in reading order."""
        return [self.fold, self.available.line, self.available.units, *self.hours.stops]

    def show_offer(self, quote: Quote, offer: Lot | HourlyOffer) -> None:
        """Show an offer of the quote."""
        self._offer = offer
        show_stated_duration(self.available, offer.available_for, self.available.duration.unit)
        self.hours.show_hours(offer.hours, rental_start(quote) is not None)
        words, parts = self._words, []
        if offer.available_for is not None and offer.available_for.ms is not None:
            parts.append(words.t("taken away after {moment}", moment=words.duration(offer.available_for.ms)))
        if offer.hours is not None:
            parts.append(words.t("working hours"))
        text = " · ".join(parts) or words.t("at any time")
        self.summary.setText(text[:1].upper() + text[1:])

    def open_at(self, name: str) -> QWidget:
        """Open the section and return the field of "available_for", else that of the hours."""
        self.fold.setChecked(True)
        return self.available if name == "available_for" else self.hours.tick.mark

    def _available_typed(self, value: object) -> None:
        if not isinstance(value, Duration) or self._offer is None:
            return
        if value.value == 0:  # cards that are never there are no offer
            show_stated_duration(self.available, self._offer.available_for, value.unit)
            return
        stated = None
        if value.value is not None:
            stated = StatedDuration(value=value.value, unit=value.unit, evidence=GIVEN)
        self._change(available_for=stated)

    def _change(self, **changes: object) -> None:
        offer = self._offer
        if offer is not None:
            label = self._words.t("change when the cards of {offer} are there", offer=offer.name)
            self._edit(label, lambda quote: edits.with_offer_fields(quote, offer.id, **changes))

    def _open(self, is_open: bool) -> None:
        self._body.setVisible(is_open)
        self.summary.setVisible(not is_open)
        self._dress()

    def _dress(self) -> None:
        name = "chevron-down" if self.fold.isChecked() else "chevron-right"
        self.fold.setFont(self._theme.font(TextRole.SECTION))
        self.fold.setIcon(icon(name, self._theme.color("accent")))
        self.fold.setAccessibleDescription(
            self._words.t("open") if self.fold.isChecked() else self.summary.text()
        )
