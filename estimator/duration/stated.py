"""The duration of one unit on one card, from what was stated.

Duration = stated × factor of the card model × mutual slow-down where several tasks run at once. Rounded half up
to the millisecond, once. The slow-down k ≥ 1 says by how much neighbours that share a host hold each other up;
the seed's example takes k = 1 for granted.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal


def unit_duration_ms(stated_ms: int, card_factor: Decimal, slow_down: Decimal) -> int:
    """Return whole milliseconds of one unit; `card_factor` and `slow_down` multiply the stated time."""
    if card_factor == 1 and slow_down == 1:
        return stated_ms
    exact = Decimal(stated_ms) * card_factor * slow_down
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))
