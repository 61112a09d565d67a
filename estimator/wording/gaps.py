"""The named gaps of a sentence, such as {count}. Used at run time, by the extractor and by the tests."""

from __future__ import annotations

import re
from string import Formatter

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


def gaps_of(sentence: str) -> frozenset[str]:
    """Return the names of the gaps. Raises ValueError for a lone brace, a number or a format."""
    names = set()
    for _, name, form, conversion in Formatter().parse(sentence):
        if name is None:
            continue
        if form or conversion or not _NAME.match(name):
            raise ValueError(f"a gap is a plain name in braces, not {{{name}}}: {sentence}")
        names.add(name)
    return frozenset(names)


def keeps_gaps(sentence: str, translation: str) -> bool:
    """Whether a translation has exactly the gaps of its sentence, so that it can be filled."""
    try:
        return gaps_of(sentence) == gaps_of(translation)
    except ValueError:
        return False
