"""The ledger of one card: bytes by moment and state class, the moment that makes the peak.

Pure data. Context, workspace, communication buffers and fragmentation are not here: they are the caller's own
lines (`Overheads`), because no formula gives them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StateClass(StrEnum):
    """What a byte on the card is for."""

    WEIGHTS = "weights"
    GRADIENTS = "gradients"
    OPTIMIZER = "optimizer"
    INPUTS = "inputs"
    ACTIVATIONS = "activations"
    KV_CACHE = "kv_cache"
    TEMPORARIES = "temporaries"
    EXCHANGE = "exchange"


class MomentKind(StrEnum):
    """The moments of a step or of a generation that can make the peak."""

    LOSS_FORWARD = "loss_forward"
    LOSS_BACKWARD = "loss_backward"
    HEAD_BACKWARD = "head_backward"
    NORM_BACKWARD = "norm_backward"
    TOP_LAYER = "top_layer"
    TOP_LAYER_ATTENTION = "top_layer_attention"
    SECOND_LAYER_FROM_TOP = "second_layer_from_top"
    SECOND_LAYER_FROM_BOTTOM = "second_layer_from_bottom"
    BOTTOM_LAYER = "bottom_layer"
    BOTTOM_LAYER_ATTENTION = "bottom_layer_attention"
    EMBEDDING_BACKWARD = "embedding_backward"
    ROOT_REDUCTION = "root_reduction"
    OPTIMIZER_STEP = "optimizer_step"
    AVERAGE_UPDATE = "average_update"
    PIPELINE_STEADY = "pipeline_steady"
    PIPELINE_FIRST_BACKWARD = "pipeline_first_backward"
    PREFILL = "prefill"
    PROMPT_SCORES = "prompt_scores"
    DECODE = "decode"
    ENCODER = "encoder"
    TEXT_ENCODE = "text_encode"
    IMAGE_ENCODE = "image_encode"
    DENOISE = "denoise"
    IMAGE_DECODE = "image_decode"


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment: bytes of each state class, none negative, in the order of `StateClass`."""

    kind: MomentKind
    lines: tuple[tuple[StateClass, int], ...]

    @property
    def total_bytes(self) -> int:
        """The sum of the lines."""
        return sum(size for _, size in self.lines)

    def of(self, state: StateClass) -> int:
        """Return the bytes of one state class."""
        return sum(size for held, size in self.lines if held is state)


@dataclass(frozen=True, slots=True)
class MemoryLedger:
    """All moments of one card, in the order in which they come.

    `host`: bytes that this card asks for in the node's memory, by state class; never part of a moment.
    """

    moments: tuple[Moment, ...]
    host: tuple[tuple[StateClass, int], ...] = ()

    @property
    def worst(self) -> Moment:
        """The moment that makes the peak; the earlier of two equal ones."""
        return max(self.moments, key=lambda moment: moment.total_bytes)

    @property
    def peak_bytes(self) -> int:
        """Bytes of the worst moment, before the caller's own lines."""
        return self.worst.total_bytes

    @property
    def host_bytes(self) -> int:
        """Bytes that one card asks for in the node's memory."""
        return sum(size for _, size in self.host)


Held = dict[StateClass, int]
_ORDER = tuple(StateClass)


def moment(kind: MomentKind, *parts: Held) -> Moment:
    """Return the moment that holds all `parts` at once. Parts may take away what another has counted."""
    sums: Held = dict(parts[0]) if parts else {}
    for part in parts[1:]:
        for state, size in part.items():
            sums[state] = sums.get(state, 0) + size
    return Moment(kind, tuple([(state, sums[state]) for state in _ORDER if sums.get(state)]))
