"""The schedule: the chart's rows and bars from an estimate, what binds, and what choosing does to the quote."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from estimator import edits
from estimator.catalogue.embedded import embedded_catalogue
from estimator.estimate import estimate, headline
from estimator.evidence import StatedDuration
from estimator.hours import shift
from estimator.quote import AssignmentPolicy, Quote
from estimator.results.estimate import Estimate
from estimator.storage import read_quote
from estimator.units import TimeUnit
from estimator.wording import Language, NumberFormat, Wording
from tests.core.test_when_of_quotes import two_projects
from ui.gantt.folding import folded, groups_of
from ui.gantt.model import BarFlag, RowKind, Tone, legend
from ui.pages.page import Context
from ui.pages.schedule import SchedulePage
from ui.pages.schedule_chart import REFERENCE, ChartRequest, chart_for
from ui.pages.schedule_closed import closed_on_cards
from ui.pages.schedule_gantt import Chart, ColourBy, chart_of, empty_chart
from ui.pages.schedule_notes import notes_of
from ui.pages.schedule_picture import painted, picture_request
from ui.pages.schedule_tables import MOST_TASK_ROWS, policy_rows, task_rows
from ui.pages.schedule_tasks import MOST_LANES, lanes_of
from ui.runner import Runner
from ui.session import Session
from ui.theme import Theme

TODAY = dt.date(2026, 11, 30)
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)
MINUTE = 60_000
WAIT_MS = 20_000


def sample(name: str = "indice-de-las-obras") -> Quote:
    return read_quote(Path(str(files("resources.samples").joinpath(f"{name}.cabida"))))


def charted(
    quote: Quote, colour_by: ColourBy = ColourBy.STAGE, compared: str = "", critical: bool = False
) -> Chart:
    request = ChartRequest(WORDS, headline(quote, TODAY), colour_by, compared, critical, None)
    chart = chart_for(request, lambda _share: None, lambda: False)
    assert chart is not None
    return chart


@pytest.fixture(scope="module")
def complete() -> Estimate:
    return estimate(sample(), TODAY)


@pytest.fixture
def session() -> Iterator[Session]:
    runner = Runner()
    yield Session(runner, lambda: TODAY)
    runner.close()


@pytest.fixture
def page(qtbot: QtBot, session: Session) -> SchedulePage:
    page = SchedulePage(Context(session, WORDS, Theme(), embedded_catalogue))
    qtbot.addWidget(page)

    def show() -> None:
        if session.quote is not None:
            page.show_state(session.quote, session.estimate, session.is_stale)

    session.changed.connect(show)
    session.estimated.connect(show)
    page.resize(1166, 620)
    page.show()
    open_quote(qtbot, session, sample())
    return page


def open_quote(qtbot: QtBot, session: Session, quote: Quote) -> None:
    session.show(quote)
    wait_for_all(qtbot, session)


def wait_for_all(qtbot: QtBot, session: Session) -> None:
    qtbot.waitUntil(lambda: is_complete(session), timeout=WAIT_MS)


def is_complete(session: Session) -> bool:
    return not session.is_stale and session.estimate is not None and session.estimate.is_complete


def quote_of(page: SchedulePage) -> Quote:
    quote = page.context.session.quote
    assert quote is not None
    return quote


# The chart


def test_eight_tasks_on_two_cards_are_eight_bars_of_twelve_minutes_and_an_assembly() -> None:
    model = charted(sample()).model
    assert [row.kind for row in model.rows] == [RowKind.CARD, RowKind.CARD, RowKind.STATION, RowKind.GATE]
    starts = (model.bars.start_ms // MINUTE).tolist()
    assert starts == [0, 12, 24, 36, 0, 12, 24, 36, 48]
    assert (model.bars.end_ms - model.bars.start_ms).tolist() == [12 * MINUTE] * 8 + [10 * MINUTE]
    assert [model.label(at) for at in (0, 7, 8)] == ["Conversión 1", "Conversión 8", "Ensamblaje"]
    assert [(one.row, one.at_ms) for one in model.milestones] == [(3, 58 * MINUTE)]
    # a card by the hour is given back after its 48 min
    assert model.rows[0].use_text == "100\u00a0%"


def test_the_limit_is_a_line_and_belongs_to_the_time_shown() -> None:
    model = charted(sample()).model
    assert model.limit is not None
    assert (model.limit.at_ms, model.limit.late) == (90 * MINUTE, False)
    assert model.horizon_ms == 90 * MINUTE


def shown_on_lots(quote: Quote, organisation_id: str) -> Quote:
    """The quote with the organisation's cheapest plan on whole lots chosen."""
    organisation = headline(quote, TODAY).organisation(organisation_id)
    assert organisation is not None
    plan = next(one for one in organisation.plans if one.holdings[0].terms)
    return quote.replaced(chosen_plan=plan.id)


