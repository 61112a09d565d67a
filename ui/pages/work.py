"""Page 1, Work: what an accepted result is, what can be computed alone, what is shared; the stages and one of them.

It puts the parts in their places, keeps which stage is selected and leads to the field of a place.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from estimator.problems import Place, Severity
from estimator.quote import Quote, Stage, StageKind
from estimator.results.estimate import Estimate
from ui.pages.page import GAP, Context, Page, box
from ui.pages.work_edits import whole_memory
from ui.pages.work_fields import chain, focus_on, line_of, stops_in
from ui.pages.work_flow import FlowPicture, flow_of
from ui.pages.work_inspector import Inspector
from ui.pages.work_questions import AloneBox, DeliveredBox
from ui.pages.work_shared import SharedBox
from ui.pages.work_stages import StagesPart
from ui.theme import TextRole
from ui.widgets.field import Field
from ui.widgets.number_field import DurationField, NumberField
from ui.widgets.typed_line import TypedLine

Target = Field | NumberField | DurationField

_NARROW_UNDER = 1140
_WIDTHS = (272, 226)
_NARROW_WIDTHS = (256, 216)
_PARTS = frozenset(
    {
        "after", "cards_per_task", "count", "duration", "kind", "memory", "name", "needs", "path",
        "preconditions", "tasks", "release", "due", "project", "hours",
    }
)  # fmt: skip


class WorkPage(Page):
    """The first page of a quote."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        words = context.words
        super().__init__(
            context,
            words.t("Work"),
            words.t("What is an accepted result, and what can be computed alone?"),
            parent,
        )
        self._quote = Quote()
        self._estimate: Estimate | None = None
        self._drawn: tuple[Quote | None, object] = (None, None)
        self._stage_id = ""
        self._led_to: Place = ()
        self._said: set[Target] = set()
        self.delivered = DeliveredBox(words, self.theme, self.edit)
        self.alone = AloneBox(words, self.theme, self.edit)
        self.shared = SharedBox(words, self.theme, self.edit)
        self.stages = StagesPart(words, self.theme, self.edit)
        self.flow = FlowPicture(words, self.theme)
        self.inspector = Inspector(words, self.theme, self.edit)
        self._empty = QLabel(words.t("Say what is delivered; the cards come later."))
        self._empty.setProperty("look", "muted")
        self._lay_out()
        self.add_steps("", words.t("Organisations"))
        self._connect()
        self.theme.changed.connect(self._dress)
        self._dress()

    def show_state(self, quote: Quote, estimate: Estimate | None, stale: bool) -> None:
        """Show the quote at once; what the checks say about its fields only while the estimate is its own."""
        self._quote, self._estimate = quote, estimate
        stages = quote.workload.stages
        if quote.workload.stage(self._stage_id) is None:
            self._stage_id = stages[0].id if stages else ""
        self._empty.setVisible(not stages)
        self.delivered.show_quote(quote)
        self.alone.show_quote(quote)
        self.shared.show_quote(quote)
        self.stages.show_quote(quote, self._stage_id)
        self._show_flow()
        for widget in (self._flow_title, self._flow_note, self._flow_frame):
            widget.setVisible(bool(stages))
        self._show_stage()
        if not stale:
            self._show_problems()

    def go_to(self, place: Place) -> bool:
        """Give focus to the field of a place under the workload, and say under it what is wrong or missing."""
        if place[:1] != ("workload",):
            return False
        if place[1:2] == ("stages",):
            return self._go_to_stage(place)
        if place[1:2] == ("independence",):
            focus_on(next(radio for radio in self.alone.radios.values() if radio.isChecked()))
            return True
        if place[1:2] == ("projects",):
            return self._go_to_project(place)
        self._led_to = place[:3] if place[1:2] == ("resources",) else place[:2]
        target = self._targets().get(self._led_to)
        if target is not None:
            self._show_problems()
            focus_on(target.input if isinstance(target, Field) else target)
            return True
        if place[1:] == ("assembly_rule",):
            return self._go_to_rule()
        focus_on(self.delivered.result)
        return len(place) == 1

    def focus_first(self) -> None:
        """Give focus to the duration of the stage that computes; without stages, to the first field."""
        main = self._quote.workload.main_stage
        if main is None:
            focus_on(self.delivered.result)
        else:
            self._select(main.id)
            focus_on(self.inspector.field("duration"))

    def add_stage(self, kind: StageKind) -> None:
        """Add a stage of that kind and select it."""
        self.stages.add_stage(kind)

    def _lay_out(self) -> None:
        words = self.words
        boxes = QHBoxLayout()
        boxes.setSpacing(GAP)
        for frame in (self.delivered.frame, self.alone.frame, self.shared.frame):
            boxes.addWidget(frame)
        boxes.setStretch(2, 1)
        self._flow_title = QLabel(words.t("Picture"))
        self._flow_note = QLabel(words.t("Dashed line: path assumed, checked at reception"))
        self._flow_note.setProperty("look", "muted")
        flow_head = QHBoxLayout()
        flow_head.addWidget(self._flow_title, 1)
        flow_head.addWidget(self._flow_note)
        self._flow_frame, inside = box()
        inside.setContentsMargins(0, 0, 0, 0)
        self._flow_area = QScrollArea()
        self._flow_area.setWidgetResizable(True)
        self._flow_area.setFrameShape(QFrame.Shape.NoFrame)
        self._flow_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._flow_area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._flow_area.setWidget(self.flow)
        self._flow_area.viewport().setAutoFillBackground(False)
        self.flow.setAutoFillBackground(False)  # the box shows through; setWidget turns this on
        inside.addWidget(self._flow_area)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addWidget(self._empty)
        column.addLayout(boxes)
        column.addWidget(self.stages)
        flow_part = QVBoxLayout()
        flow_part.setSpacing(6)
        flow_part.addLayout(flow_head)
        flow_part.addWidget(self._flow_frame)
        column.addLayout(flow_part)
        column.addStretch(1)
        outer = self.layout()
        if isinstance(outer, QVBoxLayout):
            outer.removeWidget(self.scroll_area)
            beside = QHBoxLayout()
            beside.setSpacing(16)
            beside.addWidget(self.scroll_area, 1)
            beside.addWidget(self.inspector.frame)
            outer.addLayout(beside, 1)
        self._set_widths(False)

    def _connect(self) -> None:
        self.stages.selected.connect(self._select)
        self.inspector.asked.connect(self.asked)
        for part in (self.shared, self.inspector):
            part.rebuilt.connect(self._chain)
        self.shared.rebuilt.connect(self._follow_enter)
        self.inspector.durations.field.line.returnPressed.connect(self._next_entry)
        self.inspector.memory.returnPressed.connect(self._next_entry)
        self._chain()

    def _dress(self) -> None:
        self._flow_title.setFont(self.theme.font(TextRole.SECTION))
        self._flow_note.setFont(self.theme.font(TextRole.SECONDARY))

    def _set_widths(self, narrow: bool) -> None:
        first, second = _NARROW_WIDTHS if narrow else _WIDTHS
        self.delivered.frame.setFixedWidth(first)
        self.alone.frame.setFixedWidth(second)
        self.inspector.set_narrow(narrow)

    def _chain(self) -> None:
        """Tab order: the page, then the inspector, then previous and next."""
        stops = [*stops_in(self.body), *stops_in(self.inspector.frame)]
        stops += [button for button in (self.previous_button, self.next_button) if button is not None]
        chain(iter(stops))

    def _follow_enter(self) -> None:
        field = self.shared.assembly_field()
        if field is not None:
            field.line.returnPressed.connect(self._next_entry)

    def _next_entry(self) -> None:
        """Enter in a first quote's entry goes on to the next that is still blank: what an answer needs."""
        focused = self.focusWidget()
        if isinstance(focused, TypedLine) and not focused.commit():
            return
        for widget in self._entries():
            line = line_of(widget)
            if line is not None and line is not focused and not line.text():
                focus_on(widget)
                return

    def _entries(self) -> list[QWidget]:
        found: list[QWidget] = []
        if self.inspector.durations.field.isVisibleTo(self):
            found.append(self.inspector.durations.field)
        if self.inspector.memory.isVisibleTo(self):
            found.append(self.inspector.memory)
        assembly = self.shared.assembly_field()
        if assembly is not None:
            found.append(assembly)
        return [*found, self.shared.limit]

    def _select(self, stage_id: str) -> None:
        self._stage_id = stage_id
        self.stages.show_quote(self._quote, stage_id)
        self._show_stage()
        self._show_problems()

    def _show_stage(self) -> None:
        places = [stage.id for stage in self._quote.workload.stages]
        number = places.index(self._stage_id) + 1 if self._stage_id in places else 0
        self.inspector.show_stage(self._quote, self._quote.workload.stage(self._stage_id), number)

    def _show_flow(self) -> None:
        """Draw the picture, unless it is of the same quote and conditions: with many stages it takes its time."""
        conditions = None if self._estimate is None else self._estimate.conditions
        former_quote, former_conditions = self._drawn
        if self._quote is former_quote and conditions is former_conditions:
            return
        self._drawn = (self._quote, conditions)
        self.flow.show_flow(flow_of(self.words, self._quote, self._estimate))
        self._flow_area.setFixedHeight(self.flow.minimumSizeHint().height() + 2)

    def _go_to_stage(self, place: Place) -> bool:
        if len(place) < 3 or self._quote.workload.stage(place[2]) is None:
            focus_on(self.stages.table)
            return True
        stage = self._quote.workload.stage(place[2])
        if len(place) > 3 and (
            place[3] not in _PARTS or (place[3] == "memory" and not _is_ours(stage, place))
        ):
            return False
        self._select(place[2])
        if len(place) == 3:
            focus_on(self.stages.table)
            return True
        self._led_to = place[:4]
        self._show_problems()
        ticks = self.inspector.preconditions.ticks.get(place[4]) if len(place) > 4 else None
        focus_on(ticks if ticks is not None else self.inspector.field(place[3]))
        return True

    def _go_to_project(self, place: Place) -> bool:
        stages = self._quote.workload.stages_of(place[2]) if len(place) > 2 else ()
        if not stages:
            return False
        self._select(stages[0].id)
        self._led_to = place
        self._show_problems()
        self.inspector.when.field("project")
        when = self.inspector.when
        known: dict[str, QWidget] = {"due": when.project_due, "release": when.project_release}
        focus_on(known.get(place[-1], when.project))
        return True

    def _go_to_rule(self) -> bool:
        station = next((s for s in self._quote.workload.stages if s.kind is StageKind.STATION), None)
        if station is None:
            return False
        self._select(station.id)
        focus_on(self.inspector.assembly_rule)
        return True

    def _targets(self) -> dict[Place, Target]:
        """What shows a sentence, by place."""
        stage: Place = ("workload", "stages", self._stage_id)
        inspector = self.inspector
        project_id, project_due = inspector.when.project_field
        return {
            **self.delivered.fields,
            **self.alone.fields,
            **self.shared.fields,
            ("workload", "mutual_slow_down"): inspector.slow_down,
            ("workload", "queue_wait"): inspector.queue_wait,
            (*stage, "duration"): inspector.durations.field,
            (*stage, "memory"): inspector.memory,
            **{(*stage, part): field for part, field in inspector.when.fields.items()},
            ("workload", "projects", project_id, "due"): project_due,
        }

    def _show_problems(self) -> None:
        """Show errors and warnings beside their fields; what is merely missing waits for `go_to`."""
        problems = () if self._estimate is None else self._estimate.problems
        for place, target in self._targets().items():
            said = next(
                (
                    one
                    for one in problems
                    if one.where[: len(place)] == place
                    and (one.severity is not Severity.MISSING or place == self._led_to)
                ),
                None,
            )
            if said is not None:
                target.set_problem(self.words.problem(said), said.severity)
                self._said.add(target)
            elif target in self._said:
                target.set_problem("")
                self._said.discard(target)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_widths(self.width() < _NARROW_UNDER)


def _is_ours(stage: Stage | None, place: Place) -> bool:
    """Whether a place of a stage's memory is one number here; phases and the lines added are Memory's."""
    return stage is not None and len(place) == 4 and whole_memory(stage) is not None
