"""How sure a quote is: percentiles of delivery and cost, chances, and the numbers that could change the decision."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from estimator.evidence import EvidenceKind
from estimator.problems import Absent, Place


class ReplicationForm(StrEnum):
    """How the replications are timed.

    Listed: each task takes the cards that are free first, exact. Replayed: the plan's cards and order are kept.
    """

    LISTED = "listed"
    REPLAYED = "replayed"


@dataclass(frozen=True, slots=True)
class Times:
    """Percentiles of a time in ms: of ten deliveries one is earlier than `p10`, one later than `p90`."""

    p10: int
    p50: int
    p90: int


@dataclass(frozen=True, slots=True)
class Amounts:
    """Percentiles of an amount in the quote's currency, each the exact price of a replication."""

    p10: Decimal
    p50: Decimal
    p90: Decimal


@dataclass(frozen=True, slots=True)
class Spread:
    """What the replications of one plan came to. Chances are fractions, None where there is no such limit.

    `beyond_terms`: the last task on a card ends after the terms that the lots are held for.
    `varied`: numbers that each replication drew. `kept`: numbers with a range that stayed at their values.
    """

    form: ReplicationForm
    replications: int
    delivery: Times
    net: Amounts | Absent
    gross: Amounts | Absent
    beyond_terms: float | None
    beyond_limit: float | None
    beyond_budget: float | None
    varied: tuple[str, ...]
    kept: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanRisk:
    """A plan and its spread, or the reason why it has none."""

    plan_id: str
    spread: Spread | Absent


class WhyDecisive(StrEnum):
    """Why a number has to be verified. The first four are computed; the others hold always.

    Not weighed: deciding again for every number of so large a quote would take too long, so it counts as decisive.
    """

    END = "end"
    INSIDE = "inside"
    CORNER = "corner"
    FAILURE = "failure"
    NO_RANGE = "no_range"
    NOT_WEIGHED = "not_weighed"
    UNKNOWN = "unknown"
    PRICE = "price"
    NOT_DECISIVE = "not_decisive"


@dataclass(frozen=True, slots=True)
class RangeEnd:
    """A number at one end of its range, and the shown plan kept with it: one end of a bar of the tornado."""

    value: Decimal
    delivery_ms: int | Absent
    gross: Decimal | Absent
    changes_decision: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """Between these two values the decision becomes another; `inside` is nearer to the value used."""

    inside: Decimal
    outside: Decimal


@dataclass(frozen=True, slots=True)
class Assumption:
    """A number that is not verified, or has a range, and what its range does to the decision.

    `id` is that of its condition. `value`, `low`, `high` are in `unit` and None where there is no number.
    `chance` is that of another decision, a fraction; `worth` is the money that verifying it is worth: the
    expected regret of keeping the shown decision (see `risk.decisive`); both None without a range.
    """

    id: str
    where: Place
    kind: EvidenceKind
    why: WhyDecisive
    unit: str = ""
    value: Decimal | None = None
    low: RangeEnd | None = None
    high: RangeEnd | None = None
    turns: tuple[Turn, ...] = ()
    chance: float | None = None
    worth: Decimal | Absent | None = None

    @property
    def is_decisive(self) -> bool:
        """Whether it could change the decision; not verified, it is a decisive condition unless it is unticked."""
        return self.why is not WhyDecisive.NOT_DECISIVE
