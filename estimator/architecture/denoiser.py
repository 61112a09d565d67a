"""Denoisers of images from their diffusers config.json, counted exactly: UNet, SD3's and Flux's transformers.

Every trained tensor is counted as diffusers 0.42 builds it. An option that would add tensors which are not counted
here is an error by name: no denoiser is taken for another one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from estimator.architecture.fields import MAX_LAYERS, Fields

_MOST_LEVELS = 16
_MOST_CHANNELS = 65_536
_TIME_WIDTH = 256  # sinusoidal features of the time in a transformer


class DenoiserKind(StrEnum):
    """The network that removes noise."""

    UNET = "unet"
    SD3 = "sd3"
    FLUX = "flux"


@dataclass(frozen=True, slots=True)
class Denoiser:
    """A denoiser and its exact count.

    `adapted_widths`: inputs plus outputs of the attention maps that adapters stand on (to_q, to_k, to_v,
    to_out.0), summed: times the rank, an adapter's parameters. UNet: `channels` of each level and blocks of a
    transformer in each, 0 where a level has none. Transformers: `hidden`, `blocks` (Flux: double and single),
    `position_side` of the fp32 table of positions that SD3 keeps. `sample_size`: latent pixels of a side of the images
    that it was made for, where its file says so. `is_plain`: none of the options that change the
    network without changing its kind.
    """

    kind: DenoiserKind
    parameters: int
    adapted_widths: int
    latent_channels: int
    channels: tuple[int, ...] = ()
    attention_blocks: tuple[int, ...] = ()
    hidden: int = 0
    blocks: int = 0
    position_side: int = 0
    sample_size: int | None = None
    is_plain: bool = True


def linear(inputs: int, outputs: int, bias: bool = True) -> int:
    """Return the parameters of a linear map, or of a convolution of one pixel."""
    return inputs * outputs + (outputs if bias else 0)


def convolution(inputs: int, outputs: int) -> int:
    """Return the parameters of a convolution of 3 x 3."""
    return 9 * inputs * outputs + outputs


def resnet(inputs: int, outputs: int, time: int = 0) -> int:
    """Return the parameters of a residual block: two norms, two convolutions, the time's map, a shortcut."""
    count = 2 * inputs + convolution(inputs, outputs) + 2 * outputs + convolution(outputs, outputs)
    count += linear(time, outputs) if time else 0
    return count + (linear(inputs, outputs) if inputs != outputs else 0)


def sizes(fields: Fields, name: str, limit: int = _MOST_CHANNELS) -> tuple[int, ...]:
    """Return a required list of sizes, each 1 to `limit`; () where it is missing or wrong, which is noted."""
    items = fields.items(name, _MOST_LEVELS)
    if items is None:
        if fields.is_sound:
            fields.note("config_field_not_a_list", name)
        return ()
    found = [item for item in items if isinstance(item, int) and not isinstance(item, bool)]
    if not found or len(found) != len(items) or not all(1 <= item <= limit for item in found):
        fields.note("config_field_out_of_range", name, least=1, limit=limit)
        return ()
    return tuple(found)


def read_unet(fields: Fields) -> Denoiser | None:
    """Return a conditional UNet (Stable Diffusion 1, 2, XL), or None with its problems noted."""
    channels = sizes(fields, "block_out_channels")
    levels = len(channels)
    layers = _each(fields, "layers_per_block", 2, levels, 64)
    context = _each(fields, "cross_attention_dim", None, levels, _MOST_CHANNELS)
    depth = _each(fields, "transformer_layers_per_block", 1, levels, 256)
    down = _block_types(fields, "down_block_types", levels, ("DownBlock2D", "CrossAttnDownBlock2D"))
    up = _block_types(fields, "up_block_types", levels, ("UpBlock2D", "CrossAttnUpBlock2D"))
    inputs = fields.size_or("in_channels", 4, "format_default", _MOST_CHANNELS)
    outputs = fields.size_or("out_channels", 4, "format_default", _MOST_CHANNELS)
    _refuse_options(fields, _UNET_OPTIONS)
    added = _added_embedding(fields)
    if not fields.is_sound or not channels:
        return None
    first, last, time = channels[0], channels[-1], 4 * channels[0]
    count = convolution(inputs, first) + linear(first, time) + linear(time, time) + 2 * first
    count += convolution(first, outputs) + (linear(added, time) + linear(time, time) if added else 0)
    count += 2 * resnet(last, last, time)
    count += _unet_down(channels, layers, time) + _unet_up(channels, layers, time)
    # How many spatial transformers each level has, going down and coming up, and the one in the middle.
    transformers = [
        (layers[at] if down[at] else 0) + (layers[at] + 1 if up[levels - 1 - at] else 0)
        for at in range(levels)
    ]
    transformers[-1] += 1
    adapted = 0
    for at, spatial in enumerate(transformers):
        count += spatial * _spatial_transformer(channels[at], context[at], depth[at])
        adapted += spatial * depth[at] * _adapted(channels[at], context[at])
    blocks = tuple(depth[at] if down[at] else 0 for at in range(levels))
    is_plain = set(layers) == {2} and [bool(one) for one in blocks] == list(reversed(up))
    return Denoiser(
        DenoiserKind.UNET,
        count,
        adapted,
        inputs,
        channels=channels,
        attention_blocks=blocks,
        sample_size=_sample_size(fields),
        is_plain=is_plain,
    )


