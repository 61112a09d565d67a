"""From an estimate to what the window's frame shows: strip cells, steps, problem rows, explanations.

Pure functions; text comes from `estimator.wording`.
"""

from __future__ import annotations

from estimator.problems import Absent, Place, Severity
from estimator.quote import Quote
from estimator.results.estimate import Estimate, QuoteStatus
from estimator.results.memory import Fit
from estimator.wording import Wording
from estimator.wording.answers import Answer, answer_titles, answers, memory_verdict, no_plan_reason
from estimator.wording.explanations import explanation
from estimator.wording.phrases import (
    amount_text,
    fit_short,
    gap_text,
    names_of,
    organisation_label,
    organisation_name,
)
from ui.page_list import page_names
from ui.widgets.explanation import ExplanationContent, ExplanationRow
from ui.widgets.figure import FigureState, HeadlineCell, Tone
from ui.widgets.problems_panel import ProblemRow
from ui.widgets.steps import Step, StepState

_TONES = {"plain": Tone.PLAIN, "ok": Tone.OK, "warn": Tone.WARNING, "err": Tone.ERROR}
MOST_LETTERS = 22
"""About what a line of the steps holds."""
_FIGURES = ("cards", "peak", "delivery", "cost", "status")


def headline_cells(words: Wording, estimate: Estimate | None, stale: bool) -> tuple[HeadlineCell, ...]:
    """Return the five cells; without an estimate they are unknown."""
    titles = answer_titles(words, estimate)
    if estimate is None:
        return tuple(
            HeadlineCell(title, short, words.unknown, state=FigureState.UNKNOWN) for title, short in titles
        )
    cells = zip(titles, answers(words, estimate), strict=True)
    return tuple(_cell(title, short, answer, stale) for (title, short), answer in cells)


def _cell(title: str, short: str, answer: Answer, stale: bool) -> HeadlineCell:
    state = FigureState.KNOWN if answer.is_known else FigureState.UNKNOWN
    if stale and answer.is_known:
        state = FigureState.STALE
    return HeadlineCell(
        title=title,
        short_title=short,
        figure=answer.figure,
        unit=answer.unit,
        third_line=answer.line,
        chip=answer.kind,
        state=state,
        link_place=answer.place,
        tone=_TONES[answer.tone],
        sample=answer.is_sample,
        short_unit=answer.short_unit,
        short_line=answer.short_line,
    )


def organisation_choices(
    words: Wording, quote: Quote, estimate: Estimate | None
) -> tuple[tuple[str, str], ...]:
    """Return (id, words) of each organisation for the strip's selector."""
    if estimate is None:
        return tuple((one.id, organisation_name(one)) for one in quote.organisations)
    return tuple((one.id, organisation_label(words, estimate, one.id)) for one in quote.organisations)


def explanation_content(words: Wording, estimate: Estimate, cell: int) -> ExplanationContent:
    """Return what the popup of a cell (0 to 4) says."""
    text = explanation(words, estimate, _FIGURES[cell])
    rows = tuple(
        ExplanationRow(one.name, one.value, one.kind, one.place, one.place_text, one.remark)
        for one in text.inputs
    )
    return ExplanationContent(
        text.title, text.value, text.kind, text.formula_words, text.formula_numbers, rows, text.notes
    )


def problem_rows(words: Wording, quote: Quote, estimate: Estimate | None) -> tuple[ProblemRow, ...]:
    """Return the rows of the problems panel."""
    if estimate is None:
        return ()
    names = names_of(words, quote)
    return tuple(
        ProblemRow(one.severity, words.problem(one), words.place(one.where, names), one.where)
        for one in estimate.problems
    )


def problem_counts(words: Wording, estimate: Estimate | None) -> str:
    """Return the status bar's count of problems."""
    problems = () if estimate is None else estimate.problems
    count = {one: sum(1 for problem in problems if problem.severity is one) for one in Severity}
    parts = []
    if count[Severity.ERROR]:
        parts.append(words.n("{count} error", "{count} errors", count[Severity.ERROR]))
    if count[Severity.MISSING]:
        parts.append(words.n("{count} missing datum", "{count} missing data", count[Severity.MISSING]))
    if count[Severity.WARNING]:
        parts.append(words.n("{count} warning", "{count} warnings", count[Severity.WARNING]))
    return words.t("Problems: {counts}", counts=", ".join(parts) or words.t("none"))


def steps(words: Wording, quote: Quote, estimate: Estimate | None) -> tuple[Step, ...]:
    """Return each page's name, live line and state."""
    names = page_names(words)
    if estimate is None:
        return tuple(Step(name) for name in names)
    lines = (
        _work(words, quote, estimate),
        _organisations(words, quote, estimate),
        _memory(words, estimate),
        _offers(words, quote, estimate),
        _schedule(words, estimate),
        _cost(words, estimate),
        _conditions(words, estimate),
        (words.word(estimate.status), _status_state(estimate)),
    )
    return tuple(Step(name, line, state) for name, (line, state) in zip(names, lines, strict=True))


