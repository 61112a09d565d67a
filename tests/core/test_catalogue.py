"""The embedded catalogue: complete, dated, sourced, honest about samples and conflicts."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

from estimator.catalogue import merged
from estimator.catalogue.embedded import embedded_catalogue
from estimator.evidence import EvidenceKind


def test_the_embedded_catalogue_holds_cards_links_models_lots_and_hourly_offers() -> None:
    catalogue = embedded_catalogue()
    assert (len(catalogue.cards), len(catalogue.links), len(catalogue.models)) == (51, 32, 73)
    assert (len(catalogue.lots), len(catalogue.hourly)) == (18, 108)
    assert catalogue.version == "2026-11-30"


def test_the_catalogue_is_read_once() -> None:
    assert embedded_catalogue() is embedded_catalogue()


def test_ids_are_unique_and_offers_name_known_cards() -> None:
    catalogue = embedded_catalogue()
    ids = [record.id for record in (*catalogue.lots, *catalogue.hourly)]
    assert max(Counter(ids).values()) == 1
    assert max(Counter(card.id for card in catalogue.cards).values()) == 1
    cards = {card.id for card in catalogue.cards}
    assert {offer.card_id for offer in (*catalogue.lots, *catalogue.hourly)} <= cards


def test_names_of_offers_are_unique() -> None:
    names = [offer.name for offer in embedded_catalogue().hourly]
    assert max(Counter(names).values()) == 1


def test_every_lot_is_a_sample_of_no_seller_and_no_name_says_so() -> None:
    for lot in embedded_catalogue().lots:
        assert lot.sample
        assert lot.seller == ""
        assert lot.currency == "EUR"
        assert not lot.name.casefold().startswith("sample")
        assert [term.days for term in lot.terms] == [3, 7, 30]
        assert lot.price_evidence.kind is EvidenceKind.ASSUMED


def test_a_sample_lot_has_the_price_of_its_formula() -> None:
    # 2 cards × 5.7105 EUR × 24 h × 3 d × 0.95 = 781.1964 → 781.20; × 7 × 0.90 = 1,726.8552 → 1,726.86
    lot = embedded_catalogue().offer("sample-b200-sxm-2")
    assert lot is not None
    assert lot.kind == "lot"
    prices = [term.price for term in lot.terms]
    assert prices == [Decimal("781.20"), Decimal("1726.86"), Decimal("6578.50")]


def test_nothing_is_attributed_to_a_seller_who_published_no_price() -> None:
    catalogue = embedded_catalogue()
    assert "capordia" not in catalogue.model_dump_json().casefold()


def test_an_hourly_offer_has_a_source_that_the_catalogue_explains() -> None:
    catalogue = embedded_catalogue()
    keys = {note.key for note in catalogue.sources}
    assert {offer.source for offer in catalogue.hourly} <= keys
    assert {key for card in catalogue.cards for key in card.sources} <= keys


def test_an_undated_published_price_is_assumed() -> None:
    offer = embedded_catalogue().offer("hivenet-rtx-4090")
    assert offer is not None
    assert offer.kind == "hourly"
    assert offer.price_per_card_hour == Decimal("0.4")
    assert offer.price_date is None
    assert offer.price_evidence.kind is EvidenceKind.ASSUMED
    assert offer.granularity_s == 60  # the documentation's minute; the article says per second
    assert "conflict" in offer.note


def test_only_spot_offers_may_be_interrupted() -> None:
    for offer in embedded_catalogue().hourly:
        assert offer.interruptible == ("spot" in offer.name.split(" · "))


def test_the_power_of_a_b200_is_an_undecided_conflict() -> None:
    card = embedded_catalogue().card("b200-sxm")
    assert card is not None
    power = next(conflict for conflict in card.conflicts if conflict.fact == "power_watts")
    assert [option.value for option in power.options] == ["700", "1000"]
    assert power.chosen is None


def test_a_conflict_names_a_field_of_the_card_and_offers_the_value_in_use() -> None:
    for card in embedded_catalogue().cards:
        for conflict in card.conflicts:
            values = [Decimal(option.value) for option in conflict.options]
            assert getattr(card, conflict.fact) in values


def test_a_card_offers_what_the_driver_reports() -> None:
    card = embedded_catalogue().card("b200-sxm")
    assert card is not None
    assert card.usable_bytes == 183_359 * 2**20
    assert card.usable_basis == "reported"
    unreported = embedded_catalogue().card("rtx-pro-5000")
    assert unreported is not None
    assert (unreported.usable_basis, unreported.usable_bytes) == ("marketed", 48 * 10**9)


def test_own_records_lie_over_embedded_ones() -> None:
    catalogue = embedded_catalogue()
    mine = catalogue.cards[0].replaced(name="Mine", own=True)
    together = merged(catalogue, catalogue.replaced(cards=(mine,), lots=(), hourly=()))
    assert together.card(mine.id) == mine
    assert len(together.cards) == len(catalogue.cards)
