"""The inspector of the Work page: everything about the selected stage, and what holds for all stages.

It scrolls alone beside the page. It shows a stage and asks for edits; it keeps only which mode of duration is
shown while a list has a single row.
"""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from estimator import edits
from estimator.evidence import ASSUMED, Evidence, StatedDuration
from estimator.quote import PathKind, Quote, Stage, StageKind
from estimator.units import gib_to_bytes
from estimator.wording import Wording
from ui.pages.work_durations import DurationPart
from ui.pages.work_edits import (
    PRECONDITIONS,
    whole_memory,
    with_after,
    with_cards_per_task,
    with_need,
    with_precondition,
)
from ui.pages.work_fields import (
    Ask,
    in_a_row,
    show_evidence,
    show_number,
    show_stated_duration,
    show_text,
)
from ui.pages.work_ticks import TickList
from ui.pages.work_when import WhenPart
from ui.theme import TextRole, Theme
from ui.widgets.compound import Compound
from ui.widgets.elided_combo import ElidedCombo
from ui.widgets.evidence_button import EvidenceButton
from ui.widgets.evidence_editor import EvidenceEditor
from ui.widgets.field import Field
from ui.widgets.number_field import Duration, DurationField, NumberField
from ui.widgets.typed_line import TextField

_WIDE, _NARROW = 304, 276
_SMALL = 44


