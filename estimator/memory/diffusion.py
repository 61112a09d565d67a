"""Peak of image generation and training: denoisers (UNet of SD 1.x and SDXL, SD3, Flux) and the image decoder.

Source: diffusers 0.42 on torch 2.13. Inference coefficients hold over resolutions and batches; training ones rest
on few points. The convolution workspace of cuDNN is not counted; text encoders and what a whole pipeline holds are
in `image_generation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from estimator.memory.ledger import Held, MemoryLedger, MomentKind, StateClass, moment
from estimator.memory.recipe import Optimizer, Precision
from estimator.memory.training import optimizer_bytes

TEMPORARIES, ACTIVATIONS = StateClass.TEMPORARIES, StateClass.ACTIVATIONS
KILO = 1000
UNET_CHANNELS = 320
"""Channels of the first level of the UNets of the reference points; saved tensors and temporaries grow with them."""
DECODER_CHANNELS = 256
"""Channels of the last upsampled level of the image decoders of the reference points, at full resolution."""


class Denoiser(StrEnum):
    """The network that removes noise."""

    UNET_SD1 = "unet_sd1"
    UNET_SDXL = "unet_sdxl"
    SD3 = "sd3"
    FLUX = "flux"


@dataclass(frozen=True, slots=True)
class DenoiserShape:
    """`hidden` and `blocks` (double and single) of a transformer; `text_tokens` that it reads beside the image.

    `position_side`: side of the fp32 table of positions that SD3 keeps, 0 for the others. `channels`: of the first
    level of a UNet.
    """

    kind: Denoiser
    parameters: int
    hidden: int = 0
    blocks: int = 0
    text_tokens: int = 0
    position_side: int = 0
    channels: int = UNET_CHANNELS


@dataclass(frozen=True, slots=True)
class Images:
    """A batch of images; guidance without a classifier doubles the batch that the denoiser sees."""

    batch: int
    height: int
    width: int

    @property
    def latents(self) -> int:
        """Latent pixels of the whole batch: one of 8 x 8."""
        return self.batch * self.height * self.width // 64

    @property
    def tokens(self) -> int:
        """Tokens of one image: 2 x 2 latent pixels each."""
        return self.height * self.width // 256


@dataclass(frozen=True, slots=True)
class DenoiserTraining:
    """How a denoiser is trained; `adapter_parameters` None: all of it."""

    precision: Precision
    autocast: bool
    checkpointing: bool
    optimizer: Optimizer
    adapter_parameters: int | None
    adapter_precision: Precision
    is_foreach: bool = False


def denoising_ledger(shape: DenoiserShape, images: Images, precision: Precision) -> MemoryLedger:
    """Return what a card holds during one step of the denoiser."""
    working = denoising_temporaries(shape, images, precision.size)
    held = _weights(shape, precision)
    return MemoryLedger((moment(MomentKind.DENOISE, held, {TEMPORARIES: working}),))


def denoising_temporaries(shape: DenoiserShape, images: Images, element: int) -> int:
    """Bytes above the parameters during one step."""
    if shape.kind is Denoiser.UNET_SD1:
        return 26 * shape.channels * element * images.latents
    if shape.kind is Denoiser.UNET_SDXL:
        return 158 * shape.channels * element * images.latents // 10
    width = shape.hidden * element * images.batch
    if shape.kind is Denoiser.SD3:
        return (130 * images.tokens + 31 * shape.text_tokens) * width // 10
    return 1715 * (images.tokens + shape.text_tokens) * width // 100


def image_decoder_ledger(parameters: int, images: Images, precision: Precision, slices: bool) -> MemoryLedger:
    """Return what a card holds while the image decoder (VAE) runs; `slices`: one image at a time, outputs kept."""
    held = {StateClass.WEIGHTS: parameters * precision.size}
    working = decoding_working(images, precision.size, DECODER_CHANNELS, slices)
    return MemoryLedger((moment(MomentKind.IMAGE_DECODE, held, working),))


def decoding_working(images: Images, element: int, channels: int, slices: bool, tile: int = 0) -> Held:
    """Return what decoding keeps and makes: three tensors of the widest level at full resolution.

    `tile`: pixels of a side of the pieces that an image is decoded in (0: whole), each a quarter over the next.
    """
    pixels = images.height * images.width
    at_once = 1 if slices else images.batch
    outputs = 3 * element * pixels * images.batch if slices else 0
    if not tile or (images.height <= tile and images.width <= tile):
        return {ACTIVATIONS: outputs, TEMPORARIES: 3 * channels * element * pixels * at_once}
    stride = tile - tile // 4
    pieces = -(-images.height // stride) * -(-images.width // stride)
    piece = min(tile, images.height) * min(tile, images.width)
    kept = 3 * element * (pieces * piece + pixels) * at_once  # the pieces, and the image that is put together
    return {ACTIVATIONS: outputs + kept, TEMPORARIES: 3 * channels * element * piece * at_once}


def denoiser_training_ledger(shape: DenoiserShape, images: Images, recipe: DenoiserTraining) -> MemoryLedger:
    """Return what a card holds at the loss and at the optimizer step."""
    size, trained = recipe.precision.size, recipe.adapter_parameters
    held = _weights(shape, recipe.precision)
    if trained is None:
        gradients = size * shape.parameters
        held[StateClass.OPTIMIZER] = optimizer_bytes(recipe.optimizer, shape.parameters, size)
    else:
        gradients = recipe.adapter_precision.size * trained
        held[StateClass.WEIGHTS] += gradients
        held[StateClass.OPTIMIZER] = optimizer_bytes(recipe.optimizer, trained, recipe.adapter_precision.size)
    casts = 2 * shape.parameters if recipe.autocast and trained is None else 0
    saved = {ACTIVATIONS: training_saved(shape, images, recipe), TEMPORARIES: casts}
    moments = [moment(MomentKind.LOSS_BACKWARD, held, saved)]
    step = {StateClass.GRADIENTS: gradients, TEMPORARIES: gradients if recipe.is_foreach else 0}
    moments.append(moment(MomentKind.OPTIMIZER_STEP, held, step))
    return MemoryLedger(tuple(moments))


def training_saved(shape: DenoiserShape, images: Images, recipe: DenoiserTraining) -> int:
    """Bytes saved for the backward pass and its worst temporaries; full checkpointed training saves next to none."""
    is_adapter = recipe.adapter_parameters is not None
    is_mixed = recipe.autocast and recipe.adapter_precision is Precision.FP32
    text_and_image = images.tokens + shape.text_tokens
    if shape.kind in (Denoiser.UNET_SD1, Denoiser.UNET_SDXL):
        kilobytes = _unet_saved(shape.kind, recipe, is_adapter, is_mixed)
        return kilobytes * KILO * images.latents * shape.channels // UNET_CHANNELS
    width = shape.hidden * text_and_image * images.batch
    if shape.kind is Denoiser.SD3:
        return 81 * width if recipe.checkpointing else 236 * shape.blocks * width // 10
    if recipe.checkpointing:
        return (2 * shape.blocks + 55) * width
    return 304 * shape.blocks * width // 10


def _unet_saved(kind: Denoiser, recipe: DenoiserTraining, is_adapter: bool, is_mixed: bool) -> int:
    """Kilobytes for each latent pixel, at the channels of the reference points."""
    if kind is Denoiser.UNET_SDXL:
        if recipe.checkpointing:
            return 44 if is_mixed else 33
        return 348
    if recipe.checkpointing:
        return 57
    if is_adapter:
        return 285 if is_mixed else 202
    return 308 if recipe.autocast else 233


def _weights(shape: DenoiserShape, precision: Precision) -> Held:
    table = 4 * shape.position_side**2 * shape.hidden
    return {StateClass.WEIGHTS: shape.parameters * precision.size + table}
