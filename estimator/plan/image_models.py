"""Pipelines that make images in a quote: their parts from a source, the form of a recipe, its basis and levers.

Weights are counted exactly. What a moment computes rests on reference points where its part is one that they were
made of, with the wide range of what the points do not contain, and on a formula alone elsewhere.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from pydantic import ValidationError

from estimator import memory as mem
from estimator.architecture import fields as config_fields
from estimator.architecture.denoiser import Denoiser, DenoiserKind
from estimator.architecture.image_pipeline import (
    ImagePipeline,
    PipelineReading,
    TextEncoder,
    is_image_pipeline,
    read_pipeline,
)
from estimator.catalogue import ModelRecord
from estimator.memory.points import TEXT_TOKENS
from estimator.plan.forms import RANGES, Form, Working, WorkingBasis
from estimator.plan.splits import Division
from estimator.problems import Absent, FileRefused
from estimator.quote import (
    DenoiserTrainingRecipe,
    ImageRecipe,
    ModelSource,
    ModelSplit,
    ModelUse,
    Recipe,
)

Basis, Moment = mem.Basis, mem.MomentKind
_UNET_SHAPES = {
    mem.Denoiser.UNET_SD1: ((320, 640, 1280, 1280), (1, 1, 1, 0)),
    mem.Denoiser.UNET_SDXL: ((320, 640, 1280), (0, 2, 10)),
}
"""Channels of the levels, and transformer blocks of each, of the UNets of the reference points."""
_DECODER_CHANNELS = (128, 256, 512, 512)
_DECODING_FACTOR = Decimal(2)
"""What decoding makes lies up to 1.67 times above the form in pipelines of SDXL that were read."""
_LATENT_SCALE = 8
_TOKEN_SIDE = 16
"""Pixels of a side of a transformer's token: 2 x 2 latent pixels of 8."""
_T5_TOKENS = {DenoiserKind.SD3: 256, DenoiserKind.FLUX: 512}
"""Tokens that the libraries' pipelines pad a text to for T5."""


@lru_cache(maxsize=64)
def pipeline_of(source: ModelSource) -> PipelineReading | None:
    """Return the reading of a pipeline's parts, None where the source is no pipeline of images. Never raises."""
    try:
        if source.kind == "catalogue":
            config: dict[str, object] = ModelRecord.model_validate_json(source.text).config
        else:
            config = config_fields.config_object(source.text)
    except (FileRefused, ValidationError):
        return None
    return read_pipeline(config, source.name) if is_image_pipeline(config) else None


def image_form(use: ModelUse, split: Division, cards: int) -> Form | Absent:
    """Return the form of a recipe of a pipeline, or why there is none. Each card holds the parts whole."""
    reading = pipeline_of(use.source)
    if reading is None or reading.pipeline is None:
        return Absent("model_not_read", (), (("model", use.source.name),))
    pipeline, recipe = reading.pipeline, use.recipe
    if not isinstance(recipe, ImageRecipe | DenoiserTrainingRecipe):
        return Absent("recipe_not_for_model", (), (("model", use.source.name),))
    largest = None if pipeline.denoiser is None else largest_side(pipeline.denoiser)
    if largest is not None and max(recipe.height, recipe.width) > largest:
        return Absent("image_too_large", (), (("model", use.source.name), ("side", largest)))
    if isinstance(recipe, ImageRecipe):
        if cards > 1 and split not in (ModelSplit.NONE, ModelSplit.REPLICAS):
            return Absent("split_without_form", (), (("cards", cards),))
        return _generation(use, recipe, pipeline)
    if cards > 1 and split is not ModelSplit.NONE:
        return Absent("split_without_form", (), (("cards", cards),))
    return _training(use, recipe, pipeline)


def largest_side(denoiser: Denoiser) -> int | None:
    """Return the longest side of an image in pixels that a denoiser takes; None where nothing bounds it."""
    return _TOKEN_SIDE * denoiser.position_side or None  # SD3 has a position for each token of a side


def lever_changes(recipe: Recipe) -> dict[mem.Lever, dict[str, object]]:
    """Return the levers of an image recipe and the fields that each changes; the images stay the same."""
    found: dict[mem.Lever, dict[str, object]] = {}
    if isinstance(recipe, ImageRecipe):
        if recipe.placement == "all_on_card":
            found[mem.Lever.ONE_PART_AT_A_TIME] = {"placement": "one_at_a_time"}
        if recipe.decoding == "whole":
            found[mem.Lever.SLICED_DECODING] = {"decoding": "slices"}
        if recipe.decoding != "tiles":
            found[mem.Lever.TILED_DECODING] = {"decoding": "tiles"}
        if "fp32" in (recipe.parameters, recipe.decoder_parameters):
            found[mem.Lever.HALF_PRECISION] = {"parameters": "bf16", "decoder_parameters": "bf16"}
    if isinstance(recipe, DenoiserTrainingRecipe):
        if not recipe.checkpointing:
            found[mem.Lever.CHECKPOINTING] = {"checkpointing": True}
        if recipe.foreach:
            found[mem.Lever.FUSED_OPTIMIZER] = {"foreach": False}
        if recipe.optimizer == "adamw":
            found[mem.Lever.EIGHT_BIT_OPTIMIZER] = {"optimizer": "adamw_8bit", "foreach": False}
        if recipe.precision == "mixed":
            found[mem.Lever.HALF_PRECISION] = {"precision": "bf16"}
        if recipe.others == "on_card":
            found[mem.Lever.ENCODED_BEFORE] = {"others": "encoded_before"}
    return found


