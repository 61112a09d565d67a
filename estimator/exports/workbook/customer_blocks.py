"""Blocks of the first sheet in the customer's words: what each side calls the same things, and what to ask for.

They are the texts of the printed quote. As quoted: they do not follow the yellow cells.
"""

from __future__ import annotations

from estimator.exports.workbook.cells import Sheet
from estimator.exports.workbook.comparison_blocks import EVIDENCE, LABEL, SOURCE, VALUE
from estimator.results.estimate import Estimate
from estimator.wording import Wording
from estimator.wording.vocabulary import request_lines, vocabulary

_MIDDLE = 37
"""Characters of the three columns that a merged cell covers."""


def write_customer_words(sheet: Sheet, row: int, estimate: Estimate, words: Wording) -> int:
    """Write the vocabulary, the assembly rule and the capacity request; return the row after them."""
    quote = estimate.quote
    rows = [(one.purchasing, one.application, one.here) for one in vocabulary(words, quote, estimate)]
    if quote.workload.assembly_rule:
        rows.append((words.t("Assembly rule"), quote.workload.assembly_rule, ""))
    if rows:
        heads = (words.t("Purchasing says"), words.t("The application says"), words.t("In this quote"))
        _line(sheet, row, heads, ("head", "head", "head"))
        for place, texts in enumerate(rows):
            _line(sheet, row + 1 + place, texts, ("wrapped", "wrapped", "wrapped_muted"))
        row += len(rows) + 2
    lines = request_lines(words, quote, estimate)
    if lines:
        heads = (words.t("Capacity to ask a seller for"), words.t("At least"), "")
        _line(sheet, row, heads, ("head", "head", "head"))
        for place, line in enumerate(lines):
            texts = (line.name, line.value, "")
            _line(sheet, row + 1 + place, texts, ("wrapped", "wrapped", "wrapped_muted"))
        row += len(lines) + 2
    return row


def _line(sheet: Sheet, row: int, texts: tuple[str, str, str], styles: tuple[str, str, str]) -> None:
    sheet.text(row, LABEL, texts[0], styles[0])
    sheet.raw.merge_range(row, VALUE, row, EVIDENCE, "", sheet.book.style(styles[1]))
    sheet.text(row, VALUE, texts[1], styles[1], width=_MIDDLE)
    sheet.text(row, SOURCE, texts[2], styles[2])
