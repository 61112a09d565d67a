"""The points of the Cost page's frontier as rows: every priced plan, and the choices of lots that no plan holds."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from estimator.plan.rental_study import price_with_rent
from estimator.problems import Absent
from estimator.results.estimate import Estimate, FrontierPoint
from estimator.wording import Wording
from estimator.wording.phrases import plan_name, sample_word
from estimator.wording.rent import point_text
from ui.pages.cost_views import plan_label


@dataclass(frozen=True, slots=True)
class PointRow:
    """A point with its texts; `cost` is what stands on the axis: net, or with tax where a budget is given.

    `plan_id` is "" for a choice of the rent's frontier that is no plan; `holds` then says what it holds.
    """

    plan_id: str
    name: str
    label: str
    delivery_ms: int
    delivery: str
    cost: Decimal
    cost_text: str
    dominated: bool
    shown: bool
    standing: str
    holds: str = ""


def point_rows(words: Wording, estimate: Estimate) -> tuple[PointRow, ...]:
    """Return the points of the frontier, earliest first."""
    rows = []
    for point in estimate.frontier:
        plan = estimate.plan(point.plan_id)
        cost = _cost(estimate, point)
        if plan is None or cost is None:
            continue
        shown = point.plan_id == estimate.shown_plan_id
        standing = words.t("dominated") if point.dominated else words.t("on the frontier")
        rows.append(
            PointRow(
                point.plan_id,
                plan_name(words, estimate.quote, plan),
                plan_label(words, estimate.quote, plan),
                point.delivery_ms,
                words.duration(point.delivery_ms),
                cost,
                words.money(cost, plan.price.currency, symbol=False),
                point.dominated,
                shown,
                words.t("{standing}, shown", standing=standing) if shown else standing,
            )
        )
    return tuple(rows)


def choice_rows(words: Wording, estimate: Estimate) -> tuple[PointRow, ...]:
    """Return the choices of the rent's frontier that no plan holds, with the fees of the plan shown."""
    study, shown, quote = estimate.rental, estimate.shown_plan, estimate.quote
    if study is None or shown is None or isinstance(study.frontier, Absent):
        return ()
    plans = {frozenset(plan.decision.holdings) for plan in estimate.plans}
    rows = []
    for point in study.frontier:
        held = frozenset((*point.lots, *((offer_id, cards, ()) for offer_id, cards in point.hourly)))
        cost = price_with_rent(quote, shown, point.rent, gross=budget_of(estimate) is not None)
        offers = [quote.offer(str(offer_id)) for offer_id, *_ in held]
        foreign = any(offer is None or offer.currency != quote.pricing.currency for offer in offers)
        if held in plans or cost is None or cost <= 0 or foreign:
            continue
        holds = point_text(words, quote, point)
        money = words.money(cost, quote.pricing.currency)
        proof = words.t("proven") if point.proven else words.t("not proven")
        sentence = words.t(
            "{holds}: about {money} with the fees of the plan shown, delivered in {delivery}; {proof}. "
            "No organisation here rents it.",
            holds=holds,
            money=money,
            delivery=words.duration(point.delivery_ms),
            proof=proof,
        )
        if not point.timed:
            sentence += " " + words.t("Times are from the work's total: its schedule may need more cards.")
        cards = words.t("choice of lots")
        if any(offer is not None and offer.sample for offer in offers):
            cards += f" {sample_word(words)}"
        rows.append(
            PointRow(
                *("", holds, cards, point.delivery_ms, words.duration(point.delivery_ms), cost),
                words.t("≈ {amount}", amount=words.money(cost, quote.pricing.currency, symbol=False)),
                *(False, False, words.t("no plan here, {proof}", proof=proof), sentence),
            )
        )
    return tuple(rows)


def budget_of(estimate: Estimate) -> Decimal | None:
    """Return the budget, None without one: then costs stand net."""
    budget = estimate.quote.workload.budget
    return None if budget is None else budget.value


def _cost(estimate: Estimate, point: FrontierPoint) -> Decimal | None:
    """Return what stands on the axis: net; with tax where a budget is given, which is compared with it."""
    if budget_of(estimate) is None:
        return point.net
    plan = estimate.plan(point.plan_id)
    return None if plan is None or isinstance(plan.price.gross, Absent) else plan.price.gross
