"""The registry of formulas: what a figure of the answer is computed from, and what evidence each input has.

`explain(estimate, id)` builds a figure when it is asked for. Codes only: `wording/explanations.py` says them, and
the help and the workbook use the same registry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from estimator.catalogue import HourlyOffer
from estimator.evidence import EvidenceKind, Stated
from estimator.problems import Absent, Place
from estimator.quote import Quote, Stage, StageKind
from estimator.results.estimate import Estimate, OrganisationResult, Plan, Timing
from estimator.results.memory import PhaseMemory, StageMemory

Gaps = tuple[tuple[str, object], ...]

FIGURES = ("cards", "peak", "delivery", "cost", "status")


@dataclass(frozen=True, slots=True)
class FigureInput:
    """One input: its name's code and gaps, its value (`unit` says how to write it), evidence, where it is typed.

    `kind` None: a decision of the planner, or a value left out of the figure.
    """

    code: str
    value: object
    unit: str = ""
    kind: EvidenceKind | None = None
    where: Place | None = None
    gaps: Gaps = ()


@dataclass(frozen=True, slots=True)
class FormulaStep:
    """One step of a formula with its numbers, and what it comes to."""

    code: str
    gaps: Gaps
    result: object
    unit: str


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a result with its formula (a code of the registry), numbers, inputs and notes."""

    id: str
    value: object
    unit: str
    kind: EvidenceKind | None
    formula: str
    steps: tuple[FormulaStep, ...] = ()
    inputs: tuple[FigureInput, ...] = ()
    notes: tuple[tuple[str, Gaps], ...] = ()


def explain(estimate: Estimate, figure_id: str) -> Figure:
    """Return the figure of the shown plan with that id (one of FIGURES). Raises KeyError for another id."""
    return _BUILDERS[figure_id](estimate)


def _cards(estimate: Estimate) -> Figure:
    shown = estimate.shown
    if shown is None or isinstance(shown.timing, Absent):
        return _absent("cards", "cards_required", shown)
    organisation = estimate.quote.organisation(shown.organisation_id)
    stated = organisation is not None and all(
        organisation.layout(stage.id).tasks_at_once is not None
        for stage in estimate.quote.workload.stages
        if stage.on_cards
    )
    where = ("organisations", shown.organisation_id)
    at_once, per_task = shown.tasks_at_once or 1, shown.cards_per_task
    step = FormulaStep(
        "at_once_times_cards", (("at_once", at_once), ("cards", per_task)), shown.timing.cards, ""
    )
    inputs = [
        FigureInput("tasks_at_once", at_once, where=(*where, "tasks_at_once")),
        FigureInput("cards_per_task", per_task, where=(*where, "cards_per_task")),
    ]
    slicing = None if organisation is None else organisation.slicing
    if slicing is not None:
        slices: Gaps = (("at_once", at_once), ("slices", slicing.per_card))
        step = FormulaStep("at_once_over_slices", slices, shown.timing.cards, "")
        inputs[1] = FigureInput("slices_per_card", slicing.per_card, where=(*where, "slicing"))
    workload = estimate.quote.workload
    inputs += _stated("limit", workload.limit, "_ms", ("workload", "limit"))
    inputs += _stated("quota", workload.quota_cards, "", ("workload", "quota_cards"))
    notes: list[tuple[str, Gaps]] = [("cards_stated" if stated else "cards_fewest_in_time", ())]
    if slicing is not None:
        notes.append(("rent_counts_cards", ()))
    notes.append(("recommended_rule" if workload.limit is not None else "no_limit_rule", ()))
    kind = shown.time_kind if workload.limit is not None else None
    return Figure(
        "cards",
        shown.timing.cards,
        "",
        kind,
        "cards_required" if slicing is None else "cards_in_slices",
        (step,),
        tuple(inputs),
        tuple(notes),
    )


