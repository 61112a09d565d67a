"""Short texts about a result that every face says in the same words: plans, offers, fits, lines, conditions.

No layout and no widget: a face decides where a phrase stands. Each takes the `Wording` first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal

from estimator import memory as mem
from estimator.catalogue import Card, HourlyOffer, Lot
from estimator.price import CONTINGENCY, DISCOUNT
from estimator.problems import Absent
from estimator.quote import AssignmentPolicy, FeeKind, Organisation, Pricing, Quote, StateClass
from estimator.results.estimate import (
    Condition,
    Estimate,
    Holding,
    OrganisationResult,
    Plan,
    PolicyResult,
    ProjectTime,
    Timing,
)
from estimator.results.memory import MODEL_REASONS, CardVerdict, Fit, StageMemory
from estimator.results.price import PriceLine
from estimator.units import MS_PER_HOUR
from estimator.wording.slicing import per_task_text
from estimator.wording.wording import Wording

"""Codes of `StageMemory.missing` that say why a model has no memory, not which number is missing."""


def sample_word(words: Wording) -> str:
    """Return the tag of sample offers and prices."""
    return words.t("SAMPLE")


def offer_name(words: Wording, offer: Lot | HourlyOffer) -> str:
    """Return the offer's name, a sample one with its tag."""
    return f"{offer.name} {sample_word(words)}" if offer.sample else offer.name


def quote_name(words: Wording, quote: Quote) -> str:
    """Return the quote's name, or that it has none."""
    return quote.name or words.t("Untitled")


def key_text(words: Wording, result: OrganisationResult) -> str:
    """Return the key of an organisation: tasks at once × cards per task."""
    at_once = words.unknown if result.tasks_at_once is None else words.number(result.tasks_at_once)
    return f"{at_once} × {per_task_text(words, result)}"


def organisation_name(organisation: Organisation) -> str:
    """Return the name of an organisation, its letter where it has none."""
    return organisation.name or organisation.id


def organisation_label(words: Wording, estimate: Estimate, organisation_id: str) -> str:
    """Return "B · 2 × 1, chosen": name, key, and its role where it has one."""
    organisation = estimate.quote.organisation(organisation_id)
    result = estimate.organisation(organisation_id)
    name = organisation_id if organisation is None else organisation_name(organisation)
    label = name if result is None else f"{name} · {key_text(words, result)}"
    reference = estimate.quote.reference
    if estimate.quote.chosen_plan.split("/", 1)[0] == organisation_id:
        return words.t("{organisation}, chosen", organisation=label)
    if estimate.recommended_plan_id.split("/", 1)[0] == organisation_id:
        return words.t("{organisation}, recommended", organisation=label)
    if reference is not None and reference.id == organisation_id:
        return words.t("{organisation}, reference", organisation=label)
    return label


def terms_text(words: Wording, terms: tuple[int, ...]) -> str:
    """Return the terms of a holding: "3 days", "30 + 7 days"."""
    if len(terms) == 1:
        return words.n("{count} day", "{count} days", terms[0])
    return words.t("{terms} days", terms=" + ".join(words.number(days) for days in terms))


def holding_text(words: Wording, quote: Quote, holding: Holding) -> str:
    """Return what is held: "2 lots of 1 × RTX 4090, 3 days SAMPLE", "RTX 4090 · Hivenet by the hour"."""
    offer = quote.offer(holding.offer_id)
    name = holding.offer_id if offer is None else offer.name
    tag = f" {sample_word(words)}" if holding.is_sample else ""
    if not holding.terms:
        return words.t("{offer} by the hour", offer=name) + tag
    text = words.n(
        "{count} lot of {offer}, {terms}",
        "{count} lots of {offer}, {terms}",
        holding.count,
        offer=name,
        terms=terms_text(words, holding.terms),
    )
    return text + tag


def plan_name(words: Wording, quote: Quote, plan: Plan) -> str:
    """Return organisation and what it holds: "B · 2 lots of 1 × RTX 4090, 3 days SAMPLE"."""
    organisation = quote.organisation(plan.organisation_id)
    name = plan.organisation_id if organisation is None else organisation_name(organisation)
    held = " + ".join(holding_text(words, quote, holding) for holding in plan.holdings)
    return f"{name} · {held}"


def working_models(quote: Quote, timing: Timing) -> tuple[tuple[int, str], ...]:
    """Return (cards at work, name) of each card model of a plan; the name of a card not in the quote is ""."""
    return _named(quote, Counter(timing.card_ids))


