"""The quote on paper: pages, text that can be selected, embedded fonts, the watermark, and rows kept whole."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from estimator.estimate import EstimateCancelled
from estimator.problems import FileRefused
from estimator.quote import ConditionRecord, ConditionState, Party, Quote, Stage, Tasks
from estimator.results.estimate import Estimate, QuoteStatus
from estimator.storage import read_quote, save_quote
from estimator.wording import Language, NumberFormat, Wording
from tests.quotes import compared
from ui.logo import logo_from_file, logo_image
from ui.page_preview import PagePreview
from ui.printing import PrintedQuote, page_layout, quote_pdf, save_quote_pdf
from ui.theme import Theme

ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "resources" / "samples").glob("*.cabida"))
TODAY = dt.date(2026, 11, 30)
ENGLISH = Wording(Language.ENGLISH, NumberFormat.EN_GB)
SPANISH = Wording(Language.SPANISH, NumberFormat.ES_ES)


def sample(name: str = "indice-de-las-obras") -> Quote:
    return read_quote(ROOT / "resources" / "samples" / f"{name}.cabida")


def tool(name: str) -> str:
    """The path of a program that reads PDF files."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def said(pdf: bytes, folder: Path, *options: str) -> str:
    """The text of a PDF as a reader would copy it."""
    file = folder / "quote.pdf"
    file.write_bytes(pdf)
    done = subprocess.run(
        [tool("pdftotext"), *options, str(file), "-"], check=True, capture_output=True, timeout=60
    )
    return done.stdout.decode("utf-8")


def made(quote: Quote) -> Estimate:
    return compared(quote, TODAY)


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
@pytest.mark.parametrize("words", [ENGLISH, SPANISH], ids=["en", "es"])
def test_every_sample_takes_two_to_six_pages(file: Path, words: Wording, qapp: QApplication) -> None:
    assert 2 <= PrintedQuote(made(read_quote(file)), words, qapp.font()).page_count <= 6


def test_the_answer_stands_on_the_page_as_text(qapp: QApplication, tmp_path: Path) -> None:
    text = said(quote_pdf(made(sample()), SPANISH, qapp.font()), tmp_path, "-layout")
    for figure in ("0,77", "58 min", "19,4", "2026-0117", "PROVISIONAL", "No incluido", "21 %"):
        assert figure in text, figure


def test_fonts_are_embedded_and_the_paper_is_the_one_asked_for(qapp: QApplication, tmp_path: Path) -> None:
    for paper, size in (("A4", "A4"), ("Letter", "letter")):
        file = tmp_path / f"{paper}.pdf"
        save_quote_pdf(made(sample().replaced(paper=paper)), ENGLISH, qapp.font(), file)
        facts = subprocess.run([tool("pdfinfo"), str(file)], check=True, capture_output=True, timeout=60)
        assert f"({size})" in facts.stdout.decode()
        assert re.search("Title: +2026-0117 · Índice de las obras", facts.stdout.decode())
        fonts = subprocess.run([tool("pdffonts"), str(file)], check=True, capture_output=True, timeout=60)
        lines = fonts.stdout.decode().splitlines()[2:]
        assert lines
        # columns from the right: object number and generation, unicode, subset, embedded
        assert all((line.split()[-5], line.split()[-3]) == ("yes", "yes") for line in lines), lines


def test_the_watermark_goes_once_the_quote_is_firm(qapp: QApplication) -> None:
    provisional = made(sample())
    printed = PrintedQuote(provisional, ENGLISH, qapp.font())
    assert printed.watermark == "PROVISIONAL"
    records = tuple(ConditionRecord(id=one.id, state=ConditionState.MET) for one in provisional.conditions)
    firm = made(sample().replaced(conditions=records))
    assert firm.status is QuoteStatus.FIRM
    assert PrintedQuote(firm, ENGLISH, qapp.font()).watermark == ""


def test_no_row_of_a_table_is_cut_by_the_end_of_a_page(qapp: QApplication) -> None:
    for file in SAMPLES:
        assert PrintedQuote(made(read_quote(file)), ENGLISH, qapp.font()).cut_row() is None, file.stem


def many_cards(count: int) -> Quote:
    """The sample with `count` conversions at once, on as many cards."""
    quote = sample()
    stages = tuple(
        stage.replaced(tasks=stage.tasks.replaced(count=(count,))) if stage.on_cards else stage
        for stage in quote.workload.stages
    )
    organisation = quote.organisations[-1]
    layouts = tuple(one.replaced(tasks_at_once=count) for one in organisation.layouts)
    return quote.replaced(
        workload=quote.workload.replaced(stages=stages, quota_cards=None),
        organisations=(organisation.replaced(layouts=layouts),),
    )


def test_a_gantt_of_many_cards_goes_on_over_pages_of_its_own(qapp: QApplication, tmp_path: Path) -> None:
    result = made(many_cards(90))
    printed = PrintedQuote(result, ENGLISH, qapp.font())
    text = said(quote_pdf(result, ENGLISH, qapp.font()), tmp_path)
    assert "The whole schedule stands on the last pages." in text
    assert "Schedule, continued: 1 of" in text
    assert all(f"Card {number}\n" in text for number in range(1, 91))
    assert f"Page {printed.page_count} of {printed.page_count}" in text


def test_cancelling_leaves_the_older_file(qapp: QApplication, tmp_path: Path) -> None:
    file = tmp_path / "quote.pdf"
    file.write_bytes(b"older")
    with pytest.raises(EstimateCancelled):
        save_quote_pdf(made(sample()), ENGLISH, qapp.font(), file, cancelled=lambda: True)
    assert file.read_bytes() == b"older"
    with pytest.raises(FileRefused):
        save_quote_pdf(made(sample()), ENGLISH, qapp.font(), tmp_path / "no" / "quote.pdf")


