"""What a model keeps of the tokens it has read: growing keys and values, latents, windows, fixed states.

Bytes of one whole model; dividing them over cards is `memory`'s. Paging and what an engine reserves are not here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from estimator.architecture.model import Architecture, Attention, LatentAttention, Layer, LinearAttention

LatentForm = Literal["latent", "expanded"]


@dataclass(frozen=True, slots=True)
class CacheBytes:
    """Bytes kept: growing with the context, capped by windows, of fixed size, of the encoder's output.

    `windows_trimmed` says which of the two figures for windowed layers this is.
    """

    growing: int
    windowed: int
    state: int
    cross: int
    windows_trimmed: bool

    @property
    def total(self) -> int:
        """All of it together."""
        return self.growing + self.windowed + self.state + self.cross


def kv_elements_per_token(architecture: Architecture, latent_form: LatentForm = "latent") -> int:
    """Return the values that one token adds to the cache, every layer charged as if it kept all tokens.

    2 × KV heads × head width per layer; a latent layer `latent_elements_per_token`; a linear layer nothing.
    """
    return sum(count * layer_elements_per_token(layer, latent_form) for layer, count in architecture.kinds)


def layer_elements_per_token(layer: Layer, latent_form: LatentForm = "latent") -> int:
    """Return the values that one token adds to the cache of one layer."""
    mixing = layer.mixing
    if isinstance(mixing, LinearAttention):
        return 0
    if isinstance(mixing, LatentAttention):
        return latent_elements_per_token(mixing, latent_form)
    return 2 * mixing.kv_width


def latent_elements_per_token(latent: LatentAttention, form: LatentForm) -> int:
    """Return the cached values of MLA: kv_rank + rope_dim, one copy for all heads (arXiv 2405.04434, 2.1.2).

    Older implementations expand it: heads × (nope + rope + value) values.
    """
    if form == "latent":
        return latent.kv_rank + latent.rope_dim
    return latent.heads * (latent.nope_dim + latent.rope_dim + latent.value_dim)


def cache_bytes(
    architecture: Architecture,
    tokens: int,
    requests: int = 1,
    bytes_per_element: int | Fraction = 2,
    *,
    trim_windows: bool = False,
    latent_form: LatentForm = "latent",
    state_bytes_per_element: int | Fraction = 4,
    encoder_tokens: int = 0,
) -> CacheBytes:
    """Return what `requests` of `tokens` each keep in bytes, rounded up to whole bytes per part.

    Without `trim_windows` every attention layer keeps all tokens, as a library does that caches whole prompts;
    with it, windowed layers keep at most their window. Fixed states have their own precision.
    """
    growing = windowed = state = cross = 0
    for layer, count in architecture.kinds:
        each = layer_elements_per_token(layer, latent_form)
        mixing = layer.mixing
        if isinstance(mixing, LinearAttention):
            state += count * linear_state_elements(mixing)
        elif isinstance(mixing, Attention) and mixing.window is not None:
            windowed += count * each * (min(tokens, mixing.window) if trim_windows else tokens)
        else:
            growing += count * each * tokens
        if layer.cross is not None:
            cross += count * 2 * layer.cross.kv_width * encoder_tokens
    return CacheBytes(
        growing=_bytes(requests * growing, bytes_per_element),
        windowed=_bytes(requests * windowed, bytes_per_element),
        state=_bytes(requests * state, state_bytes_per_element),
        cross=_bytes(requests * cross, bytes_per_element),
        windows_trimmed=trim_windows,
    )


def linear_state_elements(linear: LinearAttention) -> int:
    """Return the values a linear layer keeps of one request, whatever its length.

    One key × value matrix per value head (arXiv 2412.06464), and the inputs that the convolution still needs,
    one less than its kernel. transformers keeps one more column of those.
    """
    recurrent = linear.value_heads * linear.key_dim * linear.value_dim
    return recurrent + linear.convolved * (linear.kernel - 1)


def most_tokens(
    architecture: Architecture, free_bytes: int, bytes_per_element: int | Fraction = 2, requests: int = 1
) -> int | None:
    """Return the most tokens each of `requests` may have, all layers keeping all; None where no layer grows."""
    each = requests * kv_elements_per_token(architecture) * Fraction(bytes_per_element)
    state = cache_bytes(architecture, 0, requests, bytes_per_element).state
    return max(0, math.floor((free_bytes - state) / each)) if each else None


def _bytes(elements: int, bytes_per_element: int | Fraction) -> int:
    return math.ceil(elements * Fraction(bytes_per_element))
