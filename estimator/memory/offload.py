"""What a step leaves in the node's memory instead of on the card, and how much of that memory it asks for.

Three choices of a recipe: optimizer state with its fp32 copies (ZeRO-Offload: the step runs on the processor), the
sharded parameters with everything that belongs to them (FSDP's CPU offload, held against points), and the stored
inputs of checkpointed layers. Pinned buffers of a transfer are in the node's memory. Sources: Ren et al.,
"ZeRO-Offload", 2021; DeepSpeed's memory requirements (weights alone stay on the card); torchtune's activation
offloading, which keeps what is on its way on the card.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from estimator.memory.ledger import MemoryLedger, MomentKind, StateClass
from estimator.memory.recipe import MasterWeights, Optimizer, Training
from estimator.memory.training import optimizer_bytes

_SAMPLE = 1024


def offloaded_ledger(recipe: Training, ledger_of: Callable[[Training], MemoryLedger]) -> MemoryLedger:
    """Return the ledger of a recipe with what it offloads taken off the card and listed as `host`."""
    if not (recipe.offloads_optimizer or recipe.offloads_parameters or recipe.offloads_activations):
        return ledger_of(recipe)
    kept = replace(recipe, offloads_optimizer=False, offloads_parameters=False, offloads_activations=False)
    whole, card = ledger_of(kept), ledger_of(on_card(recipe))
    host: dict[StateClass, int] = {}
    if recipe.offloads_parameters:
        host[StateClass.WEIGHTS] = whole.moments[0].of(StateClass.WEIGHTS)
    if recipe.offloads_parameters or recipe.offloads_optimizer:
        state = whole.moments[0].of(StateClass.OPTIMIZER)
        host[StateClass.OPTIMIZER] = state
        host[StateClass.GRADIENTS] = _gradient_copies(recipe, state, whole)
    if recipe.offloads_activations:
        host[StateClass.ACTIVATIONS] = _activations_off(whole, card)
    return replace(card, host=tuple((state, host[state]) for state in StateClass if host.get(state)))


def on_card(recipe: Training) -> Training:
    """Return the recipe as the card sees it: an optimizer in the node's memory keeps nothing here."""
    if not recipe.offloads_optimizer:
        return recipe
    return replace(recipe, optimizer=Optimizer.SGD, is_foreach=False, master=MasterWeights.NONE)


def _gradient_copies(recipe: Training, state: int, whole: MemoryLedger) -> int:
    """Bytes of the gradients that a step on the processor reads: one for each element that has state."""
    has_master = recipe.master is not MasterWeights.NONE
    size = 4 if has_master else recipe.element
    if recipe.adapter is not None and not has_master:
        size = recipe.adapter.precision.size
    per_sample = optimizer_bytes(recipe.optimizer, _SAMPLE, size) + (4 * _SAMPLE if has_master else 0)
    if per_sample:
        return -(-state * _SAMPLE * size // per_sample)
    steps = [one for one in whole.moments if one.kind is MomentKind.OPTIMIZER_STEP]
    return max((one.of(StateClass.GRADIENTS) for one in steps), default=0)


def _activations_off(whole: MemoryLedger, card: MemoryLedger) -> int:
    """The largest difference that any moment makes: the same moments come in the same order."""
    pairs = zip(whole.moments, card.moments, strict=True)
    return max(one.of(StateClass.ACTIVATIONS) - less.of(StateClass.ACTIVATIONS) for one, less in pairs)
