"""A table model whose columns change with the data, such as one column an organisation or a state class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import Qt

from ui.models.table import Column, Group, TupleTableModel

Row = TypeVar("Row")


class ChangingTableModel(TupleTableModel[Row]):
    """A tuple table that is shown with other columns when the data have others."""

    def show_table(self, columns: Sequence[Column[Row]], rows: tuple[Row | Group, ...]) -> None:
        """Show rows under columns. With as many columns as before the selection stays where it is."""
        if len(columns) == len(self._columns):
            self._columns = tuple(columns)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(columns) - 1)
            self.show_rows(rows)
            return
        self.beginResetModel()
        self._columns = tuple(columns)
        self._rows = rows
        self._sorted = None
        self._order = self._order_now()
        self.endResetModel()
