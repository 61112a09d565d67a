"""The Problems panel: what is wrong or missing, errors first, each with the place where it is put right.

It shows sentences that others made. Enter or a click on a row asks to go to its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from estimator.problems import Place, Severity
from estimator.wording import Wording
from ui.theme import TextRole, Theme
from ui.widgets.compound import Compound
from ui.widgets.icons import SEVERITY_COLORS, SEVERITY_ICONS, icon, paint_icon

_Index = QModelIndex | QPersistentModelIndex
_ORDER = list(Severity)


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """One problem as shown: its sentence, and the place in words and as a path."""

    severity: Severity
    sentence: str
    place_text: str
    place: Place


class ProblemsPanel(Compound):
    """Lists problems; `jump(Place)` asks to go to one, `closed` to put the panel away."""

    jump = Signal(object)
    closed = Signal()

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._model = _ProblemsModel(words)
        self._list = _List()
        self._list.setModel(self._model)
        self._list.setItemDelegate(_ProblemDelegate(theme, self._list))
        self._list.setAccessibleName(words.t("Problems"))
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.wanted.connect(self._go)
        self._title = QLabel(words.t("Problems"))
        self._counts = QLabel()
        self._counts.setProperty("look", "muted")
        self._keys = QLabel(words.t("F8 next · Enter: go to the field"))
        self._keys.setProperty("look", "muted")
        self._close = QPushButton()
        self._close.setProperty("look", "quiet")
        self._close.setAccessibleName(words.t("Close the problems"))
        self._close.setToolTip(words.t("Close the problems"))
        self._close.clicked.connect(self.closed)
        self.setMinimumHeight(96)
        self._lay_out()
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def rows(self) -> tuple[ProblemRow, ...]:
        """The problems as shown: errors, then missing data, then warnings."""
        return self._model.rows

    def show_problems(self, rows: tuple[ProblemRow, ...]) -> None:
        """Show problems, ordered by severity and otherwise as given."""
        self._model.show(tuple(sorted(rows, key=lambda row: _ORDER.index(row.severity))))
        count = {one: sum(row.severity is one for row in rows) for one in Severity}
        parts = []
        if count[Severity.ERROR]:
            parts.append(self._words.n("{count} error", "{count} errors", count[Severity.ERROR]))
        if count[Severity.MISSING]:
            parts.append(
                self._words.n("{count} missing datum", "{count} missing data", count[Severity.MISSING])
            )
        if count[Severity.WARNING]:
            parts.append(self._words.n("{count} warning", "{count} warnings", count[Severity.WARNING]))
        self._counts.setText(" · ".join(parts) or self._words.t("none"))

    def go_to_next(self, step: int = 1) -> None:
        """Go to the next problem (F8), or to the one before with -1; after the last comes the first."""
        count = self._model.rowCount()
        if count:
            row = self._list.currentIndex().row()
            following = (row + step) % count if row >= 0 else (0 if step > 0 else count - 1)
            self._list.setCurrentIndex(self._model.index(following))
            self._go(self._model.index(following))

    def _lay_out(self) -> None:
        self._header = QFrame()
        self._header.setProperty("look", "header")
        row = QHBoxLayout(self._header)
        row.setContentsMargins(12, 3, 8, 3)
        row.setSpacing(12)
        row.addWidget(self._title)
        row.addWidget(self._counts)
        row.addStretch(1)
        row.addWidget(self._keys)
        row.addWidget(self._close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header)
        column.addWidget(self._list, 1)
        self.first = self._list

    def _dress(self) -> None:
        self._title.setFont(self._theme.font(TextRole.SECTION))
        self._counts.setFont(self._theme.font(TextRole.SECONDARY))
        self._keys.setFont(self._theme.font(TextRole.SECONDARY))
        self._close.setIcon(icon("cross", self._theme.color("text")))

    def _go(self, index: QModelIndex) -> None:
        row = index.data(Qt.ItemDataRole.UserRole)
        if isinstance(row, ProblemRow):
            self.jump.emit(row.place)


class _List(QListView):
    wanted = Signal(QModelIndex)

    def __init__(self) -> None:
        super().__init__()
        self.clicked.connect(self.wanted)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.wanted.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class _ProblemsModel(QAbstractListModel):
    def __init__(self, words: Wording) -> None:
        super().__init__()
        self.rows: tuple[ProblemRow, ...] = ()
        self._words = {
            Severity.ERROR: words.t("Error"),
            Severity.MISSING: words.t("Missing"),
            Severity.WARNING: words.t("Warning"),
        }

    def show(self, rows: tuple[ProblemRow, ...]) -> None:
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return row.sentence
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self._words[row.severity]}: {row.sentence} {row.place_text}"
        return row if role == Qt.ItemDataRole.UserRole else None


class _ProblemDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(100, max(24, QFontMetrics(self._theme.font(TextRole.BODY)).height() + 6))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(row, ProblemRow):
            return
        box: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, self._theme.color("selection"))
        mark = QRectF(box.x() + 12, box.y() + (box.height() - 16) / 2, 16, 16)
        paint_icon(
            painter, mark, SEVERITY_ICONS[row.severity], self._theme.color(SEVERITY_COLORS[row.severity])
        )
        font = self._theme.font(TextRole.BODY)
        link = min(QFontMetrics(font).horizontalAdvance(row.place_text), box.width() // 2)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(font)
        painter.setPen(self._theme.color("text"))
        sentence = QRect(box.x() + 37, box.y(), box.width() - 37 - link - 36, box.height())
        shown = painter.fontMetrics().elidedText(row.sentence, Qt.TextElideMode.ElideRight, sentence.width())
        painter.drawText(sentence, middle | Qt.AlignmentFlag.AlignLeft, shown)
        font.setUnderline(True)
        painter.setFont(font)
        painter.setPen(self._theme.color("accent"))
        place = QRect(box.right() - link - 12, box.y(), link + 1, box.height())
        shown = painter.fontMetrics().elidedText(row.place_text, Qt.TextElideMode.ElideLeft, link + 1)
        painter.drawText(place, middle | Qt.AlignmentFlag.AlignRight, shown)
        painter.restore()
