"""Edits return another quote, keep the first as it was, and refuse what is impossible."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pydantic import ValidationError

from estimator import edits
from estimator.evidence import Evidence
from estimator.quote import Independence, ResourceKind, StageKind
from tests.quotes import LOT_B200, source_quote


def test_an_edit_leaves_the_quote_before_it_as_it_was() -> None:
    before = source_quote()
    after = edits.with_equal_tasks(before, "conversion", duration=Decimal(15))
    assert before.workload.stages[0].tasks.duration == (Decimal(12),)
    assert after.workload.stages[0].tasks.duration == (Decimal(15),)
    assert after.workload.stages[1] is before.workload.stages[1]


@pytest.mark.parametrize("count", [0, -1])
def test_a_count_below_one_is_refused(count: int) -> None:
    with pytest.raises(ValidationError):
        edits.with_tasks(source_quote(), "conversion", count=(count,))


def test_a_negative_duration_is_refused() -> None:
    with pytest.raises(ValidationError):
        edits.with_equal_tasks(source_quote(), "conversion", duration=Decimal(-12))


def test_removing_a_stage_joins_those_around_it() -> None:
    quote = edits.without_stage(source_quote(), "assembly")
    assert [stage.id for stage in quote.workload.stages] == ["conversion", "acceptance"]
    assert quote.workload.stages[1].after == ("conversion",)


def test_removing_the_chosen_organisation_forgets_the_choice() -> None:
    quote = edits.without_organisation(source_quote().replaced(chosen_plan="B/hourly:hivenet"), "B")
    assert quote.chosen_plan == ""
    assert edits.without_organisation(source_quote(), "A").reference_id == "B"


def test_removing_an_offer_takes_its_card_where_nothing_else_names_it() -> None:
    quote = edits.without_offer(source_quote(), "lot-b200")
    assert [card.id for card in quote.cards] == ["rtx-4090"]
    again = edits.with_offer(quote, LOT_B200, source_quote().card("b200-sxm"))
    assert [card.id for card in again.cards] == ["rtx-4090", "b200-sxm"]


def test_a_shared_resource_starts_unknown_and_every_stage_on_cards_needs_it() -> None:
    quote = edits.shared_by_all(source_quote(), ResourceKind.LICENCE, "Decoder", "")
    assert quote.workload.resources[-1].capacity.value is None
    assert [need.resource_id for need in quote.workload.stages[0].needs] == ["licence"]
    assert edits.without_resource(quote, "licence") == source_quote()


def test_a_new_quote_has_two_organisations_and_no_number_that_nobody_stated() -> None:
    quote = edits.new_quote(
        unit="image", count=8, stage_name="Images", assembly_name="Assembly", gate_name="Gate"
    )
    assert [stage.kind for stage in quote.workload.stages] == [
        StageKind.INDEPENDENT,
        StageKind.STATION,
        StageKind.GATE,
    ]
    assert [one.layouts[0].tasks_at_once for one in quote.organisations] == [1, 2]
    assert quote.workload.stages[0].tasks.duration == (None,)
    assert quote.pricing.tax_percent.value is None
    assert all(fee.price.value is None for fee in quote.pricing.fees)


def test_a_cooperative_quote_asks_for_two_cards_a_task() -> None:
    quote = edits.new_quote(unit="model", count=1, stage_name="Model", independence=Independence.COOPERATIVE)
    assert quote.organisations[0].layouts[0].cards_per_task == 2


def test_ids_are_readable_and_never_taken_twice() -> None:
    assert edits.new_id("Conversión nº 1", []) == "conversion-no-1"
    assert edits.new_id("東京", []) == "item"
    assert edits.new_id("Lot", ["lot", "lot-2"]) == "lot-3"
    assert edits.next_letter([chr(code) for code in range(65, 91)]) == "A2"


def test_one_number_for_memory_is_one_phase_of_one_class() -> None:
    quote = edits.with_whole_memory(source_quote(), "conversion", Decimal(6), Evidence())
    (phase,) = quote.workload.stages[0].memory.phases
    assert [term.gib.value for term in phase.terms] == [Decimal(6)]
    blank = edits.with_whole_memory(quote, "conversion", None, Evidence())
    assert blank.workload.stages[0].memory.phases == ()
