"""The table of offers: its columns, how a cell reads, and which typed text a cell takes.

It shows `OfferRow`s in three groups and changes nothing; the page turns a typed cell into an edit.
"""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_FLOOR, Decimal

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex
from PySide6.QtGui import QFontMetrics

from estimator.catalogue import HourlyOffer, Lot
from estimator.results.memory import Fit
from estimator.units import bytes_to_gib
from estimator.wording import Wording, read_date, read_number
from estimator.wording.phrases import fit_text
from ui.models.table import Column, Group, TupleTableModel
from ui.pages.cards_rows import OLD, TERMS, UNDATED, OfferRow, OfferRows
from ui.theme import TextRole, Theme

USE, OFFER, CARDS, USABLE, FITS = range(5)
FIRST_TERM = 5
PER_CARD = FIRST_TERM + len(TERMS)
CURRENCY = PER_CARD + 1
PRICE_DATE = CURRENCY + 1
_LEAST_OFFER = 150

_Index = QModelIndex | QPersistentModelIndex


class OfferModel(TupleTableModel[OfferRow]):
    """The rows of the page in their groups; each row names its currency, since offers have their own."""

    def __init__(self, words: Wording, theme: Theme, parent: QObject | None = None) -> None:
        self._text = _Cells(words)
        super().__init__(self._text.columns(), words, theme, parent)

    def show_offers(self, rows: OfferRows) -> None:
        """Show the groups that have rows."""
        words = self._text.words
        shown: list[OfferRow | Group] = []
        for title, part in (
            (words.t("By the hour"), rows.hourly),
            (words.t("Whole lots"), rows.lots),
            (words.t("The organisation cannot take them"), rows.not_admitted),
        ):
            if part:
                shown += [Group(title), *part]
        self.show_rows(tuple(shown))

    def place_of(self, offer_id: str) -> int | None:
        """Return the place in `rows` of an offer, None where it is filtered out or unknown."""
        for place, row in enumerate(self.rows):
            if isinstance(row, OfferRow) and row.offer.id == offer_id:
                return place
        return None


def column_widths(words: Wording, theme: Theme, room: int) -> tuple[int, ...]:
    """Return a width a column, from the font: usual amounts and dates fit, the names of offers get the rest.

    `room` is the width of the table's inside. Where it is too narrow for all, the last columns are the ones
    to scroll to.
    """
    body = QFontMetrics(theme.font(TextRole.BODY))
    head = QFontMetrics(theme.font(TextRole.SECONDARY))
    samples = {
        USE: "",
        OFFER: "",
        CARDS: "888",
        USABLE: "288,88",
        FITS: words.t("fits if ≤ {memory}", memory="288,8"),
        PER_CARD: "14,24",
        CURRENCY: "USD",
        PRICE_DATE: words.date(dt.date(2026, 12, 30)),
    } | {FIRST_TERM + place: text for place, text in enumerate(("888,88", "8.888,88", "8.888,88"))}
    icons = {FITS: 24, PRICE_DATE: 24}
    widths = [
        max(
            body.horizontalAdvance(samples[place]) + icons.get(place, 0) + 18,
            head.horizontalAdvance(column.header) + 24,
        )
        for place, column in enumerate(_Cells(words).columns())
    ]
    rest = room - sum(widths) + widths[OFFER]
    without_date = rest + widths[PRICE_DATE]
    widths[OFFER] = max(_LEAST_OFFER, rest if rest >= body.averageCharWidth() * 26 else without_date)
    return tuple(widths)


def price_refusal(words: Wording, currency: str, text: str) -> str:
    """Return why a text is no price, or an empty text. Blank is a price that is not known."""
    reading = read_number(text, words.number_format, unit=currency)
    if reading.code is not None:
        return words.sentence(reading.code)
    if reading.value is not None and reading.value < 0:
        return words.sentence("negative")
    return ""


def date_refusal(words: Wording, text: str) -> str:
    """Return why a text is no date, or an empty text."""
    if not text.strip() or read_date(text, words.number_format) is not None:
        return ""
    return words.sentence("unreadable_date")


