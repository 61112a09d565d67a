"""The planner's own catalogue: kept, carried to a colleague, and a quote's copies refreshed from it."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path

import pytest

from estimator.catalogue import Card, Catalogue, Conflict, ConflictOption, HourlyOffer, Lot, TermPrice
from estimator.catalogue.embedded import embedded_catalogue
from estimator.catalogue_store import PriceChange, added, read_own, refreshed, save_own
from estimator.problems import FileRefused
from estimator.quote import Quote

OPTIONS = (ConflictOption(value="700", source="an article"), ConflictOption(value="1000", source="a sheet"))
CARD = Card(
    id="card",
    name="Card",
    marketed_gb=Decimal(24),
    power_watts=Decimal(1000),
    conflicts=(Conflict(fact="power_watts", options=OPTIONS),),
)
LOT = Lot(
    id="lot",
    name="Lot",
    card_id="card",
    cards=2,
    terms=(TermPrice(days=3, price=Decimal("100.00")), TermPrice(days=7, price=Decimal("200.00"))),
)
HOURLY = HourlyOffer(id="hourly", name="Hourly", card_id="card", price_per_card_hour=Decimal("0.40"))
OWN = Catalogue(version="1", cards=(CARD,), lots=(LOT,), hourly=(HOURLY,))


def test_an_own_catalogue_is_read_as_it_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "catálogo propio.cabida-catalogue"
    save_own(OWN, path)
    assert read_own(path) == OWN
    assert json.loads(path.read_text("utf-8"))["kind"] == "cabida-catalogue"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"format": 2, "kind": "cabida-catalogue", "catalogue": {}}', "format_newer"),
        ('{"kind": "cabida-catalogue", "catalogue": {}}', "format_missing"),
        ('{"format": 1, "kind": "cabida-quote", "quote": {}}', "not_a_catalogue"),
        ('{"format": 1, "kind": "cabida-catalogue"}', "catalogue_missing"),
        ('{"format": 1, "kind": "cabida-catalogue", "catalogue": {"cards": [{}]}}', "broken_at"),
        ('{"format": 1, ', "broken_json"),
    ],
)
def test_a_catalogue_that_cannot_be_read_is_refused_with_its_cause(
    tmp_path: Path, text: str, code: str
) -> None:
    path = tmp_path / "own"
    path.write_text(text, "utf-8")
    with pytest.raises(FileRefused) as refused:
        read_own(path)
    assert refused.value.code == code


def test_a_broken_catalogue_names_the_place(tmp_path: Path) -> None:
    path = tmp_path / "own"
    save_own(OWN, path)
    path.write_text(path.read_text("utf-8").replace('"marketed_gb": "24"', '"marketed_gb": "many"'), "utf-8")
    with pytest.raises(FileRefused) as refused:
        read_own(path)
    assert refused.value.values["place"] == "cards › 0 › marketed_gb"


def test_an_id_written_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own"
    save_own(OWN.replaced(lots=(LOT, LOT)), path)
    with pytest.raises(FileRefused) as refused:
        read_own(path)
    assert refused.value.values["place"] == "lots › lot"


def test_a_colleagues_catalogue_adds_and_replaces_and_says_so() -> None:
    other = Catalogue(
        cards=(CARD.replaced(id="new", name="New"),),
        hourly=(HOURLY.replaced(price_per_card_hour=Decimal("0.50")),),
    )
    together, changes = added(OWN, other)
    assert [(change.section, change.id, change.change) for change in changes] == [
        ("cards", "new", "added"),
        ("hourly", "hourly", "replaced"),
    ]
    assert [card.id for card in together.cards] == ["card", "new"]
    assert together.hourly[0].price_per_card_hour == Decimal("0.50")
    assert together.hourly[0].own
    assert together.lots == OWN.lots


def test_adding_the_same_catalogue_twice_changes_nothing_the_second_time() -> None:
    once, _ = added(Catalogue(), OWN)
    twice, changes = added(once, OWN)
    assert changes == ()
    assert twice == once


def test_a_refresh_names_each_price_that_changed_and_leaves_the_given_quote() -> None:
    quote = Quote(cards=(CARD,), offers=(LOT, HOURLY))
    day = dt.date(2026, 12, 1)
    now = OWN.replaced(
        lots=(
            LOT.replaced(
                terms=(TermPrice(days=3, price=Decimal(90)), TermPrice(days=30, price=Decimal(700)))
            ),
        ),
        hourly=(HOURLY.replaced(price_per_card_hour=Decimal("0.50"), price_date=day),),
    )
    fresh, changes = refreshed(quote, now)
    assert set(changes) == {
        PriceChange("offer", "lot", "Lot", "terms.3", Decimal(100), Decimal(90)),
        PriceChange("offer", "lot", "Lot", "terms.7", Decimal(200), None),
        PriceChange("offer", "lot", "Lot", "terms.30", None, Decimal(700)),
        PriceChange("offer", "hourly", "Hourly", "price_per_card_hour", Decimal("0.4"), Decimal("0.5")),
        PriceChange("offer", "hourly", "Hourly", "price_date", None, day),
    }
    assert quote.offers == (LOT, HOURLY)
    assert fresh.offers == (now.lots[0], now.hourly[0])
    assert refreshed(fresh, now) == (fresh, ())


def test_a_refresh_leaves_offers_that_the_catalogue_does_not_know() -> None:
    quote = Quote(cards=(CARD,), offers=(LOT,))
    assert refreshed(quote, Catalogue()) == (quote, ())


def test_a_refresh_keeps_the_option_chosen_in_a_conflict_and_its_value() -> None:
    chosen = CARD.replaced(
        power_watts=Decimal(700), conflicts=(Conflict(fact="power_watts", options=OPTIONS, chosen=0),)
    )
    reordered = CARD.replaced(
        year=2024, conflicts=(Conflict(fact="power_watts", options=(OPTIONS[1], OPTIONS[0])),)
    )
    fresh, changes = refreshed(Quote(cards=(chosen,)), Catalogue(cards=(reordered,)))
    card = fresh.cards[0]
    assert (card.power_watts, card.year) == (Decimal(700), 2024)
    assert card.conflicts[0].chosen == 1  # the same value, where the catalogue has it now
    assert {change.field for change in changes} == {"year", "conflicts"}


def test_a_refresh_keeps_the_memory_that_was_observed() -> None:
    seen = CARD.replaced(observed_bytes=23 * 2**30)
    fresh, _ = refreshed(Quote(cards=(seen,)), Catalogue(cards=(CARD.replaced(year=2024),)))
    assert fresh.cards[0].observed_bytes == 23 * 2**30


def test_refreshing_leaves_a_price_that_was_typed_in_the_quote() -> None:
    offer = embedded_catalogue().hourly[0]
    typed = offer.replaced(own=True, price_per_card_hour=Decimal("9.99"))
    quote = Quote(offers=(typed,))
    same, changes = refreshed(quote, embedded_catalogue())
    assert changes == ()
    assert same is quote


def test_ways_to_cut_a_card_are_no_change_of_a_quote_that_has_chosen_none() -> None:
    card = embedded_catalogue().card("h100-sxm")
    assert card is not None
    quote = Quote(cards=(card.replaced(slices=()),))
    assert refreshed(quote, embedded_catalogue()) == (quote, ())
