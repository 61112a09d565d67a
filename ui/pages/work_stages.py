"""The stages of the Work page as a table: cells edited in place, pasted rectangles, stages added and removed.

It knows which stage is selected and says so; what a stage is in full stands in the inspector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from estimator import edits
from estimator.quote import Quote, Stage, StageKind
from estimator.units import TimeUnit
from estimator.wording import Wording, read_count, read_duration
from ui.clipboard import Cells, from_tsv
from ui.models.table import Column, TupleTableModel
from ui.models.table_view import TableView
from ui.pages.work_edits import with_duplicated_stage, with_tasks_of
from ui.pages.work_fields import Ask
from ui.pages.work_paste import read_tasks
from ui.session import Edit
from ui.theme import TextRole, Theme
from ui.widgets.icons import icon

NAME, UNITS, DURATION = 1, 3, 4
KIND_ICONS = {
    StageKind.INDEPENDENT: "cards",
    StageKind.COOPERATIVE: "link",
    StageKind.STATION: "station",
    StageKind.GATE: "flag",
}


@dataclass(frozen=True, slots=True)
class StageRow:
    """A stage as a row: its number from 1 and the numbers of those it waits for."""

    number: int
    stage: Stage
    after: tuple[int, ...]

    @property
    def has_tasks(self) -> bool:
        """A gate has none."""
        return self.stage.kind is not StageKind.GATE

    @property
    def is_equal(self) -> bool:
        """True where all tasks are one row, so that a cell can say them."""
        return self.has_tasks and len(self.stage.tasks.count) == 1


class StagesPart(QWidget):
    """Table and buttons. `selected(stage id)`: another stage is current."""

    selected = Signal(str)

    def __init__(self, words: Wording, theme: Theme, ask: Ask) -> None:
        super().__init__()
        self._words = words
        self._theme = theme
        self._ask = ask
        self._quote = Quote()
        self._stage_id = ""
        self._shown: tuple[StageRow, ...] = ()
        self.model: TupleTableModel[StageRow] = TupleTableModel(_columns(words), words, theme, self)
        self.table = TableView(self.model, words, theme, words.t("Stages"))
        self.title = QLabel(words.t("Stages"))
        self.add_button = QPushButton(words.t("Add stage"))
        self.paste_button = QPushButton(words.t("Paste tasks"))
        self.paste_button.setToolTip(
            words.t("Tasks of the selected stage: counts and durations, or names and durations.")
        )
        self.remove_button = QPushButton(words.t("Remove"))
        self.remove_button.setAccessibleName(words.t("Remove the selected stage"))
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setProperty("look", "error")
        self.message.hide()
        self._lay_out()
        self._connect()
        theme.changed.connect(self._dress)
        self._dress()

    def show_quote(self, quote: Quote, stage_id: str) -> None:
        """Show the stages of a quote with `stage_id` as the current one."""
        self._quote = quote
        if stage_id != self._stage_id:
            self._say("")
        self._stage_id = stage_id
        rows = rows_of(quote)
        if rows != self._shown:
            self._shown = rows
            self.model.show_rows(rows)
        places = [row.stage.id for row in rows]
        if stage_id in places and self.table.currentIndex().row() != places.index(stage_id):
            column = max(NAME, self.table.currentIndex().column())
            self.table.setCurrentIndex(self.model.index(places.index(stage_id), column))
        self.table.fit_height()
        self.remove_button.setEnabled(bool(rows))
        stage = quote.workload.stage(stage_id)
        self.paste_button.setEnabled(stage is not None and stage.kind is not StageKind.GATE)

    def add_stage(self, kind: StageKind) -> None:
        """Add a stage of that kind after the last one and select it."""
        number = self._words.number(len(self._shown) + 1)
        name = self._words.t("Stage {number}", number=number)
        before = {row.stage.id for row in self._shown}
        if self._ask(self._words.t("add a stage"), lambda quote: edits.added_stage(quote, kind, name)):
            new = [row.stage.id for row in self._shown if row.stage.id not in before]
            if new:
                self.selected.emit(new[-1])
                self.table.setFocus()

    def duplicate_stage(self, place: int) -> None:
        """Put a copy of the stage in that row after it and select it."""
        stage = self._shown[place].stage
        name = self._words.t("{name}, copy", name=stage.name)
        label = self._words.t("duplicate {stage}", stage=stage.name)
        if self._ask(label, lambda quote: with_duplicated_stage(quote, stage.id, name)):
            self.selected.emit(self._shown[place + 1].stage.id)

    def remove_stage(self) -> None:
        """Remove the selected stage; those that waited for it wait for what it waited for."""
        stage = self._quote.workload.stage(self._stage_id)
        if stage is not None:
            label = self._words.t("remove {stage}", stage=stage.name)
            self._ask(label, lambda quote: edits.without_stage(quote, stage.id))

    def paste_tasks(self) -> None:
        """Take the tasks of the selected stage from the clipboard, as one step."""
        stage = self._quote.workload.stage(self._stage_id)
        if stage is None or stage.kind is StageKind.GATE:
            return
        read = read_tasks(
            from_tsv(QGuiApplication.clipboard().text()), stage.tasks, self._words.number_format
        )
        tasks = read.tasks
        if tasks is None:
            self._say(self._refusal(read.code, read.line))
            return
        self._say("")
        label = self._words.t("paste the tasks of {stage}", stage=stage.name)
        self._ask(label, lambda quote: with_tasks_of(quote, stage.id, tasks))

    def _refusal(self, code: str, line: int) -> str:
        if code == "paste_empty":
            return self._words.t("The clipboard holds no table. Copy counts and durations first.")
        if code == "paste_columns":
            return self._words.t("The clipboard holds over three columns. Copy name, count and duration.")
        sentence = self._words.sentence(code)
        return self._words.t("Line {line}: {sentence}", line=self._words.number(line), sentence=sentence)

    def _lay_out(self) -> None:
        menu = QMenu(self)
        for kind in StageKind:
            action = menu.addAction(self._words.word(kind))
            action.triggered.connect(lambda _on=False, kind=kind: self.add_stage(kind))
        self.add_button.setMenu(menu)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        for button in (self.add_button, self.paste_button, self.remove_button):
            head.addWidget(button)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(28)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.message)
        column.addWidget(self.table)

    def _connect(self) -> None:
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        self.table.edited.connect(self._edited)
        self.table.refused.connect(lambda _row, _column, sentence: self._say(sentence))
        self.table.cleared.connect(self._cleared)
        self.table.pasted.connect(self._pasted)
        self.table.row_asked.connect(lambda: self.add_stage(StageKind.INDEPENDENT))
        self.table.duplicate_asked.connect(self.duplicate_stage)
        self.paste_button.clicked.connect(self.paste_tasks)
        self.remove_button.clicked.connect(self.remove_stage)

    def _dress(self) -> None:
        self.title.setFont(self._theme.font(TextRole.SECTION))
        self.add_button.setIcon(icon("plus", self._theme.color("text")))

    def _say(self, sentence: str) -> None:
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))

    def _row_changed(self, current: QModelIndex, _former: QModelIndex) -> None:
        row = self.model.row_at(current) if current.isValid() else None
        if row is not None and row.stage.id != self._stage_id:
            self.selected.emit(row.stage.id)

    def _edited(self, place: int, column: int, text: str) -> None:
        stage = self._shown[place].stage
        edit = self._cell_edit(stage, column, text)
        if edit is not None:
            self._say("")
            self._ask(self._label(stage, column), edit)

    def _label(self, stage: Stage, column: int) -> str:
        if column == NAME:
            return self._words.t("rename {stage}", stage=stage.name)
        if column == UNITS:
            return self._words.t("change the units of {stage}", stage=stage.name)
        return self._words.t("change the duration of {stage}", stage=stage.name)

    def _cell_edit(self, stage: Stage, column: int, text: str) -> Edit | None:
        """Return the edit that a cell's text means; None where it says nothing that can be taken."""
        number_format = self._words.number_format
        if column == NAME and text.strip():
            return lambda quote: edits.with_stage(quote, stage.id, name=text.strip())
        if column == UNITS:
            count = read_count(text, number_format, pasted=True).value
            if count is not None and count >= 1:
                return lambda quote: edits.with_equal_tasks(quote, stage.id, count=int(count))
        if column == DURATION:
            reading = read_duration(text, stage.tasks.unit, number_format, pasted=True)
            if reading.code is None:
                unit = stage.tasks.unit if reading.value is None else reading.unit
                return lambda quote: edits.with_tasks(quote, stage.id, duration=(reading.value,), unit=unit)
        return None

    def _cleared(self, cells: tuple[tuple[int, int], ...]) -> None:
        """Only a duration can be blank: a name and a count always say something."""
        ids = [self._shown[row].stage.id for row, column in cells if column == DURATION]

        def edit(quote: Quote) -> Quote:
            for id_ in ids:
                quote = edits.with_tasks(quote, id_, duration=(None,))
            return quote

        if ids:
            self._ask(self._words.t("clear durations"), edit)

    def _pasted(self, cells: Cells, top: int, left: int) -> None:
        """Paste a rectangle over the cells that can be edited; further rows with names are new stages."""
        columns = self.model.columns
        steps: list[Callable[[Quote], Quote]] = []
        for row, texts in enumerate(cells, start=top):
            if row >= len(self._shown):
                if left == NAME and texts[0].strip():
                    steps.append(_new_stage(texts, self._words))
                continue
            for column, text in enumerate(texts, start=left):
                if column >= len(columns) or not columns[column].can_edit(self._shown[row]):
                    continue
                check = columns[column].check
                sentence = "" if check is None else check(self._shown[row], text)
                edit = self._cell_edit(self._shown[row].stage, column, text)
                if sentence or edit is None:
                    self._say(sentence)
                    return
                steps.append(edit)

        def all_steps(quote: Quote) -> Quote:
            for step in steps:
                quote = step(quote)
            return quote

        if steps:
            self._say("")
            self._ask(self._words.t("paste into the stages"), all_steps)


