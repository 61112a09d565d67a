"""What the memory engine needs to know about a model: its widths, its family's way of saving tensors, its counts.

A plain frozen input: reading a configuration file, and exact parameter totals of every architecture, are the
work of `estimator.architecture`; this module only counts what one layer holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Family(StrEnum):
    """Implementations that differ in what one layer saves for the backward pass (transformers 5)."""

    LLAMA = "llama"  # Llama, Mistral, Qwen2: SwiGLU, RMSNorm computed in fp32
    QWEN3 = "qwen3"  # as Llama with a norm on queries and keys
    GEMMA = "gemma"
    GEMMA3 = "gemma3"
    MIXTRAL = "mixtral"
    QWEN3_MOE = "qwen3_moe"
    DEEPSEEK = "deepseek"  # latent attention and experts
    GPT_OSS = "gpt_oss"
    GPT2 = "gpt2"
    GPT_NEOX = "gpt_neox"
    OPT = "opt"
    BERT = "bert"
    VIT = "vit"


class Objective(StrEnum):
    """What the loss is computed on."""

    CAUSAL = "causal"
    MASKED = "masked"
    CLASSES = "classes"


LAYER_NORM_FAMILIES = frozenset({Family.GPT2, Family.GPT_NEOX, Family.OPT, Family.BERT, Family.VIT})


@dataclass(frozen=True, slots=True)
class Experts:
    """A mixture of experts: `width` of one expert, `shared_width` of all shared experts together.

    `held`: experts of a layer that are on this card, 0 for all of them.
    """

    count: int
    per_token: int
    width: int
    shared_width: int = 0
    dense_layers: int = 0  # first layers with an ordinary MLP
    held: int = 0

    @property
    def on_card(self) -> int:
        """Experts of a layer whose weights are on this card."""
        return self.held or self.count


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """Latent attention (MLA): ranks and head widths; `query_rank` 0 where queries are not compressed."""

    query_rank: int
    kv_rank: int
    nope: int
    rope: int
    value: int


@dataclass(frozen=True, slots=True)
class SlidingLayers:
    """How many layers keep only a window of tokens, and that window."""

    count: int
    window: int


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Widths and counts of one model. `parameters` is the exact total; `mlp` the width of a dense MLP."""

    family: Family
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    mlp: int
    vocab: int
    is_tied: bool
    parameters: int
    objective: Objective = Objective.CAUSAL
    experts: Experts | None = None
    latent: LatentAttention | None = None
    sliding: SlidingLayers | None = None
    attention_bias: bool = False  # on queries, keys and values (Qwen2)
    image_size: int = 0  # ViT: pixels of a side

    @property
    def query_width(self) -> int:
        """Heads x head width."""
        return self.heads * self.head_dim

    @property
    def kv_width(self) -> int:
        """KV heads x head width."""
        return self.kv_heads * self.head_dim

    @property
    def has_rms_norm(self) -> bool:
        """Whether the norms are RMSNorm, whose layers do not keep their own input."""
        return self.family not in LAYER_NORM_FAMILIES

    @property
    def head_weights(self) -> int:
        """Elements of the matrix that makes the scores: vocabulary x hidden, 0 for a classifier."""
        return 0 if self.objective is Objective.CLASSES else self.vocab * self.hidden


def attention_weights(shape: ModelShape) -> int:
    """Elements of the attention matrices of a layer, without biases and norms."""
    hidden, latent = shape.hidden, shape.latent
    if latent is None:
        return 2 * hidden * shape.query_width + 2 * hidden * shape.kv_width
    key = latent.nope + latent.rope
    if latent.query_rank:
        queries = hidden * latent.query_rank + latent.query_rank * shape.heads * key
    else:
        queries = hidden * shape.heads * key
    compressed = hidden * (latent.kv_rank + latent.rope)
    expanded = latent.kv_rank * shape.heads * (latent.nope + latent.value)
    return queries + compressed + expanded + output_weights(shape)


