"""Published scheduling instances as the engine's problems: independent and rigid tasks, groups, project networks.

Two shapes of file: `instances` (durations `p` on `m` cards), or any of `rigid`, `groups` and `rcpsp`. What cannot
be read, or is so large that nobody would wait for it, is named and left out. Nothing is solved here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from estimator.problems import FileRefused
from estimator.schedule import UNLIMITED, WHOLE_TASK, CycleFound, Policy, Problem
from estimator.storage import json_object, read_text

MOST_INSTANCES = 10_000
MOST_TASKS = 100_000
MOST_CARDS = 10_000
LARGEST_NUMBER = 2**40
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)

_Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance: its names, the best value known, and the problem, or why there is none ("" where there is)."""

    id: str
    families: tuple[str, ...]
    best_known: int | None
    problem: Problem | None
    skipped: str = ""


def read_instances(path: Path) -> Iterator[Instance]:
    """Yield the file's instances in its order. Raises FileRefused: no file, too large, not JSON, no instances."""
    try:
        document = json_object(read_text(path))
    except FileRefused as refusal:
        if refusal.code != "not_a_quote":
            raise
        document = {}  # JSON, but no object
    listed = {name: document[name] for name in _SHAPES if isinstance(document.get(name), list)}
    if not 0 < sum(map(len, listed.values())) <= MOST_INSTANCES:
        raise FileRefused("no_points", name=path.name)
    return (_instance(record, name) for name, records in listed.items() for record in records)


def _instance(record: object, shape: str) -> Instance:
    kind, read = _SHAPES[shape]
    if not isinstance(record, Mapping):
        return Instance("", (kind,), None, None, "point_not_read")
    name = str(record.get("id", ""))[:200]
    best = record.get("best", record.get("best_known"))
    best = best if isinstance(best, int) and not isinstance(best, bool) and best > 0 else None
    if not _is_bounded(record):
        return Instance(name, (kind,), best, None, "point_out_of_bounds")
    try:
        problem = read(record)
    except (*UNREADABLE, CycleFound):
        return Instance(name, (kind,), best, None, "point_not_read")
    families = [kind]
    if shape == "rigid" and problem.group_count >= 100:
        families.append("rigid, n >= 100")
    if shape == "rcpsp" and name.partition("_")[0].isalnum():
        families.append(f"rcpsp {name.partition('_')[0]}")
    return Instance(name, tuple(families), best, problem)


def _is_bounded(value: Any, depth: int = 0) -> bool:
    if isinstance(value, Mapping):
        return depth < 5 and all(_is_bounded(part, depth + 1) for part in value.values())
    if isinstance(value, list):
        return depth < 5 and len(value) <= MOST_TASKS and all(_is_bounded(part, depth + 1) for part in value)
    return not isinstance(value, int | float) or -LARGEST_NUMBER <= value <= LARGEST_NUMBER


def _independent(record: _Record) -> Problem:
    return _problem(_cards(record["m"]), [[_Group(1, each, 1) for each in record["p"]]])


def _rigid(record: _Record) -> Problem:
    sides = record.get("side") or [0] * len(record["p"])
    groups = [
        _Group(1, each, size, (side,))
        for each, size, side in zip(record["p"], record["size"], sides, strict=True)
    ]
    cap = record.get("side_cap")
    return _problem(_cards(record["cards"]), [groups], (UNLIMITED if cap is None else cap,))


def _groups(record: _Record) -> Problem:
    caps = record["side_caps"]
    stages, after, release = [], [], []
    tasks = 0
    for number, row in enumerate(record["groups"]):
        need = [0] * len(caps)
        if row.get("side"):
            need[row["side"][0]] = row["side"][1]
        each = row["d"]
        tasks += row["n"]
        if isinstance(each, list):
            if len(each) != row["n"]:
                raise ValueError("a duration for each task")
            stages.append([_Group(1, one, row["k"], tuple(need)) for one in each])
        else:
            stages.append([_Group(row["n"], each, row["k"], tuple(need))])
        after += [(before, number) for before in row.get("preds") or ()]
        release.append(row.get("release", 0))
    if tasks > MOST_TASKS:
        raise ValueError("too many tasks")
    return _problem(_cards(record["cards"]), stages, caps, after, release)


def _network(record: _Record) -> Problem:
    stages = [
        [_Group(1, each, 0, tuple(row))]
        for each, row in zip(record["durations"], record["demands"], strict=True)
    ]
    after = [(task, later) for task, row in enumerate(record["successors"]) for later in row]
    return _problem(0, stages, record["capacity"], after)


@dataclass(frozen=True, slots=True)
class _Group:
    count: int
    duration: int
    cards: int
    need: tuple[int, ...] = ()


def _cards(number: object) -> int:
    if not isinstance(number, int) or not 0 <= number <= MOST_CARDS:
        raise ValueError("cards")
    return number


def _problem(
    cards: int,
    stages: Sequence[Sequence[_Group]],
    capacity: Sequence[int] = (),
    after: Sequence[tuple[int, int]] = (),
    release: Sequence[int] | None = None,
) -> Problem:
    groups = [group for row in stages for group in row]
    shape = (len(groups), len(capacity))
    need = np.array([group.need for group in groups], dtype=np.int64).reshape(shape)
    count, zeros = len(stages), [0] * cards
    return Problem(
        count=np.array([group.count for group in groups]),
        stage=np.array([number for number, row in enumerate(stages) for _ in row]),
        duration_ms=np.array([group.duration for group in groups]).reshape(-1, 1),
        cards=np.array([group.cards for group in groups]),
        capacity=np.array(capacity, dtype=np.int64),
        need=need,
        hold_ms=np.full(shape, WHOLE_TASK),
        stage_count=count,
        after=tuple(after),
        release_ms=np.array(release if release is not None else [0] * count),
        policy=(Policy.BEST,) * count,
        tasks_at_once=np.full(count, UNLIMITED),
        may_cross_nodes=np.ones(count, dtype=np.bool_),
        card_model=np.array(zeros, dtype=np.int64),
        card_lot=np.array(zeros, dtype=np.int64),
        card_node=np.array(zeros, dtype=np.int64),
        card_ready_ms=np.array(zeros, dtype=np.int64),
    )


_SHAPES: Mapping[str, tuple[str, Callable[[_Record], Problem]]] = {
    "instances": ("independent", _independent),
    "rigid": ("rigid", _rigid),
    "groups": ("groups", _groups),
    "rcpsp": ("rcpsp", _network),
}
