"""The rows of tasks: what stands in each, by which formula, on which sheet. Every start follows what it waits for.

The rows go to any sheet-like writer, so that a few stand on the schedule's own sheet and many are streamed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol
from xml.sax.saxutils import escape

from estimator.exports.workbook.cells import HUNDREDTHS, PLAIN, WHOLE, Sheet, called, column_name, width_for
from estimator.exports.workbook.inputs import Input, YellowCell
from estimator.exports.workbook.streamed import Style, inline
from estimator.plan.fixed import Column, FixedPlan
from estimator.plan.fixed_row import Row
from estimator.plan.many_rows import ManyRows
from estimator.plan.replay import Replayed, count_of, slow_down_counts
from estimator.plan.scheduling import stated_ms
from estimator.plan.when import release_ms
from estimator.quote import Stage, StageKind
from estimator.units import MS_PER
from estimator.wording import Wording
from estimator.wording.slicing import place_number

TASK, CARDS, COUNT, STATED, LENGTH, START, END, WAITS, WAS = range(1, 10)
_TASK, _CARDS, _COUNT, _STATED, _LENGTH, _START, _END, _WAITS, _WAS = (
    column_name(column) for column in range(1, 10)
)
_ENTERED = "#,##0.00####"
"""Of a time that may be typed in: thirds of a minute would fill the cell with figures."""
_MOST_WAITS = 3
_MOST_CARDS = 8


class RowSink(Protocol):
    """What takes the cells of a row."""

    def text(self, row: int, column: int, text: str, style: str = "label") -> None:
        """Take a text."""

    def number(
        self, row: int, column: int, value: Decimal | int, number_format: str = PLAIN, style: str = "value"
    ) -> None:
        """Take a number."""

    def formula(
        self,
        row: int,
        column: int,
        formula: str,
        value: Decimal | int | str,
        number_format: str = PLAIN,
        style: str = "value",
    ) -> None:
        """Take a formula with its result."""


@dataclass(frozen=True, slots=True)
class TaskPlaces:
    """Where each row stands: `per_sheet` rows on each sheet, the first at `first_row`."""

    sheets: tuple[Sheet, ...]
    first_row: int
    per_sheet: int

    def sheet_of(self, at: int) -> int:
        """Return the number of the sheet that has a row."""
        return at // self.per_sheet

    def line(self, at: int) -> int:
        """Return the line on its sheet."""
        return self.first_row + at % self.per_sheet

    def ref(self, at: int, column: int) -> str:
        """Return a row's cell as any sheet can refer to it."""
        return self.sheets[self.sheet_of(at)].ref(self.line(at), column)

    def near(self, at: int, column: int, of: int) -> str:
        """Return a row's cell as another row refers to it, the shorter way on the same sheet."""
        sheet = self.sheet_of(at)
        if sheet == self.sheet_of(of):
            return f"{column_name(column)}{self.line(at) + 1}"
        return self.ref(at, column)

    def ranges(self, first: int, last: int, column: int) -> list[str]:
        """Return the ranges that hold rows `first` to `last`, one a sheet."""
        found = []
        for number in range(self.sheet_of(first), self.sheet_of(last) + 1):
            low = max(first, number * self.per_sheet)
            high = min(last, (number + 1) * self.per_sheet - 1)
            found.append(self.sheets[number].range_ref(self.line(low), self.line(high), column))
        return found


