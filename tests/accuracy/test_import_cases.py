"""Known answers of tables that planners bring: durations, marks, dates, clusters' logs, project plans, lots."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pytest

from estimator.catalogue import Lot
from estimator.catalogue.embedded import embedded_catalogue
from estimator.imports.prices import read_offers
from estimator.imports.projects import read_project
from estimator.imports.tables import read_table
from estimator.imports.work import read_work
from estimator.problems import Severity

DATA = Path(__file__).parents[1] / "data" / "imports"
D = Decimal
MS_PER_HOUR = 3_600_000


def hours(ms: int | None) -> float:
    assert ms is not None
    return ms / MS_PER_HOUR


def test_a_day_that_ends_at_midnight_is_one_day() -> None:
    # O-SCH-04: the end is exclusive
    work = read_project(DATA / "msproject_24h.xml")
    assert [hours(row.duration_ms) for row in work.rows] == [24.0, 6.5]
    assert work.problems == ()


def test_a_semicolon_file_with_a_mark_and_decimal_commas_is_read_as_it_stands() -> None:
    # O-IMP-03
    work = read_work(read_table(DATA / "tareas_es.csv"))
    assert len(work.columns) == 5
    assert [row.name for row in work.rows] == ["Preparación", "Entrenamiento", "Evaluación"]
    assert [hours(row.duration_ms) for row in work.rows] == [2.5, 36, 0.75]
    assert sum(hours(row.duration_ms) * (row.cards or 1) for row in work.rows) == 147.25
    assert [row.memory_gib for row in work.rows] == [D("12.0"), D("71.4"), D("23.65")]
    # 15/04 makes the whole column day first
    days = [dt.date(2026, 4, 3), dt.date(2026, 4, 15), dt.date(2026, 4, 16)]
    assert [row.start for row in work.rows] == days
    assert work.problems == ()


def test_lots_with_quotes_and_a_row_without_a_name() -> None:
    # O-IMP-04
    offers, problems = read_offers(read_table(DATA / "lots_mixed_quotes.csv"), embedded_catalogue().cards)
    lots = [one for one in offers if isinstance(one, Lot)]
    assert [lot.terms[0].price for lot in lots] == [D("1250.00"), D("9999.90")]
    per_card_day = [round(lot.terms[0].price / lot.cards / lot.terms[0].days, 2) for lot in lots]
    assert per_card_day == [D("208.33"), D("178.57")]
    refused = [one for one in problems if one.severity is Severity.ERROR]
    assert [(one.code, dict(one.values)["line"]) for one in refused] == [("row_without_name", 4)]


@pytest.mark.parametrize("memory", ["80", "640"])
def test_memory_of_a_machine_becomes_that_of_one_card(memory: str) -> None:
    # O-MEM-30: 640 / 8 = 80
    table = read_table(
        f"name;gpu;cards;memory GB;3 days\n8-card node;H100 SXM;8;{memory};100\n".encode(), "a.csv"
    )
    (lot,), problems = read_offers(table, embedded_catalogue().cards)
    card = next(one for one in embedded_catalogue().cards if one.id == lot.card_id)
    assert card.marketed_gb == 80
    assert isinstance(lot, Lot)
    assert card.marketed_gb * lot.cards == 640
    warned = "memory_is_of_all_cards" in {one.code for one in problems}
    assert warned is (memory == "640")


def test_memory_that_is_neither_of_a_card_nor_of_all_is_refused() -> None:
    table = read_table(b"name;gpu;cards;memory GB;3 days\nnode;H100 SXM;8;96;100\n", "a.csv")
    offers, problems = read_offers(table, embedded_catalogue().cards)
    assert offers == ()
    assert [one.code for one in problems if one.severity is Severity.ERROR] == ["card_memory_differs"]


def test_a_clusters_jobs_count_cards_once_and_steps_not_at_all() -> None:
    # O-IMP-02: 1-02:03:04 = 93,784 s; × 4 cards / 3600 + 0.75 = 104.9544 card hours
    work = read_work(read_table(DATA / "slurm_jobs.txt"))
    assert [row.name for row in work.rows] == ["train_a", "eval_b", "prep_c", "train_d"]
    assert [row.cards for row in work.rows][:3] == [4, 1, 0]
    assert round(hours(work.rows[0].duration_ms), 4) == 26.0511
    total = sum(hours(row.duration_ms) * (row.cards or 0) for row in work.rows)
    assert round(total, 4) == 104.9544
    assert "job_steps_left_out" in {one.code for one in work.problems}


def test_text_that_looks_like_a_formula_stays_text() -> None:
    # O-XLS-01
    work = read_work(read_table(DATA / "tasks_formula_like.csv"))
    assert [row.name for row in work.rows] == ["=SUM(A1:A9)", "+34 600 000 000", "-12.5", "@home"]


def test_workbook_dates_follow_their_epoch() -> None:
    # O-XLS-06: serials 61 and 46023 of the 1900 system; 60 was never a day
    table = read_table(DATA / "dates_1900.xlsx")
    days = {
        cell.date() if isinstance(cell, dt.datetime) else cell
        for row in ((*table.header, *(one for line in table.rows for one in line)),)
        for cell in row
        if isinstance(cell, dt.date)
    }
    assert dt.date(2026, 1, 1) in days
