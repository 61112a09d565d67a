"""What makes a quote provisional, firm or failed, and which conditions a plan derives."""

from __future__ import annotations

import datetime as dt

from estimator.edits import with_condition, with_offer_fields
from estimator.estimate import estimate
from estimator.quote import AssignmentPolicy, ConditionRecord, ConditionState, Quote
from estimator.results.estimate import Condition, Estimate, QuoteStatus
from tests.quotes import TODAY, organisation, source_quote


def conditions(quote: Quote, today: dt.date = TODAY) -> dict[str, Condition]:
    return {one.id: one for one in estimate(quote, today).conditions}


def settled(quote: Quote, result: Estimate, state: ConditionState = ConditionState.MET) -> Quote:
    for one in result.conditions:
        quote = with_condition(quote, ConditionRecord(id=one.id, state=state))
    return quote


def test_a_quote_is_firm_once_every_decisive_condition_is_met() -> None:
    quote = source_quote()
    result = estimate(quote, TODAY)
    assert result.status is QuoteStatus.PROVISIONAL
    assert estimate(settled(quote, result), TODAY).status is QuoteStatus.FIRM


def test_one_failed_condition_fails_the_quote() -> None:
    quote = source_quote()
    failed = with_condition(quote, ConditionRecord(id="slow_down", state=ConditionState.FAILED))
    assert estimate(failed, TODAY).status is QuoteStatus.FAILED


def test_an_open_condition_that_is_not_decisive_leaves_the_quote_firm() -> None:
    quote = source_quote()
    result = estimate(quote, TODAY)
    firm = settled(quote, result)
    reopened = with_condition(firm, ConditionRecord(id="duration:assembly"))
    assert not conditions(reopened)["duration:assembly"].decisive
    assert estimate(reopened, TODAY).status is QuoteStatus.FIRM


def test_decisive_is_ticked_by_hand() -> None:
    quote = with_condition(source_quote(), ConditionRecord(id="duration:assembly", decisive=True))
    assert conditions(quote)["duration:assembly"].decisive


def test_an_undated_price_is_decisive_even_if_it_is_unticked() -> None:
    quote = with_condition(source_quote(), ConditionRecord(id="price:hivenet", decisive=False))
    found = conditions(quote)["price:hivenet"]
    assert found.code == "price_undated"
    assert found.decisive


def test_a_price_older_than_the_quotes_limit_is_a_decisive_condition() -> None:
    quote = with_offer_fields(source_quote(), "hivenet", price_date=dt.date(2026, 10, 31))
    # 30 days old on 30 November: still within the limit; 31 a day later
    assert "price:hivenet" not in conditions(quote)
    assert conditions(quote, dt.date(2026, 12, 1))["price:hivenet"].code == "price_old"


def test_a_sample_price_keeps_the_quote_provisional() -> None:
    quote = source_quote().replaced(chosen_plan="B/lots:b200-sxm")
    assert conditions(quote)["price:lot-b200"].code == "price_sample"


def test_availability_needs_an_assignment_mechanism() -> None:
    policy = AssignmentPolicy.AVAILABILITY
    quote = source_quote(organisations=(organisation("A", 1), organisation("B", 2, policy)))
    assert "assignment:B" in conditions(quote)
    assert "assignment:B" not in conditions(source_quote())


def test_a_planners_own_condition_stands_beside_the_derived_ones() -> None:
    record = ConditionRecord(id="own-1", text="The customer opens the firewall", decisive=True)
    found = conditions(with_condition(source_quote(), record))["own-1"]
    assert (found.text, found.decisive) == ("The customer opens the firewall", True)


def test_open_conditions_come_decisive_first() -> None:
    decisive = [one.decisive for one in estimate(source_quote(), TODAY).open_conditions]
    assert decisive == sorted(decisive, reverse=True)
