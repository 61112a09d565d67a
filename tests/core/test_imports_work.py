"""Task lists and project plans: columns, durations of every writing, links, hostile files."""

from __future__ import annotations

import datetime as dt
import io
import time
import zipfile
from decimal import Decimal

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.imports.into import as_stages, as_tasks, with_stages_of, with_tasks_of
from estimator.imports.projects import MOST_DEPTH, read_project
from estimator.imports.tables import Table, read_table
from estimator.imports.work import WorkList, clock_ms, links_of, read_work
from estimator.problems import FileRefused, Severity
from estimator.quote import Organisation, Quote, Stage, StageKind, Tasks, Workload
from estimator.units import TimeUnit
from estimator.wording import Language, NumberFormat, Wording

D = Decimal
HOUR = 3_600_000
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)


def table(text: str) -> Table:
    return read_table(text.encode(), "list.csv")


def work(text: str, number_format: str = "es_ES") -> WorkList:
    return read_work(table(text), number_format)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("1:30", 5_400_000),
        ("26:15", 26 * HOUR + 900_000),
        ("36:00:00", 36 * HOUR),
        ("1-02:03:04", 93_784_000),
        ("PT24H0M0S", 24 * HOUR),
        ("PT6H30M0S", 23_400_000),
        ("P1DT1H", 25 * HOUR),
        ("PT0H0M0S", 0),
        ("P", None),
        ("PT1000001H", 1_000_001 * HOUR),
        ("P1000001D", None),
        ("PT" + "9" * 5_000 + "S", None),
        ("12", None),
        ("1:75", None),
    ],
)
def test_clocks_of_any_length_and_iso_durations_are_read(text: str, ms: int | None) -> None:
    assert clock_ms(text) == ms


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("task;hours\nA;2,5\n", 9_000_000),
        ("task;h\nA;0.5\n", 1_800_000),
        ("task;duration (min)\nA;90\n", 5_400_000),
        ("tarea;duración_h\nA;3\n", 3 * HOUR),
        ("task;time\nA;1 h 30 min\n", 5_400_000),
        ("task;time\nA;90 s\n", 90_000),
        ("task;days\nA;2\n", 48 * HOUR),
        ("task;segundos\nA;12\n", 12_000),
    ],
)
def test_a_duration_is_read_in_the_unit_of_its_heading_or_its_own(text: str, ms: int) -> None:
    (row,) = work(text).rows
    assert row.duration_ms == ms
    assert work(text).problems == ()


@pytest.mark.parametrize(
    "text", ["36363636363636363636363636", "24000000,1", "9" * 5_000, "99999999999 d", "-1"]
)
def test_a_time_that_no_task_has_is_named_and_left_out(text: str) -> None:
    found = work(f"task;hours\nA;{text}\nB;24000000\n")
    assert [(row.name, row.duration_ms) for row in found.rows] == [("B", 24_000_000 * HOUR)]
    assert [one.code for one in found.problems] == ["duration_unreadable"]
    as_stages(found)


def test_a_duration_that_is_blank_is_not_known_and_not_zero() -> None:
    first, second = work("task;min\nA;\nB;0\n").rows
    assert (first.duration_ms, second.duration_ms) == (None, 0)
    stages, _ = as_stages(work("task;min\nA;\nB;0\n"))
    assert [one.kind for one in stages] == [StageKind.INDEPENDENT, StageKind.GATE]
    assert stages[0].tasks.duration == (None,)


def book(
    rows: list[list[object]], formats: dict[str, str] | None = None, epoch: dt.datetime | None = None
) -> bytes:
    """Return a workbook with those cells; `formats` gives number formats by cell, `epoch` its first day."""
    made = openpyxl.Workbook()
    if epoch is not None:
        made.epoch = epoch
    sheet = made.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    for cell, number_format in (formats or {}).items():
        sheet[cell].number_format = number_format
    stream = io.BytesIO()
    made.save(stream)
    return stream.getvalue()


def test_workbook_durations_over_a_day_are_whole() -> None:
    data = book([["task", "duration"], ["A", 1.5], ["B", 1.5]], {"B2": "[h]:mm", "B3": "h:mm"})
    found = read_work(read_table(data, "a.xlsx"))
    assert [row.duration_ms for row in found.rows] == [36 * HOUR, 36 * HOUR]


@pytest.mark.parametrize("epoch", ["1900", "1904"])
def test_workbook_dates_keep_their_day_in_both_epochs(epoch: str) -> None:
    from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900

    day = dt.datetime(2026, 4, 3)
    first = CALENDAR_MAC_1904 if epoch == "1904" else CALENDAR_WINDOWS_1900
    data = book([["task", "hours", "start"], ["A", 1, day]], epoch=first)
    (row,) = read_work(read_table(data, "a.xlsx")).rows
    assert row.start == day.date()


