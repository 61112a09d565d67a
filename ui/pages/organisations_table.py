"""The comparison table: chips beside figures, narrow rows, and two columns that stay when many scroll by."""

from __future__ import annotations

from typing import Any, cast

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from estimator.quote import Quote
from estimator.results.estimate import Estimate
from estimator.wording import Wording
from ui.models.table import GROUP_ROLE, MOST_MEASURED, Column
from ui.models.table_view import TableView
from ui.pages.changing_table import ChangingTableModel
from ui.pages.organisations_rows import Cell, Criterion, comparison, heading, ordered_organisations
from ui.theme import TextRole, Theme
from ui.widgets.evidence_chip import chip_size, paint_chip
from ui.widgets.icons import paint_icon

_Index = QModelIndex | QPersistentModelIndex
FROZEN = 2
"""Columns that stay: the criterion and the reference."""
_PADDING = 8
_ICON = 14
_LEAST_COLUMN = 132
_MOST_COLUMN = 190
_LEAST_CRITERION = 150


class ComparisonTable(TableView):
    """Criteria in rows, organisations in columns. `chosen(id)`: the current cell is of another organisation."""

    chosen = Signal(str)

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        self.comparison: ChangingTableModel[Criterion] = ChangingTableModel((), words, theme)
        super().__init__(self.comparison, words, theme, words.t("Comparison of organisations"), parent=parent)
        self.comparison.setParent(self)
        self._said = words
        self._dressed = theme
        self._ids: tuple[str, ...] = ()
        self._fitted: tuple[int, ...] = ()
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegate(ComparisonDelegate(words, theme, self))
        self.horizontalHeader().setStretchLastSection(False)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.frozen = _FrozenColumns(self)
        theme.changed.connect(self._narrow)
        self.comparison.modelReset.connect(self._fit)
        self._narrow()

    @property
    def head_font(self) -> QFont:
        """The font of the heads."""
        return self._dressed.font(TextRole.SECONDARY)

    @property
    def organisation_ids(self) -> tuple[str, ...]:
        """The organisations as columns, the reference first."""
        return self._ids

    @property
    def current_id(self) -> str:
        """The organisation of the current cell, or empty."""
        column = self.currentIndex().column() - 1
        return self._ids[column] if 0 <= column < len(self._ids) else ""

    def show_comparison(self, quote: Quote, estimate: Estimate | None) -> None:
        """Show the organisations of the quote and what the estimate says of them."""
        organisations = ordered_organisations(quote)
        self._ids = tuple(one.id for one in organisations)
        heads = [heading(self._said, quote, estimate, one) for one in organisations]
        first: Column[Criterion] = Column(
            "", lambda row: row.name, bold=lambda row: row.bold, tooltip=lambda row: row.name
        )
        columns = [first, *(_column(at, head) for at, head in enumerate(heads))]
        self.comparison.show_table(columns, comparison(self._said, quote, estimate))
        self._fit()

    def select(self, organisation_id: str) -> None:
        """Make the cell of an organisation current, in the row that is current or the first."""
        if organisation_id in self._ids and organisation_id != self.current_id:
            row = max(1, self.currentIndex().row())
            self.setCurrentIndex(self.comparison.index(row, 1 + self._ids.index(organisation_id)))

    def natural_height(self) -> int:
        """Return the pixels that all rows take."""
        rows = self.comparison.rowCount() * self.verticalHeader().defaultSectionSize()
        bar = self.horizontalScrollBar()
        scrolled = 0 if self.frozen.isHidden() else bar.sizeHint().height()
        return rows + self.horizontalHeader().sizeHint().height() + scrolled + 4

    def _fit(self) -> None:
        """Share the width out: the criteria as wide as they need, the organisations alike."""
        count = self.comparison.columnCount()
        if count == 0 or self.comparison.rowCount() == 0:
            return
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        delegate = cast(ComparisonDelegate, self.itemDelegate())
        shown = self.viewport().width()
        widths = [
            max(_LEAST_COLUMN, min(delegate.width_of(self.comparison, at), _MOST_COLUMN if at else 400))
            for at in range(count)
        ]
        if sum(widths) > shown:  # rather an elided head and criterion than columns out of sight
            cells = [delegate.cells_width(self.comparison, at) for at in range(1, count)]
            widths = [widths[0], *(max(_LEAST_COLUMN, width) for width in cells)]
            widths[0] = max(min(widths[0], _LEAST_CRITERION), min(widths[0], shown - sum(widths[1:])))
        room = shown - sum(widths)
        for column, width in enumerate(widths):
            extra = max(0, room) // max(1, count - 1) if column else 0
            self.setColumnWidth(column, width + extra)
        self.frozen.fit(room < 0)
        fitted = (shown, *widths)
        if room < 0 and fitted != self._fitted:  # else whoever scrolled elsewhere stays there
            self.updateGeometries()
            self.scrollTo(self.currentIndex())
        self._fitted = fitted

    def _narrow(self) -> None:
        line = QFontMetrics(self._dressed.font(TextRole.BODY)).height()
        self.verticalHeader().setMinimumSectionSize(max(22, line + 5))
        self.verticalHeader().setDefaultSectionSize(max(22, line + 5))

    def currentChanged(self, current: _Index, previous: _Index) -> None:
        super().currentChanged(current, previous)
        if current.column() > 0 and current.column() != previous.column():
            self.chosen.emit(self.current_id)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def scrollTo(
        self, index: _Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        super().scrollTo(index, hint)
        if not self.frozen.isHidden() and index.column() >= FROZEN:
            hidden = self.frozen.width() - self.visualRect(index).left()
            if hidden > 0:
                self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() - hidden)


