"""Page 5, schedule: who runs what when, when it is delivered, and what another assignment would bring.

The chart and its table show the same tasks. The page schedules nothing and opens no file; the picture of the
chart is saved by the window.
"""

from __future__ import annotations

import datetime as dt
from functools import partial
from itertools import pairwise

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from estimator import edits
from estimator.problems import Absent, Place
from estimator.quote import AssignmentPolicy, Quote
from estimator.results.estimate import Estimate
from estimator.wording.phrases import names_of, organisation_name
from ui.gantt.axis import moment_text
from ui.gantt.look import GanttLook
from ui.gantt.model import GanttModel, LegendEntry, legend
from ui.gantt.widget import GanttWidget
from ui.models.table import TupleTableModel
from ui.models.table_view import TableView
from ui.pages.figure_keys import explain_figure
from ui.pages.page import GAP, Context, Page
from ui.pages.schedule_bar import ScheduleBar
from ui.pages.schedule_chart import REFERENCE, ChartRequest, chart_for, chart_work
from ui.pages.schedule_gantt import Chart, comparable, empty_chart
from ui.pages.schedule_legend import ChartLegend
from ui.pages.schedule_picture import PictureOptions
from ui.pages.schedule_policies import PolicyPanel
from ui.pages.schedule_projects import ProjectPanel
from ui.pages.schedule_proof import ProofLine, proof_look
from ui.pages.schedule_start import StartRow, start_of
from ui.pages.schedule_tables import (
    MOST_TASK_ROWS,
    TaskRow,
    chosen_policy,
    task_columns,
    task_rows,
)
from ui.theme import TextRole
from ui.widgets.explanation import ExplanationContent, ExplanationRow

CHART_LEAST, CHART_MOST = 210, 360
"""Least height in pixels of the chart, by its rows: names stay readable, then it scrolls by itself."""
ROW_LEAST = 24
RECALCULATING_MS = 150


