"""Peak of a training step on one stage of a pipeline: micro-batches in flight, first, middle and last stage.

Source: torch.distributed.pipelining of torch 2.13, GPipe and 1F1B; interleaved 1F1B as Megatron-Core counts its
micro-batches in flight, a formula alone; zero-bubble schedules are not covered. A sending stage on real cards holds
one boundary message more. Gradients accumulate over micro-batches. A stage may itself be tensor-parallel (`Tensor`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from estimator.memory import divided
from estimator.memory.ledger import Held, MemoryLedger, Moment, MomentKind, StateClass, moment
from estimator.memory.partition import Pipeline, PipelineSchedule, Tensor
from estimator.memory.recipe import Optimizer, Training
from estimator.memory.saved import final_norm_saved, layer_saved
from estimator.memory.shape import ModelShape, largest_matrix, layer_parameters
from estimator.memory.training import mlp_temporaries, optimizer_bytes

WEIGHTS, GRADIENTS, ACTIVATIONS = StateClass.WEIGHTS, StateClass.GRADIENTS, StateClass.ACTIVATIONS
TEMPORARIES, EXCHANGE, OPTIMIZER = StateClass.TEMPORARIES, StateClass.EXCHANGE, StateClass.OPTIMIZER


def pipeline_ledger(
    shape: ModelShape, recipe: Training, pipeline: Pipeline, tensor: Tensor | None = None
) -> MemoryLedger:
    """Return what one card of the stage holds at each moment. `recipe` describes one micro-batch."""
    return stage_ledger(Stage(shape, recipe, pipeline, tensor))


def stage_ledger(stage: Stage) -> MemoryLedger:
    """Return the moments of a stage."""
    pipeline = stage.pipeline
    moments = [
        stage_first_layer(stage),
        stage_steady(stage),
        stage_first_backward(stage),
        optimizer_step(stage),
    ]
    if pipeline.is_last:
        moments += last_stage_loss(stage)
    if pipeline.is_first:
        moments.append(first_stage_embedding(stage))
    return MemoryLedger(tuple(moments))


def worst_stage(shape: ModelShape, recipe: Training, pipeline: Pipeline) -> int:
    """Return the stage whose card needs most; `pipeline.stage` is not looked at."""
    peaks = [
        pipeline_ledger(shape, recipe, _at_stage(pipeline, stage)).peak_bytes
        for stage in range(pipeline.stages)
    ]
    return peaks.index(max(peaks))


def _at_stage(pipeline: Pipeline, stage: int) -> Pipeline:
    return replace(pipeline, stage=stage)


@dataclass(frozen=True)
class Stage:
    """One stage and the terms that its moments share, in bytes of one micro-batch."""

    shape: ModelShape
    recipe: Training
    pipeline: Pipeline
    tensor: Tensor | None = None

    @property
    def layers(self) -> int:
        """Layers of this stage."""
        return self.pipeline.layers(self.shape.layers)

    @property
    def table(self) -> int:
        """Elements of the embedding, or of the head."""
        if self.tensor is not None:
            return divided.table_elements(self.shape, self.tensor)
        return self.shape.vocab * self.shape.hidden

    @cached_property
    def layer_elements(self) -> int:
        """Elements of one layer."""
        if self.tensor is not None:
            return divided.layer_elements(self.shape, self.tensor)
        return layer_parameters(self.shape)

    @cached_property
    def newest_gradient(self) -> int:
        """Bytes of the largest gradient made at once in a layer."""
        if self.tensor is not None:
            return self.recipe.element * divided.newest_elements(self.shape, self.tensor)
        return self.recipe.element * largest_matrix(self.shape)

    @cached_property
    def working(self) -> int:
        """Bytes of gradients inside the MLP while it is computed backward."""
        if self.tensor is not None:
            return divided.working(self.shape, self.recipe, self.tensor)
        return mlp_temporaries(self.shape, self.recipe) * self.recipe.tokens

    @cached_property
    def elements(self) -> int:
        """Elements of this stage."""
        count = self.layers * self.layer_elements
        if self.pipeline.is_first:
            count += self.table
        if self.pipeline.is_last:
            count += self.table + self.shape.hidden
        return count

    @cached_property
    def gradients(self) -> int:
        """Bytes of all gradients of the stage."""
        return self.recipe.element * self.elements

    @cached_property
    def boundary(self) -> int:
        """Bytes of one message between stages; in sequence parallel each rank sends its part."""
        whole = self.recipe.compute * self.shape.hidden * self.recipe.tokens
        return whole // self.tensor.ranks if self.tensor is not None and self.tensor.sequence else whole

    @cached_property
    def layer(self) -> int:
        """Bytes that one layer saves."""
        if self.tensor is not None:
            return divided.layer_saved(self.shape, self.recipe, self.tensor) * self.recipe.tokens
        return layer_saved(self.shape, self.recipe) * self.recipe.tokens

    @cached_property
    def micro_batch(self) -> int:
        """Bytes that one micro-batch in flight (interleaved: a piece of it) keeps, and its output where it is sent."""
        stored = self.boundary if self.recipe.checkpointing else self.layer
        layers = -(-self.layers // self.pipeline.virtual)
        sends = not self.pipeline.is_last or self.pipeline.virtual > 1
        return layers * stored + (self.boundary if sends else 0)

    @cached_property
    def final_norm(self) -> int:
        """Bytes kept by the last norm and the head, on the last stage."""
        if self.tensor is not None:
            return divided.final_norm_saved(self.shape, self.recipe, self.tensor) * self.recipe.tokens
        return final_norm_saved(self.shape, self.recipe) * self.recipe.tokens

    @property
    def scores(self) -> int:
        """Elements of the scores of one micro-batch."""
        whole = self.shape.vocab * self.recipe.tokens
        return whole // self.tensor.ranks if self.tensor is not None and self.tensor.loss else whole

    @property
    def loss_spike(self) -> int:
        """Bytes that the loss's backward makes above the scores themselves; divided scores need a fourth tensor."""
        return (16 if self.tensor is not None and self.tensor.loss else 12) * self.scores

    @property
    def keeps_outputs_resident(self) -> bool:
        """Whether kept scores come on top: GPipe holds all of them at its peak anyway."""
        pipeline = self.pipeline
        is_alternating = pipeline.schedule is PipelineSchedule.ONE_FORWARD_ONE_BACKWARD
        return pipeline.is_last and pipeline.keeps_outputs and is_alternating

    @property
    def recomputed(self) -> int:
        """Bytes of a layer recomputed."""
        return self.layer if self.recipe.checkpointing else 0

    @cached_property
    def resident(self) -> Held:
        """Parameters, optimizer state, and receive buffers of every micro-batch, made at the start."""
        pipeline, recipe = self.pipeline, self.recipe
        directions = (not pipeline.is_first) + (not pipeline.is_last)
        held = {
            WEIGHTS: recipe.element * self.elements,
            OPTIMIZER: optimizer_bytes(recipe.optimizer, self.elements, recipe.element),
            EXCHANGE: directions * pipeline.micro_batches * self.boundary,
        }
        if pipeline.is_first or pipeline.is_last:
            held[StateClass.INPUTS] = 8 * recipe.tokens * pipeline.micro_batches
        if self.keeps_outputs_resident:
            held[EXCHANGE] += pipeline.micro_batches * recipe.compute * self.scores
        return held


