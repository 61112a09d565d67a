"""Exact counts of trained values: in all, used by one token, and by place.

Rotary tables, masks and quantisation scales are no parameters. Sinusoidal positions that a checkpoint stores
(Whisper's encoder) are counted, as its publisher counts them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from estimator.architecture.model import Architecture, Layer, Role, Stack, Weight, stacks
from estimator.architecture.weights import layer_weights, next_token_weights
from estimator.problems import Absent


@dataclass(frozen=True, slots=True)
class ParameterCount:
    """Counts of a model.

    `total` is the whole model with its towers, absent where one is not known; the other figures are its language
    model's. `active` is what one token uses, embedding and head included; `layers` gives each distinct layer of
    the main stack with its number and the parameters of one; `outside` is the rest (embedding, head, norms, …).
    """

    total: int | Absent
    language_model: int
    active: int
    embedding: int
    head: int
    outside: int
    layers: tuple[tuple[Layer, int, int], ...]
    towers: tuple[tuple[Stack, int], ...]


def parameters(architecture: Architecture) -> ParameterCount:
    """Return the exact counts of a model: every weight once, a tied head not at all.

    The language model is everything but its image towers: an encoder that the decoder reads belongs to it.
    """
    main = architecture.main
    parts = [(stack, stack_parameters(stack)) for stack in stacks(architecture)]
    spoken = [stack for stack, _ in parts if stack.role != "vision" or stack is main]
    return ParameterCount(
        total=_total(architecture, sum(count for _, count in parts)),
        language_model=sum(stack_parameters(stack) for stack in spoken),
        active=sum(active_parameters(stack) for stack in spoken),
        embedding=count_of(main.outer, Role.EMBEDDING),
        head=count_of(main.outer, Role.HEAD),
        outside=sum_of(main.outer),
        layers=tuple((layer, count, layer_parameters(layer, main.hidden)) for layer, count in main.kinds),
        towers=tuple(
            (stack, count) for stack, count in parts if stack.role == "vision" and stack is not main
        ),
    )


def _total(architecture: Architecture, counted: int) -> int | Absent:
    if architecture.uncounted:
        return Absent("tower_not_counted", ("config", architecture.uncounted[0]))
    return counted


def stack_parameters(stack: Stack) -> int:
    """Return the parameters of a stack: its layers and what stands outside them."""
    inside = sum(count * layer_parameters(layer, stack.hidden) for layer, count in stack.kinds)
    return inside + sum_of(stack.outer)


def active_parameters(stack: Stack) -> int:
    """Return the parameters of a stack that one token uses: of the experts, those it is sent to."""
    inside = sum(
        count * sum(weight.active_parameters for weight in layer_weights(layer, stack.hidden))
        for layer, count in stack.kinds
    )
    return inside + sum(weight.active_parameters for weight in stack.outer)


def layer_parameters(layer: Layer, hidden: int) -> int:
    """Return the parameters of one layer."""
    return sum_of(layer_weights(layer, hidden))


def largest_matrix(layer: Layer, hidden: int) -> int:
    """Return the parameters of the layer's largest tensor; experts stacked as one count as one."""
    return max(weight.parameters for weight in layer_weights(layer, hidden))


def next_token_parameters(architecture: Architecture) -> int:
    """Return what the next-token layers of a published file add to the main model's parameters."""
    layer = architecture.layers[-1]
    each = sum_of(next_token_weights(layer, architecture.hidden, architecture.vocab))
    return architecture.next_token_layers * each


def adapter_parameters(architecture: Architecture, rank: int, targets: frozenset[str]) -> int:
    """Return the trained values of low-rank adapters on the named matrices of the main stack's layers.

    rank × (inputs + outputs) for each adapted matrix (LoRA, arXiv 2106.09685); names are those of `weights`.
    """
    return sum(
        count * rank * sum(weight.shape) * weight.copies
        for layer, count in architecture.kinds
        for weight in layer_weights(layer, architecture.hidden)
        if weight.name in targets and weight.role in (Role.LINEAR, Role.EXPERT)
    )


def all_weights(architecture: Architecture) -> Iterable[tuple[Weight, int]]:
    """Yield every weight of the model with how many layers hold one like it, towers included."""
    for stack in stacks(architecture):
        for layer, count in stack.kinds:
            for weight in layer_weights(layer, stack.hidden):
                yield weight, count
        for weight in stack.outer:
            yield weight, 1


def count_of(weights: Iterable[Weight], role: Role) -> int:
    """Return the parameters of the weights with that role."""
    return sum(weight.parameters for weight in weights if weight.role is role)


def sum_of(weights: Iterable[Weight]) -> int:
    """Return the parameters of the weights together."""
    return sum(weight.parameters for weight in weights)
