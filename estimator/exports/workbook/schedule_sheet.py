"""The sheet of who runs what when: stages, tasks and chart, all times by formula, so that it re-times.

What follows what is the fixed plan's; what stands in a row is `task_rows`'.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from estimator.exports.workbook.cells import Sheet, called
from estimator.exports.workbook.inputs import Input
from estimator.exports.workbook.schedule_chart import write_chart, write_picture
from estimator.exports.workbook.task_rows import (
    CARDS,
    COUNT,
    END,
    START,
    STATED,
    TASK,
    WAITS,
    WAS,
    TaskPlaces,
    TaskRows,
    time_format_of,
)
from estimator.plan.fixed import FixedPlan
from estimator.plan.many_rows import ManyRows
from estimator.plan.projects import project_times
from estimator.plan.replay import Replayed
from estimator.results.estimate import ProjectTime, Timing
from estimator.units import MS_PER_HOUR, MS_PER_MINUTE
from estimator.wording import Wording

_MOST_FROZEN = 14
_HOURS_FROM_MS = 48 * MS_PER_HOUR
_STAGES_ROW = 4


@dataclass(frozen=True, slots=True)
class ScheduleCells:
    """Where other sheets find times: `per_ms` milliseconds are one unit of the sheet, called `unit`."""

    per_ms: int
    unit: str
    number_format: str
    delivery: str
    stage_end: tuple[str, ...]
    rows: TaskRows

    def start(self, at: int) -> str:
        """Return the cell of a row's start."""
        return self.rows.places.ref(at, START)

    def end(self, at: int) -> str:
        """Return the cell of a row's end."""
        return self.rows.places.ref(at, END)


def unit_of(timing: Timing) -> tuple[int, str]:
    """Return the milliseconds of the sheets' unit of time, and what it is called: minutes, hours from 48 h on."""
    return (MS_PER_HOUR, "h") if timing.delivery_ms >= _HOURS_FROM_MS else (MS_PER_MINUTE, "min")


def write_schedule(
    sheet: Sheet,
    fixed: FixedPlan,
    replayed: Replayed,
    inputs: dict[str, Input],
    words: Wording,
    gantt_png: bytes | None,
    heard: Callable[[float], None],
    elsewhere: TaskPlaces | None = None,
) -> ScheduleCells:
    """Write stages, tasks, chart and picture; return where the times stand. `elsewhere`: tasks have own sheets."""
    per_ms, unit = unit_of(fixed.timing)
    stages = len(fixed.quote.workload.stages)
    projects = project_times(replayed.quote, replace(fixed.timing, stages=replayed.stages))
    first_row = stages + 8 + (len(projects) + 2 if projects else 0)
    places = elsewhere or TaskPlaces((sheet,), first_row, max(1, len(fixed.rows)))
    stage_end = tuple(sheet.ref(_STAGES_ROW + at, 3) for at in range(stages))
    number_format = time_format_of(fixed, per_ms)
    rows = TaskRows(fixed, replayed, inputs, words, places, stage_end, per_ms, number_format)
    cells = ScheduleCells(per_ms, unit, number_format, sheet.ref(_STAGES_ROW + stages, 3), stage_end, rows)
    sheet.widths(2, rows.label_width, 13, 13, 13, 13, 12, 12, 24, 10, 2)
    _write_head(sheet, words, unit, _fixed_note(fixed, words))
    _write_stages(sheet, cells, words)
    _write_projects(sheet, cells, projects, words)
    last_row = first_row
    if elsewhere is None:
        last_row += len(fixed.rows)
        _write_tasks(sheet, rows, unit, words, heard)
    else:
        shown = words.number(len(fixed.rows))
        note = words.t("The {count} rows of tasks stand on the sheets after this one.", count=shown)
        sheet.text(first_row - 2, TASK, note, "note")
    below = write_chart(sheet, rows, unit, words, first_row, last_row)
    write_picture(sheet, words, gantt_png, below)
    return cells


def _write_tasks(
    sheet: Sheet, rows: TaskRows, unit: str, words: Wording, heard: Callable[[float], None]
) -> None:
    first_row, count = rows.places.first_row, len(rows.fixed.rows)
    write_task_heads(sheet, first_row - 1, rows.fixed.is_whole_runs, unit, words)
    if first_row - 1 <= _MOST_FROZEN:
        sheet.raw.freeze_panes(first_row, 0)
    for at in range(count):
        if at % 500 == 0:
            heard(at / count)
        rows.write(sheet, at)
    if rows.has_own_times:
        validate_stated(sheet, first_row - 1, first_row, first_row + count - 1, words)


def write_task_heads(sheet: Sheet, row: int, is_whole_runs: bool, unit: str, words: Wording) -> None:
    """Write the heads of the rows of tasks, repeated on each printed page."""
    task = words.t("Tasks in a row") if is_whole_runs else words.t("Task")
    sheet.texts(row, TASK, (task, words.t("Card")), "head")
    heads = (
        words.t("Tasks"),
        words.t("Time stated, {unit}", unit=unit),
        words.t("Duration, {unit}", unit=unit),
        words.t("Start, {unit}", unit=unit),
        words.t("End, {unit}", unit=unit),
    )
    sheet.texts(row, COUNT, heads, "head_right")
    sheet.text(row, WAITS, words.t("Waits for"), "head")
    sheet.tall(row)
    sheet.raw.repeat_rows(row)


