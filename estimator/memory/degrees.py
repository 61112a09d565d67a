"""The degrees of a combined division: tensor x pipeline x context x data, experts among them, and which are legal.

Nothing here counts bytes: that is `combined`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from estimator.memory.megatron import context_tokens, expert_share
from estimator.memory.partition import Tensor, legal_tensor_degrees
from estimator.memory.recipe import Attention, Training
from estimator.memory.shape import ModelShape


class DataState(StrEnum):
    """How the ranks that see different data hold the state of training."""

    REPLICAS = "replicas"  # DDP
    OPTIMIZER_SHARDS = "optimizer_shards"  # ZeRO-1, Megatron's distributed optimizer
    GRADIENT_SHARDS = "gradient_shards"  # ZeRO-2
    FULL_SHARD = "full_shard"  # FSDP, ZeRO-3
    FULL_SHARD_KEPT = "full_shard_kept"  # FSDP whose layers stay gathered after the forward

    @property
    def is_full(self) -> bool:
        """Whether the parameters are sharded too."""
        return self in (DataState.FULL_SHARD, DataState.FULL_SHARD_KEPT)


class ContextMethod(StrEnum):
    """How attention meets the keys and values of the parts of a sequence on other cards."""

    RING = "ring"  # blocks go round from neighbour to neighbour
    GATHERED = "gathered"  # those of the whole sequence are gathered
    ALL_TO_ALL = "all_to_all"  # Ulysses: heads are divided while attention is computed


class ExpertsOver(StrEnum):
    """Which ranks share the experts of a layer."""

    DATA = "data"
    TENSOR = "tensor"


@dataclass(frozen=True, slots=True)
class Degrees:
    """One card's place among `cards` = tensor x pipeline x context x data.

    `expert`: ranks, among those of data and context, over which whole experts are dealt out; `experts_over` tensor:
    dealt out whole over the tensor ranks instead of cut in slices. `capacity`: slots of an expert against an even
    share of the tokens. `virtual`: pieces of the model on each stage of the pipeline.
    """

    tensor: int = 1
    sequence: bool = False
    pipeline: int = 1
    virtual: int = 1
    context: int = 1
    context_method: ContextMethod = ContextMethod.RING
    expert: int = 1
    experts_over: ExpertsOver = ExpertsOver.DATA
    capacity: Fraction = Fraction(1)
    data: int = 1
    state: DataState = DataState.REPLICAS

    @property
    def cards(self) -> int:
        """Cards of a task."""
        return self.tensor * self.pipeline * self.context * self.data

    @property
    def state_ranks(self) -> int:
        """Ranks over which shards of state are dealt: those of the sequence's parts hold the same parameters."""
        return self.data * self.context

    @property
    def deals_over_tensor(self) -> bool:
        """Whether tensor ranks hold whole experts."""
        return self.experts_over is ExpertsOver.TENSOR and self.tensor > 1

    def tensor_of(self, loss: bool) -> Tensor | None:
        """Return the tensor parallelism of these degrees; None where there is none."""
        if self.tensor == 1:
            return None
        return Tensor(self.tensor, self.sequence, loss, self.deals_over_tensor)


def illegal_degree(shape: ModelShape, degrees: Degrees) -> str:
    """Return the code of the first degree that the model does not allow, empty where all are legal."""
    if degrees.tensor not in legal_tensor_degrees(shape.heads, shape.kv_heads):
        return "tensor_degree_not_legal"
    if degrees.pipeline * degrees.virtual > shape.layers or (degrees.virtual > 1 and degrees.pipeline == 1):
        return "pipeline_degree_not_legal"
    if not _experts_are_legal(shape, degrees):
        return "expert_degree_not_legal"
    if degrees.context > 1 and degrees.context_method is ContextMethod.ALL_TO_ALL:
        kv_heads = max(shape.kv_heads // degrees.tensor, 1)
        if degrees.context not in legal_tensor_degrees(shape.heads // degrees.tensor, kv_heads):
            return "context_degree_not_legal"
    return ""


def _experts_are_legal(shape: ModelShape, degrees: Degrees) -> bool:
    experts = shape.experts
    if experts is None:
        return degrees.expert == 1
    if degrees.deals_over_tensor:
        return experts.count % degrees.tensor == 0 and degrees.expert == 1
    is_cut = experts.width % degrees.tensor == 0 and experts.shared_width % degrees.tensor == 0
    return is_cut and experts.count % degrees.expert == 0 and degrees.state_ranks % degrees.expert == 0


def on_card(shape: ModelShape, degrees: Degrees) -> ModelShape:
    """Return the shape with the experts of one card alone, and the slots that capacity gives each token."""
    experts = shape.experts
    ranks = degrees.tensor if degrees.deals_over_tensor else degrees.expert
    if experts is None or ranks == 1:
        return shape
    slots = degrees.capacity * experts.per_token
    held = replace(
        experts, held=-(-experts.count // ranks), per_token=-(-slots.numerator // slots.denominator)
    )
    return replace(shape, experts=held, parameters=expert_share(shape, ranks))


def local_recipe(recipe: Training, degrees: Degrees) -> Training:
    """Return the recipe of one card's part of each sequence, which context parallelism divides."""
    if degrees.context == 1:
        return recipe
    return replace(recipe, length=context_tokens(recipe.length, degrees.context))


def is_fused(shape: ModelShape, recipe: Training) -> bool:
    """Whether attention keeps no matrix of scores: fp32 with grouped queries falls to a kernel that does."""
    return recipe.attention is Attention.SDPA and (recipe.compute == 2 or shape.kv_heads == shape.heads)
