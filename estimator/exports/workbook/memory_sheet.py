"""The sheet of memory: what one card holds in each phase, line by line, against what a card offers.

Never a sum over cards. Sizes are the core's, in GiB; peaks and what is left are formulas over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from estimator.exports.workbook.cells import FONT, Sheet, width_for
from estimator.quote import Quote, StateClass
from estimator.results.estimate import OrganisationResult, Plan
from estimator.results.memory import CardVerdict, Fit, PhaseMemory
from estimator.units import bytes_to_gib
from estimator.wording import Wording
from estimator.wording.phrases import host_memory_text

_GIB = "#,##0.00"
_COLOURS = ("#0B5D7A", "#5B8FA8", "#9DB9C7", "#C78F3C", "#E0BE85", "#7A8288", "#A7B0B6", "#3E6B57", "#88A898")


_HATCHES = ("", "wide_upward_diagonal", "light_horizontal", "wide_downward_diagonal", "dotted_grid")
"""Of neighbours in a column, so that they stay apart in black and white; "" is a plain fill."""


@dataclass(frozen=True, slots=True)
class MemoryCells:
    """Where the worst peak and the card's usable memory stand, in GiB; None where not known."""

    peak: str | None
    usable: str | None


def write_memory(
    sheet: Sheet, quote: Quote, result: OrganisationResult, plan: Plan | None, words: Wording
) -> MemoryCells:
    """Write the phases of each stage and the chart; words where the memory is not stated."""
    sheet.text(0, 1, words.t("Memory of one card, GiB"), "title")
    phases = [phase for stage in result.memory for phase in stage.phases]
    verdict = _verdict(result, plan)
    names = list(dict.fromkeys(line.name for phase in phases for line in phase.lines))
    stages = [_stage_name(quote, phase) for phase in phases]
    moments = [phase.phase for phase in phases]
    sheet.widths(2, width_for(stages, 20), width_for(moments, 20), *(14 for _ in names), 12, 12, 12, 16)
    if not phases:
        sheet.text(2, 1, words.t("The memory of a task is not stated yet."), "strong")
        return MemoryCells(None, None)
    card = None if verdict is None else quote.task_card(result.organisation_id, verdict.card_id)
    usable_bytes = 0 if verdict is None else verdict.usable_bytes
    if card is not None:
        sheet.text(
            1, 1, words.t("On {card}; a card's own memory decides, never a sum.", card=card.name), "note"
        )
    head = 3
    sheet.texts(head, 1, (words.t("Stage"), words.t("Phase")), "head")
    sheet.texts(head, 3, [line_name(name, words) for name in names], "head_right")
    at = 3 + len(names)
    heads = [words.t("Peak")] + ([words.t("Usable"), words.t("Spare")] if card is not None else [])
    sheet.texts(head, at, heads, "head_right")
    sheet.headed(head)
    for place, phase in enumerate(phases):
        _write_phase(sheet, head + 1 + place, quote, phase, names, usable_bytes if card is not None else None)
    last = head + len(phases)
    peaks = f"{sheet.here(head + 1, at)}:{sheet.here(last, at)}"
    row = last + 2
    worst = max(phase.peak_bytes for phase in phases)
    _label(sheet, row, words.t("Peak of the worst phase"), "strong")
    sheet.formula(row, 3, f"MAX({peaks})", bytes_to_gib(worst), _GIB, "strong_value")
    usable: str | None = None
    if card is not None and verdict is not None:
        _label(sheet, row + 1, words.t("Usable on each {card}", card=card.name), "label")
        sheet.number(row + 1, 3, bytes_to_gib(usable_bytes), _GIB)
        sheet.text(row + 2, 1, words.t("Fits"))
        sheet.raw.merge_range(row + 2, 2, row + 2, 3, "", sheet.book.style("value"))
        sheet.text(row + 2, 2, fit_text(verdict.fits, words), "value")
        usable = sheet.ref(row + 1, 3)
    asked = [text for stage in result.memory if (text := host_memory_text(words, stage))]
    if asked:
        sheet.text(row + 3, 1, " ".join(asked), "note")
    _chart(sheet, words, head, len(phases), names, card is not None, row + 5)
    return MemoryCells(sheet.ref(row, 3), usable)


def _label(sheet: Sheet, row: int, text: str, style: str) -> None:
    """Write a label over the columns of stage and phase."""
    sheet.raw.merge_range(row, 1, row, 2, "", sheet.book.style(style))
    sheet.text(row, 1, text, style)


