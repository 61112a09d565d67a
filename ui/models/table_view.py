"""The table view with a spreadsheet's habits: type to edit, F2, Enter down, Delete clears, Ctrl+C and Ctrl+V.

Ctrl+Ins and Ctrl+D ask for a row more where somebody listens; finding is the menu's, see `find_text`.

One tab stop: Tab leaves the table, and moves right only while a cell is edited. It asks and changes nothing.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QMetaMethod, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from estimator.evidence import EvidenceKind
from estimator.wording import Wording
from ui.clipboard import Cells, from_tsv, to_tsv
from ui.models.find_line import FindLine
from ui.models.table import (
    EVIDENCE_ROLE,
    GROUP_ROLE,
    MIDDLE_ROLE,
    MOST_MEASURED,
    SAMPLE_ROLE,
    TupleTableModel,
)
from ui.theme import TextRole, Theme
from ui.widgets.evidence_chip import chip_size, paint_chip

_Index = QModelIndex | QPersistentModelIndex
_PADDING = 8


class TableView(QTableView):
    """Shows a `TupleTableModel`. Rows in signals are places in the tuple as given.

    A table that takes pasted rectangles should not be sortable: `top` is the first row, those below follow as
    given.
    """

    edited = Signal(int, int, str)
    refused = Signal(int, int, str)
    cleared = Signal(object)
    """Tuple of (row, column) that a person emptied at once."""
    pasted = Signal(object, int, int)
    """Rows of texts, top, left."""
    explain = Signal(int, int)
    """F4 on a cell."""
    row_asked = Signal()
    """Ctrl+Ins. Where nobody listens the keys copy, as they do elsewhere."""
    duplicate_asked = Signal(int)
    """Ctrl+D on a row."""
    opened = Signal(int)
    """Enter or a double click on a row whose cell cannot be edited."""

    def __init__(
        self,
        model: TupleTableModel[Any],
        words: Wording,
        theme: Theme,
        name: str,
        *,
        sortable: bool = False,
        whole_rows: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """`name` is what a screen reader calls the table."""
        super().__init__(parent)
        self._table = model
        self._theme = theme
        self._find_words = words
        self.find_line: FindLine | None = None
        self.setModel(model)
        self.setItemDelegate(CellDelegate(words, theme, self))
        self.setAccessibleName(name)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        if whole_rows:
            self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        trigger = QAbstractItemView.EditTrigger
        self.setEditTriggers(
            trigger.AnyKeyPressed | trigger.EditKeyPressed | trigger.DoubleClicked | trigger.SelectedClicked
        )
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setSectionsClickable(sortable)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        head.setStretchLastSection(True)
        if sortable:
            self.setSortingEnabled(True)
            head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        model.modelReset.connect(self._span_groups)
        model.layoutChanged.connect(self._span_groups)
        model.edited.connect(self.edited)
        model.refused.connect(self.refused)
        self.doubleClicked.connect(self._open)
        theme.changed.connect(self._dress)
        self._dress()
        self._span_groups()

    def fit_columns(self) -> None:
        """Give each column the width of its longest text, the last one the rest."""
        head = self.horizontalHeader()
        stretches = head.stretchLastSection()
        head.setStretchLastSection(False)  # else the last keeps the width of its text until the next resize
        self.resizeColumnsToContents()
        head.setStretchLastSection(stretches)

    def fit_height(self, most_rows: int = 12) -> None:
        """Make the table as high as its rows, up to `most_rows`."""
        rows = min(self._table.rowCount(), most_rows)
        head = self.horizontalHeader().sizeHint().height()
        self.setFixedHeight(head + rows * self.verticalHeader().defaultSectionSize() + 4)

    def sizeHintForColumn(self, column: int) -> int:
        """Measure all rows of a short table; of a long one the longest texts among rows from all its parts.

        A longer text between those is elided, and its tooltip says it whole.
        """
        if self._table.rowCount() <= MOST_MEASURED:
            return super().sizeHintForColumn(column)
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        widest = 0
        for row in self._table.longest(column):
            index = self._table.index(row, column)
            widest = max(widest, self.itemDelegateForIndex(index).sizeHint(option, index).width())
        return widest

    def find_text(self, step: int = 0) -> None:
        """Open the find line, or with 1 or -1 go to the next or the previous row that holds its text."""
        if self.find_line is None:
            self.find_line = FindLine(self, self._table, self._find_words, self._theme)
        if step and self.find_line.line.text():
            self.find_line.step(step)
        else:
            self.find_line.open()

    def copy(self) -> None:
        """Put the selected rectangle on the clipboard as tab-separated text, as shown."""
        chosen = [index for index in self.selectedIndexes() if not self._table.is_group(index.row())]
        if not chosen:
            return
        rows = sorted({index.row() for index in chosen})
        columns = sorted({index.column() for index in chosen})
        inside = {(index.row(), index.column()) for index in chosen}
        cells = tuple(
            tuple(self._copied(row, column) if (row, column) in inside else "" for column in columns)
            for row in rows
        )
        QGuiApplication.clipboard().setText(to_tsv(cells))

    def paste(self) -> None:
        """Ask for the clipboard's rectangle at the upper left of the selection."""
        cells: Cells = from_tsv(QGuiApplication.clipboard().text())
        chosen = self.selectedIndexes() or [self.currentIndex()]
        chosen = [index for index in chosen if index.isValid()]
        if cells and chosen:
            top = min(index.row() for index in chosen)
            left = min(index.column() for index in chosen)
            self.pasted.emit(cells, self._table.source_row(top), left)

    def clear_selected(self) -> None:
        """Ask to empty the selected cells that can be edited."""
        editable = Qt.ItemFlag.ItemIsEditable
        chosen = [index for index in self.selectedIndexes() if self._table.flags(index) & editable]
        cells = tuple(sorted((self._table.source_row(index.row()), index.column()) for index in chosen))
        if cells:
            self.cleared.emit(cells)

    def _copied(self, row: int, column: int) -> str:
        index = self._table.index(row, column)
        text = self._table.data(index)
        if text:
            return str(text)
        spoken = self._table.data(index, Qt.ItemDataRole.AccessibleTextRole)
        header = self._table.columns[column].header
        return str(spoken or "").removeprefix(header).lstrip(", ")

    def _open(self, index: QModelIndex) -> None:
        if (
            not self._table.is_group(index.row())
            and not self._table.flags(index) & Qt.ItemFlag.ItemIsEditable
        ):
            self.opened.emit(self._table.source_row(index.row()))

    def _span_groups(self) -> None:
        self.clearSpans()
        width = self._table.columnCount()
        if width > 1:
            for row in range(self._table.rowCount()):
                if self._table.is_group(row):
                    self.setSpan(row, 0, 1, width)

    def _dress(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._theme.row_height())
        self.verticalHeader().setMinimumSectionSize(min(20, self._theme.row_height()))
        self._dress_header()
        self.viewport().update()

    def _dress_header(self) -> None:
        header = self.horizontalHeader()
        for part in (header, header.viewport()):  # the viewport paints, and may not follow
            part.setFont(self._theme.font(TextRole.SECONDARY))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._dress_header()  # one that was given a parent has forgotten its font

    def _move(self, rows: int) -> None:
        current = self.currentIndex()
        row = current.row() + rows
        while 0 <= row < self._table.rowCount() and self._table.is_group(row):
            row += 1 if rows > 0 else -1
        if 0 <= row < self._table.rowCount():
            self.setCurrentIndex(self._table.index(row, max(0, current.column())))

    def _asks_for_row(self, event: QKeyEvent) -> bool:
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier != Qt.KeyboardModifier.ControlModifier:
            return False
        if self.state() is QAbstractItemView.State.EditingState:
            return False
        signal = {Qt.Key.Key_Insert: self.row_asked, Qt.Key.Key_D: self.duplicate_asked}.get(
            Qt.Key(event.key())
        )
        return signal is not None and self.isSignalConnected(QMetaMethod.fromSignal(signal))

    def _ask_for_row(self, event: QKeyEvent) -> None:
        current = self.currentIndex()
        if event.key() == Qt.Key.Key_Insert:
            self.row_asked.emit()
        elif current.isValid() and not self._table.is_group(current.row()):
            self.duplicate_asked.emit(self._table.source_row(current.row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        current = self.currentIndex()
        if self._asks_for_row(event):  # before the copy, of which Ctrl+Ins is the older key
            self._ask_for_row(event)
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.paste()
        elif self.state() is QAbstractItemView.State.EditingState:
            # The editor's own keys pass here once it has seen them; Enter must not move twice.
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Delete:
            self.clear_selected()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current.isValid():
            if self._table.flags(current) & Qt.ItemFlag.ItemIsEditable:
                self._move(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            else:
                self._open(current)
        elif event.key() == Qt.Key.Key_F4 and current.isValid():
            self.explain.emit(self._table.source_row(current.row()), current.column())
        else:
            super().keyPressEvent(event)

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        super().closeEditor(editor, hint)
        if hint is QAbstractItemDelegate.EndEditHint.SubmitModelCache:  # Enter
            self._move(1)


class CellDelegate(QStyledItemDelegate):
    """Paints text, icon, SAMPLE tag and evidence chip of a cell, and makes its editor."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        editor = QLineEdit(parent)
        alignment = index.data(Qt.ItemDataRole.TextAlignmentRole)
        if alignment is not None:
            editor.setAlignment(Qt.AlignmentFlag(alignment))
        header = index.model().headerData(index.column(), Qt.Orientation.Horizontal)
        editor.setAccessibleName(str(header or ""))
        return editor

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        if index.data(GROUP_ROLE):
            return QSize(0, self._theme.row_height())
        text = str(index.data() or "")
        width = QFontMetrics(self._font(index)).horizontalAdvance(text) + 2 * _PADDING + 2
        if index.data(Qt.ItemDataRole.DecorationRole) is not None:
            width += 22
        if index.data(SAMPLE_ROLE):
            width += self._tag_width() + 6
        kind = _evidence(index)
        if kind is not None:
            width += chip_size(kind, self._theme, self._words).width() + (6 if text else 0)
        return QSize(width, self._theme.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        box: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        ground = index.data(Qt.ItemDataRole.BackgroundRole)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, self._theme.color("selection"))
        elif ground is not None:
            painter.fillRect(box, ground)
        painter.setPen(self._theme.color("line"))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        self._paint_cell(painter, box.adjusted(_PADDING, 0, -_PADDING, -1), index)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(self._theme.color("accent"))
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        painter.restore()

    def _paint_cell(self, painter: QPainter, box: QRect, index: _Index) -> None:
        drawing = index.data(Qt.ItemDataRole.DecorationRole)
        if drawing is not None:
            drawing.paint(painter, QRect(box.x(), box.y() + (box.height() - 16) // 2, 16, 16))
            box.setLeft(box.left() + 22)
        kind = _evidence(index)
        text = str(index.data() or "")
        if kind is not None:
            size = chip_size(kind, self._theme, self._words)
            left = box.right() + 1 - size.width() if text else box.x()
            paint_chip(
                painter, QRect(left, box.y(), size.width(), box.height()), kind, self._theme, self._words
            )
            if not text:
                return
            box.setRight(left - 6)
        right = bool(
            int(index.data(Qt.ItemDataRole.TextAlignmentRole) or 0) & int(Qt.AlignmentFlag.AlignRight)
        )
        if index.data(SAMPLE_ROLE):
            tag = self._tag_width()
            width = QFontMetrics(self._font(index)).horizontalAdvance(text)
            if right:  # before the number, so that the digits of a column stay in line
                left = max(box.x(), box.right() - 1 - width - tag - 6)
                box.setLeft(left + tag + 6)
            else:
                left = min(box.x() + width + 6, box.right() - tag)
                box.setRight(left - 6)
            self._paint_tag(painter, QRect(left, box.y(), tag, box.height()))
        painter.setFont(self._font(index))
        painter.setPen(index.data(Qt.ItemDataRole.ForegroundRole) or self._theme.color("text"))
        elide = Qt.TextElideMode.ElideMiddle if index.data(MIDDLE_ROLE) else Qt.TextElideMode.ElideRight
        shown = painter.fontMetrics().elidedText(text, elide, box.width())
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, shown)

    def _font(self, index: _Index) -> QFont:
        font = self._theme.font(TextRole.BODY)
        if index.data(Qt.ItemDataRole.FontRole) is not None:
            font.setWeight(QFont.Weight.DemiBold)
        return font

    def _tag_width(self) -> int:
        metrics = QFontMetrics(self._theme.font(TextRole.CHIP))
        return metrics.horizontalAdvance(self._words.t("SAMPLE")) + 10

    def _paint_tag(self, painter: QPainter, box: QRect) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.font(TextRole.CHIP))
        height = painter.fontMetrics().height() + 2
        tag = QRectF(box.x(), box.y() + (box.height() - height) // 2, box.width(), height)
        painter.setPen(self._theme.color("warn"))
        painter.drawRoundedRect(tag.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, self._words.t("SAMPLE"))
        painter.restore()


def _evidence(index: _Index) -> EvidenceKind | None:
    # An enum of text crosses Qt's variants as plain text.
    stored = index.data(EVIDENCE_ROLE)
    return EvidenceKind(stored) if stored else None
