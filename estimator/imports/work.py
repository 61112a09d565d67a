"""Task lists from a table: names, durations, counts, cards, memory, dates and what each waits for.

Columns are known by Spanish or English headers, and each says how it was read. A row becomes a group of tasks of one
stage, or a stage of its own; which one is the planner's choice. What cannot be read is named with its line.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from estimator.evidence import Evidence, EvidenceKind, Stated
from estimator.imports.columns import DateColumn, NumberColumn, date_column, number_column, plain_text
from estimator.imports.tables import Cell, Table
from estimator.problems import Problem, Severity
from estimator.units import MS_PER, MS_PER_DAY, TimeUnit

HEADERS: dict[str, tuple[str, ...]] = {
    "name": ("name", "nombre", "task", "tarea", "task name", "nombre de tarea", "stage", "etapa", "jobname"),
    "id": ("id", "uid", "jobid", "code", "codigo", "key", "clave", "number", "numero"),
    "duration": (
        *("duration", "duracion", "time", "tiempo", "hours", "horas", "minutes", "minutos", "seconds"),
        *("segundos", "days", "dias", "elapsed", "transcurrido", "unit time", "tiempo por unidad"),
    ),
    "count": ("count", "cantidad", "cuantas", "units", "unidades", "quantity", "tasks", "tareas", "repeat"),
    "cards": ("cards", "tarjetas", "gpus", "gpu", "cards per task", "tarjetas por tarea", "alloctres"),
    "memory": ("memory", "memoria", "vram", "peak", "pico", "memory per card", "memoria por tarjeta"),
    "start": ("start", "inicio", "begin", "comienzo", "start date", "fecha de inicio"),
    "after": (
        *("predecessors", "predecesoras", "after", "despues de", "depends on", "depende de", "dependencies"),
        *("dependencias", "predecessor", "predecesora"),
    ),
}
_MEANING = {header: meaning for meaning, headers in HEADERS.items() for header in headers}
_UNITS = {
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "hora", "horas"), TimeUnit.HOUR),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "minuto", "minutos"), TimeUnit.MINUTE),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "seg", "segundo", "segundos"), TimeUnit.SECOND),
    **dict.fromkeys(("d", "day", "days", "dia", "dias"), TimeUnit.DAY),
}
_MEMORY_UNITS = {"gib": Decimal(1), "mib": Decimal(1) / 1024, "gb": Decimal(10**9) / 2**30}
_NOISE = frozenset({"gib", "gb", "mib", "in", "en", "per", "card", "por", "tarjeta", "of", "de"})
_CLOCK = re.compile(r"(?:(\d{1,4})[- d]+)?(\d{1,5}):([0-5]?\d)(?::([0-5]?\d)(?:[.,]\d+)?)?")
_ISO = re.compile(
    r"P(?:(\d{1,15})D)?T?(?:(\d{1,15})H)?(?:(\d{1,15})M)?(?:(\d{1,15}(?:\.\d{1,15})?)S)?", re.IGNORECASE
)
_PART = re.compile(r"(\d+(?:[.,]\d+)?)\s*([a-zµ]+)")
_STEP = re.compile(r"\d+(?:_\d+)?\.(?:batch|extern|interactive|\d+)")
MOST_STAGES = 1_000
LONGEST_MS = 1_000_000 * MS_PER_DAY  # a longer time is a slip or an attack, never a task


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """How one column was read. `meaning` "" where it was left out; `detail`: unit, mark or order of dates."""

    header: str
    meaning: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class WorkRow:
    """One row: a group of `count` equal tasks. `after`: names or ids as written. None: not stated.

    `release_ms`, `due_ms`: earliest start and date due, from the start of the plan.
    """

    line: int
    id: str
    name: str
    duration_ms: int | None
    count: int = 1
    cards: int | None = None
    memory_gib: Decimal | None = None
    start: dt.date | None = None
    after: tuple[str, ...] = ()
    release_ms: int | None = None
    due_ms: int | None = None


@dataclass(frozen=True, slots=True)
class WorkList:
    """The rows read, how each column was read, and what was wrong or assumed. `source` names the file."""

    rows: tuple[WorkRow, ...]
    columns: tuple[ColumnReading, ...]
    problems: tuple[Problem, ...]
    source: str = ""

    @property
    def unit(self) -> TimeUnit:
        """The largest unit in which every duration is at most 4 decimals: hours, else minutes, else seconds."""
        known = [row.duration_ms for row in self.rows if row.duration_ms is not None]
        for unit in (TimeUnit.HOUR, TimeUnit.MINUTE):
            if (
                all((Decimal(one) / MS_PER[unit] * 10_000) % 1 == 0 for one in known)
                and max(known, default=0) >= (MS_PER[unit])
            ):
                return unit
        return TimeUnit.SECOND


@dataclass(slots=True)
class _Reading:
    table: Table
    number_format: str
    places: dict[str, int] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, NumberColumn] = field(default_factory=dict)
    dates: DateColumn | None = None
    problems: list[Problem] = field(default_factory=list)

    def say(self, code: str, severity: Severity, line: int | None = None, **values: object) -> None:
        where = (self.table.name,) if line is None else (self.table.name, str(line))
        gaps = values if line is None else {"line": line, **values}
        self.problems.append(Problem(code, where, severity, tuple(gaps.items())))


def read_work(table: Table, number_format: str = "es_ES", unit: TimeUnit = TimeUnit.MINUTE) -> WorkList:
    """Return the task list in a table. `number_format` and `unit` hold where the table is silent, with a warning."""
    reading = _Reading(table, number_format)
    reading.problems.extend(table.notes)
    _understand(reading, unit)
    if "duration" not in reading.places or not {"name", "id"} & reading.places.keys():
        missing = "column_missing_name" if "duration" in reading.places else "column_missing_duration"
        reading.say(missing, Severity.ERROR)
        return WorkList((), _columns(reading), tuple(reading.problems), table.name)
    rows = []
    for line, cells in zip(table.lines, table.rows, strict=True):
        row = _row(reading, line, cells)
        if row is not None:
            rows.append(row)
    steps = (
        sum(bool(_STEP.fullmatch(_text(cells[place]))) for cells in table.rows)
        if ((place := reading.places.get("id")) is not None)
        else 0
    )
    if steps:
        reading.say("job_steps_left_out", Severity.WARNING, count=steps)
    return WorkList(tuple(rows), _columns(reading), tuple(reading.problems), table.name)


def _understand(reading: _Reading, unit: TimeUnit) -> None:
    for place, header in enumerate(reading.table.header):
        words, units = _words(header)
        meaning = _MEANING.get(words) or next(
            (_MEANING[one] for one in words.split() if one in _MEANING), None
        )
        if meaning is None and len(units) == 1 and units[0] in _UNITS:
            meaning = "duration"  # "h" alone, or "min"
        if meaning is None or meaning in reading.places:
            if header:
                code = "column_ignored" if meaning is None else "column_twice"
                severity = Severity.WARNING if meaning is None else Severity.ERROR
                reading.say(code, severity, header=header)
            continue
        reading.places[meaning] = place
        kind: Mapping[str, object] = _MEMORY_UNITS if meaning == "memory" else _UNITS
        fitting = [one for one in units if one in kind]
        if fitting and meaning in ("duration", "memory"):
            reading.units[meaning] = fitting[0]
    for meaning in ("duration", "count", "cards", "memory"):
        _understand_numbers(reading, meaning)
    if "duration" in reading.places and "duration" not in reading.units:
        reading.units["duration"] = unit.value
        if any(_is_plain(cell) for cell in _cells(reading, "duration")):
            reading.say("duration_unit_assumed", Severity.WARNING, unit=unit.value)
    if "memory" in reading.places and "memory" not in reading.units:
        reading.units["memory"] = "gib"
    if "start" in reading.places:
        reading.dates = date_column(_cells(reading, "start"), reading.number_format)
        if reading.dates.contradicts or reading.dates.is_assumed:
            code = "dates_contradict" if reading.dates.contradicts else "date_order_assumed"
            reading.say(code, Severity.WARNING, header=reading.table.header[reading.places["start"]])


def _understand_numbers(reading: _Reading, meaning: str) -> None:
    if meaning not in reading.places:
        return
    header = reading.table.header[reading.places[meaning]]
    column = number_column(tuple(_figures(cell) for cell in _cells(reading, meaning)))
    if column.contradicts:
        reading.say("number_marks_contradict", Severity.ERROR, header=header)
    elif column.is_open:
        mark = "," if reading.number_format == "es_ES" else "."
        reading.say("number_mark_assumed", Severity.WARNING, header=header, mark=mark)
        column = column.with_mark(mark)
    reading.numbers[meaning] = column


def _words(header: str) -> tuple[str, list[str]]:
    """Return a header's words without accents, marks and units, and the units it names."""
    words = re.sub(r"[^a-z0-9]+", " ", plain_text(header)).split()
    units = [one for one in words if one in _UNITS or one in _MEMORY_UNITS]
    whole = " ".join(words)
    if whole in _MEANING:
        return whole, units
    return " ".join(one for one in words if one not in _UNITS and one not in _NOISE), units