def on_lots() -> Quote:
    return shown_on_lots(sample(), "B")


def test_cards_of_a_lot_stand_unused_until_the_delivery() -> None:
    model = charted(on_lots()).model
    # each of the two cards waits from 48 min to 58 min: 48 of 58 min are used
    assert model.idle.start_ms.tolist() == [48 * MINUTE] * 2
    assert model.idle.end_ms.tolist() == [58 * MINUTE] * 2
    assert model.rows[0].use_text == "83\u00a0%"


def test_a_card_by_the_hour_is_not_unused_once_it_is_given_back() -> None:
    assert charted(sample()).model.idle.count == 0


def test_a_card_by_the_hour_that_is_held_through_assembly_is_unused_until_the_delivery() -> None:
    quote = edits.with_pricing(sample(), hold_through_assembly=True)
    model = charted(quote).model
    assert model.idle.start_ms.tolist() == [48 * MINUTE] * 2
    assert model.idle.end_ms.tolist() == [58 * MINUTE] * 2


def test_comparing_adds_the_reference_with_its_heading_and_the_difference() -> None:
    model = charted(sample(), compared=REFERENCE).model
    headings = [row for row in model.rows if row.kind is RowKind.HEADING]
    assert [heading.tone for heading in headings] == [Tone.GOOD, Tone.BAD]
    assert headings[1].use_text == "delivery 106 min, over the limit"
    assert model.bars.count == 18
    (difference,) = model.differences
    assert (difference.from_ms, difference.to_ms) == (106 * MINUTE, 58 * MINUTE)
    assert difference.text == "48 min earlier"
    assert model.horizon_ms == 106 * MINUTE


def test_shared_resources_are_steps_against_their_capacity() -> None:
    model = charted(sample("consultation-notes")).model
    licences, store = model.steps
    assert (licences.capacity, float(licences.used.max())) == (3.0, 3.0)
    # three transcriptions of 120 MB/s each
    assert (store.capacity, float(store.used.max())) == (600.0, 360.0)
    assert model.rows[licences.row].use_text == "of 3"
    assert licences.text == "3 of 3 in use"


def test_stations_that_work_at_once_get_a_row_each() -> None:
    names = [row.name for row in charted(sample("consultation-notes")).model.rows]
    assert "Reviewing clinicians 1" in names
    assert "Reviewing clinicians 2" in names


def test_colours_by_lot_group_the_cards_of_a_lot() -> None:
    model = charted(sample("consultation-notes"), colour_by=ColourBy.LOT).model
    assert model.group_names[:2] == ("1 × H100 SXM, 80 GB · 1", "1 × H100 SXM, 80 GB · 2")
    cards = model.bars.row < 4
    assert np.array_equal(model.group[cards], model.bars.row[cards])


def test_a_task_over_two_cards_is_a_bar_on_each() -> None:
    model = charted(sample("afinado-cooperativo")).model
    on_cards = np.flatnonzero(model.bars.row < 2)
    assert [model.label(int(at)) for at in on_cards] == ["Afinado del modelo"] * 2


def test_tasks_with_names_of_their_own_keep_them() -> None:
    quote = edits.with_tasks(
        sample(),
        "conversion",
        count=(1, 2),
        duration=(Decimal(5), Decimal(7)),
        names=("Atlas", "Planos"),
    )
    model = charted(quote).model
    assert sorted(model.label(at) for at in range(3)) == ["Atlas", "Planos 2", "Planos 3"]


