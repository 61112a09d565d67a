"""Cards billed by time: what one card's uses are billed for, and what that costs at a rate an hour.

Not the price of lots (see `terms.py`) and no rounding to a currency (see `price.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext

from estimator.units import MS_PER_DAY, MS_PER_HOUR, MS_PER_SECOND

# Without a calendar a capped month is the longest one (31 days, 744 h), so that a cap never promises
# more free hours than any month would give.
_MONTH_MS = 31 * MS_PER_DAY
_DIGITS = 60


@dataclass(frozen=True, slots=True)
class Billing:
    """How time on a card is billed: in units of `granularity_s` seconds, at least `minimum_s` a start.

    `monthly_cap_hours`: hours a month beyond which a card costs nothing more; None: no cap.
    Raises ValueError for a unit below one second, a negative minimum or a cap that is not above zero.
    """

    granularity_s: int
    minimum_s: int
    monthly_cap_hours: Decimal | None = None

    def __post_init__(self) -> None:
        if self.granularity_s < 1 or self.minimum_s < 0:
            raise ValueError("a billing unit has at least one second and a minimum is not negative")
        cap = self.monthly_cap_hours
        if cap is not None and not (cap.is_finite() and cap > 0):
            raise ValueError("a monthly cap is above zero")


def billed_ms(duration_ms: int, billing: Billing) -> int:
    """Return what one start of one card is billed for, in milliseconds; a card that never starts, 0.

    The larger of the minimum and the time rounded up to the unit. The monthly cap concerns all the starts
    of a card: see `card_billed_ms`.
    """
    if duration_ms <= 0:
        return 0
    unit_ms = billing.granularity_s * MS_PER_SECOND
    rounded_up = -(-duration_ms // unit_ms) * unit_ms
    return max(billing.minimum_s * MS_PER_SECOND, rounded_up)


def card_billed_ms(durations_ms: Iterable[int], billing: Billing) -> int:
    """Return what one card is billed for over all its starts, in milliseconds, under any monthly cap."""
    total = sum(billed_ms(duration, billing) for duration in durations_ms)
    if billing.monthly_cap_hours is None:
        return total
    cap = int((billing.monthly_cap_hours * MS_PER_HOUR).to_integral_value(rounding=ROUND_FLOOR))
    months, rest = divmod(total, _MONTH_MS)
    return months * min(_MONTH_MS, cap) + min(rest, cap)


def hourly_cost(rate: Decimal, billed: int) -> Decimal:
    """Return `rate` (money per card and hour) times `billed` milliseconds, with full decimals.

    Add the milliseconds of all cards first: one division, one figure to round later.
    """
    with localcontext(prec=_DIGITS):
        return rate * billed / MS_PER_HOUR
