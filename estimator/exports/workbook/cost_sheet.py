"""The sheet of cost: price lines, discount and contingency, tax by rate, totals, all by formula.

The order and the rounding are those of `price`; the sheet repeats them in the reader's spreadsheet.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Decimal

from estimator.catalogue import Lot
from estimator.exports.workbook.cells import HUNDREDTHS, PLAIN, Sheet, called, money_format, rounded_call
from estimator.exports.workbook.inputs import Input, fee_name
from estimator.exports.workbook.lots_sheet import HeldCells
from estimator.plan.fees import WATTS_PER_KILOWATT
from estimator.plan.replay import Replayed
from estimator.price import currency_digits
from estimator.problems import Absent
from estimator.quote import Fee, FeeBasis, Quote
from estimator.results.estimate import Holding, Plan
from estimator.results.price import Price, PriceLine
from estimator.units import MS_PER_HOUR
from estimator.wording import Wording


@dataclass(frozen=True, slots=True)
class CostCells:
    """Where the totals stand; None where there is none."""

    net: str | None
    tax: str | None
    gross: str | None


def write_cost(
    sheet: Sheet,
    plan: Plan,
    replayed: Replayed,
    held: HeldCells,
    inputs: dict[str, Input],
    words: Wording,
) -> CostCells:
    """Write the plan's price lines, the tax by rate and the totals as replayed; words where a total is not known."""
    return _Cost(sheet, replayed.quote, plan, replayed, held, inputs, words).write()


@dataclass(frozen=True, slots=True)
class _TaxSource:
    """Where a line's tax rate comes from: the document's, or a fee's own. None: tax is not included."""

    is_document: bool
    percent: Decimal | None

    @property
    def order(self) -> tuple[bool, Decimal]:
        """That of `price`: untaxed first, then rising rates."""
        return self.percent is not None, self.percent or Decimal(0)


