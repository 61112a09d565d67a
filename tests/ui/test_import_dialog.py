"""The preview of an imported task list: how columns were read, where the rows go, one undo step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from estimator.imports.tables import read_table
from estimator.imports.work import WorkList, WorkRow, read_work
from estimator.quote import Quote, StageKind
from estimator.storage import read_quote
from estimator.wording import Language, NumberFormat, Wording
from tests.ui.windows import Seat, seat
from ui.import_dialog import ImportDialog, joined_lines
from ui.theme import Theme

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "imports"
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)
Apply = Callable[[str], object]
LINKED = b"task;hours;after\nLoad;1;\nSolve;2;Load\nPack;0,5;Load, Solve\n"


@pytest.fixture
def planner(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Seat]:
    with seat(qapp, qtbot, tmp_path / "data") as found:
        yield found


def sample() -> Quote:
    return read_quote(ROOT / "resources" / "samples" / "indice-de-las-obras.cabida")


def shown(qtbot: QtBot, work: WorkList) -> ImportDialog:
    dialog = ImportDialog(WORDS, Theme(), work, sample())
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    return dialog


def texts(dialog: ImportDialog, table: str) -> list[list[str]]:
    model = getattr(dialog, table).model()
    return [
        [str(model.index(row, column).data() or "") for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_each_column_says_how_it_was_read(qtbot: QtBot) -> None:
    dialog = shown(qtbot, read_work(read_table(DATA / "tareas_es.csv")))
    assert texts(dialog, "columns") == [
        ["Tarea", "Name", ""],
        ["Horas", "Duration", "horas, decimal mark ,"],
        ["Tarjetas", "Cards per task", ""],
        ["Memoria (GiB)", "Memory of each card", "GiB, decimal mark ,"],
        ["Inicio", "Start, shown but not used", "day first"],
    ]
    assert texts(dialog, "rows")[1][:6] == ["3", "Entrenamiento", "1 d 12 h", "1", "4", "71.4 GiB"]
    assert dialog.as_stages.isChecked()  # the rows take different numbers of cards


def test_what_is_ambiguous_or_left_out_is_said(qtbot: QtBot) -> None:
    dialog = shown(
        qtbot, read_work(read_table(b"task;time;colour\nA;1,250;red\n;2;blue\nC;x;red\n", "a.csv"))
    )
    notes = dialog.notes.toPlainText()
    for said in (
        "Line 3 has no name",
        "Line 4: x in time is no duration",
        "The column colour was left out",
        "Whether a mark in time is decimal is not certain",
        "The durations have no unit: min was taken",
    ):
        assert said in notes, said


def previewed(planner: Seat, monkeypatch: pytest.MonkeyPatch) -> list[Apply]:
    """What the previews that open hand over, in place of the dialogs."""
    found: list[Apply] = []
    monkeypatch.setattr(planner.answers, "preview_work", lambda work, quote, apply: found.append(apply))
    return found


def opened(planner: Seat) -> Quote:
    planner.window.files.open_sample("indice-de-las-obras")
    planner.wait_for_answer()
    quote = planner.window.session.quote
    assert quote is not None
    return quote


def test_rows_become_the_tasks_of_a_stage_in_one_undo_step(
    planner: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, before = planner.window, opened(planner)
    previews = previewed(planner, monkeypatch)
    assert window.files.import_work(text="task;minutes;count\nLong;18;4\nShort;6;4\n")
    previews[0]("conversion")
    quote = window.session.quote
    assert quote is not None
    stage = quote.workload.stage("conversion")
    assert stage is not None
    assert stage.tasks.count == (4, 4)
    assert stage.tasks.duration_ms == (18 * 60_000, 6 * 60_000)
    assert stage.tasks.names == ("Long", "Short")
    window.session.undo()
    assert window.session.quote == before


def test_linked_rows_become_stages_after_one_another(
    planner: Seat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(planner)
    previews = previewed(planner, monkeypatch)
    file = tmp_path / "plan.csv"
    file.write_bytes(LINKED)
    assert planner.window.files.import_work(file)
    previews[0]("")
    quote = planner.window.session.quote
    assert quote is not None
    names = {stage.id: stage.name for stage in quote.workload.stages}
    added = [stage for stage in quote.workload.stages if stage.name in ("Load", "Solve", "Pack")]
    assert [[names[one] for one in stage.after] for stage in added] == [[], ["Load"], ["Load", "Solve"]]
    assert [stage.tasks.duration for stage in added] == [(1,), (2,), (Decimal("0.5"),)]
    assert all(stage.kind is StageKind.INDEPENDENT for stage in added)


def test_what_rows_lose_as_tasks_of_one_stage_is_said_before_it_happens(qtbot: QtBot, tmp_path: Path) -> None:
    linked = tmp_path / "linked.csv"
    linked.write_bytes(LINKED)
    dialog = shown(qtbot, read_work(read_table(linked)))
    assert dialog.as_stages.isChecked()
    assert not dialog.joined.isVisible()
    dialog.as_tasks.setChecked(True)
    assert dialog.joined.isVisible()
    assert (
        dialog.joined.text() == "As tasks of one stage they do not wait for one another: links are left out."
    )


def test_dates_and_unequal_rows_are_told_too_and_equal_rows_lose_nothing() -> None:
    plain = WorkRow(1, "a", "A", 60_000)
    assert joined_lines(WORDS, (plain, plain)) == ()
    dated = replace(plain, release_ms=0)
    larger = replace(plain, cards=2, memory_gib=Decimal(8))
    assert joined_lines(WORDS, (plain, dated)) == (
        "As tasks of one stage they have no dates of their own: those are left out.",
    )
    assert joined_lines(WORDS, (replace(plain, cards=1), larger)) == (
        "The most memory and the most cards of any row hold for all tasks of the stage.",
    )


def test_a_file_that_is_refused_says_why_and_changes_nothing(planner: Seat, tmp_path: Path) -> None:
    window, before = planner.window, opened(planner)
    for name, data in (("bomb.xml", b'<!DOCTYPE a [<!ENTITY b "c">]><Project/>'), ("no.csv", b"\n\n")):
        file = tmp_path / name
        file.write_bytes(data)
        assert not window.files.import_work(file)
        assert name in planner.said[-1]
    assert window.session.quote is before


def test_the_whole_dialog_is_worked_by_keyboard(qtbot: QtBot) -> None:
    dialog = shown(qtbot, read_work(read_table(LINKED, "plan.csv")))
    heard: list[str] = []
    dialog.applied.connect(heard.append)
    dialog.as_tasks.setChecked(True)
    dialog.stage.setCurrentIndex(dialog.stage.findData("conversion"))
    assert dialog.apply.isEnabled()
    dialog.apply.click()
    assert heard == ["conversion"]


@pytest.mark.parametrize("language", list(Language))
def test_no_text_is_missing_in_either_language(qtbot: QtBot, language: Language) -> None:
    words = Wording(language, NumberFormat.ES_ES)
    for file in sorted(DATA.iterdir()):
        if file.suffix in (".csv", ".txt"):
            dialog = ImportDialog(words, Theme(), read_work(read_table(file)), sample())
            qtbot.addWidget(dialog)
            assert dialog.windowTitle()
