"""Every figure of the answer opens its explanation: formula, numbers, inputs with evidence, notes."""

from __future__ import annotations

from importlib.resources import files

import pytest

from estimator.evidence import EvidenceKind
from estimator.figures import FIGURES, explain
from estimator.quote import Quote
from estimator.storage import quote_from_text
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.answers import answer_titles, answers
from estimator.wording.explanations import ExplanationText, explanation
from tests.quotes import LOT_B200, compared, conversion, given, source_quote

ENGLISH = Wording(Language.ENGLISH, NumberFormat.EN_US)
SPANISH = Wording(Language.SPANISH, NumberFormat.ES_ES)
SAMPLES = (
    "afinado-cooperativo",
    "consultation-notes",
    "credit-risk",
    "dinamica-molecular",
    "fachada-norte",
    "indice-de-las-obras",
)


def explained(quote: Quote, figure: str, words: Wording = ENGLISH) -> ExplanationText:
    return explanation(words, compared(quote), figure)


def test_delivery_shows_the_rounds_and_the_assembly() -> None:
    found = explained(source_quote(), "delivery")
    assert found.formula_numbers == "⌈8 ÷ 2⌉ × 12 min + Assembly\n= 48 min + 10 min = 58 min"
    assert found.kind is EvidenceKind.ASSUMED
    inputs = {one.name: (one.value, one.kind) for one in found.inputs}
    assert inputs["Tasks of Conversion"] == ("8", EvidenceKind.GIVEN)
    assert inputs["Duration of a task of Conversion"] == ("12 min", EvidenceKind.ASSUMED)
    assert inputs["Queue wait"] == ("not included", None)
    assert any("Optimal" in note for note in found.notes)


def test_a_slow_down_stands_in_the_formula() -> None:
    found = explained(source_quote(mutual_slow_down=given("1.5")), "delivery")
    assert found.formula_numbers.startswith("⌈8 ÷ 2⌉ × 12 min × 1.5 + Assembly")
    assert found.value == "82 min"


def test_the_peak_adds_up_its_lines_and_says_what_still_fits() -> None:
    found = explained(source_quote(), "peak")
    assert found.formula_numbers == "18.00 GiB + 0.50 GiB + 0.90 GiB = 19.40 GiB"
    assert "It fits while a task needs at most 22.3 GiB." in found.notes


def test_the_cost_shows_each_line_the_net_and_the_tax() -> None:
    found = explained(source_quote(), "cost")
    assert found.formula_numbers.replace("\u00a0", " ") == (
        "Cards by the hour, RTX 4090 = 0.64 €\nNet = 0.64 €\nTax, 21 % of 0.64 € = 0.13 €"
    )
    assert any("half up" in note for note in found.notes)


def test_a_lot_plan_says_that_it_is_proven_and_that_its_price_is_a_sample() -> None:
    found = explained(source_quote().replaced(offers=(LOT_B200,)), "cost")
    assert any(note.startswith("Proven") for note in found.notes)
    assert any("SAMPLE" in note for note in found.notes)


def test_a_missing_figure_explains_what_is_missing() -> None:
    stage = conversion()
    blank = source_quote(stage.replaced(tasks=stage.tasks.replaced(duration=(None,))))
    assert explained(blank, "delivery").formula_numbers == "The duration of Conversion is missing."
    assert explained(blank.replaced(offers=()), "cost").value == "—"


def test_an_unknown_figure_is_a_programming_error() -> None:
    with pytest.raises(KeyError):
        explain(compared(source_quote()), "no such figure")


@pytest.mark.parametrize("words", [ENGLISH, SPANISH], ids=["en", "es"])
@pytest.mark.parametrize("name", SAMPLES)
def test_every_figure_of_every_sample_has_an_explanation_in_both_languages(name: str, words: Wording) -> None:
    text = files("resources.samples").joinpath(f"{name}.cabida").read_text(encoding="utf-8")
    result = compared(quote_from_text(text))
    shown = answers(words, result)
    assert len(shown) == len(answer_titles(words, result)) == len(FIGURES)
    for figure, answer in zip(FIGURES, shown, strict=True):
        found = explanation(words, result, figure)
        assert found.title
        if figure != "status":
            # The strip and the explanation show the same figure to the last digit.
            assert found.value.startswith(answer.figure.split(" ")[0])
        for one in found.inputs:
            assert one.name
            assert one.kind is not None or one.remark


def test_an_empty_quote_answers_with_reasons_and_no_figure() -> None:
    result = compared(Quote())
    for answer in answers(ENGLISH, result)[:4]:
        assert answer.figure == "—"
        assert answer.line
    for figure in FIGURES:
        assert explanation(ENGLISH, result, figure).title
