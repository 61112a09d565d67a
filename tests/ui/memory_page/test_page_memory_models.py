"""The Memory page knows models: chosen, dropped or asked for, and shown moment by moment."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from estimator import edits
from estimator.catalogue.embedded import embedded_catalogue
from estimator.evidence import EvidenceKind
from estimator.problems import FileRefused
from estimator.quote import (
    CardSlicing,
    ModelSource,
    ModelSplit,
)
from estimator.storage import read_quote
from estimator.units import GIB
from tests.ui.memory_pages import (
    SAMPLE,
    STAGE,
    on_cards,
    opened,
    settled,
    type_into,
    with_model,
)
from ui.pages import memory_model_edits
from ui.pages.memory import MemoryPage
from ui.pages.memory_model_edits import use_of
from ui.pages.memory_rows import MOST_MOMENTS
from ui.session import Session

LLAMA_CONFIG = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "tie_word_embeddings": False,
}


def test_llama_with_adamw_foreach_shows_its_moments_and_the_worst_of_them(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model())
    # The closed form gives 74.79 GiB (reference point 80,302,679,040 bytes); × 1.05 + 0.5 = 79.03.
    worst = next(bar for bar in page.bars.content.bars if bar.is_worst)
    assert worst.name == "Optimiser step"
    assert worst.peak_text == "79.0"
    parts = {part.name: part.size_bytes for part in worst.segments}
    held = sum(size for name, size in parts.items() if name not in ("Context", "Margin"))
    assert round(held / GIB, 2) == 74.79
    assert [part.name for part in worst.segments][-2:] == ["Context", "Margin"]
    assert page.chart.basis == "Held against reference points"


def test_many_moments_fold_into_the_largest_and_open_again(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model())
    assert len(page.bars.content.bars) == MOST_MOMENTS
    assert page.chart.all_moments.text() == "All moments: 2 more"
    page.chart.all_moments.click()
    assert len(page.bars.content.bars) == 10
    assert len(page.ledger.rows) == 10


def test_a_model_is_chosen_by_a_part_of_its_name_in_one_step(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, read_quote(SAMPLE))
    panel = page.inspector.model
    panel.model.click()
    assert panel.models.isVisible()
    assert session.undo_label is None
    completer = panel.models.completer()
    assert completer is not None
    completer.setCompletionPrefix("3.1 8b")
    assert completer.currentCompletion() == "Llama 3.1 8B"
    type_into(panel.models, "llama 3.1 8b")
    assert session.undo_label == "choose the model Llama 3.1 8B"
    settled(qtbot, session)
    assert page.bars.content.bars
    session.undo()
    settled(qtbot, session)
    assert [bar.name for bar in page.bars.content.bars] == ["Carga", "Conversión", "Salida"]
    assert panel.program.isChecked()


def test_the_bars_of_a_slice_are_said_to_be_of_a_slice(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    quote = with_model("llama3.2-1b")
    for slicing, title in ((None, "One card, moment by moment"), (2, "One slice, moment by moment")):
        cut = None if slicing is None else CardSlicing(per_card=slicing)
        organisations = tuple(one.replaced(slicing=cut) for one in quote.organisations)
        opened(qtbot, session, quote.replaced(organisations=organisations))
        assert title in {label.text() for label in page.chart.findChildren(QLabel)}


def test_every_model_of_the_catalogue_can_be_chosen(qtbot: QtBot, session: Session, page: MemoryPage) -> None:
    opened(qtbot, session, read_quote(SAMPLE))
    page.inspector.model.model.click()
    assert page.inspector.model.models.count() == len(embedded_catalogue().models) == 73


def test_a_text_that_is_no_model_leaves_the_one_in_use(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model())
    before = session.quote
    type_into(page.inspector.model.models, "nothing like it")
    page.inspector.model.config.setFocus()
    assert session.quote is before
    assert page.inspector.model.models.currentText() == "Llama 3.1 8B"


def test_a_dropped_configuration_becomes_the_model(
    qtbot: QtBot, session: Session, page: MemoryPage, tmp_path: Path
) -> None:
    opened(qtbot, session, read_quote(SAMPLE))
    path = tmp_path / "llama" / "config.json"
    path.parent.mkdir()
    path.write_text(json.dumps(LLAMA_CONFIG), encoding="utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    drop = QDropEvent(
        QPointF(20, 20),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    page.dropEvent(drop)
    assert session.quote is not None
    use = use_of(session.quote, STAGE)
    assert use is not None
    assert (use.source.name, use.source.kind) == ("llama", "config")
    assert page.inspector.model.problems == ()
    settled(qtbot, session)
    assert page.bars.content.bars


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{", "The configuration is not JSON. Choose the model's config.json."),
        (b"[1]", "The configuration holds no model. Choose the model's config.json."),
        (b"\xff\xfe\x00", "The configuration is not JSON. Choose the model's config.json."),
        (b'"' + b"x" * 1_000_001, "The configuration is over 1,000,000 bytes. It was not read."),
    ],
)
def test_a_file_that_is_no_configuration_is_refused_in_place(
    qtbot: QtBot, session: Session, page: MemoryPage, tmp_path: Path, content: bytes, sentence: str
) -> None:
    opened(qtbot, session, read_quote(SAMPLE))
    before = session.quote
    path = tmp_path / "config.json"
    path.write_bytes(content)
    assert not page.read_config(path)
    assert session.quote is before
    assert page.inspector.model.refusal == sentence


def test_a_file_that_is_gone_is_refused_in_place(
    qtbot: QtBot, session: Session, page: MemoryPage, tmp_path: Path
) -> None:
    opened(qtbot, session, read_quote(SAMPLE))
    assert not page.read_config(tmp_path / "config.json")
    assert "config.json" in page.inspector.model.refusal


def test_what_a_configuration_lacks_is_asked_for_by_its_name_and_never_guessed(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    lacking = {key: value for key, value in LLAMA_CONFIG.items() if key not in ("vocab_size", "hidden_size")}
    source = ModelSource(name="mine", text=json.dumps(lacking))
    opened(qtbot, session, memory_model_edits.with_source(read_quote(SAMPLE), STAGE, source))
    panel = page.inspector.model
    assert page.bars.isHidden()
    assert page.reason.text() == "The model mine is incomplete. Complete its configuration."
    assert sorted(one.accessibleName() for one in panel.missing) == ["hidden_size", "vocab_size"]
    first = panel.missing[0]
    second = panel.missing[1]
    value = {"hidden_size": "4096", "vocab_size": "128256"}
    type_into(first, value[first.accessibleName()])
    assert session.undo_label == f"state {first.accessibleName()} of the model"
    assert panel.missing == (second,)
    type_into(second, value[second.accessibleName()])
    assert panel.missing == ()
    settled(qtbot, session)
    worst = next(bar for bar in page.bars.content.bars if bar.is_worst)
    assert worst.name == "Optimiser step"


def test_a_moment_is_explained_with_the_formula_of_each_part(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model())
    with qtbot.waitSignal(page.explained) as explained:
        page.chart.explain.click()
    content = explained.args[1]
    assert content.title == "Optimiser step"
    assert content.kind is not EvidenceKind.UNKNOWN
    assert content.formula_numbers.endswith("= 79.03 GiB")
    assert "Optimiser: trained parameters × the bytes that it keeps for each." in content.notes


def test_an_empty_page_offers_three_ways_in(qtbot: QtBot, session: Session, page: MemoryPage) -> None:
    opened(qtbot, session, edits.new_quote(unit="page", count=8, stage_name="Conversion"))
    assert [one.text() for one in page.chart.ways_in] == [
        "Choose a model",
        "Read a config.json…",
        "Add phase",
    ]
    assert all(one.isVisible() for one in page.chart.ways_in)
    with qtbot.waitSignal(page.config_asked):
        page.chart.read_config.click()
    page.chart.choose_model.click()
    assert page.inspector.model.models.isVisible()
    assert page.inspector.model.model.isChecked()


def test_a_format_that_is_not_known_asks_for_nothing_that_would_not_help(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    source = ModelSource(name="mine", text=json.dumps({"model_type": "mamba2", "hidden_size": 4096}))
    opened(qtbot, session, memory_model_edits.with_source(read_quote(SAMPLE), STAGE, source))
    panel = page.inspector.model
    assert panel.missing == ()
    (said,) = panel.problems
    assert "mamba2" in said


def test_a_place_leads_to_a_field_of_the_model(qtbot: QtBot, session: Session, page: MemoryPage) -> None:
    opened(qtbot, session, with_model())
    where = ("workload", "stages", STAGE, "memory")
    assert page.go_to((*where, "model", "recipe", "loss"))
    assert page.inspector.model.training_form.more.isChecked()
    assert page.go_to((*where, "margin"))
    current = page.inspector.terms.current
    assert current is not None
    assert current.field == "margin_percent"


def test_with_a_model_every_stop_has_a_name_and_tab_follows_the_reading_order(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, on_cards(with_model(adapter_rank=8), 2, ModelSplit.FULL_SHARD))
    page.inspector.model.training_form.more.click()
    qtbot.wait(1)  # for the layout
    chain: list[QWidget] = []
    stop = page.nextInFocusChain()
    while stop is not page:
        is_stop = bool(stop.focusPolicy() & Qt.FocusPolicy.TabFocus) and stop.focusProxy() is None
        if is_stop and stop.isVisibleTo(page) and stop.isEnabled() and page.isAncestorOf(stop):
            chain.append(stop)
        stop = stop.nextInFocusChain()
    assert all(stop.accessibleName() or getattr(stop, "text", str)() for stop in chain)
    inspector = [stop for stop in chain if page.inspector.isAncestorOf(stop)]
    tops = [
        (
            round(stop.mapTo(page.inspector, QPoint(0, 0)).y() / 16),
            stop.mapTo(page.inspector, QPoint(0, 0)).x(),
        )
        for stop in inspector
    ]
    assert tops == sorted(tops)


def test_a_field_is_added_where_the_configuration_lacks_it() -> None:
    source = ModelSource(name="mine", text='{"text_config": {"hidden_size": 8}}')
    quote = memory_model_edits.with_source(read_quote(SAMPLE), STAGE, source)
    changed = memory_model_edits.with_config_field(quote, STAGE, ("text_config", "vocab_size"), 100)
    use = use_of(changed, STAGE)
    assert use is not None
    assert json.loads(use.source.text) == {"text_config": {"hidden_size": 8, "vocab_size": 100}}


def test_a_configuration_is_named_by_itself_its_folder_or_its_file(tmp_path: Path) -> None:
    for name, said, wanted in (
        ("config.json", "org/model", "org/model"),
        ("config.json", None, tmp_path.name),
        ("mine.json", None, "mine"),
    ):
        path = tmp_path / name
        named = {} if said is None else {"_name_or_path": said}
        path.write_text(json.dumps({**LLAMA_CONFIG, **named}), encoding="utf-8-sig")
        assert memory_model_edits.read_source(path).name == wanted
    with pytest.raises(FileRefused):
        memory_model_edits.read_source(tmp_path)


def test_stating_phases_again_keeps_those_that_were_stated(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model())
    page.inspector.model.program.click()
    assert session.quote is not None
    memory = session.quote.workload.stages[0].memory
    assert memory.model is None
    assert memory.phases[1].terms[0].gib.value == Decimal(9)
    settled(qtbot, session)
    assert [bar.name for bar in page.bars.content.bars] == ["Carga", "Conversión", "Salida"]
