"""Cards and links as a catalogue knows them: marketed size, the bytes a driver reports, facts in dispute.

No prices here (see `offers.py`).
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from pydantic import Field, NonNegativeInt, PositiveInt

from estimator.frozen import Frozen
from estimator.units import marketed_bytes


class ConflictOption(Frozen):
    """One of the values that sources give for the same fact."""

    value: str
    source: str


class Conflict(Frozen):
    """A fact on which sources disagree; `chosen` is the option that the planner uses, None while undecided."""

    fact: str
    options: tuple[ConflictOption, ...] = Field(min_length=1)
    chosen: NonNegativeInt | None = None
    note: str = ""


class SliceProfile(Frozen):
    """One way to cut a card into equal isolated slices (MIG), `per_card` of them at once.

    `reported_bytes` is the least that a published listing of the driver gives for one slice; None where only
    the label is known. A slice computes with `compute_parts` of the `compute_parts_of` parts of its card.
    """

    name: str = Field(min_length=1)
    per_card: int = Field(ge=2)
    marketed_gb: Decimal = Field(gt=0)
    reported_bytes: PositiveInt | None = None
    compute_parts: PositiveInt
    compute_parts_of: PositiveInt
    sources: tuple[str, ...] = ()


class Card(Frozen):
    """A card model. `reported_bytes` is the driver's total; `observed_bytes` what a framework saw."""

    id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    vendor: str = ""
    marketed_gb: Decimal = Field(gt=0)
    reported_bytes: PositiveInt | None = None
    observed_bytes: PositiveInt | None = None
    memory_type: str = ""
    bandwidth_gb_s: Decimal | None = None
    fp64_tflops: Decimal | None = None
    bf16_tflops: Decimal | None = None
    power_watts: Decimal | None = None
    link: str = ""
    link_gb_s: Decimal | None = None
    pcie: str = ""
    year: int | None = None
    conflicts: tuple[Conflict, ...] = ()
    sources: tuple[str, ...] = ()
    note: str = ""
    own: bool = False
    slices: tuple[SliceProfile, ...] = ()

    @property
    def usable_bytes(self) -> int:
        """What one card offers: observed by a framework, else as the driver reports, else the label × 10⁹."""
        return self.observed_bytes or self.reported_bytes or marketed_bytes(self.marketed_gb)

    @property
    def usable_basis(self) -> str:
        """Which of the three readings `usable_bytes` is: observed, reported or marketed."""
        if self.observed_bytes:
            return "observed"
        return "reported" if self.reported_bytes else "marketed"

    def slice_profile(self, name: str) -> SliceProfile | None:
        """Return the profile of that name, or None."""
        return next((one for one in self.slices if one.name == name), None)


class Link(Frozen):
    """A connection between cards or nodes, one direction."""

    id: str
    name: str
    link_class: str = ""
    per_direction_gb_s: Decimal
    latency_us: Decimal | None = None
    typical_efficiency: Decimal | None = None
    note: str = ""
    sources: tuple[str, ...] = ()


class ModelRecord(Frozen):
    """A model architecture as catalogued: its configuration fields and exact parameter count."""

    id: str
    name: str
    family: str = ""
    kind: str = ""
    parameters: PositiveInt
    context_length: int | None = None
    config: dict[str, object] = Field(default_factory=dict)
    sources: tuple[str, ...] = ()
    note: str = ""


class SourceNote(Frozen):
    """What a source key stands for."""

    key: str
    text: str
    date: dt.date | None = None
