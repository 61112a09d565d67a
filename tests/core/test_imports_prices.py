"""Price lists: read within bounds, understood by header, and nothing guessed in silence."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from decimal import Decimal

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.catalogue import HourlyOffer, Lot
from estimator.catalogue.embedded import embedded_catalogue
from estimator.imports.columns import date_column, number_column
from estimator.imports.prices import read_offers
from estimator.imports.tables import MOST_COLUMNS, read_table
from estimator.problems import FileRefused, Problem, Severity

CARDS = embedded_catalogue().cards


def offers_of(
    text: str, number_format: str = "es_ES"
) -> tuple[tuple[Lot | HourlyOffer, ...], tuple[Problem, ...]]:
    return read_offers(read_table(text.encode("utf-8"), "list.csv"), CARDS, number_format)


def codes(problems: tuple[Problem, ...]) -> list[str]:
    return [problem.code for problem in problems]


def refusal(data: bytes) -> str:
    with pytest.raises(FileRefused) as refused:
        read_table(data, "list")
    return refused.value.code


def workbook(rows: list[list[object]], *more_sheets: str) -> bytes:
    book = openpyxl.Workbook()
    first = book.worksheets[0]
    for row in rows:
        first.append(row)
    for title in more_sheets:
        book.create_sheet(title)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    """The archive with one part added, or put in place of the one of that name."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            if entry != name:
                new.writestr(entry, old.read(entry))
        new.writestr(name, content)
    return stream.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_table_is_the_same_in_any_encoding_and_with_any_separator(encoding: str, mark: str) -> None:
    text = "Tarjeta|Nota\nRTX 4090|Año\nL4|«dos»\n".replace("|", mark)
    table = read_table(text.encode(encoding))
    assert table.header == ("Tarjeta", "Nota")
    assert table.rows == (("RTX 4090", "Año"), ("L4", "«dos»"))
    assert table.lines == (2, 3)


def test_an_encoding_that_the_file_does_not_state_is_said() -> None:
    assert codes(read_table("tarjeta\naño".encode("cp1252")).notes) == ["encoding_assumed"]
    assert read_table("tarjeta\naño".encode("utf-8-sig")).notes == ()


def test_quoted_cells_keep_separators_quotes_and_line_breaks() -> None:
    table = read_table(b'sep=;\nname;note\n"a ""b""; c";"two\nlines"\n\nlast;\n')
    assert table.rows == (('a "b"; c', "two\nlines"), ("last", None))
    assert table.lines == (3, 6)


def test_files_past_the_bounds_or_broken_are_refused() -> None:
    assert refusal(b"") == "table_empty"
    assert refusal(b"\n;;\n") == "table_empty"
    assert refusal(b"a;b\n1;2;3\n") == "row_wider_than_header"
    assert refusal(b'a;b\n"1;2\n') == "table_broken"
    assert refusal(b"a;b\n\x81\x8d;2\n") == "not_text"
    assert refusal(b"a;b\n" + b"1;2\n" * 100_001) == "too_many_rows"
    assert refusal(b";".join([b"a"] * (MOST_COLUMNS + 1))) == "too_many_columns"
    assert refusal(b"a" * (32 * 2**20 + 1)) == "file_too_large"
    assert refusal(b"\xd0\xcf\x11\xe0rest") == "workbook_old_or_encrypted"
    assert refusal(b"PK\x03\x04rest") == "workbook_broken"


def test_a_workbook_gives_decimals_and_dates_and_says_which_sheets_it_left() -> None:
    data = workbook([["gpu", "date", "x"], ["L4", dt.datetime(2026, 11, 30), 0.1], ["L4", None, 27]], "Other")
    table = read_table(data, "list.xlsx")
    assert table.rows[0] == ("L4", dt.datetime(2026, 11, 30), Decimal("0.1"))
    assert table.rows[1] == ("L4", None, Decimal(27))
    assert codes(table.notes) == ["sheets_left_out"]


def test_dangerous_workbooks_are_refused_before_they_are_parsed() -> None:
    plain = workbook([["gpu"], ["L4"]])
    assert refusal(with_part(plain, "xl/vbaProject.bin", b"x")) == "workbook_has_macros"
    kinds = b'<Types><Override ContentType="application/vnd.ms-excel.sheet.macroEnabled.main+xml"/></Types>'
    assert refusal(with_part(plain, "[Content_Types].xml", kinds)) == "workbook_has_macros"
    entity = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    assert refusal(with_part(plain, "xl/sharedStrings.xml", entity)) == "workbook_has_entities"
    assert refusal(with_part(plain, "xl/sharedStrings.xml", entity.decode().encode("utf-16"))) == (
        "workbook_has_entities"
    )
    bomb = b"<a>" + b" " * (257 * 2**20)
    assert refusal(with_part(plain, "xl/media/bomb.bin", bomb)) == "workbook_unpacks_too_large"
    assert refusal(with_part(plain, "xl/workbook.xml", b"<workbook")) == "workbook_broken"


