"""Project plans from MS Project's XML and from GanttProject: tasks, durations, finish-to-start links, earliest
starts and deadlines.

Summary tasks are headings: their links and dates go to the tasks inside. Calendars are not taken over: a duration
counts the hours that the file states. What is left out is said. Files are hostile until read: bounded, and
without entities.
"""

from __future__ import annotations

import datetime as dt
import io
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path

from estimator.imports.tables import LARGEST_BYTES, has_entities, read_bytes
from estimator.imports.work import LONGEST_MS, MOST_STAGES, ColumnReading, WorkList, WorkRow, clock_ms
from estimator.problems import FileRefused, Problem, Severity
from estimator.units import MS_PER_DAY

MOST_DEPTH = 64
MOST_ELEMENTS = 500_000
MOST_ATTRIBUTES = 200_000
_AS_SOON_AS_POSSIBLE, _START_NO_EARLIER_THAN = "0", "4"
_FINISH_TO_START = {"msproject": "1", "ganttproject": "2"}


@dataclass(slots=True)
class _Task:
    line: int
    id: str
    name: str
    duration_ms: int | None
    is_summary: bool
    level: int
    after: list[str] = field(default_factory=list)
    release_ms: int | None = None
    due_ms: int | None = None


def read_project(source: Path | bytes, name: str = "") -> WorkList:
    """Return the tasks of a project plan, in its order. Raises FileRefused with the cause."""
    name = name or (source.name if isinstance(source, Path) else "")
    data = source if isinstance(source, bytes) else read_bytes(source, name)
    if len(data) > LARGEST_BYTES:
        raise FileRefused("file_too_large", name=name, largest_mib=LARGEST_BYTES // 2**20)
    if has_entities(data):
        raise FileRefused("project_has_entities", name=name)
    if data.count(b"=") > MOST_ATTRIBUTES:  # a parser gathers all attributes of an element before it says so
        raise FileRefused("project_too_deep", name=name)
    root = _parsed(data, name)
    tag = _local(root.tag)
    problems: list[Problem] = []
    if tag == "Project":
        tasks = list(_of_msproject(root, problems))
    elif tag == "project":
        tasks = list(_of_ganttproject(root, problems))
    else:
        raise FileRefused("not_a_project", name=name)
    if not tasks:
        raise FileRefused("table_empty", name=name)
    if len(tasks) > MOST_STAGES:
        raise FileRefused("too_many_rows", name=name, most=MOST_STAGES)
    columns = tuple(ColumnReading(one, one) for one in ("name", "duration", "after"))
    return WorkList(tuple(_rows(tasks)), columns, tuple(problems), name)


def _parsed(data: bytes, name: str) -> ElementTree.Element:
    """Return the root, read with bounds on depth and elements."""
    depth = count = 0
    root: ElementTree.Element | None = None
    try:
        for event, element in ElementTree.iterparse(io.BytesIO(data), events=("start", "end")):
            if event == "end":
                depth -= 1
                continue
            root = element if root is None else root
            depth, count = depth + 1, count + 1
            if depth > MOST_DEPTH or count > MOST_ELEMENTS:
                raise FileRefused("project_too_deep", name=name)
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise FileRefused("project_broken", name=name) from error
    if root is None:
        raise FileRefused("project_broken", name=name)
    return root


def _of_msproject(root: ElementTree.Element, problems: list[Problem]) -> Iterator[_Task]:
    start = _date(next((child.text or "" for child in root if _local(child.tag) == "StartDate"), ""))
    if any(True for _ in _all(root, "Calendar")):
        problems.append(Problem("calendars_left_out", (), Severity.WARNING))
    for line, element in enumerate(_all(root, "Task"), start=1):
        values = {_local(child.tag): (child.text or "").strip() for child in element}
        identity, name = values.get("UID", ""), values.get("Name", "")
        if identity == "0" or not (name or identity) or values.get("IsNull") == "1":
            continue  # the project's own line, and empty ones
        ms = clock_ms(values.get("Duration", ""))
        level = _whole(values.get("OutlineLevel", "1"))
        task = _Task(line, identity, name or identity, ms, values.get("Summary") == "1", level)
        if values.get("Milestone") == "1" and ms is None:
            task.duration_ms = 0
        for link in _children(element, "PredecessorLink"):
            parts = {_local(child.tag): (child.text or "").strip() for child in link}
            _add_link(task, parts.get("PredecessorUID", ""), parts.get("Type", "1"), "msproject", problems)
            if parts.get("LinkLag", "0") not in ("", "0"):
                _say(problems, "link_lag_left_out", task)
        _add_dates(task, values, start, problems)
        yield task


def _add_dates(
    task: _Task, values: dict[str, str], start: dt.datetime | None, problems: list[Problem]
) -> None:
    """Take "start no earlier than" and the deadline, from the plan's own start; say of any other that it is not."""
    kind = values.get("ConstraintType", "") or _AS_SOON_AS_POSSIBLE
    if kind == _START_NO_EARLIER_THAN:
        task.release_ms = _from_start(values.get("ConstraintDate", ""), start)
    if kind != _AS_SOON_AS_POSSIBLE and task.release_ms is None:
        _say(problems, "constraint_left_out", task)
    if values.get("Deadline"):
        task.due_ms = _from_start(values["Deadline"], start)
        if task.due_ms is None:
            _say(problems, "deadline_left_out", task)


def _from_start(text: str, start: dt.datetime | None) -> int | None:
    """Return a date of the file in ms after the plan's start, 0 where it is before it; None where one is not known."""
    date = _date(text)
    if date is None or start is None:
        return None
    return max(0, (date - start) // dt.timedelta(milliseconds=1))


def _date(text: str) -> dt.datetime | None:
    """Return a date as the file writes it, a wall time; None where it is none."""
    try:
        return dt.datetime.fromisoformat(text.strip()).replace(tzinfo=None)
    except ValueError:
        return None


def _of_ganttproject(root: ElementTree.Element, problems: list[Problem]) -> Iterator[_Task]:
    """GanttProject states durations in days, and links from the task that comes first."""
    tasks: list[_Task] = []
    links: list[tuple[str, str, str, str]] = []
    for holder in _children(root, "tasks"):
        _walk(holder, 1, tasks, links)
    by_id = {one.id: one for one in tasks}
    for before, after, kind, difference in links:
        if after in by_id:
            _add_link(by_id[after], before, kind, "ganttproject", problems)
            if difference not in ("", "0"):
                _say(problems, "link_lag_left_out", by_id[after])
    if any(one.duration_ms for one in tasks):
        problems.append(Problem("days_count_24_hours", (), Severity.WARNING))
    yield from tasks


def _walk(
    holder: ElementTree.Element, level: int, tasks: list[_Task], links: list[tuple[str, str, str, str]]
) -> None:
    for element in _children(holder, "task"):
        identity, name = element.get("id", ""), element.get("name", "").strip()
        inside = list(_children(element, "task"))
        ms = None
        try:
            days = Decimal(element.get("duration", ""))
            ms = int(days * MS_PER_DAY) if days.is_finite() and 0 <= days * MS_PER_DAY <= LONGEST_MS else None
        except InvalidOperation:
            ms = None
        if element.get("meeting") == "true":
            ms = 0
        tasks.append(_Task(len(tasks) + 1, identity, name or identity, ms, bool(inside), level))
        for link in _children(element, "depend"):
            links.append((identity, link.get("id", ""), link.get("type", "2"), link.get("difference", "0")))
        _walk(element, level + 1, tasks, links)


def _add_link(task: _Task, before: str, kind: str, format_name: str, problems: list[Problem]) -> None:
    if kind == _FINISH_TO_START[format_name]:
        task.after.append(before)
    else:
        _say(problems, "link_kind_left_out", task)


def _say(problems: list[Problem], code: str, task: _Task) -> None:
    problems.append(Problem(code, (str(task.line),), Severity.WARNING, (("name", task.name),)))


def _rows(tasks: list[_Task]) -> Iterator[WorkRow]:
    """Yield the tasks that are no headings; a link to or from a heading is one to or from all tasks inside."""
    inside: dict[str, list[str]] = {}
    above: list[_Task] = []
    holders: dict[str, list[_Task]] = {}
    for task in tasks:
        while above and above[-1].level >= task.level:
            above.pop()
        holders[task.id] = list(above)
        if task.is_summary:
            above.append(task)
            inside[task.id] = []
        else:
            for one in above:
                inside[one.id].append(task.id)
    for task in tasks:
        if task.is_summary:
            continue
        waits: dict[str, None] = {}
        chain = (task, *holders[task.id])
        release = max((one.release_ms for one in chain if one.release_ms is not None), default=None)
        due = min((one.due_ms for one in chain if one.due_ms is not None), default=None)
        for one in chain:
            for before in one.after:
                for leaf in inside.get(before, [before]):
                    if leaf != task.id:
                        waits[leaf] = None
        yield WorkRow(
            task.line,
            task.id,
            task.name,
            task.duration_ms,
            after=tuple(waits),
            release_ms=release,
            due_ms=due,
        )


def _all(root: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    for holder in _children(root, f"{tag}s"):
        yield from _children(holder, tag)


def _children(element: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    return (child for child in element if _local(child.tag) == tag)


def _local(tag: str) -> str:
    return tag.rsplit("}", 1)[-1]


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 1
