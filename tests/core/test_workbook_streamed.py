"""Schedules of many rows: streamed sheets have the same cells as the library would have written."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook
from openpyxl.workbook import Workbook

from estimator.catalogue import Card, HourlyOffer
from estimator.estimate import EstimateCancelled
from estimator.evidence import GIVEN, Stated, StatedDuration
from estimator.exports.workbook import book as book_module
from estimator.exports.workbook import plan_held, task_sheets, workbook_bytes, write_workbook
from estimator.exports.workbook.streamed import StreamedSheet
from estimator.exports.workbook.task_rows import TaskRows
from estimator.plan import fixed as fixed_module
from estimator.plan.many_rows import ManyRows
from estimator.plan.replay import replay, sessions_of
from estimator.quote import (
    Organisation,
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
from estimator.wording import Language, NumberFormat, Wording
from tests.quotes import compared
from tests.recalculation import recalculated

D = Decimal
TODAY = dt.date(2026, 11, 30)
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)


def quote_of(durations: list[int], cards: int = 3, per_task: int = 1, hold: bool = False) -> Quote:
    """Return tasks of their own length with names that are hard to write, a check on cards, and a packing."""
    names = tuple(f"=<&> _x0041_ {n}" for n in range(len(durations)))
    solve = Stage(
        id="s",
        name="Solve & “go”",
        tasks=Tasks(
            count=(1,) * len(durations), duration=tuple(D(one) / 3 for one in durations), names=names
        ),
    )
    check = Stage(id="c", name="Check", after=("s",), tasks=Tasks(count=(5, 2), duration=(D(2), D(3))))
    pack = Stage(
        id="p", name="Pack", kind=StageKind.STATION, after=("c",), tasks=Tasks(count=(3,), duration=(D(4),))
    )
    gate = Stage(id="g", name="Gate", kind=StageKind.GATE, after=("p",))
    layouts = tuple(
        StageLayout(stage_id=one, tasks_at_once=cards, cards_per_task=per_task, may_cross_nodes=True)
        for one in ("s", "c")
    )
    setup = StatedDuration(value=D(7), evidence=GIVEN)
    offer = HourlyOffer(id="h", name="H", card_id="k", price_per_card_hour=D("0.7"), setup=setup)
    quote = Quote(
        date=TODAY,
        workload=Workload(
            stages=(solve, check, pack, gate), mutual_slow_down=Stated(value=D("1.1"), evidence=GIVEN)
        ),
        organisations=(Organisation(id="A", layouts=layouts, mechanism="any"),),
        cards=(Card(id="k", name="K", marketed_gb=D(24)),),
        offers=(offer,),
    )
    return quote.replaced(pricing=quote.pricing.replaced(hold_through_assembly=hold))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Let ten rows be many, and seven a sheet."""
    monkeypatch.setattr(fixed_module, "MOST_TASK_ROWS", 10)
    monkeypatch.setattr(book_module, "MOST_TASK_ROWS", 10)
    monkeypatch.setattr(task_sheets, "ROWS_A_SHEET", 7)
    return monkeypatch


def cells_of(book: Workbook, titles: list[str]) -> dict[tuple[str, str], tuple[object, ...]]:
    found: dict[tuple[str, str], tuple[object, ...]] = {}
    for title in titles:
        for row in book[title].iter_rows():
            for cell in row:
                look = (cell.number_format, cell.fill.fgColor.rgb, cell.protection.locked)
                value = cell.value
                if isinstance(value, str):
                    # Excel reads the escape back wherever it stands; openpyxl only where texts are shared.
                    value = value.replace("_x005F_x", "_x")
                found[title, cell.coordinate] = (value, cell.data_type, *look)
    return found


def task_titles(book: Workbook) -> list[str]:
    return [title for title in book.sheetnames if re.fullmatch(r"Tasks \d+", title)]


@pytest.mark.parametrize("per_task", [1, 2])
def test_streamed_rows_have_the_cells_that_the_library_writes(few: pytest.MonkeyPatch, per_task: int) -> None:
    result = compared(quote_of(list(range(1, 24)), 4, per_task), TODAY)
    streamed = workbook_bytes(result, WORDS, TODAY)
    assert streamed == workbook_bytes(result, WORDS, TODAY)
    few.setattr(book_module, "write_task_sheets", _written_by_the_library)
    by_library = workbook_bytes(result, WORDS, TODAY)
    for data_only in (False, True):
        one, two = (load_workbook(io.BytesIO(data), data_only=data_only) for data in (streamed, by_library))
        titles = task_titles(one)
        assert len(titles) == 5  # 23 + 5 + 2 + 1 + 1 rows of seven a sheet
        assert cells_of(one, titles) == cells_of(two, titles)


