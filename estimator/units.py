"""Physical units and their exact conversions: bytes, milliseconds, and the words GB and GiB kept apart.

No formatting for people here (see `wording/`) and no money (see `price.py`).
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum

GIB = 2**30
MIB = 2**20
GB = 10**9

MS_PER_SECOND = 1_000
MS_PER_MINUTE = 60_000
MS_PER_HOUR = 3_600_000
MS_PER_DAY = 86_400_000


class TimeUnit(StrEnum):
    """The unit in which a planner states a duration."""

    SECOND = "s"
    MINUTE = "min"
    HOUR = "h"
    DAY = "d"


MS_PER: dict[TimeUnit, int] = {
    TimeUnit.SECOND: MS_PER_SECOND,
    TimeUnit.MINUTE: MS_PER_MINUTE,
    TimeUnit.HOUR: MS_PER_HOUR,
    TimeUnit.DAY: MS_PER_DAY,
}


def to_ms(value: Decimal, unit: TimeUnit) -> int:
    """Return whole milliseconds, half up. `value` is in `unit`."""
    return int((value * MS_PER[unit]).quantize(Decimal(1), rounding=ROUND_HALF_UP))


def from_ms(ms: int, unit: TimeUnit) -> Decimal:
    """Return the exact value of `ms` milliseconds in `unit`."""
    return Decimal(ms) / Decimal(MS_PER[unit])


def gib_to_bytes(gib: Decimal) -> int:
    """Return whole bytes, half up, of `gib` GiB (2**30 bytes)."""
    return int((gib * GIB).quantize(Decimal(1), rounding=ROUND_HALF_UP))


def bytes_to_gib(count: int) -> Decimal:
    """Return the exact value of `count` bytes in GiB."""
    return Decimal(count) / Decimal(GIB)


def marketed_bytes(gigabytes: Decimal) -> int:
    """Return the bytes of a marketed size, read as 10**9 bytes a gigabyte (the least it can mean)."""
    return int(gigabytes * GB)
