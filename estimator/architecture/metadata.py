"""The element counts that a model hub states beside a checkpoint, checked against each other.

Counts of elements per type; packed integers are not parameters, and a declared total may be stale.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from estimator.problems import Absent, Problem, Severity

_FLOATING = frozenset({"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2"})
_MOST = 2**60


@dataclass(frozen=True, slots=True)
class MetadataCount:
    """The parameters that the per-type counts sum to, or why they cannot be known, and what disagrees."""

    parameters: int | Absent
    problems: tuple[Problem, ...] = ()


def read_metadata(metadata: Mapping[str, object]) -> MetadataCount:
    """Return the sum over types of `safetensors.parameters`; a declared total that differs is a warning.

    Absent where a type is a packed integer (GPTQ, MXFP4): its elements hold several parameters each.
    """
    place = ("metadata", "safetensors", "parameters")
    section = metadata.get("safetensors")
    counts = section.get("parameters") if isinstance(section, Mapping) else None
    if not isinstance(section, Mapping) or not isinstance(counts, Mapping) or not counts:
        return MetadataCount(Absent("metadata_counts_missing", place))
    sizes: dict[str, int] = {}
    for kind, count in counts.items():
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= _MOST:
            return MetadataCount(Absent("metadata_count_not_a_number", place, (("type", str(kind)[:60]),)))
        sizes[str(kind)[:60]] = count
    total, declared = sum(sizes.values()), section.get("total")
    problems: tuple[Problem, ...] = ()
    if declared is not None and declared != total:
        values = (("declared", declared), ("counted", total))
        problems = (Problem("metadata_total_disagrees", (*place[:2], "total"), Severity.WARNING, values),)
    packed = sorted(kind for kind, count in sizes.items() if kind not in _FLOATING and count)
    if packed:
        return MetadataCount(
            Absent("metadata_packed_elements", place, (("types", ", ".join(packed)),)), problems
        )
    return MetadataCount(total, problems)
