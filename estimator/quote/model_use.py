"""A known model and how it is run, as a stage's memory need: what the closed forms of `memory/` are computed from.

The model's configuration is copied into the quote as text, so that it reopens identically elsewhere. Which cards
share the job, and how, is the organisation's (`StageLayout.model_split`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from estimator.evidence import Evidence, EvidenceKind
from estimator.frozen import Frozen

LONGEST_CONFIG = 1_000_000


class ModelSource(Frozen):
    """Which model: a `config.json` (of a Hugging Face model or of a diffusers pipeline's parts) or a catalogue record.

    `text` is JSON as it was read.
    """

    name: str = Field(min_length=1)
    kind: Literal["config", "catalogue"] = "config"
    text: str = Field(max_length=LONGEST_CONFIG)
    evidence: Evidence = Evidence(kind=EvidenceKind.GIVEN)


class WeightStorage(StrEnum):
    """How the weights of a model that is run (or frozen under adapters) are stored."""

    AS_COMPUTED = "as_computed"
    GPTQ_8 = "gptq_8"
    GPTQ_4 = "gptq_4"
    AWQ_4 = "awq_4"
    FP8 = "fp8"
    MXFP4 = "mxfp4"
    NF4 = "nf4"
    GGUF_Q8 = "gguf_q8"
    GGUF_Q4 = "gguf_q4"


class TrainingRecipe(Frozen):
    """One training step. `batch` sequences of `length` tokens a micro-batch on each card.

    `adapter_rank` None trains every parameter; else LoRA adapters, QLoRA where `base` is packed. `adapter_tables`: the
    embedding and the head are trained beside them. `step_in_backward`: each gradient is freed as it is made.
    `keep_products`: of a recomputed layer, every second matrix product and the attention's output stay (full shards).
    `keep_outputs`: a pipeline's last stage keeps the scores of every micro-batch.
    `offload_…`: what waits in the node's memory.
    """

    kind: Literal["training"] = "training"
    batch: PositiveInt = 1
    length: PositiveInt = 2048
    micro_batches: PositiveInt = 1
    parameters: Literal["fp32", "bf16"] = "bf16"
    autocast: bool = False
    attention: Literal["eager", "sdpa"] = "sdpa"
    optimizer: Literal["adamw", "adamw_8bit", "momentum", "sgd"] = "adamw"
    foreach: bool = True
    checkpointing: bool = True
    loss: Literal["upcast", "half", "chunked", "recomputed", "fused", "compiled"] = "upcast"
    loss_chunks: PositiveInt = 1
    loss_parallel: bool = False
    master: Literal["none", "copied", "copied_freeing", "main_gradients"] = "none"
    average: Literal["none", "in_place", "subtracting", "fp32"] = "none"
    adapter_rank: PositiveInt | None = None
    adapter_targets: tuple[
        Literal["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"], ...
    ] = ("q_proj", "v_proj")
    adapter_precision: Literal["fp32", "bf16"] = "fp32"
    adapter_dropout: bool = False
    base: WeightStorage = WeightStorage.AS_COMPUTED
    adapter_tables: bool = False
    step_in_backward: bool = False
    keep_products: bool = False
    keep_outputs: bool = True
    offload_optimizer: bool = False
    offload_parameters: bool = False
    offload_activations: bool = False


class GenerationRecipe(Frozen):
    """A prompt of `prompt` tokens and `new_tokens` after it, for `batch` requests at once on each card."""

    kind: Literal["generation"] = "generation"
    batch: PositiveInt = 1
    prompt: PositiveInt = 1024
    new_tokens: int = Field(default=0, ge=0)
    parameters: Literal["fp32", "bf16"] = "bf16"
    attention: Literal["eager", "sdpa"] = "sdpa"
    kv_bits: Literal[4, 8, 16, 32] = 16
    weights: WeightStorage = WeightStorage.AS_COMPUTED
    all_scores: bool = False
    prefill_chunk: PositiveInt | None = None
    latent_cache_expanded: bool = False
    keeps_only_window: bool = False
    stream_weights: bool = False


class TranscriptionRecipe(Frozen):
    """Speech to text: `batch` windows of 30 s of sound at once on each card, `tokens` of text for each."""

    kind: Literal["transcription"] = "transcription"
    batch: PositiveInt = 1
    tokens: PositiveInt = 448
    parameters: Literal["fp32", "bf16"] = "bf16"


class ClassificationRecipe(Frozen):
    """`batch` images of the model's own size, classified at once on each card."""

    kind: Literal["classification"] = "classification"
    batch: PositiveInt = 1
    parameters: Literal["fp32", "bf16"] = "bf16"
    attention: Literal["eager", "sdpa"] = "sdpa"


class ImageRecipe(Frozen):
    """`batch` images of `height` x `width` pixels made at once on each card; the number of steps takes no memory.

    `guidance` computes each image with and without its text in one batch. `placement`: where the parts of the
    pipeline stay while another one runs. `decoding`: how latents become pixels; "tiles" also take one image at a
    time.
    """

    kind: Literal["image"] = "image"
    batch: PositiveInt = 1
    height: PositiveInt = 1024
    width: PositiveInt = 1024
    parameters: Literal["fp32", "bf16"] = "bf16"
    decoder_parameters: Literal["fp32", "bf16"] = "bf16"
    guidance: bool = True
    placement: Literal["all_on_card", "one_at_a_time", "texts_elsewhere"] = "all_on_card"
    decoding: Literal["whole", "slices", "tiles"] = "whole"


class DenoiserTrainingRecipe(Frozen):
    """One training step of a denoiser on `batch` images of `height` x `width` pixels a card.

    `precision` "mixed": what learns is kept in fp32 under bf16 autocast. `adapter_rank` None trains every
    parameter; else LoRA on the maps of attention. `others`: whether text encoders and image coder stay on the card,
    or texts and images were encoded before.
    """

    kind: Literal["denoiser_training"] = "denoiser_training"
    batch: PositiveInt = 1
    height: PositiveInt = 1024
    width: PositiveInt = 1024
    precision: Literal["bf16", "mixed"] = "bf16"
    optimizer: Literal["adamw", "adamw_8bit", "momentum", "sgd"] = "adamw"
    foreach: bool = True
    checkpointing: bool = True
    adapter_rank: PositiveInt | None = None
    others: Literal["encoded_before", "on_card"] = "encoded_before"


Recipe = (
    TrainingRecipe
    | GenerationRecipe
    | TranscriptionRecipe
    | ClassificationRecipe
    | ImageRecipe
    | DenoiserTrainingRecipe
)


class ModelUse(Frozen):
    """A model and its recipe. In place of stated phases."""

    source: ModelSource
    recipe: Annotated[Recipe, Field(discriminator="kind")]


class ModelSplit(StrEnum):
    """How one model is divided over the cards of a task."""

    NONE = "none"
    REPLICAS = "replicas"
    OPTIMIZER_SHARDS = "optimizer_shards"
    FULL_SHARD = "full_shard"
    TENSOR = "tensor"
    TENSOR_SEQUENCE = "tensor_sequence"
    PIPELINE = "pipeline"
    COMBINED = "combined"  # several degrees at once: `SplitDegrees`
