"""Copies of unsaved quotes in the application's own folder, one for each program that runs.

A lock file beside each copy tells whose it is; that of a program that has died is taken over.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QLockFile

MOST_COPIES = 32


class RecoveryCopies:
    """The copy of this program, and those that others left behind. Raises OSError where there is no folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: Path | None = None
        self._lock: QLockFile | None = None

    @property
    def file(self) -> Path:
        """Where this program's copy lies: the first place that no other keeps or has left a copy in."""
        if self._file is None:
            free = (place for place in self._places() if not place.exists() and self._take(place))
            # With every place taken the last is shared: a copy too many is better than none.
            self._file = next(free, self._places()[-1])
        return self._file

    def left_behind(self) -> tuple[Path, ...]:
        """Return the copies that no running program keeps, the newest first."""
        found = [place for place in self._places() if place != self._file and place.exists()]
        free = [place for place in found if _locked(place) is not None]
        return tuple(sorted(free, key=lambda place: place.stat().st_mtime, reverse=True))

    def take_over(self, file: Path) -> bool:
        """Make a copy that was left behind this program's own; False where another was quicker."""
        return self._take(file)

    def release(self) -> None:
        """Keep no place any more."""
        self._file = None
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None

    def _take(self, place: Path) -> bool:
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = _locked(place)
        if lock is None:
            return False
        self.release()
        self._file, self._lock = place, lock
        return True

    def _places(self) -> tuple[Path, ...]:
        later = (self._folder / f"recovery-{number}.cabida" for number in range(2, MOST_COPIES + 1))
        return (self._folder / "recovery.cabida", *later)


def _locked(place: Path) -> QLockFile | None:
    """Return the lock of a copy, taken; None where a running program has it. It is let go with the object."""
    lock = QLockFile(str(place.with_suffix(".lock")))
    lock.setStaleLockTime(0)  # a lock grows old with its program, not with time
    return lock if lock.tryLock(0) else None
