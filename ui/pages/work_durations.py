"""How long a unit of a stage takes: one duration for all, or a small table of counts and durations."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QPushButton, QVBoxLayout, QWidget

from estimator import edits
from estimator.evidence import Evidence
from estimator.quote import Stage, Tasks
from estimator.units import MS_PER, TimeUnit
from estimator.wording import Wording, read_count, read_duration
from ui.clipboard import Cells
from ui.models.table import Column, TupleTableModel
from ui.models.table_view import TableView
from ui.pages.work_edits import with_task_evidence, with_tasks_of
from ui.pages.work_fields import Ask, show_duration, show_evidence, show_number
from ui.pages.work_paste import read_tasks
from ui.theme import Theme
from ui.widgets.elided_combo import ElidedCombo
from ui.widgets.evidence_editor import EvidenceEditor
from ui.widgets.field import Field
from ui.widgets.number_field import Duration, DurationField, NumberField

_NAME, _COUNT, _DURATION = 0, 1, 2
_ROWS_SHOWN = 6
_LEAST_COLUMN = 64
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class TaskRow:
    """Equal tasks: how many, how long each in the stage's unit, and their name where they have one."""

    name: str
    count: int
    duration: Decimal | None
    unit: TimeUnit


class DurationPart(QWidget):
    """Duration field, mode and list. `evidence` is laid out by whoever holds this part."""

    rebuilt = Signal()

    def __init__(self, words: Wording, theme: Theme, ask: Ask) -> None:
        super().__init__()
        self._words = words
        self._ask = ask
        self._stage: Stage | None = None
        self._lists = False
        self.field = DurationField(words)
        self.mode = ElidedCombo()
        self.mode.addItem(words.t("Equal for all"))
        self.mode.addItem(words.t("List"))
        self.mode.setAccessibleName(words.t("How durations are given"))
        self.model: TupleTableModel[TaskRow] = TupleTableModel(_columns(words), words, theme, self)
        self.table = TableView(self.model, words, theme, words.t("Counts and durations"))
        self.add_row = QPushButton(words.t("Add row"))
        self.remove_row = QPushButton(words.t("Remove row"))
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setProperty("look", "error")
        self.message.hide()
        self.spread = NumberField(words, minimum=Decimal(0), maximum=Decimal("99.9"), unit="%")
        self.spread.setPlaceholderText(words.t("none"))
        self.evidence = EvidenceEditor(words, theme)
        self._lay_out(theme)
        self.field.committed.connect(self._typed)
        self.mode.activated.connect(self._mode_chosen)
        self.table.edited.connect(self._cell_edited)
        self.table.refused.connect(lambda _row, _column, sentence: self._say(sentence))
        self.table.pasted.connect(self._pasted)
        self.add_row.clicked.connect(self._row_added)
        self.remove_row.clicked.connect(self._row_removed)
        self.spread.committed.connect(self._spread_typed)
        self.evidence.committed.connect(self._evidence_changed)

    @property
    def entry(self) -> QWidget:
        """Where the duration is entered."""
        return self.table if self._lists else self.field

    def show_stage(self, stage: Stage, anew: bool) -> None:
        """Show the durations of a stage. `anew`: it is another stage than before."""
        self._stage = stage
        if anew:
            self._lists = False
            self._say("")
        self._lists = self._lists or len(stage.tasks.count) > 1
        if not self._lists:
            show_duration(self.field, stage.tasks.duration[0], stage.tasks.unit, anew=anew)
        self.model.show_rows(_rows(stage.tasks))
        self._show_mode()
        show_number(self.spread, stage.tasks.spread_percent, anew=anew)
        show_evidence(self.evidence, stage.tasks.evidence, anew=anew)

    def _lay_out(self, theme: Theme) -> None:
        self.frame = Field(theme, self._words.t("Duration of a unit"), self.field)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(_LEAST_COLUMN)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.add_row)
        buttons.addWidget(self.remove_row)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.frame)
        column.addWidget(self.mode)
        column.addWidget(self.table)
        column.addWidget(self.message)
        column.addLayout(buttons)
        column.addWidget(Field(theme, self._words.t("Spread of single tasks, ±"), self.spread, unit="%"))

    def _show_mode(self) -> None:
        lists = self._lists
        self.mode.setCurrentIndex(1 if lists else 0)
        self.field.setVisible(not lists)
        for widget in (self.table, self.add_row, self.remove_row):
            widget.setVisible(lists)
        self.table.fit_height(_ROWS_SHOWN)
        self.remove_row.setEnabled(len(self.model.rows) > 1)

    def _say(self, sentence: str) -> None:
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))

    def _label(self) -> str:
        name = "" if self._stage is None else self._stage.name
        return self._words.t("change the duration of {stage}", stage=name)

    def _typed(self, value: object) -> None:
        stage = self._stage
        if stage is None or not isinstance(value, Duration):
            return
        self._ask(
            self._label(),
            lambda quote: edits.with_tasks(quote, stage.id, duration=(value.value,), unit=value.unit),
        )

    def _spread_typed(self, value: object) -> None:
        stage, spread = self._stage, value if isinstance(value, Decimal) else None
        if stage is not None:
            label = self._words.t("change the spread of {stage}", stage=stage.name)
            self._ask(label, lambda quote: edits.with_tasks(quote, stage.id, spread_percent=spread))

    def _mode_chosen(self, index: int) -> None:
        stage = self._stage
        self._lists = index == 1
        if stage is None:
            return
        if not self._lists and len(stage.tasks.count) > 1:
            self._ask(
                self._words.t("make the durations of {stage} equal", stage=stage.name),
                lambda quote: edits.with_equal_tasks(quote, stage.id),
            )
        if self._stage is not None:
            self.show_stage(self._stage, False)
        self.rebuilt.emit()

    def _evidence_changed(self, evidence: object) -> None:
        stage = self._stage
        if stage is not None and isinstance(evidence, Evidence):
            label = self._words.t("change the evidence of {stage}", stage=stage.name)
            self._ask(label, lambda quote: with_task_evidence(quote, stage.id, evidence))

    def _cell_edited(self, place: int, column: int, text: str) -> None:
        if self._stage is None:
            return
        tasks = self._stage.tasks
        if column == _NAME:
            names = list(tasks.names or ("",) * len(tasks.count))
            names[place] = text.strip()
            self._put(tasks.replaced(names=tuple(names) if any(names) else ()))
        elif column == _COUNT:
            count = read_count(text, self._words.number_format, pasted=True).value
            if count is not None and count >= 1:
                self._put(tasks.replaced(count=_with(tasks.count, place, int(count))))
        else:
            reading = read_duration(text, tasks.unit, self._words.number_format, pasted=True)
            value = None if reading.value is None else _in_unit(reading.value, reading.unit, tasks.unit)
            self._put(tasks.replaced(duration=_with(tasks.duration, place, value)))

    def _pasted(self, cells: Cells, _top: int, _left: int) -> None:
        """A pasted table replaces the list: counts and durations belong together."""
        if self._stage is None:
            return
        read = read_tasks(cells, self._stage.tasks, self._words.number_format)
        if read.tasks is not None:
            self._put(read.tasks)
        elif not read.code.startswith("paste_"):
            self._say(self._words.sentence(read.code))

    def _row_added(self) -> None:
        if self._stage is not None:
            tasks = self._stage.tasks
            names = (*tasks.names, "") if tasks.names else ()
            self._put(tasks.replaced(count=(*tasks.count, 1), duration=(*tasks.duration, None), names=names))

    def _row_removed(self) -> None:
        if self._stage is None or len(self._stage.tasks.count) < 2:
            return
        tasks = self._stage.tasks
        place = self.table.currentIndex().row() if self.table.currentIndex().isValid() else -1
        place = place if place >= 0 else len(tasks.count) - 1
        self._put(
            tasks.replaced(
                count=_without(tasks.count, place),
                duration=_without(tasks.duration, place),
                names=_without(tasks.names, place),
            )
        )

    def _put(self, tasks: Tasks) -> None:
        stage = self._stage
        if stage is not None:
            self._say("")
            self._ask(self._label(), lambda quote: with_tasks_of(quote, stage.id, tasks))


