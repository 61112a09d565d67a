"""The line that every typed value goes through: commit on Enter, Tab, focus out; Esc restores.

A text that cannot be read is not committed: the line keeps it, says why, and `problem_changed` tells whoever
shows the sentence (see `field.Field`). What a text means is decided by the subclasses through
`estimator.wording`.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QWidget

from estimator.problems import Severity
from estimator.wording import Wording, read_date, read_time_of_day


@dataclass(frozen=True, slots=True)
class Read:
    """What a line made of its text: a value, or a sentence why not; `echo` is how it was read."""

    value: object = None
    refusal: str = ""
    echo: str = ""


class TypedLine(QLineEdit):
    """A line with a value. `committed` carries the new value, None where blank, once a change."""

    committed = Signal(object)
    problem_changed = Signal(str, str)
    """Sentence and severity of what is wrong; both empty where nothing is."""
    echo_changed = Signal(str)

    def __init__(self, words: Wording, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._value: object = None
        self._shown = ""
        self._former = ""
        self._pasted = False
        self._problem = ""
        self.textEdited.connect(self._edited)
        self.editingFinished.connect(self.commit)

    @property
    def value(self) -> object:
        """The value committed or set last."""
        return self._value

    @property
    def problem(self) -> str:
        """The sentence shown, or empty."""
        return self._problem

    def show_value(self, value: object) -> None:
        """Show a value that did not come from this line; nothing is committed, problems and echo go."""
        self._value = value
        self._settle(self._text_of(value))
        self._say("")

    def set_problem(self, sentence: str, severity: Severity = Severity.ERROR) -> None:
        """Show what the checks say about the value; an empty sentence takes it away."""
        self._say(sentence, severity)

    def set_words(self, words: Wording) -> None:
        """Write the value in another language or number format."""
        self._words = words
        if self.text() == self._shown:
            self._settle(self._text_of(self._value))

    def commit(self) -> bool:
        """Take the text over; return whether it could be read."""
        text = self.text()
        if text == self._shown:
            return not self._problem
        read = self._read(text, self._pasted)
        if read.refusal:
            self._say(read.refusal)
            return False
        changed = read.value != self._value
        self._value = read.value
        self._settle(self._text_of(read.value))
        self._say("")
        self.echo_changed.emit(read.echo)
        if changed:
            self.committed.emit(read.value)
        return True

    def restore(self) -> bool:
        """Put the last value back; return whether the text was another one."""
        if self.text() == self._shown:
            return False
        self._settle(self._text_of(self._value))
        self._say("")
        return True

    def _text_of(self, value: object) -> str:
        return value if isinstance(value, str) else ""

    def _read(self, text: str, pasted: bool) -> Read:
        return Read(text.strip())

    def _settle(self, text: str) -> None:
        self._shown = self._former = text
        self._pasted = False
        self.setText(text)
        self.echo_changed.emit("")

    def _say(self, sentence: str, severity: Severity = Severity.ERROR) -> None:
        if sentence == self._problem and not sentence:
            return
        self._problem = sentence
        self.setProperty("problem", severity.value if sentence else "")
        self.setAccessibleDescription(sentence)
        self.style().unpolish(self)
        self.style().polish(self)
        self.problem_changed.emit(sentence, severity.value if sentence else "")

    def _edited(self, text: str) -> None:
        # Two or more characters at once were not typed; menus and drops paste without a key.
        self._pasted = bool(text) and (self._pasted or _inserted(self._former, text) >= 2)
        self._former = text

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            if not self.restore():
                event.ignore()
            return
        if event.matches(QKeySequence.StandardKey.Paste) and QGuiApplication.clipboard().text():
            super().keyPressEvent(event)
            self._pasted = True
            return
        super().keyPressEvent(event)
        # Where Enter went on to another field, a selection here would show a second caret.
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.hasFocus():
            self.selectAll()


class TextField(TypedLine):
    """A line of plain text; the value is a str, empty where it is blank."""

    def __init__(self, words: Wording, parent: QWidget | None = None) -> None:
        super().__init__(words, parent)
        self._value = ""

    def set_value(self, text: str) -> None:
        """Show a text, its beginning first."""
        self.show_value(text)
        self.setCursorPosition(0)


class DateField(TypedLine):
    """A typed date, in the region's order or ISO; the value is a date or None."""

    def set_value(self, day: dt.date | None) -> None:
        """Show a date, or blank."""
        self.show_value(day)

    def _text_of(self, value: object) -> str:
        return self._words.date(value) if isinstance(value, dt.date) else ""

    def _read(self, text: str, pasted: bool) -> Read:
        if not text.strip():
            return Read()
        day = read_date(text, self._words.number_format)
        return Read(day) if day is not None else Read(refusal=self._words.sentence("unreadable_date"))


class TimeOfDayField(TypedLine):
    """A typed time of day; the value is its minutes from midnight, None where blank."""

    def set_value(self, minutes: int | None) -> None:
        """Show a time, or blank."""
        self.show_value(minutes)

    def _text_of(self, value: object) -> str:
        return f"{value // 60}:{value % 60:02}" if isinstance(value, int) else ""

    def _read(self, text: str, pasted: bool) -> Read:
        if not text.strip():
            return Read()
        minutes = read_time_of_day(text)
        return Read(refusal=self._words.sentence("unreadable_time")) if minutes is None else Read(minutes)


def _inserted(former: str, text: str) -> int:
    """Return how many characters `text` has that `former` had not, between common beginning and end."""
    shorter = min(len(former), len(text))
    begin = next((at for at in range(shorter) if former[at] != text[at]), shorter)
    rest = shorter - begin
    end = next((at for at in range(rest) if former[-1 - at] != text[-1 - at]), rest)
    return len(text) - begin - end
