"""The Spanish catalogue is complete, sound and compiled; sentences in the source are plain literals."""

from __future__ import annotations

import io

import pytest
from babel.messages import Catalog
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

from estimator.wording import Language, NumberFormat, Wording
from estimator.wording import wording as wording_module
from estimator.wording.extract import (
    MO_FILE,
    Call,
    calls_in,
    calls_in_sources,
    faults_of,
    new_catalogue,
    read_catalogue,
)

RUN = "run: python -m estimator.wording.extract"


@pytest.fixture(scope="module")
def calls() -> list[Call]:
    return calls_in_sources()


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    return read_catalogue()


def strings_of(catalogue: Catalog) -> dict[str, str]:
    """Return each message's translation; ids and strings as written, whether one or two forms."""
    return {
        f"{message.context}: {as_written(message.id)}": as_written(message.string)
        for message in catalogue
        if message.id
    }


def as_written(text: object) -> str:
    return " | ".join(text) if isinstance(text, list | tuple) else str(text)


def test_every_sentence_is_a_plain_literal(calls: list[Call]) -> None:
    assert [f"{call.path}:{call.line}" for call in calls if call.texts is None] == []


def test_the_catalogue_has_the_sentences_of_the_source_and_no_others(
    calls: list[Call], catalogue: Catalog
) -> None:
    assert strings_of(new_catalogue(calls, catalogue)) == strings_of(catalogue), RUN
    assert not catalogue.obsolete, RUN


def test_every_sentence_is_translated_with_its_own_gaps(catalogue: Catalog) -> None:
    faults = {as_written(message.id): faults_of(message) for message in catalogue if message.id}
    assert {sentence: fault for sentence, fault in faults.items() if fault} == {}


def test_the_compiled_catalogue_is_that_of_the_text(catalogue: Catalog) -> None:
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    with MO_FILE.open("rb") as file:
        assert strings_of(read_mo(file)) == strings_of(read_mo(compiled)), RUN


def test_the_extractor_sees_joined_literals_choices_plurals_and_contexts() -> None:
    source = """
words.t("one " "sentence", gap=x)
self.words.t("yes" if flag else "no")
words.n("{count} card", "{count} cards", count)
words.p("state", "Open")
_("marked")
other("not ours")
"""
    found = [(call.function, call.texts) for call in calls_in(source, "x.py")]
    assert sorted(found, key=str) == sorted(
        [
            ("t", ("one sentence",)),
            ("t", ("yes",)),
            ("t", ("no",)),
            ("n", ("{count} card", "{count} cards")),
            ("p", ("state", "Open")),
            ("_", ("marked",)),
        ],
        key=str,
    )


@pytest.mark.parametrize(
    "argument", ['f"a {b}"', "sentence", '"a" + b', '"a {}".format(b)', '"a" if x else y', '""']
)
def test_what_is_not_a_plain_literal_is_reported(argument: str) -> None:
    assert [call.texts for call in calls_in(f"words.t({argument})", "x.py")] == [None]


def test_a_known_translation_is_kept_in_both_forms_and_dropped_when_the_sentence_changes() -> None:
    old = Catalog(locale="es", fuzzy=False)
    old.add("Draft", "Borrador")
    old.add(("{count} card", "{count} cards"), ("{count} tarjeta", "{count} tarjetas"))
    text = io.BytesIO()
    write_po(
        text, new_catalogue(list(calls_in('t("Draft"); n("{count} card", "{count} cards", 2)', "x.py")), old)
    )
    text.seek(0)
    kept = read_po(text, locale="es")
    assert strings_of(kept) == {
        "None: Draft": "Borrador",
        "None: {count} card | {count} cards": "{count} tarjeta | {count} tarjetas",
    }
    changed = new_catalogue(
        list(calls_in('t("A draft"); n("{count} card", "{count} of them", 2)', "x.py")), kept
    )
    assert set(strings_of(changed).values()) == {"", " | "}


def test_an_unfinished_a_fuzzy_and_a_gap_breaking_entry_are_faults() -> None:
    catalogue = Catalog(locale="es", fuzzy=False)
    assert faults_of(catalogue.add("Draft", "Borrador")) == []
    assert faults_of(catalogue.add("Firm", "")) == ["not translated"]
    assert faults_of(catalogue.add("Failed", "Fallida", flags=["fuzzy"])) == ["fuzzy"]
    assert faults_of(catalogue.add("{a} cards", "{b} tarjetas")) == ["other gaps: {b} tarjetas"]
    assert faults_of(catalogue.add(("{n} card", "{n} cards"), ("una", "{n} tarjetas"))) == ["other gaps: una"]


def test_a_translation_with_other_gaps_falls_back_to_english(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def gettext(self, sentence: str) -> str:
            return "{otro} tarjetas"

    monkeypatch.setattr(wording_module, "_catalogue", lambda language: Broken())
    translated = Wording.t
    words = Wording(Language.SPANISH, NumberFormat.ES_ES)
    assert (
        translated(words, "{some} cards, seen only by this test", some="3")
        == "3 cards, seen only by this test"
    )
