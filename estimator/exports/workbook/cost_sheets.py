"""The sheets of lots and cost: paid time by card, holdings, price lines, tax and totals, all by formula.

The rules are those of `rental.hourly` and `price`; the sheets repeat them in the reader's spreadsheet.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal

from estimator.catalogue import HourlyOffer, Lot
from estimator.exports.workbook.cells import (
    HUNDREDTHS,
    PLAIN,
    Sheet,
    called,
    money_format,
    rounded_call,
    text_in_formula,
)
from estimator.exports.workbook.inputs import Input, fee_name
from estimator.exports.workbook.replay import Replay
from estimator.exports.workbook.schedule_sheet import ScheduleCells
from estimator.price import currency_digits
from estimator.problems import Absent
from estimator.quote import Quote
from estimator.rental.hourly import Billing, billed_ms, card_billed_ms
from estimator.results.estimate import Holding, Plan
from estimator.results.price import PriceLine
from estimator.units import MS_PER_DAY, MS_PER_HOUR
from estimator.wording import Wording

_MONTH_MS = 31 * MS_PER_DAY  # the longest month, as in rental.hourly


@dataclass(frozen=True, slots=True)
class Session:
    """One card in one stage, in time order by card. `joins`: the card was not released before it."""

    card: int
    stage: int
    first_row: int
    last_row: int
    start_ms: int
    end_ms: int
    joins: bool


def sessions_of(replay: Replay, hold: bool) -> list[Session]:
    """Return the spans of each card by stage; `hold` joins all of a card's."""
    spans: dict[tuple[int, int], list[int]] = {}
    for at, row in enumerate(replay.rows):
        for card in row.cards:
            span = spans.setdefault((card, row.stage), [at, at])
            if row.start_ms < replay.rows[span[0]].start_ms:
                span[0] = at
            if row.end_ms >= replay.rows[span[1]].end_ms:
                span[1] = at
    ordered = sorted(
        (card, replay.rows[first].start_ms, replay.rows[last].end_ms, stage, first, last)
        for (card, stage), (first, last) in spans.items()
    )
    found: list[Session] = []
    until = 0
    for card, start, end, stage, first, last in ordered:
        same = bool(found) and found[-1].card == card
        joins = same and (hold or start <= until)
        until = max(until, end) if same else end
        found.append(Session(card, stage, first, last, start, end, joins))
    return found


@dataclass(frozen=True, slots=True)
class LotCells:
    """Where the cost sheet finds them: the paid card hours of each hourly offer, the cost of each lot."""

    paid_hours: dict[str, str]
    cost: dict[str, str]


