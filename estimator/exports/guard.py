"""Text in CSV that a spreadsheet would run as a formula: guarded on the way out, freed on the way in."""

from __future__ import annotations

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
GUARD = "'"


def guarded(text: str) -> str:
    """Return text with an apostrophe before what begins a formula."""
    return GUARD + text if text.startswith(FORMULA_STARTS) else text


def unguarded(text: str) -> str:
    """Return text without the apostrophe that kept it from being a formula."""
    return text[1:] if text.startswith(GUARD) and text[1:].startswith(FORMULA_STARTS) else text