def output_weights(shape: ModelShape) -> int:
    """Elements of the attention's output matrix."""
    width = shape.heads * shape.latent.value if shape.latent else shape.query_width
    return width * shape.hidden


def mlp_matrices(shape: ModelShape) -> int:
    """Matrices of one MLP: gate, up and down where it is gated, else two."""
    return 3 if shape.has_rms_norm else 2


def dense_mlp_weights(shape: ModelShape) -> int:
    """Elements of the matrices of an ordinary MLP."""
    return mlp_matrices(shape) * shape.hidden * shape.mlp


def expert_weights(shape: ModelShape) -> int:
    """Elements of all experts, the shared ones and the router of one layer; 0 without experts."""
    experts = shape.experts
    if experts is None:
        return 0
    return shape.hidden * (3 * experts.on_card * experts.width + 3 * experts.shared_width + experts.count)


def is_dense_layer(shape: ModelShape, layer: int) -> bool:
    """Whether layer `layer` (from the bottom, 0 first) has an ordinary MLP."""
    return shape.experts is None or layer < shape.experts.dense_layers


def mlp_weights(shape: ModelShape, layer: int) -> int:
    """Elements of the MLP or experts of a layer."""
    return dense_mlp_weights(shape) if is_dense_layer(shape, layer) else expert_weights(shape)


def linear_weights(shape: ModelShape, layer: int = -1) -> int:
    """Elements of the matrices of one layer; `layer` -1 is the top one."""
    return attention_weights(shape) + mlp_weights(shape, layer % shape.layers)


def layer_parameters(shape: ModelShape, layer: int = -1) -> int:
    """Elements of one layer: matrices, biases and norms; `layer` -1 is the top one."""
    return linear_weights(shape, layer) + _biases(shape) + _norms(shape)


def layers_parameters(shape: ModelShape, first: int = 0, last: int | None = None) -> int:
    """Elements of layers `first` up to, not including, `last` (all where it is None)."""
    end = shape.layers if last is None else last
    dense = min(max((shape.experts.dense_layers if shape.experts else 0) - first, 0), max(end - first, 0))
    rest = max(end - first, 0) - dense
    return dense * layer_parameters(shape, 0) + rest * layer_parameters(shape)


def root_parameters(shape: ModelShape) -> int:
    """Elements outside the layers: embeddings, head, last norm."""
    return shape.parameters - layers_parameters(shape)


def largest_matrix(shape: ModelShape, layer: int = -1) -> int:
    """Elements of the largest weight matrix of a layer; gate and up of all experts are one."""
    attention, experts = shape.hidden * shape.query_width, shape.experts
    if experts is None or is_dense_layer(shape, layer % shape.layers):
        return max(shape.hidden * shape.mlp, attention)
    return max(2 * experts.on_card * experts.width * shape.hidden, attention)


def decoder_parameters(shape: ModelShape) -> int:
    """Total of a Llama-like or GPT-2 decoder without learned positions: layers, embeddings, last norm."""
    tables = shape.vocab * shape.hidden * (1 if shape.is_tied else 2)
    return layers_parameters(shape) + tables + shape.hidden * (1 if shape.has_rms_norm else 2)


def _biases(shape: ModelShape) -> int:
    if not shape.has_rms_norm:
        return 2 * shape.hidden + shape.query_width + 2 * shape.kv_width + shape.mlp
    return shape.query_width + 2 * shape.kv_width if shape.attention_bias else 0


def _norms(shape: ModelShape) -> int:
    if not shape.has_rms_norm:
        return 4 * shape.hidden
    count = (4 if shape.family is Family.GEMMA3 else 2) * shape.hidden
    if shape.family in (Family.QWEN3, Family.QWEN3_MOE, Family.GEMMA3):
        count += 2 * shape.head_dim
    if shape.latent is not None:
        count += shape.latent.query_rank + shape.latent.kv_rank
    return count
