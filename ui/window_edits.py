"""Edits that the menus and the strip make, each one undo step with its label."""

from __future__ import annotations

from estimator.edits import added_organisation, added_stage, new_quote
from estimator.quote import Quote, StageKind
from estimator.wording import Wording
from ui.session import Session


def blank_quote(words: Wording) -> Quote:
    """Return a quote with a computation, an assembly and a gate, nothing stated yet."""
    return new_quote(
        unit="",
        count=None,
        stage_name=words.t("Computation"),
        assembly_name=words.t("Assembly"),
        gate_name=words.t("Batch accepted"),
        station_name=words.t("Assembly station"),
        language=words.language.value,
        number_format=words.number_format.value,
    )


def add_organisation(session: Session, words: Wording) -> None:
    """Add an organisation whose tasks at once are as the limit allows."""
    session.edit(words.t("add an organisation"), lambda quote: added_organisation(quote, None))


def add_stage(session: Session, words: Wording) -> None:
    """Add a stage of independent tasks after the last one."""
    name = words.t("New stage")
    session.edit(words.t("add a stage"), lambda quote: added_stage(quote, StageKind.INDEPENDENT, name))


def choose_organisation(session: Session, words: Wording, organisation_id: str) -> None:
    """Show an organisation with the best of its plans."""
    estimate = session.estimate
    result = None if estimate is None else estimate.organisation(organisation_id)
    plan = organisation_id if result is None or not result.best_plan_id else result.best_plan_id
    session.edit(words.t("choose an organisation"), lambda quote: quote.replaced(chosen_plan=plan))
