"""The sheet of lots and hourly cards: what is held and for how long, and each card's paid time, by formula.

The rules of billing are those of `rental.hourly`; the sheet repeats them in the reader's spreadsheet.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from estimator.catalogue import HourlyOffer, Lot
from estimator.exports.workbook.cells import (
    HUNDREDTHS,
    PLAIN,
    Sheet,
    called,
    money_format,
    text_in_formula,
    width_for,
)
from estimator.exports.workbook.inputs import Input
from estimator.exports.workbook.schedule_sheet import ScheduleCells
from estimator.plan.fixed import FixedPlan
from estimator.plan.replay import Replayed, Session, sessions_of
from estimator.price import currency_digits
from estimator.problems import Absent
from estimator.quote import Quote
from estimator.rental.hourly import Billing, billed_ms, card_billed_ms
from estimator.results.estimate import Plan
from estimator.units import MS_PER_DAY, MS_PER_HOUR
from estimator.wording import Wording

_MONTH_MS = 31 * MS_PER_DAY  # the longest month, as in rental.hourly


@dataclass(frozen=True, slots=True)
class HeldCells:
    """Where each holding's time stands, by offer. `sessions`: the paid card hours under an hourly offer's sessions;
    `paid_hours`: those of every holding; `held_hours`: how long it is held. `outrun`: whether the work outruns a
    lot's term, an expression; "" without lots."""

    sessions: dict[str, str]
    paid_hours: dict[str, str]
    held_hours: dict[str, str]
    outrun: str


def write_lots(
    sheet: Sheet,
    plan: Plan,
    fixed: FixedPlan,
    replayed: Replayed,
    times: ScheduleCells,
    inputs: dict[str, Input],
    words: Wording,
) -> HeldCells:
    """Write the holdings and each hourly card's paid time; return where the hours stand."""
    quote = replayed.quote
    names = [_offer_name(quote, holding.offer_id) for holding in replayed.holdings]
    # The second column holds counts above, and stages below where cards are paid by the hour.
    hourly = any(not holding.terms for holding in replayed.holdings)
    stages = [stage.name for stage in quote.workload.stages if stage.on_cards and hourly]
    sheet.widths(2, width_for(names, 34), width_for(stages, 16), 10, 14, 14, 16, 16, 30, 12)
    sheet.text(0, 1, words.t("Lots and hourly cards"), "title")
    if plan.is_sample:
        sheet.text(0, 4, words.t("SAMPLE prices"), "status")
    first_session = len(plan.holdings) + 7
    paid = _write_sessions(sheet, first_session, fixed, replayed, times, inputs, words)
    head = 2
    heads: tuple[str, ...] = (words.t("Offer"), words.t("Count"), words.t("Cards"), words.t("Terms, days"))
    heads += (words.t("Held, h"), words.t("Paid card hours"), words.t("Cost, before rounding"))
    sheet.texts(head, 1, heads[:1], "head")
    sheet.texts(head, 2, heads[1:], "head_right")
    sheet.texts(head, 8, (words.t("Reading"), words.t("Mark")), "head")
    sheet.headed(head)
    late_terms: list[str] = []
    for place, holding in enumerate(replayed.holdings):
        row = head + 1 + place
        offer = quote.offer(holding.offer_id)
        sheet.text(row, 1, names[place], "wrapped")
        if isinstance(offer, Lot):
            sheet.formula(row, 2, inputs[f"lots:{offer.id}"].name, holding.count)
            sheet.formula(row, 3, f"{sheet.here(row, 2)}*{offer.cards}", holding.cards)
        else:
            sheet.number(row, 2, holding.count)
            sheet.number(row, 3, holding.cards)
        sheet.text(row, 9, words.t("SAMPLE") if holding.is_sample else "", "strong")
        money = money_format(currency_digits(quote.pricing.currency) + 2)
        busy, busy_ms = _busy(times, fixed, holding.offer_id), replayed.until_ms.get(holding.offer_id, 0)
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
            late_terms.append(f"{sheet.ref(row, 8)}={text_in_formula(outrun)}")
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
    rows = {holding.offer_id: head + 1 + place for place, holding in enumerate(plan.holdings)}
    return HeldCells(
        paid,
        {offer_id: sheet.ref(row, 6) for offer_id, row in rows.items()},
        {offer_id: sheet.ref(row, 5) for offer_id, row in rows.items()},
        called("OR", late_terms) if late_terms else "",
    )


