"""Price lines: order, rounding, conversion, tax per rate, what is not included and what is not known."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator.price import LineInput, PriceRules, TaxAmount, currency_digits, minor_unit, price, rounded
from estimator.problems import Absent

D = Decimal


def euros(amount: str | None, *, name: str = "a", tax: str | None = None) -> LineInput:
    return LineInput(
        name, "rental", None if amount is None else D(amount), "EUR", None if tax is None else D(tax)
    )


amounts = st.decimals(min_value=0, max_value=10**7, places=5, allow_nan=False, allow_infinity=False)
percents = st.one_of(st.none(), st.decimals(min_value=0, max_value=60, places=2))
currencies = st.sampled_from(["EUR", "JPY", "KWD"])
lines = st.lists(
    st.builds(
        LineInput,
        id=st.text("abc", min_size=1, max_size=3),
        kind=st.just("rental"),
        amount=st.one_of(st.none(), amounts),
        currency=currencies,
        tax_percent=st.one_of(st.none(), st.sampled_from([D(0), D(4), D(10), D("21.0")])),
    ),
    min_size=1,
    max_size=6,
).map(tuple)
RATES = {"EUR": D("1.0837"), "JPY": D("0.006123"), "KWD": D("3.01")}


@given(lines, currencies, percents, percents, percents)
@settings(max_examples=200, deadline=None)
def test_totals_add_up_to_the_minor_unit(
    given_lines: tuple[LineInput, ...],
    currency: str,
    tax: Decimal | None,
    discount: Decimal | None,
    contingency: Decimal | None,
) -> None:
    result = price(given_lines, PriceRules(currency, tax, discount, contingency, RATES))
    if all(line.amount is None for line in given_lines):
        assert result.gross == Absent("nothing_priced")
        return
    assert isinstance(result.net, Decimal)
    assert isinstance(result.gross, Decimal)
    shown = [line.amount for line in result.lines if isinstance(line.amount, Decimal)]
    assert sum(shown) == result.net == sum(part.net for part in result.tax_by_rate)
    taxes = sum(part.tax for part in result.tax_by_rate if part.tax is not None)
    assert result.gross == result.net + taxes
    assert isinstance(result.tax, Absent) or result.tax == taxes
    for part in result.tax_by_rate:
        if part.percent is not None:
            assert part.tax is not None
            assert abs(part.tax - part.net * part.percent / 100) <= minor_unit(currency) / 2
    places = -currency_digits(currency)
    assert all(amount.as_tuple().exponent == places for amount in (*shown, result.net, result.gross))


def test_discount_comes_before_contingency_and_tax() -> None:
    # 100.00 - 10 % = 90.00; + 5 % of 90.00 = 4.50; net 94.50; 21 % = 19.845 -> 19.85; gross 114.35.
    result = price((euros("100"),), PriceRules("EUR", D(21), D(10), D(5)))
    assert [line.amount for line in result.lines] == [D("100.00"), D("-10.00"), D("4.50")]
    assert (result.net, result.tax, result.gross) == (D("94.50"), D("19.85"), D("114.35"))


def test_a_discount_is_shared_among_tax_rates_to_the_cent() -> None:
    # 10 % of 0.15 = 0.015 -> 0.02 off. Shares of -2 cents: -2/3 (0.05 at 4 %) and -4/3 (0.10 at 21 %).
    # Rounded down: -1 and -2, a cent too many; it goes back to the part that lost most (2/3 at 21 %).
    result = price((euros("0.05", tax="4"), euros("0.10", tax="21")), PriceRules("EUR", None, D(10)))
    assert [part.net for part in result.tax_by_rate] == [D("0.04"), D("0.09")]
    assert result.net == D("0.13")


def test_tax_is_rounded_once_per_rate_and_the_rates_are_kept_apart() -> None:
    result = price(
        (euros("9.99", tax="21"), euros("9.99", tax="21.0"), euros("5.55", tax="4")), PriceRules("EUR")
    )
    # 5.55 x 4 % = 0.222 -> 0.22; 19.98 x 21 % = 4.1958 -> 4.20
    assert result.tax_by_rate == (
        TaxAmount(D(4), D("5.55"), D("0.22")),
        TaxAmount(D(21), D("19.98"), D("4.20")),
    )


def test_a_foreign_line_is_converted_then_rounded_and_keeps_what_it_was() -> None:
    # 10.01 USD x 0.9234 = 9.243234 -> 9.24
    usd = LineInput("a", "rental", D("10.01"), "USD")
    line = price((usd,), PriceRules("EUR", rates={"USD": D("0.9234")})).lines[0]
    assert line.amount == D("9.24")
    assert (line.original_amount, line.original_currency, line.rate) == (D("10.01"), "USD", D("0.9234"))


def test_without_a_rate_a_foreign_line_leaves_no_total() -> None:
    result = price((euros("5"), LineInput("b", "fee", D(1), "USD")), PriceRules("EUR", D(21)))
    missing = Absent("missing_rate", ("pricing", "rates", "USD"), (("currency", "USD"),))
    assert (result.net, result.tax, result.gross) == (missing, missing, missing)
    assert result.lines[0].amount == D("5.00")


def test_a_quote_with_no_price_has_no_total() -> None:
    reason = Absent("no_term_price", ("catalogue", "lots", "x"))
    result = price((LineInput("a", "rental", reason, "EUR"), euros("5")), PriceRules("EUR", D(21)))
    assert result.gross is reason
    assert result.tax_by_rate == ()


def test_what_is_not_included_stays_a_line_and_adds_nothing() -> None:
    result = price((euros("5"), euros(None, name="egress")), PriceRules("EUR", D(0)))
    assert [line.amount for line in result.lines] == [D("5.00"), None]
    assert result.gross == D("5.00")


def test_a_fee_of_zero_is_a_price_and_no_line_at_all_is_none() -> None:
    assert price((euros("0"),), PriceRules("EUR", D(21))).gross == D("0.00")
    assert price((), PriceRules("EUR", D(21))).gross == Absent("nothing_priced")
    assert price((euros(None),), PriceRules("EUR", D(21))).gross == Absent("nothing_priced")


def test_tax_that_is_not_included_is_absent_and_a_rate_of_zero_is_a_tax() -> None:
    without = price((euros("5"),), PriceRules("EUR"))
    assert without.tax == Absent("tax_not_included")
    assert without.gross == without.net == D("5.00")
    assert price((euros("5"),), PriceRules("EUR", D(0))).tax == D("0.00")


@pytest.mark.parametrize(
    ("code", "digits"), [("EUR", 2), ("USD", 2), ("JPY", 0), ("CLP", 0), ("KWD", 3), ("TND", 3)]
)
def test_a_currency_has_its_own_decimals(code: str, digits: int) -> None:
    assert currency_digits(code) == digits


def test_halves_go_away_from_zero_and_no_zero_is_negative() -> None:
    assert rounded(D("-0.125"), "EUR") == D("-0.13")
    assert str(rounded(D("-0.001"), "EUR")) == "0.00"


def test_rules_can_be_a_key() -> None:
    assert hash(PriceRules("EUR", rates={"USD": D(1)})) == hash(PriceRules("EUR", rates={"USD": D(1)}))
