"""The fits of a known model over every card model: headroom, least cards, largest batch and context, in words.

A limit is shown as a span where the ranges leave room: certain up to the first number, at the values used up to
the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache

from estimator.catalogue import Card, Catalogue
from estimator.plan.fitting import ModelFit, Reach, fits_table
from estimator.plan.memory import overheads_of
from estimator.plan.model_kinds import ModelKind, model_kind
from estimator.quote import GenerationRecipe, ModelUse, Organisation, Quote, slice_of, slicings_of
from estimator.wording import Wording
from estimator.wording.phrases import fit_short
from ui.models.table import Column, Group
from ui.pages.memory_model_edits import use_of
from ui.pages.memory_rows import Verdict, capital, verdict_columns


def fit_columns(words: Wording, quote: Quote, stage_id: str) -> tuple[Column[Verdict], ...]:
    """Return the columns of a model's fits: card, usable, answer, and the limits that its recipe has."""
    use = use_of(quote, stage_id)
    least = words.t("Cards, min.")
    batch, context = _limit_headers(words, use)
    name, usable, _, whole = verdict_columns(words)  # the peak is the same on every card
    answer = replace(whole, text=lambda row: capital(fit_short(words, row.verdict)))
    nowhere = words.t("No legal number of cards is enough.")
    not_one = words.t("Not even one fits.")
    columns = (
        name,
        usable,
        answer,
        _limit_column(words, least, lambda fit: fit.least_cards, least_text, nowhere),
        _limit_column(words, batch, lambda fit: fit.largest_batch, most_text, not_one),
    )
    if not context:
        return columns
    return (*columns, _limit_column(words, context, lambda fit: fit.largest_context, most_text, not_one))


def _limit_headers(words: Wording, use: ModelUse | None) -> tuple[str, str]:
    """Return what the largest batch and the largest context of a recipe are called; "" for one that it has not."""
    kind = None if use is None else model_kind(use.source)
    if kind is ModelKind.IMAGES:
        return words.t("Images, max."), words.t("Side, max., px")
    if kind is ModelKind.VISION:
        return words.t("Images, max."), ""
    if kind is ModelKind.SPEECH:
        return words.t("Windows, max."), words.t("Text, max.")
    if use is not None and isinstance(use.recipe, GenerationRecipe):
        return words.t("Requests, max."), words.t("Context, max.")
    return words.t("Batch, max."), words.t("Length, max.")


def fit_rows(
    words: Wording, quote: Quote, stage_id: str, organisation: Organisation, catalogue: Catalogue
) -> tuple[Verdict | Group, ...]:
    """Return the quote's cards and then the catalogue's others, each with its fit for the stage's model."""
    stage, use = quote.workload.stage(stage_id), use_of(quote, stage_id)
    if stage is None or use is None:
        return ()
    layout = organisation.layout(stage_id)
    own = {card.id for card in quote.cards}
    others = tuple(card for card in catalogue.cards if card.id not in own)
    of_quote = _seen(organisation, quote.cards)
    of_catalogue = _seen(organisation, others)
    slices: tuple[Card, ...] = ()
    if organisation.slicing is None and layout.cards_per_task == 1:
        found = (slicing.of(card) for card, slicing in slicings_of(quote.cards, catalogue))
        slices = tuple(one for one in found if one is not None)
    cards = (*of_quote, *of_catalogue, *slices)
    fits = _fits(use, layout.division, overheads_of(stage.memory), cards, layout.cards_per_task)
    rows = [Verdict(card, fit.verdict, fit) for card, fit in zip(cards, fits, strict=True)]
    result: list[Verdict | Group] = []
    first, last = len(of_quote), len(of_quote) + len(of_catalogue)
    if organisation.slicing is not None:
        rows = [_on_slices(row) for row in rows]
    for title, part in (
        (words.t("Cards of this quote"), rows[:first]),
        (words.t("Cards of the catalogue"), rows[first:last]),
        (words.t("Slices of this quote's cards"), [_on_slices(row) for row in rows[last:]]),
    ):
        if part:
            result += [Group(title), *part]
    return tuple(result)


def _seen(organisation: Organisation, cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return the cards as a task of the organisation has them; those that give no such slice are left out."""
    found = (slice_of(organisation.slicing, card) for card in cards)
    return tuple(card for card in found if card is not None)


def _on_slices(row: Verdict) -> Verdict:
    """Return the row without a least number above one: a model is not spread over slices."""
    if row.fit is None:
        return row
    least = row.fit.least_cards
    alone = Reach(*(one if one == 1 else None for one in (least.used, least.sure)))
    return replace(row, fit=replace(row.fit, least_cards=alone))


def least_text(words: Wording, reach: Reach) -> str:
    """Return the least number of cards: "4", "2 to 4" where only 4 is certain, "2 or more" where nothing is."""
    if reach.used is None:
        return words.unknown
    if reach.sure is None:
        return words.t("{count} or more", count=words.number(reach.used))
    return words.span(reach.used, reach.sure)


def most_text(words: Wording, reach: Reach) -> str:
    """Return how far a size goes: "6", "4 to 6" where 4 is certain, "0 to 6" where nothing is."""
    return words.unknown if reach.used is None else words.span(reach.sure or 0, reach.used)


_fits = lru_cache(maxsize=8)(fits_table)
"""The page is shown again for each estimate of a quote; the fits depend on one stage of it alone."""


def _limit_column(
    words: Wording,
    header: str,
    of: Callable[[ModelFit], Reach],
    text: Callable[[Wording, Reach], str],
    none: str,
) -> Column[Verdict]:
    """Return the column of one limit; `none` says what a blank means."""

    def reach(row: Verdict) -> Reach:
        return Reach() if row.fit is None else of(row.fit)

    def tip(row: Verdict) -> str:
        found = reach(row)
        if found.used is None:
            return none
        used = words.number(found.used)
        if found.sure is None:
            return words.t("{used} at the values used, none for certain", used=used)
        return words.t(
            "{used} at the values used, {sure} for certain", used=used, sure=words.number(found.sure)
        )

    return Column(
        header,
        lambda row: text(words, reach(row)),
        right=True,
        sort_key=lambda row: reach(row).used,
        tooltip=tip,
    )
