"""Mutates files of every kind that a planner may bring and reads them: nothing but a refusal in words comes out.

    python -m tests.fuzz_importers [--seconds 600] [--seed 1]

The ordinary test run does twenty seconds of it with a fixed seed.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from estimator.architecture import read_config_text
from estimator.catalogue.embedded import embedded_catalogue
from estimator.imports.into import as_stages
from estimator.imports.prices import read_offers
from estimator.imports.projects import read_project
from estimator.imports.tables import read_table
from estimator.imports.work import read_work
from estimator.problems import FileRefused, Problem
from estimator.storage import quote_from_text
from estimator.wording import Language, NumberFormat, Wording

ROOT = Path(__file__).parents[1]
WORDS = Wording(Language.SPANISH, NumberFormat.ES_ES)
MOST_SECONDS_A_FILE = 5.0
_TOKENS = (
    b";",
    b",",
    b"\n",
    b'"',
    b"\0",
    b"\xff\xfe",
    b"<!DOCTYPE",
    b"&a;",
    b"=1+1",
    b"-",
    b"1e999",
    b"NaN",
    b"{",
    b"]",
)


def importers() -> dict[str, Callable[[bytes], tuple[Problem, ...]]]:
    """Return what reads a file's bytes, by the ending of its name; each returns the problems it found."""
    cards = embedded_catalogue().cards

    def tables(data: bytes) -> tuple[Problem, ...]:
        table = read_table(data, "fuzz")
        work = read_work(table)
        _, links = as_stages(work)
        _, prices = read_offers(table, cards)
        return (*work.problems, *links, *prices)

    def projects(data: bytes) -> tuple[Problem, ...]:
        work = read_project(data, "fuzz")
        _, links = as_stages(work)
        return (*work.problems, *links)

    def quotes(data: bytes) -> tuple[Problem, ...]:
        quote_from_text(data.decode("utf-8", errors="replace"))
        return ()

    def configurations(data: bytes) -> tuple[Problem, ...]:
        return read_config_text(data.decode("utf-8", errors="replace"), "fuzz").problems

    return {
        ".csv": tables,
        ".txt": tables,
        ".xlsx": tables,
        ".xml": projects,
        ".gan": projects,
        ".cabida": quotes,
        ".json": configurations,
    }


def seeds() -> list[tuple[str, bytes]]:
    """Return the files that are mutated, with the ending that says who reads them."""
    folders = (
        ROOT / "tests" / "data" / "imports",
        ROOT / "tests" / "data" / "model_configs",
        ROOT / "resources" / "samples",
    )
    known = importers()
    return [
        (file.suffix, file.read_bytes())
        for folder in folders
        for file in sorted(folder.iterdir())
        if file.suffix in known
    ]


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return the bytes with a few of them changed, cut, repeated or exchanged; inside the parts of an archive too."""
    if data.startswith(b"PK") and chance.random() < 0.7:
        return _mutated_archive(data, chance)
    made = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        if not made:
            break
        at, kind = chance.randrange(len(made)), chance.randrange(5)
        until = min(len(made), at + chance.randint(1, 64))
        if kind == 0:
            made[at] = chance.randrange(256)
        elif kind == 1:
            del made[at:until]
        elif kind == 2:
            made[at:at] = made[at:until] * chance.randint(1, 20)
        elif kind == 3:
            made[at:at] = chance.choice(_TOKENS)
        else:
            made = made[: at + 1]
    return bytes(made)


def _mutated_archive(data: bytes, chance: random.Random) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(stream, "w") as after:
        names = before.namelist()
        chosen = chance.choice(names)
        for name in names:
            part = before.read(name)
            after.writestr(name, mutated(part, chance) if name == chosen else part)
    return stream.getvalue()


def run(seconds: float, seed: int) -> int:
    """Read mutated files for so long and return how many; raises what no importer may raise."""
    chance = random.Random(seed)  # the same seed, the same files
    readers, files = importers(), seeds()
    until, count = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        suffix, data = chance.choice(files)
        made = mutated(data, chance)
        started = time.process_time()
        try:
            said = [WORDS.problem(one) for one in readers[suffix](made)]
        except FileRefused as refusal:
            said = [WORDS.refused(refusal)]
        except Exception:
            kept = Path(f"fuzz-{seed}-{count}{suffix}")
            kept.write_bytes(made)
            print(f"kept as {kept}", file=sys.stderr)
            raise
        took = time.process_time() - started
        if took > MOST_SECONDS_A_FILE or not all(said):
            raise AssertionError(f"{suffix}: {took:.1f} s, {said}")
        count += 1
    return count


def main() -> int:
    """Run as told on the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{run(options.seconds, options.seed)} files read, each to the end or refused with a sentence")
    return 0


if __name__ == "__main__":
    sys.exit(main())
