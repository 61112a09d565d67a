"""What was issued, as text: each figure's name and value, and how it differs from another revision or from now."""

from __future__ import annotations

from decimal import Decimal

from estimator.issuing import FIGURES, Difference
from estimator.quote.issue import Issue, IssuedFigures
from estimator.results.estimate import QuoteStatus
from estimator.wording.wording import Wording

COMPARED = tuple(name for name in FIGURES if name not in ("currency", "plan"))


def issue_name(words: Wording, issue: Issue) -> str:
    """Return "2026-0117, revision 1"."""
    number = words.number(issue.revision)
    return words.t("{number}, revision {revision}", number=issue.number, revision=number)


def issue_text(words: Wording, issue: Issue) -> str:
    """Return as what, when and until when it was issued."""
    return words.t(
        "Issued as {name} on {date}, valid until {expires}.",
        name=issue_name(words, issue),
        date=words.date(issue.issued),
        expires=words.date(issue.expires),
    )


def figure_name(words: Wording, name: str) -> str:
    """Return the name of a field of `IssuedFigures`."""
    match name:
        case "status":
            return words.t("Status")
        case "organisation":
            return words.t("Organisation")
        case "plan":
            return words.t("Plan")
        case "cards":
            return words.t("Cards required")
        case "card":
            return words.t("Card model")
        case "peak_bytes":
            return words.t("Worst card, peak")
        case "usable_bytes":
            return words.t("Usable memory")
        case "delivery_ms":
            return words.t("Delivery")
        case "currency":
            return words.t("Currency")
        case "net":
            return words.t("Net")
        case "tax":
            return words.t("Tax")
        case "gross":
            return words.t("Total")
        case "open_conditions":
            return words.t("Open conditions")
    return words.t("Open decisive conditions")


def figure_text(words: Wording, figures: IssuedFigures, name: str) -> str:
    """Return the value of one figure; "—" where it was not known."""
    value = getattr(figures, name)
    if name == "status":
        return words.word(QuoteStatus(value))
    if value is None or value == "":
        return words.unknown
    if name in ("peak_bytes", "usable_bytes"):
        return words.memory(value, 2)
    if name == "delivery_ms":
        return words.duration(value)
    if isinstance(value, Decimal):
        return words.money(value, figures.currency)
    return words.number(value) if isinstance(value, int) else str(value)


def difference_text(
    words: Wording, difference: Difference, before: IssuedFigures, after: IssuedFigures
) -> str:
    """Return "Delivery: 58 min → 64 min"."""
    if difference.name == "line":
        name = difference.line
        texts = [
            words.money(one, figures.currency) if isinstance(one, Decimal) else words.t("Not included")
            for one, figures in ((difference.before, before), (difference.after, after))
        ]
    else:
        name = figure_name(words, difference.name)
        texts = [figure_text(words, figures, difference.name) for figures in (before, after)]
    return words.t("{name}: {before} → {after}", name=name, before=texts[0], after=texts[1])
