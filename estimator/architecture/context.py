"""How many tokens a model was made for, and how its file says that weights are stored.

A scaling factor is applied once: a stated length above the original one contains it already.
"""

from __future__ import annotations

import math

from estimator.architecture.fields import Fields
from estimator.architecture.model import Quantisation
from estimator.problems import Absent

# Scalings whose files state the extended length; the factor stretches frequencies, not the stated length.
_ALREADY_EXTENDED = frozenset({"llama3", "longrope", "su", "default", "mrope", "proportional"})


def context_length(fields: Fields) -> int | Absent:
    """Return the longest context in tokens.

    `max_position_embeddings`, times the scaling factor only where the length is still the original one.
    """
    stated = fields.optional("max_position_embeddings")
    if stated is None:
        return Absent("context_length_not_stated", ("config", "max_position_embeddings"))
    scaling = fields.inner("rope_scaling") or fields.inner("rope_parameters")
    if scaling is None:
        return stated
    kind = scaling.text("rope_type") or scaling.text("type")
    factor, original = scaling.number("factor"), scaling.number("original_max_position_embeddings")
    if not kind or kind in _ALREADY_EXTENDED or factor is None or not 1 <= factor <= 10_000:
        return stated
    if fields.text("model_type").startswith(
        "gemma3"
    ):  # its files state the extended length and no original one
        return stated
    if original is not None and stated > original:
        return stated
    return math.floor(stated * factor)


def stored_type(fields: Fields) -> str:
    """Return the type that the file names for its weights ("bfloat16"), or ""."""
    return (fields.text("torch_dtype") or fields.text("dtype")).removeprefix("torch.")


def quantisation(fields: Fields) -> Quantisation | None:
    """Return how the checkpoint is quantised, or None. It decides over the stored type, which names the origin's."""
    found = fields.inner("quantization_config")
    if found is None:
        return None
    method = found.text("quant_method").lower()
    bits = found.optional("bits", 64)
    if not method and found.raw("load_in_4bit") is True:
        method = "bitsandbytes"
    if method == "bitsandbytes":
        bits = 4 if found.raw("load_in_4bit") is True else 8 if found.raw("load_in_8bit") is True else bits
    symmetric, group = found.raw("sym"), found.raw("group_size")
    return Quantisation(
        method=method,
        bits=bits,
        group=group if isinstance(group, int) and 0 < group < 2**20 else None,  # -1: a scale for each output
        block=_block(found),
        symmetric=symmetric if isinstance(symmetric, bool) else None,
        double=found.raw("bnb_4bit_use_double_quant") is True,
    )


def _block(fields: Fields) -> tuple[int, int] | None:
    items = fields.items("weight_block_size", 2)
    if items is None:
        return None
    sizes = [
        item for item in items if isinstance(item, int) and not isinstance(item, bool) and 0 < item < 2**20
    ]
    if len(sizes) != 2:
        fields.note("config_field_out_of_range", "weight_block_size", least=1, limit=2**20)
        return None
    return sizes[0], sizes[1]