@dataclass(slots=True)
class TaskRows:
    """Writes rows one after another. `stage_end`: the cell of each stage's end. `per_ms`: ms of a unit of time."""

    fixed: FixedPlan
    replayed: Replayed
    inputs: dict[str, Input]
    words: Wording
    places: TaskPlaces
    stage_end: tuple[str, ...]
    per_ms: int
    number_format: str
    _stated_at: dict[tuple[int, int], int] = field(default_factory=dict)
    _slowed: frozenset[str] = frozenset()
    _stages: tuple[Stage, ...] = ()
    _stated_ms: tuple[Column, ...] = ()
    _was_ms: tuple[Column, ...] = ()
    _totals: tuple[int, ...] = ()
    _own: tuple[bool, ...] = ()
    _attributes: tuple[object, Sequence[str]] = (None, ())
    _cards_found: dict[tuple[int, ...], str] = field(default_factory=dict)
    _length_parts: dict[tuple[int, str], str] = field(default_factory=dict)
    _terms: dict[tuple[int, tuple[str, ...]], list[str]] = field(default_factory=dict)
    _waits_for: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        # Worked out once: a stage may have thousands of unequal tasks, and each row asks.
        quote = self.replayed.quote
        self._stages = quote.workload.stages
        self._slowed = slow_down_counts(quote, self.fixed.organisation, self.fixed.fleet.places)
        self._stated_ms = tuple(stated_ms(stage.tasks) for stage in self._stages)
        self._was_ms = tuple(stated_ms(stage.tasks) for stage in self.fixed.quote.workload.stages)
        self._totals = tuple(stage.tasks.total for stage in self._stages)
        self._own = tuple(
            stage.kind is not StageKind.GATE and f"unit:{stage.id}:0" not in self.inputs
            for stage in self._stages
        )
        place = {stage.id: at for at, stage in enumerate(self._stages)}
        self._waits_for = tuple(
            (
                str(self.value(release_ms(quote, stage))),
                *(
                    self.stage_end[place[before]]
                    for before in stage.after
                    if before in place and not stage.streams(before)
                ),
            )
            for stage in self._stages
        )

    def write(self, sink: RowSink, at: int) -> None:
        """Write one row into its line."""
        row, line = self.fixed.rows[at], self.places.line(at)
        stage = self._stages[row.stage]
        sink.text(line, TASK, self.label(row))
        sink.text(line, CARDS, self._cards_text(row))
        self._write_count(sink, line, row)
        if stage.kind is StageKind.GATE:
            sink.text(line, STATED, "")
            sink.number(line, LENGTH, 0, self.number_format)
        else:
            self._write_stated(sink, at, line, row)
            length_ms = int(self.replayed.ends[at] - self.replayed.starts[at])
            if row.is_fixed:
                sink.number(line, LENGTH, self.value(length_ms), self.number_format)
            else:
                self._time(sink, line, LENGTH, self._length(at, row, stage), length_ms)
        if row.is_fixed:
            sink.number(line, START, self.value(int(self.replayed.starts[at])), self.number_format)
        else:
            self._time(sink, line, START, self._start(at, row), int(self.replayed.starts[at]))
        end = f"{column_name(START)}{line + 1}+{column_name(LENGTH)}{line + 1}"
        self._time(sink, line, END, end, int(self.replayed.ends[at]))
        sink.text(line, WAITS, self._waits(row), "muted")

    def streamed(self, at: int, styles: Mapping[Style, str]) -> str:
        """Return one row as the XML of a sheet: the same cells as `write` gives, put together at once.

        `styles` has the numbers of the styles.
        """
        row, line = self.fixed.rows[at], self.places.line(at)
        n, stage = line + 1, self._stages[row.stage]
        own = self._numbered(styles)
        label, muted, whole, value, _, _ = own
        start, end = int(self.replayed.starts[at]), int(self.replayed.ends[at])
        if stage.kind is StageKind.GATE:
            stated, length_formula, quoted = f'"{label}/>', "", ""
        else:
            stated, quoted = self._stated_xml(at, row, n, own)
            length_formula = "" if row.is_fixed else f"<f>{escape(self._length(at, row, stage))}</f>"
        began = "" if row.is_fixed else f"<f>{escape(self._start(at, row))}</f>"
        length = (end - start) / self.per_ms
        return (
            f'<row r="{n}"><c r="{_TASK}{n}"{label} t="inlineStr"><is>{inline(self.label(row))}</is></c>'
            f'<c r="{_CARDS}{n}"{label}{self._cards_xml(row)}'
            f"{self._count_xml(row, n, whole)}"
            f'<c r="{_STATED}{n}{stated}'
            f'<c r="{_LENGTH}{n}"{value}>{length_formula}<v>{length}</v></c>'
            f'<c r="{_START}{n}"{value}>{began}<v>{start / self.per_ms}</v></c>'
            f'<c r="{_END}{n}"{value}><f>{_START}{n}+{_LENGTH}{n}</f><v>{end / self.per_ms}</v></c>'
            f"{_text_xml(_WAITS, n, muted, self._waits(row))}{quoted}</row>"
        )

    def _cards_xml(self, row: Row) -> str:
        """Return the rest of the cell of the cards: the same few sets come again and again."""
        found = self._cards_found.get(row.cards)
        if found is None:
            text = self._cards_text(row)
            found = f' t="inlineStr"><is>{inline(text)}</is></c>' if text else "/>"
            self._cards_found[row.cards] = found
        return found

    def _count_xml(self, row: Row, n: int, whole: str) -> str:
        if row.slot < 0:
            return f'<c r="{_COUNT}{n}"{whole}><v>{row.count}</v></c>'
        count = count_of(self.replayed.quote, self.fixed, row)
        return f'<c r="{_COUNT}{n}"{whole}><f>{escape(self._share(row))}</f><v>{count}</v></c>'

    def _stated_xml(self, at: int, row: Row, n: int, own: Sequence[str]) -> tuple[str, str]:
        """Return the rest of the cell of the stated time, and the cell of what it was where it is yellow."""
        stage = self._stages[row.stage]
        _, _, _, value, entered, was = own
        ms = int(self._stated_ms[row.stage][row.group])
        stated = ms / self.per_ms
        one = self.inputs.get(f"unit:{stage.id}:{row.group}") if not self._own[row.stage] else None
        key = (row.stage, row.group)
        if one is not None:
            formula = f"ROUND({one.name}*{one.ms_per},0)/{self.per_ms}"
            return f'"{value}><f>{formula}</f><v>{stated}</v></c>', ""
        if key in self._stated_at:
            formula = escape(self.places.near(self._stated_at[key], STATED, at))
            return f'"{value}><f>{formula}</f><v>{stated}</v></c>', ""
        if stage.tasks.count[row.group] > 1:
            self._stated_at[key] = at
        before = f"{int(self._was_ms[row.stage][row.group]) / self.per_ms:.16G}"
        return f'"{entered}><v>{stated:.16G}</v></c>', f'<c r="{_WAS}{n}"{was}><v>{before}</v></c>'

    def _numbered(self, styles: Mapping[Style, str]) -> Sequence[str]:
        if self._attributes[0] is not styles:
            found = [f' s="{styles[one]}"' for one in self.styles]
            self._attributes = (styles, found)
        return self._attributes[1]

    @property
    def styles(self) -> tuple[Style, ...]:
        """The styles that rows use: of names, of what is beside the point, counts, times, inputs, former times."""
        times = ("value", self.number_format)
        return (
            ("label", ""),
            ("muted", ""),
            ("value", WHOLE),
            times,
            ("input", _ENTERED),
            ("muted_value", _ENTERED),
        )

    def label(self, row: Row) -> str:
        """Return the stage with the task's name or number, or its numbers; a single task is its stage."""
        stage = self._stages[row.stage]
        if row.slot >= 0:
            slots = self.fixed.slots[row.stage]
            return stage.name if slots == 1 else f"{stage.name} · {self.words.number(row.slot + 1)}"
        if row.count > 1:
            last = row.number + row.count - 1
            return f"{stage.name} {self.words.number(row.number)}–{self.words.number(last)}"
        if stage.kind is StageKind.GATE or self._totals[row.stage] == 1:
            return stage.name
        names = stage.tasks.names
        if names and stage.tasks.count[row.group] == 1:
            return f"{stage.name} {names[row.group]}"
        return f"{stage.name} {self._whole(row.number)}"

    @property
    def label_width(self) -> float:
        """The width of the column of labels: every stage's name with its longest task's name or numbers."""
        texts = []
        for stage in self._stages:
            number = self.words.number(stage.tasks.total)
            longest = max(stage.tasks.names, key=len, default="")
            texts.append(f"{stage.name} {max(longest, f'{number}–{number}', key=len)}")
        return width_for(texts, 30)

    @property
    def has_own_times(self) -> bool:
        """Whether stated times stand as yellow cells beside their tasks, too many for the block of inputs."""
        return any(self._own)

    def yellow_cells(self) -> list[YellowCell]:
        """Return the yellow cells that stand beside their tasks."""
        found: list[YellowCell] = []
        seen: set[tuple[int, int]] = set()
        for at, row in enumerate(self.fixed.rows):
            place, group = row.stage, row.group
            stage = self._stages[place]
            is_gate = stage.kind is StageKind.GATE
            if is_gate or (place, group) in seen or f"unit:{stage.id}:{group}" in self.inputs:
                continue
            seen.add((place, group))
            sheet = self.places.sheets[self.places.sheet_of(at)]
            found.append(
                YellowCell(
                    sheet=sheet.name,
                    cell=sheet.here(self.places.line(at), STATED),
                    where=("workload", "stages", stage.id, "duration", str(group)),
                    label=self.label(row),
                    unit=stage.tasks.unit.value,
                    value=stage.tasks.duration[group] or Decimal(0),
                    scale=Decimal(self.per_ms) / MS_PER[stage.tasks.unit],
                )
            )
        return found

    def changed(self) -> list[str]:
        """Return expressions that count the yellow cells beside tasks that are not as quoted."""
        if not self.has_own_times:
            return []
        last = len(self.fixed.rows) - 1
        pairs = zip(self.places.ranges(0, last, STATED), self.places.ranges(0, last, WAS), strict=True)
        return [f'SUMPRODUCT(({was}<>"")*({now}<>{was}))' for now, was in pairs]

    def value(self, ms: int) -> Decimal:
        """Return milliseconds in the sheet's unit."""
        return Decimal(ms) / self.per_ms

    def _here(self, at: int, column: int) -> str:
        return f"{column_name(column)}{self.places.line(at) + 1}"

    def _time(self, sink: RowSink, line: int, column: int, formula: str, ms: int) -> None:
        sink.formula(line, column, formula, self.value(ms), self.number_format)

    def _whole(self, number: int) -> str:
        """Return a whole number as `Wording.number` writes it; there are a few in every row."""
        return f"{number:,}".replace(",", self.words.number_format.group_mark)

    def _cards_text(self, row: Row) -> str:
        slices = self.fixed.fleet.slices_per_card
        if slices == 1:
            shown = ", ".join([self._whole(card + 1) for card in row.cards[:_MOST_CARDS]])
        else:
            shown = ", ".join(place_number(self.words, place, slices) for place in row.cards[:_MOST_CARDS])
        return shown + (" …" if len(row.cards) > _MOST_CARDS else "")

    def _write_count(self, sink: RowSink, line: int, row: Row) -> None:
        if row.slot < 0:
            sink.number(line, COUNT, row.count, WHOLE)
            return
        sink.formula(line, COUNT, self._share(row), count_of(self.replayed.quote, self.fixed, row), WHOLE)

    def _share(self, row: Row) -> str:
        """Return the formula of how many of a stage's equal tasks a row has."""
        total = self.inputs[f"count:{self._stages[row.stage].id}"].name
        slots = self.fixed.slots[row.stage]
        return f"INT({total}/{slots})+IF({row.slot}<MOD({total},{slots}),1,0)"

    def _write_stated(self, sink: RowSink, at: int, line: int, row: Row) -> None:
        """Write the stated time: from the input block, or, of the many of a stage, a yellow cell of its own."""
        stage = self._stages[row.stage]
        ms = int(self._stated_ms[row.stage][row.group])
        one = self.inputs.get(f"unit:{stage.id}:{row.group}")
        key = (row.stage, row.group)
        if one is not None:
            formula = f"ROUND({one.name}*{one.ms_per},0)/{self.per_ms}"
            self._time(sink, line, STATED, formula, ms)
        elif key in self._stated_at:
            self._time(sink, line, STATED, self.places.near(self._stated_at[key], STATED, at), ms)
        else:
            if stage.tasks.count[row.group] > 1:  # only then another row may have to find it
                self._stated_at[key] = at
            sink.number(line, STATED, self.value(ms), _ENTERED, "input")
            was = self.value(int(self._was_ms[row.stage][row.group]))
            sink.number(line, WAS, was, _ENTERED, "muted_value")

    def _length(self, at: int, row: Row, stage: Stage) -> str:
        key = (row.stage, self.fixed.model_of(row))
        if key not in self._length_parts:
            factor = f"factor:{stage.id}:{key[1]}"
            after = f"*{self.per_ms},0)"
            if factor in self.inputs:
                after += f"*{self.inputs[factor].name}"
            if stage.on_cards and "slice_factor" in self.inputs:
                after += f"*{self.inputs['slice_factor'].name}"
            if stage.id in self._slowed:
                after += f"*{self.inputs['slow_down'].name}"
            self._length_parts[key] = f"{after},0)/{self.per_ms}"
        formula = f"ROUND(ROUND({self._here(at, STATED)}{self._length_parts[key]}"
        if row.together or (row.count == 1 and row.slot < 0):
            return formula
        return f"{formula}*{self._here(at, COUNT)}"

    def _start(self, at: int, row: Row) -> str:
        terms = self._fixed_terms(row)
        if row.after:
            terms = terms + [self.places.near(one, END, at) for one in row.after]
        if row.released:
            terms = terms + [self._release(one, resource_id, at) for one, resource_id in row.released]
        if row.planned_ms is not None:
            terms = [*terms, str(self.value(row.planned_ms))]
        return called("MAX", terms)

    def _fixed_terms(self, row: Row) -> list[str]:
        """Return what a row waits for that is no other row: stages, and the set-up of its cards."""
        offers = self.fixed.fleet.offer_ids
        offer_ids = tuple(dict.fromkeys([offers[card] for card in row.cards])) if offers else ()
        key = (row.stage, offer_ids)
        if key not in self._terms:
            terms = list(self._waits_for[row.stage])
            for offer_id in offer_ids:
                setup = self.inputs.get(f"setup:{offer_id}")
                if setup is not None:
                    terms.append(f"ROUND({setup.name}*{setup.ms_per},0)/{self.per_ms}")
            self._terms[key] = terms
        return self._terms[key]

    def _release(self, giver: int, resource_id: str, at: int) -> str:
        hold = self.inputs[f"hold:{self._stages[self.fixed.rows[giver].stage].id}:{resource_id}"]
        held = f"ROUND({hold.name}*{hold.ms_per},0)/{self.per_ms}"
        start, length = (self.places.near(giver, column, at) for column in (START, LENGTH))
        return f"{start}+MIN({held},{length})"

    def _waits(self, row: Row) -> str:
        rows = self.fixed.rows
        if isinstance(rows, ManyRows):
            return ""  # there each row follows those on its own cards alone
        waits = [self.label(rows[one]) for one, _ in row.released]
        waits += [self.label(rows[one]) for one in row.after if not set(rows[one].cards) & set(row.cards)]
        waits = list(dict.fromkeys(waits))
        return ", ".join(waits[:_MOST_WAITS]) + (" …" if len(waits) > _MOST_WAITS else "")


def time_format_of(fixed: FixedPlan, per_ms: int) -> str:
    """Return whole numbers as they are where all of the plan's times are whole; else hundredths in all rows."""
    schedule = fixed.timing.schedule
    times = (schedule.run_start_ms, schedule.run_duration_ms)
    return HUNDREDTHS if any((column % per_ms).any() for column in times) else PLAIN


def _text_xml(column: str, n: int, style: str, text: str) -> str:
    if not text:
        return f'<c r="{column}{n}"{style}/>'
    return f'<c r="{column}{n}"{style} t="inlineStr"><is>{inline(text)}</is></c>'
