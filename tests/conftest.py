"""What holds for every test: no real display, home folder, network or locale, and no silence.

A warning, a Qt message or an unexpected log record fails the test that caused it; where CABIDA_ALL is set
(the automatic run) a skip does too. Data that tests share lie in tests/data.
"""

from __future__ import annotations

import logging
import os
import select
import shutil
import socket
import subprocess
import time
from collections.abc import Generator, Iterator
from pathlib import Path

# Before Qt, numpy or Babel are imported: they read these once.
_SETTLED = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "QT_SCALE_FACTOR": "1",
    "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM") or "offscreen",
}
for _name in [name for name in os.environ if name.startswith(("LC_", "CABIDA_")) and name != "CABIDA_ALL"]:
    del os.environ[_name]
# A journey runs in a process of its own, in a real window on a virtual display (see tests/journeys).
IN_A_WINDOW = os.environ.get("QT_QPA_PLATFORM") == "xcb"
for _name in ("LANGUAGE", "WAYLAND_DISPLAY", "QT_STYLE_OVERRIDE", "QT_QPA_PLATFORMTHEME"):
    os.environ.pop(_name, None)
if not IN_A_WINDOW:
    os.environ.pop("DISPLAY", None)
os.environ.update(_SETTLED)
if hasattr(time, "tzset"):
    time.tzset()

import pytest  # noqa: E402  (the environment is settled first)
from hypothesis import settings  # noqa: E402

BENCHMARKS = Path(__file__).parent / "benchmarks"
JOURNEYS = Path(__file__).parent / "journeys" / "in_window"
EVERYTHING_MUST_RUN = bool(os.environ.get("CABIDA_ALL"))

# The same examples each time and on each machine, and no clock that decides.
settings.register_profile("steady", derandomize=True, deadline=None, database=None, print_blob=False)
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    """Put the independent checker behind the scheduler, before a test imports it; benchmarks measure it bare."""
    if not _measures(config):
        from tests.schedule_rules import check_every_schedule

        check_every_schedule()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the benchmarks out of a run that does not name them, and the journeys where there is no window."""
    if collection_path == BENCHMARKS and not _measures(config):
        return True
    return True if collection_path == JOURNEYS and not IN_A_WINDOW else None


def _measures(config: pytest.Config) -> bool:
    """Whether the benchmarks are what is asked for."""
    return any(
        "benchmarks" in Path(argument.split("::")[0]).parts for argument in config.invocation_params.args
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if EVERYTHING_MUST_RUN and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, where nothing may be: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if EVERYTHING_MUST_RUN and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, where nothing may be: {report.longrepr}"
    return report


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give each test an empty home and data folder of its own (CABIDA_DATA, HOME, XDG_*)."""
    # Not through `tmp_path` and `monkeypatch`: hypothesis objects to a fixture that is made once per test.
    home = tmp_path_factory.mktemp("home")
    folders = {
        "CABIDA_DATA": home / "data",
        "HOME": home,
        "USERPROFILE": home,
        "APPDATA": home / "roaming",
        "LOCALAPPDATA": home / "local",
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_DATA_HOME": home / ".local" / "share",
        "XDG_STATE_HOME": home / ".local" / "state",
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_RUNTIME_DIR": home / "run",
    }
    (home / "run").mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as patch:
        for name, folder in folders.items():
            patch.setenv(name, str(folder))
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """Fail whatever opens a connection; sockets of this machine's file system are not the network."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, _refusing(name))
        patch.setattr(socket, "getaddrinfo", _refuse_lookup)
        yield


def _refuse_lookup(host: object, *arguments: object, **options: object) -> None:
    pytest.fail(f"the network was used: a look-up of {host}")


def _refusing(name: str) -> object:
    real = getattr(socket.socket, name)

    def guarded(self: socket.socket, *arguments: object) -> object:
        if self.family != getattr(socket, "AF_UNIX", None):
            # Not an OSError, which the code under test may well catch.
            pytest.fail(f"the network was used: {name}{arguments}")
        return real(self, *arguments)

    return guarded


class _Records(logging.Handler):
    """Keeps what is logged at WARNING or above."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname} {record.name}: {record.getMessage()}")


@pytest.fixture(autouse=True)
def _no_unexpected_log(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that logs a warning or worse and is not marked `expects_log`."""
    records = _Records()
    root = logging.getLogger()
    root.addHandler(records)
    yield
    root.removeHandler(records)
    if records.lines and request.node.get_closest_marker("expects_log") is None:
        pytest.fail("unexpected log records:\n" + "\n".join(records.lines))


@pytest.fixture(scope="session")
def virtual_display() -> Iterator[str]:
    """Yield the name (":99") of a virtual X display of 1366 x 768, free of other windows.

    The tests' own process stays offscreen: give a new process this DISPLAY, and QT_QPA_PLATFORM=xcb.
    """
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed")
    reads, writes = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(writes),
        "-screen",
        "0",
        "1366x768x24",
        "-nolisten",
        "tcp",
        "-noreset",
    ]
    with subprocess.Popen(command, pass_fds=(writes,), stderr=subprocess.DEVNULL) as server:
        os.close(writes)
        try:
            ready, _, _ = select.select([reads], [], [], 30)
            number = os.read(reads, 16).decode().strip() if ready else ""
            if not number:
                pytest.fail("Xvfb did not start")
            yield f":{number}"
        finally:
            os.close(reads)
            server.terminate()
            server.wait(timeout=30)
