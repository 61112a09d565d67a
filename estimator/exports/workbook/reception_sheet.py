"""The sheet of reception: what was estimated, and empty cells for what will be observed, organisation by organisation.

Cells of what was observed hold only what a person saw; the program never fills them.
"""

from __future__ import annotations

from estimator.exports.workbook.cells import Sheet
from estimator.results.estimate import Estimate
from estimator.wording import Wording
from estimator.wording.phrases import organisation_name
from estimator.wording.reception import trial_organisations, trial_rows


def write_reception(sheet: Sheet, estimate: Estimate, words: Wording) -> None:
    """Write a row a thing to observe, two columns an organisation, and where it was seen from."""
    quote = estimate.quote
    ids = trial_organisations(quote, estimate)
    sheet.widths(2, 42, *(20 for _ in range(2 * len(ids))), 2)
    sheet.text(0, 1, words.t("Reception: filled in when it is measured"), "title")
    sheet.text(
        1, 1, words.t("The empty cells are for what is observed. The program never fills them."), "note"
    )
    head = 3
    sheet.text(head, 1, words.t("What is observed"), "head")
    for place, organisation_id in enumerate(ids):
        organisation = quote.organisation(organisation_id)
        name = organisation_id if organisation is None else organisation_name(organisation)
        heads = (
            words.t("{name}, estimated", name=name),
            words.t("{name}, observed", name=name),
        )
        sheet.texts(head, 2 + 2 * place, heads, "head_right")
    sheet.headed(head)
    row = head
    for one in trial_rows(words, quote, estimate):
        row += 1
        sheet.text(row, 1, one.name, "wrapped")
        for place, cell in enumerate(one.cells):
            column = 2 + 2 * place
            sheet.text(row, column, cell.estimated, "value")
            if cell.applies:
                sheet.text(row, column + 1, cell.observed, "blank")
            else:
                sheet.text(row, column + 1, words.t("does not apply"), "muted")
    for label, text in (
        (words.t("Where it was seen from"), quote.trial.where_seen),
        (words.t("Topology reported"), quote.trial.topology),
    ):
        row += 1
        sheet.text(row, 1, label)
        sheet.text(row, 2, text, "blank")
