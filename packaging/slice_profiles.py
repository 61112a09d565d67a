"""Ways to cut a card into equal isolated slices (MIG), with what each slice is published to hold.

Names and how many fit at once are those of NVIDIA's MIG guide, or of NVIDIA's own configurations for B300. The
memory is the least that a published listing of the driver shows for one slice: listings differ by driver, and a
slice holds less than its label says on some cards (16.00 GiB of "18gb" on an H200). Two profiles of a card with the
same size in their names have the same fraction of its memory in the guide, and the same bytes in every listing, so
that a reading of one holds for both. Where no listing was found there is only the label. Profiles of one slice a
card are left out: they cut nothing.
"""

from __future__ import annotations

from decimal import Decimal

from estimator.catalogue import SliceProfile
from estimator.units import GIB, MIB

SOURCES = {
    "MIGDOC": 'NVIDIA Multi-Instance GPU User Guide, "Supported MIG Profiles"',
    "MIGLIST": "Published listings of nvidia-smi mig -lgip, the least figure among those found (November 2026)",
    "MIGREAD": "Published reading of one slice from inside, by its user (2026)",
}

Row = tuple[str, int, str | None]
"""Name, slices a card, GiB as listed (None: only the label is known)."""

_H100_80: tuple[Row, ...] = (
    ("1g.10gb", 7, "9.75"),
    ("1g.20gb", 4, "19.62"),
    ("2g.20gb", 3, "19.62"),
    ("3g.40gb", 2, "39.50"),
)
_A100_80: tuple[Row, ...] = (
    ("1g.10gb", 7, "9.50"),
    ("1g.20gb", 4, "19.50"),
    ("2g.20gb", 3, "19.50"),
    ("3g.40gb", 2, "39.25"),
)
_A100_40: tuple[Row, ...] = (
    ("1g.5gb", 7, "4.75"),
    ("1g.10gb", 4, "9.62"),
    ("2g.10gb", 3, "9.62"),
    ("3g.20gb", 2, "19.50"),
)
_H200: tuple[Row, ...] = (
    ("1g.18gb", 7, "16.00"),
    ("1g.35gb", 4, "32.50"),
    ("2g.35gb", 3, "32.50"),
    ("3g.71gb", 2, None),
)
_RTX_PRO_6000: tuple[Row, ...] = (("1g.24gb", 4, "23.12"), ("2g.48gb", 2, "46.50"))

_ROWS: dict[str, tuple[Row, ...]] = {
    "b300-sxm": (("1g.34gb", 7, None), ("1g.67gb", 4, None), ("2g.67gb", 3, None), ("3g.135gb", 2, None)),
    "b200-sxm": (
        ("1g.23gb", 7, "20.50"),
        ("1g.45gb", 4, "44.25"),
        ("2g.45gb", 3, "44.25"),
        ("3g.90gb", 2, None),
    ),
    "h200-sxm": _H200,
    "h200-nvl": _H200,
    "h100-sxm": _H100_80,
    "h100-pcie": _H100_80,
    "h100-nvl": (
        ("1g.12gb", 7, "10.62"),
        ("1g.24gb", 4, "21.50"),
        ("2g.24gb", 3, "21.50"),
        ("3g.47gb", 2, "46.12"),
    ),
    "h20": (("1g.12gb", 7, None),),
    "a100-sxm-80": _A100_80,
    "a100-pcie-80": _A100_80,
    "a100-sxm-40": _A100_40,
    "a100-pcie-40": _A100_40,
    "a30": (("1g.6gb", 4, "5.81"), ("2g.12gb", 2, "11.69")),
    "rtx-pro-6000-server": _RTX_PRO_6000,
    "rtx-pro-6000-ws": _RTX_PRO_6000,
    "rtx-pro-6000-maxq": _RTX_PRO_6000,
    "rtx-pro-5000": (("1g.24gb", 2, None),),
}
_PARTS_OF = {
    "a30": 4,
    "rtx-pro-6000-server": 4,
    "rtx-pro-6000-ws": 4,
    "rtx-pro-6000-maxq": 4,
    "rtx-pro-5000": 2,
}
_READ_FROM_INSIDE = {"b200-sxm"}
_NAMED_BY = {"b300-sxm": "MIGPARTED"}


def slice_profiles(card_id: str) -> tuple[SliceProfile, ...]:
    """Return the profiles of a card, the smallest slices first; none where the card has none that is known."""
    return tuple(_profile(card_id, *row) for row in _ROWS.get(card_id, ()))


def _profile(card_id: str, name: str, per_card: int, gib: str | None) -> SliceProfile:
    parts, label = name.removesuffix("gb").split("g.")
    sources = [_NAMED_BY.get(card_id, "MIGDOC")]
    if gib is not None:
        sources.append("MIGREAD" if card_id in _READ_FROM_INSIDE else "MIGLIST")
    return SliceProfile(
        name=name,
        per_card=per_card,
        marketed_gb=Decimal(label),
        # Whole MiB, never more than what is listed.
        reported_bytes=None if gib is None else int(Decimal(gib) * GIB) // MIB * MIB,
        compute_parts=int(parts),
        compute_parts_of=_PARTS_OF.get(card_id, 7),
        sources=tuple(sources),
    )
