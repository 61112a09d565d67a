"""Where a number comes from, and what that allows to be said of a result computed from it.

`Stated` is a number a person gave with its evidence; `weakest` is the evidence of a result.
Default ranges: estimated ± 25 %, assumed × ½ to × 2, measured, given and derived none; a typed range wins.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum

from pydantic import model_validator

from estimator.frozen import Frozen
from estimator.units import TimeUnit, to_ms


class EvidenceKind(StrEnum):
    """How a number is known, strongest first."""

    MEASURED = "measured"
    GIVEN = "given"
    DERIVED = "derived"
    ESTIMATED = "estimated"
    ASSUMED = "assumed"
    UNKNOWN = "unknown"


_STRENGTH = {kind: place for place, kind in enumerate(EvidenceKind)}
VERIFIED = frozenset({EvidenceKind.MEASURED, EvidenceKind.GIVEN, EvidenceKind.DERIVED})


class Distribution(StrEnum):
    """How likely the values of a range are.

    Triangular and PERT have their peak at the value; uniform has none; a lognormal has the ends of the range as
    its P10 and P90, and a tail beyond them.
    """

    TRIANGULAR = "triangular"
    PERT = "pert"
    UNIFORM = "uniform"
    LOGNORMAL = "lognormal"


class Evidence(Frozen):
    """Kind, source and date of a number, and the range it may take, in the number's own unit."""

    kind: EvidenceKind = EvidenceKind.ASSUMED
    source: str = ""
    date: dt.date | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    distribution: Distribution = Distribution.TRIANGULAR

    @model_validator(mode="after")
    def _range_is_ordered(self) -> Evidence:
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError("range_reversed")
        return self


ASSUMED = Evidence()
GIVEN = Evidence(kind=EvidenceKind.GIVEN)
UNKNOWN = Evidence(kind=EvidenceKind.UNKNOWN)


class Stated(Frozen):
    """A number as a person stated it; `value` None means that it is not known yet."""

    value: Decimal | None = None
    evidence: Evidence = ASSUMED

    @property
    def kind(self) -> EvidenceKind:
        """The kind of evidence: unknown where there is no value."""
        return EvidenceKind.UNKNOWN if self.value is None else self.evidence.kind

    @property
    def span(self) -> tuple[Decimal, Decimal] | None:
        """The range of the value (low, high), or None where the value is unknown."""
        return None if self.value is None else span_of(self.value, self.evidence)


class StatedDuration(Stated):
    """A duration as stated, in `unit`."""

    unit: TimeUnit = TimeUnit.MINUTE

    @property
    def ms(self) -> int | None:
        """Whole milliseconds, or None where the duration is unknown."""
        return None if self.value is None else to_ms(self.value, self.unit)


def span_of(value: Decimal, evidence: Evidence) -> tuple[Decimal, Decimal]:
    """Return (low, high) of a value under its evidence: a typed range, else the visible default."""
    if evidence.kind is EvidenceKind.ESTIMATED:
        low, high = value * Decimal("0.75"), value * Decimal("1.25")
    elif evidence.kind is EvidenceKind.ASSUMED:
        low, high = value / 2, value * 2
    else:
        low = high = value
    if evidence.low is not None:
        low = evidence.low
    if evidence.high is not None:
        high = evidence.high
    return min(low, value), max(high, value)


def weakest(kinds: Iterable[EvidenceKind]) -> EvidenceKind:
    """Return the evidence of a result: the worst among its inputs, never better than derived."""
    return max((EvidenceKind.DERIVED, *kinds), key=_STRENGTH.__getitem__)
