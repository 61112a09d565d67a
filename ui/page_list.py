"""The eight pages in the method's order: the module and class of each, and what they are called."""

from __future__ import annotations

from estimator.wording import Wording

PAGES = (
    ("ui.pages.work", "WorkPage"),
    ("ui.pages.organisations", "OrganisationsPage"),
    ("ui.pages.memory", "MemoryPage"),
    ("ui.pages.cards", "CardsPage"),
    ("ui.pages.schedule", "SchedulePage"),
    ("ui.pages.cost", "CostPage"),
    ("ui.pages.conditions", "ConditionsPage"),
    ("ui.pages.quote_page", "QuotePage"),
)


def page_names(words: Wording) -> tuple[str, ...]:
    """Return the names of the eight pages in the method's order."""
    return (
        words.t("Work"),
        words.t("Organisations"),
        words.t("Memory"),
        words.t("Cards and lots"),
        words.t("Schedule"),
        words.t("Cost"),
        words.t("Conditions"),
        words.t("Quote"),
    )
