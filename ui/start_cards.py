"""What the start page lists: the embedded samples and the recent files, in words."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from estimator.wording import Wording
from ui.pages.start import RecentFile, SampleCard

SAMPLES = (
    "indice-de-las-obras",
    "consultation-notes",
    "fachada-norte",
    "dinamica-molecular",
    "credit-risk",
    "afinado-cooperativo",
)


def sample_cards(words: Wording, names: tuple[str, ...]) -> tuple[SampleCard, ...]:
    """Return a card for each sample, in the given order."""
    texts = {
        "indice-de-las-obras": (
            "Índice de las obras",
            words.t("Archive and publishing"),
            words.t("8 independent conversions of 12 min and an assembly: 106 min with 1 card, 58 with 2."),
        ),
        "consultation-notes": (
            "Consultation notes",
            words.t("Health"),
            words.t("Transcribe 320 recordings with 3 licences and adapt 8 models, within 36 h."),
        ),
        "fachada-norte": (
            "Fachada norte",
            words.t("Architecture and rendering"),
            words.t("Frames of a film of unequal length on cards of two models, with shared storage."),
        ),
        "dinamica-molecular": (
            "Dinámica molecular",
            words.t("Materials"),
            words.t("24 replicas of a simulation over weeks: terms of 30, 7 and 3 days combined."),
        ),
        "credit-risk": (
            "Credit risk",
            words.t("Finance"),
            words.t("1,000 unequal scenarios in a night, within 6 h."),
        ),
        "afinado-cooperativo": (
            "Afinado cooperativo",
            words.t("Research"),
            words.t("One job over two cards: a state of 200 GiB that fits only when it is partitioned."),
        ),
    }
    return tuple(SampleCard(name, *texts[name]) for name in names if name in texts)


def recent_files(words: Wording, paths: tuple[Path, ...]) -> tuple[RecentFile, ...]:
    """Return the recent files, missing ones with their reason."""
    found = []
    for path in paths:
        try:
            changed = words.date_time(dt.datetime.fromtimestamp(path.stat().st_mtime))
            reason = ""
        except OSError:
            changed, reason = "", words.t("not found")
        found.append(RecentFile(path, path.name, str(path.parent), changed, reason))
    return tuple(found)
