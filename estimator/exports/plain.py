"""A value as JSON holds it: money as text, an absent value as its reason's code."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from typing import Any

from estimator.problems import Absent


def plain(value: object) -> Any:
    """Return a value as JSON holds it: decimals and dates as text, enums by value, absent as its code."""
    match value:
        case None | bool() | int() | float():
            return value
        case Absent():
            return {"absent": value.code}
        case Enum():
            return plain(value.value)
        case Decimal() | str():
            return str(value)
        case tuple() | list():
            return [plain(one) for one in value]
    return str(value)
