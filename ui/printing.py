"""The quote on paper: pages for the printer, the PDF and the preview, from the text of `exports.paper`.

A4 or Letter, black and white suffices, text stays text and fonts are embedded. What is said is decided there;
here it is set in type: head, answer, numbered sections, the Gantt, page numbers, and the status as a watermark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, QRect, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPagedPaintDevice,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPyTextObject,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextTable,
)

from estimator.estimate import EstimateCancelled
from estimator.exports.paper import Cells, Paper, Section, paper_of
from estimator.plan.starting import rental_start
from estimator.results.estimate import Estimate
from estimator.storage import write_atomically
from estimator.wording import Wording
from estimator.wording.phrases import quote_name
from ui.gantt.export import Foot, foot_height, pages_of, paint_picture, whole_view
from ui.gantt.look import GanttLook
from ui.gantt.model import GanttModel, LegendEntry, legend
from ui.logo import logo_image
from ui.pages.schedule_gantt import chart_of, reference_of
from ui.theme import LIGHT

DPI = 96.0
PRINT_DPI = 1200
TEXT_PIXELS = 12
MARGIN_MM = 17.0
FOOT = 34.0
"""Height of the page's foot, in pixels of 1/96 inch as all sizes here."""
ROOM_AFTER_TITLE = 96.0
"""What must fit under a title on the same page: a heading row and two more."""
KEPT_SHARE = 0.42
"""Of a page's height up to which a section's first table stays on one page with its title."""
GANTT_SHARE = 0.36
"""Of a page's height that the Gantt takes among the sections; the rest follows on pages of its own."""
WATERMARK_OPACITY = 0.07
"""Over the text, so that no picture hides it; what stands under it stays readable in black and white."""
MOST_BREAKS = 12
"""Times that a table is broken before a row that the end of a page would cut, each a new layout."""
LOGO_BOX = (160, 52)
"""Width and height of the logo on paper, at most."""
_LOGO = "cabida:logo"
PAPERS = {"A4": QPageSize.PageSizeId.A4, "Letter": QPageSize.PageSizeId.Letter}
_GANTT = QTextFormat.ObjectTypes.UserObject + 1
_HEAD_TABLES = 3
_INK, _MUTED, _RULE = "#14181C", "#4A525A", "#C9CED3"


@dataclass(frozen=True, slots=True)
class Chart:
    """The Gantt as it is painted: the model cut to pages, its look and legend, and what that takes under it."""

    parts: tuple[GanttModel, ...]
    look: GanttLook
    entries: Sequence[LegendEntry]
    bars: int
    foot: float


def page_layout(paper: str = "A4") -> QPageLayout:
    """Return the page: portrait, equal margins. Raises KeyError for a paper that is not in `PAPERS`."""
    margins = QMarginsF(MARGIN_MM, MARGIN_MM, MARGIN_MM, MARGIN_MM)
    size = QPageSize(PAPERS[paper])
    return QPageLayout(size, QPageLayout.Orientation.Portrait, margins, QPageLayout.Unit.Millimeter)


