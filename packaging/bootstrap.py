"""The two commands of a fresh checkout, with nothing but Python installed.

`python3 packaging/bootstrap.py run [QUOTE]` sets the program up in `.venv` and opens its window (on the
embedded sample quote, if none is named); without a display it estimates the quote in the terminal and writes
its workbook. `python3 packaging/bootstrap.py test` adds the development packages and the optional ones
and runs the tests, then the benchmarks. Standard library only. It installs and hands over: what is then run lives
in `ui`, `estimator` and `tests`, and builds for people without Python are made elsewhere.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "packaging" / "locked"
OLDEST_PYTHON = (3, 11)
SAMPLE = "indice-de-las-obras"

EXIT_CANNOT_SET_UP = 3


class SystemLibrary(NamedTuple):
    """A shared library that Qt loads, and the Debian packages that may bring it, newest name first."""

    file_name: str
    packages: tuple[str, ...]


# Qt's wheels link these even where nothing is shown (checked in a bare Debian 12).
WINDOW_LIBRARIES = (
    SystemLibrary("libGL.so.1", ("libgl1",)),
    SystemLibrary("libEGL.so.1", ("libegl1",)),
    SystemLibrary("libglib-2.0.so.0", ("libglib2.0-0t64", "libglib2.0-0")),
    SystemLibrary("libfontconfig.so.1", ("libfontconfig1",)),
    SystemLibrary("libxkbcommon.so.0", ("libxkbcommon0",)),
    SystemLibrary("libdbus-1.so.3", ("libdbus-1-3",)),
)
# Without these an X display answers "could not load the Qt platform plugin xcb".
X_LIBRARIES = (
    SystemLibrary("libxcb-cursor.so.0", ("libxcb-cursor0",)),
    SystemLibrary("libxcb-icccm.so.4", ("libxcb-icccm4",)),
    SystemLibrary("libxcb-keysyms.so.1", ("libxcb-keysyms1",)),
    SystemLibrary("libxcb-shape.so.0", ("libxcb-shape0",)),
    SystemLibrary("libxcb-xkb.so.1", ("libxcb-xkb1",)),
    SystemLibrary("libxkbcommon-x11.so.0", ("libxkbcommon-x11-0",)),
)
# The Wayland platform; where there is an X display too, Qt falls back on it.
WAYLAND_LIBRARIES = (
    SystemLibrary("libwayland-cursor.so.0", ("libwayland-cursor0",)),
    SystemLibrary("libwayland-egl.so.1", ("libwayland-egl1",)),
)
FONT_PACKAGE = "fonts-dejavu-core"
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")

MESSAGES = {
    "usage": (
        "Use: python3 packaging/bootstrap.py run [QUOTE]   opens the program\n"
        "     python3 packaging/bootstrap.py test          runs the tests and the benchmarks",
        "Uso: python3 packaging/bootstrap.py run [COTIZACIÓN]   abre el programa\n"
        "     python3 packaging/bootstrap.py test               ejecuta las pruebas y las mediciones",
    ),
    "old_python": (
        "Cabida needs Python 3.11 or later; this is Python {version} ({path}).",
        "Cabida necesita Python 3.11 o posterior; este es Python {version} ({path}).",
    ),
    "no_file": ("There is no file {path}.", "No existe el archivo {path}."),
    "setting_up": (
        "Setting up in {path} (once; about 100 MB to fetch)...",
        "Preparando {path} (una sola vez; unos 100 MB de descarga)...",
    ),
    "installing_system": (
        "Installing what the system lacks: {packages}",
        "Instalando lo que falta en el sistema: {packages}",
    ),
    "system_lacks": (
        "The system lacks what Cabida needs. Install it, then start again:\n    {command}",
        "Al sistema le falta lo que Cabida necesita. Instálelo y vuelva a empezar:\n    {command}",
    ),
    "system_lacks_files": (
        "The system lacks these libraries; install the packages that bring them: {files}",
        "Al sistema le faltan estas bibliotecas; instale los paquetes que las traen: {files}",
    ),
    "no_pip": (
        "This Python ({path}) cannot make a virtual environment: it lacks venv and ensurepip.",
        "Este Python ({path}) no puede crear un entorno virtual: le faltan venv y ensurepip.",
    ),
    "failed": (
        "This did not work; correct what it says above, then start again:\n    {command}",
        "Esto no ha funcionado; corrija lo que dice más arriba y vuelva a empezar:\n    {command}",
    ),
    "no_display": (
        "There is no display here: estimating {what} in the terminal and writing {workbook}.",
        "Aquí no hay pantalla: se estima {what} en la terminal y se escribe {workbook}.",
    ),
}


class SetUpError(Exception):
    """Something is missing that this program may not or cannot bring; the text says what to do."""


def main(arguments: Sequence[str]) -> int:
    """Return the exit status: that of what was run, 2 for a wrong use, 3 where it cannot be set up."""
    if sys.version_info < OLDEST_PYTHON:
        print(message("old_python", version=sys.version.split()[0], path=sys.executable), file=sys.stderr)
        return EXIT_CANNOT_SET_UP
    settle_locale(os.environ)
    try:
        if arguments[:1] == ["run"] and len(arguments) <= 2:
            return run(arguments[1] if len(arguments) == 2 else None)
        if arguments[:1] == ["test"]:
            return test(arguments[1:])
    except SetUpError as missing:
        print(missing, file=sys.stderr)
        return EXIT_CANNOT_SET_UP
    print(message("usage"), file=sys.stderr)
    return 2


def run(quote: str | None) -> int:
    """Set the program up and open its window on `quote`, or estimate it in the terminal without a display."""
    path = None if quote is None else Path(quote).expanduser().absolute()
    if path is not None and not path.is_file():
        print(message("no_file", path=path), file=sys.stderr)
        return 2
    chosen = ["--sample", SAMPLE] if path is None else [str(path)]
    if has_display(sys.platform, os.environ):
        python = set_up(["run.txt"], libraries_for(os.environ))
        return hand_over([python, "-m", "ui", *chosen])
    python = set_up(["run.txt"], ())
    name = SAMPLE if path is None else path.stem
    workbook = Path.cwd() / f"{name}.xlsx"
    print(message("no_display", what=name, workbook=workbook), flush=True)
    status = subprocess.call([python, "-m", "estimator", "estimate", *chosen], cwd=ROOT)
    if status > 1:  # 1: estimated, and the quote has problems, which the workbook lists too
        return status
    return subprocess.call([python, "-m", "estimator", "export", *chosen, str(workbook)], cwd=ROOT) or status


def test(arguments: Sequence[str]) -> int:
    """Set everything up and run the tests, then the benchmarks; or pytest on the arguments, if any."""
    python = set_up(["run.txt", "prove.txt", "dev.txt"], WINDOW_LIBRARIES + X_LIBRARIES)
    if arguments:
        return hand_over([python, "-m", "pytest", *arguments])
    status = subprocess.call([python, "-m", "pytest"], cwd=ROOT)
    if status != 0 or not list((ROOT / "tests" / "benchmarks").glob("bench_*.py")):
        return status
    return subprocess.call([python, "-m", "pytest", "-s", "tests/benchmarks"], cwd=ROOT)


def set_up(locks: Sequence[str], libraries: Sequence[SystemLibrary]) -> str:
    """Return the path of a Python that has everything in the lock files; quick if that was done before."""
    packages, files = missing_from_system(libraries, sys.platform)
    virtual_environment = ROOT / ".venv"
    stale = [name for name in locks if not is_installed(virtual_environment, LOCKS / name)]
    makes_environment = bool(stale) and not has_pip(virtual_environment)
    if makes_environment and sys.platform == "linux" and not can_make_environments():
        packages.append(
            first_known((f"python3.{sys.version_info.minor}-venv", "python3-venv"), is_known_to_apt)
        )
    bring_from_system(packages, files)
    if stale:
        print(message("setting_up", path=virtual_environment), flush=True)
        if makes_environment:
            make_environment(virtual_environment)
        for name in stale:
            install(virtual_environment, LOCKS / name)
    return str(environment_python(virtual_environment))


# --- the virtual environment


def environment_python(virtual_environment: Path) -> Path:
    """Return where the environment's Python lies on this system."""
    if os.name == "nt":
        return virtual_environment / "Scripts" / "python.exe"
    return virtual_environment / "bin" / "python"