def last_stage_loss(stage: Stage) -> list[Moment]:
    """The loss on the last stage; GPipe holds the scores of every micro-batch."""
    pipeline, compute = stage.pipeline, stage.recipe.compute
    one = stage.micro_batch + stage.final_norm
    in_flight = stage.pipeline.in_flight * stage.micro_batch + stage.final_norm
    scores = (4 + compute) * stage.scores
    if pipeline.schedule is PipelineSchedule.ONE_FORWARD_ONE_BACKWARD:
        kept = {
            ACTIVATIONS: in_flight,
            TEMPORARIES: stage.loss_spike + compute * stage.scores,
            GRADIENTS: stage.gradients,
        }
        head = {
            ACTIVATIONS: in_flight,
            TEMPORARIES: 2 * compute * stage.scores + stage.boundary,
            GRADIENTS: stage.gradients + stage.recipe.element * stage.table,
        }
        return [
            moment(MomentKind.LOSS_BACKWARD, stage.resident, kept),
            moment(MomentKind.HEAD_BACKWARD, stage.resident, head),
        ]
    count = pipeline.micro_batches
    first = {ACTIVATIONS: count * one, TEMPORARIES: count * scores + 8 * stage.scores}
    later = {
        ACTIVATIONS: (count - 1) * one,
        TEMPORARIES: (count - 1) * scores + 8 * stage.scores,
        GRADIENTS: stage.gradients,
    }
    return [
        moment(MomentKind.LOSS_FORWARD, stage.resident, first),
        moment(MomentKind.LOSS_BACKWARD, stage.resident, later),
    ]