def test_the_day_that_never_was_is_no_date() -> None:
    # O-XLS-06: serial 60 of the 1900 system is 29 February 1900
    data = book(
        [["task", "hours", "start"], ["A", 1, 60], ["B", 1, 61]], {"C2": "yyyy-mm-dd", "C3": "yyyy-mm-dd"}
    )
    first, second = read_work(read_table(data, "a.xlsx")).rows
    assert first.start is None
    assert second.start == dt.date(1900, 3, 1)


def test_titles_and_headings_over_several_columns_are_told_from_data() -> None:
    made = openpyxl.Workbook()
    sheet = made.active
    assert sheet is not None
    sheet.append(["Plan of the render", None, None, None])
    sheet.append(["Task", "Duration", None, "Cards"])
    sheet.append([None, "min", "note", None])
    sheet.append(["A", 12, "x", 1])
    sheet.merge_cells("A1:D1")
    sheet.merge_cells("B2:C2")
    stream = io.BytesIO()
    made.save(stream)
    found = read_table(stream.getvalue(), "a.xlsx")
    assert found.header == ("Task", "Duration min", "Duration note", "Cards")
    (row,) = read_work(found).rows
    assert (row.name, row.duration_ms, row.cards) == ("A", 12 * 60_000, 1)
    assert [one.code for one in found.notes] == ["lines_above_header"]


def test_a_list_of_words_alone_is_not_taken_for_a_second_heading() -> None:
    found = table("task;hours;note\nA;;first\nB;;second\n")
    assert found.header == ("task", "hours", "note")
    assert len(found.rows) == 2


def test_rows_that_cannot_be_read_are_named_and_the_others_kept() -> None:
    found = work("task;min;count\nA;x;1\n;5;1\nC;6;0\nD;7;2,5\nE;8;3\nF;-1;1\n")
    assert [row.name for row in found.rows] == ["E"]
    assert [(one.code, dict(one.values)["line"]) for one in found.problems] == [
        ("duration_unreadable", 2),
        ("row_without_name", 3),
        ("not_a_count", 4),
        ("not_a_count", 5),
        ("duration_unreadable", 7),
    ]


def test_marks_that_contradict_take_nothing_from_their_column() -> None:
    found = work("task;hours\nA;1,5\nB;2.5\n")
    assert found.rows == ()
    assert "number_marks_contradict" in {one.code for one in found.problems}


def test_the_unit_of_the_stage_is_one_that_all_durations_fit() -> None:
    assert work("task;min\nA;90\nB;60\n").unit is TimeUnit.HOUR
    assert work("task;min\nA;12\nB;7\n").unit is TimeUnit.MINUTE
    assert work("task;s\nA;0,5\nB;7\n").unit is TimeUnit.SECOND
    tasks = as_tasks(work("task;min\nA;90\nB;60\n"), Tasks())
    assert (tasks.duration, tasks.unit) == ((D("1.5"), D(1)), TimeUnit.HOUR)


def test_links_by_name_and_by_id_become_stages_after_one_another() -> None:
    found = work("id;task;h;predecessors\n1;Load;1;\n2;Solve;2;1\n3;Pack;1;Load, 2\n")
    stages, problems = as_stages(found)
    assert [one.after for one in stages] == [(), ("load",), ("load", "solve")]
    assert problems == ()


def test_a_circle_is_named_and_links_nobody() -> None:
    found = work(
        "id;name;duration_h;predecessors\n1;load;2;\n2;tokenise;3;1,4\n3;train;20;2\n4;evaluate;4;3\n"
    )
    links, problems = links_of(found.rows)
    assert set(links.values()) == {()}
    (circle,) = [one for one in problems if one.code == "predecessors_in_a_circle"]
    assert dict(circle.values)["names"] == "tokenise, train, evaluate"


def test_a_link_to_nobody_is_an_error_with_its_line() -> None:
    _, problems = as_stages(work("task;h;after\nA;1;Z\n"))
    assert [(one.code, one.severity) for one in problems] == [("predecessor_missing", Severity.ERROR)]


def test_cards_and_memory_of_the_rows_reach_the_quote() -> None:
    quote = Quote(
        workload=Workload(stages=(Stage(id="s", name="Solve"),)), organisations=(Organisation(id="A"),)
    )
    found = work("task;h;cards;memory GiB\nA;1;4;71,4\nB;2;4;12,0\n")
    filled = with_tasks_of(quote, "s", found)
    assert filled.organisations[0].layout("s").cards_per_task == 4
    stage = filled.workload.stage("s")
    assert stage is not None
    assert stage.memory.phases[0].terms[0].gib.value == D("71.4")
    staged = with_stages_of(quote, found)
    assert [one.kind for one in staged.workload.stages[1:]] == [StageKind.COOPERATIVE] * 2
    assert staged.organisations[0].layout(staged.workload.stages[1].id).cards_per_task == 4