def stamp_path(virtual_environment: Path, lock: Path) -> Path:
    """Return the file that says which content of `lock` was installed, by which Python."""
    return virtual_environment / f"installed-{lock.stem}.stamp"


def stamp_text(lock: Path, python_version: str) -> str:
    """Return what the stamp holds when `lock` is installed as it is now."""
    return f"{hashlib.sha256(lock.read_bytes()).hexdigest()} {python_version}\n"


def is_installed(virtual_environment: Path, lock: Path) -> bool:
    """Say whether `lock`, as it is now, was installed to the end and the environment's Python still works.

    A system upgrade that replaces Python under the environment shows as another version.
    """
    stamp = stamp_path(virtual_environment, lock)
    if not stamp.is_file():
        return False
    version = version_of(environment_python(virtual_environment))
    return version is not None and stamp.read_text("utf-8") == stamp_text(lock, version)


def version_of(python: Path) -> str | None:
    """Return "3.12" and the like, or None where this Python does not start."""
    try:
        answer = subprocess.run(
            [str(python), "-I", "-S", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


def can_make_environments() -> bool:
    """Say whether this Python has venv and ensurepip; Debian keeps them in a package of their own."""
    return all(importlib.util.find_spec(name) is not None for name in ("venv", "ensurepip"))


def has_pip(virtual_environment: Path) -> bool:
    """Say whether there is an environment that works, old or new; an interrupted one has no pip."""
    python = environment_python(virtual_environment)
    version = version_of(python)
    if version is None or tuple(map(int, version.split("."))) < OLDEST_PYTHON:
        return False
    return (
        subprocess.run([str(python), "-m", "pip", "--version"], capture_output=True, check=False).returncode
        == 0
    )


def make_environment(virtual_environment: Path) -> None:
    """Make the environment anew; what lies there does not work."""
    if virtual_environment.exists():
        shutil.rmtree(virtual_environment)
    call([sys.executable, "-m", "venv", str(virtual_environment)])


def install(virtual_environment: Path, lock: Path) -> None:
    """Install exactly what `lock` says, from ready-made wheels: nothing is compiled on a planner's laptop."""
    python = environment_python(virtual_environment)
    options = ["--quiet", "--no-input", "--disable-pip-version-check", "--only-binary", ":all:"]
    call([str(python), "-m", "pip", "install", *options, "-r", str(lock)])
    version = version_of(python)
    if version is not None:
        stamp_path(virtual_environment, lock).write_text(stamp_text(lock, version), "utf-8")


# --- what the system must bring


def missing_from_system(libraries: Sequence[SystemLibrary], platform: str) -> tuple[list[str], list[str]]:
    """Return the Debian packages, and the library files, that a window needs and this system lacks.

    Other systems than Linux bring what Qt needs.
    """
    if platform != "linux" or not libraries:
        return [], []
    missing = [library for library in libraries if not can_load(library.file_name)]
    packages = [first_known(library.packages, is_known_to_apt) for library in missing]
    if not has_font():
        packages.append(FONT_PACKAGE)
    return packages, [library.file_name for library in missing]


def can_load(file_name: str) -> bool:
    """Say whether the system's loader finds the library and all that it links."""
    try:
        ctypes.CDLL(file_name)
    except OSError:
        return False
    return True


def has_font() -> bool:
    """Say whether there is any font: without one Qt draws empty boxes."""
    endings = {".ttf", ".otf", ".ttc", ".pfb"}
    for folder in FONT_FOLDERS:
        for _, _, names in os.walk(os.path.expanduser(folder)):
            if any(Path(name).suffix.lower() in endings for name in names):
                return True
    return False


def first_known(names: Sequence[str], is_known: Callable[[str], bool]) -> str:
    """Return the first package that this release has (names change between releases), else the last one."""
    return next((name for name in names[:-1] if is_known(name)), names[-1])


def is_known_to_apt(package: str) -> bool:
    """Say whether apt could install the package, as far as its lists are filled."""
    if shutil.which("apt-cache") is None:
        return False
    answer = subprocess.run(["apt-cache", "policy", package], capture_output=True, text=True, check=False)
    return "Candidate:" in answer.stdout and "Candidate: (none)" not in answer.stdout


def bring_from_system(packages: Sequence[str], files: Sequence[str]) -> None:
    """Install what is missing where that is allowed, else raise SetUpError with the command that does it."""
    if not packages:
        return
    if shutil.which("apt-get") is None:
        if files:
            raise SetUpError(message("system_lacks_files", files=", ".join(files)))
        if FONT_PACKAGE not in packages:
            raise SetUpError(message("no_pip", path=sys.executable))
        return
    if os.geteuid() != 0:
        raise SetUpError(message("system_lacks", command=f"sudo apt-get install {shlex.join(packages)}"))
    print(message("installing_system", packages=" ".join(packages)), flush=True)
    apt = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # A source that cannot be reached need not be the one that has these packages: the next command decides.
    subprocess.call([*apt, "update"], env=environment, stdout=subprocess.DEVNULL)
    call([*apt, "install", "-y", "--no-install-recommends", *packages], env=environment, quiet=True)


# --- the machine, in words


def has_display(platform: str, environment: Mapping[str, str]) -> bool:
    """Say whether a window can be opened: on Linux a display, or a Qt platform named on purpose."""
    if platform != "linux":
        return True
    return any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def libraries_for(environment: Mapping[str, str]) -> tuple[SystemLibrary, ...]:
    """Return what a window on this display loads from a Linux system."""
    if environment.get("DISPLAY"):
        return WINDOW_LIBRARIES + X_LIBRARIES
    return WINDOW_LIBRARIES + (WAYLAND_LIBRARIES if environment.get("WAYLAND_DISPLAY") else ())


def settle_locale(environment: dict[str, str] | os._Environ[str]) -> None:
    """Give a bare Linux an UTF-8 locale: without one Qt warns and text is cut down to ASCII."""
    if sys.platform == "linux" and not any(environment.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG")):
        environment["LANG"] = "C.UTF-8"


def message(code: str, **values: object) -> str:
    """Return the sentence in Spanish where the environment says so, else in English.

    Not the program's catalogue of sentences: that needs packages which are not installed yet.
    """
    language = next(
        (os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), ""
    )
    return MESSAGES[code][1 if language.lower().startswith("es") else 0].format(**values)


def call(command: Sequence[str], env: Mapping[str, str] | None = None, quiet: bool = False) -> None:
    """Run a command of the set-up (quiet: shows errors, no progress); raise SetUpError where it fails."""
    output = subprocess.DEVNULL if quiet else None
    if subprocess.call(command, env=env, cwd=ROOT, stdout=output) != 0:
        raise SetUpError(message("failed", command=shlex.join(command)))


def hand_over(command: Sequence[str]) -> int:
    """Become the command where the system can do that, else run it and return its exit status."""
    if os.name == "nt":
        return subprocess.call(command, cwd=ROOT)
    os.chdir(ROOT)
    sys.stdout.flush()
    replace_process(command)


def replace_process(command: Sequence[str]) -> NoReturn:
    os.execv(command[0], list(command))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
