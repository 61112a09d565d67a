"""Peak of a whole image pipeline: encoding the text, denoising, decoding the image; and of training its denoiser.

The peak is the largest moment, never a sum of peaks: while one part runs, of the others only their weights are
there, and those only where they stay on the card. Text encoders and the image encoder rest on a formula alone,
from the tensors that transformers 5.24 and diffusers 0.42 keep; their weights are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from estimator.memory.diffusion import (
    ACTIVATIONS,
    TEMPORARIES,
    DenoiserShape,
    DenoiserTraining,
    Images,
    decoding_working,
    denoiser_training_ledger,
    denoising_ledger,
)
from estimator.memory.ledger import Held, MemoryLedger, Moment, MomentKind, StateClass, moment
from estimator.memory.recipe import Precision

WEIGHTS = StateClass.WEIGHTS


class Placement(StrEnum):
    """Where the parts of a pipeline stay while another one runs."""

    ALL_ON_CARD = "all_on_card"
    ONE_AT_A_TIME = "one_at_a_time"
    TEXTS_ELSEWHERE = "texts_elsewhere"


class Decoding(StrEnum):
    """How latents become pixels: the whole batch, one image at a time, or one image in tiles."""

    WHOLE = "whole"
    SLICES = "slices"
    TILES = "tiles"


@dataclass(frozen=True, slots=True)
class TextEncoderShape:
    """A text encoder over `tokens`; `wide`: all of its MLP's inner widths (two of a gated one).

    `keeps_scores`: attention that stores its scores and a bias on positions (T5), not a fused kernel (CLIP).
    """

    parameters: int
    layers: int
    hidden: int
    inner: int
    heads: int
    wide: int
    tokens: int
    keeps_scores: bool


@dataclass(frozen=True, slots=True)
class ImageDecoderShape:
    """`parameters` of encoder and decoder; `channels` at full resolution of the decoder and of the encoder.

    `tile`: pixels of a side of a tile.
    """

    parameters: int
    channels: int
    encoder_channels: int
    tile: int


@dataclass(frozen=True, slots=True)
class ImageGeneration:
    """How images are made; `is_doubled`: each with and without its text in one batch of the denoiser."""

    images: Images
    precision: Precision
    decoder_precision: Precision
    is_doubled: bool
    placement: Placement
    decoding: Decoding


def image_generation_ledger(
    denoiser: DenoiserShape,
    texts: tuple[TextEncoderShape, ...],
    decoder: ImageDecoderShape,
    recipe: ImageGeneration,
) -> MemoryLedger:
    """Return what a card holds at each moment of making images."""
    element, images = recipe.precision.size, recipe.images
    text_weights = 0 if recipe.placement is Placement.TEXTS_ELSEWHERE else text_bytes(texts, element)
    decoder_weights = decoder.parameters * recipe.decoder_precision.size
    seen = replace(images, batch=2 * images.batch) if recipe.is_doubled else images
    denoising = denoising_ledger(denoiser, seen, recipe.precision).worst
    is_alone = recipe.placement is Placement.ONE_AT_A_TIME
    denoiser_weights = denoising.of(WEIGHTS)
    tile = decoder.tile if recipe.decoding is Decoding.TILES else 0
    slices = recipe.decoding is not Decoding.WHOLE
    decoding = decoding_working(images, recipe.decoder_precision.size, decoder.channels, slices, tile)
    moments: list[Moment] = []
    if text_weights:
        beside = 0 if is_alone else denoiser_weights + decoder_weights
        moments.append(text_moment(texts, images.batch, element, beside, is_alone))
    rest: Held = {WEIGHTS: 0 if is_alone else text_weights + decoder_weights}
    moments.append(moment(MomentKind.DENOISE, dict(denoising.lines), rest))
    weights = decoder_weights if is_alone else denoiser_weights + text_weights + decoder_weights
    moments.append(moment(MomentKind.IMAGE_DECODE, {WEIGHTS: weights}, decoding))
    return MemoryLedger(tuple(moments))


def pipeline_training_ledger(
    denoiser: DenoiserShape,
    texts: tuple[TextEncoderShape, ...],
    decoder: ImageDecoderShape,
    images: Images,
    recipe: DenoiserTraining,
) -> MemoryLedger:
    """Return what a card holds in a training step of the denoiser while the other parts, frozen, stay on it.

    They stand in 16 bits. Texts and images are encoded before the step, beside weights and optimizer state.
    """
    step = denoiser_training_ledger(denoiser, images, recipe)
    frozen = 2 * (decoder.parameters + sum(text.parameters for text in texts))
    resident: Held = {
        state: size for state, size in step.moments[0].lines if state in (WEIGHTS, StateClass.OPTIMIZER)
    }
    resident[WEIGHTS] += frozen
    own = 2 * sum(text.parameters for text in texts)
    text = text_moment(texts, images.batch, 2, resident[WEIGHTS] - own, is_alone=False)
    optimizer: Held = {StateClass.OPTIMIZER: resident.get(StateClass.OPTIMIZER, 0)}
    pixels = images.height * images.width * images.batch
    encoding: Held = {TEMPORARIES: 3 * decoder.encoder_channels * 2 * pixels}
    return MemoryLedger(
        (
            moment(MomentKind.TEXT_ENCODE, dict(text.lines), optimizer),
            moment(MomentKind.IMAGE_ENCODE, resident, encoding),
            *(moment(one.kind, dict(one.lines), {WEIGHTS: frozen}) for one in step.moments),
        )
    )


def text_bytes(texts: tuple[TextEncoderShape, ...], element: int) -> int:
    """Return the bytes of all text encoders."""
    return element * sum(text.parameters for text in texts)


def text_moment(
    texts: tuple[TextEncoderShape, ...], batch: int, element: int, beside: int, is_alone: bool
) -> Moment:
    """Return the text encoder that needs most while it runs, with `beside` bytes of other weights.

    `is_alone`: of the text encoders too only the one that runs is on the card.
    """
    found = [
        moment(
            MomentKind.TEXT_ENCODE,
            {WEIGHTS: beside + (text.parameters * element if is_alone else text_bytes(texts, element))},
            text_working(text, batch, element),
        )
        for text in texts
    ]
    return max(found, key=lambda one: one.total_bytes)


def text_working(text: TextEncoderShape, batch: int, element: int) -> Held:
    """Return what encoding keeps and makes: the states of all layers, and one layer's widest operation.

    A layer holds its input, norm, queries, keys and values, or its MLP's inner widths and their product. Scores
    that are kept: in the type of computation, in fp32 before and after the softmax, and the bias on positions.
    """
    rows = batch * text.tokens
    attention = rows * (2 * text.hidden + 4 * text.inner) * element
    if text.keeps_scores:
        attention += (8 + 2 * element) * text.heads * rows * text.tokens
    wide = rows * (2 * text.hidden + 2 * text.wide) * element
    return {
        ACTIVATIONS: (text.layers + 1) * text.hidden * rows * element,
        TEMPORARIES: max(attention, wide),
    }
