"""Peak of generation over several cards: tensor ranks, stages of a pipeline, experts in slices or whole; and weights
that stream from the node's memory.

What a serving engine divides: matrices, heads and tables by the tensor ranks, the cache by at most the KV heads; a
latent and its compressing matrices, norms and routers are on every rank, and so are hidden states. Scores are
gathered whole where tokens are drawn. Source: vLLM's and transformers' tensor-parallel plans; FlexGen (Sheng et al.,
2023) and accelerate for streamed layers. Formulas alone: no reference point is of a divided generation.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from estimator.memory import divided
from estimator.memory.degrees import Degrees, on_card
from estimator.memory.inference import (
    attention_temporaries,
    chunked_prefill_temporaries,
    generation_ledger,
    mlp_temporaries,
    sliding_prefill_temporaries,
)
from estimator.memory.ledger import Held, MemoryLedger, Moment, MomentKind, StateClass, moment
from estimator.memory.partition import Tensor, kv_share
from estimator.memory.recipe import Generation
from estimator.memory.shape import ModelShape, layer_parameters, layers_parameters

KV, TEMPORARIES, WEIGHTS = StateClass.KV_CACHE, StateClass.TEMPORARIES, StateClass.WEIGHTS


def divided_generation_ledger(shape: ModelShape, recipe: Generation, degrees: Degrees) -> MemoryLedger:
    """Return what one card holds while it reads the prompt and makes tokens; in a pipeline, of the largest stage.

    Data ranks are whole copies and change nothing. With every degree 1 it is `generation_ledger`.
    """
    whole = generation_ledger(shape, recipe)
    if degrees.tensor == degrees.pipeline == 1:
        return whole
    layers = -(-shape.layers // degrees.pipeline)
    weights = stored_bytes(shape, recipe, *stage_elements(shape, degrees, layers))
    cache = Fraction(layers, shape.layers * cache_ranks(shape, recipe, degrees.tensor))

    def on_rank(one: Moment) -> Moment:
        lines: Held = dict(one.lines)
        lines[WEIGHTS] = weights
        lines[KV] = _up(lines.get(KV, 0) * cache)
        if one.kind is MomentKind.PREFILL:
            lines[TEMPORARIES] = prefill_temporaries(shape, recipe, degrees)
        elif one.kind is MomentKind.DECODE:
            lines[TEMPORARIES] = 2 * lines[KV] // layers  # the layer whose cache is being extended
        return moment(one.kind, lines)

    return MemoryLedger(tuple(on_rank(one) for one in whole.moments))


def cache_ranks(shape: ModelShape, recipe: Generation, tensor_ranks: int) -> int:
    """By how much tensor ranks divide the cache: by the KV heads at most; a latent not at all, expanded by heads."""
    if shape.latent is None:
        return kv_share(tensor_ranks, shape.kv_heads)
    return tensor_ranks if recipe.latent_cache_expanded else 1


def stage_elements(shape: ModelShape, degrees: Degrees, layers: int) -> tuple[int, int]:
    """Elements in the layers of the largest stage on one rank, and outside them.

    In a pipeline the first and the last stage have one table each; what else stands outside the layers (an image
    tower) is taken whole.
    """
    part = on_card(shape, degrees)
    tensor = Tensor(degrees.tensor, False, False, degrees.deals_over_tensor)
    dense = shape.experts.dense_layers if shape.experts and degrees.pipeline == 1 else 0
    held = (layers - dense) * divided.layer_elements(part, tensor)
    held += dense * divided.layer_elements(part, tensor, 0)
    count = 1 if shape.is_tied else 2
    rest = max(outside_layers(shape) - count * shape.vocab * shape.hidden, 0)
    kept = divided.table_elements(shape, tensor) * (1 if degrees.pipeline > 1 else count)
    return held, min(kept + rest, outside_layers(shape))


def outside_layers(shape: ModelShape) -> int:
    """Elements of the tables, the last norm and whatever else is in no layer."""
    return max(shape.parameters - layers_parameters(shape), 0)


def stored_bytes(shape: ModelShape, recipe: Generation, in_layers: int, outside: int) -> int:
    """Bytes of so many of the weights as stored; never above all of them.

    Most packed formats leave the tables as they are computed, some pack them too: the larger of both is taken.
    """
    stored = recipe.weights_bytes
    if stored is None:
        return (in_layers + outside) * recipe.element
    all_outside = outside_layers(shape)
    tables = min(all_outside * recipe.element, stored)
    apart = Fraction(stored - tables, max(layers_parameters(shape), 1)) * in_layers
    apart += Fraction(tables, max(all_outside, 1)) * outside
    together = Fraction(stored, max(shape.parameters, 1)) * (in_layers + outside)
    return min(_up(max(apart, together)), stored)


def prefill_temporaries(shape: ModelShape, recipe: Generation, degrees: Degrees) -> int:
    """Bytes of the widest moment while the prompt is read on one tensor rank."""
    thin = _of_rank(shape, degrees)
    if recipe.prefill_chunk is not None and recipe.prefill_chunk < recipe.prompt:
        return chunked_prefill_temporaries(thin, recipe, recipe.prefill_chunk)
    widest = max(mlp_temporaries(thin, recipe), attention_temporaries(thin, recipe))
    widest *= recipe.batch * recipe.prompt
    return widest if shape.sliding is None else sliding_prefill_temporaries(thin, recipe, widest)


def _of_rank(shape: ModelShape, degrees: Degrees) -> ModelShape:
    """The shape of one rank's part of a layer: heads and widths divided, the hidden width whole.

    Experts dealt out whole stay as wide as they are, and a rank sees an even share of a token's, `capacity` times.
    """
    ranks, experts, mlp = degrees.tensor, shape.experts, -(-shape.mlp // degrees.tensor)
    if experts is not None and degrees.deals_over_tensor:
        slots = _up(degrees.capacity * experts.per_token / ranks)
        experts, mlp = replace(experts, per_token=min(slots, experts.per_token)), shape.mlp
    elif experts is not None:
        experts = replace(experts, width=-(-experts.width // ranks))
    kv_heads = max(shape.kv_heads // ranks, 1)
    return replace(shape, heads=shape.heads // ranks, kv_heads=kv_heads, mlp=mlp, experts=experts)


def streamed_ledger(shape: ModelShape, recipe: Generation, ledger: MemoryLedger) -> MemoryLedger:
    """Return a ledger whose layers stream from the node's memory: one in use, one arriving, the tables on the card."""
    if not recipe.streams_weights:
        return ledger
    whole = ledger.moments[0].of(WEIGHTS)
    two = 2 * max(layer_parameters(shape), layer_parameters(shape, 0))
    in_layers = min(two, layers_parameters(shape))
    kept = min(stored_bytes(shape, recipe, in_layers, outside_layers(shape)), whole)
    moments = tuple(moment(one.kind, {**dict(one.lines), WEIGHTS: kept}) for one in ledger.moments)
    return MemoryLedger(moments, host=((WEIGHTS, whole),))


def _up(size: Fraction | int) -> int:
    """The next whole number."""
    found = Fraction(size)
    return -(-found.numerator // found.denominator)