def _cells(reading: _Reading, meaning: str) -> tuple[Cell, ...]:
    place = reading.places[meaning]
    return tuple(row[place] for row in reading.table.rows)


def _figures(cell: Cell) -> Cell:
    """A cell without a unit after its figure: "12,5 GiB" votes as "12,5" does."""
    if isinstance(cell, str):
        match = re.fullmatch(r"([+-]?[\d.,\s]+?)\s*[a-zA-Z]*", cell)
        return match[1] if match else None
    return cell if isinstance(cell, Decimal) else None


def _is_plain(cell: Cell) -> bool:
    return isinstance(cell, Decimal) or (
        isinstance(cell, str) and re.fullmatch(r"[\d.,\s]+", cell) is not None
    )


def _row(reading: _Reading, line: int, cells: tuple[Cell, ...]) -> WorkRow | None:
    def cell(meaning: str) -> Cell:
        place = reading.places.get(meaning)
        return None if place is None else cells[place]

    identity, name = _text(cell("id")), _text(cell("name"))
    if _STEP.fullmatch(identity):
        return None  # a step of a cluster's job, whose time the job's own row has
    name = name or identity
    if not name:
        reading.say("row_without_name", Severity.ERROR, line)
        return None
    ms = None
    if cell("duration") is not None:
        ms = _duration_ms(reading, cell("duration"))
        if ms is None:
            header = reading.table.header[reading.places["duration"]]
            reading.say(
                "duration_unreadable", Severity.ERROR, line, header=header, text=_text(cell("duration"))
            )
            return None
    counts: dict[str, int | None] = {"count": None, "cards": None}
    for meaning in counts:
        if cell(meaning) is None:
            continue
        value = _cards_of(_text(cell(meaning))) if meaning == "cards" else None
        value = value if value is not None else _number(reading, meaning, cell(meaning))
        if value is None or value != int(value) or value < (0 if meaning == "cards" else 1):
            header = reading.table.header[reading.places[meaning]]
            reading.say("not_a_count", Severity.ERROR, line, header=header, text=_text(cell(meaning)))
            return None
        counts[meaning] = int(value)
    memory = None
    if cell("memory") is not None:
        memory = _memory(reading, cell("memory"))
        if memory is None:
            header = reading.table.header[reading.places["memory"]]
            reading.say("number_unreadable", Severity.ERROR, line, header=header, text=_text(cell("memory")))
            return None
    day = None if reading.dates is None or cell("start") is None else reading.dates.date(cell("start"))
    after = tuple(one.strip() for one in re.split(r"[;,|]+", _text(cell("after"))) if one.strip())
    return WorkRow(line, identity, name, ms, counts["count"] or 1, counts["cards"], memory, day, after)


