"""The sheet of who runs what when: every start is a formula over the rows it follows, so that it re-times.

It writes a replay; what follows what is decided there.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from estimator.exports.workbook.cells import FONT, HUNDREDTHS, PLAIN, Sheet, called
from estimator.exports.workbook.inputs import Input, slow_down_counts
from estimator.exports.workbook.replay import Replay, Row
from estimator.plan.projects import project_times
from estimator.plan.when import release_ms
from estimator.quote import Organisation, Quote, StageKind
from estimator.results.estimate import ProjectTime, Timing
from estimator.units import MS_PER_HOUR, MS_PER_MINUTE
from estimator.wording import Wording
from estimator.wording.slicing import place_number

MOST_BARS = 60
CHART_PIXELS = 560
_CHART_COLUMNS = 9
_MOST_FROZEN = 14
_MOST_VALIDATIONS = 60_000  # Excel takes 65,534 in a sheet
_HOURS_FROM_MS = 48 * MS_PER_HOUR
TASK, CARDS, STATED, LENGTH, START, END, WAITS = range(1, 8)
_SIDE = 9


@dataclass(frozen=True, slots=True)
class ScheduleCells:
    """Where other sheets find times: `per_ms` milliseconds are one unit of the sheet, called `unit`."""

    per_ms: int
    unit: str
    number_format: str
    delivery: str
    stage_start: tuple[str, ...]
    stage_end: tuple[str, ...]
    start: tuple[str, ...]
    end: tuple[str, ...]


def write_schedule(
    sheet: Sheet,
    quote: Quote,
    organisation: Organisation,
    timing: Timing,
    replay: Replay,
    inputs: dict[str, Input],
    words: Wording,
    gantt_png: bytes | None,
    heard: Callable[[float], None],
) -> ScheduleCells:
    """Write stages, tasks, chart and picture; return where the times stand."""
    writer = _Writer(sheet, quote, organisation, timing, replay, inputs, words)
    cells = writer.write(heard)
    below = writer.chart()
    _picture(sheet, words, gantt_png, below)
    return cells


@dataclass(slots=True)
class _Writer:
    sheet: Sheet
    quote: Quote
    organisation: Organisation
    timing: Timing
    replay: Replay
    inputs: dict[str, Input]
    words: Wording
    number_format: str = PLAIN
    stated_ms: tuple[tuple[int | None, ...], ...] = ()
    totals: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        # Worked out once: a stage may have thousands of unequal tasks, and each row asks.
        self.stated_ms = tuple(stage.tasks.duration_ms for stage in self.quote.workload.stages)
        self.totals = tuple(stage.tasks.total for stage in self.quote.workload.stages)
        # Whole numbers as they are where all of the plan's are whole; else hundredths in the whole sheet.
        times = (self.timing.schedule.run_start_ms, self.timing.schedule.run_duration_ms)
        if any((column % self.per_ms).any() for column in times):
            self.number_format = HUNDREDTHS

    @property
    def per_ms(self) -> int:
        return MS_PER_HOUR if self.timing.delivery_ms >= _HOURS_FROM_MS else MS_PER_MINUTE

    @property
    def unit(self) -> str:
        return "h" if self.per_ms == MS_PER_HOUR else "min"

    @property
    def first_row(self) -> int:
        projects = len(self.projects)
        return len(self.quote.workload.stages) + 8 + (projects + 2 if projects else 0)

    @property
    def projects(self) -> tuple[ProjectTime, ...]:
        """The projects with stages, at the plan's times."""
        return project_times(self.quote, self.timing)

    def value(self, ms: int) -> Decimal:
        return Decimal(ms) / self.per_ms

    def _time(self, row: int, column: int, formula: str, ms: int, style: str = "value") -> None:
        self.sheet.formula(row, column, formula, self.value(ms), self.number_format, style)

    def write(self, heard: Callable[[float], None]) -> ScheduleCells:
        sheet, words, unit = self.sheet, self.words, self.unit
        sheet.widths(2, 30, 13, 13, 13, 12, 12, 24, 2)
        sheet.text(0, 1, words.t("Schedule"), "title")
        note = words.t(
            "Who runs what, and in which order, is the plan's. Times follow the yellow cells; all in {unit}.",
            unit=unit,
        )
        sheet.text(1, 1, " ".join([note, *self._fixed_notes()]), "note")
        self._write_stages()
        self._write_projects()
        head = self.first_row - 1
        tasks = words.t("Tasks in a row") if self.replay.is_whole_runs else words.t("Task")
        sheet.texts(head, TASK, (tasks, words.t("Card")), "head")
        times = (
            words.t("Time stated, {unit}", unit=unit),
            words.t("Duration, {unit}", unit=unit),
            words.t("Start, {unit}", unit=unit),
            words.t("End, {unit}", unit=unit),
        )
        sheet.texts(head, STATED, times, "head_right")
        sheet.text(head, WAITS, words.t("Waits for"), "head")
        sheet.tall(head)
        sheet.raw.repeat_rows(head)
        if head <= _MOST_FROZEN:
            sheet.raw.freeze_panes(head + 1, 0)
        slowed = slow_down_counts(self.quote, self.organisation, self.replay.fleet.places)
        stated_at: dict[tuple[int, int], int] = {}
        for place, row in enumerate(self.replay.rows):
            if place % 500 == 0:
                heard(place / len(self.replay.rows))
            self._write_row(place, row, stated_at, slowed)
        rows = range(len(self.replay.rows))
        stages = range(len(self.quote.workload.stages))
        return ScheduleCells(
            per_ms=self.per_ms,
            unit=unit,
            number_format=self.number_format,
            delivery=sheet.ref(self._stage_row(len(stages)), 3),
            stage_start=tuple(sheet.ref(self._stage_row(at), 2) for at in stages),
            stage_end=tuple(sheet.ref(self._stage_row(at), 3) for at in stages),
            start=tuple(sheet.ref(self.first_row + at, START) for at in rows),
            end=tuple(sheet.ref(self.first_row + at, END) for at in rows),
        )

    def _fixed_notes(self) -> list[str]:
        """Return what the formulas do not follow, in words."""
        stages = self.quote.workload.stages
        fixed = dict.fromkeys(stages[row.stage].name for row in self.replay.rows if row.is_fixed)
        if not fixed:
            return []
        named = ", ".join(fixed)
        return [
            self.words.t(
                "These keep the plan's times, since no formula follows their working hours: {stages}.",
                stages=named,
            )
        ]

    def _stage_row(self, stage: int) -> int:
        return 4 + stage

    def _write_stages(self) -> None:
        sheet, words = self.sheet, self.words
        sheet.tall(3)
        sheet.text(3, 1, words.t("Stage"), "head")
        heads = (
            words.t("Start, {unit}", unit=self.unit),
            words.t("End, {unit}", unit=self.unit),
            words.t("Elapsed, {unit}", unit=self.unit),
        )
        sheet.texts(3, 2, heads, "head_right")
        first = self.first_row
        for at, (stage, time) in enumerate(zip(self.quote.workload.stages, self.timing.stages, strict=True)):
            row = self._stage_row(at)
            low, high = self.replay.of_stage(at)
            starts = f"{sheet.here(first + low, START)}:{sheet.here(first + high, START)}"
            ends = f"{sheet.here(first + low, END)}:{sheet.here(first + high, END)}"
            sheet.text(row, 1, stage.name)
            self._time(row, 2, f"MIN({starts})", time.start_ms)
            self._time(row, 3, f"MAX({ends})", time.end_ms)
            elapsed = f"{sheet.here(row, 3)}-{sheet.here(row, 2)}"
            self._time(row, 4, elapsed, time.elapsed_ms)
        row = self._stage_row(len(self.timing.stages))
        sheet.text(row, 1, words.t("Delivery"), "strong")
        sheet.text(row, 2, "", "strong")
        all_ends = f"{sheet.here(4, 3)}:{sheet.here(row - 1, 3)}"
        self._time(row, 3, f"MAX({all_ends})", self.timing.delivery_ms, "strong_value")
        sheet.text(row, 4, "", "strong")

    def _write_projects(self) -> None:
        """Write when each project is delivered, a formula over its stages, and how late that is."""
        sheet, words, stages = self.sheet, self.words, self.quote.workload.stages
        if not self.projects:
            return
        head = self._stage_row(len(stages)) + 2
        sheet.text(head, 1, words.t("Project"), "head")
        heads = (
            words.t("Due, {unit}", unit=self.unit),
            words.t("Delivered, {unit}", unit=self.unit),
            words.t("Late, {unit}", unit=self.unit),
        )
        sheet.texts(head, 2, heads, "head_right")
        for row, project in enumerate(self.projects, start=head + 1):
            sheet.text(row, 1, project.name)
            ends = [
                sheet.here(self._stage_row(at), 3)
                for at, stage in enumerate(stages)
                if stage.project_id == project.project_id
            ]
            self._time(row, 3, called("MAX", ends), project.delivery_ms)
            if project.due_ms is None:
                sheet.text(row, 2, words.t("none"))
                continue
            sheet.number(row, 2, self.value(project.due_ms), self.number_format)
            late = f"MAX(0,{sheet.here(row, 3)}-{sheet.here(row, 2)})"
            self._time(row, 4, late, project.late_ms or 0)

    def _write_row(
        self, place: int, row: Row, stated_at: dict[tuple[int, int], int], slowed: frozenset[str]
    ) -> None:
        sheet, at = self.sheet, self.first_row + place
        stage = self.quote.workload.stages[row.stage]
        sheet.text(at, TASK, self._label(row))
        sheet.text(at, CARDS, self._cards_text(row))
        if stage.kind is StageKind.GATE:
            sheet.text(at, STATED, "")
            sheet.number(at, LENGTH, 0, self.number_format)
        else:
            self._write_stated(at, row, stated_at)
        if stage.kind is not StageKind.GATE and row.is_fixed:
            length = self.value(row.end_ms - row.start_ms)
            sheet.number(at, LENGTH, length, self.number_format)
        elif stage.kind is not StageKind.GATE:
            self._time(at, LENGTH, self._length(at, row, stage.id in slowed), row.end_ms - row.start_ms)
        if row.is_fixed:
            sheet.number(at, START, self.value(row.start_ms), self.number_format)
        else:
            self._time(at, START, self._start(row), row.start_ms)
        end = f"{sheet.here(at, START)}+{sheet.here(at, LENGTH)}"
        self._time(at, END, end, row.end_ms)
        waits = [self._label(self.replay.rows[one]) for one, _ in row.released]
        waits += [
            self._label(self.replay.rows[one])
            for one in row.after
            if not set(self.replay.rows[one].cards) & set(row.cards)
        ]
        waits = list(dict.fromkeys(waits))
        sheet.text(at, WAITS, ", ".join(waits[:3]) + (" …" if len(waits) > 3 else ""), "muted")

    def _write_stated(self, at: int, row: Row, stated_at: dict[tuple[int, int], int]) -> None:
        """Write the stated time: from the input block, or, of the many of a stage, a yellow cell of its own."""
        stage = self.quote.workload.stages[row.stage]
        stated_ms = self.stated_ms[row.stage][row.group] or 0
        one = self.inputs.get(f"unit:{stage.id}:{row.group}")
        key = (row.stage, row.group)
        if one is not None:
            formula = f"ROUND({one.name}*{one.ms_per},0)/{self.per_ms}"
            self._time(at, STATED, formula, stated_ms)
        elif key in stated_at:
            self._time(at, STATED, self.sheet.here(stated_at[key], STATED), stated_ms)
        else:
            stated_at[key] = at
            self.sheet.number(at, STATED, self.value(stated_ms), PLAIN, "input")
            if len(stated_at) <= _MOST_VALIDATIONS:
                message = self.words.t("Write a number of at least {least}.", least=self.words.number(0))
                rule = {"validate": "decimal", "criteria": ">=", "value": 0, "error_message": message}
                self.sheet.raw.data_validation(at, STATED, at, STATED, rule)

    def _length(self, at: int, row: Row, is_slowed: bool) -> str:
        stage = self.quote.workload.stages[row.stage]
        exact = f"ROUND({self.sheet.here(at, STATED)}*{self.per_ms},0)"
        if row.cards:
            factor = self.inputs.get(f"factor:{stage.id}:{self.replay.fleet.card_ids[row.cards[0]]}")
            exact += "" if factor is None else f"*{factor.name}"
        if stage.on_cards and "slice_factor" in self.inputs:
            exact += f"*{self.inputs['slice_factor'].name}"
        if is_slowed:
            exact += f"*{self.inputs['slow_down'].name}"
        times = 1 if row.together else row.count
        return f"ROUND({exact},0)/{self.per_ms}" + (f"*{times}" if times > 1 else "")

    def _start(self, row: Row) -> str:
        stages = self.quote.workload.stages
        place = {stage.id: index for index, stage in enumerate(stages)}
        first = self.first_row
        terms = [str(self.value(release_ms(self.quote, stages[row.stage])))]
        for before in stages[row.stage].after:
            if before in place and not stages[row.stage].streams(before):
                terms.append(self._fixed(self._stage_row(place[before]), 3))
        terms += [self.sheet.here(first + one, END) for one in row.after]
        for one, resource_id in row.released:
            hold = self.inputs[f"hold:{stages[self.replay.rows[one].stage].id}:{resource_id}"]
            held = f"ROUND({hold.name}*{hold.ms_per},0)/{self.per_ms}"
            length = self.sheet.here(first + one, LENGTH)
            terms.append(f"{self.sheet.here(first + one, START)}+MIN({held},{length})")
        for offer_id in dict.fromkeys(
            self.replay.fleet.offer_ids[card] for card in row.cards if self.replay.fleet.offer_ids
        ):
            setup = self.inputs.get(f"setup:{offer_id}")
            if setup is not None:
                terms.append(f"ROUND({setup.name}*{setup.ms_per},0)/{self.per_ms}")
        if row.planned_ms is not None:
            terms.append(str(self.value(row.planned_ms)))
        return called("MAX", terms)

    def _fixed(self, row: int, column: int) -> str:
        return self.sheet.ref(row, column).rsplit("!", 1)[1]

    def _label(self, row: Row) -> str:
        """Return the stage with the task's name or number, or its numbers; a single task is its stage."""
        stage = self.quote.workload.stages[row.stage]
        if row.count > 1:
            last = row.number + row.count - 1
            return f"{stage.name} {self.words.number(row.number)}–{self.words.number(last)}"
        if stage.kind is StageKind.GATE or self.totals[row.stage] == 1:
            return stage.name
        names = stage.tasks.names
        if names and stage.tasks.count[row.group] == 1:
            return f"{stage.name} {names[row.group]}"
        return f"{stage.name} {self.words.number(row.number)}"

    def _cards_text(self, row: Row) -> str:
        slices = self.replay.fleet.slices_per_card
        shown = ", ".join(place_number(self.words, place, slices) for place in row.cards[:8])
        return shown + (" …" if len(row.cards) > 8 else "")

    def chart(self) -> int:
        """Add the native chart of at most 60 bars, all or the longest, as its title says; return the row below."""
        words, sheet = self.words, self.sheet
        total = len(self.replay.rows)
        if total <= MOST_BARS:
            first, last, columns = self.first_row, self.first_row + total - 1, (TASK, START, LENGTH)
            title = words.t("Schedule, {unit}", unit=self.unit)
        else:
            first, last, columns = self._write_longest()
            title = words.t(
                "The {shown} longest of {all} bars, {unit}",
                shown=words.number(MOST_BARS),
                all=words.number(total),
                unit=self.unit,
            )
        chart: Any = sheet.book.chart({"type": "bar", "subtype": "stacked"})
        categories = [sheet.name, first, columns[0], last, columns[0]]
        for number, (column, colour) in enumerate(((columns[1], None), (columns[2], "#0B5D7A"))):
            fill = {"none": True} if colour is None else {"color": colour}
            chart.add_series(
                {
                    "name": words.t("Start") if number == 0 else words.t("Duration"),
                    "categories": categories,
                    "values": [sheet.name, first, column, last, column],
                    "fill": fill,
                    "border": {"none": True},
                    "gap": 30,
                }
            )
        font = {"name": FONT, "size": 9}
        chart.set_title({"name": title, "name_font": {"name": FONT, "size": 11}, "overlay": False})
        chart.set_legend({"none": True})
        chart.set_y_axis({"reverse": True, "num_font": font, "major_gridlines": {"visible": False}})
        grid = {"visible": True, "line": {"color": "#D5D9DD"}}
        chart.set_x_axis({"num_font": font, "major_gridlines": grid, "min": 0, "label_position": "high"})
        bars = last - first + 1
        height = max(220, 70 + 17 * bars)
        chart.set_size({"width": CHART_PIXELS, "height": height})
        sheet.raw.insert_chart(3, _SIDE, chart, {"description": title})
        below = 5 + height // 20
        # What lies further right feeds the chart and would only make the print smaller.
        last_row = max(below, self.first_row + total)
        sheet.raw.print_area(0, 0, last_row, _SIDE + _CHART_COLUMNS)
        return below

    def _write_longest(self) -> tuple[int, int, tuple[int, int, int]]:
        """Write the longest rows, in order of start, far right, where the chart finds them side by side."""
        label, start, length = 24, 25, 26
        sheet = self.sheet
        by_length = sorted(
            range(len(self.replay.rows)),
            key=lambda at: (self.replay.rows[at].start_ms - self.replay.rows[at].end_ms, at),
        )
        chosen = sorted(by_length[:MOST_BARS], key=lambda at: (self.replay.rows[at].start_ms, at))
        heads = (self.words.t("Bars of the chart"), self.words.t("Start"), self.words.t("Duration"))
        sheet.texts(self.first_row - 1, label, heads, "head")
        sheet.raw.set_column(label, label, 30)
        sheet.raw.set_column(start, length, 12)
        for offset, place in enumerate(chosen):
            row, at = self.replay.rows[place], self.first_row + place
            line = self.first_row + offset
            sheet.text(line, label, self._label(self.replay.rows[place]))
            self._time(line, start, sheet.here(at, START), row.start_ms)
            self._time(line, length, sheet.here(at, LENGTH), row.end_ms - row.start_ms)
        return self.first_row, self.first_row + len(chosen) - 1, (label, start, length)


def _picture(sheet: Sheet, words: Wording, gantt_png: bytes | None, below: int) -> None:
    if gantt_png is None:
        sheet.text(2, 1, words.t("The full picture of the schedule is in the program."), "note")
        return
    sheet.text(
        2, 1, words.t("To the right: the chart, and below it the full picture of the schedule."), "note"
    )
    # A PNG starts with its signature and the header's length and name; then its width, four bytes.
    scale = CHART_PIXELS / max(1, int.from_bytes(gantt_png[16:20], "big"))
    options = {
        "image_data": io.BytesIO(gantt_png),
        "description": words.t("Schedule"),
        "x_scale": scale,
        "y_scale": scale,
    }
    sheet.raw.insert_image(below, _SIDE, "schedule.png", options)