def rented_models(quote: Quote, plan: Plan) -> tuple[tuple[int, str], ...]:
    """Return (cards rented, name) of each card model of a plan, spare cards of whole lots included."""
    counted: Counter[str] = Counter()
    for holding in plan.holdings:
        offer = quote.offer(holding.offer_id)
        counted[holding.offer_id if offer is None else offer.card_id] += holding.cards
    return _named(quote, counted)


def _named(quote: Quote, counted: Mapping[str, int]) -> tuple[tuple[int, str], ...]:
    cards = ((count, quote.card(card_id)) for card_id, count in counted.items())
    return tuple((count, "" if card is None else card.name) for count, card in cards)


def paid_text(words: Wording, plan: Plan) -> str:
    """Return what is paid: card time by the hour, or lots × the time held."""
    parts = []
    for holding in plan.holdings:
        if holding.terms:
            hours = words.number(Decimal(holding.held_ms) / MS_PER_HOUR, None)
            parts.append(f"{words.number(holding.count)} × {hours} h")
        else:
            parts.append(words.t("{hours} card·h", hours=hours_text(words, holding.paid_card_ms)))
    return " + ".join(parts)


def hours_text(words: Wording, ms: int) -> str:
    """Return milliseconds as hours, two decimals under ten, else one."""
    hours = Decimal(ms) / MS_PER_HOUR
    return words.number(hours, 2 if abs(hours) < 10 else 1)


def idle_card_text(words: Wording, result: PolicyResult) -> str:
    """Return the card time of a policy that is paid and does not compute: "140.4 h · 761.67 €"."""
    hours = f"{hours_text(words, result.idle_card_ms)} h"
    if isinstance(result.idle_cost, Absent):
        return hours
    return f"{hours} · {words.money(result.idle_cost, result.currency)}"


def total_head(words: Wording, pricing: Pricing, currency: str) -> str:
    """Return the head over totals in `currency`: they are with tax only where a rate is stated."""
    if pricing.tax_percent.value is None:
        return words.t("Total, {currency}", currency=currency)
    return words.t("With tax, {currency}", currency=currency)


def gap_text(words: Wording, timing: Timing) -> str:
    """Return "optimal" where the bound is met, else the gap to it."""
    schedule = timing.schedule
    if schedule.is_optimal:
        return words.t("optimal")
    return words.t("gap {percent}", percent=words.percent(Decimal(float(schedule.gap) * 100), 2))


def fit_text(words: Wording, verdict: CardVerdict | None) -> str:
    """Return the memory verdict: fits with what is spare, fits if, short by, or not known."""
    if verdict is None or verdict.fits is Fit.UNKNOWN or verdict.spare_bytes is None:
        return words.t("memory not known")
    if verdict.fits is Fit.NO:
        return words.t("short {memory}", memory=words.memory(-verdict.spare_bytes))
    if verdict.fits is Fit.YES:
        return words.t("fits, {memory} spare", memory=words.memory(verdict.spare_bytes))
    need = words.unknown if verdict.holds_to_bytes is None else floor_memory(words, verdict.holds_to_bytes)
    return words.t("fits if the task needs ≤ {memory}", memory=need)


def fit_short(words: Wording, verdict: CardVerdict | None) -> str:
    """Return the same verdict where there is room for a few words only."""
    if verdict is not None and verdict.fits is Fit.IF and verdict.holds_to_bytes is not None:
        return words.t("fits if ≤ {memory}", memory=floor_memory(words, verdict.holds_to_bytes))
    return fit_text(words, verdict)