def test_rows_without_a_name_are_rejected_by_line_and_the_others_kept() -> None:
    offers, problems = offers_of(
        "lot;cards;gpu;memory_gb;days;price\n"
        '"B200 ""dual""";2;B200;180;3;"1.250,00"\n'
        'H100x8;8;H100;80;7;"9.999,90"\n'
        ';4;A100;40;30;"7.000,00"\n'
    )
    assert [offer.name for offer in offers] == ['B200 "dual"', "H100x8"]
    lots = [offer for offer in offers if isinstance(offer, Lot)]
    assert [lot.terms[0].price for lot in lots] == [Decimal("1250.00"), Decimal("9999.90")]
    # 1250 / (2 × 3) = 208.33 a card and day; 9999.90 / (8 × 7) = 178.57
    per_card_day = [round(lot.terms[0].price / lot.cards / lot.terms[0].days, 2) for lot in lots]
    assert per_card_day == [Decimal("208.33"), Decimal("178.57")]
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    assert [(problem.code, problem.where) for problem in errors] == [("row_without_name", ("list.csv", "4"))]
    assert "card_ambiguous" in codes(problems)  # H100 of 80 GB: SXM or PCIe
    assert "currency_assumed" in codes(problems)


def test_a_column_per_term_and_a_price_per_hour_are_read_in_spanish() -> None:
    offers, problems = offers_of(
        "Oferta;Tarjeta;Tarjetas;Nodos;3 días;7 días;30 días;€/h;Fecha;Vendedor;Fuente;Stock\n"
        "Par B200;B200;2;1;781,20;1.726,86;6.578,50;;15/04/2026;Casa;correo;3\n"
        "Por horas;RTX 4090;1;;;;;0,40;03/04/2026;Casa;correo;\n"
    )
    lot, hourly = offers
    assert isinstance(lot, Lot)
    assert isinstance(hourly, HourlyOffer)
    assert {term.days: str(term.price) for term in lot.terms} == {3: "781.20", 7: "1726.86", 30: "6578.50"}
    assert (lot.cards, lot.nodes, lot.stock, lot.seller, lot.source) == (2, 1, 3, "Casa", "correo")
    assert (lot.currency, lot.own, lot.sample) == ("EUR", True, False)
    assert lot.price_date == dt.date(2026, 4, 15)
    assert hourly.price_per_card_hour == Decimal("0.40")
    assert hourly.price_date == dt.date(2026, 4, 3)  # the column is day first: its other date has a day 15
    assert problems == ()


def test_a_row_per_term_makes_one_lot() -> None:
    offers, _ = offers_of("offer,gpu,cards,days,price\nA,L4,1,3,46.57\nA,L4,1,7,102.94\nB,L4,1,3,50.00\n")
    assert [(offer.name, len(offer.terms)) for offer in offers if isinstance(offer, Lot)] == [
        ("A", 2),
        ("B", 1),
    ]


def test_a_term_given_twice_is_an_error() -> None:
    offers, problems = offers_of("offer,gpu,cards,days,price\nA,L4,1,3,46.57\nA,L4,1,3,47.00\n")
    assert len(offers) == 1
    assert "term_twice" in codes(problems)


def test_a_column_whose_marks_contradict_gives_no_number() -> None:
    offers, problems = offers_of("offer;gpu;3 days\nA;L4;1.250,50\nB;L4;1,250.50\nC;L4;900\n")
    assert "number_marks_contradict" in codes(problems)
    assert codes(problems).count("number_unreadable") == 2
    assert [offer.name for offer in offers] == ["C"]


