"""Cards billed by time: units, minimums, starts and the monthly cap."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.rental.hourly import Billing, billed_ms, card_billed_ms, hourly_cost
from estimator.units import MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND

billings = st.builds(Billing, granularity_s=st.sampled_from([1, 60, 3600]), minimum_s=st.integers(0, 7200))


def test_a_card_that_never_starts_is_not_billed() -> None:
    assert billed_ms(0, Billing(60, 60)) == 0


def test_each_start_pays_its_own_minimum() -> None:
    # Two uses of 30 s with a minimum of 60 s: 120 s, not 60.
    assert card_billed_ms((30_000, 30_000), Billing(1, 60)) == 120 * MS_PER_SECOND


def test_a_millisecond_more_than_a_unit_is_billed_as_the_next() -> None:
    assert billed_ms(60_001, Billing(60, 0)) == 2 * MS_PER_MINUTE


@given(st.integers(1, 10**9), billings)
def test_billed_time_is_never_below_use_or_minimum_and_less_than_a_unit_above(
    duration: int, billing: Billing
) -> None:
    billed = billed_ms(duration, billing)
    least = max(duration, billing.minimum_s * MS_PER_SECOND)
    assert least <= billed < least + billing.granularity_s * MS_PER_SECOND


def test_the_cap_counts_for_each_month_of_a_long_use() -> None:
    # 744 + 700 h: 672 of the first month, 672 of the 700 that follow.
    billing = Billing(1, 0, Decimal(672))
    assert card_billed_ms((1444 * MS_PER_HOUR,), billing) == 1344 * MS_PER_HOUR


def test_a_billing_without_a_unit_or_with_an_empty_cap_is_refused() -> None:
    with pytest.raises(ValueError, match="unit"):
        Billing(0, 0)
    with pytest.raises(ValueError, match="cap"):
        Billing(1, 0, Decimal(0))


def test_the_cost_of_time_keeps_its_decimals() -> None:
    # 0.40 an hour for 106 minutes: 0.7066...
    assert str(hourly_cost(Decimal("0.40"), 106 * MS_PER_MINUTE)).startswith("0.7066666666")
