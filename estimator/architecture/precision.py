"""Bytes of the weights as they are stored or loaded: uniform, grouped, blocked, or a mixture of these.

Scales, zero points and the parts that stay in 16 bits are counted; the file's header is not. Gradients and
optimizer states are `memory`'s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from estimator.architecture.model import Architecture, Quantisation, Role, Weight
from estimator.architecture.parameters import all_weights
from estimator.architecture.weights import next_token_weights
from estimator.problems import Absent

MATRICES = frozenset({Role.LINEAR, Role.EXPERT})
_TABLES = MATRICES | {Role.EMBEDDING, Role.HEAD}

BITS_OF_TYPE = {
    "float64": 64,
    "float32": 32,
    "float16": 16,
    "bfloat16": 16,
    "float8_e4m3fn": 8,
    "float8_e5m2": 8,
}

# Bits per weight of the block formats of ggml (ggml-common.h): the block's bytes × 8 ÷ its weights.
GGUF_BITS = {
    "F32": Fraction(32),
    "F16": Fraction(16),
    "BF16": Fraction(16),
    "Q8_0": Fraction(34 * 8, 32),
    "Q6_K": Fraction(210 * 8, 256),
    "Q5_K": Fraction(176 * 8, 256),
    "Q5_1": Fraction(24 * 8, 32),
    "Q5_0": Fraction(22 * 8, 32),
    "Q4_K": Fraction(144 * 8, 256),
    "Q4_1": Fraction(20 * 8, 32),
    "Q4_0": Fraction(18 * 8, 32),
    "Q3_K": Fraction(110 * 8, 256),
    "Q2_K": Fraction(84 * 8, 256),
}


@dataclass(frozen=True, slots=True)
class WeightScheme:
    """How weights are stored: `packed` roles in `packed_bits` each, all else in `plain_bits`.

    `block` adds `scale_bits` for each started block of that shape; `router_bias_bits` where those differ.
    """

    name: str
    plain_bits: Fraction = Fraction(16)
    packed_bits: Fraction = Fraction(16)
    packed: frozenset[Role] = frozenset()
    block: tuple[int, int] | None = None
    scale_bits: int = 0
    router_bias_bits: int | None = None


def uniform(bits: int) -> WeightScheme:
    """Return the scheme that stores every weight in `bits`."""
    return WeightScheme(f"{bits}-bit", plain_bits=Fraction(bits))


def grouped(bits: int, group: int, scale_bits: int = 16, zero_bits: int | None = None) -> WeightScheme:
    """Return GPTQ's and AWQ's scheme: layers' matrices in `bits`, a scale and a zero point for each group.

    (bits + scale/group + zero/group) per weight; arXiv 2210.17323 and 2306.00978. `zero_bits` None: `bits`.
    """
    zero = bits if zero_bits is None else zero_bits
    return WeightScheme(
        f"grouped {bits}-bit", packed_bits=bits + Fraction(scale_bits + zero, group), packed=MATRICES
    )


def mxfp4() -> WeightScheme:
    """Return gpt-oss's scheme: the experts' matrices in 4 bits with an 8-bit scale for 32 (OCP MX, 2023)."""
    return WeightScheme("mxfp4", packed_bits=4 + Fraction(8, 32), packed=frozenset({Role.EXPERT}))


def fp8_blocks(block: tuple[int, int] = (128, 128)) -> WeightScheme:
    """Return DeepSeek-V3's scheme: layers' matrices in 8 bits, a 32-bit scale for each started block.

    arXiv 2412.19437, section 3.3; embedding, head, norms and router in 16 bits, the router's bias in 32.
    """
    return WeightScheme("fp8", Fraction(16), Fraction(8), MATRICES, block, 32, router_bias_bits=32)


def fp8_tensors() -> WeightScheme:
    """Return the scheme of one 32-bit scale for each 8-bit matrix."""
    return WeightScheme("fp8", Fraction(16), Fraction(8), MATRICES, (2**62, 2**62), 32)


def normal_float4(*, double: bool) -> WeightScheme:
    """Return QLoRA's NF4 (arXiv 2305.14314): 64 weights a scale of 32 bits, or 8 bits quantised 256 at a time."""
    scale = Fraction(8, 64) + Fraction(32, 64 * 256) if double else Fraction(32, 64)
    return WeightScheme("nf4", packed_bits=4 + scale, packed=MATRICES)


