"""The plans of the Cost page as rows of a table, in groups, and what is said about them in words.

Reads an estimate; decides and prices nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeyEvent

from estimator.catalogue import HourlyOffer
from estimator.evidence import EvidenceKind
from estimator.problems import Absent
from estimator.quote import Pricing, Quote
from estimator.results.estimate import Estimate, Plan
from estimator.results.memory import Fit
from estimator.wording import Wording
from estimator.wording.answers import no_plan_reason
from estimator.wording.phrases import (
    amount_text,
    fit_text,
    hours_text,
    organisation_name,
    paid_text,
    plan_name,
    sample_word,
    total_head,
)
from ui.models.table import Column, Group
from ui.models.table_view import TableView
from ui.pages.changing_table import ChangingTableModel
from ui.pages.cost_views import currency_sign
from ui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex
WITHIN, LATE, OVER_BUDGET, OVER_QUOTA, SHORT = "within", "late", "over_budget", "over_quota", "short"
_NO_TOTAL = "no_total"


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One plan as text. `plan_id` is "" for an offer that cannot be used; `note` says why, or what is proven."""

    plan_id: str
    name: str
    cards: str = ""
    paid: str = ""
    delivery: str = ""
    net: str = ""
    gross: str = ""
    kind: EvidenceKind | None = None
    unused: str = ""
    shown: bool = False
    chosen: bool = False
    sample: bool = False
    muted: bool = False
    note: str = ""


def plan_rows(words: Wording, estimate: Estimate) -> tuple[PlanRow | Group, ...]:
    """Return the plans in groups: those within every limit first, what cannot be used last."""
    rows: list[PlanRow | Group] = []
    for key, title, members in grouped_plans(words, estimate):
        rows.append(Group(title))
        rows += [_row(words, estimate, plan, muted=key != WITHIN) for plan in members]
    excluded = tuple(_excluded(words, estimate))
    if excluded:
        rows += [Group(words.t("Not possible")), *excluded]
    return tuple(rows)


def grouped_plans(words: Wording, estimate: Estimate) -> list[tuple[str, str, list[Plan]]]:
    """Return (key, title, plans) of each group that has any, WITHIN first, the cheapest plan of a group first."""
    groups: dict[str, list[Plan]] = {}
    for plan in estimate.plans:
        groups.setdefault(_group_of(plan), []).append(plan)
    return [
        (key, title, sorted(groups[key], key=_order))
        for key, title in _titles(words, estimate.quote)
        if key in groups
    ]


def plan_columns(words: Wording, pricing: Pricing) -> tuple[Column[PlanRow], ...]:
    """Return the columns of the plans' table; amounts are in the currency of `pricing`."""

    def muted(row: PlanRow) -> str | None:
        return "muted" if row.muted else None

    def note(row: PlanRow) -> str:
        return row.note

    def shown(row: PlanRow) -> bool:
        return row.shown

    shown_currency = currency_sign(pricing.currency)
    return (
        Column(
            "",
            lambda row: "",
            icon=lambda row: None if not row.plan_id else "tick" if row.shown else "circle",
            color=lambda row: "accent" if row.shown else "muted",
        ),
        Column(
            words.t("Plan"),
            lambda row: row.name,
            bold=shown,
            color=muted,
            sample=lambda row: row.sample,
            tooltip=lambda row: f"{row.name}\n{row.note}".strip(),
        ),
        Column(words.t("Cards"), lambda row: row.cards, right=True, color=muted),
        Column(words.t("Paid"), lambda row: row.paid, right=True, color=muted, tooltip=note),
        Column(words.t("Delivery"), lambda row: row.delivery, right=True, color=muted),
        Column(words.t("Unused, h"), lambda row: row.unused, right=True, color=muted),
        Column(
            words.t("Net, {currency}", currency=shown_currency),
            lambda row: row.net,
            right=True,
            bold=shown,
            color=muted,
            tooltip=note,
        ),
        Column(
            total_head(words, pricing, shown_currency),
            lambda row: row.gross,
            right=True,
            color=muted,
            tooltip=note,
        ),
        Column(words.t("Evidence"), lambda row: "", evidence=lambda row: row.kind),
    )


def reasons_text(rows: tuple[PlanRow | Group, ...]) -> str:
    """Return one line for each offer that cannot be used, with its reason."""
    return "\n".join(
        f"{row.name}: {row.note}" for row in rows if isinstance(row, PlanRow) and not row.plan_id
    )


def choice_text(words: Wording, estimate: Estimate) -> str:
    """Return which plan is shown and why, and whether its lots are proven cheapest."""
    plan = estimate.shown_plan
    if plan is None:
        reason = no_plan_reason(estimate)
        if reason.code == "missing_rate":
            return words.absent(reason)
        return words.t("No plan yet: an offer with a price is missing.")
    name = plan_name(words, estimate.quote, plan)
    if estimate.quote.chosen_plan == plan.id:
        text = words.t("Shown: {plan}, as you chose.", plan=name)
    elif estimate.recommended_plan_id == plan.id:
        text = words.t("Shown: {plan}, recommended.", plan=name)
    elif estimate.recommended_plan_id:
        text = words.t("Shown: {plan}.", plan=name)
    else:
        text = words.t("Shown: {plan}. No plan is within every limit.", plan=name)
    proof = proof_text(words, plan)
    return f"{text} {proof}" if proof else text


