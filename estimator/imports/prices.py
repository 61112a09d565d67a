"""Price lists from a table: lots by term and cards by the hour, for the planner's own catalogue.

Columns are known by Spanish or English headers. Whether a mark is a decimal one is decided per column; where
a column contradicts itself nothing is taken from it, and where it leaves the question open a warning says
what was assumed. Rows that cannot be offers are named with their line; the others are kept.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from estimator.catalogue import Card, HourlyOffer, Lot, TermPrice
from estimator.imports.columns import DateColumn, NumberColumn, date_column, number_column, plain_text
from estimator.imports.tables import Cell, Table
from estimator.problems import Problem, Severity

HEADERS: dict[str, tuple[str, ...]] = {
    "name": ("offer", "oferta", "name", "nombre", "lot", "lote", "product", "producto"),
    "card": ("card", "tarjeta", "gpu", "model", "modelo", "card model", "modelo de tarjeta", "gpu model"),
    "cards": (
        "cards",
        "tarjetas",
        "gpus",
        "no of cards",
        "n de tarjetas",
        "num tarjetas",
        "quantity",
        "cantidad",
    ),
    "nodes": ("nodes", "nodos", "servers", "servidores"),
    "memory_gb": ("memory gb", "memory", "memoria", "memoria gb", "vram", "vram gb"),
    "days": ("days", "dias", "term", "plazo", "term days", "plazo dias", "duracion dias"),
    "price": ("price", "precio", "importe", "net price", "precio neto", "amount", "coste", "cost"),
    "hourly": (
        *("price per hour", "precio por hora", "precio hora", "per hour", "por hora", "hourly", "h", "hour"),
        *("price per card hour", "precio por tarjeta y hora", "precio por tarjeta hora", "hourly price"),
    ),
    "currency": ("currency", "moneda", "divisa"),
    "date": ("date", "fecha", "price date", "fecha del precio", "fecha de precio"),
    "seller": ("seller", "vendedor", "proveedor", "provider", "vendor", "supplier"),
    "source": ("source", "fuente", "origen"),
    "stock": ("stock", "existencias", "disponibles", "available", "disponibilidad"),
    "note": ("note", "nota", "notas", "notes", "observaciones"),
}
_MEANING = {header: meaning for meaning, headers in HEADERS.items() for header in headers}
_TERM = re.compile(r"(?:(?:price|precio|importe) )?(\d{1,4}) ?(?:d|days?|dias?)(?: (?:price|precio))?")
_MONEY = {
    "€": "EUR",
    "eur": "EUR",
    "euros": "EUR",
    "$": "USD",
    "usd": "USD",
    "£": "GBP",
    "gbp": "GBP",
    "mxn": "MXN",
}
_NUMERIC = ("cards", "nodes", "memory_gb", "days", "price", "hourly", "stock")


@dataclass(slots=True)
class _Reading:
    """A table with its columns understood, and what was found wrong on the way."""

    table: Table
    cards: Sequence[Card]
    currency: str = ""
    places: dict[str, int] = field(default_factory=dict)
    terms: dict[int, int] = field(default_factory=dict)
    numbers: dict[int, NumberColumn] = field(default_factory=dict)
    dates: DateColumn | None = None
    problems: list[Problem] = field(default_factory=list)

    def say(self, code: str, severity: Severity, line: int | None = None, **values: object) -> None:
        where = (self.table.name,) if line is None else (self.table.name, str(line))
        gaps = values if line is None else {"line": line, **values}
        self.problems.append(Problem(code, where, severity, tuple(gaps.items())))


class _RowError(Exception):
    """Why a row is no offer: a code and the gaps of its sentence."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code, self.values = code, values


@dataclass(frozen=True, slots=True)
class _Row:
    """One row, read: what it offers and for how much."""

    name: str
    card: Card
    cards: int
    nodes: int
    stock: int | None
    currency: str
    date: dt.date | None
    seller: str
    source: str
    note: str
    terms: tuple[TermPrice, ...]
    hourly: Decimal | None


def read_offers(
    table: Table, cards: Sequence[Card], number_format: str = "es_ES", currency: str = "EUR"
) -> tuple[tuple[Lot | HourlyOffer, ...], tuple[Problem, ...]]:
    """Return the offers of a price list, in its order, and what was wrong or assumed.

    A lot has a column per term ("3 days") or a row per term ("days" and "price"); rows of the same lot
    become one. `cards` are those that offers may name; `number_format` and `currency` hold where the table
    is silent.
    """
    reading = _Reading(table, cards)
    reading.problems.extend(table.notes)
    if not _understand_columns(reading):
        return (), tuple(reading.problems)
    _understand_cells(reading, number_format, currency)
    rows = []
    for line, cells in zip(table.lines, table.rows, strict=True):
        try:
            rows.append((line, _row(reading, line, cells)))
        except _RowError as refused:
            reading.say(refused.code, Severity.ERROR, line, **refused.values)
    return _offers(reading, rows), tuple(reading.problems)