def _levers(use: ModelUse) -> tuple[mem.LeverEffect, ...]:
    def peak(recipe: Recipe) -> int | None:
        changed = ModelUse.model_construct(source=use.source, recipe=recipe)
        form = image_form(changed, ModelSplit.NONE, 1)
        return None if isinstance(form, Absent) else form.ledger().peak_bytes

    now = peak(use.recipe) or 0
    effects = [
        mem.LeverEffect(lever, size)
        for lever, changes in lever_changes(use.recipe).items()
        for size in (peak(use.recipe.model_copy(update=changes)),)
        if size is not None and size < now
    ]
    return tuple(sorted(effects, key=lambda effect: effect.peak_bytes))


def _generation(use: ModelUse, recipe: ImageRecipe, pipeline: ImagePipeline) -> Form | Absent:
    needs_texts = recipe.placement != "texts_elsewhere"
    parts = _parts(use, pipeline, needs_texts=needs_texts, needs_decoder=True)
    if isinstance(parts, Absent):
        return parts
    denoiser, texts, decoder = parts
    shape, is_known = denoiser_shape(denoiser)
    made = mem.ImageGeneration(
        images=_images(recipe, denoiser),
        precision=mem.Precision(recipe.parameters),
        decoder_precision=mem.Precision(recipe.decoder_parameters),
        is_doubled=recipe.guidance and doubles_for_guidance(denoiser),
        placement=mem.Placement(recipe.placement),
        decoding=mem.Decoding(recipe.decoding),
    )
    held = is_known and (recipe.parameters == "bf16" or shape.kind is mem.Denoiser.UNET_SD1)
    decoded = pipeline.decoder is not None and pipeline.decoder.channels == _DECODER_CHANNELS
    whole = decoded and recipe.decoding != "tiles"
    working: Working = (
        (Moment.TEXT_ENCODE, WorkingBasis(Basis.FORMULA)),
        (Moment.DENOISE, _working_basis(denoiser, held)),
        (
            Moment.IMAGE_DECODE,
            WorkingBasis(Basis.POINTS_WITHOUT_WORKSPACE if whole else Basis.FORMULA, _DECODING_FACTOR),
        ),
    )
    return Form(
        lambda: mem.image_generation_ledger(shape, texts, decoder, made),
        Basis.REFERENCE_POINTS,
        lambda: _levers(use),
        working,
    )


def _training(use: ModelUse, recipe: DenoiserTrainingRecipe, pipeline: ImagePipeline) -> Form | Absent:
    is_whole = recipe.others == "on_card"
    parts = _parts(use, pipeline, needs_texts=is_whole, needs_decoder=is_whole)
    if isinstance(parts, Absent):
        return parts
    denoiser, texts, decoder = parts
    shape, is_known = denoiser_shape(denoiser)
    images = _images(recipe, denoiser)
    is_mixed, is_adapter = recipe.precision == "mixed", recipe.adapter_rank is not None
    learned = mem.Precision.FP32 if is_mixed else mem.Precision.BF16
    step = mem.DenoiserTraining(
        precision=mem.Precision.BF16 if is_adapter else learned,
        autocast=is_mixed,
        checkpointing=recipe.checkpointing,
        optimizer=mem.Optimizer(recipe.optimizer),
        adapter_parameters=None
        if recipe.adapter_rank is None
        else recipe.adapter_rank * denoiser.adapted_widths,
        adapter_precision=learned,
        is_foreach=recipe.foreach and recipe.optimizer != "adamw_8bit",
    )
    held = is_known and _has_training_points(shape.kind, recipe)
    computed = _working_basis(denoiser, held)
    if not recipe.checkpointing:  # what is kept is far more than what a convolution takes to compute in
        computed = WorkingBasis(Basis.POINTS_WITHOUT_READINGS if held else Basis.FORMULA)
    working: Working = (
        (Moment.TEXT_ENCODE, WorkingBasis(Basis.FORMULA)),
        (Moment.IMAGE_ENCODE, WorkingBasis(Basis.FORMULA)),
        (Moment.LOSS_BACKWARD, computed),
        (Moment.OPTIMIZER_STEP, WorkingBasis(Basis.REFERENCE_POINTS)),
    )

    def ledger() -> mem.MemoryLedger:
        if is_whole:
            return mem.pipeline_training_ledger(shape, texts, decoder, images, step)
        return mem.denoiser_training_ledger(shape, images, step)

    return Form(ledger, Basis.REFERENCE_POINTS, lambda: _levers(use), working)


