"""The recipe of a model on the Memory page: its fields, its lever, how it is split and what it fits on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from estimator.catalogue.embedded import embedded_catalogue
from estimator.memory import Lever
from estimator.plan.forms import ModelMemory
from estimator.plan.models import model_memory
from estimator.quote import (
    DenoiserTrainingRecipe,
    GenerationRecipe,
    ImageRecipe,
    ModelSplit,
    ModelUse,
    Recipe,
    TrainingRecipe,
)
from estimator.storage import read_quote
from estimator.units import GIB
from tests.ui.memory_pages import (
    SAMPLE,
    STAGE,
    on_cards,
    opened,
    recipe_of,
    record,
    settled,
    type_into,
    with_model,
)
from ui.models.table import Group
from ui.pages import memory_model_edits
from ui.pages.memory import MemoryPage
from ui.pages.memory_model_edits import lever_changes, use_of
from ui.session import Session


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


def test_a_paged_cache_is_stated_by_the_tokens_of_a_block(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model())
    page.inspector.model.generation.click()
    form = page.inspector.model.generation_form
    type_into(form.fields["new_tokens"], "500")
    type_into(form.fields["cache_block"], "16")
    assert session.undo_label == "change “Paged cache, tokens a block” of the recipe"
    assert session.quote is not None
    use = use_of(session.quote, STAGE)
    assert use is not None
    assert isinstance(use.recipe, GenerationRecipe)
    assert use.recipe.cache_block == 16
    settled(qtbot, session)
    assert page.chart.basis == "A formula alone"


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


@given(
    batch=st.integers(1, 64),
    optimizer=st.sampled_from(["adamw", "momentum", "sgd"]),
    parameters=st.sampled_from(["fp32", "bf16"]),
    checkpointing=st.booleans(),
    loss=st.sampled_from(["upcast", "half", "chunked", "fused"]),
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