def test_a_hundred_thousand_tasks_are_built_in_columns() -> None:
    quote = edits.with_equal_tasks(sample(), "conversion", count=100_000)
    chart = charted(quote)
    assert chart.model.bars.count == 100_001
    assert chart.model.label(99_999) == "Conversión 100,000"
    assert len(task_rows(chart)) == MOST_TASK_ROWS


def test_without_a_duration_there_is_no_chart_but_axis_and_rows() -> None:
    quote = edits.new_quote(unit="page", count=30, stage_name="OCR", gate_name="Acceptance")
    result = headline(quote, TODAY)
    assert chart_of(WORDS, result) is None
    model = empty_chart(WORDS, result)
    assert [row.kind for row in model.rows] == [RowKind.CARD]
    assert model.bars.count == 0


def test_very_many_tasks_off_the_cards_are_folded_into_their_span() -> None:
    quote = edits.with_equal_tasks(sample(), "ensamblaje", count=MOST_LANES + 4)
    quote = edits.without_resource(quote, "puesto")
    model = charted(quote).model
    stations = np.flatnonzero(model.bars.row == 2)
    assert [model.label(int(at)) for at in stations] == [f"{MOST_LANES + 4} tasks"]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20)), max_size=12))
def test_lanes_never_overlap_and_are_as_few_as_run_at_once(spans: list[tuple[int, int]]) -> None:
    start = np.array([begin for begin, _ in spans], dtype=np.int64)
    end = np.array([begin + length for begin, length in spans], dtype=np.int64)
    lane, count = lanes_of(start, end)
    most = max((int(((start <= at) & (end > at)).sum()) for at in start.tolist()), default=0)
    assert count == most
    for one in range(count):
        order = np.argsort(start[lane == one], kind="stable")
        begin, finish = start[lane == one][order], end[lane == one][order]
        assert bool(np.all(begin[1:] >= finish[:-1]))


def twelve_cards() -> Quote:
    quote = edits.with_layout(sample("credit-risk"), "eight", "scenarios", tasks_at_once=12)
    return shown_on_lots(quote, "eight")


def test_small_plans_have_a_row_a_card_and_no_headings() -> None:
    assert not any(row.group for row in charted(sample()).model.rows)


def test_many_cards_stand_under_headings_that_can_be_folded() -> None:
    model = charted(twelve_cards()).model
    first = model.rows[0]
    assert first.kind is RowKind.HEADING
    assert first.group == "shown/lot 0"
    assert first.use_text.startswith("12 cards, ")  # lots of one card each: their offer is the group
    assert all(row.depth == 1 for row in model.rows if row.kind is RowKind.CARD)
    shut = folded(model, {group.key for group in groups_of(model)}).model
    assert not any(row.kind is RowKind.CARD for row in shut.rows)
    assert max(float(steps.highest) for steps in shut.steps) <= 12


def test_every_card_says_how_long_it_is_busy_and_unused() -> None:
    model = charted(on_lots()).model
    assert model.rows[0].tip == "busy 48 min, unused 10 min"


def with_setup(minutes: int) -> Quote:
    quote = on_lots()
    plan = headline(quote, TODAY).shown_plan
    assert plan is not None
    setup = StatedDuration(value=Decimal(minutes), unit=TimeUnit.MINUTE)
    return edits.with_offer_fields(quote, plan.holdings[0].offer_id, setup=setup)


def test_set_up_is_shown_apart_from_unused_time() -> None:
    model = charted(with_setup(5)).model
    # Both cards are set up for 5 min, work from 5 to 53 and wait for the assembly, from 53 to 63 min.
    starts, ends = model.idle.start_ms // MINUTE, model.idle.end_ms // MINUTE
    assert sorted(zip(starts.tolist(), ends.tolist(), model.is_setup.tolist(), strict=True)) == [
        (0, 5, True),
        (0, 5, True),
        (53, 63, False),
        (53, 63, False),
    ]
    assert model.rows[0].tip == "busy 48 min, unused 10 min, set-up 5 min"
    assert [entry.text for entry in legend(model, "Unused", "Set-up")][-2:] == ["Unused", "Set-up"]