def _peak(estimate: Estimate) -> Figure:
    shown, plan = estimate.shown, estimate.shown_plan
    found = None if shown is None else _worst(shown.memory)
    if shown is None or found is None:
        return _absent("peak", "memory_peak", shown)
    stage_memory, worst = found
    quote = estimate.quote
    stage = quote.workload.stage(worst.stage_id)
    where = ("workload", "stages", worst.stage_id, "memory")
    step = FormulaStep(
        "sum_of_lines",
        (("lines", tuple(line.size_bytes for line in worst.lines)),),
        worst.peak_bytes,
        "_bytes",
    )
    inputs = [
        FigureInput("memory_line", line.size_bytes, "_bytes", line.kind, where, (("line", line.name),))
        for line in worst.lines
    ]
    notes: list[tuple[str, Gaps]] = [
        ("peak_phase", (("stage", "" if stage is None else stage.name), ("phase", worst.phase)))
    ]
    if stage_memory.cards_per_task > 1:
        notes.append(("share_of_card", (("cards", stage_memory.cards_per_task),)))
    notes.append(("own_memory_rule", ()))
    if plan is not None:
        card = quote.task_card(plan.organisation_id, plan.verdict.card_id)
        if card is not None:
            kind = EvidenceKind.GIVEN if card.usable_basis != "marketed" else EvidenceKind.ASSUMED
            gaps = (("card", card.name),)
            code = f"usable_{card.usable_basis}"
            place: Place = ("offers", plan.holdings[0].offer_id)
            if shown.slices_per_card > 1:
                place = ("organisations", shown.organisation_id, "slicing")
                notes.append(("slice_of_card", (("slices", shown.slices_per_card),)))
            inputs.append(FigureInput(code, card.usable_bytes, "_bytes", kind, place, gaps))
        if plan.verdict.holds_to_bytes is not None:
            notes.append(("holds_to", (("holds_to_bytes", plan.verdict.holds_to_bytes),)))
    return Figure(
        "peak",
        worst.peak_bytes,
        "_bytes",
        shown.memory_kind,
        "memory_peak",
        (step,),
        tuple(inputs),
        tuple(notes),
    )


def _delivery(estimate: Estimate) -> Figure:
    shown = estimate.shown
    if shown is None or isinstance(shown.timing, Absent):
        return _absent("delivery", "delivery", shown)
    timing, quote = shown.timing, estimate.quote
    organisation = quote.organisation(shown.organisation_id)
    steps, inputs = [], []
    reached = 0
    for stage in _chain(quote, timing):
        time = next(one for one in timing.stages if one.stage_id == stage.id)
        where = ("workload", "stages", stage.id)
        named: Gaps = (("stage", stage.name),)
        if time.start_ms > reached:  # a set-up, an earliest start, closed hours
            steps.append(FormulaStep("wait_before", named, time.start_ms - reached, "_ms"))
        if time.start_ms >= reached:
            steps.append(_stage_step(stage, shown, quote, time.elapsed_ms))
        else:  # it began while the one before was still going on
            steps.append(FormulaStep("rest_of_stage", named, time.end_ms - reached, "_ms"))
        reached = time.end_ms
        if stage.kind is StageKind.GATE:
            continue
        name = (("stage", stage.name),)
        if stage.on_cards:
            inputs.append(
                FigureInput(
                    "stage_count",
                    stage.tasks.total,
                    "",
                    stage.tasks.count_evidence.kind,
                    (*where, "count"),
                    name,
                )
            )
        value = tuple(dict.fromkeys(one for one in stage.tasks.duration_ms if one is not None))
        if len(value) == 1:
            inputs.append(
                FigureInput("stage_duration", value[0], "_ms", stage.tasks.kind, (*where, "duration"), name)
            )
        else:
            shortest_longest = (("stage", stage.name), ("low_ms", min(value)), ("high_ms", max(value)))
            inputs.append(
                FigureInput(
                    "stage_durations", None, "", stage.tasks.kind, (*where, "duration"), shortest_longest
                )
            )
    slow_down = quote.workload.mutual_slow_down
    slicing = None if organisation is None else organisation.slicing
    if slicing is not None:
        timed = ("organisations", shown.organisation_id, "slicing", "duration_factor")
        inputs += _stated("slice_factor", slicing.duration_factor, "", timed)
    if timing.places > shown.cards_per_task:
        inputs += _stated("slow_down", slow_down, "", ("workload", "mutual_slow_down"))
    for resource in quote.workload.resources:
        where = ("workload", "resources", resource.id)
        inputs += _stated("capacity", resource.capacity, "", where, (("resource", resource.name),))
    wait = quote.workload.queue_wait
    if wait is None or wait.ms is None:
        inputs.append(FigureInput("queue_wait", None, "not_included", None, ("workload", "queue_wait")))
    else:
        inputs.append(FigureInput("queue_wait", wait.ms, "_ms", wait.kind, ("workload", "queue_wait")))
    bound: Gaps = (("bound_ms", timing.lower_bound_ms),)
    notes: list[tuple[str, Gaps]] = [("optimal" if timing.schedule.is_optimal else "bound_and_gap", bound)]
    return Figure(
        "delivery",
        timing.delivery_ms,
        "_ms",
        shown.time_kind,
        "delivery",
        tuple(steps),
        tuple(inputs),
        tuple(notes),
    )