def _duration_ms(reading: _Reading, cell: Cell) -> int | None:
    """Return a duration in whole ms, None where the cell holds none or one beyond `LONGEST_MS`."""
    exact = _exact_ms(reading, cell)
    return None if exact is None or not 0 <= exact <= LONGEST_MS else int(exact)


def _exact_ms(reading: _Reading, cell: Cell) -> Decimal | int | None:
    """Return a number in the column's unit, a clock of any length, ISO 8601, or a text with its units, in ms."""
    if isinstance(cell, dt.timedelta):
        return round(cell.total_seconds() * 1000)
    if isinstance(cell, dt.time):
        return ((cell.hour * 60 + cell.minute) * 60 + cell.second) * 1000
    if isinstance(cell, str):
        found = clock_ms(cell)
        if found is not None:
            return found
        parts = _PART.findall(plain_text(cell))
        rest = _PART.sub("", plain_text(cell)).strip(" .,")
        if parts and not rest and all(unit in _UNITS for _, unit in parts):
            return sum(Decimal(value.replace(",", ".")) * MS_PER[_UNITS[unit]] for value, unit in parts)
    value = _number(reading, "duration", cell)
    if value is None:
        return None
    named = reading.units["duration"]
    unit = _UNITS.get(named) or TimeUnit(named)
    return value * MS_PER[unit]