def quote_pdf(
    estimate: Estimate,
    words: Wording,
    font: QFont,
    progress: Callable[[float], None] = lambda part: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> bytes:
    """Return the printed quote as a PDF file's bytes, on the paper that the quote names. Raises EstimateCancelled."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(PRINT_DPI)
    writer.setPageLayout(page_layout(estimate.quote.paper))
    quote = estimate.quote
    writer.setTitle(" · ".join(part for part in (quote.number, quote_name(words, quote)) if part))
    writer.setCreator("Cabida")
    print_quote(writer, PRINT_DPI, PrintedQuote(estimate, words, font), progress, cancelled)
    return bytes(buffer.data().data())


def save_quote_pdf(
    estimate: Estimate,
    words: Wording,
    font: QFont,
    path: Path,
    progress: Callable[[float], None] = lambda part: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Write the printed quote, whole or not at all. Raises FileRefused naming the cause, EstimateCancelled."""
    write_atomically(path, quote_pdf(estimate, words, font, progress, cancelled))


def print_quote(
    device: QPagedPaintDevice,
    dots_per_inch: float,
    printed: PrintedQuote,
    progress: Callable[[float], None] = lambda part: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Paint every page on a printer or PDF writer whose page layout is that of `page_layout`.

    Raises EstimateCancelled between two pages.
    """
    painter = QPainter(device)
    scale = dots_per_inch / DPI
    for page in range(printed.page_count):
        if cancelled():
            painter.end()
            raise EstimateCancelled
        if page:
            device.newPage()
        progress(page / printed.page_count)
        painter.resetTransform()
        painter.scale(scale, scale)
        printed.paint(painter, page)
    painter.end()


class PrintedQuote:
    """The pages of one quote. `width`, `height`: what the margins leave, in pixels of 1/96 inch."""

    def __init__(self, estimate: Estimate, words: Wording, font: QFont) -> None:
        size = page_layout(estimate.quote.paper).paintRect(QPageLayout.Unit.Point)
        self.width, self.height = size.width() * DPI / 72, size.height() * DPI / 72
        self._words = words
        self._font = QFont(font)
        self._font.setPixelSize(TEXT_PIXELS)
        for ligature in ("liga", "clig", "dlig"):  # a reader who searches "offer" must find it
            self._font.setFeature(QFont.Tag(ligature), 0)
        self._paper = paper_of(estimate, words)
        self._logo = logo_image(estimate.quote.issuer.logo)
        self._chart = self._chart_of(estimate)
        self._body = QSizeF(self.width, self.height - FOOT)
        self._object = _ChartObject(self._chart, self._body)
        self._breaks: set[tuple[int, int, int]] = set()
        self._document = self._set()
        for _ in range(MOST_BREAKS):
            cut = self.cut_row()
            if cut is None or cut in self._breaks:
                break
            self._breaks.add(cut)
            self._document = self._set()
        self._text_pages = self._document.pageCount()

    @property
    def page_count(self) -> int:
        """Pages of text, and those on which the Gantt continues."""
        return self._text_pages + len(self._rest)

    @property
    def watermark(self) -> str:
        """What stands across every page; empty once the quote is firm."""
        return self._paper.watermark

    @property
    def _rest(self) -> tuple[GanttModel, ...]:
        return () if self._chart is None or len(self._chart.parts) == 1 else self._chart.parts[1:]

    def paint(self, painter: QPainter, page: int) -> None:
        """Paint one page, from 0; the painter's origin is the corner that the margins leave."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        if page < self._text_pages:
            painter.save()
            painter.translate(0, -page * self._body.height())
            # One pixel less: the tops of the next page's letters reach above their line.
            clip = QRectF(0, page * self._body.height(), self._body.width(), self._body.height() - 1)
            painter.setClipRect(clip)
            context = QAbstractTextDocumentLayout.PaintContext()
            context.clip = clip
            self._document.documentLayout().draw(painter, context)
            painter.restore()
        elif self._chart is not None:
            self._paint_rest(painter, self._chart, page - self._text_pages)
        self._paint_foot(painter, page)
        self._paint_watermark(painter)
        painter.restore()

    # Setting

    def _chart_of(self, estimate: Estimate) -> Chart | None:
        start = rental_start(estimate.quote)
        found = chart_of(self._words, estimate, other=reference_of(self._words, estimate), start=start)
        if found is None:
            return None
        look = GanttLook(colours=LIGHT, words=self._words, font=self._font, start=start, for_print=True)
        model = found.model
        entries = legend(
            model, self._words.t("Unused card"), self._words.t("Set-up"), closed=self._words.t("Closed")
        )
        height = self.height - FOOT
        foot = foot_height(look, entries, self.width, Foot(model.bars.count))
        first = pages_of(model, look, height * GANTT_SHARE, foot)
        if len(first) == 1:
            return Chart(first, look, entries, model.bars.count, foot)
        parts = (first[0], *pages_of(model, look, height - 40, foot))
        return Chart(parts, look, entries, model.bars.count, foot)

    def _set(self) -> QTextDocument:
        document = QTextDocument()
        document.setUndoRedoEnabled(False)
        document.setDefaultFont(self._font)
        document.setDocumentMargin(0)
        document.setUseDesignMetrics(True)
        document.documentLayout().registerHandler(_GANTT, self._object)
        document.setPageSize(self._body)
        cursor = QTextCursor(document)
        if self._logo is not None:
            document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(_LOGO), self._logo)
        cursor.insertHtml(_head_html(self._paper, self._logo))
        titles: list[int] = []
        self._tables: list[tuple[int, int, int]] = []
        for number, section in enumerate(self._paper.sections):
            titles.append(self._set_section(cursor, number, section))
        titles.append(self._set_end(cursor))
        _flatten(document)
        self._keep_titles(document, titles)
        return document

    def _set_section(self, cursor: QTextCursor, number: int, section: Section) -> int:
        self._new_block(cursor, top=14, bottom=4)
        place = cursor.position()
        cursor.insertHtml(
            f'<span style="font-size:15px;font-weight:600;color:{_INK}">{escape(section.title)}</span>'
        )
        for at, block in enumerate(section.blocks):
            self._new_block(cursor, top=2, bottom=2)
            if isinstance(block, str):
                cursor.insertHtml(_sentence(block))
            elif isinstance(block, Cells):
                self._insert_table(cursor, number, at, block)
            elif self._chart is not None:
                self._insert_chart(cursor)
            else:
                self._insert_table(cursor, number, at, block.otherwise)
        return place

    def _insert_table(self, cursor: QTextCursor, number: int, at: int, cells: Cells) -> None:
        """Insert a table, in parts where a page's end would cut a row; each part has the heads."""
        cuts = sorted(row for section, block, row in self._breaks if (section, block) == (number, at))
        for first, last in pairwise([0, *cuts, len(cells.rows)]):
            if first:
                self._new_block(cursor, top=0, bottom=0)
                shape = cursor.blockFormat()
                shape.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
                cursor.setBlockFormat(shape)
            strong = frozenset(row - first for row in cells.strong)
            part = replace(cells, rows=cells.rows[first:last], strong=strong)
            cursor.insertHtml(_table_html(part))
            self._tables.append((number, at, first))

    def cut_row(self) -> tuple[int, int, int] | None:
        """Return section, block and row of the first row that the end of a page cuts in two, or None."""
        layout, height = self._document.documentLayout(), self._body.height()
        for table, (section, block, first) in zip(_section_tables(self._document), self._tables, strict=True):
            for row in range(1, table.rows()):
                for column in range(table.columns()):
                    cell = table.cellAt(row, column)
                    rect = layout.blockBoundingRect(cell.firstCursorPosition().block())
                    if int(rect.top() // height) != int((rect.bottom() - 1) // height) and row > 1:
                        return section, block, first + row - 1
        return None

    def _insert_chart(self, cursor: QTextCursor) -> None:
        shape = QTextCharFormat()
        shape.setObjectType(_GANTT)
        cursor.insertText("\ufffc", shape)
        if self._rest:
            self._new_block(cursor, top=2, bottom=2)
            cursor.insertHtml(_sentence(self._words.t("The whole schedule stands on the last pages.")))

    def _set_end(self, cursor: QTextCursor) -> int:
        self._new_block(cursor, top=12, bottom=6)
        place = cursor.position()
        for text in (self._paper.notes, self._paper.closing):
            if text:
                cursor.insertHtml(_sentence(text))
                self._new_block(cursor, top=4, bottom=4)
        first, second = (escape(text) for text in self._paper.signatures)
        cursor.insertHtml(
            '<table width="100%" cellspacing="0" cellpadding="4"><tr>'
            f'<td width="46%" height="56" style="border-bottom:1px solid {_INK}">&nbsp;</td><td width="8%">&nbsp;</td>'
            f'<td width="46%" style="border-bottom:1px solid {_INK}">&nbsp;</td></tr>'
            f"<tr><td>{first}</td><td>&nbsp;</td><td>{second}</td></tr></table>"
        )
        return place

    def _new_block(self, cursor: QTextCursor, top: float, bottom: float) -> None:
        cursor.movePosition(QTextCursor.MoveOperation.End)
        shape = QTextBlockFormat()
        shape.setTopMargin(top)
        shape.setBottomMargin(bottom)
        cursor.insertBlock(shape, QTextCharFormat())

    def _keep_titles(self, document: QTextDocument, titles: Sequence[int]) -> None:
        """Send a title to the next page where nothing of its section, or not all of a short table, would fit under it;
        the end stays together.
        """
        height = self._body.height()
        for at, place in enumerate(titles):
            block = document.findBlock(place)
            top = document.documentLayout().blockBoundingRect(block).top()
            left = height - top % height
            wanted = ROOM_AFTER_TITLE
            if at == len(titles) - 1:  # the closing words and the lines to sign
                wanted = max(wanted, document.size().height() - top)
            wanted = max(wanted, self._short_table(document, at, top))
            if self._starts_chart(block):
                wanted = max(wanted, self._object.height() + 30)
            if left < wanted:
                cursor = QTextCursor(block)
                shape = block.blockFormat()
                shape.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
                shape.setTopMargin(0)
                cursor.setBlockFormat(shape)

    def _short_table(self, document: QTextDocument, section: int, top: float) -> float:
        """Return how far below its title a section's first table ends; 0 where it is long or there is none."""
        for table, (number, at, _) in zip(_section_tables(document), self._tables, strict=True):
            if number == section and at == 0:
                ends = document.documentLayout().frameBoundingRect(table).bottom() - top
                return ends if ends <= self._body.height() * KEPT_SHARE else 0.0
        return 0.0

    def _starts_chart(self, block: QTextBlock) -> bool:
        return block.next().isValid() and "\ufffc" in block.next().text()

    # Painting

    def _paint_watermark(self, painter: QPainter) -> None:
        if not self._paper.watermark:
            return
        painter.save()
        font = QFont(self._font)
        font.setWeight(QFont.Weight.Bold)
        font.setPixelSize(100)
        wide = QFontMetricsF(font).horizontalAdvance(self._paper.watermark)
        diagonal = (self.width**2 + self.height**2) ** 0.5
        font.setPixelSize(max(24, int(100 * min(diagonal * 0.8 / wide, 1.7))))
        painter.setFont(font)
        painter.setPen(QColor(_INK))
        painter.setOpacity(WATERMARK_OPACITY)
        painter.translate(self.width / 2, self.height / 2)
        painter.rotate(-52)
        box = QRectF(-diagonal / 2, -120, diagonal, 240)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._paper.watermark)
        painter.restore()

    def _paint_rest(self, painter: QPainter, chart: Chart, number: int) -> None:
        title = self._words.t(
            "Schedule, continued: {part} of {parts}", part=str(number + 1), parts=str(len(self._rest))
        )
        font = QFont(self._font)
        font.setPixelSize(15)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(_INK))
        painter.drawText(QPointF(0, 15), title)
        _paint_chart(painter, QRectF(0, 30, self.width, self.height - FOOT - 30), chart, self._rest[number])

    def _paint_foot(self, painter: QPainter, page: int) -> None:
        font = QFont(self._font)
        font.setPixelSize(10)
        painter.setFont(font)
        top = self.height - FOOT + 12
        painter.setPen(QColor(_RULE))
        painter.drawLine(QPointF(0, top), QPointF(self.width, top))
        painter.setPen(QColor(_MUTED))
        box = QRectF(0, top + 4, self.width, FOOT - 16)
        number = self._words.t("Page {page} of {pages}", page=str(page + 1), pages=str(self.page_count))
        taken = painter.fontMetrics().horizontalAdvance(number) + 16
        room = int(self.width - taken)
        left = painter.fontMetrics().elidedText(self._paper.footer, Qt.TextElideMode.ElideRight, room)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, left)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, number)


