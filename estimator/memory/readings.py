"""Reads published readings of real cards into recipes, as far as the source states how the model was run.

What a source leaves out is inferred here, row by row, and the readings include the framework's own extras: their
errors are listed, and only those of plain generation are held to a limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from estimator.memory.combined import combined_ledger
from estimator.memory.degrees import DataState, Degrees
from estimator.memory.generation_split import divided_generation_ledger
from estimator.memory.inference import generation_ledger
from estimator.memory.ledger import MemoryLedger, Moment, MomentKind, StateClass
from estimator.memory.offload import offloaded_ledger
from estimator.memory.partition import FullShard
from estimator.memory.recipe import (
    Adapter,
    Attention,
    Generation,
    LossKernel,
    MasterWeights,
    Optimizer,
    Precision,
    Projection,
    Training,
)
from estimator.memory.serving import kv_bytes_per_token
from estimator.memory.shape import Family, ModelShape, Objective, decoder_parameters
from estimator.memory.sharded import sharded_ledger
from estimator.memory.training import training_ledger
from estimator.memory.weights import (
    AWQ_4,
    GGUF_Q8_0_KV_BITS,
    GPTQ_4,
    GPTQ_8,
    NF4,
    stored_weight_bytes,
)

Record = Mapping[str, Any]

# Layers, hidden, heads, KV heads, head width, MLP width, vocabulary, tied, biased queries, keys and values.
_SHAPES = {
    "qwen2.5-0.5b-instruct": (24, 896, 14, 2, 64, 4864, 151936, True, True),
    "qwen2.5-7b-instruct": (28, 3584, 28, 4, 128, 18944, 152064, False, True),
    "qwen2.5-32b-instruct": (64, 5120, 40, 8, 128, 27648, 152064, False, True),
    "qwen-1.8b": (24, 2048, 16, 16, 128, 5504, 151936, False, True),
    "qwen-7b": (32, 4096, 32, 32, 128, 11008, 151936, False, True),
    "qwen-72b": (80, 8192, 64, 64, 128, 24576, 152064, False, True),
    "llama-3.2-3b": (28, 3072, 24, 8, 128, 8192, 128256, True, False),
    "llama-3-8b": (32, 4096, 32, 8, 128, 14336, 128256, False, False),
    "llama-3.1-8b": (32, 4096, 32, 8, 128, 14336, 128256, False, False),
    "llama-3.1-405b": (126, 16384, 128, 8, 128, 53248, 128256, False, False),
    "llama-2-7b": (32, 4096, 32, 32, 128, 11008, 32000, False, False),
}
_FORMATS = {"gptq-int8": GPTQ_8, "gptq-int4": GPTQ_4, "awq-int4": AWQ_4}


def reading_shape(model: str) -> ModelShape | None:
    """Return the shape of a model that readings name, None where no reading gives a full configuration."""
    if model not in _SHAPES:
        return None
    layers, hidden, heads, kv_heads, head_dim, mlp, vocab, is_tied, has_bias = _SHAPES[model]
    shape = ModelShape(
        Family.LLAMA, layers, hidden, heads, kv_heads, head_dim, mlp, vocab, is_tied, 0,
        attention_bias=has_bias,
    )  # fmt: skip
    return replace(shape, parameters=decoder_parameters(shape))


def reading_ledger(point: Record) -> MemoryLedger | None:
    """Return the ledger of one card of a published reading, None where its setting has no form."""
    work: Record = point["workload"]
    kind = str(work["kind"])
    if kind in _CACHES:
        return _cache(point)
    if reading_gap(point):
        return None
    if point["model"] == "bert-large-cls":
        return _bert(work)
    shape = reading_shape(str(point["model"]))
    if shape is None or kind == "overhead":
        return None
    if kind == "vllm_profile_activation":
        return _profiled(shape, work)
    if kind == "vllm_weights":
        return _weights(shape, work["tp"])
    if kind == "train_fsdp2":
        return sharded_ledger(shape, *_full_shard(work, str(point.get("source", ""))))
    if kind in _DEGREES:
        return combined_ledger(shape, *_titan(work), loss_parallel=True)
    if kind == "infer_generate":
        return generation_ledger(shape, _generation(shape, work))
    recipe = _training(shape, work)
    if recipe is None:
        return None
    return offloaded_ledger(recipe, lambda one: training_ledger(shape, one))


def reading_gap(point: Record) -> str:
    """Return the code of what a published reading lacks for a form, empty where nothing is known to be missing."""
    work = point.get("workload")
    if point.get("kind") != "published" or not isinstance(work, Mapping):
        return ""
    kind = str(work.get("kind", ""))
    if "sum" in str(point.get("metric", "")):
        return "reading_is_a_sum"
    if "selective" in str(work.get("ac", "")) and kind != "train_fsdp2":
        return "reading_recomputes_some"
    if kind == "train" and "batch" not in work:
        return "reading_without_sizes"
    if point.get("config_confidence") == "C" and kind == "train":
        return "reading_is_coarse"
    return ""


_CACHES = ("vllm_kv_blocks", "llamacpp_kv")
_DEGREES = ("train_fsdp2_cp", "train_fsdp2_tp_pp")
_CACHE_BITS = {"f16": Fraction(16), "f32": Fraction(32), "q8_0": GGUF_Q8_0_KV_BITS}


def _cache(point: Record) -> MemoryLedger | None:
    """The cache alone: of a pool's blocks, or of a context whose width is in the model's name."""
    work: Record = point["workload"]
    shape = reading_shape(str(point["model"]))
    if shape is not None:
        size = kv_bytes_per_token(shape, 16) * work["blocks"] * work["block_size"]
    else:
        named = dict(part.split("=") for part in str(point["model"]).split(", "))
        width = int(named.get("n_embd_k_gqa") or named["n_embd"])
        bits = _CACHE_BITS[work["type_k"]] + _CACHE_BITS[work["type_v"]]
        size = int(named["L"]) * width * work["n_ctx"] * bits / 8
    return MemoryLedger((Moment(MomentKind.DECODE, ((StateClass.KV_CACHE, int(size)),)),))


def _weights(shape: ModelShape, ranks: int) -> MemoryLedger:
    """The weights of one tensor rank alone."""
    recipe = Generation(1, 1, 0, Precision.BF16, Attention.SDPA)
    ledger = divided_generation_ledger(shape, recipe, Degrees(tensor=ranks))
    size = ledger.moments[0].of(StateClass.WEIGHTS)
    return MemoryLedger((Moment(MomentKind.PREFILL, ((StateClass.WEIGHTS, size),)),))


def _profiled(shape: ModelShape, work: Record) -> MemoryLedger:
    """The temporaries of a profile run alone: as many tokens as a step may take, over 256 sequences.

    A step took max(context, 2048) tokens by default (vllm/config.py of 2024). What is sorted to draw a token of each
    sequence has no form here: engines differ in it.
    """
    sequences = 256
    tokens = max(int(str(work["max_num_batched_tokens"]).split()[-1]), 2048)
    recipe = Generation(sequences, tokens // sequences, 0, Precision.BF16, Attention.SDPA)
    ledger = divided_generation_ledger(shape, recipe, Degrees(tensor=work["tp"]))
    size = next(one for one in ledger.moments if one.kind is MomentKind.PREFILL).of(StateClass.TEMPORARIES)
    return MemoryLedger((Moment(MomentKind.PREFILL, ((StateClass.TEMPORARIES, size),)),))


def _bert(work: Record) -> MemoryLedger:
    """BERT-large with two classes in fp32: loaded, or trained by the library's trainer of its day."""
    shape = ModelShape(
        Family.BERT, 24, 1024, 16, 16, 64, 4096, 28996, True, 335_143_938, objective=Objective.CLASSES
    )
    if work["kind"] == "load":
        size = 4 * shape.parameters
        return MemoryLedger((Moment(MomentKind.PREFILL, ((StateClass.WEIGHTS, size),)),))
    recipe = Training(
        work["batch"], work["seq"], Precision.FP32, False, Attention.EAGER, Optimizer.ADAMW, False, False
    )
    return training_ledger(shape, recipe)