def test_a_quote_without_an_answer_is_printed_as_a_draft(qapp: QApplication, tmp_path: Path) -> None:
    stage = Stage(id="s", name="Solve", tasks=Tasks())
    quote = Quote(workload=sample().workload.replaced(stages=(stage,)))
    result = made(quote)
    assert PrintedQuote(result, ENGLISH, qapp.font()).watermark == "DRAFT"
    assert "DRAFT" in said(quote_pdf(result, ENGLISH, qapp.font()), tmp_path)


def test_text_of_the_planner_is_no_markup(qapp: QApplication, tmp_path: Path) -> None:
    quote = sample().replaced(name="<b>5 < 6 & 7</b>", notes="<img src='file:///etc/passwd'>")
    text = said(quote_pdf(made(quote), ENGLISH, qapp.font()), tmp_path)
    assert "<b>5 < 6 & 7</b>" in text
    assert "<img src='file:///etc/passwd'>" in text


def test_the_preview_paints_the_pages_that_will_be_printed(qtbot: QtBot) -> None:
    preview = PagePreview(ENGLISH, Theme())
    qtbot.addWidget(preview)
    preview.resize(800, 700)
    with qtbot.waitExposed(preview):
        preview.show()
    assert preview.page_count == 0
    preview.show_quote(made(sample()), ENGLISH)
    assert preview.page_count == PrintedQuote(made(sample()), ENGLISH, preview.font()).page_count
    before = preview.viewport().grab().toImage()
    preview.verticalScrollBar().setValue(preview.verticalScrollBar().maximum())
    assert preview.viewport().grab().toImage() != before


def test_pages_have_ink_within_the_margins_only(qapp: QApplication) -> None:
    printed = PrintedQuote(made(sample()), ENGLISH, qapp.font())
    layout = page_layout("A4")
    assert printed.width == pytest.approx(layout.paintRect(layout.units()).width() / 25.4 * 96, abs=1)
    for page in range(printed.page_count):
        image = QImage(int(printed.width) + 80, int(printed.height) + 80, QImage.Format.Format_Grayscale8)
        image.fill(255)
        painter = QPainter(image)
        painter.translate(40, 40)
        printed.paint(painter, page)
        painter.end()
        rows = [bytes(image.constScanLine(y))[: image.width()] for y in range(image.height())]
        assert all(min(row) == 255 for row in [*rows[:30], *rows[-30:]]), page
        assert all(min(row[:30]) == 255 and min(row[-30:]) == 255 for row in rows), page
        assert min(min(row) for row in rows) < 100


def test_the_pdf_is_written_from_the_terminal_without_a_screen(tmp_path: Path) -> None:
    quote, pdf = tmp_path / "a.cabida", tmp_path / "a.pdf"
    save_quote(sample(), quote)
    environment = {key: value for key, value in os.environ.items() if "DISPLAY" not in key}
    environment |= {"CABIDA_DATA": str(tmp_path), "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "ui", "--export", str(pdf)]
    done = subprocess.run([*command, str(quote)], cwd=ROOT, env=environment, timeout=120, check=False)
    assert done.returncode == 0
    assert pdf.read_bytes().startswith(b"%PDF")
    quote.write_text("{}", encoding="utf-8")
    done = subprocess.run(
        [*command, str(quote)], cwd=ROOT, env=environment, timeout=120, check=False, capture_output=True
    )
    assert done.returncode == 2
    assert done.stderr.strip()


def test_a_logo_travels_in_the_quote_small_and_is_printed(qapp: QApplication, tmp_path: Path) -> None:
    picture = QImage(1200, 300, QImage.Format.Format_RGB32)
    picture.fill(0xFF0000)
    file = tmp_path / "logo.jpg"
    assert picture.save(str(file))
    logo = logo_from_file(file)
    image = logo_image(logo)
    assert image is not None
    assert (image.width(), image.height()) == (480, 120)
    quote = sample().replaced(issuer=Party(name="Issuer", logo=logo))
    printed = PrintedQuote(made(quote), ENGLISH, qapp.font())
    page = QImage(int(printed.width), int(printed.height), QImage.Format.Format_RGB32)
    page.fill(0xFFFFFF)
    painter = QPainter(page)
    printed.paint(painter, 0)
    painter.end()
    reds = sum(
        page.pixelColor(x, y).red() > 200 and page.pixelColor(x, y).green() < 80
        for x in range(0, page.width(), 4)
        for y in range(0, 120, 4)
    )
    assert reds > 100


def test_a_file_that_is_no_picture_is_refused_and_a_foreign_logo_left_out(tmp_path: Path) -> None:
    file = tmp_path / "logo.png"
    file.write_bytes(b"\x89PNG\r\n\x1a\n broken")
    with pytest.raises(FileRefused) as caught:
        logo_from_file(file)
    assert ENGLISH.refused(caught.value)
    assert logo_image("") is None
    assert logo_image("AAAA") is None
    assert logo_image("####") is None


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.stem)
def test_cost_and_reception_stand_each_on_one_page_with_its_title(
    file: Path, qapp: QApplication, tmp_path: Path
) -> None:
    pages = said(quote_pdf(made(read_quote(file)), ENGLISH, qapp.font()), tmp_path).split("\f")
    (cost,) = [page for page in pages if "Rounded half up once" in page]
    assert "3. Cost" in cost
    (last,) = [page for page in pages if "Equal quality, versions and settings" in " ".join(page.split())]
    assert "Reception: filled in" in last
