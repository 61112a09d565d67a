"""Chances and turning points in words: never more certain than they are."""

from __future__ import annotations

from decimal import Decimal

from estimator.evidence import EvidenceKind
from estimator.results.risk import Assumption, Turn, WhyDecisive
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.certainty import chance_text, holds_text

WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)


def minutes(*turns: tuple[str, str], value: str | None = "12") -> Assumption:
    return Assumption(
        id="duration",
        where=("workload", "stages", "one", "duration"),
        kind=EvidenceKind.ASSUMED,
        why=WhyDecisive.END,
        unit="min",
        value=None if value is None else Decimal(value),
        turns=tuple(Turn(Decimal(inside), Decimal(outside)) for inside, outside in turns),
    )


def test_the_range_that_holds_is_rounded_towards_the_value_used() -> None:
    assert holds_text(WORDS, minutes(("10.015625", "10"), ("16.66666", "16.67187"))) == "10.02 to 16.66 min"
    assert holds_text(WORDS, minutes(("16.66666", "16.67187"))) == "≤ 16.66 min"
    assert holds_text(WORDS, minutes(("10.015625", "10"))) == "≥ 10.02 min"


def test_of_several_turns_the_nearest_to_the_value_count() -> None:
    turns = (("9", "8.9"), ("11", "10.9"), ("13", "13.1"), ("15", "15.1"))
    assert holds_text(WORDS, minutes(*turns)) == "11 to 13 min"


def test_large_numbers_keep_their_whole_digits() -> None:
    assert holds_text(WORDS, minutes(("123456.7", "123456.8"), value="100000")) == "≤ 123,456 min"


def test_nothing_is_said_where_nothing_turns_or_there_is_no_value() -> None:
    assert holds_text(WORDS, minutes()) == ""
    assert holds_text(WORDS, minutes(("10", "9"), value=None)) == ""


def test_a_chance_that_rounds_to_none_is_said_to_be_small_and_never_zero() -> None:
    assert chance_text(WORDS, 0.0004) == f"under {WORDS.percent(Decimal('0.1'), 1)}"
    assert chance_text(WORDS, 0.0) == WORDS.percent(Decimal(0), 1)
