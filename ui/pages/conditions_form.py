"""The form beside the table of conditions: met or failed, what was seen, where, by whom and when.

It shows one record and emits the record changed; an administration console alone does not verify.
"""

from __future__ import annotations

import datetime as dt

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from estimator.problems import Severity
from estimator.quote import ConditionRecord, ConditionState
from estimator.wording import Wording
from ui.pages.conditions_rows import ADMIN_CONSOLE, ConditionRow, places_seen
from ui.theme import TextRole, Theme
from ui.widgets.combo import Combo
from ui.widgets.field import Field
from ui.widgets.icons import icon
from ui.widgets.typed_line import DateField, TextField


class ConditionForm(QFrame):
    """Shows what is recorded about one condition."""

    changed = Signal(object)
    """The ConditionRecord as it should be."""
    closed = Signal()
    asked = Signal(object)
    """The Place of the number behind the condition."""
    removed = Signal(str)

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._row: ConditionRow | None = None
        self._record: ConditionRecord | None = None
        self.setProperty("look", "box")
        self.setAccessibleName(words.t("Condition"))
        self._claim = QLabel()
        self._claim.setWordWrap(True)
        self._claim.setFont(theme.font(TextRole.SECTION))
        self.close_button = QPushButton()
        self.close_button.setProperty("look", "quiet")
        self.close_button.setAccessibleName(words.t("Close"))
        self.close_button.setToolTip(words.t("Close"))
        self.close_button.clicked.connect(self.closed)
        self.states = {state: QRadioButton(words.word(state)) for state in ConditionState}
        group = QButtonGroup(self)
        for state, button in self.states.items():
            group.addButton(button)
            button.clicked.connect(lambda checked, state=state: self._state_chosen(state))
        self.decisive = QCheckBox(words.t("Decisive"))
        self.decisive.clicked.connect(lambda ticked: self._change(decisive=ticked))
        self.text = TextField(words)
        self.observed = TextField(words)
        self.seen = Combo()
        for code, text in places_seen(words).items():
            self.seen.addItem(text, code)
        self.seen.activated.connect(self._seen_chosen)
        self.who = TextField(words)
        self.date = DateField(words)
        for line, name in ((self.text, "text"), (self.observed, "observed"), (self.who, "who")):
            line.committed.connect(lambda value, name=name: self._change(**{name: str(value)}))
        self.date.committed.connect(
            lambda value: self._change(date=value if isinstance(value, dt.date) else None)
        )
        self.place_button = QPushButton(words.t("Go to the number"))
        self.place_button.setProperty("look", "link")
        self.place_button.clicked.connect(self._go)
        self.remove_button = QPushButton(words.t("Remove the condition"))
        self.remove_button.clicked.connect(self._remove)
        self._lay_out()
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def condition_id(self) -> str:
        """The condition shown, "" where none is."""
        return "" if self._row is None else self._row.id

    def show_condition(self, row: ConditionRow, record: ConditionRecord) -> None:
        """Show a condition and what is recorded; a line being edited keeps what is typed."""
        other = row.id != self.condition_id
        self._row, self._record = row, record
        self._claim.setText(row.claim)
        self._verify.setText(row.verify)
        self._verify.setVisible(bool(row.verify))
        weighed = weighed_text(self._words, row)
        self._weighed.setText(weighed)
        self._weighed.setVisible(bool(weighed))
        self.states[row.state].setChecked(True)
        self.decisive.setChecked(row.decisive)
        self.decisive.setEnabled(not row.forced)
        self._forced.setVisible(row.forced)
        self._text.setVisible(row.own)
        self.remove_button.setVisible(row.own)
        self.place_button.setVisible(not row.own)
        for line, value in (
            (self.text, record.text),
            (self.observed, record.observed),
            (self.who, record.who),
        ):
            if other or not (line.hasFocus() and line.isModified()):
                line.set_value(value)
        if other or not (self.date.hasFocus() and self.date.isModified()):
            self.date.set_value(record.date)
        codes = list(places_seen(self._words))
        self.seen.setCurrentIndex(codes.index(record.where_seen) if record.where_seen in codes else 0)
        if other:
            self._seen.set_problem("")
        if record.where_seen == ADMIN_CONSOLE:
            self._say_console()

    def stops(self) -> list[QWidget]:
        """Return what takes the focus, in reading order."""
        return [
            self.close_button,
            *self.states.values(),
            *(self.decisive, self.text, self.observed, self.seen, self.who, self.date),
            *(self.place_button, self.remove_button),
        ]

    def _lay_out(self) -> None:
        words, theme = self._words, self._theme
        self._text = Field(theme, words.t("Condition"), self.text)
        self._observed = Field(theme, words.t("Observed value"), self.observed)
        self._seen = Field(theme, words.t("Where it was seen"), self.seen)
        self._forced = QLabel(words.t("Always decisive: without it no quote is firm."))
        self._forced.setWordWrap(True)
        self._forced.setProperty("look", "muted")
        self._verify = QLabel()
        self._verify.setWordWrap(True)
        self._verify.setProperty("look", "muted")
        self._weighed = QLabel()
        self._weighed.setWordWrap(True)
        top = QHBoxLayout()
        top.addWidget(self._claim, 1)
        top.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        states = QHBoxLayout()
        for button in self.states.values():
            button.setMinimumWidth(button.sizeHint().width() + 6)  # the focus frame takes room inside
            states.addWidget(button)
        states.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 12)
        column.setSpacing(10)
        column.addLayout(top)
        column.addWidget(self._verify)
        column.addLayout(states)
        column.addWidget(self.decisive)
        column.addWidget(self._weighed)
        for widget in (self._forced, self._text, self._observed, self._seen):
            column.addWidget(widget)
        column.addWidget(Field(theme, words.t("Who"), self.who))
        column.addWidget(Field(theme, words.t("Date"), self.date))
        for button_ in (self.place_button, self.remove_button):
            column.addWidget(button_, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)

    def _state_chosen(self, state: ConditionState) -> None:
        if self._record is None or self._row is None:
            return
        if state is ConditionState.MET and self._record.where_seen == ADMIN_CONSOLE:
            self.states[self._row.state].setChecked(True)
            self._say_console()
            return
        self._change(state=state)

    def _seen_chosen(self, index: int) -> None:
        code = str(self.seen.itemData(index))
        self._seen.set_problem("")
        changes: dict[str, object] = {"where_seen": code}
        if code == ADMIN_CONSOLE and self._record is not None and self._record.state is ConditionState.MET:
            changes["state"] = ConditionState.OPEN
        self._change(**changes)

    def _say_console(self) -> None:
        sentence = self._words.t(
            "An administration console does not see what the process sees: alone it does not verify."
        )
        self._seen.set_problem(sentence, Severity.WARNING)

    def _change(self, **changes: object) -> None:
        if self._record is not None:
            self.changed.emit(self._record.replaced(**changes))

    def _go(self) -> None:
        if self._row is not None:
            self.asked.emit(self._row.where)

    def _remove(self) -> None:
        if self._row is not None:
            self.removed.emit(self._row.id)

    def _dress(self) -> None:
        self.close_button.setIcon(icon("cross", self._theme.color("text")))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
            return
        super().keyPressEvent(event)


def weighed_text(words: Wording, row: ConditionRow) -> str:
    """Return why a condition is decisive or not, as computed: the reason, how far it holds, what verifying is worth."""
    said = [f"{row.why}." if row.why else ""]
    if row.holds:
        said.append(words.t("The plan holds for {range}.", range=row.holds))
    if row.worth:
        said.append(words.t("Verifying it is worth {worth}.", worth=row.worth))
    return " ".join(part for part in said if part)
