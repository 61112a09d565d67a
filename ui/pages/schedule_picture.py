"""The schedule as a picture for paper: PNG for the workbook, and PNG, SVG or PDF files. Light and hatched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtGui import QFont

from estimator.plan.renting import rental_start
from estimator.problems import FileRefused
from estimator.results.estimate import Estimate
from estimator.storage import write_atomically
from estimator.wording import Wording
from ui.gantt.export import pdf_bytes, png_bytes, svg_bytes
from ui.gantt.look import GanttLook
from ui.gantt.model import GanttModel, LegendEntry, legend
from ui.pages.schedule_gantt import chart_of
from ui.theme import LIGHT

Maker = Callable[[GanttModel, GanttLook, Sequence[LegendEntry]], bytes]

MAKERS: dict[str, Maker] = {"png": png_bytes, "svg": svg_bytes, "pdf": pdf_bytes}


def gantt_picture(estimate: Estimate, words: Wording, font: QFont, kind: str = "png") -> bytes | None:
    """Return the whole Gantt of the shown organisation as a file's bytes; None where there is no timing.

    `kind`: png, svg or pdf. Raises KeyError for another.
    """
    start = rental_start(estimate.quote)
    chart = chart_of(words, estimate, start=start)
    if chart is None:
        return None
    look = GanttLook(colours=LIGHT, words=words, font=font, start=start, for_print=True)
    return MAKERS[kind](chart.model, look, legend(chart.model, words.t("Unused card")))


def save_gantt_picture(estimate: Estimate, words: Wording, font: QFont, path: Path) -> None:
    """Write the picture whose kind the file's name ends in. Raises FileRefused naming the cause."""
    picture = gantt_picture(estimate, words, font, path.suffix.lower().lstrip("."))
    if picture is None:
        raise FileRefused("no_schedule_yet")
    write_atomically(path, picture)
