"""The three ways to have cards compared - lots, by the hour, own - as texts for every face."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from estimator.problems import Absent
from estimator.results.estimate import Estimate
from estimator.results.rental import WayColumn
from estimator.wording.phrases import amount_text
from estimator.wording.wording import Wording


@dataclass(frozen=True, slots=True)
class WayRow:
    """One figure of the comparison: a text for each way, and why where one is not known."""

    name: str
    figures: tuple[str, ...]
    reasons: tuple[str, ...]


def way_rows(words: Wording, estimate: Estimate) -> tuple[WayRow, ...]:
    """Return this work, a card's hour, and one card over each term, in the order of the ways."""
    study = estimate.rental
    if study is None:
        return ()
    currency = estimate.quote.pricing.currency
    days = [each for each, _ in next((one.terms for one in study.ways if one.terms), ())]
    rows = [
        _row(words, currency, words.t("This work"), [one.cost for one in study.ways]),
        _row(words, currency, words.t("Per card and hour in use"), [one.per_card_hour for one in study.ways]),
    ]
    for each in days:
        name = words.n("One card, {count} day", "One card, {count} days", each)
        rows.append(_row(words, currency, name, [_over(one, each) for one in study.ways]))
    return tuple(rows)


def _row(words: Wording, currency: str, name: str, costs: list[Decimal | Absent]) -> WayRow:
    return WayRow(
        name,
        tuple(amount_text(words, cost, currency) for cost in costs),
        tuple(words.absent(cost) if isinstance(cost, Absent) else "" for cost in costs),
    )


def _over(way: WayColumn, days: int) -> Decimal | Absent:
    known = dict(way.terms).get(days)
    if known is not None:
        return known
    return way.cost if isinstance(way.cost, Absent) else Absent("no_plan_of_this_way")
