"""Sentences of codes, evidence, choices and places, in both languages."""

from __future__ import annotations

import ast
import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from estimator.evidence import EvidenceKind
from estimator.problems import Absent, FileRefused, Problem, Severity
from estimator.quote import ConditionState, StageKind
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.extract import ROOT
from estimator.wording.gaps import gaps_of, keeps_gaps
from estimator.wording.names import PLACES, WORDS
from estimator.wording.sentences import CONDITIONS, COUNTER_EXAMPLES, PLURAL_SENTENCES, SENTENCES

SPANISH = Wording(Language.SPANISH, NumberFormat.ES_ES)
ENGLISH = Wording(Language.ENGLISH, NumberFormat.EN_US)


@pytest.mark.parametrize("words", [SPANISH, ENGLISH], ids=["es", "en"])
@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_every_code_has_a_sentence_that_its_values_fill(code: str, words: Wording) -> None:
    values = {gap: f"<{gap}>" for gap in gaps_of(SENTENCES[code])}
    sentence = words.sentence(code, values)
    assert all(value in sentence for value in values.values())
    assert sentence.endswith(".")


CODE_MAKERS = frozenset({"Problem", "Absent", "FileRefused", "_RowError", "say", "_say", "report"})


def codes_in(file: Path) -> Iterator[str]:
    """The codes that a module returns: literal first or second arguments of what makes problems and refusals."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in CODE_MAKERS:
            for argument in node.args[:2]:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value
                    break


def test_every_code_that_the_core_returns_has_a_sentence() -> None:
    core = Path(__file__).parents[2] / "estimator"
    codes = {code: file.name for file in sorted(core.rglob("*.py")) for code in codes_in(file)}
    assert len(codes) > 100
    assert {code: name for code, name in codes.items() if code not in SENTENCES | PLURAL_SENTENCES} == {}


@pytest.mark.parametrize("words", [SPANISH, ENGLISH], ids=["es", "en"])
def test_every_code_in_two_forms_is_said_for_one_and_for_many(words: Wording) -> None:
    for code, (_, many) in PLURAL_SENTENCES.items():
        for count in (1, 2):
            values = {gap: f"<{gap}>" for gap in gaps_of(many)} | {"count": count}
            assert words.sentence(code, values).endswith(".")


@pytest.mark.parametrize("words", [SPANISH, ENGLISH], ids=["es", "en"])
@pytest.mark.parametrize("code", sorted(CONDITIONS))
def test_every_condition_makes_a_claim_that_its_values_fill(code: str, words: Wording) -> None:
    values = {gap: f"<{gap}>" for gap in gaps_of(CONDITIONS[code])}
    claim = words.condition(code, values | {"span": object()})  # a value that is not said needs no text
    assert all(value in claim for value in values.values())


def test_a_counter_example_is_said_with_its_durations() -> None:
    values = {"hold_ms": 480_000, "compute_ms": 240_000}
    assert SPANISH.counter_example("shared_channel", values) == (
        "8 min de cada tarea pasan por un solo canal compartido y 4 min no."
    )
    assert all(
        ENGLISH.counter_example(code, dict.fromkeys(gaps_of(COUNTER_EXAMPLES[code]), 1))
        for code in COUNTER_EXAMPLES
    )


def codes_in_sources() -> dict[str, str]:
    """Return each code that the program gives a problem, an absent figure or a refused file, and where."""
    codes = {}
    for file in sorted((ROOT / "estimator").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            code = node.args[0]
            if node.func.id in ("Absent", "Problem", "FileRefused") and isinstance(code, ast.Constant):
                codes[str(code.value)] = f"{file.relative_to(ROOT).as_posix()}:{node.lineno}"
    return codes


def test_every_code_in_the_source_has_a_sentence() -> None:
    known = SENTENCES.keys() | PLURAL_SENTENCES.keys()
    assert {code: place for code, place in codes_in_sources().items() if code not in known} == {}


def test_no_code_stands_in_both_tables() -> None:
    assert not SENTENCES.keys() & PLURAL_SENTENCES.keys()


def test_a_code_without_a_sentence_is_a_programming_error() -> None:
    with pytest.raises(KeyError):
        SPANISH.problem(Problem("no_such_code", (), Severity.ERROR))


def test_a_problem_an_absent_figure_and_a_refused_file_are_said_in_the_language() -> None:
    problem = Problem("stock_too_small", (), Severity.ERROR, (("available", 1000), ("needed", 2000)))
    assert SPANISH.problem(problem) == (
        "En los lotes disponibles caben 1.000 tareas a la vez y hacen falta 2.000. Añade lotes o pide menos."
    )
    assert ENGLISH.absent(Absent("missing_rate", values=(("currency", "USD"),))) == (
        "There is no exchange rate for USD. Without it there is no total: type the rate."
    )
    assert SPANISH.refused(FileRefused("not_a_quote")) == "Este archivo no es una cotización de Cabida."


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("", Decimal("1234.5"), "1.234,5"),
        ("peak_bytes", 2**30, "1,0 GiB"),
        ("limit_ms", 5_400_000, "90 min"),
        ("tax_percent", 21, "21\u00a0%"),
        ("total", (Decimal("0.77"), "EUR"), "0,77\u00a0€"),
        ("until", dt.date(2026, 11, 30), "30/11/2026"),
        ("at", dt.datetime(2026, 11, 30, 9, 5), "30/11/2026 09:05"),
        ("durations_ms", (60_000, 90_000), "1 min, 1,5 min"),
        ("stages", ("Carga", "Ensamblaje"), "Carga, Ensamblaje"),
        ("kind", EvidenceKind.ASSUMED, "Supuesto"),
        ("kind", StageKind.GATE, "Hito"),
        ("name", "{x} 100%", "{x} 100%"),
        ("limit", None, "—"),
    ],
)
def test_a_value_becomes_text_by_its_type_and_the_unit_in_its_name(
    name: str, value: object, text: str
) -> None:
    assert SPANISH.value(value, name) == text


@pytest.mark.parametrize("value", [True, object(), {"a": 1}])
def test_a_value_that_has_no_text_for_people_is_a_programming_error(value: object) -> None:
    with pytest.raises(TypeError):
        SPANISH.value(value)


def test_evidence_reads_as_on_its_chip() -> None:
    assert [SPANISH.evidence(kind) for kind in EvidenceKind] == [
        "Medido",
        "Dado",
        "Derivado",
        "Estimado",
        "Supuesto",
        "Desconocido",
    ]
    assert ENGLISH.evidence(EvidenceKind.ASSUMED) == "Assumed"


def test_a_choice_has_a_word_and_one_word_may_depend_on_its_context() -> None:
    assert SPANISH.word(StageKind.COOPERATIVE) == "Cooperativo"
    assert (SPANISH.word(ConditionState.OPEN), ENGLISH.word(ConditionState.OPEN)) == ("Abierta", "Open")


def test_a_place_is_a_path_of_words_and_of_the_names_of_rows() -> None:
    where = ("workload", "stages", "conversion", "duration")
    assert SPANISH.place(where, {"conversion": "Conversión"}) == "Trabajo › Conversión › Duración"
    assert ENGLISH.place(where, {"conversion": "Conversion"}) == "Work › Conversion › Duration"
    assert ENGLISH.place(("workload", "stages")) == "Work › Stages"
    assert ENGLISH.place(("workload", "stages", "duration", "tasks")) == "Work › duration › Tasks"
    assert ENGLISH.place(()) == ""


@pytest.mark.parametrize("table", [PLACES, WORDS])
def test_words_have_no_gaps(table: dict[str, str | tuple[str, str]]) -> None:
    assert not any(gaps_of(word if isinstance(word, str) else word[1]) for word in table.values())


def test_gaps_are_filled_after_translation_and_their_braces_are_left_alone() -> None:
    assert SPANISH.t("{low} to {high}", low="{high}", high="2") == "{high} a 2"
    with pytest.raises(KeyError):
        ENGLISH.t("{low} to {high}", low="1")


def test_a_sentence_that_no_catalogue_has_is_said_in_english() -> None:
    unseen = Wording.t  # through a name of its own: the extractor must not take it for a sentence
    assert unseen(SPANISH, "Nobody translated this {thing}", thing="yet") == "Nobody translated this yet"


def test_a_count_chooses_the_form_and_is_formatted() -> None:
    plural = Wording.n
    assert plural(ENGLISH, "{count} card", "{count} cards", 1) == "1 card"
    assert plural(ENGLISH, "{count} card", "{count} cards", 1200) == "1,200 cards"


def test_a_translation_with_other_gaps_is_not_used() -> None:
    assert keeps_gaps("{a} of {b}", "{b}: {a}")
    assert not keeps_gaps("{a} of {b}", "{a}")
    assert not keeps_gaps("{a}", "{a} {c}")
    assert not keeps_gaps("{a}", "{a")
    assert not keeps_gaps("{a}", "{a:>3}")


def test_a_wording_is_a_value_that_does_not_change() -> None:
    assert Wording(Language.SPANISH, NumberFormat.ES_ES) == SPANISH
    with pytest.raises(AttributeError):
        SPANISH.language = Language.ENGLISH  # type: ignore[misc]  # the point of the test
