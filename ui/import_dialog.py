"""The preview of an imported task list: how each column was read, the rows, what is ambiguous, and where it goes.

Nothing changes until it is applied; then the window makes it one undo step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from estimator.imports.into import as_stages
from estimator.imports.work import MOST_STAGES, ColumnReading, WorkList, WorkRow
from estimator.problems import Problem, Severity
from estimator.quote import Quote
from estimator.units import TimeUnit
from estimator.wording import Wording
from ui.models.table import Column, TupleTableModel
from ui.models.table_view import TableView
from ui.theme import TextRole, Theme
from ui.widgets.combo import Combo

MOST_ROWS = 200
MOST_NOTES = 40


class ImportDialog(QDialog):
    """Shows a task list that was read. `applied` carries the stage's id, or "" for a stage a row."""

    applied = Signal(str)

    def __init__(
        self, words: Wording, theme: Theme, work: WorkList, quote: Quote, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._words = words
        self._work = work
        self.setWindowTitle(words.t("Import tasks from {name}", name=work.source))
        self.resize(900, 600)
        column = QVBoxLayout(self)
        column.setSpacing(8)
        _, links = as_stages(work) if len(work.rows) <= MOST_STAGES else ((), ())
        self.problems = (*work.problems, *links)
        column.addWidget(self._title(theme, words.t("How each column was read")))
        self.columns = self._table(theme, _column_columns(words), work.columns, words.t("Columns"), 5)
        column.addWidget(self.columns)
        count = words.n("{count} row read", "{count} rows read", len(work.rows))
        column.addWidget(self._title(theme, count))
        self.rows = self._table(
            theme, _row_columns(words, work.rows), work.rows[:MOST_ROWS], words.t("Rows read"), 9
        )
        column.addWidget(self.rows, 1)
        if len(work.rows) > MOST_ROWS:
            shown = words.t("The first {count} are shown.", count=words.number(MOST_ROWS))
            column.addWidget(_muted(shown))
        self.notes = QPlainTextEdit("\n".join(self._notes()))
        self.notes.setReadOnly(True)
        self.notes.setTabChangesFocus(True)
        self.notes.setAccessibleName(words.t("What was left out or assumed"))
        self.notes.setFixedHeight(84)
        if self.problems:
            column.addWidget(self._title(theme, words.t("What was left out or assumed")))
            column.addWidget(self.notes)
        else:
            self.notes.hide()
        column.addLayout(self._targets(quote))
        self.joined = _muted("\n".join(joined_lines(words, work.rows)))
        self.joined.setVisible(bool(self.joined.text()) and self.as_tasks.isChecked())
        self.as_tasks.toggled.connect(lambda on: self.joined.setVisible(on and bool(self.joined.text())))
        column.addWidget(self.joined)
        column.addWidget(self._buttons())

    def _title(self, theme: Theme, text: str) -> QLabel:
        label = QLabel(text)
        label.setFont(theme.font(TextRole.SECTION))
        return label

    def _table(
        self,
        theme: Theme,
        columns: tuple[Column[ColumnReading], ...] | tuple[Column[WorkRow], ...],
        rows: tuple[ColumnReading, ...] | tuple[WorkRow, ...],
        name: str,
        high: int,
    ) -> TableView:
        model: TupleTableModel[ColumnReading | WorkRow] = TupleTableModel(columns, self._words, theme, self)  # type: ignore[arg-type]  # one kind of row a table
        model.show_rows(rows)
        view = TableView(model, self._words, theme, name, whole_rows=True)
        view.horizontalHeader().setStretchLastSection(True)
        view.resizeColumnsToContents()
        view.fit_height(high)
        return view

    def _notes(self) -> list[str]:
        severe = sorted(self.problems, key=lambda one: one.severity is not Severity.ERROR)
        notes = [self._note(one) for one in severe[:MOST_NOTES]]
        if len(severe) > MOST_NOTES:
            notes.append(
                self._words.t("and {count} more", count=self._words.number(len(severe) - MOST_NOTES))
            )
        return notes

    def _note(self, problem: Problem) -> str:
        return f"{self._words.word(problem.severity)}: {self._words.problem(problem)}"

    def _targets(self, quote: Quote) -> QHBoxLayout:
        words, work = self._words, self._work
        self.as_tasks = QRadioButton(words.t("As the tasks of the stage"))
        self.stage = Combo()
        self.stage.setAccessibleName(words.t("Stage"))
        for one in quote.workload.stages:
            if one.kind != "gate":
                self.stage.addItem(one.name, one.id)
        self.as_stages = QRadioButton(words.t("Each row as a stage, with its links"))
        linked = any(row.after for row in work.rows)
        several = len({row.cards for row in work.rows if row.cards is not None}) > 1
        few = len(work.rows) <= MOST_STAGES
        self.as_stages.setEnabled(few)
        self.as_tasks.setEnabled(self.stage.count() > 0)
        self.stage.setEnabled(self.stage.count() > 0)
        wants_stages = few and (linked or several or not self.stage.count())
        (self.as_stages if wants_stages else self.as_tasks).setChecked(True)
        self.stage.activated.connect(lambda at: self.as_tasks.setChecked(True))
        row = QHBoxLayout()
        for widget in (self.as_tasks, self.stage, self.as_stages):
            row.addWidget(widget)
        row.addStretch(1)
        return row

    def _buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox()
        self.apply = buttons.addButton(self._words.t("Import"), QDialogButtonBox.ButtonRole.AcceptRole)
        cancel = buttons.addButton(self._words.t("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        self.apply.setEnabled(
            bool(self._work.rows) and (self.as_tasks.isEnabled() or self.as_stages.isEnabled())
        )
        self.apply.clicked.connect(self._finish)
        cancel.clicked.connect(self.reject)
        return buttons

    def _finish(self) -> None:
        self.applied.emit("" if self.as_stages.isChecked() else str(self.stage.currentData()))
        self.accept()


def joined_lines(words: Wording, rows: Sequence[WorkRow]) -> tuple[str, ...]:
    """Return what rows lose or share where they become the tasks of one stage."""
    lines = []
    if any(row.after for row in rows):
        lines.append(words.t("As tasks of one stage they do not wait for one another: links are left out."))
    if any(row.release_ms is not None or row.due_ms is not None for row in rows):
        lines.append(words.t("As tasks of one stage they have no dates of their own: those are left out."))
    memories = {row.memory_gib for row in rows if row.memory_gib is not None}
    cards = {row.cards for row in rows if row.cards is not None}
    if len(memories) > 1 or len(cards) > 1:
        lines.append(
            words.t("The most memory and the most cards of any row hold for all tasks of the stage.")
        )
    return tuple(lines)


def _muted(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("look", "muted")
    return label


def _column_columns(words: Wording) -> tuple[Column[ColumnReading], ...]:
    meanings = {
        "name": words.t("Name"),
        "id": words.t("Identifier"),
        "duration": words.t("Duration"),
        "count": words.t("Count"),
        "cards": words.t("Cards per task"),
        "memory": words.t("Memory of each card"),
        "start": words.t("Start, shown but not used"),
        "after": words.t("Waits for"),
        "": words.t("Left out"),
    }

    def detail(row: ColumnReading) -> str:
        first, _, mark = row.detail.partition(" ")
        named = {
            "day_first": words.t("day first"),
            "month_first": words.t("month first"),
            "gib": "GiB",
            "gb": "GB",
            "mib": "MiB",
        }
        text = named.get(first, first)
        if first in (",", "."):
            text, mark = "", first
        if mark:
            decimal = words.t("decimal mark {mark}", mark=mark)
            text = f"{text}, {decimal}" if text else decimal
        return text

    return (
        Column(words.t("Heading"), lambda row: row.header),
        Column(
            words.t("Read as"),
            lambda row: meanings[row.meaning],
            color=lambda row: None if row.meaning else "muted",
        ),
        Column(words.t("How"), detail),
    )


def _row_columns(words: Wording, rows: Sequence[WorkRow]) -> tuple[Column[WorkRow], ...]:
    def number(value: int | None) -> str:
        return "" if value is None else words.number(value)

    return (
        Column(words.t("Line"), lambda row: words.number(row.line), right=True),
        Column(words.t("Name"), lambda row: row.name, tooltip=lambda row: row.name),
        Column(
            words.t("Duration"),
            lambda row: words.unknown if row.duration_ms is None else words.exact_duration(row.duration_ms),
            right=True,
        ),
        Column(words.t("Count"), lambda row: words.number(row.count), right=True),
        Column(words.t("Cards per task"), lambda row: number(row.cards), right=True),
        Column(
            words.t("Memory"),
            lambda row: "" if row.memory_gib is None else f"{words.number(round(row.memory_gib, 2))} GiB",
            right=True,
        ),
        Column(words.t("Start"), lambda row: "" if row.start is None else words.date(row.start), right=True),
        *_moment_columns(words, rows),
        Column(words.t("Waits for"), lambda row: ", ".join(row.after)),
    )


def _moment_columns(words: Wording, rows: Sequence[WorkRow]) -> Iterator[Column[WorkRow]]:
    """Yield the earliest start and the deadline where a row states one: stages take them over."""

    def moment(ms: int | None) -> str:
        return "" if ms is None else words.duration(ms)

    if any(row.release_ms is not None for row in rows):
        yield Column(words.t("Earliest start"), lambda row: moment(row.release_ms), right=True)
    if any(row.due_ms is not None for row in rows):
        yield Column(words.t("Due"), lambda row: moment(row.due_ms), right=True)


def unit_of(quote: Quote) -> TimeUnit:
    """Return the unit that durations without one are taken in: that of the stage that computes."""
    main = quote.workload.main_stage
    return TimeUnit.MINUTE if main is None else main.tasks.unit
