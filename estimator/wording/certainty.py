"""How sure a quote is, in words: chances, the places of its numbers, what a range does to the plan."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from estimator.problems import Absent
from estimator.quote import Quote
from estimator.results.risk import Assumption, Spread
from estimator.wording.phrases import amount_text, names_of
from estimator.wording.wording import Wording

_LEAST_SHOWN = 0.001
_TURN_DIGITS = 4


def chance_text(words: Wording, chance: float) -> str:
    """Return a chance as a percentage with one decimal; one that rounds to none is said to be below 0.1 %."""
    if 0 < chance < _LEAST_SHOWN:
        return words.t("under {chance}", chance=words.percent(Decimal("0.1"), 1))
    return words.percent(round(Decimal(repr(chance)) * 100, 1), 1)


def chances(words: Wording, spread: Spread) -> tuple[tuple[str, str], ...]:
    """Return what may be outrun and its chance, without what has no limit."""
    found = (
        (words.t("Chance to outrun the terms"), spread.beyond_terms),
        (words.t("Chance to miss the limit"), spread.beyond_limit),
        (words.t("Chance to exceed the budget"), spread.beyond_budget),
    )
    return tuple((name, chance_text(words, chance)) for name, chance in found if chance is not None)


def assumption_name(words: Wording, quote: Quote, one: Assumption) -> str:
    """Return where the number stands, without the word that every place of the work begins with."""
    where = one.where[1:] if one.where[:1] == ("workload",) else one.where
    return words.place(where, names_of(words, quote))


def range_text(words: Wording, one: Assumption) -> str:
    """Return "9 to 18 min", "" where there is no range."""
    if one.low is None or one.high is None:
        return ""
    span = words.span(_short(one.low.value), _short(one.high.value))
    return f"{span} {one.unit}".rstrip()


def holds_text(words: Wording, one: Assumption) -> str:
    """Return as far as which value the decision stays: "10.02 to 16.67", "≤ 23.95 GiB", "" where nothing turns it.

    Four digits, rounded towards the value used.
    """
    if one.value is None:
        return ""
    above = [turn.inside for turn in one.turns if turn.outside > turn.inside >= one.value]
    below = [turn.inside for turn in one.turns if turn.outside < turn.inside <= one.value]
    if above and below:
        text = words.span(_inside(max(below), ROUND_CEILING), _inside(min(above), ROUND_FLOOR))
    elif above:
        text = f"≤ {words.number(_inside(min(above), ROUND_FLOOR))}"
    elif below:
        text = f"≥ {words.number(_inside(max(below), ROUND_CEILING))}"
    else:
        return ""
    return f"{text} {one.unit}".rstrip()


def worth_text(words: Wording, quote: Quote, one: Assumption) -> str:
    """Return what verifying the number is worth, "" where it has no range."""
    if one.worth is None:
        return ""
    worth: Decimal | Absent = one.worth
    return amount_text(words, worth, quote.pricing.currency, symbol=True)


def _inside(value: Decimal, rounding: str) -> Decimal:
    step = Decimal(1).scaleb(min(0, value.adjusted() - _TURN_DIGITS + 1))
    return value.quantize(step, rounding)


def _short(value: Decimal) -> Decimal:
    return round(value, 3)