def write_lots(
    sheet: Sheet,
    quote: Quote,
    plan: Plan,
    replay: Replay,
    times: ScheduleCells,
    inputs: dict[str, Input],
    words: Wording,
) -> LotCells:
    """Write the holdings, and for hourly cards each card's paid time."""
    sheet.widths(2, 34, 10, 10, 16, 14, 16, 16, 22, 12)
    sheet.text(0, 1, words.t("Lots and hourly cards"), "title")
    if plan.is_sample:
        sheet.text(0, 4, words.t("SAMPLE prices"), "status")
    first_session = len(plan.holdings) + 7
    paid = _write_sessions(sheet, first_session, quote, plan, replay, times, inputs, words)
    head = 2
    heads: tuple[str, ...] = (words.t("Offer"), words.t("Count"), words.t("Cards"), words.t("Terms, days"))
    heads += (words.t("Held, h"), words.t("Paid card hours"), words.t("Cost, before rounding"))
    sheet.texts(head, 1, heads[:1], "head")
    sheet.texts(head, 2, heads[1:], "head_right")
    sheet.texts(head, 8, (words.t("Reading"), words.t("Mark")), "head")
    sheet.headed(head)
    busy = _busy(times, replay)
    cost: dict[str, str] = {}
    for place, holding in enumerate(plan.holdings):
        row = head + 1 + place
        offer = quote.offer(holding.offer_id)
        sheet.text(row, 1, holding.offer_id if offer is None else offer.name)
        sheet.number(row, 2, holding.count)
        sheet.number(row, 3, holding.cards)
        sheet.text(row, 9, words.t("SAMPLE") if holding.is_sample else "", "strong")
        money = money_format(currency_digits(quote.pricing.currency) + 2)
        busy_ms = plan.timing.busy_ms
        if isinstance(offer, Lot):
            terms = " + ".join(words.number(days) for days in holding.terms)
            sheet.text(row, 4, terms, "value")
            sheet.number(row, 5, Decimal(holding.held_ms) / MS_PER_HOUR, HUNDREDTHS)
            hours = f"{sheet.here(row, 3)}*{sheet.here(row, 5)}"
            sheet.formula(row, 6, hours, Decimal(holding.paid_card_ms) / MS_PER_HOUR, HUNDREDTHS)
            prices = called("SUM", [inputs[f"price:{offer.id}:{days}"].name for days in holding.terms])
            if not isinstance(holding.cost, Absent):
                sheet.formula(row, 7, f"{sheet.here(row, 2)}*{prices}", holding.cost, money)
            outrun, within = words.t("The work outruns the term"), words.t("The work ends in the term")
            late = f"ROUND(({busy})*{times.per_ms},0)>ROUND({sheet.here(row, 5)}*{MS_PER_HOUR},0)"
            formula = f"IF({late},{text_in_formula(outrun)},{text_in_formula(within)})"
            sheet.formula(row, 8, formula, outrun if busy_ms > holding.held_ms else within, PLAIN, "label")
        else:
            sheet.text(row, 4, words.t("hourly"), "value")
            sheet.formula(row, 5, _in_hours(busy, times), Decimal(holding.held_ms) / MS_PER_HOUR, HUNDREDTHS)
            hours_cell = paid.get(holding.offer_id, "0")
            sheet.formula(row, 6, hours_cell, Decimal(holding.paid_card_ms) / MS_PER_HOUR, HUNDREDTHS)
            price = inputs.get(f"price:{holding.offer_id}")
            if price is None or isinstance(holding.cost, Absent):
                sheet.text(row, 7, words.unknown, "value")
            else:
                sheet.formula(row, 7, f"{price.name}*{sheet.here(row, 6)}", holding.cost, money)
            sheet.text(row, 8, words.t("Released when its work ends"))
        cost[holding.offer_id] = sheet.ref(row, 7)
    row = head + 2 + len(plan.holdings)
    if any(holding.terms for holding in plan.holdings):
        sheet.text(
            row,
            1,
            words.t(
                "Lots are whole: all the cards of a lot are paid for whole terms, whatever the work uses."
            ),
            "note",
        )
    return LotCells(paid, cost)


def _busy(times: ScheduleCells, replay: Replay) -> str:
    """Return the end of the last task on a card: stages of stations do not count."""
    stages = sorted({row.stage for row in replay.rows if row.cards})
    return called("MAX", [times.stage_end[stage] for stage in stages] or ["0"])


def _in_hours(expression: str, times: ScheduleCells) -> str:
    return f"{expression}*{times.per_ms}/{MS_PER_HOUR}"


def _write_sessions(
    sheet: Sheet,
    head: int,
    quote: Quote,
    plan: Plan,
    replay: Replay,
    times: ScheduleCells,
    inputs: dict[str, Input],
    words: Wording,
) -> dict[str, str]:
    """Write each hourly card's sessions and what they are billed; return the paid card hours by offer."""
    found: dict[str, str] = {}
    hourly = [
        (holding, offer)
        for holding in plan.holdings
        for offer in (quote.offer(holding.offer_id),)
        if isinstance(offer, HourlyOffer)
    ]
    for holding, offer in hourly:
        sheet.text(head - 1, 1, words.t("Paid time of each card, {offer}", offer=offer.name), "title")
        unit = times.unit
        heads: tuple[str, ...] = (words.t("Card"), words.t("Stage"), words.t("Start, {unit}", unit=unit))
        heads += (words.t("End, {unit}", unit=unit), words.t("Held since, {unit}", unit=unit))
        heads += (words.t("Session, {unit}", unit=unit), words.t("Paid, h"), words.t("Paid by the card, h"))
        sheet.texts(head, 1, heads[:2], "head")
        sheet.texts(head, 3, heads[2:], "head_right")
        sessions = sessions_of(replay, quote.pricing.hold_through_assembly)
        writer = _Sessions(sheet, head + 1, quote, offer, plan, replay, times, inputs, words, sessions)
        writer.write()
        last = head + len(sessions)
        total = last + 1
        sheet.texts(total, 1, (words.t("Paid card hours"), "", "", "", "", "", ""), "strong")
        cells = f"{sheet.here(head + 1, 8)}:{sheet.here(last, 8)}"
        paid = Decimal(holding.paid_card_ms) / MS_PER_HOUR
        sheet.formula(total, 8, f"SUM({cells})", paid, HUNDREDTHS, "strong_value")
        found[holding.offer_id] = sheet.ref(total, 8)
        sheet.text(total + 1, 1, _billing_text(offer, words), "note")
        head = total + 4
    return found