class _ChartObject(QPyTextObject):
    """The Gantt as one character of the text: the layout asks for its size and paints it."""

    def __init__(self, chart: Chart | None, body: QSizeF) -> None:
        super().__init__()
        self._chart = chart
        self._width = body.width()
        self._most = body.height() * GANTT_SHARE

    def height(self) -> float:
        """What the chart takes."""
        if self._chart is None:
            return 0.0
        chart = self._chart
        _, height = whole_view(chart.parts[0], chart.look, self._width, self._most, chart.foot)
        return min(height, self._most)

    def intrinsicSize(self, doc: QTextDocument, posInDocument: int, format: QTextFormat) -> QSizeF:
        return QSizeF(self._width - 1, self.height())

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,
        posInDocument: int,
        format: QTextFormat,
    ) -> None:
        if self._chart is not None:
            _paint_chart(painter, QRectF(rect), self._chart, self._chart.parts[0])


def _paint_chart(painter: QPainter, rect: QRectF, chart: Chart, part: GanttModel) -> None:
    view, _ = whole_view(part, chart.look, rect.width(), rect.height(), chart.foot)
    painter.save()
    paint_picture(painter, rect, part, view, chart.look, chart.entries, Foot(chart.bars))
    painter.restore()


def _section_tables(document: QTextDocument) -> list[QTextTable]:
    """Return the tables of the sections, in order; the head has three and the end has one."""
    tables = [frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable)]
    return tables[_HEAD_TABLES:-1]


