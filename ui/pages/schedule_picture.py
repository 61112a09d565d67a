"""The schedule as a picture for paper: PNG for the workbook, and PNG, SVG or PDF files. Light and hatched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QFont

from estimator.plan.starting import rental_start
from estimator.problems import FileRefused
from estimator.results.estimate import Estimate
from estimator.storage import write_atomically
from estimator.wording import Wording
from ui.gantt.export import pdf_bytes, png_bytes, svg_bytes
from ui.gantt.folding import folded
from ui.gantt.look import GanttLook
from ui.gantt.model import GanttModel, LegendEntry, legend
from ui.pages.schedule_chart import ChartRequest, chart_for
from ui.pages.schedule_gantt import Chart, ColourBy
from ui.theme import LIGHT

Maker = Callable[[GanttModel, GanttLook, Sequence[LegendEntry]], bytes]

MAKERS: dict[str, Maker] = {"png": png_bytes, "svg": svg_bytes, "pdf": pdf_bytes}


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """What a picture shows of the plan: see ChartRequest; `folded` holds the keys of the closed groups."""

    colour_by: ColourBy = ColourBy.STAGE
    compared: str = ""
    critical: bool = False
    folded: frozenset[str] = frozenset()


def picture_request(
    estimate: Estimate, words: Wording, options: PictureOptions = PictureOptions()
) -> ChartRequest:
    """Return what to ask `chart_for` or `chart_work` for: the chart of a picture on paper."""
    start = rental_start(estimate.quote)
    return ChartRequest(words, estimate, options.colour_by, options.compared, options.critical, start)


def painted(
    chart: Chart,
    request: ChartRequest,
    font: QFont,
    kind: str = "png",
    closed: frozenset[str] = frozenset(),
) -> bytes:
    """Return a chart as a file's bytes, without the rows of the closed groups.

    `kind`: png, svg or pdf. Raises KeyError for another.
    """
    words = request.words
    model = folded(chart.model, closed).model
    look = GanttLook(
        colours=LIGHT,
        words=words,
        font=font,
        start=request.start,
        show_critical=request.critical,
        for_print=True,
    )
    critical = words.t("Critical path") if request.critical else ""
    entries = legend(model, words.t("Unused card"), words.t("Set-up"), critical, words.t("Closed"))
    return MAKERS[kind](model, look, entries)


def gantt_picture(estimate: Estimate, words: Wording, font: QFont, kind: str = "png") -> bytes | None:
    """Return the Gantt of the shown organisation, nothing folded; None where there is no timing."""
    request = picture_request(estimate, words)
    chart = chart_for(request, lambda _share: None, lambda: False)
    return None if chart is None else painted(chart, request, font, kind)


def save_gantt_picture(
    chart: Chart | None, request: ChartRequest, font: QFont, path: Path, closed: frozenset[str] = frozenset()
) -> None:
    """Write the picture whose kind the file's name ends in. Raises FileRefused naming the cause."""
    if chart is None:
        raise FileRefused("no_schedule_yet")
    write_atomically(path, painted(chart, request, font, path.suffix.lower().lstrip("."), closed))