class ComparisonDelegate(QStyledItemDelegate):
    """Paints a cell: text, a chip of words or an evidence chip at its right, an icon."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme

    def width_of(self, model: ChangingTableModel[Criterion], column: int) -> int:
        """Return the pixels that the longest cell of a column and its head need."""
        head = str(model.headerData(column, Qt.Orientation.Horizontal) or "")
        width = QFontMetrics(self._theme.font(TextRole.SECONDARY)).horizontalAdvance(head) + 2 * _PADDING
        return max(width + 4, self.cells_width(model, column))

    def cells_width(self, model: ChangingTableModel[Criterion], column: int) -> int:
        """Return the pixels that the longest cell of a column needs."""
        rows = range(model.rowCount()) if model.rowCount() <= MOST_MEASURED else model.longest(column)
        cells = (
            self.sizeHint(QStyleOptionViewItem(), model.index(row, column))
            for row in rows
            if not model.is_group(row)
        )
        return max((cell.width() for cell in cells), default=0) + 4

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        cell = _cell(index)
        width = QFontMetrics(self._font(cell)).horizontalAdvance(cell.text) + 2 * _PADDING
        if cell.chip:
            width += self._chip_width(cell) + 6
        elif cell.icon:
            width += _ICON + 6
        if cell.kind is not None:
            width += chip_size(cell.kind, self._theme, self._words).width()
        return QSize(width, self._theme.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        is_group = bool(index.data(GROUP_ROLE))
        painter.save()
        ground = "header" if is_group else "surface"
        if state & QStyle.StateFlag.State_Selected:
            ground = "selection"
        painter.fillRect(area, self._theme.color(ground))
        painter.setPen(self._theme.color("line"))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        inside = area.adjusted(_PADDING, 0, -_PADDING, -1)
        if is_group:
            painter.setPen(self._theme.color("muted"))
            painter.setFont(self._theme.font(TextRole.SECONDARY))
            painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, str(index.data() or ""))
        else:
            self._paint_cell(painter, inside, _cell(index), right=index.column() > 0)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(self._theme.color("accent"))
            painter.drawRect(area.adjusted(0, 0, -1, -1))
        painter.restore()

    def _paint_cell(self, painter: QPainter, area: QRect, cell: Cell, right: bool) -> None:
        if cell.kind is not None:
            size = chip_size(cell.kind, self._theme, self._words)
            left = max(area.left(), area.right() + 1 - size.width())
            place = QRect(left, area.y(), area.right() + 1 - left, area.height())
            paint_chip(painter, place, cell.kind, self._theme, self._words)
            return
        if cell.chip:
            width = min(self._chip_width(cell), area.width())
            self._paint_chip(painter, QRect(area.right() + 1 - width, area.y(), width, area.height()), cell)
            area = area.adjusted(0, 0, -width - 6, 0)
        color = self._theme.color("text" if cell.chip else cell.tone)
        painter.setFont(self._font(cell))
        text = painter.fontMetrics().elidedText(cell.text, Qt.TextElideMode.ElideRight, area.width())
        if cell.icon and not cell.chip:
            left = area.right() - painter.fontMetrics().horizontalAdvance(text) - _ICON - 4
            box = QRectF(left, area.y() + (area.height() - _ICON) / 2, _ICON, _ICON)
            paint_icon(painter, box, cell.icon, color)
        painter.setPen(color)
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_chip(self, painter: QPainter, area: QRect, cell: Cell) -> None:
        ink = self._theme.color(cell.tone)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.font(TextRole.CHIP))
        height = min(area.height() - 2, painter.fontMetrics().height() + 4)
        box = QRectF(area.x(), area.y() + (area.height() - height) / 2, area.width(), height)
        if cell.is_sample:
            painter.setPen(ink)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.color("header" if cell.tone == "muted" else f"{cell.tone}_soft"))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        left = box.x() + 5
        if cell.icon:
            mark = QRectF(left, box.center().y() - _ICON / 2, _ICON, _ICON)
            paint_icon(painter, mark, cell.icon, ink)
            left += _ICON + 4
        painter.setPen(ink)
        inside = QRectF(left, box.y(), box.right() - 4 - left, box.height())
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, cell.chip)

    def _chip_width(self, cell: Cell) -> int:
        metrics = QFontMetrics(self._theme.font(TextRole.CHIP))
        return metrics.horizontalAdvance(cell.chip) + 11 + (_ICON + 4 if cell.icon else 0)

    def _font(self, cell: Cell) -> QFont:
        font = self._theme.font(TextRole.BODY)
        if cell.bold:
            font.setWeight(QFont.Weight.DemiBold)
        return font


class _FrozenColumns(QTableView):
    """The first columns again, over the left of the table: the WORKAROUND that Qt's own examples use."""

    def __init__(self, table: ComparisonTable) -> None:
        super().__init__(table)
        self._main = table
        self.setModel(table.comparison)
        self.setSelectionModel(table.selectionModel())
        self.setItemDelegate(table.itemDelegate())
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setShowGrid(False)
        self.setProperty("look", "frozen")
        self.verticalHeader().hide()
        self.horizontalHeader().setSectionsClickable(False)
        self.horizontalHeader().setHighlightSections(False)  # it would take the font of the table
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(table.verticalScrollMode())
        table.verticalScrollBar().valueChanged.connect(self.verticalScrollBar().setValue)
        self.verticalScrollBar().valueChanged.connect(table.verticalScrollBar().setValue)
        self.hide()

    def fit(self, wanted: bool) -> None:
        """Lie over the first columns of the table, or hide."""
        self.setVisible(wanted)
        if not wanted:
            return
        rows = self._main.verticalHeader()
        self.verticalHeader().setMinimumSectionSize(rows.minimumSectionSize())
        self.verticalHeader().setDefaultSectionSize(rows.defaultSectionSize())
        for column in range(self._main.comparison.columnCount()):
            self.setColumnHidden(column, column >= FROZEN)
            if column < FROZEN:
                self.setColumnWidth(column, self._main.columnWidth(column))
        self.clearSpans()
        for row in range(self._main.comparison.rowCount()):
            if self._main.comparison.is_group(row):
                self.setSpan(row, 0, 1, FROZEN)
        edge = self._main.frameWidth()
        head = self._main.horizontalHeader()
        self.horizontalHeader().setFixedHeight(head.height())
        # WORKAROUND: under a stylesheet Qt 6.11 paints a header inside a table inside a table in the outer font.
        for part in (self.horizontalHeader(), self.horizontalHeader().viewport()):
            part.setFont(self._main.head_font)
        width = sum(self._main.columnWidth(column) for column in range(FROZEN))
        self.setGeometry(edge, edge, width, self._main.viewport().height() + head.height())


def _column(at: int, head: str) -> Column[Criterion]:
    def cell(row: Criterion) -> Cell:
        return row.cells[at] if at < len(row.cells) else Cell()

    return Column(
        head,
        lambda row: " ".join(part for part in (cell(row).text, cell(row).chip) if part),
        right=True,
        evidence=lambda row: cell(row).kind,
        color=lambda row: cell(row).tone,
        bold=lambda row: cell(row).bold,
        tooltip=lambda row: cell(row).tip or cell(row).text,
    )


def _cell(index: _Index) -> Cell:
    """Return the cell behind an index; the first column is the criterion's name."""
    model = cast(ChangingTableModel[Any], index.model())
    row = model.row_at(index)
    if not isinstance(row, Criterion):
        return Cell()
    if index.column() == 0:
        return Cell(row.name, bold=row.bold)
    at = index.column() - 1
    return row.cells[at] if at < len(row.cells) else Cell()
