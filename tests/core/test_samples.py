"""Every sample quote opens, saves again to the same bytes, and refers only to what it holds."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from importlib.resources import files

import pytest

from estimator.catalogue import HourlyOffer, Lot
from estimator.evidence import EvidenceKind
from estimator.quote import Partition, Quote, StageKind, StateClass
from estimator.storage import quote_from_text, quote_to_text

NAMES = sorted(each.name for each in files("resources.samples").iterdir() if each.name.endswith(".cabida"))


def text_of(name: str) -> str:
    return files("resources.samples").joinpath(name).read_text("utf-8")


def sample(name: str) -> Quote:
    return quote_from_text(text_of(name))


def test_there_are_samples_of_several_sectors_in_both_languages() -> None:
    assert len(NAMES) >= 6
    assert {sample(name).language for name in NAMES} == {"es", "en"}


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_saves_again_to_the_same_bytes(name: str) -> None:
    assert quote_to_text(sample(name)) == text_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_and_what_is_referred_to_exists(name: str) -> None:
    quote = sample(name)
    work = quote.workload
    stages, cards = [stage.id for stage in work.stages], [card.id for card in quote.cards]
    offers, organisations = [offer.id for offer in quote.offers], [each.id for each in quote.organisations]
    resources = [each.id for each in work.resources]
    fees = [fee.id for fee in quote.pricing.fees]
    for ids in (stages, cards, offers, organisations, resources, fees):
        assert max(Counter(ids).values(), default=1) == 1
    assert {each for stage in work.stages for each in stage.after} <= set(stages)
    assert {need.resource_id for stage in work.stages for need in stage.needs} <= set(resources)
    assert {each.card_id for stage in work.stages for each in stage.card_factors} <= set(cards)
    assert {layout.stage_id for each in quote.organisations for layout in each.layouts} <= set(stages)
    assert {offer.card_id for offer in quote.offers} == set(cards)
    assert quote.organisation(quote.reference_id) is not None


@pytest.mark.parametrize("name", NAMES)
def test_every_lot_of_a_sample_is_marked_as_sample(name: str) -> None:
    lots = [offer for offer in sample(name).offers if isinstance(offer, Lot)]
    assert lots
    assert all(lot.sample and not lot.seller for lot in lots)


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_claims_no_measurement_and_sources_its_durations(name: str) -> None:
    quote = sample(name)
    assert "ficti" in quote.customer.name  # ficticio, fictional
    for stage in quote.workload.stages:
        if stage.kind is not StageKind.GATE:
            assert stage.tasks.evidence.kind in (EvidenceKind.ASSUMED, EvidenceKind.ESTIMATED)
            assert stage.tasks.evidence.source


@pytest.mark.parametrize("name", NAMES)
def test_a_fee_without_a_price_is_blank_and_not_zero(name: str) -> None:
    assert all(fee.price.value is None for fee in sample(name).pricing.fees)


def test_the_sources_example_states_its_numbers() -> None:
    quote = sample("indice-de-las-obras.cabida")
    work = quote.workload
    conversion = work.stage("conversion")
    assert conversion is not None
    assert (conversion.tasks.total, conversion.tasks.duration_ms) == (8, (720_000,))
    assert work.limit is not None
    assert work.limit.ms == 90 * 60_000
    peak = conversion.memory.phases[1]
    assert sum(term.gib.value or 0 for term in peak.terms) == 18
    spans = [term.gib.span for term in peak.terms]
    assert sum(span[0] for span in spans if span) == 14
    assert sum(span[1] for span in spans if span) == 24
    hourly = quote.offer("hivenet-rtx-4090")
    assert isinstance(hourly, HourlyOffer)
    assert (hourly.price_per_card_hour, hourly.granularity_s) == (Decimal("0.4"), 1)
    assert hourly.price_date is None


def test_the_thousand_scenario_sets_are_all_different() -> None:
    stage = sample("credit-risk.cabida").workload.stage("scenarios")
    assert stage is not None
    assert len(set(stage.tasks.duration_ms)) == 1000


def test_the_cooperative_sample_compares_a_replicated_and_a_partitioned_state() -> None:
    held = {
        each.id: each.layout("afinado").partition_of(StateClass.STATE)
        for each in sample("afinado-cooperativo.cabida").organisations
    }
    assert held == {"replicado": Partition.REPLICATED, "repartido": Partition.PARTITIONED}