def _understand_columns(reading: _Reading) -> bool:
    """Find which column means what; False where the table cannot be a price list."""
    for place, header in enumerate(reading.table.header):
        words, money = _header_words(header)
        reading.currency = reading.currency or money
        term = _TERM.fullmatch(words)
        meaning = _MEANING.get(words)
        if term and int(term[1]) > 0:
            if int(term[1]) in reading.terms:
                reading.say("column_twice", Severity.ERROR, header=header)
                return False
            reading.terms[int(term[1])] = place
        elif meaning is None:
            if header:
                reading.say("column_ignored", Severity.WARNING, header=header)
        elif meaning in reading.places:
            reading.say("column_twice", Severity.ERROR, header=header)
            return False
        else:
            reading.places[meaning] = place
    if "card" not in reading.places:
        reading.say("column_missing_card", Severity.ERROR)
        return False
    by_row = {"days", "price"} <= reading.places.keys()
    if not (reading.terms or by_row or "hourly" in reading.places):
        reading.say("column_missing_price", Severity.ERROR)
        return False
    return True


def _header_words(header: str) -> tuple[str, str]:
    """Return a header's words without accents, marks and currency, and the currency it names."""
    money = ""
    for mark, code in _MONEY.items():
        pattern = re.escape(mark) if not mark.isalpha() else rf"(?<![^\W_]){mark}(?![^\W_])"
        if re.search(pattern, header.casefold()):
            money = money or code
            header = re.sub(pattern, " ", header, flags=re.IGNORECASE)
    words = re.sub(r"[^a-z0-9]+", " ", plain_text(header)).strip()
    return words, money


def _understand_cells(reading: _Reading, number_format: str, currency: str) -> None:
    """Decide each numeric column's decimal mark, the order of dates, and the currency where none is given."""
    table, places = reading.table, reading.places
    numeric = [*(places[each] for each in _NUMERIC if each in places), *reading.terms.values()]
    prices = [*(places[each] for each in ("price", "hourly") if each in places), *reading.terms.values()]
    columns = {place: number_column(tuple(row[place] for row in table.rows)) for place in numeric}
    decided = {columns[place].mark for place in prices if columns[place].mark}
    fallback = decided.pop() if len(decided) == 1 else _usual_mark(number_format)
    for place, column in columns.items():
        header = table.header[place]
        if column.contradicts:
            reading.say("number_marks_contradict", Severity.ERROR, header=header)
        elif column.is_open:
            reading.say("number_mark_assumed", Severity.WARNING, header=header, mark=fallback)
            column = column.with_mark(fallback)
        reading.numbers[place] = column
    if "date" in places:
        reading.dates = date_column(tuple(row[places["date"]] for row in table.rows), number_format)
        code = "dates_contradict" if reading.dates.contradicts else "date_order_assumed"
        if reading.dates.contradicts or reading.dates.is_assumed:
            reading.say(code, Severity.WARNING, header=table.header[places["date"]])
    if not reading.currency and "currency" not in places:
        marked = {code for row in table.rows for place in prices for code in _cell_currencies(row[place])}
        if not marked:
            reading.say("currency_assumed", Severity.WARNING, currency=currency)
        reading.currency = "" if marked else currency


def _usual_mark(number_format: str) -> str:
    language, _, country = number_format.partition("_")
    with_point = {"MX", "US", "PR", "GT", "HN", "NI", "PA", "PE", "SV", "DO"}
    return "." if language == "en" or country in with_point else ","


def _cell_currencies(cell: Cell) -> set[str]:
    words = cell.casefold() if isinstance(cell, str) else ""
    return {code for mark, code in _MONEY.items() if mark in words}


@dataclass(frozen=True, slots=True)
class _Cells:
    """One row's cells by meaning."""

    reading: _Reading
    cells: tuple[Cell, ...]

    def text(self, meaning: str) -> str:
        """Return the cell's text, empty where there is none."""
        place = self.reading.places.get(meaning)
        return "" if place is None or self.cells[place] is None else str(self.cells[place])

    def number(self, place: int | None) -> Decimal | None:
        """Return the number in a column, None where the cell is empty. Raises _RowError."""
        if place is None or self.cells[place] is None:
            return None
        header, text = self.reading.table.header[place], str(self.cells[place])
        value = self.reading.numbers[place].number(self.cells[place])
        if value is None:
            raise _RowError("number_unreadable", header=header, text=text)
        if value < 0:
            raise _RowError("number_negative", header=header, text=text)
        return value

    def count(self, meaning: str) -> int | None:
        """Return a whole number of at least one, None where the cell is empty. Raises _RowError."""
        place = self.reading.places.get(meaning)
        value = self.number(place)
        if place is None or value is None:
            return None
        if value != int(value) or value < 1:
            raise _RowError("not_a_count", header=self.reading.table.header[place], text=str(value))
        return int(value)


