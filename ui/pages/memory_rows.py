"""What the memory page shows, put into words: the bars, the ledger by phase, the verdict on each card model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from estimator.catalogue import Card, Catalogue
from estimator.memory import StateClass as Held
from estimator.plan.fitting import ModelFit
from estimator.plan.memory import verdicts_of
from estimator.problems import Absent
from estimator.quote import Organisation, Quote, StateClass, slice_of, slicings_of
from estimator.results.estimate import Estimate, OrganisationResult
from estimator.results.memory import CardVerdict, Fit, PhaseMemory, StageMemory
from estimator.units import GIB, bytes_to_gib
from estimator.wording import Wording
from estimator.wording.phrases import fit_text, memory_line_name, moment_name
from ui.models.table import Column, Group
from ui.widgets.bars import MARGIN_CLASS, Bar, BarsContent, Segment

CHART_CLASSES = {
    StateClass.WHOLE.value: 1,
    StateClass.MODEL.value: 1,
    StateClass.STATE.value: 2,
    StateClass.DATA.value: 3,
    StateClass.EXCHANGE.value: 4,
    StateClass.TEMPORARIES.value: 6,
    "communication": 4,
    "workspace": 5,
    "context": 7,
    "margin": MARGIN_CLASS,
    Held.WEIGHTS.value: 1,
    Held.OPTIMIZER.value: 2,
    Held.KV_CACHE.value: 2,
    Held.GRADIENTS.value: 3,
    Held.ACTIVATIONS.value: 5,
    Held.INPUTS.value: 7,
}
"""Chart class of a line. Seven classes must do: communication buffers share that of exchange, the KV cache that of
the optimiser, which no generation has, and inputs that of the context."""
_HELD = (
    Held.WEIGHTS,
    Held.OPTIMIZER,
    Held.GRADIENTS,
    Held.KV_CACHE,
    Held.ACTIVATIONS,
    Held.TEMPORARIES,
    Held.EXCHANGE,
    Held.INPUTS,
)
_STATED = tuple(one.value for one in StateClass if one.value not in {held.value for held in _HELD})
_ORDER = (*_STATED, *(one.value for one in _HELD), "workspace", "communication", "context", "margin")
_UNSEEN_SHARE = 300
"""A part that is nowhere larger than this share of the worst peak is in the table alone."""
MOST_MOMENTS = 8
"""Moments that are shown before the others are asked for."""
FIT_ICONS = {Fit.YES: "tick", Fit.IF: "triangle", Fit.NO: "crossed-circle", Fit.UNKNOWN: "unknown"}
FIT_ROLES = {Fit.YES: "ok", Fit.IF: "warn", Fit.NO: "err", Fit.UNKNOWN: "muted"}

Peaks = Mapping[str, int]
"""Peak in bytes by the name of the phase."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A card model and what memory says of it; `fit`: the limits of a known model on it."""

    card: Card
    verdict: CardVerdict
    fit: ModelFit | None = None


def stage_memory(result: OrganisationResult | None, stage_id: str) -> StageMemory | None:
    """Return what one card holds in a stage, None where nothing is computed."""
    if result is None:
        return None
    return next((one for one in result.memory if one.stage_id == stage_id), None)


def shown_card(estimate: Estimate | None) -> Card | None:
    """Return the card that the bars are held against: the shown plan's, else the quote's smallest.

    Where the shown organisation slices its cards it is one slice.
    """
    if estimate is None:
        return None
    quote, plan = estimate.quote, estimate.shown_plan
    if plan is not None:
        return quote.task_card(plan.organisation_id, plan.verdict.card_id)
    found = (quote.task_card(estimate.shown_organisation_id, card.id) for card in quote.cards)
    return min((card for card in found if card is not None), key=lambda card: card.usable_bytes, default=None)


def shown_phases(memory: StageMemory, *, all_of_them: bool) -> tuple[PhaseMemory, ...]:
    """Return the phases to show in their order: all, or those with the largest peaks where there are many."""
    if all_of_them or len(memory.phases) <= MOST_MOMENTS:
        return memory.phases
    largest = sorted(memory.phases, key=lambda phase: -phase.peak_bytes)[:MOST_MOMENTS]
    return tuple(phase for phase in memory.phases if phase in largest)


def phase_name(words: Wording, phase: str, is_model: bool) -> str:
    """Return the name of a phase: as it was typed, or that of a known model's moment."""
    return moment_name(words, phase) if is_model else phase


