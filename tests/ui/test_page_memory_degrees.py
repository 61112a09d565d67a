"""The Memory page divides a model by several degrees at once, and says what is asked of the node's memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from estimator import edits
from estimator.quote import ModelSplit, Quote, SplitDegrees
from estimator.storage import read_quote
from tests.ui.memory_pages import (
    SAMPLE,
    STAGE,
    WORDS,
    new_page,
    new_session,
    opened,
    record,
    settled,
    type_into,
)
from ui.pages import memory_model_edits
from ui.pages.conditions_rows import ConditionRow, condition_rows
from ui.pages.memory import MemoryPage
from ui.runner import Runner
from ui.session import Session


@pytest.fixture
def session(qtbot: QtBot) -> Iterator[Session]:
    runner = Runner()
    yield new_session(runner)
    runner.close()


@pytest.fixture
def page(qtbot: QtBot, session: Session) -> MemoryPage:
    return new_page(qtbot, session)


def combined(model: str, cards: int, degrees: SplitDegrees, **recipe: object) -> Quote:
    source = memory_model_edits.catalogue_source(record(model))
    quote = memory_model_edits.with_source(read_quote(SAMPLE), STAGE, source)
    quote = memory_model_edits.with_recipe(quote, STAGE, recipe)
    for one in quote.organisations:
        quote = edits.with_layout(
            quote, one.id, STAGE, cards_per_task=cards, model_split=ModelSplit.COMBINED, degrees=degrees
        )
        quote = edits.with_organisation(quote, one.id, mechanism="Megatron")
    return quote


def degrees_of(session: Session) -> SplitDegrees:
    assert session.quote is not None
    reference = session.quote.reference
    assert reference is not None
    return reference.layout(STAGE).degrees


def test_degrees_are_shown_for_a_combined_split_alone(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    quote = combined("llama3.1-8b", 8, SplitDegrees())
    opened(qtbot, session, quote)
    row = page.inspector.split
    assert row.degrees.isVisible()
    row.split.activated.emit(list(ModelSplit).index(ModelSplit.FULL_SHARD))
    settled(qtbot, session)
    assert row.degrees.isHidden()
    session.undo()
    settled(qtbot, session)
    assert row.degrees.isVisible()


def test_a_typed_degree_is_one_step_and_the_data_degree_follows(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, combined("llama3.1-8b", 8, SplitDegrees(), length=2048))
    row = page.inspector.split
    assert row.sentence.text().startswith("8 cards a task: tensor 1 × pipeline 1 × context 1 × data 8.")
    type_into(row.degrees.fields["tensor"], "4")
    settled(qtbot, session)
    assert degrees_of(session) == SplitDegrees(tensor=4)
    assert session.undo_label == "change “Tensor” of the split"
    assert row.sentence.text() == (
        "8 cards a task: tensor 4 × pipeline 1 × context 1 × data 2. "
        "The least number of cards is sought with more data ranks."
    )
    assert "Held against published readings" in page.chart.basis
    row.degrees.fields["data_state"].activated.emit(0)  # type: ignore[attr-defined]  # a combo box
    settled(qtbot, session)
    assert degrees_of(session).data_state == "replicas"
    assert row.sentence.text().endswith("The least number of cards is sought with more tensor ranks.")
    type_into(row.degrees.fields["tensor"], "3")
    settled(qtbot, session)
    assert row.sentence.text().startswith("Tensor × pipeline × context do not divide 8 cards.")
    assert page.chart.reason.text().startswith("Tensor × pipeline × context do not divide 8 cards.")


def test_a_blank_degree_goes_back_to_what_it_was(qtbot: QtBot, session: Session, page: MemoryPage) -> None:
    opened(qtbot, session, combined("llama3.1-8b", 8, SplitDegrees(tensor=2)))
    line = page.inspector.split.degrees.fields["tensor"]
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(line, Qt.Key.Key_Delete)
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert degrees_of(session).tensor == 2
    assert line.text() == "2"  # type: ignore[attr-defined]  # a typed line


def test_only_degrees_that_mean_something_can_be_changed(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, combined("llama3.1-8b", 8, SplitDegrees(tensor=2)))
    fields = page.inspector.split.degrees.fields
    enabled = {name for name, widget in fields.items() if widget.isEnabled()}
    assert enabled == {"tensor", "pipeline", "context", "data_state", "sequence"}
    opened(qtbot, session, combined("mixtral-8x7b", 8, SplitDegrees(expert=2, pipeline=2, context=2)))
    enabled = {name for name, widget in fields.items() if widget.isEnabled()}
    assert enabled == set(fields) - {"sequence", "experts_over"}
    generating = memory_model_edits.with_recipe_kind(
        combined("llama3.1-8b", 8, SplitDegrees(context=2)), STAGE, trains=False
    )
    opened(qtbot, session, generating)
    # what is stated can be taken back, though generation has no such form
    assert fields["context"].isEnabled()
    assert not fields["data_state"].isEnabled()


def test_every_degree_has_a_name_and_a_place_in_the_round(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, combined("mixtral-8x7b", 8, SplitDegrees(expert=2)))
    form = page.inspector.split.degrees
    form.more.setChecked(True)
    assert all(one.accessibleName() or one.property("text") for one in form.inputs)
    places = list(page.inspector.inputs)
    assert [places.index(one) for one in form.inputs] == list(
        range(places.index(form.inputs[0]), places.index(form.inputs[0]) + len(form.inputs))
    )


def test_what_is_kept_in_the_node_is_said_under_the_bars_and_is_in_none(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    degrees = SplitDegrees(tensor=2, data_state="optimizer_shards")
    opened(qtbot, session, combined("llama3.2-1b", 4, degrees, offload_optimizer=True))
    # half of 1.24 thousand million elements and the norms twice, shared by two: 309 million with two moments and a
    # gradient of 2 bytes each
    assert page.chart.basis == (
        "A formula alone. In the node's memory, for each card: gradients 0.6 GiB, optimiser state 1.2 GiB. "
        "A task asks for 6.9 GiB of it."
    )
    names = {part.name for bar in page.bars.content.bars for part in bar.segments}
    assert "Optimiser state" not in names
    assert session.estimate is not None
    rows = [row for row in condition_rows(WORDS, session.estimate) if isinstance(row, ConditionRow)]
    asked = next(row for row in rows if row.condition.code == "host_memory")
    assert (asked.value, asked.verify) == ("6.9 GiB", "Ask what memory the node has free")
