"""Cases of lots, terms and hourly cards from a file: read within bounds, as the rental engine's questions.

Amounts are whole cents, times whole seconds, a day has 24 hours. What cannot be read, or is so large that nobody
would wait for it, is named and left out. Nothing is solved here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any

from estimator.problems import FileRefused
from estimator.rental.hourly import Billing
from estimator.rental.terms import TermPrice
from estimator.rental.work import WorkHourly, WorkLot
from estimator.storage import json_object, read_text
from estimator.units import MS_PER_DAY, MS_PER_SECOND

MOST_CASES = 10_000
MOST_LOTS = 10_000
MOST_TERM_DAYS = 366
MOST_STOCK = 1_000
MOST_UNITS = 10**8
LONGEST_DEADLINE_S = 10 * 366 * MS_PER_DAY // MS_PER_SECOND
LARGEST_NUMBER = 2**40
STARTED_HOUR_S = 3600

_Record = Mapping[str, Any]


class CaseKind(StrEnum):
    """What a case asks: least cost for a deadline, that and the whole frontier, or least time for a budget."""

    LEAST_COST = "min_cost_deadline"
    FRONTIER = "frontier"
    LEAST_TIME = "min_time_budget"


@dataclass(frozen=True, slots=True)
class LotQuestion:
    """A question to the rental engine. `deadline_ms` is that of the last unit; `assembly_s` follows it."""

    kind: CaseKind
    units: int
    deadline_ms: int
    assembly_s: int
    lots: tuple[WorkLot, ...]
    hourly: WorkHourly | None
    budget_cents: int | None


@dataclass(frozen=True, slots=True)
class StatedAnswer:
    """What the file says is right; of a kind that does not ask for a value, that value is None."""

    feasible: bool
    cost_cents: int | None = None
    total_s: int | None = None
    frontier: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True, slots=True)
class LotCase:
    """One case. `answer` None: the file states none. `skipped`: why there is no question, "" where there is."""

    id: str
    kind: str
    question: LotQuestion | None
    answer: StatedAnswer | None = None
    skipped: str = ""


class _OutOfBoundsError(Exception):
    """A number that nobody would wait for."""


def read_lot_cases(path: Path) -> Iterator[LotCase]:
    """Yield the file's cases in its order. Raises FileRefused: no file, too large, not JSON, no cases."""
    text = read_text(path)
    try:
        cases = json_object(text).get("cases")
    except FileRefused as refusal:
        if refusal.code != "not_a_quote":
            raise
        cases = None  # JSON, but no object
    if not isinstance(cases, list) or not 0 < len(cases) <= MOST_CASES:
        raise FileRefused("no_cases", name=path.name)
    return (_case(record, place) for place, record in enumerate(cases, 1))


def _case(record: object, place: int) -> LotCase:
    if not isinstance(record, Mapping):
        return LotCase(f"#{place}", "", None, skipped="point_not_read")
    name, kind = str(record.get("id", f"#{place}"))[:200], str(record.get("kind", ""))[:100]
    try:
        question = _question(record)
        answer = _answer(question.kind, record.get("answer"))
    except _OutOfBoundsError:
        return LotCase(name, kind, None, skipped="point_out_of_bounds")
    except (KeyError, TypeError, ValueError, AttributeError):
        return LotCase(name, kind, None, skipped="point_not_read")
    return LotCase(name, kind, question, answer)


def _question(record: _Record) -> LotQuestion:
    kind = CaseKind(record["kind"])
    work = record["workload"]
    assembly_s = _number(work["assembly_s"])
    deadline_s = _number(record["deadline_s"], most=LONGEST_DEADLINE_S)
    if len(record["lots"]) > MOST_LOTS:
        raise _OutOfBoundsError
    return LotQuestion(
        kind=kind,
        units=_number(work["n"], least=1, most=MOST_UNITS),
        deadline_ms=(deadline_s - assembly_s) * MS_PER_SECOND,
        assembly_s=assembly_s,
        lots=tuple(lot for each in record["lots"] if (lot := _lot(each, work)) is not None),
        hourly=_hourly(record.get("hourly"), work),
        budget_cents=_number(record["budget_cents"]) if kind is CaseKind.LEAST_TIME else None,
    )


def _lot(lot: _Record, work: _Record) -> WorkLot | None:
    """Return the lot, or None where a card of it cannot hold the work or all of them hold no task."""
    terms = []
    for days, price in lot["prices"].items():
        length = _number(int(days), least=1, most=MOST_TERM_DAYS)
        terms.append(TermPrice(length, Decimal(_number(price))))
    stock, slots = _number(lot["stock"], most=MOST_STOCK), _slots(lot, lot["cards"], work)
    if slots < 1:
        return None
    return WorkLot(str(lot["id"]), slots, _unit_ms(lot, work), tuple(terms), stock, _setup_ms(work))


def _hourly(offer: _Record | None, work: _Record) -> WorkHourly | None:
    if offer is None:
        return None
    slots, rate = _slots(offer, offer["max_cards"], work), Decimal(_number(offer["cents_per_card_hour"]))
    if slots < 1:
        return None
    cards = work["cards"][offer["model"]]
    return WorkHourly(slots, cards, _unit_ms(offer, work), rate, Billing(STARTED_HOUR_S, 0), _setup_ms(work))


def _slots(offer: _Record, cards: object, work: _Record) -> int:
    """Return how many tasks the cards hold at once: 0 where the model or one card's own memory is not enough."""
    model, held, needed = offer["model"], _real(offer["mem_gb"]), _real(work["mem_gb"])
    if model not in work["unit_s"] or held < needed:
        return 0
    return _number(cards) // _number(work["cards"][model], least=1)


def _unit_ms(offer: _Record, work: _Record) -> int:
    return _number(work["unit_s"][offer["model"]], least=1) * MS_PER_SECOND


def _setup_ms(work: _Record) -> int:
    return _number(work["setup_s"]) * MS_PER_SECOND


def _answer(kind: CaseKind, answer: _Record | None) -> StatedAnswer | None:
    if answer is None:
        return None
    if not isinstance(answer["feasible"], bool):
        raise TypeError("feasible")
    if not answer["feasible"]:
        return StatedAnswer(False)
    if kind is CaseKind.LEAST_TIME:
        cost = _number(answer["cheapest_at_that_time_cents"])
        return StatedAnswer(True, cost, _number(answer["total_s"]))
    cost = _number(answer["cost_cents"])
    if kind is CaseKind.LEAST_COST:
        return StatedAnswer(True, cost)
    points = ((_number(one["cost_cents"]), _number(one["total_s"])) for one in answer["frontier"])
    return StatedAnswer(True, cost, frontier=tuple(points))


def _number(value: object, least: int = 0, most: int = LARGEST_NUMBER) -> int:
    """Return a whole number between the two. Raises TypeError or ValueError for what is none or too small."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("a whole number")
    if value > most:
        raise _OutOfBoundsError
    if value < least:
        raise ValueError(f"at least {least}")
    return value


def _real(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("a number")
    return value