def _stage_name(quote: Quote, phase: PhaseMemory) -> str:
    stage = quote.workload.stage(phase.stage_id)
    return phase.stage_id if stage is None else stage.name


def _verdict(result: OrganisationResult, plan: Plan | None) -> CardVerdict | None:
    return plan.verdict if plan is not None else next(iter(result.verdicts), None)


def _write_phase(
    sheet: Sheet, row: int, quote: Quote, phase: PhaseMemory, names: list[str], usable_bytes: int | None
) -> None:
    sheet.texts(row, 1, (_stage_name(quote, phase), phase.phase), "wrapped")
    sizes: dict[str, int] = {}
    for line in phase.lines:
        sizes[line.name] = sizes.get(line.name, 0) + line.size_bytes
    for place, name in enumerate(names):
        if name in sizes:
            sheet.number(row, 3 + place, bytes_to_gib(sizes[name]), _GIB)
        else:
            sheet.text(row, 3 + place, "")
    at = 3 + len(names)
    cells = f"{sheet.here(row, 3)}:{sheet.here(row, at - 1)}"
    sheet.formula(row, at, f"SUM({cells})", bytes_to_gib(phase.peak_bytes), _GIB, "strong_value")
    if usable_bytes is not None:
        sheet.number(row, at + 1, bytes_to_gib(usable_bytes), _GIB)
        spare = Decimal(usable_bytes - phase.peak_bytes) / 2**30
        formula = f"{sheet.here(row, at + 1)}-{sheet.here(row, at)}"
        sheet.formula(row, at + 2, formula, spare, _GIB)


def line_name(name: str, words: Wording) -> str:
    """Return what a line of the ledger is called."""
    if name in {one.value for one in StateClass}:
        return words.word(StateClass(name))
    match name:
        case "context":
            return words.t("Context")
        case "workspace":
            return words.t("Workspace")
        case "communication":
            return words.t("Communication buffers")
        case "margin":
            return words.t("Margin")
    return name


def fit_text(fits: Fit, words: Wording) -> str:
    """Return whether a task fits, as strongly as is known."""
    match fits:
        case Fit.YES:
            return words.t("fits")
        case Fit.IF:
            return words.t("fits only at the values used")
        case Fit.NO:
            return words.t("does not fit")
        case Fit.UNKNOWN:
            return words.t("not known")


def _fill(place: int) -> dict[str, object]:
    colour, hatch = _COLOURS[place % len(_COLOURS)], _HATCHES[place % len(_HATCHES)]
    if not hatch:
        return {"fill": {"color": colour}}
    return {"pattern": {"pattern": hatch, "fg_color": "#FFFFFF", "bg_color": colour}}


def _chart(
    sheet: Sheet, words: Wording, head: int, count: int, names: list[str], has_card: bool, at_row: int
) -> None:
    chart: Any = sheet.book.chart({"type": "column", "subtype": "stacked"})
    first, last = head + 1, head + count
    categories = [sheet.name, first, 1, last, 2]
    for place, _ in enumerate(names):
        column = 3 + place
        chart.add_series(
            {
                "name": [sheet.name, head, column],
                "categories": categories,
                "values": [sheet.name, first, column, last, column],
                **_fill(place),
                "gap": 60,
            }
        )
    if has_card:
        # Markers, no line: a line would join phases that have nothing to do with each other.
        line: Any = sheet.book.chart({"type": "line"})
        column = 4 + len(names)
        line.add_series(
            {
                "name": [sheet.name, head, column],
                "categories": categories,
                "values": [sheet.name, first, column, last, column],
                "line": {"none": True},
                "marker": {"type": "long_dash", "size": 14, "fill": {"color": "#8B1E1E"}},
            }
        )
        chart.combine(line)
    title = words.t("Memory of one card, GiB")
    font = {"name": FONT, "size": 9}
    chart.set_title({"name": title, "name_font": {"name": FONT, "size": 11}})
    chart.set_legend({"position": "right", "font": font})
    chart.set_y_axis({"min": 0, "num_format": "0", "num_font": font, "major_gridlines": {"visible": True}})
    chart.set_x_axis({"num_font": font})
    chart.set_size({"width": 720, "height": 300})
    sheet.raw.insert_chart(at_row, 1, chart, {"description": title})
