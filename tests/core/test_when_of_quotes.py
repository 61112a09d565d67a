"""Hours, releases, due dates, shares and projects of a quote: from the document to the answer on every face."""

from __future__ import annotations

import datetime as dt
import io
from decimal import Decimal

import pytest
from openpyxl import load_workbook

from estimator import edits
from estimator.catalogue import Card, Lot
from estimator.catalogue.offers import TermPrice
from estimator.estimate import headline
from estimator.evidence import GIVEN, Stated, StatedDuration
from estimator.exports.csv_text import CsvTable, rows_of
from estimator.exports.json_text import as_json
from estimator.exports.paper import Cells, paper_of
from estimator.exports.workbook import workbook_bytes
from estimator.figures import explain
from estimator.hours import Window, WorkingHours
from estimator.plan.starting import clocks_change, windows_from
from estimator.problems import Absent
from estimator.quote import (
    Organisation,
    Project,
    Quote,
    ResourceKind,
    ResourceNeed,
    SharedResource,
    Stage,
    StageKind,
    StageLayout,
    Tasks,
    Workload,
)
from estimator.results.estimate import Estimate, Timing
from estimator.storage import quote_from_text, quote_to_text
from estimator.terminal import estimate_text
from estimator.units import TimeUnit
from estimator.wording import Language, NumberFormat, Wording
from tests.quotes import compared

ENGLISH = Wording(Language.ENGLISH, NumberFormat.EN_GB)
TODAY = dt.date(2026, 11, 30)
D = Decimal
MINUTE = 60_000
HOUR = 60 * MINUTE
MONDAY = dt.datetime(2026, 11, 30, 9, 0)
OFFICE = WorkingHours(windows=(Window(days=(0, 1, 2, 3, 4), opens=8 * 60, closes=16 * 60),))


def hours(value: int) -> StatedDuration:
    return StatedDuration(value=D(value), unit=TimeUnit.HOUR, evidence=GIVEN)


def stage(id_: str, count: int, minutes: int, **fields: object) -> Stage:
    tasks = Tasks(count=(count,), duration=(D(minutes),))
    return Stage.model_validate({"id": id_, "name": id_, "tasks": tasks, **fields})


def quote_of(*stages: Stage, slots: int = 2, **fields: object) -> Quote:
    layouts = tuple(StageLayout(stage_id=one.id, tasks_at_once=slots) for one in stages if one.on_cards)
    lot = Lot(id="lot", name="Lot", card_id="c", cards=slots, terms=(TermPrice(days=7, price=D(100)),))
    workload = Workload(stages=stages, projects=fields.pop("projects", ()))
    return Quote.model_validate(
        {
            "workload": workload,
            "organisations": (Organisation(id="A", layouts=layouts, mechanism="any"),),
            "cards": (Card(id="c", name="C", marketed_gb=D(24)),),
            "offers": (lot,),
            **fields,
        }
    )


def timing_of(found: Estimate) -> Timing:
    assert found.shown is not None
    assert isinstance(found.shown.timing, Timing), found.shown.timing
    return found.shown.timing


def codes(found: Estimate) -> set[str]:
    return {one.code for one in found.problems}


@pytest.mark.parametrize(("policy", "start"), [("availability", 20), ("blocks", 30)])
def test_units_that_are_handed_over_singly_are_taken_as_soon_as_their_share_is_there(
    policy: str, start: int
) -> None:
    # 12 of 10 min on two cards: 60 min. The first share of three ends at 20 min; in fixed blocks it lies on one
    # card and ends at 30. The last share ends at 60, and its assembly of 15 min at 75, as if all had waited.
    cut, join = stage("cut", 12, 10), stage("join", 4, 15, kind=StageKind.STATION, after=("cut",))
    quote = edits.with_layout(quote_of(cut, join), "A", "cut", policy=policy)
    whole = timing_of(compared(quote, TODAY))
    singly = timing_of(compared(edits.with_stage(quote, "join", streams_from=("cut",)), TODAY))
    assert [one.start_ms for one in whole.stages] == [0, 60 * MINUTE]
    assert [one.start_ms for one in singly.stages] == [0, start * MINUTE]
    assert whole.delivery_ms == singly.delivery_ms == 75 * MINUTE


