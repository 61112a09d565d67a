"""The Spanish catalogue is complete, sound and compiled; sentences in the source are plain literals."""

from __future__ import annotations

import io

import pytest
from babel.messages import Catalog
from babel.messages.mofile import read_mo, write_mo

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


def keys_of(catalogue: Catalog) -> set[tuple[object, object]]:
    return {(message.context, message.id) for message in catalogue if message.id}


def test_every_sentence_is_a_plain_literal(calls: list[Call]) -> None:
    assert [f"{call.path}:{call.line}" for call in calls if call.texts is None] == []


def test_the_catalogue_has_the_sentences_of_the_source_and_no_others(
    calls: list[Call], catalogue: Catalog
) -> None:
    wanted = keys_of(new_catalogue(calls, catalogue))
    assert wanted - keys_of(catalogue) == set(), RUN
    assert keys_of(catalogue) - wanted == set(), RUN
    assert not catalogue.obsolete, RUN


def test_every_sentence_is_translated_with_its_own_gaps(catalogue: Catalog) -> None:
    faults = {message.id: faults_of(message) for message in catalogue if message.id}
    assert {sentence: fault for sentence, fault in faults.items() if fault} == {}


def test_the_compiled_catalogue_is_that_of_the_text(catalogue: Catalog) -> None:
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    expected = {(message.context, message.id): message.string for message in read_mo(compiled) if message.id}
    with MO_FILE.open("rb") as file:
        found = {(message.context, message.id): message.string for message in read_mo(file) if message.id}
    assert found == expected, RUN


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
