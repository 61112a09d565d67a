"""Memory of a serving engine with a paged cache: the pool of blocks, what fits in it, and a card's parts.

The engine takes a share of the card at the start: weights, the activations of a profiling run, what lies outside
the framework; blocks fill the rest. Source: vLLM's accounting, checked against its logs. Cards are never added up:
every figure is of one card, whose cache tensor parallelism divides by at most the number of KV heads.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from estimator.memory.inference import kv_values_per_token
from estimator.memory.partition import kv_share
from estimator.memory.shape import ModelShape


@dataclass(frozen=True, slots=True)
class BlockPool:
    """A pool of `blocks` blocks of `tokens_per_block` tokens."""

    blocks: int
    tokens_per_block: int

    @property
    def tokens(self) -> int:
        """Tokens that the pool holds; also the longest single request, in whole blocks."""
        return self.blocks * self.tokens_per_block

    def admits(self, requests: int, tokens: int) -> bool:
        """Whether that many requests of that many tokens fit at once; each takes whole blocks."""
        return requests * -(-tokens // self.tokens_per_block) <= self.blocks


def kv_bytes_per_token(shape: ModelShape, kv_bits: Fraction | int, tensor_ranks: int = 1) -> Fraction:
    """Bytes per token of the cache on one card, all layers. A latent is not divided: every rank holds it."""
    values = Fraction(shape.layers * kv_values_per_token(shape))
    if shape.latent is None:
        values /= kv_share(tensor_ranks, shape.kv_heads)
    return values * kv_bits / 8


def pool_bytes(
    card_bytes: int, utilisation: Fraction, weights: int, activations: int, outside_framework: int
) -> int:
    """Bytes left for the cache: share of the card less weights, activations and the rest; never below 0."""
    return max(int(card_bytes * utilisation) - weights - activations - outside_framework, 0)


def block_pool(pool: int, bytes_per_token: Fraction, tokens_per_block: int) -> BlockPool:
    """Return the whole blocks that `pool` bytes hold."""
    return BlockPool(int(pool / (bytes_per_token * tokens_per_block)), tokens_per_block)
