"""The two commands' decisions, without installing anything, and the lock files against pyproject.toml."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from estimator.schedule.prove import REQUIREMENT

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ROOT / "packaging" / "locked"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
ALL_LOCKS = ("run.txt", "prove.txt", "dev.txt")
OPTIONAL = PROJECT["optional-dependencies"]
WITH_PROOF = [*PROJECT["dependencies"], *OPTIONAL["prove"]]
FOR_TESTS = [*WITH_PROOF, *OPTIONAL["dev"]]


@pytest.fixture
def bootstrap(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, on a machine that speaks English and has every library and a font."""
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "packaging" / "bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "can_load", lambda file_name: True)
    monkeypatch.setattr(module, "has_font", lambda: True)
    monkeypatch.setattr(module, "is_known_to_apt", lambda package: True)
    return module


def pinned(*names: str) -> dict[str, Requirement]:
    """Return the requirements of the named lock files by canonical name."""
    lines = [line for name in names for line in (LOCKS / name).read_text("utf-8").splitlines()]
    requirements = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(requirement.name): requirement for requirement in requirements}


def needed(roots: Iterable[str]) -> dict[str, list[Requirement]]:
    """Return what `roots` need on this machine, themselves included, and for each what is asked of it."""
    found: dict[str, list[Requirement]] = {}
    waiting = [Requirement(root) for root in roots]
    while waiting:
        requirement = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        name = canonicalize_name(requirement.name)
        if name not in found:
            waiting += map(Requirement, importlib.metadata.requires(name) or ())
        found.setdefault(name, []).append(requirement)
    return found


def version_of(requirement: Requirement) -> Version:
    """Return the one version that a pinned requirement allows."""
    (specifier,) = requirement.specifier
    assert specifier.operator == "==", requirement
    return Version(specifier.version)


def test_the_run_lock_pins_exactly_what_the_program_needs() -> None:
    assert set(pinned("run.txt")) == set(needed(PROJECT["dependencies"]))


def test_the_lock_of_the_proof_pins_exactly_what_it_needs_beyond_the_program() -> None:
    assert set(pinned("run.txt", "prove.txt")) == set(needed(WITH_PROOF))


def test_all_locks_pin_exactly_what_the_tests_need() -> None:
    assert set(pinned(*ALL_LOCKS)) == set(needed(FOR_TESTS))


def test_each_pinned_version_is_one_that_its_users_accept() -> None:
    locked = pinned(*ALL_LOCKS)
    for name, requirements in needed(FOR_TESTS).items():
        for requirement in requirements:
            assert version_of(locked[name]) in requirement.specifier, requirement


def test_the_tests_run_on_the_pinned_versions() -> None:
    locked = pinned(*ALL_LOCKS)
    installed = {name: Version(importlib.metadata.version(name)) for name in locked}
    assert installed == {name: version_of(pin) for name, pin in locked.items()}


def test_the_sentence_on_the_missing_extra_names_what_the_extra_is() -> None:
    assert OPTIONAL["prove"] == [REQUIREMENT]


def test_only_the_tests_install_the_proof(bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[str]] = []

    def noted(locks: Sequence[str], libraries: object) -> str:
        asked.append(locks)
        return "python"

    monkeypatch.setattr(bootstrap, "set_up", noted)
    monkeypatch.setattr(bootstrap, "hand_over", lambda command: 0)
    monkeypatch.setattr(bootstrap, "has_display", lambda platform, environment: True)
    assert bootstrap.main(["run"]) == 0
    assert bootstrap.main(["test", "tests/core"]) == 0
    assert asked == [["run.txt"], list(ALL_LOCKS)]


def test_the_qt_that_loses_references_to_none_is_excluded_where_none_is_counted() -> None:
    requirements = [Requirement(text) for text in PROJECT["dependencies"] if text.startswith("PySide6")]
    allowing = [
        python
        for python in ("3.11", "3.12", "3.13")
        for requirement in requirements
        if requirement.marker is not None
        and requirement.marker.evaluate({"python_version": python})
        and "6.12.0" in requirement.specifier
    ]
    assert allowing == ["3.12", "3.13"]


def test_the_library_called_packaging_stays_importable_from_the_root() -> None:
    found = importlib.util.find_spec("packaging")
    assert found is not None
    assert found.origin is not None
    assert ROOT / "packaging" not in Path(found.origin).parents


def test_an_old_python_is_refused_in_a_sentence(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "OLDEST_PYTHON", (99, 0))
    assert bootstrap.main(["run"]) == bootstrap.EXIT_CANNOT_SET_UP
    assert "needs Python 3.11 or later" in capsys.readouterr().err


def test_a_wrong_use_says_how_to_use_it(bootstrap: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert bootstrap.main([]) == 2
    assert bootstrap.main(["run", "one.cabida", "two.cabida"]) == 2
    assert "bootstrap.py run [QUOTE]" in capsys.readouterr().err


def test_a_quote_that_does_not_exist_is_named_before_anything_is_installed(
    bootstrap: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bootstrap.main(["run", str(tmp_path / "none.cabida")]) == 2
    assert "none.cabida" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "starts"),
    [
        ({}, "There is no file"),
        ({"LANG": "es_ES.UTF-8"}, "No existe"),
        ({"LC_ALL": "en_US.UTF-8", "LANG": "es_MX.UTF-8"}, "There is no file"),
    ],
)
def test_messages_speak_the_language_of_the_environment(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], starts: str
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert bootstrap.message("no_file", path="x").startswith(starts)


