"""The rental engine against a file of cases with known answers: which are right, what it answers, how long it takes.

A case is right where the engine's least cost, least time or whole frontier is the file's to the cent and second.
Which of several equally good choices it makes is its own affair.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from time import perf_counter

from estimator.problems import Absent
from estimator.rental.cover import cost_time_frontier, least_cost_for_deadline, least_time_for_budget
from estimator.rental.work import DeadlinePlan
from estimator.score.columns import columns
from estimator.score.lot_cases import CaseKind, LotCase, LotQuestion, StatedAnswer, read_lot_cases
from estimator.units import MS_PER_SECOND
from estimator.wording import Wording

DIGITS = 6
TOO_LARGE = "amount_too_large"


@dataclass(frozen=True, slots=True)
class CaseScore:
    """One case: the plans found (none where no choice meets the deadline), cheapest first.

    `right` is None where the file states no answer. `skipped`: the reason's code where nothing was solved.
    """

    id: str
    kind: str
    plans: tuple[DeadlinePlan, ...] = ()
    assembly_s: int = 0
    right: bool | None = None
    seconds: float = 0.0
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class LotScore:
    """Every case in the file's order. `n` are the solved ones whose answer the file states."""

    points: tuple[CaseScore, ...]

    @property
    def n(self) -> int:
        """Cases solved whose answer is stated."""
        return sum(point.right is not None for point in self.points)

    @property
    def right(self) -> int:
        """Cases whose answer is the stated one."""
        return sum(point.right is True for point in self.points)

    @property
    def skipped(self) -> int:
        """Cases that were not solved."""
        return sum(bool(point.skipped) for point in self.points)


def score_lots(path: Path) -> LotScore:
    """Return the score of a file of cases. Raises FileRefused."""
    return LotScore(tuple(_score(case) for case in read_lot_cases(path)))


def lots_json(score: LotScore) -> dict[str, object]:
    """Return `points` and `summary`; an absent value is an object that says so."""
    return {
        "points": [_point_json(point) for point in score.points],
        "summary": {"n": score.n, "right": score.right, "skipped": score.skipped},
    }


def lots_text(words: Wording, score: LotScore) -> str:
    """Return one line a case, then how many are right, in columns."""
    header = (
        words.t("Point"),
        words.t("Kind"),
        words.t("Right"),
        words.t("Cost, cents"),
        words.t("Total time, s"),
        words.t("Elapsed time"),
    )
    rows = [header, *(_row(words, point) for point in score.points)]
    counts = (words.number(score.n), words.number(score.right), words.number(score.skipped))
    summary = [(words.t("Points"), words.t("Right"), words.t("Skipped")), counts]
    return f"{columns(rows, 3)}\n\n{columns(summary, 0)}\n"


def _score(case: LotCase) -> CaseScore:
    question = case.question
    if question is None:
        return CaseScore(case.id, case.kind, skipped=case.skipped)
    began = perf_counter()
    found = _solved(question)
    seconds = perf_counter() - began
    if isinstance(found, Absent):
        return CaseScore(case.id, case.kind, skipped=found.code)
    right = None if case.answer is None else _is_right(question, found, case.answer)
    return CaseScore(case.id, case.kind, found, question.assembly_s, right, seconds)


def _solved(question: LotQuestion) -> tuple[DeadlinePlan, ...] | Absent:
    """Return the plans asked for, () where no choice meets the deadline; Absent where amounts are too large."""
    work = (question.units, question.deadline_ms)
    offers = (question.lots, question.hourly)
    found: DeadlinePlan | tuple[DeadlinePlan, ...] | Absent
    if question.kind is CaseKind.FRONTIER:
        found = cost_time_frontier(*work, *offers)
    elif question.kind is CaseKind.LEAST_TIME:
        found = least_time_for_budget(*work, Decimal(question.budget_cents or 0), *offers)
    else:
        found = least_cost_for_deadline(*work, *offers)
    if isinstance(found, Absent):
        return found if found.code == TOO_LARGE else ()
    return found if isinstance(found, tuple) else (found,)


def _is_right(question: LotQuestion, plans: tuple[DeadlinePlan, ...], answer: StatedAnswer) -> bool:
    if not plans or not answer.feasible:
        return not plans and not answer.feasible
    if plans[0].cost != answer.cost_cents:
        return False
    points = tuple((_cents(plan.cost), _total_s(plan, question.assembly_s)) for plan in plans)
    if question.kind is CaseKind.FRONTIER:
        return points == answer.frontier
    return question.kind is CaseKind.LEAST_COST or points[0][1] == answer.total_s


def _total_s(plan: DeadlinePlan, assembly_s: int) -> int:
    return plan.finish_ms // MS_PER_SECOND + assembly_s  # all times of a case are whole seconds


def _point_json(point: CaseScore) -> dict[str, object]:
    told: dict[str, object] = {"id": point.id, "kind": point.kind}
    if point.skipped:
        return told | {"right": False, "answer": {"absent": point.skipped}, "skipped": point.skipped}
    return told | {
        "right": {"absent": "not_stated"} if point.right is None else point.right,
        "answer": _answer_json(point),
        "seconds": round(point.seconds, DIGITS),
    }


def _answer_json(point: CaseScore) -> dict[str, object]:
    """Return the answer in the file's own words."""
    if not point.plans:
        return {"feasible": False}
    told = [_plan_json(plan, point.assembly_s) for plan in point.plans]
    if point.kind == CaseKind.LEAST_TIME:
        cost = told[0].pop("cost_cents")
        return {"feasible": True, **told[0], "cheapest_at_that_time_cents": cost}
    if point.kind == CaseKind.LEAST_COST:
        return {"feasible": True, **told[0]}
    return {"feasible": True, **told[0], "frontier": told}


def _plan_json(plan: DeadlinePlan, assembly_s: int) -> dict[str, object]:
    lots = [
        {
            "lot": held.lot_id,
            "terms": list(held.cover.terms),
            "held_days": held.cover.held_days,
            "cost_cents": _cents(held.cover.cost),
        }
        for held in plan.lots
        for _ in range(held.count)
    ]
    return {
        "cost_cents": _cents(plan.cost),
        "total_s": _total_s(plan, assembly_s),
        "hourly_cents": _cents(plan.hourly_cost),
        "hourly_slots": [{"slots": row.count, "units": row.units} for row in plan.hourly],
        "example": lots,
    }


def _cents(amount: Decimal) -> int:
    # Started hours of whole cents: an amount of a case has no fraction.
    return int(amount)


def _row(words: Wording, point: CaseScore) -> tuple[str, ...]:
    if point.skipped:
        unknown = words.unknown
        return point.id, point.kind, unknown, unknown, unknown, words.sentence(point.skipped)
    right = words.unknown if point.right is None else words.t("yes") if point.right else words.t("no")
    seconds = f"{words.number(point.seconds, 3)} s"
    if not point.plans:
        return point.id, point.kind, right, words.t("infeasible"), words.t("infeasible"), seconds
    plan = point.plans[0]
    cost, total = words.number(_cents(plan.cost)), words.number(_total_s(plan, point.assembly_s))
    return point.id, point.kind, right, cost, total, seconds
