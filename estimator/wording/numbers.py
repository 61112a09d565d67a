"""Numbers, money and memory as text for people, in one of four regional formats.

Not for files, and without words: units here are symbols that no language changes. Rounding is half up and
only for show; amounts that add up are rounded where they are computed.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_HALF_UP, Context, Decimal
from enum import StrEnum

from estimator.price import currency_digits
from estimator.units import bytes_to_gib

NO_BREAK_SPACE = "\u00a0"
MINUS = "\u2212"
UNKNOWN_TEXT = "—"

Number = Decimal | int | float

_EXACT = Context(prec=MAX_PREC, rounding=ROUND_HALF_UP, Emax=MAX_EMAX, Emin=MIN_EMIN)
_FLOAT_DIGITS = 12
_MEMORY_DIGITS_AT_MOST = 10  # a byte is 9.3e-10 GiB: ten decimals tell any two counts apart


class NumberFormat(StrEnum):
    """How numbers are written: a setting of its own, beside the language."""

    ES_ES = "es_ES"
    ES_MX = "es_MX"
    EN_US = "en_US"
    EN_GB = "en_GB"

    @property
    def decimal_mark(self) -> str:
        """The mark before the decimals (CLDR: a comma in Spain, a point in Mexico)."""
        return "," if self is NumberFormat.ES_ES else "."

    @property
    def group_mark(self) -> str:
        """The mark between thousands."""
        return "." if self is NumberFormat.ES_ES else ","


def number_text(
    value: Number, number_format: NumberFormat, digits: int | None = None, grouping: bool = True
) -> str:
    """Return `value` with `digits` decimals, half up; without `digits`, with as few as it needs.

    Thousands are grouped from four digits on. Raises ValueError for NaN and infinity, which are not numbers
    to show: a figure that is not known is absent.
    """
    exact = _as_decimal(value)
    if digits is None:
        digits = max(0, -_exponent(exact.normalize(_EXACT)))
    rounded = _rounded(exact, digits)
    size = rounded.copy_abs()
    plain = f"{size:,.{digits}f}" if grouping else f"{size:.{digits}f}"
    if number_format.decimal_mark == ",":
        plain = plain.translate(_SWAP_MARKS)
    return f"{MINUS}{plain}" if rounded < 0 else plain


def percent_text(value: Number, number_format: NumberFormat, digits: int | None = None) -> str:
    """Return a percentage; `value` is in per cent, so 21 gives "21 %"."""
    return f"{number_text(value, number_format, digits)}{NO_BREAK_SPACE}%"


def money_text(
    amount: Decimal,
    currency: str,
    number_format: NumberFormat,
    symbol: bool = True,
    digits: int | None = None,
) -> str:
    """Return an amount with the currency's own decimals (or `digits`), then € or the ISO code if `symbol`."""
    if digits is None:
        digits = currency_digits(currency)
    figure = number_text(amount, number_format, digits)
    return f"{figure}{NO_BREAK_SPACE}{'€' if currency == 'EUR' else currency}" if symbol else figure


def memory_text(count_bytes: int, number_format: NumberFormat, digits: int = 1) -> str:
    """Return bytes as GiB."""
    return f"{number_text(bytes_to_gib(count_bytes), number_format, digits)} GiB"


def memory_pair_texts(peak: int, usable: int, number_format: NumberFormat) -> tuple[str, str]:
    """Return peak and usable with one decimal, and with two or more where they would falsely look equal."""
    digits = 1
    texts = memory_text(peak, number_format, digits), memory_text(usable, number_format, digits)
    while peak != usable and texts[0] == texts[1] and digits < _MEMORY_DIGITS_AT_MOST:
        digits += 1
        texts = memory_text(peak, number_format, digits), memory_text(usable, number_format, digits)
    return texts


_SWAP_MARKS = str.maketrans({",": ".", ".": ","})


def _as_decimal(value: Number) -> Decimal:
    if isinstance(value, float):  # twelve significant digits: 0.1 + 0.2 is shown as 0.3
        value = Decimal(f"{value:.{_FLOAT_DIGITS}g}")
    exact = Decimal(value)
    if not exact.is_finite():
        raise ValueError("a number that is not finite has no text")
    return exact


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _rounded(value: Decimal, digits: int) -> Decimal:
    if -_exponent(value) <= digits:
        return value
    return value.quantize(Decimal(1).scaleb(-digits), context=_EXACT)