MSPROJECT = """<?xml version="1.0"?><Project xmlns="http://schemas.microsoft.com/project"><Tasks>
<Task><UID>0</UID><Name>All</Name></Task>
<Task><UID>1</UID><Name>Prepare</Name><OutlineLevel>1</OutlineLevel><Summary>1</Summary></Task>
<Task><UID>2</UID><Name>Load</Name><OutlineLevel>2</OutlineLevel><Duration>PT2H0M0S</Duration></Task>
<Task><UID>3</UID><Name>Check</Name><OutlineLevel>2</OutlineLevel><Duration>PT1H0M0S</Duration>
  <PredecessorLink><PredecessorUID>2</PredecessorUID><Type>1</Type><LinkLag>600</LinkLag></PredecessorLink></Task>
<Task><UID>4</UID><Name>Solve</Name><OutlineLevel>1</OutlineLevel><Duration>PT30H0M0S</Duration>
  <PredecessorLink><PredecessorUID>1</PredecessorUID><Type>1</Type></PredecessorLink>
  <PredecessorLink><PredecessorUID>3</PredecessorUID><Type>3</Type></PredecessorLink></Task>
<Task><UID>5</UID><Name>Done</Name><OutlineLevel>1</OutlineLevel><Duration>PT0H0M0S</Duration><Milestone>1</Milestone>
  <PredecessorLink><PredecessorUID>4</PredecessorUID></PredecessorLink></Task>
</Tasks></Project>"""


def test_a_link_to_a_heading_is_one_to_the_tasks_inside() -> None:
    found = read_project(MSPROJECT.encode(), "plan.xml")
    assert [(row.name, row.after) for row in found.rows] == [
        ("Load", ()),
        ("Check", ("2",)),
        ("Solve", ("2", "3")),
        ("Done", ("4",)),
    ]
    assert sorted(one.code for one in found.problems) == ["link_kind_left_out", "link_lag_left_out"]
    stages, _ = as_stages(found)
    assert [one.kind for one in stages][-1] is StageKind.GATE
    assert [one.after for one in stages] == [(), ("load",), ("load", "check"), ("solve",)]


DATED = """<?xml version="1.0"?><Project xmlns="http://schemas.microsoft.com/project">
<StartDate>2026-01-05T08:00:00</StartDate><Calendars><Calendar><UID>1</UID></Calendar></Calendars><Tasks>
<Task><UID>1</UID><Name>Early</Name><Summary>1</Summary><OutlineLevel>1</OutlineLevel>
  <Deadline>2026-01-07T08:00:00</Deadline></Task>
<Task><UID>2</UID><Name>Load</Name><OutlineLevel>2</OutlineLevel><Duration>PT2H0M0S</Duration>
  <ConstraintType>4</ConstraintType><ConstraintDate>2026-01-05T20:30:00</ConstraintDate></Task>
<Task><UID>3</UID><Name>Check</Name><OutlineLevel>1</OutlineLevel><Duration>PT1H0M0S</Duration>
  <ConstraintType>2</ConstraintType><ConstraintDate>2026-01-06T08:00:00</ConstraintDate></Task>
<Task><UID>4</UID><Name>Ship</Name><OutlineLevel>1</OutlineLevel><Duration>PT1H0M0S</Duration>
  <ConstraintType>0</ConstraintType><Deadline>soon</Deadline></Task>
</Tasks></Project>"""


def test_an_earliest_start_and_a_deadline_come_along_and_other_dates_are_said_to_be_left_out() -> None:
    found = read_project(DATED.encode(), "plan.xml")
    # Monday 8:00 is the start: 20:30 of the same day is 12.5 h later, Wednesday 8:00 is 48 h later. The heading's
    # deadline is that of the task inside it.
    dates = [(row.name, row.release_ms, row.due_ms) for row in found.rows]
    assert dates == [("Load", 12.5 * HOUR, 48 * HOUR), ("Check", None, None), ("Ship", None, None)]
    codes = [(one.code, one.where) for one in found.problems]
    assert codes == [
        ("calendars_left_out", ()),
        ("constraint_left_out", ("3",)),
        ("deadline_left_out", ("4",)),
    ]
    stages, _ = as_stages(found)
    assert stages[0].release is not None
    assert stages[0].due is not None
    assert (stages[0].release.ms, stages[0].due.ms) == (12.5 * HOUR, 48 * HOUR)
    assert stages[1].release is None


def test_a_date_without_the_start_of_its_plan_is_left_out() -> None:
    undated = DATED.replace("<StartDate>2026-01-05T08:00:00</StartDate>", "")
    found = read_project(undated.encode(), "plan.xml")
    assert all(row.release_ms is None and row.due_ms is None for row in found.rows)
    assert [one.code for one in found.problems].count("constraint_left_out") == 2


