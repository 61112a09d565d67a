"""How a model is trained or run, as the memory engine takes it: every choice that moves the peak is a field.

No defaults are guessed from a model; `plan/` and the window state them. Partition over cards is in `partition.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Precision(StrEnum):
    """The type of parameters or of computation."""

    FP32 = "fp32"
    BF16 = "bf16"

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return 4 if self is Precision.FP32 else 2


class Attention(StrEnum):
    """The attention implementation asked for; see `saved.kernel` for the one that then runs."""

    EAGER = "eager"
    SDPA = "sdpa"


class Optimizer(StrEnum):
    """What state the optimizer keeps for each trained parameter."""

    ADAMW = "adamw"
    ADAMW_8BIT = "adamw_8bit"
    MOMENTUM = "momentum"
    SGD = "sgd"


class LossKernel(StrEnum):
    """How scores and cross-entropy are computed."""

    UPCAST = "upcast"  # transformers: all scores, upcast to fp32
    HALF = "half"  # all scores in 16 bits, no upcast
    CHUNKED = "chunked"  # all scores in 16 bits, fp32 by chunk
    RECOMPUTED = "recomputed"  # head and loss recomputed by chunk
    FUSED = "fused"  # fused linear cross-entropy (Liger's layout)
    COMPILED = "compiled"  # all scores in 16 bits, upcast and loss in one compiled kernel (torch.compile)


class MasterWeights(StrEnum):
    """fp32 copies of 16-bit parameters, and how gradients reach them."""

    NONE = "none"
    COPIED = "copied"  # all gradients copied to fp32 at the step
    COPIED_FREEING = "copied_freeing"  # each 16-bit gradient released as it is copied
    MAIN_GRADIENTS = "main_gradients"  # gradients accumulated in fp32 all along


class Average(StrEnum):
    """A running average of the weights (EMA)."""

    NONE = "none"
    IN_PLACE = "in_place"
    SUBTRACTING = "subtracting"  # subtract, then add: one more copy at the update
    FP32 = "fp32"


class Projection(StrEnum):
    """The linear maps of a layer that an adapter can stand on."""

    QUERY = "q_proj"
    KEY = "k_proj"
    VALUE = "v_proj"
    OUTPUT = "o_proj"
    GATE = "gate_proj"
    UP = "up_proj"
    DOWN = "down_proj"


@dataclass(frozen=True, slots=True)
class Adapter:
    """Low-rank adapters (LoRA) on some projections of every layer.

    `trains_tables`: copies of the embedding and the head are trained beside them (PEFT's `modules_to_save`).
    """

    rank: int
    targets: tuple[Projection, ...]
    precision: Precision
    has_dropout: bool = False
    trains_tables: bool = False


@dataclass(frozen=True, slots=True)
class Training:
    """One training step. `batch` sequences of `length` tokens per micro-batch on one card.

    `frozen_weights_bytes`: what the frozen base occupies where it is quantised (QLoRA); None: in `parameters`.
    `offloads_optimizer`: state and fp32 copies are in the node's memory; `offloads_parameters`: sharded parameters
    too; `offloads_activations`: the stored inputs of checkpointed layers wait there. See `offload`. `keeps_products`:
    every second matrix product of a recomputed layer, and its attention's output, stay (full shards alone).
    """

    batch: int
    length: int
    parameters: Precision
    autocast: bool
    attention: Attention
    optimizer: Optimizer
    is_foreach: bool
    checkpointing: bool
    micro_batches: int = 1
    loss: LossKernel = LossKernel.UPCAST
    loss_chunks: int = 1
    adapter: Adapter | None = None
    frozen_weights_bytes: int | None = None
    master: MasterWeights = MasterWeights.NONE
    average: Average = Average.NONE
    offloads_optimizer: bool = False
    offloads_parameters: bool = False
    offloads_activations: bool = False
    steps_in_backward: bool = (
        False  # each gradient is used and freed as it is made (one card, no accumulation)
    )
    keeps_products: bool = False
    keeps_outputs: bool = (
        True  # a pipeline's last stage keeps all scores: torch's schedules unless told otherwise
    )

    @property
    def tokens(self) -> int:
        """Tokens of one micro-batch."""
        return self.batch * self.length

    @property
    def element(self) -> int:
        """Bytes of a parameter."""
        return self.parameters.size

    def stored_layers(self, layers: int) -> int:
        """Layers whose stored inputs are on the card: all, or the one on its way out and the one coming back."""
        return min(layers, 2) if self.offloads_activations else layers

    @property
    def compute(self) -> int:
        """Bytes of an element in matrix products: 2 under autocast."""
        return 2 if self.autocast else self.element

    @property
    def residual(self) -> int:
        """Bytes of an element of the residual stream: 4 under autocast."""
        return 4 if self.autocast else self.element


@dataclass(frozen=True, slots=True)
class Generation:
    """A prompt and the tokens made after it. `weights_bytes`: as stored where quantised, None: in `parameters`."""

    batch: int
    prompt: int
    new_tokens: int
    parameters: Precision
    attention: Attention
    kv_bits: int = 16
    weights_bytes: int | None = None
    all_scores: bool = False  # scores of every prompt token are made, not the last one's alone
    prefill_chunk: int | None = None
    latent_cache_expanded: bool = False  # MLA: older libraries cache expanded keys and values
    keeps_only_window: bool = False  # serving engines that trim sliding layers while reading the prompt
    streams_weights: bool = False  # layers wait in the node's memory: two of them on the card at a time

    @property
    def element(self) -> int:
        """Bytes of a parameter in computation."""
        return self.parameters.size
