"""The rows of the comparison of organisations, as text: criteria down, one cell an organisation.

It puts an estimate into words and computes nothing that the estimate does not hold, but differences to show.
"""

from __future__ import annotations

from dataclasses import dataclass

from estimator.evidence import EvidenceKind, weakest
from estimator.problems import Absent
from estimator.quote import AssignmentPolicy, Organisation, Quote, StageKind
from estimator.results.estimate import Estimate, OrganisationResult, Plan, Timing
from estimator.results.memory import Fit
from estimator.wording import Wording
from estimator.wording.phrases import key_text, organisation_name, policy_needs, sample_word
from ui.models.table import Group


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: text, a chip of words beside it with its tone, an evidence, an icon; why where it is "—"."""

    text: str = ""
    chip: str = ""
    tone: str = "text"
    """Token of the chip, or of the text where there is no chip."""
    icon: str = ""
    bold: bool = False
    kind: EvidenceKind | None = None
    tip: str = ""
    is_sample: bool = False


@dataclass(frozen=True, slots=True)
class Criterion:
    """A row: what is compared, and a cell for each organisation in the order of the columns."""

    name: str
    cells: tuple[Cell, ...]
    bold: bool = False
    figure: str = ""
    """The figure of the answer that it compares, as in `estimator.figures.FIGURES`; empty for others."""


@dataclass(frozen=True, slots=True)
class _Side:
    """One organisation with its result, and the plan that its cost and peak are shown for."""

    organisation: Organisation
    result: OrganisationResult | None
    plan: Plan | None
    card_id: str = ""
    """The card of the plan on the answer strip, for an organisation that has no plan of its own."""

    @property
    def timing(self) -> Timing | None:
        if self.result is None or isinstance(self.result.timing, Absent):
            return None
        return self.result.timing


def ordered_organisations(quote: Quote) -> tuple[Organisation, ...]:
    """Return the organisations as columns: the reference first, the others as they stand."""
    reference = quote.reference
    if reference is None:
        return ()
    return (reference, *(one for one in quote.organisations if one.id != reference.id))


def heading(words: Wording, quote: Quote, estimate: Estimate | None, organisation: Organisation) -> str:
    """Return the head of a column: the name and its role, such as "B · chosen"."""
    name = organisation_name(organisation)
    chosen = quote.chosen_plan.split("/", 1)[0]
    recommended = "" if estimate is None else estimate.recommended_plan_id.split("/", 1)[0]
    is_reference = quote.reference is not None and quote.reference.id == organisation.id
    if chosen == organisation.id:
        if is_reference:
            return words.t("{organisation} · reference, chosen", organisation=name)
        return words.t("{organisation} · chosen", organisation=name)
    if not chosen and recommended == organisation.id:
        if is_reference:
            return words.t("{organisation} · reference, recommended", organisation=name)
        return words.t("{organisation} · recommended", organisation=name)
    if is_reference:
        return words.t("{organisation} · reference", organisation=name)
    if needs_mechanism(quote, organisation):
        return words.t("{organisation} · cooperative", organisation=name)
    return name


def needs_mechanism(quote: Quote, organisation: Organisation) -> bool:
    """Return whether a task of it runs over several cards, so that something must spread it."""
    return any(
        stage.kind is StageKind.COOPERATIVE or organisation.layout(stage.id).cards_per_task > 1
        for stage in quote.workload.stages
        if stage.on_cards
    )


def comparison(words: Wording, quote: Quote, estimate: Estimate | None) -> tuple[Criterion | Group, ...]:
    """Return the three groups of rows: what it is, how long it takes, what it demands and costs."""
    sides = tuple(_side(one, estimate) for one in ordered_organisations(quote))
    if not sides:
        return ()
    return (
        Group(words.t("What it is")),
        *_what_it_is(words, quote, sides),
        Group(words.t("How long it takes")),
        *_how_long(words, quote, sides),
        Group(words.t("What it demands and costs")),
        *_demands(words, quote, sides),
    )


def reasons(words: Wording, estimate: Estimate | None) -> tuple[tuple[str, Absent], ...]:
    """Return why organisations have no figures, one reason once: (names of those it stops, reason)."""
    if estimate is None:
        return ()
    stopped: dict[Absent, list[str]] = {}
    for result in estimate.organisations:
        organisation = estimate.quote.organisation(result.organisation_id)
        if isinstance(result.timing, Absent) and organisation is not None:
            stopped.setdefault(result.timing, []).append(organisation_name(organisation))
    return tuple((", ".join(names), reason) for reason, names in stopped.items())


def _side(organisation: Organisation, estimate: Estimate | None) -> _Side:
    result = None if estimate is None else estimate.organisation(organisation.id)
    if estimate is None or result is None:
        return _Side(organisation, None, None)
    shown = estimate.shown_plan
    if shown is not None and shown.organisation_id == organisation.id:
        return _Side(organisation, result, shown)
    card_id = "" if shown is None else shown.verdict.card_id
    return _Side(organisation, result, result.plan(result.best_plan_id), card_id)


def _what_it_is(words: Wording, quote: Quote, sides: tuple[_Side, ...]) -> list[Criterion]:
    main = quote.workload.main_stage
    receives, coordinates, assigned, path = [], [], [], []
    for side in sides:
        spread = needs_mechanism(quote, side.organisation)
        slicing = side.organisation.slicing
        if slicing is not None and not spread:
            receives.append(Cell(words.t("A whole task on each slice, {slice}", slice=slicing.name)))
        else:
            receives.append(Cell(words.t("A part of the task") if spread else words.t("A whole task")))
        coordinates.append(Cell(words.t("Exchanges and order") if spread else words.t("Inputs and outputs")))
        policy = None if main is None else side.organisation.layout(main.id).policy
        assigned.append(Cell(words.unknown if policy is None else words.word(policy)))
        path.append(_path(words, side.organisation, spread, policy))
    return [
        Criterion(
            words.t("Key: tasks at once × cards per task"),
            tuple(Cell(_key(words, side), bold=True) for side in sides),
            figure="cards",
        ),
        Criterion(words.t("What a card receives"), tuple(receives)),
        Criterion(words.t("What has to be coordinated"), tuple(coordinates)),
        Criterion(words.t("Assignment"), tuple(assigned)),
        Criterion(words.t("Software path"), tuple(path)),
    ]


def _key(words: Wording, side: _Side) -> str:
    return words.unknown if side.result is None else key_text(words, side.result)


def _path(words: Wording, organisation: Organisation, spread: bool, policy: AssignmentPolicy | None) -> Cell:
    if spread and not organisation.mechanism.strip():
        return Cell(words.t("No mechanism"), tone="err", icon="crossed-circle")
    if spread:
        return Cell(organisation.mechanism)
    if policy is None or policy is AssignmentPolicy.BLOCKS:
        return Cell(words.t("Not needed"))
    need = policy_needs(words, policy)
    return Cell(need[:1].upper() + need[1:])


def _how_long(words: Wording, quote: Quote, sides: tuple[_Side, ...]) -> list[Criterion]:
    elapsed = [_elapsed(side.timing) for side in sides]
    rows = [
        Criterion(stage.name, _times(words, sides, tuple(of_side.get(stage.id) for of_side in elapsed)))
        for stage in quote.workload.stages
        if stage.kind is not StageKind.GATE
    ]
    totals = tuple(None if side.timing is None else side.timing.delivery_ms for side in sides)
    times = _times(words, sides, totals, bold=True)
    rows.append(Criterion(words.t("Delivery"), times, bold=True, figure="delivery"))
    kinds = tuple(
        Cell(kind=side.result.time_kind) if side.result is not None and side.timing is not None else Cell()
        for side in sides
    )
    rows.append(Criterion(words.t("Evidence of the time"), kinds))
    return rows


def _elapsed(timing: Timing | None) -> dict[str, int]:
    """Return what each stage takes, by its id."""
    return {} if timing is None else {one.stage_id: one.elapsed_ms for one in timing.stages}


def _times(
    words: Wording, sides: tuple[_Side, ...], times: tuple[int | None, ...], bold: bool = False
) -> tuple[Cell, ...]:
    """Return durations, each but the reference's with its difference from it."""
    cells = []
    for at, (side, ms) in enumerate(zip(sides, times, strict=True)):
        base = times[0]
        if ms is None:
            cells.append(_absent(words, side))
        elif at == 0 or base is None:
            cells.append(Cell(words.duration(ms), bold=bold))
        else:
            tone = "muted" if ms == base else "ok" if ms < base else "warn"
            cells.append(Cell(words.duration(ms), _difference(words, ms - base), tone, bold=bold))
    return tuple(cells)