def integer8_rows() -> WeightScheme:
    """Return LLM.int8() (arXiv 2208.07339): layers' matrices in 8 bits, a 32-bit scale for each output."""
    return WeightScheme("int8", Fraction(16), Fraction(8), MATRICES, (2**62, 1), 32)


def gguf(kind: str) -> WeightScheme | Absent:
    """Return the scheme of one GGUF block format; absent for a mixture such as Q4_K_M, whose file size decides."""
    bits = GGUF_BITS.get(kind.upper())
    if bits is None:
        return Absent("gguf_mixture", values=(("kind", kind),))
    return WeightScheme(kind.upper(), plain_bits=Fraction(32), packed_bits=bits, packed=_TABLES)


def scheme_of(quantisation: Quantisation) -> WeightScheme | Absent:
    """Return the scheme of a checkpoint's own quantisation, or which of its sizes is not known."""
    method, bits, group = quantisation.method, quantisation.bits, quantisation.group
    if method == "mxfp4":
        return mxfp4()
    if method == "fp8":
        return fp8_blocks(quantisation.block) if quantisation.block else fp8_tensors()
    if method in ("gptq", "awq"):
        if bits is None or group is None:
            return Absent("quantisation_size_missing", values=(("method", method),))
        return grouped(bits, group)
    if method == "bitsandbytes" and bits in (4, 8):
        return normal_float4(double=quantisation.double) if bits == 4 else integer8_rows()
    return Absent("quantisation_unknown", values=(("method", method),))


def weight_bytes(architecture: Architecture, scheme: WeightScheme, *, with_next_token: bool = False) -> int:
    """Return the bytes of all weights under a scheme, towers included; with the next-token layers if asked."""
    total = sum(
        (count * stored_bits(weight, scheme) for weight, count in all_weights(architecture)), Fraction(0)
    )
    if with_next_token and architecture.next_token_layers:
        layer = architecture.layers[-1]
        extra = next_token_weights(layer, architecture.hidden, architecture.vocab)
        total += architecture.next_token_layers * sum(stored_bits(weight, scheme) for weight in extra)
    return math.ceil(total / 8)


def stored_bits(weight: Weight, scheme: WeightScheme) -> Fraction:
    """Return the bits of one weight (all its copies) with its scales."""
    if weight.role is Role.ROUTER_BIAS and scheme.router_bias_bits is not None:
        return Fraction(weight.parameters * scheme.router_bias_bits)
    if weight.role not in scheme.packed:
        return weight.parameters * scheme.plain_bits
    return weight.parameters * scheme.packed_bits + scale_count(weight, scheme) * scheme.scale_bits


def scale_count(weight: Weight, scheme: WeightScheme) -> int:
    """Return how many started blocks a packed weight has; 0 where the scheme has no blocks."""
    if scheme.block is None or weight.role not in scheme.packed:
        return 0
    rows, columns = weight.shape
    return (
        weight.copies
        * math.ceil(Fraction(rows, scheme.block[0]))
        * math.ceil(Fraction(columns, scheme.block[1]))
    )


def packed_parameters(architecture: Architecture, scheme: WeightScheme) -> int:
    """Return how many weights a scheme packs."""
    return sum(
        count * weight.parameters
        for weight, count in all_weights(architecture)
        if weight.role in scheme.packed
    )


def stored_scheme(architecture: Architecture) -> WeightScheme | Absent:
    """Return how the checkpoint is stored: its quantisation if it has one, whatever type the file names besides."""
    if architecture.quantisation is not None:
        return scheme_of(architecture.quantisation)
    bits = BITS_OF_TYPE.get(architecture.stored_type)
    if bits is None:
        return Absent("stored_type_not_stated", values=(("type", architecture.stored_type),))
    return uniform(bits)
