"""A field as it stands in a form: label above, input with its unit, and one sentence under it.

The sentence takes room only while it is shown. Works with every input that has `problem_changed` and
`echo_changed`, and as a plain labelled row with any other widget.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from estimator.problems import Severity
from ui.theme import TextRole, Theme
from ui.widgets.icons import SEVERITY_COLORS, SEVERITY_ICONS, pixmap
from ui.widgets.number_field import DurationField, MoneyField
from ui.widgets.typed_line import TypedLine


class Field(QWidget):
    """Puts a label over an input, names it for screen readers, and shows its sentence and echo."""

    def __init__(
        self,
        theme: Theme,
        label: str,
        widget: QWidget,
        *,
        unit: str = "",
        note: str = "",
        beside: QWidget | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """`unit` stands right of the input, `note` muted after it ("optional"), `beside` right of the label."""
        super().__init__(parent)
        self._theme = theme
        self.input = widget
        self.label = QLabel(label)
        self.label.setProperty("look", "muted")
        self.label.setBuddy(widget)
        widget.setAccessibleName(f"{label}, {unit}" if unit else label)
        self._echo = _quiet_label("")
        self._mark = QLabel()
        self._sentence = QLabel()
        self._sentence.setWordWrap(True)
        self._severity = Severity.ERROR

        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(widget, 1)
        if unit:
            row.addWidget(QLabel(unit))
        if note:
            row.addWidget(_quiet_label(note))
        row.addWidget(self._echo)
        below = QHBoxLayout()
        below.setSpacing(6)
        below.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        below.addWidget(self._sentence, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        if beside is None:
            column.addWidget(self.label)
        else:
            head = QHBoxLayout()
            head.setSpacing(8)
            head.addWidget(self.label, 1)
            head.addWidget(beside)
            column.addLayout(head)
        column.addLayout(row)
        column.addLayout(below)

        for one in (self._echo, self._mark, self._sentence):
            one.hide()
        if isinstance(widget, TypedLine | MoneyField | DurationField):
            widget.problem_changed.connect(self.show_problem)
            widget.echo_changed.connect(self._show_echo)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def sentence(self) -> str:
        """The sentence shown under the input, or empty."""
        return "" if self._sentence.isHidden() else self._sentence.text()

    def set_problem(self, sentence: str, severity: Severity = Severity.ERROR) -> None:
        """Show a sentence about the value; an empty one takes it away."""
        if isinstance(self.input, TypedLine | MoneyField | DurationField):
            self.input.set_problem(sentence, severity)
        else:
            self.show_problem(sentence, severity.value)

    def show_problem(self, sentence: str, severity: str) -> None:
        """Show what an input inside says; fits the signal `problem_changed`."""
        self._severity = Severity(severity) if severity else Severity.ERROR
        self._sentence.setText(sentence)
        self._sentence.setVisible(bool(sentence))
        self._mark.setVisible(bool(sentence))
        self._dress()

    def _show_echo(self, echo: str) -> None:
        self._echo.setText(echo)
        self._echo.setVisible(bool(echo))

    def _dress(self) -> None:
        color = self._theme.color(SEVERITY_COLORS[self._severity])
        self._mark.setPixmap(pixmap(SEVERITY_ICONS[self._severity], color))
        self._sentence.setStyleSheet(f"color: {color.name()}")
        for one in (self.label, self._sentence, self._echo):
            one.setFont(self._theme.font(TextRole.SECONDARY))


def _quiet_label(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("look", "muted")
    return label
