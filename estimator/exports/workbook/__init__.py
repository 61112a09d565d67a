"""The workbook: a quote with live formulas, for those who check or change it in a spreadsheet.

The front door is `write_workbook`. The plan stays as it is; what a yellow cell moves is re-timed and
re-priced by formula, each with the core's own result stored beside it.
"""

from __future__ import annotations

from estimator.exports.workbook.book import Made, plan_held, workbook_bytes, workbook_made, write_workbook

__all__ = ["Made", "plan_held", "workbook_bytes", "workbook_made", "write_workbook"]