def _difference(words: Wording, ms: int) -> str:
    if ms == 0:
        return "±0"
    return words.duration(ms) if ms < 0 else f"+{words.duration(ms)}"


def _absent(words: Wording, side: _Side) -> Cell:
    reason = ""
    if side.result is not None and isinstance(side.result.timing, Absent):
        reason = words.absent(side.result.timing)
    return Cell(words.unknown, tone="muted", tip=reason)


def _demands(words: Wording, quote: Quote, sides: tuple[_Side, ...]) -> list[Criterion]:
    limit = None if quote.workload.limit is None else quote.workload.limit.ms
    kept = (
        words.t("Meets the limit")
        if limit is None
        else words.t("Meets the limit of {limit}", limit=words.duration(limit))
    )
    return [
        Criterion(
            words.t("Peak of the worst card"), tuple(_peak(words, side) for side in sides), figure="peak"
        ),
        Criterion(
            words.t("Idle cards between tasks"),
            tuple(
                Cell(words.duration(side.timing.schedule.idle_between_ms))
                if side.timing is not None
                else _absent(words, side)
                for side in sides
            ),
        ),
        Criterion(
            words.t("Net cost of its best plan"),
            tuple(_net(words, quote, side) for side in sides),
            figure="cost",
        ),
        Criterion(
            words.t("Evidence of peak and cost"), tuple(Cell(kind=_demand_kind(side)) for side in sides)
        ),
        Criterion(kept, tuple(_in_time(words, side, limit) for side in sides)),
    ]


