"""What a refresh of copied prices would change, said in words whatever the field."""

from __future__ import annotations

from decimal import Decimal

import pytest

from estimator.catalogue import Card, HourlyOffer, Lot
from estimator.catalogue.cards import Conflict, ConflictOption
from estimator.catalogue_store import PriceChange
from estimator.hours import shift
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.names import CATALOGUE_FIELDS
from estimator.wording.refreshing import change_text
from tests.quotes import minutes

SPANISH = Wording(Language.SPANISH, NumberFormat.ES_ES)
ENGLISH = Wording(Language.ENGLISH, NumberFormat.EN_US)


def test_every_field_that_may_change_has_a_name_of_its_own() -> None:
    fields = {*Lot.model_fields, *HourlyOffer.model_fields, *Card.model_fields} - {"id", "terms", "slices"}
    assert set(CATALOGUE_FIELDS) >= fields
    assert len(set(CATALOGUE_FIELDS.values())) == len(CATALOGUE_FIELDS)
    assert not [name for name in fields if not SPANISH.catalogue_field(name)]


@pytest.mark.parametrize(
    ("field", "before", "after", "text"),
    [
        ("terms.7", Decimal("63.84"), Decimal(60), "Lote, 7 días: 63,84 → 60"),
        ("price_per_card_hour", None, Decimal("0.4"), "Lote, precio por tarjeta y hora: — → 0,4"),
        ("sample", True, False, "Lote, de muestra: sí → no"),
        ("setup", minutes(30), None, "Lote, preparación: 30 min → —"),
        (
            "reported_bytes",
            183_359 * 2**20,
            180 * 2**30,
            "Lote, memoria que declara el controlador: 183.359,00 MiB → 184.320,00 MiB",
        ),
        ("year", 2023, 2024, "Lote, año: 2023 → 2024"),
        ("seller", "", "Alquila", "Lote, vendedor: — → Alquila"),
        ("hours", None, shift((0, 1), 480, 1080), "Lote, horario: no es igual"),
        (
            "conflicts",
            (),
            (Conflict(fact="pcie", options=(ConflictOption(value="5", source="x"),)),),
            "Lote, datos en los que las fuentes difieren: no es igual",
        ),
    ],
)
def test_a_change_is_said_in_words(field: str, before: object, after: object, text: str) -> None:
    assert change_text(SPANISH, PriceChange("offer", "a", "Lote", field, before, after)) == text


def test_it_is_said_in_english_too() -> None:
    change = PriceChange("card", "a", "RTX 4090", "power_watts", 450, 425)
    assert change_text(ENGLISH, change) == "RTX 4090, power, W: 450 → 425"
