"""What a person set once and keeps across quotes: language, formats, look, recent files, widths.

Values live in one ini file in the application's own folder, never in the quote and never in the place Qt
would choose by itself. A value that cannot be read falls back to its default. No quote data here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QSettings, QStandardPaths

from estimator.wording import Language, NumberFormat
from ui.theme import Density, Scheme

RECENT_FILES = 10
LAST_PAGE = 7
_PORTABLE_FOLDER = "cabida-data"
_Choice = TypeVar("_Choice", bound=StrEnum)


def data_folder(environment: Mapping[str, str], program: Path | None = None) -> Path:
    """Return the application's own folder, not created here.

    In this order: `CABIDA_DATA` of `environment`; a folder `cabida-data` beside `program` (the portable
    build); the folder that the desktop gives to applications.
    """
    if stated := environment.get("CABIDA_DATA"):
        return Path(stated)
    if program is not None and (program.parent / _PORTABLE_FOLDER).is_dir():
        return program.parent / _PORTABLE_FOLDER
    root = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericDataLocation)
    return Path(root) / "cabida"


def own_data_folder() -> Path:
    """Return `data_folder` for this process: its environment, and its program file where it is frozen."""
    return data_folder(os.environ, Path(sys.executable) if getattr(sys, "frozen", False) else None)


def language_of(locale: str) -> Language:
    """Return the language for a system locale such as `es_MX`: Spanish for any `es`, else English."""
    return Language.SPANISH if locale.lower().startswith("es") else Language.ENGLISH


def number_format_of(locale: str) -> NumberFormat:
    """Return the number format for a system locale; other places write as the nearest of ours."""
    plain = locale.split(".")[0].replace("-", "_")
    language, _, rest = plain.partition("_")
    place = rest.split("_")[-1]
    for one in NumberFormat:
        if one.value == f"{language}_{place}":
            return one
    if language == "es":
        return NumberFormat.ES_MX if place in _POINT_DECIMALS else NumberFormat.ES_ES
    return NumberFormat.EN_GB if language == "en" and place not in ("", "US") else NumberFormat.EN_US


# Spanish-speaking places that write 1,234.50 (CLDR 47), and es_419, which follows them.
_POINT_DECIMALS = frozenset({"MX", "419", "US", "GT", "HN", "NI", "PA", "PE", "PR", "SV", "DO", "CU"})


class Settings:
    """The settings of one person, read from and written to `file` at once."""

    def __init__(self, file: Path, system_locale: str = "en_US") -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._store = QSettings(str(file), QSettings.Format.IniFormat)
        self._locale = system_locale

    @property
    def language(self) -> Language:
        """The language of the window; at first the system's."""
        return self._choice("language", Language, language_of(self._locale))

    @language.setter
    def language(self, value: Language) -> None:
        self._write("language", value.value)

    @property
    def number_format(self) -> NumberFormat:
        """How numbers are written, apart from the language; at first the system's."""
        return self._choice("number_format", NumberFormat, number_format_of(self._locale))

    @number_format.setter
    def number_format(self, value: NumberFormat) -> None:
        self._write("number_format", value.value)

    @property
    def scheme(self) -> Scheme:
        """The colours; at first the desktop's."""
        return self._choice("scheme", Scheme, Scheme.SYSTEM)

    @scheme.setter
    def scheme(self, value: Scheme) -> None:
        self._write("scheme", value.value)

    @property
    def density(self) -> Density:
        """Comfortable or compact."""
        return self._choice("density", Density, Density.COMFORTABLE)

    @density.setter
    def density(self, value: Density) -> None:
        self._write("density", value.value)

    @property
    def last_page(self) -> int:
        """The page shown last, 0 to 7."""
        page = _whole(self._store.value("last_page"))
        return page if page is not None and 0 <= page <= LAST_PAGE else 0

    @last_page.setter
    def last_page(self, value: int) -> None:
        self._write("last_page", str(value))

    @property
    def tour_seen(self) -> bool:
        """Whether the tour was finished or skipped."""
        return bool(self._store.value("tour_seen") == "yes")

    @tour_seen.setter
    def tour_seen(self, value: bool) -> None:
        self._write("tour_seen", "yes" if value else "no")

    @property
    def recent_files(self) -> tuple[Path, ...]:
        """Files opened or saved, newest first, missing ones included: at most ten."""
        return tuple(Path(line) for line in self._lines("recent_files") if line)[:RECENT_FILES]

    def remember_file(self, file: Path) -> None:
        """Put a file first among the recent ones."""
        others = [one for one in self.recent_files if one != file]
        self._write("recent_files", [str(one) for one in (file, *others)][:RECENT_FILES])

    def forget_file(self, file: Path) -> None:
        """Take a file out of the recent ones."""
        self._write("recent_files", [str(one) for one in self.recent_files if one != file])

    def widths(self, name: str) -> tuple[int, ...]:
        """Return remembered widths in pixels of a splitter or of a table's columns; empty where none are."""
        read = [_whole(part) for part in self._lines(f"widths/{name}")]
        whole = tuple(width for width in read if width is not None and width >= 0)
        return whole if len(whole) == len(read) else ()

    def remember_widths(self, name: str, widths: tuple[int, ...]) -> None:
        """Keep the widths in pixels of a splitter or of a table's columns."""
        self._write(f"widths/{name}", [str(width) for width in widths])

    def _choice(self, key: str, kind: type[_Choice], default: _Choice) -> _Choice:
        stored = self._store.value(key)
        return next((one for one in kind if one.value == stored), default)

    def _lines(self, key: str) -> list[str]:
        # QSettings gives a list of one entry back as a plain string, and an empty one as None.
        stored = self._store.value(key)
        if isinstance(stored, str):
            return [stored]
        return [line for line in stored if isinstance(line, str)] if isinstance(stored, list) else []

    def _write(self, key: str, value: str | list[str]) -> None:
        self._store.setValue(key, value)
        self._store.sync()


def _whole(stored: object) -> int | None:
    text = stored if isinstance(stored, str) else ""
    return int(text) if text.isascii() and text.lstrip("-").isdigit() else None