def _flatten(document: QTextDocument) -> None:
    """Take the space around the text off the frame: the page's margins are there already."""
    root = document.rootFrame()
    shape = QTextFrameFormat(root.frameFormat())
    shape.setMargin(0)
    root.setFrameFormat(shape)


def _head_html(paper: Paper, logo: QImage | None) -> str:
    picture = ""
    if logo is not None:
        share = min(LOGO_BOX[0] / logo.width(), LOGO_BOX[1] / logo.height(), 1.0)
        wide, high = max(1, round(logo.width() * share)), max(1, round(logo.height() * share))
        picture = f'<img src="{_LOGO}" width="{wide}" height="{high}"><br>'
    meta = "<br>".join([*(escape(text) for text in paper.meta), f"<b>{escape(paper.standing)}</b>"])
    facts = "".join(
        f'<td style="padding-right:12px"><span style="color:{_MUTED}">{escape(label)}</span><br>{escape(text)}</td>'
        for label, text in paper.facts
    )
    cells = "".join(
        f'<td width="{100 // len(paper.answers)}%" style="border:1px solid {_INK};padding:8px">'
        f'<span style="color:{_MUTED}">{escape(title)}</span><br>'
        f'<span style="font-size:18px;font-weight:600">{escape(one.figure)}</span> {escape(one.unit)}<br>'
        f'<span style="color:{_MUTED}">{escape(one.line)}</span></td>'
        for title, one in paper.answers
    )
    return (
        '<table width="100%" cellspacing="0" cellpadding="0"><tr>'
        f'<td width="58%"><span style="font-size:22px;font-weight:700">{escape(paper.title)}</span><br>'
        f'<span style="color:{_MUTED};font-size:13px">{escape(paper.subtitle)}</span></td>'
        f'<td width="42%" align="right">{picture}{meta}</td></tr></table>'
        f'<table width="100%" cellspacing="0" cellpadding="4"><tr>{facts}</tr></table>'
        f'<table width="100%" cellspacing="0" cellpadding="0" style="border-collapse:collapse"><tr>{cells}</tr></table>'
    )


def _sentence(text: str) -> str:
    return f'<span style="color:{_MUTED}">{escape(text)}</span>'


def _table_html(cells: Cells) -> str:
    shares = cells.shares or (0,) * len(cells.heads)

    def cell(tag: str, at: int, text: str, strong: bool, rule: str) -> str:
        side = "right" if at in cells.right else "left"
        width = f' width="{shares[at]}%"' if shares[at] else ""
        body = f"<b>{escape(text)}</b>" if strong and text else escape(text) or "&nbsp;"
        colour = _MUTED if tag == "th" else _INK
        gap = "" if side == "right" or at - 1 not in cells.right else ";padding-left:12px"
        return (
            f'<{tag} align="{side}"{width} style="border-bottom:1px solid {rule};font-weight:400;color:{colour}{gap}">'
            f"{body}</{tag}>"
        )

    head = "".join(cell("th", at, text, False, _INK) for at, text in enumerate(cells.heads))
    rows = "".join(
        "<tr>"
        + "".join(cell("td", at, text, row in cells.strong, _RULE) for at, text in enumerate(texts))
        + "</tr>"
        for row, texts in enumerate(cells.rows)
    )
    return (
        '<table width="100%" cellspacing="0" cellpadding="3" style="border-collapse:collapse">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )
