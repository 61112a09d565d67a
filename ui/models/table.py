"""A table model over a tuple of rows: columns say how a row is shown, sorted and edited.

The model holds no data of its own and changes none: an edit is a signal, the session answers with new rows.
Row numbers in signals are places in the tuple as given, whatever the order shown.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QFont

from estimator.evidence import EvidenceKind
from estimator.wording import Wording
from ui.theme import Theme
from ui.widgets.icons import icon

Row = TypeVar("Row")
SortKey = Decimal | int | float | str
_Index = QModelIndex | QPersistentModelIndex

EVIDENCE_ROLE = int(Qt.ItemDataRole.UserRole) + 1
GROUP_ROLE = int(Qt.ItemDataRole.UserRole) + 2
SAMPLE_ROLE = int(Qt.ItemDataRole.UserRole) + 3
MIDDLE_ROLE = int(Qt.ItemDataRole.UserRole) + 4

MOST_MEASURED = 60
"""Rows of which the width of a column is measured."""
_LONGEST = 3


@dataclass(frozen=True, slots=True)
class Group:
    """A row that spans the table and titles those below it."""

    title: str


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """How one column shows a row of data. Functions get the row.

    `sort_key` None keeps the text's order; where it returns None the row comes last in both directions.
    `editable` may be a claim for all rows. `check` returns a sentence where a text is refused, "" where it
    may be committed.
    """

    header: str
    text: Callable[[Row], str]
    right: bool = False
    sort_key: Callable[[Row], SortKey | None] | None = None
    evidence: Callable[[Row], EvidenceKind | None] | None = None
    icon: Callable[[Row], str | None] | None = None
    color: Callable[[Row], str | None] | None = None
    """Name of a token, such as "muted" or "err"."""
    sample: Callable[[Row], bool] | None = None
    bold: Callable[[Row], bool] | None = None
    editable: bool | Callable[[Row], bool] = False
    edit_text: Callable[[Row], str] | None = None
    check: Callable[[Row, str], str] | None = None
    tooltip: Callable[[Row], str] | None = None
    elide_middle: bool = False
    """Where names differ at their ends, an elided one keeps both."""

    def can_edit(self, row: Row) -> bool:
        """Whether a person may edit this cell of `row`."""
        return self.editable if isinstance(self.editable, bool) else self.editable(row)


class TupleTableModel(QAbstractTableModel, Generic[Row]):
    """Shows rows and groups. `edited(row, column, text)` asks for a change; `refused` says why not."""

    edited = Signal(int, int, str)
    refused = Signal(int, int, str)

    def __init__(
        self, columns: Sequence[Column[Row]], words: Wording, theme: Theme, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)
        self._words = words
        self._theme = theme
        self._rows: tuple[Row | Group, ...] = ()
        self._order: list[int] = []
        self._sorted: tuple[int, Qt.SortOrder] | None = None
        self._plain: dict[int, tuple[str, ...]] = {}
        self._plain_of: tuple[object, object] = (None, None)

    @property
    def rows(self) -> tuple[Row | Group, ...]:
        """The rows as given."""
        return self._rows

    @property
    def columns(self) -> tuple[Column[Row], ...]:
        """The columns."""
        return self._columns

    def show_rows(self, rows: tuple[Row | Group, ...]) -> None:
        """Show other rows. With as many as before the selection stays where it is."""
        groups = [isinstance(row, Group) for row in rows]
        if len(rows) == len(self._rows) and groups == [isinstance(row, Group) for row in self._rows] and rows:
            self._rows = rows
            if self._sorted is not None:
                self.sort(*self._sorted)
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self._columns) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self._order = self._order_now()
        self.endResetModel()

    def source_row(self, shown: int) -> int:
        """Return the place in `rows` of a row as shown."""
        return self._order[shown]

    def shown_row(self, source: int) -> int:
        """Return where a place in `rows` is shown."""
        return self._order.index(source)

    def row_at(self, index: _Index) -> Row | None:
        """Return the row of data at an index; None for a group."""
        row = self._rows[self._order[index.row()]]
        return None if isinstance(row, Group) else row

    def is_group(self, shown: int) -> bool:
        """Whether a row as shown is a group."""
        return isinstance(self._rows[self._order[shown]], Group)

    def find(self, text: str, start: int, step: int) -> tuple[int, int] | None:
        """Return row and column as shown of the next cell that holds `text`, whatever its case and accents.

        Rows are tried from `start` on by `step` (1 or -1), the last and the first being neighbours; groups hold
        nothing. None where no row holds it.
        """
        wanted, count = plain_text(text), len(self._order)
        for distance in range(count):
            row = (start + step * distance) % count
            for column, held in enumerate(self._plain_texts(self._order[row])):
                if wanted in held:
                    return row, column
        return None

    def longest(self, column: int) -> list[int]:
        """Return the rows as shown, from all parts of the table, whose texts in a column have most letters.

        Measuring in pixels asks Qt several times a cell, and waits each time while work goes on in the
        background: only these few are worth it.
        """
        count = len(self._order)
        step = max(1, count - 1) / (min(count, MOST_MEASURED) - 1) if count > 1 else 1
        places = [round(at * step) for at in range(min(count, MOST_MEASURED))]
        text = self._columns[column].text
        letters: dict[int, int] = {}
        for place in places:
            row = self._rows[self._order[place]]
            if not isinstance(row, Group):
                letters[place] = len(text(row))
        return sorted(letters, key=lambda place: -letters[place])[:_LONGEST]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._columns[section].header
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(self._columns[section].right)
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        row = self.row_at(index) if index.isValid() else None
        if row is None:
            return Qt.ItemFlag.ItemIsEnabled if index.isValid() else Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if self._columns[index.column()].can_edit(row) else flags

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[self._order[index.row()]]
        if isinstance(row, Group):
            return self._group_data(row, index.column(), role)
        return self._cell_data(self._columns[index.column()], row, role)

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self.row_at(index) if index.isValid() else None
        if row is None or role != Qt.ItemDataRole.EditRole or not isinstance(value, str):
            return False
        column = self._columns[index.column()]
        if not column.can_edit(row) or value == self._edit_text(column, row):
            return False
        source = self._order[index.row()]
        sentence = "" if column.check is None else column.check(row, value)
        if sentence:
            self.refused.emit(source, index.column(), sentence)
            return False
        self.edited.emit(source, index.column(), value)
        return True

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows inside each group by the column's key; a column of -1 gives the order as given."""
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        sources = [self._order[index.row()] for index in kept]
        self._sorted = (column, order) if 0 <= column < len(self._columns) else None
        self._order = self._order_now()
        where = {source: shown for shown, source in enumerate(self._order)}
        self.changePersistentIndexList(
            kept,
            [self.index(where[source], index.column()) for source, index in zip(sources, kept, strict=True)],
        )
        self.layoutChanged.emit()

    def _plain_texts(self, source: int) -> tuple[str, ...]:
        """Return the texts of a row made ready to compare; making them costs more than comparing, so they stay."""
        if self._plain_of[0] is not self._rows or self._plain_of[1] is not self._columns:
            self._plain, self._plain_of = {}, (self._rows, self._columns)
        if source not in self._plain:
            row = self._rows[source]
            texts = () if isinstance(row, Group) else tuple(column.text(row) for column in self._columns)
            self._plain[source] = tuple(plain_text(text) for text in texts)
        return self._plain[source]

    def _order_now(self) -> list[int]:
        if self._sorted is None:
            return list(range(len(self._rows)))
        column, direction = self._columns[self._sorted[0]], self._sorted[1]
        order: list[int] = []
        part: list[tuple[int, SortKey | None]] = []
        for place, row in enumerate(self._rows):
            if isinstance(row, Group):
                order += [*_sorted_places(part, direction), place]
                part = []
            else:
                part.append((place, column.text(row) if column.sort_key is None else column.sort_key(row)))
        return order + _sorted_places(part, direction)

    def _group_data(self, group: Group, column: int, role: int) -> Any:
        if role == GROUP_ROLE:
            return True
        if role == Qt.ItemDataRole.DisplayRole and column == 0:
            return group.title
        if role == Qt.ItemDataRole.BackgroundRole:
            return self._theme.color("header")
        return self._theme.color("muted") if role == Qt.ItemDataRole.ForegroundRole else None

    def _cell_data(self, column: Column[Row], row: Row, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(row)
        if role == Qt.ItemDataRole.EditRole:
            return self._edit_text(column, row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column.right)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(column, row)
        if role == Qt.ItemDataRole.ToolTipRole:
            # A text that has no room is elided: its tooltip says it whole.
            return column.text(row) if column.tooltip is None else column.tooltip(row)
        if role == Qt.ItemDataRole.FontRole:
            return _BOLD if column.bold is not None and column.bold(row) else None
        if role == EVIDENCE_ROLE:
            return None if column.evidence is None else column.evidence(row)
        if role == SAMPLE_ROLE:
            return column.sample is not None and column.sample(row)
        if role == MIDDLE_ROLE:
            return column.elide_middle
        if role in (Qt.ItemDataRole.DecorationRole, Qt.ItemDataRole.ForegroundRole):
            return self._look(column, row, role)
        return None

    def _look(self, column: Column[Row], row: Row, role: int) -> Any:
        token = None if column.color is None else column.color(row)
        color: QColor = self._theme.color(token or "text")
        if role == Qt.ItemDataRole.ForegroundRole:
            return color
        name = None if column.icon is None else column.icon(row)
        return None if name is None else icon(name, color)

    def _edit_text(self, column: Column[Row], row: Row) -> str:
        return column.text(row) if column.edit_text is None else column.edit_text(row)

    def _spoken(self, column: Column[Row], row: Row) -> str:
        parts = [f"{column.header} {column.text(row)}".strip()]
        if column.sample is not None and column.sample(row):
            parts.append(self._words.t("SAMPLE"))
        kind = None if column.evidence is None else column.evidence(row)
        if kind is not None:
            parts.append(self._words.evidence(kind).lower())
        return ", ".join(parts)


def plain_text(text: str) -> str:
    """Return a text without case and accents, as it is compared when something is looked for."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


_BOLD = QFont()
_BOLD.setWeight(QFont.Weight.DemiBold)


def _alignment(right: bool) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _sorted_places(part: list[tuple[int, SortKey | None]], direction: Qt.SortOrder) -> list[int]:
    """Return the places by their keys; those without a key last in both directions, ties as given."""
    known = [(key, place) for place, key in part if key is not None]
    text = any(isinstance(key, str) for key, _ in known)

    def order(pair: tuple[SortKey, int]) -> Any:
        return str(pair[0]).casefold() if text else pair[0]

    known.sort(key=order, reverse=direction is Qt.SortOrder.DescendingOrder)
    return [place for _, place in known] + [place for place, key in part if key is None]