def proof_text(words: Wording, plan: Plan) -> str:
    """Return whether the choice of lots and terms is proven cheapest; empty for cards by the hour."""
    if not any(holding.terms for holding in plan.holdings):
        return ""
    return words.t("Lots and terms proven cheapest.") if plan.proven else words.t("Not proven cheapest.")


class PlanTableModel(ChangingTableModel[PlanRow]):
    """The plans' model: the mark of the plan shown is spoken as a word."""

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.AccessibleTextRole and index.isValid() and index.column() == 0:
            row = self.row_at(index)
            if row is not None and row.plan_id:
                return self._words.t("Shown") if row.shown else self._words.t("Not shown")
        return super().data(index, role)


class PlanTable(TableView):
    """The plans' table: Space chooses the current row, as Enter and a double click do."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        current = self.currentIndex()
        if event.key() == Qt.Key.Key_Space and current.isValid() and not self._table.is_group(current.row()):
            self.opened.emit(self._table.source_row(current.row()))
            return
        super().keyPressEvent(event)


def plan_model(words: Wording, theme: Theme) -> PlanTableModel:
    """Return an empty model of plans."""
    return PlanTableModel(plan_columns(words, Pricing()), words, theme)


def _group_of(plan: Plan) -> str:
    if plan.verdict.fits is Fit.NO:
        return SHORT
    if plan.meets_limit is False:
        return LATE
    if plan.within_budget is False:
        return OVER_BUDGET
    if plan.within_quota is False:
        return OVER_QUOTA
    return _NO_TOTAL if isinstance(plan.price.net, Absent) else WITHIN


def _titles(words: Wording, quote: Quote) -> tuple[tuple[str, str], ...]:
    work = quote.workload
    limit = "" if work.limit is None or work.limit.ms is None else words.duration(work.limit.ms)
    budget = ""
    if work.budget is not None and work.budget.value is not None:
        budget = words.money(work.budget.value, quote.pricing.currency)
    quota = ""
    if work.quota_cards is not None and work.quota_cards.value is not None:
        quota = words.n("{count} card", "{count} cards", int(work.quota_cards.value))
    limits = ", ".join(part for part in (limit, budget, quota) if part)
    within = words.t("Within {limits}", limits=limits) if limits else words.t("Possible plans")
    return (
        (WITHIN, within),
        (LATE, words.t("Later than {limit}", limit=limit)),
        (OVER_BUDGET, words.t("Over the budget of {budget}", budget=budget)),
        (OVER_QUOTA, words.t("Over the quota of {cards}", cards=quota)),
        (_NO_TOTAL, words.t("No total: a price or a rate is missing")),
        (SHORT, words.t("The task does not fit")),
    )


def _order(plan: Plan) -> tuple[bool, Decimal, int, int, str]:
    net = plan.price.net
    known = Decimal(0) if isinstance(net, Absent) else net
    return (isinstance(net, Absent), known, plan.decision.cards, plan.timing.delivery_ms, plan.id)


def _row(words: Wording, estimate: Estimate, plan: Plan, *, muted: bool) -> PlanRow:
    name = plan_name(words, estimate.quote, plan)
    tag = f" {sample_word(words)}"
    # The tag is drawn beside the name; a mix of several offers keeps it in words, each beside its own.
    drawn = name.endswith(tag) and name.count(tag) == 1
    notes = [fit_text(words, plan.verdict), proof_text(words, plan)]
    if isinstance(plan.price.net, Absent):
        notes.append(words.absent(plan.price.net))
    return PlanRow(
        plan.id,
        name.removesuffix(tag) if drawn else name,
        words.number(plan.decision.cards),
        paid_text(words, plan),
        words.duration(plan.timing.delivery_ms),
        amount_text(words, plan.price.net, plan.price.currency),
        amount_text(words, plan.price.gross, plan.price.currency),
        None if isinstance(plan.price.gross, Absent) else plan.kind,
        hours_text(words, plan.unused_card_ms),
        shown=plan.id == estimate.shown_plan_id,
        chosen=plan.id == estimate.quote.chosen_plan,
        sample=drawn,
        muted=muted,
        note=". ".join(one.rstrip(".") for one in notes if one),
    )


def _excluded(words: Wording, estimate: Estimate) -> Iterator[PlanRow]:
    quote = estimate.quote
    for result in estimate.organisations:
        organisation = quote.organisation(result.organisation_id)
        name = result.organisation_id if organisation is None else organisation_name(organisation)
        for key, reason in result.excluded:
            offer = quote.offer(key)
            what = key if offer is None else offer.name
            if isinstance(offer, HourlyOffer):
                what = words.t("{offer} by the hour", offer=offer.name)
            yield PlanRow(
                "",
                f"{name} · {what}",
                paid=words.t("excluded"),
                muted=True,
                note=words.absent(reason),
            )