def _cost(estimate: Estimate) -> Figure:
    plan, shown = estimate.shown_plan, estimate.shown
    if plan is None or isinstance(plan.price.gross, Absent):
        return _absent("cost", "cost", shown)
    quote, price = estimate.quote, plan.price
    steps = [
        FormulaStep("price_line", (("line", line),), (line.amount, price.currency), "money")
        for line in price.lines
        if line.amount is not None
    ]
    steps.append(FormulaStep("net", (), (price.net, price.currency), "money"))
    for tax in price.tax_by_rate:
        if tax.percent is not None:
            gaps: Gaps = (("rate_percent", tax.percent), ("base", (tax.net, price.currency)))
            steps.append(FormulaStep("tax", gaps, (tax.tax, price.currency), "money"))
    inputs = _price_inputs(quote, plan)
    inputs += _stated("tax", quote.pricing.tax_percent, "_percent", ("pricing", "tax_percent"))
    notes: list[tuple[str, Gaps]] = [("rounding_policy", ())]
    if any(line.amount is None for line in price.lines):
        notes.append(("blank_not_included", ()))
    if plan.is_sample:
        notes.append(("sample_price", ()))
    if plan.proven and any(holding.terms for holding in plan.holdings):
        notes.append(("lots_proven", ()))
    return Figure(
        "cost",
        (price.gross, price.currency),
        "money",
        plan.kind,
        "cost",
        tuple(steps),
        tuple(inputs),
        tuple(notes),
    )


def _status(estimate: Estimate) -> Figure:
    inputs = tuple(
        FigureInput("condition", one, "condition", one.kind, one.where, (("decisive", one.decisive),))
        for one in estimate.open_conditions
    )
    return Figure("status", estimate.status, "", None, "status", (), inputs, ())


_BUILDERS: dict[str, Callable[[Estimate], Figure]] = {
    "cards": _cards,
    "peak": _peak,
    "delivery": _delivery,
    "cost": _cost,
    "status": _status,
}


def _absent(figure_id: str, formula: str, shown: OrganisationResult | None) -> Figure:
    reason = Absent("no_organisation", ("organisations",))
    if shown is not None and isinstance(shown.timing, Absent):
        reason = shown.timing
    elif shown is not None and figure_id == "cost":
        reason = shown.excluded[0][1] if shown.excluded else Absent("no_price", ("offers",))
    elif shown is not None and figure_id == "peak":
        reason = Absent("no_peak", ("workload", "stages"))
    return Figure(figure_id, reason, "", EvidenceKind.UNKNOWN, formula)