def floor_memory(words: Wording, count_bytes: int) -> str:
    """Return bytes as GiB with one decimal rounded down: a limit must never be shown larger than it is."""
    tenth = 2**30 // 10
    return words.memory(count_bytes // tenth * tenth + 1)


def missing_text(words: Wording, result: OrganisationResult) -> str:
    """Return why an organisation has no delivery, or an empty text."""
    return words.absent(result.timing) if isinstance(result.timing, Absent) else ""


def line_name(words: Wording, line: PriceLine) -> str:
    """Return the name of a price line: the offer and its terms, a fee's own name, discount or contingency."""
    values = dict(line.values)
    tag = f" {sample_word(words)}" if values.get("sample") else ""
    if line.kind == "lot":
        terms = values.get("terms")
        days = terms_text(words, terms) if isinstance(terms, tuple) else ""
        return words.t("Whole lots, {offer}, {terms}", offer=str(values.get("offer")), terms=days) + tag
    if line.kind == "hourly":
        return words.t("Cards by the hour, {offer}", offer=str(values.get("offer"))) + tag
    if line.kind == DISCOUNT:
        return words.t("Discount")
    if line.kind == CONTINGENCY:
        return words.t("Contingency")
    name = values.get("name")
    return str(name) if name else words.word(FeeKind(line.kind))


def line_quantity(words: Wording, line: PriceLine) -> str:
    """Return the quantity of a price line with its unit, or "—"."""
    values = dict(line.values)
    quantity = values.get("quantity")
    if not isinstance(quantity, Decimal) or line.amount is None:
        return words.unknown
    if line.kind == "hourly":
        return words.t("{hours} card·h", hours=words.number(quantity, 2))
    if line.kind == "lot":
        return words.n("{count} lot", "{count} lots", int(quantity))
    unit = values.get("unit")
    return f"{words.number(quantity)} {unit}" if unit else words.number(quantity)


def amount_text(
    words: Wording, amount: Decimal | Absent | None, currency: str, *, symbol: bool = False
) -> str:
    """Return an amount, "Not included" in words for a blank one, "—" for one that is not known."""
    if amount is None:
        return words.t("Not included")
    if isinstance(amount, Absent):
        return words.unknown
    return words.money(amount, currency, symbol=symbol)


def memory_line_name(words: Wording, name: str) -> str:
    """Return the name of a memory line: a state class, or one of the visible lines added to it."""
    if name == "context":
        return words.t("Context")
    if name == "margin":
        return words.t("Margin")
    if name == "workspace":
        return words.t("Workspace")
    if name == "communication":
        return words.t("Communication buffers")
    return words.word(mem.StateClass(name) if name in list(mem.StateClass) else StateClass(name))


def moment_name(words: Wording, code: str) -> str:
    """Return the name of a moment of a model's ledger; a phase that the planner named keeps its name."""
    return words.word(mem.MomentKind(code)) if code in list(mem.MomentKind) else code


def lever_name(words: Wording, lever: mem.Lever) -> str:
    """Return what is changed to lower the peak."""
    return words.word(lever)


def basis_text(words: Wording, basis: mem.Basis) -> str:
    """Return what a form of memory rests on."""
    return words.word(basis)


def host_memory_text(words: Wording, memory: StageMemory) -> str:
    """Return what the cards of a stage ask for in the node's memory; empty where they ask for nothing."""
    if not memory.host_lines:
        return ""
    lines = ", ".join(
        f"{memory_line_name(words, line.name).lower()} {words.memory(line.size_bytes)}"
        for line in memory.host_lines
    )
    return words.t(
        "In the node's memory, for each card: {lines}. A task asks for {memory} of it.",
        lines=lines,
        memory=words.memory(memory.host_bytes),
    )


def memory_absent(quote: Quote, memory: StageMemory) -> Absent:
    """Return why the memory of a stage is not known: the reason of its model, or that a number is missing."""
    stage = quote.workload.stage(memory.stage_id)
    place = ("workload", "stages", memory.stage_id, "memory")
    model = None if stage is None else stage.memory.model
    code = next((code for code in memory.missing if code in MODEL_REASONS), None)
    if model is None or code is None:
        return Absent("missing_memory", place, (("stage", "" if stage is None else stage.name),))
    return Absent(code, place, (("model", model.source.name), ("cards", memory.cards_per_task)))


def policy_needs(words: Wording, policy: AssignmentPolicy) -> str:
    """Return what an assignment policy needs to be in place."""
    if policy is AssignmentPolicy.BLOCKS:
        return words.t("nothing more")
    if policy is AssignmentPolicy.AVAILABILITY:
        return words.t("an assignment mechanism")
    return words.t("an assignment mechanism and known durations")


def condition_text(words: Wording, condition: Condition, quote: Quote | None = None) -> str:
    """Return the claim to verify: derived, a precondition's, or the planner's own words.

    With the `quote`, a number that is not known is named by where it stands.
    """
    if condition.text:
        return condition.text
    if condition.code == "input_unknown" and quote is not None:
        place = words.place(condition.where, names_of(words, quote))
        model = _model_name(condition, quote)
        if model:
            return words.t("The memory of {model} can be computed: {place}", model=model, place=place)
        return words.t("A number that the plan needs is known: {place}", place=place)
    if condition.code == "number" and quote is not None:
        place = words.place(condition.where, names_of(words, quote))
        return words.t("The value used holds: {place}", place=place)
    return words.condition(condition.code, dict(condition.values))


def _model_name(condition: Condition, quote: Quote) -> str:
    """Return the model whose memory a condition is about, "" where it is about another number."""
    if condition.where[:2] != ("workload", "stages") or condition.where[3:] != ("memory",):
        return ""
    stage = quote.workload.stage(condition.where[2])
    return "" if stage is None or stage.memory.model is None else stage.memory.model.source.name


def counted_conditions(words: Wording, estimate: Estimate) -> str:
    """Return "5 open, 3 decisive"."""
    waiting = estimate.open_conditions
    decisive = sum(1 for one in waiting if one.decisive)
    return words.t(
        "{open} open, {decisive} decisive", open=words.number(len(waiting)), decisive=words.number(decisive)
    )


def names_of(words: Wording, quote: Quote) -> Mapping[str, str]:
    """Return the names behind the ids that places of the quote may hold."""
    rows: dict[str, str] = {stage.id: stage.name for stage in quote.workload.stages}
    rows |= {resource.id: resource.name for resource in quote.workload.resources}
    rows |= {project.id: project.name for project in quote.workload.projects}
    rows |= {one.id: organisation_name(one) for one in quote.organisations}
    rows |= {offer.id: offer.name for offer in quote.offers}
    rows |= {card.id: card.name for card in quote.cards}
    rows |= {fee.id: fee.name or words.word(fee.kind) for fee in quote.pricing.fees}
    return rows


def project_text(words: Wording, project: ProjectTime) -> str:
    """Return when a project is delivered, what it loses to the others, and whether it is late."""
    parts = [words.t("delivered after {delivery}", delivery=words.duration(project.delivery_ms))]
    loses = project.loses_ms
    if loses is not None and project.alone_ms is not None:
        alone, by = words.duration(project.alone_ms), words.duration(abs(loses))
        if loses > 0:
            parts.append(words.t("alone after {alone}: it loses {lost}", alone=alone, lost=by))
        elif loses < 0:
            parts.append(words.t("alone after {alone}: it gains {gained}", alone=alone, gained=by))
        else:
            parts.append(words.t("alone no sooner"))
    if project.late_ms:
        parts.append(words.t("LATE by {late}", late=words.duration(project.late_ms)))
    elif project.late_ms is not None:
        parts.append(words.t("in time"))
    return "; ".join(parts)


def project_heads(words: Wording) -> tuple[str, ...]:
    """Return the heads of the table of projects."""
    return (
        words.t("Project"),
        words.t("Together"),
        words.t("Alone"),
        words.t("Loses"),
        words.t("Due"),
        words.t("Late"),
    )


def project_cells(words: Wording, project: ProjectTime) -> tuple[str, ...]:
    """Return a project's row under `project_heads`: delivered beside the others, alone, the difference, lateness."""
    alone, loses, due, late = project.alone_ms, project.loses_ms, project.due_ms, project.late_ms
    lost = words.unknown if loses is None else words.duration(max(0, loses))
    if loses is not None and loses < 0:
        lost = words.t("gains {gained}", gained=words.duration(-loses))
    return (
        project.name,
        words.duration(project.delivery_ms),
        words.unknown if alone is None else words.duration(alone),
        lost,
        words.t("none") if due is None else words.duration(due),
        "" if late is None else words.duration(late) if late else words.t("in time"),
    )


def due_note(words: Wording, quote: Quote) -> str:
    """Return what due dates do to a plan; empty where nothing is due."""
    workload = quote.workload
    dues = [stage.due for stage in workload.stages] + [project.due for project in workload.projects]
    if all(due is None for due in dues):
        return ""
    return words.t(
        "Due dates do not steer the plan: it delivers everything as early as it can, by priority, and says what "
        "is late."
    )


def usable_text(words: Wording, card: Card) -> str:
    """Return the bytes of one card and which reading of them it is."""
    memory = words.memory(card.usable_bytes, 2)
    if card.usable_basis == "observed":
        return words.t("{memory}, as a framework saw", memory=memory)
    if card.usable_basis == "reported":
        return words.t("{memory}, as the driver reports", memory=memory)
    return words.t("{memory}, from the label", memory=memory)
