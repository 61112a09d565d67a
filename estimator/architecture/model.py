"""What a model is made of: layers with their attention and MLP, and the weights that stand outside the layers.

Frozen nouns and nothing else: shapes of weights are in `weights`, counts in `parameters`, the cache in `cache`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from estimator.evidence import EvidenceKind
from estimator.problems import Absent


class Role(StrEnum):
    """What a weight is for: decides what a quantised checkpoint packs and what a token multiplies by."""

    LINEAR = "linear"
    EXPERT = "expert"
    ROUTER = "router"
    EMBEDDING = "embedding"
    HEAD = "head"
    TABLE = "table"  # positions, token types: looked up or added, never multiplied
    CONVOLUTION = "convolution"
    NORM = "norm"
    BIAS = "bias"
    ROUTER_BIAS = "router_bias"
    OTHER = "other"  # attention sinks, decay rates, class tokens: never packed


@dataclass(frozen=True, slots=True)
class Weight:
    """One trained tensor: its name, shape and role. `copies` alike (experts), `active` of them used by a token."""

    name: str
    shape: tuple[int, ...]
    role: Role
    copies: int = 1
    active: int = 1

    @property
    def elements(self) -> int:
        """The values of one copy."""
        product = 1
        for size in self.shape:
            product *= size
        return product

    @property
    def parameters(self) -> int:
        """The values of all copies."""
        return self.copies * self.elements

    @property
    def active_parameters(self) -> int:
        """The values that one token uses."""
        return self.active * self.elements


@dataclass(frozen=True, slots=True)
class Norms:
    """The norms of a layer over the hidden width; a layer norm has a bias beside its scale."""

    count: int = 2
    bias: bool = False


@dataclass(frozen=True, slots=True)
class Attention:
    """Softmax attention with grouped keys and values. `window` is the tokens a layer looks back on; None: all.

    `gated` doubles the query projection (an output gate); `fused` stores query, key and value as one matrix.
    """

    heads: int
    kv_heads: int
    head_dim: int
    query_value_bias: bool = False
    key_bias: bool = False
    output_bias: bool = False
    query_key_norm: Literal["none", "head", "full"] = "none"
    query_key_norm_bias: bool = False
    sinks: bool = False
    gated: bool = False
    fused: bool = False
    window: int | None = None

    @property
    def query_width(self) -> int:
        """Values of all query heads for one token."""
        return self.heads * self.head_dim

    @property
    def kv_width(self) -> int:
        """Values of all keys (or of all values) for one token."""
        return self.kv_heads * self.head_dim


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """Multi-head latent attention (MLA): keys and values come from one latent of `kv_rank` values a token."""

    heads: int
    kv_rank: int
    nope_dim: int
    rope_dim: int
    value_dim: int
    query_rank: int | None = None
    bias: bool = False


@dataclass(frozen=True, slots=True)
class LinearAttention:
    """A gated delta rule with a short convolution: a state of fixed size instead of a growing cache."""

    key_heads: int
    key_dim: int
    value_heads: int
    value_dim: int
    kernel: int

    @property
    def convolved(self) -> int:
        """Channels that pass the convolution: queries, keys and values."""
        return 2 * self.key_heads * self.key_dim + self.value_heads * self.value_dim


@dataclass(frozen=True, slots=True)
class Dense:
    """A plain MLP: two matrices, or three where it is gated. `fused` stores gate and up as one."""

    width: int
    gated: bool = True
    bias: bool = False
    fused: bool = False


@dataclass(frozen=True, slots=True)
class Experts:
    """A mixture of experts of `width` each; `shared_width` is the sum of what every token passes besides."""

    count: int
    per_token: int
    width: int
    shared_width: int = 0
    shared_bias: bool = False
    shared_gate: bool = False
    bias: bool = False
    router_bias: bool = False


Mixing = Attention | LatentAttention | LinearAttention


@dataclass(frozen=True, slots=True)
class Layer:
    """One block: what mixes tokens, the attention over an encoder where there is one, the MLP, its norms."""

    mixing: Mixing
    mlp: Dense | Experts
    norms: Norms = Norms()
    cross: Attention | None = None


@dataclass(frozen=True, slots=True)
class Stack:
    """Layers in order over one hidden width, with the weights that stand outside them (embedding, norms, …).

    `role` says what it is to the model: the decoder that writes tokens, an encoder, or a tower for images.
    """

    role: Literal["language", "encoder", "vision"]
    hidden: int
    layers: tuple[Layer, ...]
    outer: tuple[Weight, ...]

    @property
    def kinds(self) -> tuple[tuple[Layer, int], ...]:
        """The distinct layers with how many there are of each, by first appearance."""
        return tuple(Counter(self.layers).items())


@dataclass(frozen=True, slots=True)
class FieldReading:
    """A field as it was read: stated in the file (given), or what its absence means there (derived, by `rule`)."""

    field: str
    value: object
    kind: EvidenceKind
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Quantisation:
    """How the checkpoint is stored: the method and its sizes, None where the file does not say."""

    method: str
    bits: int | None = None
    group: int | None = None
    block: tuple[int, int] | None = None
    symmetric: bool | None = None
    double: bool = False


@dataclass(frozen=True, slots=True)
class Architecture:
    """A model: its main stack, the stacks beside it, and what its file says of context and storage.

    `uncounted` names parts of the file whose shape is not known. `vocab` is 0 where the model reads no tokens.
    `next_token_layers` are extra layers of a published file that predict further tokens; no count includes
    them unless it says so.
    """

    name: str
    model_type: str
    main: Stack
    vocab: int
    tied: bool
    context_length: int | Absent
    beside: tuple[Stack, ...] = ()
    uncounted: tuple[str, ...] = ()
    stored_type: str = ""
    quantisation: Quantisation | None = None
    next_token_layers: int = 0
    readings: tuple[FieldReading, ...] = ()

    @property
    def hidden(self) -> int:
        """The hidden width of the main stack."""
        return self.main.hidden

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers of the main stack, in order."""
        return self.main.layers

    @property
    def kinds(self) -> tuple[tuple[Layer, int], ...]:
        """The distinct layers of the main stack with how many there are of each."""
        return self.main.kinds

    def reading(self, field: str) -> FieldReading | None:
        """Return how `field` was read, or None where the architecture does not use it."""
        return next((reading for reading in self.readings if reading.field == field), None)


def derived_fields(architecture: Architecture) -> tuple[FieldReading, ...]:
    """Return the fields that the file leaves out and whose absence the format gives a meaning."""
    return tuple(reading for reading in architecture.readings if reading.kind is EvidenceKind.DERIVED)


def stacks(architecture: Architecture) -> Iterable[Stack]:
    """Return the main stack, then the stacks beside it."""
    return (architecture.main, *architecture.beside)