@pytest.mark.parametrize(
    ("number_format", "price"), [("es_ES", "1250"), ("es_MX", "1.250"), ("en_US", "1.250")]
)
def test_an_open_mark_follows_the_number_format_and_says_so(number_format: str, price: str) -> None:
    offers, problems = offers_of("offer;gpu;3 days\nA;L4;1.250\n", number_format)
    assert isinstance(offers[0], Lot)
    assert offers[0].terms[0].price == Decimal(price)
    assert "number_mark_assumed" in codes(problems)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("A;Nonesuch 9000;1;10,5", "row_card_unknown"),
        ("A;;1;10,5", "row_without_card"),
        ("A;L4;1;", "row_without_price"),
        ("A;L4;0;10,5", "not_a_count"),
        ("A;L4;1,5;10,5", "not_a_count"),
        ("A;L4;1;-10,5", "number_negative"),
        ("A;L4;1;ask", "number_unreadable"),
        ("A;2 x L4;3;10,5", "card_counts_differ"),
        ("A;L4;1;€ 10,5 USD", "currencies_differ"),
    ],
)
def test_a_row_that_is_no_offer_is_named_with_its_line(row: str, code: str) -> None:
    offers, problems = offers_of(f"offer;gpu;cards;3 days\n{row}\nB;L4;1;9,5 €\n")
    assert [offer.name for offer in offers] == ["B"]
    refused = [problem for problem in problems if problem.severity is Severity.ERROR]
    assert [(problem.code, problem.where) for problem in refused] == [(code, ("list.csv", "2"))]


def test_a_list_without_cards_or_prices_or_with_a_column_twice_is_no_price_list() -> None:
    for text, code in (
        ("offer;3 days\nA;1\n", "column_missing_card"),
        ("offer;gpu\nA;L4\n", "column_missing_price"),
        ("offer;gpu;tarjeta;3 days\nA;L4;L4;1\n", "column_twice"),
        ("offer;gpu;3 days;3 días\nA;L4;1;2\n", "column_twice"),
    ):
        offers, problems = offers_of(text)
        assert offers == ()
        assert codes(problems)[-1] == code


def test_currencies_come_from_the_column_the_header_or_the_cell() -> None:
    assert offers_of("offer;gpu;currency;3 days\nA;L4;usd;9,5\n")[0][0].currency == "USD"
    assert offers_of("offer;gpu;3 days (USD)\nA;L4;9,5\n")[0][0].currency == "USD"
    offers, problems = offers_of("offer;gpu;3 days\nA;L4;£9,5\nB;L4;9,5\n")
    assert offers[0].currency == "GBP"
    assert "row_without_currency" in codes(problems)


def test_a_name_that_says_sample_is_a_sample_and_loses_the_word() -> None:
    offer = offers_of("offer;gpu;3 days\nSAMPLE Lot A;L4;9,5\n")[0][0]
    assert (offer.name, offer.sample) == ("Lot A", True)


def test_a_plain_name_means_the_plain_card() -> None:
    text = "offer;gpu;cards;3 days\nA;NVIDIA GeForce RTX 3090;1;9,5\nB;8 × MI300X;;9,5\nC;h200 sxm 141 gb;1;9,5\n"
    offers, _ = offers_of(text)
    assert [offer.card_id for offer in offers] == ["rtx-3090", "mi300x", "h200-sxm"]
    assert [offer.card_id for offer in offers_of("gpu;3 days\nL4 x 2;9,5\nL4x3;9,5\n")[0]] == ["l4", "l4"]
    assert isinstance(offers[1], Lot)
    assert offers[1].cards == 8


def test_a_workbook_price_list_needs_no_decision_about_marks() -> None:
    data = workbook([["offer", "gpu", "3 days"], ["A", "L4", 1250.5]])
    offers, problems = read_offers(read_table(data, "list.xlsx"), CARDS)
    assert isinstance(offers[0], Lot)
    assert offers[0].terms[0].price == Decimal("1250.5")
    assert codes(problems) == ["currency_assumed"]


def test_dates_that_contradict_each_other_are_not_read() -> None:
    column = date_column(("15/04/2026", "04/15/2026"), "es_ES")
    assert column.contradicts
    assert column.date("15/04/2026") is None
    assert column.date("2026-04-15") == dt.date(2026, 4, 15)


@given(
    st.lists(st.integers(0, 10**9).map(lambda cents: Decimal(cents) / 100), min_size=1, max_size=20),
    st.sampled_from([(".", ","), (",", "."), (",", " "), (".", "'")]),
)
def test_any_amounts_with_two_decimals_are_read_back(amounts: list[Decimal], marks: tuple[str, str]) -> None:
    point, grouping = marks
    text = [
        f"{amount:,.2f}".replace(",", "_").replace(".", point).replace("_", grouping) for amount in amounts
    ]
    column = number_column(tuple(text))
    assert [column.number(each) for each in text] == amounts