def test_what_makes_the_delivery_is_marked_where_it_is_asked() -> None:
    # Two cards of four conversions each end together at 48 min, then the assembly: all of it is critical.
    assert not charted(sample()).model.has_critical
    assert charted(sample(), critical=True).model.flags.tolist() == [int(BarFlag.CRITICAL)] * 9
    # Three cards of 3, 3 and 2: the third has 12 min of air.
    three = edits.with_layout(sample(), "B", "conversion", tasks_at_once=3)
    model = charted(shown_on_lots(three, "B"), critical=True).model
    last = [index for index in range(model.bars.count) if model.bars.row[index] == 2]
    assert len(last) == 2
    assert not model.flags[last].any()
    assert model.flags[[index for index in range(9) if index not in last]].all()


def test_another_assignment_stands_under_the_shown_one_on_the_same_axis() -> None:
    chart = charted(sample("consultation-notes"), compared="blocks", critical=True)
    headings = [row for row in chart.model.rows if row.kind is RowKind.HEADING and row.depth < 0]
    assert headings[1].name == "Fixed blocks"
    # 25 h 10 min by availability, 30 h 54 min in blocks; each plan has its own critical path.
    assert [heading.use_text for heading in headings[:2]] == ["delivery 25 h 10 min", "delivery 30 h 54 min"]
    half = next(at for at, row in enumerate(chart.model.rows) if row is headings[1])
    marked = chart.model.bars.row[chart.model.flags > 0]
    assert (marked < half).any()
    assert (marked > half).any()
    ends = [
        int(chart.model.bars.end_ms[chart.model.flags > 0][side].max())
        for side in (marked < half, marked > half)
    ]
    assert ends[0] < ends[1] == chart.model.bars.end_ms.max()


# What binds, and the tables


def test_with_equal_tasks_the_three_assignments_coincide(complete: Estimate) -> None:
    notes = notes_of(WORDS, complete)
    text = " ".join(notes.sentences)
    assert "With equal tasks the three assignments coincide." in text
    # three cards: 3 + 3 + 2 tasks of 12 min, then 10 min: 46 min, 12 fewer than 58
    assert "With 3 cards delivery is 46 min, 12 min earlier." in text
    assert not notes.binds


def test_a_resource_used_up_to_its_capacity_is_said() -> None:
    notes = notes_of(WORDS, estimate(sample("consultation-notes"), TODAY))
    assert any(one.startswith("Transcription licences: all 3 are in use") for one in notes.sentences)


def test_the_policies_say_their_gap_and_which_one_is_chosen(complete: Estimate) -> None:
    rows = policy_rows(sample(), complete)
    assert [row.result.policy for row in rows] == list(AssignmentPolicy)
    assert [row.chosen for row in rows] == [True, False, False, False]
    assert {row.gap for row in rows} == {0}


def test_a_gap_that_is_there_is_never_shown_as_none(page: SchedulePage, qtbot: QtBot) -> None:
    open_quote(qtbot, page.context.session, sample("credit-risk"))
    model = page.policies.model
    # longest first: 12,344,100 over 12,343,750 ms is 0.003 %
    assert model.index(2, 4).data() == "< 0.01\u00a0%"


# The page


def test_choosing_a_policy_assigns_every_stage_on_cards_in_one_step(
    page: SchedulePage, session: Session
) -> None:
    page.policies.table.setFocus()
    page.policies.table.setCurrentIndex(page.policies.model.index(1, 1))
    QTest.keyClick(page.policies.table, Qt.Key.Key_Space)
    organisation = quote_of(page).organisation("B")
    assert organisation is not None
    assert organisation.layout("conversion").policy is AssignmentPolicy.AVAILABILITY
    assert session.undo_label == "assign the tasks: by availability"
    session.undo()
    assert quote_of(page) == sample()


