"""A figure's explanation as text: title, formula in words and with numbers, inputs, notes.

The window's popup, the terminal's `--explain` and the workbook's column "where it comes from" show these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from estimator.evidence import EvidenceKind
from estimator.figures import Figure, FigureInput, FormulaStep, explain
from estimator.problems import Absent, Place
from estimator.results.estimate import Condition, Estimate
from estimator.results.price import PriceLine
from estimator.wording.phrases import condition_text, floor_memory, line_name, memory_line_name, names_of
from estimator.wording.wording import Wording


@dataclass(frozen=True, slots=True)
class InputText:
    """One input in words. `remark` stands where there is no evidence: a decision, or left out."""

    name: str
    value: str
    kind: EvidenceKind | None
    remark: str
    place: Place | None
    place_text: str


@dataclass(frozen=True, slots=True)
class ExplanationText:
    """A figure explained, ready to be laid out."""

    title: str
    value: str
    kind: EvidenceKind | None
    formula_words: str
    formula_numbers: str
    inputs: tuple[InputText, ...]
    notes: tuple[str, ...]


def explanation(words: Wording, estimate: Estimate, figure_id: str) -> ExplanationText:
    """Return the explanation of a figure of the answer (see `figures.FIGURES`)."""
    figure = explain(estimate, figure_id)
    names = names_of(words, estimate.quote)
    notes = [_note(words, code, dict(gaps)) for code, gaps in figure.notes]
    if figure.kind is not None and not isinstance(figure.value, Absent):
        notes.insert(
            0,
            words.t("The weakest evidence counts: {evidence}.", evidence=words.evidence(figure.kind).lower()),
        )
    return ExplanationText(
        title=_title(words, figure_id),
        value=_value(words, figure.value, figure.unit),
        kind=figure.kind,
        formula_words=_formula(words, figure.formula),
        formula_numbers=_numbers(words, figure),
        inputs=tuple(_input(words, one, names) for one in figure.inputs),
        notes=tuple(notes),
    )


def _title(words: Wording, figure_id: str) -> str:
    match figure_id:
        case "cards":
            return words.t("Cards required")
        case "peak":
            return words.t("Worst card, peak")
        case "delivery":
            return words.t("Delivery")
        case "cost":
            return words.t("Cost")
    return words.t("Status")


def _formula(words: Wording, code: str) -> str:
    match code:
        case "cards_required":
            return words.t("tasks at once × cards per task")
        case "cards_in_slices":
            return words.t("tasks at once ÷ slices of a card, rounded up")
        case "memory_peak":
            return words.t(
                "what one card holds in its worst phase × (1 + margin) + context + workspace + buffers"
            )
        case "delivery":
            return words.t("the chain of stages that ends last, each from its first start to its last end")
        case "cost":
            return words.t("lines − discount + contingency = net; net × tax rate = tax; net + tax")
    return words.t("provisional until every decisive condition is met")


def _numbers(words: Wording, figure: Figure) -> str:
    if isinstance(figure.value, Absent):
        return words.absent(figure.value)
    if not figure.steps:
        return ""
    if figure.id == "peak":
        sizes = dict(figure.steps[0].gaps)["lines"]
        parts = [words.memory(size, 2) for size in sizes] if isinstance(sizes, tuple) else []
        return f"{' + '.join(parts)} = {words.memory(int(str(figure.value)), 2)}"
    if figure.id == "delivery":
        left = " + ".join(_step(words, step) for step in figure.steps)
        middle = " + ".join(_value(words, step.result, step.unit) for step in figure.steps)
        total = _value(words, figure.value, figure.unit)
        return f"{left}\n= {middle} = {total}" if len(figure.steps) > 1 else f"{left} = {total}"
    return "\n".join(
        f"{_step(words, step)} = {_value(words, step.result, step.unit)}" for step in figure.steps
    )


def _step(words: Wording, step: FormulaStep) -> str:
    gaps = dict(step.gaps)
    match step.code:
        case "at_once_times_cards":
            return f"{words.value(gaps['at_once'])} × {words.value(gaps['cards'])}"
        case "at_once_over_slices":
            return f"⌈{words.value(gaps['at_once'])} ÷ {words.value(gaps['slices'])}⌉"
        case "rounds":
            return words.t("⌈{count} ÷ {slots}⌉ × {each}", **_texts(words, gaps, each="each_ms"))
        case "rounds_slowed":
            return words.t(
                "⌈{count} ÷ {slots}⌉ × {each} × {slow_down}", **_texts(words, gaps, each="each_ms")
            )
        case "rounds_on_slice":
            return words.t("⌈{count} ÷ {slots}⌉ × {each} × {on_slice}", **_texts(words, gaps, each="each_ms"))
        case "rounds_on_slice_slowed":
            return words.t(
                "⌈{count} ÷ {slots}⌉ × {each} × {on_slice} × {slow_down}",
                **_texts(words, gaps, each="each_ms"),
            )
        case "stage_elapsed":
            return str(gaps["stage"])
        case "wait_before":
            return words.t("wait before {stage}", stage=str(gaps["stage"]))
        case "rest_of_stage":
            return words.t("rest of {stage}", stage=str(gaps["stage"]))
        case "price_line":
            line = gaps["line"]
            return line_name(words, line) if isinstance(line, PriceLine) else ""
        case "net":
            return words.t("Net")
    return words.t(
        "Tax, {rate} of {base}",
        rate=words.value(gaps["rate_percent"], "rate_percent"),
        base=words.value(gaps["base"]),
    )


def _texts(words: Wording, gaps: Mapping[str, object], **renamed: str) -> dict[str, str]:
    texts = {name: words.value(value, name) for name, value in gaps.items()}
    return texts | {new: texts[old] for new, old in renamed.items()}


def _value(words: Wording, value: object, unit: str) -> str:
    if isinstance(value, Absent):
        return words.unknown
    if isinstance(value, Condition):
        return condition_text(words, value)
    if unit == "not_included":
        return words.t("not included")
    if isinstance(value, tuple) and len(value) == 2 and not isinstance(value[0], Decimal):
        return words.unknown
    return words.value(value, unit)


def _input(words: Wording, one: FigureInput, names: Mapping[str, str]) -> InputText:
    gaps = dict(one.gaps)
    remark = ""
    if one.kind is None:
        remark = words.t("outside the figure") if one.unit == "not_included" else words.t("Chosen")
    value = "" if isinstance(one.value, Condition) else _value(words, one.value, one.unit)
    if one.code == "stage_durations":
        value = words.t(
            "{low} to {high}",
            low=words.value(gaps["low_ms"], "low_ms"),
            high=words.value(gaps["high_ms"], "high_ms"),
        )
    place_text = "" if one.where is None else words.place(one.where, names)
    return InputText(_input_name(words, one, gaps), value, one.kind, remark, one.where, place_text)


def _input_name(words: Wording, one: FigureInput, gaps: Mapping[str, object]) -> str:
    if isinstance(one.value, Condition):
        return condition_text(words, one.value)
    said = {name: str(value) for name, value in gaps.items() if isinstance(value, str)}
    match one.code:
        case "tasks_at_once":
            return words.t("Tasks at once")
        case "cards_per_task":
            return words.t("Cards per task")
        case "limit":
            return words.t("Customer's limit")
        case "quota":
            return words.t("Card quota")
        case "memory_line":
            return memory_line_name(words, said["line"])
        case "usable_observed":
            return words.t("Usable on {card}, as a framework saw", **said)
        case "usable_reported":
            return words.t("Usable on {card}, as the driver reports", **said)
        case "usable_marketed":
            return words.t("Usable on {card}, from its label", **said)
        case "stage_count":
            return words.t("Tasks of {stage}", **said)
        case "stage_duration" | "stage_durations":
            return words.t("Duration of a task of {stage}", stage=said["stage"])
        case "slices_per_card":
            return words.t("Slices of a card")
        case "slice_factor":
            return words.t("Time on a slice, times that stated")
        case "slow_down":
            return words.t("Mutual slow-down k")
        case "capacity":
            return words.t("Capacity of {resource}", **said)
        case "queue_wait":
            return words.t("Queue wait")
        case "hourly_price":
            return words.t("Price per card and hour, {offer}", offer=said["offer"])
        case "term_price":
            days = gaps["days"]
            return words.t(
                "Price of {offer}, {days} days", offer=said["offer"], days=words.value(days, "days")
            )
        case "paid_card_time":
            return words.t("Card time paid")
        case "lots_held":
            return words.t("Lots held")
    return words.t("Tax rate")


def _note(words: Wording, code: str, gaps: Mapping[str, object]) -> str:
    match code:
        case "cards_stated":
            return words.t("The organisation states how many tasks run at once.")
        case "cards_fewest_in_time":
            return words.t("The fewest cards that meet the limit within the quota.")
        case "rent_counts_cards":
            return words.t("Rent counts cards, never slices.")
        case "slice_of_card":
            return words.t(
                "Each task has one of the {slices} slices of a card: its memory alone counts.",
                slices=words.value(gaps["slices"]),
            )
        case "recommended_rule":
            return words.t("Shown: least cost within limit, budget and quota; then fewest cards.")
        case "no_limit_rule":
            return words.t("Without a limit the reference stays until you choose a plan.")
        case "peak_phase":
            return words.t(
                "The worst moment is {phase}, in {stage}.", phase=str(gaps["phase"]), stage=str(gaps["stage"])
            )
        case "share_of_card":
            return words.t(
                "Each of the {cards} cards of a task, by itself.", cards=words.value(gaps["cards"])
            )
        case "own_memory_rule":
            return words.t("A card's own memory decides, never a sum over cards.")
        case "holds_to":
            holds_to = gaps["holds_to_bytes"]
            need = floor_memory(words, holds_to) if isinstance(holds_to, int) else words.unknown
            return words.t("It fits while a task needs at most {memory}.", memory=need)
        case "optimal":
            bound = words.value(gaps["bound_ms"], "bound_ms")
            return words.t("Optimal: no plan on these cards delivers before {bound}.", bound=bound)
        case "bound_and_gap":
            bound = words.value(gaps["bound_ms"], "bound_ms")
            return words.t("Lower bound {bound}: a better plan may exist down to it.", bound=bound)
        case "rounding_policy":
            return words.t(
                "Rounded half up once at each line, then at each tax amount per rate and document."
            )
        case "blank_not_included":
            return words.t("Blank fees are not included; they are not 0.")
        case "sample_price":
            return words.t("A SAMPLE price enters: it is no seller's offer.")
    return words.t("Proven: no cheaper whole lots and terms exist among those offered.")
