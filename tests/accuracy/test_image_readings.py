"""Peaks of whole image pipelines that were read on cards, beside what a quote says of them.

Stable Diffusion XL base 1.0 at 1024 x 1024 with guidance. Hugging Face, "Exploring simple optimizations for SDXL"
(24 October 2023): A100 of 40 GB, four images, fp16 with the image decoder in fp32. Results of diffusion-fast
(Hugging Face, December 2023): A100 of 80 GB, one image. GB of the sources are GiB: bytes / 1024 ** 3.
"""

from __future__ import annotations

from decimal import Decimal

import pytest

from estimator import memory as mem
from estimator.catalogue.embedded import embedded_catalogue
from estimator.plan.fitting import peak_of, phases_of
from estimator.plan.memory import overheads_of
from estimator.plan.models import model_memory
from estimator.problems import Absent
from estimator.quote import ImageRecipe, MemoryNeed, ModelSource, ModelSplit, ModelUse
from estimator.results.memory import Fit
from estimator.units import GIB

FOUR = ImageRecipe(batch=4, decoder_parameters="fp32")
READINGS = {
    "four images, fp32": (FOUR.replaced(parameters="fp32"), "28.09"),
    "four images, fp16": (FOUR, "21.72"),
    "four images, one part at a time": (FOUR.replaced(placement="one_at_a_time"), "20.21"),
    "four images, decoded one at a time": (FOUR.replaced(decoding="slices"), "15.40"),
    "four images, texts encoded before": (FOUR.replaced(placement="texts_elsewhere"), "21.85"),
    "one image, bf16": (ImageRecipe(), "8.958"),
    "one image, fp32": (ImageRecipe(parameters="fp32", decoder_parameters="fp32"), "16.827"),
}


@pytest.mark.parametrize(("recipe", "reading"), READINGS.values(), ids=READINGS.keys())
def test_a_reading_lies_in_the_range_and_its_bytes_alone_are_never_enough(
    recipe: ImageRecipe, reading: str
) -> None:
    record = next(one for one in embedded_catalogue().models if one.id == "sdxl-base")
    source = ModelSource(name=record.name, kind="catalogue", text=record.model_dump_json())
    found = model_memory(ModelUse(source=source, recipe=recipe), ModelSplit.NONE, 1)
    assert not isinstance(found, Absent)
    measured = int(Decimal(reading) * GIB)
    peak = peak_of(found.ledger, found.basis, found.working)
    assert peak.used <= measured <= peak.high
    overheads = overheads_of(MemoryNeed())
    stage = mem.stage_memory("", phases_of(found.ledger, found.basis, found.working), overheads, 1)
    assert mem.verdict_on("c", measured, overheads, (stage,)).fits is not Fit.YES