def _billing_text(offer: HourlyOffer, words: Wording) -> str:
    unit = words.duration(offer.granularity_s * 1000)
    if offer.minimum_s:
        least = words.duration(offer.minimum_s * 1000)
        return words.t(
            "Billed by card and start, rounded up to {unit}, at least {least}.", unit=unit, least=least
        )
    return words.t("Billed by card and start, rounded up to {unit}.", unit=unit)


@dataclass(slots=True)
class _Sessions:
    """The rows of one hourly offer's cards."""

    sheet: Sheet
    first: int
    quote: Quote
    offer: HourlyOffer
    plan: Plan
    replay: Replay
    times: ScheduleCells
    inputs: dict[str, Input]
    words: Wording
    sessions: list[Session]

    def write(self) -> None:
        hold = self.quote.pricing.hold_through_assembly
        setup_ms = 0 if self.offer.setup is None else self.offer.setup.ms or 0
        billing = Billing(self.offer.granularity_s, self.offer.minimum_s, self.offer.monthly_cap_hours)
        since_ms = until_ms = 0
        lengths: list[int] = []
        first_of_card = self.first
        for place, one in enumerate(self.sessions):
            row = self.first + place
            is_first = place == 0 or self.sessions[place - 1].card != one.card
            is_last = place + 1 == len(self.sessions) or self.sessions[place + 1].card != one.card
            if is_first:
                first_of_card, lengths = row, []
            end_ms = max(one.end_ms, self.plan.timing.delivery_ms) if hold and is_last else one.end_ms
            since_ms = since_ms if one.joins else one.start_ms
            until_ms = max(until_ms, end_ms) if one.joins else end_ms
            goes_on = not is_last and self.sessions[place + 1].joins
            length_ms = 0 if goes_on else until_ms - since_ms + setup_ms
            lengths.append(length_ms)
            self._write_times(row, one, hold and is_last, is_first, hold, until_ms, since_ms)
            self._write_paid(row, is_last, hold, length_ms, billed_ms(length_ms, billing))
            paid_ms = card_billed_ms(lengths, billing) if is_last else 0
            self._write_card_total(row, first_of_card, is_last, paid_ms)

    def _value(self, ms: int) -> Decimal:
        return Decimal(ms) / self.times.per_ms

    def _write_times(
        self,
        row: int,
        one: Session,
        to_delivery: bool,
        is_first: bool,
        hold: bool,
        until_ms: int,
        since_ms: int,
    ) -> None:
        sheet, times = self.sheet, self.times
        sheet.text(row, 1, self.words.number(one.card + 1))
        sheet.text(row, 2, self.quote.workload.stages[one.stage].name)
        sheet.formula(row, 3, times.start[one.first_row], self._value(one.start_ms), self.times.number_format)
        ends = [times.end[one.last_row]] + ([times.delivery] if to_delivery else [])
        joined = f"ROUND(({sheet.here(row, 3)}-{sheet.here(row - 1, 4)})*{times.per_ms},0)<=0"
        if is_first:
            end = called("MAX", ends) if len(ends) > 1 else ends[0]
            since = sheet.here(row, 3)
        elif hold:
            end = called("MAX", [sheet.here(row - 1, 4), *ends])
            since = sheet.here(row - 1, 5)
        else:
            end = f"IF({joined},MAX({sheet.here(row - 1, 4)},{ends[0]}),{ends[0]})"
            since = f"IF({joined},{sheet.here(row - 1, 5)},{sheet.here(row, 3)})"
        sheet.formula(row, 4, end, self._value(until_ms), self.times.number_format)
        sheet.formula(row, 5, since, self._value(since_ms), self.times.number_format)

    def _write_paid(self, row: int, is_last: bool, hold: bool, length_ms: int, paid_ms: int) -> None:
        sheet, per_ms = self.sheet, self.times.per_ms
        length = f"{sheet.here(row, 4)}-{sheet.here(row, 5)}"
        setup = self.inputs.get(f"setup:{self.offer.id}")
        if setup is not None:
            length += f"+ROUND({setup.name}*{setup.ms_per},0)/{per_ms}"
        if not is_last and hold:
            length = "0"
        elif not is_last:
            gap = f"ROUND(({sheet.here(row + 1, 3)}-{sheet.here(row, 4)})*{per_ms},0)"
            length = f"IF({gap}<=0,0,{length})"
        sheet.formula(row, 6, length, self._value(length_ms), self.times.number_format)
        unit_ms = self.offer.granularity_s * 1000
        whole_ms = f"ROUND({sheet.here(row, 6)}*{per_ms},0)"
        up = f"MAX({self.offer.minimum_s * 1000},ROUNDUP({whole_ms}/{unit_ms},0)*{unit_ms})"
        paid = f"IF({whole_ms}<=0,0,{up})/{MS_PER_HOUR}"
        sheet.formula(row, 7, paid, Decimal(paid_ms) / MS_PER_HOUR, HUNDREDTHS)

    def _write_card_total(self, row: int, first: int, is_last: bool, paid_ms: int) -> None:
        sheet = self.sheet
        if not is_last:
            sheet.text(row, 8, "")
            return
        total = f"SUM({sheet.here(first, 7)}:{sheet.here(row, 7)})"
        if self.offer.monthly_cap_hours is not None:
            cap = int(self.offer.monthly_cap_hours * MS_PER_HOUR)
            month_hours = _MONTH_MS // MS_PER_HOUR
            capped = min(cap, _MONTH_MS) / Decimal(MS_PER_HOUR)
            months = f"INT(ROUND({total}/{month_hours},9))"
            rest = f"MIN({total}-{months}*{month_hours},{Decimal(cap) / MS_PER_HOUR})"
            total = f"{months}*{capped}+{rest}"
        sheet.formula(row, 8, total, Decimal(paid_ms) / MS_PER_HOUR, HUNDREDTHS)


