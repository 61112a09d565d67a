"""The window goes on answering with 2,000 stages and 500 lots: what it shows is made for the part that is seen."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from estimator.estimate import headline
from estimator.evidence import Evidence
from estimator.plan.memory import memory_of, verdicts_of
from estimator.quote import Stage, StageKind
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.vocabulary import MOST_CLAIMS, other_conditions
from tests.large_quotes import many_stages_and_lots
from tests.quotes import RTX_4090, TODAY, whole_memory
from tests.ui.heartbeat import stalls
from tests.ui.windows import Seat, seat
from ui.models.table import MOST_MEASURED, Column, TupleTableModel
from ui.models.table_view import CellDelegate, TableView
from ui.pages.cards_rows import _decisive
from ui.pages.conditions_rows import ConditionRow
from ui.pages.work import WorkPage
from ui.pages.work_flow import _columns
from ui.pages.work_ticks import MOST_TICKS, TickList
from ui.theme import Theme

STAGES, LOTS = 2000, 500
STALL_MS = 1500
"""Far over the 300 ms that are wanted, for machines that do other things; `bench_stalls` prints the times."""
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)


@pytest.fixture
def planner(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Seat]:
    with seat(qapp, qtbot, tmp_path / "data") as found:
        yield found


def test_2000_stages_and_500_lots_do_not_stall_the_window(
    planner: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    touched = 0
    as_before = CellDelegate._font

    def counted(delegate: CellDelegate, index: QModelIndex | QPersistentModelIndex) -> QFont:
        nonlocal touched
        touched += 1
        return as_before(delegate, index)

    # Not `sizeHint` itself: Shiboken keeps the override that it found first, and would call one taken away.
    monkeypatch.setattr(CellDelegate, "_font", counted)
    found = stalls(planner, many_stages_and_lots(STAGES, LOTS))
    assert {name: ms for name, ms in found.items() if ms > STALL_MS} == {}
    # About 1,600: cells painted, and 3 measured in each column. All rows of all tables would be over 100,000.
    assert touched < 5_000
    work = planner.window.pages[0]
    assert isinstance(work, WorkPage)
    assert work.inspector.after.ticks == {}
    assert work.inspector.after.view is not None
    assert work.inspector.after.view.model().rowCount() == STAGES - 1
    conditions = planner.window.pages[6]
    rows = [row for row in conditions.model.rows if isinstance(row, ConditionRow)]  # type: ignore[attr-defined]
    assert len(rows) > STAGES / 2
    assert sum("claim" in vars(row) for row in rows) < 4 * MOST_MEASURED


def test_a_long_column_is_measured_at_its_longest_texts(qtbot: QtBot) -> None:
    theme = Theme()
    column: Column[int] = Column("Number", str)
    model = TupleTableModel((column,), WORDS, theme)
    view = TableView(model, WORDS, theme, "numbers")
    qtbot.addWidget(view)
    model.setParent(view)
    model.show_rows(tuple(range(100_000)))
    # 60 places from 0 to 99,999: those of five digits lie last, and the sort keeps their order.
    places = model.longest(0)
    assert len(places) == 3
    assert all(len(str(place)) == 5 for place in places)
    assert view.sizeHintForColumn(0) >= view.fontMetrics().horizontalAdvance("99999")


def test_a_table_no_longer_than_what_is_measured_measures_all(qtbot: QtBot) -> None:
    theme = Theme()
    column: Column[str] = Column("Name", str)
    model = TupleTableModel((column,), WORDS, theme)
    view = TableView(model, WORDS, theme, "names")
    qtbot.addWidget(view)
    model.setParent(view)
    model.show_rows(("i",) * (MOST_MEASURED - 1) + ("a much longer name",))
    assert view.sizeHintForColumn(0) > view.fontMetrics().horizontalAdvance("a much longer name")


def test_many_ticks_are_one_list_that_asks_with_the_space_bar(qtbot: QtBot) -> None:
    ticks = TickList("Waits for")
    qtbot.addWidget(ticks)
    asked: list[tuple[str, bool]] = []
    ticks.changed.connect(lambda id_, on: asked.append((id_, on)))
    choices = tuple((f"stage-{number}", f"Stage {number}") for number in range(MOST_TICKS + 1))
    ticks.show_ticks(choices, frozenset({"stage-7"}))
    view = ticks.view
    assert view is not None
    assert ticks.first is view
    assert view.accessibleName() == "Waits for"
    assert view.currentIndex().row() == 7  # what is ticked comes into sight
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert asked == [("stage-7", False)]
    # Nothing is shown as changed before the answer is.
    assert Qt.CheckState(view.currentIndex().data(Qt.ItemDataRole.CheckStateRole)) is Qt.CheckState.Checked
    ticks.show_ticks(choices, frozenset())
    assert Qt.CheckState(view.currentIndex().data(Qt.ItemDataRole.CheckStateRole)) is Qt.CheckState.Unchecked
    ticks.show_ticks(choices[:2], frozenset({"stage-1"}))
    assert ticks.view is None
    assert ticks.ticks["stage-1"].mark.isChecked()


def _stages(after: list[list[int]]) -> tuple[Stage, ...]:
    return tuple(
        Stage(
            id=f"s{place}",
            name=f"S{place}",
            kind=StageKind.STATION,
            after=tuple(f"s{one}" for one in dict.fromkeys(before) if one < len(after)),
        )
        for place, before in enumerate(after)
    )


@given(st.lists(st.lists(st.integers(0, 7), max_size=3), min_size=1, max_size=7))
def test_the_picture_places_stages_as_far_as_they_wait(after: list[list[int]]) -> None:
    stages = _stages(after)
    # The plain way, round by round: a stage comes one further than those it waits for, at most as far as
    # there are stages, which only those in or behind a circle reach.
    plain = {stage.id: 1 for stage in stages}
    for _ in stages:
        for stage in stages:
            before = [plain[one] for one in stage.after if one in plain]
            plain[stage.id] = min(len(stages), max(before, default=0) + 1)
    assert _columns(stages) == plain


def test_a_chain_of_thousands_of_stages_is_placed_in_one_pass() -> None:
    stages = many_stages_and_lots(STAGES, 1).workload.stages
    assert list(_columns(tuple(reversed(stages))).values()) == list(range(STAGES, 0, -1))


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 3)), min_size=1, max_size=8))
def test_judging_the_worst_stages_alone_says_what_judging_all_says(needs: list[tuple[int, int]]) -> None:
    quote = many_stages_and_lots(2 * len(needs), 1)
    # Each need may be up to `more` GiB greater, so that the greatest peak is not always the greatest upper end.
    memories = [
        whole_memory(gib, Evidence(low=Decimal(gib), high=Decimal(gib + more))) for gib, more in needs
    ]
    stages = tuple(
        stage.replaced(memory=memories[place % len(memories)]) if stage.on_cards else stage
        for place, stage in enumerate(quote.workload.stages)
    )
    quote = quote.replaced(workload=quote.workload.replaced(stages=stages))
    organisation = quote.organisations[0]
    memory = memory_of(quote, organisation)
    cards = tuple(RTX_4090.replaced(id=f"{gib}", reported_bytes=gib * 2**30) for gib in range(1, 12))
    few = _decisive(organisation, memory)
    assert verdicts_of(quote, organisation, few, cards) == verdicts_of(quote, organisation, memory, cards)


def test_the_quote_lists_some_conditions_and_counts_the_rest() -> None:
    result = headline(many_stages_and_lots(300, 10), TODAY)
    waiting = [one for one in result.open_conditions if not one.decisive]
    texts = other_conditions(WORDS, result)
    assert len(waiting) > MOST_CLAIMS
    assert len(texts) == MOST_CLAIMS + 1
    assert texts[-1] == f"and {len(waiting) - MOST_CLAIMS} more"
