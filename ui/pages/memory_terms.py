"""The editor of what a task holds: phases with their terms, the lines added to each, and their evidence.

Values are edited in the table; name, state class and evidence of the current row in the details under it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QGridLayout, QHeaderView, QLabel, QPushButton, QVBoxLayout, QWidget

from estimator import edits
from estimator.evidence import Evidence, EvidenceKind, Stated
from estimator.quote import MemoryNeed, Quote, StateClass
from estimator.wording import Wording, read_number
from estimator.wording.phrases import memory_line_name
from ui.models.table import Column, Group, TupleTableModel
from ui.models.table_view import TableView
from ui.pages import memory_edits
from ui.pages.memory_edits import OPTIONAL, OVERHEADS, phases_of
from ui.session import Edit
from ui.theme import Theme
from ui.widgets.combo import Combo
from ui.widgets.evidence_editor import EvidenceEditor
from ui.widgets.field import Field
from ui.widgets.typed_line import TextField

_MOST_ROWS = 40
_VALUE = 1


@dataclass(frozen=True, slots=True)
class TermRow:
    """A line of the table: a term of a phase, or (phase -1) a line added to every phase, by its field."""

    phase: int
    term: int
    name: str
    stated: Stated | None
    field: str = ""

    @property
    def unit(self) -> str:
        """The unit of its value."""
        return "%" if self.field == "margin_percent" else "GiB"

    @property
    def key(self) -> tuple[int, int, str]:
        """What stays the same when its value changes."""
        return self.phase, self.term, self.field


class TermsEditor(QWidget):
    """Edits the memory of one stage through `edit(label, function)`, one value one step."""

    def __init__(
        self,
        words: Wording,
        theme: Theme,
        edit: Callable[[str, Edit], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._edit = edit
        self._quote = Quote()
        self._stage_id = ""
        self._by_phases = True
        self._key: tuple[int, int, str] | None = None
        self.model: TupleTableModel[TermRow] = TupleTableModel(self._columns(), words, theme)
        self.table = TableView(self.model, words, theme, words.t("What a task holds, by phase"))
        self.model.setParent(self.table)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = self.table.horizontalHeader()
        head.setStretchLastSection(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.add_phase = QPushButton(words.t("Add phase"))
        self.add_term = QPushButton(words.t("Add term"))
        self.remove = QPushButton(words.p("term", "Remove"))
        self.details = QPushButton(words.t("Details"))
        self.details.setCheckable(True)
        self._sentence = QLabel()
        self._sentence.setProperty("look", "error")
        self._sentence.setWordWrap(True)
        self._sentence.hide()
        self.phase_name = TextField(words)
        self.state_class = Combo()
        for one in StateClass:
            self.state_class.addItem(words.word(one), one)
        self.evidence = EvidenceEditor(words, theme, unit="GiB")
        self._lay_out()
        self._connect()

    @property
    def inputs(self) -> tuple[QWidget, ...]:
        """Everything that takes the focus, in reading order."""
        return (
            self.table,
            self.add_phase,
            self.add_term,
            self.remove,
            self.details,
            self.phase_name,
            self.state_class,
            *self.evidence.stops(),
        )

    @property
    def current(self) -> TermRow | None:
        """The row that the details are about."""
        for row in self.model.rows:
            if isinstance(row, TermRow) and row.key == self._key:
                return row
        return None

    def show_stage(self, quote: Quote, stage_id: str, *, by_phases: bool = True) -> None:
        """Show the memory of one stage of the quote; of a known model only the lines added to its moments."""
        if stage_id != self._stage_id:
            self._key = None
        self._quote, self._stage_id, self._by_phases = quote, stage_id, by_phases
        for button in (self.add_phase, self.add_term, self.remove):
            button.setVisible(by_phases)
        self.setEnabled(quote.workload.stage(stage_id) is not None)
        rows = self._rows()
        if rows != self.model.rows:  # showing them again would overwrite a value that is being typed
            self.model.show_rows(rows)
            self._sentence.hide()
        self.table.fit_height(_MOST_ROWS)
        self._restore()
        self._show_details()

    def add_first_phase(self) -> None:
        """Add a phase, and wait for its value in the table."""
        words = self._words
        stage = self._quote.workload.stage(self._stage_id)
        phases = phases_of(self._quote, self._stage_id)
        count = words.number(len(phases) + 1)
        name = words.t("Phase {number}", number=count) if phases or stage is None else stage.name
        id_ = self._stage_id
        self._key = (len(phases), 0, "")
        self._edit(words.t("add a phase"), lambda quote: memory_edits.added_phase(quote, id_, name))
        self.edit_value()

    def edit_value(self) -> None:
        """Put the cursor into the value of the current row."""
        self._restore()
        self.table.setFocus()
        if self.table.currentIndex().isValid():
            self.table.edit(self.table.currentIndex())

    def go_to(self, name: str) -> None:
        """Focus the value of a line by its field or name, else the first value that is not known."""
        rows = [row for row in self.model.rows if isinstance(row, TermRow)]
        found = next((row for row in rows if name and row.field.startswith(name)), None)
        if found is None:
            terms = [row for row in rows if not row.field]
            found = next((row for row in terms if row.stated is None or row.stated.value is None), None)
            found = found or next(iter(terms), None)
        if found is None:
            self.add_phase.setFocus()
            return
        self._key = found.key
        self.edit_value()

    def _rows(self) -> tuple[TermRow | Group, ...]:
        stage = self._quote.workload.stage(self._stage_id)
        if stage is None:
            return ()
        rows: list[TermRow | Group] = []
        for at, phase in enumerate(stage.memory.phases if self._by_phases else ()):
            rows.append(Group(phase.name))
            rows += [
                TermRow(at, place, self._words.word(term.state_class), term.gib)
                for place, term in enumerate(phase.terms)
            ]
        rows.append(
            Group(
                self._words.t("Added to every phase")
                if self._by_phases
                else self._words.t("Added to every moment")
            )
        )
        rows += [self._overhead(stage.memory, field) for field in OVERHEADS]
        return tuple(rows)

    def _overhead(self, need: MemoryNeed, field: str) -> TermRow:
        name = field.removesuffix("_gib").removesuffix("_percent")
        stated: Stated | None = getattr(need, field)
        return TermRow(-1, 0, memory_line_name(self._words, name), stated, field)

    def _columns(self) -> list[Column[TermRow]]:
        return [
            Column(self._words.t("What"), lambda row: row.name, tooltip=lambda row: row.name),
            Column(
                "GiB",
                self._value_text,
                right=True,
                editable=True,
                edit_text=self._edit_text,
                check=self._refusal,
            ),
            Column(self._words.t("Evidence"), lambda row: "", evidence=_kind),
        ]

    def _value_text(self, row: TermRow) -> str:
        if row.stated is None or row.stated.value is None:
            return self._words.unknown
        value = row.stated.value
        return self._words.percent(value) if row.unit == "%" else self._words.number(value)

    def _edit_text(self, row: TermRow) -> str:
        if row.stated is None or row.stated.value is None:
            return ""
        return self._words.number(row.stated.value, grouping=False)

    def _refusal(self, row: TermRow, text: str) -> str:
        reading = read_number(text, self._words.number_format, unit=row.unit)
        if reading.code is not None:
            return self._words.sentence(reading.code)
        if reading.value is not None and reading.value < 0:
            return self._words.sentence("negative")
        return ""

    def _lay_out(self) -> None:
        buttons = QGridLayout()
        buttons.setSpacing(6)
        for at, button in enumerate((self.add_phase, self.add_term, self.remove, self.details)):
            buttons.addWidget(button, at // 2, at % 2)
        self.panel = QWidget()
        panel = QVBoxLayout(self.panel)
        panel.setContentsMargins(0, 0, 0, 0)
        panel.setSpacing(8)
        self._phase_field = Field(self._theme, self._words.t("Phase"), self.phase_name)
        self._class_field = Field(self._theme, self._words.t("State class"), self.state_class)
        for part in (self._phase_field, self._class_field, self.evidence):
            panel.addWidget(part)
        self.panel.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.table)
        column.addWidget(self._sentence)
        column.addLayout(buttons)
        column.addWidget(self.panel)

    def _connect(self) -> None:
        self.table.selectionModel().currentChanged.connect(self._moved)
        self.table.edited.connect(self._typed)
        self.table.refused.connect(self._refused)
        self.table.cleared.connect(self._cleared)
        self.table.opened.connect(lambda _: self.details.setChecked(True))
        self.add_phase.clicked.connect(self.add_first_phase)
        self.add_term.clicked.connect(self._add_term)
        self.remove.clicked.connect(self._remove)
        self.details.toggled.connect(self.panel.setVisible)
        self.phase_name.committed.connect(self._rename)
        self.state_class.activated.connect(self._class_chosen)
        self.evidence.committed.connect(self._evidence_changed)

    def _restore(self) -> None:
        """Make the row of the key current again; the first one where it is gone."""
        rows = self.model.rows
        places = [at for at, row in enumerate(rows) if isinstance(row, TermRow) and row.key == self._key]
        if not places:
            places = [at for at, row in enumerate(rows) if isinstance(row, TermRow)][:1]
        if places and self.table.currentIndex().row() != places[0]:
            self.table.setCurrentIndex(self.model.index(places[0], _VALUE))
        if not places:
            self._key = None

    def _moved(self, current: QModelIndex, _: QModelIndex) -> None:
        row = self.model.row_at(current) if current.isValid() else None
        if row is not None:
            self._key = row.key
            self._sentence.hide()
            self._show_details()

    def _show_details(self) -> None:
        row = self.current
        is_term = row is not None and not row.field
        for field in (self._phase_field, self._class_field):
            field.setVisible(is_term)
        self.add_term.setEnabled(is_term)
        self.remove.setEnabled(is_term)
        self.evidence.setEnabled(row is not None and row.stated is not None)
        if row is None:
            return
        evidence = Evidence() if row.stated is None else row.stated.evidence
        if evidence != self.evidence.evidence:
            self.evidence.set_evidence(evidence)
        if is_term:
            phase = phases_of(self._quote, self._stage_id)[row.phase]
            if self.phase_name.value != phase.name:
                self.phase_name.set_value(phase.name)
            self.state_class.setCurrentIndex(list(StateClass).index(phase.terms[row.term].state_class))

    def _typed(self, place: int, _: int, text: str) -> None:
        row = self.model.rows[place]
        if isinstance(row, TermRow):
            self._sentence.hide()
            self._set_value(row, read_number(text, self._words.number_format, unit=row.unit).value)

    def _refused(self, _: int, __: int, sentence: str) -> None:
        self._sentence.setText(sentence)
        self._sentence.show()

    def _cleared(self, cells: tuple[tuple[int, int], ...]) -> None:
        for place, _ in cells:
            row = self.model.rows[place]
            if isinstance(row, TermRow):
                self._set_value(row, None)

    def _set_value(self, row: TermRow, value: Decimal | None) -> None:
        evidence = Evidence() if row.stated is None else row.stated.evidence
        if evidence.kind is EvidenceKind.UNKNOWN and value is not None:
            evidence = Evidence()
        stated: Stated | None = Stated(value=value, evidence=evidence)
        if value is None and row.field in OPTIONAL:
            stated = None
        self._set_stated(row, stated, self._words.t("change the memory of {part}", part=row.name))

    def _set_stated(self, row: TermRow, stated: Stated | None, label: str) -> None:
        id_ = self._stage_id
        if row.field:
            self._edit(label, lambda quote: edits.with_memory(quote, id_, **{row.field: stated}))
        else:
            self._edit(
                label, lambda quote: memory_edits.with_term(quote, id_, row.phase, row.term, gib=stated)
            )

    def _evidence_changed(self, evidence: Evidence) -> None:
        row = self.current
        if row is not None and row.stated is not None:
            stated = row.stated.replaced(evidence=evidence)
            self._set_stated(row, stated, self._words.t("change the evidence of {part}", part=row.name))

    def _rename(self, name: object) -> None:
        row, id_ = self.current, self._stage_id
        if row is not None and not row.field and name:
            self._edit(
                self._words.t("rename a phase"),
                lambda quote: memory_edits.renamed_phase(quote, id_, row.phase, str(name)),
            )

    def _class_chosen(self, index: int) -> None:
        row, id_ = self.current, self._stage_id
        chosen = StateClass(self.state_class.itemData(index))
        if row is not None and not row.field:
            self._edit(
                self._words.t("change the state class of a term"),
                lambda quote: memory_edits.with_term(quote, id_, row.phase, row.term, state_class=chosen),
            )

    def _add_term(self) -> None:
        row, id_ = self.current, self._stage_id
        if row is None or row.field:
            return
        phase = row.phase
        self._key = (phase, len(phases_of(self._quote, id_)[phase].terms), "")
        self._edit(self._words.t("add a term"), lambda quote: memory_edits.added_term(quote, id_, phase))
        self.edit_value()

    def _remove(self) -> None:
        row, id_ = self.current, self._stage_id
        if row is not None and not row.field:
            self._edit(
                self._words.t("remove {part}", part=row.name),
                lambda quote: memory_edits.without_term(quote, id_, row.phase, row.term),
            )


def _kind(row: TermRow) -> EvidenceKind | None:
    return None if row.stated is None else row.stated.kind