class SchedulePage(Page):
    """`picture_asked` carries "png", "svg" or "pdf": the window names a file and takes `picture()`."""

    picture_asked = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        words = context.words
        super().__init__(
            context, words.t("Schedule"), words.t("Who runs what when, and when is it delivered?"), parent
        )
        self.add_steps(words.t("Cards and lots"), words.t("Cost"))
        self._quote: Quote | None = None
        self._estimate: Estimate | None = None
        self._chart: Chart | None = None
        self._drawn: ChartRequest | None = None
        self._coming: ChartRequest | None = None
        # A page that is gone takes its own work with it, and not that of the page in its place.
        self._work = f"chart {id(self)}"
        self.destroyed.connect(partial(context.session.stop_work, self._work))
        self._listed: tuple[object, ...] = ()
        self._lists_critical = False
        self._missing: Place = ()
        self._start: dt.datetime | None = None
        self._late_note = QTimer(self)
        self._late_note.setSingleShot(True)
        self._late_note.setInterval(RECALCULATING_MS)
        self._build_bar()
        self._build_chart()
        self.policies = PolicyPanel(self.words, self.theme)
        self.policies.chosen.connect(self._policy_chosen)
        self.policies.explain.connect(lambda: explain_figure(self, self.policies.table, "delivery"))
        self.projects = ProjectPanel(self.words, self.theme)
        self._lay_out()
        self._order_tabs()
        self.theme.changed.connect(self._dress)
        self._dress()

    def show_state(self, quote: Quote, estimate: Estimate | None, stale: bool) -> None:
        self._quote, self._estimate = quote, estimate
        self.start_row.show_quote(quote)
        self._show_dates(quote)
        self._say_stale(stale)
        self._offer_compared()
        self._show_chart()
        self._show_proof()
        if estimate is not None and (estimate.is_complete or estimate.shown is None):
            self.policies.show_state(quote, estimate)
            self.projects.show_estimate(estimate)

    def go_to(self, place: Place) -> bool:
        if place[:1] in (("start",), ("time_zone",)):
            self.bar.show_dates()
            field = self.start_row.date if place[0] == "start" else self.start_row.zone
            field.setFocus(Qt.FocusReason.OtherFocusReason)
            self.start_row.date.selectAll()
            return True
        if place[:1] == ("organisations",) and place[-1] == "policy":
            self.policies.table.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        return False

    def focus_first(self) -> None:
        (self.table if self.stack.currentIndex() else self.gantt).setFocus(Qt.FocusReason.OtherFocusReason)

    def toggle_table(self) -> None:
        """Exchange chart and table, as Ctrl+T asks."""
        self._show_page(1 - self.stack.currentIndex())
        self.focus_first()

    def prove(self) -> None:
        """Prove the plan shown, or find a better one, as Ctrl+Shift+P asks."""
        self.context.session.prove(self.words.t("keep the proven plan"))

    def picture(self) -> tuple[GanttModel, GanttLook, tuple[LegendEntry, ...]]:
        """Return what a picture of the chart is made of."""
        return self.gantt.model(), self._look(), self._legend_entries()

    def picture_options(self) -> PictureOptions:
        """Return what of the chart a picture for paper shows as the window does."""
        return PictureOptions(
            self.bar.colour_by, self.bar.compared, self.bar.critical.isChecked(), self.gantt.folding()
        )

    # Construction

    def _build_bar(self) -> None:
        self.bar = ScheduleBar(self.words, self.theme)
        self.bar.times_chosen.connect(self._times_chosen)
        self.bar.colour_chosen.connect(self._show_chart)
        self.bar.compare_chosen.connect(self._show_chart)
        self.bar.unused_chosen.connect(self._dress_chart)
        self.bar.critical_chosen.connect(self._critical_chosen)
        self.bar.fold_asked.connect(lambda: self.gantt.toggle_all())
        self.bar.fit_asked.connect(lambda: self.gantt.fit())
        self.bar.page_chosen.connect(self._show_page)
        self.bar.picture_asked.connect(self.picture_asked)
        self.start_row = StartRow(self.words, self.theme)
        self.start_row.committed.connect(self._start_typed)
        self.start_row.hide()

    def _build_chart(self) -> None:
        words = self.words
        self.gantt = GanttWidget(empty_chart(words, None), self._look())
        self.gantt.setMinimumHeight(CHART_LEAST)
        self.gantt.explainRequested.connect(self._explain_bar)
        self.gantt.foldingChanged.connect(lambda _closed: self._size_chart())
        self._task_model: TupleTableModel[TaskRow] = TupleTableModel(
            task_columns(words, None), words, self.theme
        )
        self.table = self._new_table()
        self._rest = QLabel()
        self._rest.setProperty("look", "muted")
        self._tables = QWidget()
        column = QVBoxLayout(self._tables)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.table, 1)
        column.addWidget(self._rest)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.gantt)
        self.stack.addWidget(self._tables)
        self.absent = QPushButton()
        self.absent.setProperty("look", "link")
        self.absent.clicked.connect(lambda: self.asked.emit(self._missing))
        self.absent.hide()
        self._legend = ChartLegend(words)
        self._wait = QLabel()
        self._wait.setProperty("look", "muted")
        self.recalculating = QLabel(words.t("recalculating"))
        self.recalculating.setProperty("look", "muted")
        policy = self.recalculating.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.recalculating.setSizePolicy(policy)
        self.recalculating.hide()
        self._late_note.timeout.connect(self.recalculating.show)
        proof = self.context.session.proof
        self.proof = ProofLine(words, self.theme)
        self.proof.asked.connect(self.prove)
        self.proof.cancelled.connect(proof.cancel)
        proof.changed.connect(self._show_proof)

    def _lay_out(self) -> None:
        frame = QFrame()
        frame.setProperty("look", "box")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self.stack)
        under = QHBoxLayout()
        under.setSpacing(12)
        under.addWidget(self._legend, 1)
        under.addWidget(self.recalculating)
        under.addWidget(self._wait)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.bar)
        column.addWidget(self.start_row)
        column.addWidget(self.absent, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(frame, 1)
        column.addLayout(under)
        column.addSpacing(GAP - 8)
        column.addWidget(self.proof)
        column.addWidget(self.policies)
        column.addWidget(self.projects)

    def _order_tabs(self) -> None:
        chain: list[QWidget] = [
            *self.bar.stops(),
            self.start_row.date,
            self.start_row.time,
            self.start_row.zone,
            self.absent,
            self.gantt,
            self.table,
            self.proof.button,
            self.proof.cancel,
            self.policies.table,
            self.projects.table,
        ]
        chain += [button for button in (self.previous_button, self.next_button) if button is not None]
        for before, after in pairwise(chain):
            QWidget.setTabOrder(before, after)

    # State

    def _show_dates(self, quote: Quote) -> None:
        start = start_of(quote) if self.bar.shows_dates else None
        if start is not None and start.tzinfo is None:
            start = start.replace(tzinfo=dt.UTC)  # a wall time: shown as typed
        if start != self._start:
            self._start = start
            self._dress_chart()
            self._new_task_model()

    def _say_stale(self, stale: bool) -> None:
        if not stale:
            self._late_note.stop()
            self.recalculating.hide()
        elif self._estimate is not None and not self._late_note.isActive():
            self._late_note.start()

    def _offer_compared(self) -> None:
        """Offer the reference, and the other assignments once they are computed: they come after the headline."""
        estimate, words = self._estimate, self.words
        shown = None if estimate is None else estimate.shown
        if estimate is None or shown is None or (not shown.policies and not estimate.is_complete):
            return
        offered: list[tuple[str, str]] = []
        other = comparable(estimate)
        organisation = None if other is None else estimate.quote.organisation(other.organisation_id)
        if organisation is not None:
            offered.append((REFERENCE, organisation_name(organisation)))
        own = chosen_policy(estimate.quote, shown.organisation_id)
        policies = [result.policy for result in shown.policies if result.policy is not own]
        self.bar.offer_compared((*offered, *((policy.value, words.word(policy)) for policy in policies)))

    def _show_chart(self) -> None:
        estimate = self._estimate
        if estimate is None or estimate.shown is None:
            self._chart_arrived(None, None)
            return
        request = ChartRequest(
            self.words,
            estimate,
            self.bar.colour_by,
            self.bar.compared,
            self.bar.critical.isChecked(),
            self._start,
        )
        session = self.context.session
        is_coming = self._coming is not None and session.is_working(self._work)
        if request.same_as(self._coming if is_coming else self._drawn):
            return
        session.stop_work(self._work)
        self._coming = None
        if request.is_quick:
            self._chart_arrived(request, chart_for(request, lambda _share: None, lambda: False))
            return
        self._coming = request
        self._late_note.start()
        session.work(
            self._work, chart_work, request, on_done=lambda chart: self._chart_arrived(request, chart)
        )

    def _chart_arrived(self, request: ChartRequest | None, chart: Chart | None) -> None:
        if request is not None and request is self._coming:
            self._say_stale(self.context.session.is_stale)
        self._coming = None
        self._drawn = request
        self._chart = chart
        timing = None if request is None or request.estimate.shown is None else request.estimate.shown.timing
        model = empty_chart(self.words, self._estimate) if chart is None else chart.model
        self.gantt.setModel(model)
        self._size_chart()
        self._show_absent(timing)
        self._show_legend()
        self._list_tasks()

    def _size_chart(self) -> None:
        rows = len(self.gantt.model().rows)
        self.gantt.setMinimumHeight(min(CHART_MOST, max(CHART_LEAST, (rows + 2) * ROW_LEAST)))
        keys = {group.key for group in self.gantt.groups()}
        self.bar.show_groups(has_groups=bool(keys), all_closed=bool(keys) and keys <= self.gantt.folding())

    def _show_absent(self, timing: object) -> None:
        is_absent = isinstance(timing, Absent)
        self.absent.setVisible(is_absent)
        if isinstance(timing, Absent):
            self._missing = timing.where
            self.absent.setText(self.words.absent(timing))

    def _show_proof(self) -> None:
        session = self.context.session
        if self._quote is not None and not session.is_stale:  # until then what it says may not hold
            state = session.proof.state
            self.proof.show_look(proof_look(self.words, self._quote, self._estimate, state))

    def _show_legend(self) -> None:
        self._legend.show_entries(self._legend_entries(), self._look())
        wait = None if self._quote is None else self._quote.workload.queue_wait
        ms = None if wait is None else wait.ms
        self._wait.setText(
            self.words.t("Queue wait: not included")
            if ms is None
            else self.words.t("Queue wait before the start: {duration}", duration=self.words.duration(ms))
        )

    def _legend_entries(self) -> tuple[LegendEntry, ...]:
        unused = self.words.t("Unused card") if self.bar.unused.isChecked() else ""
        critical = self.words.t("Critical path") if self.bar.critical.isChecked() else ""
        return legend(self.gantt.model(), unused, self.words.t("Set-up"), critical, self.words.t("Closed"))

    def _list_tasks(self) -> None:
        """Fill the table where it is looked at; the chart alone pays for no names."""
        if self.stack.currentIndex() == 0:
            return
        chart, critical = self._chart, self._drawn is not None and self._drawn.critical
        if self._listed and self._listed[0] is chart and self._listed[1] == self._start:
            return
        if self._lists_critical != critical:
            self._lists_critical = critical
            self._new_task_model()
        self._listed = (chart, self._start)
        if self.table.model() is not self._task_model:
            self._replace_table()
        self._task_model.show_rows(() if chart is None else task_rows(chart))
        self.table.fit_columns()
        total = 0 if chart is None else chart.tasks.count
        self._rest.setVisible(total > MOST_TASK_ROWS)
        self._rest.setText(
            self.words.t(
                "The first {shown} of {total} by their start.",
                shown=self.words.number(MOST_TASK_ROWS),
                total=self.words.number(total),
            )
        )

    def _new_task_model(self) -> None:
        columns = task_columns(self.words, self._start, self._lists_critical)
        self._task_model = TupleTableModel(columns, self.words, self.theme)
        self._listed = ()

    def _replace_table(self) -> None:
        """Put a table with the other times in place of the former one."""
        former = self.table
        self.table = self._new_table()
        layout = self._tables.layout()
        if layout is not None:
            layout.replaceWidget(former, self.table)
        former.hide()
        former.deleteLater()
        self._order_tabs()

    def _new_table(self) -> TableView:
        words = self.words
        table = TableView(
            self._task_model, words, self.theme, words.t("Tasks"), sortable=True, whole_rows=True
        )
        table.horizontalHeader().setStretchLastSection(False)
        self._task_model.setParent(table)
        return table

    # What a person does

    def _times_chosen(self) -> None:
        self.start_row.setVisible(self.bar.shows_dates)
        if self._quote is not None:
            self._show_dates(self._quote)
            self._show_chart()
            self._list_tasks()

    def _critical_chosen(self) -> None:
        self._dress_chart()
        self._show_chart()

    def _show_page(self, page: int) -> None:
        self.stack.setCurrentIndex(page)
        self.bar.show_page(page)
        self._list_tasks()

    def _start_typed(self, start: object, zone: str) -> None:
        self.edit(self.words.t("change the start"), lambda quote: quote.replaced(start=start, time_zone=zone))

    def _policy_chosen(self, policy: AssignmentPolicy) -> None:
        estimate = self._estimate
        if estimate is None:
            return
        organisation_id = estimate.shown_organisation_id

        def assigned(former: Quote) -> Quote:
            for stage in former.workload.stages:
                if stage.on_cards:
                    former = edits.with_layout(former, organisation_id, stage.id, policy=policy)
            return former

        name = self.words.word(policy).lower()
        self.edit(self.words.t("assign the tasks: {policy}", policy=name), assigned)

    def _explain_bar(self, index: int) -> None:
        chart, estimate, words = self._chart, self._estimate, self.words
        if chart is None or estimate is None:
            return
        tasks = chart.tasks
        stage = chart.stages[int(tasks.stage[index])]
        start, end = int(tasks.start_ms[index]), int(tasks.end_ms[index])
        place: Place = ("workload", "stages", stage.id, "duration")
        duration = words.exact_duration(end - start)
        row = ExplanationRow(
            words.t("Duration of {stage}", stage=stage.name),
            duration,
            stage.tasks.kind,
            place,
            words.place(place, names_of(words, estimate.quote)),
        )
        when = words.t(
            "From {start} until {end}, {row}.",
            start=moment_text(start, self._start, words),
            end=moment_text(end, self._start, words),
            row=chart.model.rows[int(tasks.row[index])].name,
        )
        notes = [when]
        if tasks.critical[index]:
            notes.append(words.t("It is on the critical path: if it starts later, the delivery is later."))
        content = ExplanationContent(
            chart.model.label(index), duration, stage.tasks.kind, rows=(row,), notes=tuple(notes)
        )
        self.explain(self.gantt, content)

    # Look

    def _look(self) -> GanttLook:
        return GanttLook(
            colours=self.theme.tokens,
            words=self.words,
            font=self.theme.font(TextRole.BODY),
            start=self._start,
            show_idle=self.bar.unused.isChecked(),
            show_critical=self.bar.critical.isChecked(),
        )

    def _dress_chart(self) -> None:
        self.gantt.setLook(self._look())
        self._show_legend()

    def _dress(self) -> None:
        for label in (self._rest, self._wait, self.recalculating):
            label.setFont(self.theme.font(TextRole.SECONDARY))
        self._dress_chart()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if control and event.key() == Qt.Key.Key_T:
            self.toggle_table()
            return
        if event.key() == Qt.Key.Key_C and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.bar.toggle_critical()
            return
        super().keyPressEvent(event)
