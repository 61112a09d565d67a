"""Reads reference points of the form of `memory_points.json` into shapes, recipes and partitions.

A point states a model by the fields of its configuration class; fields that it leaves out take the meaning that
the class gives them. Not a reader of checkpoints' configuration files: that is `estimator.architecture`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from estimator.memory.diffusion import (
    Denoiser,
    DenoiserShape,
    DenoiserTraining,
    Images,
    denoiser_training_ledger,
    denoising_ledger,
    image_decoder_ledger,
)
from estimator.memory.inference import generation_ledger
from estimator.memory.ledger import MemoryLedger
from estimator.memory.partition import FullShard, Pipeline, PipelineSchedule, Replicas, Tensor
from estimator.memory.pipeline import pipeline_ledger
from estimator.memory.readings import reading_ledger
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
from estimator.memory.shape import (
    Experts,
    Family,
    LatentAttention,
    ModelShape,
    Objective,
    SlidingLayers,
    decoder_parameters,
)
from estimator.memory.sharded import sharded_ledger
from estimator.memory.speech import SpeechShape, speech_training_ledger, transcription_ledger
from estimator.memory.tensor import tensor_ledger, tensor_sharded_ledger
from estimator.memory.training import training_ledger

Record = Mapping[str, Any]

FAMILIES = {
    "llama": Family.LLAMA,
    "mistral": Family.LLAMA,
    "qwen2": Family.LLAMA,
    "qwen3": Family.QWEN3,
    "gemma": Family.GEMMA,
    "gemma3": Family.GEMMA3,
    "mixtral": Family.MIXTRAL,
    "qwen3_moe": Family.QWEN3_MOE,
    "deepseek_v2": Family.DEEPSEEK,
    "deepseek_v3": Family.DEEPSEEK,
    "gpt_oss": Family.GPT_OSS,
    "gpt2": Family.GPT2,
    "gpt_neox": Family.GPT_NEOX,
    "opt": Family.OPT,
    "bert": Family.BERT,
    "vit": Family.VIT,
}
TIED_UNLESS_STATED = frozenset({Family.GPT2, Family.OPT, Family.GEMMA, Family.BERT, Family.GEMMA3})
OBJECTIVES = {
    "causal_lm": Objective.CAUSAL,
    "masked_lm": Objective.MASKED,
    "seq_cls": Objective.CLASSES,
    "image_cls": Objective.CLASSES,
}
OPTIMIZERS = {
    "adamw_fused": Optimizer.ADAMW,
    "adamw_foreach": Optimizer.ADAMW,
    "adam8bit": Optimizer.ADAMW_8BIT,
    "sgd": Optimizer.SGD,
    "sgd_momentum": Optimizer.MOMENTUM,
}
LOSSES = {
    "hf": LossKernel.UPCAST,
    "bf16": LossKernel.HALF,
    "chunk_logits": LossKernel.CHUNKED,
    "chunk_ckpt": LossKernel.RECOMPUTED,
    "liger": LossKernel.FUSED,
}
MASTERS = {
    None: MasterWeights.NONE,
    "copy": MasterWeights.COPIED,
    "copy_free": MasterWeights.COPIED_FREEING,
    "main_grad": MasterWeights.MAIN_GRADIENTS,
}
AVERAGES = {
    None: Average.NONE,
    "foreach_lerp": Average.IN_PLACE,
    "diffusers": Average.SUBTRACTING,
    "fp32": Average.FP32,
}


def point_shape(point: Record) -> ModelShape:
    """Return the shape of a point's model; its exact total where the point states it, else counted."""
    stated: Record = point["model_config"]
    fields: Record = stated["hf_config_kwargs"]
    family = FAMILIES[stated["family"]]
    hidden = fields.get("hidden_size") or fields["n_embd"]
    heads = fields.get("num_attention_heads") or fields["n_head"]
    shape = ModelShape(
        family=family,
        layers=fields.get("num_hidden_layers") or fields["n_layer"],
        hidden=hidden,
        heads=heads,
        kv_heads=fields.get("num_key_value_heads", heads),
        head_dim=fields.get("head_dim", hidden // heads),
        mlp=fields.get("intermediate_size") or fields.get("ffn_dim") or 4 * hidden,
        vocab=fields.get("vocab_size", 0),
        is_tied=fields.get("tie_word_embeddings", family in TIED_UNLESS_STATED),
        parameters=0,
        objective=OBJECTIVES[stated["task"]],
        experts=_experts(fields),
        latent=_latent(fields),
        sliding=_sliding(family, fields),
        attention_bias=stated["family"] == "qwen2",
        image_size=fields.get("image_size", 0),
    )
    total = point.get("n_params")
    if total is None:
        total = decoder_parameters(shape) + fields.get("n_positions", 0) * hidden
    elif point.get("n_trainable") not in (None, total):
        total -= point["n_trainable"]  # the adapters, counted apart
    return replace(shape, parameters=total)


def _experts(fields: Record) -> Experts | None:
    if "num_local_experts" in fields:
        return Experts(
            fields["num_local_experts"], fields["num_experts_per_tok"], fields["intermediate_size"]
        )
    if "num_experts" in fields:
        return Experts(fields["num_experts"], fields["num_experts_per_tok"], fields["moe_intermediate_size"])
    if "n_routed_experts" in fields:
        return Experts(
            fields["n_routed_experts"],
            fields["num_experts_per_tok"],
            fields["moe_intermediate_size"],
            fields["n_shared_experts"] * fields["moe_intermediate_size"],
            fields["first_k_dense_replace"],
        )
    return None


def _latent(fields: Record) -> LatentAttention | None:
    if "kv_lora_rank" not in fields:
        return None
    return LatentAttention(
        fields["q_lora_rank"] or 0,
        fields["kv_lora_rank"],
        fields["qk_nope_head_dim"],
        fields["qk_rope_head_dim"],
        fields["v_head_dim"],
    )


def _sliding(family: Family, fields: Record) -> SlidingLayers | None:
    layers = fields.get("num_hidden_layers", 0)
    if family is Family.GEMMA3:  # every sixth layer is full
        return SlidingLayers(layers - layers // 6, fields["sliding_window"])
    if family is Family.GPT_OSS:  # every second
        return SlidingLayers((layers + 1) // 2, fields["sliding_window"])
    return None


def point_training(point: Record) -> Training:
    """Return the recipe of a training point."""
    work: Record = point["workload"]
    adapter = work.get("lora")
    parameters = Precision(work["param_dtype"])
    return Training(
        batch=work.get("batch") or work["micro_batch"],
        length=work["seq"],
        parameters=parameters,
        autocast=work["amp"] is not None,
        attention=Attention(work["attn"]),
        optimizer=OPTIMIZERS[work["optimizer"]],
        is_foreach=work["optimizer"] == "adamw_foreach",
        checkpointing=work["ckpt"],
        micro_batches=work.get("grad_accum", 1),
        loss=LOSSES[work.get("ce", "hf")],
        loss_chunks=work.get("chunks", 1),
        adapter=None if adapter is None else _adapter(adapter, parameters),
        master=MASTERS[work.get("master")],
        average=AVERAGES[work.get("ema")],
    )


def _adapter(stated: Record, parameters: Precision) -> Adapter:
    named = stated["adapter_dtype"]
    precision = parameters if named == "same" else Precision(named)
    targets = tuple(Projection(target) for target in stated["targets"])
    return Adapter(stated["r"], targets, precision, bool(stated.get("dropout")))


def point_generation(point: Record) -> Generation:
    """Return the recipe of an inference point."""
    work: Record = point["workload"]
    parameters = Precision(work["param_dtype"])
    return Generation(
        batch=work["batch"],
        prompt=work["seq"],
        new_tokens=0,
        parameters=parameters,
        attention=Attention(work["attn"]),
        kv_bits=8 * parameters.size,
        all_scores=work["logits"] == "all",
        prefill_chunk=work.get("chunk"),
    )


def point_shard(point: Record) -> FullShard:
    """Return the sharding of a point with fully sharded parameters."""
    work: Record = point["workload"]
    master = Precision(work["param_dtype"]).size
    is_mixed = work.get("mp", False)
    return FullShard(
        ranks=work.get("ranks") or work["dp"],
        master_size=master,
        compute_size=2 if is_mixed else master,
        reduce_size=Precision(work.get("reduce_dtype", "fp32")).size if is_mixed else master,
        reshards=work.get("reshard", True),
        offloads=work.get("offload", False),
        synchronises=not work.get("no_sync", False),
        loss_outside="dp" in work and work.get("reshard", True),
    )


def point_sharded_training(point: Record) -> Training:
    """Return the recipe of a sharded point, whose parameters are those of computation."""
    recipe = point_training(point)
    return replace(recipe, parameters=Precision.BF16) if point["workload"].get("mp") else recipe


def point_tensor(point: Record) -> Tensor:
    """Return the tensor parallelism of a point."""
    work: Record = point["workload"]
    return Tensor(work["tp"], work["sp"], work["lp"])


def point_pipeline(point: Record) -> Pipeline:
    """Return the stage of a pipeline point."""
    work: Record = point["workload"]
    return Pipeline(
        work["pp"],
        work["stage"],
        work["microbatches"],
        PipelineSchedule(work["schedule"]),
        work["return_outputs"],
    )


def point_replicas(point: Record) -> Replicas:
    """Return the replication of a DDP or ZeRO-1 point; the shard is that of the stated rank 0."""
    work: Record = point["workload"]
    shards = point.get("zero1_shard_numel_per_rank")
    return Replicas(
        work["ranks"],
        work["bucket_view"],
        shards[0] if shards else None,
        work["ddp"] == "on",
    )


def point_ledger(point: Record) -> MemoryLedger | None:
    """Return the ledger of a point, None where no form covers its kind."""
    kind, work = point["kind"], point["workload"]
    if "model_config" not in point:
        return reading_ledger(point)
    if kind.endswith("asr"):
        return speech_ledger(point)
    if "diffusers_class" in point["model_config"]:
        return diffusion_ledger(point)
    shape = point_shape(point)
    if kind.startswith("infer"):
        return generation_ledger(shape, point_generation(point))
    if kind == "train_tp":
        return tensor_ledger(shape, point_training(point), point_tensor(point))
    if kind == "train_2d":
        recipe = point_sharded_training(point)
        return tensor_sharded_ledger(shape, recipe, point_tensor(point), point_shard(point))
    if kind == "train_pp":
        return pipeline_ledger(shape, point_training(point), point_pipeline(point))
    if kind == "train_fsdp" or work.get("fsdp"):
        return sharded_ledger(shape, point_sharded_training(point), point_shard(point))
    if "ddp" in work:
        return training_ledger(shape, point_training(point), point_replicas(point))
    return training_ledger(shape, point_training(point))


def speech_ledger(point: Record) -> MemoryLedger:
    """Return the ledger of a speech point."""
    fields: Record = point["model_config"]["hf_config_kwargs"]
    work: Record = point["workload"]
    shape = SpeechShape(
        hidden=fields["d_model"],
        encoder_layers=fields["encoder_layers"],
        decoder_layers=fields["decoder_layers"],
        mlp=fields["encoder_ffn_dim"],
        mel_bins=fields["num_mel_bins"],
        vocab=fields["vocab_size"],
        parameters=point["n_params"],
    )
    if point["kind"] == "infer_asr":
        return transcription_ledger(shape, work["batch"], work["seq"], Precision(work["param_dtype"]))
    return speech_training_ledger(shape, point_training(point))


# Text tokens of the reference points: what the libraries' pipelines give the denoiser.
TEXT_TOKENS = {Denoiser.SD3: 333, Denoiser.FLUX: 512}


def diffusion_ledger(point: Record) -> MemoryLedger:
    """Return the ledger of a denoiser or image-decoder point."""
    stated: Record = point["model_config"]
    fields: Record = stated["diffusers_kwargs"]
    work: Record = point["workload"]
    images = Images(work["batch"], work["height"], work["width"])
    precision = Precision(work["param_dtype"])
    if point["kind"] == "infer_vae":
        return image_decoder_ledger(point["n_params"], images, precision, work.get("slicing", False))
    adapter = work.get("lora")
    trained = point["n_trainable"] if adapter else None
    shape = _denoiser(stated["diffusers_class"], fields, point["n_params"] - (trained or 0))
    if point["kind"] == "infer_diffusion":
        return denoising_ledger(shape, images, precision)
    recipe = DenoiserTraining(
        precision,
        work["amp"] is not None,
        work["ckpt"],
        OPTIMIZERS[work["optimizer"]],
        trained,
        Precision(adapter["adapter_dtype"]) if adapter else precision,
    )
    return denoiser_training_ledger(shape, images, recipe)


def _denoiser(library_class: str, fields: Record, parameters: int) -> DenoiserShape:
    if library_class == "UNet2DConditionModel":
        is_small = len(fields["block_out_channels"]) == 4
        return DenoiserShape(Denoiser.UNET_SD1 if is_small else Denoiser.UNET_SDXL, parameters)
    kind = Denoiser.SD3 if library_class == "SD3Transformer2DModel" else Denoiser.FLUX
    return DenoiserShape(
        kind,
        parameters,
        hidden=fields["attention_head_dim"] * fields["num_attention_heads"],
        blocks=fields["num_layers"] + fields.get("num_single_layers", 0),
        text_tokens=TEXT_TOKENS[kind],
        position_side=fields.get("pos_embed_max_size", 0),
    )