def _working_basis(denoiser: Denoiser, held: bool) -> WorkingBasis:
    """Return what a step of a denoiser rests on; a UNet's convolutions need room that no form contains."""
    if denoiser.kind is not DenoiserKind.UNET:
        return WorkingBasis(Basis.POINTS_WITHOUT_READINGS if held else Basis.FORMULA)
    convolved = Basis.POINTS_WITHOUT_WORKSPACE
    return WorkingBasis(convolved) if held else WorkingBasis(Basis.FORMULA, RANGES[convolved][1])


def _has_training_points(kind: mem.Denoiser, recipe: DenoiserTrainingRecipe) -> bool:
    """Whether points were made of such a step: full training and mixed precision of few denoisers."""
    if kind is mem.Denoiser.UNET_SD1:
        return True
    if recipe.adapter_rank is None:
        return False
    if recipe.precision == "bf16":
        return True
    return kind is mem.Denoiser.UNET_SDXL and recipe.checkpointing


def doubles_for_guidance(denoiser: Denoiser) -> bool:
    """Whether guidance doubles the batch: Flux takes it as an input, or runs twice one after the other."""
    return denoiser.kind is not DenoiserKind.FLUX


def denoiser_shape(denoiser: Denoiser) -> tuple[mem.DenoiserShape, bool]:
    """Return the memory engine's shape of a denoiser, and whether reference points were made of such a one."""
    if denoiser.kind is DenoiserKind.UNET:
        kind = mem.Denoiser.UNET_SD1 if denoiser.attention_blocks[0] else mem.Denoiser.UNET_SDXL
        is_known = (denoiser.channels, denoiser.attention_blocks) == _UNET_SHAPES[kind]
        shape = mem.DenoiserShape(kind, denoiser.parameters, channels=denoiser.channels[0])
        return shape, is_known and denoiser.is_plain
    kind = mem.Denoiser.SD3 if denoiser.kind is DenoiserKind.SD3 else mem.Denoiser.FLUX
    shape = mem.DenoiserShape(
        kind,
        denoiser.parameters,
        hidden=denoiser.hidden,
        blocks=denoiser.blocks,
        text_tokens=TEXT_TOKENS[kind],
        position_side=denoiser.position_side,
    )
    return shape, denoiser.is_plain


_Parts = tuple[Denoiser, tuple[mem.TextEncoderShape, ...], mem.ImageDecoderShape]


def _parts(
    use: ModelUse, pipeline: ImagePipeline, *, needs_texts: bool, needs_decoder: bool
) -> _Parts | Absent:
    """Return the shapes of the parts that a recipe needs, or which one is not described."""
    denoiser, decoder = pipeline.denoiser, pipeline.decoder
    name = (("model", use.source.name),)
    if denoiser is None:
        return Absent("denoiser_not_described", (), name)
    if needs_texts and not pipeline.text_encoders:
        return Absent("text_encoders_not_described", (), name)
    if needs_decoder and decoder is None:
        return Absent("image_decoder_not_described", (), name)
    texts = [_text_shape(text, denoiser) for text in pipeline.text_encoders] if needs_texts else []
    found = tuple(text for text in texts if text is not None)
    has_other_scale = decoder is not None and decoder.scale != _LATENT_SCALE
    if len(found) != len(texts) or has_other_scale:
        return Absent("no_closed_form", (), name)
    shape = mem.ImageDecoderShape(0, 0, 0, 0)
    if decoder is not None:
        shape = mem.ImageDecoderShape(
            decoder.parameters, decoder.channels[1], decoder.channels[0], decoder.sample_size
        )
    return denoiser, found, shape


def _text_shape(text: TextEncoder, denoiser: Denoiser) -> mem.TextEncoderShape | None:
    """Return a text encoder over the tokens that the pipeline gives it; None where that is not known."""
    tokens = text.positions if text.kind == "clip" else _T5_TOKENS.get(denoiser.kind)
    if tokens is None:
        return None
    return mem.TextEncoderShape(
        parameters=text.parameters,
        layers=text.layers,
        hidden=text.hidden,
        inner=text.inner,
        heads=text.heads,
        wide=text.mlp * (2 if text.gated else 1),
        tokens=tokens,
        keeps_scores=text.kind == "t5",
    )


def _images(recipe: ImageRecipe | DenoiserTrainingRecipe, denoiser: Denoiser) -> mem.Images:
    """Return the images with sides up to the next multiple that the denoiser computes: 8 pixels, 16 in tokens."""
    step = _LATENT_SCALE if denoiser.kind is DenoiserKind.UNET else _TOKEN_SIDE
    return mem.Images(recipe.batch, -(-recipe.height // step) * step, -(-recipe.width // step) * step)