def test_walking_the_policies_with_the_arrows_chooses_nothing(page: SchedulePage) -> None:
    page.policies.table.setFocus()
    QTest.keyClick(page.policies.table, Qt.Key.Key_Down)
    assert quote_of(page) == sample()


def test_a_start_is_typed_as_date_time_and_zone(page: SchedulePage) -> None:
    assert page.go_to(("start",))
    row = page.start_row
    row.zone.setCurrentIndex(row.zone.findData("Europe/Madrid"))
    row.zone.activated.emit(row.zone.currentIndex())
    for line, text in ((row.date, "1/12/2026"), (row.time, "9:30")):
        line.setFocus()
        line.selectAll()
        QTest.keyClicks(line, text)
        QTest.keyClick(line, Qt.Key.Key_Return)
    quote = quote_of(page)
    assert quote.time_zone == "Europe/Madrid"
    # Madrid is one hour ahead of UTC in December
    assert quote.start is not None
    assert quote.start.astimezone(dt.UTC) == dt.datetime(2026, 12, 1, 8, 30, tzinfo=dt.UTC)
    assert page.picture()[1].start is not None


def test_a_text_that_is_no_time_is_not_taken(page: SchedulePage) -> None:
    assert page.go_to(("start",))
    QTest.keyClicks(page.start_row.time, "25:99")
    assert not page.start_row.time.commit()
    assert "This is not a time" in page.start_row._problem.text()