def rows_of(quote: Quote) -> tuple[StageRow, ...]:
    """Return the stages of a quote as rows, numbered from 1."""
    stages = quote.workload.stages
    number = {stage.id: place for place, stage in enumerate(stages, start=1)}
    return tuple(
        StageRow(number[stage.id], stage, tuple(number[one] for one in stage.after if one in number))
        for stage in stages
    )


def duration_text(words: Wording, stage: Stage) -> str:
    """Return what one task of a stage takes: a duration, a span of them, or "—"."""
    known = [value for value in stage.tasks.duration if value is not None]
    if stage.kind is StageKind.GATE or not known:
        return words.unknown
    unit = stage.tasks.unit
    if len(set(stage.tasks.duration)) == 1:
        return _with_unit(words.number(known[0]), unit)
    return _with_unit(words.span(min(known), max(known)), unit)


def _with_unit(figure: str, unit: TimeUnit) -> str:
    return f"{figure} {unit.value}"


def _new_stage(texts: tuple[str, ...], words: Wording) -> Callable[[Quote], Quote]:
    """Return the edit that adds a stage from a pasted row: name, kind as shown, units, duration."""
    name = texts[0].strip()
    kinds = {words.word(kind).casefold(): kind for kind in StageKind}
    kind = kinds.get(texts[1].strip().casefold(), StageKind.INDEPENDENT) if len(texts) > 1 else None
    count = read_count(texts[2], words.number_format, pasted=True).value if len(texts) > 2 else None
    duration = (
        read_duration(texts[3], TimeUnit.MINUTE, words.number_format, pasted=True) if len(texts) > 3 else None
    )

    def edit(quote: Quote) -> Quote:
        quote = edits.added_stage(quote, kind or StageKind.INDEPENDENT, name)
        new = quote.workload.stages[-1].id
        if count is not None and count >= 1:
            quote = edits.with_equal_tasks(quote, new, count=int(count))
        if duration is not None and duration.value is not None:
            quote = edits.with_tasks(quote, new, duration=(duration.value,), unit=duration.unit)
        return quote

    return edit


