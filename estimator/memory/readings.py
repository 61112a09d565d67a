"""Reads published readings of real cards into recipes, as far as the source states how the model was run.

What a source leaves out is inferred here, row by row, and the readings include the framework's own extras: their
errors are listed, and only those of plain generation are held to a limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from estimator.memory.inference import generation_ledger
from estimator.memory.ledger import MemoryLedger
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
from estimator.memory.shape import Family, ModelShape, decoder_parameters
from estimator.memory.training import training_ledger
from estimator.memory.weights import AWQ_4, GPTQ_4, GPTQ_8, stored_weight_bytes

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
    shape = reading_shape(str(point["model"]))
    if shape is None or work.get("gpus", 1) != 1:
        return None
    if work["kind"] == "infer_generate":
        return generation_ledger(shape, _generation(shape, work))
    recipe = _training(shape, work)
    return None if recipe is None else training_ledger(shape, recipe)


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
        return _single_device(recipe, work["technique"])
    # Qwen's own scripts: rank 64 on every projection with dropout; full fine-tuning under DeepSpeed's bf16 optimizer.
    adapter = Adapter(64, tuple(Projection), Precision.BF16, has_dropout=True)
    if work.get("method") == "lora":
        return replace(recipe, adapter=adapter)
    if work.get("method") == "qlora_int4":
        return replace(recipe, adapter=adapter, frozen_weights_bytes=stored_weight_bytes(shape, GPTQ_4))
    if work.get("method") == "full":
        return replace(recipe, master=MasterWeights.COPIED)
    return None


def _single_device(recipe: Training, technique: str) -> Training | None:
    """Steps of torchtune's table, each on top of the one before; compiled and offloaded steps have no form."""
    chunked = replace(recipe, loss=LossKernel.CHUNKED, loss_chunks=8)
    if technique.startswith("bf16 full finetune"):
        return replace(recipe, checkpointing=False)
    if technique == "+chunked cross entropy":
        return replace(chunked, checkpointing=False)
    if technique == "+activation checkpointing":
        return chunked
    if technique == "+8-bit AdamW":
        return replace(chunked, optimizer=Optimizer.ADAMW_8BIT)
    return None
