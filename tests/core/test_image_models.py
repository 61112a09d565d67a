"""Pipelines of images in a quote: what is read of their parts, what each moment holds, bases, levers, properties."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from estimator import memory as mem
from estimator.architecture.image_pipeline import (
    ImagePipeline,
    is_image_pipeline,
    part_name,
    read_pipeline,
    with_part,
)
from estimator.catalogue import Card
from estimator.catalogue.embedded import embedded_catalogue
from estimator.plan.fitting import fits_table, peak_of, phases_of
from estimator.plan.forms import ModelMemory, WorkingBasis, upper_bytes
from estimator.plan.image_models import lever_changes, pipeline_of
from estimator.plan.memory import overheads_of
from estimator.plan.model_kinds import ModelKind, goes_with, is_training, model_kind, recipe_for
from estimator.plan.models import architecture_of, legal_degrees, model_memory
from estimator.problems import Absent, Severity
from estimator.quote import (
    ClassificationRecipe,
    DenoiserTrainingRecipe,
    GenerationRecipe,
    ImageRecipe,
    MemoryNeed,
    ModelSource,
    ModelSplit,
    ModelUse,
    Recipe,
    TrainingRecipe,
    TranscriptionRecipe,
)

RECORDS = {record.id: record for record in embedded_catalogue().models}
PIPELINES = [record.id for record in embedded_catalogue().models if record.kind == "image pipeline"]
Moment, State = mem.MomentKind, mem.StateClass
DEFAULTS = overheads_of(MemoryNeed())


def source_of(model_id: str) -> ModelSource:
    record = RECORDS[model_id]
    return ModelSource(name=record.name, kind="catalogue", text=record.model_dump_json())


def catalogued(model_id: str, recipe: Recipe) -> ModelUse:
    return ModelUse(source=source_of(model_id), recipe=recipe)


def part(model_id: str, name: str) -> dict[str, Any]:
    found = RECORDS[model_id].config[name]
    assert isinstance(found, dict)
    return dict(found)


def stated(config: object, recipe: Recipe) -> ModelUse:
    return ModelUse(source=ModelSource(name="mine", text=json.dumps(config)), recipe=recipe)


def memory(use: ModelUse, split: ModelSplit = ModelSplit.NONE, cards: int = 1) -> ModelMemory:
    found = model_memory(use, split, cards)
    assert not isinstance(found, Absent), found
    return found


def code(use: ModelUse, split: ModelSplit = ModelSplit.NONE, cards: int = 1) -> str:
    found = model_memory(use, split, cards)
    return found.code if isinstance(found, Absent) else ""


def moments(use: ModelUse) -> dict[mem.MomentKind, mem.Moment]:
    return {one.kind: one for one in memory(use).ledger.moments}


def problems(config: object) -> set[str]:
    return {one.code for one in architecture_of(ModelSource(name="m", text=json.dumps(config))).problems}


def pipeline(config: dict[str, Any]) -> ImagePipeline:
    found = read_pipeline(config).pipeline
    assert found is not None
    return found


# Reading


# Counts of the parts as published, or as their frameworks count them.
PUBLISHED = {
    "sd15": (859_520_964, [123_060_480], 83_653_863),
    "sdxl-base": (2_567_463_684, [123_060_480, 694_659_840], 83_653_863),
    "sd3-medium": (2_028_328_000, [123_650_304, 694_659_840, 4_762_310_656], 83_819_683),
    "sd3.5-large": (8_056_627_520, [123_650_304, 694_659_840, 4_762_310_656], 83_819_683),
    "flux1-dev": (11_901_408_320, [123_060_480, 4_762_310_656], 83_819_683),
}


@pytest.mark.parametrize("model_id", PIPELINES)
def test_the_parts_of_a_pipeline_are_counted_exactly(model_id: str) -> None:
    found = pipeline(RECORDS[model_id].config)
    assert found.denoiser is not None
    assert found.decoder is not None
    denoiser, texts, decoder = PUBLISHED[model_id]
    assert found.denoiser.parameters == denoiser
    assert [text.parameters for text in found.text_encoders] == texts
    assert found.decoder.parameters == decoder
    assert RECORDS[model_id].parameters == denoiser + sum(texts) + decoder


def test_a_second_attention_and_its_norms_are_counted() -> None:
    # 2 blocks of width 64 (1 head): 4 maps of 64 x 64 + 64, two norms of 64, and 3 x 64 x 64 + 3 x 64 more of the norm
    plain = part("sd3-medium", "transformer") | {
        "num_layers": 2,
        "num_attention_heads": 1,
        "qk_norm": "rms_norm",
    }
    dual = plain | {"dual_attention_layers": [0]}
    counts = [pipeline(one).denoiser for one in (plain, dual)]
    assert counts[0] is not None
    assert counts[1] is not None
    assert counts[1].parameters - counts[0].parameters == 4 * (64 * 64 + 64) + 128 + 3 * 64 * 64 + 3 * 64


HOSTILE: tuple[object, ...] = (
    None,
    True,
    -1,
    0,
    10**30,
    1.5,
    "320",
    [],
    [None],
    [320] * 99,
    [10**30],
    {"a": 1},
)


@given(
    st.sampled_from([("sd15", "unet"), ("sd3-medium", "transformer"), ("flux1-dev", "transformer")]),
    st.sampled_from(HOSTILE),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_no_field_of_a_denoiser_makes_reading_raise(
    place: tuple[str, str], value: object, data: st.DataObject
) -> None:
    config = part(*place)
    name = data.draw(st.sampled_from(sorted(config)))
    reading = read_pipeline(config | {name: value})
    assert reading.pipeline is not None or any(
        one.severity is not Severity.WARNING for one in reading.problems
    )


@pytest.mark.parametrize("name", ["vae", "text_encoder", "text_encoder_3"])
def test_no_field_of_another_part_makes_reading_raise(name: str) -> None:
    config = RECORDS["sd3-medium"].config
    for field in part("sd3-medium", name):
        for value in HOSTILE:
            reading = read_pipeline(config | {name: part("sd3-medium", name) | {field: value}})
            assert reading.pipeline is not None or reading.problems


def test_what_is_missing_is_asked_for_by_name_and_not_filled_in() -> None:
    config = part("flux1-dev", "transformer")
    del config["num_single_layers"]
    reading = read_pipeline(config)
    assert reading.pipeline is None
    (asked,) = [one for one in reading.problems if one.severity is Severity.MISSING]
    assert asked.where == ("config", "num_single_layers")
    nested = read_pipeline({"transformer": config})
    assert ("config", "transformer", "num_single_layers") in {one.where for one in nested.problems}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("class_embed_type", "timestep"),
        ("encoder_hid_dim_type", "ip_image_proj"),
        ("addition_embed_type", "image"),
        ("down_block_types", ["DownBlock2D", "KDownBlock2D", "DownBlock2D", "DownBlock2D"]),
    ],
)
def test_an_option_that_is_not_counted_is_refused_by_name(field: str, value: object) -> None:
    assert "denoiser_option_not_counted" in problems(part("sd15", "unet") | {field: value})


def test_another_network_is_not_taken_for_one_that_is_known() -> None:
    assert problems({"_class_name": "PixArtTransformer2DModel", "num_layers": 28}) == {"denoiser_unknown"}
    assert problems({"unet": {"_class_name": "UNet3D", "num_layers": 2}}) == {"denoiser_unknown"}
    assert problems({"_class_name": "StableDiffusionPipeline", "unet": ["diffusers", "X"]}) == {
        "denoiser_unknown"
    }
    assert problems({"unet": part("sd15", "unet"), "vae": {"_class_name": "VQModel"}}) == {
        "image_decoder_unknown"
    }
    assert "text_encoder_unknown" in problems(
        {"unet": part("sd15", "unet"), "text_encoder": {"model_type": "gpt"}}
    )
    assert not is_image_pipeline({"model_type": "llama", "transformer": {"layers": 2}})


def test_a_part_alone_lacks_the_others_and_says_which() -> None:
    unet = part("sd15", "unet")
    assert problems(unet) == {"text_encoders_not_described", "image_decoder_not_described"}
    assert code(stated(unet, ImageRecipe())) == "text_encoders_not_described"
    assert code(stated(unet, ImageRecipe(placement="texts_elsewhere"))) == "image_decoder_not_described"
    assert code(stated(unet, DenoiserTrainingRecipe())) == ""
    assert code(stated(unet, DenoiserTrainingRecipe(others="on_card"))) == "text_encoders_not_described"
    assert code(stated(part("sd15", "vae"), ImageRecipe())) == "denoiser_not_described"


def test_parts_join_a_pipeline_in_any_order() -> None:
    names = ("vae", "text_encoder", "transformer", "text_encoder_2", "text_encoder_3")
    whole: dict[str, object] = part("sd3-medium", names[0])
    for name in names[1:]:
        joined = with_part(whole, part("sd3-medium", name))
        assert joined is not None
        assert is_image_pipeline(joined)
        whole = joined
    assert pipeline(whole).parameters == RECORDS["sd3-medium"].parameters
    assert with_part(whole, part("flux1-dev", "transformer")) is None  # a second denoiser is another pipeline
    assert with_part(whole, {"model_type": "llama"}) is None
    assert part_name({"model_type": "llama"}) == ""


# Moments


def test_every_part_stays_or_one_at_a_time_does() -> None:
    # Stable Diffusion 1.5 in 16 bits: 859,520,964 + 123,060,480 + 83,653,863 parameters, two bytes each
    unet, text, vae = 2 * 859_520_964, 2 * 123_060_480, 2 * 83_653_863
    recipe = ImageRecipe(height=512, width=512)
    stay = moments(catalogued("sd15", recipe))
    assert {kind: one.of(State.WEIGHTS) for kind, one in stay.items()} == {
        Moment.TEXT_ENCODE: unet + text + vae,
        Moment.DENOISE: unet + text + vae,
        Moment.IMAGE_DECODE: unet + text + vae,
    }
    alone = moments(catalogued("sd15", recipe.replaced(placement="one_at_a_time")))
    assert [one.of(State.WEIGHTS) for one in alone.values()] == [text, unet, vae]
    elsewhere = moments(catalogued("sd15", recipe.replaced(placement="texts_elsewhere")))
    assert {kind: one.of(State.WEIGHTS) for kind, one in elsewhere.items()} == {
        Moment.DENOISE: unet + vae,
        Moment.IMAGE_DECODE: unet + vae,
    }


def test_the_peak_is_the_largest_moment_and_not_their_sum() -> None:
    found = memory(catalogued("sdxl-base", ImageRecipe()))
    assert found.ledger.peak_bytes == max(one.total_bytes for one in found.ledger.moments)
    # weights 2 x 3,468,837,867, and three tensors of 256 channels of 1024 x 1024 in 16 bits
    assert found.ledger.peak_bytes == 2 * 3_468_837_867 + 768 * 2 * 1024**2


def test_guidance_doubles_what_the_denoiser_sees_but_not_flux() -> None:
    for model_id, factor in (("sd15", 2), ("sdxl-base", 2), ("sd3-medium", 2), ("flux1-dev", 1)):
        plain = moments(catalogued(model_id, ImageRecipe(guidance=False)))[Moment.DENOISE]
        guided = moments(catalogued(model_id, ImageRecipe(guidance=True)))[Moment.DENOISE]
        assert (
            0 <= guided.of(State.TEMPORARIES) - factor * plain.of(State.TEMPORARIES) < 2
        )  # tenths of a byte


def test_slices_take_one_image_at_a_time_and_tiles_a_piece() -> None:
    recipe = ImageRecipe(batch=4, height=2048, width=2048)
    whole, slices, tiles = (
        moments(catalogued("sdxl-base", recipe.replaced(decoding=one)))[Moment.IMAGE_DECODE]
        for one in ("whole", "slices", "tiles")
    )
    pixels = 2048 * 2048
    assert whole.of(State.TEMPORARIES) == 4 * 768 * 2 * pixels
    assert slices.of(State.TEMPORARIES) == 768 * 2 * pixels
    assert slices.of(State.ACTIVATIONS) == 3 * 2 * pixels * 4
    # tiles of 1024 pixels, 768 apart: 3 x 3 of them, kept until the image is put together
    assert tiles.of(State.TEMPORARIES) == 768 * 2 * 1024 * 1024
    assert tiles.of(State.ACTIVATIONS) == 3 * 2 * pixels * 4 + 3 * 2 * (9 * 1024 * 1024 + pixels)


def test_t5_keeps_its_scores_and_clip_none() -> None:
    text = moments(catalogued("flux1-dev", ImageRecipe()))[Moment.TEXT_ENCODE]
    # T5-XXL over 512 tokens: 25 states of 4096; queries, keys, values and their product of 4096 beside two hidden
    # states, and scores of 64 heads: 2 + 4 + 4 bytes and 2 of the bias on positions
    assert text.of(State.ACTIVATIONS) == 25 * 4096 * 512 * 2
    assert text.of(State.TEMPORARIES) == 512 * (2 * 4096 + 4 * 4096) * 2 + 12 * 64 * 512 * 512


def test_sides_go_up_to_what_the_denoiser_computes() -> None:
    odd, even = (
        memory(catalogued(model_id, ImageRecipe(height=side, width=512))).ledger
        for model_id, side in (("sd15", 505), ("sd15", 512))
    )
    assert odd == even


def test_a_side_has_no_more_tokens_than_positions() -> None:
    # 192 positions of 16 pixels a side
    assert code(catalogued("sd3-medium", ImageRecipe(height=3072, width=3072))) == ""
    assert code(catalogued("sd3-medium", ImageRecipe(height=3073, width=64))) == "image_too_large"
    card = Card(id="c", name="C", marketed_gb=Decimal(180))
    (fit,) = fits_table(catalogued("sd3-medium", ImageRecipe()), ModelSplit.NONE, DEFAULTS, (card,))
    assert fit.largest_context.used == 3072


def test_training_with_the_other_parts_on_the_card_holds_them_frozen() -> None:
    recipe = DenoiserTrainingRecipe(height=512, width=512, adapter_rank=8, foreach=False)
    before, beside = (
        moments(catalogued("sd15", recipe.replaced(others=one))) for one in ("encoded_before", "on_card")
    )
    frozen = 2 * (123_060_480 + 83_653_863)
    assert set(before) == {Moment.LOSS_BACKWARD, Moment.OPTIMIZER_STEP}
    assert set(beside) == {*before, Moment.TEXT_ENCODE, Moment.IMAGE_ENCODE}
    for kind in before:
        assert beside[kind].total_bytes == before[kind].total_bytes + frozen
    # three tensors of 128 channels of 512 x 512 in 16 bits
    assert beside[Moment.IMAGE_ENCODE].of(State.TEMPORARIES) == 3 * 128 * 2 * 512 * 512
    weights = beside[Moment.LOSS_BACKWARD].of(State.WEIGHTS)
    assert all(one.of(State.WEIGHTS) == weights for one in beside.values())


def test_foreach_needs_a_buffer_as_large_as_the_gradients() -> None:
    recipe = DenoiserTrainingRecipe(height=512, width=512)
    fused, foreach = (
        moments(catalogued("sd15", recipe.replaced(foreach=one)))[Moment.OPTIMIZER_STEP]
        for one in (False, True)
    )
    assert foreach.total_bytes - fused.total_bytes == 2 * 859_520_964


# What a ledger rests on


def test_what_no_point_was_made_of_rests_on_a_formula_alone() -> None:
    few, formula = mem.Basis.POINTS_WITHOUT_READINGS, mem.Basis.FORMULA
    roomless = mem.Basis.POINTS_WITHOUT_WORKSPACE
    made = ImageRecipe()
    trained = DenoiserTrainingRecipe(adapter_rank=16)

    def denoise(model_id: str, recipe: ImageRecipe = made) -> mem.Basis:
        return memory(catalogued(model_id, recipe)).basis_at(Moment.DENOISE)

    def step(model_id: str, recipe: DenoiserTrainingRecipe = trained) -> mem.Basis:
        return memory(catalogued(model_id, recipe)).basis_at(Moment.LOSS_BACKWARD)

    # UNets convolve; SD 3.5 has norms on queries and keys, that no point has
    assert [denoise(one) for one in PIPELINES] == [roomless, roomless, few, formula, few]
    assert denoise("sdxl-base", made.replaced(parameters="fp32")) is formula
    assert denoise("sd15", made.replaced(parameters="fp32")) is roomless
    assert [step(one) for one in PIPELINES] == [roomless, roomless, few, formula, few]
    assert step("sd15", trained.replaced(checkpointing=False)) is few
    assert step("flux1-dev", trained.replaced(adapter_rank=None)) is formula
    assert step("sd3-medium", trained.replaced(precision="mixed")) is formula
    assert step("sd15", DenoiserTrainingRecipe(precision="mixed")) is roomless
    found = memory(catalogued("sd15", made))
    assert found.basis_at(Moment.TEXT_ENCODE) is formula
    assert found.basis_at(Moment.IMAGE_DECODE) is roomless
    tiles = memory(catalogued("sd15", made.replaced(decoding="tiles")))
    assert tiles.basis_at(Moment.IMAGE_DECODE) is formula
    wider = RECORDS["sd15"].config | {
        "unet": part("sd15", "unet") | {"block_out_channels": [640, 640, 1280, 1280]},
    }
    assert memory(stated(wider, made)).basis_at(Moment.DENOISE) is formula


def test_counted_lines_have_a_narrow_range_and_computed_ones_a_wide_one() -> None:
    found = memory(catalogued("sdxl-base", ImageRecipe()))
    decode = phases_of(found.ledger, found.basis, found.working)[-1]
    sizes = {term.name: term.size for term in decode.terms}
    weights, made = sizes["weights"], sizes["temporaries"]
    assert weights is not None
    assert made is not None
    assert weights.high_bytes == upper_bytes(weights.value_bytes, WorkingBasis(mem.Basis.REFERENCE_POINTS))
    assert made.high_bytes == 2 * made.value_bytes + 1
    peak = peak_of(found.ledger, found.basis, found.working)
    assert peak.high == weights.high_bytes + made.high_bytes


# Recipes of each kind of model


def test_each_kind_of_model_has_its_recipes() -> None:
    expected = {
        "llama3.1-8b": (ModelKind.LANGUAGE, TrainingRecipe, GenerationRecipe),
        "whisper-large-v3": (ModelKind.SPEECH, TrainingRecipe, TranscriptionRecipe),
        "vit-b/16": (ModelKind.VISION, TrainingRecipe, ClassificationRecipe),
        "flux1-dev": (ModelKind.IMAGES, DenoiserTrainingRecipe, ImageRecipe),
    }
    for model_id, (kind, trained, run) in expected.items():
        source = source_of(model_id)
        assert model_kind(source) is kind
        for trains, type_ in ((True, trained), (False, run)):
            recipe = recipe_for(source, None, trains)
            assert type(recipe) is type_
            assert is_training(recipe) is trains
            assert goes_with(source, recipe)
            assert code(ModelUse(source=source, recipe=recipe)) == ""


def test_a_recipe_starts_at_the_size_that_a_model_was_made_for() -> None:
    assert recipe_for(source_of("sd15"), None, trains=False) == ImageRecipe(height=512, width=512)
    assert recipe_for(source_of("flux1-dev"), None, trains=False) == ImageRecipe(guidance=False)
    assert recipe_for(source_of("whisper-tiny"), None, trains=True) == TrainingRecipe(length=448)


def test_what_two_recipes_state_is_kept_from_one_to_the_other() -> None:
    image = ImageRecipe(batch=3, height=640, width=768)
    assert recipe_for(source_of("sd15"), image, trains=True) == DenoiserTrainingRecipe(
        batch=3, height=640, width=768
    )
    speech = recipe_for(source_of("whisper-tiny"), TrainingRecipe(batch=3, parameters="fp32"), trains=False)
    assert speech == TranscriptionRecipe(batch=3, parameters="fp32")
    text = recipe_for(source_of("gpt2"), TrainingRecipe(batch=3, length=96), trains=False)
    assert text == GenerationRecipe(batch=3, prompt=96)


def test_a_training_takes_no_choice_along_that_its_new_model_has_no_form_for() -> None:
    adapted = TrainingRecipe(
        batch=4,
        length=4096,
        adapter_rank=8,
        micro_batches=2,
        optimizer="sgd",
        attention="eager",
        loss="fused",
    )
    speech, vision = (
        recipe_for(source_of(one), adapted, trains=True) for one in ("whisper-tiny", "vit-b/16")
    )
    assert speech == TrainingRecipe(batch=4, length=448, optimizer="sgd")
    assert vision == TrainingRecipe(batch=4, optimizer="sgd", attention="eager")
    assert recipe_for(source_of("sd15"), adapted, trains=True) == DenoiserTrainingRecipe(
        batch=4, height=512, width=512, adapter_rank=8, optimizer="sgd"
    )
    for model_id, recipe in (("whisper-tiny", speech), ("vit-b/16", vision)):
        assert goes_with(source_of(model_id), recipe)
        assert code(catalogued(model_id, recipe)) == ""
        assert not goes_with(source_of(model_id), adapted)
    assert goes_with(source_of("gpt2"), adapted)
    assert goes_with(ModelSource(name="m", text="{"), adapted)


@pytest.mark.parametrize(
    "recipe", [TranscriptionRecipe(), ClassificationRecipe(), ImageRecipe(), DenoiserTrainingRecipe()]
)
def test_a_recipe_is_stored_and_read_again(recipe: Recipe) -> None:
    use = catalogued("sd15", recipe)
    assert ModelUse.model_validate_json(use.model_dump_json()) == use
    with pytest.raises(ValidationError):
        recipe.replaced(batch=0)


@pytest.mark.parametrize(
    ("model_id", "recipe"),
    [
        ("llama3.1-8b", ImageRecipe()),
        ("llama3.1-8b", TranscriptionRecipe()),
        ("llama3.1-8b", ClassificationRecipe()),
        ("whisper-tiny", ImageRecipe()),
        ("sd15", TrainingRecipe()),
        ("sd15", TranscriptionRecipe()),
        ("vit-b/16", TranscriptionRecipe()),
    ],
)
def test_a_recipe_of_another_kind_of_model_has_no_bytes(model_id: str, recipe: Recipe) -> None:
    assert code(catalogued(model_id, recipe)) == "recipe_not_for_model"


def test_a_transcription_is_what_a_generation_of_before_was() -> None:
    now = memory(catalogued("whisper-large-v3", TranscriptionRecipe(batch=4, tokens=204)))
    before = memory(catalogued("whisper-large-v3", GenerationRecipe(batch=4, prompt=4, new_tokens=200)))
    assert now.ledger == before.ledger


def test_an_image_has_its_own_tokens_whatever_length_a_recipe_has() -> None:
    short, long = (memory(catalogued("vit-b/16", TrainingRecipe(length=one))) for one in (1, 8192))
    assert short.ledger == long.ledger


def test_images_are_classified_without_a_cache() -> None:
    found = memory(catalogued("vit-b/16", ClassificationRecipe(batch=8)))
    (moment,) = found.ledger.moments
    # 86,567,656 parameters; 197 tokens; the MLP: 4 x 768 + 2 x 3072 elements of 2 bytes; three colours of 224 x 224
    assert moment.of(State.WEIGHTS) == 2 * 86_567_656
    assert moment.of(State.INPUTS) == 8 * 3 * 224 * 224 * 2
    assert moment.of(State.TEMPORARIES) == 8 * 197 * (4 * 768 + 2 * 3072) * 2
    assert found.basis is mem.Basis.FORMULA


def test_each_card_of_a_task_makes_its_own_images_and_no_form_divides_a_pipeline() -> None:
    image, step = catalogued("sd15", ImageRecipe()), catalogued("sd15", DenoiserTrainingRecipe())
    assert memory(image, ModelSplit.REPLICAS, 4).ledger == memory(image).ledger
    assert code(image, ModelSplit.TENSOR, 4) == "split_without_form"
    assert code(step, ModelSplit.REPLICAS, 4) == "split_without_form"
    assert legal_degrees(image, ModelSplit.REPLICAS, 3) == (1, 2, 3)
    assert legal_degrees(image, ModelSplit.NONE, 3) == (1,)
    assert legal_degrees(image, ModelSplit.FULL_SHARD, 3) == ()
    assert legal_degrees(stated(part("sd15", "vae"), ImageRecipe()), ModelSplit.REPLICAS, 3) == ()


# Levers and fits


@pytest.mark.parametrize(
    "recipe",
    [
        ImageRecipe(batch=4, parameters="fp32", decoder_parameters="fp32", height=2048, width=2048),
        DenoiserTrainingRecipe(checkpointing=False, precision="mixed", others="on_card"),
    ],
)
def test_a_lever_gives_what_its_recipe_gives(recipe: Recipe) -> None:
    use = catalogued("sdxl-base", recipe)
    found = memory(use)
    assert found.levers
    peaks = [one.peak_bytes for one in found.levers]
    assert peaks == sorted(peaks)
    for one in found.levers:
        changed = memory(use.replaced(recipe=recipe.replaced(**lever_changes(recipe)[one.lever])))
        assert changed.ledger.peak_bytes == one.peak_bytes < found.ledger.peak_bytes


def test_the_largest_batch_and_side_fit_and_the_next_do_not() -> None:
    card = Card(id="c", name="C", marketed_gb=Decimal(24))
    use = catalogued("sdxl-base", ImageRecipe())
    (fit,) = fits_table(use, ModelSplit.NONE, DEFAULTS, (card,))
    allowed = mem.largest_need(card.usable_bytes, DEFAULTS)

    def peak(**changes: int) -> int:
        return memory(use.replaced(recipe=use.recipe.replaced(**changes))).ledger.peak_bytes

    batch, side = fit.largest_batch.used, fit.largest_context.used
    assert batch is not None
    assert side is not None
    assert peak(batch=batch) <= allowed < peak(batch=batch + 1)
    assert peak(height=side, width=side) <= allowed < peak(height=side + 64, width=side + 64)
    assert fit.largest_batch.sure is not None
    assert fit.largest_batch.sure < batch


# Properties


images = st.builds(
    ImageRecipe,
    batch=st.integers(1, 16),
    height=st.integers(64, 2048),
    width=st.integers(64, 2048),
    parameters=st.sampled_from(["fp32", "bf16"]),
    guidance=st.booleans(),
    placement=st.sampled_from(["all_on_card", "one_at_a_time", "texts_elsewhere"]),
    decoding=st.sampled_from(["whole", "slices", "tiles"]),
)
steps = st.builds(
    DenoiserTrainingRecipe,
    batch=st.integers(1, 16),
    height=st.integers(64, 2048),
    width=st.integers(64, 2048),
    precision=st.sampled_from(["bf16", "mixed"]),
    optimizer=st.sampled_from(["adamw", "adamw_8bit", "momentum", "sgd"]),
    foreach=st.booleans(),
    checkpointing=st.booleans(),
    adapter_rank=st.sampled_from([None, 4, 64]),
    others=st.sampled_from(["encoded_before", "on_card"]),
)
recipes: st.SearchStrategy[Recipe] = st.one_of(images, steps)


@given(st.sampled_from(PIPELINES), recipes)
@settings(max_examples=60, deadline=None)
def test_every_ledger_adds_up_and_holds_its_weights(model_id: str, recipe: Recipe) -> None:
    found = memory(catalogued(model_id, recipe))
    for one in found.ledger.moments:
        assert one.total_bytes == sum(size for _, size in one.lines)
        assert all(size > 0 for _, size in one.lines)
        assert one.of(State.WEIGHTS) > 0
    assert len({one.kind for one in found.ledger.moments}) == len(found.ledger.moments)


@given(st.sampled_from(PIPELINES), recipes, st.sampled_from(["batch", "height", "width"]))
@settings(max_examples=60, deadline=None)
def test_more_or_larger_images_never_need_less(model_id: str, recipe: Recipe, field: str) -> None:
    more = recipe.replaced(**{field: getattr(recipe, field) + (1 if field == "batch" else 512)})
    before = memory(catalogued(model_id, recipe)).ledger.moments
    after = memory(catalogued(model_id, more)).ledger.moments
    for less, larger in zip(before, after, strict=True):
        assert larger.total_bytes >= less.total_bytes


@given(st.sampled_from(PIPELINES), steps)
@settings(max_examples=40, deadline=None)
def test_recomputing_never_keeps_more_activations(model_id: str, recipe: DenoiserTrainingRecipe) -> None:
    kept, recomputed = (
        moments(catalogued(model_id, recipe.replaced(checkpointing=one)))[Moment.LOSS_BACKWARD]
        for one in (False, True)
    )
    assert recomputed.of(State.ACTIVATIONS) <= kept.of(State.ACTIVATIONS)


@given(st.sampled_from(PIPELINES), images)
@settings(max_examples=40, deadline=None)
def test_fewer_parts_on_the_card_and_smaller_pieces_never_need_more(
    model_id: str, recipe: ImageRecipe
) -> None:
    def peak(**changes: str) -> int:
        return memory(catalogued(model_id, recipe.replaced(**changes))).ledger.peak_bytes

    assert peak(placement="one_at_a_time") <= peak(placement="all_on_card")
    assert peak(placement="texts_elsewhere") <= peak(placement="all_on_card")
    assert peak(decoding="slices") <= peak(decoding="whole") or recipe.batch == 1
    at_once = recipe.batch * recipe.height * recipe.width
    assert peak(decoding="slices") <= peak(decoding="whole") + 8 * 3 * at_once


def test_a_pipeline_of_a_text_that_is_none_is_not_read() -> None:
    assert pipeline_of(ModelSource(name="m", text="{")) is None
    assert pipeline_of(ModelSource(name="m", kind="catalogue", text="{}")) is None