def test_uneven_shares_are_an_error_and_no_schedule() -> None:
    quote = quote_of(stage("cut", 12, 10), stage("join", 5, 15, after=("cut",), streams_from=("cut",)))
    found = compared(quote, TODAY)
    assert "no_whole_share" in codes(found)
    assert found.shown is not None
    assert isinstance(found.shown.timing, Absent)
    assert found.shown.timing.code == "no_whole_share"


def test_a_share_that_differs_from_a_delivery_is_said() -> None:
    join = stage("join", 4, 15, kind=StageKind.STATION, after=("cut",), streams_from=("cut",))
    quote = edits.with_workload(quote_of(stage("cut", 12, 10), join), units_per_delivery=4)
    assert "share_differs" in codes(compared(quote, TODAY))
    assert "share_differs" not in codes(compared(edits.with_workload(quote, units_per_delivery=3), TODAY))


def test_a_stage_starts_no_earlier_than_stated_and_a_late_one_is_named_with_by_how_much() -> None:
    # Two tasks of 60 min on two cards from hour 2: the end is hour 3, an hour after the due date.
    found = compared(quote_of(stage("a", 2, 60, release=hours(2), due=hours(2))), TODAY)
    timing = timing_of(found)
    assert (timing.stages[0].start_ms, timing.delivery_ms) == (2 * HOUR, 3 * HOUR)
    late = next(one for one in found.problems if one.code == "stage_late")
    assert dict(late.values) == {"name": "a", "late_ms": HOUR, "due_ms": 2 * HOUR}
    assert "due_before_release" in codes(found)


def test_working_hours_need_a_start() -> None:
    quote = quote_of(stage("a", 2, 60, hours=OFFICE))
    found = compared(quote, TODAY)
    assert found.shown is not None
    assert isinstance(found.shown.timing, Absent)
    assert found.shown.timing.code == "hours_without_start"
    assert "hours_without_start" in codes(found)


@pytest.mark.parametrize(("pauses", "end"), [(True, 25), (False, 26)])
def test_work_pauses_over_night_or_waits_for_the_morning(pauses: bool, end: int) -> None:
    # Monday 9:00, open until 16:00. Three tasks of 3 h on a card: 9-12, 12-15 and, paused, 15-16 and Tuesday
    # 8-10 (25 h after the start); whole, Tuesday 8-11 (26 h).
    quote = quote_of(
        stage("a", 3, 180, hours=OFFICE, may_pause=pauses), slots=1, start=MONDAY, time_zone="Europe/Madrid"
    )
    found = compared(quote, TODAY)
    timing = timing_of(found)
    assert timing.delivery_ms == end * HOUR
    assert timing.lower_bound_ms == timing.delivery_ms
    assert "clock_changes" not in codes(found)
    assert {one.code for one in found.conditions} & {"pauses"} == ({"pauses"} if pauses else set())


def test_a_task_that_no_open_stretch_holds_is_named() -> None:
    quote = quote_of(stage("a", 1, 9 * 60, hours=OFFICE), start=MONDAY, time_zone="Europe/Madrid")
    assert "no_hours_long_enough" in codes(compared(quote, TODAY))


def test_hours_follow_the_week_from_a_start_in_its_middle() -> None:
    # From Wednesday 10:00 the week's first window is the rest of Wednesday, and the last its morning.
    start = dt.datetime(2026, 12, 2, 10, 0)
    found = windows_from(WorkingHours(windows=(Window(days=(2, 3), opens=480, closes=960),)), start)
    day = 24 * HOUR
    assert found == ((0, 6 * HOUR), (22 * HOUR, 30 * HOUR), (7 * day - 2 * HOUR, 7 * day))


def test_a_change_of_clocks_under_working_hours_is_said() -> None:
    quote = quote_of(stage("a", 1, 60, hours=OFFICE), start=MONDAY, time_zone="Europe/Madrid")
    late = quote.replaced(start=dt.datetime(2027, 3, 26, 15, 30))  # Friday; clocks change on Sunday 28
    assert "clock_changes" in codes(compared(late, TODAY))
    madrid = dt.datetime(2026, 11, 30, 9, 0, tzinfo=dt.UTC)
    assert not clocks_change(madrid, 1000 * HOUR)


