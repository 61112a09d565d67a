"""A first quote by keyboard: the path of the start page, step by step, with its entries counted and timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from openpyxl import load_workbook

from estimator.results.estimate import QuoteStatus
from tests.journeys.in_window.conftest import Answers, Person

MOST_ENTRIES = 12


def test_a_first_quote_takes_at_most_twelve_entries_by_keyboard(
    person: Person, files: Callable[[str], Path]
) -> None:
    started = time.monotonic()
    window = person.window

    # 1. Start: unit, how many, alone (left as it is), assembly (left as it is).
    person.enter("unit", "conversión de documento", "Tab")
    person.enter("how many", "8", "Return")
    assert window.session.quote is not None
    dialogs = window.files.dialogs
    assert isinstance(dialogs, Answers)
    assert dialogs.asked == []
    assert [stage.name for stage in window.session.quote.workload.stages] == [
        "Conversión de documento",
        "Ensamblaje",
        "Conjunto aceptado",
    ]

    # 2. Work: minutes a unit, GiB a task, minutes of assembly; 3. the limit.
    person.enter("minutes a unit", "12")
    person.enter("GiB a task", "18")
    person.enter("assembly minutes", "10")
    person.enter("limit", "90")
    person.wait_for_answer()
    assert person.figures()[0].startswith("2")
    assert person.figures()[2] == "58 min desde el inicio"

    # 4. Organisations: A and B exist already, with the gain and what cancels it.
    person.press("Ctrl+2")
    estimate = window.session.estimate
    assert estimate is not None
    assert [one.organisation_id for one in estimate.organisations] == ["A", "B"]
    assert estimate.break_evens[0].slow_down == 2

    # 5. Cards and lots: fitting offers come first; Space ticks the one under the cursor.
    person.press("Ctrl+4")
    person.press("Space")
    person.entries.append("offer")
    person.wait_for_answer()
    assert person.figures()[3] == "0,64 €"

    # 6. Schedule, Cost, Conditions: nothing to enter.
    for page in ("5", "6", "7"):
        person.press(f"Ctrl+{page}")
    assert window.session.estimate is not None
    assert window.session.estimate.status is QuoteStatus.PROVISIONAL

    # 7. Quote: the customer; 30 days are offered. Export.
    person.press("Ctrl+8")
    person.enter("customer", "Equipo «Índice de las obras»")
    person.wait_for_answer()
    person.press("Ctrl+E")
    target = files("quote.xlsx")
    person.qtbot.waitUntil(target.exists, timeout=30_000)

    spent = time.monotonic() - started
    print(f"\nfirst quote: {len(person.entries)} entries {person.entries} in {spent:.1f} s")
    assert len(person.entries) <= MOST_ENTRIES
    assert spent < 180
    assert "58" in str(
        [cell.value for row in load_workbook(target, data_only=True).worksheets[0] for cell in row]
    )
