"""Quotes on disk: read within bounds, saved whole or not at all, whatever happens in between."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

import estimator
from estimator.evidence import Stated
from estimator.migrations import FORMAT
from estimator.problems import FileRefused
from estimator.quote import Quote, Stage, Tasks, Workload
from estimator.storage import LARGEST_BYTES, quote_from_text, quote_to_text, read_quote, save_quote

ROOT = Path(estimator.__file__).parents[1]
QUOTE = Quote(
    name="Presupuesto ñandú",
    workload=Workload(
        stages=(Stage(id="s", name="Stage", tasks=Tasks(count=(8,), duration=(Decimal("12.50"),))),),
        mutual_slow_down=Stated(value=Decimal("1.05")),
    ),
)
POSIX = pytest.mark.skipif(os.name == "nt", reason="signals, limits and modes of POSIX")


def document(**changes: object) -> str:
    return json.dumps({**json.loads(quote_to_text(QUOTE)), **changes})


def refused(action: Callable[[], object]) -> FileRefused:
    with pytest.raises(FileRefused) as caught:
        action()
    return caught.value


def test_a_quote_is_read_as_it_was_saved_and_saves_to_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.cabida"
    save_quote(QUOTE, path)
    assert read_quote(path) == QUOTE
    assert quote_to_text(read_quote(path)).encode() == path.read_bytes()


def test_decimals_keep_their_digits_as_text() -> None:
    assert '"12.50"' in quote_to_text(QUOTE)
    assert quote_to_text(QUOTE).startswith('{\n "format": ')


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.cabida"
    path.write_text(quote_to_text(QUOTE), "utf-8-sig")
    assert read_quote(path) == QUOTE


def test_a_newer_format_is_refused_with_both_numbers() -> None:
    error = refused(lambda: quote_from_text(document(format=FORMAT + 1)))
    assert (error.code, error.values) == ("format_newer", {"found": FORMAT + 1, "known": FORMAT})


@pytest.mark.parametrize("number", [None, "1", True, 0, -1, 1.5])
def test_a_file_without_a_format_number_is_refused(number: object) -> None:
    assert refused(lambda: quote_from_text(document(format=number))).code == "format_missing"


def test_broken_json_names_its_line_and_column() -> None:
    error = refused(lambda: quote_from_text('{\n "format": 1,\n "kind" "x"\n}'))
    assert (error.code, error.values) == ("broken_json", {"line": 3, "column": 9})


def test_a_wrong_field_names_its_place() -> None:
    text = quote_to_text(QUOTE).replace('"12.50"', '"twelve"')
    error = refused(lambda: quote_from_text(text))
    assert error.code == "broken_at"
    assert error.values["place"] == "workload › stages › 0 › tasks › duration › 0"


def test_an_unknown_field_is_refused_by_name() -> None:
    quote = {**json.loads(quote_to_text(QUOTE))["quote"], "colour": "red"}
    error = refused(lambda: quote_from_text(document(quote=quote)))
    assert error.values == {"place": "colour", "reason": "extra_forbidden"}


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", '"NaN"', '"Infinity"'])
def test_a_number_that_is_not_finite_is_refused(number: str) -> None:
    text = quote_to_text(QUOTE).replace('"12.50"', number)
    assert refused(lambda: quote_from_text(text)).code in ("broken_number", "broken_at")


def test_a_number_with_a_thousand_digits_of_exponent_is_refused_or_finite() -> None:
    text = quote_to_text(QUOTE).replace('"12.50"', "1e400")
    assert refused(lambda: quote_from_text(text)).code in ("broken_number", "broken_at")


def test_a_file_too_large_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "large.cabida"
    with path.open("wb") as file:
        file.truncate(LARGEST_BYTES + 1)
    assert refused(lambda: read_quote(path)).code == "file_too_large"


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_nesting_is_refused(opening: str) -> None:
    assert refused(lambda: quote_from_text(opening * 200_000)).code in ("nested_too_deep", "broken_json")
    closed = opening * 100_000 + "1" + ("]" if opening == "[" else "}") * 100_000
    assert refused(lambda: quote_from_text(closed)).code == "nested_too_deep"


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", '{"format": 1}', '{"format": 1, "kind": "cabida-quote"}']
)
def test_nothing_is_ever_opened_as_an_empty_quote(text: str) -> None:
    refused(lambda: quote_from_text(text))


def test_another_kind_of_file_is_not_a_quote() -> None:
    assert refused(lambda: quote_from_text(document(kind="cabida-catalogue"))).code == "not_a_quote"


def test_bytes_that_are_no_text_are_refused_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "a.cabida"
    path.write_bytes(b'{"name": "\xff"}')
    error = refused(lambda: read_quote(path))
    assert (error.code, error.values["at"]) == ("not_text", 10)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    assert refused(lambda: read_quote(tmp_path / "none.cabida")).code == "not_found"
    folder = refused(lambda: read_quote(tmp_path)).code
    assert folder == ("no_permission" if os.name == "nt" else "is_a_folder")
    assert refused(lambda: save_quote(QUOTE, tmp_path / "none" / "a.cabida")).code == "not_found"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("name", ["Presupuesto ñandú – 東京.cabida", "Größe Ω 100 %.cabida", "étude.cabida"])
def test_names_in_any_script_and_form_are_saved_and_read(tmp_path: Path, name: str, form: str) -> None:
    path = tmp_path / unicodedata.normalize(form, name)  # type: ignore[arg-type]  # a literal, by parameter
    save_quote(QUOTE, path)
    assert read_quote(path) == QUOTE
    assert len(list(tmp_path.iterdir())) == 1


@POSIX
def test_saving_keeps_the_mode_of_the_file_and_the_link_to_it(tmp_path: Path) -> None:
    path, link = tmp_path / "a.cabida", tmp_path / "link.cabida"
    save_quote(QUOTE, path)
    path.chmod(0o640)
    link.symlink_to(path)
    save_quote(QUOTE.replaced(name="second"), link)
    assert path.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert read_quote(path).name == "second"


def run(program: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a Python that runs `program` with this repository's packages, its output readable by line."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


# Saves two quotes in turn, for ever, and says after each how many it has saved.
SAVES = """
import sys
from pathlib import Path
from estimator.storage import read_quote, save_quote
path = Path(sys.argv[1])
first = read_quote(path)
quotes = (first.replaced(notes="a" * 20_000), first.replaced(notes="b" * 5_000))
count = 0
while True:
    save_quote(quotes[count % 2], path)
    count += 1
    print(count, flush=True)