def _unet_down(channels: tuple[int, ...], layers: tuple[int, ...], time: int) -> int:
    """Return the parameters of the residual blocks and steps down from the first level to the deepest."""
    count, before = 0, channels[0]
    for at, width in enumerate(channels):
        count += resnet(before, width, time) + (layers[at] - 1) * resnet(width, width, time)
        count += convolution(width, width) if at < len(channels) - 1 else 0
        before = width
    return count


def _unet_up(channels: tuple[int, ...], layers: tuple[int, ...], time: int) -> int:
    """Return the parameters of the residual blocks, which read the way down's results too, and steps up."""
    count, previous = 0, channels[-1]
    for at in reversed(range(len(channels))):
        width, below = channels[at], channels[max(at - 1, 0)]
        for layer in range(layers[at] + 1):
            skip = below if layer == layers[at] else width
            count += resnet((previous if layer == 0 else width) + skip, width, time)
        count += convolution(width, width) if at > 0 else 0
        previous = width
    return count


def read_sd3(fields: Fields) -> Denoiser | None:
    """Return the transformer of Stable Diffusion 3 (MMDiT, arXiv 2403.03206), or None with its problems noted."""
    blocks, heads = fields.size("num_layers", MAX_LAYERS), fields.size("num_attention_heads", 4096)
    head = fields.size("attention_head_dim", 4096)
    context, pooled = fields.size("joint_attention_dim"), fields.size("pooled_projection_dim")
    caption = fields.size("caption_projection_dim")
    patch = fields.size_or("patch_size", 2, "format_default", 64)
    inputs = fields.size_or("in_channels", 16, "format_default", _MOST_CHANNELS)
    outputs = fields.size_or("out_channels", 16, "format_default", _MOST_CHANNELS)
    side = fields.size_or("pos_embed_max_size", 96, "format_default", 4096)
    normed = _query_key_norm(fields)
    dual = _dual_layers(fields, blocks)
    if not fields.is_sound:
        return None
    hidden = heads * head
    norms = 2 * head if normed else 0
    count = linear(patch * patch * inputs, hidden) + linear(context, caption)
    count += _embedded(_TIME_WIDTH, hidden) + _embedded(pooled, hidden)
    both = 2 * linear(hidden, 6 * hidden) + 8 * linear(hidden, hidden) + 2 * norms + 2 * _wide(hidden)
    # The last block gives no text on: a smaller norm of the text, neither its output map nor its MLP.
    missing = linear(hidden, 6 * hidden) - linear(hidden, 2 * hidden)
    missing += linear(hidden, hidden) + _wide(hidden)
    count += blocks * both - missing
    count += dual * (4 * linear(hidden, hidden) + norms + linear(hidden, 3 * hidden))
    count += linear(hidden, 2 * hidden) + linear(hidden, patch * patch * outputs)
    return Denoiser(
        DenoiserKind.SD3,
        count,
        (blocks + dual) * 8 * hidden,
        inputs,
        hidden=hidden,
        blocks=blocks,
        position_side=side,
        sample_size=_sample_size(fields),
        is_plain=not normed and not dual and patch == 2,
    )


def read_flux(fields: Fields) -> Denoiser | None:
    """Return the transformer of Flux.1, or None with its problems noted."""
    double, single = fields.size("num_layers", MAX_LAYERS), fields.size("num_single_layers", MAX_LAYERS)
    heads, head = fields.size("num_attention_heads", 4096), fields.size("attention_head_dim", 4096)
    context, pooled = fields.size("joint_attention_dim"), fields.size("pooled_projection_dim")
    patch = fields.size_or("patch_size", 1, "format_default", 64)
    inputs = fields.size_or("in_channels", 64, "format_default", _MOST_CHANNELS)
    outputs = fields.optional("out_channels", _MOST_CHANNELS) or inputs
    guided = fields.flag("guidance_embeds", False)
    if not fields.is_sound:
        return None
    hidden = heads * head
    count = linear(inputs, hidden) + linear(context, hidden)
    count += (2 if guided else 1) * _embedded(_TIME_WIDTH, hidden) + _embedded(pooled, hidden)
    count += double * (
        2 * linear(hidden, 6 * hidden) + 8 * linear(hidden, hidden) + 4 * head + 2 * _wide(hidden)
    )
    count += single * (
        2 * linear(hidden, 3 * hidden)  # of the norm; query, key and value
        + linear(hidden, 4 * hidden)
        + linear(5 * hidden, hidden)
        + 2 * head
    )
    count += linear(hidden, 2 * hidden) + linear(hidden, patch * patch * outputs)
    return Denoiser(
        DenoiserKind.FLUX,
        count,
        (8 * double + 6 * single) * hidden,
        inputs // 4,  # of 2 x 2 latent pixels packed into a token
        hidden=hidden,
        blocks=double + single,
        is_plain=patch == 1,
    )