def test_every_message_has_the_same_gaps_in_both_languages(bootstrap: ModuleType) -> None:
    gaps = dict.fromkeys(("version", "path", "packages", "command", "files", "what", "workbook"), "GAP")
    counts = {
        code: [text.format(**gaps).count("GAP") for text in texts]
        for code, texts in bootstrap.MESSAGES.items()
    }
    assert all(english == spanish for english, spanish in counts.values())


@pytest.mark.parametrize(
    ("platform", "environment", "answer"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ""}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"QT_QPA_PLATFORM": "offscreen"}, True),
        ("win32", {}, True),
        ("darwin", {}, True),
    ],
)
def test_only_linux_can_be_without_a_display(
    bootstrap: ModuleType, platform: str, environment: dict[str, str], answer: bool
) -> None:
    assert bootstrap.has_display(platform, environment) is answer


def test_each_display_asks_for_its_own_libraries(bootstrap: ModuleType) -> None:
    window = bootstrap.WINDOW_LIBRARIES
    assert bootstrap.libraries_for({"QT_QPA_PLATFORM": "offscreen"}) == window
    assert bootstrap.libraries_for({"DISPLAY": ":0"}) == window + bootstrap.X_LIBRARIES
    assert bootstrap.libraries_for({"WAYLAND_DISPLAY": "wayland-0"}) == window + bootstrap.WAYLAND_LIBRARIES


def test_a_missing_library_becomes_the_package_that_this_release_has(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "can_load", lambda file_name: file_name != "libglib-2.0.so.0")
    missing = bootstrap.missing_from_system(bootstrap.WINDOW_LIBRARIES, "linux")
    assert missing == (["libglib2.0-0t64"], ["libglib-2.0.so.0"])
    monkeypatch.setattr(bootstrap, "is_known_to_apt", lambda package: package == "libglib2.0-0")
    assert bootstrap.missing_from_system(bootstrap.WINDOW_LIBRARIES, "linux")[0] == ["libglib2.0-0"]
    assert bootstrap.missing_from_system(bootstrap.WINDOW_LIBRARIES, "win32") == ([], [])


def test_a_system_without_a_font_gets_one(bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "has_font", lambda: False)
    assert bootstrap.missing_from_system(bootstrap.X_LIBRARIES, "linux") == ([bootstrap.FONT_PACKAGE], [])


def test_who_may_not_install_is_told_the_exact_command(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(bootstrap.os, "geteuid", lambda: 1000, raising=False)
    with pytest.raises(bootstrap.SetUpError, match="sudo apt-get install libgl1 libegl1"):
        bootstrap.bring_from_system(["libgl1", "libegl1"], ["libGL.so.1", "libEGL.so.1"])


def test_another_linux_is_told_which_libraries_are_missing(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: None)
    with pytest.raises(bootstrap.SetUpError, match=r"libGL\.so\.1"):
        bootstrap.bring_from_system(["libgl1"], ["libGL.so.1"])


def made_environment(bootstrap: ModuleType, folder: Path) -> Path:
    """Return an environment that works: its Python is this one."""
    python = bootstrap.environment_python(folder / ".venv")
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    return folder / ".venv"


def test_a_changed_lock_or_another_python_or_an_unfinished_set_up_is_installed_again(
    bootstrap: ModuleType, tmp_path: Path
) -> None:
    environment = made_environment(bootstrap, tmp_path)
    lock = tmp_path / "run.txt"
    lock.write_text("one==1\n", "utf-8")
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert not bootstrap.is_installed(environment, lock)  # no stamp: interrupted
    stamp = bootstrap.stamp_path(environment, lock)
    stamp.write_text(bootstrap.stamp_text(lock, here), "utf-8")
    assert bootstrap.is_installed(environment, lock)
    stamp.write_text(bootstrap.stamp_text(lock, "3.1"), "utf-8")
    assert not bootstrap.is_installed(environment, lock)
    stamp.write_text(bootstrap.stamp_text(lock, here), "utf-8")
    lock.write_text("one==2\n", "utf-8")
    assert not bootstrap.is_installed(environment, lock)


def test_an_environment_without_a_python_that_starts_has_no_pip(
    bootstrap: ModuleType, tmp_path: Path
) -> None:
    assert not bootstrap.has_pip(tmp_path / ".venv")


def test_the_second_start_hands_over_within_a_second(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = made_environment(bootstrap, tmp_path)
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    for name in ALL_LOCKS:
        stamp = bootstrap.stamp_path(environment, LOCKS / name)
        stamp.write_text(bootstrap.stamp_text(LOCKS / name, here), "utf-8")
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    # The process's own time, not the clock's: another program on the same machine must not fail this.
    before = time.process_time()
    assert bootstrap.set_up(ALL_LOCKS, ()) == str(bootstrap.environment_python(environment))
    assert time.process_time() - before < 1


def test_without_a_display_the_quote_is_estimated_and_its_workbook_written(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []

    def noted(command: list[str], **options: object) -> int:
        commands.append(command)
        return 0

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bootstrap, "has_display", lambda platform, environment: False)
    monkeypatch.setattr(bootstrap, "set_up", lambda locks, libraries: "python")
    monkeypatch.setattr(bootstrap.subprocess, "call", noted)
    quote = tmp_path / "obra.cabida"
    quote.touch()
    assert bootstrap.main(["run", "obra.cabida"]) == 0
    assert bootstrap.main(["run"]) == 0
    sample = ["--sample", bootstrap.SAMPLE]
    assert [command[3:] for command in commands] == [
        ["estimate", str(quote)],
        ["export", str(quote), str(tmp_path / "obra.xlsx")],
        ["estimate", *sample],
        ["export", *sample, str(tmp_path / f"{bootstrap.SAMPLE}.xlsx")],
    ]


def test_the_automatic_run_is_a_script_that_bash_reads() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], check=True)
