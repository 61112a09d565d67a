"""The source's example typed into an empty window, compared, seen, saved, reopened, exported and recalculated."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

from openpyxl import load_workbook

from estimator.results.estimate import Timing
from tests.journeys.in_window.conftest import Person
from tests.recalculation import recalculated


def typed_example(person: Person) -> None:
    """Type the source's example: 8 conversions of 12 min, 18 GiB, 10 min of assembly, 90 min, two cards, 21 %."""
    person.enter("unit", "conversión de documento", "Tab")
    person.enter("how many", "8")
    person.enter("minutes a unit", "12")
    person.enter("GiB a task", "18")
    person.enter("assembly minutes", "10")
    person.enter("limit", "90")
    person.window.go_to(("workload", "quota_cards"))
    person.enter("quota", "2")
    person.press("Ctrl+4")
    person.press("Space")
    person.window.go_to(("pricing", "tax_percent"))
    person.enter("tax", "21")
    person.press("Ctrl+8")
    person.enter("customer", "Equipo «Índice de las obras»")
    person.wait_for_answer()


def test_the_sources_example_goes_from_typing_to_a_recalculated_workbook(
    person: Person, files: Callable[[str], Path], tmp_path: Path
) -> None:
    window = person.window
    typed_example(person)
    figures = ["2 × RTX 4090", "19,4 de 24,0 GiB", "58 min desde el inicio", "0,77 €", "Provisional"]
    assert person.figures() == figures

    # Two organisations compared.
    estimate = window.session.estimate
    assert estimate is not None
    deliveries = {
        one.organisation_id: one.timing.delivery_ms // 60_000
        for one in estimate.organisations
        if isinstance(one.timing, Timing)
    }
    assert deliveries == {"A": 106, "B": 58}

    # The Gantt: eight conversions on two cards and the assembly.
    person.press("Ctrl+5")
    page = window.pages[4]
    gantt = page.gantt  # type: ignore[attr-defined]  # the schedule page's chart
    assert gantt.isVisible()
    assert gantt.model().bars.count == 9

    # Saved, closed, reopened: the same answer.
    person.press("Ctrl+S")
    saved = files("quote.cabida")
    assert saved.exists()
    assert not window.session.is_modified
    quote = window.session.quote
    person.press("Ctrl+W")
    assert window.session.quote is None
    person.press("Ctrl+O")
    person.wait_for_answer()
    assert window.session.quote == quote
    assert person.figures() == figures

    # Exported, recalculated by LibreOffice, equal to the screen.
    person.press("Ctrl+E")
    exported = files("quote.xlsx")
    person.qtbot.waitUntil(exported.exists, timeout=30_000)
    sheet = load_workbook(recalculated(exported, tmp_path), data_only=True).worksheets[0]
    answers = {row[1].value: row[2].value for row in sheet.iter_rows() if row[1].value is not None}
    words = window.words
    assert answers[words.t("Delivery")] == 58
    total = Decimal(str(answers[words.t("Total")])).quantize(Decimal("0.01"))
    assert words.money(total, "EUR").replace("\u00a0", " ") == "0,77 €"


def test_undo_walks_back_to_the_empty_quote_and_redo_to_the_answer(person: Person) -> None:
    typed_example(person)
    answer = person.figures()
    session = person.window.session
    steps = 0
    while session.undo_label is not None:
        session.undo()
        steps += 1
    assert session.quote is not None
    assert session.quote.workload.stages[0].tasks.duration == (None,)
    assert (
        steps == len(person.entries) - 2 + 1
    )  # unit and count made the quote; the ticked offer is a step too
    while session.redo_label is not None:
        session.redo()
    person.wait_for_answer()
    assert person.figures() == answer
