"""Fields for numbers, money and durations: comma or point is the decimal mark, values are exact decimals.

The fields never format or read a number by themselves: `estimator.wording` does. Limits here are those of the
field (a count is not negative); what a quote allows is checked elsewhere and shown with `set_problem`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from estimator.problems import Severity
from estimator.units import MS_PER, TimeUnit
from estimator.wording import Wording, read_count, read_duration, read_number
from ui.widgets.combo import Combo
from ui.widgets.compound import Compound
from ui.widgets.typed_line import Read, TypedLine

_DECIMALS_AT_MOST = 4


class NumberField(TypedLine):
    """A number, right-aligned; the value is a Decimal or None. `committed(object)` carries it."""

    def __init__(
        self,
        words: Wording,
        *,
        minimum: Decimal | None = None,
        maximum: Decimal | None = None,
        whole: bool = False,
        unit: str | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """`unit` may be typed beside the number ("GiB", "%", a currency code); limits are inclusive."""
        super().__init__(words, parent)
        self._minimum = minimum
        self._maximum = maximum
        self._whole = whole
        self._unit = unit
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setMinimumWidth(64)

    @property
    def number(self) -> Decimal | None:
        """The number committed or set last."""
        return self._value if isinstance(self._value, Decimal) else None

    def set_value(self, value: Decimal | None) -> None:
        """Show a number, or blank where it is not known."""
        self.show_value(value)

    def set_limits(self, minimum: Decimal | None, maximum: Decimal | None) -> None:
        """Change what the field takes, inclusive; the value shown stays."""
        self._minimum = minimum
        self._maximum = maximum

    def _text_of(self, value: object) -> str:
        return self._words.number(value, grouping=False) if isinstance(value, Decimal) else ""

    def _read(self, text: str, pasted: bool) -> Read:
        number_format = self._words.number_format
        if self._whole:
            reading = read_count(text, number_format, pasted=pasted)
        else:
            reading = read_number(text, number_format, pasted=pasted, unit=self._unit)
        if reading.code is not None:
            return Read(refusal=self._words.sentence(reading.code))
        if reading.value is None:
            return Read()
        if self._minimum is not None and reading.value < self._minimum:
            return Read(refusal=self._words.sentence("below_minimum", {"minimum": self._minimum}))
        if self._maximum is not None and reading.value > self._maximum:
            return Read(refusal=self._words.sentence("above_maximum", {"maximum": self._maximum}))
        return Read(
            reading.value,
            echo=self._words.t("read: {number}", number=self._text_of(reading.value)) if reading.echo else "",
        )


class MoneyField(Compound):
    """An amount and the code of its currency; the value is a Decimal or None."""

    committed = Signal(object)
    problem_changed = Signal(str, str)
    echo_changed = Signal(str)

    def __init__(self, words: Wording, currency: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = NumberField(words, minimum=Decimal(0), unit=currency)
        self._code = QLabel(currency)
        self._code.setProperty("look", "muted")
        _in_a_row(self, self.line, self._code)
        self.line.committed.connect(self.committed)
        self.line.problem_changed.connect(self.problem_changed)
        self.line.echo_changed.connect(self.echo_changed)

    @property
    def amount(self) -> Decimal | None:
        """The amount committed or set last."""
        return self.line.number

    def set_value(self, amount: Decimal | None) -> None:
        """Show an amount, or blank: not included."""
        self.line.set_value(amount)

    def set_problem(self, sentence: str, severity: Severity = Severity.ERROR) -> None:
        """Show what the checks say about the amount."""
        self.line.set_problem(sentence, severity)

    def set_words(self, words: Wording) -> None:
        """Write the amount in another language or number format."""
        self.line.set_words(words)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.line.setAccessibleName(f"{name}, {self._code.text()}")


@dataclass(frozen=True, slots=True)
class Duration:
    """A duration as stated: `value` None means that it is not known yet."""

    value: Decimal | None
    unit: TimeUnit


class DurationField(Compound):
    """A duration and the unit it is shown in. `committed` carries a `Duration`.

    It accepts 90, 1:30, 1h30. What was typed in another unit is shown back in the unit chosen where four
    decimals hold it exactly, else the selector follows the text. Changing the unit keeps the number: 12 min
    becomes 12 h.
    """

    committed = Signal(object)
    problem_changed = Signal(str, str)
    echo_changed = Signal(str)

    def __init__(
        self, words: Wording, unit: TimeUnit = TimeUnit.MINUTE, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._words = words
        self.line = _DurationLine(words, unit)
        self.units = Combo()
        for one in TimeUnit:
            self.units.addItem(one.value, one)
        self.units.setCurrentIndex(list(TimeUnit).index(unit))
        _in_a_row(self, self.line, self.units)
        self.line.committed.connect(self._line_committed)
        self.line.problem_changed.connect(self.problem_changed)
        self.units.activated.connect(self._unit_chosen)
        self.setAccessibleName("")

    @property
    def duration(self) -> Duration:
        """The duration committed or set last."""
        value = self.line.value
        return value if isinstance(value, Duration) else Duration(None, self.line.unit)

    def set_value(self, value: Decimal | None, unit: TimeUnit) -> None:
        """Show a duration in its unit, or blank with the unit ready."""
        self.line.unit = unit
        self.units.setCurrentIndex(list(TimeUnit).index(unit))
        self.line.show_value(None if value is None else Duration(value, unit))

    def set_problem(self, sentence: str, severity: Severity = Severity.ERROR) -> None:
        """Show what the checks say about the duration."""
        self.line.set_problem(sentence, severity)

    def set_words(self, words: Wording) -> None:
        """Write the duration in another language or number format."""
        self._words = words
        self.line.set_words(words)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.line.setAccessibleName(name)
        unit = self._words.t("Unit of time")
        self.units.setAccessibleName(f"{name}, {unit}" if name else unit)

    def _line_committed(self, value: object) -> None:
        if isinstance(value, Duration):
            self.line.unit = value.unit
            self.units.setCurrentIndex(list(TimeUnit).index(value.unit))
        self.committed.emit(self.duration)

    def _unit_chosen(self, index: int) -> None:
        unit = list(TimeUnit)[index]
        former = self.duration
        if unit is not former.unit:
            self.set_value(former.value, unit)
            if former.value is not None:
                self.committed.emit(self.duration)


class _DurationLine(TypedLine):
    def __init__(self, words: Wording, unit: TimeUnit) -> None:
        super().__init__(words)
        self.unit = unit
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setMinimumWidth(64)

    def _text_of(self, value: object) -> str:
        if not isinstance(value, Duration) or value.value is None:
            return ""
        return self._words.number(value.value, grouping=False)

    def _read(self, text: str, pasted: bool) -> Read:
        reading = read_duration(text, self.unit, self._words.number_format)
        if reading.code is not None:
            return Read(refusal=self._words.sentence(reading.code))
        if reading.value is None:
            return Read()
        if reading.value < 0:
            return Read(refusal=self._words.sentence("negative"))
        return Read(_shown_in(Duration(reading.value, reading.unit), self.unit))


def _shown_in(duration: Duration, unit: TimeUnit) -> Duration:
    """Return the duration in `unit` where four decimals hold it exactly, else as it is."""
    if duration.value is None or duration.unit is unit:
        return duration
    in_ms = duration.value * MS_PER[duration.unit]
    converted = round(in_ms / MS_PER[unit], _DECIMALS_AT_MOST)
    return Duration(converted.normalize(), unit) if converted * MS_PER[unit] == in_ms else duration


def _in_a_row(parent: Compound, *widgets: QWidget) -> None:
    row = QHBoxLayout(parent)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    for widget in widgets:
        row.addWidget(widget)
    row.setStretch(0, 1)
    parent.first = widgets[0]