GANTT = """<?xml version="1.0" encoding="UTF-8"?><project name="x" version="2.8.11"><tasks empty-milestones="true">
<task id="0" name="Prepare" duration="3">
<task id="1" name="Load" duration="2"><depend id="2" type="2" difference="0"/></task>
<task id="2" name="Check" duration="1"><depend id="3" type="2" difference="1"/></task></task>
<task id="3" name="Solve" duration="4"/><task id="4" name="Done" meeting="true" duration="0"/>
</tasks></project>"""


def test_ganttproject_links_point_forward_and_days_count_24_hours() -> None:
    found = read_project(GANTT.encode(), "plan.gan")
    assert [(row.name, (row.duration_ms or 0) / HOUR, row.after) for row in found.rows] == [
        ("Load", 48, ()),
        ("Check", 24, ("1",)),
        ("Solve", 96, ("2",)),
        ("Done", 0, ()),
    ]
    assert {one.code for one in found.problems} == {"days_count_24_hours", "link_lag_left_out"}


def refused(data: bytes, name: str) -> str:
    started = time.process_time()
    with pytest.raises(FileRefused) as caught:
        read_project(data, name) if name.endswith((".xml", ".gan")) else read_table(data, name)
    assert time.process_time() - started < 5
    assert WORDS.refused(caught.value)
    return caught.value.code


def zipped(name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(name, content)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.xml", b'<!DOCTYPE p [<!ENTITY a "aa">]><Project>&a;</Project>', "project_has_entities"),
        ("a.xml", '<!DOCTYPE p [<!ENTITY a "aa">]><Project/>'.encode("utf-16"), "project_has_entities"),
        ("a.xml", b"<Project><Tasks><Task>", "project_broken"),
        ("a.xml", b"<html/>", "not_a_project"),
        ("a.xml", b"<Project/>", "table_empty"),
        ("a.xml", b"<a>" * (MOST_DEPTH + 2), "project_too_deep"),
        ("a.gan", b"<project><tasks>" + b"<task id='1'/>" * 1_001 + b"</tasks></project>", "too_many_rows"),
        ("a.xml", b"", "project_broken"),
        ("a.xlsx", zipped("xl/workbook.xml", b"0" * 300_000_000), "workbook_unpacks_too_large"),
        ("a.xlsx", zipped("xl/vbaProject.bin", b"x"), "workbook_has_macros"),
        ("a.csv", b"a;b\n" + b"\n" * 5, ""),
    ],
)
def test_hostile_files_end_in_a_sentence(name: str, data: bytes, code: str) -> None:
    if not code:
        assert read_table(data, name).rows == ()
    else:
        assert refused(data, name) == code


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400), st.sampled_from(["a.csv", "a.xml", "a.gan"]))
def test_any_bytes_give_rows_or_a_refusal(data: bytes, name: str) -> None:
    try:
        found = read_work(read_table(data, name)) if name == "a.csv" else read_project(data, name)
    except FileRefused as refusal:
        said = WORDS.refused(refusal)
        found = WorkList((), (), ())
    else:
        said = "read"
    assert said
    assert all(WORDS.problem(one) for one in found.problems)


CELLS = st.sampled_from(
    [
        "A",
        "B",
        "1",
        "1,5",
        "2.5",
        "1.250",
        "1:30",
        "P1D",
        "x",
        "",
        "-3",
        "0",
        "A, B",
        "1 h",
        "9e9",
        "=1+1",
        "４",
        "∞",
    ]
)
HEADS = st.sampled_from(
    [
        "task",
        "Tarea",
        "hours",
        "min",
        "duration",
        "count",
        "cards",
        "memory GiB",
        "after",
        "start",
        "id",
        "",
        "h",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(HEADS, min_size=1, max_size=5), st.lists(st.lists(CELLS, max_size=5), max_size=6))
def test_any_table_gives_rows_and_sentences(heads: list[str], rows: list[list[str]]) -> None:
    text = "\n".join(";".join(row[: len(heads)]) for row in [heads, *rows])
    try:
        found = read_work(read_table(text.encode(), "a.csv"))
    except FileRefused as refusal:
        said = WORDS.refused(refusal)
        found = WorkList((), (), ())
    else:
        said = "read"
    assert said
    assert all(WORDS.problem(one) for one in found.problems)
    stages, problems = as_stages(found)
    assert len(stages) == len(found.rows)
    assert all(WORDS.problem(one) for one in problems)
    assert all(row.duration_ms is None or row.duration_ms >= 0 for row in found.rows)


def test_a_unit_of_another_kind_in_a_heading_is_no_unit() -> None:
    (row,) = work("task;hours;memory s\nA;1;12\n").rows
    assert row.memory_gib == 12
