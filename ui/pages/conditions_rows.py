"""The conditions as rows of a table: state, claim, value used, possible range, how to verify.

Reads quote and estimate; which conditions there are and which are decisive is the core's to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from estimator.catalogue import Lot
from estimator.conditions.derived import ALWAYS_DECISIVE
from estimator.evidence import EvidenceKind, span_of
from estimator.problems import Place
from estimator.quote import ConditionRecord, ConditionState, Quote
from estimator.results.estimate import Condition, Estimate
from estimator.results.risk import Assumption
from estimator.wording import Wording
from estimator.wording.certainty import holds_text, worth_text
from estimator.wording.phrases import condition_text, floor_memory
from ui.models.table import Column, Group

ADMIN_CONSOLE = "admin_console"
HOLDS, WORTH, VERIFY = 4, 5, 6
"""The columns that the form repeats while it is open."""
STATE_ICONS = {
    ConditionState.OPEN: "circle",
    ConditionState.MET: "tick",
    ConditionState.FAILED: "crossed-circle",
}
_STATE_COLORS = {ConditionState.OPEN: "text", ConditionState.MET: "ok", ConditionState.FAILED: "err"}


@dataclass(frozen=True, eq=False)
class ConditionRow:
    """One condition as text, with what the form needs.

    Its texts are made when they are first read: there may be thousands of rows, and a table shows a dozen.
    """

    words: Wording
    estimate: Estimate
    condition: Condition
    assumption: Assumption | None = None

    @property
    def id(self) -> str:
        """The condition's id."""
        return self.condition.id

    @property
    def state(self) -> ConditionState:
        """Open, met or failed."""
        return self.condition.state

    @property
    def state_word(self) -> str:
        """The state as shown."""
        return self.words.word(self.condition.state)

    @cached_property
    def claim(self) -> str:
        """What must be true."""
        return condition_text(self.words, self.condition, self.estimate.quote)

    @cached_property
    def value(self) -> str:
        """The value used."""
        return _value_used(self.words, self.estimate, self.condition)

    @property
    def kind(self) -> EvidenceKind | None:
        """The evidence of the value used; None for a condition in the planner's own words."""
        return None if self.own else self.condition.kind

    @cached_property
    def possible(self) -> str:
        """What else the value may be."""
        return _possible(self.words, self.estimate, self.condition)

    @property
    def verify(self) -> str:
        """How it is verified."""
        return how_to_verify(self.words, self.condition.code)

    @property
    def decisive(self) -> bool:
        """Whether it could change the decision."""
        return self.condition.decisive

    @property
    def forced(self) -> bool:
        """Whether it is always decisive: the tick is fixed."""
        return self.condition.code in ALWAYS_DECISIVE

    @cached_property
    def holds(self) -> str:
        """As far as which value the decision stays, "" where nothing in the range turns it."""
        return "" if self.assumption is None else holds_text(self.words, self.assumption)

    @cached_property
    def worth(self) -> str:
        """What verifying the number is worth in money, "" where it is no number with a range."""
        return "" if self.assumption is None else worth_text(self.words, self.estimate.quote, self.assumption)

    @cached_property
    def why(self) -> str:
        """Why it is decisive or not, as computed, "" where it was not weighed: it is not a number, or not yet."""
        return "" if self.assumption is None else self.words.word(self.assumption.why)

    @property
    def own(self) -> bool:
        """Whether the planner wrote it."""
        return self.condition.code == "own" and self.condition.where[:1] == ("conditions",)

    @property
    def where(self) -> Place:
        """The place that it is about."""
        return self.condition.where


def condition_rows(words: Wording, estimate: Estimate) -> tuple[ConditionRow | Group, ...]:
    """Return the conditions in two groups, decisive ones first."""
    rows: list[ConditionRow | Group] = []
    weighed = {one.id: one for one in estimate.assumptions}
    for decisive, title in (
        (True, words.t("Decisive: they can change cards, lots or delivery")),
        (False, words.t("They do not change the decision")),
    ):
        members = [
            ConditionRow(words, estimate, one, weighed.get(one.id))
            for one in estimate.conditions
            if one.decisive is decisive
        ]
        if members:
            rows += [Group(title), *members]
    return tuple(rows)


def condition_columns(words: Wording) -> tuple[Column[ConditionRow], ...]:
    """Return the columns of the table of conditions."""
    return (
        Column(
            words.t("State"),
            lambda row: row.state_word,
            icon=lambda row: STATE_ICONS[row.state],
            color=lambda row: _STATE_COLORS[row.state],
        ),
        Column(
            words.t("Condition"),
            lambda row: row.claim,
            tooltip=lambda row: row.claim,
        ),
        Column(words.t("Value used"), lambda row: row.value, evidence=lambda row: row.kind),
        Column(words.t("Possible"), lambda row: row.possible),
        Column(words.t("Holds to"), lambda row: row.holds, tooltip=lambda row: row.why),
        Column(words.t("Worth verifying"), lambda row: row.worth, right=True, tooltip=lambda row: row.why),
        Column(words.t("How to verify"), lambda row: row.verify, tooltip=lambda row: row.verify),
    )


def record_of(quote: Quote, condition_id: str) -> ConditionRecord:
    """Return what was recorded about a condition, or a blank record."""
    found = next((one for one in quote.conditions if one.id == condition_id), None)
    return ConditionRecord(id=condition_id) if found is None else found


def with_own_condition(quote: Quote, text: str) -> Quote:
    """Return the quote with a condition in the planner's own words, open and not decisive."""
    taken = {one.id for one in quote.conditions}
    number = next(at for at in range(1, len(taken) + 2) if f"own-{at}" not in taken)
    record = ConditionRecord(id=f"own-{number}", text=text)
    return quote.replaced(conditions=(*quote.conditions, record))