@dataclass(frozen=True, slots=True)
class CostCells:
    """Where the totals stand; None where there is none."""

    net: str | None
    tax: str | None
    gross: str | None


def write_cost(
    sheet: Sheet, quote: Quote, plan: Plan, lots: LotCells, inputs: dict[str, Input], words: Wording
) -> CostCells:
    """Write the price lines, the tax by rate and the totals; words where a total is not known."""
    return _Cost(sheet, quote, plan, lots, inputs, words).write()


@dataclass(slots=True)
class _Cost:
    sheet: Sheet
    quote: Quote
    plan: Plan
    lots: LotCells
    inputs: dict[str, Input]
    words: Wording

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
        values = dict(line.values)
        key = line.id.split(":", 1)[1]
        fee = next((one for one in self.quote.pricing.fees if line.id == f"fee:{one.id}"), None)
        offer = self.quote.offer(key)
        name = fee_name(fee, words) if fee is not None else str(values.get("offer", key))
        if values.get("sample"):
            name = words.t("{offer} (SAMPLE)", offer=name)
        sheet.text(row, 1, name)
        currency = line.original_currency or self.quote.pricing.currency
        sheet.text(row, 4, currency, "value")
        holding = next((one for one in self.plan.holdings if one.offer_id == key), None)
        expression = ""
        if fee is not None and f"fee:{fee.id}" in self.inputs:
            expression = self._write_fee(row, fee.id)
        elif fee is None and holding is not None and f"price:{key}" in self.inputs:
            price, hours = self.inputs[f"price:{key}"], self.lots.paid_hours[key]
            sheet.formula(row, 2, hours, Decimal(holding.paid_card_ms) / MS_PER_HOUR, HUNDREDTHS)
            sheet.formula(row, 3, price.name, price.value, price.number_format)
            expression = f"{sheet.here(row, 2)}*{sheet.here(row, 3)}"
        elif fee is None and holding is not None and isinstance(offer, Lot):
            expression = self._write_lot(row, holding)
        else:
            sheet.texts(row, 2, ("", ""))
        self._write_amount(row, line, expression)

    def _write_fee(self, row: int, fee_id: str) -> str:
        for column, key in ((2, f"quantity:{fee_id}"), (3, f"fee:{fee_id}")):
            self.sheet.formula(row, column, self.inputs[key].name, self.inputs[key].value)
        return f"{self.sheet.here(row, 2)}*{self.sheet.here(row, 3)}"

    def _write_lot(self, row: int, holding: Holding) -> str:
        prices = [self.inputs[f"price:{holding.offer_id}:{days}"] for days in holding.terms]
        self.sheet.number(row, 2, holding.count)
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
        self._write_rate(row, 7, line.tax_percent)

    def _write_rate(self, row: int, column: int, percent: Decimal | None) -> None:
        tax = self.quote.pricing.tax_percent.value
        if percent is None:
            self.sheet.text(row, column, self.words.unknown, "value")
        elif percent == tax and "tax" in self.inputs:
            self.sheet.formula(row, column, self.inputs["tax"].name, percent)
        else:
            self.sheet.number(row, column, percent)

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
        amount = line.amount if isinstance(line.amount, Decimal) else Decimal(0)
        formula = rounded_call(share, self.digits)
        sheet.formula(row, 6, f"-{formula}" if is_discount else formula, amount, self.money)
        sheet.text(row, 7, "")

    def _write_totals(self, head: int, at_line: list[tuple[int, PriceLine]], extras: list[int]) -> CostCells:
        sheet, words, price = self.sheet, self.words, self.plan.price
        sheet.text(head, 1, words.t("By tax rate"), "head")
        sheet.text(head, 2, words.t("Rate, %"), "head_right")
        sheet.text(head, 3, words.t("Lines"), "head_right")
        sheet.text(head, 4, words.t("Discount"), "head_right")
        sheet.text(head, 5, words.t("Contingency"), "head_right")
        sheet.text(head, 6, words.t("Net"), "head_right")
        sheet.text(head, 7, words.t("Tax"), "head_right")
        helpers = (words.t("Exact share"), words.t("Remainder"))
        shares = _Shares(sheet, head + 1, len(price.tax_by_rate), self.digits, helpers)
        extra_lines = {
            line.kind: row
            for row, line in zip(
                extras, [one for one in price.lines if one.kind in ("discount", "contingency")], strict=True
            )
        }
        known = self._rates(at_line)
        for place, part in enumerate(price.tax_by_rate):
            row = head + 1 + place
            sheet.text(row, 1, words.t("Taxed") if part.percent is not None else words.t("Tax not included"))
            self._write_rate(row, 2, part.percent)
            cells = [sheet.here(at, 6) for at, line in at_line if line.tax_percent == part.percent]
            sheet.formula(row, 3, called("SUM", cells), known[part.percent], self.money)
        parts = [known[part.percent] for part in price.tax_by_rate]
        for column, kind in ((4, "discount"), (5, "contingency")):
            parts = self._write_shares(shares, column, kind, extra_lines.get(kind), parts)
        for place, part in enumerate(price.tax_by_rate):
            row = head + 1 + place
            total = f"SUM({sheet.here(row, 3)}:{sheet.here(row, 5)})"
            sheet.formula(row, 6, total, part.net, self.money)
            if part.tax is None:
                sheet.text(row, 7, words.t("not included"), "value")
            else:
                tax = f"{sheet.here(row, 6)}*{sheet.here(row, 2)}/100"
                sheet.formula(row, 7, rounded_call(tax, self.digits), part.tax, self.money)
        return self._write_sums(head + 1, len(price.tax_by_rate))

    def _rates(self, at_line: list[tuple[int, PriceLine]]) -> dict[Decimal | None, Decimal]:
        sums: dict[Decimal | None, Decimal] = {}
        for _, line in at_line:
            if isinstance(line.amount, Decimal):
                sums[line.tax_percent] = sums.get(line.tax_percent, Decimal(0)) + line.amount
        return sums

    def _write_shares(
        self, shares: _Shares, column: int, kind: str, line_row: int | None, parts: list[Decimal]
    ) -> list[Decimal]:
        """Write each rate's share of a discount or contingency; return the parts with it added."""
        line = next((one for one in self.plan.price.lines if one.kind == kind), None)
        if line is None or line_row is None or not isinstance(line.amount, Decimal):
            for place in range(shares.count):
                self.sheet.number(shares.first + place, column, 0, self.money)
            return parts
        return shares.write(column, self.sheet.here(line_row, 6), line.amount, parts, self.money)

    def _write_sums(self, first: int, count: int) -> CostCells:
        sheet, words, price = self.sheet, self.words, self.plan.price
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
    count: int
    digits: int
    heads: tuple[str, str]

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
        by_loss = sorted(range(self.count), key=lambda at: floors[at] - exact[at])
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
            if place:
                rank += f"+SUMPRODUCT(({sheet.here(first, loss)}:{sheet.here(row - 1, loss)}={mine})*1)"
            rest = f"ROUND({amount_cell}*{10**self.digits},0)-SUMPRODUCT(INT({unit_cells}))"
            gets = f"IF({rank}<{rest},1,0)"
            formula = f"(INT({sheet.here(row, units)})+{gets})/{10**self.digits}"
            value = (floors[place] + (1 if place in by_loss[:left] else 0)) * unit
            sheet.formula(row, column, formula, value, money)
            shared.append(parts[place] + value)
        return shared
