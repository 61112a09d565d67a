"""The chart as PNG, SVG and PDF, by the painter of the window; complete files or none.

A picture shows the whole time of the plan, every class hatched, in the shape of the page it is meant for, and
says when bars were merged. Where it goes in a document is not its business.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from ui.gantt.folding import rows_of
from ui.gantt.look import GanttLook
from ui.gantt.model import GanttModel, GanttRow, LegendEntry, RowKind
from ui.gantt.paint import LEGEND_LINE, head_width, legend_lines, paint_gantt, paint_legend
from ui.gantt.paint_bars import EXACT_BARS
from ui.gantt.view import GanttView, fit, row_height_for, row_tops

A4_LANDSCAPE = 297 / 210
FOOT_MARGIN = 6.0
MOST_PIXELS = 40_000_000
PAGE_MARGIN_MM = 17.0
PRINT_DPI = 1200
SCREEN_DPI = 96


@dataclass(frozen=True, slots=True)
class PictureShape:
    """Width in device-independent pixels; the most height it may take as a share of it; pixels a pixel."""

    width: float = 1122.0
    aspect: float = A4_LANDSCAPE
    pixel_ratio: float = 2.0


def save_png(
    path: Path,
    model: GanttModel,
    look: GanttLook,
    entries: Sequence[LegendEntry] = (),
    shape: PictureShape | None = None,
) -> None:
    """Write the whole chart as a PNG file. Raises OSError, and then leaves an older file as it was."""
    _replace(path, png_bytes(model, look, entries, shape))


def save_svg(
    path: Path,
    model: GanttModel,
    look: GanttLook,
    entries: Sequence[LegendEntry] = (),
    shape: PictureShape | None = None,
) -> None:
    """Write the whole chart as an SVG file; text and bars stay vector. Raises OSError."""
    _replace(path, svg_bytes(model, look, entries, shape))


def save_pdf(
    path: Path,
    model: GanttModel,
    look: GanttLook,
    entries: Sequence[LegendEntry] = (),
    page: QPageLayout | None = None,
) -> None:
    """Write the whole chart as a PDF file, A4 landscape unless told; more rows make more pages."""
    _replace(path, pdf_bytes(model, look, entries, page))


def png_bytes(
    model: GanttModel,
    look: GanttLook,
    entries: Sequence[LegendEntry] = (),
    shape: PictureShape | None = None,
) -> bytes:
    """The picture of `save_png` in memory, for a workbook or a page."""
    shape = shape or PictureShape()
    foot = foot_height(look, entries, shape.width, Foot(model.bars.count))
    view, height = whole_view(model, look, shape.width, shape.width / shape.aspect, foot)
    ratio = min(shape.pixel_ratio, (MOST_PIXELS / (shape.width * height)) ** 0.5)
    image = QImage(QSize(round(shape.width * ratio), round(height * ratio)), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor(look.colours.surface))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, True)
    paint_picture(painter, QRectF(0, 0, shape.width, height), model, view, look, entries)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # the stubs ask for bytes; Qt takes text
        raise OSError("the picture could not be written as PNG")
    return bytes(buffer.data().data())


def svg_bytes(
    model: GanttModel,
    look: GanttLook,
    entries: Sequence[LegendEntry] = (),
    shape: PictureShape | None = None,
) -> bytes:
    """The picture of `save_svg` in memory."""
    shape = shape or PictureShape()
    foot = foot_height(look, entries, shape.width, Foot(model.bars.count))
    view, height = whole_view(model, look, shape.width, shape.width / shape.aspect, foot)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(SCREEN_DPI)
    generator.setSize(QSize(round(shape.width), round(height)))
    generator.setViewBox(QRectF(0, 0, shape.width, height))
    painter = QPainter(generator)
    paint_picture(painter, QRectF(0, 0, shape.width, height), model, view, look, entries)
    painter.end()
    return bytes(buffer.data().data())


def pdf_bytes(
    model: GanttModel,
    look: GanttLook,
    entries: Sequence[LegendEntry] = (),
    page: QPageLayout | None = None,
) -> bytes:
    """The pages of `save_pdf` in memory."""
    margins = QMarginsF(PAGE_MARGIN_MM, PAGE_MARGIN_MM, PAGE_MARGIN_MM, PAGE_MARGIN_MM)
    layout = page or QPageLayout(
        QPageSize(QPageSize.PageSizeId.A4),
        QPageLayout.Orientation.Landscape,
        margins,
        QPageLayout.Unit.Millimeter,
    )
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(PRINT_DPI)
    writer.setPageLayout(layout)
    scale = PRINT_DPI / SCREEN_DPI
    width, height = writer.width() / scale, writer.height() / scale
    painter = QPainter(writer)
    longest = look.words.t("{page} of {pages}", page="99", pages="99")
    foot = foot_height(look, entries, width, Foot(model.bars.count, longest))
    row_height = row_height_for(model, height - look.header_height() - foot)
    pages, words = pages_of(model, look, height, foot), look.words
    for number, part in enumerate(pages):
        if number:
            writer.newPage()
        painter.resetTransform()
        painter.scale(scale, scale)
        fitted = fit(model, width - head_width(model, look))
        view = GanttView(fitted.ms_per_pixel, row_height=row_height)
        sheet = words.t("{page} of {pages}", page=words.number(number + 1), pages=words.number(len(pages)))
        note = Foot(model.bars.count, sheet if len(pages) > 1 else "")
        paint_picture(painter, QRectF(0, 0, width, height), part, view, look, entries, note)
    painter.end()
    return bytes(buffer.data().data())


def pages_of(model: GanttModel, look: GanttLook, height: float, foot: float) -> tuple[GanttModel, ...]:
    """The chart cut by rows into pages of `height` pixels, the last `foot` of them for what stands under it.

    A page begins with the headings that it continues, and none ends with a heading.
    """
    room = height - look.header_height() - foot
    tops = row_tops(model, row_height_for(model, room))
    if float(tops[-1]) <= room + 0.5:
        return (model,)
    heights = np.diff(tops).tolist()
    pages: list[list[int]] = []
    current: list[int] = []
    above: list[int] = []
    used = 0.0
    for index, row in enumerate(model.rows):
        while above and _is_past(model.rows[above[-1]], row):
            above.pop()
        if current and used + heights[index] > room:
            orphans = _headings_at_end(model, current)
            kept = current[: len(current) - len(orphans)]
            if kept:
                pages.append(kept)
            current = [*(one for one in above if one not in orphans), *orphans]
            used = sum(heights[one] for one in current)
        if row.kind is RowKind.HEADING:
            above.append(index)
        current.append(index)
        used += heights[index]
    pages.append(current)
    return tuple(rows_of(model, page) for page in pages)


def _is_past(heading: GanttRow, row: GanttRow) -> bool:
    """Whether a row no longer belongs under a heading; one that opens no group holds until the next heading."""
    if heading.group:
        return row.depth <= heading.depth
    return row.kind is RowKind.HEADING


def _headings_at_end(model: GanttModel, rows: Sequence[int]) -> list[int]:
    """The headings that stand last, under which nothing follows any more."""
    found: list[int] = []
    for row in reversed(rows):
        if model.rows[row].kind is not RowKind.HEADING:
            break
        found.insert(0, row)
    return found


@dataclass(frozen=True, slots=True)
class Foot:
    """What stands under a picture beside the legend: how many bars where they are merged, and the page."""

    bar_count: int
    sheet: str = ""

    def text(self, look: GanttLook, is_merged: bool) -> str:
        """Return the note: which page it is, and that bars are merged where they are."""
        said = [self.sheet]
        if is_merged:
            said.append(
                look.words.n("{count} bar, shown merged", "{count} bars, shown merged", self.bar_count)
            )
        return " · ".join(one for one in said if one)

    def width(self, look: GanttLook) -> float:
        """Return the room that the first line of a legend leaves to the longest note there may be."""
        text = self.text(look, self.bar_count > EXACT_BARS)
        return QFontMetricsF(look.secondary_font()).horizontalAdvance(text) + 16 if text else 0.0


def foot_height(look: GanttLook, entries: Sequence[LegendEntry], width: float, note: Foot) -> float:
    """What stands under a picture takes: the lines of its legend, the note at the end of the first."""
    lines = legend_lines(entries, look, width - _inset(look), note.width(look))
    return FOOT_MARGIN + LEGEND_LINE * len(lines)


def _inset(look: GanttLook) -> float:
    return 0.0 if look.for_print else 10.0


def _with_rows(view: GanttView, model: GanttModel, room: float) -> GanttView:
    return GanttView(view.ms_per_pixel, row_height=row_height_for(model, room))


def whole_view(
    model: GanttModel, look: GanttLook, width: float, height: float, foot: float
) -> tuple[GanttView, float]:
    """All of the chart in a width, and the height it takes with its foot: less than the page's for a few rows, or
    more.
    """
    room = height - look.header_height() - foot
    view = _with_rows(fit(model, width - head_width(model, look)), model, room)
    rows = float(row_tops(model, view.row_height)[-1])
    return view, rows + look.header_height() + foot


def paint_picture(
    painter: QPainter,
    rect: QRectF,
    model: GanttModel,
    view: GanttView,
    look: GanttLook,
    entries: Sequence[LegendEntry],
    note: Foot | None = None,
) -> None:
    """Paint a view of the chart with its legend under it; `note` where it is one page of several."""
    note = note or Foot(model.bars.count)
    foot = foot_height(look, entries, rect.width(), note)
    chart = rect.adjusted(0, 0, 0, -foot)
    rows = float(row_tops(model, view.row_height)[-1])
    chart.setHeight(min(chart.height(), rows + look.header_height()))
    painted = paint_gantt(painter, chart, model, view, look)
    below = QRectF(rect.left(), chart.bottom() + 4, rect.width(), foot - 4)
    text = note.text(look, painted.is_merged)
    if text:
        painter.setFont(look.secondary_font())
        painter.setPen(QColor(look.colours.muted))
        line = QRectF(below.topLeft(), QSizeF(below.width(), LEGEND_LINE))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
    below.setLeft(below.left() + _inset(look))
    paint_legend(painter, below, entries, look, note.width(look))


def _replace(path: Path, content: bytes) -> None:
    """Write beside the target and put it in its place in one step, so that no reader sees half a file."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
