"""Bytes of weights as stored, by format: which matrices are packed, in how many bits, with which scales.

The rule "4 bits are half a byte" forgets group scales, zero points and the parts that stay in 16 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from estimator.memory.shape import ModelShape, linear_weights


class Packed(StrEnum):
    """Which weights are packed; the others stay in 16 bits."""

    LAYERS = "layers"  # all matrices of the layers
    EXPERTS = "experts"  # the experts' matrices alone
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class WeightFormat:
    """Bits of one packed weight, with its share of scales and zero points, and which weights are packed."""

    bits: Fraction
    packed: Packed
    other_bits: int = 16


def grouped_format(bits: int, group: int = 128) -> WeightFormat:
    """GPTQ and AWQ: per group one 16-bit scale and one zero point of as many bits as a weight."""
    return WeightFormat(bits + Fraction(16 + bits, group), Packed.LAYERS)


FP32 = WeightFormat(Fraction(32), Packed.EVERYTHING, 32)
BF16 = WeightFormat(Fraction(16), Packed.EVERYTHING)
FP8_BLOCKS = WeightFormat(8 + Fraction(32, 128 * 128), Packed.LAYERS)  # one fp32 scale per 128 x 128
GPTQ_8 = grouped_format(8)
GPTQ_4 = grouped_format(4)
AWQ_4 = grouped_format(4)
MXFP4_EXPERTS = WeightFormat(4 + Fraction(8, 32), Packed.EXPERTS)  # blocks of 32 with one 8-bit scale
NF4 = WeightFormat(4 + Fraction(32, 64), Packed.LAYERS)  # blocks of 64 with one fp32 scale
NF4_DOUBLE = WeightFormat(4 + Fraction(8, 64) + Fraction(32, 64 * 256), Packed.LAYERS)  # scales packed again
GGUF_Q8_0 = WeightFormat(Fraction(34 * 8, 32), Packed.EVERYTHING)  # 32 values and one 16-bit scale
GGUF_Q4_0 = WeightFormat(Fraction(18 * 8, 32), Packed.EVERYTHING)

GGUF_Q8_0_KV_BITS = Fraction(34 * 8, 32)


def packed_weights(shape: ModelShape, packed: Packed) -> int:
    """Elements that a format packs."""
    if packed is Packed.EVERYTHING:
        return shape.parameters
    if packed is Packed.LAYERS:
        return sum(linear_weights(shape, layer) for layer in range(shape.layers))
    experts = shape.experts
    if experts is None:
        return 0
    one = 3 * experts.on_card * experts.width * shape.hidden
    return (shape.layers - experts.dense_layers) * one


def stored_weight_bytes(shape: ModelShape, weight_format: WeightFormat) -> int:
    """Bytes of all weights in a format."""
    return split_weight_bytes(packed_weights(shape, weight_format.packed), shape.parameters, weight_format)


def split_weight_bytes(packed: int, total: int, weight_format: WeightFormat) -> int:
    """Bytes of `packed` weights of `total`, the others in `other_bits`; rounded up."""
    bits = packed * weight_format.bits + (total - packed) * weight_format.other_bits
    return -(-bits.numerator // (8 * bits.denominator))