def _titan(work: Record) -> tuple[Training, Degrees]:
    """torchtitan: FSDP's mixed precision, loss on divided scores; compiled and float8 products have no form.

    Its pipelines split a batch into as many micro-batches as stages unless told otherwise (its option
    `pipeline_parallel_microbatches`); two virtual stages are inferred for the interleaved schedule.
    """
    stages = work.get("pp", 1)
    is_interleaved = str(work.get("schedule", "")).startswith("interleaved")
    degrees = Degrees(
        tensor=work.get("tp", 1),
        sequence=work.get("tp", 1) > 1,
        pipeline=stages,
        virtual=2 if is_interleaved else 1,
        context=work.get("cp", 1),
        data=work["fsdp"],
        state=DataState.FULL_SHARD,
    )
    micro_batches = stages * degrees.virtual if stages > 1 else 1
    recipe = Training(
        batch=work["batch"] // micro_batches,
        length=work["seq"],
        parameters=Precision.FP32,
        autocast=True,
        attention=Attention.SDPA,
        optimizer=Optimizer.ADAMW,
        is_foreach=False,
        checkpointing=work["ac"] == "full",
        micro_batches=micro_batches,
        keeps_outputs=False,
    )
    return recipe, degrees


def _full_shard(work: Record, source: str) -> tuple[Training, FullShard]:
    """torchtitan over data ranks alone: fp32 shards, 16-bit computation, fp32 reduction, each layer recomputed.

    With its selective option, inferred to be the default "op", every second product is kept. "compile" compiles the
    loss too, but not at the end of 2024, when that was turned off (pytorch issue 143774). Compiled layers and float8
    products have no form.
    """
    is_loss_compiled = "compile" in work["technique"] and "_202412_" not in source
    recipe = Training(
        batch=work["batch"],
        length=work["seq"],
        parameters=Precision.BF16,
        autocast=False,
        attention=Attention.SDPA,
        optimizer=Optimizer.ADAMW,
        is_foreach=False,
        checkpointing=work["ac"] != "none",
        loss=LossKernel.COMPILED if is_loss_compiled else LossKernel.UPCAST,
        keeps_products="selective" in work["ac"],
    )
    return recipe, FullShard(work["ranks"], master_size=4, compute_size=2, reduce_size=4)