def _rows(tasks: Tasks) -> tuple[TaskRow, ...]:
    names = tasks.names or ("",) * len(tasks.count)
    return tuple(
        TaskRow(name, count, duration, tasks.unit)
        for name, count, duration in zip(names, tasks.count, tasks.duration, strict=True)
    )


def _columns(words: Wording) -> tuple[Column[TaskRow], ...]:
    def check_count(_row: TaskRow, text: str) -> str:
        reading = read_count(text, words.number_format, pasted=True)
        if reading.value is None:
            return words.sentence(reading.code or "not_whole")
        return words.sentence("below_minimum", {"minimum": Decimal(1)}) if reading.value < 1 else ""

    def check_duration(row: TaskRow, text: str) -> str:
        reading = read_duration(text, row.unit, words.number_format, pasted=True)
        return "" if reading.code is None else words.sentence(reading.code)

    def duration(row: TaskRow) -> str:
        return words.unknown if row.duration is None else f"{words.number(row.duration)} {row.unit.value}"

    return (
        Column(words.t("Name"), lambda row: row.name, editable=True),
        Column(
            words.t("Units"),
            lambda row: words.number(row.count),
            right=True,
            editable=True,
            edit_text=lambda row: words.number(row.count, grouping=False),
            check=check_count,
        ),
        Column(
            words.t("Duration"),
            duration,
            right=True,
            editable=True,
            edit_text=lambda row: "" if row.duration is None else duration(row),
            check=check_duration,
        ),
    )


def _in_unit(value: Decimal, written: TimeUnit, unit: TimeUnit) -> Decimal:
    return value if written is unit else (value * MS_PER[written] / MS_PER[unit]).normalize()


def _with(values: tuple[Value, ...], place: int, value: Value) -> tuple[Value, ...]:
    return (*values[:place], value, *values[place + 1 :])


def _without(values: tuple[Value, ...], place: int) -> tuple[Value, ...]:
    return values[:place] + values[place + 1 :]
