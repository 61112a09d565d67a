"""A changed workbook comes back into its quote, or is refused by the cell that is wrong."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from openpyxl import load_workbook

from estimator.evidence import EvidenceKind
from estimator.exports.workbook import plan_held, workbook_bytes, workbook_made
from estimator.imports.workbook_back import take_back
from estimator.plan import fixed as fixed_module
from estimator.plan.replay import replay
from estimator.plan.stated_values import with_value
from estimator.problems import FileRefused, Place
from estimator.results.estimate import Estimate
from estimator.storage import quote_from_text
from estimator.wording import Language, NumberFormat, Wording
from tests.quotes import compared

D = Decimal
TODAY = dt.date(2026, 11, 30)
ENGLISH = Wording(Language.ENGLISH, NumberFormat.EN_GB)
SPANISH = Wording(Language.SPANISH, NumberFormat.ES_ES)
TIME: Place = ("workload", "stages", "conversion", "duration", "0")
COUNT: Place = ("workload", "stages", "conversion", "count")
PRICE: Place = ("offers", "hivenet-rtx-4090", "price")
TAX: Place = ("pricing", "tax_percent")


@cache
def answer(name: str = "indice-de-las-obras") -> Estimate:
    text = (Path(str(files("resources.samples"))) / f"{name}.cabida").read_text("utf-8")
    return compared(quote_from_text(text), TODAY)


def saved(result: Estimate, words: Wording = ENGLISH, **counts: int) -> Callable[..., bytes]:
    """Return a function that makes what a spreadsheet saves after some numbers were typed into an export."""

    def typed(changes: dict[Place, str]) -> bytes:
        fixed = plan_held(result)
        assert fixed is not None
        edited = result.quote
        for where, value in changes.items():
            edited = with_value(edited, where, D(value))
        return workbook_made(result, words, TODAY, fixed, replay(edited, fixed, counts)).data

    return typed


def changed(data: bytes, sheet: str, cell: str, value: object) -> bytes:
    """Return the workbook with another value stored in a cell, its other stored results kept."""
    book = load_workbook(io.BytesIO(data), data_only=True)
    formulas = load_workbook(io.BytesIO(data))
    assert formulas[sheet][cell].value is not None
    book[sheet][cell].value = value  # type: ignore[assignment]
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def code_of(data: bytes, result: Estimate) -> tuple[str, object]:
    with pytest.raises(FileRefused) as refused:
        take_back(data, result, ENGLISH, TODAY, "a.xlsx")
    return refused.value.code, refused.value.values.get("cell")


@pytest.mark.parametrize("words", [ENGLISH, SPANISH], ids=["en", "es"])
def test_changed_cells_come_back_as_assumed_numbers_of_the_quote(words: Wording) -> None:
    result = answer()
    data = saved(result, words)({TIME: "13.7", COUNT: "9", PRICE: "0.93", TAX: "4"})
    taken = take_back(data, result, words, TODAY, "back.xlsx")
    assert {one.where: (one.before, one.after) for one in taken.changes} == {
        COUNT: (8, 9),
        TIME: (12, D("13.7")),
        PRICE: (D("0.40"), D("0.93")),
        TAX: (21, 4),
    }
    stage = taken.quote.workload.stage("conversion")
    assert stage is not None
    assert (stage.tasks.count, stage.tasks.duration) == ((9,), (D("13.7"),))
    assert (stage.tasks.evidence.kind, stage.tasks.evidence.source) == (EvidenceKind.ASSUMED, "back.xlsx")
    offer = taken.quote.offer("hivenet-rtx-4090")
    assert offer is not None
    assert (offer.price_date, offer.source, offer.price_evidence.kind) == (
        None,
        "back.xlsx",
        EvidenceKind.ASSUMED,
    )
    assert taken.quote.pricing.tax_percent.value == 4
    untouched = result.quote.workload.stage("ensamblaje")
    assert taken.quote.workload.stage("ensamblaje") == untouched


def test_a_workbook_without_a_change_changes_nothing() -> None:
    result = answer()
    taken = take_back(workbook_bytes(result, ENGLISH, TODAY), result, ENGLISH, TODAY)
    assert taken.changes == ()
    assert taken.quote == result.quote


def test_a_count_of_lots_is_told_and_not_taken_because_the_plan_decides_it() -> None:
    result = answer("dinamica-molecular")
    assert result.shown_plan is not None
    lots = result.shown_plan.holdings[0]
    data = saved(result, ENGLISH, **{lots.offer_id: lots.count + 2})({})
    taken = take_back(data, result, ENGLISH, TODAY)
    assert [(one.before, one.after, one.is_taken) for one in taken.changes] == [
        (lots.count, lots.count + 2, False)
    ]
    assert taken.quote == result.quote


def test_a_result_that_is_not_the_cores_refuses_the_file_by_its_cell() -> None:
    result = answer()
    data = saved(result)({PRICE: "0.93"})
    sheet = load_workbook(io.BytesIO(data))["Quote"]
    row = next(row for row in range(4, 20) if sheet.cell(row, 2).value == "Total")
    assert code_of(changed(data, "Quote", f"C{row}", 1.0), result) == ("workbook_result_differs", f"C{row}")


def yellow_cell(result: Estimate, where: Place) -> str:
    made = workbook_made(result, ENGLISH, TODAY)
    return next(one.cell for one in made.yellow if one.where == where)


@pytest.mark.parametrize(
    ("where", "value", "code"),
    [
        (TIME, "twelve", "workbook_cell_no_number"),
        (TIME, None, "workbook_cell_no_number"),
        (TIME, True, "workbook_cell_no_number"),
        (TIME, -1, "workbook_cell_outside"),
        (TAX, 101, "workbook_cell_outside"),
        (COUNT, 1, "workbook_cell_outside"),  # fewer tasks than cards that work
        (COUNT, 8.5, "workbook_cell_not_whole"),
    ],
)
def test_what_is_no_allowed_number_refuses_the_file_by_its_cell(
    where: Place, value: object, code: str
) -> None:
    result = answer()
    cell = yellow_cell(result, where)
    data = changed(workbook_bytes(result, ENGLISH, TODAY), "Quote", cell, value)
    assert code_of(data, result) == (code, cell)


def test_a_file_saved_without_results_asks_for_a_spreadsheet_program() -> None:
    result = answer()
    book = load_workbook(io.BytesIO(workbook_bytes(result, ENGLISH, TODAY)))
    stream = io.BytesIO()
    book.save(stream)  # openpyxl keeps formulas without their results
    assert code_of(stream.getvalue(), result)[0] == "workbook_not_calculated"


def test_the_workbook_of_another_state_or_of_no_quote_is_refused() -> None:
    result = answer()
    later = compared(result.quote.replaced(notes="changed"), TODAY)
    assert code_of(workbook_bytes(later, ENGLISH, TODAY), result)[0] == "workbook_of_other_state"
    foreign = load_workbook(io.BytesIO(workbook_bytes(result, ENGLISH, TODAY)))
    foreign.custom_doc_props.props.clear()  # type: ignore[attr-defined]
    stream = io.BytesIO()
    foreign.save(stream)
    assert code_of(stream.getvalue(), result)[0] == "workbook_not_exported"


def test_a_plan_of_very_many_tasks_is_not_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    result = answer()
    data = workbook_bytes(result, ENGLISH, TODAY)
    monkeypatch.setattr("estimator.imports.workbook_back.MOST_TASK_ROWS", 1)
    assert code_of(data, result)[0] == "workbook_too_many_tasks"
    assert fixed_module.MOST_TASK_ROWS > 1


def _macros(data: bytes) -> bytes:
    stream = io.BytesIO(data)
    with zipfile.ZipFile(stream, "a") as package:
        package.writestr("xl/vbaProject.bin", b"macro")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("spoilt", "code"),
    [
        (lambda data: b"name;price\n1;2\n", "workbook_broken"),
        (lambda data: data[: len(data) // 2], "workbook_broken"),
        (lambda data: b"", "workbook_broken"),
        (lambda data: b"\xd0\xcf\x11\xe0" + data, "workbook_old_or_encrypted"),
        (_macros, "workbook_has_macros"),
    ],
)
def test_hostile_and_foreign_files_end_in_a_sentence(spoilt: Callable[[bytes], bytes], code: str) -> None:
    result = answer()
    assert code_of(spoilt(workbook_bytes(result, ENGLISH, TODAY)), result)[0] == code