def stage_steady(stage: Stage) -> Moment:
    """All gradients there, one layer computed backward, the other micro-batches in flight still saved.

    GPipe's first micro-batch is through before its gradients are complete, 1F1B has taken in another by then.
    """
    pipeline = stage.pipeline
    count = pipeline.in_flight
    if pipeline.schedule is PipelineSchedule.ALL_FORWARD:
        count = max(count - 1, 1)
    temporaries = stage.boundary + max(stage.working, stage.working // 2 + stage.newest_gradient)
    kept = {
        GRADIENTS: stage.gradients,
        ACTIVATIONS: count * stage.micro_batch + stage.recomputed,
        TEMPORARIES: temporaries + _waiting_scores(stage, count - 1),
    }
    return moment(MomentKind.PIPELINE_STEADY, stage.resident, kept)


def stage_first_layer(stage: Stage) -> Moment:
    """The top layer of the first micro-batch's backward: everything in flight, no other gradient yet."""
    kept = {
        GRADIENTS: stage.newest_gradient,
        ACTIVATIONS: stage.pipeline.in_flight * stage.micro_batch + stage.recomputed,
        TEMPORARIES: stage.boundary + stage.working + _waiting_scores(stage, stage.pipeline.in_flight - 1),
    }
    return moment(MomentKind.TOP_LAYER, stage.resident, kept)


def _waiting_scores(stage: Stage, micro_batches: int) -> int:
    """Scores, their log-softmax and the norm's inputs of micro-batches that wait on the last stage."""
    if not stage.pipeline.is_last or stage.pipeline.virtual > 1:  # pieces that wait are not the last one
        return 0
    return micro_batches * (stage.final_norm + (4 + stage.recipe.compute) * stage.scores)


def stage_first_backward(stage: Stage) -> Moment:
    """End of the first micro-batch's backward: its bottom layer alone is left of it."""
    recipe, pipeline = stage.recipe, stage.pipeline
    missing = stage.layer_elements + (stage.table if pipeline.is_first else 0)
    newest = stage.newest_gradient
    working = stage.boundary + stage.working
    kept = {
        GRADIENTS: stage.gradients - recipe.element * missing + newest,
        ACTIVATIONS: (pipeline.in_flight - 1) * stage.micro_batch + stage.layer,
        TEMPORARIES: working + _waiting_scores(stage, pipeline.in_flight - 1),
    }
    return moment(MomentKind.PIPELINE_FIRST_BACKWARD, stage.resident, kept)


def first_stage_embedding(stage: Stage) -> Moment:
    """The embedding's gradient of a later micro-batch beside the accumulated one."""
    pipeline = stage.pipeline
    done = 2 if pipeline.schedule is PipelineSchedule.ALL_FORWARD else 1
    kept = {
        GRADIENTS: stage.gradients + stage.recipe.element * stage.table,
        ACTIVATIONS: max(pipeline.in_flight - done, 0) * stage.micro_batch,
        TEMPORARIES: stage.boundary,
    }
    return moment(MomentKind.EMBEDDING_BACKWARD, stage.resident, kept)


def optimizer_step(stage: Stage) -> Moment:
    """All gradients, and foreach AdamW's buffer of their size."""
    recipe = stage.recipe
    buffers = stage.gradients if recipe.is_foreach and recipe.optimizer is Optimizer.ADAMW else 0
    kept = {GRADIENTS: stage.gradients, TEMPORARIES: buffers}
    return moment(MomentKind.OPTIMIZER_STEP, stage.resident, kept)