def _fixed_note(fixed: FixedPlan, words: Wording) -> str:
    """Return what the formulas do not follow, in words; empty where they follow all."""
    stages = fixed.quote.workload.stages
    found = () if isinstance(fixed.rows, ManyRows) else (row.stage for row in fixed.rows if row.is_fixed)
    named = ", ".join(dict.fromkeys(stages[stage].name for stage in found))
    if not named:
        return ""
    return words.t(
        "These keep the plan's times, since no formula follows their working hours: {stages}.", stages=named
    )


def _write_head(sheet: Sheet, words: Wording, unit: str, fixed_note: str) -> None:
    sheet.text(0, 1, words.t("Schedule"), "title")
    note = words.t(
        "Who runs what, and in which order, is the plan's. Times follow the yellow cells; all in {unit}.",
        unit=unit,
    )
    sheet.text(1, 1, " ".join(part for part in (note, fixed_note) if part), "note")


def _write_projects(
    sheet: Sheet, cells: ScheduleCells, projects: tuple[ProjectTime, ...], words: Wording
) -> None:
    """Write when each project is delivered, a formula over its stages, and how late that is."""
    if not projects:
        return
    rows, unit = cells.rows, cells.unit
    stages = rows.fixed.quote.workload.stages
    head = _STAGES_ROW + len(stages) + 2
    sheet.text(head, 1, words.t("Project"), "head")
    heads = (
        words.t("Due, {unit}", unit=unit),
        words.t("Delivered, {unit}", unit=unit),
        words.t("Late, {unit}", unit=unit),
    )
    sheet.texts(head, 2, heads, "head_right")
    for row, project in enumerate(projects, start=head + 1):
        sheet.text(row, 1, project.name, "wrapped")
        ends = [
            sheet.here(_STAGES_ROW + at, 3)
            for at, stage in enumerate(stages)
            if stage.project_id == project.project_id
        ]
        delivered = rows.value(project.delivery_ms)
        sheet.formula(row, 3, called("MAX", ends), delivered, cells.number_format)
        if project.due_ms is None:
            sheet.text(row, 2, words.t("none"))
            continue
        sheet.number(row, 2, rows.value(project.due_ms), cells.number_format)
        late = f"MAX(0,{sheet.here(row, 3)}-{sheet.here(row, 2)})"
        sheet.formula(row, 4, late, rows.value(project.late_ms or 0), cells.number_format)


def _write_stages(sheet: Sheet, cells: ScheduleCells, words: Wording) -> None:
    rows, unit = cells.rows, cells.unit
    fixed, replayed, places = rows.fixed, rows.replayed, rows.places
    sheet.tall(3)
    sheet.text(3, TASK, words.t("Stage"), "head")
    heads = (
        words.t("Start, {unit}", unit=unit),
        words.t("End, {unit}", unit=unit),
        words.t("Elapsed, {unit}", unit=unit),
    )
    sheet.texts(3, CARDS, heads, "head_right")
    for at, (stage, time) in enumerate(zip(fixed.quote.workload.stages, replayed.stages, strict=True)):
        row = _STAGES_ROW + at
        first, last = fixed.of_stage(at)
        starts = called("MIN", places.ranges(first, last, START))
        ends = called("MAX", places.ranges(first, last, END))
        sheet.text(row, 1, stage.name, "wrapped")
        elapsed = f"{sheet.here(row, 3)}-{sheet.here(row, 2)}"
        for column, formula, ms in (
            (2, starts, time.start_ms),
            (3, ends, time.end_ms),
            (4, elapsed, time.elapsed_ms),
        ):
            sheet.formula(row, column, formula, rows.value(ms), cells.number_format)
    row = _STAGES_ROW + len(replayed.stages)
    sheet.text(row, 1, words.t("Delivery"), "strong")
    sheet.text(row, 2, "", "strong")
    all_ends = f"{sheet.here(_STAGES_ROW, 3)}:{sheet.here(row - 1, 3)}"
    delivery = rows.value(replayed.delivery_ms)
    sheet.formula(row, 3, f"MAX({all_ends})", delivery, cells.number_format, "strong_value")
    sheet.text(row, 4, "", "strong")


def validate_stated(sheet: Sheet, head: int, first: int, last: int, words: Wording) -> None:
    """Let the yellow cells beside tasks take numbers only, and head the column of what they were."""
    message = words.t("Write a number of at least {least}.", least=words.number(0))
    rule = {"validate": "decimal", "criteria": ">=", "value": 0, "error_message": message}
    sheet.text(head, WAS, words.t("As quoted"), "head_right")
    sheet.raw.data_validation(first, STATED, last, STATED, rule)