def without_condition(quote: Quote, condition_id: str) -> Quote:
    """Return the quote without that record."""
    return quote.replaced(conditions=tuple(one for one in quote.conditions if one.id != condition_id))


def places_seen(words: Wording) -> Mapping[str, str]:
    """Return the places an observation may come from: code and words; "" is not stated."""
    return {
        "": words.t("Not stated"),
        "container": words.t("In the container of the process"),
        "vm": words.t("In the virtual machine"),
        "host": words.t("On the node itself"),
        ADMIN_CONSOLE: words.t("Administration console"),
    }


def how_to_verify(words: Wording, code: str) -> str:
    """Return one short sentence on how a condition of that code is verified."""
    match code:
        case "duration":
            return words.t("Time four tasks")
        case "station_duration":
            return words.t("Time one at the station")
        case "memory_peak":
            return words.t("Read the peak on each card")
        case "host_memory":
            return words.t("Ask what memory the node has free")
        case "fits_if":
            return words.t("Run the largest task and read the peak")
        case "slow_down":
            return words.t("Time one task alone and two at once")
        case "slice_duration":
            return words.t("Time one slice, the others busy")
        case "shared_duration":
            return words.t("Time tasks that share a card")
        case "slice_size" | "shared_memory":
            return words.t("Read what a task sees and uses")
        case "slice_permitted" | "shared_permitted":
            return words.t("Ask the provider")
        case "capacity":
            return words.t("Measure it with the tasks at once")
        case "assignment_mechanism":
            return words.t("Run it with tasks of unequal length")
        case "cooperative_mechanism":
            return words.t("Run one task over the cards")
        case "partition":
            return words.t("Read the memory of each card of a task")
        case "topology":
            return words.t("Paste the output of nvidia-smi topo -m")
        case "price_undated" | "price_old":
            return words.t("Ask for a price with a date")
        case "price_sample":
            return words.t("Ask a seller for a real price")
        case "input_unknown" | "number":
            return words.t("Measure it or ask the customer")
        case "task_fits_one_card":
            return words.t("Run one task on one card")
        case "no_exchange_before_assembly":
            return words.t("Ask whoever wrote the program")
        case "load_and_output_included":
            return words.t("Time a task with load and output")
        case "handed_over_singly":
            return words.t("See one finished unit taken at once")
        case "hours":
            return words.t("Ask who opens and closes")
        case "pauses":
            return words.t("Stop one task and go on with it")
        case "release":
            return words.t("Ask when it is there")
    return ""


def _value_used(words: Wording, estimate: Estimate, condition: Condition) -> str:
    values = dict(condition.values)
    if condition.code == "input_unknown":
        return words.unknown
    if condition.code in ("duration", "station_duration"):
        known = _whole_numbers(values.get("durations_ms"))
        low, high = (min(known), max(known)) if known else (0, 0)
        if low == high:
            return words.duration(low) if known else words.unknown
        return words.t("{low} to {high}", low=words.duration(low), high=words.duration(high))
    usable = values.get("usable_bytes")
    if isinstance(usable, int):
        return words.memory(usable, 2)
    peak, holds = values.get("peak_bytes") or values.get("host_bytes"), values.get("holds_to_bytes")
    if isinstance(peak, int):
        return words.memory(peak)
    if isinstance(holds, int):
        return f"≤ {floor_memory(words, holds)}"
    if condition.where[:1] == ("offers",):
        return _price_used(words, estimate, condition.where[1])
    value = values.get("value")
    if isinstance(value, Decimal):
        return f"{words.number(value)} {values.get('unit') or ''}".rstrip()
    return str(values.get("mechanism") or values.get("slice") or "")


def _price_used(words: Wording, estimate: Estimate, offer_id: str) -> str:
    offer = estimate.quote.offer(offer_id)
    if offer is None:
        return ""
    if isinstance(offer, Lot):
        plan = estimate.shown_plan
        held = () if plan is None else plan.holdings
        terms = {days for one in held if one.offer_id == offer_id for days in one.terms}
        prices = [words.money(term.price, offer.currency) for term in offer.terms if term.days in terms]
        return " + ".join(prices)
    if offer.price_per_card_hour is None:
        return words.unknown
    return words.t("{price}/h", price=words.money(offer.price_per_card_hour, offer.currency))


def _possible(words: Wording, estimate: Estimate, condition: Condition) -> str:
    values = dict(condition.values)
    span = values.get("span")
    if isinstance(span, tuple) and len(span) == 2:
        return f"{words.span(span[0], span[1])} {values.get('unit') or ''}".rstrip()
    if condition.code in ("duration", "station_duration"):
        stage = estimate.quote.workload.stage(condition.where[2])
        known = () if stage is None else tuple(one for one in stage.tasks.duration if one is not None)
        if stage is None or not known:
            return ""
        spans = [span_of(one, stage.tasks.evidence) for one in known]
        low, high = round(min(one[0] for one in spans), 2), round(max(one[1] for one in spans), 2)
        return f"{words.span(low, high)} {stage.tasks.unit.value}" if low != high else ""
    if condition.code == "memory_peak" and estimate.shown is not None:
        memory = next((one for one in estimate.shown.memory if one.stage_id == condition.where[2]), None)
        phases = () if memory is None else memory.phases
        high_bytes = max((phase.high_bytes for phase in phases), default=0)
        used = values.get("peak_bytes")
        if isinstance(used, int) and high_bytes > used:
            return words.t("up to {memory}", memory=words.memory(high_bytes))
    return ""


def _whole_numbers(value: object) -> tuple[int, ...]:
    return tuple(one for one in value if isinstance(one, int)) if isinstance(value, tuple) else ()
