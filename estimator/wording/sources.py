"""Where a number comes from, for people: what stands behind a key of the embedded catalogue."""

from __future__ import annotations

from estimator.catalogue.embedded import embedded_catalogue
from estimator.wording.wording import Wording

_OF_SAMPLES = "Fictional, by formula; no provider's offer"
"""What the embedded catalogue says of its sample lots."""


def source_text(words: Wording, source: str) -> str:
    """Return a source in words: a key of the catalogue as what it stands for, else the text itself."""
    if source == _OF_SAMPLES:
        return words.t("Fictional, by formula; no provider's offer")
    notes = (note.text for note in embedded_catalogue().sources if note.key == source)
    return next(notes, source)
