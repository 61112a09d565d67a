"""How one job is divided over the cards of a task, and which degrees are legal.

A partition says what each card holds of each state class; nothing here ever adds up the memory of several cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from heapq import heapify, heapreplace


@dataclass(frozen=True, slots=True)
class Replicas:
    """Data parallelism with whole parameters on each card (DDP), optionally with divided optimizer state (ZeRO-1).

    `gradients_in_buckets`: gradients live in the exchange buckets instead of beside them. `optimizer_shard`: the
    largest number of parameters whose optimizer state one card keeps, None: all of it. `exchanges`: False where
    only the optimizer state is divided and gradients are not reduced through buckets.
    """

    ranks: int
    gradients_in_buckets: bool = True
    optimizer_shard: int | None = None
    exchanges: bool = True


@dataclass(frozen=True, slots=True)
class FullShard:
    """Fully sharded data parallelism (FSDP2, ZeRO-3): one unit per layer and an unsharded root.

    `master_size`, `compute_size`, `reduce_size`: bytes of an element of the sharded parameters, of the gathered
    ones and of the gradients being reduced. `reshards` False: layers stay gathered after the forward (like ZeRO-2).
    `synchronises` False: micro-batches before the last keep whole gradients. `loss_outside`: the loss is computed
    outside the wrapped model, so that neither root nor layer is gathered while it is.
    """

    ranks: int
    master_size: int
    compute_size: int
    reduce_size: int
    reshards: bool = True
    offloads: bool = False
    synchronises: bool = True
    loss_outside: bool = False


@dataclass(frozen=True, slots=True)
class Tensor:
    """Tensor parallelism: matrices divided over `ranks`; norms too in `sequence` parallel; loss on divided scores.

    `whole_experts`: experts are dealt out whole over the ranks instead of being cut in slices.
    """

    ranks: int
    sequence: bool
    loss: bool
    whole_experts: bool = False


class PipelineSchedule(StrEnum):
    """In which order a stage runs its micro-batches."""

    ALL_FORWARD = "gpipe"
    ONE_FORWARD_ONE_BACKWARD = "1f1b"


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Stage `stage` (0 first) of `stages`, with `micro_batches` in a step.

    `keeps_outputs`: the last stage keeps the scores of every micro-batch. `virtual`: pieces of the model on each
    stage (interleaved 1F1B), each with as many layers.
    """

    stages: int
    stage: int
    micro_batches: int
    schedule: PipelineSchedule
    keeps_outputs: bool = False
    virtual: int = 1

    @property
    def is_first(self) -> bool:
        """Whether the embedding is here."""
        return self.stage == 0

    @property
    def is_last(self) -> bool:
        """Whether the head and the loss are here."""
        return self.stage == self.stages - 1

    @property
    def in_flight(self) -> int:
        """Micro-batches whose activations are alive at once; interleaved: pieces of micro-batches.

        Interleaved, a stage runs 2 (stages - stage - 1) + (virtual - 1) stages forward before its first backward
        (Megatron-Core's warm-up), so that the first holds L (1 + (p - 1) / (p v)) layers: Korthikanti et al., 2022.
        """
        if self.schedule is PipelineSchedule.ALL_FORWARD:
            return self.micro_batches
        if self.virtual > 1:
            warm_up = 2 * (self.stages - self.stage - 1) + (self.virtual - 1) * self.stages
            return min(self.micro_batches * self.virtual, warm_up + 1)
        return min(self.micro_batches, self.stages - self.stage)

    def layers(self, total: int) -> int:
        """Layers of this stage when `total` are dealt out evenly, the first stages taking one more."""
        return total // self.stages + (1 if self.stage < total % self.stages else 0)


def greedy_shards(sizes: tuple[int, ...], ranks: int) -> tuple[int, ...]:
    """Elements that each rank keeps when whole tensors are dealt out, largest first, to the least loaded rank.

    Source: torch's ZeroRedundancyOptimizer, which never divides a tensor.
    """
    loads = [(0, rank) for rank in range(ranks)]
    heapify(loads)
    for size in sorted(sizes, reverse=True):
        load, rank = loads[0]
        heapreplace(loads, (load + size, rank))
    return tuple(load for load, _ in sorted(loads, key=lambda item: item[1]))


def legal_tensor_degrees(heads: int, kv_heads: int) -> tuple[int, ...]:
    """Degrees that divide the heads and divide the KV heads or are a multiple of them."""
    return tuple(
        degree
        for degree in range(1, heads + 1)
        if heads % degree == 0 and (kv_heads % degree == 0 or degree % kv_heads == 0)
    )


def least_legal_degree(cards_by_memory: int, legal: tuple[int, ...]) -> int | None:
    """The least legal degree that is at least the cards that memory asks for; None where there is none."""
    return next((degree for degree in legal if degree >= cards_by_memory), None)


def padded_vocabulary(vocab: int, tensor_ranks: int, multiple: int = 1) -> int:
    """Rows of the embedding after padding to a multiple of `multiple` x ranks."""
    step = multiple * tensor_ranks
    return -(-vocab // step) * step


def kv_share(tensor_ranks: int, kv_heads: int) -> int:
    """By how much tensor parallelism divides the KV cache: never beyond the KV heads."""
    return min(tensor_ranks, kv_heads)