def _generation(shape: ModelShape, work: Record) -> Generation:
    stored = _FORMATS.get(work["weights"])
    return Generation(
        batch=work["batch"],
        prompt=work["prompt_tokens"],
        new_tokens=work["new_tokens"],
        parameters=Precision.BF16,
        attention=Attention.SDPA,
        weights_bytes=None if stored is None else stored_weight_bytes(shape, stored),
    )


def _training(shape: ModelShape, work: Record) -> Training | None:
    recipe = Training(
        batch=work["batch"],
        length=work["seq"],
        parameters=Precision.BF16,
        autocast=False,
        attention=Attention.SDPA,
        optimizer=Optimizer.ADAMW,
        is_foreach=False,
        checkpointing=True,
        micro_batches=work.get("grad_accum", 1),
    )
    if "technique" in work:
        return _single_device(shape, recipe, work["technique"])
    # Qwen's own scripts: rank 64 on every projection with dropout; full fine-tuning under DeepSpeed's bf16 optimizer.
    adapter = Adapter(64, tuple(Projection), Precision.BF16, has_dropout=True)
    if work.get("method") == "lora":
        return replace(recipe, adapter=adapter)
    if work.get("method") == "lora_emb":
        return replace(recipe, adapter=replace(adapter, trains_tables=True))
    if work.get("method") == "qlora_int4":
        return replace(recipe, adapter=adapter, frozen_weights_bytes=stored_weight_bytes(shape, GPTQ_4))
    if work.get("method") == "full":
        return replace(recipe, master=MasterWeights.COPIED)
    return None


def _single_device(shape: ModelShape, recipe: Training, technique: str) -> Training | None:
    """Steps of torchtune's table, each on top of the ones before; that a step is compiled has no form.

    Its adapters stand on queries, values, outputs and the MLP with rank 64 (its own recipes for this model).
    """
    if technique.startswith("bf16 full finetune") or technique == "+compile":
        return replace(recipe, checkpointing=False)
    recipe = replace(recipe, loss=LossKernel.CHUNKED, loss_chunks=8)
    if technique == "+chunked cross entropy":
        return replace(recipe, checkpointing=False)
    if technique == "+activation checkpointing":
        return recipe
    if technique == "+8-bit AdamW":
        return replace(recipe, optimizer=Optimizer.ADAMW_8BIT)
    if technique == "+optimizer fused in backward":
        return replace(recipe, steps_in_backward=True)
    if technique == "+activation offloading":
        return replace(recipe, steps_in_backward=True, offloads_activations=True)
    if "LoRA" not in technique:
        return None
    targets = tuple(one for one in Projection if one is not Projection.KEY)
    adapted = replace(recipe, adapter=Adapter(64, targets, Precision.BF16), offloads_activations=True)
    if technique.startswith("QLoRA"):
        return replace(adapted, frozen_weights_bytes=stored_weight_bytes(shape, NF4))
    return adapted