def bars_content(
    words: Wording,
    estimate: Estimate,
    memory: StageMemory,
    card: Card | None,
    former: Peaks,
    *,
    is_model: bool = False,
    all_of_them: bool = True,
) -> BarsContent:
    """Return the bars of a stage on one card; equal cards are one block. A model's moments leave its head blank."""
    worst = memory.worst
    bars = tuple(
        Bar(
            name=phase_name(words, phase.phase, is_model),
            segments=tuple(_segments(words, phase)),
            peak_text=words.number(bytes_to_gib(phase.peak_bytes), _digits(memory, card)),
            is_worst=phase is worst,
            former_bytes=former.get(phase.phase),
        )
        for phase in shown_phases(memory, all_of_them=all_of_them)
    )
    usable_text = ""
    if card is not None:
        usable_text = words.t("{memory} usable", memory=words.memory(card.usable_bytes, 2))
    return BarsContent(
        title="" if is_model else cards_title(words, estimate),
        subtitle="" if card is None or is_model else card.name,
        bars=bars,
        usable_bytes=None if card is None else card.usable_bytes,
        usable_text=usable_text,
        axis_text=words.t("GiB on each slice") if _is_sliced(estimate) else words.t("GiB on each card"),
        legend=tuple((memory_line_name(words, name), CHART_CLASSES[name]) for name in _seen(memory)),
    )


def ledger_columns(
    words: Wording, memory: StageMemory, card: Card | None, *, is_model: bool = False
) -> tuple[Column[PhaseMemory], ...]:
    """Return the columns of the same numbers: phase, a column a line, peak, spare, evidence."""
    digits = _digits(memory, card)
    worst = memory.worst

    def is_worst(phase: PhaseMemory) -> bool:
        return phase is worst

    first: Column[PhaseMemory] = Column(
        words.t("Moment") if is_model else words.t("Phase"),
        lambda phase: phase_name(words, phase.phase, is_model),
        bold=is_worst,
    )
    lines = [_line_column(words, name, digits) for name in _names(memory)]
    peak: Column[PhaseMemory] = Column(
        words.t("Peak"),
        lambda phase: words.number(bytes_to_gib(phase.peak_bytes), digits),
        right=True,
        bold=is_worst,
    )
    columns = [first, *lines, peak]
    if card is not None:
        usable = card.usable_bytes
        columns.append(
            Column(
                words.t("Spare"),
                lambda phase: words.number(bytes_to_gib(usable - phase.peak_bytes), digits),
                right=True,
                bold=is_worst,
                color=lambda phase: "err" if phase.peak_bytes > usable else None,
            )
        )
    columns.append(Column(words.t("Evidence"), lambda phase: "", evidence=lambda phase: phase.kind))
    return tuple(columns)


def verdict_columns(words: Wording) -> tuple[Column[Verdict], ...]:
    """Return the columns of the card models: usable, peak, what memory says."""

    def peak(row: Verdict) -> str:
        bytes_ = row.verdict.peak_bytes
        return words.unknown if bytes_ is None else words.number(bytes_to_gib(bytes_), 2)

    return (
        Column(words.t("Card"), lambda row: row.card.name),
        Column(
            words.t("Usable, GiB"),
            lambda row: words.number(bytes_to_gib(row.card.usable_bytes), 2),
            right=True,
            sort_key=lambda row: row.card.usable_bytes,
        ),
        Column(words.t("Peak, GiB"), peak, right=True, sort_key=lambda row: row.verdict.peak_bytes),
        Column(
            words.t("Answer"),
            lambda row: capital(fit_text(words, row.verdict)),
            sort_key=lambda row: row.verdict.spare_bytes,
            icon=lambda row: FIT_ICONS[row.verdict.fits],
            color=lambda row: FIT_ROLES[row.verdict.fits],
        ),
    )


def verdict_rows(
    words: Wording, estimate: Estimate | None, catalogue: Catalogue
) -> tuple[Verdict | Group, ...]:
    """Return the quote's cards and then the catalogue's others, each with its verdict."""
    shown = None if estimate is None else estimate.shown
    organisation = (
        None if shown is None or estimate is None else estimate.quote.organisation(shown.organisation_id)
    )
    if estimate is None or shown is None or organisation is None:
        return ()
    rows: list[Verdict | Group] = []
    own = {card.id for card in estimate.quote.cards}
    for title, cards in (
        (words.t("Cards of this quote"), estimate.quote.cards),
        (words.t("Cards of the catalogue"), tuple(card for card in catalogue.cards if card.id not in own)),
    ):
        rows += _verdict_group(title, estimate.quote, organisation, shown, cards)
    if organisation.slicing is None and shown.cards_per_task == 1:
        title = words.t("Slices of this quote's cards")
        for card, slicing in slicings_of(estimate.quote.cards, catalogue):
            sliced = organisation.replaced(slicing=slicing)
            rows += _verdict_group(title, estimate.quote, sliced, shown, (card,))
            title = ""
    return tuple(rows)


