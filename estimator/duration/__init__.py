"""How long a unit takes: as stated, by the factor of the card model, and the mutual slow-down of neighbours."""

from estimator.duration.stated import unit_duration_ms

__all__ = ["unit_duration_ms"]