class Inspector(QObject):
    """The frame at the right of the page. `asked(Place)`: a field of another page; `rebuilt`: other stops."""

    asked = Signal(object)
    rebuilt = Signal()

    def __init__(self, words: Wording, theme: Theme, ask: Ask) -> None:
        super().__init__()
        self._words = words
        self._theme = theme
        self._ask = ask
        self._stage: Stage | None = None
        self.frame = QFrame()
        self.frame.setProperty("look", "box")
        self.title = QLabel()
        self.title.setWordWrap(True)
        self.name = TextField(words)
        self.kind = ElidedCombo()
        self.units = NumberField(words, minimum=Decimal(1), whole=True)
        self.cards_per_task = NumberField(words, minimum=Decimal(1), maximum=Decimal(4096), whole=True)
        self.durations = DurationPart(words, theme, ask)
        self.memory = NumberField(words, minimum=Decimal(0), unit="GiB")
        self.memory_link = QPushButton(words.t("By phases, in Memory"))
        self.memory_link.setProperty("look", "link")
        self.memory_sum = QLabel()
        self.memory_evidence = EvidenceEditor(words, theme, unit="GiB")
        for editor in (self.durations.evidence, self.memory_evidence):
            for line in (editor.low, editor.high):
                line.setMinimumWidth(_SMALL)
        self.path = ElidedCombo()
        self.after = TickList(words.t("Waits for"))
        self.needs = TickList(words.t("Shares"))
        self.when = WhenPart(words, theme, ask)
        self.assembly_rule = TextField(words)
        self.preconditions = TickList(words.t("Taken for granted until checked"))
        self.slow_down = NumberField(words, minimum=Decimal(1))
        self.slow_down_chip = EvidenceButton(words, theme)
        self.queue_wait = DurationField(words)
        self._parts: dict[str, QWidget] = {}
        self._lay_out()
        self._connect()
        theme.changed.connect(self._dress)
        self._dress()

    def set_narrow(self, narrow: bool) -> None:
        """Take the width of a small window, or the full one."""
        self.frame.setFixedWidth(_NARROW if narrow else _WIDE)

    def show_stage(self, quote: Quote, stage: Stage | None, number: int) -> None:
        """Show a stage of the quote; None where there is none."""
        anew = stage is None or self._stage is None or stage.id != self._stage.id
        self._stage = stage
        self._stage_part.setVisible(stage is not None)
        if stage is None:
            self.title.setText(self._words.t("No stage yet"))
        else:
            self.title.setText(
                self._words.t("Stage {number}: {stage}", number=self._words.number(number), stage=stage.name)
            )
            self._show_kind(stage)
            self._show_fields(quote, stage, anew)
            self._show_ticks(quote, stage)
            self.when.show_stage(quote, stage, anew)
        work = quote.workload
        show_number(self.slow_down, work.mutual_slow_down.value)
        self.slow_down_chip.set_evidence(self._words.t("Mutual slow-down"), work.mutual_slow_down.evidence)
        show_stated_duration(self.queue_wait, work.queue_wait, self.queue_wait.duration.unit)

    def field(self, name: str) -> QWidget:
        """Return the widget that edits a part of the selected stage: "duration", "memory", "after"…"""
        on_when = self.when.field(name)
        if on_when is not None:
            return on_when
        known: dict[str, QWidget] = {
            "name": self.name,
            "kind": self.kind,
            "count": self.units,
            "cards_per_task": self.cards_per_task if self.cards_per_task.isEnabled() else self.kind,
            "memory": self.memory if self.memory.isVisibleTo(self.frame) else self.memory_link,
            "path": self.path,
        }
        for part, ticks in (
            ("after", self.after),
            ("needs", self.needs),
            ("preconditions", self.preconditions),
        ):
            known[part] = ticks.first or self.name
        if name in ("duration", "tasks"):
            return self.durations.entry
        found = known.get(name, self.name)
        return found if found.isVisibleTo(self.frame) else self.name

    def _lay_out(self) -> None:
        self._stage_part = QWidget()
        column = QVBoxLayout(self._stage_part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        self._fill_stage(column)
        inside = QWidget()
        all_parts = QVBoxLayout(inside)
        all_parts.setContentsMargins(12, 10, 12, 12)
        all_parts.setSpacing(10)
        all_parts.addWidget(self._stage_part)
        all_parts.addWidget(self._heading(self._words.t("All stages")))
        self._fill_common(all_parts)
        all_parts.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        scroll.viewport().setAutoFillBackground(False)
        inside.setAutoFillBackground(False)  # the box shows through; setWidget turns this on
        head = QHBoxLayout()
        head.setContentsMargins(12, 10, 12, 8)
        head.addWidget(self.title)
        line = QFrame()
        line.setFixedHeight(1)
        line.setAutoFillBackground(True)
        self._line = line
        outer = QVBoxLayout(self.frame)
        outer.setContentsMargins(1, 1, 1, 1)
        outer.setSpacing(0)
        outer.addLayout(head)
        outer.addWidget(line)
        outer.addWidget(scroll, 1)
        self.set_narrow(False)

    def _fill_stage(self, column: QVBoxLayout) -> None:
        words = self._words
        for kind in StageKind:
            self.kind.addItem(words.word(kind), kind)
        for path in PathKind:
            self.path.addItem(words.word(path), path)
        self._add(column, "name", Field(self._theme, words.t("Name"), self.name))
        self._add(column, "kind", Field(self._theme, words.t("Kind"), self.kind))
        units = self._part("units", Field(self._theme, words.t("Units"), self.units))
        cards = self._part("cards", Field(self._theme, words.t("Cards per task"), self.cards_per_task))
        column.addLayout(in_a_row(units, cards, stretches=(1, 1)))
        self._add(column, "duration", self.durations)
        self._memory_row = Compound()
        row = QHBoxLayout(self._memory_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self.memory_unit = QLabel("GiB")
        row.addWidget(self.memory, 1)
        row.addWidget(self.memory_unit)
        row.addWidget(self.memory_sum, 1)
        self._memory_field = Field(self._theme, words.t("Memory of a task"), self._memory_row)
        self.memory.setAccessibleName(words.t("Memory of a task, GiB"))
        self.memory.problem_changed.connect(self._memory_field.show_problem)
        self._add(column, "memory", self._memory_field)
        self._add(column, "memory_link", self.memory_link)
        self._add(column, "duration_evidence_heading", self._heading(words.t("Evidence of the duration")))
        self._add(column, "duration_evidence", self.durations.evidence)
        self._add(column, "memory_evidence_heading", self._heading(words.t("Evidence of the memory")))
        self._add(column, "memory_evidence", self.memory_evidence)
        self._add(column, "preconditions_heading", self._heading(words.t("Taken for granted until checked")))
        self._add(column, "preconditions", self.preconditions)
        self._add(column, "rule", Field(self._theme, words.t("Assembly rule"), self.assembly_rule))
        self._add(column, "path", Field(self._theme, words.t("Data arrive through"), self.path))
        self._add(column, "after_heading", self._heading(words.t("Waits for")))
        self._add(column, "after", self.after)
        self._add(column, "when", self.when)
        self._add(column, "needs_heading", self._heading(words.t("Shares")))
        self._add(column, "needs", self.needs)

    def _fill_common(self, column: QVBoxLayout) -> None:
        words = self._words
        slow = Compound()
        row = QHBoxLayout(slow)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.slow_down, 1)
        row.addWidget(self.slow_down_chip)
        row.addStretch(1)
        slow.first = self.slow_down
        slow_field = Field(self._theme, words.t("Mutual slow-down of tasks at once, ×"), slow)
        self.slow_down.setAccessibleName(words.t("Mutual slow-down of tasks at once, ×"))
        self.slow_down.problem_changed.connect(slow_field.show_problem)
        self.queue_wait.line.setPlaceholderText(words.t("not included"))
        wait_field = Field(self._theme, words.t("Queue wait before the start"), self.queue_wait)
        self.queue_wait.setAccessibleName(words.t("Queue wait before the start"))
        column.addWidget(slow_field)
        column.addWidget(wait_field)

    def _add(self, column: QVBoxLayout, name: str, widget: QWidget) -> None:
        column.addWidget(self._part(name, widget))

    def _part(self, name: str, widget: QWidget) -> QWidget:
        self._parts[name] = widget
        return widget

    def _heading(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setProperty("look", "section")
        label.setFont(self._theme.font(TextRole.SECTION))
        label.setWordWrap(True)
        return label

    def _connect(self) -> None:
        self.name.committed.connect(self._name_typed)
        self.kind.activated.connect(self._kind_chosen)
        self.units.committed.connect(self._units_typed)
        self.cards_per_task.committed.connect(self._cards_typed)
        self.memory.committed.connect(self._memory_typed)
        self.memory_link.clicked.connect(self._to_memory)
        self.memory_evidence.committed.connect(self._memory_evidence_changed)
        self.path.activated.connect(self._path_chosen)
        self.after.changed.connect(self._after_ticked)
        self.needs.changed.connect(self._need_ticked)
        self.preconditions.changed.connect(self._precondition_ticked)
        self.assembly_rule.committed.connect(self._rule_typed)
        self.slow_down.committed.connect(self._slow_down_typed)
        self.slow_down_chip.committed.connect(self._slow_down_evidence_changed)
        self.queue_wait.committed.connect(self._wait_typed)
        for ticks in (self.after, self.needs, self.preconditions):
            ticks.rebuilt.connect(self.rebuilt)
        self.durations.rebuilt.connect(self.rebuilt)
        self.when.rebuilt.connect(self.rebuilt)

    def _dress(self) -> None:
        self.title.setFont(self._theme.font(TextRole.SECTION))
        self._line.setStyleSheet(f"background: {self._theme.color('line').name()}")

    def _show_kind(self, stage: Stage) -> None:
        """Show the parts that a stage of this kind has."""
        works = stage.kind is not StageKind.GATE
        alone = whole_memory(stage) is not None
        shown = {
            "units": works,
            "cards": stage.on_cards,
            "duration": works,
            "memory": stage.on_cards,
            "memory_link": stage.on_cards,
            "duration_evidence_heading": works,
            "duration_evidence": works,
            "memory_evidence_heading": stage.on_cards and alone,
            "memory_evidence": stage.on_cards and alone,
            "preconditions_heading": stage.on_cards,
            "preconditions": stage.on_cards,
            "rule": stage.kind is StageKind.STATION,
            "path": works,
        }
        for name, visible in shown.items():
            self._parts[name].setVisible(visible)
        for part in (self.memory, self.memory_unit):
            part.setVisible(alone)
        self.memory_sum.setVisible(not alone)
        self._memory_row.first = self.memory if alone else self.memory_link

    def _show_fields(self, quote: Quote, stage: Stage, anew: bool) -> None:
        show_text(self.name, stage.name, anew=anew)
        self.kind.setCurrentIndex(self.kind.findData(stage.kind))
        self.path.setCurrentIndex(self.path.findData(stage.path))
        show_number(self.units, stage.tasks.total, anew=anew)
        self.units.setEnabled(len(stage.tasks.count) == 1)
        reference = quote.reference
        per_task = None if reference is None else reference.layout(stage.id).cards_per_task
        show_number(self.cards_per_task, per_task, anew=anew)
        self.cards_per_task.setEnabled(stage.kind is StageKind.COOPERATIVE and reference is not None)
        self.durations.show_stage(stage, anew)
        memory = whole_memory(stage)
        if memory is None:
            self.memory_sum.setText(self._phases_text(stage))
        else:
            show_number(self.memory, memory.value, anew=anew)
            show_evidence(self.memory_evidence, memory.evidence, anew=anew)
            self.memory_evidence.setEnabled(memory.value is not None)
        show_text(self.assembly_rule, quote.workload.assembly_rule)

    def _phases_text(self, stage: Stage) -> str:
        sums = []
        for phase in stage.memory.phases:
            values = [term.gib.value for term in phase.terms]
            sums.append(
                None if None in values else sum((one for one in values if one is not None), Decimal(0))
            )
        known = [one for one in sums if one is not None]
        if not known or len(known) < len(sums):
            return self._words.unknown
        return self._words.t("up to {memory}", memory=self._words.memory(gib_to_bytes(max(known))))

    def _show_ticks(self, quote: Quote, stage: Stage) -> None:
        others = tuple((one.id, one.name) for one in quote.workload.stages if one.id != stage.id)
        self.after.show_ticks(others, frozenset(stage.after))
        shared = tuple((one.id, one.name) for one in quote.workload.resources)
        needed = frozenset(need.resource_id for need in stage.needs)
        self.needs.show_ticks(shared if stage.kind is not StageKind.GATE else (), needed)
        for part, ticks in (("after", self.after), ("needs", self.needs)):
            self._parts[f"{part}_heading"].setVisible(ticks.first is not None)
            self._parts[part].setVisible(ticks.first is not None)
        usual = tuple((code, self._words.condition(code).rstrip(".")) for code in PRECONDITIONS)
        own = tuple(
            (one.id, one.text or self._words.condition(one.code))
            for one in stage.preconditions
            if one.id not in PRECONDITIONS
        )
        holding = frozenset(one.id for one in stage.preconditions if one.holds)
        self.preconditions.show_ticks((*usual, *own), holding)

    def _change(self, label: str, **changes: object) -> None:
        stage = self._stage
        if stage is not None:
            self._ask(label, lambda quote: edits.with_stage(quote, stage.id, **changes))

    def _name_typed(self, value: object) -> None:
        if self._stage is None:
            return
        if isinstance(value, str) and value:
            self._change(self._words.t("rename {stage}", stage=self._stage.name), name=value)
        else:
            self.name.set_value(self._stage.name)

    def _kind_chosen(self, index: int) -> None:
        if self._stage is not None:
            label = self._words.t("change the kind of {stage}", stage=self._stage.name)
            self._change(label, kind=StageKind(self.kind.itemData(index)))

    def _path_chosen(self, index: int) -> None:
        if self._stage is not None:
            label = self._words.t("change the path of {stage}", stage=self._stage.name)
            self._change(label, path=PathKind(self.path.itemData(index)))

    def _units_typed(self, value: object) -> None:
        stage = self._stage
        if stage is None or not isinstance(value, Decimal):
            return
        label = self._words.t("change the units of {stage}", stage=stage.name)
        self._ask(label, lambda quote: edits.with_equal_tasks(quote, stage.id, count=int(value)))

    def _cards_typed(self, value: object) -> None:
        stage = self._stage
        if stage is None or not isinstance(value, Decimal):
            return
        label = self._words.t("change the cards per task of {stage}", stage=stage.name)
        self._ask(label, lambda quote: with_cards_per_task(quote, stage.id, int(value)))

    def _memory_typed(self, value: object) -> None:
        stage = self._stage
        memory = None if stage is None else whole_memory(stage)
        if stage is None or memory is None:
            return
        evidence = memory.evidence if memory.value is not None else ASSUMED
        gib = value if isinstance(value, Decimal) else None
        label = self._words.t("change the memory of {stage}", stage=stage.name)
        self._ask(label, lambda quote: edits.with_whole_memory(quote, stage.id, gib, evidence))

    def _memory_evidence_changed(self, evidence: object) -> None:
        stage = self._stage
        memory = None if stage is None else whole_memory(stage)
        if stage is None or memory is None or not isinstance(evidence, Evidence):
            return
        value = memory.value
        label = self._words.t("change the evidence of {stage}", stage=stage.name)
        self._ask(label, lambda quote: edits.with_whole_memory(quote, stage.id, value, evidence))

    def _to_memory(self) -> None:
        if self._stage is not None:
            self.asked.emit(("workload", "stages", self._stage.id, "memory", "phases"))

    def _after_ticked(self, before: str, ticked: bool) -> None:
        stage = self._stage
        if stage is not None:
            label = self._words.t("change what {stage} waits for", stage=stage.name)
            self._ask(label, lambda quote: with_after(quote, stage.id, before, ticked))

    def _need_ticked(self, resource_id: str, ticked: bool) -> None:
        stage = self._stage
        if stage is not None:
            label = self._words.t("change what {stage} shares", stage=stage.name)
            self._ask(label, lambda quote: with_need(quote, stage.id, resource_id, ticked))

    def _precondition_ticked(self, id_: str, ticked: bool) -> None:
        stage = self._stage
        if stage is not None:
            label = self._words.t("change a precondition of {stage}", stage=stage.name)
            self._ask(label, lambda quote: with_precondition(quote, stage.id, id_, ticked))

    def _rule_typed(self, value: object) -> None:
        label = self._words.t("change the assembly rule")
        self._ask(label, lambda quote: edits.with_workload(quote, assembly_rule=value))

    def _slow_down_typed(self, value: object) -> None:
        number = value if isinstance(value, Decimal) else None

        def edit(quote: Quote) -> Quote:
            stated = quote.workload.mutual_slow_down.replaced(value=number)
            return edits.with_workload(quote, mutual_slow_down=stated)

        self._ask(self._words.t("change the mutual slow-down"), edit)

    def _slow_down_evidence_changed(self, evidence: object) -> None:
        if isinstance(evidence, Evidence):
            self._ask(
                self._words.t("change the evidence of the mutual slow-down"),
                lambda quote: edits.with_workload(
                    quote, mutual_slow_down=quote.workload.mutual_slow_down.replaced(evidence=evidence)
                ),
            )

    def _wait_typed(self, value: object) -> None:
        if not isinstance(value, Duration):
            return
        stated = None if value.value is None else StatedDuration(value=value.value, unit=value.unit)
        label = self._words.t("change the queue wait")
        self._ask(label, lambda quote: edits.with_workload(quote, queue_wait=stated))
