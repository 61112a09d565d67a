"""Rectangles of cells as the tab-separated text that spreadsheets put on the clipboard, and back.

Only text: what a cell means is decided by who receives it.
"""

from __future__ import annotations

import csv
import io

Cells = tuple[tuple[str, ...], ...]


def to_tsv(rows: Cells) -> str:
    """Return the rows as tab-separated lines; cells with a tab, a quote or a line break are quoted."""
    out = io.StringIO()
    csv.writer(out, dialect="excel-tab", lineterminator="\n").writerows(rows)
    return out.getvalue().removesuffix("\n")


def from_tsv(text: str) -> Cells:
    """Return the rows of tab-separated text, all of one width; an empty last line is no row."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    if not lines:
        return ()
    rows = [tuple(row) or ("",) for row in csv.reader(io.StringIO(lines, newline=""), dialect="excel-tab")]
    width = max(len(row) for row in rows)
    return tuple(row + ("",) * (width - len(row)) for row in rows)