def _row(reading: _Reading, line: int, cells: tuple[Cell, ...]) -> _Row:
    """Return one row's offer. Raises _RowError."""
    row = _Cells(reading, cells)
    name = row.text("name")
    if "name" in reading.places and not name:
        raise _RowError("row_without_name")
    written, in_card = _split_count(row.text("card"))
    if not written:
        raise _RowError("row_without_card")
    in_column = row.count("cards")
    if in_column is not None and in_card is not None and in_column != in_card:
        raise _RowError("card_counts_differ", in_column=in_column, in_name=in_card)
    cards, nodes = in_column or in_card or 1, row.count("nodes") or 1
    if cards % nodes:
        raise _RowError("nodes_unequal", cards=cards, nodes=nodes)
    card = _card(reading, line, written, row.number(reading.places.get("memory_gb")), cards)
    terms, hourly = _term_prices(row), row.number(reading.places.get("hourly"))
    if not terms and hourly is None:
        raise _RowError("row_without_price")
    return _Row(
        name=name or f"{cards} × {card.name}",
        card=card,
        cards=cards,
        nodes=nodes,
        stock=row.count("stock"),
        currency=_row_currency(reading, row.text("currency"), cells),
        date=_row_date(reading, line, cells),
        seller=row.text("seller"),
        source=row.text("source") or reading.table.name,
        note=row.text("note"),
        terms=terms,
        hourly=hourly,
    )


def _term_prices(row: _Cells) -> tuple[TermPrice, ...]:
    """Return a row's prices by term, whether it has a column for each or says which it is about."""
    places = row.reading.places
    prices = {days: row.number(place) for days, place in row.reading.terms.items()}
    days = row.count("days")
    if days is not None:
        prices[days] = row.number(places.get("price"))
    return tuple(
        TermPrice(days=each, price=price) for each, price in sorted(prices.items()) if price is not None
    )


def _split_count(text: str) -> tuple[str, int | None]:
    """Return a card's text and the count written with it, as in "2 × B200" or "H100 x8"."""
    before = re.fullmatch(r"(\d{1,4})\s*[x×]\s*(\D.*)", text, re.IGNORECASE)
    # The x of "RTX 4090" and of "MI300X" belongs to the name: it follows a letter, or no digit follows it.
    after = re.fullmatch(r"(.*\d|.*\S\s+)[x×](?:(?<=\s.)\s*)?(\d{1,3})", text, re.IGNORECASE)
    if before:
        return before[2], int(before[1])
    return (after[1].strip(), int(after[2])) if after else (text, None)


def _card(reading: _Reading, line: int, text: str, memory_gb: Decimal | None, cards: int) -> Card:
    """Return the card a row means; of several the first, said in a warning. Raises _RowError for none.

    Memory that is no card's own but is that of all cards of the row is read as such, with a warning.
    """
    for card in reading.cards:
        if text.casefold() in (card.id.casefold(), card.name.casefold()):
            return _checked(reading, line, card, memory_gb, cards)
    wanted = _tokens(text)
    found = [card for card in reading.cards if wanted and wanted <= _card_tokens(card)]
    sized = [card for card in found if memory_gb is None or card.marketed_gb == memory_gb]
    if found and not sized and memory_gb is not None:
        sized = [card for card in found if card.marketed_gb * cards == memory_gb]
        if sized:
            reading.say("memory_is_of_all_cards", Severity.WARNING, line, memory_gb=memory_gb, cards=cards)
    if found and not sized:
        raise _RowError("card_memory_differs", card=text, memory_gb=memory_gb)
    if not sized:
        raise _RowError("row_card_unknown", card=text)
    # "RTX 4080" is not less of a match for "RTX 4080 SUPER" than for itself: the plainest name goes first.
    plainest = min(len(_tokens(card.name)) for card in sized)
    best = [card for card in sized if len(_tokens(card.name)) == plainest]
    if len(best) > 1:
        names = tuple(card.name for card in best)
        reading.say("card_ambiguous", Severity.WARNING, line, card=text, used=names[0], candidates=names)
    return best[0]


def _checked(reading: _Reading, line: int, card: Card, memory_gb: Decimal | None, cards: int) -> Card:
    """Return the card where the memory stated is its own or that of all cards. Raises _RowError."""
    if memory_gb is not None and memory_gb != card.marketed_gb:
        if memory_gb != card.marketed_gb * cards:
            raise _RowError("card_memory_differs", card=card.name, memory_gb=memory_gb)
        reading.say("memory_is_of_all_cards", Severity.WARNING, line, memory_gb=memory_gb, cards=cards)
    return card