class _Cells:
    """The text of each cell."""

    def __init__(self, words: Wording) -> None:
        self.words = words

    def columns(self) -> tuple[Column[OfferRow], ...]:
        words = self.words
        terms = tuple(self._term_column(days) for days in TERMS)
        return (
            Column(words.t("Use"), lambda row: words.t("Chosen") if row.used else "", tooltip=self._use_tip),
            Column(
                words.t("Offer"),
                lambda row: row.offer.name,
                sample=lambda row: row.offer.sample,
                bold=lambda row: row.used,
                color=_muted,
                tooltip=self._offer_tip,
                elide_middle=True,
            ),
            Column(
                words.t("Cards"),
                lambda row: words.number(_card_count(row)),
                right=True,
                sort_key=_card_count,
                color=_muted,
            ),
            Column(
                words.t("Usable GiB"),
                self._usable,
                right=True,
                sort_key=lambda row: row.usable_bytes,
                color=_muted,
            ),
            Column(
                words.t("Fits? GiB"),
                self.fits,
                sort_key=lambda row: None if row.verdict is None else row.verdict.spare_bytes,
                icon=_fit_icon,
                color=_fit_color,
                tooltip=self.fits_at_length,
            ),
            *terms,
            Column(
                words.t("Per card·h"),
                lambda row: self._money(row, row.per_card_hour),
                right=True,
                sort_key=lambda row: row.per_card_hour,
                color=_muted,
                editable=lambda row: row.used and isinstance(row.offer, HourlyOffer),
                edit_text=lambda row: self._plain(row.per_card_hour),
                check=self._check_price,
            ),
            Column(
                words.t("Currency"),
                lambda row: row.offer.currency,
                color=lambda row: "muted",
            ),
            Column(
                words.t("Price date"),
                self._date,
                sort_key=lambda row: (
                    None if row.offer.price_date is None else row.offer.price_date.toordinal()
                ),
                icon=lambda row: "triangle" if row.dated else None,
                color=lambda row: "warn" if row.dated else _muted(row),
                editable=lambda row: row.used,
                edit_text=lambda row: (
                    "" if row.offer.price_date is None else words.date(row.offer.price_date)
                ),
                check=lambda row, text: date_refusal(words, text),
                tooltip=self._date_tip,
            ),
        )

    def _term_column(self, days: int) -> Column[OfferRow]:
        return Column(
            self.words.t("{days} days", days=self.words.number(days)),
            lambda row: self._money(row, row.price(days)),
            right=True,
            sort_key=lambda row: row.price(days),
            color=_muted,
            editable=lambda row: row.used and isinstance(row.offer, Lot),
            edit_text=lambda row: self._plain(row.price(days)),
            check=self._check_price,
        )

    def fits(self, row: OfferRow) -> str:
        """Return the verdict in few words; `fits_at_length` says it whole."""
        words, verdict = self.words, row.verdict
        if row.barred is not None:
            return words.absent(row.barred)
        if verdict is None or verdict.spare_bytes is None or verdict.fits is Fit.UNKNOWN:
            return words.t("memory not known")
        if verdict.fits is Fit.NO:
            return words.t("short {memory}", memory=words.number(bytes_to_gib(-verdict.spare_bytes), 1))
        if verdict.fits is Fit.IF and verdict.holds_to_bytes is not None:
            return words.t("fits if ≤ {memory}", memory=words.number(_floored(verdict.holds_to_bytes), 1))
        if row.spare_cards:
            return words.n("{count} card spare", "{count} cards spare", row.spare_cards)
        return words.t("fits, {memory}", memory=words.number(bytes_to_gib(verdict.spare_bytes), 1))

    def fits_at_length(self, row: OfferRow) -> str:
        words = self.words
        parts = [fit_text(words, row.verdict)] if row.verdict is not None else []
        if row.barred is not None:
            parts = [words.absent(row.barred), *parts]
        if row.spare_cards:
            parts.append(words.n("{count} card spare", "{count} cards spare", row.spare_cards))
        return "\n".join(parts)

    def _use_tip(self, row: OfferRow) -> str:
        if row.used:
            return self.words.t("The quote uses it. Space takes it away.")
        return self.words.t("Space copies it into the quote.")

    def _offer_tip(self, row: OfferRow) -> str:
        return "\n".join(part for part in (row.offer.name, row.offer.seller) if part)

    def _usable(self, row: OfferRow) -> str:
        usable = row.usable_bytes
        return self.words.unknown if usable is None else self.words.number(bytes_to_gib(usable), 2)

    def _money(self, row: OfferRow, amount: Decimal | None) -> str:
        if amount is None:
            return self.words.unknown
        return self.words.money(amount, row.offer.currency, symbol=False)

    def _plain(self, amount: Decimal | None) -> str:
        return "" if amount is None else self.words.number(amount, grouping=False)

    def _date(self, row: OfferRow) -> str:
        day = row.offer.price_date
        return self.words.t("no date") if day is None else self.words.date(day)

    def _date_tip(self, row: OfferRow) -> str:
        if row.dated == UNDATED:
            return self.words.sentence("price_undated", {"offer": row.offer.name})
        if row.dated == OLD:
            return self.words.t("The price is older than the quote allows. Renew it.")
        return ""

    def _check_price(self, row: OfferRow, text: str) -> str:
        return price_refusal(self.words, row.offer.currency, text)


def _floored(count_bytes: int) -> Decimal:
    """Return GiB rounded down to a tenth: a limit must never be shown larger than it is."""
    return bytes_to_gib(count_bytes).quantize(Decimal("0.1"), rounding=ROUND_FLOOR)


def _card_count(row: OfferRow) -> int:
    return row.offer.cards if isinstance(row.offer, Lot) else 1


def _muted(row: OfferRow) -> str | None:
    return None if row.is_admitted else "muted"


def _fit_icon(row: OfferRow) -> str | None:
    if not row.is_admitted:
        return "crossed-circle"
    if row.fit is Fit.UNKNOWN:
        return "unknown"
    return "triangle" if row.fit is Fit.IF or row.spare_cards else "tick"


def _fit_color(row: OfferRow) -> str:
    if not row.is_admitted:
        return "err"
    if row.fit is Fit.UNKNOWN:
        return "muted"
    return "warn" if row.fit is Fit.IF or row.spare_cards else "ok"
