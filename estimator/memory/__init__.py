"""What each card must hold: bytes per card, phase and state class against the card's own usable bytes.

Two engines: `stated` for programs whose needs the planner states, and closed forms for models of known shape
(training on one card or many, generation, serving, images, speech). Both give bytes of one card, never a sum.
"""

from estimator.memory.basis import Basis, generation_basis, sharded_basis, training_basis
from estimator.memory.combined import combined_ledger
from estimator.memory.degrees import ContextMethod, DataState, Degrees, ExpertsOver, illegal_degree, is_fused
from estimator.memory.diffusion import (
    Denoiser,
    DenoiserShape,
    DenoiserTraining,
    Images,
    denoiser_training_ledger,
    denoising_ledger,
    image_decoder_ledger,
)
from estimator.memory.generation_split import divided_generation_ledger, streamed_ledger
from estimator.memory.image_generation import (
    Decoding,
    ImageDecoderShape,
    ImageGeneration,
    Placement,
    TextEncoderShape,
    image_generation_ledger,
    pipeline_training_ledger,
)
from estimator.memory.inference import generation_ledger, kv_cache_bytes
from estimator.memory.ledger import MemoryLedger, Moment, MomentKind, StateClass
from estimator.memory.levers import Lever, LeverEffect, lever_effects
from estimator.memory.offload import offloaded_ledger
from estimator.memory.partition import (
    FullShard,
    Pipeline,
    PipelineSchedule,
    Replicas,
    Tensor,
    greedy_shards,
    kv_share,
    least_legal_degree,
    legal_tensor_degrees,
    padded_vocabulary,
)
from estimator.memory.pipeline import pipeline_ledger, worst_stage
from estimator.memory.points import point_ledger
from estimator.memory.readings import reading_gap
from estimator.memory.recipe import (
    Adapter,
    Attention,
    Average,
    Generation,
    LossKernel,
    MasterWeights,
    Optimizer,
    Precision,
    Projection,
    Training,
)
from estimator.memory.saved import has_products
from estimator.memory.serving import BlockPool, block_pool, kv_bytes_per_token, pool_bytes
from estimator.memory.shape import Experts, Family, LatentAttention, ModelShape, Objective, SlidingLayers
from estimator.memory.sharded import sharded_ledger
from estimator.memory.speech import SpeechShape, speech_training_ledger, transcription_ledger
from estimator.memory.stated import (
    Overheads,
    Phase,
    Size,
    Term,
    largest_need,
    stage_memory,
    verdict_on,
)
from estimator.memory.tensor import tensor_ledger, tensor_sharded_ledger
from estimator.memory.training import training_ledger
from estimator.memory.vision import classification_ledger
from estimator.memory.weights import WeightFormat, grouped_format, stored_weight_bytes

__all__ = [
    "Adapter",
    "Attention",
    "Average",
    "Basis",
    "BlockPool",
    "ContextMethod",
    "DataState",
    "Decoding",
    "Degrees",
    "Denoiser",
    "DenoiserShape",
    "DenoiserTraining",
    "Experts",
    "ExpertsOver",
    "Family",
    "FullShard",
    "Generation",
    "ImageDecoderShape",
    "ImageGeneration",
    "Images",
    "LatentAttention",
    "Lever",
    "LeverEffect",
    "LossKernel",
    "MasterWeights",
    "MemoryLedger",
    "ModelShape",
    "Moment",
    "MomentKind",
    "Objective",
    "Optimizer",
    "Overheads",
    "Phase",
    "Pipeline",
    "PipelineSchedule",
    "Placement",
    "Precision",
    "Projection",
    "Replicas",
    "Size",
    "SlidingLayers",
    "SpeechShape",
    "StateClass",
    "Tensor",
    "Term",
    "TextEncoderShape",
    "Training",
    "WeightFormat",
    "block_pool",
    "classification_ledger",
    "combined_ledger",
    "denoiser_training_ledger",
    "denoising_ledger",
    "divided_generation_ledger",
    "generation_basis",
    "generation_ledger",
    "greedy_shards",
    "grouped_format",
    "has_products",
    "illegal_degree",
    "image_decoder_ledger",
    "image_generation_ledger",
    "is_fused",
    "kv_bytes_per_token",
    "kv_cache_bytes",
    "kv_share",
    "largest_need",
    "least_legal_degree",
    "legal_tensor_degrees",
    "lever_effects",
    "offloaded_ledger",
    "padded_vocabulary",
    "pipeline_ledger",
    "pipeline_training_ledger",
    "point_ledger",
    "pool_bytes",
    "reading_gap",
    "sharded_basis",
    "sharded_ledger",
    "speech_training_ledger",
    "stage_memory",
    "stored_weight_bytes",
    "streamed_ledger",
    "tensor_ledger",
    "tensor_sharded_ledger",
    "training_basis",
    "training_ledger",
    "transcription_ledger",
    "verdict_on",
    "worst_stage",
]
