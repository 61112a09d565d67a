"""From the three answers of the start page to a first quote, its names in the window's language. No widgets."""

from __future__ import annotations

from dataclasses import dataclass

from estimator import edits
from estimator.quote import Independence, Quote, ResourceKind
from estimator.wording import Wording
from ui.pages.work_edits import with_shared


@dataclass(frozen=True, slots=True)
class FirstAnswers:
    """What is computed and how many, whether each unit alone, and what is shared or assembled.

    `unit` may be empty and `count` None: the quote says what is missing.
    """

    unit: str = ""
    count: int | None = None
    independence: Independence = Independence.INDEPENDENT
    assembly: bool = True
    licences: bool = False
    storage: bool = False
    link: bool = False


def quote_from(answers: FirstAnswers, words: Wording, currency: str = "EUR") -> Quote:
    """Return the first quote: computation, assembly where ticked, gate; organisations A and B; open fees."""
    unit = answers.unit.strip()
    quote = edits.new_quote(
        unit=unit,
        count=answers.count,
        stage_name=unit[:1].upper() + unit[1:] or words.t("Computation"),
        independence=answers.independence,
        assembly_name=words.t("Assembly") if answers.assembly else "",
        gate_name=words.t("Batch accepted"),
        station_name=words.t("Assembly station"),
        language=words.language.value,
        number_format=words.number_format.value,
        currency=currency,
    )
    for wanted, kind in (
        (answers.storage, ResourceKind.STORAGE),
        (answers.licences, ResourceKind.LICENCE),
        (answers.link, ResourceKind.LINK),
    ):
        if wanted:
            quote = with_shared(quote, kind, resource_name(kind, words), resource_unit(kind))
    return quote


def resource_name(kind: ResourceKind, words: Wording) -> str:
    """Return the name that a shared resource has until somebody gives it another."""
    if kind is ResourceKind.STORAGE:
        return words.t("Storage")
    if kind is ResourceKind.LICENCE:
        return words.t("Licences")
    if kind is ResourceKind.LINK:
        return words.t("Link between cards")
    return words.t("Assembly station")


def resource_unit(kind: ResourceKind) -> str:
    """Return the unit of a capacity of that kind; licences and stations are counted."""
    return {ResourceKind.STORAGE: "MB/s", ResourceKind.LINK: "GB/s"}.get(kind, "")