def _stated(code: str, stated: Stated | None, unit: str, where: Place, gaps: Gaps = ()) -> list[FigureInput]:
    if stated is None or stated.value is None:
        return []
    value: object = stated.value
    if unit == "_ms":
        value = getattr(stated, "ms", None)
    return [FigureInput(code, value, unit, stated.kind, where, gaps)]


def _worst(memory: tuple[StageMemory, ...]) -> tuple[StageMemory, PhaseMemory] | None:
    if any(stage.missing for stage in memory):
        return None
    pairs = [(stage, phase) for stage in memory for phase in stage.phases]
    return max(pairs, key=lambda pair: pair[1].peak_bytes, default=None)


def _chain(quote: Quote, timing: Timing) -> list[Stage]:
    """Return the stages that follow each other without a gap to the delivery, first one first."""
    times = {one.stage_id: one for one in timing.stages}
    stages = {stage.id: stage for stage in quote.workload.stages}
    last = max(timing.stages, key=lambda one: one.end_ms, default=None)
    chain: list[Stage] = []
    while last is not None and stages[last.stage_id] not in chain:
        stage = stages[last.stage_id]
        chain.append(stage)
        before = [times[one] for one in stage.after if one in times]
        last = max(before, key=lambda one: one.end_ms, default=None)
    # A gate that ends the chain takes no time and is only said where nothing else is.
    timed = [stage for stage in reversed(chain) if stage.kind is not StageKind.GATE]
    return timed or chain


def _stage_step(stage: Stage, shown: OrganisationResult, quote: Quote, elapsed_ms: int) -> FormulaStep:
    name = ("stage", stage.name)
    each = stage.tasks.duration_ms[0]
    slots = shown.tasks_at_once or 1
    if not stage.on_cards or not stage.tasks.are_equal or each is None:
        return FormulaStep("stage_elapsed", (name,), elapsed_ms, "_ms")
    rounds = -(-stage.tasks.total // slots)
    organisation = quote.organisation(shown.organisation_id)
    slicing = None if organisation is None else organisation.slicing
    on_slice = Decimal(1) if slicing is None else slicing.duration_factor.value or Decimal(1)
    slow_down = (quote.workload.mutual_slow_down.value or Decimal(1)) if slots > 1 else Decimal(1)
    gaps: Gaps = (name, ("count", stage.tasks.total), ("slots", slots), ("each_ms", each))
    if elapsed_ms != round(rounds * each * on_slice * slow_down):
        return FormulaStep("stage_elapsed", (name,), elapsed_ms, "_ms")
    if on_slice != 1:
        gaps = (*gaps, ("on_slice", on_slice))
    if slow_down != 1:
        gaps = (*gaps, ("slow_down", slow_down))
    code = "rounds" + ("_on_slice" if on_slice != 1 else "") + ("_slowed" if slow_down != 1 else "")
    return FormulaStep(code, gaps, elapsed_ms, "_ms")


def _price_inputs(quote: Quote, plan: Plan) -> list[FigureInput]:
    found: list[FigureInput] = []
    for holding in plan.holdings:
        offer = quote.offer(holding.offer_id)
        if offer is None:
            continue
        where = ("offers", offer.id, "price")
        if isinstance(offer, HourlyOffer):
            value = None if offer.price_per_card_hour is None else (offer.price_per_card_hour, offer.currency)
            gaps: Gaps = (("offer", offer.name), ("seconds", offer.granularity_s))
            found.append(FigureInput("hourly_price", value, "money", holding.price_kind, where, gaps))
            paid = FigureInput("paid_card_time", holding.paid_card_ms, "_ms", plan.kind, None)
            found.append(paid)
        else:
            prices = {term.days: term.price for term in offer.terms}
            for days in dict.fromkeys(holding.terms):
                gaps = (("offer", offer.name), ("days", days))
                value = (prices[days], offer.currency)
                found.append(FigureInput("term_price", value, "money", holding.price_kind, where, gaps))
            found.append(FigureInput("lots_held", holding.count, "", None, None))
    return found