@dataclass(slots=True)
class _Cost:
    sheet: Sheet
    quote: Quote
    plan: Plan
    replayed: Replayed
    held: HeldCells
    inputs: dict[str, Input]
    words: Wording
    now: dict[str, PriceLine] = field(default_factory=dict)

    def __post_init__(self) -> None:
        price = self.price
        self.now = {line.id: line for line in price.lines}

    @property
    def price(self) -> Price:
        """The price as replayed; that of the plan where nothing was."""
        return self.replayed.price or self.plan.price

    @property
    def digits(self) -> int:
        return currency_digits(self.quote.pricing.currency)

    @property
    def money(self) -> str:
        return money_format(self.digits)

    def write(self) -> CostCells:
        sheet, words = self.sheet, self.words
        currency = self.quote.pricing.currency
        sheet.widths(2, 46, 14, 16, 12, 14, 16, 10, 2, 12, 12, 12, 12)
        sheet.text(0, 1, words.t("Cost"), "title")
        if self.plan.is_sample:
            sheet.text(0, 3, words.t("SAMPLE prices"), "status")
        heads: tuple[str, ...] = (
            words.t("Quantity"),
            words.t("Unit price"),
            words.t("Currency"),
            words.t("Exchange rate"),
        )
        heads += (words.t("Amount, {currency}", currency=currency), words.t("Tax, %"))
        sheet.text(2, 1, words.t("Line"), "head")
        sheet.texts(2, 2, heads, "head_right")
        sheet.headed(2)
        first = 3
        plain = [line for line in self.plan.price.lines if line.kind not in ("discount", "contingency")]
        extras = [line for line in self.plan.price.lines if line.kind in ("discount", "contingency")]
        at_line: list[tuple[int, PriceLine]] = []
        for place, line in enumerate(plain):
            self._write_line(first + place, line)
            at_line.append((first + place, line))
        row = first + len(plain)
        for line in extras:
            self._write_extra(row, line, first, first + len(plain) - 1)
            row += 1
        if isinstance(self.plan.price.net, Absent):
            sheet.text(row + 1, 1, words.absent(self.plan.price.net), "strong")
            return CostCells(None, None, None)
        return self._write_totals(row + 1, at_line, [row - len(extras) + at for at in range(len(extras))])

    def _write_line(self, row: int, line: PriceLine) -> None:
        sheet, words = self.sheet, self.words
        line = self.now.get(line.id, line)
        values = dict(line.values)
        key = line.id.split(":", 1)[1]
        fee = next((one for one in self.quote.pricing.fees if line.id == f"fee:{one.id}"), None)
        offer = self.quote.offer(key)
        name = fee_name(fee, words) if fee is not None else str(values.get("offer", key))
        if values.get("sample"):
            name = words.t("{offer} (SAMPLE)", offer=name)
        sheet.text(row, 1, name, "wrapped")
        currency = line.original_currency or self.quote.pricing.currency
        sheet.text(row, 4, currency, "value")
        holding = next((one for one in self.replayed.holdings if one.offer_id == key), None)
        expression = ""
        if fee is not None and f"fee:{fee.id}" in self.inputs:
            expression = self._write_fee(row, fee, values)
        elif fee is None and holding is not None and f"price:{key}" in self.inputs:
            price, hours = self.inputs[f"price:{key}"], self.held.sessions[key]
            sheet.formula(row, 2, hours, Decimal(holding.paid_card_ms) / MS_PER_HOUR, HUNDREDTHS)
            sheet.formula(row, 3, price.name, price.value, price.number_format)
            expression = f"{sheet.here(row, 2)}*{sheet.here(row, 3)}"
        elif fee is None and holding is not None and isinstance(offer, Lot):
            expression = self._write_lot(row, holding)
        else:
            sheet.texts(row, 2, ("", ""))
        self._write_amount(row, line, expression)

    def _write_fee(self, row: int, fee: Fee, values: dict[str, object]) -> str:
        """Write what is charged for and the unit price; return the amount's expression, by tiers where it has them."""
        quantity, price = self.inputs[f"quantity:{fee.id}"], self.inputs[f"fee:{fee.id}"]
        factor = self._factor(fee)
        charged = values["quantity"]
        if not isinstance(charged, Decimal) or factor is None:
            self.sheet.texts(row, 2, ("", ""))
            return ""
        expression = f"{quantity.name}*{factor}" if factor else quantity.name
        self.sheet.formula(row, 2, expression, charged)
        self.sheet.formula(row, 3, price.name, price.value)
        here, since, unit_price = self.sheet.here(row, 2), Decimal(0), self.sheet.here(row, 3)
        if not fee.tiers:
            return f"{here}*{unit_price}"
        parts = []
        for tier in fee.tiers:
            parts.append(f"MAX(0,MIN({here},{tier.above})-{since})*{unit_price}")
            since, unit_price = tier.above, str(tier.price)
        parts.append(f"MAX(0,{here}-{since})*{unit_price}")
        return f"({'+'.join(parts)})"

    def _factor(self, fee: Fee) -> str | None:
        """Return the expression of a fee's basis, "" for once, None where it is not known."""
        paid, held = self.held.paid_hours, self.held.held_hours
        if fee.basis is FeeBasis.ONCE:
            return ""
        if fee.basis is FeeBasis.RENTED_TIME:
            days = [
                str(sum(one.terms)) if one.terms else f"{held[one.offer_id]}/24"
                for one in self.replayed.holdings
            ]
            return f"{called('MAX', days)}/{fee.period_days}"
        if fee.basis is FeeBasis.KEPT_TIME:
            kept = self.inputs.get(f"kept:{fee.id}")
            return None if kept is None else f"{kept.name}/{fee.period_days}"
        if fee.basis is FeeBasis.CARD_HOURS:
            return called("SUM", [paid[one.offer_id] for one in self.replayed.holdings])
        drawn = []
        for one in self.replayed.holdings:
            offer = self.quote.offer(one.offer_id)
            card = None if offer is None else self.quote.card(offer.card_id)
            if card is None or card.power_watts is None:
                return None
            drawn.append(f"{paid[one.offer_id]}*{card.power_watts}/{WATTS_PER_KILOWATT}")
        return called("SUM", drawn)

    def _write_lot(self, row: int, holding: Holding) -> str:
        prices = [self.inputs[f"price:{holding.offer_id}:{days}"] for days in holding.terms]
        self.sheet.formula(row, 2, self.inputs[f"lots:{holding.offer_id}"].name, holding.count)
        unit_price = sum((one.value for one in prices), Decimal(0))
        formula = called("SUM", [one.name for one in prices])
        self.sheet.formula(row, 3, formula, unit_price, self.money)
        return f"{self.sheet.here(row, 2)}*{self.sheet.here(row, 3)}"

    def _write_amount(self, row: int, line: PriceLine, expression: str) -> None:
        sheet, words = self.sheet, self.words
        sheet.text(row, 5, "")
        if line.original_currency is not None and line.rate is not None:
            rate = self.inputs[f"rate:{line.original_currency}"]
            sheet.formula(row, 5, rate.name, rate.value)
            expression = f"{expression}*{sheet.here(row, 5)}"
        if line.amount is None:
            sheet.text(row, 6, words.t("not included"), "value")
        elif isinstance(line.amount, Absent):
            sheet.text(row, 6, words.unknown, "value")
        else:
            sheet.formula(row, 6, rounded_call(expression, self.digits), line.amount, self.money)
        self._write_rate(row, 7, self._source_of(line))

    def _source_of(self, line: PriceLine) -> _TaxSource:
        fee = next((one for one in self.quote.pricing.fees if line.id == f"fee:{one.id}"), None)
        if fee is not None and fee.tax_percent is not None:
            return _TaxSource(False, fee.tax_percent)
        return _TaxSource(True, self.quote.pricing.tax_percent.value)

    def _write_rate(self, row: int, column: int, source: _TaxSource) -> None:
        if source.percent is None:
            self.sheet.text(row, column, self.words.unknown, "value")
        elif source.is_document:
            self.sheet.formula(row, column, self.inputs["tax"].name, source.percent)
        else:
            self.sheet.number(row, column, source.percent)

    def _write_extra(self, row: int, line: PriceLine, first: int, last: int) -> None:
        """Write the discount, a share of the lines, or the contingency, a share of what it leaves."""
        sheet, words = self.sheet, self.words
        percent = self.inputs[line.kind]
        is_discount = line.kind == "discount"
        sheet.text(row, 1, words.t("Discount") if is_discount else words.t("Contingency"))
        sheet.formula(row, 2, percent.name, percent.value)
        sheet.texts(row, 3, ("%", "", ""), "value")
        until = last if is_discount else row - 1
        share = f"SUM({sheet.here(first, 6)}:{sheet.here(until, 6)})*{sheet.here(row, 2)}/100"
        amount = self._amount_of(line.kind)
        formula = rounded_call(share, self.digits)
        sheet.formula(row, 6, f"-{formula}" if is_discount else formula, amount, self.money)
        sheet.text(row, 7, "")

    def _amount_of(self, kind: str) -> Decimal:
        """Return the discount or contingency; a share of nothing is no line of the price, and 0 here."""
        line = self.now.get(kind)
        return line.amount if line is not None and isinstance(line.amount, Decimal) else Decimal(0)

    def _write_totals(self, head: int, at_line: list[tuple[int, PriceLine]], extras: list[int]) -> CostCells:
        sheet, words = self.sheet, self.words
        sheet.text(head, 1, words.t("By tax rate"), "head")
        heads: tuple[str, ...] = (words.t("Rate, %"), words.t("Lines"), words.t("Discount"))
        heads += (words.t("Contingency"), words.t("Net"), words.t("Tax"))
        sheet.texts(head, 2, heads, "head_right")
        sources = self._tax_sources(at_line)
        first = head + 1
        order = sorted(range(len(sources)), key=lambda at: sources[at].order)
        has_untaxed = sources[0].percent is None
        helpers = (words.t("Exact share"), words.t("Remainder"))
        shares = _Shares(sheet, first, order, has_untaxed, self.digits, helpers)
        kinds = [line.kind for line in self.plan.price.lines if line.kind in ("discount", "contingency")]
        extra_rows = dict(zip(kinds, extras, strict=True))
        parts = self._write_lines_by_rate(first, sources, at_line)
        for column, kind in ((4, "discount"), (5, "contingency")):
            if kind in extra_rows:
                cell = sheet.here(extra_rows[kind], 6)
                parts = shares.write(column, cell, self._amount_of(kind), parts, self.money)
            else:
                for place in range(len(sources)):
                    sheet.number(first + place, column, 0, self.money)
        self._write_taxes(first, sources)
        return self._write_sums(first, len(sources))

    def _tax_sources(self, at_line: list[tuple[int, PriceLine]]) -> list[_TaxSource]:
        """Return whence the lines take their rates, in the order that the plan's price has them."""
        before = self.plan.price
        own = {line.id: line.tax_percent for line in before.lines}
        found = {
            self._source_of(line): own[line.id] for _, line in at_line if isinstance(line.amount, Decimal)
        }
        return sorted(
            found, key=lambda one: (found[one] is not None, found[one] or Decimal(0), not one.is_document)
        )

    def _write_lines_by_rate(
        self, first: int, sources: list[_TaxSource], at_line: list[tuple[int, PriceLine]]
    ) -> list[Decimal]:
        """Write the sum of the lines of each rate; of equal rates the first has them all, as `price` joins them."""
        sheet, words = self.sheet, self.words
        sums: dict[Decimal | None, Decimal] = {}
        for _, line in at_line:
            now = self.now[line.id]
            if isinstance(now.amount, Decimal):
                sums[now.tax_percent] = sums.get(now.tax_percent, Decimal(0)) + now.amount
        low, high = at_line[0][0], at_line[-1][0]
        rates = f"{sheet.here(low, 7)}:{sheet.here(high, 7)}"
        amounts = f"{sheet.here(low, 6)}:{sheet.here(high, 6)}"
        parts: list[Decimal] = []
        for place, source in enumerate(sources):
            row = first + place
            sheet.text(
                row, 1, words.t("Taxed") if source.percent is not None else words.t("Tax not included")
            )
            self._write_rate(row, 2, source)
            mine = sheet.here(row, 2)
            if len(sources) == 1:
                formula = f"SUM({amounts})"
            elif source.percent is None:
                untaxed = [sheet.here(at, 6) for at, line in at_line if self._source_of(line).percent is None]
                formula = called("SUM", untaxed)
            else:
                formula = f"SUMIF({rates},{mine},{amounts})"
                earlier = [f"{sheet.here(first + one, 2)}={mine}" for one in range(place)]
                if earlier:
                    formula = f"IF({called('OR', earlier)},0,{formula})"
            is_first = source.percent not in [one.percent for one in sources[:place]]
            parts.append(sums.get(source.percent, Decimal(0)) if is_first else Decimal(0))
            sheet.formula(row, 3, formula, parts[-1], self.money)
        return parts

    def _write_taxes(self, first: int, sources: list[_TaxSource]) -> None:
        sheet = self.sheet
        by_rate = {part.percent: part for part in self.price.tax_by_rate}
        for place, source in enumerate(sources):
            row = first + place
            is_first = source.percent not in [one.percent for one in sources[:place]]
            part = by_rate.get(source.percent) if is_first else None
            net = Decimal(0) if part is None else part.net
            total = f"SUM({sheet.here(row, 3)}:{sheet.here(row, 5)})"
            sheet.formula(row, 6, total, net, self.money)
            if source.percent is None:
                sheet.text(row, 7, self.words.t("not included"), "value")
                continue
            tax = f"{sheet.here(row, 6)}*{sheet.here(row, 2)}/100"
            amount = Decimal(0) if part is None or part.tax is None else part.tax
            sheet.formula(row, 7, rounded_call(tax, self.digits), amount, self.money)

    def _write_sums(self, first: int, count: int) -> CostCells:
        sheet, words, price = self.sheet, self.words, self.price
        currency = self.quote.pricing.currency
        row = first + count + 1
        last = first + count - 1
        net, gross, tax = price.net, price.gross, price.tax
        if isinstance(net, Absent) or isinstance(gross, Absent):
            return CostCells(None, None, None)
        labels: tuple[str, ...] = (
            words.t("Net, {currency}", currency=currency),
            words.t("Tax, {currency}", currency=currency),
        )
        labels += (words.t("Total, {currency}", currency=currency),)
        for offset, label in enumerate(labels):
            sheet.texts(row + offset, 1, (label, "", "", "", ""), "strong")
        sums = f"SUM({sheet.here(first, 6)}:{sheet.here(last, 6)})"
        sheet.formula(row, 6, sums, net, self.money, "strong_value")
        if isinstance(tax, Absent):
            sheet.text(row + 1, 6, words.t("not included"), "strong_value")
            sheet.formula(row + 2, 6, sheet.here(row, 6), gross, self.money, "strong_value")
        else:
            taxes = f"SUM({sheet.here(first, 7)}:{sheet.here(last, 7)})"
            sheet.formula(row + 1, 6, taxes, tax, self.money, "strong_value")
            both = f"{sheet.here(row, 6)}+{sheet.here(row + 1, 6)}"
            sheet.formula(row + 2, 6, both, gross, self.money, "strong_value")
        tax_cell = None if isinstance(tax, Absent) else sheet.ref(row + 1, 6)
        return CostCells(sheet.ref(row, 6), tax_cell, sheet.ref(row + 2, 6))


