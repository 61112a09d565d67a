"""Issuing a quote: the figures of the answer frozen into the document, and what differs from them later.

A revision is never changed once it is issued. What the figures look like as text is not decided here.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal

from estimator.problems import Absent
from estimator.quote import ConditionState, Quote
from estimator.quote.issue import Issue, IssuedFigures, IssuedLine
from estimator.results.estimate import Estimate, Timing

MOST_LINES = 200
FIGURES: tuple[str, ...] = (
    *("status", "organisation", "plan", "cards", "card", "peak_bytes", "usable_bytes", "delivery_ms"),
    *("currency", "net", "tax", "gross", "open_conditions", "decisive_conditions"),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure that is not as it was issued. `name`: a field of `IssuedFigures`, or "line" with the line's name."""

    name: str
    before: object
    after: object
    line: str = ""


def why_not(quote: Quote, estimate: Estimate) -> Absent | None:
    """Return why the quote cannot be issued, or None: it needs a number, a customer and a priced answer."""
    if not quote.number.strip():
        return Absent("issue_without_number", ("number",))
    if not quote.customer.name.strip():
        return Absent("issue_without_customer", ("customer",))
    plan = estimate.shown_plan
    if plan is None or isinstance(plan.price.gross, Absent):
        return Absent("issue_without_answer", ("chosen_plan",))
    return None


def issued(quote: Quote, figures: IssuedFigures, day: dt.date) -> Quote:
    """Return the quote with a revision more, dated `day`; the document's date and revision become its own."""
    revision = next_revision(quote)
    issue = Issue(
        number=quote.number,
        revision=revision,
        issued=day,
        expires=day + dt.timedelta(days=quote.valid_days),
        figures=figures,
    )
    return quote.replaced(issues=(*quote.issues, issue), revision=revision, date=day)


def next_revision(quote: Quote) -> int:
    """Return the revision that the next issue has: 0 first, then one more than the last under the same number."""
    known = [one.revision for one in quote.issues if one.number == quote.number]
    return max(known) + 1 if known else 0


def figures_of(estimate: Estimate) -> IssuedFigures:
    """Return the answer's figures as they would be issued."""
    shown, plan = estimate.shown, estimate.shown_plan
    quote = estimate.quote
    timing = None if shown is None else shown.timing
    peaks = (
        [] if shown is None else [stage.worst.peak_bytes for stage in shown.memory if stage.worst is not None]
    )
    whole = shown is not None and not any(stage.missing for stage in shown.memory)
    cards = [] if plan is None else [quote.card(card_id) for card_id in plan.decision.card_ids]
    organisation = None if shown is None else quote.organisation(shown.organisation_id)
    waiting = [one for one in estimate.conditions if one.state is ConditionState.OPEN]
    price = None if plan is None else plan.price
    return IssuedFigures(
        status=estimate.status.value,
        organisation="" if organisation is None else organisation.name or organisation.id,
        plan="" if plan is None else plan.id,
        cards=timing.cards if isinstance(timing, Timing) else None,
        card=" + ".join(one.name for one in cards if one is not None),
        peak_bytes=max(peaks) if peaks and whole else None,
        usable_bytes=None if plan is None else plan.verdict.usable_bytes,
        delivery_ms=timing.delivery_ms if isinstance(timing, Timing) else None,
        currency=quote.pricing.currency,
        net=None if price is None else _known(price.net),
        tax=None if price is None else _known(price.tax),
        gross=None if price is None else _known(price.gross),
        open_conditions=len(waiting),
        decisive_conditions=sum(one.decisive for one in waiting),
        lines=()
        if price is None
        else tuple(
            IssuedLine(name=_line_name(line.id, line.values), amount=_known(line.amount))
            for line in price.lines[:MOST_LINES]
        ),
    )


def differences(before: IssuedFigures, after: IssuedFigures) -> tuple[Difference, ...]:
    """Return what is not as it was, in the order of `FIGURES`, then the price lines by name."""
    found = [
        Difference(name, getattr(before, name), getattr(after, name))
        for name in FIGURES
        if getattr(before, name) != getattr(after, name)
    ]
    was = {line.name: line.amount for line in before.lines}
    now = {line.name: line.amount for line in after.lines}
    for name in dict.fromkeys((*was, *now)):
        if was.get(name) != now.get(name):
            found.append(Difference("line", was.get(name), now.get(name), name))
    return tuple(found)


def _line_name(identity: str, values: tuple[tuple[str, object], ...]) -> str:
    known = dict(values)
    return str(known.get("offer") or known.get("name") or identity.partition(":")[2] or identity)


def _known(amount: Decimal | Absent | None) -> Decimal | None:
    return amount if isinstance(amount, Decimal) else None