def _offer_name(quote: Quote, offer_id: str) -> str:
    offer = quote.offer(offer_id)
    return offer_id if offer is None else offer.name


def _busy(times: ScheduleCells, fixed: FixedPlan, offer_id: str) -> str:
    """Return the end of the last task on the cards of an offer: stages of stations do not count."""
    if len(set(fixed.fleet.offer_ids)) <= 1:
        stages = [at for at, stage in enumerate(fixed.quote.workload.stages) if stage.on_cards]
        return called("MAX", [times.stage_end[stage] for stage in stages] or ["0"])
    last = {at for span in fixed.spans() if fixed.owner_of(span.card) == offer_id for at in span.last_rows}
    return called("MAX", [times.end(at) for at in sorted(last)] or ["0"])


def _in_hours(expression: str, times: ScheduleCells) -> str:
    return f"{expression}*{times.per_ms}/{MS_PER_HOUR}"


def _write_sessions(
    sheet: Sheet,
    head: int,
    fixed: FixedPlan,
    replayed: Replayed,
    times: ScheduleCells,
    inputs: dict[str, Input],
    words: Wording,
) -> dict[str, str]:
    """Write each hourly card's sessions and what they are billed; return the paid card hours by offer."""
    found: dict[str, str] = {}
    quote = replayed.quote
    hold = quote.pricing.hold_through_assembly
    every = sessions_of(fixed, replayed.starts, replayed.ends, hold)
    hourly = [
        (holding, offer)
        for holding in replayed.holdings
        for offer in (quote.offer(holding.offer_id),)
        if isinstance(offer, HourlyOffer)
    ]
    for holding, offer in hourly:
        sheet.tall(head)
        sheet.text(head - 1, 1, words.t("Paid time of each card, {offer}", offer=offer.name), "title")
        unit = times.unit
        heads: tuple[str, ...] = (words.t("Card"), words.t("Stage"), words.t("Start, {unit}", unit=unit))
        heads += (words.t("End, {unit}", unit=unit), words.t("Held since, {unit}", unit=unit))
        heads += (words.t("Session, {unit}", unit=unit), words.t("Paid, h"), words.t("Paid by the card, h"))
        sheet.texts(head, 1, heads[:2], "head")
        sheet.texts(head, 3, heads[2:], "head_right")
        sessions = [one for one in every if fixed.owner_of(one.card) == offer.id]
        writer = _Sessions(
            sheet, head + 1, quote, offer, replayed.delivery_ms, times, inputs, words, sessions
        )
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
    delivery_ms: int
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
            end_ms = max(one.end_ms, self.delivery_ms) if hold and is_last else one.end_ms
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
        sheet.text(row, 2, self.quote.workload.stages[one.stage].name, "wrapped")
        start = called("MIN", [times.start(at) for at in one.first_rows])
        sheet.formula(row, 3, start, self._value(one.start_ms), self.times.number_format)
        ends = [times.end(at) for at in one.last_rows] + ([times.delivery] if to_delivery else [])
        joined = f"ROUND(({sheet.here(row, 3)}-{sheet.here(row - 1, 4)})*{times.per_ms},0)<=0"
        end = called("MAX", ends) if len(ends) > 1 else ends[0]
        if is_first:
            since = sheet.here(row, 3)
        elif hold:
            end = called("MAX", [sheet.here(row - 1, 4), *ends])
            since = sheet.here(row - 1, 5)
        else:
            end = f"IF({joined},MAX({sheet.here(row - 1, 4)},{end}),{end})"
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