def clock_ms(text: str) -> int | None:
    """Return "26:15", "1-02:03:04", "36:00:00" or "PT24H0M0S" in ms; None for another text and beyond `LONGEST_MS`.

    Two parts are hours and minutes. A day counts 24 hours: an end at midnight is not another day.
    """
    clock = _CLOCK.fullmatch(text.strip())
    found: int | None = None
    if clock:
        days, hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        found = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
    iso = _ISO.fullmatch(text.strip())
    if iso and any(iso.groups()):
        days, hours, minutes = (int(part or 0) for part in iso.groups()[:3])
        whole = ((days * 24 + hours) * 60 + minutes) * 60
        found = int((whole + Decimal(iso[4] or 0)) * 1000)
    return None if found is None or found > LONGEST_MS else found


def _number(reading: _Reading, meaning: str, cell: Cell) -> Decimal | None:
    figures = _figures(cell)
    return None if figures is None else reading.numbers[meaning].number(figures)


def _memory(reading: _Reading, cell: Cell) -> Decimal | None:
    value = _number(reading, "memory", cell)
    if value is None or value < 0:
        return None
    own = re.search(r"(gib|mib|gb)\s*$", plain_text(_text(cell)))
    return value * _MEMORY_UNITS[own[1] if own else reading.units["memory"]]


def _cards_of(text: str) -> Decimal | None:
    """Return the cards of a cluster's allocation, such as "cpu=32,gres/gpu=4,gres/gpu:a100=4": 4, never 8."""
    if "=" not in text:
        return None
    match = re.search(r"gres/gpu=(\d+)", text)
    typed = [int(count) for count in re.findall(r"gres/gpu:[^=,]+=(\d+)", text)]
    return Decimal(match[1]) if match else Decimal(sum(typed))


def _text(cell: Cell) -> str:
    if isinstance(cell, Decimal) and cell == cell.to_integral_value():
        return str(int(cell))
    return "" if cell is None else str(cell)


def _columns(reading: _Reading) -> tuple[ColumnReading, ...]:
    by_place = {place: meaning for meaning, place in reading.places.items()}
    found = []
    for place, header in enumerate(reading.table.header):
        meaning = by_place.get(place, "")
        detail = reading.units.get(meaning, "")
        if meaning in reading.numbers and reading.numbers[meaning].mark:
            detail = f"{detail} {reading.numbers[meaning].mark}".strip()
        if meaning == "start" and reading.dates is not None:
            detail = "day_first" if reading.dates.day_first else "month_first"
        found.append(ColumnReading(header, meaning, detail))
    return tuple(found)


def stated_memory(row: WorkRow, source: str) -> Stated | None:
    """Return a row's memory as a stated number, None where it states none."""
    if row.memory_gib is None:
        return None
    evidence = Evidence(kind=EvidenceKind.ASSUMED, source=source)
    return Stated(value=row.memory_gib.normalize(), evidence=evidence)


def links_of(rows: Sequence[WorkRow]) -> tuple[dict[int, tuple[int, ...]], tuple[Problem, ...]]:
    """Return for each row the rows it waits for, by id first, then by name; and what could not be found.

    A circle is an error that names its rows; its links are then kept for nobody.
    """
    by_key: dict[str, int] = {}
    for place, row in enumerate(rows):
        for key in (row.name.casefold(), row.id.casefold()):
            if key:
                by_key[key] = place
    found: dict[int, tuple[int, ...]] = {}
    problems = []
    for place, row in enumerate(rows):
        waits = []
        for written in row.after:
            other = by_key.get(written.casefold())
            if other is None:
                values = (("line", row.line), ("text", written))
                problems.append(Problem("predecessor_missing", (str(row.line),), Severity.ERROR, values))
            elif other != place and other not in waits:
                waits.append(other)
        found[place] = tuple(waits)
    circle = _circle(found)
    if circle:
        names = ", ".join(rows[place].name for place in circle)
        problems.append(Problem("predecessors_in_a_circle", (), Severity.ERROR, (("names", names),)))
        found = dict.fromkeys(found, ())
    return found, tuple(problems)


def _circle(waits: dict[int, tuple[int, ...]]) -> list[int]:
    """Return the rows of one circle in their order, or nothing."""
    left = dict(waits)
    while True:
        free = [place for place, others in left.items() if not any(one in left for one in others)]
        if not free:
            break
        for place in free:
            del left[place]
    if not left:
        return []
    place = min(left)
    walked: list[int] = []
    while place not in walked:
        walked.append(place)
        place = next(one for one in left[place] if one in left)
    return sorted(walked[walked.index(place) :])
