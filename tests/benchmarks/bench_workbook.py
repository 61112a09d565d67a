"""How many rows of tasks a second go into a workbook: streamed, and the same rows through the library alone.

It prints and never fails. Memory is what the process grows by while it writes.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from estimator.estimate import headline
from estimator.exports.workbook import book as book_module
from estimator.exports.workbook import write_workbook
from estimator.results.estimate import Estimate
from estimator.wording import Language, NumberFormat, Wording
from tests.large_quotes import many_tasks
from tests.quotes import TODAY

WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)
NO_LIMIT = 10**9
MIB = 2**20
STATUS = Path("/proc/self/statm")
PAGE_BYTES = 4096


def _resident() -> float:
    return int(STATUS.read_text().split()[1]) * PAGE_BYTES / MIB if STATUS.exists() else 0.0


class _Peak:
    """The most memory the process has while it runs, looked at fifty times a second."""

    def __enter__(self) -> _Peak:
        self.first = self.most = _resident()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(0.02):
            self.most = max(self.most, _resident())


def _timed(estimate: Estimate, path: Path) -> tuple[float, float, float]:
    """Return seconds on the clock, seconds of the processor, and the longest silence between two reports."""
    since, longest = time.perf_counter(), 0.0

    def heard(_: float) -> None:
        nonlocal since, longest
        now = time.perf_counter()
        since, longest = now, max(longest, now - since)

    started, worked = time.perf_counter(), time.process_time()
    write_workbook(estimate, path, WORDS, TODAY, progress=heard)
    return time.perf_counter() - started, time.process_time() - worked, longest


@pytest.mark.parametrize("rows", [10_000, 100_000])
def bench_streamed_against_the_library(rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same workbook both ways."""
    estimate = headline(many_tasks(rows, 64), TODAY)
    streamed = _timed(estimate, tmp_path / "streamed.xlsx")
    monkeypatch.setattr(book_module, "MOST_TASK_ROWS", NO_LIMIT)
    plain = _timed(estimate, tmp_path / "plain.xlsx")
    for name, (seconds, worked, _) in (("streamed", streamed), ("library", plain)):
        print(
            f"\n{rows:,} rows, {name}: {rows / seconds:,.0f} rows/s, {rows / worked:,.0f} a CPU second",
            end="",
        )
    print(f"\nratio {plain[0] / streamed[0]:.1f} by the clock, {plain[1] / streamed[1]:.1f} by the processor")


def bench_a_million_rows(tmp_path: Path) -> None:
    """Speed, memory beyond the quote, size of the file, and how long nothing is heard."""
    estimate = headline(many_tasks(1_000_000, 128), TODAY)
    path = tmp_path / "million.xlsx"
    with _Peak() as peak:
        seconds, _, silence = _timed(estimate, path)
    size = path.stat().st_size / MIB
    print(
        f"\n1,000,000 rows: {1e6 / seconds:,.0f} rows/s, +{peak.most - peak.first:.0f} MiB, {size:.0f} MiB, "
        f"longest silence {silence:.2f} s"
    )
