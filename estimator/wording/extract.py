"""The sentences in the source collected into the Spanish catalogue: `python -m estimator.wording.extract`.

A tool for development: it rewrites `es.po`, keeps every translation whose sentence is still there, prints
what is left to translate with its place, and compiles `es.mo`. The program reads only the compiled file.
"""

from __future__ import annotations

import ast
import datetime as dt
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from estimator.wording.gaps import keeps_gaps

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("estimator", "ui")
PO_FILE = ROOT / "resources" / "i18n" / "es.po"
MO_FILE = PO_FILE.with_suffix(".mo")
_METHODS = frozenset({"t", "n", "p"})
_FUNCTIONS = frozenset({"t", "n", "p", "_", "_n", "_p"})
_LITERALS_TAKEN = {"t": 1, "_": 1, "n": 2, "_n": 2, "p": 2, "_p": 2}
# Babel's three forms for Spanish set whole millions apart ("un millón de"), which no sentence here says.
_PLURAL_FORMS = "nplurals=2; plural=(n != 1);"
_NO_DATE = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)  # a date in the header would change at every run


@dataclass(frozen=True, slots=True)
class Call:
    """One call that asks for a sentence. `texts` is None where an argument is not a plain literal."""

    path: str
    line: int
    function: str
    texts: tuple[str, ...] | None

    @property
    def key(self) -> tuple[str | None, str]:
        """(context, sentence): what the catalogue finds it by."""
        texts = self.texts or ("",)
        return (texts[0], texts[1]) if self.function in ("p", "_p") else (None, texts[0])

    @property
    def plural(self) -> str | None:
        """The sentence for many, where there is one."""
        return self.texts[1] if self.texts and self.function in ("n", "_n") else None


def calls_in(text: str, path: str) -> Iterator[Call]:
    """Yield the calls of `t`, `n`, `p`, `_`, `_n` and `_p` in a source; a choice of two literals is two."""
    for node in ast.walk(ast.parse(text, path)):
        if not isinstance(node, ast.Call):
            continue
        function = _function_name(node)
        if not function:
            continue
        taken = [_literals(argument) for argument in node.args[: _LITERALS_TAKEN[function]]]
        if len(taken) < _LITERALS_TAKEN[function] or not all(taken):
            yield Call(path, node.lineno, function, None)
            continue
        for index, text_of_first in enumerate(taken[0]):
            rest = [texts[min(index, len(texts) - 1)] for texts in taken[1:]]
            yield Call(path, node.lineno, function, (text_of_first, *rest))


def calls_in_sources(root: Path = ROOT) -> list[Call]:
    """Return the calls in the whole program, in the order of files and lines."""
    calls: list[Call] = []
    for folder in SOURCES:
        for file in sorted((root / folder).rglob("*.py")):
            path = file.relative_to(root).as_posix()
            calls += sorted(calls_in(file.read_text("utf-8"), path), key=lambda call: call.line)
    return calls


def new_catalogue(calls: list[Call], old: Catalog) -> Catalog:
    """Return a catalogue of exactly these sentences, with the translations of the old one."""
    catalogue = Catalog(
        locale="es",
        project="Cabida",
        version="1",
        header_comment="# Cabida, Spanish. Made by: python -m estimator.wording.extract",
        creation_date=_NO_DATE,
        revision_date=_NO_DATE,
        last_translator="Cabida",
        language_team="Cabida",
        fuzzy=False,
    )
    catalogue.mime_headers = [("Plural-Forms", _PLURAL_FORMS)]
    for call in calls:
        if call.texts is None:
            continue
        context, sentence = call.key
        message = catalogue.get(sentence, context)
        plural = call.plural or (
            _forms(message.id)[-1] if message and not isinstance(message.id, str) else None
        )
        known = old.get(sentence, context)
        catalogue.add(
            (sentence, plural) if plural else sentence,
            _kept_translation(known, plural),
            locations=[(call.path, 0)],
            context=context,
        )
    return catalogue


def faults_of(message: Message) -> list[str]:
    """Return why a message is not finished: not translated, fuzzy, other gaps. Empty: it is."""
    originals, strings = _forms(message.id), _forms(message.string)
    if message.fuzzy:
        return ["fuzzy"]
    if len(strings) != len(originals) or not all(strings):
        return ["not translated"]
    pairs = zip(originals, strings, strict=True)
    return [
        f"other gaps: {translation}"
        for original, translation in pairs
        if not keeps_gaps(original, translation)
    ]


def read_catalogue(path: Path = PO_FILE) -> Catalog:
    """Return the catalogue in a .po file, an empty one where there is no file."""
    if not path.exists():
        return Catalog(locale="es", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale="es")


def main() -> int:
    """Rewrite and compile the catalogue; return 1 where something is left to do."""
    calls = calls_in_sources()
    old = read_catalogue()
    catalogue = new_catalogue(calls, old)
    PO_FILE.parent.mkdir(parents=True, exist_ok=True)
    with PO_FILE.open("wb") as file:
        write_po(file, catalogue, sort_output=True, include_lineno=False, width=0)
    with MO_FILE.open("wb") as file:
        write_mo(file, read_catalogue())
    return _report(calls, old, catalogue)


def _report(calls: list[Call], old: Catalog, catalogue: Catalog) -> int:
    lines = [
        f"{call.path}:{call.line}: {call.function}() needs a plain literal"
        for call in calls
        if not call.texts
    ]
    for call in calls:
        message = catalogue.get(call.key[1], call.key[0]) if call.texts else None
        if message:
            lines += [f"{call.path}:{call.line}: {fault}: {call.key[1]}" for fault in faults_of(message)]
    for message in old:
        if message.id and not catalogue.get(message.id, message.context):
            print(f"dropped, no longer in the source: {message.id} = {message.string}")
    for line in lines:
        print(line)
    print(f"{len(catalogue)} sentences, {len(lines)} to do")
    return 1 if lines else 0


def _function_name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS:
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) and call.func.id in _FUNCTIONS else ""


def _literals(node: ast.expr) -> tuple[str, ...]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        return (node.value,)
    if isinstance(node, ast.IfExp):
        first, second = _literals(node.body), _literals(node.orelse)
        return first + second if first and second else ()
    return ()


def _kept_translation(known: Message | None, plural: str | None) -> str | tuple[str, ...]:
    if known is not None and _forms(known.id)[1:] == ((plural,) if plural else ()):
        strings = _forms(known.string)
        return strings if plural else strings[0]
    return ("", "") if plural else ""


def _forms(text: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text or ("",))


if __name__ == "__main__":
    sys.exit(main())