@dataclass(frozen=True, slots=True)
class _Shares:
    """An amount shared among tax rates in whole minor units, by largest remainder, as `price` does.

    With several rates the exact units and the ranks stand in two columns to the right of the table.
    """

    sheet: Sheet
    first: int
    order: list[int]
    """The rows by rising rate, untaxed first: of equal losses the first gets the unit left over."""
    has_untaxed: bool
    """The first row is what is not taxed: its rate is no number."""
    digits: int
    heads: tuple[str, str]

    @property
    def count(self) -> int:
        """How many rates there are."""
        return len(self.order)

    def write(
        self, column: int, amount_cell: str, amount: Decimal, parts: list[Decimal], money: str
    ) -> list[Decimal]:
        """Write the shares in `column`, of what stands from column 3 up to it; return the parts with them added."""
        if self.count == 1:
            self.sheet.formula(self.first, column, amount_cell, amount, money)
            return [parts[0] + amount]
        sheet, first, last = self.sheet, self.first, self.first + self.count - 1
        sheet.texts(first - 1, 9 + 2 * (column - 4), self.heads, "note")
        total = sum(parts, Decimal(0))
        unit = Decimal(1).scaleb(-self.digits)
        exact = [amount * part / total / unit if total else Decimal(0) for part in parts]
        floors = [value.to_integral_value(rounding=ROUND_FLOOR) for value in exact]
        left = int(amount / unit - sum(floors, Decimal(0))) if total else 0
        by_loss = sorted(self.order, key=lambda at: floors[at] - exact[at])
        units, loss = 9 + 2 * (column - 4), 10 + 2 * (column - 4)
        columns = f"{sheet.here(first, 3)}:{sheet.here(last, column - 1)}"
        unit_cells = f"{sheet.here(first, units)}:{sheet.here(last, units)}"
        loss_cells = f"{sheet.here(first, loss)}:{sheet.here(last, loss)}"
        shared = []
        for place in range(self.count):
            row = first + place
            part = f"SUM({sheet.here(row, 3)}:{sheet.here(row, column - 1)})"
            share = f"IF(SUM({columns})=0,0,ROUND({amount_cell}*{part}/SUM({columns})*{10**self.digits},6))"
            shown = round(exact[place], 6)
            sheet.formula(row, units, share, shown, PLAIN, "muted")
            lost = f"ROUND({sheet.here(row, units)}-INT({sheet.here(row, units)}),6)"
            sheet.formula(
                row, loss, lost, shown - int(shown.to_integral_value(rounding=ROUND_FLOOR)), PLAIN, "muted"
            )
            mine = sheet.here(row, loss)
            rank = f"SUMPRODUCT(({loss_cells}>{mine})*1)"
            if not (self.has_untaxed and place == 0):
                rate = sheet.here(row, 2)
                rates = f"{sheet.here(first, 2)}:{sheet.here(last, 2)}"
                rank += f"+SUMPRODUCT(({loss_cells}={mine})*({rates}<{rate}))"
                if self.has_untaxed:
                    rank += f"+IF({sheet.here(first, loss)}={mine},1,0)"
            rest = f"ROUND({amount_cell}*{10**self.digits},0)-SUMPRODUCT(INT({unit_cells}))"
            gets = f"IF({rank}<{rest},1,0)"
            formula = f"(INT({sheet.here(row, units)})+{gets})/{10**self.digits}"
            value = (floors[place] + (1 if place in by_loss[:left] else 0)) * unit
            sheet.formula(row, column, formula, value, money)
            shared.append(parts[place] + value)
        return shared
