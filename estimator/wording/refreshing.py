"""What differs between the offers and cards copied into a quote and those of the catalogue, as lines for people."""

from __future__ import annotations

from decimal import Decimal

from estimator.catalogue_store import PriceChange
from estimator.evidence import StatedDuration
from estimator.units import MIB
from estimator.wording.wording import Wording


def change_text(words: Wording, change: PriceChange) -> str:
    """Return "Lot RTX 4090, 7 days: 63,84 → 60,00"; that it is another where a value has no short text."""
    before, after = _text(words, change.field, change.before), _text(words, change.field, change.after)
    field = _field(words, change.field)
    if before is None or after is None:
        return words.t("{name}, {field}: not the same", name=change.name, field=field)
    return words.t(
        "{name}, {field}: {before} → {after}", name=change.name, field=field, before=before, after=after
    )


def _field(words: Wording, field: str) -> str:
    if field.startswith("terms."):
        days = int(field.removeprefix("terms."))
        return words.n("{count} day", "{count} days", days)
    return words.catalogue_field(field)


def _text(words: Wording, field: str, value: object) -> str | None:
    if isinstance(value, bool):
        return words.t("yes") if value else words.t("no")
    if isinstance(value, StatedDuration):
        return words.unknown if value.ms is None else words.duration(value.ms)
    if isinstance(value, int) and field == "year":
        return str(value)
    if isinstance(value, int) and field.endswith("_bytes"):  # to the MiB: that is how drivers report it
        return f"{words.number(Decimal(value) / MIB, 2)} MiB"
    try:
        return words.value(value, field) or words.unknown
    except TypeError:
        return None