def _peak(words: Wording, side: _Side) -> Cell:
    result = side.result
    worst = [] if result is None else [one.worst for one in result.memory if one.worst is not None]
    if result is None or not worst or any(one.missing for one in result.memory):
        return Cell(words.unknown, tone="muted", tip=words.t("The memory of a task is not known."))
    peak = max(one.peak_bytes for one in worst)
    verdict = side.plan.verdict if side.plan is not None else result.verdict(side.card_id)
    if verdict is None:
        verdict = min(result.verdicts, key=lambda one: one.usable_bytes, default=None)
    if verdict is None:
        return Cell(words.memory(peak))
    peak_text, usable = words.memory_pair(peak, verdict.usable_bytes)
    text = words.t("{peak} of {usable}", peak=peak_text.removesuffix(" GiB"), usable=usable)
    return Cell(text, tone="err") if verdict.fits is Fit.NO else Cell(text)


def _net(words: Wording, quote: Quote, side: _Side) -> Cell:
    if side.timing is None:
        return _absent(words, side)
    if side.plan is None:
        reason = side.result.excluded[0][1] if side.result is not None and side.result.excluded else None
        return Cell(words.unknown, tone="muted", tip=words.absent(reason or Absent("no_price", ("offers",))))
    net = side.plan.price.net
    if isinstance(net, Absent):
        return Cell(words.unknown, tone="muted", tip=words.absent(net))
    money = words.money(net, side.plan.price.currency)
    if side.plan.is_sample:
        return Cell(money, sample_word(words), "warn", is_sample=True)
    return Cell(money)


def _demand_kind(side: _Side) -> EvidenceKind | None:
    if side.result is None or side.timing is None:
        return None
    if side.plan is None:
        return side.result.memory_kind
    return weakest((side.result.memory_kind, side.plan.kind))


def _in_time(words: Wording, side: _Side, limit: int | None) -> Cell:
    if side.timing is None:
        return _absent(words, side)
    if limit is None:
        return Cell(words.t("No limit set"), tone="muted")
    spare = limit - side.timing.delivery_ms
    if spare >= 0:
        return Cell("", words.t("Yes, {time} spare", time=words.duration(spare)), "ok", icon="tick")
    return Cell("", words.t("No, +{time}", time=words.duration(-spare)), "err", icon="crossed-circle")
