"""A model's recipe as a form: how its ledger is made, what its lines rest on, and the levers that lower it.

What a form computes is in `memory/`; which form a recipe takes is in `models`, `speech_models` and `image_models`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from estimator import memory as mem
from estimator.evidence import EvidenceKind
from estimator.quote import TrainingRecipe

RANGES: dict[mem.Basis, tuple[EvidenceKind, Decimal]] = {
    mem.Basis.REFERENCE_POINTS: (EvidenceKind.ESTIMATED, Decimal("1.03")),
    mem.Basis.POINTS_WITHOUT_READINGS: (EvidenceKind.ESTIMATED, Decimal(2)),
    mem.Basis.POINTS_WITHOUT_WORKSPACE: (EvidenceKind.ESTIMATED, Decimal(9)),
    mem.Basis.PUBLISHED_READINGS: (EvidenceKind.ESTIMATED, Decimal("1.25")),
    mem.Basis.FORMULA: (EvidenceKind.ASSUMED, Decimal(2)),
}
"""The evidence that a form gives, and the factor of its upper end.

Reference points: worst error 2.0 %; bf16 generation on cards lies up to 2.6 % above the form. Published readings:
int8 generation lies up to 3.2 % above, int4 6.2 %, fine-tuning by adapters up to 1.45 times (1.8B, 256 tokens, what
its source leaves out included), with fp32 copies 1.26 times, full shards 1.24 times (reserved, compiled, float8), an
encoder 1.42 times (an older library, context and gaps included); with the margin and context at their defaults a
quarter covers them all. QLoRA lies up to 2.04 times above: a formula. Workspace: no point contains what cuDNN takes
to convolve in. Whole pipelines of SDXL were read, and what a UNet makes lies up to 8.1 times above the form where
all that they take more is laid to it.
"""


@dataclass(frozen=True, slots=True)
class WorkingBasis:
    """What the working set of a moment rests on; `factor` of its upper end, None: that of its basis."""

    basis: mem.Basis
    factor: Decimal | None = None


Working = tuple[tuple[mem.MomentKind, WorkingBasis], ...]
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
        return line_basis(self.basis, self.working, kind, mem.StateClass.TEMPORARIES).basis


def line_basis(
    basis: mem.Basis, working: Working, kind: mem.MomentKind, state: mem.StateClass
) -> WorkingBasis:
    """Return what one line of a ledger rests on."""
    if working and state in _WORKING_STATES:
        for moment, own in working:
            if moment is kind:
                return own
    return WorkingBasis(basis)


def upper_bytes(size_bytes: int, rests_on: WorkingBasis) -> int:
    """Return the upper end of a size by what it rests on."""
    factor = rests_on.factor or RANGES[rests_on.basis][1]
    return int(size_bytes * factor) + 1


def engine_training(recipe: TrainingRecipe, base_bytes: int | None) -> mem.Training:
    """The recipe as the engine takes it; `base_bytes` is a packed frozen base, None where it is not packed."""
    adapter = None
    if recipe.adapter_rank is not None:
        adapter = mem.Adapter(
            rank=recipe.adapter_rank,
            targets=tuple(mem.Projection(target) for target in recipe.adapter_targets),
            precision=mem.Precision(recipe.adapter_precision),
            has_dropout=recipe.adapter_dropout,
            trains_tables=recipe.adapter_tables,
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
        keeps_products=recipe.keep_products,
        keeps_outputs=recipe.keep_outputs,
        steps_in_backward=recipe.step_in_backward,
        offloads_optimizer=recipe.offload_optimizer,
        offloads_parameters=recipe.offload_parameters,
        offloads_activations=recipe.offload_activations,
    )
