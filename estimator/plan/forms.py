"""A model's recipe as a form: how its ledger is made, what its lines rest on, and the levers that lower it.

What a form computes is in `memory/`; which form a recipe takes is in `models`, `speech_models` and `image_models`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from estimator import memory as mem
from estimator.quote import TrainingRecipe

Working = tuple[tuple[mem.MomentKind, mem.Basis], ...]
"""What activations and temporaries of a moment rest on, for the moments where it is not what the ledger rests on.

Weights, gradients and optimizer state are counted exactly whatever is computed with them.
"""
_WORKING_STATES = frozenset({mem.StateClass.ACTIVATIONS, mem.StateClass.TEMPORARIES})


@dataclass(frozen=True, slots=True)
class Form:
    """How a ledger is made, what it rests on, and how its levers are tried."""

    ledger: Callable[[], mem.MemoryLedger]
    basis: mem.Basis
    levers: Callable[[], tuple[mem.LeverEffect, ...]] = tuple
    working: Working = ()


@dataclass(frozen=True, slots=True)
class ModelMemory:
    """The ledger of one card, what it rests on, and the levers that lower it, strongest first."""

    ledger: mem.MemoryLedger
    basis: mem.Basis
    levers: tuple[mem.LeverEffect, ...]
    working: Working = ()

    def basis_at(self, kind: mem.MomentKind) -> mem.Basis:
        """Return what a moment rests on: what is computed then, beside what is counted."""
        return line_basis(self.basis, self.working, kind, mem.StateClass.TEMPORARIES)


def line_basis(basis: mem.Basis, working: Working, kind: mem.MomentKind, state: mem.StateClass) -> mem.Basis:
    """Return what one line of a ledger rests on."""
    if not working or state not in _WORKING_STATES:
        return basis
    return next((own for moment, own in working if moment is kind), basis)


def engine_training(recipe: TrainingRecipe, base_bytes: int | None) -> mem.Training:
    """The recipe as the engine takes it; `base_bytes` is a packed frozen base, None where it is not packed."""
    adapter = None
    if recipe.adapter_rank is not None:
        adapter = mem.Adapter(
            rank=recipe.adapter_rank,
            targets=tuple(mem.Projection(target) for target in recipe.adapter_targets),
            precision=mem.Precision(recipe.adapter_precision),
            has_dropout=recipe.adapter_dropout,
        )
    return mem.Training(
        batch=recipe.batch,
        length=recipe.length,
        parameters=mem.Precision(recipe.parameters),
        autocast=recipe.autocast,
        attention=mem.Attention(recipe.attention),
        optimizer=mem.Optimizer(recipe.optimizer),
        is_foreach=recipe.foreach,
        checkpointing=recipe.checkpointing,
        micro_batches=recipe.micro_batches,
        loss=mem.LossKernel(recipe.loss),
        loss_chunks=recipe.loss_chunks,
        adapter=adapter,
        frozen_weights_bytes=base_bytes,
        master=mem.MasterWeights(recipe.master),
        average=mem.Average(recipe.average),
    )
