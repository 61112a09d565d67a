"""A pipeline that makes images, from the config.json of its parts: denoiser, text encoders, image decoder (VAE).

The parts are named as diffusers names their folders (unet or transformer, text_encoder, text_encoder_2,
text_encoder_3, vae); a file of one part alone is a pipeline whose other parts are not described. Nothing is filled
in for a part that is not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from estimator.architecture.denoiser import READERS, Denoiser, convolution, linear, resnet, sizes
from estimator.architecture.fields import MAX_LAYERS, Fields
from estimator.architecture.model import FieldReading
from estimator.problems import Problem, Severity

DENOISER_PARTS = ("unet", "transformer")
TEXT_PARTS = ("text_encoder", "text_encoder_2", "text_encoder_3")
IMAGE_PART = "vae"
_TEXT_TYPES = ("clip_text_model", "t5")


@dataclass(frozen=True, slots=True)
class ImageDecoder:
    """An AutoencoderKL, encoder included: `channels` of its levels, `scale` pixels a side of a latent pixel."""

    parameters: int
    channels: tuple[int, ...]
    sample_size: int

    @property
    def scale(self) -> int:
        """Pixels of a side that one latent pixel stands for."""
        return int(2 ** (len(self.channels) - 1))


@dataclass(frozen=True, slots=True)
class TextEncoder:
    """A text encoder: CLIP's or T5's. `inner`: the width of all heads; `positions`: the tokens that CLIP reads."""

    kind: Literal["clip", "t5"]
    parameters: int
    layers: int
    hidden: int
    inner: int
    heads: int
    mlp: int
    gated: bool = False
    positions: int = 0


@dataclass(frozen=True, slots=True)
class ImagePipeline:
    """The described parts of a pipeline; None and () where a part is not described."""

    name: str
    denoiser: Denoiser | None
    text_encoders: tuple[TextEncoder, ...]
    decoder: ImageDecoder | None
    readings: tuple[FieldReading, ...] = ()

    @property
    def parameters(self) -> int:
        """Parameters of all described parts."""
        parts = (self.denoiser, self.decoder, *self.text_encoders)
        return sum(part.parameters for part in parts if part is not None)


@dataclass(frozen=True, slots=True)
class PipelineReading:
    """What the configurations of a pipeline say, or None where a problem forbids it, and the problems either way."""

    pipeline: ImagePipeline | None
    problems: tuple[Problem, ...] = ()


def is_image_pipeline(config: Mapping[str, object]) -> bool:
    """Return whether a config is of a diffusers part, or holds one: such files name their class."""
    parts = (config, *(config.get(name) for name in (*DENOISER_PARTS, IMAGE_PART)))
    return any(isinstance(part, Mapping) and isinstance(part.get("_class_name"), str) for part in parts)


def part_name(config: Mapping[str, object]) -> str:
    """Return the part of a pipeline that a config.json alone describes, "" where it is none."""
    named = config.get("_class_name")
    if named == "AutoencoderKL":
        return IMAGE_PART
    if isinstance(named, str) and named in READERS:
        return "unet" if named.startswith("UNet") else "transformer"
    return "text_encoder" if config.get("model_type") in _TEXT_TYPES else ""


def with_part(pipeline: Mapping[str, object], part: Mapping[str, object]) -> dict[str, object] | None:
    """Return a pipeline's configuration with one part more; None where the config is none, or a second denoiser.

    A text encoder takes the first free place of three, and the third once none is free.
    """
    name, own = part_name(part), part_name(pipeline)
    whole: dict[str, object] = {own: dict(pipeline)} if own else dict(pipeline)
    has_denoiser = any(place in whole for place in DENOISER_PARTS)
    if not name or (name in DENOISER_PARTS and has_denoiser):
        return None
    if name == "text_encoder":
        name = next((place for place in TEXT_PARTS if place not in whole), TEXT_PARTS[-1])
    whole[name] = dict(part)
    return whole


def read_pipeline(config: Mapping[str, object], name: str = "") -> PipelineReading:
    """Return the reading of a pipeline's parts, or of one part's config.json. Never raises."""
    own = part_name(config)
    fields = Fields(config)
    part = fields if own in DENOISER_PARTS else _part(fields, DENOISER_PARTS)
    denoiser = None
    if part is not None:
        reader = READERS.get(part.text("_class_name"))
        if reader is None:
            part.note("denoiser_unknown", "_class_name", model_class=part.text("_class_name") or "?")
        else:
            denoiser = reader(part)
    elif own != IMAGE_PART:
        fields.note("denoiser_unknown", "_class_name", model_class=fields.text("_class_name") or "?")
    image_part = fields if own == IMAGE_PART else _part(fields, (IMAGE_PART,))
    decoder = None if image_part is None else _read_decoder(image_part)
    texts = [_read_text(inner) for inner in (fields.inner(one) for one in TEXT_PARTS) if inner is not None]
    if not fields.is_sound:
        return PipelineReading(None, tuple(dict.fromkeys(fields.problems)))
    pipeline = ImagePipeline(
        name,
        denoiser,
        tuple(text for text in texts if text is not None),
        decoder,
        tuple(fields.readings),
    )
    _note_parts(fields, pipeline)
    return PipelineReading(pipeline, tuple(dict.fromkeys(fields.problems)))


def _part(fields: Fields, names: tuple[str, ...]) -> Fields | None:
    return next((part for part in (fields.inner(name) for name in names) if part is not None), None)


def _note_parts(fields: Fields, pipeline: ImagePipeline) -> None:
    """Say which parts are not described, as warnings: what needs them is absent, the rest is not."""
    if pipeline.denoiser is None:
        fields.note("denoiser_not_described", "unet", Severity.WARNING)
    if not pipeline.text_encoders:
        fields.note("text_encoders_not_described", "text_encoder", Severity.WARNING)
    if pipeline.decoder is None:
        fields.note("image_decoder_not_described", IMAGE_PART, Severity.WARNING)


def _read_decoder(fields: Fields) -> ImageDecoder | None:
    """Return an AutoencoderKL (arXiv 2112.10752), or None with its problems noted."""
    if fields.text("_class_name") != "AutoencoderKL":
        fields.note("image_decoder_unknown", "_class_name", model_class=fields.text("_class_name") or "?")
        return None
    channels = sizes(fields, "block_out_channels")
    latent = fields.size("latent_channels", 4096)
    layers = fields.size_or("layers_per_block", 1, "format_default", 64)
    inputs = fields.size_or("in_channels", 3, "format_default", 4096)
    outputs = fields.size_or("out_channels", 3, "format_default", 4096)
    sample = fields.size_or("sample_size", 32, "format_default", 65_536)
    coded = fields.flag("use_quant_conv", True), fields.flag("use_post_quant_conv", True)
    has_attention = fields.flag("mid_block_add_attention", True)
    if not fields.is_sound or not channels:
        return None
    first, last = channels[0], channels[-1]
    middle = 2 * resnet(last, last) + (2 * last + 4 * linear(last, last) if has_attention else 0)
    encoder = convolution(inputs, first) + middle + 2 * last + convolution(last, 2 * latent)
    decoder = convolution(latent, last) + middle + 2 * first + convolution(first, outputs)
    before, above = first, last
    for at, width in enumerate(channels):
        encoder += resnet(before, width) + (layers - 1) * resnet(width, width)
        encoder += convolution(width, width) if at < len(channels) - 1 else 0
        before = width
    for at, width in enumerate(reversed(channels)):
        decoder += resnet(above, width) + layers * resnet(width, width)
        decoder += convolution(width, width) if at < len(channels) - 1 else 0
        above = width
    count = encoder + decoder
    count += linear(2 * latent, 2 * latent) if coded[0] else 0
    count += linear(latent, latent) if coded[1] else 0
    return ImageDecoder(count, channels, sample)


def _read_text(fields: Fields) -> TextEncoder | None:
    """Return a text encoder, or None with its problems noted."""
    kind = fields.text("model_type")
    if kind == "clip_text_model":
        return _read_clip(fields)
    if kind == "t5":
        return _read_t5(fields)
    fields.note("text_encoder_unknown", "model_type", model_type=kind or "?")
    return None


def _read_clip(fields: Fields) -> TextEncoder | None:
    """Return CLIP's text model (arXiv 2103.00020), with its projection where the file's class has it."""
    hidden, mlp = fields.size("hidden_size"), fields.size("intermediate_size")
    layers, heads = fields.size("num_hidden_layers", MAX_LAYERS), fields.size("num_attention_heads", 4096)
    vocab = fields.size_or("vocab_size", 49_408, "format_default")
    positions = fields.size_or("max_position_embeddings", 77, "format_default", 65_536)
    classes = fields.items("architectures", 64) or ()
    projection = 0
    if classes and classes[0] == "CLIPTextModelWithProjection":
        projection = fields.size_or("projection_dim", 512, "format_default")
    if not fields.is_sound:
        return None
    layer = 4 * linear(hidden, hidden) + 4 * hidden + linear(hidden, mlp) + linear(mlp, hidden)
    count = (vocab + positions) * hidden + layers * layer + 2 * hidden + projection * hidden
    return TextEncoder("clip", count, layers, hidden, hidden, heads, mlp, positions=positions)


def _read_t5(fields: Fields) -> TextEncoder | None:
    """Return T5's encoder alone (arXiv 1910.10683): no biases, relative positions in the first layer."""
    hidden, mlp = fields.size("d_model"), fields.size("d_ff")
    layers, heads = fields.size("num_layers", MAX_LAYERS), fields.size("num_heads", 4096)
    head, vocab = fields.size("d_kv", 4096), fields.size("vocab_size")
    buckets = fields.size_or("relative_attention_num_buckets", 32, "format_default", 65_536)
    gated = fields.text("feed_forward_proj").startswith("gated-")
    if not fields.is_sound:
        return None
    layer = 4 * hidden * heads * head + (3 if gated else 2) * hidden * mlp + 2 * hidden
    count = vocab * hidden + layers * layer + buckets * heads + hidden
    return TextEncoder("t5", count, layers, hidden, heads * head, heads, mlp, gated)
