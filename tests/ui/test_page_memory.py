"""The Memory page shows one card a bar, edits phase by phase, and says which cards admit a task."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from estimator.catalogue.embedded import embedded_catalogue
from estimator.edits import new_quote, with_memory
from estimator.evidence import Evidence, EvidenceKind, Stated
from estimator.quote import MemoryPhase, Partition, Quote, StateClass, StateTerm
from estimator.storage import read_quote
from estimator.units import GIB
from estimator.wording import Language, NumberFormat, Wording
from ui.models.table import Group
from ui.pages import memory_edits
from ui.pages.memory import MemoryPage
from ui.pages.memory_terms import TermRow
from ui.pages.page import Context
from ui.runner import Runner
from ui.session import Session
from ui.theme import Theme
from ui.widgets.bars import Bar, BarsContent, MemoryBars, Segment

WORDS = Wording(Language.ENGLISH, NumberFormat.EN_US)
SAMPLES = Path(str(files("resources").joinpath("samples")))
SAMPLE = SAMPLES / "indice-de-las-obras.cabida"
COOPERATIVE = SAMPLES / "afinado-cooperativo.cabida"


@pytest.fixture
def session(qtbot: QtBot) -> Iterator[Session]:
    runner = Runner()
    yield Session(runner, lambda: dt.date(2026, 11, 30))
    runner.close()


@pytest.fixture
def page(qtbot: QtBot, session: Session) -> MemoryPage:
    page = MemoryPage(Context(session, WORDS, Theme(), embedded_catalogue))
    qtbot.addWidget(page)

    def show() -> None:
        if session.quote is not None:
            page.show_state(session.quote, session.estimate, session.is_stale)

    session.changed.connect(show)
    session.estimated.connect(show)
    page.resize(1166, 620)
    page.show()
    return page


def opened(qtbot: QtBot, session: Session, quote: Quote | None = None) -> None:
    session.show(read_quote(SAMPLE) if quote is None else quote)
    settled(qtbot, session)


def settled(qtbot: QtBot, session: Session) -> None:
    def complete() -> bool:
        return session.estimate is not None and session.estimate.is_complete and not session.is_stale

    qtbot.waitUntil(complete, timeout=10_000)


def type_value(page: MemoryPage, row: int, text: str) -> None:
    """Type a value over the one in a row of the terms."""
    terms = page.inspector.terms
    terms.table.setFocus()
    terms.table.setCurrentIndex(terms.model.index(row, 1))
    QTest.keyClick(terms.table, Qt.Key.Key_F2)
    editor = terms.table.findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    QTest.keyClicks(editor, text)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QApplication.processEvents()  # a table takes a value over when the event loop comes round


def row_of(page: MemoryPage, name: str, phase: int = 1) -> int:
    """Return where a term of a phase, or (phase -1) an added line, stands in the table."""
    for at, row in enumerate(page.inspector.terms.model.rows):
        if isinstance(row, TermRow) and row.name == name and row.phase == phase:
            return at
    raise AssertionError(name)


def test_equal_cards_are_one_block_and_the_worst_phase_stands_out(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session)
    content = page.bars.content
    assert content.title == "Cards 1 to 2, equal"
    assert content.subtitle == "RTX 4090"
    assert content.usable_text == "23.99 GiB usable"
    # Load 5.2 × 1.05 + 0.5 = 5.96; conversion 18 × 1.05 + 0.5 = 19.4; output 11 × 1.05 + 0.5 = 12.05.
    assert [(bar.name, bar.peak_text) for bar in content.bars] == [
        ("Carga", "6.0"),
        ("Conversión", "19.4"),
        ("Salida", "12.1"),
    ]
    assert [bar.is_worst for bar in content.bars] == [False, True, False]
    assert [part.name for part in content.bars[1].segments] == [
        "Model",
        "Data",
        "Temporaries",
        "Context",
        "Margin",
    ]


def test_a_bar_ends_at_the_peak_of_one_card_and_never_at_a_sum(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session)
    worst = page.bars.content.bars[1]
    assert worst.size_bytes == 20_830_591_386
    usable = page.bars.usable_x()
    assert usable is not None
    assert page.bars.bar_box(1).right() < usable


def test_the_table_holds_the_same_numbers(qtbot: QtBot, session: Session, page: MemoryPage) -> None:
    opened(qtbot, session)
    heads = [column.header for column in page.ledger.columns]
    assert heads == [
        "Phase",
        "Model",
        "Data",
        "Temporaries",
        "Context",
        "Margin",
        "Peak",
        "Spare",
        "Evidence",
    ]
    cells = [str(page.ledger.index(1, column).data()) for column in range(8)]
    assert cells == ["Conversión", "9.0", "4.0", "5.0", "0.5", "0.9", "19.4", "4.6"]
    assert str(page.ledger.index(0, 1).data()) == "—"
    assert page.ledger.columns[8].evidence is not None
    assert page.ledger.columns[8].evidence(page.ledger.rows[1]) is EvidenceKind.ASSUMED  # type: ignore[arg-type]  # no group


def test_the_models_keep_what_table_models_promise(
    qtbot: QtBot, session: Session, page: MemoryPage, qtmodeltester: ModelTester
) -> None:
    opened(qtbot, session)
    page.toggle_table()
    for model in (page.ledger, page.verdicts, page.inspector.terms.model):
        qtmodeltester.check(model)


def test_a_typed_size_changes_one_term_in_one_step_and_leaves_its_former_outline(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session)
    type_value(page, row_of(page, "Temporaries"), "7,5")
    assert session.undo_label == "change the memory of Temporaries"
    settled(qtbot, session)
    # (9 + 4 + 7.5) × 1.05 + 0.5 = 22.025
    worst = page.bars.content.bars[1]
    assert worst.peak_text == "22.0"
    assert worst.former_bytes == 20_830_591_386
    session.undo()
    settled(qtbot, session)
    assert page.bars.content.bars[1].peak_text == "19.4"


def test_a_size_that_cannot_be_read_changes_nothing_and_says_why(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session)
    before = session.quote
    type_value(page, row_of(page, "Model"), "-3")
    assert session.quote is before
    assert page.inspector.terms._sentence.text() == "The number cannot be negative."


def test_the_margin_and_the_context_are_visible_lines(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session)
    type_value(page, row_of(page, "Margin", -1), "10")
    settled(qtbot, session)
    assert page.bars.content.bars[1].peak_text == "20.3"  # 18 × 1.10 + 0.5
    type_value(page, row_of(page, "Workspace", -1), "1")
    settled(qtbot, session)
    assert page.bars.content.bars[1].peak_text == "21.3"
    terms = page.inspector.terms
    terms.table.setCurrentIndex(terms.model.index(row_of(page, "Workspace", -1), 1))
    QTest.keyClick(terms.table, Qt.Key.Key_Delete)
    assert session.quote is not None
    assert session.quote.workload.stages[0].memory.workspace_gib is None


def test_an_unknown_size_leaves_the_peak_absent_with_its_reason(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session)
    terms = page.inspector.terms
    terms.table.setCurrentIndex(terms.model.index(row_of(page, "Model"), 1))
    QTest.keyClick(terms.table, Qt.Key.Key_Delete)
    settled(qtbot, session)
    assert page.bars.isHidden()
    assert page.reason.text() == "The memory of a task of Conversión is missing."
    assert page.verdict_box.lines[2:3] != ("Fits",)


def test_the_evidence_of_a_term_is_edited_in_its_details(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session)
    terms = page.inspector.terms
    terms.table.setCurrentIndex(terms.model.index(row_of(page, "Temporaries"), 1))
    terms.details.click()
    assert terms.panel.isVisible()
    assert terms.phase_name.text() == "Conversión"
    terms.evidence.committed.emit(Evidence(kind=EvidenceKind.MEASURED, source="log"))
    assert session.quote is not None
    term = session.quote.workload.stages[0].memory.phases[1].terms[2]
    assert (term.gib.value, term.gib.evidence.kind) == (Decimal(5), EvidenceKind.MEASURED)


def test_phases_and_terms_are_added_and_removed(qtbot: QtBot, session: Session, page: MemoryPage) -> None:
    opened(qtbot, session)
    terms = page.inspector.terms
    terms.table.setCurrentIndex(terms.model.index(row_of(page, "Data", 0), 1))
    terms.add_term.click()
    assert session.quote is not None
    phase = session.quote.workload.stages[0].memory.phases[0]
    assert [term.state_class for term in phase.terms] == [StateClass.DATA, StateClass.MODEL]
    terms.remove.click()
    terms.add_phase.click()
    assert [one.title for one in terms.model.rows if isinstance(one, Group)] == [
        "Carga",
        "Conversión",
        "Salida",
        "Phase 4",
        "Added to every phase",
    ]
    terms.remove.click()
    assert (
        session.quote.workload.stages[0].memory.phases == read_quote(SAMPLE).workload.stages[0].memory.phases
    )


def test_a_new_quote_asks_for_its_first_phase(qtbot: QtBot, session: Session, page: MemoryPage) -> None:
    opened(qtbot, session, new_quote(unit="page", count=8, stage_name="Conversion"))
    assert page.first_phase.isVisible()
    assert page.reason.text().startswith("The memory of a task of Conversion is missing.")
    page.first_phase.click()
    assert session.quote is not None
    phases = session.quote.workload.stages[0].memory.phases
    assert [(one.name, one.terms[0].state_class) for one in phases] == [("Conversion", StateClass.WHOLE)]


def test_partitions_are_chosen_only_where_a_task_has_several_cards(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session)
    model = page.inspector.partitions.choice(StateClass.MODEL)
    assert not model.isEnabled()
    assert (
        page.inspector.partitions.sentence.text()
        == "Two copies do not divide the model: each card holds its 9.0 GiB."
    )
    opened(qtbot, session, read_quote(COOPERATIVE))
    assert model.isEnabled()
    assert session.quote is not None
    assert session.estimate is not None
    shown = session.estimate.shown_organisation_id
    wanted = Partition.REPLICATED if model.currentIndex() == 1 else Partition.PARTITIONED
    model.setCurrentIndex(list(Partition).index(wanted))
    model.activated.emit(model.currentIndex())
    organisation = session.quote.organisation(shown)
    assert organisation is not None
    assert organisation.layout("afinado").partition_of(StateClass.MODEL) is wanted


def test_the_cards_of_the_quote_and_of_the_catalogue_say_whether_they_admit_it(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session)
    assert page.verdict_box.lines == (
        "RTX 4090",
        "Fits if the task needs ≤ 22.3 GiB",
        "B200 SXM, 180 GB",
        "Fits, 159.7 GiB spare",
    )
    page.verdict_box.link.click()
    groups = [row.title for row in page.verdicts.rows if isinstance(row, Group)]
    assert groups == ["Cards of this quote", "Cards of the catalogue", "Slices of this quote's cards"]
    known = {card.id for card in embedded_catalogue().cards} | {"b200-sxm", "rtx-4090"}
    # Each card under two titles, and the third with the four profiles of the B200.
    assert len(page.verdicts.rows) == len(known) + 2 + 5
    answers = {
        str(page.verdicts.index(row, 0).data()): str(page.verdicts.index(row, 3).data())
        for row in range(page.verdicts.rowCount())
    }
    assert any(text.startswith("Short") for text in answers.values())


def test_a_place_leads_to_its_value(qtbot: QtBot, session: Session, page: MemoryPage) -> None:
    opened(qtbot, session)
    terms = page.inspector.terms
    assert page.go_to(("workload", "stages", "conversion", "memory", "margin"))
    assert terms.current is not None
    assert terms.current.field == "margin_percent"
    assert page.go_to(("workload", "stages", "conversion", "memory"))
    assert (terms.current.phase, terms.current.term) == (0, 0)
    assert not page.go_to(("workload", "stages", "conversion", "duration"))
    assert not page.go_to(("workload", "stages", "ensamblaje", "memory"))
    assert not page.go_to(("offers",))


def test_every_stop_has_a_name_and_tab_follows_the_reading_order(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session)
    page.inspector.terms.details.click()
    chain = stops_of(page)
    assert all(spoken(stop) for stop in chain), [stop for stop in chain if not spoken(stop)]
    first = chain.index(page.ledger_table)
    chain = chain[first:] + chain[:first]
    left = [stop for stop in chain if not page.inspector.isAncestorOf(stop)]
    assert left == [page.ledger_table, page.verdict_box.link, page.previous_button, page.next_button]
    inspector = [stop for stop in chain if page.inspector.isAncestorOf(stop)]
    assert chain[2 : 2 + len(inspector)] == inspector
    places = [stop.mapTo(page.inspector, QPoint(0, 0)) for stop in inspector]
    rows = [(round(place.y() / 16), place.x()) for place in places]
    assert rows == sorted(rows)


@given(st.lists(st.integers(1, 400 * GIB), min_size=1, max_size=6), st.integers(1, 300 * GIB))
def test_the_parts_of_a_bar_join_without_gap_and_end_at_its_peak(
    qapp: object, sizes: list[int], usable: int
) -> None:
    bars = MemoryBars(WORDS, Theme(), "bars")
    bars.resize(800, 200)
    parts = tuple(Segment(str(at), size, 1 + at % 7) for at, size in enumerate(sizes))
    bars.show_bars(BarsContent("Card 1", "", (Bar("phase", parts, "1"),), usable, "usable"))
    boxes = bars.segment_boxes(0)
    for before, after in pairwise(boxes):
        assert before.right() == pytest.approx(after.left())
    assert boxes[-1].right() == pytest.approx(bars.bar_box(0).right())
    line = bars.usable_x()
    assert line is not None
    assert (bars.bar_box(0).right() > line) == (sum(sizes) > usable) or sum(sizes) == usable
    assert max(line, bars.bar_box(0).right()) <= bars.width()
    bars.deleteLater()


@given(st.integers(1, 4), st.integers(0, 3))
def test_a_phase_goes_with_its_last_term(count: int, removed: int) -> None:
    terms = tuple(
        StateTerm(state_class=state, gib=Stated(value=Decimal(1))) for state in list(StateClass)[:count]
    )
    phases = (MemoryPhase(name="one", terms=terms), MemoryPhase(name="two", terms=terms))
    quote = with_memory(read_quote(SAMPLE), "conversion", phases=phases)
    if removed < count:
        left = memory_edits.phases_of(
            memory_edits.without_term(quote, "conversion", 0, removed), "conversion"
        )
        assert len(left) == (1 if count == 1 else 2)
        assert sum(len(phase.terms) for phase in left) == 2 * count - 1


def stops_of(page: QWidget) -> list[QWidget]:
    """Return what Tab reaches inside the page."""
    chain: list[QWidget] = []
    stop = page.nextInFocusChain()
    while stop is not page:
        is_stop = bool(stop.focusPolicy() & Qt.FocusPolicy.TabFocus) and stop.focusProxy() is None
        if is_stop and stop.isVisibleTo(page) and stop.isEnabled() and page.isAncestorOf(stop):
            chain.append(stop)
        stop = stop.nextInFocusChain()
    return chain


def spoken(widget: QWidget) -> str:
    text = getattr(widget, "text", None)
    return widget.accessibleName() or (str(text()) if callable(text) else "")