def _written_by_the_library(
    made: task_sheets.TaskSheets, rows: TaskRows, unit: str, words: Wording
) -> list[StreamedSheet]:
    """Write heads as ever, then the rows with the library; leave nothing to be streamed."""
    task_sheets.write_task_sheets(made, rows, unit, words)
    for at in range(len(rows.fixed.rows)):
        rows.write(made.sheets[made.places.sheet_of(at)], at)
    return []


def test_rows_over_several_sheets_recalculate_to_what_is_stored(
    few: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "many.xlsx"
    write_workbook(compared(quote_of([7, 1, 9, 30, 2] * 5, hold=True), TODAY), path, WORDS, TODAY)
    formulas, stored = load_workbook(path), load_workbook(path, data_only=True)
    again = load_workbook(recalculated(path, tmp_path), data_only=True)
    checked = 0
    for sheet in formulas:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f" and cell.number_format != "[h]:mm:ss":
                    wanted = stored[sheet.title][cell.coordinate].value
                    found = again[sheet.title][cell.coordinate].value
                    is_text = isinstance(wanted, str)
                    assert found == (wanted if is_text else pytest.approx(wanted, rel=1e-9, abs=1e-9)), cell
                    checked += 1
    assert checked > 100


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(0, 40), min_size=11, max_size=40),
    st.integers(1, 4),
    st.integers(1, 2),
    st.booleans(),
)
def test_rows_in_columns_are_the_rows_as_objects(
    durations: list[int], cards: int, per_task: int, hold: bool
) -> None:
    result = compared(quote_of(durations, cards, per_task, hold), TODAY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fixed_module, "MOST_TASK_ROWS", 10)
        many = plan_held(result)
        patch.setattr(fixed_module, "can_stand_in_columns", lambda *_: False)
        patch.setattr(fixed_module, "_shared_evenly", lambda _, rows, __: (rows, {}))
        few = plan_held(result)
    assert many is not None
    assert few is not None
    assert isinstance(many.rows, ManyRows)
    assert sorted(map(_told, many.rows)) == sorted(map(_told, few.rows))
    one, two = replay(result.quote, many), replay(result.quote, few)
    assert (one.stages, one.holdings, one.price) == (two.stages, two.holdings, two.price)
    assert one.starts.tolist() == [row.start_ms for row in many.rows]
    spans = [
        [
            (each.card, each.stage, each.start_ms, each.end_ms)
            for each in sessions_of(fixed, found.starts, found.ends, hold)
        ]
        for fixed, found in ((many, one), (few, two))
    ]
    assert spans[0] == spans[1]


def _told(row: fixed_module.Row) -> tuple[object, ...]:
    return (row.stage, row.group, row.number, row.count, row.together, row.cards, row.start_ms, row.each_ms)


def test_tasks_that_share_a_licence_are_streamed_with_what_they_wait_for(few: pytest.MonkeyPatch) -> None:
    quote = quote_of(list(range(1, 15)))
    licence = SharedResource(
        id="l", name="Licence", kind=ResourceKind.LICENCE, capacity=Stated(value=D(2), evidence=GIVEN)
    )
    hold = StatedDuration(value=D(1), evidence=GIVEN)
    stages = quote.workload.stages
    solve = stages[0].replaced(needs=(ResourceNeed(resource_id="l", hold=hold),))
    workload = quote.workload.replaced(stages=(solve, *stages[1:]), resources=(licence,))
    data = workbook_bytes(compared(quote.replaced(workload=workload), TODAY), WORDS, TODAY)
    book = load_workbook(io.BytesIO(data))
    rows = [row for title in task_titles(book) for row in book[title].iter_rows(min_row=5, values_only=True)]
    assert any("hold_s_l" in str(row[6]) for row in rows)
    assert any(str(row[8] or "").startswith("Solve") for row in rows)


def test_a_streamed_export_is_cancelled_between_blocks_and_leaves_nothing(
    few: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    few.setattr("estimator.exports.workbook.streamed._ROWS_A_BLOCK", 2)
    heard: list[float] = []
    result = compared(quote_of(list(range(1, 24))), TODAY)
    with pytest.raises(EstimateCancelled):
        write_workbook(
            result, tmp_path / "a.xlsx", WORDS, TODAY, progress=heard.append, cancelled=lambda: len(heard) > 3
        )
    assert heard == sorted(heard)
    assert list(tmp_path.iterdir()) == []


def test_every_part_of_a_streamed_workbook_can_be_read_and_has_a_fixed_date(few: pytest.MonkeyPatch) -> None:
    data = workbook_bytes(compared(quote_of(list(range(1, 24))), TODAY), WORDS, TODAY)
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        assert package.testzip() is None
        assert {entry.date_time for entry in package.infolist()} == {(1980, 1, 1, 0, 0, 0)}