def _tokens(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z0-9]+", re.sub(r"(\d+)\s*gb\b", r"\1gb", plain_text(text)))
    return frozenset(words) - {"nvidia", "geforce", "tesla", "instinct", "amd", "intel", "radeon"}


def _card_tokens(card: Card) -> frozenset[str]:
    return _tokens(f"{card.name} {card.id} {card.marketed_gb:f}gb {card.memory_type}")


def _row_currency(reading: _Reading, text: str, cells: tuple[Cell, ...]) -> str:
    if text:
        code = _MONEY.get(text.casefold(), text.upper())
        if not re.fullmatch("[A-Z]{3}", code):
            raise _RowError("currency_unknown", text=text)
        return code
    places = [*reading.terms.values(), *(reading.places.get(each, -1) for each in ("price", "hourly"))]
    marked = {code for place in places if place >= 0 for code in _cell_currencies(cells[place])}
    if len(marked) > 1:
        raise _RowError("currencies_differ", currencies=tuple(sorted(marked)))
    code = marked.pop() if marked else reading.currency
    if not code:
        raise _RowError("row_without_currency")
    return code


def _row_date(reading: _Reading, line: int, cells: tuple[Cell, ...]) -> dt.date | None:
    place = reading.places.get("date")
    if place is None or reading.dates is None or cells[place] is None:
        return None
    day = reading.dates.date(cells[place])
    if day is None and not reading.dates.contradicts:
        reading.say("date_unreadable", Severity.WARNING, line, text=str(cells[place]))
    return day


def _offers(reading: _Reading, rows: Iterable[tuple[int, _Row]]) -> tuple[Lot | HourlyOffer, ...]:
    """Return the offers; rows that differ in their terms alone are one lot."""
    lots: dict[tuple[object, ...], _Row] = {}
    offers: list[tuple[str, _Row]] = []
    for line, row in rows:
        if row.hourly is not None:
            offers.append(("hourly", row))
        if not row.terms:
            continue
        key = (row.name, row.card.id, row.cards, row.nodes, row.seller, row.currency)
        if key not in lots:
            offers.append(("lot", row))
            lots[key] = row
            continue
        known = {term.days: term.price for term in lots[key].terms}
        new = {term.days: term.price for term in row.terms}
        if known.keys() & new.keys():
            days = min(known.keys() & new.keys())
            reading.say("term_twice", Severity.ERROR, line, name=row.name, days=days)
            continue
        together = tuple(
            TermPrice(days=days, price=price) for days, price in sorted({**known, **new}.items())
        )
        dates = [day for day in (lots[key].date, row.date) if day is not None]
        merged = _with_terms(lots[key], together, min(dates, default=None))
        offers[offers.index(("lot", lots[key]))] = ("lot", merged)
        lots[key] = merged
    return _named(offers)


def _with_terms(row: _Row, terms: tuple[TermPrice, ...], date: dt.date | None) -> _Row:
    head = (row.name, row.card, row.cards, row.nodes, row.stock, row.currency)
    return _Row(*head, date, row.seller, row.source, row.note, terms, row.hourly)


def _named(offers: Sequence[tuple[str, _Row]]) -> tuple[Lot | HourlyOffer, ...]:
    taken: set[str] = set()
    result: list[Lot | HourlyOffer] = []
    for kind, row in offers:
        base = "own-" + _slug(
            f"{row.seller} {row.name} {row.card.id} {kind if kind == 'hourly' else row.cards}"
        )
        place = 1
        while (identity := base if place == 1 else f"{base}-{place}") in taken:
            place += 1
        taken.add(identity)
        result.append(_lot(row, identity) if kind == "lot" else _hourly(row, identity))
    return tuple(result)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", plain_text(text)).strip("-")


_SAMPLE = re.compile(r"(?:sample|muestra)\b[\s:·-]*", re.IGNORECASE)


def _lot(row: _Row, identity: str) -> Lot:
    return Lot(
        id=identity,
        name=_SAMPLE.sub("", row.name, count=1) or row.name,
        card_id=row.card.id,
        seller=row.seller,
        currency=row.currency,
        price_date=row.date,
        source=row.source,
        sample=_SAMPLE.match(row.name) is not None,
        own=True,
        note=row.note,
        cards=row.cards,
        nodes=row.nodes,
        terms=row.terms,
        stock=row.stock,
    )


def _hourly(row: _Row, identity: str) -> HourlyOffer:
    return HourlyOffer(
        id=identity,
        name=_SAMPLE.sub("", row.name, count=1) or row.name,
        card_id=row.card.id,
        seller=row.seller,
        currency=row.currency,
        price_date=row.date,
        source=row.source,
        sample=_SAMPLE.match(row.name) is not None,
        own=True,
        note=row.note,
        price_per_card_hour=row.hourly,
        max_cards=row.stock,
    )
