"""The answer strip, the steps, the problems and the explanation say what they are given, and ask to go places."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from estimator.evidence import EvidenceKind
from estimator.problems import Severity
from estimator.wording import Language, NumberFormat, Wording
from ui.errors import ErrorReport
from ui.theme import Scheme, Theme
from ui.widgets.answer_strip import CELLS, AnswerStrip
from ui.widgets.error_notice import ErrorNotice
from ui.widgets.evidence_chip import EvidenceChip
from ui.widgets.explanation import MOST_WIDTH, Explanation, ExplanationContent, ExplanationRow
from ui.widgets.figure import FigureButton, FigureState, HeadlineCell, Tone
from ui.widgets.icons import EVIDENCE_ICONS, SEVERITY_ICONS, STEP_ICONS, icon
from ui.widgets.problems_panel import ProblemRow, ProblemsPanel
from ui.widgets.steps import RAIL, Step, StepsList, StepState

WORDS = Wording(Language.ENGLISH, NumberFormat.EN_US)
DELIVERY = HeadlineCell(
    "Delivery", "Delivery", "58", "min from start", "Optimal · limit 90 min", EvidenceKind.ASSUMED
)
MISSING = HeadlineCell(
    "Delivery",
    "Delivery",
    "",
    third_line="Missing: duration of Conversion",
    state=FigureState.UNKNOWN,
    link_place=("workload", "stages", "conversion", "duration"),
)
ROWS = (
    ProblemRow(Severity.WARNING, "The price has no date.", "Cost › Price", ("pricing",)),
    ProblemRow(Severity.ERROR, "The duration is not a number.", "Work › Duration", ("workload",)),
    ProblemRow(Severity.MISSING, "There is no offer.", "Cards and lots", ("offers",)),
)


def heard(signal: Any) -> list[tuple[Any, ...]]:
    calls: list[tuple[Any, ...]] = []
    signal.connect(lambda *values: calls.append(values))
    return calls


@pytest.fixture
def theme() -> Theme:
    return Theme(Scheme.LIGHT)


def test_a_figure_is_one_sentence_for_a_screen_reader(qtbot: QtBot, theme: Theme) -> None:
    figure = FigureButton(WORDS, theme)
    qtbot.addWidget(figure)
    figure.show_cell(DELIVERY)
    assert figure.accessibleName() == "Delivery 58 min from start, assumed. Optimal · limit 90 min"
    figure.show_cell(MISSING)
    assert figure.accessibleName() == "Delivery not known. Missing: duration of Conversion"


def test_a_known_figure_asks_for_its_explanation_and_a_missing_one_for_its_place(
    qtbot: QtBot, theme: Theme
) -> None:
    figure = FigureButton(WORDS, theme)
    qtbot.addWidget(figure)
    explained, jumps = heard(figure.explain), heard(figure.jump)
    figure.show_cell(DELIVERY)
    QTest.mouseClick(figure, Qt.MouseButton.LeftButton)
    QTest.keyClick(figure, Qt.Key.Key_Return)
    assert (len(explained), jumps) == (2, [])
    figure.show_cell(MISSING)
    QTest.mouseClick(figure, Qt.MouseButton.LeftButton)
    assert (len(explained), jumps) == (2, [(MISSING.link_place,)])


@pytest.mark.parametrize("state", FigureState)
@pytest.mark.parametrize("width", [1180, 1366])
def test_the_strip_is_as_high_in_every_state_and_width(
    qtbot: QtBot, theme: Theme, state: FigureState, width: int
) -> None:
    strip = AnswerStrip(WORDS, theme)
    qtbot.addWidget(strip)
    strip.show_quote("Index of works", (("a", "A"), ("b", "B · 2 × 1")), "b", "A")
    cell = HeadlineCell(
        "Title", "T", "58", "min", "third", EvidenceKind.UNKNOWN, state, None, Tone.WARNING, True
    )
    strip.show_headline((cell,) * CELLS)
    strip.resize(width, strip.height())
    strip.show()
    assert not strip.grab().isNull()
    assert 80 <= strip.height() <= 96
    assert strip.minimumSizeHint().width() <= 1180


def test_the_strip_says_which_cell_and_which_organisation(qtbot: QtBot, theme: Theme) -> None:
    strip = AnswerStrip(WORDS, theme)
    qtbot.addWidget(strip)
    strip.show_quote("Index", (("a", "A"), ("b", "B")), "b", "A")
    strip.show_headline((DELIVERY,) * CELLS)
    explained, chosen = heard(strip.explain), heard(strip.organisation_chosen)
    assert strip.organisations.currentText() == "B"
    strip.cells[2].click()
    strip.organisations.activated.emit(0)
    assert explained == [(2, strip.cells[2])]
    assert chosen == [("a",)]


def test_typing_does_not_pass_through_the_strip_and_arrows_walk_it(qtbot: QtBot, theme: Theme) -> None:
    strip = AnswerStrip(WORDS, theme)
    qtbot.addWidget(strip)
    strip.show_headline((DELIVERY,) * CELLS)
    strip.show()
    for widget in (*strip.cells, strip.organisations):
        assert not widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert widget.accessibleName()
    strip.focus_first()
    qtbot.waitUntil(strip.cells[0].hasFocus)
    QTest.keyClick(strip.cells[0], Qt.Key.Key_Right)
    assert strip.cells[1].hasFocus()
    QTest.keyClick(strip.cells[1], Qt.Key.Key_Left)
    QTest.keyClick(strip.cells[0], Qt.Key.Key_Left)
    assert strip.organisations.hasFocus()


def test_steps_say_number_name_result_and_state_and_tell_a_choice(qtbot: QtBot, theme: Theme) -> None:
    steps = StepsList(WORDS, theme)
    qtbot.addWidget(steps)
    steps.show_steps(tuple(Step(f"Step {at}", "58 min", StepState.OPEN) for at in range(8)))
    spoken = steps.model().index(4, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "5 Step 4, 58 min, something stays open"
    chosen = heard(steps.chosen)
    steps.set_current(2)
    assert chosen == []
    QTest.keyClick(steps, Qt.Key.Key_Down)
    assert chosen == [(3,)]
    steps.set_rail(True)
    assert steps.width() == RAIL
    assert not steps.grab().isNull()


def test_problems_come_errors_first_and_each_leads_to_its_place(qtbot: QtBot, theme: Theme) -> None:
    panel = ProblemsPanel(WORDS, theme)
    qtbot.addWidget(panel)
    panel.show_problems(ROWS)
    assert [row.severity for row in panel.rows] == [Severity.ERROR, Severity.MISSING, Severity.WARNING]
    jumps = heard(panel.jump)
    for _ in range(4):
        panel.go_to_next()
    panel.go_to_next(-1)
    assert [place for (place,) in jumps] == [
        ("workload",), ("offers",), ("pricing",), ("workload",), ("pricing",),
    ]  # fmt: skip
    assert "1 error · 1 missing datum · 1 warning" in [label.text() for label in panel.findChildren(QLabel)]


@pytest.mark.qt_log_ignore("^This plugin does not support grabbing")  # offscreen has no keyboard
def test_an_explanation_is_copied_whole_and_gives_the_focus_back(qtbot: QtBot, theme: Theme) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    anchor = QPushButton("58 min", window)
    window.show()
    window.activateWindow()
    anchor.setFocus()
    qtbot.waitUntil(anchor.hasFocus)
    popup = Explanation(WORDS, theme, window)
    jumps = heard(popup.jump)
    content = ExplanationContent(
        "Delivery",
        "58 min",
        EvidenceKind.ASSUMED,
        "⌈tasks ÷ cards⌉ × minutes + assembly",
        "⌈8 ÷ 2⌉ × 12 + 10 = 58 min",
        (
            ExplanationRow("Tasks", "8", EvidenceKind.GIVEN, ("workload",), "Work"),
            ExplanationRow("Queue wait", "not included", remark="outside the figure"),
        ),
        ("The weakest evidence decides: an assumption.",),
    )
    popup.show_explanation(anchor, content)
    assert popup.isVisible()
    assert popup.width() <= MOST_WIDTH
    QTest.keyClick(popup, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines() == [
        "Delivery: 58 min (Assumed)",
        "⌈tasks ÷ cards⌉ × minutes + assembly",
        "⌈8 ÷ 2⌉ × 12 + 10 = 58 min",
        "Tasks\t8\tGiven\tWork",
        "Queue wait\tnot included\toutside the figure",
        "The weakest evidence decides: an assumption.",
    ]
    QTest.keyClick(popup, Qt.Key.Key_Escape)
    assert not popup.isVisible()
    qtbot.waitUntil(anchor.hasFocus)
    popup.show_explanation(anchor, content)
    link = next(one for one in popup.findChildren(QPushButton) if one.text() == "Work" and one.isVisible())
    assert link.accessibleName() == "Tasks, go to Work"
    link.click()
    assert jumps == [(("workload",),)]
    assert not popup.isVisible()


def test_every_evidence_has_a_chip_with_a_word_and_a_drawing(qtbot: QtBot, theme: Theme) -> None:
    sizes = set()
    for kind in EvidenceKind:
        chip = EvidenceChip(WORDS, theme, kind)
        qtbot.addWidget(chip)
        assert chip.accessibleName() == WORDS.evidence(kind)
        assert not chip.grab().isNull()
        sizes.add(chip.sizeHint().width())
    assert len(sizes) > 1


def test_every_icon_that_the_widgets_name_is_drawn_in_the_colour_asked(qtbot: QtBot, theme: Theme) -> None:
    for name in (*STEP_ICONS, *EVIDENCE_ICONS.values(), *SEVERITY_ICONS.values()):
        image = icon(name, theme.color("err")).pixmap(16, 16).toImage()
        opaque = [
            image.pixelColor(x, y)
            for x in range(image.width())
            for y in range(image.height())
            if image.pixelColor(x, y).alpha() >= 128
        ]
        assert opaque, name
        assert all(abs(color.red() - theme.color("err").red()) <= 3 for color in opaque), name


def test_the_notice_of_an_error_keeps_its_details_for_copying(qtbot: QtBot, theme: Theme) -> None:
    notice = ErrorNotice(WORDS, theme)
    qtbot.addWidget(notice)
    assert notice.isHidden()
    notice.show_report(ErrorReport("KeyError: 'lost'", "Traceback …"))
    assert notice.isVisible()
    copy = next(one for one in notice.findChildren(QPushButton) if one.text() == "Copy details")
    copy.click()
    assert QGuiApplication.clipboard().text() == "Traceback …"