def test_cards_that_leave_and_cards_with_hours_are_kept_to() -> None:
    quote = quote_of(stage("a", 3, 180), slots=1, start=MONDAY, time_zone="Europe/Madrid")
    offer = quote.offers[0]
    assert timing_of(compared(quote, TODAY)).delivery_ms == 9 * HOUR
    staffed = quote.replaced(offers=(offer.replaced(hours=OFFICE),))
    assert timing_of(compared(staffed, TODAY)).delivery_ms == 26 * HOUR
    short = quote.replaced(offers=(offer.replaced(available_for=hours(7)),))
    found = compared(short, TODAY)
    assert found.plans == ()
    assert found.shown is not None
    assert [reason.code for _, reason in found.shown.excluded] == ["outruns_rental"]


def two_projects() -> Quote:
    projects = (
        Project(id="p", name="North", priority=2, due=hours(3)),
        Project(id="q", name="South", priority=1, due=hours(3)),
    )
    return quote_of(stage("a", 4, 60, project_id="p"), stage("b", 4, 60, project_id="q"), projects=projects)


def test_two_projects_on_the_same_cards_are_shown_together_and_alone() -> None:
    # 4 tasks of an hour on two cards are 2 h alone. Together the first priority has 2 h, the other 4 h.
    found = compared(two_projects(), TODAY)
    north, south = found.projects
    assert (north.delivery_ms, north.alone_ms, north.loses_ms, north.late_ms) == (
        4 * HOUR,
        2 * HOUR,
        2 * HOUR,
        HOUR,
    )
    assert (south.delivery_ms, south.alone_ms, south.late_ms) == (2 * HOUR, 2 * HOUR, 0)
    assert "project_late" in codes(found)
    assert as_json(found)["projects"][0]["late_ms"] == HOUR
    text = estimate_text(ENGLISH, found)
    assert (
        "North: delivered after 4 h 00 min; alone after 2 h 00 min: it loses 2 h 00 min; LATE by 60 min"
        in text
    )
    assert "South: delivered after 2 h 00 min; alone no sooner; in time" in text


def test_a_project_taken_away_leaves_its_stages() -> None:
    quote = edits.without_project(two_projects(), "p")
    assert [one.project_id for one in quote.workload.stages] == ["", "q"]
    renamed = edits.with_project(quote, Project(id="q", name="West"))
    assert [one.name for one in renamed.workload.projects] == ["West"]


def test_all_of_it_is_saved_and_opens_again() -> None:
    quote = two_projects()
    quote = edits.with_stage(quote, "a", hours=OFFICE, may_pause=True, release=hours(1))
    assert quote_from_text(quote_to_text(quote)) == quote


def test_the_workbook_follows_shares_and_keeps_the_times_of_working_hours() -> None:
    cut = stage("cut", 4, 60)
    join = stage("join", 2, 90, kind=StageKind.STATION, after=("cut",), streams_from=("cut",))
    check = stage("check", 1, 60, kind=StageKind.STATION, after=("join",), hours=OFFICE)
    quote = quote_of(cut, join, check, start=MONDAY, time_zone="Europe/Madrid")
    data = workbook_bytes(compared(quote, TODAY), ENGLISH, TODAY)
    sheet = load_workbook(io.BytesIO(data))["Schedule"]
    rows = {row[1].value: row for row in sheet.iter_rows(min_row=10) if row[1].value}
    duration, start = (
        [cell.value for cell in rows["Task"]].index(head) for head in ("Duration, min", "Start, min")
    )
    # The first join waits for the ends of the first two cuts and for nothing else.
    assert str(rows["join 1"][start].value).count(",") == 2
    assert str(rows["join 1"][start].value).startswith("=MAX(0,")
    assert rows["check"][duration].value == 60
    assert isinstance(rows["check"][start].value, int | float)
    assert "no formula follows their working hours: check" in sheet["B2"].value


def test_the_explanation_of_the_delivery_adds_up_with_waits_and_shares() -> None:
    # 12 of 10 min on two cards from minute 30: 90; the last assembly of 15 min then: 30 + 60 + 15 = 105.
    cut = stage("cut", 12, 10, release=StatedDuration(value=D(30)))
    join = stage("join", 4, 15, kind=StageKind.STATION, after=("cut",), streams_from=("cut",))
    found = compared(quote_of(cut, join), TODAY)
    steps = explain(found, "delivery").steps
    assert [(one.code, one.result) for one in steps] == [
        ("wait_before", 30 * MINUTE),
        ("rounds", 60 * MINUTE),
        ("rest_of_stage", 15 * MINUTE),
    ]
    assert timing_of(found).delivery_ms == 105 * MINUTE


