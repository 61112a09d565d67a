"""Forms stated in the literature and not held against reference points here: Megatron's activations, ZeRO-2,
expert and context parallelism.

Evidence of what comes from here is a formula alone. Source: Korthikanti et al., "Reducing Activation Recomputation
in Large Transformer Models", 2022 (activations); Rajbhandari et al., "ZeRO", 2020 (states).
"""

from __future__ import annotations

from fractions import Fraction

from estimator.memory.shape import Experts, ModelShape


def megatron_layer_saved(
    shape: ModelShape, length: int, batch: int, tensor_ranks: int, sequence: bool, selective: bool
) -> int:
    """Bytes that a layer of a GPT saves in 16 bits with dropout: sbh (10 + 24/t + 5as/(ht)).

    `sequence`: everything is divided by t. `selective`: attention is recomputed and the last term falls away.
    """
    one = length * batch * shape.hidden
    scores = Fraction(0 if selective else 5 * shape.heads * length, shape.hidden)
    whole = Fraction(10, tensor_ranks if sequence else 1)
    return int(one * (whole + (24 + scores) / tensor_ranks))


def zero_states(parameters: int, stage: int, ranks: int, state_bytes: tuple[int, int, int]) -> int:
    """Bytes of weights, gradients and optimizer state per card; `state_bytes`: of each per parameter.

    Stage 1 divides the optimizer's state, stage 2 gradients too, stage 3 weights too; 0 divides nothing.
    """
    total = Fraction(0)
    for size, divided_from in zip(state_bytes, (3, 2, 1), strict=True):
        total += Fraction(parameters * size, ranks if stage >= divided_from else 1)
    return -(-total.numerator // total.denominator)


def context_tokens(tokens: int, context_ranks: int) -> int:
    """Tokens of a sequence on one card where context parallelism divides it; states stay whole."""
    return -(-tokens // context_ranks)


def expert_share(shape: ModelShape, expert_ranks: int) -> int:
    """Parameters of one card where whole experts are dealt out; everything else is on every card."""
    experts = shape.experts
    if experts is None:
        return shape.parameters
    one = 3 * experts.width * shape.hidden
    moe_layers = shape.layers - experts.dense_layers
    kept = -(-experts.count // expert_ranks)
    return shape.parameters - moe_layers * one * (experts.count - kept)


def legal_expert_degrees(experts: Experts) -> tuple[int, ...]:
    """Degrees that divide the number of experts."""
    return tuple(degree for degree in range(1, experts.count + 1) if experts.count % degree == 0)
