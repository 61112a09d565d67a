"""Steps that bring an older file to the present format: each a pure function of the previous number's dict.

The format number stands first in the file. A change of format adds a number, a step here, and an old file in
the tests that must still open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from estimator.problems import FileRefused

Document = dict[str, Any]

FORMAT = 1

STEPS: dict[int, Callable[[Document], Document]] = {}
"""`STEPS[n]` turns a document of format n into one of format n + 1."""


def migrated(document: Document) -> Document:
    """Return the document in the present format.

    Raises FileRefused: `format_missing` where there is no number, `format_newer` where it is not known yet.
    """
    number = document.get("format")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise FileRefused("format_missing")
    if number > FORMAT:
        raise FileRefused("format_newer", found=number, known=FORMAT)
    while number < FORMAT:
        document = STEPS[number](document)
        number += 1
    return document
