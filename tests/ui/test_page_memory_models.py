"""The Memory page knows models: chosen, dropped or asked for; its recipe, its lever and what it fits on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QCheckBox, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from estimator import edits
from estimator.catalogue.embedded import embedded_catalogue
from estimator.evidence import EvidenceKind
from estimator.memory import Lever
from estimator.plan.forms import ModelMemory
from estimator.plan.models import model_memory
from estimator.problems import FileRefused
from estimator.quote import (
    DenoiserTrainingRecipe,
    GenerationRecipe,
    ImageRecipe,
    ModelSource,
    ModelSplit,
    ModelUse,
    Quote,
    Recipe,
    TrainingRecipe,
)
from estimator.storage import read_quote
from estimator.units import GIB
from tests.ui.memory_pages import (
    SAMPLE,
    STAGE,
    new_page,
    new_session,
    opened,
    record,
    settled,
    type_into,
)
from ui.models.table import Group
from ui.pages import memory_model_edits
from ui.pages.memory import MemoryPage
from ui.pages.memory_model_edits import lever_changes, use_of
from ui.pages.memory_rows import MOST_MOMENTS
from ui.runner import Runner
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


@pytest.fixture
def session(qtbot: QtBot) -> Iterator[Session]:
    runner = Runner()
    yield new_session(runner)
    runner.close()


@pytest.fixture
def page(qtbot: QtBot, session: Session) -> MemoryPage:
    return new_page(qtbot, session)


def with_model(id_: str = "llama3.1-8b", **recipe: object) -> Quote:
    source = memory_model_edits.catalogue_source(record(id_))
    quote = memory_model_edits.with_source(read_quote(SAMPLE), STAGE, source)
    return memory_model_edits.with_recipe(quote, STAGE, {"batch": 2, "length": 2048, **recipe})


def on_cards(quote: Quote, cards: int, split: ModelSplit) -> Quote:
    for one in quote.organisations:
        quote = edits.with_layout(quote, one.id, STAGE, cards_per_task=cards, model_split=split)
        quote = edits.with_organisation(quote, one.id, mechanism="FSDP")
    return quote


def recipe_of(session: Session) -> TrainingRecipe:
    assert session.quote is not None
    use = use_of(session.quote, STAGE)
    assert use is not None
    assert isinstance(use.recipe, TrainingRecipe)
    return use.recipe


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


def test_a_typed_field_of_the_recipe_is_one_step_with_its_name(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model())
    form = page.inspector.model.training_form
    type_into(form.fields["length"], "4096")
    assert recipe_of(session).length == 4096
    assert session.undo_label == "change “Length, tokens” of the recipe"
    type_into(form.fields["adapter_rank"], "16")
    assert recipe_of(session).adapter_rank == 16
    type_into(form.fields["adapter_rank"], "")
    assert recipe_of(session).adapter_rank is None
    type_into(form.fields["batch"], "")
    assert recipe_of(session).batch == 2
    settled(qtbot, session)


def test_a_chosen_field_of_the_recipe_changes_it(qtbot: QtBot, session: Session, page: MemoryPage) -> None:
    opened(qtbot, session, with_model())
    form = page.inspector.model.training_form
    precision = form.fields["parameters"]
    precision.activated.emit(1)  # type: ignore[attr-defined]  # a combo box
    assert (recipe_of(session).parameters, recipe_of(session).autocast) == ("fp32", True)
    form.fields["optimizer"].activated.emit(1)  # type: ignore[attr-defined]  # a combo box
    assert (recipe_of(session).optimizer, recipe_of(session).foreach) == ("adamw_8bit", False)
    assert not form.fields["foreach"].isEnabled()
    form.fields["checkpointing"].click()  # type: ignore[attr-defined]  # a check box
    assert not recipe_of(session).checkpointing
    settled(qtbot, session)


def test_every_second_product_is_kept_by_a_tick_beside_the_other_choices(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, on_cards(with_model(), 8, ModelSplit.FULL_SHARD))
    form = page.inspector.model.training_form
    form.more.setChecked(True)
    tick = form.fields["keep_products"]
    assert isinstance(tick, QCheckBox)
    assert "torchtitan" in tick.toolTip()
    assert form.inputs.index(tick) + 1 == form.inputs.index(form.fields["keep_outputs"])
    assert not tick.isChecked()
    tick.click()
    assert recipe_of(session).keep_products
    settled(qtbot, session)
    form.fields["checkpointing"].click()  # type: ignore[attr-defined]  # a check box
    assert tick.isEnabled()  # so that it can be taken off again
    tick.click()
    assert not recipe_of(session).keep_products
    assert not tick.isEnabled()
    settled(qtbot, session)


def test_generation_keeps_what_both_recipes_state(qtbot: QtBot, session: Session, page: MemoryPage) -> None:
    opened(qtbot, session, with_model())
    page.inspector.model.generation.click()
    assert session.undo_label == "change the recipe to “Generation”"
    assert session.quote is not None
    use = use_of(session.quote, STAGE)
    assert use is not None
    assert use.recipe == GenerationRecipe(batch=2, prompt=2048)
    settled(qtbot, session)
    names = {part.name for bar in page.bars.content.bars for part in bar.segments}
    assert "KV cache" in names
    assert page.inspector.model.generation_form.isVisible()
    assert page.inspector.model.training_form.isHidden()
    assert page.lever.text.startswith("Lever with the largest effect: Weights in 4 bits")


def test_the_lever_says_what_it_saves_and_is_pulled_in_one_step(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model())
    # Without foreach and with 8-bit states the peak is 48,467,198,080 bytes: × 1.05 + 0.5 = 47.9 GiB.
    assert page.lever.text.startswith(
        "Lever with the largest effect: Optimiser state in 8 bits, −31.1 GiB. The peak moves to "
    )
    page.lever.button.click()
    assert session.undo_label == "try Optimiser state in 8 bits"
    settled(qtbot, session)
    worst = next(bar for bar in page.bars.content.bars if bar.is_worst)
    assert worst.peak_text == "47.9"
    former = {bar.name: bar.former_bytes for bar in page.bars.content.bars}
    assert former["Optimiser step"] is not None
    assert former["Optimiser step"] > 79 * GIB
    session.undo()
    settled(qtbot, session)
    assert recipe_of(session).optimizer == "adamw"


def test_the_fits_cover_the_cards_of_the_catalogue_with_their_limits(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model())
    heads = [column.header for column in page.verdicts.columns]
    assert heads == ["Card", "Usable, GiB", "Answer", "Cards, min.", "Batch, max.", "Length, max."]
    rows = [row for row in page.verdicts.rows if not isinstance(row, Group)]
    known = {card.id for card in (*embedded_catalogue().cards, *read_quote(SAMPLE).cards)}
    assert {row.card.id for row in rows} == known
    small = next(row for row in rows if row.card.id == "rtx-4090")
    at = page.verdicts.rows.index(small)
    texts = [str(page.verdicts.index(page.verdicts.shown_row(at), column).data()) for column in range(6)]
    assert texts == ["RTX 4090", "23.99", "Short 55.0 GiB", "—", "—", "—"]
    page.toggle_table()
    assert page.toggle.text() == "Which cards admit it"
    assert page.ledger.columns[0].header == "Moment"


def test_the_tables_of_a_model_keep_what_table_models_promise(
    qtbot: QtBot, session: Session, page: MemoryPage, qtmodeltester: ModelTester
) -> None:
    opened(qtbot, session, with_model())
    qtmodeltester.check(page.verdicts)
    qtmodeltester.check(page.ledger)


def test_a_split_is_offered_only_to_tasks_of_several_cards_and_only_legal_ones(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model())
    row = page.inspector.split
    assert not row.split.isEnabled()
    assert row.sentence.text().endswith("gives each task one card. Organisations says how many.")
    opened(qtbot, session, on_cards(with_model(), 3, ModelSplit.FULL_SHARD))
    assert row.split.isEnabled()
    assert row.sentence.text() == "3 cards a task. Any number of cards is legal."
    tensor = list(ModelSplit).index(ModelSplit.TENSOR)
    items = row.split.model()
    assert not items.flags(items.index(tensor, 0)) & Qt.ItemFlag.ItemIsEnabled  # 32 heads, 8 KV heads
    opened(qtbot, session, on_cards(with_model(), 8, ModelSplit.FULL_SHARD))
    assert items.flags(items.index(tensor, 0)) & Qt.ItemFlag.ItemIsEnabled
    # FSDP over 8: 14.97 GiB at the loss backward, × 1.05 + 0.5 = 16.2.
    worst = next(bar for bar in page.bars.content.bars if bar.is_worst)
    assert (worst.name, worst.peak_text) == ("Loss backward", "16.2")
    row.split.activated.emit(list(ModelSplit).index(ModelSplit.REPLICAS))
    assert session.undo_label == "change how the model is split"
    settled(qtbot, session)


def test_a_model_that_is_too_large_is_short_everywhere(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model("deepseek-v3"))
    rows = [row for row in page.verdicts.rows if not isinstance(row, Group)]
    assert all(row.verdict.spare_bytes is not None and row.verdict.spare_bytes < 0 for row in rows)
    line = page.bars.usable_x()
    assert line is not None
    assert all(page.bars.bar_box(at).right() > line for at in range(len(page.bars.content.bars)))


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


@given(
    batch=st.integers(1, 64),
    optimizer=st.sampled_from(["adamw", "momentum", "sgd"]),
    parameters=st.sampled_from(["fp32", "bf16"]),
    checkpointing=st.booleans(),
    loss=st.sampled_from(["upcast", "half", "chunked", "fused", "compiled"]),
)
def test_a_pulled_lever_gives_the_peak_that_the_engine_promised(
    batch: int, optimizer: str, parameters: str, checkpointing: bool, loss: str
) -> None:
    recipe = TrainingRecipe.model_validate(
        {
            "batch": batch,
            "optimizer": optimizer,
            "parameters": parameters,
            "checkpointing": checkpointing,
            "loss": loss,
        }
    )
    use = ModelUse(source=memory_model_edits.catalogue_source(record("llama3.2-1b")), recipe=recipe)
    found = model_memory(use, ModelSplit.NONE, 1)
    assert isinstance(found, ModelMemory)
    for effect in found.levers:
        pulled = use.replaced(recipe=recipe.replaced(**lever_changes(recipe, effect.lever)))
        after = model_memory(pulled, ModelSplit.NONE, 1)
        assert isinstance(after, ModelMemory)
        assert after.ledger.peak_bytes == effect.peak_bytes


def test_every_lever_changes_a_recipe_or_the_cards_of_a_task() -> None:
    recipes: tuple[Recipe, ...] = (
        TrainingRecipe(batch=4, checkpointing=False, attention="eager", parameters="fp32"),
        GenerationRecipe(prompt=8192, attention="eager", parameters="fp32", all_scores=True),
        ImageRecipe(parameters="fp32", batch=2),
        DenoiserTrainingRecipe(checkpointing=False, precision="mixed", others="on_card"),
    )
    pulled = {
        lever
        for recipe in recipes
        for lever in Lever
        if recipe.replaced(**lever_changes(recipe, lever)) != recipe
    }
    assert pulled == set(Lever) - {Lever.MORE_CARDS}
    quote = on_cards(with_model(), 3, ModelSplit.FULL_SHARD)
    shown = quote.organisations[0].id
    organisation = memory_model_edits.with_lever(quote, STAGE, Lever.MORE_CARDS, shown).organisation(shown)
    assert organisation is not None
    assert organisation.layout(STAGE).cards_per_task == 4


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