def _worst_problem(estimate: Estimate, roots: tuple[str, ...], but: str = "") -> Severity | None:
    """Return the worst severity among problems below `roots`, leaving out places that hold `but`."""
    found = [
        one.severity
        for one in estimate.problems
        if one.where and one.where[0] in roots and (not but or but not in one.where)
    ]
    return min(found, key=list(Severity).index, default=None)


def _state_of(worst: Severity | None) -> StepState:
    if worst is None:
        return StepState.COMPLETE
    return StepState.ERROR if worst is Severity.ERROR else StepState.OPEN


def _work(words: Wording, quote: Quote, estimate: Estimate) -> tuple[str, StepState]:
    worst = _worst_problem(estimate, ("workload", "stages", "resources"), but="memory")
    problem = next(
        (one for one in estimate.problems if one.severity is worst and one.where[:1] == ("workload",)), None
    )
    if problem is not None and worst is not Severity.WARNING:
        return words.problem(problem), _state_of(worst)
    tasks = sum(stage.tasks.total for stage in quote.workload.stages if stage.on_cards)
    return words.n("{count} task", "{count} tasks", tasks), _state_of(worst)


def _organisations(words: Wording, quote: Quote, estimate: Estimate) -> tuple[str, StepState]:
    line = ", ".join(organisation_name(one) for one in quote.organisations)
    if len(line) > MOST_LETTERS:
        line = words.n("{count} organisation", "{count} organisations", len(quote.organisations))
    return line, _state_of(_worst_problem(estimate, ("organisations",)))


def _memory(words: Wording, estimate: Estimate) -> tuple[str, StepState]:
    shown = estimate.shown
    if shown is None or any(stage.missing for stage in shown.memory):
        return words.t("not computed"), StepState.NOT_COMPUTED
    verdict = memory_verdict(estimate, shown)
    if verdict is None:
        return words.t("no card chosen yet"), StepState.NOT_COMPUTED
    states = {Fit.YES: StepState.COMPLETE, Fit.IF: StepState.OPEN, Fit.NO: StepState.ERROR}
    return fit_short(words, verdict), states.get(verdict.fits, StepState.NOT_COMPUTED)


def _offers(words: Wording, quote: Quote, estimate: Estimate) -> tuple[str, StepState]:
    if not quote.offers:
        return words.t("none chosen"), StepState.NOT_COMPUTED
    worst = _worst_problem(estimate, ("offers", "cards"))
    return words.n("{count} offer", "{count} offers", len(quote.offers)), _state_of(worst)


def _schedule(words: Wording, estimate: Estimate) -> tuple[str, StepState]:
    shown = estimate.shown
    if shown is None or isinstance(shown.timing, Absent):
        return words.t("not computed"), StepState.NOT_COMPUTED
    late = estimate.shown_plan is not None and estimate.shown_plan.meets_limit is False
    line = f"{words.duration(shown.timing.delivery_ms)}, {gap_text(words, shown.timing)}"
    return line, StepState.OPEN if late else StepState.COMPLETE


def _cost(words: Wording, estimate: Estimate) -> tuple[str, StepState]:
    plan = estimate.shown_plan
    if plan is None or isinstance(plan.price.gross, Absent):
        reason = plan.price.gross if plan is not None else no_plan_reason(estimate)
        lacks_rate = isinstance(reason, Absent) and reason.code == "missing_rate"
        line = words.t("no exchange rate") if lacks_rate else words.t("no price")
        return line, StepState.NOT_COMPUTED
    worst = _worst_problem(estimate, ("pricing",))
    over = plan.within_budget is False
    line = amount_text(words, plan.price.gross, plan.price.currency, symbol=True)
    return line, StepState.OPEN if over else _state_of(worst)


def _conditions(words: Wording, estimate: Estimate) -> tuple[str, StepState]:
    waiting = len(estimate.open_conditions)
    if not waiting and estimate.status is QuoteStatus.DRAFT:
        return words.t("not computed"), StepState.NOT_COMPUTED
    if not waiting:
        return words.t("nothing open"), StepState.COMPLETE
    return words.t("{count} open", count=words.number(waiting)), StepState.OPEN


def _status_state(estimate: Estimate) -> StepState:
    return {
        QuoteStatus.DRAFT: StepState.NOT_COMPUTED,
        QuoteStatus.PROVISIONAL: StepState.OPEN,
        QuoteStatus.FIRM: StepState.COMPLETE,
        QuoteStatus.FAILED: StepState.ERROR,
    }[estimate.status]


def page_of(place: Place) -> tuple[int, ...]:
    """Return the pages (0 to 7) that may own a place, the likeliest first."""
    root = place[0] if place else ""
    if root == "workload":
        return (0, 2) if place[-1] == "memory" else (2, 0) if "memory" in place else (0,)
    return {
        "stages": (0,),
        "resources": (0,),
        "organisations": (1, 4),
        "offers": (3, 5),
        "cards": (3,),
        "pricing": (5,),
        "chosen_plan": (5,),
        "conditions": (6,),
        "trial": (6,),
        "start": (4,),
        "time_zone": (4,),
    }.get(root, (7,))
