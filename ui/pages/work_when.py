"""The foldable section of the Work page's inspector on when a stage may run: one by one, from, due, project, hours;
and how often a task saves its state, which is what an interruption costs.

Folded it says in one line what is stated. It shows a stage and asks for edits; only whether it is open is its own.
"""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from estimator import edits
from estimator.evidence import GIVEN, StatedDuration
from estimator.plan.starting import rental_start
from estimator.quote import Project, Quote, Stage, StageKind
from estimator.wording import Wording
from ui.pages.hours_editor import HoursEditor
from ui.pages.work_edits import with_new_project, with_project_of, with_stream
from ui.pages.work_fields import Ask, in_a_row, show_number, show_stated_duration, show_text
from ui.pages.work_ticks import Tick, TickList
from ui.theme import TextRole, Theme
from ui.widgets.elided_combo import ElidedCombo
from ui.widgets.field import Field
from ui.widgets.icons import icon
from ui.widgets.number_field import Duration, DurationField, NumberField
from ui.widgets.typed_line import TextField

_NEW = "\0new"


class WhenPart(QWidget):
    """When the selected stage may run. `rebuilt`: the ticks are others."""

    rebuilt = Signal()

    def __init__(self, words: Wording, theme: Theme, ask: Ask) -> None:
        super().__init__()
        self._words = words
        self._theme = theme
        self._ask = ask
        self._stage: Stage | None = None
        self._project: Project | None = None
        self.fold = QPushButton(words.t("When it may run"))
        self.fold.setProperty("look", "link")
        self.fold.setCheckable(True)
        self.summary = QLabel()
        self.summary.setProperty("look", "muted")
        self.summary.setWordWrap(True)
        self.streams = TickList(words.t("Unit by unit"))
        self.release = DurationField(words)
        self.due = DurationField(words)
        self.checkpoint = DurationField(words)
        self.project = ElidedCombo()
        self.project_name = TextField(words)
        self.priority = NumberField(words, minimum=Decimal(1), whole=True)
        self.project_release = DurationField(words)
        self.project_due = DurationField(words)
        self.hours = HoursEditor(words, theme)
        self.pauses = Tick(words.t("Its tasks pause outside them and go on"))
        self._body = QWidget()
        self._lay_out()
        self._connect()
        theme.changed.connect(self._dress)
        self._open(False)

    def show_stage(self, quote: Quote, stage: Stage, anew: bool) -> None:
        """Show a stage of the quote."""
        self._stage = stage
        self._project = quote.workload.project(stage.project_id)
        self.summary.setText(self._summary(stage))
        self._show_streams(quote, stage)
        show_stated_duration(self.release, stage.release, self.release.duration.unit)
        show_stated_duration(self.due, stage.due, self.due.duration.unit)
        show_stated_duration(self.checkpoint, stage.checkpoint, self.checkpoint.duration.unit)
        self._checkpoint_field.setVisible(stage.kind is not StageKind.GATE)
        self._show_project(quote, anew)
        is_gate = stage.kind is StageKind.GATE
        self.hours.setVisible(not is_gate)
        self.hours.show_hours(stage.hours, rental_start(quote) is not None)
        self.pauses.setVisible(stage.hours is not None and not is_gate)
        self.pauses.set_ticked(stage.may_pause)

    def field(self, name: str) -> QWidget | None:
        """Return the widget that edits a part, the section opened; None where it is not one of these."""
        known: dict[str, QWidget] = {
            "release": self.release,
            "due": self.due,
            "checkpoint": self.checkpoint,
            "project": self.project,
            "hours": self.hours.tick,
            "streams": self.streams.first or self.release,
        }
        if name in known:
            self._open(True)
        return known.get(name)

    @property
    def fields(self) -> dict[str, Field]:
        """The fields that say what is wrong with them, by the part that each edits."""
        return {"release": self._release_field, "due": self._due_field}

    @property
    def project_field(self) -> tuple[str, Field]:
        """The field of the shown project's due date with the project's id, empty where there is none."""
        return ("" if self._project is None else self._project.id), self._project_due_field

    def _lay_out(self) -> None:
        words = self._words
        for field in (self.release, self.due, self.project_release, self.project_due):
            field.line.setPlaceholderText(words.t("none"))
        self._streams_title = QLabel(words.t("Unit by unit"))
        self._release_field = Field(self._theme, words.t("Earliest start, from the start"), self.release)
        self.checkpoint.line.setPlaceholderText(words.t("never"))
        self._checkpoint_field = Field(self._theme, words.t("A task saves its state every"), self.checkpoint)
        self._due_field = Field(self._theme, words.t("Due, from the start"), self.due)
        project_field = Field(self._theme, words.t("Project"), self.project)
        self._project_part = QWidget()
        inner = QVBoxLayout(self._project_part)
        inner.setContentsMargins(12, 0, 0, 0)
        name = Field(self._theme, words.t("Name of the project"), self.project_name)
        first = Field(self._theme, words.t("Priority"), self.priority)
        inner.addLayout(in_a_row(name, first, stretches=(2, 1)))
        begin = Field(self._theme, words.t("Earliest start of the project"), self.project_release)
        inner.addWidget(begin)
        self._project_due_field = Field(self._theme, words.t("Project due, from the start"), self.project_due)
        inner.addWidget(self._project_due_field)
        pauses = QHBoxLayout()
        pauses.setContentsMargins(22, 0, 0, 0)
        pauses.addWidget(self.pauses)
        column = QVBoxLayout(self._body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._streams_title)
        column.addWidget(self.streams)
        column.addWidget(self._release_field)
        column.addWidget(self._due_field)
        column.addWidget(self._checkpoint_field)
        column.addWidget(project_field)
        column.addWidget(self._project_part)
        column.addWidget(self.hours)
        column.addLayout(pauses)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(4)
        outer.addWidget(self.fold)
        outer.addWidget(self.summary)
        outer.addWidget(self._body)

    def _connect(self) -> None:
        self.fold.toggled.connect(self._open)
        self.streams.changed.connect(self._stream_ticked)
        self.streams.rebuilt.connect(self.rebuilt)
        self.release.committed.connect(lambda value: self._moment_typed("release", value))
        self.due.committed.connect(lambda value: self._moment_typed("due", value))
        self.checkpoint.committed.connect(self._checkpoint_typed)
        self.project.activated.connect(self._project_chosen)
        self.project_name.committed.connect(
            lambda value: self._project_changed(name=value) if value else None
        )
        self.priority.committed.connect(self._priority_typed)
        self.project_release.committed.connect(lambda value: self._project_moment_typed("release", value))
        self.project_due.committed.connect(lambda value: self._project_moment_typed("due", value))
        self.hours.changed.connect(lambda hours: self._change(self._label(), hours=hours))
        self.pauses.ticked.connect(self._pauses_ticked)

    def _open(self, is_open: bool) -> None:
        self.fold.setChecked(is_open)
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

    def _summary(self, stage: Stage) -> str:
        words, parts = self._words, []
        if any(stage.streams(before) for before in stage.after):
            parts.append(words.t("unit by unit"))
        if stage.release is not None and stage.release.ms is not None:
            parts.append(words.t("from {moment}", moment=words.duration(stage.release.ms)))
        if stage.due is not None and stage.due.ms is not None:
            parts.append(words.t("due at {moment}", moment=words.duration(stage.due.ms)))
        if stage.checkpoint is not None and stage.checkpoint.ms is not None:
            parts.append(words.t("saves its state every {time}", time=words.duration(stage.checkpoint.ms)))
        if self._project is not None:
            parts.append(self._project.name)
        if stage.hours is not None:
            parts.append(words.t("working hours, pauses") if stage.may_pause else words.t("working hours"))
        text = " · ".join(parts) or words.t("at any time")
        return text[:1].upper() + text[1:]

    def _show_streams(self, quote: Quote, stage: Stage) -> None:
        choices = []
        for before_id in stage.after:
            before = quote.workload.stage(before_id)
            if before is not None and before.kind is not StageKind.GATE:
                choices.append((before_id, self._share_text(before, stage)))
        shown = tuple(choices) if stage.kind is not StageKind.GATE else ()
        self.streams.show_ticks(shown, frozenset(stage.streams_from))
        self._streams_title.setVisible(bool(shown))
        self.streams.setVisible(bool(shown))

    def _share_text(self, before: Stage, stage: Stage) -> str:
        words, given, taken = self._words, before.task_count, stage.task_count
        if given % taken == 0:
            share = words.number(given // taken)
            return words.t(
                "Each task waits for {share} of {stage}, not for all", share=share, stage=before.name
            )
        if taken % given == 0:
            share = words.number(taken // given)
            return words.t("Each of {stage} lets {share} tasks start", stage=before.name, share=share)
        return words.t(
            "{stage}: no whole share of {given} in {taken}",
            stage=before.name,
            given=words.number(given),
            taken=words.number(taken),
        )

    def _show_project(self, quote: Quote, anew: bool) -> None:
        words, projects = self._words, quote.workload.projects
        self.project.clear()
        self.project.addItem(words.t("none"), "")
        for one in projects:
            self.project.addItem(one.name, one.id)
        self.project.addItem(words.t("New project"), _NEW)
        project = self._project
        self.project.setCurrentIndex(max(0, self.project.findData("" if project is None else project.id)))
        self._project_part.setVisible(project is not None)
        if project is not None:
            show_text(self.project_name, project.name, anew=anew)
            show_number(self.priority, project.priority, anew=anew)
            unit = self.project_release.duration.unit
            show_stated_duration(self.project_release, project.release, unit)
            show_stated_duration(self.project_due, project.due, self.project_due.duration.unit)

    # What a person changes.

    def _change(self, label: str, **changes: object) -> None:
        stage = self._stage
        if stage is not None:
            self._ask(label, lambda quote: edits.with_stage(quote, stage.id, **changes))

    def _label(self) -> str:
        name = "" if self._stage is None else self._stage.name
        return self._words.t("change when {stage} runs", stage=name)

    def _stream_ticked(self, before: str, ticked: bool) -> None:
        stage = self._stage
        if stage is not None:
            self._ask(self._label(), lambda quote: with_stream(quote, stage.id, before, ticked))

    def _moment_typed(self, name: str, value: object) -> None:
        if isinstance(value, Duration):
            self._change(self._label(), **{name: _stated(value)})

    def _checkpoint_typed(self, value: object) -> None:
        if isinstance(value, Duration) and self._stage is not None:
            label = self._words.t("change how often {stage} saves its state", stage=self._stage.name)
            self._change(label, checkpoint=_stated(value))

    def _project_chosen(self, index: int) -> None:
        stage, chosen = self._stage, self.project.itemData(index)
        if stage is None or chosen == stage.project_id:
            return
        label = self._words.t("change the project of {stage}", stage=stage.name)
        if chosen == _NEW:
            number = self._words.number(self.project.count() - 1)
            name = self._words.t("Project {number}", number=number)
            self._ask(label, lambda quote: with_new_project(quote, stage.id, name))
        else:
            self._ask(label, lambda quote: with_project_of(quote, stage.id, str(chosen)))

    def _project_changed(self, **changes: object) -> None:
        project = self._project
        if project is not None:
            label = self._words.t("change the project {project}", project=project.name)
            self._ask(label, lambda quote: edits.with_project(quote, project.replaced(**changes)))

    def _project_moment_typed(self, name: str, value: object) -> None:
        if isinstance(value, Duration):
            self._project_changed(**{name: _stated(value)})

    def _priority_typed(self, value: object) -> None:
        if isinstance(value, Decimal):
            self._project_changed(priority=int(value))
        elif self._project is not None:
            show_number(self.priority, self._project.priority, anew=True)

    def _pauses_ticked(self, ticked: bool) -> None:
        self._change(self._label(), may_pause=ticked)


def _stated(value: Duration) -> StatedDuration | None:
    return None if value.value is None else StatedDuration(value=value.value, unit=value.unit, evidence=GIVEN)