def test_the_table_shows_the_tasks_of_the_chart(page: SchedulePage, qtmodeltester: ModelTester) -> None:
    QTest.keyClick(page, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    assert page.stack.currentIndex() == 1
    model = page._task_model
    assert model.rowCount() == 9
    assert [model.index(0, column).data() for column in (0, 2, 3, 5)] == [
        "Conversión 1",
        "Card 1",
        "0 min",
        "12 min",
    ]
    qtmodeltester.check(model)


def test_the_chart_keeps_its_selection_while_the_comparisons_arrive(
    page: SchedulePage, qtbot: QtBot, session: Session
) -> None:
    open_quote(qtbot, session, sample())
    page.gantt.select(3)
    session.estimate_again()
    wait_for_all(qtbot, session)
    assert page.gantt.selected() == 3


def test_a_missing_duration_is_said_and_leads_to_its_field(
    page: SchedulePage, qtbot: QtBot, session: Session
) -> None:
    quote = edits.new_quote(unit="page", count=30, stage_name="OCR", gate_name="Acceptance")
    open_quote(qtbot, session, quote)
    assert page.absent.text() == "The duration of OCR is missing."
    with qtbot.waitSignal(page.asked, timeout=WAIT_MS) as asked:
        page.absent.click()
    assert asked.args == [("workload", "stages", "compute", "duration")]
    assert not page.policies.table.isVisibleTo(page)


def test_enter_on_a_bar_explains_it(page: SchedulePage, qtbot: QtBot) -> None:
    page.gantt.select(0)
    with qtbot.waitSignal(page.explained, timeout=WAIT_MS) as explained:
        page.gantt.explainRequested.emit(0)
    content = explained.args[1]
    assert content.title == "Conversión 1"
    assert content.rows[0].place == ("workload", "stages", "conversion", "duration")
    assert "Card 1" in content.notes[0]


def test_the_picture_has_the_chart_and_its_legend(page: SchedulePage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.picture_asked, timeout=WAIT_MS) as asked:
        page.bar.picture_button.menu().actions()[1].trigger()
    assert asked.args == ["svg"]
    model, _, entries = page.picture()
    assert model.bars.count == 9
    assert [entry.text for entry in entries] == [
        "Conversión, 8 tasks of 12 min",
        "Ensamblaje, 10 min",
    ]


def test_c_marks_the_critical_path_in_chart_legend_and_table(page: SchedulePage) -> None:
    QTest.keyClick(page, Qt.Key.Key_C)
    assert page.bar.critical.isChecked()
    assert page.gantt.model().has_critical
    assert page.picture()[2][-1].text == "Critical path"
    page.toggle_table()
    headers = [column.header for column in page._task_model.columns]
    assert headers[-1] == "Critical path"
    assert page._task_model.index(0, len(headers) - 1).data() == "makes the delivery"
    QTest.keyClick(page, Qt.Key.Key_C)
    assert not page.gantt.model().has_critical
    assert len(page._task_model.columns) == len(headers) - 1


def test_choosing_a_policy_to_compare_with_draws_both_in_the_background(
    page: SchedulePage, qtbot: QtBot
) -> None:
    offered = [page.bar.compare.itemText(at) for at in range(page.bar.compare.count())]
    assert offered[0] == "Compare: nothing"
    assert "Compare: By availability" in offered
    assert "Compare: Fixed blocks" not in offered  # it is the one in use
    page.bar.compare.setCurrentIndex(page.bar.compare.findData(AssignmentPolicy.AVAILABILITY.value))
    page.bar.compare.activated.emit(page.bar.compare.currentIndex())
    qtbot.waitUntil(lambda: page.gantt.model().bars.count == 18, timeout=WAIT_MS)
    assert "By availability" in [row.name for row in page.gantt.model().rows]


def test_a_chart_that_nobody_wants_any_more_is_dropped(
    page: SchedulePage, qtbot: QtBot, session: Session
) -> None:
    page.bar.compare.setCurrentIndex(page.bar.compare.findData(AssignmentPolicy.AVAILABILITY.value))
    page.bar.compare.activated.emit(page.bar.compare.currentIndex())
    page.bar.compare.setCurrentIndex(0)
    page.bar.compare.activated.emit(0)
    qtbot.waitUntil(lambda: not session.is_working(page._work), timeout=WAIT_MS)
    assert page.gantt.model().bars.count == 9


def test_a_chart_that_was_cancelled_is_made_when_it_is_asked_again(
    page: SchedulePage, qtbot: QtBot, session: Session
) -> None:
    page.bar.compare.setCurrentIndex(page.bar.compare.findData(AssignmentPolicy.AVAILABILITY.value))
    page.bar.compare.activated.emit(page.bar.compare.currentIndex())
    session.cancel()
    qtbot.waitUntil(lambda: not session.is_working(page._work), timeout=WAIT_MS)
    assert page.gantt.model().bars.count == 9
    session.estimate_again()
    qtbot.waitUntil(lambda: page.gantt.model().bars.count == 18, timeout=WAIT_MS)


def test_the_explanation_of_a_critical_bar_says_so(page: SchedulePage, qtbot: QtBot) -> None:
    QTest.keyClick(page, Qt.Key.Key_C)
    with qtbot.waitSignal(page.explained, timeout=WAIT_MS) as explained:
        page.gantt.explainRequested.emit(0)
    assert "critical path" in explained.args[1].notes[1]


def test_rows_stay_folded_while_the_quote_is_edited_and_in_its_picture(
    page: SchedulePage, qtbot: QtBot, session: Session
) -> None:
    open_quote(qtbot, session, twelve_cards())
    assert page.bar.fold.isEnabled()
    page.bar.fold.trigger()
    rows = len(page.gantt.model().rows)
    assert not any(row.kind is RowKind.CARD for row in page.gantt.model().rows)
    session.edit("more", lambda quote: edits.with_equal_tasks(quote, "market", duration=Decimal(30)))
    wait_for_all(qtbot, session)
    assert len(page.gantt.model().rows) == rows
    request = picture_request(session.estimate or headline(sample(), TODAY), WORDS, page.picture_options())
    chart = chart_for(request, lambda _share: None, lambda: False)
    assert chart is not None
    picture = painted(chart, request, page.font(), "svg", page.picture_options().folded).decode()
    assert "12 cards" in picture
    assert "Card 12" not in picture
    page.bar.fold.trigger()
    assert any(row.kind is RowKind.CARD for row in page.gantt.model().rows)


def test_places_of_other_pages_are_left_to_them(page: SchedulePage) -> None:
    assert not page.go_to(("workload", "limit"))
    assert page.go_to(("organisations", "B", "layouts", "conversion", "policy"))
    assert page.policies.table.hasFocus() or page.policies.table.isVisibleTo(page)


def focusable(page: QWidget) -> list[QWidget]:
    """Return what Tab stops at, in its order."""
    found: list[QWidget] = []
    start = widget = page.nextInFocusChain()
    while True:
        tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if page.isAncestorOf(widget) and tab and widget.isVisibleTo(page) and widget.focusProxy() is None:
            found.append(widget)
        widget = widget.nextInFocusChain()
        if widget is start:
            return found


def test_tab_walks_the_page_in_reading_order(page: SchedulePage) -> None:
    page.bar.show_dates()
    stops = [one for one in focusable(page) if one.isEnabled()]
    first = stops.index(page.bar.times)
    stops = stops[first:] + stops[:first]

    def key(widget: QWidget) -> tuple[bool, int, int]:
        at = widget.mapTo(page, QPoint(0, 0))
        return widget in (page.previous_button, page.next_button), at.y() // 14, at.x()

    assert stops == sorted(stops, key=key)


def test_whatever_takes_the_focus_has_a_name(page: SchedulePage) -> None:
    page.bar.show_dates()
    for widget in focusable(page):
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        assert widget.accessibleName() or text, widget


def in_office_hours() -> Quote:
    """The two projects from 8:00 on, on cards that compute from 8:00 to 15:00; one begins after 9 h at the earliest."""
    quote = two_projects().replaced(start=dt.datetime(2026, 12, 7, 8), time_zone="Europe/Madrid")
    hours = shift((0, 1, 2, 3, 4, 5), 8 * 60, 15 * 60)
    quote = edits.with_offer_fields(quote, quote.offers[0].id, hours=hours)
    return edits.with_stage(quote, "a", release=StatedDuration(value=Decimal(9), unit=TimeUnit.HOUR))


def test_closed_hours_are_shaded_and_are_no_unused_time() -> None:
    # Two hours of work, idle until 15:00 at 7 h; closed until 8:00 at 24 h; then two hours more.
    chart = charted(in_office_hours())
    hour = 60 * MINUTE
    model = chart.model
    assert [int(one) // hour for one in model.closed.start_ms] == [7, 7]
    assert [int(one) // hour for one in model.closed.end_ms] == [24, 24]
    assert [int(one) // hour for one in model.idle.start_ms] == [2, 2]
    assert [int(one) // hour for one in model.idle.end_ms] == [7, 7]
    assert [one.text for one in legend(model, closed="Closed")][-1] == "Closed"
    assert folded(model, frozenset()).model.closed.count == 2


def test_a_card_that_is_taken_away_is_closed_from_then_on() -> None:
    quote = two_projects()
    gone = StatedDuration(value=Decimal(5), unit=TimeUnit.HOUR)
    quote = edits.with_offer_fields(quote, quote.offers[0].id, available_for=gone)
    timing = headline(quote, TODAY).plans[0].timing
    row, start, end = closed_on_cards(quote, timing, np.array([3, 4]), 8 * 60 * MINUTE)
    assert (row.tolist(), start.tolist(), end.tolist()) == (
        [3, 4],
        [5 * 60 * MINUTE] * 2,
        [8 * 60 * MINUTE] * 2,
    )


def test_what_each_project_loses_is_a_table_that_the_keyboard_reaches(page: SchedulePage) -> None:
    found = estimate(two_projects(), TODAY)
    page.show_state(found.quote, found, False)
    table = page.projects.table
    assert table.isVisibleTo(page)
    model = table.model()
    cells = [[model.index(row, column).data() for column in range(6)] for row in range(2)]
    assert cells == [
        ["North", "4 h 00 min", "2 h 00 min", "2 h 00 min", "3 h 00 min", "60 min"],
        ["South", "2 h 00 min", "2 h 00 min", "0 min", "3 h 00 min", "in time"],
    ]
    table.setFocus()
    assert table.currentIndex().isValid()
    page.show_state(sample(), estimate(sample(), TODAY), False)
    assert not table.isVisibleTo(page)