READERS: dict[str, Callable[[Fields], Denoiser | None]] = {
    "UNet2DConditionModel": read_unet,
    "SD3Transformer2DModel": read_sd3,
    "FluxTransformer2DModel": read_flux,
}
"""The reader of each class of diffusers, by its name in the file."""

# Options of a UNet that add or take tensors: not counted, so refused unless they have the class's own value.
_UNET_OPTIONS: dict[str, tuple[object, ...]] = {
    "class_embed_type": (None,),
    "num_class_embeds": (None,),
    "encoder_hid_dim": (None,),
    "encoder_hid_dim_type": (None,),
    "time_embedding_dim": (None,),
    "time_embedding_type": (None, "positional"),
    "time_cond_proj_dim": (None,),
    "dual_cross_attention": (None, False),
    "only_cross_attention": (None, False),
    "mid_block_only_cross_attention": (None, False),
    "mid_block_type": (None, "UNetMidBlock2DCrossAttn"),
    "resnet_time_scale_shift": (None, "default"),
    "reverse_transformer_layers_per_block": (None,),
    "conv_in_kernel": (None, 3),
    "conv_out_kernel": (None, 3),
    "attention_type": (None, "default"),
    "cross_attention_norm": (None,),
    "dropout": (None, 0, 0.0),
}


def _refuse_options(fields: Fields, options: dict[str, tuple[object, ...]]) -> None:
    for name, counted in options.items():
        value = fields.raw(name)
        if not any(value is one or (type(value) is type(one) and value == one) for one in counted):
            fields.note("denoiser_option_not_counted", name)


def _each(fields: Fields, name: str, absent: int | None, levels: int, limit: int) -> tuple[int, ...]:
    """Return a size for each level from one number or a list; `absent` None: the field is required."""
    value = fields.raw(name)
    if isinstance(value, list):
        found = sizes(fields, name, limit)
        if found and len(found) != levels:
            fields.contradict("config_field_out_of_range", name, least=levels, limit=levels)
        return found
    one = (
        fields.size(name, limit) if absent is None else fields.size_or(name, absent, "format_default", limit)
    )
    return (one,) * levels


def _block_types(fields: Fields, name: str, levels: int, known: tuple[str, str]) -> tuple[bool, ...]:
    """Return for each block whether it has attention; `known`: the block without and the block with it."""
    items = fields.items(name, _MOST_LEVELS)
    if items is None or len(items) != levels or any(item not in known for item in items):
        fields.note("denoiser_option_not_counted", name)
        return (False,) * levels
    return tuple(item == known[1] for item in items)


def _added_embedding(fields: Fields) -> int:
    """Return the inputs of the embedding of sizes and pooled text beside the time's, 0 where there is none."""
    kind = fields.raw("addition_embed_type")
    if kind is None:
        return 0
    if kind != "text_time":
        fields.note("denoiser_option_not_counted", "addition_embed_type")
        return 0
    return fields.size("projection_class_embeddings_input_dim")


def _sample_size(fields: Fields) -> int | None:
    value = fields.raw("sample_size")
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**16 else None


def _query_key_norm(fields: Fields) -> bool:
    kind = fields.raw("qk_norm")
    if kind not in (None, "rms_norm"):
        fields.note("denoiser_option_not_counted", "qk_norm")
    return kind is not None


def _dual_layers(fields: Fields, blocks: int) -> int:
    """Return how many blocks have a second attention over the image alone (SD3.5 medium)."""
    if not fields.raw("dual_attention_layers"):
        return 0
    items = fields.items("dual_attention_layers", MAX_LAYERS) or ()
    whole = {item for item in items if isinstance(item, int) and not isinstance(item, bool)}
    if len(whole) != len(items) or not all(0 <= item < blocks for item in whole):
        fields.note("config_field_out_of_range", "dual_attention_layers", least=0, limit=blocks - 1)
    return len(whole)


def _spatial_transformer(width: int, context: int, depth: int) -> int:
    """Return the parameters of a level's transformer: in and out maps, and blocks of two attentions and an MLP."""
    own = linear(width, 3 * width, bias=False) + linear(width, width)
    cross = linear(width, width, bias=False) + linear(context, 2 * width, bias=False) + linear(width, width)
    mlp = linear(width, 8 * width) + linear(4 * width, width)
    return 2 * width + 2 * linear(width, width) + depth * (own + cross + mlp + 6 * width)


def _adapted(width: int, context: int) -> int:
    """Return inputs plus outputs of the eight attention maps of a block of a UNet's transformer."""
    return 4 * 2 * width + 2 * 2 * width + 2 * (context + width)


def _embedded(inputs: int, hidden: int) -> int:
    """Return the parameters of two linear maps that embed the time, the guidance or the pooled text."""
    return linear(inputs, hidden) + linear(hidden, hidden)


def _wide(hidden: int) -> int:
    """Return the parameters of a plain MLP four times as wide."""
    return linear(hidden, 4 * hidden) + linear(4 * hidden, hidden)
