"""The sheet of organisations side by side: each phase, delivery, cards and net, and what each differs by.

What the program calculated for each on its own best plan; it does not follow the yellow cells, and says so.
"""

from __future__ import annotations

from decimal import Decimal

from estimator.exports.workbook.cells import WHOLE, Sheet, money_format
from estimator.exports.workbook.comparison_blocks import (
    against_limit,
    key_of,
    name_of,
    net_of,
    sample_text,
    time_format,
)
from estimator.exports.workbook.schedule_sheet import ScheduleCells
from estimator.price import currency_digits
from estimator.results.estimate import Estimate, OrganisationResult, Timing
from estimator.units import MS_PER_MINUTE
from estimator.wording import Wording
from estimator.wording.phrases import missing_text

_LABEL, _BASE = 1, 2


def write_organisations_sheet(
    sheet: Sheet, estimate: Estimate, times: ScheduleCells | None, words: Wording
) -> None:
    """Write a row a phase, and for each organisation a column, with another for what it differs from the reference."""
    sheet.text(0, _LABEL, words.t("Organisations side by side"), "title")
    timed = [one for one in estimate.organisations if isinstance(one.timing, Timing)]
    reference = estimate.quote.reference
    base = next((one for one in timed if reference is not None and one.organisation_id == reference.id), None)
    if base is None:
        base = next(iter(timed), None)
    if base is None:
        sheet.text(2, _LABEL, words.t("There is no schedule yet."))
        return
    note = words.t(
        "As calculated by Cabida, each on its best plan; these figures do not follow the yellow cells."
    )
    sheet.text(1, _LABEL, note, "note")
    others = [one for one in timed if one is not base]
    sheet.widths(2, 34, 18, *(18 for _ in range(2 * len(others))), 2)
    _Columns(sheet, estimate, base, others, times, words).write()


class _Columns:
    """The table: labels, the reference, then two columns for each other organisation."""

    def __init__(
        self,
        sheet: Sheet,
        estimate: Estimate,
        base: OrganisationResult,
        others: list[OrganisationResult],
        times: ScheduleCells | None,
        words: Wording,
    ) -> None:
        self.sheet, self.estimate, self.words = sheet, estimate, words
        self.base, self.others = base, others
        self.per_ms, self.unit = (MS_PER_MINUTE, "min") if times is None else (times.per_ms, times.unit)
        self.row = 3

    def write(self) -> None:
        sheet, words, estimate = self.sheet, self.words, self.estimate
        sheet.text(self.row, _LABEL, words.t("Phase"), "head")
        sheet.text(self.row, _BASE, key_of(estimate, self.base, words), "head_right")
        for place, other in enumerate(self.others):
            heads = (
                key_of(estimate, other, words),
                words.t("Against {name}", name=name_of(estimate, self.base)),
            )
            sheet.texts(self.row, _BASE + 1 + 2 * place, heads, "head_right")
        sheet.headed(self.row, freeze=False)
        sheet.raw.freeze_panes(self.row + 1, _BASE)
        for stage in estimate.quote.workload.stages:
            elapsed = [_elapsed(one, stage.id) for one in (self.base, *self.others)]
            self._times(words.t("{stage}, {unit}", stage=stage.name, unit=self.unit), elapsed)
        delivery = [_delivery(one) for one in (self.base, *self.others)]
        self._times(words.t("Delivery, {unit}", unit=self.unit), delivery, "strong")
        cards = [
            one.timing.cards if isinstance(one.timing, Timing) else None for one in (self.base, *self.others)
        ]
        self._figures(words.t("Cards"), [None if one is None else Decimal(one) for one in cards], WHOLE)
        currency = estimate.quote.pricing.currency
        nets = [net_of(one) for one in (self.base, *self.others)]
        money = money_format(currency_digits(currency))
        self._figures(words.t("Net, {currency}", currency=currency), nets, money, "strong")
        self._readings()
        self._without_time()

    def _times(self, label: str, found: list[int | None], style: str = "label") -> None:
        known = [ms for ms in found if ms is not None]
        whole = all(ms % self.per_ms == 0 for ms in known)
        values = [None if ms is None else Decimal(ms) / self.per_ms for ms in found]
        self._figures(label, values, WHOLE if whole else time_format(1, self.per_ms), style)

    def _figures(
        self, label: str, values: list[Decimal | None], number_format: str, style: str = "label"
    ) -> None:
        sheet, row = self.sheet, self.row + 1
        self.row = row
        figure = "strong_value" if style == "strong" else "value"
        sheet.text(row, _LABEL, label, "strong" if style == "strong" else "wrapped")
        self._figure(row, _BASE, values[0], number_format, figure)
        for place, value in enumerate(values[1:]):
            column = _BASE + 1 + 2 * place
            self._figure(row, column, value, number_format, figure)
            if value is None or values[0] is None:
                sheet.text(row, column + 1, self.words.unknown, figure)
            else:
                formula = f"{sheet.here(row, column)}-{sheet.here(row, _BASE)}"
                sheet.formula(
                    row,
                    column + 1,
                    formula,
                    value - values[0],
                    f"+{number_format};-{number_format};0",
                    figure,
                )

    def _figure(self, row: int, column: int, value: Decimal | None, number_format: str, style: str) -> None:
        if value is None:
            self.sheet.text(row, column, self.words.unknown, style)
        else:
            self.sheet.number(row, column, value, number_format, style)

    def _readings(self) -> None:
        """Say of each whether it meets the limit, and whether its price is a sample's."""
        self.row += 2
        for one in (self.base, *self.others):
            texts = (against_limit(self.estimate, (one,), self.words), sample_text((one,), self.words))
            said = "; ".join(text for text in texts if text)
            if said:
                self.sheet.text(self.row, _LABEL, key_of(self.estimate, one, self.words), "wrapped")
                self.sheet.text(self.row, _BASE, said, "note")
                self.row += 1

    def _without_time(self) -> None:
        for one in self.estimate.organisations:
            if not isinstance(one.timing, Timing):
                self.sheet.text(self.row, _LABEL, key_of(self.estimate, one, self.words), "wrapped")
                self.sheet.text(self.row, _BASE, missing_text(self.words, one), "note")
                self.row += 1


def _elapsed(one: OrganisationResult, stage_id: str) -> int | None:
    if not isinstance(one.timing, Timing):
        return None
    return next((stage.elapsed_ms for stage in one.timing.stages if stage.stage_id == stage_id), None)


def _delivery(one: OrganisationResult) -> int | None:
    return one.timing.delivery_ms if isinstance(one.timing, Timing) else None
