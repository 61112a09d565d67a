"""The base of every record that a file can hold: frozen, closed to unknown fields, finite numbers.

Not a place for behaviour: records hold data, functions elsewhere work on them.
"""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A record that never changes; unknown fields, NaN and infinity are refused when it is read."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def replaced(self, **changes: object) -> Self:
        """Return a validated copy with the named fields changed.

        `model_copy(update=…)` does not validate, so a negative count would pass; this rebuilds the row.
        Raises pydantic's ValidationError where a new value is not allowed.
        """
        fields: dict[str, object] = {name: getattr(self, name) for name in type(self).model_fields}
        fields.update(changes)
        return type(self).model_validate(fields)
