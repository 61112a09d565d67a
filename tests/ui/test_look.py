"""What a look can be held to: no text cut off at any scale, colours in pairs that read, and a change while running.

The texts are measured by `clipped_texts.py` in a process of its own, since Qt reads the scale factor once.
"""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from estimator.catalogue.embedded import embedded_catalogue
from estimator.quote import Quote
from estimator.storage import read_quote
from estimator.wording import Language, NumberFormat, Wording
from ui.gantt.look import ink_on
from ui.pages.conditions import ConditionsPage
from ui.pages.cost import CostPage
from ui.pages.page import Context, Page
from ui.pages.schedule import SchedulePage
from ui.runner import Runner
from ui.session import Session
from ui.theme import DARK, LIGHT, Scheme, Theme, Tokens, contrast
from ui.widgets.evidence_button import EvidenceButton
from ui.widgets.field import Field
from ui.widgets.typed_line import TextField

TODAY = dt.date(2026, 11, 30)
WORDS = Wording(Language.SPANISH, NumberFormat.ES_ES)
WAIT_MS = 20_000
MEASURE = Path(__file__).parent / "clipped_texts.py"
SAMPLES = ("indice-de-las-obras", "consultation-notes")
SCHEMES = pytest.mark.parametrize(
    ("scheme", "tokens"), [(Scheme.LIGHT, LIGHT), (Scheme.DARK, DARK)], ids=["light", "dark"]
)


def clipped(language: str, size: str, scale: str, *samples: str) -> str:
    done = subprocess.run(
        [sys.executable, str(MEASURE), language, size, *samples],
        env={**os.environ, "QT_SCALE_FACTOR": scale, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout.strip() + ("" if done.returncode in range(100) else done.stderr)


@pytest.mark.parametrize("scale", ["1", "1.25", "1.5", "2"])
def test_no_text_is_cut_off_at_any_scale(scale: str) -> None:
    # case O-DSK-07: 100 to 200 %, in Spanish, whose words are the longer ones
    assert clipped("es", "1366x768", scale, SAMPLES[0], "-") == ""


@pytest.mark.parametrize("language", ["es", "en"])
def test_no_text_is_cut_off_in_the_smallest_window(language: str) -> None:
    assert clipped(language, "1180x680", "1", *SAMPLES, "-") == ""


def test_no_text_is_cut_off_in_english() -> None:
    assert clipped("en", "1366x768", "1", *SAMPLES) == ""


@pytest.fixture
def session() -> Iterator[Session]:
    runner = Runner()
    yield Session(runner, lambda: TODAY)
    runner.close()


def sample() -> Quote:
    return read_quote(Path(str(files("resources.samples").joinpath(f"{SAMPLES[0]}.cabida"))))


def shown(qtbot: QtBot, session: Session, theme: Theme, kind: type[Page]) -> Page:
    page = kind(Context(session, WORDS, theme, embedded_catalogue))
    qtbot.addWidget(page)
    session.show(sample())
    qtbot.waitUntil(
        lambda: session.estimate is not None and session.estimate.is_complete and not session.is_stale,
        timeout=WAIT_MS,
    )
    page.resize(1166, 620)
    page.show()
    assert session.quote is not None
    page.show_state(session.quote, session.estimate, False)
    return page


def picture(widget: QWidget, application: QApplication) -> QImage:
    for _ in range(3):
        application.processEvents()
    return widget.grab().toImage()


def ground_of(image: QImage) -> str:
    """Return the colour that most of a picture has."""
    counts: dict[int, int] = {}
    for y in range(0, image.height(), 5):
        for x in range(0, image.width(), 5):
            counts[image.pixel(x, y)] = counts.get(image.pixel(x, y), 0) + 1
    return QColor(max(counts, key=lambda one: counts[one])).name().upper()


@SCHEMES
def test_the_rows_of_a_result_table_read_in_both_schemes(
    qtbot: QtBot, session: Session, scheme: Scheme, tokens: Tokens
) -> None:
    # case O-DSK-11: 4.5 at least, also on the row that is selected
    page = shown(qtbot, session, Theme(scheme), ConditionsPage)
    assert isinstance(page, ConditionsPage)
    model = page.table.model()
    inks = {
        QColor(model.index(row, column).data(Qt.ItemDataRole.ForegroundRole)).name()
        for row in range(model.rowCount())
        for column in range(model.columnCount())
    }
    assert inks
    for ink in inks:
        for ground in (tokens.surface, tokens.selection, tokens.header):
            assert contrast(ink, ground) >= 4.5, (ink, ground)


@SCHEMES
def test_the_labels_of_gantt_bars_read_in_both_schemes(scheme: Scheme, tokens: Tokens) -> None:
    for fill in tokens.charts:
        assert contrast(ink_on(QColor(fill)).name(), fill) >= 4.5, fill
    # the names beside bars and in the row heads
    for ink in (tokens.text, tokens.muted, tokens.err):
        assert contrast(ink, tokens.surface) >= 4.5


@SCHEMES
def test_an_error_under_a_field_reads_in_both_schemes(qtbot: QtBot, scheme: Scheme, tokens: Tokens) -> None:
    field = Field(Theme(scheme), "Nombre", TextField(WORDS))
    qtbot.addWidget(field)
    field.set_problem("Falta el nombre.")
    assert field.sentence == "Falta el nombre."
    for ground in (tokens.surface, tokens.window):
        assert contrast(tokens.err, ground) >= 4.5


@pytest.mark.parametrize("kind", [SchedulePage, CostPage, ConditionsPage])
def test_a_page_changes_between_light_and_dark_while_it_runs(
    qtbot: QtBot, qapp: QApplication, session: Session, kind: type[Page]
) -> None:
    theme = Theme(Scheme.LIGHT)
    theme.apply(qapp)
    page = shown(qtbot, session, theme, kind)
    grounds = (LIGHT.surface, LIGHT.window)
    assert ground_of(picture(page, qapp)) in grounds
    theme.set_scheme(Scheme.DARK)
    assert ground_of(picture(page, qapp)) in (DARK.surface, DARK.window)
    theme.set_scheme(Scheme.LIGHT)
    assert ground_of(picture(page, qapp)) in grounds


def test_an_evidence_chip_opens_its_editor_and_hands_over_what_was_chosen(qtbot: QtBot) -> None:
    from estimator.evidence import GIVEN, Evidence, EvidenceKind

    chip = EvidenceButton(WORDS, Theme(Scheme.LIGHT))
    qtbot.addWidget(chip)
    chip.set_evidence("Licencias", GIVEN)
    assert chip.accessibleName() == "Evidencia: Licencias, Dado"
    chip.show()
    chip.click()
    assert chip.editor is not None
    with qtbot.waitSignal(chip.committed, timeout=WAIT_MS) as committed:
        measured = chip.editor.kinds.findData(EvidenceKind.MEASURED)
        chip.editor.kinds.setCurrentIndex(measured)
        chip.editor.kinds.activated.emit(measured)
    evidence = committed.args[0]
    assert isinstance(evidence, Evidence)
    assert evidence.kind is EvidenceKind.MEASURED
    chip.set_evidence("", None)
    assert chip.isHidden()