def _columns(words: Wording) -> tuple[Column[StageRow], ...]:
    def total(row: StageRow) -> str:
        times = row.stage.tasks.duration_ms
        if not row.has_tasks or None in times:
            return words.unknown
        pairs = zip(row.stage.tasks.count, times, strict=True)
        return words.duration(sum(count * (ms or 0) for count, ms in pairs))

    def check_count(_row: StageRow, text: str) -> str:
        reading = read_count(text, words.number_format, pasted=True)
        if reading.value is not None and reading.value < 1:
            return words.sentence("below_minimum", {"minimum": Decimal(1)})
        return words.sentence(reading.code or "not_whole") if reading.value is None else ""

    def check_duration(row: StageRow, text: str) -> str:
        reading = read_duration(text, row.stage.tasks.unit, words.number_format, pasted=True)
        return "" if reading.code is None else words.sentence(reading.code)

    def missing(row: StageRow) -> str | None:
        return "err" if row.has_tasks and None in row.stage.tasks.duration else None

    def per_unit(row: StageRow) -> str:
        return words.t("missing") if missing(row) else duration_text(words, row.stage)

    return (
        Column("", lambda row: words.number(row.number), color=lambda _row: "muted"),
        Column(
            words.t("Stage"),
            lambda row: row.stage.name,
            editable=True,
            bold=lambda row: row.stage.on_cards,
            tooltip=lambda row: row.stage.name,
            check=lambda _row, text: "" if text.strip() else words.t("A stage needs a name."),
        ),
        Column(
            words.t("Kind"),
            lambda row: words.word(row.stage.kind),
            icon=lambda row: KIND_ICONS[row.stage.kind],
        ),
        Column(
            words.t("Units"),
            lambda row: words.number(row.stage.tasks.total) if row.has_tasks else words.unknown,
            right=True,
            editable=lambda row: row.is_equal,
            edit_text=lambda row: words.number(row.stage.tasks.total, grouping=False),
            check=check_count,
        ),
        Column(
            words.t("Per unit"),
            per_unit,
            right=True,
            color=missing,
            editable=lambda row: row.is_equal,
            edit_text=lambda row: "" if missing(row) else duration_text(words, row.stage),
            check=check_duration,
        ),
        Column(words.t("Total, 1 card"), total, right=True),
        Column(
            words.t("Waits for"),
            lambda row: ", ".join(words.number(one) for one in row.after) or words.unknown,
        ),
        Column(
            words.t("Evidence"),
            lambda row: "" if row.has_tasks else words.unknown,
            evidence=lambda row: row.stage.tasks.kind if row.has_tasks else None,
        ),
    )
