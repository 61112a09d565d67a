"""Everything computed from a quote, frozen: organisations, plans, comparison, conditions, status."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from estimator.evidence import EvidenceKind
from estimator.problems import Absent, Place, Problem
from estimator.quote import AssignmentPolicy, ConditionState, Quote
from estimator.results.memory import CardVerdict, Fit, StageMemory
from estimator.results.price import Price
from estimator.results.rental import RentalStudy
from estimator.results.risk import Assumption, PlanRisk
from estimator.results.schedule import Schedule

MIX = "mix"
"""The end of the id of a plan that mixes offers."""

_FITS = (Fit.NO, Fit.UNKNOWN, Fit.IF, Fit.YES)
"""Memory verdicts, the worst first."""


class QuoteStatus(StrEnum):
    """Draft: no answer yet. Provisional: a decisive condition is open. Firm: all met. Failed: one failed."""

    DRAFT = "draft"
    PROVISIONAL = "provisional"
    FIRM = "firm"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class StageTime:
    """When a stage runs, in milliseconds from time zero."""

    stage_id: str
    start_ms: int
    end_ms: int

    @property
    def elapsed_ms(self) -> int:
        """From its first start to its last end."""
        return self.end_ms - self.start_ms


@dataclass(frozen=True, slots=True)
class Timing:
    """A schedule read for people: delivery, bound, stages, idle cards.

    The rows of the schedule are its `places`: the cards, or where these are sliced their slices, row p on card
    p // `slices_per_card`. `card_ids`, `offer_ids` and `units` tell each place: the model of its card, the offer
    that it is rented from and the copy of a lot that it stands in. `busy_ms` is time zero to the last task's end.
    """

    schedule: Schedule
    stages: tuple[StageTime, ...]
    group_stage: tuple[str, ...]
    card_ids: tuple[str, ...]
    offer_ids: tuple[str, ...]
    units: tuple[int, ...]
    busy_ms: int
    slices_per_card: int = 1

    @property
    def places(self) -> int:
        """Rows of the schedule on cards: how many tasks' cards or slices there are."""
        return len(self.schedule.card_busy_ms)

    @property
    def cards(self) -> int:
        """Cards that work at once; slices of the same card count once."""
        return -(-len(self.card_ids) // self.slices_per_card)

    @property
    def models(self) -> tuple[str, ...]:
        """The card models at work, in the order of the cards."""
        return tuple(dict.fromkeys(self.card_ids))

    @property
    def delivery_ms(self) -> int:
        """Time zero to the last accepted result."""
        return self.schedule.delivery_ms

    @property
    def lower_bound_ms(self) -> int:
        """No plan on these cards delivers earlier."""
        return self.schedule.lower_bound_ms


@dataclass(frozen=True, slots=True)
class Holding:
    """Units of one offer, held or used: whole lots for terms, or cards by the hour.

    `terms` are the days of each term, in order; empty for hourly cards. `paid_card_ms` is what is billed.
    """

    offer_id: str
    count: int
    cards: int
    terms: tuple[int, ...]
    held_ms: int
    paid_card_ms: int
    cost: Decimal | Absent
    is_sample: bool
    price_kind: EvidenceKind


@dataclass(frozen=True, slots=True)
class Decision:
    """What a plan decides; compared, not differentiated, by risk and break-evens.

    `card_ids`: the card models, one where the plan does not mix; `holdings`: offer, copies or cards, terms.
    """

    organisation_id: str
    card_ids: tuple[str, ...]
    cards: int
    holdings: tuple[tuple[str, int, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """One organisation on one way of renting, with its time and price.

    `meets_limit`, `within_budget`, `within_quota` are None where there is no such limit or no figure.
    `verdicts`: memory on each card model of the plan. `unused_card_ms` is paid card time less computing time, a
    slice's as its part of the card. `proven`: no choice of the same offers for as many tasks at once, that ends as
    early, costs less to rent; `rent_bound`: what each of them costs at least, None where no price is known.
    """

    id: str
    organisation_id: str
    decision: Decision
    timing: Timing
    holdings: tuple[Holding, ...]
    price: Price
    verdicts: tuple[CardVerdict, ...]
    meets_limit: bool | None
    within_budget: bool | None
    within_quota: bool | None
    unused_card_ms: int
    proven: bool
    rent_bound: Decimal | None
    kind: EvidenceKind

    @property
    def is_mix(self) -> bool:
        """True where offers are mixed: the plan then has tasks at once of its own."""
        return self.id == f"{self.organisation_id}/{MIX}"

    @property
    def verdict(self) -> CardVerdict:
        """The memory verdict of the card model with least to spare: what decides where a plan mixes models."""
        return min(self.verdicts, key=lambda one: (_FITS.index(one.fits), one.spare_bytes or 0))

    @property
    def rent(self) -> Decimal | Absent:
        """What all holdings cost in their offers' currency, which is one; Absent with the first that is not known."""
        total = Decimal(0)
        for holding in self.holdings:
            if isinstance(holding.cost, Absent):
                return holding.cost
            total += holding.cost
        return total

    @property
    def rent_gap(self) -> Fraction | None:
        """By how much the rent is above its bound, as a share of it; 0 where proven, None where not known."""
        rent = self.rent
        if self.proven:
            return Fraction(0)
        if isinstance(rent, Absent) or not self.rent_bound:
            return None
        return Fraction(rent - self.rent_bound) / Fraction(self.rent_bound)

    @property
    def is_sample(self) -> bool:
        """True where a sample price enters."""
        return any(holding.is_sample for holding in self.holdings)

    @property
    def is_admitted(self) -> bool:
        """True where no limit, budget or quota is broken and memory does not say no."""
        return self.verdict.fits != "no" and False not in (
            self.meets_limit,
            self.within_budget,
            self.within_quota,
        )


@dataclass(frozen=True, slots=True)
class ProjectTime:
    """A project's delivery beside the others, in ms; `alone_ms` on the same cards without them, None until known."""

    project_id: str
    name: str
    priority: int
    delivery_ms: int
    due_ms: int | None
    alone_ms: int | None = None

    @property
    def late_ms(self) -> int | None:
        """How long after its due date it is delivered, 0 in time; None where nothing is due."""
        return None if self.due_ms is None else max(0, self.delivery_ms - self.due_ms)

    @property
    def loses_ms(self) -> int | None:
        """How much later it is than alone; below 0 where it gains by another order."""
        return None if self.alone_ms is None else self.delivery_ms - self.alone_ms


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """The same tasks under another assignment policy.

    `idle_card_ms`: card time that is paid and does not compute, where nothing is rented yet that of the cards until
    the delivery; `idle_cost` is its share of what the offers cost, in `currency`.
    """

    policy: AssignmentPolicy
    delivery_ms: int
    lower_bound_ms: int
    idle_between_ms: int
    longest_tail_ms: int
    needs_mechanism: bool
    idle_card_ms: int
    idle_cost: Decimal | Absent
    currency: str


@dataclass(frozen=True, slots=True)
class OrganisationResult:
    """One organisation: its key, memory, time, and the plans that rent it.

    `timing` is Absent with the reason where something is missing; `cards_required` likewise.
    `best_plan_id` is the recommended among its own plans, "" where none has a price.
    """

    organisation_id: str
    tasks_at_once: int | None
    cards_per_task: int
    memory: tuple[StageMemory, ...]
    verdicts: tuple[CardVerdict, ...]
    timing: Timing | Absent
    time_kind: EvidenceKind
    memory_kind: EvidenceKind
    plans: tuple[Plan, ...]
    excluded: tuple[tuple[str, Absent], ...]
    best_plan_id: str
    policies: tuple[PolicyResult, ...] = ()
    slices_per_card: int = 1

    @property
    def cards_required(self) -> int | Absent:
        """Cards that work at once: those of the schedule, or the reason why not known."""
        return self.timing if isinstance(self.timing, Absent) else self.timing.cards

    def plan(self, plan_id: str) -> Plan | None:
        """Return the plan of that id, or None."""
        return next((plan for plan in self.plans if plan.id == plan_id), None)

    def verdict(self, card_id: str) -> CardVerdict | None:
        """Return the memory verdict on that card model, or None."""
        return next((verdict for verdict in self.verdicts if verdict.card_id == card_id), None)


@dataclass(frozen=True, slots=True)
class Step:
    """Time and cost with that many cards. `useless`: no earlier than with fewer."""

    cards: int
    delivery_ms: int
    useless: bool
    net: Decimal | None


@dataclass(frozen=True, slots=True)
class BreakEven:
    """What cancels the gain of one organisation over the reference.

    `slow_down`: the mutual slow-down at which both take as long. `serial_ms`: the longer assembly that does.
    """

    organisation_id: str
    reference_id: str
    slow_down: Decimal | None
    serial_ms: int | None


@dataclass(frozen=True, slots=True)
class CounterExample:
    """A case near the plan in which splitting does not pay as promised.

    `code` names the case: one shared channel, one unequal half, one licence. `values` fill its sentence.
    """

    code: str
    organisation_id: str
    delivery_ms: int
    ideal_ms: int
    values: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """Something to verify before the quote is firm.

    `code` names its sentence and `values` fill it; `text` is a planner's own. `where` leads to the number.
    """

    id: str
    code: str
    where: Place
    state: ConditionState
    decisive: bool
    kind: EvidenceKind
    values: tuple[tuple[str, object], ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """One plan as a point of cost against delivery. `dominated`: another is no dearer and no later."""

    plan_id: str
    organisation_id: str
    delivery_ms: int
    net: Decimal
    dominated: bool


@dataclass(frozen=True, slots=True)
class Throughput:
    """Accepted results per hour, and within terms of 3, 7 and 30 days: (days, results)."""

    per_hour: Decimal | Absent
    per_term: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """All that one quote comes to. `shown_plan_id`: the planner's choice, else the recommended.

    `is_complete` is False while the comparisons are not there, `is_assessed` while only a first sketch of `risks`
    is: until then conditions are decisive as proposed by their kind.
    """

    quote: Quote
    organisations: tuple[OrganisationResult, ...]
    recommended_plan_id: str
    shown_plan_id: str
    shown_organisation_id: str
    status: QuoteStatus
    conditions: tuple[Condition, ...]
    problems: tuple[Problem, ...]
    staircase: tuple[Step, ...] = ()
    break_evens: tuple[BreakEven, ...] = ()
    counter_examples: tuple[CounterExample, ...] = ()
    frontier: tuple[FrontierPoint, ...] = ()
    throughput: Throughput | None = None
    rental: RentalStudy | None = None
    projects: tuple[ProjectTime, ...] = ()
    is_complete: bool = False
    risks: tuple[PlanRisk, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    is_assessed: bool = False

    def organisation(self, organisation_id: str) -> OrganisationResult | None:
        """Return the result of that organisation, or None."""
        return next((one for one in self.organisations if one.organisation_id == organisation_id), None)

    def plan(self, plan_id: str) -> Plan | None:
        """Return the plan of that id, or None."""
        for one in self.organisations:
            found = one.plan(plan_id)
            if found is not None:
                return found
        return None

    @property
    def plans(self) -> tuple[Plan, ...]:
        """Every plan of every organisation."""
        return tuple(plan for one in self.organisations for plan in one.plans)

    @property
    def shown(self) -> OrganisationResult | None:
        """The organisation on the answer strip."""
        return self.organisation(self.shown_organisation_id)

    @property
    def shown_plan(self) -> Plan | None:
        """The plan on the answer strip, None where nothing is priced."""
        return self.plan(self.shown_plan_id)

    def risk(self, plan_id: str) -> PlanRisk | None:
        """Return how sure the plan of that id is, or None where that is not computed."""
        return next((one for one in self.risks if one.plan_id == plan_id), None)

    @property
    def open_conditions(self) -> tuple[Condition, ...]:
        """Conditions still open, decisive ones first."""
        waiting = [one for one in self.conditions if one.state is ConditionState.OPEN]
        return tuple(sorted(waiting, key=lambda one: not one.decisive))
