"""Reference points of sound and images, reached through a quote: a model's source and a recipe, no engine called.

What a quote gives for a point is what the engine gives, and within the errors that were reached. A point has one
part of a pipeline on its card, so that a quote with one part at a time on the card is its like.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from estimator import memory as mem
from estimator.architecture.image_pipeline import read_pipeline
from estimator.plan.models import model_memory
from estimator.problems import Absent
from estimator.quote import (
    DenoiserTrainingRecipe,
    ImageRecipe,
    ModelSource,
    ModelSplit,
    ModelUse,
    Recipe,
    TrainingRecipe,
    TranscriptionRecipe,
)

Point = dict[str, Any]
KINDS = {"infer_diffusion", "infer_vae", "train_diffusion", "infer_asr", "train_asr", "train_vit"}
POINTS: list[Point] = [
    point
    for point in json.loads((Path(__file__).parents[1] / "data" / "memory2_points.json").read_text("utf-8"))[
        "points"
    ]
    if point["kind"] in KINDS
]
WORST_PERCENT = {
    "infer_diffusion": 0.3,
    "infer_vae": 0.4,
    "train_diffusion": 2.0,
    "infer_asr": 0.3,
    "train_asr": 0.2,
    "train_vit": 0.1,
}
# Parts that a point lacks and a pipeline needs: with one part at a time on the card they change nothing of it.
TEXT = {
    "model_type": "clip_text_model",
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
}
DECODER = {
    "_class_name": "AutoencoderKL",
    "block_out_channels": [128, 256, 512, 512],
    "layers_per_block": 2,
    "latent_channels": 4,
    "sample_size": 512,
}
UNET = next(one for one in POINTS if one["kind"] == "infer_diffusion")["model_config"]
OPTIMIZERS = {
    "adamw_fused": ("adamw", False),
    "adamw_foreach": ("adamw", True),
    "adam8bit": ("adamw_8bit", False),
}


def part(stated: Point) -> Point:
    return {"_class_name": stated["diffusers_class"], **stated["diffusers_kwargs"]}


def config_of(point: Point) -> Point:
    """The configuration file of a point's model; of an image decoder, in a pipeline."""
    stated = point["model_config"]
    if point["kind"] == "infer_vae":
        return {"unet": part(UNET), "text_encoder": TEXT, "vae": part(stated)}
    if point["kind"] == "infer_diffusion":
        name = "unet" if stated["diffusers_class"].startswith("UNet") else "transformer"
        return {name: part(stated), "text_encoder": TEXT, "vae": DECODER}
    if "diffusers_class" in stated:
        return part(stated)
    fields = {"model_type": stated["family"], **stated["hf_config_kwargs"]}
    return fields | ({"architectures": ["ViTForImageClassification"]} if stated["family"] == "vit" else {})


def recipe_of(point: Point) -> Recipe:
    work = point["workload"]
    if point["kind"] in ("infer_diffusion", "infer_vae"):
        return ImageRecipe(
            batch=work["batch"],
            height=work["height"],
            width=work["width"],
            parameters=work["param_dtype"],
            decoder_parameters=work["param_dtype"],
            guidance=False,
            placement="one_at_a_time",
            decoding="slices" if work.get("slicing") else "whole",
        )
    if point["kind"] == "infer_asr":
        return TranscriptionRecipe(batch=work["batch"], tokens=work["seq"], parameters=work["param_dtype"])
    optimizer, foreach = OPTIMIZERS[work["optimizer"]]
    if point["kind"] == "train_diffusion":
        adapter = work["lora"]
        return DenoiserTrainingRecipe.model_validate(
            {
                "batch": work["batch"],
                "height": work["height"],
                "width": work["width"],
                "precision": "mixed" if work["amp"] else "bf16",
                "optimizer": optimizer,
                "foreach": foreach,
                "checkpointing": work["ckpt"],
                "adapter_rank": adapter["r"] if adapter else None,
            }
        )
    length = (
        {} if point["kind"] == "train_vit" else {"length": work["seq"]}
    )  # an image's own, whatever is typed
    return TrainingRecipe.model_validate(
        {
            "batch": work["batch"],
            "micro_batches": work["grad_accum"],
            "parameters": work["param_dtype"],
            "autocast": work["amp"] is not None,
            "attention": work["attn"],
            "optimizer": optimizer,
            "foreach": foreach,
            "checkpointing": work["ckpt"],
            **length,
        }
    )


@pytest.mark.parametrize("point", POINTS, ids=[point["id"] for point in POINTS])
def test_a_quote_reaches_the_point(point: Point) -> None:
    source = ModelSource(name=point["model"], text=json.dumps(config_of(point)))
    found = model_memory(ModelUse(source=source, recipe=recipe_of(point)), ModelSplit.NONE, 1)
    assert not isinstance(found, Absent), found
    moments = found.ledger.moments
    kind = {"infer_diffusion": mem.MomentKind.DENOISE, "infer_vae": mem.MomentKind.IMAGE_DECODE}.get(
        point["kind"]
    )
    peak = max(one.total_bytes for one in moments if kind in (None, one.kind))
    engine = mem.point_ledger(point)
    assert engine is not None
    assert peak == engine.peak_bytes
    assert 100 * abs(peak / point["measured_bytes"] - 1) <= WORST_PERCENT[point["kind"]]


def test_every_kind_of_sound_and_images_is_reached() -> None:
    assert {point["kind"] for point in POINTS} == KINDS
    assert len(POINTS) == 52


@pytest.mark.parametrize("point", [one for one in POINTS if "diffusers_class" in one["model_config"]])
def test_parameters_and_adapters_of_a_point_are_counted_exactly(point: Point) -> None:
    pipeline = read_pipeline(config_of(point)).pipeline
    assert pipeline is not None
    if point["kind"] == "infer_vae":
        assert pipeline.decoder is not None
        assert pipeline.decoder.parameters == point["n_params"]
        return
    assert pipeline.denoiser is not None
    adapter = point["workload"].get("lora")
    trained = adapter["r"] * pipeline.denoiser.adapted_widths if adapter else 0
    assert pipeline.denoiser.parameters + trained == point["n_params"]
    assert not adapter or trained == point["n_trainable"]