def test_the_workbook_says_when_each_project_is_delivered_and_how_late() -> None:
    # North is due after 180 min and delivered after 240; South after 120.
    data = workbook_bytes(compared(two_projects(), TODAY), ENGLISH, TODAY)
    stored = load_workbook(io.BytesIO(data), data_only=True)["Schedule"]
    formulas = load_workbook(io.BytesIO(data))["Schedule"]
    rows = {row[1].value: [cell.value for cell in row[2:5]] for row in stored.iter_rows(max_row=12)}
    assert rows["North"] == [180, 240, 60]
    assert rows["South"] == [180, 120, 0]
    north = next(row for row in formulas.iter_rows(max_row=12) if row[1].value == "North")
    assert str(north[3].value).startswith("=MAX(")
    assert str(north[4].value).startswith("=MAX(0,")


def test_every_policy_says_its_idle_card_time_in_hours_and_money() -> None:
    # Two cards held for 7 days, 336 h, for 100: 8 h compute, so that 328 h and 100 × 328 / 336 = 97.619 are idle.
    found = compared(two_projects(), TODAY)
    assert found.shown is not None
    assert len(found.shown.policies) == 4
    for one in found.shown.policies:
        assert one.idle_card_ms == 328 * HOUR
        assert isinstance(one.idle_cost, D)
        assert round(one.idle_cost, 3) == D("97.619")
    assert f"328.0 h · {ENGLISH.money(D('97.62'), 'EUR')}" in estimate_text(ENGLISH, found)


def test_without_a_price_idle_time_has_hours_and_no_money() -> None:
    # Two cards until the delivery after 4 h are 8 h, all of which compute.
    found = compared(two_projects().replaced(offers=()), TODAY)
    assert found.shown is not None
    for one in found.shown.policies:
        assert one.idle_card_ms == 0
        assert isinstance(one.idle_cost, Absent)


def test_projects_stand_on_paper_and_in_a_csv_file() -> None:
    found = compared(two_projects(), TODAY)
    cells = [
        block
        for section in paper_of(found, ENGLISH).sections
        for block in section.blocks
        if isinstance(block, Cells) and block.heads[:2] == ("Project", "Together")
    ]
    assert cells[0].rows == (
        ("North", "4 h 00 min", "2 h 00 min", "2 h 00 min", "3 h 00 min", "60 min"),
        ("South", "2 h 00 min", "2 h 00 min", "0 min", "3 h 00 min", "in time"),
    )
    assert cells[0].strong == {0}
    rows = list(rows_of(found, CsvTable.PROJECTS, ENGLISH))
    assert rows[1:] == [("North", 2, 240, 120, 120, 180, 60), ("South", 1, 120, 120, 0, 180, 0)]


def test_a_cap_that_licences_hold_below_costs_no_event_a_task() -> None:
    # 3 licences: 300 tasks of 10 min end after 1,000 min, on three cards in one run each, whatever the cap says.
    licence = SharedResource(
        id="l", name="L", kind=ResourceKind.LICENCE, capacity=Stated(value=D(3), evidence=GIVEN)
    )
    need = (ResourceNeed(resource_id="l"),)
    quote = quote_of(stage("a", 300, 10, needs=need), slots=8)
    quote = quote.replaced(workload=quote.workload.replaced(resources=(licence,)))
    layout = quote.organisations[0].layouts[0].replaced(policy="availability")
    capped = quote.replaced(organisations=(quote.organisations[0].replaced(layouts=(layout,)),))
    timing = timing_of(headline(capped, TODAY))
    assert timing.delivery_ms == 1_000 * MINUTE
    assert len(timing.schedule.run_start_ms) == 3


def test_the_bound_of_very_long_work_is_a_floor_that_may_prove_the_rent() -> None:
    # 30,000 tasks of an hour on one card are 1,250 days, 178.6 weeks of 100. 178 weeks are 29,904 tasks for 17,800,
    # so that 30,000 cost at least 17,857; whole weeks make it 17,900, what 179 weeks cost.
    plan = headline(quote_of(stage("a", 30_000, 60), slots=1), TODAY).shown_plan
    assert plan is not None
    assert plan.rent == 17_900
    assert plan.rent_bound == 17_900
    assert plan.proven