def _verdict_group(
    title: str, quote: Quote, organisation: Organisation, shown: OrganisationResult, cards: Iterable[Card]
) -> list[Verdict | Group]:
    """Return the verdicts on cards as a task of the organisation has them, under a title if there is one."""
    seen = [(card, part) for card in cards if (part := slice_of(organisation.slicing, card)) is not None]
    verdicts = verdicts_of(quote, organisation, shown.memory, (card for card, _ in seen))
    rows: list[Verdict | Group] = [Group(title)] if title and seen else []
    return [*rows, *(Verdict(part, verdict) for (_, part), verdict in zip(seen, verdicts, strict=True))]


def quote_verdicts(estimate: Estimate | None) -> tuple[Verdict, ...]:
    """Return the verdict on each card of the quote, the shown plan's first."""
    shown = None if estimate is None else estimate.shown
    if estimate is None or shown is None:
        return ()
    first = shown_card(estimate)
    cards = sorted(estimate.quote.cards, key=lambda card: first is not None and card.id != first.id)
    found = (
        (estimate.quote.task_card(shown.organisation_id, card.id), shown.verdict(card.id)) for card in cards
    )
    return tuple(
        Verdict(card, verdict) for card, verdict in found if card is not None and verdict is not None
    )


def bars_note(words: Wording, estimate: Estimate) -> str:
    """Return what one bar stands for."""
    if _is_sliced(estimate):
        return words.t("Each bar is one slice; there is no common bar")
    return words.t("Each bar is one card; there is no common bar")


def _is_sliced(estimate: Estimate) -> bool:
    return estimate.shown is not None and estimate.shown.slices_per_card > 1


def why_no_bars(words: Wording, quote: Quote, stage_id: str, memory: StageMemory | None) -> Absent:
    """Return what is missing before the bars of a stage can be shown."""
    stage = quote.workload.stage(stage_id)
    if stage is None:
        return Absent("no_work", ("workload",))
    where = ("workload", "stages", stage.id, "memory")
    values = (("stage", stage.name),)
    missing = () if memory is None else memory.missing
    for name in ("context", "margin"):
        if missing == (name,):
            return Absent(f"missing_{name}", (*where, name), values)
    return Absent("missing_memory", where, values)


def cards_title(words: Wording, estimate: Estimate) -> str:
    """Return which cards a bar stands for."""
    shown = estimate.shown
    if shown is None or isinstance(shown.timing, Absent):
        return words.t("Each card")
    if shown.slices_per_card > 1:
        return words.n("{count} slice", "{count} equal slices", shown.timing.places)
    if shown.timing.cards == 1:
        return words.t("Card 1")
    return words.t("Cards 1 to {count}, equal", count=words.number(shown.timing.cards))


def capital(text: str) -> str:
    """Return a phrase as it begins a line."""
    return text[:1].upper() + text[1:]


def _names(memory: StageMemory) -> list[str]:
    """Return the lines that any phase holds, as they are stacked."""
    return sorted({line.name for phase in memory.phases for line in phase.lines}, key=_ORDER.index)


def _seen(memory: StageMemory) -> list[str]:
    """Return the lines that are wide enough to be seen in some bar."""
    least = max((phase.peak_bytes for phase in memory.phases), default=0) // _UNSEEN_SHARE
    seen = {line.name for phase in memory.phases for line in phase.lines if line.size_bytes > least}
    return [name for name in _names(memory) if name in seen]


def _segments(words: Wording, phase: PhaseMemory) -> list[Segment]:
    lines = sorted(
        (line for line in phase.lines if line.size_bytes), key=lambda line: _ORDER.index(line.name)
    )
    return [
        Segment(
            name=memory_line_name(words, line.name),
            size_bytes=line.size_bytes,
            chart_class=CHART_CLASSES[line.name],
            tip=words.t(
                "{part}: {memory}, {evidence}",
                part=memory_line_name(words, line.name),
                memory=words.memory(line.size_bytes, 2),
                evidence=words.evidence(line.kind).lower(),
            ),
        )
        for line in lines
    ]


def _line_column(words: Wording, name: str, digits: int) -> Column[PhaseMemory]:
    def text(phase: PhaseMemory) -> str:
        sizes = [line.size_bytes for line in phase.lines if line.name == name]
        return words.number(bytes_to_gib(sum(sizes)), digits) if sizes else words.unknown

    return Column(memory_line_name(words, name), text, right=True)


def _digits(memory: StageMemory, card: Card | None) -> int:
    """Return two decimals where one could make peak and usable look equal."""
    if card is None:
        return 1
    close = any(abs(card.usable_bytes - phase.peak_bytes) * 10 < GIB for phase in memory.phases)
    return 2 if close else 1