"""


@POSIX
def test_killing_the_program_in_a_thousand_saves_leaves_a_whole_file_each_time(tmp_path: Path) -> None:
    path = tmp_path / "a.cabida"
    save_quote(QUOTE, path)
    whole = {quote_to_text(QUOTE.replaced(notes=notes)) for notes in ("", "a" * 20_000, "b" * 5_000)}
    chance = random.Random(20261130)
    saves = 0
    for _ in range(40):
        saver = run(SAVES, str(path))
        assert saver.stdout is not None
        # The kill falls somewhere in a save: after a drawn number of saves and a drawn wait in reading.
        for _ in range(chance.randrange(20, 40)):
            saver.stdout.readline()
            saves += 1
        for _ in range(chance.randrange(0, 30_000)):
            pass
        saver.send_signal(signal.SIGKILL)
        saver.wait()
        saver.stdout.close()
        assert path.read_text("utf-8") in whole
    assert saves >= 1000


# Tries one save under a condition and prints the refusal's code.
TRIES = """
import os, resource, signal, sys
from pathlib import Path
from estimator.problems import FileRefused
from estimator.storage import read_quote, save_quote
path, condition = Path(sys.argv[1]), sys.argv[2]
quote = read_quote(path).replaced(notes="x" * 100_000)
if condition == "full":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
elif os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    save_quote(quote, path)
    print("saved")
except FileRefused as refused:
    print(refused.code)
"""


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    """A folder that any user may reach, as the one of a test may not be."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.getuid() and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    return tmp_path


def code_of(path: Path, condition: str) -> str:
    process = run(TRIES, str(path), condition)
    output, _ = process.communicate(timeout=30)
    return output.strip()


@POSIX
def test_a_full_disk_costs_nothing_but_a_refusal_that_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.cabida"
    save_quote(QUOTE, path)
    before = path.read_bytes()
    assert code_of(path, "full") == "disk_full"
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@POSIX
def test_a_read_only_folder_costs_nothing_but_a_refusal_that_says_so(open_folder: Path) -> None:
    path = open_folder / "a.cabida"
    save_quote(QUOTE, path)
    path.chmod(0o644)
    before = path.read_bytes()
    open_folder.chmod(0o555)
    try:
        assert code_of(path, "folder") in ("no_permission", "folder_read_only")
    finally:
        open_folder.chmod(0o755)
    assert path.read_bytes() == before
    assert list(open_folder.iterdir()) == [path]


@POSIX
def test_a_read_only_file_is_not_replaced(open_folder: Path) -> None:
    path = open_folder / "a.cabida"
    save_quote(QUOTE, path)
    before = path.read_bytes()
    path.chmod(0o444)
    open_folder.chmod(0o777)
    assert code_of(path, "file") == "no_permission"
    assert path.read_bytes() == before
    assert list(open_folder.iterdir()) == [path]
