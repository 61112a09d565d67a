"""The Memory page in the words of sound and images: each model's own form, limits and explanations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QWidget
from pytestqt.qtbot import QtBot

from estimator import edits
from estimator.memory import Basis
from estimator.quote import (
    ClassificationRecipe,
    DenoiserTrainingRecipe,
    GenerationRecipe,
    ImageRecipe,
    ModelUse,
    Quote,
    Recipe,
    TrainingRecipe,
    TranscriptionRecipe,
)
from estimator.results.memory import PhaseMemory
from estimator.storage import read_quote
from tests.ui.memory_pages import SAMPLE, STAGE, new_page, new_session, opened, record, settled, type_into
from tests.ui.windows import seat
from ui.pages import memory_model_edits
from ui.pages.memory import MemoryPage
from ui.pages.memory_model_edits import use_of
from ui.pages.memory_moments import moment_explanation
from ui.pages.memory_recipe import GenerationForm, TrainingForm
from ui.pages.memory_recipe_media import (
    ClassificationForm,
    DenoiserTrainingForm,
    ImageForm,
    SpeechTrainingForm,
    TranscriptionForm,
    VisionTrainingForm,
)
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


def with_model(id_: str, *, trains: bool) -> Quote:
    source = memory_model_edits.catalogue_source(record(id_))
    quote = memory_model_edits.with_source(read_quote(SAMPLE), STAGE, source)
    return memory_model_edits.with_recipe_kind(quote, STAGE, trains=trains)


def recipe_of(session: Session) -> Recipe:
    assert session.quote is not None
    use = use_of(session.quote, STAGE)
    assert use is not None
    return use.recipe


def shown_fields(page: MemoryPage) -> set[str]:
    (form,) = [one for one in page.inspector.model.forms.values() if not one.isHidden()]
    return set(form.fields)


def headers(page: MemoryPage) -> list[str]:
    return [column.header for column in page.verdicts.columns]


OF_SPEECH = ["Windows, max.", "Text, max."]
INSPECTOR_ROOM = 262
"""Pixels across that the inspector leaves its forms in a window of 1366, its scroll bar shown."""
TRAINING = {"batch", "parameters", "optimizer", "foreach", "checkpointing"}


@pytest.mark.parametrize(
    ("id_", "trains", "run", "fields", "limits"),
    [
        (
            "whisper-large-v3",
            False,
            "Transcription",
            {"batch", "tokens", "parameters"},
            ["Windows, max.", "Text, max."],
        ),
        ("whisper-large-v3", True, "Transcription", TRAINING | {"length"}, ["Windows, max.", "Text, max."]),
        ("vit-b/16", False, "Classification", {"batch", "parameters", "attention"}, ["Images, max."]),
        ("vit-b/16", True, "Classification", TRAINING | {"attention", "micro_batches"}, ["Images, max."]),
        (
            "sdxl-base",
            False,
            "Making images",
            {
                "batch",
                "height",
                "width",
                "parameters",
                "decoder_parameters",
                "guidance",
                "placement",
                "decoding",
            },
            ["Images, max.", "Side, max., px"],
        ),
        (
            "sdxl-base",
            True,
            "Making images",
            (TRAINING - {"parameters"}) | {"height", "width", "precision", "adapter_rank", "others"},
            ["Images, max.", "Side, max., px"],
        ),
    ],
)
def test_each_kind_of_model_has_its_own_fields_and_limits(
    qtbot: QtBot,
    session: Session,
    page: MemoryPage,
    id_: str,
    trains: bool,
    run: str,
    fields: set[str],
    limits: list[str],
) -> None:
    opened(qtbot, session, with_model(id_, trains=trains))
    panel = page.inspector.model
    assert shown_fields(page) == fields
    assert panel.generation.text() == panel.generation.accessibleName() == run
    assert panel.training.isChecked() is trains
    assert headers(page)[-len(limits) :] == limits
    assert page.bars.content.bars


def test_a_pipeline_is_chosen_by_name_and_shows_its_moments(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model("llama3.1-8b", trains=False))
    page.inspector.model.models.setFocus()
    type_into(page.inspector.model.models, "Stable Diffusion XL base 1.0")
    settled(qtbot, session)
    assert isinstance(recipe_of(session), ImageRecipe)
    # 2 x 3,468,837,867 bytes of weights and 768 x 2 x 1024 x 1024 of the decoder: 7.96 GiB; x 1.05 + 0.5 = 8.86
    assert [(bar.name, bar.is_worst) for bar in page.bars.content.bars] == [
        ("Encoding the text", False),
        ("Denoising", False),
        ("Decoding the image", True),
    ]
    assert page.bars.content.bars[-1].peak_text == "8.9"
    assert page.chart.basis == "Held against reference points, without the room of convolutions"


def test_the_fields_of_an_image_are_typed_and_chosen(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model("sdxl-base", trains=False))
    form = page.inspector.model.forms["image"]
    type_into(form.fields["height"], "768")
    assert session.undo_label == "change “Height, px” of the recipe"
    type_into(form.fields["batch"], "3")
    guidance = form.fields["guidance"]
    assert isinstance(guidance, QCheckBox)
    guidance.setFocus()
    QTest.keyClick(guidance, Qt.Key.Key_Space)
    assert recipe_of(session) == ImageRecipe(batch=3, height=768, guidance=False)
    page.inspector.model.training.click()
    assert recipe_of(session) == DenoiserTrainingRecipe(batch=3, height=768)
    assert session.undo_label == "change the recipe to “Training”"
    settled(qtbot, session)


def test_guidance_is_no_choice_where_it_takes_no_memory(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model("flux1-dev", trains=False))
    assert not page.inspector.model.forms["image"].fields["guidance"].isEnabled()
    opened(qtbot, session, with_model("sd15", trains=False))
    assert page.inspector.model.forms["image"].fields["guidance"].isEnabled()


def test_the_fields_of_a_form_come_between_the_recipe_and_the_split(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    opened(qtbot, session, with_model("whisper-large-v3", trains=False))
    opened(qtbot, session, with_model("sdxl-base", trains=False))
    form = page.inspector.model.forms["image"]
    chain: list[QWidget] = [page.inspector.model.generation]
    while chain[-1] is not page.inspector.split.split:
        chain.append(chain[-1].nextInFocusChain())
        assert len(chain) < 500
    stops = [one for one in chain if one in form.inputs]
    assert stops == list(form.inputs)


def test_the_parts_of_a_pipeline_are_read_one_by_one(
    qtbot: QtBot, session: Session, page: MemoryPage, tmp_path: Path
) -> None:
    opened(qtbot, session, with_model("llama3.1-8b", trains=False))
    config = record("sd15").config
    for part in ("unet", "text_encoder", "vae"):
        folder = tmp_path / "my-model" / part
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps(config[part]), "utf-8")
    panel = page.inspector.model

    def read(part: str) -> None:
        assert page.read_config(tmp_path / "my-model" / part / "config.json")

    read("unet")
    assert [sentence.split(".")[0] for sentence in panel.problems] == [
        "The text encoders are not described",
        "The image decoder is not described",
    ]
    qtbot.waitUntil(lambda: page.reason.text().startswith("The text encoders are not described."))
    read("text_encoder")
    qtbot.waitUntil(lambda: len(panel.problems) == 1)
    read("vae")
    assert panel.problems == ()
    settled(qtbot, session)
    assert session.quote is not None
    use = use_of(session.quote, STAGE)
    assert use is not None
    assert use.source.name == "my-model"
    assert isinstance(use.recipe, ImageRecipe)
    assert use.recipe.height == 512
    assert len(page.bars.content.bars) == 3
    session.undo()
    qtbot.waitUntil(lambda: len(panel.problems) == 1)


def test_what_a_denoiser_lacks_is_asked_for_in_its_own_part(
    qtbot: QtBot, session: Session, page: MemoryPage, tmp_path: Path
) -> None:
    opened(qtbot, session, read_quote(SAMPLE))
    config = record("flux1-dev").config
    transformer = config["transformer"]
    assert isinstance(transformer, dict)
    lacking = {key: value for key, value in transformer.items() if key != "num_layers"}
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config | {"transformer": lacking}), "utf-8")
    assert page.read_config(path)
    panel = page.inspector.model
    (asked,) = panel.missing
    assert asked.accessibleName() == "transformer.num_layers"
    type_into(asked, "19")
    assert panel.missing == ()
    settled(qtbot, session)
    assert page.bars.content.bars


def test_the_lever_of_a_pipeline_is_pulled(qtbot: QtBot, session: Session, page: MemoryPage) -> None:
    opened(qtbot, session, with_model("sdxl-base", trains=False))
    assert page.lever.text.startswith(
        "Lever with the largest effect: One part of the pipeline on the card at a time, −3.0 GiB."
    )
    page.lever.button.click()
    assert recipe_of(session) == ImageRecipe(placement="one_at_a_time")
    settled(qtbot, session)
    assert next(bar for bar in page.bars.content.bars if bar.is_worst).name == "Denoising"


def test_a_speech_model_of_a_quote_of_before_keeps_its_recipe_until_it_is_chosen_again(
    qtbot: QtBot, session: Session, page: MemoryPage
) -> None:
    source = memory_model_edits.catalogue_source(record("whisper-large-v3"))
    former = GenerationRecipe(batch=2, prompt=4, new_tokens=200)
    opened(
        qtbot,
        session,
        edits.with_memory(read_quote(SAMPLE), STAGE, model=ModelUse(source=source, recipe=former)),
    )
    assert recipe_of(session) == former
    assert page.bars.content.bars
    page.inspector.model.generation.click()
    assert recipe_of(session) == TranscriptionRecipe(batch=2)
    settled(qtbot, session)


def test_another_kind_of_model_takes_its_own_recipe(qtbot: QtBot, session: Session, page: MemoryPage) -> None:
    opened(qtbot, session, with_model("llama3.1-8b", trains=False))
    panel = page.inspector.model
    for name, expected in (
        ("ViT-B/16 224", ClassificationRecipe()),
        ("Whisper tiny", TranscriptionRecipe()),
        ("FLUX.1 dev / schnell", ImageRecipe(guidance=False)),
        ("GPT-2 124M", GenerationRecipe()),
    ):
        type_into(panel.models, name)
        assert recipe_of(session) == expected, name
    panel.training.click()
    assert isinstance(recipe_of(session), TrainingRecipe)
    settled(qtbot, session)


@pytest.mark.parametrize(
    ("id_", "trains", "sentence"),
    [
        ("whisper-large-v3", False, "KV cache: windows × (1,500 positions of sound + tokens)"),
        ("vit-b/16", True, "Inputs: images × pixels × three colours"),
        (
            "sdxl-base",
            True,
            "Activations: the inputs of each layer, and all of the layer that is recomputed.",
        ),
        ("flux1-dev", False, "Activations: results that stay until the next part has read them."),
    ],
)
def test_lines_are_explained_in_the_words_of_their_model(
    qtbot: QtBot, session: Session, page: MemoryPage, id_: str, trains: bool, sentence: str
) -> None:
    opened(qtbot, session, with_model(id_, trains=trains))
    assert session.quote is not None
    use = use_of(session.quote, STAGE)
    assert use is not None
    notes = [
        note
        for phase in page.ledger.rows
        if isinstance(phase, PhaseMemory)
        for note in moment_explanation(page.words, use, phase, Basis.FORMULA).notes
    ]
    assert any(note.startswith(sentence) for note in notes), notes


@pytest.mark.parametrize("locale", ["es_ES", "en_US"])
def test_every_choice_of_a_recipe_has_room_beside_the_picture(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, locale: str
) -> None:
    # One tick too long would push the right ends of all fields under the scroll bar.
    with seat(qapp, qtbot, tmp_path, locale) as found:
        words, theme = found.window.words, found.window.parts.theme
        for kind in (
            *(TrainingForm, GenerationForm, SpeechTrainingForm, VisionTrainingForm),
            *(TranscriptionForm, ClassificationForm, ImageForm, DenoiserTrainingForm),
        ):
            form = kind(words, theme, lambda label, changes: None)
            qtbot.addWidget(form)
            form.more.setChecked(True)
            form.show()
            ticks = {one.text(): one.sizeHint().width() for one in form.findChildren(QCheckBox)}
            assert {text: width for text, width in ticks.items() if width > INSPECTOR_ROOM} == {}
            assert form.minimumSizeHint().width() <= INSPECTOR_ROOM, kind.__name__
