"""The printed quote as text: what it says, what it leaves out with its reason, and that user text is no markup."""

from __future__ import annotations

from pathlib import Path

import pytest

from estimator.exports.markdown import markdown_text
from estimator.exports.paper import Cells, Paper, paper_of
from estimator.quote import Quote
from estimator.storage import read_quote
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.answers import answers
from tests.quotes import compared

SAMPLES = sorted((Path(__file__).parents[2] / "resources" / "samples").glob("*.cabida"))
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)


def sample(name: str = "indice-de-las-obras") -> Quote:
    return read_quote(next(file for file in SAMPLES if file.stem == name))


def made(quote: Quote) -> Paper:
    return paper_of(compared(quote), WORDS)


def table(paper: Paper, title: str) -> Cells:
    section = next(one for one in paper.sections if one.title.endswith(title))
    return next(block for block in section.blocks if isinstance(block, Cells))


def test_the_paper_says_what_the_strip_says() -> None:
    result = compared(sample())
    paper = paper_of(result, WORDS)
    assert tuple(one for _, one in paper.answers) == answers(WORDS, result)[:4]
    assert paper.standing == "PROVISIONAL: 9 open conditions"
    assert paper.watermark == "PROVISIONAL"
    assert "prices marked SAMPLE are no offers" in paper.footer


def test_blank_fees_and_an_unstated_wait_are_not_included_in_words() -> None:
    paper = made(sample())
    assert dict(paper.facts)["Waiting before the start"] == "Not included"
    amounts = {row[0]: row[3] for row in table(paper, "Cost").rows}
    assert amounts["Almacenamiento"] == "Not included"
    assert (amounts["Net"], amounts["Total"]) == ("0.64", "0.77")


def test_numbers_of_offers_that_the_plan_does_not_use_are_left_out_and_sources_are_numbered() -> None:
    rows = table(made(sample()), "Where each number comes from").rows
    names = [row[0] for row in rows]
    assert any("Hivenet" in name for name in names)
    assert not any("B200" in name for name in names)
    assert {row[4] for row in rows if row[0].endswith("Duration")} == {"1"}


def test_a_late_plan_says_how_late_and_one_without_a_price_says_why() -> None:
    readings = {row[0]: row[4] for row in table(made(sample()), "Alternatives compared").rows}
    assert readings["A · RTX 4090 · Hivenet by the hour"] == "16 min late"
    readings = {
        row[0]: row[4] for row in table(made(sample("consultation-notes")), "Alternatives compared").rows
    }
    assert any("exchange rate" in reading for reading in readings.values())


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
@pytest.mark.parametrize("language", list(Language))
def test_every_table_is_rectangular_and_sections_are_numbered(file: Path, language: Language) -> None:
    words = Wording(language, NumberFormat.ES_ES)
    paper = paper_of(compared(read_quote(file)), words)
    for number, section in enumerate(paper.sections, start=1):
        assert section.title.startswith(f"{number}. ")
        for block in section.blocks:
            if isinstance(block, Cells):
                assert {len(row) for row in block.rows} == {len(block.heads)}
                assert not block.shares or (sum(block.shares), len(block.shares)) == (100, len(block.heads))


def test_markdown_has_the_same_figures_and_user_text_is_no_markup() -> None:
    text = markdown_text(made(sample().replaced(name="# a | b *c*", notes="<script>x</script>\n| y")))
    assert "| **Total** |  |  | **0.77** |" in text
    assert r"**\# a \| b \*c\***" in text
    assert r"\<script\>x\</script\> \| y" in text


def test_a_cost_of_sample_prices_says_so_beside_its_figure() -> None:
    paper = made(sample("consultation-notes"))
    figures = [f"{one.figure} {one.unit}" for _, one in paper.answers]
    assert figures[3] == "1,148.18 € SAMPLE"
    assert "| 1,148.18 € SAMPLE |" in markdown_text(paper)
    assert not any("SAMPLE" in one.unit for _, one in made(sample()).answers)


def test_sources_are_said_in_words_and_in_the_documents_language() -> None:
    spanish = Wording(Language.SPANISH, NumberFormat.ES_ES)
    result = compared(sample())
    said = str(paper_of(result, spanish).sections)
    assert "HIVEART" not in said
    assert "Hivenet, article on GPU clusters" in said
    told = str(paper_of(compared(sample("dinamica-molecular")), spanish).sections)
    assert "EJEMPLO, Ficticio, por fórmula; no es oferta de ningún proveedor" in told
    assert "Fictional" not in told
