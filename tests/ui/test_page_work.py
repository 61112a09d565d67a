"""The Work page: typed text becomes the quote, one step each; every place leads to its field."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QRadioButton, QWidget
from pytestqt.qtbot import QtBot

from estimator import edits
from estimator.catalogue.embedded import embedded_catalogue
from estimator.evidence import EvidenceKind
from estimator.hours import WorkingHours, as_shift
from estimator.quote import Independence, Quote, ResourceKind, Stage, StageKind, Tasks
from estimator.units import TimeUnit
from estimator.wording import Language, NumberFormat, Wording
from ui.pages.new_quote import FirstAnswers, quote_from
from ui.pages.page import Context
from ui.pages.work import WorkPage
from ui.pages.work_edits import with_assembly, without_kind
from ui.pages.work_fields import stops_in
from ui.pages.work_flow import flow_of
from ui.pages.work_paste import read_tasks
from ui.pages.work_stages import DURATION, NAME, UNITS
from ui.runner import Runner
from ui.session import Session
from ui.theme import Theme

WORDS = Wording(Language.SPANISH, NumberFormat.ES_ES)
COMPUTE = ("workload", "stages", "compute")


@pytest.fixture
def session(qtbot: QtBot) -> Iterator[Session]:
    runner = Runner()
    yield Session(runner, lambda: dt.date(2026, 11, 30))
    runner.close()


@pytest.fixture
def page(qtbot: QtBot, session: Session) -> WorkPage:
    page = WorkPage(Context(session, WORDS, Theme(), embedded_catalogue))
    qtbot.addWidget(page)
    page.resize(1166, 1000)

    def show() -> None:
        if session.quote is not None:
            page.show_state(session.quote, session.estimate, session.is_stale)

    session.changed.connect(show)
    session.estimated.connect(show)
    with qtbot.waitSignal(session.estimated):
        session.show(quote_from(FirstAnswers("conversión de documento", 8), WORDS))
    page.show()
    return page


def typed(line: QWidget, text: str, key: Qt.Key = Qt.Key.Key_Return) -> None:
    assert isinstance(line, QLineEdit)
    line.setFocus()
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)
    QTest.keyClicks(line, text)
    QTest.keyClick(line, key)


def quote_of(session: Session) -> Quote:
    assert session.quote is not None
    return session.quote


def stage_of(session: Session, stage_id: str = "compute") -> Stage:
    stage = quote_of(session).workload.stage(stage_id)
    assert stage is not None
    return stage


def focused(page: WorkPage) -> QWidget | None:
    return page.focusWidget()


def test_the_first_entries_are_typed_on_one_screen_and_enter_leads_on(
    page: WorkPage, session: Session
) -> None:
    page.focus_first()
    assert focused(page) is page.inspector.durations.field.line
    assembly = page.shared.assembly_field()
    assert assembly is not None
    typed(page.inspector.durations.field.line, "12")
    assert focused(page) is page.inspector.memory
    typed(page.inspector.memory, "18")
    assert focused(page) is assembly.line
    typed(assembly.line, "10")
    assert focused(page) is page.shared.limit.line
    typed(page.shared.limit.line, "1h30")
    assert stage_of(session).tasks.duration == (Decimal(12),)
    assert stage_of(session).memory.phases[0].terms[0].gib.value == Decimal(18)
    assert stage_of(session, "assembly").tasks.duration == (Decimal(10),)
    limit = quote_of(session).workload.limit
    assert limit is not None
    assert (limit.ms, limit.evidence.kind) == (90 * 60_000, EvidenceKind.GIVEN)


def test_each_entry_is_one_step_that_undo_takes_back(page: WorkPage, session: Session) -> None:
    before = quote_of(session)
    typed(page.inspector.durations.field.line, "12")
    assert session.undo_label is not None
    session.undo()
    assert quote_of(session) is before
    assert page.inspector.durations.field.line.text() == ""


def test_an_estimate_that_arrives_leaves_a_text_being_typed(page: WorkPage, session: Session) -> None:
    line = page.inspector.durations.field.line
    line.setFocus()
    QTest.keyClicks(line, "1")
    page.show_state(quote_of(session), session.estimate, False)
    QTest.keyClicks(line, "2")
    assert line.text() == "12"


def test_the_questions_change_the_quote(page: WorkPage, session: Session) -> None:
    typed(page.delivered.result, "informe validado")
    typed(page.delivered.count, "10")
    typed(page.delivered.delivery, "informe")
    typed(page.delivered.each, "5")
    typed(page.delivered.quota, "2")
    assert page.delivered.budget is not None
    typed(page.delivered.budget.line, "100,50")
    work = quote_of(session).workload
    assert (work.accepted_result, work.delivery_unit, work.units_per_delivery) == (
        "informe validado",
        "informe",
        5,
    )
    assert stage_of(session).tasks.count == (10,)
    assert work.quota_cards is not None
    assert work.budget is not None
    assert (work.quota_cards.value, work.budget.value) == (Decimal(2), Decimal("100.50"))
    page.delivered.quota.clear()
    page.delivered.quota.commit()
    assert quote_of(session).workload.quota_cards is None


def test_cards_per_task_is_off_until_the_work_is_cooperative(page: WorkPage, session: Session) -> None:
    assert not page.inspector.cards_per_task.isEnabled()
    page.alone.radios[Independence.COOPERATIVE].click()
    assert stage_of(session).kind is StageKind.COOPERATIVE
    assert page.inspector.cards_per_task.isEnabled()
    typed(page.inspector.cards_per_task, "4")
    layouts = [one.layout("compute").cards_per_task for one in quote_of(session).organisations]
    assert layouts == [4, 4]


def test_a_ticked_resource_asks_for_its_capacity(page: WorkPage, session: Session, qtbot: QtBot) -> None:
    with qtbot.waitSignal(session.estimated):
        page.shared.sections[ResourceKind.STORAGE].tick.click()
    (id_,) = [one.id for one in quote_of(session).workload.resources if one.kind is ResourceKind.STORAGE]
    assert page.go_to(("workload", "resources", id_))
    row = page.shared.rows[id_]
    assert focused(page) is row.capacity
    assert row.capacity_field.sentence
    typed(row.capacity, "600")
    assert row.amount is not None
    typed(row.amount, "120")
    resource = next(one for one in quote_of(session).workload.resources if one.id == id_)
    assert resource.capacity.value == Decimal(600)
    assert stage_of(session).needs[0].amount.value == Decimal(120)
    page.shared.sections[ResourceKind.STORAGE].tick.click()
    assert stage_of(session).needs == ()


def test_without_a_station_there_is_no_assembly_and_back_again(page: WorkPage, session: Session) -> None:
    station = page.shared.sections[ResourceKind.STATION].tick
    station.click()
    assert [stage.id for stage in quote_of(session).workload.stages] == ["compute", "gate"]
    assert stage_of(session, "gate").after == ("compute",)
    assert page.shared.assembly_field() is None
    station.click()
    assert [stage.id for stage in quote_of(session).workload.stages] == ["compute", "assembly", "gate"]
    assert stage_of(session, "gate").after == ("assembly",)


def test_cells_of_the_stages_are_edited_in_place(page: WorkPage, session: Session) -> None:
    model = page.stages.model
    model.setData(model.index(0, NAME), "Conversión")
    model.setData(model.index(0, UNITS), "9")
    model.setData(model.index(0, DURATION), "1 h")
    assert stage_of(session).name == "Conversión"
    assert stage_of(session).tasks == Tasks(count=(9,), duration=(Decimal(60),))
    assert not model.setData(model.index(0, UNITS), "0")
    assert not model.setData(model.index(0, DURATION), "soon")
    assert page.stages.message.text()
    page.stages.table.setCurrentIndex(model.index(0, DURATION))
    QTest.keyClick(page.stages.table, Qt.Key.Key_Delete)
    assert stage_of(session).tasks.duration == (None,)


def test_stages_are_added_and_removed(page: WorkPage, session: Session) -> None:
    page.add_stage(StageKind.INDEPENDENT)
    added = quote_of(session).workload.stages[-1]
    assert page.stages.model.row_at(page.stages.table.currentIndex()).stage.id == added.id  # type: ignore[union-attr]
    page.stages.remove_stage()
    assert quote_of(session).workload.stage(added.id) is None


def test_a_pasted_table_is_one_step(page: WorkPage, session: Session) -> None:
    before = quote_of(session)
    QGuiApplication.clipboard().setText("unidades\tduración (h)\n100\t1,5\n28\t0,25\n")
    page.stages.paste_button.click()
    tasks = stage_of(session).tasks
    assert (tasks.count, tasks.duration, tasks.unit) == (
        (100, 28),
        (Decimal("1.5"), Decimal("0.25")),
        TimeUnit.HOUR,
    )
    assert page.inspector.durations.table.isVisible()
    session.undo()
    assert quote_of(session) is before
    QGuiApplication.clipboard().setText("8\tsoon\n")
    page.stages.paste_button.click()
    assert quote_of(session) is before
    assert page.stages.message.text()


def test_a_rectangle_pasted_into_the_table_fills_cells_and_adds_stages(
    page: WorkPage, session: Session
) -> None:
    QGuiApplication.clipboard().setText("Uno\nDos\nTres\nCuatro")
    page.stages.table.setCurrentIndex(page.stages.model.index(0, NAME))
    page.stages.table.paste()
    assert [stage.name for stage in quote_of(session).workload.stages] == ["Uno", "Dos", "Tres", "Cuatro"]
    session.undo()
    assert len(quote_of(session).workload.stages) == 3


@pytest.mark.parametrize(
    ("cells", "count", "duration", "names"),
    [
        ((("12",), ("9,5",)), (1, 1), ("12", "9.5"), ()),
        ((("ada", "12"), ("bob", "1h30")), (1, 1), ("12", "90"), ("ada", "bob")),
        ((("ada", "3", "12"),), (3,), ("12",), ("ada",)),
        ((("Name", "Count", "Min"), ("ada", "3", "12")), (3,), ("12",), ("ada",)),
    ],
)
def test_columns_are_told_by_their_cells(
    cells: tuple[tuple[str, ...], ...],
    count: tuple[int, ...],
    duration: tuple[str, ...],
    names: tuple[str, ...],
) -> None:
    tasks = read_tasks(cells, Tasks(), NumberFormat.ES_ES).tasks
    assert tasks is not None
    assert (tasks.count, tasks.names) == (count, names)
    assert tasks.duration == tuple(Decimal(one) for one in duration)


def test_a_list_of_durations_is_edited_row_by_row(page: WorkPage, session: Session) -> None:
    part = page.inspector.durations
    part.mode.setCurrentIndex(1)
    part.mode.activated.emit(1)
    assert part.table.isVisible()
    assert part.model.rowCount() == 1
    part.add_row.click()
    part.model.setData(part.model.index(0, 2), "12")
    part.model.setData(part.model.index(1, 1), "3")
    part.model.setData(part.model.index(1, 2), "1 h")
    tasks = stage_of(session).tasks
    assert (tasks.count, tasks.duration) == ((8, 3), (Decimal(12), Decimal(60)))
    part.mode.activated.emit(0)
    # 8 + 3 tasks, all as long as the first
    assert (stage_of(session).tasks.count, stage_of(session).tasks.duration) == ((11,), (Decimal(12),))


def test_ticks_of_the_inspector_change_links_and_preconditions(page: WorkPage, session: Session) -> None:
    page.go_to(("workload", "stages", "gate"))
    page.inspector.after.ticks["compute"].mark.click()
    assert stage_of(session, "gate").after == ("compute", "assembly")
    page.go_to(COMPUTE)
    page.inspector.preconditions.ticks["task_fits_one_card"].mark.click()
    assert [(one.code, one.holds) for one in stage_of(session).preconditions] == [
        ("task_fits_one_card", True)
    ]
    page.inspector.preconditions.ticks["task_fits_one_card"].mark.click()
    assert [one.holds for one in stage_of(session).preconditions] == [False]


@pytest.mark.parametrize(
    "place",
    [
        ("workload", "accepted_result"),
        ("workload", "limit"),
        ("workload", "budget"),
        ("workload", "quota_cards"),
        ("workload", "mutual_slow_down"),
        ("workload", "queue_wait"),
        ("workload", "independence"),
        ("workload", "delivered_as"),
        ("workload", "assembly_rule"),
        ("workload", "stages"),
        ("workload",),
        COMPUTE,
        (*COMPUTE, "duration"),
        (*COMPUTE, "memory"),
        (*COMPUTE, "after"),
        (*COMPUTE, "preconditions", "task_fits_one_card"),
        ("workload", "stages", "assembly", "duration"),
        ("workload", "resources", edits.STATION_ID),
    ],
)
def test_a_place_of_the_work_has_a_field_that_takes_the_focus(page: WorkPage, place: tuple[str, ...]) -> None:
    page.next_button.setFocus()  # type: ignore[union-attr]
    assert page.go_to(place)
    assert focused(page) is not page.next_button


def test_places_of_other_pages_are_left_to_them(page: WorkPage) -> None:
    assert not page.go_to(("offers", "x"))
    assert not page.go_to((*COMPUTE, "memory", "margin"))


def test_what_is_missing_is_said_under_its_field_on_going_there(page: WorkPage) -> None:
    assert not page.inspector.durations.frame.sentence
    page.go_to((*COMPUTE, "duration"))
    assert page.inspector.durations.frame.sentence


def test_every_stop_has_a_name(page: WorkPage) -> None:
    for stop in page.findChildren(QWidget):
        if stop.focusPolicy() & Qt.FocusPolicy.TabFocus and stop.isVisible():
            assert stop.accessibleName() or stop.property("text") or stop.parent().property("editable"), stop


def test_tab_goes_through_the_page_and_then_the_inspector_as_they_lie(page: WorkPage) -> None:
    def visible(part: QWidget) -> list[QWidget]:
        stops = [one for one in stops_in(part) if one.isVisible() and one.isEnabled()]
        return [one for one in stops if not isinstance(one, QRadioButton) or one.isChecked()]

    expected = [*visible(page.body), *visible(page.inspector.frame)]
    page.delivered.result.setFocus()
    walked = []
    for _ in expected:
        now = page.focusWidget()
        assert now is not None
        walked.append(now)
        QTest.keyClick(now, Qt.Key.Key_Tab)
    assert walked == expected
    assert page.focusWidget() is page.next_button
    frames = [page.delivered.frame, page.alone.frame, page.shared.frame, page.stages, page.inspector.frame]
    for frame in frames:
        inside = [one for one in walked if frame.isAncestorOf(one)]
        middles = [one.mapTo(frame, QPoint(0, one.height() // 2)).y() for one in inside]
        assert all(above - 12 < below for above, below in pairwise(middles)), inside


def test_the_picture_leads_from_the_input_to_the_gate(page: WorkPage, session: Session) -> None:
    flow = flow_of(WORDS, quote_of(session), session.estimate)
    assert [(one.id, one.column) for one in flow.boxes] == [
        ("", 0),
        ("compute", 1),
        ("assembly", 2),
        ("gate", 3),
    ]
    assert [(one.start, one.end, one.verified) for one in flow.arrows] == [
        ("", "compute", False),
        ("compute", "assembly", False),
        ("assembly", "gate", False),
    ]
    places = list(page.flow.boxes().values())
    assert all(left.right() < right.left() for left, right in pairwise(places))
    assert page.flow.accessibleDescription()


def test_a_circle_of_stages_still_has_a_picture() -> None:
    quote = quote_from(FirstAnswers("x", 2), WORDS)
    quote = edits.with_stage(quote, "compute", after=("gate",))
    flow = flow_of(WORDS, quote, None)
    assert max(box.column for box in flow.boxes) <= 3


def test_an_empty_quote_is_shown_and_starts_with_what_is_delivered(page: WorkPage, session: Session) -> None:
    session.show(Quote())
    page.focus_first()
    assert focused(page) is page.delivered.result
    assert page.stages.model.rowCount() == 0
    page.add_stage(StageKind.INDEPENDENT)
    assert page.stages.model.rowCount() == 1


def test_the_station_edit_is_taken_back_by_its_opposite() -> None:
    quote = quote_from(FirstAnswers("x", 2, assembly=False), WORDS)
    with_station = with_assembly(quote, "Assembly", "Station")
    assert without_kind(with_station, ResourceKind.STATION) == quote


def hours_of(session: Session) -> WorkingHours:
    hours = stage_of(session).hours
    assert hours is not None
    return hours


def test_the_section_on_when_is_folded_and_says_in_a_line_what_is_stated(
    page: WorkPage, session: Session, qtbot: QtBot
) -> None:
    when = page.inspector.when
    assert not when.release.isVisibleTo(page)
    assert when.summary.isVisibleTo(page)
    before = when.summary.text()
    QTest.mouseClick(when.fold, Qt.MouseButton.LeftButton)
    assert when.release.isVisibleTo(page)
    typed(when.release.line, "2 h")
    release = stage_of(session).release
    assert release is not None
    assert release.ms == 2 * 3_600_000
    QTest.mouseClick(when.fold, Qt.MouseButton.LeftButton)
    assert when.summary.text() != before
    assert "2 h" in when.summary.text()


def test_spread_and_saved_state_are_typed_and_emptied_again(page: WorkPage, session: Session) -> None:
    spread, checkpoint = page.inspector.durations.spread, page.inspector.when.checkpoint
    typed(spread, "15")
    assert stage_of(session).tasks.spread_percent == 15
    page.inspector.when.fold.click()
    typed(checkpoint.line, "30 min")
    saved = stage_of(session).checkpoint
    assert saved is not None
    assert saved.ms == 30 * 60_000
    typed(spread, "")
    typed(checkpoint.line, "")
    assert stage_of(session).tasks.spread_percent is None
    assert stage_of(session).checkpoint is None


def test_units_are_taken_one_by_one_and_no_longer_when_the_stage_does_not_wait(
    page: WorkPage, session: Session
) -> None:
    session.edit("wait", lambda quote: with_assembly(quote, "Ensamblaje", "Puesto"))
    page.go_to(("workload", "stages", "assembly", "release"))
    when = page.inspector.when
    when.streams.ticks["compute"].mark.click()
    assert stage_of(session, "assembly").streams_from == ("compute",)
    page.inspector.after.ticks["compute"].mark.click()
    assert stage_of(session, "assembly").streams_from == ()
    assert not when.streams.isVisibleTo(page)


def test_working_hours_are_a_shift_that_may_pass_midnight(page: WorkPage, session: Session) -> None:
    page.go_to((*COMPUTE, "hours"))
    when = page.inspector.when
    when.hours.tick.mark.click()
    assert as_shift(hours_of(session)) == ((0, 1, 2, 3, 4), 480, 1080)
    when.hours.days[4].click()
    typed(when.hours.opens, "22")
    typed(when.hours.closes, "6:30")
    assert as_shift(hours_of(session)) == ((0, 1, 2, 3), 1320, 390)
    assert [(one.days, one.opens, one.closes) for one in hours_of(session).windows] == [
        ((0, 1, 2, 3), 1320, 1440),
        ((1, 2, 3, 4), 0, 390),
    ]
    when.pauses.mark.click()
    assert stage_of(session).may_pause
    for day in when.hours.days[:4]:
        day.click()
    assert as_shift(hours_of(session)) == ((3,), 1320, 390)
    when.hours.tick.mark.click()
    assert stage_of(session).hours is None


def test_a_time_of_day_that_cannot_be_read_is_said_and_changes_nothing(
    page: WorkPage, session: Session
) -> None:
    page.go_to((*COMPUTE, "hours"))
    page.inspector.when.hours.tick.mark.click()
    before = stage_of(session).hours
    typed(page.inspector.when.hours.opens, "25:10")
    assert page.inspector.when.hours.opens.problem
    assert stage_of(session).hours == before


def test_a_project_is_made_by_choosing_a_new_one_and_goes_with_its_last_stage(
    page: WorkPage, session: Session
) -> None:
    page.go_to((*COMPUTE, "project"))
    when = page.inspector.when
    when.project.setCurrentIndex(when.project.count() - 1)
    when.project.activated.emit(when.project.count() - 1)
    (project,) = quote_of(session).workload.projects
    assert stage_of(session).project_id == project.id
    typed(when.project_name, "Norte")
    typed(when.priority, "3")
    typed(when.project_release.line, "1 h")
    typed(when.project_due.line, "5 h")
    (project,) = quote_of(session).workload.projects
    assert (project.name, project.priority, project.due and project.due.ms) == ("Norte", 3, 5 * 3_600_000)
    assert project.release is not None
    assert project.release.ms == 3_600_000
    assert page.go_to(("workload", "projects", project.id, "due"))
    assert when.project_due.line.hasFocus()
    when.project.activated.emit(0)
    assert quote_of(session).workload.projects == ()
    assert stage_of(session).project_id == ""
