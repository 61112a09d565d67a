"""Trouble as a value: what is wrong or missing, where, how badly. Sentences are made in `wording/`.

A `Place` is a path of ids from the quote's root, such as `("workload", "stages", "conversion",
"duration")`; the window turns it into a link, the terminal into words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

Place = tuple[str, ...]


class Severity(StrEnum):
    """Errors block the figures that use the place; a missing datum leaves them absent; warnings block nothing."""

    ERROR = "error"
    MISSING = "missing"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that a person can put right. `values` are the gaps of its sentence: (name, text or number)."""

    code: str
    where: Place
    severity: Severity
    values: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Absent:
    """A figure that is not known: the reason's code, the place that would supply it, the gaps of its sentence."""

    code: str
    where: Place = ()
    values: tuple[tuple[str, object], ...] = field(default=())


class FileRefused(Exception):
    """A file that cannot be opened, saved or imported: a code and the gaps of its sentence, nothing half done."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values
